from typing import Any

import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

import broodmind
from broodmind.agents.specs import make_policy
from broodmind.envs.core.errors import StateError
from broodmind.training.vec_env import LearnerVecEnv, Opponent, by_opponent

RACE, BLUFF = "toy/race-v0", "toy/bluff-v0"


def opponents(env_id, agent, *specs):
    return [Opponent(spec, make_policy(spec, env_id, agent)) for spec in specs]


def make(env_id=RACE, agent="runner_0", games=8, specs=("scripted", "random"), **options):
    other = "guard_0" if agent == "runner_0" else "runner_0"
    first = env_id if isinstance(env_id, str) else env_id[0]
    return LearnerVecEnv(
        env_id, agent, games, opponents(first, other, *specs), seed=3, num_threads=1, **options
    )


def choose(env, rng):
    masks = get_action_masks(env)
    return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])


@pytest.mark.parametrize("env_id", [RACE, BLUFF])
@pytest.mark.parametrize("agent", ["runner_0", "guard_0"])
def test_the_learner_is_always_to_move(env_id, agent):
    env = make(env_id, agent)
    rng = np.random.default_rng(0)
    observations = env.reset()
    for _ in range(60):
        assert (env.batch.seat == env.learner_seat).all()
        np.testing.assert_array_equal(observations[:, 0], 1.0 - env.learner_seat)  # "is_runner"
        np.testing.assert_array_equal(observations[:, 1], 1.0)  # "to_act"
        observations, rewards, dones, infos = env.step(choose(env, rng))
        assert len(infos) == env.num_envs
        assert (rewards[~dones] == 0).all()
    assert env.statistics.lengths


def test_wins_losses_and_terminal_observations_are_the_learners():
    rng = np.random.default_rng(1)
    seen = {"win": 0, "loss": 0}
    env = make(RACE, "guard_0", games=16)
    env.reset()
    for _ in range(80):
        _, rewards, dones, infos = env.step(choose(env, rng))
        for k in np.flatnonzero(dones):
            info = infos[k]
            assert info["episode"]["r"] == rewards[k]
            assert info["opponent"] in {"scripted", "random"}
            final = info["terminal_observation"]
            assert final[0] == 0.0  # the guard's view
            assert final[1] == 0.0  # nobody is to move
            finished = final[9] * 8 >= 6  # the runner's square at the end
            assert rewards[k] == (-1.0 if finished else 1.0)
            seen["loss" if finished else "win"] += 1
        for k in np.flatnonzero(~dones):
            assert infos[k] == {}
    assert min(seen.values()) > 5


def test_truncation_is_told_with_the_last_observation():
    env = make(BLUFF, "runner_0", max_turns=1)
    env.reset()
    rng = np.random.default_rng(2)
    truncated = 0
    for _ in range(20):
        _, rewards, dones, infos = env.step(choose(env, rng))
        for k in np.flatnonzero(dones):
            if infos[k]["TimeLimit.truncated"]:
                truncated += 1
                assert rewards[k] == 0.0
                assert infos[k]["terminal_observation"][2] * 8 >= 1  # the turn, not that of a new episode
    assert truncated


def test_folded_games_equal_single_games():
    """One game of the batch, move by move, against a plain loop over both seats."""
    vec = LearnerVecEnv(RACE, "runner_0", 1, opponents(RACE, "guard_0", "scripted"), seed=11, num_threads=1)
    observation: Any = vec.reset()
    plain = broodmind.make_vec(RACE, 1, seed=11, num_threads=1)
    plain.reset()
    scripted = make_policy("scripted", RACE, "guard_0")
    rng = np.random.default_rng(5)
    for _ in range(40):
        np.testing.assert_array_equal(observation, plain.observation)
        action = choose(vec, rng)
        observation, reward, done, _ = vec.step(action)
        plain.step(action)
        total, over = plain.rewards[0, 0], plain.terminated[0]
        while plain.seat[0] == 1:
            views = plain.views(np.array([0]), np.array([9]))  # scripted needs no chance in the race
            plain.step(scripted.act_batch(plain.observation, plain.mask, rng, views))
            total, over = total + plain.rewards[0, 0], over | plain.terminated[0]
        assert reward[0] == total
        assert done[0] == over


def test_returned_arrays_outlive_the_next_step():
    env = make()
    first = env.reset()
    kept = first.copy()
    rng = np.random.default_rng(0)
    _, rewards, dones, _ = env.step(choose(env, rng))
    kept_rewards = rewards.copy(), dones.copy()
    for _ in range(5):
        env.step(choose(env, rng))
    np.testing.assert_array_equal(first, kept)
    np.testing.assert_array_equal(rewards, kept_rewards[0])
    np.testing.assert_array_equal(dones, kept_rewards[1])


