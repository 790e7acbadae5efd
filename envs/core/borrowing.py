"""Arrays that kernels do not count references to: those of their caller, and room on the stack.

Numba keeps an array alive by counting references, with an atomic operation wherever one is passed on. In a batch that
is a tenth of the time, and more where two threads count in the same cache line.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from broodmind.envs.core.compiled import INTERPRETED

if INTERPRETED:

    def borrowed(array: Any) -> Any:
        """Return an array as one whose references are not counted; the caller of the entry point keeps it alive."""
        return array

    def scratch(shape: tuple[int, ...], dtype: Any) -> Callable[[], Any]:
        """See below."""
        return lambda: np.zeros(shape, dtype)

else:
    from numba import from_dtype, types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def borrowed(typing_context: Any, array: Any) -> Any:
        """Return an array as one whose references are not counted; the caller of the entry point keeps it alive."""

        def emit_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            view = context.make_array(signature.return_type)(context, builder, arguments[0])
            view.meminfo = cgutils.get_null_value(view.meminfo.type)
            view.parent = cgutils.get_null_value(view.parent.type)
            return view._getvalue()

        return array(array), emit_code

    def scratch(shape: tuple[int, ...], dtype: Any) -> Callable[[], Any]:
        """Return a function that gives a kernel an array on its stack, to be filled and never returned.

        Args:
            shape: Its shape; a few kilobytes at most.
            dtype: Its numbers' type. They hold anything at first.
        """
        item = np.dtype(dtype)
        array = types.Array(from_dtype(item), len(shape), "C")
        strides = [item.itemsize * prod(shape[k + 1 :]) for k in range(len(shape))]

        @intrinsic  # type: ignore[untyped-decorator]
        def room(typing_context: Any) -> Any:
            def emit_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
                data = cgutils.alloca_once(builder, context.get_data_type(array.dtype), size=prod(shape))
                made = context.make_array(array)(context, builder)
                sizes = [
                    context.get_constant(types.intp, number) for number in (*shape, *strides, item.itemsize)
                ]
                context.populate_array(
                    made,
                    data=data,
                    shape=sizes[: len(shape)],
                    strides=sizes[len(shape) : -1],
                    itemsize=sizes[-1],
                    meminfo=None,
                )
                return made._getvalue()

            return array(), emit_code

        return room
