"""What a seat sees, as numbers: fills the vector that :mod:`broodmind.envs.macragge.layout` declares.

Nothing is hidden in this game but the dice to come, which are never written here.
"""

from __future__ import annotations

import math

import numpy as np

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.layout import (
    GROUP_KEYS,
    KNOWN,
    LAST_DECISION,
    LAST_PHASE,
    OBSERVATION,
    PIECE_KEYS,
    SEAT,
)
from broodmind.envs.macragge.observe_hand import PLANNING, fill_flame, fill_hand, fill_ways
from broodmind.envs.macragge.rules.board import alive, end_of_ultramarines, first_tyranid
from broodmind.envs.macragge.rules.contact import CONTACT, NOBODY, in_cover, is_locked
from broodmind.envs.macragge.rules.geometry import square
from broodmind.envs.macragge.rules.reach import touches_wreck

GLOBALS = OBSERVATION.offsets["globals"]
MODEL_ROWS = OBSERVATION.offsets["models"]
GROUP_ROWS = OBSERVATION.offsets["groups"]
PIECE_ROWS = OBSERVATION.offsets["pieces"]
MODEL_WIDTH = OBSERVATION["models"].width
GROUP_WIDTH = OBSERVATION["groups"].width
PIECE_WIDTH = OBSERVATION["pieces"].width
PHASES = 20
NO_LIMIT = 40
PER_SIDE = 1 / 96
PER_DIAGONAL = 1 / 136
PLACE = (1 << 17) - 1
NEST, NODE_GONE = 1 << 57, 1 << 58
LASTING = (1 << 23) - 1 | 1 << 60 | NEST | NODE_GONE
NO_PART = 1 << 60
"""The key of a slot that takes no part in the mission."""
CALM = -1
"""Stands for who is engaged if nobody stands elsewhere than before."""
PHASE = GLOBALS + 6
ALLOWANCE = PHASE + PHASES + 4
GROUP_IN_HAND = 11
NOWHERE = 1 << 15
"""Farther off than anything, also as a squared distance."""
TYRANIDS = st.MODELS - st.FIRST_GENESTEALER
_new_distances = scratch((st.MODELS,), np.int64)
_new_marines = scratch((3, 16), np.float32)  # of a length that fills the processor's vectors
_new_tyranids = scratch((3, TYRANIDS), np.float32)


@kernel
def takes_part(m) -> bool:
    """Say whether a model is part of the mission; Genestealers and Termagants out of play belong to no group."""
    return m.group >= 0 or m.kind != 0


@kernel
def fill_pools(s, out, at: int) -> None:
    """Write the Tyranids out of play: Genestealers, Termagants, mines by type."""
    for slot in range(first_tyranid(s), st.MODELS):
        m = s.models[slot]
        if not takes_part(m) or m.status != st.STATUS_OUT:
            continue
        if slot <= st.LAST_GENESTEALER:
            out[at] += 1
        elif slot <= st.LAST_TERMAGANT:
            out[at + 1] += 1
        else:
            out[at + 2 + int(m.mine_type)] += 1
    # counted first: ten times a tenth is more than 1 in 32 bits
    out[at] /= 6
    out[at + 1] /= 10
    for k in range(3):
        out[at + 2 + k] /= 8


@kernel
def fill_move_at_hand(s, out) -> None:
    """Write the globals that choices within a move change, but for the phase."""
    out[ALLOWANCE] = int(s.allowance) * (1 / 12)
    out[ALLOWANCE + 1] = s.crossing
    out[ALLOWANCE + 2] = int(s.die) * (1 / 6)


