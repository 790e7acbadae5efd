"""The turn sequence: whose decision is next, and how the game goes on without one (MAZE-34 to 38, ledger 4.1)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.core.record import MOST_TURNS
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.assault import (
    any_target,
    ask_save,
    forget_charge,
    is_asked_to_overwatch,
    last_direction,
    may_push,
    may_throw_at_charge,
    push,
    push_back,
    run_charge,
    sides_to_push,
    suffer_assault,
)
from broodmind.envs.maze.rules.board import (
    count_bits,
    event_tile,
    explorers_on,
    find_groups,
    lowest,
    on_board,
)
from broodmind.envs.maze.rules.events import (
    anybody_finds,
    apply_event,
    deal,
    forget_groups,
    group_now,
    mourn_at,
    ransacked_tile,
    roll_event,
    search_armoury,
    see_massacre,
    take_groups,
)
from broodmind.envs.maze.rules.explosives import blow_charges
from broodmind.envs.maze.rules.horror import go_home, is_bound, may_do_something, regain
from broodmind.envs.maze.rules.insanity import roll_insanities
from broodmind.envs.maze.rules.items import gain
from broodmind.envs.maze.rules.morale import update_lost
from broodmind.envs.maze.rules.removal import remove_and_shift
from broodmind.envs.maze.rules.shooting import may_throw
from broodmind.envs.maze.rules.tiles import (
    draw_tile,
    lock_doors,
    place_tile,
    return_aside,
    reveal_from,
    reveal_set,
    turn_tile,
)
from broodmind.envs.maze.rules.tools import can_act
from broodmind.envs.maze.rules.wounds import end_game, hurt

ACTIONS_OF_A_TURN = 2

# -- the start of a turn (T) ---------------------------------------------------------------------------------------


@kernel
def end_effects(s) -> None:
    """Let what lasted until this turn end, and Injuries of the last Imperial phase begin to count (MAZE-96)."""
    s.lights = 0
    for m in range(st.MODELS):
        s.model_marks[m] &= ~st.BLADE_SAVE
        fresh = int(s.injury[m]) >> st.FRESH
        s.injury[m] = (int(s.injury[m]) | fresh) & (st.CONCUSSION | st.BLOODLOSS | st.THREATENED)


@kernel
def tick_vents(s) -> None:
    """Let the lights in vents burn down (MAZE-64)."""
    for a in range(int(s.n_tiles)):
        for k in range(st.VENTS):
            if s.lit[a, k] > 0:
                s.lit[a, k] = int(s.lit[a, k]) - 1


@kernel
def land(s, t, log) -> None:
    """Let the fallen land, those of one hole together (MAZE-117)."""
    landed = 0
    for m in range(st.MODELS):
        if s.status[m] != st.FALLEN:
            continue
        b = draw_tile(s)
        while b >= 0 and (s.kind[b] == st.PIT or s.kind[b] == st.MARINE_ARMOURY):
            b = draw_tile(s)
        if b >= 0:
            hole = int(s.at[m])
            kind = int(s.kind[b])
            sides = turn_tile(s, t, log, kind, st.NORTH)
            doors = lock_doors(s, log, kind, sides, st.NORTH)
            s.floors = int(s.floors) + 1
            place_tile(s, t, log, b, int(s.fall_x[m]), int(s.fall_y[m]), int(s.floors), sides, doors)
            for other in range(m, st.MODELS):
                if s.status[other] == st.FALLEN and s.at[other] == hole:
                    s.status[other] = st.BOARD
                    s.at[other] = b
                    s.regroup = 1
                    s.fall_x[other] = 0
                    s.fall_y[other] = 0
                    landed |= 1 << other
                    emit(log, st.LOG_LANDED, other, b)
        return_aside(s)
    if landed:
        reveal_set(s, t, log, landed)
        update_lost(s, log, True)


@kernel
def give_actions(s) -> None:
    """Give each model its actions, and note where it begins (MAZE-36)."""
    for m in range(st.MODELS):
        acts = ACTIONS_OF_A_TURN
        if s.injury[m] & st.BLOODLOSS:
            acts = 1
        if s.injury[m] & st.THREATENED or s.status[m] != st.BOARD:
            acts = 0
        if s.mourn[m] and s.status[m] == st.BOARD:
            acts = max(0, acts - 1)
            s.mourn[m] = 0
        s.acts[m] = acts
        s.acted[m] = 0
        s.start[m] = s.at[m] if s.status[m] == st.BOARD else -1
        s.move_seq[m] = 0
        s.model_marks[m] &= ~(st.STOPPED | st.BLADE_USED)
    s.moves = 0


@kernel
def start_turn(s, t, log) -> None:
    """Do all of T1 to T9 (MAZE-35)."""
    s.core.turn = int(s.core.turn) + 1
    emit(log, st.LOG_TURN_BEGAN, int(s.core.turn))
    end_effects(s)
    tick_vents(s)
    regain(s, t, log)
    for a in range(int(s.n_tiles)):
        s.armed[a] = s.mine[a]
    roll_insanities(s, t, log)
    if s.core.over == 0:
        land(s, t, log)
    if s.core.over == 0:
        blow_charges(s, t, log)
    if s.core.over == 0:
        give_actions(s)
        reveal_set(s, t, log, on_board(s))
    s.step = st.STEP_ACTIONS


# -- the Imperial phase and its end (E) ------------------------------------------------------------------------------


@kernel
def run_actions(s, t) -> None:
    """Let the model that acts go on, or ask for the next; the phase ends by itself when nobody can act."""
    if s.sel >= 0 and can_act(s, t, int(s.sel)):
        s.phase = st.IMP_ACT
        return
    if s.sel >= 0:
        s.acted[int(s.sel)] = 0
        s.sel = -1
    for m in range(st.MODELS):
        if can_act(s, t, m):
            s.phase = st.IMP_SELECT
            return
    end_actions(s)


@kernel
def end_actions(s) -> None:
    """End the Imperial phase: everybody looks round (E1)."""
    for m in range(st.MODELS):
        s.no_fire[m] = 0
        s.acted[m] = 0
        s.acts[m] = 0
    s.sel = -1
    s.reveal = on_board(s)
    s.step = st.STEP_LOOK


@kernel
def run_reveal(s, t, log) -> None:
    """Fill the corridors of the next model that has looked round; perhaps a tile is to be chosen (MAZE-148)."""
    m = lowest(int(s.reveal))
    if s.status[m] == st.BOARD and reveal_from(s, t, log, m, s.step == st.STEP_LOOK, True):
        s.phase = st.TILE_CHOICE
        return
    s.reveal &= ~(1 << m)


@kernel
def beacon_takers(s) -> int:
    """Return the models of which one takes the Beacon from its room (MAZE-160)."""
    if s.beacon_at != st.BEACON_IN_ROOM:
        return 0
    for a in range(int(s.n_tiles)):
        if s.kind[a] == st.BEACON_ROOM and s.state[a] == st.ON_BOARD:
            return explorers_on(s, a)
    return 0


@kernel
def run_beacon(s, t, log) -> None:
    """Let somebody take the Beacon (E2)."""
    takers = beacon_takers(s)
    if count_bits(takers) > 1:
        s.phase = st.BEACON_PICK
        return
    if takers:
        gain(s, t, log, lowest(takers), st.BEACON, 0)
    s.step = st.STEP_ARMOURY


@kernel
def run_event(s) -> None:
    """Go on to the next group's event (E6)."""
    if s.ev_i >= s.ev_n:
        forget_groups(s)
        s.step = st.STEP_REMOVAL
        return
    group = group_now(s)
    if group == 0:
        s.ev_i = int(s.ev_i) + 1
        return
    s.ev_tile = event_tile(s, group)
    s.ev_redrawn = 0
    s.step = st.STEP_EVENT_ROLL


