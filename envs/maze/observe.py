"""What a seat may see, as numbers (ledger section 5). All on the table is public: only dice and draws are hidden."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.layout import (
    AWAY,
    GLOBALS,
    HALF,
    MODEL_FEATURES,
    MOST,
    OBSERVATION,
    TILE_FEATURES,
    WINDOW,
)
from broodmind.envs.maze.rules.board import (
    OVER_CONN,
    count_bits,
    count_dark,
    edge,
    enterable,
    event_tile,
    explorers_on,
    is_bend,
    is_pit,
    lowest,
    sees,
    unlit_vents,
)
from broodmind.envs.maze.rules.horror import may_emerge, may_return
from broodmind.envs.maze.rules.shooting import hit_penalty
from broodmind.envs.maze.rules.tiles import pile_size
from broodmind.envs.maze.rules.tools import must_use_blade

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
KINDS_COLUMN = _NAMES.index("pile_shuttle")
CANDIDATES_COLUMN = _NAMES.index("candidate_0_kind")
DECK_COLUMN = _NAMES.index("deck_beacon")

MODELS_AT = OBSERVATION.offsets["models"]
TILES_AT = OBSERVATION.offsets["tiles"]
MAP_AT = OBSERVATION.offsets["map"]
MODEL_WIDTH = len(MODEL_FEATURES)
TILE_WIDTH = len(TILE_FEATURES)
STEPS = OBSERVATION["tiles"].column("explorer_steps")
HERE = OBSERVATION["tiles"].column("horror")
WEAPON_COLUMN = OBSERVATION["models"].column("weapon_1_boltgun")
CHARGES_COLUMN = OBSERVATION["models"].column("bolter_magazine")
PLACE_COLUMN = OBSERVATION["models"].column("dx")
CELLS = WINDOW * WINDOW
FAR = 16
"""Steps beyond which all is equally far."""
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


@kernel
def write_place(s, origin: int, a: int, out, at: int) -> bool:
    """Write where a tile lies as seen from the reference tile; return whether it is on that floor."""
    if origin < 0 or a < 0 or s.floor[a] != s.floor[origin]:
        return False
    out[at] = clip((int(s.x[a]) - int(s.x[origin])) / AWAY)
    out[at + 1] = clip((int(s.y[a]) - int(s.y[origin])) / AWAY)
    return True


@kernel
def spread(s, out, column: int) -> None:
    """Write into a column of TILES 1 + steps from the tiles that have 1 there; 0 where nobody gets within FAR steps."""
    for steps in range(1, FAR):
        found = False
        for a in range(int(s.n_tiles)):
            if s.state[a] != st.ON_BOARD or out[TILES_AT + a * TILE_WIDTH + column] != steps:
                continue
            for d in range(4):
                if edge(s, a, d) != st.CONN:
                    continue
                b = int(s.nb[a, d])
                there = TILES_AT + b * TILE_WIDTH + column
                if out[there] == 0 and enterable(s, b, OVER_CONN):
                    out[there] = steps + 1
                    found = True
        if not found:
            return


@kernel
def fill_horror_place(s, t, origin: int, out) -> None:
    """Write the globals about the Horror and its charge."""
    at = HORROR_COLUMN
    out[at + int(s.h_state)] = 1
    out[at + 4] = s.h_wounds / t.horror_wounds
    out[at + 5] = s.h_bound
    out[at + 6] = 1 if may_return(s, t) else 0
    if s.h_state == st.PROWLING:
        out[at + 9] = 1 if write_place(s, origin, int(s.h_tile), out, at + 7) else 0
    if s.ch_tile >= 0:
        out[CHARGE_COLUMN] = 0.5 if s.ch_d2 == st.NO_DIRECTION else 1
        out[CHARGE_COLUMN + 1] = clip(s.ch_wounds / 3)
        out[CHARGE_COLUMN + 2] = clip(s.ch_fired / 2)


@kernel
def fill_beacon(s, origin: int, out) -> None:
    """Write the globals about the Beacon and the Shuttle."""
    room = -1
    shuttle = -1
    nest = -1
    for a in range(int(s.n_tiles)):
        if s.state[a] == st.ON_BOARD:
            if s.kind[a] == st.BEACON_ROOM:
                room = a
            elif s.kind[a] == st.SHUTTLE:
                shuttle = a
            elif s.kind[a] == st.NEST:
                nest = a
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
        write_place(s, origin, where, out, at + 4)
    if shuttle >= 0:
        out[SHUTTLE_COLUMN] = 1
        write_place(s, origin, shuttle, out, SHUTTLE_COLUMN + 1)


@kernel
def fill_globals(s, t, seat: int, origin: int, out) -> None:
    """Write the globals."""
    limit = int(s.core.max_turns)
    out[0] = min(1.0, s.core.turn / (limit if limit > 0 else LONG_GAME))
    out[1] = 1 if s.core.seat == seat and s.core.over == 0 else 0
    out[PHASE_COLUMN + int(s.phase)] = 1
    if s.sel >= 0:
        out[SELECTED_COLUMN + int(s.sel)] = 1
    if s.cur >= 0:
        out[CURRENT_COLUMN + int(s.cur)] = 1
    fill_horror_place(s, t, origin, out)
    fill_beacon(s, origin, out)
    out[PILE_COLUMN] = pile_size(s) / (st.TILES - 1)
    out[PILE_COLUMN + 1] = s.shuffled
    at = EFFECTS_COLUMN
    out[at] = s.lights
    out[at + 1] = s.generator
    for a in range(int(s.n_tiles)):
        if s.tile_marks[a] & st.NARROW:
            out[at + 2] = 1
        if s.state[a] == st.IN_PILE:
            out[KINDS_COLUMN + int(s.kind[a])] += 1
    for kind in range(
        st.KINDS
    ):  # whole numbers are added, since float32 sums are rounded otherwise when interpreted
        out[KINDS_COLUMN + kind] = int(out[KINDS_COLUMN + kind]) / 20
    out[at + 3] = 1 if s.early else 0
    out[at + 4] = 1 if s.pulse else 0
    out[at + 5] = s.extra_draw / 3
    out[at + 6] = s.ceramite_next
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
    if s.in_hand >= 0:
        out[HAND_COLUMN + int(s.in_hand)] = 1
    elif s.find_group and s.phase == st.FIND:
        item = int(s.find_tool)
        if s.find_weapon >= 0:
            item = int(s.find_weapon)
        elif s.find_n > 0:
            item = st.FIRST_CHARGE + int(s.find_ammo)
        out[HAND_COLUMN + item] = 1
    for k in range(int(s.cand_n)):
        kind = int(s.kind[int(s.cand_tile[k])])
        out[CANDIDATES_COLUMN + 3 * k] = kind / (st.KINDS - 1)
        out[CANDIDATES_COLUMN + 3 * k + 1] = count_bits(int(s.cand_open[k])) / 4
        out[CANDIDATES_COLUMN + 3 * k + 2] = t.vents[kind] / st.VENTS
    out[DECK_COLUMN + int(s.core.mission) - 1] = 1


@kernel
def fill_model(s, t, m: int, origin: int, out) -> None:
    """Write the row of a model."""
    at = MODELS_AT + m * MODEL_WIDTH
    now = s.core.turn
    out[at + int(s.status[m])] = 1
    if s.status[m] >= st.TAKEN:
        return
    out[at + 4] = s.wounds[m] / t.wounds[m]
    out[at + 5] = s.wounds[m] / 7
    out[at + 6] = s.morale[m] / t.morale[m]
    out[at + 7] = s.morale[m] / 15
    out[at + 8] = 1 if s.morale[m] == 0 else 0
    out[at + 9] = s.lost[m]
    out[at + 10] = s.acts[m] / 2
    injury = int(s.injury[m]) | int(s.injury[m]) >> st.FRESH
    out[at + 11] = 1 if injury & st.CONCUSSION else 0
    out[at + 12] = 1 if injury & st.BLOODLOSS else 0
    out[at + 13] = 1 if injury & st.THREATENED else 0
    out[at + 14] = 1 if s.delir[m] >= now else 0
    out[at + 15] = 1 if s.halluc[m] >= now else 0
    out[at + 16] = 1 if s.suicid[m] >= now else 0
    out[at + 17] = hit_penalty(s, m) / 5
    out[at + 18] = s.mourn[m]
    out[at + 19] = s.no_fire[m]
    out[at + 20] = 1 if m == st.TERMINATOR and s.crux[m] == 0 else 0
    out[at + 21] = 1 if s.beacon_at == st.BEACON_CARRIED and s.beacon_id == m else 0
    out[at + 22] = 1 if s.pendant[m] >= now else 0
    out[at + 23] = 1 if s.model_marks[m] & st.BLADE_SAVE else 0
    out[at + 24] = 1 if must_use_blade(s, t, m) else 0
    out[at + 25] = 1 if s.scanner[m] else 0
    for slot in range(st.SLOTS):
        if s.weapon[m, slot] >= 0:
            column = at + WEAPON_COLUMN + slot * (st.WEAPONS + 1)
            out[column + int(s.weapon[m, slot])] = 1
            out[column + st.WEAPONS] = s.shots[m, slot] / 10
    for k in range(st.CHARGES):
        out[at + CHARGES_COLUMN + k] = s.ammo[m, k] / 5
    for k in range(st.TOOLS):
        out[at + CHARGES_COLUMN + st.CHARGES + k] = s.tools[m, k] / 4
    if s.status[m] != st.BOARD:
        return
    a = int(s.at[m])
    at += PLACE_COLUMN
    out[at + 2] = 1 if write_place(s, origin, a, out, at) else 0
    out[at + 3] = unlit_vents(s, t, a) / st.VENTS
    out[at + 4] = count_dark(s, a) / 4
    steps = FAR
    if s.h_state == st.PROWLING:
        out[at + 5] = 1 if sees(s, m, int(s.h_tile)) > 0 else 0
        found = out[TILES_AT + a * TILE_WIDTH + HERE]
        if found > 0:
            steps = int(found) - 1
    out[at + 6] = clip(steps / AWAY)
    out[at + 7] = count_bits(explorers_on(s, a)) / st.MODELS
    out[at + 8] = count_bits(int(s.group[m])) / st.MODELS


@kernel
def fill_map(s, t, a: int, current: int, x: int, y: int, explorers: int, dark: int, vents: int, out) -> None:
    """Write a tile that lies in the window into the planes of the map."""
    at = MAP_AT + y * WINDOW + x
    kind = int(s.kind[a])
    out[at] = 1
    for d in range(4):
        out[at + (1 + d) * CELLS] = s.open[a] >> d & 1
    out[at + 5 * CELLS] = 1 if s.door[a] else 0
    out[at + 6 * CELLS] = 1 if dark else 0
    out[at + 7 * CELLS] = vents / st.VENTS
    out[at + 8 * CELLS] = (int(t.vents[kind]) - vents) / st.VENTS
    out[at + 9 * CELLS] = 1 if is_pit(s, a) else 0
    out[at + 10 * CELLS] = 1 if s.tile_marks[a] & st.CAVED else 0
    out[at + 11 * CELLS] = 1 if is_bend(s, a) else 0
    if kind == st.BEACON_ROOM:
        out[at + 12 * CELLS] = 1
    elif kind == st.NEST:
        out[at + 13 * CELLS] = 1
    elif kind == st.SHUTTLE:
        out[at + 14 * CELLS] = 1
    elif kind == st.MARINE_ARMOURY or kind == st.RANSACKED:
        out[at + 15 * CELLS] = 0 if s.tile_marks[a] & st.SPENT else 1
    elif kind == st.MASSACRE or kind >= st.CHAPEL:
        out[at + 16 * CELLS] = 1
    items = 0
    for item in range(st.ITEMS):
        items += int(s.pile[a, item])
        if kind == st.NEST:
            items += int(s.nest_pile[item])
    out[at + 17 * CELLS] = min(1.0, items / 8)
    out[at + 18 * CELLS] = count_bits(explorers) / st.MODELS
    out[at + 19 * CELLS] = 1 if explorers & current else 0
    out[at + 20 * CELLS] = 1 if s.h_tile == a else 0
    out[at + 21 * CELLS] = 1 if s.mine[a] or s.melta[a] else 0


@kernel
def fill_tiles(s, t, origin: int, out) -> None:
    """Write the rows of tiles on the board and the map; 1 + steps from explorers stand in their column already."""
    current = 0
    if s.cur >= 0:
        current = 1 << int(s.cur)
    elif s.sel >= 0:
        current = 1 << int(s.sel)
    for a in range(int(s.n_tiles)):
        at = TILES_AT + a * TILE_WIDTH
        out[at + 4] = s.kind[a] / (st.KINDS - 1)
        if s.state[a] != st.ON_BOARD:
            continue
        explorers = explorers_on(s, a)
        dark = count_dark(s, a)
        vents = unlit_vents(s, t, a)
        near = write_place(s, origin, a, out, at + 1)
        out[at] = 1
        out[at + 3] = 1 if near else 0
        out[at + 5] = vents / st.VENTS
        out[at + 6] = dark / 4
        out[at + 7] = count_bits(explorers) / st.MODELS
        out[at + 8] = 1 if is_pit(s, a) or s.tile_marks[a] & st.CAVED else 0
        steps = out[at + STEPS] - 1 if out[at + STEPS] > 0 else FAR
        out[at + STEPS] = clip(steps / AWAY)
        out[at + 10] = 1 if may_emerge(s, t, a) else 0
        out[at + HERE] = 1 if s.h_tile == a else 0
        if near:
            x = int(s.x[a]) - int(s.x[origin]) + HALF
            y = HALF - int(s.y[a]) + int(s.y[origin])
            if 0 <= x and x < WINDOW and 0 <= y and y < WINDOW:
                fill_map(s, t, a, current, x, y, explorers, dark, vents, out)


@kernel
def fill(s, t, seat: int, out, memory, fresh: bool) -> None:
    """Write the whole vector for a seat; what was there before is not looked at."""
    for k in range(out.shape[0]):
        out[k] = 0
    origin = reference_tile(s, seat)
    if s.h_state == st.PROWLING:
        out[TILES_AT + int(s.h_tile) * TILE_WIDTH + HERE] = 1
        spread(s, out, HERE)
    for m in range(st.MODELS):
        fill_model(s, t, m, origin, out)
        if s.status[m] == st.BOARD:
            out[TILES_AT + int(s.at[m]) * TILE_WIDTH + STEPS] = 1
    spread(s, out, STEPS)
    fill_globals(s, t, seat, origin, out)
    fill_tiles(s, t, origin, out)
