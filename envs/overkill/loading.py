"""Reads the data files of Overkill and checks them; errors name file, key, value and what was expected.

A folder with files of the same names may take the place of the packaged ones (``broodmind.make(..., data=FOLDER)``;
those it lacks are taken from the package): whoever owns the box can play with its printed numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from broodmind.envs.core.errors import ConfigError
from broodmind.envs.overkill import state as st
from broodmind.envs.overkill.entries import Entry, fail, whole_numbers
from broodmind.envs.overkill.geometry import FACE_HEIGHT, FACE_WIDTH, TURNS, Rect, capacity, disjoint

FILES = ("broodmind.toml", "cult.toml", "datacards.toml", "leaders.toml", "missions.toml", "sections.toml")
"""The data files."""
BASE_COST = {(25, 25): 4, (32, 32): 7, (40, 40): 11, (50, 50): 16, (75, 42): 20}
"""Room that a base takes (OVK-G04)."""
DECKS = ("hybrids", "all", "no_patriarch", "no_leaders")
HYBRID_IDS = ("autogun", "autopistol", "mining_laser", "grenade_launcher")
WINS = (
    "kills N",
    "energy_cells",
    "skull_exit",
    "exit N",
    "exit N",
    "krak 3",
    "exterminate",
    "exit N",
    "patriarch",
)
"""By what the Deathwatch wins each mission, and which of the numbers may be changed."""
MOST_EAST, MOST_DOWN = 1000, 1530
"""Farthest corner of a section, so that all zones lie within 1200 x 1800 mm, which observations are scaled by."""
RESTED = ((1, 2), (3, 4), (4, 5), (6, 7))
"""Missions of the campaign in whose second nobody may fight who fought in the first (OVK-C02)."""
SPECIAL = {"energy_cells": 4, "lift": 3, "silo": 3, "throne": 1}
"""Special places of faces, and how many zones each has."""
PLACES = ("exit", "skull", "lift_exit", "cassius")


@dataclass(frozen=True)
class Profile:
    """A weapon: (dice, least roll that hits) at Assault, Combat and Maximum; 0 dice: not usable."""

    name: str
    dice: tuple[tuple[int, int], ...]
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """A marine or a cult type."""

    id: str
    name: str
    speed: int
    armour: int
    wounds: int
    cost: int
    skills: tuple[str, ...]
    hybrid: bool
    profiles: tuple[Profile, ...]


@dataclass(frozen=True)
class Gambit:
    """The Gambit half of cards."""

    id: str
    name: str
    text: str


@dataclass(frozen=True)
class Card:
    """A Broodmind card; entries are (types, count)."""

    name: str
    entries: tuple[tuple[tuple[int, ...], int], ...]
    gambit: int


@dataclass(frozen=True)
class Face:
    """A face of a board section."""

    id: str
    name: str
    zones: tuple[Rect, ...]
    blocks: tuple[Rect, ...]
    special: Mapping[str, tuple[int, ...]]
    void: bool


@dataclass(frozen=True)
class Section:
    """A face on the table."""

    face: Face
    at: tuple[int, int]
    turn: int
    level: int


@dataclass(frozen=True)
class MissionData:
    """The numbers and the map of a mission; zones are (section, zone of its face)."""

    key: str
    name: str
    sections: tuple[Section, ...]
    muster: tuple[tuple[int, int], ...]
    ambush: tuple[tuple[int, int, str], ...]
    team: int
    hand: int
    lay: tuple[int, int]
    deck: str
    lose_at: int
    goal: int
    max_turns: int
    places: Mapping[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Data:
    """Everything that the data files say; compared by identity, so that tables can be kept by it."""

    marines: tuple[Kind, ...]
    types: tuple[Kind, ...]
    gambits: tuple[Gambit, ...]
    cards: tuple[Card, ...]
    faces: Mapping[str, Face]
    missions: tuple[MissionData, ...]
    hash: str
    """Of all that the files say, comments and layout apart."""


@cache
def _packaged_text(name: str) -> str:
    return (files("broodmind.envs.overkill") / "data" / name).read_text("utf-8")


def _texts(folder: str | os.PathLike[str] | None) -> tuple[tuple[str, str], ...]:
    """Return what each file is called in errors and what it holds, in the order of `FILES`."""
    if folder is None:
        return tuple((name, _packaged_text(name)) for name in FILES)
    path = Path(folder).expanduser()
    try:
        held = {one.name for one in path.iterdir() if one.suffix == ".toml"}
        given = {name: (str(path / name), (path / name).read_text("utf-8")) for name in held & set(FILES)}
    except OSError as error:
        raise ConfigError(
            f"data={str(folder)!r}: cannot read {error.filename or path}: {error.strerror or error}; "
            "expected a folder of data files"
        ) from None
    except UnicodeDecodeError:
        raise ConfigError(f"data={str(folder)!r}: one of the files there is no text in UTF-8") from None
    if strangers := sorted(held - set(FILES)) or ([] if given else ["(no file)"]):
        raise ConfigError(f"data={str(folder)!r} holds {strangers[0]}; expected some of {', '.join(FILES)}")
    return tuple(given.get(name) or (name, _packaged_text(name)) for name in FILES)


def _parse(where: str, text: str) -> Entry:
    try:
        return Entry(where, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} is no TOML: {error}") from None


def _dice(where: str, value: Any) -> tuple[int, int]:
    """Read dice as the cards print them: ``"3,3"`` is two dice that each hit on 3+; ``"-"`` none."""
    if value == "-":
        return 0, 0
    parts = value.split(",") if isinstance(value, str) else []
    if not parts or len(parts) > 6 or len(set(parts)) != 1 or parts[0] not in "23456" or len(parts[0]) != 1:
        raise fail(where, value, 'dice such as "3,3", all alike and 2..6, or "-"')
    return len(parts), int(parts[0])


def _profile(entry: Entry) -> Profile:
    entry.only("name", *"ACM", "rules")
    rules = entry.words("rules", st.WEAPON_RULES)
    dice = tuple(_dice(f"{entry.where}: {band}", entry.data.get(band)) for band in "ACM")
    if not any(count for count, _ in dice):
        raise fail(entry.where, dict(entry.data), "dice at some range")
    if "blast" in rules and any(count > 1 for count, _ in dice):
        raise fail(entry.where, dict(entry.data), "at most one die at each range of a blast (OVK-A10)")
    return Profile(entry.text("name"), dice, rules)


def _kind(entry: Entry, expected: str, wounds: int) -> Kind:
    entry.choice("id", [expected])
    where = f"{entry.where} ({expected})"
    keys = ("id", "name", "speed", "armour", "wounds", "base", "skills", "weapons")
    more = () if expected in st.MARINE_IDS else ("count", "hybrid")
    entry = Entry(where, entry.data).only(*keys, *more)
    entry.same("hybrid", expected in HYBRID_IDS)
    base = tuple(entry.numbers("base", 2))
    if base not in BASE_COST:
        raise fail(f"{where}: base", list(base), f"one of {', '.join(map(str, BASE_COST))}")
    profiles = tuple(_profile(one) for one in entry.tables("weapons"))
    if not 1 <= len(profiles) <= st.MAX_PROFILES:
        raise fail(f"{where}: weapons", len(profiles), f"1..{st.MAX_PROFILES} of them")
    armour = entry.integer("armour", 0, 6)
    if armour == 1:
        raise fail(f"{where}: armour", armour, "0 (none) or 2..6")
    skills = entry.words("skills", st.SKILLS)
    if "mesmerise" in skills and len(profiles) == st.MAX_PROFILES:
        raise fail(
            f"{where}: weapons",
            len(profiles),
            f"fewer than {st.MAX_PROFILES}: mesmerise is chosen as the last",
        )
    return Kind(
        expected,
        entry.text("name"),
        entry.integer("speed", 1, 6),
        armour,
        entry.integer("wounds", wounds, wounds),
        BASE_COST[base],
        skills,
        expected in HYBRID_IDS,
        profiles,
    )


def _kinds(file: Entry, key: str, ids: tuple[str, ...], wounds: int) -> list[Kind]:
    entries = file.tables(key)
    if len(entries) != len(ids):
        raise fail(f"{file.where}: {key}", f"{len(entries)} tables", f"{len(ids)}: {', '.join(ids)}")
    return [_kind(entry, expected, wounds) for entry, expected in zip(entries, ids, strict=True)]


def _types(cult: Entry, chiefs: Entry) -> list[Kind]:
    common, leaders = st.TYPE_IDS[: st.PATRIARCH], st.TYPE_IDS[st.PATRIARCH :]
    kinds = _kinds(cult, "model", common, 1) + _kinds(chiefs, "model", leaders, 2)
    entries = [*cult.tables("model"), *chiefs.tables("model")]
    for entry, count in zip(entries, st.TYPE_COUNTS, strict=True):
        entry.integer("count", count, count)
    return kinds


def _check_names(where: str, named: Iterable[str]) -> None:
    """Refuse a name that two things have: positions and commands tell them apart by it."""
    seen: set[str] = set()
    for name in named:
        if name in seen:
            raise fail(f"{where}: name", name, "a name that nothing else there has")
        seen.add(name)


def _gambits(file: Entry) -> tuple[Gambit, ...]:
    found: dict[str, Gambit] = {}
    for entry in file.tables("gambit"):
        entry.only("id", "name", "phase", "target", "text")
        key = entry.choice("id", [gambit for gambit in st.GAMBITS if gambit not in found])
        number = st.GAMBITS.index(key)
        phase = entry.choice("phase", st.PHASES)
        if phase != st.PHASES[st.GAMBIT_PHASES[number]]:
            raise fail(f"{entry.where}: phase", phase, st.PHASES[st.GAMBIT_PHASES[number]])
        entry.choice("target", [st.GAMBIT_TARGETS[number]])
        found[key] = Gambit(key, entry.text("name"), entry.text("text"))
    for key in st.GAMBITS:
        found.setdefault(key, Gambit(key, key, key))
    return tuple(found[key] for key in st.GAMBITS)


def _tags(card: Card) -> list[str]:
    """Return what decides in which decks a card is (`in_deck`)."""
    ids = {st.TYPE_IDS[one] for types, _ in card.entries for one in types}
    leaders = [one for one in st.TYPE_IDS[st.PATRIARCH :] if one in ids]
    return (["hybrids"] if ids & set(HYBRID_IDS) else []) + leaders


def _cards(file: Entry) -> tuple[Card, ...]:
    cards = []
    for number, entry in enumerate(file.tables("card")):
        entry.only("id", "name", "tags", "ambush", "gambit").integer("id", number, number)
        entries = []
        for part in entry.tables("ambush"):
            part.only("models", "count")
            types = tuple(st.TYPE_IDS.index(one) for one in part.words("models", st.TYPE_IDS))
            if not 1 <= len(types) <= 2 or len(set(types)) != len(types):
                raise fail(f"{part.where}: models", list(types), "one type, or two to mix")
            most = min(6, sum(st.TYPE_COUNTS[one] for one in types))
            entries.append((types, part.integer("count", 1, most)))
        if not 1 <= len(entries) <= st.MAX_ENTRIES:
            raise fail(f"{entry.where}: ambush", len(entries), f"1..{st.MAX_ENTRIES} entries")
        gambit = st.GAMBITS.index(entry.choice("gambit", st.GAMBITS))
        cards.append(Card(entry.text("name"), tuple(entries), gambit))
        entry.same("tags", _tags(cards[-1]))
    if len(cards) != st.CARDS:
        raise fail(f"{file.where}: card", len(cards), f"{st.CARDS} cards")
    return tuple(cards)


def _faces(file: Entry) -> dict[str, Face]:
    faces: dict[str, Face] = {}
    for entry in file.tables("face"):
        key = entry.text("id")
        where = f"{file.where}: face {key}"
        Entry(where, entry.data).only("id", "name", "zones", "blocks", "void", *SPECIAL)
        if key in faces:
            raise fail(f"{entry.where}: id", key, "an id that no other face has")
        rects = {
            name: tuple(
                Rect(*whole_numbers(f"{where}: {name} {k}", one, 4))
                for k, one in enumerate(Entry(where, entry.data).array(name))
            )
            for name in ("zones", "blocks")
        }
        zones = rects["zones"]
        void = entry.data.get("void") is True
        if bool(zones) == void:
            raise fail(f"{where}: zones", list(zones), "zones, or void = true")
        for k, r in enumerate(zones):
            inside = 0 <= r.x and 0 <= r.y and r.x + r.width <= FACE_WIDTH and r.y + r.height <= FACE_HEIGHT
            if not inside or min(r.width, r.height) < 50 or capacity(r) < 20:
                raise fail(
                    f"{where}: zones {k}", list(r), "a zone within the face, 50 mm and 20 units at least"
                )
            if not all(disjoint(r, other) for other in (*zones[:k], *rects["blocks"])):
                raise fail(f"{where}: zones {k}", list(r), "a zone that overlaps no other zone and no block")
        special = {}
        for name, count in SPECIAL.items():
            if name in entry.data:
                value = entry.data[name]
                numbers = whole_numbers(f"{where}: {name}", [value] if type(value) is int else value, count)
                if not all(0 <= number < len(zones) for number in numbers):
                    raise fail(f"{where}: {name}", numbers, f"zones 0..{len(zones) - 1}")
                special[name] = tuple(numbers)
        faces[key] = Face(key, entry.text("name"), zones, rects["blocks"], special, void)
    return faces


def _goal(entry: Entry, expected: str, team: int) -> int:
    """Return the number in what a mission is won by, 0 if there is none."""
    word, _, number = entry.text("win").partition(" ")
    wanted, _, fixed = expected.partition(" ")
    most = 1000 if wanted == "kills" else team
    if fixed == "N" and word == wanted and number.isdecimal() and 1 <= int(number) <= most:
        return int(number)
    if f"{word} {number}".strip() == expected:
        return int(number or 0)
    text = expected.replace("N", f"and a number 1..{most}")
    raise fail(f"{entry.where}: win", entry.data["win"], repr(text) if fixed != "N" else text)


def _mission(entry: Entry, number: int, faces: Mapping[str, Face]) -> MissionData:
    entry.integer("id", number, number)
    entry = Entry(f"{entry.where.rpartition(': ')[0]}: mission {number}", entry.data)
    keys = ("id", "key", "name", "sections", "muster", "ambush", "team", "hand", "lay", "deck", "lose_at")
    entry.only(*keys, "win", "max_turns", *PLACES)
    sections = []
    for part in entry.tables("sections"):
        part.only("face", "at", "turn", "level")
        face = faces[part.choice("face", faces)]
        turn = part.integer("turn", 0, 270, 0)
        if turn not in TURNS:
            raise fail(f"{part.where}: turn", turn, "0, 90, 180 or 270")
        x, y = part.numbers("at", 2)
        if not (0 <= x <= MOST_EAST and 0 <= y <= MOST_DOWN):
            raise fail(f"{part.where}: at", [x, y], f"millimetres 0..{MOST_EAST} and 0..{MOST_DOWN}")
        sections.append(Section(face, (x, y), turn, part.integer("level", 0, 1, 0)))
    if not 1 <= len(sections) <= st.MAX_SECTIONS:
        raise fail(f"{entry.where}: sections", len(sections), f"1..{st.MAX_SECTIONS} sections")
    total = sum(len(section.face.zones) for section in sections)
    if total > st.MAX_ZONES:
        raise fail(f"{entry.where}: sections", total, f"at most {st.MAX_ZONES} zones in all")

    def zone(key: str, value: Any) -> tuple[int, int]:
        section, place = whole_numbers(f"{entry.where}: {key}", value, 2)
        if not (0 <= section < len(sections) and 0 <= place < len(sections[section].face.zones)):
            raise fail(f"{entry.where}: {key}", value, "[section, zone] of this mission")
        return section, place

    ambush = []
    for point in entry.array("ambush"):
        if not isinstance(point, list) or len(point) != 3 or point[2] not in tuple("NESW"):
            raise fail(f"{entry.where}: ambush", point, '[section, zone, "N", "E", "S" or "W"]')
        ambush.append((*zone("ambush", point[:2]), str(point[2])))
    if not 1 <= len(ambush) <= st.MAX_POINTS:
        raise fail(f"{entry.where}: ambush", len(ambush), f"1..{st.MAX_POINTS} points")
    muster = tuple(zone("muster", one) for one in entry.array("muster"))
    if not 1 <= len(muster) <= st.MAX_MUSTER:
        raise fail(f"{entry.where}: muster", len(muster), f"1..{st.MAX_MUSTER} zones")
    lay = entry.numbers("lay", 2)
    if not 0 <= lay[0] <= lay[1] <= len(ambush):
        raise fail(f"{entry.where}: lay", lay, "least and most, at most a card per Ambush Point")
    team = entry.integer("team", st.MARINES if number >= st.PURGATION else 1, st.MARINES)
    places = {key: zone(key, entry.data[key]) for key in PLACES if key in entry.data}
    needed = {3: ("skull", "exit"), 4: ("exit",), 5: ("exit", "lift_exit"), 8: ("exit", "cassius")}
    for key in needed.get(number, ()):
        if key not in places:
            raise fail(f"{entry.where}: {key}", None, "[section, zone]")
    for key, missions in (("energy_cells", 2), ("lift", 5), ("silo", 6), ("throne", 9)):
        if number == missions and sum(key in section.face.special for section in sections) != 1:
            raise fail(f"{entry.where}: sections", key, f"exactly one section with a {key}")
    return MissionData(
        entry.text("key"),
        entry.text("name"),
        tuple(sections),
        muster,
        tuple(ambush),
        team,
        entry.integer("hand", 0, st.CARDS),
        (lay[0], lay[1]),
        entry.choice("deck", DECKS),
        entry.integer("lose_at", 0, team),
        _goal(entry, WINS[number - 1], team),
        entry.integer("max_turns", 1, 1000),
        places,
    )


def in_deck(card: Card, deck: str) -> bool:
    """Say whether a card is in a mission's deck, by the types of its Ambush half."""
    ids = {st.TYPE_IDS[one] for types, _ in card.entries for one in types}
    if deck == "hybrids":
        return bool(ids & set(HYBRID_IDS))
    if deck == "no_patriarch":
        return "patriarch" not in ids
    if deck == "no_leaders":
        return not ids & {"patriarch", "magus", "primus"}
    return True


