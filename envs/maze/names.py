"""Names of what actions and events refer to; those of models, items, tiles and events come from the data files."""

from __future__ import annotations

from functools import cache

from broodmind.envs.maze import state as st

SCANNER_WORDS = ("all sides", "north", "east", "south", "west", "off")
BLADE_WORDS = ("armour", "charges for weapon 1", "charges for weapon 2", "choice of three tiles")
SKULL_WORDS = ("early warning", "scanning pulse")


@cache
def _names() -> dict[str, tuple[str, ...]]:
    from broodmind.envs.maze.loading import load

    data = load()
    return {
        "models": tuple(model.name for model in data.models),
        "items": tuple(data.item_names),
        "kinds": tuple(tile.name for tile in data.tiles),
        "events": tuple(event.name for event in data.events),
        "injuries": data.injuries,
        "insanities": data.insanities,
    }


def model_name(m: int) -> str:
    """Return the name of a model 0..5."""
    return _names()["models"][m]


def item_name(item: int) -> str:
    """Return the name of an item 0..23."""
    return _names()["items"][item]


def kind_name(kind: int) -> str:
    """Return the name of a kind of tile 0..25."""
    return _names()["kinds"][kind]


def event_name(event: int) -> str:
    """Return the name of an event 0..16."""
    return _names()["events"][event]


def injury_name(number: int) -> str:
    """Return the name of an Injury 1..6."""
    return _names()["injuries"][number - 1]


def insanity_name(number: int) -> str:
    """Return the name of an Insanity 1..6."""
    return _names()["insanities"][number - 1]


def direction(d: int) -> str:
    """Return the name of a side 0..3."""
    return st.DIRECTIONS[d]


def slot(k: int) -> str:
    """Return the name of a weapon slot."""
    return f"weapon {k + 1}"


def slot_shots(k: int) -> str:
    """Return slot and number of shots of a FIRE or OVERWATCH argument."""
    return f"weapon {k // st.MOST_SHOTS + 1}, {k % st.MOST_SHOTS + 1} shots"


def scanner(k: int) -> str:
    """Return what the scanner is set to."""
    return SCANNER_WORDS[k]


def blade(k: int) -> str:
    """Return what the Sacrificial Blade gives."""
    return BLADE_WORDS[k]


def skull(k: int) -> str:
    """Return what the Servo Skull does."""
    return SKULL_WORDS[k]


def number(k: int) -> str:
    """Return an argument as a number."""
    return str(k)


def candidate(k: int) -> str:
    """Return a candidate tile as a number from 1."""
    return str(k + 1)


def path(k: int) -> str:
    """Return the path of a charge."""
    d1, d2 = divmod(k, 5)
    return st.DIRECTIONS[d1] if d2 == st.NO_DIRECTION else f"{st.DIRECTIONS[d1]}, {st.DIRECTIONS[d2]}"


def slot_weapon(weapon: int) -> str:
    """Return the name of a weapon, or of an empty slot."""
    return item_name(weapon) if 0 <= weapon < st.WEAPONS else "no weapon"
