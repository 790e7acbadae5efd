"""Stable-Baselines3's `VecEnv` directly on the batch of games: no processes, no Python per game.

The learner holds one seat. Whatever the opponents do between two decisions of the learner is folded into one
transition: its reward is the sum over that interval (the loser gets -1), and its next observation is the
learner's own.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn

from broodmind.agents.policy import Policy
from broodmind.agents.seeds import draw_seeds
from broodmind.envs.core.registration import make_vec


@dataclass(frozen=True)
class Opponent:
    """Someone the learner meets.

    Args:
        name: Label in statistics, such as ``"scripted"`` or ``"latest"``.
        policy: Who chooses.
        weight: Share of games against it, relative to the others' weights.
    """

    name: str
    policy: Policy
    weight: float = 1.0


@dataclass
class Tally:
    """Results of the learner against one opponent."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    score: float = 0.0  # sum of the learner's final rewards

    def add(self, other: Tally) -> None:
        """Add the results of another tally."""
        self.games += other.games
        self.wins += other.wins
        self.draws += other.draws
        self.score += other.score

    def to_dict(self) -> dict[str, float]:
        """Return the counts and the win rate as JSON-able values."""
        return {
            "games": self.games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.games - self.wins - self.draws,
            "win_rate": self.wins / self.games if self.games else 0.0,
            "mean_reward": self.score / self.games if self.games else 0.0,
        }


Tallies = dict[tuple[str, str], Tally]
"""Results by environment id and opponent."""


def by_opponent(tallies: Mapping[tuple[str, str], Tally]) -> dict[str, Tally]:
    """Return the results against each opponent, those of all environments together."""
    pooled: dict[str, Tally] = {}
    for (_, opponent), tally in tallies.items():
        pooled.setdefault(opponent, Tally()).add(tally)
    return pooled


class Statistics:
    """What happened in the games that ended since `take` was last called."""

    def __init__(self) -> None:
        self.tallies: Tallies = {}
        self.lengths: list[int] = []

    def add(self, env_id: str, opponent: str, reward: float, length: int) -> None:
        """Count a game of an environment: the learner's final reward, and its decisions in it."""
        tally = self.tallies.setdefault((env_id, opponent), Tally())
        tally.games += 1
        tally.wins += reward > 0
        tally.draws += reward == 0
        tally.score += reward
        self.lengths.append(length)

    def take(self) -> Statistics:
        """Return the statistics so far and start afresh."""
        taken = Statistics()
        taken.tallies, taken.lengths = self.tallies, self.lengths
        self.tallies, self.lengths = {}, []
        return taken


