"""Mission 6: clauses M6.1 to M6.9, edge cases E30 to E34, layouts."""

from __future__ import annotations

from typing import Any

import pytest
from macragge.rules.broods import ATREUS, BROOD_A, BROOD_B, NEST, SQUAD, SWARM_A, SWARM_B, at, fresh
from macragge.rules.table import PASS, Table, direction, marker, mine, model, select, target

from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIVATE, AUTO, MISSILE, SPAWN

NODE = st.GROUP_NODE
FRAG, KRAK = MISSILE, MISSILE + 1
FAR = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (90, 90)}}
"""One Genestealer and one Termagant out of everybody's way."""
ROW = {6: (37, 80), 7: (40, 80), 8: (43, 80), 9: (46, 80), 10: (49, 80)}
"""Squad Atreus in the open."""
BEACON = (95, 48)
HERE = {0: (90, 40), 1: (93, 40), 2: (90, 43), 3: (93, 43), 4: (90, 46), 5: (93, 46)}
"""Squad Octavian with Varras beside the beacon, slot 5 touching it; all within its circle."""
THERE = {6: (88, 51), 7: (93, 48), 8: (91, 51), 9: (88, 54), 10: (91, 54)}
"""Squad Atreus beside it, slot 7 touching it."""


def purge(phase: str, **changes: Any) -> Table:
    """Return a position of mission 6: nothing but distant Tyranids, no mines unless given."""
    return at(6, phase, **{"broods": FAR, "mines": {}, **changes})


def purposes(table: Table) -> list[str]:
    """Return what was rolled for in the last step."""
    return [event.data["purpose"] for event in table.env.events() if event.kind == "rolled"]


def result(table: Table) -> int:
    """Return the result in half points for the Ultramarines; the game must be over."""
    assert table.over
    return int(table.record["core"]["result"])


def node(hp: int = 4) -> dict[str, Any]:
    """Return the standard pieces with a node of some wounds."""
    from macragge.standard_positions import position as standard

    return {**standard(6)["pieces"], "hive node": {"at": [54, 48], "hit_points": hp}}


# -- set-up --------------------------------------------------------------------------------------------------------


def test_mac_m6_1_standard_layout_and_the_core_carrier() -> None:
    table = fresh(6)
    assert (table.phase, table.seat) == ("CORE_CARRIER", "ultramarines")
    assert table.offered("MODEL") == {0, 1, 2, 3, 4, 5}
    assert [table.at(slot) for slot in range(6)] == [(1, y) for y in (36, 32, 28, 24, 20, 16)]
    assert [table.at(slot) for slot in range(6, 11)] == [(1, y) for y in (62, 66, 70, 74, 78)]
    assert table.mines() == {27: (44, 57), 30: (60, 27), 33: (68, 69)}
    assert table.markers() == {0: (44, 55), 1: (60, 25), 2: (68, 71)}
    table.do(model(3))
    assert (table.active, table.phase, int(table.record["core_carrier"])) == (
        "ultramarines",
        "MOVE_SELECT",
        3,
    )
    assert table.offered("SELECT") == {SQUAD, ATREUS}


# -- mines ---------------------------------------------------------------------------------------------------------


def test_e30_an_acid_mine_sprays_where_the_tyranids_say() -> None:
    table = purge("SHOOT_SELECT", squad=ROW, mines={30: (34, 80)}, dead=(6,))
    table.do(PASS, dice=[3, 3, 0, 1])  # it drifts 6 steps east, touches slot 7 and rolls a HIT
    assert (table.phase, table.seat, table.active) == ("ACID_DIR", "tyranids", "tyranids")
    assert table.offered("DIR") == set(range(16))
    table.env.feed_dice([4, 1, 1, 1])
    table.env.step(direction(0))
    assert purposes(table)[:2] == ["to wound", "to wound"]  # no save
    assert (table.phase, table.seat) == ("CASUALTY", "ultramarines")
    assert table.offered("MODEL") == {7, 8, 9, 10}


def test_e30_in_the_ultramarines_turn_too() -> None:
    table = purge("SHOOT_SELECT", squad=ROW, mines={30: (34, 80)}, dead=(6,))
    table.do(select(ATREUS))
    table.env.feed_dice([3, 4, 1])
    table.env.step(mine(30))
    assert (table.phase, table.seat, table.active) == ("ACID_DIR", "tyranids", "ultramarines")
    table.do(direction(8), dice=[])  # westwards: nobody is touched
    assert table.phase not in ("ACID_DIR", "CASUALTY")


