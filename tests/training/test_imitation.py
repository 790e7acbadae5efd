"""`training.imitation`: whom the learner imitates."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from toy.learners import SMALL, make_learner

from broodmind.agents.specs import make_policy
from broodmind.envs.core.errors import PolicySpecError
from broodmind.envs.macragge.actions import ACTIONS
from broodmind.envs.macragge.names import DEST_OFFSETS
from broodmind.training.action_head import blurred
from broodmind.training.config import TrainingConfig
from broodmind.training.imitation import Teacher, _fit

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


def test_blurred_actions_are_like_those_whose_points_are_near() -> None:
    alike = blurred(ACTIONS, 0.1)
    np.testing.assert_array_equal(alike, alike.T)
    np.testing.assert_array_equal(np.diag(alike), 1)
    stay = ACTIONS.encode("DEST", DEST_OFFSETS.index((0, 0)))
    step = ACTIONS.encode("DEST", DEST_OFFSETS.index((1, 0)))
    stride = ACTIONS.encode("DEST", DEST_OFFSETS.index((0, 3)))
    assert alike[stay, step] == pytest.approx(np.exp(-((1 / 12) ** 2) / 0.02))
    assert alike[stay, step] > 10 * alike[stay, stride] > 0
    assert alike[ACTIONS.encode("DIR", 0), ACTIONS.encode("DIR", 1)] < 0.001
    pointless = [ACTIONS.encode("MODEL", k) for k in range(5)]
    np.testing.assert_array_equal(alike[pointless].sum(1), 1)
    inside = slice(ACTIONS.base["DEST"], ACTIONS.base["DEST"] + 441)
    assert (alike[inside] > 0).sum() == (alike[inside, inside] > 0).sum()


def test_a_blurred_imitation_teaches_the_neighbours_of_an_action_too() -> None:
    near = blurred(ACTIONS, 0.1) > 0.3
    found = {}
    for blur in (0.0, 0.1):
        config = CONFIG.replace(agent="ultramarines_0", imitation_epochs=30, imitation_blur=blur, entropy=0.0)
        by = teacher(config)
        buffer = by.fill(0.0)
        for _ in range(20):  # until some unit is to be moved
            if (buffer.action_masks.sum(2) > 100).sum() > 5:
                break
            buffer = by.fill(0.0)
        masks = torch.from_numpy(buffer.action_masks).flatten(0, 1)
        moves = masks.sum(1) > 100
        chosen = torch.from_numpy(buffer.actions).flatten()[moves]
        _fit(by.learner, buffer, config)
        with torch.no_grad():
            observations = torch.from_numpy(buffer.observations).flatten(0, 1)[moves]
            _, judged, _ = by.learner.plain_policy.judge(observations, masks[moves])
        assert judged.exp()[~masks[moves]].max() == 0
        own = judged.exp().gather(1, chosen[:, None])[:, 0]
        beside = (judged.exp() * torch.from_numpy(near)[chosen]).sum(1) - own
        found[blur] = float(own.mean()), float(beside.mean())
    assert found[0.1][1] > found[0.0][1]
    assert found[0.1][0] < found[0.0][0]
