"""Where a model may go (MAC-B22 to B26), as sets of DEST offsets.

The straight-line rule is answered by table: for each thing near the model, one precomputed set of offsets in its
shadow. Only offsets in shadow need the search for a path round obstacles.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import highest_bit, lowest_bit, without_lowest
from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import end_of_ultramarines, first_tyranid
from broodmind.envs.macragge.rules.contact import end_of_enemies, first_enemy, is_engaged
from broodmind.envs.macragge.rules.field import NO_FIELD, crosses_field, inside_field, steps_into_field
from broodmind.envs.macragge.rules.geometry import on_table
from broodmind.envs.macragge.tables import (
    BUDGET_PER_INCH,
    DEGREE,
    FAR,
    KING_STEPS,
    MARGIN,
    REACH,
    SIDE,
    SQ_BASE,
    SQ_ENEMY,
    SQ_INCH,
    SQ_LARGE_WRECK,
    SQ_WRECK,
    WINDOW,
)

WORDS = st.CELL_WORDS
MAX_OBSTACLES = st.MODELS + st.FIRST_MINE + st.PIECES  # fighters may have two rows each
new_obstacles = scratch((MAX_OBSTACLES, 5), np.int64)
"""Room for `list_obstacles`."""
new_cells = scratch((WORDS,), np.int64)
"""Room for a set of DEST offsets."""
_new_blocking = scratch((MAX_OBSTACLES, 4), np.int64)
new_costs = scratch((64 * (SIDE + 2 * MARGIN),), np.int16)
"""Room for what `find_paths` takes as `best`."""
new_columns = scratch((SIDE,), np.int64)
"""Room for a set of offsets of up to 24 steps: a word per column."""
_new_steps = scratch((64 * (SIDE + 2 * MARGIN),), np.uint16)
BUCKETS = BUDGET_PER_INCH * FAR // 2 + 1
_new_buckets = scratch((BUCKETS,), np.int16)
_new_entries = scratch((3 * SIDE * SIDE + 1,), np.int16)
OVERLAP_ONLY = -1
ALL_STEPS = (1 << DEGREE) - 1


@kernel
def empty(cells) -> None:
    """Take all offsets out of a set."""
    for w in range(WORDS):
        cells[w] = 0


@entry
def square_of_wreck(r: int) -> int:
    """Return the index into ``SQUARES`` of a wreck or node of radius `r`."""
    return SQ_LARGE_WRECK if r == 6 else SQ_WRECK


@kernel
def path_square(s, mover: int, other: int, charging: bool) -> int:
    """Return how another model blocks a mover's path: an index into ``SQUARES``, or OVERLAP_ONLY (MAC-B23, B42)."""
    ultramarine = mover < st.FIRST_GENESTEALER
    if other >= st.FIRST_MINE:
        return SQ_ENEMY if ultramarine else OVERLAP_ONLY
    if charging:
        return SQ_BASE
    if ultramarine == (other < st.FIRST_GENESTEALER):
        return OVERLAP_ONLY
    return SQ_INCH if ultramarine and s.core.mission >= st.REINFORCEMENTS else SQ_ENEMY


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
def note(obstacles, count: int, dx: int, dy: int, path: int, end: int, unengaged: int) -> int:
    """Fill the next row; returns how many there are now."""
    obstacles[count, 0] = dx
    obstacles[count, 1] = dy
    obstacles[count, 2] = path
    obstacles[count, 3] = end
    obstacles[count, 4] = unengaged
    return count + 1


