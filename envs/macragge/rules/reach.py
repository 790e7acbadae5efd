"""Where a model may go (MAC-B22 to B26), as sets of DEST offsets.

The straight-line rule is answered by table: for each thing near the model, one precomputed set of offsets in its
shadow. Only offsets in shadow need the search for a path round obstacles.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import end_of_ultramarines, first_tyranid
from broodmind.envs.macragge.rules.contact import end_of_enemies, first_enemy, is_engaged
from broodmind.envs.macragge.rules.field import NO_FIELD, crosses_field, inside_field, steps_into_field
from broodmind.envs.macragge.rules.geometry import TABLE_SIZE, on_table
from broodmind.envs.macragge.tables import (
    BUDGET_PER_INCH,
    DEGREE,
    DESTS,
    REACH,
    SQ_BASE,
    SQ_ENEMY,
    SQ_INCH,
    SQ_LARGE_WRECK,
    SQ_WRECK,
    WINDOW,
)

WORDS = st.CELL_WORDS
MAX_OBSTACLES = st.MODELS + st.FIRST_MINE + st.PIECES  # fighters may have two rows each
OVERLAP_ONLY = -1
ALL_STEPS = (1 << DEGREE) - 1
LOW_BITS = (1 << 63) - 1


@entry
def square_of_wreck(r: int) -> int:
    """Return the index into ``SQUARES`` of a wreck or node of radius `r`."""
    return SQ_LARGE_WRECK if r == 6 else SQ_WRECK


@kernel
def path_square(s, mover: int, other: int) -> int:
    """Return how another model blocks a mover's path: an index into ``SQUARES``, or OVERLAP_ONLY (MAC-B23)."""
    ultramarine = mover < st.FIRST_GENESTEALER
    if other < st.FIRST_GENESTEALER:
        return OVERLAP_ONLY if ultramarine else SQ_ENEMY
    if other >= st.FIRST_MINE:
        return SQ_ENEMY if ultramarine else OVERLAP_ONLY
    if not ultramarine:
        return OVERLAP_ONLY
    return SQ_INCH if s.core.mission >= st.REINFORCEMENTS else SQ_ENEMY


@kernel
def inside(d2: int, sq: int) -> bool:
    """Say whether a squared distance is below the square of an index into ``SQUARES``."""
    if sq == SQ_BASE:
        return d2 < 4
    if sq == SQ_ENEMY:
        return d2 < 7
    if sq == SQ_INCH:
        return d2 < 17
    if sq == SQ_WRECK:
        return d2 < 25
    return d2 < 49


@kernel
def list_obstacles(s, t, mover: int, crossing: bool, obstacles) -> int:
    """Fill rows (dx, dy, path square or -1, square not to end in, 0) of everything near a mover outside its unit.

    Returns how many rows were filled.
    """
    me = s.models[mover]
    x0 = int(me.start_x)
    y0 = int(me.start_y)
    unit = int(me.group)
    count = 0
    last = end_of_ultramarines(s)
    first = first_tyranid(s)
    for slot in range(st.MODELS):
        m = s.models[slot]
        if (last <= slot and slot < first) or m.status != st.STATUS_TABLE or m.group == unit:
            continue
        dx = int(m.x) - x0
        dy = int(m.y) - y0
        if dx < -WINDOW or dx > WINDOW or dy < -WINDOW or dy > WINDOW:
            continue
        path = path_square(s, mover, slot)
        end = SQ_BASE
        if path != OVERLAP_ONLY:
            end = path
            if inside(dx * dx + dy * dy, path):
                path = SQ_BASE  # MAC-B24: it stands in the zone already
            elif dx * dx + dy * dy >= t.relevant[path]:
                path = OVERLAP_ONLY
        obstacles[count, 0] = dx
        obstacles[count, 1] = dy
        obstacles[count, 2] = path
        obstacles[count, 3] = end
        obstacles[count, 4] = 0
        count += 1
    for k in range(st.PIECES):
        p = s.pieces[k]
        if p.kind == st.PIECE_NONE:
            continue
        dx = int(p.x) - x0
        dy = int(p.y) - y0
        if dx < -WINDOW or dx > WINDOW or dy < -WINDOW or dy > WINDOW:
            continue
        path = OVERLAP_ONLY
        end = SQ_BASE
        if p.kind == st.PIECE_WRECK:
            if crossing:
                continue
            end = square_of_wreck(int(p.r))
            path = end if dx * dx + dy * dy < t.relevant[end] else OVERLAP_ONLY
        elif p.kind == st.PIECE_HIVE_NODE:
            end = SQ_WRECK
            path = end
        obstacles[count, 0] = dx
        obstacles[count, 1] = dy
        obstacles[count, 2] = path
        obstacles[count, 3] = end
        obstacles[count, 4] = 0
        count += 1
    return count


