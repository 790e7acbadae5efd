"""The compiled entry points, made from the rules: see :class:`broodmind.envs.core.driven.Driven`."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.dice import forget_dice
from broodmind.envs.core.driven import Driven
from broodmind.envs.macragge.layout import MEMORY
from broodmind.envs.macragge.legal import fill_mask
from broodmind.envs.macragge.observe import fill
from broodmind.envs.macragge.scripted import choose
from broodmind.envs.macragge.setup import set_up
from broodmind.envs.macragge.turn import advance, begin_play, perform


@kernel
def begin_game(s, t, log) -> None:
    """Set the mission up and play on to the first decision."""
    set_up(s, t)
    s.core.turn = 1
    begin_play(s, log)
    advance(s, t, log)


@entry
def view(states, i, tables, seat, seed) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`. Only the dice are hidden in this game."""
    forget_dice(states[i].core, seed)


KERNELS = Driven(
    "macragge",
    begin_game=begin_game,
    perform=perform,
    fill_mask=fill_mask,
    choose=choose,
    fill=fill,
    view=view,
    memory_size=MEMORY,
)
