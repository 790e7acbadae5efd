"""The action mask, from the same predicates that carrying an action out relies on."""

from __future__ import annotations

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.assault import charges_of, may_assault
from broodmind.envs.macragge.rules.board import alive
from broodmind.envs.macragge.rules.casualties import may_be_casualty
from broodmind.envs.macragge.rules.contact import locked_units
from broodmind.envs.macragge.rules.fighting import may_be_struck
from broodmind.envs.macragge.rules.mines import may_return_at
from broodmind.envs.macragge.rules.missile import FRAG, KRAK, may_aim_at
from broodmind.envs.macragge.rules.moving import (
    fill_edit_cells,
    fill_links,
    is_retreat,
    may_cross,
    may_move,
    new_links,
    new_plans,
    owner_of_unit,
)
from broodmind.envs.macragge.rules.offsets import WORDS, new_cells
from broodmind.envs.macragge.rules.retreat import may_take_lane
from broodmind.envs.macragge.rules.shooting import flame_directions, may_shoot_mine
from broodmind.envs.macragge.rules.spores import mine_of_type
from broodmind.envs.macragge.rules.tide import may_appear_behind
from broodmind.envs.macragge.rules.volley import may_disarm, may_scuttle, may_shoot, targets_of
from broodmind.envs.macragge.tables import DESTS, REACH
from broodmind.envs.macragge.turn import MARKERS


@kernel
def fill_mask(s, t, mask) -> None:
    """Fill the mask of the decision at hand with 0 and 1; all 0 when the game is over."""
    for a in range(mask.shape[0]):
        mask[a] = 0
    phase = int(s.phase)
    if phase == st.MOVE_SELECT:
        mask[act.PASS] = 1
        locked = locked_units(s)
        for group in range(st.UNITS):
            if may_move(s, group, locked) and owner_of_unit(s, group) == s.active:
                mask[act.SELECT + group] = 1
    elif phase == st.MOVE_PLAN:
        mask[act.PASS] = 1
        fill_march(s, mask)
        if may_cross(s):
            mask[act.CROSS] = 1
    elif phase == st.MOVE_EDIT:
        fill_edit(s, t, mask)
    elif phase == st.MOVE_CELL:
        fill_cell(s, t, mask)
    elif phase == st.MINE_DIR:
        for d in range(16):
            mask[act.DIR + d] = 1
    elif phase == st.SHOOT_SELECT and s.core.mission == st.CRASH_SITE:
        mask[act.PASS] = 1
        for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
            if may_shoot_mine(s, t, slot):
                mask[act.TARGET + st.FIRST_MINE_GROUP + slot - st.FIRST_MINE] = 1
    elif phase == st.FLAME:
        mask[act.PASS] = 1
        offer(mask, act.DIR, flame_directions(s, t))
    elif phase == st.CASUALTY:
        for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
            if may_be_casualty(s, slot):
                mask[act.MODEL + slot] = 1
    elif phase == st.SPAWN and s.core.mission <= st.RESCUE_VARRAS:
        mask[act.PASS] = 1
        for marker in range(MARKERS):
            if may_return_at(s, t, marker):
                mask[act.TARGET + st.FIRST_MARKER_GROUP + marker] = 1
    elif phase != st.OVER:
        fill_broods(s, t, phase, mask)


@kernel
def offer(mask, base: int, members: int) -> None:
    """Offer the actions of a verb whose first is `base`, for the members of a set."""
    while members != 0:
        mask[base + lowest_bit(members)] = 1
        members = without_lowest(members)


