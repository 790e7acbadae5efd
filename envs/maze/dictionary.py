"""Positions as JSON-able dictionaries of names and numbers, and back.

``to_dict`` leaves out what equals its default; ``from_dict`` works out what follows from the rest (neighbours, groups),
and refuses positions that cannot be, with every reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.codec import (
    Codec,
    Field,
    Flags,
    Names,
    Number,
    Numbers,
    Switch,
    read,
    unknown_keys,
    write,
)
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.positions import core_from_dict, core_to_dict
from broodmind.envs.core.record import new_states
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import DX, DY
from broodmind.envs.maze.tables import tables
from broodmind.envs.maze.validate import problems

NUMBER = Number()
SWITCH = Switch()
MODELS = Flags(st.MODEL_IDS)
SIDES = Flags(st.DIRECTIONS)
MODEL = Names(("none", *st.MODEL_IDS), -1)
ITEM = Names(("none", *st.ITEM_IDS), -1)
SIDE = Names(("none", *st.DIRECTIONS), -1)
CHARGE = Names(("none", *st.ITEM_IDS[st.FIRST_CHARGE : st.FIRST_TOOL]), -1)


@dataclass(frozen=True)
class Counts:
    """How many there are of each of some things: a dictionary by name, without those of which there are none."""

    words: Sequence[str]

    def write(self, value: Any) -> dict[str, int]:
        """Return the counts by name."""
        return {word: int(number) for word, number in zip(self.words, value, strict=True) if number}

    def read(self, data: Any) -> list[int]:
        """Return the count of each, or raise ValueError."""
        if not isinstance(data, Mapping):
            raise ValueError(f"expected counts by name, such as {{'{self.words[0]}': 1}}, got {data!r}")
        found = [0] * len(self.words)
        for word, number in data.items():
            found[Names(self.words).read(word)] = Number(0).read(number)
        return found


@dataclass(frozen=True)
class Each:
    """A fixed count of entries, such as two weapon slots."""

    item: Codec
    count: int

    def write(self, value: Any) -> list[Any]:
        """Return the entries."""
        return [self.item.write(entry) for entry in value]

    def read(self, data: Any) -> list[Any]:
        """Return the entries, or raise ValueError."""
        if not isinstance(data, Sequence) or isinstance(data, str) or len(data) != self.count:
            raise ValueError(f"expected a list of {self.count} entries, got {data!r}")
        return [self.item.read(entry) for entry in data]


ITEMS = Counts(st.ITEM_IDS)
WEAPON_SHOTS = Counts(st.ITEM_IDS[: st.WEAPONS])

GAME_FIELDS: dict[str, tuple[Codec, Any]] = {
    "shuffled": (SWITCH, False),
    "floors": (NUMBER, 0),
    "step": (Names(st.STEPS), "actions"),
    "phase": (Names(st.PHASES), "IMP_SELECT"),
    "sel": (MODEL, "none"),
    "cur": (MODEL, "none"),
    "moves": (NUMBER, 0),
    "reveal": (MODELS, []),
    "h_state": (Names(st.HORROR_STATES), "shadows"),
    "h_tile": (NUMBER, -1),
    "h_from": (NUMBER, -1),
    "h_wounds": (NUMBER, 16),
    "ch_tile": (NUMBER, -1),
    "ch_d1": (NUMBER, -1),
    "ch_d2": (NUMBER, -1),
    "ch_wounds": (NUMBER, 0),
    "ch_fired": (NUMBER, 0),
    "ch_todo": (MODELS, []),
    "ch_roll": (NUMBER, 0),
    "ch_pushed": (MODELS, []),
    "lights": (SWITCH, False),
    "generator": (SWITCH, False),
    "early": (Names(("none", *st.MODEL_IDS)), "none"),
    "pulse": (Names(("none", *st.MODEL_IDS)), "none"),
    "extra_draw": (NUMBER, 0),
    "ceramite_next": (SWITCH, False),
    "beacon_at": (Names(st.BEACON_PLACES), "room"),
    "beacon_id": (NUMBER, -1),
    "beacon_out": (SWITCH, False),
    "corpse_scion": (NUMBER, 0),
    "corpse_marine": (NUMBER, 0),
    "nest_pile": (ITEMS, {}),
    "nest_shots": (WEAPON_SHOTS, {}),
    "nest_skull": (NUMBER, 0),
    "ev_n": (NUMBER, 0),
    "ev_i": (NUMBER, 0),
    "ev_group": (Each(MODELS, st.MODELS), [[]] * st.MODELS),
    "ev_tile": (NUMBER, -1),
    "ev_kind": (Names(("none", *st.EVENT_IDS), -1), "none"),
    "ev_redrawn": (SWITCH, False),
    "find_group": (MODELS, []),
    "find_tile": (NUMBER, -1),
    "find_weapon": (ITEM, "none"),
    "find_ammo": (CHARGE, "none"),
    "find_n": (NUMBER, 0),
    "find_tool": (ITEM, "none"),
    "in_hand": (ITEM, "none"),
    "cand_n": (NUMBER, 0),
    "cand_tile": (Numbers(3), [-1, -1, -1]),
    "cand_open": (Each(SIDES, 3), [[], [], []]),
    "cand_door": (Each(SIDES, 3), [[], [], []]),
    "cand_at": (NUMBER, -1),
    "cand_dir": (NUMBER, 0),
}
FIELDS = [Field(key, codec) for key, (codec, _) in GAME_FIELDS.items()]
DEFAULTS = {key: default for key, (_, default) in GAME_FIELDS.items()}

TILE_FIELDS: dict[str, tuple[Codec, Any]] = {
    "state": (Names(st.TILE_STATES), "pile"),
    "x": (NUMBER, 0),
    "y": (NUMBER, 0),
    "floor": (NUMBER, 0),
    "open": (SIDES, []),
    "door": (SIDES, []),
    "ceramite": (SIDES, []),
    "tile_marks": (Flags(st.TILE_MARKS), []),
    "lit": (Numbers(st.VENTS), [0] * st.VENTS),
    "mine": (SIDES, []),
    "armed": (SIDES, []),
    "melta": (Flags(("floor", *st.DIRECTIONS)), []),
    "mourned": (MODELS, []),
    "tile_skull": (NUMBER, 0),
    "pile": (ITEMS, {}),
    "pile_shots": (WEAPON_SHOTS, {}),
}
MODEL_FIELDS: dict[str, tuple[Codec, Any]] = {
    "status": (Names(st.STATUSES), "board"),
    "at": (NUMBER, 0),
    "fall_x": (NUMBER, 0),
    "fall_y": (NUMBER, 0),
    "wounds": (NUMBER, None),
    "morale": (NUMBER, None),
    "acts": (NUMBER, 2),
    "acted": (NUMBER, 0),
    "lost": (SWITCH, False),
    "injury": (Flags(st.INJURIES), []),
    "weapon": (Each(ITEM, st.SLOTS), None),
    "shots": (Numbers(st.SLOTS), None),
    "ammo": (Counts(st.ITEM_IDS[st.FIRST_CHARGE : st.FIRST_TOOL]), None),
    "tools": (Counts(st.ITEM_IDS[st.FIRST_TOOL : st.BEACON]), None),
    "skull": (NUMBER, 0),
    "scanner": (Names(st.SCANNER_MODES), "off"),
    "crux": (SWITCH, False),
    "mourn": (SWITCH, False),
    "no_fire": (SWITCH, False),
    "heading": (SIDE, "none"),
    "start": (NUMBER, -1),
    "move_seq": (NUMBER, 0),
    "firsts": (Flags(st.FIRSTS), []),
    "model_marks": (Flags(st.MODEL_MARKS), []),
    "halluc": (NUMBER, 0),
    "delir": (NUMBER, 0),
    "suicid": (NUMBER, 0),
    "pendant": (NUMBER, 0),
}
ROW_FIELDS = {
    "tiles": [Field(key, codec) for key, (codec, _) in TILE_FIELDS.items()],
    "models": [Field(key, codec) for key, (codec, _) in MODEL_FIELDS.items()],
}
TILE_DEFAULTS = {key: default for key, (_, default) in TILE_FIELDS.items()}


def _model_defaults(m: int) -> dict[str, Any]:
    """Return the data that stand for how a model starts."""
    t = tables()[0]
    w = int(t["weapon"][m])
    own = {
        "wounds": int(t["wounds"][m]),
        "morale": int(t["morale"][m]),
        "weapon": [st.ITEM_IDS[w], "none"],
        "shots": [int(t["magazine"][w]), 0],
    }
    for key in ("ammo", "tools"):
        own[key] = MODEL_FIELDS[key][0].write(t[key][m])
    return {key: own.get(key, default) for key, (_, default) in MODEL_FIELDS.items()}


def kinds_of(mission: int) -> list[int]:
    """Return the kinds of a deck's tiles by id."""
    deck = tables()[0]["deck"][mission]
    return [kind for kind in range(st.KINDS) for _ in range(int(deck[kind]))]


