"""The ledger's edge cases E4 and E25 to E48."""

from __future__ import annotations

from maze.rules.table import (
    BEACON_ROOM,
    CORRIDOR,
    DEAD_END,
    DEMOLITION,
    EXPERT,
    LARGE,
    LEADER,
    MARINE,
    MEDIC,
    NO_EVENT,
    TERMINATOR,
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
    overwatch,
    play,
    spent,
)

from broodmind.envs.core.aec import BoardEnv
from broodmind.envs.maze import actions as act
from broodmind.envs.maze import state as st


def test_e04_the_beacon_room_lies_at_the_bottom() -> None:
    """MAZE-30, MAZE-49, MAZE-11."""

    def drawn(shuffled: bool, draw: int) -> list[str]:
        table = Table("short")
        # Everything but a Corridor and the Beacon room lies on the board, far away.
        for k, kind in enumerate(table.kinds):
            name = st.KIND_IDS[kind]
            if name == "beacon_room" or (name == "corridor" and k == max(_corridors(table))):
                continue
            form = "NESW" if name in ("nest", "massacre", "large_room") else "NS"
            if name in ("bend", "bend_vent"):
                form = "NE"
            if name in ("shuttle", "marine_armoury", "ransacked_armoury", "dead_end", "dead_end_vent"):
                form = "S"
            table.tile(name, 5 + 2 * k, 5, form)
        room = next(a for a, tile in table.tiles.items() if table.kinds[a] == 12)
        table.put(LEADER, room)
        env = table.env([draw], shuffled=shuffled, strict=False, h_state="slain", h_wounds=0)
        acts(env, LEADER)
        play(env, act.DONE)
        x = int(env.states[0]["x"][room])
        return [kind_at(env, x, 6)]

    assert drawn(False, 1) == ["corridor"]
    assert drawn(False, 2) == ["corridor"]
    assert drawn(True, 1) == ["beacon_room"]
    assert drawn(True, 2) == ["corridor"]


def _corridors(table: Table) -> list[int]:
    return [a for a, kind in enumerate(table.kinds) if kind == st.CORRIDOR]


def test_e25_survivors_that_cannot_pass_stay() -> None:
    """MAZE-91."""
    table = Table()
    pit = table.tile("pit", 0, 0, "NS")
    end = table.tile("dead_end", 0, 1, "S")
    table.put(MARINE, end)
    table.horror(pit)
    env = table.assault([6, 4], strict=False)
    play(env, charge(N))
    s = hold_fire(env)
    assert (s["at"][MARINE], s["morale"][MARINE], s["h_tile"]) == (end, 15, pit)


def failed_charge(length: int, models: int, horror: int) -> BoardEnv:
    table = Table()
    table.tile("dead_end_vent", 0, -1, "N")
    tiles = table.line(length)
    table.put(MARINE, tiles[models])
    table.put(TERMINATOR, tiles[models])
    table.horror(tiles[horror])
    env = table.assault([6, 5, 4, 6, 5, 4, 6, 6, 1, 5], strict=False)
    play(env, charge(N, N))
    assert env.phase_name() == "OVERWATCH"
    play(env, overwatch(0, 4))
    assert spent(env)
    assert env.phase_name() != "OVERWATCH"
    return env


def test_e26_three_wounds_stop_a_charge() -> None:
    """MAZE-85, MAZE-86."""
    s = failed_charge(6, 3, 1).states[0]
    assert (s["h_state"], s["h_wounds"]) == (st.SHADOWS, 13)
    assert s["morale"][MARINE] == s["morale"][TERMINATOR] == 15


def test_e27_a_retreat_may_end_on_the_board() -> None:
    """MAZE-86."""
    env = failed_charge(8, 5, 3)
    s = env.states[0]
    assert (s["h_state"], s["h_tile"]) == (st.PROWLING, at(env, 0, 0))


