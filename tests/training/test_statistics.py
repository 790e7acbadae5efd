import math

import numpy as np
import pytest

from broodmind.training.statistics import difference_interval, mean_interval, quantile, wilson_interval


def test_quantile():
    assert quantile(0.95) == pytest.approx(1.959964, abs=1e-6)


# Reference values: Newcombe (1998), Statistics in Medicine 17, 857-872, table I, Wilson's score method.
@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_against_published_values(successes, trials, low, high):
    assert wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


def test_wilson_at_the_ends():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(0, 1000)[0] == 0.0
    assert wilson_interval(1000, 1000)[1] == 1.0
    low, high = wilson_interval(300, 1000)
    mirrored = wilson_interval(700, 1000)
    assert (1 - high, 1 - low) == pytest.approx(mirrored)
    assert wilson_interval(5, 10, 0.5)[0] > wilson_interval(5, 10)[0]


@pytest.mark.parametrize(("successes", "trials"), [(-1, 3), (4, 3)])
def test_wilson_refuses_impossible_counts(successes, trials):
    with pytest.raises(ValueError, match="successes"):
        wilson_interval(successes, trials)


def test_wilson_covers_on_average_as_often_as_it_says():
    rng = np.random.default_rng(0)
    rates = rng.random(4000)
    intervals = [wilson_interval(int(rng.binomial(200, rate)), 200) for rate in rates]
    covered = np.mean([low <= rate <= high for rate, (low, high) in zip(rates, intervals)])
    assert covered == pytest.approx(0.95, abs=0.015)


# Reference: Newcombe (1998), Statistics in Medicine 17, 873-890, table II, method 10: 56/70 against 48/80.
def test_difference_against_a_published_value():
    assert difference_interval(56, 70, 48, 80) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_difference_needs_trials():
    with pytest.raises(ValueError, match="trials"):
        difference_interval(0, 0, 1, 2)


def test_mean_interval():
    mean, low, high = mean_interval([1, -1, 1, 1])
    assert mean == 0.5
    assert high - mean == pytest.approx(1.959964 * 1.0 / 2, abs=1e-6)
    assert mean - low == pytest.approx(high - mean)
    assert mean_interval([1.0]) == (1.0, -math.inf, math.inf)
    with pytest.raises(ValueError, match="no values"):
        mean_interval([])


@pytest.mark.parametrize("confidence", [0, 1, -3, 95])
def test_confidence_is_a_probability(confidence):
    with pytest.raises(ValueError, match="confidence"):
        quantile(confidence)
