"""Events, finds, special tiles and the Horror's moves (MAZE-70 to 81, 92, 96, 100, 129 to 142, 149 to 167)."""

from __future__ import annotations

from typing import Any

from maze.rules.table import (
    CORRIDOR,
    DEMOLITION,
    EXPERT,
    LARGE,
    LEADER,
    MARINE,
    MEDIC,
    NO_EVENT,
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
    play,
    spent,
)

import broodmind
from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st

DICE = {
    4: (1, 1, 1, 1),
    12: (3, 3, 3, 3),
    13: (4, 3, 3, 3),
    14: (4, 4, 3, 3),
    15: (4, 4, 4, 3),
    16: (4, 4, 4, 4),
    17: (5, 4, 4, 4),
    18: (5, 5, 4, 4),
    19: (5, 5, 5, 4),
    20: (5, 5, 5, 5),
    21: (6, 5, 5, 5),
}


def closed(
    models: tuple[int, ...], deck: str = "beacon", kind: str = "corridor", form: str = "NS"
) -> tuple[Table, int]:
    table = Table(deck)
    a = table.tile(kind, 0, 0, form)
    for letter, (x, y, back) in {
        "N": (0, 1, "S"),
        "E": (1, 0, "W"),
        "S": (0, -1, "N"),
        "W": (-1, 0, "E"),
    }.items():
        if letter in form:
            table.tile("dead_end", x, y, back)
    table.horror(None, 0, "slain")
    table.everybody(a, models)
    return table, a


def event(table: Table, *dice: int, **fields: Any) -> BoardEnv:
    env = table.env(dice, strict=False, **fields)
    play(env, act.END_PHASE)
    return env


def test_maze_130_nothing_lifts_spirits() -> None:
    table, _ = closed((EXPERT, MEDIC))
    table.models[EXPERT]["morale"] = table.models[MEDIC]["morale"] = 5
    env = event(table, *DICE[4], 4, 4, 3)
    assert env.states[0]["morale"][[EXPERT, MEDIC]].tolist() == [6, 5]


def test_maze_147_the_generator() -> None:
    """MAZE-43, MAZE-129."""
    table, _ = closed((EXPERT,))
    assert event(table, *DICE[4], 2).states[0]["generator"] == 1
    s = event(table, *DICE[4], 1, generator=True).states[0]
    assert s["generator"] == 0


def test_maze_148_a_signpost() -> None:
    table, _ = closed((EXPERT,))
    assert event(table, *DICE[4], 3).states[0]["extra_draw"] == 2


def test_maze_131_a_dead_soldier() -> None:
    """MAZE-135."""
    table, a = closed((EXPERT, MEDIC))
    env = event(table, *DICE[12])
    # Nobody has a hand free for the Lasgun: it is left, and the charges are dealt out.
    s = env.states[0]
    assert env.phase_name() == "FIND"
    assert (s["pile"][a, st.LASGUN], s["pile_shots"][a, st.LASGUN], s["find_n"]) == (1, 6, 4)
    s = play(env, act.TO_MODEL + MEDIC, act.NO)
    assert s["ammo"][MEDIC, st.LASGUN_AMMO] == 1
    assert s["pile"][a, st.FIRST_CHARGE + st.LASGUN_AMMO] == 3


def test_maze_132_a_dead_space_marine() -> None:
    """MAZE-136, MAZE-36, MAZE-37."""
    table, _ = closed((MARINE, EXPERT))
    env = event(table, *DICE[13])
    s = play(env, act.TO_MODEL + MARINE, act.NO)
    assert s["weapon"][MARINE].tolist() == [st.BOLTGUN, st.BOLTGUN]
    assert (s["core"]["turn"], s["acts"][MARINE], s["acts"][EXPERT]) == (6, 1, 2)
    env.feed_dice(NO_EVENT)
    s = play(env, act.END_PHASE)
    assert s["acts"][MARINE] == 2


def test_maze_133_a_dead_terminator() -> None:
    """MAZE-136."""
    table, a = closed((TERMINATOR, EXPERT))
    env = event(table, *DICE[14])
    s = play(env, act.TO_MODEL + TERMINATOR, act.NO)
    assert (s["acts"][TERMINATOR], s["no_fire"][TERMINATOR]) == (1, 1)
    assert s["shots"][TERMINATOR].tolist() == [10, 8]
    env.feed_dice(NO_EVENT)
    s = play(env, act.END_PHASE)
    assert s["no_fire"][TERMINATOR] == 0
    line = Table()
    tiles = line.line(3)
    line.put(TERMINATOR, tiles[0], no_fire=True)
    line.horror(tiles[1])
    env = line.env()
    acts(env, TERMINATOR)
    assert not may(env, fire(0, 1))
    assert a >= 0


