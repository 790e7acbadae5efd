"""Numbers of Macragge's observation that only rare positions show."""

from __future__ import annotations

import numpy as np
import pytest
from macragge.rules.broods import fresh

import broodmind
from broodmind.agents.kernels import choose_uniform
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.record import new_states
from broodmind.envs.core.registration import game_of
from broodmind.envs.macragge import state as st


def test_ten_termagants_out_of_play_are_one_and_no_more() -> None:
    game = game_of("macragge/reinforcements-v0")
    states = new_states(game.state_dtype, 1)
    states[0] = fresh(5, [2]).record
    models = np.asarray(states)["models"][0]
    every = slice(st.FIRST_TERMAGANT, st.LAST_TERMAGANT + 1)
    models["status"][every] = st.STATUS_OUT
    models["kind"][every] = models["kind"][st.FIRST_TERMAGANT]
    observation = np.zeros(game.observation.size, np.float32)
    game.kernels().observe(states, 0, game.tables(), 0, observation)
    column = game.observation.offsets["globals"] + game.observation["globals"].column("pool_termagants")
    assert observation[column] == 1.0


@pytest.mark.parametrize(
    "mission",
    ["crash-site", "rescue-varras", "fusion-core", "xeno-tide", "reinforcements", "purge-the-xenos"],
)
def test_gaps_and_contacts_of_enemies_are_those_of_a_search_through_all_pairs(mission: str) -> None:
    games = 4 if INTERPRETED else 64
    batch = broodmind.make_vec(f"macragge/{mission}-v0", num_envs=games, seed=5, num_threads=1)
    layout = game_of(f"macragge/{mission}-v0").observation
    block, at = layout["models"], layout.offsets["models"]
    rng = np.random.default_rng(5)
    actions = np.zeros(games, np.int64)
    batch.reset()
    for _ in range(60 if INTERPRETED else 400):
        choose_uniform(batch.mask, rng.random(games), actions)
        batch.step(actions)
        models = np.asarray(batch.states)["models"]
        there = models["status"] == st.STATUS_TABLE
        slots = np.arange(st.MODELS)
        marine = slots < st.FIRST_GENESTEALER
        dx, dy = (models[axis][:, :, None].astype(int) - models[axis][:, None, :] for axis in ("x", "y"))
        enemies = (marine.reshape(-1, 1) != marine) & there[:, :, None] & there[:, None, :]
        square = np.where(enemies, dx * dx + dy * dy, 1 << 30)
        nearest = square.min(axis=2)
        gap = np.where(nearest < 1 << 30, (np.sqrt(nearest) - 2) / 136, 1.0)
        rows = batch.observation[:, at : at + block.rows * block.width].reshape(games, block.rows, -1)
        told = rows[:, :, block.column("enemy_gap")]
        np.testing.assert_allclose(told[there], gap[there], rtol=1e-6)
        assert not told[~there].any()
        if mission not in ("crash-site", "rescue-varras"):
            fighter = slots < st.FIRST_MINE
            touched = np.asarray(((square <= 6) & fighter & fighter.reshape(-1, 1)).any(axis=2))
            assert np.array_equal(rows[:, :, block.column("engaged")][there], touched[there])
