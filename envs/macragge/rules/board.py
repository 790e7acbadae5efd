"""Putting models on the table and taking them off, and finding the living."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import d6, planned
from broodmind.envs.core.log import emit
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules.loads import has_loads, pass_loads

WIN = 2
DRAW = 0
LOSS = -2
"""Results in half points for the Ultramarines."""


@kernel
def stand(m, x: int, y: int) -> None:
    """Let a model stand somewhere, with no move begun or planned; off the table that is at (0, 0)."""
    m.x = x
    m.y = y
    m.start_x = x
    m.start_y = y
    m.plan_x = x
    m.plan_y = y


@kernel
def put(s, slot: int, x: int, y: int) -> None:
    """Stand a model on the table."""
    m = s.models[slot]
    stand(m, x, y)
    m.status = st.STATUS_TABLE
    m.marks = 0


@kernel
def take_off(s, slot: int, status: int) -> None:
    """Take a model off the table; `status` says what has become of it."""
    m = s.models[slot]
    stand(m, 0, 0)
    m.status = status
    m.marks = 0
    group = int(m.group)
    s.groups[group].living = int(s.groups[group].living) - 1
    if st.FIRST_GENESTEALER <= slot and slot < st.FIRST_MINE:
        m.group = -1  # back in the pool, free for a new unit
        m.attacks = 0
        m.aim = -1
        if s.groups[group].living == 0:
            s.groups[group].kind = st.GROUP_NONE
            s.groups[group].marks = 0


@kernel
def end_of_ultramarines(s) -> int:
    """Return the slot after the last one that an Ultramarine of the mission can hold (loops stop there)."""
    if s.core.mission == st.CRASH_SITE:
        return st.OCTAVIAN
    if s.core.mission <= st.XENO_TIDE:
        return st.MISSILE
    return st.FIRST_GENESTEALER


@kernel
def first_tyranid(s) -> int:
    """Return the first slot that a Tyranid of the mission can hold: only mines in missions 1 and 2."""
    return st.FIRST_MINE if s.core.mission <= st.RESCUE_VARRAS else st.FIRST_GENESTEALER


@kernel
def alive(s, slot: int) -> bool:
    """Say whether a model stands on the table."""
    return s.models[slot].status == st.STATUS_TABLE


@kernel
def slay(s, log, slot: int) -> None:
    """Remove a slain model: Ultramarines are dead, Tyranids go back to the pool."""
    m = s.models[slot]
    brought_down = slot == st.VARRAS and has_loads(s)  # others will carry him
    emit(log, st.EVENT_SLAIN, slot, int(m.x), int(m.y), 1 if brought_down else 0)
    if st.FIRST_GENESTEALER <= slot and slot <= st.LAST_GENESTEALER:
        s.kills = min(int(s.kills) + 1, st.KILLS_COUNTED)
    x = int(m.x)
    y = int(m.y)
    take_off(s, slot, st.STATUS_DEAD if slot < st.FIRST_GENESTEALER else st.STATUS_OUT)
    if slot < st.FIRST_GENESTEALER and has_loads(s):
        pass_loads(s, log, slot, x, y)


@kernel
def marines_dead(s) -> int:
    """Count the dead Space Marines (never Varras)."""
    dead = 0
    for slot in range(st.OCTAVIAN, st.FIRST_GENESTEALER):
        if s.models[slot].status == st.STATUS_DEAD:
            dead += 1
    return dead


@kernel
def ultramarines_on_table(s) -> int:
    """Count the Ultramarines on the table, Varras included."""
    count = 0
    for slot in range(end_of_ultramarines(s)):
        if alive(s, slot):
            count += 1
    return count


@kernel
def roll(s, log, purpose: int, who: int, needed: int, seat: int) -> int:
    """Roll a D6, remember it and report it. `needed` is 0 where the roll is not a test."""
    value = d6(s.core)
    s.die = value
    emit(log, st.EVENT_ROLLED, value, purpose, who, needed, seat)
    return value


@kernel
def roll_direction(s, log, who: int) -> int:
    """Roll one of the 16 directions (MAC-B16)."""
    value = planned(s.core, 16, 0)
    emit(log, st.EVENT_ROLLED, value, st.ROLL_DIRECTION, who, 0, st.TYRANIDS)
    return value


@kernel
def finish(s, log, result: int, reason: int) -> None:
    """End the game: `result` in half points for the Ultramarines."""
    s.core.over = 1
    s.core.result = result
    if reason == st.OVER_TURN_LIMIT:
        s.core.truncated = 1
    s.phase = st.OVER
    s.unit = -1
    s.model = -1
    s.target = -1
    s.squad = -1
    s.wounds = 0
    emit(log, st.EVENT_GAME_OVER, result, reason)
