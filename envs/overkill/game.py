"""The face of Deathwatch: Overkill: gathers its rooms into one `Game`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.actions import ActionTable
from broodmind.envs.core.game import Event, Game, Kernels, Mission, Reason, States
from broodmind.envs.core.scene import Scene
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.actions import ACTIONS
from broodmind.envs.overkill.layout import MEMORY, OBSERVATION
from broodmind.envs.overkill.loading import Data, packaged, read_data, using

P = ParamSpec("P")
R = TypeVar("R")

HAND: dict[str, tuple[Any, str]] = {
    "hand": (0, "cards more (fewer) in the cult's hand, -1..2, as earlier missions of the campaign decide")
}
FEWER: dict[str, tuple[Any, str]] = {
    "fewer_ambushes": (False, "one card fewer is laid each turn (the Deathwatch has won mission 4)")
}
WOUNDED: dict[str, tuple[Any, str]] = {
    "wounded": ("", f"a marine who starts wounded: one of {', '.join(st.MARINE_IDS)}")
}


CARDS = {"cards": f"names of the cards that are drawn first, {st.DRAWS} at most, first to last"}
TEAM = {"team": f"the marines of the (first) mission, in the order of naming: of {', '.join(st.MARINE_IDS)}"}
FINAL = {
    "victories": "missions of the campaign that the seat has won",
    "rating": "the rulebook's rating of so many victories: 1 for one or two, up to 5 for nine; 0 for none",
}


def _mission(
    key: str, number: int, title: str, max_turns: int, summary: str, options: Mapping[str, Any] | None = None
) -> Mission:
    final = FINAL if number == st.CAMPAIGN else {}
    named = number < st.PURGATION or number == st.CAMPAIGN
    return Mission(
        f"overkill/{key}-v0",
        number,
        title,
        max_turns,
        summary,
        ("standard",),
        options or {},
        final,
        CARDS | TEAM if named else CARDS,
    )


def _on(data: Data, function: Callable[P, R]) -> Callable[P, R]:
    """Return a function that finds some data where it asks `loading.load`."""

    @wraps(function)
    def inner(*args: P.args, **named: P.kwargs) -> R:
        with using(data):
            return function(*args, **named)

    return inner


ON_DATA = (
    "tables",
    "open",
    "action_label",
    "told_label",
    "explain",
    "event",
    "events",
    "question",
    "to_dict",
    "from_dict",
    "problems",
    "scene",
)
"""What a game says differently on other data, beside the text board."""


class Overkill(Game):
    """Deathwatch: Overkill: a Kill Team against a Genestealer Cult in the mines of Ghosar Quintus."""

    name = "overkill"
    title = "Deathwatch: Overkill"
    agents = ("deathwatch_0", "cult_0")
    missions: Sequence[Mission] = (
        _mission(
            "killstorm",
            st.KILLSTORM,
            "Killstorm",
            12,
            "Four marines are to slay twenty-five cult models before two of them are slain. In the first turn they "
            "have the advantage of surprise and roll their misses again.",
        ),
        _mission(
            "vox-noctis",
            st.VOX_NOCTIS,
            "Vox Noctis",
            12,
            "Six marines want to hold all four energy cells of the Master Vox at the same time, past the patrol that "
            "guards it. Three slain marines win for the cult.",
            HAND,
        ),
        _mission(
            "recover",
            st.RECOVER,
            "Recover",
            15,
            "One marine, joined by others from any Ambush Point, is to fetch a servo-skull and carry it back to where "
            "he came in, while the cult grows stronger turn by turn. Three slain marines win for the cult.",
            HAND,
        ),
        _mission(
            "exterminatus-modicum",
            st.EXTERMINATUS,
            "Exterminatus Modicum",
            8,
            "Four marines flee along a row of sections that are destroyed behind them, one every second turn. Three "
            "out win for the Deathwatch, two slain for the cult.",
            HAND,
        ),
        _mission(
            "officium-solus",
            st.OFFICIUM,
            "Officium Solus",
            15,
            "Two marines hold the mining lift until a third has reached them, then all go down and out through the "
            "lower mine. Two out win for the Deathwatch, two slain for the cult.",
            HAND | FEWER,
        ),
        _mission(
            "firestorm-ultima",
            st.FIRESTORM,
            "Firestorm Ultima",
            12,
            "Five marines are to attach krak grenades to the promethium silo from the three zones round it. The cult "
            "wins when all of them are slain.",
            HAND | FEWER | {"small_team": (False, "three marines only (the cult has won mission 5)")},
        ),
        _mission(
            "the-tables-turned",
            st.TABLES_TURNED,
            "The Tables Turned",
            20,
            "Six marines against everything but the Patriarch: cult models that are slain stay slain. Whoever is "
            "wiped out loses.",
            HAND,
        ),
        _mission(
            "purgation-protocols",
            st.PURGATION,
            "Purgation Protocols",
            12,
            "All eleven marines are scattered over the board and must get out through the zone that Cassius holds. "
            "Eight out win for the Deathwatch, four slain for the cult.",
            HAND | WOUNDED,
        ),
        _mission(
            "alpha-threat",
            st.ALPHA_THREAT,
            "Eliminate the Alpha Threat",
            12,
            "All eleven marines, at their last gasp, go for the Patriarch, whom his Throne heals and shields. His "
            "death wins for the Deathwatch, that of all marines for the cult.",
            HAND | WOUNDED | {"late_start": (False, "marines do nothing before the second attack of turn 1")},
        ),
        _mission(
            "campaign",
            st.CAMPAIGN,
            "The Cleansing of Ghosar Quintus",
            0,
            "All nine missions in order: who wins one makes later ones easier for himself, and marines who fought in "
            "some missions have to rest in the next. Whoever wins the ninth wins the campaign.",
        ),
    )
    missions = (
        *missions[:-1],
        replace(missions[-1], parts={one.id: f"globals.mission_{one.number}" for one in missions[:-1]}),
    )
    state_dtype = st.STATE
    actions = ACTIONS
    observation = OBSERVATION
    memory_size = MEMORY
    roll_bounds = (1, 6)

    def __init__(self, data: Data | None = None) -> None:
        if data is None:
            return
        self.data_hash = data.hash
        self.missions = [
            replace(one, max_turns=data.missions[one.number - 1].max_turns)
            if one.number <= st.MISSIONS
            else one
            for one in self.missions
        ]
        self.actions = ActionTable(
            [
                verb if verb.argument is None else replace(verb, argument=_on(data, verb.argument))
                for verb in ACTIONS.verbs
            ]
        )
        for name in (*ON_DATA, "text_board"):
            setattr(self, name, _on(data, getattr(self, name)))

    def with_data(self, folder: str | os.PathLike[str]) -> Game:
        """See :class:`Game`."""
        data = read_data(folder)
        if data.hash == packaged().hash:
            return GAME
        if data.hash not in _others:
            game = Overkill(data)
            game.tables()  # checks how the maps fit together
            _others[data.hash] = game
        return _others[data.hash]

    def kernels(self) -> Kernels:
        """See :class:`Game`."""
        from broodmind.envs.overkill.kernel import KERNELS

        return KERNELS

    def tables(self) -> NDArray[np.void]:
        """See :class:`Game`."""
        from broodmind.envs.overkill.tables import tables

        return tables()

    def write_options(self, core: Any, mission: Mission, options: Mapping[str, Any]) -> None:
        """Write the modifiers of the campaign that a single mission was asked to have; see :class:`Game`."""
        bits = 0
        for name, value in options.items():
            if name == "hand":
                if isinstance(value, bool) or not isinstance(value, int) or not -1 <= value <= 2:
                    raise ValueError(f"hand={value!r}; expected a whole number -1..2")
                bits |= value & st.OPTION_HAND
            elif name == "wounded":
                if value not in ("", *st.MARINE_IDS):
                    raise ValueError(f"wounded={value!r}; expected one of {', '.join(st.MARINE_IDS)}")
                bits |= st.OPTION_WOUNDED * (st.MARINE_IDS.index(value) + 1 if value else 0)
            else:
                if not isinstance(value, bool):
                    raise ValueError(f"{name}={value!r}; expected True or False")
                bits |= value * _SWITCHES[name]
        core["spare"] = bits

    def open(self, states: States, i: int, options: Mapping[str, Any], fresh: bool) -> Sequence[int]:
        """Plan draws and name the team; see :class:`Game`."""
        from broodmind.envs.overkill.opening import open_game

        return open_game(states, i, options, fresh)

    def final_info(self, states: States, i: int, seat: int) -> dict[str, float]:
        """Count the victories of a campaign (OVK-C08); see :class:`Game`."""
        s = np.asarray(states)[i]
        if int(s["core"]["mission"]) != st.CAMPAIGN:
            return {}
        won = int((s["results"] > 0).sum() if seat == st.DEATHWATCH else (s["results"] < 0).sum())
        return {"victories": float(won), "rating": float((won + 1) // 2)}

    def action_label(self, states: States, i: int, action: int) -> str:
        """See :class:`Game`."""
        from broodmind.envs.overkill import describe

        return describe.action_label(states, i, action)

    def told_label(self, states: States, i: int, action: int) -> str:
        """Say which card is laid to nobody but the cult (OVK-B09); see :class:`Game`."""
        verb, _ = self.actions.decode(action)
        return "Lay a card" if verb.name == "CARD" else self.action_label(states, i, action)

    def explain(self, states: States, i: int, action: int) -> Reason | None:
        """See :class:`Game`."""
        from broodmind.envs.overkill.explain import explain

        return explain(states, i, action)

    def event(self, row: NDArray[np.int32]) -> Event:
        """See :class:`Game`."""
        from broodmind.envs.overkill import describe

        return describe.event(row)

    def events(self, states: States, i: int, rows: NDArray[np.int32]) -> list[Event]:
        """Name zones and points by the maps of the missions that the events are of; see :class:`Game`."""
        from broodmind.envs.overkill import describe

        return describe.events(states, i, rows)

    def phase_name(self, states: States, i: int) -> str:
        """See :class:`Game`."""
        return st.STAGES[int(states[i]["stage"])]

    def question(self, states: States, i: int) -> str:
        """See :class:`Game`."""
        from broodmind.envs.overkill import describe

        return describe.question(states, i)

    def to_dict(self, states: States, i: int) -> dict[str, Any]:
        """See :class:`Game`."""
        from broodmind.envs.overkill.dictionary import to_dict

        return to_dict(states, i)

    def from_dict(self, data: Mapping[str, Any]) -> States:
        """See :class:`Game`."""
        from broodmind.envs.overkill.dictionary import from_dict

        return from_dict(data)

    def problems(self, states: States, i: int) -> list[str]:
        """See :class:`Game`."""
        from broodmind.envs.overkill.validate import problems

        return problems(states, i)

    def scene(self, states: States, i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
        """See :class:`Game`."""
        from broodmind.envs.overkill.draw import scene

        return scene(states, i, seat, events)

    def text_board(self, states: States, i: int, seat: int | None = None) -> str:
        """See :class:`Game`."""
        from broodmind.envs.overkill.text_board import text_board

        return text_board(states, i, seat)


_SWITCHES = {
    "fewer_ambushes": st.OPTION_FEWER,
    "small_team": st.OPTION_SMALL,
    "late_start": st.OPTION_LATE,
}

GAME = Overkill()

_others: dict[str, Overkill] = {}
"""Games on other data, by its hash."""
