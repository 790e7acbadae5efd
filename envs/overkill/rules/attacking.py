"""Attacks: targets, dice, hits and saves (OVK-A, and the skills of OVK-D that change them)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.board import first_of_group, roll, slay, wound
from broodmind.envs.overkill.rules.objectives import check

MOST_DICE = 16
MISSES, ONES, FIRST_MISS = 1, 2, 4


@kernel
def dice_at(s, t, model: int, profile: int, band: int) -> int:
    """Return how many dice a profile rolls at a band, 0 if it may not be used there now."""
    kind = int(t.kind[model])
    if band >= st.OUT or profile >= t.profiles[kind]:
        return 0
    if model < st.MARINES:
        if s.mission == st.ALPHA_THREAT and band == st.MAXIMUM:  # OVK-M9.3
            return 0
        if s.jammed >> model & 1 and band != st.ASSAULT:
            return 0
    count = int(t.dice[kind, profile, band])
    if count == 0 or t.dice[kind, profile, st.COMBAT] > 0 or t.rules[kind, profile] & st.BLAST:
        return count
    # Close combat weapons: what can be used at Assault range only.
    if t.skills[kind] & st.BLACK_RAGE and s.wounds[model] > 0:
        count += 1
    if t.skills[kind] & st.PSYCHIC and s.might:
        count += 2
    return count


@kernel
def zone_is_legal(s, t, attacker: int, zone: int, band: int) -> bool:
    """Say whether some enemy in a zone may be attacked from a band (energy field M9.6, smoke D08)."""
    if attacker >= st.MARINES:
        return s.marines_in[zone] > 0 and not (zone == s.smoke_zone and band > st.ASSAULT)
    field = s.mission == st.ALPHA_THREAT and band > st.ASSAULT and zone == t.throne[st.ALPHA_THREAT]
    return s.cult_in[zone] > (1 if field and zone == s.zone[st.PATRIARCH_SLOT] else 0)


@kernel
def is_shielded(s, t, attacker: int, target: int) -> bool:
    """Say whether an enemy may not be attacked from where the attacker stands, though others in its zone may."""
    zone = int(s.zone[target])
    if t.band[int(s.mission), int(s.zone[attacker]), zone] == st.ASSAULT:
        return False
    if target < st.MARINES:
        return attacker >= st.MARINES and zone == s.smoke_zone
    if target != st.PATRIARCH_SLOT or s.mission != st.ALPHA_THREAT or attacker >= st.MARINES:
        return False
    return zone == t.throne[int(s.mission)]


@kernel
def may_attack(s, t, attacker: int, profile: int, zone: int) -> bool:
    """Say whether a profile may be used against a zone, or somebody in it (OVK-A02, A11)."""
    band = int(t.band[int(s.mission), int(s.zone[attacker]), zone])
    return dice_at(s, t, attacker, profile, band) > 0 and zone_is_legal(s, t, attacker, zone, band)


@kernel
def may_mesmerise(s, t, attacker: int, m: int) -> bool:
    """Say whether a marine is within the Magus's will (OVK-D17)."""
    if s.zone[m] < 0 or t.skills[int(t.kind[attacker])] & st.MESMERISE == 0 or s.mesmerised >> m & 1:
        return False
    return t.band[int(s.mission), int(s.zone[attacker]), int(s.zone[m])] <= st.COMBAT


@kernel
def has_conduit(s, t, attacker: int, profile: int) -> bool:
    """Say whether a profile is the Scream of the Patriarch on the Throne (OVK-M9.5)."""
    if s.mission != st.ALPHA_THREAT or attacker != st.PATRIARCH_SLOT or profile != act.CONDUIT:
        return False
    return s.zone[attacker] == t.throne[st.ALPHA_THREAT] and t.dice[int(t.kind[attacker]), profile, 0] > 0


