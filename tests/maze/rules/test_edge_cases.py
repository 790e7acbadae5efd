"""The ledger's edge cases E1 to E24."""

from __future__ import annotations

from typing import Any

from maze.rules.table import (
    BEND,
    CORRIDOR,
    DEAD_END,
    DEMOLITION,
    EXPERT,
    LARGE,
    LEADER,
    MARINE,
    MEDIC,
    NEST,
    NO_EVENT,
    PIT,
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
    hold_fire,
    kind_at,
    may,
    open_at,
    overwatch,
    play,
    spent,
)

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st


def setup(*draws: int) -> BoardEnv:
    env = broodmind.make("maze/beacon-v0")
    env.reset(options={"dice": list(draws)})
    return env


def pile(env: BoardEnv) -> int:
    return int((env.states[0]["state"] == st.IN_PILE).sum())


def test_e01_a_bend_ends_the_setup() -> None:
    """MAZE-29, MAZE-31, MAZE-32, MAZE-48."""
    env = setup(BEND, 2)
    assert (kind_at(env, 0, 0), kind_at(env, 0, 1), kind_at(env, 0, 2)) == ("shuttle", "bend", "")
    assert open_at(env, 0, 1) == "SW"
    assert (pile(env), spent(env)) == (74, True)
    s = env.states[0]
    assert (s["at"] == 0).all()
    assert (s["h_state"], s["h_wounds"]) == (st.SHADOWS, 16)


def test_e02_dead_ends_and_pits_are_set_aside_in_setup() -> None:
    """MAZE-31."""
    env = setup(DEAD_END, PIT, CORRIDOR, CORRIDOR)
    assert (kind_at(env, 0, 1), kind_at(env, 0, 2)) == ("corridor", "corridor")
    assert (pile(env), int(env.states[0]["shuffled"]), spent(env)) == (73, 0, True)


def test_e03_other_corridors_of_the_setup_stay_dark() -> None:
    """MAZE-31, MAZE-33, MAZE-46."""
    env = setup(LARGE, BEND, 5)
    assert open_at(env, 0, 1) == "NESW"
    assert open_at(env, 0, 2) == "ES"
    assert at(env, 1, 1) == at(env, -1, 1) == -1
    assert spent(env)


def test_e05_an_item_roll_before_the_reveal() -> None:
    """MAZE-16, MAZE-45, MAZE-69."""
    for held, on_tile in ((1, 0), (3, 1)):
        table = Table()
        room = table.tile("large_room", 0, 0, "NESW")
        corridor = table.corridor(0, 1, unsearched=True)
        table.put(MEDIC, room, ammo={"laspistol_charge": held})
        env = table.env([6, LARGE])
        s = acts(env, MEDIC, act.MOVE + N)
        assert s["ammo"][MEDIC, st.LASPISTOL_AMMO] == held + 1 - on_tile
        assert s["pile"][corridor, st.FIRST_CHARGE + st.LASPISTOL_AMMO] == on_tile
        assert kind_at(env, 0, 2) == "large_room"
        assert (pile(env), spent(env)) == (73, True)


def test_e06_the_end_of_a_bend_waits_for_the_end_of_the_phase() -> None:
    """MAZE-37, MAZE-46, MAZE-151."""
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    table.tile("bend", 0, 1, "ES")
    table.put(LEADER, room)
    env = table.env([CORRIDOR, *NO_EVENT])
    acts(env, LEADER, act.MOVE + N)
    assert at(env, 1, 1) == -1
    assert not may(env, act.MOVE + E)
    play(env, act.DONE)
    assert kind_at(env, 1, 1) == "corridor"
    assert spent(env)


def test_e07_the_far_end_of_a_pit_is_filled() -> None:
    """MAZE-5, MAZE-47, MAZE-152."""
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.put(LEADER, room)
    env = table.env([PIT, LARGE])
    s = acts(env, LEADER, act.MOVE + N)
    assert (kind_at(env, 0, 2), kind_at(env, 0, 3)) == ("pit", "large_room")
    assert not may(env, act.MOVE + N)
    assert spent(env)
    table = Table()
    table.put(LEADER, table.corridor(0, 1))
    table.tile("pit", 0, 2, "NS")
    table.horror(table.tile("large_room", 0, 3, "NESW"))
    env = table.horror_acts()
    assert may(env, act.H_MOVE + S)
    s = play(env, act.H_MOVE + S)
    assert s["h_tile"] == at(env, 0, 2)


