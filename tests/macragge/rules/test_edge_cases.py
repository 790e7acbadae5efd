"""The edge cases E01..E14 of the rules ledger, dice and all."""

from __future__ import annotations

from typing import Any

import pytest
from macragge.rules.table import CROSS, PASS, dest, direction, far_mines, mine, model, position, select


@pytest.mark.parametrize(("last_die", "winner"), [(3, "tyranids"), (2, "")])
def test_e01_a_drifting_mine_detonates_at_the_first_contact(last_die: int, winner: str) -> None:
    table = position(1, mines={27: (20, 48)}, turn="tyranids", dice=[6, 5, 8, last_die])
    drifted = next(event for event in table.env.events() if event.kind == "drifted")
    assert drifted.data["to"] == [13, 48]
    assert table.winner == winner
    assert table.mines() == {}
    assert (table.at(0) is None) == (winner == "tyranids")
    if not winner:
        assert table.phase == "SPAWN"  # the mine is back in the pool


def test_e02_a_mine_that_stops_three_steps_off_does_not_detonate() -> None:
    table = position(1, mines={27: (14, 60)}, turn="tyranids", dice=[6, 6, 12])
    assert table.mines() == {27: (14, 48)}
    assert (table.phase, table.winner) == ("SPAWN", "")


def test_e03_a_hit_lets_the_tyranids_choose_among_sixteen_directions() -> None:
    table = position(1, turn="tyranids", dice=[4, 1])
    assert (table.phase, table.seat) == ("MINE_DIR", "tyranids")
    assert table.verbs() == {"DIR"}
    assert table.offered("DIR") == set(range(16))
    table.do(direction(5), dice=[1, 2])  # the next mine: one inch, a HIT
    assert table.at(27) == (37, 40)


def test_e04_a_mine_stops_at_the_table_edge() -> None:
    table = position(1, mines={27: (94, 48)}, turn="tyranids", dice=[6, 3, 0])
    assert table.mines() == {27: (95, 48)}


def test_e05_a_mine_backs_up_from_one_that_it_would_overlap() -> None:
    table = position(1, mines={27: (40, 33), 28: (40, 39)}, turn="tyranids", dice=[3, 3, 4, 1, 1])
    assert table.at(27) == (40, 37)
    assert table.phase == "MINE_DIR"  # 28, which has not moved yet
    assert table.at(28) == (40, 39)


@pytest.mark.parametrize(
    ("offset", "dice", "dies"),
    [
        ((4, 0), [3], True),  # d2 16: covered, no roll to hit
        ((4, 0), [2], False),
        ((4, 1), [4, 3], True),  # 17: partly covered, 4+ hits
        ((4, 1), [3], False),
        ((6, 0), [4, 3], True),  # 36
        ((6, 0), [3], False),
        ((6, 1), [], False),  # 37: untouched, no die
    ],
)
def test_e06_the_large_blast_covers_to_16_and_touches_to_36(
    offset: tuple[int, int], dice: list[int], dies: bool
) -> None:
    table = position(1, varras=(30, 48), mines={27: (30 + offset[0], 48 + offset[1])}).do(PASS)
    table.do(mine(27), dice=[4, 4, *dice])
    assert table.winner == ("tyranids" if dies else "")
    assert table.mines() == {}


def test_e07_a_chain_of_detonations() -> None:
    table = position(1, mines={27: (30, 48), 28: (33, 48), 29: (38, 48)}).do(PASS)
    table.do(mine(27), dice=[4, 4, 4, 4, 3, 1, 1])
    assert table.mines() == {29: (38, 48)}
    assert table.at(0) == (11, 48)
    assert table.rolls() == [4, 4, 4, 4, 3, 1, 1]
    about = [event.data["about"] for event in table.env.events() if event.kind == "rolled"]
    assert about == ["mine 1", "mine 1", "mine 2", "mine 3", "mine 3", "mine 3", "mine 3"]


