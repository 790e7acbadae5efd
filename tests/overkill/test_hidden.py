"""What the cult hides: hand, deck and face-down cards, in all that the Deathwatch is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import broodmind
from broodmind.agents.specs import make_policy
from broodmind.envs.core import replay as replays
from broodmind.envs.core import replay_views as views
from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.errors import ReplayError
from broodmind.envs.core.record import as_states
from broodmind.envs.core.render import to_svg
from broodmind.envs.overkill import names
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.game import GAME
from broodmind.scripts.players import PolicyPlayer
from broodmind.scripts.session import Session

IDS = [mission.id for mission in GAME.missions]
DEATHWATCH = "deathwatch_0"
STEPS = 12 if INTERPRETED else 240
"""Decisions of each game that is looked at."""
DRAWN = 6
"""Every so many of them words and pictures are compared too."""
BATCH = (4, 12, 4) if INTERPRETED else (32, 200, 8)
"""Games, steps, and every how many steps all numbers are compared: 800 positions of each id."""
HIDDEN = (st.CARD_DECK, st.CARD_HAND, st.CARD_LAID)


def face_up(s: Any) -> set[int]:
    """Return the cards that lie turned up."""
    up = (s["point_card"] >= 0) & (s["point_marks"] & st.TURNED_UP > 0)
    return {int(card) for card in s["point_card"][up]}


def swap(s: Any, choose: np.random.Generator) -> dict[int, int]:
    """Let the cards that the Deathwatch cannot tell apart change places in a record; returns which became which."""
    up = face_up(s)
    hidden = [c for c in range(st.CARDS) if s["card_at"][c] in HIDDEN and c not in up]
    became = dict(zip(hidden, choose.permutation(hidden).tolist(), strict=True))
    places = s["card_at"].copy()
    for one, other in became.items():
        s["card_at"][other] = places[one]
    for a in range(st.MAX_POINTS):
        s["point_card"][a] = became.get(int(s["point_card"][a]), int(s["point_card"][a]))
    if s["stage"] == st.BROOD_POINT:  # the card in hand is being laid, face down
        s["card"] = became.get(int(s["card"]), int(s["card"]))
    return became


def permute(env: Any, choose: np.random.Generator) -> tuple[Any, dict[int, int]]:
    """Return a copy of a game in which hidden cards have changed places, and which card became which."""
    twin = env.clone()
    became = swap(np.asarray(twin.states)[0], choose)
    twin._fill_mask()
    return twin, became


def numbers(env: Any) -> tuple[bytes, bytes]:
    """Return what the Deathwatch's policy is given."""
    seen = env.observe(DEATHWATCH)
    return seen["observation"].tobytes(), seen["action_mask"].tobytes()


def shown(env: Any) -> tuple[Any, ...]:
    """Return all that the Deathwatch is shown in words and pictures; the picture is a replay's frame for it too."""
    mask = env.observe(DEATHWATCH)["action_mask"]
    to_act = env.agent_selection == DEATHWATCH
    labels = [env.label_action(a) for a in np.flatnonzero(mask)] if to_act else []
    why = [env.explain_action(a) for a in range(0, len(mask), 61)] if to_act else []
    scene = env.scene(DEATHWATCH)
    question = env.question() if to_act else ""
    return env.text_board(DEATHWATCH), repr(scene), to_svg(scene), question, labels, why


def told(env: Any) -> list[tuple[Any, ...]]:
    """Return what everybody is told of the last step."""
    return [(event.kind, event.data, event.sentence) for event in env.events()]


def positions(env_id: str, seed: int) -> Any:
    """Yield a game at each of its decisions, played at random."""
    env = broodmind.make(env_id)
    env.reset(seed=seed)
    choose = np.random.default_rng(seed)
    for _ in range(STEPS):
        yield env, choose
        env.step(int(choose.choice(env.legal_actions())))
        if not env.legal_actions():
            env.reset()


@pytest.mark.parametrize("env_id", IDS)
def test_the_deathwatch_is_shown_the_same_whatever_the_cult_holds(env_id: str) -> None:
    for number, (env, choose) in enumerate(positions(env_id, 5)):
        twin, _ = permute(env, choose)
        here = f"decision {number}, {env.phase_name()}"
        assert numbers(env) == numbers(twin), here
        if number % DRAWN == 0:
            assert shown(env) == shown(twin), here


