"""Games at the terminal, with piped input: choosing, undo, saving, real dice, and the end of the input."""

import json

import pytest
from typer.testing import CliRunner

import broodmind
from broodmind.envs.core import replay as replays
from broodmind.envs.core.errors import ReplayError, UnplannedRollError
from broodmind.scripts.common import TakeBack
from broodmind.scripts.main import app
from broodmind.scripts.players import seat_players
from broodmind.scripts.session import Session


def play(*arguments, lines=()):
    """Play with the given lines as input and return what was shown."""
    result = CliRunner().invoke(
        app, ["play", *map(str, arguments)], input="".join(f"{line}\n" for line in lines)
    )
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def session(people=("runner_0",), against="scripted", env_id="toy/race-v0", seed=4, ask_roll=None, **options):
    env = broodmind.make(env_id, **options)
    specs = {agent: against for agent in env.possible_agents if agent not in people}
    game = Session(env, seat_players(env, specs, seed), options, ask_roll)
    game.begin(seed)
    return game


def named(game, text):
    return game.menu().find(text)


# -- at the terminal


def test_a_whole_game_with_numbers(tmp_path):
    record = tmp_path / "game.jsonl"
    output = play("toy/race-v0", "--seed", 4, "--record", record, lines=["1"] * 9)
    assert "seed 4: you are runner_0 against scripted" in output
    assert "Which lane does the runner take?" in output
    assert "1) lane left lane - The runner takes the left lane" in output
    assert "What happened" in output
    assert "wins (+1)" in output
    assert replays.verify(record).matches
    assert json.loads(record.read_text().splitlines()[0])["policies"]["runner_0"] == "human"


def test_the_same_seed_is_the_same_game():
    first, second = (play("toy/race-v0", "--seed", 9, lines=["1", "1"]) for _ in range(2))
    assert first == second
    assert first != play("toy/race-v0", "--seed", 10, lines=["1", "1"])


def test_two_people_and_the_other_seat():
    output = play("toy/race-v0", "--against", "human", "--seed", 1, lines=["1", "1", "1"])
    assert "against another person" in output
    assert "runner_0>" in output
    assert "guard_0>" in output
    assert "guard_0>" in play("toy/race-v0", "--as", "guard_0", "--seed", 1, lines=["1"])


def test_end_of_input_ends_clean_and_keeps_the_game(tmp_path):
    record = tmp_path / "game.jsonl"
    output = play("toy/race-v0", "--seed", 4, "--record", record, lines=["1"])
    assert "the input has ended; the game is not finished" in output
    assert not replays.read(record).finished
    assert replays.verify(record).matches
    assert "you left the game" in play("toy/race-v0", lines=["quit"])


def test_commands():
    output = play(
        "toy/race-v0",
        "--seed",
        4,
        lines=["help", "board", "list", "all", "", "why", "why throw", "why rest", "why fly", "events"],
    )
    assert "back to your last decision" in output
    assert output.count("nets: 2") == 2
    assert output.count("4) rest") == 3
    assert "say which action" in output
    assert "throw: Now the question is: Which lane does the runner take? (TOY-2)" in output
    assert "rest is legal now" in output
    assert "no action is called 'fly'" in output
    assert output.count("- Turn 1 begins.") == 2


def test_mistakes_change_nothing_and_are_answered():
    output = play("toy/race-v0", "--seed", 4, lines=["99", "throw", "dance", "load nowhere", "save", "load"])
    for answer in (
        "there is no choice 99",
        "'throw' is not legal now",
        "'dance' is no choice",
        "cannot read nowhere",
        "say where",
        "say which",
    ):
        assert answer in output
    assert "Turn 2" not in output


def test_undo_save_and_load(tmp_path):
    saved = tmp_path / "saved.jsonl"
    output = play(
        "toy/race-v0",
        "--seed",
        4,
        lines=["undo", "1", "1", "undo", "undo", f"save {saved}", "1", f"load {saved}", "1"],
    )
    assert "there is nothing to take back" in output
    assert "saved to" in output
    assert len(replays.read(saved).steps) == 0
    again = play("toy/race-v0", "--load", saved, lines=["1"])
    assert "The runner moves" in again


