"""Close combat: who strikes when, blows, and what comes of them (MAC-B46 to B48, 2.4)."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, roll, slay
from broodmind.envs.macragge.rules.contact import CONTACT, end_of_enemies, first_enemy, is_engaged
from broodmind.envs.macragge.rules.frames import pop_frame, push_frame
from broodmind.envs.macragge.rules.geometry import apart

STAGE_GENESTEALERS = 1
STAGE_ULTRAMARINES = 2
STAGE_TERMAGANTS = 3
STAGE_REMOVAL = 4
REND = 6
"""A Genestealer's roll to hit that kills outright."""


@kernel
def owner(slot: int) -> int:
    """Return the seat that a model belongs to."""
    return st.ULTRAMARINES if slot < st.FIRST_GENESTEALER else st.TYRANIDS


@entry
def may_be_struck(s, slot: int, enemy: int) -> bool:
    """Say whether a fighter may strike an enemy: in base contact, living, not laid down (MAC-B47)."""
    if enemy < first_enemy(slot) or enemy >= end_of_enemies(slot) or not alive(s, enemy):
        return False
    return s.models[enemy].marks & st.FLAG_LAID == 0 and apart(s.models[slot], s.models[enemy]) <= CONTACT


@kernel
def count_contacts(s, slot: int) -> int:
    """Count the enemies that a fighter may strike."""
    count = 0
    for enemy in range(first_enemy(slot), end_of_enemies(slot)):
        if may_be_struck(s, slot, enemy):
            count += 1
    return count


@kernel
def lowest_contact(s, slot: int) -> int:
    """Return the lowest slot that a fighter may strike, or -1."""
    for enemy in range(first_enemy(slot), end_of_enemies(slot)):
        if may_be_struck(s, slot, enemy):
            return enemy
    return -1


@kernel
def fights_in_mission(s) -> bool:
    """Say whether fights are resolved in the turn at hand: mission 4 in the Tyranids' turn, 5 and 6 in both (B40)."""
    if s.core.mission == st.XENO_TIDE:
        return s.active == st.TYRANIDS
    return s.core.mission >= st.REINFORCEMENTS


@kernel
def begin_fight(s) -> None:
    """Resolve all fights on the table, if there are any."""
    if not fights_in_mission(s):
        return
    for slot in range(st.FIRST_GENESTEALER):
        if is_engaged(s, slot):
            push_frame(s, st.FRAME_FIGHT, STAGE_GENESTEALERS, st.FIRST_GENESTEALER)
            return


@kernel
def end_of_stage(stage: int) -> int:
    """Return the slot after the last that strikes in a stage."""
    if stage == STAGE_GENESTEALERS:
        return st.LAST_GENESTEALER + 1
    return st.FIRST_GENESTEALER if stage == STAGE_ULTRAMARINES else st.LAST_TERMAGANT + 1


@kernel
def first_of_stage(stage: int) -> int:
    """Return the first slot that strikes in a stage."""
    if stage == STAGE_GENESTEALERS:
        return st.FIRST_GENESTEALER
    return 0 if stage == STAGE_ULTRAMARINES else st.FIRST_TERMAGANT


@kernel
def run_fight(s, t, log) -> None:
    """Let the next fighter strike, or ask whom; Genestealers first, then all others at once (MAC-B46)."""
    frame = s.frames[int(s.frame_count) - 1]
    if frame.a == STAGE_REMOVAL:
        pop_frame(s)
        remove_laid(s, log)
        return
    stage = int(frame.a)
    for slot in range(int(frame.b), end_of_stage(stage)):
        if not alive(s, slot):
            continue
        contacts = count_contacts(s, slot)
        if contacts == 0:
            continue
        frame.b = slot + 1
        m = s.models[slot]
        m.attacks = t.attacks[int(m.kind)] + (1 if m.marks & st.FLAG_CHARGED else 0)
        if contacts == 1:
            strike(s, t, log, slot, lowest_contact(s, slot))
        else:
            s.model = slot
            s.phase = st.STRIKE
        return
    frame.a = stage + 1
    frame.b = first_of_stage(stage + 1)


@kernel
def strike(s, t, log, slot: int, enemy: int) -> None:
    """Strike with all attacks; once the enemy is down they pass to the next contact, lowest slot (MAC-B47)."""
    m = s.models[slot]
    m.marks |= st.FLAG_FOUGHT
    while m.attacks > 0:
        if not may_be_struck(s, slot, enemy):
            enemy = lowest_contact(s, slot)
            if enemy < 0:
                break
        m.attacks = int(m.attacks) - 1
        blow(s, t, log, slot, enemy)
    m.attacks = 0


@kernel
def blow(s, t, log, slot: int, enemy: int) -> None:
    """Roll one attack: hit, wound, armour save; a Genestealer's 6 kills outright (MAC 2.4)."""
    emit(log, st.EVENT_STRUCK, slot, enemy)
    kind = int(s.models[slot].kind)
    struck = int(s.models[enemy].kind)
    seat = owner(slot)
    needed = t.blow_hit[kind, struck]
    rends = kind == st.KIND_GENESTEALER
    value = roll(s, log, st.ROLL_REND if rends else st.ROLL_TO_HIT, enemy, needed, seat)
    if value < needed:
        return
    if not (rends and value == REND):
        wound = t.blow_wound[kind, struck]
        if roll(s, log, st.ROLL_TO_WOUND, enemy, wound, seat) < wound:
            emit(log, st.EVENT_SPARED, enemy)
            return
        save = t.save_space_marine
        if struck == st.KIND_VARRAS:
            save = t.save_varras
        elif struck >= st.KIND_GENESTEALER:
            save = t.save_tyranid
        if roll(s, log, st.ROLL_SAVE, enemy, save, 1 - seat) >= save:
            emit(log, st.EVENT_SAVED, enemy, 1)
            return
    if rends:
        slay(s, log, enemy)
    else:
        s.models[enemy].marks |= st.FLAG_LAID
        emit(log, st.EVENT_LAID_DOWN, enemy)


@kernel
def remove_laid(s, log) -> None:
    """Remove those laid down: they have struck by now (MAC-B46)."""
    for slot in range(st.FIRST_MINE):
        if alive(s, slot) and s.models[slot].marks & st.FLAG_LAID:
            slay(s, log, slot)
