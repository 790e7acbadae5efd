from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from itertools import combinations
from math import hypot

import numpy as np
import pytest
from macragge.rules.batch import layouts
from macragge.standard_positions import position

from broodmind.envs.core.game import Event
from broodmind.envs.core.record import as_states
from broodmind.envs.core.render import to_rgb, to_svg
from broodmind.envs.core.render_page import lay_out, text_width
from broodmind.envs.macragge import draw, draw_events, names, palette
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.describe import event
from broodmind.envs.macragge.dictionary import from_dict
from broodmind.envs.macragge.game import GAME
from broodmind.envs.macragge.text_board import WIDTH, model_symbol, text_board


def by_id(scene):
    return {shape.id: shape for shape in scene.shapes if shape.id}


def happened(kind, *arguments) -> Event:
    return event(np.array([kind, *arguments, *[0] * (7 - len(arguments))], np.int32))


@pytest.mark.parametrize("mission", range(1, 7))
def test_everything_on_the_table_is_drawn_once_with_its_name(mission):
    states = from_dict(position(mission))
    scene = draw.scene(states, 0)
    shapes = by_id(scene)
    s = states[0]
    for slot in range(st.MODELS):
        present = s["models"][slot]["status"] == st.STATUS_TABLE
        assert (f"model-{slot}" in shapes) == present
        if present:
            shape = shapes[f"model-{slot}"]
            assert shape.title.startswith(names.MODELS[slot])
            assert shape.points == ((s["models"][slot]["x"], s["models"][slot]["y"]),)
    for piece in range(st.PIECES):
        present = s["pieces"][piece]["kind"] != st.PIECE_NONE
        assert (f"piece-{piece}" in shapes) == present
        assert not present or shapes[f"piece-{piece}"].title.startswith(names.PIECES[piece])
    ElementTree.fromstring(to_svg(scene))


@pytest.mark.parametrize("mission", range(1, 7))
def test_labels_cover_neither_bases_nor_each_other_and_the_page_holds_everything(mission):
    states = from_dict(position(mission))
    scene = draw.scene(states, 0)
    s = states[0]
    boxes = []
    for shape in scene.shapes:
        if shape.kind == "text" and shape.stroke:
            (x, y), width = shape.points[0], text_width(shape.text, shape.size)
            left = x - {"start": 0, "middle": width / 2, "end": width}[shape.anchor]
            boxes.append((left, y - 0.45 * shape.size, left + width, y + 0.45 * shape.size))
    assert boxes
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    for model in s["models"][s["models"]["status"] == st.STATUS_TABLE]:
        for left, bottom, right, top in boxes:
            x, y = int(model["x"]), int(model["y"])
            assert hypot(x - min(max(x, left), right), y - min(max(y, bottom), top)) >= 1
    page = lay_out(scene)
    assert all(line.x + line.width <= page.width for line in page.lines)
    assert not any("…" in line.text for line in page.lines)


def test_zones_and_pieces_of_the_missions():
    assert "exit-zone" in by_id(draw.scene(from_dict(position(1)), 0))
    shapes = by_id(draw.scene(from_dict(position(1)), 0))
    assert shapes["piece-0"].title == "wreck W0, the cockpit"
    assert shapes["piece-1"].title == "wreck W1, the core piece"
    assert shapes["piece-0"].fill != shapes["piece-2"].fill != shapes["piece-1"].fill
    assert "field" in by_id(draw.scene(from_dict(position(3)), 0))
    assert "exit-zone" in by_id(draw.scene(from_dict(position(4)), 0))
    assert "rendezvous" in by_id(draw.scene(from_dict(position(5)), 0))
    legend = " ".join(text for _, text in draw.scene(from_dict(position(6)), 0).legend)
    for word in (
        "explosive",
        "acid",
        "poison",
        "Genestealers A",
        "Termagants A",
        "hive node",
        "beacon",
        "fusion core",
    ):
        assert word in legend


