"""The head of every game's state record, and helpers to make and copy records."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.dice import QUEUE_SIZE

CORE = np.dtype(
    [
        # chance: see dice.py
        ("key", "i8"),
        ("stream", "i8"),
        ("counter", "i8"),
        ("queue", "i1", (QUEUE_SIZE,)),
        ("queue_head", "i2"),
        ("queue_length", "i2"),
        ("strict", "i2"),  # 1: a roll that finds the queue empty sets `unplanned`
        # the first such roll: n for a die 1..n, -n for 0..n-1, 0 for none; IMPOSSIBLE farther from 0 if one was
        # planned that the die cannot show
        ("unplanned", "i2"),
        # what was asked for
        ("mission", "i2"),  # number of the mission within its game, from 1
        ("layout", "i2"),  # 0 random, 1 standard
        ("max_turns", "i2"),  # truncates; 0: no limit
        ("skip_forced", "i2"),  # 1: decisions with one legal action are taken by the engine
        # where the game stands
        ("turn", "i2"),  # from 1
        ("seat", "i2"),  # index of the agent to act
        # 1: terminated or truncated; FORFEITED: ended by an illegal action, everything else being as it was
        ("over", "i2"),
        ("truncated", "i2"),
        ("result", "i2"),  # half points of seat 0: 2 win, 1 minor win, 0 draw, -1, -2
        ("spare", "i2"),
        ("decisions", "i8"),  # decisions taken so far, forced ones included
    ],
    align=True,
)
"""Every game's state dtype has a first field ``core`` of this dtype; `core` code reads nothing else."""

LOG_COLUMNS = 8

FORFEITED = 2
"""``core.over`` of a game that an illegal action ended; apart from it and the result it stands at that decision."""
MOST_TURNS = 32_000
"""The largest ``core.max_turns``; games without a limit should end there too, before the number wraps."""


def new_states(dtype: np.dtype, count: int) -> NDArray[np.void]:
    """Return `count` zeroed state records, in the form that kernels take (compiled or interpreted)."""
    states = np.zeros(count, dtype)
    return states.view(np.recarray) if INTERPRETED else states


def as_states(array: NDArray[np.void]) -> NDArray[np.void]:
    """Return a view of an array of records in the form that kernels take."""
    return array.view(np.recarray) if INTERPRETED else array.view(np.ndarray)


def new_log(rows: int) -> NDArray[np.int32]:
    """Return an event log of `rows` rows; row 0 holds the count. ``new_log(0)`` records nothing, at no cost."""
    return np.zeros((rows, LOG_COLUMNS), np.int32)
