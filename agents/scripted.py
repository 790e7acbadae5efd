"""The scripted player: the hand-written player that each game brings along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.seeds import ActFromSeeds, positions_or_refuse
from broodmind.envs.core.errors import PolicySpecError
from broodmind.envs.core.game import Game
from broodmind.envs.core.record import as_states


class ScriptedPolicy(ActFromSeeds):
    """Asks the game's own hand-written player, for either seat. Spec ``scripted``, or ``scripted:tuned``.

    Args:
        game: The game.
        tuned: Whether to ask the second one, that is stronger in some missions.

    Raises:
        PolicySpecError: The game has no second one.
    """

    needs_position = True
    needs_observation = False

    def __init__(self, game: Game, tuned: bool = False) -> None:
        if tuned and not game.tuned:
            raise PolicySpecError(f"{game.title} has no tuned scripted player; write 'scripted'")
        self.game = game
        self.tuned = tuned
        self.spec = "scripted:tuned" if tuned else "scripted"

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
        if self.tuned:
            seeds = -1 - seeds
        self.game.kernels().scripted_range(states, 0, len(states), self.game.tables(), seeds, actions)
        return actions
