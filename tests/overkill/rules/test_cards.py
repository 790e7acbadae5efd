"""The Broodmind phase, launching and gambits (OVK-B, L, K; edge cases of section 6)."""

from __future__ import annotations

from typing import Any

import pytest
from overkill.rules.table import END, T, card, gambit, kind, marine, mix, pair, point, position, profile, zone

from broodmind.envs.overkill import state as st

LEFT = {"grytt": 20}


def test_e30_no_more_cards_than_free_points() -> None:
    # Sections 0 to 2 are gone: the last one has three points, one of which holds the lurking card.
    marines = {"cassius": 24, "grytt": "exited", "donatus": "exited", "redblade": 25}
    table = position(
        4, "BROOD", marines=marines, turn=7, hand=(0, 1, 2, 3, 4), laid={7: 5}, lurking=(7,), destroyed=3
    )
    table.do(card(0), point(8), card(1), point(9))
    assert table.offered("CARD") == set()
    assert table.do(END).hand() == [2, 3, 4]


def test_e31_the_discard_pile_is_shuffled_into_a_new_deck() -> None:
    discard = tuple(range(1, 9))
    laid = dict(enumerate(range(9, 14)))
    marines = {"grytt": 20, "cassius": 21}
    table = position(1, "DATT2", marines=marines, deck=(0, 14, 15), hand=(14, 15), discard=discard, laid=laid)
    table.do(END)
    assert table.stage == "BROOD"
    assert len(table.hand()) == 5
    assert len(table.cards(st.CARD_DECK)) == 6
    assert table.cards(st.CARD_DISCARD) == set()


def test_e32_one_card_may_lurk() -> None:
    table = position(at="LAUNCH", marines=LEFT, laid={0: 4, 1: 5, 2: 6})
    table.do(point(0))
    assert END not in table.env.legal_actions()
    table.do(point(1))
    assert END in table.env.legal_actions()


def test_e33_a_lurking_card_keeps_its_point() -> None:
    table = position(at="BROOD", marines=LEFT, hand=(0, 1, 2, 3, 4), laid={2: 5}, lurking=(2,))
    assert 2 not in table.do(card(0)).offered("POINT")
    table.do(point(0), card(1), point(1), card(2), point(3))
    assert sum(table.record["point_card"] >= 0) == 4


def test_e34_a_leader_on_the_board_is_not_placed_again() -> None:
    table = position(2, "LAUNCH", marines={"grytt": 20}, cult={"primus": [40]}, laid={0: 28})
    table.do(point(0), mix(1))
    assert table.count("primus") == 1
    assert table.count("hammer") == 1
    slots = {"primus": [40], "hammer": [40, 40], "pick": [41, 41]}
    table = position(2, "LAUNCH", marines={"grytt": 20}, cult=slots, laid={0: 28}).do(point(0))
    assert 28 in table.cards(st.CARD_DISCARD)


def test_e35_any_mix_that_places_as_many_as_possible() -> None:
    cult = {"autogun": [12] * 4 + [13] * 4 + [23] * 3, "autopistol": [24] * 3}
    table = position(at="LAUNCH", marines=LEFT, cult=cult, laid={0: 0}).do(point(0))
    assert table.stage == "LAUNCH_MIX"
    assert table.offered("MIX") == {0, 1}


def test_e36_room_limits_the_mix() -> None:
    # Point 4 is in zone 10 (40 units); a bike leaves 20.
    cult = {"autogun": [12] * 4 + [13] * 4 + [23] * 3}
    assert T["point_zone"][1, 4] == 10
    table = position(at="LAUNCH", marines={"suberei": 10}, cult=cult, laid={4: 0}).do(point(4))
    assert table.offered("MIX") == {1}
    table.do(mix(1))
    assert (table.count("autogun", 10), table.count("autopistol", 10)) == (1, 2)


def test_e37_a_substitute_for_those_who_are_all_slain() -> None:
    table = position(
        7, "LAUNCH", marines=LEFT, cult={"purestrain": ["slain", "slain"]}, laid={0: 19}, kills=2
    )
    table.do(point(0))
    assert table.offered("TYPE") == set(range(st.TYPES)) - {st.PURESTRAIN, st.PATRIARCH}
    assert table.do(kind("magus")).count("magus") == 1


