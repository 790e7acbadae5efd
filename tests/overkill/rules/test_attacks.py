"""Attacks: dice, saves, Rend, Blast, re-rolls, skills (OVK-A, D; edge cases of section 6)."""

from __future__ import annotations

from typing import Any

import pytest
from overkill.rules.table import (
    END,
    ability,
    far_from,
    jump_only,
    kind,
    marine,
    pair,
    position,
    profile,
    zone,
)

from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import state as st

C_PAIR = pair(1, st.COMBAT)
A_PAIR = pair(1, st.ASSAULT, adjacent=True, section=True)


def test_e01_one_hit_wounds() -> None:
    table = position(marines={"cassius": 0}, cult={"autogun": [0]}).strike(0, "autogun", "cassius", [5, 4, 2])
    assert table.wounds("cassius") == 1


def test_e02_the_second_hit_slays_a_wounded_marine() -> None:
    table = position(marines={"cassius": 0}, cult={"autogun": [0]}, wounded=["cassius"])
    assert table.strike(0, "autogun", "cassius", [5, 6, 3, 2]).slain("cassius")


def test_e03_no_save_is_rolled_for_lost_hits() -> None:
    table = position(marines={"cassius": 0, "grytt": 5}, cult={"autogun": [0]}, wounded=["cassius"])
    assert table.strike(0, "autogun", "cassius", [5, 5, 1]).slain("cassius")


def test_e04_hits_are_lost_without_rend() -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"donatus": a}, cult={"autogun": [b] * 3})
    assert table.shoot("donatus", 1, b, "autogun", dice=[4, 4]).count("autogun") == 2


def test_e05_rend_goes_on_to_another_enemy_in_the_zone() -> None:
    table = position(at="DATT", marines={"delassio": 0}, cult={"autogun": [0, 0], "autopistol": [0]})
    table.shoot("delassio", 1, 0, "autogun", dice=[3, 6])
    assert table.stage == "DATT_TYPE"
    assert table.offered("TYPE") == {st.AUTOGUN, st.AUTOPISTOL}
    table.do(kind("autopistol"), dice=[5])
    assert (table.count("autogun"), table.count("autopistol")) == (1, 0)


def test_e06_a_forced_rend_target_may_save() -> None:
    table = position(at="DATT", marines={"delassio": 0}, cult={"autogun": [0], "autopistol": [0]})
    table.shoot("delassio", 1, 0, "autogun", "autopistol", dice=[3, 6, 6])
    assert (table.count("autogun"), table.count("autopistol")) == (0, 1)


def test_e07_rend_stays_in_the_zone() -> None:
    a, b = A_PAIR
    table = position(at="DATT", marines={"delassio": a}, cult={"autogun": [a, b]})
    assert table.shoot("delassio", 1, a, "autogun", dice=[3, 6]).count("autogun", b) == 1


def test_e08_marksman_rolls_the_first_miss_again() -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"donatus": a}, cult={"autopistol": [b]})
    assert table.shoot("donatus", 0, b, "autopistol", dice=[2, 3]).count("autopistol") == 0


@pytest.mark.parametrize(("dice", "left"), [([3, 4], 1), ([3, 3], 0)])
def test_e09_a_purestrain_saves_against_cleave(dice: list[int], left: int) -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"donatus": a}, cult={"purestrain": [b]})
    assert table.shoot("donatus", 0, b, "purestrain", dice=dice).count("purestrain") == left


@pytest.mark.parametrize(("dice", "wounds"), [([4, 4], 0), ([4, 3], 1)])
def test_e10_the_rosarius_saves_against_cleave(dice: list[int], wounds: int) -> None:
    table = position(marines={"cassius": 0}, cult={"mining_laser": [0]})
    assert table.strike(0, "mining_laser", "cassius", dice).wounds("cassius") == wounds


@pytest.mark.parametrize(("magus", "dice", "slain"), [(30, [5, 6, 4, 3], False), (1, [5, 6], True)])
def test_e11_psychic_vassal(magus: int, dice: list[int], slain: bool) -> None:
    table = position(3, marines={"donatus": 0}, cult={"familiar": [0], "magus": [magus]})
    assert table.strike(0, "familiar", "donatus", dice).slain("donatus") == slain


