"""Policies seated at an AEC environment, with their own generators and views of the position."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from broodmind.envs.core.dice import derive_seed

if TYPE_CHECKING:
    from broodmind.agents.policy import Policy
    from broodmind.envs.core.aec import BoardEnv


class PolicyPlayer:
    """A policy that plays one seat of an AEC environment.

    It sees its seat's observation and mask, and, where the policy asks for a position, a view of the state
    without hidden information and with other dice.

    Args:
        policy: The policy.
        seed: Seed of the policy's generator.
    """

    def __init__(self, policy: Policy, seed: int) -> None:
        self.policy = policy
        self.spec = policy.spec
        self._rng = np.random.default_rng(seed)

    def choose(self, env: BoardEnv) -> int:
        """Return the policy's choice for ``env.agent_selection``."""
        agent = env.agent_selection
        seen: Any = env.observe(agent)
        position = None
        if self.policy.needs_position:
            position = env.view(agent, int(self._rng.integers(2**62)))
        return int(self.policy.act(seen["observation"], seen["action_mask"], self._rng, position))


def seat_players(env: BoardEnv, specs: Mapping[str, str], seed: int) -> dict[str, PolicyPlayer]:
    """Return a player for every agent that has a spec.

    Args:
        env: The environment.
        specs: Policy spec by agent.
        seed: Seed of the game; each player's generator derives from it.

    Raises:
        PolicySpecError: A spec cannot be read.
        CheckpointError: A checkpoint is damaged or foreign.
    """
    from broodmind.agents import make_policy

    return {
        agent: PolicyPlayer(
            make_policy(spec, env.env_id, agent, env.data),
            derive_seed(seed, 1 + env.possible_agents.index(agent)),
        )
        for agent, spec in specs.items()
    }
