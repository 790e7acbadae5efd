"""What a seat may see of the tiles: their rows and the map, of which only what changed is written.

A tile's row and its cells of the map follow from one number, its key. The key is worked out for every tile on the
board; where it is the one that was written last, nothing is. What takes a search, the steps from tile to tile, is
searched again only after the ways or the places to start from have changed.
"""

from __future__ import annotations

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.layout import (
    AWAY,
    GLOBALS,
    HALF,
    HALF_SET,
    IN_PILE_SET,
    LAIR,
    MOST,
    OBSERVATION,
    ON_BOARD_SET,
    QUEUE,
    SOURCES,
    TILE_FEATURES,
    TILE_KEYS,
    WINDOW,
)
from broodmind.envs.maze.rules.board import (
    OVER_CONN,
    count_bits,
    dark_sides,
    edge,
    enterable,
    is_bend,
    unlit_vents,
)
from broodmind.envs.maze.rules.horror import is_open_to_shadows

TILES_AT = OBSERVATION.offsets["tiles"]
MAP_AT = OBSERVATION.offsets["map"]
TILE_WIDTH = len(TILE_FEATURES)
KIND_COLUMN = OBSERVATION["tiles"].column("kind")
KINDS_COLUMN = tuple(name for name, _ in GLOBALS).index("pile_shuttle")
CELLS = WINDOW * WINDOW
PLANES = 22
FAR = 16
"""Steps beyond which all is equally far."""
FURTHEST = int(AWAY * MOST)
"""Tiles from the reference tile beyond which all is equally far."""

# The parts of what is kept of a tile's ways, by their lowest bits: what `way_key` returns, what follows from it, and
# who stands there.
WAY = (1 << 38) - 1
DARK_SHIFT, WAYS_SHIFT, EXPLORER_STEPS, HORROR_STEPS, CREW = 38, 41, 45, 50, 55
STEPS_MASK = 31

# The parts of what `look_key` returns, by their lowest bits.
DX, DY, SAME_FLOOR = 1, 7, 13
VENTS, DARK, EXPLORERS, STEPS, EMERGE, HERE = 14, 17, 20, 23, 28, 29
OPEN, DOOR, IS_PIT, IS_CAVED, SPENT, CURRENT, SET, LOOSE, MARKED = 30, 34, 35, 36, 37, 38, 39, 40, 44
ITEMS_SHOWN = 8
PLAIN_PLANES = 5
PLAIN = 1 | 63 << DX | 63 << DY | 1 << SAME_FLOOR | 31 << STEPS | 1 << EMERGE | 15 << OPEN
"""What a tile has that is seen in no plane of the map but the first five: most are corridors where nothing is."""


@kernel
def place_of(s, origin: int, a: int) -> int:
    """Pack where a tile lies as seen from the reference tile: 0 for another floor, or unknown."""
    if origin < 0 or a < 0 or s.floor[a] != s.floor[origin]:
        return 0
    x = min(max(int(s.x[a]) - int(s.x[origin]), -FURTHEST), FURTHEST)
    y = min(max(int(s.y[a]) - int(s.y[origin]), -FURTHEST), FURTHEST)
    return (x + FURTHEST) << DX | (y + FURTHEST) << DY | 1 << SAME_FLOOR


@kernel
def east_of(key: int) -> int:
    """Return how many tiles east of the reference tile the place in a key is."""
    return (key >> DX & 63) - FURTHEST if key >> SAME_FLOOR & 1 else 0


@kernel
def north_of(key: int) -> int:
    """Return how many tiles north of the reference tile the place in a key is."""
    return (key >> DY & 63) - FURTHEST if key >> SAME_FLOOR & 1 else 0


@kernel
def write_place(key: int, out, at: int) -> None:
    """Write the place in a key: two columns."""
    out[at] = east_of(key) / AWAY
    out[at + 1] = north_of(key) / AWAY


# -- ways and steps ------------------------------------------------------------------------------------------------


@kernel
def sets_of_tiles(s, half: int) -> tuple[int, int]:
    """Return which tiles of a half of the deck are on the board, and which in the pile."""
    board = 0
    pile = 0
    for k in range(HALF_SET):
        state = int(s.state[half * HALF_SET + k])
        board |= (1 if state == st.ON_BOARD else 0) << k
        pile |= (1 if state == st.IN_PILE else 0) << k
    return board, pile


