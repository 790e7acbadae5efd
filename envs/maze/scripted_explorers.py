"""The hand-written explorers: spread to look for the Beacon, shoot whatever they see, carry it home together."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.assault import may_throw_at_charge, sides_to_push
from broodmind.envs.maze.rules.board import (
    AS_SCION,
    clear_flood,
    count_bits,
    count_dark,
    event_tile,
    explorers_on,
    flood,
    lowest,
    seed_flood,
    sees,
    unlit_vents,
    walks,
)
from broodmind.envs.maze.rules.events import found_item, may_find
from broodmind.envs.maze.rules.explosives import may_set_on_door
from broodmind.envs.maze.rules.items import has_room, held, may_drop_for
from broodmind.envs.maze.rules.shooting import may_fire, may_overwatch
from broodmind.envs.maze.rules.tools import (
    EARLY_WARNING,
    blade_waits,
    can_act,
    can_reload,
    lost_part,
    may_light_vent,
    may_look_out,
    may_pick_up,
    may_receive,
    may_ride,
    may_treat,
    may_use_blade,
    may_use_skull,
    misses_wounds,
    must_use_blade,
)
from broodmind.envs.maze.rules.wounds import could_save
from broodmind.envs.maze.turn import beacon_takers

NOTHING = -1
SALT = 0x4C414D50
WORTH_A_CHARGE = 2
"""Wounds missing that are worth a Medkit."""


# -- where to go -------------------------------------------------------------------------------------------------


@kernel
def wanted_tile(s) -> int:
    """Return the tile that everybody wants to reach, if it is on the board: Shuttle, Beacon or its room; else -1."""
    if s.beacon_at == st.BEACON_ON_GROUND:
        return int(s.beacon_id)
    kind = st.BEACON_ROOM
    if s.beacon_at == st.BEACON_CARRIED:
        kind = st.SHUTTLE
    elif s.beacon_at == st.BEACON_WITH_CORPSES:
        kind = st.NEST
    for a in range(int(s.n_tiles)):
        if s.kind[a] == kind and s.state[a] == st.ON_BOARD:
            return a
    return -1


@kernel
def goal_of(s, m: int) -> int:
    """Return where a model goes: to what is wanted if that is in reach, else to the nearest dark end; -1: nowhere.

    Until the Beacon is found each has its own nearest end: more tiles are drawn, and a charge meets few. Whoever walks
    with the Beacon has the group with him.
    """
    start = int(s.at[m])
    if s.beacon_at == st.BEACON_CARRIED:
        start = event_tile(s, int(s.group[m]))
        if start < 0:
            return -1
    wanted = wanted_tile(s)
    count = flood(s, seed_flood(s, 0, start), AS_SCION, st.TILES)
    goal = -1
    for k in range(count):
        a = int(s.order[k])
        if a == wanted:
            goal = a
            break
        if goal < 0 and count_dark(s, a):
            goal = a
    if goal < 0 and count > 0:  # walled in: go to the end, where the maze may shift
        goal = int(s.order[count - 1])
    clear_flood(s, count)
    return goal


@kernel
def step_towards(s, m: int, goal: int, seed: int) -> int:
    """Return the MOVE that brings a model nearer to a tile, or NOTHING."""
    here = int(s.at[m])
    if goal < 0 or goal == here:
        return NOTHING
    count = flood(s, seed_flood(s, 0, goal), AS_SCION, st.TILES)
    best = NOTHING
    nearest = int(s.reach[here]) if s.reach[here] > 0 else st.TILES
    word, _ = philox(seed, m, SALT)
    for k in range(4):
        d = (k + word) & 3
        if walks(s, m, here, d):
            steps = int(s.reach[int(s.nb[here, d])])
            if steps > 0 and steps < nearest:
                nearest = steps
                best = act.MOVE + d
    clear_flood(s, count)
    return best


@kernel
def step_to_see(s, t, m: int) -> int:
    """Return the MOVE after which a model could fire at the Horror, or NOTHING."""
    if s.h_state != st.PROWLING or s.acts[m] < 2 or s.no_fire[m]:
        return NOTHING
    here = int(s.at[m])
    found = NOTHING
    for d in range(4):
        if not walks(s, m, here, d):
            continue
        s.at[m] = s.nb[here, d]
        distance = sees(s, m, int(s.h_tile))
        for slot in range(st.SLOTS):
            w = int(s.weapon[m, slot])
            if w >= 0 and 1 <= distance and distance <= t.range[w] and s.shots[m, slot] >= t.least[w]:
                found = act.MOVE + d
        s.at[m] = here
    return found


# -- what a model does -------------------------------------------------------------------------------------------


@kernel
def best_fire(s, t, m: int) -> int:
    """Return the FIRE with the most shots that hit something, or NOTHING."""
    if s.suicid[m] >= s.core.turn:
        return NOTHING
    best = NOTHING
    most = 0
    for slot in range(st.SLOTS):
        for n in range(1, st.MOST_SHOTS + 1):
            if may_fire(s, t, m, slot, n):
                w = int(s.weapon[m, slot])
                value = n * (7 - int(t.wound[w])) * (4 + int(t.ap[w])) * int(t.damage[w])
                if value > most:
                    most = value
                    best = act.FIRE + slot * st.MOST_SHOTS + n - 1
    return best


@kernel
def reload(s, t, m: int, below_volley: bool) -> int:
    """Return the RELOAD of a weapon that is empty, or (`below_volley`) holds less than a volley; or NOTHING."""
    for slot in range(st.SLOTS):
        if can_reload(s, t, m, slot):
            w = int(s.weapon[m, slot])
            if s.shots[m, slot] < (t.most[w] if below_volley else t.least[w]):
                return act.RELOAD + slot
    return NOTHING


@kernel
def treatment(s, t, m: int) -> int:
    """Return the MEDKIT that helps most, or NOTHING."""
    best = NOTHING
    most = WORTH_A_CHARGE - 1
    for other in range(st.MODELS):
        if may_treat(s, t, m, other):
            value = int(t.wounds[other]) - int(s.wounds[other])
            if s.injury[other] & (st.BLOODLOSS | st.THREATENED):
                value += 3
            if value > most:
                most = value
                best = act.MEDKIT + other
    return best


@kernel
def useful(s, t, m: int, item: int) -> bool:
    """Say whether an item is worth a model's room."""
    if item == st.BEACON or item == st.MEDKIT or item == st.FRAG or item == st.RATION:
        return True
    if item < st.FIRST_CHARGE:
        return s.weapon[m, 0] < 0 or item == st.STORM_BOLTER or item == st.VOLLEYGUN
    if item < st.FIRST_TOOL:
        for slot in range(st.SLOTS):
            if s.weapon[m, slot] >= 0 and t.charge[int(s.weapon[m, slot])] == item - st.FIRST_CHARGE:
                return True
        return False
    return item == st.PENDANT or item == st.SKULL


