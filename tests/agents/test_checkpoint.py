import hashlib
import json
import os
import pickle
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from toy.game import GAME

from broodmind.agents import checkpoint as checkpoint_module
from broodmind.agents import make_policy
from broodmind.agents.checkpoint import (
    CARD,
    README,
    WEIGHTS,
    export_from_state_dict,
    export_network,
    find_checkpoint,
    load_checkpoint,
    update_card,
    verify,
)
from broodmind.agents.network import Architecture, PolicyValueNetwork, from_stable_baselines
from broodmind.envs.core import schema
from broodmind.envs.core.errors import BroodmindError, CheckpointError, UnknownEnvironmentError

RACE, BLUFF = "toy/race-v0", "toy/bluff-v0"


def network(**changes):
    torch.manual_seed(0)
    sizes = {"policy": (16, 8), "value": (8,), "activation": "tanh"} | changes
    return PolicyValueNetwork(Architecture(GAME.observation.size, GAME.actions.size, **sizes))


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "runner"
    export_network(
        path,
        network(),
        RACE,
        "runner_0",
        training={"steps": 10, "hidden": [16, 8]},
        seeds={"train": 3},
        evaluation=[{"policy": "checkpoint", "opponent": "random", "win_rate": 0.75}],
        notes="A test.",
    )
    return path


def rewrite_card(folder, change):
    data = json.loads((folder / CARD).read_text())
    change(data)
    (folder / CARD).write_text(json.dumps(data))


def rewrite_weights(folder, content):
    """Replace the weights and make the checksum fit, so that only the content can be refused."""
    (folder / WEIGHTS).write_bytes(content)
    rewrite_card(folder, lambda card: card.update(weights_sha256=hashlib.sha256(content).hexdigest()))


def refused(folder, *words, env_id=RACE, agent="runner_0"):
    with pytest.raises(CheckpointError) as caught:
        load_checkpoint(folder, env_id, agent)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message
    return message


def test_round_trip_keeps_the_weights_and_the_card(folder):
    loaded = load_checkpoint(folder, RACE, "runner_0")
    original = network()
    observations = torch.randn(7, GAME.observation.size)
    for before, after in zip(original(observations), loaded.network(observations)):
        assert torch.equal(before, after)
    card = loaded.card
    assert (card.agent, card.seeds, card.training["steps"], card.notes) == (
        "runner_0",
        {"train": 3},
        10,
        "A test.",
    )
    assert card.environments[0].id == RACE
    assert card.environments[0].version == 0
    assert card.environments[0].schema_hash == schema.schema_hash(GAME, RACE)
    assert {"python", "torch", "safetensors"} <= set(card.versions)
    assert card.weights_sha256 == hashlib.sha256((folder / WEIGHTS).read_bytes()).hexdigest()
    assert verify(folder) == []


def test_readable_card_names_seat_environment_and_strength(folder):
    text = (folder / README).read_text()
    for word in ("runner_0", RACE, "A test.", "0.75", "steps", "16, 8"):
        assert word in text


def test_export_writes_exactly_three_files_and_leaves_nothing_else_behind(folder):
    assert sorted(path.name for path in folder.iterdir()) == sorted([WEIGHTS, CARD, README])
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_export_replaces_a_checkpoint_but_no_other_folder(folder, tmp_path):
    export_network(folder, network(), RACE, "runner_0", notes="Second.")
    assert load_checkpoint(folder).card.notes == "Second."
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]
    other = tmp_path / "holiday"
    other.mkdir()
    (other / "photo").write_text("x")
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        export_network(other, network(), RACE, "runner_0")
    assert (other / "photo").read_text() == "x"


def test_failed_writing_keeps_the_old_checkpoint(folder, monkeypatch):
    before = (folder / CARD).read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(CheckpointError, match="No space left"):
        export_network(folder, network(), RACE, "runner_0", notes="Second.")
    assert (folder / CARD).read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_one_checkpoint_may_play_several_environments(tmp_path):
    export_network(tmp_path / "both", network(), [RACE, BLUFF], "guard_0")
    for env_id in (RACE, BLUFF):
        assert load_checkpoint(tmp_path / "both", env_id, "guard_0").card.agent == "guard_0"
    assert verify(tmp_path / "both") == []


