"""The retreat of mission 4: 2D6 inches, side by side, towards the exit edge (MAC-M4.2, M4.6, M4.7).

Moves of up to 12 inches do not fit the tables of `reach`, so reach is worked out here on a window of 49 x 49 cells, by
the same rules (MAC-B22 to B25). Only what is asked for is: most cells of the window never matter to a plan or an edit.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import highest_bit, lowest_bit, span, without_lowest
from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, take_off
from broodmind.envs.macragge.rules.contact import NOBODY
from broodmind.envs.macragge.rules.field import NO_FIELD
from broodmind.envs.macragge.rules.geometry import TABLE_SIZE, on_table, square
from broodmind.envs.macragge.rules.moving import (
    MARCH_STEPS,
    fill_start_links,
    gather_movers,
    new_links,
    next_in_march,
    plan_to_stay,
    rounded,
)
from broodmind.envs.macragge.rules.obstacles import MAX_OBSTACLES, is_stuck, list_obstacles
from broodmind.envs.macragge.rules.offsets import WORDS
from broodmind.envs.macragge.rules.paths import close_grid, find_paths, new_columns, new_costs
from broodmind.envs.macragge.tables import (
    BUDGET_PER_INCH,
    FAR,
    MARGIN,
    REACH,
    SIDE,
    SQ_BASE,
    SQ_COHERENT,
    WIDE,
    WIDE_WINDOW,
)

EDGE = 95
"""A model centred there touches the table edge: it has escaped (MAC-M4.2)."""
MEMBERS = st.MISSILE
"""Most models of the squad, Varras among them."""
_new_obstacles = scratch((MEMBERS, MAX_OBSTACLES, 5), np.int64)
_new_numbers = scratch((MEMBERS,), np.int64)
_new_columns_of_all = scratch((MEMBERS, SIDE), np.int64)


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


# -- reach: a word per column of a mover's window, see `tables.py` ---------------------------------------------------


@kernel
def fill_columns(s, t, k: int, first: int, last: int, obstacles, counts, straight, hidden, filled) -> None:
    """Work out columns first..last of where mover `k` may end, as far as that is not done (MAC-B22 to B25).

    That is what straight lines reach, and what perhaps a path does.
    """
    fresh = span(first, last) & ~filled[k]
    if fresh == 0:
        return
    filled[k] |= fresh
    me = s.models[s.movers[k]]
    inches = int(s.allowance)
    x = int(me.start_x) - FAR
    y = int(me.start_y) - FAR
    rows = span(1 - y, TABLE_SIZE - 1 - y)
    while fresh != 0:
        a = lowest_bit(fresh)
        fresh = without_lowest(fresh)
        free = t.wide_disc[inches, a] & rows if on_table(x + a, 1) else 0
        dark = 0
        for n in range(counts[k]):
            dx = obstacles[k, n, 0]
            dy = obstacles[k, n, 1]
            half = t.half[obstacles[k, n, 3], abs(a - FAR - dx)]
            free &= ~span(dy + FAR - half, dy + FAR + half)
            if obstacles[k, n, 2] >= 0:
                ends = t.wide_shadow[obstacles[k, n, 2], dx + WIDE_WINDOW, dy + WIDE_WINDOW, a]
                dark |= span(int(ends[0]), int(ends[1]))
        straight[k, a] = free & ~dark
        hidden[k, a] = free & dark & t.wide_paths[inches, a]
        if a == FAR:
            straight[k, a] |= np.int64(1) << FAR
            hidden[k, a] &= ~(np.int64(1) << FAR)


@kernel
def look_for_paths(
    s, t, mover: int, first: int, last: int, obstacles, count: int, straight, hidden, wanted
) -> None:
    """Search for paths to those in columns first..last of `wanted` that are hidden.

    They are so no more: reached like straight, or not.
    """
    left = 0
    for a in range(first, last + 1):
        wanted[a] &= hidden[a]
        hidden[a] &= ~wanted[a]
        left |= wanted[a]
    if left == 0:
        return
    for a in range(SIDE):
        if a < first or last < a:
            wanted[a] = 0
    me = s.models[mover]
    x = int(me.start_x)
    y = int(me.start_y)
    inches = int(s.allowance)
    best = new_costs()
    close_grid(best)
    far = 2 * inches
    low = max(FAR - far, FAR + 1 - y)
    high = min(FAR + far, FAR + TABLE_SIZE - 1 - y)
    more = BUDGET_PER_INCH * inches + 1
    for a in range(SIDE):
        if abs(a - FAR) <= far and on_table(x + a - FAR, 1):
            for b in range(SIDE):  # of a fixed length: several at once
                best[64 * (a + MARGIN) + b] = more if low <= b and b <= high else -1
    find_paths(t, inches, obstacles, count, NO_FIELD, NO_FIELD, best, wanted, straight)


# -- the plan ------------------------------------------------------------------------------------------------------


@kernel
def retreat_by(s, t, dy: int) -> None:
    """Plan the retreat along a lane by MARCH's greedy rule, then work out what EDIT may change (MAC-M4.6)."""
    far = 2 * int(s.allowance)
    ox = isqrt(far * far - dy * dy)
    obstacles = _new_obstacles()
    counts = _new_numbers()
    straight = _new_columns_of_all()
    hidden = _new_columns_of_all()
    filled = _new_numbers()  # columns of a mover that are worked out, as bits
    for k in range(int(s.mover_count)):
        filled[k] = 0
        counts[k] = list_obstacles(
            s, t, int(s.movers[k]), int(s.allowance), s.crossing != 0, False, obstacles[k]
        )
        if is_stuck(obstacles[k], int(counts[k])):
            filled[k] = -1
            for a in range(SIDE):
                straight[k, a] = 0
                hidden[k, a] = 0
            straight[k, FAR] = np.int64(1) << FAR
    links = new_links()
    fill_start_links(s, links)
    done = False
    for back in range(MARCH_STEPS):
        m = MARCH_STEPS - back
        qx = rounded(ox, m)
        qy = rounded(dy, m)
        planned = 0
        for _ in range(int(s.mover_count)):
            k = next_in_march(s, ox, dy, links, planned)
            found = nearest_end(s, t, k, qx, qy, planned, obstacles, counts, straight, hidden, filled)
            if found < 0:
                break
            me = s.models[s.movers[k]]
            me.plan_x = int(me.start_x) + (found >> 6) - FAR
            me.plan_y = int(me.start_y) + (found & 63) - FAR
            planned |= 1 << k
        done = planned == (1 << int(s.mover_count)) - 1
        if done:
            break
    if not done:
        plan_to_stay(s)
    if s.mover_count > 1:  # one alone is not edited
        keep_editable(s, t, obstacles, counts, straight, hidden, filled)


