"""The action table of Battle for Macragge: 589 ids, one table for all missions (ledger section 4)."""

from __future__ import annotations

import math

from broodmind.envs.core.actions import ActionTable, Compass, Verb
from broodmind.envs.macragge import names
from broodmind.envs.macragge.state import GROUPS, MODELS, UNITS

LANES = 31
LANE_CENTRE = 15


def dest_point(index: int) -> tuple[float, float]:
    """Return the point of a DEST offset: 12 steps are 1."""
    dx, dy = names.DEST_OFFSETS[index]
    return dx / 12, dy / 12


def direction_point(index: int) -> tuple[float, float]:
    """Return the point of a direction on the unit circle."""
    angle = index * math.pi / 8
    return math.cos(angle), math.sin(angle)


ACTIONS = ActionTable(
    (
        Verb("PASS", 1, "decline, end the step, or confirm the plan"),
        Verb("SELECT", UNITS, "own unit", names.group_name, rows="groups"),
        Verb("TARGET", GROUPS, "group aimed at", names.group_name, rows="groups"),
        Verb("MODEL", MODELS, "model", names.model_name, rows="models"),
        Verb("DEST", 441, "offset in half inches, east and north", names.dest_name, dest_point),
        Verb("LANE", LANES, "sideways drift of a retreat, in half inches north", names.lane_name),
        Verb(
            "DIR",
            16,
            "direction, counter-clockwise from east",
            names.direction_name,
            direction_point,
            rows="ways",
            compass=Compass("hand", "models"),
        ),
        Verb("MISSILE", 2, "kind of missile", names.missile_name),
        Verb("SPAWN", 3, "kind of spore mine", names.spawn_name),
        Verb("CROSS", 1, "move over wreckage at the roll of dice"),
        Verb("SCUTTLE", 1, "a second move instead of shooting"),
        Verb("DISARM", 1, "try to take out the fusion core"),
        Verb("AUTO", 1, "let the engine finish the charge"),
        Verb("ACTIVATE", 1, "activate the locator beacon"),
    )
)

PASS = ACTIONS.base["PASS"]
SELECT = ACTIONS.base["SELECT"]
TARGET = ACTIONS.base["TARGET"]
MODEL = ACTIONS.base["MODEL"]
DEST = ACTIONS.base["DEST"]
LANE = ACTIONS.base["LANE"]
DIR = ACTIONS.base["DIR"]
MISSILE = ACTIONS.base["MISSILE"]
SPAWN = ACTIONS.base["SPAWN"]
CROSS = ACTIONS.base["CROSS"]
SCUTTLE = ACTIONS.base["SCUTTLE"]
DISARM = ACTIONS.base["DISARM"]
AUTO = ACTIONS.base["AUTO"]
ACTIVATE = ACTIONS.base["ACTIVATE"]
