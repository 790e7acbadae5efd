"""Where everything of a picture goes: caption, board, legend and notes on one page, for every renderer alike.

A page is 720 units high, unless the board is so large that its labels would be too small to read (`Scene.detail`).
Its width follows from the shape of the board alone, so that all frames of a game on one board have one size. Text is
measured with the font that Pillow carries, not a system font.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from broodmind.envs.core.scene import Scene

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

PAGE_HEIGHT = 720.0
MARGIN = 16.0
GAP = 12.0
CAPTION_SIZE = 19.0
CAPTION_ROOM = 26.0
LEGEND_SIZE = 14.0
LEGEND_ROOM = 224.0
NOTE_SIZE = 14.0
NOTE_LINES = 4
LINE_SPACING = 1.3
SWATCH = 12.0
BOARD_WIDTH_LIMIT = 1200.0
BOARD_WIDTH_LEAST = 320.0
SMALLEST_TEXT = 9.0

_PLAIN = str.maketrans(
    {
        "½": "1/2",
        "¼": "1/4",
        "¾": "3/4",
        "—": "-",
        "–": "-",
        "−": "-",
        "→": "->",
        "←": "<-",
        "×": "x",
        "″": '"',
        "′": "'",
        "²": "2",
        "•": "·",
        "≤": "<=",
        "≥": ">=",
    }
)


@dataclass(frozen=True)
class Line:
    """One line of text on the page: left end of its baseline, text, height and width in page units."""

    x: float
    y: float
    text: str
    size: float
    width: float


@dataclass(frozen=True)
class Swatch:
    """A square of colour in the legend: its left top corner and its colour."""

    x: float
    y: float
    colour: str


@dataclass(frozen=True)
class Page:
    """A laid-out picture, in page units (y grows down).

    Args:
        width, height: Of the page.
        board: Left, top, width and height of the board's rectangle.
        scale: Page units per board unit.
        lines: Caption, legend and notes.
        swatches: The legend's colours.
    """

    width: float
    height: float
    board: tuple[float, float, float, float]
    scale: float
    lines: tuple[Line, ...]
    swatches: tuple[Swatch, ...]


def plain(text: str) -> str:
    """Spell a text with the characters that the carried font has, on one line."""
    return " ".join(text.translate(_PLAIN).split())


@lru_cache(maxsize=64)
def font(pixels: int) -> FreeTypeFont:
    """Return the font that Pillow carries, at a height in pixels.

    Raises:
        RuntimeError: This build of Pillow cannot draw scalable text.
    """
    from PIL import ImageFont

    loaded = ImageFont.load_default(max(1, pixels))
    if not isinstance(loaded, ImageFont.FreeTypeFont):
        raise RuntimeError(
            "this build of Pillow has no FreeType support, which pictures need: install the official wheel"
        )
    return loaded


@lru_cache(maxsize=4096)
def _advance(character: str) -> float:
    """Return how wide a character is, in heights of the text."""
    return float(font(100).getlength(character)) / 100.0


def text_width(text: str, size: float) -> float:
    """Return the width of a line of text of height `size`, in the same unit.

    Widths of characters are added up, without the kerning that mostly draws them together, since laying out a
    page measures thousands of pieces of text.
    """
    return sum(map(_advance, plain(text))) * size


def wrap(text: str, size: float, room: float) -> list[str]:
    """Break a text into lines no wider than `room`; a longer single word is shortened with an ellipsis."""
    lines: list[str] = []
    for word in plain(text).split(" "):
        if lines and text_width(f"{lines[-1]} {word}", size) <= room:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(shorten(word, size, room))
    return lines


def shorten(text: str, size: float, room: float) -> str:
    """Cut a line to `room` with an ellipsis, if it is wider."""
    if text_width(text, size) <= room:
        return text
    while text and text_width(text + "…", size) > room:
        text = text[:-1]
    return text + "…"


def _shrink(size: float, fits: Callable[[float], bool]) -> float:
    """Return the largest size, from `size` down to the smallest legible one, that fits (or the smallest)."""
    while size > SMALLEST_TEXT and not fits(size):
        size -= 0.5
    return size


def _line(x: float, y: float, text: str, size: float) -> Line:
    return Line(x, y, text, size, text_width(text, size))


def _caption(text: str, room: float) -> list[Line]:
    size = _shrink(CAPTION_SIZE, lambda size: text_width(text, size) <= room)
    text = shorten(plain(text), size, room)
    return [_line(MARGIN, MARGIN + CAPTION_SIZE * 0.85, text, size)] if text else []


def _legend(scene: Scene, x: float, top: float, room: float) -> tuple[list[Line], list[Swatch]]:
    indent = SWATCH + 7.0
    text_room = LEGEND_ROOM - indent

    def height(size: float) -> float:
        return sum(
            len(wrap(text, size, text_room if colour else LEGEND_ROOM)) * size * LINE_SPACING + size * 0.25
            for colour, text in scene.legend
        )

    size = _shrink(LEGEND_SIZE, lambda size: height(size) <= room)
    lines: list[Line] = []
    swatches: list[Swatch] = []
    y = top
    for index, (colour, text) in enumerate(scene.legend):
        wrapped = wrap(text, size, text_room if colour else LEGEND_ROOM)
        left = len(scene.legend) - index
        # Keep the last row for saying that something was left out, unless this is the last entry.
        rows = len(wrapped) + (1 if left > 1 and height(size) > room else 0)
        if y + rows * size * LINE_SPACING > top + room + 0.5:
            lines.append(_line(x, y + size * 0.9, f"… and {left} more", size))
            break
        if colour:
            swatches.append(Swatch(x, y + size * 0.55 - SWATCH / 2, colour))
        for row in wrapped:
            lines.append(_line(x + (indent if colour else 0.0), y + size * 0.9, row, size))
            y += size * LINE_SPACING
        y += size * 0.25
    return lines, swatches


def _notes(notes: list[str], top: float, room: float) -> list[Line]:
    """Lay out as many of the last notes as fit, oldest first; a long newest note is set smaller."""
    if not notes:
        return []
    height = NOTE_LINES * NOTE_SIZE * LINE_SPACING

    def rows(size: float) -> int:
        return int(height / (size * LINE_SPACING) + 1e-6)

    size = _shrink(NOTE_SIZE, lambda size: len(wrap(notes[-1], size, room)) <= rows(size))
    kept: list[str] = []
    for note in reversed(notes):
        wrapped = wrap(note, size, room)
        if len(kept) + len(wrapped) > rows(size):
            if not kept:
                kept = wrapped[: rows(size)]
                kept[-1] = shorten(kept[-1] + " …", size, room)
            break
        kept = wrapped + kept
    return [
        _line(MARGIN, top + size * 0.9 + k * size * LINE_SPACING, text, size) for k, text in enumerate(kept)
    ]


def lay_out(scene: Scene) -> Page:
    """Place a scene's board, caption, legend and notes on a page so that nothing overlaps or is cut.

    Args:
        scene: What to place. Its texts influence only themselves, never the size of the page or the board.

    Raises:
        ValueError: The scene's box has no area.
    """
    left, bottom, right, top = scene.box
    if not (right > left and top > bottom):
        raise ValueError(f"a scene's box must be left < right and bottom < top, got {scene.box}")
    notes_room = NOTE_LINES * NOTE_SIZE * LINE_SPACING
    board_top = MARGIN + CAPTION_ROOM + 4.0
    room = PAGE_HEIGHT - board_top - GAP - notes_room - MARGIN
    scale = min(room / (top - bottom), BOARD_WIDTH_LIMIT / (right - left))
    page_height = PAGE_HEIGHT
    if scale < scene.detail:
        scale = scene.detail
        page_height = float(round(PAGE_HEIGHT + max(0.0, scale * (top - bottom) - room)))
        room += page_height - PAGE_HEIGHT
    width, height = (right - left) * scale, (top - bottom) * scale
    column = max(width, BOARD_WIDTH_LEAST)
    page_width = float(round(MARGIN + column + GAP + LEGEND_ROOM + MARGIN))
    board = (MARGIN + (column - width) / 2, board_top + (room - height) / 2, width, height)
    text_room = page_width - 2 * MARGIN
    legend, swatches = _legend(scene, MARGIN + column + GAP, board_top, room)
    lines = [
        *_caption(scene.caption, text_room),
        *legend,
        *_notes(list(scene.notes), board_top + room + GAP, text_room),
    ]
    return Page(page_width, page_height, board, scale, tuple(lines), tuple(swatches))