def test_maze_134_medical_supplies() -> None:
    """MAZE-135."""
    table, _ = closed((EXPERT, LEADER))
    env = event(table, *DICE[15])
    s = play(env, act.TO_MODEL + EXPERT)
    assert s["tools"][EXPERT, st.MEDKIT - st.FIRST_TOOL] == 1
    table, a = closed((LEADER,))
    table.models[LEADER]["tools"] = {"ration_pack": 1}
    s = event(table, *DICE[15]).states[0]
    assert s["pile"][a, st.MEDKIT] == 1


def test_maze_137_found_them() -> None:
    """MAZE-56."""
    table, a = closed((EXPERT, DEMOLITION, MARINE))
    table.keep_open(MEDIC)
    table.models[MEDIC] |= {"lost": True, "morale": 4}
    env = event(table, *DICE[16], *NO_EVENT)
    s = env.states[0]
    assert (s["at"][MEDIC], s["morale"][MEDIC], s["lost"].sum()) == (a, 6, 0)
    env = event(table, *NO_EVENT, *DICE[16])
    s = env.states[0]
    assert (s["at"][MEDIC], s["morale"][MEDIC], s["lost"].sum()) == (a, 6, 0)


def test_maze_138_a_ration_trolley() -> None:
    table, a = closed((LEADER, EXPERT))
    table.models[LEADER]["tools"] = {"medkit": 1}
    s = event(table, *DICE[17], 4, 4).states[0]
    assert s["tools"][EXPERT, st.RATION - st.FIRST_TOOL] == 1
    assert s["pile"][a, st.RATION] == 1


def test_maze_139_distracted() -> None:
    """MAZE-10, MAZE-35."""
    table, a = closed((EXPERT, MARINE))
    for picked, die, back in ((1, 5, True), (1, 4, False), (2, 5, False)):
        env = table.env([*DICE[18], picked, die], strict=False)
        s = acts(env, EXPERT, act.MOVE + N, act.DONE)
        s = play(env, act.END_PHASE)
        assert (s["at"][EXPERT] == a) == back


def test_maze_140_whispers() -> None:
    """MAZE-97."""
    table, _ = closed((EXPERT,))
    assert event(table, *DICE[19], 4).states[0]["morale"][EXPERT] == 7
    assert event(table, *DICE[19], 3).states[0]["morale"][EXPERT] == 8


def test_maze_141_faulty_ammunition() -> None:
    table, _ = closed((EXPERT, MEDIC, MARINE))
    s = event(table, *DICE[20], 4, 3).states[0]
    assert s["shots"][[EXPERT, MEDIC, MARINE], 0].tolist() == [9, 3, 8]


def test_maze_142_a_faulty_weapon() -> None:
    table, _ = closed((EXPERT, MEDIC, MARINE))
    s = event(table, *DICE[21], 6, 5).states[0]
    assert s["weapon"][[EXPERT, MEDIC, MARINE], 0].tolist() == [-1, st.LASPISTOL, st.BOLTGUN]


def test_maze_149_chapel_and_shrine() -> None:
    table, _ = closed((EXPERT,), "full-hulk", "chapel", "S")
    env = table.env([*DICE[19]], strict=False)
    play(env, act.END_PHASE)
    assert env.phase_name() == "EVENT_REDRAW"
    env.feed_dice([*DICE[4], 2])
    s = play(env, act.YES)
    assert (s["generator"], s["morale"][EXPERT]) == (1, 8)
    env = table.env([*DICE[19], 4], strict=False)
    s = play(env, act.END_PHASE, act.NO)
    assert s["morale"][EXPERT] == 7
    table, _ = closed((EXPERT,), "full-hulk", "chaos_shrine", "S")
    s = event(table, *DICE[4], 2, *DICE[19], 4).states[0]
    assert (s["generator"], s["morale"][EXPERT]) == (0, 7)


def test_maze_155_a_ransacked_armoury() -> None:
    """MAZE-37, MAZE-135."""
    table, a = closed((EXPERT, MARINE), kind="ransacked_armoury", form="S")
    table.models[EXPERT]["shots"] = [4, 0]
    env = event(table, 5, 3, 1, 5)
    s = env.states[0]
    assert (s["shots"][EXPERT, 0], env.phase_name()) == (6, "FIND")
    env.feed_dice(NO_EVENT)
    s = play(env, act.TO_MODEL + MARINE)
    assert s["tools"][MARINE, st.FRAG - st.FIRST_TOOL] == 1
    assert s["tile_marks"][a] & st.SPENT


