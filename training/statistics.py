"""Intervals for what a number of games tells, by methods that hold for few games and extreme rates."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray


def quantile(confidence: float) -> float:
    """Return how many standard deviations a two-sided interval reaches (0.95 -> 1.96).

    Raises:
        ValueError: The confidence is not between 0 and 1.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson_interval(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval of a rate; (0, 1) without trials.

    Args:
        successes: 0..trials.
        trials: How many games.
        confidence: How often the interval covers the true rate.

    Raises:
        ValueError: More successes than trials, or a negative number.
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"expected 0 <= successes <= trials, got {successes} of {trials}")
    if trials == 0:
        return 0.0, 1.0
    z = quantile(confidence)
    rate = successes / trials
    scale = 1 + z * z / trials
    centre = (rate + z * z / (2 * trials)) / scale
    half = z * math.sqrt(rate * (1 - rate) / trials + z * z / (4 * trials * trials)) / scale
    # At the ends the formula gives the end itself, up to rounding.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return mean, lower and upper end of its interval (normal approximation; infinite below two values).

    Args:
        values: Numbers, any shape.
        confidence: How often the interval covers the true mean.

    Raises:
        ValueError: There are no values.
    """
    numbers = np.asarray(values, np.float64).ravel()
    if not len(numbers):
        raise ValueError("the mean of no values is not defined")
    mean = float(numbers.mean())
    if len(numbers) < 2:
        return mean, -math.inf, math.inf
    half = quantile(confidence) * float(numbers.std(ddof=1)) / math.sqrt(len(numbers))
    return mean, mean - half, mean + half


def score_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float, float]:
    """Return mean, lower and upper end of its score interval, for values within -1..1 such as rewards of games.

    The normal approximation has width 0 if all games ended alike, however few they are. The score interval holds
    every mean m from which the one seen is no more than `quantile` standard errors away, where the error is that of
    the likeliest distribution on -1..1 with mean m (whose weights are those of Owen 1988, Biometrika 75, 237-249).
    For values of -1, 0 and 1 that is the interval of Tango (1998, Statistics in Medicine 17, 891-908), and for
    two values Wilson's.

    Args:
        values: Numbers within -1..1, any shape.
        confidence: How often the interval covers the true mean.

    Raises:
        ValueError: There are no values, or one is outside -1..1.
    """
    numbers = np.asarray(values, np.float64).ravel()
    if not len(numbers):
        raise ValueError("the mean of no values is not defined")
    if not (np.abs(numbers) <= 1).all():  # written so that it refuses nan too
        raise ValueError("expected values within -1..1")
    scores, counts = np.unique(numbers, return_counts=True)
    z = quantile(confidence)
    low = _score_end(scores, counts, z)
    return float(numbers.mean()), low, -_score_end(-scores[::-1], counts[::-1], z)


def _score_end(scores: NDArray[np.float64], counts: NDArray[np.int64], z: float) -> float:
    """Return the lower end of the score interval of a mean."""
    total = int(counts.sum())
    mean = float(scores @ counts) / total
    outside, inside = -1.0, mean
    while inside - outside > 1e-9:
        middle = (inside + outside) / 2
        error = math.sqrt(_likeliest_variance(scores, counts, middle) / total)
        if mean - middle > z * error:
            outside = middle
        else:
            inside = middle
    return inside


def _likeliest_variance(scores: NDArray[np.float64], counts: NDArray[np.int64], mean: float) -> float:
    """Return the variance of the likeliest distribution on -1..1 whose mean is `mean`, below the one observed.

    Its weights are ``counts / (total * (1 + tilt * (scores - mean)))``; what they leave of 1 is the weight of -1.
    """
    total = int(counts.sum())
    away = scores - mean
    low, high = 0.0, 1.0 / (1.0 + mean)  # with more tilt the weight of -1 would be negative
    for _ in range(60):
        tilt = (low + high) / 2
        if (counts * away / (1 + tilt * away)).sum() > 0:
            low = tilt
        else:
            high = tilt
    weights = counts / (total * (1 + low * away))
    rest = max(0.0, 1.0 - float(weights.sum()))
    return float(weights @ away**2) + rest * (1.0 + mean) ** 2


def difference_interval(
    successes: int, trials: int, other_successes: int, other_trials: int, confidence: float = 0.95
) -> tuple[float, float, float]:
    """Return the difference of two independent rates with Newcombe's interval: difference, lower, upper end.

    Args:
        successes: Of the first.
        trials: Of the first.
        other_successes: Of the second, which is subtracted.
        other_trials: Of the second.
        confidence: How often the interval covers the true difference.

    Raises:
        ValueError: There are no trials, or the numbers are impossible.
    """
    if trials < 1 or other_trials < 1:
        raise ValueError("a difference of rates needs trials on both sides")
    low, high = wilson_interval(successes, trials, confidence)
    other_low, other_high = wilson_interval(other_successes, other_trials, confidence)
    rate, other_rate = successes / trials, other_successes / other_trials
    difference = rate - other_rate
    return (
        difference,
        difference - math.hypot(rate - low, other_high - other_rate),
        difference + math.hypot(high - rate, other_rate - other_low),
    )
