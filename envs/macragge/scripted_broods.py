"""The hand-written players of missions 3 to 6: sensible, quick, and no more than a baseline.

The squad takes the core out first and falls back away from the broods (what it shoots at and where it marches:
`scripted_squads`); the broods run at the field while it stands, then at the squad.
"""

from __future__ import annotations

import math

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.assault import charges_of, may_assault
from broodmind.envs.macragge.rules.board import alive, first_tyranid
from broodmind.envs.macragge.rules.casualties import may_be_casualty
from broodmind.envs.macragge.rules.contact import NOBODY, is_locked, locked_units
from broodmind.envs.macragge.rules.fighting import may_be_struck
from broodmind.envs.macragge.rules.geometry import SMALL_BLAST_COVERED, SMALL_BLAST_TOUCHED, apart, square
from broodmind.envs.macragge.rules.missile import FRAG, KRAK, may_aim_at
from broodmind.envs.macragge.rules.moving import may_go, may_move, nearest_ultramarine, owner_of_unit
from broodmind.envs.macragge.rules.reach import touches_wreck
from broodmind.envs.macragge.rules.retreat import isqrt, may_take_lane
from broodmind.envs.macragge.rules.shooting import flame_directions, touched_directions
from broodmind.envs.macragge.rules.spores import mine_of_type
from broodmind.envs.macragge.rules.tide import may_appear_behind
from broodmind.envs.macragge.rules.volley import may_disarm, may_scuttle, may_shoot, targets_of
from broodmind.envs.macragge.scripted_squads import (
    carries_core,
    distance_of_units,
    goal_of_squad,
    holds_fire,
    leader_of_squad,
    stands,
    wants_pick_up,
    worth_of_volley,
)
from broodmind.envs.macragge.tables import DESTS

WORST = -1e18
LEAD = 10
"""Steps by which the broods of mission 4 aim ahead of the squad."""


@kernel
def choose_target(s, t) -> int:
    """Shoot where it is worth most; Termagants at the nearest squad."""
    unit = int(s.unit)
    best = act.PASS
    best_worth = 0.0 if s.active == st.ULTRAMARINES else WORST
    targets = targets_of(s, t, unit, locked_units(s))
    while targets != 0:
        group = lowest_bit(targets)
        targets = without_lowest(targets)
        if s.active == st.ULTRAMARINES:
            worth = worth_of_volley(s, t, unit, group)
        else:
            worth = -float(distance_of_units(s, unit, group))
        if worth > best_worth:
            best = act.TARGET + group
            best_worth = worth
    return best


@kernel
def choose_template(s, t) -> int:
    """Fire the flamer where it touches most."""
    f = s.models[st.FLAMER]
    allowed = flame_directions(s, t)
    best = act.PASS
    most = 0
    for d in range(16):
        if not (allowed >> d) & 1:
            continue
        count = 0
        for slot in range(first_tyranid(s), st.FIRST_MINE):
            m = s.models[slot]
            if alive(s, slot) and (touched_directions(t, int(m.x), int(m.y), int(f.x), int(f.y)) >> d) & 1:
                count += 1
        if count > most:
            best = act.DIR + d
            most = count
    return best


@kernel
def choose_aim(s) -> int:
    """Aim the frag missile where its blast touches most."""
    best = act.PASS
    most = 0
    for slot in range(st.FIRST_GENESTEALER, st.MODELS):
        if not may_aim_at(s, slot):
            continue
        count = 0
        for other in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
            if alive(s, other):
                d2 = apart(s.models[slot], s.models[other])
                count += int(d2 <= SMALL_BLAST_TOUCHED) + int(d2 <= SMALL_BLAST_COVERED)
        if best == act.PASS or count > most:
            best = act.MODEL + slot
            most = count
    return best


@kernel
def choose_carrier(s) -> int:
    """Let the foremost Space Marine carry the core."""
    best = st.OCTAVIAN
    for slot in range(st.OCTAVIAN, st.MISSILE):
        if alive(s, slot) and s.models[slot].x > s.models[best].x:
            best = slot
    return act.MODEL + best


@kernel
def nearest_brood(s, x: int, y: int) -> int:
    """Return the squared distance from a point to the nearest Genestealer or Termagant."""
    best = NOBODY
    for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
        m = s.models[slot]
        if alive(s, slot):
            best = min(best, square(int(m.x), int(m.y), x, y))
    return best


