from __future__ import annotations

import sys
import types
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from PIL import Image

from broodmind.envs.core.errors import BroodmindError
from broodmind.envs.core.labels import Labels
from broodmind.envs.core.render import Window, framed, to_gif, to_rgb, to_svg
from broodmind.envs.core.render_page import NOTE_SIZE, PAGE_HEIGHT, lay_out, shorten, text_width, wrap
from broodmind.envs.core.scene import Scene, Shape

SVG = "{http://www.w3.org/2000/svg}"

SHAPES = (
    Shape("rect", ((0, 0), (100, 100)), id="table", fill="#f0f0f0"),
    Shape("circle", ((25, 25),), id="piece", radius=10, fill="#ff0000", title='a "piece" <of> & wood'),
    Shape("polygon", ((60, 60), (90, 60), (75, 90)), fill="#0000ff", stroke="#000000", width=1),
    Shape("line", ((0, 50), (100, 50)), stroke="#00aa00", width=2, dash=True),
    Shape("text", ((75, 20),), text="W0 <&>", size=8, fill="#000000", stroke="#ffffff", width=0.5),
)
SCENE = Scene(
    (0, 0, 100, 100),
    SHAPES,
    "Turn 1 · <seat> to act",
    [("#ff0000", "a piece"), ("", "a line")],
    ["It moved.", "It fell & broke."],
)
CROWDED = replace(
    SCENE,
    caption="A caption that goes on and on " * 12,
    legend=[("#123456", f"entry {k} with words enough to need a second line") for k in range(90)],
    notes=["A note of many words " * 20, "short", "another " * 30],
)


def boxes(scene: Scene) -> list[tuple[float, float, float, float]]:
    page = lay_out(scene)
    x, y, width, height = page.board
    texts = [
        (line.x, line.y - 0.75 * line.size, line.x + line.width, line.y + 0.2 * line.size)
        for line in page.lines
    ]
    swatches = [(s.x, s.y, s.x + 12, s.y + 12) for s in page.swatches]
    return [(x, y, x + width, y + height), *texts, *swatches]


@pytest.mark.parametrize(
    "scene",
    [
        SCENE,
        CROWDED,
        replace(CROWDED, box=(0, 0, 300, 40)),
        replace(CROWDED, box=(0, 0, 9, 90)),
        replace(CROWDED, box=(0, 0, 400, 1100), detail=1.15),
        replace(CROWDED, box=(0, 0, 1500, 300), detail=1.15),
    ],
)
def test_nothing_on_the_page_overlaps_or_is_cut(scene):
    page = lay_out(scene)
    for left, top, right, bottom in boxes(scene):
        assert 0 <= left < right <= page.width
        assert 0 <= top < bottom <= page.height
    for a, b in combinations(boxes(scene), 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], (a, b)


def test_the_page_depends_on_the_board_only():
    page, crowded = lay_out(SCENE), lay_out(CROWDED)
    assert (page.width, page.height, page.board) == (crowded.width, crowded.height, crowded.board)
    assert page.height == PAGE_HEIGHT


@pytest.mark.parametrize("size", [(400, 1100), (1500, 300), (1500, 1500)])
def test_the_page_of_a_board_with_small_labels_is_as_large_as_they_need(size):
    board = replace(SCENE, box=(0, 0, *size))
    small, large = lay_out(board), lay_out(replace(board, detail=1.15))
    assert small.scale < large.scale == 1.15
    assert large.board[2:] == pytest.approx([1.15 * side for side in size])
    assert (large.height > PAGE_HEIGHT) == (size[1] > 300)
    assert to_rgb(replace(board, detail=1.15)).shape == (large.height, large.width, 3)
    assert lay_out(replace(SCENE, detail=1.15)) == lay_out(SCENE)  # large enough as it is


def test_the_newest_note_is_always_told():
    texts = [line.text for line in lay_out(CROWDED).lines]
    assert any(text.startswith("another") for text in texts)
    texts = [line.text for line in lay_out(replace(SCENE, notes=["word " * 400])).lines]
    assert texts[-1].endswith("…")


def test_what_a_legend_leaves_out_is_said():
    texts = [line.text for line in lay_out(CROWDED).lines]
    assert any(text.startswith("… and ") and text.endswith(" more") for text in texts)


def test_an_empty_box_is_refused():
    with pytest.raises(ValueError, match="left < right"):
        lay_out(replace(SCENE, box=(0, 0, 0, 1)))


