"""Clauses B1..B11: the lattice, discs, distances, directions, templates."""

from __future__ import annotations

from inspect import unwrap
from itertools import combinations
from math import atan2, degrees, hypot
from typing import Any

import pytest
from macragge.rules.table import PASS, Table, dest, direction, mine, position, select

from broodmind.envs.core.errors import StateError
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.rules import geometry
from broodmind.envs.macragge.tables import DESTS

# Python may not call a compiled kernel that is no entry.
overlaps, touches = unwrap(geometry.overlaps), unwrap(geometry.touches)
within_inches = unwrap(geometry.within_inches)


@pytest.mark.parametrize(
    ("varras", "beyond", "last"),
    [((3, 20), (-3, 0), (-2, 0)), ((93, 20), (3, 0), (2, 0)), ((40, 93), (0, 3), (0, 2))],
)
def test_mac_b1_bases_stay_wholly_on_the_table(
    varras: tuple[int, int], beyond: tuple[int, int], last: tuple[int, int]
) -> None:
    table = position(1, varras=varras, mines={}).do(select(0))
    offered = table.offered("DEST")
    assert last in offered
    assert beyond not in offered
    assert all(1 <= varras[0] + dx <= 95 and 1 <= varras[1] + dy <= 95 for dx, dy in offered)


def test_mac_b1_a_position_off_the_lattice_is_refused() -> None:
    with pytest.raises(StateError, match="MAC-B1"):
        position(1, varras=(0, 20))
    with pytest.raises(StateError, match="MAC-B1"):
        position(1, varras=(20, 96))


def test_mac_b1_six_bases_fit_round_a_base(lookup: Any) -> None:
    spots = list(zip(lookup["contact_x"].tolist(), lookup["contact_y"].tolist(), strict=True))
    assert most_that_fit(spots) == 6