@kernel
def way_key(s, a: int) -> int:
    """Pack what decides where a tile on the board leads: neighbours, corridors, doors, whether it is caved in."""
    key = 1 << 37 | int(s.open[a]) | int(s.door[a]) << 4
    for d in range(4):
        key |= (int(s.nb[a, d]) + 1) << (8 + 7 * d)
    return key | 1 << 36 if s.tile_marks[a] & st.CAVED else key


@kernel
def open_ways(s, a: int) -> int:
    """Return the set of sides over which a tile leads to one that is not caved in."""
    ways = 0
    for d in range(4):
        if edge(s, a, d) == st.CONN and enterable(s, int(s.nb[a, d]), OVER_CONN):
            ways |= 1 << d
    return ways


@kernel
def look_at_pile(s, out, memory, half: int, pile: int) -> None:
    """Write how many tiles of each kind are in the pile, for those that left it or came to it."""
    changed = pile ^ int(memory[IN_PILE_SET + half])
    memory[IN_PILE_SET + half] = pile
    while changed:
        kind = int(s.kind[half * HALF_SET + lowest_bit(changed)])
        changed = without_lowest(changed)
        count = 0
        for a in range(int(s.n_tiles)):
            if s.kind[a] == kind and s.state[a] == st.IN_PILE:
                count += 1
        out[KINDS_COLUMN + kind] = count / 20


@kernel
def look_at_ways(s, out, memory) -> bool:
    """See which tiles are on the board and where they lead; return whether that is not as it was."""
    stirred = False
    for half in range(2):
        tiles, pile = sets_of_tiles(s, half)
        look_at_pile(s, out, memory, half, pile)
        gone = int(memory[ON_BOARD_SET + half]) & ~tiles
        memory[ON_BOARD_SET + half] = tiles
        while gone:
            a = half * HALF_SET + lowest_bit(gone)
            gone = without_lowest(gone)
            stirred = True
            clear_tile(a, int(memory[TILE_KEYS + 2 * a + 1]), out)
            memory[TILE_KEYS + 2 * a] = 0
            memory[TILE_KEYS + 2 * a + 1] = 0
        while tiles:
            a = half * HALF_SET + lowest_bit(tiles)
            tiles = without_lowest(tiles)
            key = way_key(s, a)
            if key != int(memory[TILE_KEYS + 2 * a]) & WAY:
                stirred = True
                memory[TILE_KEYS + 2 * a] = key
    return stirred


@kernel
def explore_ways(s, memory) -> None:
    """Work out what follows from the ways of the tiles."""
    for half in range(2):
        tiles = int(memory[ON_BOARD_SET + half])
        while tiles:
            a = half * HALF_SET + lowest_bit(tiles)
            tiles = without_lowest(tiles)
            dark = count_bits(dark_sides(s, a))
            key = int(memory[TILE_KEYS + 2 * a]) & WAY
            memory[TILE_KEYS + 2 * a] = key | dark << DARK_SHIFT | open_ways(s, a) << WAYS_SHIFT


@kernel
def dark_ends(memory, a: int) -> int:
    """Return how many DARK sides a tile on the board has."""
    return int(memory[TILE_KEYS + 2 * a]) >> DARK_SHIFT & 7


@kernel
def steps_to(memory, a: int, of: int) -> int:
    """Return 1 + steps from the nearest explorer, or from the Horror, to a tile on the board; 0 is too far."""
    return int(memory[TILE_KEYS + 2 * a]) >> of & STEPS_MASK


@kernel
def crew_of(memory, a: int) -> int:
    """Return the set of explorers on a tile on the board."""
    return int(memory[TILE_KEYS + 2 * a]) >> CREW


@kernel
def forget(memory, parts: int) -> None:
    """Wipe parts of what is kept of the tiles' ways."""
    for half in range(2):
        tiles = int(memory[ON_BOARD_SET + half])
        while tiles:
            at = TILE_KEYS + 2 * (half * HALF_SET + lowest_bit(tiles))
            tiles = without_lowest(tiles)
            memory[at] = int(memory[at]) & ~parts


