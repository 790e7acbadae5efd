"""Wrappers: the observation by its blocks instead of as one vector; rewards shaped by a potential."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.wrappers import BaseWrapper

from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.observation import ObservationLayout
from broodmind.envs.core.single import SoloEnv


def split_blocks(
    layout: ObservationLayout, observation: NDArray[np.float32]
) -> dict[str, NDArray[np.float32]]:
    """Return the blocks of an observation by name: views of shape (..., rows, features).

    Args:
        layout: ``env.observation_layout(agent)``.
        observation: float32, shape (..., layout.size): one vector, or many.
    """
    lead = observation.shape[:-1]
    return {
        block.name: observation[..., start : start + block.size].reshape(*lead, block.rows, block.width)
        for block in layout.blocks
        for start in [layout.offsets[block.name]]
    }


def blocks_space(layout: ObservationLayout, low: float, high: float) -> gymnasium.spaces.Dict:
    """Return the space of `split_blocks` for one vector whose numbers lie in low..high."""
    return gymnasium.spaces.Dict(
        {
            block.name: gymnasium.spaces.Box(low, high, (block.rows, block.width), np.float32)
            for block in layout.blocks
        }
    )


class BlockObservations(gymnasium.ObservationWrapper[Any, Any, Any]):
    """A `SoloEnv` whose observation is a Dict of blocks (``MultiInputPolicy`` takes it).

    Args:
        env: A `SoloEnv` made with ``flat=True``, wrapped or not.
    """

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        super().__init__(env)
        solo = env.unwrapped
        if not isinstance(solo, SoloEnv) or not solo.flat:
            raise ValueError("BlockObservations wraps a single-agent environment of broodmind with flat=True")
        self.layout = solo.board.observation_layout(solo.agent)
        self.observation_space = blocks_space(self.layout, *solo.board.game.observation_bounds)

    def observation(self, observation: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """Return the blocks of an observation."""
        return split_blocks(self.layout, observation)

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now (see `SoloEnv.action_masks`)."""
        solo = self.unwrapped
        assert isinstance(solo, SoloEnv)
        return solo.action_masks()


class PotentialShaping(gymnasium.Wrapper[Any, Any, Any, Any]):
    """A `SoloEnv` whose reward is shaped by the potential that its game gives positions (`Game.potential`).

    Each step adds ``scale * (discount * potential after - potential before)``, the potential of an episode's end being
    0, which leaves it unchanged which policies are best (Ng, Harada and Russell 1999). Never the default: results are
    reported without it.

    Args:
        env: A `SoloEnv`, wrapped or not.
        discount: The learner's discount factor, 0..1.
        scale: How much the potential weighs beside the reward of the game, which is -1..1.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], discount: float = 0.99, scale: float = 1.0) -> None:
        super().__init__(env)
        solo = env.unwrapped
        if not isinstance(solo, SoloEnv):
            raise ValueError("PotentialShaping wraps a single-agent environment of broodmind")
        if not 0 <= discount <= 1:
            raise ValueError(f"discount={discount!r}; expected 0..1")
        self.discount = discount
        self.scale = scale
        self._solo = solo
        self._before = 0.0

    def _potential(self) -> float:
        board = self._solo.board
        return board.game.potential(board.states, 0, board.possible_agents.index(self._solo.agent))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode (see `SoloEnv.reset`)."""
        result = self.env.reset(seed=seed, options=options)
        self._before = self._potential()
        return result

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take an action (see `SoloEnv.step`); ``info["reward"]`` keeps the reward of the game alone."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        after = 0.0 if terminated or truncated else self._potential()
        shaped = float(reward) + self.scale * (self.discount * after - self._before)
        self._before = after
        return seen, shaped, terminated, truncated, {**info, "reward": float(reward)}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now (see `SoloEnv.action_masks`)."""
        return self._solo.action_masks()


class BlockObservationsAEC(BaseWrapper[str, Any, Any]):
    """A `BoardEnv` whose ``"observation"`` is a dictionary of blocks; the mask stays beside it.

    Args:
        env: A `BoardEnv`.
    """

    def __init__(self, env: BoardEnv) -> None:
        super().__init__(env)
        self.board = env
        self.layout = env.observation_layout()
        blocks = blocks_space(self.layout, *env.game.observation_bounds)
        self._observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {"observation": blocks, "action_mask": env.observation_space(agent)["action_mask"]}
            )
            for agent in env.possible_agents
        }

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """Return the space of an agent's observations."""
        return self._observation_spaces[agent]

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may see, by blocks."""
        seen = self.board.observe(agent)
        return {**seen, "observation": split_blocks(self.layout, seen["observation"])}
