"""Random play with planned dice reaches every part of the game: tiles, tools, events, Injuries, Insanities, decisions.

What was not reached yet is steered to: its action is chosen more often where it is legal, its tile and its dice are
planned more often. On the way each row of observations, of which only what changed is written, is compared with
one that is written whole.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import broodmind
from broodmind.envs.core import driven
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.record import new_log
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st

MOST_DECISIONS = 60_000
"""It takes about 10,000."""
EAGER = 40.0
"""How much likelier an action is whose verb, or tool, was not reached yet."""
VERBS = [act.ACTIONS.decode(action)[0].name for action in range(act.ACTIONS.size)]
TOOLS = st.ITEM_IDS[st.FIRST_TOOL : st.BEACON]
GOALS = {
    *(f"tile entered: {kind}" for kind in st.KIND_IDS if kind != "pit"),
    *(f"tool: {tool}" for tool in TOOLS),
    *(f"event: {event}" for event in st.EVENT_IDS),
    *(f"injury: {number}" for number in range(1, 7)),
    *(f"insanity: {number}" for number in range(1, 7)),
    *(f"verb: {verb.name}" for verb in act.ACTIONS.verbs),
    *(f"exploded: {st.ITEM_IDS[item]}" for item in (st.FRAG, st.MELTA, st.MINE)),
    *(
        f"effect: {words}"
        for words in (
            "the far end of a pit is filled",
            "the Horror crosses a pit",
            "somebody falls through a floor",
            "the fallen land on a new floor",
            "a lift goes down",
            "a tile caves in",
            "a door is melted",
            "a Ceramite Door is placed",
            "a Ceramite Door is melted through",
            "a Marine armoury is opened",
            "a ransacked armoury is searched",
            "a chapel turns the Horror away",
            "a shrine turns the Horror away",
            "a corridor is narrow",
            "a dead Marine is mourned",
            "a dead Terminator is mourned",
            "a fixed item is taken",
            "a vent is lit",
            "the maze shifts",
            "a Servo Skull warns",
            "a Servo Skull pulses",
            "the Pendant keeps Morale",
            "the Crux is used",
            "an early warning is spent",
            "the Horror is slain",
            "the Horror comes out of its Nest's tile",
            "somebody is taken",
            "the Beacon comes home",
        )
    ),
}
EVENT_DICE = {
    "lights": (1, 1, 1, 1),
    "generator": (2, 2, 2, 2),
    "signpost": (2, 2, 3, 3),
    "nothing": (1, 1, 4, 5),
    "dead_soldier": (3, 3, 3, 3),
    "dead_marine": (3, 3, 3, 4),
    "dead_terminator": (3, 3, 4, 4),
    "medical_supplies": (3, 4, 4, 4),
    "found_them": (4, 4, 4, 4),
    "ration_trolley": (4, 4, 4, 5),
    "distracted": (4, 4, 5, 5),
    "whispers": (4, 5, 5, 5),
    "faulty_ammunition": (5, 5, 5, 5),
    "faulty_weapon": (5, 5, 5, 6),
    "cave_in": (5, 5, 6, 6),
    "narrow_corridor": (5, 6, 6, 6),
    "ceramite_door": (6, 6, 6, 6),
}
"""Four faces whose sum is an event's: repeated, they are wherever the four dice begin."""


