"""Means of an evaluation over several missions: results of the same form, over the games of all of them.

Every mission is played the same number of games, so the rate over all games is the mean of the missions' rates. Its
interval is that of the games taken together: a little wide if missions differ, since it counts their difference as
chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from broodmind.envs.core.errors import ConfigError
from broodmind.training.evaluate import seat_result
from broodmind.training.results import MatchResult, PayoffMatrix


def mean_match(matches: Sequence[MatchResult], name: str) -> MatchResult:
    """Return matches of the same two policies in several missions as one.

    Args:
        matches: One per mission, of equally many games.
        name: What stands in place of the environment id, such as ``"mean of 6 missions"``.

    Raises:
        ConfigError: There are none, or they are of other policies or of another number of games.
    """
    alike = {(match.games, *((seat.agent, seat.policy) for seat in match.seats)) for match in matches}
    if len(alike) != 1:
        raise ConfigError("a mean needs matches of the same two policies and of equally many games")
    first = matches[0]
    rewards = np.concatenate([match.rewards for match in matches])
    lengths = np.concatenate([match.lengths for match in matches])
    turns = np.concatenate([match.turns for match in matches])
    one, two = (
        seat_result(seat.agent, seat.policy, rewards[:, k], final_info=_mean_figures(matches, k))
        for k, seat in enumerate(first.seats)
    )
    return MatchResult(
        env_id=name,
        games=len(rewards),
        seed=first.seed,
        layout=" and ".join(dict.fromkeys(match.layout for match in matches)),
        max_turns=first.max_turns,
        seats=(one, two),
        truncated=sum(match.truncated for match in matches),
        mean_length=float(lengths.mean()),
        mean_turns=float(turns.mean()),
        decisions=int(lengths.sum()),
        seconds=sum(match.seconds for match in matches),
        rewards=rewards,
        lengths=lengths,
        turns=turns,
        data_hash=first.data_hash,
    )


def _mean_figures(matches: Sequence[MatchResult], seat: int) -> dict[str, float]:
    """Return the means of what the ends of all missions tell a seat."""
    told = [match.seats[seat].final_info for match in matches]
    common = [name for name in told[0] if all(name in figures for figures in told)]
    return {name: float(np.mean([figures[name] for figures in told])) for name in common}


def mean_matrix(matrices: Sequence[PayoffMatrix], name: str) -> PayoffMatrix:
    """Return payoff matrices of the same policies in several missions as one, cell by cell.

    Args:
        matrices: One per mission, of equally many games.
        name: As in `mean_match`.

    Raises:
        ConfigError: There are none, or they are of other policies or of another number of games.
    """
    if len({(matrix.rows, matrix.columns) for matrix in matrices}) != 1:
        raise ConfigError("a mean needs payoff matrices of the same policies")
    first = matrices[0]
    cells = tuple(
        tuple(mean_match(cells, name) for cells in zip(*lines, strict=True))
        for lines in zip(*(matrix.cells for matrix in matrices), strict=True)
    )
    return PayoffMatrix(name, first.row_agent, first.column_agent, first.rows, first.columns, cells)
