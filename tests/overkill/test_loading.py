"""The data files are checked when they are read; a folder may replace them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest

from broodmind.envs.core.errors import ConfigError
from broodmind.envs.overkill.game import GAME
from broodmind.envs.overkill.loading import packaged, read_data

NAMES = ("broodmind", "cult", "datacards", "leaders", "missions", "sections")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with copies of all data files."""
    for name in NAMES:
        text = (files("broodmind.envs.overkill") / "data" / f"{name}.toml").read_text("utf-8")
        (tmp_path / f"{name}.toml").write_text(text, "utf-8")
    return tmp_path


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.toml"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")


def test_a_copy_is_the_game_itself(folder: Path) -> None:
    assert GAME.with_data(folder) is GAME
    (folder / "cult.toml").write_text("# ours\n" + (folder / "cult.toml").read_text("utf-8"), "utf-8")
    assert GAME.with_data(folder) is GAME
    assert [mission.max_turns for mission in GAME.missions[:9]] == [
        one.max_turns for one in packaged().missions
    ]


def test_a_folder_replaces_what_it_has(folder: Path) -> None:
    for name in NAMES[1:]:
        (folder / f"{name}.toml").unlink()
    change(folder, "broodmind", 'name = "Rabble of the Pits"', 'name = "Printed Name"')
    assert read_data(folder).cards[0].name == "Printed Name"
    assert read_data(folder).marines[0].name == "Ortan Cassius"


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("datacards", 'A = "3,3,3"', 'A = "3,4"', r"datacards.toml: marine 0.*A is '3,4'; expected dice"),
        ("datacards", "speed = 2", "speed = 0", r"speed is 0; expected a whole number 1\.\.6"),
        ("datacards", "base = [32, 32]", "base = [33, 33]", r"base is \[33, 33\]; expected one of"),
        (
            "datacards",
            '"litanies"',
            '"litany"',
            r"skills is .*'litany'.*; expected a list of some of rosarius",
        ),
        ("datacards", "wounds = 2", "wounds = 3", r"wounds is 3; expected a whole number 2\.\.2"),
        ("datacards", 'rules = ["blast"]', 'rules = ["blaze"]', r"rules is \['blaze'\]; expected"),
        ("cult", "count = 12", "count = 13", r"count is 13; expected a whole number 12\.\.12"),
        ("cult", "armour = 6", "armour = 1", r"armour is 1; expected 0 \(none\) or 2\.\.6"),
        (
            "broodmind",
            'models = ["autogun", "autopistol"]',
            "models = []",
            r"models is \[\]; expected one type",
        ),
        ("broodmind", 'gambit = "fervour"', 'gambit = "fury"', r"gambit is 'fury'; expected one of whisper"),
        (
            "broodmind",
            'phase = "broodmind"',
            'phase = "cult_move"',
            r"phase is 'cult_move'; expected broodmind",
        ),
        (
            "sections",
            "[0,0,66,90]",
            "[0,0,66,190]",
            r"face 1A: zones .*; expected a zone that overlaps no other",
        ),
        ("sections", "throne = 0", "throne = 12", r"throne is \[12\]; expected zones 0\.\.8"),
        (
            "missions",
            "lay = [3, 3]",
            "lay = [3, 30]",
            r"mission 1: lay is \[3, 30\]; expected least and most",
        ),
        ("missions", 'deck = "hybrids"', 'deck = "hybrid"', r"deck is 'hybrid'; expected one of hybrids"),
        ("missions", '[0, 1, "N"]', '[0, 1, "X"]', r"ambush is \[0, 1, 'X'\]; expected \[section, zone"),
        (
            "missions",
            "skull = [0, 4]",
            "skull = [9, 4]",
            r"mission 3: skull is \[9, 4\]; expected \[section, zone\]",
        ),
    ],
)
def test_a_bad_entry_is_named(folder: Path, name: str, old: str, new: str, message: str) -> None:
    change(folder, name, old, new)
    with pytest.raises(ConfigError, match=message):
        read_data(folder)


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            "datacards",
            "speed = 2",
            "sped = 2",
            r"datacards.toml: marine 0 \(cassius\): unknown key 'sped', perhaps you meant 'speed'; expected some",
        ),
        (
            "datacards",
            'A = "3,3,3"',
            'A = "3,3,3", range = 4',
            r"weapons 0: unknown key 'range'; .* name, A, C",
        ),
        (
            "datacards",
            "[[marine]]",
            "[[marines]]",
            r"datacards.toml: unknown key 'marines'.*expected some of marine",
        ),
        ("datacards", "speed = 2", "speed = 2\nhybrid = true", r"\(cassius\): unknown key 'hybrid'"),
        ("cult", "hybrid = true", "hybrid = false", r"\(autogun\): hybrid is False; expected True"),
        ("leaders", "armour = 3", "armor = 3", r"unknown key 'armor', perhaps you meant 'armour'"),
        ("broodmind", 'target = "none"', 'target = "none"\ncost = 1', r"gambit 0: unknown key 'cost'"),
        (
            "broodmind",
            'id = "rockfall"',
            'id = "whisper"',
            r"gambit 1: id is 'whisper'; expected one of rockfall",
        ),
        ("broodmind", 'tags = ["hybrids"]', "tags = []", r"card 0: tags is \[\]; expected \['hybrids'\]"),
        ("broodmind", "count = ", "number = ", r"card 0: ambush 0: unknown key 'number'"),
        ("sections", "void = true", "void = true\nholes = 1", r"face \w+: unknown key 'holes'"),
        ("sections", 'id = "1B"', 'id = "1A"', r"id is '1A'; expected an id that no other face has"),
        (
            "sections",
            "size = [200, 270]",
            "size = [270, 200]",
            r"size is \[270, 200\]; expected \[200, 270\]",
        ),
        ("missions", "max_turns = 12", "max_turn = 12", r"mission 1: unknown key 'max_turn', perhaps"),
        (
            "missions",
            "turn = 180",
            "turned = 180",
            r"mission 1: sections 2: unknown key 'turned', perhaps you meant 'turn'",
        ),
        ("missions", '"kills 25"', '"kill 25"', r"win is 'kill 25'; expected kills and a number 1..1000"),
        ("missions", '"exit 3"', '"exit 5"', r"mission 4: win is 'exit 5'; expected exit and a number 1..4"),
        ("missions", '"krak 3"', '"krak 2"', r"mission 6: win is 'krak 2'; expected 'krak 3'"),
        (
            "datacards",
            'skills = ["rosarius',
            'skills = 5 # ["rosarius',
            r"skills is 5; expected a list of some",
        ),
        (
            "datacards",
            'rules = ["cleave", "rend"]',
            'rules = ["cleave", "cleave"]',
            r"weapons 0: rules is \['cleave', 'cleave'\]; expected each of them once at most",
        ),
        (
            "datacards",
            "[[marine]]",
            "[[marine]]\n[[marine]]",
            r"marine is '12 tables'; expected 11: cassius, grytt",
        ),
        (
            "datacards",
            'name = "Rodricus Grytt"',
            'name = "Ortan Cassius"',
            r"datacards.toml: marine: name is 'Ortan Cassius'; expected a name that nothing else there has",
        ),
        ("sections", "zones = [", "zones = 5 # [", r"face 1A: zones is 5; expected a list"),
        ("missions", "muster = [[0, 7], [3, 0]]", "muster = 5", r"mission 1: muster is 5; expected a list"),
        ("missions", "ambush = [[", "ambush = 5 # [[", r"mission 1: ambush is 5; expected a list"),
        (
            "missions",
            "at = [200, 0]",
            "at = [100000, 0]",
            r"at is \[100000, 0\]; expected millimetres 0..1000",
        ),
        ("missions", "at = [200, 0]", "at = [-1, 0]", r"at is \[-1, 0\]; expected millimetres 0..1000"),
        (
            "missions",
            "lose_at = 2",
            "lose_at = 5",
            r"mission 1: lose_at is 5; expected a whole number 0\.\.4",
        ),
        (
            "missions",
            "team = 4",
            "team = 6",
            r"mission 2: team is 6; expected 5 at most, as mission 1 takes the others \(OVK-C02\)",
        ),
    ],
)
def test_what_nothing_reads_is_refused(folder: Path, name: str, old: str, new: str, message: str) -> None:
    change(folder, name, old, new)
    with pytest.raises(ConfigError, match=message):
        read_data(folder)


