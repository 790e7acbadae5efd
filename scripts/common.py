"""What the commands share: consoles, the notice of a cold compile, and reading who plays which seat."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from broodmind.envs.core.errors import ConfigError, PolicySpecError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from broodmind.envs.core.game import Game


def console(stderr: bool = False) -> Console:
    """Return a console on the present stdout or stderr (made anew, since tests replace those)."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=True)


def progress() -> Progress:
    """Return a progress display on stderr, if that is a terminal: bar, count, elapsed and remaining time."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    output = console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=output,
        disable=not output.is_terminal,  # files and CI get the results only
    )


class TakeBack(Exception):  # noqa: N818  # no error: what somebody wants
    """Raised where a roll is asked for: no roll, but back to the decision before."""


PULSE = 30.0
"""Seconds between two lines of progress where there is no terminal."""


@contextmanager
def counting(what: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Show on stderr how far something is: a bar on a terminal, else (files, CI) a line now and then.

    Args:
        what: What is done.
        total: How much there is to do.
        unit: What is counted.

    Returns:
        A function to call with the amount done so far.
    """
    output = console(stderr=True)
    started = told = time.perf_counter()
    with progress() as bars:
        task = bars.add_task(what, total=total)

        def show(done: int) -> None:
            nonlocal told
            bars.update(task, completed=done)
            now = time.perf_counter()
            if not output.is_terminal and now - told >= PULSE and 0 < done < total:
                told = now
                left = (now - started) * (total - done) / done
                output.print(f"{what}: {done:,} of {total:,} {unit}, about {left:,.0f} s left")

        yield show


# -- the first compile ---------------------------------------------------------------------------------------


PATIENCE = 2.0
"""Seconds before a start is called a compile: loading what lies in the cache is quicker."""


def _mark(game: Game, batch: bool) -> Path:
    """Return the file that says, within the cache of the present sources, that a game was made ready."""
    from broodmind.envs.core.compiled import cache_folder

    return cache_folder(game.name) / f"{game.name}{'-batch' if batch else ''}.ready"


@contextmanager
def compile_notice(game: Game, batch: bool = False, seconds: int = 60) -> Iterator[None]:
    """Tell people on stderr that the rules of a game are being compiled, while the block runs.

    Prints nothing if a command made them ready before, or if the block is quick. On a terminal the elapsed
    time runs along; elsewhere (files, CI) one line is printed at the beginning and one at the end.

    Args:
        game: The game that the block makes ready.
        batch: Whether it makes the batch ready, too.
        seconds: How long it takes at most, for the notice.
    """
    from broodmind.envs.core.compiled import INTERPRETED

    if INTERPRETED or _mark(game, batch).exists():
        yield
        return
    output = console(stderr=True)
    message = f"compiling the rules of {game.name} (once per version, about {seconds} s)..."
    started = time.perf_counter()
    done = threading.Event()

    def tell() -> None:
        if done.wait(PATIENCE):
            return
        if not output.is_terminal:
            output.print(message)
            return
        with output.status(message) as status:
            while not done.wait(0.5):
                status.update(f"{message} {time.perf_counter() - started:.0f} s")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()
    elapsed = time.perf_counter() - started
    if elapsed >= PATIENCE:
        output.print(f"compiled the rules of {game.name} in {elapsed:.1f} s")
    with suppress(OSError):  # a cache that cannot be written compiles, and says so, each time
        mark = _mark(game, batch)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()


def warm_up(env_id: str, batch: bool = False) -> None:
    """Make sure that the kernels of an environment are compiled, with a notice if that takes long.

    Args:
        env_id: The environment id.
        batch: Whether the batch will be used too.

    Raises:
        UnknownEnvironmentError: No environment has that id.
    """
    import numpy as np

    import broodmind

    env = broodmind.make(env_id).unwrapped
    with compile_notice(env.game, batch):
        env.reset(seed=0)
        env.step(env.legal_actions()[0])
        if batch:
            vector = broodmind.make_vec(env_id, num_envs=1, seed=0)
            vector.reset()
            vector.step(np.array([int(np.flatnonzero(vector.mask[0])[0])]))


# -- who plays -----------------------------------------------------------------------------------------------


def parse_seats(text: str, agents: Sequence[str], default: str | None = None) -> dict[str, str]:
    """Read who plays which seat from ``"ultramarines_0=scripted;tyranids_0=random"``.

    Args:
        text: The option's text; entries are separated by semicolons, in any order.
        agents: The agents of the environment.
        default: Spec for agents that are not named; None: all must be.

    Raises:
        PolicySpecError: An entry is malformed, an agent unknown, named twice or missing.
    """
    example = ";".join(f"{agent}=scripted" for agent in agents)
    seats: dict[str, str] = {}
    for entry in filter(None, (part.strip() for part in text.split(";"))):
        agent, equals, spec = (part.strip() for part in entry.partition("="))
        if not equals or not spec:
            raise PolicySpecError(f"cannot read the seat {shorten(entry)!r}; write for example {example!r}")
        check_agent(agent, agents)
        if agent in seats:
            raise PolicySpecError(f"{agent} is named twice in {shorten(text)!r}")
        seats[agent] = spec
    for agent in agents:
        if agent not in seats:
            if default is None:
                raise PolicySpecError(f"nobody plays {agent}; write for example {example!r}")
            seats[agent] = default
    return seats


def shorten(text: str, length: int = 60) -> str:
    """Return what somebody typed, for a message: the beginning of it if it is long."""
    return text if len(text) <= length else f"{text[:length]}... ({len(text):,} characters)"


def check_agent(agent: str, agents: Sequence[str]) -> str:
    """Return an agent's name if the environment has it.

    Raises:
        PolicySpecError: It has not; the message names those it has, and the nearest.
    """
    if agent in agents:
        return agent
    from difflib import get_close_matches

    near = get_close_matches(agent, agents, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise PolicySpecError(
        f"there is no agent {shorten(agent)!r} here, the agents are {', '.join(agents)}{hint}"
    )


def game_options(layout: str | None, max_turns: int | None, data: Path | None = None) -> dict[str, Any]:
    """Return the keyword arguments of ``make`` that were asked for on the command line."""
    options: dict[str, Any] = {}
    if layout is not None:
        options["layout"] = layout
    if max_turns is not None:
        options["max_turns"] = max_turns
    if data is not None:
        options["data"] = str(data)
    return options


def check_writable(path: Path) -> None:
    """Make sure, before hours of work, that a file can be written later.

    Raises:
        ConfigError: Its folder cannot be made or written to.
    """
    import os

    folder = path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
    except OSError as error:
        raise ConfigError(f"cannot write {path}: {error.strerror or error}; choose another place") from error
    if not os.access(folder, os.W_OK):
        raise ConfigError(f"cannot write {path}: the folder is not writable; choose another place")


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f}%"


def interval(low: float, high: float) -> str:
    """Return a confidence interval of a share, in percent."""
    return f"{100 * low:.1f}-{100 * high:.1f}"


def say(*lines: str) -> None:
    """Print plain lines on stdout."""
    for line in lines:
        print(line, file=sys.stdout)


def describe_specs(policies: Mapping[str, str]) -> str:
    """Return "ultramarines_0: scripted, tyranids_0: random"."""
    return ", ".join(f"{agent}: {spec}" for agent, spec in policies.items())