def test_wrap_keeps_within_the_room_and_loses_no_word():
    lines = wrap("the quick brown fox jumps over the lazy dog", NOTE_SIZE, 90)
    assert " ".join(lines) == "the quick brown fox jumps over the lazy dog"
    assert all(text_width(line, NOTE_SIZE) <= 90 for line in lines)
    assert shorten("incomprehensibilities", NOTE_SIZE, 60).endswith("…")
    assert text_width(wrap("incomprehensibilities", NOTE_SIZE, 60)[0], NOTE_SIZE) <= 60


def test_svg_is_valid_xml_with_ids_titles_and_escaped_text():
    root = ElementTree.fromstring(to_svg(SCENE))
    piece = next(element for element in root.iter() if element.get("id") == "piece")
    assert piece.tag == f"{SVG}circle"
    assert piece.findtext(f"{SVG}title") == 'a "piece" <of> & wood'
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert {"W0 <&>", "It fell & broke.", "Turn 1 · <seat> to act"} <= set(texts)
    # y grows north on the board and down in SVG.
    assert (piece.get("cx"), piece.get("cy"), piece.get("r")) == ("25", "-25", "10")


def test_svg_drops_characters_that_xml_cannot_hold():
    scene = replace(
        SCENE, notes=["bell\x07 and \x00 null"], shapes=[Shape("rect", ((0, 0), (1, 1)), title="\x1b")]
    )
    ElementTree.fromstring(to_svg(scene))


def test_svg_refuses_an_id_that_is_used_twice_and_an_unknown_kind():
    with pytest.raises(ValueError, match="more than once: table"):
        to_svg(replace(SCENE, shapes=[SHAPES[0], SHAPES[0]]))
    unknown = replace(SCENE, shapes=[Shape("star", ((0, 0),))])
    for renderer in (to_svg, to_rgb):
        with pytest.raises(ValueError, match="unknown kind of shape 'star'"):
            renderer(unknown)


def test_rgb_shows_the_shapes_where_they_are():
    picture = to_rgb(SCENE, 360)
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    assert picture.shape[0] == 360
    assert picture.shape[2] == 3
    page = lay_out(SCENE)
    x, y, width, height = (value / 2 for value in page.board)

    def at(board_x: float, board_y: float) -> tuple[int, ...]:
        row = round(y + height * (1 - board_y / 100))
        column = round(x + width * board_x / 100)
        return tuple(int(channel) for channel in picture[row, column])

    assert at(25, 25) == (255, 0, 0)
    assert at(75, 68) == (0, 0, 255)
    assert at(50, 75) == (0xF0, 0xF0, 0xF0)
    assert tuple(picture[1, 1]) == (255, 255, 255)


def test_rgb_has_one_size_whatever_the_texts_and_is_repeatable():
    assert to_rgb(SCENE, 240).shape == to_rgb(CROWDED, 240).shape
    assert np.array_equal(to_rgb(SCENE, 240), to_rgb(SCENE, 240))


def test_rgb_draws_text_and_translucency():
    plain = to_rgb(replace(SCENE, shapes=SHAPES[:1], caption="", legend=(), notes=()), 360)
    assert not np.array_equal(to_rgb(replace(SCENE, shapes=SHAPES[:1], legend=(), notes=()), 360), plain)
    veil = Shape("rect", ((0, 0), (100, 100)), fill="#000000", opacity=0.5)
    veiled = to_rgb(replace(SCENE, shapes=[SHAPES[0], veil], caption="", legend=(), notes=()), 360)
    assert abs(int(veiled[180, 100, 0]) - 120) <= 1


def test_rgb_refuses_a_picture_too_small_to_read():
    with pytest.raises(ValueError, match="at least 120 pixels"):
        to_rgb(SCENE, 50)


def test_gif_holds_all_frames_and_their_times(tmp_path):
    frames = [to_rgb(replace(SCENE, caption=f"frame {k}"), 120) for k in range(3)]
    path = tmp_path / "game.gif"
    to_gif(iter(frames), path, [100, 200, 900])
    with Image.open(path) as picture:
        assert getattr(picture, "n_frames", 1) == 3
        assert picture.size == (frames[0].shape[1], frames[0].shape[0])
        durations = []
        for k in range(3):
            picture.seek(k)
            durations.append(picture.info["duration"])
    assert durations == [100, 200, 900]
    assert list(tmp_path.iterdir()) == [path]


def test_pictures_of_several_sizes_are_framed_alike():
    pictures = [np.full((height, width, 3), 7, np.uint8) for height, width in ((120, 50), (90, 80))]
    frames = framed(pictures)
    assert [frame.shape for frame in frames] == [(120, 80, 3)] * 2
    for frame, picture in zip(frames, pictures, strict=True):
        height, width = picture.shape[:2]
        assert (frame[:height, :width] == 7).all()
        assert (frame[height:] == 255).all()
        assert (frame[:, width:] == 255).all()
    assert framed([]) == []


