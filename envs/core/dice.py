"""The only source of chance: a counter-based generator and a queue of planned rolls, both in the state.

The generator is Philox 2x32 with ten rounds (Salmon et al. 2011), written in 64-bit integers that never need
more than their low 32 bits, so that compiled and interpreted runs agree bit for bit.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import entry, kernel

QUEUE_SIZE = 96
"""Most planned rolls that a state can hold."""

MASK32 = 0xFFFFFFFF

IMPOSSIBLE = 1000
"""How much farther from 0 ``core.unplanned`` is if a roll was planned, but is none that the die can show."""


@entry
def philox(key: int, low: int, high: int) -> tuple[int, int]:
    """Return two 32-bit words for a 32-bit key and a counter of two 32-bit words."""
    k = int(key) & MASK32  # int(): NumPy integers would overflow in interpreted runs
    left = int(low) & MASK32
    right = int(high) & MASK32
    for _ in range(10):
        product = 0xD256D193 * left
        left = ((product >> 32) & MASK32) ^ k ^ right
        right = product & MASK32
        k = (k + 0x9E3779B9) & MASK32
    return left, right


@entry
def seed_generator(core, seed: int) -> None:
    """Start the generator of a state from a seed of up to 64 bits."""
    core.key = seed & MASK32
    core.stream = (seed >> 32) & MASK32
    core.counter = 0


@kernel
def forget_dice(core, seed: int) -> None:
    """Replace what is still to come by dice of another seed, nothing planned: what a seat may know of them."""
    seed_generator(core, seed)
    core.queue_head = 0
    core.queue_length = 0
    for k in range(core.queue.shape[0]):
        core.queue[k] = 0
    core.strict = 0
    core.unplanned = 0


@kernel
def uniform(core, n: int) -> int:
    """Draw an integer 0..n-1, each equally likely (values that would bias it are drawn again)."""
    reject = ((MASK32 + 1) - n) % n
    while True:
        word, _ = philox(int(core.key), int(core.counter), int(core.stream))
        core.counter = int(core.counter) + 1
        product = word * n
        if (product & MASK32) >= reject:
            return product >> 32


@kernel
def planned(core, n: int, low: int) -> int:
    """Take the next planned roll if there is one, else draw low..low+n-1.

    In strict mode an empty queue sets ``core.unplanned``, and in any mode a planned roll that this die cannot show; the
    Python faces take the action back and raise then.
    """
    head = int(core.queue_head)
    if head < core.queue_length:
        core.queue_head = head + 1
        value = int(core.queue[head])
        if low <= value and value < low + n:
            return value
        if core.unplanned == 0:
            core.unplanned = n + IMPOSSIBLE if low == 1 else -n - IMPOSSIBLE
        return low + uniform(core, n)
    if core.strict and core.unplanned == 0:
        # says which die is wanted: n for 1..n, -n for 0..n-1
        core.unplanned = n if low == 1 else -n
    return low + uniform(core, n)


@kernel
def d6(core) -> int:
    """Roll a six-sided die: 1..6."""
    return planned(core, 6, 1)


@kernel
def planned_value(core) -> int:
    """Take the next planned number as it is, whatever it means to the game, or return -1 if none is planned.

    For choices that are planned by name rather than by number (a card, a tile). In strict mode an empty queue sets
    ``core.unplanned``; a number that means nothing is for `refuse_planned`.
    """
    head = int(core.queue_head)
    if head < core.queue_length:
        core.queue_head = head + 1
        return int(core.queue[head])
    if core.strict and core.unplanned == 0:
        core.unplanned = 1
    return -1


@kernel
def refuse_planned(core, n: int) -> None:
    """Say that a planned number is none that a choice among `n` could have taken."""
    if core.unplanned == 0:
        core.unplanned = n + IMPOSSIBLE


@kernel
def pick(core, n: int) -> int:
    """Choose one of `n` things, 0..n-1, each equally likely; one thing alone takes no roll.

    A planned number k stands for the k-th of them, counted from 1 and round again past the last.
    """
    if n <= 1:
        return 0
    value = planned_value(core)
    if value > 0:
        return (value - 1) % n
    if value == 0:
        refuse_planned(core, n)
    return uniform(core, n)


def derive_seed(seed: int, *path: int) -> int:
    """Return a 63-bit seed for a numbered sub-stream of a seed (pure Python, for set-up code)."""
    state = np.random.SeedSequence([seed & 0xFFFFFFFFFFFFFFFF, *path]).generate_state(1, np.uint64)
    return int(state[0]) >> 1