@kernel
def pick_of(s, t, m: int) -> int:
    """Return the PICK_UP of something useful for which there is room, or NOTHING."""
    for k in range(st.ITEMS):
        item = st.BEACON - k  # the Beacon first, then tools, charges, weapons
        if may_pick_up(s, t, m, item) and has_room(s, t, m, item) and useful(s, t, m, item):
            return act.PICK_UP + item
    return NOTHING


@kernel
def plan(s, t, m: int, seed: int) -> int:
    """Return what a model wants to do next, or NOTHING."""
    if must_use_blade(s, t, m):
        return act.BLADE
    if s.acts[m] > 0:
        fire = best_fire(s, t, m)
        if fire >= 0:
            return fire
    again = reload(s, t, m, s.acts[m] == 0 or s.h_state != st.PROWLING)
    if again >= 0 or s.acts[m] == 0:
        return again
    step = treatment(s, t, m)
    if step >= 0:
        return step
    if may_pick_up(s, t, m, st.BEACON):
        return act.PICK_UP + st.BEACON
    if s.beacon_at != st.BEACON_CARRIED or s.beacon_id != m:
        step = step_to_see(s, t, m)
        if step >= 0:
            return step
    step = pick_of(s, t, m)
    if step >= 0:
        return step
    if held(s, m, st.RATION) and (lost_part(s, t, m, 2) or misses_wounds(s, t, m)):
        return act.RATION
    if may_look_out(s, m) and lost_part(s, t, m, 4):
        return act.LOOK_OUT
    if may_use_blade(s, t, m, 0) and s.wounds[m] > 2 and s.h_state == st.PROWLING:
        return act.BLADE
    if may_use_skull(s, m, EARLY_WARNING) and s.h_state != st.PROWLING:
        return act.SKULL + EARLY_WARNING
    goal = goal_of(s, m)
    if goal >= 0 and count_dark(s, goal) == 0:  # walled in, unless it is what they want
        if may_ride(s, m) and goal == s.at[m]:
            return act.RIDE_LIFT
        for d in range(4):
            if goal != wanted_tile(s) and may_set_on_door(s, m, d):
                return act.MELTA_DOOR + d
    step = step_towards(s, m, goal, seed)
    if step >= 0:
        return step
    return last_resort(s, t, m)


