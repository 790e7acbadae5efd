"""Distances on many boards at once, in NumPy: what layouts are checked with."""

from __future__ import annotations

from typing import Any

import numpy as np

from broodmind.envs.macragge import state as st

TOUCHING = (4, 5, 6)
"""Squared distances of two bases in contact; a lattice has none of 6."""
COHERENT = 36


def xy(things: Any) -> Any:
    """Return centres as an array (games, things, 2)."""
    return np.stack([things["x"], things["y"]], axis=-1).astype(np.int32)


def d2(a: Any, b: Any) -> Any:
    """Return squared distances along the last axis."""
    return ((a - b) ** 2).sum(axis=-1)


def between(a: Any, b: Any) -> Any:
    """Return the squared distances from each of `a` to each of `b`, shape (games, a, b)."""
    return d2(a[:, :, None], b[:, None])


def pairs(points: Any) -> Any:
    """Return the squared distances of all pairs, shape (games, pairs)."""
    i, j = np.triu_indices(points.shape[1], 1)
    return d2(points[:, i], points[:, j])


def touch(far: Any, radii: Any) -> Any:
    """Say of squared distances whether they are contact: R² <= d2 <= R² + R (MAC-B3)."""
    radii = np.asarray(radii, np.int32)
    return (far >= radii**2) & (far <= radii**2 + radii)


def is_one_chain(points: Any) -> Any:
    """Say of each game whether its points, shape (games, points, 2), are one chain of coherent pairs (MAC-B20)."""
    linked = between(points, points) <= COHERENT
    for _ in range(points.shape[1]):
        linked = (linked[:, :, :, None] & linked[:, None]).any(axis=2)
    return linked.all(axis=(1, 2))


def present(games: Any) -> tuple[Any, Any]:
    """Return which models and which pieces are on the table, each shape (games, things)."""
    return games["models"]["status"] == st.STATUS_TABLE, games["pieces"]["kind"] != st.PIECE_NONE


def placed_mines(games: Any) -> tuple[Any, Any]:
    """Return slots and centres of the mines on the table, of which every game must have as many as the first."""
    on_table = games["models"]["status"][:, st.FIRST_MINE :] == st.STATUS_TABLE
    count = int(on_table[0].sum())
    assert (on_table.sum(axis=1) == count).all()
    slots = st.FIRST_MINE + np.nonzero(on_table)[1].reshape(len(games), count)
    return slots, np.take_along_axis(xy(games["models"]), slots[:, :, None], axis=1)
