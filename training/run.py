"""The run directory: everything about a training run, written so that a kill at any moment loses little.

    config.json            the configuration
    versions.json          versions of libraries, identity of the environment's rules
    progress.jsonl         one line per update and per generation
    tensorboard/<agent>/   event files, one per generation
    generations/0007/      what generation 7 left behind; appears whole or not at all (renamed into place)
        <agent>/           the checkpoint: a member of the opponent pool of the other agent
        learner/           <agent>.safetensors and .json: weights, optimizer and games, to go on from
        summary.json       results of the generation

A generation that was under way when the process died leaves a folder ``.0008.partial``, which is thrown away
by the next start. Nothing in a run directory is ever unpickled.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import platform
import shutil
import time
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO, Any

from broodmind.envs.core.errors import BroodmindError, ConfigError
from broodmind.envs.core.game import Game, data_name
from broodmind.envs.core.schema import rules_hash, schema_hash
from broodmind.training.config import LOCAL, TrainingConfig, load_config

LIBRARIES = (
    "broodmind",
    "numpy",
    "numba",
    "torch",
    "stable-baselines3",
    "sb3-contrib",
    "gymnasium",
    "pettingzoo",
)

CAN_CHANGE = (
    "steps",
    "threads",
    "evaluation_games",
    "learning_rate",
    "learning_rate_end",
    "epochs",
    "entropy",
    "entropy_end",
    "target_kl",
    "weight_latest",
    "weight_past",
    "weight_scripted",
    "weight_random",
    *LOCAL,
)
"""Fields that may differ when a run is resumed; all others belong to the run's identity, and so do the data, wherever
they lie.

What was in force when is in ``progress.jsonl`` (lines of kind ``start``) and on the cards of exported checkpoints.
"""


class RunDirectoryError(BroodmindError, OSError):
    """A run directory cannot be written, is in use, or is not one."""

    def __str__(self) -> str:
        return str(self.args[0])


def write_atomically(path: Path, data: bytes | str) -> None:
    """Write a file so that readers, and a crash, see the old content or the new but nothing between."""
    if isinstance(data, str):
        data = data.encode()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
    sync_folder(path.parent)


def write_json(path: Path, data: Any) -> None:
    """Write JSON atomically."""
    write_atomically(path, json.dumps(data, indent=2) + "\n")


def sync_folder(folder: Path) -> None:
    """Make sure that names within a folder are on disk (a no-op where the system cannot)."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that decide a run's results."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "unknown"
    return versions


