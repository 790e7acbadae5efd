from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.errors import (
    ConfigError,
    EpisodeOverError,
    IllegalActionError,
    StateError,
    UnplannedRollError,
)


@pytest.fixture
def env() -> BoardEnv:
    env = broodmind.make("toy/race-v0", layout="standard")
    env.reset(seed=1)
    return env


def play_out(env: BoardEnv) -> None:
    while env.legal_actions():
        env.step(env.legal_actions()[0])


# -- order of calls ----------------------------------------------------------------------------------------


def test_nothing_can_be_asked_before_reset() -> None:
    env = broodmind.make("toy/race-v0", render_mode="ansi")
    for name in ("rewards", "agents", "agent_selection", "num_agents", "infos"):
        with pytest.raises(AttributeError, match=f"{name} cannot be accessed before reset"):
            getattr(env, name)
    agent = env.possible_agents[0]
    for call in (
        lambda: env.step(0),
        lambda: env.observe(agent),
        env.render,
        env.state,
        env.agent_iter,
        env.legal_actions,
        env.save_state,
        env.to_dict,
    ):
        with pytest.raises(AssertionError, match="reset\\(\\) needs to be called before"):
            call()
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = env.nonsense


def test_a_loop_over_agents_must_step(env: BoardEnv) -> None:
    with pytest.raises(AssertionError, match="need to call step"):
        for _ in env.agent_iter():
            pass


def test_dead_agents_step_none_and_leave(env: BoardEnv) -> None:
    play_out(env)
    assert all(env.terminations.values())
    assert sorted(env.rewards.values()) == [-1.0, 1.0]
    with pytest.raises(EpisodeOverError, match="call reset"):
        env.step(0)
    for left in (1, 0):
        env.step(None)
        assert env.num_agents == left
    env.step(None)  # PettingZoo warns only
    with pytest.raises(EpisodeOverError):
        env.step(0)
    env.reset()
    assert env.agents == env.possible_agents


# -- actions ------------------------------------------------------------------------------------------------


def test_an_illegal_action_is_refused_with_its_clause(env: BoardEnv) -> None:
    before = env.state_hash()
    with pytest.raises(IllegalActionError, match=r"'throw' is not legal now: .*\(TOY-2\)") as caught:
        env.step(env.parse_action("throw"))
    assert (caught.value.action, caught.value.clause) == (5, "TOY-2")
    assert env.state_hash() == before
    mistakes: list[tuple[Any, str]] = [
        (14, "outside 0..13"),
        (-1, "outside"),
        (1.0, "no whole number"),
        (None, "None"),
    ]
    for action, message in mistakes:
        for mode in ("raise", "noop", "forfeit"):
            other = broodmind.make("toy/race-v0", illegal_action=mode)
            other.reset(seed=1)
            with pytest.raises(IllegalActionError, match=message):
                other.step(action)


def test_forfeit_loses_at_once() -> None:
    env = broodmind.make("toy/race-v0", illegal_action="forfeit")
    env.reset(seed=1)
    env.step(5)
    assert env.rewards == {"runner_0": -1.0, "guard_0": 1.0}
    assert env.terminations == {"runner_0": True, "guard_0": True}
    assert env.infos["guard_0"]["forfeited_by"] == "runner_0"
    assert env.legal_actions() == []


def test_noop_asks_again() -> None:
    env = broodmind.make("toy/race-v0", illegal_action="noop")
    env.reset(seed=1)
    before = env.state_hash()
    env.step(5)
    assert env.state_hash() == before
    assert env.events() == []
    assert env.agent_selection == "runner_0"


def test_names_go_both_ways_and_near_misses_get_a_hint(env: BoardEnv) -> None:
    assert env.describe_action(1) == "lane left lane"
    assert env.parse_action("  LANE   Left lane ") == 1
    assert env.parse_action("4") == 4
    with pytest.raises(IllegalActionError, match="perhaps you meant 'lane right lane'"):
        env.parse_action("lane rihgt lane")
    assert "2 squares" in env.label_action(1)
    reason = env.explain_action(5)
    assert reason is not None
    assert reason.clause == "TOY-2"
    assert env.explain_action(1) is None


def test_events_cover_forced_decisions_and_the_last_step_only(env: BoardEnv) -> None:
    assert [event.kind for event in env.events()] == ["turn_began"]
    env.step(env.parse_action("lane middle lane"))
    assert [event.sentence for event in env.events()] == ["The runner moves from square 0 to 1."]
    env.step(env.parse_action("close left lane"))
    assert [event.kind for event in env.events()] == ["closed", "turn_began"]


