"""Charges: who may charge what, and where each model ends (MAC-B41 to B45, M3.3, M3.6)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import LOSS, alive, finish, roll, stand
from broodmind.envs.macragge.rules.contact import (
    CONTACT,
    NOBODY,
    distance_to_group,
    end_of_enemies,
    first_enemy,
    is_engaged,
    is_locked,
    piece_of_group,
    radii_to_group,
    touches_enemy,
)
from broodmind.envs.macragge.rules.geometry import apart, within_inches
from broodmind.envs.macragge.rules.moving import owner_of_unit, put_down
from broodmind.envs.macragge.rules.obstacles import new_obstacles
from broodmind.envs.macragge.rules.offsets import WORDS, empty, new_cells
from broodmind.envs.macragge.rules.reach import keep_reached
from broodmind.envs.macragge.tables import DESTS, SQ_COHERENT, SQ_ENEMY, WINDOW

INCHES = 6
"""How far a charge carries, and from how far it may be declared (MAC-B41)."""


@entry
def may_be_charged(s, unit: int, group: int) -> bool:
    """Say whether a group is of a kind that a unit may charge: enemy units, and projectors while the field stands."""
    if group < st.UNITS:
        return s.groups[group].living > 0 and owner_of_unit(s, group) != owner_of_unit(s, unit)
    if group == st.GROUP_NODE:  # only to drop the core in (MAC-M6.6)
        carrier = int(s.core_carrier)
        if (
            s.core.mission != st.PURGE_THE_XENOS
            or carrier < 0
            or s.pieces[st.PIECE_NODE].kind == st.PIECE_NONE
        ):
            return False
        return alive(s, carrier) and s.models[carrier].group == unit
    if group >= st.FIRST_PROJECTOR_GROUP and group < st.FIRST_WRECK_GROUP:
        return s.field != 0 and s.pieces[piece_of_group(group)].kind == st.PIECE_PROJECTOR
    return False


@entry
def is_near(s, unit: int, group: int) -> bool:
    """Say whether the nearest model of a unit is within 6 inches of a group's nearest (MAC-B41)."""
    radii = radii_to_group(s, group)
    for slot in range(st.FIRST_MINE):
        m = s.models[slot]
        if not alive(s, slot) or m.group != unit:
            continue
        if within_inches(distance_to_group(s, group, int(m.x), int(m.y)), INCHES, radii):
            return True
    return False


@kernel
def touches_target(s, group: int, x: int, y: int) -> bool:
    """Say whether a base at (x, y) is in contact with a model or the piece of a group."""
    radii = radii_to_group(s, group)
    return distance_to_group(s, group, x, y) <= radii * radii + radii


@kernel
def fill_spots(s, t, slot: int, group: int, obstacles, spots) -> bool:
    """Fill `spots` with the cells in contact with its target that a charging model may end on; says if there is one."""
    m = s.models[slot]
    x = int(m.start_x)
    y = int(m.start_y)
    empty(spots)
    piece = piece_of_group(group)
    if piece < 0 or s.pieces[piece].r == 1:
        for other in range(st.MODELS):
            o = s.models[other]
            if piece < 0 and alive(s, other) and o.group == group:
                add_near(t, SQ_ENEMY, int(o.x) - x, int(o.y) - y, spots)
        if piece >= 0:
            add_near(t, SQ_ENEMY, int(s.pieces[piece].x) - x, int(s.pieces[piece].y) - y, spots)
    else:
        for cell in range(DESTS):
            if touches_target(s, group, x + t.dest_x[cell], y + t.dest_y[cell]):
                spots[cell >> 6] |= np.int64(1) << (cell & 63)
    if not any_cell(spots):
        return False
    keep_reached(s, t, slot, INCHES, True, True, obstacles, spots)
    return any_cell(spots)


@kernel
def any_cell(cells) -> bool:
    """Say whether a set of offsets has any."""
    found = 0
    for w in range(WORDS):
        found |= cells[w]
    return found != 0


@kernel
def add_near(t, sq: int, dx: int, dy: int, cells) -> None:
    """Add the offsets nearer to something at (dx, dy) than a square of ``SQUARES``."""
    if -WINDOW <= dx and dx <= WINDOW and -WINDOW <= dy and dy <= WINDOW:
        for w in range(WORDS):
            cells[w] |= t.within[sq, dx + WINDOW, dy + WINDOW, w]


@kernel
def charges_now(s, slot: int, unit: int, piling_in: bool) -> bool:
    """Say whether a model takes part in its unit's charge; in a pile-in, only those in contact with nobody."""
    return alive(s, slot) and s.models[slot].group == unit and not (piling_in and is_engaged(s, slot))


