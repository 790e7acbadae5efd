"""Mission 3: clauses M3.1 to M3.8, edge cases E15 to E19, layouts."""

from __future__ import annotations

from typing import Any

import pytest
from macragge.rules.broods import BROOD_A, BROOD_B, SQUAD, at, fresh
from macragge.rules.table import CROSS, PASS, Table, dest, direction, select, target

from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import AUTO, DISARM

P3 = st.FIRST_PROJECTOR_GROUP + 3
NOBODY: dict[int, dict[int, tuple[int, int]]] = {}


def shooting(cells: dict[int, tuple[int, int]], **changes: Any) -> Table:
    """Return the Ultramarines' shooting step with one brood on the table."""
    return at(3, "SHOOT_SELECT", broods={BROOD_A: cells}, **changes)


def test_mac_m3_1_standard_layout() -> None:
    table = fresh(3)
    squad = [(18, 85), (23, 80), (21, 84), (15, 84), (13, 80), (21, 76)]
    assert [table.at(slot) for slot in range(6)] == squad
    assert [table.at(slot) for slot in range(11, 17)] == [(57, 62), (55, 60), (57, 65), None, None, None]
    pieces = table.record["pieces"]
    assert [(int(p["x"]), int(p["y"])) for p in pieces[9:13]] == [(10, 72), (26, 72), (10, 88), (26, 88)]
    assert int(table.record["models"][0]["group"]) == SQUAD
    assert (table.phase, table.seat) == ("SHOOT_SELECT", "ultramarines")  # they never move
    assert table.record["field"] == 1


def test_mac_b31_bolters_fire_twice_to_12_inches_and_once_to_24() -> None:
    # From slot 1 (23, 80): 26 steps are 12 inches; the flamer at (21, 84) is out of reach.
    near = shooting({11: (49, 80)}).do(select(SQUAD), target(BROOD_A), dice=[1] * 5)
    shooters = [event.data["shooter"] for event in near.env.events() if event.kind == "shot"]
    assert shooters == ["Octavian", "Octavian", "bolter 1", "bolter 2", "bolter 3"]


def test_mac_b31_rates_of_a_squad_that_stands() -> None:
    squad = {0: (23, 80), 1: (23, 82), 2: (23, 78), 3: (13, 80), 4: (21, 76), 5: (21, 84)}
    table = shooting({11: (49, 80)}, squad=squad)
    # Varras and Octavian twice each (d2 676, 680 > 676: Octavian is out of range), bolters once each.
    table.do(select(SQUAD), target(BROOD_A), dice=[1, 1, 1, 1, 1])
    shooters = [event.data["shooter"] for event in table.env.events() if event.kind == "shot"]
    assert shooters == ["Varras", "Varras", "bolter 1", "bolter 2", "bolter 3"]


def test_mac_b32_shots_go_to_the_nearest_survivor_and_are_lost_with_the_unit() -> None:
    table = shooting({11: (45, 80), 12: (43, 80)})
    table.do(select(SQUAD), target(BROOD_A), dice=[1, 1, 3, 4, 3, 4])  # Varras misses twice
    about = [event.data["about"] for event in table.env.events() if event.kind == "rolled"]
    assert about[2:] == ["Genestealer 2", "Genestealer 2", "Genestealer 1", "Genestealer 1"]
    assert int(table.record["kills"]) == 2
    assert table.phase == "SPAWN" or table.active == "tyranids"


def test_e19_cover_saves_from_bolts_not_from_flames() -> None:
    squad = {0: (13, 80), 1: (23, 80), 2: (21, 84), 3: (15, 84), 4: (18, 85), 5: (21, 76)}
    table = shooting({11: (44, 82), 12: (90, 5)}, squad=squad, wrecks={3: (49, 82)})
    assert table.offered("SELECT") == {SQUAD}
    table.env.feed_dice([3, 4, 5, *[1] * 9])
    table.env.step(select(SQUAD))
    table.env.step(target(BROOD_A))
    kinds = [event.data.get("purpose") for event in table.env.events() if event.kind == "rolled"]
    assert kinds[:3] == ["to hit", "to wound", "cover save"]
    assert table.at(11) == (44, 82)


