"""Random play reaches every part of the game: tiles, tools, events, Injuries, Insanities, decisions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.record import new_log
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st

RARE = {"RIDE_LIFT", "LOOK_OUT", "TAKE_TILE"}
"""Verbs that random players of full-hulk seldom come to: it is enough that these are reached once."""


@pytest.mark.skipif(INTERPRETED, reason="plays hundreds of games")
def test_random_play_reaches_everything() -> None:
    env = broodmind.make("maze/full-hulk-v0")
    env.reset(seed=1)
    kernels, tables = env.game.kernels(), env.game.tables()
    states, mask, log = env.states, np.zeros(act.ACTIONS.size, np.int8), new_log(4096)
    choose = np.random.default_rng(2)
    verbs, kinds, used, events, injuries, insanities = (Counter[int | str]() for _ in range(6))
    core = states[0]["core"]
    names = [act.ACTIONS.decode(action)[0].name for action in range(act.ACTIONS.size)]
    for game in range(700):
        core["key"], core["counter"], core["queue_length"] = 1000 + game, 0, 0
        core["over"] = core["truncated"] = core["result"] = core["turn"] = 0
        kernels.reset(states, 0, tables, log, mask)
        # Some games begin with the sides already in trouble, so that what comes late comes often.
        if game % 3 == 1:
            states[0]["morale"][:] = 1
        elif game % 3 == 2:
            states[0]["h_wounds"] = 6
        while not core["over"]:
            log[:] = 0
            legal = np.flatnonzero(mask)
            weights = np.where([names[a] in RARE for a in legal], 20.0, 1.0)
            action = int(choose.choice(legal, p=weights / weights.sum()))
            verbs[names[action]] += 1
            kernels.step(states, 0, tables, action, log, mask)
            for row in log[1 : 1 + log[0, 0]]:
                kind, a, b = int(row[0]), int(row[1]), int(row[2])
                if kind == st.LOG_MOVED:
                    kinds[int(row[4])] += 1
                elif kind == st.LOG_USED:
                    used[b] += 1
                elif kind == st.LOG_EVENT:
                    events[a] += 1
                elif kind == st.LOG_INJURED:
                    injuries[b] += 1
                elif kind == st.LOG_INSANE:
                    insanities[b] += 1
    assert set(kinds) >= set(range(st.KINDS)) - {st.PIT}
    assert set(used) >= {st.FRAG, st.MEDKIT, st.MELTA, st.RATION, st.SKULL, st.MINE}
    assert set(events) >= set(range(st.EVENTS)) - {st.CERAMITE}
    assert set(injuries) == set(range(1, 7))
    assert set(insanities) == set(range(1, 7))
    assert set(verbs) >= {verb.name for verb in act.ACTIONS.verbs} - {
        "BLADE",
        "PENDANT",
        "LIFT_MINE",
        "SCANNER",
    }
