"""The board: edges, steps, sight and groups (MAZE-1 to 7, 14, 43, 44)."""

from __future__ import annotations

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import d6
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st

DX = (0, 1, 0, -1)
DY = (1, 0, -1, 0)

# How a search steps from tile to tile.
AS_SCION = 0  # the steps of a Scion, the Horror ignored
AS_MARINE = 1
AS_HORROR = 2
OVER_CONN = 3  # any way that is open and not caved in
TO_THE_EDGE = (
    4  # as AS_SCION; what cannot be walked onto is found too, with a negative ``reach``, but not gone past
)


@kernel
def roll(s, log, purpose: int, who: int, needed: int) -> int:
    """Roll a D6 and report it."""
    value = d6(s.core)
    emit(log, st.LOG_ROLLED, value, purpose, who, needed)
    return value


@kernel
def roll_d3(s, log, purpose: int, who: int) -> int:
    """Roll a D3 with a D6 (MAZE-9)."""
    return (roll(s, log, purpose, who, 0) + 1) // 2


@kernel
def edge(s, a: int, d: int) -> int:
    """Return what a tile's side is: WALL, CONN, DARK or DOOR (MAZE-3)."""
    if s.door[a] >> d & 1:
        return st.DOOR
    b = int(s.nb[a, d])
    if b >= 0:
        back = d ^ 2
        if s.door[b] >> back & 1:
            return st.DOOR
        if s.open[a] >> d & 1 and s.open[b] >> back & 1:
            return st.CONN
        return st.WALL
    if s.open[a] >> d & 1 and s.tile_marks[a] & st.CAVED == 0:
        return st.DARK
    return st.WALL


@kernel
def dark_sides(s, a: int) -> int:
    """Return the set of a tile's sides that are DARK."""
    if s.tile_marks[a] & st.CAVED:
        return 0
    dark = int(s.open[a]) & ~int(s.door[a])
    for d in range(4):
        if s.nb[a, d] >= 0:
            dark &= ~(1 << d)
    return dark


@kernel
def count_dark(s, a: int) -> int:
    """Count the DARK sides of a tile."""
    return count_bits(dark_sides(s, a))


@kernel
def is_pit(s, a: int) -> bool:
    """Say whether a tile is a Pit, by kind or by a Melta Charge (MAZE-152, 116)."""
    return s.kind[a] == st.PIT or s.tile_marks[a] & st.IS_PIT != 0


@kernel
def is_bend(s, a: int) -> bool:
    """Say whether a tile is a Bend, with a vent or without."""
    return s.kind[a] == st.BEND or s.kind[a] == st.BEND_VENT


@kernel
def explorers_on(s, a: int) -> int:
    """Return the set of explorers on a tile."""
    found = 0
    for m in range(st.MODELS):
        if s.status[m] == st.BOARD and s.at[m] == a:
            found |= 1 << m
    return found


@kernel
def on_board(s) -> int:
    """Return the set of explorers on the board."""
    found = 0
    for m in range(st.MODELS):
        if s.status[m] == st.BOARD:
            found |= 1 << m
    return found


@kernel
def count_bits(bits: int) -> int:
    """Count the members of a set."""
    count = 0
    while bits:
        count += 1
        bits = without_lowest(bits)
    return count


@kernel
def nth_bit(bits: int, n: int) -> int:
    """Return the n-th member of a set, from 0."""
    for _ in range(n):
        bits = without_lowest(bits)
    return lowest_bit(bits)


@kernel
def lowest(bits: int) -> int:
    """Return the lowest member of a set, or -1."""
    return lowest_bit(bits) if bits else -1


@kernel
def unlit_vents(s, t, a: int) -> int:
    """Count the vents of a tile that are not lit."""
    count = 0
    for k in range(int(t.vents[int(s.kind[a])])):
        if s.lit[a, k] == 0:
            count += 1
    return count


@kernel
def is_way_out(s, t, a: int) -> bool:
    """Say whether the Horror can leave the board from a tile: by an unlit vent or a DARK side."""
    return unlit_vents(s, t, a) > 0 or dark_sides(s, a) != 0


# -- steps -------------------------------------------------------------------------------------------------------


@kernel
def enterable(s, b: int, way: int) -> bool:
    """Say whether the rules let somebody onto a tile, whoever stands there (MAZE-5)."""
    if s.tile_marks[b] & st.CAVED:
        return False
    if way == AS_HORROR:
        return s.kind[b] != st.MARINE_ARMOURY or s.tile_marks[b] & st.SPENT != 0
    if way == OVER_CONN:
        return True
    return not is_pit(s, b) and (way == AS_MARINE or s.kind[b] != st.MARINE_ARMOURY)


@kernel
def walks(s, m: int, a: int, d: int) -> bool:
    """Say whether a model may step over a side of a tile: WALK (MAZE-5)."""
    if edge(s, a, d) != st.CONN:
        return False
    b = int(s.nb[a, d])
    if s.h_state == st.PROWLING and s.h_tile == b:
        return False
    return enterable(s, b, AS_SCION if m < st.SCIONS else AS_MARINE)


@kernel
def horror_walks(s, a: int, d: int, onto_explorers: bool) -> bool:
    """Say whether the Horror may step over a side of a tile: HWALK, or the last step of a charge (MAZE-5, 82)."""
    if edge(s, a, d) != st.CONN:
        return False
    b = int(s.nb[a, d])
    return enterable(s, b, AS_HORROR) and (explorers_on(s, b) != 0) == onto_explorers


