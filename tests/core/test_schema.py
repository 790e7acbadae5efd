import dataclasses

import pytest
from toy.game import GAME, ToyGame

from broodmind.envs.core import schema
from broodmind.envs.core.actions import ActionTable
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.observation import ObservationLayout
from broodmind.envs.core.registration import register_game, unregister_game
from broodmind.envs.core.schema import env_folder, env_version, rules_hash, schema_hash, shared_game

RACE = "toy/race-v0"


class Changed(ToyGame):
    """The toy with some parts replaced."""

    def __init__(self, **parts):
        for name, part in parts.items():
            setattr(self, name, part)


def with_block(change):
    blocks = list(GAME.observation.blocks)
    blocks[0] = change(blocks[0])
    return Changed(observation=ObservationLayout(blocks))


def with_verb(change):
    verbs = list(GAME.actions.verbs)
    verbs[0] = change(verbs[0])
    return Changed(actions=ActionTable(verbs))


def test_versions_and_folders_of_ids():
    assert env_version("toy/race-v12") == 12
    assert env_folder("toy/race-v12") == "toy/race"
    assert env_folder("toy/race-v12", "toy/bluff-v0") == "toy/all"
    with pytest.raises(ValueError, match="-v<number>"):
        env_version("toy/race")


def test_schema_hash_is_stable_and_ignores_wording():
    assert schema_hash(GAME, RACE) == schema_hash(Changed(), RACE)
    reworded = with_block(
        lambda block: dataclasses.replace(
            block, row_meaning="other words", features=[(name, "other words") for name, _ in block.features]
        )
    )
    assert schema_hash(reworded, RACE) == schema_hash(GAME, RACE)
    reworded = with_verb(lambda verb: dataclasses.replace(verb, meaning="other words"))
    assert schema_hash(reworded, RACE) == schema_hash(GAME, RACE)


def test_schema_hash_moves_with_everything_that_gives_numbers_their_place():
    changed = [
        with_block(lambda block: dataclasses.replace(block, name="other")),
        with_block(lambda block: dataclasses.replace(block, rows=block.rows + 1)),
        with_block(lambda block: dataclasses.replace(block, features=list(block.features)[::-1])),
        with_verb(lambda verb: dataclasses.replace(verb, name="OTHER")),
        with_verb(lambda verb: dataclasses.replace(verb, count=verb.count + 1)),
        Changed(observation=ObservationLayout(list(GAME.observation.blocks)[::-1])),
        Changed(actions=ActionTable(list(GAME.actions.verbs)[::-1])),
        Changed(agents=GAME.agents[::-1]),
    ]
    hashes = {schema_hash(game, RACE) for game in changed} | {schema_hash(GAME, "toy/race-v1")}
    assert len(hashes) == len(changed) + 1
    assert schema_hash(GAME, RACE) not in hashes


def test_rules_hash_moves_with_rules_and_not_with_words(tmp_path):
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "movement.py").write_text("STEP = 6\n")
    (tmp_path / "describe.py").write_text("WORD = 'walk'\n")
    (tmp_path / "numbers.toml").write_text("wounds = 1\n")

    def current():
        schema._folder_hash.cache_clear()
        return schema._folder_hash(tmp_path)

    before = current()
    (tmp_path / "describe.py").write_text("WORD = 'stride'\n")
    (tmp_path / "notes.txt").write_text("x")
    assert current() == before
    (tmp_path / "numbers.toml").write_text("wounds = 2\n")
    assert current() != before
    (tmp_path / "numbers.toml").write_text("wounds = 1\n")
    assert current() == before
    (tmp_path / "rules" / "movement.py").write_text("STEP = 7\n")
    assert current() != before
    schema._folder_hash.cache_clear()


def test_rules_hash_of_a_game():
    assert len(rules_hash(GAME)) == 64


def test_missions_of_one_game_share_a_policy_and_others_are_named_with_what_differs():
    assert shared_game(["toy/race-v0", "toy/bluff-v0"]) is GAME
    verbs = list(GAME.actions.verbs)
    missions = [dataclasses.replace(GAME.missions[0], id="other/race-v0")]
    other = Changed(name="other", missions=missions, actions=ActionTable(verbs[::-1]))
    register_game(other)
    try:
        with pytest.raises(ConfigError) as caught:
            shared_game(["toy/race-v0", "toy/bluff-v0", "other/race-v0"])
    finally:
        unregister_game("other")
    assert str(caught.value) == ("toy/race-v0 and other/race-v0 cannot share a policy: their actions differ")
