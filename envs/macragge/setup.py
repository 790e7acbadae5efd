"""Putting the pieces on the board: the `standard` and `random` layouts of each mission (ledger section 3)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import d6, uniform
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.placing import (
    TRIES,
    WRECK_RADIUS,
    between,
    clear,
    enrol,
    is_free,
    muster,
    muster_in,
    place_piece,
    place_wreck,
    scatter_wreck,
)
from broodmind.envs.macragge.rules.geometry import square, touches
from broodmind.envs.macragge.setup_core import place_projectors, scatter_core_mission
from broodmind.envs.macragge.setup_node import place_beacon, place_node, scatter_purge, scatter_reinforcements
from broodmind.envs.macragge.tables import CONTACT_SPOTS, DESTS

WRECKS = 5
RESTARTS = 50
BROOD = 10
FEWEST_TERMAGANTS = 4
"""Mission 5 begins with four Termagants and a D6 more (MAC-M5.1), which alone reads the dice queue (B17)."""
RENDEZVOUS_X, RENDEZVOUS_Y = 96, 48
ZONE_DEPTH = 12
ZONE_HALF_WIDTH = 12
MARKER_NEAR, MARKER_FAR = 25, 121
"""A marker is within 3 inches of its wreck, not on it: 25 <= d2 <= (6 + 5)^2."""
VARRAS_FAR = 29 * 29
"""Varras of mission 2 is within 12 inches of the cockpit: d2 <= (24 + 5)^2."""


# -- standard ------------------------------------------------------------------------------------------------------


@kernel
def first_unit(s, slot: int) -> int:
    """Return the unit that a Genestealer or Termagant begins in: mission 4 has two of three Genestealers."""
    if slot >= st.FIRST_TERMAGANT:
        return st.FIRST_TERMAGANT_UNIT
    second = s.core.mission == st.XENO_TIDE and slot >= st.FIRST_GENESTEALER + 3
    return st.FIRST_GENESTEALER_UNIT + (1 if second else 0)


@kernel
def set_up_standard(s, t, brood: int) -> None:
    """Set the mission up at the ledger's coordinates, with the first `brood` Termagants."""
    mission = int(s.core.mission)
    for k in range(4):
        s.exit_rect[k] = t.layout_exit[mission, k]
    for k in range(WRECKS):
        w = t.layout_wreck[mission, k]
        if w[2] > 0:
            place_wreck(s, k, w[0], w[1], w[2])
    if mission == st.FUSION_CORE:
        place_projectors(s)
    if t.layout_node[mission, 0] > 0:
        place_node(s, t.layout_node[mission, 0], t.layout_node[mission, 1])
    if mission == st.PURGE_THE_XENOS:
        place_beacon(s, t)
    for k in range(3):
        if t.layout_marker[mission, k, 0] == 0:
            continue
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
        if t.layout_x[mission, slot] < 0:
            continue
        if slot <= st.LAST_TERMAGANT and slot >= st.FIRST_TERMAGANT + brood:
            continue
        if st.FIRST_GENESTEALER <= slot and slot < st.FIRST_MINE:
            muster_in(s, slot, first_unit(s, slot), t.layout_x[mission, slot], t.layout_y[mission, slot])
        else:
            muster(s, slot, t.layout_x[mission, slot], t.layout_y[mission, slot])


# -- random --------------------------------------------------------------------------------------------------------


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
def try_random(s, t, brood: int) -> bool:
    """Try once to set the mission up at random; False leaves the record half done."""
    if s.core.mission == st.FUSION_CORE or s.core.mission == st.XENO_TIDE:
        return scatter_core_mission(s, t)
    if s.core.mission == st.REINFORCEMENTS:
        return scatter_reinforcements(s, t, brood)
    if s.core.mission == st.PURGE_THE_XENOS:
        return scatter_purge(s, t)
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
    brood = BROOD
    if s.core.mission == st.REINFORCEMENTS:
        brood = FEWEST_TERMAGANTS + d6(s.core)
    if s.core.layout == st.LAYOUT_RANDOM:
        for _ in range(RESTARTS):
            clear(s)
            enrol(s, t)
            if try_random(s, t, brood):
                begin_mission(s)
                return
    clear(s)
    enrol(s, t)
    set_up_standard(s, t, brood)
    begin_mission(s)


@kernel
def begin_mission(s) -> None:
    """Set what a mission begins with besides models and pieces."""
    if s.core.mission == st.FUSION_CORE or s.core.mission == st.XENO_TIDE:
        s.fusion_core = st.CORE_IN_WRECK
        s.field = 1 if s.core.mission == st.FUSION_CORE else 0
    elif s.core.mission == st.REINFORCEMENTS:
        s.rendezvous[0] = RENDEZVOUS_X
        s.rendezvous[1] = RENDEZVOUS_Y
        s.rendezvous[2] = 1
