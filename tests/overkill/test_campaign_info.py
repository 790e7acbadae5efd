"""What the end of a campaign tells: victories and ratings, in every face and in evaluations."""

from __future__ import annotations

import numpy as np
import pytest

import broodmind
from broodmind.agents.specs import make_policy
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.single import SoloEnv
from broodmind.envs.overkill.game import GAME
from broodmind.scripts.evaluate import campaign_of
from broodmind.training.evaluate import evaluate, payoff_matrix

ID = "overkill/campaign-v0"
AGENTS = ("deathwatch_0", "cult_0")


@pytest.mark.parametrize(
    ("results", "deathwatch", "cult"),
    [
        ([2] * 9, (9, 5), (0, 0)),
        ([2, -2, 0, 2, -2, 2, 2, 0, -2], (4, 2), (3, 2)),
        ([-2, -2, -2, -2, -2, -2, -2, 0, 2], (1, 1), (7, 4)),
    ],
)
def test_ovk_c08_victories_are_counted_and_rated(
    results: list[int], deathwatch: tuple[int, int], cult: tuple[int, int]
) -> None:
    env = broodmind.make(ID)
    env.reset(seed=1)
    env.states[0]["results"] = results
    for seat, (victories, rating) in enumerate((deathwatch, cult)):
        assert GAME.final_info(env.states, 0, seat) == {"victories": victories, "rating": rating}


def test_only_the_campaign_tells_more_at_its_end() -> None:
    for mission in GAME.missions:
        env = broodmind.make(mission.id, illegal_action="forfeit")
        env.reset(seed=1)
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]))
        for agent in AGENTS:
            told = set(env.infos[agent]) - {"result", "turns", "decisions", "forfeited_by"}
            assert told == set(mission.final_info) == ({"victories", "rating"} if mission.id == ID else set())


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_a_whole_campaign_tells_its_victories_in_every_face() -> None:
    solo = SoloEnv(ID, agent="cult_0", opponent="scripted")
    _, info = solo.reset(seed=3)
    ended = False
    while not ended:
        assert "victories" not in info
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, truncated, info = solo.step(action)
        ended = terminated or truncated
    board = solo.board
    results = np.asarray(board.states)[0]["results"]
    assert board.infos["deathwatch_0"]["victories"] == (results > 0).sum()
    assert info["victories"] == (results < 0).sum()
    assert info["rating"] == (info["victories"] + 1) // 2


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_an_evaluation_of_campaigns_has_their_means() -> None:
    found = evaluate(ID, {"deathwatch_0": "scripted", "cult_0": "random"}, games=3, num_envs=2)
    assert found.layout == "standard"
    one, two = (seat.final_info for seat in found.seats)
    assert set(one) == set(two) == {"victories", "rating"}
    assert 0 < one["victories"] + two["victories"] <= 9
    assert one["victories"] > two["victories"]
    assert found.rows()[0]["final_info"] == one
    header, first = found.to_markdown().splitlines()[2], found.to_markdown().splitlines()[4]
    assert header.endswith("| mean victories | mean rating |")
    assert first.endswith(f"| {one['victories']:.2f} | {one['rating']:.2f} |")
    assert [table.row_count for table in found.final_tables()] == [3 + 4]


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_a_matrix_of_campaigns_tells_victories_and_ratings_of_every_pairing() -> None:
    scripted = [make_policy("scripted", ID, agent) for agent in AGENTS]
    one, other = ([policy] for policy in scripted)
    matrix = payoff_matrix(ID, one, other, games=2, num_envs=2)
    seats = matrix.cells[0][0].seats
    *_, head, _, line = matrix.to_markdown().splitlines()
    assert head == (
        "| deathwatch_0 | cult_0 | mean decisions | mean turns | truncated | "
        "mean victories of deathwatch_0 | mean victories of cult_0 | "
        "mean rating of deathwatch_0 | mean rating of cult_0 |"
    )
    figures = [seat.final_info[name] for name in ("victories", "rating") for seat in seats]
    assert line.startswith("| scripted | scripted | ")
    assert line.endswith(f" | 0 | {' | '.join(f'{figure:.2f}' for figure in figures)} |")
    assert [table.row_count for table in matrix.final_tables()] == [3 + 4]


def test_the_option_campaign_finds_the_campaign_of_a_game() -> None:
    for name in ("overkill", "overkill/killstorm-v0", "overkill/*", ID):
        assert campaign_of(name) == ID
    with pytest.raises(ConfigError, match=r"macragge/\*: no campaign; games with one: overkill"):
        campaign_of("macragge/*")


def test_other_evaluations_are_as_they_were() -> None:
    found = evaluate(
        "overkill/killstorm-v0",
        {"deathwatch_0": "random", "cult_0": "random"},
        games=1,
        num_envs=1,
        max_turns=1,
    )
    assert "final_info" not in found.rows()[0]
    assert "mean victories" not in found.to_markdown()
