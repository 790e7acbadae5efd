"""Many copies of one position stepped at once, straight on the arrays of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.record import as_states, new_states
from broodmind.envs.macragge.game import GAME

SAMPLES = 400 if INTERPRETED else 200_000
CHUNK = 4_000


NEVER = 99
"""Stands where a game has not ended."""


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
    kernels, tables = GAME.kernels(), GAME.tables()
    left, chunk = SAMPLES, 0
    observation = np.zeros((CHUNK, GAME.observation.size), np.float32)
    mask = np.zeros((CHUNK, GAME.actions.size), np.int8)
    while left > 0:
        n = min(CHUNK, left)
        states = new_states(GAME.state_dtype, n)
        one = np.asarray(states).view(np.uint8).reshape(n, -1)
        one[:] = np.frombuffer(record.tobytes(), np.uint8)
        core: Any = np.asarray(states)["core"]
        core["strict"] = core["unplanned"] = core["queue_head"] = 0
        core["queue"][:, : len(dice)] = dice
        core["queue_length"] = len(dice)
        core["key"] = np.arange(n) + 1 + chunk * CHUNK
        core["stream"], core["counter"] = seed, 0
        states = as_states(states)
        over = np.full(n, NEVER, np.int64)
        seat, ended = np.zeros(n, np.int8), np.zeros(n, np.int8)
        result, length = np.zeros(n, np.int16), np.zeros(n, np.int32)

        def step(chosen: Any) -> None:
            chosen = np.where(over == NEVER, chosen, -1).astype(np.int64)
            kernels.step_range(
                states, 0, n, tables, chosen, observation, mask, seat, ended, result, length
            )
            now = ended != 0
            over[now] = result[now]

        for action in actions:
            step(np.full(n, action))
        while policy is not None:
            chosen = np.where(over == NEVER, policy(states, mask[:n]), -1)
            if (chosen < 0).all():
                break
            step(chosen)
        yield states, over
        left -= n
        chunk += 1


def layouts(mission: int, count: int, seed: int = 0) -> Any:
    """Return the random layouts of `count` seeds as an array of records at their first decision."""
    kernels, tables = GAME.kernels(), GAME.tables()
    states = new_states(GAME.state_dtype, count)
    core: Any = np.asarray(states)["core"]
    core["mission"], core["max_turns"], core["skip_forced"] = mission, 30, 1
    core["key"], core["stream"] = np.arange(count) + seed, 7
    seat = np.zeros(count, np.int8)
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        part = as_states(states[start:stop])
        observation = np.zeros((stop - start, GAME.observation.size), np.float32)
        mask = np.zeros((stop - start, GAME.actions.size), np.int8)
        kernels.reset_range(part, 0, stop - start, tables, observation, mask, seat[start:stop])
    return np.asarray(states)
