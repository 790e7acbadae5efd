"""Hand-written players."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.maze import state as st
from broodmind.envs.maze import actions as act


@kernel
def choose(s, t, seed: int) -> int:
    """Return the choice of the hand-written player for the seat to act."""
    return act.NO
