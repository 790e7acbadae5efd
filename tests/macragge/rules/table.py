"""A small language for rule tests: a position of mission 1 or 2, actions by name, planned dice that must be used up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import broodmind
from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIONS, CROSS, DEST, DIR, MODEL, PASS, SELECT, TARGET
from broodmind.envs.macragge.layout import OBSERVATION
from broodmind.envs.macragge.names import DEST_OFFSETS

__all__ = ["CROSS", "PASS", "Table", "dest", "direction", "model", "position", "select", "target"]

Cell = tuple[int, int]

IDS = {1: "macragge/crash-site-v0", 2: "macragge/rescue-varras-v0"}
UNIT_V, SQUAD = st.GROUP_VARRAS, st.GROUP_OCTAVIAN


def select(group: int) -> int:
    """Return the action that picks a unit."""
    return SELECT + group


def target(group: int) -> int:
    """Return the action that aims at a group: mine slot s is group s - 10, marker k is 25 + k."""
    return TARGET + group


def mine(slot: int) -> int:
    """Return the action that aims at a mine by its slot."""
    return TARGET + st.FIRST_MINE_GROUP + slot - st.FIRST_MINE


def marker(k: int) -> int:
    """Return the action that names marker k."""
    return TARGET + st.FIRST_MARKER_GROUP + k


def model(slot: int) -> int:
    """Return the action that names a model."""
    return MODEL + slot


def dest(dx: int, dy: int) -> int:
    """Return the action of an offset."""
    return DEST + DEST_OFFSETS.index((dx, dy))


def direction(i: int) -> int:
    """Return the action of a direction."""
    return DIR + i


@cache
def _template(mission: int) -> Any:
    env = broodmind.make(IDS[mission], layout="standard")
    env.reset(seed=1)
    return env


@cache
def _standard(mission: int) -> dict[str, Any]:
    return dict(_template(mission).to_dict())


def position(
    mission: int = 1,
    *,
    varras: Cell | None = None,
    squad: Mapping[int, Cell] | None = None,
    mines: Mapping[int, Cell] | None = None,
    markers: Mapping[int, Cell] | None = None,
    wrecks: Mapping[int, Cell] | None = None,
    dead: Collection[int] = (),
    turn: str = "ultramarines",
    round_: int = 1,
    dice: Sequence[int] = (),
    **core: Any,
) -> Table:
    """Return the standard position of a mission with changes, at the first decision of the Ultramarines' turn.

    Args:
        mission: 1 or 2.
        varras: Where he stands.
        squad: Where Space Marines stand, by slot (those left out stay where the layout put them).
        mines: The mines on the table, by slot, in place of the standard ones; ``{}`` for none.
        markers: The markers on the table, by number 0..2, in place of the standard ones.
        wrecks: The wrecks on the table, by number 0..4, in place of the standard ones.
        dead: Slots of Ultramarines who are dead.
        turn: ``"tyranids"``: the Ultramarines pass their whole turn first.
        round_: The round, from 1.
        dice: What the Tyranid turn rolls before its first decision (with ``turn="tyranids"``).
        **core: Fields of the head of the state, such as ``max_turns``.
    """
    data = {**_standard(mission)}
    models = {name: dict(entry) for name, entry in data["models"].items()}
    pieces = {name: dict(entry) for name, entry in data["pieces"].items()}
    if mines is not None:
        for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
            models.pop(names.MODELS[slot], None)
    given = {**({0: varras} if varras else {}), **(squad or {}), **(mines or {})}
    for slot, cell in given.items():
        models[names.MODELS[slot]] = {"at": list(cell)}
    for slot in dead:
        models[names.MODELS[slot]] = {"status": "dead"}
    for cells, first, kind in ((wrecks, st.FIRST_WRECK, "wreck"), (markers, st.FIRST_MARKER, "marker")):
        if cells is not None:
            example = {**next(entry for name, entry in pieces.items() if name.startswith(kind)), "marks": []}
            pieces = {name: entry for name, entry in pieces.items() if not name.startswith(kind)}
            for k, cell in cells.items():
                pieces[names.PIECES[first + k]] = {**example, "at": list(cell)}
    data.update(models=models, pieces=pieces, core={**data["core"], "turn": round_, **core})
    data.pop("groups", None)
    env = _template(mission).clone()
    env.reset(options={"state": data, "dice": [], "strict": True})
    table = Table(env)
    if turn == "tyranids":
        table.pass_turn(dice)
    return table


class Table:
    """A game in hand, dice strict: every planned roll must be used by the steps it was planned for."""

    def __init__(self, env: Any) -> None:
        self.env = env

    # -- acting -------------------------------------------------------------------------------------------

    def do(self, *actions: int, dice: Sequence[int] = ()) -> Table:
        """Take actions one after another; the dice must be exactly those that they roll."""
        self.env.feed_dice(list(dice))
        for action in actions:
            self.env.step(action)
        assert self.env.pending_dice == [], f"planned, but not rolled: {self.env.pending_dice}"
        return self

    def pass_turn(self, dice: Sequence[int] = ()) -> Table:
        """Decline every decision of the Ultramarines' turn; the dice are those of the Tyranid turn up to its first."""
        self.env.feed_dice(list(dice))
        seat = self.record["active"]
        turn = self.turn
        while not self.over and (self.record["active"], self.turn) == (seat, turn):
            self.env.step(PASS)
        assert self.env.pending_dice == [], f"planned, but not rolled: {self.env.pending_dice}"
        return self

    # -- looking ------------------------------------------------------------------------------------------

    @property
    def record(self) -> Any:
        """The state record."""
        return self.env.states[0]

    @property
    def phase(self) -> str:
        """The decision at hand, as the ledger spells it."""
        return str(self.env.phase_name())

    @property
    def seat(self) -> str:
        """Who decides: ``"ultramarines"`` or ``"tyranids"``."""
        return str(self.env.agent_selection).removesuffix("_0")

    @property
    def active(self) -> str:
        """Whose turn it is."""
        return ("ultramarines", "tyranids")[int(self.record["active"])]

    @property
    def turn(self) -> int:
        """The round."""
        return int(self.record["core"]["turn"])

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return bool(self.record["core"]["over"])

    @property
    def truncated(self) -> bool:
        """Whether the turn limit ended it."""
        return bool(self.record["core"]["truncated"])

    @property
    def winner(self) -> str:
        """Who has won: a seat, ``"nobody"`` for a draw, ``""`` while the game goes on."""
        if not self.over:
            return ""
        result = int(self.record["core"]["result"])
        assert self.env.rewards == {"ultramarines_0": result / 2, "tyranids_0": -result / 2}
        return {2: "ultramarines", -2: "tyranids", 0: "nobody"}[result]

    def offered(self, verb: str) -> set[Any]:
        """Return the legal arguments of a verb: numbers, or offsets for DEST."""
        found = set()
        for action in self.env.legal_actions():
            kind, argument = ACTIONS.decode(action)
            if kind.name == verb:
                found.add(DEST_OFFSETS[argument] if verb == "DEST" else argument)
        return found

    def verbs(self) -> set[str]:
        """Return the verbs that are offered."""
        return {ACTIONS.decode(action)[0].name for action in self.env.legal_actions()}

    def block(self, name: str, agent: str) -> NDArray[np.float32]:
        """Return a block of what an agent sees, shape (rows, width)."""
        block, at = OBSERVATION[name], OBSERVATION.offsets[name]
        vector: NDArray[np.float32] = self.env.observe(agent)["observation"]
        return vector[at : at + block.rows * block.width].reshape(block.rows, block.width)

    def at(self, slot: int) -> Cell | None:
        """Return where a model stands, or None if it is not on the table."""
        m = self.record["models"][slot]
        return (int(m["x"]), int(m["y"])) if m["status"] == st.STATUS_TABLE else None

    def planned(self, slot: int) -> Cell:
        """Return where the plan at hand puts a model."""
        m = self.record["models"][slot]
        return int(m["plan_x"]), int(m["plan_y"])

    def dead(self) -> set[int]:
        """Return the slots of the dead Ultramarines."""
        return {int(slot) for slot in np.flatnonzero(self.record["models"]["status"] == st.STATUS_DEAD)}

    def mines(self) -> dict[int, Cell]:
        """Return the mines on the table by slot."""
        cells = {slot: self.at(slot) for slot in range(st.FIRST_MINE, st.LAST_MINE + 1)}
        return {slot: cell for slot, cell in cells.items() if cell}

    def markers(self) -> dict[int, Cell]:
        """Return the markers on the table by number."""
        pieces = self.record["pieces"]
        present = [k for k in range(3) if pieces[st.FIRST_MARKER + k]["kind"] == st.PIECE_MARKER]
        return {k: (int(pieces[5 + k]["x"]), int(pieces[5 + k]["y"])) for k in present}

    def displaced(self, group: int) -> bool:
        """Say whether the ledger's `moved` holds for a unit: some model ended elsewhere."""
        return bool(self.record["groups"][group]["marks"] & st.GROUP_DISPLACED)

    def rolls(self) -> list[int]:
        """Return what was rolled in the last step."""
        return [event.data["value"] for event in self.env.events() if event.kind == "rolled"]

    def event_kinds(self) -> list[str]:
        """Return the kinds of the events of the last step."""
        return [event.kind for event in self.env.events()]


def far_mines(slots: Iterable[int], y: int = 3) -> dict[int, Cell]:
    """Return mines in a row far from everything in the standard positions."""
    return {slot: (20 + 4 * k, y) for k, slot in enumerate(slots)}


def in_hand(table: Table) -> dict[int, set[Cell]]:
    """Return the cells of each model in hand, as the record keeps them."""
    count = int(table.record["mover_count"])
    found = {}
    for k in range(count):
        words = np.asarray(table.record["cells"][k]).view(np.uint64)
        bits = [int(words[c >> 6]) >> (c & 63) & 1 for c in range(441)]
        found[int(table.record["movers"][k])] = {o for o, bit in zip(DEST_OFFSETS, bits, strict=True) if bit}
    return found
