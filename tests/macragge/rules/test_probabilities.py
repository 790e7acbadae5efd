"""Section 8 and more: frequencies against exact probabilities, 200,000 games each, four standard deviations."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import sqrt
from typing import Any

import numpy as np
import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.batch import NEVER, samples
from macragge.rules.table import CROSS, PASS, direction, mine, position, select

from broodmind.envs.macragge import state as st

LINE = {1: (44, 48), 2: (50, 48), 3: (38, 48), 4: (44, 44), 5: (44, 52)}


def check(happened: list[Any], p: Fraction) -> None:
    """Compare the frequency of something with its probability."""
    found = np.concatenate([np.asarray(part, bool) for part in happened])
    sigma = sqrt(p * (1 - p) / len(found))
    assert abs(found.mean() - float(p)) <= 4 * sigma, f"{found.mean():.5f} instead of {float(p):.5f} ({p})"


def gone(states: Any, slot: int) -> Any:
    """Say in which games a mine is off the table."""
    return np.asarray(states)["models"]["status"][:, slot] == st.STATUS_OUT


def pass_on(states: Any, mask: Any) -> Any:
    """Decline what the Ultramarines are asked in their own turn, take the first casualty, and leave the rest."""
    records = np.asarray(states)
    phase, active = records["phase"], records["active"]
    own = (active == st.ULTRAMARINES) & np.isin(phase, (st.MOVE_SELECT, st.SHOOT_SELECT, st.FLAME))
    own &= records["core"]["turn"] == 1
    first = mask.argmax(axis=1)
    return np.where(own, PASS, np.where(phase == st.CASUALTY, first, -1))


def test_p03_a_shot_of_varras_detonates_a_mine() -> None:
    table = position(1, mines={27: (30, 48)}).do(PASS)
    check([gone(states, 27) for states, _ in samples(table.record, [mine(27)], [], 3)], Fraction(1, 4))


@pytest.mark.parametrize(("x", "p"), [(34, Fraction(2, 3)), (36, Fraction(1, 3))])
def test_p04_an_explosion_kills_varras_in_mission_1(x: int, p: Fraction) -> None:
    table = position(1, varras=(30, 48), mines={27: (x, 48)}).do(PASS)
    check([over == -2 for _, over in samples(table.record, [mine(27)], [4, 4], 4)], p)


@pytest.mark.parametrize(("varras", "p"), [((20, 46), Fraction(2, 3)), ((14, 45), Fraction(1, 3))])
def test_p04_an_explosion_kills_varras_in_mission_2(varras: tuple[int, int], p: Fraction) -> None:
    # The mine drifts into slot 1 and goes off at (18, 48): Varras is covered (d2 8) or partly covered (25).
    table = position(2, varras=varras, squad={1: (18, 46)}, dead=(2, 3, 4, 5), mines={27: (18, 54)})
    assert oracle.drift(table.record, 27, 6, 12) == ((18, 48), True)
    dead = []
    for states, over in samples(table.record, [], [6, 3, 12], 5, pass_on):
        lost = np.asarray(states)["models"]["status"][:, 0] == st.STATUS_DEAD
        dead.append(lost | (over != NEVER))
    check(dead, p)


@pytest.mark.parametrize(("x", "p"), [(36, Fraction(1, 2)), (37, Fraction(1, 4))])
def test_p05_a_mine_sets_off_a_second(x: int, p: Fraction) -> None:
    table = position(1, mines={27: (32, 48), 28: (x, 48)}).do(PASS)
    check([gone(states, 28) for states, _ in samples(table.record, [mine(27)], [4, 4], 6)], p)


def test_p05_a_chain_of_three_mines() -> None:
    # 28 is covered by 27 (1/2), 29 partly by 28 alone (1/4 then).
    table = position(1, mines={27: (30, 48), 28: (33, 48), 29: (38, 48)}).do(PASS)
    parts = [(gone(s, 28), gone(s, 29)) for s, _ in samples(table.record, [mine(27)], [4, 4], 7)]
    check([second for second, _ in parts], Fraction(1, 2))
    check([third for _, third in parts], Fraction(1, 8))
    check([third & ~second for second, third in parts], Fraction(0))


def test_p13_the_higher_of_two_dice() -> None:
    squad = {1: (60, 64), 2: (60, 61), 3: (60, 67), 4: (63, 63), 5: (63, 66)}
    table = position(2, squad=squad, mines={}).do(select(1))
    inches = np.concatenate(
        [np.asarray(states)["allowance"].copy() for states, _ in samples(table.record, [CROSS], [], 8)]
    )
    pairs = [max(pair) for pair in product(range(1, 7), repeat=2)]
    mean = Fraction(sum(pairs), 36)
    assert mean == Fraction(161, 36)
    variance = float(Fraction(sum(x * x for x in pairs), 36) - mean**2)
    assert abs(inches.mean() - float(mean)) <= 4 * sqrt(variance / len(inches))
    check([inches >= 5], Fraction(5, 9))
    for k in range(1, 7):
        check([inches == k], Fraction(2 * k - 1, 36))


def steer_west(states: Any, mask: Any) -> Any:
    """Pass on, and steer a mine west whenever asked."""
    chosen = pass_on(states, mask)
    return np.where(np.asarray(states)["phase"] == st.MINE_DIR, direction(8), chosen)


def test_p18_a_mine_steered_at_varras_reaches_him() -> None:
    table = position(1, mines={27: (19, 48)})
    hits = [oracle.drift(table.record, 27, n, 8)[1] for n in range(1, 7)]
    drifts = [oracle.drift(table.record, 27, n, i)[1] for n in range(1, 7) for i in range(16)]
    p = Fraction(1, 3) * Fraction(sum(hits), 6) + Fraction(2, 3) * Fraction(sum(drifts), 96)
    assert p == Fraction(1, 4) == Fraction(2, 9) + Fraction(1, 36)
    parts = [(gone(s, 27) | (o == -2), o == -2) for s, o in samples(table.record, [], [], 9, steer_west)]
    check([contact for contact, _ in parts], p)
    check([dead for _, dead in parts], p * Fraction(2, 3))


def test_mac_b16_a_third_of_scatters_hit_and_arrows_are_uniform() -> None:
    table = position(1, mines={27: (60, 48)})
    cells, asked = [], []
    for states, _ in samples(table.record, [], [3], 10, pass_on):
        records = np.asarray(states)
        asked.append(records["phase"] == st.MINE_DIR)
        cells.append(np.stack([records["models"]["x"][:, 27], records["models"]["y"][:, 27]], axis=1).copy())
    check(asked, Fraction(1, 3))
    drifted = np.concatenate(cells)[~np.concatenate(asked)]
    ends = {oracle.drift(table.record, 27, 3, i)[0] for i in range(16)}
    assert len(ends) == 16
    for end in ends:
        check([(drifted == end).all(axis=1)], Fraction(1, 16))


def test_mac_b50_drifts_are_uniform_from_one_to_six_inches() -> None:
    table = position(1, mines={27: (60, 44)})
    ends: dict[oracle.Cell, Fraction] = {}
    for inches, i in product(range(1, 7), range(16)):
        end, _ = oracle.drift(table.record, 27, inches, i)
        steered = Fraction(1, 3) if i == 8 else Fraction(0)
        ends[end] = ends.get(end, Fraction(0)) + Fraction(1, 6) * (Fraction(2, 3) / 16 + steered)
    assert sum(ends.values()) == 1
    assert len(ends) > 80
    cells = []
    for states, _ in samples(table.record, [], [], 11, steer_west):
        models = np.asarray(states)["models"]
        cells.append(np.stack([models["x"][:, 27], models["y"][:, 27]], axis=1).copy())
    drifted = np.concatenate(cells)
    for end, p in ends.items():
        check([(drifted == end).all(axis=1)], p)


def test_mac_m2_4_half_of_all_that_is_touched_burns() -> None:
    markers = {0: (60, 48), 1: (90, 10)}
    table = position(2, squad=LINE, mines={27: (64, 48)}, markers=markers).do(PASS)
    parts = []
    for states, _ in samples(table.record, [direction(0)], [], 12):
        burnt = np.asarray(states)["pieces"]["kind"][:, st.FIRST_MARKER] == st.PIECE_NONE
        parts.append((burnt, gone(states, 27)))
    check([marker for marker, _ in parts], Fraction(1, 2))
    check([mine_ for _, mine_ in parts], Fraction(1, 2))
    check([marker & mine_ for marker, mine_ in parts], Fraction(1, 4))


def test_mac_m2_5_space_marines_lost_to_an_explosion() -> None:
    # At (58, 52) it covers slots 1 and 3 (lost with 1/6 each) and touches slot 4 (d2 32; 1/12).
    squad = {1: (60, 49), 3: (60, 51), 4: (62, 48), 5: (66, 51), 2: (66, 45)}
    table = position(2, squad=squad, mines={27: (58, 60)})
    lost = np.concatenate(
        [
            (np.asarray(states)["models"]["status"][:, 1:6] == st.STATUS_DEAD).sum(axis=1)
            for states, _ in samples(table.record, [], [6, 3, 12], 13, pass_on)
        ]
    )
    chances = [Fraction(1, 2) * Fraction(1, 3)] * 2 + [Fraction(1, 2) ** 2 * Fraction(1, 3)]
    assert chances == [Fraction(1, 6), Fraction(1, 6), Fraction(1, 12)]
    exact = [Fraction(0)] * 4
    for outcome in product((0, 1), repeat=3):
        p = Fraction(1)
        for happens, chance in zip(outcome, chances, strict=True):
            p *= chance if happens else 1 - chance
        exact[sum(outcome)] += p
    for count, p in enumerate(exact):
        check([lost == count], p)


def test_mac_m1_6_varras_dies_or_a_second_mine_goes_independently() -> None:
    table = position(1, varras=(30, 48), mines={27: (34, 48), 28: (40, 48)}).do(PASS)
    # 27 covers Varras (2/3) and touches 28 (d2 36; 1/4), which is rolled for only while he lives: M1 ends with him.
    parts = [(gone(s, 28) & (o == NEVER), o == -2) for s, o in samples(table.record, [mine(27)], [4, 4], 14)]
    check([dead for _, dead in parts], Fraction(2, 3))
    check([second for second, _ in parts], Fraction(1, 3) * Fraction(1, 4))


def test_mac_m2_3_the_last_marker_burns_half_the_time() -> None:
    # Varras and two Space Marines are dead: that is a draw.
    squad = {1: (46, 46), 2: (50, 48), 3: (46, 50)}
    table = position(2, squad=squad, markers={0: (60, 48)}, mines={}, dead=(0, 4, 5)).do(PASS)
    check([over == 0 for _, over in samples(table.record, [direction(0)], [], 15)], Fraction(1, 2))


def test_mac_b35_the_choice_of_casualties_is_the_owners() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    table = position(2, squad=squad, mines={27: (58, 60)})

    def spare_the_flamer(states: Any, mask: Any) -> Any:
        chosen = pass_on(states, mask)
        asked = np.asarray(states)["phase"] == st.CASUALTY
        last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
        return np.where(asked, last, chosen)

    for states, _ in samples(table.record, [], [6, 3, 12], 16, spare_the_flamer):
        status = np.asarray(states)["models"]["status"]
        assert (status[:, 2] == st.STATUS_TABLE).all()
        assert ((status[:, 4] == st.STATUS_TABLE) | (status[:, 5] == st.STATUS_DEAD)).all()
