"""A policy's last layer that knows which actions are alike.

Hundreds of actions are points: cells to move to, directions. With a weight vector of its own, each must be learned from
the few decisions in which it was chosen. Here the weights of such an action are its own plus a sum over shared ones,
weighted by smooth functions of its point (`Verb.point`), so that what is learned of a cell holds for its neighbours.
It is a parametrisation only: `plain` gives the weights of the ordinary linear layer that computes the same.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from broodmind.agents.heads import CompassColumns, RowHead
from broodmind.envs.core.actions import ActionTable, Compass
from broodmind.envs.core.game import Game

CENTRES = 7
"""Radial functions stand on a square grid of this many points a side, from -1 to 1."""
WIDTH = 0.3


def action_basis(actions: ActionTable) -> NDArray[np.float32]:
    """Return the smooth functions of each action's point, shape (actions, functions).

    Every verb has a constant function of its own; a verb with points has polynomials to degree two and Gaussians too.
    """
    columns: list[NDArray[np.float64]] = []
    axis = np.linspace(-1.0, 1.0, CENTRES)
    centre_x, centre_y = (grid.ravel() for grid in np.meshgrid(axis, axis))
    for verb in actions.verbs:
        functions = np.ones((verb.count, 1))
        if verb.point is not None:
            x, y = np.array([verb.point(argument) for argument in range(verb.count)], np.float64).T
            polynomials = np.stack([x, y, x * x, x * y, y * y], axis=1)
            square = (x[:, None] - centre_x) ** 2 + (y[:, None] - centre_y) ** 2
            functions = np.concatenate(
                [functions, polynomials, np.exp(-square / (2 * WIDTH * WIDTH))], axis=1
            )
        block = np.zeros((actions.size, functions.shape[1]))
        start = actions.base[verb.name]
        block[start : start + verb.count] = functions
        columns.append(block)
    return np.concatenate(columns, axis=1).astype(np.float32)


def blurred(actions: ActionTable, width: float) -> NDArray[np.float32]:
    """Return how much each action is like another, shape (actions, actions): 1 for itself, less for others near it.

    Args:
        actions: The actions. One without a point (`Verb.point`), or of another verb, is like no other.
        width: Standard deviation of the Gaussian of the distance of two points; above 0.
    """
    alike = np.eye(actions.size)
    for verb in actions.verbs:
        if verb.point is not None:
            points = np.array([verb.point(argument) for argument in range(verb.count)], np.float64)
            square = ((points[:, None] - points) ** 2).sum(2)
            block = slice(actions.base[verb.name], actions.base[verb.name] + verb.count)
            alike[block, block] = np.exp(-square / (2 * width * width))
    return alike.astype(np.float32)


def row_heads(game: Game, units: int) -> tuple[RowHead, ...]:
    """Return the heads for actions that have a row of the observation (`Verb.rows`); none for 0 units."""
    if not units:
        return ()
    heads = []
    for verb in game.actions.verbs:
        if verb.rows:
            block = game.observation[verb.rows]
            column = game.observation.offsets[verb.rows]
            count = min(verb.count, block.rows)
            compass = None if verb.compass is None else _compass(game, verb.compass, units)
            heads.append(RowHead(game.actions.base[verb.name], count, column, block.width, units, compass))
    return tuple(heads)


VECTORS = 12
"""So many vectors a head for directions makes of the place that they start from."""


def _compass(game: Game, compass: Compass, units: int) -> CompassColumns:
    """Return the columns of a verb's compass."""
    observation = game.observation
    place, things = observation.offsets[compass.place], observation.offsets[compass.things]
    here, there = observation[compass.place], observation[compass.things]
    return CompassColumns(
        place=place,
        place_width=here.width,
        x=place + here.column(compass.x),
        y=place + here.column(compass.y),
        vectors=VECTORS,
        things=things,
        thing_count=there.rows,
        thing_width=there.width,
        thing_x=there.column(compass.x),
        thing_y=there.column(compass.y),
        units=max(1, units // 2),
    )


class ActionHead(nn.Module):
    """Logits of all actions, as a linear function of the last hidden layer.

    Args:
        own: An initialised linear layer: the actions' own weights.
        basis: Shape (actions, functions), see `action_basis`.
    """

    basis: torch.Tensor

    def __init__(self, own: nn.Linear, basis: NDArray[np.float32]) -> None:
        super().__init__()
        self.own = own
        self.shared = nn.Linear(own.in_features, basis.shape[1])
        nn.init.zeros_(self.shared.weight)
        nn.init.zeros_(self.shared.bias)
        self.register_buffer("basis", torch.from_numpy(basis), persistent=False)

    def plain(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Return weight (actions, inputs) and bias (actions,) of the linear layer that computes the same."""
        weight = self.own.weight + self.basis @ self.shared.weight
        return weight, self.own.bias + self.basis @ self.shared.bias

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Return logits, shape (games, actions)."""
        weight, bias = self.plain()
        return nn.functional.linear(hidden, weight, bias)