@pytest.mark.parametrize(("x", "offered"), [(37, True), (38, False)])
def test_e08_the_range_of_twelve_inches_ends_at_676(x: int, offered: bool) -> None:
    # One mine a table: side by side, as the ledger puts them, they would overlap.
    table = position(1, mines={27: (x, 48), 28: (30, 48)}).do(PASS)
    assert table.phase == "SHOOT_SELECT"
    assert table.offered("TARGET") == ({17, 18} if offered else {18})


def test_e09_varras_may_lose_in_the_zone_by_shooting() -> None:
    start: dict[str, Any] = {"varras": (78, 48), "mines": {27: (88, 48)}}
    table = position(1, **start).do(select(0), dest(6, 0))
    assert (table.at(0), table.phase) == ((84, 48), "SHOOT_SELECT")
    assert table.do(mine(27), dice=[4, 4, 3]).winner == "tyranids"
    assert position(1, **start).do(select(0), dest(6, 0), PASS).winner == "ultramarines"


def test_e10_a_mine_is_walked_round_not_into() -> None:
    table = position(1, mines={27: (17, 48)}).do(select(0))
    assert table.phase == "MOVE_PLAN"
    offered = table.offered("DEST")
    assert {(3, 0), (10, 0)} <= offered
    assert not {(4, 0), (12, 0)} & offered
    assert "CROSS" not in table.verbs()


@pytest.mark.parametrize(("dice", "inches"), [([2, 5], 5), ([1, 1], 1)])
def test_e11_crossing_takes_the_higher_die_for_the_whole_unit(dice: list[int], inches: int) -> None:
    table = position(2, squad={1: (60, 48), 2: (60, 45), 3: (60, 51), 4: (63, 47), 5: (63, 50)})
    table.do(select(1), CROSS, dice=dice)
    assert table.phase == "MOVE_PLAN"
    assert "CROSS" not in table.verbs()
    lengths = {dx * dx + dy * dy for dx, dy in table.offered("DEST")}
    assert max(lengths) == (2 * inches) ** 2
    table.do(PASS)
    assert table.phase == "MOVE_SELECT"
    assert not table.displaced(1)
    assert table.offered("SELECT") == {0}


def test_e12_the_flame_may_not_touch_a_friend() -> None:
    squad = {1: (46, 48), 2: (50, 48), 4: (42, 46), 5: (42, 50)}
    things: dict[str, Any] = {"markers": {0: (62, 48)}, "mines": {27: (60, 52), **far_mines([28])}}
    # Slot 3 in the way of both directions: no decision; mine 27 is the next to roll, in the Tyranid turn.
    table = position(2, squad={**squad, 3: (54, 48)}, **things).do(PASS, dice=[1, 1])
    assert (table.phase, table.active) == ("MINE_DIR", "tyranids")
    table = position(2, squad={**squad, 3: (50, 53)}, **things).do(PASS)
    assert table.phase == "FLAME"
    assert {0, 1} <= table.offered("DIR")


def test_e13_any_living_space_marine_may_be_the_casualty() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    table = position(2, squad=squad, mines={27: (58, 60)}, turn="tyranids", dice=[6, 3, 12, 4, 2, 3])
    # It drifts south to the first contact, at (58, 52): slots 3 (d2 5) and 1 (13) are covered, the others untouched.
    assert table.phase == "CASUALTY"
    assert table.seat == "ultramarines"
    assert table.offered("MODEL") == {1, 2, 3, 4, 5}
    table.do(model(5))
    assert table.dead() == {5}
    assert table.at(1)
    assert table.at(3)


@pytest.mark.parametrize(
    ("dead", "winner"), [((0, 4, 5), "nobody"), ((0, 1, 4, 5), "tyranids"), ((4, 5), "ultramarines")]
)
def test_e14_the_last_marker_burns(dead: tuple[int, ...], winner: str) -> None:
    squad = {slot: cell for slot, cell in {1: (46, 46), 2: (50, 48), 3: (46, 50)}.items() if slot not in dead}
    table = position(2, squad=squad, markers={0: (60, 48)}, mines={}, dead=dead).do(PASS)
    assert table.phase == "FLAME"
    table.do(direction(0), dice=[4])
    assert table.markers() == {}
    assert table.winner == winner
    assert not table.truncated
