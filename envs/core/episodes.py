"""The start of an episode: what is written into ``core`` before a game sets up its board."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry
from broodmind.envs.core.dice import philox, seed_generator


@entry
def begin_episode(core, seed: int) -> None:
    """Clear everything that belongs to one episode and seed its generator.

    What was asked for stays: mission, layout, max_turns, skip_forced, strict. The dice queue is emptied.
    """
    core.queue_head = 0
    core.queue_length = 0
    for k in range(core.queue.shape[0]):
        core.queue[k] = 0
    core.unplanned = 0
    core.turn = 0
    core.seat = 0
    core.over = 0
    core.truncated = 0
    core.result = 0
    core.decisions = 0
    seed_generator(core, seed)


@entry
def next_episode(core) -> None:
    """Begin the episode after this one, its seed drawn from this one's seed (batches reset without Python)."""
    low, high = philox(int(core.key), 0xFFFFFFFF, int(core.stream) ^ 0x5BD1E995)
    begin_episode(core, (high << 32) | low)
