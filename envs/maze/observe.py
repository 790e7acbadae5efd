"""What a seat may see, as numbers (ledger section 5). All on the table is public: only dice and draws are hidden.

The vector is long and little of it changes from one decision to the next, so only that is written: see
:mod:`broodmind.envs.maze.observe_board`, which does it for tiles and map.
"""

from __future__ import annotations

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.layout import (
    GLOBALS,
    HALF_SET,
    IN_PILE_SET,
    KNOWN,
    MEMORY,
    MOST,
    ON_BOARD_SET,
)
from broodmind.envs.maze.observe_board import (
    KINDS_COLUMN,
    SAME_FLOOR,
    begin_tiles,
    count_steps,
    explore_ways,
    fill_tiles,
    look_at_ways,
    place_of,
    write_place,
)
from broodmind.envs.maze.observe_models import fill_model
from broodmind.envs.maze.rules.board import count_bits, event_tile, lowest
from broodmind.envs.maze.rules.events import found_item
from broodmind.envs.maze.rules.horror import may_return

_NAMES = tuple(name for name, _ in GLOBALS)
PHASE_COLUMN = _NAMES.index("phase_imp_select")
SELECTED_COLUMN = _NAMES.index("selected_leader")
CURRENT_COLUMN = _NAMES.index("current_leader")
HORROR_COLUMN = _NAMES.index("horror_shadows")
CHARGE_COLUMN = _NAMES.index("charge_length")
PILE_COLUMN = _NAMES.index("pile")
BEACON_COLUMN = _NAMES.index("beacon_in_pile")
SHUTTLE_COLUMN = _NAMES.index("shuttle")
EFFECTS_COLUMN = _NAMES.index("lights_out")
TAKEN_COLUMN = _NAMES.index("taken_scions")
HAND_COLUMN = _NAMES.index("hand_boltgun")
CANDIDATES_COLUMN = _NAMES.index("candidate_0_kind")
DECK_COLUMN = _NAMES.index("deck_beacon")

LONG_GAME = 100


@kernel
def reference_tile(s, seat: int) -> int:
    """Return the tile round which a seat sees the board, or -1."""
    if seat == st.HORROR:
        if s.h_state == st.PROWLING:
            return int(s.h_tile)
    else:
        if s.cur >= 0 and s.status[int(s.cur)] == st.BOARD:
            return int(s.at[int(s.cur)])
        if s.sel >= 0 and s.status[int(s.sel)] == st.BOARD:
            return int(s.at[int(s.sel)])
    best = 0
    for m in range(st.MODELS):
        if count_bits(int(s.group[m])) > count_bits(best):
            best = int(s.group[m])
    return event_tile(s, best) if best else -1


@kernel
def clip(value: float) -> float:
    """Return a number within the bounds of observations."""
    return max(-MOST, min(MOST, value))


# -- globals -------------------------------------------------------------------------------------------------------


@kernel
def fill_horror_place(s, t, origin: int, out) -> None:
    """Write the globals about the Horror and its charge."""
    at = HORROR_COLUMN
    out[at + int(s.h_state)] = 1
    out[at + 4] = s.h_wounds / t.horror_wounds
    out[at + 5] = s.h_bound
    out[at + 6] = 1 if may_return(s, t) else 0
    if s.h_state == st.PROWLING:
        place = place_of(s, origin, int(s.h_tile))
        write_place(place, out, at + 7)
        out[at + 9] = place >> SAME_FLOOR & 1
    if s.ch_tile >= 0:
        out[CHARGE_COLUMN] = 0.5 if s.ch_d2 == st.NO_DIRECTION else 1
        out[CHARGE_COLUMN + 1] = clip(s.ch_wounds / 3)
        out[CHARGE_COLUMN + 2] = clip(s.ch_fired / 2)


@kernel
def fill_beacon(s, origin: int, room: int, shuttle: int, nest: int, out) -> None:
    """Write the globals about the Beacon and the Shuttle; of the three tiles, -1 is not on the board."""
    at = BEACON_COLUMN
    where = nest
    if s.beacon_at == st.BEACON_IN_ROOM:
        where = room
        out[at + (0 if room < 0 else 1)] = 1
    elif s.beacon_at == st.BEACON_CARRIED:
        m = int(s.beacon_id)
        where = int(s.at[m]) if s.status[m] == st.BOARD else -1
        out[at + 2] = 1
    else:
        if s.beacon_at == st.BEACON_ON_GROUND:
            where = int(s.beacon_id)
        out[at + 3] = 1
    if where >= 0:
        out[at + 6] = 1
        write_place(place_of(s, origin, where), out, at + 4)
    if shuttle >= 0:
        out[SHUTTLE_COLUMN] = 1
        write_place(place_of(s, origin, shuttle), out, SHUTTLE_COLUMN + 1)


