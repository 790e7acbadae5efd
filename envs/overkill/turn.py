"""The turn sequence: whose decision is next, and how the game goes on without one (OVK-G01, ledger section 3)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.core.record import MOST_TURNS
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.attacking import (
    lose_section,
    may_act,
    may_use_profile,
    recover,
    run_after,
    run_attack,
    run_hits,
    run_next,
)
from broodmind.envs.overkill.rules.board import count_group, done, first_of_group, fits, place_from_pool, pool
from broodmind.envs.overkill.rules.cards import (
    cards_due,
    count_cards,
    count_laid,
    draw_card,
    draw_to_hand,
    give_up_ambushes,
    may_lay,
    run_launch,
)
from broodmind.envs.overkill.rules.gambits import gambits_now
from broodmind.envs.overkill.rules.moving import can_step
from broodmind.envs.overkill.rules.objectives import DRAW, LOSS, end_game, finish
from broodmind.envs.overkill.setup import (
    begin_mission,
    end_effects,
    let_go,
    may_carry_homer,
    may_place,
    next_to_muster,
)

PATROL = 3
"""Cards turned up by Vox Patrol (OVK-M2.3)."""
THRONE_GUARD = 7
"""Models that begin mission 9 in the Throne Room (OVK-M9.1)."""


@kernel
def guard_type(number: int) -> int:
    """Return the type of the number-th model of the Throne Room: Patriarch, Magus, Primus, and two pairs."""
    if number < 3:
        return st.PATRIARCH + number
    return st.FAMILIAR if number < 5 else st.PURESTRAIN


@kernel
def enter(s, t, log, step: int) -> None:
    """Begin a step: put down what was in hand, and do what its phase begins with."""
    s.step = step
    let_go(s)
    if step == st.STEP_BROOD:
        begin_turn(s, t, log)
    elif step == st.STEP_WINDOW_MOVE:
        begin_phase(s, log, st.MOVE_PHASE)
    elif step == st.STEP_CULT_MOVE:
        begin_phase(s, log, st.CULT_MOVE_PHASE)
        s.pinned = 0
    elif step == st.STEP_WINDOW_ATTACK:
        for zone in range(st.MAX_ZONES):
            s.zone_marks[zone] &= ~st.SURGED
        begin_phase(s, log, st.ATTACK_PHASE)
    elif step == st.STEP_CULT_ATTACK:
        for zone in range(st.MAX_ZONES):
            s.zone_marks[zone] &= ~st.SHIELDED
        s.dust = 0
        s.jammed = 0
        begin_phase(s, log, st.CULT_ATTACK_PHASE)
    elif step == st.STEP_WINDOW_SECOND:
        for zone in range(st.MAX_ZONES):
            s.zone_marks[zone] &= ~(st.FERVENT | st.VENOMED)
        nourish(s, t, log)
        begin_phase(s, log, st.SECOND_PHASE)


@kernel
def begin_phase(s, log, phase: int) -> None:
    """Begin a phase: nobody has moved or acted in it."""
    s.phase = phase
    emit(log, st.EVENT_PHASE_BEGAN, phase)
    for model in range(st.MODELS):
        s.marks[model] = 0


@kernel
def begin_turn(s, t, log) -> None:
    """Begin a turn with its Broodmind phase: draw up to the hand's size (OVK-B02, M3.4)."""
    s.core.turn = int(s.core.turn) + 1
    emit(log, st.EVENT_TURN_BEGAN, int(s.core.turn))
    begin_phase(s, log, st.BROOD_PHASE)
    s.laid_now = 0
    size = int(s.hand_size)
    if s.mission == st.RECOVER:
        size = max(1, size + int(s.core.turn))
    draw_to_hand(s, log, size - count_cards(s, st.CARD_HAND))


@kernel
def nourish(s, t, log) -> None:
    """Heal the Patriarch on the Throne (OVK-M9.4)."""
    if s.mission != st.ALPHA_THREAT or s.wounds[st.PATRIARCH_SLOT] == 0:
        return
    if s.zone[st.PATRIARCH_SLOT] == t.throne[st.ALPHA_THREAT]:
        recover(s, log, st.PATRIARCH_SLOT)


