"""Charges, fights and loads, the profiles of section 2.4, and the conflicts that need Genestealers or Termagants."""

from __future__ import annotations

from typing import Any

import pytest
from macragge.rules.broods import ATREUS, BROOD_A, BROOD_B, NEST, SQUAD, SWARM_A, SWARM_B, at, fresh
from macragge.rules.table import PASS, Cell, Table, dest, direction, model, select, target

from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import AUTO, LANE, LANE_CENTRE, MISSILE

LINE = {0: (30, 60), 1: (34, 60), 2: (38, 60), 3: (42, 60), 4: (46, 60), 5: (50, 60)}
ROW = {6: (40, 80), 7: (43, 80), 8: (46, 80), 9: (49, 80), 10: (52, 80)}
FAR_G, FAR_T = {16: (90, 5)}, {26: (3, 3)}
FAR_6 = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (90, 90)}}
P3 = st.FIRST_PROJECTOR_GROUP + 3


def purposes(table: Table) -> list[str]:
    """Return what was rolled for in the last step, the dice of the next retreat left out."""
    rolls = [str(event.data["purpose"]) for event in table.env.events() if event.kind == "rolled"]
    return [purpose for purpose in rolls if purpose != "retreat"]


def fight_4(dice: list[int], brood: Cell = (52, 60), charged: bool = False, **changes: Any) -> Table:
    """Return what follows when the Tyranids end their assault step of mission 4 with slot 11 in contact."""
    changes = {"squad": LINE, "wrecks": {3: (52, 80)}, **changes}
    broods = {BROOD_A: {11: brood}, BROOD_B: FAR_G}
    table = at(4, "ASSAULT_SELECT", turn="tyranids", broods=broods, **changes)
    if charged:
        table.record["models"][11]["marks"] |= st.FLAG_CHARGED
    table.env.feed_dice([*dice, 3, 4])
    table.env.step(PASS)
    assert table.env.pending_dice == []
    return table


def fight_5(
    dice: list[int], squad: dict[int, Cell], swarm: dict[int, Cell], turn: str = "ultramarines"
) -> Table:
    """Return what follows when a player ends the assault step of mission 5."""
    dead = [slot for slot in range(6, 11) if slot not in squad]
    marks = {"Squad Atreus": {"marks": ["assaulted"]}}
    table = at(
        5,
        "ASSAULT_SELECT",
        turn=turn,
        squad=squad,
        dead=dead,
        broods={SWARM_A: swarm, SWARM_B: FAR_T},
        groups=marks,
    )
    table.env.feed_dice(dice)
    table.env.step(PASS)
    return table


def test_mac_b40_fights_of_mission_4_are_in_the_tyranids_turn_only() -> None:
    broods = {BROOD_A: {11: (52, 60)}, BROOD_B: FAR_G}
    table = at(4, "SHOOT_SELECT", squad=LINE, broods=broods, wrecks={3: (52, 80)}).do(PASS)
    assert (table.active, table.phase) == ("tyranids", "MOVE_SELECT")  # nobody has struck
    assert purposes(fight_4([1, 1, 1])) == ["to hit or rend", "to hit or rend", "to hit"]


@pytest.mark.parametrize("turn", ["ultramarines", "tyranids"])
def test_mac_b40_fights_of_mission_5_are_in_both_turns(turn: str) -> None:
    # After the Tyranids' turn comes the next one of the locked squad, which only fights.
    again = 2 if turn == "tyranids" else 1
    table = fight_5([1, 1] * again, {6: (40, 80)}, {17: (42, 80)}, turn)
    assert purposes(table) == ["to hit", "to hit"] * again


