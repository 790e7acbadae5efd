"""Fields of a record as entries of a dictionary and back: names for numbers, defaults left out.

A game declares its fields once (`Field`); `write` and `read` then go both ways. Readers do not stop at the
first mistake: they collect one sentence per problem, naming the key, what was found and what was expected.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np


class Codec(Protocol):
    """Turns the value of a field into JSON-able data and back."""

    def write(self, value: Any) -> Any:
        """Return the data for a value; a value without a name stays a number, so that nothing is lost."""

    def read(self, data: Any) -> Any:
        """Return the value for data.

        Raises:
            ValueError: The data is not what was expected; the message says ``expected ..., got ...``.
        """


def suggest(word: str, words: Iterable[str]) -> str:
    """Return ``", perhaps you meant 'x'"`` for the nearest of some words, or nothing."""
    nearest = difflib.get_close_matches(word, list(words), n=1)
    return f", perhaps you meant {nearest[0]!r}" if nearest else ""


@dataclass(frozen=True)
class Number:
    """A whole number low..high."""

    low: int = -(2**15)
    high: int = 2**15 - 1

    def write(self, value: Any) -> int:
        """Return the number."""
        return int(value)

    def read(self, data: Any) -> int:
        """Return the number, or raise ValueError."""
        if isinstance(data, bool) or not isinstance(data, int) or not self.low <= data <= self.high:
            raise ValueError(f"expected a whole number {self.low}..{self.high}, got {data!r}")
        return data


@dataclass(frozen=True)
class Switch:
    """0 or 1, as false or true."""

    def write(self, value: Any) -> bool | int:
        """Return false or true."""
        return bool(value) if value in (0, 1) else int(value)

    def read(self, data: Any) -> int:
        """Return 0 or 1, or raise ValueError."""
        if not isinstance(data, bool):
            raise ValueError(f"expected true or false, got {data!r}")
        return int(data)


@dataclass(frozen=True)
class Names:
    """One of some words; the first stands for the number `first`."""

    words: Sequence[str]
    first: int = 0

    def write(self, value: Any) -> str | int:
        """Return the word."""
        index = int(value) - self.first
        return self.words[index] if 0 <= index < len(self.words) else int(value)

    def read(self, data: Any) -> int:
        """Return the number, or raise ValueError."""
        if not isinstance(data, str):
            raise ValueError(f"expected a name such as {self.words[0]!r}, got {data!r}")
        if data not in self.words:
            hint = suggest(data, self.words) or f"; the names are {', '.join(self.words)}"
            raise ValueError(f"there is no {data!r}{hint}")
        return self.words.index(data) + self.first


@dataclass(frozen=True)
class Flags:
    """A set of words; word k stands for bit k."""

    words: Sequence[str]

    def write(self, value: Any) -> list[str] | int:
        """Return the words of the bits that are set."""
        if not 0 <= value < 1 << len(self.words):
            return int(value)
        return [word for k, word in enumerate(self.words) if int(value) >> k & 1]

    def read(self, data: Any) -> int:
        """Return the number, or raise ValueError."""
        if not isinstance(data, Sequence) or isinstance(data, str) or len(set(map(str, data))) != len(data):
            raise ValueError(f"expected a list of some of {', '.join(self.words)}, got {data!r}")
        return sum(1 << Names(self.words).read(word) for word in data)


@dataclass(frozen=True)
class Numbers:
    """A fixed count of whole numbers, such as a cell [x, y]."""

    count: int
    low: int = -(2**15)
    high: int = 2**15 - 1

    def write(self, value: Any) -> list[int]:
        """Return the numbers as a list."""
        return [int(number) for number in value]

    def read(self, data: Any) -> list[int]:
        """Return the numbers, or raise ValueError."""
        if not isinstance(data, Sequence) or isinstance(data, str) or len(data) != self.count:
            raise ValueError(f"expected a list of {self.count} whole numbers, got {data!r}")
        return [Number(self.low, self.high).read(number) for number in data]


@dataclass(frozen=True)
class ListOf:
    """An array column whose unused end is zero: a list of at most `size` entries."""

    item: Codec
    size: int

    def write(self, value: Any) -> list[Any]:
        """Return all entries up to the last that is not zero."""
        used = max((k + 1 for k, entry in enumerate(value) if np.any(entry)), default=0)
        return [self.item.write(entry) for entry in value[:used]]

    def read(self, data: Any) -> list[Any]:
        """Return the entries, or raise ValueError."""
        if not isinstance(data, Sequence) or isinstance(data, str) or len(data) > self.size:
            raise ValueError(f"expected a list of at most {self.size} entries, got {data!r}")
        return [self.item.read(entry) for entry in data]


@dataclass(frozen=True)
class Words64:
    """A row of 64-bit words as one hexadecimal number, lowest word first in the row, last in the number."""

    count: int

    def write(self, value: Any) -> str:
        """Return the number in hexadecimal."""
        whole = sum((int(word) & (2**64 - 1)) << (64 * k) for k, word in enumerate(value))
        return f"{whole:x}"

    def read(self, data: Any) -> list[int]:
        """Return the words as signed numbers, or raise ValueError."""
        try:
            whole = int(data, 16)
        except (TypeError, ValueError):
            whole = -1
        if not 0 <= whole < 1 << (64 * self.count):
            raise ValueError(f"expected at most {16 * self.count} hexadecimal digits, got {data!r}")
        words = [whole >> (64 * k) & (2**64 - 1) for k in range(self.count)]
        return [word - 2**64 if word >> 63 else word for word in words]


@dataclass(frozen=True)
class Field:
    """One entry of a dictionary: its key, its codec, and the column or columns of the record."""

    key: str
    codec: Codec
    columns: tuple[str, ...] = ()

    @property
    def stored(self) -> tuple[str, ...]:
        """The columns of the record."""
        return self.columns or (self.key,)


def write(record: Any, fields: Sequence[Field], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return a record's fields as a dictionary without those that equal their default.

    Args:
        record: A record (``np.void``) with the fields' columns.
        fields: What to write.
        defaults: Data by key, as `Codec.write` gives it; keys without default are always written.
    """
    entry: dict[str, Any] = {}
    for field in fields:
        columns = [record[column] for column in field.stored]
        data = field.codec.write(columns if len(columns) > 1 else columns[0])
        # 1 == True, but a number where a switch is expected must not be taken for one.
        if field.key not in defaults or (type(data), data) != (
            type(defaults[field.key]),
            defaults[field.key],
        ):
            entry[field.key] = data
    return entry