@kernel
def list_charge_obstacles(s, t, mover: int, obstacles) -> int:
    """Fill rows as `list_obstacles` does, for a charge: all bases block, wrecks do not (MAC-B42).

    An unengaged enemy has a second row, whose last column is 1: no path may touch it but at its end (MAC-B43).
    """
    me = s.models[mover]
    x0 = int(me.start_x)
    y0 = int(me.start_y)
    count = 0
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status != st.STATUS_TABLE or slot == mover:
            continue
        dx = int(m.x) - x0
        dy = int(m.y) - y0
        if dx < -WINDOW or dx > WINDOW or dy < -WINDOW or dy > WINDOW:
            continue
        mine = slot >= st.FIRST_MINE
        if mine and mover >= st.FIRST_GENESTEALER:
            path = OVERLAP_ONLY
        else:
            path = SQ_ENEMY if mine and not inside(dx * dx + dy * dy, SQ_ENEMY) else SQ_BASE
        obstacles[count, 0] = dx
        obstacles[count, 1] = dy
        obstacles[count, 2] = path
        obstacles[count, 3] = SQ_ENEMY if mine and mover < st.FIRST_GENESTEALER else SQ_BASE
        obstacles[count, 4] = 0
        count += 1
        if slot >= first_enemy(mover) and slot < end_of_enemies(mover) and not is_engaged(s, slot):
            obstacles[count, 0] = dx
            obstacles[count, 1] = dy
            obstacles[count, 2] = SQ_ENEMY
            obstacles[count, 3] = SQ_BASE
            obstacles[count, 4] = 1
            count += 1
    for k in range(st.FIRST_MARKER, st.PIECES):
        p = s.pieces[k]
        if p.kind == st.PIECE_NONE:
            continue
        dx = int(p.x) - x0
        dy = int(p.y) - y0
        if dx < -WINDOW or dx > WINDOW or dy < -WINDOW or dy > WINDOW:
            continue
        node = p.kind == st.PIECE_HIVE_NODE
        obstacles[count, 0] = dx
        obstacles[count, 1] = dy
        obstacles[count, 2] = SQ_WRECK if node else OVERLAP_ONLY
        obstacles[count, 3] = SQ_WRECK if node else SQ_BASE
        obstacles[count, 4] = 0
        count += 1
    return count


@kernel
def is_near_edge(x: int, y: int) -> bool:
    """Say whether a 12-step move from there could leave the table."""
    return x < 13 or x > 83 or y < 13 or y > 83


