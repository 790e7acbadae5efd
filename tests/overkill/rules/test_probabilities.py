"""Frequencies against exact probabilities (section 7), four standard deviations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from overkill.rules.table import END, T, Table, kind, marine, pair, position, profile, zone

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.record import as_states, new_log
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.actions import ACTIONS, PROFILE, TYPE, ZONE
from broodmind.envs.overkill.kernel import KERNELS
from broodmind.envs.overkill.tables import tables

SAMPLES = 150 if INTERPRETED else 20_000
C_PAIR = pair(1, st.COMBAT)


def play(
    table: Table, actions: Sequence[int], count: Callable[[Any], int], samples: int = SAMPLES
) -> list[int]:
    """Take actions, then legal ones of the same attack while it goes on, from copies of a position with fresh dice.

    Args:
        table: The position.
        actions: What is done; those that are not legal any more (the target is slain) are left out.
        count: What is counted in a state.
        samples: How many copies.
    """
    origin = np.array(np.asarray(table.env.states))
    origin["core"]["strict"] = 0
    found = []
    mask, log = np.zeros(ACTIONS.size, np.int8), new_log(0)
    for k in range(samples):
        copy = as_states(origin.copy())
        copy["core"]["key"], copy["core"]["stream"] = k + 1, 77
        KERNELS.legal(copy, 0, tables(), mask)
        for action in actions:
            if mask[action]:
                KERNELS.step(copy, 0, tables(), action, log, mask)
        while int(copy["stage"][0]) in (st.DATT_TYPE, st.CATT_REND):
            KERNELS.step(copy, 0, tables(), int(mask.argmax()), log, mask)
        found.append(count(np.asarray(copy)[0]))
    return found


def check(found: list[int], exact: dict[int, Fraction]) -> None:
    """Compare frequencies with exact probabilities."""
    values = np.asarray(found)
    for value, p in exact.items():
        sigma = sqrt(p * (1 - p) / len(values))
        share = float((values == value).mean())
        assert abs(share - float(p)) <= 4 * sigma + 1e-9, f"{value}: {share:.4f} instead of {float(p):.4f}"


def suffered(name: str) -> Callable[[Any], int]:
    """Return a count of a marine's wounds; a slain one has two."""
    m = st.MARINE_IDS.index(name)
    return lambda s: 2 if s["zone"][m] == st.SLAIN else int(s["wounds"][m])


def lost(*types: str) -> Callable[[Any], int]:
    """Return a count of models that left the board, of those that were on it."""
    models = [
        m
        for name in types
        for m in range(
            st.TYPE_FIRST[st.TYPE_IDS.index(name)],
            st.TYPE_FIRST[st.TYPE_IDS.index(name)] + st.TYPE_COUNTS[st.TYPE_IDS.index(name)],
        )
    ]
    return lambda s: -sum(int(s["zone"][m]) >= 0 for m in models)


def struck(type_: str, target: str, a: int = 0, b: int = 0, number: int = 1) -> list[int]:
    """Return the wounds of a fresh marine attacked by models of a type."""
    table = position(marines={target: b, "grytt": 20, "redblade": 21}, cult={type_: [a] * number})
    return play(table, [zone(a), kind(type_), profile(0), marine(target)], suffered(target))


def slain(who: str, p: int, cult: dict[str, list[int]], a: int = 0, b: int = 0, **more: Any) -> list[int]:
    """Return how many models a marine's attack slays."""
    types = list(cult)
    table = position(more.pop("mission", 1), "DATT", marines={who: a, "grytt": 20}, cult=cult, **more)
    total = sum(len(zones) for zones in cult.values())
    actions = [marine(who), PROFILE + p, ZONE + b, TYPE + st.TYPE_IDS.index(types[0])]
    return [total + left for left in play(table, actions, lost(*types))]


def test_p01_an_autogun_at_assault_band() -> None:
    check(struck("autogun", "donatus"), {0: Fraction(64, 81), 1: Fraction(16, 81), 2: Fraction(1, 81)})


def test_p02_an_autopistol_at_assault_band() -> None:
    check(struck("autopistol", "donatus"), {0: Fraction(25, 36), 1: Fraction(5, 18), 2: Fraction(1, 36)})


def test_p03_an_autogun_at_combat_band() -> None:
    check(
        struck("autogun", "donatus", *C_PAIR),
        {0: Fraction(289, 324), 1: Fraction(17, 162), 2: Fraction(1, 324)},
    )


def test_p04_a_purestrain() -> None:
    check(struck("purestrain", "donatus"), {0: Fraction(1, 8), 1: Fraction(3, 8), 2: Fraction(1, 2)})


def test_p05_a_hammer_on_branatar() -> None:
    check(struck("hammer", "branatar"), {0: Fraction(64, 81), 1: Fraction(16, 81), 2: Fraction(1, 81)})


def test_p06_the_chainsword_on_autoguns() -> None:
    check(
        slain("delassio", 1, {"autogun": [0, 0]}), {0: Fraction(1, 9), 1: Fraction(4, 9), 2: Fraction(4, 9)}
    )


