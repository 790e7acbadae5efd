"""Labels beside things on a board, placed so that none lies on a thing or on another label."""

from __future__ import annotations

from broodmind.envs.core.render_page import text_width
from broodmind.envs.core.scene import Shape

Box = tuple[float, float, float, float]

PADDING = 0.15
"""Free room round a label, in heights of its text."""


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _meets(box: Box, x: float, y: float, radius: float) -> bool:
    """Say whether a box meets a disc."""
    dx = x - min(max(x, box[0]), box[2])
    dy = y - min(max(y, box[1]), box[3])
    return dx * dx + dy * dy < radius * radius


class Labels:
    """Finds room for labels, first come first served.

    Args:
        box: Left, bottom, right, top within which labels must lie, in board units.
    """

    def __init__(self, box: Box) -> None:
        self.box = box
        self._boxes: list[Box] = []
        self._discs: list[tuple[float, float, float]] = []

    def keep_clear(self, x: float, y: float, radius: float) -> None:
        """Keep labels off a disc."""
        self._discs.append((x, y, radius))

    def _free(self, box: Box) -> bool:
        left, bottom, right, top = self.box
        if box[0] < left or box[1] < bottom or box[2] > right or box[3] > top:
            return False
        if any(_overlap(box, other) for other in self._boxes):
            return False
        return not any(_meets(box, *disc) for disc in self._discs)

    def place(
        self, text: str, x: float, y: float, radius: float, size: float, fill: str, halo: str = ""
    ) -> Shape | None:
        """Return a label beside a disc, or None where there is no room for it.

        Args:
            text: What it says.
            x: East of the centre of the disc that it names.
            y: North of it.
            radius: Of the disc.
            size: Height of the text, in board units.
            fill: Colour of the text.
            halo: Colour of a thin edge round the letters, to keep them readable over lines.
        """
        width = text_width(text, size)
        away = radius + 0.35 * size
        diagonal = 0.75 * away
        near = (
            (away, 0.0, "start"),
            (-away, 0.0, "end"),
            (0.0, away + 0.3 * size, "middle"),
            (0.0, -away - 0.3 * size, "middle"),
            (diagonal, diagonal + 0.2 * size, "start"),
            (diagonal, -diagonal - 0.2 * size, "start"),
            (-diagonal, diagonal + 0.2 * size, "end"),
            (-diagonal, -diagonal - 0.2 * size, "end"),
        )
        # The same places a little farther away, where things crowd.
        candidates = (*near, *((1.5 * dx, 1.5 * dy, anchor) for dx, dy, anchor in near))
        pad = PADDING * size
        for dx, dy, anchor in candidates:
            start = x + dx - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
            box = (
                start - pad,
                y + dy - 0.45 * size - pad,
                start + width + pad,
                y + dy + 0.45 * size + pad,
            )
            if self._free(box):
                self._boxes.append(box)
                return Shape(
                    "text",
                    ((x + dx, y + dy),),
                    text=text,
                    size=size,
                    fill=fill,
                    anchor=anchor,
                    stroke=halo,
                    width=0.18 * size if halo else 0.0,
                )
        return None
