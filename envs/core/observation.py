"""The layout of an observation vector: named blocks of rows and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Block:
    """A block of the vector: `rows` rows with one number per feature, row after row.

    Args:
        name: The block's name.
        rows: How many rows (1 for globals).
        features: Name and meaning of each number of a row, with its scale.
        row_meaning: What a row is ("model slot", ...).
    """

    name: str
    rows: int
    features: Sequence[tuple[str, str]]
    row_meaning: str = ""

    @property
    def width(self) -> int:
        """Numbers per row."""
        return len(self.features)

    @property
    def size(self) -> int:
        """Numbers in the block."""
        return self.rows * self.width

    def column(self, feature: str) -> int:
        """Return the position of a feature within a row."""
        for index, (name, _) in enumerate(self.features):
            if name == feature:
                return index
        raise ValueError(f"block {self.name!r} has no feature {feature!r}")


@dataclass(frozen=True)
class ObservationLayout:
    """The blocks of an observation, one after another; kernels take their offsets from it."""

    blocks: Sequence[Block]
    offsets: dict[str, int] = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        offsets: dict[str, int] = {}
        total = 0
        for block in self.blocks:
            offsets[block.name] = total
            total += block.size
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "size", total)

    def column(self, name: str) -> int:
        """Return the position of a number in the vector, named ``"block.feature"``, in the first row of the block.

        Raises:
            KeyError: There is no such block.
            ValueError: The block has no such feature.
        """
        block, _, feature = name.partition(".")
        return self.offsets[block] + self[block].column(feature)

    def __getitem__(self, name: str) -> Block:
        for block in self.blocks:
            if block.name == name:
                return block
        raise KeyError(name)
