"""What a model does with an action: tools, reloading, items, tiles that are used (MAZE-64 to 68, 111 to 126)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import explorers_on, roll, unlit_vents
from broodmind.envs.maze.rules.items import (
    gain,
    gain_or_leave,
    has_room,
    held,
    leave,
    lose,
    lying,
    may_swap,
    may_take,
    take_up,
)
from broodmind.envs.maze.rules.morale import gain_morale, lose_point, update_lost
from broodmind.envs.maze.rules.tiles import link, place_tile, reveal_on, reveal_set, unlink
from broodmind.envs.maze.rules.wounds import check_victory, cure, has_injury, heal, hurt

BLADE_ARMOUR, BLADE_FIRST_SLOT, BLADE_TILES = 0, 1, 3
EARLY_WARNING, SCANNING_PULSE = 0, 1
LOOKS = 6


# -- who may act -------------------------------------------------------------------------------------------------


@kernel
def may_reload(s, m: int, slot: int, charge: int, magazine: int) -> bool:
    """Say whether a model holds a charge for a weapon that is not full (MAZE-65)."""
    return s.ammo[m, charge] > 0 and s.shots[m, slot] < magazine


@kernel
def can_reload(s, t, m: int, slot: int) -> bool:
    """Say whether a model may reload a weapon slot (MAZE-21, 65)."""
    w = int(s.weapon[m, slot])
    if w < 0 or (s.acts[m] == 0 and m != st.WEAPON_EXPERT):
        return False
    return may_reload(s, m, slot, int(t.charge[w]), int(t.magazine[w]))


@kernel
def can_act(s, t, m: int) -> bool:
    """Say whether a model has an action left, or a free one (ledger 4.2, SELECT; MAZE-96)."""
    if s.status[m] != st.BOARD or s.model_marks[m] & st.STOPPED:
        return False
    if s.acts[m] > 0:
        return True
    if m != st.WEAPON_EXPERT or s.injury[m] & (st.THREATENED | st.THREATENED << st.FRESH):
        return False
    return can_reload(s, t, m, 0) or can_reload(s, t, m, 1)


@kernel
def lost_part(s, t, m: int, part: int) -> bool:
    """Say whether a model has lost a part (2: half, 4: a quarter) of its Morale Points or more."""
    return part * (int(t.morale[m]) - int(s.morale[m])) >= t.morale[m]


@kernel
def must_use_blade(s, t, m: int) -> bool:
    """Say whether a model must use the Sacrificial Blade before anything else (MAZE-122)."""
    if held(s, m, st.BLADE) == 0 or s.acts[m] == 0 or not can_act(s, t, m):
        return False
    return s.model_marks[m] & st.BLADE_USED == 0 and lost_part(s, t, m, 2)


@kernel
def blade_waits(s, t) -> bool:
    """Say whether some model must still use the Blade in this phase."""
    for m in range(st.MODELS):
        if must_use_blade(s, t, m):
            return True
    return False


@kernel
def may_switch(s, t, m: int) -> bool:
    """Say whether another model may go on in a model's place."""
    if s.acted[m] == 0 or s.acts[m] == 0:
        return False
    for other in range(st.MODELS):
        if other != m and can_act(s, t, other):
            return True
    return False


@kernel
def spend(s, m: int) -> None:
    """Spend an action."""
    s.acts[m] = int(s.acts[m]) - 1
    s.acted[m] = int(s.acted[m]) + 1


# -- items -------------------------------------------------------------------------------------------------------


@kernel
def may_pick_up(s, t, m: int, item: int) -> bool:
    """Say whether a model may pick an item up from its tile (MAZE-66)."""
    if t.may_carry[m, item] == 0 or lying(s, int(s.at[m]), item) == 0:
        return False
    return has_room(s, t, m, item) or may_swap(s, m, item)


@kernel
def pick_up(s, t, log, m: int, item: int) -> None:
    """Pick an item up from the tile."""
    gain(s, t, log, m, item, take_up(s, t, int(s.at[m]), item))
    check_victory(s, log)


@kernel
def swap(s, t, log, m: int, item: int, other: int) -> None:
    """Pick an item up and leave another in its place (MAZE-66)."""
    load = take_up(s, t, int(s.at[m]), item)
    leave(s, log, m, int(s.at[m]), other, lose(s, m, other))
    if other == st.SKULL:
        pass_on_skull(s, m, -1)
    gain(s, t, log, m, item, load)


