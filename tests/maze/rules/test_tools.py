"""Tools, items, and tiles that are used (MAZE-64 to 68, 111 to 128, 168, 169)."""

from __future__ import annotations

from typing import Any

import pytest
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

from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st


def closed(deck: str = "beacon", kind: str = "corridor", form: str = "NS") -> tuple[Table, int]:
    """Return a table with one tile between Dead Ends, and no Horror."""
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
    return table, a


def test_maze_66_swapping_when_full() -> None:
    """MAZE-19, MAZE-107."""
    table, a = closed()
    table.put(LEADER, a)
    table.tiles[a] |= {"pile": {"shotgun": 1, "boltgun": 1, "medkit": 2}, "pile_shots": {"shotgun": 2}}
    table.keep_open(MARINE)
    env = table.env()
    acts(env, LEADER)
    assert may(env, act.PICK_UP + st.SHOTGUN)
    assert not may(env, act.PICK_UP + st.BOLTGUN)
    play(env, act.PICK_UP + st.SHOTGUN)
    assert env.phase_name() == "IMP_SWAP"
    s = play(env, act.DROP + st.LASGUN)
    assert (s["weapon"][LEADER, 0], s["shots"][LEADER, 0]) == (st.SHOTGUN, 2)
    assert (s["pile"][a, st.LASGUN], s["pile_shots"][a, st.LASGUN]) == (1, 6)
    s = play(env, act.PICK_UP + st.MEDKIT)
    assert s["tools"][LEADER, st.MEDKIT - st.FIRST_TOOL] == 1
    env = table.env()
    acts(env, LEADER, act.PICK_UP + st.MEDKIT)
    assert not may(env, act.PICK_UP + st.MEDKIT)


def test_maze_68_shots_on_a_tile_are_pooled() -> None:
    table, a = closed()
    table.put(MARINE, a, weapon=["none", "none"], shots=[0, 0])
    table.tiles[a] |= {"pile": {"boltgun": 2}, "pile_shots": {"boltgun": 11}}
    table.keep_open(MEDIC)
    env = table.env()
    s = acts(env, MARINE, act.PICK_UP + st.BOLTGUN, act.PICK_UP + st.BOLTGUN)
    assert s["shots"][MARINE].tolist() == [8, 3]


def test_maze_67_handing_over() -> None:
    """MAZE-15, MAZE-19, MAZE-107."""
    table, a = closed()
    table.put(MEDIC, a)
    table.put(LEADER, a)
    table.put(MARINE, a)
    env = table.env()
    acts(env, MEDIC)
    play(env, act.TRANSFER + st.MEDKIT)
    assert env.phase_name() == "IMP_TRANSFER"
    s = play(env, act.TO_MODEL + LEADER)
    assert s["tools"][LEADER].sum() == 1
    assert not may(env, act.TRANSFER + st.MEDKIT)
    s = play(env, act.TRANSFER + st.LASPISTOL, act.TO_MODEL + MARINE)
    assert s["weapon"][MARINE].tolist() == [st.BOLTGUN, st.LASPISTOL]
    assert s["weapon"][MEDIC].tolist() == [-1, -1]


def test_maze_39_a_beacon_handed_over_on_the_shuttle_wins() -> None:
    table = Table()
    shuttle = table.tile("shuttle", 0, 0, "N")
    table.tile("dead_end", 0, 1, "S")
    table.put(LEADER, shuttle)
    table.put(MEDIC, shuttle)
    env = table.env(beacon_at="ground", beacon_id=shuttle, beacon_out=True)
    acts(env, LEADER, act.PICK_UP + st.BEACON)
    assert env.rewards["imperials_0"] == 1


def test_maze_111_the_scanner() -> None:
    """MAZE-43, MAZE-62."""
    table = Table()
    tiles = table.line(3)
    table.tile("dead_end", 0, -1, "N")
    table.put(MARINE, tiles[1], tools={"scanner": 1})
    table.put(TERMINATOR, tiles[1])
    env = table.env([CORRIDOR])
    acts(env, MARINE)
    assert not may(env, act.SCANNER + act.SCANNER_SWITCHED_OFF)
    s = play(env, act.SCANNER)
    assert kind_at(env, 0, 3) == "corridor"
    assert s["scanner"][MARINE] == st.SCANNER_ALL
    s = play(env, act.SCANNER + act.SCANNER_SWITCHED_OFF)
    assert (s["scanner"][MARINE], s["acts"][MARINE]) == (st.SCANNER_OFF, 1)
    env = table.env([CORRIDOR, CORRIDOR])
    s = acts(env, MARINE, act.SCANNER + 1 + N)
    assert kind_at(env, 0, 4) == "corridor"
    s = play(env, act.TRANSFER + st.SCANNER, act.TO_MODEL + TERMINATOR)
    assert s["scanner"].sum() == 0
    scion, b = closed()
    scion.put(LEADER, b)
    scion.tiles[b] |= {"pile": {"scanner": 1}}
    env = scion.env()
    acts(env, LEADER)
    assert not may(env, act.PICK_UP + st.SCANNER)


