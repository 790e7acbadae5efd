"""Section 4: the action table, and that every decision of missions 1 and 2 offers what the ledger says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from macragge.rules.brute_force import DEST_ORDER
from macragge.rules.table import PASS, dest, direction, far_mines, mine, model, position, select

import broodmind
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge.actions import ACTIONS
from broodmind.envs.macragge.names import DEST_OFFSETS

LEDGER_TABLE = [
    ("PASS", 0, 1),
    ("SELECT", 1, 17),
    ("TARGET", 18, 38),
    ("MODEL", 56, 35),
    ("DEST", 91, 441),
    ("LANE", 532, 31),
    ("DIR", 563, 16),
    ("MISSILE", 579, 2),
    ("SPAWN", 581, 3),
    ("CROSS", 584, 1),
    ("SCUTTLE", 585, 1),
    ("DISARM", 586, 1),
    ("AUTO", 587, 1),
    ("ACTIVATE", 588, 1),
]
VERBS = {
    "MOVE_SELECT": {"SELECT", "PASS"},
    "MOVE_PLAN": {"DEST", "CROSS", "PASS"},
    "MOVE_EDIT": {"MODEL", "PASS"},
    "MOVE_CELL": {"DEST"},
    "MINE_DIR": {"DIR"},
    "SHOOT_SELECT": {"TARGET", "PASS"},
    "FLAME": {"DIR", "PASS"},
    "CASUALTY": {"MODEL"},
    "SPAWN": {"TARGET", "PASS"},
}
SEATS = {"MINE_DIR": "tyranids", "SPAWN": "tyranids"}
"""Whose decision it is, where not the Ultramarines'."""


def test_mac_4_the_action_table_is_that_of_the_ledger() -> None:
    assert [(verb.name, ACTIONS.base[verb.name], verb.count) for verb in ACTIONS.verbs] == LEDGER_TABLE
    assert ACTIONS.size == 589


def test_mac_4_offsets_are_sorted_by_distance_then_north_then_east() -> None:
    assert list(DEST_OFFSETS) == DEST_ORDER
    assert DEST_OFFSETS[0] == (0, 0)
    assert len(DEST_OFFSETS) == 441


@pytest.mark.parametrize(
    ("mission", "phases"),
    [
        (1, {"MOVE_SELECT", "MOVE_PLAN", "MINE_DIR", "SHOOT_SELECT", "SPAWN"}),
        (2, {"MOVE_SELECT", "MOVE_PLAN", "MOVE_EDIT", "MOVE_CELL", "MINE_DIR", "FLAME", "CASUALTY", "SPAWN"}),
    ],
)
def test_mac_4_every_decision_offers_what_its_phase_allows(mission: int, phases: set[str]) -> None:
    env = broodmind.make(f"macragge/{('crash-site', 'rescue-varras')[mission - 1]}-v0", skip_forced=False)
    rng = np.random.default_rng(mission)
    seen = set()
    for seed in range(2 if INTERPRETED else 12):
        env.reset(seed=seed)
        while not env.states[0]["core"]["over"]:
            legal = env.legal_actions()
            assert legal
            phase = env.phase_name()
            verbs = {ACTIONS.decode(action)[0].name for action in legal}
            assert verbs <= VERBS[phase]
            if "PASS" in VERBS[phase]:
                assert PASS in legal
            assert env.agent_selection == f"{SEATS.get(phase, 'ultramarines')}_0"
            seen.add(phase)
            env.step(int(rng.choice(legal)))
    assert seen <= phases
    assert INTERPRETED or seen == phases


def test_mac_4_the_offset_0_is_always_offered() -> None:
    table = position(2, squad={1: (52, 64), 2: (58, 64), 3: (58, 61), 4: (58, 67), 5: (61, 64)}, mines={})
    for group in (0, 1):
        twin = position(2, mines={}).do(select(group))
        assert (0, 0) in twin.offered("DEST")
    table.do(select(1))
    assert (0, 0) in table.offered("DEST")  # though one stands on a wreck


def test_mac_4_a_single_model_moves_at_once() -> None:
    table = position(2, mines={27: (60, 8)}).do(select(0), dest(2, 0))
    assert (table.at(0), table.phase) == ((18, 48), "MOVE_SELECT")


def test_mac_4_a_squad_moves_in_three_decisions_and_two_per_edit() -> None:
    table = position(2, mines={}, markers={0: (10, 10)})
    table.do(select(1), dest(-6, 0), PASS)
    assert int(table.record["core"]["decisions"]) == 3
    table = position(2, mines={}, markers={0: (10, 10)})
    table.do(select(1), dest(-6, 0), model(3), dest(0, 1), PASS)
    assert int(table.record["core"]["decisions"]) == 5


def test_mac_4_passing_in_the_move_step_ends_it() -> None:
    table = position(1, mines={27: (30, 48)}).do(PASS)
    assert table.phase == "SHOOT_SELECT"
    assert table.at(0) == (11, 48)


def test_mac_4_illegal_actions_are_explained_by_clause() -> None:
    table = position(1, mines={27: (17, 48)}).do(select(0))
    reasons = {
        dest(4, 0): "MAC-B23",  # into contact with the mine
        dest(-5, 0): "MAC-B25",  # onto the cockpit
        dest(12, 0): "MAC-B22",  # no way of six inches
        direction(0): "MAC-B12",  # not now
        mine(27): "MAC-B12",
    }
    for action, clause in reasons.items():
        reason = table.env.explain_action(action)
        assert reason is not None
        assert reason.clause == clause, ACTIONS.name(action)
    assert table.env.explain_action(dest(3, 0)) is None


def test_mac_4_forced_decisions_are_taken_by_the_engine() -> None:
    # One Space Marine is left to die: nothing is asked, unless forced decisions are wanted.
    start: dict[str, Any] = {
        "squad": {1: (60, 49)},
        "dead": (2, 3, 4, 5),
        "mines": {27: (58, 60), **far_mines([28])},
    }
    asked = position(2, **start, skip_forced=False)
    asked.pass_turn(dice=[6, 3, 12, 4, 1])
    assert (asked.phase, asked.seat, asked.offered("MODEL")) == ("CASUALTY", "ultramarines", {1})
    asked.do(model(1), dice=[1, 1])
    assert asked.phase == "MINE_DIR"
    assert position(2, **start).pass_turn(dice=[6, 3, 12, 4, 1, 1, 1]).phase == "MINE_DIR"
