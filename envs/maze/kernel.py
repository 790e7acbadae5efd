"""The compiled entry points: reset, step, mask, observation, for one game and for a batch.

Numba optimises everything that an entry point calls once more for each entry point. So resets, steps and playouts are
modes of one kernel, `drive`, and the functions of the contract (`broodmind.envs.core.game.Kernels`) are thin.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import entry, kernel
from broodmind.envs.core.dice import philox, seed_generator
from broodmind.envs.core.episodes import next_episode
from broodmind.envs.core.record import new_log
from broodmind.envs.maze import scripted as hand_written
from broodmind.envs.maze.decisions import perform
from broodmind.envs.maze.legal import count_legal, fill_mask, only_legal
from broodmind.envs.maze.observe import fill
from broodmind.envs.maze.setup import set_up
from broodmind.envs.maze.turn import advance, derive

RESET = 0
STEP = 1
STEP_AND_RESTART = 2
RANDOM_PLAYOUT = 3
SCRIPTED_PLAYOUT = 4
SCRIPTED_CHOICE = 5
LEGAL = 6

_NO_LOG = new_log(0)
_NO_OBSERVATION = np.zeros((0, 0), np.float32)
_NO_MEMORY = np.zeros((0, 0), np.int64)
_NO_NUMBERS = np.zeros(0, np.int64)
_NO_BYTES = np.zeros(0, np.int8)
_NO_MASK = np.zeros((0, 0), np.int8)
_NO_RESULTS = np.zeros(0, np.int16)
_NO_LENGTHS = np.zeros(0, np.int32)


@kernel
def begin_game(s, t, log) -> None:
    """Set the game up and play on to the first decision."""
    set_up(s, t, log)
    advance(s, t, log)


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


@entry
def drive(
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
    t = tables[0]
    for i in range(first, stop):
        s = states[i]
        k = 0
        fresh = mode == RESET
        if observation.shape[0] > 0:
            ended[i] = 0
        while True:
            action = -1
            if fresh:
                begin_game(s, t, log)
            else:
                if k >= limit or (s.core.over and mode < SCRIPTED_CHOICE):
                    break
                if mode == RANDOM_PLAYOUT:
                    word, _ = philox(seed, k, 0x504C4159)
                    action = choose_at_random(mask[i], word)
                elif mode in (SCRIPTED_PLAYOUT, SCRIPTED_CHOICE):
                    action = hand_written.choose(s, t, actions[i] if mode == SCRIPTED_CHOICE else seed + k)
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
                fill(s, t, int(s.core.seat), observation[i])
            if fresh:
                break


@entry
def observe_range(states, first, stop, tables, seat, observation) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    for i in range(first, stop):
        fill(states[i], tables[0], int(seat[i]), observation[i])


@entry
def view(states, i, tables, seat, seed) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`. Only dice and draws are hidden in this game."""
    core = states[i].core
    seed_generator(core, seed)
    core.queue_head = 0
    core.queue_length = 0
    for k in range(core.queue.shape[0]):
        core.queue[k] = 0
    core.strict = 0
    core.unplanned = 0


def _drive_one(states, i, tables, mode, limit, seed, actions, log, mask) -> None:
    drive(
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


def _look(states, first, stop, tables, mode, actions, mask) -> None:
    drive(
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


def legal_range(states, first, stop, tables, mask) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    _look(states, first, stop, tables, LEGAL, _NO_NUMBERS, mask)


def legal(states, i, tables, mask) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    legal_range(states[i : i + 1], 0, 1, tables, mask.reshape(1, -1))


def observe(states, i, tables, seat, observation) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    observe_range(states[i : i + 1], 0, 1, tables, np.array([seat], np.int8), observation.reshape(1, -1))


def scripted_range(states, first, stop, tables, seeds, actions) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    actions[first:stop] = seeds[first:stop]
    _look(states, first, stop, tables, SCRIPTED_CHOICE, actions, _NO_MASK)


def scripted(states, i, tables, seed) -> int:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    chosen = np.array([seed], np.int64)
    scripted_range(states[i : i + 1], 0, 1, tables, chosen, chosen)
    return int(chosen[0])


def reset(states, i, tables, log, mask) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    _drive_one(states, i, tables, RESET, 0, 0, _NO_NUMBERS, log, mask)


def step(states, i, tables, action, log, mask) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    _drive_one(states, i, tables, STEP, 1, 0, np.array([action], np.int64), log, mask)


def playout(states, i, tables, mask, limit, seed, scripted) -> int:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    mode = SCRIPTED_PLAYOUT if scripted else RANDOM_PLAYOUT
    _drive_one(states, i, tables, mode, limit, seed, _NO_NUMBERS, _NO_LOG, mask)
    core = states["core"][i]
    return int(core["result"]) if core["over"] else 0


def reset_range(states, first, stop, tables, observation, memory, mask, seat) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    ended = np.zeros(stop, np.int8)
    drive(
        states,
        first,
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
    states, first, stop, tables, actions, observation, memory, mask, seat, ended, result, length
) -> None:
    """See :class:`broodmind.envs.core.game.Kernels`."""
    drive(
        states,
        first,
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


@entry
def derive_one(states, i, tables) -> None:
    """Work out again what follows from the rest of a position."""
    derive(states[i], tables[0])