def test_a_checkpoint_plays_what_was_held_out_of_its_training_too(tmp_path):
    folder = tmp_path / "held"
    export_network(folder, network(), RACE, "guard_0", held_out=[BLUFF])
    card = load_checkpoint(folder, BLUFF, "guard_0").card
    assert [environment.id for environment in card.environments] == [RACE]
    assert [environment.id for environment in card.held_out] == [BLUFF]
    policy = load_checkpoint(folder).policy()
    assert policy.held_out == (BLUFF,)
    assert f"guard_0 of {RACE} (held out: {BLUFF})" in (folder / README).read_text()
    assert verify(folder) == []
    refused(
        folder,
        f"was trained for {RACE} (held out: {BLUFF}), not for macragge/crash-site-v0",
        env_id="macragge/crash-site-v0",
        agent="guard_0",
    )
    rewrite_card(folder, lambda card: card["held_out"][0].update(schema_hash="0" * 64))
    refused(folder, "other observations or actions", env_id=BLUFF, agent="guard_0")
    rewrite_card(folder, lambda card: card.update(held_out=[3]))
    refused(folder, "each of 'held_out' needs id", agent="guard_0")


def test_cards_from_before_held_out_environments_still_load(folder):
    rewrite_card(folder, lambda card: card.pop("held_out"))
    assert load_checkpoint(folder, RACE, "runner_0").card.held_out == ()
    refused(folder, "trained for toy/race-v0, not for toy/bluff-v0", env_id=BLUFF)


def test_update_card_keeps_weights(folder):
    weights = (folder / WEIGHTS).read_bytes()
    update_card(folder, evaluation=[{"policy": "x", "games": 5}], notes="Measured.")
    assert (folder / WEIGHTS).read_bytes() == weights
    assert load_checkpoint(folder).card.evaluation == [{"policy": "x", "games": 5}]
    assert "Measured." in (folder / README).read_text()
    assert stat.S_IMODE((folder / CARD).stat().st_mode) & 0o444 == 0o444
    with pytest.raises(CheckpointError, match="cannot be changed"):
        update_card(folder, agent="guard_0")


# -- refusals --


def test_wrong_seat_is_refused(folder):
    refused(folder, "plays runner_0, not guard_0", agent="guard_0")


def test_wrong_environment_is_refused(folder):
    refused(folder, "trained for toy/race-v0, not for toy/bluff-v0", env_id=BLUFF)


def test_wrong_version_is_refused(folder):
    def older(card):
        card["environments"][0] |= {"id": "toy/race-v7", "version": 7}

    rewrite_card(folder, older)
    refused(folder, "toy/race-v7", "another version than toy/race-v0")


def test_unknown_environment_is_refused(folder):
    rewrite_card(folder, lambda card: card["environments"][0].update(id="toy/rice-v0"))
    with pytest.raises(UnknownEnvironmentError, match="toy/race-v0"):
        load_checkpoint(folder)


def test_wrong_schema_is_refused(folder):
    rewrite_card(folder, lambda card: card["environments"][0].update(schema_hash="0" * 64))
    refused(folder, "other observations or actions")


def test_other_rules_sources_are_remarked_not_refused(folder):
    rewrite_card(folder, lambda card: card["environments"][0].update(rules_hash="0" * 64))
    load_checkpoint(folder, RACE, "runner_0")
    assert len(verify(folder)) == 1


@pytest.mark.parametrize("name", [CARD, WEIGHTS])
def test_missing_file_is_refused(folder, name):
    (folder / name).unlink()
    refused(folder, "cannot read", name)


@pytest.mark.parametrize("keep", [0, 10, -1])
def test_truncated_weights_are_refused(folder, keep):
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data[:keep])
    refused(folder, "truncated or damaged")
    rewrite_weights(folder, data[:keep])
    refused(folder, "not a safetensors file")


