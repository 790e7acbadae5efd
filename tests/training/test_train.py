import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from broodmind.agents.specs import make_policy
from broodmind.envs.core.errors import CheckpointError, ConfigError
from broodmind.training.config import TrainingConfig
from broodmind.training.evaluate import evaluate
from broodmind.training.export import export_best, shortlist
from broodmind.training.progress import Progress, RichProgress
from broodmind.training.run import (
    RunDirectoryError,
    completed_generations,
    earlier_settings,
    foreign_files,
    read_progress,
    read_summaries,
)
from broodmind.training.train import train

TESTS = Path(__file__).resolve().parent.parent
CONFIG = TrainingConfig(
    env_id="toy/race-v0",
    steps=3 * 2 * 512,
    steps_per_generation=512,
    envs=16,
    rollout_steps=16,
    minibatch=128,
    epochs=2,
    hidden=(16,),
    value_hidden=(16,),
    threads=1,
    evaluation_games=20,
    seed=5,
)


class StopAt(Progress):
    """Presses Ctrl-C in the middle of a generation."""

    def __init__(self, generation):
        self.generation = generation

    def update(self, generation, agent, steps, record):
        if generation == self.generation and agent == "guard_0":
            raise KeyboardInterrupt


def weights(run_dir):
    last = completed_generations(run_dir) - 1
    folder = Path(run_dir) / "generations" / f"{last:04d}"
    return {
        f"{agent}/{name}": value
        for agent in ("runner_0", "guard_0")
        for name, value in load_file(folder / agent / "policy.safetensors").items()
    }


