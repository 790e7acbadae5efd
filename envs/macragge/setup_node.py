"""The layouts of missions 5 and 6, round the hive node (ledger section 3)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import uniform
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.placing import (
    TRIES,
    WRECK_RADIUS,
    between,
    is_free,
    muster,
    muster_in,
    place_piece,
    place_wreck,
)
from broodmind.envs.macragge.rules.geometry import square, touches, within_inches
from broodmind.envs.macragge.rules.moving import nearest_ultramarine
from broodmind.envs.macragge.rules.node import WOUNDS
from broodmind.envs.macragge.tables import CONTACT_SPOTS, DESTS

MARKER_CLEAR = 26 * 26
"""Markers of mission 6 are 12 inches or more from Space Marines."""
LARGE_WRECK = 6
NODE_RADIUS = 4
CLEAR_INCHES = 6
"""The two other wrecks stand more than this far from the node and the beacon's spot."""
EAST = 96
BEACON_X, BEACON_Y = 95, 48


@kernel
def place_node(s, x: int, y: int) -> None:
    """Put the hive node on the table, unwounded."""
    place_piece(s, st.PIECE_NODE, st.PIECE_HIVE_NODE, x, y, NODE_RADIUS, 0)
    s.pieces[st.PIECE_NODE].hp = WOUNDS


@kernel
def may_place_wreck(s, k: int, x: int, y: int) -> bool:
    """Say whether wreck `k` may stand there: clear of the node, the beacon's spot and the wrecks before it."""
    node = s.pieces[st.PIECE_NODE]
    if within_inches(square(int(node.x), int(node.y), x, y), CLEAR_INCHES, 2 * WRECK_RADIUS):
        return False
    if within_inches(square(BEACON_X, BEACON_Y, x, y), CLEAR_INCHES, 1 + WRECK_RADIUS):
        return False
    for other in range(k):
        w = s.pieces[st.FIRST_WRECK + other]
        radii = int(w.r) + WRECK_RADIUS
        if square(int(w.x), int(w.y), x, y) < radii * radii:
            return False
    return True


@kernel
def scatter_node_terrain(s, t, centre: int) -> bool:
    """Place the large wreck, the node on the row `centre`, and two more wrecks at random."""
    mission = int(s.core.mission)
    place_wreck(s, 0, t.layout_wreck[mission, 0, 0], centre, LARGE_WRECK)
    place_node(s, t.layout_node[mission, 0], centre)
    for k in range(1, 3):
        placed = False
        for _ in range(TRIES):
            x = between(s, 30, 84)
            y = between(s, 6, 90)
            if may_place_wreck(s, k, x, y):
                place_wreck(s, k, x, y, WRECK_RADIUS)
                placed = True
                break
        if not placed:
            return False
    return True


@kernel
def scatter_reinforcements(s, t, brood: int) -> bool:
    """Try once to set mission 5 up at random, with `brood` Termagants; False leaves the record half done."""
    mission = int(s.core.mission)
    centre = between(s, 30, 66)
    if not scatter_node_terrain(s, t, centre):
        return False
    shift = centre - t.layout_node[mission, 1]
    for slot in range(st.MISSILE, st.FIRST_GENESTEALER):
        muster(s, slot, t.layout_x[mission, slot], t.layout_y[mission, slot] + shift)
    for slot in range(st.FIRST_TERMAGANT, st.FIRST_TERMAGANT + brood):
        x = t.layout_x[mission, slot]
        muster_in(s, slot, st.FIRST_TERMAGANT_UNIT, x, t.layout_y[mission, slot] + shift)
    return True


@kernel
def place_beacon(s, t) -> None:
    """Put the locator beacon in the middle of the east edge."""
    mission = int(s.core.mission)
    x = t.layout_beacon[mission, 0]
    place_piece(s, st.PIECE_BEACON, st.PIECE_LOCATOR_BEACON, x, t.layout_beacon[mission, 1], 1, 0)


@kernel
def scatter_marker_at_wreck(s, t, k: int, slot: int) -> bool:
    """Place marker `k` touching a random wreck, 12 inches from all Ultramarines, and a mine touching it."""
    for _ in range(4 * TRIES):
        w = s.pieces[st.FIRST_WRECK + uniform(s.core, 3)]
        cell = uniform(s.core, DESTS)
        x = int(w.x) + t.dest_x[cell]
        y = int(w.y) + t.dest_y[cell]
        if not touches(t.dest_x[cell] ** 2 + t.dest_y[cell] ** 2, 1 + int(w.r)) or not is_free(s, x, y):
            continue
        if nearest_ultramarine(s, x, y) < MARKER_CLEAR:
            continue
        place_piece(s, st.FIRST_MARKER + k, st.PIECE_MARKER, x, y, 1, 0)
        first = uniform(s.core, CONTACT_SPOTS)
        for n in range(CONTACT_SPOTS):
            spot = (first + n) % CONTACT_SPOTS
            mx = x + t.contact_x[spot]
            my = y + t.contact_y[spot]
            if is_free(s, mx, my):
                muster(s, slot, mx, my)
                return True
        return False
    return False


@kernel
def scatter_purge(s, t) -> bool:
    """Try once to set mission 6 up at random; False leaves the record half done."""
    mission = int(s.core.mission)
    centre = between(s, 30, 66)
    if not scatter_node_terrain(s, t, centre):
        return False
    place_beacon(s, t)
    mirrored = uniform(s.core, 2)
    for slot in range(st.FIRST_GENESTEALER):
        y = t.layout_y[mission, slot]
        muster(s, slot, t.layout_x[mission, slot], EAST - y if mirrored else y)
    swapped = uniform(s.core, 2)
    row = t.layout_node[mission, 1]
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        y = t.layout_y[mission, slot] - row
        unit = st.FIRST_GENESTEALER_UNIT if slot <= st.LAST_GENESTEALER else st.FIRST_TERMAGANT_UNIT
        muster_in(s, slot, unit, t.layout_x[mission, slot], centre - y if swapped else centre + y)
    used = 0
    for k in range(3):
        pick = uniform(s.core, 8 - k)
        slot = st.FIRST_MINE
        for other in range(st.FIRST_MINE, st.MODELS):
            if (used >> (other - st.FIRST_MINE)) & 1:
                continue
            if pick == 0:
                slot = other
                break
            pick -= 1
        used |= 1 << (slot - st.FIRST_MINE)
        if not scatter_marker_at_wreck(s, t, k, slot):
            return False
    return True
