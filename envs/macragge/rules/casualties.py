"""Losses that the Ultramarines player allots (MAC-B35)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, slay


@kernel
def may_be_casualty(s, slot: int) -> bool:
    """Say whether a model may be removed for the squad's failed saves: a living Space Marine of it, hit or not."""
    return (
        st.OCTAVIAN <= slot
        and slot < st.FIRST_GENESTEALER
        and alive(s, slot)
        and s.models[slot].group == s.squad
    )


@kernel
def squad_lives(s, squad: int) -> bool:
    """Say whether a squad has a living Space Marine on the table."""
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if alive(s, slot) and s.models[slot].group == squad:
            return True
    return False


@kernel
def remove_casualty(s, log, slot: int) -> None:
    """Carry out the choice: the frame on top counts one wound less."""
    frame = s.frames[int(s.frame_count) - 1]
    frame.b = int(frame.b) - 1
    s.squad = -1
    s.wounds = 0
    slay(s, log, slot)
