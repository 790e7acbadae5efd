"""Which environments exist: ids, their games, their place in PettingZoo's and Gymnasium's registries.

Built-in games are listed in a small table, so that naming the ids needs neither Numba nor the rules.
"""

from __future__ import annotations

import difflib
import fnmatch
import importlib
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gymnasium
from pettingzoo.env_registry import registration as pettingzoo_registration

from broodmind.envs.core.errors import ConfigError, UnknownEnvironmentError

if TYPE_CHECKING:
    from broodmind.envs.core.aec import BoardEnv
    from broodmind.envs.core.game import Game
    from broodmind.envs.core.vec import BatchEnv


@dataclass(frozen=True)
class BuiltIn:
    """A game that comes with the package.

    Args:
        module: Where its ``GAME`` is.
        ids: Its environment ids, as ``GAME.missions`` declares them (a test compares).
    """

    module: str
    ids: tuple[str, ...]


BUILT_IN: dict[str, BuiltIn] = {
    "macragge": BuiltIn(
        "broodmind.envs.macragge.game",
        (
            "macragge/crash-site-v0",
            "macragge/rescue-varras-v0",
            "macragge/fusion-core-v0",
            "macragge/xeno-tide-v0",
            "macragge/reinforcements-v0",
            "macragge/purge-the-xenos-v0",
        ),
    ),
    "overkill": BuiltIn(
        "broodmind.envs.overkill.game",
        (
            "overkill/killstorm-v0",
            "overkill/vox-noctis-v0",
            "overkill/recover-v0",
            "overkill/exterminatus-modicum-v0",
            "overkill/officium-solus-v0",
            "overkill/firestorm-ultima-v0",
            "overkill/the-tables-turned-v0",
            "overkill/purgation-protocols-v0",
            "overkill/alpha-threat-v0",
            "overkill/campaign-v0",
        ),
    ),
    "maze": BuiltIn(
        "broodmind.envs.maze.game",
        ("maze/beacon-v0", "maze/full-hulk-v0", "maze/short-v0"),
    ),
}

_games: dict[str, Game] = {}
"""Registered games by name."""
_owners: dict[str, str] = {}
"""Environment id -> name of its game, in the order of registration."""


def _register_ids(name: str, ids: Iterable[str]) -> None:
    for env_id in ids:
        _owners[env_id] = name
        pettingzoo_registration.register(
            "aec", env_id, "broodmind.envs.core.registration:make", kwargs={"id": env_id}
        )
        gymnasium.register(env_id, "broodmind.envs.core.single:SoloEnv", kwargs={"env_id": env_id})


def register_game(game: Game) -> None:
    """Register a game: its ids become known to `make`, `make_vec`, PettingZoo and Gymnasium.

    Args:
        game: The game; every mission id must begin with ``game.name + "/"``.

    Raises:
        ValueError: A game of that name, or one of the ids, is registered already; or an id has a wrong
            prefix.
    """
    if game.name in _games or game.name in BUILT_IN:
        raise ValueError(f"a game named {game.name!r} is registered already; choose another name")
    ids = [mission.id for mission in game.missions]
    for env_id in ids:
        if env_id in _owners or ids.count(env_id) > 1:
            raise ValueError(f"environment {env_id!r} is registered already; raise its version or rename it")
        if not env_id.startswith(game.name + "/"):
            raise ValueError(f"environment {env_id!r} must be named {game.name}/<mission>-v<version>")
    _games[game.name] = game
    _register_ids(game.name, ids)


def unregister_game(name: str) -> None:
    """Take back a game that `register_game` registered (tests of faulty games need it).

    Raises:
        KeyError: No such game was registered with `register_game`.
    """
    if name in BUILT_IN:
        raise KeyError(f"{name!r} is built in and stays registered")
    del _games[name]
    for env_id in [env_id for env_id, owner in _owners.items() if owner == name]:
        del _owners[env_id]
        del pettingzoo_registration.aec_registry[env_id]
        del gymnasium.registry[env_id]


def env_ids() -> list[str]:
    """Return the ids of all registered environments, those of built-in games first."""
    return list(_owners)


def select_ids(text: str) -> tuple[str, ...]:
    """Return the ids that a selection names: ids and patterns (``"toy/*"``), separated by commas.

    Args:
        text: The selection. Patterns are those of `fnmatch`; their ids come in the order of registration. An id is
            taken as it is given, registered or not.

    Raises:
        UnknownEnvironmentError: A pattern matches no id.
    """
    chosen: dict[str, None] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = fnmatch.filter(_owners, part) if set(part) & set("*?[") else [part]
        if not found:
            raise UnknownEnvironmentError(f"no environment matches {part!r}; known ids: {', '.join(_owners)}")
        chosen |= dict.fromkeys(found)
    return tuple(chosen)


