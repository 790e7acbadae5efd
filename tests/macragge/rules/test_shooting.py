"""Clauses B30..B37 as far as missions 1 and 2 go: pistol, flamer, losses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.table import PASS, Table, dest, direction, far_mines, mine, model, position, select

from broodmind.envs.core.errors import IllegalActionError
from broodmind.envs.macragge import state as st

LINE = {1: (44, 48), 2: (50, 48), 3: (38, 48), 4: (44, 44), 5: (44, 52)}


def line(**changes: Any) -> Table:
    """Return mission 2 with the flamer at (50, 48), friends behind him, at the FLAME decision."""
    table = position(2, **{"squad": LINE, "mines": {}, "markers": {0: (90, 10)}, **changes}).do(PASS)
    assert table.phase == "FLAME"
    return table


def test_mac_b30_one_shot_a_turn_hit_then_wound() -> None:
    table = position(1, mines={27: (30, 48), 28: (30, 56)}).do(PASS)
    table.do(
        mine(27), dice=[5, 3, 1, 1]
    )  # hit, not detonated; then the first mine drifts in the Tyranid turn
    assert table.active == "tyranids"
    assert table.mines() == {27: (30, 48), 28: (30, 56)}
    purposes = [event.data["purpose"] for event in table.env.events() if event.kind == "rolled"]
    assert purposes == ["to hit", "to wound", "mine distance", "scatter"]


def test_mac_b30_a_miss_rolls_no_wound() -> None:
    table = position(1, mines={27: (30, 48)}).do(PASS).do(mine(27), dice=[3, 1, 1])
    assert table.mines() == {27: (30, 48)}


def test_mac_b31_the_pistol_reaches_twelve_inches_after_a_move_too() -> None:
    table = position(1, varras=(20, 48), mines={27: (52, 48)}).do(select(0), dest(6, 0))
    assert table.phase == "SHOOT_SELECT"  # d2 26^2 = 676
    table.do(mine(27), dice=[4, 4])
    assert table.mines() == {}


def test_mac_b31_nobody_but_the_flamer_shoots_in_mission_2() -> None:
    table = line(mines={27: (60, 48)})
    assert table.verbs() == {"DIR", "PASS"}
    lone = position(2, dead=(2,), squad={1: (50, 48)}, mines={27: (60, 48)}, markers={0: (90, 10)})
    assert lone.do(PASS, dice=[1, 1]).active == "tyranids"


def test_mac_b34_no_direction_that_touches_a_friend_is_allowed() -> None:
    table = line(varras=(58, 48), mines={27: (62, 48), 28: (50, 58)})
    assert 0 not in table.offered("DIR")
    assert 4 in table.offered("DIR")
    assert table.offered("DIR") == oracle.flame_directions(table.record)
    reason = table.env.explain_action(direction(0))
    assert reason is not None
    assert reason.clause == "MAC-B34"


def test_mac_b34_the_observation_says_whom_a_flame_would_touch() -> None:
    # In the flamer's way east stand Varras and a mine, south a marker, west its own squad; north another mine.
    table = position(
        2,
        squad=LINE,
        varras=(58, 48),
        mines={27: (62, 48), 28: (50, 58)},
        markers={0: (50, 38)},
    )
    assert not table.block("flame", "ultramarines_0").any()  # no squad is in hand yet
    plan = table.do(select(st.GROUP_OCTAVIAN))
    assert plan.phase == "MOVE_PLAN"
    told = {agent: plan.block("flame", agent) for agent in ("ultramarines_0", "tyranids_0")}
    assert np.array_equal(told["ultramarines_0"], told["tyranids_0"])
    friend, enemy = (set(np.flatnonzero(column)) for column in told["ultramarines_0"].T)
    assert {0, 8} <= friend
    assert {0, 4, 12} <= enemy
    assert enemy - friend == oracle.flame_directions(table.record)
    # A step east: the flamer as the squad is planned to stand, once it stands there, if it is not edited.
    edit = plan.do(dest(2, 0))
    assert edit.phase == "MOVE_EDIT"
    friend, enemy = (set(np.flatnonzero(column)) for column in edit.block("flame", "ultramarines_0").T)
    while edit.phase != "FLAME":
        edit.do(PASS)
    assert enemy - friend == edit.offered("DIR") == oracle.flame_directions(edit.record)
    assert not edit.block("flame", "ultramarines_0").any()


def test_mac_b34_without_the_flamer_the_observation_tells_of_no_flame() -> None:
    table = position(2, squad={1: (50, 48)}, dead=(2, 3, 4, 5), mines={27: (54, 48)})
    assert table.do(select(st.GROUP_OCTAVIAN)).phase == "MOVE_PLAN"
    assert not table.block("flame", "ultramarines_0").any()


def test_mac_b34_a_direction_must_touch_a_mine_or_marker() -> None:
    table = line(markers={0: (60, 48), 1: (90, 10)})
    assert table.offered("DIR") == oracle.flame_directions(table.record)
    assert table.offered("DIR") == {0}
    with pytest.raises(IllegalActionError):
        table.env.step(direction(4))


def test_mac_b34_all_that_is_touched_rolls_mines_first() -> None:
    things = {"mines": {27: (66, 48), 28: (56, 47)}, "markers": {0: (60, 48), 1: (90, 10)}}
    table = line(**things).do(direction(0), dice=[3, 3, 4, 1, 1])
    assert table.mines() == things["mines"]
    assert table.markers() == {1: (90, 10)}
    about = [event.data["about"] for event in table.env.events() if event.kind == "rolled"]
    assert about[:2] == ["mine 1", "mine 2"]


def test_mac_b34_the_shooter_may_decline() -> None:
    table = line(mines={27: (60, 48)}).do(PASS, dice=[1, 1])
    assert table.active == "tyranids"
    assert table.mines() == {27: (60, 48)}


def test_mac_b34_without_the_flamer_there_is_no_flame() -> None:
    table = position(2, squad=LINE, dead=(2,), mines={27: (60, 48)}, markers={0: (90, 10)})
    assert table.do(PASS, dice=[1, 1]).phase == "MINE_DIR"


def test_mac_b34_flames_ignore_wreckage_in_the_way() -> None:
    table = line(wrecks={0: (6, 48), 1: (58, 48)}, markers={0: (66, 48), 1: (90, 10)})
    assert table.do(direction(0), dice=[4]).markers() == {1: (90, 10)}


def explosion(dice: list[int], *, dead: tuple[int, ...] = ()) -> Table:
    """Return mission 2 after a mine has drifted into slots 1 (d2 13) and 3 (d2 5), others far off; `dice` follow."""
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    squad = {slot: cell for slot, cell in squad.items() if slot not in dead}
    mines = {27: (58, 60), **far_mines([28])}
    return position(2, squad=squad, dead=dead, mines=mines, turn="tyranids", dice=[6, 3, 12, *dice])


def test_mac_b35_failed_saves_are_allotted_one_by_one() -> None:
    table = explosion([4, 1, 6, 2])
    assert (table.phase, table.seat, table.active) == ("CASUALTY", "ultramarines", "tyranids")
    assert int(table.record["wounds"]) == 2
    assert table.offered("MODEL") == {1, 2, 3, 4, 5}
    table.do(model(4))
    assert table.phase == "CASUALTY"
    assert table.offered("MODEL") == {1, 2, 3, 5}
    table.do(model(5), dice=[1, 1])
    assert table.dead() == {4, 5}
    assert table.phase == "MINE_DIR"  # the turn goes on with the next mine


def test_mac_b35_a_save_of_3_spares_and_asks_nothing() -> None:
    table = explosion([4, 3, 3, 1, 1])  # slot 1 wounded and saved; slot 3 not wounded
    assert table.phase == "MINE_DIR"
    assert table.dead() == set()


def test_mac_b35_the_flamer_lives_as_long_as_its_owner_likes() -> None:
    table = explosion([4, 1, 4, 1])
    table.do(model(2)).do(model(1), dice=[1, 1])
    assert table.dead() == {1, 2}
    table = explosion([4, 1, 3]).do(model(3), dice=[1, 1])
    assert table.at(2)


def test_mac_b35_the_last_space_marine_is_taken_without_a_question() -> None:
    squad = {1: (60, 49)}
    mines = {27: (58, 60), **far_mines([28])}
    table = position(2, squad=squad, dead=(2, 3, 4, 5), mines=mines)
    table.pass_turn(dice=[6, 3, 12, 4, 1, 1, 1])
    assert table.dead() == {1, 2, 3, 4, 5}
    assert table.phase == "MINE_DIR"


def test_mac_b35_losses_in_the_own_turn_are_chosen_at_once() -> None:
    # The flamer's fire sets off a mine six steps from him: partly covered, hit, wounded, not saved.
    table = line(mines={27: (56, 48), **far_mines([28])}).do(direction(0), dice=[4, 4, 4, 2])
    assert (table.phase, table.seat, table.active) == ("CASUALTY", "ultramarines", "ultramarines")
    table.do(model(3), dice=[1, 1])  # the turn ends, and the second mine drifts
    assert table.dead() == {3}
    assert (table.phase, table.active) == ("MINE_DIR", "tyranids")


def test_mac_b35_surplus_wounds_are_lost() -> None:
    # Two wounds are to be allotted when only one Space Marine is left: only an edited record stands like this.
    table = explosion([4, 1, 4, 1])
    assert table.phase == "CASUALTY"
    for slot in (2, 3, 4, 5):
        table.record["models"][slot]["status"] = st.STATUS_DEAD
    table.do(model(1), dice=[1, 1])
    assert table.dead() == {1, 2, 3, 4, 5}
    assert table.phase == "MINE_DIR"


def test_mac_b35_varras_is_never_taken_for_a_space_marine() -> None:
    table = explosion([4, 1, 3])
    assert 0 not in table.offered("MODEL")
    reason = table.env.explain_action(model(0))
    assert reason is not None
    assert reason.clause == "MAC-B35"


def test_mac_b36_a_blast_finds_varras_in_person() -> None:
    squad = {1: (60, 49), 3: (60, 51), 4: (65, 48), 5: (66, 51), 2: (66, 45)}
    mines = {27: (58, 60), **far_mines([28])}
    # Varras at (55, 51) is covered (d2 10) and killed; no Space Marine could die for him.
    table = position(2, varras=(55, 51), squad=squad, mines=mines, turn="tyranids",
                     dice=[6, 3, 12, 3, 1, 1, 1, 1])  # fmt: skip
    assert table.dead() == {0}


def test_mac_b37_markers_lock_nobody() -> None:
    # The flamer stands in contact with a marker: he moves and fires all the same.
    table = position(2, squad=LINE, mines={}, markers={0: (52, 48), 1: (90, 10)})
    assert table.offered("SELECT") == {0, 1}
    table.do(select(1), dest(-1, 0), PASS, PASS)
    assert table.phase == "FLAME"
