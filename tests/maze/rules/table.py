"""A table for the rule tests: tiles, models and the Horror are put down, then actions are played with planned dice.

As the ledger's edge cases have it: turn 5, the pile shuffled, the Horror off the board with 16 wounds, only the named
explorers alive, and item rolls on the tiles made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.dictionary import kinds_of
from broodmind.envs.maze.tables import tables

T = tables()[0]
N, E, S, W = range(4)
SIDES = {"N": "north", "E": "east", "S": "south", "W": "west"}
LEADER, EXPERT, DEMOLITION, MEDIC, MARINE, TERMINATOR = range(6)
BEACON_ROOM, NEST, MASSACRE, CORRIDOR, DEAD_END, BEND, LARGE, PIT = 101, 102, 103, 106, 108, 110, 112, 113
"""Planned draws."""
NO_EVENT = (6, 6, 6, 6)
"""Ceramite Door, which does nothing in a deck without doors."""
MISSIONS = {"beacon": 1, "full-hulk": 2, "short": 3}


def sides(letters: str) -> list[str]:
    """Return sides by their letters."""
    return [SIDES[letter] for letter in letters]


class Table:
    """A position being put together."""

    def __init__(self, deck: str = "beacon", turn: int = 5) -> None:
        self.deck = deck
        self.turn = turn
        self.kinds = kinds_of(MISSIONS[deck])
        self.tiles: dict[int, dict[str, Any]] = {}
        self.models: dict[int, dict[str, Any]] = {}
        self.fields: dict[str, Any] = {"shuffled": True}

    def tile(self, kind: str, x: int, y: int, corridors: str, floor: int = 0, **fields: Any) -> int:
        """Put a tile down; return its id, the lowest of its kind."""
        number = st.KIND_IDS.index(kind)
        a = next(k for k, one in enumerate(self.kinds) if one == number and k not in self.tiles)
        marks = list(fields.pop("tile_marks", []))
        if T["found"][number] >= 0 and not fields.pop("unsearched", False):
            marks.append("searched")
        doors: dict[str, Any] = {
            key: sides(fields.pop(key)) for key in ("door", "ceramite", "mine", "armed") if key in fields
        }
        self.tiles[a] = {
            "state": "board",
            "x": x,
            "y": y,
            "floor": floor,
            "open": sides(corridors),
            "tile_marks": marks,
            **doors,
            **fields,
        }
        return a

    def corridor(self, x: int, y: int, corridors: str = "NS", **fields: Any) -> int:
        """Put a Corridor down."""
        return self.tile("corridor", x, y, corridors, **fields)

    def line(self, n: int, first: int = 0, x: int = 0) -> list[int]:
        """Put down a line of Corridors that leads north."""
        return [self.corridor(x, y) for y in range(first, first + n)]

    def put(self, m: int, a: int, **fields: Any) -> None:
        """Put an explorer on a tile."""
        self.models[m] = {"status": "board", "at": a, "acts": 2, "start": a, **fields}

    def everybody(self, a: int, models: Iterable[int] = range(6)) -> None:
        """Put explorers on a tile."""
        for m in models:
            self.put(m, a)

    def keep_open(self, m: int) -> None:
        """Put a model far away, so that the phase does not end when the others have acted."""
        a = self.corridor(40, 40)
        self.tile("dead_end", 40, 41, "S")
        self.tile("dead_end", 40, 39, "N")
        self.put(m, a)

    def horror(self, a: int | None = None, wounds: int = 16, state: str | None = None) -> None:
        """Put the Horror on a tile, or off the board."""
        self.fields |= {"h_wounds": wounds, "h_state": state or ("shadows" if a is None else "board")}
        self.fields["h_tile"] = -1 if a is None else a

    def env(
        self, dice: Sequence[int] = (), *, strict: bool = True, skip_forced: bool = False, **fields: Any
    ) -> BoardEnv:
        """Return the position as an environment, with planned dice."""
        models: dict[str, Mapping[str, Any]] = {}
        for m, name in enumerate(st.MODEL_IDS):
            dead = {
                "status": "dead",
                "at": -1,
                "wounds": 0,
                "acts": 0,
                "weapon": ["none", "none"],
                "shots": [0, 0],
                "ammo": {},
                "tools": {},
            }
            models[name] = self.models.get(m, dead)
        floors = max((tile["floor"] for tile in self.tiles.values()), default=0)
        everything = {"phase": "IMP_SELECT", "step": "actions", "floors": floors, **self.fields, **fields}
        horror = everything["phase"] in ("H_ACT", "H_ASSAULT")
        data = {
            "core": {
                "environment": f"maze/{self.deck}-v0",
                "turn": everything.pop("turn", self.turn),
                "skip_forced": skip_forced,
                "to_act": "horror_0" if horror else "imperials_0",
                "generator": {"key": 1, "stream": 2, "counter": 3},
            },
            "tiles": {str(a): tile for a, tile in self.tiles.items()},
            "models": models,
            **everything,
        }
        env = broodmind.make(f"maze/{self.deck}-v0", skip_forced=skip_forced)
        env.reset(options={"state": data, "dice": list(dice), "strict": strict})
        return env

    def horror_acts(self, dice: Sequence[int] = (), **fields: Any) -> BoardEnv:
        """Return the position at the Horror's action."""
        return self.env(dice, phase="H_ACT", step="horror", **fields)

    def assault(self, dice: Sequence[int] = (), **fields: Any) -> BoardEnv:
        """Return the position at the Horror's charge."""
        return self.env(dice, phase="H_ASSAULT", step="assault", **fields)


