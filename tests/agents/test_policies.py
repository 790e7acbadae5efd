import numpy as np
import pytest
from toy.game import GAME

from broodmind.agents import make_policy
from broodmind.agents.search import SearchPolicy
from broodmind.agents.seeds import SeededPolicy, as_fractions, decision_seeds, draw_seeds
from broodmind.envs.core.dice import derive_seed, seed_generator
from broodmind.envs.core.episodes import begin_episode
from broodmind.envs.core.record import as_states, new_log, new_states

RACE, BLUFF = GAME.missions[0].id, GAME.missions[1].id
SIZE = GAME.actions.size


def positions(env_id, seat, count=40, seed=0):
    """Return positions of one seat from random games, with their masks."""
    kernels, tables, rng = GAME.kernels(), GAME.tables(), np.random.default_rng(seed)
    found, masks = new_states(GAME.state_dtype, count), np.zeros((count, SIZE), np.int8)
    game, mask, log = new_states(GAME.state_dtype, 1), np.zeros(SIZE, np.int8), new_log(0)
    filled = 0
    while filled < count:
        core = game[0]["core"]
        core["mission"], core["skip_forced"], core["spare"] = GAME.mission(env_id).number, 1, 2
        core["max_turns"] = GAME.mission(env_id).max_turns
        begin_episode(game[0].core if hasattr(game[0], "core") else core, int(rng.integers(2**31)))
        kernels.reset(game, 0, tables, log, mask)
        while not core["over"] and filled < count:
            if core["seat"] == seat and rng.random() < 0.5:
                found[filled], masks[filled] = game[0], mask
                kernels.view(found, filled, tables, seat, int(rng.integers(2**31)))
                filled += 1
            kernels.step(game, 0, tables, int(rng.choice(np.flatnonzero(mask))), log, mask)
    return found, masks


def choices(spec, env_id, seat, seed=0, count=40):
    states, masks = positions(env_id, seat, count)
    policy = make_policy(spec, env_id, GAME.agents[seat])
    observations = np.zeros((count, GAME.observation.size), np.float32)
    return policy.act_batch(observations, masks, np.random.default_rng(seed), states), masks


@pytest.mark.parametrize("env_id", [RACE, BLUFF])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("spec", ["random", "scripted", "search:12", "search:3?playout=random"])
def test_choices_are_legal_and_repeatable(spec, env_id, seat):
    first, masks = choices(spec, env_id, seat)
    assert first.dtype == np.int64
    assert masks[np.arange(len(first)), first].all()
    np.testing.assert_array_equal(first, choices(spec, env_id, seat)[0])


@pytest.mark.parametrize("spec", ["random", "scripted", "search:12"])
def test_a_choice_depends_on_its_own_seed_only(spec):
    states, masks = positions(RACE, 0)
    policy = make_policy(spec, RACE, "runner_0")
    assert isinstance(policy, SeededPolicy)
    observations = np.zeros((len(masks), GAME.observation.size), np.float32)
    seeds = draw_seeds(np.random.default_rng(3), len(masks))
    together = policy.act_seeded(observations, masks, seeds, states)
    alone = [
        policy.act_seeded(observations[k : k + 1], masks[k : k + 1], seeds[k : k + 1], states[k : k + 1])[0]
        for k in range(len(masks))
    ]
    np.testing.assert_array_equal(together, alone)


@pytest.mark.parametrize("spec", ["random", "scripted", "search:12"])
def test_single_and_batched_choices_agree(spec):
    states, masks = positions(RACE, 1, count=1)
    policy = make_policy(spec, RACE, "guard_0")
    observation = np.zeros(GAME.observation.size, np.float32)
    single = policy.act(observation, masks[0], np.random.default_rng(1), states)
    batched = policy.act_batch(observation[None], masks, np.random.default_rng(1), states)
    assert isinstance(single, int)
    assert single == batched[0]


def test_policies_leave_positions_and_masks_alone():
    states, masks = positions(RACE, 0)
    before = states.tobytes(), masks.tobytes()
    for spec in ("scripted", "search:8"):
        observations = np.zeros((len(masks), GAME.observation.size), np.float32)
        make_policy(spec, RACE, "runner_0").act_batch(
            observations, masks, np.random.default_rng(0), as_states(states)
        )
    assert (states.tobytes(), masks.tobytes()) == before


def test_random_is_uniform_over_the_mask():
    count = 30_000
    mask = np.zeros(SIZE, np.int8)
    mask[[0, 3, 4, SIZE - 1]] = 1
    drawn = make_policy("random", RACE, "runner_0").act_batch(
        np.zeros((count, 1), np.float32), np.tile(mask, (count, 1)), np.random.default_rng(0)
    )
    frequencies = np.bincount(drawn, minlength=SIZE) / count
    assert (frequencies[mask == 0] == 0).all()
    assert np.abs(frequencies[mask == 1] - 0.25).max() < 5 * np.sqrt(0.25 * 0.75 / count)


@pytest.mark.parametrize("width", [1, 63, 64, 65, 589])
def test_random_finds_the_only_legal_action_anywhere(width):
    masks = np.eye(width, dtype=np.int8)
    drawn = make_policy("random", RACE, "runner_0").act_batch(
        np.zeros((width, 1), np.float32), masks, np.random.default_rng(0)
    )
    np.testing.assert_array_equal(drawn, np.arange(width))