@kernel
def column_of_plan(s, t, k: int, a: int, planned: int) -> int:
    """Return which cells of column `a` mover `k` may be planned to end on beside those planned, as bits (MAC-B27)."""
    me = s.models[s.movers[k]]
    if planned == 0:
        return -1
    taken = 0
    joined = 0
    left = planned
    while left != 0:
        o = s.models[s.movers[lowest_bit(left)]]
        left = without_lowest(left)
        off = abs(int(o.plan_x) - int(me.start_x) + FAR - a)
        if off > WIDE:
            continue
        b = int(o.plan_y) - int(me.start_y) + FAR
        taken |= span(b - t.half[SQ_BASE, off], b + t.half[SQ_BASE, off])
        joined |= span(b - t.half[SQ_COHERENT, off], b + t.half[SQ_COHERENT, off])
    return joined & ~taken


@kernel
def nearest_end(
    s, t, k: int, qx: int, qy: int, planned: int, obstacles, counts, straight, hidden, filled
) -> int:
    """Return the cell nearest to q that mover `k` may be planned to end on, as 64 * column + bit; -1: there is none.

    Ties go to the offset that a DEST table of this size would have first: nearest to the start, then by dy, then dx.
    """
    far = 2 * int(s.allowance)
    while True:
        best = -1
        best_key = NOBODY << 24
        for n in range(2 * SIDE):
            e = (n + 1) // 2
            if (e * e) << 24 > best_key:
                break
            a = qx + FAR + (e if n & 1 else -e)
            if a < FAR - far or a > FAR + far:
                continue
            fill_columns(s, t, k, a, a, obstacles, counts, straight, hidden, filled)
            bits = (straight[k, a] | hidden[k, a]) & column_of_plan(s, t, k, a, planned)
            above = bits & ~span(0, qy + FAR - 1)
            below = bits & span(0, qy + FAR)
            for side in range(2):
                if (above if side == 0 else below) == 0:
                    continue
                b = lowest_bit(above) if side == 0 else highest_bit(below)
                dx = a - FAR
                dy = b - FAR
                key = (square(dx, dy, qx, qy) << 24) + ((dx * dx + dy * dy) << 12) + (b << 6) + a
                if key < best_key:
                    best = 64 * a + b
                    best_key = key
        if best < 0:
            return -1
        a = best >> 6
        b = best & 63
        if (straight[k, a] >> b) & 1:
            return best
        # Nobody knows whether a path leads there. Ask, and for what EDIT will want to know near there as well.
        first = FAR + min(a - FAR, least_progress(a - FAR))
        last = min(a, FAR + far - REACH) + REACH
        fill_columns(s, t, k, first, last, obstacles, counts, straight, hidden, filled)
        wanted = new_columns()
        for column in range(first, last + 1):
            wanted[column] = span(b - REACH, b + REACH)
        look_for_paths(
            s, t, int(s.movers[k]), first, last, obstacles[k], int(counts[k]), straight[k], hidden[k], wanted
        )


@kernel
def least_progress(planned: int) -> int:
    """Return how far EDIT may shorten a planned progress: to 3/4, rounded up (MAC-M4.6)."""
    return -((-3 * planned) // 4)


@kernel
def keep_editable(s, t, obstacles, counts, straight, hidden, filled) -> None:
    """Note, as offsets from the planned cells, where EDIT may put each model."""
    wanted = new_columns()
    region = new_columns()
    far = 2 * int(s.allowance)
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        px = int(m.plan_x) - int(m.start_x)
        py = int(m.plan_y) - int(m.start_y)
        first = max(px - REACH, least_progress(px), -far) + FAR
        last = min(px + REACH, far) + FAR
        for w in range(WORDS):
            cells = t.disc[6, w] & t.east_of[first - FAR - px + REACH, w]
            cells &= t.west_of[last - FAR - px + REACH, w]
            s.cells[k, w] = cells & t.north_of[max(-FAR - py, -REACH) + REACH, w]
        fill_columns(s, t, k, first, last, obstacles, counts, straight, hidden, filled)
        for a in range(first, last + 1):
            near = t.wide_disc[6, a - px]
            region[a] = near << py if py >= 0 else near >> -py
            wanted[a] = region[a]
        look_for_paths(
            s, t, int(s.movers[k]), first, last, obstacles[k], int(counts[k]), straight[k], hidden[k], wanted
        )
        for a in range(first, last + 1):  # mostly he may end anywhere: take out the rest
            bits = region[a] & ~straight[k, a]
            while bits != 0:
                b = lowest_bit(bits)
                bits = without_lowest(bits)
                cell = int(t.dest_index[a - FAR - px + REACH, b - FAR - py + REACH])
                s.cells[k, cell >> 6] &= ~(np.int64(1) << (cell & 63))


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
