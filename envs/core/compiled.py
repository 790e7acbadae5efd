"""How kernels are compiled: one decorator, and a cache folder that an edited rule can never leave stale.

Numba's own cache looks at the file of the decorated function only, not at the files of the functions it calls.
So the cache folder is named by a hash of every source file of the environments; an edit moves the folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from platformdirs import user_cache_path

F = TypeVar("F", bound=Callable[..., Any])

ENVS = Path(__file__).resolve().parent.parent

WORDS_AND_PICTURES = {
    "describe.py",
    "dictionary.py",
    "draw.py",
    "draw_events.py",
    "explain.py",
    "explain_broods.py",
    "game.py",
    "palette.py",
    "text_board.py",
    "validate.py",
}
"""Rooms of a game that no kernel is compiled from: editing them leaves compiled rules valid."""
CORE_KERNELS = {"bookkeeping.py", "compiled.py", "dice.py", "episodes.py", "log.py", "record.py"}

INTERPRETED = bool(numba.config.DISABLE_JIT)
"""Whether NUMBA_DISABLE_JIT is set, so that kernels run as plain Python."""


@cache
def sources_hash() -> str:
    """Return a hash of every file that kernels are compiled from: the identity of the rules in force."""
    digest = hashlib.sha256()
    for path in sorted(p for p in ENVS.rglob("*") if p.suffix in {".py", ".toml"}):
        if path.name in (WORDS_AND_PICTURES if path.parent.name != "core" else ()):
            continue
        if path.parent.name == "core" and path.name not in CORE_KERNELS:
            continue
        digest.update(path.relative_to(ENVS).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def cache_folder() -> Path:
    """Return the folder of compiled kernels for these sources (``BROODMIND_CACHE_DIR`` moves its parent)."""
    parent = os.environ.get("BROODMIND_CACHE_DIR")
    root = Path(parent) if parent else user_cache_path("broodmind", "broodmind")
    return root / "kernels" / sources_hash()[:16]


def _widen(argument: Any) -> Any:
    """Return the type that a kernel is compiled for, for an argument type: no literals, no narrow integers."""
    argument = numba.types.unliteral(argument)
    if isinstance(argument, numba.types.Integer) and argument.signed:
        return numba.int64
    return argument


def _compile_once(dispatcher: Any) -> None:
    """Let calls from other kernels pass literals and narrow integers as 64-bit ones.

    Numba would compile a callee again for every literal and every width it is called with (`emit` 22 times), which more
    than doubles a cold compile.
    """
    resolve = dispatcher.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        return resolve(tuple(map(_widen, args)), {name: _widen(value) for name, value in kws.items()})

    dispatcher.get_call_template = get_call_template


def _compile(function: F, callable_from_python: bool) -> F:
    if INTERPRETED:
        return function
    # numba.config is global to the process: other people's kernels are not ours to move.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder())
    try:
        dispatcher = numba.njit(
            cache=True,
            nogil=True,
            error_model="numpy",
            no_cpython_wrapper=not callable_from_python,
            no_cfunc_wrapper=True,
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    _compile_once(dispatcher)
    return dispatcher


def kernel(function: F) -> F:
    """Compile a function with Numba, without the GIL, cached in :func:`cache_folder`, to be called by kernels only.

    Leaving out what a call from Python needs saves a fifth of a cold compile; see `entry` for functions that Python
    calls. With ``NUMBA_DISABLE_JIT=1`` the function is returned as it is, so that debuggers and coverage see it.
    """
    return _compile(function, callable_from_python=False)


def entry(function: F) -> F:
    """Compile a function as `kernel` does, to be called from Python too."""
    return _compile(function, callable_from_python=True)
