"""The compiled entry points, made from the rules: see :class:`broodmind.envs.core.driven.Driven`."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.dice import forget_dice
from broodmind.envs.core.driven import Driven
from broodmind.envs.maze.decisions import perform
from broodmind.envs.maze.layout import MEMORY
from broodmind.envs.maze.legal import fill_mask
from broodmind.envs.maze.observe import fill
from broodmind.envs.maze.rules.board import mark_seen
from broodmind.envs.maze.scripted import choose
from broodmind.envs.maze.setup import set_up
from broodmind.envs.maze.turn import advance, derive


@kernel
def begin_game(s, t, log) -> None:
    """Set the mission up and play on to the first decision."""
    set_up(s, t, log)
    advance(s, t, log)


@entry
def view(states, i, tables, seat, seed) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`. Only dice and draws are hidden in this game."""
    forget_dice(states[i].core, seed)


KERNELS = Driven(
    "maze",
    begin_game=begin_game,
    perform=perform,
    fill_mask=fill_mask,
    choose=choose,
    fill=fill,
    view=view,
    memory_size=MEMORY,
)


@entry
def derive_one(states, i, tables) -> None:
    """Work out again what follows from the rest of a position."""
    states[i].regroup = 1
    derive(states[i], tables[0])


@entry
def seen_by(states, i, m, seen) -> None:
    """Write 1 for each tile that a model on the board sees, for pictures."""
    mark_seen(states[i], m, seen)
