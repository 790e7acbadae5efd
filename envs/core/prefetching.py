"""Asking for memory before it is needed: the next game of a batch, while this one is played."""

from __future__ import annotations

from typing import Any

from broodmind.envs.core.compiled import INTERPRETED, kernel

CACHE_LINE = 64
"""Bytes that the memory hands over at once."""

if INTERPRETED:

    def prefetch_line(array: Any, offset: int) -> None:
        """See below; there is nothing to gain without a compiler."""

else:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def prefetch_line(typing_context: Any, array: Any, offset: Any) -> Any:
        """Ask for the cache line that lies a number of bytes into an array, to be written to soon."""

        def emit_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(signature.args[0])(context, builder, arguments[0])
            byte = ir.IntType(8).as_pointer()
            number = ir.IntType(32)
            prefetch = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(ir.VoidType(), [byte, number, number, number]),
                "llvm.prefetch.p0",
            )
            line = builder.gep(builder.bitcast(view.data, byte), [arguments[1]])
            to_write, kept, data = number(1), number(3), number(1)
            builder.call(prefetch, [line, to_write, kept, data])
            return context.get_dummy_value()

        return types.none(array, types.intp), emit_code


@kernel
def prefetch_row(array, i: int) -> None:
    """Ask for row `i` of an array, to be in the cache by the time that it is written to."""
    size = array.strides[0]
    for offset in range(i * size, (i + 1) * size, CACHE_LINE):
        prefetch_line(array, offset)
