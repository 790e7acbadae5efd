"""The tuned hand-written players: what they do otherwise, and where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.tables import tables

CRASH = "macragge/crash-site-v0"
RESCUE = "macragge/rescue-varras-v0"


def choices(env_id: str, games: int = 3, idle: bool = False) -> list[tuple[BoardEnv, int, int]]:
    """Return copies of the positions of a few games, each with both players' choices; `idle` Ultramarines pass."""
    env = broodmind.make(env_id)
    kernels, t = env.game.kernels(), env.game.tables()
    found = []
    for seed in range(games):
        env.reset(seed=seed)
        while env.legal_actions():
            plain, tuned = (int(kernels.scripted(env.states, 0, t, chosen)) for chosen in (seed, -1 - seed))
            assert {plain, tuned} <= set(env.legal_actions())
            found.append((env.clone(), plain, tuned))
            env.step(act.PASS if idle and env.agent_selection == "ultramarines_0" else plain)
    return found


def place(env: BoardEnv, slot: int) -> tuple[int, int]:
    model = env.states["models"][0][slot]
    return int(model["x"]), int(model["y"])


def test_tuned_mines_hunt_varras_and_varras_keeps_to_the_middle():
    t = tables()[0]
    nearer, inward = [], []
    for env, plain, tuned in choices(RESCUE, 8):
        s = env.states[0]
        if plain == tuned or s["models"][st.VARRAS]["status"] != st.STATUS_TABLE:
            continue
        vx, vy = place(env, st.VARRAS)
        if env.phase_name() == "MINE_DIR":
            x, y = place(env, int(s["model"]))
            steps = 2 * int(s["die"])
            ends = [
                math.dist((vx, vy), (x + steps * t["unit_x"][d] / 1000, y + steps * t["unit_y"][d] / 1000))
                for d in (plain - act.DIR, tuned - act.DIR)
            ]
            nearer.append(ends[0] - ends[1])
        elif env.phase_name() == "MOVE_PLAN":
            cells = [
                (vx + int(t["dest_x"][c]), vy + int(t["dest_y"][c]))
                for c in (plain - act.DEST, tuned - act.DEST)
            ]
            far = [abs(x - 48) + abs(y - 48) for x, y in cells]
            inward.append(far[0] - far[1])
    assert len(nearer) > 20
    assert np.mean(nearer) > 0
    assert len(inward) > 20
    assert min(inward) >= 0


def test_tuned_mines_lead_varras_only_if_he_makes_for_the_exit():
    t = tables()[0]
    nearer = {}
    for idle in (False, True):
        gains = []
        for env, plain, tuned in choices(CRASH, 8, idle):
            s = env.states[0]
            if plain == tuned or env.phase_name() != "MINE_DIR":
                continue
            x, y = place(env, int(s["model"]))
            steps = 2 * int(s["die"])
            ends = [
                math.dist(
                    place(env, st.VARRAS),
                    (x + steps * t["unit_x"][d] / 1000, y + steps * t["unit_y"][d] / 1000),
                )
                for d in (plain - act.DIR, tuned - act.DIR)
            ]
            gains.append(ends[0] - ends[1])
        assert len(gains) > 10
        nearer[idle] = np.mean(gains)
    assert nearer[True] > 1  # who does not come is met where he is
    assert nearer[True] > nearer[False]


@pytest.mark.parametrize("mission", ["fusion-core", "xeno-tide", "reinforcements", "purge-the-xenos"])
def test_in_other_missions_they_are_the_same_player(mission):
    found = choices(f"macragge/{mission}-v0", 1)
    assert found
    assert all(plain == tuned for _, plain, tuned in found)
