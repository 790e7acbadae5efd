"""The hand-written players, one for each seat: greedy, quick, and no more than a baseline.

Marines weigh the way to their objective against the harm that threatens a zone and the kills within reach; the cult
brings its models near marines, ambushes them where they go, and aims at whoever is wounded. Every legal action gets a
score; the best is taken, ties at random.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.legal import fill_mask
from broodmind.envs.overkill.rules.attacking import save_of
from broodmind.envs.overkill.rules.board import pool
from broodmind.envs.overkill.rules.cards import room_for
from broodmind.envs.overkill.tables import FAR

SIZE = act.ACTIONS.size
WORST = -1e9
AT_ONCE = 1000.0
"""The score of what is always right: an exit, grenades, the skull."""
RELIEF = 1.5
"""What it is worth to slay all who bar marines in a zone, where all marines begin scattered and have to leave."""


@kernel
def hit_chance(t, kind: int, profile: int, band: int) -> float:
    """Return the expected hits of a profile (of a Blast: on each model)."""
    count = int(t.dice[kind, profile, band])
    return count * (7 - int(t.need[kind, profile, band])) * (1 / 6) if count > 0 else 0.0


@kernel
def harm(t, kind: int, band: int) -> float:
    """Return the wounds to expect from a cult type at a band, on a marine with armour 3+."""
    best = 0.0
    if band >= st.OUT:
        return best
    for profile in range(int(t.profiles[kind])):
        hits = hit_chance(t, kind, profile, band)
        best = max(best, hits if t.rules[kind, profile] & st.CLEAVE else hits * (1 / 3))
    return best


@kernel
def worth(t, kind: int) -> float:
    """Return how much slaying a model of a kind is worth: as much as the harm it does, and a little."""
    return 0.3 + harm(t, kind, st.ASSAULT) + 0.5 * harm(t, kind, st.COMBAT) + int(t.health[kind]) - 1


@kernel
def kill_value(s, t, m: int, profile: int, here: int, there: int) -> float:
    """Return what a marine's attack from one zone on another would slay, in worth."""
    mission = int(s.mission)
    band = int(t.band[mission, here, there])
    if band >= st.OUT or (mission == st.ALPHA_THREAT and band == st.MAXIMUM):
        return 0.0
    hits = hit_chance(t, m, profile, band)
    if hits == 0.0 or s.cult_in[there] == 0:
        return 0.0
    blast = t.rules[m, profile] & st.BLAST
    rend = t.rules[m, profile] & st.REND
    cleave = t.rules[m, profile] & st.CLEAVE != 0
    total = 0.0
    best = 0.0
    for model in range(st.FIRST_CULT, st.MODELS):
        if s.zone[model] != there:
            continue
        kind = int(t.kind[model])
        need = save_of(s, t, model, cleave)
        fails = 1.0 if need == 0 else (need - 1) * (1 / 6)
        value = fails * worth(t, kind) / int(t.health[kind])
        total += value
        best = max(best, value)
    if blast:
        return hits * (total - 0.8 * int(s.marines_in[there]))
    return best * (hits if rend and s.cult_in[there] > 1 else min(hits, 1.0 if mission != 9 else 2.0))


@kernel
def attack_value(s, t, m: int, profile: int, here: int, there: int) -> float:
    """Return the `kill_value` of an attack and, in mission 8, what it is worth to marines who are barred there."""
    value = kill_value(s, t, m, profile, here, there)
    if value <= 0.0 or s.mission != st.PURGATION or s.marines_in[there] == 0:
        return value
    hits = hit_chance(t, m, profile, int(t.band[st.PURGATION, here, there]))
    return value + RELIEF * min(1.0, hits / int(s.cult_in[there]))


@kernel
def best_attack(s, t, m: int, here: int) -> float:
    """Return the best `kill_value` of a marine from a zone."""
    best = 0.0
    for there in range(int(t.zones[int(s.mission)])):
        if s.cult_in[there] > 0:
            for profile in range(int(t.profiles[m])):
                best = max(best, kill_value(s, t, m, profile, here, there))
    return best