def line_after_removal(**fields: bool) -> list[int]:
    table = Table()
    table.tile("dead_end", 0, -1, "N")
    tiles = table.line(8)
    table.tile("dead_end", 0, 8, "S")
    table.put(LEADER, tiles[0])
    table.put(MEDIC, tiles[0])
    env = table.env(NO_EVENT, **fields)
    play(env, act.END_PHASE)
    return [y for y in range(9) if at(env, 0, y) >= 0]


def test_e08_what_three_steps_would_show_stays() -> None:
    """MAZE-43, MAZE-52, MAZE-146, MAZE-147."""
    assert line_after_removal() == [0, 1, 2, 3, 4]
    assert line_after_removal(lights=True) == [0, 1, 2, 3]
    assert line_after_removal(generator=True) == [0, 1, 2, 3, 4, 5]


def split(near: tuple[int, ...], far: tuple[int, ...], *dice: int) -> BoardEnv:
    table = Table()
    table.tile("dead_end", 0, -1, "N")
    tiles = table.line(12)
    table.tile("dead_end", 0, 12, "S")
    table.everybody(tiles[0], near)
    table.everybody(tiles[11], far)
    env = table.env([*NO_EVENT, *dice])
    play(env, act.END_PHASE)
    assert spent(env)
    assert [y for y in range(12) if at(env, 0, y) < 0] == [5, 6]
    return env


def test_e09_the_smaller_part_is_lost() -> None:
    """MAZE-14, MAZE-55, MAZE-57, MAZE-97."""
    env = split((LEADER, EXPERT, DEMOLITION, MARINE), (MEDIC, TERMINATOR), 4)
    s = env.states[0]
    assert s["lost"].tolist() == [0, 0, 0, 1, 0, 1]
    assert s["morale"].tolist() == [10, 8, 8, 7, 15, 15]


def test_e10_whoever_is_alone_loses_three() -> None:
    """MAZE-24, MAZE-56."""
    env = split((LEADER, EXPERT, DEMOLITION, MEDIC, MARINE), (TERMINATOR,), 4, 3, 2)
    assert env.states[0]["morale"][TERMINATOR] == 13


def test_e11_equal_parts_are_all_lost() -> None:
    """MAZE-20, MAZE-55."""
    env = split((LEADER, EXPERT, DEMOLITION), (MEDIC, MARINE, TERMINATOR), 5, 2, 4, 1)
    s = env.states[0]
    assert s["lost"].tolist() == [1] * 6
    assert s["morale"].tolist() == [9, 8, 7, 7, 15, 14]


def test_e12_a_walled_in_group_makes_the_maze_shift() -> None:
    """MAZE-30, MAZE-53, MAZE-54."""

    def removal(where: str, carrying: bool, *draws: int) -> BoardEnv:
        table = Table()
        shuttle = table.tile("shuttle", 0, 0, "N")
        end = table.tile("dead_end", 0, 1, "S")
        table.put(LEADER, shuttle if where == "shuttle" else end)
        beacon: dict[str, Any] = (
            {"beacon_at": "carried", "beacon_id": LEADER, "beacon_out": True} if carrying else {}
        )
        env = table.env([*NO_EVENT, *draws], shuffled=False, **beacon)
        play(env, act.END_PHASE)
        assert spent(env)
        return env

    env = removal("shuttle", False, LARGE, LARGE)
    assert kind_at(env, 0, 1) == "large_room"
    assert env.states[0]["shuffled"] == 1
    env = removal("end", False, LARGE)
    assert (kind_at(env, 0, 0), kind_at(env, 0, 1)) == ("large_room", "dead_end")
    env = removal("end", True)
    assert (kind_at(env, 0, 0), int(env.states[0]["shuffled"])) == ("shuttle", 0)


def test_e13_shots_resolve_one_by_one() -> None:
    """MAZE-13, MAZE-60, MAZE-61."""
    table = Table()
    tiles = table.line(3)
    table.put(LEADER, tiles[0])
    table.horror(tiles[1])
    env = table.env([5, 5, 6, 4, 6, 4])
    s = acts(env, LEADER, fire(0, 3))
    assert (s["h_wounds"], s["shots"][LEADER, 0], s["acts"][LEADER]) == (16, 3, 1)
    assert spent(env)