def test_e28_a_grenade_meets_a_charge_from_one_tile_away() -> None:
    """MAZE-83, MAZE-112."""
    table = Table()
    tiles = table.line(5)
    table.put(MARINE, tiles[3], tools={"frag_grenade": 1})
    table.horror(tiles[1])
    env = table.assault()
    play(env, charge(N, N))
    assert env.phase_name() == "OVERWATCH"
    table.horror(tiles[2])
    env = table.assault([2, 5, 3, 4], strict=False)
    play(env, charge(N))
    assert env.phase_name() == "FRAG_CHARGE"
    s = play(env, act.TO_MODEL + MARINE)
    assert (s["h_wounds"], s["h_state"], s["morale"][MARINE], s["at"][MARINE]) == (
        15,
        st.SHADOWS,
        15,
        tiles[3],
    )
    assert s["tools"][MARINE].sum() == 0


def test_e29_a_wounded_horror_goes_home() -> None:
    """MAZE-78."""
    table = Table()
    table.tile("dead_end_vent", 0, -1, "N")
    tiles = table.line(6)
    table.tile("dead_end", 0, 6, "S")
    table.put(MARINE, tiles[2])
    table.horror(tiles[1], 5)
    env = table.env(NO_EVENT, strict=False)
    s = play(env, act.END_PHASE)
    assert (s["h_tile"], env.phase_name()) == (tiles[0], "IMP_SELECT")
    env.feed_dice(NO_EVENT)
    play(env, act.END_PHASE)
    assert kind_at(env, 0, -1) == "dead_end_vent"
    assert env.states[0]["h_tile"] == at(env, 0, -1)
    env.feed_dice(NO_EVENT)
    s = play(env, act.END_PHASE)
    assert s["h_state"] == st.IN_NEST
    table.tiles[at(env, 0, -1)]["lit"] = [2, 0, 0, 0]
    env = table.env(NO_EVENT, strict=False)
    play(env, act.END_PHASE)
    assert env.phase_name() == "H_ACT"
    play(env, act.H_PASS)
    assert env.phase_name() == "H_ASSAULT"


def next_turn(wounds: int, die: int) -> BoardEnv:
    table = Table()
    table.put(LEADER, table.tile("nest", 0, 0, "NESW"))
    for x, y, side in ((0, 1, "S"), (1, 0, "W"), (0, -1, "N"), (-1, 0, "E")):
        table.tile("dead_end", x, y, side)
    table.horror(None, wounds, "nest")
    env = (
        table.horror_acts([die, 1, 1, 1, 1, 6], strict=False)
        if wounds >= 10
        else table.env(NO_EVENT, strict=False)
    )
    if wounds < 10:
        play(env, act.END_PHASE)
    return env


def test_e30_the_horror_heals_in_its_nest() -> None:
    """MAZE-79, MAZE-80."""
    for wounds, die, healed, returns in ((9, 1, 10, True), (8, 2, 9, False)):
        table = Table()
        room = table.tile("corridor_vent", 0, 0, "NS")
        table.tile("dead_end", 0, 1, "S")
        table.tile("dead_end_vent", 0, -1, "N")
        table.put(MARINE, room)
        table.horror(None, wounds, "nest")
        env = table.env([*NO_EVENT, die], strict=False)
        s = play(env, act.END_PHASE)
        assert (s["h_wounds"], s["h_state"], s["core"]["turn"]) == (healed, st.IN_NEST, 6)
        env.feed_dice(NO_EVENT)
        play(env, act.END_PHASE)
        assert (env.phase_name() == "H_ACT") == returns
        if returns:
            assert may(env, act.H_PASS)
            assert may(env, act.H_SURPRISE + MARINE)


def mad(*dice: int) -> tuple[BoardEnv, int]:
    table = Table()
    room = table.tile("corridor", 0, 0, "NS")
    table.tile("dead_end", 0, 1, "S")
    table.tile("dead_end", 0, -1, "N")
    table.put(MEDIC, room, morale=0)
    table.horror(None, 0, "slain")
    env = table.env([*NO_EVENT, *dice, CORRIDOR, CORRIDOR], strict=False)
    play(env, act.END_PHASE)
    return env, len(env.pending_dice)