@kernel
def find_paths(
    t, x: int, y: int, allowance: int, obstacles, count: int, field_x: int, field_y: int, wanted, cells
) -> None:
    """Add to `cells` the offsets of `wanted` that a lattice path round the obstacles reaches (MAC-B22 rule 2).

    A Dijkstra search in buckets of equal cost: king and knight steps cost 12, 17 and 27, the budget is 24 an inch.
    Two things keep it short. Cells from which no wanted one can be reached within the budget are not followed: a path
    is never shorter than 12 a step of distance, and the wanted cells lie in a disc round their middle. And where no
    obstacle is near, only the last step and the two next to it in angle go on: any sharper turn has a strictly cheaper
    detour within a knight step. `x`, `y` are where the mover starts; no step leaves the table. `field_x`, `field_y`
    lead from there to the middle of the power field. A cell in contact with an unengaged enemy is an end: paths do not
    go on from there (MAC-B43).
    """
    budget = BUDGET_PER_INCH * allowance
    left = 0
    sum_x = 0
    sum_y = 0
    # Cost of the best path found; -1 for cells that are settled or cannot be entered.
    best = np.full(DESTS + 1, budget + 1, np.int16)
    best[DESTS] = -1
    near_edge = is_near_edge(x, y)
    for cell in range(DESTS):
        if (wanted[cell >> 6] >> (cell & 63)) & 1:
            left += 1
            sum_x += t.dest_x[cell]
            sum_y += t.dest_y[cell]
        if near_edge and not on_table(x + t.dest_x[cell], y + t.dest_y[cell]):
            best[cell] = -1
    middle_x = sum_x // left
    middle_y = sum_y // left
    radius = 0
    for cell in range(DESTS):
        if (wanted[cell >> 6] >> (cell & 63)) & 1:
            radius = max(radius, t.distance[abs(t.dest_x[cell] - middle_x), abs(t.dest_y[cell] - middle_y)])
    radius += 1  # `distance` is rounded down
    blocking = np.empty((MAX_OBSTACLES, 3), np.int64)
    blockers = 0
    unengaged = 0
    for k in range(count):
        unengaged += obstacles[k, 4]
        if obstacles[k, 2] >= 0 and obstacles[k, 4] == 0:
            for c in range(3):
                blocking[blockers, c] = obstacles[k, c]
            blockers += 1
    onward = np.empty(DESTS + 1, np.int32)  # steps that go on from a cell, as bits
    onward[0] = ALL_STEPS
    first = np.full(budget + 28, -1, np.int16)  # a linked list of entries per cost
    entry_cell = np.empty(DESTS * DEGREE, np.int16)  # each step is taken once at most
    entry_next = np.empty(DESTS * DEGREE, np.int16)
    entries = 1
    best[0] = 0
    entry_cell[0] = 0
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
            if (wanted[cell >> 6] >> (cell & 63)) & 1:
                cells[cell >> 6] |= np.int64(1) << (cell & 63)
                left -= 1
                if left == 0:
                    return
            cx = t.dest_x[cell]
            cy = t.dest_y[cell]
            if cost + t.distance[abs(cx - middle_x), abs(cy - middle_y)] - radius > budget:
                continue
            blocked = 0
            for k in range(blockers):
                rx = blocking[k, 0] - cx
                ry = blocking[k, 1] - cy
                if -9 <= rx and rx <= 9 and -9 <= ry and ry <= 9:
                    blocked |= t.step_blocked[blocking[k, 2], rx + 9, ry + 9]
            if field_x != NO_FIELD:
                blocked |= steps_into_field(t, cx - field_x, cy - field_y)
            if unengaged != 0:
                blocked |= steps_past_enemies(t, obstacles, count, cx, cy)
            steps = (ALL_STEPS if blocked > ALL_STEPS else int(onward[cell])) & ~blocked
            while steps != 0:
                step = steps & -steps
                steps ^= step
                d = int(t.bit[step % 37])
                to = int(t.step_to[cell, d])
                reached = cost + t.step_cost[d]
                known = int(best[to])
                if reached > known:
                    continue
                if reached == known:
                    onward[to] |= t.turns[d]
                    continue
                best[to] = reached
                onward[to] = t.turns[d]
                entry_cell[entries] = to
                entry_next[entries] = first[reached]
                first[reached] = entries
                entries += 1


