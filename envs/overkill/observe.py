"""What a seat sees, as numbers: fills the vector that :mod:`broodmind.envs.overkill.layout` declares.

The Deathwatch sees neither the cult's hand nor face-down cards; the seat that is not to act sees nothing of the choice
being made, since a question that only a certain card raises would betray it (ledger section 4).

Most of the vector is the map, which stays, and zones and points where nothing happened. So of zones, models, points and
cards only what changed is written: `memory` holds a key of what each was written from. What a seat may not know is left
out of the keys too, so a vector that was written for the other seat is put right by the same comparison.
"""

from __future__ import annotations

from broodmind.envs.core.bits import lowest_bit, without_lowest
from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.layout import (
    CARD_SETS,
    DESTROYED,
    KRAK,
    MARK_KEYS,
    MEMORY,
    MODEL_KEYS,
    OBSERVATION,
    POINT_KEYS,
    WRITTEN,
    ZONE_FLAGS,
    ZONES_PER_KEY,
)
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
STANDING = OBSERVATION["zones"].column("standing")
ROOM = OBSERVATION["zones"].column("room")
KRAK_COLUMN = OBSERVATION["zones"].column("krak")
SKULL = OBSERVATION["zones"].column("skull")
SMOKE = OBSERVATION["zones"].column("smoke")
MARKS_COLUMN = OBSERVATION["zones"].column(st.ZONE_MARK_NAMES[0])
MARKS = len(st.ZONE_MARK_NAMES)
PICKED = OBSERVATION["zones"].column("picked")
TARGET = OBSERVATION["zones"].column("target")
POINTS_COLUMN = OBSERVATION["zones"].column("points")
MARINE_COLUMN = OBSERVATION["zones"].column(st.MARINE_IDS[0])
CULT_COLUMN = OBSERVATION["zones"].column(st.TYPE_IDS[0])
CARD_COLUMN = OBSERVATION["points"].column("card_0")
NOWHERE = 8
"""Added to the place of a model in its key: OFF, RESERVE, SLAIN and EXITED are below 0."""
PLACE = (1 << 7) - 1
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
    for k in range(MARINE_ROWS):
        out[k] = 0
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
def begin(s, t, out, memory) -> None:
    """Write the map of the mission, and zeros elsewhere; `memory` then says that nothing else is written."""
    for k in range(out.shape[0]):
        out[k] = 0
    for k in range(MEMORY):
        memory[k] = 0
    mission = int(s.mission)
    memory[WRITTEN] = mission
    for zone in range(int(t.zones[mission])):
        at = ZONE_ROWS + zone * ZONE_WIDTH
        out[at] = 1
        out[at + STANDING] = 1
        out[at + 2] = centre_x(t, mission, zone)
        out[at + 3] = centre_y(t, mission, zone)
        out[at + 4] = int(t.rect[mission, zone, 2]) * (1 / 200)
        out[at + 5] = int(t.rect[mission, zone, 3]) * (1 / 200)
        out[at + 7] = int(t.section[mission, zone]) * (1 / 8)
        out[at + 8] = t.level[mission, zone]
        out[at + 9] = t.is_muster[mission, zone]
        out[at + 10] = 1 if zone == t.exit_zone[mission] else 0
        out[at + 11] = t.is_cell[mission, zone]
        out[at + 12] = t.is_lift[mission, zone]
        out[at + 13] = 1 if t.silo[mission, zone] > 0 else 0
        out[at + 15] = 1 if zone == t.throne[mission] else 0
        fill_room(s, t, zone, out)
    for point in range(int(t.points[mission])):
        zone = int(t.point_zone[mission, point])
        out[ZONE_ROWS + zone * ZONE_WIDTH + POINTS_COLUMN] += 1 / 3
        at = POINT_ROWS + point * POINT_WIDTH
        out[at] = 1
        out[at + 2] = centre_x(t, mission, zone)
        out[at + 3] = centre_y(t, mission, zone)


@kernel
def fill_room(s, t, zone: int, out) -> None:
    """Write how much room a zone has, if it still stands."""
    mission = int(s.mission)
    if t.section[mission, zone] >= s.destroyed:
        left = int(t.capacity[mission, zone]) - int(s.used[zone])
        out[ZONE_ROWS + zone * ZONE_WIDTH + ROOM] = min(1.0, left * (1 / 64))


@kernel
def fill_marine(s, t, m: int, mine: bool, out) -> None:
    """Write the row of a marine."""
    mission = int(s.mission)
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
    out[at + 18] = centre_x(t, mission, zone) if zone >= 0 else 0.0
    out[at + 19] = centre_y(t, mission, zone) if zone >= 0 else 0.0


