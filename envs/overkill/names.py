"""Names of what actions and events refer to; those of cards and models come from the data files, read on first use.

Whose data: see `loading.load`.
"""

from __future__ import annotations

from functools import cache

from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.loading import Data, load

ABILITIES = (
    "recover",
    "attach grenades",
    "leave the board",
    "smoke",
    "teleport",
    "quicken",
    "might",
    "take the skull",
    "nothing",
)


@cache
def _names(data: Data) -> dict[str, tuple[str, ...]]:
    kinds = [*data.marines, *data.types]
    return {
        "kinds": tuple(kind.name for kind in kinds),
        "cards": tuple(card.name for card in data.cards),
        "gambits": tuple(gambit.name for gambit in data.gambits),
    }


def marine_name(m: int) -> str:
    """Return the name of a marine 0..10 (``"Ortan Cassius"``)."""
    return _names(load())["kinds"][m]


def type_name(t: int) -> str:
    """Return the name of a cult type 0..10."""
    return _names(load())["kinds"][st.MARINES + t]


def type_of(model: int) -> int:
    """Return the type 0..10 of a cult model 11..49."""
    return max(t for t in range(st.TYPES) if st.TYPE_FIRST[t] <= model)


def model_name(model: int) -> str:
    """Return the name of a model 0..49; those of one type are numbered (``"Hybrid with Autogun 3"``)."""
    if model < st.MARINES:
        return marine_name(model)
    kind = type_of(model)
    if st.TYPE_COUNTS[kind] == 1:
        return type_name(kind)
    return f"{type_name(kind)} {model - st.TYPE_FIRST[kind] + 1}"


def card_name(c: int) -> str:
    """Return the name of a card 0..29."""
    return _names(load())["cards"][c]


def gambit_name(g: int) -> str:
    """Return the name of a gambit 0..13."""
    return _names(load())["gambits"][g]


def zone_number(z: int) -> str:
    """Return a zone as a number; what lies there depends on the mission (see `describe`)."""
    return str(z)


def point_number(a: int) -> str:
    """Return an Ambush Point as a number."""
    return str(a)


def profile_number(p: int) -> str:
    """Return a weapon profile as a number from 1."""
    return str(p + 1)


def mix_number(k: int) -> str:
    """Return how many models are of the entry's first type."""
    return str(k)


def ability_name(b: int) -> str:
    """Return what a marine does."""
    return ABILITIES[b]


def section_names(mission: int) -> tuple[str, ...]:
    """Return the names of a mission's sections, those of their faces (``"Ore Concourse"``)."""
    return tuple(section.face.name for section in load().missions[mission - 1].sections)


def zone_names(mission: int) -> tuple[str, ...]:
    """Return the names of a mission's zones: the name of the face and the number there (``"Ore Concourse 3"``)."""
    return _zone_names(load(), mission)


@cache
def _zone_names(data: Data, mission: int) -> tuple[str, ...]:
    sections = data.missions[mission - 1].sections
    return tuple(f"{s.face.name} {k + 1}" for s in sections for k in range(len(s.face.zones)))


def point_names(mission: int) -> tuple[str, ...]:
    """Return the names of a mission's Ambush Points: the zone, and the edge of the board where two share a zone."""
    return _point_names(load(), mission)


@cache
def _point_names(data: Data, mission: int) -> tuple[str, ...]:
    sections, ambush = data.missions[mission - 1].sections, data.missions[mission - 1].ambush
    firsts = [sum(len(s.face.zones) for s in sections[:k]) for k in range(len(sections))]
    zones = _zone_names(data, mission)
    edges = {"N": "north", "E": "east", "S": "south", "W": "west"}
    return tuple(f"point {a}, {zones[firsts[s] + z]} {edges[e]}" for a, (s, z, e) in enumerate(ambush))


def profile_names(kind: int) -> tuple[str, ...]:
    """Return the weapon profiles of a kind: a marine 0..10, or 11 + type."""
    data = load()
    return tuple(profile.name for profile in (*data.marines, *data.types)[kind].profiles)
