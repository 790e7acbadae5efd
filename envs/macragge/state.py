"""The state record of Battle for Macragge: slots, groups, pieces, phases and the dtype that holds them.

Lengths are in steps of half an inch; coordinates run 0..96 east and north (MAC-B1). No field is narrower than 16 bits
where sums are taken of it, so that interpreted runs cannot overflow where compiled ones do not.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.record import CORE

# -- seats -------------------------------------------------------------------------------------------------------

ULTRAMARINES = 0
TYRANIDS = 1

# -- missions ----------------------------------------------------------------------------------------------------

CRASH_SITE = 1
RESCUE_VARRAS = 2
FUSION_CORE = 3
XENO_TIDE = 4
REINFORCEMENTS = 5
PURGE_THE_XENOS = 6

LAYOUT_RANDOM = 0
LAYOUT_STANDARD = 1

# -- models: fixed slots -----------------------------------------------------------------------------------------

MODELS = 35
VARRAS = 0
OCTAVIAN = 1
FLAMER = 2
MISSILE = 6
FIRST_GENESTEALER, LAST_GENESTEALER = 11, 16
FIRST_TERMAGANT, LAST_TERMAGANT = 17, 26
FIRST_MINE, LAST_MINE = 27, 34

KIND_VARRAS = 0
KIND_OCTAVIAN = 1
KIND_FLAMER = 2
KIND_BOLTER = 3
KIND_MISSILE = 4
KIND_GENESTEALER = 5
KIND_TERMAGANT = 6
KIND_MINE = 7

KIND_OF_SLOT = (
    [KIND_VARRAS, KIND_OCTAVIAN, KIND_FLAMER]
    + [KIND_BOLTER] * 3
    + [KIND_MISSILE]
    + [KIND_BOLTER] * 4
    + [KIND_GENESTEALER] * 6
    + [KIND_TERMAGANT] * 10
    + [KIND_MINE] * 8
)

MINE_EXPLOSIVE = 0
MINE_ACID = 1
MINE_POISON = 2
MINE_TYPE_OF_SLOT = [MINE_EXPLOSIVE] * 3 + [MINE_ACID] * 3 + [MINE_POISON] * 2

STATUS_OUT = 0  # not in play: in the pool, or not part of this mission
STATUS_TABLE = 1
STATUS_DEAD = 2  # Ultramarines only; dead Tyranids go back to STATUS_OUT
STATUS_ESCAPED = 3
STATUS_CARRIED = 4

FLAG_MOVED = 1  # ended its unit's move elsewhere than it began
FLAG_EDITED = 2  # was given another cell in this plan
FLAG_CHARGED = 4  # charged into contact this turn
FLAG_LAID = 8  # slain in a simultaneous fight, still to strike
FLAG_STOOD = 16  # in contact with the beacon at the start of this turn
FLAG_FOUGHT = 32  # has struck in this fight
FLAG_QUEUED = 64  # a mine that is about to detonate
FLAG_BUSY = 128  # Varras, who has tried to take out the fusion core this turn (MAC-M3.2)

# -- groups ------------------------------------------------------------------------------------------------------

GROUPS = 38
"""Groups 0..37; the record keeps the first 28 (node, projectors and wrecks are pieces)."""
STORED_GROUPS = 28
GROUP_VARRAS = 0
GROUP_OCTAVIAN = 1
GROUP_ATREUS = 2
FIRST_GENESTEALER_UNIT, LAST_GENESTEALER_UNIT = 3, 7
FIRST_TERMAGANT_UNIT, LAST_TERMAGANT_UNIT = 8, 14
GROUP_GENESTEALER_NEST = 15
GROUP_TERMAGANT_NEST = 16
FIRST_MINE_GROUP = 17
FIRST_MARKER_GROUP = 25
GROUP_NODE = 28
FIRST_PROJECTOR_GROUP = 29
FIRST_WRECK_GROUP = 33
UNITS = 17
"""Groups 0..16 are units: what SELECT chooses among."""

GROUP_NONE = 0
GROUP_ULTRAMARINES = 1
GROUP_GENESTEALERS = 2
GROUP_TERMAGANTS = 3
GROUP_MINE = 4
GROUP_MARKER = 5

GROUP_MOVED = 1  # its move is done (and some model ended elsewhere, see GROUP_DISPLACED)
GROUP_FIRED = 2
GROUP_ASSAULTED = 4
GROUP_SHOT = 16  # has shot, not only held its fire: an Ultramarine squad may not charge then (MAC-B41)
GROUP_DISPLACED = 8  # some model ended its move elsewhere than it began (MAC-B29)

# -- pieces ------------------------------------------------------------------------------------------------------

PIECES = 14
FIRST_WRECK, LAST_WRECK = 0, 4
FIRST_MARKER, LAST_MARKER = 5, 7
PIECE_NODE = 8
FIRST_PROJECTOR, LAST_PROJECTOR = 9, 12
PIECE_BEACON = 13

PIECE_NONE = 0
PIECE_WRECK = 1
PIECE_MARKER = 2
PIECE_HIVE_NODE = 3
PIECE_PROJECTOR = 4
PIECE_LOCATOR_BEACON = 5

PIECE_COCKPIT = 1  # flag of a wreck: the cockpit (W0 of missions 1-4)
PIECE_CORE = 2  # flag of a wreck: holds the fusion core (W1 of missions 3, 4)

KILLS_COUNTED = 12
"""Genestealers killed are counted up to what mission 3 asks for."""

# -- phases: the decision at hand ----------------------------------------------------------------------------------

NO_DECISION = -1
CORE_CARRIER = 0
MINE_DIR = 1
MOVE_SELECT = 2
MOVE_PLAN = 3
RETREAT = 4
MOVE_EDIT = 5
MOVE_CELL = 6
SHOOT_SELECT = 7
SHOOT_TARGET = 8
FLAME = 9
MISSILE_TYPE = 10
AIM = 11
ASSAULT_SELECT = 12
ASSAULT_TARGET = 13
ASSAULT_CELL = 14
STRIKE = 15
CASUALTY = 16
ACID_DIR = 17
SPAWN = 18
BEACON = 19
OVER = 20

PHASE_NAMES = (
    "CORE_CARRIER",
    "MINE_DIR",
    "MOVE_SELECT",
    "MOVE_PLAN",
    "RETREAT",
    "MOVE_EDIT",
    "MOVE_CELL",
    "SHOOT_SELECT",
    "SHOOT_TARGET",
    "FLAME",
    "MISSILE",
    "AIM",
    "ASSAULT_SELECT",
    "ASSAULT_TARGET",
    "ASSAULT_CELL",
    "STRIKE",
    "CASUALTY",
    "ACID_DIR",
    "SPAWN",
    "BEACON",
    "OVER",
)

# Steps of a player's turn, in order (MAC-B12); a turn passes over those that its mission or seat lacks.
STEP_MINES = 0
STEP_MOVE = 1
STEP_SHOOT = 2
STEP_ASSAULT = 3
STEP_FIGHT = 4
STEP_SPAWN = 5
STEP_BEACON = 6
STEP_END = 7
STEP_NAMES = ("mines", "move", "shoot", "assault", "fight", "spawn", "beacon", "end")

CORE_NONE, CORE_IN_WRECK, CORE_CARRIED, CORE_DROPPED = 0, 1, 2, 3
THUNDERHAWK_NONE, THUNDERHAWK_SIGNAL, THUNDERHAWK_LANDED = 0, 1, 2

# What a frame on the stack of suspended sequences is doing.
FRAME_NONE = 0
FRAME_DETONATIONS = 1  # mines of the detonation queue go off, one after another
FRAME_CASUALTIES = 2  # a = squad, b = wounds still to allot
FRAME_VOLLEY = 3  # a = unit that shoots, b = group it shoots at, c = failed saves so far
FRAME_ACID = 5  # a, b = where an acid mine has gone off
FRAME_FIGHT = 4  # a = stage of the fight (FIGHT_*), b = next slot to strike

# -- events --------------------------------------------------------------------------------------------------------
# kind: arguments a..f. Slots, groups, pieces are indices; DIR 0..15; distances in steps unless said.

EVENT_TURN_BEGAN = 1  # seat, turn
EVENT_ROLLED = 2  # value, purpose (ROLL_*), slot or group concerned (-1: none), needed (0: not a test), seat
EVENT_MINE_DRIFTED = 3  # slot, from x, from y, to x, to y, direction
EVENT_UNIT_MOVED = 4  # group, number of models that ended elsewhere
EVENT_MODEL_MOVED = 5  # slot, from x, from y, to x, to y
EVENT_CROSS_DECLARED = 6  # group, limit in inches
EVENT_SHOT = 7  # shooter slot, target group, target slot (-1: none)
EVENT_FLAME = 8  # shooter slot, direction
EVENT_DETONATED = 9  # slot, x, y, mine type
EVENT_BLAST_HIT = 10  # slot hit, 1 covered or 0 partly
EVENT_SAVED = 11  # slot, 1 armour or 2 cover
EVENT_SLAIN = 12  # slot, x, y, 1 for Varras brought down in missions 4 and 6
EVENT_WOUNDED = 13  # group whose failed saves await a choice, number
EVENT_MARKER_DESTROYED = 14  # piece, x, y
EVENT_MINE_RETURNED = 15  # slot, marker piece, x, y
EVENT_GAME_OVER = 16  # result in half points for UM, reason (OVER_*)
EVENT_SPARED = 17  # slot: hit, but not killed (a failed kill or wound roll)

EVENT_CORE_TAKEN = 18  # slot that carries the fusion core from now on
EVENT_FIELD_DROPPED = 19  # piece: the projector that was disabled
EVENT_UNIT_PLACED = 20  # group, number of models, piece it appears at
EVENT_CHARGED = 21  # group, target group
EVENT_STRUCK = 22  # slot that strikes, slot struck
EVENT_LAID_DOWN = 23  # slot slain, still to strike
EVENT_BROUGHT_DOWN = 24  # slot of the Space Marine who carries Varras from now on
EVENT_ESCAPED = 25  # slot, x, y
EVENT_NODE_WOUNDED = 26  # wounds it has left
EVENT_MODEL_RETURNED = 27  # slot, group, x, y
EVENT_BURST = 28  # slot that the frag missile was aimed at, x, y
EVENT_ACID = 29  # x, y, direction
EVENT_THUNDERHAWK = 30  # THUNDERHAWK_*
EVENT_CORE_DROPPED = 31  # slot that dropped it into the node
EVENT_NODE_DESTROYED = 32  # x, y
EVENT_MARKER_WOUNDED = 33  # piece, wounds it can still take

EVENT_NAMES = {
    EVENT_TURN_BEGAN: "turn_began",
    EVENT_ROLLED: "rolled",
    EVENT_MINE_DRIFTED: "drifted",
    EVENT_UNIT_MOVED: "unit_moved",
    EVENT_MODEL_MOVED: "moved",
    EVENT_CROSS_DECLARED: "cross_declared",
    EVENT_SHOT: "shot",
    EVENT_FLAME: "flame",
    EVENT_DETONATED: "detonated",
    EVENT_BLAST_HIT: "hit",
    EVENT_SAVED: "saved",
    EVENT_SLAIN: "slain",
    EVENT_WOUNDED: "wounded",
    EVENT_MARKER_DESTROYED: "marker_destroyed",
    EVENT_MINE_RETURNED: "mine_returned",
    EVENT_GAME_OVER: "game_over",
    EVENT_SPARED: "spared",
    EVENT_CORE_TAKEN: "core_taken",
    EVENT_FIELD_DROPPED: "field_dropped",
    EVENT_UNIT_PLACED: "unit_placed",
    EVENT_CHARGED: "charged",
    EVENT_STRUCK: "struck",
    EVENT_LAID_DOWN: "laid_down",
    EVENT_BROUGHT_DOWN: "brought_down",
    EVENT_ESCAPED: "escaped",
    EVENT_NODE_WOUNDED: "node_wounded",
    EVENT_MODEL_RETURNED: "model_returned",
    EVENT_BURST: "burst",
    EVENT_ACID: "acid",
    EVENT_THUNDERHAWK: "thunderhawk",
    EVENT_CORE_DROPPED: "core_dropped",
    EVENT_NODE_DESTROYED: "node_destroyed",
    EVENT_MARKER_WOUNDED: "marker_wounded",
}

ROLL_MINE_DISTANCE = 0
ROLL_SCATTER = 1  # 1-2 hit, 3-6 arrow
ROLL_DIRECTION = 2  # 0..15
ROLL_CROSS = 3
ROLL_TO_HIT = 4
ROLL_TO_WOUND = 5
ROLL_SAVE = 6
ROLL_PARTIAL = 7  # partly under a blast: hit on 4+
ROLL_KILL = 8
ROLL_EXPLODE = 9
ROLL_BURN = 10  # touched by the flame template
ROLL_COVER = 11  # cover save
ROLL_DISARM = 12
ROLL_PROJECTOR = 13
ROLL_RETREAT = 14
ROLL_REND = 15  # a Genestealer's roll to hit: 6 kills outright
ROLL_SCUTTLE = 16
ROLL_CORE_DROP = 17
ROLL_NAMES = (
    "mine distance",
    "scatter",
    "direction",
    "crossing",
    "to hit",
    "to wound",
    "save",
    "partly covered",
    "to kill",
    "to explode",
    "to burn",
    "cover save",
    "disarming",
    "disabling",
    "retreat",
    "to hit or rend",
    "scuttle",
    "dropping the core",
)

OVER_EXIT_REACHED = 0
OVER_VARRAS_DEAD = 1
OVER_MARKERS_DESTROYED = 2
OVER_VARRAS_AND_SQUAD_DEAD = 3
OVER_MARKERS_DESTROYED_VARRAS_DEAD = 4
OVER_NO_ULTRAMARINES = 5
OVER_TURN_LIMIT = 6
OVER_CONTACT = 7
OVER_CORE_SAVED = 8
OVER_CORE_EXPLODED = 9
OVER_ALL_ESCAPED = 10
OVER_XENO_TIDE = 11
OVER_NEITHER_POSSIBLE = 12
OVER_NONE_LEFT = 13
OVER_RENDEZVOUS = 14
OVER_PURGE = 15
OVER_NAMES = (
    "Varras reached the exit zone",
    "Varras is dead",
    "all infestation markers are destroyed and Varras lives",
    "Varras and at least three Space Marines are dead",
    "all infestation markers are destroyed, but Varras is dead",
    "no Ultramarine is left on the table",
    "the turn limit was reached",
    "a Genestealer has reached the Ultramarines",
    "the fusion core is out and twelve Genestealers are dead",
    "the fusion core explodes",
    "all Space Marines, Varras and the fusion core have escaped",
    "three Space Marines are dead and Varras is down",
    "neither side can reach its objective any more",
    "no Ultramarine is left on the table",
    "the squad is at the rendezvous",
    "the evacuation is over",
)

OPTION_TIDE = 1  # bit of core.spare: Genestealers are reinforced in mission 4 (MAC-M4.5)

# -- the record ----------------------------------------------------------------------------------------------------

MAX_UNIT = 10
"""Most models in a unit (ten Termagants)."""
CELL_WORDS = 7
"""441 offsets as bits of 64-bit words."""

MODEL = np.dtype(
    [
        ("x", "i2"),
        ("y", "i2"),
        ("start_x", "i2"),  # where its unit's move began
        ("start_y", "i2"),
        ("plan_x", "i2"),  # where the plan at hand puts it
        ("plan_y", "i2"),
        ("kind", "i2"),
        ("status", "i2"),
        ("group", "i2"),
        ("mine_type", "i2"),
        ("aim", "i2"),
        ("attacks", "i2"),
        ("marks", "i2"),
    ]
)
GROUP = np.dtype([("kind", "i2"), ("living", "i2"), ("marks", "i2"), ("allowance", "i2")])
PIECE = np.dtype([("kind", "i2"), ("x", "i2"), ("y", "i2"), ("r", "i2"), ("hp", "i2"), ("marks", "i2")])
FRAME = np.dtype([("op", "i2"), ("a", "i2"), ("b", "i2"), ("c", "i2")])

STATE = np.dtype(
    [
        ("core", CORE),
        # cells each model of the unit in hand may end on, as bits over the DEST offsets from its start: reachable and
        # free of everything outside the unit. Derived (legal.py), kept because a plan asks for it many times.
        ("cells", "i8", (MAX_UNIT, CELL_WORDS)),
        ("models", MODEL, (MODELS,)),
        ("groups", GROUP, (STORED_GROUPS,)),
        ("pieces", PIECE, (PIECES,)),
        ("exit_rect", "i2", (4,)),  # west, south, east, north; all zero: none
        ("rendezvous", "i2", (3,)),  # x, y, 1 if there is one
        ("active", "i2"),  # whose turn it is
        ("step", "i2"),  # STEP_*
        ("phase", "i2"),  # the decision at hand
        ("unit", "i2"),  # group in hand, -1: none
        ("model", "i2"),  # slot in hand, -1: none
        ("target", "i2"),  # group aimed at, -1: none
        ("shooter", "i2"),
        ("allowance", "i2"),  # inches of the move at hand
        ("crossing", "i2"),  # 1: CROSS was declared for it
        ("die", "i2"),  # last die rolled
        ("wounds", "i2"),  # failed saves to be allotted
        ("squad", "i2"),  # whose casualties are chosen, -1: none
        ("cursor", "i2"),  # next mine to move
        ("kills", "i2"),
        ("fusion_core", "i2"),
        ("core_carrier", "i2"),  # slot, -1: none
        ("core_timer", "i2"),
        ("varras_carrier", "i2"),  # slot, -1: none
        ("field", "i2"),  # 1: the power field stands
        ("thunderhawk", "i2"),
        ("movers", "i2", (MAX_UNIT,)),  # slots of the unit in hand, ascending; rows of `cells`
        ("mover_count", "i2"),
        ("mover_index", "i2"),
        ("detonations", "i2", (8,)),  # slots about to detonate, first in first out
        ("detonation_head", "i2"),
        ("detonation_tail", "i2"),
        ("frames", FRAME, (12,)),
        ("frame_count", "i2"),
    ],
    align=True,
)