@kernel
def choose_lane(s) -> int:
    """Fall back fast, round wrecks and away from the broods; cross only from the top of a wreck."""
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        for piece in range(st.FIRST_WRECK, st.LAST_WRECK + 1):
            p = s.pieces[piece]
            on = square(int(p.x), int(p.y), int(m.x), int(m.y)) < (int(p.r) + 1) * (int(p.r) + 1)
            if p.kind == st.PIECE_WRECK and on and s.crossing == 0:
                return act.CROSS
    far = 2 * int(s.allowance)
    best = 0
    best_score = WORST
    for dy in range(-act.LANE_CENTRE, act.LANE_CENTRE + 1):
        if not may_take_lane(s, dy):
            continue
        ahead = isqrt(far * far - dy * dy)
        score = 2.0 * ahead
        for k in range(int(s.mover_count)):
            m = s.models[s.movers[k]]
            x = min(int(m.x) + ahead, 95)
            y = min(max(int(m.y) + dy, 1), 95)
            score += 0.5 * math.sqrt(min(nearest_brood(s, x, y), 900))
            if s.crossing == 0 and touches_wreck(s, x, y, 1):
                score -= 6.0
        if score > best_score:
            best_score = score
            best = dy
    return act.LANE + act.LANE_CENTRE + best


@kernel
def prey_of(s, x: int, y: int) -> tuple[int, int]:
    """Return the point a brood makes for: a projector while the field stands, else the nearest Ultramarine."""
    best_x = 48
    best_y = 48
    best = NOBODY
    if s.field:
        for k in range(st.FIRST_PROJECTOR, st.LAST_PROJECTOR + 1):
            p = s.pieces[k]
            d2 = square(int(p.x), int(p.y), x, y)
            if p.kind == st.PIECE_PROJECTOR and d2 < best:
                best = d2
                best_x = int(p.x)
                best_y = int(p.y)
        return best_x, best_y
    for slot in range(st.FIRST_GENESTEALER):
        m = s.models[slot]
        if alive(s, slot):
            d2 = square(int(m.x), int(m.y), x, y)
            if d2 < best:
                best = d2
                best_x = int(m.x)
                best_y = int(m.y)
    if s.core.mission == st.XENO_TIDE and best > 400:
        best_x = min(best_x + LEAD, 95)
    return best_x, best_y


@kernel
def leader_of_brood(s) -> int:
    """Return the mover that leads the brood in hand: the one nearest to an Ultramarine."""
    lead = 0
    best = NOBODY
    for k in range(int(s.mover_count)):
        m = s.models[s.movers[k]]
        d2 = nearest_ultramarine(s, int(m.x), int(m.y))
        if d2 < best:
            best = d2
            lead = k
    return lead


@kernel
def plan_march(s, t) -> int:
    """March the unit in hand, or stay: its leader gets as near to its goal as it can."""
    if s.active == st.ULTRAMARINES:
        if stands(s):
            return act.PASS
        lead = leader_of_squad(s)
        m = s.models[s.movers[lead]]
        px, py = goal_of_squad(s, m)
    else:
        lead = leader_of_brood(s)
        m = s.models[s.movers[lead]]
        px, py = prey_of(s, int(m.x), int(m.y))
    best = act.PASS
    best_d2 = NOBODY
    for cell in range(DESTS):
        if may_go(s, lead, cell):
            d2 = square(int(m.x) + t.dest_x[cell], int(m.y) + t.dest_y[cell], px, py)
            if d2 < best_d2:
                best_d2 = d2
                best = act.DEST + cell
    return best


@kernel
def choose_loss(s) -> int:
    """Lose the missile launcher (it does not fire on the move) and bolters first, who carries something last."""
    best = st.OCTAVIAN
    best_worth = 100
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if not may_be_casualty(s, slot):
            continue
        worth = 1 if slot <= st.FLAMER else 0
        if slot == s.core_carrier or slot == s.varras_carrier:
            worth += 2
        if worth < best_worth:
            best = slot
            best_worth = worth
    return act.MODEL + best


