"""The Blind Horror's assault (MAZE-82 to 93)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    explorers_on,
    horror_walks,
    is_way_out,
    roll,
    walks,
)
from broodmind.envs.maze.rules.horror import NARROW_LIMIT, horror_steps, way_out
from broodmind.envs.maze.rules.morale import lose_morale
from broodmind.envs.maze.rules.moving import arrive, step_to
from broodmind.envs.maze.rules.shooting import may_overwatch, may_throw
from broodmind.envs.maze.rules.wounds import ONE, PASSED, horror_leaves, hurt, injure, roll_save

RETREAT = 3
"""Steps of a failed charge's retreat (MAZE-86)."""


@kernel
def charge_target(s, d1: int, d2: int) -> int:
    """Return the tile at the end of a charge's path, or -1 if the Horror may not charge along it (MAZE-82)."""
    a = int(s.h_tile)
    if d2 == st.NO_DIRECTION:
        return int(s.nb[a, d1]) if horror_walks(s, a, d1, True) else -1
    if not horror_walks(s, a, d1, False):
        return -1
    b = int(s.nb[a, d1])
    return int(s.nb[b, d2]) if horror_walks(s, b, d2, True) else -1


@kernel
def any_target(s) -> bool:
    """Say whether the Horror can charge anybody."""
    for d1 in range(4):
        for d2 in range(5):
            if charge_target(s, d1, d2) >= 0:
                return True
    return False


@kernel
def begin_charge(s, log, d1: int, d2: int) -> None:
    """Declare a charge."""
    s.ch_tile = charge_target(s, d1, d2)
    s.ch_d1 = d1
    s.ch_d2 = d2
    s.ch_wounds = 0
    s.ch_fired = 0
    s.ch_todo = 0
    s.ch_pushed = 0
    emit(log, st.LOG_CHARGED, int(s.ch_tile))


@kernel
def forget_charge(s) -> None:
    """Clear what an assault needed."""
    s.ch_tile = -1
    s.ch_d1 = -1
    s.ch_d2 = -1
    s.ch_wounds = 0
    s.ch_fired = 0
    s.ch_todo = 0
    s.ch_roll = 0
    s.ch_pushed = 0
    s.h_from = -1
    s.cur = -1


@kernel
def may_throw_at_charge(s, m: int) -> bool:
    """Say whether a model may throw a grenade at the charge: from one tile away, at itself (MAZE-83)."""
    return s.ch_d2 == st.NO_DIRECTION and s.at[m] == s.ch_tile and may_throw(s, m)


@kernel
def is_asked_to_overwatch(s, t, m: int) -> bool:
    """Say whether a model can fire Overwatch at the charge (MAZE-84, 144)."""
    if s.tile_marks[int(s.ch_tile)] & st.NARROW and s.ch_fired >= NARROW_LIMIT:
        return False
    for slot in range(st.SLOTS):
        if may_overwatch(s, t, m, slot, 1):
            return True
    return False


@kernel
def retreat(s, t, log) -> None:
    """Let a failed charge retreat towards the nearest way out (MAZE-86)."""
    emit(log, st.LOG_CHARGE_FAILED, int(s.ch_wounds))
    for _ in range(RETREAT):
        if s.h_state != st.PROWLING or s.core.over:
            return
        if is_way_out(s, t, int(s.h_tile)):
            horror_leaves(s, log, st.SHADOWS)
            return
        d = way_out(s, t)
        if d < 0:
            return
        horror_steps(s, t, log, d)


@kernel
def run_charge(s, t, log) -> None:
    """Move the Horror along its path; slain or gone, it does not arrive (MAZE-87)."""
    for k in range(2):
        d = int(s.ch_d1) if k == 0 else int(s.ch_d2)
        if d == st.NO_DIRECTION or s.h_state != st.PROWLING or s.core.over:
            return
        s.h_from = s.h_tile
        horror_steps(s, t, log, d)


@kernel
def last_direction(s) -> int:
    """Return the direction in which the Horror charged home."""
    return int(s.ch_d1) if s.ch_d2 == st.NO_DIRECTION else int(s.ch_d2)


@kernel
def ask_save(s, t, log, m: int) -> bool:
    """Roll a save against the assault; return whether the Terminator is to be asked for his Crux."""
    result = roll_save(s, t, log, m, 0)
    s.ch_roll = result
    return result != PASSED and m == st.TERMINATOR and s.crux[m] == 0


@kernel
def suffer_assault(s, t, log, m: int) -> bool:
    """Apply an assault to a model by its save (MAZE-88, 90); return whether a Medkit is to be asked for."""
    result = int(s.ch_roll)
    s.ch_roll = 0
    if result == PASSED:
        if s.step == st.STEP_SAVES:
            lose_morale(s, log, m, 1, True)
        return False
    hurt(s, log, m, 2 if result == ONE else 1)
    if s.core.over or s.status[m] != st.BOARD:
        return False
    lose_morale(s, log, m, 2, True)
    return result == ONE and injure(s, log, m, roll(s, log, st.ROLL_INJURY, m, 0))


@kernel
def may_push(s, d: int) -> bool:
    """Say whether all survivors may move over a side of the charged tile (MAZE-89)."""
    a = int(s.ch_tile)
    survivors = explorers_on(s, a)
    for m in range(st.MODELS):
        if survivors >> m & 1 and not walks(s, m, a, d):
            return False
    return True


@kernel
def sides_to_push(s) -> int:
    """Return the set of sides over which survivors may be pushed, without the one the Horror came through."""
    found = 0
    for d in range(4):
        if d != last_direction(s) ^ 2 and may_push(s, d):
            found |= 1 << d
    return found


@kernel
def push(s, t, log, d: int) -> None:
    """Move all survivors one tile: all first, then each enters (MAZE-89, 93)."""
    a = int(s.ch_tile)
    survivors = explorers_on(s, a)
    s.ch_pushed = survivors
    emit(log, st.LOG_PUSHED, d)
    for m in range(st.MODELS):
        if survivors >> m & 1:
            s.at[m] = s.nb[a, d]
            s.regroup = 1
            s.heading[m] = d
    for m in range(st.MODELS):
        if survivors >> m & 1 and s.status[m] == st.BOARD and s.core.over == 0:
            arrive(s, t, log, m, a, d)


@kernel
def push_back(s, t, log, m: int) -> None:
    """Move a survivor to the tile that the Horror came from (MAZE-90)."""
    s.ch_pushed |= 1 << m
    step_to(s, t, log, m, last_direction(s) ^ 2)
