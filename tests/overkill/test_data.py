"""Games on data of one's own: never mixed up with those on the packaged data, or on other data."""

from __future__ import annotations

import pickle
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import broodmind
from broodmind.agents.checkpoint import check_card, trained_for
from broodmind.agents.specs import make_policy
from broodmind.envs.core import replay as replays
from broodmind.envs.core.errors import CheckpointError, ConfigError, ReplayError, StateError
from broodmind.envs.core.schema import shared_game
from broodmind.envs.overkill.game import GAME
from broodmind.scripts.players import PolicyPlayer

ID = "overkill/killstorm-v0"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with datacards by which Cassius is slower and has another name."""
    text = (files("broodmind.envs.overkill") / "data" / "datacards.toml").read_text("utf-8")
    assert "speed = 2" in text
    text = text.replace("speed = 2", "speed = 1").replace('"Ortan Cassius"', '"Old Cassius"')
    (tmp_path / "datacards.toml").write_text(text, "utf-8")
    return tmp_path


def test_each_environment_has_tables_and_words_of_its_own(folder: Path) -> None:
    own, other = broodmind.make(ID, data=folder), broodmind.make(ID)
    assert other.game is GAME
    assert own.game is broodmind.make(ID, data=str(folder)).game is shared_game([ID], folder)
    assert own.game is not GAME
    assert len(own.game.data_hash) == 64
    assert own._tables[0]["speed"][0] == 1 != other._tables[0]["speed"][0]
    marine = own.game.actions.encode("MARINE", 0)
    assert own.describe_action(marine) == "marine Old Cassius"
    assert other.describe_action(marine) == "marine Ortan Cassius"
    for env in (own, other):
        env.reset(seed=1)
        env.step(marine)
    for named, env in (("Old Cassius", own), ("Ortan Cassius", other)):
        words = [str(env.to_dict()), str(env.events()), str(env.game.to_dict(env.states, 0))]
        assert all(named in text for text in words)
        assert env.game.from_dict(env.to_dict()).tobytes() == env.states.tobytes()


def test_a_batch_plays_what_the_single_game_plays(folder: Path) -> None:
    batch = broodmind.make_vec(ID, 2, seed=3, data=folder)
    batch.reset()
    env = broodmind.make(ID, data=folder)
    env.reset(seed=batch.states[0]["core"]["stream"].item() << 32 | batch.states[0]["core"]["key"].item())
    for _ in range(20):
        action = env.legal_actions()[-1]
        assert batch.mask[0].tolist() == env.observe(env.agent_selection)["action_mask"].tolist()
        batch.step(np.array([action, np.flatnonzero(batch.mask[1])[0]]))
        env.step(action)
    assert batch.game is env.game


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            "no-such-folder",
            r"data='no-such-folder': cannot read no-such-folder: .*expected a folder of data files",
        ),
        (3, r"data=3; expected a folder of data files, or None"),
    ],
)
def test_a_folder_that_cannot_be_read_is_refused(data: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        broodmind.make(ID, data=data)


def test_files_of_other_names_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"holds \(no file\); expected some of broodmind.toml, cult.toml"):
        broodmind.make(ID, data=tmp_path)
    (tmp_path / "cards.toml").write_text("", "utf-8")
    with pytest.raises(ConfigError, match=r"holds cards.toml; expected some of broodmind.toml"):
        broodmind.make(ID, data=tmp_path)


def test_a_game_without_data_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"has no data files to replace; leave data out"):
        broodmind.make("macragge/crash-site-v0", data=tmp_path)


def test_saved_states_are_not_mixed_up(folder: Path) -> None:
    own, other = broodmind.make(ID, data=folder), broodmind.make(ID)
    own.reset(seed=1)
    other.reset(seed=1)
    with pytest.raises(StateError, match=r"on other data \(\w{12}\), this environment has the packaged data"):
        other.load_state(own.save_state())
    with pytest.raises(StateError, match=r"on the packaged data, this environment has other data"):
        own.load_state(other.save_state())
    twin = pickle.loads(pickle.dumps(own))
    assert twin.game is own.game
    assert twin.state_hash() == own.clone().state_hash() == own.state_hash()


def test_replays_are_not_mixed_up(folder: Path, tmp_path: Path) -> None:
    env = broodmind.make(ID, data=folder)
    recorder = replays.Recorder(env, {"data": folder})
    recorder.reset(1)
    for _ in range(12):
        recorder.step(env.legal_actions()[0])
    file = replays.write(recorder.replay, tmp_path / "replays" / "game.jsonl")
    text = file.read_text("utf-8")
    assert env.game.data_hash in text
    assert str(folder) not in text
    with pytest.raises(ReplayError, match=r"played on other data .* with the folder that it was played with"):
        replays.read(file)
    assert replays.verify(replays.read(file, data=folder)).matches
    assert replays.verify(recorder.replay).matches
    other = replays.Recorder(broodmind.make(ID))
    other.reset(1)
    file = replays.write(other.replay, tmp_path / "replays" / "other.jsonl")
    assert replays.read(file).data == ""
    with pytest.raises(
        ReplayError, match=r"played on the packaged data, and would be played again on other data"
    ):
        replays.read(file, data=folder)


def test_checkpoints_are_not_mixed_up(folder: Path) -> None:
    from broodmind.agents.card import Card

    own = shared_game([ID], folder)

    def card(game: Any) -> Card:
        architecture = {"observation_size": game.observation.size, "action_count": game.actions.size}
        made = Card((trained_for(ID, game),), "cult_0", architecture, "0" * 64)
        return Card.from_dict(made.to_dict())

    assert card(own).environments[0].data_hash == own.data_hash
    assert "data_hash" not in card(GAME).to_dict()["environments"][0]
    check_card(card(GAME), "x", ID, "cult_0")
    check_card(card(own), "x", ID, "cult_0", folder)
    with pytest.raises(CheckpointError, match=r"trained on other data .*, this game has the packaged data"):
        check_card(card(own), "x", ID, "cult_0")
    with pytest.raises(CheckpointError, match=r"trained on the packaged data .*, this game has other data"):
        check_card(card(GAME), "x", ID, "cult_0", folder)


def test_policies_play_by_the_data_of_the_game(folder: Path) -> None:
    for spec in ("scripted", "search:2"):
        policy: Any = make_policy(spec, ID, "cult_0", folder)
        assert policy.game is shared_game([ID], folder)
    env = broodmind.make(ID, data=folder)
    env.reset(seed=2)
    player = PolicyPlayer(make_policy("scripted", ID, env.agent_selection, folder), 1)
    env.step(player.choose(env))