@kernel
def groups_to_charge(s, unit: int, locked: bool) -> int:
    """Return, as bits, the groups that a unit is near enough to charge, or, if locked, those it touches.

    They are of whatever kind (`may_be_charged`), and whether a model can get there is not asked.
    """
    found = 0
    for slot in range(st.FIRST_MINE):
        m = s.models[slot]
        if not alive(s, slot) or m.group != unit:
            continue
        for other in range(first_enemy(slot), end_of_enemies(slot)):
            o = s.models[other]
            if o.status == st.STATUS_TABLE:
                d2 = apart(m, o)
                if d2 <= CONTACT if locked else within_inches(d2, INCHES, 2):
                    found |= 1 << int(o.group)
        if locked:
            continue
        for k in range(st.PIECE_NODE, st.LAST_PROJECTOR + 1):
            p = s.pieces[k]
            if p.kind != st.PIECE_NONE and within_inches(apart(m, p), INCHES, 1 + int(p.r)):
                found |= 1 << (st.GROUP_NODE + k - st.PIECE_NODE)
    return found


@kernel
def gets_there(s, t, unit: int, group: int, locked: bool) -> bool:
    """Say whether some model of a unit that charges now can reach a spot in contact with a group (MAC-B42)."""
    obstacles = new_obstacles()
    spots = new_cells()
    for slot in range(st.FIRST_MINE):
        if charges_now(s, slot, unit, locked) and fill_spots(s, t, slot, group, obstacles, spots):
            return True
    return False


@kernel
def charges_of(s, t, unit: int, any_will_do: bool) -> int:
    """Return, as bits, the groups that a unit may charge, or, if locked, pile in towards (MAC-B41, B45).

    With `any_will_do` only the first of them.
    """
    locked = is_locked(s, unit)
    near = groups_to_charge(s, unit, locked)
    found = 0
    while near != 0:
        group = lowest_bit(near)
        near = without_lowest(near)
        if may_be_charged(s, unit, group) and gets_there(s, t, unit, group, locked):
            found |= 1 << group
            if any_will_do:
                return found
    return found


@entry
def charges_in_mission(s, unit: int) -> bool:
    """Say whether a unit may charge at all this turn, wherever its enemies stand."""
    g = s.groups[unit]
    if g.living <= 0 or g.marks & st.GROUP_ASSAULTED or owner_of_unit(s, unit) != s.active:
        return False
    if unit <= st.GROUP_ATREUS:
        return s.core.mission >= st.REINFORCEMENTS and g.marks & st.GROUP_SHOT == 0
    return unit <= st.LAST_TERMAGANT_UNIT


@kernel
def may_assault(s, t, unit: int) -> bool:
    """Say whether a unit has a group to charge."""
    return charges_in_mission(s, unit) and charges_of(s, t, unit, True) != 0


@kernel
def any_assault(s, t) -> bool:
    """Say whether the active player has a unit that may charge."""
    for unit in range(st.UNITS):
        if may_assault(s, t, unit):
            return True
    return False


# -- a charge under way --------------------------------------------------------------------------------------------


@kernel
def begin_charge(s, t, log, group: int) -> None:
    """Charge a group with the unit in hand: its models go one by one, nearest first (MAC-B42)."""
    unit = int(s.unit)
    piling_in = is_locked(s, unit)
    s.target = group
    s.groups[unit].marks |= st.GROUP_ASSAULTED
    emit(log, st.EVENT_CHARGED, unit, group)
    count = 0
    for slot in range(st.FIRST_MINE):
        if charges_now(s, slot, unit, piling_in):
            m = s.models[slot]
            m.start_x = m.x
            m.start_y = m.y
            m.plan_x = m.x
            m.plan_y = m.y
            d2 = distance_to_group(s, group, int(m.x), int(m.y))
            at = count
            while at > 0:
                before = s.models[s.movers[at - 1]]
                if group == st.GROUP_NODE and s.movers[at - 1] == s.core_carrier:
                    break  # the core goes first (MAC-B42)
                if group == st.GROUP_NODE and slot == s.core_carrier:
                    s.movers[at] = s.movers[at - 1]
                    at -= 1
                    continue
                if distance_to_group(s, group, int(before.x), int(before.y)) <= d2:
                    break
                s.movers[at] = s.movers[at - 1]
                at -= 1
            s.movers[at] = slot
            count += 1
    s.mover_count = count
    s.mover_index = 0
    next_charger(s, t, log, False)


@kernel
def is_placed(s, slot: int) -> bool:
    """Say whether a model of the charging unit has found its place: moved, or in contact from the start."""
    for k in range(int(s.mover_index), int(s.mover_count)):
        if s.movers[k] == slot:
            return False
    return alive(s, slot) and s.models[slot].group == s.unit


@kernel
def is_pile_in(s) -> bool:
    """Say whether the charge under way is a pile-in: some model of the unit was in contact and does not move."""
    for slot in range(st.FIRST_MINE):
        if not alive(s, slot) or s.models[slot].group != s.unit:
            continue
        moves = False
        for k in range(int(s.mover_count)):
            moves = moves or s.movers[k] == slot
        if not moves:
            return True
    return False


