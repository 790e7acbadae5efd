"""A table of actions: verbs with argument ranges, each given a contiguous block of ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Compass:
    """Where an observation tells what lies around, for a verb whose arguments are directions.

    Directions are spread evenly, counter-clockwise from east.

    Args:
        place: The block, of one row, that tells of the place that directions start from.
        things: The block whose rows tell of things around it.
        x: Name of the feature of both blocks that is the coordinate east, in the same units.
        y: Name of the coordinate north.
    """

    place: str
    things: str
    x: str = "x"
    y: str = "y"


@dataclass(frozen=True)
class Verb:
    """One kind of action.

    Args:
        name: The verb, in capitals, as the rules ledger spells it.
        count: How many arguments it takes; 1 for a verb without argument.
        meaning: What the argument is, for the generated action reference.
        argument: Names an argument (0..count-1) in words; unique within the verb. None for a verb without argument.
        point: Where an argument lies, as a point with coordinates in -1..1, if arguments that lie close together mean
            nearly the same (cells, directions). Learners may use it; it changes no id.
        rows: The block of the observation whose row `k` tells of argument `k` (models, directions), as far as it has
            rows. Learners may use it; it changes no id.
        compass: What lies around, if the arguments are directions. Learners may use it; it changes no id.
    """

    name: str
    count: int
    meaning: str
    argument: Callable[[int], str] | None = None
    point: Callable[[int], tuple[float, float]] | None = None
    rows: str = ""
    compass: Compass | None = None


@dataclass(frozen=True)
class ActionTable:
    """All actions of a game: encodes, decodes and names ids 0..size-1. Ids are stable within a version."""

    verbs: Sequence[Verb]
    base: dict[str, int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        base: dict[str, int] = {}
        total = 0
        for verb in self.verbs:
            if verb.name in base:
                raise ValueError(f"verb {verb.name!r} is declared twice")
            base[verb.name] = total
            total += verb.count
        object.__setattr__(self, "base", base)
        object.__setattr__(self, "size", total)

    def encode(self, verb: str, argument: int = 0) -> int:
        """Return the id of a verb with an argument.

        Raises:
            ValueError: The verb is unknown or the argument out of its range.
        """
        for declared in self.verbs:
            if declared.name == verb:
                if not 0 <= argument < declared.count:
                    raise ValueError(f"{verb} takes 0..{declared.count - 1}, got {argument}")
                return self.base[verb] + argument
        raise ValueError(f"unknown verb {verb!r}; verbs: {', '.join(self.base)}")

    def decode(self, action: int) -> tuple[Verb, int]:
        """Return the verb and argument of an id.

        Raises:
            ValueError: The id is outside 0..size-1.
        """
        if not 0 <= action < self.size:
            raise ValueError(f"action {action} is outside 0..{self.size - 1}")
        for verb in self.verbs:
            start = self.base[verb.name]
            if action < start + verb.count:
                return verb, action - start
        raise AssertionError("unreachable: the blocks cover the range")

    def name(self, action: int) -> str:
        """Return the name of an id, in words, unique within the table."""
        verb, argument = self.decode(action)
        word = verb.name.lower()
        return f"{word} {verb.argument(argument)}" if verb.argument else word

    def names(self) -> Iterator[str]:
        """Yield the names of all ids in order."""
        return (self.name(action) for action in range(self.size))
