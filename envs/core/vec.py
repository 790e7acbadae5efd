"""The batch: many games stepped by compiled code, arrays in and arrays out, no Python per game."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from broodmind.envs.core.chunks import SMALLEST_CHUNK, chunks_of, usable_cpus
from broodmind.envs.core.dice import derive_seed
from broodmind.envs.core.episodes import begin_episode, next_episode
from broodmind.envs.core.errors import ConfigError, IllegalActionError, StateError
from broodmind.envs.core.positions import check_position, forfeit
from broodmind.envs.core.record import as_states, new_log, new_states
from broodmind.envs.core.schema import shared_game
from broodmind.envs.core.settings import Settings, check_seed, signed, whole_number
from broodmind.envs.core.snapshot import pack, unpack


class BatchEnv:
    """Many games of one mission, or of several of one game in turns; make one with `broodmind.make_vec`.

    `reset` and `step` fill the arrays below, always the same ones (copy what must outlive the next step; do
    not write to them: only what changed is rewritten). A game that ends is reset at once, to the mission that it has
    always played; its arrays then describe the first decision of the next episode, while `rewards`, `terminated`,
    `truncated` and the info arrays tell of the end.

    Attributes:
        env_ids: The environments, each played by every len(env_ids)-th game.
        mission_of: Which of `env_ids` each game plays, int64, shape (games,).
        observation: What the seat to act sees, float32, shape (games, observation size).
        mask: 1 for its legal actions, int8, shape (games, actions).
        seat: Which seat acts (index into ``game.agents``), int8, shape (games,).
        rewards: Rewards of the last step by seat, float32, shape (games, 2); not 0 only at an end.
        terminated: Whether the last step ended the game by the rules, bool, shape (games,).
        truncated: Whether ``max_turns`` ended it, bool, shape (games,).
        episode_result: Half points of seat 0 in the last episode that ended (2 win .. -2), int16, shape
            (games,).
        episode_length: Decisions in the last episode that ended, forced ones included, int32, shape (games,).
        episode_count: Episodes that ended so far, int64, shape (games,).
        states: The array of state records, shape (games,).
        num_envs: How many games.
        num_threads: How many threads step them.
    """

    def __init__(
        self,
        env_id: str | Sequence[str],
        num_envs: int,
        seed: int | None = None,
        *,
        num_threads: int | None = None,
        layout: str | None = None,
        max_turns: int | None = None,
        skip_forced: bool = True,
        illegal_action: str = "raise",
        keep_final: bool = False,
        data: str | os.PathLike[str] | None = None,
        **mission_options: Any,
    ) -> None:
        self.env_ids = (env_id,) if isinstance(env_id, str) else tuple(env_id)
        self.env_id = ",".join(self.env_ids)
        self.game = shared_game(self.env_ids, data)
        missions = [self.game.mission(name) for name in self.env_ids]
        self.settings = tuple(
            Settings(self.game, mission, layout, max_turns, illegal_action, skip_forced, mission_options)
            for mission in missions
        )
        for name, value in (("num_envs", num_envs), ("num_threads", num_threads)):
            if value is None and name == "num_threads":
                continue
            if (whole_number(value) or 0) < 1:
                raise ConfigError(f"{name}={value!r}; expected a whole number from 1 up")
        if not isinstance(keep_final, bool):
            raise ConfigError(f"keep_final={keep_final!r}; expected True or False")
        if num_envs < len(self.env_ids):
            raise ConfigError(
                f"num_envs={num_envs!r}; expected a game for each of {len(self.env_ids)} missions, or more"
            )
        self.num_envs = n = int(num_envs)
        self.mission_of: NDArray[np.int64] = np.arange(n) % len(missions)
        self._heads = new_states(self.game.state_dtype, len(missions))
        for head, settings in zip(self._heads, self.settings, strict=True):
            settings.write(head["core"])
        self.seed = None if seed is None else check_seed(seed)
        wanted = usable_cpus() if num_threads is None else int(num_threads)
        self.num_threads = max(1, min(wanted, n // SMALLEST_CHUNK))
        self.keep_final = keep_final
        game = self.game
        self.observation: NDArray[np.float32] = np.zeros((n, game.observation.size), np.float32)
        self._memory: NDArray[np.int64] = np.zeros((n, game.memory_size), np.int64)
        self.mask: NDArray[np.int8] = np.zeros((n, game.actions.size), np.int8)
        self.seat: NDArray[np.int8] = np.zeros(n, np.int8)
        self.rewards: NDArray[np.float32] = np.zeros((n, 2), np.float32)
        self.terminated: NDArray[np.bool_] = np.zeros(n, np.bool_)
        self.truncated: NDArray[np.bool_] = np.zeros(n, np.bool_)
        self.episode_result: NDArray[np.int16] = np.zeros(n, np.int16)
        self.episode_length: NDArray[np.int32] = np.zeros(n, np.int32)
        self.episode_count: NDArray[np.int64] = np.zeros(n, np.int64)
        self.states = new_states(game.state_dtype, n)
        self._bytes = np.asarray(self.states).view(np.uint8)
        self._before = np.zeros_like(self._bytes) if keep_final else None
        self._taken: NDArray[np.int64] = np.full(n, -1, np.int64)
        self._wanted: NDArray[np.int64] = np.full(n, -1, np.int64)
        self._ended: NDArray[np.int8] = np.zeros(n, np.int8)
        # imported late: importing broodmind must not import Numba
        from broodmind.envs.core.bookkeeping import book_ends, take_actions

        self._take_actions: Any = take_actions
        self._book_ends: Any = book_ends
        self._kernels: Any = game.kernels()
        self._tables = game.tables()
        self._log = new_log(0)
        self._chunks = chunks_of(n, self.num_threads)
        self._pool = ThreadPoolExecutor(self.num_threads - 1) if self.num_threads > 1 else None
        self._process = os.getpid()
        self._begun = False
        self._foreign = False

    # -- playing -----------------------------------------------------------------------------------------

    def _each_chunk(self, work: Callable[[int, int], None]) -> None:
        """Do some work for every chunk of games, in all threads, this one among them."""
        if self._pool is None:
            work(0, self.num_envs)
            return
        if os.getpid() != self._process:
            # A fork copies no threads: those of the pool are in the other process.
            self._pool = ThreadPoolExecutor(self.num_threads - 1)
            self._process = os.getpid()
        waiting = iter(self._chunks)  # shared: a thread that is held up leaves the rest to the others

        def work_on() -> None:
            for start, stop in waiting:
                work(start, stop)

        futures = [self._pool.submit(work_on) for _ in range(self.num_threads - 1)]
        work_on()
        for future in futures:
            future.result()

    def reset(self, seed: int | None = None) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Begin an episode in every game.

        Args:
            seed: Seed of the whole batch; game k begins with the seed `first_seed` ``(seed, k)``. None: the
                first time the seed that the batch was made with (or one from entropy), later the episodes
                that follow.

        Returns:
            The arrays `observation` and `mask`.

        Raises:
            ConfigError: The seed is none.
        """
        if seed is None and not self._begun:
            seed = self.seed
            if seed is None:
                seed = int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
        if seed is not None:
            seed = check_seed(seed)
        for k in range(self.num_envs):
            core = self._write_settings(k)
            if seed is None:
                next_episode(core)
            else:
                begin_episode(core, first_seed(seed, k))
        self._begun = True
        self._foreign = False
        self._clear_ends()
        self.episode_result[:] = self.episode_length[:] = self.episode_count[:] = 0
        self._each_chunk(self._reset_chunk)
        return self.observation, self.mask

    def restart(self, games: ArrayLike, seeds: ArrayLike) -> None:
        """Begin given episodes in some games; the others are left as they are.

        Args:
            games: Indices of games.
            seeds: Seeds of their episodes, 0..2**64-1, as many; `broodmind.make`'s ``reset(seed)`` begins the
                same.

        Raises:
            ConfigError: There are not as many seeds as games, one is no seed, or there is no such game.
        """
        indices = self._indices(games)
        numbers = [check_seed(number) for number in np.asarray(seeds).ravel().tolist()]
        if len(indices) != len(numbers):
            raise ConfigError(
                f"restart got {len(indices)} games and {len(numbers)} seeds; give one seed per game"
            )
        if not self._begun and len(np.unique(indices)) < self.num_envs:
            self.reset()  # the games that are left as they are need a beginning too
        self._begun = True
        for k, number in zip(indices.tolist(), numbers, strict=True):
            self._restart(k, signed(number))
        self._ended[indices] = 0
        self.rewards[indices] = 0
        self.terminated[indices] = self.truncated[indices] = False

    def _restart(self, game: int, seed: int) -> None:
        """Begin an episode in a game under the settings of this batch."""
        begin_episode(self._write_settings(game), seed)
        self._reset_chunk(game, game + 1)

    def _write_settings(self, game: int) -> Any:
        """Write the settings of its mission into a game; returns the head of its record."""
        core = self.states[game]["core"]
        self.settings[self.mission_of[game]].write(core)
        core["strict"] = 0  # nobody could be told of a roll that was not planned
        return core

    def _indices(self, games: ArrayLike) -> NDArray[np.int64]:
        """Return indices of games, or raise ConfigError (kernels check nothing)."""
        given = np.asarray(games).ravel()
        if len(given) and given.dtype.kind not in "iu":
            raise ConfigError(f"games are whole numbers 0..{self.num_envs - 1}, got {games!r}")
        indices = given.astype(np.int64)
        if len(indices) and not 0 <= indices.min() <= indices.max() < self.num_envs:
            raise ConfigError(f"the batch has games 0..{self.num_envs - 1}, got {indices.tolist()}")
        return indices

    def _reset_chunk(self, start: int, stop: int) -> None:
        self._kernels.reset_range(
            self.states, start, stop, self._tables, self.observation, self._memory, self.mask, self.seat
        )

    def _step_chunk(self, start: int, stop: int) -> None:
        if self._before is not None:
            size = self.states.dtype.itemsize
            self._before[start * size : stop * size] = self._bytes[start * size : stop * size]
        self._kernels.step_range(
            self.states,
            start,
            stop,
            self._tables,
            self._taken,
            self.observation,
            self._memory,
            self.mask,
            self.seat,
            self._ended,
            self.episode_result,
            self.episode_length,
        )

    def step(
        self, actions: ArrayLike, games: ArrayLike | None = None
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int8]
    ]:
        """Take one action in every game (or in some), for whichever seat acts there.

        Args:
            actions: Integers, shape (games,); those of games that are not stepped are ignored.
            games: Indices of the games to step; None for all.

        Returns:
            The arrays `observation`, `rewards`, `terminated`, `truncated` and `mask`.

        Raises:
            IllegalActionError: An action is out of range; or illegal, with ``illegal_action="raise"``. The
                message names the first such game. Nothing is changed.
            RuntimeError: Before `reset`.
        """
        if not self._begun:
            raise RuntimeError("reset() needs to be called before step.")
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise IllegalActionError(
                f"step takes {self.num_envs} whole numbers, one action per game; got shape "
                f"{chosen.shape} and type {chosen.dtype}"
            )
        forfeits = self._take(chosen) if games is None else self._take_some(chosen, self._indices(games))
        self._taken, self._wanted = self._wanted, self._taken
        self._each_chunk(self._step_chunk)
        if forfeits is not None:
            self._forfeit(forfeits)
        self._book_ends(
            self._ended,
            self.episode_result,
            self.episode_count,
            self.rewards,
            self.terminated,
            self.truncated,
        )
        if self._foreign:
            self._come_home()
        return self.observation, self.rewards, self.terminated, self.truncated, self.mask

    def _come_home(self) -> None:
        """Begin the episodes that follow games set up under other settings again, under those of this batch."""
        for k in np.flatnonzero(self._ended).tolist():
            core = self.states[k]["core"]
            self._restart(k, signed(int(core["stream"]) << 32 | int(core["key"])))

    def _other_settings(self, record: NDArray[np.void]) -> bool:
        """Say whether some of the records were set up under other settings than those of this batch."""
        own = np.asarray(self._heads)["core"][self.mission_of]
        names = ("layout", "max_turns", "skip_forced", "spare")
        return any((record["core"][name] != own[name]).any() for name in names)

    def _take(self, chosen: NDArray[Any]) -> NDArray[np.int64] | None:
        """Note the actions to take, and return the games whose actions forfeit (None: none)."""
        if self._take_actions(self.mask, np.ascontiguousarray(chosen, np.int64), self._wanted) < 0:
            return None
        everywhere = np.arange(self.num_envs)
        self._check_range(chosen, everywhere)
        return self._take_illegal(everywhere)

    def _take_some(self, chosen: NDArray[Any], games: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Note the actions to take in some games, -1 in the others; returns as `_take` does."""
        self._check_range(chosen, games)
        self._wanted[:] = -1
        self._wanted[games] = chosen[games]
        return self._take_illegal(games)

    def _check_range(self, chosen: NDArray[Any], games: NDArray[np.int64]) -> None:
        size = self.mask.shape[1]
        outside = games[(chosen[games] < 0) | (chosen[games] >= size)]
        if len(outside):
            k = int(outside.min())
            raise IllegalActionError(
                f"action {int(chosen[k])} of game {k} is outside 0..{size - 1}; see mask[{k}]",
                int(chosen[k]),
            )

    def _take_illegal(self, games: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Do with the illegal actions among those of some games what the settings say; returns as `_take` does."""
        illegal = np.unique(games[self.mask[games, self._wanted[games]] == 0])
        if len(illegal) == 0:
            return None
        mode = self.settings[0].illegal_action
        if mode == "raise":
            k = int(illegal[0])
            action = int(self._wanted[k])
            reason = self.game.explain(self.states, k, action)
            clause = reason.clause if reason else ""
            why = f"{reason.text} ({clause})" if reason else "the mask forbids it"
            raise IllegalActionError(
                f"{self.game.actions.name(action)!r} is not legal in game {k} now: {why}", action, clause
            )
        self._wanted[illegal] = -1
        return illegal if mode == "forfeit" else None

    def _forfeit(self, games: NDArray[np.int64]) -> None:
        """The seat to act loses these games; the next episodes begin."""
        for k in games.tolist():
            core = self.states[k]["core"]
            forfeit(core)
            self._ended[k] = 1
            self.episode_result[k] = core["result"]
            self.episode_length[k] = core["decisions"]
            next_episode(core)
            self._reset_chunk(k, k + 1)

    def _clear_ends(self) -> None:
        self.rewards[:] = 0
        self.terminated[:] = False
        self.truncated[:] = False

    def final_observation(self, game: int, seat: int) -> NDArray[np.float32]:
        """Return what a seat saw at the end of an episode that the last step ended.

        Args:
            game: Index of the game.
            seat: Index of the agent.

        Raises:
            ConfigError: The batch was made without ``keep_final=True``, which keeps what this needs; or there is
                no such game or seat.
            ValueError: The last step did not end an episode of that game.
        """
        game, seat = (-1 if number is None else number for number in (whole_number(game), whole_number(seat)))
        if not 0 <= game < self.num_envs or not 0 <= seat < len(self.game.agents):
            raise ConfigError(
                f"the batch has games 0..{self.num_envs - 1} and seats 0..{len(self.game.agents) - 1}; "
                "final_observation got others"
            )
        observation = np.zeros(self.observation.shape[1], np.float32)
        self._kernels.observe(self._last_state(game), 0, self._tables, seat, observation)
        return observation

    def final_info(self, game: int) -> tuple[dict[str, float], dict[str, float]]:
        """Return what the infos of both seats told at the end of an episode that the last step ended.

        Args:
            game: Index of the game.

        Returns:
            By seat what `Game.final_info` says, empty for most missions (``mission.final_info`` lists its names).

        Raises:
            ConfigError, ValueError: As in `final_observation`.
        """
        last = self.final_state(game)
        return self.game.final_info(last, 0, 0), self.game.final_info(last, 0, 1)

    def final_state(self, game: int) -> NDArray[np.void]:
        """Return the position in which the last step ended an episode of a game, as an array of one record.

        Args:
            game: Index of the game.

        Raises:
            ConfigError, ValueError: As in `final_observation`.
        """
        number = whole_number(game)
        if number is None or not 0 <= number < self.num_envs:
            raise ConfigError(f"the batch has games 0..{self.num_envs - 1}, but there was asked for {game!r}")
        return self._last_state(number)

    def _last_state(self, game: int) -> NDArray[np.void]:
        """Return the position in which the last step ended an episode of a game."""
        if self._before is None:
            raise ConfigError("the end of an episode needs a batch made with make_vec(..., keep_final=True)")
        if not self._ended[game]:
            raise ValueError(f"the last step did not end an episode of game {game}")
        size = self.states.dtype.itemsize
        last = as_states(self._before[game * size : (game + 1) * size].copy().view(self.states.dtype))
        if self._taken[game] >= 0:
            mask = np.zeros(self.mask.shape[1], np.int8)
            self._kernels.step(last, 0, self._tables, int(self._taken[game]), self._log, mask)
        else:
            forfeit(last[0]["core"])
        return last

    # -- positions ---------------------------------------------------------------------------------------

    def views(self, games: ArrayLike, seeds: ArrayLike) -> NDArray[np.void]:
        """Return copies of positions as the seats to act may know them: hidden things redrawn, other dice.

        Args:
            games: Indices of games.
            seeds: One seed 0..2**63-1 for each, or one for all (each copy then gets its own from it).

        Returns:
            An array of records, shape (len(games),).

        Raises:
            ConfigError: There is no such game, or the seeds are not as many, or none.
        """
        indices = self._indices(games)
        numbers: NDArray[Any] = np.asarray(seeds)
        if numbers.ndim == 0:
            numbers = np.random.SeedSequence(check_seed(numbers.item())).generate_state(
                len(indices), np.uint64
            ) >> np.uint64(1)
        wrong = len(numbers) and (numbers.dtype.kind not in "iu" or numbers.min() < 0)
        if wrong or numbers.shape != indices.shape:
            raise ConfigError(
                f"views takes one seed 0..2**63-1 for each of its {len(indices)} games, or one for all; got {seeds!r}"
            )
        size = self.states.dtype.itemsize
        copies = as_states(self._bytes.reshape(-1, size)[indices].reshape(-1).view(self.states.dtype))
        seats: list[int] = self.seat[indices].tolist()
        view = self._kernels.view
        for k, (seat, seed) in enumerate(zip(seats, numbers.tolist(), strict=True)):
            view(copies, k, self._tables, seat, signed(seed))
        return copies

    def set_states(self, states: NDArray[np.void], check: bool = True) -> None:
        """Replace all positions and fill the arrays from them.

        Args:
            states: Records of this game at decisions (not over), shape (games,).
            check: Whether each is checked to be a possible position, which takes about a millisecond. Kernels trust
                records: without the check, one that no game led to may crash the process. Leave it out only for records
                that come from this process's own games.

        Raises:
            StateError: They are of another game or mission, not as many, over or impossible. Nothing is changed.
        """
        if not isinstance(states, np.ndarray):
            raise StateError(f"expected an array of {self.num_envs} records, got {type(states).__name__}")
        if states.shape != (self.num_envs,) or states.dtype != self.states.dtype:
            raise StateError(
                f"expected {self.num_envs} records of {self.game.name}, got shape {states.shape} and "
                f"{'its own' if states.dtype == self.states.dtype else 'another'} type of record"
            )
        size = self._bytes.size
        record = (
            np.ascontiguousarray(np.asarray(states))
            .view(np.uint8)
            .reshape(size)
            .copy()
            .view(self.states.dtype)
        )
        other = np.flatnonzero(
            record["core"]["mission"] != np.asarray(self._heads)["core"]["mission"][self.mission_of]
        )
        if len(other):
            raise StateError(
                f"some of the records are not of the mission of their game: game {other[0]} plays "
                f"{self.env_ids[self.mission_of[other[0]]]!r}"
            )
        if record["core"]["over"].any():
            raise StateError("some of the records are of games that are over; a batch holds games under way")
        if check:
            records = as_states(record)
            for k in range(self.num_envs):
                check_position(self.game, records, k, f"the position of game {k}")
        record["core"]["strict"] = 0
        self._bytes[:] = record.view(np.uint8)
        self._begun = True
        self._foreign = self._other_settings(record)
        self._ended[:] = 0
        self._clear_ends()
        self.seat[:] = record["core"]["seat"]
        self._memory[:] = 0
        for k in range(self.num_envs):
            self._kernels.legal(self.states, k, self._tables, self.mask[k])
            self._kernels.observe(self.states, k, self._tables, int(self.seat[k]), self.observation[k])

    def save_state(self) -> bytes:
        """Return all games as bytes (see `load_state`)."""
        face = {
            "results": self.episode_result.tolist(),
            "lengths": self.episode_length.tolist(),
            "counts": self.episode_count.tolist(),
        }
        return pack(self.game, self.env_id, self.states, face)

    def load_state(self, data: bytes) -> None:
        """Go on from what `save_state` of a batch of the same id and number of games returned.

        Raises:
            StateError: The bytes are damaged, or of another environment, version or number of games, or hold an
                impossible position. Nothing is changed.
        """
        record, face = unpack(self.game, self.env_id, data, self.num_envs)
        names = ("results", "lengths", "counts")
        if set(face) != set(names):
            raise StateError("these bytes hold one game, not a batch; make() makes what loads them")
        try:
            held = [np.array(face[name], np.int64) for name in names]
        except (ValueError, TypeError, OverflowError):
            held = []
        if any(numbers.shape != (self.num_envs,) for numbers in held) or not (
            held and (abs(held[0]) <= 2).all() and all((numbers >= 0).all() for numbers in held[1:])
        ):
            raise StateError(
                "the saved state says impossible things of the episodes that ended; save it again"
            )
        self.set_states(as_states(record.copy().view(self.states.dtype)))
        self.episode_result[:], self.episode_length[:], self.episode_count[:] = held

    # -- the end -----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Let the threads go. Closing twice does no harm; the games can still be stepped, by one thread."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def __getstate__(self) -> NoReturn:
        """Refuse to be pickled or copied: threads cannot be.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            "a batch cannot be pickled or copied; make another with make_vec() and give it save_state()'s bytes "
            "by load_state()"
        )

    def __enter__(self) -> BatchEnv:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def first_seed(seed: int, game: int) -> int:
    """Return the seed of the first episode of a game of a batch; `BoardEnv.reset` with it begins the same.

    Args:
        seed: The batch's seed.
        game: Index of the game.
    """
    return derive_seed(seed, game)
