"""How fast training is, and where its time goes."""

from __future__ import annotations

import time
from typing import Any

import torch

from broodmind.agents.specs import make_policy
from broodmind.envs.core.registration import game_of
from broodmind.training.config import TrainingConfig, preset
from broodmind.training.league import other_agent
from broodmind.training.learner import LeaguePPO
from broodmind.training.vec_env import LearnerVecEnv, Opponent


def training_speed(
    env_id: str,
    seconds: float = 10.0,
    agent: str | None = None,
    config: TrainingConfig | None = None,
    opponents: tuple[str, ...] = ("scripted", "random"),
    network_opponent: bool = True,
) -> dict[str, Any]:
    """Train for a while without a run directory and measure.

    Args:
        env_id: The environment.
        seconds: How long to measure, after one rollout and update that warm everything up; whole updates are
            finished.
        agent: The learner; None: the first agent of the environment.
        config: The configuration; None: the preset of the environment.
        opponents: Specs of opponents, met equally often.
        network_opponent: Whether an untrained network of the learner's shape is met as often as
            all others together; it stands for the checkpoints of the pool.

    Returns:
        ``steps_per_second`` (decisions of the learner), ``steps``, ``seconds``, ``shares`` of the time
        (``environment``, ``opponent``, ``policy``, ``learn``), ``environment_share``, ``envs``,
        ``minibatch``, ``epochs``, ``threads``, ``agent``.

    Raises:
        UnknownEnvironmentError: No environment has that id.
    """
    from broodmind.agents.network import NetworkPolicy

    config = config or preset(env_id)
    data = config.data or None
    game = game_of(env_id, data)
    agent = agent or game.agents[0]
    other = other_agent(game, agent)
    threads = torch.get_num_threads()
    if config.threads:
        torch.set_num_threads(config.threads)
    env = LearnerVecEnv(
        env_id,
        agent,
        config.envs,
        [Opponent(spec, make_policy(spec, env_id, other, data)) for spec in opponents],
        seed=config.seed,
        num_threads=config.threads or None,
        layout=config.layout or None,
        data=data,
    )
    try:
        learner = LeaguePPO(config, env, total_steps=10**9, seed=config.seed)
        if network_opponent:
            network = learner.plain_policy.to_network(config.activation)
            policy = NetworkPolicy(network, "network", temperature=1.0)
            env.set_opponents([*env.opponents, Opponent("network", policy, weight=float(len(opponents)))])

        learner.practise(config.rollout_size)
        before, steps_before, started = learner.split, learner.num_timesteps, time.perf_counter()
        while time.perf_counter() - started < seconds:
            learner.practise(config.rollout_size)
        elapsed = time.perf_counter() - started
        split = learner.split - before
    finally:
        env.close()
        torch.set_num_threads(threads)
    steps = learner.num_timesteps - steps_before
    shares = split.shares()
    return {
        "env_id": env_id,
        "agent": agent,
        "steps_per_second": steps / elapsed,
        "steps": steps,
        "seconds": elapsed,
        "shares": shares,
        "environment_share": shares["environment"],
        "envs": config.envs,
        "minibatch": config.minibatch,
        "epochs": config.epochs,
        "threads": config.threads or torch.get_num_threads(),
    }
