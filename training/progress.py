"""What a run shows while it goes on: progress bars on the terminal and TensorBoard event files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stable_baselines3.common.logger import KVWriter, Logger

from broodmind.training.config import TrainingConfig

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter


class Progress:
    """Shows nothing. The base of those who show something."""

    def prepare(self, agent: str, done: int, decisions: int) -> None:
        """Before its first generation, an agent has imitated `done` of `decisions` decisions."""

    def improve(self, agent: str, done: int, positions: int) -> None:
        """Before its first generation, the actions of `done` of `positions` positions of an agent were tried."""

    def begin(self, generation: int, agent: str) -> None:
        """An agent begins to learn in a generation."""

    def update(self, generation: int, agent: str, steps: int, record: Mapping[str, float]) -> None:
        """An agent finished an update over `steps` decisions; `record` holds what TensorBoard gets."""

    def end(self, generation: int, results: Mapping[str, Any]) -> None:
        """A generation is complete; `results` holds its summary per agent."""

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class RichProgress(Progress):
    """A bar for the whole run with generation, agent, win rates and speed, and a line per generation."""

    def __init__(self, config: TrainingConfig, agents: Sequence[str], generations: int) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bars

        self.generations = generations
        self.agents = tuple(agents)
        self.steps = config.updates_per_generation * config.rollout_size
        self.started = False
        self.bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False),
        )
        self.task = self.bars.add_task("training", total=generations * len(agents) * self.steps, note="")

    def prepare(self, agent: str, done: int, decisions: int) -> None:
        """Tell how far the warm start is."""
        note = f"imitates the scripted player: {done:,} of {decisions:,} decisions"
        self.bars.update(self.task, description=agent, note=note)

    def improve(self, agent: str, done: int, positions: int) -> None:
        """Tell how far the improvement by playouts is."""
        note = f"tries actions by playouts: {done:,} of {positions:,} positions"
        self.bars.update(self.task, description=agent, note=note)

    def begin(self, generation: int, agent: str) -> None:
        """Name the generation and the agent."""
        if not self.started:  # a resumed run begins where it was left
            self.bars.update(self.task, completed=generation * len(self.agents) * self.steps)
            self.started = True
        self.bars.update(self.task, description=f"{self.name(generation)} {agent}")

    def update(self, generation: int, agent: str, steps: int, record: Mapping[str, float]) -> None:
        """Advance the bar; show win rates and speed."""
        rates = [
            f"{key.removeprefix('win_rate/')} {value:.0%}"
            for key, value in record.items()
            if key.startswith("win_rate/")
        ]
        speed = f"{record['time/steps_per_second']:,.0f} steps/s"
        note = f"wins against {', '.join(rates)}; {speed}" if rates else speed
        self.bars.update(self.task, advance=steps, note=note)

    def end(self, generation: int, results: Mapping[str, Any]) -> None:
        """Print a line about each agent of the generation, and one for each mission if there are several."""
        for agent, result in results.items():
            self.bars.console.print(
                f"{self.name(generation)} {agent}: wins against {_rates(result['opponents'])}; "
                f"{result['steps_per_second']:,.0f} steps/s"
            )
            for env_id, opponents in result["missions"].items() if len(result["missions"]) > 1 else ():
                self.bars.console.print(f"  {env_id}: {_rates(opponents)}")
            held_out: dict[str, dict[str, Mapping[str, float]]] = {}
            for row in result["evaluation"]:
                if row["held_out"]:
                    held_out.setdefault(row["environment"], {})[row["opponent"]] = row
            for env_id, opponents in held_out.items():
                self.bars.console.print(f"  {env_id} (held out): {_rates(opponents)}")

    def name(self, generation: int) -> str:
        """Return a generation by the name of its folder, with how many there are."""
        return f"generation {generation:04d} ({generation + 1} of {self.generations})"

    def __enter__(self) -> RichProgress:
        self.bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.bars.stop()


def _rates(opponents: Mapping[str, Mapping[str, float]]) -> str:
    """Say how often an agent won against each opponent."""
    rates = ", ".join(f"{name} {tally['win_rate']:.0%}" for name, tally in opponents.items())
    return rates or "nobody (no game ended)"


def make_progress(
    wanted: bool | Progress, config: TrainingConfig, agents: Sequence[str], generations: int
) -> Progress:
    """Return who shows the progress: the one given, bars on the terminal (True) or nobody (False)."""
    if isinstance(wanted, Progress):
        return wanted
    return RichProgress(config, agents, generations) if wanted else Progress()


class TensorBoardWriter(KVWriter):
    """Writes one generation of one agent into an event file of its own (an interrupted one can be removed).

    Args:
        folder: The agent's folder of event files.
        generation: The generation.

    Attributes:
        logger: The logger to give to the learner.
    """

    def __init__(self, folder: Path, generation: int) -> None:
        from torch.utils.tensorboard import SummaryWriter

        self.writer: SummaryWriter = SummaryWriter(
            str(folder), filename_suffix=f".generation-{generation:04d}", flush_secs=30
        )
        self.logger = Logger(str(folder), [self])

    def write(
        self,
        key_values: Mapping[str, Any],
        key_excluded: Mapping[str, tuple[str, ...]],
        step: int = 0,
    ) -> None:
        """Write scalars, except sb3's own ``train/`` keys: the run records them under better names."""
        for key, value in key_values.items():
            if not key.startswith("train/"):
                self.writer.add_scalar(key, value, step)
        self.writer.flush()

    def close(self) -> None:
        """Close the event file."""
        self.writer.close()
