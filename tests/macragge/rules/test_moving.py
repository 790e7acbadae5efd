"""Clauses B20..B29: how units move. `test_reach.py` holds the comparisons with the oracle."""

from __future__ import annotations

from inspect import unwrap
from typing import Any

import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.table import CROSS, PASS, Table, dest, model, position, select

from broodmind.envs.macragge.rules import moving

rounded = unwrap(moving.rounded)  # Python may not call a compiled kernel that is no entry

FORMATION = {1: (60, 40), 2: (60, 37), 3: (60, 43), 4: (63, 38), 5: (63, 42)}


def squad(mission: int = 2, **changes: Any) -> Table:
    """Return mission 2 with the squad in the open and nothing about."""
    return position(mission, **{"squad": FORMATION, "mines": {}, "markers": {0: (90, 10)}, **changes})


def cells(table: Table) -> dict[int, tuple[int, int] | None]:
    """Return where the squad stands."""
    return {slot: table.at(slot) for slot in range(1, 6)}


def plan(table: Table) -> dict[int, tuple[int, int]]:
    """Return where the plan puts the squad."""
    return {slot: table.planned(slot) for slot in range(1, 6)}


@pytest.mark.parametrize(("y", "offered"), [(46, True), (47, False)])
def test_mac_b20_two_inches_between_edges_are_coherent(y: int, offered: bool) -> None:
    # Slots 1 to 4 in a clump; slot 5 is edited to a gap of two inches from (60, 40), or a step more.
    clump = {1: (60, 40), 2: (60, 37), 3: (57, 38), 4: (63, 38), 5: (63, 41)}
    table = squad(squad=clump).do(select(1), dest(0, 0), model(5))
    planned = table.planned(5)
    assert ((60 - planned[0], y - planned[1]) in table.offered("DEST")) is offered


def test_mac_b20_the_unit_must_be_one_chain_not_pairs() -> None:
    # A row: 1 - 2 - 3 - 4 - 5, six steps apart each. Taking slot 3 out of the row would leave two pairs.
    row = {slot: (54 + 6 * slot, 40) for slot in range(1, 6)}
    table = squad(squad=row, wrecks={0: (6, 48)}).do(select(1), dest(0, 0))
    assert table.phase == "MOVE_EDIT"
    assert table.offered("MODEL") == {1, 5}
    table.do(model(5))
    offered = table.offered("DEST")
    assert (-6, 6) in offered  # beside slot 4
    assert all(min(oracle.d2((84 + dx, 40 + dy), cell) for cell in row.values()) <= 36 for dx, dy in offered)


def test_mac_b21_a_broken_unit_may_move_but_not_break_further() -> None:
    parts = {1: (60, 40), 2: (60, 37), 3: (74, 40), 4: (74, 37), 5: (77, 40)}
    table = squad(squad=parts, wrecks={0: (6, 48)}).do(select(1), dest(-4, 2))
    assert plan(table) == {slot: (x - 4, y + 2) for slot, (x, y) in parts.items()}
    table.do(model(1))
    assert oracle.components(plan(table)) == 2
    for dx, dy in table.offered("DEST"):
        x, y = table.planned(1)
        assert oracle.components({**plan(table), 1: (x + dx, y + dy)}) <= 2
    assert (4, 0) in table.offered("DEST")  # nearer to the others, and not from its fellow
    assert (-8, 0) not in table.offered("DEST")


def test_mac_b21_a_broken_unit_may_join_again() -> None:
    parts = {1: (60, 40), 2: (60, 37), 3: (69, 40), 4: (69, 37), 5: (72, 40)}
    table = squad(squad=parts, wrecks={0: (6, 48)}).do(select(1), dest(0, 0), model(1), dest(4, 0))
    assert oracle.components(plan(table)) == 1
    table.do(model(2))
    assert (-8, 0) not in table.offered("DEST")  # now that it is one chain, it may not be two again


def test_mac_b22_a_straight_move_of_six_inches_and_no_more() -> None:
    table = position(1, varras=(40, 45), mines={}).do(select(0))
    assert table.offered("DEST") == set(oracle.DEST_ORDER)


def test_mac_b22_the_way_round_counts_its_steps() -> None:
    # A wreck straight ahead: cells in its shadow cost 12 a step, 17 a diagonal, 27 a knight's move, out of 144.
    table = position(1, varras=(30, 24), mines={}).do(select(0))  # wreck W2 at (40, 24), r 4
    offered = table.offered("DEST")
    assert (5, 0) in offered
    assert not {(6, 0), (7, 0), (9, 0)} & offered  # its zone
    assert (10, 5) in offered  # in its shadow, but a path of 144 leads there
    assert (11, 4) not in offered
    assert {o for o in offered if o[0] >= 10 and abs(o[1]) < 5} == set()


