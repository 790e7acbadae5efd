"""The hand-written players, one for each seat: sensible, quick, and no more than a baseline.

Varras runs for the exit and keeps his distance from mines; the squad walks until the flamer can burn a marker without
touching a friend; mines are steered at Varras, or where he will be.

The tuned players of missions 1 and 2 differ in what games of one against the other have shown to be better: Varras
keeps to the middle of the table, all mines hunt him and come from different sides, and in the crash site they lead him
by more the faster he makes for the exit.

The swarm, a third player of the Tyranids in mission 2, is for opponents who do not look after themselves: its mines
gather where the Ultramarines stand closest together, and go off where they catch most of them.
"""

from __future__ import annotations

import math

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.board import alive
from broodmind.envs.macragge.rules.casualties import may_be_casualty
from broodmind.envs.macragge.rules.contact import CONTACT
from broodmind.envs.macragge.rules.geometry import (
    LARGE_BLAST_COVERED,
    LARGE_BLAST_TOUCHED,
    on_table,
    square,
)
from broodmind.envs.macragge.rules.mines import (
    drift_end,
    may_return_at,
    rests_badly,
    round_thousandths,
    surroundings,
)
from broodmind.envs.macragge.rules.moving import may_go, may_move
from broodmind.envs.macragge.rules.shooting import flame_directions, may_shoot_mine, touched_directions
from broodmind.envs.macragge.scripted_broods import choose_in_broods
from broodmind.envs.macragge.tables import DESTS

MINE_REACH = 18.0
"""Steps within which a mine is a danger next turn."""
WORST = -1e18
PLAIN, TUNED, SWARM = 0, 1, 2
"""The hand-written players: `scripted`, `scripted:tuned` and `scripted:swarm`."""

MIDDLE, MIDDLE_TUNED = 0.02, 0.7
"""How much a step away from the middle of the table weighs, against danger, for Varras in mission 2."""
LEAD, LEAD_TUNED = 0.6, 0.8
"""How far mines aim ahead of Varras in mission 1, as a share of their distance; if they are tuned, at most."""
SWIFT = 0.75
"""Share of his full speed at which a tuned mine leads Varras by all of that."""
PAST = 5.0
"""Steps that a tuned mine makes for beyond Varras, at most."""
TOGETHER = 40
"""Mines within so many steps of Varras come from different sides, if they are tuned."""
GATHERING = 10.0
"""Steps within which an Ultramarine draws a swarm by more than 1/e of what one does who stands there."""


@kernel
def zone_distance(s, x: int, y: int) -> float:
    """Return the distance from a point to the exit zone in steps."""
    dx = max(int(s.exit_rect[0]) - x, 0, x - int(s.exit_rect[2]))
    dy = max(int(s.exit_rect[1]) - y, 0, y - int(s.exit_rect[3]))
    return math.sqrt(dx * dx + dy * dy)


@kernel
def mine_danger(s, x: int, y: int) -> float:
    """Return how dangerous the mines, and markers that may return one, make a point."""
    danger = 0.0
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        if alive(s, slot):
            m = s.models[slot]
            gap = MINE_REACH - math.sqrt(square(int(m.x), int(m.y), x, y))
            if gap > 0.0:
                danger += gap * gap
    for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
        p = s.pieces[k]
        if p.kind == st.PIECE_MARKER:
            gap = 12.0 - math.sqrt(square(int(p.x), int(p.y), x, y))
            if gap > 0.0:
                danger += 0.3 * gap * gap
    return danger


@kernel
def plan_varras(s, t, tuned: bool) -> int:
    """Choose where Varras goes: towards the exit in mission 1, to safety in mission 2."""
    m = s.models[st.VARRAS]
    best = act.PASS
    best_score = WORST
    for cell in range(DESTS):
        if not may_go(s, 0, cell):
            continue
        x = int(m.x) + t.dest_x[cell]
        y = int(m.y) + t.dest_y[cell]
        score = -mine_danger(s, x, y)
        if s.core.mission == st.CRASH_SITE:
            away = zone_distance(s, x, y)
            score = 0.35 * score - 10.0 * away
            if away == 0.0:
                score += 1e6
        else:
            # a corner is a trap
            score -= (MIDDLE_TUNED if tuned else MIDDLE) * (abs(x - 48) + abs(y - 48))
        if score > best_score:
            best_score = score
            best = act.DEST + cell
    return best


