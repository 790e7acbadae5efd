"""Models on the board: room, placing, wounds, points (OVK-G02 to G11)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import d6
from broodmind.envs.core.log import emit
from broodmind.envs.overkill import state as st


@kernel
def roll(s, log, purpose: int, model: int, needed: int, seat: int) -> int:
    """Roll a die and report it.

    Args:
        s: The state.
        log: The event log.
        purpose: What for, a ``ROLL_*``.
        model: Whom it concerns, -1 for nobody.
        needed: The least result that succeeds, 0 if it is no such test.
        seat: Who rolls.
    """
    value = d6(s.core)
    emit(log, st.EVENT_ROLLED, value, purpose, model, needed, seat)
    return value


@kernel
def done(s) -> bool:
    """Say whether the mission is over (in the campaign the game goes on)."""
    return s.core.over != 0 or s.step == st.STEP_CAMPAIGN


@kernel
def stands(s, t, zone: int) -> bool:
    """Say whether a zone's section is still there (OVK-M4.3)."""
    return t.section[int(s.mission), zone] >= s.destroyed


@kernel
def fits(s, t, kind: int, zone: int) -> bool:
    """Say whether a zone has room for one more model of a kind (OVK-G03)."""
    room = int(t.capacity[int(s.mission), zone]) - int(s.used[zone])
    return room >= t.cost[kind] and stands(s, t, zone)


@kernel
def put(s, t, model: int, zone: int) -> None:
    """Place a model, wherever it is, in a zone."""
    lift(s, t, model, zone)
    s.used[zone] = int(s.used[zone]) + int(t.cost[int(t.kind[model])])
    if model < st.MARINES:
        s.marines_in[zone] = int(s.marines_in[zone]) + 1
        if s.mission == st.OFFICIUM:
            below = t.level[st.OFFICIUM, zone] == 1
            if below:
                s.lower_open = 1  # OVK-M5.5
            if model == s.first and (below or t.section[st.OFFICIUM, zone] == t.hall[st.OFFICIUM]):
                s.arrived = 1  # OVK-M5.4; whoever is below has come down the lift
    else:
        s.cult_in[zone] = int(s.cult_in[zone]) + 1


@kernel
def lift(s, t, model: int, to: int) -> None:
    """Take a model out of its zone, if it is in one; `to` is where it is from now on."""
    zone = int(s.zone[model])
    s.zone[model] = to
    if zone < 0:
        return
    s.used[zone] = int(s.used[zone]) - int(t.cost[int(t.kind[model])])
    if model < st.MARINES:
        s.marines_in[zone] = int(s.marines_in[zone]) - 1
    else:
        s.cult_in[zone] = int(s.cult_in[zone]) - 1


@kernel
def barred(s, zone: int, model: int) -> bool:
    """Say whether a model could not leave a zone, since an enemy is there (OVK-M04)."""
    return s.cult_in[zone] > 0 if model < st.MARINES else s.marines_in[zone] > 0


@kernel
def slay(s, t, log, model: int) -> None:
    """Remove a model that dies: a marine for good, a cult model to the pool (OVK-G10, G11; M7.2: for good)."""
    zone = int(s.zone[model])
    emit(log, st.EVENT_SLAIN, model, zone)
    s.wounds[model] = 0
    s.marks[model] = 0
    if model < st.MARINES:
        lift(s, t, model, st.SLAIN)
        s.slain = int(s.slain) + 1
        if s.carrier == model:  # OVK-M3.6
            s.carrier = -1
            s.skull_zone = zone
            emit(log, st.EVENT_SKULL, 0, model, zone)
    else:
        lift(s, t, model, st.SLAIN if s.mission == st.TABLES_TURNED else st.OFF)
        s.kills = int(s.kills) + 1


@kernel
def wound(s, t, log, model: int) -> None:
    """Let a model suffer a wound (OVK-G09, D04)."""
    kind = int(t.kind[model])
    if int(s.wounds[model]) + 1 < t.health[kind]:
        s.wounds[model] = int(s.wounds[model]) + 1
        emit(log, st.EVENT_WOUNDED, model)
    elif t.skills[kind] & st.DETERMINATION and roll(s, log, st.ROLL_ENDURE, model, 4, st.DEATHWATCH) >= 4:
        emit(log, st.EVENT_STAYED, model)
    else:
        slay(s, t, log, model)


@kernel
def pool(s, t, kind: int) -> int:
    """Count the models of a type 0..10 in the pool."""
    count = 0
    first = int(t.first[kind])
    for model in range(first, first + int(t.count[kind])):
        if s.zone[model] == st.OFF:
            count += 1
    return count


@kernel
def place_from_pool(s, t, log, kind: int, zone: int) -> None:
    """Place the lowest free model of a type; it has moved in this phase (OVK-G17, L01)."""
    first = int(t.first[kind])
    for model in range(first, first + int(t.count[kind])):
        if s.zone[model] == st.OFF:
            put(s, t, model, zone)
            s.marks[model] = st.MOVED
            emit(log, st.EVENT_PLACED, model, zone)
            return


@kernel
def first_of_group(s, t, kind: int, zone: int, marks: int) -> int:
    """Return the lowest model of a type in a zone that bears none of some marks, or -1."""
    first = int(t.first[kind])
    for model in range(first, first + int(t.count[kind])):
        if s.zone[model] == zone and s.marks[model] & marks == 0:
            return model
    return -1


@kernel
def count_group(s, t, kind: int, zone: int, marks: int) -> int:
    """Count the models of a type in a zone that bear none of some marks."""
    count = 0
    first = int(t.first[kind])
    for model in range(first, first + int(t.count[kind])):
        if s.zone[model] == zone and s.marks[model] & marks == 0:
            count += 1
    return count


@kernel
def usable(s, t, point: int) -> bool:
    """Say whether an Ambush Point exists and may be used now (OVK-M4.3, M5.5)."""
    m = int(s.mission)
    if point >= t.points[m]:
        return False
    zone = int(t.point_zone[m, point])
    return stands(s, t, zone) and (t.level[m, zone] == 0 or s.lower_open == 1)


@kernel
def is_free(s, t, point: int) -> bool:
    """Say whether a card may be put on an Ambush Point (OVK-B04, B05)."""
    return usable(s, t, point) and s.point_card[point] < 0