def test_e38_no_substitute_while_one_of_them_lives() -> None:
    table = position(
        7, "LAUNCH", marines=LEFT, cult={"purestrain": ["slain", 3]}, laid={0: 19, 1: 0}, kills=1
    )
    assert table.do(point(0)).stage == "LAUNCH"


def everybody(but: int = 0) -> dict[str, Any]:
    """Return all 38 cult models of mission 7 slain, but for the purestrains: one on the board, `but` in the pool."""
    cult: dict[str, Any] = {
        name: ["slain"] * count
        for name, count in zip(st.TYPE_IDS, st.TYPE_COUNTS, strict=True)
        if name not in ("patriarch", "purestrain")
    }
    cult["purestrain"] = [3, "off" if but else "slain"]
    return cult


def test_e39_an_empty_pool_ends_the_ambushes() -> None:
    table = position(
        7, "LAUNCH", marines=LEFT, cult=everybody(1), laid={0: 19, 1: 0, 2: 1}, kills=36, hand=(6, 11)
    )
    table.do(point(0))
    assert table.number("no_ambush") == 1
    assert table.cards(st.CARD_LAID) == set()
    while table.stage != "BROOD":
        table.do(END)
    assert table.offered("CARD") == set()
    assert table.offered("GAMBIT")
    assert END in table.env.legal_actions()


def test_ovk_b01_the_deck_is_the_missions() -> None:
    import broodmind

    env = broodmind.make("overkill/killstorm-v0")
    env.reset(seed=3)
    places = env.states[0]["card_at"]
    assert all((places[c] == st.CARD_OUT) == (not T["deck"][1, c]) for c in range(st.CARDS))


def test_ovk_b02_nothing_is_drawn_or_discarded_above_the_hands_size() -> None:
    hand = tuple(range(7))
    table = position(at="DATT2", marines=LEFT, hand=hand).do(END)
    assert table.hand() == list(hand)


def test_ovk_b03_drawing_stops_when_there_is_nothing() -> None:
    laid = dict(enumerate(range(10)))
    table = position(at="DATT2", marines=LEFT, deck=(), hand=(10, 11), laid=laid).do(END)
    assert len(table.hand()) == 5
    assert table.cards(st.CARD_DECK) == {12, 13, 14, 15} - set(table.hand()) or table.cards(st.CARD_DECK)


def test_ovk_b04_exactly_so_many_cards_are_laid() -> None:
    table = position(at="BROOD", marines=LEFT, hand=(0, 1, 2, 3, 4))
    for k in range(3):
        assert END not in table.env.legal_actions()
        table.do(card(k), point(k))
    assert table.offered("CARD") == set()


def test_ovk_b05_a_small_hand_is_laid_whole() -> None:
    table = position(at="BROOD", marines=LEFT, hand=(0,))
    table.do(card(0), point(0))
    assert table.stage != "BROOD"


def test_ovk_b06_a_bluff_may_be_laid() -> None:
    table = position(
        2, "BROOD", marines={"grytt": 20}, hand=(19, 0, 1, 2, 3, 4), cult={"purestrain": [40, 40]}
    )
    assert 19 in table.offered("CARD")


def test_ovk_b07_a_played_gambit_is_discarded() -> None:
    hand = (6, 0, 1, 2, 3)
    table = position(at="BROOD", marines=LEFT, hand=hand).do(gambit("whisper", hand))
    assert 6 in table.cards(st.CARD_DISCARD)


def test_ovk_b08_a_gambit_leaves_enough_cards_to_lay() -> None:
    assert position(at="BROOD", marines=LEFT, hand=(6, 0, 1)).offered("GAMBIT") == set()
    assert position(at="BROOD", marines=LEFT, hand=(6, 0, 1, 2)).offered("GAMBIT") == {6}


