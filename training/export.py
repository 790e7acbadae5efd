"""Export: the best checkpoint of a run per agent, chosen by playing, with its evaluation table on the card.

How the best is chosen. Every generation was evaluated when it was complete; those results shortlist a few
candidates per agent. The candidates are played again with more games, against the scripted player, the
random player and the newest checkpoint of the other agent, and the one with the highest *score* is taken:
the mean reward, the scripted player counting twice. Environments that were held out of training take no part in
the choice. The table on the card is then played anew on other seeds, so that luck which helped a candidate to be
chosen is not in it.
"""

from __future__ import annotations

import errno
import itertools
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from broodmind.agents.checkpoint import export_network, load_checkpoint
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.errors import CheckpointError
from broodmind.envs.core.schema import shared_game
from broodmind.training.config import TrainingConfig, load_config
from broodmind.training.evaluate import evaluate
from broodmind.training.league import other_agent, trained_agents
from broodmind.training.run import (
    RunDirectoryError,
    completed_generations,
    earlier_settings,
    read_summaries,
)

WEIGHTS = {"scripted": 2.0}
"""Weight of an opponent in the score; 1 for those not named."""

CHOOSING, REPORTING = 5, 6  # numbers of sub-streams of the run's seed


@dataclass(frozen=True)
class Exported:
    """A checkpoint that was exported.

    Args:
        agent: Its agent.
        folder: Where it was written.
        generation: The generation it comes from, from 0.
        score: Its score among the candidates.
        table: Its evaluation table, as on the card (rows as `MatchResult.rows` gives them).
    """

    agent: str
    folder: Path
    generation: int
    score: float
    table: list[dict[str, Any]]


def evaluate_checkpoint(
    folder: Path,
    config: TrainingConfig,
    agent: str,
    games: int,
    seed: int,
    opponents: Iterable[str],
    temperature: float = 0.0,
) -> list[dict[str, Any]]:
    """Play a checkpoint against opponents, in every environment that it was trained on or that was held out.

    Args:
        folder: The checkpoint.
        config: Says environments, layout and limit of turns.
        agent: The checkpoint's agent.
        games: Games per environment and opponent.
        seed: Seed of the games.
        opponents: Specs of policies in the other seat.
        temperature: How the checkpoint plays, see `network.NetworkPolicy`.

    Returns:
        One row per environment and opponent, as `MatchResult.rows` gives them, from the checkpoint's point of view.
    """
    data = config.data or None
    other = other_agent(shared_game(config.evaluated, data), agent)
    player = load_checkpoint(folder, config.env_ids[0], agent, data).policy(temperature=temperature)
    rows = []
    for env_id, opponent in itertools.product(config.evaluated, opponents):
        result = evaluate(
            env_id,
            {agent: player, other: opponent},
            games=games,
            seed=seed,
            layout=config.layout or None,
            data=data,
            max_turns=None if config.max_turns < 0 else config.max_turns,
            num_threads=config.threads or None,
        )
        rows += [row for row in result.rows() if row["agent"] == agent]
    return rows


def score(rows: Sequence[Mapping[str, Any]]) -> float:
    """Return the mean reward over the rows of a table, weighted by `WEIGHTS`; -1 for an empty table.

    Rows of environments that were held out do not count: what is chosen by them is not unseen any more.
    """
    rows = [row for row in rows if not row.get("held_out")]
    if not rows:
        return -1.0
    weights = [WEIGHTS.get(row["opponent"], 1.0) for row in rows]
    return sum(w * row["mean_reward"] for w, row in zip(weights, rows)) / sum(weights)


