"""The hand-written players of both seats."""

from __future__ import annotations

import numpy as np

from broodmind.envs.core.compiled import kernel
from broodmind.envs.core.dice import philox
from broodmind.envs.overkill.actions import ACTIONS
from broodmind.envs.overkill.legal import count_legal, fill_mask

SIZE = ACTIONS.size


@kernel
def choose(s, t, seed: int) -> int:
    """Return the choice of the hand-written player for the seat to act."""
    mask = np.zeros(SIZE, np.int8)
    fill_mask(s, t, mask)
    word, _ = philox(seed, 0, 0x4F4B)
    pick = (word * count_legal(mask)) >> 32
    for a in range(SIZE):
        if mask[a]:
            if pick == 0:
                return a
            pick -= 1
    return 0