@kernel
def choose_drift(s, t) -> int:
    """Steer a mine, or spray acid, at the nearest Ultramarine."""
    m = s.models[s.model]
    x = int(m.x)
    y = int(m.y)
    if s.phase == st.ACID_DIR:
        frame = s.frames[int(s.frame_count) - 1]
        x = int(frame.a)
        y = int(frame.b)
    px, py = prey_of(s, x, y)
    best = 0
    best_ahead = WORST
    for d in range(16):
        ahead = float((px - x) * t.unit_x[d] + (py - y) * t.unit_y[d])
        if ahead > best_ahead:
            best_ahead = ahead
            best = d
    return act.DIR + best


@kernel
def choose_wreck(s, t) -> int:
    """Let new Genestealers appear as near to the Ultramarines as they may."""
    best = 0
    best_d2 = NOBODY + 1
    for wreck in range(st.LAST_WRECK + 1):
        if may_appear_behind(s, t, wreck):
            p = s.pieces[st.FIRST_WRECK + wreck]
            d2 = nearest_ultramarine(s, int(p.x), int(p.y))
            if d2 < best_d2:
                best = wreck
                best_d2 = d2
    return act.TARGET + st.FIRST_WRECK_GROUP + best


@kernel
def choose_to_charge(s, t) -> int:
    """Charge Ultramarines rather than projectors."""
    charges = charges_of(s, t, int(s.unit), False)
    if carries_core(s, int(s.unit)) and (charges >> st.GROUP_NODE) & 1:
        return act.TARGET + st.GROUP_NODE
    return act.TARGET + lowest_bit(charges) if charges != 0 else act.PASS


@kernel
def wants_to_assault(s, t, unit: int) -> bool:
    """Say whether a unit that may charge does: the squads of mission 6 have no time for it but at the node."""
    if s.active == st.TYRANIDS or s.core.mission != st.PURGE_THE_XENOS or is_locked(s, unit):
        return True
    return carries_core(s, unit) and (charges_of(s, t, unit, False) >> st.GROUP_NODE) & 1 != 0


@kernel
def choose_in_broods(s, t, seed: int) -> int:
    """Return the choice of the hand-written player of missions 3 to 6 for the seat to act."""
    phase = int(s.phase)
    if phase == st.CORE_CARRIER:
        return choose_carrier(s)
    if phase == st.MOVE_SELECT:
        locked = locked_units(s)
        for group in range(st.UNITS):
            if may_move(s, group, locked) and owner_of_unit(s, group) == s.active:
                return act.SELECT + group
    elif phase == st.MOVE_PLAN:
        return plan_march(s, t)
    elif phase == st.RETREAT:
        return choose_lane(s)
    elif phase == st.MOVE_CELL:
        return act.DEST
    elif phase == st.SHOOT_SELECT:
        if s.active == st.ULTRAMARINES and may_disarm(s):
            return act.DISARM
        locked = locked_units(s)
        for group in range(st.UNITS):
            if (
                owner_of_unit(s, group) == s.active
                and not holds_fire(s, group)
                and may_shoot(s, t, group, locked)
            ):
                return act.SELECT + group
    elif phase == st.SHOOT_TARGET:
        chosen = choose_target(s, t)
        return act.SCUTTLE if chosen == act.PASS and may_scuttle(int(s.unit)) else chosen
    elif phase == st.MISSILE_TYPE:
        return act.MISSILE + (KRAK if s.target == st.GROUP_NODE else FRAG)
    elif phase == st.AIM:
        return choose_aim(s)
    elif phase == st.CASUALTY:
        return choose_loss(s)
    elif phase == st.FLAME:
        return choose_template(s, t)
    elif phase == st.ASSAULT_SELECT:
        for group in range(st.UNITS):
            if may_assault(s, t, group) and wants_to_assault(s, t, group):
                return act.SELECT + group
    elif phase == st.ASSAULT_TARGET:
        return choose_to_charge(s, t)
    elif phase == st.ASSAULT_CELL:
        return act.AUTO
    elif phase == st.STRIKE:
        for slot in range(st.FIRST_MINE):
            if may_be_struck(s, int(s.model), slot):
                return act.MODEL + slot
    elif phase == st.MINE_DIR or phase == st.ACID_DIR:
        return choose_drift(s, t)
    elif phase == st.BEACON:
        return act.ACTIVATE if wants_pick_up(s) else act.PASS
    elif phase == st.SPAWN and s.core.mission == st.PURGE_THE_XENOS:
        for kind in range(3):
            if mine_of_type(s, kind) >= 0:
                return act.SPAWN + kind
    elif phase == st.SPAWN:
        return choose_wreck(s, t)
    return act.PASS
