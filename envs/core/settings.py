"""What may be asked for when an environment is made, checked once for all its faces."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from broodmind.envs.core.codec import suggest
from broodmind.envs.core.errors import ConfigError
from broodmind.envs.core.record import MOST_TURNS

if TYPE_CHECKING:
    from broodmind.envs.core.game import Game, Mission

ILLEGAL_ACTIONS = ("raise", "forfeit", "noop")
MOST_SEED = 2**64 - 1


@dataclass(frozen=True)
class Settings:
    """The settings of an environment (see `broodmind.make` for their meaning).

    Args:
        game: The game.
        mission: The mission.
        layout: One of ``mission.layouts``, or None for the first of them.
        max_turns: 0..32000, or None for the mission's own.
        illegal_action: ``"raise"``, ``"forfeit"`` or ``"noop"``.
        skip_forced: Whether the engine takes decisions with one legal action.
        options: Values of ``mission.options``; those left out take their default.

    Raises:
        ConfigError: An option is unknown or has a value that it cannot take.
    """

    game: Game
    mission: Mission
    layout: str | None = None
    max_turns: int | None = None
    illegal_action: str = "raise"
    skip_forced: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.layout_number(self.layout)
        if self.illegal_action not in ILLEGAL_ACTIONS:
            hint = suggest(str(self.illegal_action), ILLEGAL_ACTIONS)
            raise ConfigError(
                f"illegal_action={self.illegal_action!r}; expected one of {', '.join(ILLEGAL_ACTIONS)}{hint}"
            )
        turns = self.max_turns
        if turns is not None and (
            isinstance(turns, bool) or not isinstance(turns, int) or not 0 <= turns <= MOST_TURNS
        ):
            raise ConfigError(f"max_turns={turns!r}; expected a whole number 0..{MOST_TURNS} (0: no limit)")
        if not isinstance(self.skip_forced, bool):
            raise ConfigError(f"skip_forced={self.skip_forced!r}; expected True or False")
        for name in self.options:
            if name not in self.mission.options:
                known = [
                    "layout",
                    "max_turns",
                    "illegal_action",
                    "skip_forced",
                    "data",
                    *self.mission.options,
                ]
                hint = suggest(name, known) or f"; its options are {', '.join(known)}"
                raise ConfigError(f"{self.mission.id} has no option {name!r}{hint}")
        from broodmind.envs.core.record import new_states

        self.write(new_states(self.game.state_dtype, 1)[0]["core"])  # the game checks its own options

    def layout_number(self, layout: Any) -> int:
        """Return the number of a layout; None is the first.

        Raises:
            ConfigError: The mission has no such layout.
        """
        if layout is None:
            return 0
        if layout not in self.mission.layouts:
            hint = suggest(str(layout), self.mission.layouts)
            raise ConfigError(
                f"layout={layout!r}; {self.mission.id} has {' and '.join(self.mission.layouts)}{hint}"
            )
        return self.mission.layouts.index(layout)

    def write(self, core: Any) -> None:
        """Write the settings into the head of a record.

        Raises:
            ConfigError: A mission option has a value that it cannot take.
        """
        core["mission"] = self.mission.number
        core["layout"] = self.layout_number(self.layout)
        core["max_turns"] = self.mission.max_turns if self.max_turns is None else self.max_turns
        core["skip_forced"] = self.skip_forced
        values = {
            name: self.options.get(name, default) for name, (default, _) in self.mission.options.items()
        }
        try:
            self.game.write_options(core, self.mission, values)
        except ValueError as error:
            raise ConfigError(f"{self.mission.id}: {error}") from None


def whole_number(value: Any) -> int | None:
    """Return a whole number of any integer type as an int; None for anything else (fractions, booleans, text)."""
    try:
        return None if isinstance(value, bool | np.bool_) else operator.index(value)
    except TypeError:
        return None


def check_seed(seed: Any) -> int:
    """Return a seed as an int.

    Raises:
        ConfigError: It is no whole number 0..2**64-1.
    """
    number = whole_number(seed)
    if number is None or not 0 <= number <= MOST_SEED:
        raise ConfigError(f"seed={seed!r}; expected a whole number 0..2**64-1")
    return number


def signed(seed: int) -> int:
    """Return a seed 0..2**64-1 as the signed 64-bit number of the same bits, which is what kernels take."""
    return seed - 2**64 if seed >= 2**63 else seed
