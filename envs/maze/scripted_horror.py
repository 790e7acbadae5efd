"""The hand-written Horror: takes those who are alone, charges the others again and again, and heals when it has to."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.assault import any_target, charge_target
from broodmind.envs.maze.rules.board import (
    count_dark,
    edge,
    explorers_on,
    horror_walks,
    unlit_vents,
)
from broodmind.envs.maze.rules.horror import may_emerge, may_return, may_spike, may_surprise
from broodmind.envs.maze.rules.morale import is_broken
from broodmind.envs.maze.rules.shooting import may_throw

HEALED = 14
"""Wounds with which it leaves its Nest."""
FEW = 1
"""Explorers that hardly keep one of them from being taken."""
SALT = 0x484F5252


@kernel
def jitter(seed: int, k: int) -> int:
    """Return a small number 0..7 that breaks ties."""
    word, _ = philox(seed, k, SALT)
    return word & 7


@kernel
def helpers_on(s, a: int) -> int:
    """Count the explorers on a tile who are not Broken."""
    count = 0
    here = explorers_on(s, a)
    for m in range(st.MODELS):
        if here >> m & 1 and not is_broken(s, m):
            count += 1
    return count


@kernel
def worth(s, a: int, steps: int) -> int:
    """Return how much a charge at a tile is worth."""
    value = 0
    here = explorers_on(s, a)
    for m in range(st.MODELS):
        if here >> m & 1:
            value += 40 + (30 if s.wounds[m] <= 2 else 0)
            if s.beacon_at == st.BEACON_CARRIED and s.beacon_id == m:
                value += 40
            if steps == 1 and may_throw(s, m):
                value -= 100
    return value


@kernel
def best_charge(s, seed: int) -> int:
    """Return the action of the best charge from where the Horror stands, or NO."""
    best = act.NO
    most = -10_000
    for d1 in range(4):
        for d2 in range(5):
            a = charge_target(s, d1, d2)
            if a < 0:
                continue
            k = d1 * 5 + d2
            value = worth(s, a, 1 if d2 == st.NO_DIRECTION else 2) * 8 + jitter(seed, k)
            if value > most:
                most = value
                best = act.H_ASSAULT + k
    return best


@kernel
def reach_from(s, a: int) -> int:
    """Return the worth of the best charge from a tile, 0 if there is none."""
    best = 0
    for d1 in range(4):
        if edge(s, a, d1) != st.CONN:
            continue
        b = int(s.nb[a, d1])
        if explorers_on(s, b):
            best = max(best, worth(s, b, 1))
            continue
        if not horror_walks(s, a, d1, False):
            continue
        for d2 in range(4):
            if edge(s, b, d2) == st.CONN and explorers_on(s, int(s.nb[b, d2])):
                best = max(best, worth(s, int(s.nb[b, d2]), 2))
    return best


@kernel
def from_the_dark(s, t, seed: int) -> int:
    """Return what the Horror does off the board."""
    if s.h_state == st.IN_NEST and s.h_wounds < HEALED:
        return act.H_PASS
    if not may_return(s, t):
        return act.H_PASS
    best = act.H_PASS
    most = 0
    for m in range(st.MODELS):
        if may_surprise(s, t, m):
            a = int(s.at[m])
            helpers = helpers_on(s, a)
            value = (600 if helpers <= FEW else 150) - 30 * helpers + jitter(seed, m)
            if value > most:
                most = value
                best = act.H_SURPRISE + m
    for a in range(int(s.n_tiles)):
        if may_emerge(s, t, a):
            value = reach_from(s, a) * 8 + jitter(seed, 16 + a)
            if value > most and value > 8:
                most = value
                best = act.H_EMERGE + a
    return best


@kernel
def on_the_prowl(s, t, seed: int) -> int:
    """Return what the Horror does on the board: lash out and charge, come nearer, or slip away."""
    if any_target(s):
        for d in range(4):
            if may_spike(s, d):
                return act.H_SPIKE + d
        return act.H_PASS
    best = act.H_PASS
    most = 0
    for d in range(4):
        if horror_walks(s, int(s.h_tile), d, False):
            value = reach_from(s, int(s.nb[int(s.h_tile), d])) * 8 + jitter(seed, d)
            if value > most and value > 8:
                most = value
                best = act.H_MOVE + d
    if best != act.H_PASS:
        return best
    if unlit_vents(s, t, int(s.h_tile)):
        return act.H_CRAWL
    if count_dark(s, int(s.h_tile)):
        for d in range(4):
            if edge(s, int(s.h_tile), d) == st.DARK:
                return act.H_MOVE + d
    for d in range(4):  # a random walk, since nobody is near
        side = (d + jitter(seed, 40)) & 3
        if horror_walks(s, int(s.h_tile), side, False):
            return act.H_MOVE + side
    return act.H_PASS


@kernel
def choose_for_horror(s, t, seed: int) -> int:
    """Return the choice of the hand-written Horror."""
    if s.phase == st.H_ASSAULT:
        return best_charge(s, seed)
    if s.h_state == st.PROWLING:
        return on_the_prowl(s, t, seed)
    return from_the_dark(s, t, seed)
