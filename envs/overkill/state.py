"""The state record of Overkill: models, types, zones, stages, steps and the dtype that holds them (ledger section 5).

Zones, points and sections are numbered per mission (see :mod:`broodmind.envs.overkill.tables`). Fields are 16 bits wide
where 8 would do, so that sums of them cannot overflow in interpreted runs.
"""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.record import CORE

# -- seats -------------------------------------------------------------------------------------------------------

DEATHWATCH = 0
CULT = 1

# -- missions ----------------------------------------------------------------------------------------------------

MISSIONS = 9
KILLSTORM = 1
VOX_NOCTIS = 2
RECOVER = 3
EXTERMINATUS = 4
OFFICIUM = 5
FIRESTORM = 6
TABLES_TURNED = 7
PURGATION = 8
ALPHA_THREAT = 9
CAMPAIGN = 10
"""``core.mission`` of the campaign; ``mission`` says which of its nine is being played."""

# -- models (OVK-G17) --------------------------------------------------------------------------------------------

MARINES = 11
MODELS = 50
TYPES = 11
KINDS = MARINES + TYPES
"""Profiles: marine m is kind m, cult type t is kind 11 + t."""

CASSIUS, GRYTT, GYDRAEL, DONATUS, REDBLADE, SETORAX, DELASSIO, SORRLOCK, SUBEREI, BRANATAR, NATORIAN = range(
    11
)
AUTOGUN, AUTOPISTOL, MINING_LASER, GRENADE_LAUNCHER, HAMMER, PICK, PURESTRAIN, FAMILIAR = range(8)
PATRIARCH, MAGUS, PRIMUS = 8, 9, 10

MARINE_IDS = (
    "cassius",
    "grytt",
    "gydrael",
    "donatus",
    "redblade",
    "setorax",
    "delassio",
    "sorrlock",
    "suberei",
    "branatar",
    "natorian",
)
TYPE_IDS = (
    "autogun",
    "autopistol",
    "mining_laser",
    "grenade_launcher",
    "hammer",
    "pick",
    "purestrain",
    "familiar",
    "patriarch",
    "magus",
    "primus",
)
TYPE_COUNTS = (12, 12, 2, 2, 2, 2, 2, 2, 1, 1, 1)
TYPE_FIRST = (11, 23, 35, 37, 39, 41, 43, 45, 47, 48, 49)
FIRST_CULT = MARINES
PATRIARCH_SLOT, MAGUS_SLOT, PRIMUS_SLOT = 47, 48, 49

OFF = -1  # in the pool; a marine: not in the team
RESERVE = -2
SLAIN = -3  # a marine, or (mission 7) a cult model for good
EXITED = -4

MOVED = 1
ACTED = 2
RAN = 4
MARK_NAMES = ("moved", "acted", "ran")

# Skills and weapon rules, by the names that data files use.
SKILLS = (
    "rosarius",
    "litanies",
    "panic",
    "determination",
    "marksman",
    "headlong",
    "jump_pack",
    "smoke",
    "black_rage",
    "bionics",
    "bike",
    "vengla",
    "teleport",
    "psychic",
    "agility",
    "vassal",
    "tough_vs_cleave",
    "mesmerise",
    "demagogue",
)
(
    ROSARIUS,
    LITANIES,
    PANIC,
    DETERMINATION,
    MARKSMAN,
    HEADLONG,
    JUMP_PACK,
    SMOKE,
    BLACK_RAGE,
    BIONICS,
    BIKE,
    VENGLA,
    TELEPORT,
    PSYCHIC,
    AGILITY,
    VASSAL,
    TOUGH,
    MESMERISE,
    DEMAGOGUE,
    HYBRID,
) = (1 << k for k in range(20))
WEAPON_RULES = ("blast", "rend", "cleave", "hazard", "psychic")
BLAST, REND, CLEAVE, HAZARD, SCREAM = (1 << k for k in range(5))

# -- the board ---------------------------------------------------------------------------------------------------

MAX_ZONES = 64
MAX_SECTIONS = 8
MAX_POINTS = 16
MAX_MUSTER = 12
MAX_NEIGHBOURS = 16
MAX_PROFILES = 4

ASSAULT, COMBAT, MAXIMUM, OUT = 0, 1, 2, 3

# marks of zones
SURGED = 1
FERVENT = 2
VENOMED = 4
SHIELDED = 8
PANICKED = 16
ZONE_MARK_NAMES = ("surge", "fervour", "venom", "shield", "panic")

# -- cards -------------------------------------------------------------------------------------------------------

