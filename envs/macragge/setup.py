"""Putting the pieces on the board: the `standard` and `random` layouts of each mission (ledger section 3)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import uniform
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import put
from broodmind.envs.macragge.rules.geometry import on_table, square, touches
from broodmind.envs.macragge.tables import CONTACT_SPOTS, DESTS

WRECKS = 5
WRECK_RADIUS = 4
RESTARTS = 50
TRIES = 64
WRECK_SPACING = 32 * 32
"""Wrecks stand more than 12 inches apart: d2 > (24 + 8)^2."""
ZONE_DEPTH = 12
ZONE_HALF_WIDTH = 12
MARKER_NEAR, MARKER_FAR = 25, 121
"""A marker is within 3 inches of its wreck, not on it: 25 <= d2 <= (6 + 5)^2."""
VARRAS_FAR = 29 * 29
"""Varras of mission 2 is within 12 inches of the cockpit: d2 <= (24 + 5)^2."""


@kernel
def clear(s) -> None:
    """Empty the record, all but its core."""
    for slot in range(st.MODELS):
        m = s.models[slot]
        m.x = 0
        m.y = 0
        m.start_x = 0
        m.start_y = 0
        m.plan_x = 0
        m.plan_y = 0
        m.kind = 0
        m.status = st.STATUS_OUT
        m.group = -1
        m.mine_type = 0
        m.aim = -1
        m.attacks = 0
        m.marks = 0
    for group in range(st.STORED_GROUPS):
        g = s.groups[group]
        g.kind = st.GROUP_NONE
        g.living = 0
        g.marks = 0
        g.allowance = 0
    for k in range(st.PIECES):
        p = s.pieces[k]
        p.kind = st.PIECE_NONE
        p.x = 0
        p.y = 0
        p.r = 0
        p.hp = 0
        p.marks = 0
    for k in range(4):
        s.exit_rect[k] = 0
    for k in range(3):
        s.rendezvous[k] = 0
    for k in range(8):
        s.detonations[k] = 0
    for k in range(12):
        frame = s.frames[k]
        frame.op = 0
        frame.a = 0
        frame.b = 0
        frame.c = 0
    for k in range(st.MAX_UNIT):
        s.movers[k] = 0
        for w in range(st.CELL_WORDS):
            s.cells[k, w] = 0
    s.step = 0
    s.phase = st.NO_DECISION
    s.unit = -1
    s.model = -1
    s.target = -1
    s.shooter = -1
    s.allowance = 0
    s.crossing = 0
    s.die = 0
    s.wounds = 0
    s.squad = -1
    s.cursor = 0
    s.kills = 0
    s.fusion_core = st.CORE_NONE
    s.core_carrier = -1
    s.core_timer = 0
    s.varras_carrier = -1
    s.field = 0
    s.thunderhawk = st.THUNDERHAWK_NONE
    s.mover_count = 0
    s.mover_index = 0
    s.detonation_head = 0
    s.detonation_tail = 0
    s.frame_count = 0
    s.active = st.ULTRAMARINES


@kernel
def kind_of_slot(slot: int) -> int:
    """Return what stands in a slot."""
    if slot <= st.FLAMER:
        return slot  # Varras, Octavian, flamer
    if slot == st.MISSILE:
        return st.KIND_MISSILE
    if slot < st.FIRST_GENESTEALER:
        return st.KIND_BOLTER
    if slot <= st.LAST_GENESTEALER:
        return st.KIND_GENESTEALER
    return st.KIND_TERMAGANT if slot <= st.LAST_TERMAGANT else st.KIND_MINE


@kernel
def mine_type(s, slot: int) -> int:
    """Return the type of a mine: all are explosive in missions 1 and 2."""
    if s.core.mission <= st.RESCUE_VARRAS or slot <= 29:
        return st.MINE_EXPLOSIVE
    return st.MINE_ACID if slot <= 32 else st.MINE_POISON


@kernel
def enrol(s, t) -> None:
    """Give the models of the mission their kinds and groups."""
    mission = int(s.core.mission)
    for slot in range(st.MODELS):
        if t.roster[mission, slot] == 0:
            continue
        m = s.models[slot]
        m.kind = kind_of_slot(slot)
        if slot == st.VARRAS:
            m.group = st.GROUP_VARRAS
        elif slot < st.MISSILE:
            m.group = st.GROUP_OCTAVIAN
        elif slot < st.FIRST_GENESTEALER:
            m.group = st.GROUP_ATREUS
        elif slot >= st.FIRST_MINE:
            m.group = st.FIRST_MINE_GROUP + slot - st.FIRST_MINE
            m.mine_type = mine_type(s, slot)
        s.groups[m.group].kind = st.GROUP_ULTRAMARINES if slot < st.FIRST_GENESTEALER else st.GROUP_MINE


@kernel
def muster(s, slot: int, x: int, y: int) -> None:
    """Put a model of the roster on the table and count it in its group."""
    put(s, slot, x, y)
    g = s.groups[s.models[slot].group]
    g.living = int(g.living) + 1


@kernel
def place_piece(s, k: int, kind: int, x: int, y: int, r: int, flags: int) -> None:
    """Put a piece on the table."""
    p = s.pieces[k]
    p.kind = kind
    p.x = x
    p.y = y
    p.r = r
    p.hp = 1 if kind == st.PIECE_MARKER else 0
    p.marks = flags
    if kind == st.PIECE_MARKER:
        g = s.groups[st.FIRST_MARKER_GROUP + k - st.FIRST_MARKER]
        g.kind = st.GROUP_MARKER
        g.living = 1


@kernel
def place_wreck(s, k: int, x: int, y: int, r: int) -> None:
    """Put wreck `k` on the table; in missions 1 to 4 wreck 0 is the cockpit and wreck 1 holds the core."""
    flags = 0
    if s.core.mission <= st.XENO_TIDE:
        if k == 0:
            flags = st.PIECE_COCKPIT
        elif k == 1:
            flags = st.PIECE_CORE
    place_piece(s, st.FIRST_WRECK + k, st.PIECE_WRECK, x, y, r, flags)


# -- standard ------------------------------------------------------------------------------------------------------


@kernel
def set_up_standard(s, t) -> None:
    """Set the mission up at the ledger's coordinates."""
    mission = int(s.core.mission)
    for k in range(4):
        s.exit_rect[k] = t.layout_exit[mission, k]
    for k in range(WRECKS):
        w = t.layout_wreck[mission, k]
        place_wreck(s, k, w[0], w[1], w[2])
    for k in range(3):
        place_piece(
            s,
            st.FIRST_MARKER + k,
            st.PIECE_MARKER,
            t.layout_marker[mission, k, 0],
            t.layout_marker[mission, k, 1],
            1,
            0,
        )
    for slot in range(st.MODELS):
        if t.layout_x[mission, slot] >= 0:
            muster(s, slot, t.layout_x[mission, slot], t.layout_y[mission, slot])


