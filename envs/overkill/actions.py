"""The action table of Overkill: 184 ids, one table for both seats and all missions (ledger section 3)."""

from __future__ import annotations

from broodmind.envs.core.actions import ActionTable, Verb
from broodmind.envs.overkill import names
from broodmind.envs.overkill.state import CARDS, MARINES, MAX_POINTS, MAX_PROFILES, MAX_ZONES, TYPES

ACTIONS = ActionTable(
    (
        Verb("END", 1, "end the phase, pass the window, or finish the picked model or group"),
        Verb("MARINE", MARINES, "marine", names.marine_name, rows="marines"),
        Verb("ZONE", MAX_ZONES, "zone", names.zone_number, rows="zones"),
        Verb("TYPE", TYPES, "type of cult model", names.type_name),
        Verb("PROFILE", MAX_PROFILES, "weapon profile, as on the datacard", names.profile_number),
        Verb("ALONE", 1, "the next choice is for one model of the group"),
        Verb("CARD", CARDS, "card to lay", names.card_name),
        Verb("GAMBIT", CARDS, "card to play as its gambit", names.card_name),
        Verb("POINT", MAX_POINTS, "Ambush Point", names.point_number, rows="points"),
        Verb("MIX", 7, "models of the entry's first type, the rest being of the second", names.mix_number),
        Verb("ABILITY", 9, "what a marine does", names.ability_name),
    )
)

END = ACTIONS.base["END"]
MARINE = ACTIONS.base["MARINE"]
ZONE = ACTIONS.base["ZONE"]
TYPE = ACTIONS.base["TYPE"]
PROFILE = ACTIONS.base["PROFILE"]
ALONE = ACTIONS.base["ALONE"]
CARD = ACTIONS.base["CARD"]
GAMBIT = ACTIONS.base["GAMBIT"]
POINT = ACTIONS.base["POINT"]
MIX = ACTIONS.base["MIX"]
ABILITY = ACTIONS.base["ABILITY"]

RECOVER, ATTACH, EXIT, SMOKE, TELEPORT, QUICKEN, MIGHT, TAKE_SKULL, SPARE = range(9)

CONDUIT = 1
"""PROFILE of the Patriarch on the Throne that may name one marine anywhere (OVK-M9.5)."""
MESMERISE = 3
"""PROFILE of the Magus that is no weapon (OVK-D17)."""
