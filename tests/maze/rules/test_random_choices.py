"""Words, random choices and how drawn tiles lie (MAZE-8, 10, 48, 110, 151, 153), die by die."""

from __future__ import annotations

from typing import Any

import pytest
from maze.rules.table import (
    BEND,
    DEMOLITION,
    EXPERT,
    LEADER,
    MARINE,
    MEDIC,
    TERMINATOR,
    E,
    N,
    S,
    Table,
    W,
    acts,
    at,
    charge,
    fire,
    kind_at,
    may,
    open_at,
    overwatch,
    play,
    spent,
)

from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st
from broodmind.envs.maze.names import model_name

LOCKED_CORRIDOR, INTERSECTION, LOCKED_INTERSECTION, JUNCTION, LOCKED_JUNCTION = 114, 115, 117, 118, 120
STEP = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}


def walk_up_to(draws: list[int], heading: str = "N", deck: str = "full-hulk") -> BoardEnv:
    """Let the Leader step out of a Large Room, so that one tile is drawn and placed two cells from it."""
    table = Table(deck)
    room = table.tile("large_room", 0, 0, "NESW")
    for side in "NESW":
        x, y = STEP[side]
        if side == heading:
            table.corridor(x, y, "NS" if side in "NS" else "EW")
        else:
            table.tile("dead_end", x, y, "NESW"["NESW".index(side) ^ 2])
    table.put(LEADER, room)
    table.keep_open(MARINE)
    env = table.env(draws)
    acts(env, LEADER, act.MOVE + "NESW".index(heading))
    return env


def doors_at(env: BoardEnv, x: int, y: int) -> str:
    bits = int(env.states[0]["door"][at(env, x, y)])
    return "".join("NESW"[d] for d in range(4) if bits >> d & 1)


# -- words -------------------------------------------------------------------------------------------------------


def test_maze_8_a_bolter_charge_fits_the_boltgun() -> None:
    """MAZE-109."""
    table = Table()
    tiles = table.line(3)
    table.put(MARINE, tiles[0], shots=[2, 0], ammo={"bolter_magazine": 1})
    table.keep_open(MEDIC)
    env = table.env()
    s = acts(env, MARINE, act.RELOAD)
    assert (s["weapon"][MARINE, 0], s["shots"][MARINE, 0], s["ammo"][MARINE].sum()) == (st.BOLTGUN, 8, 0)


def test_maze_8_a_flesh_wound_is_a_wound() -> None:
    """MAZE-88, MAZE-114."""
    table = Table()
    tiles = table.line(5)
    table.put(DEMOLITION, tiles[2], tools={"medkit": 1}, acts=2)
    table.put(LEADER, tiles[2], wounds=2)
    table.keep_open(MEDIC)
    s = acts(table.env(), DEMOLITION, act.MEDKIT + LEADER)
    assert s["wounds"][LEADER] == 3  # one is regained
    table = Table()
    tiles = table.line(5)
    table.put(LEADER, tiles[2], shots=[0, 0])
    table.horror(tiles[1])
    s = play(table.assault([2], strict=False), charge(N))
    assert s["wounds"][LEADER] == 3  # of four: one is lost


# -- picks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("queued", "victim"),
    [(1, LEADER), (2, MEDIC), (3, TERMINATOR), (4, LEADER), (5, MEDIC), (6, TERMINATOR), (99, TERMINATOR)],
)
def test_maze_10_a_queued_number_goes_round(queued: int, victim: int) -> None:
    """MAZE-73."""
    table = Table()
    tiles = table.line(5)
    for m in (LEADER, MEDIC, TERMINATOR):
        table.put(m, tiles[2])
    table.horror(tiles[1])
    env = table.horror_acts([queued, 6])  # the victim saves
    play(env, act.H_SPIKE + N)
    spiked = [event.data["model"] for event in env.events() if event.kind == "spiked"]
    assert spiked == [model_name(victim)]
    assert spent(env)


