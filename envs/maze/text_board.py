"""The board as text: five columns and three rows to a tile, and who and what is there below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.maze import describe, names
from broodmind.envs.maze import state as st
from broodmind.envs.maze.draw import (
    box_of,
    caption,
    effects,
    horror_line,
    model_line,
    part_name,
    parts_of,
)
from broodmind.envs.maze.palette import LETTERS
from broodmind.envs.maze.tables import tables

WIDTH, HEIGHT = 5, 3
MIDDLES = {
    st.SHUTTLE: "@",
    st.BEACON_ROOM: "B",
    st.NEST: "N",
    st.MASSACRE: "X",
    st.MARINE_ARMOURY: "A",
    st.RANSACKED: "R",
    st.CHAPEL: "+",
    st.SHRINE: "%",
    st.PLATFORM: "P",
    st.LIFT: "E",
}
LEGEND = (
    "@ Shuttle, B Beacon, N Nest, X massacre, A/R armouries, + chapel, % shrine, P platform, E lift; "
    "o pit, # cave-in, v vent, * lit vent, = door, ~ dark end, ! mine"
)


def _end(s: Any, a: int, d: int) -> str:
    """Return the character of a side of a tile."""
    if int(s["mine"][a]) >> d & 1:
        return "!"
    if int(s["door"][a]) >> d & 1:
        return "="
    if not int(s["open"][a]) >> d & 1:
        return " "
    b = int(s["nb"][a, d])
    if b < 0:
        return " " if s["tile_marks"][a] & st.CAVED else "~"
    return ("|", "-", "|", "-")[d] if int(s["open"][b]) >> (d ^ 2) & 1 else " "


def _cell(s: Any, a: int) -> list[str]:
    kind = int(s["kind"][a])
    middle = MIDDLES.get(kind, ".")
    if kind == st.PIT or s["tile_marks"][a] & st.IS_PIT:
        middle = "o"
    if s["tile_marks"][a] & st.CAVED:
        middle = "#"
    if s["h_state"] == st.PROWLING and s["h_tile"] == a:
        middle = "H"
    here = [LETTERS[m] for m in range(st.MODELS) if s["status"][m] == st.BOARD and s["at"][m] == a]
    vents = int(tables()[0]["vents"][kind])
    lit = int((s["lit"][a, :vents] > 0).sum())
    marks = ("v" * (vents > lit) + "*" * (lit > 0))[:1]
    crew = "".join(here)
    north, east, south, west = (_end(s, a, d) for d in range(4))
    return [
        f"{crew[:2]:<2}{north}{marks:>2}",
        f"{west}{crew[2:3] or ' '}{middle}{crew[3:4] or ' '}{east}",
        f"{crew[4:5] or ' '}{crew[5:6] or ' '}{south}{'i' if s['pile'][a].any() else ' ':>2}",
    ]


def _part(s: Any, tiles: Sequence[int]) -> list[str]:
    """Return a part of the board as lines."""
    west, south, east, north = box_of(s, tiles)
    grid = [[" "] * ((east - west + 1) * WIDTH) for _ in range((north - south + 1) * HEIGHT)]
    for a in tiles:
        for k, line in enumerate(_cell(s, a)):
            start = (int(s["x"][a]) - west) * WIDTH
            grid[(north - int(s["y"][a])) * HEIGHT + k][start : start + WIDTH] = list(line)
    return ["".join(line).rstrip() for line in grid]


def text_board(states: NDArray[np.void], i: int, seat: int | None = None) -> str:
    """Return the board as text; everything on it is public.

    Args:
        states: Array of records.
        i: Which of them.
        seat: Who looks.
    """
    s = np.asarray(states)[i]
    lines = [caption(states, i, seat), ""]
    parts = parts_of(s)
    floors = len({int(s["floor"][part[0]]) for part in parts}) > 1
    for part in parts:
        lines += [f"{part_name(s, part, floors)}:"] if len(parts) > 1 else []
        lines += _part(s, part)
    lines += ["", LEGEND, "; ".join(effects(s)), horror_line(s)]
    for m in range(st.MODELS):
        if s["status"][m] <= st.FALLEN:
            lines.append(f"{model_line(s, m)}; {', '.join(_load(s, m)) or 'nothing'}")
        else:
            lines.append(model_line(s, m))
    for a in np.flatnonzero((s["state"] == st.ON_BOARD) & s["pile"].any(axis=1)):
        items = [f"{int(n)} x {names.item_name(k)}" for k, n in enumerate(s["pile"][a]) if n]
        lines.append(f"on {describe.place(s, int(a))}: {', '.join(items)}")
    return "\n".join(lines)


def _load(s: Any, m: int) -> list[str]:
    """Return what an explorer carries."""
    words = [
        f"{names.item_name(int(s['weapon'][m, slot]))} ({int(s['shots'][m, slot])})"
        for slot in range(st.SLOTS)
        if s["weapon"][m, slot] >= 0
    ]
    counted = [*zip(range(st.FIRST_CHARGE, st.FIRST_TOOL), s["ammo"][m], strict=True)]
    counted += zip(range(st.FIRST_TOOL, st.BEACON), s["tools"][m], strict=True)
    words += [f"{int(n)} x {names.item_name(k)}" for k, n in counted if n]
    return words
