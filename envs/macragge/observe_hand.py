"""What a seat sees of the model in hand: what is near it, where each direction leads, and whom a flame would touch."""

from __future__ import annotations

import math

import numpy as np

from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.layout import DIRECTIONS, FLAME_FILLED, NEAREST_ENEMIES, OBSERVATION, WAYS_FILLED
from broodmind.envs.macragge.rules.board import alive, end_of_ultramarines, first_tyranid
from broodmind.envs.macragge.rules.contact import CONTACT, NOBODY
from broodmind.envs.macragge.rules.geometry import LARGE_BLAST_TOUCHED, square
from broodmind.envs.macragge.rules.mines import drift_end, round_thousandths, surroundings
from broodmind.envs.macragge.rules.shooting import touched_directions

HAND = OBSERVATION.offsets["hand"]
HAND_WIDTH = OBSERVATION["hand"].width
WAYS = OBSERVATION.offsets["ways"]
WAY_WIDTH = OBSERVATION["ways"].width
FLAME = OBSERVATION.offsets["flame"]
FLAME_WIDTH = OBSERVATION["flame"].width
SIDE = 96
MOVES_NEAR = 20 * 20
"""Squared distance of bases with a gap of nine inches."""
PER_SIDE = 1 / 96
PER_HALF_SIDE = 1 / 48
NONE_NEAR = 1 << 40
PLANNING = 1 << st.MOVE_PLAN | 1 << st.MOVE_EDIT | 1 << st.MOVE_CELL
"""The phases, as bits, in which a unit is in hand whose move is planned."""
_new_ends = scratch((4, DIRECTIONS), np.float32)


@kernel
def slot_in_hand(s) -> int:
    """Return the model that the block `hand` is about: the one in hand, the lead of the unit in hand, or Varras."""
    if s.model >= 0:
        return int(s.model)
    if s.unit >= 0:
        if s.unit == st.GROUP_OCTAVIAN and s.models[st.FLAMER].status == st.STATUS_TABLE:
            return st.FLAMER
        if s.mover_count > 0:
            return int(s.movers[0])
    return st.VARRAS


@kernel
def clipped(steps: int) -> float:
    """Return an offset in steps / 48, cut off at 1."""
    return min(max(steps * PER_HALF_SIDE, -1.0), 1.0)


@kernel
def fill_nearest(s, slot: int, x: int, y: int, out, at: int) -> None:
    """Write the nearest enemy models of a model at (x, y), nearest first; ties by slot."""
    first = 0
    last = end_of_ultramarines(s)
    if slot < st.FIRST_GENESTEALER:
        first = first_tyranid(s)
        last = st.MODELS
    # Squared distance and slot in one number, the nearest first: kept sorted, without an array, by swapping.
    a = b = c = d = NONE_NEAR
    for other in range(first, last):
        o = s.models[other]
        if o.status != st.STATUS_TABLE:
            continue
        one = square(int(o.x), int(o.y), x, y) << 6 | other
        if one >= d:
            continue
        a, one = min(a, one), max(a, one)
        b, one = min(b, one), max(b, one)
        c, one = min(c, one), max(c, one)
        d = one
    for k in range(NEAREST_ENEMIES):
        near = a
        if near == NONE_NEAR:
            return
        a, b, c, d = b, c, d, NONE_NEAR
        o = s.models[near & 63]
        out[at + 4 * k] = 1
        out[at + 4 * k + 1] = clipped(int(o.x) - x)
        out[at + 4 * k + 2] = clipped(int(o.y) - y)
        out[at + 4 * k + 3] = max(0.0, 1.0 - (math.sqrt(near >> 6) - 2.0) * PER_HALF_SIDE)


@kernel
def nearest_piece(s, x: int, y: int, first: int, last: int) -> int:
    """Return the nearest of the pieces first..last on the table, or -1."""
    best = -1
    best_d2 = NOBODY
    for k in range(first, last + 1):
        p = s.pieces[k]
        if p.kind != st.PIECE_NONE:
            d2 = square(int(p.x), int(p.y), x, y)
            if d2 < best_d2:
                best = k
                best_d2 = d2
    return best


@kernel
def fill_hand(s, out) -> None:
    """Write what is near the model in hand, as offsets from it."""
    at = HAND
    for k in range(HAND_WIDTH):
        out[at + k] = 0
    slot = slot_in_hand(s)
    m = s.models[slot]
    if m.status != st.STATUS_TABLE:
        return
    x = int(m.plan_x)
    y = int(m.plan_y)
    out[at] = 1
    out[at + 1] = x * PER_SIDE
    out[at + 2] = y * PER_SIDE
    fill_nearest(s, slot, x, y, out, at + 3)
    at += 3 + 4 * NEAREST_ENEMIES
    v = s.models[st.VARRAS]
    if v.status == st.STATUS_TABLE:
        out[at] = 1
        out[at + 1] = clipped(int(v.x) - x)
        out[at + 2] = clipped(int(v.y) - y)
    marker = nearest_piece(s, x, y, st.FIRST_MARKER, st.LAST_MARKER)
    if marker >= 0:
        out[at + 3] = 1
        out[at + 4] = clipped(int(s.pieces[marker].x) - x)
        out[at + 5] = clipped(int(s.pieces[marker].y) - y)
    if s.exit_rect[2] > 0:
        out[at + 6] = (max(int(s.exit_rect[0]) - x, 0) - max(x - int(s.exit_rect[2]), 0)) * PER_SIDE
        out[at + 7] = (max(int(s.exit_rect[1]) - y, 0) - max(y - int(s.exit_rect[3]), 0)) * PER_SIDE
    wreck = nearest_piece(s, x, y, st.FIRST_WRECK, st.LAST_WRECK)
    if wreck >= 0:
        out[at + 8] = 1
        out[at + 9] = clipped(int(s.pieces[wreck].x) - x)
        out[at + 10] = clipped(int(s.pieces[wreck].y) - y)