def test_random_reaches_both_ends_of_a_wide_mask():
    masks = np.ones((3, 589), np.int8)
    seeds = np.array([0, 2**62, 2**63 - 1], np.int64)
    policy = make_policy("random", RACE, "runner_0")
    assert isinstance(policy, SeededPolicy)
    drawn = policy.act_seeded(np.zeros((3, 1), np.float32), masks, seeds)
    np.testing.assert_array_equal(drawn, [0, 294, 588])


@pytest.mark.parametrize("spec", ["random", "search:4"])
def test_empty_masks_are_refused(spec):
    states, masks = positions(RACE, 0, count=2)
    masks[1] = 0
    with pytest.raises(ValueError, match="no legal action"):
        make_policy(spec, RACE, "runner_0").act_batch(
            np.zeros((2, GAME.observation.size), np.float32), masks, np.random.default_rng(0), states
        )


@pytest.mark.parametrize("spec", ["scripted", "search:4"])
def test_missing_positions_are_refused(spec):
    with pytest.raises(ValueError, match=r"Kernels\.view"):
        make_policy(spec, RACE, "runner_0").act(
            np.zeros(GAME.observation.size, np.float32), np.ones(SIZE, np.int8), np.random.default_rng(0)
        )


def test_search_finds_the_winning_lane():
    """Where some lane wins at once and everything else loses at once, any budget finds it."""
    states, masks = positions(RACE, 0, count=400)
    kernels, tables, log = GAME.kernels(), GAME.tables(), new_log(0)
    copies, scratch = states.copy(), np.zeros(SIZE, np.int8)
    decided = []
    for k in range(len(states)):
        ends, wins = [], []
        for action in np.flatnonzero(masks[k]):
            copies[k] = states[k]
            kernels.step(as_states(copies), k, tables, int(action), log, scratch)
            ends.append(copies["core"]["over"][k] == 1)
            wins.append(ends[-1] and copies["core"]["result"][k] == 2)
        decided.append(all(ends) and any(wins) and not all(wins))
    assert any(decided)
    policy = make_policy("search:16?playout=random", RACE, "runner_0")
    chosen = policy.act_batch(
        np.zeros((len(masks), GAME.observation.size), np.float32), masks, np.random.default_rng(0), states
    )
    for k in np.flatnonzero(decided).tolist():
        copies[k] = states[k]
        kernels.step(as_states(copies), int(k), tables, int(chosen[k]), log, scratch)
        assert copies["core"]["result"][k] == 2


def test_search_sees_neither_dice_nor_hidden_hands():
    """Positions that differ only in what the seat may not know get the same choice for the same seed."""
    states, masks = positions(BLUFF, 1)
    other = states.copy()
    for k in range(len(other)):
        seed_generator(
            as_states(other)[k].core if hasattr(as_states(other)[k], "core") else other[k]["core"], 99
        )
        other["hand"][k, 0] = 7 - other["hand"][k, 0]
    assert other.tobytes() != states.tobytes()
    policy = make_policy("search:24", BLUFF, "guard_0")
    assert isinstance(policy, SeededPolicy)
    observations = np.zeros((len(masks), GAME.observation.size), np.float32)
    seeds = draw_seeds(np.random.default_rng(3), len(masks))
    np.testing.assert_array_equal(
        policy.act_seeded(observations, masks, seeds, states),
        policy.act_seeded(observations, masks, seeds, other),
    )


def test_search_with_a_narrow_budget_tries_every_kind_of_action():
    policy = make_policy("search:8", RACE, "runner_0")
    assert isinstance(policy, SearchPolicy)
    states, masks = positions(RACE, 0)
    wide = next(k for k in range(len(masks)) if masks[k].sum() >= 3)
    candidates = policy._candidates(as_states(states), wide, masks[wide], 5)
    assert len(candidates) == 2
    verbs = {GAME.actions.decode(int(action))[0].name for action in candidates}
    assert verbs == {"LANE", "REST"}


def test_threads_do_not_change_choices():
    from broodmind.agents.search import SearchPolicy

    states, masks = positions(RACE, 0)
    observations = np.zeros((len(masks), GAME.observation.size), np.float32)
    one, many = (
        SearchPolicy(GAME, 10, threads=threads).act_batch(
            observations, masks, np.random.default_rng(2), states
        )
        for threads in (1, 4)
    )
    np.testing.assert_array_equal(one, many)


def test_decision_seeds_differ_by_episode_decision_and_purpose():
    episodes = np.array([derive_seed(0, k) for k in range(50)], np.uint64)
    seen = set()
    for decision in range(20):
        for purpose in range(2):
            seeds = decision_seeds(episodes, np.full(50, decision), purpose)
            assert seeds.min() >= 0
            seen |= set(seeds.tolist())
    assert len(seen) == 50 * 20 * 2


def test_fractions_stay_below_one():
    assert as_fractions(np.array([0, 2**63 - 1], np.int64)).tolist() == [0.0, 1 - 2.0**-32]