@cache
def _load(texts: tuple[tuple[str, str], ...]) -> Data:
    brood, cult, cards, chiefs, maps, sections = (_parse(where, text) for where, text in texts)
    for file, *keys in (
        (brood, "gambit", "card"),
        (cult, "model"),
        (cards, "marine"),
        (chiefs, "model"),
        (maps, "mission"),
        (sections, "size", "face"),
    ):
        file.only(*keys)
    sections.same("size", [FACE_WIDTH, FACE_HEIGHT])
    marines = tuple(_kinds(cards, "marine", st.MARINE_IDS, 2))
    faces = _faces(sections)
    entries = maps.tables("mission")
    if len(entries) != st.MISSIONS:
        raise fail(f"{maps.where}: mission", len(entries), f"{st.MISSIONS} missions")
    missions = tuple(_mission(entry, k + 1, faces) for k, entry in enumerate(entries))
    for one, other in RESTED:
        left = st.MARINES - missions[one - 1].team
        if missions[other - 1].team > left:
            where = f"{maps.where}: mission {other}: team"
            raise fail(
                where,
                missions[other - 1].team,
                f"{left} at most, as mission {one} takes the others (OVK-C02)",
            )
    types, deck = _types(cult, chiefs), _cards(brood)
    _check_names(f"{cards.where}: marine", (one.name for one in marines))
    _check_names(f"{cult.where} and {chiefs.where}: model", (one.name for one in types))
    _check_names(f"{brood.where}: card", (one.name for one in deck))
    said = [entry.data for entry in (brood, cult, cards, chiefs, maps, sections)]
    text = json.dumps(said, sort_keys=True, default=str)
    return Data(
        marines,
        tuple(types),
        _gambits(brood),
        deck,
        faces,
        missions,
        hashlib.sha256(text.encode()).hexdigest(),
    )


def read_data(folder: str | os.PathLike[str] | None = None) -> Data:
    """Read and check the data files.

    Args:
        folder: The folder whose files take the place of the packaged ones; None: the packaged ones.

    Raises:
        ConfigError: There is no such folder or an entry is wrong; the message says which, and what was expected.
    """
    return _load(_texts(folder))


@cache
def packaged() -> Data:
    """Return the data of the package."""
    return read_data()


_current: ContextVar[Data | None] = ContextVar("overkill_data", default=None)


@contextmanager
def using(data: Data | None) -> Iterator[None]:
    """Let `load`, and with it tables and names, give some data for a while; None: the packaged ones."""
    token = _current.set(data)
    try:
        yield
    finally:
        _current.reset(token)


def load() -> Data:
    """Return the data of the game that is asked (`using`), else the packaged ones, read and checked once.

    Raises:
        ConfigError: An entry is wrong; the message says which, and what was expected.
    """
    return _current.get() or packaged()
