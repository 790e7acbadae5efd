"""The contract that every environment keeps, as checks that take a way to make one.

Each check raises AssertionError with what went wrong. `test_environments.py` runs them over every registered
id, `test_mutants.py` proves that planted faults are caught.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Callable, Iterator

import numpy as np

from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.errors import IllegalActionError, UnplannedRollError
from broodmind.envs.core.record import as_states
from broodmind.envs.core.vec import BatchEnv, first_seed

Make = Callable[..., BoardEnv]


def walk(env: BoardEnv, decisions: int, seed: int) -> Iterator[random.Random]:
    """Play random decisions over as many episodes as it takes, stopping before each of them."""
    choose = random.Random(seed)
    env.reset(seed=seed)
    for _ in range(decisions):
        if not env.agents or env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
            env.reset()
        yield choose
        legal = env.legal_actions()
        assert legal, "the mask is empty although the game is not over"
        env.step(choose.choice(legal))


def seen(env: BoardEnv) -> list[bytes]:
    """Return everything that the two seats can see, as bytes."""
    return [array.tobytes() for agent in env.possible_agents for array in env.observe(agent).values()]


def everything(env: BoardEnv) -> list[object]:
    """Return everything that two exact twins must agree in."""
    return [
        env.states.tobytes(),
        seen(env),
        env.agents,
        env.agent_selection,
        env.rewards,
        env._cumulative_rewards,
        env.terminations,
        env.truncations,
        env.infos,
        env.events(),
        env.pending_dice,
    ]


def check_mask(make: Make, decisions: int = 40) -> None:
    """The mask against the rules: actions explained, legal ones tried on a clone, illegal ones refused."""
    env = make()
    for choose in walk(env, decisions, 11):
        fresh = np.zeros_like(env._mask)
        env.game.kernels().legal(env.states, 0, env.game.tables(), fresh)
        mask = env.observe(env.agent_selection)["action_mask"]
        assert mask.tobytes() == fresh.tobytes(), "the mask of the step is not that of the position"
        assert set(mask.tolist()) <= {0, 1}, "the mask holds other numbers than 0 and 1"
        assert mask.any(), "the mask is empty although the game is not over"
        for action in range(mask.size):
            reason = env.explain_action(action)
            name = env.describe_action(action)
            assert (reason is None) == bool(mask[action]), (
                f"{name!r} is {'offered' if mask[action] else 'hidden'} by the mask, the rules say {reason}"
            )
            assert reason is None or (reason.clause and reason.text), f"no reason why {name!r} is illegal"
        before = env.state_hash()
        legal, illegal = np.flatnonzero(mask).tolist(), np.flatnonzero(mask == 0).tolist()
        for action in choose.sample(legal, min(len(legal), 12)):
            twin = env.clone()
            twin.step(action)
            found = twin.problems()
            name = env.describe_action(action)
            assert not found, f"{name!r} leads to an impossible position: {found}"
            over = twin.terminations[twin.agent_selection] or twin.truncations[twin.agent_selection]
            assert over or twin.legal_actions(), f"{name!r} strands a player"
        for action in choose.sample(illegal, min(len(illegal), 5)):
            try:
                env.step(action)
            except IllegalActionError as error:
                refused = error.action == action and error.clause != ""
            else:
                refused = False
            if not refused:
                raise AssertionError(f"{env.describe_action(action)!r} is not in the mask, yet was taken")
        assert env.state_hash() == before, "trying actions changed the state"


def check_forced(make: Make, decisions: int = 60) -> None:
    """With ``skip_forced`` nobody is asked where one action is legal; without it the same game is played."""
    env = make(skip_forced=True)
    whole = make(skip_forced=False)
    for k, _ in enumerate(walk(env, decisions, 12)):
        assert len(env.legal_actions()) > 1, "a decision with one legal action was not skipped"
        if k == 0:
            whole.reset(seed=12)
            while len(whole.legal_actions()) == 1:
                whole.step(whole.legal_actions()[0])
            assert seen(whole) == seen(env), "skipping forced decisions changed the game"


def check_seeds(make: Make, decisions: int = 25) -> None:
    """The same seed gives the same episode on the same and on another instance; no seed gives another."""

    def episode(env: BoardEnv, seed: int | None) -> list[str]:
        env.reset(seed=seed)
        hashes = [env.state_hash()]
        choose = random.Random(3)
        for _ in range(decisions):
            if not env.legal_actions():
                break
            env.step(choose.choice(env.legal_actions()))
            hashes.append(env.state_hash())
        return hashes

    env, other = make(), make()
    first = episode(env, 7)
    assert episode(env, 7) == first, "the same instance plays another episode after reset with the same seed"
    following = episode(env, None)
    assert following != first, "reset without a seed repeats the episode"
    assert episode(other, 7) == first, "another instance plays another episode with the same seed"
    assert episode(other, None) == following, "the episodes after a seed differ between instances"
    assert episode(env, 8) != first, "the seed makes no difference"
    env.reset(seed=7)
    env.reset()
    again = make()
    again.reset(seed=env.episode_seed)
    assert again.state_hash() == env.state_hash(), "episode_seed does not begin the episode again"
    unseeded = make(), make()
    for one in unseeded:
        one.reset()
    assert unseeded[0].state_hash() != unseeded[1].state_hash(), (
        "first episodes without a seed are all the same"
    )


def check_hidden(make: Make, decisions: int = 60) -> None:
    """Whatever a seat must not know may be changed without changing what it sees."""
    env = make()
    kernels, tables = env.game.kernels(), env.game.tables()
    observation = np.zeros(env.game.observation.size, np.float32)
    mask = np.zeros(env.game.actions.size, np.int8)
    for choose in walk(env, decisions, 13):
        before = env.state_hash()
        for seat, agent in enumerate(env.possible_agents):
            honest = env.observe(agent)
            for _ in range(6):
                view = env.view(agent, choose.getrandbits(64))
                assert view[0]["core"]["queue_length"] == 0, "a view knows the planned dice"
                kernels.observe(view, 0, tables, seat, observation)
                assert observation.tobytes() == honest["observation"].tobytes(), f"{agent} sees hidden things"
                if agent == env.agent_selection:
                    kernels.legal(view, 0, tables, mask)
                    assert mask.tobytes() == honest["action_mask"].tobytes(), "the mask tells hidden things"
            view = env.view(agent, 1)
            assert view[0]["core"]["key"] == 1, "a view keeps the dice of the game"
        assert env.state_hash() == before, "looking changed the state"
        planned = env.clone()
        planned.feed_dice([1, 6])
        assert seen(planned) == seen(env), "the observation tells the planned dice"


def check_copies(make: Make, decisions: int = 40) -> None:
    """Copies of every kind are exact, go on alike, and never touch each other."""
    env = make()
    for choose in walk(env, decisions, 14):
        if choose.random() > 0.3:
            continue
        saved = env.save_state()
        loaded = make()
        loaded.load_state(saved)
        loaded._log[:] = env._log  # events are not part of a saved state
        twins = [env.clone(), copy.deepcopy(env), loaded]
        if type(env) is BoardEnv:
            twins.append(pickle.loads(pickle.dumps(env)))
        before = everything(env)
        for twin in twins:
            assert everything(twin) == before, "a copy differs from its original"
            assert not np.shares_memory(twin.states, env.states), "a copy shares its memory with the original"
        for _ in range(6):
            if not env.legal_actions():
                break
            action = choose.choice(env.legal_actions())
            for twin in twins:
                twin.step(action)
                assert everything(env) == before, "stepping a copy changed the original"
            env.step(action)
            before = everything(env)
            assert all(everything(twin) == before for twin in twins), "a copy goes on differently"
        other = env.clone(reseed=choose.getrandbits(40))
        assert other.pending_dice == []
        assert seen(other) == seen(env)
        if not env.legal_actions():
            env.reset()


def check_words(make: Make, decisions: int = 30) -> None:
    """Names go both ways, events and boards are told, pictures have unique ids."""
    env = make()
    names = [env.describe_action(action) for action in range(env.game.actions.size)]
    assert len(set(names)) == len(names), "two actions have the same name"
    env.reset(seed=1)
    assert [env.parse_action(name) for name in names] == list(range(len(names)))
    kinds = set()
    for _ in walk(env, decisions, 15):
        for action in env.legal_actions():
            assert env.label_action(action)
        for event in env.events():
            assert event.kind
            assert event.sentence
            json.dumps(dict(event.data))
            kinds.add(event.kind)
        assert env.question()
        assert env.phase_name()
        assert env.text_board().strip()
        ids = [shape.id for shape in env.scene().shapes if shape.id]
        assert len(set(ids)) == len(ids), "two shapes of a picture have the same id"
    assert kinds, "nothing ever happens"


def check_dictionaries(make: Make, decisions: int = 30) -> None:
    """Positions survive the way through JSON, byte by byte."""
    env, other = make(), make()
    for _ in walk(env, decisions, 16):
        found = env.problems()
        assert not found, f"an impossible position: {found}"
        data = json.loads(json.dumps(env.to_dict()))
        other.from_dict(data)
        assert other.state_hash() == env.state_hash(), "a position differs after to_dict and from_dict"
        assert seen(other) == seen(env)


def check_numbers(make: Make, decisions: int = 120) -> None:
    """Observations stay within their space; rewards sum to zero and come at the end only."""
    env = make()
    ends = 0
    for _ in walk(env, decisions, 17):
        for agent in env.possible_agents:
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation), (
                f"numbers {np.flatnonzero(np.abs(observation['observation']) > 1)} are out of bounds: "
                f"{observation['observation'].min()}..{observation['observation'].max()}"
            )
        assert not any(env.rewards.values())
        assert env.state().shape == env.state_space.shape
    choose = random.Random(17)
    env.reset()
    while ends < 3:
        env.step(choose.choice(env.legal_actions()))
        if not env.legal_actions():
            ends += 1
            first, second = (env.rewards[agent] for agent in env.possible_agents)
            assert first + second == 0
            assert first in (1, 0.5, 0, -0.5, -1)
            assert all(env.terminations.values()) != all(env.truncations.values())
            assert not (any(env.truncations.values()) and first), "a truncated game has a winner"
            assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
            env.reset()


def check_truncation(make: Make) -> None:
    """``max_turns`` truncates, without a winner, unless the rules end the game before."""
    env = make(max_turns=1)
    env.reset(seed=5)
    choose = random.Random(5)
    while env.legal_actions():
        assert env.states[0]["core"]["turn"] <= 1, "a turn after the last is played"
        env.step(choose.choice(env.legal_actions()))
    if env.truncations[env.agent_selection]:
        assert set(env.rewards.values()) == {0.0}, "a truncated game has a winner"
        assert not any(env.terminations.values())


def check_strict_dice(make: Make, decisions: int = 40, most: int = 400) -> None:
    """In strict mode a roll that was not planned is refused and leaves everything as it was.

    Random play can go on for long without a roll (it edits plans), so a walk without one is made longer.
    """
    env = make()
    refused = 0
    for k, choose in enumerate(walk(env, most, 18)):
        if k >= decisions and refused:
            break
        strict = make()
        strict.reset(options={"state": env.save_state(), "strict": True, "dice": []})
        before = everything(strict)
        action = choose.choice(strict.legal_actions())
        try:
            strict.step(action)
        except UnplannedRollError:
            refused += 1
            assert everything(strict) == before, "a refused roll changed something"
            strict.feed_dice([3] * 60)
            strict.step(action)
            assert len(strict.pending_dice) < 60, "a roll was not taken from the planned dice"
    assert refused, "no decision of a whole walk rolled a die"


def check_batch(make: Make, games: int = 6, steps: int = 60) -> None:
    """The batch plays the same games as the AEC face, row by row, with any number of threads."""
    envs = [make() for _ in range(games)]
    env_id = envs[0].env_id
    batch = BatchEnv(env_id, games, 21, num_threads=1, keep_final=True)
    batch.reset()
    for k, env in enumerate(envs):
        env.reset(seed=first_seed(21, k))
    choose = np.random.default_rng(4)
    for _ in range(steps):
        for k, env in enumerate(envs):
            here = env.observe(env.agent_selection)
            assert batch.states[k].tobytes() == env.states[0].tobytes(), "batch and AEC stand elsewhere"
            assert env.possible_agents[batch.seat[k]] == env.agent_selection
            assert batch.mask[k].tobytes() == here["action_mask"].tobytes(), "a mask of the batch is stale"
            stale = np.flatnonzero(batch.observation[k] != here["observation"])
            assert not stale.size, f"numbers {stale} of an observation of the batch are stale"
        # Some steps pass over some games, as learners do whose opponents move.
        playing = np.flatnonzero(choose.random(games) < 0.8) if choose.random() < 0.3 else np.arange(games)
        actions = (batch.mask * choose.random(batch.mask.shape)).argmax(axis=1)
        batch.step(actions, None if len(playing) == games else playing)
        for k in playing.tolist():
            env = envs[k]
            env.step(int(actions[k]))
            agent = env.agent_selection
            assert batch.terminated[k] == env.terminations[agent]
            assert batch.truncated[k] == env.truncations[agent]
            assert batch.rewards[k].tolist() == [env.rewards[agent] for agent in env.possible_agents]
            if env.terminations[agent] or env.truncations[agent]:
                assert batch.episode_length[k] == env.infos[agent]["decisions"]
                for seat, name in enumerate(env.possible_agents):
                    final = batch.final_observation(int(k), seat)
                    assert final.tobytes() == env.observe(name)["observation"].tobytes()
                env.reset()


def check_threads(env_id: str, games: int = 40, steps: int = 30) -> None:
    """The number of threads makes no difference to any byte."""
    results = []
    for threads in (1, 2):
        with BatchEnv(env_id, games, 5, num_threads=threads) as batch:
            assert batch.num_threads == threads
            batch.reset()
            choose = np.random.default_rng(6)
            for _ in range(steps):
                batch.step((batch.mask * choose.random(batch.mask.shape)).argmax(axis=1))
            counts = batch.episode_count.tolist()
            results.append([batch.states.tobytes(), batch.observation.tobytes(), counts])
    assert results[0] == results[1], "the number of threads changes the games"


def check_rows(make: Make, games: int = 48, steps: int = 256) -> None:
    """The batch's rows, of which a step writes what changed, are those that are written from nothing."""
    with BatchEnv(make().env_id, games, 12, num_threads=1) as batch:
        batch.reset()
        kernels, tables = batch.game.kernels(), batch.game.tables()
        whole = np.zeros_like(batch.observation)
        scripted = np.zeros(games, np.int64)
        choose = np.random.default_rng(8)
        earlier = batch.save_state()
        for step in range(steps):
            kernels.observe_range(batch.states, 0, games, tables, batch.seat, whole)
            stale = np.argwhere(batch.observation.view(np.uint32) != whole.view(np.uint32))
            assert not stale.size, f"step {step}: numbers (game, number) {stale[:9].tolist()} are stale"
            # Random play sees much, scripted play sees the end; some steps pass over some games.
            actions = (batch.mask * choose.random(batch.mask.shape)).argmax(axis=1)
            if step % 3 == 0:
                kernels.scripted_range(
                    batch.states, 0, games, tables, choose.integers(1 << 62, size=games), scripted
                )
                actions = scripted.copy()
            batch.step(actions, np.flatnonzero(choose.random(games) < 0.9) if step % 7 == 0 else None)
            if step % 50 == 25:
                earlier, now = batch.save_state(), earlier
                batch.load_state(now)


