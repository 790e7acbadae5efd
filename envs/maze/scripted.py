"""Hand-written players of both seats: they see what their seat sees, and stand up to random play."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.maze import state as st
from broodmind.envs.maze.scripted_explorers import choose_for_explorers
from broodmind.envs.maze.scripted_horror import choose_for_horror


@kernel
def choose(s, t, seed: int) -> int:
    """Return the choice of the hand-written player for the seat to act.

    Args:
        s: The state, as the seat may know it.
        t: The tables.
        seed: Breaks ties.
    """
    if s.core.seat == st.HORROR:
        return choose_for_horror(s, t, seed)
    return choose_for_explorers(s, t, seed)
