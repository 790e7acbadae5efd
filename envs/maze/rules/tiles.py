"""Tiles: drawn, turned, placed, filled in and taken away (MAZE-4, 11, 30, 45 to 53, 145, 148, 153)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import pick, planned_value, refuse_planned, uniform
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    DX,
    DY,
    count_bits,
    edge,
    explorers_on,
    is_bend,
    is_pit,
    nth_bit,
    roll,
    visibility,
)
from broodmind.envs.maze.rules.items import destroy_items, put_down
from broodmind.envs.maze.rules.wounds import horror_leaves

BY_KIND = 100
"""A planned draw of this much or more names a kind of tile (MAZE-11)."""


@kernel
def drawable(s, a: int, alone: bool) -> bool:
    """Say whether a draw may give a tile: the Beacon room lies at the bottom until the first shuffle (MAZE-30)."""
    return s.state[a] == st.IN_PILE and (s.kind[a] != st.BEACON_ROOM or s.shuffled == 1 or alone)


@kernel
def pile_size(s) -> int:
    """Count the tiles in the pile."""
    count = 0
    for a in range(int(s.n_tiles)):
        if s.state[a] == st.IN_PILE:
            count += 1
    return count


@kernel
def draw_tile(s) -> int:
    """Draw a tile: set it aside and return it, or -1 if the pile is empty (MAZE-11, 49, 50)."""
    size = pile_size(s)
    if size == 0:
        return -1
    alone = size == 1
    n = 0
    for a in range(int(s.n_tiles)):
        if drawable(s, a, alone):
            n += 1
    value = planned_value(s.core)
    if value >= BY_KIND:
        for a in range(int(s.n_tiles)):
            if s.kind[a] == value - BY_KIND and drawable(s, a, alone):
                s.state[a] = st.ASIDE
                return a
    if value > 0 and value < BY_KIND:
        k = (value - 1) % n
    else:
        if value >= 0:
            refuse_planned(s.core, n)
        k = uniform(s.core, n)
    for a in range(int(s.n_tiles)):
        if drawable(s, a, alone):
            if k == 0:
                s.state[a] = st.ASIDE
                return a
            k -= 1
    return -1


@kernel
def return_aside(s) -> None:
    """Put the tiles that were set aside back into the pile."""
    for a in range(int(s.n_tiles)):
        if s.state[a] == st.ASIDE:
            s.state[a] = st.IN_PILE


@kernel
def turn_tile(s, t, log, kind: int, heading: int) -> int:
    """Return the sides with a corridor of a tile that is entered with a heading (MAZE-48)."""
    form = int(t.form[kind])
    entry = heading ^ 2
    if form == st.END_SHAPE:
        return 1 << entry
    if form == st.STRAIGHT:
        return 1 << entry | 1 << heading
    if form == st.BENT:
        left = roll(s, log, st.ROLL_WAY, -1, 0) <= 3
        return 1 << entry | 1 << ((heading + (3 if left else 1)) & 3)
    if form == st.THREE:
        closed = pick(s.core, 3)  # left, ahead, right
        return 15 & ~(1 << ((heading + 3 + closed) & 3))
    return 15


@kernel
def lock_doors(s, log, kind: int, sides: int, heading: int) -> int:
    """Return the sides of a new tile with a locked door (MAZE-153)."""
    if kind == st.LOCKED_CORRIDOR:
        return 1 << heading
    if kind == st.LOCKED_INTERSECTION:
        count = (roll(s, log, st.ROLL_DOORS, -1, 0) + 2) // 3
    elif kind == st.LOCKED_JUNCTION:
        count = (roll(s, log, st.ROLL_DOORS, -1, 0) + 1) // 2
    else:
        return 0
    rest = sides & ~(1 << (heading ^ 2))
    doors = 0
    for _ in range(count):
        d = nth_bit(rest, pick(s.core, count_bits(rest)))
        doors |= 1 << d
        rest &= ~(1 << d)
    return doors


@kernel
def link(s, a: int) -> None:
    """Make a tile and those in the four cells round it neighbours."""
    s.regroup = 1
    for d in range(4):
        s.nb[a, d] = -1
    for b in range(int(s.n_tiles)):
        if b == a or s.state[b] != st.ON_BOARD or s.floor[b] != s.floor[a]:
            continue
        for d in range(4):
            if s.x[b] == s.x[a] + DX[d] and s.y[b] == s.y[a] + DY[d]:
                s.nb[a, d] = b
                s.nb[b, d ^ 2] = a


@kernel
def unlink(s, a: int) -> None:
    """Take a tile from its neighbours, with the mines on its edges."""
    s.regroup = 1
    for d in range(4):
        b = int(s.nb[a, d])
        if b >= 0:
            s.nb[b, d ^ 2] = -1
            s.mine[b] &= ~(1 << (d ^ 2))
            s.armed[b] &= ~(1 << (d ^ 2))
            s.nb[a, d] = -1
    s.mine[a] = 0
    s.armed[a] = 0


@kernel
def wipe(s, a: int) -> None:
    """Clear what a tile has while it is on the board; what lasts the whole game stays (MAZE-53)."""
    s.tile_marks[a] &= st.GAME_LONG
    s.open[a] = 0
    s.door[a] = 0
    s.ceramite[a] = 0
    s.melta[a] = 0
    s.mourned[a] = 0
    for k in range(st.VENTS):
        s.lit[a, k] = 0


@kernel
def place_tile(s, t, log, a: int, x: int, y: int, floor: int, sides: int, doors: int) -> None:
    """Place a tile that was drawn, turned already."""
    wipe(s, a)
    s.state[a] = st.ON_BOARD
    s.x[a] = x
    s.y[a] = y
    s.floor[a] = floor
    s.open[a] = sides
    s.door[a] = doors
    if doors and s.ceramite_next:  # MAZE-145
        s.ceramite[a] = doors
        s.ceramite_next = 0
    link(s, a)
    kind = int(s.kind[a])
    emit(log, st.LOG_DREW, a, kind, x, y, floor)
    if s.tile_marks[a] & st.FIXED_TAKEN == 0:
        if kind == st.CHAPEL:
            put_down(s, a, st.PENDANT, 1)
        elif kind == st.SHRINE and s.core.mission == st.FULL_HULK:
            put_down(s, a, st.BLADE, 1)
    if kind == st.NEST and s.h_state == st.IN_NEST:  # MAZE-51
        s.h_state = st.PROWLING
        s.h_tile = a
        emit(log, st.LOG_HORROR_MOVED, -1, a, st.PROWLING)


@kernel
def remove_tile(s, log, a: int) -> None:
    """Put a tile without explorers back into the pile, which mixes the Beacon room in (MAZE-30, 53)."""
    emit(log, st.LOG_REMOVED, a, int(s.kind[a]))
    if s.h_tile == a:
        horror_leaves(s, log, st.SHADOWS)
    destroy_items(s, a)
    unlink(s, a)
    wipe(s, a)
    s.state[a] = st.IN_PILE
    s.x[a] = 0
    s.y[a] = 0
    s.floor[a] = 0
    s.shuffled = 1


@kernel
def place_beyond(s, t, log, a: int, d: int) -> int:
    """Draw a tile and place it beyond a side of a tile; return it, or -1 if the pile is empty."""
    b = draw_tile(s)
    if b >= 0:
        kind = int(s.kind[b])
        sides = turn_tile(s, t, log, kind, d)
        doors = lock_doors(s, log, kind, sides, d)
        place_tile(s, t, log, b, int(s.x[a]) + DX[d], int(s.y[a]) + DY[d], int(s.floor[a]), sides, doors)
    return b


@kernel
def offer_tiles(s, t, log, a: int, d: int) -> int:
    """Draw the tiles of which the Imperials choose one (MAZE-148); return how many there are."""
    wanted = int(s.extra_draw)
    s.extra_draw = 0
    s.cand_n = 0
    for k in range(wanted):
        b = draw_tile(s)
        if b < 0:
            break
        kind = int(s.kind[b])
        s.cand_tile[k] = b
        s.cand_open[k] = turn_tile(s, t, log, kind, d)
        s.cand_door[k] = lock_doors(s, log, kind, int(s.cand_open[k]), d)
        s.cand_n = k + 1
    s.cand_at = a
    s.cand_dir = d
    return int(s.cand_n)


@kernel
def take_candidate(s, t, log, k: int) -> None:
    """Place the chosen tile; the others go back (MAZE-148)."""
    a = int(s.cand_at)
    d = int(s.cand_dir)
    place_tile(
        s,
        t,
        log,
        int(s.cand_tile[k]),
        int(s.x[a]) + DX[d],
        int(s.y[a]) + DY[d],
        int(s.floor[a]),
        int(s.cand_open[k]),
        int(s.cand_door[k]),
    )
    if s.cand_n > 1:
        s.shuffled = 1
    return_aside(s)
    s.cand_n = 0
    for other in range(3):
        s.cand_tile[other] = -1
        s.cand_open[other] = 0
        s.cand_door[other] = 0
    s.cand_at = -1
    s.cand_dir = 0


@kernel
def reveal_from(s, t, log, m: int, bends: bool, may_choose: bool) -> bool:
    """Fill the corridors that a model has in sight (MAZE-45 to 47); return whether a tile is to be chosen first.

    Args:
        s: The state.
        t: The tables.
        log: The event log.
        m: The model.
        bends: Whether the end of the Bend it stands on is filled.
        may_choose: Whether a Signpost or the Blade lets the Imperials choose the next tile.
    """
    start = int(s.at[m])
    for d in range(4):
        a = start
        k = 0
        v = max(1, visibility(s, m, start, d))
        while k < v:
            side = edge(s, a, d)
            if side == st.DARK:
                if is_bend(s, a) and not (bends and a == start):
                    break
                if may_choose and s.extra_draw > 0:
                    n = offer_tiles(s, t, log, a, d)
                    if n > 1:
                        return True
                    if n == 1:
                        take_candidate(s, t, log, 0)
                else:
                    place_beyond(s, t, log, a, d)
                if s.nb[a, d] < 0:
                    break
            elif side != st.CONN:
                break
            a = int(s.nb[a, d])
            k += 1
            if s.tile_marks[a] & st.CAVED:
                break
            if k == 1 and v == 1 and is_pit(s, a):
                v = 2
    return False


@kernel
def reveal_set(s, t, log, models: int) -> None:
    """Fill the corridors that models have in sight, by themselves."""
    for m in range(st.MODELS):
        if models >> m & 1 and s.status[m] == st.BOARD:
            reveal_from(s, t, log, m, False, False)


@kernel
def reveal_on(s, t, log, a: int) -> None:
    """Fill the corridors that the models on a tile have in sight."""
    reveal_set(s, t, log, explorers_on(s, a))