def test_e32_schizophrenia() -> None:
    """MAZE-99, MAZE-101, MAZE-102, MAZE-104."""
    for dice, delirium, hallucination, suicidal in (
        ((3, 3, 3), 0, 0, 0),
        ((3, 2, 2), 6, 0, 0),
        ((3, 3, 6), 0, 0, 6),
        ((3, 4, 6), 0, 6, 6),
        ((5,), 0, 0, 0),
    ):
        env, _ = mad(*dice)
        s = env.states[0]
        found = [int(s[field][MEDIC]) for field in ("delir", "halluc", "suicid")]
        assert found == [delirium, hallucination, suicidal]


def test_e33_a_suicidal_model_shoots_itself() -> None:
    """MAZE-68, MAZE-105, MAZE-106, MAZE-28."""
    table = Table()
    tiles = table.line(3)
    table.put(EXPERT, tiles[0], wounds=1, suicid=5)
    table.put(LEADER, tiles[0])
    table.horror(tiles[1])
    env = table.env([2, 5, 4])
    s = acts(env, EXPERT, fire(0, 3))
    assert s["status"][EXPERT] == st.DEAD
    assert (s["pile"][tiles[0], st.STUBBER], s["pile_shots"][tiles[0], st.STUBBER]) == (1, 7)
    assert s["morale"][LEADER] == 10
    assert spent(env)


def test_e34_hallucinations_hit_mates() -> None:
    """MAZE-103."""
    table = Table()
    tiles = table.line(3)
    table.put(EXPERT, tiles[0], halluc=5)
    table.put(LEADER, tiles[0])
    table.put(MEDIC, tiles[0])
    table.horror(tiles[1])
    env = table.env([2, 2, 5, 4, 1, 1, 4, 5, 6, 3])
    s = acts(env, EXPERT, fire(0, 3))
    assert (s["wounds"][MEDIC], s["wounds"][LEADER], s["h_wounds"]) == (2, 4, 15)
    assert spent(env)


def test_e35_lights_out_from_the_removal_on() -> None:
    """MAZE-130, MAZE-146."""
    table = Table()
    table.tile("dead_end", 0, -1, "N")
    tiles = table.line(8)
    table.tile("dead_end", 0, 8, "S")
    table.put(LEADER, tiles[0])
    env = table.env([2, 2, 2, 2, 1])
    s = play(env, act.END_PHASE)
    assert [y for y in range(-1, 9) if at(env, 0, y) >= 0] == [-1, 0, 1, 2, 3]
    assert (s["lights"], env.phase_name()) == (1, "H_ACT")
    table.put(LEADER, tiles[0])
    env = table.env(NO_EVENT, lights=True, strict=False)
    while env.states[0]["core"]["turn"] == 5:
        play(env, env.legal_actions()[-1])
    assert env.states[0]["lights"] == 0


def test_e36_a_cave_in() -> None:
    """MAZE-143."""
    table = Table()
    room = table.tile("large_room", 0, -1, "NESW")
    for x, side in ((1, "W"), (-1, "E")):
        table.tile("dead_end", x, -1, side)
    table.tile("dead_end", 0, -2, "N")
    tiles = table.line(4)
    table.tile("dead_end", 0, 4, "S")
    table.put(LEADER, tiles[0])
    env = table.env([6, 6, 5, 5])
    s = acts(env, LEADER, act.MOVE + N, act.DONE)
    assert s["tile_marks"][tiles[2]] & st.CAVED
    assert [y for y in range(5) if at(env, 0, y) >= 0] == [0, 1, 2]
    assert room >= 0
    table.put(MEDIC, tiles[2])
    env = table.env([6, 6, 5, 5])
    acts(env, LEADER, act.MOVE + N, act.DONE)
    s = play(env, act.END_PHASE)
    assert not s["tile_marks"][tiles[2]] & st.CAVED


