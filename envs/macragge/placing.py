"""Putting models and pieces on an empty board: what all layouts are made of."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import uniform
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import put, stand
from broodmind.envs.macragge.rules.geometry import on_table, square

WRECK_RADIUS = 4
TRIES = 64
WRECK_SPACING = 32 * 32
"""Wrecks stand more than 12 inches apart: d2 > (24 + 8)^2."""


@kernel
def clear(s) -> None:
    """Empty the record, all but its core."""
    for slot in range(st.MODELS):
        m = s.models[slot]
        stand(m, 0, 0)
        m.kind = 0
        m.status = st.STATUS_OUT
        m.group = -1
        m.mine_type = 0
        m.aim = -1
        m.attacks = 0
        m.marks = 0
    for group in range(st.STORED_GROUPS):
        g = s.groups[group]
        g.kind = st.GROUP_NONE
        g.living = 0
        g.marks = 0
        g.allowance = 0
    for k in range(st.PIECES):
        p = s.pieces[k]
        p.kind = st.PIECE_NONE
        p.x = 0
        p.y = 0
        p.r = 0
        p.hp = 0
        p.marks = 0
    for k in range(4):
        s.exit_rect[k] = 0
    for k in range(3):
        s.rendezvous[k] = 0
    for k in range(8):
        s.detonations[k] = 0
    for k in range(12):
        frame = s.frames[k]
        frame.op = 0
        frame.a = 0
        frame.b = 0
        frame.c = 0
    for k in range(st.MAX_UNIT):
        s.movers[k] = 0
        for w in range(st.CELL_WORDS):
            s.cells[k, w] = 0
    s.step = 0
    s.phase = st.NO_DECISION
    s.unit = -1
    s.model = -1
    s.target = -1
    s.shooter = -1
    s.allowance = 0
    s.crossing = 0
    s.die = 0
    s.wounds = 0
    s.squad = -1
    s.cursor = 0
    s.kills = 0
    s.fusion_core = st.CORE_NONE
    s.core_carrier = -1
    s.core_timer = 0
    s.varras_carrier = -1
    s.field = 0
    s.thunderhawk = st.THUNDERHAWK_NONE
    s.mover_count = 0
    s.mover_index = 0
    s.detonation_head = 0
    s.detonation_tail = 0
    s.frame_count = 0
    s.active = st.ULTRAMARINES


@kernel
def kind_of_slot(slot: int) -> int:
    """Return what stands in a slot."""
    if slot <= st.FLAMER:
        return slot  # Varras, Octavian, flamer
    if slot == st.MISSILE:
        return st.KIND_MISSILE
    if slot < st.FIRST_GENESTEALER:
        return st.KIND_BOLTER
    if slot <= st.LAST_GENESTEALER:
        return st.KIND_GENESTEALER
    return st.KIND_TERMAGANT if slot <= st.LAST_TERMAGANT else st.KIND_MINE


@kernel
def mine_type(s, slot: int) -> int:
    """Return the type of a mine: all are explosive in missions 1 and 2."""
    if s.core.mission <= st.RESCUE_VARRAS or slot <= 29:
        return st.MINE_EXPLOSIVE
    return st.MINE_ACID if slot <= 32 else st.MINE_POISON


@kernel
def enrol(s, t) -> None:
    """Give the models of the mission their kinds and groups."""
    mission = int(s.core.mission)
    for slot in range(st.MODELS):
        if t.roster[mission, slot] == 0:
            continue
        m = s.models[slot]
        m.kind = kind_of_slot(slot)
        if slot == st.VARRAS:
            m.group = st.GROUP_VARRAS if mission <= st.RESCUE_VARRAS else st.GROUP_OCTAVIAN
        elif slot < st.MISSILE:
            m.group = st.GROUP_OCTAVIAN
        elif slot < st.FIRST_GENESTEALER:
            m.group = st.GROUP_ATREUS
        elif slot < st.FIRST_MINE:
            continue  # belongs to a unit only while on the table
        else:
            m.group = st.FIRST_MINE_GROUP + slot - st.FIRST_MINE
            m.mine_type = mine_type(s, slot)
        s.groups[m.group].kind = st.GROUP_ULTRAMARINES if slot < st.FIRST_GENESTEALER else st.GROUP_MINE


@kernel
def muster(s, slot: int, x: int, y: int) -> None:
    """Put a model of the roster on the table and count it in its group."""
    put(s, slot, x, y)
    g = s.groups[s.models[slot].group]
    g.living = int(g.living) + 1


@kernel
def muster_in(s, slot: int, group: int, x: int, y: int) -> None:
    """Put a Genestealer or Termagant on the table in a unit."""
    g = s.groups[group]
    g.kind = st.GROUP_GENESTEALERS if slot <= st.LAST_GENESTEALER else st.GROUP_TERMAGANTS
    s.models[slot].group = group
    muster(s, slot, x, y)


@kernel
def place_piece(s, k: int, kind: int, x: int, y: int, r: int, flags: int) -> None:
    """Put a piece on the table."""
    p = s.pieces[k]
    p.kind = kind
    p.x = x
    p.y = y
    p.r = r
    p.hp = 0
    if kind == st.PIECE_MARKER:
        p.hp = 2 if s.core.mission == st.PURGE_THE_XENOS else 1
    p.marks = flags
    if kind == st.PIECE_MARKER:
        g = s.groups[st.FIRST_MARKER_GROUP + k - st.FIRST_MARKER]
        g.kind = st.GROUP_MARKER
        g.living = 1


@kernel
def place_wreck(s, k: int, x: int, y: int, r: int) -> None:
    """Put wreck `k` on the table; in missions 1 to 4 wreck 0 is the cockpit and wreck 1 holds the core."""
    flags = 0
    if s.core.mission <= st.XENO_TIDE:
        if k == 0:
            flags = st.PIECE_COCKPIT
        elif k == 1:
            flags = st.PIECE_CORE
    place_piece(s, st.FIRST_WRECK + k, st.PIECE_WRECK, x, y, r, flags)


@kernel
def between(s, low: int, high: int) -> int:
    """Draw an integer low..high from the generator (layouts never read the dice queue, MAC-B17)."""
    return low + uniform(s.core, high - low + 1)


@kernel
def far_from_wrecks(s, count: int, x: int, y: int) -> bool:
    """Say whether a wreck there would be more than 12 inches from the first `count` wrecks."""
    for k in range(count):
        p = s.pieces[st.FIRST_WRECK + k]
        if square(int(p.x), int(p.y), x, y) <= WRECK_SPACING:
            return False
    return True


@kernel
def scatter_wreck(s, k: int, west: int, east: int, south: int, north: int) -> bool:
    """Place wreck `k` at random in a box, more than 12 inches from the earlier ones; False if no try succeeds."""
    for _ in range(TRIES):
        x = between(s, west, east)
        y = between(s, south, north)
        if far_from_wrecks(s, k, x, y):
            place_wreck(s, k, x, y, WRECK_RADIUS)
            return True
    return False


@kernel
def is_free(s, x: int, y: int) -> bool:
    """Say whether a base there overlaps nothing: no model, no piece."""
    if not on_table(x, y):
        return False
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and square(int(m.x), int(m.y), x, y) < 4:
            return False
    for k in range(st.PIECES):
        p = s.pieces[k]
        radii = int(p.r) + 1
        if p.kind != st.PIECE_NONE and square(int(p.x), int(p.y), x, y) < radii * radii:
            return False
    return True
