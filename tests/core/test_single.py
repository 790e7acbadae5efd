from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.errors import ConfigError, EpisodeOverError, IllegalActionError, PolicySpecError
from broodmind.envs.core.single import SoloEnv
from broodmind.envs.core.wrappers import BlockObservations, BlockObservationsAEC, split_blocks


class Script:
    """A policy that plays by one rule; illegal ones included."""

    spec = "script"
    needs_position = False

    def __init__(self, rule: str) -> None:
        self.rule = rule

    def act(self, observation: np.ndarray, mask: np.ndarray, rng: object, position: object = None) -> int:
        legal = np.flatnonzero(mask)
        return {"first": int(legal[0]), "last": int(legal[-1]), "illegal": int(np.argmin(mask))}[self.rule]

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, rng: object, positions: object = None
    ) -> np.ndarray:
        return np.array([self.act(seen, mask, rng) for seen, mask in zip(observations, masks, strict=True)])


def test_the_loser_gets_minus_one_even_when_the_opponent_ends_the_game() -> None:
    outcomes = set()
    env = SoloEnv("toy/bluff-v0", "guard_0", Script("last"))
    for seed in range(12):
        env.reset(seed=seed)
        over = False
        while not over:
            _, reward, terminated, truncated, info = env.step(int(env.action_masks().argmax()))
            over = terminated or truncated
        outcomes.add((reward, env.board._core["seat"].item()))
        assert info["result"] == reward
    assert {reward for reward, _ in outcomes} >= {-1.0}


def test_the_next_observation_is_the_learners_own() -> None:
    for agent, flag in (("runner_0", 1.0), ("guard_0", 0.0)):
        env = SoloEnv("toy/race-v0", agent, "random")
        for seed in range(20):
            observation, info = env.reset(seed=seed)
            over = False
            while not over:
                assert observation[0] == flag
                assert observation[1] == 1.0
                assert info["action_mask"].any()
                observation, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
                over = terminated or truncated


def test_opponents_moves_are_those_of_the_board() -> None:
    solo = SoloEnv("toy/race-v0", "guard_0", Script("first"))
    board = broodmind.make("toy/race-v0")
    solo.reset(seed=4)
    board.reset(seed=4)
    while not all(board.terminations.values()):
        while board.agent_selection == "runner_0" and board.legal_actions():
            board.step(board.legal_actions()[0])
        if board.legal_actions():
            assert board.state_hash() == solo.board.state_hash()
            action = board.legal_actions()[-1]
            board.step(action)
            solo.step(action)


def test_mistakes_are_named() -> None:
    with pytest.raises(ConfigError, match="has no agent 'runner'"):
        SoloEnv("toy/race-v0", "runner")
    with pytest.raises(PolicySpecError):
        SoloEnv("toy/race-v0", "runner_0", "scriptd")
    env = SoloEnv("toy/race-v0", "guard_0", Script("illegal"))
    with pytest.raises(IllegalActionError, match="the opponent 'script' chose"):
        env.reset(seed=1)
    env = SoloEnv("toy/race-v0", "runner_0", illegal_action="raise")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError):
        env.step(12)
    with pytest.raises(IllegalActionError):
        env.step(None)


def test_an_illegal_action_does_nothing_by_default() -> None:
    env = SoloEnv("toy/race-v0", "runner_0")
    first, _ = env.reset(seed=1)
    second, reward, terminated, truncated, info = env.step(12)
    assert (first == second).all()
    assert (reward, terminated, truncated, info["illegal"]) == (0.0, False, False, True)


def test_nobody_is_handed_an_empty_mask() -> None:
    env = SoloEnv("toy/race-v0", "runner_0", "scripted", illegal_action="forfeit")
    env.reset(seed=1)
    assert env.step(12)[1] == -1.0
    with pytest.raises(EpisodeOverError, match="end of the episode"):
        env.action_masks()
    with pytest.raises(EpisodeOverError):
        env.step(1)


def test_maskable_ppo_learns_from_the_masks() -> None:
    env = DummyVecEnv([lambda: gymnasium.make("broodmind:toy/race-v0", agent="runner_0", opponent="random")])
    env.reset()
    assert get_action_masks(env).shape == (1, 14)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=1, device="cpu")
    model.learn(128)


def test_blocks_are_handed_out_by_name() -> None:
    solo = BlockObservations(gymnasium.make("broodmind:toy/race-v0", agent="guard_0"))
    seen, _ = solo.reset(seed=3)
    assert seen["lanes"].shape == (3, 2)
    assert solo.observation_space.contains(seen)
    assert solo.action_masks().any()
    board = BlockObservationsAEC(broodmind.make("toy/race-v0"))
    board.reset(seed=3)
    seen = board.observe("runner_0")
    assert board.observation_space("runner_0").contains(seen)
    assert seen["observation"]["lanes"][:, 0].sum() == 1
    inner = board.unwrapped
    assert isinstance(inner, BoardEnv)
    many = np.zeros((7, inner.game.observation.size), np.float32)
    assert split_blocks(inner.observation_layout(), many)["lanes"].shape == (7, 3, 2)
    with pytest.raises(ValueError, match="flat=True"):
        BlockObservations(gymnasium.make("broodmind:toy/race-v0", flat=False))
