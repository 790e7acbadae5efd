"""The face of the game: figures of finished games, shaping, pictures, data files, impossible positions."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from maze.rules.table import LEADER, MARINE, MEDIC, Table

import broodmind
from broodmind.envs.core.errors import StateError
from broodmind.envs.core.single import SoloEnv
from broodmind.envs.core.wrappers import PotentialShaping
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.game import FINAL_FIGURES, GAME
from broodmind.envs.maze.loading import load


def test_decks_have_the_sizes_of_the_ledger() -> None:
    sizes = [sum(tile.count[k] for tile in load().tiles) for k in range(3)]
    assert sizes == [76, 95, 39]


def test_there_are_295_actions_and_4352_numbers() -> None:
    assert GAME.actions.size == 295
    assert GAME.observation.size == 4352
    assert {block.name: block.size for block in GAME.observation.blocks} == {
        "globals": 130,
        "models": 6 * 68,
        "tiles": 96 * 12,
        "map": 22 * 121,
    }


def test_the_info_of_an_end_tells_how_far_the_explorers_came() -> None:
    env = broodmind.make("maze/short-v0", max_turns=2)
    env.reset(seed=1)
    while not all(env.terminations.values()) and not all(env.truncations.values()):
        env.step(env.legal_actions()[-1])
    for agent in env.possible_agents:
        info = env.infos[agent]
        assert set(FINAL_FIGURES) <= set(info)
        assert info["beacon_found"] in (0, 1)
        assert info["farthest_tile"] >= 1
        assert info["explorers_left"] + info["explorers_taken"] + info["explorers_dead"] == 6


def test_shaping_adds_up_to_the_first_potential() -> None:
    env = PotentialShaping(
        gymnasium.make("broodmind:maze/short-v0", agent="imperials_0", opponent="random"), discount=1.0
    )
    env.reset(seed=4)
    solo = env.unwrapped
    assert isinstance(solo, SoloEnv)
    first = solo.board.game.potential(solo.board.states, 0, solo.board.possible_agents.index("imperials_0"))
    total, plain, ended = 0.0, 0.0, False
    while not ended:
        action = int(env.action_masks().nonzero()[0][-1])
        _, reward, terminated, truncated, info = env.step(action)
        total, plain, ended = total + reward, plain + info["reward"], terminated or truncated
    assert total == pytest.approx(plain - first)


def test_the_potential_is_that_of_both_seats() -> None:
    env = broodmind.make("maze/beacon-v0")
    env.reset(seed=1)
    assert GAME.potential(env.states, 0, 0) == -GAME.potential(env.states, 0, 1) != 0


def test_impossible_positions_are_refused() -> None:
    table = Table()
    tiles = table.line(3)
    table.put(LEADER, tiles[0])
    table.put(MARINE, tiles[0])
    for fields, word in (
        ({"h_state": "board", "h_tile": tiles[0]}, "Horror's tile"),
        ({"beacon_at": "carried", "beacon_id": 3}, "carried by nobody"),
        ({"phase": "CRUX"}, "not asked"),
        ({"h_wounds": 0}, "0 wounds"),
    ):
        with pytest.raises(StateError, match=word):
            table.env(**fields)
    table.put(LEADER, tiles[0], weapon=["boltgun", "none"])
    with pytest.raises(StateError, match="may not carry"):
        table.env()


def test_the_picture_shows_everybody() -> None:
    env = broodmind.make("maze/full-hulk-v0", render_mode="rgb_array")
    env.reset(seed=3)
    ids = {shape.id for shape in env.scene().shapes}
    assert {f"model-{m}" for m in range(st.MODELS)} <= ids
    assert "tile-0" in ids
    picture = env.render()
    assert picture.ndim == 3
    assert picture.std() > 20
    assert "Shuttle" in env.text_board()


def test_far_parts_of_the_board_are_shown_side_by_side() -> None:
    table = Table("full-hulk")
    table.put(LEADER, table.corridor(0, 0))
    table.corridor(0, 1)
    table.keep_open(MARINE)  # forty cells away
    table.put(MEDIC, table.tile("dead_end", 0, 0, "N", floor=1))
    env = table.env()
    left, bottom, right, top = env.scene().box
    assert (right - left, top - bottom) < (12 * 20, 6 * 20)  # cells are 20 units wide
    shapes = {shape.id: shape for shape in env.scene().shapes if shape.id}
    places = [shapes[f"model-{m}"].points[0] for m in (LEADER, MARINE, MEDIC)]
    assert len({x for x, _ in places}) == 3
    text = env.text_board()
    assert all(
        name in text for name in ("floor 0, from (0, 0):", "floor 0, from (40, 39):", "floor 1, from (0, 0):")
    )
    assert len(text.splitlines()) < 50


def test_the_picture_says_where_the_horror_is_that_nobody_sees() -> None:
    table = Table()
    table.put(LEADER, table.corridor(0, 0))
    for state, words in (("shadows", "in the Shadows"), ("nest", "in its Nest")):
        table.horror(None, state=state)
        shapes = table.env().scene().shapes
        assert words in {shape.text for shape in shapes}
        assert "horror" in {shape.id for shape in shapes}


def test_the_picture_shows_what_the_explorer_in_hand_sees() -> None:
    table = Table()
    tiles = table.line(4)
    table.put(LEADER, tiles[0])
    table.put(MEDIC, tiles[3])
    env = table.env()

    def in_sight() -> set[str]:
        return {shape.id for shape in env.scene().shapes if shape.id.startswith("seen-")}

    assert in_sight() == {f"seen-{a}" for a in tiles}  # nobody is in hand: what any sees
    env.step(act.SELECT + LEADER)
    assert in_sight() == {f"seen-{a}" for a in tiles[:2]}


def test_events_name_tiles_by_their_places() -> None:
    table = Table()
    tiles = table.line(3)
    table.put(LEADER, tiles[0])
    table.horror(tiles[2])
    env = table.horror_acts(strict=False)
    env.step(act.H_MOVE + 2)
    sentences = [event.sentence for event in env.events()]
    assert "The Horror moves from Corridor (0, 2) to Corridor (0, 1)." in sentences
    log = env.game.events(env.states, 0, np.array([[st.LOG_CHARGED, 50, 0, 0, 0, 0]], np.int32))
    assert log[0].sentence == "The Horror charges at tile 50."  # it is not on the board
