"""What the kernels look up: geometry worked out once, and the numbers of ``data/*.toml``.

Sets of cells are bits over the 441 DEST offsets (offset 0 first, then by distance), seven 64-bit words each, so that
"where may this model go" is a handful of ANDs: see :mod:`broodmind.envs.macragge.rules.reach`.
"""

from __future__ import annotations

import math
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.names import DEST_OFFSETS

DESTS = 441
REACH = 12  # the longest DEST offset, in steps
WINDOW = 19  # things farther than this along an axis cannot matter to a 12-step move
DEGREE = 16  # king and knight steps of a lattice path (MAC-B22)
KING_STEPS = 0xAAAA  # those that are king steps, as bits: in order of angle every other one
BUDGET_PER_INCH = 24
FAR = 24  # the longest offset of a move of 12 inches, in steps
SIDE = 2 * FAR + 1
MARGIN = 2  # the farthest that a lattice step leads along an axis
WIDE_WINDOW = 30  # things farther than this along an axis cannot matter to a 24-step move
WIDE = FAR + WIDE_WINDOW

# Squared distances at which two things begin to matter to each other; the first index of `within` and `shadow`.
SQUARES = (4, 7, 17, 25, 49, 37)
SQ_BASE = 0  # base on base
SQ_ENEMY = 1  # enemy models, and mines for Ultramarines: no base contact in a normal move (MAC-B23)
SQ_INCH = 2  # the ban within 1 inch of missions 5 and 6
SQ_WRECK = 3  # wrecks and the node
SQ_LARGE_WRECK = 4
SQ_COHERENT = 5  # d2 <= 36 (MAC-B20); has no shadow
SHADOWS = 5

DIRECTIONS = 16
_QUARTER = ((1000, 0), (924, 383), (707, 707), (383, 924))
FLAME_REACH = 18

CONTACT_SPOTS = 12  # offsets in contact with a base of radius 1
RING_SPOTS = 28  # ... with a wreck or node of radius 4

TABLES = np.dtype(
    [
        ("dest_x", "i8", (DESTS,)),
        ("dest_y", "i8", (DESTS,)),
        ("dest_index", "i8", (25, 25)),  # by (dx + 12, dy + 12); -1: farther than 12 steps
        ("disc", "i8", (13, st.CELL_WORDS)),  # by inches: offsets no longer than that
        ("east_of", "i8", (25, st.CELL_WORDS)),  # by k + 12: offsets with dx >= k
        ("west_of", "i8", (25, st.CELL_WORDS)),  # dx <= k
        ("north_of", "i8", (25, st.CELL_WORDS)),  # dy >= k
        ("south_of", "i8", (25, st.CELL_WORDS)),  # dy <= k
        ("near", "i8", (DESTS, st.CELL_WORDS)),  # offsets within 12 steps of an offset
        # by square, dx + 19, dy + 19 of a thing: offsets nearer to it than the square root
        ("within", "i8", (len(SQUARES), 2 * WINDOW + 1, 2 * WINDOW + 1, st.CELL_WORDS)),
        # ... offsets whose straight segment from the start passes nearer
        ("shadow", "i8", (SHADOWS, 2 * WINDOW + 1, 2 * WINDOW + 1, st.CELL_WORDS)),
        # offsets that 6 inches reach, straight or by a path, when one thing stands there and nothing else is near
        ("around", "i8", (SHADOWS, 2 * WINDOW + 1, 2 * WINDOW + 1, st.CELL_WORDS)),
        # ... by offset: the last step of a cheapest path there round that thing; -1: no path of 6 inches
        ("last_step", "i1", (SHADOWS, 2 * WINDOW + 1, 2 * WINDOW + 1, DESTS)),
        # by inches, square: squared distance from which a thing cannot get in the way of such a move
        ("relevant", "i8", (13, SHADOWS)),
        ("path_cost", "i2", (SIDE, SIDE)),  # by |dx|, |dy|: cost of the cheapest lattice path there
        ("step_x", "i8", (DEGREE,)),
        ("step_y", "i8", (DEGREE,)),
        ("step_cost", "i8", (DEGREE,)),
        ("step_ahead", "i8", (DEGREE,)),  # what a lattice step adds to the number 64 x + y
        (
            "paths",
            "i8",
            (7, st.CELL_WORDS),
        ),  # by inches: offsets that a lattice path of that length can lead to
        ("ways", "i8", (DESTS, st.CELL_WORDS)),  # ... that one of 6 inches to an offset can pass
        (
            "nearest",
            "i2",
            (DESTS, DESTS),
        ),  # all offsets, those nearest to an offset first (ties: in their order)
        # by square, thing relative to the cell + 9: which lattice steps pass nearer, as bits
        ("step_blocked", "u2", (SHADOWS, 19, 19)),
        # ... by the step that led to the cell: which others a path may go on with there only because the thing is in
        # the better way beside it, as bits
        ("detours", "u2", (SHADOWS, 19, 19, DEGREE)),
        ("step_reach", "i8", (SHADOWS,)),  # by square: things farther than this along an axis are in neither
        # by square, distance along one axis: the farthest along the other that is nearer than its root; -1: none
        ("half", "i8", (len(SQUARES), WIDE + 1)),
        # Offsets of up to 24 steps, for moves of up to 12 inches (rules/retreat.py): a word per dx + 24, a bit per
        # dy + 24.
        ("wide_disc", "i8", (13, SIDE)),  # by inches: offsets no longer than that
        ("wide_paths", "i8", (13, SIDE)),  # ... that a lattice path of that length can lead to
        # by square, thing's dx + 30, its dy + 30, dx + 24: the first and the last bit of the word in its shadow
        ("wide_shadow", "i1", (SHADOWS, 2 * WIDE_WINDOW + 1, 2 * WIDE_WINDOW + 1, SIDE, 2)),
        ("unit_x", "i8", (DIRECTIONS,)),  # direction vectors, in thousandths
        ("unit_y", "i8", (DIRECTIONS,)),
        # by offset of a base from the source + 18: directions in which the flame template touches it, as bits
        ("flame", "i8", (37, 37)),
        ("contact_x", "i8", (CONTACT_SPOTS,)),
        ("contact_y", "i8", (CONTACT_SPOTS,)),
        ("ring_x", "i8", (RING_SPOTS,)),
        ("ring_y", "i8", (RING_SPOTS,)),
        # profiles
        ("hit", "i8", (8,)),  # by kind
        ("wound_mine", "i8"),
        ("flame_mine", "i8"),
        ("flame_marker", "i8"),
        ("save_space_marine", "i8"),
        ("blast_partial", "i8"),
        ("blast_varras", "i8"),
        ("blast_space_marine", "i8"),
        ("blast_mine", "i8"),
        ("move_inches", "i8"),
        ("cross_dice", "i8", (2,)),  # by seat
        ("pistol_square", "i8"),  # d2 of two bases within pistol range
        ("range_pistol", "i8"),  # in inches
        ("range_rapid", "i8"),  # ... within which a bolter fires twice
        ("range_bolter", "i8"),
        ("range_missile", "i8"),
        ("range_fleshborer", "i8"),
        ("fleshborer", "i8", (8,)),  # by kind: needed to wound
        ("wound_bolt_marker", "i8"),
        ("wound_node", "i8", (2,)),  # by bolts, by krak
        ("wound_bolt", "i8", (8,)),  # by kind of the target
        ("wound_flame", "i8", (8,)),
        ("cover_save", "i8"),
        ("save_varras", "i8"),
        ("save_tyranid", "i8"),
        ("blow_hit", "i8", (8, 8)),  # by kind that strikes, kind struck
        ("blow_wound", "i8", (8, 8)),
        ("attacks", "i8", (8,)),  # by kind
        ("disarm", "i8"),
        ("disable", "i8"),
        # standard layouts, by mission
        ("layout_x", "i8", (7, st.MODELS)),  # -1: not set up
        ("layout_y", "i8", (7, st.MODELS)),
        ("layout_wreck", "i8", (7, 5, 3)),
        ("layout_marker", "i8", (7, 3, 2)),
        ("layout_exit", "i8", (7, 4)),
        ("layout_projector", "i8", (7, 4, 2)),  # all zero: none
        ("layout_node", "i8", (7, 2)),
        ("layout_beacon", "i8", (7, 2)),
        ("acid", "i8", (2,)),  # needed to wound Varras, Space Marines
        ("poison", "i8", (2,)),
        ("core_drop", "i8"),
        ("roster", "i8", (7, st.MODELS)),  # 1: the slot takes part in the mission
    ],
    align=True,
)


def _bits(cells: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Pack a boolean array whose last axis is the 441 offsets into seven 64-bit words."""
    padded = np.zeros((*cells.shape[:-1], st.CELL_WORDS * 64), bool)
    padded[..., :DESTS] = cells
    return np.packbits(padded, axis=-1, bitorder="little").view(np.int64)


def _unbits(words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Unpack what `_bits` packed."""
    cells = np.unpackbits(np.ascontiguousarray(words).view(np.uint8), axis=-1, bitorder="little")
    return cells[..., :DESTS].astype(bool)


def _fill_cells(t: Any) -> None:
    """Fill the sets of cells (MAC-B3, B4, B20, B22)."""
    offsets = np.array(DEST_OFFSETS, np.int64)
    ox, oy = offsets[:, 0], offsets[:, 1]
    length2 = ox * ox + oy * oy
    t["dest_x"], t["dest_y"] = ox, oy
    index = np.full((25, 25), -1, np.int64)
    index[ox + REACH, oy + REACH] = np.arange(DESTS)
    t["dest_index"] = index
    inches = np.arange(13)
    t["disc"] = _bits(length2[None, :] <= np.minimum(4 * inches * inches, REACH * REACH)[:, None])
    k = np.arange(-REACH, REACH + 1)[:, None]
    t["east_of"], t["west_of"] = _bits(ox[None, :] >= k), _bits(ox[None, :] <= k)
    t["north_of"], t["south_of"] = _bits(oy[None, :] >= k), _bits(oy[None, :] <= k)
    between = (ox[:, None] - ox[None, :]) ** 2 + (oy[:, None] - oy[None, :]) ** 2
    t["near"] = _bits(between <= REACH * REACH)

    axis = np.arange(-WINDOW, WINDOW + 1)
    wx, wy = (a[..., None] for a in np.meshgrid(axis, axis, indexing="ij"))
    far2 = (wx - ox) ** 2 + (wy - oy) ** 2
    along = wx * ox + wy * oy
    start2 = wx * wx + wy * wy
    end2 = np.where(along <= 0, start2, far2)
    beside = (along > 0) & (along < length2)
    cross2 = (wx * oy - wy * ox) ** 2
    for k_square, square in enumerate(SQUARES):
        t["within"][k_square] = _bits(far2 < square)
        if k_square < SHADOWS:
            t["shadow"][k_square] = _bits(np.where(beside, cross2 < square * length2, end2 < square))

    order = between * DESTS + np.arange(DESTS)
    t["nearest"] = order.argsort(axis=1)
    far = np.arange(SIDE)
    t["path_cost"] = _path_cost(far[:, None], far[None, :])
    steps = [(dx, dy) for dx in (-2, -1, 0, 1, 2) for dy in (-2, -1, 0, 1, 2)]
    lattice = [(1, 12, steps), (2, 17, steps), (5, 27, steps)]
    chosen = [(dx, dy, cost) for n, cost, all_ in lattice for dx, dy in all_ if dx * dx + dy * dy == n]
    chosen.sort(key=lambda step: math.atan2(step[1], step[0]))
    sx, sy, cost = (np.array(column, np.int64) for column in zip(*chosen, strict=True))
    t["step_x"], t["step_y"], t["step_cost"] = sx, sy, cost
    t["step_ahead"] = 64 * sx + sy
    assert all((KING_STEPS >> d) & 1 == (c < 27) for d, c in enumerate(cost.tolist()))
    t["paths"] = _bits(_path_cost(ox, oy)[None, :] <= BUDGET_PER_INCH * inches[:7, None])
    through = _path_cost(ox, oy)[None, :] + _path_cost(ox[:, None] - ox, oy[:, None] - oy)
    t["ways"] = _bits(through <= BUDGET_PER_INCH * REACH // 2)
    axis = np.arange(-9, 10)
    wx, wy = (a[..., None] for a in np.meshgrid(axis, axis, indexing="ij"))
    weights = 1 << np.arange(DEGREE)
    for k_square, square in enumerate(SQUARES[:SHADOWS]):
        t["step_blocked"][k_square] = (_passes(wx, wy, sx, sy, square) * weights).sum(axis=-1)
    _fill_turns(t)


def _passes(wx: Any, wy: Any, vx: Any, vy: Any, square: int) -> NDArray[np.bool_]:
    """Say whether the segments from (0, 0) by (vx, vy) pass nearer to things at (wx, wy) (MAC-B22)."""
    along = wx * vx + wy * vy
    length2 = vx * vx + vy * vy
    end2 = np.where(along <= 0, wx * wx + wy * wy, (wx - vx) ** 2 + (wy - vy) ** 2)
    beside = (along > 0) & (along < length2)
    return np.where(beside, (wx * vy - wy * vx) ** 2 < square * length2, end2 < square)


def _fill_turns(t: Any) -> None:
    """Fill where lattice paths may turn near a thing, other than as they do where nothing is near: `detours`.

    A path of least cost turns sharply only where the cheaper way, two or three steps within one sixteenth of the circle
    that begin as the path did, is blocked. So it never turns back. And of paths that make the same steps in another
    order one is enough: a knight step is followed by a king step beside it only where the two are blocked the other way
    round.
    """
    steps = list(zip(t["step_x"].tolist(), t["step_y"].tolist(), strict=True))
    axis = np.arange(-12, 13)
    wx, wy = (a[..., None] for a in np.meshgrid(axis, axis, indexing="ij"))
    passes = [_passes(wx, wy, t["step_x"], t["step_y"], square) for square in SQUARES[:SHADOWS]]
    for before, (before_x, before_y) in enumerate(steps):
        for after, (after_x, after_y) in enumerate(steps):
            beside = (after - before) % DEGREE in (1, DEGREE - 1)
            if after == before or (beside and (KING_STEPS >> before) & 1):
                continue
            way = [after, before]
            if not beside:
                way = _cheapest_way(steps, before_x + after_x, before_y + after_y, before)
            x, y = -before_x, -before_y
            for d in way:
                for k in range(SHADOWS):
                    blocked = passes[k][3 - x : 22 - x, 3 - y : 22 - y, d]  # of things seen from there
                    t["detours"][k, :, :, before] |= blocked.astype(np.uint16) << after
                x, y = x + steps[d][0], y + steps[d][1]
    for k in range(SHADOWS):
        matters = (t["step_blocked"][k] != 0) | (t["detours"][k] != 0).any(axis=-1)
        t["step_reach"][k] = abs(np.argwhere(matters) - 9).max()


def _cheapest_way(steps: list[tuple[int, int]], to_x: int, to_y: int, first: int) -> list[int]:
    """Return the steps of a cheapest lattice path by an offset, those nearest in angle to step `first` first."""
    for d, (x, y) in enumerate(steps):
        e = (d + 1) % DEGREE
        # How often steps d and e: their determinant is 1.
        n = to_x * steps[e][1] - to_y * steps[e][0]
        m = x * to_y - y * to_x
        if n >= 0 and m >= 0:
            off_d, off_e = (min((s - first) % DEGREE, (first - s) % DEGREE) for s in (d, e))
            return [d] * n + [e] * m if off_d <= off_e else [e] * m + [d] * n
    raise AssertionError


def _path_cost(dx: NDArray[np.int64], dy: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what the cheapest lattice path by an offset costs where nothing is in its way (MAC-B22)."""
    longer, shorter = np.maximum(abs(dx), abs(dy)), np.minimum(abs(dx), abs(dy))
    return np.where(longer >= 2 * shorter, 12 * longer + 3 * shorter, 10 * longer + 7 * shorter)


def _fill_wide(t: Any) -> None:
    """Fill what moves of up to 12 inches look up (MAC-B22, M4.6)."""
    axis = np.arange(-FAR, FAR + 1)
    x, y = axis[:, None], axis
    inches = np.arange(13)[:, None, None]
    bits = np.int64(1) << np.arange(SIDE)
    t["wide_disc"] = ((x * x + y * y <= 4 * inches * inches) * bits).sum(axis=-1)
    t["wide_paths"] = ((_path_cost(x, y) <= BUDGET_PER_INCH * inches) * bits).sum(axis=-1)
    along_axis = np.arange(WIDE + 1)
    for k, square in enumerate(SQUARES):
        t["half"][k] = [math.isqrt(square - 1 - e * e) if e * e < square else -1 for e in along_axis.tolist()]
    # Shadows: of things north-east of the mover; the others by mirroring.
    x, y = x.astype(np.int32), y.astype(np.int32)
    length2 = x * x + y * y
    shadow = t["wide_shadow"]
    for wx in range(WIDE_WINDOW + 1):
        wy = np.arange(WIDE_WINDOW + 1, dtype=np.int32)[:, None, None]
        start2 = wx * wx + wy * wy
        along = wx * x + wy * y
        end2 = np.where(along <= 0, start2, start2 - 2 * along + length2)
        beside = (along > 0) & (along < length2)
        cross = wx * y - wy * x
        for k, square in enumerate(SQUARES[:SHADOWS]):
            dark = np.where(beside, cross * cross < square * length2, end2 < square)
            any_dark = dark.any(axis=-1)
            first = np.where(any_dark, dark.argmax(axis=-1), 0)
            last = np.where(any_dark, SIDE - 1 - dark[..., ::-1].argmax(axis=-1), -1)
            east, west = WIDE_WINDOW + wx, WIDE_WINDOW - wx
            for column, rows in ((east, slice(None)), (west, slice(None, None, -1))):
                shadow[k, column, WIDE_WINDOW:, :, 0] = first[:, rows]
                shadow[k, column, WIDE_WINDOW:, :, 1] = last[:, rows]
                shadow[k, column, WIDE_WINDOW::-1, :, 0] = SIDE - 1 - last[:, rows]
                shadow[k, column, WIDE_WINDOW::-1, :, 1] = SIDE - 1 - first[:, rows]


def _fill_around(t: Any) -> None:
    """Fill what a 6-inch move reaches round a single thing (MAC-B22), for one octant and by symmetry for the rest."""
    offsets = np.array(DEST_OFFSETS, np.int64)
    index = t["dest_index"]
    octant = np.array([(x, y) for x in range(WINDOW + 1) for y in range(x + 1)])
    steps = np.stack((t["step_x"], t["step_y"]), axis=-1)
    to_x, to_y = offsets[:, :1] + t["step_x"], offsets[:, 1:] + t["step_y"]
    inside = (abs(to_x) <= REACH) & (abs(to_y) <= REACH)
    to = np.where(inside, index[np.clip(to_x, -12, 12) + 12, np.clip(to_y, -12, 12) + 12], -1)
    to[to < 0] = DESTS
    budget = BUDGET_PER_INCH * REACH // 2
    all_cells = np.ones(DESTS, bool)
    for k, square in enumerate(SQUARES[:SHADOWS]):
        t["relevant"][:, k] = np.ceil((2 * np.arange(13) + math.sqrt(square)) ** 2)
        things = octant[(octant**2).sum(axis=1) >= square]
        relative = things[:, None, :] - offsets  # thing, cell
        near = (abs(relative) <= 9).all(axis=-1)
        at = np.clip(relative, -9, 9) + 9
        blocked = np.where(near, t["step_blocked"][k][at[..., 0], at[..., 1]], 0)
        cost = np.full((len(things), DESTS + 1), 32000, np.int16)
        cost[:, 0] = 0
        open_steps = ((blocked[..., None] >> np.arange(DEGREE)) & 1) == 0
        changed = True
        while changed:
            before = cost.copy()
            for d in range(DEGREE):
                # the last column stands for offsets too far away
                reached = np.where(open_steps[:, :, d], cost[:, :DESTS] + np.int16(t["step_cost"][d]), 32000)
                cost[:, to[:, d]] = np.minimum(cost[:, to[:, d]], reached)
                cost[:, DESTS] = 32000
            changed = not np.array_equal(before, cost)
        last = np.full((len(things), DESTS), -1, np.int8)
        for d in range(DEGREE):
            there = np.flatnonzero(to[:, d] < DESTS)
            ends = to[there, d]
            leads = open_steps[:, there, d] & (cost[:, there] + t["step_cost"][d] == cost[:, ends])
            last[:, ends] = np.where(leads & (cost[:, ends] <= budget), d, last[:, ends])
        straight = _unbits(t["disc"][6]) & ~_unbits(
            t["shadow"][k][things[:, 0] + WINDOW, things[:, 1] + WINDOW]
        )
        reached_cells = straight | (cost[:, :DESTS] <= budget)
        around = np.broadcast_to(all_cells, (2 * WINDOW + 1, 2 * WINDOW + 1, DESTS)).copy()
        last_step = t["last_step"][k]
        last_step[:] = -1
        for a, b, c, d in ((1, 0, 0, 1), (0, 1, 1, 0)):
            for sign_x in (1, -1):
                for sign_y in (1, -1):
                    turned = offsets @ np.array([[a, b], [c, d]]) * (sign_x, sign_y)
                    permutation = index[turned[:, 0] + REACH, turned[:, 1] + REACH]
                    there = things @ np.array([[a, b], [c, d]]) * (sign_x, sign_y) + WINDOW
                    cells = np.empty_like(reached_cells)
                    cells[:, permutation] = reached_cells
                    around[there[:, 0], there[:, 1]] = cells
                    turned_steps = steps @ np.array([[a, b], [c, d]]) * (sign_x, sign_y)
                    same = (steps[None, :, :] == turned_steps[:, None, :]).all(axis=-1).argmax(axis=1)
                    turned_last = np.empty_like(last)
                    turned_last[:, permutation] = np.where(last < 0, last, same[last])
                    last_step[there[:, 0], there[:, 1]] = turned_last
        t["around"][k] = _bits(around)


def _fill_directions(t: Any) -> None:
    """Fill directions, the flame template and contact spots (MAC-B3, B8, B9)."""
    unit = list(_QUARTER)
    for _ in range(3):
        unit += [(-y, x) for x, y in unit[-4:]]
    t["unit_x"], t["unit_y"] = [x for x, _ in unit], [y for _, y in unit]
    axis = np.arange(-FLAME_REACH, FLAME_REACH + 1)
    dx, dy = np.meshgrid(axis, axis, indexing="ij")
    flame = np.zeros((37, 37), np.int64)
    for i, (ux, uy) in enumerate(unit):
        touched = np.zeros((37, 37), bool)
        for k in range(10):
            ex, ey = 4000 * dx - (4 + 6 * k) * ux, 4000 * dy - (4 + 6 * k) * uy
            touched |= ex * ex + ey * ey <= (1000 * (k + 5)) ** 2
        flame |= touched.astype(np.int64) << i
    t["flame"] = flame
    spots = [(x, y) for x, y in DEST_OFFSETS if 4 <= x * x + y * y <= 6]
    t["contact_x"], t["contact_y"] = [x for x, _ in spots], [y for _, y in spots]
    ring = [(x, y) for x, y in DEST_OFFSETS if 25 <= x * x + y * y <= 30]
    t["ring_x"], t["ring_y"] = [x for x, _ in ring], [y for _, y in ring]


def _data(name: str) -> dict[str, Any]:
    return tomllib.loads((files("broodmind.envs.macragge") / "data" / name).read_text("utf-8"))


def _fill_blows(t: Any, profiles: dict[str, Any]) -> None:
    """Fill the profiles of close combat (MAC 2.4)."""
    kinds = {
        "varras": (st.KIND_VARRAS,),
        "space_marine": (st.KIND_OCTAVIAN, st.KIND_FLAMER, st.KIND_BOLTER, st.KIND_MISSILE),
        "genestealer": (st.KIND_GENESTEALER,),
        "termagant": (st.KIND_TERMAGANT,),
    }
    for name, strikers in kinds.items():
        for kind in strikers:
            t["attacks"][kind] = profiles["attacks"][name]
            for other, (hit, wound) in profiles["blow"][name].items():
                for struck in kinds[other]:
                    t["blow_hit"][kind, struck], t["blow_wound"][kind, struck] = hit, wound
    t["attacks"][st.KIND_OCTAVIAN] = profiles["attacks"]["octavian"]


def _fill_numbers(t: Any) -> None:
    """Fill profiles and standard layouts from the data files."""
    profiles = _data("profiles.toml")
    shooting, wound, blast = profiles["shooting"], profiles["wound"], profiles["explosive_mine"]
    for kind, name in (
        (st.KIND_VARRAS, "varras"),
        (st.KIND_OCTAVIAN, "octavian"),
        (st.KIND_BOLTER, "bolter"),
        (st.KIND_MISSILE, "missile"),
        (st.KIND_TERMAGANT, "termagant"),
    ):
        t["hit"][kind] = shooting[name]
    t["wound_mine"] = wound["bolt"]["mine"]
    t["flame_mine"], t["flame_marker"] = wound["flame"]["mine"], wound["flame"]["marker"]
    t["save_space_marine"] = profiles["save"]["space_marine"]
    t["blast_partial"], t["blast_varras"] = blast["partial"], blast["kills_varras"]
    t["blast_space_marine"], t["blast_mine"] = blast["wounds_space_marine"], blast["explodes_mine"]
    moves = profiles["moves"]
    t["move_inches"] = moves["unit"]
    t["cross_dice"] = [moves["crossing_dice_ultramarines"], moves["crossing_dice_tyranids"]]
    ranges = profiles["ranges"]
    t["pistol_square"] = (2 * ranges["pistol"] + 2) ** 2
    t["range_pistol"], t["range_rapid"], t["range_bolter"] = (
        ranges["pistol"],
        ranges["rapid_fire"],
        ranges["bolter"],
    )
    t["range_missile"], t["range_fleshborer"] = ranges["missile"], ranges["fleshborer"]
    t["fleshborer"] = profiles["fleshborer"]["space_marine"]
    t["fleshborer"][st.KIND_VARRAS] = profiles["fleshborer"]["varras"]
    t["wound_bolt_marker"] = wound["bolt"]["marker"]
    t["wound_node"] = [wound["bolt"]["node"], wound["krak"]["node"]]
    for kind, name in (
        (st.KIND_GENESTEALER, "genestealer"),
        (st.KIND_TERMAGANT, "termagant"),
        (st.KIND_MINE, "mine"),
    ):
        t["wound_bolt"][kind], t["wound_flame"][kind] = wound["bolt"][name], wound["flame"][name]
    save = profiles["save"]
    t["cover_save"], t["save_varras"], t["save_tyranid"] = save["cover"], save["varras"], save["tyranid"]
    for name in ("acid", "poison"):
        t[name] = [profiles[name + "_mine"]["varras"], profiles[name + "_mine"]["space_marine"]]
    t["core_drop"] = profiles["fusion_core"]["drop"]
    t["disarm"], t["disable"] = profiles["fusion_core"]["disarm"], profiles["projector"]["disable"]
    _fill_blows(t, profiles)

    t["layout_x"], t["layout_y"] = -1, -1
    for layout in _data("layouts.toml").values():
        m = layout["number"]
        t["layout_exit"][m] = layout.get("exit_rect", [0, 0, 0, 0])
        for name, column in (
            ("wrecks", "layout_wreck"),
            ("markers", "layout_marker"),
            ("projectors", "layout_projector"),
        ):
            for k, piece in enumerate(layout.get(name, [])):
                t[column][m, k] = piece
        for slot, (x, y) in layout["models"].items():
            t["layout_x"][m, int(slot)], t["layout_y"][m, int(slot)] = x, y
        t["layout_beacon"][m] = layout.get("beacon", [0, 0])
        t["layout_node"][m] = layout.get("node", [0, 0])
        if "roster" in layout:
            for first, last in layout["roster"]:
                t["roster"][m, first : last + 1] = 1
            continue
        t["roster"][m] = t["layout_x"][m] >= 0
        # Mines not yet in play take part as well.
        t["roster"][m, st.FIRST_MINE : st.LAST_MINE + 1] = 1


@cache
def tables() -> NDArray[np.void]:
    """Return the tables (an array of one record, not to be written to), built on first use."""
    array = np.zeros(1, TABLES)
    for fill in (_fill_cells, _fill_wide, _fill_around, _fill_directions, _fill_numbers):
        fill(array[0])
    if INTERPRETED:
        return array.view(np.recarray)
    array.flags.writeable = False
    return array
