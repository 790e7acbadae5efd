"""Sets of small numbers as the bits of 64-bit words: going through those that are in, not through all."""

from __future__ import annotations

from typing import Any

from broodmind.envs.core.compiled import INTERPRETED, kernel

WORD = (1 << 64) - 1

if INTERPRETED:

    def lowest_bit(bits: int) -> int:
        """Return the position of the lowest bit set; `bits` is not 0."""
        word = int(bits) & WORD
        return (word & -word).bit_length() - 1

    def highest_bit(bits: int) -> int:
        """Return the position of the highest bit set; `bits` is not 0."""
        return (int(bits) & WORD).bit_length() - 1

    def without_lowest(bits: int) -> int:
        """Return a set without its lowest member: what a loop over the members goes on with."""
        word = int(bits) & WORD
        return word & (word - 1)

else:
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typing_context: Any, bits: Any) -> Any:
        """Return the position of the lowest bit set; `bits` is not 0."""

        def emit_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

        return types.int64(types.int64), emit_code

    @intrinsic  # type: ignore[untyped-decorator]
    def highest_bit(typing_context: Any, bits: Any) -> Any:
        """Return the position of the highest bit set; `bits` is not 0."""

        def emit_code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            zeros = builder.ctlz(arguments[0], context.get_constant(types.boolean, True))
            return builder.sub(context.get_constant(types.int64, 63), zeros)

        return types.int64(types.int64), emit_code

    @kernel
    def without_lowest(bits: int) -> int:
        """Return a set without its lowest member: what a loop over the members goes on with."""
        return bits & (bits - 1)


@kernel
def span(low: int, high: int) -> int:
    """Return the set of the numbers low..high, as far as they are within 0..62."""
    low = max(low, 0)
    high = min(high, 62)
    return (1 << (high + 1)) - (1 << low) if low <= high else 0
