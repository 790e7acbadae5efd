"""Many copies of one position stepped at once, straight on the arrays of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.record import as_states, new_states
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.game import GAME

SAMPLES = 400 if INTERPRETED else 200_000
CHUNK = 4_000
BOARDS = 25 if INTERPRETED else 10_000
FEW_BOARDS = 12
"""In mission 5 even `standard` differs from seed to seed: in the number of Termagants."""
NEVER = 99
"""Stands where a game has not ended."""


class Games:
    """Games under way, as the kernels take them.

    Args:
        count: How many.

    Attributes:
        states: Their records.
        mask: Their masks, shape (games, actions).
        over: Half points of seat 0 where a game has ended, NEVER where it has not.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.states = as_states(new_states(GAME.state_dtype, count))
        self.mask = np.zeros((count, GAME.actions.size), np.int8)
        self.over = np.full(count, NEVER, np.int64)
        self._observation = np.zeros((count, GAME.observation.size), np.float32)
        self._memory = np.zeros((count, GAME.memory_size), np.int64)
        self._seat, self._ended = np.zeros(count, np.int8), np.zeros(count, np.int8)
        self._result, self._length = np.zeros(count, np.int16), np.zeros(count, np.int32)

    def reset(self) -> None:
        """Set all games up as their heads ask."""
        GAME.kernels().reset_range(
            self.states, 0, self.count, GAME.tables(), self._observation, self._memory, self.mask, self._seat
        )

    def step(self, chosen: Any) -> None:
        """Take an action in each game that goes on; -1 leaves a game as it is."""
        actions = np.where(self.over == NEVER, chosen, -1).astype(np.int64)
        GAME.kernels().step_range(
            self.states,
            0,
            self.count,
            GAME.tables(),
            actions,
            self._observation,
            self._memory,
            self.mask,
            self._seat,
            self._ended,
            self._result,
            self._length,
        )
        now = self._ended != 0
        self.over[now] = self._result[now]


def samples(
    record: Any,
    actions: list[int],
    dice: list[int],
    seed: int,
    policy: Callable[[Any, Any], Any] | None = None,
) -> Iterator[tuple[Any, Any]]:
    """Play a position many times over and yield, chunk by chunk, the states and how the games ended.

    Args:
        record: The position.
        actions: What is done, one step each.
        dice: Planned rolls, the same in all games; then every game rolls on its own.
        seed: Every chunk and game derives its generator from it.
        policy: Called with states and masks after the actions; returns an action for each game, or -1 to leave it as
            it is. Called until all games are left.

    Yields:
        States, and half points of seat 0 where a game ended (NEVER where it did not). A game that ended has begun
        anew: its state tells nothing.
    """
    for first in range(0, SAMPLES, CHUNK):
        games = Games(min(CHUNK, SAMPLES - first))
        records = np.asarray(games.states)
        records.view(np.uint8).reshape(games.count, -1)[:] = np.frombuffer(record.tobytes(), np.uint8)
        core: Any = records["core"]
        core["strict"] = core["unplanned"] = core["queue_head"] = 0
        core["queue"][:, : len(dice)] = dice
        core["queue_length"] = len(dice)
        core["key"] = np.arange(games.count) + 1 + first
        core["stream"], core["counter"] = seed, 0
        for action in actions:
            games.step(action)
        while policy is not None:
            chosen = np.where(games.over == NEVER, policy(games.states, games.mask), -1)
            if (chosen < 0).all():
                break
            games.step(chosen)
        yield records, games.over


def layouts(
    mission: int, count: int, seed: int = 0, *, layout: int = st.LAYOUT_RANDOM, dice: Sequence[int] = ()
) -> Any:
    """Return the layouts of `count` seeds as an array of records at their first decision.

    Args:
        mission: 1 to 6.
        count: How many seeds.
        seed: The first one.
        layout: ``LAYOUT_RANDOM`` or ``LAYOUT_STANDARD``.
        dice: Planned rolls, the same for all.
    """
    parts = []
    for first in range(0, count, CHUNK):
        games = Games(min(CHUNK, count - first))
        records = np.asarray(games.states)
        core: Any = records["core"]
        core["mission"], core["layout"], core["max_turns"], core["skip_forced"] = mission, layout, 30, 1
        core["key"], core["stream"] = np.arange(games.count) + first + seed, 7
        core["queue"][:, : len(dice)], core["queue_length"] = list(dice), len(dice)
        games.reset()
        parts.append(records)
    return np.concatenate(parts)


@lru_cache(maxsize=2)
def boards(mission: int, layout: int = st.LAYOUT_RANDOM) -> Any:
    """Return the layouts that constraints are checked on: of many seeds at random, of a few in `standard`."""
    return layouts(mission, BOARDS if layout == st.LAYOUT_RANDOM else FEW_BOARDS, layout=layout)