def walked_into(
    kind: str, m: int, *dice: int, deck: str = "full-hulk", **fields: Any
) -> tuple[BoardEnv, int]:
    table = Table(deck)
    there = table.tile(kind, 0, 1, "S")
    table.put(m, table.corridor(0, 0), **fields)
    table.tile("dead_end", 0, -1, "N")
    table.horror(None, 0, "slain")
    env = table.env(dice)
    acts(env, m, act.MOVE + N)
    return env, there


def test_maze_165_the_chapel() -> None:
    """MAZE-53."""
    env, chapel = walked_into("chapel", MEDIC, morale=4)
    assert env.states[0]["morale"][MEDIC] == 6
    table = Table("full-hulk")
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.put(LEADER, room)
    env = table.env([122])
    s = acts(env, LEADER, act.MOVE + N)
    assert s["pile"][at(env, 0, 2), st.PENDANT] == 1
    table = Table("full-hulk")
    chapel = table.tile("chapel", 0, 1, "S")
    table.tiles[chapel]["pile"] = {"pendant": 1}
    table.put(LEADER, chapel)
    env = table.env()
    s = acts(env, LEADER, act.PICK_UP + st.PENDANT)
    assert s["tile_marks"][chapel] & st.FIXED_TAKEN


def test_maze_166_the_chaos_shrine() -> None:
    """MAZE-97."""
    env, _ = walked_into("chaos_shrine", MEDIC)
    assert env.states[0]["morale"][MEDIC] == 7
    table = Table("full-hulk")
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.put(LEADER, room)
    env = table.env([123])
    s = acts(env, LEADER, act.MOVE + N)
    assert s["pile"][at(env, 0, 2), st.BLADE] == 1


def test_maze_159_the_beacon_room_cheers() -> None:
    table = Table()
    table.tile("beacon_room", 0, 1, "NESW")
    for x, y, side in ((1, 1, "W"), (-1, 1, "E"), (0, 2, "S"), (0, -1, "N")):
        table.tile("dead_end", x, y, side)
    table.put(MEDIC, table.corridor(0, 0), morale=3)
    env = table.env()
    s = acts(env, MEDIC, act.MOVE + N)
    assert (s["morale"][MEDIC], s["beacon_at"]) == (5, st.BEACON_IN_ROOM)


def test_maze_167_wards_turn_the_horror_away_once() -> None:
    for kind in ("chapel", "chaos_shrine"):
        table = Table("full-hulk")
        ward = table.tile(kind, 0, 1, "S")
        table.horror(table.corridor(0, 0))
        table.put(MEDIC, table.tile("dead_end", 5, 5, "S"))
        env = table.horror_acts(strict=False)
        s = play(env, act.H_MOVE + N)
        assert s["h_state"] == st.SHADOWS
        assert s["tile_marks"][ward] & st.WARD_USED
        table.tiles[ward]["tile_marks"] = ["ward used"]
        s = play(table.horror_acts(strict=False), act.H_MOVE + N)
        assert s["h_tile"] == ward


def test_maze_164_the_items_of_the_taken_lie_in_the_nest() -> None:
    """MAZE-77, MAZE-161."""
    table = Table()
    nest = table.tile("nest", 0, 0, "NESW")
    table.put(MARINE, nest)
    table.keep_open(MEDIC)
    env = table.env(
        nest_pile={"medkit": 1, "boltgun": 1},
        nest_shots={"boltgun": 3},
        beacon_at="corpses",
        beacon_out=True,
        strict=False,
    )
    s = acts(env, MARINE, act.PICK_UP + st.BOLTGUN, act.PICK_UP + st.BEACON)
    assert s["shots"][MARINE].tolist() == [8, 3]
    assert (s["beacon_at"], s["nest_pile"].sum()) == (st.BEACON_CARRIED, 1)


def test_maze_158_the_shuttle_lights_two_tiles() -> None:
    """MAZE-43, MAZE-52."""
    table = Table()
    shuttle = table.tile("shuttle", 0, 0, "N")
    table.corridor(0, 1)
    table.put(TERMINATOR, shuttle, tools={"scanner": 1}, scanner="south")
    table.keep_open(MEDIC)
    env = table.env([CORRIDOR])
    acts(env, TERMINATOR, act.SCANNER + 1 + E)
    assert kind_at(env, 0, 2) == "corridor"


