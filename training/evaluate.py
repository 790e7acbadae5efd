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
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from broodmind.agents import Policy, make_policy
from broodmind.agents.seeds import SeededPolicy, decision_seeds
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.errors import ConfigError, IllegalActionError, PolicySpecError
from broodmind.envs.core.game import data_name
from broodmind.envs.core.registration import game_of, make_vec
from broodmind.training.statistics import difference_interval, score_interval, wilson_interval

if TYPE_CHECKING:
    from rich.table import Table

    from broodmind.envs.core.vec import BatchEnv

EVALUATION = 0x65766C
"""Tag of the seeds of evaluation episodes (see the module's documentation)."""

CONFIDENCE = 0.95
"""Of all intervals."""

_CHOOSING, _VIEWING = 0, 1  # purposes of decision seeds

_COLUMNS = (
    "seat",
    "policy",
    "win",
    "draw",
    "loss",
    "win rate (95% interval)",
    "mean reward (95% interval)",
)
_JUSTIFY: tuple[Literal["left", "right"], ...] = ("left", "left", "right", "right", "right", "right", "right")


@dataclass(frozen=True)
class SeatResult:
    """How one seat did.

    Args:
        agent: The seat.
        policy: Spec of its policy.
        wins: Games with a positive reward.
        draws: Games with reward 0, truncated ones included.
        losses: Games with a negative reward.
        win_rate: Wins by games.
        win_interval: 95% interval of the win rate (Wilson).
        mean_reward: Mean reward of a game, -1..1.
        reward_interval: 95% interval of the mean reward (score interval, see `score_interval`).
        held_out: Whether the environment was held out of the policy's training.
        final_info: Means of what the game tells the seat at the end (``mission.final_info``), by name.
    """

    agent: str
    policy: str
    wins: int
    draws: int
    losses: int
    win_rate: float
    win_interval: tuple[float, float]
    mean_reward: float
    reward_interval: tuple[float, float]
    held_out: bool = False
    final_info: Mapping[str, float] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The policy, marked if the environment was held out of its training."""
        return f"{self.policy} (held out)" if self.held_out else self.policy


@dataclass(frozen=True)
class MatchResult:
    """What an evaluation found.

    Args:
        env_id: The environment.
        games: How many games were played.
        seed: Seed of the evaluation.
        layout: Layout of the boards.
        max_turns: The limit of turns that was asked for; None: the mission's own.
        seats: How each seat did, in the order of the game's agents.
        truncated: Games that the limit of turns ended (draws).
        mean_length: Mean number of decisions of a game, forced ones not counted.
        decisions: Decisions of all games together.
        seconds: How long it took.
        rewards: Reward per game and seat, shape (games, 2); not part of tables.
        lengths: Decisions per game, shape (games,); not part of tables.
        data_hash: Hash of the data that took the place of the packaged ones; empty: none did.
    """

    env_id: str
    games: int
    seed: int
    layout: str
    max_turns: int | None
    seats: tuple[SeatResult, SeatResult]
    truncated: int
    mean_length: float
    decisions: int
    seconds: float = field(compare=False)
    rewards: NDArray[np.float64] = field(repr=False, compare=False)
    lengths: NDArray[np.int64] = field(repr=False, compare=False)
    data_hash: str = ""

    @property
    def decisions_per_second(self) -> float:
        """Decisions by seconds, policies included."""
        return self.decisions / max(self.seconds, 1e-9)

    def seat(self, agent: str) -> SeatResult:
        """Return how an agent did.

        Raises:
            KeyError: There is no such agent.
        """
        for seat in self.seats:
            if seat.agent == agent:
                return seat
        raise KeyError(agent)

    @property
    def held_out(self) -> bool:
        """Whether the environment was held out of some policy's training."""
        return any(seat.held_out for seat in self.seats)

    def rows(self) -> list[dict[str, Any]]:
        """Return one JSON-able row per seat, as checkpoint cards keep them."""
        return [
            {
                "environment": self.env_id,
                "agent": seat.agent,
                "policy": seat.policy,
                "opponent": other.policy,
                "games": self.games,
                "seed": self.seed,
                "layout": self.layout,
                "wins": seat.wins,
                "draws": seat.draws,
                "losses": seat.losses,
                "win_rate": seat.win_rate,
                "win_interval": list(seat.win_interval),
                "mean_reward": seat.mean_reward,
                "reward_interval": list(seat.reward_interval),
                "mean_length": self.mean_length,
                "truncated": self.truncated,
                "held_out": seat.held_out,
                **({"final_info": dict(seat.final_info)} if seat.final_info else {}),
                **({"data": self.data_hash} if self.data_hash else {}),
            }
            for seat, other in zip(self.seats, reversed(self.seats))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single games, JSON-able."""
        return {
            "environment": self.env_id,
            "games": self.games,
            "seed": self.seed,
            "layout": self.layout,
            "max_turns": self.max_turns,
            "confidence": CONFIDENCE,
            "seats": self.rows(),
            "truncated": self.truncated,
            "mean_length": self.mean_length,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "decisions_per_second": self.decisions_per_second,
        }

    def to_table(self) -> Table:
        """Return a table for the terminal (rich)."""
        from rich.table import Table

        table = Table(title=self._title(), caption=self._caption(), show_lines=True)
        # Seat above policy, so that both fit a narrow terminal; what does not is folded, never cut.
        longest = max(len(name) for seat in self.seats for name in (seat.agent, seat.label))
        table.add_column("\n".join(_COLUMNS[:2]), overflow="fold", min_width=min(longest, 24))
        for column, justify in zip(_COLUMNS[2:], _JUSTIFY[2:]):
            table.add_column(column, justify=justify, overflow="fold")
        for column in self._more_columns():
            table.add_column(column, justify="right", overflow="fold")
        for seat, policy, *numbers in self._lines():
            table.add_row(f"{seat}\n{policy}", *numbers)
        return table

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        more = self._more_columns()
        rule = ["---" if justify == "left" else "---:" for justify in (*_JUSTIFY, *("right" for _ in more))]
        lines = [self._title(), "", _markdown([*_COLUMNS, *more]), _markdown(rule)]
        return "\n".join([*lines, *map(_markdown, self._lines()), "", self._caption()]) + "\n"

    def _more_columns(self) -> list[str]:
        return [f"mean {name}" for name in self.seats[0].final_info]

    def _title(self) -> str:
        data = f", {data_name(self.data_hash)}" if self.data_hash else ""
        return f"{self.env_id}, {self.games} games, seed {self.seed}{data}"

    def _caption(self) -> str:
        return (
            f"mean length {self.mean_length:.1f} decisions; {self.truncated} truncated; "
            f"{self.decisions_per_second:,.0f} decisions per second"
        )

    def _lines(self) -> list[list[str]]:
        return [
            [
                seat.agent,
                seat.label,
                str(seat.wins),
                str(seat.draws),
                str(seat.losses),
                _rate(seat.win_rate, *seat.win_interval),
                f"{seat.mean_reward:+.3f} ({seat.reward_interval[0]:+.3f} to {seat.reward_interval[1]:+.3f})",
                *(f"{value:.2f}" for value in seat.final_info.values()),
            ]
            for seat in self.seats
        ]


@dataclass(frozen=True)
class PayoffMatrix:
    """Every policy of one seat against every policy of the other.

    Args:
        env_id: The environment.
        row_agent: The seat of the rows (index 0).
        column_agent: The seat of the columns (index 1).
        rows: Specs of the rows.
        columns: Specs of the columns.
        cells: ``cells[r][c]``: row r against column c.
    """

    env_id: str
    row_agent: str
    column_agent: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MatchResult, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single games, JSON-able."""
        return {
            "environment": self.env_id,
            "row_agent": self.row_agent,
            "column_agent": self.column_agent,
            "rows": list(self.rows),
            "columns": list(self.columns),
            "cells": [[cell.to_dict() for cell in row] for row in self.cells],
        }

    @property
    def held_out(self) -> bool:
        """Whether the environment was held out of some policy's training."""
        return any(cell.held_out for row in self.cells for cell in row)

    def _lines(self) -> list[list[str]]:
        return [[row[0].seats[0].label, *(_cell_text(cell.seats[0]) for cell in row)] for row in self.cells]

    def _head(self) -> list[str]:
        corner = f"{self.row_agent} \\ {self.column_agent}"
        return [corner, *(cell.seats[1].label for cell in self.cells[0])]

    def _title(self) -> str:
        games = self.cells[0][0].games
        return (
            f"{self.env_id}: wins of {self.row_agent} (rows) in {games} games each, 95% interval, mean reward"
        )

    def to_table(self) -> Table:
        """Return a table for the terminal (rich)."""
        from rich.table import Table

        table = Table(title=self._title(), show_lines=True)
        corner, *columns = self._head()
        table.add_column(corner, overflow="fold")  # names are never cut
        for name in columns:
            table.add_column(name, justify="right", overflow="fold")
        for line in self._lines():
            table.add_row(*line)
        return table

    def to_markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [
            self._title(),
            "",
            _markdown(self._head()),
            _markdown(["---", *("---:" for _ in self.columns)]),
        ]
        return "\n".join(lines + [_markdown(line) for line in self._lines()]) + "\n"


def _rate(rate: float, low: float, high: float) -> str:
    return f"{rate:.1%} ({low:.1%} to {high:.1%})"


def _cell_text(seat: SeatResult) -> str:
    return f"{_rate(seat.win_rate, *seat.win_interval)} {seat.mean_reward:+.2f}"


def _markdown(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


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
        keep_final=bool(final),
    )
    seeds = np.array([derive_seed(seed, EVALUATION, k) for k in range(games)], np.uint64)
    try:
        _warm_up(batch, players)
        start = time.perf_counter()
        rewards, lengths, truncated = _play(batch, players, seeds, seed, on_progress, final)
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
        decisions=int(lengths.sum()),
        seconds=seconds,
        rewards=rewards,
        lengths=lengths,
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
) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
    """Play the episodes of `seeds`; return rewards, lengths and how many were truncated, and fill `final`."""
    games, slots = len(seeds), batch.num_envs
    rewards = np.zeros((games, 2))
    lengths = np.zeros(games, np.int64)
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
        if final:
            for k in ended.tolist():
                for number, told in enumerate(batch.final_info(k)):
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
    return rewards, lengths, truncated


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