def test_mac_b22_no_way_leads_over_the_table_edge() -> None:
    # A mine blocks the strip between Varras and the edge; to walk round it he would have to leave the table.
    table = position(1, varras=(1, 20), mines={27: (2, 26), 28: (6, 24)}).do(select(0))
    assert table.offered("DEST") == oracle.cells(table.record, 0, 6, False)
    assert (0, 12) not in table.offered("DEST")


def test_mac_b23_mines_block_with_seven_wrecks_with_25() -> None:
    table = position(1, varras=(30, 40), mines={27: (36, 40)}).do(select(0))
    offered = table.offered("DEST")
    assert (3, 0) in offered  # d2 9 from the mine
    assert not {(4, 0), (5, 1), (6, 2), (8, 0)} & offered  # d2 4, 2, 4, 4
    assert (6, 3) in offered
    table = position(1, varras=(47, 64), mines={}, markers={0: (90, 10)}).do(select(0))  # touching wreck W3
    assert (0, 1) in table.offered("DEST")
    assert (1, 0) not in table.offered("DEST")
    assert (0, 4) in table.offered("DEST")


def test_mac_b23_friends_and_markers_do_not_block_a_path() -> None:
    table = position(2, varras=(30, 48), squad={1: (34, 48), 2: (34, 50), 3: (34, 46), 4: (34, 52), 5: (34, 44)},
                     mines={}, markers={0: (36, 48), 1: (36, 50), 2: (36, 46)}).do(select(0))  # fmt: skip
    assert {(8, 0), (12, 0), (9, 2)} <= table.offered("DEST")
    assert not {(4, 0), (5, 0), (6, 0), (7, 0)} & table.offered("DEST")


def test_mac_b24_a_model_in_a_zone_may_leave_it_or_stay() -> None:
    # A mine that touches a model goes off, so only an edited record stands like this.
    table = position(1, varras=(30, 40), mines={27: (34, 40)})
    table.record["models"][27]["x"] = 32
    table.do(select(0))
    offered = table.offered("DEST")
    assert (0, 0) in offered
    assert {(-1, 0), (0, 2), (0, -2), (-12, 0)} <= offered
    assert not {(0, 1), (1, 2), (2, 2)} & offered  # still within the zone (d2 < 7): 5, 5, 4
    # The straight way to (2, 4) passes 4/sqrt(20) from the mine: nearer than its base. Round it, there is room.
    assert (1, 3) in offered
    assert offered == oracle.cells(table.record, 0, 6, False)


def test_mac_b25_no_destination_overlaps_anything() -> None:
    table = position(2, varras=(30, 48), squad={1: (34, 48), 2: (34, 50), 3: (34, 52), 4: (34, 54), 5: (34, 56)},
                     mines={}, markers={0: (30, 52)}).do(select(0))  # fmt: skip
    offered = table.offered("DEST")
    for dx, dy in oracle.DEST_ORDER:
        end = (30 + dx, 48 + dy)
        others = [(34, 48), (34, 50), (34, 52), (34, 54), (34, 56), (30, 52)]
        assert ((dx, dy) in offered) == (all(oracle.d2(end, other) >= 4 for other in others)), (dx, dy)


def test_mac_b25_touching_a_wreck_or_marker_is_allowed() -> None:
    table = position(1, varras=(40, 34), mines={}, markers={0: (46, 34)}).do(select(0))
    assert (4, 0) in table.offered("DEST")  # d2 4 from the marker
    assert (5, 0) not in table.offered("DEST")
    assert (0, -5) in table.offered("DEST")  # d2 25 from W2 (40, 24)
    assert (0, -6) not in table.offered("DEST")


def test_mac_b26_cross_rolls_the_higher_of_two_dice() -> None:
    near = {1: (60, 64), 2: (60, 61), 3: (60, 67), 4: (63, 63), 5: (63, 66)}  # wreck W3 (52, 64)
    table = squad(squad=near).do(select(1), CROSS, dice=[4, 2])
    assert table.rolls() == [4, 2]
    assert "CROSS" not in table.verbs()
    assert max(dx * dx + dy * dy for dx, dy in table.offered("DEST")) == 64
    assert (-8, 0) in table.offered("DEST")  # slot 1 onto the wreck
    table.do(dest(-8, 0))
    assert table.planned(1) == (52, 64)
    assert table.do(PASS).at(1) == (52, 64)


def test_mac_b26_without_cross_a_model_on_a_wreck_stays() -> None:
    on_wreck = {1: (52, 64), 2: (58, 64), 3: (58, 61), 4: (58, 67), 5: (61, 64)}
    table = squad(squad=on_wreck).do(select(1), dest(3, 0))
    assert table.planned(1) == (52, 64)
    assert 1 not in table.offered("MODEL")
    table = squad(squad=on_wreck).do(select(1), CROSS, dice=[2, 1])
    table.do(dest(3, 0))
    assert plan(table) == {slot: (x + 3, y) for slot, (x, y) in on_wreck.items()}


