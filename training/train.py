"""Training: generations in which the agents take turns against each other's pools."""

from __future__ import annotations

import os
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from broodmind.agents.checkpoint import export_network
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.schema import shared_game
from broodmind.training.config import TrainingConfig, load_config
from broodmind.training.imitation import prepare
from broodmind.training.improvement import improve, improved_actions
from broodmind.training.league import opponents_for, trained_agents
from broodmind.training.learner import LeaguePPO
from broodmind.training.progress import Progress, TensorBoardWriter, make_progress
from broodmind.training.run import RunDirectory, RunDirectoryError
from broodmind.training.split import Split
from broodmind.training.transfer import initial_weights
from broodmind.training.vec_env import LearnerVecEnv, Statistics, Tallies, Tally, by_opponent

# numbers of the sub-streams of the run's seed
WEIGHTS, SEGMENT, EVALUATION = 1, 2, 4


@dataclass(frozen=True)
class TrainingResult:
    """How a call of `train` ended.

    Args:
        run_dir: The run directory.
        generations: Generations that are complete.
        planned: Generations that the configuration asks for.
        interrupted: Whether Ctrl-C ended it; the run can be resumed.
        checkpoints: The newest checkpoint per agent trained, as ``checkpoint:PATH`` can name it.
        seconds: How long this call took.
    """

    run_dir: Path
    generations: int
    planned: int
    interrupted: bool
    checkpoints: dict[str, Path]
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether nothing is left to do."""
        return self.generations >= self.planned


def train(
    config: TrainingConfig | None,
    run_dir: str | Path,
    resume: bool = False,
    progress: bool | Progress = True,
) -> TrainingResult:
    """Train one or both agents of an environment, or of several missions of a game, generation after generation.

    Args:
        config: The configuration; None to go on with the one in the run directory (with `resume`).
        run_dir: The run directory; new or empty, unless `resume`.
        resume: Go on after the last complete generation of the run directory. A run that was killed at any
            moment and resumed gives the same weights as one that was not.
        progress: Whether to show progress bars on the terminal, or who shows them.

    Returns:
        How it ended. Ctrl-C ends it with ``interrupted``; nothing but the generation under way is lost.

    Raises:
        ConfigError: The configuration does not fit the environments, these cannot share a policy, or it differs from
            that of the resumed run.
        RunDirectoryError: The run directory cannot be written, is in use, holds (or lacks) a run, or holds
            something else. A new run that fails before its first generation is complete leaves nothing behind.
        UnknownEnvironmentError: No environment has that id.
        CheckpointError: The checkpoint to start from cannot be used.
    """
    started = time.perf_counter()
    if config is None:
        if not resume:
            raise ConfigError("a configuration is needed to start a run")
        if not (Path(run_dir) / "config.json").is_file():
            raise RunDirectoryError(f"{run_dir} holds no run to resume; leave out resume to start one there")
        config = load_config(Path(run_dir) / "config.json")
    game = shared_game(config.evaluated, config.data or None)
    agents = trained_agents(config, game)
    planned = config.generations(len(agents))
    threads = torch.get_num_threads()
    torch.set_num_threads(config.threads or os.cpu_count() or 1)
    interrupted = False
    try:
        with (
            RunDirectory(run_dir, config, game, resume=resume) as run,
            make_progress(progress, config, agents, planned) as reporter,
        ):
            try:
                for generation in range(run.next_generation, planned):
                    _train_generation(run, generation, agents, reporter)
            except KeyboardInterrupt:
                interrupted = True
            except Exception as error:
                if not resume:
                    run.discard()  # only if no generation is complete: such a run would only be in the way
                if isinstance(error, RunDirectoryError) or not isinstance(error, OSError):
                    raise
                raise RunDirectoryError(
                    f"cannot write the run directory {run.path} ({error.strerror or error}); "
                    "mend that, then resume"
                ) from error
            done = run.next_generation
            newest = {agent: run.generation(done - 1) / agent for agent in agents} if done else {}
            return TrainingResult(run.path, done, planned, interrupted, newest, time.perf_counter() - started)
    finally:
        torch.set_num_threads(threads)


def _train_generation(
    run: RunDirectory, generation: int, agents: tuple[str, ...], reporter: Progress
) -> None:
    folder = run.begin_generation(generation)
    results = {}
    for agent in agents:
        reporter.begin(generation, agent)
        results[agent] = Segment(run, generation, agent, len(agents), reporter).run_to_end(folder)
    summary = {"generation": generation, "agents": results}
    run.complete_generation(generation, summary)
    run.log({"kind": "generation", **summary})
    reporter.end(generation, results)


class Segment:
    """The part of a generation in which one agent learns.

    It depends only on the configuration, the generation and what earlier segments left in the run directory,
    so that it can be repeated after a crash and then goes the same way.
    """

    def __init__(
        self, run: RunDirectory, generation: int, agent: str, agents: int, reporter: Progress
    ) -> None:
        config = run.config
        self.run = run
        self.config = config
        self.generation = generation
        self.agent = agent
        self.reporter = reporter
        seat = run.game.agents.index(agent)
        seed = derive_seed(config.seed, SEGMENT, generation, seat) & 0x7FFFFFFF
        self.env = LearnerVecEnv(
            config.env_ids,
            agent,
            config.envs,
            opponents_for(run, agent, generation),
            seed=seed,
            num_threads=config.threads or None,
            layout=config.layout or None,
            data=config.data or None,
            max_turns=None if config.max_turns < 0 else config.max_turns,
            bootstrap_truncation=config.bootstrap_truncation,
        )
        self.steps = config.updates_per_generation * config.rollout_size
        total = config.generations(agents) * self.steps
        weights_seed = derive_seed(config.seed, WEIGHTS, seat) & 0x7FFFFFFF
        self.learner = LeaguePPO(config, self.env, total, weights_seed)
        if generation:
            self.learner.load_state(run.generation(generation - 1) / "learner", agent)
        else:
            improved_actions(self.learner, config.improvement_verbs)  # refused before hours of imitation
            prepare(self.learner, config, agent, seed, reporter.prepare)
            if config.improvement_positions:
                found = improve(self.learner, config, agent, seed, reporter.improve)
                run.log({"kind": "improvement", "agent": agent, **asdict(found)})
        self.learner.reseed(seed)
        before = run.generation(generation - 1) / agent if generation else None
        self.initial = initial_weights(config, agent, before)
        self.writer = TensorBoardWriter(run.tensorboard(agent), generation)
        self.totals: Tallies = {}
        self.last_split = Split()

    def run_to_end(self, folder: Path) -> dict[str, Any]:
        """Learn, then leave checkpoint and learner state in `folder`; returns results for the summary."""
        self.learner.after_update = self._after_update
        self.learner.set_logger(self.writer.logger)
        try:
            self.learner.practise(self.steps)
        finally:
            self.writer.close()
        export_network(
            folder / self.agent,
            self.learner.plain_policy.to_network(self.config.activation),
            self.config.env_ids,
            self.agent,
            held_out=self.config.held_out,
            training=self.config.for_card() | self.initial,
            seeds={"train": self.config.seed},
            data=self.config.data or None,
            notes=f"Generation {self.generation:04d} of a training run.",
        )
        self.learner.save_state(folder / "learner", self.agent)
        split = self.learner.split
        return {
            "steps": self.learner.num_timesteps,
            "opponents": {name: tally.to_dict() for name, tally in by_opponent(self.totals).items()},
            "missions": {
                env_id: {
                    name: tally.to_dict() for (played, name), tally in self.totals.items() if played == env_id
                }
                for env_id in self.config.env_ids
            },
            "seconds": split.to_dict(),
            "steps_per_second": self.steps / split.total,
            "evaluation": self._evaluate(folder / self.agent),
        }

    def _after_update(self) -> None:
        statistics = self.env.statistics.take()
        for played, tally in statistics.tallies.items():
            self.totals.setdefault(played, Tally()).add(tally)
        record = self._record(statistics, self.learner.split - self.last_split)
        self.last_split = self.learner.split
        steps = self.learner.num_timesteps
        for key, value in record.items():
            self.learner.logger.record(key, value)
        self.learner.logger.dump(steps)
        self.run.log(
            {"kind": "update", "generation": self.generation, "agent": self.agent, "steps": steps, **record}
        )
        self.reporter.update(self.generation, self.agent, self.config.rollout_size, record)

    def _record(self, statistics: Statistics, split: Split) -> dict[str, float]:
        trained = {
            key.removeprefix("train/"): float(value)
            for key, value in self.learner.logger.name_to_value.items()
            if key.startswith("train/")
        }
        record: dict[str, float] = {
            "learner/entropy": -trained["entropy_loss"],
            "learner/value_loss": trained["value_loss"],
            "learner/explained_variance": trained["explained_variance"],
            "learner/clip_fraction": trained["clip_fraction"],
            "learner/approximate_kl": trained["approx_kl"],
            "learner/learning_rate": trained["learning_rate"],
            "learner/entropy_coefficient": self.learner.ent_coef,
            "time/steps_per_second": self.config.rollout_size / max(split.total, 1e-9),
        }
        record |= {f"time/share_{name}": share for name, share in split.shares().items()}
        if statistics.lengths:
            record["games/decisions"] = float(np.mean(statistics.lengths))
            record["games/count"] = float(len(statistics.lengths))
        for name, tally in by_opponent(statistics.tallies).items():
            record[f"win_rate/{name}"] = tally.wins / tally.games
        if len(self.config.env_ids) > 1:
            for (env_id, name), tally in statistics.tallies.items():
                record[f"mission_win_rate/{env_id}/{name}"] = tally.wins / tally.games
        return record

    def _evaluate(self, checkpoint: Path) -> list[dict[str, Any]]:
        if not self.config.evaluation_games:
            return []
        from broodmind.training.export import evaluate_checkpoint

        seed = derive_seed(self.config.seed, EVALUATION, self.generation) & 0x7FFFFFFF
        return evaluate_checkpoint(
            checkpoint, self.config, self.agent, self.config.evaluation_games, seed, ("scripted", "random")
        )