def test_e37_taking_the_beacon_home() -> None:
    """MAZE-39, MAZE-42, MAZE-160."""
    table = Table()
    room = table.tile("beacon_room", 0, 1, "NESW")
    for x, y, side in ((1, 1, "W"), (-1, 1, "E"), (0, 2, "S")):
        table.tile("dead_end", x, y, side)
    table.tile("shuttle", 0, 0, "N")
    table.put(LEADER, room)
    table.put(MEDIC, room)
    table.horror(None, 0, "slain")
    env = table.env(strict=False)
    play(env, act.END_PHASE)
    assert env.phase_name() == "BEACON_PICK"
    env.feed_dice(NO_EVENT)
    s = play(env, act.TO_MODEL + MEDIC)
    assert (s["beacon_at"], s["beacon_id"], s["beacon_out"]) == (st.BEACON_CARRIED, MEDIC, 1)
    acts(env, LEADER, act.MOVE + S)
    assert not env.terminations["imperials_0"]
    play(env, act.SWITCH)
    acts(env, MEDIC, act.MOVE + S)
    assert env.rewards == {"imperials_0": 1.0, "horror_0": -1.0}


def test_e38_a_beacon_left_behind_is_in_its_room_again() -> None:
    """MAZE-161, MAZE-162, MAZE-53."""
    table = Table()
    table.tile("dead_end", 0, -1, "N")
    tiles = table.line(12)
    table.tile("dead_end", 0, 12, "S")
    table.put(LEADER, tiles[11])
    env = table.env(NO_EVENT, beacon_at="ground", beacon_id=tiles[0], beacon_out=True)
    s = play(env, act.END_PHASE)
    assert at(env, 0, 0) == -1
    assert (s["beacon_at"], s["beacon_id"]) == (st.BEACON_IN_ROOM, -1)
    table = Table()
    tiles = table.line(3)
    table.put(EXPERT, tiles[0], wounds=1, suicid=5)
    table.put(LEADER, tiles[0])
    table.horror(tiles[1])
    env = table.env([2, 5, 4], beacon_at="carried", beacon_id=EXPERT, beacon_out=True)
    s = acts(env, EXPERT, fire(0, 3))
    assert (s["beacon_at"], s["beacon_id"]) == (st.BEACON_ON_GROUND, tiles[0])
    s = acts(env, LEADER, act.PICK_UP + st.BEACON)
    assert (s["beacon_at"], s["beacon_id"]) == (st.BEACON_CARRIED, LEADER)


def test_e39_a_melted_floor() -> None:
    """MAZE-22, MAZE-115, MAZE-116, MAZE-117."""
    table = Table()
    room = table.tile("large_room", 0, 0, "NESW")
    for x, y, side in ((1, 0, "W"), (-1, 0, "E"), (0, 1, "S"), (0, -1, "N")):
        table.tile("dead_end", x, y, side)
    far = table.tile("corridor", 9, 9, "NS")
    table.tile("dead_end", 9, 10, "S")
    table.tile("dead_end", 9, 8, "N")
    table.everybody(room, (DEMOLITION, MARINE))
    table.everybody(far, (LEADER, EXPERT, MEDIC, TERMINATOR))
    table.horror(None, 0, "slain")
    env = table.env([2, 3, 6, 4], strict=False)
    s = acts(env, DEMOLITION, act.MELTA_FLOOR)
    assert (s["wounds"][DEMOLITION], s["wounds"][MARINE]) == (3, 2)
    assert s["status"][DEMOLITION] == s["status"][MARINE] == st.FALLEN
    assert (s["morale"][DEMOLITION], s["morale"][MARINE]) == (7, 15)
    assert s["lost"].tolist() == [0, 0, 1, 0, 1, 0]
    assert s["tile_marks"][room] & st.IS_PIT
    env.feed_dice([*NO_EVENT, LARGE, *[DEAD_END] * 8])
    s = play(env, act.END_PHASE)
    assert s["status"][DEMOLITION] == s["status"][MARINE] == st.BOARD
    assert s["at"][DEMOLITION] == s["at"][MARINE] == at(env, 0, 0, 1)
    assert s["lost"][DEMOLITION] == 1