def read(
    record: Any,
    data: Any,
    fields: Sequence[Field],
    defaults: Mapping[str, Any],
    path: str,
    problems: list[str],
    more_keys: Sequence[str] = (),
) -> None:
    """Write a dictionary's entries into a record; add a sentence to `problems` for each that is wrong.

    Args:
        record: A record (``np.void``, a view that can be written).
        data: What should be a mapping.
        fields: What to read.
        defaults: Data by key for entries that are left out; a key without default must be given.
        path: How messages call the dictionary (``"models.Varras"``; empty for the outermost).
        problems: Is added to.
        more_keys: Keys that are allowed beside the fields' (the caller reads them).
    """
    if not isinstance(data, Mapping):
        problems.append(f"{path or 'the position'}: expected a dictionary, got {type(data).__name__}")
        return
    keys = [field.key for field in fields]
    unknown_keys(data, [*keys, *more_keys], path, problems)
    for field in fields:
        where = f"{path}.{field.key}" if path else field.key
        if field.key in data:
            given = data[field.key]
        elif field.key in defaults:
            given = defaults[field.key]
        else:
            problems.append(f"{where} is missing")
            continue
        try:
            value = field.codec.read(given)
        except ValueError as error:
            problems.append(f"{where}: {error}")
            continue
        if len(field.stored) > 1:
            for column, number in zip(field.stored, value, strict=True):
                record[column] = number
        elif isinstance(value, list):
            record[field.stored[0]][...] = 0
            if value:
                record[field.stored[0]][: len(value)] = value
        else:
            record[field.stored[0]] = value


def unknown_keys(data: Mapping[str, Any], known: Sequence[str], path: str, problems: list[str]) -> None:
    """Add a sentence to `problems` for each key of a dictionary that is not known."""
    for key in data:
        if key not in known:
            where = f"{path}.{key}" if path else str(key)
            hint = suggest(str(key), known) or f"; expected some of {', '.join(known)}"
            problems.append(f"{where}: there is no such key{hint}")
