"""Compiler classes that leave the work on a kernel to the entry point which it ends up in.

Numba makes every compiled function a library of its own: it links in all that the function calls, optimises the whole
and emits machine code. A rule that is called only by other rules is thus optimised once for every caller above it, and
its own machine code is never run. Here a kernel stays a module of intermediate code, and an entry point links every
module below it, once, and is optimised as a whole. That halves a cold compile.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import compiler, compiler_machinery, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.types.functions import BaseFunction


def _all_below(libraries: list[JITCodeLibrary]) -> list[JITCodeLibrary]:
    """Return libraries and those that the unlinked ones among them need, each once, callees last."""
    found: dict[int, JITCodeLibrary] = {}
    waiting = list(reversed(libraries))
    while waiting:
        library = waiting.pop()
        if id(library) not in found:
            found[id(library)] = library
            if isinstance(library, KernelLibrary):
                waiting.extend(reversed(library.needed()))
    return list(found.values())


class KernelLibrary(JITCodeLibrary):
    """The intermediate code of one kernel, without what it calls."""

    def needed(self) -> list[JITCodeLibrary]:
        """Return the libraries that this one's code calls."""
        return list(self._linking_libraries)

    def _optimize_functions(self, ll_module) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Close the library: nothing is linked, optimised or made runnable here."""
        self._raise_if_finalized()
        self._final_module.verify()
        self._finalize_dynamic_globals()
        self._finalized = True


class EntryLibrary(JITCodeLibrary):
    """The code of an entry point and of every kernel below it."""

    def finalize(self) -> None:
        """Link all kernels below, then optimise and emit machine code as Numba does."""
        libraries = _all_below(self._linking_libraries)  # type: ignore[has-type]
        self._linking_libraries = libraries
        super().finalize()

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(typed_passes.NativeLowering):
    """Lower a function to a `KernelLibrary`, which other kernels can call."""

    _name = "kernel_lowering"

    def run_pass(self, state) -> bool:
        """Lower; then tell the target that calls of this function are calls into the library."""
        state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        changed: bool = super().run_pass(state)
        lowered = state["cr"]
        stand_in = _stand_in(lowered.fndesc, lowered.env, state.library)
        state.targetctx.insert_user_function(stand_in, lowered.fndesc, [state.library])
        state.reload_init.extend(state.library._reload_init)
        state["cr"] = lowered._replace(cfunc=stand_in)
        return changed


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class EntryLowering(typed_passes.NativeLowering):
    """Lower a function to an `EntryLibrary`."""

    _name = "entry_lowering"

    def run_pass(self, state) -> bool:
        """Lower into a library of the right class, which can be cached."""
        state.library = EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        changed: bool = super().run_pass(state)
        return changed


def _stand_in(fndesc, env, library):
    """Return the object that Numba files an overload under: never called, since Python cannot call a kernel."""
    from numba import _dynfunc

    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname, "", 0, env, (library,))


class _Passes(compiler_machinery.PassManager):
    """Numba's passes without its events, whose texts of argument types take a twentieth of a compile."""

    def _runPass(self, index, pss, internal_state) -> None:  # noqa: N802 (Numba's name)
        pss.analysis = self._analysis
        pss.run_initialization(internal_state)
        pss.run_pass(internal_state)
        pss.run_finalizer(internal_state)


_NOT_NEEDED = {
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.WithLifting,
}
"""Passes for what kernels never hold: closures, comprehensions, array expressions, contexts, exceptions."""


class _Compiler(compiler.CompilerBase):
    lowering: type[typed_passes.NativeLowering]

    def define_pipelines(self):
        """Return Numba's pipeline with our lowering in the place of its own."""
        passes = _Passes("kernel")
        for one, why in compiler.DefaultPassBuilder.define_nopython_pipeline(self.state).passes:
            if one not in _NOT_NEEDED:
                passes.add_pass(self.lowering if one is typed_passes.NativeLowering else one, why)
        passes.finalize()
        return [passes]


@contextmanager
def remembered_signatures() -> Iterator[None]:
    """Resolve each call of a built-in function (an addition, an item) once per argument types while this is open."""
    resolve = BaseFunction.get_call_type
    known: dict[Any, Any] = {}

    def get_call_type(self, context, args, kws):
        key = (self, args, tuple(kws.items()))
        if key not in known:
            known[key] = resolve(self, context, args, kws)
        return known[key]

    patched: Any = BaseFunction
    patched.get_call_type = get_call_type
    try:
        yield
    finally:
        patched.get_call_type = resolve


class KernelCompiler(_Compiler):
    """Compiles functions that only kernels call."""

    lowering = KernelLowering


class EntryCompiler(_Compiler):
    """Compiles functions that Python calls."""

    lowering = EntryLowering
