"""The missile launcher: frag and krak (MAC-M5.4)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, slay
from broodmind.envs.macragge.rules.contact import in_cover
from broodmind.envs.macragge.rules.geometry import SMALL_BLAST_COVERED, SMALL_BLAST_TOUCHED, square
from broodmind.envs.macragge.rules.mines import queue_detonation
from broodmind.envs.macragge.rules.moving import nearest_ultramarine
from broodmind.envs.macragge.rules.shooting import wound_marker

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
    if s.target >= st.FIRST_MARKER_GROUP:
        p = s.pieces[st.FIRST_MARKER + int(s.target) - st.FIRST_MARKER_GROUP]
        if nearest_ultramarine(s, int(p.x), int(p.y)) > SMALL_BLAST_TOUCHED:
            burst_at(s, t, log, -1, int(p.x), int(p.y))
        return
    for slot in range(st.FIRST_GENESTEALER, st.MODELS):
        if may_aim_at(s, slot):
            s.phase = st.AIM
            return


@kernel
def wound_target(s, t, log, victim: int) -> None:
    """Roll for a Tyranid model that a bolt has hit: wound, cover save; a mine does not die, it goes off (B32, B33)."""
    needed = t.wound_bolt[int(s.models[victim].kind)]
    if roll(s, log, st.ROLL_TO_WOUND, victim, needed, st.ULTRAMARINES) < needed:
        emit(log, st.EVENT_SPARED, victim)
    elif victim >= st.FIRST_MINE:
        queue_detonation(s, victim)
    elif (
        in_cover(s, victim) and roll(s, log, st.ROLL_COVER, victim, t.cover_save, st.TYRANIDS) >= t.cover_save
    ):
        emit(log, st.EVENT_SAVED, victim, 2)
    else:
        slay(s, log, victim)


@kernel
def burst(s, t, log, aimed: int) -> None:
    """Let the frag burst over the model it was aimed at."""
    burst_at(s, t, log, aimed, int(s.models[aimed].x), int(s.models[aimed].y))


@kernel
def burst_at(s, t, log, aimed: int, x: int, y: int) -> None:
    """Roll for all under the burst, models by slot, then markers: hit if partly under, wound, cover save (B11)."""
    emit(log, st.EVENT_BURST, aimed, x, y)
    touched = 0
    covered = 0
    for slot in range(st.FIRST_GENESTEALER, st.MODELS):
        if alive(s, slot):
            d2 = square(int(s.models[slot].x), int(s.models[slot].y), x, y)
            if d2 <= SMALL_BLAST_TOUCHED:
                touched |= 1 << slot
            if d2 <= SMALL_BLAST_COVERED:
                covered |= 1 << slot
    for slot in range(st.FIRST_GENESTEALER, st.MODELS):
        if not (touched >> slot) & 1:
            continue
        under = (covered >> slot) & 1
        if (
            not under
            and roll(s, log, st.ROLL_PARTIAL, slot, t.blast_partial, st.ULTRAMARINES) < t.blast_partial
        ):
            continue
        emit(log, st.EVENT_BLAST_HIT, slot, under)
        wound_target(s, t, log, slot)  # frag wounds as bolts do
    for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
        p = s.pieces[k]
        if p.kind != st.PIECE_MARKER:
            continue
        d2 = square(int(p.x), int(p.y), x, y)
        if d2 > SMALL_BLAST_TOUCHED:
            continue
        if (
            d2 > SMALL_BLAST_COVERED
            and roll(s, log, st.ROLL_PARTIAL, -1, t.blast_partial, st.ULTRAMARINES) < t.blast_partial
        ):
            continue
        if roll(s, log, st.ROLL_TO_WOUND, -1, t.wound_bolt_marker, st.ULTRAMARINES) >= t.wound_bolt_marker:
            wound_marker(s, log, k)
