"""What a decision does: carries out a legal action of the phase at hand (ledger section 4.2)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.assault import begin_charge, push, retreat, suffer_assault
from broodmind.envs.maze.rules.events import deal
from broodmind.envs.maze.rules.explosives import melt_door, melt_floor, set_mine, unset_mine
from broodmind.envs.maze.rules.horror import (
    emerge,
    horror_moves,
    spike,
    suffer_spike,
    surprise,
)
from broodmind.envs.maze.rules.items import gain, has_room, lose
from broodmind.envs.maze.rules.moving import step_to
from broodmind.envs.maze.rules.shooting import CHARGE_FAILS_AT, shoot, throw_grenade
from broodmind.envs.maze.rules.tiles import take_candidate
from broodmind.envs.maze.rules.tools import (
    any_second_wound,
    eat,
    light_vent,
    look_out,
    pick_up,
    ride,
    scan,
    spend,
    swap,
    transfer,
    treat,
    use_blade,
    use_skull,
)
from broodmind.envs.maze.rules.wounds import die, give_medkit, heal, horror_leaves, roll_save
from broodmind.envs.maze.turn import advance, end_actions, end_assault


@kernel
def perform(s, t, action: int, log) -> None:
    """Carry out a legal action, and play on to the next decision."""
    phase = int(s.phase)
    s.phase = st.NO_DECISION
    s.core.decisions = int(s.core.decisions) + 1
    if phase == st.IMP_SELECT:
        if action == act.END_PHASE:
            end_actions(s)
        else:
            s.sel = action - act.SELECT
            s.acted[int(s.sel)] = 0
    elif phase == st.IMP_ACT:
        do_act(s, t, action, log)
    elif phase <= st.FIND:
        do_sequel(s, t, phase, action, log)
    elif phase <= st.FRAG_RETREAT:
        do_answer(s, t, phase, action, log)
    else:
        do_horror(s, t, action, log)
    advance(s, t, log)


@kernel
def do_act(s, t, action: int, log) -> None:
    """Carry out what the selected model does."""
    m = int(s.sel)
    a = int(s.at[m])
    if action == act.SWITCH or action == act.DONE:
        if action == act.DONE:
            s.model_marks[m] |= st.STOPPED
        s.acted[m] = 0
        s.sel = -1
        return
    if action >= act.RELOAD and action < act.PICK_UP:
        slot = action - act.RELOAD
        if m != st.WEAPON_EXPERT:
            spend(s, m)
        w = int(s.weapon[m, slot])
        lose(s, m, st.FIRST_CHARGE + int(t.charge[w]))
        s.shots[m, slot] = t.magazine[w]
        emit(log, st.LOG_RELOADED, m, w)
        return
    if action == act.SCANNER + act.SCANNER_SWITCHED_OFF:
        scan(s, t, log, m, act.SCANNER_SWITCHED_OFF)
        return
    spend(s, m)
    if action < act.FIRE:
        s.moves = int(s.moves) + 1
        s.move_seq[m] = s.moves
        step_to(s, t, log, m, action - act.MOVE)
        if s.status[m] == st.BOARD:
            s.reveal = 1 << m
    elif action < act.LIGHT_VENT:
        k = action - act.FIRE
        shoot(s, t, log, m, k // st.MOST_SHOTS, k % st.MOST_SHOTS + 1, int(s.h_tile), False)
    elif action < act.RELOAD:
        light_vent(s, t, log, m, action - act.LIGHT_VENT)
    elif action < act.TRANSFER:
        item = action - act.PICK_UP
        if has_room(s, t, m, item):
            pick_up(s, t, log, m, item)
        else:
            s.in_hand = item
            s.phase = st.IMP_SWAP
    elif action < act.MEDKIT:
        s.in_hand = action - act.TRANSFER
        s.phase = st.IMP_TRANSFER
    elif action < act.MELTA_FLOOR:
        treat(s, t, log, m, action - act.MEDKIT)
        if m == st.MEDIC and any_second_wound(s, t, m):
            s.phase = st.IMP_MEDKIT2
    elif action < act.LIFT_MINE:
        set_explosive(s, t, log, m, a, action)
    elif action < act.SCANNER:
        unset_mine(s, a, action - act.LIFT_MINE)
        gain(s, t, log, m, st.MINE, 0)
    elif action < act.PENDANT:
        scan(s, t, log, m, action - act.SCANNER)
    elif action == act.PENDANT:
        emit(log, st.LOG_USED, m, st.PENDANT)
        s.pendant[m] = s.core.turn
    elif action == act.RATION:
        eat(s, t, log, m)
    elif action < act.SKULL:
        use_blade(s, t, log, m, action - act.BLADE)
    elif action < act.LOOK_OUT:
        use_skull(s, log, m, action - act.SKULL)
    elif action == act.LOOK_OUT:
        look_out(s, t, log, m)
    else:
        ride(s, t, log, m)


@kernel
def set_explosive(s, t, log, m: int, a: int, action: int) -> None:
    """Set a Melta Charge, which goes off at once if the Demolition Expert sets it (MAZE-22), or a mine."""
    if action >= act.LAY_MINE:
        emit(log, st.LOG_USED, m, st.MINE)
        lose(s, m, st.MINE)
        set_mine(s, a, action - act.LAY_MINE)
        return
    emit(log, st.LOG_USED, m, st.MELTA)
    lose(s, m, st.MELTA)
    at_once = m == st.DEMOLITION
    if action == act.MELTA_FLOOR:
        if at_once:
            melt_floor(s, t, log, a)
        else:
            s.melta[a] |= st.FLOOR_CHARGE
    else:
        d = action - act.MELTA_DOOR
        if at_once:
            melt_door(s, t, log, a, d)
        else:
            s.melta[a] |= 2 << d


@kernel
def do_sequel(s, t, phase: int, action: int, log) -> None:
    """Carry out what follows an action, a look round or a find."""
    m = action - act.TO_MODEL
    if phase == st.IMP_SWAP:
        swap(s, t, log, int(s.sel), int(s.in_hand), action - act.DROP)
        s.in_hand = -1
    elif phase == st.IMP_TRANSFER:
        transfer(s, t, log, int(s.sel), m, int(s.in_hand))
        s.in_hand = -1
    elif phase == st.IMP_MEDKIT2:
        if action != act.NO:
            heal(s, t, log, m, 1)
    elif phase == st.TILE_CHOICE:
        take_candidate(s, t, log, action - act.TAKE_TILE)
    elif phase == st.BEACON_PICK:
        gain(s, t, log, m, st.BEACON, 0)
        s.step = st.STEP_ARMOURY
    else:
        deal(s, t, log, -1 if action == act.NO else m)


@kernel
def do_answer(s, t, phase: int, action: int, log) -> None:
    """Carry out how the Imperials answer an event or the Horror."""
    m = action - act.TO_MODEL
    cur = int(s.cur)
    if phase == st.EVENT_REDRAW:
        if action == act.YES:
            s.ev_redrawn = 1
            s.step = st.STEP_EVENT_ROLL
    elif phase == st.CRUX:
        if action == act.YES:
            s.crux[cur] = 1
            emit(log, st.LOG_CRUX, cur)
            s.ch_roll = roll_save(s, t, log, cur, 0)
        if s.step == st.STEP_SPIKE:
            result = int(s.ch_roll)
            s.ch_roll = 0
            suffer_spike(s, log, cur, result)
        elif suffer_assault(s, t, log, cur):
            s.phase = st.MORTAL
    elif phase == st.MORTAL:
        if action == act.NO:
            die(s, log, cur)
        else:
            give_medkit(s, log, m, cur)
    elif phase == st.FRAG_CHARGE:
        if action == act.NO:
            s.ch_todo = st.EVERYBODY
            s.step = st.STEP_OVERWATCH
        else:
            throw_grenade(s, t, log, m)
            end_assault(s)
    elif phase == st.OVERWATCH:
        if action != act.NO:
            fire_overwatch(s, t, log, cur, action - act.OVERWATCH)
    elif phase == st.PUSH:
        push(s, t, log, action - act.PUSH)
        s.step = st.STEP_PUSH_LOOK
    else:
        if action != act.NO:
            throw_grenade(s, t, log, m)
        end_assault(s)


@kernel
def fire_overwatch(s, t, log, m: int, k: int) -> None:
    """Fire Overwatch; three wounds make the charge fail (MAZE-84 to 86)."""
    s.ch_fired = int(s.ch_fired) + 1
    lost = shoot(s, t, log, m, k // st.MOST_SHOTS, k % st.MOST_SHOTS + 1, int(s.ch_tile), True)
    s.ch_wounds = int(s.ch_wounds) + lost
    if s.core.over:
        return
    if s.h_state != st.PROWLING:
        end_assault(s)
    elif s.ch_wounds >= CHARGE_FAILS_AT:
        retreat(s, t, log)
        end_assault(s)


@kernel
def do_horror(s, t, action: int, log) -> None:
    """Carry out what the Horror does."""
    if action >= act.H_ASSAULT and action < act.H_PASS:
        k = action - act.H_ASSAULT
        begin_charge(s, log, k // 5, k % 5)
        s.step = st.STEP_FRAG_CHARGE
        return
    if action == act.NO:
        end_assault(s)
        return
    s.step = st.STEP_ASSAULT
    if action < act.H_CRAWL:
        horror_moves(s, t, log, action - act.H_MOVE)
    elif action == act.H_CRAWL:
        horror_leaves(s, log, st.SHADOWS)
    elif action < act.H_SPIKE:
        emerge(s, log, action - act.H_EMERGE)
    elif action < act.H_SURPRISE:
        if spike(s, t, log, action - act.H_SPIKE):
            s.step = st.STEP_SPIKE
            s.phase = st.CRUX
    elif action < act.H_ASSAULT:
        surprise(s, t, log, action - act.H_SURPRISE)