def test_ovk_b09_the_deathwatch_sees_no_card_that_it_may_not_know() -> None:
    one = position(at="DATT", marines=LEFT, hand=(0, 1), laid={0: 4})
    two = position(at="DATT", marines=LEFT, hand=(2, 3), laid={0: 5})
    seen = [table.env.observe("deathwatch_0") for table in (one, two)]
    assert seen[0]["observation"].tobytes() == seen[1]["observation"].tobytes()
    cult = [table.env.observe("cult_0")["observation"].tobytes() for table in (one, two)]
    assert cult[0] != cult[1]


def test_ovk_l01_launched_models_have_moved() -> None:
    table = position(at="LAUNCH", marines=LEFT, laid={0: 4}).do(point(0))
    assert table.count("autogun", int(T["point_zone"][1, 0])) == 3


def test_ovk_l02_every_card_may_be_launched() -> None:
    table = position(at="LAUNCH", marines=LEFT, laid={0: 4, 1: 7}).do(point(0), point(1))
    assert table.cards(st.CARD_LAID) == set()


def test_ovk_l03_entries_are_placed_in_order() -> None:
    table = position(at="LAUNCH", marines={"suberei": 10}, cult={"autogun": [9] * 4}, laid={4: 10}).do(
        point(4)
    )
    assert (table.count("autogun", 10), table.count("grenade_launcher", 10)) == (2, 1)


def test_ovk_l04_models_that_are_not_in_the_pool_are_not_placed() -> None:
    table = position(at="LAUNCH", marines=LEFT, cult={"autogun": [0] * 8 + [2] * 3}, laid={4: 4}).do(point(4))
    assert table.count("autogun") == 12


def test_ovk_l05_revealed_cards_are_discarded() -> None:
    table = position(at="LAUNCH", marines=LEFT, laid={0: 4, 1: 5}).do(point(0), END)
    assert 4 in table.cards(st.CARD_DISCARD)
    assert table.record["point_marks"][1] == st.LURKING


def test_ovk_l06_a_card_turned_up_stays_and_may_lurk() -> None:
    table = position(at="LAUNCH", marines=LEFT, laid={0: 4}, face_up=(0,)).do(END)
    assert table.record["point_marks"][0] == st.LURKING | st.TURNED_UP


# -- gambits ---------------------------------------------------------------------------------------


def test_ovk_k01_whispers_draw_two() -> None:
    hand = (6, 0, 1, 2, 3)
    assert len(position(at="BROOD", marines=LEFT, hand=hand).do(gambit("whisper", hand)).hand()) == 6


def test_ovk_k01_rockfall_hits_on_five() -> None:
    marines = {"grytt": 20, "cassius": 20, "branatar": 5}
    table = position(at="BROOD", marines=marines, hand=(11, 0, 1, 2))
    table.do(gambit("rockfall", (11,)))
    assert table.offered("ZONE") == {5, 20}
    table.do(zone(20), dice=[4, 5, 2])
    assert table.wounds("grytt") == 1


def test_ovk_k01_a_bulkhead_pins_a_marine() -> None:
    hand = (18, 0, 1, 2, 3, 4)
    table = position(2, "BROOD", marines={"grytt": 20, "cassius": 21}, hand=hand, lay_min=0, lay_max=0).do(
        END
    )
    assert table.stage == "WINDOW"
    table.do(gambit("bulkhead", hand), marine("grytt"))
    assert table.stage == "DMOVE"
    assert table.offered("MARINE") == {st.CASSIUS}


def test_ovk_k01_a_surge_is_one_move_more() -> None:
    before = position(2, "CMOVE", marines={"grytt": 20}, cult={"autogun": [0]}).do(zone(0), kind("autogun"))
    table = position(2, "CMOVE", marines={"grytt": 20}, cult={"autogun": [0]}, hand=(19,))
    table.do(gambit("surge", (19,)), zone(0), zone(0), kind("autogun"))
    assert table.offered("ZONE") > before.offered("ZONE")


def test_ovk_k01_shadows_shift_a_card() -> None:
    table = position(2, "LAUNCH", marines={"grytt": 20}, laid={0: 4, 1: 5}, hand=(29,), face_up=(0,))
    table.do(gambit("shift", (29,)), point(0))
    assert table.offered("POINT") == set(range(10)) - {0, 1}
    table.do(point(5))
    assert table.record["point_card"][5] == 4
    assert table.record["point_marks"][5] == st.TURNED_UP


