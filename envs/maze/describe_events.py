"""Words for people: what has happened."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.maze import names
from broodmind.envs.maze import state as st
from broodmind.envs.maze.describe import RESULTS, capital, count, item, kind, model, place, side

Told = tuple[dict[str, Any], str]


def _named(found: Callable[[int], str], k: int, low: int, high: int) -> str:
    return found(k) if low <= k <= high else "something"


def _rolled(value: int, purpose: int, who: int, needed: int) -> Told:
    word = st.ROLL_NAMES[purpose] if 0 <= purpose < len(st.ROLL_NAMES) else "roll"
    data: dict[str, Any] = {"value": value, "purpose": word, "needed": needed}
    about = ""
    if 0 <= who < st.MODELS:
        data["model"] = model(who)
        about = f" ({model(who)})"
    need = f", needs {needed}+" if needed else ""
    return data, f"{capital(word)}{about}: {value}{need}."


def _number(a: int) -> str:
    """Name a tile whose place is not known."""
    return f"tile {a}"


def _horror_moved(a: int, b: int, state: int, where: Callable[[int], str]) -> Told:
    data = {"from": a, "to": b, "state": _named(lambda k: st.HORROR_STATES[k], state, 0, 3)}
    words = {
        st.SHADOWS: "The Horror vanishes into the Shadows.",
        st.IN_NEST: "The Horror retreats to its Nest.",
        st.SLAIN: "The Horror leaves play.",
    }
    if state in words:
        return data, words[state]
    if a < 0:
        return data, f"The Horror comes onto {where(b)}."
    return data, f"The Horror moves from {where(a)} to {where(b)}."


def _morale(m: int, change: int, now: int) -> Told:
    verb = "loses" if change < 0 else "regains"
    sentence = f"The {model(m)} {verb} {count(abs(change), 'Morale Point')}: {now}."
    return {"model": model(m), "change": change, "morale": now}, sentence


def _injury_bit(bit: int) -> str:
    return {
        st.CONCUSSION: "Concussion",
        st.BLOODLOSS: "Bloodloss",
        st.THREATENED: "Life-Threatening Injury",
    }.get(bit, "Injury")


def events(states: NDArray[np.void], i: int, rows: NDArray[np.int32]) -> list[Event]:
    """Turn the rows of a step into events, with the places of tiles that lie where they lay.

    Args:
        states: Array of records.
        i: Which of them; it stands after the events.
        rows: Rows of the log.
    """
    s = np.asarray(states)[i]
    told = []
    for number, row in enumerate(rows):
        later = rows[number + 1 :]
        moved = set(later[np.isin(later[:, 0], (st.LOG_DREW, st.LOG_REMOVED, st.LOG_SHIFTED)), 1].tolist())
        told.append(event(row, partial(_where, s, moved)))
    return told


def _where(s: Any, moved: set[int], a: int) -> str:
    """Name a tile by its place, or by its number if it is gone or was laid elsewhere since."""
    there = 0 <= a < st.TILES and s["state"][a] == st.ON_BOARD and a not in moved
    return place(s, a) if there else _number(a)


def event(row: NDArray[np.int32], where: Callable[[int], str] = _number) -> Event:
    """Turn a row of the event log into a typed event with its sentence.

    Args:
        row: The row; tiles are numbers there.
        where: Names a tile.
    """
    k, a, b, c, d, e = (int(x) for x in row[:6])
    who = model(a)
    told: dict[int, Callable[[], Told]] = {
        st.LOG_TURN_BEGAN: lambda: ({"turn": a}, f"Turn {a} begins."),
        st.LOG_ROLLED: lambda: _rolled(a, b, c, d),
        st.LOG_DREW: lambda: (
            {"tile": a, "kind": kind(b), "x": c, "y": d, "floor": e},
            f"{kind(b)} is placed at ({c}, {d}).",
        ),
        st.LOG_REMOVED: lambda: ({"tile": a, "kind": kind(b)}, f"{kind(b)} goes back to the pile."),
        st.LOG_MOVED: lambda: (
            {"model": who, "from": b, "to": c, "kind": kind(d)},
            f"The {who} enters {kind(d)}.",
        ),
        st.LOG_FIRED: lambda: (
            {"model": who, "weapon": item(b), "shots": c, "overwatch": bool(d)},
            f"The {who} fires {count(c, 'shot')} of the {item(b)}{' in Overwatch' if d else ''}.",
        ),
        st.LOG_WOUNDED: lambda: (
            {"model": who, "wounds": b, "left": c},
            f"The {who} loses {count(b, 'wound')}; {c} left.",
        ),
        st.LOG_SLAIN: lambda: ({"model": who, "tile": b}, f"The {who} is slain."),
        st.LOG_HORROR_WOUNDED: lambda: (
            {"wounds": a, "left": b},
            f"The Horror loses {count(a, 'wound')}; {b} left.",
        ),
        st.LOG_HORROR_SLAIN: lambda: ({}, "The Horror is slain."),
        st.LOG_HORROR_MOVED: lambda: _horror_moved(a, b, c, where),
        st.LOG_MORALE: lambda: _morale(a, b, c),
        st.LOG_LOST: lambda: (
            {"model": who, "lost": bool(b)},
            f"The {who} is {'Lost' if b else 'no longer Lost'}.",
        ),
        st.LOG_INJURED: lambda: (
            {"model": who, "injury": _named(names.injury_name, b, 1, 6)},
            f"The {who} suffers: {_named(names.injury_name, b, 1, 6)}.",
        ),
        st.LOG_INSANE: lambda: (
            {"model": who, "insanity": _named(names.insanity_name, b, 1, 6)},
            f"The {who} succumbs: {_named(names.insanity_name, b, 1, 6)}.",
        ),
        st.LOG_TOOK: lambda: (
            {"model": who, "item": item(b), "tile": c},
            f"The {who} takes a {item(b)}.",
        ),
        st.LOG_LEFT: lambda: ({"item": item(b), "tile": c}, f"A {item(b)} is left behind."),
        st.LOG_USED: lambda: ({"model": who, "item": item(b)}, f"The {who} uses the {item(b)}."),
        st.LOG_EVENT: lambda: (
            {"event": _named(names.event_name, a, 0, st.EVENTS - 1), "tile": b},
            f"Event: {_named(names.event_name, a, 0, st.EVENTS - 1)}",
        ),
        st.LOG_CHARGED: lambda: ({"tile": a}, f"The Horror charges at {where(a)}."),
        st.LOG_CHARGE_FAILED: lambda: ({"wounds": a}, f"The charge fails after {count(a, 'wound')}."),
        st.LOG_SPIKED: lambda: ({"model": who}, f"The spike tail lashes at the {who}."),
        st.LOG_GRABBED: lambda: (
            {"model": who, "taken": bool(b)},
            f"The Horror grabs the {who}" + (" and drags him off." if b else ", who is held back."),
        ),
        st.LOG_TAKEN: lambda: ({"model": who}, f"The {who} is taken."),
        st.LOG_EXPLODED: lambda: ({"item": item(a), "tile": b}, f"A {item(a)} goes off on {where(b)}."),
        st.LOG_DOOR_GONE: lambda: ({"tile": a, "side": side(b)}, f"The door {side(b)} is gone."),
        st.LOG_FELL: lambda: ({"model": who}, f"The {who} falls through the floor."),
        st.LOG_LANDED: lambda: ({"model": who, "tile": b}, f"The {who} lands on {where(b)}."),
        st.LOG_SHIFTED: lambda: ({"tile": a, "kind": kind(b)}, f"The maze shifts: {kind(b)} is gone."),
        st.LOG_HEALED: lambda: (
            {"model": who, "wounds": b, "now": c},
            f"The {who} regains {count(b, 'wound')}; {c} now.",
        ),
        st.LOG_CURED: lambda: (
            {"model": who, "injury": _injury_bit(b)},
            f"The {who} is cured of {_injury_bit(b)}.",
        ),
        st.LOG_RELOADED: lambda: ({"model": who, "weapon": item(b)}, f"The {who} reloads the {item(b)}."),
        st.LOG_VENT_LIT: lambda: ({"model": who, "tile": b}, f"The {who} lights a vent."),
        st.LOG_OVER: lambda: (
            {"result": a / 2, "reason": _named(lambda n: st.OVER_NAMES[n], b, 0, 2)},
            f"The game is over, {RESULTS.get(a, 'a draw')}: {_named(lambda n: st.OVER_NAMES[n], b, 0, 2)}.",
        ),
        st.LOG_PUSHED: lambda: ({"side": side(a)}, f"The survivors fall back {side(a)}."),
        st.LOG_CRUX: lambda: ({"model": who}, f"The Crux Terminatus lets the {who} save again."),
        st.LOG_LIFT: lambda: ({"tile": a, "floor": b}, f"The Cargo Lift goes down to floor {b}."),
    }
    data, sentence = told[k]() if k in told else ({}, "Something happens.")
    return Event(st.LOG_NAMES.get(k, "unknown"), data, sentence)
