"""Events at the end of the Imperial phase, finds, and what else happens then (MAZE-129 to 149, 155, 157)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import pick
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    OVER_CONN,
    clear_flood,
    count_bits,
    edge,
    event_tile,
    explorers_on,
    flood,
    is_pit,
    largest_group,
    lowest,
    next_group,
    nth_bit,
    on_board,
    roll,
    roll_d3,
    seed_flood,
)
from broodmind.envs.maze.rules.items import add_shots, gain, gain_or_leave, leave, lose_weapon, may_take
from broodmind.envs.maze.rules.morale import gain_morale, lose_morale, update_lost
from broodmind.envs.maze.rules.tiles import remove_tile
from broodmind.envs.maze.rules.wounds import check_victory, horror_leaves

# -- the ends of the phase -----------------------------------------------------------------------------------------


@kernel
def mourn_at(s, a: int) -> None:
    """Mark the Space Marines who end a phase where a dead one lies, each once (MAZE-133, 136)."""
    if s.tile_marks[a] & (st.MOURN_MARINE | st.MOURN_TERMINATOR) == 0:
        return
    here = explorers_on(s, a)
    for m in range(st.SCIONS, st.MODELS):
        if here >> m & 1 and s.mourned[a] >> m & 1 == 0:
            s.mourned[a] |= 1 << m
            s.mourn[m] = 1
            if m == st.TERMINATOR and s.tile_marks[a] & st.MOURN_TERMINATOR:
                s.no_fire[m] = 1


@kernel
def lay_dead(s, a: int, mark: int) -> None:
    """Mark the tile where a dead Space Marine is found; whoever mourned another one here mourns anew."""
    s.tile_marks[a] |= mark
    s.mourned[a] = 0
    mourn_at(s, a)


@kernel
def see_massacre(s, log) -> None:
    """Let the Scions on the Massacre tile lose Morale (MAZE-157)."""
    for a in range(int(s.n_tiles)):
        if s.state[a] != st.ON_BOARD or s.kind[a] != st.MASSACRE:
            continue
        here = explorers_on(s, a)
        for m in range(st.SCIONS):
            if here >> m & 1 == 0:
                continue
            if here >> st.SCIONS and roll(s, log, st.ROLL_MORALE, m, 3) < 3:
                continue
            lose_morale(s, log, m, 1, True)


@kernel
def ransacked_tile(s) -> int:
    """Return a Ransacked Armoury where a model ends the phase and that was not searched in this game, or -1."""
    for a in range(int(s.n_tiles)):
        unused = s.kind[a] == st.RANSACKED and s.state[a] == st.ON_BOARD and s.tile_marks[a] & st.SPENT == 0
        if unused and explorers_on(s, a):
            return a
    return -1


@kernel
def search_armoury(s, t, log, a: int) -> None:
    """Search a Ransacked Armoury (MAZE-155)."""
    s.tile_marks[a] |= st.SPENT
    first = lowest(explorers_on(s, a))
    group = 0
    seen = 0
    while group >> first & 1 == 0:
        group = next_group(s, seen)
        seen |= group
    for m in range(st.MODELS):
        if group >> m & 1 == 0:
            continue
        for slot in range(st.SLOTS):
            w = int(s.weapon[m, slot])
            if w == st.LASGUN or w == st.LASPISTOL or w == st.STUBBER or w == st.SHOTGUN or w == st.BOLTGUN:
                if roll(s, log, st.ROLL_SEARCH, m, 5) >= 5:
                    add_shots(s, t, m, slot, roll_d3(s, log, st.ROLL_SHOTS, m))
                break
    if roll(s, log, st.ROLL_SEARCH, first, 5) >= 5:
        find(s, group, -1, -1, 0, st.FRAG)


# -- finds -------------------------------------------------------------------------------------------------------


@kernel
def find(s, group: int, weapon: int, ammo: int, count: int, tool: int) -> None:
    """Let a group find things, to be dealt out one by one (MAZE-135)."""
    s.find_group = group
    s.find_tile = event_tile(s, group)
    s.find_weapon = weapon
    s.find_ammo = ammo
    s.find_n = count
    s.find_tool = tool


@kernel
def found_item(s) -> int:
    """Return the item that is dealt out next, or -1."""
    if s.find_weapon >= 0:
        return int(s.find_weapon)
    if s.find_n > 0:
        return st.FIRST_CHARGE + int(s.find_ammo)
    return int(s.find_tool)


@kernel
def may_find(s, t, m: int, item: int) -> bool:
    """Say whether a model may be given the item that is dealt out."""
    return s.find_group >> m & 1 == 1 and s.status[m] == st.BOARD and may_take(s, t, m, item)


@kernel
def anybody_finds(s, t) -> bool:
    """Say whether some model may be given the item that is dealt out."""
    item = found_item(s)
    for m in range(st.MODELS):
        if may_find(s, t, m, item):
            return True
    return False


@kernel
def deal(s, t, log, m: int) -> None:
    """Give the item that is dealt out to a model, or (-1) leave it; of charges, all that are left (MAZE-135)."""
    item = found_item(s)
    load = int(t.magazine[item]) if item < st.FIRST_CHARGE else 0
    count = 1
    if m < 0 and item >= st.FIRST_CHARGE and item < st.FIRST_TOOL:
        count = int(s.find_n)
    for _ in range(count):
        if m >= 0:
            gain(s, t, log, m, item, load)
        else:
            leave(s, log, -1, int(s.find_tile), item, load)
    if s.find_weapon >= 0:
        s.find_weapon = -1
    elif s.find_n > 0:
        s.find_n = int(s.find_n) - count
    else:
        s.find_tool = -1
    if s.find_weapon < 0 and s.find_n == 0 and s.find_tool < 0:
        s.find_group = 0
        s.find_tile = -1
        s.find_ammo = -1


# -- events ------------------------------------------------------------------------------------------------------


@kernel
def take_groups(s) -> None:
    """Note the groups of this moment: each of them rolls (MAZE-129)."""
    s.ev_n = 0
    s.ev_i = 0
    seen = 0
    while True:
        group = next_group(s, seen)
        if group == 0:
            return
        seen |= group
        s.ev_group[int(s.ev_n)] = group
        s.ev_n = int(s.ev_n) + 1


@kernel
def forget_groups(s) -> None:
    """Clear what the events needed."""
    for k in range(st.MODELS):
        s.ev_group[k] = 0
    s.ev_n = 0
    s.ev_i = 0
    s.ev_tile = -1
    s.ev_kind = -1
    s.ev_redrawn = 0


@kernel
def group_now(s) -> int:
    """Return the models of the group whose event it is that are on the board."""
    return int(s.ev_group[int(s.ev_i)]) & on_board(s)


@kernel
def roll_event(s, t, log) -> None:
    """Roll 4D6, and a further D6 if there is no event of that number (MAZE-129, 130)."""
    total = 0
    for _ in range(4):
        total += roll(s, log, st.ROLL_EVENT, -1, 0)
    kind = int(t.event_of[total, 0])
    if kind < 0:
        kind = int(t.event_of[total, roll(s, log, st.ROLL_EVENT, -1, 0)])
    s.ev_kind = kind
    emit(log, st.LOG_EVENT, kind, int(s.ev_tile))


@kernel
def random_member(s, group: int) -> int:
    """Pick a member of a set."""
    return nth_bit(group, pick(s.core, count_bits(group)))


@kernel
def find_each_other(s, t, log, group: int) -> None:
    """Bring a Lost group back (MAZE-137)."""
    moved = group
    if s.lost[lowest(group)]:
        goal = event_tile(s, largest_group(s, group))
    else:
        moved = 0
        goal = event_tile(s, group)
        seen = 0
        while moved == 0:
            other = next_group(s, seen)
            if other == 0:
                return
            seen |= other
            if s.lost[lowest(other)]:
                moved = other
    if goal < 0:
        return
    for m in range(st.MODELS):
        if moved >> m & 1:
            emit(log, st.LOG_MOVED, m, int(s.at[m]), goal, int(s.kind[goal]))
            s.at[m] = goal
            s.regroup = 1
            s.lost[m] = 0
            emit(log, st.LOG_LOST, m, 0)
            gain_morale(s, t, log, m, 2)
    check_victory(s, log)
    if s.core.over == 0:
        update_lost(s, log, True)


@kernel
def distract(s, log, m: int) -> None:
    """Send a Scion back to where it began the phase (MAZE-139)."""
    if m >= st.SCIONS or roll(s, log, st.ROLL_CHANCE, m, 5) < 5:
        return
    a = int(s.start[m])
    if a < 0 or s.state[a] != st.ON_BOARD or is_pit(s, a) or s.tile_marks[a] & st.CAVED or s.h_tile == a:
        return
    emit(log, st.LOG_MOVED, m, int(s.at[m]), a, int(s.kind[a]))
    s.at[m] = a
    s.regroup = 1
    check_victory(s, log)
    if s.core.over == 0:
        update_lost(s, log, False)


@kernel
def last_mover(s, group: int) -> int:
    """Return the model of a group that moved last in this phase, or -1."""
    best = -1
    last = 0
    for m in range(st.MODELS):
        if group >> m & 1 and s.move_seq[m] > last:
            last = int(s.move_seq[m])
            best = m
    return best


@kernel
def front_tile(s, group: int) -> int:
    """Return the tile in front of a group in the direction in which it was moving, or -1 (MAZE-143)."""
    m = last_mover(s, group)
    if m < 0:
        return -1
    a = int(s.at[m])
    d = int(s.heading[m])
    if edge(s, a, d) == st.CONN:
        return int(s.nb[a, d])
    found = -1
    for other in range(4):
        if other != d ^ 2 and edge(s, a, other) == st.CONN:
            if found >= 0:
                return -1
            found = int(s.nb[a, other])
    return found


@kernel
def search_from_all(s) -> int:
    """Search over every open way from all explorers; return how many tiles were found."""
    count = 0
    for m in range(st.MODELS):
        if s.status[m] == st.BOARD:
            count = seed_flood(s, count, int(s.at[m]))
    return flood(s, count, OVER_CONN, st.TILES)


@kernel
def cave_in(s, log, group: int) -> None:
    """Let the tile in front of a group cave in, with what it cuts off (MAZE-143)."""
    front = front_tile(s, group)
    if front < 0 or explorers_on(s, front):
        return
    if s.kind[front] == st.SHUTTLE or s.kind[front] == st.BEACON_ROOM:
        return
    if s.beacon_at == st.BEACON_ON_GROUND and s.beacon_id == front:
        return
    if s.beacon_at == st.BEACON_WITH_CORPSES and s.kind[front] == st.NEST:
        return
    count = search_from_all(s)
    for k in range(count):
        s.keep[int(s.order[k])] = 1
    clear_flood(s, count)
    s.tile_marks[front] |= st.CAVED
    s.regroup = 1
    s.keep[front] = 0
    count = search_from_all(s)
    for k in range(count):
        s.keep[int(s.order[k])] = 0
    clear_flood(s, count)
    if s.h_tile == front:
        horror_leaves(s, log, st.SHADOWS)
    for a in range(int(s.n_tiles)):
        if s.keep[a]:
            remove_tile(s, log, a)
        s.keep[a] = 0
    update_lost(s, log, True)


@kernel
def apply_event(s, t, log) -> None:
    """Apply the event that was rolled to the group (MAZE-130 to 148)."""
    kind = int(s.ev_kind)
    group = group_now(s)
    a = int(s.ev_tile)
    here = explorers_on(s, a) & group
    if kind == st.LIGHTS:
        s.lights = 1
        s.generator = 0
    elif kind == st.GENERATOR:
        s.generator = 1
    elif kind == st.SIGNPOST:
        s.extra_draw = max(2, int(s.extra_draw))
    elif kind == st.FOUND_THEM:
        find_each_other(s, t, log, group)
    elif kind == st.DISTRACTED:
        distract(s, log, random_member(s, group))
    elif kind == st.WHISPERS:
        m = random_member(s, group)
        if roll(s, log, st.ROLL_CHANCE, m, 4) >= 4:
            lose_morale(s, log, m, 1, True)
    elif kind == st.CAVE_IN:
        cave_in(s, log, group)
    elif kind == st.NARROW_CORRIDOR:
        s.tile_marks[a] |= st.NARROW
    elif kind == st.CERAMITE:
        s.ceramite_next = 1 if s.core.mission == st.FULL_HULK else 0
    elif kind == st.NOTHING or kind == st.TROLLEY:
        for m in range(st.MODELS):
            if here >> m & 1 and roll(s, log, st.ROLL_CHANCE, m, 4) >= 4:
                if kind == st.NOTHING:
                    gain_morale(s, t, log, m, 1)
                else:
                    gain_or_leave(s, t, log, m, st.RATION, 0)
    elif kind == st.BAD_AMMO or kind == st.BAD_WEAPON:
        spoil(s, log, group, kind)
    else:
        if kind == st.DEAD_MARINE:
            lay_dead(s, a, st.MOURN_MARINE)
        elif kind == st.DEAD_TERMINATOR:
            lay_dead(s, a, st.MOURN_TERMINATOR)
        find(
            s,
            group,
            int(t.find_weapon[kind]),
            int(t.find_ammo[kind]),
            int(t.find_n[kind]),
            int(t.find_tool[kind]),
        )


@kernel
def spoil(s, log, group: int, kind: int) -> None:
    """Let the Scions of a group lose a shot, or a weapon (MAZE-141, 142)."""
    need = 4 if kind == st.BAD_AMMO else 6
    for m in range(st.SCIONS):
        if group >> m & 1 == 0 or roll(s, log, st.ROLL_CHANCE, m, need) < need:
            continue
        if kind == st.BAD_WEAPON:
            if s.weapon[m, 0] >= 0:
                lose_weapon(s, m, 0)
            continue
        for slot in range(st.SLOTS):
            if s.weapon[m, slot] >= 0 and s.shots[m, slot] > 0:
                s.shots[m, slot] = int(s.shots[m, slot]) - 1
                break