def test_maze_10_one_option_takes_no_number() -> None:
    """MAZE-73."""
    table = Table()
    tiles = table.line(5)
    table.put(MEDIC, tiles[2])
    table.horror(tiles[1])
    env = table.horror_acts([6])  # the only number is the save
    s = play(env, act.H_SPIKE + N)
    assert (s["morale"][MEDIC], s["halluc"][MEDIC]) == (8, 0)
    assert spent(env)


# -- damage 2 ----------------------------------------------------------------------------------------------------


def volley(**fields: Any) -> tuple[Table, list[int]]:
    table = Table("full-hulk")
    tiles = table.line(6)
    table.put(LEADER, tiles[3], weapon=["volleygun", "none"], shots=[6, 0], **fields)
    return table, tiles


def test_maze_110_a_failed_save_costs_two_wounds() -> None:
    """MAZE-13."""
    table, tiles = volley()
    table.horror(tiles[2])
    env = table.env([5, 5, 5, 5, 5, 6], strict=False)
    s = acts(env, LEADER, fire(0, 2))
    assert s["h_wounds"] == 14  # a 5 fails against AP -2, a 6 does not
    assert spent(env)


def test_maze_110_one_wound_left_is_all_that_is_lost() -> None:
    """MAZE-27."""
    table, tiles = volley()
    table.horror(tiles[2], 1)
    table.keep_open(MEDIC)
    env = table.env([5, 5, 5], strict=False)
    s = acts(env, LEADER, fire(0, 2))
    assert (s["h_wounds"], s["h_state"]) == (0, st.SLAIN)
    assert spent(env)


def test_maze_110_both_wounds_count_against_a_charge() -> None:
    """MAZE-86."""
    table, tiles = volley()
    table.put(EXPERT, tiles[3])
    table.put(MARINE, tiles[3])
    table.horror(tiles[2])
    env = table.assault([6, 5, 5, 6, 5, 1], strict=False)
    s = play(env, charge(N), overwatch(0, 1))
    assert (env.phase_name(), s["ch_wounds"], s["h_wounds"]) == ("OVERWATCH", 2, 14)  # two are not three
    s = play(env, overwatch(0, 1))
    assert (env.phase_name() == "OVERWATCH", s["h_wounds"]) == (False, 13)  # the third: nobody else is asked
    assert s["h_state"] == st.SHADOWS
    assert spent(env)


# -- how drawn tiles lie -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "die", "sides"),
    [
        ("N", 1, "SW"),
        ("N", 3, "SW"),
        ("N", 4, "ES"),
        ("N", 6, "ES"),
        ("E", 3, "NW"),
        ("E", 4, "SW"),
        ("S", 3, "NE"),
        ("W", 4, "NE"),
    ],
)
def test_maze_151_a_bend_turns_by_a_die(heading: str, die: int, sides: str) -> None:
    """MAZE-9, MAZE-48."""
    env = walk_up_to([BEND, die], heading)
    x, y = STEP[heading]
    assert kind_at(env, 2 * x, 2 * y) == "bend"
    assert open_at(env, 2 * x, 2 * y) == "".join(sorted(sides, key="NESW".index))
    assert spent(env)


def test_maze_151_nobody_looks_round_a_bend_before_its_end_is_filled() -> None:
    """MAZE-46."""
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    for side, (x, y) in (("N", (0, -1)), ("E", (-1, 0)), ("W", (1, 0))):
        table.tile("dead_end", x, y, side)
    table.put(LEADER, table.tile("bend", 0, 1, "ES"))
    table.put(MEDIC, room)
    env = table.env()
    acts(env, LEADER)
    assert at(env, 1, 1) == -1
    assert not may(env, act.MOVE + E)
    assert open_at(env, 0, 1) == "ES"


@pytest.mark.parametrize(("k", "sides"), [(1, "NES"), (2, "ESW"), (3, "NSW"), (4, "NES")])
def test_maze_48_an_intersection_is_closed_on_a_picked_side(k: int, sides: str) -> None:
    """MAZE-10: left, ahead, right."""
    env = walk_up_to([INTERSECTION, k])
    assert open_at(env, 0, 2) == sides
    assert doors_at(env, 0, 2) == ""
    assert spent(env)


