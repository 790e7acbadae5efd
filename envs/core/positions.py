"""The head of a state record as a dictionary, the same for every game; values are checked on the way back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.dice import QUEUE_SIZE
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.record import CORE, FORFEITED, MOST_TURNS, as_states

if TYPE_CHECKING:
    from broodmind.envs.core.game import Game, Mission


def core_to_dict(game: Game, core: np.void) -> dict[str, Any]:
    """Return the head of a state as JSON-able names and numbers.

    Args:
        game: The game of the state.
        core: The ``core`` field of one record.
    """
    mission = game.missions[int(core["mission"]) - 1]
    head, length = int(core["queue_head"]), int(core["queue_length"])
    return {
        "environment": mission.id,
        "layout": mission.layouts[int(core["layout"])],
        "max_turns": int(core["max_turns"]),
        "skip_forced": bool(core["skip_forced"]),
        "options": int(core["spare"]),
        "turn": int(core["turn"]),
        "to_act": game.agents[int(core["seat"])],
        "over": bool(core["over"]),
        "truncated": bool(core["truncated"]),
        "result": int(core["result"]),
        "decisions": int(core["decisions"]),
        "dice": [int(roll) for roll in core["queue"][head:length]],
        "strict": bool(core["strict"]),
        "generator": {name: int(core[name]) for name in ("key", "stream", "counter")},
    }


def _named(names: list[str], value: Any, what: str) -> int:
    if value not in names:
        raise StateError(f"{what} is {value!r}; expected one of: {', '.join(names)}")
    return names.index(value)


def _integer(data: Mapping[str, Any], key: str, low: int, high: int) -> int:
    value = data.get(key, 0)
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise StateError(f"core {key} is {value!r}; expected a whole number {low}..{high}")
    return value


def mission_of(game: Game, data: Mapping[str, Any]) -> Mission:
    """Return the mission that a position's dictionary names under ``["core"]["environment"]``.

    Raises:
        StateError: There is none, or it is no mission of this game.
    """
    core = data.get("core")
    if not isinstance(core, Mapping) or "environment" not in core:
        raise StateError('a position needs "core": {"environment": <id>, ...}')
    ids = [mission.id for mission in game.missions]
    return game.missions[_named(ids, core["environment"], "core environment")]


def core_from_dict(game: Game, data: Mapping[str, Any], core: np.void) -> None:
    """Write the head of a state from its dictionary (see `core_to_dict`); what is left out is 0.

    Args:
        game: The game of the state.
        data: The whole position, or anything with the head under ``"core"``.
        core: The ``core`` field of one record, written in place.

    Raises:
        StateError: A key is unknown or a value impossible.
    """
    mission = mission_of(game, data)
    head = data["core"]
    known = set(core_to_dict(game, _zero_core(mission)))
    unknown = sorted(set(head) - known)
    if unknown:
        raise StateError(f"core has no field {unknown[0]!r}; fields: {', '.join(sorted(known))}")
    core["mission"] = mission.number
    core["layout"] = _named(list(mission.layouts), head.get("layout", mission.layouts[0]), "core layout")
    core["max_turns"] = _integer({"max_turns": mission.max_turns, **head}, "max_turns", 0, MOST_TURNS)
    core["seat"] = _named(list(game.agents), head.get("to_act", game.agents[0]), "core to_act")
    for key, field in (("turn", "turn"), ("options", "spare")):
        core[field] = _integer(head, key, 0, MOST_TURNS)
    core["result"] = _integer(head, "result", -2, 2)
    core["decisions"] = _integer(head, "decisions", 0, 2**62)
    for key, default in (("skip_forced", True), ("over", False), ("truncated", False), ("strict", False)):
        value = head.get(key, default)
        if not isinstance(value, bool):
            raise StateError(f"core {key} is {value!r}; expected true or false")
        core[key] = value
    if (core["truncated"] or core["result"]) and not core["over"]:
        raise StateError("core has a result or is truncated, but is not over")
    dice = check_dice(head.get("dice", []), *game.roll_bounds)
    core["queue"][:] = 0
    core["queue"][: len(dice)] = dice
    core["queue_head"], core["queue_length"], core["unplanned"] = 0, len(dice), 0
    generator = head.get("generator", {})
    if not isinstance(generator, Mapping) or set(generator) - {"key", "stream", "counter"}:
        raise StateError("core generator must be {key, stream, counter}")
    core["key"] = _integer(generator, "key", 0, 2**32 - 1)
    core["stream"] = _integer(generator, "stream", 0, 2**32 - 1)
    core["counter"] = _integer(generator, "counter", 0, 2**62)


def _zero_core(mission: Mission) -> np.void:
    core = np.zeros(1, CORE)[0]
    core["mission"] = mission.number
    return core


def position_problems(game: Game, states: NDArray[np.void], i: int) -> list[str]:
    """Return every way in which a record is not a possible position, forfeited games included (empty: none).

    Args:
        game: The game.
        states: Array of records, whatever they hold.
        i: Which of them.
    """
    core = np.asarray(states)["core"][i]
    if int(core["over"]) != FORFEITED:
        return game.problems(states, i)
    expected = -2 if int(core["seat"]) == 0 else 2
    if int(core["result"]) != expected or int(core["truncated"]):
        return [
            f"the game is forfeited by seat {int(core['seat'])}, so its result is {expected}, not truncated"
        ]
    return game.problems(before_forfeit(states, i), 0)


def forfeit(core: Any) -> None:
    """End a game as lost for the seat to act; everything else stays as it stands at that decision."""
    core["over"], core["truncated"] = FORFEITED, 0
    core["result"] = -2 if core["seat"] == 0 else 2


def before_forfeit(states: NDArray[np.void], i: int) -> NDArray[np.void]:
    """Return a copy of one record without the forfeit that ended it: the decision that was forfeited."""
    copy = np.array(np.asarray(states)[i : i + 1])
    copy["core"]["over"] = copy["core"]["result"] = 0
    return as_states(copy)


def check_position(game: Game, states: NDArray[np.void], i: int, which: str = "the position") -> None:
    """Check that a record is a possible position from which someone can go on, or of a game that is over.

    Args:
        game: The game.
        states: Array of records, whatever they hold.
        i: Which of them.
        which: What messages call it.

    Raises:
        StateError: It is not; the message says why.
    """
    found = position_problems(game, states, i)
    if found:
        raise StateError(f"{which} is impossible: {found[0]}")
    over = int(np.asarray(states)["core"]["over"][i])
    if over == 1:
        return
    mask = np.zeros(game.actions.size, np.int8)
    game.kernels().legal(before_forfeit(states, i), 0, game.tables(), mask)
    if not mask.any():
        raise StateError(f"{which} is impossible: no action is legal although the game is not over")


def check_dice(rolls: Any, low: int = 0, high: int = 127) -> list[int]:
    """Return planned rolls as a list of integers.

    Args:
        rolls: A sequence of whole numbers.
        low: The least that any die of the game shows.
        high: The most. Which die a roll is for is known only when it is rolled: one that the die cannot show (a 9 on a
            D6) is refused by the step that rolls it.

    Raises:
        StateError: Too many rolls for the queue, or something that is no die roll.
    """
    if isinstance(rolls, str | bytes) or not hasattr(rolls, "__iter__"):
        raise StateError(f"dice must be a list of rolls, got {rolls!r}")
    result = []
    for roll in rolls:
        if isinstance(roll, bool) or not isinstance(roll, int | np.integer) or not low <= roll <= high:
            raise StateError(f"dice hold {roll!r}; expected whole numbers {low}..{high}, 1..6 for a D6")
        result.append(int(roll))
    if len(result) > QUEUE_SIZE:
        raise StateError(f"{len(result)} planned rolls do not fit the queue of {QUEUE_SIZE}")
    return result
