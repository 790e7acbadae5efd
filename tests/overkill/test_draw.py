"""Pictures of Overkill: what is drawn, where, and for whom."""

from __future__ import annotations

from typing import Any

import pytest
from overkill.rules.table import T, marine, position, zone

import broodmind
from broodmind.envs.core.game import Event
from broodmind.envs.core.render import to_svg
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.game import GAME

MISSIONS = [mission.id for mission in GAME.missions if mission.number != st.CAMPAIGN]


def shapes(scene: Any) -> dict[str, Any]:
    """Return the shapes that have an id."""
    return {shape.id: shape for shape in scene.shapes if shape.id}


def legend(scene: Any) -> str:
    """Return the words of a legend."""
    return "\n".join(text for _, text in scene.legend)


@pytest.mark.parametrize("env_id", MISSIONS)
def test_boards_zones_and_points_lie_to_scale_and_within_each_other(env_id: str) -> None:
    env = broodmind.make(env_id)
    env.reset(seed=1)
    mission = int(env.states["mission"][0])
    drawn = shapes(env.scene())
    texts = [shape.text for shape in env.scene().shapes]
    for k, name in enumerate(names.section_names(mission)):
        assert drawn[f"section-{k}"].title == name
        assert name in texts
    for z in range(int(T["zones"][mission])):
        (left, bottom), (right, top) = drawn[f"zone-{z}"].points
        assert (right - left, top - bottom) == tuple(T["rect"][mission, z, 2:])
        (west, south), (east, north) = drawn[f"section-{int(T['section'][mission, z])}"].points
        assert west <= left < right <= east
        assert south <= bottom < top <= north
        assert names.zone_names(mission)[z] in drawn[f"zone-{z}"].title
    for a in range(int(T["points"][mission])):
        (left, bottom), (right, top) = drawn[f"zone-{int(T['point_zone'][mission, a])}"].points
        assert all(left <= x <= right and bottom <= y <= top for x, y in drawn[f"point-{a}"].points)
    assert to_svg(env.scene()).startswith("<svg")


def test_models_stand_within_their_zone_below_its_label_and_do_not_touch() -> None:
    table = position(at="CATT", marines={"grytt": 8, "donatus": 20}, cult={"autogun": [8] * 8})
    drawn = shapes(table.env.scene())
    (left, bottom), (right, top) = drawn["zone-8"].points
    here = [drawn[f"model-{m}"] for m in range(st.MODELS) if table.record["zone"][m] == 8]
    assert len(here) == 9
    for k, one in enumerate(here):
        (x, y) = one.points[0]
        assert left < x - one.radius
        assert x + one.radius < right
        assert bottom < y - one.radius
        assert y + one.radius < top - 12
        for other in here[:k]:
            (u, v) = other.points[0]
            assert (x - u) ** 2 + (y - v) ** 2 >= (2 * one.radius) ** 2


def test_the_legend_says_what_letters_mean_and_who_carries_what() -> None:
    table = position(
        3,
        "DATT",
        marines={"cassius": 4, "branatar": 5},
        cult={"familiar": [4]},
        wounded=("cassius",),
        carrier="Ortan Cassius",
        skull_zone=-1,
        homer="Ortan Cassius",
    )
    scene = table.env.scene()
    assert "C  Ortan Cassius" in legend(scene)
    assert "fa  Genestealer Familiar" in legend(scene)
    assert "skull" in legend(scene)
    assert shapes(scene)["model-0"].title == "Ortan Cassius (wounded, skull, homer)"
    assert "Ortan Cassius (wounded, with the skull, with the homer)" in table.env.text_board()


def test_the_last_attack_is_drawn_from_whom_it_came() -> None:
    table = position(at="DATT", marines={"donatus": 20, "grytt": 21}, cult={"autogun": [20]})
    told = Event("attacked", {"model": "Vael Donatus", "profile": "x", "zone": 16}, "Somebody attacks.")
    states = table.env.states
    line = shapes(GAME.scene(states, 0, None, [told]))["attack"]
    middle = [
        [sum(corner[k] for corner in shapes(table.env.scene())[f"zone-{z}"].points) / 2 for k in range(2)]
        for z in (20, 16)
    ]
    assert [list(point) for point in line.points] == middle
    assert line.title == "Somebody attacks."
    gone = Event("mission_began", {"mission": 2}, "Mission 2 begins.")
    assert "attack" not in shapes(GAME.scene(states, 0, None, [told, gone]))


def test_what_the_cult_has_picked_is_not_shown_to_the_deathwatch() -> None:
    table = position(at="CATT", marines={"grytt": 0}, cult={"autogun": [0, 0], "autopistol": [0]})
    table.do(zone(0))
    assert table.record["sel_zone"] == 0
    widths = [shapes(GAME.scene(table.env.states, 0, seat))["zone-0"].width for seat in (None, 1, 0)]
    assert widths[0] == widths[1] > widths[2]


def test_a_destroyed_board_is_drawn_so() -> None:
    table = position(
        4, "DATT", marines={"grytt": 20, "donatus": 20, "cassius": 20, "setorax": 20}, destroyed=1
    )
    scene = table.env.scene()
    assert shapes(scene)["section-0"].title.endswith("(destroyed)")
    assert "destroyed" in legend(scene)
    assert marine("grytt") in table.env.legal_actions()


def test_ranges_are_told_from_what_is_in_hand_to_whom_it_is_in_hand() -> None:
    table = position(at="DATT", marines={"grytt": 0, "donatus": 20}, cult={"autogun": [0]})
    table.do(marine("grytt"))
    for z in range(int(T["zones"][1])):
        word = ("within Assault", "within Combat", "within Maximum", "out of")[int(T["band"][1, 0, z])]
        for seat in (None, st.DEATHWATCH):
            assert f"{word} range" in shapes(GAME.scene(table.env.states, 0, seat))[f"zone-{z}"].title
        assert "range" not in shapes(GAME.scene(table.env.states, 0, st.CULT))[f"zone-{z}"].title


def test_the_text_board_tells_effects_and_how_far_both_sides_are() -> None:
    table = position(
        at="DATT",
        marines={"grytt": 0, "donatus": 20},
        cult={"autogun": [3]},
        zones={"3": ["shield"]},
        jammed=["Rodricus Grytt"],
        dust=True,
        kills=7,
    )
    board = table.env.text_board("deathwatch_0").splitlines()
    assert "slain: 0 of 2 marines, 7 of 25 cult models; left the board: 0; Choking Dust" in board
    assert " 0 Ore Concourse 1: Rodricus Grytt (jammed)" in board
    assert " 3 Ore Concourse 4 [shield]: 1 x Hybrid with Autogun" in board
