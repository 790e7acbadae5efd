"""Who touches whom: base contact between fighters, locks, cover, the nearest of a group (MAC-B3, B33, B37)."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import end_of_ultramarines, first_tyranid
from broodmind.envs.macragge.rules.geometry import apart, square

CONTACT = 6
"""Largest squared distance of two bases in contact."""
NOBODY = 1 << 30


@kernel
def first_enemy(slot: int) -> int:
    """Return the first slot of the fighters opposed to a model."""
    return st.FIRST_GENESTEALER if slot < st.FIRST_GENESTEALER else 0


@kernel
def end_of_enemies(slot: int) -> int:
    """Return the slot after the last of the fighters opposed to a model (mines are no fighters)."""
    return st.FIRST_MINE if slot < st.FIRST_GENESTEALER else st.FIRST_GENESTEALER


@kernel
def touches_enemy(s, slot: int, x: int, y: int) -> bool:
    """Say whether a model would touch an enemy fighter if it stood at (x, y)."""
    for other in range(first_enemy(slot), end_of_enemies(slot)):
        o = s.models[other]
        if o.status == st.STATUS_TABLE and square(int(o.x), int(o.y), x, y) <= CONTACT:
            return True
    return False


@kernel
def is_engaged(s, slot: int) -> bool:
    """Say whether a fighter is in base contact with an enemy fighter."""
    m = s.models[slot]
    return slot < st.FIRST_MINE and m.status == st.STATUS_TABLE and touches_enemy(s, slot, int(m.x), int(m.y))


@entry
def is_locked(s, group: int) -> bool:
    """Say whether a unit is in base contact with enemy fighters (MAC-B37)."""
    for slot in range(st.FIRST_MINE):
        if s.models[slot].group == group and is_engaged(s, slot):
            return True
    return False


@kernel
def locked_units(s) -> int:
    """Return the units that are locked, as bits: what `is_locked` says of each."""
    locked = 0
    for slot in range(end_of_ultramarines(s)):
        m = s.models[slot]
        if m.status != st.STATUS_TABLE:
            continue
        for other in range(first_tyranid(s), st.FIRST_MINE):
            o = s.models[other]
            if o.status == st.STATUS_TABLE and apart(m, o) <= CONTACT:
                locked |= 1 << int(m.group) | 1 << int(o.group)
    return locked


@entry
def touches_group(s, slot: int, group: int) -> bool:
    """Say whether a model is in base contact with a model of a group."""
    m = s.models[slot]
    for other in range(first_enemy(slot), end_of_enemies(slot)):
        o = s.models[other]
        if o.status == st.STATUS_TABLE and o.group == group and apart(m, o) <= CONTACT:
            return True
    return False


@kernel
def piece_of_group(group: int) -> int:
    """Return the piece that a target group stands for, or -1 for a group of models."""
    if group >= st.FIRST_WRECK_GROUP:
        return st.FIRST_WRECK + group - st.FIRST_WRECK_GROUP
    if group >= st.FIRST_PROJECTOR_GROUP:
        return st.FIRST_PROJECTOR + group - st.FIRST_PROJECTOR_GROUP
    if group == st.GROUP_NODE:
        return st.PIECE_NODE
    if group >= st.FIRST_MARKER_GROUP:
        return st.FIRST_MARKER + group - st.FIRST_MARKER_GROUP
    return -1


@kernel
def nearest_of_group(s, group: int, x: int, y: int) -> int:
    """Return the living model of a group nearest to a point (ties: lowest slot), or -1."""
    best = -1
    best_d2 = NOBODY
    for slot in range(st.MODELS):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and m.group == group:
            d2 = square(int(m.x), int(m.y), x, y)
            if d2 < best_d2:
                best = slot
                best_d2 = d2
    return best


@kernel
def distance_to_group(s, group: int, x: int, y: int) -> int:
    """Return the squared distance from a point to the nearest living model of a group, or to its piece."""
    piece = piece_of_group(group)
    if piece >= 0:
        p = s.pieces[piece]
        return square(int(p.x), int(p.y), x, y) if p.kind != st.PIECE_NONE else NOBODY
    slot = nearest_of_group(s, group, x, y)
    return square(int(s.models[slot].x), int(s.models[slot].y), x, y) if slot >= 0 else NOBODY


@kernel
def radii_to_group(s, group: int) -> int:
    """Return the sum of the radii of a base and what a target group stands for."""
    piece = piece_of_group(group)
    return 2 if piece < 0 else 1 + int(s.pieces[piece].r)


@kernel
def in_cover(s, slot: int) -> bool:
    """Say whether a model may take a cover save: it touches a wreck, or the node, or is of a nest (MAC-B33, M6.8)."""
    m = s.models[slot]
    if s.core.mission == st.PURGE_THE_XENOS and (
        m.group == st.GROUP_GENESTEALER_NEST or m.group == st.GROUP_TERMAGANT_NEST
    ):
        return True
    for k in range(st.PIECES):
        p = s.pieces[k]
        if p.kind == st.PIECE_WRECK or p.kind == st.PIECE_HIVE_NODE:
            radii = int(p.r) + 1
            if apart(m, p) <= radii * radii + radii:
                return True
    return False