@kernel
def settle(t, x: int, y: int, obstacles, count: int, wanted, cells) -> int:
    """Move from `wanted` to `cells` the offsets whose paths of 6 inches only one thing can be in the way of.

    `around` has said already that a path round that thing leads there. A path of a length stays within an ellipse about
    its ends: what lies outside, be it a thing or the edge of the table, is not in its way. Returns 0 if nothing is
    left in `wanted`.
    """
    near_edge = is_near_edge(x, y)
    remaining = 0
    for w in range(WORDS):
        bits = wanted[w]
        cell = 64 * w
        while bits != 0:
            if bits & 1:
                in_the_way = 0
                for k in range(count):
                    if obstacles[k, 2] >= 0 and may_meet(
                        t, obstacles[k, 0], obstacles[k, 1], obstacles[k, 2], t.dest_x[cell], t.dest_y[cell]
                    ):
                        in_the_way += 1
                if in_the_way == 1 and not (near_edge and may_leave(x, y, t.dest_x[cell], t.dest_y[cell])):
                    cells[w] |= np.int64(1) << (cell & 63)
                    wanted[w] &= ~(np.int64(1) << (cell & 63))
            bits = (bits >> 1) & LOW_BITS
            cell += 1
        remaining |= wanted[w]
    return remaining


@kernel
def may_meet(t, dx: int, dy: int, sq: int, to_x: int, to_y: int) -> bool:
    """Say whether a path of 6 inches to an offset could meet a thing at (dx, dy); it may be wrong with yes only."""
    from_x = abs(dx - to_x)
    from_y = abs(dy - to_y)
    if from_x > 24 or from_y > 24:
        return False
    length = t.distance[abs(dx), abs(dy)] + t.distance[from_x, from_y]
    return length <= BUDGET_PER_INCH * 6 + t.twice_radius[sq]


