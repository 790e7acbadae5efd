"""Sets the game up (MAZE-29 to 33, ledger section 3)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import DX, DY, edge, is_bend
from broodmind.envs.maze.rules.items import destroy_items, leave
from broodmind.envs.maze.rules.tiles import draw_tile, lock_doors, place_tile, return_aside, turn_tile, wipe


@kernel
def clear_tiles(s, t) -> None:
    """Put the deck's tiles into the pile; ids go by kind."""
    s.n_tiles = 0
    for kind in range(st.KINDS):
        for _ in range(int(t.deck[int(s.core.mission), kind])):
            s.kind[int(s.n_tiles)] = kind
            s.n_tiles = int(s.n_tiles) + 1
    for a in range(st.TILES):
        if a < s.n_tiles:
            s.state[a] = st.IN_PILE
        else:
            s.state[a] = st.ABSENT
            s.kind[a] = 0
        s.tile_marks[a] = 0
        wipe(s, a)
        for d in range(4):
            s.nb[a, d] = -1
        s.x[a] = 0
        s.y[a] = 0
        s.floor[a] = 0
        s.mine[a] = 0
        s.armed[a] = 0
        destroy_items(s, a)
        s.reach[a] = 0
        s.order[a] = 0
        s.keep[a] = 0


@kernel
def clear_model(s, t, m: int) -> None:
    """Equip a model and put it on the Shuttle (MAZE-18, 32)."""
    s.status[m] = st.BOARD
    s.at[m] = 0
    s.fall_x[m] = 0
    s.fall_y[m] = 0
    s.wounds[m] = t.wounds[m]
    s.morale[m] = t.morale[m]
    s.acts[m] = 0
    s.acted[m] = 0
    s.lost[m] = 0
    s.injury[m] = 0
    s.weapon[m, 0] = t.weapon[m]
    s.weapon[m, 1] = -1
    s.shots[m, 0] = t.magazine[int(t.weapon[m])]
    s.shots[m, 1] = 0
    for k in range(st.CHARGES):
        s.ammo[m, k] = t.ammo[m, k]
    for k in range(st.TOOLS):
        s.tools[m, k] = t.tools[m, k]
    s.skull[m] = 0
    s.scanner[m] = st.SCANNER_OFF
    s.crux[m] = 0
    s.mourn[m] = 0
    s.no_fire[m] = 0
    s.heading[m] = -1
    s.start[m] = -1
    s.move_seq[m] = 0
    s.firsts[m] = 0
    s.model_marks[m] = 0
    s.halluc[m] = 0
    s.delir[m] = 0
    s.suicid[m] = 0
    s.pendant[m] = 0
    s.group[m] = 0


@kernel
def clear_game(s, t) -> None:
    """Clear everything that belongs to neither tiles nor models."""
    s.shuffled = 0
    s.floors = 0
    s.step = st.STEP_START
    s.phase = st.NO_DECISION
    s.sel = -1
    s.cur = -1
    s.moves = 0
    s.reveal = 0
    s.h_state = st.SHADOWS
    s.h_tile = -1
    s.h_from = -1
    s.h_wounds = t.horror_wounds
    s.ch_tile = -1
    s.ch_d1 = -1
    s.ch_d2 = -1
    s.ch_wounds = 0
    s.ch_fired = 0
    s.ch_todo = 0
    s.ch_roll = 0
    s.ch_pushed = 0
    s.lights = 0
    s.generator = 0
    s.early = 0
    s.pulse = 0
    s.extra_draw = 0
    s.ceramite_next = 0
    s.beacon_at = st.BEACON_IN_ROOM
    s.beacon_id = -1
    s.beacon_out = 0
    s.corpse_scion = 0
    s.corpse_marine = 0
    for item in range(st.ITEMS):
        s.nest_pile[item] = 0
    for w in range(st.WEAPONS):
        s.nest_shots[w] = 0
    s.nest_skull = 0
    s.ev_n = 0
    s.ev_i = 0
    for k in range(st.MODELS):
        s.ev_group[k] = 0
    s.ev_tile = -1
    s.ev_kind = -1
    s.ev_redrawn = 0
    s.find_group = 0
    s.find_tile = -1
    s.find_weapon = -1
    s.find_ammo = -1
    s.find_n = 0
    s.find_tool = -1
    s.in_hand = -1
    s.cand_n = 0
    for k in range(3):
        s.cand_tile[k] = -1
        s.cand_open[k] = 0
        s.cand_door[k] = 0
    s.cand_at = -1
    s.cand_dir = 0
    s.h_bound = 0
    s.regroup = 1


@kernel
def first_tile_beyond(s, t, log, a: int) -> int:
    """Draw a tile that goes on, and place it north of another; return it, or -1 (MAZE-31)."""
    b = draw_tile(s)
    while b >= 0 and (s.kind[b] == st.PIT or t.form[int(s.kind[b])] == st.END_SHAPE):
        b = draw_tile(s)
    if b >= 0:
        kind = int(s.kind[b])
        sides = turn_tile(s, t, log, kind, st.NORTH)
        doors = lock_doors(s, log, kind, sides, st.NORTH)
        x = int(s.x[a]) + DX[st.NORTH]
        place_tile(s, t, log, b, x, int(s.y[a]) + DY[st.NORTH], 0, sides, doors)
    return b


@kernel
def set_up(s, t, log) -> None:
    """Set the game up: the Shuttle with everybody on it, and two tiles in a straight line."""
    clear_game(s, t)
    clear_tiles(s, t)
    for m in range(st.MODELS):
        clear_model(s, t, m)
    place_tile(s, t, log, 0, 0, 0, 0, 1 << st.NORTH, 0)
    for item in range(st.ITEMS):
        for _ in range(int(t.stash[int(s.core.mission), item])):
            load = st.SKULL_USES if item == st.SKULL else 0
            if item < st.FIRST_CHARGE:
                load = int(t.magazine[item])
            leave(s, log, -1, 0, item, load)
    first = first_tile_beyond(s, t, log, 0)
    if first >= 0 and not is_bend(s, first) and edge(s, first, st.NORTH) == st.DARK:
        first_tile_beyond(s, t, log, first)
    return_aside(s)
