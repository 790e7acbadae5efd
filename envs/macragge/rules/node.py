"""The hive node: wounds, and the broods it returns (MAC-M5.4, M5.7, M5.8)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import put
from broodmind.envs.macragge.rules.geometry import on_table, overlaps, square
from broodmind.envs.macragge.rules.moving import nearest_ultramarine
from broodmind.envs.macragge.rules.tide import free_unit
from broodmind.envs.macragge.tables import DESTS, RING_SPOTS

WOUNDS = 4
DAMAGED = 2
"""Wounds left at which the node is damaged."""
RETURNS_DAMAGED = 2
CLEAR = 16
"""Returned models stand more than an inch from Ultramarines: d2 > 16."""
GENESTEALER_UNIT = 2
TERMAGANT_UNIT = 4
"""Termagants that make a nest a unit."""


@kernel
def wound_node(s, log) -> None:
    """Take a wound off the node; without any left it is disabled, and stays on the table."""
    p = s.pieces[st.PIECE_NODE]
    p.hp = int(p.hp) - 1
    emit(log, st.EVENT_NODE_WOUNDED, int(p.hp))


@kernel
def may_return_to(s, x: int, y: int) -> bool:
    """Say whether a returned model may stand there: on the table, on nothing, not within an inch of an Ultramarine."""
    if not on_table(x, y) or nearest_ultramarine(s, x, y) <= CLEAR:
        return False
    for slot in range(st.FIRST_GENESTEALER, st.MODELS):
        m = s.models[slot]
        if m.status == st.STATUS_TABLE and overlaps(square(int(m.x), int(m.y), x, y), 2):
            return False
    for k in range(st.PIECES):
        p = s.pieces[k]
        if p.kind != st.PIECE_NONE and overlaps(square(int(p.x), int(p.y), x, y), 1 + int(p.r)):
            return False
    return True


@kernel
def place_at_node(s, t, log, slot: int, group: int) -> bool:
    """Return a model to a nest: touching the node, nearest to an Ultramarine, else as near the node as may be.

    Ties in DEST order; False if there is no room and it waits.
    """
    node = s.pieces[st.PIECE_NODE]
    best_x = -1
    best_y = -1
    best_d2 = 0
    for k in range(RING_SPOTS):
        x = int(node.x) + t.ring_x[k]
        y = int(node.y) + t.ring_y[k]
        if may_return_to(s, x, y):
            d2 = nearest_ultramarine(s, x, y)
            if best_x < 0 or d2 < best_d2:
                best_x = x
                best_y = y
                best_d2 = d2
    if best_x < 0:
        for cell in range(DESTS):
            x = int(node.x) + t.dest_x[cell]
            y = int(node.y) + t.dest_y[cell]
            if may_return_to(s, x, y):
                best_x = x
                best_y = y
                break
    if best_x < 0:
        return False
    put(s, slot, best_x, best_y)
    s.models[slot].group = group
    g = s.groups[group]
    g.kind = st.GROUP_GENESTEALERS if slot <= st.LAST_GENESTEALER else st.GROUP_TERMAGANTS
    g.living = int(g.living) + 1
    emit(log, st.EVENT_MODEL_RETURNED, slot, group, best_x, best_y)
    return True


@kernel
def return_brood(s, t, log, first: int, last: int, nest: int, most: int) -> None:
    """Return up to `most` models of a range of slots out of play to a nest; without room they wait."""
    for slot in range(first, last + 1):
        if s.models[slot].status == st.STATUS_OUT and most > 0:
            if not place_at_node(s, t, log, slot, nest):
                return
            most -= 1


@kernel
def return_broods(s, t, log) -> None:
    """Return what the node still makes: fewer if it is damaged, none if disabled or gone (MAC-M5.7, M6.8)."""
    p = s.pieces[st.PIECE_NODE]
    if p.kind == st.PIECE_NONE or p.hp <= 0:
        return
    damaged = p.hp <= DAMAGED
    purge = s.core.mission == st.PURGE_THE_XENOS
    termagants = RETURNS_DAMAGED
    if not damaged:
        termagants = 3 if purge else 10
    return_brood(s, t, log, st.FIRST_TERMAGANT, st.LAST_TERMAGANT, st.GROUP_TERMAGANT_NEST, termagants)
    if purge:
        genestealers = 1 if damaged else 2
        return_brood(
            s, t, log, st.FIRST_GENESTEALER, st.LAST_GENESTEALER, st.GROUP_GENESTEALER_NEST, genestealers
        )


@kernel
def hatch(s, log, nest: int, fewest: int, first: int, last: int) -> None:
    """Make a nest with enough models a new unit at once; it moves next turn (MAC-M5.8)."""
    n = s.groups[nest]
    if n.living < fewest:
        return
    group = free_unit(s, first, last)
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        if s.models[slot].status == st.STATUS_TABLE and s.models[slot].group == nest:
            s.models[slot].group = group
    g = s.groups[group]
    g.kind = n.kind
    g.living = n.living
    g.marks = 0
    n.kind = st.GROUP_NONE
    n.living = 0
    n.marks = 0
    emit(log, st.EVENT_UNIT_PLACED, group, int(g.living), st.PIECE_NODE)


@kernel
def run_node(s, t, log) -> None:
    """Return broods at the end of the Tyranids' turn (MAC-M5.7, M5.8)."""
    return_broods(s, t, log)
    hatch(s, log, st.GROUP_TERMAGANT_NEST, TERMAGANT_UNIT, st.FIRST_TERMAGANT_UNIT, st.LAST_TERMAGANT_UNIT)
    hatch(
        s,
        log,
        st.GROUP_GENESTEALER_NEST,
        GENESTEALER_UNIT,
        st.FIRST_GENESTEALER_UNIT,
        st.LAST_GENESTEALER_UNIT,
    )