@pytest.mark.parametrize("env_id", IDS)
def test_numbers_of_thousands_of_positions_tell_nothing_hidden(env_id: str) -> None:
    games, steps, every = BATCH
    kernels, tables = GAME.kernels(), GAME.tables()
    choose = np.random.default_rng(12)
    seats = np.zeros(games, np.int8)
    seen = [np.zeros((games, GAME.observation.size), np.float32) for _ in range(2)]
    masks = [np.zeros((games, GAME.actions.size), np.int8) for _ in range(2)]
    moved = 0
    with broodmind.make_vec(env_id, games, 12, num_threads=1) as batch:
        batch.reset()
        for step in range(steps):
            batch.step((batch.mask * choose.random(batch.mask.shape)).argmax(axis=1))
            if step % every:
                continue
            twins = as_states(np.array(batch.states))
            for record in np.asarray(twins):
                moved += any(a != b for a, b in swap(record, choose).items())
            for states, observation, mask in zip((batch.states, twins), seen, masks, strict=True):
                kernels.observe_range(states, 0, games, tables, seats, observation)
                kernels.legal_range(states, 0, games, tables, mask)
            assert seen[0].tobytes() == seen[1].tobytes(), f"step {step}"
            own = batch.seat == st.DEATHWATCH
            assert np.array_equal(masks[0][own], masks[1][own]), f"step {step}"
    assert moved > games * steps // every // 2


@pytest.mark.parametrize("env_id", IDS)
def test_what_happens_next_is_told_alike_whatever_card_is_laid(env_id: str) -> None:
    compared = 0
    cards, gambits = GAME.actions.base["CARD"], GAME.actions.base["GAMBIT"]
    for number, (env, choose) in enumerate(positions(env_id, 13)):
        twin, became = permute(env, choose)
        after = env.clone()
        action = int(choose.choice(env.legal_actions()))
        other = action
        if cards <= action < cards + st.CARDS:
            other = cards + became[action - cards]
        assert GAME.told_label(env.states, 0, action) == GAME.told_label(twin.states, 0, other)
        shows = gambits <= action < gambits + st.CARDS or env.phase_name().startswith("LAUNCH")
        turned = env.phase_name() == "DMOVE_ACT" and action >= GAME.actions.base["POINT"]
        if shows or turned or other not in twin.legal_actions():
            continue  # a card is shown, or the other hand decides otherwise
        after.step(action)
        twin.step(other)
        if not after.agents or not twin.agents or after.phase_name() != twin.phase_name():
            continue
        piles = [np.asarray(game.states)[0]["card_at"] == st.CARD_DISCARD for game in (after, twin)]
        if not np.array_equal(*piles):
            continue  # hidden cards were discarded, and lie open now
        here = f"decision {number}, {env.phase_name()}"
        assert told(after) == told(twin), here
        assert numbers(after) == numbers(twin), here
        compared += 1
    assert compared > STEPS // 4


def test_the_permutation_hides_something_and_is_legal() -> None:
    moved = 0
    for env, choose in positions("overkill/killstorm-v0", 7):
        twin, _ = permute(env, choose)
        assert twin.problems() == []
        moved += (
            env.observe("cult_0")["observation"].tobytes() != twin.observe("cult_0")["observation"].tobytes()
        )
    assert moved > STEPS // 4


@pytest.mark.parametrize("env_id", IDS)
def test_no_event_names_a_card_that_stays_hidden(env_id: str) -> None:
    names = [GAME.actions.name(GAME.actions.base["CARD"] + c).removeprefix("card ") for c in range(st.CARDS)]
    for env, _ in positions(env_id, 9):
        known = {str(event.data["card"]) for event in env.events() if "card" in event.data}
        for event in env.events():
            told = {name for name in names if name in event.sentence or name in map(str, event.data.values())}
            if told:
                assert event.kind in {"turned_up", "launched", "gambit"}
            assert told <= known
        # what was turned up, launched or played lies open: face up, or on the pile of discards, or shuffled from there
        s = np.asarray(env.states)[0]
        shuffled = any(event.kind in {"shuffled", "mission_began"} for event in env.events())
        for name in known:
            card = names.index(name)
            open_now = card in face_up(s) or s["card_at"][card] == st.CARD_DISCARD or int(s["card"]) == card
            assert shuffled or open_now, f"{name}: {st.CARD_PLACES[int(s['card_at'][card])]}"