@kernel
def nearest_marker(s, x: int, y: int) -> int:
    """Return the piece of the nearest marker, or -1."""
    best = -1
    best_d2 = 0
    for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
        p = s.pieces[k]
        if p.kind == st.PIECE_MARKER:
            d2 = square(int(p.x), int(p.y), x, y)
            if best < 0 or d2 < best_d2:
                best = k
                best_d2 = d2
    return best


@kernel
def can_burn(s, t, dx: int, dy: int, marker: int) -> bool:
    """Say whether the flamer could burn a marker if the whole squad moved by an offset."""
    f = s.models[st.FLAMER]
    x = int(f.x) + dx
    y = int(f.y) + dy
    p = s.pieces[marker]
    directions = touched_directions(t, int(p.x), int(p.y), x, y)
    if directions == 0:
        return False
    for slot in range(st.FIRST_GENESTEALER):
        if slot != st.FLAMER and alive(s, slot):
            m = s.models[slot]
            moves = m.group == st.GROUP_OCTAVIAN
            mx = int(m.x) + (dx if moves else 0)
            my = int(m.y) + (dy if moves else 0)
            directions &= ~touched_directions(t, mx, my, x, y)
    return directions != 0


@kernel
def plan_squad(s, t) -> int:
    """Choose where the squad goes: as a whole, so that the flamer can burn the nearest marker."""
    lead = int(s.movers[0])
    if alive(s, st.FLAMER):
        lead = st.FLAMER
    f = s.models[lead]
    marker = nearest_marker(s, int(f.x), int(f.y))
    best = act.PASS
    best_score = WORST
    for cell in range(DESTS):
        whole = True
        for k in range(int(s.mover_count)):
            if not may_go(s, k, cell):
                whole = False
        if not whole:
            continue
        dx = t.dest_x[cell]
        dy = t.dest_y[cell]
        score = 0.0
        for k in range(int(s.mover_count)):
            m = s.models[s.movers[k]]
            score -= 0.25 * mine_danger(s, int(m.x) + dx, int(m.y) + dy)
        if marker >= 0:
            p = s.pieces[marker]
            away = math.sqrt(square(int(p.x), int(p.y), int(f.x) + dx, int(f.y) + dy))
            score -= 12.0 * abs(away - 14.0)
            if can_burn(s, t, dx, dy, marker):
                score += 400.0
        if score > best_score:
            best_score = score
            best = act.DEST + cell
    return best


@kernel
def nearest_friend(s, x: int, y: int) -> int:
    """Return the squared distance to the nearest Ultramarine."""
    best = 1 << 30
    for slot in range(st.FIRST_GENESTEALER):
        if alive(s, slot):
            m = s.models[slot]
            best = min(best, square(int(m.x), int(m.y), x, y))
    return best


@kernel
def choose_shot(s, t) -> int:
    """Shoot the nearest mine whose blast does not reach Varras."""
    best = act.PASS
    best_d2 = 1 << 30
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        if may_shoot_mine(s, t, slot):
            m = s.models[slot]
            d2 = nearest_friend(s, int(m.x), int(m.y))
            if d2 > LARGE_BLAST_TOUCHED and d2 < best_d2:
                best = act.TARGET + st.FIRST_MINE_GROUP + slot - st.FIRST_MINE
                best_d2 = d2
    return best


@kernel
def choose_flame(s, t) -> int:
    """Burn markers first, mines that are far enough from friends second; never mines close by alone."""
    f = s.models[st.FLAMER]
    x = int(f.x)
    y = int(f.y)
    allowed = flame_directions(s, t)
    best = act.PASS
    best_score = 0.0
    for d in range(16):
        if not (allowed >> d) & 1:
            continue
        score = 0.0
        for k in range(st.FIRST_MARKER, st.LAST_MARKER + 1):
            p = s.pieces[k]
            if p.kind == st.PIECE_MARKER and (touched_directions(t, int(p.x), int(p.y), x, y) >> d) & 1:
                score += 10.0
        for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
            m = s.models[slot]
            if alive(s, slot) and (touched_directions(t, int(m.x), int(m.y), x, y) >> d) & 1:
                score += 1.0 if nearest_friend(s, int(m.x), int(m.y)) > LARGE_BLAST_TOUCHED else -3.0
        if score > best_score:
            best_score = score
            best = act.DIR + d
    return best


