"""One game in hand: its record, dice, words, pictures and copies; `aec.BoardEnv` adds the taking of turns."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.codec import suggest
from broodmind.envs.core.dice import QUEUE_SIZE, seed_generator
from broodmind.envs.core.errors import ConfigError, IllegalActionError, StateError
from broodmind.envs.core.game import Event, Game, Mission, Reason
from broodmind.envs.core.observation import ObservationLayout
from broodmind.envs.core.positions import (
    before_forfeit,
    check_dice,
    check_position,
    forfeit,
    position_problems,
)
from broodmind.envs.core.record import FORFEITED, as_states, new_log, new_states
from broodmind.envs.core.registration import game_of
from broodmind.envs.core.scene import Scene
from broodmind.envs.core.settings import Settings, check_seed, signed, whole_number

LOG_ROWS = 1024
"""Rows of the event log of one environment: what one step may report."""

CHANCE = ("key", "stream", "counter", "queue", "queue_head", "queue_length", "strict", "unplanned")
"""Fields of ``core`` that hold chance to come, and so are no part of what `Board.state` returns."""


class Board:
    """One game of one mission: everything that may be asked of it without taking turns.

    Args:
        env_id: The environment's id.
        data: As in `registration.game_of`.
        **settings: See `Settings`.

    Attributes:
        env_id: The environment's id.
        game: Its game.
        mission: Its mission.
        data: The folder of its data, if they are not the packaged ones.
        settings: What was asked for.
        states: The state: an array of one record. Write to it only to set up tests.
    """

    env_id: str
    game: Game
    mission: Mission
    data: str | os.PathLike[str] | None
    settings: Settings
    states: NDArray[np.void]

    def __init__(self, env_id: str, data: str | os.PathLike[str] | None = None, **settings: Any) -> None:
        self.env_id = env_id
        self.data = data
        self.game = game_of(env_id, data)
        self.mission = self.game.mission(env_id)
        self.settings = Settings(self.game, self.mission, **settings)
        self._allocate()

    def _allocate(self) -> None:
        """Make the arrays of one game and views of the few fields that every step reads."""
        game = self.game
        self.states = new_states(game.state_dtype, 1)
        self._bytes = np.asarray(self.states).view(np.uint8)
        self._core: Any = self.states[0]["core"]
        core: Any = np.asarray(self.states)["core"]
        # Items of a memoryview are read several times faster than fields of a record.
        self._seat_view = memoryview(core["seat"])
        self._over_view = memoryview(core["over"])
        self._strict_view = memoryview(core["strict"])
        self._planned_view = memoryview(core["queue_length"])
        mask: Any = np.zeros(game.actions.size, np.int8)
        self._mask: NDArray[np.int8] = mask
        self._mask_view = memoryview(mask)
        self._log = new_log(LOG_ROWS)
        self._log_head = memoryview(self._log[0])
        self._tables = game.tables()
        kernels = game.kernels()
        self._kernels = kernels
        self._kernel_step = kernels.step
        self._kernel_observe = kernels.observe
        self._size = game.observation.size
        self._actions = game.actions.size
        self._names: dict[str, int] | None = None
        self._leaves: list[tuple[str, NDArray[Any]]] | None = None

    # -- actions -----------------------------------------------------------------------------------------

    def _require_reset(self, what: str) -> None:
        raise NotImplementedError  # abstract

    def _checked_action(self, action: Any) -> int:
        """Return an action as an int within range, or raise IllegalActionError."""
        chosen = action if type(action) is int else whole_number(action)
        if chosen is None:
            raise IllegalActionError(
                f"action {action!r} is no whole number; expected an id 0..{self._actions - 1} that is 1 in "
                'observe(agent)["action_mask"]'
            )
        if not 0 <= chosen < self._actions:
            raise IllegalActionError(
                f"action {chosen} is outside 0..{self._actions - 1}; legal_actions() lists the choices",
                chosen,
            )
        return chosen

    def legal_actions(self) -> list[int]:
        """Return the ids of the actions that are legal now, in order; empty after the end."""
        self._require_reset("legal_actions")
        return [int(action) for action in np.flatnonzero(self._mask)]

    def describe_action(self, action: int) -> str:
        """Return the canonical name of an action (``parse_action`` reads it); the same in every position.

        Args:
            action: An id.

        Raises:
            IllegalActionError: The id is out of range.
        """
        return self.game.actions.name(self._checked_action(action))

    def label_action(self, action: int) -> str:
        """Return what an action would do in this position, in words for people.

        Args:
            action: An id.

        Raises:
            IllegalActionError: The id is out of range.
        """
        self._require_reset("label_action")
        return self.game.action_label(self.states, 0, self._checked_action(action))

    def parse_action(self, text: str) -> int:
        """Return the action of a name: the inverse of `describe_action`, careless of capitals and spaces.

        Args:
            text: A name as `describe_action` gives it, or an id in digits.

        Raises:
            IllegalActionError: There is no such action; the message suggests the nearest name.
        """
        words = " ".join(str(text).lower().split())
        if words.isascii() and words.isdigit():
            return self._checked_action(int(words[:18]))
        if self._names is None:
            self._names = {
                " ".join(name.lower().split()): k for k, name in enumerate(self.game.actions.names())
            }
        if words not in self._names:
            legal = [name for name, action in self._names.items() if self._mask[action]]
            hint = suggest(words, legal) or suggest(words, self._names)
            raise IllegalActionError(
                f"no action is called {str(text)!r}{hint or '; legal_actions() lists ids'}"
            )
        return self._names[words]

    def explain_action(self, action: int) -> Reason | None:
        """Return why an action is illegal now, clause and sentence, or None if it is legal.

        Args:
            action: An id.

        Raises:
            IllegalActionError: The id is out of range.
        """
        self._require_reset("explain_action")
        return self.game.explain(self.states, 0, self._checked_action(action))

    # -- what happened, what stands ----------------------------------------------------------------------

    def events(self) -> list[Event]:
        """Return what happened in the last `step` or `reset`, decisions that the engine took included."""
        events = self.game.events(self.states, 0, self._log[1 : int(self._log[0, 0]) + 1])
        if self._log[0, 1]:
            events.append(
                Event("log_full", {"kept": LOG_ROWS - 1}, "More happened than the event log could hold.")
            )
        return events

    def question(self) -> str:
        """Return the decision at hand as a sentence."""
        self._require_reset("question")
        return self.game.question(self.states, 0)

    def phase_name(self) -> str:
        """Return the name of the decision at hand, as the rules ledger spells it."""
        self._require_reset("phase_name")
        return self.game.phase_name(self.states, 0)

    def observation_layout(self, agent: str | None = None) -> ObservationLayout:
        """Return the named blocks of an observation vector, with shapes and meanings.

        Args:
            agent: An agent (the layout is the same for both; rows are own or enemy by flags within).
        """
        if agent is not None:
            self._seat(agent)
        return self.game.observation

    def _seat(self, agent: str) -> int:
        """Return the seat of an agent, or raise ConfigError."""
        if agent not in self.game.agents:
            hint = suggest(str(agent), self.game.agents)
            raise ConfigError(
                f"{self.env_id} has no agent {agent!r}; its agents are {' and '.join(self.game.agents)}{hint}"
            )
        return self.game.agents.index(agent)

    def state(self) -> NDArray[np.float32]:
        """Return the whole state as numbers, **hidden information included**: for centralised critics only.

        Every number of the record except the generator and the dice queue, unscaled, in the order of
        `state_layout`.

        Returns:
            float32, shape ``(sum of the sizes of state_layout(),)``.
        """
        self._require_reset("state")
        return np.concatenate([view.reshape(-1) for _, view in self._state_leaves()]).astype(np.float32)

    def state_layout(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return name (``"core.turn"``, ``"models.x"``) and shape of each part of `state`, in order."""
        return [(name, view.shape[1:]) for name, view in self._state_leaves()]

    def _state_leaves(self) -> list[tuple[str, NDArray[Any]]]:
        if self._leaves is None:
            self._leaves = []
            self._collect_leaves(np.asarray(self.states), "")
        return self._leaves

    def _collect_leaves(self, array: NDArray[Any], path: str) -> None:
        assert self._leaves is not None
        for name in array.dtype.names or ():
            if path == "core." and name in CHANCE:
                continue
            if array[name].dtype.names:
                self._collect_leaves(array[name], f"{path}{name}.")
            else:
                self._leaves.append((path + name, array[name]))

    def state_hash(self) -> str:
        """Return a hash of the record's bytes (32 hexadecimal digits), the same on every machine."""
        return hashlib.blake2b(self.states.tobytes(), digest_size=16).hexdigest()

    @property
    def episode_seed(self) -> int:
        """The seed of the episode under way, 0..2**64-1: `reset` with it starts the same episode."""
        return int(self._core["stream"]) << 32 | int(self._core["key"])

    def problems(self) -> list[str]:
        """Return every way in which the state is not a legal position (empty: none)."""
        return position_problems(self.game, self.states, 0)

    # -- dice --------------------------------------------------------------------------------------------

    def feed_dice(self, rolls: Sequence[int]) -> None:
        """Plan the next rolls: they come after those planned already; then the generator goes on.

        Args:
            rolls: Whole numbers as the dice show them (1..6 for a D6). What each is for shows only when it is
                rolled: a step whose die cannot show its planned roll raises `UnplannedRollError`.

        Raises:
            StateError: A roll is none that any die of the game shows, or there are too many; nothing is changed.
        """
        self._set_queue([*self.pending_dice, *check_dice(rolls, *self.game.roll_bounds)])

    @property
    def pending_dice(self) -> list[int]:
        """Planned rolls that were not yet used, in order."""
        head, length = int(self._core["queue_head"]), int(self._core["queue_length"])
        return [int(roll) for roll in self._core["queue"][head:length]]

    def _set_queue(self, rolls: Sequence[int]) -> None:
        if len(rolls) > QUEUE_SIZE:
            raise StateError(f"{len(rolls)} planned rolls do not fit the queue of {QUEUE_SIZE}; feed fewer")
        queue = self._core["queue"]
        queue[:] = 0
        queue[: len(rolls)] = rolls
        self._core["queue_head"] = 0
        self._core["queue_length"] = len(rolls)

    # -- positions ---------------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the whole position as JSON-able names and numbers, hidden information included.

        A game that an illegal action forfeited is the decision it stood at, and ``"forfeited": True``.
        """
        self._require_reset("to_dict")
        if self._over_view[0] != FORFEITED:
            return self.game.to_dict(self.states, 0)
        return {**self.game.to_dict(before_forfeit(self.states, 0), 0), "forfeited": True}

    def _from_dict(self, data: Mapping[str, Any]) -> NDArray[np.void]:
        """Return a checked position of this environment, or raise StateError."""
        if not isinstance(data, Mapping):
            raise StateError(
                f"a position is a dictionary, got {type(data).__name__}; to_dict() shows its form"
            )
        forfeited = data.get("forfeited", False)
        if not isinstance(forfeited, bool):
            raise StateError(f"forfeited is {forfeited!r}; expected true or false")
        data = {key: value for key, value in data.items() if key != "forfeited"}
        try:
            states = self.game.from_dict(data)
        except (KeyError, TypeError, IndexError, OverflowError) as error:
            raise StateError(f"the position cannot be read: {error!r}; to_dict() shows its form") from error
        mission = self.game.missions[int(states[0]["core"]["mission"]) - 1]
        if mission.id != self.env_id:
            raise StateError(f"the position is of {mission.id!r}, this environment is {self.env_id!r}")
        if forfeited:
            if states[0]["core"]["over"]:
                raise StateError("the position is over and forfeited; a game ends one way or the other")
            forfeit(states[0]["core"])
        check_position(self.game, states, 0)
        return states

    def view(self, agent: str, seed: int = 0) -> NDArray[np.void]:
        """Return a copy of the position as a seat may know it: hidden things redrawn, other dice.

        What policies with `needs_position` are given.

        Args:
            agent: Who looks.
            seed: Seed of the copy's dice and of what is redrawn, 0..2**64-1.

        Returns:
            An array of one record.
        """
        self._require_reset("view")
        copy = self._copy_states()
        self._kernels.view(copy, 0, self._tables, self._seat(agent), signed(check_seed(seed)))
        return copy

    def _copy_states(self) -> NDArray[np.void]:
        # Copying bytes keeps the padding too, so that equal states have equal bytes.
        return as_states(self._bytes.copy().view(self.game.state_dtype))

    def _fill_mask(self) -> None:
        """Fill the mask of the decision at hand; nothing is legal after the end."""
        if self._over_view[0]:
            self._mask[:] = 0
        else:
            self._kernels.legal(self.states, 0, self._tables, self._mask)

    def _reseed(self, seed: int) -> None:
        """Give the game other dice: a new generator, nothing planned."""
        seed_generator(self._core, signed(check_seed(seed)))
        self._set_queue([])
        self._core["strict"] = 0

    # -- pictures ----------------------------------------------------------------------------------------

    def scene(self, agent: str | None = None) -> Scene:
        """Return the board as shapes.

        Args:
            agent: Who looks; None for everything, hidden information included.
        """
        self._require_reset("scene")
        seat = None if agent is None else self._seat(agent)
        return self.game.scene(self.states, 0, seat, self.events())

    def text_board(self, agent: str | None = None) -> str:
        """Return the board as text with a legend.

        Args:
            agent: Who looks; None for everything, hidden information included.
        """
        self._require_reset("text_board")
        return self.game.text_board(self.states, 0, None if agent is None else self._seat(agent))
