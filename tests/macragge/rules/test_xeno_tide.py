"""Mission 4: clauses M4.1 to M4.8, charges and fights (B40 to B48), loads (B54, B55), edge cases E20 to E24."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.broods import BROOD_A, BROOD_B, at, fresh
from macragge.rules.scatter import crowded_retreat
from macragge.rules.table import CROSS, PASS, Table, dest, in_hand, model, select

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import AUTO, LANE, LANE_CENTRE

LINE = {0: (30, 60), 1: (34, 60), 2: (38, 60), 3: (42, 60), 4: (46, 60), 5: (50, 60)}
"""The squad in a row, south of wreck W3 and clear of everything."""
AWAY = {11: (90, 5), 12: (90, 8), 13: (90, 11)}


def lane(dy: int) -> int:
    """Return the action of a lane."""
    return LANE + LANE_CENTRE + dy


def retreat(dice: list[int], squad: dict[int, tuple[int, int]] = LINE, **changes: Any) -> Table:
    """Return the Ultramarines' RETREAT decision: the Tyranids pass, then 2D6 are rolled."""
    changes = {"broods": {BROOD_A: AWAY}, "wrecks": {3: (52, 80)}, **changes}
    return at(4, "MOVE_SELECT", turn="tyranids", squad=squad, **changes).do(PASS, dice=dice)


def fight(broods: dict[int, dict[int, tuple[int, int]]], dice: list[int], **changes: Any) -> Table:
    """Return what follows when the Tyranids end their assault step, fights and all."""
    changes = {"squad": LINE, "wrecks": {3: (52, 80)}, **changes}
    table = at(4, "ASSAULT_SELECT", turn="tyranids", broods={**broods, BROOD_B: {16: (90, 5)}}, **changes)
    table.env.feed_dice(dice)
    table.env.step(PASS)
    return table


def test_mac_m4_1_standard_layout_and_the_core_carrier() -> None:
    table = fresh(4)
    assert (table.phase, table.seat) == ("CORE_CARRIER", "ultramarines")
    assert table.offered("MODEL") == {0, 1, 2, 3, 4, 5}
    assert max((table.at(slot) or (0, 0))[0] for slot in range(6)) == 96 - 72 - 1  # 36 inches from the edge
    table.do(model(4))
    assert (table.active, table.phase) == ("tyranids", "MOVE_SELECT")
    assert int(table.record["core_carrier"]) == 4
    assert table.offered("SELECT") == {BROOD_A, BROOD_B}


def test_e22_lanes_of_seven_inches_and_crossed() -> None:
    squad = {0: (30, 60), 1: (34, 60), 2: (38, 60), 3: (42, 60), 4: (46, 60), 5: (50, 60)}
    table = retreat([3, 4], squad, wrecks={3: (60, 70)})
    assert (table.phase, table.seat) == ("RETREAT", "ultramarines")
    assert table.offered("LANE") == {dy + 15 for dy in range(-9, 10)}
    assert table.verbs() == {"LANE", "CROSS"}
    table.do(CROSS)
    assert int(table.record["allowance"]) == 4
    assert table.offered("LANE") == {dy + 15 for dy in range(-5, 6)}
    assert table.verbs() == {"LANE"}


def test_mac_m4_6_all_head_for_the_same_offset() -> None:
    table = retreat([3, 4])
    table.do(lane(-9))
    assert table.phase == "MOVE_EDIT"
    assert [table.planned(slot) for slot in range(6)] == [(x + 10, 51) for x in (30, 34, 38, 42, 46, 50)]


def test_mac_m4_6_edit_keeps_three_quarters_of_the_progress() -> None:
    table = retreat([3, 4]).do(lane(0), model(5))
    cells = {(64 + dx, 60 + dy) for dx, dy in table.offered("DEST")}
    assert (64, 60) in cells
    assert min(x for x, _ in cells) == 50 + 11  # 3/4 of 14 is 10.5
    assert all((x - 50) ** 2 + (y - 60) ** 2 <= 14 * 14 for x, y in cells)


