"""The face of Battle for Macragge: gathers its rooms into one `Game`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event, Game, Kernels, Mission, Reason, States
from broodmind.envs.core.scene import Scene
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIONS
from broodmind.envs.macragge.layout import MEMORY, OBSERVATION


class Macragge(Game):
    """Battle for Macragge: Ultramarines against Tyranids on a 48-inch table."""

    name = "macragge"
    title = "Battle for Macragge"
    agents = ("ultramarines_0", "tyranids_0")
    scripted_variants = ("tuned", "swarm")
    missions: Sequence[Mission] = (
        Mission(
            "macragge/crash-site-v0",
            st.CRASH_SITE,
            "Escape the Crash Site",
            30,
            "Varras, alone, wants to reach the exit zone across the table. The Tyranids want him dead: they steer "
            "drifting spore mines when the dice let them, and bring lost mines back at infestation markers. "
            "Reaching the zone wins for the Ultramarines, Varras's death for the Tyranids.",
        ),
        Mission(
            "macragge/rescue-varras-v0",
            st.RESCUE_VARRAS,
            "Rescue Varras",
            40,
            "Squad Octavian has landed to burn the infestation markers with its flamer, while Varras keeps out of the "
            "mines' way. All markers destroyed with Varras alive wins for the Ultramarines; Varras and three Space "
            "Marines dead wins for the Tyranids; anything else is a draw.",
        ),
        Mission(
            "macragge/fusion-core-v0",
            st.FUSION_CORE,
            "Disarm the Fusion Core",
            30,
            "Inside a power field the squad shoots down wave after wave of Genestealers while Varras works to take out "
            "the fusion core before it explodes after six turns. Twelve Genestealers dead and the core out wins for "
            "the Ultramarines; a Genestealer that gets past the field and reaches one of them wins for the Tyranids.",
        ),
        Mission(
            "macragge/xeno-tide-v0",
            st.XENO_TIDE,
            "The Incessant Xeno Tide",
            30,
            "The squad falls back across the table with Varras and the fusion core, hunted by two broods of "
            "Genestealers. Everyone and everything over the far edge wins for the Ultramarines; three Space Marines "
            "dead and Varras down wins for the Tyranids; anything else is a draw.",
            options={"tide": (False, "Genestealers out of play come back behind wreckage, as in mission 3")},
        ),
        Mission(
            "macragge/reinforcements-v0",
            st.REINFORCEMENTS,
            "Reinforcements",
            40,
            "Squad Atreus must fight its way past a hive node to the rendezvous on the far edge, while the node sends "
            "slain Termagants back at them until it is shot to pieces. All living Space Marines at the rendezvous win "
            "for the Ultramarines, the last one's death for the Tyranids.",
        ),
        Mission(
            "macragge/purge-the-xenos-v0",
            st.PURGE_THE_XENOS,
            "Purge the Xenos",
            0,
            "Both squads, with Varras and the fusion core, are to drop the core into the hive node and be picked up at "
            "the beacon within twelve turns, through Genestealers, Termagants and three kinds of spore mine. The "
            "result is graded by the node, by how many Space Marines get away, and by Varras.",
        ),
    )
    state_dtype = st.STATE
    actions = ACTIONS
    observation = OBSERVATION
    memory_size = MEMORY

    def kernels(self) -> Kernels:
        """See :class:`Game`."""
        from broodmind.envs.macragge.kernel import KERNELS

        return KERNELS

    def tables(self) -> NDArray[np.void]:
        """See :class:`Game`."""
        from broodmind.envs.macragge.tables import tables

        return tables()

    def action_label(self, states: States, i: int, action: int) -> str:
        """See :class:`Game`."""
        from broodmind.envs.macragge import describe

        return describe.action_label(states, i, action)

    def explain(self, states: States, i: int, action: int) -> Reason | None:
        """See :class:`Game`."""
        from broodmind.envs.macragge.explain import explain

        return explain(states, i, action)

    def event(self, row: NDArray[np.int32]) -> Event:
        """See :class:`Game`."""
        from broodmind.envs.macragge import describe

        return describe.event(row)

    def phase_name(self, states: States, i: int) -> str:
        """See :class:`Game`."""
        return st.PHASE_NAMES[int(states[i]["phase"])]

    def question(self, states: States, i: int) -> str:
        """See :class:`Game`."""
        from broodmind.envs.macragge import describe

        return describe.question(states, i)

    def to_dict(self, states: States, i: int) -> dict[str, Any]:
        """See :class:`Game`."""
        from broodmind.envs.macragge.dictionary import to_dict

        return to_dict(states, i)

    def from_dict(self, data: Mapping[str, Any]) -> States:
        """See :class:`Game`."""
        from broodmind.envs.macragge.dictionary import from_dict

        return from_dict(data)

    def problems(self, states: States, i: int) -> list[str]:
        """See :class:`Game`."""
        from broodmind.envs.macragge.validate import problems

        return problems(states, i)

    def scene(self, states: States, i: int, seat: int | None = None, events: Sequence[Event] = ()) -> Scene:
        """See :class:`Game`."""
        from broodmind.envs.macragge.draw import scene

        return scene(states, i, seat, events)

    def text_board(self, states: States, i: int, seat: int | None = None) -> str:
        """See :class:`Game`."""
        from broodmind.envs.macragge.text_board import text_board

        return text_board(states, i, seat)


GAME = Macragge()
