"""The identity of an environment as a policy sees it: hashes that checkpoints and replays carry.

Two hashes, for two questions:

* `schema_hash`: may a network trained on that environment be fed by this one? It covers what gives every
  input and output its place: the version of the id, the blocks of the observation and the verbs of the
  actions. A policy with another schema hash is refused, since its numbers would mean other things.
* `rules_hash`: are the rules word for word those it was trained under? It covers the sources of the game's
  rules, so it also moves when code is merely tidied. A policy with another rules hash is still loaded (a
  change of the rules themselves raises the version, which the schema hash covers); tools mention the
  difference.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.game import Game
from broodmind.envs.core.registration import game_of

_VERSION = re.compile(r"-v(\d+)$")

ALL = "all"
"""Stands in for the mission where something is for several missions of a game."""

WORDS_AND_PICTURES = frozenset(
    {
        "describe.py",
        "describe_events.py",
        "dictionary.py",
        "draw.py",
        "draw_events.py",
        "explain.py",
        "game.py",
        "names.py",
        "palette.py",
        "possible.py",
        "scripted.py",
        "scripted_broods.py",
        "scripted_explorers.py",
        "scripted_horror.py",
        "scripted_squads.py",
        "text_board.py",
        "validate.py",
        "validate_decision.py",
    }
)
"""Modules of a game that hold no rules, so that `rules_hash` leaves them out."""


def env_version(env_id: str) -> int:
    """Return the version of an environment id (``"macragge/crash-site-v0"`` -> 0).

    Raises:
        ValueError: The id does not end in ``-v<number>``.
    """
    match = _VERSION.search(env_id)
    if match is None:
        raise ValueError(f"environment id {env_id!r} does not end in -v<number>")
    return int(match.group(1))


def env_folder(*env_ids: str) -> str:
    """Return an environment id without its version (``"toy/race-v0"`` -> ``"toy/race"``).

    Several missions of a game share one name (``"toy/all"``): that of presets and checkpoints for all of them.
    """
    if len(env_ids) == 1:
        return _VERSION.sub("", env_ids[0])
    return f"{env_ids[0].partition('/')[0]}/{ALL}"


def shared_game(env_ids: Sequence[str], data: str | os.PathLike[str] | None = None) -> Game:
    """Return the game of several missions, which one policy can play: they share agents, observations and actions.

    Args:
        env_ids: Environment ids.
        data: As in `game_of`.

    Raises:
        ConfigError: The data cannot be used; there are no ids, or two are of different games; the message names those
            and what differs.
        UnknownEnvironmentError: No environment has one of the ids.
    """
    if not env_ids:
        raise ConfigError("no environment is named; expected at least one id")
    first, *others = env_ids
    game = game_of(first)
    for other in others:
        if (foreign := game_of(other)) is not game:
            theirs = _tables(foreign)
            parts = [name for name, table in _tables(game).items() if table != theirs[name]]
            raise ConfigError(
                f"{first} and {other} cannot share a policy: their {', '.join(parts) or 'games'} differ"
            )
    return game_of(first, data)


def schema_hash(game: Game, env_id: str) -> str:
    """Return the hash of what gives a policy's inputs and outputs their places, 64 hexadecimal digits.

    Covered: the version of the id, the agents, the names, rows and features of the observation's blocks and
    the names and argument counts of the verbs, all in order. Not covered: explanations for people, which may
    be reworded.

    Args:
        game: The game.
        env_id: One of its environment ids.
    """
    schema = {"version": env_version(env_id), **_tables(game)}
    return hashlib.sha256(json.dumps(schema, separators=(",", ":")).encode()).hexdigest()


def _tables(game: Game) -> dict[str, Any]:
    """Return what all missions of a game share and a policy depends on."""
    return {
        "agents": list(game.agents),
        "observation": [
            [block.name, block.rows, [name for name, _ in block.features]]
            for block in game.observation.blocks
        ],
        "actions": [[verb.name, verb.count] for verb in game.actions.verbs],
    }


@cache
def _folder_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".py", ".toml"} and path.name not in WORDS_AND_PICTURES:
            digest.update(path.relative_to(folder).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def rules_hash(game: Game) -> str:
    """Return the hash of the sources of a game's rules, 64 hexadecimal digits.

    Covered: every Python and TOML file in the folder of the module that defines the game's class and below,
    except `WORDS_AND_PICTURES`.
    """
    return _folder_hash(Path(inspect.getfile(type(game))).resolve().parent)
