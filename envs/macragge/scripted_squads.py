"""What the hand-written Ultramarines of missions 3 to 6 shoot at, when they stand, and where they march.

In mission 5 there is time: they stand, shoot the node from afar and the broods as they come, and march when it is
quiet. In mission 6 there is none: they run, for the node with the core, then for the beacon.
"""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.beacon import ABOARD, LAST_TURN, touches_beacon
from broodmind.envs.macragge.rules.board import alive
from broodmind.envs.macragge.rules.contact import CONTACT, NOBODY, distance_to_group, in_cover
from broodmind.envs.macragge.rules.geometry import apart, square
from broodmind.envs.macragge.rules.volley import shots_at

GOAL_X, GOAL_Y = 92, 48
"""What the squad of mission 5 makes for: the rendezvous."""
DETOUR = 24
DETOUR_END = 6
"""A squad without the core passes the node this far to the side, until this far beyond it."""
NODE_WEST, NODE_ASIDE = 18, 10
"""Mission 6: the squad with the core passes the large wreck west of the node this far aside."""
CHARGE_AT = 17 * 17
"""Squared distance from the node within which it may be charged."""
THREAT = 26
"""A brood this near can move and charge into contact in its next turn."""
WAIT_FOR = 50
"""Mission 5: a brood this near is in range of standing bolters, so the squad lets it come."""
NODE_RANGE = 52
"""Mission 5: distance from the node within which standing bolters wound it."""
PICK_UP_FROM = 26
"""Mission 6: who is this near the beacon can be in reach of the Thunderhawk a move later."""
NODE_PRICE = 6.0
"""Mission 5: what a wound of the node is worth, in Termagants: it makes more of them every turn."""


@kernel
def distance_of_units(s, unit: int, group: int) -> int:
    """Return the squared distance from the nearest model of a unit to a group."""
    best = NOBODY
    for slot in range(st.FIRST_MINE):
        m = s.models[slot]
        if alive(s, slot) and m.group == unit:
            best = min(best, distance_to_group(s, group, int(m.x), int(m.y)))
    return best


@kernel
def nearest_unit(s, unit: int) -> int:
    """Return the squared distance from a squad to the nearest brood that can come at it: nests stay."""
    best = NOBODY
    for group in range(st.FIRST_GENESTEALER_UNIT, st.GROUP_GENESTEALER_NEST):
        if s.groups[group].living > 0:
            best = min(best, distance_of_units(s, unit, group))
    return best


# -- shooting ------------------------------------------------------------------------------------------------------


@kernel
def distance_to_us(s, group: int) -> int:
    """Return the squared distance from a brood to the nearest squad."""
    return min(distance_of_units(s, group, st.GROUP_OCTAVIAN), distance_of_units(s, group, st.GROUP_ATREUS))


@kernel
def expected_kills(s, t, unit: int, group: int) -> float:
    """Return how many models, or wounds of the node, a squad may expect to take with its volley."""
    chance = 1.0 / 3.0
    if group == st.GROUP_NODE:
        chance = 1.0 / 9.0
    elif group < st.UNITS and s.groups[group].kind == st.GROUP_TERMAGANTS:
        chance = 4.0 / 9.0
    kills = 0.0
    for slot in range(st.FIRST_GENESTEALER):
        m = s.models[slot]
        if alive(s, slot) and m.group == unit:
            shots = chance * shots_at(s, t, slot, group)
            if m.kind == st.KIND_MISSILE and group == st.GROUP_NODE:
                shots *= 4.0  # krak wounds the node on 3+, bolts on 6
            elif m.kind == st.KIND_MISSILE or m.kind == st.KIND_FLAMER:
                shots *= 1.5  # may touch several
            kills += shots
    if group >= st.UNITS:
        return kills
    covered = 0
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        if alive(s, slot) and s.models[slot].group == group and in_cover(s, slot):
            covered += 1
    living = int(s.groups[group].living)
    return min(kills * (1.0 - covered / (3.0 * living)), float(living))


@kernel
def worth_of_volley(s, t, unit: int, group: int) -> float:
    """Return what a squad's fire at a group is worth (0: nothing): what dies, dearer if it could reach us next turn.

    In missions 3 and 4 the nearest is worth most: it is upon us first, and counting what dies does no better.
    """
    d2 = distance_of_units(s, unit, group)
    if s.core.mission <= st.XENO_TIDE:
        return 1.0 / (1.0 + d2)
    price = 1.0
    if group == st.GROUP_NODE:
        price = NODE_PRICE if s.core.mission == st.REINFORCEMENTS else 0.0
    elif group >= st.FIRST_MINE_GROUP:
        price = 0.0  # markers return mines as fast as they are shot
    elif s.groups[group].kind == st.GROUP_GENESTEALERS:
        price = 2.0
    if group < st.GROUP_GENESTEALER_NEST and distance_to_us(s, group) <= THREAT * THREAT:
        price *= 3.0
    return price * expected_kills(s, t, unit, group) / (1.0 + 1e-6 * d2)