@kernel
def run_event_roll(s, t, log) -> None:
    """Roll an event; Chapel and Chaos Shrine may have it rolled anew (MAZE-149)."""
    roll_event(s, t, log)
    curse = t.curse[int(s.ev_kind)] == 1
    kind = int(s.kind[int(s.ev_tile)])
    if s.ev_redrawn == 0 and kind == st.SHRINE and not curse:
        s.ev_redrawn = 1
        return
    s.step = st.STEP_EVENT_EFFECT
    if s.ev_redrawn == 0 and kind == st.CHAPEL and curse:
        s.phase = st.EVENT_REDRAW


@kernel
def run_find(s, t, log) -> None:
    """Ask who gets what was found; what nobody can take is left (MAZE-135)."""
    if anybody_finds(s, t):
        s.phase = st.FIND
    else:
        deal(s, t, log, -1)


# -- the assault (H2) -------------------------------------------------------------------------------------------


@kernel
def end_assault(s) -> None:
    """End the assault, and with it what the Horror does."""
    forget_charge(s)
    s.step = st.STEP_END


@kernel
def run_saves(s, t, log) -> None:
    """Let the next model on the charged tile save (A4)."""
    s.cur = -1
    m = lowest(int(s.ch_todo))
    if m < 0:
        s.step = st.STEP_PUSH
        return
    s.ch_todo &= ~(1 << m)
    if s.status[m] == st.BOARD and s.at[m] == s.ch_tile:
        s.cur = m
        if ask_save(s, t, log, m):
            s.phase = st.CRUX
        elif suffer_assault(s, t, log, m):
            s.phase = st.MORTAL