class Seeker:
    """Plays random games, steers to what was not reached yet, and notes what was."""

    def __init__(self, env: BoardEnv, seed: int) -> None:
        self.env = env
        self.kernels = env.game.kernels()
        self.tables = env.game.tables()
        self.choose = np.random.default_rng(seed)
        self.missing = set(GOALS)
        self.mask = np.zeros((1, act.ACTIONS.size), np.int8)
        self.row = np.zeros((1, env.game.observation.size), np.float32)
        self.whole = np.zeros_like(self.row)
        self.memory = np.zeros((1, env.game.memory_size), np.int64)
        self.log = new_log(4096)

    def drive(self, mode: int, action: int) -> None:
        """Make one step of a game, as a batch does: with the observation."""
        self.log[:] = 0
        bytes_ = [np.zeros(1, np.int8) for _ in range(2)]
        self.kernels.drive(  # type: ignore[attr-defined]
            self.env.states,
            0,
            1,
            self.tables,
            mode,
            1 if mode == driven.STEP else 0,
            0,
            np.array([action], np.int64),
            self.log,
            self.mask,
            self.row,
            self.memory,
            *bytes_,
            np.zeros(1, np.int16),
            np.zeros(1, np.int32),
        )
        seat = int(self.env.states[0]["core"]["seat"])
        self.kernels.observe(self.env.states, 0, self.tables, seat, self.whole[0])
        assert self.row.tobytes() == self.whole.tobytes(), "an observation is stale"

    def begin(self, game: int) -> None:
        """Begin a game; some begin with a side in trouble, so that what comes late comes often."""
        s = self.env.states[0]
        core = s["core"]
        core["key"], core["counter"], core["queue_head"], core["queue_length"] = 1000 + game, 0, 0, 0
        core["over"] = core["truncated"] = core["result"] = core["turn"] = 0
        if game % 4 == 3:
            core["queue"][0], core["queue_length"] = 100 + st.LOCKED_CORRIDOR, 1
        self.drive(driven.RESET, -1)
        if game % 4 == 1:
            s["morale"][:] = 1
        elif game % 4 == 2:
            s["h_wounds"] = 6
        elif game % 4 == 3:  # a Ceramite Door on the first tile, and enough to melt it with
            s["tools"][st.DEMOLITION, st.MELTA - st.FIRST_TOOL] = 3
            s["ceramite"][:] = s["door"]

    def wanted(self, prefix: str) -> list[str]:
        """Return what is missing under a heading."""
        return sorted(goal.removeprefix(prefix) for goal in self.missing if goal.startswith(prefix))

    def plan(self) -> None:
        """Plan some numbers: draws of missing tiles, dice of missing events, ones and sixes."""
        s = self.env.states[0]
        if "effect: the Horror is slain" in self.missing and s["h_state"] == st.PROWLING:
            s["h_wounds"] = 1
        kind = self.choose.integers(4)
        numbers: Iterable[int]
        if kind == 0:
            kinds = [*self.wanted("tile entered: "), "pit", "locked_corridor", "chapel", "chaos_shrine"]
            numbers = [100 + st.KIND_IDS.index(str(self.choose.choice(kinds)))] * 3
        elif kind == 1:
            events = self.wanted("event: ") or list(EVENT_DICE)
            numbers = EVENT_DICE[str(self.choose.choice(events))] * 4
        else:
            numbers = self.choose.choice([1, 1, 1, 2, 3, 4, 5, 6, 6, 6], 12).tolist()
        core = s["core"]
        planned = list(numbers)[:QUEUE_SIZE]
        core["queue"][: len(planned)] = planned
        core["queue_head"], core["queue_length"] = 0, len(planned)

    def action(self) -> int:
        """Choose a legal action, one that is missing more often."""
        legal = np.flatnonzero(self.mask[0])
        verbs, tools = set(self.wanted("verb: ")), set(self.wanted("tool: "))
        weights = np.ones(len(legal))
        if "effect: a Ceramite Door is melted through" in self.missing:
            verbs.add("MELTA_DOOR")
        for k, a in enumerate(legal.tolist()):
            item = a - act.PICK_UP
            if VERBS[a] in verbs or (0 <= item < st.BEACON and st.ITEM_IDS[item] in tools):
                weights[k] = EAGER
            elif VERBS[a] in ("RIDE_LIFT", "BLADE", "PENDANT", "SCANNER", "SKULL", "MELTA_DOOR", "LAY_MINE"):
                weights[k] = 3.0
        chances = weights.cumsum()
        return int(legal[int(np.searchsorted(chances, self.choose.random() * chances[-1], "right"))])

    def note(self, *goals: str) -> None:
        """Note what was reached."""
        self.missing.difference_update(goals)

    def note_row(self, kind: int, a: int, b: int, c: int, d: int) -> None:
        """Note what a row of the event log tells."""
        s = self.env.states[0]
        kinds = s["kind"]
        if kind == st.LOG_MOVED:
            self.note(f"tile entered: {st.KIND_IDS[d]}")
        elif kind == st.LOG_USED:
            self.note(f"tool: {st.ITEM_IDS[b]}")
        elif kind == st.LOG_EVENT:
            self.note(f"event: {st.EVENT_IDS[a]}")
        elif kind == st.LOG_INJURED:
            self.note(f"injury: {b}")
        elif kind == st.LOG_INSANE:
            self.note(f"insanity: {b}")
        elif kind == st.LOG_EXPLODED:
            self.note(f"exploded: {st.ITEM_IDS[a]}")
        elif kind == st.LOG_HORROR_MOVED and b >= 0 and kinds[b] == st.PIT:
            self.note("effect: the Horror crosses a pit")
        elif kind == st.LOG_HORROR_MOVED and a >= 0 and kinds[a] == st.NEST:
            self.note("effect: the Horror comes out of its Nest's tile")
        elif kind == st.LOG_DREW and b == st.PIT and (s["nb"][a] >= 0).sum() >= 2:
            self.note("effect: the far end of a pit is filled")
        elif kind == st.LOG_ROLLED and b == st.ROLL_PENDANT and a >= d:
            self.note("effect: the Pendant keeps Morale")
        elif kind == st.LOG_OVER and b == st.OVER_BEACON:
            self.note("effect: the Beacon comes home")
        elif kind in PLAIN_EFFECTS:
            self.note(f"effect: {PLAIN_EFFECTS[kind]}")

    def note_marks(self, early: int) -> None:
        """Note what the marks of the tiles tell."""
        s = self.env.states[0]
        for words, mark, kinds in MARKS:
            if np.any((s["tile_marks"] & mark != 0) & np.isin(s["kind"], kinds)):
                self.note(f"effect: {words}")
        if s["ceramite"].any():
            self.note("effect: a Ceramite Door is placed")
        if s["early"]:
            self.note("effect: a Servo Skull warns")
        elif early and s["status"][early - 1] == st.BOARD:
            self.note("effect: an early warning is spent")
        if s["pulse"]:
            self.note("effect: a Servo Skull pulses")

    def play(self) -> int:
        """Play until everything is reached, or for `MOST_DECISIONS`; return how many it took."""
        decisions, game = 0, 0
        s = self.env.states[0]
        while self.missing and decisions < MOST_DECISIONS:
            self.begin(game)
            game += 1
            while not s["core"]["over"] and self.missing and decisions < MOST_DECISIONS:
                if self.choose.random() < 0.5:
                    self.plan()
                action, early, ceramite = self.action(), int(s["early"]), int((s["ceramite"] > 0).sum())
                self.note(f"verb: {VERBS[action]}")
                self.drive(driven.STEP, action)
                decisions += 1
                for row in self.log[1 : 1 + self.log[0, 0]].tolist():
                    self.note_row(*row[:5])
                if VERBS[action] == "MELTA_DOOR" and int((s["ceramite"] > 0).sum()) < ceramite:
                    self.note("effect: a Ceramite Door is melted through")
                self.note_marks(early)
        return decisions