@kernel
def fill_broods(s, t, phase: int, mask) -> None:
    """Offer what only missions 3 to 6 ask for."""
    if phase == st.CORE_CARRIER:
        for slot in range(st.MISSILE):
            if alive(s, slot):
                mask[act.MODEL + slot] = 1
    elif phase == st.RETREAT:
        for lane in range(act.LANES):
            if may_take_lane(s, lane - act.LANE_CENTRE):
                mask[act.LANE + lane] = 1
        if may_cross(s):
            mask[act.CROSS] = 1
    elif phase == st.SHOOT_SELECT:
        mask[act.PASS] = 1
        locked = locked_units(s)
        for unit in range(st.UNITS):
            if owner_of_unit(s, unit) == s.active and may_shoot(s, t, unit, locked):
                mask[act.SELECT + unit] = 1
        if s.active == st.ULTRAMARINES and may_disarm(s):
            mask[act.DISARM] = 1
    elif phase == st.SHOOT_TARGET:
        mask[act.PASS] = 1
        offer(mask, act.TARGET, targets_of(s, t, int(s.unit), locked_units(s)))
        if may_scuttle(int(s.unit)):
            mask[act.SCUTTLE] = 1
    elif phase == st.MISSILE_TYPE:
        mask[act.PASS] = 1
        mask[act.MISSILE + KRAK] = 1
        if s.target != st.GROUP_NODE:
            mask[act.MISSILE + FRAG] = 1
    elif phase == st.AIM:
        for slot in range(st.FIRST_GENESTEALER, st.MODELS):
            if may_aim_at(s, slot):
                mask[act.MODEL + slot] = 1
    elif phase == st.ASSAULT_SELECT:
        mask[act.PASS] = 1
        for unit in range(st.UNITS):
            if may_assault(s, t, unit):
                mask[act.SELECT + unit] = 1
    elif phase == st.ASSAULT_TARGET:
        offer(mask, act.TARGET, charges_of(s, t, int(s.unit), False))
    elif phase == st.ASSAULT_CELL:
        mask[act.AUTO] = 1
        for cell in range(DESTS):
            mask[act.DEST + cell] = (s.cells[s.mover_index, cell >> 6] >> (cell & 63)) & 1
    elif phase == st.STRIKE:
        for slot in range(st.FIRST_MINE):
            if may_be_struck(s, int(s.model), slot):
                mask[act.MODEL + slot] = 1
    elif phase == st.ACID_DIR:
        for d in range(16):
            mask[act.DIR + d] = 1
    elif phase == st.BEACON:
        mask[act.PASS] = 1
        mask[act.ACTIVATE] = 1
    elif phase == st.SPAWN and s.core.mission == st.PURGE_THE_XENOS:
        mask[act.PASS] = 1
        for kind in range(3):
            if mine_of_type(s, kind) >= 0:
                mask[act.SPAWN + kind] = 1
    elif phase == st.SPAWN:
        for wreck in range(st.LAST_WRECK + 1):
            if may_appear_behind(s, t, wreck):
                mask[act.TARGET + st.FIRST_WRECK_GROUP + wreck] = 1


@kernel
def fill_march(s, mask) -> None:
    """Offer every offset that some model of the unit can go by (MAC-B27)."""
    for cell in range(0, DESTS, 64):
        w = cell >> 6
        bits = 0
        for k in range(int(s.mover_count)):
            bits |= s.cells[k, w]
        for b in range(min(64, DESTS - cell)):
            mask[act.DEST + cell + b] = (bits >> b) & 1


@kernel
def fill_edit(s, t, mask) -> None:
    """Offer the models of the plan that were not edited yet and have another legal cell (MAC-B28)."""
    mask[act.PASS] = 1
    links = new_links()
    cells = new_cells()
    plans = new_plans()
    components = fill_links(s, plans, links)
    for k in range(int(s.mover_count)):
        slot = int(s.movers[k])
        if s.models[slot].marks & st.FLAG_EDITED == 0 and fill_edit_cells(
            s, t, k, plans, links, components, True, cells
        ):
            mask[act.MODEL + slot] = 1


@kernel
def fill_cell(s, t, mask) -> None:
    """Offer the other cells of the model in hand, as offsets from its planned one (MAC-B28)."""
    mask[act.DEST] = 1
    for k in range(int(s.mover_count)):
        if s.movers[k] != s.model:
            continue
        m = s.models[s.model]
        dx = 0 if is_retreat(s) else int(m.start_x) - int(m.plan_x)
        dy = 0 if is_retreat(s) else int(m.start_y) - int(m.plan_y)
        links = new_links()
        cells = new_cells()
        plans = new_plans()
        components = fill_links(s, plans, links)
        fill_edit_cells(s, t, k, plans, links, components, False, cells)
        for w in range(WORDS):
            left = cells[w]
            while left != 0:
                cell = 64 * w + lowest_bit(left)
                left = without_lowest(left)
                x = dx + t.dest_x[cell] + REACH
                y = dy + t.dest_y[cell] + REACH
                mask[act.DEST + t.dest_index[x, y]] = 1