CARDS = 30
MAX_ENTRIES = 3
CARD_OUT, CARD_DECK, CARD_HAND, CARD_LAID, CARD_DISCARD = range(5)
CARD_PLACES = ("out", "deck", "hand", "laid", "discard")
TURNED_UP = 1
LURKING = 2
POINT_MARK_NAMES = ("turned up", "lurking")

GAMBITS = (
    "whisper",
    "rockfall",
    "bulkhead",
    "surge",
    "shift",
    "tunnels",
    "masses",
    "fervour",
    "venom",
    "dust",
    "shield",
    "jam",
    "no_respite",
    "static",
)
(
    WHISPER,
    ROCKFALL,
    BULKHEAD,
    SURGE,
    SHIFT,
    TUNNELS,
    MASSES,
    FERVOUR,
    VENOM,
    DUST,
    SHIELD,
    JAM,
    NO_RESPITE,
    STATIC,
) = range(14)
PHASES = ("broodmind", "dw_move", "cult_move", "dw_attack_1", "cult_attack", "dw_attack_2")
BROOD_PHASE, MOVE_PHASE, CULT_MOVE_PHASE, ATTACK_PHASE, CULT_ATTACK_PHASE, SECOND_PHASE = range(6)
GAMBIT_PHASES = (0, 0, 1, 2, 2, 2, 2, 4, 4, 3, 3, 3, 3, 5)
GAMBIT_TARGETS = (
    "none",
    "zone",
    "marine",
    "zone",
    "point+point",
    "group+point",
    "point",
    "zone",
    "zone",
    "none",
    "zone",
    "marine",
    "marine",
    "marine",
)
DRAWS = 16
"""Most planned draws that a state can hold."""

# -- steps: where the turn stands ----------------------------------------------------------------------------------

STEPS = (
    "team",
    "homer",
    "muster",
    "place",
    "brood",
    "window before the move",
    "move",
    "cult move",
    "launch",
    "window before the attack",
    "attack",
    "cult attack",
    "window before the second attack",
    "second attack",
    "end",
    "campaign",
)
(
    STEP_TEAM,
    STEP_HOMER,
    STEP_MUSTER,
    STEP_PLACE,
    STEP_BROOD,
    STEP_WINDOW_MOVE,
    STEP_MOVE,
    STEP_CULT_MOVE,
    STEP_LAUNCH,
    STEP_WINDOW_ATTACK,
    STEP_ATTACK,
    STEP_CULT_ATTACK,
    STEP_WINDOW_SECOND,
    STEP_SECOND,
    STEP_END,
    STEP_CAMPAIGN,
) = range(16)

# Jobs: what goes on between two decisions of one step.
JOBS = ("none", "place card", "launch", "next attacker", "attack", "hits", "after attack")
JOB_NONE, JOB_PLACE, JOB_LAUNCH, JOB_NEXT, JOB_ATTACK, JOB_HITS, JOB_AFTER = range(7)

# -- stages: the decision at hand (ledger section 3; from 26 on the sub-stages of staged choices) ------------------

STAGES = (
    "TEAM",
    "TEAM_ZONE",
    "HOMER",
    "MUSTER_MARINE",
    "PLACE_MIX",
    "PLACE_ZONE",
    "BROOD",
    "BROOD_POINT",
    "GAMBIT_TARGET",
    "GAMBIT_SECOND",
    "WINDOW",
    "DMOVE",
    "DMOVE_ACT",
    "CMOVE",
    "CMOVE_ACT",
    "LAUNCH",
    "LAUNCH_MIX",
    "LAUNCH_TYPE",
    "DATT",
    "DATT_ACT",
    "DATT_TYPE",
    "CATT",
    "CATT_ACT",
    "CATT_REND",
    "CAMPAIGN_PICK",
    "OVER",
    "MUSTER_ZONE",
    "GAMBIT_TYPE",
    "CMOVE_TYPE",
    "CMOVE_ONE",
    "DATT_ZONE",
    "CATT_TYPE",
    "CATT_ONE",
    "CATT_TARGET",
)
NO_DECISION = -1
(
    TEAM,
    TEAM_ZONE,
    HOMER,
    MUSTER_MARINE,
    PLACE_MIX,
    PLACE_ZONE,
    BROOD,
    BROOD_POINT,
    GAMBIT_TARGET,
    GAMBIT_SECOND,
    WINDOW,
    DMOVE,
    DMOVE_ACT,
    CMOVE,
    CMOVE_ACT,
    LAUNCH,
    LAUNCH_MIX,
    LAUNCH_TYPE,
    DATT,
    DATT_ACT,
    DATT_TYPE,
    CATT,
    CATT_ACT,
    CATT_REND,
    CAMPAIGN_PICK,
    OVER,
    MUSTER_ZONE,
    GAMBIT_TYPE,
    CMOVE_TYPE,
    CMOVE_ONE,
    DATT_ZONE,
    CATT_TYPE,
    CATT_ONE,
    CATT_TARGET,
) = range(34)