class LearnerVecEnv(VecEnv):
    """A batch of games in which the learner holds one seat and opponents of a pool the other.

    Each game draws its opponent when an episode begins. Games in which the opponent is to move are stepped,
    all of them together and grouped by opponent, until the learner is to move in every game; the others wait.

    Args:
        env_id: The environment; or several of one game, among which the games are divided evenly (`BatchEnv`).
        agent: The learner's agent.
        num_envs: Number of games.
        opponents: Whom the learner meets, in every environment; keep them few (each is one forward pass per round).
        seed: Seed of games, of the draw of opponents and of their choices.
        num_threads: Threads of the batch; None: one per core.
        bootstrap_truncation: Whether a game that ``max_turns`` cut is told as ``TimeLimit.truncated``, so that the
            learner adds the value of the last observation; otherwise it ends as the draw that evaluation counts.
        **options: Passed to `make_vec` (``layout``, ``max_turns``, mission options).

    Attributes:
        environment_seconds: Time spent in the batch and in gathering arrays, summed up.
        opponent_seconds: Time that opponents took to choose, summed up.
        statistics: Results of the games that ended.

    Raises:
        UnknownEnvironmentError, ConfigError: See `make_vec`.
        ValueError: The game has no such agent, or there are no opponents.
    """

    def __init__(
        self,
        env_id: str | Sequence[str],
        agent: str,
        num_envs: int,
        opponents: Sequence[Opponent],
        seed: int = 0,
        num_threads: int | None = None,
        bootstrap_truncation: bool = True,
        **options: Any,
    ) -> None:
        self.bootstrap_truncation = bootstrap_truncation
        self.batch = make_vec(
            env_id, num_envs, seed=seed, num_threads=num_threads, keep_final=True, **options
        )
        self.game = game = self.batch.game
        if agent not in game.agents:
            raise ValueError(f"{game.title} has no agent {agent!r}; its agents are {', '.join(game.agents)}")
        self.agent = agent
        self.learner_seat = game.agents.index(agent)
        self.rng = np.random.default_rng(np.random.SeedSequence([seed, self.learner_seat]))
        self.render_mode = None
        self.statistics = Statistics()
        self.environment_seconds = 0.0
        self.opponent_seconds = 0.0
        observation_space = spaces.Box(-np.inf, np.inf, (game.observation.size,), np.float32)
        super().__init__(num_envs, observation_space, spaces.Discrete(game.actions.size))
        self.opponent_of = np.zeros(num_envs, np.int64)
        self.lengths = np.zeros(num_envs, np.int64)
        self.rewards = np.zeros(num_envs, np.float32)
        self.dones = np.zeros(num_envs, np.bool_)
        self.actions = np.zeros(num_envs, np.int64)
        self.infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        self.touched: list[int] = []
        self.restored = False
        self.set_opponents(opponents)

    # -- opponents -------------------------------------------------------------------------------------------

    def set_opponents(self, opponents: Sequence[Opponent]) -> None:
        """Replace the opponents; games under way continue against newly drawn ones, and count for none of them.

        Raises:
            ValueError: There are none, or none has a positive weight.
        """
        weights = np.array([opponent.weight for opponent in opponents], np.float64)
        if not len(weights) or weights.sum() <= 0:
            raise ValueError("at least one opponent needs a positive weight")
        self.opponents = tuple(opponents)
        self.odds = np.cumsum(weights / weights.sum())
        self.begun_with_others = self.lengths > 0
        """Games that an opponent of before has played in: nobody's result."""
        self._draw_opponents(np.arange(self.num_envs))

    def _draw_opponents(self, games: NDArray[np.int64]) -> None:
        drawn = np.searchsorted(self.odds, self.rng.random(len(games)), side="right")
        self.opponent_of[games] = np.minimum(drawn, len(self.opponents) - 1)

    # -- playing ---------------------------------------------------------------------------------------------

    def reset(self) -> NDArray[np.float32]:
        """Begin an episode in every game and play on to the learner's first decisions.

        Returns:
            Observations, shape (games, observation size).
        """
        if self.restored:
            self.restored = False
        else:
            started = time.perf_counter()
            self.batch.reset()
            self.environment_seconds += time.perf_counter() - started
            self._draw_opponents(np.arange(self.num_envs))
            self.lengths[:] = 0
            self.begun_with_others[:] = False
        self._begin_transition()
        self._play_opponents()
        return self._observations()

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the learner's actions, shape (games,); `step_wait` executes them."""
        self.actions[:] = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Execute the learner's actions and the opponents' answers.

        Returns:
            Observations (games, observation size), rewards (games,), dones (games,), and one info dictionary
            per game, empty unless an episode of the game ended: then ``terminal_observation``,
            ``TimeLimit.truncated``, ``episode`` (reward ``r``, learner's decisions ``l``), ``opponent`` and
            ``environment`` (its id).
        """
        self._begin_transition()
        self.lengths += 1
        self._step(None)
        self._play_opponents()
        return self._observations(), self.rewards.copy(), self.dones.copy(), self.infos

    def _begin_transition(self) -> None:
        for k in self.touched:
            self.infos[k] = {}
        self.touched.clear()
        self.rewards[:] = 0
        self.dones[:] = False

    def _observations(self) -> NDArray[np.float32]:
        # A copy: sb3 stores the observation it was given before only after the next step.
        started = time.perf_counter()
        observations = self.batch.observation.copy()
        self.environment_seconds += time.perf_counter() - started
        return observations

    def _play_opponents(self) -> None:
        """Step games in which an opponent is to move until the learner is to move everywhere."""
        while True:
            waiting = np.flatnonzero(self.batch.seat != self.learner_seat)
            if not len(waiting):
                return
            self._choose(waiting)
            self._step(waiting)

    def _choose(self, games: NDArray[np.int64]) -> None:
        started = time.perf_counter()
        owners = self.opponent_of[games]
        for index, opponent in enumerate(self.opponents):
            mine = games[owners == index]
            if not len(mine):
                continue
            positions = None
            if opponent.policy.needs_position:
                positions = self.batch.views(mine, draw_seeds(self.rng, len(mine)))
            self.actions[mine] = opponent.policy.act_batch(
                self.batch.observation[mine], self.batch.mask[mine], self.rng, positions
            )
        self.opponent_seconds += time.perf_counter() - started

    def _step(self, games: NDArray[np.int64] | None) -> None:
        """Step some games (None: all) by ``self.actions``, and book what ended."""
        started = time.perf_counter()
        self.batch.step(self.actions, games)
        ended = np.flatnonzero(self.batch.terminated | self.batch.truncated)
        if len(ended):
            self._finish(ended)
        self.environment_seconds += time.perf_counter() - started

    def _finish(self, ended: NDArray[np.int64]) -> None:
        for k in ended:
            reward = float(self.batch.rewards[k, self.learner_seat])
            length = int(self.lengths[k])
            if length == 0:
                continue  # over before the learner's first decision: there is no transition to book it on
            env_id = self.batch.env_ids[self.batch.mission_of[k]]
            opponent = self.opponents[self.opponent_of[k]].name
            if not self.begun_with_others[k]:
                self.statistics.add(env_id, opponent, reward, length)
            self.rewards[k] = reward
            self.dones[k] = True
            self.infos[k] = {
                "terminal_observation": self.batch.final_observation(int(k), self.learner_seat),
                "TimeLimit.truncated": bool(self.batch.truncated[k]) and self.bootstrap_truncation,
                "episode": {"r": reward, "l": length},
                "opponent": opponent,
                "environment": env_id,
            }
            self.touched.append(int(k))
        self.lengths[ended] = 0
        self.begun_with_others[ended] = False
        self._draw_opponents(ended)

    # -- keeping and restoring -------------------------------------------------------------------------------

    def snapshot(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Return the games under way.

        Returns:
            Their states as bytes, shape (games, record size), and the learner's decisions in each, shape
            (games,).
        """
        states = np.ascontiguousarray(self.batch.states).view(np.ndarray)
        return states.view(np.uint8).reshape(self.num_envs, -1).copy(), self.lengths.copy()

    def restore(self, states: NDArray[np.uint8], lengths: NDArray[np.int64]) -> None:
        """Go on with the games of a `snapshot`; the next `reset` keeps them.

        Raises:
            ValueError: The snapshot is of another number of games or of another game.
            StateError: A game is not a possible position.
        """
        expected = (self.num_envs, self.game.state_dtype.itemsize)
        if states.shape != expected or states.dtype != np.uint8 or lengths.shape != (self.num_envs,):
            raise ValueError(
                f"expected games of shape {expected} as uint8, got {states.shape} {states.dtype}"
            )
        self.batch.set_states(np.ascontiguousarray(states).view(self.game.state_dtype).reshape(self.num_envs))
        self.lengths[:] = lengths
        self.begun_with_others = self.lengths > 0
        self.restored = True

    # -- the rest of VecEnv ----------------------------------------------------------------------------------

    def action_masks(self) -> NDArray[np.int8]:
        """Return the masks of the decisions at hand, 1 for legal actions, shape (games, actions)."""
        return self.batch.mask

    def _indices(self, indices: VecEnvIndices) -> Iterable[int]:
        return self._get_indices(indices)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method; ``action_masks`` (which sb3-contrib asks for) gives one row per game.

        Raises:
            AttributeError: Games of a batch have no other methods.
        """
        if method_name != "action_masks":
            raise AttributeError(f"games of a batch have no method {method_name!r}")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[k] for k in self._indices(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute of this environment, once per game."""
        value = getattr(self, attr_name)
        return [value for _ in self._indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refuse: games of a batch have no attributes of their own.

        Raises:
            AttributeError: Always.
        """
        raise AttributeError("games of a batch have no attributes of their own")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """Return False per game: nothing is wrapped (episode statistics come in the infos all the same)."""
        return [False for _ in self._indices(indices)]

    def close(self) -> None:
        """Release the threads of the batch."""
        self.batch.close()
