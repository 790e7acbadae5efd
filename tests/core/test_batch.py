from __future__ import annotations

import numpy as np
import pytest

import broodmind
from broodmind.envs.core.chunks import chunks_of
from broodmind.envs.core.errors import ConfigError, IllegalActionError, StateError
from broodmind.envs.core.vec import BatchEnv, first_seed


def legal_actions(batch: BatchEnv, choose: np.random.Generator) -> np.ndarray:
    return (batch.mask * choose.random(batch.mask.shape)).argmax(axis=1)


@pytest.fixture
def batch() -> BatchEnv:
    batch = broodmind.make_vec("toy/race-v0", 8, seed=3)
    batch.reset()
    return batch


@pytest.mark.parametrize(("name", "value"), [("num_envs", 0), ("num_envs", 2.5), ("num_threads", 0)])
def test_bad_sizes_are_refused(name: str, value: object) -> None:
    with pytest.raises(ConfigError, match=name):
        broodmind.make_vec("toy/race-v0", **{"num_envs": 2, name: value})  # type: ignore[arg-type]


def test_a_batch_must_be_reset_first() -> None:
    with pytest.raises(RuntimeError, match="reset"):
        broodmind.make_vec("toy/race-v0", 2, 1).step(np.zeros(2, int))


def test_the_seed_decides_and_reset_goes_on(batch: BatchEnv) -> None:
    first = batch.states.tobytes()
    batch.reset()
    following = batch.states.tobytes()
    assert following != first
    batch.reset(seed=3)
    assert batch.states.tobytes() == first
    twin = broodmind.make_vec("toy/race-v0", 5, seed=3)
    twin.reset()
    assert twin.states.tobytes() == batch.states[:5].tobytes()
    unseeded = [broodmind.make_vec("toy/race-v0", 1) for _ in range(2)]
    for one in unseeded:
        one.reset()
    assert unseeded[0].states["core"]["key"] != unseeded[1].states["core"]["key"]


def test_ends_are_booked_and_games_go_on(batch: BatchEnv) -> None:
    choose = np.random.default_rng(0)
    ended = 0
    while ended < 20:
        batch.step(legal_actions(batch, choose))
        over = batch.terminated | batch.truncated
        ended += int(over.sum())
        assert (batch.rewards.sum(axis=1) == 0).all()
        assert ((batch.rewards[:, 0] != 0) <= batch.terminated).all()
        assert (batch.episode_result[over] / 2 == batch.rewards[over, 0]).all()
        assert batch.mask.any(axis=1).all()
        assert not batch.states["core"]["over"].any()
    assert batch.episode_count.sum() == ended
    assert (batch.episode_length[batch.episode_count > 0] > 0).all()


def test_an_illegal_action_is_refused_and_nothing_happens(batch: BatchEnv) -> None:
    actions = batch.mask.argmax(axis=1)
    before = batch.states.tobytes()
    for wrong, message in (
        (12, r"'call' is not legal in game 5 now: .*\(TOY-2\)"),
        (99, "of game 5 is outside"),
    ):
        actions[5] = wrong
        with pytest.raises(IllegalActionError, match=message) as caught:
            batch.step(actions)
        assert caught.value.action == wrong
    with pytest.raises(IllegalActionError, match="one action per game"):
        batch.step(actions[:3])
    with pytest.raises(IllegalActionError, match="one action per game"):
        batch.step(actions.astype(float))
    assert batch.states.tobytes() == before
    batch.step(actions, games=[0, 1])  # the wrong action is not of these games
    with pytest.raises(IllegalActionError, match="game 5"):
        batch.step(actions, games=[0, 5])


def test_noop_and_forfeit() -> None:
    for mode in ("noop", "forfeit"):
        batch = broodmind.make_vec("toy/race-v0", 4, 1, illegal_action=mode, keep_final=True)
        batch.reset()
        before = batch.states.copy()
        actions = batch.mask.argmax(axis=1)
        actions[2] = 12
        batch.step(actions)
        assert (batch.states[[0, 1, 3]] != before[[0, 1, 3]]).all()
        if mode == "noop":
            assert batch.states[2] == before[2]
            assert not batch.terminated.any()
        else:
            assert batch.terminated.tolist() == [False, False, True, False]
            assert batch.rewards[2].tolist() == [-1, 1]
            assert batch.states[2]["core"]["key"] != before[2]["core"]["key"]
            assert batch.final_observation(2, 0)[1] == 0  # nobody is to act


def test_games_can_be_stepped_and_restarted_alone(batch: BatchEnv) -> None:
    before = batch.states.copy()
    rows = batch.observation.copy()
    batch.step(batch.mask.argmax(axis=1), games=[1, 6])
    same = [k for k in range(8) if k not in (1, 6)]
    assert (batch.states[same] == before[same]).all()
    assert (batch.observation[same] == rows[same]).all()
    assert (batch.states[[1, 6]] != before[[1, 6]]).all()
    batch.restart([1], np.array([2**63 + 5], np.uint64))
    env = broodmind.make("toy/race-v0")
    env.reset(seed=2**63 + 5)
    assert env.states[0] == batch.states[1]
    with pytest.raises(ConfigError, match="one seed per game"):
        batch.restart([1, 2], [3])
    for wrong in (lambda: batch.restart([8], [3]), lambda: batch.views([-1], 3)):
        with pytest.raises(ConfigError, match=r"games 0\.\.7"):
            wrong()
    fresh = broodmind.make_vec("toy/race-v0", 3, 1)
    fresh.restart([1], [5])
    assert fresh.mask.any(axis=1).all()