def test_every_flipped_byte_is_refused(folder):
    data = bytearray((folder / WEIGHTS).read_bytes())
    for place in (0, 20, len(data) // 2, len(data) - 1):
        damaged = bytearray(data)
        damaged[place] ^= 1
        (folder / WEIGHTS).write_bytes(damaged)
        refused(folder, "truncated or damaged")


@pytest.mark.parametrize("keep", [0, 1, 100, -3])
def test_truncated_card_is_refused(folder, keep):
    (folder / CARD).write_bytes((folder / CARD).read_bytes()[:keep])
    refused(folder, CARD)


@pytest.mark.parametrize(
    "text", ["[]", "null", "3", '{"format": 2}', "\xff\xfe", "[" * 100_000, '{"format": 1}']
)
def test_foreign_card_is_refused(folder, text):
    (folder / CARD).write_bytes(text.encode("latin-1"))
    refused(folder, CARD)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("environments", []),
        ("environments", [3]),
        ("environments", [{"id": "x", "schema_hash": "", "rules_hash": "", "version": 0}]),
        ("agent", 3),
        ("weights_sha256", None),
        ("architecture", []),
        ("architecture", {}),
        ("training", "much"),
        ("evaluation", {}),
    ],
)
def test_damaged_card_is_refused(folder, key, value):
    rewrite_card(folder, lambda card: card.update({key: value}))
    refused(folder)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("activation", "softplus"),
        ("policy", [16, 10**9]),
        ("policy", [16, 0]),
        ("policy", [16, 1.5]),
        ("policy", [1] * 100),
        ("policy", 3),
        ("policy", [16, 9]),
        ("value", []),
        ("normalise", 1),
        ("normalise", True),
        ("observation_size", 3),
        ("action_count", True),
    ],
)
def test_impossible_or_foreign_architecture_is_refused(folder, key, value):
    rewrite_card(folder, lambda card: card["architecture"].update({key: value}))
    refused(folder)


def test_weights_that_do_not_fit_are_refused(folder):
    tensors = dict(network().state_dict())
    rewrite_weights(folder, safetensors.torch.save(tensors | {"logits.bias": torch.zeros(3)}))
    refused(folder, "logits.bias")
    rewrite_weights(folder, safetensors.torch.save({k: v for k, v in tensors.items() if k != "logits.bias"}))
    refused(folder, "logits.bias")
    rewrite_weights(folder, safetensors.torch.save(tensors | {"extra": torch.zeros(3)}))
    refused(folder, "extra")
    rewrite_weights(
        folder, safetensors.torch.save(tensors | {"logits.bias": tensors["logits.bias"].double()})
    )
    refused(folder, "float64")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(folder, tmp_path, value):
    tensors = {name: tensor.clone() for name, tensor in network().state_dict().items()}
    tensors["logits.bias"][2] = value
    rewrite_weights(folder, safetensors.torch.save(tensors))
    refused(folder, "NaN or infinite")
    diverged = network()
    diverged.load_state_dict(tensors)
    with pytest.raises(CheckpointError, match="diverged"):
        export_network(tmp_path / "diverged", diverged, RACE, "runner_0")
    assert not (tmp_path / "diverged").exists()


