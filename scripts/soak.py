"""`broodmind soak`: many random decisions, with the positions checked."""

from __future__ import annotations

from typing import Annotated

import typer


def soak(
    env_id: Annotated[str, typer.Argument(metavar="ID", help="Environment id, or 'all'.")],
    decisions: Annotated[int, typer.Option(min=1, help="How many random decisions.")] = 1000000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games and choices.")] = 0,
    games: Annotated[int, typer.Option(min=1, help="Games played at once (in each process).")] = 512,
    every: Annotated[
        int,
        typer.Option(
            min=1,
            help="The game validates all positions after every so many rounds of decisions: 1 is every position, and "
            "takes about twice as long as 2. What holds for all games is checked at every position in any case.",
        ),
    ] = 2,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; one per core if not given.")] = None,
) -> None:
    """Play random decisions and check that every position is legal.

    After each decision the mask is computed anew and compared, and observation, rewards and ends are checked; every
    second position (--every) is validated piece by piece by its game. The first impossible position ends the run
    with exit code 2, what is wrong with it, and the command that comes there again. A million decisions take about
    four minutes on two idle cores.
    """
    import time

    import broodmind
    from broodmind.envs.core.chunks import usable_cpus
    from broodmind.scripts import common
    from broodmind.scripts.soaking import soak_environment

    for one in broodmind.env_ids() if env_id == "all" else [env_id]:
        common.warm_up(one, batch=True)
        started = time.perf_counter()
        with common.counting(one, decisions, "decisions") as show:
            report = soak_environment(one, decisions, seed, games, every, show, jobs or usable_cpus())
        seconds = time.perf_counter() - started
        common.say(
            f"{one}: {report.decisions:,} decisions, {report.checked:,} positions checked, "
            f"{report.games:,} games ended, nothing impossible found ({seconds:.0f} s)"
        )
