"""Options, hidden information and the hand-written players of Overkill."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from overkill.rules.table import T, position

import broodmind
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.dictionary import count_zones
from broodmind.envs.overkill.explain import VERBS
from broodmind.envs.overkill.game import GAME

IDS = [mission.id for mission in GAME.missions]


def started(env_id: str, **options: Any) -> Any:
    """Return a game at its first decision of turn 1, set up by first choices."""
    env = broodmind.make(env_id, **options)
    env.reset(seed=4)
    while env.states[0]["core"]["turn"] == 0:
        env.step(env.legal_actions()[0])
    return env


@pytest.mark.parametrize(
    ("env_id", "options", "field", "value"),
    [
        ("overkill/vox-noctis-v0", {"hand": 1}, "hand_size", 8),
        ("overkill/exterminatus-modicum-v0", {"hand": -1}, "hand_size", 4),
        ("overkill/the-tables-turned-v0", {"hand": 2}, "hand_size", 12),
        ("overkill/officium-solus-v0", {"fewer_ambushes": True}, "lay_max", 2),
        ("overkill/firestorm-ultima-v0", {"small_team": True}, "team_size", 3),
        ("overkill/alpha-threat-v0", {"late_start": True}, "late", 1),
    ],
)
def test_options_are_what_the_campaign_would_bring(env_id: str, options: Any, field: str, value: int) -> None:
    assert started(env_id, **options).states[0][field] == value


def test_a_marine_may_start_wounded() -> None:
    env = started("overkill/purgation-protocols-v0", wounded="sorrlock")
    assert np.flatnonzero(env.states[0]["wounds"][: st.MARINES]).tolist() == [st.SORRLOCK]


@pytest.mark.parametrize("options", [{"hand": 3}, {"wounded": "nobody"}, {"late_start": 1}, {"dice": 3}])
def test_options_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"alpha-threat-v0"):
        broodmind.make("overkill/alpha-threat-v0", **options)


def test_a_mission_without_a_random_layout_takes_its_own() -> None:
    env = broodmind.make("overkill/killstorm-v0")
    env.reset(seed=1)
    assert env.to_dict()["core"]["layout"] == "standard"
    with pytest.raises(ConfigError, match="has standard"):
        broodmind.make("overkill/killstorm-v0", layout="random")


@pytest.mark.parametrize("env_id", IDS)
def test_every_decision_offers_what_its_stage_may_ask_for(env_id: str) -> None:
    verbs = [(GAME.actions.base[verb.name], verb.name, verb.count) for verb in GAME.actions.verbs]
    offered = np.zeros((len(st.STAGES), GAME.actions.size), bool)
    for stage, names in VERBS.items():
        for base, name, count in verbs:
            offered[stage, base : base + count] = name in names
    games, steps = (4, 20) if INTERPRETED else (32, 600)
    with broodmind.make_vec(env_id, games, 8, num_threads=1) as batch:
        batch.reset()
        choose = np.random.default_rng(8)
        for _ in range(steps):
            assert not (batch.mask.astype(bool) & ~offered[batch.states["stage"]]).any()
            batch.step((batch.mask * choose.random(batch.mask.shape)).argmax(axis=1))


def test_a_view_deals_hidden_cards_anew_and_keeps_what_is_known() -> None:
    table = position(
        at="DATT", marines={"grytt": 20}, hand=(0, 1), laid={0: 4, 1: 5}, face_up=(1,), discard=(9,)
    )
    hands, laid = set(), set()
    for seed in range(40):
        s = table.env.view("deathwatch_0", seed)[0]
        assert s["point_card"][1] == 5
        assert s["card_at"][9] == st.CARD_DISCARD
        assert (s["card_at"] == st.CARD_HAND).sum() == 2
        assert s["card_at"][s["point_card"][0]] == st.CARD_LAID
        assert set(np.flatnonzero(s["card_at"] != st.CARD_OUT)) == set(np.flatnonzero(T["deck"][1]))
        hands.add(tuple(np.flatnonzero(s["card_at"] == st.CARD_HAND)))
        laid.add(int(s["point_card"][0]))
    assert len(hands) > 15
    assert len(laid) > 6
    cult = table.env.view("cult_0", 1)[0]
    assert cult["card_at"].tolist() == table.record["card_at"].tolist()


def test_a_view_deals_every_hidden_card_alike() -> None:
    table = position(at="DATT", marines={"grytt": 20}, laid={0: 4})
    found = np.zeros(st.CARDS, int)
    samples = 3000
    for seed in range(samples):
        found[int(table.env.view("deathwatch_0", seed)[0]["point_card"][0])] += 1
    share = found[found > 0] / samples
    assert len(share) == 16
    assert np.abs(share - 1 / 16).max() < 4 * (1 / 16 / samples) ** 0.5


@pytest.mark.parametrize("env_id", IDS)
def test_hand_written_players_finish_and_the_counts_of_zones_hold(env_id: str) -> None:
    env = broodmind.make(env_id)
    env.reset(seed=6)
    kernels, tables = env.game.kernels(), env.game.tables()
    whole = not INTERPRETED and not env_id.endswith("campaign-v0")
    for k in range(4000 if whole else 40):
        if not env.legal_actions():
            break
        env.step(kernels.scripted(env.states, 0, tables, k))
        if k % 10 == 0:
            copy = np.array(np.asarray(env.states))
            count_zones(copy[0])
            for field in ("used", "marines_in", "cult_in"):
                assert np.array_equal(copy[0][field], np.asarray(env.states)[0][field])
    else:
        assert not whole, "the game does not end"


@pytest.mark.skipif(INTERPRETED, reason="takes minutes")
def test_a_hand_written_player_beats_a_random_one() -> None:
    wins = 0
    for seed in range(6):
        env = broodmind.make("overkill/killstorm-v0")
        env.reset(seed=seed)
        choose = np.random.default_rng(seed)
        kernels, tables = env.game.kernels(), env.game.tables()
        k = 0
        while env.legal_actions():
            k += 1
            scripted = env.agent_selection == "deathwatch_0"
            action = (
                kernels.scripted(env.states, 0, tables, k) if scripted else choose.choice(env.legal_actions())
            )
            env.step(int(action))
        wins += env.rewards["deathwatch_0"] > 0
    assert wins >= 5
