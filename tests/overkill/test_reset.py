"""What a reset of Overkill may be asked for: planned draws and the team."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import broodmind
from broodmind.envs.core import replay as replays
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st

TEAM = ["setorax", "cassius", "grytt", "donatus"]
CARDS = [names.card_name(c) for c in (8, 2, 5, 0, 11)]


def hand(env: Any) -> set[str]:
    """Return the names of the cards in hand."""
    return {names.card_name(int(c)) for c in np.flatnonzero(env.states["card_at"][0] == st.CARD_HAND)}


def muster(env: Any) -> None:
    """Place the team, by the first choice each time, and go on to turn 1."""
    while env.states["core"]["turn"][0] == 0:
        env.step(env.legal_actions()[0])


def test_a_team_is_named_and_the_first_hand_is_what_was_planned() -> None:
    env = broodmind.make("overkill/killstorm-v0")
    env.reset(seed=1, options={"team": TEAM, "cards": CARDS})
    assert env.phase_name() == "TEAM_ZONE"
    assert [event.kind for event in env.events()] == ["mission_began"] + 4 * ["named"]
    assert {m for m in range(st.MARINES) if env.states["team"][0] >> m & 1} == {
        st.MARINE_IDS.index(marine) for marine in TEAM
    }
    muster(env)
    assert hand(env) == set(CARDS)
    assert env.states["draw_count"][0] == 0
    env.reset(seed=1)
    assert env.phase_name() == "TEAM"
    assert not env.states["draws"].any()


def test_the_first_named_is_the_first_where_it_matters() -> None:
    env = broodmind.make("overkill/recover-v0")
    env.reset(seed=1, options={"team": [*TEAM, "branatar", "redblade"]})
    assert env.states["first"][0] == st.SETORAX
    assert env.phase_name() == "HOMER"  # Branatar's homer is given to somebody next


def test_the_campaign_takes_the_team_of_its_first_mission() -> None:
    env = broodmind.make("overkill/campaign-v0")
    env.reset(seed=1, options={"team": TEAM, "cards": CARDS[:3]})
    muster(env)
    assert set(CARDS[:3]) < hand(env)


def test_draws_are_planned_for_a_position_too() -> None:
    env = broodmind.make("overkill/killstorm-v0")
    env.reset(seed=1, options={"team": TEAM})
    position = env.to_dict()
    env.reset(options={"state": position, "cards": CARDS})
    assert env.to_dict()["draws"][:5] == CARDS
    assert env.problems() == []
    with pytest.raises(ConfigError, match="'state' or 'team', not both"):
        env.reset(options={"state": position, "team": TEAM})


@pytest.mark.parametrize(
    ("env_id", "options", "message"),
    [
        ("killstorm-v0", {"team": TEAM[:3]}, "expected 4 different marines"),
        ("killstorm-v0", {"team": [*TEAM[:3], "grytt"]}, "expected 4 different marines"),
        ("killstorm-v0", {"team": [*TEAM[:3], "gryt"]}, "perhaps you meant 'grytt'"),
        ("killstorm-v0", {"team": "grytt"}, "expected a list of marines"),
        ("killstorm-v0", {"cards": ["Firing Lime"]}, "perhaps you meant 'Firing Line'"),
        ("killstorm-v0", {"cards": [8]}, "expected a list of names of cards"),
        ("killstorm-v0", {"cards": 2 * CARDS[:1]}, "twice"),
        ("killstorm-v0", {"cards": 4 * CARDS}, "names 20 cards; expected 16 at most"),
        ("killstorm-v0", {"cards": [names.card_name(29)]}, "expected a card of the deck of this mission"),
        ("alpha-threat-v0", {"team": TEAM}, "reset has no option 'team'"),
        ("killstorm-v0", {"card": CARDS}, "perhaps you meant 'cards'"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_changed(
    env_id: str, options: dict[str, Any], message: str
) -> None:
    env = broodmind.make(f"overkill/{env_id}")
    env.reset(seed=3)
    before = env.save_state()
    with pytest.raises(ConfigError, match=message):
        env.reset(seed=4, options=options)
    assert env.save_state() == before


def test_a_replay_keeps_what_a_reset_was_asked_for(tmp_path: Path) -> None:
    recorder = replays.Recorder(broodmind.make("overkill/killstorm-v0"))
    recorder.reset(5, {"team": TEAM, "cards": CARDS})
    for _ in range(12):
        recorder.step(recorder.env.legal_actions()[-1])
    file = replays.write(recorder.replay, tmp_path / "game.jsonl")
    assert replays.verify(file).matches
