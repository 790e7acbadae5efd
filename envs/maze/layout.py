"""The layout of the observation: the same for both seats and all decks (ledger section 5)."""

from __future__ import annotations

from broodmind.envs.core.observation import Block, ObservationLayout
from broodmind.envs.maze import state as st

WINDOW = 11
"""Cells of the map from side to side; the reference tile is its middle."""
HALF = WINDOW // 2
AWAY = 8
"""Distances are in this many tiles, at most 2."""
MOST = 2.0

_SHOWN_PHASES = tuple("wait" if name == "OVER" else name.lower() for name in st.PHASES)
_DX = "tiles east of the reference tile / 8, within -2..2"
_DY = "tiles north of the reference tile / 8, within -2..2"
_FLOOR = "1 if on the floor of the reference tile"

GLOBALS = (
    ("turn", "turn / turn limit (100 without one), at most 1"),
    ("to_act", "1 if the decision is the observer's"),
    *((f"phase_{name}", f"1 when the decision is {name}") for name in _SHOWN_PHASES),
    *((f"selected_{name}", f"1 if {name} is selected") for name in st.MODEL_IDS),
    *((f"current_{name}", f"1 if {name} is the model in question") for name in st.MODEL_IDS),
    *((f"horror_{name}", f"1 if the Horror is: {name}") for name in st.HORROR_STATES),
    ("horror_wounds", "wounds / 16"),
    ("horror_must_retreat", "1 if it must go home"),
    ("horror_may_return", "1 if it is off the board and may come back"),
    ("horror_dx", _DX),
    ("horror_dy", _DY),
    ("horror_same_floor", _FLOOR),
    ("charge_length", "steps of the charge under way / 2"),
    ("charge_wounds", "wounds of its Overwatch / 3, at most 2"),
    ("charge_fired", "models that fired Overwatch / 2, at most 2"),
    ("pile", "tiles in the pile / 95"),
    ("shuffled", "1 once the Beacon room is mixed in"),
    *(
        (f"beacon_{name}", f"1 if the Beacon is: {name}")
        for name in ("in_pile", "in_room", "carried", "lying")
    ),
    ("beacon_dx", _DX),
    ("beacon_dy", _DY),
    ("beacon_known", "1 if it is somewhere on the board"),
    ("shuttle", "1 if the Shuttle is on the board"),
    ("shuttle_dx", _DX),
    ("shuttle_dy", _DY),
    ("lights_out", "1 until the next turn"),
    ("generator", "1 while it runs"),
    ("narrow", "1 if some tile is a Narrow Corridor"),
    ("early_warning", "1 while it waits"),
    ("pulse", "1 while it waits"),
    ("extra_draw", "tiles among which the next one is chosen / 3"),
    ("ceramite", "1 if the next doors are Ceramite Doors"),
    ("taken_scions", "/ 4"),
    ("taken_marines", "/ 2"),
    ("groups", "groups on the board / 6"),
    ("fallen", "fallen models / 6"),
    *((f"hand_{name}", f"1 if {name} is in hand") for name in st.ITEM_IDS),
    *((f"pile_{name}", f"{name} in the pile / 20") for name in st.KIND_IDS),
    *(
        (f"candidate_{k}_{what}", f"candidate tile {k + 1}: {what} / {scale}")
        for k in range(3)
        for what, scale in (("kind", 25), ("corridors", 4), ("vents", 4))
    ),
    *((f"deck_{name}", f"1 with the deck {name}") for name in st.DECK_IDS),
)

