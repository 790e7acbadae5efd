"""What has just happened, drawn over the board: arrows, shots, blasts, flames and crosses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import atan2, cos, hypot, pi, sin
from typing import Any

from broodmind.envs.core.game import Event
from broodmind.envs.core.scene import Shape
from broodmind.envs.macragge import names, palette

Point = tuple[float, float]

BLAST_RADIUS = {"explosive": 5.0, "poison": 3.0}
"""In steps: the large and the small blast (MAC-B10). Acid sprays a template instead."""
FLAME_DISCS = 10
NODE_CROSS = 3.0
BLOW_GAP = 0.7
"""How far from the centres of two bases in a fight the bar between them ends."""


def arrow(
    start: Point, end: Point, colour: str, width: float = 0.3, opacity: float = 1.0, gap: float = 0.0
) -> list[Shape]:
    """Return a line with a head at its end, `gap` away from either point; nothing where there is no room."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    if length < 0.5 + 2 * gap:
        return []
    ux, uy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    start = (start[0] + gap * ux, start[1] + gap * uy)
    end = (end[0] - gap * ux, end[1] - gap * uy)
    length -= 2 * gap
    head = min(1.4, 0.6 * length)
    neck = (end[0] - head * ux, end[1] - head * uy)
    side = 0.45 * head
    corners = (
        end,
        (neck[0] - side * uy, neck[1] + side * ux),
        (neck[0] + side * uy, neck[1] - side * ux),
    )
    return [
        Shape("line", (start, neck), stroke=colour, width=width, opacity=opacity),
        Shape("polygon", corners, fill=colour, opacity=opacity),
    ]


def cross(at: Point, size: float = 1.3, colour: str = palette.SLAIN) -> list[Shape]:
    """Return a diagonal cross."""
    x, y = at
    return [
        Shape("line", ((x - size, y - size), (x + size, y + size)), stroke=colour, width=0.5),
        Shape("line", ((x - size, y + size), (x + size, y - size)), stroke=colour, width=0.5),
    ]


def flame_outline(at: Point, direction: int) -> tuple[Point, ...]:
    """Return the outline of the flame template (MAC-B9) from a base in one of the 16 directions."""
    angle = direction * pi / 8
    # The hull of its first and last discs: (4 + 6 k) / 4 steps out, radius (k + 1) / 4.
    near, near_radius = 1.0, 0.25
    far, far_radius = (4 + 6 * (FLAME_DISCS - 1)) / 4, FLAME_DISCS / 4
    lean = atan2(far_radius - near_radius, far - near)
    turns = [pi / 2 + lean - (pi + 2 * lean) * k / 12 for k in range(13)]
    local = [(far + far_radius * cos(turn), far_radius * sin(turn)) for turn in turns]
    local += [
        (near - near_radius * sin(lean), -near_radius * cos(lean)),
        (near - near_radius * sin(lean), near_radius * cos(lean)),
    ]
    c, s = cos(angle), sin(angle)
    return tuple((at[0] + c * x - s * y, at[1] + s * x + c * y) for x, y in local)


def _point(data: Mapping[str, Any], key: str) -> Point | None:
    cell = data.get(key)
    return (float(cell[0]), float(cell[1])) if cell else None