@kernel
def spread(s, memory, of: int, count: int) -> None:
    """Search from the first `count` tiles of the queue, which have 1 as their steps, and number the others."""
    k = 0
    while k < count:
        a = int(memory[QUEUE + k])
        k += 1
        steps = steps_to(memory, a, of)
        if steps >= FAR:
            return
        ways = int(memory[TILE_KEYS + 2 * a]) >> WAYS_SHIFT & 15
        while ways:
            b = int(s.nb[a, lowest_bit(ways)])
            ways = without_lowest(ways)
            if steps_to(memory, b, of) == 0:
                memory[TILE_KEYS + 2 * b] |= (steps + 1) << of
                memory[QUEUE + count] = b
                count += 1


@kernel
def count_steps(s, memory, stirred: bool) -> None:
    """Bring up to date where explorers stand, and the steps from them and from the Horror."""
    sources = 0
    for m in range(st.MODELS):
        if s.status[m] == st.BOARD:
            sources |= (int(s.at[m]) + 1) << (7 * m)
    if stirred or sources != memory[SOURCES]:
        memory[SOURCES] = sources
        forget(memory, STEPS_MASK << EXPLORER_STEPS | st.EVERYBODY << CREW)
        count = 0
        for m in range(st.MODELS):
            if s.status[m] != st.BOARD:
                continue
            a = int(s.at[m])
            if crew_of(memory, a) == 0:
                memory[TILE_KEYS + 2 * a] |= 1 << EXPLORER_STEPS
                memory[QUEUE + count] = a
                count += 1
            memory[TILE_KEYS + 2 * a] |= 1 << m << CREW
        spread(s, memory, EXPLORER_STEPS, count)
    lair = int(s.h_tile) + 1 if s.h_state == st.PROWLING else 0
    if stirred or lair != memory[LAIR]:
        memory[LAIR] = lair
        forget(memory, STEPS_MASK << HORROR_STEPS)
        if lair:
            memory[TILE_KEYS + 2 * (lair - 1)] |= 1 << HORROR_STEPS
            memory[QUEUE] = lair - 1
            spread(s, memory, HORROR_STEPS, 1)


# -- tiles ---------------------------------------------------------------------------------------------------------


@kernel
def look_key(s, t, a: int, origin: int, current: int, memory) -> int:
    """Pack everything that a tile's row and its cells of the map show, but for its kind."""
    kind = int(s.kind[a])
    marks = int(s.tile_marks[a])
    crew = crew_of(memory, a)
    dark = dark_ends(memory, a)
    vents = unlit_vents(s, t, a)
    key = 1 | place_of(s, origin, a) | vents << VENTS | dark << DARK | int(s.open[a]) << OPEN
    key |= steps_to(memory, a, EXPLORER_STEPS) << STEPS
    loose = int(s.loose[a])
    if kind == st.NEST:
        for item in range(st.ITEMS):
            loose += int(s.nest_pile[item])
    key |= min(loose, ITEMS_SHOWN) << LOOSE
    if crew:
        key |= count_bits(crew) << EXPLORERS
        if crew & current:
            key |= 1 << CURRENT
    elif is_open_to_shadows(s, a, vents + dark):
        key |= 1 << EMERGE
    if s.h_tile == a:
        key |= 1 << HERE
    if s.door[a]:
        key |= 1 << DOOR
    if kind == st.PIT or marks & st.IS_PIT:
        key |= 1 << IS_PIT
    if marks & st.CAVED:
        key |= 1 << IS_CAVED
    if marks & st.SPENT:
        key |= 1 << SPENT
    if s.mine[a] or s.melta[a]:
        key |= 1 << SET
    if t.vents[kind] or kind < st.CORRIDOR or kind >= st.CHAPEL or is_bend(s, a):
        key |= 1 << MARKED
    return key


@kernel
def cell_of(key: int) -> int:
    """Return the cell of the map in which a tile is drawn, or -1."""
    if key >> SAME_FLOOR & 1 == 0:
        return -1
    x = east_of(key) + HALF
    y = HALF - north_of(key)
    return y * WINDOW + x if 0 <= x and x < WINDOW and 0 <= y and y < WINDOW else -1


@kernel
def clear_cell(key: int, out) -> None:
    """Take a tile off the map."""
    cell = cell_of(key)
    if cell >= 0:
        planes = PLAIN_PLANES if key & ~PLAIN == 0 else PLANES
        for plane in range(planes):
            out[MAP_AT + plane * CELLS + cell] = 0


