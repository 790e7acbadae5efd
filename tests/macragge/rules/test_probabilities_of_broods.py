"""Section 8 for missions 3 to 6: frequencies against exact probabilities, four standard deviations."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import pytest
from macragge.rules.batch import NEVER, samples
from macragge.rules.broods import ATREUS, BROOD_A, BROOD_B, SQUAD, SWARM_A, SWARM_B, at
from macragge.rules.table import CROSS, PASS, Cell, direction, mine, model, select, target

from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import AUTO, DISARM, MISSILE

LINE = {0: (30, 60), 1: (34, 60), 2: (38, 60), 3: (42, 60), 4: (46, 60), 5: (50, 60)}
FRAG, KRAK = MISSILE, MISSILE + 1
P3 = st.FIRST_PROJECTOR_GROUP + 3


def check(happened: list[Any], p: Fraction) -> None:
    """Compare the frequency of something with its probability."""
    found = np.concatenate([np.asarray(part, bool) for part in happened])
    sigma = sqrt(p * (1 - p) / len(found))
    assert abs(found.mean() - float(p)) <= 4 * sigma, f"{found.mean():.5f} instead of {float(p):.5f} ({p})"


def check_mean(values: list[Any], mean: Fraction) -> None:
    """Compare the mean of something with its expectation."""
    found = np.concatenate([np.asarray(part, float) for part in values])
    sigma = found.std() / sqrt(len(found))
    assert abs(found.mean() - float(mean)) <= 4 * sigma, f"{found.mean():.5f} instead of {float(mean):.5f}"


def status(states: Any, slot: int, wanted: int) -> Any:
    """Say in which games a model has a status."""
    return np.asarray(states)["models"]["status"][:, slot] == wanted


def out(states: Any, slot: int) -> Any:
    """Say in which games a Tyranid model is out of play."""
    return status(states, slot, st.STATUS_OUT)


def one_shot(cell: Cell, slot: int) -> list[Any]:
    """Return a bolter's single shot at a model, 19 inches off."""
    group = BROOD_A if slot < st.FIRST_TERMAGANT else SWARM_A
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (90, 90)}, group: {slot: cell}}
    table = at(
        6, "SHOOT_SELECT", squad={10: (cell[0] - 40, cell[1])}, dead=(6, 7, 8, 9), broods=broods, mines={}
    ).do(select(ATREUS))
    return [out(states, slot).copy() for states, _ in samples(table.record, [target(group)], [], slot)]


OPEN, COVER = (60, 56), (63, 76)
"""In the open, and touching wreck W2."""


@pytest.mark.parametrize(("cell", "p"), [(OPEN, Fraction(1, 3)), (COVER, Fraction(2, 9))])
def test_p01_a_bolter_kills_a_genestealer(cell: Cell, p: Fraction) -> None:
    check(one_shot(cell, 11), p)


@pytest.mark.parametrize(("cell", "p"), [(OPEN, Fraction(4, 9)), (COVER, Fraction(8, 27))])
def test_p02_a_bolter_kills_a_termagant(cell: Cell, p: Fraction) -> None:
    check(one_shot(cell, 17), p)


def hold_the_flame(states: Any, mask: Any) -> Any:
    """Decline the template, leave the rest."""
    return np.where(np.asarray(states)["phase"] == st.FLAME, PASS, -1)


def test_p03_a_shot_of_varras_kills_a_genestealer() -> None:
    # He alone is within range, with two shots; the first is planned to miss.
    squad = {0: (23, 80), 1: (18, 85), 2: (13, 80)}
    table = at(3, "SHOOT_SELECT", squad=squad, dead=(3, 4, 5), broods={BROOD_A: {11: (49, 80)}})
    table.do(select(SQUAD))
    parts = samples(table.record, [target(BROOD_A)], [1], 3)
    check([(np.asarray(states)["kills"] == 1).copy() for states, _ in parts], Fraction(1, 4))


def test_p06_the_squad_shoots_at_three_genestealers() -> None:
    broods = {BROOD_A: {11: (36, 78), 12: (36, 80), 13: (36, 82)}}
    table = at(3, "SHOOT_SELECT", broods=broods).do(select(SQUAD))
    parts = samples(table.record, [target(BROOD_A)], [], 6, hold_the_flame)
    kills = [np.asarray(states)["kills"].copy() for states, _ in parts]
    check([part == 3 for part in kills], Fraction(4337, 6561))
    check_mean(kills, Fraction(16499, 6561))