def to_dict(states: NDArray[np.void], i: int) -> dict[str, Any]:
    """Return a whole position as JSON-able names and numbers; `from_dict` gives back the same bytes.

    Args:
        states: Array of state records.
        i: Which of them.
    """
    from broodmind.envs.maze.game import GAME

    s = np.asarray(states)[i]
    data = {"core": core_to_dict(GAME, s["core"]), **write(s, FIELDS, DEFAULTS)}
    tiles = {}
    for a in range(int(s["n_tiles"])):
        row = {key: s[key][a] for key in TILE_FIELDS}
        entry = write(row, ROW_FIELDS["tiles"], TILE_DEFAULTS)
        if entry:
            tiles[str(a)] = {"kind": st.KIND_IDS[int(s["kind"][a])], **entry}
    data["tiles"] = tiles
    data["models"] = {
        name: write({key: s[key][m] for key in MODEL_FIELDS}, ROW_FIELDS["models"], _model_defaults(m))
        for m, name in enumerate(st.MODEL_IDS)
    }
    return data


def _read_row(
    s: Any, k: int, what: str, data: Any, defaults: Mapping[str, Any], where: str, wrong: list[str]
) -> None:
    fields = ROW_FIELDS[what]
    row: dict[str, Any] = {field.key: np.zeros_like(s[field.key][k]) for field in fields}
    read(row, data, fields, defaults, where, wrong, ("kind",) if what == "tiles" else ())
    for key, value in row.items():
        s[key][k] = value


