"""How strong policies are: many games between two of them, counted exactly, with intervals.

Which games are played is fixed before the first move: game ``k`` of an evaluation has its own episode seed,
and exactly games ``0..games-1`` are played to their end. So short games are not favoured (as they are where
one stops at the first so many results of a batch), and every pairing meets the same boards.

Seeds. An episode seed is ``derive_seed(seed, EVALUATION, k)``, 63 bits that a cryptographic-quality hash
draws from the evaluation's seed under a tag of its own. Trainers derive theirs under other tags, so whichever
numbers people choose, an evaluation plays no trained episode except by a coincidence of 63-bit numbers (below
1 in 10^8 for a thousand games after a billion).

Chance. Each decision of a built-in policy gets its own seed, hashed from episode and number of the decision
(`agents.seeds`): results are the same for every number of games at once and every number of threads. Two
exceptions: a policy of your own with nothing but `act_batch` shares one generator among the games of a batch;
and a network's outputs may differ in the last bit between batch sizes, which matters only where two actions
are equal to seven digits.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broodmind.agents import Policy, make_policy
from broodmind.agents.seeds import SeededPolicy, decision_seeds
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.errors import ConfigError, IllegalActionError, PolicySpecError
from broodmind.envs.core.registration import game_of, make_vec
from broodmind.training.results import CONFIDENCE, MatchResult, PayoffMatrix, SeatResult
from broodmind.training.statistics import difference_interval, score_interval, wilson_interval

if TYPE_CHECKING:
    from broodmind.envs.core.vec import BatchEnv

EVALUATION = 0x65766C
"""Tag of the seeds of evaluation episodes (see the module's documentation)."""

_CHOOSING, _VIEWING = 0, 1  # purposes of decision seeds


def evaluate(
    env_id: str,
    policies: Mapping[str, Policy | str],
    games: int = 1000,
    seed: int = 0,
    num_envs: int = 256,
    layout: str | None = None,
    max_turns: int | None = None,
    num_threads: int | None = None,
    data: str | os.PathLike[str] | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> MatchResult:
    """Play games between two policies and count.

    Args:
        env_id: The environment.
        policies: A policy, or its spec, for each of the two agents.
        games: How many games; each is counted once.
        seed: Seed of the evaluation; the same seed gives the same result (see the module's documentation).
        num_envs: How many games are played at once.
        layout: Layout of the boards, as `make` takes it.
        max_turns: Limit of turns, as `make` takes it.
        num_threads: Threads that step the games; None: one per processor.
        data: Data files, as `make` takes them.
        on_progress: Called with the number of finished games, now and then.

    Raises:
        PolicySpecError: A spec cannot be read, or the policies are not for exactly the two agents.
        CheckpointError: A checkpoint cannot be used.
        ConfigError: A number is impossible.
        IllegalActionError: A policy chose an action outside its mask.
        UnknownEnvironmentError: No environment has that id.
    """
    game = game_of(env_id, data)
    if set(policies) != set(game.agents):
        raise PolicySpecError(
            f"{env_id} needs a policy for each of {' and '.join(game.agents)}, "
            f"got {', '.join(policies) or 'none'}"
        )
    for name, number in (("games", games), ("num_envs", num_envs)):
        if number < 1:
            raise ConfigError(f"{name} must be at least 1, got {number}")
    players = [_as_policy(policies[agent], env_id, agent, data) for agent in game.agents]
    mission = game.mission(env_id)
    final = {name: np.zeros((games, 2)) for name in mission.final_info}
    batch = make_vec(
        env_id,
        min(num_envs, games),
        seed,
        num_threads=num_threads,
        layout=layout,
        max_turns=max_turns,
        data=data,
        keep_final=True,
    )
    seeds = np.array([derive_seed(seed, EVALUATION, k) for k in range(games)], np.uint64)
    try:
        _warm_up(batch, players)
        start = time.perf_counter()
        rewards, lengths, turns, truncated = _play(batch, players, seeds, seed, on_progress, final)
        seconds = time.perf_counter() - start
    finally:
        batch.close()

    def seat(k: int) -> SeatResult:
        means = {name: float(values[:, k].mean()) for name, values in final.items()}
        held_out = _held_out(players[k], env_id)
        return seat_result(game.agents[k], players[k].spec, rewards[:, k], held_out, means)

    return MatchResult(
        env_id=env_id,
        games=games,
        seed=seed,
        layout=mission.layouts[0] if layout is None else layout,
        max_turns=max_turns,
        data_hash=game.data_hash,
        seats=(seat(0), seat(1)),
        truncated=truncated,
        mean_length=float(lengths.mean()),
        mean_turns=float(turns.mean()),
        decisions=int(lengths.sum()),
        seconds=seconds,
        rewards=rewards,
        lengths=lengths,
        turns=turns,
    )


def payoff_matrix(
    env_id: str,
    rows: Sequence[Policy | str],
    columns: Sequence[Policy | str],
    games: int = 1000,
    seed: int = 0,
    on_progress: Callable[[int], None] | None = None,
    **options: Any,
) -> PayoffMatrix:
    """Play every policy of the first seat against every policy of the second, all on the same boards.

    Args:
        env_id: The environment.
        rows: Policies or specs of the first agent.
        columns: Policies or specs of the second agent.
        games: Games per pairing.
        seed: Seed of every pairing.
        on_progress: Called with the number of finished games of all pairings together, now and then.
        **options: ``num_envs``, ``layout``, ``max_turns`` and ``num_threads``, as in `evaluate`.

    Raises:
        ConfigError: There are no rows or no columns; otherwise as in `evaluate`.
    """
    if not rows or not columns:
        raise ConfigError("a payoff matrix needs at least one policy for each seat")
    agents = game_of(env_id).agents
    data = options.get("data")
    firsts = [_as_policy(policy, env_id, agents[0], data) for policy in rows]
    seconds = [_as_policy(policy, env_id, agents[1], data) for policy in columns]
    cells: list[tuple[MatchResult, ...]] = []
    finished = 0
    for first in firsts:
        line: list[MatchResult] = []
        for second in seconds:
            before = finished
            report = None if on_progress is None else (lambda done, b=before: on_progress(b + done))
            pair = {agents[0]: first, agents[1]: second}
            line.append(evaluate(env_id, pair, games, seed, on_progress=report, **options))
            finished += games
        cells.append(tuple(line))
    return PayoffMatrix(
        env_id,
        agents[0],
        agents[1],
        tuple(policy.spec for policy in firsts),
        tuple(policy.spec for policy in seconds),
        tuple(cells),
    )


def improvement(better: MatchResult, worse: MatchResult, agent: str) -> tuple[float, float, float]:
    """Return by how much an agent's win rate is higher in one match than in another, with its 95% interval.

    Args:
        better: The match whose win rate counts positive.
        worse: The match whose win rate is subtracted.
        agent: The seat.

    Returns:
        Difference, lower and upper end (Newcombe's interval).
    """
    return difference_interval(better.seat(agent).wins, better.games, worse.seat(agent).wins, worse.games)


def _as_policy(policy: Policy | str, env_id: str, agent: str, data: str | os.PathLike[str] | None) -> Policy:
    return make_policy(policy, env_id, agent, data) if isinstance(policy, str) else policy


def _held_out(policy: Policy, env_id: str) -> bool:
    return env_id in getattr(policy, "held_out", ())


def seat_result(
    agent: str,
    policy: str,
    rewards: NDArray[np.float64],
    held_out: bool = False,
    final_info: Mapping[str, float] | None = None,
) -> SeatResult:
    """Count how a seat did.

    Args:
        agent: The seat.
        policy: Spec of its policy.
        rewards: Its reward per game, shape (games,).
        held_out: Whether the environment was held out of the policy's training.
        final_info: Means of what the game told it at the end, by name.
    """
    wins, losses = int((rewards > 0).sum()), int((rewards < 0).sum())
    mean, low, high = score_interval(rewards, CONFIDENCE)
    return SeatResult(
        agent=agent,
        policy=policy,
        wins=wins,
        draws=len(rewards) - wins - losses,
        losses=losses,
        win_rate=wins / len(rewards),
        win_interval=wilson_interval(wins, len(rewards), CONFIDENCE),
        mean_reward=mean,
        reward_interval=(low, high),
        held_out=held_out,
        final_info=dict(final_info or {}),
    )


def _warm_up(batch: BatchEnv, players: Sequence[Policy]) -> None:
    """Let everything compile that is compiled on first use, so that `seconds` is about playing."""
    first = np.arange(1)
    batch.restart(first, np.zeros(1, np.uint64))
    player = players[int(batch.seat[0])]
    actions = np.zeros(batch.num_envs, np.int64)
    actions[:1] = _choose(batch, player, first, np.zeros(1, np.uint64), first, np.random.default_rng(0))
    batch.step(actions, first)


def _play(
    batch: BatchEnv,
    players: Sequence[Policy],
    seeds: NDArray[np.uint64],
    seed: int,
    on_progress: Callable[[int], None] | None,
    final: Mapping[str, NDArray[np.float64]],
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]:
    """Play the episodes of `seeds`; return rewards, lengths, turns, how many were truncated, and fill `final`."""
    games, slots = len(seeds), batch.num_envs
    rewards = np.zeros((games, 2))
    lengths, turns = np.zeros(games, np.int64), np.zeros(games, np.int64)
    truncated = 0
    # Which game each slot plays; -1 for a slot without one left, which then stands still.
    playing = np.arange(slots)
    taken = np.zeros(slots, np.int64)
    upcoming, finished = slots, 0
    generator = np.random.default_rng([seed & 0xFFFFFFFFFFFFFFFF, EVALUATION])
    actions = np.zeros(slots, np.int64)
    batch.restart(np.arange(slots), seeds[:slots])
    while finished < games:
        active = np.flatnonzero(playing >= 0)
        for seat, player in enumerate(players):
            chosen = active[batch.seat[active] == seat]
            if len(chosen):
                own = seeds[playing[chosen]]
                actions[chosen] = _choose(batch, player, chosen, own, taken[chosen], generator)
        batch.step(actions, None if len(active) == slots else active)
        taken[active] += 1
        ended = active[(batch.terminated | batch.truncated)[active]]
        if not len(ended):
            continue
        rewards[playing[ended]] = batch.rewards[ended]
        lengths[playing[ended]] = taken[ended]
        for k in ended.tolist():
            last = batch.final_state(k)
            turns[playing[k]] = last["core"]["turn"][0]
            for number in range(len(players)) if final else ():
                told = batch.game.final_info(last, 0, number)
                for name, values in final.items():
                    values[playing[k], number] = told[name]
        truncated += int(batch.truncated[ended].sum())
        finished += len(ended)
        more = ended[: games - upcoming]
        playing[ended], taken[ended] = -1, 0
        if len(more):
            playing[more] = np.arange(upcoming, upcoming + len(more))
            upcoming += len(more)
            batch.restart(more, seeds[playing[more]])
        if on_progress is not None:
            on_progress(finished)
    return rewards, lengths, turns, truncated


def _choose(
    batch: BatchEnv,
    player: Policy,
    chosen: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    taken: NDArray[np.int64],
    generator: np.random.Generator,
) -> NDArray[np.int64]:
    """Return a player's legal choices for some games of a batch."""
    positions = None
    if player.needs_position:
        positions = batch.views(chosen, decision_seeds(seeds, taken, _VIEWING))
    masks = batch.mask[chosen]
    observations = batch.observation[chosen if getattr(player, "needs_observation", True) else chosen[:0]]
    if isinstance(player, SeededPolicy):
        actions = player.act_seeded(observations, masks, decision_seeds(seeds, taken, _CHOOSING), positions)
    else:
        actions = np.asarray(player.act_batch(observations, masks, generator, positions), np.int64)
    inside = (actions >= 0) & (actions < masks.shape[1])
    legal = masks[np.arange(len(masks)), np.where(inside, actions, 0)].astype(bool) & inside
    if not legal.all():
        action = int(actions[np.argmin(legal)])
        raise IllegalActionError(
            f"policy {player.spec!r} chose action {action}, which is not legal now; "
            "a policy must choose an action whose mask is 1",
            action,
        )
    return actions
