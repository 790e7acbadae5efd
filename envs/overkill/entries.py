"""Tables of data files, checked as they are read: errors name file, key, value and what was expected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from broodmind.envs.core.codec import suggest
from broodmind.envs.core.errors import ConfigError


def fail(where: str, value: Any, expected: str) -> ConfigError:
    """Return the error of a bad entry.

    Args:
        where: File and key (``"missions.toml: mission 3: lay"``).
        value: What is there.
        expected: What should be.
    """
    return ConfigError(f"{where} is {value!r}; expected {expected}")


class Entry:
    """A table of a data file: gives its values checked, with errors that say where."""

    def __init__(self, where: str, data: Any) -> None:
        if not isinstance(data, Mapping):
            raise fail(where, data, "a table")
        self.where = where
        self.data = data

    def only(self, *keys: str) -> Entry:
        """Return the table itself, once it is sure to have no keys but some, which need not be there, and ``src``."""
        for key in self.data:
            if key not in keys and key != "src":
                hint = suggest(key, keys)
                raise ConfigError(
                    f"{self.where}: unknown key {key!r}{hint}; expected some of {', '.join(keys)}"
                )
        return self

    def same(self, key: str, value: Any) -> None:
        """Check a key that may be left out, and can only have one value."""
        if self.data.get(key, value) != value:
            raise fail(f"{self.where}: {key}", self.data[key], repr(value))

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """Return a whole number within bounds."""
        value = self.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise fail(f"{self.where}: {key}", value, f"a whole number {low}..{high}")
        return value

    def text(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self.data.get(key)
        if not isinstance(value, str) or not value:
            raise fail(f"{self.where}: {key}", value, "a text")
        return value

    def choice(self, key: str, words: Iterable[str]) -> str:
        """Return one of some words."""
        value = self.data.get(key)
        if value not in tuple(words):
            raise fail(f"{self.where}: {key}", value, f"one of {', '.join(words)}")
        return str(value)

    def words(self, key: str, allowed: Iterable[str]) -> tuple[str, ...]:
        """Return a list of some words, empty if it is left out."""
        value = self.data.get(key, [])
        if not isinstance(value, list) or not set(map(str, value)) <= set(allowed):
            raise fail(f"{self.where}: {key}", value, f"a list of some of {', '.join(allowed)}")
        if len(set(value)) < len(value):
            raise fail(f"{self.where}: {key}", value, "each of them once at most")
        return tuple(value)

    def array(self, key: str) -> list[Any]:
        """Return a list of anything, empty if it is left out."""
        value = self.data.get(key, [])
        if not isinstance(value, list):
            raise fail(f"{self.where}: {key}", value, "a list")
        return value

    def numbers(self, key: str, count: int, default: list[int] | None = None) -> list[int]:
        """Return a list of whole numbers."""
        value = self.data.get(key, default)
        return whole_numbers(f"{self.where}: {key}", value, count)

    def tables(self, key: str) -> list[Entry]:
        """Return an array of tables."""
        value = self.data.get(key)
        if not isinstance(value, list):
            raise fail(f"{self.where}: {key}", value, "an array of tables")
        return [Entry(f"{self.where}: {key} {k}", one) for k, one in enumerate(value)]


def whole_numbers(where: str, value: Any, count: int) -> list[int]:
    """Return a list of `count` whole numbers."""
    if not isinstance(value, list) or len(value) != count or not all(type(one) is int for one in value):
        raise fail(where, value, f"a list of {count} whole numbers")
    return list(value)