class Poison:
    """Unpickling this writes a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (Path(self.path),))


@pytest.mark.parametrize("form", ["pickle", "torch"])
def test_nothing_is_ever_unpickled(folder, tmp_path, form):
    victim, content = tmp_path / "executed", tmp_path / "content"
    if form == "pickle":
        content.write_bytes(pickle.dumps(Poison(victim)))
    else:
        torch.save({"logits.bias": Poison(victim)}, content)
    pickle.loads(pickle.dumps(Poison(tmp_path / "proof")))
    assert (tmp_path / "proof").exists()  # the poison works
    rewrite_weights(folder, content.read_bytes())
    refused(folder, "not a safetensors file")
    (folder / CARD).write_bytes(content.read_bytes())
    refused(folder, CARD)
    assert not victim.exists()


def test_loading_imports_no_training_library(folder):
    code = (
        "import sys; from toy.game import register_toy; register_toy()\n"
        "from broodmind.agents import make_policy\n"
        f"make_policy('checkpoint:{folder}', '{RACE}', 'runner_0')\n"
        "print([m for m in ('stable_baselines3', 'sb3_contrib', 'pandas', 'rich') if m in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).resolve().parents[1])}
    result = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_export_refuses_what_does_not_fit(tmp_path):
    with pytest.raises(CheckpointError, match="has no agent"):
        export_network(tmp_path / "x", network(), RACE, "goalkeeper_0")
    with pytest.raises(CheckpointError, match="observation_size"):
        export_network(
            tmp_path / "x", PolicyValueNetwork(Architecture(3, GAME.actions.size)), RACE, "runner_0"
        )
    with pytest.raises(CheckpointError, match="JSON"):
        export_network(tmp_path / "x", network(), RACE, "runner_0", training={"a": object()})
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckpointError, match="cannot write"):
        export_network(tmp_path / "file" / "x", network(), RACE, "runner_0")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# -- names --


def test_names_of_shipped_checkpoints(folder, tmp_path, monkeypatch):
    shipped = tmp_path / "shipped"
    monkeypatch.setattr(checkpoint_module, "SHIPPED", shipped)
    with pytest.raises(CheckpointError, match="broodmind train"):
        find_checkpoint("shipped", RACE, "runner_0")
    export_network(shipped / "toy" / "race" / "runner_0", network(), RACE, "runner_0")
    expected = shipped / "toy" / "race" / "runner_0"
    assert find_checkpoint("shipped", RACE, "runner_0") == expected
    assert find_checkpoint("toy/race/runner_0", RACE, "runner_0") == expected
    assert find_checkpoint(str(folder), RACE, "runner_0") == folder
    assert find_checkpoint(str(shipped / "toy" / "race"), RACE, "runner_0") == expected
    assert find_checkpoint("toy/race", RACE, "runner_0") == expected
    several = shipped / "toy" / "all" / "runner_0"
    export_network(several, network(), RACE, "runner_0", held_out=[BLUFF])
    assert find_checkpoint("shipped", RACE, "runner_0") == expected  # the mission's own comes first
    assert find_checkpoint("shipped", BLUFF, "runner_0") == several
    assert find_checkpoint("toy/all", RACE, "runner_0") == several
    assert checkpoint_module.shipped_names() == ["toy/all/runner_0", "toy/race/runner_0"]
    with pytest.raises(CheckpointError, match="toy/race/runner_0"):
        find_checkpoint("toy/rice/runner_0", RACE, "runner_0")


@pytest.mark.parametrize("name", ["\0", "x" * 5000, "..", "/", "~nobody/x", ""])
def test_odd_names_get_a_sentence(name):
    with pytest.raises(BroodmindError):
        make_policy(f"checkpoint:{name}", RACE, "runner_0")


# -- Stable-Baselines3 --


@pytest.mark.parametrize(
    ("net_arch", "activation"),
    [([32, 16], "relu"), ({"pi": [24], "vf": [16, 8, 4]}, "tanh"), ({"pi": [], "vf": [8]}, "relu")],
)
@pytest.mark.parametrize("share", [True, False])
def test_stable_baselines_policies_are_mapped_exactly(tmp_path, net_arch, activation, share):
    import gymnasium
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

    torch.manual_seed(1)
    policy = MaskableActorCriticPolicy(
        gymnasium.spaces.Box(-np.inf, np.inf, (GAME.observation.size,), np.float32),
        gymnasium.spaces.Discrete(GAME.actions.size),
        lambda _: 1e-3,
        net_arch=net_arch,
        activation_fn={"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[activation],
        share_features_extractor=share,
    )
    export_from_state_dict(tmp_path / "x", policy.state_dict(), activation, RACE, "runner_0")
    loaded = load_checkpoint(tmp_path / "x", RACE, "runner_0").network
    observations = torch.randn(50, GAME.observation.size)
    with torch.no_grad():
        latent_policy, latent_value = policy.mlp_extractor(observations)
        logits, values = loaded(observations)
        assert torch.equal(logits, policy.action_net(latent_policy))
        assert torch.equal(values, policy.value_net(latent_value).squeeze(-1))


def test_stable_baselines_policy_with_a_shared_trunk_is_mapped_exactly():
    import gymnasium
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    class Trunk(BaseFeaturesExtractor):
        def __init__(self, space):
            super().__init__(space, features_dim=12)
            self.layers = torch.nn.Sequential(torch.nn.Linear(space.shape[0], 12), torch.nn.ReLU())

        def forward(self, observations):
            return self.layers(observations)

    policy = MaskableActorCriticPolicy(
        gymnasium.spaces.Box(-np.inf, np.inf, (GAME.observation.size,), np.float32),
        gymnasium.spaces.Discrete(GAME.actions.size),
        lambda _: 1e-3,
        net_arch=[8],
        activation_fn=torch.nn.ReLU,
        features_extractor_class=Trunk,
    )
    ours = from_stable_baselines(policy.state_dict(), "relu")
    assert ours.architecture.trunk == (12,)
    observations = torch.randn(50, GAME.observation.size)
    with torch.no_grad():
        latent_policy, latent_value = policy.mlp_extractor(policy.features_extractor(observations))
        assert torch.equal(ours(observations)[0], policy.action_net(latent_policy))
        assert torch.equal(ours(observations)[1], policy.value_net(latent_value).squeeze(-1))


def test_foreign_state_dicts_are_refused():
    with pytest.raises(CheckpointError, match="conv"):
        from_stable_baselines({"conv.weight": torch.zeros(3)}, "relu")
    with pytest.raises(CheckpointError, match="action_net"):
        from_stable_baselines({}, "relu")
    with pytest.raises(CheckpointError, match="activation"):
        from_stable_baselines(
            {
                "action_net.weight": torch.zeros(3, 4),
                "action_net.bias": torch.zeros(3),
                "value_net.weight": torch.zeros(1, 4),
                "value_net.bias": torch.zeros(1),
            },
            "gelu",
        )


# -- playing --


def test_checkpoint_plays_its_best_legal_action_or_samples(folder):
    greedy = make_policy(f"checkpoint:{folder}", RACE, "runner_0")
    sample = make_policy(f"checkpoint:{folder}?sample", RACE, "runner_0")
    rng = np.random.default_rng(0)
    observations = rng.normal(size=(200, GAME.observation.size)).astype(np.float32)
    masks = (rng.random((200, GAME.actions.size)) < 0.4).astype(np.int8)
    masks[:, 3] = 1
    with torch.no_grad():
        logits = network()(torch.from_numpy(observations))[0].numpy()
    expected = np.where(masks == 1, logits, -np.inf).argmax(axis=1)
    np.testing.assert_array_equal(greedy.act_batch(observations, masks, rng), expected)
    assert greedy.act(observations[0], masks[0], rng) == expected[0]
    drawn = sample.act_batch(observations, masks, rng)
    assert masks[np.arange(200), drawn].all()
    assert (drawn != expected).any()
    first, second = (sample.act_batch(observations, masks, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_a_card_says_how_it_plays_and_a_spec_may_say_otherwise(tmp_path, folder):
    drawing = tmp_path / "drawing"
    export_network(drawing, network(), RACE, "runner_0", temperature=0.25)
    text = (drawing / README).read_text()
    assert "Plays an action drawn at temperature 0.25" in text
    assert "Plays its best action" in (folder / README).read_text()
    for spec, expected in (("", 0.25), ("?temperature=0", 0.0), ("?temperature=2", 2.0), ("?sample", 1.0)):
        assert vars(make_policy(f"checkpoint:{drawing}{spec}", RACE, "runner_0"))["temperature"] == expected
    assert vars(make_policy(f"checkpoint:{folder}", RACE, "runner_0"))["temperature"] == 0.0
    assert update_card(drawing, temperature=0.5).temperature == 0.5
    rewrite_card(drawing, lambda card: card.pop("temperature"))  # as cards were at first
    assert load_checkpoint(drawing).card.temperature == 0.0
    for wrong in ("hot", -1, float("nan")):
        rewrite_card(drawing, lambda card, wrong=wrong: card.update(temperature=wrong))
        refused(drawing, "temperature", env_id=RACE, agent="runner_0")


def test_sampling_has_the_frequencies_of_the_softmax(folder):
    count = 40_000
    rng = np.random.default_rng(0)
    observation = rng.normal(size=GAME.observation.size).astype(np.float32)
    mask = np.ones(GAME.actions.size, np.int8)
    mask[::3] = 0
    policy = load_checkpoint(folder).policy(temperature=0.5)
    drawn = policy.act_batch(np.tile(observation, (count, 1)), np.tile(mask, (count, 1)), rng)
    with torch.no_grad():
        logits = network()(torch.from_numpy(observation[None]))[0][0].double()
    logits[torch.from_numpy(mask) == 0] = -torch.inf
    expected = torch.softmax(logits / 0.5, 0).numpy()
    frequencies = np.bincount(drawn, minlength=len(mask)) / count
    assert np.abs(frequencies - expected).max() < 5 * np.sqrt(0.25 / count)
    assert (frequencies[mask == 0] == 0).all()


def test_empty_mask_is_refused(folder):
    policy = make_policy(f"checkpoint:{folder}", RACE, "runner_0")
    with pytest.raises(ValueError, match="no legal action"):
        policy.act(
            np.zeros(GAME.observation.size, np.float32),
            np.zeros(GAME.actions.size, np.int8),
            np.random.default_rng(0),
        )


@pytest.mark.parametrize("spec", ["", "?sample"])
def test_weights_that_overflow_are_refused_when_they_play(tmp_path, spec):
    huge = network()
    for weights in huge.parameters():
        weights.data.fill_(3e38)
    export_network(tmp_path / "huge", huge, RACE, "runner_0")
    policy = make_policy(f"checkpoint:{tmp_path / 'huge'}{spec}", RACE, "runner_0")
    observation = np.ones(GAME.observation.size, np.float32)
    mask = np.ones(GAME.actions.size, np.int8)
    with pytest.raises(CheckpointError, match="weights overflow"):
        policy.act(observation, mask, np.random.default_rng(0))


def test_arrays_of_another_game_are_refused(folder):
    policy = make_policy(f"checkpoint:{folder}", RACE, "runner_0")
    with pytest.raises(ValueError, match="observations of shape"):
        policy.act(np.zeros(3, np.float32), np.ones(GAME.actions.size, np.int8), np.random.default_rng(0))
    with pytest.raises(ValueError, match="masks of shape"):
        policy.act(np.zeros(GAME.observation.size, np.float32), np.ones(3, np.int8), np.random.default_rng(0))


def test_read_only_observations_are_taken_without_a_warning(folder, recwarn):
    policy = make_policy(f"checkpoint:{folder}", RACE, "runner_0")
    observation = np.zeros(GAME.observation.size, np.float32)
    observation.flags.writeable = False
    policy.act(observation, np.ones(GAME.actions.size, np.int8), np.random.default_rng(0))
    assert not recwarn.list


def test_normalised_observations(tmp_path):
    normalised = network(normalise=True)
    normalised.observation_mean += 3.0
    normalised.observation_std *= 2.0
    export_network(tmp_path / "x", normalised, RACE, "runner_0")
    loaded = load_checkpoint(tmp_path / "x").network
    plain = network()
    plain.load_state_dict({k: v for k, v in normalised.state_dict().items() if "observation" not in k})
    observations = torch.randn(5, GAME.observation.size)
    assert torch.allclose(loaded(observations)[0], plain((observations - 3) / 2)[0])
