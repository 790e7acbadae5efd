"""What the Horror does with its action (MAZE-70 to 81, 167)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import pick
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    AS_HORROR,
    clear_flood,
    count_bits,
    count_dark,
    edge,
    enterable,
    explorers_on,
    flood,
    horror_walks,
    is_way_out,
    lowest,
    nth_bit,
    roll,
    roll_d3,
    seed_flood,
    unlit_vents,
)
from broodmind.envs.maze.rules.explosives import trip
from broodmind.envs.maze.rules.morale import is_broken, lose_morale
from broodmind.envs.maze.rules.wounds import PASSED, horror_leaves, roll_save, take_away

NO_WAY = 99
"""Steps to a way out where none can be reached."""
TEST_NEEDS = 5
WARNED_NEEDS = 4
NARROW_LIMIT = 2


# -- where it may come from and go to ------------------------------------------------------------------------------


@kernel
def steps_out(s, t) -> int:
    """Return how many steps the Horror is from the nearest tile with a way out, or NO_WAY; see `way_out`."""
    count = flood(s, seed_flood(s, 0, int(s.h_tile)), AS_HORROR, st.TILES)
    best = NO_WAY
    for k in range(count):
        a = int(s.order[k])
        if is_way_out(s, t, a):
            best = int(s.reach[a]) - 1
            break
    clear_flood(s, count)
    return best


@kernel
def way_out(s, t) -> int:
    """Return the first step of the shortest way to a tile with a way out, or -1 (MAZE-78, 86)."""
    count = flood(s, seed_flood(s, 0, int(s.h_tile)), AS_HORROR, st.TILES)
    a = -1
    for k in range(count):
        if is_way_out(s, t, int(s.order[k])):
            a = int(s.order[k])
            break
    first = -1
    while a >= 0 and s.reach[a] > 1:  # back along the tiles that were found first
        before = -1
        for k in range(count):
            b = int(s.order[k])
            if s.reach[b] != s.reach[a] - 1:
                continue
            for d in range(4):
                if s.nb[b, d] == a and edge(s, b, d) == st.CONN:
                    before = b
                    first = d
                    break
            if before >= 0:
                break
        a = before
        if s.reach[a] == 1:
            break
    clear_flood(s, count)
    return first


@kernel
def is_bound(s, t) -> bool:
    """Say whether the Horror must go home (MAZE-78)."""
    return s.h_state == st.PROWLING and s.h_wounds <= t.nest_at and steps_out(s, t) < NO_WAY


@kernel
def may_return(s, t) -> bool:
    """Say whether the Horror is off the board and may come back (MAZE-72, 80)."""
    return s.h_state == st.SHADOWS or (s.h_state == st.IN_NEST and s.h_wounds >= t.return_at)


@kernel
def is_open_to_shadows(s, a: int, openings: int) -> bool:
    """Say whether the Horror could come onto a tile without explorers that has so many ways in (MAZE-72)."""
    return openings > 0 and enterable(s, a, AS_HORROR)


@kernel
def may_emerge(s, t, a: int) -> bool:
    """Say whether the Horror may come from the Shadows onto a tile (MAZE-72)."""
    if s.state[a] != st.ON_BOARD or explorers_on(s, a):
        return False
    return is_open_to_shadows(s, a, unlit_vents(s, t, a) + count_dark(s, a))


@kernel
def may_surprise(s, t, m: int) -> bool:
    """Say whether the Horror may attack a model's tile from a vent, the model being its lowest one (MAZE-74)."""
    if s.status[m] != st.BOARD:
        return False
    a = int(s.at[m])
    return lowest(explorers_on(s, a)) == m and unlit_vents(s, t, a) > 0


@kernel
def may_spike(s, d: int) -> bool:
    """Say whether the Horror may lash at the tile beyond a side of its own (MAZE-73)."""
    a = int(s.h_tile)
    return edge(s, a, d) == st.CONN and explorers_on(s, int(s.nb[a, d])) != 0


@kernel
def may_move(s, d: int) -> bool:
    """Say whether the Horror may move over a side of its tile (MAZE-70)."""
    a = int(s.h_tile)
    return edge(s, a, d) == st.DARK or horror_walks(s, a, d, False)


# -- moving --------------------------------------------------------------------------------------------------------


@kernel
def is_warded(s, log, a: int) -> bool:
    """Let a Chapel or Chaos Shrine turn the Horror away, once per game each (MAZE-167)."""
    if s.kind[a] != st.CHAPEL and s.kind[a] != st.SHRINE:
        return False
    if s.tile_marks[a] & st.WARD_USED:
        return False
    s.tile_marks[a] |= st.WARD_USED
    horror_leaves(s, log, st.SHADOWS)
    return True