@pytest.mark.parametrize(("x", "offered"), [(69, True), (70, False)])
def test_mac_b26_cross_is_offered_within_the_move_of_a_wreck(x: int, offered: bool) -> None:
    # W3 (52, 64), r 4: six inches between the edges are d2 (12 + 5)^2 = 289.
    line = {slot: (x + 3 * (slot - 1), 64) for slot in range(1, 6)}
    table = squad(squad=line).do(select(1))
    assert ("CROSS" in table.verbs()) is offered


def test_mac_b26_varras_crosses_in_mission_2_alone() -> None:
    table = position(2, varras=(30, 24), mines={}).do(select(0))
    table.do(CROSS, dice=[5, 6])
    assert {(10, 0), (12, 0)} <= table.offered("DEST")
    table.do(dest(10, 0))
    assert table.at(0) == (40, 24)
    table = position(1, varras=(30, 24), mines={}).do(select(0))
    assert "CROSS" not in table.verbs()


def test_mac_b27_a_march_moves_all_by_the_same_offset() -> None:
    table = squad().do(select(1), dest(-7, 5))
    assert plan(table) == {slot: (x - 7, y + 5) for slot, (x, y) in FORMATION.items()}


def test_mac_b27_a_march_gives_way_to_what_is_in_the_way() -> None:
    table = squad(mines={27: (72, 40)})
    table.do(select(1))
    may = {slot: oracle.cells(table.record, slot, 6, False) for slot in range(1, 6)}
    assert (12, 0) in table.offered("DEST")  # slots 1, 2, 3 could
    table.do(dest(12, 0))
    assert plan(table) == oracle.march(FORMATION, may, (12, 0))
    assert oracle.components(plan(table)) == 1
    assert all(oracle.d2(cell, (72, 40)) >= 7 for cell in plan(table).values())


def test_mac_b27_every_offset_that_one_model_can_take_is_offered() -> None:
    table = squad(mines={27: (72, 40)}).do(select(1))
    may = [oracle.cells(table.record, slot, 6, False) for slot in range(1, 6)]
    assert table.offered("DEST") == set().union(*may)
    assert any(not all(o in cells for cells in may) for o in table.offered("DEST"))


def test_mac_b27_twelfths_round_halves_away_from_zero() -> None:
    for value in range(-12, 13):
        for m in range(1, 13):
            assert rounded(value, m) == oracle.twelfths(value, m)
    assert (rounded(6, 1), rounded(-6, 1), rounded(2, 3), rounded(-2, 9)) == (1, -1, 1, -2)


def test_mac_b28_each_model_is_edited_once_and_pass_executes() -> None:
    table = squad().do(select(1), dest(0, 4), model(3))
    assert table.phase == "MOVE_CELL"
    assert table.verbs() == {"DEST"}
    assert (0, 0) in table.offered("DEST")
    table.do(dest(1, 1))
    assert table.phase == "MOVE_EDIT"
    assert table.offered("MODEL") == {1, 2, 4, 5}
    assert cells(table) == FORMATION  # nothing has moved yet
    table.do(PASS)
    assert cells(table) == {**{slot: (x, y + 4) for slot, (x, y) in FORMATION.items()}, 3: (61, 48)}


def test_mac_b28_an_edit_reaches_from_the_start_not_from_the_plan() -> None:
    table = squad().do(select(1), dest(10, 0), model(1))  # planned (70, 40), begun at (60, 40)
    for dx, dy in table.offered("DEST"):
        assert (10 + dx) ** 2 + dy**2 <= 144
    assert (2, 0) in table.offered("DEST")
    assert (3, 0) not in table.offered("DEST")


def test_mac_b28_edits_keep_clear_of_the_plan() -> None:
    table = squad().do(select(1), dest(0, 0), model(1))
    assert (0, 2) not in table.offered("DEST")  # (60, 42): one step from slot 3's (60, 43)
    assert (0, 1) in table.offered("DEST")  # d2 4


def test_mac_b29_a_unit_moves_once_a_turn() -> None:
    table = position(2, mines={27: (60, 8)}, markers={0: (10, 10)}).do(select(0), dest(1, 0))
    assert table.offered("SELECT") == {1}
    reason = table.env.explain_action(select(0))
    assert reason is not None
    assert reason.clause == "MAC-B29"
    table.do(select(1), PASS, dice=[1, 1])  # all have moved: the turn goes on by itself
    assert table.active == "tyranids"


def test_mac_b29_staying_is_not_moving() -> None:
    table = squad().do(select(1), dest(0, 0), PASS)
    assert not table.displaced(1)
    table = squad().do(select(1), dest(0, 0), model(5), dest(0, 1), PASS)
    assert table.displaced(1)
    assert "moved" in table.event_kinds()


def test_mac_b29_a_new_turn_lets_all_move_again() -> None:
    table = position(1, mines={}).do(select(0), dest(1, 0), PASS)
    assert (table.active, table.turn) == ("ultramarines", 2)
    assert table.offered("SELECT") == {0}
