"""Why an action is illegal: the clause that forbids it, and a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Reason
from broodmind.envs.overkill import actions as act
from broodmind.envs.overkill import describe
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.tables import tables

VERBS = {
    st.TEAM: ("MARINE",),
    st.TEAM_ZONE: ("ZONE",),
    st.HOMER: ("MARINE",),
    st.MUSTER_MARINE: ("MARINE",),
    st.MUSTER_ZONE: ("ZONE",),
    st.PLACE_MIX: ("MIX",),
    st.PLACE_ZONE: ("ZONE",),
    st.BROOD: ("CARD", "GAMBIT", "END"),
    st.BROOD_POINT: ("POINT",),
    st.GAMBIT_TARGET: ("MARINE", "ZONE", "POINT"),
    st.GAMBIT_SECOND: ("POINT", "MIX"),
    st.GAMBIT_TYPE: ("TYPE",),
    st.WINDOW: ("GAMBIT", "END"),
    st.DMOVE: ("MARINE", "END"),
    st.DMOVE_ACT: ("ZONE", "ABILITY", "POINT", "END"),
    st.CMOVE: ("ZONE", "GAMBIT", "END"),
    st.CMOVE_TYPE: ("TYPE",),
    st.CMOVE_ACT: ("ZONE", "ALONE", "END"),
    st.CMOVE_ONE: ("ZONE",),
    st.LAUNCH: ("POINT", "GAMBIT", "END"),
    st.LAUNCH_MIX: ("MIX",),
    st.LAUNCH_TYPE: ("TYPE",),
    st.DATT: ("MARINE", "END"),
    st.DATT_ACT: ("PROFILE", "ZONE", "ABILITY", "END"),
    st.DATT_ZONE: ("ZONE",),
    st.DATT_TYPE: ("TYPE",),
    st.CATT: ("ZONE", "GAMBIT", "END"),
    st.CATT_TYPE: ("TYPE",),
    st.CATT_ACT: ("PROFILE", "ZONE", "ALONE", "END"),
    st.CATT_ONE: ("PROFILE", "ZONE"),
    st.CATT_TARGET: ("MARINE", "ZONE"),
    st.CATT_REND: ("MARINE",),
    st.CAMPAIGN_PICK: ("MARINE",),
}
"""What each stage may offer (ledger section 3)."""

CLAUSES = {
    st.TEAM: ("C02", "is in the team already, or has to rest in this mission of the campaign"),
    st.TEAM_ZONE: ("G03", "is no muster zone with room for him"),
    st.HOMER: ("D13", "cannot carry the homer: it is another marine of the team, who does not start alone"),
    st.MUSTER_MARINE: ("M8.1", "is placed already"),
    st.MUSTER_ZONE: ("M8.1", "is no empty muster zone"),
    st.PLACE_MIX: ("L03", "would place fewer models than the pool allows"),
    st.PLACE_ZONE: ("L04", "has no room, or lies outside where these models are placed"),
    st.BROOD_POINT: ("B05", "is not usable, or holds a card"),
    st.GAMBIT_SECOND: ("K01", "is not possible for this gambit"),
    st.GAMBIT_TYPE: ("K01", "has no unmoved Hybrid there for whom a tunnel leads anywhere"),
    st.GAMBIT_TARGET: ("K01", "would have nothing to suffer from this gambit"),
    st.DMOVE: ("M01", "is not on the board, has moved already or may not be picked in this phase"),
    st.DMOVE_ACT: ("M02", "is out of reach, barred or without room"),
    st.CMOVE: ("M01", "has no cult model that has not moved and can go anywhere"),
    st.CMOVE_TYPE: ("M01", "has no model there that has not moved and can go anywhere"),
    st.CMOVE_ACT: ("M02", "is out of reach, barred or without room"),
    st.CMOVE_ONE: ("M02", "is out of reach, barred or without room"),
    st.LAUNCH: ("L01", "holds no card"),
    st.LAUNCH_MIX: ("L03", "would place fewer models than pool and room allow"),
    st.LAUNCH_TYPE: ("M7.3", "is not in the pool, has no room, or is the Patriarch"),
    st.DATT: ("A01", "is not on the board, has acted already or does nothing in this phase"),
    st.DATT_ACT: ("A13", "cannot be run to: out of reach, barred or without room, or he has run or acted"),
    st.DATT_ZONE: ("A02", "is out of range for this profile, or holds nobody who may be attacked"),
    st.DATT_TYPE: ("A02", "has no model there that may be attacked from here"),
    st.CATT: ("A01", "has no cult model that has not acted and has something to do"),
    st.CATT_TYPE: ("A01", "has no model there that has not acted and has something to do"),
    st.CATT_ACT: ("A13", "cannot be run to: out of reach, barred or without room, or they have run"),
    st.CATT_ONE: ("A13", "cannot be run to: out of reach, barred or without room, or it has run"),
    st.CATT_TARGET: ("A02", "is out of range, or may not be attacked from here"),
    st.CATT_REND: ("A09", "is not in the zone of the attack, or may not be attacked from here"),
    st.CAMPAIGN_PICK: ("C06", "was not slain in that mission"),
}

ABILITY_CLAUSES = {
    act.RECOVER: ("A15", "he is not wounded, has acted, or may not recover"),
    act.ATTACH: ("M6.2", "he stands in no silo zone without grenades and without cult models, or has acted"),
    act.EXIT: ("M11", "he may not leave the board in this mission, or cannot get there"),
    act.SMOKE: ("D08", "he has no smoke launchers, or has used them"),
    act.TELEPORT: ("D13", "he cannot teleport: no homer on the board, no room, done before, or he has moved"),
    act.QUICKEN: ("D14", "he is no psyker, has used a power this turn, or has moved"),
    act.MIGHT: ("D14", "he is no psyker, has used a power this turn, or has moved"),
    act.TAKE_SKULL: ("M3.5", "he does not stand where the skull lies"),
    act.SPARE: ("A01", "this does nothing"),
}


def explain(states: NDArray[np.void], i: int, action: int) -> Reason | None:
    """Return why an action is illegal in a position, or None if it is legal.

    Args:
        states: Array of records.
        i: Index of the position.
        action: Action id, 0..183.
    """
    from broodmind.envs.overkill.kernel import KERNELS

    mask = np.zeros(act.ACTIONS.size, np.int8)
    KERNELS.legal(states, i, tables(), mask)
    if mask[action]:
        return None
    s = states[i]
    stage = int(s["stage"])
    if stage == st.OVER:
        return Reason("OVK-G12", "The game is over.")
    verb, argument = act.ACTIONS.decode(action)
    if verb.name not in VERBS[stage]:
        return Reason("OVK-G01", f"Not now: {describe.question(states, i)}")
    clause, text = _reason(s, stage, verb.name, argument)
    return Reason(f"OVK-{clause}", text)


def _reason(s: Any, stage: int, verb: str, argument: int) -> tuple[str, str]:
    mission = int(s["mission"])
    if verb == "END":
        if stage == st.LAUNCH:
            return "L02", "Every laid card but one at most must be launched."
        return "B04", "Cards are still to be laid."
    if verb == "CARD":
        return "B04", f"{describe.card(argument)} is not in hand, or no card may be laid any more."
    if verb == "GAMBIT":
        return (
            "B07",
            f"{describe.card(argument)} is not in hand, or its gambit has no place or no effect now.",
        )
    if verb == "ALONE":
        return "A01", "The group is one model, or one model alone has nothing to do."
    if verb == "PROFILE":
        return "A02", "There is no such profile, it has no target in range, or the model has acted."
    if verb == "ABILITY":
        clause, why = ABILITY_CLAUSES[argument]
        return clause, f"{describe.marine(int(s['marine']))}: {why}."
    clause, why = CLAUSES[stage]
    if verb == "POINT" and stage == st.DMOVE_ACT:
        clause, why = "D11", "holds no face-down card that this marine could have turned up now"
    words = {
        "MARINE": describe.marine,
        "TYPE": describe.kind,
        "ZONE": lambda z: describe.zone(mission, z),
        "POINT": lambda a: describe.point(mission, a),
        "MIX": lambda k: f"{k} of the first type",
    }
    return clause, f"{describe.capital(words[verb](argument))} {why}."
