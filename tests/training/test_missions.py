"""Training of one policy on several missions, with one held out."""

import dataclasses
import json

import numpy as np
import pytest
from safetensors.numpy import load_file
from toy.game import GAME, ToyGame

from broodmind.agents.checkpoint import load_checkpoint
from broodmind.envs.core.errors import CheckpointError, ConfigError, UnknownEnvironmentError
from broodmind.envs.core.registration import register_game, unregister_game
from broodmind.training.config import TrainingConfig
from broodmind.training.export import export_best, score
from broodmind.training.progress import Progress, RichProgress
from broodmind.training.run import read_progress, read_summaries
from broodmind.training.train import train

RACE, BLUFF, EXTRA = "trio/race-v0", "trio/bluff-v0", "trio/extra-v0"


class Trio(ToyGame):
    """The toy with a third mission, to be held out of training: a race under another id."""

    name = "trio"
    missions = (
        dataclasses.replace(GAME.missions[0], id=RACE),
        dataclasses.replace(GAME.missions[1], id=BLUFF, layouts=("standard",)),
        dataclasses.replace(GAME.missions[0], id=EXTRA),
    )


@pytest.fixture(scope="module", autouse=True)
def trio():
    register_game(Trio())
    yield
    unregister_game("trio")


@pytest.fixture(scope="module")
def config(trio):
    return TrainingConfig(
        env_id="trio/*",
        hold_out=EXTRA,
        steps=2 * 2 * 256,
        steps_per_generation=256,
        imitation_steps=256,
        imitation_epochs=1,
        envs=9,
        rollout_steps=16,
        minibatch=72,
        hidden=(16,),
        value_hidden=(16,),
        threads=1,
        evaluation_games=10,
        seed=5,
    )


@pytest.fixture(scope="module")
def finished(config, tmp_path_factory):
    run_dir = tmp_path_factory.mktemp("runs") / "mix"
    assert train(config, run_dir, progress=False).complete
    return run_dir


def test_the_run_directory_names_missions_and_hold_out(finished):
    saved = json.loads((finished / "config.json").read_text())
    assert (saved["env_id"], saved["hold_out"]) == (f"{RACE},{BLUFF}", EXTRA)
    summary = read_summaries(finished)[1]["agents"]["runner_0"]
    assert list(summary["missions"]) == [RACE, BLUFF]
    for name, tally in summary["opponents"].items():
        parts = [opponents.get(name, {"games": 0}) for opponents in summary["missions"].values()]
        assert tally["games"] == sum(part["games"] for part in parts)
    rows = [(row["environment"], row["opponent"], row["held_out"]) for row in summary["evaluation"]]
    assert rows == [
        (env_id, opponent, env_id == EXTRA)
        for env_id in (RACE, BLUFF, EXTRA)
        for opponent in ("scripted", "random")
    ]
    layouts = {row["environment"]: row["layout"] for row in summary["evaluation"]}
    assert layouts == {RACE: "random", BLUFF: "standard", EXTRA: "random"}  # each mission's first
    updates = [line for line in read_progress(finished) if line["kind"] == "update"]
    assert any(key.startswith(f"mission_win_rate/{BLUFF}/") for line in updates for key in line)
    assert not any(EXTRA in key for line in updates for key in line)


def test_tensorboard_has_win_rates_per_mission_and_opponent(finished):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    events = EventAccumulator(str(finished / "tensorboard" / "guard_0"))
    events.Reload()
    scalars = set(events.Tags()["scalars"])
    assert {f"mission_win_rate/{env_id}/scripted" for env_id in (RACE, BLUFF)} < scalars
    assert "win_rate/scripted" in scalars


def test_every_checkpoint_plays_all_missions_and_no_others(finished):
    folder = finished / "generations" / "0001" / "guard_0"
    for env_id in (RACE, BLUFF, EXTRA):
        assert load_checkpoint(folder, env_id, "guard_0").policy().held_out == (EXTRA,)
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(folder, "toy/race-v0", "guard_0")
    assert str(caught.value).endswith(
        f"was trained for {RACE}, {BLUFF} (held out: {EXTRA}), not for toy/race-v0"
    )


def test_interrupt_and_resume_give_the_same_weights(config, finished, tmp_path):
    class StopAt(Progress):
        def update(self, generation, agent, steps, record):
            if generation == 1:
                raise KeyboardInterrupt

    assert train(config, tmp_path / "run", progress=StopAt()).interrupted
    with pytest.raises(ConfigError, match=r"hold_out = '': the run in .* was begun with 'trio/extra-v0'"):
        train(config.replace(hold_out=""), tmp_path / "run", resume=True, progress=False)
    assert train(None, tmp_path / "run", resume=True, progress=False).complete
    for agent in ("runner_0", "guard_0"):
        place = f"generations/0001/{agent}/policy.safetensors"
        mine, other = load_file(finished / place), load_file(tmp_path / "run" / place)
        for name, value in mine.items():
            np.testing.assert_array_equal(value, other[name], err_msg=f"{agent} {name}")


def test_export_names_missions_and_plays_each_of_them(finished, tmp_path):
    exported = export_best(finished, tmp_path, agent="runner_0", games=10, candidates=2)["runner_0"]
    card = json.loads((exported.folder / "card.json").read_text())
    assert [environment["id"] for environment in card["environments"]] == [RACE, BLUFF]
    assert [environment["id"] for environment in card["held_out"]] == [EXTRA]
    assert {row["environment"] for row in card["evaluation"]} == {RACE, BLUFF, EXTRA}
    assert len(card["evaluation"]) == 9
    assert f"runner_0 of {RACE}, {BLUFF} (held out: {EXTRA})" in (exported.folder / "README.md").read_text()


def test_held_out_missions_do_not_choose_the_best():
    rows = [
        {"opponent": "random", "mean_reward": 0.5, "held_out": False},
        {"opponent": "random", "mean_reward": -1.0, "held_out": True},
    ]
    assert score(rows) == 0.5
    assert score([{"opponent": "random", "mean_reward": 0.5}]) == 0.5  # as runs wrote them before
    assert score(rows[1:]) == -1.0


def test_progress_has_a_line_for_each_mission(config, finished, capsys):
    RichProgress(config, GAME.agents, 2).end(1, read_summaries(finished)[1]["agents"])
    lines = capsys.readouterr().err.splitlines()
    for start in (f"  {RACE}: ", f"  {BLUFF}: ", f"  {EXTRA} (held out): scripted "):
        assert sum(line.startswith(start) for line in lines) == 2


def test_missions_that_cannot_be_trained_together_are_refused(config, tmp_path):
    mixed = config.replace(env_id=f"{RACE},toy/race-v0")
    with pytest.raises(ConfigError, match="trio/race-v0 and toy/race-v0 cannot share a policy: their games"):
        train(mixed, tmp_path / "run", progress=False)
    with pytest.raises(ConfigError, match="trio/race-v0 and macragge/crash-site-v0 cannot share a policy"):
        train(config.replace(hold_out="macragge/crash-site-v0"), tmp_path / "run", progress=False)
    with pytest.raises(UnknownEnvironmentError, match="no environment is called 'trio/rice-v0'"):
        train(config.replace(hold_out="trio/rice-v0"), tmp_path / "run", progress=False)
    assert list(tmp_path.iterdir()) == []
