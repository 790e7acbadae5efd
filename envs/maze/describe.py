"""Words for people: what an action would do and which decision is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.maze import actions as act
from broodmind.envs.maze import names
from broodmind.envs.maze import state as st

SEAT_TITLES = ("Imperials", "Horror")
RESULTS = {2: "the Imperials win", 0: "a draw", -2: "the Horror wins"}


def capital(sentence: str) -> str:
    """Return a sentence with its first letter as a capital."""
    return sentence[:1].upper() + sentence[1:]


def count(number: int, word: str) -> str:
    """Return ``"1 shot"``, ``"2 shots"``."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def model(m: int) -> str:
    """Return a model's name."""
    return names.model_name(m) if 0 <= m < st.MODELS else "nobody"


def item(index: int) -> str:
    """Return an item's name."""
    return names.item_name(index) if 0 <= index < st.ITEMS else "something"


def kind(index: int) -> str:
    """Return the name of a kind of tile."""
    return names.kind_name(index) if 0 <= index < st.KINDS else "a tile"


def side(d: int) -> str:
    """Return a direction's name."""
    return st.DIRECTIONS[d] if 0 <= d < 4 else "nowhere"


def place(s: Any, a: int) -> str:
    """Return a tile's name and cell (``"Corridor (0, 1)"``)."""
    if not 0 <= a < st.TILES or s["state"][a] != st.ON_BOARD:
        return "off the board"
    floor = f", floor {int(s['floor'][a])}" if s["floor"][a] else ""
    return f"{kind(int(s['kind'][a]))} ({int(s['x'][a])}, {int(s['y'][a])}{floor})"


def found_item(s: Any) -> int:
    """Return the item that is being dealt out, or -1."""
    if s["find_weapon"] >= 0:
        return int(s["find_weapon"])
    return st.FIRST_CHARGE + int(s["find_ammo"]) if s["find_n"] > 0 else int(s["find_tool"])


def weapon(s: Any, m: int, slot: int) -> str:
    """Return the name of the weapon in a slot."""
    w = int(s["weapon"][m, slot]) if 0 <= m < st.MODELS else -1
    return item(w) if w >= 0 else f"weapon {slot + 1}"


def question(states: NDArray[np.void], i: int) -> str:
    """Ask the decision at hand as one sentence."""
    s = states[i]
    phase = int(s["phase"])
    if phase == st.OVER:
        return f"The game is over: {RESULTS.get(int(s['core']['result']), 'a draw')}."
    who, cur, hand = model(int(s["sel"])), model(int(s["cur"])), item(int(s["in_hand"]))
    questions: dict[int, Callable[[], str]] = {
        st.IMP_SELECT: lambda: "Which explorer acts next?",
        st.IMP_ACT: lambda: (
            f"What does the {who} do ({count(int(s['acts'][int(s['sel'])]), 'action')} left)?"
        ),
        st.IMP_SWAP: lambda: f"What does the {who} leave for the {hand}?",
        st.IMP_TRANSFER: lambda: f"Who gets the {hand}?",
        st.IMP_MEDKIT2: lambda: "Whom does the Medic heal as well?",
        st.TILE_CHOICE: lambda: (
            f"Which tile lies {side(int(s['cand_dir']))} of {place(s, int(s['cand_at']))}?"
        ),
        st.BEACON_PICK: lambda: "Who takes the Beacon?",
        st.FIND: lambda: f"Who gets the {item(found_item(s))} that was found?",
        st.EVENT_REDRAW: lambda: (
            f"Is {names.event_name(int(s['ev_kind']))} rolled anew, as the Chapel allows?"
        ),
        st.CRUX: lambda: "Does the Terminator roll his save again?",
        st.MORTAL: lambda: f"Who gives a Medkit to save the {cur}?",
        st.FRAG_CHARGE: lambda: "Who throws a Frag Grenade at the charge?",
        st.OVERWATCH: lambda: f"How does the {cur} fire Overwatch?",
        st.PUSH: lambda: "Which way do the survivors go?",
        st.FRAG_RETREAT: lambda: "Who throws a Frag Grenade on the retreat?",
        st.H_ACT: lambda: "What does the Horror do?",
        st.H_ASSAULT: lambda: "Whom does the Horror charge?",
    }
    return questions[phase]()