@kernel
def run_second_saves(s, t, log) -> None:
    """Let the model that has saved again move past, and the next one save (A5)."""
    m = int(s.cur)
    s.cur = -1
    if m >= 0 and s.status[m] == st.BOARD and s.at[m] == s.ch_tile:
        push_back(s, t, log, m)
        return
    m = lowest(int(s.ch_todo))
    if m < 0:
        s.step = st.STEP_PUSH_LOOK
        return
    s.ch_todo &= ~(1 << m)
    if s.status[m] == st.BOARD and s.at[m] == s.ch_tile:
        s.cur = m
        if ask_save(s, t, log, m):
            s.phase = st.CRUX
        elif suffer_assault(s, t, log, m):
            s.phase = st.MORTAL


@kernel
def run_push(s, t, log) -> None:
    """Find out where the survivors go (A5)."""
    if s.h_state != st.PROWLING or explorers_on(s, int(s.ch_tile)) == 0:
        end_assault(s)
        return
    sides = sides_to_push(s)
    straight = last_direction(s)
    if sides >> straight & 1 == 0 and count_bits(sides) > 1:
        s.phase = st.PUSH
    elif sides:
        push(s, t, log, straight if sides >> straight & 1 else lowest(sides))
        s.step = st.STEP_PUSH_LOOK
    elif may_push(s, straight ^ 2):
        s.ch_todo = explorers_on(s, int(s.ch_tile))
        s.cur = -1
        s.step = st.STEP_SECOND_SAVES
    else:  # MAZE-91
        emit(log, st.LOG_HORROR_MOVED, int(s.h_tile), int(s.h_from), st.PROWLING)
        s.h_tile = s.h_from
        end_assault(s)


@kernel
def ask_for_grenade(s, phase: int) -> bool:
    """Ask for a Frag Grenade if somebody can throw one."""
    for m in range(st.MODELS):
        if phase == st.FRAG_CHARGE and may_throw_at_charge(s, m):
            s.phase = phase
        if phase == st.FRAG_RETREAT and s.ch_pushed >> m & 1 and may_throw(s, m):
            s.phase = phase
    return s.phase == phase


@kernel
def run_overwatch(s, t) -> None:
    """Ask the next model for Overwatch (A2)."""
    while s.ch_todo:
        m = lowest(int(s.ch_todo))
        s.ch_todo &= ~(1 << m)
        if is_asked_to_overwatch(s, t, m):
            s.cur = m
            s.phase = st.OVERWATCH
            return
    s.cur = -1
    s.step = st.STEP_CHARGE


