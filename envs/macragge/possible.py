"""What each mission allows: phases, models, pieces, numbers; and a record as `validate` reads it."""

from __future__ import annotations

from typing import Any

import numpy as np

from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st

MOVE_PHASES = (st.MOVE_SELECT, st.MOVE_PLAN, st.RETREAT, st.MOVE_EDIT, st.MOVE_CELL)
PLAN_PHASES = (st.MOVE_EDIT, st.MOVE_CELL)
UNIT_PHASES = (
    st.MOVE_PLAN,
    st.RETREAT,
    st.MOVE_EDIT,
    st.MOVE_CELL,
    st.SHOOT_TARGET,
    st.ASSAULT_TARGET,
    st.ASSAULT_CELL,
)

_MOVING = {st.MOVE_SELECT, st.MOVE_PLAN, st.MOVE_EDIT, st.MOVE_CELL, st.OVER}
_SHOOTING = {st.SHOOT_SELECT, st.SHOOT_TARGET}
_CHARGING = {st.ASSAULT_SELECT, st.ASSAULT_TARGET, st.ASSAULT_CELL}
PHASES_OF_MISSION = {
    st.CRASH_SITE: {st.MINE_DIR, st.MOVE_SELECT, st.MOVE_PLAN, st.SHOOT_SELECT, st.SPAWN, st.OVER},
    st.RESCUE_VARRAS: _MOVING | {st.MINE_DIR, st.FLAME, st.CASUALTY, st.SPAWN},
    st.FUSION_CORE: _MOVING | _SHOOTING | _CHARGING | {st.FLAME, st.SPAWN},
    st.XENO_TIDE: _MOVING
    | _SHOOTING
    | _CHARGING
    | {st.CORE_CARRIER, st.RETREAT, st.FLAME, st.STRIKE, st.CASUALTY, st.SPAWN},
    st.REINFORCEMENTS: _MOVING | _SHOOTING | _CHARGING | {st.MISSILE_TYPE, st.AIM, st.STRIKE, st.CASUALTY},
    st.PURGE_THE_XENOS: set(range(st.OVER + 1)) - {st.RETREAT},
}

# Whose decision a phase is; those not named here are the active player's, STRIKE is either's.
SEAT_OF_PHASE = {
    st.CORE_CARRIER: st.ULTRAMARINES,
    st.MINE_DIR: st.TYRANIDS,
    st.RETREAT: st.ULTRAMARINES,
    st.FLAME: st.ULTRAMARINES,
    st.MISSILE_TYPE: st.ULTRAMARINES,
    st.AIM: st.ULTRAMARINES,
    st.CASUALTY: st.ULTRAMARINES,
    st.ACID_DIR: st.TYRANIDS,
    st.SPAWN: st.TYRANIDS,
    st.BEACON: st.ULTRAMARINES,
}
INTERRUPTS = (st.CASUALTY, st.STRIKE, st.ACID_DIR)
SUSPENDING = (*INTERRUPTS, st.FLAME, st.MISSILE_TYPE, st.AIM, st.OVER)
"""Decisions that may be asked for while a sequence is suspended."""

ROSTERS = {
    st.CRASH_SITE: {0, *range(27, 35)},
    st.RESCUE_VARRAS: {*range(6), *range(27, 35)},
    st.FUSION_CORE: {*range(6), *range(11, 17)},
    st.XENO_TIDE: {*range(6), *range(11, 17)},
    st.REINFORCEMENTS: {*range(6, 11), *range(17, 27)},
    st.PURGE_THE_XENOS: set(range(35)),
}
"""The slots that take part in each mission (MAC-M1.1 to M6.1)."""

CORE_MISSIONS, NODE_MISSIONS = (
    set(range(st.CRASH_SITE, st.XENO_TIDE + 1)),
    {st.REINFORCEMENTS, st.PURGE_THE_XENOS},
)
MISSIONS_OF_PIECE: dict[int, set[int]] = {
    **{piece: CORE_MISSIONS | (NODE_MISSIONS if piece < 3 else set()) for piece in range(5)},
    **{piece: {st.CRASH_SITE, st.RESCUE_VARRAS, st.PURGE_THE_XENOS} for piece in range(5, 8)},
    st.PIECE_NODE: NODE_MISSIONS,
    **{piece: {st.FUSION_CORE} for piece in range(9, 13)},
    st.PIECE_BEACON: {st.PURGE_THE_XENOS},
}

PLAIN_MISSIONS = (st.CRASH_SITE, st.RESCUE_VARRAS)
"""Missions of mines and markers only, without assaults."""

NUMBERS = (
    ("unit", -1, st.STORED_GROUPS - 1),
    ("model", -1, st.MODELS - 1),
    ("target", -1, st.GROUPS - 1),
    ("shooter", -1, st.MODELS - 1),
    ("squad", -1, st.GROUP_ATREUS),
    ("allowance", 0, 12),
    ("die", 0, 6),
    ("cursor", 0, 67),  # above 64 it counts markers
    ("wounds", 0, st.MAX_UNIT),
    ("kills", 0, 12),
    ("core_timer", 0, 2),
    ("mover_index", 0, st.MAX_UNIT),
)
PLAIN_NUMBERS = (
    ("allowance", 0, 6),
    ("cursor", 0, st.MODELS),
    ("wounds", 0, 5),
    ("kills", 0, 0),
    ("target", -1, -1),
)
"""What the numbers of a position may be, by column: lowest and highest; and tighter ones of the plain missions."""

MODEL_NUMBERS = (
    ("kind", 0, st.KIND_MINE),
    ("marks", 0, 255),
    ("mine_type", 0, len(names.MINE_TYPES) - 1),
    ("aim", -1, st.GROUPS - 1),
    ("attacks", 0, 4),
)