@kernel
def fill_board(s, origin: int, out, memory) -> None:
    """Write the globals that depend on which tiles are on the board."""
    room = -1
    shuttle = -1
    nest = -1
    for half in range(2):
        tiles = int(memory[ON_BOARD_SET + half])
        while tiles:
            a = half * HALF_SET + lowest_bit(tiles)
            tiles = without_lowest(tiles)
            if s.kind[a] == st.BEACON_ROOM:
                room = a
            elif s.kind[a] == st.SHUTTLE:
                shuttle = a
            elif s.kind[a] == st.NEST:
                nest = a
            if s.tile_marks[a] & st.NARROW:
                out[EFFECTS_COLUMN + 2] = 1
    fill_beacon(s, origin, room, shuttle, nest, out)
    pile = count_bits(int(memory[IN_PILE_SET])) + count_bits(int(memory[IN_PILE_SET + 1]))
    out[PILE_COLUMN] = pile / (st.TILES - 1)
    out[PILE_COLUMN + 1] = s.shuffled


@kernel
def fill_effects(s, out) -> None:
    """Write the globals about what lasts for a while, but for the Narrow Corridor."""
    at = EFFECTS_COLUMN
    out[at] = s.lights
    out[at + 1] = s.generator
    out[at + 3] = 1 if s.early else 0
    out[at + 4] = 1 if s.pulse else 0
    out[at + 5] = s.extra_draw / 3
    out[at + 6] = s.ceramite_next


@kernel
def fill_losses(s, out) -> None:
    """Write the globals about the taken, the groups and the fallen."""
    out[TAKEN_COLUMN] = s.corpse_scion / 4
    out[TAKEN_COLUMN + 1] = s.corpse_marine / 2
    groups = 0
    fallen = 0
    for m in range(st.MODELS):
        if s.status[m] == st.BOARD and lowest(int(s.group[m])) == m:
            groups += 1
        elif s.status[m] == st.FALLEN:
            fallen += 1
    out[TAKEN_COLUMN + 2] = groups / st.MODELS
    out[TAKEN_COLUMN + 3] = fallen / st.MODELS


@kernel
def fill_choices(s, t, out) -> None:
    """Write the globals about an item in hand, or being dealt out, and about candidate tiles."""
    if s.in_hand >= 0:
        out[HAND_COLUMN + int(s.in_hand)] = 1
    elif s.find_group and s.phase == st.FIND:
        out[HAND_COLUMN + found_item(s)] = 1
    for k in range(int(s.cand_n)):
        kind = int(s.kind[int(s.cand_tile[k])])
        out[CANDIDATES_COLUMN + 3 * k] = kind / (st.KINDS - 1)
        out[CANDIDATES_COLUMN + 3 * k + 1] = count_bits(int(s.cand_open[k])) / 4
        out[CANDIDATES_COLUMN + 3 * k + 2] = t.vents[kind] / st.VENTS


@kernel
def fill_globals(s, t, seat: int, origin: int, out, memory) -> None:
    """Write the globals, but for the kinds of tiles in the pile."""
    for k in range(KINDS_COLUMN):
        out[k] = 0
    for k in range(KINDS_COLUMN + st.KINDS, len(GLOBALS)):
        out[k] = 0
    limit = int(s.core.max_turns)
    out[0] = min(1.0, s.core.turn / (limit if limit > 0 else LONG_GAME))
    out[1] = 1 if s.core.seat == seat and s.core.over == 0 else 0
    out[PHASE_COLUMN + int(s.phase)] = 1
    if s.sel >= 0:
        out[SELECTED_COLUMN + int(s.sel)] = 1
    if s.cur >= 0:
        out[CURRENT_COLUMN + int(s.cur)] = 1
    fill_horror_place(s, t, origin, out)
    fill_board(s, origin, out, memory)
    fill_effects(s, out)
    fill_losses(s, out)
    fill_choices(s, t, out)
    out[DECK_COLUMN + int(s.core.mission) - 1] = 1


# -- the whole -----------------------------------------------------------------------------------------------------


@kernel
def fill(s, t, seat: int, out, memory, fresh: bool) -> None:
    """Write the vector for a seat: the whole of it, or what changed since it was written.

    Args:
        s: The state.
        t: The tables.
        seat: Who looks.
        out: The vector, float32.
        memory: What the vector was last written from, `MEMORY` int64 numbers; all 0 if that is not known.
        fresh: Whether the vector is to be written anew, whatever is in it and in `memory`.
    """
    if fresh or memory[KNOWN] == 0:
        for k in range(out.shape[0]):
            out[k] = 0
        for k in range(MEMORY):
            memory[k] = 0
        memory[KNOWN] = 1
        begin_tiles(s, out)
    origin = reference_tile(s, seat)
    stirred = look_at_ways(s, out, memory)
    if stirred:
        explore_ways(s, memory)
    count_steps(s, memory, stirred)
    fill_globals(s, t, seat, origin, out, memory)
    for m in range(st.MODELS):
        fill_model(s, t, m, origin, out, memory)
    fill_tiles(s, t, origin, out, memory)
