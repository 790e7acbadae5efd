"""What a decision does: carries out a legal action of the stage at hand (ledger section 3)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.attacking import may_act, may_recover, may_take_skull, recover
from broodmind.envs.overkill.rules.board import done, first_of_group, place_from_pool, put, roll
from broodmind.envs.overkill.rules.cards import clear_point, lay, mixed, place_mix
from broodmind.envs.overkill.rules.gambits import MASSES, aim_at_marine, aim_at_zone, play, shift, tunnel
from broodmind.envs.overkill.rules.moving import JUMPED, fill_reach, go, speed
from broodmind.envs.overkill.rules.skills import may_go_on, reveal, use_in_attack, use_in_move
from broodmind.envs.overkill.turn import advance, end_brood, enter, put_quietly


@kernel
def perform(s, t, action: int, log) -> None:
    """Carry out a legal action, and play on to the next decision."""
    stage = int(s.stage)
    s.stage = st.NO_DECISION
    s.core.decisions = int(s.core.decisions) + 1
    if action >= act.GAMBIT and action < act.POINT:
        play(s, t, log, action - act.GAMBIT)
    elif stage <= st.PLACE_ZONE or stage == st.MUSTER_ZONE or stage == st.CAMPAIGN_PICK:
        do_set_up(s, t, stage, action, log)
    elif stage == st.BROOD or stage == st.BROOD_POINT or stage == st.WINDOW:
        do_brood(s, t, stage, action, log)
    elif stage <= st.GAMBIT_SECOND or stage == st.GAMBIT_TYPE:
        do_gambit(s, t, stage, action, log)
    elif stage == st.DMOVE or stage == st.DMOVE_ACT:
        do_move(s, t, stage, action, log)
    elif stage == st.LAUNCH or stage == st.LAUNCH_MIX or stage == st.LAUNCH_TYPE:
        do_launch(s, t, stage, action, log)
    elif (stage <= st.DATT_TYPE and stage >= st.DATT) or stage == st.DATT_ZONE:
        do_attack(s, t, stage, action, log)
    else:
        do_cult(s, t, stage, action, log)
    advance(s, t, log)


@kernel
def do_set_up(s, t, stage: int, action: int, log) -> None:
    """Carry out a choice of set-up, or of the campaign."""
    m = action - act.MARINE
    if stage == st.TEAM:
        s.team |= 1 << m
        if s.first < 0:
            s.first = m
        emit(log, st.EVENT_NAMED, m, st.NAMED_TEAM)
    elif stage == st.HOMER:
        s.homer = m
        emit(log, st.EVENT_NAMED, m, st.NAMED_HOMER)
    elif stage == st.TEAM_ZONE or stage == st.MUSTER_ZONE:
        m = int(s.marine)
        emit(log, st.EVENT_PLACED, m, action - act.ZONE)
        put_quietly(s, t, m, action - act.ZONE)
        s.marine = -1
        if stage == st.MUSTER_ZONE:
            s.picker = 1 - int(s.picker)
    elif stage == st.MUSTER_MARINE:
        s.marine = m
        s.stage = st.MUSTER_ZONE
    elif stage == st.PLACE_MIX:
        first = int(t.entry_type[int(s.card), int(s.entry), 0])
        second = int(t.entry_type[int(s.card), int(s.entry), 1])
        count = int(t.entry_count[int(s.card), int(s.entry)])
        s.left = action - act.MIX
        s.mix = mixed(s, t, first, second, count, -1, int(s.left)) - int(s.left)
        s.entry = int(s.entry) + 1
    elif stage == st.PLACE_ZONE:
        place_from_pool(s, t, log, int(s.sel_type), action - act.ZONE)
        s.left = int(s.left) - 1
    else:
        s.injured = 1 << m
        emit(log, st.EVENT_NAMED, m, st.NAMED_WOUNDED)


@kernel
def do_brood(s, t, stage: int, action: int, log) -> None:
    """Carry out a choice of the Broodmind phase, or the passing of a window."""
    if stage == st.WINDOW:
        enter(s, t, log, int(s.step) + 1)
    elif stage == st.BROOD_POINT:
        lay(s, log, int(s.card), action - act.POINT)
    elif action == act.END:
        end_brood(s, t, log)
    else:
        s.card = action - act.CARD
        s.stage = st.BROOD_POINT


@kernel
def do_gambit(s, t, stage: int, action: int, log) -> None:
    """Carry out the choice of a gambit's target."""
    if stage == st.GAMBIT_TYPE:
        s.sel_type = action - act.TYPE
        s.stage = st.GAMBIT_SECOND
    elif stage == st.GAMBIT_TARGET:
        if action >= act.POINT:
            s.point = action - act.POINT
            s.stage = st.GAMBIT_SECOND
        elif action >= act.ZONE:
            aim_at_zone(s, t, log, action - act.ZONE)
        else:
            aim_at_marine(s, t, log, action - act.MARINE)
    elif action >= act.MIX:
        zone = int(t.point_zone[int(s.mission), int(s.point)])
        place_mix(s, t, log, st.AUTOGUN, st.AUTOPISTOL, MASSES, zone, action - act.MIX)
    elif t.gambit[int(s.card)] == st.SHIFT:
        shift(s, log, action - act.POINT)
    else:
        tunnel(s, t, log, action - act.POINT)


