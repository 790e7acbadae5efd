"""The face of The Killer of the Maze: gathers its rooms into one `Game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event, Game, Kernels, Mission, Reason, States
from broodmind.envs.core.scene import Scene
from broodmind.envs.maze import state as st
from broodmind.envs.maze.actions import ACTIONS
from broodmind.envs.maze.layout import MEMORY, MOST, OBSERVATION

FINAL_FIGURES = {
    "explorers_left": "explorers alive and not taken",
    "explorers_taken": "explorers that were taken",
    "explorers_dead": "explorers that are dead",
    "horror_wounds": "wounds the Horror has left",
    "beacon_found": "1 if the Beacon room was on the board at the end, or the Beacon had been taken out of it",
    "beacon_taken": "1 if the Beacon was taken out of its room",
    "beacon_carried": "1 if it was carried by an explorer at the end",
    "tiles_on_board": "tiles on the board",
    "farthest_tile": "cells, along both axes, from where the Shuttle stood at first to the farthest tile on the board",
}
"""What the info of an episode's end tells, by which the balance of the sides is judged."""


class Maze(Game):
    """The Killer of the Maze: six explorers of a drifting hulk look for a beacon, and something looks for them."""

    name = "maze"
    title = "The Killer of the Maze"
    agents = ("imperials_0", "horror_0")
    missions: Sequence[Mission] = (
        Mission(
            "maze/beacon-v0",
            st.BEACON_MISSION,
            "The Beacon",
            100,
            "Six explorers are to find the Beacon in a maze that is drawn tile by tile and closes behind them, and to "
            "carry it to the Shuttle. The Blind Horror comes out of dark ends and vents, and wins when none of them "
            "is left.",
            ("random",),
            final_info=FINAL_FIGURES,
        ),
        Mission(
            "maze/full-hulk-v0",
            st.FULL_HULK,
            "The whole hulk",
            100,
            "The Beacon with every tile that the rules describe: locked doors, junctions, a chapel and a shrine, a "
            "viewing platform and a lift, and some more equipment on the Shuttle.",
            ("random",),
            final_info=FINAL_FIGURES,
        ),
        Mission(
            "maze/short-v0",
            st.SHORT,
            "A short search",
            60,
            "The Beacon with half the tiles, which is not the rules' own game but gives learners an end to reach: "
            "Beacon and Shuttle are found sooner.",
            ("random",),
            final_info=FINAL_FIGURES,
        ),
    )
    state_dtype = st.STATE
    actions = ACTIONS
    observation = OBSERVATION
    observation_bounds = (-MOST, MOST)
    roll_bounds = (1, 100 + st.KINDS - 1)
    memory_size = MEMORY

    def kernels(self) -> Kernels:
        """See :class:`Game`."""
        from broodmind.envs.maze.kernel import KERNELS

        return KERNELS

    def tables(self) -> NDArray[np.void]:
        """See :class:`Game`."""
        from broodmind.envs.maze.tables import tables

        return tables()

    def planned_names(self) -> Mapping[int, str]:
        """Return the kinds of tiles by the numbers that plan draws of them (MAZE-11); see :class:`Game`."""
        from broodmind.envs.maze import names

        return {100 + kind: names.kind_name(kind) for kind in range(st.KINDS)}

    def final_info(self, states: States, i: int, seat: int) -> dict[str, float]:
        """Return the figures of a game by which the balance of the sides is judged; see :class:`Game`."""
        from broodmind.envs.maze.describe import final_info

        return final_info(states, i)

    def potential(self, states: States, i: int, seat: int) -> float:
        """Return how good a position looks for a seat; see :class:`Game`."""
        from broodmind.envs.maze.describe import potential

        return potential(states, i) * (1 if seat == st.IMPERIALS else -1)

    def action_label(self, states: States, i: int, action: int) -> str:
        """See :class:`Game`."""
        from broodmind.envs.maze import describe

        return describe.action_label(states, i, action)

    def explain(self, states: States, i: int, action: int) -> Reason | None:
        """See :class:`Game`."""
        from broodmind.envs.maze.explain import explain

        return explain(states, i, action)

    def event(self, row: NDArray[np.int32]) -> Event:
        """See :class:`Game`."""
        from broodmind.envs.maze import describe_events

        return describe_events.event(row)

    def events(self, states: States, i: int, rows: NDArray[np.int32]) -> list[Event]:
        """Name tiles by their places; see :class:`Game`."""
        from broodmind.envs.maze import describe_events

        return describe_events.events(states, i, rows)

    def phase_name(self, states: States, i: int) -> str:
        """See :class:`Game`."""
        return st.PHASES[int(states[i]["phase"])]

    def question(self, states: States, i: int) -> str:
        """See :class:`Game`."""
        from broodmind.envs.maze import describe

        return describe.question(states, i)

    def to_dict(self, states: States, i: int) -> dict[str, Any]:
        """See :class:`Game`."""
        from broodmind.envs.maze.dictionary import to_dict

        return to_dict(states, i)

    def from_dict(self, data: Mapping[str, Any]) -> States:
        """See :class:`Game`."""
        from broodmind.envs.maze.dictionary import from_dict

        return from_dict(data)

    def problems(self, states: States, i: int) -> list[str]:
        """See :class:`Game`."""
        from broodmind.envs.maze.validate import problems

        return problems(states, i)

    def scene(self, states: States, i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
        """See :class:`Game`."""
        from broodmind.envs.maze.draw import scene

        return scene(states, i, seat, events)

    def text_board(self, states: States, i: int, seat: int | None = None) -> str:
        """See :class:`Game`."""
        from broodmind.envs.maze.text_board import text_board

        return text_board(states, i, seat)


GAME = Maze()
