"""What evaluations find, with intervals, and how it is written down: as rows, as tables, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import data_name

if TYPE_CHECKING:
    from rich.table import Table

CONFIDENCE = 0.95
"""Of all intervals."""

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
        mean_turns: Mean number of turns of a game, the last one counted.
        decisions: Decisions of all games together.
        seconds: How long it took.
        rewards: Reward per game and seat, shape (games, 2); not part of tables.
        lengths: Decisions per game, shape (games,); not part of tables.
        turns: Turns per game, shape (games,); not part of tables.
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
    mean_turns: float
    decisions: int
    seconds: float = field(compare=False)
    rewards: NDArray[np.float64] = field(repr=False, compare=False)
    lengths: NDArray[np.int64] = field(repr=False, compare=False)
    turns: NDArray[np.int64] = field(repr=False, compare=False)
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
            "mean_turns": self.mean_turns,
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
        for seat, policy, *numbers in self._lines():
            table.add_row(f"{seat}\n{policy}", *numbers[: len(_COLUMNS) - 2])
        return table

    def final_tables(self) -> list[Table]:
        """Return a table of what the ends of games told (`Game.final_info`); none if they told nothing."""
        return [_ends(self.env_id, [self], figures)] if (figures := _told([self])) else []

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
            f"mean length {self.mean_length:.1f} decisions, {self.mean_turns:.1f} turns; {self.truncated} truncated; "
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
        lines += [_markdown(line) for line in self._lines()]
        head = self._final_head()
        lines += ["", _markdown(head), _markdown(["---", "---", *("---:" for _ in head[2:])])]
        lines += [_markdown(line) for line in self._final_lines()]
        return "\n".join(lines) + "\n"

    def _figures(self) -> list[tuple[str, int]]:
        return _told([cell for row in self.cells for cell in row])

    def _final_head(self) -> list[str]:
        agents = (self.row_agent, self.column_agent)
        figures = [
            f"mean {name}" if seat < 0 else f"mean {name} of {agents[seat]}" for name, seat in self._figures()
        ]
        return [*agents, "mean decisions", "mean turns", "truncated", *figures]

    def _final_lines(self) -> list[list[str]]:
        return [
            [
                *(seat.label for seat in cell.seats),
                f"{cell.mean_length:.1f}",
                f"{cell.mean_turns:.1f}",
                f"{cell.truncated}",
                *(f"{cell.seats[max(seat, 0)].final_info[name]:.2f}" for name, seat in self._figures()),
            ]
            for row in self.cells
            for cell in row
        ]

    def final_tables(self) -> list[Table]:
        """Return a table for each row of how its games ended: lengths, and what ends tell (`Game.final_info`)."""
        return [_ends(self.env_id, row, self._figures()) for row in self.cells]


def _ends(env_id: str, cells: Sequence[MatchResult], figures: Sequence[tuple[str, int]]) -> Table:
    """Return a table of how the games of some pairings ended."""
    from rich.table import Table

    table = Table(title=f"{env_id}: how long games were, and what their ends tell (means)")
    agents = [seat.agent for seat in cells[0].seats]
    table.add_column("\n".join(agents), overflow="fold", min_width=max(map(len, agents)))
    for cell in cells:
        table.add_column("\n".join(seat.label for seat in cell.seats), justify="right", overflow="fold")
    table.add_row("decisions", *(f"{cell.mean_length:.1f}" for cell in cells))
    table.add_row("turns", *(f"{cell.mean_turns:.1f}" for cell in cells))
    table.add_row("truncated games", *(f"{cell.truncated}" for cell in cells))
    for name, seat in figures:
        words = name.replace("_", " ") + (f" of {agents[seat]}" if seat >= 0 else "")
        table.add_row(words, *(f"{cell.seats[max(seat, 0)].final_info[name]:.2f}" for cell in cells))
    return table


def _told(cells: Sequence[MatchResult]) -> list[tuple[str, int]]:
    """Return what ends tell (`Game.final_info`): names, and the seats told; -1 where both are told the same."""
    figures: list[tuple[str, int]] = []
    for name in cells[0].seats[0].final_info:
        alike = all(cell.seats[0].final_info[name] == cell.seats[1].final_info[name] for cell in cells)
        figures += [(name, -1)] if alike else [(name, 0), (name, 1)]
    return figures


def _rate(rate: float, low: float, high: float) -> str:
    return f"{rate:.1%} ({low:.1%} to {high:.1%})"


def _cell_text(seat: SeatResult) -> str:
    return f"{_rate(seat.win_rate, *seat.win_interval)} {seat.mean_reward:+.2f}"


def _markdown(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
