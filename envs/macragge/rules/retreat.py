"""The retreat of mission 4: 2D6 inches, side by side, towards the exit edge (MAC-M4.2, M4.6, M4.7).

Moves of up to 12 inches do not fit the tables of `reach`, so reach is worked out here on a window of 49 x 49 cells, by
the same rules (MAC-B22 to B25).
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, take_off
from broodmind.envs.macragge.rules.contact import NOBODY
from broodmind.envs.macragge.rules.geometry import on_table, square
from broodmind.envs.macragge.rules.moving import (
    MARCH_STEPS,
    cell_is_clear,
    gather_movers,
    next_in_march,
    plan_to_stay,
    rounded,
)
from broodmind.envs.macragge.rules.reach import WORDS
from broodmind.envs.macragge.tables import BUDGET_PER_INCH, DEGREE, DESTS

FAR = 24
"""Longest retreat, in steps."""
SIDE = 2 * FAR + 1
LEAST_PROGRESS = 4
"""A cell given by EDIT keeps 3/4 of the planned progress: 4 new >= 3 old."""
EDGE = 95
"""A model centred there touches the table edge: it has escaped (MAC-M4.2)."""


@kernel
def isqrt(value: int) -> int:
    """Return the integer part of a square root."""
    root = 0
    while (root + 1) * (root + 1) <= value:
        root += 1
    return root


@kernel
def begin_retreat(s, log) -> None:
    """Roll how far the squad falls back, and take it in hand."""
    first = roll(s, log, st.ROLL_RETREAT, st.GROUP_OCTAVIAN, 0, st.ULTRAMARINES)
    second = roll(s, log, st.ROLL_RETREAT, st.GROUP_OCTAVIAN, 0, st.ULTRAMARINES)
    gather_movers(s, st.GROUP_OCTAVIAN)
    s.allowance = first + second
    s.crossing = 0
    s.phase = st.RETREAT


@kernel
def cross_in_retreat(s, log) -> None:
    """Declare CROSS: half the roll, rounded up, and wrecks no longer block (MAC-M4.6)."""
    s.allowance = (int(s.allowance) + 1) // 2
    s.crossing = 1
    emit(log, st.EVENT_CROSS_DECLARED, int(s.unit), int(s.allowance))
    s.phase = st.RETREAT


@kernel
def may_take_lane(s, dy: int) -> bool:
    """Say whether a lane is within 41 degrees of straight ahead (MAC-M4.6)."""
    far = 2 * int(s.allowance)
    return 16 * dy * dy <= 7 * far * far


@kernel
def list_retreat_obstacles(s, mover: int, obstacles) -> int:
    """Fill rows (x, y, squared distance that blocks a path, that bars an end); returns how many."""
    me = s.models[mover]
    count = 0
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        m = s.models[slot]
        if m.status != st.STATUS_TABLE:
            continue
        d2 = square(int(m.x), int(m.y), int(me.start_x), int(me.start_y))
        obstacles[count, 0] = m.x
        obstacles[count, 1] = m.y
        obstacles[count, 2] = 4 if d2 < 7 else 7
        obstacles[count, 3] = 7
        count += 1
    for k in range(st.FIRST_WRECK, st.LAST_WRECK + 1):
        p = s.pieces[k]
        if p.kind == st.PIECE_WRECK and not s.crossing:
            obstacles[count, 0] = p.x
            obstacles[count, 1] = p.y
            obstacles[count, 2] = (int(p.r) + 1) * (int(p.r) + 1)
            obstacles[count, 3] = obstacles[count, 2]
            count += 1
    return count


@kernel
def blocks(x: int, y: int, vx: int, vy: int, px: int, py: int, square2: int) -> bool:
    """Say whether the segment from (x, y) by (vx, vy) passes nearer to a point than a squared distance (MAC-B22)."""
    wx = px - x
    wy = py - y
    along = wx * vx + wy * vy
    length2 = vx * vx + vy * vy
    if along <= 0:
        return wx * wx + wy * wy < square2
    if along >= length2:
        return (wx - vx) * (wx - vx) + (wy - vy) * (wy - vy) < square2
    cross = wx * vy - wy * vx
    return cross * cross < square2 * length2


@kernel
def is_clear(obstacles, count: int, x: int, y: int, vx: int, vy: int) -> bool:
    """Say whether a segment passes no obstacle too near."""
    for k in range(count):
        if blocks(x, y, vx, vy, obstacles[k, 0], obstacles[k, 1], obstacles[k, 2]):
            return False
    return True


@kernel
def may_end_at(obstacles, count: int, x: int, y: int) -> bool:
    """Say whether a base may end there."""
    if not on_table(x, y):
        return False
    for k in range(count):
        if square(obstacles[k, 0], obstacles[k, 1], x, y) < obstacles[k, 3]:
            return False
    return True


@kernel
def fill_retreat_cells(s, t, mover: int, reached) -> None:
    """Fill `reached` (49 x 49, by offset + 24) with 1 where a retreating model may end, 0 elsewhere.

    A straight line or a lattice path within the allowance (MAC-B22), to a free cell; offset (0, 0) is always in.
    """
    me = s.models[mover]
    x0 = int(me.start_x)
    y0 = int(me.start_y)
    far = 2 * int(s.allowance)
    obstacles = np.empty((st.MODELS, 4), np.int64)
    count = list_retreat_obstacles(s, mover, obstacles)
    for a in range(SIDE):
        for b in range(SIDE):
            reached[a, b] = 0
    missing = 0
    for dx in range(-far, far + 1):
        for dy in range(-far, far + 1):
            if dx * dx + dy * dy > far * far or not may_end_at(obstacles, count, x0 + dx, y0 + dy):
                continue
            if is_clear(obstacles, count, x0, y0, dx, dy):
                reached[dx + FAR, dy + FAR] = 1
            else:
                missing += 1
    if missing > 0:
        add_paths(t, x0, y0, BUDGET_PER_INCH * int(s.allowance), obstacles, count, reached)
    reached[FAR, FAR] = 1


@kernel
def add_paths(t, x0: int, y0: int, budget: int, obstacles, count: int, reached) -> None:
    """Add the cells that a lattice path reaches: a search in buckets of equal cost."""
    cost = np.full((SIDE, SIDE), budget + 1, np.int64)
    entries = np.empty((SIDE * SIDE * DEGREE, 3), np.int64)
    first = np.full(budget + 1, -1, np.int64)
    cost[FAR, FAR] = 0
    entries[0, 0] = FAR
    entries[0, 1] = FAR
    entries[0, 2] = -1
    first[0] = 0
    used = 1
    for now in range(budget + 1):
        entry = first[now]
        while entry >= 0:
            a = entries[entry, 0]
            b = entries[entry, 1]
            entry = entries[entry, 2]
            if cost[a, b] != now:
                continue
            cost[a, b] = -1  # settled
            x = x0 + a - FAR
            y = y0 + b - FAR
            if may_end_at(obstacles, count, x, y):
                reached[a, b] = 1
            for d in range(DEGREE):
                to_a = a + t.step_x[d]
                to_b = b + t.step_y[d]
                if to_a < 0 or to_a >= SIDE or to_b < 0 or to_b >= SIDE:
                    continue
                then = now + t.step_cost[d]
                if then >= cost[to_a, to_b] or not on_table(x + t.step_x[d], y + t.step_y[d]):
                    continue
                if not is_clear(obstacles, count, x, y, t.step_x[d], t.step_y[d]):
                    continue
                cost[to_a, to_b] = then
                entries[used, 0] = to_a
                entries[used, 1] = to_b
                entries[used, 2] = first[then]
                first[then] = used
                used += 1


@kernel
def retreat_by(s, t, dy: int) -> None:
    """Plan the retreat along a lane by MARCH's greedy rule, then work out what EDIT may change (MAC-M4.6)."""
    far = 2 * int(s.allowance)
    ox = isqrt(far * far - dy * dy)
    reach = np.empty((st.MAX_UNIT, SIDE, SIDE), np.int8)
    for k in range(int(s.mover_count)):
        fill_retreat_cells(s, t, int(s.movers[k]), reach[k])
    done = False
    for back in range(MARCH_STEPS):
        m = MARCH_STEPS - back
        if plan_greedily(s, ox, dy, rounded(ox, m), rounded(dy, m), reach):
            done = True
            break
    if not done:
        plan_to_stay(s)
    keep_editable(s, t, reach)


