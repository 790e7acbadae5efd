"""Clauses B12..B17: the order of turns, when a game ends, dice."""

from __future__ import annotations

from itertools import product

import pytest
from macragge.rules.table import CROSS, PASS, dest, direction, marker, mine, model, position, select

import broodmind
from broodmind.envs.core.errors import UnplannedRollError
from broodmind.envs.macragge import state as st


def test_mac_b12_whole_turns_alternate_and_rounds_are_counted() -> None:
    table = position(1, mines={27: (60, 8)})
    assert (table.active, table.turn, table.phase) == ("ultramarines", 1, "MOVE_SELECT")
    table.do(select(0), dest(1, 0), dice=[1, 1])
    assert (table.active, table.turn, table.phase) == ("tyranids", 1, "MINE_DIR")
    table.do(direction(0))
    assert (table.active, table.turn, table.phase) == ("tyranids", 1, "SPAWN")
    table.do(PASS)
    assert (table.active, table.turn, table.phase) == ("ultramarines", 2, "MOVE_SELECT")


def test_mac_b12_all_moves_come_before_all_shots() -> None:
    squad = {1: (46, 46), 2: (50, 48), 3: (46, 50), 4: (42, 46), 5: (42, 50)}
    table = position(2, squad=squad, markers={0: (60, 48), 1: (90, 10)}, mines={})
    table.do(select(1), dest(0, 0), PASS)
    assert table.phase == "MOVE_SELECT"  # Varras has yet to move
    table.do(select(0), dest(0, 1))
    assert table.phase == "FLAME"


def test_mac_b13_reaching_the_zone_counts_at_the_end_of_the_turn() -> None:
    table = position(1, varras=(78, 48), mines={27: (88, 48)}).do(select(0), dest(6, 0))
    assert not table.over
    assert table.do(PASS).winner == "ultramarines"


def test_mac_b13_varras_in_the_zone_does_not_win_in_the_tyranid_turn() -> None:
    # Only a hand-made position can have him there: a zone win is checked when his own turn ends.
    table = position(1, varras=(70, 48), mines={27: (60, 8)}, turn="tyranids", dice=[1, 1])
    table.record["models"][0]["x"] = 90
    table.do(direction(0), PASS)
    assert not table.over
    assert table.active == "ultramarines"


def test_mac_b13_varras_death_cuts_mission_1_short() -> None:
    mines = {27: (20, 48), 28: (60, 8)}
    table = position(1, mines=mines, turn="tyranids", dice=[6, 5, 8, 3])  # 28 never rolls
    assert table.winner == "tyranids"
    assert table.mines() == {28: (60, 8)}


def test_mac_b13_no_ultramarine_left_cuts_mission_2_short() -> None:
    mines = {27: (22, 48), 28: (60, 8)}
    table = position(
        2, dead=(1, 2, 3, 4, 5), mines=mines, turn="tyranids", dice=[6, 3, 8, 3]
    )  # 28 never rolls
    assert table.winner == "tyranids"
    assert table.mines() == {28: (60, 8)}
    assert table.dead() == {0, 1, 2, 3, 4, 5}


def test_mac_b13_mission_2_is_decided_only_when_the_turn_ends() -> None:
    squad = {1: (60, 48), 2: (60, 51)}
    mines = {27: (54, 48), 28: (60, 8)}
    table = position(2, squad=squad, dead=(0, 3, 4), mines=mines)
    # Slot 1 is covered: wounded, not saved. Slot 2 is partly covered (d2 18) and not hit.
    table.pass_turn(dice=[6, 3, 0, 4, 1, 3])
    assert table.phase == "CASUALTY"
    table.do(model(1), dice=[1, 1])
    assert (table.over, table.phase) == (False, "MINE_DIR")  # the second mine still drifts
    assert table.do(direction(0), PASS).winner == "tyranids"


