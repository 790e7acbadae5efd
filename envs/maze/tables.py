"""What the kernels look up: the numbers of ``data/*.toml``."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.maze import state as st
from broodmind.envs.maze.loading import CARRY, Data, load

TABLES = np.dtype(
    [
        # models
        ("bs", "i2", (st.MODELS,)),
        ("wounds", "i2", (st.MODELS,)),
        ("morale", "i2", (st.MODELS,)),
        ("save", "i2", (st.MODELS,)),
        ("weapon", "i2", (st.MODELS,)),
        ("ammo", "i2", (st.MODELS, st.CHARGES)),
        ("tools", "i2", (st.MODELS, st.TOOLS)),
        ("capacity", "i2", (st.MODELS, 3)),
        ("may_carry", "i2", (st.MODELS, st.ITEMS)),
        ("horror_wounds", "i2"),
        ("horror_save", "i2"),
        ("nest_at", "i2"),
        ("return_at", "i2"),
        # weapons
        ("range", "i2", (st.WEAPONS,)),
        ("wound", "i2", (st.WEAPONS,)),
        ("ap", "i2", (st.WEAPONS,)),
        ("damage", "i2", (st.WEAPONS,)),
        ("least", "i2", (st.WEAPONS,)),
        ("most", "i2", (st.WEAPONS,)),
        ("magazine", "i2", (st.WEAPONS,)),
        ("charge", "i2", (st.WEAPONS,)),
        # kinds of tiles
        ("form", "i2", (st.KINDS,)),
        ("vents", "i2", (st.KINDS,)),
        ("found", "i2", (st.KINDS,)),
        ("deck", "i2", (st.MISSIONS + 1, st.KINDS)),
        ("stash", "i2", (st.MISSIONS + 1, st.ITEMS)),
        # events
        ("event_of", "i2", (25, 7)),  # by the sum of 4D6 and the further die (0: none)
        ("curse", "i2", (st.EVENTS,)),
        ("find_weapon", "i2", (st.EVENTS,)),
        ("find_ammo", "i2", (st.EVENTS,)),
        ("find_n", "i2", (st.EVENTS,)),
        ("find_tool", "i2", (st.EVENTS,)),
    ]
)
_MARINES = range(st.SCIONS, st.MODELS)
CARRIERS = {
    "any": range(st.MODELS),
    "scions": range(st.SCIONS),
    "marines": _MARINES,
    "terminator": (st.TERMINATOR,),
    "stubber": (st.WEAPON_EXPERT, *_MARINES),
}


def _fill(t: Any, data: Data) -> None:
    for m, model in enumerate(data.models):
        t["bs"][m], t["wounds"][m], t["morale"][m] = model.bs, model.wounds, model.morale
        t["save"][m], t["weapon"][m] = model.save, model.weapon
        t["ammo"][m], t["tools"][m], t["capacity"][m] = model.charges, model.tools, model.capacity
    t["horror_wounds"], t["horror_save"] = data.horror["wounds"], data.horror["save"]
    t["nest_at"], t["return_at"] = data.horror["nest_at"], data.horror["return_at"]
    t["may_carry"] = 1
    carry = [weapon.carry for weapon in data.weapons]
    for first, codes in ((0, carry), (st.FIRST_TOOL, data.tool_carry)):
        for k, code in enumerate(codes):
            allowed = CARRIERS[CARRY[code]]
            t["may_carry"][:, first + k] = [m in allowed for m in range(st.MODELS)]
    for w, weapon in enumerate(data.weapons):
        for column in ("range", "wound", "ap", "damage", "least", "most", "magazine", "charge"):
            t[column][w] = getattr(weapon, column)
    for k, tile in enumerate(data.tiles):
        t["form"][k], t["vents"][k], t["found"][k] = tile.shape, tile.vents, tile.found
        t["deck"][1:, k] = tile.count
    t["stash"][1:, : st.BEACON] = data.stash
    t["event_of"] = -1
    for e, event in enumerate(data.events):
        low, high = event.sum
        faces = range(event.die[0], event.die[1] + 1) if event.die else range(1)
        for total in range(low, high + 1):
            for face in faces:
                t["event_of"][total, face] = e
        t["curse"][e] = event.curse
        t["find_weapon"][e], t["find_ammo"][e], t["find_n"][e] = event.weapon, event.ammo, event.charges
        t["find_tool"][e] = event.tool + st.FIRST_TOOL if event.tool >= 0 else -1


@cache
def tables() -> NDArray[np.void]:
    """Return the tables (an array of one record, not to be written to), built on first use.

    Raises:
        ConfigError: A data file is wrong; the message says where.
    """
    array = np.zeros(1, TABLES)
    _fill(array[0], load())
    if INTERPRETED:
        return array.view(np.recarray)
    array.flags.writeable = False
    return array
