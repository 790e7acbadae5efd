"""What makes a record a possible position: every breach as one sentence, with piece and ledger clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.record import MOST_TURNS
from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.possible import (
    KIND_OF_PIECE,
    MISSIONS_OF_PIECE,
    MODEL_NUMBERS,
    MOVE_PHASES,
    NODE_MISSIONS,
    NUMBERS,
    PLAIN_MISSIONS,
    PLAIN_NUMBERS,
    ROSTERS,
    Position,
    groups_of_slot,
    kind_of_group,
    named,
    phase_named,
)
from broodmind.envs.macragge.validate_decision import cells_in_reach, decision, sequences


def _core(p: Position) -> Iterator[str]:
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
        yield f"core.over is {over}, but the phase is {phase_named(p.phase)}: a game is over in phase OVER only"
    result = int(core["result"])
    allowed = (-2, -1, 0, 1, 2) if p.mission == st.PURGE_THE_XENOS else (-2, 0, 2)
    if result not in allowed or (result and not over):
        yield f"core.result is {result}; expected 0 before the end, and one of {allowed} after it"
    if int(core["truncated"]) and (not over or result):
        yield "core.truncated is set, but the game is not over or has a winner (MAC-M1.8)"


def _models(p: Position) -> Iterator[str]:
    roster = ROSTERS.get(p.mission, set())
    for slot in range(st.MODELS):
        name, status = names.MODELS[slot], p.model(slot, "status")
        if slot in roster and p.model(slot, "kind") != st.KIND_OF_SLOT[slot]:
            yield f"{name} has kind {p.model(slot, 'kind')}; its slot is of kind {st.KIND_OF_SLOT[slot]}"
        if not st.STATUS_OUT <= status <= st.STATUS_CARRIED:
            yield f"{name} has status {status}; expected 0..4"
        elif slot not in roster and status != st.STATUS_OUT:
            yield f"{name} takes no part in {named(names.MISSIONS, p.mission - 1)} (MAC-M{p.mission}.1)"
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
            yield f"{name} belongs to {named(names.GROUPS, p.model(slot, 'group'))}, which is not its unit"
        yield from _places(p, slot)
    for slot in p.on_table:
        name, x, y = names.MODELS[slot], p.model(slot, "x"), p.model(slot, "y")
        if not (1 <= x <= 95 and 1 <= y <= 95):
            yield f"{name} at ({x}, {y}) is not wholly on the table: centres lie in 1..95 (MAC-B1)"
        group, allowed = p.model(slot, "group"), groups_of_slot(slot, p.mission)
        if group not in allowed:
            expected = " or ".join(names.GROUPS[g] for g in allowed)
            yield f"{name} belongs to {named(names.GROUPS, group)}; expected {expected}"
        if slot >= st.FIRST_MINE and p.mission <= st.RESCUE_VARRAS and p.model(slot, "mine_type"):
            yield f"{name} is not explosive: all mines are in missions 1 and 2"
        if slot >= st.FIRST_MINE and p.mission == st.PURGE_THE_XENOS:
            expected_type = st.MINE_TYPE_OF_SLOT[slot - st.FIRST_MINE]
            if p.model(slot, "mine_type") != expected_type:
                yield f"{name} should be of type {names.MINE_TYPES[expected_type]}: there are 3, 3 and 2"


def _places(p: Position, slot: int) -> Iterator[str]:
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


def _overlaps(p: Position) -> Iterator[str]:
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


def _pieces(p: Position) -> Iterator[str]:
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
            yield f"{name} does not belong to {named(names.MISSIONS, p.mission - 1)} (MAC-M{p.mission}.1)"
        x, y, r = p.piece(piece, "x"), p.piece(piece, "y"), p.piece(piece, "r")
        large = p.mission in NODE_MISSIONS and piece == st.FIRST_WRECK
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


def _groups(p: Position) -> Iterator[str]:
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


def _objects(p: Position) -> Iterator[str]:
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


CHECKS: tuple[Callable[[Position], Iterator[str]], ...] = (
    _core,
    _models,
    _overlaps,
    _pieces,
    _groups,
    decision,
    _objects,
    sequences,
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
    return flaws(states, i) or list(cells_in_reach(Position(states[i])))


def flaws(states: NDArray[np.void], i: int) -> list[str]:
    """Return what `problems` does, but for where the models of the unit in hand can go; needs no compiled rules."""
    position = Position(states[i])
    return [sentence for check in CHECKS for sentence in check(position)]
