"""Clauses M1.1..M1.8 and M2.1..M2.6, the profiles and the conflicts that missions 1 and 2 meet."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.table import (
    CROSS,
    PASS,
    Table,
    dest,
    direction,
    far_mines,
    marker,
    mine,
    model,
    position,
    select,
)

from broodmind.envs.macragge import state as st

# -- mission 1 -----------------------------------------------------------------------------------------------------


def test_mac_m1_1_varras_alone_begins_against_mines(crash_site: Table) -> None:
    assert (crash_site.seat, crash_site.turn) == ("ultramarines", 1)
    assert crash_site.offered("SELECT") == {0}
    status = crash_site.record["models"]["status"]
    assert [slot for slot in range(st.MODELS) if status[slot] == st.STATUS_TABLE] == [0, 27, 28, 29]
    kinds = crash_site.record["pieces"]["kind"].tolist()
    assert kinds == [st.PIECE_WRECK] * 5 + [st.PIECE_MARKER] * 3 + [st.PIECE_NONE] * 6
    assert crash_site.record["models"]["mine_type"][27:35].tolist() == [st.MINE_EXPLOSIVE] * 8


def test_mac_m1_2_the_exit_zone_is_six_by_twelve_inches_36_away(crash_site: Table) -> None:
    west, south, east, north = (int(value) for value in crash_site.record["exit_rect"])
    assert (east, east - west, north - south) == (96, 12, 24)
    x, _ = crash_site.at(0) or (0, 0)
    assert west - (x + 1) >= 72


@pytest.mark.parametrize(
    ("end", "wins"),
    [
        ((84, 48), True),
        ((83, 48), False),
        ((84, 36), True),
        ((84, 60), True),
        ((84, 35), False),
        ((90, 61), False),
    ],
)
def test_mac_m1_3_the_centre_in_the_zone_wins_edges_included(end: tuple[int, int], wins: bool) -> None:
    x, y = end
    table = position(1, varras=(x - 4, y), mines={}).do(select(0), dest(4, 0))
    assert table.at(0) == end
    assert table.winner == ("ultramarines" if wins else "")


def test_mac_m1_3_varras_death_wins_for_the_tyranids_at_once() -> None:
    table = position(1, mines={27: (30, 48), 28: (60, 8)}, varras=(26, 48)).do(PASS)
    assert table.do(mine(27), dice=[4, 4, 3]).winner == "tyranids"
    assert table.turn == 1


def test_mac_m1_4_varras_moves_six_inches_round_wrecks_and_mines() -> None:
    table = position(1, varras=(30, 24), mines={27: (24, 24)}).do(select(0))
    assert "CROSS" not in table.verbs()
    assert table.offered("DEST") == oracle.cells(table.record, 0, 6, False)
    assert not {(10, 0), (-6, 0), (-4, 0)} & table.offered("DEST")


def test_mac_m1_5_one_optional_shot_at_a_mine() -> None:
    table = position(1, mines={27: (30, 48), 28: (30, 56)}).do(PASS)
    assert table.phase == "SHOOT_SELECT"
    assert table.verbs() == {"TARGET", "PASS"}
    assert table.offered("TARGET") == {17, 18}
    table.do(mine(28), dice=[4, 4, 1, 1])  # gone; and no second shot: the Tyranid turn has begun
    assert (table.active, table.mines()) == ("tyranids", {27: (30, 48)})
    table = position(1, mines={27: (30, 48)}).do(PASS).do(PASS, dice=[1, 1])
    assert table.active == "tyranids"


@pytest.mark.parametrize(
    ("x", "dice", "dies"),
    [(34, [3], True), (34, [2], False), (35, [4, 3], True), (35, [4, 2], False), (35, [3], False)],
)
def test_mac_m1_6_the_explosion_kills_varras_on_3_without_a_save(x: int, dice: list[int], dies: bool) -> None:
    table = position(1, varras=(30, 48), mines={27: (x, 48)}).do(PASS).do(mine(27), dice=[4, 4, *dice])
    assert table.winner == ("tyranids" if dies else "")


@pytest.mark.parametrize(("die", "explodes"), [(3, False), (4, True)])
def test_mac_m1_6_other_mines_that_are_hit_explode_on_4(die: int, explodes: bool) -> None:
    table = position(1, mines={27: (30, 48), 28: (33, 48)}).do(PASS)
    table.do(mine(27), dice=[4, 4, die, *([] if explodes else [1, 1])])
    assert (28 in table.mines()) is not explodes


def test_mac_m1_7_one_mine_may_come_back_at_a_marker_each_turn() -> None:
    table = position(1, mines={}, turn="tyranids")
    assert (table.phase, table.seat) == ("SPAWN", "tyranids")
    assert table.verbs() == {"TARGET", "PASS"}
    assert table.offered("TARGET") == {25, 26, 27}
    table.do(marker(1))
    assert len(table.mines()) == 1
    assert (table.active, table.turn) == ("ultramarines", 2)
    (cell,) = table.mines().values()
    assert oracle.d2(cell, table.markers()[1]) in (4, 5)


def test_mac_m1_7_a_mine_lost_this_turn_may_come_back_in_it() -> None:
    mines = {**far_mines(range(28, 35)), 27: (20, 48)}
    table = position(1, mines=mines, turn="tyranids", dice=[6, 5, 8, 2, *[1, 3, 4] * 7])
    assert table.phase == "SPAWN"
    assert 27 not in table.mines()
    table.do(marker(0))
    assert 27 in table.mines()


def test_mac_m1_7_with_eight_mines_out_nothing_comes_back() -> None:
    table = position(1, mines=far_mines(range(27, 35)), turn="tyranids", dice=[1, 3, 4] * 8)
    assert (table.active, table.turn) == ("ultramarines", 2)
    assert len(table.mines()) == 8


def test_mac_m1_7_the_tyranids_may_decline() -> None:
    table = position(1, mines={}, turn="tyranids").do(PASS)
    assert table.mines() == {}
    assert table.active == "ultramarines"


def test_mac_m1_7_markers_cannot_be_harmed_in_mission_1() -> None:
    # A marker two steps from the blast: nothing is rolled for it.
    table = position(1, mines={27: (30, 48)}, markers={0: (32, 48)}).do(PASS)
    table.do(mine(27), dice=[4, 4])
    assert table.markers() == {0: (32, 48)}


@pytest.mark.parametrize(("mission", "limit"), [(1, 30), (2, 40)])
def test_mac_m1_8_the_turn_limit_truncates_without_a_winner(mission: int, limit: int) -> None:
    table = position(mission, mines={}, round_=limit)
    assert int(table.record["core"]["max_turns"]) == limit
    table.pass_turn()
    assert (table.phase, table.over) == ("SPAWN", False)
    table.do(PASS)
    assert (table.over, table.truncated, table.winner) == (True, True, "nobody")
    assert not position(mission, mines={}, round_=limit - 1, turn="tyranids").do(PASS).over


def test_mac_m1_8_a_win_in_the_last_turn_is_a_win() -> None:
    table = position(1, varras=(80, 48), mines={}, round_=30).do(select(0), dest(4, 0))
    assert (table.winner, table.truncated) == ("ultramarines", False)


# -- mission 2 -----------------------------------------------------------------------------------------------------

LINE = {1: (44, 48), 2: (50, 48), 3: (38, 48), 4: (44, 44), 5: (44, 52)}


def test_mac_m2_1_the_squad_starts_in_the_zone_varras_at_the_cockpit(rescue: Table) -> None:
    west, south, east, north = (int(value) for value in rescue.record["exit_rect"])
    assert (west, south, east, north) == (84, 36, 96, 60)
    for slot in range(1, 6):
        x, y = rescue.at(slot) or (0, 0)
        assert west <= x - 1
        assert x + 1 <= east
        assert south <= y - 1
        assert y + 1 <= north
    varras = rescue.at(0) or (0, 0)
    assert oracle.d2(varras, (6, 48)) <= 29 * 29
    assert sorted(rescue.mines()) == [27, 28, 29, 30]
    assert oracle.d2(varras, rescue.mines()[30]) == 16  # an inch between the edges
    assert (rescue.seat, rescue.turn) == ("ultramarines", 1)


def test_mac_m2_2_varras_and_the_squad_move_in_either_order(rescue: Table) -> None:
    assert rescue.offered("SELECT") == {0, 1}
    rescue.do(select(1), dest(-4, 0), PASS)
    assert rescue.offered("SELECT") == {0}
    other = position(2).do(select(0), dest(-1, 0))
    assert other.offered("SELECT") == {1}


def test_mac_m2_2_each_unit_crosses_for_itself() -> None:
    table = position(2, varras=(46, 58), squad={1: (60, 64), 2: (60, 61), 3: (60, 67), 4: (63, 63), 5: (63, 66)},
                     mines={}, markers={0: (90, 10)})  # fmt: skip
    table.do(select(1), CROSS, dice=[1, 1]).do(PASS)
    table.do(select(0))
    assert "CROSS" in table.verbs()
    assert max(dx * dx + dy * dy for dx, dy in table.offered("DEST")) == 144


def burn(die: int, **changes: Any) -> Table:
    """Return mission 2 after the flamer fired east at the last marker."""
    table = position(2, **{"squad": LINE, "mines": {}, "markers": {0: (60, 48)}, **changes})
    table.do(PASS)
    return table.do(direction(0), dice=[die])


def test_mac_m2_3_all_markers_gone_with_varras_alive_wins() -> None:
    assert burn(4).winner == "ultramarines"
    assert burn(3).winner == ""


def test_mac_m2_3_all_space_marines_dead_goes_on_while_varras_lives() -> None:
    table = position(2, dead=(1, 2, 3, 4, 5), mines={27: (60, 8)}, turn="tyranids", dice=[1, 1])
    table.do(direction(0), PASS)
    assert not table.over
    assert table.offered("SELECT") == {0}


@pytest.mark.parametrize(("dead", "winner"), [((3, 4), ""), ((3, 4, 5), "tyranids"), ((), "")])
def test_mac_m2_3_varras_and_three_space_marines_dead_loses(dead: tuple[int, ...], winner: str) -> None:
    # Varras dies in the Tyranid turn; the game is decided when it ends.
    table = position(2, dead=dead, mines={27: (22, 48), **far_mines([28])}, markers={0: (10, 10)})
    table.pass_turn(dice=[6, 3, 8, 3, 1, 1])
    assert table.at(0) is None
    assert not table.over
    assert table.do(direction(0), PASS).winner == winner


def test_mac_m2_3_a_fire_that_also_kills_varras_is_a_draw() -> None:
    # The marker burns, but the mine behind it goes off too and kills Varras.
    things: dict[str, Any] = {"varras": (68, 52), "mines": {27: (66, 48)}}
    table = position(2, squad=LINE, markers={0: (60, 48)}, **things).do(PASS)
    table.do(direction(0), dice=[4, 4, 4, 3])
    assert table.at(0) is None
    assert table.markers() == {}
    assert table.winner == "nobody"


def test_mac_m2_4_the_flame_burns_markers_and_mines_on_4() -> None:
    things: dict[str, Any] = {"markers": {0: (60, 48), 1: (90, 10)}, "mines": {27: (64, 48)}}
    table = position(2, squad=LINE, **things).do(PASS)
    table.do(direction(0), dice=[4, 4])
    assert table.mines() == {}
    assert table.markers() == {1: (90, 10)}
    table = position(2, squad=LINE, **things).do(PASS).do(direction(0), dice=[3, 3, 1, 1])
    assert table.mines() == {27: (64, 48)}
    assert len(table.markers()) == 2


def test_mac_m2_4_a_unit_that_moved_may_fire() -> None:
    table = position(2, squad=LINE, mines={}, markers={0: (70, 48), 1: (90, 10)})
    table.do(select(1), dest(8, 0), PASS, PASS)
    assert table.phase == "FLAME"
    assert table.do(direction(0), dice=[4]).markers() == {1: (90, 10)}


def test_mac_m2_5_space_marines_are_wounded_on_4_and_save_on_3() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    start: dict[str, Any] = {"squad": squad, "mines": {27: (58, 60), **far_mines([28])}, "turn": "tyranids"}
    drifts = [6, 3, 12]
    assert position(2, **start, dice=[*drifts, 3, 3, 1, 1]).phase == "MINE_DIR"
    assert position(2, **start, dice=[*drifts, 4, 3, 3, 1, 1]).phase == "MINE_DIR"
    assert position(2, **start, dice=[*drifts, 4, 2, 3]).phase == "CASUALTY"


def test_mac_m2_5_partly_covered_space_marines_are_hit_on_4() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (60, 46), 5: (66, 51), 2: (66, 45)}  # slot 4: d2 40 from (58, 52)
    squad[4] = (62, 48)  # d2 32: partly covered
    start: dict[str, Any] = {"squad": squad, "mines": {27: (58, 60), **far_mines([28])}, "turn": "tyranids"}
    drifts = [6, 3, 12]
    assert position(2, **start, dice=[*drifts, 3, 3, 3, 1, 1]).dead() == set()
    table = position(2, **start, dice=[*drifts, 3, 3, 4, 4, 2])
    assert table.phase == "CASUALTY"
    assert table.do(model(4), dice=[1, 1]).dead() == {4}


def test_mac_m2_5_explosions_do_not_hurt_markers() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    markers = {0: (56, 55)}
    table = position(
        2, squad=squad, mines={27: (58, 60)}, markers=markers, turn="tyranids", dice=[6, 3, 12, 3, 3]
    )
    assert table.markers() == markers


def test_mac_m2_6_one_mine_a_turn_comes_back_never_above_eight() -> None:
    table = position(2, mines={}, turn="tyranids").do(marker(2))
    assert len(table.mines()) == 1
    assert table.active == "ultramarines"
    table = position(2, mines=far_mines(range(27, 35)), turn="tyranids", dice=[1, 3, 4] * 8)
    assert (table.active, table.turn, len(table.mines())) == ("ultramarines", 2, 8)


def test_mac_m2_6_a_burnt_marker_returns_nothing() -> None:
    table = burn(4, markers={0: (60, 48), 1: (90, 10)})
    assert table.phase == "SPAWN"
    assert table.offered("TARGET") == {26}


# -- profiles ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def profiles() -> Any:
    return tomllib.loads((files("broodmind.envs.macragge") / "data" / "profiles.toml").read_text("utf-8"))


def test_mac_2_1_to_hit(profiles: Any) -> None:
    expected = {"varras": 4, "octavian": 3, "bolter": 3, "missile": 3, "termagant": 4}
    assert profiles["shooting"] == expected
    assert position(1, mines={27: (30, 48)}).do(PASS).do(mine(27), dice=[4, 4]).mines() == {}


def test_mac_2_2_to_wound(profiles: Any) -> None:
    table = {
        "bolt": {"termagant": 3, "genestealer": 4, "mine": 4, "marker": 4, "node": 6},
        "frag": {"termagant": 3, "genestealer": 4, "mine": 4, "marker": 4},
        "krak": {"termagant": 3, "genestealer": 4, "mine": 4, "marker": 4, "node": 3},
        "flame": {"termagant": 3, "genestealer": 4, "mine": 4, "marker": 4},
    }
    assert profiles["wound"] == table


def test_mac_2_3_explosive_mines_against_ultramarines(profiles: Any, lookup: Any) -> None:
    expected = {"partial": 4, "kills_varras": 3, "wounds_space_marine": 4, "explodes_mine": 4}
    assert profiles["explosive_mine"] == expected
    assert profiles["save"]["space_marine"] == 3
    assert (int(lookup["blast_partial"]), int(lookup["blast_varras"])) == (4, 3)
    assert (int(lookup["blast_space_marine"]), int(lookup["save_space_marine"])) == (4, 3)


def test_mac_c6_explosive_mines_go_by_covered_and_partial_here() -> None:
    # In mission 6 a touched model is hit without a roll; in missions 1 and 2 it is on 4+.
    table = position(1, varras=(30, 48), mines={27: (36, 48)}).do(PASS)
    assert table.do(mine(27), dice=[4, 4, 3]).winner == ""


def test_mac_c7_varras_fires_one_shot_in_mission_1_even_standing() -> None:
    table = position(1, mines={27: (30, 48), 28: (30, 56)}).do(PASS)
    table.do(mine(27), dice=[1, 1, 1])
    assert (table.active, table.phase) == ("tyranids", "MINE_DIR")
