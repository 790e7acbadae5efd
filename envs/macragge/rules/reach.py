"""Where a model may go (MAC-B22 to B26), as sets of DEST offsets.

The straight-line rule is answered by table: for each thing near the model, one precomputed set of offsets in its
shadow. Only offsets in shadow need a path round obstacles (`paths`).
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.field import NO_FIELD, crosses_field, inside_field
from broodmind.envs.macragge.rules.obstacles import any_in_the_way, is_stuck, list_obstacles
from broodmind.envs.macragge.rules.offsets import WORDS, empty, limit_to_table, new_cells
from broodmind.envs.macragge.rules.paths import (
    close_grid,
    find_paths,
    follow_known_paths,
    new_columns,
    new_costs,
)
from broodmind.envs.macragge.tables import BUDGET_PER_INCH, FAR, MARGIN, REACH, SIDE, WINDOW


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
def reach_among(s, t, x: int, y: int, inches: int, obstacles, count: int, cells) -> None:
    """Keep the offsets in `cells` that a mover at (x, y) reaches among obstacles (MAC-B22)."""
    if not s.field and not any_in_the_way(obstacles, count):
        return
    wanted = new_cells()  # no straight line leads there
    empty(wanted)
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
    any_wanted = 0
    for w in range(WORDS):
        wanted[w] &= t.paths[inches, w]
        any_wanted |= wanted[w]
    if any_wanted == 0 or is_stuck(obstacles, count):
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