def test_e12_a_blast_rolls_enemies_then_friends_but_not_the_attacker() -> None:
    table = position(at="DATT", marines={"delassio": 0, "cassius": 0}, cult={"autogun": [0, 0]})
    # Cassius's litanies roll ones again at Assault band; there are none here.
    table.shoot("delassio", 0, 0, dice=[3, 2, 3, 1])
    assert table.count("autogun") == 1
    assert table.wounds("cassius") == 1


def test_e13_grenades_hit_friends_too() -> None:
    a, b = C_PAIR
    table = position(marines={"donatus": b}, cult={"grenade_launcher": [a], "autopistol": [b, b]})
    table.blast(a, "grenade_launcher", b, [5, 3, 5, 6, 4])
    assert (table.wounds("donatus"), table.count("autopistol")) == (0, 2)


def test_e14_objectives_are_tested_after_the_whole_blast() -> None:
    a, b = C_PAIR
    table = position(marines={"donatus": b}, cult={"grenade_launcher": [a], "autopistol": [b, b]}, kills=24)
    table.blast(a, "grenade_launcher", b, [4, 5, 5, 1])
    assert table.number("kills") == 25
    assert table.winner == "deathwatch"


def test_e15_a_blast_can_end_in_a_draw() -> None:
    a, b = C_PAIR
    marines = {"grytt": a, "donatus": b, "cassius": "slain"}
    table = position(at="DATT", marines=marines, cult={"autogun": [b]}, wounded=["donatus"], kills=24)
    table.shoot("grytt", 0, b, dice=[4, 4, 2])
    assert table.winner == "nobody"


def test_e16_cleave_allows_no_save() -> None:
    table = position(marines={"donatus": 0, "grytt": 5}, cult={"purestrain": [0]})
    assert table.strike(0, "purestrain", "donatus", [4, 4, 4]).slain("donatus")


@pytest.mark.parametrize(("turn", "dice", "left"), [(1, [1, 2, 3, 3], 0), (2, [1, 2], 2)])
def test_e41_first_contact(turn: int, dice: list[int], left: int) -> None:
    table = position(at="DATT", marines={"delassio": 0}, cult={"autogun": [0, 0]}, turn=turn)
    table.shoot("delassio", 1, 0, "autogun", *(["autogun"] if left == 0 else []), dice=dice)
    assert table.count("autogun") == left


def test_e42_litanies_roll_ones_again() -> None:
    table = position(at="DATT", marines={"delassio": 0, "cassius": 1}, cult={"autogun": [0, 0]})
    assert table.shoot("delassio", 1, 0, "autogun", dice=[1, 2, 1]).count("autogun") == 2


@pytest.mark.parametrize(("dice", "slain"), [([4, 4], False), ([4, 3], True)])
def test_e43_determination(dice: list[int], slain: bool) -> None:
    table = position(marines={"gydrael": 0, "grytt": 5}, cult={"mining_laser": [0]}, wounded=["gydrael"])
    table.strike(0, "mining_laser", "gydrael", dice)
    assert table.slain("gydrael") == slain
    assert table.wounds("gydrael") == (0 if slain else 1)


@pytest.mark.parametrize(("dice", "wounds"), [([1, 2], 1), ([1, 3], 0)])
def test_e44_plasma_is_a_hazard_to_its_bearer(dice: list[int], wounds: int) -> None:
    a, b = A_PAIR
    table = position(at="DATT", marines={"gydrael": a}, cult={"autogun": [b]})
    assert table.shoot("gydrael", 1, b, "autogun", dice=dice).wounds("gydrael") == wounds


def test_e45_smoke_hides_a_zone_from_beyond_assault_band() -> None:
    a, b = C_PAIR
    table = position(marines={"setorax": b}, cult={"autogun": [a, b]}, smoke_zone=b, smoke_used=True)
    assert table.offered("ZONE") == {a, b}
    table.do(zone(a), kind("autogun"))
    assert table.offered("PROFILE") == set()
    table.do(END)
    table.strike(b, "autogun", "setorax", [5, 5, 1, 1])
    assert table.slain("setorax")


