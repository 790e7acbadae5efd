"""Sets of DEST offsets, as bits in seven words: see `tables`."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.borrowing import scratch
from broodmind.envs.core.compiled import kernel
from broodmind.envs.macragge import state as st

WORDS = st.CELL_WORDS
new_cells = scratch((WORDS,), np.int64)
"""Room for a set of DEST offsets."""


@kernel
def empty(cells) -> None:
    """Take all offsets out of a set."""
    for w in range(WORDS):
        cells[w] = 0


@kernel
def limit_to_table(t, x: int, y: int, cells) -> None:
    """Take out the offsets that would leave the table (MAC-B1)."""
    for w in range(WORDS):
        if x < 13:
            cells[w] &= t.east_of[13 - x, w]
        if x > 83:
            cells[w] &= t.west_of[107 - x, w]
        if y < 13:
            cells[w] &= t.north_of[13 - y, w]
        if y > 83:
            cells[w] &= t.south_of[107 - y, w]
