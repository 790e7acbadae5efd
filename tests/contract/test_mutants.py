"""The kit itself, proven: every planted fault must be caught by the check that is there for it."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from contract import kit
from toy import kernel as K  # noqa: N812 (constants and kernels of one module)
from toy.game import ToyGame

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.core.game import Mission
from broodmind.envs.core.registration import register_game, unregister_game


def hidden_move(mask: Any) -> None:
    """The mask hides a legal move."""
    if mask[K.THROW] and mask[K.HOLD]:
        mask[K.THROW] = 0


def offered_move(mask: Any) -> None:
    """The mask offers an illegal move."""
    if mask[K.THROW]:
        mask[K.CALL] = 1


def empty_mask(mask: Any) -> None:
    """The mask is empty at a decision."""
    if mask[K.THROW]:
        mask[:] = 0


def with_mask(change: Any) -> dict[str, Any]:
    def step(states: Any, i: int, tables: Any, action: int, log: Any, mask: Any) -> None:
        K.step(states, i, tables, action, log, mask)
        change(mask)

    def legal(states: Any, i: int, tables: Any, mask: Any) -> None:
        K.legal(states, i, tables, mask)
        change(mask)

    return {"step": step, "legal": legal}


def stale_seed() -> dict[str, Any]:
    """The seed is ignored when the same instance is reset again."""
    seen: dict[int, int] = {}

    def reset(states: Any, i: int, tables: Any, log: Any, mask: Any) -> None:
        core = states[i]["core"]
        count = seen[id(states)] = seen.get(id(states), -1) + 1
        if count:
            core["key"] = core["key"] + count
        K.reset(states, i, tables, log, mask)

    return {"reset": reset}


def unseeded() -> dict[str, Any]:
    """The board is drawn from elsewhere than the state's generator."""

    def reset(states: Any, i: int, tables: Any, log: Any, mask: Any) -> None:
        K.reset(states, i, tables, log, mask)
        states[i]["clear"] = np.random.default_rng().integers(3)

    return {"reset": reset}


def leaky_observation() -> dict[str, Any]:
    """A seat sees the other's hand."""

    def observe(states: Any, i: int, tables: Any, seat: int, observation: Any) -> None:
        K.observe(states, i, tables, seat, observation)
        observation[14] = states[i]["hand"][1 - seat] / 6

    return {"observe": observe}


def foreseen_dice() -> dict[str, Any]:
    """The observation depends on the generator."""

    def observe(states: Any, i: int, tables: Any, seat: int, observation: Any) -> None:
        K.observe(states, i, tables, seat, observation)
        observation[14] = (int(states[i]["core"]["key"]) & 1) / 2

    return {"observe": observe}


def stale_rows() -> dict[str, Any]:
    """The batch forgets to rewrite one number of the observation."""

    def step_range(
        states: Any, start: int, stop: int, tables: Any, actions: Any, observation: Any, *rest: Any
    ) -> None:
        old = observation[start:stop, 2].copy()
        K.step_range(states, start, stop, tables, actions, observation, *rest)
        observation[start:stop, 2] = old

    return {"step_range": step_range}


def unequal_rewards() -> dict[str, Any]:
    """A truncated game has a winner."""

    def step(states: Any, i: int, tables: Any, action: int, log: Any, mask: Any) -> None:
        K.step(states, i, tables, action, log, mask)
        if states[i]["core"]["truncated"]:
            states[i]["core"]["result"] = 2

    return {"step": step}


class SharingEnv(BoardEnv):
    """Its clones share the state's memory."""

    def clone(self, reseed: int | None = None) -> BoardEnv:
        twin = super().clone(reseed)
        twin.states, twin._bytes, twin._core = self.states, self._bytes, self._core
        return twin


class ForgetfulEnv(BoardEnv):
    """Its copies forget the planned dice."""

    def __setstate__(self, held: dict[str, Any]) -> None:
        super().__setstate__(held)
        self._reseed(1)


class MutantGame(ToyGame):
    """The toy with some kernels replaced."""

    name = "mutant"
    missions = tuple(
        Mission(
            m.id.replace("toy", "mutant"), m.number, m.title, m.max_turns, m.summary, m.layouts, m.options
        )
        for m in ToyGame.missions
    )

    def __init__(self, changes: dict[str, Any]) -> None:
        self.changes = changes

    def kernels(self) -> Any:
        return SimpleNamespace(**{**vars(K), **self.changes})


MUTANTS = [
    (with_mask(hidden_move), "race", kit.check_mask, "hidden"),
    (with_mask(offered_move), "race", kit.check_mask, "offered"),
    (with_mask(empty_mask), "race", kit.check_mask, "strands|empty|hidden"),
    (stale_seed(), "race", kit.check_seeds, "same instance"),
    (unseeded(), "race", kit.check_seeds, "instance"),
    (leaky_observation(), "bluff", kit.check_hidden, "hidden things"),
    (foreseen_dice(), "race", kit.check_hidden, "hidden things"),
    (stale_rows(), "race", kit.check_batch, "stale"),
    (stale_rows(), "race", kit.check_rows, "stale"),
    (unequal_rewards(), "bluff", kit.check_truncation, "winner"),
]


@pytest.fixture
def plant() -> Iterator[Any]:
    def register(changes: dict[str, Any]) -> None:
        register_game(MutantGame(changes))

    yield register
    unregister_game("mutant")


@pytest.mark.parametrize(("changes", "mission", "check", "message"), MUTANTS, ids=range(len(MUTANTS)))
def test_planted_faults_of_games_are_caught(
    changes: dict[str, Any], mission: str, check: Any, message: str, plant: Any
) -> None:
    plant(changes)

    def repeatedly() -> None:
        for _ in range(5):  # an unseeded reset is right by luck now and then
            check(lambda **settings: broodmind.make(f"mutant/{mission}-v0", **settings))

    with pytest.raises(AssertionError, match=message):
        repeatedly()


def test_the_unchanged_game_passes_where_mutants_fail(plant: Any) -> None:
    plant({})
    checks: dict[int, Any] = {id(check): check for _, _, check, _ in MUTANTS}
    for mission in ("race", "bluff"):
        for check in checks.values():
            check(lambda mission=mission, **settings: broodmind.make(f"mutant/{mission}-v0", **settings))


@pytest.mark.parametrize("faulty", [SharingEnv, ForgetfulEnv])
def test_planted_faults_of_copies_are_caught(faulty: type[BoardEnv]) -> None:
    with pytest.raises(AssertionError, match="copy"):
        kit.check_copies(lambda **settings: faulty("toy/race-v0", **settings))