_NO = {
    st.IMP_MEDKIT2: "Heal nobody else",
    st.FIND: "Leave it where it was found",
    st.EVENT_REDRAW: "Let it stand",
    st.CRUX: "Let the save stand",
    st.MORTAL: "Let the {cur} die",
    st.FRAG_CHARGE: "Throw no grenade",
    st.OVERWATCH: "The {cur} holds fire",
    st.FRAG_RETREAT: "Throw no grenade",
    st.H_ASSAULT: "Do not charge",
}
_TO_MODEL = {
    st.IMP_TRANSFER: "Hand the {hand} to the {other}",
    st.IMP_MEDKIT2: "Heal the {other} as well",
    st.BEACON_PICK: "The {other} takes the Beacon",
    st.FIND: "The {other} gets the {found}",
    st.MORTAL: "The {other} gives a Medkit",
    st.FRAG_CHARGE: "The {other} throws a Frag Grenade",
    st.FRAG_RETREAT: "The {other} throws a Frag Grenade",
}
_PLAIN = {
    "END_PHASE": "End the Imperial phase",
    "MELTA_FLOOR": "Set a Melta Charge on the floor",
    "PENDANT": "Use the Imperial Crest Pendant",
    "RATION": "Eat a Ration Pack",
    "LOOK_OUT": "Look out of the Viewing Platform",
    "RIDE_LIFT": "Ride the Cargo Lift down",
    "SWITCH": "Let somebody else act first",
    "DONE": "Do nothing more in this phase",
    "H_CRAWL": "Leave by a vent",
    "H_PASS": "Bide its time",
}


def action_label(states: NDArray[np.void], i: int, action: int) -> str:
    """Say in words what an action would do in this position, or name it where it means nothing now."""
    s = states[i]
    phase, sel = int(s["phase"]), int(s["sel"])
    verb, argument = act.ACTIONS.decode(action)
    words = {"cur": model(int(s["cur"])), "hand": item(int(s["in_hand"])), "found": item(found_item(s))}
    if verb.name in _PLAIN:
        return _PLAIN[verb.name]
    if verb.name == "TO_MODEL" and phase in _TO_MODEL:
        return _TO_MODEL[phase].format(other=model(argument), **words)
    if verb.name == "NO" and phase in _NO:
        return _NO[phase].format(**words)
    if verb.name == "YES" and phase in (st.CRUX, st.EVENT_REDRAW):
        return "Roll again"
    return _labels(s, verb.name, argument, sel) or act.ACTIONS.name(action)