@kernel
def threat(s, t, zone: int) -> float:
    """Return the harm that may come to a marine in a zone before he acts again: from models and from laid cards."""
    mission = int(s.mission)
    total = 0.0
    for model in range(st.FIRST_CULT, st.MODELS):
        there = int(s.zone[model])
        if there >= 0:
            near = t.distance[mission, there, zone] <= 2
            total += harm(t, int(t.kind[model]), st.ASSAULT if near else int(t.band[mission, there, zone]))
    for point in range(int(t.points[mission])):
        if s.point_card[point] >= 0 and t.distance[mission, int(t.point_zone[mission, point]), zone] <= 1:
            total += 0.6
    return total / (1.0 + 0.5 * int(s.marines_in[zone]))


@kernel
def goal_distance(s, t, m: int, zone: int) -> float:
    """Return how many moves a marine in a zone is from where he should go; 0 where it does not matter."""
    mission = int(s.mission)
    if mission == st.VOX_NOCTIS or mission == st.FIRESTORM:
        best = FAR
        for there in range(int(t.zones[mission])):
            if mission == st.VOX_NOCTIS:
                held = int(s.marines_in[there]) - (1 if s.zone[m] == there else 0)
                wanted = t.is_cell[mission, there] == 1 and held == 0
            else:
                silo = int(t.silo[mission, there])
                wanted = silo > 0 and s.krak >> (silo - 1) & 1 == 0
            if wanted:
                best = min(best, int(t.distance[mission, zone, there]))
        return 0.0 if best == FAR else float(best)
    goal = -1
    weight = 1.0
    if mission == st.RECOVER:
        goal = int(t.exit_zone[mission]) if s.carrier >= 0 else int(s.skull_zone)
        weight = 1.0 if s.carrier < 0 or s.carrier == m else 0.4
    elif mission == st.OFFICIUM and s.arrived == 0:
        if m != s.first:
            return 0.0
        best = FAR
        for there in range(int(t.zones[mission])):
            if t.section[mission, there] == t.hall[mission]:
                best = min(best, int(t.distance[mission, zone, there]))
        return float(best)
    elif mission == st.ALPHA_THREAT:
        goal = int(s.zone[st.PATRIARCH_SLOT])
        weight = 0.7
    else:
        goal = int(t.exit_zone[mission])
    if goal < 0:
        return 0.0
    return weight * int(t.distance[mission, zone, goal])


@kernel
def stand_value(s, t, m: int, zone: int) -> float:
    """Return how good it is for a marine to stand in a zone."""
    mission = int(s.mission)
    race = (mission >= st.VOX_NOCTIS and mission <= st.FIRESTORM) or mission >= st.PURGATION
    value = -goal_distance(s, t, m, zone) * (1.6 if race else 0.0)
    value += best_attack(s, t, m, zone) * (0.6 if race else 1.0)
    caution = 0.25 if race else 0.4
    value -= caution * threat(s, t, zone) * (1.6 if s.wounds[m] > 0 else 1.0)
    if s.cult_in[zone] > 0:
        value -= 0.8 if race else 0.2
    if mission == st.EXTERMINATUS and int(s.core.turn) % 2 == 0 and t.section[mission, zone] == s.destroyed:
        value -= 8.0
    return value


@kernel
def reach_of_marines(s, t, zone: int, attacker: int) -> float:
    """Return the best that a cult model could do to a marine from a zone, wounded ones first, and to be near them."""
    mission = int(s.mission)
    kind = int(t.kind[attacker])
    best = 0.0
    nearest = FAR
    for m in range(st.MARINES):
        there = int(s.zone[m])
        if there < 0:
            continue
        nearest = min(nearest, int(t.distance[mission, zone, there]))
        value = harm(t, kind, int(t.band[mission, zone, there])) * (1.8 if s.wounds[m] > 0 else 1.0)
        best = max(best, value)
    value = 2.0 * best - 0.15 * nearest
    if s.marines_in[zone] > 0 and best > 0.0:
        value += 0.3
    if attacker >= st.PATRIARCH_SLOT:  # a leader keeps out of the line of fire, the Patriarch on his Throne
        value -= 0.4 * int(s.marines_in[zone])
        if mission == st.ALPHA_THREAT and attacker == st.PATRIARCH_SLOT and zone == t.throne[mission]:
            value += 10.0
    return value