def test_maze_113_the_pendant() -> None:
    """MAZE-97."""
    table = Table()
    table.tile("nest", 0, 1, "NESW")
    for x, y, side in ((1, 1, "W"), (-1, 1, "E"), (0, 2, "S"), (0, -1, "N")):
        table.tile("dead_end", x, y, side)
    table.put(MEDIC, table.corridor(0, 0), tools={"pendant": 1})
    table.horror(None, 0, "slain")
    table.keep_open(MARINE)
    env = table.env([3, 2])
    acts(env, MEDIC, act.PENDANT)
    assert not may(env, act.PENDANT)
    s = play(env, act.MOVE + N)
    assert s["morale"][MEDIC] == 7
    assert spent(env)


def test_maze_120_a_ration_pack() -> None:
    table, a = closed()
    table.put(MEDIC, a, tools={"ration_pack": 2}, wounds=1, morale=5)
    table.keep_open(MARINE)
    env = table.env([3, 4])
    s = acts(env, MEDIC, act.RATION)
    assert (s["morale"][MEDIC], s["wounds"][MEDIC]) == (6, 1)
    s = play(env, act.RATION)
    assert (s["morale"][MEDIC], s["wounds"][MEDIC]) == (7, 2)


def test_maze_121_the_sacrificial_blade() -> None:
    """MAZE-19, MAZE-36."""
    table, a = closed("full-hulk")
    table.put(DEMOLITION, a, tools={"sacrificial_blade": 1}, morale=7)
    env = table.env()
    acts(env, DEMOLITION)
    assert not may(env, act.BLADE)
    table.put(DEMOLITION, a, tools={"sacrificial_blade": 1}, morale=6)
    env = table.env()
    s = acts(env, DEMOLITION, act.BLADE + 1)
    assert (s["morale"][DEMOLITION], s["wounds"][DEMOLITION], s["acts"][DEMOLITION]) == (5, 2, 1)
    assert s["ammo"][DEMOLITION, st.LASGUN_AMMO] == 3
    assert s["pile"][a, st.FIRST_CHARGE + st.LASGUN_AMMO] == 1
    assert not may(env, act.BLADE)
    assert not may(env, act.BLADE + 2)
    table.put(DEMOLITION, a, tools={"sacrificial_blade": 1}, morale=0, wounds=1)
    env = table.env()
    acts(env, DEMOLITION, act.BLADE)
    assert env.rewards["horror_0"] == 1


def test_maze_121_the_blade_betters_a_save() -> None:
    """MAZE-88."""
    table = Table("full-hulk")
    tiles = table.line(4)
    table.put(LEADER, tiles[2], model_marks=["blade save"])
    table.horror(tiles[1])
    env = table.assault([4], strict=False)
    play(env, charge(N))
    s = hold_fire(env)
    assert (s["wounds"][LEADER], s["morale"][LEADER]) == (4, 9)


def test_maze_122_the_blade_must_be_used() -> None:
    table, a = closed("full-hulk")
    table.put(LEADER, a, tools={"sacrificial_blade": 1}, morale=5)
    table.put(MEDIC, a)
    env = table.env()
    assert not may(env, act.END_PHASE)
    assert may(env, act.SELECT + MEDIC)
    acts(env, LEADER)
    assert env.legal_actions() == [act.BLADE, act.BLADE + 1, act.BLADE + 3]
    reason = env.explain_action(act.DONE)
    assert reason is not None
    assert reason.clause == "MAZE-122"
    play(env, act.BLADE, act.DONE)
    assert may(env, act.END_PHASE)


