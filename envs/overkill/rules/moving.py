"""Moves, jumps, runs and exits (OVK-M)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.board import barred, fits, lift, put, roll, wound
from broodmind.envs.overkill.rules.objectives import check

JUMPED = 50
"""What `fill_reach` says of a zone that takes a jump."""


@kernel
def speed(s, t, model: int) -> int:
    """Return how many moves a cult model has in this phase."""
    moves = int(t.speed[int(t.kind[model])])
    return moves + 1 if s.zone_marks[int(s.zone[model])] & st.SURGED else moves


@kernel
def is_confined(s, model: int) -> bool:
    """Say whether a marine has to stay on the lift section for his comrade (OVK-M5.4)."""
    return (
        s.mission == st.OFFICIUM
        and model < st.MARINES
        and model != s.first
        and s.arrived == 0
        and (s.zone[int(s.first)] >= 0)
    )


@kernel
def may_enter(s, t, model: int, zone: int) -> bool:
    """Say whether a model may be placed in a zone on its way."""
    if not fits(s, t, int(t.kind[model]), zone):
        return False
    m = int(s.mission)
    return not is_confined(s, model) or t.section[m, zone] == t.hall[m]


@kernel
def fill_reach(s, t, model: int, moves: int, steps) -> None:
    """Fill how many moves each zone takes: 0 where the model stands, JUMPED if only by a jump, -1 if out of reach.

    Moves go through adjacent zones with room; a zone with enemies ends the way (OVK-M02 to M04). The last of the moves
    may be a jump to a zone that moves alone do not reach (OVK-M06, M08, M10).

    Args:
        s: The state.
        t: The tables.
        model: A model on the board.
        moves: How many moves it may make.
        steps: Integers, shape (64,).
    """
    m = int(s.mission)
    for zone in range(st.MAX_ZONES):
        steps[zone] = -1
    queue = np.empty(st.MAX_ZONES, np.int64)
    queue[0] = int(s.zone[model])
    steps[queue[0]] = 0
    tail = 1
    head = 0
    while head < tail:
        zone = queue[head]
        head += 1
        if steps[zone] >= moves or barred(s, zone, model):
            continue
        for k in range(t.degree[m, zone]):
            there = int(t.neighbour[m, zone, k])
            if steps[there] < 0 and may_enter(s, t, model, there):
                steps[there] = steps[zone] + 1
                queue[tail] = there
                tail += 1
    if t.skills[int(t.kind[model])] & st.BIKE:
        return
    for k in range(tail):
        zone = queue[k]
        if steps[zone] >= moves or barred(s, zone, model):
            continue
        for j in range(t.jumps[m, zone]):
            there = int(t.jump_to[m, zone, j])
            if steps[there] < 0 and may_enter(s, t, model, there):
                steps[there] = JUMPED


@kernel
def can_step(s, t, model: int) -> bool:
    """Say whether a model can go anywhere at all."""
    m = int(s.mission)
    zone = int(s.zone[model])
    if barred(s, zone, model):
        return False
    for k in range(t.degree[m, zone]):
        if may_enter(s, t, model, int(t.neighbour[m, zone, k])):
            return True
    if t.skills[int(t.kind[model])] & st.BIKE == 0:
        for k in range(t.jumps[m, zone]):
            if may_enter(s, t, model, int(t.jump_to[m, zone, k])):
                return True
    return False


@kernel
def go(s, t, log, model: int, zone: int, jumped: bool) -> None:
    """Move a model to a zone, and let it roll for a jump (OVK-M07)."""
    emit(log, st.EVENT_MOVED, model, int(s.zone[model]), zone, 1 if jumped else 0)
    put(s, t, model, zone)
    if jumped and t.skills[int(t.kind[model])] & st.JUMP_PACK == 0:
        seat = st.DEATHWATCH if model < st.MARINES else st.CULT
        if roll(s, log, st.ROLL_JUMP, model, 2, seat) == 1:
            wound(s, t, log, model)
    check(s, t, log)


@kernel
def may_leave_here(s, t, m: int) -> bool:
    """Say whether a marine may leave the board from the exit zone in this mission (OVK-M11, M3.7)."""
    mission = int(s.mission)
    if mission == st.RECOVER:
        return s.carrier == m
    return mission == st.EXTERMINATUS or mission == st.OFFICIUM or mission == st.PURGATION


@kernel
def may_exit(s, t, m: int, moves: int) -> bool:
    """Say whether a marine with some moves left can go to the exit zone and off the board (OVK-M11)."""
    if moves < 1 or s.zone[m] < 0 or not may_leave_here(s, t, m):
        return False
    gate = int(t.exit_zone[int(s.mission)])
    if gate < 0 or barred(s, gate, m):
        return False
    steps = np.empty(st.MAX_ZONES, np.int64)
    fill_reach(s, t, m, moves - 1, steps)
    return steps[gate] >= 0 and steps[gate] < JUMPED


@kernel
def leave_board(s, t, log, m: int) -> None:
    """Take a marine off the board through the exit (OVK-G11)."""
    emit(log, st.EVENT_EXITED, m, int(s.zone[m]))
    lift(s, t, m, st.EXITED)
    s.wounds[m] = 0
    s.carrier = -1 if s.carrier == m else int(s.carrier)
    s.exited = int(s.exited) + 1
    check(s, t, log)