@kernel
def fill_globals(s, seat: int, out) -> None:
    """Write the block of globals."""
    at = GLOBALS
    for k in range(58):
        out[at + k] = 0
    out[at + int(s.core.mission) - 1] = 1
    if s.phase >= 0 and s.phase < PHASES:
        out[PHASE + int(s.phase)] = 1
    fill_move_at_hand(s, out)
    at = PHASE + PHASES
    limit = int(s.core.max_turns)
    out[at] = 1 if s.core.seat == seat and s.core.over == 0 else 0
    out[at + 1] = 1 if s.active == st.ULTRAMARINES else 0
    out[at + 2] = min(1.0, int(s.core.turn) / (limit if limit > 0 else NO_LIMIT))
    out[at + 3] = min(1.0, limit / NO_LIMIT)
    out[at + 7] = int(s.wounds) * (1 / 5)
    at += 8
    out[at + int(s.fusion_core)] = 1
    out[at + 4] = int(s.core_timer) * (1 / 2)
    out[at + 5] = int(s.kills) * (1 / 12)
    out[at + 6] = s.field
    out[at + 7] = int(s.pieces[st.PIECE_NODE].hp) * (1 / 4)
    at += 8
    out[at + int(s.thunderhawk)] = 1
    at += 3
    fill_pools(s, out, at)
    at += 5
    for k in range(4):
        out[at + k] = int(s.exit_rect[k]) * PER_SIDE
    out[at + 4] = int(s.rendezvous[0]) * PER_SIDE
    out[at + 5] = int(s.rendezvous[1]) * PER_SIDE
    out[at + 6] = s.rendezvous[2]
    out[at + 7] = int(s.core.spare) & st.OPTION_TIDE


@kernel
def fill_spots(s, first: int, last: int, elsewhere: int, spots) -> None:
    """Fill rows 0 and 1 of `spots` with where the models of slots first..last-1 stand, and row 2 with `NOWHERE`.

    Those that are not on the table, and what is left of `spots`, count as `elsewhere`: far off from everybody.
    """
    for slot in range(first, last):
        m = s.models[slot]
        there = m.status == st.STATUS_TABLE
        spots[0, slot - first] = np.float32(m.x) if there else np.float32(elsewhere)
        spots[1, slot - first] = np.float32(m.y)
        spots[2, slot - first] = np.float32(NOWHERE)
    for k in range(last - first, spots.shape[1]):
        spots[0, k] = np.float32(elsewhere)
        spots[1, k] = np.float32(elsewhere)
        spots[2, k] = np.float32(NOWHERE)


@kernel
def measure(x, y, spots) -> None:
    """Lower row 2 of `spots` to the squared distance from (x, y). Float32, exact here: several spots at once."""
    for k in range(spots.shape[1]):
        dx = spots[0, k] - x
        dy = spots[1, k] - y
        d2 = dx * dx + dy * dy
        spots[2, k] = d2 if d2 < spots[2, k] else spots[2, k]


@kernel
def fill_distances(s, nearest) -> int:
    """Fill, per slot, the squared distance to the nearest enemy model; returns who is engaged, as bits (MAC-B37).

    Says of all models at once what `is_engaged` and a search of the nearest say of each.
    """
    marines = _new_marines()
    tyranids = _new_tyranids()
    fill_spots(s, 0, st.FIRST_GENESTEALER, -NOWHERE, marines)
    fill_spots(s, st.FIRST_GENESTEALER, st.MODELS, NOWHERE, tyranids)
    first = first_tyranid(s) - st.FIRST_GENESTEALER
    for k in range(end_of_ultramarines(s)):
        measure(marines[0, k], marines[1, k], tyranids)
    for k in range(first, TYRANIDS):
        measure(tyranids[0, k], tyranids[1, k], marines)
    touched = False
    for slot in range(st.MODELS):
        mine = slot >= st.FIRST_GENESTEALER
        d2 = tyranids[2, slot - st.FIRST_GENESTEALER] if mine else marines[2, slot]
        nearest[slot] = int(d2) if d2 < NOWHERE else NOBODY
        touched = touched or d2 <= CONTACT
    engaged = 0
    if not touched:
        return engaged
    for k in range(first, st.FIRST_MINE - st.FIRST_GENESTEALER):
        if tyranids[2, k] <= CONTACT:
            engaged |= 1 << (st.FIRST_GENESTEALER + k)
            for slot in range(st.FIRST_GENESTEALER):
                if square(marines[0, slot], marines[1, slot], tyranids[0, k], tyranids[1, k]) <= CONTACT:
                    engaged |= 1 << slot
    return engaged