def test_mac_m6_9_an_explosive_mine_hits_all_that_it_touches() -> None:
    # Partly covered (d2 36) is enough; Varras dies on 3+, without a save.
    squad = {**HERE, 0: (40, 80), 10: (30, 80)}
    table = purge("SHOOT_SELECT", squad=squad, mines={27: (40, 74)}, dead=(6, 7, 8, 9))
    table.do(select(ATREUS))
    table.env.feed_dice([3, 4, 3])
    table.env.step(mine(27))
    assert purposes(table) == ["to hit", "to wound", "to kill"]  # no save
    assert "Varras is brought down at (40, 80)." in [event.sentence for event in table.env.events()]
    assert int(table.record["models"][0]["status"]) == st.STATUS_CARRIED


def test_mac_m6_9_explosive_mines_set_others_off_on_4() -> None:
    table = purge(
        "SHOOT_SELECT",
        squad={10: (30, 80)},
        mines={27: (50, 80), 28: (55, 80), 29: (57, 80)},
        dead=(6, 7, 8, 9),
    )
    table.do(select(ATREUS))
    table.env.feed_dice([3, 4, 4, 4])
    table.env.step(mine(27))
    assert table.mines() == {}  # 29 is touched by 28 only
    table = purge("SHOOT_SELECT", squad={10: (30, 80)}, mines={27: (50, 80), 28: (55, 80)}, dead=(6, 7, 8, 9))
    table.do(select(ATREUS), mine(27), dice=[3, 4, 3, 1, 3, 12])  # then 28 drifts
    assert set(table.mines()) == {28}


@pytest.mark.parametrize(
    ("x", "dice", "dead"), [(42, [4, 2], 1), (44, [4, 4, 2], 1), (44, [3], 0), (45, [], 0)]
)
def test_mac_m6_9_poison_covers_or_touches(x: int, dice: list[int], dead: int) -> None:
    # d2 4 is covered, 16 touched: it needs 4+; wound 4+, save 3+.
    squad = {9: (40, 80), 10: (20, 80)}
    if x == 42:
        table = purge("SHOOT_SELECT", squad=squad, mines={33: (46, 80)}, dead=(6, 7, 8))
        table.do(PASS, dice=[2, 3, 8, 4, 2])
    else:
        table = purge("SHOOT_SELECT", squad=squad, mines={33: (x, 80)}, dead=(6, 7, 8))
        table.do(select(ATREUS), dice=[])
        # The nearer bolter has two shots: the first hits and wounds.
        table.env.feed_dice([3, 4, *dice])
        table.env.step(mine(33))
    assert table.env.pending_dice == []
    assert (table.phase == "CASUALTY") == bool(dead)


def test_mac_m6_9_poison_wounds_varras_on_4_and_he_saves_on_5() -> None:
    squad = {**HERE, 0: (40, 80)}
    for save, status in ((5, st.STATUS_TABLE), (4, st.STATUS_CARRIED)):
        table = purge("SHOOT_SELECT", squad=squad, mines={33: (44, 80)})
        table.do(PASS, dice=[1, 3, 8, 4, save])
        assert int(table.record["models"][0]["status"]) == status


# -- markers and targets ---------------------------------------------------------------------------------------


def test_e31_two_wounds_destroy_a_marker() -> None:
    squad = {9: (60, 40), 10: (20, 80)}
    table = purge("SHOOT_SELECT", squad=squad, dead=(6, 7, 8)).do(select(ATREUS))
    assert int(table.record["pieces"][st.FIRST_MARKER + 1]["hp"]) == 2
    table.env.feed_dice([3, 4, 3, 4])
    table.env.step(marker(1))
    assert set(table.markers()) == {0, 2}
    table = purge("SHOOT_SELECT", squad=squad, dead=(6, 7, 8)).do(select(ATREUS))
    table.env.feed_dice([3, 4, 2])
    table.env.step(marker(1))
    assert int(table.record["pieces"][st.FIRST_MARKER + 1]["hp"]) == 1


def test_e31_flame_destroys_at_once() -> None:
    squad = {2: (60, 35), 0: (40, 5), 1: (42, 5)}
    table = purge("SHOOT_SELECT", squad=squad, dead=(3, 4, 5)).do(select(SQUAD), marker(1))
    assert table.phase == "FLAME"
    table.do(direction(12), dice=[4])
    assert set(table.markers()) == {0, 2}


