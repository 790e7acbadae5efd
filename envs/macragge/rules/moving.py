"""How units move: the plan of a whole unit, its chain, and its execution (MAC-B20 to B29)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive, end_of_ultramarines, roll
from broodmind.envs.macragge.rules.contact import NOBODY, locked_units
from broodmind.envs.macragge.rules.geometry import square
from broodmind.envs.macragge.rules.obstacles import new_obstacles
from broodmind.envs.macragge.rules.offsets import WORDS, empty, new_cells
from broodmind.envs.macragge.rules.reach import fill_cells, touches_wreck
from broodmind.envs.macragge.tables import REACH, SQ_BASE, SQ_COHERENT, WINDOW

COHERENT = 36
"""Squared distance of two bases 2 inches apart (MAC-B20)."""

new_links = scratch((st.MAX_UNIT,), np.int64)
"""Room for `fill_links` and `fill_start_links`."""
new_plans = scratch((st.MAX_UNIT, 2), np.int64)
"""Room for the planned cells of the movers."""
_new_near = scratch((st.MAX_UNIT, 3), np.int64)
_new_joined = scratch((st.MAX_UNIT + 1,), np.int64)
MARCH_STEPS = 12
NEXT_CELLS = 8


@kernel
def may_move(s, group: int, locked: int) -> bool:
    """Say whether a unit may be picked in the move step: not moved yet, with a model on the table.

    `locked` comes from `locked_units`.
    """
    g = s.groups[group]
    if g.kind == st.GROUP_NONE or g.marks & st.GROUP_MOVED:
        return False
    if g.living <= 0:
        return False
    return s.core.mission <= st.RESCUE_VARRAS or moves_in_mission(s, group, locked)


@kernel
def moves_in_mission(s, group: int, locked: int) -> bool:
    """Say whether a unit of missions 3 to 6 makes normal moves: no nest, not locked (MAC-B37, M3.1, M4.6, M5.8)."""
    if group == st.GROUP_GENESTEALER_NEST or group == st.GROUP_TERMAGANT_NEST:
        return False
    if group <= st.GROUP_ATREUS and s.core.mission <= st.XENO_TIDE:
        return False  # in mission 3 they stay, in mission 4 they retreat
    return (locked >> group) & 1 == 0


@entry
def owner_of_unit(s, group: int) -> int:
    """Return the seat that a unit belongs to."""
    return st.ULTRAMARINES if s.groups[group].kind == st.GROUP_ULTRAMARINES else st.TYRANIDS


@kernel
def take_in_hand(s, t, group: int) -> None:
    """Begin the move of a unit: its models, their starts, and the cells they may end on."""
    s.allowance = t.move_inches
    s.crossing = 0
    gather_movers(s, group)
    fill_unit_cells(s, t)


@kernel
def take_to_scuttle(s, t, log, group: int) -> None:
    """Begin a scuttle: a second move of D6 inches for which wrecks do not count (MAC-M5.6)."""
    s.allowance = roll(s, log, st.ROLL_SCUTTLE, group, 0, st.TYRANIDS)
    s.crossing = 1
    gather_movers(s, group)
    fill_unit_cells(s, t)


@kernel
def gather_movers(s, group: int) -> None:
    """Take the models of a unit in hand, where they stand."""
    s.unit = group
    count = 0
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and m.group == group:
            s.movers[count] = slot
            count += 1
            m.start_x = m.x
            m.start_y = m.y
            m.plan_x = m.x
            m.plan_y = m.y
            m.marks &= ~st.FLAG_EDITED
    s.mover_count = count


@entry
def fill_unit_cells(s, t) -> None:
    """Work out the cells of every model in hand."""
    obstacles = new_obstacles()
    for k in range(int(s.mover_count)):
        fill_cells(s, t, int(s.movers[k]), int(s.allowance), s.crossing != 0, obstacles, s.cells[k])


@kernel
def may_cross(s) -> bool:
    """Say whether the unit in hand may declare CROSS (MAC-B26; not in mission 1)."""
    if s.core.mission == st.CRASH_SITE or s.crossing:
        return False
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        if touches_wreck(s, int(m.start_x), int(m.start_y), int(s.allowance)):
            return True
    return False


@kernel
def declare_cross(s, t, log) -> None:
    """Roll the limit of a move over wreckage; it holds for the whole unit (MAC-B26)."""
    seat = owner_of_unit(s, int(s.unit))
    best = 0
    for _ in range(t.cross_dice[seat]):
        best = max(best, roll(s, log, st.ROLL_CROSS, int(s.unit), 0, seat))
    s.allowance = best
    s.crossing = 1
    emit(log, st.EVENT_CROSS_DECLARED, int(s.unit), best)
    fill_unit_cells(s, t)


# -- the chain -----------------------------------------------------------------------------------------------------


@kernel
def fill_links(s, plans, links) -> int:
    """Fill, per mover, its planned cell, and the movers that this is coherent with, as bits (MAC-B20).

    Returns how many components the plan has.
    """
    count = int(s.mover_count)
    for a in range(count):
        m = s.models[s.movers[a]]
        plans[a, 0] = m.plan_x
        plans[a, 1] = m.plan_y
        links[a] = 1 << a
        for b in range(a):
            if square(plans[a, 0], plans[a, 1], plans[b, 0], plans[b, 1]) <= COHERENT:
                links[a] |= 1 << b
                links[b] |= 1 << a
    members = (1 << count) - 1
    return count_components(links, members, members)


@kernel
def component_of(links, members: int, first: int) -> int:
    """Return the chain component of mover `first` among `members`, as bits."""
    found = 1 << first
    fresh = found
    while fresh != 0:
        joined = links[lowest_bit(fresh)] & members & ~found
        fresh = without_lowest(fresh) | joined
        found |= joined
    return found


@kernel
def count_components(links, members: int, some: int) -> int:
    """Return how many of the chain components that the movers in `members` form hold any of `some` (all as bits)."""
    components = 0
    left = some
    while left != 0:
        left &= ~component_of(links, members, lowest_bit(left))
        components += 1
    return components


# -- MARCH (MAC-B27) -----------------------------------------------------------------------------------------------


@kernel
def rounded(value: int, m: int) -> int:
    """Return value * m / 12, rounded to the nearest integer, halves away from zero."""
    scaled = value * m
    if scaled >= 0:
        return (2 * scaled + MARCH_STEPS) // (2 * MARCH_STEPS)
    return -((-2 * scaled + MARCH_STEPS) // (2 * MARCH_STEPS))


@kernel
def may_go(s, k: int, cell: int) -> bool:
    """Say whether mover `k` may end on an offset, as far as things outside its unit decide."""
    return (s.cells[k, cell >> 6] >> (cell & 63)) & 1 != 0


@kernel
def march_rigid(s, t, cell: int) -> bool:
    """Plan the same offset for every mover if all may go by it."""
    for k in range(int(s.mover_count)):
        if not may_go(s, k, cell):
            return False
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        m.plan_x = m.start_x + t.dest_x[cell]
        m.plan_y = m.start_y + t.dest_y[cell]
    return True


@kernel
def fill_start_links(s, links) -> None:
    """Fill, per mover, the movers that are coherent with it where they start, as bits."""
    for a in range(int(s.mover_count)):
        links[a] = 0
        ma = s.models[s.movers[a]]
        for b in range(a):
            mb = s.models[s.movers[b]]
            if square(int(ma.start_x), int(ma.start_y), int(mb.start_x), int(mb.start_y)) <= COHERENT:
                links[a] |= 1 << b
                links[b] |= 1 << a


@kernel
def next_in_march(s, ox: int, oy: int, links, planned: int) -> int:
    """Return the mover to plan next: rear-first, those coherent at the start with a planned one before others."""
    best = -1
    best_key = 0
    best_near = False
    for k in range(int(s.mover_count)):
        if (planned >> k) & 1:
            continue
        m = s.models[s.movers[k]]
        near = links[k] & planned != 0
        key = int(m.start_x) * ox + int(m.start_y) * oy
        if best < 0 or (near and not best_near) or (near == best_near and key < best_key):
            best = k
            best_key = key
            best_near = near
    return best


@kernel
def fill_planned_cells(s, t, k: int, planned: int, cells) -> bool:
    """Fill `cells` with the offsets that mover `k` may be planned to go by; says whether there are any.

    It may overlap no planned mover, and is coherent with one if there is one (MAC-B27).
    """
    m = s.models[s.movers[k]]
    joined = new_cells()
    empty(joined)
    for w in range(WORDS):
        cells[w] = s.cells[k, w]
    left = planned
    while left != 0:
        o = s.models[s.movers[lowest_bit(left)]]
        left = without_lowest(left)
        dx = int(o.plan_x) - int(m.start_x) + WINDOW
        dy = int(o.plan_y) - int(m.start_y) + WINDOW
        if 0 <= dx and dx <= 2 * WINDOW and 0 <= dy and dy <= 2 * WINDOW:
            for w in range(WORDS):
                cells[w] &= ~t.within[SQ_BASE, dx, dy, w]
                joined[w] |= t.within[SQ_COHERENT, dx, dy, w]
    found = 0
    for w in range(WORDS):
        if planned != 0:
            cells[w] &= joined[w]
        found |= cells[w]
    return found != 0


@kernel
def march_greedy(s, t, ox: int, oy: int, q: int, links) -> bool:
    """Plan mover after mover near its start + `q`, each coherent with one planned before; False if one has no cell."""
    planned = 0
    cells = new_cells()
    for _ in range(int(s.mover_count)):
        k = next_in_march(s, ox, oy, links, planned)
        if not fill_planned_cells(s, t, k, planned, cells):
            return False
        rank = 0
        cell = q
        while (cells[cell >> 6] >> (cell & 63)) & 1 == 0:
            rank += 1
            cell = int(t.nearest[q, rank])
        m = s.models[s.movers[k]]
        m.plan_x = m.start_x + t.dest_x[cell]
        m.plan_y = m.start_y + t.dest_y[cell]
        planned |= 1 << k
    return True


@kernel
def plan_to_stay(s) -> None:
    """Plan that every mover stays where it is."""
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        m.plan_x = m.start_x
        m.plan_y = m.start_y


@kernel
def march(s, t, cell: int) -> None:
    """Plan the move of the unit in hand by an offset (MAC-B27)."""
    ox = t.dest_x[cell]
    oy = t.dest_y[cell]
    links = new_links()
    fill_start_links(s, links)
    for back in range(MARCH_STEPS):
        m = MARCH_STEPS - back
        q = int(t.dest_index[rounded(ox, m) + REACH, rounded(oy, m) + REACH])
        if march_rigid(s, t, q) or march_greedy(s, t, ox, oy, q, links):
            return
    plan_to_stay(s)


# -- EDIT (MAC-B28) ------------------------------------------------------------------------------------------------


@entry
def is_retreat(s) -> bool:
    """Say whether the move at hand is a retreat, whose `cells` count from the planned cells (they lead too far)."""
    return s.core.mission == st.XENO_TIDE and s.active == st.ULTRAMARINES


@kernel
def components_needed(links, others: int, k: int, components: int) -> int:
    """Return with how many components of the others a cell of mover `k` must be coherent (MAC-B28).

    With `n` of them the plan has (components of the others) + 1 - n, and it may not have more than now.
    """
    beside = links[k] & others
    if beside == 0:
        return 0
    left = beside
    while left != 0:
        one = lowest_bit(left)
        left = without_lowest(left)
        if beside & ~links[one] == 0:
            return 1  # those that it is coherent with hold together without it
    return count_components(links, others, others) + 1 - components


@kernel
def fill_edit_cells(s, t, k: int, plans, links, components: int, any_will_do: bool, cells) -> bool:
    """Fill `cells` with the offsets (from its start) that mover `k` may be given instead of its planned cell.

    Reachable, free of the plan of its unit, not increasing the plan's components (MAC-B28), and expressible as a DEST
    from the planned cell, which itself is left out. `plans`, `links` come from `fill_links`, and `components`, how many
    the plan has. Returns whether any offset is left; with `any_will_do`, as soon as that is known.
    """
    count = int(s.mover_count)
    me = s.models[s.movers[k]]
    x = int(me.plan_x) if is_retreat(s) else int(me.start_x)
    y = int(me.plan_y) if is_retreat(s) else int(me.start_y)
    plan = t.dest_index[int(me.plan_x) - x + REACH, int(me.plan_y) - y + REACH]
    others = (1 << count) - 1 & ~(1 << k)
    needed = components_needed(links, others, k, components)
    if any_will_do and has_room_beside(s, t, k, plan, x, y, needed, plans, links, others):
        return True
    near = _new_near()  # the others near by: dx, dy, first member of their component
    nearby = 0
    for other in range(count):
        dx = plans[other, 0] - x
        dy = plans[other, 1] - y
        if other != k and -WINDOW <= dx and dx <= WINDOW and -WINDOW <= dy and dy <= WINDOW:
            near[nearby, 0] = dx + WINDOW
            near[nearby, 1] = dy + WINDOW
            near[nearby, 2] = lowest_bit(component_of(links, others, other)) if needed > 1 else 0
            nearby += 1
    joined = _new_joined()
    left = 0
    for w in range(WORDS):
        free = s.cells[k, w] & t.near[plan, w]
        if plan >> 6 == w:
            free &= ~(np.int64(1) << (plan & 63))
        for n in range(nearby):
            free &= ~t.within[SQ_BASE, near[n, 0], near[n, 1], w]
        if free != 0 and needed == 1:
            coherent = 0
            for n in range(nearby):
                coherent |= t.within[SQ_COHERENT, near[n, 0], near[n, 1], w]
            free &= coherent
        elif free != 0 and needed > 1:
            free &= coherent_with(t, near, nearby, count, needed, w, joined)
        cells[w] = free
        left |= free
        if any_will_do and free != 0:
            return True
    return left != 0


@kernel
def has_room_beside(s, t, k: int, plan: int, x: int, y: int, needed: int, plans, links, others: int) -> bool:
    """Say whether mover `k` may be given one of the cells next to its planned one; mostly it may, and a look will do.

    Offsets count from (x, y), `plan` is that of the planned cell; `needed` comes from `components_needed`.
    """
    for rank in range(1, NEXT_CELLS + 1):
        cell = int(t.nearest[plan, rank])
        if not may_go(s, k, cell):
            continue
        to_x = x + t.dest_x[cell]
        to_y = y + t.dest_y[cell]
        free = True
        met = 0  # movers that the cell is coherent with, as bits
        left = others
        while left != 0:
            other = lowest_bit(left)
            left = without_lowest(left)
            d2 = square(plans[other, 0], plans[other, 1], to_x, to_y)
            if d2 < 4:
                free = False
                break
            if d2 <= COHERENT:
                met |= 1 << other
        if free and (
            needed == 0
            or (needed == 1 and met != 0)
            or (needed > 1 and count_components(links, others, met) >= needed)
        ):
            return True
    return False


@kernel
def coherent_with(t, near, nearby: int, count: int, needed: int, w: int, joined) -> int:
    """Return word `w` of the offsets coherent with `needed` components or more; for `near` see `fill_edit_cells`.

    `joined` is room: its number `n` becomes the cells coherent with n components or more.
    """
    joined[0] = -1
    for n in range(1, needed + 1):
        joined[n] = 0
    for first in range(count):
        cells = 0
        for n in range(nearby):
            if near[n, 2] == first:
                cells |= t.within[SQ_COHERENT, near[n, 0], near[n, 1], w]
        if cells == 0:
            continue
        for back in range(needed):
            joined[needed - back] |= joined[needed - back - 1] & cells
    return int(joined[needed])


@kernel
def edit(s, t, cell: int) -> None:
    """Give the model in hand another cell: `cell` is the offset from its planned one."""
    m = s.models[s.model]
    m.plan_x += t.dest_x[cell]
    m.plan_y += t.dest_y[cell]
    m.marks |= st.FLAG_EDITED
    s.model = -1


# -- execution -----------------------------------------------------------------------------------------------------


@kernel
def execute_plan(s, log) -> None:
    """Move all models of the unit in hand to their planned cells at once (MAC-B28, B29)."""
    group = s.groups[s.unit]
    displaced = 0
    for k in range(int(s.mover_count)):
        slot = int(s.movers[k])
        m = s.models[slot]
        if m.plan_x != m.x or m.plan_y != m.y:
            emit(log, st.EVENT_MODEL_MOVED, slot, int(m.x), int(m.y), int(m.plan_x), int(m.plan_y))
            m.x = m.plan_x
            m.y = m.plan_y
            m.marks |= st.FLAG_MOVED
            displaced += 1
        m.start_x = m.x
        m.start_y = m.y
        m.marks &= ~st.FLAG_EDITED
    group.marks |= st.GROUP_MOVED
    if displaced > 0:
        group.marks |= st.GROUP_DISPLACED
    emit(log, st.EVENT_UNIT_MOVED, int(s.unit), displaced)
    put_down(s)


@kernel
def put_down(s) -> None:
    """Let go of the unit in hand."""
    for k in range(st.MAX_UNIT):
        s.movers[k] = 0
        for w in range(WORDS):
            s.cells[k, w] = 0
    s.unit = -1
    s.model = -1
    s.mover_count = 0
    s.allowance = 0
    s.crossing = 0


@kernel
def any_movable(s, seat: int) -> bool:
    """Say whether a seat has a unit left to move."""
    locked = locked_units(s)
    for group in range(st.UNITS):
        if may_move(s, group, locked) and owner_of_unit(s, group) == seat:
            return True
    return False


@kernel
def nearest_ultramarine(s, x: int, y: int) -> int:
    """Return the squared distance from a point to the nearest Ultramarine on the table (NOBODY if none)."""
    best = NOBODY
    for slot in range(end_of_ultramarines(s)):
        if alive(s, slot):
            m = s.models[slot]
            best = min(best, square(int(m.x), int(m.y), x, y))
    return best
