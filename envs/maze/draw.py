"""The board as shapes: tiles with their corridors, what lies on them, explorers and the Horror.

Floors, and parts of the board that are far from each other, are drawn side by side. A board that would be small as a
whole is shown near the explorers and the Horror only, and beside that whole and small.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.core.record import as_states
from broodmind.envs.core.render_page import NOTE_LINES
from broodmind.envs.core.render_rows import Rows, arrange
from broodmind.envs.core.scene import Scene, Shape
from broodmind.envs.maze import describe, names
from broodmind.envs.maze import state as st
from broodmind.envs.maze.palette import (
    BEACON,
    CERAMITE,
    CHOSEN,
    DANGER,
    DARK,
    DOOR,
    FLOOR,
    FLOORS,
    FOUND,
    GROUND,
    HORROR,
    HORROR_PLACES,
    INK,
    ITEM,
    LANDMARKS,
    LETTERS,
    LIT_VENT,
    PALE,
    PANEL_GROUND,
    PIT,
    ROCK,
    ROOMS,
    RUBBLE,
    SEATS,
    SHORT,
    SIX_SEATS,
    VENT,
    VENT_PLACES,
    model_colour,
)
from broodmind.envs.maze.rules.board import DX, DY
from broodmind.envs.maze.tables import tables

CELL = 20.0
WIDE = 4.4
"""Half the width of a corridor."""
ROOM = 7.6
"""Half the side of a room."""
BASE = 2.3
GAP = 0.4
"""Cells between two parts of the board."""
NEAR = 3
"""Parts whose cells are at most this far apart are drawn where they lie (1: they touch)."""
RATIO = 1.5
"""Width by height of every picture: those of a game are of one size."""
LEAST, READABLE = 5.0, 7.5
"""Cells that the board of a picture is high: a small one is not blown up, and a large one is shown in part."""
REACHES = ((4, NEAR), (3, NEAR), (2, NEAR), (3, 1), (2, 1), (1, 1))
"""Cells around explorers and Horror that are shown of a large board, and `NEAR` there: the first that is readable."""
PANEL, FOOT = 0.26, 0.05
"""Shares of a picture: the column of the small map, and the row that says where the Horror is."""
PIXEL = 1 / 573
"""Height of a pixel of a picture of the usual size, where a picture's height is 1."""

MINOR_EVENTS = frozenset({"rolled", "drew", "removed", "morale"})
NOTE_LENGTH = 110


