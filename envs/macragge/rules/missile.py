"""The missile launcher: frag and krak (MAC-M5.4)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, slay
from broodmind.envs.macragge.rules.contact import in_cover
from broodmind.envs.macragge.rules.geometry import SMALL_BLAST_COVERED, SMALL_BLAST_TOUCHED, apart
from broodmind.envs.macragge.rules.moving import nearest_ultramarine

FRAG, KRAK = 0, 1


@kernel
def may_aim_at(s, slot: int) -> bool:
    """Say whether the frag missile may be aimed at a model of the target: its blast touches no Ultramarine."""
    m = s.models[slot]
    if not alive(s, slot) or m.group != s.target:
        return False
    return nearest_ultramarine(s, int(m.x), int(m.y)) > SMALL_BLAST_TOUCHED


@kernel
def fire_frag(s, t, log) -> None:
    """Roll to hit; on a hit the player aims, if there is a model that may be aimed at (else the hit is void)."""
    emit(log, st.EVENT_SHOT, st.MISSILE, int(s.target), -1)
    hit = t.hit[st.KIND_MISSILE]
    if roll(s, log, st.ROLL_TO_HIT, -1, hit, st.ULTRAMARINES) < hit:
        return
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        if may_aim_at(s, slot):
            s.phase = st.AIM
            return


@kernel
def burst(s, t, log, aimed: int) -> None:
    """Let the frag burst over a model: every model touched, by slot: hit if partly under, wound, cover save (B11)."""
    x = int(s.models[aimed].x)
    y = int(s.models[aimed].y)
    emit(log, st.EVENT_BURST, aimed, x, y)
    touched = 0
    centre = s.models[aimed]
    covered = 0
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        if alive(s, slot):
            d2 = apart(s.models[slot], centre)
            if d2 <= SMALL_BLAST_TOUCHED:
                touched |= 1 << slot
            if d2 <= SMALL_BLAST_COVERED:
                covered |= 1 << slot
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        if not (touched >> slot) & 1:
            continue
        under = (covered >> slot) & 1
        if not under and roll(s, log, st.ROLL_PARTIAL, slot, t.blast_partial, st.ULTRAMARINES) < t.blast_partial:
            continue
        emit(log, st.EVENT_BLAST_HIT, slot, under)
        wound = t.wound_bolt[int(s.models[slot].kind)]  # frag wounds as bolts do
        if roll(s, log, st.ROLL_TO_WOUND, slot, wound, st.ULTRAMARINES) < wound:
            emit(log, st.EVENT_SPARED, slot)
        elif in_cover(s, slot) and roll(s, log, st.ROLL_COVER, slot, t.cover_save, st.TYRANIDS) >= t.cover_save:
            emit(log, st.EVENT_SAVED, slot, 2)
        else:
            slay(s, log, slot)
