"""Mission 5: clauses M5.1 to M5.8, edge cases E25 to E29, layouts."""

from __future__ import annotations

import pytest
from macragge.rules.broods import ATREUS, NEST, SWARM_A, SWARM_B, at, fresh
from macragge.rules.table import CROSS, PASS, Table, dest, model, select, target

from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import AUTO, MISSILE, SCUTTLE

NODE = st.GROUP_NODE
FRAG, KRAK = MISSILE, MISSILE + 1
FAR = {26: (3, 3)}
"""A Termagant out of everybody's way."""
LINE = {6: (40, 80), 7: (43, 80), 8: (46, 80), 9: (49, 80), 10: (52, 80)}


def rolled(table: Table) -> list[str]:
    """Return what was rolled for in the last step."""
    return [event.data["purpose"] for event in table.env.events() if event.kind == "rolled"]


def test_mac_m5_1_standard_layout() -> None:
    table = fresh(5, [2])
    assert [table.at(slot) for slot in range(6, 11)] == [(1, 40), (1, 44), (1, 48), (1, 52), (1, 56)]
    assert [table.at(slot) for slot in range(17, 24)][-2:] == [(56, 53), None]  # 4 + 2 Termagants
    assert int(table.record["pieces"][st.PIECE_NODE]["hp"]) == 4
    assert (table.phase, table.seat) == ("MOVE_SELECT", "ultramarines")
    assert table.record["rendezvous"].tolist() == [96, 48, 1]


def test_e25_rates_moved_and_stationary() -> None:
    squad = {6: (40, 80), 7: (43, 80), 8: (46, 80), 9: (49, 80), 10: (52, 80)}
    broods = {SWARM_A: {17: (74, 80)}, SWARM_B: {18: (90, 80)}}  # 10 and 18 inches from slot 10
    still = at(5, "SHOOT_SELECT", squad=squad, broods=broods).do(select(ATREUS))
    assert {SWARM_A, SWARM_B} <= still.offered("TARGET")
    still.do(target(SWARM_B))
    assert still.phase == "MISSILE"
    moved = at(
        5,
        "SHOOT_SELECT",
        squad=squad,
        broods=broods,
        groups={"Squad Atreus": {"marks": ["moved", "displaced"]}},
    ).do(select(ATREUS))
    assert SWARM_B not in moved.offered("TARGET")
    assert moved.phase == "SHOOT_TARGET"
    moved.env.feed_dice([1] * 10)
    moved.env.step(target(SWARM_A))
    shooters = [event.data["shooter"] for event in moved.env.events() if event.kind == "shot"]
    assert "missile launcher" not in shooters
    assert shooters[-2:] == ["bolter 7", "bolter 7"]


def test_e26_both_fall() -> None:
    squad = {**LINE, 7: (60, 88)}
    table = at(
        5,
        "ASSAULT_SELECT",
        squad=squad,
        broods={SWARM_A: {17: (62, 88)}, SWARM_B: FAR},
        groups={"Squad Atreus": {"marks": ["assaulted"]}},
    )
    models = table.record["models"]
    models[7]["marks"] |= st.FLAG_CHARGED
    table.env.feed_dice([3, 3, 5, 4, 5, 2])
    table.env.step(PASS)
    assert table.at(17) is None
    assert table.dead() == {7}
    assert [event.kind for event in table.env.events()].count("laid_down") == 2


def test_e27_frag() -> None:
    swarm = {17: (60, 48), 18: (62, 48), 19: (61, 50), 20: (64, 48), 21: (60, 53)}
    pieces_far = {"hive node": {"at": [20, 20], "hit_points": 4}}
    from macragge.standard_positions import position as standard

    pieces = {**standard(5)["pieces"], **pieces_far, "wreck W0": {"at": [20, 60]}}
    squad = {k: (1, 40 + 3 * (k - 6)) for k in LINE}
    table = at(5, "SHOOT_SELECT", squad=squad, broods={SWARM_A: swarm}, pieces=pieces)
    table.do(select(ATREUS))
    if table.phase == "SHOOT_TARGET":
        table.do(target(SWARM_A))
    assert table.phase == "MISSILE"
    table.do(FRAG, dice=[3])
    assert table.phase == "AIM"
    assert table.offered("MODEL") == {17, 18, 19, 20, 21}
    table.env.feed_dice([3, 2, 4, 3, 3, *[1] * 12])
    table.env.step(model(17))
    assert [table.at(slot) is None for slot in range(17, 22)] == [True, False, True, False, False]