def test_sources_may_say_anything_and_be_left_out(folder: Path) -> None:
    change(folder, "missions", "src = ", "src = 3 # ")
    change(folder, "sections", 'src = "reconstructed"', "")
    assert read_data(folder).missions == packaged().missions


def test_a_point_within_the_board_is_refused(folder: Path) -> None:
    change(folder, "missions", '[0, 1, "N"]', '[0, 1, "S"]')
    with pytest.raises(ConfigError, match="not on the border"):
        GAME.with_data(folder)


def test_muster_zones_must_hold_any_team(folder: Path) -> None:
    change(folder, "missions", "muster = [[0, 7], [3, 0]]", "muster = [[0, 7]]")
    with pytest.raises(ConfigError, match="mission 1: muster is too small"):
        GAME.with_data(folder)


def test_missions_with_everybody_have_everybody(folder: Path) -> None:
    text = (folder / "missions.toml").read_text("utf-8")
    (folder / "missions.toml").write_text(text.replace("team = 11", "team = 9"), "utf-8")
    with pytest.raises(ConfigError, match=r"mission 8: team is 9; expected a whole number 11\.\.11"):
        read_data(folder)


def test_a_leader_among_the_cult_is_named_with_its_file(folder: Path) -> None:
    text = (folder / "cult.toml").read_text("utf-8")
    (folder / "cult.toml").write_text(text[: text.rindex("[[model]]")], "utf-8")
    with pytest.raises(ConfigError, match=r"cult.toml: model is '7 tables'; expected 8: autogun"):
        read_data(folder)


def test_a_file_that_is_no_toml_is_refused(folder: Path) -> None:
    (folder / "cult.toml").write_text("model = [", "utf-8")
    with pytest.raises(ConfigError, match="is no TOML"):
        read_data(folder)
