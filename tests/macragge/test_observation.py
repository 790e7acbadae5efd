"""Numbers of Macragge's observation that only rare positions show."""

from __future__ import annotations

import numpy as np
from macragge.rules.broods import fresh

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
