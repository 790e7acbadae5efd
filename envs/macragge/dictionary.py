"""Positions as dictionaries of names (JSON-able), there and back, byte for byte.

What equals its default is left out of a dictionary, and may be left out by people who write one by hand:

* a model that is not mentioned is out of play; one that is mentioned is on the table and belongs to its usual
  unit (Genestealers and Termagants must name theirs); ``start`` and ``plan`` are where it stands;
* a piece that is not mentioned is not there; a group that is not mentioned counts its models and is idle;
* ``movers`` are the models of the unit in hand, and ``cells`` (where they may end) are worked out;
* numbers are 0, switches off, names ``"none"``. Only ``core.mission`` and ``phase`` must be given.

Cells are ``[x, y]`` in steps of half an inch from the south-west corner.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.codec import (
    Field,
    Flags,
    ListOf,
    Names,
    Number,
    Numbers,
    Switch,
    Words64,
    read,
    unknown_keys,
    write,
)
from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.record import new_states
from broodmind.envs.macragge import names, state
from broodmind.envs.macragge.possible import (
    KIND_OF_PIECE,
    PLAN_PHASES,
    ROSTERS,
    SEAT_OF_PHASE,
    default_group,
    kind_of_group,
)
from broodmind.envs.macragge.validate import flaws, problems

__all__ = ["from_dict", "problems", "to_dict"]

SEATS = ("ultramarines", "tyranids")
NUMBER = Number()
LARGE = Number(-(2**63), 2**63 - 1)
SWITCH = Switch()
SEAT = Names(SEATS)
CELL = Numbers(2)
MODEL = Names(("none", *names.MODELS), -1)
GROUP = Names(("none", *names.GROUPS), -1)

CORE_FIELDS = (
    Field("mission", Names(("none", *names.MISSIONS))),
    Field("layout", Names(("random", "standard"))),
    Field("max_turns", NUMBER),
    Field("skip_forced", SWITCH),
    Field("turn", NUMBER),
    Field("seat", SEAT),
    Field("over", SWITCH),
    Field("truncated", SWITCH),
    Field("result", NUMBER),
    Field("spare", NUMBER),
    Field("decisions", LARGE),
)
CORE_DEFAULTS = {
    "layout": "standard",
    "max_turns": 0,
    "skip_forced": True,
    "turn": 1,
    "truncated": False,
    "result": 0,
    "spare": 0,
    "decisions": 0,
}
DICE_FIELDS = (
    Field("key", LARGE),
    Field("stream", LARGE),
    Field("counter", LARGE),
    Field("queue", ListOf(Number(-128, 127), QUEUE_SIZE)),
    Field("queue_head", NUMBER),
    Field("queue_length", NUMBER),
    Field("strict", SWITCH),
    Field("unplanned", SWITCH),
)
DICE_DEFAULTS = {
    "key": 0,
    "stream": 0,
    "counter": 0,
    "queue": [],
    "queue_head": 0,
    "strict": False,
    "unplanned": False,
}
MODEL_KINDS = (
    "Varras",
    "Octavian",
    "flamer",
    "bolter",
    "missile launcher",
    "Genestealer",
    "Termagant",
    "mine",
)
MODEL_FIELDS = (
    Field("status", Names(("out", "table", "dead", "escaped", "carried"))),
    Field("at", CELL, ("x", "y")),
    Field("start", CELL, ("start_x", "start_y")),
    Field("plan", CELL, ("plan_x", "plan_y")),
    Field("kind", Names(MODEL_KINDS)),
    Field("group", GROUP),
    Field("mine_type", Names(names.MINE_TYPES)),
    Field("aim", NUMBER),
    Field("attacks", NUMBER),
    Field("marks", Flags(("moved", "edited", "charged", "laid down", "stood", "fought", "queued", "busy"))),
)
GROUP_FIELDS = (
    Field("kind", Names(("none", "Ultramarines", "Genestealers", "Termagants", "mine", "marker"))),
    Field("living", NUMBER),
    Field("marks", Flags(("moved", "fired", "assaulted", "displaced", "shot"))),
    Field("allowance", NUMBER),
)
PIECE_FIELDS = (
    Field("kind", Names(("none", "wreck", "marker", "hive node", "projector", "beacon"))),
    Field("at", CELL, ("x", "y")),
    Field("radius", NUMBER, ("r",)),
    Field("hit_points", NUMBER, ("hp",)),
    Field("marks", Flags(("cockpit", "core"))),
)
PIECE_DEFAULTS: dict[str, Any] = {"hit_points": 0, "marks": []}
POSITION_FIELDS = (
    Field("phase", Names(("none", *state.PHASE_NAMES), -1)),
    Field("active", SEAT),
    Field("step", Names(state.STEP_NAMES)),
    Field("unit", GROUP),
    Field("model", MODEL),
    Field("target", GROUP),
    Field("shooter", MODEL),
    Field("squad", GROUP),
    Field("allowance", NUMBER),
    Field("crossing", SWITCH),
    Field("die", NUMBER),
    Field("wounds", NUMBER),
    Field("cursor", NUMBER),
    Field("kills", NUMBER),
    Field("fusion_core", Names(("none", "in wreck", "carried", "dropped"))),
    Field("core_carrier", MODEL),
    Field("core_timer", NUMBER),
    Field("varras_carrier", MODEL),
    Field("power_field", SWITCH, ("field",)),
    Field("thunderhawk", Names(("none", "signal", "landed"))),
    Field("exit_zone", Numbers(4), ("exit_rect",)),
    Field("rendezvous", Numbers(3)),
    Field("mover_count", NUMBER),
    Field("movers", ListOf(Names(names.MODELS), state.MAX_UNIT)),
    Field("mover_index", NUMBER),
    Field("cells", ListOf(Words64(state.CELL_WORDS), state.MAX_UNIT)),
    Field("detonations", ListOf(Names(names.MODELS), 8)),
    Field("detonation_head", NUMBER),
    Field("detonation_tail", NUMBER),
    Field("frame_count", NUMBER),
)
POSITION_DEFAULTS: dict[str, Any] = {
    **dict.fromkeys(("unit", "model", "target", "shooter", "squad"), "none"),
    **dict.fromkeys(("allowance", "die", "wounds", "cursor", "kills", "core_timer", "mover_index"), 0),
    **dict.fromkeys(("mover_count", "detonation_head", "detonation_tail", "frame_count"), 0),
    **dict.fromkeys(("crossing", "power_field"), False),
    **dict.fromkeys(("fusion_core", "core_carrier", "varras_carrier", "thunderhawk"), "none"),
    **{key: [] for key in ("movers", "cells", "detonations")},
    "exit_zone": [0, 0, 0, 0],
    "rendezvous": [0, 0, 0],
}
FRAME_FIELDS = (
    Field("op", Names(("none", "detonations", "casualties", "volley", "fight", "acid"))),
    Field("a", NUMBER),
    Field("b", NUMBER),
    Field("c", NUMBER),
)
FRAME_DEFAULTS = {"op": "none", "a": 0, "b": 0, "c": 0}
SECTIONS = ("core", "models", "groups", "pieces", "frames")

MOVE_INCHES = 6
"""The allowance of a move where a dictionary names none."""

STEP_OF_PHASE = {
    **dict.fromkeys(range(state.CORE_CARRIER, state.SHOOT_SELECT), state.STEP_MOVE),
    state.MINE_DIR: state.STEP_MINES,
    **dict.fromkeys(range(state.SHOOT_SELECT, state.ASSAULT_SELECT), state.STEP_SHOOT),
    **dict.fromkeys(range(state.ASSAULT_SELECT, state.STRIKE), state.STEP_ASSAULT),
    state.STRIKE: state.STEP_FIGHT,
    state.CASUALTY: state.STEP_MINES,
    state.ACID_DIR: state.STEP_MINES,
    state.SPAWN: state.STEP_SPAWN,
    state.BEACON: state.STEP_BEACON,
    state.OVER: state.STEP_END,
}


def _model_defaults(slot: int, mission: int) -> dict[str, Any]:
    """Return the defaults of a model on the table; where it stands has none."""
    defaults: dict[str, Any] = {
        "status": "table",
        "kind": MODEL_KINDS[state.KIND_OF_SLOT[slot]],
        "mine_type": "explosive",
        "aim": -1,
        "attacks": 0,
        "marks": [],
    }
    if mission == state.PURGE_THE_XENOS and slot >= state.FIRST_MINE:
        defaults["mine_type"] = names.MINE_TYPES[state.MINE_TYPE_OF_SLOT[slot - state.FIRST_MINE]]
    group = default_group(slot, mission)
    if group >= 0:
        defaults["group"] = names.GROUPS[group]
    return defaults


def _set_absent(model: Any, slot: int, mission: int) -> None:
    """Make a zeroed model one that a dictionary does not mention: out of play, as set-up leaves it."""
    model["group"], model["aim"] = -1, -1
    if slot in ROSTERS.get(mission, ()):
        model["kind"] = state.KIND_OF_SLOT[slot]
        model["group"] = default_group(slot, mission)
        if mission == state.PURGE_THE_XENOS and slot >= state.FIRST_MINE:
            model["mine_type"] = state.MINE_TYPE_OF_SLOT[slot - state.FIRST_MINE]


def _is_absent(model: Any, slot: int, mission: int) -> bool:
    absent = np.zeros(1, model.dtype)
    _set_absent(absent[0], slot, mission)
    return bool(model.tobytes() == absent.tobytes())


def _counted_group(record: Any, group: int) -> dict[str, Any]:
    """Return what a group that is not mentioned is taken for: as many as are there, idle."""
    if kind_of_group(group) == state.GROUP_MARKER:
        piece = record["pieces"][state.FIRST_MARKER + group - state.FIRST_MARKER_GROUP]
        size = int(piece["kind"] != state.PIECE_NONE)
    else:
        models = record["models"]
        size = int(np.sum((models["status"] == state.STATUS_TABLE) & (models["group"] == group)))
    kind = GROUP_FIELDS[0].codec.write(kind_of_group(group)) if size else "none"
    return {"kind": kind, "living": size, "marks": [], "allowance": 0}


def _piece_defaults(piece: int) -> dict[str, Any]:
    return {"kind": PIECE_FIELDS[0].codec.write(KIND_OF_PIECE[piece]), **PIECE_DEFAULTS}


def _pad(entries: list[Any], count: int, zero: Any) -> None:
    """Give a list, which ends before its last zeros, as many entries as are counted."""
    entries += [zero] * (count - len(entries))


def to_dict(states: NDArray[np.void], i: int) -> dict[str, Any]:
    """Return a whole position as JSON-able names and numbers; `from_dict` gives back the same bytes.

    Args:
        states: Array of state records.
        i: Which of them.

    Returns:
        ``core`` (what was asked for, whose decision, ``dice``), ``phase``, ``active``, ``step``, what is in
        hand, ``models``, ``groups`` and ``pieces`` by name, and everything else that is not its default.
        A number that has no name, in an impossible record, stays a number.
    """
    record = states[i]
    mission = int(record["core"]["mission"])
    core = write(record["core"], CORE_FIELDS, {})
    core["dice"] = write(record["core"], DICE_FIELDS, {})
    _pad(core["dice"]["queue"], min(int(record["core"]["queue_length"]), QUEUE_SIZE), 0)
    defaults = dict(POSITION_DEFAULTS)
    if int(record["unit"]) >= 0:
        # `from_dict` would work these out, and not every decision about a unit needs them.
        for key in ("movers", "mover_count", "cells", "allowance"):
            del defaults[key]
    data = {"core": core, **write(record, POSITION_FIELDS, defaults)}
    if "movers" in data:
        _pad(data["movers"], min(int(record["mover_count"]), state.MAX_UNIT), names.MODELS[0])
    models: dict[str, Any] = {}
    for slot, name in enumerate(names.MODELS):
        model = record["models"][slot]
        if _is_absent(model, slot, mission):
            continue
        at = CELL.write((model["x"], model["y"]))
        defaults = {**_model_defaults(slot, mission), "start": at, "plan": at}
        if int(model["status"]) != state.STATUS_TABLE:
            defaults |= {"at": [0, 0], "group": defaults.get("group", "none")}
        models[name] = write(model, MODEL_FIELDS, defaults)
    groups = {
        names.GROUPS[group]: write(record["groups"][group], GROUP_FIELDS, _counted_group(record, group))
        for group in range(state.STORED_GROUPS)
    }
    pieces = {
        name: write(record["pieces"][piece], PIECE_FIELDS, _piece_defaults(piece))
        for piece, name in enumerate(names.PIECES)
        if any(record["pieces"][piece].tobytes())
    }
    data |= {
        "models": models,
        "pieces": pieces,
        "groups": {name: entry for name, entry in groups.items() if entry},
    }
    frames = [write(frame, FRAME_FIELDS, FRAME_DEFAULTS) for frame in record["frames"]]
    while frames and not frames[-1]:
        frames.pop()
    if frames:
        data["frames"] = frames
    return data


def _section(
    data: Mapping[str, Any], key: str, words: tuple[str, ...], wrong: list[str]
) -> Mapping[str, Any]:
    """Return a sub-dictionary whose keys are names, or an empty one if it is not."""
    section = data.get(key, {})
    if not isinstance(section, Mapping):
        wrong.append(f"{key}: expected a dictionary by name, got {type(section).__name__}")
        return {}
    unknown_keys(section, words, key, wrong)
    return section


def _owner(phase: Any) -> str:
    """Return the seat that a decision belongs to by its nature, or nothing."""
    owner = SEAT_OF_PHASE.get(state.PHASE_NAMES.index(phase)) if phase in state.PHASE_NAMES else None
    return "" if owner is None else SEATS[owner]


def _read_core(record: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    core = data.get("core")
    if not isinstance(core, Mapping):
        wrong.append("core: expected a dictionary with at least the mission")
        return
    phase = data.get("phase")
    over = phase == state.PHASE_NAMES[state.OVER]
    seat = _owner(phase) or data.get("active", SEATS[0])
    defaults = {**CORE_DEFAULTS, "over": over, "seat": seat}
    read(record["core"], core, CORE_FIELDS, defaults, "core", wrong, ("dice",))
    dice = core.get("dice", {})
    queue = dice.get("queue", []) if isinstance(dice, Mapping) else []
    length = len(queue) if isinstance(queue, list) else 0
    read(record["core"], dice, DICE_FIELDS, {**DICE_DEFAULTS, "queue_length": length}, "core.dice", wrong)


def _read_models(record: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    section = _section(data, "models", names.MODELS, wrong)
    mission = int(record["core"]["mission"])
    for slot, name in enumerate(names.MODELS):
        model = record["models"][slot]
        if name not in section:
            _set_absent(model, slot, mission)
            continue
        entry = section[name]
        defaults = _model_defaults(slot, mission)
        if isinstance(entry, Mapping) and entry.get("status", "table") != "table":
            defaults |= {"at": [0, 0], "group": defaults.get("group", "none")}
        at = entry.get("at", defaults.get("at", [0, 0])) if isinstance(entry, Mapping) else [0, 0]
        read(model, entry, MODEL_FIELDS, {**defaults, "start": at, "plan": at}, f"models.{name}", wrong)


def _read_rest(record: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    pieces = _section(data, "pieces", names.PIECES, wrong)
    large = int(record["core"]["mission"]) >= state.REINFORCEMENTS
    for piece, name in enumerate(names.PIECES):
        if name in pieces:
            disc = KIND_OF_PIECE[piece] in (state.PIECE_WRECK, state.PIECE_HIVE_NODE)
            radius = (6 if large and piece == 0 else 4) if disc else 1
            defaults = {**_piece_defaults(piece), "radius": radius}
            read(record["pieces"][piece], pieces[name], PIECE_FIELDS, defaults, f"pieces.{name}", wrong)
    stored = names.GROUPS[: state.STORED_GROUPS]
    groups = _section(data, "groups", stored, wrong)
    for group, name in enumerate(stored):
        defaults = _counted_group(record, group)
        read(record["groups"][group], groups.get(name, {}), GROUP_FIELDS, defaults, f"groups.{name}", wrong)
    frames = data.get("frames", [])
    if "frames" not in data and data.get("phase") == "CASUALTY":
        squad = GROUP.words.index(data["squad"]) + GROUP.first if data.get("squad") in GROUP.words else -1
        frames = [{"op": "casualties", "a": squad, "b": data.get("wounds", 0)}]
    if not isinstance(frames, list) or len(frames) > len(record["frames"]):
        wrong.append(f"frames: expected a list of at most {len(record['frames'])} dictionaries")
        return
    for k, frame in enumerate(frames):
        read(record["frames"][k], frame, FRAME_FIELDS, FRAME_DEFAULTS, f"frames[{k}]", wrong)


def _read_position(record: Any, data: Mapping[str, Any], wrong: list[str]) -> None:
    phase = data.get("phase")
    step = STEP_OF_PHASE[state.PHASE_NAMES.index(phase)] if phase in state.PHASE_NAMES else state.STEP_MOVE
    core = data.get("core")
    defaults: dict[str, Any] = {
        **POSITION_DEFAULTS,
        "step": state.STEP_NAMES[step],
        "active": _owner(phase) or (core.get("seat", SEATS[0]) if isinstance(core, Mapping) else SEATS[0]),
    }
    frames = data.get("frames")
    if isinstance(frames, list):
        defaults["frame_count"] = len(frames)
    elif phase == "CASUALTY":
        defaults["frame_count"] = 1
    if phase == "CASUALTY":
        defaults["active"] = SEATS[state.TYRANIDS]
    if phase in ("MOVE_PLAN", "MOVE_EDIT", "MOVE_CELL"):
        defaults["allowance"] = MOVE_INCHES
    read(record, data, POSITION_FIELDS, defaults, "", wrong, SECTIONS)


def from_dict(data: Mapping[str, Any]) -> NDArray[np.void]:
    """Return a position as an array of one record.

    Args:
        data: As `to_dict` gives it; what equals its default may be left out (see the module's documentation).

    Raises:
        StateError: The dictionary is malformed, or the position impossible; the message lists every problem,
            with its key and what was expected.
    """
    if not isinstance(data, Mapping):
        raise StateError(f"a position must be a dictionary as to_dict gives it, got {type(data).__name__}")
    states = new_states(state.STATE, 1)
    record = states[0]
    wrong: list[str] = []
    for part in (_read_core, _read_models, _read_rest, _read_position):
        part(record, data, wrong)
    if not wrong:
        planning = int(record["phase"]) in (*PLAN_PHASES, state.MOVE_PLAN)
        if "movers" not in data and planning:
            _take_in_hand(record)
        wrong = flaws(states, 0)  # first: compiled rules trust what they are given
    if not wrong:
        if "cells" not in data and int(record["mover_count"]) > 0:
            _fill_cells(states)
        wrong = problems(states, 0)
    if wrong:
        raise StateError("this is not a possible position: " + "; ".join(wrong))
    return states


def _take_in_hand(record: Any) -> None:
    models = record["models"]
    mine = (models["status"] == state.STATUS_TABLE) & (models["group"] == int(record["unit"]))
    movers = np.flatnonzero(mine)[: state.MAX_UNIT]
    record["mover_count"] = len(movers)
    record["movers"][: len(movers)] = movers


def _fill_cells(states: NDArray[np.void]) -> None:
    """Work out where the models of the unit in hand may end; only here do positions need compiled rules."""
    from broodmind.envs.macragge.rules.moving import fill_unit_cells
    from broodmind.envs.macragge.tables import tables

    fill_unit_cells(states[0], tables()[0])