def export_best(
    run_dir: str | Path,
    destination: str | Path | None = None,
    agent: str | None = None,
    games: int = 1000,
    candidates: int = 4,
    temperature: float = 0.0,
    on_progress: Callable[[str], None] | None = None,
) -> dict[str, Exported]:
    """Export the best checkpoint of each agent that a run trained.

    Args:
        run_dir: The run directory.
        destination: Where to: ``<destination>/<agent>`` is written; None: ``<run_dir>/export``.
        agent: Only this agent.
        games: Games per environment and opponent, both for choosing and for the table.
        candidates: How many generations are played again, the newest among them.
        temperature: How the checkpoint plays, in these games and afterwards: see `network.NetworkPolicy`.
        on_progress: Called with a sentence now and then.

    Returns:
        What was exported, per agent.

    Raises:
        RunDirectoryError: The directory holds no run, or no complete generation.
        ConfigError: The run did not train that agent.
        CheckpointError: The destination cannot be written.
    """
    run_dir = Path(run_dir)
    summaries = read_summaries(run_dir)
    if not summaries:
        raise RunDirectoryError(f"{run_dir} has no complete generation yet; train on (resume) first")
    config = load_config(run_dir / "config.json")
    game = shared_game(config.evaluated, config.data or None)
    if agent is not None:
        trained_agents(config.replace(agent=agent), game)
    trained = trained_agents(config, game)
    if agent is not None and agent not in trained:
        raise RunDirectoryError(f"{run_dir} did not train {agent}; it trained {', '.join(trained)}")
    say = on_progress or (lambda _: None)
    exported = {}
    chosen = trained if agent is None else (agent,)
    targets = {name: Path(destination or run_dir / "export") / name for name in chosen}
    for target in targets.values():
        _check_writable(target)
    for name in chosen:
        opponents = ["scripted", "random", *_newest(run_dir, config, other_agent(game, name))]
        best, best_score = 0, -2.0
        for generation in shortlist(summaries, name, candidates):
            rows = evaluate_checkpoint(
                _folder(run_dir, generation, name),
                config,
                name,
                games,
                derive_seed(config.seed, CHOOSING),
                opponents,
                temperature,
            )
            say(f"{name}: generation {generation:04d} scores {score(rows):+.3f}")
            if score(rows) > best_score:
                best, best_score = generation, score(rows)
        folder = _folder(run_dir, best, name)
        table = evaluate_checkpoint(
            folder, config, name, games, derive_seed(config.seed, REPORTING), opponents, temperature
        )
        target = targets[name]
        _export(folder, target, config, name, best, _relative(table, run_dir), temperature)
        exported[name] = Exported(name, target, best, best_score, table)
        say(f"{name}: generation {best:04d} exported to {target}")
    return exported


def _check_writable(target: Path) -> None:
    """Make sure, before all the games, that a checkpoint's folder can be written.

    Raises:
        CheckpointError: It cannot.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise CheckpointError(
            f"cannot write a checkpoint to {target} ({error.strerror or error}); choose another place"
        ) from None


def shortlist(summaries: Sequence[Mapping[str, Any]], agent: str, count: int) -> list[int]:
    """Return the generations to choose among, oldest first: the newest, and those that did best."""
    newest = len(summaries) - 1
    rated = sorted(
        range(newest), key=lambda g: score(summaries[g]["agents"][agent]["evaluation"]), reverse=True
    )
    return sorted([newest, *rated[: max(0, count - 1)]])


def _folder(run_dir: Path, generation: int, agent: str) -> Path:
    return run_dir / "generations" / f"{generation:04d}" / agent


def _newest(run_dir: Path, config: TrainingConfig, agent: str) -> list[str]:
    folder = _folder(run_dir, completed_generations(run_dir) - 1, agent)
    return [f"checkpoint:{folder}"] if (folder / "card.json").is_file() else []


def _relative(rows: Sequence[Mapping[str, Any]], run_dir: Path) -> list[dict[str, Any]]:
    """Return a table without this machine's folders: checkpoints are named by their generation."""
    table = []
    for row in rows:
        changed = dict(row, policy="this checkpoint")
        if row["opponent"].startswith("checkpoint:"):
            changed["opponent"] = f"checkpoint of generation {Path(row['opponent']).parent.name}"
        table.append(changed)
    return table


def _settings(run_dir: Path, config: TrainingConfig) -> dict[str, Any]:
    """Return the configuration for a card, and what earlier generations of the run were trained with instead."""
    earlier = earlier_settings(run_dir, config)
    return {**config.for_card(), **({"earlier": earlier} if earlier else {})}


def _export(
    source: Path,
    target: Path,
    config: TrainingConfig,
    agent: str,
    generation: int,
    table: list[dict[str, Any]],
    temperature: float,
) -> None:
    checkpoint = load_checkpoint(source, config.env_ids[0], agent, config.data or None)
    export_network(
        target,
        checkpoint.network,
        config.env_ids,
        agent,
        held_out=config.held_out,
        training=_settings(source.parents[2], config),
        seeds={
            "train": config.seed,
            "choose": derive_seed(config.seed, CHOOSING),
            "evaluate": derive_seed(config.seed, REPORTING),
        },
        data=config.data or None,
        evaluation=table,
        temperature=temperature,
        notes=f"Trained by self-play with PPO; the best of its run, generation {generation:04d}.",
    )