def test_mac_m5_4_krak_and_bolts_at_the_node() -> None:
    squad = {6: (70, 48), 7: (70, 51), 8: (70, 45), 9: (73, 48), 10: (73, 51)}
    table = at(5, "SHOOT_SELECT", squad=squad, broods={SWARM_A: FAR}).do(select(ATREUS))
    assert NODE in table.offered("TARGET")
    table.do(target(NODE))
    assert table.offered("MISSILE") == {1}
    table.env.feed_dice([3, 3, 3, 6, 3, 5, 2, 2, 2, 2, 2, 2])
    table.env.step(KRAK)
    assert int(table.record["pieces"][st.PIECE_NODE]["hp"]) == 2


def test_mac_m5_2_the_rendezvous() -> None:
    squad = {6: (84, 48), 7: (85, 44), 8: (85, 52), 9: (88, 48), 10: (88, 52)}
    table = at(5, "SHOOT_SELECT", squad=squad, broods={SWARM_A: FAR}).do(PASS)
    assert table.winner == "ultramarines"
    short = at(5, "SHOOT_SELECT", squad={**squad, 6: (82, 48)}, broods={SWARM_A: FAR})  # d2 196 > 169
    short.do(PASS)
    assert not short.over


def test_mac_b23_the_ban_within_an_inch() -> None:
    table = at(5, "MOVE_SELECT", squad=LINE, broods={SWARM_A: {17: (46, 88)}}).do(select(ATREUS))
    assert table.phase == "MOVE_PLAN"
    table.do(dest(0, 4))
    assert all((table.planned(k)[0] - 46) ** 2 + (table.planned(k)[1] - 88) ** 2 > 16 for k in LINE)


def test_e29_a_locked_squad_neither_moves_nor_shoots() -> None:
    squad = {**LINE, 10: (55, 80)}
    broods = {SWARM_A: {17: (57, 80)}, SWARM_B: FAR}
    table = at(5, "MOVE_SELECT", turn="tyranids", squad=squad, broods=broods)
    assert table.offered("SELECT") == {SWARM_B}  # the locked unit stays
    table.do(PASS)  # the move step; then the other unit holds its fire, and one miss each in the fight
    table.do(PASS, dice=[1, 1])
    assert (table.active, table.phase) == ("ultramarines", "ASSAULT_SELECT")
    assert table.offered("SELECT") == {ATREUS}
    table.do(select(ATREUS))
    assert (table.phase, int(table.record["target"])) == ("ASSAULT_CELL", SWARM_A)
    table.env.feed_dice([1] * 12)
    table.env.step(AUTO)
    assert not any(int(table.record["models"][k]["marks"]) & st.FLAG_CHARGED for k in squad)


def test_mac_m5_6_termagants_shoot_and_their_targets_choose_the_lost() -> None:
    table = at(5, "SHOOT_SELECT", turn="tyranids", squad=LINE, broods={SWARM_A: {17: (46, 88), 18: (48, 88)}})
    table.do(select(SWARM_A))
    assert table.verbs() == {"TARGET", "SCUTTLE", "PASS"}
    table.do(target(ATREUS), dice=[4, 4, 2, 3])
    assert (table.phase, table.seat, table.active) == ("CASUALTY", "ultramarines", "tyranids")
    table.do(model(6))
    assert table.dead() == {6}
    assert table.phase == "ASSAULT_SELECT"  # they may charge after shooting


