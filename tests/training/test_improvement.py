"""`training.improvement`: what actions were worth in imagined worlds, and fitting logits to it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from toy.game import GAME
from toy.learners import SMALL, make_learner

from broodmind.envs.core.errors import ConfigError
from broodmind.training.imitation import prepare
from broodmind.training.improvement import Positions, fit, gather, improve, improved_actions
from broodmind.training.learner import LeaguePPO
from broodmind.training.train import train

CONFIG = SMALL.replace(
    envs=16,
    row_units=4,
    improvement_positions=60,
    improvement_worlds=6,
    improvement_epochs=30,
    improvement_minibatch=16,
    improvement_scale=0.1,
)


def ready(rival: str = "random") -> LeaguePPO:
    """Return a learner that has measured observations."""
    learner = make_learner(CONFIG, rival)
    prepare(learner, CONFIG, CONFIG.agent, 3)
    return learner


def silent(agent: str, done: int, positions: int) -> None:
    pass


def lanes(verbs: str = "LANE") -> np.ndarray:
    return improved_actions(ready(), verbs)


@pytest.mark.parametrize("rival", ["random", "scripted"])
def test_positions_hold_legal_actions_and_what_they_were_worth_whatever_the_threads(rival: str) -> None:
    told: list[tuple[int, int]] = []
    positions = gather(
        ready(rival),
        CONFIG,
        "runner_0",
        5,
        lambda agent, done, wanted: told.append((done, wanted)),
    )
    assert positions.observations.shape == (60, GAME.observation.size)
    assert positions.actions.shape == positions.values.shape == (60, 16)
    assert (positions.there.sum(1) >= 2).all()
    assert bool((positions.values.abs() <= 1).all())
    assert bool((positions.values[~positions.there] == 0).all())
    assert told[-1] == (60, 60)
    again = gather(ready(rival), CONFIG.replace(threads=2), "runner_0", 5, silent)
    assert torch.equal(positions.actions, again.actions)
    assert torch.equal(positions.values, again.values)


def test_only_logits_of_the_verbs_named_are_changed() -> None:
    learner = ready()
    policy = learner.plain_policy
    improved = lanes()
    positions = gather(learner, CONFIG.replace(improvement_verbs="LANE"), "runner_0", 5, silent)
    assert bool(torch.from_numpy(improved)[positions.actions[positions.there]].all())
    before = policy.to_network("relu")
    fit(policy, positions, CONFIG, improved, 1)
    after = policy.to_network("relu")
    with torch.no_grad():
        changed = (after(positions.observations)[0] != before(positions.observations)[0]).any(0).numpy()
        assert torch.equal(after(positions.observations)[1], before(positions.observations)[1])
    assert changed[improved].any()
    assert not changed[~improved].any()


def test_what_is_worth_most_is_chosen_afterwards() -> None:
    learner = ready()
    lane = GAME.actions.base["LANE"]
    seen = torch.rand(400, GAME.observation.size)
    actions = torch.tensor([lane, lane + 1, lane + 2, -1]).expand(400, 4).contiguous()
    rows = GAME.observation.offsets["lanes"]
    best = seen[:, [rows, rows + 2, rows + 4]].argmax(1)
    values = torch.nn.functional.one_hot(best, 4).float() * 0.3
    found = fit(learner.plain_policy, Positions(seen, actions, values), CONFIG, lanes(), 1)
    assert found.positions == 400
    assert found.after > 0.1  # 0.2 is all there is, and chance gives 0
    assert found.after > found.before
    assert found.error > 0


def test_a_run_improves_and_tells_of_it(tmp_path: Path) -> None:
    train(CONFIG, tmp_path / "run", progress=False)
    lines = [json.loads(line) for line in (tmp_path / "run/progress.jsonl").read_text().splitlines()]
    (line,) = [line for line in lines if line["kind"] == "improvement"]
    assert (line["agent"], line["positions"]) == ("runner_0", 60)


def test_unknown_verbs_are_refused() -> None:
    assert improved_actions(ready(), "").all()
    with pytest.raises(ConfigError, match=r"no verb 'JUMP'; verbs: .*LANE"):
        improve(ready(), CONFIG.replace(improvement_verbs="LANE,JUMP"), "runner_0", 1, silent)


def test_a_run_refuses_unknown_verbs_before_it_imitates_anybody(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no verb 'JUMP'"):
        train(
            CONFIG.replace(improvement_verbs="JUMP", imitation_steps=10**9), tmp_path / "run", progress=False
        )


def test_too_few_positions_are_refused() -> None:
    with pytest.raises(ConfigError, match="improvement_positions = 3: expected 0, or at least 20"):
        CONFIG.replace(improvement_positions=3)
