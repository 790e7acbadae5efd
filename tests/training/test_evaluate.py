import json

import numpy as np
import pytest
from toy.game import GAME

from broodmind import make
from broodmind.agents import make_policy
from broodmind.agents.random import RandomPolicy
from broodmind.agents.seeds import SeededPolicy, decision_seeds
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.errors import ConfigError, IllegalActionError, PolicySpecError
from broodmind.envs.core.vec import first_seed
from broodmind.training.evaluate import EVALUATION, evaluate, improvement, payoff_matrix
from broodmind.training.means import mean_match, mean_matrix

RACE, BLUFF = "toy/race-v0", "toy/bluff-v0"


def seats(runner, guard):
    return {"runner_0": runner, "guard_0": guard}


class Unseeded:
    """A policy with nothing but the protocol."""

    spec = "unseeded"
    needs_position = False

    def act(self, observation, mask, rng, position=None):
        return int(rng.choice(np.flatnonzero(mask)))

    def act_batch(self, observations, masks, rng, positions=None):
        return np.array([self.act(o, m, rng) for o, m in zip(observations, masks)])


class Illegal(Unseeded):
    spec = "illegal"

    def __init__(self, action):
        self.action = action

    def act_batch(self, observations, masks, rng, positions=None):
        return np.full(len(masks), self.action)


def test_counts_add_up_and_seats_mirror_each_other():
    result = evaluate(BLUFF, seats("random", "random"), games=333, seed=1, num_envs=50)
    first, second = result.seats
    assert (first.agent, second.agent) == GAME.agents
    assert first.wins + first.draws + first.losses == result.games == 333
    assert (first.wins, first.draws, first.losses) == (second.losses, second.draws, second.wins)
    assert first.mean_reward == -second.mean_reward
    assert first.win_interval[0] < first.win_rate < first.win_interval[1]
    assert result.rewards.shape == (333, 2)
    assert (result.rewards.sum(axis=1) == 0).all()
    assert result.lengths.min() > 0
    assert result.decisions == result.lengths.sum()
    assert result.mean_length == pytest.approx(result.lengths.mean())
    assert result.mean_turns == pytest.approx(result.turns.mean())
    assert result.turns.min() > 0
    assert result.decisions_per_second > 0
    assert result.seat("guard_0") is second
    with pytest.raises(KeyError):
        result.seat("nobody")


@pytest.mark.parametrize("env_id", [RACE, BLUFF])
def test_same_seed_same_result_however_many_games_at_once(env_id):
    pair = seats("random", "scripted")
    results = [
        evaluate(env_id, pair, games=70, seed=5, num_envs=num_envs, num_threads=threads)
        for num_envs, threads in ((1, 1), (7, 1), (70, 1), (500, 2))
    ]
    for result in results[1:]:
        assert result == results[0]
        np.testing.assert_array_equal(result.rewards, results[0].rewards)
        np.testing.assert_array_equal(result.lengths, results[0].lengths)
    other = evaluate(env_id, pair, games=70, seed=6)
    assert (other.lengths != results[0].lengths).any()


def test_search_is_repeatable_too():
    results = [
        evaluate(RACE, seats("search:6", "random"), games=12, seed=5, num_envs=num_envs)
        for num_envs in (1, 12)
    ]
    np.testing.assert_array_equal(results[0].rewards, results[1].rewards)


def test_a_longer_evaluation_begins_with_the_same_games():
    short, long = (evaluate(RACE, seats("random", "random"), games=games, seed=2) for games in (20, 60))
    np.testing.assert_array_equal(short.rewards, long.rewards[:20])


