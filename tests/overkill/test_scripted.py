"""What the hand-written players know of Purgation Protocols, where all marines begin scattered and have to leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from overkill.rules.table import T, ability, marine, position, profile

import broodmind
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.game import GAME

ID = "overkill/purgation-protocols-v0"
EXIT = int(T["exit_zone"][st.PURGATION])
FAR = max(range(int(T["zones"][st.PURGATION])), key=lambda z: int(T["distance"][st.PURGATION, z, EXIT]))


def choice(env: Any, seed: int = 0) -> int:
    """Return what the hand-written player of the seat to act chooses."""
    return int(GAME.kernels().scripted(env.states, 0, GAME.tables(), seed))


def test_the_homer_waits_where_all_have_to_leave_and_slow_marines_are_placed_first() -> None:
    env = broodmind.make(ID)
    env.reset(seed=1)
    assert choice(env) == marine("cassius")
    env.step(choice(env))
    assert int(T["speed"][choice(env) - act.MARINE]) == 2


def test_branatar_comes_by_the_homer_before_its_carrier_leaves() -> None:
    table = position(st.PURGATION, "DMOVE", marines={"cassius": EXIT, "branatar": FAR}, homer="Ortan Cassius")
    assert choice(table.env) == marine("branatar")
    table.do(marine("branatar"))
    assert choice(table.env) == ability(act.TELEPORT)


def test_marines_who_are_barred_are_freed_before_others_are_shot_at() -> None:
    near = next(z for z in range(int(T["zones"][st.PURGATION])) if T["adjacent"][st.PURGATION, FAR, z])
    table = position(
        st.PURGATION,
        "DATT",
        marines={"suberei": FAR, "grytt": EXIT},
        cult={"autogun": [FAR], "hammer": [near]},
    )
    table.do(marine("suberei"))
    assert choice(table.env) == profile(0)
    table.do(profile(0))
    assert choice(table.env) == act.ZONE + FAR


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_both_sides_win_some_of_their_games() -> None:
    env = broodmind.make(ID)
    kernels, tables = GAME.kernels(), GAME.tables()
    results = []
    for game in range(120):
        env.reset(seed=game)
        mask = np.zeros(GAME.actions.size, np.int8)
        kernels.legal(env.states, 0, tables, mask)
        results.append(kernels.playout(env.states, 0, tables, mask, 20_000, game * 1_000_003, 3))
    assert 30 <= sum(result > 0 for result in results) <= 80
