"""What a seat sees, as numbers: fills the vector that :mod:`broodmind.envs.overkill.layout` declares.

The Deathwatch sees neither the cult's hand nor face-down cards; the seat that is not to act sees nothing of the choice
being made, since a question that only a certain card raises would betray it (ledger section 4).
"""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.layout import OBSERVATION
from broodmind.envs.overkill.rules.board import usable
from broodmind.envs.overkill.rules.cards import cards_due
from broodmind.envs.overkill.setup import may_join

MARINE_ROWS = OBSERVATION.offsets["marines"]
ZONE_ROWS = OBSERVATION.offsets["zones"]
POINT_ROWS = OBSERVATION.offsets["points"]
CARD_ROW = OBSERVATION.offsets["cards"]
POOL_ROW = OBSERVATION.offsets["pool"]
MARINE_WIDTH = OBSERVATION["marines"].width
ZONE_WIDTH = OBSERVATION["zones"].width
POINT_WIDTH = OBSERVATION["points"].width
STAGES = len(st.STAGES)
PHASES = len(st.PHASES)
NO_LIMIT = 20
CULT_COLUMN = OBSERVATION["zones"].column(st.TYPE_IDS[0])
MARINE_COLUMN = OBSERVATION["zones"].column(st.MARINE_IDS[0])
MARKS_COLUMN = OBSERVATION["zones"].column(st.ZONE_MARK_NAMES[0])
POINTS_COLUMN = OBSERVATION["zones"].column("points")
SEED = 0x4F564B


@kernel
def centre_x(t, mission: int, zone: int) -> float:
    """Return how far east the centre of a zone lies, in mm / 1200."""
    return (2 * int(t.rect[mission, zone, 0]) + int(t.rect[mission, zone, 2])) * (1 / 2400)


@kernel
def centre_y(t, mission: int, zone: int) -> float:
    """Return how far down the centre of a zone lies, in mm / 1800."""
    return (2 * int(t.rect[mission, zone, 1]) + int(t.rect[mission, zone, 3])) * (1 / 3600)


@kernel
def fill_globals(s, t, mine: bool, out) -> None:
    """Write the block of globals; `mine`: whether the decision is the observer's."""
    m = int(s.mission)
    out[m - 1] = 1
    at = st.MISSIONS
    limit = int(s.core.max_turns)
    if limit == 0:
        limit = int(t.max_turns[m]) if s.core.mission == st.CAMPAIGN else NO_LIMIT
    out[at] = min(1.0, int(s.core.turn) / limit)
    at += 1
    out[at + int(s.phase)] = 1
    at += PHASES
    out[at + (int(s.stage) if mine and s.stage >= 0 else st.OVER)] = 1
    at += STAGES
    out[at] = 1 if mine else 0
    out[at + 1] = min(1.0, int(s.kills) * (1 / 39))
    out[at + 2] = int(s.slain) * (1 / 11)
    out[at + 3] = int(t.lose_at[m]) * (1 / 11)
    out[at + 4] = min(1.0, int(s.exited) * (1 / 8))
    for k in range(3):
        out[at + 5 + k] = s.krak >> k & 1
    at += 8
    out[at] = int(s.destroyed) * (1 / 4)
    deck = 0
    hand = 0
    discard = 0
    for c in range(st.CARDS):
        place = s.card_at[c]
        if place == st.CARD_DECK:
            deck += 1
        elif place == st.CARD_HAND:
            hand += 1
        elif place == st.CARD_DISCARD:
            discard += 1
    out[at + 1] = min(1.0, hand * (1 / 16))
    out[at + 2] = deck * (1 / 30)
    out[at + 3] = discard * (1 / 30)
    if s.step == st.STEP_BROOD:
        out[at + 4] = min(1.0, cards_due(s, t) * (1 / 7))
    out[at + 5] = min(1.0, int(s.lay_min) * (1 / 7))
    out[at + 6] = min(1.0, int(s.lay_max) * (1 / 7))
    out[at + 7] = s.no_ambush
    out[at + 8] = s.late
    out[at + 9] = s.lower_open
    out[at + 10] = s.dust
    out[at + 11] = s.smoke_used
    out[at + 12] = s.teleported
    out[at + 13] = s.reinforced
    if mine:
        out[at + 14] = min(1.0, int(s.hits) * (1 / 5))
        out[at + 15] = min(1.0, int(s.moves_left) * (1 / 6))
    at += 16
    if s.core.mission == st.CAMPAIGN:
        out[at] = 1
        out[at + 1] = int(s.played) * (1 / 9)
        for k in range(int(s.played)):
            if s.results[k] > 0:
                out[at + 2] += 1 / 9
            elif s.results[k] < 0:
                out[at + 3] += 1 / 9
    at += 4
    if mine and s.sel_type >= 0:
        out[at + int(s.sel_type)] = 1
    at += st.TYPES
    if mine and s.profile >= 0:
        out[at + int(s.profile)] = 1


