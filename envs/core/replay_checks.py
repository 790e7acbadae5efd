"""What a replay file may not say: files come from strangers, and their words end up on a terminal."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broodmind.envs.core.errors import ReplayError
from broodmind.envs.core.game import data_name

if TYPE_CHECKING:
    from broodmind.envs.core.game import Game
    from broodmind.envs.core.replay import Step

RULE_OPTIONS = ("layout", "max_turns", "illegal_action", "skip_forced")
"""Options of ``make`` that decide what is played, beside those of the mission."""

CONTROLS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that steer a terminal, or hide text in it: no replay holds them."""


def is_json(text: str) -> bool:
    """Say whether a text is a whole value of JSON."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def check_texts(value: Any, where: str) -> None:
    """Refuse control characters in any text of a line, keys included.

    Args:
        value: A value of JSON.
        where: The beginning of the message.

    Raises:
        ReplayError: There is one.
    """
    for words in _texts(value):
        if any(unicodedata.category(letter) in CONTROLS for letter in words):
            raise ReplayError(f"{where}{words[:60]!r} holds control characters; the file is damaged")


def _texts(value: Any) -> Iterator[str]:
    left = [value]  # no recursion: a file may nest deeply
    while left:
        item = left.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            left += [*item, *item.values()]
        elif isinstance(item, list):
            left += item


def check_options(env_id: str, options: Mapping[str, Any], where: str) -> None:
    """Refuse options of ``make`` that are no rules: a replay says what was played, not what its reader sees.

    Args:
        env_id: The environment of the replay.
        options: Its options.
        where: The beginning of the message.

    Raises:
        ReplayError: An option is none of the rules.
    """
    from broodmind.envs.core.registration import game_of

    known = (*RULE_OPTIONS, *game_of(env_id).mission(env_id).options)
    for name in options:
        if name not in known:
            rules = ", ".join(known)
            raise ReplayError(f"{where}option {name!r} is no rule of {env_id}; a replay may say {rules}")


def refuse_other_data(env_id: str, recorded: str, game: Game, where: str) -> None:
    """Refuse a replay that was recorded on other data than a game has: it would come out differently.

    Args:
        env_id: The environment of the replay.
        recorded: `Game.data_hash` of the game that was recorded.
        game: The game that is to play it again.
        where: The beginning of the message.

    Raises:
        ReplayError: The data differ.
    """
    if recorded != game.data_hash:
        raise ReplayError(
            f"{where}this game of {env_id} was played on {data_name(recorded)}, and would be played again on "
            f"{data_name(game.data_hash)}; read it with the folder that it was played with (data=FOLDER, --data FOLDER)"
        )


def check_step(game: Game, step: Step, where: str) -> None:
    """Refuse a step whose agent or action does not exist, or whose action has another name.

    Args:
        game: The game.
        step: The step.
        where: The beginning of the message.

    Raises:
        ReplayError: The step cannot have been played.
    """
    if step.agent not in game.agents:
        raise ReplayError(f"{where}there is no agent {step.agent!r}; {' and '.join(game.agents)} play")
    if not 0 <= step.action < game.actions.size:
        raise ReplayError(f"{where}action {step.action} is outside 0..{game.actions.size - 1}")
    name = game.actions.name(step.action)
    if step.name != name:
        raise ReplayError(
            f"{where}action {step.action} is {name!r}, the file calls it {step.name!r}; "
            "it was changed, or written by another version"
        )


def json_line(path: Path, number: int, text: str) -> dict[str, Any]:
    """Parse one line of a replay file."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "too deep or too large"
        raise ReplayError(f"{path}, line {number}: not JSON ({reason}); the file is damaged") from None
    if not isinstance(value, dict) or "kind" not in value:
        raise ReplayError(f"{path}, line {number}: not a replay line (an object with a 'kind' was expected)")
    check_texts(value, f"{path}, line {number}: ")
    return value


def checked_field(
    path: Path, number: int, line: Mapping[str, Any], name: str, kind: type | tuple[type, ...]
) -> Any:
    """Return a field of a line, checked for its type."""
    value = line.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        expected = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
        raise ReplayError(f"{path}, line {number}: {name!r} must be {expected}, got {value!r}")
    return value
