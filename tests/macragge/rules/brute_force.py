"""The rules of movement, templates and blasts once more: slow, plain, written from the ledger and from nothing else."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping
from itertools import product
from math import isqrt
from typing import Any

Cell = tuple[int, int]

DEST_ORDER = sorted(
    ((dx, dy) for dx in range(-12, 13) for dy in range(-12, 13) if dx * dx + dy * dy <= 144),
    key=lambda o: (o[0] * o[0] + o[1] * o[1], o[1], o[0]),
)
LATTICE = [
    (dx, dy, {1: 12, 2: 17, 5: 27}[dx * dx + dy * dy])
    for dx in range(-2, 3)
    for dy in range(-2, 3)
    if dx * dx + dy * dy in (1, 2, 5)
]
DIRECTIONS = [(1000, 0), (924, 383), (707, 707), (383, 924)]
for _ in range(12):
    x, y = DIRECTIONS[-4]
    DIRECTIONS.append((-y, x))


def d2(a: Cell, b: Cell) -> int:
    """Return the squared distance of two points."""
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2


def on_table(cell: Cell) -> bool:
    """Say whether a base centred there is wholly on the table (B1)."""
    return 1 <= cell[0] <= 95 and 1 <= cell[1] <= 95


def segment_is_clear(p: Cell, q: Cell, centre: Cell, block2: int) -> bool:
    """Say whether a segment keeps its distance from a point (B22)."""
    vx, vy = q[0] - p[0], q[1] - p[1]
    wx, wy = centre[0] - p[0], centre[1] - p[1]
    t, v2 = wx * vx + wy * vy, vx * vx + vy * vy
    if t <= 0:
        return wx * wx + wy * wy >= block2
    if t >= v2:
        return d2(q, centre) >= block2
    return (wx * vy - wy * vx) ** 2 >= block2 * v2


def reach(start: Cell, inches: int, obstacles: list[tuple[Cell, int]]) -> set[Cell]:
    """Return the offsets that a model reaches past obstacles (centre, block2), destinations not considered (B22)."""
    near = [(c, b) for c, b in obstacles if d2(c, start) <= (2 * inches + 8) ** 2]
    found = set()
    far = range(-2 * inches, 2 * inches + 1)
    for dx, dy in product(far, far):
        end = (start[0] + dx, start[1] + dy)
        short = dx * dx + dy * dy <= 4 * inches * inches
        if short and on_table(end) and all(segment_is_clear(start, end, c, b) for c, b in near):
            found.add((dx, dy))
    costs = {start: 0}
    heap = [(0, start)]
    while heap:
        cost, cell = heapq.heappop(heap)
        if cost > costs[cell]:
            continue
        found.add((cell[0] - start[0], cell[1] - start[1]))
        close = [(c, b) for c, b in near if d2(c, cell) <= 100]
        for dx, dy, price in LATTICE:
            to = (cell[0] + dx, cell[1] + dy)
            if cost + price > 24 * inches or cost + price >= costs.get(to, 10**9) or not on_table(to):
                continue
            if all(segment_is_clear(cell, to, c, b) for c, b in close):
                costs[to] = cost + price
                heapq.heappush(heap, (cost + price, to))
    return found


def things(record: Any) -> tuple[dict[int, Cell], dict[int, Cell], dict[int, Cell]]:
    """Return models on the table by slot, wrecks by number and markers by number."""
    models = {k: (int(m["x"]), int(m["y"])) for k, m in enumerate(record["models"]) if m["status"] == 1}
    pieces = {k: (int(p["x"]), int(p["y"])) for k, p in enumerate(record["pieces"]) if p["kind"] != 0}
    return (
        models,
        {k: cell for k, cell in pieces.items() if k < 5},
        {k - 5: cell for k, cell in pieces.items() if 5 <= k < 8},
    )


def unit_of(slot: int) -> Collection[int]:
    """Return the slots of an Ultramarine's unit in missions 1 and 2."""
    return (0,) if slot == 0 else range(1, 6)


