"""The compiled entry points, made from the rules: see :class:`broodmind.envs.core.driven.Driven`."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.dice import forget_dice
from broodmind.envs.core.driven import Driven
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.decisions import perform
from broodmind.envs.overkill.layout import MEMORY
from broodmind.envs.overkill.legal import fill_mask
from broodmind.envs.overkill.observe import fill, redeal
from broodmind.envs.overkill.scripted import choose
from broodmind.envs.overkill.setup import set_up
from broodmind.envs.overkill.turn import advance


@kernel
def begin_game(s, t, log) -> None:
    """Set the mission up and play on to the first decision."""
    set_up(s, t, log)
    advance(s, t, log)


@entry
def view(states, i, tables, seat, seed) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`. The cult knows everything but what is still to come."""
    s = states[i]
    if seat == st.DEATHWATCH:
        redeal(s, seed)
    s.draw_count = 0
    for k in range(st.DRAWS):
        s.draws[k] = 0
    forget_dice(s.core, seed)


KERNELS = Driven(
    "overkill",
    begin_game=begin_game,
    perform=perform,
    fill_mask=fill_mask,
    choose=choose,
    fill=fill,
    view=view,
    memory_size=MEMORY,
)
