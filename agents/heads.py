"""Parts of a policy network that look at the row of the observation that an action has, and at what lies around."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

import torch
from torch import Tensor, nn

from broodmind.envs.core.errors import CheckpointError

WIDEST_LAYER = 65_536

COORDINATES = 8.0
"""Coordinates are fractions of the table: so many times larger, the differences that decide weigh like other inputs."""


@dataclass(frozen=True)
class CompassColumns:
    """What a head for directions sees of the place it starts from, turned so that each direction points forward.

    So what is learned of an enemy to the north, and of going there, holds for every other point of the compass.

    Args:
        place: First column of what the observation tells of the place.
        place_width: Numbers that it tells; `vectors` linear functions of them are turned.
        x: Column of the place's coordinate east.
        y: Column of its coordinate north.
        vectors: How many vectors are made of the place.
        things: First column of the rows of things around; rows that are all 0 are not there.
        thing_count: How many rows.
        thing_width: Numbers in a row.
        thing_x: Where in a row the coordinate east is.
        thing_y: Where in a row the coordinate north is.
        units: Hidden units that look at each thing from each direction.
    """

    place: int
    place_width: int
    x: int
    y: int
    vectors: int
    things: int
    thing_count: int
    thing_width: int
    thing_x: int
    thing_y: int
    units: int


@dataclass(frozen=True)
class RowHead:
    """Actions each of which has a row of the observation that tells of it, as a model or a direction has.

    One small network looks at each of those rows, and at what the policy makes of the whole; what it says is added to
    the action's logit. So what is learned of one row holds for all.

    Args:
        action: The first of the actions.
        count: How many there are; their rows lie one after another.
        column: Where the first row begins in the observation.
        width: Numbers in a row.
        units: Hidden units of the small network.
        compass: If the actions are directions, evenly spread and counter-clockwise from east: what lies around. Such a
            head also sees how likely the plain logits make each direction, weighs them, and has a second hidden layer.
    """

    action: int
    count: int
    column: int
    width: int
    units: int
    compass: CompassColumns | None = None

    def check(self, observation_size: int, action_count: int) -> None:
        """Refuse sizes that are impossible, or beyond an observation or the actions.

        Raises:
            CheckpointError: Says which.
        """
        c = self.compass
        sizes, starts = [self.count, self.width, self.units], [self.action, self.column]
        if c is not None:
            sizes += [c.place_width, c.vectors, c.thing_count, c.thing_width, c.units]
            starts += [c.place, c.x, c.y, c.things, c.thing_x, c.thing_y]
        if not all(map(is_size, sizes)) or not all(map(_is_start, starts)):
            raise CheckpointError(
                f"architecture: row_heads hold integers of 0..{WIDEST_LAYER}, sizes from 1 up; got {self!r}"
            )
        ends = [
            ("action", self.action + self.count, action_count),
            ("column", self.column + self.count * self.width, observation_size),
        ]
        if c is not None:
            last = max(c.place + c.place_width, c.x + 1, c.y + 1, c.things + c.thing_count * c.thing_width)
            ends += [
                ("column", last, observation_size),
                ("number of a thing", max(c.thing_x, c.thing_y) + 1, c.thing_width),
            ]
        for what, end, size in ends:
            if end > size:
                raise CheckpointError(
                    f"architecture: a row head ends with {what} {end - 1}, expected one below {size}"
                )

    def shapes(self, inputs: int) -> dict[str, tuple[int, ...]]:
        """Return the name and shape of every tensor of its `RowLogits`, in order.

        Args:
            inputs: Units of the policy's last hidden layer.
        """
        shapes: dict[str, tuple[int, ...]] = {
            "own": (self.count, self.units),
            "rows.weight": (self.units, self.width),
            "context.weight": (self.units, inputs),
            "context.bias": (self.units,),
            "out.weight": (1, self.units),
        }
        if self.compass is not None:
            c = self.compass
            shapes |= {
                "around.keep": (1,),
                "around.vectors.weight": (2 * c.vectors, c.place_width),
                "around.turned.weight": (self.units, 3 * c.vectors + 1),
                "around.place.weight": (c.units, 3 + c.place_width),
                "around.place.bias": (c.units,),
                "around.things.weight": (c.units, c.thing_width),
                "around.mixed.weight": (c.units // 2 or 1, c.units),
                "around.mixed.bias": (c.units // 2 or 1,),
                "around.sum.weight": (self.units, c.units // 2 or 1),
                "around.deep.weight": (self.units, self.units),
                "around.deep.bias": (self.units,),
            }
        return shapes

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-able values; `compass` only if there is one."""
        data = asdict(self)
        if self.compass is None:
            del data["compass"]
        return data


def is_size(value: object) -> bool:
    """Whether a value can be the size of a layer."""
    return _is_start(value) and value != 0


def _is_start(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= WIDEST_LAYER


def read_heads(data: object) -> tuple[RowHead, ...]:
    """Return the row heads that a card describes.

    Raises:
        CheckpointError: A key is missing, unknown or of the wrong type.
    """
    names = {field.name for field in fields(RowHead)}
    around = {field.name for field in fields(CompassColumns)}
    if not isinstance(data, list) or not all(
        isinstance(head, Mapping) and set(head) | {"compass"} == names for head in data
    ):
        raise CheckpointError(
            f"architecture: row_heads must be a list of objects with {', '.join(sorted(names))} "
            "(compass may be missing)"
        )
    heads = []
    for head in data:
        compass = head.get("compass")
        if compass is not None and not (isinstance(compass, Mapping) and set(compass) == around):
            raise CheckpointError(
                f"architecture: the compass of a row head must be an object with {', '.join(sorted(around))}"
            )
        heads.append(RowHead(**{**head, "compass": None if compass is None else CompassColumns(**compass)}))
    return tuple(heads)


class Surroundings(nn.Module):
    """What lies around a place, seen in each direction; see `CompassColumns`.

    Args:
        head: The head's shape; it has a compass.
        compass: Its compass.
    """

    cosines: Tensor
    sines: Tensor

    def __init__(self, head: RowHead, compass: CompassColumns) -> None:
        super().__init__()
        self.compass = compass
        angles = torch.arange(head.count, dtype=torch.float64) * (2 * math.pi / head.count)
        self.register_buffer("cosines", angles.cos().float(), persistent=False)
        self.register_buffer("sines", angles.sin().float(), persistent=False)
        half = compass.units // 2 or 1
        self.keep = nn.Parameter(torch.ones(1))
        self.vectors = nn.Linear(compass.place_width, 2 * compass.vectors, bias=False)
        self.turned = nn.Linear(3 * compass.vectors + 1, head.units, bias=False)
        self.place = nn.Linear(3 + compass.place_width, compass.units)
        self.things = nn.Linear(compass.thing_width, compass.units, bias=False)
        self.mixed = nn.Linear(compass.units, half)
        self.sum = nn.Linear(half, head.units, bias=False)
        self.deep = nn.Linear(head.units, head.units)

    def see_nothing(self) -> None:
        """Make the head compute what it would without a compass."""
        with torch.no_grad():
            self.turned.weight.zero_()
            self.sum.weight.zero_()
            self.deep.weight.copy_(torch.eye(len(self.deep.weight)))
            self.deep.bias.zero_()
            self.keep.fill_(1.0)

    def turn(self, east: Tensor, north: Tensor) -> tuple[Tensor, Tensor]:
        """Return offsets of shape (games, n) as forward and (absolute) sideways, each (games, directions, n)."""
        cosines, sines = self.cosines[:, None], self.sines[:, None]
        east, north = east[:, None], north[:, None]
        return east * cosines + north * sines, (north * cosines - east * sines).abs()

    def forward(self, plain: Tensor, observations: Tensor) -> Tensor:
        """Return what the first hidden layer is given, shape (games, directions, units of the head).

        Args:
            plain: Plain logits of the directions, shape (games, directions).
            observations: Whole observations, not normalised, shape (games, observation size).
        """
        c = self.compass
        place = observations[:, c.place : c.place + c.place_width]
        east, north = (COORDINATES * self.vectors(place)).reshape(len(place), -1, 2).unbind(2)
        forward, sideways = self.turn(east, north)
        length = _length(east, north)[:, None].expand_as(forward)
        likely = torch.softmax(plain, dim=1)[..., None]
        seen: Tensor = self.turned(torch.cat([likely, forward, sideways, length], dim=2))
        rows = observations[:, c.things : c.things + c.thing_count * c.thing_width]
        rows = rows.reshape(len(rows), c.thing_count, c.thing_width)
        there = (rows != 0).any(2)
        used = there.any(0)
        rows, there = rows[:, used], there[:, used]
        east = COORDINATES * (rows[:, :, c.thing_x] - observations[:, c.x : c.x + 1])
        north = COORDINATES * (rows[:, :, c.thing_y] - observations[:, c.y : c.y + 1])
        forward, sideways = self.turn(east, north)
        weight = self.place.weight
        of_things = self.things(rows) + nn.functional.linear(place, weight[:, 3:], self.place.bias)[:, None]
        of_things = of_things + _length(east, north)[..., None] * weight[:, 2]
        units = torch.relu(
            of_things[:, None] + forward[..., None] * weight[:, 0] + sideways[..., None] * weight[:, 1]
        )
        units = torch.relu(self.mixed(units)) * there[:, None, :, None]
        together: Tensor = seen + self.sum(units.sum(2))
        return together


def _length(east: Tensor, north: Tensor) -> Tensor:
    return torch.sqrt(east * east + north * north + 1e-6)  # a gradient at 0 too


class RowLogits(nn.Module):
    """What a row head adds to the logits of its actions; nothing until it is trained or loaded.

    Args:
        head: Its shape.
        inputs: Units of the policy's last hidden layer.
    """

    def __init__(self, head: RowHead, inputs: int) -> None:
        super().__init__()
        self.head = head
        self.own = nn.Parameter(torch.zeros(head.count, head.units))
        self.rows = nn.Linear(head.width, head.units, bias=False)
        self.context = nn.Linear(inputs, head.units)
        self.out = nn.Linear(head.units, 1, bias=False)
        self.around = None if head.compass is None else Surroundings(head, head.compass)
        nn.init.zeros_(self.out.weight)

    def forward(self, observations: Tensor, hidden: Tensor, plain: Tensor) -> Tensor:
        """Return what is added, shape (games, count).

        Args:
            observations: Whole observations, not normalised, shape (games, observation size).
            hidden: The policy's last hidden layer, shape (games, inputs).
            plain: Plain logits of its actions, shape (games, count).
        """
        head = self.head
        columns = observations[:, head.column : head.column + head.count * head.width]
        rows = columns.reshape(len(observations), head.count, head.width)
        units = self.rows(rows) + self.context(hidden)[:, None] + self.own
        if self.around is None:
            plainly: Tensor = self.out(torch.relu(units)).squeeze(-1)
            return plainly
        units = torch.relu(units + self.around(plain, observations))
        added: Tensor = self.out(torch.relu(self.around.deep(units))).squeeze(-1)
        return added + (self.around.keep - 1) * plain


def add_heads(heads: Iterable[nn.Module], logits: Tensor, observations: Tensor, hidden: Tensor) -> Tensor:
    """Return logits with what row heads add to them.

    Args:
        heads: `RowLogits`.
        logits: Plain logits, shape (games, actions); changed in place.
        observations: Whole observations, not normalised, shape (games, observation size).
        hidden: The policy's last hidden layer, shape (games, inputs).
    """
    for rows in heads:
        assert isinstance(rows, RowLogits)
        actions = slice(rows.head.action, rows.head.action + rows.head.count)
        plain = logits[:, actions].clone()
        logits[:, actions] += rows(observations, hidden, plain)
    return logits