def test_masking_is_found_by_sb3_contrib():
    env = make()
    env.reset()
    assert is_masking_supported(env)
    np.testing.assert_array_equal(get_action_masks(env), env.batch.mask)
    assert len(env.env_method("action_masks", indices=[0, 2])) == 2
    assert env.get_attr("agent", indices=1) == ["runner_0"]
    with pytest.raises(AttributeError):
        env.env_method("explode")


def test_opponents_are_drawn_by_weight():
    env = LearnerVecEnv(
        RACE,
        "runner_0",
        4000,
        [
            Opponent("often", make_policy("random", RACE, "guard_0"), 3.0),
            Opponent("seldom", make_policy("random", RACE, "guard_0"), 1.0),
            Opponent("never", make_policy("random", RACE, "guard_0"), 0.0),
        ],
        num_threads=1,
    )
    counts = np.bincount(env.opponent_of, minlength=3) / 4000
    assert counts == pytest.approx([0.75, 0.25, 0.0], abs=0.03)
    with pytest.raises(ValueError, match="positive weight"):
        env.set_opponents([])


def test_a_game_that_changed_opponents_counts_for_none_of_them():
    env, rng = make(games=64), np.random.default_rng(0)
    env.reset()
    for _ in range(2):
        env.step(choose(env, rng))
    env.statistics.take()
    under_way = int((env.lengths > 0).sum())
    assert under_way
    env.set_opponents(opponents(RACE, "guard_0", "random"))
    ended = 0
    while env.begun_with_others.any():
        _, _, dones, _ = env.step(choose(env, rng))
        ended += int(dones.sum())
    assert sum(tally.games for tally in env.statistics.take().tallies.values()) == ended - under_way


def test_snapshot_and_restore_go_on_with_the_same_games():
    env, rng = make(), np.random.default_rng(0)
    env.reset()
    for _ in range(7):
        observations, *_ = env.step(choose(env, rng))
    states, decisions = env.snapshot()
    twin = make()
    twin.restore(states, decisions)
    np.testing.assert_array_equal(twin.reset(), observations)
    np.testing.assert_array_equal(twin.batch.mask, env.batch.mask)
    np.testing.assert_array_equal(twin.lengths, env.lengths)
    with pytest.raises(ValueError, match="expected games of shape"):
        twin.restore(states[:2], decisions[:2])


def test_games_are_divided_evenly_among_missions_and_counted_for_each():
    env, rng = make([RACE, BLUFF], games=10), np.random.default_rng(0)
    env.reset()
    seen = set()
    for _ in range(60):
        assert (env.batch.seat == env.learner_seat).all()
        np.testing.assert_array_equal(env.batch.states["core"]["mission"], [1, 2] * 5)
        *_, dones, infos = env.step(choose(env, rng))
        for k in np.flatnonzero(dones):
            assert infos[k]["environment"] == (RACE, BLUFF)[k % 2]
            seen.add((infos[k]["environment"], infos[k]["opponent"]))
    tallies = env.statistics.take().tallies
    assert set(tallies) == seen == {(e, o) for e in (RACE, BLUFF) for o in ("scripted", "random")}
    pooled = by_opponent(tallies)
    assert pooled["random"].games == sum(tallies[env_id, "random"].games for env_id in (RACE, BLUFF))


@pytest.mark.parametrize("agent", ["runner_0", "guard_0"])
def test_the_scripted_opponent_plays_the_mission_of_each_game(agent):
    """Each game of a mixed batch goes as in a batch of its mission alone, against the scripted player."""
    mixed = make([RACE, BLUFF], agent, games=6, specs=["scripted"])
    alone = [make(env_id, agent, games=6, specs=["scripted"]) for env_id in (RACE, BLUFF)]
    observations = [env.reset() for env in (mixed, *alone)]
    for _ in range(30):
        # equal although chances are drawn for other games too: the toy's scripted players need none
        np.testing.assert_array_equal(observations[0][0::2], observations[1][0::2])
        np.testing.assert_array_equal(observations[0][1::2], observations[2][1::2])
        observations = [env.step(env.action_masks().argmax(axis=1))[0] for env in (mixed, *alone)]


def test_a_snapshot_of_several_missions_goes_on_with_the_same_games():
    env, rng = make([RACE, BLUFF], games=6), np.random.default_rng(0)
    env.reset()
    for _ in range(7):
        observations, *_ = env.step(choose(env, rng))
    states, decisions = env.snapshot()
    twin = make([RACE, BLUFF], games=6)
    twin.restore(states, decisions)
    np.testing.assert_array_equal(twin.reset(), observations)
    with pytest.raises(StateError, match="not of the mission of their game"):
        make([BLUFF, RACE], games=6).restore(states, decisions)


def test_unknown_agent_is_refused():
    with pytest.raises(ValueError, match="has no agent 'nobody'"):
        make(agent="nobody")
