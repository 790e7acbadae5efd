"""Small learners on the toy, for tests of training."""

from __future__ import annotations

from broodmind.agents.specs import make_policy
from broodmind.envs.core.registration import game_of
from broodmind.training.config import TrainingConfig
from broodmind.training.learner import LeaguePPO
from broodmind.training.vec_env import LearnerVecEnv, Opponent

SMALL = TrainingConfig(
    env_id="toy/race-v0",
    agent="runner_0",
    steps=64,
    steps_per_generation=64,
    envs=8,
    rollout_steps=8,
    minibatch=32,
    threads=1,
    hidden=(16,),
    value_hidden=(8,),
    evaluation_games=0,
)


def make_learner(config: TrainingConfig, *rivals: str) -> LeaguePPO:
    """Return a new learner.

    Args:
        config: Its configuration.
        rivals: Specs of its opponents.
    """
    env_id = config.env_ids[0]
    (other,) = (agent for agent in game_of(env_id).agents if agent != config.agent)
    opponents = [Opponent(rival, make_policy(rival, env_id, other)) for rival in rivals]
    env = LearnerVecEnv(config.env_ids, config.agent, config.envs, opponents, seed=1, num_threads=1)
    return LeaguePPO(config, env, config.steps, 3)