@kernel
def may_use_profile(s, t, attacker: int, profile: int) -> bool:
    """Say whether a profile has some target."""
    if attacker >= st.MARINES:
        for m in range(st.MARINES):
            zone = int(s.zone[m])
            if zone < 0:
                continue
            if profile == act.MESMERISE and may_mesmerise(s, t, attacker, m):
                return True
            if has_conduit(s, t, attacker, profile) or may_attack(s, t, attacker, profile, zone):
                return True
        return False
    if profile >= t.profiles[attacker]:
        return False
    for zone in range(t.zones[int(s.mission)]):
        if s.cult_in[zone] > 0 and may_attack(s, t, attacker, profile, zone):
            return True
    return False


@kernel
def rerolls(s, t, attacker: int, profile: int, band: int) -> int:
    """Return which dice are rolled again: MISSES, ONES, FIRST_MISS (OVK-M1.4, D02, D05, D18, K fervour)."""
    kind = int(t.kind[attacker])
    m = int(s.mission)
    zone = int(s.zone[attacker])
    if attacker < st.MARINES:
        if m == st.KILLSTORM and s.core.turn == 1:
            return MISSES
        kinds = 0
        if t.skills[kind] & st.MARKSMAN and t.rules[kind, profile] & st.BLAST == 0:
            kinds = FIRST_MISS
        if band == st.ASSAULT:
            for other in range(st.MARINES):
                if other == attacker or t.skills[other] & st.LITANIES == 0 or s.zone[other] < 0:
                    continue
                if t.section[m, int(s.zone[other])] == t.section[m, zone]:
                    kinds |= ONES
        return kinds
    if s.zone_marks[zone] & st.FERVENT:
        return MISSES
    if band == st.ASSAULT and t.skills[kind] & st.HYBRID and shares_section(s, t, zone, st.DEMAGOGUE):
        return ONES
    return 0


@kernel
def shares_section(s, t, zone: int, skill: int) -> bool:
    """Say whether a leader with a skill is on the section of a zone."""
    m = int(s.mission)
    for leader in range(st.PATRIARCH_SLOT, st.MODELS):
        if t.skills[int(t.kind[leader])] & skill == 0 or s.zone[leader] < 0:
            continue
        if t.section[m, int(s.zone[leader])] == t.section[m, zone]:
            return True
    return False


@kernel
def cleaves(s, t, attacker: int, profile: int, band: int) -> bool:
    """Say whether an attack has Cleave: by its profile, venom or the Magus (OVK-A16, K)."""
    kind = int(t.kind[attacker])
    if t.rules[kind, profile] & st.CLEAVE:
        return True
    if attacker < st.MARINES:
        return False
    zone = int(s.zone[attacker])
    if s.zone_marks[zone] & st.VENOMED and band == st.ASSAULT:
        return True
    if t.skills[kind] & st.VASSAL == 0 or s.zone[st.MAGUS_SLOT] < 0:
        return False
    m = int(s.mission)
    return t.section[m, int(s.zone[st.MAGUS_SLOT])] == t.section[m, zone]


@kernel
def save_of(s, t, model: int, cleave: bool) -> int:
    """Return the least roll that saves a model from a hit, 0 if it has no save (OVK-A06, A08, D01, D12, K shield)."""
    kind = int(t.kind[model])
    armour = int(t.armour[kind])
    if model < st.MARINES:
        if not cleave:
            return armour
        return 4 if t.skills[kind] & st.ROSARIUS else 0
    allowed = not cleave or t.skills[kind] & (st.AGILITY | st.TOUGH) != 0
    if not allowed:
        return 0
    if s.zone_marks[int(s.zone[model])] & st.SHIELDED:
        return 0 if cleave and armour == 0 else 6 if armour == 0 else max(2, armour - 1)
    return armour


@kernel
def suffer(s, t, log, model: int, cleave: bool) -> None:
    """Let a model suffer a hit: a save if it has one, then a wound."""
    emit(log, st.EVENT_HIT, model)
    need = save_of(s, t, model, cleave)
    seat = st.DEATHWATCH if model < st.MARINES else st.CULT
    if need > 0 and roll(s, log, st.ROLL_SAVE, model, need, seat) >= need:
        emit(log, st.EVENT_SAVED, model)
        return
    wound(s, t, log, model)