def test_mac_m4_6_retreats_equal_brute_force() -> None:
    for seed in range(4 if INTERPRETED else 60):
        rng = Random(seed)
        dice = [rng.randint(1, 6), rng.randint(1, 6)]
        table = crowded_retreat(rng, dice)
        if rng.random() < 0.3 and CROSS in table.env.legal_actions():
            table.do(CROSS)
        inches, crossing = int(table.record["allowance"]), bool(table.record["crossing"])
        starts = {slot: cell for slot in range(6) if (cell := table.at(slot))}
        may = {slot: oracle.retreat_cells(table.record, slot, inches, crossing) for slot in starts}
        lane_of = rng.choice(sorted(table.offered("LANE")))
        plan = oracle.retreat(starts, may, inches, lane_of - LANE_CENTRE)
        table.do(LANE + lane_of)
        assert {slot: table.planned(slot) for slot in starts} == plan, f"seed {seed}"
        for slot, found in in_hand(table).items():
            px, py = plan[slot][0] - starts[slot][0], plan[slot][1] - starts[slot][1]
            kept = {(dx - px, dy - py) for dx, dy in may[slot] if 4 * dx >= 3 * px}
            assert found == kept & set(oracle.DEST_ORDER), f"seed {seed}, model {slot}"


def test_e23_who_reaches_the_edge_escapes() -> None:
    squad = {1: (80, 48), 0: (76, 48), 2: (74, 48), 3: (72, 48), 4: (70, 48), 5: (68, 48)}
    table = retreat([4, 4], squad).do(lane(0))
    assert table.planned(1) == (95, 48)
    table.env.step(PASS)
    assert int(table.record["models"][1]["status"]) == st.STATUS_ESCAPED
    assert "escaped" in table.event_kinds()


def test_mac_m4_3_everyone_and_everything_out_wins() -> None:
    squad = {k: (90, 40 + 3 * k) for k in range(6)}
    table = retreat([6, 6], squad).do(lane(0))
    table.env.step(PASS)
    assert table.winner == "ultramarines"


def test_mac_m4_7_contact_does_not_lock_the_squad_for_moving() -> None:
    table = at(
        4, "MOVE_SELECT", turn="tyranids", squad=LINE, broods={BROOD_A: {11: (50, 62)}}, wrecks={3: (52, 80)}
    )
    # The brood is locked, so its turn ends with the fight: three misses either way, then 2D6.
    table.env.feed_dice([1, 1, 1, 3, 4])
    table.env.step(PASS)
    assert table.phase == "RETREAT"
    table.do(lane(0))
    assert table.planned(5) == (64, 60)


def test_e24_three_dead_and_varras_carried() -> None:
    squad = {4: (40, 60), 5: (42, 60)}
    table = at(
        4,
        "MOVE_SELECT",
        turn="tyranids",
        squad=squad,
        dead=(1, 2, 3),
        status={0: "carried"},
        varras_carrier="bolter 2",
        core_carrier="bolter 2",
        broods={BROOD_A: AWAY},
    )
    table.do(PASS)
    assert table.winner == "tyranids"


def test_e20_a_six_rends() -> None:
    # One Genestealer in contact with slot 5 only; it did not charge: two attacks.
    table = fight({BROOD_A: {11: (52, 60)}}, [6, 3, 4])
    assert table.dead() == {5}
    rolled = [event.data["purpose"] for event in table.env.events() if event.kind == "rolled"]
    assert rolled == ["to hit or rend", "retreat", "retreat"]  # the second attack is lost unrolled


def test_e20_attacks_pass_to_another_contact() -> None:
    squad = {**LINE, 4: (52, 58)}
    table = fight({BROOD_A: {11: (52, 60)}}, [], squad=squad)
    assert (table.phase, table.seat) == ("STRIKE", "tyranids")
    assert table.offered("MODEL") == {4, 5}
    table.env.feed_dice([6, 6, 3, 4])
    table.env.step(model(5))
    assert table.dead() == {4, 5}


def test_mac_b46_survivors_strike_back_and_octavian_twice() -> None:
    squad = {**LINE, 1: (50, 60), 5: (34, 60)}
    # Two misses; Octavian hits twice: wound saved on 6, then wound not saved.
    table = fight({BROOD_A: {11: (52, 60)}}, [1, 2, 4, 4, 6, 4, 4, 5, 3, 4], squad=squad)
    assert table.at(11) is None
    assert table.phase == "RETREAT"