@pytest.mark.parametrize("mission", range(3, 7))
def test_models_are_drawn_in_cover_where_the_rules_say_so(mission):
    games = as_states(layouts(mission, 12))
    if mission == 6:  # nests count as in cover wherever they stand (M6.8)
        nest = {"at": [70, 5], "group": "Termagant nest"}
        games = from_dict(position(6, models={**position(6)["models"], "Termagant 10": nest}))
    models = GAME.observation["models"]
    column, start = models.column("in_cover"), GAME.observation.offsets["models"]
    for i in range(len(games)):
        observation = np.zeros(GAME.observation.size, np.float32)
        GAME.kernels().observe(games, i, GAME.tables(), 0, observation)
        covered = observation[start : start + models.size].reshape(st.MODELS, -1)[:, column]
        broods = range(st.FIRST_GENESTEALER, st.FIRST_MINE)
        assert draw.models_in_cover(games[i]) == [slot for slot in broods if covered[slot]]
    slots = draw.models_in_cover(games[0])
    assert slots
    scene = draw.scene(games, 0)
    shapes = by_id(scene)
    assert {f"cover-model-{slot}" for slot in slots} == {name for name in shapes if "cover-model" in name}
    for slot in slots:
        rim, base = shapes[f"cover-model-{slot}"], shapes[f"model-{slot}"]
        assert (rim.points, rim.radius > base.radius) == (base.points, True)
        assert scene.shapes.index(rim) < scene.shapes.index(base)
        assert base.title.endswith("in cover")
    assert "white rim: in cover" in [text for _, text in scene.legend]
    signs = [model_symbol(slot).strip() for slot in slots]
    assert f"in cover: {' '.join(signs)}" in " ".join(text_board(games, 0).split())


def test_what_gives_cover_has_a_dashed_edge_where_there_is_cover_to_be_had():
    assert not [name for name in by_id(draw.scene(from_dict(position(2)), 0)) if name.startswith("cover")]
    shapes = by_id(draw.scene(from_dict(position(5)), 0))
    edges = {name: shape for name, shape in shapes.items() if name.startswith("cover-piece")}
    assert set(edges) == {"cover-piece-0", "cover-piece-1", "cover-piece-2", "cover-piece-8"}
    # A base in contact touches the edge, the next farther one does not.
    assert hypot(5, 2) - 1 < edges["cover-piece-1"].radius < hypot(4, 4) - 1


def test_units_of_a_kind_are_named_where_there_are_several():
    def unit_labels(mission, **changes):
        shapes = draw.scene(from_dict(position(mission, **changes)), 0).shapes
        return {shape.text for shape in shapes if shape.kind == "text" and "unit" in shape.text}

    assert unit_labels(3) == set()
    assert unit_labels(4) == {"G unit A", "G unit B"}
    colours = [*palette.GENESTEALERS, *palette.TERMAGANTS, palette.NEST]
    assert len(set(colours)) == len(colours)
    assert palette.EVENT not in colours


def test_who_carries_what_is_marked_named_and_in_the_legend():
    scene = draw.scene(from_dict(position(4)), 0)
    words = {text for _, text in scene.legend}
    assert {"square on bolter 1: carries the fusion core", "dot on Octavian: carries Varras"} <= words
    labels = {shape.text for shape in scene.shapes if shape.kind == "text"}
    assert {"carries the core", "Octavian, carries Varras"} <= labels
    assert by_id(scene)["model-1"].title == "Octavian, Squad Octavian, carries Varras"


def test_a_label_too_long_for_its_place_gives_way_to_a_shorter_one():
    # The squad of mission 3 stands close: there is no room to say what Varras carries, but for his name.
    changes = {"fusion_core": "carried", "core_carrier": "Varras"}
    scene = draw.scene(from_dict(position(3, **changes)), 0)
    labels = {shape.text for shape in scene.shapes if shape.kind == "text"}
    assert labels & {"Varras", "carries the core", "Varras, carries the core"}
    assert "square on Varras: carries the fusion core" in [text for _, text in scene.legend]


def test_the_node_has_a_dot_for_every_wound_left_and_shows_the_core_in_it():
    for left in (4, 2, 1, 0):
        pieces = {**position(5)["pieces"], "hive node": {"at": [54, 48], "hit_points": left}}
        shapes = draw.scene(from_dict(position(5, pieces=pieces)), 0).shapes
        dots = [s for s in shapes if s.kind == "circle" and s.radius == 0.65 and s.fill == "#ffffff"]
        assert len(dots) == left
        assert any(shape.text == f"{left}/4" for shape in shapes)
    dropped = position(6, fusion_core="dropped", core_carrier=None)
    legend = [text for _, text in draw.scene(from_dict(dropped), 0).legend]
    assert "square on the node: the fusion core" in legend


def test_the_ways_out_end_with_the_table():
    for mission, name in ((5, "rendezvous"), (6, "boarding")):
        points = np.array(by_id(draw.scene(from_dict(position(mission)), 0))[name].points)
        assert points[:, 0].max() == 96
        assert points[:, 0].min() == (84 if mission == 5 else 82)
    assert ":: boarding circle" in text_board(from_dict(position(6)), 0)
    landed = from_dict(position(6, thunderhawk="landed"))
    legend = [text for _, text in draw.scene(landed, 0).legend]
    assert "beacon: Thunderhawk landed; dashed: boarding within 6 inches" in legend