@kernel
def run_attack(s, t, log) -> None:
    """Roll the dice of the attack in hand: of a Blast with all it does, of another up to its hits (OVK-A05, A10)."""
    attacker = int(s.attacker)
    profile = int(s.profile)
    kind = int(t.kind[attacker])
    zone = int(s.zone[attacker])
    target_zone = int(s.target_zone)
    band = int(t.band[int(s.mission), zone, target_zone])
    seat = st.DEATHWATCH if attacker < st.MARINES else st.CULT
    emit(log, st.EVENT_ATTACKED, attacker, profile, int(s.target), target_zone)
    s.marks[attacker] |= st.ACTED
    s.hits = 0
    s.hazards = 0
    s.job = st.JOB_AFTER
    blast = t.rules[kind, profile] & st.BLAST
    if blast and s.target >= 0:  # OVK-M9.5
        need = int(t.need[kind, profile, st.ASSAULT])
        if roll(s, log, st.ROLL_TO_HIT, attacker, need, seat) >= need:
            suffer(s, t, log, int(s.target), True)
        check(s, t, log)
        return
    need = int(t.need[kind, profile, band])
    if attacker < st.MARINES and s.dust and band != st.ASSAULT:
        need = min(6, need + 1)
    if attacker >= st.MARINES and s.zone_marks[zone] & st.PANICKED:
        need = min(6, need + 1)
    again = rerolls(s, t, attacker, profile, band)
    if blast:
        run_blast(s, t, log, need, again, cleaves(s, t, attacker, profile, band))
        return
    count = min(MOST_DICE, dice_at(s, t, attacker, profile, band))
    dice = np.empty(MOST_DICE, np.int64)
    for k in range(count):
        dice[k] = roll(s, log, st.ROLL_TO_HIT, attacker, need, seat)
    first = again & FIRST_MISS
    for k in range(count):
        if dice[k] < need:
            if again & MISSES or first or (again & ONES and dice[k] == 1):
                dice[k] = roll(s, log, st.ROLL_REROLL, attacker, need, seat)
            first = 0
    for k in range(count):
        if dice[k] >= need:
            s.hits = int(s.hits) + 1
        if dice[k] == 1 and t.rules[kind, profile] & st.HAZARD:
            s.hazards = int(s.hazards) + 1
    s.job = st.JOB_HITS


@kernel
def run_blast(s, t, log, need: int, again: int, cleave: bool) -> None:
    """Roll for everybody in the target zone: enemies first, then friends, by index (OVK-A10, A12)."""
    attacker = int(s.attacker)
    kind = int(t.kind[attacker])
    zone = int(s.target_zone)
    seat = st.DEATHWATCH if attacker < st.MARINES else st.CULT
    only_marines = t.rules[kind, int(s.profile)] & st.SCREAM
    kills = int(s.kills)
    for part in range(2):
        marines = (attacker >= st.MARINES) == (part == 0)
        if only_marines and not marines:
            continue
        for model in range(0 if marines else st.MARINES, st.MARINES if marines else st.MODELS):
            if s.zone[model] != zone or model == attacker or is_shielded(s, t, attacker, model):
                continue
            die = roll(s, log, st.ROLL_TO_HIT, model, need, seat)
            if part == 0 and die < need and (again & MISSES or (again & ONES and die == 1)):
                die = roll(s, log, st.ROLL_REROLL, model, need, seat)
            if die == 1 and t.rules[kind, int(s.profile)] & st.HAZARD:
                s.hazards = int(s.hazards) + 1
            if die >= need:
                suffer(s, t, log, model, cleave)
    if t.skills[kind] & st.PANIC and s.kills > kills:  # OVK-D03
        s.zone_marks[zone] |= st.PANICKED
    check(s, t, log)


@kernel
def run_hits(s, t, log) -> None:
    """Let the target suffer its hits one after another; those left over are lost, or go on by Rend (OVK-A05 to A09)."""
    attacker = int(s.attacker)
    kind = int(t.kind[attacker])
    band = int(t.band[int(s.mission), int(s.zone[attacker]), int(s.target_zone)])
    target = int(s.target)
    while s.hits > 0 and s.zone[target] == s.target_zone:
        s.hits = int(s.hits) - 1
        suffer(s, t, log, target, cleaves(s, t, attacker, int(s.profile), band))
        check(s, t, log)
        if s.job != st.JOB_HITS:  # the mission is over
            return
    s.job = st.JOB_AFTER
    if s.hits == 0 or t.rules[kind, int(s.profile)] & st.REND == 0:
        return
    if zone_is_legal(s, t, attacker, int(s.target_zone), band):
        s.job = st.JOB_HITS
        s.stage = st.DATT_TYPE if attacker < st.MARINES else st.CATT_REND