def test_maze_48_a_junction_leaves_nothing_to_chance() -> None:
    env = walk_up_to([JUNCTION])
    assert (kind_at(env, 0, 2), open_at(env, 0, 2), doors_at(env, 0, 2)) == ("junction", "NESW", "")
    assert spent(env)


# -- doors -------------------------------------------------------------------------------------------------------


def test_maze_153_a_locked_corridor_has_its_door_on_the_far_side() -> None:
    for heading in "NESW":
        env = walk_up_to([LOCKED_CORRIDOR], heading)
        x, y = STEP[heading]
        assert doors_at(env, 2 * x, 2 * y) == heading
        assert spent(env)


@pytest.mark.parametrize(
    ("dice", "doors"),
    [
        ([2, 1, 1], "E"),  # closed ahead; D2 = 1: one door, the first of E and W
        ([2, 3, 2], "W"),
        ([2, 4, 1], "EW"),  # D2 = 2: a pick among two; the last one is no choice
        ([1, 2, 1], "N"),  # closed left
        ([1, 6, 2], "NE"),
        ([3, 3, 2], "W"),  # closed right
    ],
)
def test_maze_153_the_doors_of_a_locked_intersection(dice: list[int], doors: str) -> None:
    """MAZE-9, MAZE-10, MAZE-48."""
    env = walk_up_to([LOCKED_INTERSECTION, *dice])
    assert doors_at(env, 0, 2) == doors
    assert spent(env)


@pytest.mark.parametrize(
    ("dice", "doors"),
    [
        ([1, 1], "N"),  # D3 = 1: a pick among N, E, W
        ([2, 2], "E"),
        ([1, 3], "W"),
        ([3, 3, 1], "NW"),  # D3 = 2: W, then N of N and E
        ([4, 2, 2], "EW"),
        ([5, 1, 2], "NEW"),  # D3 = 3: all but the entry
        ([6, 3, 2], "NEW"),
    ],
)
def test_maze_153_the_doors_of_a_locked_junction(dice: list[int], doors: str) -> None:
    """MAZE-9, MAZE-10."""
    env = walk_up_to([LOCKED_JUNCTION, *dice])
    assert (open_at(env, 0, 2), doors_at(env, 0, 2)) == ("NESW", doors)
    assert spent(env)


def test_maze_153_a_door_stops_everybody() -> None:
    """MAZE-3, MAZE-44, MAZE-45."""
    table = Table("full-hulk")
    table.tile("dead_end", 0, -1, "N")
    near = table.tile("locked_corridor", 0, 0, "NS", door="N")
    far = table.corridor(0, 1)
    table.tile("dead_end", 0, 2, "S")
    table.put(LEADER, near)
    table.horror(far)
    env = table.env()
    acts(env, LEADER)
    assert not may(env, act.MOVE + N)
    assert not any(may(env, fire(0, n)) for n in range(1, 4))  # it is one tile away and not seen
    env = table.horror_acts()
    assert not may(env, act.H_SPIKE + S)
    assert not may(env, act.H_MOVE + S)
    assert may(env, act.H_MOVE + N)
    # The same with the door on the other tile's face, and without: what the door stops goes on.
    del table.tiles[near]["door"]
    env = table.env()
    acts(env, LEADER)
    assert may(env, fire(0, 1))
    env = table.horror_acts()
    assert may(env, act.H_SPIKE + S)


def test_maze_153_nothing_is_placed_behind_a_door() -> None:
    """MAZE-45, MAZE-46."""
    env = walk_up_to([LOCKED_CORRIDOR])
    s = play(env, act.MOVE + N)  # onto the locked tile: nothing is drawn
    assert s["at"][LEADER] == at(env, 0, 2)
    assert at(env, 0, 3) == -1
    assert spent(env)


@pytest.mark.parametrize("side", [N, E, W])
def test_maze_153_the_entry_is_never_locked(side: int) -> None:
    heading = "NESW"[side]
    env = walk_up_to([LOCKED_JUNCTION, 6, 1, 1], heading)
    x, y = STEP[heading]
    assert "NESW"[side ^ 2] not in doors_at(env, 2 * x, 2 * y)
    assert len(doors_at(env, 2 * x, 2 * y)) == 3
    assert may(env, act.MOVE + side)
