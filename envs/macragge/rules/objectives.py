"""Who has won: objectives at the end of a turn, and games cut short (MAC-B13, B14, M1.3, M2.3, M3.3, M4.3)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.beacon import end_of_turn_in_purge, judge_purge, marines_in
from broodmind.envs.macragge.rules.board import (
    DRAW,
    LOSS,
    WIN,
    alive,
    finish,
    marines_dead,
    ultramarines_on_table,
)
from broodmind.envs.macragge.rules.geometry import square

KILLS = 12
"""Genestealers to be killed in mission 3."""
LAST_TURN = 6
"""The core of mission 3 explodes at the end of the Ultramarines' turn of this number."""

RENDEZVOUS = 169
"""Squared distance from the rendezvous to a base whose edge is 6 inches off."""


@kernel
def in_exit_zone(s, slot: int) -> bool:
    """Say whether the centre of a model lies in the exit zone, edges included (MAC-M1.3)."""
    m = s.models[slot]
    return (
        alive(s, slot)
        and s.exit_rect[0] <= m.x
        and m.x <= s.exit_rect[2]
        and s.exit_rect[1] <= m.y
        and m.y <= s.exit_rect[3]
    )


@kernel
def markers_left(s) -> int:
    """Count the infestation markers on the table."""
    count = 0
    for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
        if s.pieces[k].kind == st.PIECE_MARKER:
            count += 1
    return count


@kernel
def check_cut_short(s, log) -> None:
    """End the game where nothing later in the turn could matter (MAC-B13)."""
    if s.core.mission == st.CRASH_SITE:
        if not alive(s, st.VARRAS):
            finish(s, log, LOSS, st.OVER_VARRAS_DEAD)
    elif s.core.mission == st.PURGE_THE_XENOS:
        if marines_in(s, st.STATUS_TABLE) == 0:
            judge_purge(s, log)
    elif ultramarines_on_table(s) > 0:
        return
    elif s.core.mission == st.XENO_TIDE:
        judge_xeno_tide(s, log, True)
    else:
        finish(s, log, LOSS, st.OVER_NO_ULTRAMARINES)


@kernel
def marines_escaped(s) -> int:
    """Count the Space Marines who have left the table alive."""
    count = 0
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if s.models[slot].status == st.STATUS_ESCAPED:
            count += 1
    return count


@kernel
def has_got_away(s, slot: int) -> bool:
    """Say whether a model has escaped, on foot or carried."""
    if slot < 0:
        return False
    if s.models[slot].status == st.STATUS_CARRIED:
        return s.models[s.varras_carrier].status == st.STATUS_ESCAPED
    return s.models[slot].status == st.STATUS_ESCAPED


@kernel
def judge_xeno_tide(s, log, none_left: bool) -> None:
    """End mission 4 if an objective is met, or neither can be (MAC-M4.3); `none_left`: nobody is on the table."""
    escaped = marines_escaped(s)
    dead = marines_dead(s)
    v = s.models[st.VARRAS]
    down = v.status == st.STATUS_DEAD or v.status == st.STATUS_CARRIED
    if escaped == 5 and has_got_away(s, st.VARRAS) and has_got_away(s, int(s.core_carrier)):
        finish(s, log, WIN, st.OVER_ALL_ESCAPED)
    elif dead >= 3 and down:
        finish(s, log, LOSS, st.OVER_XENO_TIDE)
    elif none_left:
        finish(s, log, DRAW, st.OVER_NONE_LEFT)
    elif dead > 0 and (v.status == st.STATUS_ESCAPED or escaped >= 3):
        finish(s, log, DRAW, st.OVER_NEITHER_POSSIBLE)


@kernel
def judge_fusion_core(s, log) -> None:
    """End mission 3 if the Ultramarines have won, or the core explodes after their sixth turn (MAC-M3.3)."""
    if s.kills >= KILLS and s.fusion_core == st.CORE_CARRIED:
        finish(s, log, WIN, st.OVER_CORE_SAVED)
    elif s.active == st.ULTRAMARINES and s.core.turn >= LAST_TURN and s.fusion_core == st.CORE_IN_WRECK:
        finish(s, log, DRAW, st.OVER_CORE_EXPLODED)


@kernel
def judge_reinforcements(s, log) -> None:
    """End mission 5 if every living Space Marine is within 6 inches of the rendezvous (MAC-M5.2)."""
    if s.active != st.ULTRAMARINES:
        return
    for slot in range(st.MISSILE, st.FIRST_GENESTEALER):
        m = s.models[slot]
        if (
            alive(s, slot)
            and square(int(s.rendezvous[0]), int(s.rendezvous[1]), int(m.x), int(m.y)) > RENDEZVOUS
        ):
            return
    finish(s, log, WIN, st.OVER_RENDEZVOUS)


@kernel
def check_objectives(s, log) -> None:
    """Check both sides' objectives at the end of the active player's turn."""
    varras_lives = alive(s, st.VARRAS)
    if s.core.mission == st.CRASH_SITE:
        if s.active == st.ULTRAMARINES and in_exit_zone(s, st.VARRAS):
            finish(s, log, WIN, st.OVER_EXIT_REACHED)
    elif s.core.mission == st.RESCUE_VARRAS:
        if not varras_lives and marines_dead(s) >= 3:
            finish(s, log, LOSS, st.OVER_VARRAS_AND_SQUAD_DEAD)
        elif markers_left(s) == 0:
            if varras_lives:
                finish(s, log, WIN, st.OVER_MARKERS_DESTROYED)
            else:
                finish(s, log, DRAW, st.OVER_MARKERS_DESTROYED_VARRAS_DEAD)
    elif s.core.mission == st.FUSION_CORE:
        judge_fusion_core(s, log)
    elif s.core.mission == st.XENO_TIDE:
        judge_xeno_tide(s, log, False)
    elif s.core.mission == st.REINFORCEMENTS:
        judge_reinforcements(s, log)
    elif s.core.mission == st.PURGE_THE_XENOS:
        end_of_turn_in_purge(s, log)
