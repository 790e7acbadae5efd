"""Random play with every position checked: by the game's own validator, and by what holds for all games."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.errors import StateError

if TYPE_CHECKING:
    from broodmind.envs.core.vec import BatchEnv

SHARE = 20_000
"""Fewer decisions than this are not worth starting another process for."""

PAUSE = 0.5
"""Seconds between two looks at how far the processes are."""

_counter: Any = None
"""In a process of the pool: the number of decisions that all of them have taken together."""
_stop: Any = None
"""In a process of the pool: the event that tells it to stop."""


@dataclass
class SoakReport:
    """What was played.

    Args:
        decisions: Random decisions taken.
        checked: Positions validated by the game.
        games: Games that ended.
    """

    decisions: int = 0
    checked: int = 0
    games: int = 0

    def add(self, other: SoakReport) -> None:
        """Add what another process played."""
        self.decisions += other.decisions
        self.checked += other.checked
        self.games += other.games


def soak_environment(
    env_id: str,
    decisions: int,
    seed: int,
    num_envs: int = 512,
    every: int = 2,
    progress: Callable[[int], object] = lambda done: None,
    jobs: int = 1,
) -> SoakReport:
    """Play random decisions in batches and validate the positions.

    Args:
        env_id: The environment id.
        decisions: At least so many decisions.
        seed: Seed of games and choices.
        num_envs: Games at once (in each process).
        every: Let the game validate after every so many rounds of decisions; what holds for all games is checked
            after each.
        progress: Called with the number of decisions taken, now and then.
        jobs: Processes; each plays its share from a seed of its own.

    Raises:
        StateError: A position is impossible, a mask is empty or not what the position says; the message
            tells how to come there again.
        UnknownEnvironmentError: No environment has that id.
    """
    jobs = max(1, min(jobs, decisions // SHARE))
    if jobs == 1:
        return _play(env_id, decisions, seed, num_envs, every, progress)
    # Fresh processes: threads of compiled code do not survive a fork.
    context = multiprocessing.get_context("spawn")
    counter, stop = context.Value("q", 0), context.Event()
    share = -(-decisions // jobs)
    report = SoakReport()
    with ProcessPoolExecutor(jobs, context, initializer=_begin_process, initargs=(counter, stop)) as pool:
        left = {
            pool.submit(_play_share, env_id, share, share_seed(seed, number), num_envs, every)
            for number in range(jobs)
        }
        try:
            while left:
                done, left = wait(left, timeout=PAUSE, return_when=FIRST_COMPLETED)
                progress(counter.value)
                for future in done:
                    report.add(future.result())
        finally:
            stop.set()  # after an error or Ctrl-C nobody waits for what the others would still find
    return report


def share_seed(seed: int, number: int) -> int:
    """Return the seed from which one of several processes plays: the first has the seed itself."""
    return seed if number == 0 else derive_seed(seed, number) & 0x7FFFFFFF


def _begin_process(counter: Any, stop: Any) -> None:
    """Keep what the processes share; Ctrl-C is for the one that started them."""
    global _counter, _stop
    _counter, _stop = counter, stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _play_share(env_id: str, decisions: int, seed: int, num_envs: int, every: int) -> SoakReport:
    """Play in a process of the pool, counting for all."""
    before = 0

    def count(done: int) -> None:
        nonlocal before
        with _counter.get_lock():
            _counter.value += done - before
        before = done
        if _stop.is_set():
            raise InterruptedError("another process found something, or the run was stopped")

    return _play(env_id, decisions, seed, num_envs, every, count)


def _play(
    env_id: str, decisions: int, seed: int, num_envs: int, every: int, progress: Callable[[int], object]
) -> SoakReport:
    import broodmind
    from broodmind.agents.kernels import choose_uniform

    batch = broodmind.make_vec(env_id, num_envs=num_envs, seed=seed, num_threads=1)
    batch.reset()
    masks = np.zeros_like(batch.mask)
    rng = np.random.default_rng(seed)
    actions = np.zeros(num_envs, np.int64)
    report = SoakReport()
    rounds = 0
    while report.decisions < decisions:
        found = breaches(batch, masks)
        if not found and rounds % every == 0:
            found = _impossible(batch)
            report.checked += num_envs
        if found is not None:
            game, words = found
            raise StateError(
                f"{env_id}: {words} (game {game} of {num_envs}, after {rounds} rounds; again with: broodmind soak "
                f"{env_id} --seed {seed} --games {num_envs} --every {every} --jobs 1)"
            )
        choose_uniform(batch.mask, rng.random(num_envs), actions)
        batch.step(actions)
        report.games += int(np.count_nonzero(batch.terminated | batch.truncated))
        report.decisions += num_envs
        rounds += 1
        progress(report.decisions)
    return report


def breaches(batch: BatchEnv, masks: NDArray[np.int8]) -> tuple[int, str] | None:
    """Check what holds for every game at every decision, in all games of a batch at once.

    Args:
        batch: The batch.
        masks: Scratch memory like ``batch.mask``.

    Returns:
        The first game in which something is wrong and what it is; None: nothing is.
    """
    kernels, tables = batch.game.kernels(), batch.game.tables()
    kernels.legal_range(batch.states, 0, batch.num_envs, tables, masks)
    core = batch.states["core"]
    limit = core["max_turns"]
    low, high = batch.observation.min(axis=1), batch.observation.max(axis=1)
    least, most = batch.game.observation_bounds
    for wrong, words in (
        (~batch.mask.any(axis=1), "no action is legal"),
        ((masks != batch.mask).any(axis=1), "the mask of the batch is not that of the position"),
        (core["over"] != 0, "the game is over, but was not begun anew"),
        (core["seat"] != batch.seat, "the seat of the batch is not that of the position"),
        ((limit > 0) & (core["turn"] > limit), "the limit of turns is passed"),
        # Written so that it finds nan too.
        (~((low >= least) & (high <= most)), f"the observation holds numbers outside {least:g}..{most:g}"),
        (batch.rewards.sum(axis=1) != 0, "the rewards do not sum to zero"),
        (np.abs(batch.rewards).max(axis=1) > 1, "a reward is outside -1..1"),
        (batch.terminated & batch.truncated, "the game was both terminated and truncated"),
    ):
        if wrong.any():
            return int(wrong.argmax()), words
    return None


def _impossible(batch: BatchEnv) -> tuple[int, str] | None:
    """Let the game validate every position of a batch; returns as `breaches` does."""
    for k in range(batch.num_envs):
        found = batch.game.problems(batch.states, k)
        if found:
            return k, "; ".join(found)
    return None
