"""The random player: every legal action equally likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.seeds import ActFromSeeds, as_fractions


class RandomPolicy(ActFromSeeds):
    """Chooses uniformly among the legal actions; the floor of every table. Spec ``random``."""

    spec = "random"
    needs_observation = False

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `SeededPolicy.act_seeded`.

        Raises:
            ValueError: A mask has no legal action.
        """
        from broodmind.agents.kernels import choose_uniform

        actions = np.empty(len(masks), np.int64)
        choose_uniform(masks, as_fractions(seeds), actions)
        if len(actions) and actions.min() < 0:
            raise ValueError("a mask has no legal action: the episode of that game is over")
        return actions