@kernel
def end_turn(s, t, log) -> None:
    """End a turn: a section goes (OVK-M4.3), effects end, the limit of turns truncates (OVK-G15)."""
    end_effects(s)
    if (
        s.mission == st.EXTERMINATUS
        and int(s.core.turn) % 2 == 0
        and s.destroyed < t.sections[st.EXTERMINATUS]
    ):
        lose_section(s, t, log)
        if done(s):
            return
    limit = int(s.core.max_turns)
    if s.core.mission == st.CAMPAIGN and limit == 0:
        limit = int(t.max_turns[int(s.mission)])
    if s.core.turn >= (limit if limit > 0 else MOST_TURNS):
        finish(s, log, DRAW, st.OVER_TURN_LIMIT)
        return
    enter(s, t, log, st.STEP_BROOD)


@kernel
def is_late(s) -> bool:
    """Say whether the marines miss what the first turn would let them do (OVK-C07)."""
    return s.late == 1 and s.core.turn == 1


@kernel
def may_pick_to_move(s, t, m: int) -> bool:
    """Say whether a marine may be picked in the movement phase, a reserve included (OVK-M01, M3.3, K bulkhead)."""
    if s.marks[m] & st.MOVED or s.pinned >> m & 1:
        return False
    if s.zone[m] == st.RESERVE and s.reinforced == 0:
        for point in range(t.points[int(s.mission)]):
            if fits(s, t, m, int(t.point_zone[int(s.mission), point])):
                return True
        return False
    return s.zone[m] >= 0


@kernel
def group_may_move(s, t, kind: int, zone: int) -> bool:
    """Say whether some model of a group has not moved and can go somewhere."""
    model = first_of_group(s, t, kind, zone, st.MOVED)
    return model >= 0 and can_step(s, t, model)


@kernel
def may_run(s, t, model: int) -> bool:
    """Say whether a model may run (OVK-A13)."""
    return s.marks[model] & (st.ACTED | st.RAN) == 0 and can_step(s, t, model)


@kernel
def group_may_act(s, t, kind: int, zone: int) -> bool:
    """Say whether some model of a group has not acted and has something to do."""
    model = first_of_group(s, t, kind, zone, st.ACTED)
    if model < 0:
        return False
    runner = first_of_group(s, t, kind, zone, st.ACTED | st.RAN)
    if runner >= 0 and can_step(s, t, runner):  # sooner known than whether there is a target
        return True
    for profile in range(st.MAX_PROFILES):
        if may_use_profile(s, t, model, profile):
            return True
    return False


@kernel
def any_group(s, t) -> bool:
    """Say whether some group of the cult can still be picked in the phase at hand."""
    used = st.MOVED if s.step == st.STEP_CULT_MOVE else st.ACTED
    for kind in range(st.TYPES):
        first = int(t.first[kind])
        looked_at = 0  # groups of this type, by zone
        for model in range(first, first + int(t.count[kind])):
            zone = int(s.zone[model])
            if zone < 0 or s.marks[model] & used or looked_at >> zone & 1:
                continue
            looked_at |= 1 << zone
            if group_may_be_picked(s, t, kind, zone):
                return True
    return False


@kernel
def group_may_be_picked(s, t, kind: int, zone: int) -> bool:
    """Say whether a group of the cult can be picked in the phase at hand."""
    if s.step == st.STEP_CULT_MOVE:
        return group_may_move(s, t, kind, zone)
    return group_may_act(s, t, kind, zone)


@kernel
def end_brood(s, t, log) -> None:
    """End the Broodmind phase; in mission 3 the rest of the hand is discarded (OVK-M3.4)."""
    if s.mission == st.RECOVER:
        count = 0
        for c in range(st.CARDS):
            if s.card_at[c] == st.CARD_HAND:
                s.card_at[c] = st.CARD_DISCARD
                count += 1
        if count > 0:
            emit(log, st.EVENT_DISCARDED, count)
    enter(s, t, log, st.STEP_WINDOW_MOVE)


