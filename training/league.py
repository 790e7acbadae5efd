"""Whom an agent meets in a generation: checkpoints of the other agent, scripted and random players.

The pool of an agent is what its completed generations left in the run directory; nothing is held in memory,
so a resumed run meets the same opponents as one that was never interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from broodmind.agents.checkpoint import load_checkpoint
from broodmind.agents.specs import make_policy
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.game import Game
from broodmind.training.config import TrainingConfig
from broodmind.training.run import RunDirectory
from broodmind.training.vec_env import Opponent

SAMPLED = 1.0
"""Temperature at which pool members play: their trained distribution, more varied than its best action."""


def trained_agents(config: TrainingConfig, game: Game) -> tuple[str, ...]:
    """Return the agents that a configuration trains, in the order in which they take turns.

    Raises:
        ConfigError: The game has no such agent.
    """
    from broodmind.envs.core.errors import ConfigError

    if config.agent == "both":
        return tuple(game.agents)
    if config.agent not in game.agents:
        raise ConfigError(f"agent = {config.agent!r}: expected 'both' or one of {', '.join(game.agents)}")
    return (config.agent,)


def other_agent(game: Game, agent: str) -> str:
    """Return the agent in the other seat."""
    return game.agents[1 - game.agents.index(agent)]


def pool_of(run: RunDirectory, agent: str, generation: int) -> list[Path]:
    """Return the checkpoints of an agent that a generation may meet, oldest first.

    Args:
        run: The run directory.
        agent: Whose checkpoints.
        generation: The generation under way; if the agent has already been trained in it, that is the newest.
    """
    folders = [run.generation(number) / agent for number in range(generation)]
    folders.append(run.partial(generation) / agent)
    return [folder for folder in folders if (folder / "card.json").is_file()]


def opponents_for(run: RunDirectory, agent: str, generation: int) -> list[Opponent]:
    """Draw the opponents of an agent in a generation; equal runs draw equally.

    Shares are the configuration's weights; the shares of opponents that do not exist yet go to the others.

    Args:
        run: The run directory.
        agent: The learner.
        generation: The generation under way.
    """
    config, game = run.config, run.game
    other = other_agent(game, agent)
    opponents = []
    pool = pool_of(run, other, generation)
    if pool and config.weight_latest > 0:
        opponents.append(_checkpoint_opponent("latest", pool[-1], config, other, config.weight_latest))
    past = _draw(
        pool[:-1], config.past_opponents, derive_seed(config.seed, 3, generation, game.agents.index(agent))
    )
    if config.weight_past > 0:
        opponents += [
            _checkpoint_opponent("past", folder, config, other, config.weight_past / len(past))
            for folder in past
        ]
    for name, weight in (("scripted", config.weight_scripted), ("random", config.weight_random)):
        if weight > 0:
            # players of the game, which read the mission of each position they are given
            opponents.append(
                Opponent(name, make_policy(name, config.env_ids[0], other, config.data or None), weight)
            )
    return opponents


def _draw(folders: Sequence[Path], count: int, seed: int) -> list[Path]:
    if len(folders) <= count:
        return list(folders)
    chosen = np.random.default_rng(seed).choice(len(folders), count, replace=False)
    return [folders[k] for k in sorted(chosen)]


def _checkpoint_opponent(
    name: str, folder: Path, config: TrainingConfig, agent: str, weight: float
) -> Opponent:
    policy = load_checkpoint(folder, config.env_ids[0], agent, config.data or None).policy(
        temperature=SAMPLED
    )
    return Opponent(name, policy, weight)