# -- rule options: core.spare -----------------------------------------------------------------------------------------

OPTION_HAND = 3  # bits 0-1: hand modifier 0, 1, 2, 3 = -1 (OVK-C03)
OPTION_FEWER = 4  # one card fewer is laid (OVK-C04)
OPTION_SMALL = 8  # three marines in mission 6 (OVK-C05)
OPTION_LATE = 16  # OVK-C07
OPTION_WOUNDED = 32  # times 1 + marine, 0 for none (OVK-C06)

# -- events ------------------------------------------------------------------------------------------------------
# kind: arguments a..f. Models, zones, points, cards are indices.

EVENT_TURN_BEGAN = 1  # turn
EVENT_PHASE_BEGAN = 2  # phase
EVENT_ROLLED = (
    3  # value, purpose (ROLL_*), model concerned (-1: none), needed (0: not a test), seat that rolls
)
EVENT_PLACED = 4  # model, zone
EVENT_MOVED = 5  # model, from zone, to zone, 1 if it jumped
EVENT_EXITED = 6  # model, zone
EVENT_ATTACKED = 7  # model, profile, target model (-1: a zone), target zone
EVENT_HIT = 8  # model that is hit
EVENT_SAVED = 9  # model
EVENT_WOUNDED = 10  # model
EVENT_SLAIN = 11  # model, zone
EVENT_RECOVERED = 12  # model
EVENT_DREW = 13  # number of cards, seen by all
EVENT_SHUFFLED = 14  # number of cards
EVENT_LAID = 15  # point (the card is secret)
EVENT_TURNED_UP = 16  # card, point (-1: from the deck)
EVENT_LAUNCHED = 17  # card, point
EVENT_GAMBIT = 18  # card, gambit
EVENT_DISCARDED = 19  # number of cards
EVENT_SKULL = 20  # 1 taken, 0 dropped; marine, zone
EVENT_ATTACHED = 21  # marine, zone
EVENT_ABILITY = 22  # marine, ability
EVENT_SECTION_LOST = 23  # section
EVENT_MESMERISED = 24  # marine, 1 if it worked
EVENT_STAYED = 25  # marine who stays on his feet (determination)
EVENT_GAME_OVER = 26  # half points of the Deathwatch, reason (OVER_*)
EVENT_MISSION_OVER = 27  # mission, half points of the Deathwatch, reason (a mission of the campaign)
EVENT_MISSION_BEGAN = 28  # mission
EVENT_NAMED = 29  # marine, what for (NAMED_*)
EVENT_CARD_MOVED = 30  # from point, to point
EVENT_AIMED = 31  # gambit, marine (-1: a zone), zone

EVENT_NAMES = {
    EVENT_TURN_BEGAN: "turn_began",
    EVENT_PHASE_BEGAN: "phase_began",
    EVENT_ROLLED: "rolled",
    EVENT_PLACED: "placed",
    EVENT_MOVED: "moved",
    EVENT_EXITED: "exited",
    EVENT_ATTACKED: "attacked",
    EVENT_HIT: "hit",
    EVENT_SAVED: "saved",
    EVENT_WOUNDED: "wounded",
    EVENT_SLAIN: "slain",
    EVENT_RECOVERED: "recovered",
    EVENT_DREW: "drew",
    EVENT_SHUFFLED: "shuffled",
    EVENT_LAID: "laid",
    EVENT_TURNED_UP: "turned_up",
    EVENT_LAUNCHED: "launched",
    EVENT_GAMBIT: "gambit",
    EVENT_DISCARDED: "discarded",
    EVENT_SKULL: "skull",
    EVENT_ATTACHED: "attached",
    EVENT_ABILITY: "ability",
    EVENT_SECTION_LOST: "section_lost",
    EVENT_MESMERISED: "mesmerised",
    EVENT_STAYED: "stayed",
    EVENT_GAME_OVER: "game_over",
    EVENT_MISSION_OVER: "mission_over",
    EVENT_MISSION_BEGAN: "mission_began",
    EVENT_NAMED: "named",
    EVENT_CARD_MOVED: "card_moved",
    EVENT_AIMED: "aimed",
}

