"""The board as shapes: tiles with their corridors, what lies on them, explorers and the Horror.

Floors, and parts of the board that are far from each other, are drawn side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.core.record import as_states
from broodmind.envs.core.render_page import NOTE_LINES
from broodmind.envs.core.scene import Scene, Shape
from broodmind.envs.maze import describe, names
from broodmind.envs.maze import state as st
from broodmind.envs.maze.rules.board import DX, DY
from broodmind.envs.maze.tables import tables

CELL = 20.0
WIDE = 4.4
"""Half the width of a corridor."""
ROOM = 7.6
"""Half the side of a room."""
BASE = 2.3
GAP = 1.2
"""Cells between two parts of the board."""
NEAR = 3
"""Parts that are at most this many cells apart are drawn where they lie."""
LEAST = 5
"""A picture is at least this many cells wide and high."""

GROUND, ROCK, FLOOR, DARK = "#17191d", "#33373e", "#b9b2a4", "#0a0b0d"
DOOR, CERAMITE, PIT, RUBBLE = "#8a5a2b", "#d9d4c7", "#0a0b0d", "#6d6459"
VENT, LIT_VENT, INK, PALE = "#3c4d45", "#ffd75a", "#17191d", "#f4f1ea"
SCION, MARINE, TERMINATOR, HORROR = "#3f6e4e", "#2f5fa8", "#8c2f2f", "#6b2f80"
BEACON, ITEM, DANGER, CHOSEN, FOUND = "#35c26b", "#e0b23c", "#e0452c", "#ffffff", "#d7c48f"
FLOORS = {
    st.SHUTTLE: "#9fc3d8",
    st.BEACON_ROOM: "#a9d6b4",
    st.NEST: "#b58fae",
    st.MASSACRE: "#c99a90",
    st.MARINE_ARMOURY: "#a7b4cf",
    st.RANSACKED: "#c9bd9a",
    st.CHAPEL: "#e4dab5",
    st.SHRINE: "#a3848c",
    st.PLATFORM: "#98a6b8",
    st.LIFT: "#bdbdbd",
}
SHORT = {
    st.SHUTTLE: "Shuttle",
    st.BEACON_ROOM: "Beacon",
    st.NEST: "Nest",
    st.MASSACRE: "Massacre",
    st.MARINE_ARMOURY: "Armoury",
    st.RANSACKED: "Ransacked",
    st.CHAPEL: "Chapel",
    st.SHRINE: "Shrine",
    st.PLATFORM: "Platform",
    st.LIFT: "Lift",
}
LETTERS = "LWDMST"
"""A letter for each explorer; S is the Tactical Marine."""
ROOMS = (*SHORT, st.LARGE_ROOM)
VENT_PLACES = ((-6.4, 6.4), (6.4, 6.4), (-6.4, -6.4), (6.4, -6.4))
SEATS = {
    1: ((0.0, 0.0),),
    2: ((-2.6, 0.0), (2.6, 0.0)),
    3: ((-2.6, -2.3), (2.6, -2.3), (0.0, 2.3)),
    4: ((-2.6, -2.4), (2.6, -2.4), (-2.6, 2.4), (2.6, 2.4)),
}
SIX_SEATS = ((-4.9, -2.4), (0.0, -2.4), (4.9, -2.4), (-4.9, 2.4), (0.0, 2.4), (4.9, 2.4))
HORROR_PLACES = {
    st.SHADOWS: "in the Shadows",
    st.PROWLING: "on the board",
    st.IN_NEST: "in its Nest",
    st.SLAIN: "slain",
}
MINOR_EVENTS = frozenset({"rolled", "drew", "removed", "morale"})
NOTE_LENGTH = 110


def model_colour(m: int) -> str:
    """Return the colour of an explorer."""
    return SCION if m < st.SCIONS else TERMINATOR if m == st.TERMINATOR else MARINE


def box_of(s: Any, tiles: Sequence[int]) -> tuple[int, int, int, int]:
    """Return the lowest and highest cells of some tiles: west, south, east, north."""
    xs, ys = s["x"][tiles], s["y"][tiles]
    return int(xs.min()), int(ys.min()), int(xs.max()), int(ys.max())


def parts_of(s: Any) -> list[list[int]]:
    """Return the parts of the board that are apart from each other, by floor, each with its tiles."""
    parts: list[list[int]] = []
    for a in np.flatnonzero(s["state"] == st.ON_BOARD).tolist():
        merged = [a]
        others = []
        for part in parts:
            west, south, east, north = box_of(s, part)
            # Nearer parts are added to the right of a growing one: its box is looked at anew.
            w2, s2, e2, n2 = box_of(s, merged)
            apart = max(west - e2, w2 - east, south - n2, s2 - north)
            if s["floor"][part[0]] == s["floor"][a] and apart <= NEAR:
                merged += part
            else:
                others.append(part)
        parts = [*others, merged]
    return sorted(parts, key=lambda part: (int(s["floor"][part[0]]), box_of(s, part)))


def part_name(s: Any, part: Sequence[int], floors: bool) -> str:
    """Return the name of a part of the board: its cell in the south-west and, if there are several, its floor."""
    west, south, _, _ = box_of(s, part)
    return (f"floor {int(s['floor'][part[0]])}, " if floors else "") + f"from ({west}, {south})"


class _Map:
    """Where the tiles lie in the picture."""

    def __init__(self, s: Any) -> None:
        self.tiles: dict[int, tuple[float, float]] = {}
        self.names: list[tuple[float, str]] = []  # the middle of a part and its name, if there are several
        right, tallest = 0.0, float(LEAST)
        parts = parts_of(s)
        floors = len({int(s["floor"][part[0]]) for part in parts}) > 1
        for part in parts:
            west, south, east, north = box_of(s, part)
            # A ring of empty cells leaves room for dark ends.
            for a in part:
                x, y = right + 1 + int(s["x"][a]) - west, 1 + int(s["y"][a]) - south
                self.tiles[a] = (x * CELL, y * CELL)
            wide = east - west + 2
            if len(parts) > 1:
                self.names.append(((right + wide / 2) * CELL, part_name(s, part, floors)))
            right += wide + GAP
            tallest = max(tallest, float(north - south + 2))
        self.box = (0.0, 0.0, max(right - GAP, LEAST) * CELL, tallest * CELL)


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


def _tile(s: Any, a: int, x: float, y: float) -> list[Shape]:
    kind = int(s["kind"][a])
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
    if kind == st.PIT or s["tile_marks"][a] & st.IS_PIT:
        shapes.append(Shape("circle", ((x, y),), radius=4.0, fill=PIT, title="pit"))
    if s["tile_marks"][a] & st.CAVED:
        shapes += [
            Shape("circle", ((x + dx, y + dy),), radius=2.6, fill=RUBBLE, stroke=INK, width=0.3)
            for dx, dy in ((-3, -2), (2.5, -2.6), (0, 2.4), (4.2, 2.2), (-4.2, 2.6))
        ]
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
    return shapes


def _marks(s: Any, a: int, x: float, y: float) -> list[Shape]:
    """Return what lies on a tile, its name, mines and charges."""
    kind = int(s["kind"][a])
    half = CELL / 2
    shapes = []
    if kind in SHORT:
        shapes.append(
            Shape("text", ((x, y + 5.9),), text=SHORT[kind], size=2.3, fill=INK, stroke=PALE, width=0.5)
        )
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
            there = (x + DX[d] * (half - 3.5), y + DY[d] * (half - 3.5))
            shapes.append(Shape("circle", (there,), radius=1.2, fill=DANGER, title="Melta Charge"))
    if s["melta"][a] & st.FLOOR_CHARGE:
        shapes.append(Shape("circle", ((x, y),), radius=1.2, fill=DANGER, title="Melta Charge"))
    items = s["pile"][a] + (s["nest_pile"] if kind == st.NEST else 0)
    if items.any():
        words = ", ".join(f"{int(n)} x {names.item_name(k)}" for k, n in enumerate(items) if n)
        corner = (x + half - 2.6, y - half + 2.4)
        shapes.append(
            Shape(
                "rect",
                ((corner[0] - 1.7, corner[1] - 1.5), (corner[0] + 1.7, corner[1] + 1.5)),
                fill=ITEM,
                title=words,
            )
        )
        shapes.append(Shape("text", (corner,), text=str(int(items.sum())), size=2.4, fill=INK))
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
    shapes = []
    if s["h_state"] != st.PROWLING:
        place = (left + 4.5, bottom + 4.0)
        shapes.append(
            Shape("circle", (place,), id="horror", radius=2.6, fill=HORROR, stroke=PALE, width=0.3, dash=True)
        )
        shapes.append(Shape("text", (place,), text="H", size=2.9, fill=PALE))
        where = HORROR_PLACES[int(s["h_state"])]
        shapes.append(
            Shape("text", ((place[0] + 4, place[1]),), text=where, size=2.6, fill=PALE, anchor="start")
        )
    for middle, name in board.names:
        shapes.append(Shape("text", ((middle, top - 4),), text=name, size=2.9, fill=PALE))
    return shapes


def _figures(s: Any, board: _Map) -> list[Shape]:
    shapes: list[Shape] = []
    lone = _beacon_tile(s)
    if lone in board.tiles:
        x, y = board.tiles[lone]
        shapes.append(_beacon(x - CELL / 2 + 2.8, y - CELL / 2 + 2.6, 1.9))
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
    for a, (x, y) in board.tiles.items():
        shapes += _tile(s, a, x, y)
    shapes += _sight(s, as_states(np.asarray(states)[i : i + 1].copy()), board)
    for a, (x, y) in board.tiles.items():
        shapes += _marks(s, a, x, y)
    shapes += _candidates(s, board)
    shapes += _off_board(s, board)
    shapes += _figures(s, board)
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