@kernel
def do_move(s, t, stage: int, action: int, log) -> None:
    """Carry out a choice of the Deathwatch's movement phase."""
    if stage == st.DMOVE:
        if action == act.END:
            enter(s, t, log, st.STEP_CULT_MOVE)
            return
        m = action - act.MARINE
        s.marine = m
        s.marks[m] |= st.MOVED
        s.kept = 0
        s.fresh = 1 if s.zone[m] >= 0 else 0
        s.moves_left = t.speed[m] if s.zone[m] >= 0 else 0
        s.stage = st.DMOVE_ACT
        return
    if action == act.END:
        return
    m = int(s.marine)
    if action >= act.ABILITY:
        use_in_move(s, t, log, m, action - act.ABILITY)
    elif action >= act.POINT:
        reveal(s, log, action - act.POINT)
    else:
        zone = action - act.ZONE
        if s.zone[m] == st.RESERVE:
            s.reinforced = 1
            s.kept = 0
            emit(log, st.EVENT_PLACED, m, zone)
            put(s, t, m, zone)
        else:
            steps = np.empty(st.MAX_ZONES, np.int64)
            moves = int(s.moves_left)
            fill_reach(s, t, m, moves, steps)
            s.fresh = 0
            s.moves_left = 0
            go(s, t, log, m, zone, steps[zone] == JUMPED)
            s.kept = moves - steps[zone] if steps[zone] < JUMPED else 0
    if not done(s) and may_go_on(s, t, m):
        s.stage = st.DMOVE_ACT


@kernel
def do_launch(s, t, stage: int, action: int, log) -> None:
    """Carry out a choice of launching (OVK-L01 to L05)."""
    if stage == st.LAUNCH:
        if action == act.END:
            for point in range(st.MAX_POINTS):
                if s.point_card[point] >= 0:
                    s.point_marks[point] |= st.LURKING
            enter(s, t, log, st.STEP_WINDOW_ATTACK)
            return
        s.point = action - act.POINT
        s.card = s.point_card[int(s.point)]
        s.entry = 0
        s.placed = 0
        emit(log, st.EVENT_LAUNCHED, int(s.card), int(s.point))
        clear_point(s, int(s.point))
        s.job = st.JOB_LAUNCH
        return
    zone = int(t.point_zone[int(s.mission), int(s.point)])
    if stage == st.LAUNCH_TYPE:
        place_from_pool(s, t, log, action - act.TYPE, zone)
        return
    entry = int(s.entry)
    card = int(s.card)
    first = int(t.entry_type[card, entry, 0])
    second = int(t.entry_type[card, entry, 1])
    count = int(t.entry_count[card, entry])
    s.placed = int(s.placed) + place_mix(s, t, log, first, second, count, zone, action - act.MIX)
    s.entry = entry + 1