@kernel
def run_assault(s, t, log, step: int) -> None:
    """Go on with the assault."""
    if step == st.STEP_ASSAULT:
        if s.h_state == st.PROWLING and not is_bound(s, t) and any_target(s):
            s.phase = st.H_ASSAULT
        else:
            end_assault(s)
    elif step == st.STEP_FRAG_CHARGE:
        if not ask_for_grenade(s, st.FRAG_CHARGE):
            s.ch_todo = st.EVERYBODY
            s.step = st.STEP_OVERWATCH
    elif step == st.STEP_OVERWATCH:
        run_overwatch(s, t)
    elif step == st.STEP_CHARGE:
        run_charge(s, t, log)
        s.cur = -1
        if s.h_state == st.PROWLING:
            s.ch_todo = explorers_on(s, int(s.ch_tile))
            s.step = st.STEP_SAVES
        else:
            end_assault(s)
    elif step == st.STEP_SAVES:
        run_saves(s, t, log)
    elif step == st.STEP_PUSH:
        run_push(s, t, log)
    elif step == st.STEP_SECOND_SAVES:
        run_second_saves(s, t, log)
    elif step == st.STEP_PUSH_LOOK:
        reveal_set(s, t, log, int(s.ch_pushed))
        s.step = st.STEP_FRAG_RETREAT
    elif s.h_state != st.PROWLING or not ask_for_grenade(s, st.FRAG_RETREAT):
        end_assault(s)


# -- the whole ---------------------------------------------------------------------------------------------------


@kernel
def end_turn(s, log) -> None:
    """End the turn: wounds bleed, effects end, the limit of turns truncates (X; MAZE-38, 41)."""
    for m in range(st.MODELS):
        if s.status[m] <= st.FALLEN and s.injury[m] & st.THREATENED and s.core.over == 0:
            hurt(s, log, m, 1)
    for a in range(int(s.n_tiles)):
        s.tile_marks[a] &= ~st.NARROW
    limit = int(s.core.max_turns)
    if s.core.turn >= (limit if limit > 0 else MOST_TURNS):
        end_game(s, log, 0, st.OVER_TURNS)
    s.step = st.STEP_START


@kernel
def run_step(s, t, log) -> None:
    """Go on with the step at hand."""
    step = int(s.step)
    if step == st.STEP_START:
        start_turn(s, t, log)
    elif step == st.STEP_ACTIONS:
        run_actions(s, t)
    elif step == st.STEP_LOOK:
        s.step = st.STEP_BEACON
    elif step == st.STEP_BEACON:
        run_beacon(s, t, log)
    elif step == st.STEP_ARMOURY:
        a = ransacked_tile(s)
        if a >= 0:
            search_armoury(s, t, log, a)
        else:
            s.step = st.STEP_MASSACRE
    elif step == st.STEP_MASSACRE:
        see_massacre(s, log)
        s.step = st.STEP_MOURNING
    elif step == st.STEP_MOURNING:
        for a in range(int(s.n_tiles)):
            if s.state[a] == st.ON_BOARD:
                mourn_at(s, a)
        take_groups(s)
        s.step = st.STEP_EVENT
    elif step == st.STEP_EVENT:
        run_event(s)
    elif step == st.STEP_EVENT_ROLL:
        run_event_roll(s, t, log)
    elif step == st.STEP_EVENT_EFFECT:
        apply_event(s, t, log)
        s.ev_i = int(s.ev_i) + 1
        s.step = st.STEP_EVENT
    elif step == st.STEP_REMOVAL:
        remove_and_shift(s, log)
        s.step = st.STEP_HORROR
    elif step == st.STEP_HORROR:
        if s.h_state == st.SLAIN:
            s.step = st.STEP_END
        elif not go_home(s, t, log) and may_do_something(s, t):
            s.phase = st.H_ACT
        else:
            s.step = st.STEP_ASSAULT
    elif step == st.STEP_SPIKE:
        s.step = st.STEP_ASSAULT
    elif step == st.STEP_END:
        end_turn(s, log)
    else:
        run_assault(s, t, log, step)


@kernel
def derive(s, t) -> None:
    """Work out what observations need a search for: the groups, and whether the Horror must go home."""
    find_groups(s)
    s.h_bound = 1 if is_bound(s, t) else 0


@kernel
def advance(s, t, log) -> None:
    """Play on until a decision is asked for or the game is over."""
    while s.phase == st.NO_DECISION:
        if s.core.over:
            s.phase = st.OVER
        elif s.reveal:
            run_reveal(s, t, log)
        elif s.find_group:
            run_find(s, t, log)
        else:
            run_step(s, t, log)
    derive(s, t)
    if s.core.over == 0:
        s.core.seat = st.HORROR if s.phase >= st.H_ACT else st.IMPERIALS
