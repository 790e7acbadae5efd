"""Section 3, missions 3 to 6: every constraint on where squads, broods, node and terrain begin, over many seeds."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from macragge.rules.batch import boards
from macragge.rules.measures import (
    COHERENT,
    between,
    d2,
    is_one_chain,
    pairs,
    placed_mines,
    present,
    touch,
    xy,
)

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge import state as st

LAYOUTS = [st.LAYOUT_RANDOM, st.LAYOUT_STANDARD]
RING = np.array([(x, y) for x in range(-5, 6) for y in range(-5, 6) if x * x + y * y in (25, 26, 29)])
"""Contact spots of a wreck of radius 4."""
BEACON = (95, 48)
MARKERS = slice(st.FIRST_MARKER, st.LAST_MARKER + 1)
STANDARD_SQUAD_ROWS = np.array([36, 32, 28, 24, 20, 16, 62, 66, 70, 74, 78])
GENESTEALERS_6 = [(-3, 4), (-1, 5), (1, 5), (3, 4), (5, 2), (5, 4)]
TERMAGANTS_6 = [(-3, -4), (-1, -5), (1, -5), (3, -4), (5, -2), (5, 0), (5, -4), (-3, -6), (3, -6), (0, -7)]
BROOD_6 = np.array([*GENESTEALERS_6, *TERMAGANTS_6])
"""Six Genestealers and ten Termagants as offsets from the node."""


def test_mac_b3_there_are_28_contact_spots_round_a_wreck() -> None:
    assert len(RING) == 28


# -- missions 3 and 4 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mission", [3, 4])
def test_mac_3_the_squad_touches_the_core_s_wreck_as_one_chain(mission: int, layout: int) -> None:
    games = boards(mission, layout)
    squad, core = xy(games["models"])[:, :6], xy(games["pieces"])[:, 1:2]
    assert touch(d2(squad, core), 5).all()
    assert is_one_chain(squad).all()
    assert pairs(squad).min() >= 4
    assert (games["models"]["group"][:, :6] == st.GROUP_OCTAVIAN).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m3_1_projectors_stand_on_the_corners_and_the_squad_within_the_field(layout: int) -> None:
    games = boards(3, layout)
    centres = xy(games["pieces"])
    core = centres[:, 1:2]
    assert (centres[:, 9:13] - core == [[-8, -8], [8, -8], [-8, 8], [8, 8]]).all()  # of a square of 8 inches
    assert (np.abs(xy(games["models"])[:, :6] - core) + 1 <= 9).all()  # whole bases inside
    assert (games["field"] == 1).all()
    assert (games["fusion_core"] == st.CORE_IN_WRECK).all()
    assert (games["phase"] == st.SHOOT_SELECT).all()  # the Ultramarines begin


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m3_1_three_genestealers_hide_behind_one_other_wreck(layout: int) -> None:
    games = boards(3, layout)
    brood, wrecks = xy(games["models"])[:, 11:14], xy(games["pieces"])[:, :5]
    assert (games["models"]["status"][:, 11:17] == [1, 1, 1, 0, 0, 0]).all()
    assert (games["models"]["group"][:, 11:14] == st.FIRST_GENESTEALER_UNIT).all()
    touched = touch(between(brood, wrecks), 5)
    assert (touched.sum(axis=2) == 1).all()
    assert (touched.all(axis=1).sum(axis=1) == 1).all()  # the same for all three
    wreck = touched[:, 0].argmax(axis=1)
    assert (wreck != 1).all()
    middle = wrecks[np.arange(len(games)), wreck][:, None]
    assert (((middle - wrecks[:, 1:2]) * (brood - middle)).sum(axis=2) > 0).all()  # on its far side
    assert INTERPRETED or layout == st.LAYOUT_STANDARD or set(wreck) == {0, 2, 3, 4}
    assert is_one_chain(brood).all()
    assert between(brood, xy(games["pieces"])[:, 9:13]).min() > 26**2  # over 12 inches from all projectors


def test_mac_m3_7_they_take_the_spots_farthest_behind_it() -> None:
    games = boards(3)
    brood, centres = xy(games["models"])[:, 11:14], xy(games["pieces"])
    wreck = touch(between(brood, centres[:, :5]), 5)[:, 0].argmax(axis=1)
    middle = centres[np.arange(len(games)), wreck]
    behind = ((middle - centres[:, 1])[:, None] * RING).sum(axis=2)  # projection of the 28 spots
    spots = middle[:, None] + RING
    free = (behind > 0) & (spots >= 1).all(axis=2) & (spots <= 95).all(axis=2)
    free &= (between(spots, centres[:, 9:13]) > 26**2).all(axis=2)
    coherent = np.ones_like(free)
    for k in range(3):
        taken = ((brood[:, k] - middle) * (middle - centres[:, 1])).sum(axis=1)
        assert (taken == np.where(free & coherent, behind, -1).max(axis=1)).all()
        away = d2(spots, brood[:, k : k + 1])
        free &= away >= 4
        coherent = away <= COHERENT if k == 0 else coherent | (away <= COHERENT)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m4_1_the_foremost_marine_is_36_inches_from_the_edge(layout: int) -> None:
    games = boards(4, layout)
    squad, core = xy(games["models"])[:, :6], xy(games["pieces"])[:, 1:2]
    assert (96 - (squad[:, :, 0].max(axis=1) + 1) == 72).all()
    assert (squad[:, :, 0] >= core[:, :, 0]).all()  # on the side of the edge
    assert ((squad - core) == (5, 0)).all(axis=2).any(axis=1).all()
    assert (games["exit_rect"] == 0).all()  # the exit is the whole edge
    assert (games["field"] == 0).all()
    assert (games["phase"] == st.CORE_CARRIER).all()  # they name the carrier first of all


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m4_1_two_broods_of_three_touch_two_other_wrecks(layout: int) -> None:
    games = boards(4, layout)
    models, centres = games["models"], xy(games["pieces"])[:, :5]
    assert (models["status"][:, 11:17] == st.STATUS_TABLE).all()
    wreck = []
    for first, unit in ((11, st.FIRST_GENESTEALER_UNIT), (14, st.FIRST_GENESTEALER_UNIT + 1)):
        brood = xy(models)[:, first : first + 3]
        assert (models["group"][:, first : first + 3] == unit).all()
        touched = touch(between(brood, centres), 5)
        assert (touched.all(axis=1).sum(axis=1) == 1).all()
        assert is_one_chain(brood).all()
        wreck.append(touched.all(axis=1).argmax(axis=1))
    assert (wreck[0] != wreck[1]).all()
    assert not np.isin(wreck, 1).any()
    assert INTERPRETED or layout == st.LAYOUT_STANDARD or set(wreck[0]) == set(wreck[1]) == {0, 2, 3, 4}


def test_mac_m4_1_broods_take_the_spots_nearest_to_their_first() -> None:
    games = boards(4)
    for first in (11, 14):
        brood, centres = xy(games["models"])[:, first : first + 3], xy(games["pieces"])[:, :5]
        wreck = touch(between(brood, centres), 5).all(axis=1).argmax(axis=1)
        spots = centres[np.arange(len(games)), wreck][:, None] + RING
        away = d2(spots, brood[:, :1])
        free = (spots >= 1).all(axis=2) & (spots <= 95).all(axis=2) & (away >= 4)
        for k in (1, 2):
            assert (d2(brood[:, k], brood[:, 0]) == np.where(free, away, 9999).min(axis=1)).all()
            free &= d2(spots, brood[:, k : k + 1]) >= 4


@pytest.mark.skipif(INTERPRETED, reason="needs many boards")
@pytest.mark.parametrize(("mission", "spots"), [(3, 28), (4, 13)])
def test_mac_3_random_squads_stand_all_round_in_any_order(mission: int, spots: int) -> None:
    # In mission 4 those of the 15 in front that do not overlap the foremost spot, and that spot.
    games = boards(mission)
    away = xy(games["models"])[:, :6] - xy(games["pieces"])[:, 1:2]
    for slot in range(6):
        assert len(np.unique(away[:, slot], axis=0)) == spots
    if mission == 4:
        in_front = ((away == (5, 0)).all(axis=2)).mean(axis=0)
        assert (np.abs(in_front - 1 / 6) < 0.02).all()


# -- missions 5 and 6 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mission", [5, 6])
def test_mac_m5_1_the_node_touches_the_far_side_of_the_large_wreck(mission: int, layout: int) -> None:
    games = boards(mission, layout)
    centres = xy(games["pieces"])
    large, node = centres[:, 0], centres[:, st.PIECE_NODE]
    assert (large[:, 0] == 44).all()
    assert (node - large == (10, 0)).all()  # radii 6 and 4
    assert ((node[:, 1] >= 30) & (node[:, 1] <= 66)).all()
    assert (games["pieces"]["hp"][:, st.PIECE_NODE] == 4).all()
    if layout == st.LAYOUT_RANDOM and not INTERPRETED:
        assert set(node[:, 1]) == set(range(30, 67))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("mission", [5, 6])
def test_mac_m5_1_two_more_wrecks_stand_clear_of_the_node_and_the_beacon(mission: int, layout: int) -> None:
    games = boards(mission, layout)
    centres = xy(games["pieces"])
    small = centres[:, 1:3]
    assert (games["pieces"]["kind"][:, :3] == st.PIECE_WRECK).all()
    assert (games["pieces"]["r"][:, :3] == [6, 4, 4]).all()
    assert d2(small, centres[:, st.PIECE_NODE][:, None]).min() > (12 + 8) ** 2  # over 6 inches
    assert d2(small, BEACON).min() > (12 + 5) ** 2
    assert d2(small, centres[:, :1]).min() >= 10**2
    assert d2(small[:, 0], small[:, 1]).min() >= 8**2
    assert ((small >= [30, 6]) & (small <= [84, 90])).all()
    if layout == st.LAYOUT_RANDOM and not INTERPRETED:
        assert (small.min(axis=(0, 1)) == [30, 6]).all()
        assert (small.max(axis=(0, 1)) == [84, 90]).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m5_1_squad_atreus_stands_on_the_edge_18_inches_from_the_large_wreck(layout: int) -> None:
    games = boards(5, layout)
    squad, large = xy(games["models"])[:, 6:11], xy(games["pieces"])[:, :1]
    assert (squad[:, :, 0] == 1).all()
    assert (squad[:, :, 1] == large[:, :, 1] + [-8, -4, 0, 4, 8]).all()
    assert (d2(squad, large).min(axis=1) == (36 + 7) ** 2).all()  # between nearest edges: 43 - 1 - 6
    assert is_one_chain(squad).all()
    assert (games["rendezvous"] == [96, 48, 1]).all()
    assert (games["phase"] == st.MOVE_SELECT).all()
    assert (games["active"] == st.ULTRAMARINES).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m5_1_five_to_ten_termagants_touch_the_node_as_one_unit(layout: int) -> None:
    games = boards(5, layout)
    there = present(games)[0][:, st.FIRST_TERMAGANT : st.FIRST_MINE]
    size = there.sum(axis=1)
    assert ((size >= 5) & (size <= 10)).all()
    assert (there == (np.arange(10) < size[:, None])).all()  # the first ones
    brood, node = xy(games["models"])[:, 17:27], xy(games["pieces"])[:, st.PIECE_NODE][:, None]
    assert touch(d2(brood, node), 5)[there].all()
    assert (games["models"]["group"][:, 17:27] == st.FIRST_TERMAGANT_UNIT)[there].all()
    assert (games["groups"]["living"][:, st.FIRST_TERMAGANT_UNIT] == size).all()
    if layout == st.LAYOUT_RANDOM and not INTERPRETED:  # four and a D6
        counts = np.bincount(size, minlength=11)[5:] / len(games)
        assert (np.abs(counts - 1 / 6) < 0.02).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m6_1_both_squads_stand_on_the_edge_12_inches_apart(layout: int) -> None:
    games = boards(6, layout)
    marines, groups = xy(games["models"])[:, :11], games["models"]["group"]
    assert (marines[:, :, 0] == 1).all()
    assert (between(marines[:, :6], marines[:, 6:]).min(axis=(1, 2)) == (24 + 2) ** 2).all()
    assert is_one_chain(marines[:, :6]).all()
    assert is_one_chain(marines[:, 6:]).all()
    assert (groups[:, :6] == st.GROUP_OCTAVIAN).all()  # Varras is one of them
    assert (groups[:, 6:11] == st.GROUP_ATREUS).all()
    rows = marines[:, :, 1]
    straight = (rows == STANDARD_SQUAD_ROWS).all(axis=1)
    assert (straight | (rows == 96 - STANDARD_SQUAD_ROWS).all(axis=1)).all()
    assert (xy(games["pieces"])[:, st.PIECE_BEACON] == BEACON).all()
    assert (games["phase"] == st.CORE_CARRIER).all()
    assert (games["active"] == st.ULTRAMARINES).all()
    if layout == st.LAYOUT_RANDOM and not INTERPRETED:
        assert 0.45 < straight.mean() < 0.55


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m6_1_as_many_of_both_broods_touch_the_node_as_fit(layout: int) -> None:
    games = boards(6, layout)
    models, centres = games["models"], xy(games["pieces"])
    broods, node, large = xy(models)[:, 11:27], centres[:, st.PIECE_NODE][:, None], centres[:, :1]
    assert (models["status"][:, 11:27] == st.STATUS_TABLE).all()
    assert (models["group"][:, 11:17] == st.FIRST_GENESTEALER_UNIT).all()
    assert (models["group"][:, 17:27] == st.FIRST_TERMAGANT_UNIT).all()
    touching = touch(d2(broods, node), 5)
    assert (touching[:, :6].sum(axis=1) == 5).all()
    assert (touching[:, 6:].sum(axis=1) == 6).all()
    spots = node + RING
    taken = (between(spots, broods) < 4).any(axis=2) | (d2(spots, large) < 7 * 7)
    assert taken.all()  # no room is left in contact
    for brood in (slice(0, 6), slice(6, 16)):
        beside = touch(between(broods[:, brood], broods[:, brood]), 2) & touching[:, None, brood]
        assert (touching[:, brood] | beside.any(axis=2)).all()  # the rest are next to them
        assert is_one_chain(broods[:, brood]).all()
    straight = (broods - node == BROOD_6).all(axis=(1, 2))
    assert (straight | (broods - node == BROOD_6 * (1, -1)).all(axis=(1, 2))).all()
    if layout == st.LAYOUT_RANDOM and not INTERPRETED:
        assert 0.45 < straight.mean() < 0.55


@pytest.mark.parametrize("layout", LAYOUTS)
def test_mac_m6_1_markers_touch_wrecks_12_inches_from_marines_each_with_a_mine(layout: int) -> None:
    games = boards(6, layout)
    markers, wrecks = xy(games["pieces"])[:, MARKERS], xy(games["pieces"])[:, :3]
    touched = touch(between(markers, wrecks), games["pieces"]["r"][:, None, :3].astype(int) + 1)
    assert touched.any(axis=2).all()
    assert between(markers, xy(games["models"])[:, :11]).min() >= (24 + 2) ** 2
    assert (games["pieces"]["hp"][:, MARKERS] == 2).all()
    slots, mines = placed_mines(games)
    assert slots.shape[1] == 3
    beside = touch(between(markers, mines), 2)
    ways = [beside[:, range(3), order].all(axis=1) for order in permutations(range(3))]
    assert np.any(ways, axis=0).all()  # one for each
    assert (games["models"]["mine_type"][:, 27:] == [0, 0, 0, 1, 1, 1, 2, 2]).all()
    if layout == st.LAYOUT_RANDOM and not INTERPRETED:
        drawn = np.bincount(slots.ravel(), minlength=st.MODELS)[st.FIRST_MINE :] / len(games)
        assert (np.abs(drawn - 3 / 8) < 0.03).all()  # types without replacement
        assert touched.any(axis=(0, 1)).all()  # every wreck has its turn