def test_games_are_those_of_their_seeds_decision_by_decision():
    """Playing game k on the AEC face with its own seeds gives the same rewards and length."""
    played = evaluate(BLUFF, seats("random", "scripted"), games=12, seed=2, num_envs=5)
    players = [make_policy(spec, BLUFF, agent) for spec, agent in zip(("random", "scripted"), GAME.agents)]
    env = make(BLUFF).unwrapped
    for k in range(12):
        seed = derive_seed(2, EVALUATION, k)
        env.reset(seed=seed)
        length = 0
        while not any(env.terminations.values()) and not any(env.truncations.values()):
            agent = env.agent_selection
            observed = env.observe(agent)
            episode, decision = np.array([seed], np.uint64), np.array([length])
            position = env.view(agent, int(decision_seeds(episode, decision, 1)[0]))
            player = players[GAME.agents.index(agent)]
            assert isinstance(player, SeededPolicy)
            action = player.act_seeded(
                observed["observation"][None],
                observed["action_mask"][None],
                decision_seeds(episode, decision, 0),
                position,
            )
            env.step(int(action[0]))
            length += 1
        assert [env.rewards[agent] for agent in GAME.agents] == played.rewards[k].tolist()
        assert length == played.lengths[k]
        assert env.infos[GAME.agents[0]]["turns"] == played.turns[k]


def test_short_games_are_not_favoured():
    """Stopping at the first so many results of a batch would; counting fixed games does not."""
    everything = evaluate(BLUFF, seats("random", "random"), games=600, seed=3, num_envs=600)
    narrow = evaluate(BLUFF, seats("random", "random"), games=600, seed=3, num_envs=8)
    assert everything.mean_length == narrow.mean_length
    assert everything.lengths.std() > 0


def test_evaluation_seeds_are_not_those_of_batches():
    ours = {derive_seed(seed, EVALUATION, k) for seed in range(5) for k in range(500)}
    theirs = {first_seed(seed, k) for seed in range(5) for k in range(500)}
    assert len(ours) == 2500
    assert not ours & theirs


def test_scripted_and_search_beat_random():
    for env_id in (RACE, BLUFF):
        floor = evaluate(env_id, seats("random", "random"), games=300, seed=0)
        for spec, games in (("scripted", 300), ("search:24", 100)):
            for agent in GAME.agents:
                pair = seats("random", "random") | {agent: spec}
                if (env_id, agent, spec) == (BLUFF, "guard_0", "scripted"):
                    continue  # this script believes too much to gain here
                result = evaluate(env_id, pair, games=games, seed=0)
                assert improvement(result, floor, agent)[1] > 0, (env_id, agent, spec)


def test_truncated_games_are_draws_and_counted():
    result = evaluate(BLUFF, seats("random", "random"), games=50, seed=0, max_turns=1)
    assert result.truncated == result.seats[0].draws == 50
    assert result.seats[0].mean_reward == 0


def test_policies_of_ones_own_play():
    result = evaluate(RACE, seats(Unseeded(), RandomPolicy()), games=30, seed=0)
    again = evaluate(RACE, seats(Unseeded(), RandomPolicy()), games=30, seed=0)
    assert result == again
    assert result.seats[0].policy == "unseeded"


@pytest.mark.parametrize("action", [-1, 10_000, 12])
def test_illegal_choices_are_refused_by_name(action):
    with pytest.raises(IllegalActionError, match=f"'illegal' chose action {action}"):
        evaluate(RACE, seats(Illegal(action), "random"), games=3)


def test_bad_arguments():
    with pytest.raises(PolicySpecError, match="each of runner_0 and guard_0"):
        evaluate(RACE, {"runner_0": "random"})
    with pytest.raises(PolicySpecError, match="each of"):
        evaluate(RACE, seats("random", "random") | {"x": "random"})
    for options in ({"games": 0}, {"num_envs": 0}, {"layout": "nowhere"}, {"max_turns": -4}):
        with pytest.raises(ConfigError):
            evaluate(RACE, seats("random", "random"), **options)
    with pytest.raises(ConfigError, match="at least one policy"):
        payoff_matrix(RACE, [], ["random"])