def test_mac_b42_the_nearest_goes_first_and_wrecks_do_not_slow() -> None:
    broods = {BROOD_A: {11: (50, 75), 12: (50, 72)}, BROOD_B: FAR_G}
    table = at(4, "ASSAULT_SELECT", turn="tyranids", squad=LINE, broods=broods, wrecks={3: (50, 66)})
    table.do(select(BROOD_A))
    assert (table.phase, int(table.record["model"])) == ("ASSAULT_CELL", 12)
    assert (0, -10) in table.offered("DEST")  # straight over the wreck


@pytest.mark.parametrize(("wall", "open_"), [((44, 47, 50, 53, 56), False), ((42, 45, 48, 52, 55), True)])
def test_mac_b42_friends_leave_a_way_only_where_a_base_fits(wall: tuple[int, ...], open_: bool) -> None:
    broods = {BROOD_A: {11: (50, 66)}, BROOD_B: {12 + k: (x, 63) for k, x in enumerate(wall)}}
    table = at(4, "ASSAULT_SELECT", turn="tyranids", squad={5: (50, 58)}, dead=(1, 2, 3, 4), broods=broods)
    assert (BROOD_A in table.offered("SELECT")) == open_
    if open_:
        assert (0, -6) in table.do(select(BROOD_A)).offered("DEST")


def test_mac_b45_and_m4_4_three_attacks_after_a_charge() -> None:
    charged = fight_4([1, 1, 1, 1], charged=True)
    assert purposes(charged) == ["to hit or rend"] * 3 + ["to hit"]
    assert purposes(fight_4([1, 1, 1])) == ["to hit or rend"] * 2 + ["to hit"]


def test_mac_m4_4_genestealers_strike_first() -> None:
    # The Space Marine struck down has no blow left, though he was not charged.
    table = fight_4([6])
    assert table.dead() == {5}
    assert purposes(table) == ["to hit or rend"]


def test_mac_b47_the_owner_of_the_fighter_chooses_whom_it_strikes() -> None:
    table = fight_5([], {6: (40, 80)}, {17: (42, 80), 18: (38, 80)}, "tyranids")
    assert (table.phase, table.seat, table.active) == ("STRIKE", "ultramarines", "tyranids")
    assert table.offered("MODEL") == {17, 18}
    table.env.feed_dice([3, 3, 5, 1, 1, 1, 1])  # the last two are of the fight in the turn that follows
    table.env.step(model(18))
    assert table.at(17) == (42, 80)
    assert table.at(18) != (38, 80)  # it has come back at the node
    assert purposes(table)[:5] == [
        "to hit",
        "to wound",
        "save",
        "to hit",
        "to hit",
    ]  # both strike, 18 laid down


def test_mac_b48_only_models_in_contact_fight() -> None:
    table = fight_5([1, 1], {6: (40, 80), 7: (36, 80)}, {17: (42, 80), 18: (46, 80)})
    assert purposes(table) == ["to hit", "to hit"]


def test_mac_b54_without_a_space_marine_varras_is_dead() -> None:
    broods = {BROOD_A: {11: (52, 60)}, BROOD_B: FAR_G}
    table = at(
        4,
        "ASSAULT_SELECT",
        turn="tyranids",
        squad={5: (50, 60)},
        dead=(1, 2, 3, 4),
        status={0: "carried"},
        varras_carrier="bolter 3",
        core_carrier="bolter 3",
        broods=broods,
    )
    table.env.feed_dice([6])
    table.env.step(PASS)
    assert int(table.record["models"][0]["status"]) == st.STATUS_DEAD
    assert table.winner == "tyranids"


def test_mac_m3_4_the_squad_fires_as_one_through_the_field() -> None:
    # At (40, 80): two shots each of Varras, Octavian and two bolters, one of the bolter beyond 12 inches.
    table = at(3, "SHOOT_SELECT", broods={BROOD_A: {11: (40, 80)}}).do(select(SQUAD))
    table.env.feed_dice([1] * 9)
    table.env.step(target(BROOD_A))
    assert purposes(table)[:9] == ["to hit"] * 9
    assert table.env.pending_dice == []