def box_of(s: Any, tiles: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the lowest and highest cells of some tiles: west, south, east, north."""
    xs, ys = s["x"][tiles], s["y"][tiles]
    return int(xs.min()), int(ys.min()), int(xs.max()), int(ys.max())


def _together(s: Any, one: Sequence[int], other: Sequence[int], near: int) -> bool:
    """Say whether two sets of tiles are of one part."""
    west, south, east, north = box_of(s, one)
    w2, s2, e2, n2 = box_of(s, other)
    apart = max(west - e2, w2 - east, south - n2, s2 - north)
    return bool(s["floor"][one[0]] == s["floor"][other[0]]) and apart <= near


def parts_of(s: Any, tiles: Sequence[int] | None = None, near: int = NEAR) -> list[list[int]]:
    """Return the parts of the board that are apart from each other, by floor, each with its tiles.

    Args:
        s: The record.
        tiles: The tiles concerned; None: all on the board.
        near: Parts whose cells are at most this far apart are one.
    """
    parts: list[list[int]] = []
    for a in np.flatnonzero(s["state"] == st.ON_BOARD).tolist() if tiles is None else tiles:
        merged = [a]
        while touched := [part for part in parts if _together(s, part, merged, near)]:
            parts = [part for part in parts if part not in touched]
            merged = sum(touched, merged)
        parts.append(merged)
    return sorted(parts, key=lambda part: (int(s["floor"][part[0]]), box_of(s, part)))


def part_name(s: Any, part: Sequence[int], floors: bool) -> str:
    """Return the name of a part of the board: its cell in the south-west and, if there are several, its floor."""
    west, south, _, _ = box_of(s, part)
    return (f"floor {int(s['floor'][part[0]])}, " if floors else "") + f"from ({west}, {south})"


def _around(s: Any, reach: int) -> list[int]:
    """Return the tiles on the board that are so near an explorer, the Horror or where a tile is chosen."""
    watched = [int(s["at"][m]) for m in range(st.MODELS) if s["status"][m] == st.BOARD]
    watched += [int(s["h_tile"])] if s["h_state"] == st.PROWLING else []
    watched += [int(s["cand_at"])] if s["cand_at"] >= 0 else []
    near = np.zeros(len(s["x"]), np.bool_)
    for a in watched:
        apart = np.maximum(abs(s["x"] - s["x"][a]), abs(s["y"] - s["y"][a]))
        near |= (s["floor"] == s["floor"][a]) & (apart <= reach)
    return list(map(int, np.flatnonzero(near & (s["state"] == st.ON_BOARD))))


def _extent(s: Any, part: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the box of a part and of the empty cell beside it for which a tile is chosen."""
    west, south, east, north = box_of(s, part)
    at, d = int(s["cand_at"]), int(s["cand_dir"])
    if at in part:
        x, y = int(s["x"][at]) + DX[d], int(s["y"][at]) + DY[d]
        west, south, east, north = min(west, x), min(south, y), max(east, x), max(north, y)
    return west, south, east, north


def _boxes(s: Any, parts: Sequence[Sequence[int]], ring: float) -> list[tuple[float, float]]:
    """Return width and height of parts in cells, with half of `ring` empty on every side."""
    boxes = (_extent(s, part) for part in parts)
    return [(east - west + 1 + ring, north - south + 1 + ring) for west, south, east, north in boxes]


class _Map:
    """Where the tiles lie in the picture: all of them, or on a large board those around explorers and Horror."""

    def __init__(self, s: Any) -> None:
        self.all_parts = self.parts = parts_of(s)
        self.whole = True
        rows, high = self._arranged(s)
        if high > READABLE:
            self.whole = False
            for reach, near in REACHES:
                self.parts = parts_of(s, _around(s, reach), near) or self.all_parts
                rows, high = self._arranged(s)
                if high <= READABLE:
                    break
        high = max(high, LEAST) * CELL
        self.box = (0.0, 0.0, RATIO * high, high)
        self.right = RATIO * high * (1.0 if self.whole else 1 - PANEL)  # where the small map begins
        self.tiles: dict[int, tuple[float, float]] = {}
        self.names: list[tuple[float, float, str]] = []  # where the name of a part is, if there are several
        floors = len({int(s["floor"][part[0]]) for part in self.all_parts}) > 1
        left = (self.right - rows.width * CELL) / 2
        bottom = FOOT * high + ((1 - FOOT) * high - rows.height * CELL) / 2
        for part, (x, y), (wide, tall) in zip(
            self.parts, rows.corners, _boxes(s, self.parts, 1.0), strict=True
        ):
            west, south, _, _ = _extent(s, part)
            for a in part:
                cell = (x + 1 + int(s["x"][a]) - west, y + 1 + int(s["y"][a]) - south)
                self.tiles[a] = (left + cell[0] * CELL, bottom + cell[1] * CELL)
            if len(self.parts) > 1:
                middle, top = left + (x + wide / 2) * CELL, bottom + (y + tall) * CELL
                self.names.append((middle, top - 3.5, part_name(s, part, floors)))

    def _arranged(self, s: Any) -> tuple[Rows, float]:
        """Return where the parts go, in cells, and how many cells high the picture must be for that."""
        ratio = RATIO * (1.0 if self.whole else 1 - PANEL) / (1 - FOOT)
        # Half a cell around each part leaves room for dark ends and names.
        rows = arrange(_boxes(s, self.parts, 1.0), ratio, GAP)
        return rows, max(rows.height, rows.width / ratio) / (1 - FOOT)


def _arm(x: float, y: float, d: int, near: float, far: float, half: float) -> tuple[tuple[float, float], ...]:
    """Return two corners of a strip that leads from a point in a direction."""
    across = half if DX[d] == 0 else 0.0
    along = half if DY[d] == 0 else 0.0
    ax, ay = x + DX[d] * near, y + DY[d] * near
    bx, by = x + DX[d] * far, y + DY[d] * far
    return (
        (min(ax, bx) - across, min(ay, by) - along),
        (max(ax, bx) + across, max(ay, by) + along),
    )


def _tile(s: Any, a: int, board: _Map) -> list[Shape]:
    kind = int(s["kind"][a])
    x, y = board.tiles[a]
    half = CELL / 2
    floor = FLOORS.get(kind, FLOOR)
    title = f"{names.kind_name(kind)}, tile {a}, cell ({int(s['x'][a])}, {int(s['y'][a])})"
    shapes = [
        Shape(
            "rect",
            ((x - half, y - half), (x + half, y + half)),
            id=f"tile-{a}",
            fill=ROCK,
            stroke=GROUND,
            width=0.6,
            title=title,
        )
    ]
    room = ROOM if kind in ROOMS else WIDE
    shapes.append(Shape("rect", ((x - room, y - room), (x + room, y + room)), fill=floor))
    for d in range(4):
        if not int(s["open"][a]) >> d & 1:
            continue
        shapes.append(Shape("rect", _arm(x, y, d, 0, half, WIDE), fill=floor))
        b = int(s["nb"][a, d])
        if int(s["door"][a]) >> d & 1:
            colour = CERAMITE if int(s["ceramite"][a]) >> d & 1 else DOOR
            shapes.append(
                Shape("rect", _arm(x, y, d, half - 2, half, WIDE), fill=colour, title="locked door")
            )
        elif b < 0 and not s["tile_marks"][a] & st.CAVED:
            shapes.append(Shape("rect", _arm(x, y, d, half - 3, half, WIDE), fill=DARK, title="dark end"))
        elif b >= 0 and not int(s["open"][b]) >> (d ^ 2) & 1:
            shapes.append(Shape("rect", _arm(x, y, d, half - 1.2, half, WIDE), fill=ROCK))
        elif b >= 0 and b not in board.tiles:
            shapes.append(
                Shape("rect", _arm(x, y, d, half, half + 3, WIDE), fill=floor, opacity=0.4, title="goes on")
            )
    if kind == st.PIT or s["tile_marks"][a] & st.IS_PIT:
        shapes.append(Shape("circle", ((x, y),), radius=4.0, fill=PIT, title="pit"))
    if s["tile_marks"][a] & st.CAVED:
        shapes += [
            Shape("circle", ((x + dx, y + dy),), radius=2.6, fill=RUBBLE, stroke=INK, width=0.3)
            for dx, dy in ((-3, -2), (2.5, -2.6), (0, 2.4), (4.2, 2.2), (-4.2, 2.6))
        ]
    return shapes


def _marks(s: Any, a: int, x: float, y: float) -> list[Shape]:
    """Return the vents of a tile, its name, and what lies on it."""
    kind = int(s["kind"][a])
    half = CELL / 2
    shapes = []
    for k in range(int(tables()[0]["vents"][kind])):
        dx, dy = VENT_PLACES[k]
        lit = s["lit"][a, k] > 0
        shapes.append(
            Shape(
                "circle",
                ((x + dx, y + dy),),
                radius=1.5,
                fill=LIT_VENT if lit else VENT,
                stroke=INK,
                width=0.4,
                title="lit vent" if lit else "vent",
            )
        )
    if kind in SHORT:
        name = SHORT[kind]
        size = min(3.2, 24 / len(name))
        shapes.append(Shape("text", ((x, y + 6.9),), text=name, size=size, fill=INK, stroke=PALE, width=0.5))
    for d in range(4):
        if int(s["mine"][a]) >> d & 1 and d < 2:
            there = (x + DX[d] * half, y + DY[d] * half)
            armed = int(s["armed"][a]) >> d & 1
            shapes.append(
                Shape(
                    "circle",
                    (there,),
                    radius=1.4,
                    fill=DANGER if armed else ITEM,
                    stroke=INK,
                    width=0.4,
                    title="armed trip mine" if armed else "trip mine",
                )
            )
        if int(s["melta"][a]) >> (d + 1) & 1:
            there = (x + DX[d] * (half - 1.2), y + DY[d] * (half - 1.2))
            shapes.append(Shape("circle", (there,), radius=1.2, fill=DANGER, title="Melta Charge"))
    if s["melta"][a] & st.FLOOR_CHARGE:
        shapes.append(Shape("circle", ((x, y),), radius=1.2, fill=DANGER, title="Melta Charge"))
    items = s["pile"][a] + (s["nest_pile"] if kind == st.NEST else 0)
    if items.any():
        words = ", ".join(f"{int(n)} x {names.item_name(k)}" for k, n in enumerate(items) if n)
        corner = (x + half - 2.0, y - half + 1.8)
        shapes.append(
            Shape(
                "rect",
                ((corner[0] - 1.6, corner[1] - 1.5), (corner[0] + 1.6, corner[1] + 1.5)),
                fill=ITEM,
                title=words,
            )
        )
        shapes.append(Shape("text", (corner,), text=str(int(items.sum())), size=2.6, fill=INK))
    return shapes


def _beacon_tile(s: Any) -> int:
    where = int(s["beacon_at"])
    wanted = {st.BEACON_IN_ROOM: st.BEACON_ROOM, st.BEACON_WITH_CORPSES: st.NEST}.get(where)
    if wanted is None:
        return int(s["beacon_id"]) if where == st.BEACON_ON_GROUND else -1
    there = np.flatnonzero((s["kind"] == wanted) & (s["state"] == st.ON_BOARD))
    return int(there[0]) if len(there) else -1


def _beacon(x: float, y: float, size: float) -> Shape:
    points = ((x, y + size), (x + size, y), (x, y - size), (x - size, y))
    return Shape("polygon", points, fill=BEACON, stroke=INK, width=0.4, title="the Beacon")


def _wounds(s: Any, m: int, x: float, y: float) -> list[Shape]:
    """Return a bar below an explorer: the wounds left, and those lost."""
    left, right, bottom, top = x - BASE, x + BASE, y - BASE - 0.3, y - BASE + 0.6
    middle = left + (right - left) * int(s["wounds"][m]) / int(tables()[0]["wounds"][m])
    shapes = [Shape("rect", ((left, bottom), (right, top)), fill=DANGER, stroke=INK, width=0.3)]
    return [*shapes, Shape("rect", ((left, bottom), (middle, top)), fill=BEACON)]


def _off_board(s: Any, board: _Map) -> list[Shape]:
    """Return where the Horror is that nobody sees, and the names of the parts of the board."""
    left, bottom, _, top = board.box
    unit = PIXEL * (top - bottom)
    shapes = []
    if s["h_state"] != st.PROWLING:
        place = (left + 18 * unit, bottom + 17 * unit)
        shapes.append(
            Shape(
                "circle",
                (place,),
                id="horror",
                radius=11 * unit,
                fill=HORROR,
                stroke=PALE,
                width=unit,
                dash=True,
            )
        )
        shapes.append(Shape("text", (place,), text="H", size=13 * unit, fill=PALE))
        words = HORROR_PLACES[int(s["h_state"])]
        beside = (place[0] + 18 * unit, place[1])
        shapes.append(Shape("text", (beside,), text=words, size=13 * unit, fill=PALE, anchor="start"))
    for x, y, name in board.names:
        shapes.append(Shape("text", ((x, y),), text=name, size=3.3, fill=PALE))
    return shapes


def _figures(s: Any, board: _Map) -> list[Shape]:
    shapes: list[Shape] = []
    lone = _beacon_tile(s)
    if lone in board.tiles:
        x, y = board.tiles[lone]
        shapes.append(_beacon(x - CELL / 2 + 2.1, y - CELL / 2 + 2.1, 1.8))
    horror = int(s["h_tile"]) if s["h_state"] == st.PROWLING else -1
    if horror in board.tiles:
        x, y = board.tiles[horror]
        title = f"Blind Horror, {int(s['h_wounds'])} wounds"
        shapes.append(
            Shape(
                "circle", ((x, y),), id="horror", radius=4.0, fill=HORROR, stroke=INK, width=0.6, title=title
            )
        )
        shapes.append(Shape("text", ((x, y),), text="H", size=4.2, fill=PALE))
    for a, (x, y) in board.tiles.items():
        here = [m for m in range(st.MODELS) if s["status"][m] == st.BOARD and s["at"][m] == a]
        for m, (dx, dy) in zip(here, SEATS.get(len(here), SIX_SEATS), strict=False):
            chosen = m in (int(s["sel"]), int(s["cur"]))
            place = (x + dx, y + dy)
            title = (
                f"{names.model_name(m)}: {describe.count(int(s['wounds'][m]), 'wound')}, "
                f"{describe.count(int(s['morale'][m]), 'Morale Point')}"
            )
            broken = s["morale"][m] == 0
            shapes.append(
                Shape(
                    "circle",
                    (place,),
                    id=f"model-{m}",
                    radius=BASE,
                    fill=model_colour(m),
                    stroke=CHOSEN if chosen else DANGER if broken else INK,
                    width=0.8 if chosen or broken else 0.4,
                    title=title,
                )
            )
            shapes.append(Shape("text", (place,), text=LETTERS[m], size=2.7, fill=PALE))
            shapes += _wounds(s, m, *place)
            if s["beacon_at"] == st.BEACON_CARRIED and s["beacon_id"] == m:
                shapes.append(_beacon(place[0] + 1.9, place[1] + 1.9, 1.3))
    return shapes


def _sight(s: Any, states: NDArray[np.void], board: _Map) -> list[Shape]:
    """Return outlines of the tiles that the explorer in hand sees, or that any does if none is in hand."""
    from broodmind.envs.maze.kernel import seen_by

    in_hand = [m for m in (int(s["cur"]), int(s["sel"])) if m >= 0 and s["status"][m] == st.BOARD][:1]
    watchers = in_hand or np.flatnonzero(s["status"] == st.BOARD).tolist()
    seen = np.zeros(st.TILES, np.int8)
    for m in watchers:
        seen_by(states, 0, m, seen)
    half = CELL / 2 - 0.6
    return [
        Shape(
            "rect",
            ((x - half, y - half), (x + half, y + half)),
            id=f"seen-{a}",
            stroke=FOUND,
            width=0.5,
            opacity=0.8,
            title="seen by the explorer in hand" if in_hand else "seen by an explorer",
        )
        for a, (x, y) in board.tiles.items()
        if seen[a]
    ]


def _candidates(s: Any, board: _Map) -> list[Shape]:
    """Return the empty cell for which a tile is chosen."""
    at, d = int(s["cand_at"]), int(s["cand_dir"])
    if at not in board.tiles:
        return []
    x, y = board.tiles[at]
    x, y = x + DX[d] * CELL, y + DY[d] * CELL
    half = CELL / 2 - 0.8
    corners = ((x - half, y - half), (x + half, y + half))
    shapes = [Shape("rect", corners, id="candidate", stroke=FOUND, width=0.8, dash=True)]
    count = int(s["cand_n"])
    for k in range(count):
        name = f"{k + 1} {names.kind_name(int(s['kind'][int(s['cand_tile'][k])]))}"
        place = (x, y + 3.2 * ((count - 1) / 2 - k))
        size = min(2.6, 30 / len(name))
        shapes.append(Shape("text", (place,), text=name, size=size, fill=FOUND))
    return shapes


def _small_map(s: Any, board: _Map) -> list[Shape]:
    """Return the whole board small, with all floors, where the picture shows a part of it; frames show which."""
    if board.whole:
        return []
    _, bottom, right, top = board.box
    unit = PIXEL * (top - bottom)
    floors = len({int(s["floor"][part[0]]) for part in board.all_parts}) > 1
    inner = (board.right + 8 * unit, bottom + 34 * unit, right - 8 * unit, top - 34 * unit)
    wide, tall = inner[2] - inner[0], inner[3] - inner[1]
    boxes = [
        (max(w, 6.0), h) for w, h in _boxes(s, board.all_parts, 1.0 + floors)
    ]  # room for the name of a floor
    rows = arrange(boxes, wide / tall)
    cell = min(wide / rows.width, tall / rows.height, CELL / 3)
    middle = (inner[0] + inner[2]) / 2
    left, low = middle - rows.width * cell / 2, (inner[1] + inner[3] - rows.height * cell) / 2
    shapes = [
        Shape("rect", ((board.right, bottom), (right, top)), id="small-map", fill=PANEL_GROUND),
        Shape("text", ((middle, top - 18 * unit),), text="the whole board", size=13 * unit, fill=PALE),
    ]
    places: dict[int, tuple[float, float]] = {}
    for part, (x, y), (w, h) in zip(board.all_parts, rows.corners, boxes, strict=True):
        west, south, east, north = _extent(s, part)
        for a in part:
            column = int(s["x"][a]) - west + (w - (east - west)) / 2
            row = int(s["y"][a]) - south + (h - (north - south)) / 2
            places[a] = (left + (x + column) * cell, low + (y + row) * cell)
        if floors:
            name = f"floor {int(s['floor'][part[0]])}"
            place = (left + (x + w / 2) * cell, low + (y + h - 0.4) * cell)
            shapes.append(Shape("text", (place,), text=name, size=min(11 * unit, 1.2 * cell), fill=PALE))
    for a, (x, y) in places.items():
        shapes += _small_tile(s, a, x, y, cell)
    for part in board.parts:
        corners = [places[a] for a in part]
        half = 0.62 * cell
        frame = (
            (min(x for x, _ in corners) - half, min(y for _, y in corners) - half),
            (max(x for x, _ in corners) + half, max(y for _, y in corners) + half),
        )
        shapes.append(Shape("rect", frame, stroke=CHOSEN, width=1.5 * unit, title="shown large"))
    there = {int(s["kind"][a]) for a in places}
    words = ", ".join(f"{letter} {SHORT[kind]}" for kind, letter in LANDMARKS.items() if kind in there)
    shapes.append(Shape("text", ((middle, bottom + 17 * unit),), text=words, size=12 * unit, fill=PALE))
    return shapes


def _small_tile(s: Any, a: int, x: float, y: float, cell: float) -> list[Shape]:
    """Return a tile of the small map: its corridors, a letter, and who or what is on it."""
    kind = int(s["kind"][a])
    floor, middle = FLOORS.get(kind, FLOOR), cell * (0.4 if kind in ROOMS else 0.24)
    name = f"{names.kind_name(kind)}, cell ({int(s['x'][a])}, {int(s['y'][a])})"
    shapes = [Shape("rect", ((x - middle, y - middle), (x + middle, y + middle)), fill=floor, title=name)]
    sides = [d for d in range(4) if int(s["open"][a]) >> d & 1]
    shapes += [Shape("rect", _arm(x, y, d, 0, cell / 2, 0.24 * cell), fill=floor) for d in sides]
    if kind == st.PIT or s["tile_marks"][a] & (st.IS_PIT | st.CAVED):
        shapes.append(Shape("circle", ((x, y),), radius=0.2 * cell, fill=PIT))
    here = [m for m in range(st.MODELS) if s["status"][m] == st.BOARD and s["at"][m] == a]
    colours = [model_colour(m) for m in here[:1]]
    colours += [HORROR] if s["h_state"] == st.PROWLING and s["h_tile"] == a else []
    shapes += [
        Shape("circle", ((x, y),), radius=0.42 * cell, fill=colour, stroke=PALE, width=0.1 * cell)
        for colour in colours
    ]
    carried = s["beacon_at"] == st.BEACON_CARRIED and int(s["beacon_id"]) in here
    if carried or _beacon_tile(s) == a:
        shapes.append(_beacon(x + 0.3 * cell, y + 0.3 * cell, 0.36 * cell))
    elif kind in LANDMARKS and not colours:
        shapes.append(Shape("text", ((x, y),), text=LANDMARKS[kind], size=0.8 * cell, fill=INK))
    return shapes


def model_line(s: Any, m: int) -> str:
    """Return an explorer's state as a line."""
    status = int(s["status"][m])
    name = f"{LETTERS[m]} {names.model_name(m)}"
    if status >= st.TAKEN:
        return f"{name}: {st.STATUSES[status]}"
    words = [f"{int(s['wounds'][m])} W", f"{int(s['morale'][m])} MP"]
    words += ["Broken"] if s["morale"][m] == 0 else []
    words += ["Lost"] if s["lost"][m] else []
    words += ["fallen"] if status == st.FALLEN else []
    words += [word for k, word in enumerate(st.INJURIES) if word and int(s["injury"][m]) >> k & 1]
    if s["beacon_at"] == st.BEACON_CARRIED and s["beacon_id"] == m:
        words.append("Beacon")
    return f"{name}: {', '.join(words)}"


def horror_line(s: Any) -> str:
    """Return the Horror's state as a line."""
    return f"H Horror: {int(s['h_wounds'])} W, {HORROR_PLACES[int(s['h_state'])]}"


def caption(states: NDArray[np.void], i: int, seat: int | None = None) -> str:
    """Return turn and decision as a line."""
    core = states[i]["core"]
    wait = seat is not None and seat != int(core["seat"]) and not core["over"]
    ask = "the other side decides" if wait else describe.question(states, i)
    return f"Turn {int(core['turn'])}, {describe.SEAT_TITLES[int(core['seat'])]}: {ask}"


def effects(s: Any) -> list[str]:
    """Return what is in force as words."""
    words = [f"{int(np.sum(s['state'] == st.IN_PILE))} tiles in the pile"]
    words += ["the lights are out"] if s["lights"] else []
    words += ["the generator runs"] if s["generator"] else []
    words += [f"the next tile is chosen from {int(s['extra_draw'])}"] if s["extra_draw"] else []
    words += ["early warning"] if s["early"] else []
    words += ["scanning pulse"] if s["pulse"] else []
    return words


def scene(states: NDArray[np.void], i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
    """Return the board as shapes; everything on it is public.

    Args:
        states: Array of records.
        i: Which of them.
        seat: Who looks; None: everybody.
        events: What has just happened; the last of it is told below the board.
    """
    s = np.asarray(states)[i]
    board = _Map(s)
    left, bottom, right, top = board.box
    shapes = [Shape("rect", ((left, bottom), (right, top)), id="table", fill=GROUND)]
    for a in board.tiles:
        shapes += _tile(s, a, board)
    shapes += _sight(s, as_states(np.asarray(states)[i : i + 1].copy()), board)
    for a, (x, y) in board.tiles.items():
        shapes += _marks(s, a, x, y)
    shapes += _candidates(s, board)
    shapes += _off_board(s, board)
    shapes += _figures(s, board)
    shapes += _small_map(s, board)
    legend = [(model_colour(m), model_line(s, m)) for m in range(st.MODELS)]
    legend.append((HORROR, horror_line(s)))
    legend += [(BEACON, "the Beacon"), (ITEM, "items, a mine"), (DANGER, "armed mine, Melta Charge")]
    legend += [
        (FOUND, "tile in sight"),
        (VENT, "vent"),
        (LIT_VENT, "lit vent"),
        (DARK, "dark end, pit"),
        (DOOR, "locked door"),
    ]
    told = [event.sentence for event in events if event.kind not in MINOR_EVENTS]
    dice = [f"{event.data['value']} ({event.data['purpose']})" for event in events if event.kind == "rolled"]
    told += [f"Dice: {', '.join(dice)}."] if dice else []
    notes = [f"{describe.capital('; '.join(effects(s)))}.", *told[-(NOTE_LINES - 1) :]]
    return Scene(
        board.box,
        shapes,
        caption(states, i, seat),
        legend,
        [note if len(note) <= NOTE_LENGTH else note[: NOTE_LENGTH - 1] + "…" for note in notes],
    )
