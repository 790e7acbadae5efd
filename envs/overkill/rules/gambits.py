"""The Gambit halves of the Broodmind cards (OVK-K)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.rules.attacking import suffer
from broodmind.envs.overkill.rules.board import first_of_group, fits, is_free, put, roll, usable
from broodmind.envs.overkill.rules.cards import best_mix, cards_due, count_cards, draw_to_hand
from broodmind.envs.overkill.rules.objectives import check

TUNNELLERS = 3
MASSES = 2


@kernel
def may_target_marine(s, gambit: int, m: int) -> bool:
    """Say whether a gambit may be played on a marine."""
    if s.zone[m] < 0:
        return False
    if gambit == st.BULKHEAD:
        return s.pinned >> m & 1 == 0
    if gambit == st.JAM:
        return s.jammed >> m & 1 == 0
    if gambit == st.NO_RESPITE:
        return s.wounds[m] > 0 and s.no_recover >> m & 1 == 0
    if gambit == st.STATIC:
        return (s.static | s.mesmerised) >> m & 1 == 0
    return False


@kernel
def has_unmoved(s, zone: int) -> bool:
    """Say whether a cult model in a zone has not moved in this phase."""
    for model in range(st.FIRST_CULT, st.MODELS):
        if s.zone[model] == zone and s.marks[model] & st.MOVED == 0:
            return True
    return False


@kernel
def may_tunnel(s, t, kind: int, zone: int) -> bool:
    """Say whether unmoved Hybrids of a type may leave a zone by a tunnel, for some other point."""
    if t.skills[st.MARINES + kind] & st.HYBRID == 0 or first_of_group(s, t, kind, zone, st.MOVED) < 0:
        return False
    for point in range(st.MAX_POINTS):
        if may_tunnel_to(s, t, kind, zone, point):
            return True
    return False


@kernel
def may_tunnel_to(s, t, kind: int, zone: int, point: int) -> bool:
    """Say whether a tunnel leads from a zone to a point with room for a type."""
    if not usable(s, t, point):
        return False
    there = int(t.point_zone[int(s.mission), point])
    return there != zone and fits(s, t, st.MARINES + kind, there)


@kernel
def may_target_zone(s, t, gambit: int, zone: int) -> bool:
    """Say whether a gambit may be played on a zone."""
    m = int(s.mission)
    if zone >= t.zones[m]:
        return False
    if gambit == st.ROCKFALL:
        return s.marines_in[zone] > 0
    if s.cult_in[zone] == 0:
        return False
    if gambit == st.SURGE:
        return s.zone_marks[zone] & st.SURGED == 0 and has_unmoved(s, zone)
    if gambit == st.FERVOUR:
        return s.zone_marks[zone] & st.FERVENT == 0
    if gambit == st.VENOM:
        return s.zone_marks[zone] & st.VENOMED == 0
    if gambit == st.SHIELD:
        return s.zone_marks[zone] & st.SHIELDED == 0
    if gambit == st.TUNNELS and s.marines_in[zone] == 0:
        for point in range(t.points[m]):
            if t.point_zone[m, point] == zone and usable(s, t, point):
                for kind in range(st.TYPES):
                    if may_tunnel(s, t, kind, zone):
                        return True
                return False
    return False


@kernel
def may_target_point(s, t, gambit: int, point: int) -> bool:
    """Say whether a gambit may be played on a point: the card to shift, or where masses appear."""
    if gambit == st.SHIFT:
        return s.point_card[point] >= 0
    if gambit == st.MASSES and is_free(s, t, point):
        zone = int(t.point_zone[int(s.mission), point])
        return best_mix(s, t, st.AUTOGUN, st.AUTOPISTOL, MASSES, zone) > 0
    return False


@kernel
def has_target(s, t, gambit: int) -> bool:
    """Say whether a gambit would have some effect now (OVK-K01)."""
    if gambit == st.WHISPER:  # with fewer, two of them could be played in turn for ever
        return count_cards(s, st.CARD_DECK) + count_cards(s, st.CARD_DISCARD) >= 2
    if gambit == st.DUST:
        return s.dust == 0
    if gambit == st.SHIFT or gambit == st.MASSES:
        free = False
        found = False
        for point in range(st.MAX_POINTS):
            free = free or is_free(s, t, point)
            found = found or may_target_point(s, t, gambit, point)
            if found and free:
                return True
        return False
    if gambit == st.BULKHEAD or gambit >= st.JAM:
        for m in range(st.MARINES):
            if may_target_marine(s, gambit, m):
                return True
        return False
    for zone in range(t.zones[int(s.mission)]):
        if may_target_zone(s, t, gambit, zone):
            return True
    return False


@kernel
def gambits_now(s, t) -> int:
    """Return which gambits may be played now, as bits, of those that cards in hand have (OVK-B07, B08)."""
    if s.mission == st.RECOVER:
        return 0
    held = 0
    for c in range(st.CARDS):
        if s.card_at[c] == st.CARD_HAND:
            held |= 1 << int(t.gambit[c])
    if held == 0:
        return 0
    step = int(s.step)
    phase = int(s.phase)
    if (
        phase == st.BROOD_PHASE
        and step == st.STEP_BROOD
        and count_cards(s, st.CARD_HAND) - 1 < cards_due(s, t)
    ):
        return 0
    possible = 0
    for gambit in range(len(st.GAMBITS)):
        if held >> gambit & 1 == 0 or t.gambit_phase[gambit] != phase:
            continue
        if step == st.STEP_LAUNCH and gambit != st.SHIFT and gambit != st.MASSES:
            continue
        if has_target(s, t, gambit):
            possible |= 1 << gambit
    return possible


@kernel
def play(s, t, log, card: int) -> None:
    """Play a card as its gambit: the effect, or the question for its target."""
    gambit = int(t.gambit[card])
    emit(log, st.EVENT_GAMBIT, card, gambit)
    if gambit == st.WHISPER:
        draw_to_hand(s, log, 2)
    s.card_at[card] = st.CARD_DISCARD
    if gambit == st.WHISPER:
        return
    if gambit == st.DUST:
        s.dust = 1
        return
    s.card = card
    s.stage = st.GAMBIT_TARGET


@kernel
def aim_at_marine(s, t, log, m: int) -> None:
    """Carry out the gambit in hand on a marine."""
    gambit = int(t.gambit[int(s.card)])
    s.card = -1
    emit(log, st.EVENT_AIMED, gambit, m, int(s.zone[m]))
    if gambit == st.BULKHEAD:
        s.pinned |= 1 << m
    elif gambit == st.JAM:
        s.jammed |= 1 << m
    elif gambit == st.NO_RESPITE:
        s.no_recover |= 1 << m
    elif roll(s, log, st.ROLL_STATIC, m, 4, st.CULT) >= 4:
        s.static |= 1 << m


@kernel
def aim_at_zone(s, t, log, zone: int) -> None:
    """Carry out the gambit in hand on a zone."""
    gambit = int(t.gambit[int(s.card)])
    emit(log, st.EVENT_AIMED, gambit, -1, zone)
    if gambit == st.TUNNELS:
        s.sel_zone = zone
        s.stage = st.GAMBIT_TYPE
        return
    s.card = -1
    if gambit == st.ROCKFALL:
        for m in range(st.MARINES):
            if s.zone[m] == zone and roll(s, log, st.ROLL_ROCKFALL, m, 5, st.CULT) >= 5:
                suffer(s, t, log, m, False)
        check(s, t, log)
    elif gambit == st.SURGE:
        s.zone_marks[zone] |= st.SURGED
    elif gambit == st.FERVOUR:
        s.zone_marks[zone] |= st.FERVENT
    elif gambit == st.VENOM:
        s.zone_marks[zone] |= st.VENOMED
    else:
        s.zone_marks[zone] |= st.SHIELDED


@kernel
def tunnel(s, t, log, point: int) -> None:
    """Move up to three Hybrids of the group in hand to a point; they have moved."""
    kind = int(s.sel_type)
    zone = int(s.sel_zone)
    there = int(t.point_zone[int(s.mission), point])
    for _ in range(TUNNELLERS):
        model = first_of_group(s, t, kind, zone, st.MOVED)
        if model < 0 or not fits(s, t, st.MARINES + kind, there):
            break
        emit(log, st.EVENT_PLACED, model, there)
        put(s, t, model, there)
        s.marks[model] |= st.MOVED
    s.card = -1
    s.sel_zone = -1
    s.sel_type = -1


@kernel
def shift(s, log, point: int) -> None:
    """Move the card of the point in hand to another point, as it lies."""
    old = int(s.point)
    s.point_card[point] = s.point_card[old]
    s.point_marks[point] = s.point_marks[old]
    s.point_card[old] = -1
    s.point_marks[old] = 0
    s.card = -1
    s.point = -1
    emit(log, st.EVENT_CARD_MOVED, old, point)