def test_ovk_k01_tunnels_lead_to_another_point() -> None:
    a, b = int(T["point_zone"][2, 0]), int(T["point_zone"][2, 4])
    table = position(2, "CMOVE", marines={"grytt": 30}, cult={"autogun": [a] * 4, "hammer": [a]}, hand=(20,))
    table.do(gambit("tunnels", (20,)), zone(a))
    assert table.offered("TYPE") == {st.AUTOGUN}
    table.do(kind("autogun"), point(4))
    assert (table.count("autogun", a), table.count("autogun", b)) == (1, 3)


def test_ovk_k01_masses_come_to_a_free_point() -> None:
    table = position(at="CMOVE", marines=LEFT, hand=(1,), laid={0: 4})
    table.do(gambit("masses", (1,)))
    assert table.offered("POINT") == set(range(1, 10))
    table.do(point(1), mix(1))
    assert (table.count("autogun"), table.count("autopistol")) == (1, 1)


def test_ovk_k01_fervour_rolls_misses_again() -> None:
    table = position(marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0]}, hand=(0,))
    table.do(gambit("fervour", (0,)), zone(0))
    assert table.strike(0, "autogun", "donatus", [4, 3, 5, 1, 2]).wounds("donatus") == 1


def test_ovk_k01_venom_cleaves_at_assault_band() -> None:
    table = position(marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0]}, hand=(2,))
    table.do(gambit("venom", (2,)), zone(0))
    assert table.strike(0, "autogun", "donatus", [5, 5]).slain("donatus")


def test_ovk_k01_dust_and_jam_and_no_respite_come_before_the_attack() -> None:
    hand = (10, 5, 12, 9)
    table = position(
        at="LAUNCH", marines={"donatus": 0, "grytt": 5}, wounded=["grytt"], hand=hand, laid={0: 4}
    )
    table.do(END)
    assert table.stage == "WINDOW"
    assert table.offered("GAMBIT") == {10, 5, 12}  # no cult model that a shield could help
    table.do(gambit("dust", hand), gambit("jam", hand), marine("donatus"), gambit("no_respite", hand))
    assert table.offered("MARINE") == {st.GRYTT}
    table.do(marine("grytt"))
    assert table.stage == "DATT"


def test_ovk_k01_a_jammed_marine_attacks_at_assault_band_only() -> None:
    a, b = pair(1, st.COMBAT)
    table = position(at="DATT", marines={"donatus": a}, cult={"autogun": [b]}, jammed=["Vael Donatus"])
    assert table.do(marine("donatus")).offered("PROFILE") == set()


@pytest.mark.parametrize(("die", "left"), [(6, 1), (5, 0)])
def test_ovk_k01_a_shield_gives_a_save_of_six(die: int, left: int) -> None:
    table = position(at="DATT", marines={"redblade": 0}, cult={"autogun": [0]}, zones={"0": ["shield"]})
    assert table.shoot("redblade", 0, 0, "autogun", dice=[3, 1, 1, die]).count("autogun") == left


@pytest.mark.parametrize(("die", "acts"), [(4, False), (3, True)])
def test_ovk_k01_static(die: int, acts: bool) -> None:
    table = position(marines={"donatus": 0, "grytt": 5}, cult={"autogun": [0]}, hand=(4,)).do(END)
    assert table.stage == "WINDOW"
    table.do(gambit("static", (4,)), marine("donatus"), dice=[die])
    assert table.stage == "DATT"
    assert (st.DONATUS in table.offered("MARINE")) == acts


def test_ovk_k01_effects_of_a_phase_end_with_it() -> None:
    table = position(
        marines={"donatus": 0}, cult={"autogun": [0]}, zones={"0": ["venom", "fervour", "panic"]}
    ).do(END)
    assert table.record["zone_marks"][0] == st.PANICKED
    assert table.do(END).record["zone_marks"][0] == 0
    assert profile(0) not in table.env.legal_actions()