def test_maze_148_a_tile_is_chosen() -> None:
    """MAZE-16, MAZE-30."""
    table = Table("full-hulk")
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.put(LEADER, room, tools={"sacrificial_blade": 1}, morale=6)
    table.keep_open(MARINE)
    env = table.env([CORRIDOR, 110, 4, LARGE], shuffled=False)
    acts(env, LEADER, act.BLADE + 3, act.MOVE + N)
    assert env.phase_name() == "TILE_CHOICE"
    assert env.legal_actions() == [act.TAKE_TILE, act.TAKE_TILE + 1, act.TAKE_TILE + 2]
    s = play(env, act.TAKE_TILE + 1)
    assert kind_at(env, 0, 2) == "bend"
    assert (s["shuffled"], s["extra_draw"], (s["state"] == st.ASIDE).sum()) == (1, 0, 0)
    assert spent(env)


def test_maze_123_early_warning() -> None:
    """MAZE-75."""
    for warned, status in (([], st.TAKEN), ([MEDIC], st.BOARD)):
        table = Table("full-hulk")
        bend = table.tile("bend_vent", 0, 0, "NE")
        table.put(MEDIC, bend)
        table.put(EXPERT, table.tile("dead_end", 5, 5, "S"))
        early = {"early": st.MODEL_IDS[warned[0]]} if warned else {}
        env = table.horror_acts([3], strict=False, **early)
        s = play(env, act.H_SURPRISE + MEDIC)
        assert s["status"][MEDIC] == status
        assert s["early"] == 0


def test_maze_123_a_skull_has_two_uses() -> None:
    table, a = closed("full-hulk")
    table.put(MEDIC, a, tools={"servo_skull": 1}, skull=2)
    table.put(LEADER, a)
    env = table.env()
    s = acts(env, MEDIC, act.SKULL)
    assert (s["early"], s["skull"][MEDIC]) == (1 + MEDIC, 1)
    assert not may(env, act.SKULL)
    s = play(env, act.SKULL + 1)
    assert (s["pulse"], s["skull"][MEDIC], s["tools"][MEDIC].sum()) == (1 + MEDIC, 0, 0)
    env = table.env(early="medic")
    s = acts(env, MEDIC, act.TRANSFER + st.SKULL, act.TO_MODEL + LEADER)
    assert (s["early"], s["skull"][LEADER], s["skull"][MEDIC]) == (1 + LEADER, 2, 0)


def locked(**fields: Any) -> tuple[Table, int]:
    table = Table("full-hulk")
    a = table.tile("locked_corridor", 0, 0, "NS", door="N", **fields)
    table.tile("dead_end", 0, -1, "N")
    table.horror(None, 0, "slain")
    return table, a


def test_maze_118_a_door_is_melted() -> None:
    """MAZE-3, MAZE-22."""
    table, a = locked()
    table.put(DEMOLITION, a)
    env = table.env([CORRIDOR])
    acts(env, DEMOLITION)
    assert not may(env, act.MOVE + N)
    s = play(env, act.MELTA_DOOR + N)
    assert s["door"][a] == 0
    assert kind_at(env, 0, 1) == "corridor"
    table, a = locked()
    table.put(LEADER, a, tools={"melta_charge": 1})
    env = table.env([*NO_EVENT, CORRIDOR], strict=False)
    s = acts(env, LEADER, act.MELTA_DOOR + N, act.DONE)
    assert (s["core"]["turn"], s["door"][a], kind_at(env, 0, 1)) == (6, 0, "corridor")


def test_maze_145_a_ceramite_door_needs_two() -> None:
    """MAZE-118."""
    table, a = locked(ceramite="N")
    table.put(DEMOLITION, a, tools={"melta_charge": 2})
    table.keep_open(MARINE)
    env = table.env([CORRIDOR])
    s = acts(env, DEMOLITION, act.MELTA_DOOR + N)
    assert (s["door"][a], s["ceramite"][a]) == (1, 0)
    s = play(env, act.MELTA_DOOR + N)
    assert s["door"][a] == 0
    table = Table("full-hulk")
    room = table.tile("large_room", 0, 0, "NESW")
    table.corridor(0, 1)
    table.put(LEADER, room)
    env = table.env([114], ceramite_next=True)
    s = acts(env, LEADER, act.MOVE + N)
    there = at(env, 0, 2)
    assert (s["ceramite"][there], s["ceramite_next"]) == (1, 0)


def test_maze_124_a_scanning_pulse() -> None:
    """MAZE-118."""
    table, a = locked()
    table.put(DEMOLITION, a)
    env = table.env([CORRIDOR, LARGE], pulse="demolition_expert")
    s = acts(env, DEMOLITION, act.MELTA_DOOR + N)
    assert (kind_at(env, 0, 1), kind_at(env, 0, 2)) == ("corridor", "large_room")
    assert s["pulse"] == 0
    assert spent(env)


