"""`broodmind evaluate`: how often who wins, with intervals."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broodmind.envs.core.errors import BroodmindError, CheckpointError, ConfigError, PolicySpecError

if TYPE_CHECKING:
    from broodmind.agents import Policy


def evaluate(
    env_id: Annotated[str, typer.Argument(metavar="ID", help="Environment id.")],
    seats: Annotated[
        str | None,
        typer.Option(
            metavar="AGENT=SPEC;AGENT=SPEC",
            help="Who plays which seat: random, scripted, search:N, checkpoint:NAME.",
        ),
    ] = None,
    matrix: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC,SPEC,...", help="Play every one of these policies in each seat against every other."
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games (of each pairing).")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same table.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the result, as JSON (.json) or Markdown (.md)."),
    ] = None,
    layout: Annotated[str, typer.Option(help="Layout of the boards.")] = "random",
    max_turns: Annotated[
        int | None, typer.Option(min=0, help="Turns after which a game is a draw; 0 for no limit.")
    ] = None,
    num_envs: Annotated[
        int, typer.Option(min=1, help="Games played at once (changes the speed only).")
    ] = 256,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads that step the games; one per core if not given.")
    ] = None,
) -> None:
    """Let policies play many games and print win, draw and loss per seat with 95% intervals.

    Example: broodmind evaluate macragge/crash-site-v0 --seats "ultramarines_0=scripted;tyranids_0=random"
    """
    from broodmind.agents import make_policy
    from broodmind.envs.core.registration import game_of
    from broodmind.scripts import common
    from broodmind.training import evaluate as evaluation

    agents = game_of(env_id).agents
    if not seats and not matrix:
        example = ";".join(f"{agent}=scripted" for agent in agents)
        raise PolicySpecError(
            f'say who plays: --seats "{example}", or --matrix random,scripted for a whole table'
        )
    if out is not None:
        if out.suffix not in {".json", ".md"}:
            raise ConfigError(f"--out {out}: the name says what to write, so it must end in .json or .md")
        common.check_writable(out)
    specs = common.parse_seats(seats, agents) if seats else {}
    players = {agent: make_policy(spec, env_id, agent) for agent, spec in specs.items()}
    rows, columns = seat_policies(env_id, split_specs(matrix)) if matrix else ([], [])
    options: dict[str, Any] = {
        "layout": layout,
        "max_turns": max_turns,
        "num_envs": num_envs,
        "num_threads": threads,
    }
    common.warm_up(env_id, batch=True)
    output = common.console()
    found: dict[str, Any] = {}
    markdown: list[str] = []
    with common.progress() as bars:
        task = bars.add_task("games", total=games * (bool(seats) + len(rows) * len(columns)))

        def after(before: int) -> Any:
            return lambda done: bars.update(task, completed=before + done)

        if players:
            match = evaluation.evaluate(env_id, players, games, seed, on_progress=after(0), **options)
            found |= match.to_dict()
            markdown.append(match.to_markdown())
        if rows:
            table = evaluation.payoff_matrix(
                env_id, rows, columns, games, seed, on_progress=after(games if players else 0), **options
            )
            found = {**found, "matrix": table.to_dict()} if players else table.to_dict()
            markdown.append(table.to_markdown())
        bars.update(task, completed=bars.tasks[0].total)
    if players:
        output.print(match.to_table())
    if rows:
        output.print(table.to_table())
    if out is not None:
        from broodmind.envs.core.replay import write_atomically

        text = "\n".join(markdown) if out.suffix == ".md" else json.dumps(found, indent=2) + "\n"
        common.say(f"written: {write_atomically(out, text)}")


def split_specs(text: str) -> list[str]:
    """Return the specs of a list separated by commas or semicolons.

    Raises:
        PolicySpecError: There are none.
    """
    specs = list(dict.fromkeys(part.strip() for part in re.split("[,;]", text) if part.strip()))
    if not specs:
        raise PolicySpecError("the list of policies is empty; write for example random,scripted")
    return specs


def seat_policies(env_id: str, specs: Sequence[str]) -> tuple[list[Policy], list[Policy]]:
    """Make the policies of both seats; a checkpoint that exists for one seat only plays that one.

    Raises:
        PolicySpecError: A spec cannot be read.
        CheckpointError: A checkpoint can be used in neither seat.
    """
    from broodmind.agents import make_policy
    from broodmind.envs.core.registration import game_of

    seats: tuple[list[Policy], list[Policy]] = ([], [])
    for spec in specs:
        refused: list[BroodmindError] = []
        for policies, agent in zip(seats, game_of(env_id).agents):
            try:
                policies.append(make_policy(spec, env_id, agent))
            except CheckpointError as error:
                refused.append(error)
        if len(refused) == 2:
            raise refused[0]
    return seats
