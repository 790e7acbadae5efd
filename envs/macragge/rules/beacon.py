"""The locator beacon, the Thunderhawk, and the core in the node (MAC-M6.3, M6.6, M6.7)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import DRAW, LOSS, WIN, alive, finish, roll, take_off
from broodmind.envs.macragge.rules.contact import CONTACT
from broodmind.envs.macragge.rules.geometry import apart, touches

LAST_TURN = 12
"""The Ultramarines must be gone by the end of their turn of this number."""
ABOARD = 196
"""Squared distance from the beacon within which everyone boards."""
MINOR_WIN = 1
MINOR_LOSS = -1
MARINES = 10


@kernel
def touches_beacon(s, slot: int) -> bool:
    """Say whether an Ultramarine on the table is in contact with the beacon."""
    p = s.pieces[st.PIECE_BEACON]
    return alive(s, slot) and p.kind != st.PIECE_NONE and apart(s.models[slot], p) <= CONTACT


@kernel
def note_who_stands(s) -> None:
    """Mark, at the start of the Ultramarines' turn, who is in contact with the beacon."""
    for slot in range(st.FIRST_GENESTEALER):
        if touches_beacon(s, slot):
            s.models[slot].marks |= st.FLAG_STOOD


@kernel
def may_activate(s) -> bool:
    """Say whether the beacon can be activated: someone kept contact all turn without moving (MAC-M6.7)."""
    if s.thunderhawk != st.THUNDERHAWK_NONE or s.core.turn >= LAST_TURN:
        return False
    for slot in range(st.FIRST_GENESTEALER):
        marks = int(s.models[slot].marks)
        if touches_beacon(s, slot) and marks & st.FLAG_STOOD and marks & st.FLAG_MOVED == 0:
            return True
    return False


@kernel
def set_thunderhawk(s, log, state: int) -> None:
    """Note what has become of the signal."""
    s.thunderhawk = state
    emit(log, st.EVENT_THUNDERHAWK, state)


@kernel
def answer_signal(s, log) -> None:
    """At the end of the Tyranids' turn the Thunderhawk lands if contact was kept, else the signal is lost."""
    if s.thunderhawk != st.THUNDERHAWK_SIGNAL:
        return
    for slot in range(st.FIRST_GENESTEALER):
        if touches_beacon(s, slot):
            set_thunderhawk(s, log, st.THUNDERHAWK_LANDED)
            return
    set_thunderhawk(s, log, st.THUNDERHAWK_NONE)


@kernel
def touches_node(s, slot: int) -> bool:
    """Say whether a model is in contact with the node."""
    p = s.pieces[st.PIECE_NODE]
    return alive(s, slot) and p.kind != st.PIECE_NONE and touches(apart(s.models[slot], p), 1 + int(p.r))


@kernel
def try_core_drop(s, t, log) -> None:
    """Let the carrier who touches the node try to drop the core in (MAC-M6.6)."""
    slot = int(s.core_carrier)
    if slot < 0 or not touches_node(s, slot):
        return
    group = int(s.models[slot].group)
    if s.active == st.ULTRAMARINES and s.groups[group].marks & st.GROUP_SHOT:
        return
    if roll(s, log, st.ROLL_CORE_DROP, slot, t.core_drop, st.ULTRAMARINES) < t.core_drop:
        return
    s.core_carrier = -1
    s.fusion_core = st.CORE_DROPPED
    # Two full turns of the Ultramarines: the one under way does not count.
    s.core_timer = 3 if s.active == st.ULTRAMARINES else 2
    emit(log, st.EVENT_CORE_DROPPED, slot)


@kernel
def tick(s, log) -> None:
    """Count the core's time down at the end of the Ultramarines' turn; at the end the node is gone, nobody hurt."""
    if s.fusion_core != st.CORE_DROPPED or s.core_timer <= 0:
        return
    s.core_timer = int(s.core_timer) - 1
    if s.core_timer > 0:
        return
    p = s.pieces[st.PIECE_NODE]
    emit(log, st.EVENT_NODE_DESTROYED, int(p.x), int(p.y))
    p.kind = st.PIECE_NONE
    p.x = 0
    p.y = 0
    p.r = 0
    p.hp = 0


@kernel
def board(s, log) -> None:
    """Take everyone near the beacon aboard."""
    for slot in range(st.FIRST_GENESTEALER):
        m = s.models[slot]
        if alive(s, slot) and apart(m, s.pieces[st.PIECE_BEACON]) <= ABOARD:
            emit(log, st.EVENT_ESCAPED, slot, int(m.x), int(m.y))
            take_off(s, slot, st.STATUS_ESCAPED)


@kernel
def marines_in(s, status: int) -> int:
    """Count the Space Marines of a status."""
    count = 0
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if s.models[slot].status == status:
            count += 1
    return count


@kernel
def judge_purge(s, log) -> None:
    """End mission 6 with its graded result: who is not aboard is dead (MAC-M6.3)."""
    aboard = marines_in(s, st.STATUS_ESCAPED)
    v = s.models[st.VARRAS]
    with_varras = v.status == st.STATUS_ESCAPED or (
        v.status == st.STATUS_CARRIED and s.models[s.varras_carrier].status == st.STATUS_ESCAPED
    )
    destroyed = s.fusion_core == st.CORE_DROPPED
    dead = MARINES - aboard
    result = DRAW
    if destroyed and with_varras and aboard == MARINES:
        result = WIN
    elif destroyed and with_varras and aboard >= 5:
        result = MINOR_WIN
    elif not destroyed and dead == MARINES:
        result = LOSS
    elif not destroyed and dead > 2:
        result = MINOR_LOSS
    finish(s, log, result, st.OVER_PURGE)


@kernel
def end_of_turn_in_purge(s, log) -> None:
    """Do what mission 6 does at the end of a turn (MAC-M6.3, M6.6, M6.7)."""
    if s.active == st.TYRANIDS:
        answer_signal(s, log)
        return
    tick(s, log)
    if s.thunderhawk == st.THUNDERHAWK_LANDED:
        board(s, log)
        judge_purge(s, log)
    elif s.core.turn >= LAST_TURN:
        judge_purge(s, log)
