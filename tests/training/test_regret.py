"""`training.regret`: what one other choice is worth to a scripted player."""

from __future__ import annotations

import numpy as np
import pytest

from broodmind.envs.core.errors import ConfigError
from broodmind.training.regret import gains, scripted_regret


def test_luck_alone_is_no_gain():
    rng = np.random.default_rng(1)
    coins = rng.choice([-1.0, 1.0], (2000, 8, 40))
    found = np.array([gains(values) for values in coins])
    assert abs(found[:, 0].mean()) < 4 * found[:, 0].std() / np.sqrt(len(found))
    assert abs(found[:, 1].mean()) < 4 * found[:, 1].std() / np.sqrt(len(found))


def test_a_better_action_is_found_and_valued():
    values = np.zeros((3, 10))
    values[2] = 0.5
    gain, between = gains(values)
    assert gain == pytest.approx(0.5)
    assert between == pytest.approx(np.var(values[:, 0], ddof=1))


def test_both_halves_are_used_both_ways():
    # Action 1 is better in the first half only: chosen there it loses 1 in the second; chosen in the second, action 0
    # gains nothing.
    values = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 1.0, -1.0, -1.0]])
    assert gains(values)[0] == pytest.approx(-0.5)


@pytest.mark.parametrize("env_id", ["macragge/crash-site-v0", "overkill/killstorm-v0", "maze/short-v0"])
@pytest.mark.parametrize("seat", [0, 1])
def test_every_game_and_seat(env_id, seat):
    import broodmind

    agent = broodmind.make(env_id).possible_agents[seat]
    one, two = (scripted_regret(env_id, agent, positions=3, worlds=4, most_actions=4) for _ in range(2))
    assert one == two
    assert (one.positions, one.worlds) == (3, 4)
    assert 2 <= one.actions <= 4
    assert -1 <= one.value <= 1
    assert -2 <= one.gain <= 2
    low, high = one.interval
    assert low <= one.gain <= high


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"agent": "orks_0"}, "no agent 'orks_0'; its agents: ultramarines_0, tyranids_0"),
        ({"positions": 1}, "positions = 1: expected at least 2"),
        ({"worlds": 3}, "worlds = 3: expected an even number"),
        ({"most_actions": 1}, "most_actions = 1: expected at least 2"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ConfigError, match=message):
        scripted_regret("macragge/crash-site-v0", **{"agent": "tyranids_0", **arguments})