def test_e40_a_trip_mine() -> None:
    """MAZE-87, MAZE-95, MAZE-127."""
    table = Table()
    tiles = table.line(5)
    table.put(MEDIC, tiles[1])
    table.put(MARINE, tiles[1])
    table.tiles[tiles[1]] |= {"mine": ["north"], "armed": ["north"]}
    table.tiles[tiles[2]] |= {"mine": ["south"], "armed": ["south"]}
    table.horror(tiles[2])
    env = table.assault([3, 2, 2, 5, 6, 1, 2, 6, 4, 6, 5, 5, 5], strict=False)
    play(env, charge(S))
    while env.phase_name() == "OVERWATCH":
        env.step(act.NO)
        if env.states[0]["h_wounds"] < 16:
            break
    s = env.states[0]
    assert s["h_wounds"] == 13
    assert s["injury"][MARINE] & st.BLOODLOSS
    assert s["tools"][MEDIC].sum() == 0
    assert s["mine"].sum() == 0


def test_e41_a_space_marine_armoury() -> None:
    """MAZE-5, MAZE-156."""
    table = Table()
    armoury = table.tile("marine_armoury", 0, 1, "S")
    room = table.tile("large_room", 0, 0, "NESW")
    for x, y, side in ((1, 0, "W"), (-1, 0, "E"), (0, -1, "N")):
        table.tile("dead_end", x, y, side)
    table.put(MARINE, room, shots=[2, 0])
    table.put(EXPERT, room, morale=5)
    table.put(MEDIC, room)
    env = table.env([5, 1, 3])
    acts(env, EXPERT)
    assert not may(env, act.MOVE + N)
    play(env, act.DONE)
    s = acts(env, MARINE, act.MOVE + N)
    assert (s["morale"][EXPERT], s["morale"][MEDIC], s["shots"][MARINE, 0]) == (6, 8, 8)
    assert s["tile_marks"][armoury] & st.SPENT
    play(env, act.MOVE + S)
    assert spent(env)
    for spent_mark, enters in (([], False), (["spent"], True)):
        table = Table()
        table.tile("marine_armoury", 0, 1, "S", tile_marks=spent_mark)
        table.horror(table.corridor(0, 0))
        table.put(MEDIC, table.tile("dead_end", 5, 5, "S"))
        assert may(table.horror_acts(), act.H_MOVE + N) == enters


def nest_entry(m: int, *dice: int) -> BoardEnv:
    table = Table()
    table.tile("nest", 0, 1, "NESW")
    for x, y, side in ((1, 1, "W"), (-1, 1, "E"), (0, 2, "S")):
        table.tile("dead_end", x, y, side)
    table.put(m, table.corridor(0, 0))
    table.tile("dead_end", 0, -1, "N")
    env = table.env(dice, corpse_scion=1, corpse_marine=1)
    acts(env, m, act.MOVE + N)
    assert spent(env)
    return env


def test_e42_the_nest_shows_the_taken() -> None:
    """MAZE-163."""
    assert nest_entry(MEDIC, 4).states[0]["morale"][MEDIC] == 4
    assert nest_entry(MARINE).states[0]["morale"][MARINE] == 13


def test_e43_the_medic_heals_two() -> None:
    """MAZE-23, MAZE-114."""
    table = Table()
    room = table.corridor(0, 0)
    table.put(MEDIC, room)
    table.put(LEADER, room, wounds=2)
    table.put(EXPERT, room, wounds=2, injury=["concussion"])
    env = table.env()
    acts(env, MEDIC, act.MEDKIT + EXPERT)
    assert env.phase_name() == "IMP_MEDKIT2"
    s = play(env, act.TO_MODEL + LEADER)
    assert (s["wounds"][EXPERT], s["injury"][EXPERT], s["wounds"][LEADER]) == (3, 0, 3)
    assert (s["tools"][MEDIC].sum(), s["acts"][MEDIC]) == (0, 1)


def test_e44_the_massacre() -> None:
    """MAZE-157."""
    for with_marine, dice, left in ((True, (2, 3), (8, 7)), (False, (), (7, 7))):
        table = Table()
        hall = table.tile("massacre", 0, 0, "NESW")
        for x, y, side in ((1, 0, "W"), (-1, 0, "E"), (0, 1, "S"), (0, -1, "N")):
            table.tile("dead_end", x, y, side)
        table.put(EXPERT, hall)
        table.put(MEDIC, hall)
        if with_marine:
            table.put(MARINE, hall)
        env = table.env([*dice, *NO_EVENT], strict=False)
        s = play(env, act.END_PHASE)
        assert (s["morale"][EXPERT], s["morale"][MEDIC]) == left