def test_maze_119_a_charge_is_lost_with_its_tile() -> None:
    """MAZE-53."""
    table = Table()
    table.tile("dead_end", 0, -1, "N")
    tiles = table.line(12)
    table.tile("dead_end", 0, 12, "S")
    table.tiles[tiles[0]]["melta"] = ["floor"]
    table.put(LEADER, tiles[11])
    table.horror(None, 0, "slain")
    env = table.env(NO_EVENT, strict=False)
    s = play(env, act.END_PHASE)
    assert s["melta"].sum() == 0
    assert not (s["tile_marks"] & st.IS_PIT).any()


def test_maze_115_where_the_floor_may_be_melted() -> None:
    """MAZE-128."""
    for kind, form, allowed in (
        ("corridor", "NS", True),
        ("shuttle", "N", False),
        ("beacon_room", "NESW", False),
        ("viewing_platform", "S", False),
    ):
        table = Table("full-hulk")
        table.put(LEADER, table.tile(kind, 0, 0, form), tools={"melta_charge": 1})
        env = table.env()
        acts(env, LEADER)
        assert may(env, act.MELTA_FLOOR) == allowed
    table, a = closed()
    table.put(LEADER, a, tools={"melta_charge": 1})
    env = table.env()
    s = acts(env, LEADER, act.MELTA_FLOOR)
    assert (s["melta"][a], s["tile_marks"][a] & st.IS_PIT) == (st.FLOOR_CHARGE, 0)


def test_maze_116_a_blast_under_the_horror() -> None:
    """MAZE-35."""
    table = Table()
    tiles = table.line(3)
    table.tile("dead_end", 0, -1, "N")
    table.tile("dead_end", 0, 3, "S")
    table.tiles[tiles[2]] |= {"melta": ["floor"], "pile": {"medkit": 1}}
    table.put(MARINE, tiles[0])
    table.horror(tiles[2])
    env = table.env([*NO_EVENT, 3, 5], strict=False)
    play(env, act.END_PHASE)
    assert env.phase_name() == "H_ACT"
    play(env, act.H_PASS)
    s = play(env, act.NO)
    assert (s["h_wounds"], s["h_state"]) == (13, st.SHADOWS)
    assert (s["pile"][tiles[2]].sum(), s["tile_marks"][tiles[2]] & st.IS_PIT) == (0, 1)


def test_maze_125_laying_a_mine() -> None:
    """MAZE-126, MAZE-35."""
    table, a = closed()
    table.put(DEMOLITION, a)
    table.put(LEADER, a)
    env = table.env(strict=False)
    acts(env, DEMOLITION)
    assert [may(env, act.LAY_MINE + d) for d in (N, E, S, W)] == [True, False, True, False]
    s = play(env, act.LAY_MINE + N)
    north = at(env, 0, 1)
    assert (s["mine"][a], s["armed"][a], s["mine"][north]) == (1 << N, 0, 1 << S)
    assert not may(env, act.LAY_MINE + N)
    assert may(env, act.LIFT_MINE + N)
    env.feed_dice(NO_EVENT)
    play(env, act.DONE)
    s = play(env, act.END_PHASE)
    assert (s["armed"][a], s["armed"][north]) == (1 << N, 1 << S)
    s = acts(env, DEMOLITION, act.LIFT_MINE + N)
    assert (s["mine"].sum(), s["armed"].sum()) == (0, 0)
    assert s["tools"][DEMOLITION, st.MINE - st.FIRST_TOOL] == 1
    table.put(LEADER, a, tools={"trip_mine": 1})
    env = table.env()
    acts(env, LEADER)
    assert not any(may(env, act.LAY_MINE + d) for d in range(4))


def test_maze_126_a_mine_is_taken_up_with_room_only() -> None:
    table, a = closed()
    table.tiles[a]["mine"] = ["north"]
    north = next(k for k, tile in table.tiles.items() if (tile["x"], tile["y"]) == (0, 1))
    table.tiles[north]["mine"] = ["south"]
    table.put(EXPERT, a, tools={"medkit": 2})
    env = table.env()
    acts(env, EXPERT)
    assert not may(env, act.LIFT_MINE + N)


