"""Why an action is illegal: the clause that forbids it, and a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Reason
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import describe
from broodmind.envs.maze import state as st
from broodmind.envs.maze.tables import tables

VERBS = {
    st.IMP_SELECT: ("SELECT", "END_PHASE"),
    st.IMP_ACT: (
        "MOVE",
        "FIRE",
        "LIGHT_VENT",
        "RELOAD",
        "PICK_UP",
        "TRANSFER",
        "MEDKIT",
        "MELTA_FLOOR",
        "MELTA_DOOR",
        "LAY_MINE",
        "LIFT_MINE",
        "SCANNER",
        "PENDANT",
        "RATION",
        "BLADE",
        "SKULL",
        "LOOK_OUT",
        "RIDE_LIFT",
        "SWITCH",
        "DONE",
    ),
    st.IMP_SWAP: ("DROP",),
    st.IMP_TRANSFER: ("TO_MODEL",),
    st.IMP_MEDKIT2: ("TO_MODEL", "NO"),
    st.TILE_CHOICE: ("TAKE_TILE",),
    st.BEACON_PICK: ("TO_MODEL",),
    st.FIND: ("TO_MODEL", "NO"),
    st.EVENT_REDRAW: ("YES", "NO"),
    st.CRUX: ("YES", "NO"),
    st.MORTAL: ("TO_MODEL", "NO"),
    st.FRAG_CHARGE: ("TO_MODEL", "NO"),
    st.OVERWATCH: ("OVERWATCH", "NO"),
    st.PUSH: ("PUSH",),
    st.FRAG_RETREAT: ("TO_MODEL", "NO"),
    st.H_ACT: ("H_MOVE", "H_CRAWL", "H_EMERGE", "H_SPIKE", "H_SURPRISE", "H_PASS"),
    st.H_ASSAULT: ("H_ASSAULT", "NO"),
}
"""What each phase may offer (ledger section 4.1)."""

CLAUSES = {
    "SELECT": ("MAZE-36", "it is not on the board, is done for this phase or has no action left"),
    "END_PHASE": ("MAZE-122", "a bearer of the Sacrificial Blade must use it first"),
    "MOVE": (
        "MAZE-5",
        "there is no open way, or it leads to a Pit, a cave-in, the Horror or a closed armoury",
    ),
    "FIRE": ("MAZE-60", "the Horror is not in sight within range, or so many shots cannot be fired"),
    "LIGHT_VENT": ("MAZE-64", "only the Terminator lights dark vents of his tile, with a loaded weapon"),
    "RELOAD": ("MAZE-65", "there is no such weapon, no charge for it, or it is full"),
    "PICK_UP": ("MAZE-66", "it does not lie here, may not be carried, or there is neither room nor exchange"),
    "TRANSFER": ("MAZE-67", "it is not held, or nobody on this tile may take it"),
    "MEDKIT": ("MAZE-114", "there is no Medkit, or nothing to cure on that model on this tile"),
    "MELTA_FLOOR": ("MAZE-115", "there is no Melta Charge, or none may be set on this floor"),
    "MELTA_DOOR": ("MAZE-118", "there is no Melta Charge, or no door on that side without one"),
    "LAY_MINE": ("MAZE-125", "only an expert with a mine lays it, on an open edge without one"),
    "LIFT_MINE": ("MAZE-126", "only an expert with room takes up a mine that lies there"),
    "SCANNER": ("MAZE-111", "there is no scanner, or it is set so already"),
    "PENDANT": ("MAZE-113", "there is no Pendant, or it is active"),
    "RATION": ("MAZE-120", "there is no Ration Pack"),
    "BLADE": ("MAZE-121", "there is no Blade, it was used, or too little Morale is lost"),
    "SKULL": ("MAZE-123", "there is no Servo Skull, or it waits for that already"),
    "LOOK_OUT": ("MAZE-168", "this is no Viewing Platform, or it was done before"),
    "RIDE_LIFT": ("MAZE-169", "this is no Cargo Lift, or it was used"),
    "SWITCH": ("MAZE-58", "no action was spent yet, none is left, or nobody else can act"),
    "DONE": ("MAZE-122", "the Sacrificial Blade must be used first"),
    "DROP": ("MAZE-66", "it is not held, is of another type, or is the same"),
    "PUSH": ("MAZE-89", "not all survivors can go that way, or the Horror came from there"),
    "TAKE_TILE": ("MAZE-148", "so many tiles were not drawn"),
    "OVERWATCH": ("MAZE-84", "the weapon is missing, out of range or lacks the shots"),
    "H_MOVE": ("MAZE-70", "the Horror is off the board, or cannot go that way"),
    "H_CRAWL": ("MAZE-71", "the Horror is not on a tile with a dark vent"),
    "H_EMERGE": ("MAZE-72", "the Horror is on the board or must heal, or there is no way in"),
    "H_SPIKE": ("MAZE-73", "nobody stands there within reach"),
    "H_SURPRISE": ("MAZE-74", "the Horror is on the board or must heal, or there is no dark vent"),
    "H_ASSAULT": ("MAZE-82", "nobody can be charged along that path"),
}
"""Clause and reason by verb."""
RECEIVERS = {
    st.IMP_TRANSFER: ("MAZE-67", "is not here, may not carry it or has no room"),
    st.IMP_MEDKIT2: ("MAZE-23", "is not here or misses no wound"),
    st.BEACON_PICK: ("MAZE-160", "is not in the Beacon's room"),
    st.FIND: ("MAZE-135", "is not of the group, may not carry it or has no room"),
    st.MORTAL: ("MAZE-94", "is not here or has no Medkit"),
    st.FRAG_CHARGE: ("MAZE-83", "is not charged from one tile away, or has no grenade to throw"),
    st.FRAG_RETREAT: ("MAZE-92", "was not pushed, or has no grenade to throw"),
}
"""Clause and reason for a model that cannot be named, by phase."""


def explain(states: NDArray[np.void], i: int, action: int) -> Reason | None:
    """Return why an action is illegal in a position, or None if it is legal.

    Args:
        states: Array of records.
        i: Index of the position.
        action: Action id, 0..294.
    """
    from broodmind.envs.maze.kernel import KERNELS

    mask = np.zeros(act.ACTIONS.size, np.int8)
    KERNELS.legal(states, i, tables(), mask)
    if mask[action]:
        return None
    s = states[i]
    phase = int(s["phase"])
    if phase == st.OVER:
        return Reason("MAZE-40", "The game is over.")
    verb, argument = act.ACTIONS.decode(action)
    if verb.name not in VERBS[phase]:
        return Reason("MAZE-34", f"Not now: {describe.question(states, i)}")
    return _reason(s, mask, phase, verb.name, argument)


def _reason(s: Any, mask: NDArray[np.int8], phase: int, verb: str, argument: int) -> Reason:
    if verb == "TO_MODEL":
        clause, why = RECEIVERS[phase]
        return Reason(clause, f"The {describe.model(argument)} {why}.")
    if phase == st.IMP_ACT and not mask[act.DONE] and verb != "BLADE":
        return Reason("MAZE-122", "The Sacrificial Blade must be used first.")
    if phase == st.IMP_ACT and s["acts"][int(s["sel"])] == 0 and verb not in ("RELOAD", "SCANNER", "SWITCH"):
        return Reason("MAZE-36", f"The {describe.model(int(s['sel']))} has no action left.")
    clause, why = CLAUSES[verb]
    return Reason(clause, f"{describe.capital(why)}.")