@kernel
def do_attack(s, t, stage: int, action: int, log) -> None:
    """Carry out a choice of a Deathwatch Attack phase."""
    if stage == st.DATT:
        if action == act.END:
            enter(s, t, log, int(s.step) + 1)
            return
        m = action - act.MARINE
        s.marine = m
        if t.skills[m] & st.BIONICS and may_recover(s, t, m):  # OVK-D10
            recover(s, log, m)
        s.stage = st.DATT_ACT
        return
    m = int(s.marine)
    if stage == st.DATT_ZONE:
        s.attacker = m
        s.target_zone = action - act.ZONE
        s.target = -1
        if t.rules[m, int(s.profile)] & st.BLAST:
            s.job = st.JOB_ATTACK
        else:
            s.stage = st.DATT_TYPE
        return
    if stage == st.DATT_TYPE:
        s.target = first_of_group(s, t, action - act.TYPE, int(s.target_zone), 0)
        if s.job == st.JOB_NONE:
            s.job = st.JOB_ATTACK
        return
    if action == act.END:
        s.marks[m] |= st.ACTED
        return
    if action >= act.PROFILE and action < act.ALONE:
        s.profile = action - act.PROFILE
        s.stage = st.DATT_ZONE
        return
    if action >= act.ABILITY:
        use_in_attack(s, t, log, m, action - act.ABILITY)
    else:
        steps = np.empty(st.MAX_ZONES, np.int64)
        fill_reach(s, t, m, 1, steps)
        s.marks[m] |= st.RAN if t.skills[m] & st.HEADLONG else st.RAN | st.ACTED
        go(s, t, log, m, action - act.ZONE, steps[action - act.ZONE] == JUMPED)
    if not done(s) and s.zone[m] >= 0 and (may_act(s, m) or may_take_skull(s, m)):
        s.stage = st.DATT_ACT


@kernel
def do_cult(s, t, stage: int, action: int, log) -> None:
    """Carry out a choice of the cult's movement or Attack phase."""
    moving = s.step == st.STEP_CULT_MOVE
    if stage == st.CMOVE or stage == st.CATT:
        if action == act.END:
            enter(s, t, log, int(s.step) + 1)
        else:
            s.sel_zone = action - act.ZONE
            s.stage = st.CMOVE_TYPE if moving else st.CATT_TYPE
    elif stage == st.CMOVE_TYPE or stage == st.CATT_TYPE:
        s.sel_type = action - act.TYPE
        s.stage = st.CMOVE_ACT if moving else st.CATT_ACT
    elif action == act.ALONE:
        s.alone = 1
        s.stage = st.CMOVE_ONE if moving else st.CATT_ONE
    elif action == act.END:
        first = int(t.first[int(s.sel_type)])
        for model in range(first, first + int(t.count[int(s.sel_type)])):
            if s.zone[model] == s.sel_zone:
                s.marks[model] |= st.MOVED if moving else st.ACTED
    elif stage == st.CATT_REND:
        s.target = action - act.MARINE
    elif stage == st.CATT_TARGET:
        aim(s, t, action, log)
    elif action >= act.PROFILE:
        s.profile = action - act.PROFILE
        s.stage = st.CATT_TARGET
    else:
        march(s, t, action - act.ZONE, moving, log)


@kernel
def march(s, t, zone: int, moving: bool, log) -> None:
    """Let the models of the picked group, or one of them, go to a zone; those who cannot stay as they are."""
    kind = int(s.sel_type)
    first = int(t.first[kind])
    marks = st.MOVED if moving else st.ACTED | st.RAN
    steps = np.empty(st.MAX_ZONES, np.int64)
    agile = t.skills[st.MARINES + kind] & (st.AGILITY | st.HEADLONG)
    for model in range(first, first + int(t.count[kind])):
        if s.zone[model] != s.sel_zone or s.marks[model] & marks:
            continue
        fill_reach(s, t, model, speed(s, t, model) if moving else 1, steps)
        if steps[zone] <= 0:
            continue
        if moving:
            s.marks[model] |= st.MOVED
        else:
            s.marks[model] |= st.RAN if agile else st.RAN | st.ACTED
        go(s, t, log, model, zone, steps[zone] == JUMPED)
        if s.alone or done(s):
            return


@kernel
def aim(s, t, action: int, log) -> None:
    """Carry out the choice of what the picked group attacks."""
    if action >= act.ZONE:
        s.marine = -1
        s.target_zone = action - act.ZONE
        s.job = st.JOB_NEXT
        return
    m = action - act.MARINE
    attacker = first_of_group(s, t, int(s.sel_type), int(s.sel_zone), st.ACTED)
    if s.profile == act.MESMERISE and t.skills[st.MARINES + int(s.sel_type)] & st.MESMERISE:
        s.marks[attacker] |= st.ACTED
        works = roll(s, log, st.ROLL_MESMERISE, m, 4, st.CULT) >= 4
        if works:
            s.mesmerised |= 1 << m
        emit(log, st.EVENT_MESMERISED, m, 1 if works else 0)
        return
    s.marine = m
    s.target_zone = s.zone[m]
    s.job = st.JOB_NEXT