MODEL_FEATURES = (
    *((name, f"1 if so: {name}") for name in st.STATUSES),
    ("wounds", "wounds / profile"),
    ("wounds_7", "wounds / 7"),
    ("morale", "Morale Points / profile"),
    ("morale_15", "Morale Points / 15"),
    ("broken", "1 if Broken"),
    ("lost", "1 if Lost"),
    ("actions", "actions left / 2"),
    ("concussion", "1 if so"),
    ("bloodloss", "1 if so, or from next turn on"),
    ("life_threatening", "1 if so, or from next turn on"),
    ("delirium", "1 if so"),
    ("hallucinations", "1 if so"),
    ("suicidal", "1 if so"),
    ("penalty", "what it subtracts from rolls to hit / 5"),
    ("mourning", "1 if it loses its next action"),
    ("no_fire", "1 if it may not Fire"),
    ("crux", "1 if its save may be rolled again once"),
    ("beacon", "1 if it carries the Beacon"),
    ("pendant", "1 if its Pendant is active"),
    ("blade_save", "1 if the Blade betters its save"),
    ("blade_due", "1 if it must use the Blade"),
    ("scanner", "1 if its scanner is on"),
    *(
        feature
        for slot in (1, 2)
        for feature in (
            *((f"weapon_{slot}_{name}", "1 if so") for name in st.ITEM_IDS[: st.WEAPONS]),
            (f"shots_{slot}", "loaded shots / 10"),
        )
    ),
    *((name, "held / 5") for name in st.ITEM_IDS[st.FIRST_CHARGE : st.FIRST_TOOL]),
    *((f"tool_{name}", "held / 4") for name in st.ITEM_IDS[st.FIRST_TOOL : st.BEACON]),
    ("dx", _DX),
    ("dy", _DY),
    ("same_floor", _FLOOR),
    ("vents", "unlit vents of its tile / 4"),
    ("dark", "dark ends of its tile / 4"),
    ("sees_horror", "1 if it sees the Horror"),
    ("horror_steps", "steps to the Horror / 8, at most 2"),
    ("mates", "models on its tile / 6"),
    ("group", "models in its group / 6"),
)

TILE_FEATURES = (
    ("on_board", "1 if on the board"),
    ("dx", _DX),
    ("dy", _DY),
    ("same_floor", _FLOOR),
    ("kind", "kind / 25"),
    ("vents", "unlit vents / 4"),
    ("dark", "dark ends / 4"),
    ("explorers", "/ 6"),
    ("blocked", "1 if a Pit or caved in"),
    ("explorer_steps", "steps from the nearest explorer / 8, at most 2"),
    ("emerge", "1 if the Horror could come from the Shadows here"),
    ("horror", "1 if the Horror is here"),
)

PLANES = (
    "tile",
    "corridor north",
    "corridor east",
    "corridor south",
    "corridor west",
    "door",
    "dark end",
    "unlit vents / 4",
    "lit vents / 4",
    "pit",
    "cave-in",
    "bend",
    "Beacon room",
    "Nest",
    "Shuttle",
    "unused armoury",
    "other special tile",
    "items / 8, at most 1",
    "explorers / 6",
    "current model",
    "Horror",
    "mine or charge",
)

OBSERVATION = ObservationLayout(
    (
        Block("globals", 1, GLOBALS),
        Block("models", st.MODELS, MODEL_FEATURES, "model"),
        Block("tiles", st.TILES, TILE_FEATURES, "tile id"),
        Block(
            "map",
            len(PLANES),
            tuple(
                (f"cell_{x}_{y}", f"{x - HALF:+d} east, {HALF - y:+d} north of the reference tile")
                for y in range(WINDOW)
                for x in range(WINDOW)
            ),
            "plane: " + ", ".join(PLANES),
        ),
    )
)

# What is kept per vector between two fillings, as 64-bit numbers (:mod:`broodmind.envs.maze.observe`); all of it is 0
# for a vector of zeros. It is kept small: with many games it is not in the processor's near memory.
KNOWN = 0
"""Whether the vector is written from the rest of this."""
SOURCES = KNOWN + 1
"""Where explorers stand, from which steps are counted."""
LAIR = SOURCES + 1
"""1 + the tile of the Horror, from which steps are counted; 0 off the board."""
HALF_SET = st.TILES // 2
"""Tiles whose set is one number: interpreted runs have no unsigned ones."""
ON_BOARD_SET = LAIR + 1
"""The set of tiles on the board, in two halves."""
IN_PILE_SET = ON_BOARD_SET + 2
"""The set of tiles in the pile, in two halves."""
MODEL_KEYS = IN_PILE_SET + 2
KEYS_OF_MODEL = 4
"""Numbers per model that tell the parts of its row; see `observe_models.fill_model`."""
TILE_KEYS = MODEL_KEYS + st.MODELS * KEYS_OF_MODEL
"""Two numbers per tile, of its ways and of its looks; see `observe_board.way_key` and `observe_board.look_key`."""
QUEUE = TILE_KEYS + 2 * st.TILES
"""Only of use during a filling: tiles that a search has found, or whose looks have changed."""
MEMORY = QUEUE + st.TILES
