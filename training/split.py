"""How the time of training is split between playing, choosing and learning."""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass


@dataclass(frozen=True)
class Split:
    """Where the time went, in seconds.

    Attributes:
        environment: Stepping games: rules, masks, observations, gathering arrays.
        opponent: Opponents choosing.
        policy: The learner choosing, and the bookkeeping of rollouts.
        learn: Gradient steps.
    """

    environment: float = 0.0
    opponent: float = 0.0
    policy: float = 0.0
    learn: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return sum(astuple(self))

    def __add__(self, other: Split) -> Split:
        return Split(*(one + two for one, two in zip(astuple(self), astuple(other))))

    def __sub__(self, other: Split) -> Split:
        return Split(*(one - two for one, two in zip(astuple(self), astuple(other))))

    def to_dict(self) -> dict[str, float]:
        """Return the seconds by part, rounded to milliseconds."""
        return {name: round(seconds, 3) for name, seconds in asdict(self).items()}

    def shares(self) -> dict[str, float]:
        """Return the fraction of the whole per part (0 if no time passed)."""
        whole = self.total or 1.0
        return {name: seconds / whole for name, seconds in asdict(self).items()}
