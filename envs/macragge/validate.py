"""What makes a record a possible position: every breach as one sentence, with piece and ledger clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.record import MOST_TURNS
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

_A, _B = set(range(st.CRASH_SITE, st.XENO_TIDE + 1)), {st.REINFORCEMENTS, st.PURGE_THE_XENOS}
MISSIONS_OF_PIECE: dict[int, set[int]] = {
    **{piece: _A | (_B if piece < 3 else set()) for piece in range(5)},
    **{piece: {st.CRASH_SITE, st.RESCUE_VARRAS, st.PURGE_THE_XENOS} for piece in range(5, 8)},
    st.PIECE_NODE: _B,
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


class _Position:
    """One record, read with plain integers, and the sentences collected about it."""

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
        return int(self._rows["models"][slot][MODEL_COLUMNS[column]])

    def piece(self, index: int, column: str) -> int:
        return int(self._rows["pieces"][index][PIECE_COLUMNS[column]])

    def group(self, index: int, column: str) -> int:
        return int(self._rows["groups"][index][GROUP_COLUMNS[column]])

    def value(self, column: str) -> int:
        return int(self.record[column])

    def unit_models(self, group: int) -> list[int]:
        return [slot for slot in self.on_table if self.model(slot, "group") == group]


def _name(words: tuple[str, ...], index: int) -> str:
    return words[index] if 0 <= index < len(words) else f"number {index}"


def _core(p: _Position) -> Iterator[str]:
    core = p.record["core"]
    if p.mission not in ROSTERS:
        yield f"core.mission is {p.mission}; there are missions 1..6"
    for column, high in (
        ("layout", 1),
        ("skip_forced", 1),
        ("seat", 1),
        ("over", 1),
        ("truncated", 1),
        ("strict", 1),
        ("unplanned", 0),
        ("max_turns", MOST_TURNS),
    ):
        if not 0 <= int(core[column]) <= high:
            yield f"core.{column} is {int(core[column])}; expected 0..{high}"
    head, length = int(core["queue_head"]), int(core["queue_length"])
    if not 0 <= head <= length <= QUEUE_SIZE:
        yield f"the dice queue is read from {head} to {length}; expected 0 <= head <= length <= {QUEUE_SIZE}"
    else:
        wrong = [int(value) for value in core["queue"][head:length] if not 0 <= int(value) <= 15]
        if wrong:
            yield f"the dice queue holds {wrong[0]}; a D6 is 1..6 and a direction 0..15 (MAC-B17)"
    turn, limit, over = int(core["turn"]), int(core["max_turns"]), int(core["over"])
    if not 1 <= turn <= MOST_TURNS or (limit > 0 and turn > limit and not over):
        yield f"core.turn is {turn}; turns count from 1 to max_turns, {limit or MOST_TURNS} (MAC-B12)"
    if (over == 1) != (p.phase == st.OVER):
        yield f"core.over is {over}, but the phase is {_phase(p.phase)}: a game is over in phase OVER only"
    result = int(core["result"])
    allowed = (-2, -1, 0, 1, 2) if p.mission == st.PURGE_THE_XENOS else (-2, 0, 2)
    if result not in allowed or (result and not over):
        yield f"core.result is {result}; expected 0 before the end, and one of {allowed} after it"
    if int(core["truncated"]) and (not over or result):
        yield "core.truncated is set, but the game is not over or has a winner (MAC-M1.8)"


def _phase(phase: int) -> str:
    return st.PHASE_NAMES[phase] if 0 <= phase < len(st.PHASE_NAMES) else f"number {phase}"


def _models(p: _Position) -> Iterator[str]:
    roster = ROSTERS.get(p.mission, set())
    for slot in range(st.MODELS):
        name, status = names.MODELS[slot], p.model(slot, "status")
        if slot in roster and p.model(slot, "kind") != st.KIND_OF_SLOT[slot]:
            yield f"{name} has kind {p.model(slot, 'kind')}; its slot is of kind {st.KIND_OF_SLOT[slot]}"
        if not st.STATUS_OUT <= status <= st.STATUS_CARRIED:
            yield f"{name} has status {status}; expected 0..4"
        elif slot not in roster and status != st.STATUS_OUT:
            yield f"{name} takes no part in {_name(names.MISSIONS, p.mission - 1)} (MAC-M{p.mission}.1)"
        elif slot >= st.FIRST_GENESTEALER and status > st.STATUS_TABLE:
            yield f"{name} is a Tyranid model: on the table or out of play, never dead, escaped or carried"
        elif status == st.STATUS_CARRIED and (slot != st.VARRAS or p.mission not in (4, 6)):
            yield f"{name} is carried; only Varras can be, in missions 4 and 6 (MAC-B54)"
        elif status == st.STATUS_ESCAPED and p.mission not in (4, 6):
            yield f"{name} has escaped; that happens in missions 4 and 6 only (MAC-M4.2)"
        for column, low, high in MODEL_NUMBERS:
            if not low <= p.model(slot, column) <= high:
                yield f"{name} has {column} {p.model(slot, column)}; expected {low}..{high}"
        if status != st.STATUS_TABLE and p.model(slot, "group") not in (-1, *groups_of_slot(slot, p.mission)):
            yield f"{name} belongs to {_name(names.GROUPS, p.model(slot, 'group'))}, which is not its unit"
        yield from _places(p, slot)
    for slot in p.on_table:
        name, x, y = names.MODELS[slot], p.model(slot, "x"), p.model(slot, "y")
        if not (1 <= x <= 95 and 1 <= y <= 95):
            yield f"{name} at ({x}, {y}) is not wholly on the table: centres lie in 1..95 (MAC-B1)"
        group, allowed = p.model(slot, "group"), groups_of_slot(slot, p.mission)
        if group not in allowed:
            expected = " or ".join(names.GROUPS[g] for g in allowed)
            yield f"{name} belongs to {_name(names.GROUPS, group)}; expected {expected}"
        if slot >= st.FIRST_MINE and p.mission <= st.RESCUE_VARRAS and p.model(slot, "mine_type"):
            yield f"{name} is not explosive: all mines are in missions 1 and 2"
        if slot >= st.FIRST_MINE and p.mission == st.PURGE_THE_XENOS:
            expected_type = st.MINE_TYPE_OF_SLOT[slot - st.FIRST_MINE]
            if p.model(slot, "mine_type") != expected_type:
                yield f"{name} should be of type {names.MINE_TYPES[expected_type]}: there are 3, 3 and 2"


def _places(p: _Position, slot: int) -> Iterator[str]:
    """Check where the move of a model began and where a plan puts it."""
    at = p.model(slot, "x"), p.model(slot, "y")
    if slot not in p.on_table and any(at):
        yield f"{names.MODELS[slot]} is not on the table, but at {at}; expected (0, 0)"
    for word in ("start", "plan"):
        cell = p.model(slot, word + "_x"), p.model(slot, word + "_y")
        stays = word == "start" and p.phase in MOVE_PHASES and p.model(slot, "group") == p.value("unit")
        most = 0 if slot not in p.on_table or stays else 24
        if max(abs(cell[0] - at[0]), abs(cell[1] - at[1])) > most:
            yield f"{names.MODELS[slot]} is at {at}, but its {word} at {cell}; expected within {most} steps"


def _overlaps(p: _Position) -> Iterator[str]:
    for k, slot in enumerate(p.on_table):
        x, y = p.model(slot, "x"), p.model(slot, "y")
        for other in p.on_table[k + 1 :]:
            d2 = (x - p.model(other, "x")) ** 2 + (y - p.model(other, "y")) ** 2
            if d2 < 4:
                yield f"{names.MODELS[slot]} and {names.MODELS[other]} overlap (d2 {d2} < 4, MAC-B3)"
            elif d2 <= 6 and slot < st.FIRST_GENESTEALER and other >= st.FIRST_MINE:
                # A mine that touched an Ultramarine waits for its turn to go off, and for nothing else.
                if p.model(other, "marks") & st.FLAG_QUEUED:
                    continue
                pair = f"{names.MODELS[other]} touches {names.MODELS[slot]}"
                yield f"{pair} (d2 {d2} <= 6): it would have detonated (MAC-B51)"
        for piece in p.pieces:
            kind = p.piece(piece, "kind")
            # Mines float over wrecks; others stand on them by crossing, which mission 1 forbids (MAC-M1.4).
            if kind == st.PIECE_WRECK and (slot >= st.FIRST_MINE or p.mission != st.CRASH_SITE):
                continue
            d2 = (x - p.piece(piece, "x")) ** 2 + (y - p.piece(piece, "y")) ** 2
            reach = (1 + p.piece(piece, "r")) ** 2
            if d2 < reach:
                yield f"{names.MODELS[slot]} and {names.PIECES[piece]} overlap (d2 {d2} < {reach}, MAC-B3)"


def _pieces(p: _Position) -> Iterator[str]:
    for piece in range(st.PIECES):
        name, kind = names.PIECES[piece], p.piece(piece, "kind")
        if kind == st.PIECE_NONE:
            if any(p.record["pieces"][piece]):
                yield f"{name} is not there, so that all its numbers should be 0"
            continue
        if kind != KIND_OF_PIECE[piece]:
            yield f"{name} has kind {kind}; expected {KIND_OF_PIECE[piece]} or 0 for none"
            continue
        if p.mission not in MISSIONS_OF_PIECE[piece]:
            yield f"{name} does not belong to {_name(names.MISSIONS, p.mission - 1)} (MAC-M{p.mission}.1)"
        x, y, r = p.piece(piece, "x"), p.piece(piece, "y"), p.piece(piece, "r")
        large = p.mission in _B and piece == st.FIRST_WRECK
        size = 6 if large else 4 if kind in (st.PIECE_WRECK, st.PIECE_HIVE_NODE) else 1
        if r != size:
            yield f"{name} has radius {r}; expected {size} steps (MAC-B2)"
        if not (0 <= x <= 96 and 0 <= y <= 96):
            yield f"{name} at ({x}, {y}) is off the table, which is 0..96 (MAC-B1)"
        if not 0 <= p.piece(piece, "hp") <= 4 or not 0 <= p.piece(piece, "marks") <= 3:
            yield f"{name} has {p.piece(piece, 'hp')} hit points and marks {p.piece(piece, 'marks')}; at most 4 and 3"
        for other in range(piece):
            if p.piece(other, "kind") == st.PIECE_NONE:
                continue
            d2 = (x - p.piece(other, "x")) ** 2 + (y - p.piece(other, "y")) ** 2
            reach = (r + p.piece(other, "r")) ** 2
            if d2 < reach:
                yield f"{name} and {names.PIECES[other]} overlap (d2 {d2} < {reach}, MAC-B3)"
    west, south, east, north = (int(value) for value in p.record["exit_rect"])
    none = not (west or south or east or north)
    if not none and not (0 <= west < east <= 96 and 0 <= south < north <= 96):
        yield f"the exit zone {west, south, east, north} is no rectangle on the table (MAC-M1.2)"
    if none and p.mission == st.CRASH_SITE:
        yield "the exit zone is missing (MAC-M1.2)"


def _groups(p: _Position) -> Iterator[str]:
    for group in range(st.STORED_GROUPS):
        name, kind, size = names.GROUPS[group], p.group(group, "kind"), p.group(group, "living")
        expected = kind_of_group(group)
        if kind not in (st.GROUP_NONE, expected):
            yield f"{name} has kind {kind}; expected {expected} or 0 for none"
        for column, high in (("marks", 31), ("allowance", 12)):
            if not 0 <= p.group(group, column) <= high:
                yield f"{name} has {column} {p.group(group, column)}; expected 0..{high}"
        if expected == st.GROUP_MARKER:
            present = int(p.piece(st.FIRST_MARKER + group - st.FIRST_MARKER_GROUP, "kind") != st.PIECE_NONE)
            if size != present:
                yield f"{name} has {size} living, but {'is' if present else 'is not'} on the table"
            continue
        counted = len(p.unit_models(group))
        if size != counted:
            yield f"{name} has {size} living, but {counted} models of it are on the table"
        if counted and kind == st.GROUP_NONE:
            yield f"{name} has models on the table, but no kind"


def _decision(p: _Position) -> Iterator[str]:
    """Check that what is in hand fits the decision."""
    phase = p.phase
    if not st.CORE_CARRIER <= phase <= st.OVER:
        yield f"phase is {phase}; expected one of 0..{st.OVER}"
        return
    name = _phase(phase)
    if p.active not in (0, 1):
        yield f"active is {p.active}; expected 0 or 1"
    if not 0 <= p.value("step") < len(st.STEP_NAMES):
        yield f"step is {p.value('step')}; expected 0..{len(st.STEP_NAMES) - 1}"
    if phase == st.OVER:
        return
    if phase not in PHASES_OF_MISSION.get(p.mission, set()):
        yield f"{_name(names.MISSIONS, p.mission - 1)} has no decision {name}"
    if phase != st.STRIKE and p.seat != SEAT_OF_PHASE.get(phase, p.active):
        yield f"{name} is not a decision of seat {p.seat} now"
    if phase in SEAT_OF_PHASE and phase not in INTERRUPTS and p.active != SEAT_OF_PHASE[phase]:
        yield f"{name} does not come up in this player's turn"
    unit = p.value("unit")
    if phase in UNIT_PHASES:
        if not 0 <= unit < st.UNITS or not p.unit_models(unit):
            yield f"{name} needs a unit in hand with a model on the table; it is {_name(names.GROUPS, unit)}"
        elif (unit <= st.GROUP_ATREUS) != (p.active == st.ULTRAMARINES):
            yield f"{name}: {names.GROUPS[unit]} is not the active player's"
    model = p.value("model")
    if phase == st.MOVE_CELL and (model not in p.on_table or p.model(model, "group") != unit):
        yield f"{name} needs a model in hand of the unit in hand; it is {_name(names.MODELS, model)}"
    if phase == st.MINE_DIR and (model not in p.on_table or model < st.FIRST_MINE):
        yield f"{name} needs a mine in hand; it is {_name(names.MODELS, model)}"
    if (
        phase == st.SPAWN
        and p.mission in PLAIN_MISSIONS
        and set(range(st.FIRST_MINE, st.MODELS)) <= set(p.on_table)
    ):
        yield f"{name} needs a mine out of play; all are on the table (MAC-B53)"
    squad, wounds = p.value("squad"), p.value("wounds")
    if phase == st.CASUALTY:
        marines = [slot for slot in p.unit_models(squad) if slot != st.VARRAS]
        if squad not in (st.GROUP_OCTAVIAN, st.GROUP_ATREUS) or not marines:
            yield f"{name} needs a squad with a living Space Marine; it is {_name(names.GROUPS, squad)}"
        if wounds < 1:
            yield f"{name} needs wounds to allot; there are {wounds} (MAC-B35)"
        count = p.value("frame_count")
        top = p.record["frames"][count - 1] if 0 < count <= len(p.record["frames"]) else None
        asked = (st.FRAME_CASUALTIES, squad, wounds)
        if top is None or (int(top["op"]), int(top["a"]), int(top["b"])) != asked:
            yield f"{name} needs the frame casualties of this squad and these wounds on top of the stack"
    yield from _plan(p, unit)


def _plan(p: _Position, unit: int) -> Iterator[str]:
    count = p.value("mover_count")
    if not 0 <= count <= st.MAX_UNIT or (count and p.phase not in UNIT_PHASES):
        yield f"mover_count is {count}; expected 0..{st.MAX_UNIT}, and 0 without a unit in hand"
        return
    slots = [int(slot) for slot in p.record["movers"]]
    if any(not 0 <= slot < st.MODELS for slot in slots) or any(slots[count:]):
        yield f"movers are {slots}; expected {count} model slots and then zeros"
        return
    if p.phase not in (*PLAN_PHASES, st.MOVE_PLAN):
        return
    movers = [int(slot) for slot in p.record["movers"][:count]]
    if movers != p.unit_models(unit):
        listed = ", ".join(_name(names.MODELS, slot) for slot in movers)
        yield f"movers are {listed or 'none'}; expected the models of {_name(names.GROUPS, unit)} by slot"
        return
    if p.phase not in PLAN_PHASES:
        return
    for k, slot in enumerate(movers):
        x, y = p.model(slot, "plan_x"), p.model(slot, "plan_y")
        if not (1 <= x <= 95 and 1 <= y <= 95):
            yield f"the plan puts {names.MODELS[slot]} off the table, at ({x}, {y}) (MAC-B1)"
        for other in p.on_table:
            if other in movers[: k + 1]:
                continue
            column = "plan_" if other in movers else ""
            d2 = (x - p.model(other, column + "x")) ** 2 + (y - p.model(other, column + "y")) ** 2
            if d2 < 4:
                yield f"the plan puts {names.MODELS[slot]} onto {names.MODELS[other]} (d2 {d2} < 4, MAC-B25)"


def _objects(p: _Position) -> Iterator[str]:
    """Check the fusion core, the carriers, the field and the Thunderhawk."""
    if p.value("fusion_core") and p.mission not in (3, 4, 6):
        yield f"fusion_core is {p.value('fusion_core')}; there is none in this mission"
    for column in ("core_carrier", "varras_carrier"):
        slot = p.value(column)
        if not -1 <= slot < st.FIRST_GENESTEALER:
            yield f"{column} is {slot}; expected an Ultramarine's slot, or -1 for none"
    if (p.value("fusion_core") == st.CORE_CARRIED) != (p.value("core_carrier") >= 0) and p.mission == 6:
        yield "core_carrier must name a model exactly while the core is carried (MAC-B55)"
    carried = p.model(st.VARRAS, "status") == st.STATUS_CARRIED
    if carried != (p.value("varras_carrier") >= 0):
        yield "varras_carrier must name a model exactly while Varras is carried (MAC-B54)"
    for column, high, missions in (
        ("field", 1, (3,)),
        ("thunderhawk", 2, (6,)),
        ("crossing", 1, range(1, 7)),
    ):
        value = p.value(column)
        if not 0 <= value <= (high if p.mission in missions else 0):
            yield f"{column} is {value}; expected 0..{high if p.mission in missions else 0} in this mission"
    if p.value("crossing") and p.mission == st.CRASH_SITE:
        yield "crossing is 1; wrecks cannot be crossed in mission 1 (MAC-M1.4)"
    for column, low, high in NUMBERS + (PLAIN_NUMBERS if p.mission in PLAIN_MISSIONS else ()):
        if not low <= p.value(column) <= high:
            yield f"{column} is {p.value(column)}; expected {low}..{high}"
    east, north, present = (int(value) for value in p.record["rendezvous"])
    if not (0 <= east <= 96 and 0 <= north <= 96 and 0 <= present <= 1):
        yield f"the rendezvous {east, north, present} is not [x, y, 0 or 1] on the table"


def _sequences(p: _Position) -> Iterator[str]:
    """Check what is suspended while a decision is asked for: the frames, and the mines about to detonate."""
    frames = [tuple(int(number) for number in frame) for frame in p.record["frames"]]
    count = p.value("frame_count")
    if not 0 <= count <= len(frames):
        yield f"frame_count is {count}; expected 0..{len(frames)}"
        return
    if any(any(frame) for frame in frames[count:]):
        yield f"frame_count is {count}, but there are frames after these; they must be zero"
    if count and p.phase not in SUSPENDING:
        yield f"frames are suspended, but {_phase(p.phase)} interrupts nothing"
    known = FRAMES_OF_MISSION.get(p.mission, set())
    for k, (op, a, b, c) in enumerate(frames[:count]):
        if op not in known:
            yield f"frames[{k}] is of kind {op}; this mission knows {', '.join(map(str, sorted(known)))}"
        elif any(not low <= n <= high for n, (low, high) in zip((a, b, c), FRAME_NUMBERS[op], strict=True)):
            expected = ", ".join(f"{low}..{high}" for low, high in FRAME_NUMBERS[op])
            yield f"frames[{k}], of kind {op}, has the numbers {a, b, c}; expected {expected}"
    under_way = [frame[0] for frame in frames[:count]].count(st.FRAME_DETONATIONS)
    if under_way > 1:
        yield "there are two frames of detonations; one queue is worked off by one"
    head, tail = p.value("detonation_head"), p.value("detonation_tail")
    if not 0 <= head <= tail <= 8:
        yield f"the detonation queue is read from {head} to {tail}; expected 0 <= head <= tail <= 8"
        return
    queue = [int(slot) for slot in p.record["detonations"]]
    if (tail and not under_way) or any(queue[tail:]):
        yield "the detonation queue holds mines that no frame of detonations works off (MAC-B52)"
    if len(set(queue[:tail])) < tail or any(not st.FIRST_MINE <= slot < st.MODELS for slot in queue[:tail]):
        yield "the detonation queue must hold mines, each once (MAC-B52)"
        return
    marked = {slot for slot in range(st.MODELS) if p.model(slot, "marks") & st.FLAG_QUEUED}
    if marked != set(queue[head:tail]) or not marked <= set(p.on_table):
        yield "the mines marked as queued must be those of the detonation queue, on the table (MAC-B52)"


def _cells(p: _Position) -> Iterator[str]:
    """Check that the cells of the unit in hand are what the rules say; every other check must have passed."""
    retreating = p.mission == st.XENO_TIDE and p.active == st.ULTRAMARINES
    if p.phase in (st.RETREAT, st.ASSAULT_CELL, st.OVER) or (retreating and p.phase in MOVE_PHASES):
        yield from _loose_cells(p, retreating)
        return
    if p.phase not in (*PLAN_PHASES, st.MOVE_PLAN):
        if np.any(p.record["cells"]):
            yield "cells are given, but no unit is in hand to be moved"
        return
    from broodmind.envs.core.record import as_states
    from broodmind.envs.macragge.rules.moving import fill_unit_cells
    from broodmind.envs.macragge.tables import tables

    fresh = as_states(np.array([p.record], st.STATE))
    fresh["cells"] = 0
    fill_unit_cells(fresh[0], tables()[0])
    cells = np.asarray(fresh)["cells"][0]
    if not np.array_equal(cells, p.record["cells"]):
        yield "cells are not those that the models in hand can reach; leave them out to have them worked out (MAC-B22)"
    movers = p.record["movers"][: p.value("mover_count")] if p.phase in PLAN_PHASES else ()
    for k, slot in enumerate(int(slot) for slot in movers):
        way = (p.model(slot, "plan_x") - p.model(slot, "x"), p.model(slot, "plan_y") - p.model(slot, "y"))
        cell = names.DEST_OFFSETS.index(way) if way in names.DEST_OFFSETS else -1
        if cell < 0 or not (int(cells[k, cell >> 6]) >> (cell & 63)) & 1:
            yield f"the plan moves {names.MODELS[slot]} by {way}, where it cannot go (MAC-B22)"


def _loose_cells(p: _Position, retreating: bool) -> Iterator[str]:
    """Check the cells of charges, which lead nowhere off the table (MAC-B1), and of retreats, which may (MAC-M4.2)."""
    for k, words in enumerate(p.record["cells"].tolist()):
        given = [c for c in range(64 * len(words)) if (words[c >> 6] >> (c & 63)) & 1]
        if not given:
            continue
        slot = int(p.record["movers"][k])
        x, y = p.model(slot, "x"), p.model(slot, "y")
        ends = [(x + dx, y + dy) for dx, dy in names.DEST_OFFSETS]
        if given[-1] >= len(ends) or (
            not retreating and any(not (1 <= ends[c][0] <= 95 and 1 <= ends[c][1] <= 95) for c in given)
        ):
            yield f"cells let {names.MODELS[slot]} leave the table (MAC-B1)"


CHECKS: tuple[Callable[[_Position], Iterator[str]], ...] = (
    _core,
    _models,
    _overlaps,
    _pieces,
    _groups,
    _decision,
    _objects,
    _sequences,
)


def problems(states: NDArray[np.void], i: int) -> list[str]:
    """Return every way in which a record is not a possible position.

    Args:
        states: Array of state records.
        i: Which of them.

    Returns:
        One sentence per breach, naming the model, piece or field and, where there is one, its ledger clause;
        empty for a possible position.
    """
    return flaws(states, i) or list(_cells(_Position(states[i])))


def flaws(states: NDArray[np.void], i: int) -> list[str]:
    """Return what `problems` does, but for where the models of the unit in hand can go; needs no compiled rules."""
    position = _Position(states[i])
    return [sentence for check in CHECKS for sentence in check(position)]
