"""Who has won (OVK-G12 to G16, the first clauses of each mission)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.board import done

WIN, DRAW, LOSS = 2, 0, -2


@kernel
def finish(s, log, result: int, reason: int) -> None:
    """End the mission at hand: the game, unless it is a mission of the campaign."""
    s.job = st.JOB_NONE
    if s.core.mission == st.CAMPAIGN:
        emit(log, st.EVENT_MISSION_OVER, int(s.mission), result, reason)
        s.results[int(s.mission) - 1] = result
        s.played = int(s.mission)
        s.step = st.STEP_CAMPAIGN
        if reason == st.OVER_TURN_LIMIT and s.mission == st.ALPHA_THREAT:
            s.core.truncated = 1
        return
    end_game(s, log, result, reason)


@kernel
def end_game(s, log, result: int, reason: int) -> None:
    """End the game."""
    emit(log, st.EVENT_GAME_OVER, result, reason)
    s.core.over = 1
    s.core.result = result
    if reason == st.OVER_TURN_LIMIT:
        s.core.truncated = 1


@kernel
def deathwatch_has_won(s, t) -> bool:
    """Say whether the Deathwatch's objective of the mission is met."""
    m = int(s.mission)
    if m == st.KILLSTORM:
        return s.kills >= t.goal[m]
    if m == st.VOX_NOCTIS:
        for zone in range(t.zones[m]):
            if t.is_cell[m, zone] and s.marines_in[zone] == 0:
                return False
        return True
    if m == st.RECOVER:
        return s.exited > 0
    if m == st.FIRESTORM:
        return s.krak == 7
    if m == st.TABLES_TURNED:
        return s.kills >= st.MODELS - st.MARINES - 1
    if m == st.ALPHA_THREAT:
        return s.zone[st.PATRIARCH_SLOT] < 0
    return s.exited >= t.goal[m]


@kernel
def cult_has_won(s, t) -> bool:
    """Say whether enough marines are slain: some number, or all of the team."""
    limit = int(t.lose_at[int(s.mission)])
    if limit > 0:
        return s.slain >= limit
    for m in range(st.MARINES):
        if s.zone[m] >= 0 or s.zone[m] == st.RESERVE:
            return False
    return True


@kernel
def check(s, t, log) -> None:
    """Test both sides' objectives after an event (OVK-G12, G13)."""
    if done(s) or s.step < st.STEP_BROOD:
        return
    won = deathwatch_has_won(s, t)
    lost = cult_has_won(s, t)
    if won and lost:
        finish(s, log, DRAW, st.OVER_BOTH)
    elif won:
        finish(s, log, WIN, st.OVER_OBJECTIVE)
    elif lost:
        finish(s, log, LOSS, st.OVER_LOSSES)
