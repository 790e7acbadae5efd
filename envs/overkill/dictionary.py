"""Positions as JSON-able dictionaries of names and numbers, and back.

``to_dict`` leaves out what equals its default; ``from_dict`` works the counts of each zone out from the models, and
refuses positions that cannot be, with every reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.codec import (
    Codec,
    Field,
    Flags,
    ListOf,
    Names,
    Number,
    Switch,
    read,
    unknown_keys,
    write,
)
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.positions import core_from_dict, core_to_dict
from broodmind.envs.core.record import new_states
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.tables import tables
from broodmind.envs.overkill.validate import problems

NUMBER = Number()
SWITCH = Switch()
SECTIONS = ("core", "models", "zones", "cards", "points")
OFF_BOARD = ("exited", "slain", "reserve", "off")
"""What stands for a zone below 0, from the lowest."""


class _Zone:
    """A zone by number, or one of the words of `OFF_BOARD`."""

    def write(self, value: Any) -> int | str:
        """Return the number or the word."""
        zone = int(value)
        return OFF_BOARD[zone - st.EXITED] if st.EXITED <= zone < 0 else zone

    def read(self, data: Any) -> int:
        """Return the number, or raise ValueError."""
        if isinstance(data, str):
            return Names(OFF_BOARD, st.EXITED).read(data)
        return Number(0, st.MAX_ZONES - 1).read(data)


def _fields() -> tuple[list[Field], dict[str, Any]]:
    """Return the fields of a position and the data that stand for their defaults."""
    marine = Names(("none", *(names.marine_name(m) for m in range(st.MARINES))), -1)
    model = Names(("none", *(names.model_name(m) for m in range(st.MODELS))), -1)
    marines = Flags(tuple(names.marine_name(m) for m in range(st.MARINES)))
    kind = Names(("none", *(names.type_name(k) for k in range(st.TYPES))), -1)
    card = Names(("none", *(names.card_name(c) for c in range(st.CARDS))), -1)
    codecs: dict[str, tuple[Codec, Any]] = {
        "mission": (NUMBER, None),
        "step": (Names(st.STEPS), None),
        "phase": (Names(st.PHASES), st.PHASES[0]),
        "stage": (Names(("none", *st.STAGES), -1), None),
        "job": (Names(st.JOBS), st.JOBS[0]),
        "hand_size": (NUMBER, None),
        "lay_min": (NUMBER, None),
        "lay_max": (NUMBER, None),
        "team_size": (NUMBER, None),
    }
    for field in ("marine", "first", "carrier", "homer"):
        codecs[field] = marine, "none"
    for field in ("attacker", "target"):
        codecs[field] = model, "none"
    for field in ("team", "injured", "pinned", "jammed", "no_recover", "static", "mesmerised"):
        codecs[field] = marines, []
    for field in ("sel_zone", "target_zone", "skull_zone", "smoke_zone", "profile", "point"):
        codecs[field] = NUMBER, -1
    codecs["sel_type"] = kind, "none"
    codecs["card"] = card, "none"
    switches = ("alone", "fresh", "late", "arrived", "lower_open", "no_ambush", "reinforced", "teleported")
    for field in (*switches, "smoke_used", "psychic_used", "might", "revealed_now", "dust", "picker"):
        codecs[field] = SWITCH, False
    numbers = (
        "hits",
        "hazards",
        "moves_left",
        "kept",
        "entry",
        "left",
        "mix",
        "placed",
        "set_up",
        "laid_now",
    )
    for field in (*numbers, "kills", "slain", "exited", "krak", "destroyed", "played", "draw_count"):
        codecs[field] = NUMBER, 0
    codecs["draws"] = ListOf(Names(("none", *card.words[1:])), st.DRAWS), []
    codecs["results"] = ListOf(NUMBER, st.MISSIONS), []
    codecs["teams"] = ListOf(marines, st.MISSIONS), []
    fields = [Field(key, codec) for key, (codec, _) in codecs.items()]
    return fields, {key: default for key, (_, default) in codecs.items() if default is not None}


MODEL_FIELDS = (
    Field("zone", _Zone()),
    Field("wounds", NUMBER),
    Field("marks", Flags(st.MARK_NAMES)),
)
MODEL_DEFAULTS: dict[str, Any] = {"zone": "off", "wounds": 0, "marks": []}
MARKS = Flags(st.ZONE_MARK_NAMES)
PLACE = Names(st.CARD_PLACES)
POINT_FIELDS_MARKS = Flags(st.POINT_MARK_NAMES)


def to_dict(states: NDArray[np.void], i: int) -> dict[str, Any]:
    """Return a whole position as JSON-able names and numbers; `from_dict` gives back the same bytes.

    Args:
        states: Array of state records.
        i: Which of them.
    """
    from broodmind.envs.overkill.game import GAME

    s = np.asarray(states)[i]
    fields, defaults = _fields()
    data = {"core": core_to_dict(GAME, s["core"]), **write(s, fields, defaults)}
    models = {}
    for m in range(st.MODELS):
        row = {"zone": s["zone"][m], "wounds": s["wounds"][m], "marks": s["marks"][m]}
        entry = write(row, MODEL_FIELDS, MODEL_DEFAULTS)
        if entry:
            models[names.model_name(m)] = entry
    data["models"] = models
    data["zones"] = {str(z): MARKS.write(s["zone_marks"][z]) for z in np.flatnonzero(s["zone_marks"])}
    data["cards"] = {names.card_name(c): PLACE.write(s["card_at"][c]) for c in range(st.CARDS)}
    data["points"] = {
        str(a): {
            "card": names.card_name(int(s["point_card"][a])),
            "marks": POINT_FIELDS_MARKS.write(s["point_marks"][a]),
        }
        for a in range(st.MAX_POINTS)
        if s["point_card"][a] >= 0
    }
    return data


def _numbered(data: Any, what: str, most: int, wrong: list[str]) -> dict[int, Any]:
    """Return a dictionary by number, from one whose keys are numbers as text."""
    if not isinstance(data, Mapping):
        wrong.append(f"{what}: expected a dictionary by number, got {type(data).__name__}")
        return {}
    found = {}
    for key, value in data.items():
        if not str(key).isdigit() or int(key) >= most:
            wrong.append(f"{what}.{key}: expected a number 0..{most - 1}")
        else:
            found[int(key)] = value
    return found


def _decode(codec: Codec, data: Any, where: str, wrong: list[str], default: int) -> int:
    try:
        return int(codec.read(data))
    except ValueError as error:
        wrong.append(f"{where}: {error}")
        return default


def _read_models(s: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    section = data.get("models", {})
    known = [names.model_name(m) for m in range(st.MODELS)]
    if not isinstance(section, Mapping):
        wrong.append(f"models: expected a dictionary by name, got {type(section).__name__}")
        return
    unknown_keys(section, known, "models", wrong)
    for m, name in enumerate(known):
        row: dict[str, Any] = {}
        read(row, section.get(name, {}), MODEL_FIELDS, MODEL_DEFAULTS, f"models.{name}", wrong)
        for field, value in row.items():
            s[field][m] = value


def _read_cards(s: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    cards = data.get("cards", {})
    known = [names.card_name(c) for c in range(st.CARDS)]
    if not isinstance(cards, Mapping):
        wrong.append(f"cards: expected a dictionary by name, got {type(cards).__name__}")
        return
    unknown_keys(cards, known, "cards", wrong)
    for c, name in enumerate(known):
        s["card_at"][c] = _decode(PLACE, cards.get(name, "out"), f"cards.{name}", wrong, 0)
    s["point_card"] = -1
    for a, entry in _numbered(data.get("points", {}), "points", st.MAX_POINTS, wrong).items():
        if not isinstance(entry, Mapping):
            wrong.append(f"points.{a}: expected {{card, marks}}")
            continue
        unknown_keys(entry, ("card", "marks"), f"points.{a}", wrong)
        s["point_card"][a] = _decode(Names(known), entry.get("card"), f"points.{a}.card", wrong, -1)
        s["point_marks"][a] = _decode(
            POINT_FIELDS_MARKS, entry.get("marks", []), f"points.{a}.marks", wrong, 0
        )
    for z, marks in _numbered(data.get("zones", {}), "zones", st.MAX_ZONES, wrong).items():
        s["zone_marks"][z] = _decode(MARKS, marks, f"zones.{z}", wrong, 0)


def count_zones(s: Any) -> None:
    """Work out from the models what each zone holds.

    Args:
        s: One record, written in place; models stand in zones that exist.
    """
    t = tables()[0]
    for field in ("used", "marines_in", "cult_in"):
        s[field] = 0
    for m in range(st.MODELS):
        zone = int(s["zone"][m])
        if 0 <= zone < st.MAX_ZONES:
            s["used"][zone] += t["cost"][t["kind"][m]]
            s["marines_in" if m < st.MARINES else "cult_in"][zone] += 1


def from_dict(data: Mapping[str, Any]) -> NDArray[np.void]:
    """Return a position as an array of one record.

    Args:
        data: As `to_dict` gives it; what equals its default may be left out.

    Raises:
        StateError: The dictionary is malformed, or the position impossible; the message lists every problem.
    """
    from broodmind.envs.overkill.game import GAME

    if not isinstance(data, Mapping):
        raise StateError(f"a position must be a dictionary as to_dict gives it, got {type(data).__name__}")
    states = new_states(st.STATE, 1)
    s = np.asarray(states)[0]
    core_from_dict(GAME, data, s["core"])
    fields, defaults = _fields()
    if int(s["core"]["mission"]) != st.CAMPAIGN:
        defaults["mission"] = int(s["core"]["mission"])
    wrong: list[str] = []
    read(s, data, fields, defaults, "", wrong, SECTIONS)
    _read_models(s, data, wrong)
    _read_cards(s, data, wrong)
    if not wrong:
        count_zones(s)
        wrong = problems(states, 0)
    if wrong:
        raise StateError("this is not a possible position: " + "; ".join(wrong))
    return states
