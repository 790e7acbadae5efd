"""`broodmind evaluate`: how often who wins, with intervals."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from broodmind.envs.core.errors import BroodmindError, CheckpointError, ConfigError, PolicySpecError

if TYPE_CHECKING:
    from broodmind.agents import Policy
    from broodmind.training.results import MatchResult, PayoffMatrix


def evaluate(
    env_id: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="Environment id, or several missions of a game: a pattern such as 'macragge/*', or ids separated "
            "by commas.",
        ),
    ],
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
    campaign: Annotated[
        bool,
        typer.Option(
            "--campaign",
            help="Play the campaign of the game: all its missions in one episode (ID: the game, or one of its ids).",
        ),
    ] = False,
    games: Annotated[int, typer.Option(min=1, help="Games (of each pairing).")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed; the same seed gives the same table.")] = 0,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the result, as JSON (.json) or Markdown (.md)."),
    ] = None,
    layout: Annotated[
        str | None, typer.Option(help="Layout of the boards; the first that a mission has, if not given.")
    ] = None,
    max_turns: Annotated[
        int | None, typer.Option(min=0, help="Turns after which a game is a draw; 0 for no limit.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER", help="Data files that take the place of the game's own (docs/data.md)."
        ),
    ] = None,
    num_envs: Annotated[
        int, typer.Option(min=1, help="Games played at once (changes the speed only).")
    ] = 256,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads that step the games; one per core if not given.")
    ] = None,
) -> None:
    """Let policies play many games and print win, draw and loss per seat with 95% intervals.

    Of several missions there is a table each, in which missions held out of a policy's training are marked, and
    one of their mean. Of a campaign there are also the means of what its end tells, such as victories and ratings.

    Example: broodmind evaluate macragge/crash-site-v0 --seats "ultramarines_0=scripted;tyranids_0=random"
    """
    from broodmind.agents import make_policy
    from broodmind.envs.core.registration import select_ids
    from broodmind.envs.core.schema import shared_game
    from broodmind.scripts import common
    from broodmind.training import evaluate as evaluation

    ids = (campaign_of(env_id),) if campaign else select_ids(env_id)
    agents = shared_game(ids, data).agents
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
    players = {
        name: {agent: make_policy(spec, name, agent, data) for agent, spec in specs.items()} for name in ids
    }
    seated = {name: seat_policies(name, split_specs(matrix), data) if matrix else ([], []) for name in ids}
    check_alike(seated)
    options: dict[str, Any] = {
        "layout": layout,
        "max_turns": max_turns,
        "data": data,
        "num_envs": num_envs,
        "num_threads": threads,
    }
    common.warm_up(ids[0], batch=True)
    results: list[Report] = []
    with common.progress() as bars:
        pairings = sum(bool(specs) + len(rows) * len(columns) for rows, columns in seated.values())
        task = bars.add_task("games", total=games * pairings)
        played = 0

        def show(done: int) -> None:
            bars.update(task, completed=played + done)

        for name in ids:
            report = Report()
            if specs:
                report.match = evaluation.evaluate(
                    name, players[name], games, seed, on_progress=show, **options
                )
                played += games
            rows, columns = seated[name]
            if matrix:
                report.matrix = evaluation.payoff_matrix(
                    name, rows, columns, games, seed, on_progress=show, **options
                )
                played += games * len(rows) * len(columns)
            results.append(report)
        bars.update(task, completed=bars.tasks[0].total)
    averages = means(results) if len(results) > 1 else []
    output = common.console()
    for report in (*results, *averages):
        for part in report.parts():
            output.print(part.to_table())
            for ends in part.final_tables():
                output.print(ends)
    if out is not None:
        from broodmind.envs.core.replay import write_atomically

        if out.suffix == ".md":
            text = "\n".join(
                part.to_markdown() for report in (*results, *averages) for part in report.parts()
            )
        else:
            found = [report.to_dict() for report in results]
            several = {"missions": found, "means": [report.to_dict() for report in averages]}
            text = json.dumps(several if averages else found[0], indent=2) + "\n"
        common.say(f"written: {write_atomically(out, text)}")


def campaign_of(env_id: str) -> str:
    """Return the id of a game's campaign.

    Args:
        env_id: The name of the game, or one of its ids.

    Raises:
        ConfigError: The game has no campaign.
    """
    from broodmind.envs.core.registration import env_ids
    from broodmind.envs.core.schema import env_folder

    game = env_id.partition("/")[0]
    campaigns = {
        known.partition("/")[0]: known for known in env_ids() if env_folder(known).endswith("/campaign")
    }
    if game not in campaigns:
        raise ConfigError(f"{env_id}: no campaign; games with one: {', '.join(campaigns) or 'none'}")
    return campaigns[game]


@dataclass
class Report:
    """What was found in one mission: the match of ``--seats``, the table of ``--matrix``, or both."""

    match: MatchResult | None = None
    matrix: PayoffMatrix | None = None

    def parts(self) -> list[MatchResult | PayoffMatrix]:
        """Return what there is."""
        return [part for part in (self.match, self.matrix) if part is not None]

    @property
    def held_out(self) -> bool:
        """Whether the mission was held out of some policy's training."""
        return any(part.held_out for part in self.parts())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able values; a matrix beside a match is under ``matrix``."""
        found, *more = (part.to_dict() for part in self.parts())
        return {**found, "matrix": more[0]} if more else found


def means(reports: Sequence[Report]) -> list[Report]:
    """Return the mean over all missions, then, if some were held out, that over the others."""
    from broodmind.training.means import mean_match, mean_matrix

    groups = {f"mean of {len(reports)} missions": list(reports)}
    trained = [report for report in reports if not report.held_out]
    if 1 < len(trained) < len(reports):
        groups[f"mean of the {len(trained)} missions not held out"] = trained
    averages = []
    for name, group in groups.items():
        matches = [report.match for report in group if report.match is not None]
        matrices = [report.matrix for report in group if report.matrix is not None]
        averages.append(
            Report(
                mean_match(matches, name) if matches else None,
                mean_matrix(matrices, name) if matrices else None,
            )
        )
    return averages


def check_alike(seated: Mapping[str, tuple[list[Policy], list[Policy]]]) -> None:
    """Refuse policies that play a seat in one mission but not in another: their tables would have no mean.

    Raises:
        PolicySpecError: There is one; the message names it and both missions.
    """
    (first, seats), *others = seated.items()
    for env_id, other in others:
        for one, two in zip(seats, other, strict=True):
            for policy in {policy.spec for policy in one} ^ {policy.spec for policy in two}:
                raise PolicySpecError(
                    f"{policy} plays a seat in one of {first} and {env_id} that it does not play in the other; "
                    "evaluate them one by one"
                )


def split_specs(text: str) -> list[str]:
    """Return the specs of a list separated by commas or semicolons.

    Raises:
        PolicySpecError: There are none.
    """
    specs = list(dict.fromkeys(part.strip() for part in re.split("[,;]", text) if part.strip()))
    if not specs:
        raise PolicySpecError("the list of policies is empty; write for example random,scripted")
    return specs


def seat_policies(
    env_id: str, specs: Sequence[str], data: Path | None = None
) -> tuple[list[Policy], list[Policy]]:
    """Make the policies of both seats; a checkpoint that exists for one seat only plays that one.

    Raises:
        PolicySpecError: A spec cannot be read, or nobody plays a seat.
        CheckpointError: A checkpoint can be used in neither seat.
    """
    from broodmind.agents import make_policy
    from broodmind.envs.core.registration import game_of

    seats: tuple[list[Policy], list[Policy]] = ([], [])
    for spec in specs:
        refused: list[BroodmindError] = []
        for policies, agent in zip(seats, game_of(env_id).agents):
            try:
                policies.append(make_policy(spec, env_id, agent, data))
            except CheckpointError as error:
                refused.append(error)
        if len(refused) == 2:
            raise refused[0]
    for policies, agent in zip(seats, game_of(env_id).agents):
        if not policies:
            raise PolicySpecError(f"nobody of the list plays {agent} of {env_id}; add for example scripted")
    return seats
