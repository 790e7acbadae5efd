"""What is in the way of a move, and how (MAC-B23, B24, B42, B43)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import end_of_ultramarines, first_tyranid
from broodmind.envs.macragge.rules.contact import end_of_enemies, first_enemy, is_engaged
from broodmind.envs.macragge.tables import SQ_BASE, SQ_ENEMY, SQ_INCH, SQ_LARGE_WRECK, SQ_WRECK

MAX_OBSTACLES = st.MODELS + st.FIRST_MINE + st.PIECES  # fighters may have two rows each
new_obstacles = scratch((MAX_OBSTACLES, 5), np.int64)
"""Room for `list_obstacles`."""
OVERLAP_ONLY = -1


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
