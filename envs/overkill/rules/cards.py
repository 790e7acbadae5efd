"""The deck, the hand and launching: the Broodmind phase and Ambush cards (OVK-B, OVK-L).

The order of the deck is not kept: a card is drawn at random from those in it, which is the same thing, and leaves
nothing to be hidden. Draws may be planned (``draws``) as dice are.
"""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import uniform
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.board import is_free, place_from_pool, pool

MIX_CHOICES = 7


@kernel
def count_cards(s, place: int) -> int:
    """Count the cards in a place: CARD_DECK, CARD_HAND, CARD_LAID, CARD_DISCARD."""
    count = 0
    for c in range(st.CARDS):
        if s.card_at[c] == place:
            count += 1
    return count


@kernel
def draw_card(s, log) -> int:
    """Take the next card off the deck, and return it, or -1 if there is none even in the discard pile (OVK-B03)."""
    left = count_cards(s, st.CARD_DECK)
    if left == 0:
        for c in range(st.CARDS):
            if s.card_at[c] == st.CARD_DISCARD:
                s.card_at[c] = st.CARD_DECK
                left += 1
        if left == 0:
            return -1
        emit(log, st.EVENT_SHUFFLED, left)
    if s.draw_count > 0:
        planned = int(s.draws[0]) - 1
        s.draw_count = int(s.draw_count) - 1
        for k in range(st.DRAWS - 1):
            s.draws[k] = s.draws[k + 1]
        s.draws[st.DRAWS - 1] = 0
        if planned >= 0 and planned < st.CARDS and s.card_at[planned] == st.CARD_DECK:
            return planned
    pick = uniform(s.core, left)
    for c in range(st.CARDS):
        if s.card_at[c] == st.CARD_DECK:
            if pick == 0:
                return c
            pick -= 1
    return -1


@kernel
def draw_to_hand(s, log, count: int) -> None:
    """Draw cards into the hand, as many as there are."""
    drawn = 0
    while drawn < count:
        c = draw_card(s, log)
        if c < 0:
            break
        s.card_at[c] = st.CARD_HAND
        drawn += 1
    if drawn > 0:
        emit(log, st.EVENT_DREW, drawn)


@kernel
def count_free_points(s, t) -> int:
    """Count the Ambush Points that a card may be laid on."""
    count = 0
    for point in range(st.MAX_POINTS):
        if is_free(s, t, point):
            count += 1
    return count


@kernel
def cards_due(s, t) -> int:
    """Return how many more cards must be laid (OVK-B04, B05, M3.4)."""
    if s.no_ambush:
        return 0
    due = int(s.lay_min) - int(s.laid_now)
    return max(0, min(due, min(count_free_points(s, t), count_cards(s, st.CARD_HAND))))


@kernel
def may_lay(s, t) -> bool:
    """Say whether another card may be laid."""
    if s.no_ambush or s.laid_now >= s.lay_max:
        return False
    return count_free_points(s, t) > 0 and count_cards(s, st.CARD_HAND) > 0


@kernel
def lay(s, log, card: int, point: int) -> None:
    """Lay a card face down on a point."""
    s.card_at[card] = st.CARD_LAID
    s.point_card[point] = card
    s.point_marks[point] = 0
    s.laid_now = int(s.laid_now) + 1
    emit(log, st.EVENT_LAID, point)


@kernel
def clear_point(s, point: int) -> None:
    """Discard the card on a point."""
    card = int(s.point_card[point])
    if card >= 0:
        s.card_at[card] = st.CARD_DISCARD
    s.point_card[point] = -1
    s.point_marks[point] = 0


@kernel
def count_laid(s) -> int:
    """Count the points that hold a card."""
    count = 0
    for point in range(st.MAX_POINTS):
        if s.point_card[point] >= 0:
            count += 1
    return count