# -- random --------------------------------------------------------------------------------------------------------


@kernel
def between(s, low: int, high: int) -> int:
    """Draw an integer low..high from the generator (layouts never read the dice queue, MAC-B17)."""
    return low + uniform(s.core, high - low + 1)


@kernel
def far_from_wrecks(s, count: int, x: int, y: int) -> bool:
    """Say whether a wreck there would be more than 12 inches from the first `count` wrecks."""
    for k in range(count):
        p = s.pieces[st.FIRST_WRECK + k]
        if square(int(p.x), int(p.y), x, y) <= WRECK_SPACING:
            return False
    return True


@kernel
def scatter_wreck(s, k: int, west: int, east: int, south: int, north: int) -> bool:
    """Place wreck `k` at random in a box, more than 12 inches from the earlier ones; False if no try succeeds."""
    for _ in range(TRIES):
        x = between(s, west, east)
        y = between(s, south, north)
        if far_from_wrecks(s, k, x, y):
            place_wreck(s, k, x, y, WRECK_RADIUS)
            return True
    return False


@kernel
def is_free(s, x: int, y: int) -> bool:
    """Say whether a base there overlaps nothing: no model, no piece."""
    if not on_table(x, y):
        return False
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and square(int(m.x), int(m.y), x, y) < 4:
            return False
    for k in range(st.PIECES):
        p = s.pieces[k]
        radii = int(p.r) + 1
        if p.kind != st.PIECE_NONE and square(int(p.x), int(p.y), x, y) < radii * radii:
            return False
    return True


@kernel
def touches_mine(s, x: int, y: int) -> bool:
    """Say whether a base there is in contact with a mine, which would have detonated (MAC-B51)."""
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and touches(square(int(m.x), int(m.y), x, y), 2):
            return True
    return False


@kernel
def clear_of_zone(s, x: int, y: int) -> bool:
    """Say whether a base there stays out of the exit zone."""
    return (
        x + 1 <= s.exit_rect[0]
        or x - 1 >= s.exit_rect[2]
        or y + 1 <= s.exit_rect[1]
        or y - 1 >= s.exit_rect[3]
    )


@kernel
def scatter_marker(s, t, k: int, wreck: int) -> bool:
    """Place marker `k` within 3 inches of a wreck, on none, with its mine in contact; False if no try succeeds."""
    w = s.pieces[st.FIRST_WRECK + wreck]
    for _ in range(TRIES):
        cell = uniform(s.core, DESTS)
        dx = t.dest_x[cell]
        dy = t.dest_y[cell]
        length2 = dx * dx + dy * dy
        if length2 < MARKER_NEAR or length2 > MARKER_FAR:
            continue
        x = int(w.x) + dx
        y = int(w.y) + dy
        if x < 3 or x > 82 or y < 3 or y > 93 or not is_free(s, x, y):
            continue
        place_piece(s, st.FIRST_MARKER + k, st.PIECE_MARKER, x, y, 1, 0)
        return scatter_at_contact(s, t, st.FIRST_MINE + k, x, y)
    return False


