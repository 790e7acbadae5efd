"""Moving: what entering a tile does, and flight (MAZE-16, 59, 69, 100, 156, 159, 163, 165, 166)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import pick
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import count_bits, edge, explorers_on, nth_bit, roll, roll_d3, walks
from broodmind.envs.maze.rules.explosives import trip
from broodmind.envs.maze.rules.items import add_shots, gain_or_leave
from broodmind.envs.maze.rules.morale import gain_morale, lose_morale, update_lost
from broodmind.envs.maze.rules.tiles import reveal_from
from broodmind.envs.maze.rules.wounds import check_victory


@kernel
def open_armoury(s, t, log, m: int, a: int) -> None:
    """Let the first Space Marine into a Space Marine Armoury (MAZE-156)."""
    s.tile_marks[a] |= st.SPENT
    for d in range(4):
        if edge(s, a, d) == st.CONN:
            outside = explorers_on(s, int(s.nb[a, d]))
            for other in range(st.SCIONS):
                if outside >> other & 1:
                    gain_morale(s, t, log, other, 1)
    for slot in range(st.SLOTS):
        if s.weapon[m, slot] >= 0 and roll(s, log, st.ROLL_SEARCH, m, 5) >= 5:
            add_shots(s, t, m, slot, roll_d3(s, log, st.ROLL_SHOTS, m))
    found = roll(s, log, st.ROLL_SEARCH, m, 0)
    if found == 6:
        gain_or_leave(s, t, log, m, st.SCANNER, 0)
    elif found > 1:
        wanted = st.BOLTGUN if found <= 3 else st.HEAVY_FLAMER
        for slot in range(st.SLOTS):
            if s.weapon[m, slot] == wanted:
                shots = st.TILES if wanted == st.BOLTGUN else roll(s, log, st.ROLL_SHOTS, m, 0)
                add_shots(s, t, m, slot, shots)
                return


@kernel
def see_nest(s, log, m: int) -> None:
    """Let a model see the Nest and who hangs there (MAZE-163)."""
    lose_morale(s, log, m, 2, False)
    if m >= st.SCIONS:
        return
    for _ in range(int(s.corpse_scion)):
        if roll(s, log, st.ROLL_MORALE, m, 4) >= 4:
            lose_morale(s, log, m, 1, True)
    lose_morale(s, log, m, int(s.corpse_marine), True)


@kernel
def first_time(s, m: int, bit: int) -> bool:
    """Say whether a model is somewhere for the first time, and note that it was."""
    if s.firsts[m] & bit:
        return False
    s.firsts[m] |= bit
    return True


@kernel
def entry_effects(s, t, log, m: int, a: int) -> None:
    """Apply what a tile does to a model that enters it."""
    kind = int(s.kind[a])
    charge = int(t.found[kind])
    if charge >= 0 and s.tile_marks[a] & st.SEARCHED == 0:  # MAZE-69
        s.tile_marks[a] |= st.SEARCHED
        if roll(s, log, st.ROLL_SEARCH, m, 6) == 6:
            gain_or_leave(s, t, log, m, st.FIRST_CHARGE + charge, 0)
    elif kind == st.MARINE_ARMOURY and s.tile_marks[a] & st.SPENT == 0:
        open_armoury(s, t, log, m, a)
    elif kind == st.BEACON_ROOM and first_time(s, m, st.AT_BEACON_ROOM):
        gain_morale(s, t, log, m, 2)
    elif kind == st.NEST:
        see_nest(s, log, m)
    elif kind == st.CHAPEL and first_time(s, m, st.AT_CHAPEL):
        gain_morale(s, t, log, m, 2)
    elif kind == st.SHRINE and first_time(s, m, st.AT_SHRINE):
        lose_morale(s, log, m, 1, True)


@kernel
def arrive(s, t, log, m: int, origin: int, d: int) -> None:
    """Resolve a model's entering its tile: victory, mine, effects; then see who is no longer Lost (MAZE-16, 57)."""
    a = int(s.at[m])
    emit(log, st.LOG_MOVED, m, origin, a, int(s.kind[a]))
    check_victory(s, log)
    if s.core.over:
        return
    trip(s, t, log, origin, d)
    if s.core.over == 0 and s.status[m] == st.BOARD:
        entry_effects(s, t, log, m, a)
    if s.core.over == 0:
        update_lost(s, log, False)


@kernel
def step_to(s, t, log, m: int, d: int) -> None:
    """Move a model one step."""
    origin = int(s.at[m])
    s.at[m] = s.nb[origin, d]
    s.regroup = 1
    s.heading[m] = d
    arrive(s, t, log, m, origin, d)


@kernel
def walk_sides(s, m: int) -> int:
    """Return the set of sides over which a model may walk."""
    found = 0
    for d in range(4):
        if walks(s, m, int(s.at[m]), d):
            found |= 1 << d
    return found


@kernel
def flee(s, t, log, m: int) -> None:
    """Let a model flee two steps in a random direction (MAZE-100)."""
    d = -1
    for k in range(2):
        if s.core.over or s.status[m] != st.BOARD:
            return
        sides = walk_sides(s, m)
        if k == 1:
            sides = 1 << d if sides >> d & 1 else sides & ~(1 << (d ^ 2))
        if sides == 0:
            return
        d = nth_bit(sides, pick(s.core, count_bits(sides)))
        step_to(s, t, log, m, d)
        if s.core.over == 0 and s.status[m] == st.BOARD:
            reveal_from(s, t, log, m, False, False)