@kernel
def fill_marines(s, t, mine: bool, out, memory) -> None:
    """Write the rows of marines that changed, and their columns of the zones where they were and are."""
    for m in range(st.MARINES):
        zone = int(s.zone[m])
        flags = (1 if s.wounds[m] > 0 else 0) | (1 if s.carrier == m else 0) << 1
        flags |= (1 if s.homer == m else 0) << 2 | (1 if mine and s.marine == m else 0) << 3
        flags |= (1 if s.might else 0) << 4 | (s.team >> m & 1) << 5 | (1 if may_join(s, m) else 0) << 6
        sets = s.pinned >> m & 1 | (s.jammed >> m & 1) << 1 | (s.no_recover >> m & 1) << 2
        sets |= (s.static >> m & 1) << 3 | (s.mesmerised >> m & 1) << 4
        key = zone + NOWHERE | int(s.marks[m]) << 8 | int(flags) << 16 | int(sets) << 24
        before = int(memory[MODEL_KEYS + m])
        if key == before:
            continue
        memory[MODEL_KEYS + m] = key
        fill_marine(s, t, m, mine, out)
        was = (before & PLACE) - NOWHERE
        if was != zone:
            if was >= 0:
                out[ZONE_ROWS + was * ZONE_WIDTH + MARINE_COLUMN + m] = 0
                fill_room(s, t, was, out)
            if zone >= 0:
                out[ZONE_ROWS + zone * ZONE_WIDTH + MARINE_COLUMN + m] = 1
                fill_room(s, t, zone, out)


@kernel
def fill_cult(s, t, out, memory) -> None:
    """Write the models of the types in which something changed, in the zones where they were and are, and the pool."""
    used = st.MOVED if s.phase == st.CULT_MOVE_PHASE else st.ACTED
    for kind in range(st.TYPES):
        first = int(t.first[kind])
        count = int(t.count[kind])
        changed = 0
        for model in range(first, first + count):
            key = int(s.zone[model]) + NOWHERE | (int(s.marks[model]) & used) << 8
            changed |= key ^ int(memory[MODEL_KEYS + model])
        if changed == 0:
            continue
        for model in range(first, first + count):
            was = (int(memory[MODEL_KEYS + model]) & PLACE) - NOWHERE
            if was >= 0:
                at = ZONE_ROWS + was * ZONE_WIDTH + CULT_COLUMN + kind
                out[at] = 0
                out[at + st.TYPES] = 0
                fill_room(s, t, was, out)
        out[POOL_ROW + kind] = 0
        out[POOL_ROW + st.TYPES + kind] = 0
        each = 1 / count
        for model in range(first, first + count):
            zone = int(s.zone[model])
            memory[MODEL_KEYS + model] = zone + NOWHERE | (int(s.marks[model]) & used) << 8
            if zone >= 0:
                at = ZONE_ROWS + zone * ZONE_WIDTH + CULT_COLUMN + kind
                out[at] += each
                if s.marks[model] & used == 0:
                    out[at + st.TYPES] += each
                fill_room(s, t, zone, out)
            elif zone == st.OFF:
                out[POOL_ROW + kind] += each
            else:
                out[POOL_ROW + st.TYPES + kind] += each
    for k in range(3):
        out[POOL_ROW + 2 * st.TYPES + k] = 1 if s.wounds[st.PATRIARCH_SLOT + k] > 0 else 0


@kernel
def move_flag(zone: int, column: int, number: int, out, memory) -> None:
    """Set a column in one zone (-1: in none) and clear it where it was; `number` says which flag of a zone it is."""
    was = int(memory[ZONE_FLAGS + number]) - 1
    if was == zone:
        return
    memory[ZONE_FLAGS + number] = zone + 1
    if was >= 0:
        out[ZONE_ROWS + was * ZONE_WIDTH + column] = 0
    if zone >= 0:
        out[ZONE_ROWS + zone * ZONE_WIDTH + column] = 1


