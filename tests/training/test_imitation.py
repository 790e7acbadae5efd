"""`training.imitation`: whom the learner imitates."""

from __future__ import annotations

import numpy as np
import pytest
from toy.learners import SMALL, make_learner

from broodmind.agents.specs import make_policy
from broodmind.envs.core.errors import PolicySpecError
from broodmind.training.config import TrainingConfig
from broodmind.training.imitation import Teacher

RESCUE = "macragge/rescue-varras-v0"
CONFIG = SMALL.replace(
    env_id=RESCUE,
    agent="tyranids_0",
    envs=32,
    rollout_steps=2,
    imitation_player="scripted:tuned",
    imitation_against_random="scripted",
)


def teacher(config: TrainingConfig) -> Teacher:
    return Teacher(make_learner(config, "scripted", "random"), config, config.agent, 5)


def test_another_player_may_be_imitated_and_another_against_the_random_player() -> None:
    found = teacher(CONFIG)
    games = found.learner.games
    against_random = games.opponent_of == 1
    assert 0 < against_random.sum() < len(against_random)
    differed = 0
    for _ in range(12):
        masks, positions = games.action_masks().copy(), np.asarray(games.batch.states).copy()
        advised = found._advice(masks, positions)
        plain, tuned = (
            make_policy(spec, RESCUE, "tyranids_0").act_batch(
                found.observations, masks, np.random.default_rng(1), positions
            )
            for spec in ("scripted", "scripted:tuned")
        )
        against_random = games.opponent_of == 1
        np.testing.assert_array_equal(advised, np.where(against_random, plain, tuned))
        differed += int((plain != tuned).sum())
        following = games.step(advised)[0]
        assert isinstance(following, np.ndarray)
        found.observations = following
    assert differed


def test_the_same_player_is_imitated_against_all_if_no_other_is_named() -> None:
    found = teacher(CONFIG.replace(imitation_player="random", imitation_against_random=""))
    assert found.player.spec == found.against_random.spec == "random"


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(PolicySpecError, match="unknown policy 'scriptde'"):
        teacher(CONFIG.replace(imitation_player="scriptde"))
