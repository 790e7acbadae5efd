"""The random layouts of missions 3 and 4, round the wreck that holds the fusion core (ledger section 3)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import uniform
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.placing import TRIES, is_free, muster, muster_in, place_piece, scatter_wreck
from broodmind.envs.macragge.rules.geometry import overlaps, square
from broodmind.envs.macragge.rules.moving import COHERENT
from broodmind.envs.macragge.rules.tide import fill_places_behind
from broodmind.envs.macragge.tables import RING_SPOTS

SQUAD = 6
"""Varras and the five of Squad Octavian."""
BROOD = 3
CORNER = 8
"""Projectors stand on the corners of a square of 8 inches round the core's wreck."""


@kernel
def place_projectors(s) -> None:
    """Put the four projectors round wreck 1 (MAC-M3.1)."""
    core = s.pieces[st.FIRST_WRECK + 1]
    for k in range(4):
        x = int(core.x) + (CORNER if k & 1 else -CORNER)
        y = int(core.y) + (CORNER if k & 2 else -CORNER)
        place_piece(s, st.FIRST_PROJECTOR + k, st.PIECE_PROJECTOR, x, y, 1, 0)


@kernel
def shuffle(s, numbers, count: int) -> None:
    """Put the first `count` numbers in a random order."""
    for k in range(count - 1):
        other = k + uniform(s.core, count - k)
        kept = numbers[k]
        numbers[k] = numbers[other]
        numbers[other] = kept


@kernel
def is_one_chain(cells, count: int) -> bool:
    """Say whether the rows (x, y) are one chain of coherent pairs (MAC-B20)."""
    joined = 1
    for _ in range(count):
        for a in range(count):
            for b in range(count):
                if (joined >> a) & 1 and square(
                    cells[a, 0], cells[a, 1], cells[b, 0], cells[b, 1]
                ) <= COHERENT:
                    joined |= 1 << b
    return joined == (1 << count) - 1


@kernel
def choose_squad_cells(s, t, cells) -> bool:
    """Choose six contact spots of wreck 1 at random, one chain; in mission 4 on its east side, (5, 0) among them."""
    w = s.pieces[st.FIRST_WRECK + 1]
    order = np.arange(RING_SPOTS)
    shuffle(s, order, RING_SPOTS)
    count = 0
    east = s.core.mission == st.XENO_TIDE
    if east:
        cells[0, 0] = int(w.x) + 5
        cells[0, 1] = int(w.y)
        count = 1
    for n in range(RING_SPOTS):
        k = order[n]
        x = int(w.x) + t.ring_x[k]
        y = int(w.y) + t.ring_y[k]
        free = is_free(s, x, y) and not (east and t.ring_x[k] < 0)
        for other in range(count):
            if overlaps(square(cells[other, 0], cells[other, 1], x, y), 2):
                free = False
        if free:
            cells[count, 0] = x
            cells[count, 1] = y
            count += 1
            if count == SQUAD:
                return is_one_chain(cells, SQUAD)
    return False


@kernel
def scatter_squad(s, t) -> None:
    """Place Varras and Squad Octavian round wreck 1; after many failed tries as the standard layout does."""
    mission = int(s.core.mission)
    w = s.pieces[st.FIRST_WRECK + 1]
    cells = np.empty((SQUAD, 2), np.int64)
    for _ in range(TRIES):
        if choose_squad_cells(s, t, cells):
            order = np.arange(SQUAD)
            shuffle(s, order, SQUAD)
            for slot in range(SQUAD):
                muster(s, slot, cells[order[slot], 0], cells[order[slot], 1])
            return
    dx = int(w.x) - t.layout_wreck[mission, 1, 0]
    dy = int(w.y) - t.layout_wreck[mission, 1, 1]
    for slot in range(SQUAD):
        muster(s, slot, t.layout_x[mission, slot] + dx, t.layout_y[mission, slot] + dy)


@kernel
def scatter_brood_behind(s, t) -> bool:
    """Place three Genestealers behind a random wreck that has room (MAC-M3.7); False if none has."""
    places = np.empty((BROOD, 2), np.int64)
    order = np.arange(st.LAST_WRECK + 1)
    shuffle(s, order, st.LAST_WRECK + 1)
    for n in range(st.LAST_WRECK + 1):
        if fill_places_behind(s, t, order[n], BROOD, places):
            for k in range(BROOD):
                muster_in(s, st.FIRST_GENESTEALER + k, st.FIRST_GENESTEALER_UNIT, places[k, 0], places[k, 1])
            return True
    return False


@kernel
def scatter_broods(s, t) -> bool:
    """Place two units of three Genestealers at two random wrecks other than wreck 1 (mission 4)."""
    wrecks = np.empty(4, np.int64)
    for k in range(4):
        wrecks[k] = k if k == 0 else k + 1
    shuffle(s, wrecks, 4)
    for unit in range(2):
        w = s.pieces[st.FIRST_WRECK + wrecks[unit]]
        first = uniform(s.core, RING_SPOTS)
        for n in range(BROOD):
            best = -1
            best_d2 = 0
            for k in range(RING_SPOTS):
                if not is_free(s, int(w.x) + t.ring_x[k], int(w.y) + t.ring_y[k]):
                    continue
                d2 = square(t.ring_x[k], t.ring_y[k], t.ring_x[first], t.ring_y[first])
                if best < 0 or d2 < best_d2:
                    best = k
                    best_d2 = d2
            if best < 0 or best_d2 > COHERENT:
                return False
            slot = st.FIRST_GENESTEALER + BROOD * unit + n
            group = st.FIRST_GENESTEALER_UNIT + unit
            muster_in(s, slot, group, int(w.x) + t.ring_x[best], int(w.y) + t.ring_y[best])
    return True


@kernel
def scatter_core_mission(s, t) -> bool:
    """Try once to set mission 3 or 4 up at random; False leaves the record half done."""
    if not scatter_wreck(s, 0, 6, 6, 16, 80) or not scatter_wreck(s, 1, 18, 18, 10, 86):
        return False
    for k in range(2, st.LAST_WRECK + 1):
        if not scatter_wreck(s, k, 12, 76, 6, 90):
            return False
    if s.core.mission == st.FUSION_CORE:
        place_projectors(s)
        scatter_squad(s, t)
        return scatter_brood_behind(s, t)
    scatter_squad(s, t)
    return scatter_broods(s, t)
