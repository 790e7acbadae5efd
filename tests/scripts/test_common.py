"""What the commands share: the notice of a first compile, seats, folders; and the measurements."""

import time

import numba
import numpy as np
import pytest
from toy.game import GAME

from broodmind.envs.core import compiled
from broodmind.envs.core.errors import ConfigError, PolicySpecError, UnknownEnvironmentError
from broodmind.scripts import common, measure

AGENTS = ("runner_0", "guard_0")


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """An empty cache of compiled rules, and no patience."""
    monkeypatch.setattr(compiled, "INTERPRETED", False)
    monkeypatch.setattr(compiled, "cache_folder", lambda game: tmp_path / "cache")
    monkeypatch.setattr(common, "PATIENCE", 0.01)
    return tmp_path / "cache"


def test_compile_notice_speaks_once_for_the_game_and_once_for_its_batch(cold, capsys):
    for batch in (False, True):
        with common.compile_notice(GAME, batch):
            time.sleep(0.1)
        told = capsys.readouterr()
        assert told.out == ""
        assert "compiling the rules of toy (once per version, about 60 s)..." in told.err
        assert "compiled the rules of toy in 0.1 s" in told.err
        with common.compile_notice(GAME, batch):
            time.sleep(0.1)
        assert capsys.readouterr().err == ""


def test_compile_notice_is_silent_about_what_is_quick_or_interpreted(cold, monkeypatch, capsys):
    monkeypatch.setattr(common, "PATIENCE", 10.0)
    with common.compile_notice(GAME):
        pass
    monkeypatch.setattr(compiled, "INTERPRETED", True)
    monkeypatch.setattr(common, "PATIENCE", 0.0)
    with common.compile_notice(GAME, batch=True):
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_compile_notice_after_a_failure_speaks_again(cold, capsys):
    with pytest.raises(ZeroDivisionError), common.compile_notice(GAME):
        raise ZeroDivisionError
    capsys.readouterr()
    with common.compile_notice(GAME):
        time.sleep(0.1)
    assert "compiling" in capsys.readouterr().err


def test_a_terminal_shows_the_time(cold, monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    with common.compile_notice(GAME):
        time.sleep(0.7)
    assert "0 s" in capsys.readouterr().err


def test_a_cache_that_cannot_be_written_is_no_error(cold, capsys):
    cold.write_text("a file where the folder should be")
    with common.compile_notice(GAME):
        time.sleep(0.1)
    assert "compiled" in capsys.readouterr().err


def test_warm_up_makes_a_game_ready():
    common.warm_up("toy/race-v0", batch=True)
    with pytest.raises(UnknownEnvironmentError):
        common.warm_up("toy/rice-v0")


def test_seats():
    expected = {"runner_0": "scripted", "guard_0": "checkpoint:a/b=c"}
    assert common.parse_seats("guard_0 = checkpoint:a/b=c ; runner_0=scripted;", AGENTS) == expected
    assert common.parse_seats("", AGENTS, default="random") == dict.fromkeys(AGENTS, "random")
    for text, message in (
        ("runner_0=random", "nobody plays guard_0; write for example 'runner_0=scripted;guard_0=scripted'"),
        ("runner_0", "cannot read the seat 'runner_0'"),
        ("runner_0=", "cannot read the seat"),
        ("gard_0=random", "did you mean guard_0"),
        ("guard_0=random;guard_0=random", "named twice"),
    ):
        with pytest.raises(PolicySpecError, match=message):
            common.parse_seats(text, AGENTS)


def test_check_writable(tmp_path):
    common.check_writable(tmp_path / "new" / "file.json")
    with pytest.raises(ConfigError, match="it is a folder"):
        common.check_writable(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot write"):
        common.check_writable(tmp_path / "file" / "below")


# -- measurements


def test_interleaving_warms_up_and_takes_turns():
    calls = []

    def contender(name, rate):
        def run(seconds):
            calls.append((name, seconds))
            return rate

        return run

    rates = measure.interleave({"a": ("units", contender("a", 2.0)), "b": ("", contender("b", 6.0))}, 3, 1.0)
    assert calls[:2] == [("a", 0.2), ("b", 0.2)]
    assert calls[2:] == [("a", 1.0), ("b", 1.0)] * 3
    assert rates["a"].to_dict() == {
        "name": "a",
        "meaning": "units",
        "per_second": 2.0,
        "rounds": [2.0, 2.0, 2.0],
    }
    assert rates["b"].per_second == 6.0


def test_any_pettingzoo_environment_can_be_measured():
    import broodmind

    assert measure.aec_player(broodmind.make("toy/bluff-v0"))(0.05) > 10


def test_memory_writer_measures_rows_per_second():
    one = measure.memory_writer(100, 10, 64, 2)(0.05)
    assert np.isfinite(one)
    assert one > 1000


def test_time_split_adds_up():
    split = measure.time_split("toy/race-v0", num_envs=16, seconds=0.01)
    assert set(split) == {"decision", "rules", "mask", "observation", "whole_observation"}
    assert min(split.values()) >= 0
    assert split["decision"] == pytest.approx(split["rules"] + split["mask"] + split["observation"])


def test_failed_processes_are_reported():
    with pytest.raises(measure.MeasurementError, match="no environment is called"):
        measure.start_times("toy/unheard-of-v0")


def test_machine_is_described():
    assert measure.machine()["numba"] == numba.__version__
