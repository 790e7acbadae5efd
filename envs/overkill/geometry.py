"""Rectangles on the table in whole millimetres: what is adjacent, in which band, and what a jump would cross."""

from __future__ import annotations

from typing import NamedTuple

from broodmind.envs.overkill import state as st

FACE_WIDTH, FACE_HEIGHT = 200, 270
SHARED_BORDER = 20
"""Millimetres of common border that make two zones adjacent (OVK-G05)."""
RANGES = (52, 192, 420)
"""Ends of the bands Assault, Combat and Maximum in millimetres (OVK-G06)."""
TURNS = (0, 90, 180, 270)


class Rect(NamedTuple):
    """A rectangle in millimetres: x to the right, y down."""

    x: int
    y: int
    width: int
    height: int


def turned(r: Rect, turn: int) -> Rect:
    """Return a rectangle of a face after the face is turned clockwise by 0, 90, 180 or 270 degrees."""
    x, y, w, h = r
    if turn == 0:
        return r
    if turn == 180:
        return Rect(FACE_WIDTH - x - w, FACE_HEIGHT - y - h, w, h)
    if turn == 90:
        return Rect(FACE_HEIGHT - y - h, x, h, w)
    return Rect(y, FACE_WIDTH - x - w, h, w)


def _overlap(start: int, length: int, other: int, other_length: int) -> int:
    return min(start + length, other + other_length) - max(start, other)


def disjoint(a: Rect, b: Rect) -> bool:
    """Say whether two rectangles share no area."""
    return _overlap(a.x, a.width, b.x, b.width) <= 0 or _overlap(a.y, a.height, b.y, b.height) <= 0


def adjacent(a: Rect, b: Rect) -> bool:
    """Say whether two rectangles share enough border (OVK-G05)."""
    across = _overlap(a.x, a.width, b.x, b.width)
    along = _overlap(a.y, a.height, b.y, b.height)
    return (across == 0 and along >= SHARED_BORDER) or (along == 0 and across >= SHARED_BORDER)


def band(a: Rect, b: Rect) -> int:
    """Return the band of two rectangles: ASSAULT, COMBAT, MAXIMUM or OUT (OVK-G06)."""
    gap_x = max(0, b.x - (a.x + a.width), a.x - (b.x + b.width))
    gap_y = max(0, b.y - (a.y + a.height), a.y - (b.y + b.height))
    square = gap_x * gap_x + gap_y * gap_y
    for number, reach in enumerate(RANGES):
        if square <= reach * reach:
            return number
    return st.OUT


def capacity(r: Rect) -> int:
    """Return the room of a zone in units of 12.5 mm squares (OVK-G03)."""
    return ((2 * r.width) // 25) * ((2 * r.height) // 25)


def crosses(a: Rect, b: Rect, hole: Rect) -> bool:
    """Say whether the box spanned between two rectangles overlaps the inside of a third (OVK-M5.3)."""

    def span(p: int, length: int, q: int, other: int) -> tuple[int, int]:
        if p + length <= q:
            return p + length, q
        if q + other <= p:
            return q + other, p
        return max(p, q), min(p + length, q + other)

    left, right = span(a.x, a.width, b.x, b.width)
    top, bottom = span(a.y, a.height, b.y, b.height)
    return left < hole.x + hole.width and hole.x < right and top < hole.y + hole.height and hole.y < bottom


def free_border(r: Rect, edge: str, section: Rect, others: list[Rect]) -> int:
    """Return how many millimetres of a zone's edge lie on the outer border of the board.

    Args:
        r: The zone.
        edge: ``"N"``, ``"E"``, ``"S"`` or ``"W"``.
        section: The section it is on.
        others: The other sections of the board.
    """
    ends = {
        "N": r.y == section.y,
        "S": r.y + r.height == section.y + section.height,
        "W": r.x == section.x,
        "E": r.x + r.width == section.x + section.width,
    }
    if not ends[edge]:
        return 0
    upright = edge in "NS"
    start, length = (r.x, r.width) if upright else (r.y, r.height)
    free = length
    for other in others:
        touches = {
            "N": other.y + other.height == section.y,
            "S": other.y == section.y + section.height,
            "W": other.x + other.width == section.x,
            "E": other.x == section.x + section.width,
        }[edge]
        if touches:
            along = (other.x, other.width) if upright else (other.y, other.height)
            free -= max(0, _overlap(start, length, *along))
    return free