@kernel
def choose_casualty(s) -> int:
    """Lose bolters first, then Octavian, the flamer last."""
    for slot in range(st.FLAMER + 1, st.FIRST_GENESTEALER):
        if may_be_casualty(s, slot):
            return act.MODEL + slot
    if may_be_casualty(s, st.OCTAVIAN):
        return act.MODEL + st.OCTAVIAN
    return act.MODEL + st.FLAMER


@kernel
def other_side(s, x: int, y: int) -> tuple[float, float]:
    """Return where the mine in hand, at a point, makes for: Varras, or beyond him if others come from this side."""
    v = s.models[st.VARRAS]
    vx = float(v.x)
    vy = float(v.y)
    others = 0
    dx = 0.0
    dy = 0.0
    for slot in range(st.FIRST_MINE, st.LAST_MINE + 1):
        if slot != int(s.model) and alive(s, slot):
            m = s.models[slot]
            if square(int(m.x), int(m.y), int(v.x), int(v.y)) < TOGETHER * TOGETHER:
                others += 1
                dx += float(m.x) - vx
                dy += float(m.y) - vy
    away = math.sqrt(dx * dx + dy * dy)
    if others == 0 or away == 0.0:
        return vx, vy
    far = min(PAST, 0.3 * math.sqrt(square(int(v.x), int(v.y), x, y)))
    return vx - far * dx / away, vy - far * dy / away


@kernel
def lead_of(s, away: float) -> float:
    """Return how far a tuned mine aims ahead of Varras in mission 1, as a share of its distance.

    The faster he made for the exit so far, the more. He started beside the cockpit, and is `away` steps from the
    zone now. Who does not come is met where he is.
    """
    w = s.pieces[st.FIRST_WRECK]
    start = zone_distance(s, int(w.x) + int(w.r) + 1, int(w.y))
    pace = (start - away) / (12.0 * int(s.core.turn))
    return LEAD_TUNED * min(max(pace / SWIFT, 0.0), 1.0)


@kernel
def prey(s, x: int, y: int, tuned: bool) -> tuple[float, float]:
    """Return the point a mine should make for: where Varras is going, or the nearest Space Marine."""
    v = s.models[st.VARRAS]
    if alive(s, st.VARRAS):
        vx = float(v.x)
        vy = float(v.y)
        if s.core.mission == st.CRASH_SITE:
            tx = float(s.exit_rect[0])
            ty = min(max(vy, float(s.exit_rect[1])), float(s.exit_rect[3]))
            away = math.sqrt((tx - vx) ** 2 + (ty - vy) ** 2)
            near = math.sqrt((x - vx) ** 2 + (y - vy) ** 2)
            lead = min(away, (lead_of(s, away) if tuned else LEAD) * near)
            if away > 0.0:
                vx += (tx - vx) * lead / away
                vy += (ty - vy) * lead / away
            return vx, vy
        if tuned:
            return other_side(s, x, y)
        best = square(int(v.x), int(v.y), x, y)
    else:
        vx = 48.0
        vy = 48.0
        best = 1 << 30
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if alive(s, slot):
            m = s.models[slot]
            d2 = 2 * square(int(m.x), int(m.y), x, y)  # Varras is worth a longer way
            if d2 < best:
                best = d2
                vx = float(m.x)
                vy = float(m.y)
    return vx, vy


@kernel
def choose_direction(s, t, tuned: bool) -> int:
    """Steer the mine in hand: into contact if it can be, else as near to its prey as it gets."""
    m = s.models[s.model]
    around = surroundings(s, int(s.model), int(s.die))
    best = 0
    best_score = WORST
    for d in range(16):
        x = int(m.x)
        y = int(m.y)
        score = 0.0
        for k in range(1, 2 * int(s.die) + 1):
            nx = int(m.x) + round_thousandths(k * t.unit_x[d])
            ny = int(m.y) + round_thousandths(k * t.unit_y[d])
            if not on_table(nx, ny):
                break
            x = nx
            y = ny
            if nearest_friend(s, x, y) <= CONTACT:
                score = 1e6
                break
        if score > 0.0:
            for slot in range(st.FIRST_GENESTEALER):
                o = s.models[slot]
                if alive(s, slot) and square(int(o.x), int(o.y), x, y) <= LARGE_BLAST_TOUCHED:
                    score += 4e6 if slot == st.VARRAS else 1e6
        else:
            px, py = prey(s, int(m.x), int(m.y), tuned)
            score = -math.sqrt((px - x) ** 2 + (py - y) ** 2)
            if rests_badly(s, x, y, around):
                score -= 2.0
        if score > best_score:
            best_score = score
            best = d
    return act.DIR + best


