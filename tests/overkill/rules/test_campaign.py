"""Clauses C01..C08: nine missions in one episode, and what each leaves to the next."""

from __future__ import annotations

import pytest
from overkill.rules.table import (
    END,
    Table,
    fresh,
    kind,
    marine,
    position,
    profile,
    to_turn,
    zone,
)

import broodmind
from broodmind.envs.overkill import state as st


def campaign(mission: int, results: list[int], teams: list[list[str]] | None = None) -> Table:
    """Return the campaign just before a mission ends by the turn limit, with given results of the earlier ones."""
    previous = mission - 1
    table = position(
        previous, "DATT2", marines={"grytt": 20, "donatus": 21}, turn=20, cult={"patriarch": [0]}
    )
    data = table.env.to_dict()
    data["core"] |= {"environment": "overkill/campaign-v0", "max_turns": 20}
    data |= {"mission": previous, "results": results, "played": previous - 1, "teams": teams or []}
    env = broodmind.make("overkill/campaign-v0", skip_forced=False)
    env.reset(options={"state": data, "dice": []})
    return Table(env).do(END)


def test_ovk_c01_the_next_mission_begins_with_all_marines() -> None:
    table = campaign(2, [])
    assert table.number("mission") == 2
    assert table.stage == "TEAM"
    assert table.winner == ""
    assert table.record["results"][0] == 0


def test_ovk_c02_marines_of_mission_1_rest_in_mission_2() -> None:
    assert campaign(2, []).offered("MARINE") == set(range(11)) - {st.GRYTT, st.DONATUS}
    assert campaign(3, [0]).offered("MARINE") == set(range(11))


@pytest.mark.parametrize(
    ("mission", "results", "hand"),
    [
        (2, [], 7),
        (3, [0], 0),
        (4, [0, -2], 6),
        (4, [0, -2, 0], 6),
        (5, [0, -2, 2], 5),
        (8, [0, 0, 0, 0, 0, -2], 8),
    ],
)
def test_ovk_c03_the_hand_follows_from_earlier_results(mission: int, results: list[int], hand: int) -> None:
    assert campaign(mission, results[: mission - 2]).number("hand_size") == hand


def test_ovk_c03_a_lost_first_mission_gives_a_card_in_the_second() -> None:
    table = fresh(2, hand=1)
    assert table.number("hand_size") == 8


def test_ovk_c04_fewer_ambushes_after_mission_4() -> None:
    table = campaign(6, [0, 0, 0, 2])
    assert (table.number("lay_min"), table.number("lay_max")) == (3, 3)


def test_ovk_c05_a_small_team_after_a_lost_mission_5() -> None:
    assert fresh(6, small_team=True).number("team_size") == 3


def test_ovk_c06_a_slain_marine_of_mission_7_starts_wounded() -> None:
    marines = {"grytt": 20, "donatus": "slain"}
    table = position(7, marines=marines, cult={"purestrain": [20]})
    data = table.env.to_dict()
    data["core"]["environment"] = "overkill/campaign-v0"
    data |= {"mission": 7, "results": [], "played": 6}
    env = broodmind.make("overkill/campaign-v0", skip_forced=False)
    env.reset(options={"state": data, "dice": []})
    table = Table(env).strike(20, "purestrain", "grytt", [4, 4, 4])
    assert table.stage == "CAMPAIGN_PICK"
    assert table.offered("MARINE") == {st.GRYTT, st.DONATUS}
    table = to_turn(table.do(marine("donatus")))
    assert table.number("mission") == 8
    assert table.wounds("donatus") == 1


def test_ovk_c07_a_lost_mission_8_means_a_late_start() -> None:
    assert campaign(9, [0] * 7).number("late") == 0
    assert fresh(9, late_start=True).number("late") == 1


def test_ovk_c08_the_winner_of_mission_9_wins_the_campaign() -> None:
    table = position(9, "DATT", marines={"gydrael": 0}, cult={"patriarch": [0]}, wounded=["patriarch"])
    data = table.env.to_dict()
    data["core"]["environment"] = "overkill/campaign-v0"
    data |= {"mission": 9, "results": [-2] * 8, "played": 8}
    env = broodmind.make("overkill/campaign-v0", skip_forced=False)
    env.reset(options={"state": data, "dice": []})
    table = Table(env).do(marine("gydrael"), profile(0), zone(0), kind("patriarch"), dice=[3, 1, 1, 2])
    assert table.winner == "deathwatch"
    assert table.env.question().endswith("has won 1 mission: Battle-brother.")
