"""Moves, jumps, runs and skills of movement (OVK-M01 to M12, D07, D08, D11, D13, D14; edge cases of section 6)."""

from __future__ import annotations

import pytest
from overkill.rules.table import (
    END,
    STEPS,
    T,
    ability,
    distances,
    far_from,
    jump_only,
    kind,
    marine,
    pair,
    point,
    position,
    profile,
    zone,
)

from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st

A_PAIR = pair(1, st.ASSAULT, adjacent=True, section=True)


def test_e17_an_enemy_in_the_zone_bars_the_way() -> None:
    table = position(at="DMOVE", marines={"donatus": 0}, cult={"familiar": [0]})
    assert table.do(marine("donatus")).offered("ZONE") == set()
    table = position(at="DATT", marines={"donatus": 0}, cult={"familiar": [0]}).do(marine("donatus"))
    assert table.offered("PROFILE")
    assert table.offered("ZONE") == set()


def test_e18_the_way_is_free_once_the_enemy_is_slain() -> None:
    marines = {"donatus": 0, "cassius": 0}
    table = position(at="DATT", marines=marines, cult={"familiar": [0]})
    table.shoot("cassius", 0, 0, "familiar", dice=[3, 1, 1])
    assert table.do(marine("donatus")).offered("ZONE")


def test_e19_a_zone_with_enemies_ends_the_way() -> None:
    # 8, 9, 10 of mission 1 lie in a row, and 10 has no other neighbour.
    assert distances(1, 8)[10] == 2
    table = position(at="DMOVE", marines={"suberei": 8}, cult={"autogun": [9]})
    offered = table.do(marine("suberei")).offered("ZONE")
    assert 9 in offered
    assert 10 not in offered


def test_e20_a_full_zone_takes_nobody() -> None:
    five = dict.fromkeys(["cassius", "grytt", "gydrael", "donatus", "redblade"], 1)
    table = position(at="CMOVE", marines=five, cult={"autogun": [0]})
    assert 1 not in table.do(zone(0), kind("autogun")).offered("ZONE")
    table = position(at="LAUNCH", marines=five, laid={0: 0})
    table.do(point(0))
    assert table.count("autogun") + table.count("autopistol") == 0
    assert 0 in table.cards(st.CARD_DISCARD)


def test_e21_the_bike_fills_a_small_zone() -> None:
    assert T["capacity"][1, 11] == 20
    table = position(at="DMOVE", marines={"suberei": 9, "grytt": 20}, cult={"autogun": [13]})
    table.do(marine("suberei"), zone(11), END)
    assert 11 not in table.do(zone(13), kind("autogun")).offered("ZONE")


def test_e22_models_without_room_are_not_placed() -> None:
    four = dict.fromkeys(["cassius", "grytt", "gydrael", "donatus"], 1)
    table = position(at="LAUNCH", marines=four, laid={0: 4}).do(point(0))
    assert table.count("autogun") == 1


@pytest.mark.parametrize(("die", "kills"), [(1, 1), (2, 0)])
def test_e23_a_jump_may_go_wrong(die: int, kills: int) -> None:
    a, b = jump_only(1, 2)
    table = position(at="CMOVE", marines={"grytt": far_from(1, a)}, cult={"autogun": [a]})
    table.do(zone(a), kind("autogun"), zone(b), dice=[die])
    assert table.number("kills") == kills
    assert table.count("autogun", b) == 1 - kills
    assert table.stage != "CMOVE"


def test_e24_a_jump_is_the_last_move() -> None:
    # From 4 a move leads to 2 or 8; 8 jumps to 11 and 13; behind 11 nothing may be reached by a further move.
    table = position(at="DMOVE", marines={"redblade": 2})
    offered = table.do(marine("redblade")).offered("ZONE")
    near = distances(1, 2)
    jumps = {
        b for z, moves in near.items() if moves <= 1 for b in range(31) if T["jump"][1, z, b] and near[b] > 2
    }
    assert jumps
    assert offered == {z for z, moves in near.items() if 0 < moves <= 2} | jumps


def test_e25_a_jump_pack_rolls_no_die() -> None:
    a, b = jump_only(1, 3)
    table = position(at="DMOVE", marines={"setorax": a, "grytt": a}).do(marine("setorax"), zone(b))
    assert table.zone_of("setorax") == b
    assert table.offered("ZONE") == set()