def test_mission_3_counts_the_genestealers_killed_and_says_where_core_and_field_are():
    def words(**changes):
        return {text for _, text in draw.scene(from_dict(position(3, **changes)), 0).legend}

    begun = {
        "core piece: holds the fusion core",
        "power field and projectors",
        "Genestealers killed: 0 of 12",
    }
    assert begun <= words()
    later = words(fusion_core="carried", core_carrier="Varras", power_field=False, kills=7)
    assert {
        "core piece: the core is out",
        "projectors; the field is down",
        "Genestealers killed: 7 of 12",
    } <= later


def test_mines_are_told_apart_by_letter_and_colour():
    scene = draw.scene(from_dict(position(6)), 0)
    shapes = by_id(scene)
    assert len({shapes[f"model-{slot}"].fill for slot in (27, 30, 33)}) == 3
    signs = {shape.text for shape in scene.shapes if shape.kind == "text"}
    assert {"E1", "A4", "P7", "V", "O", "F", "M", "B1", "G6", "T10"} <= signs


def test_signs_are_unique_among_models_and_readable_on_their_colours():
    signs = [palette.sign(slot, 0) for slot in range(st.MODELS)]
    assert len(signs) == len(set(signs))
    assert palette.letter_colour(palette.VARRAS) == "#ffffff"
    assert palette.letter_colour(palette.MINES[1]) == palette.INK


def test_a_plan_is_drawn_with_ghosts_and_arrows():
    shapes = by_id(draw.scene(from_dict(position(2)), 0))
    assert {f"plan-{slot}" for slot in range(1, 6)} <= set(shapes)
    assert shapes["plan-1"].points == ((78, 52),)
    assert "ring: in hand" in [text for _, text in draw.scene(from_dict(position(2)), 0).legend]


def test_the_reach_of_a_single_model_is_dotted():
    states = from_dict(position(1))
    states["cells"] = 0
    states["cells"][0, 0, 0] = 7
    dots = [shape for shape in draw.scene(states, 0).shapes if shape.kind == "circle" and shape.radius == 0.2]
    assert [shape.points for shape in dots] == [((11, 47),), ((10, 48),)]


def test_captions_say_mission_turn_seat_and_question():
    assert draw.caption(from_dict(position(1)), 0) == (
        "Escape the Crash Site · turn 1 of 30 · Ultramarines: Where does Varras go (up to 6 inches)?"
    )
    changes = {"phase": "CASUALTY", "unit": None, "squad": "Squad Octavian", "wounds": 1}
    assert "turn 1 of 40, Tyranids' turn · Ultramarines: " in draw.caption(
        from_dict(position(2, **changes)), 0
    )
    over = position(1, phase="OVER", unit=None)
    over["core"] |= {"over": True, "result": 2}
    assert draw.caption(from_dict(over), 0).endswith("The game is over: The Ultramarines win.")


def test_events_are_drawn_where_things_were_and_told_below():
    states = from_dict(position(1))
    events = [
        happened(st.EVENT_SHOT, 0, 17, 27),
        happened(st.EVENT_DETONATED, 29, 72, 41, 0),
        happened(st.EVENT_BLAST_HIT, 0, 0),
        happened(st.EVENT_SLAIN, 0, 11, 48),
        happened(st.EVENT_MINE_DRIFTED, 27, 30, 33, 40, 33, 0),
    ]
    plain, told = draw.scene(states, 0), draw.scene(states, 0, None, events)
    assert len(told.shapes) > len(plain.shapes)
    assert told.notes[0].startswith("Varras shoots at mine 1.")
    marks = [shape for shape in told.shapes if shape not in plain.shapes]
    circles = [(shape.points[0], shape.radius) for shape in marks if shape.kind == "circle"]
    assert ((72, 41), 5.0) in circles  # the blast
    assert ((30, 33), 1.7) in circles  # shot at before it drifted
    words = {text for _, text in told.legend}
    assert {
        "disc: explosion",
        "cross: slain, destroyed",
        "arrow: has moved",
        "arrow to a ring: shot",
    } <= words
    assert not np.array_equal(to_rgb(plain, 240), to_rgb(told, 240))