@kernel
def room_for(s, t, kind: int, zone: int) -> int:
    """Return how many models of a type still fit into a zone, whatever the pool holds."""
    m = int(s.mission)
    if t.section[m, zone] < s.destroyed:
        return 0
    return max(0, (int(t.capacity[m, zone]) - int(s.used[zone])) // int(t.cost[st.MARINES + kind]))


@kernel
def mixed(s, t, first: int, second: int, count: int, zone: int, k: int) -> int:
    """Return how many models are placed if k of them are of the first type, or -1 if k cannot be (OVK-L03).

    `zone` is -1 where every model is given a zone of its own, and room is no matter.
    """
    most = min(count, pool(s, t, first))
    if k > most:
        return -1
    rest = min(count - k, pool(s, t, second))
    if zone >= 0:
        room = int(t.capacity[int(s.mission), zone]) - int(s.used[zone]) - k * int(t.cost[st.MARINES + first])
        if room < 0:
            return -1
        rest = min(rest, room // int(t.cost[st.MARINES + second]))
    return k + rest


@kernel
def best_mix(s, t, first: int, second: int, count: int, zone: int) -> int:
    """Return the most models of two types that can be placed; mixes that place fewer are not offered."""
    best = 0
    for k in range(MIX_CHOICES):
        best = max(best, mixed(s, t, first, second, count, zone, k))
    return best


@kernel
def place_some(s, t, log, kind: int, zone: int, count: int) -> int:
    """Place up to `count` models of a type, as pool and room allow, and return how many (OVK-L04)."""
    count = min(count, min(pool(s, t, kind), room_for(s, t, kind, zone)))
    for _ in range(count):
        place_from_pool(s, t, log, kind, zone)
    return count


@kernel
def place_mix(s, t, log, first: int, second: int, count: int, zone: int, k: int) -> int:
    """Place k models of one type and of the other as many as go, and return how many."""
    placed = place_some(s, t, log, first, zone, k)
    return placed + place_some(s, t, log, second, zone, count - k)


@kernel
def pool_is_empty(s) -> bool:
    """Say whether nothing but the Patriarch could be placed any more (OVK-M7.4)."""
    for model in range(st.FIRST_CULT, st.MODELS):
        if s.zone[model] == st.OFF and model != st.PATRIARCH_SLOT:
            return False
    return True


@kernel
def give_up_ambushes(s, log) -> None:
    """In mission 7, once the pool is empty, discard every laid card; none is laid any more (OVK-M7.4)."""
    if s.mission != st.TABLES_TURNED or s.no_ambush or not pool_is_empty(s):
        return
    s.no_ambush = 1
    count = count_laid(s)
    for point in range(st.MAX_POINTS):
        clear_point(s, point)
    if count > 0:
        emit(log, st.EVENT_DISCARDED, count)


@kernel
def all_slain(s, t, card: int) -> bool:
    """Say whether every model that a card lists is slain for good (OVK-M7.3)."""
    for entry in range(t.entries[card]):
        for k in range(2):
            kind = int(t.entry_type[card, entry, k])
            if kind < 0:
                continue
            first = int(t.first[kind])
            for model in range(first, first + int(t.count[kind])):
                if s.zone[model] != st.SLAIN:
                    return False
    return True


@kernel
def run_launch(s, t, log) -> None:
    """Place the entries of the card in hand from `entry` on, until a mix is asked for or all are done (OVK-L03)."""
    card = int(s.card)
    zone = int(t.point_zone[int(s.mission), int(s.point)])
    while s.entry < t.entries[card]:
        e = int(s.entry)
        first = int(t.entry_type[card, e, 0])
        second = int(t.entry_type[card, e, 1])
        count = int(t.entry_count[card, e])
        if second >= 0:
            if best_mix(s, t, first, second, count, zone) > 0:
                s.stage = st.LAUNCH_MIX
                return
        else:
            s.placed = int(s.placed) + place_some(s, t, log, first, zone, count)
        s.entry = e + 1
    s.job = st.JOB_NONE
    if s.mission == st.TABLES_TURNED and s.placed == 0 and all_slain(s, t, card):
        for kind in range(st.TYPES):
            if may_substitute(s, t, kind):
                s.stage = st.LAUNCH_TYPE
                return
    s.card = -1
    s.point = -1


@kernel
def may_substitute(s, t, kind: int) -> bool:
    """Say whether a model of a type may take the place of those a card lists (OVK-M7.3)."""
    if kind == st.PATRIARCH or pool(s, t, kind) == 0:
        return False
    return room_for(s, t, kind, int(t.point_zone[int(s.mission), int(s.point)])) > 0
