"""The nine missions and the campaign (OVK-M1.1 to M9.6, C01 to C08; edge cases of section 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
from overkill.rules.table import (
    END,
    T,
    Table,
    ability,
    card,
    fresh,
    marine,
    pair,
    point,
    position,
    profile,
    set_up,
    to_turn,
    zone,
    zones_of,
)

from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st

CELLS = [int(z) for z in np.flatnonzero(T["is_cell"][2])]
LIFT = [int(z) for z in np.flatnonzero(T["is_lift"][5])]
SILO = [int(z) for z in np.flatnonzero(T["silo"][6])]
GATE = {m: int(T["exit_zone"][m]) for m in range(1, 10)}


# -- mission 1 -------------------------------------------------------------------------------------


def test_ovk_m1_1_two_slain_marines_lose() -> None:
    marines = {"donatus": 0, "grytt": "slain", "cassius": 5}
    table = position(marines=marines, cult={"purestrain": [0]})
    assert table.strike(0, "purestrain", "donatus", [4, 4, 1]).winner == "cult"


def test_ovk_m1_2_four_marines_in_two_muster_zones() -> None:
    table = fresh(1)
    assert table.offered("MARINE") == set(range(11))
    table.do(marine("suberei"), marine("branatar"), marine("cassius"), marine("grytt"))
    assert table.stage == "HOMER"
    table.do(marine("cassius"))
    for _ in range(4):
        assert table.offered("ZONE") <= set(map(int, np.flatnonzero(T["is_muster"][1])))
        table.do(zone(min(table.offered("ZONE"))))
    assert table.stage == "BROOD"


def test_ovk_m1_3_sixteen_hybrid_cards() -> None:
    assert int(T["deck"][1].sum()) == 16
    table = set_up(1, "cassius", "grytt", "donatus", "redblade")
    assert len(table.hand()) == 5
    assert (table.number("lay_min"), table.number("lay_max")) == (3, 3)


def test_ovk_m1_4_first_contact_replaces_other_rerolls() -> None:
    table = position(at="DATT", marines={"donatus": 0, "cassius": 1}, cult={"autogun": [0]}, turn=1)
    # Both dice are rolled once again, and no third time.
    assert table.shoot("donatus", 1, 0, "autogun", dice=[1, 2, 1, 2]).count("autogun") == 1


# -- mission 2 -------------------------------------------------------------------------------------


def test_e40_the_fourth_cell_wins_at_once() -> None:
    here = next(z for z in zones_of(2) if T["adjacent"][2, z, CELLS[3]] and z not in CELLS)
    marines = {"cassius": CELLS[0], "grytt": CELLS[1], "donatus": CELLS[2], "setorax": here}
    table = position(2, "DMOVE", marines=marines, cult={"autogun": [CELLS[3]] * 3})
    assert table.do(marine("setorax"), zone(CELLS[3])).winner == "deathwatch"


def test_ovk_m2_1_cult_models_in_a_cell_do_not_matter() -> None:
    marines = {
        "cassius": CELLS[0],
        "grytt": CELLS[1],
        "donatus": CELLS[2],
        "setorax": "slain",
        "redblade": "slain",
    }
    here = next(z for z in zones_of(2) if T["adjacent"][2, z, CELLS[3]] and z not in CELLS)
    table = position(2, "DMOVE", marines={**marines, "gydrael": here}, cult={"autogun": CELLS[:3]})
    assert table.do(marine("gydrael"), zone(CELLS[3])).winner == "deathwatch"


def test_ovk_m2_2_twenty_eight_cards_hand_7_lay_5() -> None:
    assert int(T["deck"][2].sum()) == 28
    table = to_turn(set_up(2, "cassius", "grytt", "donatus", "redblade", "gydrael", "sorrlock"))
    assert len(table.hand()) == 7
    assert table.number("lay_min") == 5


def test_ovk_m2_3_vox_patrol_is_placed_on_the_master_vox() -> None:
    table = set_up(2, "cassius", "grytt", "donatus", "redblade", "gydrael", "sorrlock")
    while table.stage != "BROOD":
        if table.stage == "PLACE_ZONE":
            assert {int(T["section"][2, z]) for z in table.offered("ZONE")} == {1}
        table.do(table.env.legal_actions()[0])
    assert len(table.cards(st.CARD_DISCARD)) == 3
    assert int(table.record["cult_in"].sum()) > 0


# -- mission 3 -------------------------------------------------------------------------------------


def test_e48_the_hand_grows_with_the_turns() -> None:
    marines = {"cassius": 50, "grytt": "reserve"}
    table = position(3, "DATT2", marines=marines, turn=3).do(END)
    assert table.turn == 4
    assert len(table.hand()) == 4
    assert table.offered("GAMBIT") == set()
    assert END not in table.env.legal_actions()
    table.do(card(table.hand()[0]), point(0))
    assert END in table.env.legal_actions()
    table.do(END)
    assert table.hand() == []
    assert len(table.cards(st.CARD_DISCARD)) == 3


def test_e49_another_marine_takes_the_skull_up() -> None:
    marines = {"cassius": 10, "grytt": 10}
    skull: dict[str, Any] = {"carrier": "Ortan Cassius", "skull_zone": -1}
    table = position(3, marines=marines, cult={"hammer": [10]}, wounded=["cassius"], **skull)
    table.strike(10, "hammer", "cassius", [3, 1, 1])
    assert table.number("skull_zone") == 10
    table.do(marine("grytt"))
    assert table.offered("ABILITY") == {act.TAKE_SKULL}
    table.do(ability(act.TAKE_SKULL))
    assert table.number("carrier") == st.GRYTT
    assert table.offered("PROFILE")


def test_ovk_m3_1_the_carrier_out_wins_and_three_slain_lose() -> None:
    marines = {"cassius": GATE[3], "grytt": 10}
    table = position(3, "DMOVE", marines=marines, carrier="Ortan Cassius", skull_zone=-1)
    assert table.do(marine("cassius"), ability(act.EXIT)).winner == "deathwatch"
    lost: dict[str, int | str] = {"cassius": "slain", "grytt": 10, "donatus": "slain", "redblade": "reserve"}
    table = position(3, marines=lost, cult={"purestrain": [10]})
    assert table.strike(10, "purestrain", "grytt", [4, 4, 1]).winner == "cult"


def test_ovk_m3_2_the_first_named_starts_the_others_are_reinforcements() -> None:
    table = fresh(3).do(
        *(marine(name) for name in ("grytt", "branatar", "cassius", "donatus", "redblade", "setorax"))
    )
    assert table.stage == "HOMER"
    assert table.offered("MARINE") == {st.CASSIUS, st.DONATUS, st.REDBLADE, st.SETORAX}
    table.do(marine("cassius"), zone(GATE[3]))
    assert table.zone_of("grytt") == GATE[3]
    assert table.zone_of("donatus") == st.RESERVE


def test_ovk_m3_3_one_reinforcement_in_each_movement_phase() -> None:
    marines = {"cassius": 50, "grytt": "reserve", "donatus": "reserve"}
    table = position(3, "DMOVE", marines=marines, laid={0: 0}).do(marine("grytt"))
    assert table.offered("ZONE") == {int(z) for z in T["point_zone"][3, :14]}
    table.do(zone(0))
    assert table.zone_of("grytt") == 0
    assert table.offered("MARINE") == {st.CASSIUS}


def test_ovk_m3_4_at_most_six_cards_are_laid() -> None:
    hand = tuple(range(9))
    table = position(3, "BROOD", marines={"cassius": 50}, turn=9, hand=hand)
    for k in range(6):
        table.do(card(k), point(k))
    assert table.stage != "BROOD"
    assert table.hand() == []


def test_ovk_m3_5_the_skull_is_taken_at_no_cost() -> None:
    table = position(3, "DATT", marines={"cassius": 4, "grytt": 10}, cult={"autogun": [4]})
    table.do(marine("cassius"), ability(act.TAKE_SKULL))
    assert table.stage == "DATT_ACT"
    assert table.offered("PROFILE") == {0, 1}


def test_ovk_m3_6_whoever_slays_the_carrier_the_skull_stays() -> None:
    marines = {"cassius": 10, "grytt": 9}
    skull: dict[str, Any] = {"carrier": "Ortan Cassius", "skull_zone": -1}
    table = position(3, marines=marines, cult={"hammer": [10]}, wounded=["cassius"], **skull)
    table.strike(10, "hammer", "cassius", [3, 1, 1])
    assert (table.number("skull_zone"), table.number("carrier")) == (10, -1)


def test_ovk_m3_7_who_takes_the_skull_with_moves_left_goes_on() -> None:
    # 3 is next to the skull's zone 4; Cassius has two moves.
    table = position(3, "DMOVE", marines={"cassius": 3, "grytt": 10}).do(marine("cassius"), zone(4))
    assert table.offered("ZONE") == set()
    table.do(ability(act.TAKE_SKULL))
    assert table.offered("ZONE")
    table = position(3, "DMOVE", marines={"cassius": GATE[3], "grytt": 10}).do(marine("cassius"))
    assert act.EXIT not in table.offered("ABILITY")


# -- mission 4 -------------------------------------------------------------------------------------


def test_e50_a_section_goes_with_all_that_is_on_it() -> None:
    marines = {"branatar": 0, "cassius": 20}
    table = position(4, "DATT2", marines=marines, cult={"autogun": [0, 1, 2]}, laid={0: 0, 9: 1})
    table.do(END)
    assert table.slain("branatar")
    assert table.count("autogun") == 0
    assert 0 in table.cards(st.CARD_DISCARD)
    assert 1 in table.cards(st.CARD_LAID)
    assert table.number("destroyed") == 1
    table.do(card(table.hand()[0]))
    assert table.offered("POINT") & {0, 1, 2} == set()


def test_e51_the_third_leaves_before_the_last_section_goes() -> None:
    marines = {"cassius": GATE[4], "grytt": "exited", "donatus": "exited", "redblade": 25}
    table = position(4, "DATT2", marines=marines, turn=8, destroyed=3)
    assert table.do(marine("cassius"), ability(act.EXIT)).winner == "deathwatch"


def test_ovk_m4_1_two_slain_lose() -> None:
    marines = {"cassius": 0, "grytt": 1, "donatus": 20, "redblade": 21}
    assert position(4, "DATT2", marines=marines).do(END).winner == "cult"


def test_ovk_m4_2_no_leaders_in_the_deck() -> None:
    assert int(T["deck"][4].sum()) == 24
    table = set_up(4, "cassius", "grytt", "donatus", "redblade")
    assert len(table.hand()) == 5


def test_ovk_m4_3_nothing_goes_after_odd_turns() -> None:
    table = position(4, "DATT2", marines={"cassius": 0, "grytt": 20}, turn=3).do(END)
    assert table.number("destroyed") == 0


def test_ovk_m4_4_nobody_enters_the_void() -> None:
    edge = next(z for z in range(8, 16) if any(T["adjacent"][4, z, y] for y in range(8)))
    table = position(4, "DMOVE", marines={"suberei": edge, "grytt": 20}, destroyed=1, turn=3).do(
        marine("suberei")
    )
    assert all(z >= 8 for z in table.offered("ZONE"))


# -- mission 5 -------------------------------------------------------------------------------------


def test_e52_comrades_wait_for_the_third() -> None:
    near = next(z for z in range(7) if any(T["adjacent"][5, z, y] for y in range(7, 15)))
    on = next(y for y in range(7, 15) if T["adjacent"][5, near, y])
    table = position(5, "DMOVE", marines={"cassius": near, "grytt": LIFT[0], "donatus": LIFT[1]})
    table.do(marine("grytt"))
    assert all(T["section"][5, z] == 1 for z in table.offered("ZONE"))
    table.do(END, marine("cassius"), zone(on), marine("donatus"))
    assert any(T["level"][5, z] == 1 for z in table.offered("ZONE"))


def test_e53_comrades_are_free_when_the_third_is_slain() -> None:
    marines = {"cassius": "slain", "grytt": LIFT[0], "donatus": LIFT[1]}
    table = position(5, "DMOVE", marines=marines).do(marine("grytt"))
    assert any(T["level"][5, z] == 1 for z in table.offered("ZONE"))


def test_e54_lower_points_open_when_the_lower_mine_is_entered() -> None:
    lower = {a for a in range(10) if T["level"][5, T["point_zone"][5, a]] == 1}
    marines = {"cassius": LIFT[0], "grytt": LIFT[1], "donatus": LIFT[2]}
    hand = (0, 1, 2, 3, 4)
    assert position(5, "BROOD", marines=marines, hand=hand).do(card(0)).offered("POINT") & lower == set()
    table = position(5, "DMOVE", marines=marines, hand=hand, arrived=True).do(marine("cassius"))
    table.do(zone(next(z for z in table.offered("ZONE") if T["level"][5, z] == 1)))
    while table.stage != "BROOD":
        table.do(END)
    assert table.do(card(table.hand()[0])).offered("POINT") == set(range(10))


def test_ovk_m5_1_two_out_win() -> None:
    marines = {"cassius": GATE[5], "grytt": "exited", "donatus": LIFT[1]}
    table = position(5, "DMOVE", marines=marines, arrived=True).do(marine("cassius"), ability(act.EXIT))
    assert table.winner == "deathwatch"


def test_ovk_m5_2_the_first_named_starts_alone_and_there_is_no_homer() -> None:
    table = fresh(5).do(marine("branatar"), marine("cassius"), marine("grytt"))
    assert table.stage == "TEAM_ZONE"
    assert table.offered("ZONE") == {2}
    assert table.do(zone(2)).offered("ZONE") == set(LIFT)


def test_ovk_m5_3_no_jump_over_the_void() -> None:
    hole = (200, 1000, 200, 270)
    for a in zones_of(5):
        for b in zones_of(5):
            if T["jump"][5, a, b]:
                (ax, ay, aw, ah), (bx, by, bw, bh) = T["rect"][5, a], T["rect"][5, b]
                east = min(ax + aw, bx + bw) if min(ax + aw, bx + bw) <= max(ax, bx) else max(ax, bx)
                down = min(ay + ah, by + bh) if min(ay + ah, by + bh) <= max(ay, by) else max(ay, by)
                inside = hole[0] < east < hole[0] + hole[2] and hole[1] < down < hole[1] + hole[3]
                assert not inside


def test_ovk_m5_4_the_two_stay_on_the_lift_section_when_running_too() -> None:
    table = position(5, "DATT", marines={"cassius": 2, "grytt": LIFT[0], "donatus": LIFT[1]}).do(
        marine("grytt")
    )
    assert table.offered("ZONE")
    assert all(T["section"][5, z] == 1 for z in table.offered("ZONE"))


def test_ovk_m5_5_upper_points_stay_usable() -> None:
    table = position(5, "BROOD", marines={"cassius": 15}, hand=(0, 1, 2, 3, 4), lower_open=True).do(card(0))
    assert table.offered("POINT") == set(range(10))


def test_ovk_m5_6_the_lift_leads_down_only_and_no_attack_does() -> None:
    down = next(z for z in zones_of(5) if T["adjacent"][5, LIFT[0], z] and T["level"][5, z] == 1)
    assert not any(T["adjacent"][5, down, z] for z in LIFT)
    assert all(T["band"][5, z, down] == st.OUT for z in LIFT)


# -- mission 6 -------------------------------------------------------------------------------------


def test_e55_grenades_need_a_zone_without_cult_models() -> None:
    table = position(6, "DATT", marines={"sorrlock": SILO[0]}, cult={"familiar": [SILO[0]]}).do(
        marine("sorrlock")
    )
    assert act.ATTACH not in table.offered("ABILITY")
    table = position(6, "DATT", marines={"sorrlock": SILO[0]}).do(marine("sorrlock"))
    assert act.ATTACH in table.offered("ABILITY")


def test_e56_the_third_grenade_wins() -> None:
    number = int(T["silo"][6, SILO[2]]) - 1
    table = position(6, "DATT", marines={"sorrlock": SILO[2]}, krak=7 - (1 << number))
    assert table.do(marine("sorrlock"), ability(act.ATTACH)).winner == "deathwatch"


def test_ovk_m6_1_all_marines_slain_lose() -> None:
    table = position(6, marines={"cassius": 0, "grytt": "slain"}, cult={"purestrain": [0]})
    # Against Cleave the Rosarius saves on 4+.
    assert table.strike(0, "purestrain", "cassius", [4, 4, 4, 1, 1]).winner == "cult"


def test_ovk_m6_2_each_zone_takes_grenades_once() -> None:
    number = int(T["silo"][6, SILO[0]]) - 1
    table = position(6, "DATT", marines={"sorrlock": SILO[0]}, krak=1 << number).do(marine("sorrlock"))
    assert act.ATTACH not in table.offered("ABILITY")


def test_ovk_m6_3_attaching_is_the_action_of_the_phase() -> None:
    table = position(6, "DATT", marines={"sorrlock": SILO[0], "grytt": 40}).do(
        marine("sorrlock"), ability(act.ATTACH)
    )
    assert table.offered("MARINE") == {st.GRYTT}


def test_ovk_m6_4_the_silo_is_no_zone_and_no_obstacle() -> None:
    assert T["zones"][6] == 48
    assert T["band"][6, SILO[0], SILO[1]] <= st.COMBAT


# -- mission 7 -------------------------------------------------------------------------------------


def test_ovk_m7_1_every_card_is_launched() -> None:
    table = position(7, "LAUNCH", marines={"grytt": 20}, laid={0: 4})
    assert END not in table.env.legal_actions()


def test_ovk_m7_2_the_last_of_thirty_eight_wins() -> None:
    cult: dict[str, Any] = {
        name: ["slain"] * count
        for name, count in zip(st.TYPE_IDS, st.TYPE_COUNTS, strict=True)
        if name != "patriarch"
    }
    cult["purestrain"] = [0, "slain"]
    table = position(7, "DATT", marines={"branatar": 0, "grytt": 20}, cult=cult, kills=37)
    assert table.shoot("branatar", 1, 0, "purestrain", dice=[3, 1, 1]).winner == "deathwatch"


def test_ovk_m7_3_the_patriarch_is_no_substitute() -> None:
    table = position(
        7, "LAUNCH", marines={"grytt": 20}, cult={"hammer": ["slain", "slain"]}, laid={0: 16}, kills=2
    )
    assert st.PATRIARCH not in table.do(point(0)).offered("TYPE")


def test_ovk_m7_4_slain_models_do_not_come_back() -> None:
    table = position(7, "DATT", marines={"branatar": 0, "grytt": 20}, cult={"autogun": [0]})
    table.shoot("branatar", 1, 0, "autogun", dice=[3, 3])
    assert table.record["zone"][st.TYPE_FIRST[st.AUTOGUN]] == st.SLAIN


# -- mission 8 -------------------------------------------------------------------------------------


def test_ovk_m8_1_the_seats_place_marines_in_turn() -> None:
    table = fresh(8).do(marine("grytt"))
    assert table.zone_of("cassius") == GATE[8]
    seats = []
    for _ in range(10):
        seats.append(table.seat)
        table.do(table.env.legal_actions()[0])
        assert all(table.record["marines_in"][z] == 0 for z in table.offered("ZONE"))
        table.do(table.env.legal_actions()[0])
    assert seats == ["deathwatch", "cult"] * 5


def test_ovk_m8_2_a_card_for_each_section_but_that_of_cassius() -> None:
    table = to_turn(fresh(8))
    home = int(T["section"][8, GATE[8]])
    assert len(table.cards(st.CARD_DISCARD)) == 4
    held = {int(T["section"][8, z]) for z in zones_of(8) if table.record["cult_in"][z]}
    assert home not in held


def test_ovk_m8_3_eight_out_win() -> None:
    names = list(st.MARINE_IDS)
    marines: dict[str, int | str] = dict.fromkeys(names[1:8], "exited")
    marines |= {"cassius": GATE[8], "suberei": 0, "branatar": 1, "natorian": 2}
    table = position(8, "DMOVE", marines=marines)
    assert table.do(marine("cassius"), ability(act.EXIT)).winner == "deathwatch"


# -- mission 9 -------------------------------------------------------------------------------------


def test_e57_the_throne_heals() -> None:
    table = position(9, marines={"grytt": 40}, cult={"patriarch": [0]}, wounded=["patriarch"]).do(END)
    assert table.wounds("patriarch") == 0


def test_e58_the_field_shields_the_patriarch_from_a_blast() -> None:
    here = next(z for z in zones_of(9) if T["band"][9, 0, z] == st.COMBAT)
    table = position(9, "DATT", marines={"delassio": here}, cult={"patriarch": [0], "familiar": [0]})
    table.shoot("delassio", 0, 0, dice=[3, 1])
    assert table.count("familiar") == 0


def test_e59_the_conduit_reaches_anyone() -> None:
    far = next(z for z in zones_of(9) if T["band"][9, 0, z] == st.OUT)
    table = position(9, marines={"grytt": far}, cult={"patriarch": [0]})
    assert table.strike(0, "patriarch", "grytt", [4], p=act.CONDUIT).wounds("grytt") == 1


def test_e60_last_gasp() -> None:
    a, b = pair(9, st.MAXIMUM)
    marines = {"donatus": a, "sorrlock": a}
    table = position(
        9, "DATT", marines=marines, cult={"autogun": [b], "patriarch": [0]}, wounded=["donatus", "sorrlock"]
    )
    table.do(marine("donatus"))
    assert table.offered("ABILITY") == set()
    assert T["band"][9, a, 0] <= st.COMBAT or table.offered("PROFILE") == set()
    table.do(END, marine("sorrlock"))
    assert table.wounds("sorrlock") == 1


def late() -> Table:
    """Return mission 9 with the late start, at the first choice after the Broodmind phase of turn 1."""
    return to_turn(fresh(9, late_start=True), "DATT")


def test_e61_the_late_start() -> None:
    table = late()
    assert table.turn == 1
    assert table.number("step") == st.STEP_SECOND


def test_ovk_m9_1_the_throne_room_is_manned() -> None:
    table = to_turn(fresh(9))
    assert table.zone_of("patriarch") == 0
    assert {name: table.count(name) for name in ("magus", "primus", "familiar", "purestrain")} == {
        "magus": 1,
        "primus": 1,
        "familiar": 2,
        "purestrain": 2,
    }
    held = {z for z in zones_of(9) if table.record["cult_in"][z]}
    assert all(T["section"][9, z] == 0 for z in held)
    assert len(table.hand()) == 8


def test_ovk_m9_2_the_patriarchs_death_wins() -> None:
    table = position(9, "DATT", marines={"gydrael": 0}, cult={"patriarch": [0]}, wounded=["patriarch"])
    assert table.shoot("gydrael", 0, 0, "patriarch", dice=[3, 1, 1, 2]).winner == "deathwatch"


def test_ovk_m9_3_no_attack_at_maximum_band() -> None:
    here = next(z for z in zones_of(9) if T["band"][9, 10, z] == st.MAXIMUM)
    table = position(9, "DATT", marines={"donatus": here}, cult={"autogun": [10], "patriarch": [0]})
    table.do(marine("donatus"))
    near = T["band"][9, here, 0] <= st.COMBAT
    assert near or table.offered("PROFILE") == set()


def test_ovk_m9_4_off_the_throne_nothing_heals() -> None:
    table = position(9, marines={"grytt": 40}, cult={"patriarch": [1]}, wounded=["patriarch"]).do(END)
    assert table.wounds("patriarch") == 1


def test_ovk_m9_5_smoke_does_not_help_against_the_conduit() -> None:
    far = next(z for z in zones_of(9) if T["band"][9, 0, z] == st.OUT)
    table = position(9, marines={"setorax": far}, cult={"patriarch": [0]}, smoke_zone=far, smoke_used=True)
    assert table.strike(0, "patriarch", "setorax", [4], p=act.CONDUIT).wounds("setorax") == 1


def test_ovk_m9_6_nobody_else_is_shielded() -> None:
    here = next(z for z in zones_of(9) if T["band"][9, 0, z] == st.COMBAT)
    table = position(9, "DATT", marines={"donatus": here}, cult={"patriarch": [0], "familiar": [0]})
    table.do(marine("donatus"), profile(0), zone(0))
    assert table.offered("TYPE") == {st.FAMILIAR}
    table = position(9, "DATT", marines={"donatus": here}, cult={"patriarch": [0]}).do(marine("donatus"))
    assert table.offered("PROFILE") == set()