def test_mac_m5_6_scuttle_is_a_second_march_that_ignores_wrecks() -> None:
    table = at(5, "SHOOT_SELECT", turn="tyranids", squad=LINE, broods={SWARM_A: {17: (30, 48)}}).do(
        select(SWARM_A)
    )
    table.do(SCUTTLE, dice=[6])
    assert table.phase == "MOVE_PLAN"
    assert "CROSS" not in table.verbs()
    table.env.step(dest(10, 0))  # onto the large wreck
    assert table.at(17) == (40, 48)


def test_mac_b26_termagants_cross_at_three_dice_and_marines_at_two() -> None:
    table = at(5, "MOVE_SELECT", turn="tyranids", squad=LINE, broods={SWARM_A: {17: (36, 48), 18: (36, 50)}})
    table.do(select(SWARM_A), CROSS, dice=[1, 4, 2])
    assert int(table.record["allowance"]) == 4


def out_of_play(count: int, hp: int = 4, nest: dict[int, tuple[int, int]] | None = None) -> Table:
    """Return the end of a Tyranid turn with Termagants out of play; units stand far off."""
    swarm = {17 + k: (3 + 3 * k, 3) for k in range(10 - count - len(nest or {}))}
    from macragge.standard_positions import position as standard

    pieces = {**standard(5)["pieces"], "hive node": {"at": [54, 48], "hit_points": hp}}
    broods = {SWARM_A: swarm, **({NEST: nest} if nest else {})}
    table = at(
        5, "SHOOT_SELECT", turn="tyranids", squad={6: (1, 90), 7: (1, 93)}, broods=broods, pieces=pieces
    )
    table.env.step(PASS)
    return table


@pytest.mark.parametrize(("hp", "returned"), [(4, 3), (3, 3), (2, 2), (1, 2), (0, 0)])
def test_e28_what_the_node_returns(hp: int, returned: int) -> None:
    table = out_of_play(3, hp)
    assert int(table.record["groups"][NEST]["living"]) == returned
    cells = [table.at(k) or (0, 0) for k in range(24, 24 + returned)]
    assert all((x - 54) ** 2 + (y - 48) ** 2 in (25, 26, 29) for x, y in cells)


def test_e28_a_nest_of_four_is_a_unit() -> None:
    table = out_of_play(1, nest={24: (59, 48), 25: (59, 46), 26: (59, 50)})
    assert int(table.record["groups"][NEST]["living"]) == 0
    assert int(table.record["groups"][SWARM_B]["living"]) == 4


def test_e28_a_nest_may_shoot_but_not_move_or_charge() -> None:
    squad = {6: (66, 48), 7: (66, 51)}
    broods = {NEST: {24: (59, 48), 25: (59, 46)}, SWARM_A: FAR}
    table = at(5, "MOVE_SELECT", turn="tyranids", squad=squad, broods=broods)
    assert table.offered("SELECT") == {SWARM_A}
    table.do(PASS)
    assert table.offered("SELECT") == {SWARM_A, NEST}
    table.do(select(NEST))
    assert "SCUTTLE" not in table.verbs()


def test_mac_m5_7_returned_models_keep_an_inch_off() -> None:
    squad = {6: (61, 48), 7: (61, 51)}
    broods = {SWARM_A: {17 + k: (3 + 3 * k, 3) for k in range(9)}}
    table = at(5, "SHOOT_SELECT", turn="tyranids", squad=squad, broods=broods)
    table.env.step(PASS)
    x, y = table.at(26) or (0, 0)
    assert (x - 54) ** 2 + (y - 48) ** 2 in (25, 26, 29)
    assert min((x - a) ** 2 + (y - b) ** 2 for a, b in squad.values()) > 16


def test_mac_m5_2_the_last_death_loses() -> None:
    dead = (7, 8, 9, 10)
    table = at(
        5, "SHOOT_SELECT", turn="tyranids", squad={6: (40, 80)}, dead=dead, broods={SWARM_A: {17: (46, 88)}}
    )
    table.do(select(SWARM_A))
    table.env.feed_dice([4, 4, 2])
    table.env.step(target(ATREUS))
    assert table.winner == "tyranids"
