"""The measurements behind `broodmind benchmark`: what is timed and how, without printing."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from broodmind.envs.core.errors import BroodmindError


class MeasurementError(BroodmindError, RuntimeError):
    """A measurement could not be made; the message says why."""


@dataclass
class Rate:
    """How often something happens per second, measured in several rounds.

    Args:
        name: What was measured.
        meaning: What one unit is and what the time covers.
        rounds: Units per second in each round.
    """

    name: str
    meaning: str
    rounds: list[float] = field(default_factory=list)

    @property
    def per_second(self) -> float:
        """The median over the rounds."""
        return median(self.rounds) if self.rounds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the rate as JSON-able values."""
        return {
            "name": self.name,
            "meaning": self.meaning,
            "per_second": round(self.per_second, 1),
            "rounds": [round(value, 1) for value in self.rounds],
        }


Contender = Callable[[float], float]
"""Runs for about so many seconds and returns units per second."""


def interleave(contenders: dict[str, tuple[str, Contender]], rounds: int, seconds: float) -> dict[str, Rate]:
    """Measure several things in turns, so that a machine that drifts treats all alike.

    Args:
        contenders: Name -> (meaning, contender).
        rounds: How many turns each gets, after one that warms up and is not counted.
        seconds: Length of a turn.
    """
    rates = {name: Rate(name, meaning) for name, (meaning, _) in contenders.items()}
    for _, contender in contenders.values():
        contender(min(0.2, seconds))
    for _ in range(rounds):
        for name, (_, contender) in contenders.items():
            rates[name].rounds.append(contender(seconds))
    return rates


# -- the AEC faces -------------------------------------------------------------------------------------------


def aec_player(env: Any) -> Contender:
    """Return a contender that plays random legal actions in any PettingZoo environment with action masks.

    The loop is the usual one: ``last``, choose, ``step``; whole games, the choosing included.
    """
    rng = np.random.default_rng(0)

    def run(seconds: float) -> float:
        decisions, seed = 0, int(rng.integers(2**31))
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            env.reset(seed=seed)
            seed += 1
            while env.agents:
                observation, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    break
                legal = np.flatnonzero(observation["action_mask"])
                env.step(int(legal[int(rng.random() * len(legal))]))
                decisions += 1
                if not decisions & 255 and time.perf_counter() - started >= seconds:
                    break
        return decisions / elapsed

    return run


def open_spiel_player(game: Any) -> Contender:
    """Return a contender that plays random games of OpenSpiel, with observation and mask as arrays."""
    rng = np.random.default_rng(0)
    mask = np.zeros(game.num_distinct_actions(), np.int8)

    def run(seconds: float) -> float:
        decisions = 0
        state = game.new_initial_state()
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            if state.is_terminal():
                state = game.new_initial_state()
            legal = state.legal_actions()
            np.asarray(state.observation_tensor(), np.float32)
            mask[:] = 0
            mask[legal] = 1
            state.apply_action(legal[int(rng.random() * len(legal))])
            decisions += 1
        return decisions / elapsed

    return run


def peers() -> tuple[dict[str, tuple[str, Contender]], list[str]]:
    """Return the other environments that are installed, and a sentence for each that is not."""
    import pettingzoo
    from pettingzoo.env_registry.registration import aec_registry

    found: dict[str, tuple[str, Contender]] = {}
    missing: list[str] = []
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # it greets on stdout
    for name, needs in (("connect_four", "pygame"), ("chess", "chess")):
        ids = [env_id for env_id in aec_registry if env_id.startswith(f"classic/{name}-v")]
        if importlib.util.find_spec(needs) is None or not ids:
            missing.append(f"PettingZoo {name} is not measured: pip install 'broodmind[bench]'")
            continue
        env = pettingzoo.make("aec", ids[-1])
        found[f"PettingZoo {name}"] = ("decisions of random games, last + choose + step", aec_player(env))
    if importlib.util.find_spec("pyspiel") is None:
        missing.append("OpenSpiel chess is not measured: pip install 'broodmind[bench]'")
    else:
        import pyspiel

        found["OpenSpiel chess"] = (
            "decisions of random games with observation and mask as arrays",
            open_spiel_player(pyspiel.load_game("chess")),
        )
    return found, missing