class RunDirectory:
    """A run directory that is open for training. Use as a context manager: leaving it releases the lock.

    Args:
        path: The directory; created if need be.
        config: The configuration; None to take the one that the directory holds (`resume` only).
        game: The game of the configuration's environments.
        resume: Whether to go on with the run in the directory; a fresh run needs an empty or new directory.

    Attributes:
        config: The configuration in force.
        next_generation: Number of the first generation that is not complete.

    Raises:
        RunDirectoryError: The directory cannot be written, is used by another process, already holds a run
            (without `resume`), or holds none (with `resume`).
        ConfigError: The configuration differs from the run's in a field that may not change.
    """

    def __init__(self, path: str | Path, config: TrainingConfig, game: Game, resume: bool = False) -> None:
        self.path = Path(path)
        self.config = config
        self.game = game
        self._lock: IO[str] | None = None
        self._progress: IO[str] | None = None
        exists = (self.path / "config.json").is_file()
        if resume and not exists:
            raise RunDirectoryError(
                f"{self.path} holds no run to resume; leave out resume to start one there"
            )
        if exists and not resume:
            raise RunDirectoryError(
                f"{self.path} already holds a run; resume it, or choose another run directory"
            )
        if not exists and (foreign := foreign_files(self.path)):
            raise RunDirectoryError(
                f"{self.path} holds no run, but {foreign[0]}; a new run needs a new or empty directory"
            )
        try:
            self.generations.mkdir(parents=True, exist_ok=True)
            self._take_lock()
            if resume:
                self._check_identity()
            self._clean_up()
            write_json(self.path / "versions.json", self._versions())
            # config.json comes last: a directory with it is a run that can be resumed
            write_json(self.path / "config.json", self.config.to_dict())
            self._progress = (self.path / "progress.jsonl").open("a", encoding="utf-8")
            self.log({"kind": "start", "generation": self.next_generation, "config": self.config.to_dict()})
        except OSError as error:
            self.close()
            if isinstance(error, RunDirectoryError):
                raise
            raise RunDirectoryError(
                f"cannot write the run directory {self.path} ({error.strerror or error}); choose another one"
            ) from None
        except ConfigError:
            self.close()
            raise

    # -- places ----------------------------------------------------------------------------------------------

    @property
    def generations(self) -> Path:
        """The folder of generations."""
        return self.path / "generations"

    def generation(self, number: int) -> Path:
        """Return the folder of a complete generation."""
        return self.generations / f"{number:04d}"

    def partial(self, number: int) -> Path:
        """Return the folder in which a generation is gathered until it is complete."""
        return self.generations / f".{number:04d}.partial"

    def tensorboard(self, agent: str) -> Path:
        """Return the folder of an agent's event files."""
        return self.path / "tensorboard" / agent

    @property
    def next_generation(self) -> int:
        """Number of the first generation that is not complete."""
        return completed_generations(self.path)

    # -- writing ---------------------------------------------------------------------------------------------

    def log(self, line: Mapping[str, Any]) -> None:
        """Append a line to ``progress.jsonl``."""
        assert self._progress is not None
        self._progress.write(json.dumps({"time": round(time.time(), 3), **line}) + "\n")
        self._progress.flush()

    def begin_generation(self, number: int) -> Path:
        """Return an empty folder in which a generation can be gathered."""
        folder = self.partial(number)
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "learner").mkdir(parents=True)
        return folder

    def complete_generation(self, number: int, summary: Mapping[str, Any]) -> Path:
        """Put the gathered folder of a generation into its place: from now on it is never lost.

        Learner states older than the previous generation's are deleted; checkpoints stay.
        """
        folder = self.partial(number)
        write_json(folder / "summary.json", summary)
        for path in sorted(folder.rglob("*")):
            if path.is_dir():
                sync_folder(path)
            else:
                with path.open("rb") as file:
                    os.fsync(file.fileno())
        sync_folder(folder)
        os.replace(folder, self.generation(number))
        sync_folder(self.generations)
        assert self._progress is not None
        os.fsync(self._progress.fileno())
        if number >= 2:
            shutil.rmtree(self.generation(number - 2) / "learner", ignore_errors=True)
        return self.generation(number)

    def close(self) -> None:
        """Throw away what is incomplete and release the directory."""
        if self._progress is not None:
            self._progress.close()
            self._progress = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def discard(self) -> None:
        """Remove a run that has no complete generation, so that its place is free for another start."""
        if self.next_generation:
            return
        self.close()
        shutil.rmtree(self.generations, ignore_errors=True)
        shutil.rmtree(self.path / "tensorboard", ignore_errors=True)
        for name in ("config.json", "versions.json", "progress.jsonl", ".lock"):
            (self.path / name).unlink(missing_ok=True)
        with contextlib.suppress(OSError):  # it holds something else, or is somebody's mount: it stays
            self.path.rmdir()

    def __enter__(self) -> RunDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- opening ---------------------------------------------------------------------------------------------

    def _take_lock(self) -> None:
        self._lock = (self.path / ".lock").open("a")
        try:
            import fcntl
        except ImportError:  # not on this system: two runs in one directory stay the user's affair
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RunDirectoryError(
                f"{self.path} is in use by another process; wait for it or choose another run directory"
            ) from None

    def _versions(self) -> dict[str, Any]:
        return {
            "libraries": library_versions(),
            # one for all missions: they share observations and actions, and ids may not change
            "schema_hash": schema_hash(self.game, self.config.env_ids[0]),
            "rules_hash": rules_hash(self.game),
            "data_hash": self.game.data_hash,
        }

    def _check_identity(self) -> None:
        before = load_config(self.path / "config.json")
        for name, value in self.config.to_dict().items():
            was = before.to_dict()[name]
            if value != was and name not in CAN_CHANGE:
                raise ConfigError(
                    f"{name} = {value!r}: the run in {self.path} was begun with {was!r}, and only "
                    f"{', '.join(CAN_CHANGE)} may change when a run is resumed"
                )
        try:
            recorded = json.loads((self.path / "versions.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            recorded = {}
        if recorded.get("schema_hash", "") not in {"", self._versions()["schema_hash"]}:
            raise ConfigError(
                f"{self.path}: observations or actions of {self.config.env_id} have changed since this run "
                "began; start a new one"
            )

        if (before_data := recorded.get("data_hash", "")) != self.game.data_hash:
            raise ConfigError(
                f"{self.path}: this run was begun on {data_name(before_data)}, and {self.config.data or 'data'} now "
                f"holds {data_name(self.game.data_hash)}; give it the data it was begun on, or start a new one"
            )

    def _clean_up(self) -> None:
        """Remove what an interrupted generation left behind."""
        for path in self.generations.glob(".*.partial"):
            shutil.rmtree(path, ignore_errors=True)
        done = self.next_generation
        for path in self.path.glob("tensorboard/*/events.*.generation-*"):
            number = path.name.rpartition("-")[2]
            if number.isdigit() and int(number) >= done:
                path.unlink()
        progress = self.path / "progress.jsonl"
        if progress.is_file():
            kept = [
                json.dumps(line) + "\n"
                for line in read_progress(self.path)
                if line.get("generation", -1) < done
            ]
            write_atomically(progress, "".join(kept))


def foreign_files(path: str | Path) -> list[str]:
    """Return the names in a folder that are not what a start of a run leaves before ``config.json``, sorted."""
    path = Path(path)
    if not path.is_dir():
        return []
    names = sorted(entry.name for entry in path.iterdir())
    leftovers = {".lock", "versions.json"}
    if not any((path / "generations").glob("*")):
        leftovers.add("generations")
    return [
        name for name in names if name not in leftovers and not (name[0] == "." and name.endswith(".tmp"))
    ]


def completed_generations(path: str | Path) -> int:
    """Return how many generations a run directory holds."""
    number = 0
    while (Path(path) / "generations" / f"{number:04d}" / "summary.json").is_file():
        number += 1
    return number


def read_progress(path: str | Path) -> list[dict[str, Any]]:
    """Return the lines of a run's ``progress.jsonl`` (a torn last line is left out)."""
    lines = []
    file = Path(path) / "progress.jsonl"
    if not file.is_file():
        return []
    for text in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            line = json.loads(text)
        except json.JSONDecodeError:
            continue
        if isinstance(line, dict):
            lines.append(line)
    return lines


def earlier_settings(path: str | Path, config: TrainingConfig) -> dict[str, dict[str, Any]]:
    """Return what generations before the last start were trained with, where it differs from `config`.

    Returns:
        The settings that differed, by the generations they held for (``{"0 to 14": {"learning_rate": 0.0002}}``).
    """
    starts = [line for line in read_progress(path) if line.get("kind") == "start"]
    now = config.to_dict()
    found = {}
    for start, following in itertools.pairwise(starts):
        first, last = start["generation"], following["generation"] - 1
        other = {
            name: value
            for name, value in start["config"].items()
            if name not in LOCAL and now.get(name) != value
        }
        if other and last >= first:
            found[f"{first} to {last}"] = other
    return found


def read_summaries(path: str | Path) -> list[dict[str, Any]]:
    """Return the summaries of a run's complete generations, in order.

    Raises:
        RunDirectoryError: The directory holds no run.
    """
    path = Path(path)
    if not (path / "config.json").is_file():
        raise RunDirectoryError(f"{path} holds no training run (no config.json); give a run directory")
    return [
        json.loads((path / "generations" / f"{number:04d}" / "summary.json").read_text(encoding="utf-8"))
        for number in range(completed_generations(path))
    ]
