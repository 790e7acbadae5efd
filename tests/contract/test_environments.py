"""The contract over every registered id, so that a new id is tested by existing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium
import pytest
from contract import golden, kit
from gymnasium.utils.env_checker import check_env as gymnasium_check
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from stable_baselines3.common.env_checker import check_env as stable_baselines_check

import broodmind
from broodmind.envs.core.registration import BUILT_IN, game_of
from broodmind.scripts.soaking import soak_environment

IDS = broodmind.env_ids()
CHECKS = [
    kit.check_mask,
    kit.check_forced,
    kit.check_seeds,
    kit.check_hidden,
    kit.check_copies,
    kit.check_words,
    kit.check_dictionaries,
    kit.check_numbers,
    kit.check_truncation,
    kit.check_strict_dice,
    kit.check_batch,
    kit.check_rows,
    kit.check_players,
]


def maker(env_id: str) -> kit.Make:
    return lambda **settings: broodmind.make(env_id, **settings)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("env_id", IDS)
def test_contract(env_id: str, check: object) -> None:
    check(maker(env_id))  # type: ignore[operator]


@pytest.mark.parametrize("env_id", IDS)
def test_standard_layout_keeps_the_contract(env_id: str) -> None:
    for layout in game_of(env_id).mission(env_id).layouts:
        kit.check_mask(
            lambda layout=layout, **more: broodmind.make(env_id, layout=layout, **more), decisions=8
        )


@pytest.mark.parametrize("env_id", IDS)
def test_threads_make_no_difference(env_id: str) -> None:
    kit.check_threads(env_id)


@pytest.mark.parametrize("env_id", IDS)
def test_a_soak_finds_nothing(env_id: str) -> None:
    # `broodmind soak ID` plays a million decisions in the same way.
    report = soak_environment(env_id, decisions=4096, seed=7, num_envs=128, every=4)
    assert report.checked >= 1000


@pytest.mark.parametrize("name", list(BUILT_IN))
def test_the_table_of_built_in_games_names_their_missions(name: str) -> None:
    ids = BUILT_IN[name].ids
    game = game_of(ids[0])
    assert game.name == name
    assert tuple(mission.id for mission in game.missions) == ids
    assert [mission.number for mission in game.missions] == list(range(1, len(ids) + 1))


# -- the checkers of others -----------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", IDS)
def test_pettingzoo_api(env_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        # A mask of zeros is what a dead agent has; the spaces are Dict as in PettingZoo's classic games.
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message="Action mask numpy array is all zeros")
        warnings.filterwarnings("ignore", message="Observation space for each agent probably should be")
        warnings.filterwarnings("ignore", message="Observation is not a NumPy array")
        api_test(broodmind.make(env_id), num_cycles=200)
    seed_test(lambda: broodmind.make(env_id), num_cycles=100)
    env = broodmind.make(env_id)
    save_obs(env)


@pytest.mark.parametrize("env_id", IDS)
def test_pettingzoo_rendering(env_id: str) -> None:
    texts = {"svg": lambda text: text.startswith("<svg") or "<svg" in text[:200]}
    render_test(lambda render_mode: broodmind.make(env_id, render_mode=render_mode), texts)


@pytest.mark.parametrize("env_id", IDS)
def test_pettingzoo_parallel_conversion(env_id: str) -> None:
    parallel_api_test(turn_based_aec_to_parallel(broodmind.make(env_id)), num_cycles=60)


@pytest.mark.parametrize("flat", [True, False], ids=["flat", "dict"])
@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_and_stable_baselines_checkers(env_id: str, flat: bool) -> None:
    for agent in game_of(env_id).agents:
        env = gymnasium.make(f"broodmind:{env_id}", agent=agent, opponent="random", flat=flat).unwrapped
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            gymnasium_check(env, skip_render_check=True)
            stable_baselines_check(env)


# -- other processes ------------------------------------------------------------------------------------

DECISIONS = 40


@pytest.fixture(scope="module")
def traces() -> dict[str, dict[str, str]]:
    script = Path(__file__).parent / "trace.py"
    runs = {
        "hash seed 0": {"PYTHONHASHSEED": "0"},
        "hash seed 4242": {"PYTHONHASHSEED": "4242"},
        "interpreted": {"PYTHONHASHSEED": "1", "NUMBA_DISABLE_JIT": "1"},
    }
    command = [sys.executable, str(script), str(DECISIONS), *IDS]
    return {
        name: json.loads(
            subprocess.run(command, env={**os.environ, **extra}, check=True, capture_output=True).stdout
        )
        for name, extra in runs.items()
    }


@pytest.mark.parametrize("env_id", IDS)
def test_bytes_are_the_same_in_every_process(env_id: str, traces: dict[str, dict[str, str]]) -> None:
    assert traces["hash seed 0"][env_id] == traces["hash seed 4242"][env_id]


@pytest.mark.parametrize("env_id", IDS)
def test_bytes_are_the_same_compiled_and_interpreted(env_id: str, traces: dict[str, dict[str, str]]) -> None:
    assert traces["interpreted"][env_id] == traces["hash seed 0"][env_id]


# -- golden playthroughs --------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", IDS)
def test_the_golden_playthrough_is_unchanged(env_id: str) -> None:
    path = golden.path_of(env_id)
    assert path.exists(), f"{env_id} lacks a golden playthrough: run python tests/contract/golden.py"
    expected = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for number, (was, now) in enumerate(zip(expected, golden.record(env_id), strict=True)):
        assert now == was, f"decision {number} of the golden playthrough of {env_id} changed"