def most_that_fit(spots: list[tuple[int, int]]) -> int:
    """Return how many bases fit on some spots without overlapping, by trying."""
    best = 0
    for count in range(1, len(spots) + 1):
        if not any(
            all((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 >= 4 for a, b in combinations(chosen, 2))
            for chosen in combinations(spots, count)
        ):
            break
        best = count
    return best


@pytest.mark.parametrize("mission", [1, 2])
def test_mac_b2_radii_of_wrecks_and_markers(mission: int) -> None:
    pieces = position(mission).record["pieces"]
    assert pieces["r"][:5].tolist() == [4] * 5
    assert pieces["r"][5:8].tolist() == [1] * 3


@pytest.mark.parametrize(
    ("radii", "squares", "spots"),
    [(2, {4, 5}, 12), (5, {25, 26, 29}, 28), (7, {49, 50, 52, 53}, None)],
)
def test_mac_b3_contact_is_a_gap_under_a_quarter_inch(
    radii: int, squares: set[int], spots: int | None
) -> None:
    lattice = [dx * dx + dy * dy for dx in range(-9, 10) for dy in range(-9, 10)]
    touching = [square for square in lattice if touches(square, radii)]
    assert set(touching) == squares
    assert spots in (None, len(touching))
    for square in set(lattice):
        assert overlaps(square, radii) == (square < radii * radii)
        assert not (overlaps(square, radii) and touches(square, radii))


def test_mac_b3_overlapping_positions_are_refused() -> None:
    with pytest.raises(StateError, match="MAC-B3"):
        position(1, mines={27: (60, 10), 28: (61, 10)})
    with pytest.raises(StateError, match="MAC-B3"):
        position(1, varras=(44, 26))  # on wreck W2


@pytest.mark.parametrize(
    ("inches", "square"), [(1, 16), (2, 36), (6, 196), (12, 676), (24, 2500), (48, 9604)]
)
def test_mac_b4_within_is_between_edges_and_includes_equality(inches: int, square: int) -> None:
    assert within_inches(square, inches, 2)
    assert not within_inches(square + 1, inches, 2)


def test_mac_b4_range_is_measured_diagonally_too() -> None:
    table = position(1, mines={27: (11 + 10, 48 - 24), 28: (11 + 11, 48 + 24)}).do(PASS)  # d2 676 and 697
    assert table.offered("TARGET") == {17}


def test_mac_b5_a_move_is_as_long_as_the_centre_travels() -> None:
    table = position(1, varras=(30, 48), mines={}).do(select(0))
    offered = table.offered("DEST")
    assert len(offered) == DESTS
    assert {(12, 0), (0, -12), (8, 8)} <= offered
    assert not {(12, 1), (9, 8)} & offered
    assert table.do(dest(8, -8)).at(0) == (38, 40)


def test_mac_b6_wreckage_hides_nobody() -> None:
    table = position(1, varras=(30, 24), mines={27: (50, 24)}).do(PASS)  # wreck W2 (40, 24) between them
    assert table.offered("TARGET") == {17}
    assert table.do(mine(27), dice=[4, 4]).mines() == {}


def test_mac_b7_targets_out_of_range_are_not_offered() -> None:
    table = position(1, mines={27: (38, 48), 28: (30, 48)}).do(PASS)
    assert table.phase == "SHOOT_SELECT"
    assert table.offered("TARGET") == {18}
    reason = table.env.explain_action(mine(27))
    assert reason is not None
    assert reason.clause == "MAC-B7"


def test_mac_b7_without_a_target_nothing_is_asked() -> None:
    table = position(1, mines={27: (60, 8)}).do(PASS, dice=[1, 1])
    assert (table.active, table.phase) == ("tyranids", "MINE_DIR")


def test_mac_b8_sixteen_directions_counter_clockwise_from_east(lookup: Any) -> None:
    units = list(zip(lookup["unit_x"].tolist(), lookup["unit_y"].tolist(), strict=True))
    assert units[:4] == [(1000, 0), (924, 383), (707, 707), (383, 924)]
    for i, (x, y) in enumerate(units):
        assert units[(i + 4) % 16] == (-y, x)
        assert degrees(atan2(y, x)) % 360 == pytest.approx(22.5 * i, abs=0.1)
        assert hypot(x, y) == pytest.approx(1000, abs=1)


@pytest.mark.parametrize(
    ("i", "end"),
    [
        (0, (66, 48)),
        (1, (66, 50)),
        (2, (64, 52)),
        (3, (62, 54)),
        (4, (60, 54)),
        (7, (54, 50)),
        (13, (62, 42)),
    ],
)
def test_mac_b8_a_drift_of_three_inches_in_a_direction(i: int, end: tuple[int, int]) -> None:
    table = position(1, mines={27: (60, 48)}, turn="tyranids", dice=[3, 6, i])
    assert table.mines() == {27: end}


def flamer_at(cell: tuple[int, int], **things: Any) -> Table:
    """Return a position of mission 2 where the flamer is asked for a direction, friends out of the way."""
    x, y = cell
    squad = {2: cell, 1: (x - 6, y), 3: (x - 12, y), 4: (x - 6, y - 4), 5: (x - 6, y + 4)}
    return position(2, squad=squad, **{"markers": {0: (90, 10)}, "mines": {}, **things}).do(PASS)


def test_mac_b9_the_template_touches_87_cells_to_the_east(lookup: Any) -> None:
    touched = [
        (dx, dy)
        for dx in range(-18, 19)
        for dy in range(-18, 19)
        if int(lookup["flame"][dx + 18, dy + 18]) & 1
    ]
    assert len(touched) == 87
    assert max(dx for dx, _ in touched) == 18
    assert max(abs(dy) for _, dy in touched) == 3


@pytest.mark.parametrize(("x", "touched"), [(68, True), (69, False)])
def test_mac_b9_the_template_reaches_eighteen_steps(x: int, touched: bool) -> None:
    table = flamer_at((50, 48), markers={0: (x, 48), 1: (50, 30)})
    assert (0 in table.offered("DIR")) is touched
    assert 12 in table.offered("DIR")


def test_mac_b9_the_template_burns_in_every_quarter_alike() -> None:
    for i, cell in ((0, (60, 48)), (4, (50, 58)), (12, (50, 38))):
        table = flamer_at((50, 48), markers={0: cell, 1: (90, 10)})
        assert i in table.offered("DIR")
        assert table.do(direction(i), dice=[4]).markers() == {1: (90, 10)}


def test_mac_b10_blast_squares_follow_from_the_radii() -> None:
    assert geometry.LARGE_BLAST_COVERED == (5 - 1) ** 2
    assert geometry.LARGE_BLAST_TOUCHED == (5 + 1) ** 2
    assert geometry.SMALL_BLAST_COVERED == (3 - 1) ** 2
    assert geometry.SMALL_BLAST_TOUCHED == (3 + 1) ** 2


@pytest.mark.parametrize(
    ("x", "dice", "explodes"), [(34, [4], True), (35, [4, 4], True), (36, [3], False), (37, [], False)]
)
def test_mac_b11_covered_is_hit_and_partly_covered_on_4(x: int, dice: list[int], explodes: bool) -> None:
    table = position(1, mines={27: (30, 48), 28: (x, 48)}).do(PASS)  # d2 of the second 16, 25, 36, 49
    table.do(mine(27), dice=[4, 4, *dice, *([] if explodes else [1, 1])])  # one that stays drifts next
    assert table.mines() == ({} if explodes else {28: (x, 48)})
    assert table.record["models"][28]["status"] == (st.STATUS_OUT if explodes else st.STATUS_TABLE)
