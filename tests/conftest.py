"""Shared by all tests: the toy game, and quiet, single-threaded libraries.

``tests/`` is put on ``sys.path``, so that any test may write ``from toy.game import GAME`` (ids
``toy/race-v0`` and ``toy/bluff-v0``, see ``tests/toy/game.py``). The toy is registered here once, so that
``broodmind.make("toy/race-v0")`` works in every test. A test that starts another process sets ``PYTHONPATH``
to ``tests/`` there and calls ``toy.game.register_toy()`` itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

TESTS = Path(__file__).resolve().parent
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from toy.game import register_toy  # noqa: E402

register_toy()
