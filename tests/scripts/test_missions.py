"""Commands over several missions: train, export, evaluate and list."""

import dataclasses
import json
import shutil

import pytest
from typer.testing import CliRunner

from broodmind.agents import checkpoint
from broodmind.scripts.evaluate import Report, means
from broodmind.scripts.main import app
from broodmind.training.evaluate import evaluate

TINY = (
    "rollout_steps=8",
    "envs=8",
    "minibatch=32",
    "steps_per_generation=64",
    "evaluation_games=4",
    "hidden=[16]",
)
SETTINGS = [part for setting in TINY for part in ("--set", setting)]


def good(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def refused(*arguments):
    """Run a command that must fail with one line and exit code 2; return the line."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="module")
def of_one_mission(tmp_path_factory):
    """The checkpoints of a moment's training on the race alone."""
    folder = tmp_path_factory.mktemp("runs") / "race"
    good("train", "toy/race-v0", "--steps", 128, "--run-dir", folder, *SETTINGS)
    return max((folder / "generations").iterdir())


def test_several_missions_from_training_to_tables(tmp_path):
    run_dir, hold_out = tmp_path / "mix", ("--hold-out", "toy/bluff-v0")
    shown = json.loads(good("train", "--env", "toy/*", "--show-config"))
    assert shown["env_id"] == "toy/race-v0,toy/bluff-v0"
    good("train", "toy/*", *hold_out, "--steps", 128, "--run-dir", run_dir, *SETTINGS)
    good("train", "toy/*", "--resume", "--run-dir", run_dir)
    output = good("export", run_dir, "--games", 5, "--candidates", 1)
    assert "of 5 in toy/bluff-v0 (held out)" in output
    mine = f"checkpoint:{run_dir / 'export'}"
    seats = ("--seats", f"runner_0={mine};guard_0=scripted")
    arguments = ("evaluate", "toy/*", *seats, "--matrix", f"random,{mine}", "--games", 6)
    output = good(*arguments, "--out", tmp_path / "table.json")
    assert "export (held out)" in output
    assert "mean of 2 missions" in output
    found = json.loads((tmp_path / "table.json").read_text())
    assert [part["environment"] for part in found["missions"]] == ["toy/race-v0", "toy/bluff-v0"]
    assert [part["seats"][0]["held_out"] for part in found["missions"]] == [False, True]
    (mean,) = found["means"]
    rates = [part["seats"][0]["win_rate"] for part in found["missions"]]
    assert mean["seats"][0]["win_rate"] == pytest.approx(sum(rates) / 2)
    assert mean["matrix"]["rows"] == ["random", mine]
    good(*arguments, "--out", tmp_path / "table.md")
    assert (tmp_path / "table.md").read_text().count(
        "(held out)"
    ) == 7  # a seat, a row, a column, four in pairings


def test_means_leave_held_out_missions_out_a_second_time():
    pair = {"runner_0": "random", "guard_0": "random"}
    matches = [evaluate(env_id, pair, games=4) for env_id in ("toy/race-v0", "toy/bluff-v0", "toy/bluff-v0")]

    def names():
        return [part.env_id for mean in means([Report(match) for match in matches]) for part in mean.parts()]

    assert names() == ["mean of 3 missions"]
    runner, guard = matches[2].seats
    unseen = dataclasses.replace(runner, held_out=True)
    matches[2] = dataclasses.replace(matches[2], seats=(unseen, guard))
    assert names() == ["mean of 3 missions", "mean of the 2 missions not held out"]


def test_policies_that_play_a_seat_in_some_missions_only_are_refused(of_one_mission, tmp_path):
    message = refused("evaluate", "toy/*", "--matrix", f"random,checkpoint:{of_one_mission}", "--games", 1)
    assert "was trained for toy/race-v0, not for toy/bluff-v0" in message
    message = refused("evaluate", "toy/race-v0", "--matrix", f"checkpoint:{of_one_mission / 'guard_0'}")
    assert "nobody of the list plays runner_0 of toy/race-v0" in message
    both = tmp_path / "both"
    shutil.copytree(of_one_mission, both)
    card = both / "guard_0" / "card.json"
    data = json.loads(card.read_text())
    other = {**data["environments"][0], "id": "toy/bluff-v0"}
    card.write_text(json.dumps({**data, "environments": [*data["environments"], other]}))
    message = refused("evaluate", "toy/*", "--matrix", f"random,checkpoint:{both}", "--games", 1)
    assert "plays a seat in one of toy/race-v0 and toy/bluff-v0" in message


def test_list_shows_what_the_shipped_checkpoints_were_trained_on(tmp_path, monkeypatch, of_one_mission):
    shutil.copytree(of_one_mission / "guard_0", tmp_path / "toy" / "all" / "guard_0")
    monkeypatch.setattr(checkpoint, "SHIPPED", tmp_path)
    assert "checkpoint:toy/all/guard_0: trained on toy/race-v0" in good("list")
    rows = {row["id"]: row["checkpoints"] for row in json.loads(good("list", "--json"))}
    assert rows["toy/race-v0"] == ["toy/all/guard_0"]
    assert rows["toy/bluff-v0"] == []
