"""What the commands share: the notice of a first compile, seats, folders; and the measurements."""

import numba
import numpy as np
import pytest
from toy.game import GAME

from broodmind.envs.core import compiled
from broodmind.envs.core.errors import ConfigError, PolicySpecError
from broodmind.scripts import common, measure

AGENTS = ("runner_0", "guard_0")


def test_compile_notice_speaks_only_when_the_cache_is_empty(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(compiled, "INTERPRETED", False)
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    with common.compile_notice(GAME):
        pass
    told = capsys.readouterr()
    assert told.out == ""
    assert "compiling the rules of toy (once per version" in told.err
    assert "compiled the rules of toy in 0.0 s" in told.err
    folder = tmp_path / "toy_0123"
    folder.mkdir()
    (folder / "kernel.step-190.py311.nbi").touch()
    with common.compile_notice(GAME):
        pass
    assert capsys.readouterr().err == ""
    assert not common.is_compiled(GAME, batch=True)
    (folder / "kernel.step_range-290.py311.nbi").touch()
    assert common.is_compiled(GAME, batch=True)


def test_warming_up_fills_the_cache_that_the_notice_looks_at(capsys):
    common.warm_up("toy/race-v0", batch=True)
    assert common.is_compiled(GAME, batch=True)
    capsys.readouterr()
    common.warm_up("toy/race-v0", batch=True)
    assert capsys.readouterr().err == ""


def test_interpreted_rules_are_always_ready(monkeypatch):
    monkeypatch.setattr(compiled, "INTERPRETED", True)
    assert common.is_compiled(GAME, batch=True)


def test_a_terminal_shows_the_time(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(compiled, "INTERPRETED", False)
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with common.compile_notice(GAME):
        pass
    assert "compiled the rules of" in capsys.readouterr().err


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
    assert set(split) == {"rules", "mask", "observation", "decision"}
    assert min(split.values()) >= 0
    assert split["decision"] > 0


def test_failed_processes_are_reported():
    with pytest.raises(measure.MeasurementError, match="no environment is called"):
        measure.start_times("toy/unheard-of-v0")


def test_machine_is_described():
    assert measure.machine()["numba"] == numba.__version__
