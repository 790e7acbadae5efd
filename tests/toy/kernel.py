"""The toy's state, rules and compiled entry points, in one file (Numba's cache then sees every edit)."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import entry
from broodmind.envs.core.dice import d6, philox, seed_generator, uniform
from broodmind.envs.core.episodes import next_episode
from broodmind.envs.core.log import emit
from broodmind.envs.core.record import CORE, LOG_COLUMNS

STATE = np.dtype(
    [
        ("core", CORE),
        ("phase", "i2"),
        ("square", "i2"),  # race: where the runner stands
        ("clear", "i2"),  # race: the lane that is worth two squares
        ("closed", "i2"),  # race: the lane closed this turn, -1 for none
        ("pending", "i2"),  # race: squares of the move under way
        ("nets", "i2"),  # race: nets the guard has left
        ("hand", "i2", (2,)),  # bluff: the hidden dice
        ("claim", "i2"),  # bluff: what the runner claims, -1 for nothing
        ("points", "i2", (2,)),  # bluff
    ],
    align=True,
)
TABLES = np.dtype([("goal", "i2"), ("turns", "i2"), ("target", "i2"), ("truth", "i2", (2,))])

RACE, BLUFF = 1, 2
READY_PHASE, LANE_PHASE, NET_PHASE, GATE_PHASE, CLAIM_PHASE, ANSWER_PHASE = range(6)
READY, LANE, REST, THROW, HOLD, CLOSE, CLAIM, CALL, FOLD, ACTIONS = 0, 1, 4, 5, 6, 7, 10, 12, 13, 14
TURN_BEGAN, MOVED, ROLLED, CAUGHT, CLOSED, CLAIMED, CALLED, SCORED, ENDED = range(1, 10)
GLOBALS, LANES, LANE_WIDTH = 0, 15, 2
SIZE = LANES + 3 * LANE_WIDTH


@entry
def finish(core, result, log):
    core.over = 1
    core.result = result
    emit(log, ENDED, result)


@entry
def draw_clear(s, core):
    if core.layout == 1:
        s.clear = core.turn % 3
    else:
        s.clear = uniform(core, 3)


@entry
def begin_turn(s, core, log):
    core.turn = core.turn + 1
    core.seat = 0
    if core.max_turns > 0 and core.turn > core.max_turns:
        core.truncated = 1
        finish(core, 0, log)
        return
    emit(log, TURN_BEGAN, core.turn)
    s.phase = READY_PHASE
    if core.mission == BLUFF:
        s.claim = -1
        s.hand[0] = d6(core)
        s.hand[1] = d6(core)


@entry
def set_up(s, core, tables, log):
    s.phase = 0
    s.square = 0
    s.clear = 0
    s.closed = -1
    s.pending = 0
    s.nets = core.spare if core.mission == RACE else 0
    s.hand[0] = 0
    s.hand[1] = 0
    s.claim = -1
    s.points[0] = 0
    s.points[1] = 0
    if core.mission == RACE:
        draw_clear(s, core)
    begin_turn(s, core, log)


@entry
def run(s, core, tables, squares, log):
    """Move the runner, then let the guard close a lane for the next turn."""
    emit(log, MOVED, s.square, s.square + squares)
    s.square = s.square + squares
    s.pending = 0
    if s.square >= tables[0].goal:
        finish(core, 2, log)
    elif core.turn >= tables[0].turns:
        finish(core, -2, log)
    else:
        core.turn = core.turn + 1  # the lane of the next turn is known to the guard who closes
        draw_clear(s, core)
        core.turn = core.turn - 1
        s.phase = GATE_PHASE
        core.seat = 1


@entry
def score(s, core, tables, seat, points, log):
    s.points[seat] = s.points[seat] + points
    emit(log, SCORED, seat, points)
    if s.points[seat] >= tables[0].target:
        margin = 1 if s.points[seat] - s.points[1 - seat] == 1 else 2
        finish(core, margin if seat == 0 else -margin, log)
    else:
        begin_turn(s, core, log)


@entry
def apply(s, core, tables, action, log):
    core.decisions = core.decisions + 1
    phase = s.phase
    if phase == READY_PHASE:
        s.phase = LANE_PHASE if core.mission == RACE else CLAIM_PHASE
    elif phase == LANE_PHASE:
        squares = 0
        if action != REST:
            squares = 2 if action - LANE == s.clear else 1
        if squares == 2 and s.nets > 0:
            s.pending = squares
            s.phase = NET_PHASE
            core.seat = 1
        else:
            run(s, core, tables, squares, log)
    elif phase == NET_PHASE:
        squares = s.pending
        if action == THROW:
            s.nets = s.nets - 1
            roll = d6(core)
            emit(log, ROLLED, roll)
            if roll >= 4:
                emit(log, CAUGHT)
                squares = 0
        run(s, core, tables, squares, log)
    elif phase == GATE_PHASE:
        s.closed = action - CLOSE
        emit(log, CLOSED, s.closed)
        begin_turn(s, core, log)
    elif phase == CLAIM_PHASE:
        s.claim = action - CLAIM
        emit(log, CLAIMED, s.claim)
        s.phase = ANSWER_PHASE
        core.seat = 1
    else:
        worth = s.claim + 1
        if action == FOLD:
            score(s, core, tables, 0, worth, log)
        else:
            true = s.hand[0] >= tables[0].truth[s.claim]
            emit(log, CALLED, 1 if true else 0, s.hand[0], s.hand[1])
            if true:
                score(s, core, tables, 0, worth, log)
            else:
                score(s, core, tables, 1, worth + (2 if s.hand[1] >= 5 else 1), log)


@entry
def fill_mask(s, core, mask):
    """Fill the mask and return how many actions are legal."""
    for a in range(ACTIONS):
        mask[a] = 0
    if core.over:
        return 0
    phase = s.phase
    if phase == READY_PHASE:
        mask[READY] = 1
        return 1
    if phase == LANE_PHASE:
        count = 1
        mask[REST] = 1
        for lane in range(3):
            if lane != s.closed:
                mask[LANE + lane] = 1
                count += 1
        return count
    if phase == NET_PHASE:
        mask[THROW] = 1
        mask[HOLD] = 1
        return 2
    if phase == GATE_PHASE:
        count = 0
        for lane in range(3):
            if lane != s.closed:
                mask[CLOSE + lane] = 1
                count += 1
        return count
    if phase == CLAIM_PHASE:
        mask[CLAIM] = 1
        mask[CLAIM + 1] = 1
        return 2
    mask[CALL] = 1
    mask[FOLD] = 1
    return 2


@entry
def play_forced(s, core, tables, log, mask):
    while fill_mask(s, core, mask) == 1 and core.skip_forced:
        for a in range(ACTIONS):
            if mask[a]:
                apply(s, core, tables, a, log)
                break


@entry
def reset(states, i, tables, log, mask):
    s = states[i]
    core = s.core
    set_up(s, core, tables, log)
    play_forced(s, core, tables, log, mask)


@entry
def step(states, i, tables, action, log, mask):
    s = states[i]
    core = s.core
    apply(s, core, tables, action, log)
    play_forced(s, core, tables, log, mask)


@entry
def legal(states, i, tables, mask):
    s = states[i]
    fill_mask(s, s.core, mask)


@entry
def observe(states, i, tables, seat, observation):
    s = states[i]
    core = s.core
    for k in range(SIZE):
        observation[k] = 0.0
    observation[0] = 1.0 - seat
    observation[1] = 1.0 if core.seat == seat and not core.over else 0.0
    observation[2] = core.turn / 8.0
    observation[3 + s.phase] = 1.0
    observation[9] = s.square / 8.0
    observation[10] = s.nets / 4.0
    observation[11] = s.points[seat] / 8.0
    observation[12] = s.points[1 - seat] / 8.0
    observation[13] = s.hand[seat] / 6.0  # never the other seat's
    observation[14] = (s.claim + 1) / 2.0
    if core.mission == RACE:
        observation[LANES + LANE_WIDTH * s.clear] = 1.0
        if s.closed >= 0:
            observation[LANES + LANE_WIDTH * s.closed + 1] = 1.0


@entry
def view(states, i, tables, seat, seed):
    s = states[i]
    core = s.core
    seed_generator(core, seed)
    core.queue_head = 0
    core.queue_length = 0
    core.strict = 0
    core.unplanned = 0
    for k in range(core.queue.shape[0]):
        core.queue[k] = 0
    if core.mission == BLUFF and not core.over:
        s.hand[1 - seat] = 1 + uniform(core, 6)


@entry
def pick(mask, count, word):
    """Return the legal action that a 32-bit word chooses among `count`."""
    left = (word * count) >> 32
    for a in range(ACTIONS):
        if mask[a]:
            if left == 0:
                return a
            left -= 1
    return -1


@entry
def scripted(states, i, tables, seed):
    s = states[i]
    word, _ = philox(seed, 1, 0)
    if s.phase == READY_PHASE:
        return READY
    if s.phase == LANE_PHASE:
        if s.clear != s.closed:
            return LANE + s.clear
        return LANE + (s.closed + 1) % 3
    if s.phase == NET_PHASE:
        return THROW
    if s.phase == GATE_PHASE:
        if s.clear != s.closed:
            return CLOSE + s.clear
        return CLOSE + (s.closed + 1) % 3
    if s.phase == CLAIM_PHASE:
        return CLAIM + 1 if s.hand[0] >= 5 else CLAIM
    if s.claim == 1:
        return CALL if s.hand[1] >= 5 or word & 1 else FOLD
    return CALL if s.hand[1] >= 5 else FOLD


@entry
def playout(states, i, tables, mask, limit, seed, scripted_seats):
    s = states[i]
    core = s.core
    log = np.zeros((0, LOG_COLUMNS), np.int32)
    for k in range(limit):
        if core.over:
            break
        word, other = philox(seed, k, 0x51ED)
        if (scripted_seats >> core.seat) & 1:
            action = scripted(states, i, tables, other)
        else:
            count = 0
            for a in range(ACTIONS):
                count += 1 if mask[a] else 0
            action = pick(mask, count, word)
        step(states, i, tables, action, log, mask)
    return core.result if core.over else 0


@entry
def fill_row(states, k, tables, observation, seat):
    core = states[k].core
    seat[k] = core.seat
    observe(states, k, tables, core.seat, observation[k])


@entry
def reset_range(states, start, stop, tables, observation, memory, mask, seat):
    log = np.zeros((0, LOG_COLUMNS), np.int32)
    for k in range(start, stop):
        reset(states, k, tables, log, mask[k])
        fill_row(states, k, tables, observation, seat)


@entry
def step_range(states, start, stop, tables, actions, observation, memory, mask, seat, ended, result, length):
    log = np.zeros((0, LOG_COLUMNS), np.int32)
    for k in range(start, stop):
        ended[k] = 0
        if actions[k] < 0:
            continue
        step(states, k, tables, actions[k], log, mask[k])
        core = states[k].core
        if core.over:
            ended[k] = 2 if core.truncated else 1
            result[k] = core.result
            length[k] = core.decisions
            next_episode(core)
            reset(states, k, tables, log, mask[k])
        fill_row(states, k, tables, observation, seat)


@entry
def scripted_range(states, start, stop, tables, seeds, actions):
    for k in range(start, stop):
        actions[k] = scripted(states, k, tables, seeds[k])


@entry
def legal_range(states, start, stop, tables, mask):
    for k in range(start, stop):
        legal(states, k, tables, mask[k])


@entry
def observe_range(states, start, stop, tables, seat, observation):
    for k in range(start, stop):
        observe(states, k, tables, seat[k], observation[k])
