"""The turn sequence: whose decision is next, and what a decision does (MAC-B12, B13)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.core.record import MOST_TURNS
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.assault import any_assault, begin_charge, charge_to, next_charger
from broodmind.envs.macragge.rules.beacon import may_activate, note_who_stands, set_thunderhawk, try_core_drop
from broodmind.envs.macragge.rules.board import DRAW, finish
from broodmind.envs.macragge.rules.casualties import remove_casualty, squad_lives
from broodmind.envs.macragge.rules.fighting import begin_fight, owner, run_fight, strike
from broodmind.envs.macragge.rules.frames import pop_frame
from broodmind.envs.macragge.rules.loads import give_core
from broodmind.envs.macragge.rules.mines import (
    explode,
    may_return_at,
    mine_in_pool,
    move_mine,
    next_detonation,
    next_mine,
    return_mine,
    steer_mine,
)
from broodmind.envs.macragge.rules.missile import burst
from broodmind.envs.macragge.rules.moving import (
    any_movable,
    declare_cross,
    edit,
    execute_plan,
    is_retreat,
    march,
    plan_to_stay,
    take_in_hand,
    take_to_scuttle,
)
from broodmind.envs.macragge.rules.node import run_node
from broodmind.envs.macragge.rules.objectives import check_cut_short, check_objectives
from broodmind.envs.macragge.rules.retreat import (
    begin_retreat,
    cross_in_retreat,
    lane_of,
    leave_by_edge,
    retreat_by,
)
from broodmind.envs.macragge.rules.shooting import (
    any_mine_target,
    fire_flame,
    flame_directions,
    has_fired,
    shoot_mine,
)
from broodmind.envs.macragge.rules.spores import detonate, may_return_mine, return_type, spray
from broodmind.envs.macragge.rules.tide import any_may_appear, appear_behind
from broodmind.envs.macragge.rules.volley import any_shooting, begin_volley, disarm, fire_missile, run_volley

MARKERS = 3
SPAWNING = 64
"""From this on, `cursor` counts the markers that were asked for a mine (mission 6)."""


@kernel
def begin_turn(s, log) -> None:
    """Begin the active player's turn: forget what belonged to the last one."""
    s.step = st.STEP_MINES
    s.cursor = st.FIRST_MINE
    s.die = 0
    for group in range(st.STORED_GROUPS):
        s.groups[group].marks = 0
    for slot in range(st.MODELS):
        s.models[slot].marks &= st.FLAG_QUEUED
    if s.core.mission == st.PURGE_THE_XENOS and s.active == st.ULTRAMARINES:
        note_who_stands(s)
    emit(log, st.EVENT_TURN_BEGAN, int(s.active), int(s.core.turn))


@kernel
def end_turn(s, log) -> None:
    """Check the objectives, then hand over; the limit of turns truncates after a whole round."""
    check_objectives(s, log)
    if s.core.over:
        return
    if s.active == st.TYRANIDS:
        if s.core.turn >= (s.core.max_turns if s.core.max_turns > 0 else MOST_TURNS):
            finish(s, log, DRAW, st.OVER_TURN_LIMIT)
            return
        s.core.turn = int(s.core.turn) + 1
    s.active = 1 - int(s.active)
    begin_turn(s, log)


@kernel
def run_step(s, t, log) -> None:
    """Do what the step at hand does next: ask for a decision, act, or go on to the next step."""
    ultramarines = s.active == st.ULTRAMARINES
    if s.step == st.STEP_MINES:
        slot = -1 if ultramarines else next_mine(s)
        if slot < 0:
            s.step = st.STEP_MOVE
        else:
            move_mine(s, t, log, slot)
    elif s.step == st.STEP_MOVE:
        if ultramarines and s.core.mission == st.XENO_TIDE:
            if s.groups[st.GROUP_OCTAVIAN].marks & st.GROUP_MOVED:
                s.step = st.STEP_SHOOT
            else:
                begin_retreat(s, log)
        elif any_movable(s, int(s.active)):
            s.phase = st.MOVE_SELECT
        else:
            s.step = st.STEP_SHOOT
    elif s.step == st.STEP_SHOOT:
        run_shooting(s, t)
    elif s.step == st.STEP_ASSAULT and s.core.mission >= st.FUSION_CORE and any_assault(s, t):
        s.phase = st.ASSAULT_SELECT
    elif s.step == st.STEP_FIGHT:
        s.step = st.STEP_SPAWN
        if s.core.mission == st.PURGE_THE_XENOS:
            try_core_drop(s, t, log)
        begin_fight(s)
    elif s.step == st.STEP_SPAWN:
        run_spawning(s, t, log)
    elif s.step == st.STEP_BEACON and s.core.mission == st.PURGE_THE_XENOS:
        s.step = st.STEP_END
        if ultramarines and may_activate(s):
            s.phase = st.BEACON
    elif s.step == st.STEP_END:
        end_turn(s, log)
    else:
        s.step = int(s.step) + 1