@kernel
def keep_coherent(s, t, slot: int, cells) -> None:
    """Keep only the cells coherent with a placed model of the unit, if there are any such (MAC-B44)."""
    m = s.models[slot]
    kept = new_cells()
    empty(kept)
    for other in range(st.FIRST_MINE):
        o = s.models[other]
        if other != slot and is_placed(s, other):
            add_near(t, SQ_COHERENT, int(o.x) - int(m.start_x), int(o.y) - int(m.start_y), kept)
    for w in range(WORDS):
        kept[w] &= cells[w]
    if any_cell(kept):
        for w in range(WORDS):
            cells[w] = kept[w]


@kernel
def first_cell(cells) -> int:
    """Return the lowest offset of a set: the one nearest to the mover."""
    for cell in range(DESTS):
        if (cells[cell >> 6] >> (cell & 63)) & 1:
            return cell
    return 0


@kernel
def approach_cell(s, t, slot: int, cells) -> int:
    """Return where a mover without a spot goes: the cell nearest the target, touching no enemy (MAC-B44)."""
    m = s.models[slot]
    x = int(m.start_x)
    y = int(m.start_y)
    touching = new_cells()
    empty(touching)
    for other in range(first_enemy(slot), end_of_enemies(slot)):
        if alive(s, other):
            add_near(t, SQ_ENEMY, int(s.models[other].x) - x, int(s.models[other].y) - y, touching)
    touching[0] &= ~1  # it may stay where it is
    best = 0
    best_d2 = NOBODY
    for w in range(WORDS):
        bits = cells[w] & ~touching[w]
        while bits != 0:
            cell = 64 * w + lowest_bit(bits)
            bits = without_lowest(bits)
            d2 = distance_to_group(s, int(s.target), x + t.dest_x[cell], y + t.dest_y[cell])
            if d2 < best_d2:
                best = cell
                best_d2 = d2
    return best


@kernel
def next_charger(s, t, log, auto: bool) -> None:
    """Ask for the next model's spot; those without one, and all of them with AUTO, are placed by the engine."""
    obstacles = new_obstacles()
    reach = new_cells()
    while s.mover_index < s.mover_count:
        k = int(s.mover_index)
        slot = int(s.movers[k])
        if fill_spots(s, t, slot, int(s.target), obstacles, s.cells[k]):
            keep_coherent(s, t, slot, s.cells[k])
            if not auto:
                s.model = slot
                s.phase = st.ASSAULT_CELL
                return
            charge_to(s, t, log, first_cell(s.cells[k]))
        else:
            for w in range(WORDS):
                reach[w] = -1
            keep_reached(s, t, slot, INCHES, True, True, obstacles, reach)
            keep_coherent(s, t, slot, reach)
            charge_to(s, t, log, approach_cell(s, t, slot, reach))
        if s.core.over:
            return
    end_charge(s, t, log)


@kernel
def charge_to(s, t, log, cell: int) -> None:
    """Move the next charging model by an offset; in mission 3 contact with an Ultramarine ends the game (M3.3)."""
    k = int(s.mover_index)
    slot = int(s.movers[k])
    m = s.models[slot]
    x = int(m.x) + t.dest_x[cell]
    y = int(m.y) + t.dest_y[cell]
    if cell != 0:
        emit(log, st.EVENT_MODEL_MOVED, slot, int(m.x), int(m.y), x, y)
        m.marks |= st.FLAG_MOVED
    stand(m, x, y)
    for w in range(WORDS):
        s.cells[k, w] = 0
    s.model = -1
    s.mover_index = k + 1
    if touches_enemy(s, slot, x, y):
        if not is_pile_in(s):  # those earn no bonus (MAC-B45)
            m.marks |= st.FLAG_CHARGED
        if s.core.mission == st.FUSION_CORE:
            finish(s, log, LOSS, st.OVER_CONTACT)


@kernel
def end_charge(s, t, log) -> None:
    """Let go of the charging unit; Genestealers at a projector try to disable it (MAC-M3.6)."""
    unit = int(s.unit)
    at_projector = s.target >= st.FIRST_PROJECTOR_GROUP
    put_down(s)
    s.target = -1
    s.mover_index = 0
    if not at_projector:
        return
    for slot in range(st.FIRST_GENESTEALER, st.LAST_GENESTEALER + 1):
        if not alive(s, slot) or s.models[slot].group != unit or s.field == 0:
            continue
        for k in range(st.FIRST_PROJECTOR, st.LAST_PROJECTOR + 1):
            p = s.pieces[k]
            if p.kind == st.PIECE_PROJECTOR and apart(s.models[slot], p) <= CONTACT:
                first = roll(s, log, st.ROLL_PROJECTOR, slot, t.disable, st.TYRANIDS)
                second = roll(s, log, st.ROLL_PROJECTOR, slot, t.disable, st.TYRANIDS)
                if max(first, second) >= t.disable:
                    s.field = 0
                    emit(log, st.EVENT_FIELD_DROPPED, k)
                break