# -- marching ------------------------------------------------------------------------------------------------------


@kernel
def leader_of_squad(s) -> int:
    """Return the mover that leads the squad in hand: who has the core, else the middle one, so that all arrive."""
    x = 0
    y = 0
    count = int(s.mover_count)
    for k in range(count):
        if s.movers[k] == s.core_carrier:
            return k
        x += int(s.models[s.movers[k]].x)
        y += int(s.models[s.movers[k]].y)
    lead = 0
    best = NOBODY
    for k in range(count):
        m = s.models[s.movers[k]]
        d2 = square(count * int(m.x), count * int(m.y), x, y)
        if d2 < best:
            best = d2
            lead = k
    return lead


@kernel
def carries_core(s, unit: int) -> bool:
    """Say whether a unit has the fusion core, with a node to drop it into."""
    slot = int(s.core_carrier)
    if s.core.mission != st.PURGE_THE_XENOS or slot < 0 or s.pieces[st.PIECE_NODE].kind == st.PIECE_NONE:
        return False
    return s.models[slot].group == unit


@kernel
def holds_fire(s, unit: int) -> bool:
    """Say whether a squad had better not shoot: it is about to drop the core, which one that has shot may not."""
    if not carries_core(s, unit):
        return False
    return distance_of_units(s, unit, st.GROUP_NODE) <= CHARGE_AT


@kernel
def is_at_beacon(s) -> bool:
    """Say whether the squad in hand should stay: one touches the beacon, or all are in reach of the Thunderhawk."""
    beacon = s.pieces[st.PIECE_BEACON]
    inside = 0
    for k in range(int(s.mover_count)):
        d2 = apart(s.models[s.movers[k]], beacon)
        if d2 <= CONTACT:
            return True
        if d2 <= ABOARD:
            inside += 1
    touched = False
    for slot in range(st.FIRST_GENESTEALER):
        touched = touched or touches_beacon(s, slot)
    return touched and inside == s.mover_count


@kernel
def wants_pick_up(s) -> bool:
    """Say whether to call the Thunderhawk: once everyone can be in its reach a move later, else as late as it goes."""
    if s.core.turn >= LAST_TURN - 1:
        return True
    for slot in range(st.FIRST_GENESTEALER):
        m = s.models[slot]
        if alive(s, slot) and apart(m, s.pieces[st.PIECE_BEACON]) > PICK_UP_FROM * PICK_UP_FROM:
            return False
    return True


@kernel
def stands(s) -> bool:
    """Say whether the squad in hand stays where it is, to shoot at its best or to be picked up."""
    if s.core.mission == st.PURGE_THE_XENOS:
        return is_at_beacon(s)
    if nearest_unit(s, int(s.unit)) <= WAIT_FOR * WAIT_FOR:
        return True
    node = s.pieces[st.PIECE_NODE]
    if node.hp <= 0:
        return False
    for k in range(int(s.mover_count)):
        if apart(s.models[s.movers[k]], node) > NODE_RANGE * NODE_RANGE:
            return False
    return True


@kernel
def goal_of_squad(s, m) -> tuple[int, int]:
    """Return the point that the lead of a squad makes for: the node with the core, else round it to the far edge."""
    node = s.pieces[st.PIECE_NODE]
    x = int(m.x)
    y = int(m.y)
    side = 1 if y >= int(node.y) else -1
    if carries_core(s, int(s.unit)):
        if x < int(node.x) - NODE_WEST and abs(y - int(node.y)) < NODE_ASIDE + 4:
            return int(node.x) - NODE_WEST + 2, int(node.y) + side * NODE_ASIDE
        return int(node.x), int(node.y) + side * 5
    if s.core.mission == st.REINFORCEMENTS and node.hp > 0:
        return int(node.x), int(node.y)  # only until it is in range: `stands`
    if node.kind != st.PIECE_NONE and x < int(node.x) + DETOUR_END:
        if s.core.mission == st.PURGE_THE_XENOS:
            side = 1 if y >= 48 else -1
            row = min(max(y, 8), 88)
            if abs(row - int(node.y)) < DETOUR:
                row = min(max(int(node.y) + side * DETOUR, 8), 88)
            return min(x + 24, int(node.x) + DETOUR_END + 4), row
        return int(node.x) + DETOUR_END + 4, int(node.y) + (DETOUR if node.y < 48 else -DETOUR)
    if s.core.mission == st.PURGE_THE_XENOS:
        return int(s.pieces[st.PIECE_BEACON].x), int(s.pieces[st.PIECE_BEACON].y)
    return GOAL_X, GOAL_Y
