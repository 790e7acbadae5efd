import pytest

from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.registration import env_ids, game_of
from broodmind.envs.core.schema import env_folder
from broodmind.envs.core.settings import Settings
from broodmind.training.config import (
    TrainingConfig,
    config_from_dict,
    describe,
    load_config,
    preset,
    preset_names,
)

ENV = "toy/race-v0"


def test_round_trip_through_dict():
    config = TrainingConfig(env_id=ENV, hidden=(32, 16), seed=7)
    assert config_from_dict(config.to_dict()) == config


def test_presets_are_valid_and_named_after_their_environment():
    for name in preset_names():
        config = load_config(preset_file(name))
        stem = env_folder(*config.env_ids).replace("/", "-")
        assert name == stem or name.startswith(stem + "-")


def preset_file(name):
    from broodmind.training.config import PRESETS

    return PRESETS / f"{name}.toml"


def test_preset_takes_overrides_and_falls_back_to_defaults():
    assert preset("macragge/crash-site-v0", seed=5, envs=None).seed == 5
    assert preset(ENV, steps=99).steps == 99
    assert preset("macragge/crash-site-v0", "demo").env_id == "macragge/crash-site-v0"


def test_the_default_layout_is_one_that_every_mission_has():
    layout = TrainingConfig(env_id=ENV).layout or None
    for env_id in env_ids():
        mission = game_of(env_id).mission(env_id)
        number = Settings(game_of(env_id), mission, layout).layout_number(layout)
        wanted = "standard" if env_id.startswith("overkill/") else "random"
        assert mission.layouts[number] == wanted


def test_patterns_are_recorded_as_the_ids_they_mean():
    config = TrainingConfig(env_id="toy/*")
    assert config.env_id == "toy/race-v0,toy/bluff-v0"
    assert config.env_ids == config.evaluated == ("toy/race-v0", "toy/bluff-v0")
    held = config.replace(hold_out="toy/bl*")
    assert (held.env_ids, held.held_out) == (("toy/race-v0",), ("toy/bluff-v0",))
    assert held.evaluated == ("toy/race-v0", "toy/bluff-v0")
    assert config_from_dict(held.to_dict()) == held
    assert TrainingConfig(env_id="toy/race-v0").held_out == ()


def test_several_missions_have_the_preset_of_their_game():
    config = preset("macragge/*", hold_out="macragge/xeno-tide-v0")
    assert len(config.env_ids) == 5
    assert config.held_out == ("macragge/xeno-tide-v0",)
    assert config.steps == preset("macragge/*").steps != TrainingConfig(env_id=ENV).steps
    two = preset("macragge/crash-site-v0,macragge/rescue-varras-v0")
    assert two.env_ids == ("macragge/crash-site-v0", "macragge/rescue-varras-v0")
    assert two.steps == config.steps


def test_a_file_is_for_its_selection_however_it_is_written(tmp_path):
    file = tmp_path / "mine.json"
    file.write_text('{"env_id": "toy/race-v0", "hold_out": "toy/bluff-v0"}')
    for selection in ("toy/*", "toy/race-v0", "toy/bluff-v0,toy/race-v0", None):
        assert load_config(file, env_id=selection).env_ids == ("toy/race-v0",)
    file.write_text('{"env_id": "toy/*"}')
    with pytest.raises(ConfigError, match=r"for toy/race-v0,toy/bluff-v0, not for toy/race-v0; leave the id"):
        load_config(file, env_id="toy/race-v0")