def fight(slot: int, dice: list[int], charged: bool, seed: int) -> list[tuple[Any, Any]]:
    """Return who is (dead or carried, the Genestealer out) after a fight with a model of mission 4."""
    squad = {**LINE, slot: (50, 60), 5: LINE[slot]} if slot != 5 else LINE
    broods = {BROOD_A: {11: (52, 60)}, BROOD_B: {16: (90, 5)}}
    table = at(4, "ASSAULT_SELECT", turn="tyranids", squad=squad, broods=broods, wrecks={3: (52, 80)})
    record = table.record.copy()
    if charged:
        record["models"][11]["marks"] |= st.FLAG_CHARGED
    return [
        (~status(states, slot, st.STATUS_TABLE), out(states, 11).copy())
        for states, _ in samples(record, [PASS], dice, seed)
    ]


@pytest.mark.parametrize(
    ("dice", "charged", "p"),
    [([1], False, Fraction(1, 4)), ([], False, Fraction(7, 16)), ([], True, Fraction(37, 64))],
)
def test_p07_a_genestealer_kills_a_space_marine(dice: list[int], charged: bool, p: Fraction) -> None:
    check([fallen for fallen, _ in fight(5, dice, charged, 7)], p)


@pytest.mark.parametrize(
    ("dice", "charged", "p"), [([1], False, Fraction(7, 18)), ([], True, Fraction(4501, 5832))]
)
def test_p08_a_genestealer_brings_varras_down(dice: list[int], charged: bool, p: Fraction) -> None:
    check([fallen for fallen, _ in fight(0, dice, charged, 8)], p)


def test_p09_a_space_marine_survives_a_charge_and_strikes_back() -> None:
    check([~fallen & killed for fallen, killed in fight(5, [], True, 9)], Fraction(45, 512))


@pytest.mark.parametrize(("slot", "p"), [(0, Fraction(5, 36)), (1, Fraction(215, 576))])
def test_p10_blows_of_varras_and_octavian(slot: int, p: Fraction) -> None:
    check([killed for _, killed in fight(slot, [1, 1], False, 10)], p)


def disarm(states: Any, mask: Any) -> Any:
    """Try to take the core out every turn, decline all else, until it is out or six turns are over."""
    records = np.asarray(states)
    done = (records["fusion_core"] != st.CORE_IN_WRECK) | (records["core"]["turn"] > 6)
    first = np.where(mask[:, PASS] == 1, PASS, mask.argmax(axis=1))
    return np.where(done, -1, np.where(mask[:, DISARM] == 1, DISARM, first))


def test_p11_the_core_is_out_within_six_turns() -> None:
    table = at(3, "SHOOT_SELECT", broods={BROOD_A: {11: (90, 5)}})
    within, third = [], []
    for states, over in samples(table.record, [DISARM], [], 11, disarm):
        records = np.asarray(states)
        within.append((over == NEVER) & (records["fusion_core"] == st.CORE_CARRIED))
        third.append(within[-1] & (records["core"]["turn"] == 3))
    check(within, Fraction(665, 729))
    check(third, Fraction(4, 27))


@pytest.mark.parametrize(
    ("cells", "p"), [([(28, 88)], Fraction(11, 36)), ([(28, 88), (26, 90), (28, 90)], Fraction(31031, 46656))]
)
def test_p12_a_projector_falls(cells: list[Cell], p: Fraction) -> None:
    broods = {BROOD_A: {11 + k: cell for k, cell in enumerate(cells)}}
    table = at(3, "ASSAULT_SELECT", turn="tyranids", broods=broods).do(select(BROOD_A))
    if table.phase == "ASSAULT_TARGET":
        table.do(target(P3))
    if len(cells) == 3:  # all of them touch it already, or reach it
        assert table.phase == "ASSAULT_CELL"
    check([(np.asarray(s)["field"] == 0).copy() for s, _ in samples(table.record, [AUTO], [], 12)], p)


def test_p13_the_highest_of_three_dice() -> None:
    table = at(3, "MOVE_SELECT", turn="tyranids", broods={BROOD_A: {11: (46, 64)}}).do(select(BROOD_A))
    parts = samples(table.record, [CROSS], [], 13)
    check_mean([np.asarray(states)["allowance"].copy() for states, _ in parts], Fraction(119, 24))


def test_p14_a_charging_space_marine_and_a_termagant() -> None:
    marks = {"Squad Atreus": {"marks": ["assaulted"]}}
    broods = {SWARM_A: {17: (42, 80)}, SWARM_B: {26: (3, 3)}}
    squad = {7: (40, 80), 8: (30, 80)}
    table = at(5, "ASSAULT_SELECT", squad=squad, dead=(6, 9, 10), broods=broods, groups=marks)
    record = table.record.copy()
    record["models"][7]["marks"] |= st.FLAG_CHARGED
    killed, both = [], []
    for states, _ in samples(record, [PASS], [], 14):
        killed.append(out(states, 17).copy())
        both.append(killed[-1] & status(states, 7, st.STATUS_DEAD))
    check(killed, Fraction(440, 729))
    check(both, Fraction(220, 6561))


