"""How the games of a batch are shared out among threads."""

from __future__ import annotations

import os

SMALLEST_CHUNK = 16
"""Fewer games than this are not worth waking a thread for."""
SMALLEST_SHARE = 32
"""Chunks that threads take as they come are no smaller than this: a call of a kernel takes as long as a few games."""


def usable_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def chunks_of(games: int, threads: int) -> list[tuple[int, int]]:
    """Return the chunks in which threads take games as they come: the later, the smaller, so that all end together.

    Args:
        games: How many games.
        threads: How many threads.

    Returns:
        First and stop of each chunk.
    """
    if threads == 1:
        return [(0, games)]
    chunks = []
    smallest = min(SMALLEST_SHARE, -(-games // threads))
    start = 0
    while start < games:
        left = games - start
        stop = start + min(left, max(left // (2 * threads), smallest))
        chunks.append((start, stop))
        start = stop
    return chunks
