"""Removal of what nobody sees, and the shifting of the maze (MAZE-52, 54)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    AS_MARINE,
    AS_SCION,
    TO_THE_EDGE,
    clear_flood,
    count_dark,
    edge,
    explorers_on,
    flood,
    next_group,
    seed_flood,
    visibility,
)
from broodmind.envs.maze.rules.morale import update_lost
from broodmind.envs.maze.rules.tiles import remove_tile

SEEN_AFTER = 3
"""Steps that a model might walk to see a tile that stays (MAZE-52)."""
SHUTTLE_LIGHT = 2


@kernel
def keep_line(s, a: int, d: int, length: int) -> None:
    """Keep the tiles on a straight line from a tile."""
    for _ in range(length):
        if edge(s, a, d) != st.CONN:
            return
        a = int(s.nb[a, d])
        s.keep[a] = 1
        if s.tile_marks[a] & st.CAVED:
            return


@kernel
def keep_in_sight(s, m: int) -> None:
    """Keep what a model sees, or would see after up to three steps."""
    way = AS_SCION if m < st.SCIONS else AS_MARINE
    count = flood(s, seed_flood(s, 0, int(s.at[m])), way, SEEN_AFTER)
    for k in range(count):
        a = int(s.order[k])
        s.keep[a] = 1
        for d in range(4):
            keep_line(s, a, d, visibility(s, m, a, d))
    clear_flood(s, count)


@kernel
def remove_unseen(s, log) -> None:
    """Take away every tile that nobody sees (MAZE-52)."""
    for m in range(st.MODELS):
        if s.status[m] == st.BOARD:
            keep_in_sight(s, m)
    for a in range(int(s.n_tiles)):
        if s.kind[a] == st.SHUTTLE and s.keep[a]:
            for d in range(4):
                keep_line(s, a, d, SHUTTLE_LIGHT)
    for a in range(int(s.n_tiles)):
        if s.state[a] == st.ON_BOARD and s.keep[a] == 0:
            remove_tile(s, log, a)
    for a in range(st.TILES):
        s.keep[a] = 0


@kernel
def may_shift(s, a: int) -> bool:
    """Say whether the maze may shift a tile away (MAZE-54)."""
    if explorers_on(s, a) or s.h_tile == a:
        return False
    if s.kind[a] == st.SHUTTLE and s.beacon_at == st.BEACON_CARRIED:
        return False
    if s.kind[a] == st.BEACON_ROOM and s.beacon_at == st.BEACON_IN_ROOM:
        return False
    if s.beacon_at == st.BEACON_ON_GROUND and s.beacon_id == a:
        return False
    return s.kind[a] != st.NEST or s.beacon_at != st.BEACON_WITH_CORPSES


@kernel
def tile_to_shift(s, group: int) -> int:
    """Return the tile that the maze takes from a walled-in group; -1: none is needed, or there is none (MAZE-54).

    The search ends with what is farthest and found last.
    """
    count = 0
    for m in range(st.MODELS):
        if group >> m & 1:
            count = seed_flood(s, count, int(s.at[m]))
    count = flood(s, count, TO_THE_EDGE, st.TILES)
    best = -1
    walled = True
    for k in range(count):
        a = int(s.order[k])
        if s.reach[a] > 0 and count_dark(s, a):
            walled = False
        if may_shift(s, a):
            best = a
    if walled and best < 0:
        best = blank_beside(s, count)
    clear_flood(s, count)
    return best if walled else -1


@kernel
def blank_beside(s, count: int) -> int:
    """Return the first empty tile whose blank side meets a corridor of the region, or -1 (MAZE-54)."""
    for k in range(count):
        a = int(s.order[k])
        for d in range(4):
            b = int(s.nb[a, d])
            if b < 0 or s.reach[a] < 0 or s.open[a] >> d & 1 == 0 or edge(s, a, d) != st.WALL:
                continue
            if may_shift(s, b):
                return b
    return -1


@kernel
def remove_and_shift(s, log) -> None:
    """Do the whole of the Removal, with its check of who is Lost (MAZE-34, 52, 54, 57)."""
    remove_unseen(s, log)
    seen = 0
    while True:
        group = next_group(s, seen)
        if group == 0:
            break
        seen |= group
        a = tile_to_shift(s, group)
        if a >= 0:
            emit(log, st.LOG_SHIFTED, a, int(s.kind[a]))
            remove_tile(s, log, a)
    update_lost(s, log, True)