def test_mac_c5_a_wound_of_a_bolt_counts_half_and_mac_c5_flame_whole() -> None:
    table = purge("SHOOT_SELECT", squad={9: (60, 40)}, dead=(6, 7, 8, 10)).do(select(ATREUS))
    table.do(marker(1), dice=[3, 4, 3, 3])
    assert int(table.record["pieces"][st.FIRST_MARKER + 1]["hp"]) == 1


def test_mac_c11_the_node_is_a_target() -> None:
    table = purge("SHOOT_SELECT", squad={6: (54, 70), 9: (54, 74)}, dead=(7, 8, 10)).do(select(ATREUS))
    assert NODE in table.offered("TARGET")
    table.do(target(NODE))
    assert table.offered("MISSILE") == {1}


def test_mac_m6_4_targets_and_the_inch() -> None:
    squad = {6: (54, 72), 9: (57, 72)}
    broods = {BROOD_A: {11: (57, 80)}, SWARM_A: {17: (50, 80)}, NEST: {18: (59, 48)}}
    table = purge("SHOOT_SELECT", squad=squad, broods=broods, mines={33: (62, 84)}, dead=(7, 8, 10))
    table.do(select(ATREUS))
    expected = {BROOD_A, SWARM_A, NEST, NODE, 17 + 33 - 27, 25, 27}
    assert expected <= table.offered("TARGET")
    moving = purge("MOVE_SELECT", squad={9: (57, 72)}, broods=broods, dead=(6, 7, 8, 10)).do(select(ATREUS))
    cells = {(57 + dx, 72 + dy) for dx, dy in moving.offered("DEST")}
    for x, y in ((57, 80), (50, 80)):
        assert min((x - a) ** 2 + (y - b) ** 2 for a, b in cells) > 16


def test_mac_m6_5_frag_and_krak_detonate_mines_on_4() -> None:
    for missile in (KRAK, FRAG):
        table = purge("SHOOT_SELECT", squad={6: (20, 80)}, mines={33: (50, 80)}, dead=(7, 8, 9, 10))
        table.do(select(ATREUS), mine(33), missile, dice=[3, 4])
        assert table.mines() == {}


def test_mac_m6_5_varras_hits_mines_on_4() -> None:
    squad = {0: (40, 80), 1: (20, 5)}
    table = purge("SHOOT_SELECT", squad=squad, mines={33: (50, 80)}, dead=(2, 3, 4, 5)).do(select(SQUAD))
    table.do(mine(33), dice=[3, 4, 4])
    assert table.mines() == {}


def test_mac_c7_pistols_fire_once_after_a_move() -> None:
    squad = {0: (40, 80), 1: (20, 5)}
    marks = {"Squad Octavian": {"marks": ["moved", "displaced"]}}
    table = purge("SHOOT_SELECT", squad=squad, mines={33: (50, 80)}, dead=(2, 3, 4, 5), groups=marks)
    table.do(select(SQUAD), mine(33), dice=[3])
    assert set(table.mines()) == {33}


# -- the core ----------------------------------------------------------------------------------------------------


def test_e34_the_carrier_tries_in_either_fight_step() -> None:
    # The Genestealers and Termagants are elsewhere; slot 3 touches the node with the core.
    squad = {**HERE, 3: (59, 48), 4: (62, 48), **THERE}
    table = purge("ASSAULT_SELECT", squad=squad, core_carrier="bolter 1", round_=5)
    table.do(PASS, dice=[2])
    if table.phase == "BEACON":
        table.do(PASS)
    assert int(table.record["fusion_core"]) == st.CORE_CARRIED
    while table.active == "tyranids" and int(table.record["fusion_core"]) == st.CORE_CARRIED:
        table.env.feed_dice([3])
        table.env.step(PASS)
    assert int(table.record["fusion_core"]) == st.CORE_DROPPED
    while not table.over and int(table.record["pieces"][st.PIECE_NODE]["kind"]):
        turn = (table.active, table.turn)
        table.env.step(PASS)
    assert turn == ("ultramarines", 7)


def test_mac_m6_6_not_when_the_squad_has_shot() -> None:
    squad = {**HERE, 3: (59, 48), 4: (62, 48)}
    marks = {"Squad Octavian": {"marks": ["fired", "shot"]}}
    broods = {BROOD_A: {11: (90, 5)}, SWARM_A: {17: (20, 90)}}
    table = purge(
        "SHOOT_SELECT", squad={**squad, 6: (20, 84)}, core_carrier="bolter 1", groups=marks, broods=broods
    )
    table.env.feed_dice([3])
    while table.active == "ultramarines":
        assert table.phase in ("SHOOT_SELECT", "ASSAULT_SELECT", "BEACON")
        table.env.step(PASS)
    assert table.env.pending_dice in ([3], [])
    assert "core_dropped" not in table.event_kinds() or table.active == "tyranids"


