"""Insanity of the Broken (MAZE-99 to 105)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import roll
from broodmind.envs.maze.rules.morale import is_broken
from broodmind.envs.maze.rules.moving import flee

FLEE, DELIRIUM, SCHIZOPHRENIA, HALLUCINATIONS, COMPOSURE, SUICIDAL = range(1, 7)


@kernel
def go_mad(s, t, log, m: int, number: int) -> None:
    """Apply one Insanity, all but Schizophrenia."""
    emit(log, st.LOG_INSANE, m, number)
    now = int(s.core.turn)
    if number == FLEE:
        flee(s, t, log, m)
    elif number == DELIRIUM:
        s.delir[m] = now
    elif number == HALLUCINATIONS:
        s.halluc[m] = max(now, int(s.halluc[m]))
    elif number == SUICIDAL:
        s.suicid[m] = now


@kernel
def roll_insanities(s, t, log) -> None:
    """Roll for each Broken model on the board, by index (MAZE-99, 102)."""
    for m in range(st.MODELS):
        if s.core.over or s.status[m] != st.BOARD or not is_broken(s, m):
            continue
        results = 1 << roll(s, log, st.ROLL_INSANITY, m, 0)
        if results == 1 << SCHIZOPHRENIA:
            emit(log, st.LOG_INSANE, m, SCHIZOPHRENIA)
            results = 1 << roll(s, log, st.ROLL_INSANITY, m, 0)
            results |= 1 << roll(s, log, st.ROLL_INSANITY, m, 0)
        for number in range(FLEE, SUICIDAL + 1):
            applies = results >> number & 1 and number != SCHIZOPHRENIA
            if applies and s.status[m] == st.BOARD and s.core.over == 0:
                go_mad(s, t, log, m, number)
