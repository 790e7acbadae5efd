"""Who has won: objectives at the end of a turn, and games cut short (MAC-B13, B14, M1.3, M2.3)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, finish, marines_dead, ultramarines_on_table

WIN = 2
DRAW = 0
LOSS = -2


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
    elif ultramarines_on_table(s) == 0:
        finish(s, log, LOSS, st.OVER_NO_ULTRAMARINES)


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
