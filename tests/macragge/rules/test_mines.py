"""Clauses B50..B53: spore mines drift, detonate, come back."""

from __future__ import annotations

from random import Random

import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.scatter import crowded_squad, crowded_varras
from macragge.rules.table import PASS, dest, direction, far_mines, marker, mine, model, position, select

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge import state as st

SHARE = 8 if INTERPRETED else 1


def test_mac_b50_mines_move_first_and_in_slot_order() -> None:
    table = position(1, mines={30: (60, 8), 28: (60, 20), 33: (60, 90)}, turn="tyranids", dice=[2, 1])
    moved = []
    for k in range(3):
        assert table.phase == "MINE_DIR"
        moved.append(int(table.record["model"]))
        table.do(direction(0), dice=[2, 1] if k < 2 else [])
    assert moved == [28, 30, 33]
    assert table.phase == "SPAWN"
    assert table.mines() == {28: (64, 20), 30: (64, 8), 33: (64, 90)}


def test_mac_b50_a_mine_goes_its_full_distance() -> None:
    for inches in range(1, 7):
        table = position(1, mines={27: (60, 10)}, turn="tyranids", dice=[inches, 1]).do(direction(0))
        assert table.at(27) == (60 + 2 * inches, 10)


def test_mac_b50_a_mine_floats_over_everything() -> None:
    # East over wreck W2 (40, 24), a marker and another mine.
    mines = {27: (34, 24), 28: (42, 24)}
    table = position(1, mines=mines, markers={0: (45, 24)}, turn="tyranids", dice=[6, 6, 0, 1, 1])
    assert table.at(27) == (40, 24)  # but it may not rest on the marker, nor on the other mine
    table = position(1, mines=mines, markers={0: (48, 20)}, turn="tyranids", dice=[6, 6, 0, 1, 1])
    assert table.at(27) == (46, 24)
    table = position(1, mines={27: (34, 24)}, markers={0: (48, 20)}, turn="tyranids", dice=[3, 6, 0])
    assert table.at(27) == (40, 24)  # it may come to rest on the wreck


def test_mac_b50_the_observation_says_where_each_direction_leads() -> None:
    table = position(1, mines={27: (11, 60)}, turn="tyranids", dice=[6, 1])
    ways = table.block("ways", "tyranids_0")
    contact, gap, varras_gap, touched, varras_touched = ways[12]  # south, where Varras stands at (11, 48)
    assert (contact, gap, varras_gap) == (1, 0, 0)
    assert touched == pytest.approx(1 / 5)
    assert varras_touched == 1
    contact, gap, varras_gap, touched, varras_touched = ways[0]  # east, to (23, 60)
    assert (contact, touched, varras_touched) == (0, 0, 0)
    assert gap == varras_gap == pytest.approx((288**0.5 - 2) / 48)
    after = table.do(direction(12), dice=[2])
    assert not after.block("ways", "tyranids_0").any()


def test_mac_b27_the_observation_says_where_each_move_leads() -> None:
    table = position(1, mines={27: (40, 48), 28: (11, 90)}, turn="ultramarines").do(select(st.GROUP_VARRAS))
    assert table.phase == "MOVE_PLAN"
    steps = 2 * int(table.record["allowance"])
    ways = table.block("ways", "ultramarines_0")
    contact, gap, varras_gap, near, varras_touched = ways[0]  # east, from (11, 48)
    assert (contact, varras_touched) == (0, 0)
    assert gap == pytest.approx((40 - 11 - steps - 2) / 48)
    assert near == pytest.approx((1 / 5) if 40 - 11 - steps <= 20 else 0)
    assert varras_gap == pytest.approx((steps - 2) / 48)


def test_mac_b51_first_contact_stops_and_detonates() -> None:
    table = position(1, mines={27: (11, 60)}, turn="tyranids", dice=[6, 6, 12, 2])
    drifted = next(event for event in table.env.events() if event.kind == "drifted")
    assert drifted.data["to"] == [11, 50]  # d2 4; at (11, 51) it was 9
    assert table.mines() == {}
    assert table.at(0) == (11, 48)


def test_mac_b51_a_space_marine_sets_it_off_as_well() -> None:
    squad = {1: (60, 40), 2: (60, 46), 3: (66, 40), 4: (66, 46), 5: (69, 43)}
    table = position(2, squad=squad, mines={27: (50, 40)}, turn="tyranids", dice=[6, 3, 0, 2])
    drifted = next(event for event in table.env.events() if event.kind == "drifted")
    assert drifted.data["to"] == [58, 40]
    assert table.rolls()[:4] == [6, 3, 0, 2]
    assert table.dead() == set()