@kernel
def run_step(s, t, log) -> None:
    """Ask for the next decision of the step at hand, or go on to the next step."""
    step = int(s.step)
    if step >= st.STEP_BROOD:
        let_go(s)
    if step < st.STEP_BROOD:
        run_set_up(s, t, log, step)
    elif step == st.STEP_BROOD:
        give_up_ambushes(s, log)
        if may_lay(s, t) or gambits_now(s, t) != 0:
            s.stage = st.BROOD
        else:
            end_brood(s, t, log)
    elif step == st.STEP_WINDOW_MOVE or step == st.STEP_WINDOW_ATTACK or step == st.STEP_WINDOW_SECOND:
        skipped = step != st.STEP_WINDOW_SECOND and is_late(s)
        if not skipped and gambits_now(s, t) != 0:
            s.stage = st.WINDOW
        else:
            enter(s, t, log, step + 1)
    elif step == st.STEP_MOVE:
        if not is_late(s):
            for m in range(st.MARINES):
                if may_pick_to_move(s, t, m):
                    s.stage = st.DMOVE
                    return
        enter(s, t, log, st.STEP_CULT_MOVE)
    elif step == st.STEP_CULT_MOVE or step == st.STEP_CULT_ATTACK:
        if any_group(s, t) or gambits_now(s, t) != 0:
            s.stage = st.CMOVE if step == st.STEP_CULT_MOVE else st.CATT
        else:
            enter(s, t, log, step + 1)
    elif step == st.STEP_LAUNCH:
        give_up_ambushes(s, log)
        if count_laid(s) > 0 or gambits_now(s, t) != 0:
            s.stage = st.LAUNCH
        else:
            enter(s, t, log, st.STEP_WINDOW_ATTACK)
    elif step == st.STEP_ATTACK or step == st.STEP_SECOND:
        if step == st.STEP_SECOND or not is_late(s):
            for m in range(st.MARINES):
                if may_act(s, m):
                    s.stage = st.DATT
                    return
        enter(s, t, log, step + 1)
    elif step == st.STEP_END:
        end_turn(s, t, log)
    else:
        run_campaign(s, t, log)


@kernel
def run_set_up(s, t, log, step: int) -> None:
    """Go on setting up: team, homer, places of the marines, models that the cult places."""
    if step == st.STEP_TEAM:
        named = 0
        for m in range(st.MARINES):
            named += s.team >> m & 1
        if named < s.team_size:
            s.stage = st.TEAM
        else:
            s.step = st.STEP_HOMER
    elif step == st.STEP_HOMER:
        for m in range(st.MARINES):
            if may_carry_homer(s, m):
                s.stage = st.HOMER
                return
        s.step = st.STEP_MUSTER
        if s.mission == st.PURGATION:
            put_quietly(s, t, st.CASSIUS, int(t.cassius_zone[st.PURGATION]))
    elif step == st.STEP_MUSTER:
        m = next_to_muster(s, t)
        if m < 0:
            s.step = st.STEP_PLACE
        elif s.mission == st.PURGATION:
            s.stage = st.MUSTER_MARINE
        elif s.mission == st.RECOVER and m != s.first:
            s.zone[m] = st.RESERVE
        else:
            s.marine = m
            s.stage = st.TEAM_ZONE
    else:
        run_placing(s, t, log)


@kernel
def put_quietly(s, t, m: int, zone: int) -> None:
    """Place a marine in set-up, wounded if the campaign says so."""
    s.zone[m] = zone
    s.used[zone] = int(s.used[zone]) + int(t.cost[m])
    s.marines_in[zone] = int(s.marines_in[zone]) + 1
    s.wounds[m] = s.injured >> m & 1


@kernel
def run_placing(s, t, log) -> None:
    """Take the next card, or model, that the cult places in set-up (OVK-M2.3, M8.2, M9.1)."""
    mission = int(s.mission)
    number = int(s.set_up)
    cassius = -1
    if mission == st.PURGATION:
        cassius = int(t.section[mission, int(t.cassius_zone[mission])])
    if mission == st.ALPHA_THREAT and number < THRONE_GUARD:
        s.sel_type = guard_type(number)
        if number == 0:
            place_from_pool(s, t, log, st.PATRIARCH, int(t.throne[mission]))
            s.set_up = 1
        else:
            s.left = 1
            s.entry = st.MAX_ENTRIES
            s.job = st.JOB_PLACE
    elif mission == st.PURGATION and number == cassius:
        s.set_up = number + 1
    elif (mission == st.VOX_NOCTIS and number < PATROL) or (
        mission == st.PURGATION and number < t.sections[mission]
    ):
        s.card = draw_card(s, log)
        if s.card < 0:
            s.set_up = number + 1
            return
        s.card_at[int(s.card)] = st.CARD_DISCARD
        emit(log, st.EVENT_TURNED_UP, int(s.card), -1)
        s.entry = 0
        s.job = st.JOB_PLACE
    else:
        s.marine = -1
        enter(s, t, log, st.STEP_BROOD)