def test_maze_150_only_some_corridors_hold_items() -> None:
    """MAZE-69."""
    for kind, found in (
        ("corridor", st.LASPISTOL_AMMO),
        ("corridor_vent", st.LASGUN_AMMO),
        ("large_room", -1),
    ):
        table = Table()
        form = "NESW" if kind == "large_room" else "NS"
        table.tile(kind, 0, 1, form, **({"unsearched": True} if found >= 0 else {}))
        for x, y, side in ((1, 1, "W"), (-1, 1, "E"), (0, 2, "S"), (0, -1, "N")):
            table.tile("dead_end", x, y, side)
        table.put(MARINE, table.corridor(0, 0), ammo={})
        env = table.env([6] if found >= 0 else [])
        s = acts(env, MARINE, act.MOVE + N)
        assert s["ammo"][MARINE].sum() == (found >= 0)
        assert spent(env)


# -- the Horror ----------------------------------------------------------------------------------------------------


def test_maze_70_the_horror_moves() -> None:
    """MAZE-5, MAZE-71, MAZE-81."""
    table = Table()
    vent = table.tile("corridor_vent", 0, 0, "NS")
    table.tile("dead_end", 0, 1, "S")
    table.horror(vent)
    table.put(MEDIC, table.tile("dead_end", 5, 5, "S"))
    env = table.horror_acts(strict=False)
    assert [may(env, act.H_MOVE + d) for d in (N, E, S, W)] == [True, False, True, False]
    assert may(env, act.H_CRAWL)
    assert may(env, act.H_PASS)
    s = play(env, act.H_MOVE + S)
    assert s["h_state"] == st.SHADOWS
    s = play(table.horror_acts(strict=False), act.H_CRAWL)
    assert s["h_state"] == st.SHADOWS


def test_maze_72_the_horror_comes_from_the_shadows() -> None:
    """MAZE-74."""
    table = Table()
    tiles = table.line(3)
    vent = table.tile("dead_end_vent", 0, 3, "S")
    table.put(MEDIC, tiles[0])
    armoury = table.tile("marine_armoury", 5, 5, "N")
    env = table.horror_acts(strict=False)
    assert not may(env, act.H_EMERGE + tiles[0])
    assert not may(env, act.H_EMERGE + tiles[1])
    assert not may(env, act.H_EMERGE + armoury)
    s = play(env, act.H_EMERGE + vent)
    assert (s["h_state"], s["h_tile"]) == (st.PROWLING, vent)
    assert env.phase_name() != "H_ASSAULT"
    table.put(MEDIC, tiles[1])
    env = table.horror_acts(strict=False)
    play(env, act.H_EMERGE + tiles[0])
    assert env.phase_name() == "H_ASSAULT"


def test_maze_92_a_grenade_on_the_retreat() -> None:
    """MAZE-89, MAZE-112."""
    table = Table()
    tiles = table.line(6)
    table.put(MARINE, tiles[3], tools={"frag_grenade": 1})
    table.horror(tiles[1])
    env = table.assault([6, 4, 1, 5, 3], strict=False)
    play(env, charge(N, N))
    hold_fire(env)
    assert env.phase_name() == "FRAG_RETREAT"
    s = env.states[0]
    assert s["at"][MARINE] == tiles[4]
    s = play(env, act.TO_MODEL + MARINE)
    assert (s["h_state"], s["tools"][MARINE].sum()) == (st.SHADOWS, 0)


def test_maze_96_injuries_of_the_own_phase_wait() -> None:
    """MAZE-36, MAZE-127."""
    table = Table()
    tiles = table.line(2)
    table.tile("dead_end", 0, -1, "N")
    table.tile("dead_end", 0, 2, "S")
    table.tiles[tiles[0]] |= {"mine": ["north"], "armed": ["north"]}
    table.tiles[tiles[1]] |= {"mine": ["south"], "armed": ["south"]}
    table.put(MARINE, tiles[0])
    table.horror(None, 0, "slain")
    env = table.env([1, 1, 4, 4], strict=False)
    s = acts(env, MARINE, act.MOVE + N)
    assert (s["wounds"][MARINE], s["injury"][MARINE], s["acts"][MARINE]) == (4, st.BLOODLOSS << st.FRESH, 1)
    env.feed_dice(NO_EVENT)
    s = play(env, act.DONE)
    assert (s["core"]["turn"], s["injury"][MARINE], s["acts"][MARINE]) == (6, st.BLOODLOSS, 1)


