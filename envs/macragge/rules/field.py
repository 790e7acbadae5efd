"""The power field of mission 3: a square that no Genestealer's path or base centre may enter (MAC-M3.5, B23)."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge.tables import DEGREE

HALF = 9
"""The open square reaches 9 steps either side of the wreck that holds the core; its edge is free."""
NO_FIELD = 99
"""Stands for the offset of a field that is down, or too far away to matter."""
NEAR = HALF + 3
"""Within this of the centre along both axes, a detour round the field may need any turn."""


@kernel
def inside_field(x: int, y: int) -> bool:
    """Say whether a point, given from the field's centre, lies in the open square."""
    return -HALF < x and x < HALF and -HALF < y and y < HALF


@kernel
def crosses_field(x: int, y: int, vx: int, vy: int) -> bool:
    """Say whether the segment from (x, y) by (vx, vy), given from the field's centre, enters the open square.

    Along each axis the segment is inside for an open interval of its length; lengths are scaled by |vx vy|.
    """
    nx = max(abs(vx), 1)
    ny = max(abs(vy), 1)
    low = -1
    high = nx * ny + 1
    if vx == 0:
        if x <= -HALF or x >= HALF:
            return False
    else:
        at = x if vx > 0 else -x
        low = max(low, (-HALF - at) * ny)
        high = min(high, (HALF - at) * ny)
    if vy == 0:
        if y <= -HALF or y >= HALF:
            return False
    else:
        at = y if vy > 0 else -y
        low = max(low, (-HALF - at) * nx)
        high = min(high, (HALF - at) * nx)
    return low < high and low < nx * ny and high > 0


@kernel
def steps_into_field(t, x: int, y: int) -> int:
    """Return, as bits, which lattice steps from (x, y) enter the field; a bit more if it is near."""
    if x < -NEAR or x > NEAR or y < -NEAR or y > NEAR:
        return 0
    blocked = 1 << DEGREE
    for d in range(DEGREE):
        if crosses_field(x, y, t.step_x[d], t.step_y[d]):
            blocked |= 1 << d
    return blocked