def _read_tiles(s: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    kinds = kinds_of(int(s["core"]["mission"]))
    s["n_tiles"] = len(kinds)
    s["kind"][: len(kinds)] = kinds
    s["state"][len(kinds) :] = st.ABSENT
    section = data.get("tiles", {})
    if not isinstance(section, Mapping):
        wrong.append(f"tiles: expected a dictionary by number, got {type(section).__name__}")
        return
    unknown_keys(section, [str(a) for a in range(len(kinds))], "tiles", wrong)
    for a, kind in enumerate(kinds):
        entry = section.get(str(a), {})
        name = st.KIND_IDS[kind]
        if isinstance(entry, Mapping) and entry.get("kind", name) != name:
            wrong.append(f"tiles.{a}.kind: tile {a} of this deck is {name!r}, got {entry['kind']!r}")
        _read_row(s, a, "tiles", entry, TILE_DEFAULTS, f"tiles.{a}", wrong)


def link_tiles(s: Any) -> None:
    """Work out which tiles are neighbours.

    Args:
        s: One record, written in place.
    """
    s["nb"] = -1
    cells = {
        (int(s["x"][a]), int(s["y"][a]), int(s["floor"][a])): a
        for a in np.flatnonzero(s["state"] == st.ON_BOARD)
    }
    for (x, y, floor), a in cells.items():
        for d in range(4):
            s["nb"][a, d] = cells.get((x + DX[d], y + DY[d], floor), -1)


def from_dict(data: Mapping[str, Any]) -> NDArray[np.void]:
    """Return a position as an array of one record.

    Args:
        data: As `to_dict` gives it; what equals its default may be left out.

    Raises:
        StateError: The dictionary is malformed, or the position impossible; the message lists every problem.
    """
    from broodmind.envs.maze.game import GAME

    if not isinstance(data, Mapping):
        raise StateError(f"a position must be a dictionary as to_dict gives it, got {type(data).__name__}")
    states = new_states(st.STATE, 1)
    s = np.asarray(states)[0]
    core_from_dict(GAME, data, s["core"])
    wrong: list[str] = []
    read(s, data, FIELDS, DEFAULTS, "", wrong, ("core", "tiles", "models"))
    _read_tiles(s, data, wrong)
    models = data.get("models", {})
    if isinstance(models, Mapping):
        unknown_keys(models, st.MODEL_IDS, "models", wrong)
        for m, name in enumerate(st.MODEL_IDS):
            _read_row(s, m, "models", models.get(name, {}), _model_defaults(m), f"models.{name}", wrong)
    else:
        wrong.append(f"models: expected a dictionary by name, got {type(models).__name__}")
    if not wrong:
        link_tiles(s)
        s["loose"] = s["pile"].sum(axis=1)
        wrong = problems(states, 0, derived=False)
    if wrong:
        raise StateError("this is not a possible position: " + "; ".join(wrong))
    from broodmind.envs.maze import kernel

    kernel.derive_one(states, 0, GAME.tables())
    return states