@kernel
def horror_steps(s, t, log, d: int) -> None:
    """Move the Horror one step; wards and mines act."""
    a = int(s.h_tile)
    b = int(s.nb[a, d])
    if is_warded(s, log, b):
        return
    emit(log, st.LOG_HORROR_MOVED, a, b, st.PROWLING)
    s.h_tile = b
    trip(s, t, log, a, d)


@kernel
def horror_moves(s, t, log, d: int) -> None:
    """Move the Horror one step, or out through a DARK side (MAZE-70)."""
    if edge(s, int(s.h_tile), d) == st.DARK:
        horror_leaves(s, log, st.SHADOWS)
    else:
        horror_steps(s, t, log, d)


@kernel
def emerge(s, log, a: int) -> None:
    """Let the Horror come onto the board (MAZE-72)."""
    if is_warded(s, log, a):
        return
    s.h_state = st.PROWLING
    s.h_tile = a
    emit(log, st.LOG_HORROR_MOVED, -1, a, st.PROWLING)


@kernel
def go_home(s, t, log) -> bool:
    """Do what the wounded Horror must do; return whether it had to do something (MAZE-78)."""
    if s.h_wounds > t.nest_at:
        return False
    if s.h_state == st.SHADOWS:
        horror_leaves(s, log, st.IN_NEST)
        return True
    if s.h_state != st.PROWLING:
        return False
    if is_way_out(s, t, int(s.h_tile)):
        horror_leaves(s, log, st.IN_NEST)
        return True
    d = way_out(s, t)
    if d < 0:
        return False
    horror_steps(s, t, log, d)
    return True


@kernel
def regain(s, t, log) -> None:
    """Let the Horror regain wounds in its Nest (MAZE-79)."""
    home = s.h_state == st.IN_NEST or (s.h_state == st.PROWLING and s.kind[int(s.h_tile)] == st.NEST)
    if home and s.h_wounds < t.horror_wounds:
        gained = roll_d3(s, log, st.ROLL_DAMAGE, -1)
        s.h_wounds = min(int(t.horror_wounds), int(s.h_wounds) + gained)


# -- attacks -------------------------------------------------------------------------------------------------------


@kernel
def spike(s, t, log, d: int) -> bool:
    """Lash at an adjacent tile (MAZE-73); return whether the Terminator is to be asked for his Crux."""
    victims = explorers_on(s, int(s.nb[int(s.h_tile), d]))
    m = nth_bit(victims, pick(s.core, count_bits(victims)))
    emit(log, st.LOG_SPIKED, m)
    s.cur = m
    result = roll_save(s, t, log, m, 0)
    if result != PASSED and m == st.TERMINATOR and s.crux[m] == 0:
        s.ch_roll = result
        return True
    suffer_spike(s, log, m, result)
    return False


@kernel
def suffer_spike(s, log, m: int, result: int) -> None:
    """Apply a Spike Tail to a model whose save went so (MAZE-73)."""
    s.cur = -1
    if result != PASSED:
        lose_morale(s, log, m, 1, True)
        s.halluc[m] = int(s.core.turn) + 1


@kernel
def surprise(s, t, log, low: int) -> None:
    """Attack from a vent: one of the explorers on the tile is grabbed (MAZE-74 to 77)."""
    a = int(s.at[low])
    here = explorers_on(s, a)
    m = nth_bit(here, pick(s.core, count_bits(here)))
    helpers = 0
    for other in range(st.MODELS):
        if here >> other & 1 and not is_broken(s, other):
            helpers += 1
    if s.tile_marks[a] & st.NARROW:
        helpers = min(helpers, NARROW_LIMIT)
    need = TEST_NEEDS
    if s.early and here >> (int(s.early) - 1) & 1:
        need = WARNED_NEEDS
        s.early = 0
    bonus = helpers + (2 if m == st.TERMINATOR else 0)
    passed = roll(s, log, st.ROLL_GRAB, m, need - bonus) + bonus >= need
    emit(log, st.LOG_GRABBED, m, 0 if passed else 1)
    if s.h_state == st.IN_NEST:
        s.h_state = st.SHADOWS
    if not passed:
        take_away(s, log, m)
    for other in range(st.MODELS):
        if here >> other & 1 and s.status[other] == st.BOARD and s.core.over == 0:
            lose_morale(s, log, other, 1 if passed else 2, True)


@kernel
def may_do_something(s, t) -> bool:
    """Say whether the Horror has more to choose from than to bide its time."""
    if s.h_state == st.PROWLING:
        a = int(s.h_tile)
        if unlit_vents(s, t, a) > 0 or count_dark(s, a) > 0:
            return True
        for d in range(4):
            if may_move(s, d) or may_spike(s, d):
                return True
        return False
    if not may_return(s, t):
        return False
    for a in range(int(s.n_tiles)):
        if may_emerge(s, t, a):
            return True
    for m in range(st.MODELS):
        if may_surprise(s, t, m):
            return True
    return False
