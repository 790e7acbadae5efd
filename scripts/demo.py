"""`broodmind demo`: the whole job in small, in about two minutes on two cores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from broodmind.agents import Policy
    from broodmind.training.config import TrainingConfig
    from broodmind.training.train import TrainingResult

SMALL: dict[str, Any] = {
    "steps": 100_000,
    "steps_per_generation": 25_000,
    "envs": 128,
    "rollout_steps": 32,
    "minibatch": 2048,
    "evaluation_games": 50,
}
"""What a demo changes in the settings of an environment that has no preset of its own for it."""


def demo(
    env_id: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="Environment id; the first one if not given.")
    ] = None,
    run_dir: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where to write; a new folder below runs if not given."),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Decisions of training; fewer are quicker and weaker.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Games of each pairing in the table.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything.")] = 0,
) -> None:
    """See everything at work: train both factions briefly, compare, record a game and draw it.

    Takes about two minutes on two cores (plus the first compile of the rules, once).
    """
    import broodmind
    from broodmind.envs.core import replay as replays
    from broodmind.envs.core import replay_views as views
    from broodmind.envs.core.registration import game_of
    from broodmind.scripts import common
    from broodmind.scripts.players import PolicyPlayer
    from broodmind.training.train import train

    chosen = env_id or broodmind.env_ids()[0]
    game = game_of(chosen)
    config = demo_config(chosen, seed, steps)
    folder = run_dir or new_folder(Path("runs"), "demo")
    output = common.console()

    def heading(text: str) -> None:
        output.print(f"\n[bold]{text}[/bold]", highlight=False)

    heading(f"broodmind demo: {chosen}")
    output.print(game.mission(chosen).summary, markup=False, highlight=False)
    common.warm_up(chosen, batch=True)

    heading("1. Training both factions against each other, the scripted and the random player")
    result = train(config, folder)
    if result.interrupted:
        typer.echo(f"stopped; train on with: broodmind train --resume --run-dir {folder}", err=True)
        raise typer.Exit(130)
    heading("2. Who beats whom")
    players = trained_players(result, chosen)
    table_file = compare(chosen, players, games, seed, folder)

    heading("3. A recorded game of the two trained policies")
    seats = {agent: PolicyPlayer(policy, seed + k) for k, (agent, policy) in enumerate(players.items())}
    recorded = replays.record(chosen, seats, seed)
    # the file names checkpoints by where they are, so that others can find them
    recorded.policies = {agent: f"checkpoint:{result.checkpoints[agent]}" for agent in recorded.policies}
    replay_file = replays.write(recorded, folder / "demo.jsonl")
    with output.status("drawing the game..."):
        picture = views.write_gif(recorded, folder / "demo.gif")
    rewards = ", ".join(f"{agent} {reward:+g}" for agent, reward in recorded.result["rewards"].items())
    common.say(f"{len(recorded.steps)} decisions; result: {rewards}; {replays.verify(replay_file).message}")

    heading("Where everything is")
    for what, where in (
        ("animated game", picture),
        ("replay", replay_file),
        ("table", table_file),
        ("checkpoints", next(iter(result.checkpoints.values())).parent),
        ("TensorBoard files", folder / "tensorboard"),
    ):
        common.say(f"  {what + ':':<19}{where}")
    heading("What to try next")
    newest = next(iter(result.checkpoints.values())).parent
    common.say(
        f"  broodmind play {chosen} --against checkpoint:{newest}",
        f"  broodmind replay {replay_file} --events",
        f"  tensorboard --logdir {folder / 'tensorboard'}",
        f"  broodmind train {chosen}{in_full(chosen, config, result)}",
        f"  broodmind evaluate {chosen} --matrix random,scripted,search:100 --games 100",
    )


def demo_config(env_id: str, seed: int, steps: int | None) -> TrainingConfig:
    """Return the settings of a brief training: the environment's demo preset, or `SMALL` for one without.

    Raises:
        ConfigError: `steps` is out of range.
    """
    from broodmind.envs.core.schema import env_folder
    from broodmind.training.config import preset, preset_names

    changes: dict[str, Any] = {"seed": seed}
    if steps is not None:
        changes |= {"steps": steps}
        changes["steps_per_generation"] = min(SMALL["steps_per_generation"], max(steps // 4, 1))
    if f"{env_folder(env_id).replace('/', '-')}-demo" in preset_names():
        return preset(env_id, "demo", **changes)
    return preset(env_id, **{**SMALL, **changes})


def in_full(env_id: str, brief: TrainingConfig, result: TrainingResult) -> str:
    """Say how long the full training would take at the speed of a brief one."""
    from broodmind.training.config import preset

    trained = brief.steps * result.generations / max(result.planned, 1)
    full = preset(env_id).steps
    minutes = full * result.seconds / max(trained, 1) / 60
    return f"   (the full training: {full:,} decisions, about {max(minutes, 1):.0f} minutes at this speed)"


def new_folder(parent: Path, name: str) -> Path:
    """Return the first of ``name``, ``name-2``, ``name-3``... that does not exist below a folder."""
    number = 1
    while (folder := parent / (name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return folder


def trained_players(result: TrainingResult, env_id: str) -> dict[str, Policy]:
    """Return the newest policy of each agent of a run, under a short name."""
    from broodmind.agents.checkpoint import load_checkpoint

    return {
        agent: load_checkpoint(folder, env_id, agent).policy("this run")
        for agent, folder in result.checkpoints.items()
    }


def compare(env_id: str, players: Mapping[str, Policy], games: int, seed: int, folder: Path) -> Path:
    """Play the payoff matrix, print it and write it; return the file.

    Args:
        env_id: The environment id.
        players: This run's policy of each agent.
        games: Games of each pairing.
        seed: Seed of the games.
        folder: Where ``matrix.json`` and ``matrix.md`` go.
    """
    from broodmind.agents import make_policy
    from broodmind.envs.core.errors import CheckpointError
    from broodmind.envs.core.replay import write_atomically
    from broodmind.scripts import common
    from broodmind.training.evaluate import payoff_matrix

    seats: list[list[Policy]] = []
    for agent, own in players.items():
        policies = [make_policy("random", env_id, agent), make_policy("scripted", env_id, agent), own]
        try:
            policies.append(make_policy("checkpoint:shipped", env_id, agent))
        except CheckpointError:
            common.say(f"(no trained policy of {agent} is shipped for this environment)")
        seats.append(policies)
    with common.progress() as bars:
        task = bars.add_task("games", total=games * len(seats[0]) * len(seats[1]))
        matrix = payoff_matrix(
            env_id,
            seats[0],
            seats[1],
            games,
            seed,
            on_progress=lambda done: bars.update(task, completed=done),
        )
    common.console().print(matrix.to_table())
    write_atomically(folder / "matrix.md", matrix.to_markdown())
    return write_atomically(folder / "matrix.json", json.dumps(matrix.to_dict(), indent=2) + "\n")