def test_mac_m3_6_each_at_the_projector_rolls_until_it_fails() -> None:
    broods = {BROOD_A: {11: (28, 88), 12: (26, 90), 13: (28, 90)}}
    table = at(3, "ASSAULT_SELECT", turn="tyranids", broods=broods).do(select(BROOD_A))
    if table.phase == "ASSAULT_TARGET":
        table.do(target(P3))
    table.env.feed_dice([5, 5, 2, 6])
    table.env.step(AUTO)
    assert int(table.record["field"]) == 0
    assert purposes(table)[:4] == ["disabling"] * 4


def test_mac_m3_7_a_new_unit_stands_beyond_the_wreck_far_from_projectors() -> None:
    table = at(3, "MOVE_SELECT", turn="tyranids", broods={BROOD_A: {11: (90, 5)}}).do(PASS)
    assert (table.phase, table.seat) == ("SPAWN", "tyranids")
    assert "PASS" not in table.verbs()
    wrecks, projectors = table.record["pieces"][:5], table.record["pieces"][9:13]
    for group in sorted(table.offered("TARGET")):
        other = Table(table.env.clone())
        other.env.step(target(group))
        w = wrecks[group - st.FIRST_WRECK_GROUP]
        cells = [other.at(slot) or (0, 0) for slot in range(12, 17)]
        for x, y in cells:
            assert (x - int(w["x"])) ** 2 + (y - int(w["y"])) ** 2 in (25, 26, 29)
            assert (x - int(w["x"])) * (int(w["x"]) - 18) + (y - int(w["y"])) * (int(w["y"]) - 80) > 0
            assert min((x - int(p["x"])) ** 2 + (y - int(p["y"])) ** 2 for p in projectors) > 26**2
        assert int(other.record["groups"][BROOD_B]["living"]) == 5


def test_mac_m4_2_what_is_carried_leaves_with_its_carrier() -> None:
    squad = {1: (80, 48), 2: (74, 48), 3: (72, 48), 4: (70, 48), 5: (68, 48)}
    table = at(
        4,
        "MOVE_SELECT",
        turn="tyranids",
        squad=squad,
        status={0: "carried"},
        varras_carrier="Octavian",
        core_carrier="Octavian",
        broods={BROOD_A: {11: (90, 5)}},
    ).do(PASS, dice=[4, 4])
    table.do(LANE + LANE_CENTRE)
    table.env.step(PASS)
    record = table.record
    assert int(record["models"][1]["status"]) == st.STATUS_ESCAPED
    assert (int(record["core_carrier"]), int(record["varras_carrier"])) == (1, 1)


def test_mac_m4_8_no_charge_of_the_squad_and_rates_of_one_that_moved() -> None:
    broods = {BROOD_A: {11: (50, 66)}, BROOD_B: {16: (82, 60)}}
    table = at(4, "SHOOT_SELECT", squad=LINE, broods=broods, wrecks={3: (52, 80)}).do(select(SQUAD))
    assert table.offered("TARGET") == {BROOD_A}  # the other is 15 inches off
    table.do(PASS)
    assert (table.active, table.phase) == ("tyranids", "MOVE_SELECT")


def test_mac_m4_9_thirty_turns() -> None:
    table = at(4, "SHOOT_SELECT", squad=LINE, broods={BROOD_A: {11: (90, 5)}}, round_=30)
    assert int(table.record["core"]["max_turns"]) == 30
    table.do(PASS, PASS)
    assert table.truncated
    assert table.winner == "nobody"


@pytest.mark.parametrize(("marks", "phase"), [([], "ASSAULT_SELECT"), (["fired", "shot"], "MOVE_SELECT")])
def test_mac_m5_3_the_squad_charges_unless_it_has_shot(marks: list[str], phase: str) -> None:
    groups = {"Squad Atreus": {"marks": marks}}
    table = at(5, "SHOOT_SELECT", squad=ROW, broods={SWARM_A: {17: (46, 88)}}, groups=groups).do(PASS)
    assert table.phase == phase
    if phase == "ASSAULT_SELECT":
        assert table.offered("SELECT") == {ATREUS}


