"""Spore mines: drifting, detonating, returning (MAC-B50 to B53, M1.6, M1.7, M2.5, M2.6)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import (
    alive,
    end_of_ultramarines,
    first_tyranid,
    put,
    roll,
    roll_direction,
    slay,
    stand,
    take_off,
)
from broodmind.envs.macragge.rules.contact import CONTACT
from broodmind.envs.macragge.rules.frames import on_stack, push_frame
from broodmind.envs.macragge.rules.geometry import (
    LARGE_BLAST_COVERED,
    LARGE_BLAST_TOUCHED,
    apart,
    on_table,
    square,
)
from broodmind.envs.macragge.rules.moving import nearest_ultramarine
from broodmind.envs.macragge.tables import CONTACT_SPOTS

FIRST_PIECE = st.MODELS
"""Pieces follow models in the bits of `surroundings`."""
ALL_ULTRAMARINES = (1 << st.FIRST_GENESTEALER) - 1


@kernel
def round_thousandths(value: int) -> int:
    """Return value / 1000 rounded to the nearest integer, halves away from zero."""
    if value >= 0:
        return (value + 500) // 1000
    return -((-value + 500) // 1000)


@kernel
def surroundings(s, slot: int, inches: int) -> int:
    """Return what a mine may meet that drifts some inches, in whatever direction, as bits.

    Models stand for themselves, pieces other than wrecks follow from `FIRST_PIECE` on. What is farther off than the
    way, a contact and what rounding adds cannot be met; mostly that is all there is.
    """
    me = s.models[slot]
    far = (2 * inches + 4) ** 2
    found = 0
    end = end_of_ultramarines(s)
    first = first_tyranid(s)
    for other in range(st.MODELS):
        if (end <= other and other < first) or other == slot or not alive(s, other):
            continue
        if apart(s.models[other], me) <= far:
            found |= 1 << other
    for k in range(st.PIECES):
        p = s.pieces[k]
        if p.kind != st.PIECE_NONE and p.kind != st.PIECE_WRECK:
            reach = 2 * inches + 3 + int(p.r)
            if apart(p, me) <= reach * reach:
                found |= 1 << (FIRST_PIECE + k)
    return found


@kernel
def touches_one(s, x: int, y: int, around: int) -> bool:
    """Say whether a base there would be in contact with an Ultramarine among the surroundings."""
    left = around & ALL_ULTRAMARINES
    while left != 0:
        m = s.models[lowest_bit(left)]
        left = without_lowest(left)
        if square(int(m.x), int(m.y), x, y) <= CONTACT:
            return True
    return False


@kernel
def rests_badly(s, x: int, y: int, around: int) -> bool:
    """Say whether a mine may not end there: it overlaps another Tyranid model or a piece that is no wreck (MAC-B51).

    `around` comes from `surroundings`.
    """
    left = around & ~ALL_ULTRAMARINES
    while left != 0:
        one = lowest_bit(left)
        left = without_lowest(left)
        if one < FIRST_PIECE:
            m = s.models[one]
            if square(int(m.x), int(m.y), x, y) < 4:
                return True
        else:
            p = s.pieces[one - FIRST_PIECE]
            radii = int(p.r) + 1
            if square(int(p.x), int(p.y), x, y) < radii * radii:
                return True
    return False


@kernel
def drift_end(s, t, slot: int, inches: int, direction: int, around: int) -> tuple[int, int, bool]:
    """Return where a mine that drifts comes to rest, and whether that is a contact (MAC-B50, B51).

    `around` comes from `surroundings`.
    """
    m = s.models[slot]
    x0 = int(m.x)
    y0 = int(m.y)
    end = 2 * inches
    x = x0 + round_thousandths(end * t.unit_x[direction])
    y = y0 + round_thousandths(end * t.unit_y[direction])
    meets = around & ALL_ULTRAMARINES != 0
    if meets or not on_table(x, y):
        end = 0
    for k in range(end + 1, 2 * inches + 1):
        x = x0 + round_thousandths(k * t.unit_x[direction])
        y = y0 + round_thousandths(k * t.unit_y[direction])
        if not on_table(x, y):
            break
        end = k
        if meets and touches_one(s, x, y, around):
            return x, y, True
    while end > 0:
        x = x0 + round_thousandths(end * t.unit_x[direction])
        y = y0 + round_thousandths(end * t.unit_y[direction])
        if not rests_badly(s, x, y, around):
            return x, y, False
        end -= 1
    return x0, y0, False


@kernel
def drift(s, t, log, slot: int, inches: int, direction: int) -> None:
    """Move a mine its full distance; it detonates at the first contact with an Ultramarine (MAC-B50, B51)."""
    m = s.models[slot]
    x0 = int(m.x)
    y0 = int(m.y)
    x, y, contact = drift_end(s, t, slot, inches, direction, surroundings(s, slot, inches))
    stand(m, x, y)
    emit(log, st.EVENT_MINE_DRIFTED, slot, x0, y0, x, y, direction)
    if contact:
        queue_detonation(s, slot)


@kernel
def next_mine(s) -> int:
    """Return the next mine to move in slot order, or -1 (MAC-B50)."""
    for slot in range(max(int(s.cursor), st.FIRST_MINE), st.LAST_MINE + 1):
        if alive(s, slot):
            return slot
    return -1


@kernel
def move_mine(s, t, log, slot: int) -> None:
    """Roll how far and where a mine drifts; on a HIT the Tyranid player is asked for the direction (MAC-B16)."""
    s.cursor = slot
    inches = roll(s, log, st.ROLL_MINE_DISTANCE, slot, 0, st.TYRANIDS)
    scatter = roll(s, log, st.ROLL_SCATTER, slot, 0, st.TYRANIDS)
    s.die = inches
    if scatter <= 2:
        s.model = slot
        s.phase = st.MINE_DIR
        return
    direction = roll_direction(s, log, slot)
    s.cursor = slot + 1
    drift(s, t, log, slot, inches, direction)


@kernel
def steer_mine(s, t, log, direction: int) -> None:
    """Carry out the Tyranid player's choice of direction for the mine in hand."""
    slot = int(s.model)
    s.model = -1
    s.cursor = slot + 1
    drift(s, t, log, slot, int(s.die), direction)