def aim(states: Any, mask: Any) -> Any:
    """Aim at slot 17 when asked."""
    return np.where(np.asarray(states)["phase"] == st.AIM, model(17), -1)


def test_p15_a_frag_missile_kills_termagants() -> None:
    broods = {SWARM_A: {17: (60, 88), 18: (63, 88)}, SWARM_B: {26: (3, 3)}}
    table = at(5, "SHOOT_SELECT", squad={6: (20, 80)}, dead=(7, 8, 9, 10), broods=broods)
    table.do(select(ATREUS), target(SWARM_A))
    parts = [(out(s, 17).copy(), out(s, 18).copy()) for s, _ in samples(table.record, [FRAG], [], 15, aim)]
    check([aimed for aimed, _ in parts], Fraction(4, 9))
    check([partly for _, partly in parts], Fraction(2, 9))


def test_p16_squad_atreus_wounds_the_node() -> None:
    squad = {6: (70, 48), 7: (70, 51), 8: (70, 45), 9: (73, 48), 10: (73, 51)}
    table = at(5, "SHOOT_SELECT", squad=squad, broods={SWARM_A: {26: (3, 3)}}).do(select(ATREUS))
    table.do(target(st.GROUP_NODE))
    record = table.record.copy()
    record["pieces"][st.PIECE_NODE]["hp"] = 100
    parts = samples(record, [KRAK], [], 16)
    wounds = [100 - np.asarray(states)["pieces"]["hp"][:, st.PIECE_NODE] for states, _ in parts]
    check_mean(wounds, Fraction(4, 3))


def spray_east(states: Any, mask: Any) -> Any:
    """Spray acid eastwards when asked."""
    return np.where(np.asarray(states)["phase"] == st.ACID_DIR, direction(0), -1)


@pytest.mark.parametrize(
    ("slot", "x", "dice", "p"),
    [
        (27, 34, [3, 4], Fraction(1, 6)),
        (30, 36, [3, 4, 1], Fraction(1, 2)),
        (33, 36, [3, 4], Fraction(1, 12)),
    ],
)
def test_p17_mines_of_mission_6(slot: int, x: int, dice: list[int], p: Fraction) -> None:
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (90, 90)}}
    squad = {9: (40, 80), 10: (20, 80)}
    table = at(6, "SHOOT_SELECT", squad=squad, dead=(6, 7, 8), broods=broods, mines={slot: (x, 80)})
    table.do(select(ATREUS))
    parts = samples(table.record, [mine(slot)], dice, slot, spray_east)
    check([(np.asarray(states)["phase"] == st.CASUALTY).copy() for states, _ in parts], p)


def test_p17_poison_that_covers() -> None:
    # It drifts into contact: 2 inches west, to d2 4 of slot 9.
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (90, 90)}}
    squad = {9: (40, 80), 10: (20, 80)}
    table = at(6, "SHOOT_SELECT", squad=squad, dead=(6, 7, 8), broods=broods, mines={33: (46, 80)})
    parts = samples(table.record, [PASS], [2, 3, 8], 33)
    check([(np.asarray(states)["phase"] == st.CASUALTY).copy() for states, _ in parts], Fraction(1, 6))


def decline_in_turn_5(states: Any, mask: Any) -> Any:
    """Decline everything in the fifth round."""
    return np.where(np.asarray(states)["core"]["turn"] == 5, PASS, -1)


def test_p19_the_core_is_dropped_within_two_rolls() -> None:
    squad = {0: (90, 40), 1: (93, 40), 2: (90, 43), 3: (59, 48), 4: (90, 46), 5: (87, 46)}
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (90, 90)}}
    table = at(6, "ASSAULT_SELECT", squad=squad, broods=broods, mines={}, core_carrier="bolter 1", round_=5)
    parts = samples(table.record, [], [], 19, decline_in_turn_5)
    dropped = [(np.asarray(states)["fusion_core"] == st.CORE_DROPPED).copy() for states, _ in parts]
    check(dropped, Fraction(8, 9))


def test_p20_a_crossed_retreat() -> None:
    table = at(
        4, "MOVE_SELECT", turn="tyranids", squad=LINE, broods={BROOD_A: {11: (90, 5)}}, wrecks={3: (52, 66)}
    )
    parts = samples(table.record, [PASS, CROSS], [], 20)
    inches = [np.asarray(states)["allowance"].copy() for states, _ in parts]
    check_mean(inches, Fraction(15, 4))
    check([part == 4 for part in inches], Fraction(11, 36))
