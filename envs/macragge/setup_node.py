"""The layouts of mission 5, round the hive node (ledger section 3)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.placing import (
    TRIES,
    WRECK_RADIUS,
    between,
    muster,
    muster_in,
    place_piece,
    place_wreck,
)
from broodmind.envs.macragge.rules.geometry import square, within_inches
from broodmind.envs.macragge.rules.node import WOUNDS

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