def test_e46_dust_asks_one_more() -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"donatus": a}, cult={"autogun": [b]}, dust=True)
    assert table.shoot("donatus", 1, b, "autogun", dice=[4, 4, 4]).count("autogun") == 1


def test_e47_the_patriarch_rends() -> None:
    table = position(2, marines={"donatus": 0, "grytt": 0}, cult={"patriarch": [0]})
    table.strike(0, "patriarch", "donatus", [3, 3, 3, 2])
    assert table.stage == "CATT_REND"
    table.do(marine("grytt"))
    assert table.slain("donatus")
    assert table.wounds("grytt") == 1


def test_e62_black_rage() -> None:
    table = position(
        at="DATT", marines={"delassio": 0}, cult={"autopistol": [0, 0], "autogun": [0]}, wounded=["delassio"]
    )
    table.do(marine("delassio"))
    assert act.RECOVER not in table.offered("ABILITY")
    table.do(
        profile(1), zone(0), kind("autopistol"), kind("autopistol"), kind("autogun"), dice=[3, 3, 3, 5, 5]
    )
    assert table.count("autopistol") + table.count("autogun") == 0


def test_e63_friends_in_a_blast_are_not_rolled_for_again() -> None:
    a, b = A_PAIR
    table = position(at="DATT", marines={"delassio": a, "donatus": b}, cult={"autogun": [b]}, turn=1)
    table.shoot("delassio", 0, b, dice=[2, 3, 2])
    assert table.count("autogun") == 0


def test_ovk_a01_each_marine_acts_once() -> None:
    table = position(at="DATT", marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0, 0]})
    table.shoot("donatus", 0, 0, "autogun", dice=[3])
    assert table.offered("MARINE") == {st.GRYTT}


def test_ovk_a02_a_profile_needs_dice_at_the_band() -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"delassio": a}, cult={"autogun": [b]}).do(marine("delassio"))
    assert table.offered("PROFILE") == {0}


def test_ovk_a03_the_band_is_that_of_the_zones() -> None:
    a, b = pair(1, st.MAXIMUM)
    table = position(at="DATT", marines={"donatus": a}, cult={"autogun": [b]}).do(marine("donatus"))
    assert table.offered("PROFILE") == {0, 2}


def test_ovk_a04_no_effect_asks_more_than_six() -> None:
    a, b = C_PAIR
    table = position(marines={"donatus": b}, cult={"autogun": [a]}, zones={str(a): ["panic"]})
    assert table.strike(a, "autogun", "donatus", [6, 6, 3, 2]).wounds("donatus") == 1


def test_ovk_a05_all_dice_then_rerolls_then_saves() -> None:
    table = position(at="DATT", marines={"donatus": 0}, cult={"autopistol": [0]})
    # Hellfire 2,2: both miss, the first is rolled again, and the hit is saved.
    assert table.shoot("donatus", 2, 0, "autopistol", dice=[1, 1, 2, 6]).count("autopistol") == 1


def test_ovk_a06_a_save_is_the_armour_or_more() -> None:
    table = position(marines={"branatar": 0}, cult={"autogun": [0]})
    assert table.strike(0, "autogun", "branatar", [5, 5, 2, 2]).wounds("branatar") == 0


def test_ovk_a07_hits_left_over_are_lost_without_rend() -> None:
    table = position(at="DATT", marines={"branatar": 0}, cult={"autogun": [0, 0]})
    assert table.shoot("branatar", 1, 0, "autogun", dice=[6, 6]).count("autogun") == 1


def test_ovk_a08_purestrains_do_not_save_against_a_jump() -> None:
    a, b = jump_only(1, 2)
    table = position(at="CMOVE", marines={"grytt": far_from(1, a)}, cult={"purestrain": [a]})
    assert table.do(zone(a), kind("purestrain"), zone(b), dice=[1]).count("purestrain") == 0


