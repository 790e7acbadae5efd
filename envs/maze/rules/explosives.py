"""Trip Mines and Melta Charges (MAZE-115 to 119, 124 to 128)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import edge, explorers_on, is_pit, roll, roll_d3
from broodmind.envs.maze.rules.items import destroy_items, has_room, held
from broodmind.envs.maze.rules.morale import update_lost
from broodmind.envs.maze.rules.tiles import place_beyond, reveal_on
from broodmind.envs.maze.rules.wounds import (
    ONE,
    PASSED,
    first_saver,
    give_medkit,
    horror_leaves,
    horror_saves,
    hurt,
    hurt_horror,
    injure,
    save,
)

MINE_AP = 2


@kernel
def blast_by_mine(s, t, log, m: int) -> None:
    """Let a Trip Mine hit an explorer: D3 wounds, saved one by one; a natural 1 brings an Injury (MAZE-127)."""
    wounds = roll_d3(s, log, st.ROLL_DAMAGE, m)
    one = False
    for _ in range(wounds):
        if s.status[m] != st.BOARD:
            return
        result = save(s, t, log, m, MINE_AP, 1, True)
        if result == ONE:
            one = True
        if result != PASSED:
            hurt(s, log, m, 1)
    if one and s.status[m] == st.BOARD:
        number = max(roll(s, log, st.ROLL_INJURY, m, 0), roll(s, log, st.ROLL_INJURY, m, 0))
        if injure(s, log, m, number):
            give_medkit(s, log, first_saver(s, m), m)


@kernel
def trip(s, t, log, a: int, d: int) -> None:
    """Set off the armed mine on a side of a tile, if there is one (MAZE-127)."""
    if s.armed[a] >> d & 1 == 0:
        return
    b = int(s.nb[a, d])
    unset_mine(s, a, d)
    emit(log, st.LOG_EXPLODED, st.MINE, a)
    victims = explorers_on(s, a) | explorers_on(s, b)
    for m in range(st.MODELS):
        if victims >> m & 1 and s.status[m] == st.BOARD and s.core.over == 0:
            blast_by_mine(s, t, log, m)
    if s.h_state == st.PROWLING and (s.h_tile == a or s.h_tile == b):
        wounds = roll_d3(s, log, st.ROLL_DAMAGE, -1)
        for _ in range(wounds):
            if s.h_state == st.PROWLING and not horror_saves(s, t, log, MINE_AP, True):
                hurt_horror(s, log, 1)


@kernel
def set_mine(s, a: int, d: int) -> None:
    """Put a mine on an edge; both tiles know it."""
    b = int(s.nb[a, d])
    s.mine[a] |= 1 << d
    s.mine[b] |= 1 << (d ^ 2)


@kernel
def unset_mine(s, a: int, d: int) -> None:
    """Take the mine off an edge."""
    b = int(s.nb[a, d])
    s.mine[a] &= ~(1 << d)
    s.armed[a] &= ~(1 << d)
    s.mine[b] &= ~(1 << (d ^ 2))
    s.armed[b] &= ~(1 << (d ^ 2))


@kernel
def knows_mines(m: int) -> bool:
    """Say whether a model can lay and take up mines (MAZE-125)."""
    return m == st.WEAPON_EXPERT or m == st.DEMOLITION


@kernel
def may_lay_mine(s, m: int, d: int) -> bool:
    """Say whether a model may lay a mine on a side of its tile (MAZE-125, 128)."""
    if not knows_mines(m) or held(s, m, st.MINE) == 0:
        return False
    a = int(s.at[m])
    if edge(s, a, d) != st.CONN or s.mine[a] >> d & 1:
        return False
    return s.kind[a] != st.PLATFORM and s.kind[int(s.nb[a, d])] != st.PLATFORM


@kernel
def may_lift_mine(s, t, m: int, d: int) -> bool:
    """Say whether a model may take up the mine on a side of its tile (MAZE-126)."""
    return knows_mines(m) and s.mine[int(s.at[m])] >> d & 1 == 1 and has_room(s, t, m, st.MINE)


@kernel
def may_set_on_floor(s, m: int) -> bool:
    """Say whether a model may set a Melta Charge on the floor (MAZE-115, 128)."""
    a = int(s.at[m])
    kind = s.kind[a]
    if held(s, m, st.MELTA) == 0 or s.melta[a] & st.FLOOR_CHARGE or is_pit(s, a):
        return False
    return kind != st.SHUTTLE and kind != st.BEACON_ROOM and kind != st.PLATFORM


@kernel
def may_set_on_door(s, m: int, d: int) -> bool:
    """Say whether a model may set a Melta Charge on a door of its tile (MAZE-118, 128)."""
    a = int(s.at[m])
    if held(s, m, st.MELTA) == 0 or s.kind[a] == st.PLATFORM:
        return False
    return edge(s, a, d) == st.DOOR and s.melta[a] & (2 << d) == 0


@kernel
def fall(s, log, m: int, a: int) -> None:
    """Let a model fall through the floor of a tile (MAZE-117)."""
    emit(log, st.LOG_FELL, m)
    s.status[m] = st.FALLEN
    s.regroup = 1
    s.fall_x[m] = s.x[a]
    s.fall_y[m] = s.y[a]
    s.acts[m] = 0


@kernel
def melt_floor(s, t, log, a: int) -> None:
    """Set off the charge on a tile's floor (MAZE-116, 117)."""
    s.melta[a] &= ~st.FLOOR_CHARGE
    emit(log, st.LOG_EXPLODED, st.MELTA, a)
    victims = explorers_on(s, a)
    for m in range(st.MODELS):
        if victims >> m & 1 and roll(s, log, st.ROLL_WOUND, m, 3) >= 3:
            hurt(s, log, m, roll_d3(s, log, st.ROLL_DAMAGE, m))
    if s.h_tile == a and s.h_state == st.PROWLING:
        if roll(s, log, st.ROLL_WOUND, -1, 3) >= 3:
            hurt_horror(s, log, roll_d3(s, log, st.ROLL_DAMAGE, -1))
        if s.h_state == st.PROWLING:
            horror_leaves(s, log, st.SHADOWS)
    destroy_items(s, a)
    s.tile_marks[a] |= st.IS_PIT
    s.regroup = 1
    if s.core.over:
        return
    victims = explorers_on(s, a)
    for m in range(st.MODELS):
        if victims >> m & 1:
            fall(s, log, m, a)
    update_lost(s, log, True)