def test_maze_128_no_explosives_on_the_platform() -> None:
    table = Table("full-hulk")
    platform = table.tile("viewing_platform", 0, 0, "S")
    below = table.corridor(0, -1)
    table.put(DEMOLITION, platform)
    table.put(EXPERT, below, tools={"trip_mine": 1})
    env = table.env()
    acts(env, DEMOLITION)
    assert not any(may(env, act.LAY_MINE + d) for d in range(4))
    assert not may(env, act.MELTA_FLOOR)
    env = table.env()
    acts(env, EXPERT)
    assert not may(env, act.LAY_MINE + N)


def test_maze_168_looking_out() -> None:
    table = Table("full-hulk")
    platform = table.tile("viewing_platform", 0, 0, "S")
    table.corridor(0, -1)
    table.put(MEDIC, platform, morale=4)
    env = table.env([6, 1, 6, 2, 3, 4])
    s = acts(env, MEDIC, act.LOOK_OUT)
    assert s["morale"][MEDIC] == 6
    assert not may(env, act.LOOK_OUT)


def test_maze_169_the_lift() -> None:
    """MAZE-117, MAZE-57."""
    table = Table("full-hulk")
    lift = table.tile("cargo_lift", 0, 0, "S")
    below = table.corridor(0, -1)
    table.tile("dead_end", 0, -2, "N")
    table.everybody(lift, (MEDIC, MARINE))
    table.put(LEADER, below)
    table.put(EXPERT, below)
    table.put(DEMOLITION, below)
    env = table.env([CORRIDOR, 5])
    s = acts(env, MEDIC, act.RIDE_LIFT)
    assert (s["floor"][lift], s["floors"]) == (1, 1)
    assert kind_at(env, 0, 0) == "dead_end"
    assert kind_at(env, 0, -1, 1) == "corridor"
    assert s["lost"].tolist() == [0, 0, 0, 1, 1, 0]
    assert (s["morale"][MEDIC], s["morale"][MARINE]) == (7, 15)
    assert not may(env, act.RIDE_LIFT)


@pytest.mark.parametrize(("alone", "legal"), [(True, False), (False, True)])
def test_maze_58_models_may_alternate(alone: bool, legal: bool) -> None:
    """MAZE-34."""
    table, a = closed()
    table.put(MARINE, a)
    if not alone:
        table.put(MEDIC, a)
    env = table.env(strict=False)
    acts(env, MARINE)
    assert not may(env, act.SWITCH)
    play(env, act.MOVE + N)
    assert may(env, act.SWITCH) == legal


def test_maze_59_a_model_walks() -> None:
    """MAZE-1, MAZE-2, MAZE-6, MAZE-7."""
    table = Table()
    tiles = table.line(3)
    table.put(MARINE, tiles[1])
    table.horror(tiles[2])
    env = table.env()
    acts(env, MARINE)
    assert [may(env, act.MOVE + d) for d in range(4)] == [False, False, True, False]


def test_maze_108_two_weapons_need_two_actions() -> None:
    """MAZE-63."""
    table = Table()
    tiles = table.line(3)
    table.put(TERMINATOR, tiles[0], weapon=["heavy_flamer", "storm_bolter"], shots=[10, 8])
    table.horror(tiles[1])
    table.keep_open(MEDIC)
    env = table.env([2] * 8)
    s = acts(env, TERMINATOR, fire(0, 6), fire(1, 2))
    assert (s["shots"][TERMINATOR].tolist(), s["acts"][TERMINATOR]) == ([4, 6], 0)
    assert spent(env)


def test_maze_18_everybody_starts_equipped() -> None:
    """MAZE-17, MAZE-26."""
    import broodmind

    env = broodmind.make("maze/beacon-v0")
    env.reset(seed=1)
    s = env.states[0]
    assert s["wounds"].tolist() == [4, 3, 3, 3, 5, 7]
    assert s["morale"].tolist() == [10, 8, 8, 8, 15, 15]
    assert s["weapon"][:, 0].tolist() == [
        st.LASGUN,
        st.STUBBER,
        st.LASGUN,
        st.LASPISTOL,
        st.BOLTGUN,
        st.HEAVY_FLAMER,
    ]
    assert s["shots"][:, 0].tolist() == [6, 10, 6, 3, 8, 10]
    assert s["ammo"].sum(axis=1).tolist() == [2, 1, 2, 1, 2, 1]
    assert [int(n) for n in s["tools"].sum(axis=1)] == [0, 0, 2, 1, 0, 0]