def test_e14_penalties_add_up_but_a_six_hits() -> None:
    """MAZE-12, MAZE-62, MAZE-98."""
    table = Table()
    tiles = table.line(3)
    table.put(MARINE, tiles[0], morale=0, injury=["concussion", "bloodloss"])
    table.horror(tiles[1])
    env = table.env([5, 6, 5, 4])
    s = acts(env, MARINE, fire(0, 2))
    assert s["h_wounds"] == 15
    assert spent(env)


def test_e15_range_and_sight_limit_fire() -> None:
    """MAZE-43, MAZE-44, MAZE-60."""
    table = Table()
    tiles = table.line(4)
    table.put(LEADER, tiles[0])
    table.put(MEDIC, tiles[0])
    table.horror(tiles[2])
    env = table.env()
    acts(env, LEADER)
    assert not may(env, fire(0, 1))
    env = table.env(generator=True)
    acts(env, LEADER)
    assert may(env, fire(0, 3))
    env = table.env(generator=True)
    acts(env, MEDIC)
    assert not may(env, fire(0, 1))
    table.horror(tiles[1])
    env = table.env(lights=True)
    acts(env, LEADER)
    assert not may(env, fire(0, 1))


def test_e16_overwatch_has_no_least_number_of_shots() -> None:
    """MAZE-60, MAZE-84."""
    table = Table()
    tiles = table.line(3)
    table.put(EXPERT, tiles[0], shots=[2, 0])
    table.horror(tiles[1])
    env = table.env()
    acts(env, EXPERT)
    assert not any(may(env, fire(0, n)) for n in range(1, 7))
    env = table.assault()
    play(env, charge(S))
    assert env.phase_name() == "OVERWATCH"
    assert [may(env, overwatch(0, n)) for n in (1, 2, 3)] == [True, True, False]


def test_e17_reloading() -> None:
    """MAZE-21, MAZE-65, MAZE-109."""
    table = Table()
    tiles = table.line(3)
    table.put(MARINE, tiles[0], shots=[3, 0])
    table.put(EXPERT, tiles[0], shots=[4, 0], acts=0)
    env = table.env()
    s = acts(env, MARINE, act.RELOAD)
    assert (s["shots"][MARINE, 0], s["ammo"][MARINE, st.BOLTER_AMMO], s["acts"][MARINE]) == (8, 1, 1)
    assert not may(env, act.RELOAD)
    play(env, act.SWITCH)
    s = acts(env, EXPERT, act.RELOAD)
    assert (s["shots"][EXPERT, 0], s["ammo"][EXPERT, st.STUBBER_AMMO], s["acts"][EXPERT]) == (10, 0, 0)


def test_e18_a_lit_vent_keeps_the_horror_out() -> None:
    """MAZE-64, MAZE-74, MAZE-154."""
    table = Table()
    bend = table.tile("bend_vent", 0, 0, "NE")
    table.tile("dead_end", 0, 1, "S")
    table.tile("dead_end", 1, 0, "W")
    table.put(TERMINATOR, bend)
    env = table.env()
    s = acts(env, TERMINATOR, act.LIGHT_VENT)
    assert (s["shots"][TERMINATOR, 0], s["lit"][bend, 0]) == (9, 2)
    assert not may(env, act.LIGHT_VENT)
    table.tile("corridor_vent", 5, 5, "NS")
    for left, free in ((2, False), (1, False), (0, True)):
        table.tiles[bend]["lit"] = [left, 0, 0, 0]
        assert may(table.horror_acts(), act.H_SURPRISE + TERMINATOR) == free
    hulk = Table("full-hulk")
    hulk.put(TERMINATOR, hulk.tile("open_ceiling", 0, 0, "NS"))
    env = hulk.env()
    acts(env, TERMINATOR)
    assert not may(env, act.LIGHT_VENT)


def test_e19_a_surprise_attack_that_fails() -> None:
    """MAZE-74, MAZE-75, MAZE-76."""
    table = Table()
    bend = table.tile("bend_vent", 0, 0, "NE")
    table.put(LEADER, bend, morale=0)
    table.put(MEDIC, bend)
    table.put(TERMINATOR, bend)
    env = table.horror_acts([3, 1, 6, 3], strict=False)
    s = play(env, act.H_SURPRISE + LEADER)
    assert s["status"].tolist()[5] == st.BOARD
    assert [int(s["morale"][m]) for m in (LEADER, MEDIC, TERMINATOR)] == [0, 8, 14]
    assert s["h_state"] == st.SHADOWS


