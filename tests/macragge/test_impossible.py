"""Crafted positions: each is refused with a sentence, since compiled rules trust what they are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.snapshot import pack
from broodmind.envs.macragge import state as st

ID, ID2 = "macragge/crash-site-v0", "macragge/rescue-varras-v0"


def at_phase(env_id: str, phase: str, **settings: Any) -> BoardEnv:
    """Return a game at the first decision of a phase, in a game of the scripted players."""
    env = broodmind.make(env_id, layout="standard", **settings)
    kernels, tables = env.game.kernels(), env.game.tables()
    for seed in range(100):
        env.reset(seed=seed)
        while env.legal_actions():
            if env.phase_name() == phase:
                return env
            env.step(kernels.scripted(env.states, 0, tables, seed))
    raise AssertionError(f"no {phase} in a hundred games")


CHANGES: list[tuple[str, str, dict[str, Any], str]] = [
    (ID, "MOVE_SELECT", {"frames": [{}], "frame_count": 1}, "frames are suspended|of kind 0"),
    (ID, "MOVE_SELECT", {"frame_count": 5}, "of kind 0; this mission knows 1"),
    (ID, "MOVE_SELECT", {"frames": [{"op": "detonations"}], "frame_count": 1}, "interrupts nothing"),
    (ID, "MOVE_SELECT", {"frames": [{"op": "detonations"}], "frame_count": 0}, "they must be zero"),
    (ID, "MOVE_SELECT", {"frame_count": 13}, r"frame_count is 13; expected 0\.\.12"),
    (ID, "MOVE_SELECT", {"frames": [{"op": "casualties", "a": 1, "b": 1}], "frame_count": 1}, "of kind 2"),
    (
        ID2,
        "MOVE_SELECT",
        {"frames": [{"op": "casualties", "a": 9}], "frame_count": 1},
        "expected 1..2, 0..10, 0..0",
    ),
    (ID2, "CASUALTY", {"detonations": ["Varras", "Octavian"], "detonation_tail": 2}, "must hold mines"),
    (
        ID2,
        "CASUALTY",
        {"detonations": ["mine 1", "mine 1"], "detonation_tail": 2},
        "must hold mines, each once",
    ),
    (ID2, "CASUALTY", {"detonation_tail": 9}, "head <= tail <= 8"),
    (ID, "MOVE_SELECT", {"detonations": ["mine 1"]}, "no frame of detonations works off"),
    (
        ID,
        "MOVE_SELECT",
        {"detonations": ["mine 1"], "detonation_tail": 1},
        "no frame of detonations works off",
    ),
    (ID, "MOVE_SELECT", {"allowance": 7}, r"allowance is 7; expected 0\.\.6"),
    (ID, "MOVE_SELECT", {"allowance": -1}, "allowance is -1"),
    (ID, "MOVE_SELECT", {"die": 7}, r"die is 7; expected 0\.\.6"),
    (ID, "MOVE_SELECT", {"cursor": 36}, r"cursor is 36; expected 0\.\.35"),
    (ID, "MOVE_SELECT", {"wounds": 6}, "wounds is 6"),
    (ID, "MOVE_SELECT", {"kills": 1}, "kills is 1"),
    (ID, "MOVE_SELECT", {"unit": "wreck W4"}, "unit is 37"),
    (ID, "MOVE_SELECT", {"mover_count": 11}, "mover_count is 11"),
    (ID2, "MOVE_PLAN", {"mover_count": 30}, "mover_count is 30"),
    (ID, "MOVE_SELECT", {"cells": ["ff"]}, "cells are given, but no unit"),
    (ID, "MOVE_PLAN", {"cells": ["ff"]}, "cells are not those that the models in hand can reach"),
    (ID2, "MOVE_PLAN", {"cells": []}, "cells are not those"),
    (ID, "MOVE_SELECT", {"rendezvous": [1, 1, 7]}, "the rendezvous"),
    (ID2, "FLAME", {"phase": "SHOOT_SELECT"}, "rescue-varras has no decision SHOOT_SELECT"),
]


@pytest.mark.parametrize(("env_id", "phase", "change", "message"), CHANGES)
def test_impossible_positions_are_refused(
    env_id: str, phase: str, change: dict[str, Any], message: str
) -> None:
    env = at_phase(env_id, phase)
    before = env.states.tobytes()
    with pytest.raises(StateError, match=message):
        env.from_dict({**env.to_dict(), **change})
    with pytest.raises(StateError, match=message):
        env.reset(options={"state": {**env.to_dict(), **change}})
    assert env.states.tobytes() == before


def set_turn(env: BoardEnv) -> None:
    env._core["turn"], env._core["max_turns"] = 32001, 0


def set_limit(env: BoardEnv) -> None:
    env._core["max_turns"] = 32767


def fill_pool(env: BoardEnv) -> None:
    models, groups = env.states["models"][0], env.states["groups"][0]
    for k, slot in enumerate(range(st.FIRST_MINE, st.MODELS)):
        for column in ("x", "start_x", "plan_x"):
            models[column][slot] = 3 + 4 * k
        for column in ("y", "start_y", "plan_y"):
            models[column][slot] = 3
        models["status"][slot] = st.STATUS_TABLE
        groups["living"][st.FIRST_MINE_GROUP + k] = 1


def move_start(env: BoardEnv) -> None:
    env.states["models"]["start_x"][0, 0] += 1


def plan_far(env: BoardEnv) -> None:
    env.states["models"]["plan_x"][0, 0] += 25


def leave_piece(env: BoardEnv) -> None:
    env.states["pieces"]["marks"][0, st.PIECE_NODE] = 2


def take_fat_marks(env: BoardEnv) -> None:
    env.states["models"]["marks"][0, st.FIRST_MINE] |= st.FLAG_QUEUED


@pytest.mark.parametrize(
    ("phase", "change", "message"),
    [
        ("MOVE_SELECT", set_turn, "core.turn is 32001"),
        ("MOVE_SELECT", set_limit, "core.max_turns is 32767"),
        ("SPAWN", fill_pool, "needs a mine out of play"),
        ("MOVE_PLAN", move_start, "but its start at"),
        ("MOVE_SELECT", plan_far, "but its plan at"),
        ("MOVE_SELECT", leave_piece, "hive node is not there"),
        ("MOVE_SELECT", take_fat_marks, "marked as queued"),
    ],
)
def test_impossible_records_are_refused(phase: str, change: Callable[[BoardEnv], None], message: str) -> None:
    env = at_phase(ID, phase)
    change(env)
    data = pack(env.game, ID, env.states, {})
    with pytest.raises(StateError, match=message):
        broodmind.make(ID).load_state(data)


def test_a_plan_leads_where_models_can_go() -> None:
    env = at_phase(ID2, "MOVE_EDIT")
    slot = int(env.states["movers"][0, 0])
    plan = env.states["models"][0, slot]["plan_x"], env.states["models"][0, slot]["plan_y"]
    for dx, dy in ((0, 25), (0, -25), (25, 0), (-25, 0)):
        name = list(env.to_dict()["models"])[slot]
        data = env.to_dict()
        data["models"][name]["plan"] = [int(plan[0]) + dx, int(plan[1]) + dy]
        with pytest.raises(StateError, match=r"where it cannot go|expected within|off the table|onto"):
            env.from_dict(data)


@pytest.mark.parametrize("env_id", [ID, ID2])
def test_every_position_of_play_is_possible_and_survives(env_id: str) -> None:
    rng = np.random.default_rng(3)
    for seed in range(3):
        env = broodmind.make(env_id, skip_forced=bool(seed % 2))
        env.reset(seed=seed)
        while True:
            assert env.problems() == []
            if rng.random() < 0.05:
                before = env.states.tobytes()
                env.from_dict(env.to_dict())
                env.load_state(env.save_state())
                assert env.states.tobytes() == before
            if not env.legal_actions():
                break
            env.step(int(rng.choice(env.legal_actions())))


@pytest.mark.parametrize("max_turns", [0, 41, 1000, 32000])
def test_observations_stay_in_their_box(max_turns: int) -> None:
    env = at_phase(ID, "MOVE_SELECT", max_turns=max_turns)
    for turn in (1, 40, max_turns or 32000):
        env._core["turn"] = turn
        for agent in env.possible_agents:
            assert env.observation_space(agent).contains(env.observe(agent))
    layout = env.observation_layout()["globals"]
    seen = env.observe(env.agent_selection)["observation"]
    assert seen[layout.column("turn")] == 1
    assert seen[layout.column("limit")] == (1 if max_turns else 0)


def test_a_game_without_limit_ends_before_its_turns_wrap() -> None:
    env = at_phase(ID, "MOVE_SELECT", max_turns=0)
    env._core["turn"] = 32000
    rng = np.random.default_rng(0)
    while env.legal_actions():
        env.step(int(rng.choice(env.legal_actions())))
    assert env._core["turn"] == 32000
    assert env._core["over"] == 1
    assert env.problems() == []
