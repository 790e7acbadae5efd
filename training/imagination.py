"""Trying actions in imagined worlds: other dice and other hidden cards each, and scripted players who play on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.search import DEFAULT_LIMIT
from broodmind.envs.core.game import BOTH_SEATS, Game
from broodmind.envs.core.record import new_log, new_states


class Imagination:
    """Tries actions in imagined worlds of a position.

    Args:
        game: The game.
        seat: Who tries.
        rival_scripted: Whether the other seat plays on by scripted choices, or by random ones.
    """

    def __init__(self, game: Game, seat: int, rival_scripted: bool = True) -> None:
        self.kernels: Any = game.kernels()
        self.tables: Any = game.tables()
        self.seat = seat
        self.scripted_seats = BOTH_SEATS if rival_scripted else 1 << seat
        self.sign = 0.5 if seat == 0 else -0.5  # results are half points of seat 0
        self.scratch = new_states(game.state_dtype, 2)
        self.rows = np.asarray(self.scratch).view(np.uint8).reshape(2, -1)
        self.core = np.asarray(self.scratch)["core"]
        self.mask: NDArray[np.int8] = np.zeros(game.actions.size, np.int8)
        self.log = new_log(0)

    def values(
        self, state: NDArray[np.void], actions: list[int], seeds: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the seat's rewards, shape (actions, worlds): each action is tried in the same worlds.

        Args:
            state: The position, shape (1,).
            actions: Legal actions.
            seeds: One per world.
        """
        found = np.zeros((len(actions), len(seeds)))
        source = np.ascontiguousarray(np.asarray(state)).view(np.uint8)
        for world, seed in enumerate(seeds.tolist()):
            self.rows[0] = source
            self.kernels.view(self.scratch, 0, self.tables, self.seat, seed)
            for k, action in enumerate(actions):
                self.rows[1] = self.rows[0]
                self.kernels.step(self.scratch, 1, self.tables, action, self.log, self.mask)
                found[k, world] = self.sign * self._play_on(seed)
        return found

    def _play_on(self, seed: int) -> int:
        """Play the second scratch position to its end; return the result."""
        if self.core["over"][1]:
            return int(self.core["result"][1])
        scratch, mask = self.scratch, self.mask
        return int(
            self.kernels.playout(scratch, 1, self.tables, mask, DEFAULT_LIMIT, seed, self.scripted_seats)
        )