def test_observing_is_for_agents_only(env: BoardEnv) -> None:
    with pytest.raises(ConfigError, match=r"has no agent 'runner_1'.*perhaps you meant 'runner_0'"):
        env.observe("runner_1")
    assert not env.observe("guard_0")["action_mask"].any()
    assert env.observe("runner_0")["action_mask"].sum() == 4
    mine = env.observe("runner_0")
    mine["action_mask"][:] = 0
    mine["observation"][:] = 9
    assert env.observe("runner_0")["action_mask"].sum() == 4


# -- dice ---------------------------------------------------------------------------------------------------


def test_planned_dice_come_first_and_in_order(env: BoardEnv) -> None:
    env.reset(seed=1, options={"dice": [6], "strict": True})
    env.feed_dice([1, 2])
    assert env.pending_dice == [6, 1, 2]
    env.step(env.parse_action("lane left lane"))
    env.step(env.parse_action("throw"))
    assert [event.kind for event in env.events()] == ["rolled", "caught", "moved"]
    assert env.pending_dice == [1, 2]


def test_an_unplanned_roll_is_refused_in_strict_mode(env: BoardEnv) -> None:
    env.reset(seed=1, options={"strict": True})
    env.step(env.parse_action("lane left lane"))
    before, events = env.save_state(), env.events()
    with pytest.raises(UnplannedRollError, match="'throw' needed a roll that was not planned"):
        env.step(env.parse_action("throw"))
    assert env.save_state() == before
    assert env.events() == events
    env.feed_dice([1])
    env.step(env.parse_action("throw"))
    bluff = broodmind.make("toy/bluff-v0")
    with pytest.raises(UnplannedRollError, match="setting up the board"):
        bluff.reset(options={"strict": True})
    with pytest.raises(AttributeError, match="before reset"):
        _ = bluff.agents
    bluff.reset(options={"strict": True, "dice": [2, 5]})
    assert bluff.to_dict()["hand"] == [2, 5]


@pytest.mark.parametrize("rolls", [[1, "2"], 3, "12", [500], [True], [1] * 97])
def test_impossible_dice_are_refused(env: BoardEnv, rolls: object) -> None:
    with pytest.raises(StateError):
        env.feed_dice(rolls)  # type: ignore[arg-type]
    with pytest.raises(StateError):
        env.reset(options={"dice": rolls})
    assert env.pending_dice == []


# -- episodes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "one", True])
def test_bad_seeds_are_refused(env: BoardEnv, seed: object) -> None:
    with pytest.raises(ConfigError, match="seed="):
        env.reset(seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [0, 2**63, 2**64 - 1, np.int64(5)])
def test_every_64_bit_seed_is_exact(seed: int) -> None:
    hashes = set()
    for _ in range(2):
        env = broodmind.make("toy/bluff-v0")
        env.reset(seed=seed)
        assert env.episode_seed == seed
        env.reset()
        hashes.add(env.state_hash())
    assert len(hashes) == 1


def test_unknown_reset_options_are_named_and_change_nothing(env: BoardEnv) -> None:
    before = env.state_hash()
    for options, message in (
        ({"dise": [1]}, "no option 'dise', perhaps you meant 'dice'"),
        ({"layout": "book"}, "layout='book'"),
        ({"strict": 1}, "strict=1"),
        ({"layout": "random", "state": env.to_dict()}, "not both"),
    ):
        with pytest.raises(ConfigError, match=message):
            env.reset(options=options)
    assert env.state_hash() == before


def test_a_layout_is_for_one_episode(env: BoardEnv) -> None:
    env.reset(seed=1, options={"layout": "random"})
    assert env.to_dict()["core"]["layout"] == "random"
    env.reset()
    assert env.to_dict()["core"]["layout"] == "standard"


def test_max_turns_truncates_without_a_winner() -> None:
    env = broodmind.make("toy/bluff-v0", max_turns=1)
    env.reset(seed=3)
    play_out(env)
    assert env.truncations == {"runner_0": True, "guard_0": True}
    assert env.rewards == {"runner_0": 0.0, "guard_0": 0.0}


# -- positions ----------------------------------------------------------------------------------------------


def test_reset_takes_positions_as_dictionary_and_bytes(env: BoardEnv) -> None:
    env.step(env.parse_action("lane left lane"))
    other = broodmind.make("toy/race-v0")
    for state in (env.to_dict(), env.save_state()):
        other.reset(options={"state": state})
        assert other.state_hash() == env.state_hash()
        assert other.agent_selection == "guard_0"
    other.reset(seed=9, options={"state": env.to_dict(), "dice": [4]})
    assert other.episode_seed == 9
    assert other.pending_dice == [4]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"square": 12}, "off the track"),
        ({"phase": "SLEEP"}, "phase is 'SLEEP'"),
        ({"hats": 3}, "no field 'hats'"),
        ({"square": "three"}, "square is missing or no number"),
        ({"core": {"environment": "chess"}}, "core environment is 'chess'"),
        ({"core": 5}, "a position needs"),
    ],
)
def test_impossible_positions_are_refused(env: BoardEnv, change: dict[str, object], message: str) -> None:
    before = env.state_hash()
    data = {**env.to_dict(), **change}
    with pytest.raises(StateError, match=message):
        env.from_dict(data)
    with pytest.raises(StateError, match=message):
        env.reset(options={"state": data})
    assert env.state_hash() == before