def test_e20_a_model_is_taken() -> None:
    """MAZE-28, MAZE-77."""
    table = Table()
    bend = table.tile("bend_vent", 0, 0, "NE")
    table.put(EXPERT, bend)
    table.put(LEADER, table.tile("dead_end", 5, 5, "N"))
    env = table.horror_acts([3], strict=False)
    s = play(env, act.H_SURPRISE + EXPERT)
    assert s["status"][EXPERT] == st.TAKEN
    assert s["corpse_scion"] == 1
    assert (s["nest_pile"][st.STUBBER], s["nest_shots"][st.STUBBER]) == (1, 10)
    assert s["morale"][LEADER] == 10


def test_e21_an_assault_on_two_scions() -> None:
    """MAZE-82, MAZE-87, MAZE-88, MAZE-89, MAZE-94, MAZE-95."""
    table = Table()
    tiles = table.line(6)
    table.put(DEMOLITION, tiles[2])
    table.put(MEDIC, tiles[2], tools={})
    table.horror(tiles[1])
    env = table.assault([6, 1, 6, DEAD_END], strict=False)
    play(env, charge(N))
    s = hold_fire(env)
    assert (s["morale"][DEMOLITION], s["status"][MEDIC]) == (7, st.DEAD)
    assert (s["at"][DEMOLITION], s["h_tile"]) == (tiles[3], tiles[2])
    table.models[DEMOLITION]["tools"] = {"medkit": 1}
    env = table.assault([6, 1, 6])
    play(env, charge(N))
    hold_fire(env)
    assert env.phase_name() == "MORTAL"
    env = table.assault([6, 1, 6], strict=False)
    play(env, charge(N))
    hold_fire(env)
    s = play(env, act.TO_MODEL + DEMOLITION)
    assert (s["status"][MEDIC], s["wounds"][MEDIC], s["injury"][MEDIC]) == (st.BOARD, 1, st.BLOODLOSS)
    assert s["tools"][DEMOLITION].sum() == 0


def test_e22_the_crux_terminatus() -> None:
    """MAZE-25."""
    table = Table()
    tiles = table.line(6)
    table.put(TERMINATOR, tiles[2])
    table.horror(tiles[1])
    env = table.assault([2, 3, 5], strict=False)
    play(env, charge(N))
    hold_fire(env)
    assert env.phase_name() == "CRUX"
    s = play(env, act.YES)
    assert (s["morale"][TERMINATOR], s["crux"][TERMINATOR]) == (15, 1)
    assert s["at"][TERMINATOR] == tiles[3]


def test_e23_survivors_go_round_the_corner() -> None:
    """MAZE-89."""
    table = Table()
    corridor = table.corridor(0, 0)
    bend = table.tile("bend", 0, 1, "ES")
    beyond = table.corridor(1, 1, "EW")
    table.tile("large_room", 2, 1, "NESW")
    table.put(MARINE, bend)
    table.horror(corridor)
    env = table.assault([6, 4], strict=False)
    play(env, charge(N))
    s = hold_fire(env)
    assert s["at"][MARINE] == beyond


def test_e24_survivors_go_past_the_horror() -> None:
    """MAZE-90, MAZE-93."""
    table = Table()
    table.tile("large_room", 0, -1, "NESW")
    corridor = table.corridor(0, 0)
    bend = table.tile("bend", 0, 1, "ES")
    table.put(EXPERT, bend)
    table.put(MARINE, bend)
    table.horror(corridor)
    env = table.assault([5, 2, 6, 6, 6, 3, 4, 4], strict=False)
    play(env, charge(N))
    s = hold_fire(env)
    assert (s["wounds"][EXPERT], s["morale"][EXPERT]) == (3, 7)
    assert (s["wounds"][MARINE], s["morale"][MARINE]) == (3, 15)
    assert (s["at"][EXPERT], s["at"][MARINE], s["h_tile"]) == (corridor, corridor, bend)


def test_e31_a_nest_that_is_drawn_shows_the_horror() -> None:
    """MAZE-51, MAZE-78."""
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.put(LEADER, room)
    table.horror(None, 4, "nest")
    env = table.env([NEST])
    s = acts(env, LEADER, act.MOVE + N)
    assert (s["h_state"], s["h_tile"], s["h_wounds"]) == (st.PROWLING, at(env, 0, 2), 4)
    assert may(env, fire(0, 1))
    assert W == 3
