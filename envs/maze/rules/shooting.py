"""Shooting: Fire, Overwatch, grenades (MAZE-60 to 63, 84 to 86, 103, 105, 106, 110, 112)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import pick
from broodmind.envs.core.log import emit
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import (
    count_bits,
    explorers_on,
    nth_bit,
    roll,
    sees,
    sight_line,
)
from broodmind.envs.maze.rules.items import held, lose
from broodmind.envs.maze.rules.morale import is_broken
from broodmind.envs.maze.rules.wounds import (
    PASSED,
    horror_leaves,
    horror_saves,
    hurt,
    hurt_horror,
    save,
)

CHARGE_FAILS_AT = 3
"""Wounds in one Overwatch that make a charge fail (MAZE-86)."""


@kernel
def hit_penalty(s, m: int) -> int:
    """Return what a model subtracts from its rolls to hit (MAZE-62)."""
    penalty = 0
    if is_broken(s, m):
        penalty += 1
    if s.injury[m] & st.CONCUSSION:
        penalty += 1
    if s.injury[m] & st.BLOODLOSS:
        penalty += 1
    if s.delir[m] >= s.core.turn:
        penalty += 1
    if s.scanner[m] != st.SCANNER_OFF:
        penalty += 1
    return penalty


@kernel
def most_shots(s, t, m: int, slot: int) -> int:
    """Return how many shots of a weapon a model may fire at the Horror at most; 0 if it may not (MAZE-60)."""
    w = int(s.weapon[m, slot])
    if w < 0 or s.h_state != st.PROWLING or s.no_fire[m]:
        return 0
    most = min(int(t.most[w]), int(s.shots[m, slot]))
    if most < t.least[w]:
        return 0
    distance = sees(s, m, int(s.h_tile))
    return most if 1 <= distance and distance <= t.range[w] else 0


@kernel
def may_fire(s, t, m: int, slot: int, shots: int) -> bool:
    """Say whether a model may fire so many shots of a weapon at the Horror (MAZE-60)."""
    return shots <= most_shots(s, t, m, slot) and shots >= t.least[int(s.weapon[m, slot])]


@kernel
def may_overwatch(s, t, m: int, slot: int, shots: int) -> bool:
    """Say whether a model may fire so many shots of a weapon at a charge (MAZE-84)."""
    w = int(s.weapon[m, slot])
    if w < 0 or s.injury[m] & st.THREATENED or s.status[m] != st.BOARD:
        return False
    if shots < 1 or shots > min(int(t.most[w]), int(s.shots[m, slot])):
        return False
    distance = sees(s, m, int(s.ch_tile))
    return 0 <= distance and distance <= t.range[w]


@kernel
def bystanders(s, m: int, target: int, charged: bool) -> int:
    """Return the other explorers on a firer's tile and strictly between it and the target's (MAZE-103)."""
    start = int(s.at[m])
    found = explorers_on(s, start)
    if target != start:
        d = sight_line(s, m, target)
        if d >= 0:
            a = int(s.nb[start, d])
            while a != target:
                found |= explorers_on(s, a)
                a = int(s.nb[a, d])
    if charged:
        found |= explorers_on(s, target)
    return found & ~(1 << m)


@kernel
def stray(s, t, log, m: int, victim: int, w: int) -> None:
    """Resolve a shot that hits an explorer (MAZE-103, 105, 106)."""
    if roll(s, log, st.ROLL_WOUND, m, int(t.wound[w])) < t.wound[w]:
        return
    damage = int(t.damage[w])
    if save(s, t, log, victim, int(t.ap[w]), damage, False) != PASSED:
        hurt(s, log, victim, damage)


@kernel
def shoot(s, t, log, m: int, slot: int, shots: int, target: int, charged: bool) -> int:
    """Fire shots at the Horror, one after another; return the wounds it lost (MAZE-61, 85).

    Args:
        s: The state.
        t: The tables.
        log: The event log.
        m: The firer.
        slot: Its weapon.
        shots: How many; spent at once.
        target: The tile aimed at.
        charged: Whether this is Overwatch.
    """
    w = int(s.weapon[m, slot])
    emit(log, st.LOG_FIRED, m, w, shots, 1 if charged else 0)
    s.shots[m, slot] = int(s.shots[m, slot]) - shots
    lost = 0
    for _ in range(shots):
        if s.status[m] != st.BOARD or s.h_state != st.PROWLING or s.core.over:
            break
        need = 6 if charged else int(t.bs[m]) + hit_penalty(s, m)
        value = roll(s, log, st.ROLL_HIT, m, need)
        if value == 6 or (value != 1 and value >= need):
            wounds = roll(s, log, st.ROLL_WOUND, m, int(t.wound[w])) >= t.wound[w]
            if wounds and not horror_saves(s, t, log, int(t.ap[w]), False):
                damage = min(int(t.damage[w]), int(s.h_wounds))
                lost += damage
                hurt_horror(s, log, damage)
        elif s.suicid[m] >= s.core.turn:
            stray(s, t, log, m, m, w)
        elif s.halluc[m] >= s.core.turn:
            others = bystanders(s, m, target, charged)
            if others:
                stray(s, t, log, m, nth_bit(others, pick(s.core, count_bits(others))), w)
    return lost


@kernel
def may_throw(s, m: int) -> bool:
    """Say whether a model may throw a Frag Grenade: it has one, can react, is not on the Platform (MAZE-112, 128)."""
    if s.status[m] != st.BOARD or s.injury[m] & st.THREATENED or held(s, m, st.FRAG) == 0:
        return False
    return s.kind[int(s.at[m])] != st.PLATFORM


@kernel
def throw_grenade(s, t, log, m: int) -> None:
    """Throw a Frag Grenade at the Horror's tile; alive, it goes to the Shadows (MAZE-112)."""
    emit(log, st.LOG_USED, m, st.FRAG)
    lose(s, m, st.FRAG)
    emit(log, st.LOG_EXPLODED, st.FRAG, int(s.h_tile))
    hits = roll(s, log, st.ROLL_HITS, m, 0)
    for _ in range(hits):
        if s.h_state != st.PROWLING:
            break
        if roll(s, log, st.ROLL_WOUND, m, 5) >= 5 and not horror_saves(s, t, log, 0, False):
            hurt_horror(s, log, 1)
    if s.h_state == st.PROWLING:
        horror_leaves(s, log, st.SHADOWS)
