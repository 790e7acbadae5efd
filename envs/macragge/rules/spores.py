"""The three kinds of spore mine of mission 6, and their return (MAC-M6.5, M6.8, M6.9)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, roll_direction, slay, take_off
from broodmind.envs.macragge.rules.frames import pop_frame, push_frame
from broodmind.envs.macragge.rules.geometry import (
    LARGE_BLAST_TOUCHED,
    SMALL_BLAST_COVERED,
    SMALL_BLAST_TOUCHED,
    square,
)
from broodmind.envs.macragge.rules.mines import put_mine_at, queue_detonation, taken_spots
from broodmind.envs.macragge.rules.shooting import touched_directions
from broodmind.envs.macragge.tables import CONTACT_SPOTS

SQUADS = 3


@kernel
def detonate(s, t, log, slot: int) -> None:
    """Set a mine of mission 6 off: it leaves the table, then rolls by its type (MAC-B52, M6.9)."""
    mine = s.models[slot]
    x = int(mine.x)
    y = int(mine.y)
    kind = int(mine.mine_type)
    emit(log, st.EVENT_DETONATED, slot, x, y, kind)
    take_off(s, slot, st.STATUS_OUT)
    if kind == st.MINE_EXPLOSIVE:
        explode_touched(s, t, log, x, y)
    elif kind == st.MINE_POISON:
        poison(s, t, log, x, y)
    else:
        push_frame(s, st.FRAME_ACID, x, y)
        if roll(s, log, st.ROLL_SCATTER, slot, 0, st.TYRANIDS) <= 2:
            s.model = slot
            s.phase = st.ACID_DIR
        else:
            spray(s, t, log, roll_direction(s, log, slot))


@kernel
def allot(s, log, failed) -> None:
    """Ask for the losses of each squad with failed saves (MAC-B35)."""
    for squad in range(SQUADS):
        if failed[squad] > 0:
            emit(log, st.EVENT_WOUNDED, squad, failed[squad])
            push_frame(s, st.FRAME_CASUALTIES, squad, failed[squad])


@kernel
def hurt(s, t, log, slot: int, purpose: int, wound: int, save: int) -> bool:
    """Roll to wound or kill an Ultramarine, and to save if there is a save; says whether he is lost."""
    if roll(s, log, purpose, slot, wound, st.TYRANIDS) < wound:
        emit(log, st.EVENT_SPARED, slot)
        return False
    if save > 0 and roll(s, log, st.ROLL_SAVE, slot, save, st.ULTRAMARINES) >= save:
        emit(log, st.EVENT_SAVED, slot, 1)
        return False
    return True


@kernel
def explode_touched(s, t, log, x: int, y: int) -> None:
    """Hit everybody within the large blast, and set off other mines under it (MAC-M6.9)."""
    failed = np.zeros(SQUADS, np.int64)
    touched = 0
    for slot in range(st.MODELS):
        m = s.models[slot]
        if alive(s, slot) and square(int(m.x), int(m.y), x, y) <= LARGE_BLAST_TOUCHED:
            touched |= 1 << slot
    for slot in range(st.FIRST_GENESTEALER):
        if not (touched >> slot) & 1 or not alive(s, slot):
            continue
        emit(log, st.EVENT_BLAST_HIT, slot, 1)
        if slot == st.VARRAS:
            if hurt(s, t, log, slot, st.ROLL_KILL, t.blast_varras, 0):
                slay(s, log, slot)
        elif hurt(s, t, log, slot, st.ROLL_TO_WOUND, t.blast_space_marine, t.save_space_marine):
            failed[int(s.models[slot].group)] += 1
    for slot in range(st.FIRST_MINE, st.MODELS):
        if not (touched >> slot) & 1 or s.models[slot].marks & st.FLAG_QUEUED:
            continue
        if roll(s, log, st.ROLL_EXPLODE, slot, t.blast_mine, st.ULTRAMARINES) >= t.blast_mine:
            queue_detonation(s, slot)
        else:
            emit(log, st.EVENT_SPARED, slot)
    allot(s, log, failed)


@kernel
def poison(s, t, log, x: int, y: int) -> None:
    """Hit those covered by the small blast, and on 4+ those partly under it (MAC-M6.9)."""
    failed = np.zeros(SQUADS, np.int64)
    for slot in range(st.FIRST_GENESTEALER):
        m = s.models[slot]
        if not alive(s, slot):
            continue
        d2 = square(int(m.x), int(m.y), x, y)
        if d2 > SMALL_BLAST_TOUCHED:
            continue
        covered = d2 <= SMALL_BLAST_COVERED
        if (
            not covered
            and roll(s, log, st.ROLL_PARTIAL, slot, t.blast_partial, st.TYRANIDS) < t.blast_partial
        ):
            continue
        emit(log, st.EVENT_BLAST_HIT, slot, 1 if covered else 0)
        if slot == st.VARRAS:
            if hurt(s, t, log, slot, st.ROLL_TO_WOUND, t.poison[0], t.save_varras):
                slay(s, log, slot)
        elif hurt(s, t, log, slot, st.ROLL_TO_WOUND, t.poison[1], t.save_space_marine):
            failed[int(m.group)] += 1
    allot(s, log, failed)


@kernel
def spray(s, t, log, direction: int) -> None:
    """Spray acid in a direction from where the mine was: no saves (MAC-M6.9); the frame on top remembers the place."""
    frame = s.frames[int(s.frame_count) - 1]
    x = int(frame.a)
    y = int(frame.b)
    pop_frame(s)
    emit(log, st.EVENT_ACID, x, y, direction)
    failed = np.zeros(SQUADS, np.int64)
    touched = 0
    for slot in range(st.FIRST_GENESTEALER):
        m = s.models[slot]
        if alive(s, slot) and (touched_directions(t, int(m.x), int(m.y), x, y) >> direction) & 1:
            touched |= 1 << slot
    for slot in range(st.FIRST_GENESTEALER):
        if not (touched >> slot) & 1:
            continue
        if slot == st.VARRAS:
            if hurt(s, t, log, slot, st.ROLL_TO_WOUND, t.acid[0], 0):
                slay(s, log, slot)
        elif hurt(s, t, log, slot, st.ROLL_TO_WOUND, t.acid[1], 0):
            failed[int(s.models[slot].group)] += 1
    allot(s, log, failed)


@kernel
def mine_of_type(s, kind: int) -> int:
    """Return the lowest mine slot of a type out of play, or -1."""
    for slot in range(st.FIRST_MINE, st.MODELS):
        if s.models[slot].status == st.STATUS_OUT and s.models[slot].mine_type == kind:
            return slot
    return -1


@kernel
def may_return_mine(s, t, marker: int) -> bool:
    """Say whether a marker may return a mine: it stands, there is a free spot, and a mine in the pool (M6.8)."""
    p = s.pieces[st.FIRST_MARKER + marker]
    if p.kind != st.PIECE_MARKER:
        return False
    if mine_of_type(s, 0) < 0 and mine_of_type(s, 1) < 0 and mine_of_type(s, 2) < 0:
        return False
    return taken_spots(s, t, int(p.x), int(p.y)) != (1 << CONTACT_SPOTS) - 1


@kernel
def return_type(s, t, log, marker: int, kind: int) -> None:
    """Return a mine of a type at a marker (MAC-B53, M6.8)."""
    put_mine_at(s, t, log, mine_of_type(s, kind), marker)
