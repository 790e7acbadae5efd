"""Replays: a whole game as JSON lines, small enough to mail and exact enough to check every step.

A file holds a header (what was played, from which seed), one line per decision with a hash of the state
after it, and a closing line with the result. Playing the actions again from the seed gives the same hashes
on any machine. A game in progress is saved in the same form; its closing line says that it is not finished.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from broodmind.envs.core.errors import BroodmindError, ReplayError
from broodmind.envs.core.replay_checks import (
    check_options,
    check_step,
    checked_field,
    is_json,
    json_line,
    refuse_other_data,
)

if TYPE_CHECKING:
    from broodmind.envs.core.aec import BoardEnv

FORMAT = 1
"""Version of the file format; readers refuse others."""


class Player(Protocol):
    """Someone who chooses in an AEC environment when it is their turn."""

    spec: str

    def choose(self, env: BoardEnv) -> int:
        """Return a legal action for ``env.agent_selection``."""


@dataclass(frozen=True)
class Step:
    """One decision of a replay.

    Args:
        agent: Who decided.
        action: The action id.
        name: The action in words, for people who read the file.
        state: Hash of the state after it (`state_hash`).
        dice: Planned rolls that were fed before it (dice rolled by people at a table), usually none.
    """

    agent: str
    action: int
    name: str
    state: str
    dice: tuple[int, ...] = ()


@dataclass
class Replay:
    """A game from its seed to its end, or to where it was saved.

    Args:
        env_id: The environment id.
        seed: The seed given to ``reset``.
        options: Keyword arguments of ``make``, JSON-able (``{"layout": "standard"}``).
        reset_options: Options of ``reset`` other than those, JSON-able.
        policies: Spec of the policy of each agent, as far as known.
        start: Hash of the state after ``reset``.
        steps: The decisions in order.
        result: The closing line: ``finished``, ``truncated``, ``turns`` and ``rewards`` by agent.
        broodmind: Version of the package that recorded it.
        rules: Hash of the rules' sources that recorded it (informative: other sources may play the same
            game).
        data: Hash of the data that took the place of the packaged ones (`Game.data_hash`); empty: none did.
        folder: Where those data lie here; no file says it.
    """

    env_id: str
    seed: int
    options: dict[str, Any] = field(default_factory=dict)
    reset_options: dict[str, Any] = field(default_factory=dict)
    policies: dict[str, str] = field(default_factory=dict)
    start: str = ""
    steps: list[Step] = field(default_factory=list)
    result: dict[str, Any] = field(default_factory=dict)
    broodmind: str = ""
    rules: str = ""
    data: str = ""
    folder: str | None = None

    @property
    def finished(self) -> bool:
        """Whether the game was played to its end."""
        return bool(self.result.get("finished", False))


@dataclass(frozen=True)
class Verification:
    """What a re-simulation found.

    Args:
        matches: Whether every state came out as recorded.
        steps: How many decisions came out as recorded.
        message: One sentence for people; where something differs it names the first step that does.
        differs_at: Number of the first step that differs, from 1 (0: the start position); None if none does.
    """

    matches: bool
    steps: int
    message: str
    differs_at: int | None = None


# -- hashes and versions -------------------------------------------------------------------------------------


def state_hash(env: BoardEnv) -> str:
    """Return a hash (16 hexadecimal digits) of the whole state record, generator included."""
    return env.state_hash()[:16]


def package_version() -> str:
    """Return the version of the installed package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("broodmind")
    except PackageNotFoundError:  # run from a source tree that was never installed
        return "0+source"


def rules_of(env_id: str) -> str:
    """Return the first 16 digits of the hash of the sources of an environment's rules."""
    from broodmind.envs.core.registration import game_of
    from broodmind.envs.core.schema import rules_hash

    return rules_hash(game_of(env_id))[:16]


# -- files ---------------------------------------------------------------------------------------------------