def test_e26_the_bike_never_jumps() -> None:
    a, _ = jump_only(3, 3)
    table = position(3, "DMOVE", marines={"suberei": a, "grytt": a}).do(marine("suberei"))
    assert table.offered("ZONE") == {z for z, moves in distances(3, a).items() if 0 < moves <= 4}


def test_e27_the_skull_lies_where_its_carrier_dies_jumping() -> None:
    a, b = jump_only(3, 2)
    table = position(
        3,
        "DMOVE",
        marines={"donatus": a, "grytt": a},
        wounded=["donatus"],
        carrier="Vael Donatus",
        skull_zone=-1,
    )
    table.do(marine("donatus"), zone(b), dice=[1])
    assert table.slain("donatus")
    assert table.number("skull_zone") == b


def test_e28_purestrains_run_and_then_attack() -> None:
    a, b = A_PAIR
    table = position(marines={"donatus": b, "grytt": 20}, cult={"purestrain": [a]})
    table.do(zone(a), kind("purestrain"), zone(b))
    assert table.stage == "CATT"
    assert table.strike(b, "purestrain", "donatus", [4, 4, 1]).slain("donatus")


def test_e29_purestrains_that_attacked_are_finished() -> None:
    table = position(marines={"donatus": 0, "grytt": 20}, cult={"purestrain": [0], "autogun": [5]})
    table.strike(0, "purestrain", "donatus", [1, 1, 1])
    assert 0 not in table.offered("ZONE")


def test_ovk_m01_a_picked_marine_is_finished_when_the_next_is_picked() -> None:
    table = position(at="DMOVE", marines={"donatus": 0, "grytt": 5}).do(marine("donatus"), END)
    assert table.offered("MARINE") == {st.GRYTT}


def test_ovk_m02_moves_go_to_adjacent_zones_up_to_the_speed() -> None:
    table = position(at="DMOVE", marines={"branatar": 0, "grytt": 20}).do(marine("branatar"))
    assert table.offered("ZONE") == {z for z, moves in distances(1, 0).items() if moves == 1}


def test_ovk_m03_a_zone_with_enemies_may_be_entered() -> None:
    a, b = A_PAIR
    assert b in position(at="DMOVE", marines={"donatus": a}, cult={"autogun": [b]}).do(
        marine("donatus")
    ).offered("ZONE")


def test_ovk_m04_nobody_runs_away_from_an_enemy() -> None:
    table = position(marines={"donatus": 0, "grytt": 20}, cult={"autogun": [0]}).do(zone(0), kind("autogun"))
    assert table.offered("ZONE") == set()


def test_ovk_m05_placements_are_not_barred() -> None:
    marines = {"branatar": 0, "donatus": 20}
    table = position(at="DMOVE", marines=marines, cult={"autogun": [0]}, homer="Vael Donatus")
    table.do(marine("branatar"), ability(act.TELEPORT))
    assert table.zone_of("branatar") == 20


def test_ovk_m06_an_adjacent_zone_is_moved_to_not_jumped_to() -> None:
    a, b = A_PAIR
    assert not T["jump"][1, a, b]
    assert position(at="DMOVE", marines={"donatus": a}).do(marine("donatus"), zone(b)).zone_of("donatus") == b


def test_ovk_m07_no_save_against_a_jump() -> None:
    a, b = jump_only(1, 2)
    table = position(at="DMOVE", marines={"cassius": a}).do(marine("cassius"), zone(b), dice=[1])
    assert table.wounds("cassius") == 1


def test_ovk_m08_no_move_after_a_jump() -> None:
    a, b = jump_only(1, 3)
    table = position(at="DMOVE", marines={"delassio": a, "grytt": a}).do(marine("delassio"), zone(b))
    assert table.stage == "DMOVE"


def test_ovk_m09_a_jump_passes_over_anything() -> None:
    # 5 and 19 lie on two sections with zones between them.
    assert T["jump"][1, 5, 19]
    assert T["section"][1, 5] != T["section"][1, 19]


