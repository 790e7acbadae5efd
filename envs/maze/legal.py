"""The action mask, from the predicates that the rules apply (ledger section 4.2)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.assault import charge_target, may_throw_at_charge, sides_to_push
from broodmind.envs.maze.rules.board import explorers_on, unlit_vents, walks
from broodmind.envs.maze.rules.events import found_item, may_find
from broodmind.envs.maze.rules.explosives import (
    may_lay_mine,
    may_lift_mine,
    may_set_on_door,
    may_set_on_floor,
)
from broodmind.envs.maze.rules.horror import may_emerge, may_move, may_return, may_spike, may_surprise
from broodmind.envs.maze.rules.items import anything_lies, held, may_drop_for
from broodmind.envs.maze.rules.shooting import may_overwatch, may_throw, most_shots
from broodmind.envs.maze.rules.tools import (
    blade_waits,
    can_act,
    can_reload,
    may_light_vent,
    may_look_out,
    may_pick_up,
    may_receive,
    may_ride,
    may_scan,
    may_switch,
    may_transfer,
    may_treat,
    may_use_blade,
    may_use_skull,
    misses_wounds,
    must_use_blade,
)
from broodmind.envs.maze.rules.wounds import could_save
from broodmind.envs.maze.turn import beacon_takers


@kernel
def fill_mask(s, t, mask) -> None:
    """Write 1 for each legal action and 0 for the others."""
    for a in range(mask.shape[0]):
        mask[a] = 0
    phase = int(s.phase)
    if phase == st.OVER or s.core.over:
        return
    if phase == st.IMP_SELECT:
        for m in range(st.MODELS):
            mask[act.SELECT + m] = can_act(s, t, m)
        mask[act.END_PHASE] = not blade_waits(s, t)
    elif phase == st.IMP_ACT:
        fill_act(s, t, mask)
    elif phase == st.H_ACT:
        fill_horror(s, t, mask)
    elif phase == st.H_ASSAULT:
        mask[act.NO] = 1
        for d1 in range(4):
            for d2 in range(5):
                mask[act.H_ASSAULT + d1 * 5 + d2] = charge_target(s, d1, d2) >= 0
    elif phase <= st.FIND:
        fill_sequel(s, t, phase, mask)
    else:
        fill_answer(s, t, phase, mask)


@kernel
def fill_act(s, t, mask) -> None:
    """Write what the selected model may do."""
    m = int(s.sel)
    a = int(s.at[m])
    able = s.acts[m] > 0
    if must_use_blade(s, t, m):
        for k in range(4):
            mask[act.BLADE + k] = may_use_blade(s, t, m, k)
        return
    mask[act.DONE] = 1
    mask[act.SWITCH] = may_switch(s, t, m)
    for slot in range(st.SLOTS):
        mask[act.RELOAD + slot] = can_reload(s, t, m, slot)
    mask[act.SCANNER + act.SCANNER_SWITCHED_OFF] = may_scan(s, m, act.SCANNER_SWITCHED_OFF)
    if not able:
        return
    for d in range(4):
        mask[act.MOVE + d] = walks(s, m, a, d)
        mask[act.MELTA_DOOR + d] = may_set_on_door(s, m, d)
        mask[act.LAY_MINE + d] = may_lay_mine(s, m, d)
        mask[act.LIFT_MINE + d] = may_lift_mine(s, t, m, d)
        mask[act.BLADE + d] = may_use_blade(s, t, m, d)
    for slot in range(st.SLOTS):
        mask[act.LIGHT_VENT + slot] = may_light_vent(s, t, m, slot)
        most = most_shots(s, t, m, slot)
        for n in range(most):
            mask[act.FIRE + slot * st.MOST_SHOTS + n] = n + 1 >= t.least[int(s.weapon[m, slot])]
    if anything_lies(s, a):
        for item in range(st.ITEMS):
            mask[act.PICK_UP + item] = may_pick_up(s, t, m, item)
    if explorers_on(s, a) != 1 << m:
        for item in range(st.ITEMS):
            mask[act.TRANSFER + item] = may_transfer(s, t, m, item)
    if held(s, m, st.MEDKIT):
        for patient in range(st.MODELS):
            mask[act.MEDKIT + patient] = may_treat(s, t, m, patient)
    mask[act.MELTA_FLOOR] = may_set_on_floor(s, m)
    for k in range(act.SCANNER_SWITCHED_OFF):
        mask[act.SCANNER + k] = may_scan(s, m, k)
    mask[act.PENDANT] = held(s, m, st.PENDANT) > 0 and s.pendant[m] < s.core.turn
    mask[act.RATION] = held(s, m, st.RATION) > 0
    for k in range(2):
        mask[act.SKULL + k] = may_use_skull(s, m, k)
    mask[act.LOOK_OUT] = may_look_out(s, m)
    mask[act.RIDE_LIFT] = may_ride(s, m)


@kernel
def fill_sequel(s, t, phase: int, mask) -> None:
    """Write what may follow an action, a look round or a find."""
    m = int(s.sel)
    item = int(s.in_hand)
    if phase == st.IMP_SWAP:
        for other in range(st.BEACON):
            mask[act.DROP + other] = may_drop_for(s, m, item, other)
    elif phase == st.TILE_CHOICE:
        for k in range(int(s.cand_n)):
            mask[act.TAKE_TILE + k] = 1
    elif phase == st.BEACON_PICK:
        takers = beacon_takers(s)
        for other in range(st.MODELS):
            mask[act.TO_MODEL + other] = takers >> other & 1
    else:
        if phase != st.IMP_TRANSFER:
            mask[act.NO] = 1
        here = explorers_on(s, int(s.at[m])) if phase == st.IMP_MEDKIT2 else 0
        for other in range(st.MODELS):
            if phase == st.IMP_TRANSFER:
                mask[act.TO_MODEL + other] = may_receive(s, t, m, other, item)
            elif phase == st.IMP_MEDKIT2:
                mask[act.TO_MODEL + other] = here >> other & 1 == 1 and misses_wounds(s, t, other)
            else:
                mask[act.TO_MODEL + other] = may_find(s, t, other, found_item(s))


@kernel
def fill_answer(s, t, phase: int, mask) -> None:
    """Write how the Imperials may answer an event or the Horror."""
    cur = int(s.cur)
    if phase == st.PUSH:
        sides = sides_to_push(s)
        for d in range(4):
            mask[act.PUSH + d] = sides >> d & 1
        return
    mask[act.NO] = 1
    if phase == st.EVENT_REDRAW or phase == st.CRUX:
        mask[act.YES] = 1
    elif phase == st.OVERWATCH:
        for slot in range(st.SLOTS):
            for n in range(st.MOST_SHOTS):
                mask[act.OVERWATCH + slot * st.MOST_SHOTS + n] = may_overwatch(s, t, cur, slot, n + 1)
    else:
        for m in range(st.MODELS):
            if phase == st.MORTAL:
                mask[act.TO_MODEL + m] = could_save(s, m, cur)
            elif phase == st.FRAG_CHARGE:
                mask[act.TO_MODEL + m] = may_throw_at_charge(s, m)
            else:
                mask[act.TO_MODEL + m] = s.ch_pushed >> m & 1 == 1 and may_throw(s, m)


@kernel
def fill_horror(s, t, mask) -> None:
    """Write what the Horror may do with its action."""
    mask[act.H_PASS] = 1
    if s.h_state == st.PROWLING:
        mask[act.H_CRAWL] = unlit_vents(s, t, int(s.h_tile)) > 0
        for d in range(4):
            mask[act.H_MOVE + d] = may_move(s, d)
            mask[act.H_SPIKE + d] = may_spike(s, d)
    elif may_return(s, t):
        for a in range(int(s.n_tiles)):
            mask[act.H_EMERGE + a] = may_emerge(s, t, a)
        for m in range(st.MODELS):
            mask[act.H_SURPRISE + m] = may_surprise(s, t, m)