def test_p07_the_same_under_first_contact() -> None:
    check(
        slain("delassio", 1, {"autogun": [0, 0]}, turn=1),
        {0: Fraction(1, 81), 1: Fraction(16, 81), 2: Fraction(64, 81)},
    )


def test_p08_the_chainsword_on_autopistols() -> None:
    check(
        slain("delassio", 1, {"autopistol": [0, 0]}),
        {0: Fraction(16, 81), 1: Fraction(40, 81), 2: Fraction(25, 81)},
    )


def test_p09_the_hand_flamer() -> None:
    exact = {
        0: Fraction(4, 243),
        1: Fraction(29, 243),
        2: Fraction(26, 81),
        3: Fraction(92, 243),
        4: Fraction(40, 243),
    }
    check(slain("delassio", 0, {"autogun": [0, 0, 0], "autopistol": [0]}), exact)


def test_p10_kraken_bolts_on_a_purestrain() -> None:
    a, b = C_PAIR
    check(slain("donatus", 0, {"purestrain": [b]}, a, b), {1: Fraction(4, 9)})


def test_p11_a_mining_laser_on_cassius() -> None:
    check(struck("mining_laser", "cassius"), {1: Fraction(1, 4)})


def test_p12_lightning_claws() -> None:
    exact = {0: Fraction(1, 27), 1: Fraction(2, 9), 2: Fraction(4, 9), 3: Fraction(8, 27)}
    check(slain("setorax", 0, {"autogun": [0, 0, 0]}), exact)


def test_p13_gydraels_sword_on_the_patriarch() -> None:
    table = position(2, "DATT", marines={"gydrael": 0, "grytt": 20}, cult={"patriarch": [0]})
    patriarch = st.PATRIARCH_SLOT
    found = play(
        table,
        [marine("gydrael"), profile(0), zone(0), kind("patriarch")],
        lambda s: 2 if s["zone"][patriarch] < 0 else int(s["wounds"][patriarch]),
    )
    check(found, {0: Fraction(343, 729), 1: Fraction(98, 243), 2: Fraction(92, 729)})


def test_p14_plasma() -> None:
    a, b = C_PAIR
    check(slain("gydrael", 1, {"autogun": [b]}, a, b), {1: Fraction(1, 2)})
    table = position(at="DATT", marines={"gydrael": a, "grytt": 20}, cult={"autogun": [b]})
    found = play(table, [marine("gydrael"), profile(1), zone(b), kind("autogun")], suffered("gydrael"))
    check(found, {1: Fraction(1, 18)})


def test_p15_the_patriarchs_claws_on_two_marines_without_saves() -> None:
    table = position(2, marines={"donatus": 0, "grytt": 0, "redblade": 20}, cult={"patriarch": [0]})
    one, two = suffered("donatus"), suffered("grytt")
    found = play(
        table, [zone(0), kind("patriarch"), profile(0), marine("donatus")], lambda s: one(s) + two(s)
    )
    check(
        found,
        {
            0: Fraction(1, 81),
            1: Fraction(8, 81),
            2: Fraction(8, 27),
            3: Fraction(32, 81),
            4: Fraction(16, 81),
        },
    )


def test_p16_a_grenade() -> None:
    a, b = C_PAIR
    cult = {"grenade_launcher": [a], "autopistol": [b, b]}
    table = position(marines={"donatus": b, "grytt": 20}, cult=cult)
    actions = [zone(a), kind("grenade_launcher"), profile(0), zone(b)]
    check(play(table, actions, suffered("donatus")), {1: Fraction(1, 9)})
    check([2 + left for left in play(table, actions, lost("autopistol"))], {1: Fraction(65, 162)})


def test_p17_five_autoguns() -> None:
    check(struck("autogun", "donatus", number=5), {2: Fraction(118985033, 387420489)})


def test_p18_four_autopistols() -> None:
    check(struck("autopistol", "donatus", number=4), {2: Fraction(663991, 1679616)})


def first_hands(mission: int, cards: tuple[int, ...]) -> list[int]:
    """Return for many hands that are drawn from a full deck whether one of some cards is in them."""
    cult: dict[str, list[int]] = {"patriarch": [0]} if mission == 9 else {}
    table = position(mission, "DATT2", marines={"grytt": 20}, cult=cult)
    return play(table, [END], lambda s: int(any(s["card_at"][c] == st.CARD_HAND for c in cards)))


def test_p19_the_first_hand_of_killstorm() -> None:
    lists = [c for c in range(st.CARDS) if T["deck"][1, c] and st.GRENADE_LAUNCHER in T["entry_type"][c]]
    assert lists == [10, 11, 15]
    check(first_hands(1, (10, 11, 15)), {1: Fraction(79, 112)})


def test_p20_the_first_hand_of_mission_9() -> None:
    check(first_hands(9, (24, 25)), {1: Fraction(68, 145)})