@kernel
def run_shooting(s, t) -> None:
    """Ask for the shots of the turn while there are any to fire."""
    if s.core.mission >= st.FUSION_CORE:
        if any_shooting(s, t):
            s.phase = st.SHOOT_SELECT
            return
    elif s.active == st.ULTRAMARINES:
        if s.core.mission == st.CRASH_SITE:
            if not has_fired(s, st.GROUP_VARRAS) and any_mine_target(s, t):
                s.phase = st.SHOOT_SELECT
                return
        elif not has_fired(s, st.GROUP_OCTAVIAN) and flame_directions(s, t) != 0:
            s.phase = st.FLAME
            s.unit = st.GROUP_OCTAVIAN
            s.shooter = st.FLAMER
            return
    s.step = st.STEP_ASSAULT


@kernel
def run_spawning(s, t, log) -> None:
    """Ask where a mine, or a new unit, comes back, if one can (MAC-M1.7, M3.7); once a turn."""
    if s.core.mission == st.PURGE_THE_XENOS:
        run_purge_spawning(s, t, log)
        return
    s.step = st.STEP_BEACON
    if s.core.mission >= st.REINFORCEMENTS:
        if s.active == st.TYRANIDS:
            run_node(s, t, log)
    elif s.core.mission >= st.FUSION_CORE:
        if s.active == st.TYRANIDS and any_may_appear(s, t):
            s.phase = st.SPAWN
    elif s.active == st.TYRANIDS and mine_in_pool(s) >= 0:
        for marker in range(MARKERS):
            if may_return_at(s, t, marker):
                s.phase = st.SPAWN


@kernel
def run_purge_spawning(s, t, log) -> None:
    """Let the node return broods, then ask for each marker in turn which mine it returns (MAC-M6.8)."""
    if s.active == st.TYRANIDS:
        if s.cursor < SPAWNING:
            s.cursor = SPAWNING
            run_node(s, t, log)
        for marker in range(int(s.cursor) - SPAWNING, MARKERS):
            s.cursor = SPAWNING + marker + 1
            if may_return_mine(s, t, marker):
                s.target = st.FIRST_MARKER_GROUP + marker
                s.phase = st.SPAWN
                return
    s.step = st.STEP_BEACON


@kernel
def run_frame(s, t, log) -> None:
    """Go on with the sequence on top of the stack."""
    frame = s.frames[int(s.frame_count) - 1]
    if frame.op == st.FRAME_DETONATIONS:
        slot = next_detonation(s)
        if slot < 0:
            pop_frame(s)
        elif s.core.mission == st.PURGE_THE_XENOS:
            detonate(s, t, log, slot)
        else:
            explode(s, t, log, slot)
    elif frame.op == st.FRAME_CASUALTIES:
        if frame.b <= 0 or not squad_lives(s, int(frame.a)):
            pop_frame(s)  # surplus wounds are lost
        else:
            s.squad = frame.a
            s.wounds = frame.b
            s.phase = st.CASUALTY
    elif frame.op == st.FRAME_VOLLEY:
        run_volley(s, t, log)
    elif frame.op == st.FRAME_FIGHT:
        run_fight(s, t, log)


@kernel
def advance(s, t, log) -> None:
    """Play on until a decision is asked for or the game is over."""
    while s.phase == st.NO_DECISION:
        if s.frame_count > 0:
            run_frame(s, t, log)
        else:
            run_step(s, t, log)
        if s.phase == st.NO_DECISION:
            check_cut_short(s, log)
    s.core.seat = seat_to_act(s)


@kernel
def seat_to_act(s) -> int:
    """Return whose decision the phase at hand is."""
    if s.phase == st.MINE_DIR or s.phase == st.ACID_DIR:
        return st.TYRANIDS
    if s.phase == st.CASUALTY:
        return st.ULTRAMARINES
    if s.phase == st.STRIKE:
        return owner(int(s.model))
    return int(s.active)


@kernel
def perform(s, t, action: int, log) -> None:
    """Carry out a legal action of the phase at hand, and play on to the next decision."""
    phase = int(s.phase)
    s.phase = st.NO_DECISION
    s.core.decisions = int(s.core.decisions) + 1
    if phase == st.MOVE_SELECT:
        if action == act.PASS:
            s.step = st.STEP_SHOOT
        else:
            take_in_hand(s, t, action - act.SELECT)
            s.phase = st.MOVE_PLAN
    elif phase == st.MOVE_PLAN:
        perform_plan(s, t, action, log)
    elif phase == st.MOVE_EDIT:
        if action == act.PASS:
            end_move(s, log)
        else:
            s.model = action - act.MODEL
            s.phase = st.MOVE_CELL
    elif phase == st.MOVE_CELL:
        edit(s, t, action - act.DEST)
        s.phase = st.MOVE_EDIT
    elif phase == st.MINE_DIR:
        steer_mine(s, t, log, action - act.DIR)
    elif phase == st.SHOOT_SELECT and s.core.mission == st.CRASH_SITE:
        s.groups[st.GROUP_VARRAS].marks |= st.GROUP_FIRED
        if action != act.PASS:
            shoot_mine(s, t, log, st.FIRST_MINE + action - act.TARGET - st.FIRST_MINE_GROUP)
    elif phase == st.FLAME:
        s.groups[st.GROUP_OCTAVIAN].marks |= st.GROUP_FIRED
        s.unit = -1
        s.shooter = -1
        if action != act.PASS:
            fire_flame(s, t, log, action - act.DIR)
    elif phase == st.CASUALTY:
        remove_casualty(s, log, action - act.MODEL)
    elif phase == st.SPAWN and s.core.mission <= st.RESCUE_VARRAS:
        if action != act.PASS:
            return_mine(s, t, log, action - act.TARGET - st.FIRST_MARKER_GROUP)
    else:
        perform_broods(s, t, phase, action, log)
    if s.phase == st.NO_DECISION:
        check_cut_short(s, log)
    advance(s, t, log)