def test_areas_lie_below_the_models_and_crosses_above():
    states = from_dict(position(6))
    events = [
        happened(st.EVENT_BURST, 17, 51, 44),
        happened(st.EVENT_MODEL_RETURNED, 17, 16, 51, 44),
        happened(st.EVENT_STRUCK, 17, 18),
        happened(st.EVENT_NODE_DESTROYED, 54, 48),
        happened(st.EVENT_ACID, 60, 27, 0),
        happened(st.EVENT_DETONATED, 30, 60, 27, 1),
    ]
    scene = draw.scene(states, 0, None, events)
    first = scene.shapes.index(by_id(scene)["model-0"])
    at = {shape.kind: k for k, shape in enumerate(scene.shapes) if shape.stroke == palette.EVENT}
    assert at["circle"] < first
    assert at["polygon"] < first
    crosses = [k for k, shape in enumerate(scene.shapes) if shape.stroke == palette.SLAIN]
    assert len(crosses) == 2
    assert min(crosses) > scene.shapes.index(by_id(scene)["model-33"])
    bar = next(shape for shape in scene.shapes if shape.kind == "line" and shape.width == 0.6)
    ends = np.array(bar.points)
    for end, centre in zip(ends, ((51, 44), (53, 43)), strict=True):
        assert hypot(*(end - centre)) == pytest.approx(0.7)  # both signs stay readable
    words = {text for _, text in scene.legend}
    assert {"wedge: acid", "dashed ring: has come back", "disc: explosion"} <= words
    spray = [happened(st.EVENT_DETONATED, 30, 60, 27, 1)]
    assert draw_events.event_legend(spray) == []  # the acid has a wedge of its own
    text = {shape.text: shape for shape in scene.shapes if shape.kind == "text"}
    assert "4/4" in text


def test_a_marker_is_crossed_out_only_where_it_is_known_to_have_been():
    states = from_dict(position(1))
    known = draw_events.event_shapes([happened(st.EVENT_MARKER_DESTROYED, 5, 30, 30)], {})
    assert len(known) == 2
    unknown = [happened(st.EVENT_MARKER_DESTROYED, 5)]
    assert draw_events.event_shapes(unknown, {}) == []
    assert draw_events.event_legend(unknown) == []
    assert draw.scene(states, 0, None, unknown).notes == ["Marker K0 is destroyed."]


def test_too_many_events_keep_the_important_ones():
    events = [happened(st.EVENT_ROLLED, 3, st.ROLL_SCATTER, 27, 0, 1) for _ in range(20)]
    events += [happened(st.EVENT_MINE_DRIFTED, 27, 1, 1, 9, 9, 2) for _ in range(20)]
    events.append(happened(st.EVENT_SLAIN, 0, 1, 1))
    assert draw.notes(events) == ["Varras is slain at (1, 1)."]
    assert len(draw.notes(events[:3])) <= 4


def test_the_flame_is_drawn_as_long_and_wide_as_the_template_is():
    points = np.array(draw_events.flame_outline((0.0, 0.0), 0))
    assert points[:, 0].max() == pytest.approx(17.0)
    assert points[:, 1].max() == pytest.approx(2.5, abs=0.1)
    north = np.array(draw_events.flame_outline((10.0, 10.0), 4))
    assert north[:, 1].max() == pytest.approx(27.0)


def test_the_picture_shows_the_exit_zone_and_a_model():
    states = from_dict(position(1, phase="SPAWN", unit=None))
    scene = draw.scene(states, 0)
    picture = to_rgb(scene)
    page = lay_out(scene)
    left, _, _, top = scene.box

    def at(x: float, y: float):
        row = round(page.board[1] + (top - y) * page.scale)
        return picture[row, round(page.board[0] + (x - left) * page.scale)].astype(int)

    ground = at(66, 90)
    assert tuple(ground) == (0xF7, 0xF3, 0xEA)
    zone = at(90, 45.3)
    assert zone[1] > zone[0] + 5  # tinted green
    varras = at(11.65, 48)
    assert varras[2] > varras[0] + 40  # blue


@pytest.mark.parametrize("mission", range(1, 7))
def test_the_text_board_shows_every_model_and_piece_within_a_terminal(mission):
    states = from_dict(position(mission))
    lines = text_board(states, 0).split("\n")
    assert all(len(line) <= WIDTH for line in lines)
    assert len(lines) <= 56
    s = states[0]
    board = [line[3:].ljust(96) for line in lines if len(line) > 2 and line[2] == "|"]
    assert len(board) == 48
    for slot in np.flatnonzero(s["models"]["status"] == st.STATUS_TABLE):
        m = s["models"][slot]
        symbol = model_symbol(int(slot), int(m["mine_type"]))
        row, column = 47 - int(m["y"]) // 2, 2 * (int(m["x"]) // 2)
        assert board[row][column : column + 2] == symbol
    for piece in np.flatnonzero(s["pieces"]["kind"] == st.PIECE_MARKER):
        p = s["pieces"][piece]
        row, column = 47 - int(p["y"]) // 2, 2 * (int(p["x"]) // 2)
        assert board[row][column : column + 2] == names.PIECES[piece][-2:]


def test_the_text_board_says_what_is_in_hand_and_shows_the_plan():
    text = text_board(from_dict(position(2)), 0)
    assert "in hand: Squad Octavian" in text
    assert "small letters: planned cells" in text
    assert "b1b3" in text
    assert "O Octavian" in text
    mine = text_board(from_dict(position(1, phase="MINE_DIR", unit=None, model="mine 2", die=4)), 0)
    assert "in hand: mine 2" in mine
    assert "Octavian" not in mine
