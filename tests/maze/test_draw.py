"""Pictures: their size, what a view shows of a large board, the small map, and labels that do not overlap."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from maze.rules.table import DEMOLITION, EXPERT, LEADER, MARINE, MEDIC, TERMINATOR, Table

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.render import to_rgb, to_svg
from broodmind.envs.core.render_page import lay_out, text_width
from broodmind.envs.core.scene import Scene, Shape
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.draw import CELL, READABLE, parts_of


def a_large_board() -> tuple[Table, list[int]]:
    """Return a table with rows of eleven tiles on one floor and two on another, and the tiles of the rows."""
    table = Table("full-hulk")
    tiles = [table.corridor(k % 11, 2 * (k // 11), "EW") for k in range(20)]
    tiles += [table.tile("bend", k % 11, 2 * (k // 11), "ES") for k in range(20, 35)]
    tiles += [table.tile("large_room", k % 11, 2 * (k // 11), "NESW") for k in range(35, 41)]
    tiles += [table.tile("corridor_vent", k % 11, 2 * (k // 11), "EW") for k in range(41, 47)]
    tiles += [table.tile("nest", 11, 0, "NESW"), table.tile("shuttle", 12, 0, "W")]
    tiles += [table.tile("chapel", 0, 0, "N", 1), table.tile("dead_end", 0, 1, "S", 1)]
    return table, tiles


def spread_out() -> BoardEnv:
    """Return a large board with explorers all over it, the Horror and a fallen party."""
    table, tiles = a_large_board()
    for m, k in ((LEADER, 0), (EXPERT, 5), (DEMOLITION, 30), (MEDIC, 30), (MARINE, 44), (TERMINATOR, 49)):
        table.put(m, tiles[k])
    table.horror(tiles[18])
    return table.env()


def together() -> BoardEnv:
    """Return a large board with all explorers in one place."""
    table, tiles = a_large_board()
    table.everybody(tiles[47])
    return table.env()


def choosing() -> BoardEnv:
    """Return a position in which a tile is chosen for an empty cell."""
    table = Table()
    table.put(LEADER, table.corridor(0, 0))
    table.corridor(0, 1)
    env = table.env(strict=False, extra_draw=2)
    env.step(act.SELECT + LEADER)
    env.step(act.MOVE)
    return env


def begun() -> BoardEnv:
    """Return a game at its start."""
    env = broodmind.make("maze/full-hulk-v0").unwrapped
    env.reset(seed=3)
    return env


def tiles_of(scene: Scene) -> dict[int, tuple[float, float]]:
    """Return the middle of each tile of a picture."""
    rects = {shape.id: shape.points for shape in scene.shapes if shape.id.startswith("tile-")}
    return {
        int(name.removeprefix("tile-")): ((x0 + x1) / 2, (y0 + y1) / 2)
        for name, ((x0, y0), (x1, y1)) in rects.items()
    }


def text_box(shape: Shape) -> tuple[float, float, float, float]:
    """Return what the letters of a text cover."""
    ((x, y),) = shape.points
    wide = text_width(shape.text, shape.size)
    left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[shape.anchor]
    return left, y - 0.36 * shape.size, left + wide, y + 0.36 * shape.size


@pytest.mark.parametrize("position", [spread_out, together, choosing, begun])
def test_no_label_covers_another_or_is_cut(position: Callable[[], BoardEnv]) -> None:
    env = position()
    scene = env.scene()
    left, bottom, right, top = scene.box
    texts = [(shape, text_box(shape)) for shape in scene.shapes if shape.kind == "text"]
    for shape, box in texts:
        assert max(left - box[0], bottom - box[1], box[2] - right, box[3] - top) <= 0, shape.text
    for (one, a), (other, b) in combinations(texts, 2):
        apart = max(a[0] - b[2], b[0] - a[2], a[1] - b[3], b[1] - a[3])
        assert apart > 0, f"{one.text} and {other.text}"
    to_svg(scene)


def test_pictures_are_of_one_size() -> None:
    shapes = {to_rgb(position().scene(), 240).shape for position in (spread_out, together, choosing, begun)}
    assert len(shapes) == 1


def test_a_board_that_fits_is_shown_whole() -> None:
    scene = begun().scene()
    assert len(tiles_of(scene)) == 3
    assert "small-map" not in {shape.id for shape in scene.shapes}


@pytest.mark.parametrize("position", [spread_out, together])
def test_the_view_follows_the_party_and_the_whole_board_is_small(position: Callable[[], BoardEnv]) -> None:
    env = position()
    state = env.states[0]
    scene = env.scene()
    shown = tiles_of(scene)
    at = {int(state["at"][m]) for m in range(st.MODELS)}
    at |= {int(state["h_tile"])} if state["h_state"] == st.PROWLING else set()
    assert at <= set(shown)
    assert len(shown) < (state["state"] == st.ON_BOARD).sum()
    assert (scene.box[3] - scene.box[1]) / CELL <= 1.2 * READABLE
    panel = next(shape for shape in scene.shapes if shape.id == "small-map")
    assert max(x for x, _ in shown.values()) + CELL / 2 <= panel.points[0][0]
    small = [shape for shape in scene.shapes if ", cell (" in shape.title and not shape.id]
    assert len(small) == (state["state"] == st.ON_BOARD).sum()
    frames = [shape for shape in scene.shapes if shape.title == "shown large"]
    assert frames
    framed = {
        shape.title
        for shape in small
        for frame in frames
        if all(low <= (a + b) / 2 <= high for low, high, a, b in zip(*frame.points, *shape.points))
    }
    assert len(framed) >= len(shown)


def test_floors_are_named_in_the_small_map() -> None:
    texts = [shape.text for shape in spread_out().scene().shapes]
    assert {"the whole board", "floor 0", "floor 1"} <= set(texts)


def test_the_cell_that_a_tile_is_chosen_for_is_in_the_picture() -> None:
    scene = choosing().scene()
    candidate = next(shape for shape in scene.shapes if shape.id == "candidate")
    left, bottom, right, top = scene.box
    assert all(left <= x <= right and bottom <= y <= top for x, y in candidate.points)


def test_parts_are_apart_whatever_the_order_of_their_tiles() -> None:
    env = spread_out()
    state = env.states[0]
    tiles = np.flatnonzero(state["state"] == st.ON_BOARD).tolist()
    expected = {frozenset(part) for part in parts_of(state)}
    assert {frozenset(part) for part in parts_of(state, tiles[::-1])} == expected
    assert len(expected) == 2


def test_a_page_holds_the_view_and_the_legend() -> None:
    page = lay_out(spread_out().scene())
    assert page.board[0] + page.board[2] <= page.width
    assert not any(line.text.startswith("… and") for line in page.lines)