def test_mac_m6_6_a_squad_with_the_core_may_charge_the_node() -> None:
    squad = {0: (63, 48), 1: (66, 48), 2: (66, 51), 3: (66, 45), 4: (69, 48), 5: (69, 51)}
    table = purge("ASSAULT_SELECT", squad=squad, core_carrier="bolter 1").do(select(SQUAD))
    assert NODE in table.offered("TARGET") or int(table.record["target"]) == NODE
    if table.phase == "ASSAULT_TARGET":
        table.do(target(NODE))
    assert (table.phase, int(table.record["model"])) == ("ASSAULT_CELL", 3)  # the carrier goes first
    table.do(AUTO, dice=[2])
    x, y = table.at(3) or (0, 0)
    assert (x - 54) ** 2 + (y - 48) ** 2 in (25, 26, 29)
    without = purge("ASSAULT_SELECT", squad=squad, core_carrier="bolter 1")
    assert ATREUS not in without.offered("SELECT")


def test_mac_b55_the_core_passes_on_with_its_carrier() -> None:
    squad = {**HERE, 0: (40, 80), 4: (43, 84)}
    table = purge("SHOOT_SELECT", squad=squad, mines={33: (44, 80)}, core_carrier="Varras")
    table.do(PASS, dice=[1, 3, 8, 4, 4])
    assert int(table.record["varras_carrier"]) == 4
    assert int(table.record["core_carrier"]) == 4


# -- beacon and result -------------------------------------------------------------------------------------------


def end_of(turn: str, **changes: Any) -> Table:
    """Return a position at whose first PASS the player's turn ends."""
    return purge("SHOOT_SELECT" if turn == "ultramarines" else "MOVE_SELECT", turn=turn, **changes)


def all_pass(table: Table, until: tuple[str, int]) -> Table:
    """Decline everything until a player's turn of a number begins, or the game is over."""
    while not table.over and (table.active, table.turn) != until:
        table.env.step(PASS)
    return table


def test_e32_who_stood_may_signal_and_the_thunderhawk_lands() -> None:
    squad = {**HERE, **THERE, 5: (87, 46)}
    table = all_pass(purge("MOVE_SELECT", turn="tyranids", squad=squad, round_=7), ("ultramarines", 8))
    table.env.step(PASS)
    while table.phase != "BEACON":
        table.env.step(PASS)
    assert table.seat == "ultramarines"
    assert table.verbs() == {"ACTIVATE", "PASS"}
    table.do(ACTIVATE)
    assert int(table.record["thunderhawk"]) == st.THUNDERHAWK_SIGNAL
    all_pass(table, ("ultramarines", 9))
    assert int(table.record["thunderhawk"]) == st.THUNDERHAWK_LANDED
    all_pass(table, ("tyranids", 9))
    assert table.over
    assert (table.record["models"]["status"][:11] == st.STATUS_ESCAPED).all()


def test_e32_without_contact_the_signal_is_lost() -> None:
    squad = {**HERE, **THERE, 5: (87, 46), 7: (85, 51)}
    table = purge("MOVE_SELECT", turn="tyranids", squad=squad, round_=8, thunderhawk="signal")
    all_pass(table, ("ultramarines", 9))
    assert int(table.record["thunderhawk"]) == st.THUNDERHAWK_NONE
    squad[8] = (93, 48)  # had slot 8 stood there
    table = purge("MOVE_SELECT", turn="tyranids", squad=squad, round_=8, thunderhawk="signal")
    all_pass(table, ("ultramarines", 9))
    assert int(table.record["thunderhawk"]) == st.THUNDERHAWK_LANDED


def test_mac_m6_7_not_by_one_who_moved_nor_in_turn_12() -> None:
    models = {**HERE, **THERE, 5: (87, 46)}
    for round_, expected in ((8, True), (11, True), (12, False)):
        table = purge("SHOOT_SELECT", squad=models, round_=round_)
        for marks, offered in ((st.FLAG_STOOD, expected), (st.FLAG_STOOD | st.FLAG_MOVED, False), (0, False)):
            game = table.env.clone()
            game.states[0]["models"][7]["marks"] = marks
            seen = False
            while not game.states[0]["core"]["over"] and int(game.states[0]["active"]) == 0:
                seen = seen or game.phase_name() == "BEACON"
                game.step(PASS)
            assert seen == offered