# -- the batch -----------------------------------------------------------------------------------------------


def batch_player(env_id: str, num_envs: int, threads: int) -> Contender:
    """Return a contender that steps a batch with random legal actions; only the stepping is timed."""
    import broodmind
    from broodmind.agents.kernels import choose_uniform

    batch = broodmind.make_vec(env_id, num_envs=num_envs, seed=0, num_threads=threads)
    batch.reset()
    rng = np.random.default_rng(0)
    actions = np.zeros(num_envs, np.int64)

    def run(seconds: float) -> float:
        decisions, elapsed = 0, 0.0
        while elapsed < seconds:
            choose_uniform(batch.mask, rng.random(num_envs), actions)
            started = time.perf_counter()
            batch.step(actions)
            elapsed += time.perf_counter() - started
            decisions += num_envs
        return decisions / elapsed

    return run


def memory_writer(observation_size: int, actions: int, num_envs: int, threads: int) -> Contender:
    """Return a contender that only fills the batch's arrays: the limit that memory sets to rewriting them."""
    observations = np.zeros((num_envs, observation_size), np.float32)
    masks = np.zeros((num_envs, actions), np.int8)
    edges = np.linspace(0, num_envs, threads + 1).astype(int)
    pool = ThreadPoolExecutor(threads)

    def fill(share: int, value: int) -> None:
        rows = slice(edges[share], edges[share + 1])
        observations[rows] = value
        masks[rows] = value & 1

    def run(seconds: float) -> float:
        count = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds:
            list(pool.map(fill, range(threads), [count] * threads))
            count += 1
        return count * num_envs / elapsed

    return run


# -- where the time of a decision goes -----------------------------------------------------------------------


PLAYOUT = 32
"""Decisions of one measured playout."""


