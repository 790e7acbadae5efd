"""Boxes in rows, as large as a picture of a given shape can hold them: for boards that come in several parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Rows:
    """Where boxes lie.

    Args:
        corners: Left and bottom of each box, y growing north.
        width: Of all of them together.
        height: Of all of them together.
    """

    corners: tuple[tuple[float, float], ...]
    width: float
    height: float


def arrange(sizes: Sequence[tuple[float, float]], ratio: float, gap: float = 0.0) -> Rows:
    """Lay boxes in rows from the top left, in their order, so that they can be drawn as large as possible.

    Args:
        sizes: Width and height of each box.
        ratio: Width by height of the place that they are drawn in.
        gap: Room between two boxes, in the same unit.

    Raises:
        ValueError: There are no boxes, or the ratio is not above 0.
    """
    if not sizes or ratio <= 0:
        raise ValueError(f"rows need at least one box and a ratio above 0, got {len(sizes)} and {ratio}")
    limits = set()
    for first in range(len(sizes)):  # a row is as wide as some boxes that follow each other
        wide = -gap
        for width, _ in sizes[first:]:
            wide += gap + width
            limits.add(wide)
    tried = (_fill(sizes, limit, gap) for limit in sorted(limits))
    return min(tried, key=lambda rows: max(rows.height, rows.width / ratio))


def _fill(sizes: Sequence[tuple[float, float]], limit: float, gap: float) -> Rows:
    """Fill rows up to a width; a wider box has a row of its own."""
    corners: list[tuple[float, float]] = []
    right, top, deep, widest = 0.0, 0.0, 0.0, 0.0
    for width, height in sizes:
        if right > 0 and right + gap + width > limit + 1e-9:
            right, top, deep = 0.0, top - deep - gap, 0.0
        left = right + gap if right > 0 else 0.0
        corners.append((left, top - height))
        right, deep = left + width, max(deep, height)
        widest = max(widest, right)
    total = deep - top
    return Rows(tuple((x, y + total) for x, y in corners), widest, total)
