"""The PettingZoo face of every game: `BoardEnv`, an AEC environment without wrappers.

PettingZoo's own wrappers cost several times what a step costs, so their checks (order of calls, steps after
the end) are part of this class, with their error types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv, AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from broodmind.envs.core.board import Board
from broodmind.envs.core.codec import suggest
from broodmind.envs.core.dice import IMPOSSIBLE, derive_seed, seed_generator
from broodmind.envs.core.episodes import begin_episode, next_episode
from broodmind.envs.core.errors import (
    ConfigError,
    EpisodeOverError,
    IllegalActionError,
    StateError,
    UnplannedRollError,
)
from broodmind.envs.core.positions import check_dice, check_position, forfeit
from broodmind.envs.core.record import FORFEITED, as_states
from broodmind.envs.core.settings import check_seed, signed
from broodmind.envs.core.snapshot import pack, unpack

RENDER_MODES = ("human", "rgb_array", "svg", "ansi")

RESET_OPTIONS = ("dice", "strict", "state", "layout", "options")
"""What ``reset(options=...)`` knows; ``"options"`` is ignored (PettingZoo's ``api_test`` passes it)."""

AFTER_RESET = frozenset(
    {"rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"}
)


class BoardEnv(Board, AECEnv[str, dict[str, Any] | None, int | None]):
    """A two-player board game as a PettingZoo environment; make one with `broodmind.make`.

    Description:
        One game of one mission. Whose decision is next follows from the rules: it need not alternate, and
        interrupts (a choice of the other seat within one's turn) are decisions of that seat.

    Action Space:
        ``Discrete(n)`` for both agents; ``describe_action`` names each id. What an action outside the mask
        does is the setting `illegal_action`; an id outside the range always raises.

    Observation Space:
        ``{"observation": Box(float32), "action_mask": Box(0, 1, int8)}``. ``observation_layout`` names the
        numbers. The mask is all zero for an agent that is not to act, and after the end.

    Starting State:
        ``reset(seed)`` gives one exact episode. ``reset()`` goes on to another episode each time: the one
        that follows from the seed of the last, the very first from entropy.

    Rewards:
        0 until the end, then +1 / -1 for winner and loser (a half for a minor victory), 0 for a draw.

    Episode End:
        Terminated by the rules, or truncated (rewards 0) by ``max_turns``. As PettingZoo asks, the agents are
        then
        dead: each takes one ``step(None)`` and leaves ``agents``. Any other step raises `EpisodeOverError`.

    Arguments:
        See `broodmind.make`.
    """

    metadata: dict[str, Any]

    def __init__(self, env_id: str, render_mode: str | None = None, **settings: Any) -> None:
        named = ("layout", "max_turns", "illegal_action", "skip_forced", "data")
        options = {name: value for name, value in settings.items() if name not in named}
        chosen = {name: value for name, value in settings.items() if name in named}
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ConfigError(
                f"render_mode={render_mode!r}; expected None or one of {', '.join(RENDER_MODES)}"
                f"{suggest(str(render_mode), RENDER_MODES)}"
            )
        Board.__init__(self, env_id, options=options, **chosen)
        self._arguments = {"render_mode": render_mode, **settings}
        self._begin_face(render_mode)

    def _begin_face(self, render_mode: str | None) -> None:
        """Set what the face holds beside the game's arrays."""
        self.render_mode = render_mode
        self.metadata = {
            "name": self.env_id,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = list(self.game.agents)
        self._has_reset = False
        self._has_updated = False
        self._spaces: dict[str, tuple[gymnasium.spaces.Dict, gymnasium.spaces.Discrete]] = {}
        self._window: Any = None
        self._skip_agent_selection: str | None = None

    def __getattr__(self, name: str) -> Any:
        if name in AFTER_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    # -- spaces ------------------------------------------------------------------------------------------

    def _agent_spaces(self, agent: str) -> tuple[gymnasium.spaces.Dict, gymnasium.spaces.Discrete]:
        if not isinstance(agent, str) or agent not in self._spaces:
            self._seat(agent)
            low, high = self.game.observation_bounds
            observation = gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(low, high, (self._size,), np.float32),
                    "action_mask": gymnasium.spaces.Box(0, 1, (self._actions,), np.int8),
                }
            )
            self._spaces[agent] = observation, gymnasium.spaces.Discrete(self._actions)
        return self._spaces[agent]

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """Return the space of an agent's observations, always the same object."""
        return self._agent_spaces(agent)[0]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        """Return the space of an agent's actions, always the same object."""
        return self._agent_spaces(agent)[1]

    @property
    def observation_spaces(self) -> dict[str, gymnasium.spaces.Space[Any]]:
        """The space of observations by agent."""
        return {agent: self.observation_space(agent) for agent in self.possible_agents}

    @property
    def action_spaces(self) -> dict[str, gymnasium.spaces.Space[Any]]:
        """The space of actions by agent."""
        return {agent: self.action_space(agent) for agent in self.possible_agents}

    @property
    def state_space(self) -> gymnasium.spaces.Box:
        """The space of `state`."""
        size = sum(int(np.prod(shape)) for _, shape in self.state_layout())
        return gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)

    # -- the beginning -----------------------------------------------------------------------------------

    def _require_reset(self, what: str) -> None:
        if not self._has_reset:
            raise AssertionError(f"reset() needs to be called before {what}.")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin an episode.

        Args:
            seed: 0..2**64-1 for one exact episode; None for the episode after the last one.
            options: Any of

                * ``"dice"``: the first rolls, as `feed_dice` takes them;
                * ``"strict"``: True: a roll that was not planned raises `UnplannedRollError` (now and in
                  steps);
                * ``"state"``: a position to begin from, as `to_dict` or `save_state` gave it; a seed then
                  only re-seeds the dice;
                * ``"layout"``: the layout of this episode;
                * what else the mission takes (``mission.reset_options``).

        Raises:
            ConfigError: The seed, an option's name or a layout is unknown, or an option of the mission has a value that
                it cannot take.
            StateError: The position or the dice cannot be used.
            UnplannedRollError: Setting up needed a roll that was not planned, in strict mode, or one that was planned
                and is none that the die can show.

        Whatever is raised, the environment is as it was.
        """
        given = self._checked_options(options)
        if seed is not None:
            seed = signed(check_seed(seed))
        dice = check_dice(given.get("dice", ()), *self.game.roll_bounds)
        state, gone = self._given_state(given.get("state"))
        before, mask, log = self._bytes.copy(), self._mask.copy(), self._log.copy()
        core = self._core
        if state is None:
            self.settings.write(core)
            if "layout" in given:
                core["layout"] = self.settings.layout_number(given["layout"])
            if seed is not None:
                begin_episode(core, seed)
            elif self._has_reset:
                next_episode(core)
            else:
                begin_episode(
                    core, derive_seed(int(np.random.SeedSequence().generate_state(1, np.uint64)[0]))
                )
        else:
            self._bytes[:] = state
            if seed is not None:
                seed_generator(core, seed)
        if state is None or "strict" in given:
            core["strict"] = given.get("strict", False)
        if state is None or "dice" in given:
            self._set_queue(dice)
        self._clear_log()
        if state is None:
            self._kernels.reset(self.states, 0, self._tables, self._log, self._mask)
        else:
            self._fill_mask()
        try:
            self._open(
                {name: given[name] for name in self.mission.reset_options if name in given}, state is None
            )
        except ConfigError:
            self._bytes[:], self._mask[:], self._log[:] = before, mask, log
            raise
        if core["unplanned"]:
            die = int(core["unplanned"])
            self._bytes[:], self._mask[:], self._log[:] = before, mask, log
            self._refuse_roll("setting up the board", die)
        self._begin_turns(gone)

    def _open(self, given: Mapping[str, Any], fresh: bool) -> None:
        """Carry out the reset options of the mission.

        Raises:
            ConfigError: One has a value that it cannot take.
        """
        if not given:
            return
        try:
            actions = self.game.open(self.states, 0, given, fresh)
        except ValueError as error:
            raise ConfigError(f"{self.env_id}: {error}") from None
        for action in actions:
            if not self._mask[action]:
                why = self.game.explain(self.states, 0, action)
                reason = f": {why.text}" if why else ""
                raise ConfigError(
                    f"{self.env_id}: reset cannot begin with {self.game.actions.name(action)!r}{reason}"
                )
            self._kernel_step(self.states, 0, self._tables, action, self._log, self._mask)

    def _checked_options(self, options: dict[str, Any] | None) -> dict[str, Any]:
        known = (*RESET_OPTIONS[:-1], *self.mission.reset_options)
        if options is not None and not isinstance(options, Mapping):
            raise ConfigError(
                f"reset takes a dictionary of options, got {options!r}; it knows {', '.join(known)}"
            )
        given = dict(options or {})
        for name in given:
            if name not in known and name != RESET_OPTIONS[-1]:
                hint = suggest(str(name), known) or f"; it knows {', '.join(known)}"
                raise ConfigError(f"reset has no option {name!r}{hint}")
        if not isinstance(given.get("strict", False), bool):
            raise ConfigError(f"strict={given['strict']!r}; expected True or False")
        if "layout" in given:
            self.settings.layout_number(given["layout"])
            if "state" in given:
                raise ConfigError("reset takes 'state' or 'layout', not both: a position has its layout")
        return given

    def _given_state(self, state: Any) -> tuple[NDArray[np.uint8] | None, int]:
        """Return a checked position as bytes of the record, and how many dead agents were gone."""
        if state is None:
            return None, 0
        if isinstance(state, Mapping):
            return np.asarray(self._from_dict(state)).view(np.uint8), 0
        record, face = unpack(self.game, self.env_id, state, 1)
        if "counts" in face:
            raise StateError("these bytes hold a batch of games; make_vec() makes what loads them")
        states = as_states(record.copy().view(self.game.state_dtype))
        if int(states[0]["core"]["mission"]) != self.mission.number:
            raise StateError(f"the record in these bytes is not of {self.env_id!r}")
        check_position(self.game, states, 0)
        gone = face.get("gone", 0)
        most = len(self.possible_agents) if states[0]["core"]["over"] else 0
        if set(face) - {"gone"} or type(gone) is not int or not 0 <= gone <= most:
            raise StateError("the saved state says impossible things of its agents; save it again")
        return record, gone

    def _begin_turns(self, gone: int = 0) -> None:
        """Set agents, rewards and the like from the state; after the end, `gone` dead agents have been taken off."""
        agents = self.possible_agents
        self.agents = list(agents)
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self.agent_selection = agents[self._seat_view[0]]
        self._skip_agent_selection = None
        self._has_reset = self._has_updated = True
        self._ended = False
        if self._over_view[0]:
            self._end()
        for _ in range(gone):
            self._was_dead_step(None)
        if self.render_mode == "human":
            self.render()

    # -- turns -------------------------------------------------------------------------------------------

    def step(self, action: int | None) -> None:
        """Take an action for `agent_selection`, and play on to the next decision.

        Args:
            action: A legal id; None for an agent that is dead.

        Raises:
            AssertionError: Before `reset`.
            IllegalActionError: The action is out of range, or illegal with ``illegal_action="raise"``.
                Nothing is changed.
            EpisodeOverError: The episode is over and the action is not None. Nothing is changed.
            UnplannedRollError: A die was needed that was not planned, in strict mode, or its planned roll is none that
                it can show. Nothing is changed.
        """
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        if self._ended:
            self._step_dead(action)
            return
        chosen = self._checked_action(action)
        if not self._mask_view[chosen]:
            self._step_illegal(chosen)
            return
        head = self._log_head
        if self._strict_view[0] or self._planned_view[0]:
            self._step_planned(chosen)
        else:
            head[0] = head[1] = 0
            self._kernel_step(self.states, 0, self._tables, chosen, self._log, self._mask)
        self._has_updated = True
        if self._over_view[0]:
            self._end()
        self.agent_selection = self.possible_agents[self._seat_view[0]]
        if self.render_mode == "human":
            self.render()

    def _clear_log(self) -> None:
        self._log_head[0] = self._log_head[1] = 0

    def _step_planned(self, action: int) -> None:
        """Take an action, and take it back if its dice were not planned rightly."""
        before, mask, log = self._bytes.copy(), self._mask.copy(), self._log.copy()
        self._clear_log()
        self._kernel_step(self.states, 0, self._tables, action, self._log, self._mask)
        die = int(self._core["unplanned"])
        if die:
            self._bytes[:], self._mask[:], self._log[:] = before, mask, log
            self._refuse_roll(repr(self.game.actions.name(action)), die)

    def _refuse_roll(self, what: str, die: int) -> NoReturn:
        """Raise for what ``core.unplanned`` said of a die (see record.py)."""
        if abs(die) > IMPOSSIBLE:
            low, high = (1, die - IMPOSSIBLE) if die > 0 else (0, -die - IMPOSSIBLE - 1)
            raise UnplannedRollError(
                f"{what} rolled a die that shows {low}..{high}, and its planned roll is another number; plan rolls "
                "that the dice can show, in the order in which they are rolled"
            )
        raise UnplannedRollError(
            f"{what} needed a roll that was not planned ({len(self.pending_dice)} planned); plan more with "
            "feed_dice(rolls), or reset without strict",
            die,
        )

    def _step_illegal(self, action: int) -> None:
        mode = self.settings.illegal_action
        if mode == "raise":
            reason = self.game.explain(self.states, 0, action)
            clause = reason.clause if reason else ""
            why = f"{reason.text} ({clause})" if reason else "the mask forbids it"
            raise IllegalActionError(
                f"{self.game.actions.name(action)!r} is not legal now: {why}", action, clause
            )
        self._clear_log()
        self._has_updated = True
        if mode == "forfeit":
            forfeit(self._core)
            self._mask[:] = 0
            self._end()

    def _end(self) -> None:
        """Tell the agents that the episode is over."""
        core = self._core
        self._ended = True
        points = int(core["result"])
        truncated = bool(core["truncated"])
        for seat, (agent, sign) in enumerate(zip(self.possible_agents, (1, -1), strict=True)):
            reward = sign * points / 2
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] = reward
            self.terminations[agent] = not truncated
            self.truncations[agent] = truncated
            self.infos[agent] = {
                "result": reward,
                "turns": int(core["turn"]),
                "decisions": int(core["decisions"]),
                **self.game.final_info(self.states, 0, seat),
            }
            if core["over"] == FORFEITED:
                self.infos[agent]["forfeited_by"] = self.possible_agents[int(core["seat"])]

    def _step_dead(self, action: Any) -> None:
        if action is not None:
            raise EpisodeOverError(
                "the episode is over: call reset() (or step(None) to take the dead agents off)"
            )
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        self._has_updated = True
        self._clear_log()
        self._was_dead_step(None)

    def observe(self, agent: str) -> dict[str, Any]:
        """Return what an agent may see: new arrays ``observation`` (float32) and ``action_mask`` (int8).

        Args:
            agent: Either agent. One that is not to act has a mask of zeros.

        Raises:
            AssertionError: Before `reset`.
            ConfigError: There is no such agent.
        """
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        seat = 0 if agent == self.possible_agents[0] else self._seat(agent)
        observation = np.empty(self._size, np.float32)
        self._kernel_observe(self.states, 0, self._tables, seat, observation)
        if seat == self._seat_view[0]:
            return {"observation": observation, "action_mask": self._mask.copy()}
        return {"observation": observation, "action_mask": np.zeros(self._actions, np.int8)}

    def last(self, observe: bool = True) -> tuple[dict[str, Any] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, terminated, truncated and info of `agent_selection`.

        Raises:
            EpisodeOverError: All agents are gone.
        """
        agent = self.agent_selection
        if agent not in self.rewards:
            raise EpisodeOverError("all agents are gone, so that there is no last one; call reset()")
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, Any, Any]:
        """Yield `agent_selection` until all agents are gone; `step` must be called in between."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return _Agents(self, max_iter)

    # -- copies ------------------------------------------------------------------------------------------

    def save_state(self) -> bytes:
        """Return the whole state as bytes: record, dice, and whose turn it is. Events are not kept.

        Raises:
            AssertionError: Before `reset`.
        """
        self._require_reset("save_state")
        # Everything else that the agents are told follows from the record.
        face = {"gone": len(self.possible_agents) - len(self.agents)} if self._ended else {}
        return pack(self.game, self.env_id, self.states, face)

    def load_state(self, data: bytes) -> None:
        """Go on from a state that `save_state` of this environment's id returned.

        Args:
            data: The bytes.

        Raises:
            StateError: They are damaged, or of another environment or version. Nothing is changed.
        """
        self._set_state(*self._given_state(data if data is not None else b""))

    def from_dict(self, data: Mapping[str, Any]) -> None:
        """Go on from a position that `to_dict` returned, or that was written by hand.

        Args:
            data: The position.

        Raises:
            StateError: It is impossible; the message says why. Nothing is changed.
        """
        if not isinstance(data, Mapping):
            raise StateError(
                f"a position is a dictionary, got {type(data).__name__}; to_dict() shows its form"
            )
        self._set_state(*self._given_state(data))

    def _set_state(self, record: NDArray[np.uint8] | None, gone: int) -> None:
        assert record is not None
        self._bytes[:] = record
        self._fill_mask()
        self._clear_log()
        self._begin_turns(gone)

    def clone(self, reseed: int | None = None) -> BoardEnv:
        """Return an independent copy.

        Args:
            reseed: None for an exact twin, dice included. A seed 0..2**64-1 gives the copy other dice and
                forgets planned ones, so that whoever plays on the copy foresees nothing. (Hidden information
                stays: see `view`.)
        """
        twin = type(self).__new__(type(self))
        twin.env_id, twin.game, twin.mission = self.env_id, self.game, self.mission
        twin.data, twin.settings, twin._arguments = self.data, self.settings, self._arguments
        twin._allocate()
        twin._begin_face(None if self.render_mode == "human" else self.render_mode)
        if self._has_reset:
            self._copy_to(twin)
        if reseed is not None:
            twin._reseed(reseed)
        return twin

    def _copy_to(self, twin: BoardEnv) -> None:
        twin._bytes[:] = self._bytes
        twin._mask[:] = self._mask
        rows = int(self._log[0, 0]) + 1
        twin._log[:rows] = self._log[:rows]
        twin.agents = list(self.agents)
        twin.rewards = dict(self.rewards)
        twin._cumulative_rewards = dict(self._cumulative_rewards)
        twin.terminations = dict(self.terminations)
        twin.truncations = dict(self.truncations)
        twin.infos = {agent: dict(info) for agent, info in self.infos.items()}
        twin.agent_selection = self.agent_selection
        twin._skip_agent_selection = self._skip_agent_selection
        twin._ended = self._ended
        twin._has_reset, twin._has_updated = True, self._has_updated

    def __getstate__(self) -> dict[str, Any]:
        # What copy.deepcopy and pickle keep: an exact twin, spaces (and so the sampling of actions) included.
        return {
            "env_id": self.env_id,
            "arguments": self._arguments,
            "saved": self.save_state() if self._has_reset else None,
            "log": self._log[: int(self._log[0, 0]) + 1].copy(),
            "spaces": self._spaces,
        }

    def __setstate__(self, held: dict[str, Any]) -> None:
        self.__init__(held["env_id"], **held["arguments"])  # type: ignore[misc]
        if held["saved"] is not None:
            mode, self.render_mode = self.render_mode, None  # a copy opens no window by itself
            self.load_state(held["saved"])
            self.render_mode = mode
        self._log[: len(held["log"])] = held["log"]
        self._spaces = held["spaces"]

    # -- pictures ----------------------------------------------------------------------------------------

    def render(self) -> Any:
        """Draw the board, hidden information included, in the way of `render_mode`.

        Returns:
            A string for ``"svg"`` and ``"ansi"``, uint8 of shape (height, width, 3) for ``"rgb_array"``, None
            for ``"human"`` (a window shows it) and, with a warning, without a render mode.

        Raises:
            AssertionError: Before `reset`.
        """
        if not self._has_reset:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render() does nothing without a render mode; see broodmind.make(render_mode=...)"
            )
            return None
        if self.render_mode == "ansi":
            return self.text_board()
        from broodmind.envs.core import render

        if self.render_mode == "svg":
            return render.to_svg(self.scene())
        picture = render.to_rgb(self.scene())
        if self.render_mode == "rgb_array":
            return picture
        if self._window is None:
            self._window = render.Window()
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Close the window, if there is one. Closing twice does no harm."""
        if self._window is not None:
            self._window.close()
            self._window = None


class _Agents(AECIterable[str, Any, Any]):
    """Agents in turn; insists on a step between two of them, as PettingZoo's order-enforcing wrapper does."""

    def __iter__(self) -> _AgentIterator:
        return _AgentIterator(self.env, self.max_iter)


class _AgentIterator(AECIterator[str, Any, Any]):
    env: BoardEnv

    def __next__(self) -> str:
        agent = super().__next__()
        assert self.env._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._has_updated = False
        return agent