@kernel
def melt_door(s, t, log, a: int, d: int) -> None:
    """Set off the charge on a door (MAZE-118, 124)."""
    s.melta[a] &= ~(2 << d)
    emit(log, st.LOG_EXPLODED, st.MELTA, a)
    b = int(s.nb[a, d])
    back = d ^ 2
    if s.ceramite[a] >> d & 1 or (b >= 0 and s.ceramite[b] >> back & 1):
        s.ceramite[a] &= ~(1 << d)
        if b >= 0:
            s.ceramite[b] &= ~(1 << back)
        return
    s.door[a] &= ~(1 << d)
    s.regroup = 1
    if b >= 0:
        s.door[b] &= ~(1 << back)
        s.melta[b] &= ~(2 << back)  # a charge on the same door has nothing left to melt
    emit(log, st.LOG_DOOR_GONE, a, d)
    if s.pulse and s.status[int(s.pulse) - 1] == st.BOARD:
        bearer = int(s.at[int(s.pulse) - 1])
        beyond_it = bearer == b
        if beyond_it or bearer == a:
            s.pulse = 0
            if edge(s, a, d) == st.DARK:
                beyond = place_beyond(s, t, log, a, d)
                if beyond >= 0:
                    pulse_on(s, t, log, beyond, d)
    reveal_on(s, t, log, a)
    b = int(s.nb[a, d])
    if b >= 0:
        reveal_on(s, t, log, b)


@kernel
def pulse_on(s, t, log, a: int, heading: int) -> None:
    """Place one more tile on the first DARK side of a new one: ahead, left, right (MAZE-124)."""
    for k in range(3):
        d = heading if k == 0 else (heading + (3 if k == 1 else 1)) & 3
        if edge(s, a, d) == st.DARK:
            place_beyond(s, t, log, a, d)
            return


@kernel
def blow_charges(s, t, log) -> None:
    """Set off every Melta Charge that was set before this turn, by tile (MAZE-115, 118, 119)."""
    for a in range(int(s.n_tiles)):
        if s.state[a] != st.ON_BOARD:
            continue
        for d in range(4):
            if s.core.over == 0 and s.melta[a] & (2 << d):
                melt_door(s, t, log, a, d)
        if s.core.over == 0 and s.melta[a] & st.FLOOR_CHARGE:
            melt_floor(s, t, log, a)