def test_ovk_m10_what_moves_reach_is_not_jumped_to() -> None:
    a, b = next(
        (a, b) for a in range(31) for b in range(31) if T["jump"][1, a, b] and distances(1, a)[b] == 2
    )
    table = position(at="DMOVE", marines={"donatus": a}).do(marine("donatus"), zone(b))
    assert table.zone_of("donatus") == b


def test_ovk_m11_an_exit_is_one_further_move() -> None:
    gate = int(T["exit_zone"][4])
    far = next(z for z, moves in distances(4, gate).items() if moves == 2)
    near = next(z for z, moves in distances(4, gate).items() if moves == 1)
    marines = {"donatus": near, "grytt": far}
    table = position(4, "DMOVE", marines=marines).do(marine("grytt"))
    assert act.EXIT not in table.offered("ABILITY")
    table = position(4, "DMOVE", marines=marines).do(marine("donatus"), ability(act.EXIT))
    assert table.number("exited") == 1
    table = position(4, "DMOVE", marines=marines, cult={"autogun": [gate]}).do(marine("donatus"))
    assert act.EXIT not in table.offered("ABILITY")


def test_ovk_m12_the_cult_moves_before_it_launches() -> None:
    table = position(at="CMOVE", marines={"donatus": 20}, cult={"autogun": [0]}, laid={0: 4})
    assert table.offered("POINT") == set()
    assert table.do(END).stage == "LAUNCH"
    assert STEPS["LAUNCH"][1] == STEPS["CMOVE"][1]


def test_ovk_d07_a_jump_pack_is_barred_too() -> None:
    a, _ = jump_only(1, 3)
    table = position(at="DMOVE", marines={"setorax": a, "grytt": 0}, cult={"autogun": [a]}).do(
        marine("setorax")
    )
    assert table.offered("ZONE") == set()


def test_ovk_d11_suberei_has_one_card_turned_up() -> None:
    table = position(at="DMOVE", marines={"suberei": 0, "grytt": 5}, laid={0: 4, 1: 5, 9: 6})
    table.do(marine("suberei"))
    assert table.offered("POINT") == {
        a for a in (0, 1, 9) if T["band"][1, 0, T["point_zone"][1, a]] <= st.MAXIMUM
    }
    table.do(point(0))
    assert table.record["point_marks"][0] & st.TURNED_UP
    assert table.offered("POINT") == set()
    assert table.offered("ZONE")


def test_ovk_d13_the_teleport_is_the_whole_movement_and_needs_the_carrier() -> None:
    marines = {"branatar": 0, "donatus": 20}
    table = position(at="DMOVE", marines=marines, homer="Vael Donatus")
    assert table.do(marine("branatar"), ability(act.TELEPORT)).stage == "DMOVE"
    assert table.number("teleported") == 1
    gone = {"branatar": 0, "donatus": "slain"}
    table = position(at="DMOVE", marines=gone, homer="Vael Donatus").do(marine("branatar"))
    assert act.TELEPORT not in table.offered("ABILITY")


@pytest.mark.parametrize(("die", "wounds"), [(1, 1), (2, 0)])
def test_ovk_d14_a_psychic_power_has_its_peril(die: int, wounds: int) -> None:
    table = position(at="DMOVE", marines={"natorian": 0}).do(marine("natorian"))
    before = table.offered("ZONE")
    table.do(ability(act.QUICKEN), dice=[die])
    assert table.wounds("natorian") == wounds
    assert table.offered("ZONE") > before
    assert table.offered("ABILITY") == set()


def test_ovk_d08_smoke_stays_in_the_zone_he_leaves() -> None:
    table = position(at="DMOVE", marines={"setorax": 0, "grytt": 5})
    table.do(marine("setorax"), ability(act.SMOKE), zone(1))
    assert table.number("smoke_zone") == 0
    table = position(at="DMOVE", marines={"setorax": 0, "grytt": 5})
    table.do(marine("setorax"), zone(1), ability(act.SMOKE))
    assert table.number("smoke_zone") == 1


def test_ovk_a13_marines_run_in_the_second_attack_too() -> None:
    table = position(at="DATT2", marines={"donatus": 0}).do(marine("donatus"))
    assert table.offered("ZONE") == {1, 3}
    assert profile(0) not in table.env.legal_actions()
