"""Why an action is illegal: the clause that forbids it, and a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Reason
from broodmind.envs.macragge import explain_broods, names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIONS
from broodmind.envs.macragge.describe import question
from broodmind.envs.macragge.rules.geometry import on_table
from broodmind.envs.macragge.rules.moving import is_retreat
from broodmind.envs.macragge.rules.obstacles import square_of_wreck
from broodmind.envs.macragge.tables import SQUARES, tables

PHASE_VERBS = {
    st.MINE_DIR: ("DIR",),
    st.MOVE_SELECT: ("SELECT", "PASS"),
    st.MOVE_PLAN: ("DEST", "CROSS", "PASS"),
    st.MOVE_EDIT: ("MODEL", "PASS"),
    st.MOVE_CELL: ("DEST",),
    st.SHOOT_SELECT: ("TARGET", "PASS"),
    st.FLAME: ("DIR", "PASS"),
    st.CASUALTY: ("MODEL",),
    st.SPAWN: ("TARGET", "PASS"),
}


def explain(states: NDArray[np.void], i: int, action: int) -> Reason | None:
    """Return why an action is illegal in a position, or None if it is legal.

    Args:
        states: Array of records.
        i: Index of the position.
        action: Action id, 0..588.
    """
    from broodmind.envs.macragge.kernel import KERNELS

    mask = np.zeros(ACTIONS.size, np.int8)
    KERNELS.legal(states, i, tables(), mask)
    if mask[action]:
        return None
    s = states[i]
    phase = int(s["phase"])
    if phase == st.OVER:
        return Reason("MAC-B13", "The game is over.")
    verb, argument = ACTIONS.decode(action)
    broods = int(s["core"]["mission"]) >= st.FUSION_CORE and phase in explain_broods.VERBS
    if verb.name not in (explain_broods.VERBS if broods else PHASE_VERBS)[phase]:
        if verb.name == "PASS":
            return Reason(_clause_of(phase), f"There is no passing here: {question(states, i)}")
        return Reason("MAC-B12", f"Not now: {question(states, i)}")
    reasons = explain_broods.REASONS if broods and verb.name != "CROSS" else _REASONS
    return reasons[phase, verb.name](states.view(np.recarray)[i], argument)


def _clause_of(phase: int) -> str:
    clauses = {
        st.MINE_DIR: "MAC-B16",
        st.CASUALTY: "MAC-B35",
        st.MOVE_CELL: "MAC-B28",
        **explain_broods.CLAUSES,
    }
    return clauses.get(phase, "MAC-B12")


def _select(s: Any, group: int) -> Reason:
    g = s["groups"][group]
    name = names.group_name(group)
    if g["kind"] == st.GROUP_NONE:
        return Reason("MAC-B29", f"{name}: no such unit is in play.")
    if int(g["living"]) <= 0:
        return Reason("MAC-B29", f"{name}: none of its models is on the table.")
    own = (g["kind"] == st.GROUP_ULTRAMARINES) == (s["active"] == st.ULTRAMARINES)
    if not own:
        return Reason("MAC-B12", f"{name} belongs to the other player.")
    return Reason("MAC-B29", f"{name} has moved this turn; a unit moves once a turn.")


def _cross(s: Any, _: int) -> Reason:
    if s["core"]["mission"] == st.CRASH_SITE:
        return Reason("MAC-M1.4", "Varras moves quietly: wrecks cannot be crossed in this mission.")
    if s["crossing"]:
        return Reason("MAC-B26", "The unit has rolled for crossing already; there are no second thoughts.")
    return Reason("MAC-B26", "No model of the unit is on a wreck or within its move of one.")


def _obstacle(s: Any, x: int, y: int, slot: int) -> Reason | None:
    """Say what stands where a model would end."""
    unit = int(s["models"][slot]["group"])
    if not on_table(x, y):
        return Reason("MAC-B1", "The base would leave the table.")
    for other in range(st.MODELS):
        m = s["models"][other]
        if m["status"] == st.STATUS_TABLE and m["group"] != unit:
            d2 = (int(m["x"]) - x) ** 2 + (int(m["y"]) - y) ** 2
            name = names.model_name(other)
            if d2 < 4:
                return Reason("MAC-B25", f"It would overlap {name}.")
            if d2 < 7 and (other < st.FIRST_GENESTEALER) != (slot < st.FIRST_GENESTEALER):
                return Reason("MAC-B23", f"A move may not end in contact with {name}.")
            banned = int(s["core"]["mission"]) >= st.REINFORCEMENTS and slot < st.FIRST_GENESTEALER
            if d2 < 17 and banned and st.FIRST_GENESTEALER <= other < st.FIRST_MINE:
                return Reason("MAC-B23", f"A move may not end within an inch of {name}.")
    for k in range(st.PIECES):
        p = s["pieces"][k]
        d2 = (int(p["x"]) - x) ** 2 + (int(p["y"]) - y) ** 2
        if p["kind"] == st.PIECE_WRECK:
            if not s["crossing"] and d2 < SQUARES[square_of_wreck(int(p["r"]))]:
                return Reason("MAC-B25", f"It would end on wreck W{k}, and the unit is not crossing.")
        elif p["kind"] != st.PIECE_NONE and d2 < (int(p["r"]) + 1) ** 2:
            return Reason("MAC-B25", f"It would overlap {names.group_name(_group_of_piece(k))}.")
    return None


def _group_of_piece(piece: int) -> int:
    if piece <= st.LAST_WRECK:
        return st.FIRST_WRECK_GROUP + piece
    if piece <= st.LAST_MARKER:
        return st.FIRST_MARKER_GROUP + piece - st.FIRST_MARKER
    return st.GROUP_NODE if piece == st.PIECE_NODE else st.FIRST_PROJECTOR_GROUP + piece - st.FIRST_PROJECTOR


def _destination(s: Any, cell: int) -> Reason:
    dx, dy = names.DEST_OFFSETS[cell]
    inches = int(s["allowance"])
    if dx * dx + dy * dy > (2 * inches) ** 2:
        return Reason("MAC-B22", f"That is farther than {inches} inches.")
    found = None
    for k in range(int(s["mover_count"])):
        slot = int(s["movers"][k])
        m = s["models"][slot]
        found = _obstacle(s, int(m["start_x"]) + dx, int(m["start_y"]) + dy, slot)
        if found is None:
            break
    return found or Reason("MAC-B22", f"No way there is clear within {inches} inches.")


def _edit_model(s: Any, slot: int) -> Reason:
    m = s["models"][slot]
    name = names.model_name(slot)
    if slot not in {int(x) for x in s["movers"][: int(s["mover_count"])]}:
        return Reason("MAC-B28", f"{name} is not in the unit that moves.")
    if int(m["marks"]) & st.FLAG_EDITED:
        return Reason("MAC-B28", f"{name} was given another cell already; each model may be once.")
    return Reason("MAC-B28", f"{name} has no other cell that keeps the unit together.")


def _edit_cell(s: Any, cell: int) -> Reason:
    dx, dy = names.DEST_OFFSETS[cell]
    slot = int(s["model"])
    m = s["models"][slot]
    x, y = int(m["plan_x"]) + dx, int(m["plan_y"]) + dy
    length = (x - int(m["start_x"])) ** 2 + (y - int(m["start_y"])) ** 2
    if length > (2 * int(s["allowance"])) ** 2:
        return Reason("MAC-B22", f"That is farther than {int(s['allowance'])} inches from where it began.")
    found = _obstacle(s, x, y, slot)
    if found:
        return found
    for k in range(int(s["mover_count"])):
        other = int(s["movers"][k])
        o = s["models"][other]
        if other != slot and (int(o["plan_x"]) - x) ** 2 + (int(o["plan_y"]) - y) ** 2 < 4:
            return Reason("MAC-B28", f"It would overlap the planned cell of {names.model_name(other)}.")
    k = [int(x) for x in s["movers"][: int(s["mover_count"])]].index(slot)
    offset = (dx, dy) if is_retreat(s) else (x - int(m["start_x"]), y - int(m["start_y"]))
    at = names.DEST_OFFSETS.index(offset)
    if not (int(s["cells"][k][at >> 6]) >> (at & 63)) & 1:
        if is_retreat(s) and 4 * (x - int(m["start_x"])) < 3 * (int(m["plan_x"]) - int(m["start_x"])):
            return Reason("MAC-M4.6", "It would keep less than three quarters of its way towards the exit.")
        return Reason("MAC-B22", f"No way there is clear within {int(s['allowance'])} inches.")
    return Reason("MAC-B20", "It would break the chain of the unit: every model within 2 inches of another.")


def _shoot(s: Any, group: int) -> Reason:
    name = names.group_name(group)
    slot = st.FIRST_MINE + group - st.FIRST_MINE_GROUP
    if not st.FIRST_MINE <= slot <= st.LAST_MINE:
        return Reason("MAC-M1.5", f"Only mines are shot at in this mission, not {name}.")
    if s["models"][slot]["status"] != st.STATUS_TABLE:
        return Reason("MAC-M1.5", f"{name} is not on the table.")
    return Reason("MAC-B7", f"{name} is farther than 12 inches from Varras.")


def _flame(s: Any, direction: int) -> Reason:
    f = s["models"][st.FLAMER]
    t = tables()[0]
    for slot in range(st.FIRST_GENESTEALER):
        m = s["models"][slot]
        if slot != st.FLAMER and m["status"] == st.STATUS_TABLE:
            touched = touched_directions_of(t, m, f)
            if (touched >> direction) & 1:
                return Reason("MAC-B34", f"The template would touch {names.model_name(slot)}.")
    if int(s["target"]) >= 0:
        return Reason("MAC-B34", f"The template would touch nothing of {names.group_name(int(s['target']))}.")
    return Reason("MAC-B34", "The template would touch no mine and no marker.")


def touched_directions_of(t: Any, thing: Any, source: Any) -> int:
    """Return, as bits, the directions in which a template from a source touches a base (both with x and y)."""
    if abs(int(thing["x"]) - int(source["x"])) > 18 or abs(int(thing["y"]) - int(source["y"])) > 18:
        return 0
    return int(t["flame"][int(thing["x"]) - int(source["x"]) + 18, int(thing["y"]) - int(source["y"]) + 18])


def _casualty(s: Any, slot: int) -> Reason:
    name = names.model_name(slot)
    if not st.OCTAVIAN <= slot < st.FIRST_GENESTEALER:
        return Reason("MAC-B35", f"{name} is no Space Marine of the squad.")
    return Reason("MAC-B35", f"{name} is not a living model of {names.group_name(int(s['squad']))}.")


def _spawn(s: Any, group: int) -> Reason:
    name = names.group_name(group)
    piece = st.FIRST_MARKER + group - st.FIRST_MARKER_GROUP
    if not st.FIRST_MARKER <= piece <= st.LAST_MARKER:
        return Reason("MAC-M1.7", f"Mines come back at markers, not at {name}.")
    if s["pieces"][piece]["kind"] != st.PIECE_MARKER:
        return Reason("MAC-M1.7", f"{name} is destroyed.")
    return Reason("MAC-B53", f"No spot touching {name} is free.")


_REASONS = {
    (st.MOVE_SELECT, "SELECT"): _select,
    (st.MOVE_PLAN, "CROSS"): _cross,
    (st.RETREAT, "CROSS"): _cross,
    (st.MOVE_PLAN, "DEST"): _destination,
    (st.MOVE_EDIT, "MODEL"): _edit_model,
    (st.MOVE_CELL, "DEST"): _edit_cell,
    (st.SHOOT_SELECT, "TARGET"): _shoot,
    (st.FLAME, "DIR"): _flame,
    (st.CASUALTY, "MODEL"): _casualty,
    (st.SPAWN, "TARGET"): _spawn,
}