@kernel
def card_value(s, t, card: int) -> float:
    """Return how much a card would bring onto the board."""
    value = 0.0
    for entry in range(int(t.entries[card])):
        left = int(t.entry_count[card, entry])
        for k in range(2):
            kind = int(t.entry_type[card, entry, k])
            if kind >= 0 and left > 0:
                count = min(left, pool(s, t, kind))
                left -= count
                value += count * worth(t, st.MARINES + kind)
    return value


@kernel
def point_value(s, t, point: int) -> float:
    """Return how good an Ambush Point is: near marines, with room, and ahead of them."""
    mission = int(s.mission)
    zone = int(t.point_zone[mission, point])
    nearest = FAR
    ahead = 0.0
    for m in range(st.MARINES):
        there = int(s.zone[m])
        if there >= 0:
            away = int(t.distance[mission, zone, there])
            if away < nearest:
                nearest = away
                ahead = goal_distance(s, t, m, there) - goal_distance(s, t, m, zone)
    value = -1.0 * max(nearest, 1)
    if nearest <= 4 and ahead > 0.0:
        value += 0.7
    if room_for(s, t, st.AUTOPISTOL, zone) < 3:
        value -= 3.0
    return value


@kernel
def score_deathwatch(s, t, stage: int, action: int) -> float:
    """Return how good an action of the Deathwatch is."""
    m = int(s.marine)
    if action >= act.ABILITY:
        ability = action - act.ABILITY
        if ability == act.EXIT or ability == act.ATTACH or ability == act.TAKE_SKULL:
            return AT_ONCE
        if ability == act.RECOVER:
            return 1.0 + 0.4 * threat(s, t, int(s.zone[m]))
        if ability == act.TELEPORT:
            there = int(s.zone[int(s.homer)])
            return stand_value(s, t, m, there) - stand_value(s, t, m, int(s.zone[m])) - 1.0
        if ability == act.SMOKE:
            return 0.5 * threat(s, t, int(s.zone[m])) * int(s.marines_in[int(s.zone[m])]) - 2.0
        return 0.2 if ability == act.MIGHT and s.cult_in[int(s.zone[m])] > 1 else -0.5
    if action >= act.POINT:
        return 0.4  # what lies face down is worth knowing
    if action >= act.PROFILE:
        best = 0.0
        for there in range(int(t.zones[int(s.mission)])):
            if s.cult_in[there] > 0:
                best = max(best, attack_value(s, t, m, action - act.PROFILE, int(s.zone[m]), there))
        return 0.1 + best
    if action >= act.TYPE:
        return worth(t, st.MARINES + action - act.TYPE)
    if action >= act.ZONE:
        zone = action - act.ZONE
        if stage == st.DATT_ZONE:
            return attack_value(s, t, m, int(s.profile), int(s.zone[m]), zone)
        if stage == st.TEAM_ZONE or stage == st.MUSTER_ZONE or s.zone[m] < 0:
            return AT_ONCE + stand_value(s, t, m, zone)  # reinforcements come whatever they come to
        gain = stand_value(s, t, m, zone) - stand_value(s, t, m, int(s.zone[m]))
        if stage == st.DATT_ACT:  # a run costs the attack
            return gain - 1.0
        if (
            t.skills[m] & st.JUMP_PACK == 0
            and t.distance[int(s.mission), int(s.zone[m]), zone] > s.moves_left
        ):
            gain -= 0.8 if s.wounds[m] > 0 else 0.35
        return gain
    if action >= act.MARINE:
        return rate_marine(s, t, stage, action - act.MARINE)
    return -0.01 if stage == st.DMOVE or stage == st.DATT else 0.0


