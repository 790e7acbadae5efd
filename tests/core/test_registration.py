from __future__ import annotations

import subprocess
import sys
from typing import Any

import gymnasium
import pettingzoo
import pytest
from toy.game import GAME, ToyGame

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.errors import ConfigError, UnknownEnvironmentError
from broodmind.envs.core.registration import register_game, select_ids, unregister_game


def test_unknown_ids_suggest_the_nearest() -> None:
    with pytest.raises(UnknownEnvironmentError, match="did you mean 'toy/race-v0'"):
        broodmind.make("toy/rase-v0")
    with pytest.raises(UnknownEnvironmentError, match=r"known ids: .*macragge/crash-site-v0"):
        broodmind.make_vec("zzz", 2)


def test_selections_are_ids_and_patterns() -> None:
    assert select_ids("toy/*") == ("toy/race-v0", "toy/bluff-v0")
    assert select_ids(" toy/bluff-v0, toy/*,") == ("toy/bluff-v0", "toy/race-v0")
    assert select_ids("toy/r?ce-v[0-9]") == ("toy/race-v0",)
    assert select_ids("toy/rice-v0") == ("toy/rice-v0",)  # whoever uses it says that there is none
    assert select_ids("") == ()
    with pytest.raises(
        UnknownEnvironmentError, match=r"no environment matches 'tuy/\*'; known ids: macragge/"
    ):
        select_ids("toy/race-v0,tuy/*")


def test_a_game_is_registered_once() -> None:
    with pytest.raises(ValueError, match="registered already"):
        register_game(GAME)

    class Renamed(ToyGame):
        name = "renamed"

    with pytest.raises(ValueError, match=r"'toy/race-v0' is registered already"):
        register_game(Renamed())
    with pytest.raises(KeyError, match="built in"):
        unregister_game("macragge")


def test_pettingzoo_and_gymnasium_know_the_ids() -> None:
    env = pettingzoo.make("aec", "toy/race-v0", layout="standard")
    assert isinstance(env, BoardEnv)
    assert env.unwrapped is env
    assert env.settings.layout == "standard"
    solo = gymnasium.make("broodmind:toy/bluff-v0", agent="guard_0", opponent="random")
    assert solo.get_wrapper_attr("agent") == "guard_0"


def test_importing_is_light_and_has_no_side_effects() -> None:
    code = (
        "import sys, os; before = dict(os.environ); import broodmind; broodmind.env_ids(); "
        "heavy = {'numba', 'torch', 'rich', 'typer', 'stable_baselines3', 'PIL'} & set(sys.modules); "
        "assert not heavy, heavy; assert dict(os.environ) == before"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"layout": "standart"}, "layout='standart'.*perhaps you meant 'standard'"),
        ({"max_turns": -1}, "max_turns=-1; expected a whole number"),
        ({"max_turns": True}, "max_turns=True"),
        ({"illegal_action": "rais"}, "perhaps you meant 'raise'"),
        ({"skip_forced": 1}, "skip_forced=1; expected True or False"),
        ({"render_mode": "rgb"}, "render_mode='rgb'"),
        ({"net": 3}, "has no option 'net', perhaps you meant 'nets'"),
        ({"nets": "many"}, "nets='many'; expected a whole number"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        broodmind.make("toy/race-v0", **options)


def test_mission_options_reach_the_game_and_outlive_resets() -> None:
    env = broodmind.make("toy/race-v0", nets=5)
    for seed in (1, None):
        env.reset(seed=seed)
        assert env.to_dict()["nets"] == 5
    batch = broodmind.make_vec("toy/race-v0", 2, 1, nets=7)
    batch.reset()
    assert batch.states["nets"].tolist() == [7, 7]
