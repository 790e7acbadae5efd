"""`broodmind train`: PPO for both factions, in turns against a pool of each other's past."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from broodmind.envs.core.errors import ConfigError


def train(
    env_id: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="Environment id, or several missions of a game: a pattern such as 'macragge/*', or ids separated "
            "by commas. May be left out with --resume or --config.",
        ),
    ] = None,
    env: Annotated[str | None, typer.Option(metavar="ID", help="The same as ID.")] = None,
    hold_out: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Missions kept out of training but evaluated, written like ID."),
    ] = None,
    agent: Annotated[str | None, typer.Option(help="The agent to train, or both (they alternate).")] = None,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Decisions of the learners in the whole run.")
    ] = None,
    envs: Annotated[int | None, typer.Option(min=1, help="Games played at once.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of everything that is drawn.")] = None,
    run_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Where everything is recorded; runs/<game>-<mission>-<seed> (or <game>-all) if not given.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the run in --run-dir from its last complete generation."),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="Configuration to start from, in place of a preset."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(metavar="VARIANT", help="A variant of the environment's preset, such as demo."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Any other setting, such as --set learning_rate=3e-4 (repeatable).",
        ),
    ] = None,
    show: Annotated[
        bool, typer.Option("--show-config", help="Print the configuration in force and leave.")
    ] = False,
) -> None:
    """Train agents for an environment, or for several missions of a game at once, with masked PPO.

    Both factions alternate: each generation trains one agent against a pool of the other's checkpoints,
    scripted and random players. The run directory holds the configuration, checkpoints of every
    generation, TensorBoard files and the table of results. A run that was interrupted, even killed, goes
    on with --resume.
    """
    from broodmind.envs.core.schema import env_folder, shared_game
    from broodmind.scripts import common
    from broodmind.training.config import TrainingConfig, load_config
    from broodmind.training.config import preset as load_preset

    if env is not None and env_id is not None:
        raise ConfigError("the environment is given twice, as ID and with --env; leave one out")
    env_id = env_id if env is None else env
    given: dict[str, Any] = {
        "agent": agent,
        "hold_out": hold_out,
        "steps": steps,
        "envs": envs,
        "seed": seed,
    }
    for key, value in parse_settings(settings or []).items():
        if key == "env_id":
            raise ConfigError("--set env_id: the environment is given without --set, `broodmind train ID`")
        if given.get(key) is not None:
            option = key.replace("_", "-")
            raise ConfigError(f"{key} is given twice, with --{option} and with --set; leave one out")
        given[key] = value
    chosen: TrainingConfig | None
    if resume:
        if run_dir is None:
            raise ConfigError("--resume needs --run-dir: which run is to go on?")
        if config is not None or preset is not None:
            raise ConfigError(
                "--resume takes the configuration from the run; leave out --config and --preset"
            )
        saved = run_dir / "config.json"
        if not saved.is_file():
            raise ConfigError(f"{run_dir} holds no run to resume; leave out --resume to start one there")
        chosen = load_config(saved, env_id=env_id, **given)
    elif config is not None:
        if preset is not None:
            raise ConfigError("give --config or --preset, not both")
        chosen = load_config(config, env_id=env_id, **given)
    elif env_id is not None:
        chosen = load_preset(env_id, preset or "", **given)
    else:
        raise ConfigError("say what to train: `broodmind train ID` (`broodmind list` shows the ids)")
    if show:
        common.say(json.dumps(chosen.to_dict(), indent=2))
        return
    folder = run_dir or Path("runs") / f"{env_folder(*chosen.env_ids).replace('/', '-')}-{chosen.seed}"
    from broodmind.training.league import trained_agents

    game = shared_game(chosen.evaluated, chosen.data or None)
    agents = trained_agents(chosen, game)
    common.warm_up(chosen.env_ids[0], batch=True)
    from broodmind.training.train import train as run

    result = run(chosen, folder, resume=resume)
    if result.interrupted:
        typer.echo(
            f"stopped after {result.generations} of {result.planned} generations; "
            f"go on with: broodmind train --resume --run-dir {folder}",
            err=True,
        )
        raise typer.Exit(130)
    common.say(
        f"\n{result.generations} generations in {result.seconds:.0f} s; the run is in {folder}.",
        "What to do with it:",
        f"  tensorboard --logdir {folder / 'tensorboard'}",
        f"  broodmind export {folder}",
    )
    for name in agents:
        you = game.agents[1 - game.agents.index(name)]
        checkpoint = result.checkpoints[name]
        common.say(f"  broodmind play {chosen.env_ids[0]} --as {you} --against checkpoint:{checkpoint}")


def parse_settings(settings: list[str]) -> dict[str, Any]:
    """Read ``KEY=VALUE`` settings; values are TOML (numbers, strings, lists), bare words are strings.

    Raises:
        ConfigError: A setting is malformed or given twice.
    """
    import tomllib

    values: dict[str, Any] = {}
    for setting in settings:
        key, equals, text = (part.strip() for part in setting.partition("="))
        if not equals or not key or not text:
            raise ConfigError(f"--set {setting!r}: expected KEY=VALUE, such as --set learning_rate=3e-4")
        if key in values:
            raise ConfigError(f"--set {key} is given twice")
        try:
            values[key] = tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            values[key] = text
    return values