def cells(record: Any, slot: int, inches: int, crossing: bool) -> set[Cell]:
    """Return the offsets an Ultramarine of missions 1 and 2 may end on, its own unit not considered (B22..B26)."""
    models, wrecks, markers = things(record)
    start = models[slot]
    obstacles = []
    banned = []  # what the destination keeps away from: centre, square
    for other, cell in models.items():
        if other in unit_of(slot):
            continue
        if other >= 27:
            inside = d2(cell, start) < 7
            obstacles.append((cell, 4 if inside else 7))
            banned.append((cell, 7))
        else:
            banned.append((cell, 4))
    banned += [(cell, 4) for cell in markers.values()]
    if not crossing:
        obstacles += [(cell, 25) for cell in wrecks.values()]
        banned += [(cell, 25) for cell in wrecks.values()]
    found = {(0, 0)}
    for dx, dy in reach(start, inches, obstacles):
        end = (start[0] + dx, start[1] + dy)
        if all(d2(end, cell) >= square for cell, square in banned):
            found.add((dx, dy))
    return found


def retreat_cells(record: Any, slot: int, inches: int, crossing: bool) -> set[Cell]:
    """Return the offsets an Ultramarine of mission 4 may retreat by, its unit not considered (B22..B26, M4.6)."""
    models, wrecks, _ = things(record)
    start = models[slot]
    enemies = [cell for other, cell in models.items() if other >= 11]
    obstacles = [(cell, 4 if d2(cell, start) < 7 else 7) for cell in enemies]
    banned = [(cell, 7) for cell in enemies]
    if not crossing:
        obstacles += [(cell, 25) for cell in wrecks.values()]
        banned += [(cell, 25) for cell in wrecks.values()]
    found = {(0, 0)}
    for dx, dy in reach(start, inches, obstacles):
        end = (start[0] + dx, start[1] + dy)
        if all(d2(end, cell) >= square for cell, square in banned):
            found.add((dx, dy))
    return found


def retreat(
    starts: Mapping[int, Cell], may: Mapping[int, set[Cell]], inches: int, dy: int
) -> dict[int, Cell]:
    """Return the plan of a retreat along a lane (M4.6)."""
    o = (isqrt(4 * inches * inches - dy * dy), dy)
    for m in range(12, 0, -1):
        plan = greedy(starts, may, o, (twelfths(o[0], m), twelfths(o[1], m)))
        if plan is not None:
            return plan
    return dict(starts)


# -- plans (B20, B21, B27, B28) ------------------------------------------------------------------------------------


def components(plan: Mapping[int, Cell]) -> int:
    """Count the chain components of a plan."""
    left = set(plan)
    count = 0
    while left:
        grown = [left.pop()]
        for slot in grown:
            joined = {other for other in left if d2(plan[slot], plan[other]) <= 36}
            left -= joined
            grown += joined
        count += 1
    return count


def twelfths(value: int, m: int) -> int:
    """Return value * m / 12 rounded, halves away from zero."""
    size = (abs(value) * m * 2 + 12) // 24
    return size if value >= 0 else -size


def march(starts: Mapping[int, Cell], may: Mapping[int, set[Cell]], o: Cell) -> dict[int, Cell]:
    """Return the plan of a unit that marches by an offset (B27)."""
    for m in range(12, 0, -1):
        q = (twelfths(o[0], m), twelfths(o[1], m))
        if all(q in may[slot] for slot in starts):
            return {slot: (x + q[0], y + q[1]) for slot, (x, y) in starts.items()}
        plan = greedy(starts, may, o, q)
        if plan is not None:
            return plan
    return dict(starts)


def greedy(
    starts: Mapping[int, Cell], may: Mapping[int, set[Cell]], o: Cell, q: Cell
) -> dict[int, Cell] | None:
    """Plan model after model near its start + q, or return None (B27)."""
    plan: dict[int, Cell] = {}
    while len(plan) < len(starts):
        left = [slot for slot in starts if slot not in plan]
        near = [s for s in left if any(d2(starts[s], starts[other]) <= 36 for other in plan)]
        slot = min(near or left, key=lambda s: (starts[s][0] * o[0] + starts[s][1] * o[1], s))
        x, y = starts[slot]
        choices = []
        for dx, dy in may[slot]:
            cell = (x + dx, y + dy)
            if any(d2(cell, other) < 4 for other in plan.values()):
                continue
            if not plan or any(d2(cell, other) <= 36 for other in plan.values()):
                # ties as in DEST_ORDER
                choices.append((d2((dx, dy), q), dx * dx + dy * dy, dy, dx, cell))
        if not choices:
            return None
        plan[slot] = min(choices)[-1]
    return plan


