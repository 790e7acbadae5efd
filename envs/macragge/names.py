"""What groups, models, cells and directions are called, in the action table, pictures and sentences.

Pure Python, so that naming an action never waits for Numba. Names are unique within each verb, and stable:
they are part of the interface of an environment version (``parse_action`` reads them back).
"""

from __future__ import annotations

from math import atan2, pi

STEP_INCHES = 0.5
"""One step of the lattice, in inches."""

DEST_REACH = 12
"""Farthest offset of a DEST, in steps (6 inches)."""

DEST_OFFSETS: tuple[tuple[int, int], ...] = tuple(
    sorted(
        (
            (dx, dy)
            for dx in range(-DEST_REACH, DEST_REACH + 1)
            for dy in range(-DEST_REACH, DEST_REACH + 1)
            if dx * dx + dy * dy <= DEST_REACH * DEST_REACH
        ),
        key=lambda offset: (offset[0] ** 2 + offset[1] ** 2, offset[1], offset[0]),
    )
)
"""The 441 offsets (dx, dy) of DEST in the order of the action table: nearest first; index 0 is (0, 0)."""

LANE_COUNT = 31

DIRECTIONS: tuple[str, ...] = (
    "east",
    "east-north-east",
    "north-east",
    "north-north-east",
    "north",
    "north-north-west",
    "north-west",
    "west-north-west",
    "west",
    "west-south-west",
    "south-west",
    "south-south-west",
    "south",
    "south-south-east",
    "south-east",
    "east-south-east",
)
"""The 16 directions, counter-clockwise from east (MAC-B8)."""

MISSIONS: tuple[str, ...] = (
    "crash-site",
    "rescue-varras",
    "fusion-core",
    "xeno-tide",
    "reinforcements",
    "purge-the-xenos",
)
"""The missions 1..6, as environment ids spell them."""

MISSION_TITLES: tuple[str, ...] = (
    "Escape the Crash Site",
    "Rescue Varras",
    "Disarm the Fusion Core",
    "The Incessant Xeno Tide",
    "Reinforcements",
    "Purge the Xenos",
)

MISSILES: tuple[str, ...] = ("frag", "krak")

MINE_TYPES: tuple[str, ...] = ("explosive", "acid", "poison")

MODELS: tuple[str, ...] = (
    "Varras",
    "Octavian",
    "flamer",
    *(f"bolter {k}" for k in range(1, 4)),
    "missile launcher",
    *(f"bolter {k}" for k in range(4, 8)),
    *(f"Genestealer {k}" for k in range(1, 7)),
    *(f"Termagant {k}" for k in range(1, 11)),
    *(f"mine {k}" for k in range(1, 9)),
)
"""The 35 model slots by name."""

GROUPS: tuple[str, ...] = (
    "Varras",
    "Squad Octavian",
    "Squad Atreus",
    *(f"Genestealers {letter}" for letter in "ABCDE"),
    *(f"Termagants {letter}" for letter in "ABCDEFG"),
    "Genestealer nest",
    "Termagant nest",
    *(f"mine {k}" for k in range(1, 9)),
    *(f"marker K{k}" for k in range(3)),
    "hive node",
    *(f"projector P{k}" for k in range(4)),
    *(f"wreck W{k}" for k in range(5)),
)
"""The 38 groups and targets by name: 28 groups of models, then node, projectors and wrecks."""

PIECES: tuple[str, ...] = (
    *(f"wreck W{k}" for k in range(5)),
    *(f"marker K{k}" for k in range(3)),
    "hive node",
    *(f"projector P{k}" for k in range(4)),
    "beacon",
)
"""The 14 pieces by name."""


def _pick(names: tuple[str, ...], index: int, what: str) -> str:
    if not 0 <= index < len(names):
        raise ValueError(f"{what} {index} does not exist: expected 0..{len(names) - 1}")
    return names[index]


def group_name(g: int) -> str:
    """Name a group or target 0..37 (the argument of SELECT and TARGET).

    Raises:
        ValueError: There is no such group.
    """
    return _pick(GROUPS, g, "group")


def model_name(slot: int) -> str:
    """Name a model by its slot 0..34 (the argument of MODEL).

    Raises:
        ValueError: There is no such slot.
    """
    return _pick(MODELS, slot, "model slot")


def piece_name(piece: int) -> str:
    """Name a piece 0..13.

    Raises:
        ValueError: There is no such piece.
    """
    return _pick(PIECES, piece, "piece")


def dest_name(index: int) -> str:
    """Name an offset 0..440 in steps, east first (``"+3,-2"``; the argument of DEST).

    Raises:
        ValueError: There is no such offset.
    """
    if not 0 <= index < len(DEST_OFFSETS):
        raise ValueError(f"offset {index} does not exist: expected 0..{len(DEST_OFFSETS) - 1}")
    dx, dy = DEST_OFFSETS[index]
    return f"{dx:+d},{dy:+d}"


def direction_name(i: int) -> str:
    """Name a direction 0..15, counter-clockwise from east (the argument of DIR).

    Raises:
        ValueError: There is no such direction.
    """
    return _pick(DIRECTIONS, i, "direction")


def lane_name(k: int) -> str:
    """Name a lane 0..30 by how far it leads north, in steps (``"-15"`` .. ``"+15"``; the argument of LANE).

    Raises:
        ValueError: There is no such lane.
    """
    if not 0 <= k < LANE_COUNT:
        raise ValueError(f"lane {k} does not exist: expected 0..{LANE_COUNT - 1}")
    return f"{k - LANE_COUNT // 2:+d}"


def missile_name(k: int) -> str:
    """Name a missile 0..1 (the argument of MISSILE).

    Raises:
        ValueError: There is no such missile.
    """
    return _pick(MISSILES, k, "missile")


def spawn_name(k: int) -> str:
    """Name a mine type 0..2 (the argument of SPAWN).

    Raises:
        ValueError: There is no such type.
    """
    return _pick(MINE_TYPES, k, "mine type")


def bearing_name(dx: float, dy: float) -> str:
    """Name the compass direction, of 16, nearest to an offset; ``"nowhere"`` for none."""
    if dx == 0 and dy == 0:
        return "nowhere"
    return DIRECTIONS[round(atan2(dy, dx) / (pi / 8)) % 16]


def inches(steps: float) -> str:
    """Say a length, given in steps, in inches to the nearest tenth (``"5.5 inches"``)."""
    value = round(steps * STEP_INCHES, 1)
    text = f"{value:.1f}".removesuffix(".0")
    return f"{text} inch" if text == "1" else f"{text} inches"
