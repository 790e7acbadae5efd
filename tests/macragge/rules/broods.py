"""Positions of missions 3 to 6 for rule tests, on the language of `table`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from macragge.rules.table import Cell, Table
from macragge.standard_positions import position as standard

import broodmind
from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st

IDS = {
    3: "macragge/fusion-core-v0",
    4: "macragge/xeno-tide-v0",
    5: "macragge/reinforcements-v0",
    6: "macragge/purge-the-xenos-v0",
}
SQUAD = st.GROUP_OCTAVIAN
ATREUS = st.GROUP_ATREUS
SWARM_A, SWARM_B = st.FIRST_TERMAGANT_UNIT, st.FIRST_TERMAGANT_UNIT + 1
NEST = st.GROUP_TERMAGANT_NEST
BROOD_A, BROOD_B = st.FIRST_GENESTEALER_UNIT, st.FIRST_GENESTEALER_UNIT + 1
FAR = {3: {11: (90, 5), 12: (90, 8), 13: (90, 11)}}
"""Genestealers out of everybody's way."""


@cache
def _template(mission: int) -> Any:
    env = broodmind.make(IDS[mission], layout="standard")
    env.reset(seed=1)
    return env


def at(
    mission: int,
    phase: str,
    *,
    turn: str = "ultramarines",
    squad: Mapping[int, Cell] | None = None,
    broods: Mapping[int, Mapping[int, Cell]] | None = None,
    dead: Collection[int] = (),
    round_: int = 1,
    status: Mapping[int, str] | None = None,
    wrecks: Mapping[int, Cell] | None = None,
    mines: Mapping[int, Cell] | None = None,
    **fields: Any,
) -> Table:
    """Return a position of a mission at a decision, dice strict.

    Args:
        mission: 3 to 6.
        phase: The decision at hand, as the ledger spells it.
        turn: Whose turn it is.
        squad: Where Ultramarines stand, by slot; those left out stay where the standard layout has them.
        broods: Units of Genestealers and Termagants by group, in place of the standard ones: slot -> cell.
        dead: Slots of dead Ultramarines.
        round_: The round, from 1.
        status: What else has become of models: slot -> status.
        wrecks: Where wrecks stand, by number, in place of the standard cells.
        mines: The mines on the table, by slot, in place of the standard ones.
        **fields: Other keys of the dictionary; None removes one.
    """
    data = standard(mission)
    for key in ("unit", "core_carrier", "varras_carrier"):
        data.pop(key, None)
    data |= {"phase": phase, "active": turn}
    models = data["models"]
    if mission == 4:
        models["Varras"] = {"at": [18, 85]}
        data |= {"core_carrier": "Varras", "fusion_core": "carried"}
    if mission == 6:
        data |= {"core_carrier": "Varras", "fusion_core": "carried"}
    if mines is not None:
        for slot in range(st.FIRST_MINE, st.MODELS):
            models.pop(names.MODELS[slot], None)
        models.update({names.MODELS[slot]: {"at": list(cell)} for slot, cell in mines.items()})
    if broods is not None:
        for slot in range(st.FIRST_GENESTEALER, st.FIRST_MINE):
            models.pop(names.MODELS[slot], None)
        for group, cells in broods.items():
            for slot, cell in cells.items():
                models[names.MODELS[slot]] = {"at": list(cell), "group": names.GROUPS[group]}
    for slot, cell in (squad or {}).items():
        models[names.MODELS[slot]] = {"at": list(cell)}
    for slot in dead:
        models[names.MODELS[slot]] = {"status": "dead"}
    for slot, word in (status or {}).items():
        models[names.MODELS[slot]] = {"status": word}
    for k, cell in (wrecks or {}).items():
        data["pieces"][f"wreck W{k}"]["at"] = list(cell)
    data["core"] |= {"turn": round_}
    data = {key: value for key, value in (data | fields).items() if value is not None}
    env = _template(mission).clone()
    env.reset(options={"state": data, "dice": [], "strict": True})
    return Table(env)


def fresh(mission: int, dice: Sequence[int] = ()) -> Table:
    """Return a game of a mission at its first decision, standard layout, dice strict."""
    env = broodmind.make(IDS[mission], layout="standard")
    env.reset(seed=1, options={"dice": list(dice), "strict": True})
    return Table(env)