def test_progress_is_told():
    told: list[int] = []
    evaluate(RACE, seats("random", "random"), games=40, num_envs=10, on_progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 40


def test_result_as_json_and_tables():
    result = evaluate(RACE, seats("random", "scripted"), games=20, seed=4)
    data = json.loads(json.dumps(result.to_dict()))
    assert data["seats"][0]["policy"] == data["seats"][1]["opponent"] == "random"
    assert data["seed"] == 4
    assert data["mean_turns"] == result.mean_turns
    assert result.to_table().row_count == 2


def test_payoff_matrix():
    told: list[int] = []
    matrix = payoff_matrix(
        RACE, ["random", "scripted"], ["random", "scripted"], games=20, seed=4, on_progress=told.append
    )
    assert told[-1] == 80
    assert told == sorted(told)
    assert (matrix.row_agent, matrix.column_agent) == GAME.agents
    cell = matrix.cells[1][0]
    assert [seat.policy for seat in cell.seats] == ["scripted", "random"]
    assert cell == evaluate(RACE, seats("scripted", "random"), games=20, seed=4)
    assert json.loads(json.dumps(matrix.to_dict()))["rows"] == ["random", "scripted"]
    wins, _, ends = (
        part.splitlines() for part in matrix.to_markdown().partition("\n\n| runner_0 | guard_0 |")
    )
    assert len(wins) == 6
    assert all(line.count("|") == 4 for line in wins[2:])
    assert ends[0] == " mean decisions | mean turns | truncated |"
    assert [line.split(" | ")[3] for line in ends[2:]] == [
        f"{cell.mean_turns:.1f}" for row in matrix.cells for cell in row
    ]
    assert matrix.to_table().row_count == 2
    assert [(table.row_count, len(table.columns)) for table in matrix.final_tables()] == [(3, 3)] * 2
    assert not cell.final_tables()  # the toy tells nothing of its own


class Unseen(RandomPolicy):
    """A policy from whose training one mission was held out."""

    held_out = (BLUFF,)


def test_missions_held_out_of_training_are_marked():
    seen, unseen = (evaluate(env_id, seats(Unseen(), "random"), games=10) for env_id in (RACE, BLUFF))
    assert (seen.held_out, unseen.held_out) == (False, True)
    assert [row["held_out"] for row in unseen.rows()] == [True, False]
    assert "| random (held out) |" in unseen.to_markdown()
    assert "held out" not in seen.to_markdown()
    matrix = payoff_matrix(BLUFF, ["random", Unseen()], [Unseen()], games=5)
    assert matrix.held_out
    assert "| random (held out) |" in matrix.to_markdown().splitlines()[2]
    assert [line.split(" | ")[0] for line in matrix.to_markdown().splitlines()[4:6]] == [
        "| random",
        "| random (held out)",
    ]


def test_the_mean_of_missions_is_over_the_games_of_all():
    matches = [evaluate(env_id, seats("scripted", "random"), games=30, seed=4) for env_id in (RACE, BLUFF)]
    mean = mean_match(matches, "mean of 2 missions")
    for agent in GAME.agents:
        rates = [match.seat(agent).win_rate for match in matches]
        assert mean.seat(agent).win_rate == pytest.approx(sum(rates) / 2)
        rewards = [match.seat(agent).mean_reward for match in matches]
        assert mean.seat(agent).mean_reward == pytest.approx(sum(rewards) / 2)
    assert mean.games == 60
    assert mean.mean_turns == pytest.approx(sum(match.mean_turns for match in matches) / 2)
    assert mean.decisions == sum(match.decisions for match in matches)
    assert mean.to_markdown().startswith("mean of 2 missions, 60 games")
    matrices = [payoff_matrix(env_id, ["scripted"], ["random"], 30, 4) for env_id in (RACE, BLUFF)]
    assert mean_matrix(matrices, "mean of 2 missions").cells[0][0] == mean
    other = evaluate(RACE, seats("scripted", "random"), games=31)
    for wrong in ([], [matches[0], other]):
        with pytest.raises(ConfigError, match="a mean needs matches of the same two policies"):
            mean_match(wrong, "mean")
    with pytest.raises(ConfigError, match="a mean needs payoff matrices of the same policies"):
        mean_matrix([matrices[0], payoff_matrix(RACE, ["random"], ["random"], 5)], "mean")