# -- detonation ----------------------------------------------------------------------------------------------------


@kernel
def queue_detonation(s, slot: int) -> None:
    """Put a mine at the end of the queue of detonations; the queue is worked off by a frame (MAC-B52)."""
    m = s.models[slot]
    if m.marks & st.FLAG_QUEUED:
        return
    if not on_stack(s, st.FRAME_DETONATIONS):
        push_frame(s, st.FRAME_DETONATIONS, 0, 0)
    m.marks |= st.FLAG_QUEUED
    s.detonations[s.detonation_tail] = slot
    s.detonation_tail = int(s.detonation_tail) + 1


@kernel
def blast_hits(s, t, log, slot: int, d2: int) -> bool:
    """Say whether a large blast hits a base at a squared distance: covered yes, partly on 4+ (MAC-B11)."""
    if d2 <= LARGE_BLAST_COVERED:
        emit(log, st.EVENT_BLAST_HIT, slot, 1)
        return True
    if d2 > LARGE_BLAST_TOUCHED:
        return False
    seat = st.ULTRAMARINES if slot >= st.FIRST_GENESTEALER else st.TYRANIDS
    if roll(s, log, st.ROLL_PARTIAL, slot, t.blast_partial, seat) < t.blast_partial:
        return False
    emit(log, st.EVENT_BLAST_HIT, slot, 0)
    return True


@kernel
def explode(s, t, log, slot: int) -> None:
    """Detonate an explosive mine of missions 1 and 2: it leaves the table, then rolls (MAC-B52, M1.6, M2.5)."""
    mine = s.models[slot]
    x = int(mine.x)
    y = int(mine.y)
    emit(log, st.EVENT_DETONATED, slot, x, y, int(mine.mine_type))
    take_off(s, slot, st.STATUS_OUT)
    if alive(s, st.VARRAS):
        v = s.models[st.VARRAS]
        if blast_hits(s, t, log, st.VARRAS, square(int(v.x), int(v.y), x, y)):
            if roll(s, log, st.ROLL_KILL, st.VARRAS, t.blast_varras, st.TYRANIDS) >= t.blast_varras:
                slay(s, log, st.VARRAS)
                if s.core.mission == st.CRASH_SITE:
                    return  # the game is over; nothing later could matter (MAC-B13)
            else:
                emit(log, st.EVENT_SPARED, st.VARRAS)
    failed = np.zeros(3, np.int64)  # by squad
    for other in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if not alive(s, other):
            continue
        m = s.models[other]
        if not blast_hits(s, t, log, other, square(int(m.x), int(m.y), x, y)):
            continue
        if roll(s, log, st.ROLL_TO_WOUND, other, t.blast_space_marine, st.TYRANIDS) < t.blast_space_marine:
            emit(log, st.EVENT_SPARED, other)
        elif roll(s, log, st.ROLL_SAVE, other, t.save_space_marine, st.ULTRAMARINES) >= t.save_space_marine:
            emit(log, st.EVENT_SAVED, other, 1)
        else:
            failed[int(m.group)] += 1
    for other in range(st.FIRST_MINE, st.LAST_MINE + 1):
        m = s.models[other]
        if not alive(s, other) or m.marks & st.FLAG_QUEUED:
            continue
        if not blast_hits(s, t, log, other, square(int(m.x), int(m.y), x, y)):
            continue
        if roll(s, log, st.ROLL_EXPLODE, other, t.blast_mine, st.ULTRAMARINES) >= t.blast_mine:
            queue_detonation(s, other)
        else:
            emit(log, st.EVENT_SPARED, other)
    for squad in range(3):
        if failed[squad] > 0:
            emit(log, st.EVENT_WOUNDED, squad, failed[squad])
            push_frame(s, st.FRAME_CASUALTIES, squad, failed[squad])


