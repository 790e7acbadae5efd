"""Morale, and what makes models Lost (MAZE-20, 24, 55 to 57, 97, 98)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    count_bits,
    edge,
    largest_group,
    lowest,
    next_group,
    roll,
)


@kernel
def is_broken(s, m: int) -> bool:
    """Say whether a model has no Morale Points (MAZE-98)."""
    return s.morale[m] == 0


@kernel
def gain_morale(s, t, log, m: int, points: int) -> None:
    """Give a model Morale Points, up to its profile (MAZE-15)."""
    now = min(int(t.morale[m]), int(s.morale[m]) + points)
    if now != s.morale[m]:
        emit(log, st.LOG_MORALE, m, now - int(s.morale[m]), now)
        s.morale[m] = now


@kernel
def is_inspired(s, m: int) -> bool:
    """Say whether Inspiring Presence helps a model: the Leader is on its tile or an adjacent one (MAZE-20)."""
    if m == st.LEADER or m >= st.SCIONS or s.status[m] != st.BOARD or s.status[st.LEADER] != st.BOARD:
        return False
    a = int(s.at[m])
    leader = int(s.at[st.LEADER])
    if a == leader:
        return True
    for d in range(4):
        if s.nb[a, d] == leader and edge(s, a, d) == st.CONN:
            return True
    return False


@kernel
def lose_point(s, log, m: int) -> None:
    """Take a Morale Point from a model, whatever could keep it."""
    if s.morale[m] > 0:
        s.morale[m] = int(s.morale[m]) - 1
        emit(log, st.LOG_MORALE, m, -1, int(s.morale[m]))


@kernel
def lose_morale(s, log, m: int, points: int, steeled: bool) -> None:
    """Take Morale Points from a model, each with what may keep it (MAZE-97).

    Args:
        s: The state.
        log: The event log.
        m: The model.
        points: How many.
        steeled: Whether And They Shall Know No Fear works.
    """
    for _ in range(points):
        if s.morale[m] == 0 or s.status[m] >= st.TAKEN:
            return
        if m >= st.SCIONS:
            if steeled and roll(s, log, st.ROLL_STEEL, m, 4) >= 4:
                continue
        else:
            if is_inspired(s, m) and roll(s, log, st.ROLL_INSPIRED, m, 5) >= 5:
                continue
            if s.pendant[m] >= s.core.turn and roll(s, log, st.ROLL_PENDANT, m, 3) >= 3:
                continue
        lose_point(s, log, m)


@kernel
def become_lost(s, log, m: int, points: int) -> None:
    """Let a model become Lost, with its loss of Morale (MAZE-56)."""
    s.lost[m] = 1
    emit(log, st.LOG_LOST, m, 1)
    lose_morale(s, log, m, points, True)


@kernel
def update_lost(s, log, setting: bool) -> None:
    """Find out who is Lost; only at some points may models become it, at all others they may cease (MAZE-55, 57)."""
    best = largest_group(s, 0)
    most = count_bits(best)
    equals = 0
    groups = 0
    seen = 0
    while True:
        group = next_group(s, seen)
        if group == 0:
            break
        seen |= group
        groups += 1
        if count_bits(group) == most:
            equals += 1
    seen = 0
    fallen = 0
    while True:  # groups of the fallen are in their places among the others: by the lowest index
        group = next_group(s, seen)
        first = lowest(group) if group else st.MODELS
        for m in range(st.MODELS):
            if m < first and s.status[m] == st.FALLEN and s.lost[m] == 0 and setting:
                fallen = 0
                for other in range(st.MODELS):
                    if s.status[other] == st.FALLEN and s.at[other] == s.at[m] and s.lost[other] == 0:
                        fallen |= 1 << other
                for other in range(st.MODELS):
                    if fallen >> other & 1:
                        become_lost(s, log, other, 3 if fallen == 1 << other else 1)
        if group == 0:
            return
        seen |= group
        is_lost = groups > 1 and (group != best or equals > 1)
        for m in range(st.MODELS):
            if group >> m & 1 == 0:
                continue
            if not is_lost:
                if s.lost[m]:
                    emit(log, st.LOG_LOST, m, 0)
                s.lost[m] = 0
            elif setting and s.lost[m] == 0:
                become_lost(s, log, m, 3 if group == 1 << m else 1)