@kernel
def clear_tile(a: int, key: int, out) -> None:
    """Write a tile that is not on the board any more."""
    clear_cell(key, out)
    at = TILES_AT + a * TILE_WIDTH
    for column in range(TILE_WIDTH):
        if column != KIND_COLUMN:
            out[at + column] = 0


@kernel
def fill_tile(a: int, key: int, out) -> None:
    """Write the row of a tile on the board, but for its kind."""
    at = TILES_AT + a * TILE_WIDTH
    out[at] = 1
    write_place(key, out, at + 1)
    out[at + 3] = key >> SAME_FLOOR & 1
    out[at + 5] = (key >> VENTS & 7) / st.VENTS
    out[at + 6] = (key >> DARK & 7) / 4
    out[at + 7] = (key >> EXPLORERS & 7) / st.MODELS
    out[at + 8] = (key >> IS_PIT | key >> IS_CAVED) & 1
    steps = key >> STEPS & 31
    out[at + 9] = (steps - 1) / AWAY if steps > 0 else MOST
    out[at + 10] = key >> EMERGE & 1
    out[at + 11] = key >> HERE & 1


@kernel
def fill_cell(s, t, a: int, key: int, out) -> None:
    """Draw a tile into the planes of the map, which are clear there."""
    cell = cell_of(key)
    if cell < 0:
        return
    at = MAP_AT + cell
    kind = int(s.kind[a])
    out[at] = 1
    for d in range(4):
        out[at + (1 + d) * CELLS] = key >> (OPEN + d) & 1
    if key & ~PLAIN == 0:
        return
    vents = key >> VENTS & 7
    out[at + 5 * CELLS] = key >> DOOR & 1
    out[at + 6 * CELLS] = 1 if key >> DARK & 7 else 0
    out[at + 7 * CELLS] = vents / st.VENTS
    out[at + 8 * CELLS] = (int(t.vents[kind]) - vents) / st.VENTS
    out[at + 9 * CELLS] = key >> IS_PIT & 1
    out[at + 10 * CELLS] = key >> IS_CAVED & 1
    out[at + 11 * CELLS] = 1 if is_bend(s, a) else 0
    if kind == st.BEACON_ROOM:
        out[at + 12 * CELLS] = 1
    elif kind == st.NEST:
        out[at + 13 * CELLS] = 1
    elif kind == st.SHUTTLE:
        out[at + 14 * CELLS] = 1
    elif kind == st.MARINE_ARMOURY or kind == st.RANSACKED:
        out[at + 15 * CELLS] = 1 - (key >> SPENT & 1)
    elif kind == st.MASSACRE or kind >= st.CHAPEL:
        out[at + 16 * CELLS] = 1
    out[at + 17 * CELLS] = (key >> LOOSE & 15) / ITEMS_SHOWN
    out[at + 18 * CELLS] = (key >> EXPLORERS & 7) / st.MODELS
    out[at + 19 * CELLS] = key >> CURRENT & 1
    out[at + 20 * CELLS] = key >> HERE & 1
    out[at + 21 * CELLS] = key >> SET & 1


@kernel
def fill_tiles(s, t, origin: int, out, memory) -> None:
    """Write the tiles on the board whose keys are not those of the last time: first all are taken off the map."""
    current = 0
    if s.cur >= 0:
        current = 1 << int(s.cur)
    elif s.sel >= 0:
        current = 1 << int(s.sel)
    count = 0
    for half in range(2):
        tiles = int(memory[ON_BOARD_SET + half])
        while tiles:
            a = half * HALF_SET + lowest_bit(tiles)
            tiles = without_lowest(tiles)
            key = look_key(s, t, a, origin, current, memory)
            before = int(memory[TILE_KEYS + 2 * a + 1])
            if key != before:
                clear_cell(before, out)
                memory[TILE_KEYS + 2 * a + 1] = key
                memory[QUEUE + count] = a
                count += 1
    for k in range(count):
        a = int(memory[QUEUE + k])
        key = int(memory[TILE_KEYS + 2 * a + 1])
        fill_tile(a, key, out)
        fill_cell(s, t, a, key, out)


@kernel
def begin_tiles(s, out) -> None:
    """Write what no row of a tile ever changes: the kinds."""
    for a in range(int(s.n_tiles)):
        out[TILES_AT + a * TILE_WIDTH + KIND_COLUMN] = s.kind[a] / (st.KINDS - 1)