def test_e19_flames_leave_no_cover() -> None:
    squad = {0: (15, 84), 2: (23, 82), 3: (13, 82)}
    table = shooting({11: (36, 82), 12: (90, 5)}, squad=squad, wrecks={2: (41, 82)})
    table.do(select(SQUAD), target(BROOD_A), dice=[1] * 4)  # Varras 0 or 2 shots, Octavian 2
    assert table.phase == "FLAME"
    assert 0 in table.offered("DIR")
    table.env.feed_dice([4, *[1] * 6])
    table.env.step(direction(0))
    assert table.at(11) is None


@pytest.mark.parametrize(("die", "winner"), [(4, "nobody"), (5, "ultramarines")])
def test_e17_the_core_explodes_after_the_sixth_turn(die: int, winner: str) -> None:
    table = at(3, "SHOOT_SELECT", broods={BROOD_A: {11: (90, 5)}}, kills=12, round_=6)
    table.do(DISARM, dice=[die])
    assert table.winner == winner


def test_mac_m3_2_who_disarms_does_not_shoot() -> None:
    squad = {0: (23, 80), 1: (18, 85)}
    table = shooting({11: (40, 80)}, squad=squad)
    table.do(DISARM, dice=[3])
    assert table.phase == "SHOOT_SELECT"
    assert "DISARM" not in table.verbs()
    table.do(select(SQUAD))
    table.env.feed_dice([1] * 8)
    table.env.step(target(BROOD_A))
    shooters = {event.data["shooter"] for event in table.env.events() if event.kind == "shot"}
    assert "Varras" not in shooters
    assert "Octavian" in shooters


def test_mac_m3_2_not_after_the_squad_has_fired() -> None:
    table = shooting({11: (49, 80)})
    table.env.feed_dice([1] * 6)
    table.env.step(select(SQUAD))
    table.env.step(target(BROOD_A))
    assert table.active == "tyranids"  # nothing is left to decide: no DISARM


def test_mac_m3_3_core_out_needs_twelve_kills() -> None:
    table = at(3, "SHOOT_SELECT", broods={BROOD_A: {11: (90, 5)}}, kills=11, round_=6)
    table.do(DISARM, dice=[6])
    assert not table.over
    assert int(table.record["fusion_core"]) == st.CORE_CARRIED


def at_projector(second: tuple[int, int] = (90, 5)) -> Table:
    """Return the Tyranids' assault step with a Genestealer at P3 and another unit."""
    broods = {BROOD_A: {11: (28, 88)}, BROOD_B: {14: second}}
    return at(3, "ASSAULT_SELECT", turn="tyranids", broods=broods)


@pytest.mark.parametrize(("dice", "field"), [([5, 1], 1), ([6, 1], 0), ([1, 6], 0)])
def test_e15_any_six_of_two_dice_disables_the_projector(dice: list[int], field: int) -> None:
    table = at_projector((29, 84)).do(select(BROOD_A))
    assert table.phase == "ASSAULT_CELL"  # P3 is the only target: the squad is behind the field
    assert int(table.record["target"]) == P3
    table.env.feed_dice(dice)
    table.env.step(dest(0, 0))
    assert int(table.record["field"]) == field
    if field == 0:
        assert table.phase == "ASSAULT_SELECT"
        table.do(select(BROOD_B), AUTO)
        assert table.winner == "tyranids"
    else:
        assert table.phase == "ASSAULT_SELECT"  # the other unit is near P3 too
        assert table.offered("SELECT") == {BROOD_B}


def test_e16_spots_at_a_projector_stay_out_of_the_field() -> None:
    broods = {BROOD_A: {11: (31, 92)}}
    table = at(3, "ASSAULT_SELECT", turn="tyranids", broods=broods).do(select(BROOD_A))
    if table.phase == "ASSAULT_TARGET":
        table.do(target(P3))
    spots = {(31 + dx, 92 + dy) for dx, dy in table.offered("DEST")}
    assert spots == {(24, 89), (25, 90), (26, 90), (27, 86), (27, 90), (28, 87), (28, 88), (28, 89)}