@kernel
def last_resort(s, t, m: int) -> int:
    """Return what a model does with an action that is left: hold the Pendant up, light a vent over its mates."""
    if held(s, m, st.PENDANT) > 0 and s.pendant[m] < s.core.turn:
        return act.PENDANT
    if count_bits(explorers_on(s, int(s.at[m]))) > 1 and unlit_vents(s, t, int(s.at[m])):
        for slot in range(st.SLOTS):
            if may_light_vent(s, t, m, slot) and s.shots[m, slot] > t.most[int(s.weapon[m, slot])]:
                return act.LIGHT_VENT + slot
    return NOTHING


@kernel
def select(s, t, seed: int) -> int:
    """Return the SELECT of the first model that wants to do something, else END_PHASE."""
    for k in range(st.MODELS):
        m = st.MODELS - 1 - k  # the Space Marines go first
        if can_act(s, t, m) and plan(s, t, m, seed) >= 0:
            return act.SELECT + m
    if blade_waits(s, t):
        for m in range(st.MODELS):
            if must_use_blade(s, t, m):
                return act.SELECT + m
    return act.END_PHASE


# -- the other decisions -----------------------------------------------------------------------------------------


@kernel
def overwatch(s, t, m: int) -> int:
    """Return the OVERWATCH of what need not be kept for the next phase, or NO."""
    if s.suicid[m] >= s.core.turn or s.halluc[m] >= s.core.turn:
        return act.NO
    for slot in range(st.SLOTS):
        w = int(s.weapon[m, slot])
        if w < 0:
            continue
        spare = int(s.shots[m, slot]) - int(t.most[w])
        if s.ammo[m, int(t.charge[w])] > 0:
            spare = int(s.shots[m, slot])
        n = min(spare, int(t.most[w]))
        if n > 0 and may_overwatch(s, t, m, slot, n):
            return act.OVERWATCH + slot * st.MOST_SHOTS + n - 1
    return act.NO


@kernel
def choose_tile(s, t) -> int:
    """Return the candidate that leads on best: the Beacon's room or the Shuttle if wanted, else most corridors."""
    best = 0
    most = -1
    wanted = st.SHUTTLE if s.beacon_at == st.BEACON_CARRIED else st.BEACON_ROOM
    for k in range(int(s.cand_n)):
        kind = int(s.kind[int(s.cand_tile[k])])
        value = 4 * count_bits(int(s.cand_open[k])) - int(t.vents[kind])
        if kind == wanted:
            value += 100
        if kind == st.PIT:
            value = 0
        if value > most:
            most = value
            best = k
    return act.TAKE_TILE + best


@kernel
def sturdiest(s, models: int) -> int:
    """Return the model of a set with the most wounds."""
    best = lowest(models)
    for m in range(st.MODELS):
        if models >> m & 1 and s.wounds[m] > s.wounds[best]:
            best = m
    return best


@kernel
def share_out(s, t) -> int:
    """Return who gets what was found: somebody to whom it is useful, or nobody."""
    item = found_item(s)
    for k in range(st.MODELS):
        m = st.MODELS - 1 - k
        if may_find(s, t, m, item) and useful(s, t, m, item):
            return act.TO_MODEL + m
    return act.NO


@kernel
def choose_for_explorers(s, t, seed: int) -> int:
    """Return the choice of the hand-written explorers."""
    phase = int(s.phase)
    m = int(s.sel)
    if phase == st.IMP_SELECT:
        return select(s, t, seed)
    if phase == st.IMP_ACT:
        wish = plan(s, t, m, seed)
        return wish if wish >= 0 else act.DONE
    if phase == st.IMP_SWAP:
        for other in range(st.BEACON):
            if may_drop_for(s, m, int(s.in_hand), other):
                return act.DROP + other
    if phase == st.TILE_CHOICE:
        return choose_tile(s, t)
    if phase == st.BEACON_PICK:
        return act.TO_MODEL + sturdiest(s, beacon_takers(s))
    if phase == st.FIND:
        return share_out(s, t)
    if phase == st.EVENT_REDRAW or phase == st.CRUX:
        return act.YES
    if phase == st.OVERWATCH:
        return overwatch(s, t, int(s.cur))
    if phase == st.PUSH:
        return act.PUSH + lowest(sides_to_push(s))
    for other in range(st.MODELS):
        if phase == st.IMP_TRANSFER and may_receive(s, t, m, other, int(s.in_hand)):
            return act.TO_MODEL + other
        if phase == st.MORTAL and could_save(s, other, int(s.cur)):
            return act.TO_MODEL + other
        if phase == st.FRAG_CHARGE and may_throw_at_charge(s, other):
            return act.TO_MODEL + other
        if (
            phase == st.IMP_MEDKIT2
            and explorers_on(s, int(s.at[m])) >> other & 1
            and misses_wounds(s, t, other)
        ):
            return act.TO_MODEL + other
    return act.NO
