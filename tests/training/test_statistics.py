import math

import numpy as np
import pytest

from broodmind.training.statistics import (
    difference_interval,
    mean_interval,
    quantile,
    score_interval,
    wilson_interval,
)


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


def tango(wins, losses, games, mean):
    """Tango's statistic (1998, Statistics in Medicine 17, 891-908) of a difference of paired rates."""
    a = 2 * games
    b = -wins - losses + (2 * games - wins + losses) * mean
    c = -losses * mean * (1 - mean)
    q = (math.sqrt(b * b - 4 * a * c) - b) / (2 * a)
    return (wins - losses - games * mean) / math.sqrt(games * (2 * q + mean * (1 - mean)))


@pytest.mark.parametrize(("wins", "losses", "games"), [(12, 3, 20), (0, 0, 20), (1, 9, 10), (500, 300, 1000)])
def test_score_interval_ends_where_tangos_statistic_says(wins, losses, games):
    mean, low, high = score_interval([1] * wins + [-1] * losses + [0] * (games - wins - losses))
    assert mean == pytest.approx((wins - losses) / games)
    assert tango(wins, losses, games, low) == pytest.approx(quantile(0.95), abs=1e-5)
    assert tango(wins, losses, games, high) == pytest.approx(-quantile(0.95), abs=1e-5)


def test_score_interval_without_draws_is_wilsons_and_has_a_width_at_the_edge():
    for wins in (0, 1, 13, 20):
        low, high = wilson_interval(wins, 20)
        _, lower, upper = score_interval([1] * wins + [-1] * (20 - wins))
        assert (lower, upper) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-6)


def test_score_interval_of_half_points_is_near_the_normal_one():
    values = [1, 0.5, 0.5, 0, -0.5] * 200
    assert score_interval(values) == pytest.approx(mean_interval(values), abs=5e-4)


def test_score_interval_refuses_what_is_no_reward():
    with pytest.raises(ValueError, match="no values"):
        score_interval([])
    for value in (1.5, math.nan):
        with pytest.raises(ValueError, match=r"within -1\.\.1"):
            score_interval([0, value])


@pytest.mark.parametrize("confidence", [0, 1, -3, 95])
def test_confidence_is_a_probability(confidence):
    with pytest.raises(ValueError, match="confidence"):
        quantile(confidence)