def _moved(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    start, end = _point(data, "from"), _point(data, "to")
    if start is None or end is None:
        return []
    ghost = Shape("circle", (start,), radius=1.0, stroke=palette.EVENT, width=0.15, dash=True)
    return [ghost, *arrow(start, end, palette.EVENT, 0.25, gap=1.0)] if start != end else []


def _shot(data: Mapping[str, Any], where: Mapping[str, Point]) -> list[Shape]:
    start, end = where.get(str(data["shooter"])), where.get(str(data["model"] or data["target"]))
    if start is None or end is None:
        return []
    target = Shape("circle", (end,), radius=1.7, stroke=palette.EVENT, width=0.35)
    return [*arrow(start, end, palette.EVENT, 0.4, gap=1.0), target]


def _flame(data: Mapping[str, Any], where: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at") or where.get(str(data["shooter"]))
    if at is None:
        return []
    return _template(at, str(data["direction"]))


def _acid(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at")
    return _template(at, str(data["direction"])) if at else []


def _template(at: Point, direction: str) -> list[Shape]:
    outline = flame_outline(at, names.DIRECTIONS.index(direction))
    return [
        Shape("polygon", outline, fill=palette.EVENT, opacity=0.3),
        Shape("polygon", outline, stroke=palette.EVENT, width=0.3),
    ]


def _blast(at: Point, radius: float) -> list[Shape]:
    return [
        Shape("circle", (at,), radius=radius, fill=palette.EVENT, opacity=0.25),
        Shape("circle", (at,), radius=radius, stroke=palette.EVENT, width=0.3),
    ]


def _detonated(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at")
    radius = BLAST_RADIUS.get(str(data["mine_type"]))
    return _blast(at, radius) if at and radius else []


def _mine_gone(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at")
    return cross(at, 0.7, palette.EVENT) if at else []


def _hit(data: Mapping[str, Any], where: Mapping[str, Point]) -> list[Shape]:
    at = where.get(str(data["model"]))
    if at is None:
        return []
    covered = bool(data["covered"])
    return [Shape("circle", (at,), radius=1.45, stroke=palette.EVENT, width=0.35, dash=not covered)]


def _burst(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at")
    return _blast(at, BLAST_RADIUS["poison"]) if at else []  # the small blast


def _struck(data: Mapping[str, Any], where: Mapping[str, Point]) -> list[Shape]:
    start, end = where.get(str(data["model"])), where.get(str(data["enemy"]))
    if start is None or end is None:
        return []
    # From rim to rim and a little into either base, which leaves their signs readable.
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    if length <= 2 * BLOW_GAP:
        return []
    inset_x, inset_y = BLOW_GAP * dx / length, BLOW_GAP * dy / length
    ends = ((start[0] + inset_x, start[1] + inset_y), (end[0] - inset_x, end[1] - inset_y))
    return [Shape("line", ends, stroke=palette.EVENT, width=0.6)]


def _cross_at(data: Mapping[str, Any], where: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at") or where.get(str(data.get("model") or data.get("piece")))
    return cross(at) if at else []


def _node_gone(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at")
    return cross(at, NODE_CROSS) if at else []


def _returned(data: Mapping[str, Any], _: Mapping[str, Point]) -> list[Shape]:
    at = _point(data, "at")
    return [Shape("circle", (at,), radius=1.7, stroke=palette.EVENT, width=0.3, dash=True)] if at else []


_Draw = Callable[[Mapping[str, Any], Mapping[str, Point]], list[Shape]]
_BELOW: dict[str, _Draw] = {
    "moved": _moved,
    "drifted": _moved,
    "shot": _shot,
    "flame": _flame,
    "detonated": _detonated,
    "burst": _burst,
    "acid": _acid,
    "hit": _hit,
    "mine_returned": _returned,
    "model_returned": _returned,
}
"""What lies below the models, whose signs stay readable: areas, rings, and the ways of models and shots."""
_ABOVE: dict[str, _Draw] = {
    "detonated": _mine_gone,
    "slain": _cross_at,
    "marker_destroyed": _cross_at,
    "struck": _struck,
    "node_destroyed": _node_gone,
}

_LEAVING = frozenset({"slain", "escaped", "detonated", "marker_destroyed"})

_LEGEND = {
    "moved": (palette.EVENT, "arrow: has moved"),
    "drifted": (palette.EVENT, "arrow: has moved"),
    "shot": (palette.EVENT, "arrow to a ring: shot"),
    "flame": (palette.EVENT, "wedge: flame"),
    "detonated": (palette.EVENT, "disc: explosion"),
    "burst": (palette.EVENT, "disc: explosion"),
    "struck": (palette.EVENT, "bar: blow"),
    "acid": (palette.EVENT, "wedge: acid"),
    "node_destroyed": (palette.SLAIN, "cross: slain, destroyed"),
    "slain": (palette.SLAIN, "cross: slain, destroyed"),
    "marker_destroyed": (palette.SLAIN, "cross: slain, destroyed"),
    "hit": (palette.EVENT, "ring: under a blast (dashed: partly)"),
    "mine_returned": (palette.EVENT, "dashed ring: has come back"),
    "model_returned": (palette.EVENT, "dashed ring: has come back"),
}


def _drawn(how: Mapping[str, _Draw], events: Sequence[Event], where: Mapping[str, Point]) -> Iterator[Shape]:
    """Draw events in one of the two ways, each where things stood when it happened."""
    known = dict(where)
    for event in reversed(events):
        at = event.data.get("from") or (event.data.get("at") if event.kind in _LEAVING else None)
        if at:
            known[str(event.data.get("model") or event.data.get("piece"))] = (float(at[0]), float(at[1]))
    for event in events:
        if event.kind in how:
            yield from how[event.kind](event.data, known)
        to = event.data.get("to")
        if to:
            known[str(event.data["model"])] = (float(to[0]), float(to[1]))


def areas_and_ways(events: Sequence[Event], where: Mapping[str, Point]) -> list[Shape]:
    """Draw what of events is to lie below the models: templates, blasts, shots, hits, ways gone.

    Args:
        events: As ``describe.event`` makes them.
        where: Centres of models and pieces by name, as they stand after the events.

    Returns:
        Shapes without ids.
    """
    return list(_drawn(_BELOW, events, where))


def event_shapes(events: Sequence[Event], where: Mapping[str, Point]) -> list[Shape]:
    """Draw what of events is to lie above the models: blows and crosses; see `areas_and_ways`."""
    return list(_drawn(_ABOVE, events, where))


def crossed_out(events: Sequence[Event]) -> list[Point]:
    """Return where crosses are drawn, for labels to keep off them."""
    kinds = ("slain", "marker_destroyed", "node_destroyed", "detonated")
    points = [_point(event.data, "at") for event in events if event.kind in kinds and "at" in event.data]
    return [point for point in points if point]


def event_legend(events: Sequence[Event]) -> list[tuple[str, str]]:
    """Return what the legend says of the marks that `event_shapes` makes, each once."""
    entries: list[tuple[str, str]] = []
    for event in events:
        entry = _LEGEND.get(event.kind)
        lost = event.kind == "marker_destroyed" and "at" not in event.data
        no_disc = event.kind == "detonated" and event.data["mine_type"] not in BLAST_RADIUS
        if entry and entry not in entries and not lost and not no_disc:
            entries.append(entry)
    return entries
