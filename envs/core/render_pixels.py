"""Scenes as pixels, with Pillow: drawn at three times the size, averaged down, in the font Pillow carries.

Pillow rather than an SVG rasteriser: its wheels exist for every platform, TensorBoard brings it anyway, and
its own font draws text on machines that have none, so that a picture has the same pixels everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil, cos, hypot, pi, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.render_page import font, lay_out, plain
from broodmind.envs.core.render_svg import INK, dash_length
from broodmind.envs.core.scene import Scene, Shape

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SUPERSAMPLING = 3
SWATCH_PIXELS = 12

Point = tuple[float, float]


def _colour(colour: str, opacity: float) -> tuple[int, int, int, int]:
    from PIL import ImageColor

    channels = ImageColor.getrgb(colour)
    alpha = channels[3] if len(channels) == 4 else 255
    return (*channels[:3], round(alpha * min(1.0, max(0.0, opacity))))


def _dashes(points: Sequence[Point], length: float) -> list[list[Point]]:
    """Cut a polyline into dashes of `length` with equal gaps."""
    dashes: list[list[Point]] = []
    drawn, left = True, length
    current: list[Point] = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        span = hypot(x1 - x0, y1 - y0)
        at = 0.0
        while span - at > left:
            at += left
            corner = (x0 + (x1 - x0) * at / span, y0 + (y1 - y0) * at / span)
            if drawn:
                dashes.append([*current, corner])
            drawn, left, current = not drawn, length, [corner]
        left -= span - at
        current.append((x1, y1))
    if drawn and len(current) > 1:
        dashes.append(current)
    return dashes


class _Board:
    """Draws shapes in board units onto an image whose pixels are `scale` to the unit."""

    def __init__(self, draw: ImageDraw, left: float, top: float, scale: float) -> None:
        self.draw = draw
        self.left = left
        self.top = top
        self.scale = scale

    def pixel(self, point: Point) -> Point:
        return ((point[0] - self.left) * self.scale, (self.top - point[1]) * self.scale)

    def shape(self, shape: Shape) -> None:
        points = [self.pixel(point) for point in shape.points]
        if shape.kind == "text":
            self.text(shape, points[0])
            return
        fill = _colour(shape.fill, shape.opacity) if shape.fill else None
        if shape.kind == "circle":
            (x, y), r = points[0], shape.radius * self.scale
            if fill:
                self.draw.ellipse((x - r, y - r, x + r, y + r), fill=fill)
            steps = max(24, ceil(r / 2))
            outline = [
                (x + r * cos(2 * pi * k / steps), y - r * sin(2 * pi * k / steps)) for k in range(steps + 1)
            ]
        elif shape.kind == "rect":
            (x0, y0), (x1, y1) = points
            x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
            if fill:
                self.draw.rectangle((x0, y0, x1 - 1, y1 - 1), fill=fill)
            outline = [(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)]
        elif shape.kind == "polygon":
            if fill:
                self.draw.polygon(points, fill=fill)
            outline = [*points, points[0]]
        elif shape.kind == "line":
            outline = points
        else:
            raise ValueError(
                f"unknown kind of shape {shape.kind!r}; expected circle, rect, polygon, line or text"
            )
        if shape.stroke and shape.width > 0:
            self.stroke(shape, outline)

    def stroke(self, shape: Shape, outline: list[Point]) -> None:
        colour = _colour(shape.stroke, shape.opacity)
        width = max(1, round(shape.width * self.scale))
        if shape.kind == "circle" and not shape.dash:
            (x, y), r = self.pixel(shape.points[0]), shape.radius * self.scale + width / 2
            self.draw.ellipse((x - r, y - r, x + r, y + r), outline=colour, width=width)
            return
        pieces = _dashes(outline, dash_length(shape) * self.scale) if shape.dash else [outline]
        for piece in pieces:
            if not shape.dash and shape.kind != "line":
                # Close the outline over its first corner, so that the joint there is round too.
                piece = [*piece, piece[1]]
            self.draw.line(piece, fill=colour, width=width, joint="curve" if len(piece) > 2 else None)

    def text(self, shape: Shape, point: Point) -> None:
        text = plain(shape.text)
        if not text:
            return
        size = shape.size * self.scale
        anchor = {"start": "ls", "end": "rs"}.get(shape.anchor, "ms")
        self.draw.text(
            (point[0], point[1] + 0.36 * size),
            text,
            fill=_colour(shape.fill or INK, shape.opacity),
            font=font(round(size)),
            anchor=anchor,
            # A stroke around letters is a halo: it keeps a label readable over lines.
            stroke_width=round(shape.width * self.scale) if shape.stroke else 0,
            stroke_fill=_colour(shape.stroke, shape.opacity) if shape.stroke else None,
        )


def to_rgb(scene: Scene, height: int | None = None) -> NDArray[np.uint8]:
    """Draw a scene as pixels; no display is needed.

    Args:
        scene: The picture.
        height: Of the image, in pixels, at least 120; None: a pixel for each unit of the page, 720 unless the board
            is large. The width follows from the shape of the board, so all frames on one board have one size.

    Returns:
        uint8 array of shape (height, width, 3).

    Raises:
        ValueError: The height is too small, a shape's kind or colour is unknown, or the box has no area.
    """
    from PIL import Image, ImageDraw

    page = lay_out(scene)
    height = round(page.height) if height is None else height
    if height < 120:
        raise ValueError(f"a picture must be at least 120 pixels high, got {height}")
    factor = height / page.height
    large = factor * SUPERSAMPLING
    width = round(page.width * factor)
    image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), "#ffffff")
    draw = ImageDraw.Draw(image, "RGBA")
    for swatch in page.swatches:
        corners = [swatch.x * large, swatch.y * large]
        corners += [corners[0] + SWATCH_PIXELS * large, corners[1] + SWATCH_PIXELS * large]
        draw.rectangle(corners, fill=_colour(swatch.colour, 1.0), outline=INK, width=max(1, round(large / 2)))
    for line in page.lines:
        draw.text(
            (line.x * large, line.y * large),
            line.text,
            fill=INK,
            font=font(round(line.size * large)),
            anchor="ls",
        )
    left, _, _, top = scene.box
    x, y, board_width, board_height = page.board
    board = Image.new("RGB", (round(board_width * large), round(board_height * large)), "#ffffff")
    canvas = _Board(ImageDraw.Draw(board, "RGBA"), left, top, page.scale * large)
    for shape in scene.shapes:
        canvas.shape(shape)
    image.paste(board, (round(x * large), round(y * large)))
    return np.asarray(image.reduce(SUPERSAMPLING))


def framed(pictures: Sequence[NDArray[np.uint8]]) -> list[NDArray[np.uint8]]:
    """Return pictures of several sizes as frames of one, with white to the right and below.

    Args:
        pictures: uint8 arrays (height, width, 3).
    """
    height = max((picture.shape[0] for picture in pictures), default=0)
    width = max((picture.shape[1] for picture in pictures), default=0)
    frames = []
    for picture in pictures:
        more = ((0, height - picture.shape[0]), (0, width - picture.shape[1]), (0, 0))
        frames.append(np.pad(picture, more, constant_values=255))
    return frames


def to_gif(
    frames: Iterable[NDArray[np.uint8]], path: str | os.PathLike[str], milliseconds: int | Sequence[int] = 400
) -> None:
    """Write frames as an endlessly looping animated GIF, whole or not at all.

    Args:
        frames: uint8 arrays (height, width, 3), all of one shape (as `to_rgb` returns for one board, see `framed`);
            taken one by one, so that a generator keeps memory low.
        path: The file; its folder must exist.
        milliseconds: How long each frame shows: one number, or one per frame. GIF counts in hundredths of a
            second.

    Raises:
        ValueError: There are no frames, or their shapes differ.
        OSError: The file cannot be written.
    """
    from PIL import Image

    images: list[Any] = []
    shape: tuple[int, ...] | None = None
    for frame in frames:
        if shape is None:
            shape = frame.shape
        elif frame.shape != shape:
            raise ValueError(f"all frames must have the shape of the first, {shape}, got {frame.shape}")
        images.append(Image.fromarray(np.ascontiguousarray(frame)).quantize(128, dither=Image.Dither.NONE))
    if not images:
        raise ValueError("an animated picture needs at least one frame")
    durations = milliseconds if isinstance(milliseconds, int) else list(milliseconds)
    if isinstance(durations, list) and len(durations) != len(images):
        raise ValueError(f"{len(images)} frames need as many durations, got {len(durations)}")
    target = Path(path)
    partial = target.with_name(target.name + ".partial")
    try:
        images[0].save(
            partial,
            format="GIF",
            save_all=True,
            append_images=images[1:],
            duration=durations,
            loop=0,
            disposal=1,
        )
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)