@kernel
def plan_greedily(s, ox: int, oy: int, qx: int, qy: int, reach) -> bool:
    """Plan mover after mover near its start + q, each coherent with one planned before; False if one has no cell."""
    planned = np.zeros(st.MAX_UNIT, np.int64)
    for _ in range(int(s.mover_count)):
        k = next_in_march(s, ox, oy, planned)
        m = s.models[s.movers[k]]
        x = int(m.start_x)
        y = int(m.start_y)
        best_x = 0
        best_y = 0
        best_key = NOBODY << 24
        for a in range(SIDE):
            for b in range(SIDE):
                if reach[k, a, b] == 0:
                    continue
                dx = a - FAR
                dy = b - FAR
                # Ties go to the offset that a DEST table of this size would have first: nearest, then dy, then dx.
                key = (square(dx, dy, qx, qy) << 24) + ((dx * dx + dy * dy) << 12) + (b << 6) + a
                if key < best_key and cell_is_clear(s, x + dx, y + dy, planned):
                    best_x = dx
                    best_y = dy
                    best_key = key
        if best_key == NOBODY << 24:
            return False
        m.plan_x = x + best_x
        m.plan_y = y + best_y
        planned[k] = 1
    return True


@kernel
def keep_editable(s, t, reach) -> None:
    """Note, as offsets from the planned cells, where EDIT may put each model."""
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        px = int(m.plan_x) - int(m.start_x)
        py = int(m.plan_y) - int(m.start_y)
        for w in range(WORDS):
            s.cells[k, w] = 0
        for cell in range(DESTS):
            dx = px + t.dest_x[cell]
            dy = py + t.dest_y[cell]
            if dx < -FAR or dx > FAR or dy < -FAR or dy > FAR or reach[k, dx + FAR, dy + FAR] == 0:
                continue
            if LEAST_PROGRESS * dx >= (LEAST_PROGRESS - 1) * px:
                s.cells[k, cell >> 6] |= np.int64(1) << (cell & 63)


@kernel
def leave_by_edge(s, log) -> None:
    """Take those who have reached the exit edge off the table; what they carry goes with them (MAC-M4.2)."""
    for slot in range(st.MISSILE):
        m = s.models[slot]
        if alive(s, slot) and m.x >= EDGE:
            emit(log, st.EVENT_ESCAPED, slot, int(m.x), int(m.y))
            take_off(s, slot, st.STATUS_ESCAPED)


@kernel
def lane_of(action: int) -> int:
    """Return how far sideways a LANE leads, in steps."""
    return action - act.LANE - act.LANE_CENTRE