@kernel
def may_receive(s, t, giver: int, m: int, item: int) -> bool:
    """Say whether a model may be handed an item (MAZE-67)."""
    return m != giver and s.status[m] == st.BOARD and s.at[m] == s.at[giver] and may_take(s, t, m, item)


@kernel
def may_transfer(s, t, m: int, item: int) -> bool:
    """Say whether a model holds an item that somebody on its tile may be handed."""
    if held(s, m, item) == 0:
        return False
    for other in range(st.MODELS):
        if may_receive(s, t, m, other, item):
            return True
    return False


@kernel
def transfer(s, t, log, giver: int, m: int, item: int) -> None:
    """Hand an item over (MAZE-67)."""
    gain(s, t, log, m, item, lose(s, giver, item))
    if item == st.SKULL:
        pass_on_skull(s, giver, m)
    check_victory(s, log)


@kernel
def pass_on_skull(s, m: int, other: int) -> None:
    """Let what a Servo Skull waits for go with it to another model, or (-1) be lost."""
    if s.early == 1 + m:
        s.early = 1 + other
    if s.pulse == 1 + m:
        s.pulse = 1 + other


# -- tools -------------------------------------------------------------------------------------------------------


@kernel
def misses_wounds(s, t, m: int) -> bool:
    """Say whether a model has fewer wounds than its profile."""
    return s.wounds[m] < t.wounds[m]


@kernel
def may_treat(s, t, m: int, patient: int) -> bool:
    """Say whether a model may use a Medkit on another, or itself (MAZE-114)."""
    if held(s, m, st.MEDKIT) == 0 or s.status[patient] != st.BOARD or s.at[patient] != s.at[m]:
        return False
    return misses_wounds(s, t, patient) or has_injury(s, patient)


@kernel
def treat(s, t, log, m: int, patient: int) -> None:
    """Use a Medkit: one wound, and one Injury (MAZE-114)."""
    emit(log, st.LOG_USED, m, st.MEDKIT)
    lose(s, m, st.MEDKIT)
    heal(s, t, log, patient, 1)
    cure(s, log, patient)


@kernel
def any_second_wound(s, t, m: int) -> bool:
    """Say whether the Medic's second wound would help anybody on his tile (MAZE-23)."""
    here = explorers_on(s, int(s.at[m]))
    for other in range(st.MODELS):
        if here >> other & 1 and misses_wounds(s, t, other):
            return True
    return False


@kernel
def may_scan(s, m: int, k: int) -> bool:
    """Say whether a model may set its scanner so: 0 all sides, 1 to 4 one, 5 off (MAZE-111)."""
    if held(s, m, st.SCANNER) == 0:
        return False
    if k == 5:
        return s.scanner[m] != st.SCANNER_OFF
    return s.acts[m] > 0 and s.scanner[m] != k + 1


@kernel
def scan(s, t, log, m: int, k: int) -> None:
    """Set the scanner; what it shows is placed at once (MAZE-111)."""
    emit(log, st.LOG_USED, m, st.SCANNER)
    if k == 5:
        s.scanner[m] = st.SCANNER_OFF
        return
    s.scanner[m] = k + 1
    reveal_set(s, t, log, 1 << m)


@kernel
def eat(s, t, log, m: int) -> None:
    """Eat a Ration Pack (MAZE-120)."""
    emit(log, st.LOG_USED, m, st.RATION)
    lose(s, m, st.RATION)
    gain_morale(s, t, log, m, 1)
    if roll(s, log, st.ROLL_CHANCE, m, 4) >= 4:
        heal(s, t, log, m, 1)


@kernel
def may_use_blade(s, t, m: int, k: int) -> bool:
    """Say whether a model may use the Sacrificial Blade for something (MAZE-121)."""
    if held(s, m, st.BLADE) == 0 or s.acts[m] == 0 or s.model_marks[m] & st.BLADE_USED:
        return False
    if not lost_part(s, t, m, 4):
        return False
    return k in (BLADE_ARMOUR, BLADE_TILES) or s.weapon[m, k - BLADE_FIRST_SLOT] >= 0