def test_ovk_a09_all_rent_hits_go_to_one_model() -> None:
    table = position(
        2, marines={"donatus": 0, "grytt": 0, "cassius": 0}, cult={"patriarch": [0]}, wounded=["donatus"]
    )
    table.strike(0, "patriarch", "donatus", [3, 3, 3, 1])
    assert table.offered("MARINE") == {st.GRYTT, st.CASSIUS}
    table.do(marine("grytt"))
    assert table.slain("grytt")


def test_ovk_a10_the_psychic_scream_spares_friends() -> None:
    table = position(2, marines={"donatus": 1}, cult={"patriarch": [0], "autogun": [1]})
    table.blast(0, "patriarch", 1, [5], p=1)
    assert table.count("autogun") == 1
    assert table.wounds("donatus") == 1


def test_ovk_a11_a_blast_needs_an_enemy_in_its_zone() -> None:
    a, b = A_PAIR
    table = position(at="DATT", marines={"delassio": a, "grytt": b}, cult={"autogun": [a]})
    assert table.do(marine("delassio"), profile(0)).offered("ZONE") == {a}


def test_ovk_a12_the_rest_of_a_blast_is_rolled_though_an_objective_is_met() -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"grytt": a}, cult={"autogun": [b, b]}, kills=24)
    assert table.shoot("grytt", 0, b, dice=[4, 4]).number("kills") == 26


def test_ovk_a13_a_run_is_one_move() -> None:
    a, b = A_PAIR
    table = position(at="DATT", marines={"donatus": a}).do(marine("donatus"), zone(b))
    assert table.zone_of("donatus") == b
    assert table.stage != "DATT_ACT"


def test_ovk_a14_purestrains_do_not_attack_and_then_run() -> None:
    table = position(marines={"donatus": 0, "grytt": 5}, cult={"purestrain": [0]})
    table.strike(0, "purestrain", "donatus", [1, 1, 1])
    assert table.stage != "CATT"


def test_ovk_a15_combat_recovery_is_an_action() -> None:
    table = position(
        at="DATT", marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0]}, wounded=["donatus"]
    )
    table.do(marine("donatus"), ability(act.RECOVER))
    assert table.wounds("donatus") == 0
    assert table.offered("MARINE") == {st.GRYTT}


def test_ovk_a16_the_magus_counts_on_the_familiars_section() -> None:
    # The target is on another section than Familiar and Magus.
    a, b = pair(3, st.ASSAULT, adjacent=True, section=False)
    table = position(3, marines={"donatus": b, "grytt": 20}, cult={"familiar": [a], "magus": [a]})
    assert table.strike(a, "familiar", "donatus", [5, 5]).slain("donatus")


def test_ovk_a17_launched_models_attack_in_the_same_turn() -> None:
    table = position(marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0]}, moved=True)
    assert table.strike(0, "autogun", "donatus", [5, 4, 2]).wounds("donatus") == 1


def test_ovk_d01_the_rosarius_does_not_help_against_plain_hits() -> None:
    table = position(marines={"cassius": 0}, cult={"hammer": [0]})
    assert table.strike(0, "hammer", "cassius", [3, 3, 3, 3]).wounds("cassius") == 0


def test_ovk_d02_litanies_help_others_on_his_section_only() -> None:
    table = position(at="DATT", marines={"delassio": 0, "cassius": 20}, cult={"autogun": [0]})
    assert table.shoot("delassio", 1, 0, "autogun", dice=[1, 1]).count("autogun") == 1


def test_ovk_d03_panic_spoils_the_attacks_from_that_zone() -> None:
    a, b = C_PAIR
    table = position(at="DATT", marines={"grytt": a}, cult={"autopistol": [b], "autogun": [b]})
    table.shoot("grytt", 0, b, dice=[4, 1])
    assert table.stage == "CATT"
    # At Combat band an autopistol hits on 6, with panic still on 6.
    assert table.strike(b, "autopistol", "grytt", [6, 3]).wounds("grytt") == 0


def test_ovk_d04_determination_does_not_help_against_the_first_wound() -> None:
    table = position(marines={"gydrael": 0}, cult={"mining_laser": [0]})
    assert table.strike(0, "mining_laser", "gydrael", [4]).wounds("gydrael") == 1