ROLL_JUMP, ROLL_TO_HIT, ROLL_REROLL, ROLL_SAVE, ROLL_ENDURE, ROLL_ROCKFALL, ROLL_STATIC, ROLL_MESMERISE = (
    range(8)
)
ROLL_PERIL = 8
ROLL_NAMES = (
    "jump",
    "to hit",
    "to hit again",
    "save",
    "to endure",
    "rockfall",
    "psychic static",
    "to mesmerise",
    "peril",
)
NAMED_TEAM, NAMED_HOMER, NAMED_WOUNDED = range(3)
NAMED_NAMES = ("the team", "the homer", "the wound he bears from now on")

OVER_OBJECTIVE = 0
OVER_LOSSES = 1
OVER_BOTH = 2
OVER_TURN_LIMIT = 3
OVER_NAMES = (
    "the Deathwatch has met its objective",
    "too many marines are slain",
    "both sides met their objectives at once",
    "the turn limit was reached",
)

# -- the record ----------------------------------------------------------------------------------------------------

STATE = np.dtype(
    [
        ("core", CORE),
        # models by index
        ("zone", "i2", (MODELS,)),  # zone, or OFF, RESERVE, SLAIN, EXITED
        ("wounds", "i2", (MODELS,)),  # suffered
        ("marks", "i2", (MODELS,)),  # MOVED, ACTED, RAN
        # derived from `zone`: cost of the models in each zone, and how many of each side
        ("used", "i2", (MAX_ZONES,)),
        ("marines_in", "i2", (MAX_ZONES,)),
        ("cult_in", "i2", (MAX_ZONES,)),
        ("zone_marks", "i2", (MAX_ZONES,)),
        # cards
        ("card_at", "i2", (CARDS,)),
        ("point_card", "i2", (MAX_POINTS,)),  # card, -1: none
        ("point_marks", "i2", (MAX_POINTS,)),
        ("draws", "i2", (DRAWS,)),  # planned draws, first to last, each 1 + card
        ("draw_count", "i2"),
        # turn
        ("mission", "i2"),
        ("step", "i2"),
        ("phase", "i2"),  # one of the six, as PHASES
        ("stage", "i2"),
        ("job", "i2"),
        ("picker", "i2"),  # who names the next marine in mission 8
        # what is in hand, -1: none
        ("marine", "i2"),
        ("sel_zone", "i2"),
        ("sel_type", "i2"),
        ("profile", "i2"),
        ("card", "i2"),
        ("point", "i2"),
        ("attacker", "i2"),
        ("target_zone", "i2"),
        ("target", "i2"),  # model
        ("hits", "i2"),
        ("hazards", "i2"),
        ("alone", "i2"),  # 1: only one model of the group
        ("moves_left", "i2"),
        ("kept", "i2"),  # moves that taking the skull would give back
        ("fresh", "i2"),  # 1: the marine in hand has not moved
        ("entry", "i2"),
        ("left", "i2"),
        ("mix", "i2"),
        ("placed", "i2"),
        ("set_up", "i2"),  # how many cards, or models, set-up has placed
        ("laid_now", "i2"),
        # the mission
        ("team", "i2"),  # set of marines
        ("first", "i2"),  # the marine named first
        ("hand_size", "i2"),
        ("lay_min", "i2"),
        ("lay_max", "i2"),
        ("team_size", "i2"),
        ("late", "i2"),
        ("injured", "i2"),  # set of marines who start wounded
        ("kills", "i2"),
        ("slain", "i2"),
        ("exited", "i2"),
        ("krak", "i2"),  # set of silo zones 0..2 with grenades
        ("skull_zone", "i2"),
        ("carrier", "i2"),
        ("destroyed", "i2"),
        ("arrived", "i2"),
        ("lower_open", "i2"),
        ("no_ambush", "i2"),
        ("reinforced", "i2"),
        # effects: sets of marines, or one number
        ("pinned", "i2"),
        ("jammed", "i2"),
        ("no_recover", "i2"),
        ("static", "i2"),
        ("mesmerised", "i2"),
        ("homer", "i2"),
        ("teleported", "i2"),
        ("smoke_zone", "i2"),
        ("smoke_used", "i2"),
        ("psychic_used", "i2"),
        ("might", "i2"),
        ("revealed_now", "i2"),
        ("dust", "i2"),
        # the campaign
        ("results", "i2", (MISSIONS,)),  # half points of the Deathwatch, by mission
        ("teams", "i2", (MISSIONS,)),  # sets of marines
        ("played", "i2"),
    ],
    align=True,
)