@kernel
def measure_ends(s, slot: int, near: int, ends) -> None:
    """Fill rows 2 and 3 of `ends`: per direction, the squared distance to the nearest enemy and how many are near.

    Rows 0 and 1 say where the ways lead. Numbers are float32, exact here: all directions at once are a few vectors of
    the processor.
    """
    mine = slot >= st.FIRST_GENESTEALER
    one = np.float32(1)
    none = np.float32(0)
    limit = np.float32(near)
    for direction in range(DIRECTIONS):
        ends[2, direction] = NOBODY
        ends[3, direction] = 0
    for other in range(0 if mine else first_tyranid(s), end_of_ultramarines(s) if mine else st.MODELS):
        o = s.models[other]
        if o.status != st.STATUS_TABLE:
            continue
        x = np.float32(o.x)
        y = np.float32(o.y)
        for direction in range(DIRECTIONS):
            dx = x - ends[0, direction]
            dy = y - ends[1, direction]
            d2 = dx * dx + dy * dy
            ends[2, direction] = d2 if d2 < ends[2, direction] else ends[2, direction]
            ends[3, direction] += one if d2 <= limit else none


@kernel
def fill_ways(s, t, out, memory, whole: bool) -> None:
    """Write where each direction leads the model in hand, or zeros if none is to be sent anywhere."""
    phase = int(s.phase)
    drifts = phase == st.MINE_DIR
    asked = drifts or phase == st.MOVE_PLAN or phase == st.MOVE_CELL
    if asked:
        slot = slot_in_hand(s)
        m = s.models[slot]
        mine = slot >= st.FIRST_GENESTEALER
        v = s.models[st.VARRAS]
        steps = 2 * int(s.allowance)
        around = surroundings(s, slot, int(s.die)) if drifts else 0
        contacts = 0
        ends = _new_ends()
        for direction in range(DIRECTIONS):
            if drifts:
                x, y, contact = drift_end(s, t, slot, int(s.die), direction, around)
                contacts |= (1 if contact else 0) << direction
            else:
                x = min(max(int(m.x) + round_thousandths(steps * t.unit_x[direction]), 1), SIDE - 1)
                y = min(max(int(m.y) + round_thousandths(steps * t.unit_y[direction]), 1), SIDE - 1)
            ends[0, direction] = x
            ends[1, direction] = y
        measure_ends(s, slot, LARGE_BLAST_TOUCHED if drifts else MOVES_NEAR, ends)
        for direction in range(DIRECTIONS):
            nearest = int(ends[2, direction])
            varras = NOBODY
            if v.status == st.STATUS_TABLE:
                varras = square(int(v.x), int(v.y), int(ends[0, direction]), int(ends[1, direction]))
            at = WAYS + direction * WAY_WIDTH
            out[at] = 1 if (contacts >> direction) & 1 or nearest <= CONTACT else 0
            out[at + 1] = min((math.sqrt(nearest) - 2.0) * PER_HALF_SIDE, 1.0)
            out[at + 2] = min((math.sqrt(varras) - 2.0) * PER_HALF_SIDE, 1.0)
            out[at + 3] = min(int(ends[3, direction]) * (1 / 5), 1.0)
            out[at + 4] = 1 if mine and varras <= LARGE_BLAST_TOUCHED else 0
    elif whole or memory[WAYS_FILLED]:
        for k in range(DIRECTIONS * WAY_WIDTH):
            out[WAYS + k] = 0
    memory[WAYS_FILLED] = asked


@kernel
def fill_flame(s, t, out, memory, whole: bool) -> None:
    """Write whom a flame would touch in each direction from where the flamer is planned to be (MAC-B34).

    Zeros if the squad in hand has no flamer, or no squad's move is being planned.
    """
    asked = (PLANNING >> int(s.phase)) & 1 != 0 and s.unit == st.GROUP_OCTAVIAN and alive(s, st.FLAMER)
    if asked:
        x = int(s.models[st.FLAMER].plan_x)
        y = int(s.models[st.FLAMER].plan_y)
        friends = 0
        enemies = 0
        for slot in range(st.MODELS):
            m = s.models[slot]
            if m.status == st.STATUS_TABLE and slot != st.FLAMER:
                touched = touched_directions(t, int(m.plan_x), int(m.plan_y), x, y)
                if slot < st.FIRST_GENESTEALER:
                    friends |= touched
                else:
                    enemies |= touched
        for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
            p = s.pieces[k]
            if p.kind == st.PIECE_MARKER:
                enemies |= touched_directions(t, int(p.x), int(p.y), x, y)
        for direction in range(DIRECTIONS):
            at = FLAME + direction * FLAME_WIDTH
            out[at] = (friends >> direction) & 1
            out[at + 1] = (enemies >> direction) & 1
    elif whole or memory[FLAME_FILLED]:
        for k in range(DIRECTIONS * FLAME_WIDTH):
            out[FLAME + k] = 0
    memory[FLAME_FILLED] = asked
