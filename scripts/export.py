"""`broodmind export`: the best checkpoints of a run, chosen by playing, with their cards."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    run_dir: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run directory that `broodmind train` wrote.")
    ],
    destination: Annotated[
        Path | None,
        typer.Option(
            "--to", metavar="FOLDER", help="Where to: FOLDER/<agent> is written; RUN/export if not given."
        ),
    ] = None,
    agent: Annotated[
        str | None, typer.Option(help="Only this agent; all that were trained if not given.")
    ] = None,
    games: Annotated[
        int,
        typer.Option(
            min=1, help="Games per mission and opponent, for choosing and for the table on the card."
        ),
    ] = 1000,
    candidates: Annotated[int, typer.Option(min=1, help="How many generations are compared.")] = 4,
    temperature: Annotated[
        float,
        typer.Option(
            min=0,
            max=100,
            help="How it plays unless its spec says otherwise. 0: its best action; above: drawn from its "
            "distribution, 1 being the one that was trained.",
        ),
    ] = 0.0,
) -> None:
    """Choose the best checkpoint of each agent of a run and export it.

    A checkpoint is a folder with policy.safetensors, card.json and a readable card. It can be used at once:
    `--against checkpoint:FOLDER` in play, `checkpoint:FOLDER` in evaluate.
    """
    from broodmind.envs.core.schema import shared_game
    from broodmind.scripts import common
    from broodmind.training.config import load_config
    from broodmind.training.export import export_best
    from broodmind.training.run import RunDirectoryError

    saved = run_dir / "config.json"
    if not saved.is_file():
        raise RunDirectoryError(f"{run_dir} is no run directory: it has no config.json")
    config = load_config(saved)
    agents = shared_game(config.evaluated, config.data or None).agents
    common.warm_up(config.env_ids[0], batch=True)
    exported = export_best(
        run_dir, destination, agent, games, candidates, temperature, on_progress=common.say
    )
    for name, one in exported.items():
        for row in one.table:
            low, high = row["win_interval"]
            common.say(
                f"  {name} against {row['opponent']}: wins {common.percent(row['win_rate'])} "
                f"(95% interval {common.interval(low, high)}) of {row['games']} in {row['environment']}"
                f"{' (held out)' if row['held_out'] else ''}"
            )
    if exported:
        common.say("\nplay against them:")
        for name, one in exported.items():
            you = agents[1 - agents.index(name)]
            common.say(f"  broodmind play {config.env_ids[0]} --as {you} --against checkpoint:{one.folder}")
