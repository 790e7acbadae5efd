"""Observations of the batch, of which only what changed is written, are those that are written whole."""

from __future__ import annotations

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.maze.game import GAME

GAMES, STEPS = (4, 40) if INTERPRETED else (64, 300)
IDS = [mission.id for mission in GAME.missions]


@pytest.mark.parametrize("env_id", IDS)
def test_rows_of_the_batch_are_those_written_whole(env_id: str) -> None:
    batch = broodmind.make_vec(env_id, num_envs=GAMES, seed=3, num_threads=1)
    batch.reset()
    kernels, tables = GAME.kernels(), GAME.tables()
    whole = np.zeros_like(batch.observation)
    choose = np.random.default_rng(4)
    for step in range(STEPS):
        # Some steps pass over some games, as learners do whose opponents move.
        games = np.flatnonzero(choose.random(GAMES) < 0.7) if step % 3 == 0 else np.arange(GAMES)
        batch.step((batch.mask * choose.random(batch.mask.shape)).argmax(axis=1), games)
        kernels.observe_range(batch.states, 0, GAMES, tables, batch.seat, whole)
        stale = np.argwhere(batch.observation != whole)
        assert not stale.size, f"step {step}: numbers {stale[:5].tolist()} (game, number) are stale"
        assert batch.observation.tobytes() == whole.tobytes()  # the signs of zeros, too
        if step % 50 == 49:  # rows that others have written are written whole
            batch.set_states(np.roll(batch.states, 1), check=False)
    assert batch.seat.any()
    assert not batch.seat.all()
    assert INTERPRETED or batch.episode_count.sum() > 0


def test_a_row_is_the_same_whatever_it_held_before() -> None:
    env = broodmind.make("maze/full-hulk-v0")
    env.reset(seed=5)
    rows = [np.full(GAME.observation.size, value, np.float32) for value in (0.0, 7.0)]
    for row in rows:
        GAME.kernels().observe(env.states, 0, GAME.tables(), 0, row)
    assert rows[0].tobytes() == rows[1].tobytes()