@kernel
def perform_broods(s, t, phase: int, action: int, log) -> None:
    """Carry out a choice that only missions 3 to 6 ask for."""
    if phase == st.CORE_CARRIER:
        give_core(s, log, action - act.MODEL)
        begin_first_turn(s, log)
    elif phase == st.RETREAT:
        if action == act.CROSS:
            cross_in_retreat(s, log)
        else:
            retreat_by(s, t, lane_of(action))
            if s.mover_count == 1:
                end_move(s, log)
            else:
                s.phase = st.MOVE_EDIT
    elif phase == st.SHOOT_SELECT:
        if action == act.PASS:
            s.step = st.STEP_ASSAULT
        elif action == act.DISARM:
            disarm(s, t, log)
        else:
            s.unit = action - act.SELECT
            s.phase = st.SHOOT_TARGET
    elif phase == st.SHOOT_TARGET:
        unit = int(s.unit)
        if action == act.PASS:
            s.groups[unit].marks |= st.GROUP_FIRED
            s.unit = -1
        elif action == act.SCUTTLE:
            s.groups[unit].marks |= st.GROUP_FIRED
            take_to_scuttle(s, t, log, unit)
            s.phase = st.MOVE_PLAN
        else:
            begin_volley(s, t, unit, action - act.TARGET)
    elif phase == st.MISSILE_TYPE:
        if action != act.PASS:
            fire_missile(s, t, log, action - act.MISSILE)
    elif phase == st.AIM:
        burst(s, t, log, action - act.MODEL)
    elif phase == st.ASSAULT_SELECT:
        if action == act.PASS:
            s.step = st.STEP_FIGHT
        else:
            s.unit = action - act.SELECT
            s.phase = st.ASSAULT_TARGET
    elif phase == st.ASSAULT_TARGET:
        begin_charge(s, t, log, action - act.TARGET)
    elif phase == st.ASSAULT_CELL:
        if action != act.AUTO:
            charge_to(s, t, log, action - act.DEST)
        if not s.core.over:
            next_charger(s, t, log, action == act.AUTO)
    elif phase == st.STRIKE:
        slot = int(s.model)
        s.model = -1
        strike(s, t, log, slot, action - act.MODEL)
    elif phase == st.ACID_DIR:
        s.model = -1
        spray(s, t, log, action - act.DIR)
    elif phase == st.BEACON:
        if action == act.ACTIVATE:
            set_thunderhawk(s, log, st.THUNDERHAWK_SIGNAL)
    elif phase == st.SPAWN and s.core.mission == st.PURGE_THE_XENOS:
        marker = int(s.target) - st.FIRST_MARKER_GROUP
        s.target = -1
        if action != act.PASS:
            return_type(s, t, log, marker, action - act.SPAWN)
    elif phase == st.SPAWN:
        appear_behind(s, t, log, action - act.TARGET - st.FIRST_WRECK_GROUP)


@kernel
def end_move(s, log) -> None:
    """Carry the plan out; in a retreat those who reach the edge escape."""
    leaving = is_retreat(s)
    execute_plan(s, log)
    if leaving:
        leave_by_edge(s, log)


@kernel
def begin_first_turn(s, log) -> None:
    """Begin the turn of the player who has the first one: in mission 4 the Tyranids (MAC-M4.1)."""
    s.active = st.TYRANIDS if s.core.mission == st.XENO_TIDE else st.ULTRAMARINES
    begin_turn(s, log)


@kernel
def begin_play(s, log) -> None:
    """Begin the game: with the choice of who carries the core in missions 4 and 6 (MAC-B55)."""
    if s.core.mission == st.XENO_TIDE or s.core.mission == st.PURGE_THE_XENOS:
        s.step = st.STEP_MOVE
        s.phase = st.CORE_CARRIER
    else:
        begin_first_turn(s, log)


@kernel
def perform_plan(s, t, action: int, log) -> None:
    """Carry out a choice of MOVE_PLAN: march, cross, or stay."""
    if action == act.CROSS:
        declare_cross(s, t, log)
        s.phase = st.MOVE_PLAN
    elif action == act.PASS:
        plan_to_stay(s)
        end_move(s, log)
    else:
        march(s, t, action - act.DEST)
        if s.mover_count == 1:
            end_move(s, log)
        else:
            s.phase = st.MOVE_EDIT
