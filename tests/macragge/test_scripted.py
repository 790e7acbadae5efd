"""The other hand-written players: what they do otherwise, and where they do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.macragge import actions as act
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.tables import tables
from broodmind.training.evaluate import evaluate

CRASH = "macragge/crash-site-v0"
RESCUE = "macragge/rescue-varras-v0"


TUNED, SWARM = 0, 1


def choices(
    env_id: str, games: int = 3, idle: bool = False, variant: int = TUNED
) -> list[tuple[BoardEnv, int, int]]:
    """Return copies of the positions of a few games, each with the choices of `scripted` and of another player.

    `idle` Ultramarines pass.
    """
    env = broodmind.make(env_id)
    kernels, t = env.game.kernels(), env.game.tables()
    found = []
    for seed in range(games):
        env.reset(seed=seed)
        while env.legal_actions():
            plain, other = (
                int(kernels.scripted(env.states, 0, t, chosen))
                for chosen in (2 * seed, -1 - (2 * seed + variant))
            )
            assert {plain, other} <= set(env.legal_actions())
            found.append((env.clone(), plain, other))
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


def test_a_swarm_gathers_where_ultramarines_stand_close_together():
    t = tables()[0]
    closer = []
    for env, plain, swarm in choices(RESCUE, 8, variant=SWARM):
        if plain == swarm or env.phase_name() != "MINE_DIR":
            continue
        s = env.states[0]
        x, y = place(env, int(s["model"]))
        steps = 2 * int(s["die"])
        squad = [
            place(env, k) for k in range(st.FIRST_GENESTEALER) if s["models"][k]["status"] == st.STATUS_TABLE
        ]
        crowds = []
        for d in (plain - act.DIR, swarm - act.DIR):
            end = (x + steps * t["unit_x"][d] / 1000, y + steps * t["unit_y"][d] / 1000)
            crowds.append(sum(math.exp(-math.dist(end, marine) / 10) for marine in squad))
        closer.append(crowds[1] - crowds[0])
    assert len(closer) > 20
    assert np.mean(closer) > 0


def test_a_swarm_wins_more_against_random_ultramarines():
    wins = {}
    for spec in ("scripted", "scripted:swarm"):
        players = {"ultramarines_0": "random", "tyranids_0": spec}
        wins[spec] = evaluate(RESCUE, players, games=1000, seed=3).seat("tyranids_0").wins
    assert wins["scripted:swarm"] > wins["scripted"] + 20


@pytest.mark.parametrize("variant", [TUNED, SWARM])
@pytest.mark.parametrize("mission", ["fusion-core", "xeno-tide", "reinforcements", "purge-the-xenos"])
def test_in_other_missions_they_are_the_same_player(mission, variant):
    env_id = f"macragge/{mission}-v0"
    kernels, t = broodmind.make(env_id).game.kernels(), tables()
    for env, _, other in choices(env_id, 1, variant=variant):
        assert other == int(kernels.scripted(env.states, 0, t, variant))