@pytest.mark.parametrize("env_id", IDS)
def test_a_view_keeps_what_the_deathwatch_knows_and_deals_the_rest(env_id: str) -> None:
    dealt = 0
    for number, (env, _) in enumerate(positions(env_id, 11)):
        if number % 3:
            continue
        s, v = np.asarray(env.states)[0], np.asarray(env.view(DEATHWATCH, number))[0]
        for place in range(len(st.CARD_PLACES)):
            assert (s["card_at"] == place).sum() == (v["card_at"] == place).sum()
        for place in (st.CARD_OUT, st.CARD_DISCARD):
            assert np.array_equal(s["card_at"] == place, v["card_at"] == place)
        assert np.array_equal(s["point_marks"], v["point_marks"])  # turned up, lurking
        assert np.array_equal(s["point_card"] >= 0, v["point_card"] >= 0)
        assert face_up(s) == face_up(v)
        up = s["point_marks"] & st.TURNED_UP > 0
        assert np.array_equal(s["point_card"][up], v["point_card"][up])
        laid = v["point_card"][v["point_card"] >= 0]
        assert (v["card_at"][laid] == st.CARD_LAID).all()
        assert v["draw_count"] == v["core"]["queue_length"] == 0
        same = [
            name
            for name in st.STATE.names or ()
            if name not in ("core", "card_at", "point_card", "card", "draws")
        ]
        assert all(np.array_equal(s[name], v[name]) for name in same if name != "draw_count")
        # an imagined world looks the same to the one who imagines it
        twin = env.clone()
        twin._bytes[:] = np.asarray(env.view(DEATHWATCH, number)).view(np.uint8)
        seen = env.observe(DEATHWATCH)["observation"], twin.observe(DEATHWATCH)["observation"]
        assert seen[0].tobytes() == seen[1].tobytes()
        assert GAME.problems(env.view(DEATHWATCH, number), 0) == []
        dealt += not np.array_equal(s["card_at"], v["card_at"])
    assert dealt > 0


@pytest.fixture
def recorded() -> replays.Replay:
    """Return the first turn or so of a game at random."""
    recorder = replays.Recorder(broodmind.make("overkill/killstorm-v0"))
    recorder.reset(3)
    choose = np.random.default_rng(3)
    for _ in range(8 if INTERPRETED else 60):
        recorder.step(int(choose.choice(recorder.env.legal_actions())))
    return recorder.replay


def test_a_replay_seen_by_the_deathwatch_names_no_card_that_is_laid(recorded: replays.Replay) -> None:
    laid = [step for step in recorded.steps if step.name.startswith("card ")]
    assert laid
    everything = list(views.told(recorded))
    assert [words for words, _ in everything[1:]] == [f"{step.agent}: {step.name}" for step in recorded.steps]
    for agent, hides in ((DEATHWATCH, True), ("cult_0", False)):
        told_to = list(views.told(recorded, agent))
        assert len(told_to) == len(recorded.steps) + 1
        for (words, events), (_, all_events), step in zip(
            told_to[1:], everything[1:], recorded.steps, strict=False
        ):
            assert events == all_events
            if step in laid:
                assert words == ("cult_0: Lay a card" if hides else f"cult_0: {step.name}")
            elif step.agent == agent:
                assert words == f"{agent}: {step.name}"


def test_frames_of_a_replay_are_what_an_agent_sees(recorded: replays.Replay, tmp_path: Path) -> None:
    frames = {agent: list(views.scenes(recorded, 6, agent)) for agent in (None, DEATHWATCH, "cult_0")}
    cards = [names.card_name(c) for c in range(st.CARDS)]

    def named(scene: Any) -> int:
        return sum(any(card in shape.title for card in cards) for shape in scene.shapes)

    assert (
        sum(map(named, frames[None]))
        == sum(map(named, frames["cult_0"]))
        > sum(map(named, frames[DEATHWATCH]))
    )
    svg = views.write_svg(recorded, tmp_path / "end.svg", agent=DEATHWATCH)
    assert svg.read_text() == to_svg(frames_last(recorded, DEATHWATCH))
    with pytest.raises(ReplayError, match="there is no agent 'cult'; the agents are deathwatch_0, cult_0"):
        list(views.scenes(recorded, agent="cult"))


def frames_last(recorded: replays.Replay, agent: str) -> Any:
    """Return the picture of the last position as an agent sees it."""
    *_, (_, env) = replays.simulate(recorded)
    return env.scene(agent)


def test_who_plays_against_the_cult_is_not_told_which_card_it_lays() -> None:
    env = broodmind.make("overkill/killstorm-v0")
    game = Session(env, {"cult_0": PolicyPlayer(make_policy("random", env.env_id, "cult_0"), 1)})
    game.begin(4)
    words: list[str] = []
    while env.states["core"]["turn"][0] < 2 and not game.over:
        game.act(env.legal_actions()[0])
        words += [what for _, what in game.advance()]
    assert "Lay a card" in words
    assert not any(f"Lay {names.card_name(c)}" in words for c in range(st.CARDS))
