"""The turn, zones, room, models and what ends a game (OVK-G)."""

from __future__ import annotations

import numpy as np
from overkill.rules.table import END, T, card, kind, marine, pair, point, position, zone, zones_of

import broodmind
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.geometry import Rect, adjacent, band, capacity


def test_ovk_g01_six_phases_in_order() -> None:
    table = position(at="DMOVE", marines={"grytt": 20, "cassius": 19}, cult={"autogun": [0]}, laid={0: 4})
    seen: list[str] = []
    while table.turn == 2:
        if not seen or seen[-1] != table.stage:
            seen.append(table.stage)
        table.do(END)
    assert seen == ["DMOVE", "CMOVE", "LAUNCH", "DATT", "CATT", "DATT"]
    assert table.stage == "BROOD"


def test_ovk_g02_a_position_is_a_zone() -> None:
    table = position(at="CMOVE", marines={"grytt": 20}, cult={"autogun": [0, 0]})
    assert table.record["zone"][st.FIRST_CULT] == table.record["zone"][st.FIRST_CULT + 1] == 0


def test_ovk_g03_room_is_area() -> None:
    assert [capacity(Rect(0, 0, *size)) for size in ((66, 90), (50, 100), (60, 110), (80, 65))] == [
        35,
        32,
        32,
        30,
    ]


def test_ovk_g04_every_model_fits_in_an_empty_zone() -> None:
    for mission in range(1, 10):
        for z in zones_of(mission):
            assert T["capacity"][mission, z] >= T["cost"].max() == 20


def test_ovk_g05_adjacent_zones_share_20_mm() -> None:
    assert adjacent(Rect(0, 0, 50, 50), Rect(50, 30, 50, 50))
    assert not adjacent(Rect(0, 0, 50, 50), Rect(50, 31, 50, 50))
    assert not adjacent(Rect(0, 0, 50, 50), Rect(50, 50, 50, 50))
    assert band(Rect(0, 0, 50, 50), Rect(50, 50, 50, 50)) == st.ASSAULT


def test_ovk_g06_bands_are_distances_of_rectangles() -> None:
    for gap, expected in ((52, 0), (53, 1), (192, 1), (193, 2), (420, 2), (421, 3)):
        assert band(Rect(0, 0, 50, 50), Rect(50 + gap, 0, 50, 50)) == expected
    assert T["band"][1, 4, 4] == st.ASSAULT


def test_ovk_g07_there_is_no_line_of_sight() -> None:
    a, b = pair(1, st.COMBAT)
    for z in zones_of(1):
        assert T["band"][1, a, b] == T["band"][1, b, a]
        assert z >= 0


def test_ovk_g08_levels_are_out_of_every_band() -> None:
    for a in zones_of(5):
        for b in zones_of(5):
            if T["level"][5, a] != T["level"][5, b]:
                assert T["band"][5, a, b] == st.OUT
                assert not T["jump"][5, a, b]


def test_ovk_g09_marines_and_leaders_die_at_the_second_wound() -> None:
    assert [int(h) for h in T["health"]] == [2] * 11 + [1] * 8 + [2] * 3


def test_ovk_g10_a_slain_cult_model_is_in_the_pool_again() -> None:
    table = position(at="DATT", marines={"donatus": 0, "grytt": 20}, cult={"autogun": [0]}, laid={0: 4})
    table.shoot("donatus", 0, 0, "autogun", dice=[3])
    assert table.record["zone"][st.FIRST_CULT] == st.OFF
    assert T["count"].sum() == 39


def test_ovk_g11_marines_do_not_return() -> None:
    table = position(at="DMOVE", marines={"grytt": 20, "cassius": "slain"})
    assert table.offered("MARINE") == {st.GRYTT}


def test_ovk_g12_the_mission_ends_at_once() -> None:
    table = position(at="DATT", marines={"donatus": 0, "grytt": 20}, cult={"autogun": [0, 0]}, kills=24)
    assert table.shoot("donatus", 0, 0, "autogun", dice=[3]).winner == "deathwatch"


def test_ovk_g13_both_at_once_is_a_draw() -> None:
    a, b = pair(1, st.COMBAT)
    marines = {"grytt": a, "donatus": b, "cassius": "slain"}
    table = position(at="DATT", marines=marines, cult={"autogun": [b]}, wounded=["donatus"], kills=24)
    table.shoot("grytt", 0, b, dice=[4, 4, 1])
    assert table.winner == "nobody"
    assert not table.record["core"]["truncated"]


def test_ovk_g14_slain_by_ones_own_side_counts() -> None:
    a, b = pair(1, st.COMBAT)
    table = position(marines={"donatus": b}, cult={"grenade_launcher": [a], "autogun": [b]})
    assert table.blast(a, "grenade_launcher", b, [1, 5]).number("kills") == 1


def test_ovk_g15_the_turn_limit_truncates() -> None:
    table = position(at="DATT2", marines={"grytt": 20}, turn=12).do(END)
    assert table.winner == "nobody"
    assert table.record["core"]["truncated"] == 1


def test_ovk_g16_rewards_are_one_and_minus_one() -> None:
    table = position(at="DATT", marines={"donatus": 0, "grytt": 20}, cult={"autogun": [0]}, kills=24)
    table.shoot("donatus", 0, 0, "autogun", dice=[3])
    assert table.env.rewards == {"deathwatch_0": 1.0, "cult_0": -1.0}


def test_ovk_g17_placing_takes_the_lowest_free_model() -> None:
    assert list(T["first"]) == [11, 23, 35, 37, 39, 41, 43, 45, 47, 48, 49]
    table = position(at="LAUNCH", marines={"grytt": 20}, cult={"autogun": ["off", 0]}, laid={0: 4}).do(
        point(0)
    )
    assert [int(z) for z in table.record["zone"][11:15]] == [1, 0, 1, 1]


def test_ovk_g18_the_same_seed_gives_the_same_cards() -> None:
    hands = []
    for _ in range(2):
        env = broodmind.make("overkill/killstorm-v0")
        env.reset(seed=9)
        while env.states[0]["core"]["turn"] == 0:
            env.step(env.legal_actions()[0])
        hands.append(np.flatnonzero(env.states[0]["card_at"] == st.CARD_HAND).tolist())
    assert hands[0] == hands[1]


def test_ovk_g18_planned_draws_come_first() -> None:
    from broodmind.envs.overkill import names

    table = position(
        at="DATT2", marines={"grytt": 20}, draws=[names.card_name(7), names.card_name(3)], draw_count=2
    )
    table.do(END)
    assert {3, 7} <= set(table.hand())
    assert table.number("draw_count") == 0


def test_ovk_g03_costs_are_counted() -> None:
    table = position(at="CMOVE", marines={"grytt": 20, "suberei": 5}, cult={"autogun": [0]})
    assert [int(table.record["used"][z]) for z in (0, 5, 20)] == [4, 20, 7]
    table.do(zone(0), kind("autogun"), zone(3))
    assert [int(table.record["used"][z]) for z in (0, 3)] == [0, 4]


def test_ovk_g12_nobody_acts_after_the_end() -> None:
    table = position(at="DATT", marines={"donatus": 0, "grytt": 20}, cult={"autogun": [0]}, kills=24)
    table.shoot("donatus", 0, 0, "autogun", dice=[3])
    assert table.env.legal_actions() == []
    assert table.stage == "OVER"
    assert marine("grytt") != card(0)
