"""Words, dictionaries and pictures of positions that random play reaches."""

from __future__ import annotations

import json
import random
import re
from typing import Any

import numpy as np
import pytest
from overkill.rules.table import T, gambit, position, zone

import broodmind
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.record import new_states
from broodmind.envs.overkill import describe, names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.game import GAME
from broodmind.envs.overkill.validate import problems

IDS = [mission.id for mission in GAME.missions]


def walk(env_id: str, decisions: int, **options: Any) -> Any:
    env = broodmind.make(env_id, **options)
    env.reset(seed=2)
    choose = random.Random(4)
    for _ in range(decisions):
        if not env.legal_actions():
            return
        yield env
        env.step(choose.choice(env.legal_actions()))


@pytest.mark.parametrize("env_id", IDS)
def test_labels_of_legal_actions_differ(env_id: str) -> None:
    for env in walk(env_id, 60, skip_forced=False):
        labels = [env.label_action(action) for action in env.legal_actions()]
        assert len(set(labels)) == len(labels), labels


def test_every_stage_has_its_question() -> None:
    table = position(marines={"grytt": 0}, cult={"autogun": [0]})
    states = table.env.states.copy()
    for field in ("marine", "sel_zone", "sel_type", "card", "point", "target_zone", "attacker", "entry"):
        states[0][field] = 0
    for stage in range(len(st.STAGES)):
        states[0]["stage"] = stage
        assert describe.question(states, 0).endswith(("?", "."))
        for action in range(GAME.actions.size):
            assert GAME.action_label(states, 0, action)


def test_every_kind_of_event_has_a_sentence() -> None:
    for kind in st.EVENT_NAMES:
        row = np.array([kind, 0, 0, 0, 0, 0, 0, 0], np.int32)
        event = describe.event(row)
        assert event.kind == st.EVENT_NAMES[kind]
        assert event.sentence.endswith(".")
        json.dumps(dict(event.data))


@pytest.mark.parametrize("env_id", IDS)
def test_events_name_zones_and_points(env_id: str) -> None:
    kinds = set()
    for env in walk(env_id, 150):
        zones = names.zone_names(int(env.states["mission"][0]))
        for event in env.events():
            kinds.add(event.kind)
            assert not re.search(r"\b(zone|section) \d", event.sentence), event.sentence
            if event.kind == "placed":
                assert event.sentence.endswith(f"is placed in {zones[event.data['zone']]}.")
    assert {"placed", "moved", "laid"} <= kinds


def test_events_of_a_step_that_ends_a_mission_are_named_by_both_maps() -> None:
    rows = np.zeros((4, 8), np.int32)
    rows[0, :3] = st.EVENT_PLACED, 0, 3
    rows[1, :3] = st.EVENT_MISSION_OVER, 1, 2
    rows[2, :2] = st.EVENT_MISSION_BEGAN, 2
    rows[3, :3] = st.EVENT_PLACED, 0, 3
    states = new_states(st.STATE, 1)
    states["mission"] = 2
    one, _, _, two = describe.events(states, 0, rows)
    assert names.zone_names(1)[3] in one.sentence
    assert names.zone_names(2)[3] in two.sentence
    assert one.data == two.data


def test_a_gambit_tells_what_it_is_played_on() -> None:
    held = [c for c in range(st.CARDS) if int(T["gambit"][c]) == st.FERVOUR and T["deck"][1][c]]
    table = position(at="CATT", marines={"grytt": 0}, cult={"autogun": [0, 1]}, hand=(held[0],))
    table.do(gambit("fervour", held), zone(1))
    told = [event.sentence for event in table.env.events()]
    assert f"{names.gambit_name(st.FERVOUR)} is played on {names.zone_names(1)[1]}." in told


