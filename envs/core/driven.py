"""The kernels of a game, made from its rules: the loop that all games share, and the functions of the contract.

Numba optimises everything that an entry point calls once more for each entry point. So resets, steps, playouts, masks
and scripted choices are modes of one loop, compiled once per game, and the rest is thin Python.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from broodmind.envs.core.borrowing import borrowed
from broodmind.envs.core.compiled import entry_of, kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.core.episodes import next_episode
from broodmind.envs.core.prefetching import prefetch_row
from broodmind.envs.core.record import new_log

RESET = 0
STEP = 1
STEP_AND_RESTART = 2
PLAYOUT = 3  # plus, as bits, the seats that play scripted choices; the others choose at random
SCRIPTED_CHOICE = 7
LEGAL = 8

_NO_LOG = new_log(0)
_NO_OBSERVATION = np.zeros((0, 0), np.float32)
_NO_MEMORY = np.zeros((0, 0), np.int64)
_NO_NUMBERS = np.zeros(0, np.int64)
_NO_BYTES = np.zeros(0, np.int8)
_NO_MASK = np.zeros((0, 0), np.int8)
_NO_RESULTS = np.zeros(0, np.int16)
_NO_LENGTHS = np.zeros(0, np.int32)


@kernel
def count_legal(mask) -> int:
    """Count the legal actions."""
    count = 0
    for a in range(mask.shape[0]):
        count += int(mask[a])
    return count


@kernel
def only_legal(mask) -> int:
    """Return the lowest legal action, or -1."""
    for a in range(mask.shape[0]):
        if mask[a]:
            return a
    return -1


@kernel
def choose_at_random(mask, word: int) -> int:
    """Return a legal action, each equally likely for a uniform 32-bit word."""
    pick = (word * count_legal(mask)) >> 32
    for a in range(mask.shape[0]):
        if mask[a]:
            if pick == 0:
                return a
            pick -= 1
    return -1


# The rules of a game, which `Driven` puts here in the copies of the templates below that it compiles.
begin_game: Any = None
perform: Any = None
fill_mask: Any = None
choose: Any = None
fill: Any = None
memory_size: Any = 0


def template(function: Any) -> Any:
    """Mark the source of an entry point that `Driven` compiles once for each game."""
    return function


@template
def _drive(
    states,
    first,
    stop,
    tables,
    mode,
    limit,
    seed,
    actions,
    log,
    mask,
    observation,
    memory,
    seat,
    ended,
    result,
    length,
) -> None:
    """Play games first..stop-1 on in a mode, `limit` decisions each (forced ones not counted).

    `mask` has a row per game, and holds the mask at hand where actions are chosen here. `observation`, `memory`,
    `seat`, `ended`, `result` and `length` are filled if `observation` has rows. Two modes play nothing: SCRIPTED_CHOICE
    replaces the seeds in `actions` by what the scripted players choose, LEGAL fills `mask`.
    """
    states = borrowed(states)
    log = borrowed(log)
    mask = borrowed(mask)
    observation = borrowed(observation)
    memory = borrowed(memory)
    t = borrowed(tables)[0]
    for i in range(first, stop):
        s = states[i]
        k = 0
        fresh = mode == RESET
        if observation.shape[0] > 0:
            ended[i] = 0
            if i + 1 < stop:  # a batch is larger than a core's cache
                prefetch_row(states, i + 1)
                prefetch_row(memory, i + 1)
                prefetch_row(mask, i + 1)
        while True:
            action = -1
            if fresh:
                begin_game(s, t, log)
            else:
                if k >= limit or (s.core.over and mode < SCRIPTED_CHOICE):
                    break
                playing_on = PLAYOUT <= mode and mode < SCRIPTED_CHOICE
                if playing_on and ((mode - PLAYOUT) >> int(s.core.seat)) & 1 == 0:
                    word, _ = philox(seed, k, 0x504C4159)
                    action = choose_at_random(mask[i], word)
                elif playing_on or mode == SCRIPTED_CHOICE:
                    action = choose(s, t, actions[i] if mode == SCRIPTED_CHOICE else seed + k)
                    if mode == SCRIPTED_CHOICE:
                        actions[i] = action
                        break
                elif mode != LEGAL:
                    action = actions[i]
                    if action < 0:  # this game is left as it is
                        break
            k += 1
            while True:  # one call of each: what is called here is compiled into this kernel every time
                if action >= 0:
                    perform(s, t, action, log)
                fill_mask(s, t, mask[i])
                if mode == LEGAL or not s.core.skip_forced or s.core.over or count_legal(mask[i]) != 1:
                    break
                action = only_legal(mask[i])
            if mode == STEP_AND_RESTART and s.core.over:
                ended[i] = 2 if s.core.truncated else 1
                result[i] = s.core.result
                length[i] = s.core.decisions
                next_episode(s.core)
                fresh = True
                continue
            if observation.shape[0] > 0:
                seat[i] = s.core.seat
                fill(s, t, int(s.core.seat), observation[i], memory[i], fresh)
            if fresh:
                break


@template
def _observe_range(states, first, stop, tables, seat, observation) -> None:
    states = borrowed(states)
    observation = borrowed(observation)
    memory = np.empty(memory_size, np.int64)
    for i in range(first, stop):
        fill(states[i], tables[0], int(seat[i]), observation[i], memory, True)


class Driven:
    """The compiled entry points of a game, see :class:`broodmind.envs.core.game.Kernels` for each method.

    Args:
        game: The game's name: its cache folder's.
        begin_game: Kernel ``(s, t, log)``: set a mission up and play on to the first decision.
        perform: Kernel ``(s, t, action, log)``: carry out a legal action and play on to the next decision.
        fill_mask: Kernel ``(s, t, mask)``: fill the mask of the decision at hand.
        choose: Kernel ``(s, t, seed)``: what the hand-written player chooses.
        fill: Kernel ``(s, t, seat, out, memory, fresh)``: write what a seat sees.
        view: Entry point ``(states, i, tables, seat, seed)``.
        memory_size: ``Game.memory_size``.
    """

    def __init__(
        self,
        game: str,
        *,
        begin_game: Callable[..., Any],
        perform: Callable[..., Any],
        fill_mask: Callable[..., Any],
        choose: Callable[..., Any],
        fill: Callable[..., Any],
        view: Callable[..., Any],
        memory_size: int = 0,
    ) -> None:
        # Numba caches no kernels that hold others in closures or arguments, but it looks up globals: the loop is given
        # those of this module with the game's rules in the place of None.
        rules = {
            "begin_game": begin_game,
            "perform": perform,
            "fill_mask": fill_mask,
            "choose": choose,
            "fill": fill,
            "memory_size": memory_size,
        }
        self.drive: Any = entry_of(game, _with(_drive, rules))
        self.observe_range: Any = entry_of(game, _with(_observe_range, rules))
        self.view: Any = view

    def _one(self, states, i, tables, mode, limit, seed, actions, log, mask) -> None:
        self.drive(
            states[i : i + 1],
            0,
            1,
            tables,
            mode,
            limit,
            seed,
            actions,
            log,
            mask.reshape(1, -1),
            _NO_OBSERVATION,
            _NO_MEMORY,
            _NO_BYTES,
            _NO_BYTES,
            _NO_RESULTS,
            _NO_LENGTHS,
        )

    def _look(self, states, first, stop, tables, mode, actions, mask) -> None:
        self.drive(
            states,
            first,
            stop,
            tables,
            mode,
            1,
            0,
            actions,
            _NO_LOG,
            mask,
            _NO_OBSERVATION,
            _NO_MEMORY,
            _NO_BYTES,
            _NO_BYTES,
            _NO_RESULTS,
            _NO_LENGTHS,
        )

    def legal_range(self, states, start, stop, tables, mask) -> None:
        """Fill the masks of games start..stop-1."""
        self._look(states, start, stop, tables, LEGAL, _NO_NUMBERS, mask)

    def legal(self, states, i, tables, mask) -> None:
        """Fill the mask of one game."""
        self.legal_range(states[i : i + 1], 0, 1, tables, mask.reshape(1, -1))

    def observe(self, states, i, tables, seat, observation) -> None:
        """Fill what a seat sees of one game."""
        seats = np.array([seat], np.int8)
        self.observe_range(states[i : i + 1], 0, 1, tables, seats, observation.reshape(1, -1))

    def scripted_range(self, states, start, stop, tables, seeds, actions) -> None:
        """Choose for games start..stop-1."""
        actions[start:stop] = seeds[start:stop]
        self._look(states, start, stop, tables, SCRIPTED_CHOICE, actions, _NO_MASK)

    def scripted(self, states, i, tables, seed) -> int:
        """Choose for one game."""
        chosen = np.array([seed], np.int64)
        self.scripted_range(states[i : i + 1], 0, 1, tables, chosen, chosen)
        return int(chosen[0])

    def reset(self, states, i, tables, log, mask) -> None:
        """Begin one game."""
        self._one(states, i, tables, RESET, 0, 0, _NO_NUMBERS, log, mask)

    def step(self, states, i, tables, action, log, mask) -> None:
        """Carry out an action in one game."""
        self._one(states, i, tables, STEP, 1, 0, np.array([action], np.int64), log, mask)

    def playout(self, states, i, tables, mask, limit, seed, scripted_seats) -> int:
        """Play one game on by itself."""
        self._one(states, i, tables, PLAYOUT + scripted_seats, limit, seed, _NO_NUMBERS, _NO_LOG, mask)
        core = states["core"][i]
        return int(core["result"]) if core["over"] else 0

    def reset_range(self, states, start, stop, tables, observation, memory, mask, seat) -> None:
        """Begin games start..stop-1."""
        ended = np.zeros(stop, np.int8)
        self.drive(
            states,
            start,
            stop,
            tables,
            RESET,
            0,
            0,
            _NO_NUMBERS,
            _NO_LOG,
            mask,
            observation,
            memory,
            seat,
            ended,
            _NO_RESULTS,
            _NO_LENGTHS,
        )

    def step_range(
        self,
        states,
        start,
        stop,
        tables,
        actions,
        observation,
        memory,
        mask,
        seat,
        ended,
        result,
        length,
    ) -> None:
        """Carry out an action in each of games start..stop-1; those that end begin anew."""
        self.drive(
            states,
            start,
            stop,
            tables,
            STEP_AND_RESTART,
            1,
            0,
            actions,
            _NO_LOG,
            mask,
            observation,
            memory,
            seat,
            ended,
            result,
            length,
        )


def _with(function: Any, rules: dict[str, Any]) -> Any:
    """Return a function whose globals are this module's and a game's rules."""
    made = FunctionType(function.__code__, {**globals(), **rules}, function.__name__)
    made.__doc__ = function.__doc__
    return made
