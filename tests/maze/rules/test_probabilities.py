"""The ledger's probability checks, P1 to P15: exact where dice can be enumerated, sampled with the compiled kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest
from maze.rules.table import (
    DEMOLITION,
    LEADER,
    MARINE,
    MEDIC,
    TERMINATOR,
    N,
    T,
    Table,
    charge,
    fire,
    overwatch,
)

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.record import as_states, new_log
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st

sampled = pytest.mark.skipif(INTERPRETED, reason="needs compiled kernels")
SIGMAS = 4.5


def sample(env: BoardEnv, actions: Sequence[int | Callable[[Any], int]], games: int = 4000) -> Any:
    """Play actions in many copies of a position, each with dice of its own; return the records."""
    states = as_states(np.repeat(np.asarray(env.states), games))
    core = states["core"]
    core["strict"] = 0
    core["queue_length"] = core["queue_head"] = 0
    seeds = [derive_seed(11, k) for k in range(games)]
    core["key"] = [seed & 0xFFFFFFFF for seed in seeds]
    kernels, tables = env.game.kernels(), env.game.tables()
    log, mask = new_log(0), np.zeros(act.ACTIONS.size, np.int8)
    for k in range(games):
        for action in actions:
            kernels.step(
                states, k, tables, action if isinstance(action, int) else action(states[k]), log, mask
            )
    return states


def is_near(share: float, exact: float | Fraction, games: int) -> bool:
    """Say whether a share of games is what chance may make of a probability."""
    p = float(exact)
    return abs(share - p) <= SIGMAS * sqrt(max(p * (1 - p), 1e-4) / games)


def mean_is(values: Any, exact: float | Fraction) -> bool:
    """Say whether a mean is what chance may make of an expected value."""
    return bool(abs(values.mean() - float(exact)) <= SIGMAS * values.std() / sqrt(len(values)) + 1e-9)


def test_p01_events() -> None:
    """MAZE-129, MAZE-130."""
    ways: Counter[int] = Counter()
    for dice in product(range(1, 7), repeat=4):
        total = sum(dice)
        for face in range(1, 7):
            numbered = int(T["event_of"][total, 0])
            ways[numbered if numbered >= 0 else int(T["event_of"][total, face])] += 1
    share = {event: Fraction(count, 6 * 1296) for event, count in ways.items()}
    assert sum(share[e] for e in range(4)) == Fraction(155, 648)
    assert share[st.LIGHTS] == share[st.GENERATOR] == share[st.SIGNPOST] == Fraction(155, 3888)
    assert share[st.NOTHING] == Fraction(155, 1296)
    assert share[st.DEAD_TERMINATOR] == Fraction(73, 648)
    assert sum(share[e] for e in range(st.DEAD_SOLDIER, st.DISTRACTED)) == Fraction(65, 108)
    assert sum(share[e] for e in range(st.DISTRACTED, st.EVENTS)) == Fraction(103, 648)


def taken(models: Sequence[int], broken: Sequence[int], early: bool = False) -> tuple[float, int]:
    table = Table()
    vent = table.tile("corridor_vent", 0, 0, "NS")
    for m in models:
        table.put(m, vent, **({"morale": 0} if m in broken else {}))
    table.put(MARINE if MARINE not in models else MEDIC, table.tile("dead_end", 9, 9, "S"))
    alone: dict[str, Any] = {"early": st.MODEL_IDS[models[0]]} if early else {}
    env = table.horror_acts(strict=False, **alone)
    states = sample(env, [act.H_SURPRISE + min(models)], 2000)
    return 1 - float((states["status"] == st.TAKEN).any(axis=1).mean()), 2000


@sampled
def test_p02_dont_let_it_take_him() -> None:
    """MAZE-75."""
    for models, broken, exact in (
        ((0,), (0,), Fraction(1, 3)),
        ((0,), (), Fraction(1, 2)),
        ((0, 1), (), Fraction(2, 3)),
        ((0, 1, 2), (), Fraction(5, 6)),
        ((0, 1, 2, 3), (), Fraction(1)),
        ((TERMINATOR,), (TERMINATOR,), Fraction(2, 3)),
        ((TERMINATOR,), (), Fraction(5, 6)),
    ):
        share, games = taken(models, broken)
        assert is_near(share, exact, games)


@sampled
def test_p03_early_warning() -> None:
    """MAZE-123."""
    for models, broken, exact in (
        ((0,), (0,), Fraction(1, 2)),
        ((0,), (), Fraction(2, 3)),
        ((0, 1), (), Fraction(5, 6)),
        ((0, 1, 2), (), Fraction(1)),
    ):
        share, games = taken(models, broken, True)
        assert is_near(share, exact, games)


def wounds_of_fire(m: int, n: int, **weapon: Any) -> Any:
    table = Table()
    tiles = table.line(3)
    table.put(m, tiles[0], **weapon)
    table.horror(tiles[1])
    return 16 - sample(table.env(strict=False), [act.SELECT + m, fire(0, n)])["h_wounds"].astype(int)


@sampled
def test_p04_a_boltgun() -> None:
    """MAZE-13, MAZE-61."""
    lost = wounds_of_fire(MARINE, 4)
    for k in range(3):
        exact = comb(4, k) * Fraction(1, 9) ** k * Fraction(8, 9) ** (4 - k)
        assert is_near(float((lost == k).mean()), exact, len(lost))
    assert mean_is(lost, Fraction(4, 9))


@sampled
def test_p05_storm_bolter_and_flamer() -> None:
    """MAZE-63."""
    lost = wounds_of_fire(TERMINATOR, 6, weapon=["storm_bolter", "none"], shots=[8, 0])
    assert is_near(float((lost > 0).mean()), Fraction(31031, 46656), len(lost))
    assert mean_is(lost, 1)
    lost = wounds_of_fire(TERMINATOR, 6)
    assert is_near(float((lost > 0).mean()), Fraction(269297, 531441), len(lost))
    assert mean_is(lost, Fraction(2, 3))


def assaulted(m: int, **fields: Any) -> Any:
    """Return records after an assault on one model that has two ways to go, before it goes."""
    table = Table("full-hulk")
    table.tile("intersection", 0, 1, "ESW")
    way = next(iter(table.tiles))
    for x, side in ((1, "W"), (-1, "E")):
        table.tile("dead_end", x, 1, side)
    table.put(m, way, shots=[0, 0], **fields)
    table.horror(table.corridor(0, 0))
    table.put(LEADER, table.tile("dead_end", 9, 9, "S"), shots=[0, 0])
    return sample(table.assault(strict=False), [charge(N)])


@sampled
def test_p06_an_assault() -> None:
    """MAZE-88, MAZE-94."""
    for m, parts in (
        (MEDIC, (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6))),
        (MARINE, (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6))),
    ):
        states = assaulted(m)
        dead = states["status"][:, m] == st.DEAD
        assert is_near(float(dead.mean()), Fraction(1, 36), len(states))
        lost = np.where(dead, 2, int(T["wounds"][m]) - states["wounds"][:, m].astype(int))
        for k, exact in enumerate(parts):
            assert is_near(float((lost == k).mean()), exact, len(states))
    states = assaulted(TERMINATOR, crux=True)
    assert is_near(float((states["wounds"][:, TERMINATOR] == 7).mean()), Fraction(2, 3), len(states))


@sampled
def test_p07_overwatch_of_six() -> None:
    """MAZE-84, MAZE-85, MAZE-86."""
    weapons = [int(w) for w in T["weapon"]]
    chance = {w: Fraction(1, 6) * Fraction(7 - int(T["wound"][w]), 6) for w in range(st.WEAPONS)}
    fails = {w: Fraction(min(6, 3 + int(T["ap"][w])), 6) for w in range(st.WEAPONS)}
    mean = sum(int(T["most"][w]) * chance[w] * fails[w] for w in weapons)
    assert mean == Fraction(49, 54)
    table = Table()
    tiles = table.line(4)
    table.everybody(tiles[2])
    table.horror(tiles[1])

    def shoot(s: Any) -> int:
        if s["phase"] != st.OVERWATCH:
            return int(act.NO) if s["phase"] in (st.CRUX, st.MORTAL) else -1
        return overwatch(0, int(T["most"][int(s["weapon"][int(s["cur"]), 0])]))

    env = table.assault(strict=False)
    states = sample(env, [charge(N)], 3000)
    kernels, tables = env.game.kernels(), env.game.tables()
    log, mask = new_log(0), np.zeros(act.ACTIONS.size, np.int8)
    failed = 0
    for k in range(len(states)):
        while states[k]["phase"] == st.OVERWATCH:
            kernels.step(states, k, tables, shoot(states[k]), log, mask)
        failed += int(states[k]["h_wounds"] <= 13)
    assert is_near(failed / len(states), 0.060407, len(states))


@sampled
def test_p08_morale_lost_in_an_assault() -> None:
    """MAZE-88, MAZE-97."""
    states = assaulted(MEDIC)
    assert mean_is(8 - states["morale"][:, MEDIC].astype(int), Fraction(61, 36))


@sampled
def test_p09_inspiring_presence() -> None:
    """MAZE-20, MAZE-97, MAZE-113."""
    for pendant, parts in ((0, (Fraction(1, 9), Fraction(4, 9), Fraction(4, 9))), (5, None)):
        table = Table()
        table.tile("nest", 0, 1, "NESW")
        for x, y, side in ((1, 1, "W"), (-1, 1, "E"), (0, 2, "S"), (0, -1, "N")):
            table.tile("dead_end", x, y, side)
        corridor = table.corridor(0, 0)
        table.put(MEDIC, corridor, pendant=pendant)
        table.put(LEADER, corridor)
        states = sample(table.env(strict=False), [act.SELECT + MEDIC, act.MOVE + N])
        lost = 8 - states["morale"][:, MEDIC].astype(int)
        if parts is None:
            assert mean_is(lost, 2 * Fraction(2, 9))
            continue
        for k, exact in enumerate(parts):
            assert is_near(float((lost == k).mean()), exact, len(states))


def test_p10_healing_in_the_nest() -> None:
    """MAZE-79, MAZE-80."""
    reached: Counter[int] = Counter()
    for dice in product(range(1, 7), repeat=5):
        wounds, turns = 5, 0
        while wounds < 10:
            wounds += (dice[turns] + 1) // 2
            turns += 1
        reached[turns] += 1
    share = {turns: Fraction(count, 6**5) for turns, count in reached.items()}
    assert share == {2: Fraction(1, 3), 3: Fraction(14, 27), 4: Fraction(11, 81), 5: Fraction(1, 81)}
    assert sum(turns * p for turns, p in share.items()) == Fraction(229, 81)


@sampled
def test_p11_insanity() -> None:
    """MAZE-99, MAZE-102."""
    table = Table()
    corridor = table.corridor(0, 0)
    table.tile("dead_end", 0, 1, "S")
    table.tile("dead_end", 0, -1, "N")
    table.put(MEDIC, corridor, morale=0)
    table.horror(None, 0, "slain")
    states = sample(table.env(strict=False), [act.END_PHASE], 8000)
    # Without a find, and still Broken: then only the Insanity has happened since.
    states = states[(states["phase"] == st.IMP_SELECT) & (states["morale"][:, MEDIC] == 0)]
    games = len(states)
    assert games > 2000
    found = [states[field][:, MEDIC] == 6 for field in ("delir", "halluc", "suicid")]
    for one in found:
        assert is_near(float(one.mean()), Fraction(47, 216), games)
    fled = states["at"][:, MEDIC] != corridor
    assert is_near(float(fled.mean()), Fraction(47, 216), games)
    assert is_near(float((~(found[0] | found[1] | found[2] | fled)).mean()), Fraction(5, 27), games)


@sampled
def test_p12_setup() -> None:
    """MAZE-31."""
    env = broodmind.make("maze/beacon-v0")
    env.reset(seed=1)
    kernels, tables = env.game.kernels(), env.game.tables()
    games = 3000
    states = as_states(np.repeat(np.asarray(env.states), games))
    states["core"]["key"] = [derive_seed(5, k) & 0xFFFFFFFF for k in range(games)]
    log, mask = new_log(0), np.zeros(act.ACTIONS.size, np.int8)
    first, two = Counter[int](), 0
    for k in range(games):
        states[k]["core"]["counter"] = 0
        states[k]["core"]["turn"] = 0
        kernels.reset(states, k, tables, log, mask)
        s = states[k]
        here = np.flatnonzero((s["state"] == st.ON_BOARD) & (s["x"] == 0))
        kinds = {int(s["y"][a]): int(s["kind"][a]) for a in here}
        first[int(T["form"][kinds[1]])] += 1
        two += 2 in kinds
    assert is_near(first[st.BENT] / games, Fraction(10, 27), games)
    assert is_near(first[st.STRAIGHT] / games, Fraction(13, 27), games)
    assert is_near(first[st.FOUR] / games, Fraction(4, 27), games)
    assert is_near(two / games, Fraction(17, 27), games)


@sampled
def test_p13_a_frag_grenade() -> None:
    """MAZE-112."""
    table = Table()
    tiles = table.line(5)
    table.put(MARINE, tiles[3], tools={"frag_grenade": 1})
    table.horror(tiles[2])
    states = sample(table.assault(strict=False), [charge(N), act.TO_MODEL + MARINE])
    lost = 16 - states["h_wounds"].astype(int)
    assert mean_is(lost, Fraction(7, 12))
    assert is_near(float((lost > 0).mean()), Fraction(124781, 279936), len(states))


@sampled
def test_p14_mine_and_melta() -> None:
    """MAZE-116, MAZE-127."""
    table = Table()
    tiles = table.line(9)
    table.tiles[tiles[1]] |= {"mine": ["north"], "armed": ["north"]}
    table.tiles[tiles[2]] |= {"mine": ["south"], "armed": ["south"]}
    table.put(MARINE, tiles[8])
    table.horror(tiles[1])
    states = sample(table.horror_acts(strict=False), [act.H_MOVE + N])
    lost = 16 - states["h_wounds"].astype(int)
    assert mean_is(lost, Fraction(5, 3))
    assert is_near(float((lost == 0).mean()), Fraction(43, 648), len(states))
    assert is_near(float((lost == 3).mean()), Fraction(125, 648), len(states))
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    table.put(DEMOLITION, room)
    table.put(MARINE, room)
    table.keep_open(LEADER)
    states = sample(table.env(strict=False), [act.SELECT + DEMOLITION, act.MELTA_FLOOR])
    assert mean_is(5 - states["wounds"][:, MARINE].astype(int), Fraction(4, 3))


def test_p15_the_higher_of_two_dice() -> None:
    """MAZE-127."""
    ways = Counter(max(pair) for pair in product(range(1, 7), repeat=2))
    assert (ways[6], ways[5], ways[1]) == (11, 9, 1)
