"""`broodmind soak`: many random decisions, with every position checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


def soak(
    env_id: Annotated[str, typer.Argument(metavar="ID", help="Environment id, or 'all'.")],
    decisions: Annotated[int, typer.Option(min=1, help="How many random decisions.")] = 1000000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games and choices.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Games played at once.")] = 512,
    every: Annotated[
        int,
        typer.Option(
            min=1, help="Check every game after each such number of rounds; 1 checks every position."
        ),
    ] = 1,
) -> None:
    """Play random decisions and check that every position is legal.

    After each decision the position is validated and the mask compared with what the environment says. The
    first impossible position ends the run with its seed and what is wrong with it.
    """
    import functools
    import time

    import broodmind
    from broodmind.scripts import common
    from broodmind.scripts.soaking import soak_environment

    for one in broodmind.env_ids() if env_id == "all" else [env_id]:
        common.warm_up(one, batch=True)
        started = time.perf_counter()
        with common.progress() as bar:
            task = bar.add_task(one, total=decisions)
            report = soak_environment(one, decisions, seed, games, every, functools.partial(_show, bar, task))
        seconds = time.perf_counter() - started
        common.say(
            f"{one}: {report.decisions:,} decisions, {report.checked:,} positions checked, "
            f"{report.games:,} games ended, nothing impossible found ({seconds:.0f} s)"
        )


def _show(bar: Progress, task: TaskID, done: int) -> None:
    """Advance the bar."""
    bar.update(task, completed=done)