def game_of(env_id: str, data: str | os.PathLike[str] | None = None) -> Game:
    """Return the game of an environment id (imports the module of a built-in game on first use).

    Args:
        env_id: The environment id.
        data: A folder of data files that take the place of the game's own (`Game.with_data`); None: its own.

    Raises:
        UnknownEnvironmentError: No environment has that id; the message suggests the nearest.
        ConfigError: The data cannot be used.
    """
    name = _owners.get(env_id)
    if name is None:
        near = difflib.get_close_matches(str(env_id), _owners, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]!r}?" if near else f"known ids: {', '.join(_owners)}"
        raise UnknownEnvironmentError(f"no environment is called {env_id!r}; {hint}")
    if name not in _games:
        _games[name] = importlib.import_module(BUILT_IN[name].module).GAME
    if data is None:
        return _games[name]
    if not isinstance(data, str | os.PathLike):
        raise ConfigError(f"data={data!r}; expected a folder of data files, or None")
    return _games[name].with_data(data)


def make(
    id: str,
    render_mode: str | None = None,
    layout: str | None = None,
    max_turns: int | None = None,
    illegal_action: str = "raise",
    skip_forced: bool = True,
    data: str | os.PathLike[str] | None = None,
    **mission_options: Any,
) -> BoardEnv:
    """Make an environment.

    Args:
        id: An environment id, one of `env_ids`.
        render_mode: ``"svg"`` and ``"ansi"`` (strings), ``"rgb_array"`` (uint8 picture), ``"human"`` (a
            window), or None: `render` may not be called.
        layout: How the board is laid out: ``"random"`` or ``"standard"`` (the book's picture), as far as the mission
            has them; None for its first.
        max_turns: After how many turns the episode is truncated; 0 for never; None: the mission's own limit.
        illegal_action: What an action outside the mask does: ``"raise"`` raises `IllegalActionError`,
            changing nothing, ``"forfeit"`` loses the game at once, ``"noop"`` changes nothing and asks again.
        skip_forced: Whether decisions with one legal action are taken by the engine.
        data: A folder of data files that take the place of the game's own, for games that read some
            (``docs/data.md``); None: those of the package.
        **mission_options: Further options of the mission (``game.mission(id).options`` lists them).

    Returns:
        A `pettingzoo.AECEnv` without wrappers: ``env.unwrapped is env``.

    Raises:
        UnknownEnvironmentError: No environment has that id.
        ConfigError: An option is unknown or has a value that it cannot take, or the data are wrong.
    """
    from broodmind.envs.core.aec import BoardEnv

    return BoardEnv(
        id,
        render_mode=render_mode,
        layout=layout,
        max_turns=max_turns,
        illegal_action=illegal_action,
        skip_forced=skip_forced,
        data=data,
        **mission_options,
    )


def make_vec(
    id: str | Sequence[str],
    num_envs: int,
    seed: int | None = None,
    num_threads: int | None = None,
    layout: str | None = None,
    max_turns: int | None = None,
    skip_forced: bool = True,
    illegal_action: str = "raise",
    keep_final: bool = False,
    data: str | os.PathLike[str] | None = None,
    **mission_options: Any,
) -> BatchEnv:
    """Make a batch of games that one compiled call steps (see `BatchEnv`).

    Args:
        id: An environment id, one of `env_ids`; or several of one game: game k plays the one at k modulo their number.
        num_envs: How many games.
        seed: Seed of the batch: game k of a batch of any size with this seed plays the same episodes. None:
            from entropy.
        num_threads: How many threads step the games; None: one per CPU that this process may use. Results do
            not depend on it.
        layout: As in `make`.
        max_turns: As in `make`.
        skip_forced: As in `make`.
        illegal_action: As in `make`.
        keep_final: Whether `BatchEnv.final_observation` and `final_info` may be asked for; costs a copy of the states
            per step.
        data: As in `make`.
        **mission_options: As in `make`.

    Raises:
        UnknownEnvironmentError: No environment has that id.
        ConfigError: An option is unknown or has a value that it cannot take; or the ids are of different games.
    """
    from broodmind.envs.core.vec import BatchEnv

    return BatchEnv(
        id,
        num_envs,
        seed,
        num_threads=num_threads,
        layout=layout,
        max_turns=max_turns,
        skip_forced=skip_forced,
        illegal_action=illegal_action,
        keep_final=keep_final,
        data=data,
        **mission_options,
    )


for _name, _built_in in BUILT_IN.items():
    _register_ids(_name, _built_in.ids)