@kernel
def flood(s, count: int, way: int, limit: int) -> int:
    """Search from the first `count` tiles of ``order``, which have 1 in ``reach``; return how many tiles were found.

    ``order`` then holds them in breadth-first order (N, E, S, W), ``reach`` 1 + steps. At most `limit` steps.
    """
    k = 0
    while k < count:
        a = int(s.order[k])
        k += 1
        steps = int(s.reach[a])
        if steps < 0:
            continue
        if steps > limit:
            break
        for d in range(4):
            if edge(s, a, d) != st.CONN:
                continue
            b = int(s.nb[a, d])
            if s.reach[b] != 0 or (way == AS_HORROR and explorers_on(s, b)):
                continue
            s.reach[b] = steps + 1
            if not enterable(s, b, way):
                if way != TO_THE_EDGE:
                    s.reach[b] = 0
                    continue
                s.reach[b] = -steps - 1
            s.order[count] = b
            count += 1
    return count


@kernel
def seed_flood(s, count: int, a: int) -> int:
    """Add a tile to those that a search starts from; return how many there are."""
    if s.reach[a] != 0:
        return count
    s.reach[a] = 1
    s.order[count] = a
    return count + 1


@kernel
def clear_flood(s, count: int) -> None:
    """Wipe what a search has left behind."""
    for k in range(count):
        s.reach[int(s.order[k])] = 0
        s.order[k] = 0


@kernel
def group_of(s, m: int, among: int) -> int:
    """Return which of some explorers are in the group of one of them (MAZE-14); searched until all are found."""
    count = seed_flood(s, 0, int(s.at[m]))
    group = explorers_on(s, int(s.at[m])) & among
    k = 0
    while k < count and group != among:
        a = int(s.order[k])
        k += 1
        for d in range(4):
            if edge(s, a, d) != st.CONN:
                continue
            b = int(s.nb[a, d])
            if s.reach[b] == 0 and enterable(s, b, AS_MARINE):
                count = seed_flood(s, count, b)
                group |= explorers_on(s, b) & among
    clear_flood(s, count)
    return group


@kernel
def find_groups(s) -> None:
    """Find the groups, if somebody is elsewhere or the board is another than when they were found."""
    if s.regroup == 0:
        return
    s.regroup = 0
    for m in range(st.MODELS):
        s.group[m] = 0
    rest = on_board(s)
    while rest:
        group = group_of(s, lowest(rest), rest)
        rest &= ~group
        for m in range(st.MODELS):
            if group >> m & 1:
                s.group[m] = group


@kernel
def next_group(s, seen: int) -> int:
    """Return the next group, in order of lowest index, among models not yet seen; 0 if there is none."""
    find_groups(s)
    rest = on_board(s) & ~seen
    return int(s.group[lowest(rest)]) if rest else 0


@kernel
def event_tile(s, group: int) -> int:
    """Return the tile with most of a group's models; among equals that of the lowest index (MAZE-14)."""
    best = -1
    most = 0
    for m in range(st.MODELS):
        if group >> m & 1 and s.status[m] == st.BOARD:
            count = count_bits(explorers_on(s, int(s.at[m])) & group)
            if count > most:
                most = count
                best = int(s.at[m])
    return best


@kernel
def largest_group(s, without: int) -> int:
    """Return the largest group that has none of some models; among equals that of the lowest index."""
    best = 0
    seen = 0
    while True:
        group = next_group(s, seen)
        if group == 0:
            return best
        seen |= group
        if group & without == 0 and count_bits(group) > count_bits(best):
            best = group


# -- sight -------------------------------------------------------------------------------------------------------


@kernel
def visibility(s, m: int, a: int, d: int) -> int:
    """Return how many tiles a model would see from a tile in a direction (MAZE-43)."""
    v = 1 + int(s.generator) - int(s.lights)
    if s.kind[a] == st.SHUTTLE:
        v += 1
    if s.scanner[m] == st.SCANNER_ALL:
        v += 1
    elif s.scanner[m] == 2 + d:
        v += 2
    return max(0, v)


@kernel
def sees(s, m: int, target: int) -> int:
    """Return how many tiles away a model sees a tile; 0 for its own, -1 if it does not see it (MAZE-44)."""
    start = int(s.at[m])
    if start == target:
        return 0
    for d in range(4):
        a = start
        for k in range(visibility(s, m, start, d)):
            if edge(s, a, d) != st.CONN:
                break
            a = int(s.nb[a, d])
            if a == target:
                return k + 1
            if s.tile_marks[a] & st.CAVED:
                break
    return -1


@kernel
def mark_seen(s, m: int, seen) -> None:
    """Write 1 for each tile that a model on the board sees (MAZE-44)."""
    start = int(s.at[m])
    seen[start] = 1
    for d in range(4):
        a = start
        for _ in range(visibility(s, m, start, d)):
            if edge(s, a, d) != st.CONN:
                break
            a = int(s.nb[a, d])
            seen[a] = 1
            if s.tile_marks[a] & st.CAVED:
                break


@kernel
def sight_line(s, m: int, target: int) -> int:
    """Return the direction in which a model sees another tile, or -1."""
    start = int(s.at[m])
    for d in range(4):
        a = start
        for _ in range(visibility(s, m, start, d)):
            if edge(s, a, d) != st.CONN:
                break
            a = int(s.nb[a, d])
            if a == target:
                return d
            if s.tile_marks[a] & st.CAVED:
                break
    return -1