@kernel
def fill_model(s, seat: int, slot: int, out) -> None:
    """Write the row of a model; rows of slots that the mission does not use stay zero."""
    at = MODEL_ROWS + slot * MODEL_WIDTH
    for k in range(MODEL_WIDTH):
        out[at + k] = 0
    m = s.models[slot]
    if not takes_part(m):
        return
    ultramarine = slot < st.FIRST_GENESTEALER
    out[at + 8 + int(m.kind)] = 1
    if m.kind == st.KIND_MINE:
        out[at + 16 + int(m.mine_type)] = 1
    out[at + 19] = 1 if ultramarine == (seat == st.ULTRAMARINES) else 0
    if m.status != st.STATUS_TABLE:
        if m.status == st.STATUS_ESCAPED:
            out[at + 2] = 1
        elif m.status == st.STATUS_CARRIED:
            out[at + 3] = 1
        else:
            out[at + 1] = 1
        return
    out[at] = 1
    x = int(m.x)
    y = int(m.y)
    out[at + 4] = x * PER_SIDE
    out[at + 5] = y * PER_SIDE
    if s.core.mission <= st.RESCUE_VARRAS:
        out[at + 26] = 1 if slot < st.FIRST_MINE and touches_wreck(s, x, y, 0) else 0
    elif slot < st.FIRST_MINE:
        out[at + 26] = 1 if in_cover(s, slot) else 0
    fill_doings(s, slot, out)


@kernel
def fill_doings(s, slot: int, out) -> None:
    """Write the columns of a model on the table that can change while it stands where it is."""
    at = MODEL_ROWS + slot * MODEL_WIDTH
    m = s.models[slot]
    out[at + 6] = (int(m.plan_x) - int(m.x)) * (1 / 24)
    out[at + 7] = (int(m.plan_y) - int(m.y)) * (1 / 24)
    marks = int(m.marks)
    out[at + 20] = 1 if s.unit == m.group else 0
    out[at + 21] = 1 if s.model == slot else 0
    out[at + 22] = 1 if marks & st.FLAG_EDITED else 0
    out[at + 23] = 1 if marks & st.FLAG_MOVED else 0
    out[at + 24] = 1 if marks & st.FLAG_CHARGED else 0
    out[at + 27] = 1 if s.core_carrier == slot else 0
    out[at + 28] = 1 if s.varras_carrier == slot else 0
    out[at + 29] = 1 if marks & st.FLAG_LAID else 0
    out[at + 30] = int(m.attacks) * (1 / 4)


@kernel
def fill_neighbourhood(s, slot: int, nearest: int, engaged: int, out) -> None:
    """Write the columns of a model on the table that others decide by moving."""
    at = MODEL_ROWS + slot * MODEL_WIDTH
    if s.core.mission >= st.FUSION_CORE:
        out[at + 25] = (engaged >> slot) & 1
    out[at + 31] = 1.0 if nearest == NOBODY else (math.sqrt(nearest) - 2.0) * PER_DIAGONAL


@kernel
def model_key(s, slot: int) -> int:
    """Pack what decides a model's row, but for whose it is and `fill_neighbourhood`; equal keys, equal rows.

    The bits of `PLACE` say whether and where it stands, those of `LASTING` what else `fill_doings` does not write.
    """
    m = s.models[slot]
    if not takes_part(m):
        return NO_PART
    key = int(m.x) | int(m.y) << 7 | int(m.status) << 14 | int(m.kind) << 17 | (int(m.mine_type) & 3) << 21
    key |= (int(m.plan_x) - int(m.x) + 128) << 23 | (int(m.plan_y) - int(m.y) + 128) << 31
    key |= (int(m.marks) & 1023) << 39 | (int(m.attacks) & 15) << 49
    if s.unit == m.group:
        key |= 1 << 53
    if s.model == slot:
        key |= 1 << 54
    if s.core_carrier == slot:
        key |= 1 << 55
    if s.varras_carrier == slot:
        key |= 1 << 56
    if m.group == st.GROUP_GENESTEALER_NEST or m.group == st.GROUP_TERMAGANT_NEST:
        key |= NEST
    if s.core.mission == st.PURGE_THE_XENOS and s.pieces[st.PIECE_NODE].kind == st.PIECE_NONE:
        key |= NODE_GONE  # it gives no cover any more
    return key