@kernel
def fill_zones(s, t, mine: bool, out, memory) -> None:
    """Write what changed about zones, but for the models there."""
    mission = int(s.mission)
    zones = int(t.zones[mission])
    if s.destroyed != memory[DESTROYED]:
        memory[DESTROYED] = s.destroyed
        for zone in range(zones):
            if t.section[mission, zone] < s.destroyed:
                out[ZONE_ROWS + zone * ZONE_WIDTH + STANDING] = 0
                out[ZONE_ROWS + zone * ZONE_WIDTH + ROOM] = 0
    if s.krak != memory[KRAK]:
        memory[KRAK] = s.krak
        for zone in range(zones):
            silo = int(t.silo[mission, zone])
            if silo > 0:
                out[ZONE_ROWS + zone * ZONE_WIDTH + KRAK_COLUMN] = s.krak >> (silo - 1) & 1
    move_flag(int(s.skull_zone), SKULL, 0, out, memory)
    move_flag(int(s.smoke_zone), SMOKE, 1, out, memory)
    move_flag(int(s.sel_zone) if mine else -1, PICKED, 2, out, memory)
    move_flag(int(s.target_zone) if mine else -1, TARGET, 3, out, memory)
    for number in range((zones + ZONES_PER_KEY - 1) // ZONES_PER_KEY):
        first = number * ZONES_PER_KEY
        last = min(first + ZONES_PER_KEY, zones)
        key = 0
        for zone in range(first, last):
            key |= int(s.zone_marks[zone]) << (MARKS * (zone - first))
        if key == memory[MARK_KEYS + number]:
            continue
        memory[MARK_KEYS + number] = key
        for zone in range(first, last):
            for k in range(MARKS):
                out[ZONE_ROWS + zone * ZONE_WIDTH + MARKS_COLUMN + k] = s.zone_marks[zone] >> k & 1


@kernel
def fill_points(s, t, seat: int, mine: bool, out, memory) -> None:
    """Write what changed about the points, as far as the seat may know it (OVK-B09)."""
    for point in range(int(t.points[int(s.mission)])):
        key = (1 if usable(s, t, point) else 0) | (1 if mine and s.point == point else 0) << 1
        card = int(s.point_card[point])
        if card >= 0:
            marks = int(s.point_marks[point])
            shown = seat == st.CULT or marks & st.TURNED_UP != 0
            key |= 4 | (1 if marks & st.LURKING else 0) << 3 | (1 if marks & st.TURNED_UP else 0) << 4
            key |= (card + 1 if shown else 0) << 5
        before = int(memory[POINT_KEYS + point])
        if key == before:
            continue
        memory[POINT_KEYS + point] = key
        at = POINT_ROWS + point * POINT_WIDTH
        out[at + 1] = key & 1
        out[at + 4] = key >> 2 & 1
        out[at + 5] = key >> 3 & 1
        out[at + 6] = key >> 4 & 1
        out[at + 7] = key >> 1 & 1
        if before >> 5 > 0:
            out[at + CARD_COLUMN + (before >> 5) - 1] = 0
        if key >> 5 > 0:
            out[at + CARD_COLUMN + (key >> 5) - 1] = 1


@kernel
def fill_set(cards: int, number: int, out, memory) -> None:
    """Write a set of cards, the `number`-th of the block of cards, as far as it changed."""
    changed = cards ^ int(memory[CARD_SETS + number])
    memory[CARD_SETS + number] = cards
    while changed != 0:
        card = lowest_bit(changed)
        changed = without_lowest(changed)
        out[CARD_ROW + number * st.CARDS + card] = cards >> card & 1


@kernel
def fill_cards(s, seat: int, mine: bool, out, memory) -> None:
    """Write the discard pile, and for the cult its hand and the card that it has picked (OVK-B09)."""
    hand = 0
    discard = 0
    for c in range(st.CARDS):
        hand |= (1 if s.card_at[c] == st.CARD_HAND else 0) << c
        discard |= (1 if s.card_at[c] == st.CARD_DISCARD else 0) << c
    fill_set(discard, 0, out, memory)
    fill_set(hand if seat == st.CULT else 0, 1, out, memory)
    fill_set(1 << int(s.card) if seat == st.CULT and mine and s.card >= 0 else 0, 2, out, memory)


@kernel
def fill(s, t, seat: int, out, memory, fresh: bool) -> None:
    """Write the vector for a seat: the whole of it, or what changed since it was written.

    Args:
        s: The state.
        t: The tables.
        seat: Who looks.
        out: The vector, float32.
        memory: What the vector was last written from, `MEMORY` int64 numbers; all 0 if that is not known.
        fresh: Whether the whole is to be written, whatever `memory` says.
    """
    if fresh or memory[WRITTEN] != s.mission:
        begin(s, t, out, memory)
    mine = s.core.seat == seat and s.core.over == 0
    fill_globals(s, t, mine, out)
    fill_marines(s, t, mine, out, memory)
    fill_cult(s, t, out, memory)
    fill_zones(s, t, mine, out, memory)
    fill_points(s, t, seat, mine, out, memory)
    fill_cards(s, seat, mine, out, memory)


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
