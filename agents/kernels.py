"""Compiled helpers of the policies. Imported where first used, since Numba takes a while to import."""

from __future__ import annotations

import math

from broodmind.envs.core.compiled import entry


@entry
def choose_uniform(masks, fractions, actions) -> None:
    """Choose a legal action per row, each equally likely.

    Args:
        masks: int8, shape (games, actions); 1 for legal.
        fractions: float64 in [0, 1), shape (games,): which of the legal ones.
        actions: int64, shape (games,): filled; -1 where nothing is legal.
    """
    width = masks.shape[1]
    for game in range(masks.shape[0]):
        legal = 0
        for k in range(width):
            legal += int(masks[game, k])
        actions[game] = -1
        skip = int(fractions[game] * legal)
        # Blocks are summed first: that loop is vectorised, the search for one entry is not.
        start = 0
        while start < width:
            stop = min(start + 64, width)
            inside = 0
            for k in range(start, stop):
                inside += int(masks[game, k])
            if skip < inside:
                for k in range(start, stop):
                    if masks[game, k] != 0:
                        if skip == 0:
                            actions[game] = k
                            break
                        skip -= 1
                break
            skip -= inside
            start = stop


@entry
def choose_greedy(logits, masks, actions) -> None:
    """Choose the legal action with the highest logit per row, the first of equals; -1 where none is legal."""
    for game in range(masks.shape[0]):
        best = -1
        for k in range(masks.shape[1]):
            if masks[game, k] != 0 and (best < 0 or logits[game, k] > logits[game, best]):
                best = k
        actions[game] = best


@entry
def choose_sampled(logits, masks, inverse_temperature, fractions, actions) -> None:
    """Draw a legal action per row from the softmax of the scaled logits; -1 where none is legal.

    Args:
        logits: float32, shape (games, actions).
        masks: int8, shape (games, actions).
        inverse_temperature: Above 0.
        fractions: float64 in [0, 1), shape (games,): the only chance.
        actions: int64, shape (games,): filled.
    """
    for game in range(masks.shape[0]):
        best = -1
        for k in range(masks.shape[1]):
            if masks[game, k] != 0 and (best < 0 or logits[game, k] > logits[game, best]):
                best = k
        actions[game] = best
        if best < 0:
            continue
        top = float(logits[game, best])
        total = 0.0
        for k in range(masks.shape[1]):
            if masks[game, k] != 0:
                total += math.exp((float(logits[game, k]) - top) * inverse_temperature)
        left = fractions[game] * total
        for k in range(masks.shape[1]):
            if masks[game, k] != 0:
                left -= math.exp((float(logits[game, k]) - top) * inverse_temperature)
                if left < 0.0:
                    actions[game] = k
                    break
