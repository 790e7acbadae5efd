"""Random play with every position checked by the game's own validator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from broodmind.envs.core.errors import StateError


@dataclass
class SoakReport:
    """What was played.

    Args:
        decisions: Random decisions taken.
        checked: Positions validated.
        games: Games that ended.
    """

    decisions: int = 0
    checked: int = 0
    games: int = 0


def soak_environment(
    env_id: str,
    decisions: int,
    seed: int,
    num_envs: int = 512,
    every: int = 1,
    progress: Callable[[int], object] = lambda done: None,
) -> SoakReport:
    """Play random decisions in a batch and validate the positions.

    Args:
        env_id: The environment id.
        decisions: At least so many decisions.
        seed: Seed of games and choices.
        num_envs: Games at once.
        every: Validate after every so many rounds of decisions.
        progress: Called with the number of decisions taken.

    Raises:
        StateError: A position is impossible, a mask is empty or not what the position says; the message
            tells how to come there again.
    """
    import broodmind
    from broodmind.agents.kernels import choose_uniform

    batch = broodmind.make_vec(env_id, num_envs=num_envs, seed=seed)
    batch.reset()
    game = batch.game
    kernels, tables = game.kernels(), game.tables()
    rng = np.random.default_rng(seed)
    actions = np.zeros(num_envs, np.int64)
    mask = np.zeros(game.actions.size, np.int8)
    report = SoakReport()
    rounds = 0
    while report.decisions < decisions:
        if rounds % every == 0:
            for k in range(num_envs):
                found = game.problems(batch.states, k)
                kernels.legal(batch.states, k, tables, mask)
                if not found and not mask.any():
                    found = ["no action is legal"]
                if not found and not np.array_equal(mask, batch.mask[k]):
                    found = ["the mask of the batch is not that of the position"]
                if found:
                    raise StateError(
                        f"{env_id}: {'; '.join(found)} "
                        f"(game {k} of {num_envs}, seed {seed}, after {rounds} rounds)"
                    )
            report.checked += num_envs
        choose_uniform(batch.mask, rng.random(num_envs), actions)
        batch.step(actions)
        report.games += int(np.count_nonzero(batch.terminated | batch.truncated))
        report.decisions += num_envs
        rounds += 1
        if rounds % 16 == 0:
            progress(report.decisions)
    return report