def test_positions_of_other_missions_are_refused(env: BoardEnv) -> None:
    other = broodmind.make("toy/bluff-v0")
    other.reset(seed=1)
    with pytest.raises(StateError, match="the position is of 'toy/bluff-v0', this environment is 'toy/race"):
        env.from_dict(other.to_dict())


@pytest.mark.parametrize("key", ["turn", "to_act", "dice", "generator", "layout", "skip_forced", "result"])
def test_the_head_of_a_position_is_checked(env: BoardEnv, key: str) -> None:
    data = env.to_dict()
    data["core"][key] = "nonsense"
    with pytest.raises(StateError, match=r"core|dice"):
        env.from_dict(data)


def test_damaged_and_foreign_bytes_are_refused(env: BoardEnv) -> None:
    saved = env.save_state()
    foreign = broodmind.make("toy/bluff-v0")
    foreign.reset(seed=1)
    batch = broodmind.make_vec("toy/race-v0", 2, 1)
    batch.reset()
    before = env.state_hash()
    flipped = bytearray(saved)
    flipped[-50] ^= 1
    for data, message in (
        (b"", "no saved state"),
        (b"PK\x03\x04" + saved, "no saved state"),
        (saved[:-5], "damaged"),
        (bytes(flipped), "damaged"),
        (foreign.save_state(), "is of 'toy/bluff-v0'"),
        (batch.save_state(), "holds 2 games"),
        (pickle.dumps(1), "no saved state"),
        (None, "no saved state"),
        (7, "is bytes"),
    ):
        with pytest.raises(StateError, match=message):
            env.load_state(data)  # type: ignore[arg-type]
    assert env.state_hash() == before
    env.load_state(saved)


def test_saved_states_keep_the_end_of_a_game(env: BoardEnv) -> None:
    play_out(env)
    env.step(None)
    other = broodmind.make("toy/race-v0")
    other.load_state(env.save_state())
    assert (other.agents, other.rewards, other.agent_selection) == (
        env.agents,
        env.rewards,
        env.agent_selection,
    )
    other.step(None)
    assert other.agents == []


def test_copies_keep_dice_spaces_and_settings(env: BoardEnv) -> None:
    env.feed_dice([5, 5])
    env.action_space("runner_0").seed(4)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.pending_dice == [5, 5]
        assert twin.settings == env.settings
        mine = copy.deepcopy(env.action_space("runner_0"))
        assert [twin.action_space("runner_0").sample() for _ in range(9)] == [mine.sample() for _ in range(9)]
    fresh = copy.deepcopy(broodmind.make("toy/race-v0", nets=4))
    fresh.reset()
    assert fresh.to_dict()["nets"] == 4


def test_reseeded_clones_foresee_nothing(env: BoardEnv) -> None:
    env.feed_dice([6] * 4)
    env.step(env.parse_action("lane left lane"))
    caught = 0
    for seed in range(200):
        clone = env.clone(reseed=seed)
        clone.step(clone.parse_action("throw"))
        caught += "caught" in [event.kind for event in clone.events()]
    assert 70 < caught < 130
    assert env.pending_dice == [6] * 4


def test_the_whole_state_has_a_layout(env: BoardEnv) -> None:
    numbers, layout = env.state(), env.state_layout()
    assert numbers.dtype == np.float32
    names = [name for name, _ in layout]
    assert "core.turn" in names
    assert "core.key" not in names
    at = sum(int(np.prod(shape)) for _, shape in layout[: names.index("nets")])
    assert numbers[at] == 2
    assert env.state_space.contains(numbers)


# -- pictures -----------------------------------------------------------------------------------------------


def test_render_modes_return_what_they_say() -> None:
    kinds = {"svg": str, "ansi": str, "rgb_array": np.ndarray}
    for mode, kind in kinds.items():
        env = broodmind.make("toy/bluff-v0", render_mode=mode)
        env.reset(seed=2)
        picture = env.render()
        assert isinstance(picture, kind)
        env.close()
        env.close()
    seen = env.text_board("runner_0")
    assert "hands: 1 ?" in seen
    assert "hands: 1 5" in env.text_board()
