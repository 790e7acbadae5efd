"""Paths of king and knight steps round obstacles (MAC-B22): searched for, or known from tables and looked up."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import highest_bit, lowest_bit, without_lowest
from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge.rules.field import NO_FIELD, steps_into_field
from broodmind.envs.macragge.rules.geometry import on_table
from broodmind.envs.macragge.rules.obstacles import MAX_OBSTACLES, inside
from broodmind.envs.macragge.rules.offsets import WORDS, empty, new_cells
from broodmind.envs.macragge.tables import (
    BUDGET_PER_INCH,
    DEGREE,
    FAR,
    KING_STEPS,
    MARGIN,
    REACH,
    SIDE,
    SQ_ENEMY,
    WINDOW,
)

_new_blocking = scratch((MAX_OBSTACLES, 4), np.int64)
new_costs = scratch((64 * (SIDE + 2 * MARGIN),), np.int16)
"""Room for what `find_paths` takes as `best`."""
new_columns = scratch((SIDE,), np.int64)
"""Room for a set of offsets of up to 24 steps: a word per column."""
_new_steps = scratch((64 * (SIDE + 2 * MARGIN),), np.uint16)
BUCKETS = BUDGET_PER_INCH * FAR // 2 + 1
_new_buckets = scratch((BUCKETS,), np.int16)
_new_entries = scratch((3 * SIDE * SIDE + 1,), np.int16)
ALL_STEPS = (1 << DEGREE) - 1


@kernel
def close_grid(best) -> None:
    """Let a search enter nothing, for a start; the margin stays closed."""
    for cell in range(64 * (SIDE + 2 * MARGIN)):
        best[cell] = -1


@kernel
def find_paths(
    t, inches: int, obstacles, count: int, field_x: int, field_y: int, best, wanted, cells
) -> None:
    """Add to `cells` the offsets of `wanted` that a lattice path round the obstacles reaches (MAC-B22 rule 2).

    A Dijkstra search in buckets of equal cost: king and knight steps cost 12, 17 and 27, the budget is 24 an inch.
    Both sets have a word per column, dx + 24, a bit per dy + 24. The search's own numbers of offsets are 64 times the
    column, with a margin of two, plus the bit: so a step adds the same number wherever it is taken. `best` comes filled
    by such numbers: with more than the budget, but with -1 for offsets that no path needs to enter. Two things keep the
    search short. Cells from which nothing wanted can be reached within the budget are not followed: not even if all the
    way to the rectangle that holds it were free. And a path goes on as it came, or after a king step in a knight step
    next to that in angle; any other turn has a way beside it that is cheaper, or as cheap and followed already, so
    something must be in that (`detours`). `field_x`, `field_y` lead to the middle of the power field. A cell in contact
    with an unengaged enemy is an end: paths do not go on from there (MAC-B43).
    """
    budget = BUDGET_PER_INCH * inches
    far = 2 * inches
    left = 0
    west = FAR
    east = -FAR
    rows = 0
    for a in range(FAR - far, FAR + far + 1):
        bits = wanted[a]
        if bits != 0:
            west = min(west, a - FAR)
            east = a - FAR
            rows |= bits
        while bits != 0:
            bits = without_lowest(bits)
            left += 1
    north = lowest_bit(rows) - FAR
    south = highest_bit(rows) - FAR
    by_column = new_columns()  # which obstacles may block a step from a column of cells, as bits
    by_row = new_columns()
    for a in range(SIDE):  # of a fixed length, like the next loop: several at once
        by_column[a] = 0
        by_row[a] = 0
    blocking = _new_blocking()
    blockers = 0  # fewer than 64: only enemies of a charge have two rows, and then few pieces count
    unengaged = 0
    for k in range(count):
        if obstacles[k, 2] >= 0:
            unengaged += obstacles[k, 4]
            for c in range(3):
                blocking[blockers, c] = obstacles[k, c]
            blocking[blockers, 3] = obstacles[k, 4]
            close = t.step_reach[obstacles[k, 2]]
            bit = np.int64(1) << blockers
            for a in range(max(obstacles[k, 0] - close, -far), min(obstacles[k, 0] + close, far) + 1):
                by_column[a + FAR] |= bit
            for b in range(max(obstacles[k, 1] - close, -far), min(obstacles[k, 1] + close, far) + 1):
                by_row[b + FAR] |= bit
            blockers += 1
    led_to = _new_steps()  # steps that lead to a cell on the best paths, as bits
    first = _new_buckets()  # a linked list of entries per cost
    for cost in range(BUCKETS):
        first[cost] = -1
    # A cell is entered anew only by a cheaper step: up to three times.
    entry_cell = _new_entries()
    entry_next = _new_entries()
    entries = 1
    start = 64 * (FAR + MARGIN) + FAR
    best[start] = 0
    entry_cell[0] = start
    entry_next[0] = -1
    first[0] = 0
    for cost in range(budget + 1):
        entry = int(first[cost])
        while entry >= 0:
            cell = int(entry_cell[entry])
            entry = int(entry_next[entry])
            if best[cell] != cost:
                continue
            best[cell] = -1  # settled; later entries of this cell are stale
            column = (cell >> 6) - MARGIN
            row = cell & 63
            if (wanted[column] >> row) & 1:
                cells[column] |= np.int64(1) << row
                left -= 1
                if left == 0:
                    return
            cx = column - FAR
            cy = row - FAR
            off_x = max(west - cx, cx - east, 0)
            off_y = max(north - cy, cy - south, 0)
            if cost + t.path_cost[off_x, off_y] > budget:
                continue
            blocked = 0
            came = 0 if cell == start else int(led_to[cell]) & ALL_STEPS
            turning = came & KING_STEPS
            steps = came | turning << 1 | turning >> 1 | turning << 15 | turning >> 15
            if cell == start:
                steps = ALL_STEPS
            near = by_column[column] & by_row[row]
            while near != 0:
                k = lowest_bit(near)
                near = without_lowest(near)
                rx = blocking[k, 0] - cx + 9
                ry = blocking[k, 1] - cy + 9
                if blocking[k, 3] == 0:
                    blocked |= int(t.step_blocked[blocking[k, 2], rx, ry])
                left_over = came
                while left_over != 0:
                    steps |= int(t.detours[blocking[k, 2], rx, ry, lowest_bit(left_over)])
                    left_over = without_lowest(left_over)
            if field_x != NO_FIELD:
                blocked |= steps_into_field(t, cx - field_x, cy - field_y)
                if blocked > ALL_STEPS:
                    steps = ALL_STEPS
            if unengaged != 0:
                blocked |= steps_past_enemies(t, obstacles, count, cx, cy)
            steps &= ALL_STEPS & ~blocked
            while steps != 0:
                d = lowest_bit(steps)
                steps = without_lowest(steps)
                to = cell + t.step_ahead[d]
                reached = cost + t.step_cost[d]
                known = int(best[to])
                if reached > known:
                    continue
                if reached == known:
                    led_to[to] |= 1 << d
                    continue
                best[to] = reached
                led_to[to] = 1 << d
                entry_cell[entries] = to
                entry_next[entries] = first[reached]
                first[reached] = entries
                entries += 1


@kernel
def is_near_edge(x: int, y: int) -> bool:
    """Say whether a 12-step move from there could leave the table."""
    return x < 13 or x > 83 or y < 13 or y > 83


@kernel
def follow_known_paths(t, x: int, y: int, inches: int, obstacles, count: int, wanted, cells) -> int:
    """Move from `wanted` to `cells` the offsets that a known path round one of the things leads to, past all others.

    `last_step` knows a cheapest path of 6 inches to every offset, for each thing that may stand alone. Mostly that is
    clear of the others as well. Returns 0 if nothing is left in `wanted`.
    """
    blocking = _new_blocking()
    blockers = 0
    for k in range(count):
        if obstacles[k, 2] >= 0:
            for c in range(3):
                blocking[blockers, c] = obstacles[k, c]
            blockers += 1
    if blockers == 1 and inches == REACH // 2 and not is_near_edge(x, y):
        for w in range(WORDS):
            cells[w] |= wanted[w]
        return 0
    clear = new_cells()  # what lies on such paths
    for k in range(blockers):
        sq = blocking[k, 2]
        dx = blocking[k, 0] + WINDOW
        dy = blocking[k, 1] + WINDOW
        empty(clear)
        clear[0] = 1
        for w in range(WORDS):
            bits = wanted[w] & t.shadow[sq, dx, dy, w]
            while bits != 0:
                cell = 64 * w + lowest_bit(bits)
                bits = without_lowest(bits)
                if is_path_clear(t, x, y, inches, blocking, blockers, k, cell, clear):
                    cells[w] |= np.int64(1) << (cell & 63)
                    wanted[w] ^= np.int64(1) << (cell & 63)
    remaining = 0
    for w in range(WORDS):
        remaining |= wanted[w]
    return remaining


@kernel
def is_path_clear(
    t, x: int, y: int, inches: int, blocking, blockers: int, around: int, end: int, clear
) -> bool:
    """Say whether the known path from (x, y) round thing `around` to an offset is clear of the others, and no longer.

    It must not leave the table. `clear` is a set of offsets to which it is; those on the path are added.
    """
    left = BUDGET_PER_INCH * inches
    cell = end
    free = True
    while free and (clear[cell >> 6] >> (cell & 63)) & 1 == 0:
        to_x = t.dest_x[cell]
        to_y = t.dest_y[cell]
        d = last_step(t, blocking, around, cell)
        if d < 0 or not on_table(x + to_x, y + to_y):
            free = False
            break
        from_x = to_x - t.step_x[d]
        from_y = to_y - t.step_y[d]
        left -= t.step_cost[d]
        for k in range(blockers):
            rx = blocking[k, 0] - from_x + 9
            ry = blocking[k, 1] - from_y + 9
            near = k != around and 0 <= rx and rx <= 18 and 0 <= ry and ry <= 18
            if near and (t.step_blocked[blocking[k, 2], rx, ry] >> d) & 1:
                free = False
        if free:
            clear[cell >> 6] |= np.int64(1) << (cell & 63)
            cell = int(t.dest_index[from_x + REACH, from_y + REACH])
    free = free and left >= 0
    if not free or inches < REACH // 2:  # a path of 6 inches is short enough wherever it joins a clear one
        back = end
        while back != cell:
            clear[back >> 6] ^= np.int64(1) << (back & 63)
            d = last_step(t, blocking, around, back)
            back = int(
                t.dest_index[t.dest_x[back] - t.step_x[d] + REACH, t.dest_y[back] - t.step_y[d] + REACH]
            )
    return free


@kernel
def last_step(t, blocking, around: int, cell: int) -> int:
    """Return the last step of the known path round a thing to an offset; -1: none is known."""
    return int(
        t.last_step[blocking[around, 2], blocking[around, 0] + WINDOW, blocking[around, 1] + WINDOW, cell]
    )


@kernel
def steps_past_enemies(t, obstacles, count: int, x: int, y: int) -> int:
    """Return, as bits, the lattice steps of a charge from an offset that pass an unengaged enemy (MAC-B43).

    A step that ends in contact does not pass; from a cell in contact there is none.
    """
    blocked = 0
    for k in range(count):
        if obstacles[k, 4] == 0:
            continue
        rx = obstacles[k, 0] - x
        ry = obstacles[k, 1] - y
        if rx < -9 or rx > 9 or ry < -9 or ry > 9:
            continue
        if inside(rx * rx + ry * ry, SQ_ENEMY):
            return ALL_STEPS
        touching = t.step_blocked[SQ_ENEMY, rx + 9, ry + 9]
        passing = touching
        while touching != 0:
            d = lowest_bit(touching)
            touching = without_lowest(touching)
            ex = rx - t.step_x[d]
            ey = ry - t.step_y[d]
            if inside(ex * ex + ey * ey, SQ_ENEMY):
                passing ^= 1 << d
        blocked |= passing
    return blocked