def edits(
    starts: Mapping[int, Cell], may: Mapping[int, set[Cell]], plan: Mapping[int, Cell], slot: int
) -> set[Cell]:
    """Return the offsets, from its planned cell, of the other cells a model may be given (B28)."""
    before = components(plan)
    found = set()
    for dx, dy in may[slot]:
        cell = (starts[slot][0] + dx, starts[slot][1] + dy)
        offset = (cell[0] - plan[slot][0], cell[1] - plan[slot][1])
        if offset == (0, 0) or offset[0] ** 2 + offset[1] ** 2 > 144:  # a DEST reaches twelve steps
            continue
        if any(other != slot and d2(cell, plan[other]) < 4 for other in plan):
            continue
        if components({**plan, slot: cell}) <= before:
            found.add(offset)
    return found


# -- templates and blasts (B9, B10) --------------------------------------------------------------------------------


def flame_touches(source: Cell, i: int, base: Cell) -> bool:
    """Say whether the flame template from a source in a direction touches a base (B9)."""
    ux, uy = DIRECTIONS[i]
    dx, dy = base[0] - source[0], base[1] - source[1]
    for k in range(10):
        ex, ey = 4000 * dx - (4 + 6 * k) * ux, 4000 * dy - (4 + 6 * k) * uy
        if ex * ex + ey * ey <= (1000 * (k + 5)) ** 2:
            return True
    return False


def flame_directions(record: Any) -> set[int]:
    """Return the directions in which the flamer of mission 2 may fire (B34)."""
    models, _, markers = things(record)
    if 2 not in models:
        return set()
    friends = [cell for slot, cell in models.items() if slot < 11 and slot != 2]
    targets = [cell for slot, cell in models.items() if slot >= 27] + list(markers.values())
    return {
        i
        for i in range(16)
        if any(flame_touches(models[2], i, cell) for cell in targets)
        and not any(flame_touches(models[2], i, cell) for cell in friends)
    }


def return_spot(record: Any, marker: Cell) -> Cell | None:
    """Return where a mine comes back at a marker, or None (B53)."""
    models, _, markers = things(record)
    ultramarines = [cell for slot, cell in models.items() if slot < 11]
    tyranids = [cell for slot, cell in models.items() if slot >= 11]
    choices = []
    for index, (dx, dy) in enumerate(o for o in DEST_ORDER if 4 <= o[0] ** 2 + o[1] ** 2 <= 6):
        cell = (marker[0] + dx, marker[1] + dy)
        if not on_table(cell) or any(d2(cell, other) < 4 for other in [*tyranids, *markers.values()]):
            continue
        nearest = min(d2(cell, other) for other in ultramarines)
        if nearest > 6:
            choices.append((nearest, index, cell))
    return min(choices)[2] if choices else None


def drift(record: Any, slot: int, inches: int, i: int) -> tuple[Cell, bool]:
    """Return where a mine's drift ends, and whether it detonates there (B50, B51)."""
    models, _, markers = things(record)
    ux, uy = DIRECTIONS[i]
    x, y = models[slot]
    path = [(x, y)]
    for t in range(1, 2 * inches + 1):
        cell = (x + round(t * ux / 1000), y + round(t * uy / 1000))
        if not on_table(cell):
            break
        path.append(cell)
        if any(d2(cell, other) <= 6 for k, other in models.items() if k < 11):
            return cell, True
    rests = [cell for k, cell in models.items() if k >= 11 and k != slot] + list(markers.values())
    while len(path) > 1 and any(d2(path[-1], other) < 4 for other in rests):
        path.pop()
    return path[-1], False