@kernel
def fill_models(s, seat: int, out, memory, whole: bool) -> int:
    """Write the rows of models that changed, and the columns that those change in other rows.

    Returns who is engaged, as bits; or CALM if nobody stands elsewhere than before.
    """
    end = end_of_ultramarines(s)
    first = first_tyranid(s)
    written = 0  # rows, as bits
    moved = False  # somebody stands elsewhere, by side
    moved_tyranids = False
    turned = memory[SEAT] != seat
    memory[SEAT] = seat
    for slot in range(st.MODELS):
        if not whole and end <= slot and slot < first:
            continue
        key = model_key(s, slot)
        changed = key ^ int(memory[slot])
        memory[slot] = key
        if turned and not whole and key != NO_PART:
            mine = (slot < st.FIRST_GENESTEALER) == (seat == st.ULTRAMARINES)
            out[MODEL_ROWS + slot * MODEL_WIDTH + 19] = 1 if mine else 0
        if whole or changed & LASTING != 0:
            fill_model(s, seat, slot, out)
            written |= 1 << slot
            if slot >= st.FIRST_GENESTEALER:
                moved_tyranids = moved_tyranids or changed & PLACE != 0
            else:
                moved = moved or changed & PLACE != 0
        elif changed != 0 and s.models[slot].status == st.STATUS_TABLE:
            fill_doings(s, slot, out)
    if written == 0:
        return CALM
    nearest = _new_distances()
    engaged = fill_distances(s, nearest)
    for slot in range(st.MODELS):
        stirred = moved if slot >= st.FIRST_GENESTEALER else moved_tyranids
        if (stirred or (written >> slot) & 1) and alive(s, slot):
            fill_neighbourhood(s, slot, int(nearest[slot]), engaged, out)
    return engaged


@kernel
def fill_group(s, group: int, out) -> None:
    """Write the row of a group, but for whether it is locked."""
    at = GROUP_ROWS + group * GROUP_WIDTH
    for k in range(GROUP_WIDTH):
        out[at + k] = 0
    g = s.groups[group]
    if g.kind == st.GROUP_NONE or g.living <= 0:
        return
    out[at] = 1
    out[at + 1] = int(g.living) * (1 / 10)
    out[at + 1 + int(g.kind)] = 1
    flags = int(g.marks)
    out[at + 7] = 1 if flags & st.GROUP_MOVED else 0
    out[at + 8] = 1 if flags & st.GROUP_FIRED else 0
    out[at + 9] = 1 if flags & st.GROUP_ASSAULTED else 0
    out[at + GROUP_IN_HAND] = 1 if s.unit == group else 0


@kernel
def fill_piece(s, k: int, out) -> None:
    """Write the row of a piece."""
    at = PIECE_ROWS + k * PIECE_WIDTH
    for c in range(PIECE_WIDTH):
        out[at + c] = 0
    p = s.pieces[k]
    if p.kind == st.PIECE_NONE:
        return
    out[at] = 1
    out[at + 1] = int(p.x) * PER_SIDE
    out[at + 2] = int(p.y) * PER_SIDE
    out[at + 3] = int(p.r) * (1 / 6)
    out[at + 4] = int(p.hp) * (1 / 4)
    out[at + 4 + int(p.kind)] = 1


@kernel
def locked_groups(s, engaged: int) -> int:
    """Return the groups of engaged models, as bits."""
    locked = 0
    while engaged != 0:
        locked |= 1 << int(s.models[lowest_bit(engaged)].group)
        engaged = without_lowest(engaged)
    return locked


@kernel
def group_key(s, group: int) -> int:
    """Pack what decides a group's row, but for whether it is locked."""
    g = s.groups[group]
    return int(g.kind) | int(g.living) << 8 | int(g.marks) << 16 | (1 if s.unit == group else 0) << 40