@pytest.mark.parametrize("turn", ["ultramarines", "tyranids"])
def test_mac_b14_the_objectives_of_mission_2_exclude_each_other(turn: str) -> None:
    for varras_dead, marines, markers in product((False, True), range(6), range(4)):
        if varras_dead and marines == 5:
            continue  # the game ended when the last one died
        table = position(2, mines={}, turn=turn)
        assert table.phase == ("MOVE_SELECT" if turn == "ultramarines" else "SPAWN")
        # Positions between a loss and the check that follows it: only an edited record stands like this.
        models, pieces = table.record["models"], table.record["pieces"]
        for slot in (*((0,) if varras_dead else ()), *range(5, 5 - marines, -1)):
            models[slot]["status"] = st.STATUS_DEAD
        for k in range(markers, 3):
            pieces[st.FIRST_MARKER + k]["kind"] = st.PIECE_NONE
        ultramarines_win = markers == 0 and not varras_dead
        tyranids_win = varras_dead and marines >= 3
        assert not (ultramarines_win and tyranids_win)
        expected = "ultramarines" if ultramarines_win else "tyranids" if tyranids_win else ""
        if markers == 0 and not expected:
            expected = "nobody"
        if table.do(PASS).phase == "FLAME":
            table.do(PASS)
        assert table.winner == expected, (varras_dead, marines, markers)
        assert not table.truncated


def test_mac_b14_the_objectives_of_mission_1_exclude_each_other() -> None:
    # One needs Varras alive, the other dead.
    assert position(1, varras=(80, 48), mines={}).do(select(0), dest(4, 0)).winner == "ultramarines"
    table = position(1, varras=(80, 48), mines={27: (86, 48)}).do(PASS)
    assert table.do(mine(27), dice=[4, 4, 4, 3]).winner == "tyranids"


@pytest.mark.parametrize(
    ("hit", "wound", "gone"), [(3, None, False), (4, 3, False), (4, 4, True), (6, 6, True)]
)
def test_mac_b15_n_plus_is_that_or_more(hit: int, wound: int | None, gone: bool) -> None:
    table = position(1, mines={27: (30, 48), 28: (60, 8)}).do(PASS)
    rolled = [hit] if wound is None else [hit, wound]
    table.do(mine(27), dice=[*rolled, 1, 1])
    assert (27 not in table.mines()) == gone


def test_mac_b15_two_dice_of_a_crossing_are_read_one_by_one() -> None:
    table = position(2, squad={1: (60, 48), 2: (60, 45), 3: (60, 51), 4: (63, 47), 5: (63, 50)})
    table.do(select(1), CROSS, dice=[3, 4])
    assert max(dx * dx + dy * dy for dx, dy in table.offered("DEST")) == 8 * 8  # four inches, not seven


@pytest.mark.parametrize("face", [1, 2, 3, 4, 5, 6])
def test_mac_b16_two_faces_of_the_scatter_die_are_hits(face: int) -> None:
    hit = face <= 2
    table = position(1, mines={27: (60, 48)}, turn="tyranids", dice=[2, face] if hit else [2, face, 4])
    assert table.phase == ("MINE_DIR" if hit else "SPAWN")
    assert table.at(27) == ((60, 48) if hit else (60, 52))
    if hit:
        assert table.offered("DIR") == set(range(16))
        assert table.verbs() == {"DIR"}


def test_mac_b17_planned_dice_are_taken_in_order() -> None:
    table = position(1, mines={27: (30, 48)}).do(PASS)
    table.env.feed_dice([4, 5, 1, 2])
    table.env.step(mine(27))
    assert table.rolls() == [4, 5]
    assert table.env.pending_dice == [1, 2]


def test_mac_b17_strict_dice_refuse_an_unplanned_roll_and_change_nothing() -> None:
    table = position(1, mines={27: (30, 48)}).do(PASS)
    table.env.feed_dice([4])
    before = table.env.state_hash()
    with pytest.raises(UnplannedRollError):
        table.env.step(mine(27))
    assert table.env.state_hash() == before


@pytest.mark.parametrize("mission", ["crash-site", "rescue-varras"])
def test_mac_b17_layouts_do_not_read_the_dice_queue(mission: str) -> None:
    env = broodmind.make(f"macragge/{mission}-v0", layout="random")
    env.reset(seed=5)
    plain = env.to_dict()["models"]
    env.reset(seed=5, options={"dice": [1, 2, 3], "strict": True})
    assert env.pending_dice == [1, 2, 3]
    assert env.to_dict()["models"] == plain


def test_mac_b17_a_returned_mine_rolls_nothing() -> None:
    table = position(1, mines={}, turn="tyranids")
    assert table.do(marker(0)).mines() != {}
