"""What a player is: one small protocol, single and batched."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Policy(Protocol):
    """Someone who chooses actions for one seat of one environment.

    Attributes:
        spec: The spec string that made it (``"search:200"``), for tables and replays.
        needs_position: Whether `act` wants the position beside the observation (scripted, search). Positions
            are always views (``Kernels.view``): copies of the state record without hidden information and
            with other dice.
    """

    spec: str
    needs_position: bool

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        position: NDArray[np.void] | None = None,
    ) -> int:
        """Choose a legal action.

        Args:
            observation: What the seat sees, shape (observation size,).
            mask: 1 for legal actions, shape (number of actions,).
            rng: The only source of chance a policy may use.
            position: A view of the state, an array of one record, where `needs_position`.
        """

    def act_batch(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        rng: np.random.Generator,
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games at once; arguments as in `act` with a leading axis of games."""
