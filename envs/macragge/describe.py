"""Words for people: what an action would do, what has happened, which decision is asked for."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.game import Event
from broodmind.envs.macragge import names
from broodmind.envs.macragge import state as st
from broodmind.envs.macragge.actions import ACTIONS

UNIT_ROLLS = (st.ROLL_CROSS, st.ROLL_RETREAT, st.ROLL_SCUTTLE)
"""Rolls that concern a unit, not a model."""

FIRST_MARKER_ASKED = 65
"""In mission 6, `cursor` less this is the marker that a mine may come back at."""

SEAT_TITLES = ("Ultramarines", "Tyranids")

RESULTS = {2: "The Ultramarines win", 1: "A minor victory for the Ultramarines", 0: "A draw"} | {
    -1: "A minor victory for the Tyranids",
    -2: "The Tyranids win",
}


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


def _model(slot: int) -> str:
    return names.MODELS[slot] if 0 <= slot < len(names.MODELS) else "the model"


def _group(group: int) -> str:
    return names.GROUPS[group] if 0 <= group < len(names.GROUPS) else "the unit"


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _verb(group: int, verb: str) -> str:
    """Return ``"Varras moves"``, ``"Termagants A move"``: groups of Tyranids are plural."""
    name = _group(group)
    if name.startswith(("Genestealers", "Termagants")):
        verb = verb[:-2] if verb.endswith(("ches", "sses")) else verb[:-1]
    return f"{name} {verb}"


def way(dx: int, dy: int) -> str:
    """Say how far an offset in steps leads, and where (``"5.5 inches north-east"``)."""
    return f"{names.inches(hypot(dx, dy))} {names.bearing_name(dx, dy)}"


# -- the decision at hand --------------------------------------------------------------------------


def phase_name(states: NDArray[np.void], i: int) -> str:
    """Name the decision at hand, as the ledger spells it (``"MOVE_SELECT"``; ``"OVER"`` after the end)."""
    return st.PHASE_NAMES[int(states[i]["phase"])]


def question(states: NDArray[np.void], i: int) -> str:
    """Ask the decision at hand as one sentence."""
    s = states[i]
    phase = int(s["phase"])
    unit, model = _group(int(s["unit"])), _model(int(s["model"]))
    allowance = names.inches(2 * int(s["allowance"]))
    crossing = ", over wreckage too" if s["crossing"] else ""
    if phase == st.OVER:
        return f"The game is over: {RESULTS[int(s['core']['result'])]}."
    if phase == st.CASUALTY:
        wounds = _count(int(s["wounds"]), "failed save")
        return _capital(f"{_group(int(s['squad']))} has {wounds}: which Space Marine is removed?")
    return {
        st.CORE_CARRIER: "Who carries the fusion core?",
        st.MINE_DIR: f"In which direction does {model} drift ({names.inches(2 * int(s['die']))})?",
        st.MOVE_SELECT: "Which unit moves next?",
        st.MOVE_PLAN: f"Where does {unit} go (up to {allowance}{crossing})?",
        st.RETREAT: f"How far sideways does {unit} drift on its way out (up to {allowance})?",
        st.MOVE_EDIT: f"Carry out the plan of {unit}, or give one of its models another cell?",
        st.MOVE_CELL: f"Which cell does {model} get instead of the planned one?",
        st.SHOOT_SELECT: (
            "Which mine does Varras shoot at?"
            if int(s["core"]["mission"]) == st.CRASH_SITE
            else "Which unit shoots next?"
        ),
        st.SHOOT_TARGET: f"What does {unit} shoot at?",
        st.FLAME: "In which direction does the flamer fire?",
        st.MISSILE_TYPE: "Which missile is fired?",
        st.AIM: f"Which model of {_group(int(s['target']))} is the missile aimed at?",
        st.ASSAULT_SELECT: "Which unit charges next?",
        st.ASSAULT_TARGET: f"What does {unit} charge?",
        st.ASSAULT_CELL: f"Where does {model} end its charge?",
        st.STRIKE: f"Whom does {model} strike?",
        st.ACID_DIR: f"In which direction does the acid of {model} spray?",
        st.SPAWN: _spawn_question(s),
        st.BEACON: "Is the locator beacon activated?",
    }[phase]


def _spawn_question(s: Any) -> str:
    mission = int(s["core"]["mission"])
    if mission in (st.FUSION_CORE, st.XENO_TIDE):
        return "Behind which wreck do the Genestealers appear?"
    marker = int(s["cursor"]) - FIRST_MARKER_ASKED
    if mission == st.PURGE_THE_XENOS and 0 <= marker <= st.LAST_MARKER - st.FIRST_MARKER:
        return f"Which kind of spore mine comes back at marker K{marker}?"
    return "Where does a spore mine come back?"


# -- actions ---------------------------------------------------------------------------------------

_PASS = {
    st.MOVE_SELECT: "End the move step",
    st.MOVE_PLAN: "{unit}: stay where you are",
    st.RETREAT: "{unit}: stay where you are",
    st.MOVE_EDIT: "Carry out the plan of {unit}",
    st.SHOOT_SELECT: "End the shooting step",
    st.SHOOT_TARGET: "{unit}: hold fire",
    st.FLAME: "The flamer holds its fire",
    st.MISSILE_TYPE: "The missile launcher holds its fire",
    st.ASSAULT_SELECT: "End the assault step",
    st.SPAWN: "Bring no mine back",
    st.BEACON: "Leave the beacon off",
}
_SELECT = {st.SHOOT_SELECT: "shoots", st.ASSAULT_SELECT: "charges"}


def _target_label(s: Any, phase: int, group: int) -> str:
    name = _group(group)
    if phase == st.SPAWN:
        return (
            f"Genestealers appear behind {name}"
            if group >= st.FIRST_WRECK_GROUP
            else f"A mine comes back at {name}"
        )
    if phase == st.ASSAULT_TARGET:
        return f"{_verb(int(s['unit']), 'charges')} {name}"
    if phase == st.SHOOT_SELECT:
        gap = ""
        if st.FIRST_MINE_GROUP <= group < st.FIRST_MARKER_GROUP:
            v, m = s["models"][st.VARRAS], s["models"][st.FIRST_MINE + group - st.FIRST_MINE_GROUP]
            steps = hypot(int(m["x"]) - int(v["x"]), int(m["y"]) - int(v["y"])) - 2
            gap = f", {names.inches(max(0.0, steps))} away"
        return f"Varras shoots at {name}{gap}"
    return f"{_verb(int(s['unit']), 'shoots')} at {name}"


def _model_label(s: Any, phase: int, slot: int) -> str:
    name = _model(slot)
    return {
        st.CORE_CARRIER: f"{_capital(name)} carries the fusion core",
        st.MOVE_EDIT: f"Give {name} another cell",
        st.AIM: f"Aim the missile at {name}",
        st.STRIKE: f"{_capital(_model(int(s['model'])))} strikes {name}",
        st.CASUALTY: f"Remove {name}",
    }.get(phase, _capital(name))


def _dest_label(s: Any, phase: int, index: int) -> str:
    dx, dy = names.DEST_OFFSETS[index]
    offset = names.dest_name(index)
    slot = int(s["model"])
    if phase == st.MOVE_CELL:
        m = s["models"][slot]
        if index == 0:
            return f"{_capital(_model(slot))} keeps its planned cell"
        cell = (int(m["plan_x"]) + dx, int(m["plan_y"]) + dy)
        return f"{_capital(_model(slot))} ends at {cell}, {way(dx, dy)} of the planned cell"
    if phase == st.ASSAULT_CELL:
        m = s["models"][slot]
        return f"{_capital(_model(slot))} charges {way(dx, dy)} to {(int(m['x']) + dx, int(m['y']) + dy)}"
    unit = int(s["unit"])
    if index == 0:
        return f"{_verb(unit, 'moves')} nowhere ({offset})"
    models = s["models"]
    members = np.flatnonzero((models["status"] == st.STATUS_TABLE) & (models["group"] == unit))
    if len(members) == 1:
        m = models[int(members[0])]
        cell = (int(m["x"]) + dx, int(m["y"]) + dy)
        return f"{_capital(_model(int(members[0])))} moves {way(dx, dy)} to {cell}"
    return f"{_verb(unit, 'marches')} {way(dx, dy)} ({offset})"


def _direction_label(s: Any, phase: int, direction: int) -> str:
    word = names.direction_name(direction)
    model = _capital(_model(int(s["model"])))
    if phase == st.MINE_DIR:
        return f"{model} drifts {names.inches(2 * int(s['die']))} {word}"
    if phase == st.ACID_DIR:
        return f"The acid of {_model(int(s['model']))} sprays {word}"
    return f"The flamer fires {word}"


def action_label(states: NDArray[np.void], i: int, action: int) -> str:
    """Say in words what an action would do here (``"Varras moves 5.5 inches north to (20, 59)"``).

    Args:
        states: Array of state records.
        i: Which of them.
        action: Any id of the action table, legal now or not.

    Returns:
        A phrase that differs from that of every other action legal in the position. Cells are (x, y) in steps
        of half an inch from the south-west corner.

    Raises:
        ValueError: There is no such action.
    """
    verb, argument = ACTIONS.decode(action)
    s = states[i]
    phase = int(s["phase"])
    unit = int(s["unit"])
    if verb.name == "PASS":
        if phase == st.SHOOT_SELECT and int(s["core"]["mission"]) == st.CRASH_SITE:
            return "Varras holds his fire"
        return _capital(_PASS.get(phase, "Pass").format(unit=_group(unit)))
    if verb.name == "SELECT":
        done = _SELECT.get(phase, "moves")
        return f"{_verb(argument, done)} next"
    by_argument: dict[str, Callable[[Any, int, int], str]] = {
        "TARGET": _target_label,
        "MODEL": _model_label,
        "DEST": _dest_label,
        "DIR": _direction_label,
    }
    if verb.name in by_argument:
        return by_argument[verb.name](s, phase, argument)
    if verb.name == "LANE":
        dy = argument - names.LANE_COUNT // 2
        side = "north" if dy > 0 else "south"
        drift = f", {names.inches(abs(dy))} to the {side}" if dy else ", straight ahead"
        return f"{_verb(unit, 'retreats')} east{drift}"
    dice = "the higher of two dice" if int(s["active"]) == st.ULTRAMARINES else "the highest of three dice"
    return {
        "MISSILE": f"Fire a {names.MISSILES[argument % len(names.MISSILES)]} missile",
        "SPAWN": f"Bring back a mine of the {names.MINE_TYPES[argument % len(names.MINE_TYPES)]} kind",
        "CROSS": f"{_verb(unit, 'crosses')} wreckage, {dice} being the limit in inches",
        "SCUTTLE": f"{_verb(unit, 'scuttles')} a D6 in inches instead of shooting",
        "DISARM": "Varras tries to take out the fusion core",
        "AUTO": "Let the rest of the charge go to the nearest spots",
        "ACTIVATE": "Activate the locator beacon",
    }[verb.name]


# -- events ----------------------------------------------------------------------------------------


def _turn_began(seat: int, turn: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"seat": SEAT_TITLES[seat].lower(), "turn": turn}
    return data, f"Turn {turn}: the {SEAT_TITLES[seat]} begin theirs."


def _rolled(
    value: int, purpose: int, who: int, needed: int, seat: int, *_: int
) -> tuple[dict[str, Any], str]:
    whom = "" if who < 0 else _group(who) if purpose in UNIT_ROLLS else _model(who)
    target = whom or ("the target" if purpose in (st.ROLL_TO_HIT, st.ROLL_TO_WOUND) else "a marker")
    data: dict[str, Any] = {
        "value": value,
        "purpose": st.ROLL_NAMES[purpose],
        "about": whom or None,
        "needed": needed or None,
        "seat": SEAT_TITLES[seat].lower(),
    }
    if needed:
        data["success"] = value >= needed
    if purpose == st.ROLL_MINE_DISTANCE:
        return data, f"{target} is to drift {names.inches(2 * value)}."
    if purpose == st.ROLL_SCATTER:
        what = "a hit: the Tyranids choose its direction" if value <= 2 else "an arrow"
        return data, f"Scatter die for {target}: {value}, {what}."
    if purpose == st.ROLL_DIRECTION:
        data["direction"] = names.direction_name(value)
        return data, f"The arrow for {target} points {names.direction_name(value)}."
    if purpose == st.ROLL_CROSS:
        return data, f"{_verb(who, 'rolls')} {value} for crossing wreckage."
    if purpose == st.ROLL_RETREAT:
        return data, f"{_verb(who, 'rolls')} {value} for the retreat."
    if purpose == st.ROLL_SCUTTLE:
        return data, f"{_verb(who, 'rolls')} {value} for scuttling."
    what = {
        st.ROLL_TO_HIT: f"To hit {target}",
        st.ROLL_TO_WOUND: f"To wound {target}",
        st.ROLL_SAVE: f"Armour save of {target}",
        st.ROLL_PARTIAL: f"To hit {target}, partly under the blast",
        st.ROLL_KILL: f"To kill {target}",
        st.ROLL_EXPLODE: f"To set off {target}",
        st.ROLL_BURN: f"To burn {target}",
        st.ROLL_COVER: f"Cover save of {target}",
        st.ROLL_DISARM: f"{target} at the fusion core",
        st.ROLL_PROJECTOR: f"{target} at the projector",
        st.ROLL_CORE_DROP: f"{target} with the fusion core at the node",
        st.ROLL_REND: f"To hit {target} (6 kills)",
    }[purpose]
    return data, f"{what}: {value} ({needed}+ needed, {'success' if value >= needed else 'failure'})."


def _drifted(slot: int, x0: int, y0: int, x: int, y: int, direction: int) -> tuple[dict[str, Any], str]:
    data = {
        "model": _model(slot),
        "from": [x0, y0],
        "to": [x, y],
        "direction": names.direction_name(direction),
    }
    if (x0, y0) == (x, y):
        return data, f"{_model(slot)} cannot drift {names.direction_name(direction)} and stays at ({x}, {y})."
    steps = names.inches(hypot(x - x0, y - y0))
    return data, f"{_model(slot)} drifts {steps} {names.direction_name(direction)} to ({x}, {y})."


def _unit_moved(group: int, moved: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"unit": _group(group), "models_moved": moved}
    if not moved:
        return data, f"{_verb(group, 'stays')} where it is."
    return data, f"{_verb(group, 'completes')} its move ({_count(moved, 'model')})."


def _moved(slot: int, x0: int, y0: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"model": _model(slot), "from": [x0, y0], "to": [x, y]}
    return data, f"{_model(slot)} moves {way(x - x0, y - y0)} to ({x}, {y})."


def _cross_declared(group: int, limit: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"unit": _group(group), "limit_inches": limit}
    return data, f"{_verb(group, 'crosses')} wreckage, up to {names.inches(2 * limit)}."


def _shot(slot: int, group: int, target: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {
        "shooter": _model(slot),
        "target": _group(group),
        "model": _model(target) if target >= 0 else None,
    }
    at = _model(target) if target >= 0 else _group(group)
    return data, f"{_model(slot)} shoots at {at}."


def _flame(slot: int, direction: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"shooter": _model(slot), "direction": names.direction_name(direction), "at": [x, y]}
    return data, f"The {_model(slot)} fires {names.direction_name(direction)} from ({x}, {y})."


def _detonated(slot: int, x: int, y: int, mine_type: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"model": _model(slot), "at": [x, y], "mine_type": names.spawn_name(mine_type)}
    return data, f"{_model(slot)} detonates at ({x}, {y})."


def _hit(slot: int, covered: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"model": _model(slot), "covered": bool(covered)}
    return data, f"The blast hits {_model(slot)}{', wholly covered' if covered else ''}."


def _saved(slot: int, how: int, *_: int) -> tuple[dict[str, Any], str]:
    by = "cover" if how == 2 else "armour"
    return {"model": _model(slot), "by": by}, f"{_model(slot)} is saved by {by}."


def _slain(slot: int, x: int, y: int, brought_down: int = 0, *_: int) -> tuple[dict[str, Any], str]:
    how = "brought down" if brought_down else "slain"
    return {"model": _model(slot), "at": [x, y]}, f"{_model(slot)} is {how} at ({x}, {y})."


def _wounded(group: int, number: int, *_: int) -> tuple[dict[str, Any], str]:
    squad = names.GROUPS[group]
    data = {"squad": squad, "failed_saves": number}
    return data, f"{squad} has {_count(number, 'failed save')}; its player chooses who is removed."


def _marker_destroyed(piece: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    data: dict[str, Any] = {"piece": names.piece_name(piece)}
    if x or y:
        data["at"] = [x, y]
    return data, f"{names.piece_name(piece)} is destroyed."


def _mine_returned(slot: int, piece: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"model": _model(slot), "piece": names.piece_name(piece), "at": [x, y]}
    return data, f"{_model(slot)} comes back at {names.piece_name(piece)}, at ({x}, {y})."


def _game_over(result: int, reason: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"result_half_points": result, "reason": st.OVER_NAMES[reason]}
    return data, f"{RESULTS[result]}: {st.OVER_NAMES[reason]}."


def _spared(slot: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"model": _model(slot)}, f"{_model(slot)} is unharmed."


def _core_taken(slot: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"model": _model(slot)}, f"{_model(slot)} has the fusion core."


def _field_dropped(piece: int, *_: int) -> tuple[dict[str, Any], str]:
    name = names.piece_name(piece)
    return {"piece": name}, f"{name} is disabled: the power field is down."


def _unit_placed(group: int, count: int, piece: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"unit": _group(group), "models": count, "piece": names.piece_name(piece)}
    return data, f"{_verb(group, 'appears')} at {names.piece_name(piece)} ({_count(count, 'model')})."


def _charged(group: int, target: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"unit": _group(group), "target": _group(target)}, f"{_verb(group, 'charges')} {_group(target)}."


def _struck(slot: int, enemy: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"model": _model(slot), "enemy": _model(enemy)}, f"{_model(slot)} strikes at {_model(enemy)}."


def _laid_down(slot: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"model": _model(slot)}, f"{_model(slot)} goes down."


def _brought_down(slot: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"model": _model(st.VARRAS), "carrier": _model(slot)}
    return data, f"{_model(st.VARRAS)} is down; {_model(slot)} carries him."


def _escaped(slot: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"model": _model(slot), "at": [x, y]}, f"{_model(slot)} escapes over the edge at ({x}, {y})."


def _node_wounded(left: int, *_: int) -> tuple[dict[str, Any], str]:
    state = "is disabled" if left <= 0 else f"has {_count(left, 'wound')} left"
    return {"piece": names.piece_name(st.PIECE_NODE), "wounds_left": left}, f"The hive node {state}."


def _model_returned(slot: int, group: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    data = {"model": _model(slot), "unit": _group(group), "at": [x, y]}
    return data, f"{_model(slot)} comes back at the hive node, at ({x}, {y})."


def _burst(slot: int, x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    if slot < 0:
        return {"model": None, "at": [x, y]}, f"The frag missile bursts at ({x}, {y})."
    return {
        "model": _model(slot),
        "at": [x, y],
    }, f"The frag missile bursts over {_model(slot)} at ({x}, {y})."


def _acid(x: int, y: int, direction: int, *_: int) -> tuple[dict[str, Any], str]:
    word = names.direction_name(direction)
    return {"at": [x, y], "direction": word}, f"Acid sprays {word} from ({x}, {y})."


def _thunderhawk(state: int, *_: int) -> tuple[dict[str, Any], str]:
    word = ("none", "signal", "landed")[state]
    sentence = {"none": "The signal is lost.", "signal": "The beacon calls the Thunderhawk."}
    return {"state": word}, sentence.get(word, "The Thunderhawk lands.")


def _core_dropped(slot: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"model": _model(slot)}, f"{_model(slot)} drops the fusion core into the node."


def _node_destroyed(x: int, y: int, *_: int) -> tuple[dict[str, Any], str]:
    return {"piece": names.piece_name(st.PIECE_NODE), "at": [x, y]}, "The hive node is blown to pieces."


def _marker_wounded(piece: int, left: int, *_: int) -> tuple[dict[str, Any], str]:
    name = names.piece_name(piece)
    return {"piece": name, "wounds_left": left}, f"{name} is damaged; one more wound destroys it."


_WRITERS: dict[int, Callable[..., tuple[dict[str, Any], str]]] = {
    st.EVENT_TURN_BEGAN: _turn_began,
    st.EVENT_ROLLED: _rolled,
    st.EVENT_MINE_DRIFTED: _drifted,
    st.EVENT_UNIT_MOVED: _unit_moved,
    st.EVENT_MODEL_MOVED: _moved,
    st.EVENT_CROSS_DECLARED: _cross_declared,
    st.EVENT_SHOT: _shot,
    st.EVENT_FLAME: _flame,
    st.EVENT_DETONATED: _detonated,
    st.EVENT_BLAST_HIT: _hit,
    st.EVENT_SAVED: _saved,
    st.EVENT_SLAIN: _slain,
    st.EVENT_WOUNDED: _wounded,
    st.EVENT_MARKER_DESTROYED: _marker_destroyed,
    st.EVENT_MINE_RETURNED: _mine_returned,
    st.EVENT_GAME_OVER: _game_over,
    st.EVENT_SPARED: _spared,
    st.EVENT_CORE_TAKEN: _core_taken,
    st.EVENT_FIELD_DROPPED: _field_dropped,
    st.EVENT_UNIT_PLACED: _unit_placed,
    st.EVENT_CHARGED: _charged,
    st.EVENT_STRUCK: _struck,
    st.EVENT_LAID_DOWN: _laid_down,
    st.EVENT_BROUGHT_DOWN: _brought_down,
    st.EVENT_ESCAPED: _escaped,
    st.EVENT_NODE_WOUNDED: _node_wounded,
    st.EVENT_MODEL_RETURNED: _model_returned,
    st.EVENT_BURST: _burst,
    st.EVENT_ACID: _acid,
    st.EVENT_THUNDERHAWK: _thunderhawk,
    st.EVENT_CORE_DROPPED: _core_dropped,
    st.EVENT_NODE_DESTROYED: _node_destroyed,
    st.EVENT_MARKER_WOUNDED: _marker_wounded,
}


def event(row: NDArray[np.int32]) -> Event:
    """Turn a row of the event log into a typed event with its sentence.

    Args:
        row: int32 array of 8 columns: kind, then up to six arguments, as ``state.py`` declares them.

    Returns:
        The event; its data hold names, and cells [x, y] in steps of half an inch.

    Raises:
        ValueError: There is no such kind of event.
    """
    kind = int(row[0])
    if kind not in _WRITERS:
        raise ValueError(f"event kind {kind} is unknown; expected one of {sorted(_WRITERS)}")
    data, sentence = _WRITERS[kind](*(int(value) for value in row[1:7]))
    return Event(st.EVENT_NAMES[kind], data, _capital(sentence))