@kernel
def choose_marker(s, t, tuned: bool) -> int:
    """Bring a mine back at the marker nearest to the prey."""
    best = act.PASS
    best_d2 = 0.0
    for marker in range(3):
        if may_return_at(s, t, marker):
            p = s.pieces[st.FIRST_MARKER + marker]
            px, py = prey(s, int(p.x), int(p.y), tuned)
            d2 = (px - int(p.x)) ** 2 + (py - int(p.y)) ** 2
            if best == act.PASS or d2 < best_d2:
                best = act.TARGET + st.FIRST_MARKER_GROUP + marker
                best_d2 = d2
    return best


@kernel
def crowd(s, x: int, y: int) -> float:
    """Return how close together the Ultramarines stand around a point."""
    found = 0.0
    for slot in range(st.FIRST_GENESTEALER):
        if alive(s, slot):
            m = s.models[slot]
            found += math.exp(-math.sqrt(square(int(m.x), int(m.y), x, y)) / GATHERING)
    return found


@kernel
def direction_in_swarm(s, t) -> int:
    """Steer the mine in hand into contact where its blast catches most, or to where Ultramarines stand together.

    A base that is covered counts 2, one that is touched 1: what the crowd around a resting place is weighed against.
    """
    around = surroundings(s, int(s.model), int(s.die))
    best = 0
    best_score = WORST
    for d in range(16):
        x, y, contact = drift_end(s, t, int(s.model), int(s.die), d, around)
        if contact:
            score = 0.0
            for slot in range(st.FIRST_GENESTEALER):
                m = s.models[slot]
                if alive(s, slot):
                    d2 = square(int(m.x), int(m.y), x, y)
                    score += 2.0 if d2 <= LARGE_BLAST_COVERED else 1.0 if d2 <= LARGE_BLAST_TOUCHED else 0.0
        else:
            score = crowd(s, x, y)
        if score > best_score:
            best_score = score
            best = d
    return act.DIR + best


@kernel
def marker_of_swarm(s, t) -> int:
    """Bring a mine back at the marker round which the Ultramarines stand closest together."""
    best = act.PASS
    best_score = WORST
    for marker in range(3):
        if may_return_at(s, t, marker):
            p = s.pieces[st.FIRST_MARKER + marker]
            score = crowd(s, int(p.x), int(p.y))
            if score > best_score:
                best_score = score
                best = act.TARGET + st.FIRST_MARKER_GROUP + marker
    return best


@kernel
def choose(s, t, seed: int) -> int:
    """Return the choice of the hand-written player for the seat to act.

    `seed` breaks ties where there are any; -1 less an even one asks the tuned player, less an odd one the swarm.
    """
    player = PLAIN
    if seed < 0:
        seed = -1 - seed
        player = TUNED if seed & 1 == 0 else SWARM
    tuned = player == TUNED
    if s.core.mission >= st.FUSION_CORE:
        return choose_in_broods(s, t, seed)
    phase = int(s.phase)
    if phase == st.MOVE_SELECT:
        for group in range(st.UNITS):
            if may_move(s, group, 0):  # nobody is locked in missions 1 and 2
                return act.SELECT + group
        return act.PASS
    if phase == st.MOVE_PLAN:
        return plan_varras(s, t, tuned) if s.unit == st.GROUP_VARRAS else plan_squad(s, t)
    if phase == st.MOVE_CELL:
        return act.DEST
    if phase == st.SHOOT_SELECT:
        return choose_shot(s, t)
    if phase == st.FLAME:
        return choose_flame(s, t)
    if phase == st.CASUALTY:
        return choose_casualty(s)
    swarming = player == SWARM and s.core.mission == st.RESCUE_VARRAS
    if phase == st.MINE_DIR:
        return direction_in_swarm(s, t) if swarming else choose_direction(s, t, tuned)
    if phase == st.SPAWN:
        return marker_of_swarm(s, t) if swarming else choose_marker(s, t, tuned)
    return act.PASS
