"""The face that every game shows to the adapters, agents and commands: one `Game`, the same for all."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.actions import ActionTable
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.observation import ObservationLayout
from broodmind.envs.core.scene import Scene

States = NDArray[np.void]
"""An array of state records of one game (see `record.new_states`)."""

BOTH_SEATS = 3
"""The seats as bits, where kernels take a set of them."""


@dataclass(frozen=True)
class Mission:
    """One registered environment.

    Args:
        id: The environment id, ``<game>/<mission>-v<version>``.
        number: Its number within the game, from 1, as the state's ``core.mission`` holds it.
        title: Its name for people.
        max_turns: The default limit of turns (0: the rules end it); reaching it truncates.
        summary: Two or three sentences for documentation: who wants what, in our own words.
        layouts: What ``layout=`` may be, by the number that ``core.layout`` holds.
        options: Further rule options of this mission: name -> (default, meaning).
        final_info: What else the info of an episode's end tells, as `Game.final_info` gives it: name -> meaning.
        reset_options: What ``reset(options=...)`` takes beside what it takes in every game, for `Game.open`: name ->
            meaning.
        parts: Of an environment that is played through other missions of the game, such as a campaign, their ids in
            order -> the number of the observation (``"block.feature"``) that is 1 while that one is played. Policies
            of the parts can play it together.
    """

    id: str
    number: int
    title: str
    max_turns: int
    summary: str
    layouts: tuple[str, ...] = ("random", "standard")
    options: Mapping[str, tuple[Any, str]] = field(default_factory=dict)
    final_info: Mapping[str, str] = field(default_factory=dict)
    reset_options: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Event:
    """Something that happened, typed and in words.

    Args:
        kind: What kind of event (``"moved"``, ``"rolled"``, ``"slain"``, ...).
        data: Its particulars, JSON-able, names rather than numbers.
        sentence: One sentence for people.
    """

    kind: str
    data: Mapping[str, Any]
    sentence: str


@dataclass(frozen=True)
class Reason:
    """Why an action is illegal.

    Args:
        clause: The clause of the rules ledger that forbids it (``"MAC-B22"``).
        text: One sentence.
    """

    clause: str
    text: str


class Kernels(Protocol):
    """The compiled entry points of a game (its ``kernel.py``), all module-level functions.

    `states` is an array of records, `i` the index of one of them, `tables` the game's tables array (length 1),
    `log` an event log (``record.new_log``), `mask` int8 of length ``actions.size`` filled with 0 and 1.
    Kernels raise nothing: the caller passes legal actions only. Arrays of batches: `observation` float32, `mask`
    int8 and `memory` int64 (`Game.memory_size` numbers of the kernels' own, zeroed when a row of `observation` was
    written by others) with a row per game, `actions` and `seeds` int64, `seat` and `ended` int8, `result` int16,
    `length` int32.
    """

    def reset(self, states: States, i: int, tables: Any, log: Any, mask: Any) -> None:
        """Set up the game whose ``core`` says mission, layout and options and whose generator is seeded.

        Everything outside ``core`` is overwritten. Plays on to the first decision and fills its mask.
        """

    def step(self, states: States, i: int, tables: Any, action: int, log: Any, mask: Any) -> None:
        """Execute a legal action, then play on to the next decision (forced ones too, if ``skip_forced``).

        Fills the next mask; all zero when ``core.over``.
        """

    def legal(self, states: States, i: int, tables: Any, mask: Any) -> None:
        """Fill the mask of the decision at hand, for the seat ``core.seat``."""

    def observe(self, states: States, i: int, tables: Any, seat: int, observation: Any) -> None:
        """Fill the whole float32 vector of what a seat may see."""

    def legal_range(self, states: States, start: int, stop: int, tables: Any, mask: Any) -> None:
        """Fill the masks of games start..stop-1, as `legal` does."""

    def observe_range(
        self, states: States, start: int, stop: int, tables: Any, seat: Any, observation: Any
    ) -> None:
        """Fill what the seat ``seat[k]`` may see of each game k of start..stop-1, as `observe` does."""

    def view(self, states: States, i: int, tables: Any, seat: int, seed: int) -> None:
        """Turn a copy into what a seat may know: re-seed the generator, empty the queue, redraw what is hidden."""

    def scripted(self, states: States, i: int, tables: Any, seed: int) -> int:
        """Return the choice of the hand-written player for the seat to act.

        A game with `Game.scripted_variants` has others, which are asked by a `seed` below 0: the first by -1 less an
        even seed, the second by -1 less an odd one.
        """

    def playout(
        self, states: States, i: int, tables: Any, mask: Any, limit: int, seed: int, scripted_seats: int
    ) -> int:
        """Play on from a (scratch) state in place, at most `limit` decisions, by scripted or random choices.

        `scripted_seats` are the seats that the hand-written players play, as bits (3: both); others choose at random.
        `mask` must hold the mask at hand. Returns ``core.result`` if the game ended, else the result 0.
        """

    def reset_range(
        self,
        states: States,
        start: int,
        stop: int,
        tables: Any,
        observation: Any,
        memory: Any,
        mask: Any,
        seat: Any,
    ) -> None:
        """Reset games start..stop-1 (as `reset`) and fill their rows of the output arrays."""

    def step_range(
        self,
        states: States,
        start: int,
        stop: int,
        tables: Any,
        actions: Any,
        observation: Any,
        memory: Any,
        mask: Any,
        seat: Any,
        ended: Any,
        result: Any,
        length: Any,
    ) -> None:
        """Step games start..stop-1 by legal `actions` and fill their rows.

        A game that ended is reset at once from its next episode seed (`episodes.next_episode`); ``ended[k]`` is then 1
        (terminated) or 2 (truncated), ``result[k]`` the half points of seat 0, ``length[k]`` the decisions taken;
        otherwise ``ended[k]`` is 0. A game whose action is below 0 is left as it is (``ended[k]`` is 0). Rows of
        `observation` and `mask` must be untouched since the last call: only what changed is written.
        """

    def scripted_range(
        self, states: States, start: int, stop: int, tables: Any, seeds: Any, actions: Any
    ) -> None:
        """Fill ``actions`` with the scripted choices of games start..stop-1 (see `scripted`)."""


def data_name(data_hash: str) -> str:
    """Say which data a `Game.data_hash` means (``"the packaged data"``, ``"other data (0123456789ab)"``)."""
    return f"other data ({data_hash[:12]})" if data_hash else "the packaged data"


class Game(ABC):
    """A game: its missions, spaces, kernels and words. One instance per game (``<game>/game.py: GAME``)."""

    name: str
    """The first part of its ids (``"macragge"``)."""
    title: str
    agents: tuple[str, str]
    """The two agents; index = seat. Index 0 is the one whose half points ``core.result`` holds."""
    missions: Sequence[Mission]
    state_dtype: np.dtype
    actions: ActionTable
    observation: ObservationLayout
    observation_bounds: tuple[float, float] = (-1.0, 1.0)
    """Between what every number of an observation lies."""
    roll_bounds: tuple[int, int] = (0, 15)
    """Between what lies every number that dice and draws of the game show; planned rolls outside are refused."""
    scripted_variants: Sequence[str] = ()
    """Names of other hand-written players beside the first (``scripted:NAME``), two at most: see `Kernels.scripted`."""
    memory_size: int = 0
    """Numbers that the kernels keep per row of a batch, to rewrite only what changed in its observation."""
    data_hash: str = ""
    """Hash of the data that took the place of the packaged files (see `with_data`); empty: those of the package."""

    @abstractmethod
    def kernels(self) -> Kernels:
        """Import and return the compiled kernels (this is where Numba is first needed)."""

    @abstractmethod
    def tables(self) -> NDArray[np.void]:
        """Return the tables array (length 1, read-only in spirit) that the kernels take; built once."""

    def with_data(self, folder: str | os.PathLike[str]) -> Game:
        """Return this game on other data: the files of a folder take the place of the packaged ones.

        The game returned differs in its tables, its words and its `data_hash`; the same data give the same instance,
        and a copy of the packaged ones gives the game itself.

        Args:
            folder: Where the files are; those it lacks are taken from the package.

        Raises:
            ConfigError: The game reads no data files, there is no such folder, or an entry is wrong; the message names
                file, key, value and what was expected.
        """
        raise ConfigError(
            f"data={os.fspath(folder)!r}: {self.title} has no data files to replace; leave data out"
        )

    # -- words ------------------------------------------------------------------------------------------------

    @abstractmethod
    def action_label(self, states: States, i: int, action: int) -> str:
        """Say in words what an action would do in this position (``"Varras moves 5 1/2 inches north-east"``)."""

    def told_label(self, states: States, i: int, action: int) -> str:
        """Say in words what the other seat sees of a decision: `action_label`, but for what stays hidden from it."""
        return self.action_label(states, i, action)

    @abstractmethod
    def explain(self, states: States, i: int, action: int) -> Reason | None:
        """Return why an action is illegal now, or None if it is legal."""

    @abstractmethod
    def event(self, row: NDArray[np.int32]) -> Event:
        """Turn a row of the event log into a typed event with its sentence."""

    def events(self, states: States, i: int, rows: NDArray[np.int32]) -> list[Event]:
        """Turn the rows of the event log of a step into events, in order.

        Args:
            states: Array of records.
            i: Which of them; it stands after the events. Events are told to both seats alike, so nothing that is hidden
                may be taken from it.
            rows: Rows of the log.
        """
        return [self.event(row) for row in rows]

    @abstractmethod
    def phase_name(self, states: States, i: int) -> str:
        """Name the decision at hand (``"MOVE_SELECT"``)."""

    @abstractmethod
    def question(self, states: States, i: int) -> str:
        """Ask the decision at hand as a sentence (``"Which unit moves next?"``)."""

    # -- states as dictionaries -------------------------------------------------------------------------------

    @abstractmethod
    def to_dict(self, states: States, i: int) -> dict[str, Any]:
        """Return the whole position as JSON-able names and numbers (``core`` included, under ``"core"``)."""

    @abstractmethod
    def from_dict(self, data: Mapping[str, Any]) -> States:
        """Return an array of one record.

        Raises:
            StateError: The position is impossible; the message says why.
        """

    @abstractmethod
    def problems(self, states: States, i: int) -> list[str]:
        """Return every way in which a record is not a legal position (empty: none)."""

    def potential(self, states: States, i: int, seat: int) -> float:
        """Return how good a position looks for a seat, -1..1, and as bad for the other (see `PotentialShaping`).

        0 everywhere unless a game knows better: then nothing is shaped.
        """
        return 0.0

    # -- pictures ---------------------------------------------------------------------------------------------

    @abstractmethod
    def scene(self, states: States, i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
        """Return the board as shapes, as a seat may see it (None: everything); `events`: what to highlight."""

    @abstractmethod
    def text_board(self, states: States, i: int, seat: int | None = None) -> str:
        """Return the board as text with a legend (render mode ``ansi``)."""

    # -- helpers that follow ----------------------------------------------------------------------------------

    def mission(self, env_id: str) -> Mission:
        """Return the mission of an id."""
        for mission in self.missions:
            if mission.id == env_id:
                return mission
        raise KeyError(env_id)

    def final_info(self, states: States, i: int, seat: int) -> dict[str, float]:
        """Return what the info of a seat tells at the end of an episode, beside result, turns and decisions.

        Args:
            states: Array of records.
            i: Which of them; its episode is over.
            seat: Whose info it is.

        Returns:
            A number for each name in ``mission.final_info``; evaluations take their means.
        """
        return {}

    def planned_names(self) -> Mapping[int, str]:
        """Return what numbers name that are planned for a choice by name (`dice.planned_value`): a card, a tile.

        Empty where a game has no such choices. Numbers between 1 and those of names mean the k-th of what there is.
        """
        return {}

    def open(self, states: States, i: int, options: Mapping[str, Any], fresh: bool) -> Sequence[int]:
        """Carry out what a reset was asked for beside what it does in every game.

        Args:
            states: Array of records.
            i: Which of them; it stands at its first decision, or is a position that the reset was given.
            options: Values of some of ``mission.reset_options``.
            fresh: Whether the game was set up just now; otherwise it is a given position.

        Returns:
            Actions to be taken first, in order.

        Raises:
            ValueError: A value cannot be taken; the message says ``name=value; expected ...``.
        """
        return ()

    def write_options(self, core: Any, mission: Mission, options: Mapping[str, Any]) -> None:
        """Write the rule options of a mission into ``core.spare``: bit k for the k-th of ``mission.options``.

        A game with options that are not switches overrides this (``core.spare`` outlives a reset).

        Args:
            core: The head of one record.
            mission: The mission.
            options: A value for each of ``mission.options``.

        Raises:
            ValueError: A value cannot be taken; the message says ``name=value; expected ...``.
        """
        bits = 0
        for k, name in enumerate(mission.options):
            if not isinstance(options[name], bool):
                raise ValueError(f"{name}={options[name]!r}; expected True or False")
            bits |= int(options[name]) << k
        core["spare"] = bits
