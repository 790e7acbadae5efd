"""The layout of the observation: 1,796 numbers, the same for both seats and all missions.

The 1,654 of the ledger (section 5), and three blocks of what a network would have to work out from them: `hand`, what
is near the model in hand, as offsets from it; `ways`, where each direction leads that the model in hand can take; and
`flame`, whom a flame would touch.
"""

from __future__ import annotations

from broodmind.envs.core.observation import Block, ObservationLayout
from broodmind.envs.macragge.names import MINE_TYPES
from broodmind.envs.macragge.state import MODELS, PHASE_NAMES, PIECES, STORED_GROUPS

PHASES = 20
DIRECTIONS = 16
KINDS = ("Varras", "Octavian", "flamer", "bolter", "missile launcher", "Genestealer", "Termagant", "mine")
STATUSES = ("on the table", "dead or out of play", "escaped", "carried")
GROUP_KINDS = ("Ultramarines", "Genestealers", "Termagants", "mine", "marker")
NEAREST_ENEMIES = 4
PIECE_KINDS = ("wreck", "marker", "node", "projector", "beacon")

OBSERVATION = ObservationLayout(
    (
        Block(
            "globals",
            1,
            (
                *((f"mission_{k}", f"1 in mission {k}") for k in range(1, 7)),
                *(
                    (f"phase_{name.lower()}", f"1 when the decision is {name}")
                    for name in PHASE_NAMES[:PHASES]
                ),
                ("to_act", "1 if the decision is the observer's"),
                ("ultramarines_turn", "1 in the Ultramarines' turn"),
                ("turn", "round of turns / turn limit (40 without one), at most 1"),
                ("limit", "turn limit / 40, at most 1"),
                ("allowance", "inches of the move at hand / 12"),
                ("crossing", "1 if the move crosses wreckage"),
                ("die", "last die / 6"),
                ("wounds", "failed saves to be allotted / 5"),
                ("core_none", "1 if there is no fusion core in play"),
                ("core_in_wreck", "1 while the core is in its wreck"),
                ("core_carried", "1 while the core is carried"),
                ("core_dropped", "1 once the core is in the node"),
                ("core_timer", "turns until the core explodes / 2"),
                ("kills", "Genestealers killed / 12"),
                ("field", "1 while the power field stands"),
                ("node_wounds", "wounds the node has left / 4"),
                ("thunderhawk_none", "1 if no Thunderhawk was called"),
                ("thunderhawk_signal", "1 while the signal is sent"),
                ("thunderhawk_landed", "1 while the Thunderhawk waits"),
                ("pool_genestealers", "Genestealers out of play / 6"),
                ("pool_termagants", "Termagants out of play / 10"),
                *((f"pool_{name}_mines", f"{name} mines out of play / 8") for name in MINE_TYPES),
                ("exit_west", "west side of the exit zone / 96"),
                ("exit_south", "south side / 96"),
                ("exit_east", "east side / 96"),
                ("exit_north", "north side / 96"),
                ("rendezvous_x", "rendezvous, east / 96"),
                ("rendezvous_y", "rendezvous, north / 96"),
                ("rendezvous", "1 if there is a rendezvous"),
                ("tide", "1 if Genestealers are reinforced in mission 4"),
            ),
        ),
        Block(
            "models",
            MODELS,
            (
                *((f"status_{k}", f"1 if {name}") for k, name in enumerate(STATUSES)),
                ("x", "east, in half inches / 96"),
                ("y", "north, in half inches / 96"),
                ("plan_dx", "planned offset east / 24"),
                ("plan_dy", "planned offset north / 24"),
                *((f"kind_{k}", f"1 for {name}") for k, name in enumerate(KINDS)),
                *((f"mine_{name}", f"1 for a mine that is {name}") for name in MINE_TYPES),
                ("own", "1 if it is the observer's"),
                ("unit_in_hand", "1 if its unit is in hand"),
                ("in_hand", "1 if it is the model in hand"),
                ("edited", "1 if its cell in the plan was edited"),
                ("moved", "1 if it moved this turn"),
                ("charged", "1 if it charged this turn"),
                ("engaged", "1 if it is in contact with an enemy fighter"),
                ("in_cover", "1 if it touches wreckage"),
                ("has_core", "1 if it carries the fusion core"),
                ("carries_varras", "1 if it carries Varras"),
                ("laid_down", "1 if it is slain but still to strike"),
                ("attacks", "attacks left / 4"),
                ("enemy_gap", "gap to the nearest enemy model in half inches / 136; 1 if there is none"),
            ),
            "model slot",
        ),
        Block(
            "groups",
            STORED_GROUPS,
            (
                ("exists", "1 if it is in play"),
                ("size", "models on the table / 10"),
                *((f"kind_{k}", f"1 for {name}") for k, name in enumerate(GROUP_KINDS)),
                ("moved", "1 if its move is done"),
                ("fired", "1 if its shooting is done"),
                ("assaulted", "1 if its assault is done"),
                ("locked", "1 if it is in contact with enemy fighters"),
                ("in_hand", "1 if it is in hand"),
            ),
            "group",
        ),
        Block(
            "pieces",
            PIECES,
            (
                ("present", "1 if it is on the table"),
                ("x", "east / 96"),
                ("y", "north / 96"),
                ("r", "radius / 6"),
                ("hp", "hits it can take / 4"),
                *((f"kind_{k}", f"1 for {name}") for k, name in enumerate(PIECE_KINDS)),
            ),
            "piece",
        ),
        Block(
            "hand",
            1,
            (
                ("present", "1 if there is a model in hand (else one that stands for its side: Varras)"),
                ("x", "where it is, or is planned to be: east / 96"),
                ("y", "north / 96"),
                *(
                    feature
                    for k in range(1, NEAREST_ENEMIES + 1)
                    for feature in (
                        (f"enemy_{k}", f"1 if there is a {k}. nearest enemy model"),
                        (f"enemy_{k}_dx", "its offset east / 48, cut off at 1"),
                        (f"enemy_{k}_dy", "its offset north / 48, cut off at 1"),
                        (f"enemy_{k}_near", "1 - gap / 48, at least 0"),
                    )
                ),
                ("varras", "1 if Varras is on the table"),
                ("varras_dx", "his offset east / 48, cut off at 1"),
                ("varras_dy", "his offset north / 48, cut off at 1"),
                ("marker", "1 if there is a marker"),
                ("marker_dx", "offset of the nearest one east / 48, cut off at 1"),
                ("marker_dy", "offset north / 48, cut off at 1"),
                ("exit_dx", "offset of the nearest point of the exit zone east / 96"),
                ("exit_dy", "offset north / 96"),
                ("wreck", "1 if there is a wreck"),
                ("wreck_dx", "offset of the nearest one east / 48, cut off at 1"),
                ("wreck_dy", "offset north / 48, cut off at 1"),
            ),
        ),
        Block(
            "ways",
            DIRECTIONS,
            (
                ("contact", "1 if the model in hand would touch an enemy where this way ends"),
                ("gap", "gap from there to the nearest enemy model in half inches / 48, at most 1"),
                ("varras_gap", "gap from there to Varras / 48, at most 1; 1 if he is not on the table"),
                (
                    "near",
                    "enemies there that a large blast touches (a move: within nine inches) / 5, at most 1",
                ),
                ("varras_touched", "1 if a mine's blast touches Varras there"),
            ),
            "direction, counter-clockwise from east; 0 but for MINE_DIR (the way of the mine), MOVE_PLAN and "
            "MOVE_CELL (the whole allowance straight on, obstacles not looked at)",
        ),
        Block(
            "flame",
            DIRECTIONS,
            (
                (
                    "friend",
                    "1 if a flame that way, from where the flamer is planned to be, touches an Ultramarine",
                ),
                ("enemy", "1 if it touches a Tyranid, a mine or a marker"),
            ),
            "direction, counter-clockwise from east; 0 but for MOVE_PLAN, MOVE_EDIT and MOVE_CELL of the squad "
            "with the flamer",
        ),
    )
)

assert OBSERVATION.size == 1654 + 30 + 80 + 32

GROUP_KEYS = MODELS
PIECE_KEYS = GROUP_KEYS + STORED_GROUPS
SEAT = PIECE_KEYS + PIECES
KNOWN = SEAT + 1
WAYS_FILLED = KNOWN + 1
FLAME_FILLED = WAYS_FILLED + 1
LAST_PHASE = FLAME_FILLED + 1
LAST_DECISION = LAST_PHASE + 1
MEMORY = LAST_DECISION + 1
"""Numbers that :func:`broodmind.envs.macragge.observe.fill` keeps per vector: a key per model, group and piece, whose
the vector is, whether these are known, whether the blocks `ways` and `flame` are filled, and the decision that it was
written at: its phase and its number in the game."""