@kernel
def list_obstacles(s, t, mover: int, inches: int, crossing: bool, charging: bool, obstacles) -> int:
    """Fill rows (dx, dy, path square or -1, square not to end in, 0) of everything that matters to a move.

    The mover's own unit is left out, but not in a charge: there all bases block, and wrecks do not (`crossing`;
    MAC-B42). An unengaged enemy has a second row then, whose last column is 1: no path may touch it but at its end
    (MAC-B43). Returns how many rows were filled.
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
        if (last <= slot and slot < first) or m.status != st.STATUS_TABLE:
            continue
        if m.group == unit and (not charging or slot == mover):
            continue
        dx = int(m.x) - x0
        dy = int(m.y) - y0
        d2 = dx * dx + dy * dy
        path = path_square(s, mover, slot, charging)
        end = path if path != OVERLAP_ONLY else SQ_BASE
        if d2 < t.relevant[inches, end]:
            if path != OVERLAP_ONLY and inside(d2, path):
                path = SQ_BASE  # MAC-B24: it stands in the zone already
            count = note(obstacles, count, dx, dy, path, end, 0)
        enemy = first_enemy(mover) <= slot and slot < end_of_enemies(mover)
        if charging and enemy and d2 < t.relevant[inches, SQ_ENEMY] and not is_engaged(s, slot):
            count = note(obstacles, count, dx, dy, SQ_ENEMY, SQ_BASE, 1)
    for k in range(st.PIECES):
        p = s.pieces[k]
        if p.kind == st.PIECE_NONE or (crossing and p.kind == st.PIECE_WRECK):
            continue
        path = OVERLAP_ONLY
        end = SQ_BASE
        if p.kind == st.PIECE_WRECK:
            end = path = square_of_wreck(int(p.r))
        elif p.kind == st.PIECE_HIVE_NODE:
            end = path = SQ_WRECK
        dx = int(p.x) - x0
        dy = int(p.y) - y0
        if dx * dx + dy * dy < t.relevant[inches, end]:
            count = note(obstacles, count, dx, dy, path, end, 0)
    return count


@kernel
def is_near_edge(x: int, y: int) -> bool:
    """Say whether a 12-step move from there could leave the table."""
    return x < 13 or x > 83 or y < 13 or y > 83


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
def fill_cells(s, t, mover: int, allowance: int, crossing: bool, obstacles, cells) -> None:
    """Fill `cells` (seven words) with the offsets a mover may end on, as far as things outside its unit decide.

    Reach, table edge and overlap (MAC-B22 to B25); offset 0 is always in. `obstacles` is room for `list_obstacles`.
    """
    for w in range(WORDS):
        cells[w] = -1
    keep_reached(s, t, mover, allowance, crossing, False, obstacles, cells)


@kernel
def keep_reached(s, t, mover: int, allowance: int, crossing: bool, charging: bool, obstacles, cells) -> None:
    """Keep the offsets in `cells` that a mover may end on, as far as things outside its unit decide; always offset 0.

    The fewer are asked about, the sooner it is known.
    """
    inches = min(allowance, 6)
    count = list_obstacles(s, t, mover, inches, crossing, charging, obstacles)
    me = s.models[mover]
    x = int(me.start_x)
    y = int(me.start_y)
    stays = int(cells[0]) & 1
    for w in range(WORDS):
        cells[w] &= t.disc[inches, w]
    limit_to_table(t, x, y, cells)
    for k in range(count):
        for w in range(WORDS):
            cells[w] &= ~t.within[obstacles[k, 3], obstacles[k, 0] + WINDOW, obstacles[k, 1] + WINDOW, w]
    reach_among(s, t, x, y, inches, obstacles, count, cells)
    cells[0] |= stays


@kernel
def is_stuck(obstacles, count: int) -> bool:
    """Say whether a mover stands on something that blocks: it can move nowhere before that lets it cross (MAC-B23)."""
    for k in range(count):
        path = obstacles[k, 2]
        if path >= 0 and obstacles[k, 4] == 0 and inside(obstacles[k, 0] ** 2 + obstacles[k, 1] ** 2, path):
            return True
    return False


@kernel
def any_in_the_way(obstacles, count: int) -> bool:
    """Say whether something may block a path."""
    for k in range(count):
        if obstacles[k, 2] >= 0:
            return True
    return False


@kernel
def reach_among(s, t, x: int, y: int, inches: int, obstacles, count: int, cells) -> None:
    """Keep the offsets in `cells` that a mover at (x, y) reaches among obstacles (MAC-B22)."""
    if not s.field and not any_in_the_way(obstacles, count):
        return
    wanted = new_cells()  # no straight line leads there
    empty(wanted)
    stuck = False
    plain = True  # nothing is near but what `around` knows
    for k in range(count):
        sq = obstacles[k, 2]
        if sq < 0:
            continue
        dx = obstacles[k, 0] + WINDOW
        dy = obstacles[k, 1] + WINDOW
        for w in range(WORDS):
            dark = t.shadow[sq, dx, dy, w]
            if obstacles[k, 4]:
                dark &= ~t.within[sq, dx, dy, w]  # a straight charge may end in contact
            wanted[w] |= cells[w] & dark
            cells[w] &= ~dark
        if obstacles[k, 4]:
            plain = False  # it may be touched at the end
        elif inside(obstacles[k, 0] ** 2 + obstacles[k, 1] ** 2, sq):
            stuck = True
    field_x = NO_FIELD
    field_y = NO_FIELD
    if s.field:
        core = s.pieces[st.FIRST_WRECK + 1]
        field_x = int(core.x) - x
        field_y = int(core.y) - y
        if max(abs(field_x), abs(field_y)) > WINDOW + 2:
            field_x = NO_FIELD
        else:
            plain = False
            leave_field_out(t, field_x, field_y, wanted, cells)
    if stuck:
        return  # whoever stands on a thing cannot move before it lets him cross
    any_wanted = 0
    for w in range(WORDS):
        wanted[w] &= t.paths[inches, w]
        any_wanted |= wanted[w]
    if any_wanted == 0:
        return
    for k in range(count):
        if obstacles[k, 2] >= 0 and obstacles[k, 4] == 0:
            # Nothing is reached past several things that is not reached past each of them.
            for w in range(WORDS):
                wanted[w] &= t.around[obstacles[k, 2], obstacles[k, 0] + WINDOW, obstacles[k, 1] + WINDOW, w]
    any_wanted = 0
    for w in range(WORDS):
        any_wanted |= wanted[w]
    if any_wanted != 0 and plain:
        any_wanted = follow_known_paths(t, x, y, inches, obstacles, count, wanted, cells)
    if any_wanted != 0:
        best = new_costs()
        close_grid(best)
        open_ways(t, x, y, inches, wanted, best)
        hidden = new_columns()
        found = new_columns()
        for a in range(SIDE):
            hidden[a] = 0
            found[a] = 0
        for w in range(WORDS):
            bits = wanted[w]
            while bits != 0:
                cell = 64 * w + lowest_bit(bits)
                bits = without_lowest(bits)
                hidden[t.dest_x[cell] + FAR] |= np.int64(1) << (t.dest_y[cell] + FAR)
        find_paths(t, inches, obstacles, count, field_x, field_y, best, hidden, found)
        for a in range(FAR - REACH, FAR + REACH + 1):
            bits = found[a]
            while bits != 0:
                cell = int(t.dest_index[a - FAR + REACH, lowest_bit(bits) - FAR + REACH])
                bits = without_lowest(bits)
                cells[cell >> 6] |= np.int64(1) << (cell & 63)


@kernel
def open_ways(t, x: int, y: int, inches: int, wanted, best) -> None:
    """Let a search from (x, y) enter the offsets on the table from which something wanted can be reached at all."""
    ways = new_cells()
    empty(ways)
    for w in range(WORDS):
        bits = wanted[w]
        while bits != 0:
            cell = 64 * w + lowest_bit(bits)
            bits = without_lowest(bits)
            for v in range(WORDS):
                ways[v] |= t.ways[cell, v]
    limit_to_table(t, x, y, ways)
    for w in range(WORDS):
        bits = ways[w] & t.disc[inches, w]
        while bits != 0:
            cell = 64 * w + lowest_bit(bits)
            best[64 * (t.dest_x[cell] + FAR + MARGIN) + t.dest_y[cell] + FAR] = BUDGET_PER_INCH * inches + 1
            bits = without_lowest(bits)


@kernel
def leave_field_out(t, field_x: int, field_y: int, wanted, cells) -> None:
    """Move from `cells` to `wanted` what a straight line crosses the field to; take from both what lies in it."""
    for w in range(WORDS):
        bits = cells[w] | wanted[w]
        while bits != 0:
            b = lowest_bit(bits)
            bits = without_lowest(bits)
            bit = np.int64(1) << b
            x = t.dest_x[64 * w + b]
            y = t.dest_y[64 * w + b]
            if inside_field(x - field_x, y - field_y):
                cells[w] &= ~bit
                wanted[w] &= ~bit
            elif cells[w] & bit != 0 and crosses_field(-field_x, -field_y, x, y):
                cells[w] &= ~bit
                wanted[w] |= bit


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
