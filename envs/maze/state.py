"""The state record of The Killer of the Maze: tiles, models, the turn and the dtype that holds them (ledger section 6).

Fields are 16 bits wide where 8 would do, so that sums of them cannot overflow in interpreted runs; -1 is none.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.record import CORE

# -- seats and missions ------------------------------------------------------------------------------------------

IMPERIALS = 0
HORROR = 1

MISSIONS = 3
BEACON_MISSION, FULL_HULK, SHORT = 1, 2, 3
DECK_IDS = ("beacon", "full-hulk", "short")

# -- the board ---------------------------------------------------------------------------------------------------

NORTH, EAST, SOUTH, WEST = range(4)
DIRECTIONS = ("north", "east", "south", "west")
NO_DIRECTION = 4

TILES = 96
KINDS = 26
KIND_IDS = (
    "shuttle",
    "beacon_room",
    "nest",
    "massacre",
    "marine_armoury",
    "ransacked_armoury",
    "corridor",
    "corridor_vent",
    "dead_end",
    "dead_end_vent",
    "bend",
    "bend_vent",
    "large_room",
    "pit",
    "locked_corridor",
    "intersection",
    "intersection_vent",
    "locked_intersection",
    "junction",
    "junction_vent",
    "locked_junction",
    "open_ceiling",
    "chapel",
    "chaos_shrine",
    "viewing_platform",
    "cargo_lift",
)
(
    SHUTTLE,
    BEACON_ROOM,
    NEST,
    MASSACRE,
    MARINE_ARMOURY,
    RANSACKED,
    CORRIDOR,
    CORRIDOR_VENT,
    DEAD_END,
    DEAD_END_VENT,
    BEND,
    BEND_VENT,
    LARGE_ROOM,
    PIT,
    LOCKED_CORRIDOR,
    INTERSECTION,
    INTERSECTION_VENT,
    LOCKED_INTERSECTION,
    JUNCTION,
    JUNCTION_VENT,
    LOCKED_JUNCTION,
    OPEN_CEILING,
    CHAPEL,
    SHRINE,
    PLATFORM,
    LIFT,
) = range(KINDS)

SHAPES = ("end", "straight", "bend", "three", "four")
END_SHAPE, STRAIGHT, BENT, THREE, FOUR = range(5)
CORRIDORS = (1, 2, 2, 3, 4)  # Access Corridors of each shape

IN_PILE, ON_BOARD, ASIDE, ABSENT = range(4)
TILE_STATES = ("pile", "board", "aside", "absent")

# marks of tiles; those from SPENT on last the whole game, the others until the tile leaves the board
IS_PIT = 1
CAVED = 2
SEARCHED = 4  # the item roll is made
MOURN_MARINE = 8
MOURN_TERMINATOR = 16
NARROW = 32
SPENT = 64  # used, or opened
FIXED_TAKEN = 128
WARD_USED = 256
GAME_LONG = SPENT | FIXED_TAKEN | WARD_USED
TILE_MARKS = (
    "pit",
    "caved in",
    "searched",
    "dead marine",
    "dead terminator",
    "narrow",
    "spent",
    "item taken",
    "ward used",
)

VENTS = 4
FLOOR_CHARGE = 1
"""Bit of ``melta`` for a charge on the floor; that on the door of side d is ``2 << d``."""

WALL, CONN, DARK, DOOR = range(4)

# -- models ------------------------------------------------------------------------------------------------------

MODELS = 6
MODEL_IDS = ("leader", "weapon_expert", "demolition_expert", "medic", "tactical_marine", "terminator")
LEADER, WEAPON_EXPERT, DEMOLITION, MEDIC, MARINE, TERMINATOR = range(MODELS)
SCIONS = 4
"""Models below this are Scions, the others Space Marines."""
EVERYBODY = (1 << MODELS) - 1

BOARD, FALLEN, TAKEN, DEAD = range(4)
STATUSES = ("board", "fallen", "taken", "dead")

CONCUSSION = 1
BLOODLOSS = 2
THREATENED = 4
FRESH = 3
"""A Bloodloss or Life-Threatening Injury that counts from the next turn on is kept this many bits higher."""
INJURIES = (
    "concussion",
    "bloodloss",
    "life-threatening",
    "",
    "bloodloss from next turn",
    "life-threatening from next turn",
)

AT_BEACON_ROOM, AT_CHAPEL, AT_SHRINE, LOOKED_OUT = 1, 2, 4, 8
FIRSTS = ("beacon room", "chapel", "chaos shrine", "looked out")
STOPPED, BLADE_USED, BLADE_SAVE, OVERWATCHED = 1, 2, 4, 8
MODEL_MARKS = ("done", "blade used", "blade save", "overwatch asked")

SCANNER_OFF, SCANNER_ALL = 0, 1
SCANNER_MODES = ("off", "all", "north", "east", "south", "west")

# -- items -------------------------------------------------------------------------------------------------------

ITEMS = 24
WEAPONS = 8
CHARGES = 6
TOOLS = 9
FIRST_CHARGE = WEAPONS
FIRST_TOOL = WEAPONS + CHARGES
BEACON = 23
ITEM_IDS = (
    "boltgun",
    "heavy_flamer",
    "heavy_stubber",
    "laspistol",
    "lasgun",
    "volleygun",
    "shotgun",
    "storm_bolter",
    "bolter_magazine",
    "fuel_tank",
    "stubber_magazine",
    "laspistol_charge",
    "lasgun_charge",
    "shotgun_charge",
    "scanner",
    "frag_grenade",
    "pendant",
    "medkit",
    "melta_charge",
    "ration_pack",
    "sacrificial_blade",
    "servo_skull",
    "trip_mine",
    "beacon",
)
BOLTGUN, HEAVY_FLAMER, STUBBER, LASPISTOL, LASGUN, VOLLEYGUN, SHOTGUN, STORM_BOLTER = range(WEAPONS)
BOLTER_AMMO, FUEL_AMMO, STUBBER_AMMO, LASPISTOL_AMMO, LASGUN_AMMO, SHOTGUN_AMMO = range(CHARGES)
SCANNER, FRAG, PENDANT, MEDKIT, MELTA, RATION, BLADE, SKULL, MINE = range(FIRST_TOOL, FIRST_TOOL + TOOLS)
WEAPON_TYPE, CHARGE_TYPE, TOOL_TYPE, BEACON_TYPE = range(4)
SLOTS = 2
MOST_SHOTS = 6
"""Most shots of one Fire action."""
SKULL_USES = 2

BEACON_IN_ROOM, BEACON_CARRIED, BEACON_ON_GROUND, BEACON_WITH_CORPSES = range(4)
BEACON_PLACES = ("room", "carried", "ground", "corpses")

# -- the Horror --------------------------------------------------------------------------------------------------

SHADOWS, PROWLING, IN_NEST, SLAIN = range(4)
HORROR_STATES = ("shadows", "board", "nest", "slain")

# -- events (E6) -------------------------------------------------------------------------------------------------

EVENT_IDS = (
    "lights",
    "generator",
    "signpost",
    "nothing",
    "dead_soldier",
    "dead_marine",
    "dead_terminator",
    "medical_supplies",
    "found_them",
    "ration_trolley",
    "distracted",
    "whispers",
    "faulty_ammunition",
    "faulty_weapon",
    "cave_in",
    "narrow_corridor",
    "ceramite_door",
)
(
    LIGHTS,
    GENERATOR,
    SIGNPOST,
    NOTHING,
    DEAD_SOLDIER,
    DEAD_MARINE,
    DEAD_TERMINATOR,
    MEDICAL,
    FOUND_THEM,
    TROLLEY,
    DISTRACTED,
    WHISPERS,
    BAD_AMMO,
    BAD_WEAPON,
    CAVE_IN,
    NARROW_CORRIDOR,
    CERAMITE,
) = range(17)
EVENTS = len(EVENT_IDS)

# -- steps: where the turn stands ----------------------------------------------------------------------------------

STEPS = (
    "start",
    "actions",
    "look",
    "beacon",
    "armoury",
    "massacre",
    "mourning",
    "event",
    "event roll",
    "event effect",
    "removal",
    "horror",
    "spike",
    "assault",
    "grenade at the charge",
    "overwatch",
    "charge",
    "saves",
    "push",
    "second saves",
    "look after the push",
    "grenade at the retreat",
    "end",
)
(
    STEP_START,
    STEP_ACTIONS,
    STEP_LOOK,
    STEP_BEACON,
    STEP_ARMOURY,
    STEP_MASSACRE,
    STEP_MOURNING,
    STEP_EVENT,
    STEP_EVENT_ROLL,
    STEP_EVENT_EFFECT,
    STEP_REMOVAL,
    STEP_HORROR,
    STEP_SPIKE,
    STEP_ASSAULT,
    STEP_FRAG_CHARGE,
    STEP_OVERWATCH,
    STEP_CHARGE,
    STEP_SAVES,
    STEP_PUSH,
    STEP_SECOND_SAVES,
    STEP_PUSH_LOOK,
    STEP_FRAG_RETREAT,
    STEP_END,
) = range(23)

# -- phases: the decision at hand (ledger section 4.1) -----------------------------------------------------------

PHASES = (
    "IMP_SELECT",
    "IMP_ACT",
    "IMP_SWAP",
    "IMP_TRANSFER",
    "IMP_MEDKIT2",
    "TILE_CHOICE",
    "BEACON_PICK",
    "FIND",
    "EVENT_REDRAW",
    "CRUX",
    "MORTAL",
    "FRAG_CHARGE",
    "OVERWATCH",
    "PUSH",
    "FRAG_RETREAT",
    "H_ACT",
    "H_ASSAULT",
    "OVER",
)
NO_DECISION = -1
(
    IMP_SELECT,
    IMP_ACT,
    IMP_SWAP,
    IMP_TRANSFER,
    IMP_MEDKIT2,
    TILE_CHOICE,
    BEACON_PICK,
    FIND,
    EVENT_REDRAW,
    CRUX,
    MORTAL,
    FRAG_CHARGE,
    OVERWATCH,
    PUSH,
    FRAG_RETREAT,
    H_ACT,
    H_ASSAULT,
    OVER,
) = range(18)

# -- the event log: kind and arguments a..f; models, tiles, items, kinds are indices, -1: none -------------------

LOG_TURN_BEGAN = 1  # turn
LOG_ROLLED = 2  # value, purpose (ROLL_*), model concerned (-1: none), needed (0: not a test)
LOG_DREW = 3  # tile, kind, x, y, floor
LOG_REMOVED = 4  # tile, kind
LOG_MOVED = 5  # model, from tile, to tile, kind of the tile
LOG_FIRED = 6  # model, weapon, shots, 1 in Overwatch
LOG_WOUNDED = 7  # model, wounds lost, wounds left
LOG_SLAIN = 8  # model, tile
LOG_HORROR_WOUNDED = 9  # wounds lost, wounds left
LOG_HORROR_SLAIN = 10
LOG_HORROR_MOVED = 11  # from tile, to tile (-1: off the board), state
LOG_MORALE = 12  # model, change, morale now
LOG_LOST = 13  # model, 1 lost, 0 found
LOG_INJURED = 14  # model, number of the Injury
LOG_INSANE = 15  # model, number of the Insanity
LOG_TOOK = 16  # model, item, tile
LOG_LEFT = 17  # model, item, tile
LOG_USED = 18  # model, item
LOG_EVENT = 19  # event, tile
LOG_CHARGED = 20  # tile
LOG_CHARGE_FAILED = 21  # wounds
LOG_SPIKED = 22  # model
LOG_GRABBED = 23  # model, 1 taken, 0 saved
LOG_TAKEN = 24  # model
LOG_EXPLODED = 25  # what (MINE, MELTA, FRAG), tile
LOG_DOOR_GONE = 26  # tile, direction
LOG_FELL = 27  # model
LOG_LANDED = 28  # model, tile
LOG_SHIFTED = 29  # tile, kind
LOG_HEALED = 30  # model, wounds gained, wounds now
LOG_CURED = 31  # model, bit of the Injury
LOG_RELOADED = 32  # model, weapon
LOG_VENT_LIT = 33  # model, tile
LOG_OVER = 34  # half points of the Imperials, reason (OVER_*)
LOG_PUSHED = 35  # direction
LOG_CRUX = 36  # model
LOG_LIFT = 37  # tile, floor

LOG_NAMES = {
    LOG_TURN_BEGAN: "turn_began",
    LOG_ROLLED: "rolled",
    LOG_DREW: "drew",
    LOG_REMOVED: "removed",
    LOG_MOVED: "moved",
    LOG_FIRED: "fired",
    LOG_WOUNDED: "wounded",
    LOG_SLAIN: "slain",
    LOG_HORROR_WOUNDED: "horror_wounded",
    LOG_HORROR_SLAIN: "horror_slain",
    LOG_HORROR_MOVED: "horror_moved",
    LOG_MORALE: "morale",
    LOG_LOST: "lost",
    LOG_INJURED: "injured",
    LOG_INSANE: "insane",
    LOG_TOOK: "took",
    LOG_LEFT: "left",
    LOG_USED: "used",
    LOG_EVENT: "event",
    LOG_CHARGED: "charged",
    LOG_CHARGE_FAILED: "charge_failed",
    LOG_SPIKED: "spiked",
    LOG_GRABBED: "grabbed",
    LOG_TAKEN: "taken",
    LOG_EXPLODED: "exploded",
    LOG_DOOR_GONE: "door_gone",
    LOG_FELL: "fell",
    LOG_LANDED: "landed",
    LOG_SHIFTED: "shifted",
    LOG_HEALED: "healed",
    LOG_CURED: "cured",
    LOG_RELOADED: "reloaded",
    LOG_VENT_LIT: "vent_lit",
    LOG_OVER: "game_over",
    LOG_PUSHED: "pushed",
    LOG_CRUX: "crux",
    LOG_LIFT: "lift",
}

ROLL_NAMES = (
    "to hit",
    "to wound",
    "armour save",
    "the Horror's save",
    "And They Shall Know No Fear",
    "Inspiring Presence",
    "Imperial Crest Pendant",
    "injury",
    "insanity",
    "event",
    "search",
    "way of the corridor",
    "number of doors",
    "Don't Let It Take Him",
    "wounds",
    "number of hits",
    "shots",
    "morale",
    "chance",
)
(
    ROLL_HIT,
    ROLL_WOUND,
    ROLL_SAVE,
    ROLL_HORROR_SAVE,
    ROLL_STEEL,
    ROLL_INSPIRED,
    ROLL_PENDANT,
    ROLL_INJURY,
    ROLL_INSANITY,
    ROLL_EVENT,
    ROLL_SEARCH,
    ROLL_WAY,
    ROLL_DOORS,
    ROLL_GRAB,
    ROLL_DAMAGE,
    ROLL_HITS,
    ROLL_SHOTS,
    ROLL_MORALE,
    ROLL_CHANCE,
) = range(19)

OVER_BEACON, OVER_NOBODY, OVER_TURNS = range(3)
OVER_NAMES = ("the Beacon is on the Shuttle", "no explorer is left", "the turn limit was reached")
WIN, LOSS = 2, -2

# -- the record ----------------------------------------------------------------------------------------------------

STATE = np.dtype(
    [
        ("core", CORE),
        # tiles by id
        ("kind", "i2", (TILES,)),
        ("state", "i2", (TILES,)),
        ("floor", "i2", (TILES,)),
        ("x", "i2", (TILES,)),
        ("y", "i2", (TILES,)),
        ("open", "i2", (TILES,)),  # bits of the sides with an Access Corridor
        ("door", "i2", (TILES,)),
        ("ceramite", "i2", (TILES,)),
        ("tile_marks", "i2", (TILES,)),
        ("lit", "i2", (TILES, VENTS)),  # turns left
        ("nb", "i2", (TILES, 4)),  # tiles in the four neighbour cells, whatever the edge
        ("mine", "i2", (TILES,)),  # bits of edges, kept on both tiles
        ("armed", "i2", (TILES,)),
        ("melta", "i2", (TILES,)),
        ("mourned", "i2", (TILES,)),  # set of models that have mourned here
        ("tile_skull", "i2", (TILES,)),  # uses left of the Servo Skull lying here
        ("pile", "i2", (TILES, ITEMS)),
        ("pile_shots", "i2", (TILES, WEAPONS)),
        ("loose", "i2", (TILES,)),  # how many items lie there in all: the sum of `pile`
        # models by index
        ("status", "i2", (MODELS,)),
        ("at", "i2", (MODELS,)),  # tile; of the fallen: the one they fell from
        ("fall_x", "i2", (MODELS,)),
        ("fall_y", "i2", (MODELS,)),
        ("wounds", "i2", (MODELS,)),
        ("morale", "i2", (MODELS,)),
        ("acts", "i2", (MODELS,)),
        ("acted", "i2", (MODELS,)),  # actions spent since SELECT
        ("lost", "i2", (MODELS,)),
        ("injury", "i2", (MODELS,)),
        ("weapon", "i2", (MODELS, SLOTS)),
        ("shots", "i2", (MODELS, SLOTS)),
        ("ammo", "i2", (MODELS, CHARGES)),
        ("tools", "i2", (MODELS, TOOLS)),
        ("skull", "i2", (MODELS,)),  # uses left of the Servo Skull
        ("scanner", "i2", (MODELS,)),
        ("crux", "i2", (MODELS,)),  # 1: used
        ("mourn", "i2", (MODELS,)),
        ("no_fire", "i2", (MODELS,)),
        ("heading", "i2", (MODELS,)),
        ("start", "i2", (MODELS,)),  # tile at the beginning of the phase
        ("move_seq", "i2", (MODELS,)),
        ("firsts", "i2", (MODELS,)),
        ("model_marks", "i2", (MODELS,)),
        ("halluc", "i2", (MODELS,)),  # last turn in force
        ("delir", "i2", (MODELS,)),
        ("suicid", "i2", (MODELS,)),
        ("pendant", "i2", (MODELS,)),
        # the deck
        ("n_tiles", "i2"),
        ("shuffled", "i2"),
        ("floors", "i2"),  # number of the newest floor
        # the turn
        ("step", "i2"),
        ("phase", "i2"),
        ("sel", "i2"),
        ("cur", "i2"),
        ("moves", "i2"),  # moves of explorers in this phase
        ("reveal", "i2"),  # set of models whose corridors are still to be filled
        # the Horror
        ("h_state", "i2"),
        ("h_tile", "i2"),
        ("h_from", "i2"),
        ("h_wounds", "i2"),
        # the charge
        ("ch_tile", "i2"),
        ("ch_d1", "i2"),
        ("ch_d2", "i2"),
        ("ch_wounds", "i2"),
        ("ch_fired", "i2"),
        ("ch_todo", "i2"),  # set of models still to be asked, or to save
        ("ch_roll", "i2"),  # the failed save of the Terminator
        ("ch_pushed", "i2"),  # set of models that were pushed
        # effects
        ("lights", "i2"),
        ("generator", "i2"),
        ("early", "i2"),  # 1 + bearer
        ("pulse", "i2"),  # 1 + bearer
        ("extra_draw", "i2"),  # 0, 2 or 3
        ("ceramite_next", "i2"),
        # the Beacon
        ("beacon_at", "i2"),
        ("beacon_id", "i2"),  # model or tile
        ("beacon_out", "i2"),  # 1: was ever taken
        # the taken
        ("corpse_scion", "i2"),
        ("corpse_marine", "i2"),
        ("nest_pile", "i2", (ITEMS,)),
        ("nest_shots", "i2", (WEAPONS,)),
        ("nest_skull", "i2"),
        # events
        ("ev_n", "i2"),
        ("ev_i", "i2"),
        ("ev_group", "i2", (MODELS,)),
        ("ev_tile", "i2"),
        ("ev_kind", "i2"),
        ("ev_redrawn", "i2"),
        # a find being dealt out
        ("find_group", "i2"),
        ("find_tile", "i2"),
        ("find_weapon", "i2"),  # -1: none
        ("find_ammo", "i2"),
        ("find_n", "i2"),
        ("find_tool", "i2"),  # item, -1: none
        # what is in hand
        ("in_hand", "i2"),
        ("cand_n", "i2"),
        ("cand_tile", "i2", (3,)),
        ("cand_open", "i2", (3,)),
        ("cand_door", "i2", (3,)),
        ("cand_at", "i2"),
        ("cand_dir", "i2"),
        # derived: each model's group (a set; 0 off the board), and whether the Horror must go home
        ("group", "i2", (MODELS,)),
        ("h_bound", "i2"),
        (
            "regroup",
            "i2",
        ),  # 1: somebody is elsewhere, or the board is another than when the groups were found
        # scratch of searches; zero between decisions
        ("reach", "i2", (TILES,)),
        ("order", "i2", (TILES,)),
        ("keep", "i2", (TILES,)),
    ],
    align=True,
)