def test_e45_the_spike_tail() -> None:
    """MAZE-73, MAZE-103."""
    table = Table()
    tiles = table.line(5)
    table.put(LEADER, tiles[2])
    table.put(MEDIC, tiles[2])
    table.horror(tiles[1])
    env = table.horror_acts([2, 4, 4])
    s = play(env, act.H_SPIKE + N)
    assert (s["morale"][MEDIC], s["halluc"][MEDIC], s["wounds"][MEDIC]) == (7, 6, 3)
    assert spent(env)
    assert env.phase_name() == "H_ASSAULT"


def test_e46_the_fallen_count_as_left() -> None:
    """MAZE-27, MAZE-40."""
    table = Table()
    tiles = table.line(3)
    table.put(EXPERT, tiles[0], wounds=1, suicid=5)
    table.put(DEMOLITION, -1, status="fallen", fall_x=3, fall_y=3, acts=0)
    table.horror(tiles[1])
    env = table.env([2, 5, 4], strict=False)
    s = acts(env, EXPERT, fire(0, 3))
    assert s["status"][EXPERT] == st.DEAD
    assert not env.terminations["horror_0"]
    table.models.pop(DEMOLITION)
    env = table.env([2, 5, 4])
    acts(env, EXPERT, fire(0, 3))
    assert env.rewards == {"imperials_0": -1.0, "horror_0": 1.0}
    table = Table()
    tiles = table.line(3)
    table.put(MARINE, tiles[0])
    table.horror(tiles[1], 1)
    env = table.env([5, 5, 1], strict=False)
    s = acts(env, MARINE, fire(0, 1))
    assert (s["h_state"], s["h_wounds"]) == (st.SLAIN, 0)
    assert not env.terminations["horror_0"]
    while env.states[0]["core"]["turn"] < 8:
        assert env.agent_selection == "imperials_0"
        play(env, env.legal_actions()[-1])


def test_e47_a_life_threatening_injury() -> None:
    """MAZE-36, MAZE-38, MAZE-94."""
    table = Table()
    room = table.corridor(0, 0)
    table.tile("dead_end", 0, 1, "S")
    table.tile("dead_end", 0, -1, "N")
    table.put(EXPERT, room, wounds=1, injury=["life-threatening"], acts=0, shots=[0, 0])
    table.put(MEDIC, room)
    table.horror(None, 0, "slain")
    env = table.env(NO_EVENT, strict=False)
    assert not may(env, act.SELECT + EXPERT)
    s = play(env, act.END_PHASE)
    assert s["status"][EXPERT] == st.DEAD
    env = table.env(NO_EVENT, strict=False)
    acts(env, MEDIC, act.MEDKIT + EXPERT, act.TO_MODEL + EXPERT, act.DONE)
    assert env.phase_name() == "IMP_SELECT"
    s = play(env, act.END_PHASE) if env.states[0]["core"]["turn"] == 5 else env.states[0]
    assert (s["core"]["turn"], s["wounds"][EXPERT], s["acts"][EXPERT]) == (6, 3, 2)


def test_e48_a_narrow_corridor() -> None:
    """MAZE-144."""
    table = Table()
    tiles = table.line(4)
    table.everybody(tiles[2], (LEADER, EXPERT, DEMOLITION, MEDIC, MARINE))
    table.tiles[tiles[2]]["tile_marks"] = ["searched", "narrow"]
    table.horror(tiles[1])
    env = table.assault([1, 1], strict=False)
    play(env, charge(N), overwatch(0, 1), overwatch(0, 1))
    assert env.phase_name() != "OVERWATCH"
    table = Table()
    vent = table.tile("corridor_vent", 0, 0, "NS")
    table.everybody(vent, (LEADER, EXPERT, DEMOLITION, MEDIC, MARINE))
    table.tiles[vent]["tile_marks"] = ["searched", "narrow"]
    env = table.horror_acts([1, 2], strict=False)
    s = play(env, act.H_SURPRISE + LEADER)
    assert s["status"][LEADER] == st.TAKEN
    assert W == 3
    assert BEACON_ROOM == 101
