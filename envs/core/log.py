"""The event log as kernels see it: an int32 array whose row 0 counts the rows that follow."""

from __future__ import annotations

from broodmind.envs.core.compiled import kernel


@kernel
def emit(log, kind: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0) -> None:
    """Append an event; an empty log (batches) and a full one take nothing."""
    if log.shape[0] == 0:
        return
    row = log[0, 0] + 1
    if row >= log.shape[0]:
        log[0, 1] = 1  # overflow, so that readers can say so
        return
    log[0, 0] = row
    log[row, 0] = kind
    log[row, 1] = a
    log[row, 2] = b
    log[row, 3] = c
    log[row, 4] = d
    log[row, 5] = e
    log[row, 6] = f
