"""Where chance comes from when many games are played at once: one 64-bit word per decision.

A policy of this package needs a single random word for each decision (`SeededPolicy`). Words are hashed from
the seed of the episode, the number of the decision and its seat, so that a game goes the same way whichever
other games are played beside it. `broodmind.training.evaluate` uses this; everything else may simply pass a
NumPy generator.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.policy import Policy

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@runtime_checkable
class SeededPolicy(Policy, Protocol):
    """A policy whose only chance is one word per decision."""

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, one seed each.

        ``seeds[k]`` (0..2**63-1) is all the chance that the choice of game k may use. Other arguments and the
        result as in `Policy.act_batch`.
        """


def mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return well-mixed words (the finaliser of SplitMix64), same shape."""
    with np.errstate(over="ignore"):
        words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def decision_seeds(
    episode_seeds: NDArray[np.uint64], decisions: NDArray[np.int64], purpose: int
) -> NDArray[np.int64]:
    """Return one seed (0..2**63-1) per game for its current decision.

    Args:
        episode_seeds: Seeds of the episodes, shape (games,), dtype uint64.
        decisions: Numbers of the decisions within their episodes, shape (games,).
        purpose: Keeps apart what is drawn for different purposes at one decision (choosing, viewing).
    """
    with np.errstate(over="ignore"):
        words = mix(episode_seeds + GOLDEN * np.uint64(purpose + 1))
        words = mix(words + GOLDEN * (decisions.astype(np.uint64) + np.uint64(1)))
    return (words >> np.uint64(1)).astype(np.int64)


def draw_seeds(rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Draw `count` seeds (0..2**63-1) from a generator."""
    return rng.integers(0, 2**63 - 1, count, dtype=np.int64)


def as_fractions(seeds: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a number in [0, 1) per seed, of 32 bits (so that products never round up)."""
    return (seeds >> 31).astype(np.float64) / 2.0**32


class ActFromSeeds:
    """The faces of `Policy` that follow from `act_seeded`; the base of this package's policies.

    Attributes:
        spec: See `Policy`.
        needs_position: See `Policy`.
        needs_observation: Whether observations are read; if not, callers may pass no rows of them.
    """

    spec: str = ""
    needs_position: bool = False
    needs_observation: bool = True

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `SeededPolicy.act_seeded`."""
        raise NotImplementedError  # abstract

    def act(
        self,
        observation: NDArray[np.float32],
        mask: NDArray[np.int8],
        rng: np.random.Generator,
        position: NDArray[np.void] | None = None,
    ) -> int:
        """Choose a legal action, see `Policy.act`."""
        return int(self.act_batch(observation[None], mask[None], rng, position)[0])

    def act_batch(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        rng: np.random.Generator,
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `Policy.act_batch`. One word per game is drawn from `rng`."""
        return self.act_seeded(observations, masks, draw_seeds(rng, len(masks)), positions)

    def __repr__(self) -> str:
        return f"<policy {self.spec}>"


def positions_or_refuse(spec: str, positions: NDArray[np.void] | None) -> NDArray[np.void]:
    """Return the positions that a policy with `needs_position` was given.

    Raises:
        ValueError: None were given.
    """
    if positions is None:
        raise ValueError(
            f"policy {spec!r} chooses by the position: pass a view of the state (Kernels.view) as well"
        )
    return positions
