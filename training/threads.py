"""How PyTorch's threads wait for each other; call this before PyTorch is imported."""

from __future__ import annotations

import os


def yield_when_idle() -> None:
    """Let OpenMP's threads sleep while they wait, unless ``OMP_WAIT_POLICY`` says otherwise.

    PyTorch's threads meet hundreds of times per update. With OpenMP's default they spin on a core until the
    others arrive; as soon as anything else runs on the machine, each meeting then costs a whole time slice
    of the scheduler (measured: training more than 5 times slower on two cores shared with other work).
    OpenMP reads the variable when PyTorch is loaded, so commands call this first.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