def test_ovk_d05_marksman_helps_no_blast() -> None:
    table = position(at="DATT", marines={"donatus": 0}, cult={"autogun": [0]})
    assert table.shoot("donatus", 3, 0, dice=[2]).count("autogun") == 1


def test_ovk_d06_redblade_runs_and_then_attacks() -> None:
    a, b = A_PAIR
    table = position(at="DATT", marines={"redblade": a}, cult={"autogun": [b]})
    table.do(marine("redblade"), zone(b))
    assert table.stage == "DATT_ACT"
    assert table.offered("ZONE") == set()
    table.do(profile(0), zone(b), kind("autogun"), dice=[3, 1, 1])
    assert table.count("autogun") == 0


def test_ovk_d08_smoke_lasts_for_the_turn() -> None:
    table = position(at="DMOVE", marines={"setorax": 0, "grytt": 5}, cult={"autogun": [9]})
    table.do(marine("setorax"), ability(act.SMOKE))
    assert table.number("smoke_zone") == 0
    assert table.stage == "DMOVE_ACT"
    assert act.SMOKE not in table.offered("ABILITY")


def test_ovk_d09_black_rage_forbids_recovery() -> None:
    table = position(at="DATT", marines={"delassio": 0}, cult={"autogun": [0]}, wounded=["delassio"])
    assert act.RECOVER not in table.do(marine("delassio")).offered("ABILITY")


@pytest.mark.parametrize("stopped", [False, True])
def test_ovk_d10_bionics_recover_without_an_action(stopped: bool) -> None:
    fields: dict[str, Any] = {"no_recover": ["Ennox Sorrlock"]} if stopped else {}
    table = position(
        at="DATT", marines={"sorrlock": 0}, cult={"autogun": [0]}, wounded=["sorrlock"], **fields
    )
    table.do(marine("sorrlock"))
    assert table.wounds("sorrlock") == int(stopped)
    assert table.offered("PROFILE")


def test_ovk_d12_the_patriarch_saves_against_cleave() -> None:
    table = position(2, "DATT", marines={"branatar": 0}, cult={"patriarch": [0]})
    assert table.shoot("branatar", 1, 0, "patriarch", dice=[3, 3, 3, 2]).wounds("patriarch") == 1


def test_ovk_d14_might_strengthens_the_force_sword() -> None:
    table = position(at="DATT", marines={"natorian": 0}, cult={"autopistol": [0]}, might=True)
    assert table.shoot("natorian", 0, 0, "autopistol", dice=[1, 1, 1, 1, 3]).count("autopistol") == 0


def test_ovk_d15_a_hazard_may_slay() -> None:
    a, b = A_PAIR
    table = position(
        at="DATT", marines={"gydrael": a, "grytt": 20}, cult={"autogun": [b]}, wounded=["gydrael"]
    )
    assert table.shoot("gydrael", 1, b, "autogun", dice=[1, 1, 3]).slain("gydrael")


def test_ovk_d16_the_scream_is_rolled_for_marines_only() -> None:
    table = position(2, marines={"donatus": 0}, cult={"patriarch": [0], "autogun": [0]})
    table.blast(0, "patriarch", 0, [4], p=1)
    assert table.wounds("donatus") == 1


@pytest.mark.parametrize(("die", "acts"), [(4, False), (3, True)])
def test_ovk_d17_the_magus_mesmerises(die: int, acts: bool) -> None:
    a, b = pair(2, st.COMBAT)
    table = position(2, marines={"donatus": b, "grytt": b}, cult={"magus": [a]})
    table.do(zone(a), kind("magus"), profile(act.MESMERISE), marine("donatus"), dice=[die])
    assert table.stage == "DATT"
    assert (st.DONATUS in table.offered("MARINE")) == acts


def test_ovk_d18_the_demagogue_lets_hybrids_roll_ones_again() -> None:
    table = position(2, marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0], "primus": [1]})
    assert table.strike(0, "autogun", "donatus", [1, 4, 5, 2]).wounds("donatus") == 1