def play(env: BoardEnv, *actions: int) -> Any:
    """Take actions; return the record after them."""
    for action in actions:
        env.step(action)
    return env.states[0]


def acts(env: BoardEnv, m: int, *actions: int) -> Any:
    """Select a model and let it act; return the record after it."""
    return play(env, act.SELECT + m, *actions)


def spent(env: BoardEnv) -> bool:
    """Say whether the planned dice were used up."""
    return env.pending_dice == []


def may(env: BoardEnv, action: int) -> bool:
    """Say whether an action is legal."""
    return action in env.legal_actions()


def at(env: BoardEnv, x: int, y: int, floor: int = 0) -> int:
    """Return the tile in a cell, or -1."""
    s = env.states[0]
    for a in range(st.TILES):
        if s["state"][a] == st.ON_BOARD and (s["x"][a], s["y"][a], s["floor"][a]) == (x, y, floor):
            return a
    return -1


def kind_at(env: BoardEnv, x: int, y: int, floor: int = 0) -> str:
    """Return the kind of the tile in a cell, or nothing."""
    a = at(env, x, y, floor)
    return st.KIND_IDS[int(env.states[0]["kind"][a])] if a >= 0 else ""


def open_at(env: BoardEnv, x: int, y: int) -> str:
    """Return the open sides of the tile in a cell, as letters."""
    bits = int(env.states[0]["open"][at(env, x, y)])
    return "".join("NESW"[d] for d in range(4) if bits >> d & 1)


def fire(slot: int, n: int) -> int:
    """Return the FIRE of so many shots."""
    return act.FIRE + slot * st.MOST_SHOTS + n - 1


def overwatch(slot: int, n: int) -> int:
    """Return the OVERWATCH of so many shots."""
    return act.OVERWATCH + slot * st.MOST_SHOTS + n - 1


def charge(d1: int, d2: int = st.NO_DIRECTION) -> int:
    """Return the H_ASSAULT along a path."""
    return act.H_ASSAULT + d1 * 5 + d2


def hold_fire(env: BoardEnv) -> Any:
    """Answer every question about Overwatch with no."""
    while env.phase_name() == "OVERWATCH":
        env.step(act.NO)
    return env.states[0]