def write_atomically(path: str | os.PathLike[str], data: str | bytes) -> Path:
    """Write a file so that readers see the old content or the whole new one, never a part.

    Args:
        path: Where to write; missing folders are made.
        data: Text (written as UTF-8) or bytes.

    Returns:
        The path.

    Raises:
        ReplayError: The file cannot be written there.
    """
    target = Path(path)
    payload = data.encode() if isinstance(data, str) else data
    temporary = ""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_dir():
            raise IsADirectoryError(f"{target} is a folder")
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(payload)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; a result is an ordinary file of its user
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
        temporary = ""
    except OSError as error:
        reason = error.strerror or str(error)
        raise ReplayError(f"cannot write {target}: {reason}; choose another file or folder") from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
    return target


def to_lines(replay: Replay) -> str:
    """Return the text of a replay file (JSON lines)."""
    lines: list[dict[str, Any]] = [
        {
            "kind": "header",
            "format": FORMAT,
            "broodmind": replay.broodmind or package_version(),
            "rules": replay.rules or rules_of(replay.env_id),
            "env": replay.env_id,
            "seed": replay.seed,
            "options": replay.options,
            "reset_options": replay.reset_options,
            "policies": replay.policies,
            "state": replay.start,
            **({"data": replay.data} if replay.data else {}),
        }
    ]
    for number, step in enumerate(replay.steps, 1):
        line: dict[str, Any] = {"kind": "step", "step": number, "agent": step.agent}
        if step.dice:
            line["dice"] = list(step.dice)
        lines.append({**line, "action": step.action, "name": step.name, "state": step.state})
    lines.append({"kind": "end", "steps": len(replay.steps), **replay.result})
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def write(replay: Replay, path: str | os.PathLike[str]) -> Path:
    """Write a replay file atomically and return its path.

    Raises:
        ReplayError: The file cannot be written there.
    """
    return write_atomically(path, to_lines(replay))


def _header(path: Path, line: Mapping[str, Any]) -> Replay:
    """Read the first line of a replay file."""
    if line["kind"] != "header":
        raise ReplayError(f"{path} is not a replay: its first line is no header")
    if line.get("format") != FORMAT:
        raise ReplayError(
            f"{path} has replay format {line.get('format')!r}, this version reads {FORMAT}; "
            f"it was written by broodmind {line.get('broodmind', '(unknown)')}"
        )
    from broodmind import env_ids

    env_id = checked_field(path, 1, line, "env", str)
    if env_id not in env_ids():
        raise ReplayError(
            f"{path} is a replay of {env_id}, which this installation does not have; "
            f"it has: {', '.join(env_ids())}"
        )
    options = dict(checked_field(path, 1, line, "options", dict))
    check_options(env_id, options, f"{path}: ")
    return Replay(
        env_id=env_id,
        seed=checked_field(path, 1, line, "seed", int),
        options=options,
        reset_options=dict(checked_field(path, 1, line, "reset_options", dict)),
        policies=dict(checked_field(path, 1, line, "policies", dict)),
        start=checked_field(path, 1, line, "state", str),
        broodmind=str(line.get("broodmind", "")),
        rules=str(line.get("rules", "")),
        data=str(line.get("data", "")),
    )


