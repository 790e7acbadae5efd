"""Improving a policy by playouts: what each choice is worth is measured, and the last layer is fitted to that.

A game of many dice says little of what one decision was worth: PPO must play thousands of games to see a choice that
wins one more game in a hundred. Here positions are taken from the learner's games, and in each the legal actions (or so
many of them) are tried in the same imagined worlds, as `training.regret` does it, where scripted players play on (or a
random opponent, in games against one). Then the logits of these actions are fitted to what they were worth
(least squares, `improvement_scale` of reward to one unit of logit). Only weights of the last layer and of row heads are
changed, so that logits of verbs that are not improved stay as they are.

This is one step of policy iteration from the scripted player, so it suits learners that begin with its imitation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from broodmind.agents.heads import RowLogits
from broodmind.agents.seeds import draw_seeds
from broodmind.envs.core.errors import ConfigError
from broodmind.training.config import TrainingConfig
from broodmind.training.imagination import Imagination
from broodmind.training.learner import LeaguePPO, MaskedPolicy

SHARE = 0.06
"""Share of the decisions of its games from which positions are taken: those of one game tell nearly the same."""

OWN = 0.9
"""Share of decisions that the learner takes itself while positions are gathered; others are drawn at random."""

HELD_OUT = 0.1
"""Share of positions that tell what was gained, and are not fitted to."""

Report = Callable[[str, int, int], None]


Job = tuple[int, NDArray[np.void], list[int], NDArray[np.int64], bool]
"""Where the result belongs, a position, the actions to try, the worlds' seeds, and whether the rival is scripted."""


@dataclass(frozen=True)
class Positions:
    """Positions with what actions were worth in them.

    Attributes:
        observations: Shape (positions, observation size), float32.
        actions: The learner's choice and other legal actions, shape (positions, actions), int64; -1: none.
        values: Mean reward of each in the imagined worlds, same shape, float32.
    """

    observations: torch.Tensor
    actions: torch.Tensor
    values: torch.Tensor

    @property
    def there(self) -> torch.Tensor:
        """Whether there is an action, shape (positions, actions)."""
        return self.actions >= 0

    def centred(self, numbers: torch.Tensor) -> torch.Tensor:
        """Return numbers of shape (positions, actions) less their mean over a position's actions, 0 where is none."""
        there = self.there.float()
        mean = (numbers * there).sum(1, keepdim=True) / there.sum(1, keepdim=True)
        return (numbers - mean) * there

    def take(self, which: torch.Tensor) -> Positions:
        """Return some of the positions, by index."""
        return Positions(self.observations[which], self.actions[which], self.values[which])


@dataclass(frozen=True)
class Improvement:
    """What became of it, measured in positions that were not fitted to.

    Attributes:
        positions: How many positions were gathered.
        before: Mean over positions of what the choice before was worth, compared with the mean of all tried.
        after: The same of the choice afterwards.
        error: Standard error of their difference.
    """

    positions: int
    before: float
    after: float
    error: float


def improved_actions(learner: LeaguePPO, verbs: str) -> NDArray[np.bool_]:
    """Return whether each action is of a verb that is improved, shape (actions,).

    Args:
        learner: The learner.
        verbs: Names of verbs, separated by commas; empty: all.

    Raises:
        ConfigError: There is no such verb.
    """
    table = learner.games.game.actions
    names = [name.strip() for name in verbs.split(",") if name.strip()]
    known = [verb.name for verb in table.verbs]
    for name in names:
        if name not in known:
            raise ConfigError(f"improvement_verbs: there is no verb {name!r}; verbs: {', '.join(known)}")
    return np.repeat(
        [not names or verb.name in names for verb in table.verbs], [verb.count for verb in table.verbs]
    )


def gather(
    learner: LeaguePPO, config: TrainingConfig, agent: str, seed: int, on_progress: Report
) -> Positions:
    """Play games, and try the actions of positions in them.

    Args:
        learner: The learner; its games go on.
        config: The configuration.
        agent: The learner's agent.
        seed: Seed of everything drawn.
        on_progress: Called with the agent, the positions so far and all of them.
    """
    games, rng = learner.games, np.random.default_rng(seed)
    wanted, most = config.improvement_positions, config.improvement_actions
    allowed = improved_actions(learner, config.improvement_verbs)
    observations = np.empty((wanted, games.game.observation.size), np.float32)
    actions: NDArray[np.int64] = np.full((wanted, most), -1, np.int64)
    values = np.zeros((wanted, most), np.float32)
    workers = max(1, config.threads)
    free = [
        {
            True: Imagination(games.game, games.learner_seat),
            False: Imagination(games.game, games.learner_seat, False),
        }
        for _ in range(workers)
    ]
    done = 0
    seen = games.reset()
    with ThreadPoolExecutor(workers) as pool:
        while done < wanted:
            masks = games.action_masks().copy()
            with torch.no_grad():
                chosen = learner.policy(torch.from_numpy(seen), action_masks=masks)[0].numpy()
            choices = masks.astype(bool) & allowed
            fit = allowed[chosen] & (choices.sum(1) > 1) & (rng.random(len(chosen)) < SHARE)
            taken = np.flatnonzero(fit)[: wanted - done]
            jobs: list[Job] = []
            for game in taken.tolist():
                row = done + len(jobs)
                others = np.flatnonzero(choices[game])
                others = rng.permutation(others[others != chosen[game]])[: most - 1]
                tried = [int(chosen[game]), *others.tolist()]
                observations[row], actions[row, : len(tried)] = seen[game], tried
                scripted = games.opponents[games.opponent_of[game]].name != "random"
                worlds = draw_seeds(rng, config.improvement_worlds)
                jobs.append((row, games.batch.states[game : game + 1].copy(), tried, worlds, scripted))

            def work(share: int, jobs: list[Job] = jobs) -> None:
                for row, state, tried, worlds, scripted in jobs[share::workers]:
                    found = free[share][scripted].values(state, tried, worlds)
                    values[row, : len(tried)] = found.mean(1)

            list(pool.map(work, range(workers)))
            done += len(jobs)
            if jobs:
                on_progress(agent, done, wanted)
            strayed = np.flatnonzero(rng.random(len(chosen)) >= OWN)
            chosen = chosen.copy()
            for game in strayed.tolist():
                chosen[game] = rng.choice(np.flatnonzero(masks[game]))
            following = games.step(chosen)[0]
            assert isinstance(following, np.ndarray)
            seen = following
    return Positions(torch.from_numpy(observations), torch.from_numpy(actions), torch.from_numpy(values))