def test_mac_b51_the_last_cell_on_the_table_is_the_end() -> None:
    table = position(1, mines={27: (60, 92)}, turn="tyranids", dice=[6, 3, 3])
    # Direction 3 is (383, 924): (61, 94) after two steps, (61, 95) after three, then off the table.
    assert table.at(27) == (61, 95)


@pytest.mark.parametrize(("x", "end"), [(44, 42), (43, 41), (42, 40), (41, 39), (40, 42)])
def test_mac_b51_it_backs_up_from_a_marker(x: int, end: int) -> None:
    # Six inches east of (30, 12) is (42, 12).
    table = position(1, mines={27: (30, 12)}, markers={0: (x, 12)}, turn="tyranids", dice=[6, 3, 0])
    assert table.at(27) == (end, 12)


def test_mac_b51_drifts_equal_brute_force() -> None:
    compared = 0
    for seed in range(160 // SHARE):
        rng = Random(seed)
        table = crowded_varras(rng) if seed % 2 else crowded_squad(rng)
        if not table.mines():
            continue
        slot = min(table.mines())
        inches, i = rng.randint(1, 6), rng.randrange(16)
        end, detonates = oracle.drift(table.record, slot, inches, i)
        table.env.feed_dice([inches, 6, i])
        table.env.feed_dice([1, 2] * 40)  # whatever comes of it
        while table.active == "ultramarines" and not table.over:
            table.env.step(PASS)
        if "drifted" not in table.event_kinds():
            continue  # Varras stands in the exit zone: the game is over
        compared += 1
        drifted = next(event for event in table.env.events() if event.kind == "drifted")
        assert tuple(drifted.data["to"]) == end, f"seed {seed}"
        kinds = table.event_kinds()
        assert ("detonated" in kinds[: kinds.index("drifted") + 2]) == detonates, f"seed {seed}"
    assert compared > 90 // SHARE


def test_mac_b52_it_leaves_the_table_before_it_rolls() -> None:
    table = position(1, mines={27: (30, 48), 28: (33, 48)}).do(PASS)
    table.do(mine(27), dice=[4, 4, 4])  # 28 explodes; 27, gone, is not rolled for again
    assert table.mines() == {}


def test_mac_b52_detonations_queue_first_in_first_out() -> None:
    # 27 sets off 28 and 29 (d2 16, 9); 28 goes next and sets off 30, out of 27's and 29's blast; then 29, then 30.
    mines = {27: (30, 48), 28: (34, 48), 29: (30, 51), 30: (39, 47)}
    table = position(1, mines=mines).do(PASS)
    table.do(mine(27), dice=[4, 4, 4, 4, 4, 4])
    detonated = [event.data["model"] for event in table.env.events() if event.kind == "detonated"]
    assert detonated == ["mine 1", "mine 2", "mine 3", "mine 4"]


def test_mac_b52_within_one_event_the_lowest_slot_goes_first() -> None:
    mines = {27: (30, 48), 28: (30, 51), 29: (33, 48), 30: (30, 45)}
    table = position(1, mines=mines).do(PASS)
    # 27 covers 28, 29 and 30, rolled for in slot order; 28 then sets off 29, partly covered, which goes last.
    table.do(mine(27), dice=[4, 4, 4, 3, 4, 5, 4])
    rolled = [
        (event.data["about"], event.data["value"]) for event in table.env.events() if event.kind == "rolled"
    ]
    assert [about for about, _ in rolled[2:5]] == ["mine 2", "mine 3", "mine 4"]
    detonated = [event.data["model"] for event in table.env.events() if event.kind == "detonated"]
    assert detonated == ["mine 1", "mine 2", "mine 4", "mine 3"]


def test_mac_b52_casualties_are_chosen_before_the_next_detonation() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    mines = {
        27: (58, 60),
        28: (55, 52),
    }  # 28 is covered by 27 at (58, 52), and touches slots 1, 3 itself (34, 26)
    table = position(2, squad=squad, mines=mines, turn="tyranids", dice=[6, 3, 12, 4, 1, 3, 4])
    assert table.phase == "CASUALTY"
    assert table.mines() == {28: (55, 52)}  # queued, still on the table
    table.do(model(4), dice=[4, 4, 3, 3])  # now 28: slot 1 hit, wounded, saved; slot 3 missed
    assert table.dead() == {4}
    assert table.mines() == {}


def test_mac_b53_a_returned_mine_takes_the_spot_nearest_an_ultramarine() -> None:
    table = position(1, varras=(30, 48), mines={}, markers={0: (40, 48)}, turn="tyranids")
    assert table.do(marker(0)).mines() == {27: (38, 48)}


def test_mac_b53_ties_go_by_dest_order() -> None:
    # Varras due north-west: (-2, 1), (-1, 2) tie at d2 145; (-2, 1) has the lower dy.
    table = position(1, varras=(30, 58), mines={}, markers={0: (40, 48)}, turn="tyranids")
    assert table.do(marker(0)).mines() == {27: (38, 49)}


def test_mac_b53_the_spot_may_not_overlap_a_mine_but_may_lie_on_a_wreck() -> None:
    mines = {28: (38, 48)}
    table = position(1, varras=(30, 48), mines=mines, markers={0: (40, 48)}, turn="tyranids", dice=[1, 1])
    table.do(direction(8))
    assert table.at(28) == (36, 48)
    table.do(marker(0))
    assert table.at(27) == (38, 48)
    # A marker touching wreck W2: the nearest spot is on the wreck, and is taken.
    table = position(1, varras=(40, 14), mines={}, markers={0: (40, 29)}, turn="tyranids")
    assert table.do(marker(0)).mines() == {27: (40, 27)}


def test_mac_b53_the_spot_is_not_in_contact_with_an_ultramarine() -> None:
    # Varras in contact with the marker: spots nearer than d2 7 to him are no use.
    table = position(1, varras=(38, 48), mines={}, markers={0: (40, 48)}, turn="tyranids")
    (cell,) = table.do(marker(0)).mines().values()
    assert oracle.d2(cell, (38, 48)) > 6
    assert not table.over  # it was placed, not moved into contact


def test_mac_b53_a_hemmed_in_marker_is_not_offered() -> None:
    # Six mines round a marker leave no spot.
    ring = {28: (42, 12), 29: (41, 14), 30: (39, 14), 31: (38, 12), 32: (39, 10), 33: (41, 10)}
    table = position(1, mines={}, markers={0: (40, 12), 1: (80, 90)}, turn="tyranids")
    assert table.offered("TARGET") == {25, 26}
    for slot, (x, y) in ring.items():
        m = table.record["models"][slot]
        for axis, value in (("x", x), ("y", y)):
            m[axis] = m["start_" + axis] = m["plan_" + axis] = value
        m["status"] = st.STATUS_TABLE
        group = table.record["groups"][st.FIRST_MINE_GROUP + slot - st.FIRST_MINE]
        group["kind"], group["living"] = st.GROUP_MINE, 1
    table.env.load_state(table.env.save_state())
    assert table.offered("TARGET") == {26}


def test_mac_b53_it_first_moves_next_turn() -> None:
    table = position(1, mines={}, markers={0: (80, 90)}, turn="tyranids").do(marker(0))
    assert (table.active, table.turn) == ("ultramarines", 2)
    (cell,) = table.mines().values()
    table.do(PASS, dice=[1, 1])  # the Tyranid turn: now it moves
    assert table.phase == "MINE_DIR"
    assert table.do(direction(8)).at(27) == (cell[0] - 2, cell[1])


def test_mac_b53_return_spots_equal_brute_force() -> None:
    compared = 0
    for seed in range(80 // SHARE):
        rng = Random(seed)
        table = crowded_varras(rng) if seed % 2 else crowded_squad(rng)
        # Detonations roll between: each number must be one that any die can show.
        table.env.feed_dice([1, 6, rng.randrange(1, 7), 1] * 20)
        while table.active == "ultramarines" and not table.over:
            table.env.step(PASS)
        while table.phase in ("MINE_DIR", "CASUALTY"):
            table.env.step(table.env.legal_actions()[0])
        if table.phase != "SPAWN" or table.active != "tyranids":
            continue
        spots = {k: oracle.return_spot(table.record, cell) for k, cell in table.markers().items()}
        assert table.offered("TARGET") == {25 + k for k, spot in spots.items() if spot}, f"seed {seed}"
        before = table.env.save_state()
        slots = set(table.mines())
        for k, spot in spots.items():
            if spot:
                table.env.load_state(before)
                table.env.step(marker(k))
                returned = next(event for event in table.env.events() if event.kind == "mine_returned")
                assert tuple(returned.data["at"]) == spot, f"seed {seed}"
                assert min(set(range(27, 35)) - slots) in table.mines()
                compared += 1
    assert compared > 40 // SHARE


def test_mac_b53_unmoved_mines_stay_where_they_are_in_the_ultramarines_turn() -> None:
    table = position(1, mines=far_mines([27, 28])).do(select(0))
    before = table.mines()
    table.env.feed_dice([1, 1])
    table.env.step(dest(1, 0))
    assert table.mines() == before
