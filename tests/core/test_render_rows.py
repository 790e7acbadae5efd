"""Boxes in rows."""

from __future__ import annotations

import pytest

from broodmind.envs.core.render_rows import arrange


def test_boxes_share_a_row_in_a_wide_place_and_a_column_in_a_tall_one() -> None:
    boxes = [(4.0, 2.0), (3.0, 1.0)]
    wide = arrange(boxes, 4.0, gap=1.0)
    assert (wide.corners, wide.width, wide.height) == (((0, 0), (5, 1)), 8, 2)
    tall = arrange(boxes, 0.5, gap=1.0)
    assert (tall.corners, tall.width, tall.height) == (((0, 2), (0, 0)), 4, 4)


def test_boxes_never_overlap_and_lie_within() -> None:
    boxes = [(1.0 + k % 4, 1.0 + k % 3) for k in range(13)]
    for ratio in (0.3, 1.0, 3.0):
        rows = arrange(boxes, ratio, gap=0.25)
        placed = [(x, y, x + w, y + h) for (x, y), (w, h) in zip(rows.corners, boxes, strict=True)]
        assert min(box[0] for box in placed) == min(box[1] for box in placed) == 0
        assert max(box[2] for box in placed) == rows.width
        assert max(box[3] for box in placed) == rows.height
        for k, one in enumerate(placed):
            for other in placed[:k]:
                apart = max(one[0] - other[2], other[0] - one[2], one[1] - other[3], other[1] - one[3])
                assert apart >= 0.25 - 1e-9


@pytest.mark.parametrize(("boxes", "ratio"), [([], 1.0), ([(1.0, 1.0)], 0.0)])
def test_nothing_or_nowhere_is_refused(boxes: list[tuple[float, float]], ratio: float) -> None:
    with pytest.raises(ValueError, match="at least one box and a ratio above 0"):
        arrange(boxes, ratio)