def test_mac_m5_5_blows_are_one_each_and_at_once() -> None:
    table = fight_5([3, 3, 5, 4, 5, 2], {6: (40, 80), 7: (36, 80)}, {17: (42, 80)})
    assert table.at(17) is None
    assert table.dead() - {8, 9, 10} == {6}


def test_mac_m5_8_a_nest_does_not_charge() -> None:
    broods = {NEST: {18: (46, 86)}, SWARM_A: {17: (46, 90)}}
    table = at(5, "ASSAULT_SELECT", turn="tyranids", squad=ROW, broods=broods)
    assert table.offered("SELECT") == {SWARM_A}


# -- conflicts decided -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("die", "falls"), [(3, True), (2, False)])
def test_mac_c1_flame_wounds_termagants_on_3(die: int, falls: bool) -> None:
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (50, 80)}}
    squad = {0: (3, 3), 1: (6, 3), 2: (40, 80)}
    table = at(6, "SHOOT_SELECT", squad=squad, dead=(3, 4, 5), broods=broods, mines={})
    table.do(select(SQUAD), target(SWARM_A), direction(0), dice=[die])
    assert (table.at(17) is None) == falls


@pytest.mark.parametrize(
    ("dice", "falls"), [([3, 3, 5], True), ([2], False), ([3, 2], False), ([3, 3, 6], False)]
)
def test_mac_c2_space_marines_strike_termagants_on_3_and_3(dice: list[int], falls: bool) -> None:
    table = fight_5([*dice, 1], {6: (40, 80)}, {17: (42, 80)})
    assert (table.at(17) is None) == falls
    assert table.env.pending_dice == []


@pytest.mark.parametrize(("dice", "falls"), [([4, 5, 5], True), ([4, 4], False), ([3], False)])
def test_mac_c3_varras_strikes_genestealers_on_4_and_5(dice: list[int], falls: bool) -> None:
    table = fight_4([1, 1, *dice], squad={**LINE, 0: (50, 60), 5: (30, 60)})
    assert (table.at(11) is None) == falls


def test_mac_c3_varras_shoots_genestealers_on_4_and_4() -> None:
    broods = {BROOD_A: {11: (50, 80)}, SWARM_A: {17: (90, 90)}}
    for dice, falls in (([4, 4], True), ([4, 3, 3], False)):
        table = at(
            6, "SHOOT_SELECT", squad={0: (40, 80), 1: (3, 3)}, dead=(2, 3, 4, 5), broods=broods, mines={}
        )
        table.do(select(SQUAD), target(BROOD_A), dice=dice)
        assert (table.at(11) is None) == falls


def termagant_at_varras(phase: str, cell: Cell) -> Table:
    """Return a Tyranid decision of mission 6 with Varras the last of his squad and a Termagant near him."""
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: cell}}
    squad = {0: (40, 80), 6: (1, 62), 7: (1, 66)}
    dead = (1, 2, 3, 4, 5, 8, 9, 10)
    return at(6, phase, turn="tyranids", squad=squad, dead=dead, broods=broods, mines={})


@pytest.mark.parametrize(
    ("dice", "falls"), [([4, 3, 4], True), ([4, 3, 5], False), ([4, 2], False), ([3], False)]
)
def test_mac_c4_fleshborers_wound_varras_on_3_and_mac_b36_find_him_alone(
    dice: list[int], falls: bool
) -> None:
    table = termagant_at_varras("SHOOT_SELECT", (50, 80)).do(select(SWARM_A))
    table.do(target(SQUAD), dice=dice)
    assert (table.at(0) is None) == falls


