"""How kernels are compiled: one decorator, and a cache folder that an edited rule can never leave stale.

Numba's own cache looks at the file of the decorated function only, not at the files of the functions it calls.
So the cache folder is named by a hash of every source file that a game's kernels are compiled from; an edit moves it.
"""

from __future__ import annotations

import gc
import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.compiler_lock import global_compiler_lock
from platformdirs import user_cache_path

from broodmind.envs.core.linking import EntryCompiler, KernelCompiler, remembered_signatures

F = TypeVar("F", bound=Callable[..., Any])

ENVS = Path(__file__).resolve().parent.parent

WORDS_AND_PICTURES = {
    "describe.py",
    "describe_events.py",
    "dictionary.py",
    "draw.py",
    "draw_events.py",
    "explain.py",
    "explain_broods.py",
    "game.py",
    "palette.py",
    "possible.py",
    "text_board.py",
    "validate.py",
    "validate_decision.py",
}
"""Rooms of a game that no kernel is compiled from: editing them leaves compiled rules valid."""
CORE_KERNELS = {
    "bits.py",
    "bookkeeping.py",
    "borrowing.py",
    "compiled.py",
    "dice.py",
    "driven.py",
    "episodes.py",
    "linking.py",
    "log.py",
    "record.py",
}

INTERPRETED = bool(numba.config.DISABLE_JIT)
"""Whether NUMBA_DISABLE_JIT is set, so that kernels run as plain Python."""


@cache
def sources_hash(game: str = "") -> str:
    """Return a hash of every file that the kernels of a game (by default: of none) are compiled from."""
    core = [path for path in (ENVS / "core").rglob("*.py") if path.name in CORE_KERNELS]
    own = [
        path
        for path in (ENVS / game).rglob("*")
        if game and path.suffix in {".py", ".toml"} and path.name not in WORDS_AND_PICTURES
    ]
    digest = hashlib.sha256()
    for path in sorted(core + own):
        digest.update(path.relative_to(ENVS).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_folder(game: str = "") -> Path:
    """Return the folder of a game's compiled kernels for these sources (``BROODMIND_CACHE_DIR`` moves its parent)."""
    parent = os.environ.get("BROODMIND_CACHE_DIR")
    root = Path(parent) if parent else user_cache_path("broodmind", "broodmind")
    return root / "kernels" / f"{game or 'core'}-{sources_hash(game)[:16]}"


def _game_of(function: Callable[..., Any]) -> str:
    """Return the game that a function belongs to; "": to none."""
    path = Path(function.__code__.co_filename).resolve()
    room = path.relative_to(ENVS).parts[0] if path.is_relative_to(ENVS) else "core"
    return "" if room == "core" else room


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


def _compile_plainly(dispatcher: Any) -> None:
    """Compile without timers and cache: Numba's timers of nested compiles listen to each other's every event."""

    def compile_plainly(signature: Any) -> Any:
        args = tuple(signature)
        if args not in dispatcher.overloads:
            with global_compiler_lock, dispatcher._compiling_counter:
                dispatcher.add_overload(dispatcher._compiler.compile(args, None))
        return dispatcher.overloads[args].entry_point

    dispatcher.compile = compile_plainly


def _compile_swiftly(dispatcher: Any) -> None:
    """Compile an entry point, and the kernels below it, with the garbage collector off and signatures remembered.

    The collector finds nothing and takes a tenth of the time.
    """
    compile_as_numba_does = dispatcher.compile

    def compile_swiftly(signature: Any) -> Any:
        collecting = gc.isenabled()
        gc.disable()
        try:
            with global_compiler_lock, remembered_signatures():
                return compile_as_numba_does(signature)
        finally:
            if collecting:
                gc.enable()

    dispatcher.compile = compile_swiftly


def kernel(function: F) -> F:
    """Compile a function with Numba, without the GIL, to be called by kernels only.

    It is not cached and has no machine code of its own: see :mod:`broodmind.envs.core.linking`, and `entry` for
    functions that Python calls. With ``NUMBA_DISABLE_JIT=1`` the function is returned as it is, so that debuggers and
    coverage see it.
    """
    if INTERPRETED:
        return function
    dispatcher = numba.njit(
        nogil=True,
        error_model="numpy",
        no_cpython_wrapper=True,
        no_cfunc_wrapper=True,
        pipeline_class=KernelCompiler,
    )(function)
    _compile_once(dispatcher)
    _compile_plainly(dispatcher)
    return dispatcher


def entry(function: F) -> F:
    """Compile a function as `kernel` does, to be called from Python too, and cached in :func:`cache_folder`.

    Kernels that call it get it as a kernel: it is compiled as an entry point when Python calls it first.
    """
    return entry_of(_game_of(function), function)


def entry_of(game: str, function: F) -> F:
    """Compile an entry point into the cache folder of a game, wherever the function stands."""
    if INTERPRETED:
        return function
    # numba.config is global to the process: other people's kernels are not ours to move.
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(cache_folder(game))
    try:
        dispatcher: Any = numba.njit(
            cache=True,
            nogil=True,
            error_model="numpy",
            no_cfunc_wrapper=True,
            pipeline_class=EntryCompiler,
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    called_by_kernels: Any = kernel(function)
    dispatcher.get_call_template = called_by_kernels.get_call_template
    dispatcher.get_overload = called_by_kernels.get_overload
    _compile_swiftly(dispatcher)
    return dispatcher
