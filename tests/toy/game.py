"""A toy for two: tiny, asymmetric, with dice, hidden hands and interrupts, and a known best way to play.

``toy/race-v0``: the runner picks one of three lanes each turn; the clear lane is worth two squares, another
one square, resting none. The guard may throw one of a few nets (caught on 4+) when the clear lane is taken,
and closes one lane for the next turn (never the same twice running). Six squares within five turns win.
Best play: take the clear lane if it is open; throw every net; close the clear lane if allowed.

``toy/bluff-v0``: each round both roll a hidden die; the runner claims "small" (3+, worth 1) or "big" (5+,
worth 2), the guard folds or calls. A called lie pays the guard one more than the claim, two more if the guard
holds 5+. Six points win, a margin of one is a minor win; ``max_turns`` truncates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from toy import kernel as K  # noqa: N812 (constants and kernels of one module)

from broodmind.envs.core.actions import ActionTable, Verb
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.game import Event, Game, Mission, Reason
from broodmind.envs.core.observation import Block, ObservationLayout
from broodmind.envs.core.positions import core_from_dict, core_to_dict, mission_of
from broodmind.envs.core.record import new_states
from broodmind.envs.core.scene import Scene, Shape

LANES = ("left lane", "middle lane", "right lane")
CLAIMS = ("small", "big")
PHASES = ("READY", "LANE", "NET", "GATE", "CLAIM", "ANSWER")
QUESTIONS = (
    "Ready?",
    "Which lane does the runner take?",
    "Does the guard throw a net?",
    "Which lane does the guard close?",
    "What does the runner claim?",
    "Does the guard believe it?",
)
PHASE_VERBS = (("READY",), ("LANE", "REST"), ("THROW", "HOLD"), ("CLOSE",), ("CLAIM",), ("CALL", "FOLD"))
GLOBALS = (
    ("is_runner", "1 for the runner"),
    ("to_act", "1 if this seat acts"),
    ("turn", "turn / 8"),
    *((f"phase_{name.lower()}", "1 in this phase") for name in PHASES),
    ("square", "square of the runner / 8"),
    ("nets", "nets left / 4"),
    ("own_points", "/ 8"),
    ("other_points", "/ 8"),
    ("own_hand", "own die / 6"),
    ("claim", "0 none, 0.5 small, 1 big"),
)
FIELDS = {
    1: ("square", "clear", "closed", "pending", "nets"),
    2: ("hand", "claim", "points"),
}


class ToyGame(Game):
    """The toy game (see the module)."""

    name = "toy"
    title = "Toy"
    agents = ("runner_0", "guard_0")
    missions: Sequence[Mission] = (
        Mission(
            "toy/race-v0",
            1,
            "Race",
            0,
            "The runner wants to cross six squares in five turns; the guard closes lanes and throws nets.",
            options={"nets": (2, "how many nets the guard has, 0..9")},
        ),
        Mission(
            "toy/bluff-v0",
            2,
            "Bluff",
            6,
            "The runner claims what a hidden die shows; the guard folds or calls. Six points win.",
        ),
    )
    state_dtype = K.STATE
    actions = ActionTable(
        [
            Verb("READY", 1, "begin the turn"),
            Verb("LANE", 3, "the lane to take", lambda lane: LANES[lane], rows="lanes"),
            Verb("REST", 1, "stay"),
            Verb("THROW", 1, "throw a net"),
            Verb("HOLD", 1, "keep the nets"),
            Verb("CLOSE", 3, "the lane to close", lambda lane: LANES[lane], rows="lanes"),
            Verb("CLAIM", 2, "the claim", lambda claim: CLAIMS[claim]),
            Verb("CALL", 1, "ask to see the die"),
            Verb("FOLD", 1, "believe it"),
        ]
    )
    observation = ObservationLayout(
        [
            Block("globals", 1, GLOBALS),
            Block("lanes", 3, (("clear", "1 if clear"), ("closed", "1 if closed")), "lane"),
        ]
    )

    def kernels(self) -> Any:
        return K

    @cached_property
    def _tables(self) -> Any:
        tables = new_states(K.TABLES, 1)
        tables["goal"], tables["turns"], tables["target"] = 6, 5, 6
        tables["truth"] = (3, 5)
        return tables

    def tables(self) -> Any:
        return self._tables

    def write_options(self, core: np.void, mission: Mission, options: Mapping[str, Any]) -> None:
        if mission.number == K.RACE:
            nets = options["nets"]
            if isinstance(nets, bool) or not isinstance(nets, int) or not 0 <= nets <= 9:
                raise ValueError(f"nets={nets!r}; expected a whole number 0..9")
            core["spare"] = nets

    def action_label(self, states: Any, i: int, action: int) -> str:
        verb, argument = self.actions.decode(action)
        if verb.name == "LANE":
            squares = 2 if argument == states[i]["clear"] else 1
            return f"The runner takes the {LANES[argument]} ({squares} squares)"
        return self.actions.name(action)

    def explain(self, states: Any, i: int, action: int) -> Reason | None:
        s = states[i]
        verb, argument = self.actions.decode(action)
        if s["core"]["over"]:
            return Reason("TOY-1", "The game is over.")
        phase = int(s["phase"])
        if verb.name not in PHASE_VERBS[phase]:
            return Reason("TOY-2", f"Now the question is: {QUESTIONS[phase]}")
        if verb.name in ("LANE", "CLOSE") and argument == s["closed"]:
            return Reason("TOY-3", f"The {LANES[argument]} was closed last.")
        return None

    def event(self, row: Any) -> Event:
        kind, a, b, c = (int(x) for x in row[:4])
        agent = self.agents[a & 1]
        events: dict[int, tuple[str, dict[str, Any], str]] = {
            K.TURN_BEGAN: ("turn_began", {"turn": a}, f"Turn {a} begins."),
            K.MOVED: ("moved", {"from": a, "to": b}, f"The runner moves from square {a} to {b}."),
            K.ROLLED: ("rolled", {"roll": a}, f"The net: {a}."),
            K.CAUGHT: ("caught", {}, "The runner is caught."),
            K.CLOSED: ("closed", {"lane": LANES[a % 3]}, f"The guard closes the {LANES[a % 3]}."),
            K.CLAIMED: ("claimed", {"claim": CLAIMS[a & 1]}, f"The runner claims {CLAIMS[a & 1]}."),
            K.CALLED: ("called", {"true": bool(a), "hands": [b, c]}, f"The guard calls: {b} against {c}."),
            K.SCORED: ("scored", {"agent": agent, "points": b}, f"{agent} scores {b}."),
            K.ENDED: ("ended", {"result": a}, f"The game ends: {a / 2:+g} for the runner."),
        }
        return Event(*events[kind])

    def phase_name(self, states: Any, i: int) -> str:
        return PHASES[states[i]["phase"]]

    def question(self, states: Any, i: int) -> str:
        return QUESTIONS[states[i]["phase"]]

    def to_dict(self, states: Any, i: int) -> dict[str, Any]:
        s = states[i]
        fields = FIELDS[int(s["core"]["mission"])]
        values = {name: np.asarray(s[name]).tolist() for name in fields}
        return {"core": core_to_dict(self, s["core"]), "phase": PHASES[s["phase"]], **values}

    def from_dict(self, data: Mapping[str, Any]) -> Any:
        mission = mission_of(self, data)
        fields = FIELDS[mission.number]
        states = new_states(self.state_dtype, 1)
        s = states[0]
        s["closed"] = s["claim"] = -1
        core_from_dict(self, data, s["core"])
        if data.get("phase") not in PHASES:
            raise StateError(f"phase is {data.get('phase')!r}; expected one of: {', '.join(PHASES)}")
        s["phase"] = PHASES.index(data["phase"])
        unknown = sorted(set(data) - {"core", "phase", *fields})
        if unknown:
            raise StateError(f"{mission.id} has no field {unknown[0]!r}; fields: {', '.join(fields)}")
        for name in fields:
            try:
                s[name] = data[name]
            except (KeyError, TypeError, ValueError, OverflowError) as error:
                raise StateError(f"{name} is missing or no number: {error}") from None
        found = self.problems(states, 0)
        if found:
            raise StateError(f"impossible position: {found[0]}")
        return states

    def problems(self, states: Any, i: int) -> list[str]:
        s = states[i]
        core = s["core"]
        found = []
        if (
            core["seat"] != int(s["phase"] in (K.NET_PHASE, K.GATE_PHASE, K.ANSWER_PHASE))
            and not core["over"]
        ):
            found.append(f"{self.agents[core['seat']]} cannot act in phase {PHASES[s['phase']]}")
        if core["mission"] == K.RACE:
            if not 0 <= s["square"] <= 7 or (s["square"] >= 6 and not core["over"]):
                found.append(f"square {s['square']} is off the track or past the goal")
            if not 0 <= s["clear"] <= 2 or not -1 <= s["closed"] <= 2:
                found.append("there are lanes 0, 1 and 2")
            if not 0 <= s["nets"] <= core["spare"]:
                found.append(f"{s['nets']} nets left of {core['spare']}")
            if s["phase"] > K.GATE_PHASE:
                found.append("a race has no claims")
        else:
            if not all(1 <= hand <= 6 for hand in s["hand"]):
                found.append(f"hands show {s['hand'].tolist()}; dice show 1..6")
            if any(not 0 <= points <= 9 for points in s["points"]):
                found.append(f"points {s['points'].tolist()} are out of reach")
            if s["phase"] not in (K.READY_PHASE, K.CLAIM_PHASE, K.ANSWER_PHASE):
                found.append("bluff has no lanes")
            if s["phase"] == K.ANSWER_PHASE and not core["over"] and s["claim"] not in (0, 1):
                found.append("there is no claim to answer")
        return found

    def scene(self, states: Any, i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
        s = states[i]
        shapes = [Shape("rect", ((0, 0), (8, 3)), id="table", fill="#e8e0d0")]
        if s["core"]["mission"] == K.RACE:
            lane = int(s["clear"])
            shapes.append(Shape("rect", ((0, lane), (8, lane + 1)), id="clear-lane", fill="#b8d8a8"))
            if s["closed"] >= 0:
                shapes.append(
                    Shape(
                        "line",
                        ((0, s["closed"] + 0.5), (8, s["closed"] + 0.5)),
                        id="closed-lane",
                        stroke="#a02020",
                        width=0.1,
                    )
                )
            shapes.append(
                Shape("circle", ((float(s["square"]) + 0.5, 1.5),), id="runner", radius=0.4, fill="#2040a0")
            )
        else:
            for index, agent in enumerate(self.agents):
                shown = str(s["hand"][index]) if seat in (None, index) else "?"
                shapes.append(
                    Shape(
                        "text",
                        ((2.0 + 4 * index, 1.5),),
                        id=f"hand-{agent}",
                        text=shown,
                        size=1.0,
                        fill="#000000",
                    )
                )
        return Scene(
            (0, 0, 8, 3),
            shapes,
            caption=f"Turn {s['core']['turn']}: {self.question(states, i)}",
            legend=(("#2040a0", "runner"),),
            notes=tuple(event.sentence for event in events),
        )

    def text_board(self, states: Any, i: int, seat: int | None = None) -> str:
        s = states[i]
        head = f"turn {s['core']['turn']}, {self.agents[s['core']['seat']]}: {self.question(states, i)}"
        if s["core"]["mission"] == K.RACE:
            track = "".join("R" if square == s["square"] else "." for square in range(8))
            lanes = ", ".join(
                name + (" (clear)" if k == s["clear"] else "") + (" (closed)" if k == s["closed"] else "")
                for k, name in enumerate(LANES)
            )
            return f"{head}\n{track}\nlanes: {lanes}\nnets: {s['nets']}\nR: runner"
        hands = [str(hand) if seat in (None, k) else "?" for k, hand in enumerate(s["hand"])]
        return f"{head}\nhands: {hands[0]} {hands[1]}\npoints: {s['points'][0]} {s['points'][1]}"


GAME = ToyGame()


def register_toy() -> None:
    """Register the toy once, however often it is asked for."""
    from broodmind.envs.core.registration import env_ids, register_game

    if "toy/race-v0" not in env_ids():
        register_game(GAME)
