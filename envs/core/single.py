"""The Gymnasium face: one agent learns, an opponent's moves are folded into its transitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.aec import RENDER_MODES, BoardEnv
from broodmind.envs.core.errors import ConfigError, EpisodeOverError, IllegalActionError, PolicySpecError

if TYPE_CHECKING:
    from broodmind.agents.policy import Policy


class SoloEnv(gymnasium.Env[Any, Any]):
    """A game seen by one of its agents (``gymnasium.make("broodmind:" + id, agent=..., opponent=...)``).

    Description:
        Each `step` takes the learner's action and plays the opponent until the learner decides again or the
        game is over. The next observation is always the learner's own, and a loss reaches the learner as -1
        even if the opponent's move brought it.

    Action Space:
        ``Discrete(n)``. `action_masks` tells what is legal (the name that sb3-contrib's MaskablePPO calls).

    Observation Space:
        ``Box(float32)``, the observation vector (``flat=True``, the default: it is what ``MlpPolicy`` takes,
        and the mask reaches MaskablePPO by `action_masks`; as an input of the network it would only be
        noise). With ``flat=False`` the Dict of the PettingZoo face, ``{"observation", "action_mask"}``. The
        mask is also in ``info["action_mask"]``.

    Starting State:
        As `BoardEnv`; the opponent plays up to the learner's first decision. An episode that is over by then
        is passed over.

    Rewards:
        0 until the end, then +1 (won), -1 (lost), a half either way for a minor victory, 0 (draw, or
        truncated).

    Episode End:
        Terminated by the rules, truncated by ``max_turns``; ``info`` then holds ``result``, ``turns`` and
        ``decisions``.

    Arguments:
        env_id: The environment's id.
        agent: Whose seat the learner takes; None for the first agent.
        opponent: Any policy spec (``"random"``, ``"scripted"``, ``"checkpoint:shipped"``, ...) or a `Policy`.
        flat: See Observation Space.
        illegal_action: As in `broodmind.make`, but ``"noop"`` by default, so that checkers and learners that
            sample the whole space can step: nothing happens then, and ``info["illegal"]`` is True.
        render_mode, layout, max_turns, skip_forced, data, mission options: As in `broodmind.make`.
    """

    metadata = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
    }

    def __init__(
        self,
        env_id: str,
        agent: str | None = None,
        opponent: str | Policy = "random",
        *,
        flat: bool = True,
        render_mode: str | None = None,
        illegal_action: str = "noop",
        **settings: Any,
    ) -> None:
        self.board = BoardEnv(env_id, render_mode, illegal_action=illegal_action, **settings)
        self.render_mode = render_mode
        self.agent = self.board.possible_agents[0] if agent is None else agent
        seat = self.board._seat(self.agent)
        self.opponent_agent = self.board.possible_agents[1 - seat]
        if not isinstance(opponent, str) and not hasattr(opponent, "act"):
            raise PolicySpecError(
                f"opponent={opponent!r}; expected a policy spec such as 'random' or 'scripted', or a Policy"
            )
        if not isinstance(flat, bool):
            raise ConfigError(f"flat={flat!r}; expected True or False")
        self.opponent = opponent
        self.flat = flat
        whole = self.board.observation_space(self.agent)
        self.observation_space = whole["observation"] if flat else whole
        self.action_space = self.board.action_space(self.agent)
        self._policy: Policy | None = None if isinstance(opponent, str) else opponent
        if isinstance(opponent, str):
            # Resolved now, so that a wrong spec fails where it was written.
            from broodmind.agents import make_policy

            self._policy = make_policy(opponent, env_id, self.opponent_agent, settings.get("data"))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode and play the opponent up to the learner's first decision.

        Args:
            seed: Seeds the game and the opponent's choices; None: the episode after the last one.
            options: As `BoardEnv.reset` takes them.

        Returns:
            The observation, and an info with ``action_mask``.
        """
        super().reset(seed=seed)
        self.board.reset(seed=seed, options=options)
        self._play_opponent()
        while self._over():
            self.board.reset()
            self._play_opponent()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take the learner's action, then the opponent's until the learner decides again.

        Args:
            action: A legal action.

        Returns:
            Observation, reward, terminated, truncated and info of the learner.

        Raises:
            IllegalActionError: The action is out of range, or illegal with ``illegal_action="raise"``.
            EpisodeOverError: The episode is over.
        """
        board = self.board
        if action is None:
            raise IllegalActionError("action None is no action; expected an id that action_masks() allows")
        legal = True
        if not self._over():
            legal = bool(board._mask[board._checked_action(action)])
        board.step(action)
        self._play_opponent()
        info = self._info()
        if not legal:
            info["illegal"] = True
        return (
            self._observation(),
            float(board.rewards[self.agent]),
            board.terminations[self.agent],
            board.truncations[self.agent],
            info,
        )

    def _over(self) -> bool:
        return board_over(self.board)

    def _play_opponent(self) -> None:
        board, policy = self.board, self._policy
        assert policy is not None
        while not board_over(board) and board.agent_selection != self.agent:
            seen = board.observe(self.opponent_agent)
            position = None
            if policy.needs_position:
                position = board.view(self.opponent_agent, int(self.np_random.integers(2**63 - 1)))
            action = policy.act(seen["observation"], seen["action_mask"], self.np_random, position)
            if not 0 <= action < len(seen["action_mask"]) or not seen["action_mask"][action]:
                raise IllegalActionError(
                    f"the opponent {policy.spec!r} chose action {action}, which is not legal now", int(action)
                )
            board.step(action)

    def _observation(self) -> Any:
        seen = self.board.observe(self.agent)
        return seen["observation"] if self.flat else seen

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.board._mask.copy(), **self.board.infos[self.agent]}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal now, bool, shape (actions,).

        Raises:
            EpisodeOverError: The episode is over; a mask of nothing would make a learner choose anything.
        """
        if self._over():
            raise EpisodeOverError("no action is legal after the end of the episode; call reset()")
        return self.board._mask.astype(np.bool_)

    def render(self) -> Any:
        """Draw the board, see `BoardEnv.render`."""
        return self.board.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self.board.close()


def board_over(board: BoardEnv) -> bool:
    """Return whether the episode of a board is over."""
    return bool(board._over_view[0])