def improve(
    learner: LeaguePPO, config: TrainingConfig, agent: str, seed: int, on_progress: Report
) -> Improvement:
    """Gather positions and fit the learner's logits to them.

    Args:
        learner: The learner.
        config: The configuration; `improvement_positions` is above 0.
        agent: The learner's agent.
        seed: Seed of everything drawn.
        on_progress: Called with the agent, what was done so far and all of it.

    Raises:
        ConfigError: There is no such verb as the configuration names.
    """
    positions = gather(learner, config, agent, seed, on_progress)
    return fit(
        learner.plain_policy, positions, config, improved_actions(learner, config.improvement_verbs), seed
    )


def fit(
    policy: MaskedPolicy,
    positions: Positions,
    config: TrainingConfig,
    improved: NDArray[np.bool_],
    seed: int,
) -> Improvement:
    """Fit logits to what actions were worth, by changing the last layer and the row heads.

    Args:
        policy: The policy; what it computes of verbs that are not improved stays the same.
        positions: The positions.
        config: The configuration.
        improved: Whether each action is of a verb that is improved, shape (actions,).
        seed: Seed of the order of minibatches, and of what is held out.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(positions.actions))
    held_out = torch.from_numpy(order[: int(HELD_OUT * len(order))])
    fitted = order[len(held_out) :]
    columns = torch.arange(positions.observations.shape[1])
    with torch.no_grad():
        hidden = torch.cat([policy.latents(part, columns)[0] for part in positions.observations.split(4096)])
        before = positions.take(held_out)
        plain = _logits(policy, before, hidden[held_out])
        for rows in policy.row_heads:
            assert isinstance(rows, RowLogits)
            if rows.around is not None and improved[rows.head.action]:
                rows.around.keep.zero_()  # the head is told what the plain logits say, and weighs it
    parameters = [*policy.action_net.parameters(), *policy.row_heads.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=config.improvement_rate)
    batches = max(1, len(fitted) // config.improvement_minibatch)
    for step, which in enumerate(_minibatches(fitted, config.improvement_epochs, batches, rng)):
        for group in optimizer.param_groups:
            group["lr"] = config.improvement_rate * (1 - step / (batches * config.improvement_epochs))
        part = positions.take(which)
        worth = part.values.clone()
        worth[:, 0] += config.improvement_caution
        worth = part.centred(worth) / config.improvement_scale
        missed = part.centred(_logits(policy, part, hidden[which])) - worth
        loss = missed.square().sum() / part.there.sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        after = _logits(policy, before, hidden[held_out])
    gained = _worth(before, after) - _worth(before, plain)
    return Improvement(
        len(order),
        float(_worth(before, plain).mean()),
        float(_worth(before, after).mean()),
        float(gained.std() / max(1, len(gained)) ** 0.5),
    )


def _minibatches(
    rows: NDArray[np.int64], epochs: int, batches: int, rng: np.random.Generator
) -> Iterator[torch.Tensor]:
    for _ in range(epochs):
        for part in np.array_split(rng.permutation(rows), batches):
            yield torch.from_numpy(part)


def _logits(policy: MaskedPolicy, positions: Positions, hidden: torch.Tensor) -> torch.Tensor:
    """Return the logits of the positions' actions, shape (positions, actions)."""
    columns = torch.arange(positions.observations.shape[1])
    return policy.logits_of(hidden, positions.observations, columns).gather(1, positions.actions.clamp(min=0))


def _worth(positions: Positions, logits: torch.Tensor) -> torch.Tensor:
    """Return what the action with the highest logit was worth, compared with the mean of those tried."""
    best = torch.where(positions.there, logits, -torch.inf).argmax(1)
    return positions.centred(positions.values).gather(1, best[:, None])[:, 0]
