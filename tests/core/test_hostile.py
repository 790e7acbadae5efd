"""What people and files may get wrong: each gets one typed sentence, and nothing is changed."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

import broodmind
from broodmind.envs.core import replay as replays
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.errors import (
    ConfigError,
    EpisodeOverError,
    IllegalActionError,
    PolicySpecError,
    ReplayError,
    StateError,
    UnplannedRollError,
)
from broodmind.envs.core.positions import check_dice
from broodmind.envs.core.snapshot import pack
from broodmind.envs.core.vec import BatchEnv

RACE = "toy/race-v0"
GAMES = [RACE, "macragge/crash-site-v0", "macragge/rescue-varras-v0"]


def begun(env_id: str = RACE, **settings: Any) -> BoardEnv:
    env = broodmind.make(env_id, **settings)
    env.reset(seed=1)
    return env


def begun_batch(count: int = 4, env_id: str = RACE, **settings: Any) -> BatchEnv:
    batch = broodmind.make_vec(env_id, count, 1, **settings)
    batch.reset()
    return batch


# -- forfeits ----------------------------------------------------------------------------------------------


def everything(env: BoardEnv) -> Any:
    seen = {agent: env.observe(agent)["observation"].tobytes() for agent in env.possible_agents}
    told = (env.agents, env.rewards, env._cumulative_rewards, env.terminations, env.truncations, env.infos)
    return env.states.tobytes(), seen, copy.deepcopy(told), env.agent_selection, env.legal_actions()


@pytest.mark.parametrize("env_id", GAMES)
def test_a_forfeited_game_can_be_kept_in_every_way(env_id: str) -> None:
    env = begun(env_id, illegal_action="forfeit")
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]))
    assert env._ended
    assert env.problems() == []
    for _ in range(3):
        before = everything(env)
        twins = [pickle.loads(pickle.dumps(env)), copy.deepcopy(env), env.clone()]
        loaded = broodmind.make(env_id)
        loaded.load_state(env.save_state())
        for twin in [*twins, loaded]:
            assert everything(twin) == before
            if twin.agents:
                twin.step(None)
        if env.agents:
            env.step(None)
    again = begun(env_id)
    again.from_dict(json.loads(json.dumps(env.to_dict())))
    assert again.states.tobytes() == env.states.tobytes()
    assert again.infos[again.possible_agents[1]]["forfeited_by"] == again.possible_agents[0]
    assert again.legal_actions() == []


def test_a_forfeit_must_be_one() -> None:
    env = begun()
    data = env.to_dict()
    with pytest.raises(StateError, match="forfeited is 1"):
        env.from_dict({**data, "forfeited": 1})
    over = {**data, "core": {**data["core"], "over": True}}
    with pytest.raises(StateError, match="over and forfeited"):
        env.from_dict({**over, "forfeited": True})
    env = begun("macragge/crash-site-v0", illegal_action="forfeit")
    env.step(588)
    env._core["result"] = 2
    with pytest.raises(StateError, match="forfeited by seat 0, so its result is -2"):
        env.load_state(env.save_state())


# -- saved states ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", GAMES)
def test_a_state_of_a_batch_changes_nothing(env_id: str) -> None:
    env = begun(env_id)
    before = everything(env)
    with pytest.raises(StateError, match="hold a batch"):
        env.load_state(begun_batch(1, env_id).save_state())
    with pytest.raises(StateError, match="one game"):
        begun_batch(1, env_id).load_state(env.save_state())
    assert everything(env) == before


@pytest.mark.parametrize(
    "face",
    [
        {"gone": 1},
        {"gone": -1},
        {"gone": True},
        {"gone": "x"},
        {"agents": ["nobody"]},
        {"selection": "nobody", "skip": None},
    ],
)
def test_forged_agents_are_refused(face: dict[str, Any]) -> None:
    env = begun()
    before = everything(env)
    with pytest.raises(StateError, match="impossible things of its agents"):
        env.load_state(pack(env.game, RACE, env.states, face))
    assert everything(env) == before


def garbage(env_id: str, count: int) -> np.ndarray[Any, Any]:
    game = begun(env_id).game
    states = np.frombuffer(
        np.random.default_rng(1).bytes(count * game.state_dtype.itemsize), game.state_dtype
    ).copy()
    core = states["core"]
    core["mission"], core["over"] = game.mission(env_id).number, 0
    return states


@pytest.mark.parametrize("env_id", GAMES[1:])
def test_a_batch_takes_no_impossible_records(env_id: str) -> None:
    batch = begun_batch(2, env_id)
    before = batch.save_state()
    states = garbage(env_id, 2)
    face = {"results": [0, 0], "lengths": [0, 0], "counts": [0, 0]}
    with pytest.raises(StateError, match="position of game 0 is impossible"):
        batch.load_state(pack(batch.game, env_id, states, face))
    states[0] = batch.states[0]
    with pytest.raises(StateError, match="position of game 1 is impossible"):
        batch.set_states(states)
    assert batch.save_state() == before
    seen = batch.observation.copy()
    batch.set_states(batch.states.copy(), check=False)
    assert (batch.observation == seen).all()


@pytest.mark.parametrize(
    "change",
    [{"results": [0]}, {"results": [3, 0]}, {"lengths": [-1, 0]}, {"counts": ["x", 0]}, {"counts": 5}],
)
def test_a_batch_takes_no_forged_ends(change: dict[str, Any]) -> None:
    batch = begun_batch(2)
    face = {"results": [0, 0], "lengths": [0, 0], "counts": [0, 0], **change}
    with pytest.raises(StateError, match="of the episodes that ended"):
        batch.load_state(pack(batch.game, RACE, batch.states, face))


@pytest.mark.parametrize("states", [[1], None, 5])
def test_states_are_an_array(states: Any) -> None:
    with pytest.raises(StateError, match="expected an array of 4 records"):
        begun_batch().set_states(states)


# -- dice --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("env_id", GAMES)
def test_rolls_of_no_die_are_refused(env_id: str) -> None:
    env = begun(env_id)
    for roll in (100, 16, -1):
        with pytest.raises(StateError, match=r"expected whole numbers 0\.\.15"):
            env.feed_dice([roll])
        with pytest.raises(StateError, match=r"expected whole numbers 0\.\.15"):
            env.reset(options={"dice": [roll]})
    assert env.pending_dice == []
    assert check_dice([1, 20], 0, 20) == [1, 20]


@pytest.mark.parametrize("roll", [0, 9])
def test_a_die_that_cannot_show_its_planned_roll_is_not_rolled(roll: int) -> None:
    env = begun("macragge/crash-site-v0", skip_forced=False)
    env.feed_dice([roll])
    before = b""

    def play() -> None:
        nonlocal before
        for _ in range(50):
            before = env.states.tobytes()
            env.step(0)

    with pytest.raises(UnplannedRollError, match=r"die that shows 1\.\.6, and its planned roll is another"):
        play()
    assert env.states.tobytes() == before
    env.from_dict(env.to_dict())
    assert env.pending_dice == [roll]


# -- batches -----------------------------------------------------------------------------------------------


def ended_batch() -> BatchEnv:
    batch = begun_batch(4, keep_final=True)
    while not batch.terminated[0]:
        batch.step(batch.mask.argmax(axis=1))
    return batch


@pytest.mark.parametrize(("game", "seat"), [(-1, 0), (99, 0), (0, 2), (0, -1), (0.5, 0), ("x", 0), (0, True)])
def test_final_observations_exist_for_games_and_seats(game: Any, seat: Any) -> None:
    with pytest.raises(ConfigError, match=r"games 0\.\.3 and seats 0\.\.1"):
        ended_batch().final_observation(game, seat)


def test_games_are_whole_numbers() -> None:
    batch = begun_batch()
    actions = batch.mask.argmax(axis=1)
    for games in (["x"], [0.5], [True], [4], [-1]):
        for call in (
            lambda games=games: batch.step(actions, games),
            lambda games=games: batch.views(games, [1]),
            lambda games=games: batch.restart(games, [1]),
        ):
            with pytest.raises(ConfigError, match="games"):
                call()
    batch.step(actions, [])
    for games, seeds in (([0, 1], [3]), ([0], [2.5]), ([0], [-3]), ([0], [2**64]), ([0], "x"), ([0], -3)):
        with pytest.raises(ConfigError, match="seed"):
            batch.views(games, seeds)


def test_restart_checks_all_seeds_first_and_clears_the_end() -> None:
    batch = ended_batch()
    before = batch.states.tobytes()
    for seeds in ([5, 2**64], [5, -1], [5, 1.5]):
        with pytest.raises(ConfigError, match="seed"):
            batch.restart([0, 1], seeds)
        assert batch.states.tobytes() == before
    assert batch.rewards[0].any()
    batch.restart([0], [2**64 - 1])
    assert not batch.rewards[0].any()
    assert not batch.terminated[0]
    with pytest.raises(ValueError, match="did not end"):
        batch.final_observation(0, 0)


def test_a_batch_plays_its_own_settings_from_the_next_episode_on() -> None:
    far = begun_batch(2, "toy/bluff-v0", max_turns=40)
    saved = far.save_state()
    near = broodmind.make_vec("toy/bluff-v0", 2, 1, max_turns=5)
    near.load_state(saved)
    assert (near.states["core"]["max_turns"] == 40).all()
    near.reset()
    assert (near.states["core"]["max_turns"] == 5).all()
    one = broodmind.make("toy/bluff-v0", max_turns=5)
    one.reset(options={"state": far.game.to_dict(far.states, 0)})
    one.reset()
    assert one.states.tobytes() == near.states[:1].tobytes()
    near.load_state(saved)
    rng = np.random.default_rng(0)
    while not near.episode_count.all():
        near.step((near.mask * rng.random(near.mask.shape)).argmax(axis=1))
        ended = near.episode_count > 0
        assert (near.states["core"]["max_turns"][ended] == 5).all()


def test_a_batch_is_not_pickled() -> None:
    for way in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="save_state"):
            way(begun_batch())


def _step_in_child(batch: BatchEnv, actions: Any, answers: Any) -> None:
    batch.step(actions)
    answers.put(batch.states.tobytes())


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_are_made_anew_after_a_fork() -> None:
    batch = begun_batch(64, num_threads=2)
    actions = batch.mask.argmax(axis=1)
    batch.step(actions)
    actions = batch.mask.argmax(axis=1)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=_step_in_child, args=(batch, actions, answers))
    child.start()
    child.join(30)
    hung = child.is_alive()
    child.kill()
    assert not hung
    batch.step(actions)
    assert answers.get() == batch.states.tobytes()


def test_switches_are_true_or_false() -> None:
    with pytest.raises(ConfigError, match="keep_final='x'"):
        broodmind.make_vec(RACE, 2, keep_final="x")  # type: ignore[arg-type]


# -- single games ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("action", [True, False, np.True_])
def test_a_boolean_is_no_action(action: Any) -> None:
    with pytest.raises(IllegalActionError, match="no whole number"):
        begun().step(action)


@pytest.mark.parametrize("seed", [1.0, np.float64(2), True, "1", -1, 2**64])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(ConfigError, match="seed"):
        begun().reset(seed=seed)


@pytest.mark.parametrize("options", ["x", 5, [1]])
def test_options_are_a_dictionary(options: Any) -> None:
    with pytest.raises(ConfigError, match="dictionary of options"):
        begun().reset(options=options)


def test_odd_agents_are_named() -> None:
    env = begun()
    odd: list[Any] = [["x"], 5, None]
    for agent in odd:
        for call in (env.observation_space, env.action_space, env.observe):
            with pytest.raises(ConfigError, match="has no agent"):
                call(agent)


def test_nobody_is_last_when_all_are_gone() -> None:
    env = begun()
    while env.legal_actions():
        env.step(env.legal_actions()[0])
    env.step(None)
    env.last()
    env.step(None)
    with pytest.raises(EpisodeOverError, match="all agents are gone"):
        env.last()


@pytest.mark.parametrize("opponent", [5, None])
def test_an_opponent_is_a_policy(opponent: Any) -> None:
    with pytest.raises(PolicySpecError, match="expected a policy spec"):
        gymnasium.make(f"broodmind:{RACE}", opponent=opponent)


# -- replays -----------------------------------------------------------------------------------------------


class First:
    spec = "first"

    def choose(self, env: BoardEnv) -> int:
        return env.legal_actions()[0]


@pytest.fixture
def lines(tmp_path: Path) -> list[dict[str, Any]]:
    replay = replays.record(RACE, {"runner_0": First(), "guard_0": First()}, 5)
    return [json.loads(line) for line in replays.to_lines(replay).splitlines()]


def refused(lines: list[Any], path: Path, message: str) -> None:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    with pytest.raises(ReplayError, match=message) as caught:
        replays.read(path)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("text", ["[" * 100_000, "9" * 10_000, '{"kind": ' * 50_000])
@pytest.mark.parametrize("line", [0, 1, -1])
def test_deep_and_large_json_is_refused(lines: list[Any], tmp_path: Path, text: str, line: int) -> None:
    lines[line] = text
    refused(lines, tmp_path / "a", "not JSON|not a replay line")


def test_a_cut_off_deep_line_is_a_cut(lines: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(json.dumps(lines[0]) + "\n" + "[" * 100_000)
    with pytest.raises(ReplayError, match="truncated"):
        replays.read(path)


@pytest.mark.parametrize("option", ["render_mode", "keep_final", "env_id"])
def test_a_replay_sets_rules_only(lines: list[Any], tmp_path: Path, option: str) -> None:
    lines[0]["options"] = {option: "human"}
    refused(lines, tmp_path / "a", f"option '{option}' is no rule of {RACE}")
    replay = replays.record(RACE, {"runner_0": First(), "guard_0": First()}, 5)
    replay.options = {option: "human"}
    with pytest.raises(ReplayError, match="is no rule"):
        next(replays.simulate(replay))
    replay.options = {"nets": 1, "layout": "standard"}
    assert next(replays.simulate(replay, check=False))


@pytest.mark.parametrize("letter", ["\x1b[2J", "\x07", "\u202e", "\x9b", "\n"])
def test_control_characters_are_refused(lines: list[Any], tmp_path: Path, letter: str) -> None:
    for change in (
        lambda: lines[0]["policies"].update(runner_0=letter),
        lambda: lines[0].update(rules=letter),
        lambda: lines[0].update(env=letter),
        lambda: lines[1].update(name=letter),
        lambda: lines[-1].update({letter: 1}),
    ):
        kept = copy.deepcopy(lines)
        change()
        refused(lines, tmp_path / "a", "control characters")
        lines[:] = kept


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action": 14}, r"line 2: action 14 is outside 0\.\.13"),
        ({"action": -1}, r"line 2: action -1 is outside"),
        ({"name": "surrender"}, "the file calls it 'surrender'"),
        ({"agent": "nobody"}, "no agent 'nobody'"),
    ],
)
def test_steps_name_what_there_is(
    lines: list[Any], tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    lines[1].update(change)
    refused(lines, tmp_path / "a", message)


def test_other_rules_are_remarked_on(lines: list[Any], tmp_path: Path) -> None:
    replay = replays.record(RACE, {"runner_0": First(), "guard_0": First()}, 5)
    assert replays.rules_remark(replay) == ""
    replay.rules = "0123456789abcdef"
    assert "other sources of the rules: 0123456789abcdef" in replays.rules_remark(replay)
    assert replays.verify(replay).matches