@kernel
def fill_marines(s, t, mine: bool, out) -> None:
    """Write the rows of the marines, and the marines' columns of their zones."""
    mission = int(s.mission)
    for m in range(st.MARINES):
        at = MARINE_ROWS + m * MARINE_WIDTH
        zone = int(s.zone[m])
        member = s.team >> m & 1
        out[at] = 1 if member or may_join(s, m) else 0
        out[at + 1] = member
        out[at + 2] = 1 if zone == st.RESERVE else 0
        out[at + 3] = 1 if zone >= 0 else 0
        out[at + 4] = 1 if zone == st.SLAIN else 0
        out[at + 5] = 1 if zone == st.EXITED else 0
        out[at + 6] = 1 if s.wounds[m] > 0 else 0
        out[at + 7] = 1 if s.marks[m] & st.MOVED else 0
        out[at + 8] = 1 if s.marks[m] & st.ACTED else 0
        out[at + 9] = 1 if s.carrier == m else 0
        out[at + 10] = 1 if s.homer == m else 0
        out[at + 11] = s.pinned >> m & 1
        out[at + 12] = s.jammed >> m & 1
        out[at + 13] = s.no_recover >> m & 1
        out[at + 14] = s.static >> m & 1
        out[at + 15] = s.mesmerised >> m & 1
        out[at + 16] = 1 if s.might and t.skills[m] & st.PSYCHIC else 0
        out[at + 17] = 1 if mine and s.marine == m else 0
        if zone >= 0:
            out[at + 18] = centre_x(t, mission, zone)
            out[at + 19] = centre_y(t, mission, zone)
            out[ZONE_ROWS + zone * ZONE_WIDTH + MARINE_COLUMN + m] = 1


@kernel
def fill_zones(s, t, mine: bool, out) -> None:
    """Write the rows of the zones, but for the marines there."""
    mission = int(s.mission)
    for zone in range(int(t.zones[mission])):
        at = ZONE_ROWS + zone * ZONE_WIDTH
        out[at] = 1
        stands = t.section[mission, zone] >= s.destroyed
        out[at + 1] = 1 if stands else 0
        out[at + 2] = centre_x(t, mission, zone)
        out[at + 3] = centre_y(t, mission, zone)
        out[at + 4] = int(t.rect[mission, zone, 2]) * (1 / 200)
        out[at + 5] = int(t.rect[mission, zone, 3]) * (1 / 200)
        if stands:
            out[at + 6] = min(1.0, (int(t.capacity[mission, zone]) - int(s.used[zone])) * (1 / 64))
        out[at + 7] = int(t.section[mission, zone]) * (1 / 8)
        out[at + 8] = t.level[mission, zone]
        out[at + 9] = t.is_muster[mission, zone]
        out[at + 10] = 1 if zone == t.exit_zone[mission] else 0
        out[at + 11] = t.is_cell[mission, zone]
        out[at + 12] = t.is_lift[mission, zone]
        silo = int(t.silo[mission, zone])
        if silo > 0:
            out[at + 13] = 1
            out[at + 14] = s.krak >> (silo - 1) & 1
        out[at + 15] = 1 if zone == t.throne[mission] else 0
        out[at + 16] = 1 if zone == s.skull_zone else 0
        out[at + 17] = 1 if zone == s.smoke_zone else 0
        for k in range(5):
            out[at + MARKS_COLUMN + k] = s.zone_marks[zone] >> k & 1
        out[at + 23] = 1 if mine and zone == s.sel_zone else 0
        out[at + 24] = 1 if mine and zone == s.target_zone else 0
    used = st.MOVED if s.phase == st.CULT_MOVE_PHASE else st.ACTED
    for kind in range(st.TYPES):
        first = int(t.first[kind])
        count = int(t.count[kind])
        each = 1 / count
        for model in range(first, first + count):
            zone = int(s.zone[model])
            if zone >= 0:
                at = ZONE_ROWS + zone * ZONE_WIDTH + CULT_COLUMN + kind
                out[at] += each
                if s.marks[model] & used == 0:
                    out[at + st.TYPES] += each
            elif zone == st.OFF:
                out[POOL_ROW + kind] += each
            else:
                out[POOL_ROW + st.TYPES + kind] += each
    for k in range(3):
        out[POOL_ROW + 2 * st.TYPES + k] = 1 if s.wounds[st.PATRIARCH_SLOT + k] > 0 else 0


