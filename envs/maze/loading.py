"""Reads the data files of The Killer of the Maze and checks them; errors name file, key and what was expected."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from broodmind.envs.core.errors import ConfigError
from broodmind.envs.maze import state as st

CARRY = ("any", "scions", "marines", "terminator", "stubber")
_WEAPON_IDS = st.ITEM_IDS[: st.WEAPONS]
_CHARGE_IDS = st.ITEM_IDS[st.FIRST_CHARGE : st.FIRST_TOOL]
_TOOL_IDS = st.ITEM_IDS[st.FIRST_TOOL : st.BEACON]


class Entry:
    """A table of a data file: gives its values checked, with errors that say where.

    Args:
        where: File and key (``"tiles.toml: tiles 3"``).
        data: What is there.
    """

    def __init__(self, where: str, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise ConfigError(f"{where} is {data!r}; expected a table")
        self.where = where
        self.data = data

    def fail(self, key: str, expected: str) -> ConfigError:
        """Return the error of a bad value."""
        return ConfigError(f"{self.where}: {key} is {self.data.get(key)!r}; expected {expected}")

    def integer(self, key: str, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        value = self.data.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self.fail(key, f"a whole number {low}..{high}")
        return value

    def text(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self.data.get(key)
        if not isinstance(value, str) or not value:
            raise self.fail(key, "a text")
        return value

    def choice(self, key: str, words: Iterable[str], default: str | None = None) -> int:
        """Return the number of one of some words; -1 if it is left out and may be."""
        known = tuple(words)
        value = self.data.get(key, default)
        if value == "" == default:
            return -1
        if value not in known:
            raise self.fail(key, f"one of {', '.join(known)}")
        return known.index(value)

    def numbers(self, key: str, count: int, low: int, high: int) -> tuple[int, ...]:
        """Return a list of whole numbers within bounds."""
        value = self.data.get(key)
        if not isinstance(value, list) or len(value) != count:
            raise self.fail(key, f"a list of {count} whole numbers {low}..{high}")
        if not all(type(one) is int and low <= one <= high for one in value):
            raise self.fail(key, f"a list of {count} whole numbers {low}..{high}")
        return tuple(value)

    def counts(self, key: str, words: tuple[str, ...]) -> tuple[int, ...]:
        """Return how many of each of some words a table asks for, none if it is left out."""
        value = self.data.get(key, {})
        if not isinstance(value, Mapping) or not set(value) <= set(words):
            raise self.fail(key, f"a table of some of {', '.join(words)}")
        if not all(type(one) is int and 0 <= one <= 99 for one in value.values()):
            raise self.fail(key, "a table of whole numbers 0..99")
        return tuple(value.get(word, 0) for word in words)

    def tables(self, key: str, ids: tuple[str, ...]) -> list[Entry]:
        """Return an array of tables whose ids come in a given order."""
        value = self.data.get(key)
        if not isinstance(value, list) or len(value) != len(ids):
            raise ConfigError(f"{self.where}: {key} must be an array of {len(ids)} tables")
        found = [Entry(f"{self.where}: {key} {k}", one) for k, one in enumerate(value)]
        for entry, wanted in zip(found, ids, strict=True):
            if entry.data.get("id") != wanted:
                raise entry.fail("id", repr(wanted))
        return found


@dataclass(frozen=True)
class Model:
    """An explorer; `charges` and `tools` count what he starts with, `capacity` is weapons, charges, equipment."""

    name: str
    bs: int
    wounds: int
    morale: int
    save: int
    weapon: int
    charges: tuple[int, ...]
    tools: tuple[int, ...]
    capacity: tuple[int, ...]


@dataclass(frozen=True)
class Weapon:
    """A weapon; `charge` is the number of its ammunition among the charges."""

    name: str
    range: int
    wound: int
    ap: int
    damage: int
    least: int
    most: int
    magazine: int
    charge: int
    carry: int


@dataclass(frozen=True)
class Tile:
    """A kind of tile; `found` is the charge that a search finds (-1: none), `count` how many each deck has."""

    name: str
    shape: int
    vents: int
    found: int
    count: tuple[int, ...]


@dataclass(frozen=True)
class Occurrence:
    """An event: the sums of 4D6 and the faces of a further die (None: no die) that bring it, and what is found."""

    name: str
    sum: tuple[int, ...]
    die: tuple[int, ...] | None
    curse: bool
    weapon: int
    ammo: int
    charges: int
    tool: int


@dataclass(frozen=True)
class Data:
    """All data files."""

    models: tuple[Model, ...]
    horror: Mapping[str, int]
    weapons: tuple[Weapon, ...]
    item_names: tuple[str, ...]
    tool_carry: tuple[int, ...]
    tiles: tuple[Tile, ...]
    stash: tuple[tuple[int, ...], ...]
    events: tuple[Occurrence, ...]
    injuries: tuple[str, ...]
    insanities: tuple[str, ...]

    def __hash__(self) -> int:
        return id(self)


def _read(name: str) -> Entry:
    path = files("broodmind.envs.maze") / "data" / name
    try:
        return Entry(name, tomllib.loads(path.read_text("utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name} is no TOML: {error}") from error


def _model(entry: Entry) -> Model:
    return Model(
        entry.text("name"),
        entry.integer("bs", 2, 6),
        entry.integer("wounds", 1, 9),
        entry.integer("morale", 1, 30),
        entry.integer("save", 2, 6),
        entry.choice("weapon", _WEAPON_IDS),
        entry.counts("charges", _CHARGE_IDS),
        entry.counts("tools", _TOOL_IDS),
        entry.numbers("capacity", 3, 0, 9),
    )


def _weapon(entry: Entry) -> Weapon:
    least, most = entry.numbers("shots", 2, 1, st.MOST_SHOTS)
    return Weapon(
        entry.text("name"),
        entry.integer("range", 1, 9),
        entry.integer("wound", 2, 6),
        entry.integer("ap", 0, 5),
        entry.integer("damage", 1, 3),
        least,
        most,
        entry.integer("magazine", most, 20),
        entry.choice("charge", _CHARGE_IDS),
        entry.choice("carry", CARRY),
    )


def _tile(entry: Entry) -> Tile:
    return Tile(
        entry.text("name"),
        entry.choice("shape", st.SHAPES),
        entry.integer("vents", 0, st.VENTS),
        entry.choice("found", _CHARGE_IDS, ""),
        entry.numbers("count", st.MISSIONS, 0, st.TILES),
    )


def _event(entry: Entry) -> Occurrence:
    charges = entry.data.get("charges", ["", 0])
    ammo, count = Entry(entry.where, {"charges": charges[0]}).choice("charges", _CHARGE_IDS, ""), charges[1]
    return Occurrence(
        entry.text("name"),
        entry.numbers("sum", 2, 4, 24),
        entry.numbers("die", 2, 1, 6) if "die" in entry.data else None,
        bool(entry.data.get("curse")),
        entry.choice("weapon", _WEAPON_IDS, ""),
        ammo,
        count,
        entry.choice("tool", _TOOL_IDS, ""),
    )


def _words(entry: Entry, key: str) -> tuple[str, ...]:
    value = entry.data.get(key)
    if not isinstance(value, list) or len(value) != 6 or not all(isinstance(one, str) for one in value):
        raise entry.fail(key, "a list of six texts")
    return tuple(value)


@cache
def load() -> Data:
    """Return the data files, read and checked once.

    Raises:
        ConfigError: A file is wrong; the message says where, what is there and what was expected.
    """
    models, items, tiles, events = (_read(f"{name}.toml") for name in ("models", "items", "tiles", "events"))
    afflictions = _read("afflictions.toml")
    weapons = items.tables("weapons", _WEAPON_IDS)
    charges = items.tables("charges", _CHARGE_IDS)
    tools = items.tables("tools", _TOOL_IDS)
    horror = Entry("models.toml: horror", models.data.get("horror"))
    stashes = Entry("tiles.toml: stash", tiles.data.get("stash", {}))
    data = Data(
        tuple(_model(one) for one in models.tables("models", st.MODEL_IDS)),
        {key: horror.integer(key, 1, 30) for key in ("wounds", "save", "nest_at", "return_at")},
        tuple(_weapon(one) for one in weapons),
        (*(one.text("name") for one in (*weapons, *charges, *tools)), "Beacon"),
        tuple(one.choice("carry", CARRY) for one in tools),
        tuple(_tile(one) for one in tiles.tables("tiles", st.KIND_IDS)),
        tuple(stashes.counts(deck, st.ITEM_IDS[: st.BEACON]) for deck in st.DECK_IDS),
        tuple(_event(one) for one in events.tables("events", st.EVENT_IDS)),
        _words(afflictions, "injuries"),
        _words(afflictions, "insanities"),
    )
    for k, deck in enumerate(st.DECK_IDS):
        size = sum(tile.count[k] for tile in data.tiles)
        if not 4 <= size <= st.TILES:
            raise ConfigError(f"tiles.toml: deck {deck} has {size} tiles; expected 4..{st.TILES}")
    return data
