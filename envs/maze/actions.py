"""The action table of The Killer of the Maze: 295 ids, one table for both seats and all decks (ledger section 4.2)."""

from __future__ import annotations

from broodmind.envs.core.actions import ActionTable, Verb
from broodmind.envs.maze import names
from broodmind.envs.maze.state import ITEMS, MODELS, MOST_SHOTS, SLOTS, TILES

_MODEL = names.model_name
_ITEM = names.item_name
_SIDE = names.direction

ACTIONS = ActionTable(
    (
        Verb("SELECT", MODELS, "model that acts next", _MODEL, rows="models"),
        Verb("END_PHASE", 1, "end the Imperial phase"),
        Verb("MOVE", 4, "side", _SIDE),
        Verb("FIRE", SLOTS * MOST_SHOTS, "weapon slot and number of shots", names.slot_shots),
        Verb("LIGHT_VENT", SLOTS, "weapon slot whose shot is spent", names.slot),
        Verb("RELOAD", SLOTS, "weapon slot", names.slot),
        Verb("PICK_UP", ITEMS, "item on the tile", _ITEM),
        Verb("TRANSFER", ITEMS, "item held", _ITEM),
        Verb("MEDKIT", MODELS, "model on the tile", _MODEL, rows="models"),
        Verb("MELTA_FLOOR", 1, "set a Melta Charge on the floor"),
        Verb("MELTA_DOOR", 4, "side with a locked door", _SIDE),
        Verb("LAY_MINE", 4, "side", _SIDE),
        Verb("LIFT_MINE", 4, "side", _SIDE),
        Verb("SCANNER", 6, "what the scanner is set to", names.scanner),
        Verb("PENDANT", 1, "use the Imperial Crest Pendant"),
        Verb("RATION", 1, "eat a Ration Pack"),
        Verb("BLADE", 4, "what the Sacrificial Blade gives", names.blade),
        Verb("SKULL", 2, "what the Servo Skull does", names.skull),
        Verb("LOOK_OUT", 1, "look out of the Viewing Platform"),
        Verb("RIDE_LIFT", 1, "ride the Cargo Lift down"),
        Verb("SWITCH", 1, "let another model act, keeping the actions left"),
        Verb("DONE", 1, "this model does nothing more in this phase"),
        Verb("TO_MODEL", MODELS, "model that receives, gives or throws", _MODEL, rows="models"),
        Verb("DROP", ITEMS, "item left in exchange", _ITEM),
        Verb("PUSH", 4, "side to which the survivors of an assault move", _SIDE),
        Verb("TAKE_TILE", 3, "candidate tile", names.candidate),
        Verb("YES", 1, "yes"),
        Verb("NO", 1, "no"),
        Verb("OVERWATCH", SLOTS * MOST_SHOTS, "weapon slot and number of shots", names.slot_shots),
        Verb("H_MOVE", 4, "side", _SIDE),
        Verb("H_CRAWL", 1, "the Horror leaves by a vent"),
        Verb("H_EMERGE", TILES, "tile onto which the Horror comes", names.number, rows="tiles"),
        Verb("H_SPIKE", 4, "side of the tile that is lashed", _SIDE),
        Verb("H_SURPRISE", MODELS, "lowest model on the tile that is attacked", _MODEL, rows="models"),
        Verb("H_ASSAULT", 20, "path of the charge, one or two steps", names.path),
        Verb("H_PASS", 1, "the Horror bides its time"),
    )
)

_BASE = ACTIONS.base
SELECT = _BASE["SELECT"]
END_PHASE = _BASE["END_PHASE"]
MOVE = _BASE["MOVE"]
FIRE = _BASE["FIRE"]
LIGHT_VENT = _BASE["LIGHT_VENT"]
RELOAD = _BASE["RELOAD"]
PICK_UP = _BASE["PICK_UP"]
TRANSFER = _BASE["TRANSFER"]
MEDKIT = _BASE["MEDKIT"]
MELTA_FLOOR = _BASE["MELTA_FLOOR"]
MELTA_DOOR = _BASE["MELTA_DOOR"]
LAY_MINE = _BASE["LAY_MINE"]
LIFT_MINE = _BASE["LIFT_MINE"]
SCANNER = _BASE["SCANNER"]
PENDANT = _BASE["PENDANT"]
RATION = _BASE["RATION"]
BLADE = _BASE["BLADE"]
SKULL = _BASE["SKULL"]
LOOK_OUT = _BASE["LOOK_OUT"]
RIDE_LIFT = _BASE["RIDE_LIFT"]
SWITCH = _BASE["SWITCH"]
DONE = _BASE["DONE"]
TO_MODEL = _BASE["TO_MODEL"]
DROP = _BASE["DROP"]
PUSH = _BASE["PUSH"]
TAKE_TILE = _BASE["TAKE_TILE"]
YES = _BASE["YES"]
NO = _BASE["NO"]
OVERWATCH = _BASE["OVERWATCH"]
H_MOVE = _BASE["H_MOVE"]
H_CRAWL = _BASE["H_CRAWL"]
H_EMERGE = _BASE["H_EMERGE"]
H_SPIKE = _BASE["H_SPIKE"]
H_SURPRISE = _BASE["H_SURPRISE"]
H_ASSAULT = _BASE["H_ASSAULT"]
H_PASS = _BASE["H_PASS"]

SCANNER_SWITCHED_OFF = 5
"""SCANNER argument of switching it off."""