@kernel
def rate_marine(s, t, stage: int, m: int) -> float:
    """Return how soon the Deathwatch picks a marine: fast ones for a race, those in front move first."""
    mission = int(s.mission)
    teleports = t.skills[m] & st.TELEPORT != 0
    if mission == st.PURGATION:
        if stage == st.HOMER:  # to the zone by which all have to leave
            return 1.0 if s.first == m else 0.0
        if stage == st.MUSTER_MARINE:  # slow ones need the near zones, but for whom the homer brings there
            return -float(t.speed[m]) - (2.5 if teleports else 0.0)
        if stage == st.DMOVE and teleports and s.teleported == 0:  # before the carrier has left
            return 2.0
    if stage == st.TEAM:
        race = mission >= st.RECOVER and mission <= st.OFFICIUM
        return int(t.speed[m]) * (2.0 if race else 0.5) + (0.5 if m == st.GRYTT or m == st.DONATUS else 0.0)
    if s.zone[m] >= 0:
        return 1.0 - 0.01 * goal_distance(s, t, m, int(s.zone[m])) + (0.5 if s.carrier == m else 0.0)
    return 0.5


@kernel
def score_cult(s, t, stage: int, action: int) -> float:
    """Return how good an action of the cult is."""
    mission = int(s.mission)
    if action >= act.MIX:
        return 0.1 * (action - act.MIX)
    if action >= act.POINT:
        value = point_value(s, t, action - act.POINT)
        return 20.0 + value if stage == st.LAUNCH else value
    if action >= act.GAMBIT:
        return 5.0 - card_value(s, t, action - act.GAMBIT)
    if action >= act.CARD:
        return card_value(s, t, action - act.CARD)
    if action == act.ALONE:
        return WORST / 2
    if action >= act.PROFILE:
        profile = action - act.PROFILE
        kind = st.MARINES + int(s.sel_type)
        if profile >= t.profiles[kind]:
            return 3.5  # the will of the Magus
        rules = t.rules[kind, profile]
        return 3.0 + hit_chance(t, kind, profile, st.ASSAULT) + (1.0 if rules & st.CLEAVE else 0.0)
    if action >= act.TYPE:
        return worth(t, st.MARINES + action - act.TYPE)
    if action >= act.ZONE:
        zone = action - act.ZONE
        if stage == st.CMOVE_ACT or stage == st.CMOVE_ONE or stage == st.CATT_ACT or stage == st.CATT_ONE:
            model = int(t.first[int(s.sel_type)])
            gain = reach_of_marines(s, t, zone, model) - reach_of_marines(s, t, int(s.sel_zone), model)
            return gain - 0.05
        if stage == st.PLACE_ZONE:
            return reach_of_marines(s, t, zone, int(t.first[int(s.sel_type)]))
        if stage == st.MUSTER_ZONE:  # far from the way out
            return float(t.distance[mission, zone, int(t.exit_zone[mission])])
        return 1.0 + int(s.marines_in[zone]) + 0.1 * int(s.cult_in[zone])
    if action >= act.MARINE:
        m = action - act.MARINE
        if stage == st.MUSTER_MARINE:
            return -float(t.speed[m])
        value = 2.0 if s.wounds[m] > 0 else 0.0
        if s.carrier == m:
            value += 1.5
        if s.zone[m] >= 0:
            value -= 0.2 * goal_distance(s, t, m, int(s.zone[m]))
        return value + 0.1 * (6 - int(t.armour[m]))
    return 0.0


@kernel
def choose(s, t, seed: int) -> int:
    """Return the choice of the hand-written player for the seat to act."""
    mask = np.zeros(SIZE, np.int8)
    fill_mask(s, t, mask)
    stage = int(s.stage)
    best = 0
    best_score = WORST
    for a in range(SIZE):
        if mask[a] == 0:
            continue
        if s.core.seat == st.DEATHWATCH:
            score = score_deathwatch(s, t, stage, a)
        else:
            score = score_cult(s, t, stage, a)
        word, _ = philox(seed, a, 0x4F4B)
        score += word * 1e-13  # under 0.0005: ties are broken at random
        if score > best_score:
            best_score = score
            best = a
    return best