def time_split(env_id: str, num_envs: int = 256, seconds: float = 1.0) -> dict[str, float]:
    """Measure the parts of a decision in the batch, on one core, in microseconds.

    The whole decision is a step of the batch on one thread. Rules and mask together are a decision of a random
    playout in the kernel, which observes nothing (its choosing included); the mask alone is measured by itself.
    What is left of the batch's step is the observation and the bookkeeping: the batch writes what changed only,
    so the time of a whole observation is given beside.

    Args:
        env_id: The environment id.
        num_envs: How many games.
        seconds: How long to measure in all, at least.

    Returns:
        ``decision`` and its parts ``rules``, ``mask`` and ``observation``; and ``whole_observation``.
    """
    import broodmind
    from broodmind.agents.kernels import choose_uniform

    batch = broodmind.make_vec(env_id, num_envs=num_envs, seed=1, num_threads=1)
    batch.reset()
    game = batch.game
    kernels, tables = game.kernels(), game.tables()
    rng = np.random.default_rng(1)
    actions = np.zeros(num_envs, np.int64)
    masks = np.zeros((num_envs, game.actions.size), np.int8)
    observations = np.zeros((num_envs, game.observation.size), np.float32)
    spent = dict.fromkeys(("step", "mask", "observation", "playout"), 0.0)
    played, rounds = 0, -1  # the first round warms up
    while rounds < 20 or sum(spent.values()) < seconds:
        choose_uniform(batch.mask, rng.random(num_envs), actions)
        marks = [time.perf_counter()]
        batch.step(actions)
        marks.append(time.perf_counter())
        kernels.legal_range(batch.states, 0, num_envs, tables, masks)
        marks.append(time.perf_counter())
        kernels.observe_range(batch.states, 0, num_envs, tables, batch.states["core"]["seat"], observations)
        marks.append(time.perf_counter())
        seconds_played, decisions_played = 0.0, 0
        for k in rng.integers(num_envs, size=max(num_envs // PLAYOUT, 1)).tolist():
            scratch, mask = batch.states[k : k + 1].copy(), masks[k].copy()
            begin = time.perf_counter()
            kernels.playout(scratch, 0, tables, mask, PLAYOUT, int(rng.integers(2**31)), 0)
            end = time.perf_counter()
            if not scratch["core"]["over"][0]:  # else nobody knows how many decisions it took
                seconds_played += end - begin
                decisions_played += PLAYOUT
        rounds += 1
        if rounds == 0:
            continue
        for part, first, last in zip(("step", "mask", "observation"), marks[:-1], marks[1:]):
            spent[part] += last - first
        spent["playout"] += seconds_played
        played += decisions_played
    unit = 1e6 / (rounds * num_envs)
    decision, one_mask = spent["step"] * unit, min(spent["mask"], spent["step"]) * unit
    playout = 1e6 * spent["playout"] / played if played else one_mask
    rules = min(max(playout - one_mask, 0.0), decision - one_mask)
    return {
        "decision": decision,
        "rules": rules,
        "mask": one_mask,
        "observation": decision - one_mask - rules,
        "whole_observation": spent["observation"] * unit,
    }


# -- starting ------------------------------------------------------------------------------------------------

START = """
import json, sys, time
begin = time.perf_counter()
import broodmind
imported = time.perf_counter()
env = broodmind.make(sys.argv[1])
env.reset(seed=0)
env.step(env.legal_actions()[0])
print(json.dumps({"import": imported - begin, "first_step": time.perf_counter() - imported}))
"""


def start_times(env_id: str, cold: bool = False, repeats: int = 3) -> dict[str, float]:
    """Measure in fresh processes how long importing takes, and the first step after it, in seconds.

    Args:
        env_id: The environment id.
        cold: Whether to start from an empty cache of compiled rules (once, in a temporary folder).
        repeats: How many processes with a warm cache; the quickest counts.

    Raises:
        MeasurementError: A process failed.
    """

    def once(**environment: str) -> dict[str, float]:
        done = subprocess.run(
            [sys.executable, "-c", START, env_id],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            last = (done.stderr.strip().splitlines() or ["no message"])[-1]
            raise MeasurementError(f"a fresh process that plays {env_id} failed: {last}")
        return dict(json.loads(done.stdout.splitlines()[-1]))

    if cold:
        with tempfile.TemporaryDirectory() as folder:
            return once(BROODMIND_CACHE_DIR=folder)
    runs = [once() for _ in range(repeats)]
    return {part: min(run[part] for run in runs) for part in ("import", "first_step")}


# -- gathering -----------------------------------------------------------------------------------------------

AEC, BATCH, LIMIT = "AEC face", "batch", "filling arrays"


def contenders(env_id: str, num_envs: int, threads: int) -> dict[str, tuple[str, Contender]]:
    """Return the contenders of one environment, by ``"<id> <kind>"``.

    Args:
        env_id: The environment id.
        num_envs: Games of the batch.
        threads: Threads of the batch.
    """
    import broodmind

    env = broodmind.make(env_id)
    game = env.unwrapped.game
    return {
        f"{env_id} {AEC}": ("decisions of random games, last + choose + step, one core", aec_player(env)),
        f"{env_id} {BATCH}": (
            f"decisions of {num_envs} games on {threads} threads, arrays filled, choosing not timed",
            batch_player(env_id, num_envs, threads),
        ),
        f"{env_id} {LIMIT}": (
            f"rows of {game.observation.size} floats and {game.actions.size} bytes, {threads} threads",
            memory_writer(game.observation.size, game.actions.size, num_envs, threads),
        ),
    }


def machine() -> dict[str, Any]:
    """Return what the numbers were measured on."""
    import platform

    import numba

    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }
