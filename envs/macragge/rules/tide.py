"""New Genestealers behind wreckage (MAC-M3.7, M4.5)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import put
from broodmind.envs.macragge.rules.geometry import on_table, overlaps, square, within_inches
from broodmind.envs.macragge.rules.moving import COHERENT
from broodmind.envs.macragge.tables import RING_SPOTS

BROOD = 6
FEWEST = 2
"""A new unit needs two Genestealers."""
CLEAR_INCHES = 12
"""New Genestealers appear more than this far from projectors (or, in mission 4, from Ultramarines)."""
_new_places = scratch((BROOD, 2), np.int64)


@kernel
def genestealers_out(s) -> int:
    """Count the Genestealers out of play."""
    count = 0
    for slot in range(st.FIRST_GENESTEALER, st.LAST_GENESTEALER + 1):
        if s.models[slot].status == st.STATUS_OUT:
            count += 1
    return count


@kernel
def may_appear_at(s, x: int, y: int) -> bool:
    """Say whether a new Genestealer may stand there: on the table, on nothing, far enough from what it must not see."""
    if not on_table(x, y):
        return False
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status != st.STATUS_TABLE:
            continue
        d2 = square(int(m.x), int(m.y), x, y)
        if overlaps(d2, 2):
            return False
        if (
            s.core.mission == st.XENO_TIDE
            and slot < st.FIRST_GENESTEALER
            and within_inches(d2, CLEAR_INCHES, 2)
        ):
            return False
    for k in range(st.PIECES):
        p = s.pieces[k]
        if p.kind == st.PIECE_NONE:
            continue
        d2 = square(int(p.x), int(p.y), x, y)
        if overlaps(d2, 1 + int(p.r)):
            return False
        if p.kind == st.PIECE_PROJECTOR and within_inches(d2, CLEAR_INCHES, 2):
            return False
    return True


@kernel
def fill_places_behind(s, t, wreck: int, count: int, places) -> bool:
    """Fill rows (x, y) of `places` for `count` new Genestealers behind wreck 0..4; False if there is no room.

    Contact spots that lie beyond the wreck as seen from the core's, the farthest beyond first (ties in DEST order),
    each coherent with one before.
    """
    w = s.pieces[st.FIRST_WRECK + wreck]
    core = s.pieces[st.FIRST_WRECK + 1]
    if w.kind != st.PIECE_WRECK:
        return False
    away_x = int(w.x) - int(core.x)
    away_y = int(w.y) - int(core.y)
    for n in range(count):
        best = -1
        best_key = 0
        for k in range(RING_SPOTS):
            key = t.ring_x[k] * away_x + t.ring_y[k] * away_y
            if key <= best_key:
                continue
            x = int(w.x) + t.ring_x[k]
            y = int(w.y) + t.ring_y[k]
            coherent = n == 0
            free = True
            for other in range(n):
                d2 = square(places[other, 0], places[other, 1], x, y)
                free = free and not overlaps(d2, 2)
                coherent = coherent or d2 <= COHERENT
            if free and coherent and may_appear_at(s, x, y):
                best = k
                best_key = key
        if best < 0:
            return False
        places[n, 0] = int(w.x) + t.ring_x[best]
        places[n, 1] = int(w.y) + t.ring_y[best]
    return True


@kernel
def tide_rises(s) -> bool:
    """Say whether Genestealers are reinforced in this game."""
    return s.core.mission == st.FUSION_CORE or (
        s.core.mission == st.XENO_TIDE and int(s.core.spare) & st.OPTION_TIDE != 0
    )


@kernel
def may_appear_behind(s, t, wreck: int) -> bool:
    """Say whether all Genestealers out of play can be placed behind a wreck."""
    count = genestealers_out(s)
    places = _new_places()
    return tide_rises(s) and count >= FEWEST and fill_places_behind(s, t, wreck, count, places)


@kernel
def any_may_appear(s, t) -> bool:
    """Say whether a new unit must be placed."""
    if not tide_rises(s) or genestealers_out(s) < FEWEST:
        return False
    for wreck in range(st.LAST_WRECK + 1):
        if may_appear_behind(s, t, wreck):
            return True
    return False


@kernel
def free_unit(s, first: int, last: int) -> int:
    """Return the lowest unit of a range with no model on the table."""
    for group in range(first, last + 1):
        if s.groups[group].living <= 0:
            return group
    return last


@kernel
def appear_behind(s, t, log, wreck: int) -> None:
    """Place all Genestealers out of play behind a wreck as one new unit."""
    count = genestealers_out(s)
    places = _new_places()
    fill_places_behind(s, t, wreck, count, places)
    group = free_unit(s, st.FIRST_GENESTEALER_UNIT, st.LAST_GENESTEALER_UNIT)
    n = 0
    for slot in range(st.FIRST_GENESTEALER, st.LAST_GENESTEALER + 1):
        if s.models[slot].status == st.STATUS_OUT:
            put(s, slot, places[n, 0], places[n, 1])
            s.models[slot].group = group
            n += 1
    g = s.groups[group]
    g.kind = st.GROUP_GENESTEALERS
    g.living = count
    g.marks = 0
    emit(log, st.EVENT_UNIT_PLACED, group, count, st.FIRST_WRECK + wreck)
