"""A game between people and policies, without the terminal: decisions, undo, saving, real dice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from broodmind.envs.core import replay as replays
from broodmind.envs.core.dice import IMPOSSIBLE
from broodmind.envs.core.errors import ReplayError, UnplannedRollError
from broodmind.envs.core.record import new_log
from broodmind.scripts.common import TakeBack
from broodmind.scripts.menu import Menu
from broodmind.scripts.players import PolicyPlayer

if TYPE_CHECKING:
    from broodmind.envs.core.aec import BoardEnv


@dataclass(frozen=True)
class Roll:
    """A roll that the game waits for.

    Args:
        low: The least it can show.
        high: The most it can show.
        before: What happened in this action before it, in sentences.
        purpose: What it is for, as far as it can be said ("Mine 1 drifts...").
        outcomes: How that goes on for each roll, from `low` to `high`; empty if unknown.
        named: What is drawn by number (a tile, a card) rather than rolled: what can come, by the number that says so.
    """

    low: int
    high: int
    before: tuple[str, ...] = ()
    purpose: str = ""
    outcomes: tuple[str, ...] = ()
    named: Mapping[int, str] = field(default_factory=dict)


A_CHOICE = 1
"""What ``core.unplanned`` says where no die is rolled, but something chosen by a planned number (`planned_value`)."""

AskRoll = Callable[[Roll], int]
"""Asks people for the roll of a real die; returns what it shows. Any exception leaves the game as it was."""


@dataclass(frozen=True)
class Point:
    """A decision of a person, to come back to."""

    state: bytes
    steps: int
    told: int


class Session:
    """One game. People decide for some agents, policies for the others.

    Args:
        env: The environment, unwrapped.
        players: Policies by agent; agents without one are people.
        options: Keyword arguments that made the environment.
        ask_roll: Asks for real dice; None: the environment rolls.
    """

    def __init__(
        self,
        env: BoardEnv,
        players: Mapping[str, PolicyPlayer],
        options: Mapping[str, Any] | None = None,
        ask_roll: AskRoll | None = None,
    ) -> None:
        self.env = env
        self.players = dict(players)
        self.people = [agent for agent in env.possible_agents if agent not in self.players]
        self.ask_roll = ask_roll
        specs = {agent: players[agent].spec if agent in players else "human" for agent in env.possible_agents}
        self.recorder = replays.Recorder(env, options, specs)
        self.sentences: list[str] = []
        """Everything that happened, in order."""
        self.told = 0
        """How many sentences people have been told."""
        self._points: list[Point] = []

    # -- the course of the game ------------------------------------------------------------------------------

    def begin(self, seed: int) -> None:
        """Set up a game and play on to the first decision of a person; `TakeBack` takes back a roll of the set-up."""
        self._forget()
        if self.ask_roll is None:
            self.recorder.reset(seed)
        else:
            dice: list[int] = []
            while True:
                try:
                    self.recorder.reset(seed, {"strict": True, "dice": dice})
                    break
                except UnplannedRollError as error:
                    try:
                        dice.append(self.ask_roll(self._wanted_at_first(seed, dice, error.die)))
                    except TakeBack:
                        del dice[-1:]
        self._listen()
        self._mark()

    def load(self, path: Path) -> None:
        """Take up a saved game (or replay) where it stops.

        Raises:
            ReplayError: The file is damaged, of another environment or comes out differently here.
        """
        saved = replays.read(path, data=self.env.data)
        if saved.env_id != self.env.env_id:
            raise ReplayError(
                f"{path} is a game of {saved.env_id}; `broodmind play {saved.env_id}` can load it"
            )
        self._forget()
        env = self.env
        for _, env in replays.simulate(saved):
            self.sentences += [event.sentence for event in env.events()]
        self.env.load_state(env.save_state())
        self.recorder.replay = saved
        self.told = len(self.sentences)
        self._mark()

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.env.states["core"]["over"][0])

    @property
    def agent(self) -> str:
        """The agent to act."""
        return str(self.env.agent_selection)

    def advance(self) -> list[tuple[str, str]]:
        """Let the policies play until a person decides or the game ends.

        Returns:
            (agent, action in words) for each decision of a policy.
        """
        done = []
        while not self.over and self.agent in self.players:
            agent = self.agent
            action = self.players[agent].choose(self.env)
            done.append((agent, self.told_label(action) if self.people else self.label(action)))
            self.act(action)
        self._mark()
        return done

    def act(self, action: int) -> None:
        """Take a legal action for the agent to act, asking for real dice as they are needed."""
        before = self.env.save_state() if self.ask_roll is not None else b""
        fed: list[int] = []
        while True:
            try:
                self.recorder.step(action, fed)
                break
            except UnplannedRollError:
                if self.ask_roll is None:
                    raise
            try:
                roll = self.ask_roll(self._wanted(action))
            except (
                BaseException
            ):  # people may leave or think better of it: the dice typed so far go with the action
                self.env.load_state(before)
                raise
            self.env.feed_dice([roll])
            fed.append(roll)
        self._listen()

    def take_back(self) -> bool:
        """Go back to the person's last decision while dice are asked for; False if there is none."""
        if not self._points:
            return False
        self._return_to(self._points[-1])
        return True

    def undo(self) -> bool:
        """Go back to the person's decision before this one; False if there is none.

        Dice are part of the position: the same choices roll the same dice again.
        """
        if len(self._points) < 2:
            return False
        self._points.pop()
        self._return_to(self._points[-1])
        return True

    def save(self, path: Path) -> Path:
        """Write the game so far as a replay file, which `load` takes up again.

        Raises:
            ReplayError: The file cannot be written there.
        """
        return replays.write(self.recorder.replay, path)

    # -- words -----------------------------------------------------------------------------------------------

    def menu(self) -> Menu:
        """Return the choices of the decision at hand."""
        mask = np.zeros(self.env.game.actions.size, np.int8)
        mask[self.env.legal_actions()] = 1
        return Menu(self.env.game.actions, mask, self.label)

    def label(self, action: int) -> str:
        """Say in words what an action would do now."""
        return self.env.label_action(action)

    def told_label(self, action: int) -> str:
        """Say in words what the other side sees of an action that is taken now."""
        return self.env.game.told_label(self.env.states, 0, action)

    def question(self) -> str:
        """Ask the decision at hand."""
        return self.env.question()

    def board(self) -> str:
        """Return the board as text, as the person to act (or the only person) may see it."""
        agent = self.agent if not self.over else ""
        seen_by = agent if agent in self.people else self.people[0] if len(self.people) == 1 else None
        return self.env.text_board(seen_by)

    def why(self, action: int) -> str | None:
        """Say why an action is illegal now; None if it is legal."""
        reason = self.env.explain_action(action)
        if reason is None and action not in self.env.legal_actions():
            return "the rules do not offer it here"
        return f"{reason.text} ({reason.clause})" if reason else None

    def news(self) -> list[str]:
        """Return what happened since people were told last."""
        fresh = self.sentences[self.told :]
        self.told = len(self.sentences)
        return fresh

    # -- inside ----------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        self.sentences += [event.sentence for event in self.env.events()]

    def _forget(self) -> None:
        self.sentences, self.told, self._points = [], 0, []

    def _return_to(self, point: Point) -> None:
        self.env.load_state(point.state)
        del self.recorder.replay.steps[point.steps :]
        self.recorder.replay.result = replays.result_of(self.env)
        del self.sentences[point.told :]
        self.told = point.told

    def _mark(self) -> None:
        """Remember the decision of a person at hand."""
        if self.over or self.agent in self.players:
            return
        point = Point(self.env.save_state(), len(self.recorder.replay.steps), len(self.sentences))
        if not self._points or self._points[-1].steps != point.steps:
            self._points.append(point)

    def _wanted(self, action: int) -> Roll:
        """Return which die an action needs next, and what happens before it is rolled."""
        twin = self.env.clone()
        log, mask = new_log(0), np.zeros(twin.game.actions.size, np.int8)
        twin.game.kernels().step(twin.states, 0, twin.game.tables(), action, log, mask)
        sides = int(twin.states["core"]["unplanned"][0])
        if sides == A_CHOICE:
            # A planned 0 is refused with how many there are to choose from, and any number that is no name.
            sides = self._unplanned(action, 0) - IMPOSSIBLE
            if self._unplanned(action, self.env.game.roll_bounds[1] + 1) > IMPOSSIBLE:
                names = self.env.game.planned_names().items()
                named = {number: name for number, name in names if not self._unplanned(action, number)}
                return Roll(min(named), max(named), tuple(_common(self._told(action, named))), named=named)
        low, high = (1, sides) if sides > 0 else (0, -sides - 1)
        told = self._told(action, range(low, high + 1))
        # What comes out the same whatever this die shows (and later ones) has happened before it.
        before = _common(told)
        following = [sentences[len(before)].split() for sentences in told if len(sentences) > len(before)]
        if len(following) < len(told):
            return Roll(low, high, tuple(before))
        purpose = _common(following)
        outcomes = tuple(" ".join(words[len(purpose) :]).rstrip(".") for words in following)
        return Roll(low, high, tuple(before), " ".join(purpose), outcomes)

    def _told(self, action: int, rolls: Iterable[int]) -> list[list[str]]:
        """Return what an action would tell for each next roll."""
        told = []
        for roll in rolls:
            twin = self.env.clone()
            core = twin.states["core"][0]
            core["strict"], core["key"] = 0, roll
            twin.feed_dice([roll])
            twin.step(action)
            told.append([event.sentence for event in twin.events()])
        return told

    def _unplanned(self, action: int, number: int) -> int:
        """Return what ``core.unplanned`` says if an action's next roll is planned so, all later ones being rolled."""
        twin = self.env.clone()
        core = twin.states["core"][0]
        core["strict"] = 0
        core["queue"][int(core["queue_length"])] = number
        core["queue_length"] += 1
        log, mask = new_log(0), np.zeros(twin.game.actions.size, np.int8)
        twin.game.kernels().step(twin.states, 0, twin.game.tables(), action, log, mask)
        return int(core["unplanned"])

    def _wanted_at_first(self, seed: int, dice: list[int], die: int) -> Roll:
        """Return which die the set-up needs next, after some."""
        before = ("The board is being set up.",)
        if die != A_CHOICE:
            return Roll(1, die, before) if die > 0 else Roll(0, -die - 1, before)
        names = self.env.game.planned_names()
        named = {}
        for number, name in names.items():
            try:
                self.env.reset(seed=seed, options={"strict": True, "dice": [*dice, number]})
            except UnplannedRollError as error:
                if not error.die:  # it cannot be
                    continue
            named[number] = name
        # Where all numbers can be, they name nothing: a choice in which numbers go round, and a D6 does.
        return (
            Roll(1, 6, before)
            if len(named) == len(names)
            else Roll(min(named), max(named), before, named=named)
        )


def _common(lists: Sequence[Sequence[str]]) -> list[str]:
    """Return what all lists begin with."""
    same = 0
    while all(len(one) > same and one[same] == lists[0][same] for one in lists):
        same += 1
    return list(lists[0][:same])