_FIGHTS = {st.FRAME_DETONATIONS, st.FRAME_CASUALTIES, st.FRAME_VOLLEY, st.FRAME_FIGHT}
FRAMES_OF_MISSION = {
    st.CRASH_SITE: {st.FRAME_DETONATIONS},
    st.RESCUE_VARRAS: {st.FRAME_DETONATIONS, st.FRAME_CASUALTIES},
    **dict.fromkeys(range(st.FUSION_CORE, st.PURGE_THE_XENOS), _FIGHTS),
    st.PURGE_THE_XENOS: _FIGHTS | {st.FRAME_ACID},
}
"""The suspended sequences that the rules of each mission know."""

FRAME_NUMBERS = {
    st.FRAME_DETONATIONS: ((0, 0), (0, 0), (0, 0)),
    st.FRAME_CASUALTIES: ((st.GROUP_OCTAVIAN, st.GROUP_ATREUS), (0, st.MAX_UNIT), (0, 0)),
    st.FRAME_VOLLEY: ((0, st.UNITS - 1), (0, st.GROUPS - 1), (0, st.MAX_UNIT)),
    st.FRAME_FIGHT: ((1, 4), (0, st.MODELS), (0, 0)),
    st.FRAME_ACID: ((1, 95), (1, 95), (0, 0)),
}
"""Lowest and highest numbers a, b, c of a suspended sequence, by kind."""

KIND_OF_PIECE = (
    [st.PIECE_WRECK] * 5
    + [st.PIECE_MARKER] * 3
    + [st.PIECE_HIVE_NODE]
    + [st.PIECE_PROJECTOR] * 4
    + [st.PIECE_LOCATOR_BEACON]
)


def kind_of_group(group: int) -> int:
    """Return the kind of a stored group 0..27."""
    if group <= st.GROUP_ATREUS:
        return st.GROUP_ULTRAMARINES
    if group <= st.LAST_GENESTEALER_UNIT or group == st.GROUP_GENESTEALER_NEST:
        return st.GROUP_GENESTEALERS
    if group <= st.GROUP_TERMAGANT_NEST:
        return st.GROUP_TERMAGANTS
    return st.GROUP_MINE if group < st.FIRST_MARKER_GROUP else st.GROUP_MARKER


def groups_of_slot(slot: int, mission: int) -> tuple[int, ...]:
    """Return the groups that a model may belong to in a mission (ledger, slots and groups)."""
    if slot == st.VARRAS:
        alone = mission in (st.CRASH_SITE, st.RESCUE_VARRAS)
        return (st.GROUP_VARRAS,) if alone else (st.GROUP_OCTAVIAN,)
    if slot < st.MISSILE:
        return (st.GROUP_OCTAVIAN,)
    if slot < st.FIRST_GENESTEALER:
        return (st.GROUP_ATREUS,)
    if slot <= st.LAST_GENESTEALER:
        return (*range(st.FIRST_GENESTEALER_UNIT, st.LAST_GENESTEALER_UNIT + 1), st.GROUP_GENESTEALER_NEST)
    if slot <= st.LAST_TERMAGANT:
        return (*range(st.FIRST_TERMAGANT_UNIT, st.LAST_TERMAGANT_UNIT + 1), st.GROUP_TERMAGANT_NEST)
    return (st.FIRST_MINE_GROUP + slot - st.FIRST_MINE,)


def default_group(slot: int, mission: int) -> int:
    """Return the group of a model where a dictionary names none: its only one, or -1 if it must be named."""
    groups = groups_of_slot(slot, mission)
    return groups[0] if len(groups) == 1 else -1


def _columns(dtype: np.dtype[Any]) -> dict[str, int]:
    return {name: k for k, name in enumerate(dtype.names or ())}


MODEL_COLUMNS, GROUP_COLUMNS, PIECE_COLUMNS = _columns(st.MODEL), _columns(st.GROUP), _columns(st.PIECE)


class Position:
    """One record, read with plain integers.

    Args:
        record: An element of an array of state records.
    """

    def __init__(self, record: Any) -> None:
        self.record = record
        # Tuples are read many times faster than fields of a record.
        self._rows = {name: record[name].tolist() for name in ("models", "groups", "pieces")}
        self.mission = int(record["core"]["mission"])
        self.phase = int(record["phase"])
        self.active = int(record["active"])
        self.seat = int(record["core"]["seat"])
        self.on_table = [k for k in range(st.MODELS) if self.model(k, "status") == st.STATUS_TABLE]
        self.pieces = [k for k in range(st.PIECES) if self.piece(k, "kind") != st.PIECE_NONE]

    def model(self, slot: int, column: str) -> int:
        """Return a number of a model, by the name of its column."""
        return int(self._rows["models"][slot][MODEL_COLUMNS[column]])

    def piece(self, index: int, column: str) -> int:
        """Return a number of a piece."""
        return int(self._rows["pieces"][index][PIECE_COLUMNS[column]])

    def group(self, index: int, column: str) -> int:
        """Return a number of a group."""
        return int(self._rows["groups"][index][GROUP_COLUMNS[column]])

    def value(self, column: str) -> int:
        """Return a number of the record itself."""
        return int(self.record[column])

    def unit_models(self, group: int) -> list[int]:
        """Return the models of a unit that are on the table, by slot."""
        return [slot for slot in self.on_table if self.model(slot, "group") == group]


def named(words: tuple[str, ...], index: int) -> str:
    """Return the name with an index, or what stands for one that does not exist."""
    return words[index] if 0 <= index < len(words) else f"number {index}"


def phase_named(phase: int) -> str:
    """Return the name of a phase, or what stands for one that does not exist."""
    return st.PHASE_NAMES[phase] if 0 <= phase < len(st.PHASE_NAMES) else f"number {phase}"