def test_mac_2_4_a_genestealer_wounds_varras_on_3_and_he_saves_on_5() -> None:
    squad = {**LINE, 0: (50, 60), 5: (30, 60)}
    saved = fight({BROOD_A: {11: (52, 60)}}, [3, 3, 5, 3, 2, 1, 3, 4], squad=squad)
    assert saved.at(0) == (50, 60)
    down = fight({BROOD_A: {11: (52, 60)}}, [3, 3, 4, 3, 4], squad=squad)
    assert int(down.record["models"][0]["status"]) == st.STATUS_CARRIED
    assert int(down.record["varras_carrier"]) == 4
    assert int(down.record["core_carrier"]) == 4


def test_e21_loads_pass_to_the_nearest() -> None:
    squad = {**LINE, 0: (50, 60), 5: (30, 60)}
    status = {0: "carried"}
    squad.pop(0)
    table = fight(
        {BROOD_A: {11: (48, 60)}},
        [6, 3, 4],
        squad=squad,
        status=status,
        varras_carrier="bolter 2",
        core_carrier="bolter 2",
    )
    assert table.dead() == {4}
    assert int(table.record["varras_carrier"]) == 3
    assert int(table.record["core_carrier"]) == 3


def test_mac_b44_auto_and_b45_charged_models_have_a_bonus() -> None:
    table = at(
        4,
        "ASSAULT_SELECT",
        turn="tyranids",
        squad=LINE,
        broods={BROOD_A: {11: (50, 66), 12: (50, 69)}, BROOD_B: {16: (90, 5)}},
        wrecks={3: (52, 86)},
    )
    table.do(select(BROOD_A))
    assert (table.phase, int(table.record["model"])) == ("ASSAULT_CELL", 11)
    spots = {(50 + dx, 66 + dy) for dx, dy in table.offered("DEST")}
    for x, y in spots:
        assert 4 <= min((x - a) ** 2 + (y - b) ** 2 for a, b in LINE.values()) <= 6
    assert (50, 62) in spots
    table.do(dest(0, -4))
    assert int(table.record["models"][11]["marks"]) & st.FLAG_CHARGED
    # Now coherent spots only: within 2 inches of (50, 62).
    cells = {(50 + dx, 69 + dy) for dx, dy in table.offered("DEST")}
    assert cells
    assert all((x - 50) ** 2 + (y - 62) ** 2 <= 36 for x, y in cells)
    table.env.feed_dice([1] * 16)
    table.env.step(AUTO)
    assert not table.over


def test_mac_b43_no_way_past_an_unengaged_enemy() -> None:
    # Three stand in front; what lies behind them cannot be reached past them.
    squad = {0: (60, 60), 1: (60, 63), 2: (60, 57), 3: (54, 57), 4: (54, 63), 5: (54, 60)}
    table = at(
        4,
        "ASSAULT_SELECT",
        turn="tyranids",
        squad=squad,
        broods={BROOD_A: {11: (49, 60)}},
        wrecks={3: (40, 86)},
    ).do(select(BROOD_A))
    cells = {(49 + dx, 60 + dy) for dx, dy in table.offered("DEST")}
    assert (52, 60) in cells
    assert (58, 60) not in cells
    assert (52, 59) in cells


def test_mac_b41_no_charge_beyond_six_inches() -> None:
    table = at(
        4, "MOVE_SELECT", turn="tyranids", squad=LINE, broods={BROOD_A: {11: (50, 75)}}, wrecks={3: (90, 90)}
    )
    table.do(PASS, dice=[3, 4])  # d2 225 > 196: no assault step
    assert table.phase == "RETREAT"


@pytest.mark.parametrize(("tide", "phase"), [(0, "RETREAT"), (1, "SPAWN")])
def test_mac_m4_5_reinforcements_are_an_option(tide: int, phase: str) -> None:
    from macragge.standard_positions import position as standard

    core = {**standard(4)["core"], "spare": tide}
    table = at(
        4, "MOVE_SELECT", turn="tyranids", squad=LINE, broods={BROOD_A: AWAY}, wrecks={3: (52, 80)}, core=core
    )
    table.env.feed_dice([3, 4])
    table.env.step(PASS)
    assert table.phase == phase
