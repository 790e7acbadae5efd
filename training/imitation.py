"""What happens before the first generation: measuring observations, and imitating the scripted player.

Observations are normalised by what is seen in a first rollout, with or without imitation. The weights of a checkpoint
to start from (`initial`) are taken over then.

Imitation is a warm start: the learner is fitted to the choices of the scripted player of its seat (or of another)
(cross-entropy, with the configuration's entropy bonus so that it keeps exploring), and its value network to
how those games went. More and more of the decisions are taken by the learner itself while the scripted
player says what it would have done (Ross et al. 2011, DAgger), so that the learner knows what to do where
its own mistakes lead. Then PPO goes on.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from broodmind.agents.seeds import draw_seeds
from broodmind.agents.specs import make_policy
from broodmind.training.action_head import blurred
from broodmind.training.config import TrainingConfig
from broodmind.training.learner import LeaguePPO, RolloutBuffer
from broodmind.training.transfer import load_initial

SURVEY_OWN = 0.25
"""Share of decisions taken by the untrained learner while observations are measured."""


class Teacher:
    """Fills rollouts with games in which the scripted player says what to do.

    Args:
        learner: The learner.
        config: The configuration.
        agent: The learner's agent.
        seed: Seed of the scripted player's choices and of who decides.
    """

    def __init__(self, learner: LeaguePPO, config: TrainingConfig, agent: str, seed: int) -> None:
        self.learner = learner
        self.rng = np.random.default_rng(seed)
        specs = config.imitation_player, config.imitation_against_random or config.imitation_player
        self.player, self.against_random = (
            make_policy(spec, config.env_ids[0], agent, config.data or None) for spec in specs
        )
        self.observations: NDArray[np.float32] = learner.games.reset()
        self.starts: NDArray[np.bool_] = np.ones(config.envs, np.bool_)

    def fill(self, own: float) -> RolloutBuffer:
        """Play a rollout.

        Args:
            own: Probability that a decision is taken by the learner; what is stored is the scripted player's.

        Returns:
            The learner's rollout buffer, full.
        """
        games, buffer = self.learner.games, self.learner.rollout_buffer
        assert isinstance(buffer, RolloutBuffer)
        buffer.reset()
        unused = torch.zeros(games.num_envs)
        for _ in range(buffer.buffer_size):
            masks = games.action_masks().copy()
            positions = games.batch.views(np.arange(games.num_envs), draw_seeds(self.rng, games.num_envs))
            advised = self._advice(masks, positions)
            with torch.no_grad():
                chosen, values, _ = self.learner.policy(
                    torch.from_numpy(self.observations), action_masks=masks
                )
            mine = self.rng.random(games.num_envs) < own
            following, rewards, dones, _ = games.step(np.where(mine, chosen.numpy(), advised))
            buffer.add(self.observations, advised, rewards, self.starts, values, unused, action_masks=masks)
            assert isinstance(following, np.ndarray)
            self.observations, self.starts = following, dones
        with torch.no_grad():
            values = self.learner.policy.predict_values(torch.from_numpy(self.observations))
        buffer.compute_returns_and_advantage(values, self.starts)
        return buffer

    def _advice(self, masks: NDArray[np.int8], positions: NDArray[np.void]) -> NDArray[np.int64]:
        """Return what the players to imitate choose, shape (games,)."""
        games = self.learner.games
        advised = self.player.act_batch(self.observations, masks, self.rng, positions)
        if self.against_random.spec != self.player.spec:
            random = np.array([opponent.name == "random" for opponent in games.opponents])
            those = np.flatnonzero(random[games.opponent_of])
            if len(those):
                advised[those] = self.against_random.act_batch(
                    self.observations[those], masks[those], self.rng, positions[those]
                )
        return advised


def prepare(
    learner: LeaguePPO,
    config: TrainingConfig,
    agent: str,
    seed: int,
    on_progress: Callable[[str, int, int], None] = lambda agent, done, decisions: None,
) -> float:
    """Measure observations, then imitate the scripted player over ``config.imitation_steps`` decisions.

    Args:
        learner: A new learner; its optimizer is fresh afterwards.
        config: The configuration.
        agent: The learner's agent.
        seed: Seed of everything drawn.
        on_progress: Called with the agent, the decisions imitated so far and all of them.

    Returns:
        The share of the last rollout's decisions in which the learner gave the scripted player's action a
        probability above one half (0 without imitation).
    """
    learner.reseed(seed)
    teacher = Teacher(learner, config, agent, seed)
    buffer = teacher.fill(SURVEY_OWN)
    seen = torch.from_numpy(buffer.observations).reshape(config.rollout_size, -1)
    deviation, mean = torch.std_mean(seen, dim=0)
    learner.plain_policy.normalise(mean, deviation)
    if config.initial:
        learner.plain_policy.load_plain(load_initial(config, agent).network)
    rounds = round(config.imitation_steps / config.rollout_size)
    optimizer = learner.policy.optimizer
    agreement = 0.0
    for number in range(rounds):
        done = number / rounds
        for group in optimizer.param_groups:
            group["lr"] = config.imitation_rate * (1 - done)
        agreement = _fit(learner, teacher.fill(config.imitation_own * done), config)
        on_progress(agent, (number + 1) * config.rollout_size, rounds * config.rollout_size)
    learner.games.statistics.take()
    # Adam's moments belong to the imitation; PPO starts with its own.
    learner.policy.optimizer = learner.policy.optimizer_class(
        learner.policy.parameters(), **learner.policy.optimizer_kwargs
    )
    return agreement


def _fit(learner: LeaguePPO, buffer: RolloutBuffer, config: TrainingConfig) -> float:
    """Fit to the decisions in the buffer; returns the share of agreement in the last pass."""
    policy = learner.plain_policy
    policy.columns = buffer.columns
    alike = None
    if config.imitation_blur:
        alike = torch.from_numpy(blurred(learner.games.game.actions, config.imitation_blur))
    agreed = seen = 0
    for epoch in range(config.imitation_epochs):
        for batch in buffer.get(config.imitation_minibatch):
            values, judged, entropies = policy.judge(batch.observations, batch.action_masks)
            log_probabilities = judged.gather(1, batch.actions[:, None])[:, 0]
            fitted = log_probabilities
            if alike is not None:
                taught = alike[batch.actions] * batch.action_masks
                fitted = (taught * judged).sum(1) / taught.sum(1)
            loss = (
                -fitted.mean()
                - config.entropy * entropies.mean()
                + config.value_coefficient * torch.nn.functional.mse_loss(values.flatten(), batch.returns)
            )
            policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), config.max_gradient_norm)
            policy.optimizer.step()
            if epoch == config.imitation_epochs - 1:
                agreed += int((log_probabilities > np.log(0.5)).sum())
                seen += len(log_probabilities)
    policy.columns = None
    return agreed / max(1, seen)