def test_mac_m3_5_no_path_and_no_base_enters_the_field() -> None:
    broods = {BROOD_A: {11: (30, 80)}}
    table = at(3, "MOVE_SELECT", turn="tyranids", broods=broods).do(select(BROOD_A))
    cells = {(30 + dx, 80 + dy) for dx, dy in table.offered("DEST")}
    assert (27, 80) in cells  # touching the edge is fine
    assert not [c for c in cells if 9 < c[0] < 27 and 71 < c[1] < 89]
    down = at(3, "MOVE_SELECT", turn="tyranids", broods=broods, power_field=False).do(select(BROOD_A))
    assert (26, 80) in {(30 + dx, 80 + dy) for dx, dy in down.offered("DEST")}


def test_mac_m3_5_round_a_corner_of_the_field() -> None:
    broods = {BROOD_A: {11: (28, 86)}}
    table = at(3, "MOVE_SELECT", turn="tyranids", broods=broods).do(select(BROOD_A))
    cells = {(28 + dx, 86 + dy) for dx, dy in table.offered("DEST")}
    assert (22, 90) in cells  # 5 + 6 steps round the corner at (27, 89), within 12
    assert (18, 89) not in cells  # straight it would be near enough, but through the field


def test_mac_b26_genestealers_cross_at_the_best_of_three_dice() -> None:
    broods = {BROOD_A: {11: (44, 64), 12: (44, 67)}}
    table = at(3, "MOVE_SELECT", turn="tyranids", broods=broods).do(select(BROOD_A), CROSS, dice=[2, 5, 3])
    assert (int(table.record["allowance"]), int(table.record["crossing"])) == (5, 1)
    assert "CROSS" not in table.verbs()
    assert (8, 0) in table.offered("DEST")  # onto the wreck


def test_mac_m3_3_contact_with_an_ultramarine_ends_the_game_at_once() -> None:
    broods = {BROOD_A: {11: (31, 82), 12: (33, 82), 13: (35, 82)}}
    table = at(3, "ASSAULT_SELECT", turn="tyranids", broods=broods, power_field=False)
    table.do(select(BROOD_A))
    assert table.offered("TARGET") <= {SQUAD} or table.phase == "ASSAULT_CELL"
    if table.phase == "ASSAULT_TARGET":
        table.do(target(SQUAD))
    assert table.record["model"] == 11  # nearest first
    table.do(AUTO)
    assert table.winner == "tyranids"


def test_e18_one_genestealer_out_is_no_unit() -> None:
    cells = {11: (90, 5), 12: (90, 8), 13: (90, 11), 14: (90, 14), 15: (90, 17)}
    table = at(3, "MOVE_SELECT", turn="tyranids", broods={BROOD_A: cells}).do(PASS)
    assert table.active == "ultramarines"


def test_e18_two_must_be_placed_behind_a_wreck() -> None:
    cells = {11: (90, 5), 12: (90, 8), 13: (90, 11), 14: (90, 14)}
    table = at(3, "MOVE_SELECT", turn="tyranids", broods={BROOD_A: cells}).do(PASS)
    assert (table.phase, table.verbs()) == ("SPAWN", {"TARGET"})
    wrecks = {group - st.FIRST_WRECK_GROUP for group in table.offered("TARGET")}
    assert wrecks == {0, 2, 3, 4}  # never the core's own
    table.do(target(st.FIRST_WRECK_GROUP + 3))
    assert [table.at(slot) for slot in (15, 16)] == [(57, 62), (57, 64)]
    assert int(table.record["models"][15]["group"]) == BROOD_B


def test_mac_m3_8_every_death_counts() -> None:
    table = shooting({11: (40, 80)}, kills=3)
    table.do(select(SQUAD), target(BROOD_A), dice=[1, 4, 4])  # Varras's two shots
    assert int(table.record["kills"]) == 4