def test_gif_refuses_bad_frames_and_leaves_the_old_file(tmp_path):
    path = tmp_path / "game.gif"
    path.write_bytes(b"old")
    small, large = to_rgb(SCENE, 120), to_rgb(SCENE, 140)
    with pytest.raises(ValueError, match="at least one frame"):
        to_gif([], path)
    with pytest.raises(ValueError, match="must have the shape of the first"):
        to_gif([small, large], path)
    with pytest.raises(ValueError, match="need as many durations"):
        to_gif([small], path, [100, 100])
    with pytest.raises(OSError, match="missing"):
        to_gif([small], tmp_path / "missing" / "game.gif")
    assert path.read_bytes() == b"old"


def test_labels_avoid_things_and_each_other():
    labels = Labels((0, 0, 20, 20))
    labels.keep_clear(10, 10, 1)
    placed = [labels.place("name", 10, 10, 1, 2, "#000000") for _ in range(30)]
    found = [shape for shape in placed if shape is not None]
    assert 2 <= len(found) < 30
    spans = []
    for shape in found:
        (x, y), width = shape.points[0], text_width(shape.text, shape.size)
        left = x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
        spans.append((left, y - 0.9, left + width, y + 0.9))
        assert left >= 0
        assert left + width <= 20
    for a, b in combinations(spans, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


# -- the window, with a stand-in for pygame, so that the test needs no display ------------------------


class _Surface:
    def __init__(self, size):
        self.size = size

    def get_size(self):
        return self.size

    def get_width(self):
        return self.size[0]

    def get_height(self):
        return self.size[1]

    def fill(self, colour):
        pass

    def blit(self, picture, at):
        self.blitted = (picture, at)


@pytest.fixture
def pygame(monkeypatch):
    fake: Any = types.ModuleType("pygame")
    fake.error = type("error", (Exception,), {})
    fake.RESIZABLE, fake.QUIT = 1, 2
    fake.opened, fake.events, fake.shown, fake.screen = [], [], [], (1000, 500)

    def set_mode(size, flags):
        fake.opened.append(size)
        fake.surface = _Surface(size)
        return fake.surface

    fake.display = types.SimpleNamespace(
        init=lambda: None,
        Info=lambda: types.SimpleNamespace(current_w=fake.screen[0], current_h=fake.screen[1]),
        set_mode=set_mode,
        set_caption=lambda title: None,
        get_surface=lambda: fake.surface,
        flip=lambda: fake.shown.append(True),
        quit=lambda: fake.opened.append(None),
    )
    fake.event = types.SimpleNamespace(get=lambda: fake.events)
    fake.surfarray = types.SimpleNamespace(make_surface=lambda array: _Surface(array.shape[:2]))
    fake.transform = types.SimpleNamespace(smoothscale=lambda surface, size: _Surface(size))
    monkeypatch.setitem(sys.modules, "pygame", fake)
    return fake


def test_window_opens_with_the_first_picture_only(pygame):
    window = Window("title")
    assert pygame.opened == []
    window.show(np.zeros((30, 40, 3), np.uint8))
    window.show(np.zeros((30, 40, 3), np.uint8))
    assert pygame.opened == [(40, 30)]
    assert len(pygame.shown) == 2
    window.close()
    assert pygame.opened == [(40, 30), None]
    window.show(np.zeros((30, 40, 3), np.uint8))
    assert len(pygame.shown) == 2


@pytest.mark.parametrize(("screen", "opened"), [((1000, 500), (225, 450)), ((-1, -1), (500, 1000))])
def test_window_is_no_larger_than_the_screen(pygame, screen, opened):
    pygame.screen = screen
    Window().show(np.zeros((1000, 500, 3), np.uint8))
    assert pygame.opened == [opened]


def test_window_scales_pictures_to_its_size_and_closes_when_asked_to(pygame):
    window = Window()
    window.show(np.zeros((30, 40, 3), np.uint8))
    pygame.surface = _Surface((80, 90))
    window.show(np.zeros((30, 40, 3), np.uint8))
    picture, at = pygame.surface.blitted
    assert (picture.size, at) == ((80, 60), (0, 15))
    pygame.events = [types.SimpleNamespace(type=pygame.QUIT)]
    window.show(np.zeros((30, 40, 3), np.uint8))
    assert window.closed


def test_window_says_what_is_missing(pygame, monkeypatch):
    def no_display(size, flags):
        raise pygame.error("No available video device")

    pygame.display.set_mode = no_display
    with pytest.raises(BroodmindError, match=r"No available video device.*rgb_array"):
        Window().show(np.zeros((30, 40, 3), np.uint8))
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(BroodmindError, match=r"pip install 'broodmind\[human\]'"):
        Window()