def test_unknown_variant_names_the_presets():
    with pytest.raises(ConfigError, match=r"no preset 'toy-race-demo'.*macragge-crash-site"):
        preset(ENV, "demo")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"envs": 0}, r"envs = 0: expected a number of at least 1"),
        ({"gamma": 1.5}, r"gamma = 1.5: expected a number between 0.0 and 1.0"),
        ({"gamma": float("nan")}, r"gamma = nan: expected a number between"),
        ({"weight_past": float("nan")}, r"weight_past = nan: expected a number of at least 0"),
        ({"hidden": []}, r"hidden = \(\): expected one or more layer sizes, each between 1 and 8192"),
        ({"value_hidden": [8193]}, r"value_hidden = \(8193,\): expected one or more layer sizes"),
        ({"activation": "gelu"}, r"activation = 'gelu': expected one of relu, tanh"),
        ({"minibatch": 10**9}, r"minibatch = 1000000000: expected at most envs x rollout_steps"),
        ({"weight_scripted": 0, "weight_random": 0}, r"weight_scripted = 0.0: expected a positive"),
        ({"env_id": "nonsense"}, r"env_id = 'nonsense': expected an environment id"),
        ({"envs": "many"}, r"file.toml: envs = 'many': expected integer \(games played at once\)"),
        ({"envs": True}, r"envs = True: expected integer"),
        ({"hidden": "256"}, r"hidden = '256': expected list of integers"),
        ({"env_id": ""}, r"env_id = '': expected an environment id"),
        ({"hold_out": "nonsense"}, r"hold_out = 'nonsense': expected an environment id"),
        ({"hold_out": "toy/*"}, r"env_id = 'toy/race-v0': expected an environment that is not held out"),
        ({"hold_out": ["toy/*"]}, r"file.toml: hold_out = \['toy/\*'\]: expected text"),
        ({"env_id": "toy/*", "envs": 1, "rollout_steps": 1}, r"envs = 1: expected a game for each of the 2"),
        ({"speed": 3}, r"file.toml: unknown key 'speed'; known keys: env_id"),
    ],
)
def test_bad_values_name_source_field_value_and_expectation(change, message):
    with pytest.raises(ConfigError, match=message):
        config_from_dict({"env_id": ENV, **change}, "file.toml")


def test_errors_name_the_file_or_the_options_whichever_is_at_fault(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(f'env_id = "{ENV}"\nminibatch = 64\n')
    with pytest.raises(ConfigError, match=r"^your options: unknown key 'foo'"):
        load_config(file, foo=1)
    with pytest.raises(ConfigError, match=r"^your options: gamma = 3"):
        preset("macragge/crash-site-v0", gamma=3)
    file.write_text("gamma = 3\n")
    with pytest.raises(ConfigError, match=r"mine.toml: gamma = 3"):
        load_config(file, env_id=ENV, seed=1)


def test_a_minibatch_that_nobody_gave_shrinks_with_the_rollout():
    small = preset("macragge/crash-site-v0", envs=16)
    assert small.minibatch == small.rollout_size == 16 * 128
    assert config_from_dict({"env_id": ENV, "envs": 4, "rollout_steps": 8}).minibatch == 32
    assert preset("macragge/crash-site-v0", envs=2048).minibatch == 8192
    with pytest.raises(ConfigError, match=r"your options: minibatch = 4096: expected at most"):
        preset("macragge/crash-site-v0", envs=16, minibatch=4096)


def test_malformed_and_missing_files(tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text("steps = = 3")
    with pytest.raises(ConfigError, match=r"bad.toml: not valid TOML.*line 1"):
        load_config(bad)
    with pytest.raises(ConfigError, match=r"gone.toml: cannot read the configuration \(No such file"):
        load_config(tmp_path / "gone.toml")
    array = tmp_path / "array.json"
    array.write_text("[1]")
    with pytest.raises(ConfigError, match="expected keys and values, got list"):
        load_config(array)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot read the configuration"):
        load_config(binary)


def test_every_field_has_a_meaning():
    assert all(meaning for _, _, _, meaning in describe())


def test_generations_consist_of_whole_rollouts():
    config = TrainingConfig(
        env_id=ENV, steps=1000, steps_per_generation=250, envs=10, rollout_steps=10, minibatch=50
    )
    assert config.rollout_size == 100
    assert config.updates_per_generation == 2
    assert config.generations(agents=2) == 2
    assert config.generations(agents=1) == 5