@kernel
def fill_groups(s, out, memory, whole: bool, engaged: int) -> None:
    """Write the rows of groups that changed; for `engaged`, who may have been locked, see `fill_models`."""
    broods = s.core.mission >= st.FUSION_CORE
    locked = locked_groups(s, engaged) if engaged != CALM else 0
    for group in range(st.STORED_GROUPS):
        if not whole and not broods and st.GROUP_ATREUS < group and group < st.FIRST_MINE_GROUP:
            continue
        g = s.groups[group]
        key = group_key(s, group)
        changed = whole or key != memory[GROUP_KEYS + group]
        if changed:
            memory[GROUP_KEYS + group] = key
            fill_group(s, group, out)
        if broods and group < st.UNITS and g.living > 0 and (changed or engaged != CALM):
            held = is_locked(s, group) if engaged == CALM else (locked >> group) & 1 != 0
            out[GROUP_ROWS + group * GROUP_WIDTH + 10] = 1 if held else 0


@kernel
def fill_pieces(s, out, memory, whole: bool) -> None:
    """Write the rows of pieces that changed; wrecks never do within a game."""
    broods = s.core.mission >= st.FUSION_CORE
    for k in range(st.PIECES):
        if not whole and (k < st.FIRST_MARKER or not (broods or k <= st.LAST_MARKER)):
            continue
        p = s.pieces[k]
        key = int(p.kind) | int(p.hp) << 8 | int(p.x) << 16 | int(p.y) << 24 | int(p.r) << 32
        if whole or key != memory[PIECE_KEYS + k]:
            memory[PIECE_KEYS + k] = key
            fill_piece(s, k, out)


@kernel
def only_planned(s, seat: int, memory) -> bool:
    """Say whether one choice within the move of a unit is all that has happened since the vector was written.

    Nobody stands elsewhere then, and of all models and groups only those in hand can have changed.
    """
    before = int(memory[LAST_PHASE])
    return (
        (PLANNING >> int(s.phase)) & 1 != 0
        and (before == st.MOVE_SELECT or (PLANNING >> before) & 1 != 0)
        and memory[LAST_DECISION] + 1 == s.core.decisions
        and memory[SEAT] == seat
    )


@kernel
def fill_planned(s, out, memory) -> None:
    """Write what a choice within the move of a unit changed, but for what `observe_hand` does."""
    out[PHASE + int(memory[LAST_PHASE])] = 0
    out[PHASE + int(s.phase)] = 1
    fill_move_at_hand(s, out)
    unit = int(s.unit)
    memory[GROUP_KEYS + unit] = group_key(s, unit)
    out[GROUP_ROWS + unit * GROUP_WIDTH + GROUP_IN_HAND] = 1
    for k in range(int(s.mover_count)):
        slot = int(s.movers[k])
        key = model_key(s, slot)
        if key != memory[slot]:
            memory[slot] = key
            fill_doings(s, slot, out)


@kernel
def fill(s, t, seat: int, out, memory, fresh: bool) -> None:
    """Write the vector for a seat: the whole of it, or what changed since it was written.

    Args:
        s: The state.
        t: The tables.
        seat: Who looks.
        out: The vector, float32.
        memory: What the vector was last written from, `MEMORY` int64 numbers; all 0 if that is not known.
        fresh: Whether a new game has begun since (wrecks, and rows that the mission leaves empty, do not change within
            one).
    """
    whole = fresh or memory[KNOWN] == 0
    memory[KNOWN] = 1
    if not whole and only_planned(s, seat, memory):
        fill_planned(s, out, memory)
    else:
        fill_globals(s, seat, out)
        engaged = fill_models(s, seat, out, memory, whole)
        fill_groups(s, out, memory, whole, engaged)
        fill_pieces(s, out, memory, whole)
    fill_hand(s, out)
    fill_ways(s, t, out, memory, whole)
    fill_flame(s, t, out, memory, whole)
    memory[LAST_PHASE] = s.phase
    memory[LAST_DECISION] = s.core.decisions
