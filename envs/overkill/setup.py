"""Sets up a game, and each mission of the campaign (OVK-B01, C01 to C07)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.objectives import LOSS, WIN

EVERYBODY = (1 << st.MARINES) - 1
SMALL_TEAM = 3


@kernel
def clear(s) -> None:
    """Empty the record, all but its core and the campaign."""
    for model in range(st.MODELS):
        s.zone[model] = st.OFF
        s.wounds[model] = 0
        s.marks[model] = 0
    for zone in range(st.MAX_ZONES):
        s.used[zone] = 0
        s.marines_in[zone] = 0
        s.cult_in[zone] = 0
        s.zone_marks[zone] = 0
    for point in range(st.MAX_POINTS):
        s.point_card[point] = -1
        s.point_marks[point] = 0
    s.phase = st.BROOD_PHASE
    s.stage = st.NO_DECISION
    s.job = st.JOB_NONE
    s.picker = st.DEATHWATCH
    let_go(s)
    s.set_up = 0
    s.laid_now = 0
    s.team = 0
    s.first = -1
    s.late = 0
    s.kills = 0
    s.slain = 0
    s.exited = 0
    s.krak = 0
    s.skull_zone = -1
    s.carrier = -1
    s.destroyed = 0
    s.arrived = 0
    s.lower_open = 0
    s.no_ambush = 0
    s.homer = -1
    s.teleported = 0
    s.smoke_used = 0
    end_effects(s)


@kernel
def let_go(s) -> None:
    """Put down what is in hand."""
    s.marine = -1
    s.sel_zone = -1
    s.sel_type = -1
    s.profile = -1
    s.card = -1
    s.point = -1
    s.attacker = -1
    s.target_zone = -1
    s.target = -1
    s.hits = 0
    s.hazards = 0
    s.alone = 0
    s.moves_left = 0
    s.kept = 0
    s.fresh = 0
    s.entry = 0
    s.left = 0
    s.mix = 0
    s.placed = 0


@kernel
def end_effects(s) -> None:
    """End everything that lasts until the end of the turn at most (OVK-K01)."""
    s.reinforced = 0
    s.pinned = 0
    s.jammed = 0
    s.no_recover = 0
    s.static = 0
    s.mesmerised = 0
    s.smoke_zone = -1
    s.psychic_used = 0
    s.might = 0
    s.revealed_now = 0
    s.dust = 0
    for zone in range(st.MAX_ZONES):
        s.zone_marks[zone] = 0


@kernel
def set_up(s, t, log) -> None:
    """Set up the game that the core asks for: a mission, or the first one of the campaign."""
    for k in range(st.MISSIONS):
        s.results[k] = 0
        s.teams[k] = 0
    for k in range(st.DRAWS):
        s.draws[k] = 0
    s.draw_count = 0
    s.played = 0
    s.injured = 0
    begin_mission(s, t, log, 1 if s.core.mission == st.CAMPAIGN else int(s.core.mission))


@kernel
def begin_mission(s, t, log, mission: int) -> None:
    """Put the board of a mission up, with what the campaign, or the options, change about it."""
    clear(s)
    s.mission = mission
    s.step = st.STEP_TEAM
    s.core.turn = 0
    emit(log, st.EVENT_MISSION_BEGAN, mission)
    for c in range(st.CARDS):
        s.card_at[c] = st.CARD_DECK if t.deck[mission, c] else st.CARD_OUT
    s.skull_zone = t.skull_zone[mission]
    s.hand_size = t.hand[mission]
    s.lay_min = t.lay_min[mission]
    s.lay_max = t.lay_max[mission]
    s.team_size = t.team[mission]
    if s.core.mission == st.CAMPAIGN:
        apply_campaign(s, mission)
    else:
        apply_options(s, mission)
    if mission >= st.PURGATION:
        s.team = EVERYBODY
        s.first = st.CASSIUS


@kernel
def apply_campaign(s, mission: int) -> None:
    """Apply what earlier missions have earned (OVK-C03 to C07)."""
    won_by_cult = 0
    won_by_deathwatch = 0
    for k in range(int(s.played)):
        if s.results[k] == LOSS:
            won_by_cult |= 1 << (k + 1)
        elif s.results[k] == WIN:
            won_by_deathwatch |= 1 << (k + 1)
    change = 0
    if mission == st.VOX_NOCTIS and won_by_cult >> st.KILLSTORM & 1:
        change += 1
    if mission >= st.RECOVER and won_by_cult >> st.VOX_NOCTIS & 1:
        change += 1
    if mission >= st.EXTERMINATUS and won_by_deathwatch >> st.RECOVER & 1:
        change -= 1
    if mission >= st.TABLES_TURNED and won_by_cult >> st.FIRESTORM & 1:
        change += 1
    fewer = (mission == st.OFFICIUM or mission == st.FIRESTORM) and won_by_deathwatch >> st.EXTERMINATUS & 1
    small = mission == st.FIRESTORM and won_by_cult >> st.OFFICIUM & 1
    late = mission == st.ALPHA_THREAT and won_by_cult >> st.PURGATION & 1
    modify(s, change, 1 if fewer else 0, 1 if small else 0, 1 if late else 0)
    if mission < st.PURGATION:
        s.injured = 0


@kernel
def apply_options(s, mission: int) -> None:
    """Apply the modifiers of the campaign that a single mission was asked to have."""
    bits = int(s.core.spare)
    change = bits & st.OPTION_HAND
    if change == 3:
        change = -1
    modify(
        s,
        change,
        1 if bits & st.OPTION_FEWER else 0,
        1 if bits & st.OPTION_SMALL else 0,
        1 if bits & st.OPTION_LATE else 0,
    )
    marine = bits // st.OPTION_WOUNDED - 1
    s.injured = 1 << marine if marine >= 0 else 0


@kernel
def modify(s, hand: int, fewer: int, small: int, late: int) -> None:
    """Change hand, cards laid, team size and the first turn of a mission."""
    s.hand_size = int(s.hand_size) + hand
    s.lay_min = int(s.lay_min) - fewer
    s.lay_max = int(s.lay_max) - fewer
    if small:
        s.team_size = SMALL_TEAM
    s.late = late


@kernel
def may_join(s, m: int) -> bool:
    """Say whether a marine may be named for the team (OVK-C02)."""
    if s.team >> m & 1:
        return False
    mission = int(s.mission)
    rested = (
        mission == st.VOX_NOCTIS
        or mission == st.EXTERMINATUS
        or mission == st.OFFICIUM
        or mission == st.TABLES_TURNED
    )
    if s.core.mission == st.CAMPAIGN and rested:
        return s.teams[mission - 2] >> m & 1 == 0
    return True


@kernel
def may_carry_homer(s, m: int) -> bool:
    """Say whether a marine may be given the homer (OVK-D13, M3.2, M5.2)."""
    if s.mission == st.OFFICIUM or s.homer >= 0 or s.team >> st.BRANATAR & 1 == 0:
        return False
    if m == st.BRANATAR or s.team >> m & 1 == 0:
        return False
    return s.mission != st.RECOVER or m != s.first


@kernel
def next_to_muster(s, t) -> int:
    """Return the marine who is placed next, or -1: the first named where it matters, then by base, then index."""
    mission = int(s.mission)
    if (mission == st.OFFICIUM or mission == st.RECOVER) and s.zone[int(s.first)] == st.OFF:
        return int(s.first)
    best = -1
    for m in range(st.MARINES):
        if s.team >> m & 1 and s.zone[m] == st.OFF and (best < 0 or t.cost[m] > t.cost[best]):
            best = m
    return best


@kernel
def may_muster(s, t, m: int, zone: int) -> bool:
    """Say whether a marine may begin the mission in a zone."""
    mission = int(s.mission)
    if zone >= t.zones[mission]:
        return False
    room = int(t.capacity[mission, zone]) - int(s.used[zone]) >= t.cost[m]
    if mission == st.OFFICIUM and m != s.first:
        return room and t.is_lift[mission, zone] == 1
    if mission == st.PURGATION:
        return t.is_muster[mission, zone] == 1 and s.marines_in[zone] == 0 and zone != t.cassius_zone[mission]
    return room and t.is_muster[mission, zone] == 1


@kernel
def may_place(s, t, zone: int) -> bool:
    """Say whether set-up may place the cult model in hand in a zone (OVK-M2.3, M8.2, M9.1)."""
    mission = int(s.mission)
    if zone >= t.zones[mission]:
        return False
    if int(t.capacity[mission, zone]) - int(s.used[zone]) < t.cost[st.MARINES + int(s.sel_type)]:
        return False
    if mission == st.PURGATION:
        return t.section[mission, zone] == s.set_up
    return t.section[mission, zone] == t.hall[mission] and (
        mission != st.ALPHA_THREAT or zone != t.throne[mission]
    )