def read(
    path: str | os.PathLike[str],
    allow_truncated: bool = False,
    data: str | os.PathLike[str] | None = None,
) -> Replay:
    """Read a replay file.

    Args:
        path: The file.
        allow_truncated: Return what is there of a file whose end is missing, instead of refusing it.
        data: The data that it was played on, as `broodmind.make` takes it.

    Raises:
        ReplayError: The file is missing, damaged, foreign, of another format or played on other data; the message
            names the line.
    """
    source = Path(path)
    try:
        text = source.read_bytes().decode()
    except OSError as error:
        raise ReplayError(f"cannot read {source}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ReplayError(f"{source} is not a replay: it is no text file") from error
    from broodmind.envs.core.registration import game_of

    rows = [(number, row) for number, row in enumerate(text.split("\n"), 1) if row.strip()]
    if not rows:
        raise ReplayError(f"{source} is empty; a replay has a header line, a line per step and an end line")
    replay = _header(source, json_line(source, *rows[0]))
    game = game_of(replay.env_id, data)
    refuse_other_data(replay.env_id, replay.data, game, f"{source}: ")
    replay.folder = None if data is None else os.fspath(data)
    for number, row in rows[1:]:
        last = number == rows[-1][0]
        if last and not text.endswith("\n") and not is_json(row):
            break  # cut in the middle of a line: truncated rather than malformed
        line = json_line(source, number, row)
        if line["kind"] == "end":
            count = checked_field(source, number, line, "steps", int)
            if count != len(replay.steps):
                raise ReplayError(f"{source} holds {len(replay.steps)} steps, its end line says {count}")
            if not last:
                raise ReplayError(f"{source}, line {number}: the game ends here, but more lines follow")
            replay.result = {key: value for key, value in line.items() if key not in {"kind", "steps"}}
            return replay
        if line["kind"] != "step" or line.get("step") != len(replay.steps) + 1:
            raise ReplayError(f"{source}, line {number}: step {len(replay.steps) + 1} was expected here")
        dice = line.get("dice", [])
        if not isinstance(dice, list) or any(not isinstance(roll, int) for roll in dice):
            raise ReplayError(f"{source}, line {number}: 'dice' must be a list of whole numbers")
        replay.steps.append(
            Step(
                agent=checked_field(source, number, line, "agent", str),
                action=checked_field(source, number, line, "action", int),
                name=checked_field(source, number, line, "name", str),
                state=checked_field(source, number, line, "state", str),
                dice=tuple(dice),
            )
        )
        check_step(game, replay.steps[-1], f"{source}, line {number}: ")
    if allow_truncated:
        replay.result = {"finished": False}
        return replay
    raise ReplayError(
        f"{source} is truncated: its end line is missing after step {len(replay.steps)}; "
        "copy the whole file again, or record the game anew"
    )


# -- recording -----------------------------------------------------------------------------------------------


class Recorder:
    """Follows a game in an AEC environment and keeps its replay.

    Every decision goes through :meth:`step`, which steps the environment and notes the state after it.

    Args:
        env: The environment, unwrapped.
        options: Keyword arguments that made it.
        policies: Spec of each agent's policy.
    """

    def __init__(
        self,
        env: BoardEnv,
        options: Mapping[str, Any] | None = None,
        policies: Mapping[str, str] | None = None,
    ) -> None:
        self.env = env
        self._options = dict(options or {})
        self._folder = self._options.pop("data", None)
        self._policies = dict(policies or {})
        self.replay = Replay(env_id=env.env_id, seed=0)

    def reset(self, seed: int, reset_options: Mapping[str, Any] | None = None) -> None:
        """Reset the environment and begin a new replay."""
        self.env.reset(seed=seed, options=dict(reset_options or {}))
        self.replay = Replay(
            env_id=self.env.env_id,
            seed=seed,
            options=self._options,
            reset_options=dict(reset_options or {}),
            policies=self._policies,
            start=state_hash(self.env),
            result=result_of(self.env),
            broodmind=package_version(),
            rules=rules_of(self.env.env_id),
            data=self.env.game.data_hash,
            folder=None if self._folder is None else os.fspath(self._folder),
        )

    def step(self, action: int, dice: Sequence[int] = ()) -> None:
        """Take an action for the agent to act.

        Args:
            action: A legal action.
            dice: Rolls that were fed to the environment for this action (they must be queued already).
        """
        agent = self.env.agent_selection
        name = self.env.describe_action(action)
        self.env.step(action)
        self.replay.steps.append(Step(agent, int(action), name, state_hash(self.env), tuple(dice)))
        self.replay.result = result_of(self.env)


def result_of(env: BoardEnv) -> dict[str, Any]:
    """Return the closing line of a replay for the position an environment is in."""
    core = env.states["core"][0]
    finished = bool(core["over"])
    points = float(core["result"]) / 2 if finished else 0.0
    first, second = env.possible_agents
    return {
        "finished": finished,
        "truncated": bool(core["truncated"]),
        "turns": int(core["turn"]),
        "rewards": {first: points, second: 0.0 - points},
    }


def record(
    env_id: str,
    players: Mapping[str, Player],
    seed: int,
    options: Mapping[str, Any] | None = None,
) -> Replay:
    """Let two players play one game in the AEC environment and return its replay.

    Args:
        env_id: The environment id.
        players: Who plays each agent.
        seed: Seed of the game.
        options: Keyword arguments of ``make``.

    Raises:
        BroodmindError: An unknown environment or option, or an illegal choice of a player.
        ReplayError: An agent has no player.
    """
    import broodmind

    env = broodmind.make(env_id, **dict(options or {})).unwrapped
    missing = [agent for agent in env.possible_agents if agent not in players]
    if missing:
        raise ReplayError(
            f"nobody plays {' and '.join(missing)}; the agents are {', '.join(env.possible_agents)}"
        )
    recorder = Recorder(env, options, {agent: players[agent].spec for agent in env.possible_agents})
    recorder.reset(seed)
    while not env.states["core"]["over"][0]:
        recorder.step(players[env.agent_selection].choose(env))
    return recorder.replay


# -- playing again -------------------------------------------------------------------------------------------


def simulate(replay: Replay, check: bool = True) -> Iterator[tuple[int, BoardEnv]]:
    """Play a replay again, yielding (number of decisions taken, environment) from the start position on.

    Args:
        replay: The replay.
        check: Whether to refuse a state that differs from the recorded one.

    Raises:
        ReplayError: A step cannot be played or (with `check`) leads to another state; the message names it.
    """
    import broodmind

    check_options(replay.env_id, replay.options, "")
    try:
        env = broodmind.make(replay.env_id, data=replay.folder, **replay.options).unwrapped
        refuse_other_data(replay.env_id, replay.data, env.game, "")
        env.reset(seed=replay.seed, options=dict(replay.reset_options))
    except (BroodmindError, TypeError) as error:
        raise ReplayError(f"the game of this replay cannot be set up: {error}") from error
    if check and state_hash(env) != replay.start:
        raise DifferenceError(
            0, _difference(replay, 0, f"it gives {state_hash(env)}, the file says {replay.start}")
        )
    yield 0, env
    for number, step in enumerate(replay.steps, 1):
        if env.states["core"]["over"][0]:
            raise DifferenceError(number, _difference(replay, number, "the game is already over before it"))
        if env.agent_selection != step.agent:
            raise DifferenceError(
                number, _difference(replay, number, f"it is {env.agent_selection}'s decision")
            )
        try:
            if step.dice:
                env.feed_dice(list(step.dice))
            env.step(step.action)
        except BroodmindError as error:
            raise DifferenceError(number, _difference(replay, number, str(error))) from error
        if check and state_hash(env) != step.state:
            found = f"the state after it is {state_hash(env)}, the file says {step.state}"
            raise DifferenceError(number, _difference(replay, number, found))
        yield number, env


class DifferenceError(ReplayError):
    """A re-simulation came to another state than the file.

    Attributes:
        step: Number of the first step that differs, from 1 (0: the start position).
    """

    def __init__(self, step: int, message: str) -> None:
        super().__init__(message)
        self.step = step


def _difference(replay: Replay, number: int, found: str) -> str:
    """Say which step differs and how, and whether other rules may be the cause."""
    if number:
        step = replay.steps[number - 1]
        text = f"step {number} ({step.agent}: {step.name}) differs: {found}"
    else:
        text = f"the start position differs: {found}"
    remark = rules_remark(replay)
    return f"{text} ({remark})" if remark else text


def rules_remark(replay: Replay) -> str:
    """Return a remark that a replay was recorded under other sources of the rules; nothing if it was not."""
    if not replay.rules or replay.rules == rules_of(replay.env_id):
        return ""
    return f"recorded under other sources of the rules: {replay.rules}, broodmind {replay.broodmind}"


def verify(source: str | os.PathLike[str] | Replay) -> Verification:
    """Play a replay again and compare every state and the result with the file.

    Args:
        source: A replay file, or a replay in memory.

    Raises:
        ReplayError: The file cannot be read (a game that comes out differently is no error but the answer).
    """
    replay = source if isinstance(source, Replay) else read(source)
    number = 0
    env = None
    try:
        for number, env in simulate(replay):  # noqa: B007 - the last values are used below
            pass
    except DifferenceError as difference:
        return Verification(False, max(difference.step - 1, 0), str(difference), difference.step)
    if env is not None and (found := result_of(env)) != replay.result:
        message = (
            f"all {number} steps match, but the result differs: it is {found}, the file says {replay.result}"
        )
        return Verification(False, number, message, number)
    return Verification(True, number, f"all {number} steps and the result come out as recorded")