@kernel
def next_detonation(s) -> int:
    """Take the next mine from the queue, or -1 when it is empty (which also clears it)."""
    if s.detonation_head == s.detonation_tail:
        for k in range(8):
            s.detonations[k] = 0
        s.detonation_head = 0
        s.detonation_tail = 0
        return -1
    slot = int(s.detonations[s.detonation_head])
    s.detonation_head = int(s.detonation_head) + 1
    return slot


# -- return --------------------------------------------------------------------------------------------------------


@kernel
def mine_in_pool(s) -> int:
    """Return the lowest mine slot out of play, or -1."""
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        if s.models[slot].status == st.STATUS_OUT:
            return slot
    return -1


@kernel
def taken_spots(s, t, x: int, y: int) -> int:
    """Return, as bits, which contact spots of a marker at (x, y) a mine may not take (MAC-B53).

    Off the table, overlapping a Tyranid model or a piece that is no wreck, or touching an Ultramarine.
    """
    taken = 0
    for k in range(CONTACT_SPOTS):
        if not on_table(x + t.contact_x[k], y + t.contact_y[k]):
            taken |= 1 << k
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status != st.STATUS_TABLE:
            continue
        dx = int(m.x) - x
        dy = int(m.y) - y
        if dx < -5 or dx > 5 or dy < -5 or dy > 5:
            continue
        near = CONTACT + 1 if slot < st.FIRST_GENESTEALER else 4
        for k in range(CONTACT_SPOTS):
            if square(dx, dy, t.contact_x[k], t.contact_y[k]) < near:
                taken |= 1 << k
    for piece in range(st.FIRST_MARKER, st.PIECES):
        p = s.pieces[piece]
        if p.kind == st.PIECE_NONE:
            continue
        radii = int(p.r) + 1
        for k in range(CONTACT_SPOTS):
            if square(int(p.x), int(p.y), x + t.contact_x[k], y + t.contact_y[k]) < radii * radii:
                taken |= 1 << k
    return taken


@kernel
def return_spot(s, t, piece: int) -> int:
    """Return which of a marker's contact spots takes a returned mine, or -1 (MAC-B53).

    The free spot nearest to an Ultramarine, ties in DEST order.
    """
    p = s.pieces[piece]
    x = int(p.x)
    y = int(p.y)
    taken = taken_spots(s, t, x, y)
    best = -1
    best_d2 = 0
    for k in range(CONTACT_SPOTS):
        if (taken >> k) & 1:
            continue
        d2 = nearest_ultramarine(s, x + t.contact_x[k], y + t.contact_y[k])
        if best < 0 or d2 < best_d2:
            best = k
            best_d2 = d2
    return best


@kernel
def may_return_at(s, t, marker: int) -> bool:
    """Say whether a mine can come back at marker 0..2."""
    piece = st.FIRST_MARKER + marker
    p = s.pieces[piece]
    if p.kind != st.PIECE_MARKER:
        return False
    return taken_spots(s, t, int(p.x), int(p.y)) != (1 << CONTACT_SPOTS) - 1


@kernel
def return_mine(s, t, log, marker: int) -> None:
    """Put a mine of the pool at a marker (MAC-M1.7)."""
    put_mine_at(s, t, log, mine_in_pool(s), marker)


@kernel
def put_mine_at(s, t, log, slot: int, marker: int) -> None:
    """Put a mine at its spot at a marker (MAC-B53)."""
    piece = st.FIRST_MARKER + marker
    k = return_spot(s, t, piece)
    x = int(s.pieces[piece].x) + t.contact_x[k]
    y = int(s.pieces[piece].y) + t.contact_y[k]
    put(s, slot, x, y)
    group = int(s.models[slot].group)
    s.groups[group].living = 1
    emit(log, st.EVENT_MINE_RETURNED, slot, piece, x, y)
