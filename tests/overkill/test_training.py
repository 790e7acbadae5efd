"""Training on Overkill: data of one's own, and several missions at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from broodmind.agents.checkpoint import load_checkpoint
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.errors import CheckpointError, ConfigError
from broodmind.envs.overkill.loading import _packaged_text
from broodmind.training.config import TrainingConfig
from broodmind.training.export import export_best
from broodmind.training.train import train

pytestmark = pytest.mark.skipif(INTERPRETED, reason="takes minutes")
ID = "overkill/exterminatus-modicum-v0"
CONFIG = TrainingConfig(
    env_id=ID,
    steps=2 * 64,
    steps_per_generation=64,
    envs=8,
    rollout_steps=8,
    minibatch=32,
    epochs=1,
    hidden=(8,),
    value_hidden=(8,),
    threads=1,
    evaluation_games=4,
)


def slower(folder: Path) -> Path:
    """Write datacards by which the marines are slower, and return the folder."""
    folder.mkdir(parents=True)
    text = _packaged_text("datacards.toml").replace("speed = 2", "speed = 1")
    (folder / "datacards.toml").write_text(text, "utf-8")
    return folder


def test_cards_say_which_data_and_not_where_they_lie(tmp_path: Path) -> None:
    here = slower(tmp_path / "private-folder" / "data")
    run = tmp_path / "run"
    assert train(CONFIG.replace(data=str(here)), run, progress=False).complete
    assert json.loads((run / "config.json").read_text())["data"] == str(here)
    exported = export_best(run, tmp_path / "out", games=4, candidates=1)
    for folder in (run / "generations" / "0000" / "cult_0", exported["cult_0"].folder):
        words = "".join(file.read_text() for file in folder.iterdir() if file.suffix != ".safetensors")
        assert "private-folder" not in words
        card = json.loads((folder / "card.json").read_text())
        assert "data" not in card["training"]
        assert len(card["environments"][0]["data_hash"]) == 64
        assert load_checkpoint(folder, ID, "cult_0", here)
        with pytest.raises(CheckpointError):
            load_checkpoint(folder, ID, "cult_0")


def test_a_run_goes_on_where_its_data_have_moved(tmp_path: Path) -> None:
    here = slower(tmp_path / "here")
    run = tmp_path / "run"
    config = CONFIG.replace(data=str(here), agent="cult_0", evaluation_games=0)
    assert train(config, run, progress=False).complete
    there = tmp_path / "there"
    here.rename(there)
    moved = config.replace(data=str(there), steps=4 * 64)
    assert train(moved, run, resume=True, progress=False).complete
    with pytest.raises(ConfigError, match="begun on other data"):
        train(moved.replace(data="", steps=6 * 64), run, resume=True, progress=False)