@kernel
def use_blade(s, t, log, m: int, k: int) -> None:
    """Pay the Blade's price and take what it gives (MAZE-121)."""
    emit(log, st.LOG_USED, m, st.BLADE)
    s.model_marks[m] |= st.BLADE_USED
    lose_point(s, log, m)
    hurt(s, log, m, 1)
    if s.status[m] != st.BOARD:
        return
    if k == BLADE_ARMOUR:
        s.model_marks[m] |= st.BLADE_SAVE
    elif k == BLADE_TILES:
        s.extra_draw = 3
    else:
        charge = st.FIRST_CHARGE + int(t.charge[int(s.weapon[m, k - BLADE_FIRST_SLOT])])
        gain_or_leave(s, t, log, m, charge, 0)
        gain_or_leave(s, t, log, m, charge, 0)


@kernel
def may_use_skull(s, m: int, k: int) -> bool:
    """Say whether a model may use the Servo Skull in a way that is not waiting already (MAZE-123, 124)."""
    if held(s, m, st.SKULL) == 0:
        return False
    return s.early == 0 if k == EARLY_WARNING else s.pulse == 0


@kernel
def use_skull(s, log, m: int, k: int) -> None:
    """Use the Servo Skull; after two uses it is gone."""
    emit(log, st.LOG_USED, m, st.SKULL)
    if k == EARLY_WARNING:
        s.early = 1 + m
    else:
        s.pulse = 1 + m
    s.skull[m] = int(s.skull[m]) - 1
    if s.skull[m] == 0:
        lose(s, m, st.SKULL)


# -- tiles -------------------------------------------------------------------------------------------------------


@kernel
def may_light_vent(s, t, m: int, slot: int) -> bool:
    """Say whether a model may light a vent with a shot (MAZE-64, 154)."""
    if m != st.TERMINATOR or s.weapon[m, slot] < 0 or s.shots[m, slot] == 0:
        return False
    a = int(s.at[m])
    return s.kind[a] != st.OPEN_CEILING and unlit_vents(s, t, a) > 0


@kernel
def light_vent(s, t, log, m: int, slot: int) -> None:
    """Light the first dark vent of the tile, for this turn and the next (MAZE-64)."""
    a = int(s.at[m])
    s.shots[m, slot] = int(s.shots[m, slot]) - 1
    for k in range(int(t.vents[int(s.kind[a])])):
        if s.lit[a, k] == 0:
            s.lit[a, k] = 2
            emit(log, st.LOG_VENT_LIT, m, a)
            return


@kernel
def may_look_out(s, m: int) -> bool:
    """Say whether a model may look out of the Viewing Platform (MAZE-168)."""
    return s.kind[int(s.at[m])] == st.PLATFORM and s.firsts[m] & st.LOOKED_OUT == 0


@kernel
def look_out(s, t, log, m: int) -> None:
    """Look out: each 6 of six dice is a Morale Point (MAZE-168)."""
    s.firsts[m] |= st.LOOKED_OUT
    points = 0
    for _ in range(LOOKS):
        if roll(s, log, st.ROLL_MORALE, m, 6) == 6:
            points += 1
    gain_morale(s, t, log, m, points)


@kernel
def may_ride(s, m: int) -> bool:
    """Say whether a model may ride the Cargo Lift (MAZE-169)."""
    a = int(s.at[m])
    return s.kind[a] == st.LIFT and s.tile_marks[a] & st.SPENT == 0


@kernel
def ride(s, t, log, m: int) -> None:
    """Ride the Cargo Lift down; a Dead End takes its place (MAZE-169)."""
    a = int(s.at[m])
    s.tile_marks[a] |= st.SPENT
    x = int(s.x[a])
    y = int(s.y[a])
    floor = int(s.floor[a])
    unlink(s, a)
    s.melta[a] &= st.FLOOR_CHARGE
    s.floors = int(s.floors) + 1
    s.floor[a] = s.floors
    link(s, a)
    emit(log, st.LOG_LIFT, a, int(s.floor[a]))
    for b in range(int(s.n_tiles)):
        if s.kind[b] == st.DEAD_END and s.state[b] == st.IN_PILE:
            place_tile(s, t, log, b, x, y, floor, int(s.open[a]), 0)
            break
    reveal_on(s, t, log, a)
    update_lost(s, log, True)