def test_the_last_observation_can_be_asked_for() -> None:
    batch = broodmind.make_vec("toy/race-v0", 4, 1)
    batch.reset()
    with pytest.raises(ConfigError, match="keep_final"):
        batch.final_observation(0, 0)
    batch = broodmind.make_vec("toy/race-v0", 4, 1, keep_final=True)
    batch.reset()
    with pytest.raises(ValueError, match="did not end"):
        batch.final_observation(0, 0)


def test_views_hide_what_the_seat_must_not_know() -> None:
    batch = broodmind.make_vec("toy/bluff-v0", 64, 1)
    batch.reset()
    games = np.arange(10, 60)
    views = batch.views(games, 5)
    assert (views["hand"][:, 0] == batch.states["hand"][games, 0]).all()
    assert (views["hand"][:, 1] != batch.states["hand"][games, 1]).any()
    assert len(set(views["core"]["key"].tolist())) == len(games)
    assert batch.views(games, np.arange(50))["core"]["key"].tolist() == list(range(50))


def test_states_go_in_and_out(batch: BatchEnv) -> None:
    choose = np.random.default_rng(1)
    for _ in range(20):
        batch.step(legal_actions(batch, choose))
    saved = batch.save_state()
    other = broodmind.make_vec("toy/race-v0", 8, 99)
    other.load_state(saved)
    assert other.episode_count.tolist() == batch.episode_count.tolist()
    for _ in range(20):
        actions = legal_actions(batch, choose)
        batch.step(actions)
        other.step(actions)
        for name in ("states", "observation", "mask", "seat", "rewards", "terminated"):
            assert getattr(other, name).tobytes() == getattr(batch, name).tobytes()
    one = broodmind.make("toy/race-v0")
    one.reset(seed=1)
    for data in (saved[:-1], one.save_state(), b"x"):
        with pytest.raises(StateError):
            batch.load_state(data)
    with pytest.raises(StateError, match="expected 8 records"):
        batch.set_states(batch.states[:3])
    over = batch.states.copy()
    over["core"]["over"][2] = 1
    with pytest.raises(StateError, match="over"):
        batch.set_states(over)


def test_threads_stop_with_the_batch() -> None:
    with broodmind.make_vec("toy/race-v0", 64, 1, num_threads=2) as batch:
        batch.reset()
        batch.step(batch.mask.argmax(axis=1))
    batch.step(batch.mask.argmax(axis=1))
    batch.close()


@pytest.mark.parametrize(("games", "threads"), [(16, 1), (32, 2), (33, 2), (1000, 2), (1024, 16), (5, 3)])
def test_chunks_hold_every_game_once_and_leave_no_thread_idle(games: int, threads: int) -> None:
    chunks = chunks_of(games, threads)
    assert [game for start, stop in chunks for game in range(start, stop)] == list(range(games))
    sizes = [stop - start for start, stop in chunks]
    assert len(sizes) >= threads
    assert sizes[:-1] == sorted(sizes[:-1], reverse=True)


def test_first_seeds_differ_between_games_and_batches() -> None:
    seeds = {first_seed(seed, game) for seed in range(20) for game in range(20)}
    assert len(seeds) == 400


# -- several missions --

BOTH = ("toy/race-v0", "toy/bluff-v0")


def test_games_of_a_mixed_batch_go_as_those_of_batches_of_one_mission() -> None:
    mixed = broodmind.make_vec(BOTH, 9, seed=3, num_threads=1)
    single = [broodmind.make_vec(env_id, 9, seed=3, num_threads=1) for env_id in BOTH]
    assert mixed.mission_of.tolist() == [0, 1, 0, 1, 0, 1, 0, 1, 0]
    for batch in (mixed, *single):
        batch.reset()
    names = ("states", "observation", "mask", "seat", "rewards", "terminated", "truncated", "episode_result")
    for step in range(60):
        for name in names:
            arrays = [np.asarray(getattr(batch, name)) for batch in single]
            for k, mission in enumerate(mixed.mission_of):
                assert np.asarray(getattr(mixed, name))[k].tobytes() == arrays[mission][k].tobytes(), (
                    step,
                    name,
                )
        for batch in (mixed, *single):
            batch.step(legal_actions(batch, np.random.default_rng(step)))  # the same in the same position
    assert (mixed.episode_count > 0).all()
    mixed.restart([0, 1], [5, 5])
    assert mixed.states["core"]["mission"].tolist()[:2] == [1, 2]


def test_states_of_a_mixed_batch_stay_with_their_mission() -> None:
    batch, twin = (broodmind.make_vec(BOTH, 4, seed=seed) for seed in (3, 4))
    batch.reset()
    twin.load_state(batch.save_state())
    assert twin.states.tobytes() == batch.states.tobytes()
    with pytest.raises(StateError, match=r"not of the mission of their game: game 0 plays 'toy/race-v0'"):
        batch.set_states(np.roll(np.asarray(batch.states), 1))
    with pytest.raises(StateError, match="'toy/race-v0,toy/bluff-v0'"):
        broodmind.make_vec("toy/race-v0", 4, seed=3).load_state(batch.save_state())


def test_a_mixed_batch_needs_missions_of_one_game_and_a_game_for_each() -> None:
    with pytest.raises(ConfigError, match="a game for each of 2 missions"):
        broodmind.make_vec(BOTH, 1)
    with pytest.raises(ConfigError, match=r"toy/race-v0 and macragge/crash-site-v0 cannot share a policy"):
        broodmind.make_vec(("toy/race-v0", "macragge/crash-site-v0"), 2)
    with pytest.raises(ConfigError, match="no environment is named"):
        broodmind.make_vec((), 2)
    with pytest.raises(ConfigError, match="bluff-v0 has no option 'nets'"):
        broodmind.make_vec(BOTH, 2, nets=1)