@kernel
def scatter_at_contact(s, t, slot: int, x: int, y: int) -> bool:
    """Put a mine at a random free contact spot of a base, outside the exit zone; False if there is none."""
    spots = np.zeros(CONTACT_SPOTS, np.int64)
    count = 0
    for k in range(CONTACT_SPOTS):
        if is_free(s, x + t.contact_x[k], y + t.contact_y[k]) and clear_of_zone(
            s, x + t.contact_x[k], y + t.contact_y[k]
        ):
            spots[count] = k
            count += 1
    if count == 0:
        return False
    k = spots[uniform(s.core, count)]
    muster(s, slot, x + t.contact_x[k], y + t.contact_y[k])
    return True


@kernel
def scatter_terrain(s, t) -> bool:
    """Place the terrain that missions 1 to 4 share: wrecks, exit zone, markers with their mines."""
    if not scatter_wreck(s, 0, 6, 6, 16, 80):
        return False
    centre = between(s, ZONE_HALF_WIDTH, 96 - ZONE_HALF_WIDTH)
    s.exit_rect[0] = 96 - ZONE_DEPTH
    s.exit_rect[1] = centre - ZONE_HALF_WIDTH
    s.exit_rect[2] = 96
    s.exit_rect[3] = centre + ZONE_HALF_WIDTH
    if not scatter_wreck(s, 1, 18, 18, 10, 86):
        return False
    for k in range(2, WRECKS):
        if not scatter_wreck(s, k, 12, 76, 6, 90):
            return False
    left_out = 1 + uniform(s.core, 4)
    k = 0
    for wreck in range(1, WRECKS):
        if wreck != left_out:
            if not scatter_marker(s, t, k, wreck):
                return False
            k += 1
    return True


@kernel
def scatter_varras(s, t) -> bool:
    """Place Varras of mission 2 within 12 inches of the cockpit, and the mine 1 inch from him."""
    w = s.pieces[st.FIRST_WRECK]
    for _ in range(4 * TRIES):
        x = between(s, max(1, int(w.x) - 29), int(w.x) + 29)
        y = between(s, max(1, int(w.y) - 29), min(95, int(w.y) + 29))
        d2 = square(int(w.x), int(w.y), x, y)
        if d2 > VARRAS_FAR or not is_free(s, x, y) or touches_mine(s, x, y):
            continue
        sides = np.zeros(4, np.int64)
        count = 0
        for k in range(4):
            if is_free(s, x + 4 * t.unit_x[4 * k] // 1000, y + 4 * t.unit_y[4 * k] // 1000):
                sides[count] = k
                count += 1
        if count == 0:
            continue
        k = sides[uniform(s.core, count)]
        muster(s, st.VARRAS, x, y)
        muster(s, st.FIRST_MINE + 3, x + 4 * t.unit_x[4 * k] // 1000, y + 4 * t.unit_y[4 * k] // 1000)
        return True
    return False


@kernel
def land_squad(s, t) -> None:
    """Set Squad Octavian down in the zone: the standard formation, shifted as a whole."""
    mission = int(s.core.mission)
    centre = (int(s.exit_rect[1]) + int(s.exit_rect[3])) // 2
    dx = between(s, -1, 5)
    dy = between(s, -8, 8) + centre - 48
    for slot in range(st.OCTAVIAN, st.MISSILE):
        muster(s, slot, t.layout_x[mission, slot] + dx, t.layout_y[mission, slot] + dy)


@kernel
def try_random(s, t) -> bool:
    """Try once to set the mission up at random; False leaves the record half done."""
    if not scatter_terrain(s, t):
        return False
    if s.core.mission == st.CRASH_SITE:
        w = s.pieces[st.FIRST_WRECK]
        x = int(w.x) + WRECK_RADIUS + 1
        if not is_free(s, x, int(w.y)):
            return False
        muster(s, st.VARRAS, x, int(w.y))
        return True
    if not scatter_varras(s, t):
        return False
    land_squad(s, t)
    return True


@kernel
def set_up(s, t) -> None:
    """Set up the mission that ``core`` names, in its layout; after 50 failed tries at random, the standard one."""
    if s.core.layout == st.LAYOUT_RANDOM:
        for _ in range(RESTARTS):
            clear(s)
            enrol(s, t)
            if try_random(s, t):
                return
    clear(s)
    enrol(s, t)
    set_up_standard(s, t)