def check_who_plays_on(env: BoardEnv, seed: int) -> None:
    """In playouts the seats that are named play scripted choices, the others random ones."""
    kernels, tables = env.game.kernels(), env.game.tables()
    seat = int(env.states["core"]["seat"][0])
    after = {}
    for scripted_seats in range(4):
        scratch = env.view(env.agent_selection, seed)
        kernels.playout(scratch, 0, tables, env._mask.copy(), 1, seed, scripted_seats)
        after[scripted_seats] = scratch.tobytes()
    assert after[1 << seat] == after[3], "the seat at hand is to play a scripted choice, and does not"
    assert after[3 - (1 << seat)] == after[0], "the seat at hand is to play at random, and does not"


def check_players(make: Make, decisions: int = 60) -> None:
    """The hand-written player and playouts choose legal actions only, and from a view only."""
    env = make()
    kernels, tables = env.game.kernels(), env.game.tables()
    for choose in walk(env, decisions, 19):
        view = env.view(env.agent_selection, choose.getrandbits(63))
        action = int(kernels.scripted(view, 0, tables, choose.getrandbits(62)))
        assert action in env.legal_actions(), f"the scripted player chose {env.describe_action(action)!r}"
        scratch = as_states(np.array(view))
        result = kernels.playout(
            scratch, 0, tables, env._mask.copy(), 400, choose.getrandbits(31), choose.getrandbits(2)
        )
        assert result in (-2, -1, 0, 1, 2)
        check_who_plays_on(env, choose.getrandbits(31))
        found = env.game.problems(scratch, 0)
        assert not found, f"a playout leads to an impossible position: {found}"
