"""The commands, driven as people drive them: arguments in, text and exit codes out."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from broodmind.envs.core import replay as replays
from broodmind.scripts.main import app

TINY = (
    "rollout_steps=8",
    "envs=8",
    "minibatch=32",
    "steps_per_generation=64",
    "evaluation_games=4",
    "hidden=[16]",
)


def run(*arguments, input=None):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


def good(*arguments, input=None):
    result = run(*arguments, input=input)
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def refused(*arguments):
    """Run a command that must fail with one line and exit code 2; return the line."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    # a first compile may be announced before
    lines = [line for line in result.stderr.splitlines() if not line.startswith("compil")]
    assert len(lines) == 1, lines
    assert lines[0].startswith("error: ")
    return lines[0]


def process(*arguments, **options):
    """Start a command in a process of its own, with the toy registered."""
    code = "from toy.game import register_toy; register_toy(); from broodmind.scripts.main import app; app()"
    tests = str(Path(__file__).resolve().parent.parent)
    environment = {**os.environ, "PYTHONPATH": tests, "COLUMNS": "200"}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Whoever runs the tests in the background ignores SIGINT, and children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        **options,
    )


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    """Train the toy's agents for a moment."""
    folder = tmp_path_factory.mktemp("runs") / "tiny"
    settings = [part for setting in TINY for part in ("--set", setting)]
    output = good("train", "toy/race-v0", "--steps", 256, "--seed", 3, "--run-dir", folder, *settings)
    assert "broodmind export" in output
    return folder


# -- the command line as such


def test_help_names_every_command_and_every_command_has_help():
    output = good("--help")
    commands = (
        "demo",
        "list",
        "train",
        "evaluate",
        "play",
        "replay",
        "benchmark",
        "export",
        "soak",
        "regret",
    )
    for command in commands:
        assert command in output
        assert "--help" in good(command, "--help")


def test_version():
    assert good("--version").startswith("broodmind ")


