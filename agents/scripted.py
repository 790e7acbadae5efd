"""The scripted player: the hand-written player that each game brings along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.seeds import ActFromSeeds, positions_or_refuse
from broodmind.envs.core.errors import PolicySpecError
from broodmind.envs.core.game import Game
from broodmind.envs.core.record import as_states


class ScriptedPolicy(ActFromSeeds):
    """Asks the game's own hand-written player, for either seat. Spec ``scripted``, or ``scripted:NAME``.

    Args:
        game: The game.
        variant: Which of the game's other hand-written players to ask (`Game.scripted_variants`); empty: the first.

    Raises:
        PolicySpecError: The game has none of that name.
    """

    needs_position = True
    needs_observation = False

    def __init__(self, game: Game, variant: str = "") -> None:
        specs = ["scripted", *(f"scripted:{name}" for name in game.scripted_variants)]
        self.spec = f"scripted:{variant}" if variant else "scripted"
        if self.spec not in specs:
            raise PolicySpecError(
                f"{game.title} has no scripted player {variant!r}; write {' or '.join(map(repr, specs))}"
            )
        self.game = game
        self.number = specs.index(self.spec)

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `SeededPolicy.act_seeded`.

        Raises:
            ValueError: No positions were given.
        """
        states = as_states(positions_or_refuse(self.spec, positions))
        actions = np.empty(len(states), np.int64)
        if self.number:
            seeds = -1 - (seeds & ~1 | self.number - 1)
        self.game.kernels().scripted_range(states, 0, len(states), self.game.tables(), seeds, actions)
        return actions
