"""Shooting: Varras's pistol at mines (MAC-M1.5) and the flamer (MAC-B34, M2.4)."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, first_tyranid, roll, slay
from broodmind.envs.macragge.rules.geometry import apart
from broodmind.envs.macragge.rules.mines import queue_detonation
from broodmind.envs.macragge.tables import FLAME_REACH


@entry
def has_fired(s, group: int) -> bool:
    """Say whether a unit has shot, or declined to, this turn."""
    return s.groups[group].marks & st.GROUP_FIRED != 0


@kernel
def may_shoot_mine(s, t, slot: int) -> bool:
    """Say whether Varras may shoot at a mine: on the table, within pistol range (MAC-M1.5, B7)."""
    return (
        alive(s, slot)
        and alive(s, st.VARRAS)
        and apart(s.models[st.VARRAS], s.models[slot]) <= t.pistol_square
    )


@kernel
def any_mine_target(s, t) -> bool:
    """Say whether Varras has a mine to shoot at."""
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        if may_shoot_mine(s, t, slot):
            return True
    return False


@kernel
def shoot_mine(s, t, log, slot: int) -> None:
    """Fire one pistol shot at a mine: 4+ hits, 4+ detonates it (MAC-M1.5)."""
    group = int(s.models[slot].group)
    emit(log, st.EVENT_SHOT, st.VARRAS, group, slot)
    hit = t.hit[st.KIND_VARRAS]
    if roll(s, log, st.ROLL_TO_HIT, slot, hit, st.ULTRAMARINES) < hit:
        return
    if roll(s, log, st.ROLL_TO_WOUND, slot, t.wound_mine, st.ULTRAMARINES) >= t.wound_mine:
        queue_detonation(s, slot)
    else:
        emit(log, st.EVENT_SPARED, slot)


@kernel
def touched_directions(t, x: int, y: int, source_x: int, source_y: int) -> int:
    """Return, as bits, the directions in which a template from the source touches a base at (x, y) (MAC-B9)."""
    dx = x - source_x
    dy = y - source_y
    if dx < -FLAME_REACH or dx > FLAME_REACH or dy < -FLAME_REACH or dy > FLAME_REACH:
        return 0
    return t.flame[dx + FLAME_REACH, dy + FLAME_REACH]


@kernel
def flame_directions(s, t) -> int:
    """Return, as bits, the directions in which the flamer may fire at the target at hand (MAC-B34)."""
    return template_directions(s, t, int(s.target))


@kernel
def template_directions(s, t, group: int) -> int:
    """Return, as bits, the directions in which the flamer may fire at a group, or (-1) at any mine or marker.

    No other Ultramarine is touched, and at least one model of the group is (MAC-B34).
    """
    if not alive(s, st.FLAMER):
        return 0
    me = s.models[st.FLAMER]
    x = int(me.x)
    y = int(me.y)
    wanted = 0
    for slot in range(st.FIRST_MINE if group < 0 else first_tyranid(s), st.LAST_MINE + 1):
        m = s.models[slot]
        if alive(s, slot) and (group < 0 or m.group == group):
            wanted |= touched_directions(t, int(m.x), int(m.y), x, y)
    for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
        p = s.pieces[k]
        if p.kind == st.PIECE_MARKER and (group < 0 or group == st.FIRST_MARKER_GROUP + k - st.FIRST_MARKER):
            wanted |= touched_directions(t, int(p.x), int(p.y), x, y)
    if wanted == 0:
        return 0
    for slot in range(st.FIRST_GENESTEALER):
        if slot != st.FLAMER and alive(s, slot):
            m = s.models[slot]
            wanted &= ~touched_directions(t, int(m.x), int(m.y), x, y)
    return wanted


@kernel
def fire_flame(s, t, log, direction: int) -> None:
    """Fire the flamer: everything Tyranid under the template rolls, models, mines, then markers (MAC-B34, M2.4)."""
    me = s.models[st.FLAMER]
    x = int(me.x)
    y = int(me.y)
    emit(log, st.EVENT_FLAME, st.FLAMER, direction, x, y)
    for slot in range(first_tyranid(s), st.FIRST_MINE):
        m = s.models[slot]
        if alive(s, slot) and (touched_directions(t, int(m.x), int(m.y), x, y) >> direction) & 1:
            needed = t.wound_flame[int(m.kind)]
            if roll(s, log, st.ROLL_BURN, slot, needed, st.ULTRAMARINES) >= needed:
                slay(s, log, slot)
            else:
                emit(log, st.EVENT_SPARED, slot)
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        m = s.models[slot]
        if alive(s, slot) and (touched_directions(t, int(m.x), int(m.y), x, y) >> direction) & 1:
            if roll(s, log, st.ROLL_BURN, slot, t.flame_mine, st.ULTRAMARINES) >= t.flame_mine:
                queue_detonation(s, slot)
            else:
                emit(log, st.EVENT_SPARED, slot)
    for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
        p = s.pieces[k]
        if p.kind == st.PIECE_MARKER and (touched_directions(t, int(p.x), int(p.y), x, y) >> direction) & 1:
            needed = t.flame_marker
            if roll(s, log, st.ROLL_BURN, -1, needed, st.ULTRAMARINES) >= needed:
                destroy_marker(s, log, k)


@kernel
def wound_marker(s, log, piece: int) -> None:
    """Take a wound off a marker of mission 6; the second destroys it (MAC-M6.5)."""
    p = s.pieces[piece]
    p.hp = int(p.hp) - 1
    if p.hp <= 0:
        destroy_marker(s, log, piece)
    else:
        emit(log, st.EVENT_MARKER_WOUNDED, piece, int(p.hp))


@kernel
def destroy_marker(s, log, piece: int) -> None:
    """Remove a marker for good."""
    p = s.pieces[piece]
    emit(log, st.EVENT_MARKER_DESTROYED, piece, int(p.x), int(p.y))
    p.kind = st.PIECE_NONE
    p.x = 0
    p.y = 0
    p.r = 0
    p.hp = 0
    group = s.groups[st.FIRST_MARKER_GROUP + piece - st.FIRST_MARKER]
    group.kind = st.GROUP_NONE
    group.living = 0