def test_help_needs_no_heavy_library():
    code = (
        "import sys; from broodmind.scripts.main import app\n"
        "heavy = {'numba', 'torch', 'stable_baselines3', 'rich'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_commands_let_idle_threads_sleep(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    good("list")
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"  # who sets it knows better
    monkeypatch.delenv("OMP_WAIT_POLICY")
    good("list")
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["nonsense"], "No such command 'nonsense'"),
        (["play"], "Missing argument"),
        (["play", "toy/race-v0", "--colour", "red"], "No such option"),
        (["evaluate", "toy/race-v0", "--games", "many"], "Invalid value for '--games'"),
        (["list", "--bogus"], "No such option"),
        (["--bogus"], "No such option"),
        (["play", "toy/rice-v0"], "did you mean 'toy/race-v0'"),
        (["play", "toy/race-v0", "--seed", "-1"], "Invalid value for '--seed'"),
        (["play", "toy/race-v0", "--as", "runer_0"], "did you mean runner_0"),
        (["play", "toy/race-v0", "--against", "grandmother"], "unknown policy"),
        (["play", "toy/race-v0", "--dice", "loaded"], "expected automatic or manual"),
        (["play", "toy/race-v0", "--layout", "round"], "layout='round'"),
        (["play", "toy/race-v0", "--load", "missing.jsonl"], "cannot read missing.jsonl"),
        (["evaluate", "toy/race-v0"], "say who plays"),
        (["evaluate", "toy/race-v0", "--seats", "runner_0=random"], "nobody plays guard_0"),
        (["evaluate", "toy/race-v0", "--seats", "runner_0"], "cannot read the seat"),
        (["evaluate", "toy/race-v0", "--seats", "hunter_0=random"], "no agent 'hunter_0'"),
        (
            ["evaluate", "toy/race-v0", "--seats", "runner_0=random;runner_0=random"],
            "runner_0 is named twice",
        ),
        (["evaluate", "toy/race-v0", "--matrix", "checkpoint:nowhere"], "no checkpoint 'nowhere'"),
        (["evaluate", "toy/race-v0", "--matrix", ";"], "list of policies is empty"),
        (["replay", "missing.jsonl"], "cannot read missing.jsonl"),
        (["train"], "say what to train"),
        (["train", "--resume"], "--resume needs --run-dir"),
        (["train", "--resume", "--run-dir", "nowhere"], "holds no run"),
        (["train", "toy/race-v0", "--set", "speed"], "expected KEY=VALUE"),
        (["train", "toy/race-v0", "--set", "sped=1"], "error: your options: unknown key 'sped'"),
        (["train", "macragge/crash-site-v0", "--set", "sped=1"], "error: your options: unknown key 'sped'"),
        (["train", "macragge/crash-site-v0", "--set", "path=1"], "error: your options: unknown key 'path'"),
        (["train", "toy/race-v0", "--set", "source=1"], "error: your options: unknown key 'source'"),
        (["train", "toy/race-v0", "--set", "gamma=7"], "error: your options: gamma = 7.0"),
        (["train", "toy/race-v0", "--set", "hidden=[100000,100000]"], "each between 1 and 8192"),
        (["train", "toy/race-v0", "--set", "env_id=toy/bluff-v0"], "the environment is given without --set"),
        (["train", "toy/race-v0", "--envs", "8", "--set", "envs=9"], "envs is given twice"),
        (["evaluate", "toy/race-v0", "--matrix", "random", "--out", "t.txt"], "must end in .json or .md"),
        (["train", "toy/race-v0", "--seed", "-1"], "Invalid value for '--seed'"),
        (["train", "toy/race-v0", "--config", "missing.toml"], "missing.toml"),
        (["train", "toy/race-v0", "--preset", "gigantic"], "no preset"),
        (["train", "toy/race-v0", "--agent", "referee_0"], "referee_0"),
        (["train", "toy/race-v0", "--env", "toy/race-v0"], "given twice, as ID and with --env"),
        (["train", "--env", "tuy/*"], "no environment matches 'tuy/*'"),
        (["train", "toy/rice-v0"], "did you mean 'toy/race-v0'"),
        (["train", "toy/*", "--hold-out", "toy/rice-v0"], "did you mean 'toy/race-v0'"),
        (["train", "toy/*", "--hold-out", "toy/*"], "expected an environment that is not held out"),
        (["train", "toy/*", "--hold-out", "toy/race-v0", "--set", "hold_out=x"], "--hold-out and with --set"),
        (["train", "toy/*,macragge/*"], "cannot share a policy: their agents, observation, actions differ"),
        (["train", "toy/*", "--envs", "1"], "a game for each of the 2 missions"),
        (["evaluate", "tuy/*", "--matrix", "random"], "no environment matches 'tuy/*'"),
        (
            ["evaluate", "*", "--matrix", "random"],
            "macragge/crash-site-v0 and overkill/killstorm-v0 cannot share",
        ),
        (["evaluate", ",", "--matrix", "random"], "no environment is named"),
        (["export", "nowhere"], "no run directory"),
        (["benchmark", "toy/rice-v0"], "did you mean"),
        (["soak", "toy/rice-v0"], "did you mean"),
        (["regret", "toy/rice-v0"], "did you mean"),
        (["regret", "toy/race-v0", "--worlds", 3], "expected an even number"),
        (["demo", "toy/rice-v0"], "did you mean"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert expected in refused(*arguments)
    assert list(tmp_path.iterdir()) == []


def test_fewer_games_take_the_minibatch_with_them():
    arguments = ("train", "macragge/crash-site-v0", "--envs", 16, "--show-config")
    assert json.loads(good(*arguments))["minibatch"] == 16 * 128
    message = refused(*arguments, "--set", "minibatch=4096")
    assert message == "error: your options: minibatch = 4096: expected at most envs x rollout_steps = 2048"


def test_a_configuration_for_another_environment_is_refused(tmp_path):
    config = tmp_path / "mine.toml"
    config.write_text('env_id = "toy/bluff-v0"\n')
    assert "is a configuration for toy/bluff-v0, not for toy/race-v0" in refused(
        "train", "toy/race-v0", "--config", config, "--show-config"
    )
    assert json.loads(good("train", "--config", config, "--show-config"))["env_id"] == "toy/bluff-v0"
    config.write_text("steps = 7\n")
    shown = json.loads(good("train", "toy/race-v0", "--config", config, "--show-config"))
    assert (shown["env_id"], shown["steps"]) == ("toy/race-v0", 7)


def test_a_new_run_needs_a_folder_of_its_own(tmp_path):
    (tmp_path / "thesis.tex").write_text("keep me")
    message = refused("train", "toy/race-v0", "--steps", 1, "--run-dir", tmp_path)
    assert "thesis.tex; a new run needs a new or empty directory" in message
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_malformed_configuration_is_refused(tmp_path):
    config = tmp_path / "broken.toml"
    config.write_text("steps = [1\n")
    assert "not valid TOML" in refused("train", "--config", config, "--run-dir", tmp_path / "run")


def test_places_that_cannot_be_written_are_refused_before_the_work(tmp_path):
    file = tmp_path / "file"
    file.write_text("keep me")
    seats = "runner_0=random;guard_0=random"
    assert "cannot write" in refused("evaluate", "toy/race-v0", "--seats", seats, "--out", file / "t.json")
    assert "cannot write" in refused("play", "toy/race-v0", "--record", file / "r.jsonl")
    assert "cannot write" in refused("train", "toy/race-v0", "--run-dir", file / "run", "--steps", 1)
    assert file.read_text() == "keep me"


def test_unexpected_errors_keep_their_traceback(monkeypatch):
    def broken(path, data=None):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(replays, "read", broken)
    result = run("replay", "any.jsonl")
    assert isinstance(result.exception, ZeroDivisionError)


def test_interrupt_is_exit_code_130_with_a_sentence(monkeypatch):
    def interrupted(path, data=None):
        raise KeyboardInterrupt

    monkeypatch.setattr(replays, "read", interrupted)
    result = run("replay", "any.jsonl")
    assert result.exit_code == 130
    assert "stopped by Ctrl-C" in result.stderr


# -- list, soak, evaluate


def test_list_knows_every_environment():
    rows = json.loads(good("list", "--json"))
    by_id = {row["id"]: row for row in rows}
    assert by_id["toy/race-v0"]["agents"] == ["runner_0", "guard_0"]
    assert by_id["toy/race-v0"]["actions"] == 14
    table = good("list")
    assert all(env_id in table for env_id in by_id)


def test_list_knows_lengths_of_episodes_and_trained_agents():
    rows = {row["id"]: row for row in json.loads(good("list", "--json"))}
    built_in = {env_id for env_id in rows if not env_id.startswith("toy/")}
    assert all(rows[env_id]["mean_decisions"] > 0 for env_id in built_in), (
        "run python docs/generate.py --lengths"
    )
    assert rows["toy/race-v0"]["mean_decisions"] is None
    assert rows["macragge/crash-site-v0"]["trained_agents"] == ["tyranids_0", "ultramarines_0"]
    assert "ultramarines_0 *" in good("list")


def test_narrow_terminals_lose_no_name(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    output = good("list")
    for text in ("ultramarines_0", "tyranids_0", "macragge/rescue-varras-v0"):
        assert text in output
    assert "…" not in output
    seats = "runner_0=search:2;guard_0=scripted"
    output = good("evaluate", "toy/race-v0", "--seats", seats, "--matrix", "random,scripted", "--games", 5)
    assert "…" not in output
    assert "search:2" in output
    assert max(map(len, output.splitlines())) <= 80


def test_soak_plays_and_checks():
    output = good("soak", "toy/bluff-v0", "--decisions", 600, "--games", 16, "--every", 1)
    assert "toy/bluff-v0: 608 decisions, 608 positions checked" in output


def test_regret_prints_a_row_for_each_agent():
    output = good("regret", "toy/race-v0", "--positions", 4, "--worlds", 4)
    assert output.count("toy/race-v0") == 2


def test_soak_in_several_processes(monkeypatch, capfd):
    from broodmind.scripts import common, soaking

    monkeypatch.setattr(soaking, "SHARE", 512)
    monkeypatch.setattr(common, "PULSE", 0.0)
    arguments = ("soak", "macragge/crash-site-v0", "--decisions", 1024, "--games", 64, "--every", 4)
    result = run(*arguments, "--jobs", 2)
    assert result.exit_code == 0, result.output
    assert "1,024 decisions, 256 positions checked" in result.output
    assert soaking.share_seed(3, 0) == 3
    assert soaking.share_seed(3, 1) != soaking.share_seed(3, 2)


def test_soak_finds_what_no_game_allows():
    import broodmind
    from broodmind.scripts.soaking import breaches

    batch = broodmind.make_vec("toy/race-v0", num_envs=4, seed=0, num_threads=1)
    batch.reset()
    masks = np.zeros_like(batch.mask)
    assert breaches(batch, masks) is None
    batch.observation[2, 0] = np.nan
    assert breaches(batch, masks) == (2, "the observation holds numbers outside -1..1")
    batch.rewards[1, 0] = 1
    batch.reset()
    batch.mask[3] = 1 - batch.mask[3]
    assert breaches(batch, masks) == (3, "the mask of the batch is not that of the position")
    batch.mask[0] = 0
    assert breaches(batch, masks) == (0, "no action is legal")


def test_progress_is_told_where_there_is_no_terminal(monkeypatch, capsys):
    from broodmind.scripts import common

    monkeypatch.setattr(common, "PULSE", 0.0)
    with common.counting("counting sheep", 200, "sheep") as show:
        show(0)
        show(50)
        show(200)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("counting sheep: 50 of 200 sheep, about")


def test_soak_names_an_impossible_position(monkeypatch):
    from toy.game import GAME

    monkeypatch.setattr(type(GAME), "problems", lambda self, states, i: ["the runner is in two places"])
    message = refused("soak", "toy/race-v0", "--decisions", 100)
    assert "the runner is in two places" in message
    assert "again with: broodmind soak toy/race-v0 --seed 0 --games 512 --every 2 --jobs 1" in message


def test_evaluate_prints_and_writes_the_same_table_each_time(tmp_path):
    seats = "guard_0=random; runner_0=scripted"
    results = []
    for name in ("a.json", "b.json"):
        out = tmp_path / "tables" / name
        output = good("evaluate", "toy/race-v0", "--seats", seats, "--games", 60, "--seed", 7, "--out", out)
        assert "95% interval" in output
        results.append(json.loads(out.read_text()))
    assert results[0]["seats"] == results[1]["seats"]
    runner = results[0]["seats"][0]
    assert runner["agent"] == "runner_0"
    assert runner["policy"] == "scripted"
    assert runner["wins"] + runner["draws"] + runner["losses"] == 60
    assert runner["win_interval"][0] < runner["win_rate"] < runner["win_interval"][1]


def test_evaluate_plays_a_matrix(tmp_path):
    out = tmp_path / "matrix.json"
    arguments = ("evaluate", "toy/race-v0", "--matrix", "random,scripted", "--games", 20)
    good(*arguments, "--out", out)
    matrix = json.loads(out.read_text())
    assert matrix["rows"] == matrix["columns"] == ["random", "scripted"]
    assert matrix["cells"][1][0]["seats"][0]["policy"] == "scripted"
    good(*arguments, "--out", tmp_path / "matrix.md")
    assert "| --- |" in (tmp_path / "matrix.md").read_text()
    seats = ("--seats", "runner_0=random;guard_0=random")
    good("evaluate", "toy/race-v0", *seats, "--games", 20, "--out", tmp_path / "seats.md")
    text = (tmp_path / "seats.md").read_text()
    assert "| seat | policy | win |" in text
    assert "| runner_0 | random |" in text


def test_the_optional_packages_are_named_in_full():
    assert "'broodmind[bench]'" in good("benchmark", "--help")


# -- train, export and what they leave behind


def test_trained_checkpoints_are_policies_everywhere(run_folder):
    newest = max((run_folder / "generations").iterdir())
    output = good("evaluate", "toy/race-v0", "--matrix", f"random,checkpoint:{newest}", "--games", 10)
    assert newest.name in output
    assert "wins" in good("play", "toy/race-v0", "--against", f"checkpoint:{newest}", input="1\n" * 9)


def test_finished_run_resumes_to_nothing(run_folder):
    before = sorted(path.name for path in (run_folder / "generations").iterdir())
    good("train", "--resume", "--run-dir", run_folder)
    assert sorted(path.name for path in (run_folder / "generations").iterdir()) == before
    assert "already holds a run" in refused("train", "toy/race-v0", "--run-dir", run_folder)


def test_show_config_trains_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    output = good(
        "train", "toy/race-v0", "--set", "learning_rate=3e-4", "--set", "activation=tanh", "--show-config"
    )
    shown = json.loads(output)
    assert shown["learning_rate"] == 3e-4
    assert shown["activation"] == "tanh"
    assert list(tmp_path.iterdir()) == []


def test_export_chooses_and_writes_checkpoints(run_folder, tmp_path):
    output = good("export", run_folder, "--to", tmp_path / "best", "--games", 10, "--candidates", 1)
    for agent in ("runner_0", "guard_0"):
        assert (tmp_path / "best" / agent / "policy.safetensors").is_file()
        assert f"{agent} against scripted: wins" in output
    assert "referee_0" in refused("export", run_folder, "--agent", "referee_0")
    (tmp_path / "file").write_text("keep me")
    message = refused("export", run_folder, "--to", tmp_path / "file", "--games", 1)
    assert f"cannot write a checkpoint to {tmp_path / 'file'}" in message
    card = tmp_path / "best" / "guard_0" / "card.json"
    card.write_text(card.read_text().replace("guard_0", "runner_0"))
    assert "error: " in refused(
        "evaluate", "toy/race-v0", "--seats", f"runner_0=random;guard_0=checkpoint:{tmp_path / 'best'}"
    )


def test_demo_does_the_whole_job(tmp_path, monkeypatch):
    from broodmind.scripts import demo

    monkeypatch.setattr(
        demo, "SMALL", {**demo.SMALL, "envs": 8, "rollout_steps": 8, "minibatch": 32, "evaluation_games": 0}
    )
    monkeypatch.chdir(tmp_path)
    output = good("demo", "toy/race-v0", "--steps", 128, "--games", 10)
    folder = tmp_path / "runs" / "demo"
    assert replays.verify(folder / "demo.jsonl").matches
    assert (folder / "demo.gif").read_bytes()[:6] == b"GIF89a"
    matrix = json.loads((folder / "matrix.json").read_text())
    assert matrix["rows"] == ["random", "scripted", "this run"]
    assert "What to try next" in output
    assert str(Path("runs") / "demo" / "demo.gif") in output
    assert demo.new_folder(tmp_path / "runs", "demo").name == "demo-2"


# -- replay


@pytest.fixture
def replay_file(tmp_path):
    path = tmp_path / "game.jsonl"
    good("play", "toy/race-v0", "--seed", 5, "--record", path, input="1\n" * 9)
    return path


def test_replay_shows_verifies_and_draws(replay_file, tmp_path):
    output = good("replay", replay_file)
    assert "toy/race-v0, seed 5" in output
    assert "1  runner_0: lane" in output
    assert "The runner moves" in good("replay", replay_file, "--events")
    assert "verified: all" in good("replay", replay_file, "--verify")
    good(
        "replay",
        replay_file,
        "--svg",
        tmp_path / "a.svg",
        "--step",
        2,
        "--gif",
        tmp_path / "a.gif",
        "--height",
        150,
    )
    assert (tmp_path / "a.svg").read_text().startswith("<")
    assert "turn" in good("replay", replay_file, "--board", "--step", 0)
    assert "no step 99" in refused("replay", replay_file, "--board", "--step", 99)


def test_replay_names_the_step_that_differs(replay_file):
    lines = [json.loads(line) for line in replay_file.read_text().splitlines()]
    lines[2]["state"] = "f" * 16
    replay_file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert "step 2 (" in refused("replay", replay_file, "--verify")
    replay_file.write_text("".join(json.dumps(line) + "\n" for line in lines[:-1]))
    assert "truncated" in refused("replay", replay_file)


# -- benchmark


def test_benchmark_measures_everything_and_writes_json(tmp_path):
    out = tmp_path / "speed.json"
    output = good(
        "benchmark", "toy/race-v0", "--seconds", 0.05, "--rounds", 1, "--num-envs", 32, "--threads", 1,
        "--no-training", "--no-start", "--out", out,
    )  # fmt: skip
    found = json.loads(out.read_text())["environments"]["toy/race-v0"]
    assert found["aec_per_second"] > 0
    assert found["batch_per_second"] > 0
    split = found["split_microseconds"]
    assert split["decision"] == pytest.approx(split["rules"] + split["mask"] + split["observation"])
    assert found["batch_share_of_memory_limit"] > 0
    assert "microseconds" in output


def test_benchmark_says_what_is_missing(monkeypatch):
    import importlib.util

    from broodmind.scripts import measure

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    found, missing = measure.peers()
    assert found == {}
    assert len(missing) == 3
    assert all("pip install" in sentence for sentence in missing)


# -- real processes


def test_exit_codes_of_a_process():
    child = process("play", "toy/rice-v0")
    output, error = child.communicate(timeout=120)
    assert child.returncode == 2
    assert output == ""
    assert error == "error: no environment is called 'toy/rice-v0'; did you mean 'toy/race-v0'?\n"


def test_ctrl_c_ends_a_game_with_130():
    child = process("play", "toy/race-v0", "--seed", 1, stdin=subprocess.PIPE)
    while "4) rest" not in child.stdout.readline():
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, error = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "stopped by Ctrl-C" in error
    assert "Traceback" not in error
