"""What the kernels look up: each mission's map worked out once, and the numbers of ``data/*.toml``."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.geometry import (
    FACE_HEIGHT,
    FACE_WIDTH,
    Rect,
    adjacent,
    band,
    capacity,
    crosses,
    disjoint,
    free_border,
    turned,
)
from broodmind.envs.overkill.loading import Data, MissionData, in_deck, load

_M, _Z, _K = st.MISSIONS + 1, st.MAX_ZONES, st.KINDS

TABLES = np.dtype(
    [
        # maps, by mission (row 0 is empty)
        ("zones", "i2", (_M,)),
        ("sections", "i2", (_M,)),
        ("rect", "i2", (_M, _Z, 4)),  # x, y, width, height in mm
        ("section", "i2", (_M, _Z)),
        ("level", "i2", (_M, _Z)),
        ("capacity", "i2", (_M, _Z)),
        ("band", "i2", (_M, _Z, _Z)),
        ("adjacent", "i2", (_M, _Z, _Z)),
        ("jump", "i2", (_M, _Z, _Z)),  # a jump may be made (OVK-M06, M09, M5.3)
        ("degree", "i2", (_M, _Z)),
        ("neighbour", "i2", (_M, _Z, st.MAX_NEIGHBOURS)),
        ("jumps", "i2", (_M, _Z)),
        ("jump_to", "i2", (_M, _Z, st.MAX_NEIGHBOURS)),
        ("distance", "i2", (_M, _Z, _Z)),  # moves between zones of an empty board, FAR if none lead there
        ("points", "i2", (_M,)),
        ("point_zone", "i2", (_M, st.MAX_POINTS)),
        ("is_muster", "i2", (_M, _Z)),
        ("is_cell", "i2", (_M, _Z)),
        ("is_lift", "i2", (_M, _Z)),
        ("silo", "i2", (_M, _Z)),  # 1 + number of the silo zone, 0: none
        ("exit_zone", "i2", (_M,)),
        ("skull_zone", "i2", (_M,)),
        ("cassius_zone", "i2", (_M,)),
        ("throne", "i2", (_M,)),
        ("hall", "i2", (_M,)),  # section of the Throne, the Master Vox or the lift
        # numbers of the missions
        ("team", "i2", (_M,)),
        ("hand", "i2", (_M,)),
        ("lay_min", "i2", (_M,)),
        ("lay_max", "i2", (_M,)),
        ("lose_at", "i2", (_M,)),
        ("goal", "i2", (_M,)),
        ("max_turns", "i2", (_M,)),
        ("deck", "i2", (_M, st.CARDS)),
        # kinds: marines, then types
        ("cost", "i2", (_K,)),
        ("speed", "i2", (_K,)),
        ("armour", "i2", (_K,)),
        ("health", "i2", (_K,)),
        ("skills", "i4", (_K,)),
        ("profiles", "i2", (_K,)),
        ("dice", "i2", (_K, st.MAX_PROFILES, 3)),
        ("need", "i2", (_K, st.MAX_PROFILES, 3)),
        ("rules", "i2", (_K, st.MAX_PROFILES)),
        ("kind", "i2", (st.MODELS,)),  # of a model
        ("first", "i2", (st.TYPES,)),
        ("count", "i2", (st.TYPES,)),
        # cards
        ("entries", "i2", (st.CARDS,)),
        ("entry_type", "i2", (st.CARDS, st.MAX_ENTRIES, 2)),  # -1: none
        ("entry_count", "i2", (st.CARDS, st.MAX_ENTRIES)),
        ("gambit", "i2", (st.CARDS,)),
        ("gambit_phase", "i2", (len(st.GAMBITS),)),
    ]
)

FAR = 99
SPECIAL_HALLS = ("energy_cells", "lift", "throne")


def _bits(words: tuple[str, ...], all_words: tuple[str, ...]) -> int:
    return sum(1 << all_words.index(word) for word in words)


def _fill_kinds(t: Any, data: Data) -> None:
    for k, kind in enumerate((*data.marines, *data.types)):
        t["cost"][k], t["speed"][k], t["armour"][k] = kind.cost, kind.speed, kind.armour
        t["health"][k] = kind.wounds
        t["skills"][k] = _bits(kind.skills, st.SKILLS) | (st.HYBRID if kind.hybrid else 0)
        t["profiles"][k] = len(kind.profiles)
        for p, profile in enumerate(kind.profiles):
            t["rules"][k, p] = _bits(profile.rules, st.WEAPON_RULES)
            for b, (count, need) in enumerate(profile.dice):
                t["dice"][k, p, b], t["need"][k, p, b] = count, need
    t["kind"][: st.MARINES] = range(st.MARINES)
    for one in range(st.TYPES):
        first, count = st.TYPE_FIRST[one], st.TYPE_COUNTS[one]
        t["kind"][first : first + count] = st.MARINES + one
    t["first"], t["count"] = st.TYPE_FIRST, st.TYPE_COUNTS


def _fill_cards(t: Any, data: Data) -> None:
    t["entry_type"] = -1
    t["gambit_phase"] = st.GAMBIT_PHASES
    for c, card in enumerate(data.cards):
        t["entries"][c], t["gambit"][c] = len(card.entries), card.gambit
        for e, (types, count) in enumerate(card.entries):
            t["entry_type"][c, e, : len(types)] = types
            t["entry_count"][c, e] = count


def footprints(mission: MissionData) -> list[Rect]:
    """Return where the sections of a mission lie on the table, in millimetres."""
    rects = []
    for section in mission.sections:
        upright = section.turn in (0, 180)
        size = (FACE_WIDTH, FACE_HEIGHT) if upright else (FACE_HEIGHT, FACE_WIDTH)
        rects.append(Rect(*section.at, *size))
    return rects


def _check_board(where: str, mission: MissionData, rects: list[Rect], zones: list[tuple[int, Rect]]) -> None:
    for k, rect in enumerate(rects):
        if not all(disjoint(rect, other) for other in rects[:k]):
            raise ConfigError(f"{where}: section {k} overlaps another; expected sections side by side")
    firsts = [sum(len(s.face.zones) for s in mission.sections[:k]) for k in range(len(rects))]
    for section, zone, edge in mission.ambush:
        others = rects[:section] + rects[section + 1 :]
        if free_border(zones[firsts[section] + zone][1], edge, rects[section], others) < 25:
            raise ConfigError(
                f"{where}: ambush [{section}, {zone}, {edge!r}] is not on the border of the board; expected 25 mm of it"
            )


def _check_room(t: Any, m: int) -> None:
    """Check that any team, and what begins in the Throne Room, finds room, the largest bases placed first."""
    zones = int(t["zones"][m])
    muster = np.flatnonzero(t["is_muster"][m, :zones])
    largest = np.sort(t["cost"][: st.MARINES])[::-1]
    parts: list[tuple[str, Any, Any]] = [("muster", muster, largest[: int(t["team"][m])])]
    if m in (st.RECOVER, st.OFFICIUM):
        parts = [("muster", muster, largest[:1])]
        if m == st.OFFICIUM:
            lift = np.flatnonzero(t["is_lift"][m, :zones])
            parts.append(("the lift", lift, largest[: int(t["team"][m]) - 1]))
    elif m == st.PURGATION:
        parts = [("muster", [zone], largest[:1]) for zone in muster]
        if len(muster) < st.MARINES - 1:
            raise ConfigError(
                f"missions.toml: mission {m}: muster has {len(muster)} zones; expected 10 or more"
            )
    elif m == st.ALPHA_THREAT:
        hall = [z for z in range(zones) if t["section"][m, z] == t["hall"][m] and z != t["throne"][m]]
        guard = (st.MAGUS, st.PRIMUS, st.PURESTRAIN, st.PURESTRAIN, st.FAMILIAR, st.FAMILIAR)
        parts.append(("the Throne Room", hall, t["cost"][[st.MARINES + kind for kind in guard]]))
    for name, places, costs in parts:
        room = [int(t["capacity"][m, zone]) for zone in places]
        for cost in costs:
            place = next((k for k, left in enumerate(room) if left >= cost), None)
            if place is None:
                raise ConfigError(
                    f"missions.toml: mission {m}: {name} is too small; expected room for all who begin there"
                )
            room[place] -= int(cost)


def _fill_map(t: Any, m: int, mission: MissionData) -> None:
    where = f"missions.toml: mission {m}"
    rects = footprints(mission)
    zones: list[tuple[int, Rect]] = []
    firsts = []
    for k, section in enumerate(mission.sections):
        firsts.append(len(zones))
        for r in section.face.zones:
            x, y, w, h = turned(r, section.turn)
            zones.append((k, Rect(x + rects[k].x, y + rects[k].y, w, h)))
    _check_board(where, mission, rects, zones)
    voids = [rects[k] for k, section in enumerate(mission.sections) if section.face.void]
    t["zones"][m], t["sections"][m] = len(zones), len(mission.sections)
    t["band"][m] = st.OUT
    for i, (section_i, a) in enumerate(zones):
        t["rect"][m, i], t["section"][m, i], t["capacity"][m, i] = a, section_i, capacity(a)
        level = mission.sections[section_i].level
        t["level"][m, i] = level
        for j, (section_j, b) in enumerate(zones):
            if mission.sections[section_j].level != level:
                continue
            t["band"][m, i, j] = band(a, b)
            near = i != j and adjacent(a, b)
            t["adjacent"][m, i, j] = near
            far = i != j and not near and t["band"][m, i, j] == st.ASSAULT
            t["jump"][m, i, j] = far and not any(crosses(a, b, hole) for hole in voids)
    for name, column in (("energy_cells", "is_cell"), ("lift", "is_lift"), ("silo", "silo")):
        for k, section in enumerate(mission.sections):
            for number, zone in enumerate(section.face.special.get(name, ())):
                t[column][m, firsts[k] + zone] = number + 1 if name == "silo" else 1
    t["throne"][m], t["hall"][m] = -1, -1
    for k, section in enumerate(mission.sections):
        if any(name in section.face.special for name in SPECIAL_HALLS):
            t["hall"][m] = k
        for zone in section.face.special.get("throne", ()):
            t["throne"][m] = firsts[k] + zone
    for name, column in (("exit", "exit_zone"), ("skull", "skull_zone"), ("cassius", "cassius_zone")):
        place = mission.places.get(name)
        t[column][m] = -1 if place is None else firsts[place[0]] + place[1]
    if "lift_exit" in mission.places:
        on, number = mission.places["lift_exit"]
        for up in np.flatnonzero(t["is_lift"][m]):
            t["adjacent"][m, up, firsts[on] + number] = 1  # one way, down (OVK-M5.6)
    for on, number in mission.muster:
        t["is_muster"][m, firsts[on] + number] = 1
    t["points"][m] = len(mission.ambush)
    for point, (on, number, _) in enumerate(mission.ambush):
        t["point_zone"][m, point] = firsts[on] + number
    for column, count, to in (("adjacent", "degree", "neighbour"), ("jump", "jumps", "jump_to")):
        for i in range(len(zones)):
            there = np.flatnonzero(t[column][m, i])
            if len(there) > st.MAX_NEIGHBOURS:
                raise ConfigError(
                    f"{where}: zone {i} has {len(there)} ways out; expected {st.MAX_NEIGHBOURS} at most"
                )
            t[count][m, i] = len(there)
            t[to][m, i, : len(there)] = there
    _fill_distances(t, m, len(zones))


def _fill_distances(t: Any, m: int, zones: int) -> None:
    t["distance"][m] = FAR
    for start in range(zones):
        t["distance"][m, start, start] = 0
        ring = [start]
        steps = 0
        while ring:
            steps += 1
            near = np.flatnonzero(t["adjacent"][m, ring, :zones].any(axis=0))
            ring = [int(z) for z in near if t["distance"][m, start, z] == FAR]
            t["distance"][m, start, ring] = steps


def _fill_missions(t: Any, data: Data) -> None:
    for m, mission in enumerate(data.missions, 1):
        _fill_map(t, m, mission)
        t["team"][m], t["hand"][m], t["lose_at"][m] = mission.team, mission.hand, mission.lose_at
        t["lay_min"][m], t["lay_max"][m] = mission.lay
        t["goal"][m], t["max_turns"][m] = mission.goal, mission.max_turns
        _check_room(t, m)
        t["deck"][m] = [in_deck(card, mission.deck) for card in data.cards]
        if not t["deck"][m].any():
            raise ConfigError(
                f"missions.toml: mission {m}: deck {mission.deck!r} is empty; expected some cards"
            )


@cache
def _tables_of(data: Data) -> NDArray[np.void]:
    array = np.zeros(1, TABLES)
    for fill in (_fill_kinds, _fill_cards, _fill_missions):
        fill(array[0], data)
    if INTERPRETED:
        return array.view(np.recarray)
    array.flags.writeable = False
    return array


def tables() -> NDArray[np.void]:
    """Return the tables (an array of one record, not to be written to), built on first use.

    Raises:
        ConfigError: A data file is wrong; the message says where.
    """
    return _tables_of(load())
