"""Scenes as SVG: one element per shape, with its id and tooltip, and text laid out as on every other page."""

from __future__ import annotations

import re
from xml.sax.saxutils import escape, quoteattr

from broodmind.envs.core.render_page import Page, lay_out
from broodmind.envs.core.scene import Scene, Shape

INK = "#1a1a1a"
FONT_FAMILY = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

# Characters that XML 1.0 cannot hold even as references.
_FORBIDDEN = re.compile(r"[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("", text))


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("", text))


def _number(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _style(shape: Shape) -> str:
    parts = [f"fill={_attribute(shape.fill or 'none')}"]
    if shape.stroke:
        # The stroke of a text is a halo behind its letters, half of it hidden by them.
        halo = shape.kind == "text"
        width = 2 * shape.width if halo else shape.width
        parts.append(f'stroke={_attribute(shape.stroke)} stroke-width="{_number(width)}"')
        if halo:
            parts.append('paint-order="stroke" stroke-linejoin="round"')
        if shape.dash and not halo:
            parts.append(f'stroke-dasharray="{_number(dash_length(shape))}"')
    if shape.opacity < 1:
        parts.append(f'opacity="{_number(max(0.0, shape.opacity))}"')
    return " ".join(parts)


def dash_length(shape: Shape) -> float:
    """Return the length of a dash, and of the gap after it, in board units."""
    return max(4.0 * shape.width, 0.5)


def _geometry(shape: Shape) -> str:
    """Return tag and geometry of a shape; y is negated, since SVG's grows down."""
    points = [(x, -y) for x, y in shape.points]
    if shape.kind == "circle":
        (x, y) = points[0]
        return f'circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(shape.radius)}"'
    if shape.kind == "rect":
        (x0, y0), (x1, y1) = points
        return (
            f'rect x="{_number(min(x0, x1))}" y="{_number(min(y0, y1))}" '
            f'width="{_number(abs(x1 - x0))}" height="{_number(abs(y1 - y0))}"'
        )
    if shape.kind == "polygon":
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        return f'polygon points="{corners}" stroke-linejoin="round"'
    if shape.kind == "line":
        corners = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        return f'polyline points="{corners}" stroke-linejoin="round"'
    if shape.kind == "text":
        (x, y) = points[0]
        # A capital's height is about 0.72 of the size: this centres a line on its point.
        return (
            f'text x="{_number(x)}" y="{_number(y + 0.36 * shape.size)}" font-size="{_number(shape.size)}" '
            f"text-anchor={_attribute(shape.anchor)}"
        )
    raise ValueError(f"unknown kind of shape {shape.kind!r}; expected circle, rect, polygon, line or text")


def _element(shape: Shape) -> str:
    geometry = _geometry(shape)
    tag = geometry.split(" ", 1)[0]
    identity = f" id={_attribute(shape.id)}" if shape.id else ""
    title = f"<title>{_text(shape.title)}</title>" if shape.title else ""
    pointer = "" if shape.title or shape.id else ' pointer-events="none"'
    inner = title + (_text(shape.text) if shape.kind == "text" else "")
    return f"<{geometry}{identity} {_style(shape)}{pointer}>{inner}</{tag}>"


def _page_text(page: Page) -> list[str]:
    elements = [
        f'<rect x="{_number(swatch.x)}" y="{_number(swatch.y)}" width="12" height="12" '
        f'fill={_attribute(swatch.colour)} stroke="{INK}" stroke-width="0.5"/>'
        for swatch in page.swatches
    ]
    # textLength holds each line to the measured width, whatever font the viewer has.
    elements += [
        f'<text x="{_number(line.x)}" y="{_number(line.y)}" font-size="{_number(line.size)}" '
        f'textLength="{_number(line.width)}" lengthAdjust="spacingAndGlyphs">{_text(line.text)}</text>'
        for line in page.lines
        if line.text
    ]
    return elements


def to_svg(scene: Scene) -> str:
    """Draw a scene as an SVG document.

    Args:
        scene: The picture. Ids of shapes become element ids; titles become tooltips (``<title>``); shapes
            with neither let the pointer through.

    Returns:
        A stand-alone SVG document, valid XML, which may also be put into a web page as it is.

    Raises:
        ValueError: Two shapes have one id, a shape's kind is unknown, or the scene's box has no area.
    """
    ids = [shape.id for shape in scene.shapes if shape.id]
    if len(ids) != len(set(ids)):
        twice = sorted({name for name in ids if ids.count(name) > 1})
        raise ValueError(f"ids of shapes must be unique in a scene; more than once: {', '.join(twice)}")
    page = lay_out(scene)
    left, bottom, right, top = scene.box
    x, y, width, height = page.board
    size = f"{_number(page.width)} {_number(page.height)}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{_number(page.width)}" '
        f'height="{_number(page.height)}" font-family="{FONT_FAMILY}" fill="{INK}" role="img">',
        f"<title>{_text(scene.caption)}</title>",
        f'<rect width="{_number(page.width)}" height="{_number(page.height)}" fill="#ffffff"/>',
        *_page_text(page),
        # An inner svg clips to the board and lets the shapes keep their board coordinates.
        f'<svg x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" height="{_number(height)}" '
        f'viewBox="{_number(left)} {_number(-top)} {_number(right - left)} {_number(top - bottom)}" '
        f'overflow="hidden">',
        *(_element(shape) for shape in scene.shapes),
        "</svg>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