def test_saving_where_nothing_can_be_written_keeps_the_game_going(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    output = play("toy/race-v0", "--seed", 4, lines=[f"save {file}/below", "1"])
    assert "cannot write" in output
    assert "The runner moves" in output


def test_hidden_things_stay_hidden():
    output = play("toy/bluff-v0", "--as", "guard_0", "--seed", 3, lines=["quit"])
    shown = next(line for line in output.splitlines() if line.startswith("hands:"))
    assert shown.split()[1] == "?"


def test_real_dice_are_asked_for_as_they_are_needed(tmp_path):
    record = tmp_path / "dice.jsonl"
    output = play(
        "toy/race-v0",
        "--layout",
        "standard",
        "--seed",
        4,
        "--dice",
        "manual",
        "--record",
        record,
        lines=["lane left lane", "seven", "9", "6", "rest"],
    )
    assert output.count("roll a die (1 to 6)") == 3
    assert "The net: ..." in output
    assert "'9' is no such roll; type a number from 1 to 6" in output
    assert "The net: 6." in output
    assert "The runner is caught." in output
    assert replays.verify(record).matches
    assert any(step.dice == (6,) for step in replays.read(record).steps)


MANUAL = ("toy/race-v0", "--layout", "standard", "--seed", 4, "--dice", "manual")


def test_commands_work_while_dice_are_asked_for(tmp_path):
    record = tmp_path / "dice.jsonl"
    lines = ["lane left lane", "help", "undo", "lane left lane", "2", "quit"]
    output = play(*MANUAL, "--record", record, lines=lines)
    assert "back to your last decision" in output
    assert output.count("\nWhich lane does the runner take?") == 3
    assert "is no such roll" not in output
    assert "you left the game" in output
    assert replays.verify(record).matches
    output = play(*MANUAL, lines=["lane left lane", "quit"])
    assert "you left the game; the game is not finished" in output
    # the set-up of this game rolls dice, too
    output = play("toy/bluff-v0", "--dice", "manual", lines=["3", "undo", "5", "1", "quit"])
    assert output.count("The board is being set up") == 1
    assert output.count("roll a die") == 4
    assert "before it had begun" in play("toy/bluff-v0", "--dice", "manual", lines=["3", "quit"])


def test_taking_back_while_dice_are_asked_for_changes_nothing():
    def ask(roll):
        raise TakeBack

    game = session(layout="standard", people=("runner_0", "guard_0"), ask_roll=ask)
    game.act(named(game, "left"))
    game.advance()
    before = game.env.save_state()
    with pytest.raises(TakeBack):
        game.act(named(game, "throw"))
    assert game.env.save_state() == before
    assert game.take_back()
    assert game.env.save_state() == before
    assert replays.verify(game.recorder.replay).matches


def test_long_input_is_answered_briefly():
    output = play("toy/race-v0", "--seed", 4, lines=["a" * 100_000, "9" * 100_000, "why " + "b" * 100_000])
    assert len(output) < 5_000
    assert "(100,000 characters)" in output


def test_the_seed_of_a_loaded_game_is_told(tmp_path):
    path = session(seed=17).save(tmp_path / "saved.jsonl")
    assert "seed 17: you are runner_0" in play("toy/race-v0", "--load", path, lines=["quit"])


def test_help_tells_steps_from_distances():
    assert "a step is half an inch" in play("toy/race-v0", lines=["help", "quit"])


def test_end_of_input_while_dice_are_asked_for(tmp_path):
    record = tmp_path / "dice.jsonl"
    arguments = ("toy/race-v0", "--layout", "standard", "--dice", "manual", "--record", record)
    assert "the input has ended" in play(*arguments, lines=["lane left lane"])
    assert len(replays.read(record).steps) == 1
    assert "the input has ended" in play("toy/bluff-v0", "--dice", "manual", lines=["3"])


# -- the session itself


def test_undo_comes_back_to_the_same_bytes_and_the_same_dice():
    game = session()
    seen = [game.env.save_state()]
    for _ in range(2):
        game.act(named(game, "1"))
        game.advance()
        seen.append(game.env.save_state())
    assert game.undo()
    assert game.env.save_state() == seen[1]
    assert game.undo()
    assert game.env.save_state() == seen[0]
    assert not game.undo()
    game.act(named(game, "1"))
    game.advance()
    assert game.env.save_state() == seen[1]
    assert replays.verify(game.recorder.replay).matches


def test_undo_after_dice_of_people_asks_for_them_again():
    asked = []

    def ask(roll):
        asked.append(roll)
        return 2

    game = session(layout="standard", ask_roll=ask)
    game.act(named(game, "left"))
    game.advance()
    assert len(asked) == 1
    assert game.undo()
    game.act(named(game, "left"))
    game.advance()
    assert len(asked) == 2
    assert replays.verify(game.recorder.replay).matches


def test_the_die_wanted_and_what_is_certain_before_it():
    asked = []

    def ask(roll):
        asked.append(roll)
        return 1 + len(asked)

    game = session(people=("runner_0", "guard_0"), env_id="toy/bluff-v0", ask_roll=ask)
    assert [roll.before for roll in asked] == [("The board is being set up.",)] * 2
    game.act(named(game, "claim small"))
    game.act(named(game, "fold"))
    assert (asked[2].low, asked[2].high) == (1, 6)
    assert asked[2].before == ("runner_0 scores 1.", "Turn 2 begins.")
    assert game.env.states["hand"][0].tolist() == [4, 5]


def test_what_a_roll_is_for_and_what_its_numbers_mean():
    asked = []

    def ask(roll):
        asked.append(roll)
        return 5

    game = session(layout="standard", people=("runner_0", "guard_0"), ask_roll=ask)
    game.act(named(game, "left"))
    game.act(named(game, "throw"))
    assert asked[0].purpose == "The net:"
    assert asked[0].outcomes == ("1", "2", "3", "4", "5", "6")


def test_asking_for_a_roll_changes_nothing():
    game = session(layout="standard", people=("runner_0", "guard_0"), ask_roll=lambda roll: 4)
    game.act(named(game, "left"))
    before = game.env.save_state()

    def give_up(roll):
        assert game.env.save_state() == before
        raise EOFError

    game.ask_roll = give_up
    with pytest.raises(EOFError):
        game.act(named(game, "throw"))
    assert game.env.save_state() == before
    game.ask_roll = None
    with pytest.raises(UnplannedRollError):
        game.act(named(game, "throw"))


def test_loading_a_game_of_another_environment_is_refused(tmp_path):
    path = session(people=("runner_0", "guard_0"), env_id="toy/bluff-v0").save(tmp_path / "bluff.jsonl")
    game = session()
    with pytest.raises(ReplayError, match=r"play toy/bluff-v0"):
        game.load(path)
    assert not game.over
    game.act(named(game, "1"))


def test_loaded_games_go_on_as_they_were(tmp_path):
    game = session()
    game.act(named(game, "1"))
    game.advance()
    path = game.save(tmp_path / "saved.jsonl")
    twin = session(seed=99)
    twin.load(path)
    assert twin.env.save_state() == game.env.save_state()
    assert twin.sentences == game.sentences
    twin.act(named(twin, "1"))
    twin.advance()
    assert replays.verify(twin.recorder.replay).matches


@pytest.mark.parametrize("spec", ["random", "scripted", "search:4"])
def test_policies_of_every_kind_can_play(spec):
    game = session(people=(), against=spec)
    told = game.advance()
    assert game.over
    assert {agent for agent, _ in told} == {"runner_0", "guard_0"}
    assert game.recorder.replay.policies == {"runner_0": spec, "guard_0": spec}
    assert replays.verify(game.recorder.replay).matches
