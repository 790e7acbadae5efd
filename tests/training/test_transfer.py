"""Starting a run from a checkpoint."""

from pathlib import Path

import numpy as np
import pytest
import torch

from broodmind.agents.checkpoint import export_network, load_checkpoint, read_card
from broodmind.agents.network import Architecture, PolicyValueNetwork, from_stable_baselines
from broodmind.agents.specs import make_policy
from broodmind.envs.core.errors import CheckpointError, ConfigError
from broodmind.envs.core.registration import make_vec
from broodmind.training.config import TrainingConfig
from broodmind.training.imitation import prepare
from broodmind.training.learner import LeaguePPO
from broodmind.training.train import train
from broodmind.training.vec_env import LearnerVecEnv, Opponent

CONFIG = TrainingConfig(
    env_id="toy/race-v0",
    agent="runner_0",
    steps=128,
    steps_per_generation=64,
    envs=8,
    rollout_steps=8,
    minibatch=32,
    epochs=1,
    threads=1,
    hidden=(16,),
    value_hidden=(8,),
    evaluation_games=0,
)


def write_checkpoint(
    folder: Path, env_id: str = "toy/race-v0", agent: str = "runner_0", units: int = 16
) -> str:
    torch.manual_seed(5)
    batch = make_vec(env_id, 2, 1, num_threads=1)
    sizes = batch.observation.shape[1], batch.mask.shape[1]
    network = PolicyValueNetwork(Architecture(*sizes, policy=(units,), value=(8,)))
    export_network(folder, network, env_id, agent)
    return str(folder)


def test_a_learner_takes_over_the_weights_of_a_checkpoint(tmp_path: Path) -> None:
    config = CONFIG.replace(initial=write_checkpoint(tmp_path / "first"))
    random = Opponent("random", make_policy("random", config.env_id, "guard_0"))
    env = LearnerVecEnv(config.env_ids, config.agent, config.envs, [random], seed=1, num_threads=1)
    learner = LeaguePPO(config, env, config.steps, 3)
    prepare(learner, config, config.agent, 3)
    taken = from_stable_baselines(learner.plain_policy.plain_state_dict(), "relu").state_dict()
    given = load_checkpoint(tmp_path / "first").network.state_dict()
    assert taken.keys() == given.keys()
    for name, weights in given.items():
        assert torch.allclose(taken[name], weights, atol=1e-5), name
    assert not np.allclose(learner.plain_policy.observation_scale.numpy(), 1)  # and yet it is normalised


def test_cards_tell_what_a_run_started_from_even_when_that_is_gone(tmp_path: Path) -> None:
    config = CONFIG.replace(initial=write_checkpoint(tmp_path / "first"))
    checksum = read_card(tmp_path / "first").weights_sha256
    train(config.replace(steps=64), tmp_path / "run", progress=False)
    cards = [read_card(tmp_path / "run/generations/0000/runner_0")]
    (tmp_path / "first").rename(tmp_path / "moved")
    train(config, tmp_path / "run", resume=True, progress=False)
    cards.append(read_card(tmp_path / "run/generations/0001/runner_0"))
    for card in cards:
        assert card.training["initial_weights"] == checksum
        assert "initial" not in card.training


def test_what_does_not_fit_is_refused_with_a_reason(tmp_path: Path) -> None:
    for initial, error, reason in (
        (str(tmp_path / "nothing"), CheckpointError, "there is no checkpoint"),
        (write_checkpoint(tmp_path / "wide", units=32), CheckpointError, "set hidden, value_hidden"),
        (write_checkpoint(tmp_path / "other", "toy/race-v0", "guard_0"), CheckpointError, "guard_0"),
        (
            write_checkpoint(tmp_path / "game", "macragge/crash-site-v0", "tyranids_0"),
            ConfigError,
            "expected a check",
        ),
    ):
        with pytest.raises(error, match=reason):
            train(CONFIG.replace(initial=initial), tmp_path / "run", progress=False)
        assert not (tmp_path / "run").exists() or not any((tmp_path / "run").iterdir())