def board(dead: tuple[int, ...], *, core: str = "none", away: tuple[int, ...] = (), **changes: Any) -> Table:
    """Return the game after the Thunderhawk has left."""
    squad = {k: cell for k, cell in {**HERE, **THERE}.items() if k not in dead}
    squad |= {k: (10, 5 + 4 * k) for k in away}
    changes = {"core_carrier": None, "fusion_core": core, "thunderhawk": "landed", "round_": 9, **changes}
    if core == "carried":
        changes["core_carrier"] = "Octavian"
    return all_pass(purge("SHOOT_SELECT", squad=squad, dead=dead, **changes), ("tyranids", 9))


def test_e33_graded_results() -> None:
    assert result(board((8, 9, 10), core="carried")) == -1
    assert result(board((9, 10), core="carried")) == 0
    assert result(board((6, 7, 8, 9, 10), core="dropped", core_timer=2)) == 1
    assert result(board((6, 7, 8, 9, 10), core="dropped", core_timer=2, away=(0,))) == 0
    assert result(board((5, 6, 7, 8, 9, 10), core="dropped", core_timer=2)) == 0


def test_mac_m6_3_all_aboard_is_the_major_result() -> None:
    assert result(board((), core="dropped", core_timer=2)) == 2
    assert result(board((), core="dropped", core_timer=2, away=(4,))) == 1
    carried: dict[str, Any] = {"status": {0: "carried"}, "varras_carrier": "Octavian"}
    assert result(board((), core="dropped", core_timer=1, **carried)) == 2


def test_mac_m6_3_the_last_turn_ends_it() -> None:
    table = purge("SHOOT_SELECT", round_=12)
    while not table.over:
        table.env.step(PASS)
    assert result(table) == -2  # intact, and nobody aboard: all ten are dead
    assert not table.truncated


def test_mac_m6_2_a_ticking_core_counts_and_wounds_do_not() -> None:
    assert result(board((), core="dropped", core_timer=2)) == 2
    assert result(board((9, 10), core="carried", pieces=node(0))) == 0


# -- what comes back -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hp", "termagants", "genestealers"), [(4, 3, 2), (3, 3, 2), (2, 2, 1), (1, 2, 1), (0, 0, 0)]
)
def test_mac_m6_8_what_the_node_returns(hp: int, termagants: int, genestealers: int) -> None:
    table = purge("MOVE_SELECT", turn="tyranids", pieces=node(hp))
    while table.phase != "SPAWN":
        table.env.step(PASS)
    models = table.record["models"]
    returned = [k for k in range(st.FIRST_GENESTEALER, st.FIRST_MINE) if table.at(k) and k not in (11, 17)]
    assert sum(k >= st.FIRST_TERMAGANT for k in returned) == termagants
    assert sum(k <= st.LAST_GENESTEALER for k in returned) == genestealers
    # Two Genestealers are a unit at once, three Termagants a nest.
    groups = {int(models[k]["group"]) for k in returned}
    expected = {NEST} if termagants else set()
    if genestealers:
        expected |= {BROOD_B if genestealers == 2 else st.GROUP_GENESTEALER_NEST}
    assert groups == expected


def test_mac_m6_8_each_marker_may_return_a_mine_of_a_type_in_the_pool() -> None:
    table = purge("MOVE_SELECT", turn="tyranids", mines={27: (3, 92), 28: (6, 92), 29: (9, 92)})
    table.env.step(PASS)
    while table.phase != "SPAWN":
        table.env.step(PASS)
    assert table.seat == "tyranids"
    assert table.offered("SPAWN") == {1, 2}
    assert "PASS" in table.verbs()
    table.do(SPAWN + 2, SPAWN + 2)
    assert table.offered("SPAWN") == {1}  # two poison mines there are
    table.do(PASS)
    assert set(table.mines()) >= {33, 34}
    assert table.active == "ultramarines"


def test_mac_b33_nest_models_are_in_cover_in_mission_6() -> None:
    squad = {9: (54, 66)}
    broods = {NEST: {18: (54, 58)}, SWARM_B: {17: (90, 90)}, BROOD_A: {11: (90, 5)}}
    table = purge("SHOOT_SELECT", squad=squad, broods=broods, dead=(6, 7, 8, 10)).do(select(ATREUS))
    table.do(target(NEST), dice=[3, 3, 5, 3, 3, 4])
    assert table.at(18) is None
