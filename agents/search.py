"""The search player: tries candidate actions in imagined continuations and keeps the best.

Flat Monte Carlo with sequential halving. At each decision

1. candidates are taken: all legal actions, or, where there are too many for the budget, the scripted player's
   choice and then one action of each verb in turn, at random within the verb;
2. every candidate is played out in several imagined worlds, all candidates in the *same* worlds, so that luck
   cancels out of the comparison;
3. the better half stays and is played out in further worlds, until the budget is used; the best mean wins.

An imagined world is a copy of the position that `Kernels.view` re-seeds and whose hidden parts it draws anew,
a fresh one for every simulation: neither coming dice nor hidden cards are ever foreseen.

Limits, by design: it looks for one good action, not for a plan (the continuation is played by the scripted or
random player of both seats, so an idea that needs a second good move of one's own is undervalued); it
averages over what it cannot see (determinisation), so it neither bluffs nor pays for information; and it
plays only as well as its budget: with ``N`` simulations a value in -1..1 is known to about ``1 / sqrt(N /
candidates)``.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from broodmind.agents.seeds import ActFromSeeds, decision_seeds, positions_or_refuse
from broodmind.envs.core.game import BOTH_SEATS, Game
from broodmind.envs.core.record import as_states, new_states

DEFAULT_LIMIT = 1000
"""Most decisions of one playout; a game not ended by then counts as a draw."""

FEWEST_WORLDS = 4
"""Worlds that each candidate is tried in at least, where the budget allows two candidates."""

_WORLD = 1  # purpose of decision seeds: the seeds of imagined worlds


class SearchPolicy(ActFromSeeds):
    """Flat Monte Carlo with sequential halving; see the module's documentation. Spec ``search:N``.

    Args:
        game: The game.
        simulations: Simulations per decision, at least 1.
        limit: Most decisions of one playout; a game not ended by then counts as a draw.
        scripted_playouts: Whether continuations are played by the scripted player (else at random).
        threads: How many games of a batch are searched at a time (None: one per processor). Does not change
            choices.
    """

    needs_position = True
    needs_observation = False

    def __init__(
        self,
        game: Game,
        simulations: int,
        limit: int = DEFAULT_LIMIT,
        scripted_playouts: bool = True,
        threads: int | None = None,
    ) -> None:
        if simulations < 1:
            raise ValueError(f"search needs at least 1 simulation per decision, got {simulations}")
        if limit < 1:
            raise ValueError(f"the limit of a playout is at least 1 decision, got {limit}")
        self.game = game
        self.simulations = simulations
        self.limit = limit
        self.scripted_playouts = scripted_playouts
        self.threads = threads or os.cpu_count() or 1
        options = []
        if limit != DEFAULT_LIMIT:
            options.append(f"limit={limit}")
        if not scripted_playouts:
            options.append("playout=random")
        self.spec = f"search:{simulations}" + ("?" + "&".join(options) if options else "")
        # The verb of each action, to spread a narrow choice of candidates over the kinds of action.
        self._verb = np.repeat(
            np.arange(len(game.actions.verbs)), [verb.count for verb in game.actions.verbs]
        )

    def act_seeded(
        self,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        seeds: NDArray[np.int64],
        positions: NDArray[np.void] | None = None,
    ) -> NDArray[np.int64]:
        """Choose for many games, see `SeededPolicy.act_seeded`.

        Raises:
            ValueError: No positions were given, or a mask has no legal action.
        """
        states = as_states(positions_or_refuse(self.spec, positions))
        count = len(states)
        if self.threads == 1 or count == 1:
            return np.array(
                [self._search(states, i, masks[i], int(seeds[i])) for i in range(count)], np.int64
            )
        self.game.kernels()  # imported before threads race to do so
        with ThreadPoolExecutor(min(self.threads, count)) as pool:
            chosen = pool.map(lambda i: self._search(states, i, masks[i], int(seeds[i])), range(count))
            return np.array(list(chosen), np.int64)

    def _candidates(
        self, states: NDArray[np.void], i: int, mask: NDArray[np.int8], seed: int
    ) -> NDArray[np.int64]:
        """Return the actions to try, the scripted player's choice first."""
        legal = np.flatnonzero(mask)
        if not len(legal):
            raise ValueError("a mask has no legal action: the episode of that game is over")
        most = max(2, self.simulations // FEWEST_WORLDS)
        first = int(self.game.kernels().scripted(states, i, self.game.tables(), seed))
        others = legal[legal != first]
        np.random.default_rng(seed).shuffle(others)
        if len(legal) > most:
            # Round robin over the verbs, in which the scripted choice has had its turn.
            verbs = self._verb[others]
            order = np.argsort(verbs, kind="stable")
            starts = np.searchsorted(verbs[order], verbs[order], side="left")
            turn_within_verb = np.empty(len(others), np.int64)
            turn_within_verb[order] = np.arange(len(others)) - starts
            turn_within_verb += self._verb[first] == verbs if mask[first] else 0
            others = others[np.argsort(turn_within_verb, kind="stable")][: most - 1]
        return np.concatenate(([first], others)) if mask[first] else others

    def _search(self, states: NDArray[np.void], i: int, mask: NDArray[np.int8], seed: int) -> int:
        """Return the choice for one position."""
        candidates = self._candidates(states, i, mask, seed)
        if len(candidates) == 1:
            return int(candidates[0])
        kernels, tables = self.game.kernels(), self.game.tables()
        view, step, playout = kernels.view, kernels.step, kernels.playout
        seat = int(states["core"]["seat"][i])
        sign = 1 if seat == 0 else -1
        # Slot 0 holds the imagined world, slot 1 is played on; rows of bytes are copied faster than records.
        scratch = new_states(states.dtype, 2)
        core = np.asarray(scratch)["core"]
        over, results = core["over"], core["result"]
        rows = np.asarray(scratch).view(np.uint8).reshape(2, -1)
        source = np.ascontiguousarray(np.asarray(states)[i : i + 1]).view(np.uint8)
        log = np.zeros((0, 8), np.int32)
        next_mask = np.empty(len(mask), np.int8)

        rounds = max(1, math.ceil(math.log2(len(candidates))))
        # More than enough worlds for the last round; the same seed gives the same world.
        worlds = decision_seeds(
            np.full(self.simulations, seed, np.uint64), np.arange(self.simulations), purpose=_WORLD
        ).tolist()
        actions = candidates.tolist()
        totals, tries = [0] * len(actions), [0] * len(actions)
        scripted_seats = BOTH_SEATS if self.scripted_playouts else 0
        alive = list(range(len(actions)))
        used = 0
        world = 0
        for round_number in range(rounds):
            share = (self.simulations - used) // (rounds - round_number)
            for _ in range(max(1, share // len(alive))):
                if used >= self.simulations:
                    break
                world_seed = worlds[world]
                world += 1
                rows[0] = source
                view(scratch, 0, tables, seat, world_seed)
                for index in alive:
                    if used >= self.simulations:
                        break
                    rows[1] = rows[0]
                    step(scratch, 1, tables, actions[index], log, next_mask)
                    if over[1]:
                        result = int(results[1])
                    else:
                        result = playout(
                            scratch, 1, tables, next_mask, self.limit, world_seed, scripted_seats
                        )
                    totals[index] += sign * result
                    tries[index] += 1
                    used += 1
            # Sorting is stable: ties go to the earlier candidate, the scripted choice first of all.
            alive.sort(key=lambda index: -totals[index] / tries[index] if tries[index] else math.inf)
            del alive[(len(alive) + 1) // 2 :]
        return actions[alive[0]]
