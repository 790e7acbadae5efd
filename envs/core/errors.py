"""Typed exceptions: each message says what was wrong, what was expected and how to mend it."""

from __future__ import annotations


class BroodmindError(Exception):
    """Base of every error that broodmind raises on bad input."""


class UnknownEnvironmentError(BroodmindError, KeyError):
    """No environment has that id; the message suggests the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


class IllegalActionError(BroodmindError, ValueError):
    """The action is not legal now. Nothing was changed.

    Attributes:
        action: The refused action.
        clause: The ledger clause that forbids it.
    """

    def __init__(self, message: str, action: int = -1, clause: str = "") -> None:
        super().__init__(message)
        self.action = action
        self.clause = clause


class EpisodeOverError(BroodmindError, RuntimeError):
    """An action was given after the end of the episode."""


class StateError(BroodmindError, ValueError):
    """A state (bytes, dictionary or options) is not a legal position of this environment."""


class UnplannedRollError(BroodmindError, RuntimeError):
    """A die was rolled with an empty dice queue in strict mode. The state is as before the action.

    Attributes:
        die: What was wanted: n for a die that shows 1..n, -n for 0..n-1, 1 for a choice that is planned by number or
            name; 0 if the roll was planned, but is none that there can be.
    """

    def __init__(self, message: str, die: int = 0) -> None:
        super().__init__(message)
        self.die = die


class CheckpointError(BroodmindError, ValueError):
    """A checkpoint is damaged, foreign or of another version."""


class ReplayError(BroodmindError, ValueError):
    """A replay file is damaged or foreign."""


class PolicySpecError(BroodmindError, ValueError):
    """A policy spec (``random``, ``search:100``, ...) cannot be read."""


class ConfigError(BroodmindError, ValueError):
    """A configuration file or option is malformed."""
