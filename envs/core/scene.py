"""The board as shapes: what every renderer (SVG, pixels, window, page) draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Shape:
    """One shape, in board units (y grows north); later shapes lie above earlier ones.

    Args:
        kind: ``"circle"``, ``"rect"``, ``"polygon"``, ``"line"``, ``"text"``.
        id: Element id, unique in the scene (``"model-3"``, ``"wreck-0"``); empty for decoration.
        points: Centre of a circle or text; two corners of a rect; ends of a line; corners of a polygon.
        radius: Of a circle.
        text: Of a text.
        size: Height of a text, in board units.
        fill, stroke: CSS colours; empty for none.
        width: Of the stroke, in board units.
        opacity: 0..1.
        dash: Whether the stroke is dashed.
        title: A tooltip for people ("Brother-Sergeant Octavian, squad Octavian").
        anchor: Of a text: ``"middle"``, ``"start"`` or ``"end"``.
    """

    kind: str
    points: tuple[tuple[float, float], ...]
    id: str = ""
    radius: float = 0.0
    text: str = ""
    size: float = 0.0
    fill: str = ""
    stroke: str = ""
    width: float = 0.0
    opacity: float = 1.0
    dash: bool = False
    title: str = ""
    anchor: str = "middle"


@dataclass(frozen=True)
class Scene:
    """A picture: shapes within a box, a caption and a legend.

    Args:
        box: Left, bottom, right, top in board units.
        shapes: In drawing order.
        caption: One line above the board (turn, phase, seat to act).
        legend: (colour, text) pairs beside the board.
        notes: Lines below the board (the last events).
        detail: Page units per board unit that the smallest texts of the board need: the page of a large board is higher
            than the usual one. 0: the board is drawn as large as the usual page lets it be.
    """

    box: tuple[float, float, float, float]
    shapes: Sequence[Shape]
    caption: str = ""
    legend: Sequence[tuple[str, str]] = field(default_factory=tuple)
    notes: Sequence[str] = field(default_factory=tuple)
    detail: float = 0.0
