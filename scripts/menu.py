"""The choices of a decision for people at a terminal: numbered, grouped by verb, and read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from broodmind.envs.core.actions import ActionTable, Verb
from broodmind.envs.core.errors import BroodmindError
from broodmind.scripts.common import shorten

FEW = 24
"""Up to so many choices of one verb are listed one per line."""

LONGEST = 100
"""No name of an action is longer than this."""

OFFSET = re.compile(r"[+-]?\d+,[+-]?\d+")
TYPED_OFFSET = re.compile(r"(?:[a-z]+\s+)?([+-]?\d+)(?:\s*,\s*|\s+)([+-]?\d+)")


class ChoiceError(BroodmindError, ValueError):
    """What was typed is no legal choice; the message says what would be."""


@dataclass(frozen=True)
class Choice:
    """One legal action in a menu.

    Args:
        number: What to type to choose it, from 1.
        action: The action id.
        name: Its name in the action table, as `parse_action` reads it.
        argument: The part of the name after the verb.
    """

    number: int
    action: int
    name: str
    argument: str


class Menu:
    """The legal actions of one decision.

    Args:
        table: The game's actions.
        mask: 1 for legal actions, shape (actions,).
        label: Says in words what an action would do here.
    """

    def __init__(self, table: ActionTable, mask: NDArray[np.int8], label: Callable[[int], str]) -> None:
        self.table = table
        self.label = label
        self.groups: list[tuple[Verb, list[Choice]]] = []
        self.choices: list[Choice] = []
        for number, action in enumerate(np.flatnonzero(mask).tolist(), 1):
            verb, _ = table.decode(action)
            name = table.name(action)
            choice = Choice(number, action, name, name[len(verb.name) :].strip())
            if not self.groups or self.groups[-1][0] is not verb:
                self.groups.append((verb, []))
            self.groups[-1][1].append(choice)
            self.choices.append(choice)

    # -- writing --------------------------------------------------------------------------------------------

    def lines(self, everything: bool = False) -> list[str]:
        """Return the menu as text: few choices one per line, many offsets as a map, other many in columns.

        Args:
            everything: Whether to list every choice on a line of its own, however many there are.
        """
        lines: list[str] = []
        width = len(str(len(self.choices)))
        for verb, choices in self.groups:
            if len(choices) <= FEW or everything:
                lines += [self._line(choice, width) for choice in choices]
            elif all(OFFSET.fullmatch(choice.argument) for choice in choices):
                lines += self._map(verb, choices)
            else:
                lines.append(f"{verb.name.lower()} ({verb.meaning}):")
                lines += _columns([f"{choice.number:>{width}}) {choice.argument}" for choice in choices])
        return lines

    def _line(self, choice: Choice, width: int) -> str:
        words = self.label(choice.action)
        told = "" if words.lower() == choice.name.lower() else f" - {words}"
        return f"{choice.number:>{width}}) {choice.name}{told}"

    def _map(self, verb: Verb, choices: Sequence[Choice]) -> list[str]:
        """Draw offsets as a map: o may be chosen, the first number is the column, the second the row."""
        cells = {tuple(int(part) for part in choice.argument.split(",")) for choice in choices}
        columns = range(min(x for x, _ in cells | {(0, 0)}), max(x for x, _ in cells | {(0, 0)}) + 1)
        rows = range(max(y for _, y in cells | {(0, 0)}), min(y for _, y in cells | {(0, 0)}) - 1, -1)
        word = verb.name.lower()
        example = choices[len(choices) // 2].argument
        lines = [f"{word}: {len(choices)} choices ({verb.meaning}); o is legal, @ is the middle (0,0)."]
        for y in rows:
            marks = "".join(
                "  @" if (x, y) == (0, 0) else "  o" if (x, y) in cells else "  ." for x in columns
            )
            lines.append(f"{y:>4}{marks}")
        lines.append("    " + "".join(f"{x:>3}" for x in columns))
        lines.append(
            f"Type for example '{word} {example}' or '{example.replace(',', ' ')}' (column, then row); "
            "'all' lists them."
        )
        return lines

    # -- reading --------------------------------------------------------------------------------------------

    def find(self, text: str) -> int:
        """Return the legal action that was typed: a number, a name, an offset, or a unique part of a name.

        Raises:
            ChoiceError: It is no legal choice, or fits several.
        """
        typed = " ".join(text.lower().split())
        if re.fullmatch(r"\d+", typed):
            number = _number(typed)
            if 1 <= number <= len(self.choices):
                return self.choices[number - 1].action
            raise ChoiceError(
                f"there is no choice {shorten(typed)}; type 1 to {len(self.choices)}, or a name"
            )
        action = self.parse(typed)
        if action is None:
            fitting = [choice for choice in self.choices if typed and typed in choice.name.lower()]
            if len(fitting) == 1:
                return fitting[0].action
            if fitting:
                names = ", ".join(choice.name for choice in fitting[:4])
                raise ChoiceError(
                    f"{shorten(text)!r} fits {len(fitting)} choices ({names}...); type more of the name"
                )
            near = get_close_matches(typed[:LONGEST], [choice.name.lower() for choice in self.choices], n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ChoiceError(f"{shorten(text)!r} is no choice here; {hint}type a number, a name or 'help'")
        if all(choice.action != action for choice in self.choices):
            raise ChoiceError(
                f"{self.table.name(action)!r} is not legal now; 'why {self.table.name(action)}' tells why"
            )
        return action

    def parse(self, text: str) -> int | None:
        """Return the action, legal or not, that a text names; None if it names none."""
        typed = " ".join(text.lower().split())
        if re.fullmatch(r"\d+", typed) and 1 <= _number(typed) <= len(self.choices):
            return self.choices[_number(typed) - 1].action
        if len(typed) > LONGEST:
            return None
        offset = TYPED_OFFSET.fullmatch(typed)
        spelled = f"{int(offset[1]):+d},{int(offset[2]):+d}" if offset else None
        fallback = None
        for action, name in enumerate(self.table.names()):
            if name.lower() == typed:
                return action
            if spelled and name.rpartition(" ")[2] == spelled and fallback is None:
                fallback = action
        return fallback


def _number(digits: str) -> int:
    """Return a number that was typed; 0, which is no choice, for more digits than Python reads."""
    return int(digits) if len(digits) <= 9 else 0


def _columns(cells: Sequence[str], width: int = 100) -> list[str]:
    """Return cells side by side in columns of equal width."""
    cell = max(len(text) for text in cells) + 2
    per_line = max(1, width // cell)
    return [
        "  " + "".join(f"{text:<{cell}}" for text in cells[k : k + per_line]).rstrip()
        for k in range(0, len(cells), per_line)
    ]