@kernel
def run_after(s, t, log) -> None:
    """End an attack: the hazard of plasma (OVK-D15), then the next of the group."""
    attacker = int(s.attacker)
    while s.hazards > 0 and s.zone[attacker] >= 0:
        s.hazards = int(s.hazards) - 1
        suffer(s, t, log, attacker, False)
        check(s, t, log)
        if s.job != st.JOB_AFTER:
            return
    s.hazards = 0
    s.hits = 0
    s.job = st.JOB_NEXT if attacker >= st.MARINES and s.alone == 0 else st.JOB_NONE


@kernel
def run_next(s, t) -> None:
    """Let the next of the picked group attack, while the target lasts (OVK section 3, STRIKE and SHOOT)."""
    s.job = st.JOB_NONE
    attacker = first_of_group(s, t, int(s.sel_type), int(s.sel_zone), st.ACTED)
    if attacker < 0:
        return
    if s.marine >= 0:
        if s.zone[int(s.marine)] != s.target_zone:
            return
    elif not may_attack(s, t, attacker, int(s.profile), int(s.target_zone)):
        return
    s.target = int(s.marine)
    s.attacker = attacker
    s.job = st.JOB_ATTACK


@kernel
def may_recover(s, t, m: int) -> bool:
    """Say whether a marine may make a Combat Recovery (OVK-A15, D09, M9.3, K no_respite)."""
    if s.zone[m] < 0 or s.wounds[m] == 0 or s.mission == st.ALPHA_THREAT or s.no_recover >> m & 1:
        return False
    return t.skills[m] & st.BLACK_RAGE == 0


@kernel
def recover(s, log, m: int) -> None:
    """Make a marine unwounded."""
    s.wounds[m] = 0
    emit(log, st.EVENT_RECOVERED, m)


@kernel
def may_attach(s, t, m: int) -> bool:
    """Say whether a marine may attach grenades to the silo where he stands (OVK-M6.2)."""
    if s.mission != st.FIRESTORM or s.zone[m] < 0:
        return False
    zone = int(s.zone[m])
    number = int(t.silo[st.FIRESTORM, zone])
    return number > 0 and s.cult_in[zone] == 0 and s.krak >> (number - 1) & 1 == 0


@kernel
def may_take_skull(s, m: int) -> bool:
    """Say whether a marine stands where the skull lies (OVK-M3.5)."""
    return s.mission == st.RECOVER and s.carrier < 0 and s.zone[m] >= 0 and s.zone[m] == s.skull_zone


@kernel
def may_act(s, m: int) -> bool:
    """Say whether a marine may still be picked in the Attack phase at hand."""
    if s.zone[m] < 0 or s.marks[m] & st.ACTED:
        return False
    return s.phase != st.SECOND_PHASE or (s.static | s.mesmerised) >> m & 1 == 0


@kernel
def lose_section(s, t, log) -> None:
    """Destroy the first section still there, with all that is on it (OVK-M4.3)."""
    m = int(s.mission)
    section = int(s.destroyed)
    emit(log, st.EVENT_SECTION_LOST, section)
    for model in range(st.MODELS):
        if s.zone[model] >= 0 and t.section[m, int(s.zone[model])] == section:
            slay(s, t, log, model)
    for point in range(t.points[m]):
        if t.section[m, int(t.point_zone[m, point])] == section and s.point_card[point] >= 0:
            s.card_at[int(s.point_card[point])] = st.CARD_DISCARD
            s.point_card[point] = -1
            s.point_marks[point] = 0
            emit(log, st.EVENT_DISCARDED, 1)
    s.destroyed = section + 1
    check(s, t, log)