@kernel
def may_leave(x: int, y: int, to_x: int, to_y: int) -> bool:
    """Say whether a path of 6 inches from (x, y) to an offset could leave the table: mirror the end in each edge."""
    west = 2 * x + to_x
    east = 2 * (TABLE_SIZE - x) - to_x
    north = 2 * y + to_y
    south = 2 * (TABLE_SIZE - y) - to_y
    nearest_x = min(west, east)
    nearest_y = min(north, south)
    return (
        nearest_x * nearest_x + to_y * to_y <= REACH * REACH
        or nearest_y * nearest_y + to_x * to_x <= REACH * REACH
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
        for d in range(DEGREE):
            ex = rx - t.step_x[d]
            ey = ry - t.step_y[d]
            if (touching >> d) & 1 and inside(ex * ex + ey * ey, SQ_ENEMY):
                touching &= ~(1 << d)
        blocked |= touching
    return blocked


@kernel
def limit_to_table(t, x: int, y: int, cells) -> None:
    """Take out the offsets that would leave the table (MAC-B1)."""
    for w in range(WORDS):
        if x < 13:
            cells[w] &= t.east_of[13 - x, w]
        if x > 83:
            cells[w] &= t.west_of[107 - x, w]
        if y < 13:
            cells[w] &= t.north_of[13 - y, w]
        if y > 83:
            cells[w] &= t.south_of[107 - y, w]


@kernel
def fill_cells(s, t, mover: int, allowance: int, crossing: bool, cells) -> None:
    """Fill `cells` (seven words) with the offsets a mover may end on, as far as things outside its unit decide.

    Reach, table edge and overlap (MAC-B22 to B25); offset 0 is always in.
    """
    obstacles = np.empty((MAX_OBSTACLES, 5), np.int64)
    count = list_obstacles(s, t, mover, crossing, obstacles)
    reach_among(s, t, mover, allowance, obstacles, count, cells)


@kernel
def fill_charge_cells(s, t, mover: int, allowance: int, cells) -> None:
    """Fill `cells` with the offsets that a charging model may end on (MAC-B42, B43); offset 0 is always in."""
    obstacles = np.empty((MAX_OBSTACLES, 5), np.int64)
    count = list_charge_obstacles(s, t, mover, obstacles)
    reach_among(s, t, mover, allowance, obstacles, count, cells)


@kernel
def reach_among(s, t, mover: int, allowance: int, obstacles, count: int, cells) -> None:
    """Fill `cells` with the offsets that a mover reaches among obstacles (MAC-B22)."""
    me = s.models[mover]
    x = int(me.start_x)
    y = int(me.start_y)
    inches = min(allowance, 6)
    for w in range(WORDS):
        cells[w] = t.disc[inches, w]
    limit_to_table(t, x, y, cells)
    shadows = 0
    for k in range(count):
        sq = obstacles[k, 2]
        if sq >= 0:
            dx = obstacles[k, 0] + WINDOW
            dy = obstacles[k, 1] + WINDOW
            for w in range(WORDS):
                dark = t.shadow[sq, dx, dy, w]
                if obstacles[k, 4]:
                    dark &= ~t.within[sq, dx, dy, w]  # a straight charge may end in contact
                shadows |= cells[w] & dark
                cells[w] &= ~dark
    field_x = NO_FIELD
    field_y = NO_FIELD
    if s.field:
        core = s.pieces[st.FIRST_WRECK + 1]
        field_x = int(core.x) - x
        field_y = int(core.y) - y
        if max(abs(field_x), abs(field_y)) > WINDOW + 2:
            field_x = NO_FIELD
        else:
            for cell in range(DESTS):
                if (cells[cell >> 6] >> (cell & 63)) & 1 and crosses_field(
                    -field_x, -field_y, t.dest_x[cell], t.dest_y[cell]
                ):
                    shadows = -1
                    cells[cell >> 6] &= ~(np.int64(1) << (cell & 63))
    if shadows != 0:
        wanted = np.empty(WORDS, np.int64)
        any_wanted = 0
        for w in range(WORDS):
            wanted[w] = t.disc[inches, w] & ~cells[w]
        limit_to_table(t, x, y, wanted)
        for k in range(count):
            for w in range(WORDS):
                wanted[w] &= ~t.within[obstacles[k, 3], obstacles[k, 0] + WINDOW, obstacles[k, 1] + WINDOW, w]
        blockers = 0
        for k in range(count):
            sq = obstacles[k, 2]
            if sq >= 0 and obstacles[k, 4]:
                blockers = MAX_OBSTACLES  # `around` says nothing of what may be touched at the end
            elif sq >= 0:
                blockers += 1
                # Nothing is reached past several things that is not reached past each of them.
                for w in range(WORDS):
                    wanted[w] &= t.around[sq, obstacles[k, 0] + WINDOW, obstacles[k, 1] + WINDOW, w]
                if sq == SQ_BASE or inside(obstacles[k, 0] ** 2 + obstacles[k, 1] ** 2, sq):
                    blockers = (
                        MAX_OBSTACLES  # `around` says nothing of a thing that the mover touches or stands on
                    )
        if field_x != NO_FIELD:
            blockers = MAX_OBSTACLES
            for cell in range(DESTS):
                if inside_field(t.dest_x[cell] - field_x, t.dest_y[cell] - field_y):
                    wanted[cell >> 6] &= ~(np.int64(1) << (cell & 63))
        for w in range(WORDS):
            any_wanted |= wanted[w]
        if any_wanted != 0 and blockers < MAX_OBSTACLES and allowance == 6:
            any_wanted = settle(t, x, y, obstacles, count, wanted, cells)
        if any_wanted != 0:
            find_paths(t, x, y, inches, obstacles, count, field_x, field_y, wanted, cells)
    for k in range(count):
        for w in range(WORDS):
            cells[w] &= ~t.within[obstacles[k, 3], obstacles[k, 0] + WINDOW, obstacles[k, 1] + WINDOW, w]
    cells[0] |= 1


@kernel
def touches_wreck(s, x: int, y: int, inches: int) -> bool:
    """Say whether a base there is on a wreck or within some inches of it."""
    for k in range(st.FIRST_WRECK, st.LAST_WRECK + 1):
        p = s.pieces[k]
        if p.kind == st.PIECE_WRECK:
            dx = int(p.x) - x
            dy = int(p.y) - y
            far = 2 * inches + int(p.r) + 1
            if dx * dx + dy * dy <= far * far:
                return True
    return False