@kernel
def run_place(s, t) -> None:
    """Ask where the next model of the card in hand goes, or go on to its next entry; what has no room is lost."""
    while True:
        while s.left > 0:
            if pool(s, t, int(s.sel_type)) > 0:
                for zone in range(t.zones[int(s.mission)]):
                    if may_place(s, t, zone):
                        s.stage = st.PLACE_ZONE
                        return
            s.left = 0
        if s.mix > 0:
            s.sel_type = t.entry_type[int(s.card), int(s.entry) - 1, 1]
            s.left = s.mix
            s.mix = 0
            continue
        if s.card < 0 or s.entry >= t.entries[int(s.card)]:
            break
        entry = int(s.entry)
        s.sel_type = t.entry_type[int(s.card), entry, 0]
        if t.entry_type[int(s.card), entry, 1] >= 0:
            s.stage = st.PLACE_MIX
            return
        s.entry = entry + 1
        s.left = t.entry_count[int(s.card), entry]
    s.set_up = int(s.set_up) + 1
    let_go(s)
    s.job = st.JOB_NONE


@kernel
def run_campaign(s, t, log) -> None:
    """Go on to the next mission of the campaign, or end it (OVK-C01, C06, C08)."""
    played = int(s.played)
    s.teams[played - 1] = s.team
    if played == st.MISSIONS:
        reason = st.OVER_OBJECTIVE if s.results[played - 1] > 0 else st.OVER_LOSSES
        if s.results[played - 1] == 0:
            reason = st.OVER_TURN_LIMIT if s.core.truncated else st.OVER_BOTH
        end_game(s, log, int(s.results[played - 1]), reason)
        return
    if played == st.TABLES_TURNED and s.results[played - 1] == LOSS and s.injured == 0:
        for m in range(st.MARINES):
            if s.zone[m] == st.SLAIN:
                s.stage = st.CAMPAIGN_PICK
                return
    begin_mission(s, t, log, played + 1)


@kernel
def run_job(s, t, log) -> None:
    """Go on with what is going on."""
    job = int(s.job)
    if job == st.JOB_PLACE:
        run_place(s, t)
    elif job == st.JOB_LAUNCH:
        run_launch(s, t, log)
    elif job == st.JOB_NEXT:
        run_next(s, t)
    elif job == st.JOB_ATTACK:
        run_attack(s, t, log)
    elif job == st.JOB_HITS:
        run_hits(s, t, log)
    else:
        run_after(s, t, log)


@kernel
def seat_of(s, stage: int) -> int:
    """Return whose decision a stage is."""
    if stage == st.MUSTER_MARINE or stage == st.MUSTER_ZONE:
        return int(s.picker)
    if stage <= st.HOMER or stage == st.DMOVE or stage == st.DMOVE_ACT:
        return st.DEATHWATCH
    if (stage >= st.DATT and stage <= st.DATT_TYPE) or stage == st.DATT_ZONE:
        return st.DEATHWATCH
    return st.CULT


@kernel
def advance(s, t, log) -> None:
    """Play on until a decision is asked for or the game is over."""
    while s.stage == st.NO_DECISION:
        if s.core.over:
            s.stage = st.OVER
        elif s.job != st.JOB_NONE:
            run_job(s, t, log)
        else:
            run_step(s, t, log)
    if s.core.over == 0:
        s.core.seat = seat_of(s, int(s.stage))


@kernel
def may_end(s, t) -> bool:
    """Say whether END is offered at the decision at hand."""
    stage = int(s.stage)
    if stage == st.BROOD:  # OVK-B04, M3.4
        return cards_due(s, t) == 0
    if stage == st.LAUNCH:  # OVK-L02, M7.1
        return count_laid(s) <= (0 if s.mission == st.TABLES_TURNED else 1)
    return (
        stage == st.WINDOW
        or stage == st.DMOVE
        or stage == st.DMOVE_ACT
        or stage == st.CMOVE
        or stage == st.CMOVE_ACT
        or stage == st.DATT
        or stage == st.DATT_ACT
        or stage == st.CATT
        or stage == st.CATT_ACT
    )


@kernel
def may_part(s, t) -> bool:
    """Say whether one model of the picked group may be told to go its own way (ALONE)."""
    used = st.MOVED if s.step == st.STEP_CULT_MOVE else st.ACTED
    return count_group(s, t, int(s.sel_type), int(s.sel_zone), used) > 1
