"""Distances between discs, in whole steps (MAC-B1 to B11)."""

from __future__ import annotations

from broodmind.envs.core.compiled import entry, kernel

TABLE_SIZE = 96


@kernel
def square(ax: int, ay: int, bx: int, by: int) -> int:
    """Return the squared distance of two points (the ledger's d2)."""
    dx = int(ax) - int(bx)
    dy = int(ay) - int(by)
    return dx * dx + dy * dy


@kernel
def apart(a, b) -> int:
    """Return the squared distance of the centres of two models or pieces."""
    dx = int(a.x) - int(b.x)
    dy = int(a.y) - int(b.y)
    return dx * dx + dy * dy


@kernel
def overlaps(d2: int, radii: int) -> bool:
    """Say whether two discs at a squared distance overlap; `radii` is the sum of their radii (MAC-B3)."""
    return d2 < radii * radii


@kernel
def touches(d2: int, radii: int) -> bool:
    """Say whether two discs are in contact: a gap of less than a quarter inch, no overlap (MAC-B3)."""
    return radii * radii <= d2 and d2 <= radii * radii + radii


@kernel
def within_inches(d2: int, inches: int, radii: int) -> bool:
    """Say whether the gap between two discs is at most `inches` (MAC-B4)."""
    reach = 2 * inches + radii
    return d2 <= reach * reach


@entry
def on_table(x: int, y: int) -> bool:
    """Say whether a base centred there stays on the table (MAC-B1)."""
    return 1 <= x and x <= TABLE_SIZE - 1 and 1 <= y and y <= TABLE_SIZE - 1


LARGE_BLAST_COVERED = 16
LARGE_BLAST_TOUCHED = 36
SMALL_BLAST_COVERED = 4
SMALL_BLAST_TOUCHED = 16
"""Squared distances at which a base is covered or touched by the blast markers (MAC-B10)."""