@kernel
def fill_cards(s, t, seat: int, mine: bool, out) -> None:
    """Write the points and the cards, as far as the seat may know them (OVK-B09)."""
    mission = int(s.mission)
    for point in range(int(t.points[mission])):
        at = POINT_ROWS + point * POINT_WIDTH
        zone = int(t.point_zone[mission, point])
        out[ZONE_ROWS + zone * ZONE_WIDTH + POINTS_COLUMN] += 1 / 3
        out[at] = 1
        out[at + 1] = 1 if usable(s, t, point) else 0
        out[at + 2] = centre_x(t, mission, zone)
        out[at + 3] = centre_y(t, mission, zone)
        out[at + 7] = 1 if mine and s.point == point else 0
        card = int(s.point_card[point])
        if card < 0:
            continue
        out[at + 4] = 1
        out[at + 5] = 1 if s.point_marks[point] & st.LURKING else 0
        turned_up = s.point_marks[point] & st.TURNED_UP
        out[at + 6] = 1 if turned_up else 0
        if turned_up or seat == st.CULT:
            out[at + 8 + card] = 1
    for c in range(st.CARDS):
        out[CARD_ROW + c] = 1 if s.card_at[c] == st.CARD_DISCARD else 0
        if seat == st.CULT:
            out[CARD_ROW + st.CARDS + c] = 1 if s.card_at[c] == st.CARD_HAND else 0
            out[CARD_ROW + 2 * st.CARDS + c] = 1 if mine and s.card == c else 0


@kernel
def fill(s, t, seat: int, out, memory, fresh: bool) -> None:
    """Write the whole vector for a seat; what was there before is not looked at."""
    for k in range(out.shape[0]):
        out[k] = 0
    mine = s.core.seat == seat and s.core.over == 0
    fill_globals(s, t, mine, out)
    fill_marines(s, t, mine, out)
    fill_zones(s, t, mine, out)
    fill_cards(s, t, seat, mine, out)


@kernel
def redeal(s, seed: int) -> None:
    """Deal what the Deathwatch cannot know anew: hand, face-down cards and deck are shuffled into each other."""
    face_up = 0
    for point in range(st.MAX_POINTS):
        if s.point_card[point] >= 0 and s.point_marks[point] & st.TURNED_UP:
            face_up |= 1 << int(s.point_card[point])
    count = 0  # each hidden card changes places with a random one of those before it and itself
    for c in range(st.CARDS):
        place = s.card_at[c]
        if (place != st.CARD_DECK and place != st.CARD_HAND and place != st.CARD_LAID) or face_up >> c & 1:
            continue
        count += 1
        word, _ = philox(seed, c, SEED)
        pick = (word * count) >> 32
        for other in range(c + 1):
            place = s.card_at[other]
            if (place != st.CARD_DECK and place != st.CARD_HAND and place != st.CARD_LAID) or (
                face_up >> other & 1
            ):
                continue
            if pick == 0:
                swap_cards(s, c, other)
                break
            pick -= 1


@kernel
def swap_cards(s, a: int, b: int) -> None:
    """Let two cards change places."""
    if a == b:
        return
    place = int(s.card_at[a])
    s.card_at[a] = s.card_at[b]
    s.card_at[b] = place
    for point in range(st.MAX_POINTS):
        if s.point_card[point] == a:
            s.point_card[point] = b
        elif s.point_card[point] == b:
            s.point_card[point] = a
    if s.stage == st.BROOD_POINT:
        if s.card == a:
            s.card = b
        elif s.card == b:
            s.card = a