def test_maze_100_flight() -> None:
    """MAZE-10, MAZE-99."""
    table = Table()
    tiles = table.line(5)
    table.tile("dead_end", 0, -1, "N")
    table.tile("dead_end", 0, 5, "S")
    table.put(MEDIC, tiles[2], morale=0)
    table.horror(None, 0, "slain")
    env = table.env([*NO_EVENT, 1, 1], strict=False)
    s = play(env, act.END_PHASE)
    assert s["at"][MEDIC] == tiles[4]
    env = table.env([*NO_EVENT, 1, 2], strict=False)
    s = play(env, act.END_PHASE)
    assert s["at"][MEDIC] == tiles[0]


def test_maze_50_an_empty_pile_leaves_corridors_dark() -> None:
    """MAZE-3, MAZE-49."""
    table = Table("short")
    used = [table.tile("large_room", 0, 0, "NESW"), table.corridor(0, 1)]
    for a, kind in enumerate(table.kinds):
        if a in used:
            continue
        form = {0: "N", 1: "NS", 2: "NE", 4: "NESW"}[int(_form(kind))]
        table.tile(st.KIND_IDS[kind], 50 + 2 * a, 50, form)
    table.put(LEADER, used[0])
    env = table.env(strict=False)
    acts(env, LEADER, act.MOVE + N)
    assert at(env, 0, 2) == -1
    assert not may(env, act.MOVE + N)


def _form(kind: int) -> int:
    from maze.rules.table import T

    return int(T["form"][kind])


# -- the turn ------------------------------------------------------------------------------------------------------


def test_maze_41_the_limit_of_turns_truncates() -> None:
    """MAZE-38, MAZE-42."""
    env = broodmind.make("maze/short-v0", max_turns=1)
    env.reset(seed=2)
    while env.legal_actions():
        env.step(env.legal_actions()[-1])
    assert all(env.truncations.values())
    assert set(env.rewards.values()) == {0.0}
    assert "horror_wounds" in env.infos["horror_0"]


def test_maze_34_the_order_of_a_turn() -> None:
    """MAZE-35, MAZE-37."""
    table = Table()
    tiles = table.line(4)
    table.put(MARINE, tiles[0])
    table.tile("dead_end", 0, -1, "N")
    table.horror(tiles[1])
    env = table.env(NO_EVENT, strict=False)
    play(env, act.END_PHASE)
    assert env.phase_name() == "H_ACT"
    play(env, act.H_PASS)
    assert env.phase_name() == "H_ASSAULT"
    play(env, act.NO)
    assert (env.phase_name(), int(env.states[0]["core"]["turn"])) == ("IMP_SELECT", 6)


def test_maze_9_a_d3_takes_a_d6() -> None:
    """MAZE-79."""
    for die, gained in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3)):
        table, _ = closed((MEDIC,))
        table.horror(None, 6, "nest")
        env = table.env([*NO_EVENT, die], strict=False)
        assert play(env, act.END_PHASE)["h_wounds"] == 6 + gained


def test_maze_4_parts_of_the_board_grow_together() -> None:
    """MAZE-1, MAZE-6, MAZE-48."""
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.tile("large_room", 1, 2, "NESW")
    table.tile("dead_end", -1, 2, "N")
    table.put(LEADER, room)
    table.keep_open(MEDIC)
    env = table.env([LARGE, LARGE])
    s = acts(env, LEADER, act.MOVE + N, act.MOVE + N)
    here = at(env, 0, 2)
    assert s["at"][LEADER] == here
    assert s["nb"][here].tolist() == [at(env, 0, 3), at(env, 1, 2), at(env, 0, 1), at(env, -1, 2)]
    table = Table()
    room = table.tile("large_room", 0, 2, "NESW")
    for x, y, kind, form in (
        (1, 2, "large_room", "NESW"),
        (-1, 2, "dead_end", "N"),
        (0, 1, "corridor", "NS"),
    ):
        table.tile(kind, x, y, form)
    table.put(LEADER, room)
    env = table.env()
    acts(env, LEADER)
    assert [may(env, act.MOVE + d) for d in (N, E, S, W)] == [False, True, True, False]


def test_maze_7_horror_and_explorers_never_share_a_tile() -> None:
    """MAZE-5, MAZE-87, MAZE-89."""
    table = Table()
    tiles = table.line(5)
    table.put(MARINE, tiles[2])
    table.horror(tiles[1])
    env = table.assault([4, 4], strict=False)
    play(env, charge(N))
    s = hold_fire(env)
    assert s["at"][MARINE] != s["h_tile"]
