"""Section 3: `standard` is the ledger's, `random` meets every constraint, over ten thousand seeds of each mission."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from macragge.rules.batch import layouts
from macragge.rules.table import Table, position

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.game import GAME

SEEDS = 60 if INTERPRETED else 10_000
WRECKS = [(6, 48, 4), (18, 80, 4), (40, 24, 4), (52, 64, 4), (72, 32, 4)]
MARKERS = [(40, 31), (52, 57), (72, 39)]
MODELS = {
    1: {0: (11, 48), 27: (40, 33), 28: (52, 55), 29: (72, 41)},
    2: {
        0: (16, 48),
        **dict(enumerate([(86, 48), (86, 45), (86, 51), (89, 47), (89, 50)], 1)),
        **dict(enumerate([(40, 33), (52, 55), (72, 41), (20, 48)], 27)),
    },
}


@pytest.mark.parametrize("mission", [1, 2])
def test_mac_3_standard_layouts_are_those_of_the_ledger(mission: int) -> None:
    table: Table = position(mission)
    pieces = table.record["pieces"]
    assert [(int(p["x"]), int(p["y"]), int(p["r"])) for p in pieces[:5]] == WRECKS
    assert list(table.markers().values()) == MARKERS
    assert {slot: cell for slot in range(st.MODELS) if (cell := table.at(slot))} == MODELS[mission]
    assert [int(value) for value in table.record["exit_rect"]] == [84, 36, 96, 60]
    assert pieces["marks"][:5].tolist() == [st.PIECE_COCKPIT, st.PIECE_CORE, 0, 0, 0]


@pytest.fixture(scope="module", params=[1, 2])
def batch(request: pytest.FixtureRequest) -> Any:
    return layouts(request.param, SEEDS)


def xy(things: Any) -> Any:
    """Return centres as an array (games, things, 2)."""
    return np.stack([things["x"], things["y"]], axis=-1).astype(np.int64)


def d2(a: Any, b: Any) -> Any:
    """Return squared distances along the last axis."""
    return ((a - b) ** 2).sum(axis=-1)


def pairs(points: Any) -> Any:
    """Return the squared distances of all pairs, shape (games, pairs)."""
    i, j = np.triu_indices(points.shape[1], 1)
    return d2(points[:, i], points[:, j])


def test_mac_3_random_wrecks_stand_twelve_inches_apart_in_their_boxes(batch: Any) -> None:
    wrecks = batch["pieces"][:, :5]
    assert (wrecks["kind"] == st.PIECE_WRECK).all()
    assert (wrecks["r"] == 4).all()
    assert pairs(xy(wrecks)).min() > (24 + 8) ** 2
    x, y = wrecks["x"], wrecks["y"]
    assert (x[:, 0] == 6).all()
    assert (x[:, 1] == 18).all()
    assert ((y[:, 0] >= 16) & (y[:, 0] <= 80)).all()
    assert ((y[:, 1] >= 10) & (y[:, 1] <= 86)).all()
    assert ((x[:, 2:] >= 12) & (x[:, 2:] <= 76)).all()
    assert ((y[:, 2:] >= 6) & (y[:, 2:] <= 90)).all()


def test_mac_3_random_exit_zones_are_six_by_twelve_inches_on_the_east_edge(batch: Any) -> None:
    west, south, east, north = batch["exit_rect"].T
    assert (west == 84).all()
    assert (east == 96).all()
    assert (north - south == 24).all()
    centre = (north + south) // 2
    assert ((centre >= 12) & (centre <= 84)).all()
    if batch["core"]["mission"][0] == 1:  # all of it 36 inches from the base of Varras
        assert (west - (batch["models"]["x"][:, 0] + 1) >= 72).all()


def test_mac_3_random_markers_stand_by_three_different_wrecks(batch: Any) -> None:
    markers = batch["pieces"][:, 5:8]
    assert (markers["kind"] == st.PIECE_MARKER).all()
    to_wreck = d2(xy(markers)[:, :, None], xy(batch["pieces"][:, :5])[:, None])
    assert to_wreck.min() >= 25  # on none
    near = to_wreck <= (6 + 5) ** 2  # within three inches
    assert not near[:, :, 0].any()  # not the cockpit
    assert (near.sum(axis=2) == 1).all()
    assert (near.sum(axis=1) <= 1).all()  # three different ones
    x, y = markers["x"], markers["y"]
    assert ((x >= 3) & (x <= 82) & (y >= 3) & (y <= 93)).all()


def test_mac_3_a_random_mine_touches_each_marker(batch: Any) -> None:
    models = batch["models"]
    far = d2(xy(models[:, 27:30]), xy(batch["pieces"][:, 5:8]))
    assert np.isin(far, (4, 5)).all()
    on_table = models["status"] == st.STATUS_TABLE
    mission = int(batch["core"]["mission"][0])
    expected = np.zeros(st.MODELS, bool)
    expected[list(MODELS[mission])] = True
    assert (on_table == expected).all()


def test_mac_3_nothing_is_set_up_in_a_random_exit_zone(batch: Any) -> None:
    west, south, east, north = (side[:, None] for side in batch["exit_rect"].T)
    for things, present in (
        (batch["models"][:, 27:], batch["models"]["status"][:, 27:] == st.STATUS_TABLE),
        (batch["models"][:, :1], batch["models"]["status"][:, :1] == st.STATUS_TABLE),
        (batch["pieces"], batch["pieces"]["kind"] != st.PIECE_NONE),
    ):
        r = things["r"] if "r" in things.dtype.names else 1
        x, y = things["x"], things["y"]
        inside = (x + r > west) & (x - r < east) & (y + r > south) & (y - r < north)
        assert not (inside & present).any()


def test_mac_3_random_varras_stands_by_the_cockpit(batch: Any) -> None:
    cockpit, varras = xy(batch["pieces"])[:, 0], xy(batch["models"])[:, 0]
    if batch["core"]["mission"][0] == 1:
        assert (varras - cockpit == (5, 0)).all()
        return
    assert d2(varras, cockpit).max() <= 29 * 29
    away = xy(batch["models"])[:, 30] - varras
    assert (np.sort(np.abs(away), axis=1) == (0, 4)).all()


def test_mac_3_random_squads_land_in_the_zone_in_formation() -> None:
    batch = layouts(2, SEEDS, seed=10**6)
    squad = xy(batch["models"])[:, 1:6]
    standard = np.array([MODELS[2][slot] for slot in range(1, 6)])
    assert (squad - squad[:, :1] == standard - standard[0]).all()
    assert pairs(squad).max() <= 36
    west, south, east, north = batch["exit_rect"].T
    assert (squad[:, :, 0].min(axis=1) - 1 >= west).all()
    assert (squad[:, :, 0].max(axis=1) + 1 <= east).all()
    assert (squad[:, :, 1].min(axis=1) - 1 >= south).all()
    assert (squad[:, :, 1].max(axis=1) + 1 <= north).all()


def test_mac_3_random_layouts_overlap_nothing_and_touch_no_mine(batch: Any) -> None:
    slots = np.array(list(MODELS[int(batch["core"]["mission"][0])]))
    models, pieces = batch["models"][:, slots], batch["pieces"][:, :8]
    assert (models["status"] == st.STATUS_TABLE).all()
    assert (batch["pieces"]["kind"][:, 8:] == st.PIECE_NONE).all()
    points = xy(models)
    assert points.min() >= 1
    assert points.max() <= 95
    far = pairs(points)
    assert far.min() >= 4
    i, j = np.triu_indices(len(slots), 1)
    enemies = (slots[i] < st.FIRST_GENESTEALER) & (slots[j] >= st.FIRST_MINE)
    assert far[:, enemies].min() > 6  # a mine in contact would have detonated
    radii = (pieces["r"] + 1).astype(np.int64) ** 2
    assert (d2(points[:, :, None], xy(pieces)[:, None]) >= radii[:, None]).all()


def test_mac_3_random_layouts_do_not_fall_back(batch: Any) -> None:
    # Fifty attempts of which nine in ten succeed: falling back is out of the question.
    wrecks = xy(batch["pieces"])[:, :5]
    standard = np.array([wreck[:2] for wreck in WRECKS])
    assert not (wrecks == standard).all(axis=(1, 2)).any()
    assert len(np.unique(wrecks.reshape(len(wrecks), -1), axis=0)) == len(wrecks)


def test_mac_3_random_layouts_spread_over_all_that_is_allowed(batch: Any) -> None:
    if INTERPRETED:
        return
    pieces = batch["pieces"]
    centre = batch["exit_rect"][:, 1] + 12
    assert (centre.min(), centre.max()) == (12, 84)
    assert len(np.unique(centre)) == 73
    assert (pieces["y"][:, 0].min(), pieces["y"][:, 0].max()) == (16, 80)
    assert pieces["x"][:, 2:5].min() == 12
    assert pieces["x"][:, 2:5].max() == 76
    bare = (d2(xy(pieces)[:, 5:8, None], xy(pieces)[:, None, 1:5]) <= 121).any(axis=1)
    assert (np.abs(bare.mean(axis=0) - 0.75) < 0.05).all()  # each wreck but the cockpit is as likely left out


def test_mac_3_random_layouts_are_possible_positions(batch: Any) -> None:
    for k in range(0, len(batch), max(1, len(batch) // 50)):
        assert GAME.problems(batch, k) == []
