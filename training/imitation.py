"""A warm start: before the first generation the learner imitates the scripted player of its seat.

The scripted player plays the learner's seat; the learner is fitted to its choices (cross-entropy, with the
entropy bonus of the configuration, so that it keeps exploring) and its value network to how those games
went. Then PPO goes on.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from broodmind.agents.seeds import draw_seeds
from broodmind.agents.specs import make_policy
from broodmind.training.config import TrainingConfig
from broodmind.training.learner import LeaguePPO, MaskedPolicy, RolloutBuffer


def imitate(learner: LeaguePPO, config: TrainingConfig, agent: str, seed: int) -> dict[str, float]:
    """Fit a learner to the scripted player over ``config.imitation_steps`` decisions.

    Args:
        learner: The learner; its optimizer is fresh afterwards.
        config: The configuration.
        agent: The learner's agent.
        seed: Seed of the scripted player's choices and of the minibatches.

    Returns:
        ``agreement`` (share of the last rollout's decisions in which the learner's best action was the
        scripted player's) and ``decisions`` (how many were imitated).
    """
    env = learner.games
    buffer = learner.rollout_buffer
    assert isinstance(buffer, RolloutBuffer)
    learner.reseed(seed)
    rng = np.random.default_rng(seed)
    scripted = make_policy("scripted", config.env_id, agent)
    rounds = max(1, round(config.imitation_steps / config.rollout_size))
    observations = env.reset()
    starts: NDArray[np.bool_] = np.ones(env.num_envs, np.bool_)
    agreement = 0.0
    for _ in range(rounds):
        buffer.reset()
        for _ in range(config.rollout_steps):
            masks = env.action_masks().copy()
            positions = env.batch.views(np.arange(env.num_envs), draw_seeds(rng, env.num_envs))
            actions = scripted.act_batch(observations, masks, rng, positions)
            with torch.no_grad():
                values = learner.policy.predict_values(torch.from_numpy(observations))
            following, rewards, dones, _ = env.step(actions)
            unused = torch.zeros(env.num_envs)
            buffer.add(observations, actions, rewards, starts, values, unused, action_masks=masks)
            assert isinstance(following, np.ndarray)
            observations, starts = following, dones
        with torch.no_grad():
            values = learner.policy.predict_values(torch.from_numpy(observations))
        buffer.compute_returns_and_advantage(values, starts)
        agreement = _fit(learner, buffer, config)
    env.statistics.take()
    # Adam's moments belong to the imitation; PPO starts with its own.
    policy = learner.policy
    policy.optimizer = policy.optimizer_class(policy.parameters(), **policy.optimizer_kwargs)
    return {"agreement": agreement, "decisions": float(rounds * config.rollout_size)}


def _fit(learner: LeaguePPO, buffer: RolloutBuffer, config: TrainingConfig) -> float:
    """Fit to the decisions in the buffer; returns the share of agreement in the last pass."""
    policy = learner.policy
    assert isinstance(policy, MaskedPolicy)
    policy.columns = buffer.columns
    agreed = seen = 0
    for epoch in range(config.imitation_epochs):
        for batch in buffer.get(config.minibatch):
            values, log_probabilities, entropies = policy.evaluate_actions(
                batch.observations, batch.actions, action_masks=batch.action_masks
            )
            assert entropies is not None
            loss = (
                -log_probabilities.mean()
                - config.entropy * entropies.mean()
                + config.value_coefficient * torch.nn.functional.mse_loss(values.flatten(), batch.returns)
            )
            policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), config.max_gradient_norm)
            policy.optimizer.step()
            if epoch == config.imitation_epochs - 1:
                # more likely than not: the best action of nearly all decisions, without a second pass
                agreed += int((log_probabilities > np.log(0.5)).sum())
                seen += len(log_probabilities)
    policy.columns = None
    return agreed / max(1, seen)