def test_models_have_names_of_their_own() -> None:
    found = [names.model_name(m) for m in range(st.MODELS)]
    assert len(set(found)) == st.MODELS
    assert found[0] == "Ortan Cassius"
    assert found[47] == "Genestealer Patriarch"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stage": "DMOVE"}, "stage DMOVE is not asked for in step"),
        ({"team": []}, "takes part, but is not in the team"),
        ({"slain": 3}, "slain is 3, but 0 marines are"),
        ({"homer": "Vael Donatus"}, "the homer is carried by nobody of the team"),
        ({"marine": "Nobody"}, "there is no 'Nobody'"),
        ({"speed": 3}, "there is no such key"),
        ({"models": {"Rodricus Grytt": {"zone": 200}}}, "expected a whole number"),
        ({"models": {"Rodricus Grytt": {"zone": 40}}}, "is in zone 40; expected 0..30"),
        (
            {"points": {"0": {"card": "Hammer Brutes"}}},
            "the cards on Ambush Points are not those that are laid",
        ),
        ({"cards": {"Hammer Brutes": "deck"}}, "does not fit this mission's deck"),
        ({"mission": 4}, "mission is 4; the environment is mission 1"),
        ({"first": "Vael Donatus"}, "somebody of the team was named first"),
        ({"skull_zone": 3}, "there is a skull, which only mission 3 has"),
        ({"destroyed": 1}, "sections are destroyed, which only mission 4 does"),
        ({"played": 2}, "missions were played before, which is so in the campaign only"),
        ({"results": [2]}, "missions were played before, which is so in the campaign only"),
    ],
)
def test_impossible_positions_are_refused(change: dict[str, Any], message: str) -> None:
    data = position(marines={"grytt": 0}, cult={"autogun": [0]}).env.to_dict()
    with pytest.raises(StateError, match=message.replace("(", r"\(")):
        GAME.from_dict({**data, **change})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stage": "DATT_ACT", "marine": "Vael Donatus"}, "the marine in hand is not on the board"),
        ({"stage": "DATT_ZONE", "marine": "Vael Donatus", "profile": 0}, "the marine in hand is not on"),
        (
            {"stage": "DATT_TYPE", "marine": "Rodricus Grytt", "profile": 1, "target_zone": 0},
            "stage DATT_TYPE needs attacker",
        ),
        (
            {"stage": "DATT_TYPE", "marine": "Rodricus Grytt", "profile": 1, "target_zone": 0}
            | {"attacker": "Hybrid with Autogun 1"},
            "the attacker is not who has the choice",
        ),
        (
            {"stage": "DATT_TYPE", "marine": "Rodricus Grytt", "profile": 3, "target_zone": 0}
            | {"attacker": "Rodricus Grytt"},
            "profile is 3; the attacker has 2",
        ),
        (
            {"step": "campaign", "stage": "CAMPAIGN_PICK", "core": {"to_act": "cult_0"}},
            "a slain marine is named after mission 7 of the campaign only",
        ),
    ],
)
def test_what_is_in_hand_must_be_able_to_act(change: dict[str, Any], message: str) -> None:
    data = position(at="DATT", marines={"grytt": 0, "donatus": "slain"}, cult={"autogun": [0]}).env.to_dict()
    core = {**data["core"], **change.pop("core", {})}
    with pytest.raises(StateError, match=message):
        GAME.from_dict({**data, **change, "core": core})


def test_a_crowded_zone_is_refused() -> None:
    with pytest.raises(StateError, match="it has room for 35"):
        position(marines={"grytt": 0, "suberei": 0, "branatar": 0}, cult={"autogun": [0]})


def test_wrong_counts_are_noticed() -> None:
    states = position(marines={"grytt": 0}, cult={"autogun": [0]}).env.states.copy()
    states[0]["used"][0] = 3
    assert problems(states, 0) == ["used does not say what is in the zones"]


def test_the_deathwatch_sees_no_face_down_card_in_words_or_pictures() -> None:
    table = position(at="DATT", marines={"grytt": 20}, hand=(0, 1), laid={0: 4, 1: 5}, face_up=(1,))
    hidden, shown = names.card_name(4), names.card_name(5)
    states = table.env.states
    for seat, knows in ((st.DEATHWATCH, False), (st.CULT, True), (None, True)):
        text = GAME.text_board(states, 0, seat)
        titles = " ".join(shape.title for shape in GAME.scene(states, 0, seat).shapes)
        for words in (text, titles):
            assert (hidden in words) == knows
            assert shown in words
        assert (names.card_name(0) in text) == knows