def _labels(s: Any, verb: str, k: int, sel: int) -> str:
    """Return the label of an action with an argument, or nothing."""
    cur = int(s["cur"])
    shots = count(k % st.MOST_SHOTS + 1, "shot")
    labels: dict[str, Callable[[], str]] = {
        "SELECT": lambda: f"The {model(k)} acts",
        "MOVE": lambda: f"Move {side(k)}",
        "FIRE": lambda: f"Fire {shots} of the {weapon(s, sel, k // st.MOST_SHOTS)}",
        "OVERWATCH": lambda: f"Fire {shots} of the {weapon(s, cur, k // st.MOST_SHOTS)}",
        "LIGHT_VENT": lambda: f"Light a vent with the {weapon(s, sel, k)}",
        "RELOAD": lambda: f"Reload the {weapon(s, sel, k)}",
        "PICK_UP": lambda: f"Pick up a {item(k)}",
        "TRANSFER": lambda: f"Hand over a {item(k)}",
        "DROP": lambda: f"Leave a {item(k)} for it",
        "MEDKIT": lambda: f"Use a Medkit on the {model(k)}",
        "MELTA_DOOR": lambda: f"Set a Melta Charge on the door {side(k)}",
        "LAY_MINE": lambda: f"Lay a Trip Mine {side(k)}",
        "LIFT_MINE": lambda: f"Take up the Trip Mine {side(k)}",
        "SCANNER": lambda: f"Set the scanner: {names.scanner(k)}",
        "BLADE": lambda: f"Use the Sacrificial Blade: {names.blade(k)}",
        "SKULL": lambda: f"Use the Servo Skull: {names.skull(k)}",
        "PUSH": lambda: f"The survivors go {side(k)}",
        "H_MOVE": lambda: f"Move {side(k)}",
        "H_EMERGE": lambda: f"Come onto {place(s, k)}",
        "H_SPIKE": lambda: f"Lash {side(k)} with the spike tail",
        "H_SURPRISE": lambda: f"Grab somebody on {place(s, int(s['at'][k]))}",
        "H_ASSAULT": lambda: f"Charge {names.path(k)}",
        "TAKE_TILE": lambda: (
            f"Take {kind(int(s['kind'][int(s['cand_tile'][k])]))}, open {open_sides(int(s['cand_open'][k]))}"
            if k < int(s["cand_n"])
            else ""
        ),
    }
    return labels[verb]() if verb in labels else ""


def open_sides(bits: int) -> str:
    """Name the sides of a set."""
    return ", ".join(st.DIRECTIONS[d] for d in range(4) if bits >> d & 1) or "nowhere"


def final_info(states: NDArray[np.void], i: int) -> dict[str, float]:
    """Return the figures of a finished game, see `broodmind.envs.maze.game.FINAL_FIGURES`."""
    s = np.asarray(states)[i]
    status, here = s["status"], s["state"] == st.ON_BOARD
    room = bool((here & (s["kind"] == st.BEACON_ROOM)).any())
    away = (abs(s["x"].astype(int)) + abs(s["y"].astype(int)))[here]
    return {
        "explorers_left": int(np.sum(status <= st.FALLEN)),
        "explorers_taken": int(np.sum(status == st.TAKEN)),
        "explorers_dead": int(np.sum(status == st.DEAD)),
        "horror_wounds": int(s["h_wounds"]),
        "beacon_found": int(room or s["beacon_out"]),
        "beacon_taken": int(s["beacon_out"]),
        "beacon_carried": int(s["beacon_at"] == st.BEACON_CARRIED),
        "tiles_on_board": int(here.sum()),
        "farthest_tile": int(away.max(initial=0)),
    }


BEACON_SHARE, CREW_SHARE, HORROR_SHARE = 0.4, 0.4, 0.2
"""Shares of the potential: how far the Beacon has come, who is left, how hurt the Horror is."""


def potential(states: NDArray[np.void], i: int) -> float:
    """Return how good a position looks for the Imperials, -1..1: a rule of thumb that learners may be shaped by."""
    from broodmind.envs.maze.tables import tables

    s, t = np.asarray(states)[i], tables()[0]
    at = int(s["beacon_at"])
    room = bool(((s["kind"] == st.BEACON_ROOM) & (s["state"] == st.ON_BOARD)).any())
    home = bool(((s["kind"] == st.SHUTTLE) & (s["state"] == st.ON_BOARD)).any())
    if at == st.BEACON_CARRIED:
        beacon = 1.0 if home else 0.75
    else:
        beacon = 0.5 if at == st.BEACON_ON_GROUND or (at == st.BEACON_IN_ROOM and room) else 0.0
    here = s["status"] <= st.FALLEN
    crew = float(s["wounds"][here].sum()) / float(t["wounds"].sum())
    horror = 1 - float(s["h_wounds"]) / float(t["horror_wounds"])
    return 2 * (BEACON_SHARE * beacon + CREW_SHARE * crew + HORROR_SHARE * horror) - 1