def assert_same_weights(one, two):
    mine, other = weights(one), weights(two)
    assert mine.keys() == other.keys()
    for name, value in mine.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that was never interrupted."""
    run_dir = tmp_path_factory.mktemp("runs") / "whole"
    result = train(CONFIG, run_dir, progress=False)
    assert result.complete
    assert not result.interrupted
    assert result.generations == result.planned == 3
    return run_dir


def test_run_directory_holds_everything(finished):
    assert json.loads((finished / "config.json").read_text()) == CONFIG.to_dict()
    versions = json.loads((finished / "versions.json").read_text())
    assert versions["libraries"]["torch"]
    assert versions["rules_hash"]
    summaries = read_summaries(finished)
    assert len(summaries) == 3
    for agent in ("runner_0", "guard_0"):
        results = summaries[2]["agents"][agent]
        assert results["steps"] == 3 * 512
        assert {"latest", "past", "scripted", "random"} >= set(results["opponents"]) > {"latest"}
        assert [row["opponent"] for row in results["evaluation"]] == ["scripted", "random"]
        assert set(results["seconds"]) == {"environment", "opponent", "policy", "learn"}
    lines = read_progress(finished)
    assert sum(line["kind"] == "update" for line in lines) == 3 * 2 * 2
    assert sum(line["kind"] == "generation" for line in lines) == 3
    assert not list(finished.rglob("*.partial"))
    assert not list(finished.rglob("*.tmp"))
    assert not list(finished.rglob("*.zip"))  # nothing pickled


def test_tensorboard_has_the_promised_scalars(finished):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished / "tensorboard" / "runner_0"))
    events.Reload()
    assert set(events.Tags()["scalars"]) >= {
        "win_rate/scripted",
        "win_rate/random",
        "games/decisions",
        "learner/entropy",
        "learner/value_loss",
        "learner/explained_variance",
        "learner/clip_fraction",
        "learner/approximate_kl",
        "time/steps_per_second",
        "time/share_environment",
        "time/share_opponent",
        "time/share_policy",
        "time/share_learn",
    }


def test_equal_seeds_give_equal_weights_and_others_do_not(finished, tmp_path):
    train(CONFIG, tmp_path / "same", progress=False)
    assert_same_weights(finished, tmp_path / "same")
    train(CONFIG.replace(seed=6), tmp_path / "other", progress=False)
    assert not np.array_equal(
        weights(finished)["runner_0/logits.weight"], weights(tmp_path / "other")["runner_0/logits.weight"]
    )


def test_interrupt_and_resume_give_the_same_weights(finished, tmp_path):
    stopped = train(CONFIG, tmp_path / "run", progress=StopAt(1))
    assert stopped.interrupted
    assert stopped.generations == 1
    resumed = train(None, tmp_path / "run", resume=True, progress=False)
    assert resumed.complete
    assert_same_weights(finished, tmp_path / "run")
    lines = read_progress(tmp_path / "run")
    keys = [(line["generation"], line["agent"], line["steps"]) for line in lines if line["kind"] == "update"]
    assert len(keys) == len(set(keys)) == 12


KILLED = """
import sys
from toy.game import register_toy
register_toy()
from broodmind.training.config import load_config
from broodmind.training.train import train
train(load_config(sys.argv[1]), sys.argv[2], progress=False)
"""


def test_sigkill_loses_nothing_but_the_generation_under_way(finished, tmp_path):
    config, run_dir = tmp_path / "config.json", tmp_path / "run"
    config.write_text(json.dumps(CONFIG.to_dict()))
    environment = {**os.environ, "PYTHONPATH": str(TESTS), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(config), str(run_dir)], env=environment)
    deadline = time.monotonic() + 600  # a busy machine takes its time to import PyTorch
    try:
        # until the first generation is complete and the second well under way
        while not list(run_dir.glob("generations/.0001.partial/runner_0/card.json")):
            assert process.poll() is None, "the run ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.002)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert completed_generations(run_dir) == 1
    result = train(None, run_dir, resume=True, progress=False)
    assert result.complete
    assert_same_weights(finished, run_dir)
    assert len(read_progress(run_dir)) == len(read_progress(finished)) + 1  # one more start
    assert not list(run_dir.rglob("*.partial"))
    events = [p.name.rpartition("-")[2] for p in (run_dir / "tensorboard" / "runner_0").iterdir()]
    assert sorted(events) == ["0000", "0001", "0002"]


def test_resume_refuses_another_configuration_but_takes_more_steps(finished, tmp_path):
    train(CONFIG.replace(steps=2 * 512), tmp_path / "run", progress=False)
    with pytest.raises(ConfigError, match=r"gamma = 0.5: the run in .* was begun with 0.999, and only steps"):
        train(CONFIG.replace(gamma=0.5), tmp_path / "run", resume=True, progress=False)
    longer = train(CONFIG.replace(steps=4 * 512), tmp_path / "run", resume=True, progress=False)
    assert longer.generations == 2


def test_the_learner_may_be_retuned_on_resuming_and_the_run_says_so(finished, tmp_path):
    changed = CONFIG.replace(steps=4 * 512, learning_rate=1e-3)
    train(CONFIG.replace(steps=2 * 512), tmp_path / "run", progress=False)
    train(changed, tmp_path / "run", resume=True, progress=False)
    assert earlier_settings(tmp_path / "run", changed) == {
        "0 to 0": {"steps": 2 * 512, "learning_rate": CONFIG.learning_rate}
    }
    assert [line["kind"] for line in read_progress(tmp_path / "run")].count("start") == 2


def test_run_directories_that_cannot_be_used(finished, tmp_path):
    with pytest.raises(RunDirectoryError, match="already holds a run; resume it"):
        train(CONFIG, finished, progress=False)
    with pytest.raises(RunDirectoryError, match="holds no run to resume"):
        train(None, tmp_path / "empty", resume=True, progress=False)
    file = tmp_path / "file"
    file.write_text("not a folder")
    with pytest.raises(RunDirectoryError, match=r"cannot write the run directory .*; choose another one"):
        train(CONFIG, file / "run", progress=False)
    with pytest.raises(ConfigError, match="a configuration is needed"):
        train(None, tmp_path / "new", progress=False)
    with pytest.raises(ConfigError, match="agent = 'nobody': expected 'both' or one of runner_0, guard_0"):
        train(CONFIG.replace(agent="nobody"), tmp_path / "new", progress=False)
    assert not (tmp_path / "new").exists()


def test_a_failure_before_the_first_generation_is_complete_leaves_nothing_behind(tmp_path):
    class Fails(Progress):
        def begin(self, generation, agent):
            if agent == "guard_0":
                raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        train(CONFIG, tmp_path / "run", progress=Fails())
    assert list(tmp_path.iterdir()) == []
    stopped = train(CONFIG, tmp_path / "run", progress=StopAt(0))
    assert stopped.interrupted
    assert (tmp_path / "run" / "config.json").is_file()


def test_a_start_that_was_killed_does_not_block_the_next(tmp_path):
    assert foreign_files(tmp_path / "nowhere") == []
    (tmp_path / "generations").mkdir()
    for name in (".lock", "versions.json", ".config.json.77.tmp"):
        (tmp_path / name).write_text("")
    assert foreign_files(tmp_path) == []
    (tmp_path / "generations" / "0000").mkdir()
    (tmp_path / "notes").write_text("")
    assert foreign_files(tmp_path) == ["generations", "notes"]
    with pytest.raises(
        RunDirectoryError, match="holds no run, but generations; a new run needs a new or empty"
    ):
        train(CONFIG, tmp_path, progress=False)


def test_generations_are_shown_by_the_names_of_their_folders(capsys):
    bars = RichProgress(CONFIG, ("runner_0",), 23)
    bars.end(2, {"runner_0": {"opponents": {}, "missions": {}, "evaluation": [], "steps_per_second": 1.0}})
    assert "generation 0002 (3 of 23) runner_0" in capsys.readouterr().err


def test_export_refuses_an_unwritable_place_before_it_plays(finished, tmp_path):
    (tmp_path / "file").write_text("keep me")
    said: list[str] = []
    with pytest.raises(CheckpointError, match="cannot write a checkpoint to"):
        export_best(finished, tmp_path / "file", games=30, on_progress=said.append)
    assert said == []


def test_a_directory_in_use_is_refused(tmp_path):
    class Second(Progress):
        def begin(self, generation, agent):
            with pytest.raises(RunDirectoryError, match="in use by another process"):
                train(None, tmp_path / "run", resume=True, progress=False)
            raise KeyboardInterrupt

    train(CONFIG, tmp_path / "run", progress=Second())


def test_one_agent_alone(tmp_path):
    config = CONFIG.replace(agent="guard_0", steps=1024, evaluation_games=0)
    result = train(config, tmp_path / "run", progress=False)
    assert result.generations == 2
    assert set(result.checkpoints) == {"guard_0"}
    assert set(read_summaries(tmp_path / "run")[1]["agents"]["guard_0"]["opponents"]) == {
        "scripted",
        "random",
    }


def test_export_writes_the_best_of_each_agent_with_its_table(finished, tmp_path):
    said: list[str] = []
    exported = export_best(finished, tmp_path / "out", games=30, candidates=2, on_progress=said.append)
    assert set(exported) == {"runner_0", "guard_0"}
    for agent, one in exported.items():
        assert one.folder == tmp_path / "out" / agent
        card = json.loads((one.folder / "card.json").read_text())
        assert [row["opponent"] for row in card["evaluation"]] == [
            "scripted",
            "random",
            "checkpoint of generation 0002",
        ]
        assert all(row["games"] == 30 and row["agent"] == agent for row in card["evaluation"])
        assert str(finished) not in json.dumps(card)
        assert make_policy(f"checkpoint:{one.folder}", CONFIG.env_id, agent)
    assert len(said) == 6
    with pytest.raises(RunDirectoryError, match="holds no training run"):
        export_best(tmp_path / "nowhere")


def test_shortlist_is_the_newest_and_the_best_rated():
    def summary(reward):
        row = {"opponent": "scripted", "mean_reward": reward}
        return {"agents": {"a": {"evaluation": [row]}}}

    summaries = [summary(r) for r in (0.1, 0.9, -0.5, 0.7, 0.0)]
    assert shortlist(summaries, "a", 3) == [1, 3, 4]
    assert shortlist(summaries, "a", 1) == [4]
    assert shortlist(summaries[:1], "a", 3) == [0]


def test_learning_reaches_nearly_the_best_there_is(tmp_path):
    """The runner's best play is known (take the clear lane if it is open): the scripted runner plays it."""
    config = CONFIG.replace(
        agent="runner_0",
        steps=40_000,
        steps_per_generation=40_000,
        envs=64,
        rollout_steps=32,
        minibatch=512,
        epochs=4,
        hidden=[64],
        learning_rate=3e-3,
        learning_rate_end=1e-3,
        evaluation_games=0,
    )
    result = train(config, tmp_path / "run", progress=False)
    learned = f"checkpoint:{result.checkpoints['runner_0']}"
    for opponent in ("random", "scripted"):
        rewards = {
            player: evaluate(
                config.env_id, {"runner_0": player, "guard_0": opponent}, 1000, seed=1, num_threads=1
            )
            .seat("runner_0")
            .win_rate
            for player in ("random", "scripted", learned)
        }
        assert rewards[learned] > rewards["scripted"] - 0.03
        assert rewards[learned] > rewards["random"] + 0.1


def test_imitation_starts_from_the_scripted_player(tmp_path):
    config = CONFIG.replace(
        steps=512,
        agent="runner_0",
        imitation_steps=4000,
        imitation_epochs=20,
        learning_rate=1e-3,
        hidden=[64],
        evaluation_games=200,
    )
    train(config, tmp_path / "imitating", progress=False)
    train(config.replace(imitation_steps=0), tmp_path / "plain", progress=False)

    def reward(run):
        rows = read_summaries(tmp_path / run)[0]["agents"]["runner_0"]["evaluation"]
        return sum(row["mean_reward"] for row in rows)

    assert reward("imitating") > reward("plain") + 0.2
