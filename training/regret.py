"""How much a seat of scripted play could gain by one other choice: a measure of what is left to learn.

Positions are taken from games of the scripted player against itself. In each, every legal action (or so many, drawn
at random) is carried out in the same imagined worlds, with other dice and other hidden cards each, and the scripted
players play on from there. Half of the worlds say which action is best, the other half what it is worth, and the other
way round: so luck does not flatter the gain, and it is below zero where the best cannot be told from the others.

Not seen are gains too small for so many worlds to find, and those of plans that need several other choices in a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.seeds import draw_seeds
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.registration import make_vec
from broodmind.training.imagination import Imagination

GAMES = 64
"""Games played at once, of which one at a time lends a position."""

SHARE = 0.25
"""Share of rounds in which a position is taken: positions of one game a few decisions apart tell nearly the same."""


@dataclass(frozen=True)
class Regret:
    """What one other choice is worth to a scripted player, in units of reward (-1 to 1).

    Args:
        env_id: The environment.
        agent: The agent that may choose otherwise.
        positions: Positions looked at.
        actions: Mean number of actions tried in a position.
        worlds: Imagined worlds that each action was tried in.
        value: Mean reward of the agent from those positions on, by its scripted choices.
        gain: Mean gain of the action that half of the worlds call best, measured in the other half.
        error: Standard error of `gain`.
        spread: Standard deviation of the actions' values in a position, luck taken out: how much choices matter.
    """

    env_id: str
    agent: str
    positions: int
    actions: float
    worlds: int
    value: float
    gain: float
    error: float
    spread: float

    @property
    def interval(self) -> tuple[float, float]:
        """The gain's interval at 95%."""
        return self.gain - 1.96 * self.error, self.gain + 1.96 * self.error


def gains(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the gain over the first action and the variance between actions that luck does not explain.

    Args:
        values: Rewards, shape (actions, worlds); the worlds are an even number.
    """
    half = values.shape[1] // 2
    one, two = values[:, :half].mean(1), values[:, half:].mean(1)
    best_one, best_two = int(one.argmax()), int(two.argmax())
    gain = (two[best_one] - two[0] + one[best_two] - one[0]) / 2
    between = float(((one - one.mean()) * (two - two.mean())).sum() / (len(one) - 1))
    return float(gain), between


def scripted_regret(
    env_id: str,
    agent: str,
    positions: int = 500,
    worlds: int = 200,
    most_actions: int = 25,
    seed: int = 0,
    layout: str | None = None,
    on_progress: Callable[[int], None] = lambda done: None,
) -> Regret:
    """Measure what one other choice is worth to the scripted player against the scripted player.

    Args:
        env_id: Environment id.
        agent: The agent that may choose otherwise.
        positions: How many positions to look at, at least 2.
        worlds: How many imagined worlds each action is tried in: an even number, at least 2.
        most_actions: How many actions are tried in a position at most, at least 2: the scripted choice and others
            drawn at random.
        seed: The same seed gives the same result.
        layout: As `broodmind.make` takes it.
        on_progress: Called with the positions looked at so far.

    Raises:
        ConfigError: An argument is outside what it allows, or the environment has no such agent.
    """
    for name, value, least in (
        ("positions", positions, 2),
        ("worlds", worlds, 2),
        ("most_actions", most_actions, 2),
    ):
        if value < least:
            raise ConfigError(f"{name} = {value}: expected at least {least}")
    if worlds % 2:
        raise ConfigError(f"worlds = {worlds}: expected an even number (one half judges the other)")
    batch = make_vec(env_id, num_envs=GAMES, seed=seed, num_threads=1, layout=layout)
    agents = batch.game.agents
    if agent not in agents:
        raise ConfigError(f"{env_id} has no agent {agent!r}; its agents: {', '.join(agents)}")
    seat = agents.index(agent)
    imagination = Imagination(batch.game, seat)
    rng = np.random.default_rng(seed)
    batch.reset()
    chosen: NDArray[np.int64] = np.zeros(GAMES, np.int64)
    found: list[tuple[float, float, float, int]] = []
    while len(found) < positions:
        batch.game.kernels().scripted_range(
            batch.states, 0, GAMES, batch.game.tables(), draw_seeds(rng, GAMES), chosen
        )
        choosing = np.flatnonzero((batch.seat == seat) & (batch.mask.sum(1) > 1))
        if len(choosing) and rng.random() < SHARE:
            game = int(rng.choice(choosing))
            others = np.flatnonzero(batch.mask[game])
            others = rng.permutation(others[others != chosen[game]])[: most_actions - 1]
            actions = [int(chosen[game]), *others.tolist()]
            values = imagination.values(batch.states[game : game + 1], actions, draw_seeds(rng, worlds))
            found.append((*gains(values), float(values[0].mean()), len(actions)))
            on_progress(len(found))
        batch.step(chosen)
    gain, between, value, tried = np.array(found).T
    return Regret(
        env_id,
        agent,
        positions,
        float(tried.mean()),
        worlds,
        float(value.mean()),
        float(gain.mean()),
        float(gain.std(ddof=1) / np.sqrt(positions)),
        float(np.sqrt(max(0.0, between.mean()))),
    )