@pytest.mark.parametrize(("dice", "falls"), [([4, 4, 4], True), ([4, 3], False), ([4, 4, 5], False)])
def test_mac_c4_termagants_strike_varras_on_4_and_4(dice: list[int], falls: bool) -> None:
    table = termagant_at_varras("ASSAULT_SELECT", (42, 80))
    table.env.feed_dice([1, *dice])
    table.env.step(PASS)
    assert (table.at(0) is None) == falls
    assert table.env.pending_dice == []


@pytest.mark.parametrize(("charged", "attacks"), [(False, 2), (True, 3)])
def test_mac_c8_octavian_strikes_twice_and_once_more_after_a_charge(charged: bool, attacks: int) -> None:
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (42, 80)}}
    squad = {0: (3, 3), 1: (40, 80)}
    groups = {"Squad Octavian": {"marks": ["assaulted"]}}
    table = at(6, "ASSAULT_SELECT", squad=squad, dead=(2, 3, 4, 5), broods=broods, mines={}, groups=groups)
    if charged:
        table.record["models"][1]["marks"] |= st.FLAG_CHARGED
    table.env.feed_dice([1] * (attacks + 1))
    table.env.step(PASS)
    assert purposes(table) == ["to hit"] * (attacks + 1)


@pytest.mark.parametrize(("die", "size"), [(1, 5), (6, 10)])
def test_mac_c9_four_termagants_and_a_die_more(die: int, size: int) -> None:
    assert int(fresh(5, [die]).record["groups"][SWARM_A]["living"]) == size


@pytest.mark.parametrize("kind", [0, 1])
@pytest.mark.parametrize(("group", "slot", "needed"), [(BROOD_A, 11, 4), (SWARM_A, 17, 3)])
def test_mac_c10_missiles_wound_genestealers_on_4_and_termagants_on_3(
    kind: int, group: int, slot: int, needed: int
) -> None:
    broods = {BROOD_A: {11: (60, 80)}, SWARM_A: {17: (60, 90)}}
    for die in (needed, needed - 1):
        table = at(6, "SHOOT_SELECT", squad={6: (20, 80)}, dead=(7, 8, 9, 10), broods=broods, mines={})
        table.do(select(ATREUS), target(group), MISSILE + kind, dice=[3, die])
        assert (table.at(slot) is None) == (die >= needed)


@pytest.mark.parametrize(
    ("dice", "falls"), [([6], True), ([3, 4, 2], True), ([5, 3, 1, 1], False), ([2, 1, 1], False)]
)
def test_mac_c12_genestealers_hit_on_3_to_5_and_rend_on_6(dice: list[int], falls: bool) -> None:
    assert (fight_4(dice).dead() == {5}) == falls


@pytest.mark.parametrize(
    ("dice", "dead"), [([4, 5, 2], {6}), ([4, 5, 3], set()), ([4, 4], set()), ([3], set())]
)
def test_mac_2_4_a_termagant_strikes_on_4_5_and_is_saved_on_3(dice: list[int], dead: set[int]) -> None:
    table = fight_5([1, *dice], {6: (40, 80), 7: (30, 80)}, {17: (42, 80)})
    assert table.dead() - {8, 9, 10} == dead
    assert table.env.pending_dice == []


def test_mac_b45_a_pile_in_earns_no_bonus() -> None:
    broods = {BROOD_A: {11: (52, 60), 12: (58, 60)}, BROOD_B: FAR_G}
    table = at(4, "ASSAULT_SELECT", turn="tyranids", squad=LINE, broods=broods, wrecks={3: (52, 80)})
    table.do(select(BROOD_A))
    assert (table.phase, int(table.record["model"])) == ("ASSAULT_CELL", 12)
    (step, *_) = sorted(table.offered("DEST"))
    table.env.feed_dice([1] * 20)
    table.env.step(dest(*step))
    if table.phase == "ASSAULT_SELECT":
        table.env.step(PASS)
    assert purposes(table).count("to hit or rend") == 4