EVERY_KIND = list(range(st.KINDS))
MARKS = (
    ("a tile caves in", st.CAVED, EVERY_KIND),
    ("a corridor is narrow", st.NARROW, EVERY_KIND),
    ("a dead Marine is mourned", st.MOURN_MARINE, EVERY_KIND),
    ("a dead Terminator is mourned", st.MOURN_TERMINATOR, EVERY_KIND),
    ("a Marine armoury is opened", st.SPENT, [st.MARINE_ARMOURY]),
    ("a ransacked armoury is searched", st.SPENT, [st.RANSACKED]),
    ("a chapel turns the Horror away", st.WARD_USED, [st.CHAPEL]),
    ("a shrine turns the Horror away", st.WARD_USED, [st.SHRINE]),
    ("a fixed item is taken", st.FIXED_TAKEN, [st.CHAPEL, st.SHRINE]),
)
"""What marks of tiles of some kinds tell."""
PLAIN_EFFECTS = {
    st.LOG_FELL: "somebody falls through a floor",
    st.LOG_LANDED: "the fallen land on a new floor",
    st.LOG_LIFT: "a lift goes down",
    st.LOG_DOOR_GONE: "a door is melted",
    st.LOG_VENT_LIT: "a vent is lit",
    st.LOG_SHIFTED: "the maze shifts",
    st.LOG_CRUX: "the Crux is used",
    st.LOG_HORROR_SLAIN: "the Horror is slain",
    st.LOG_TAKEN: "somebody is taken",
}


@pytest.mark.skipif(INTERPRETED, reason="plays hundreds of games")
def test_random_play_reaches_everything() -> None:
    env = broodmind.make("maze/full-hulk-v0")
    env.reset(seed=1)
    seeker = Seeker(env, 2)
    decisions = seeker.play()
    assert not seeker.missing, f"not reached in {decisions} decisions: {', '.join(sorted(seeker.missing))}"
