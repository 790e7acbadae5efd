"""Movement, templates and blasts against the slow oracle, exactly, on random crowded positions."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from macragge.rules import brute_force as oracle
from macragge.rules.scatter import crowded_squad, crowded_varras
from macragge.rules.table import CROSS, PASS, Table, dest, in_hand, mine, model, position, select

from broodmind.envs.core.compiled import INTERPRETED
from broodmind.envs.macragge.tables import BUDGET_PER_INCH, DESTS, REACH, SHADOWS, WINDOW, tables

SHARE = 8 if INTERPRETED else 1
"""Interpreted runs look at a part of the positions."""


def test_mac_b22_reach_of_varras_equals_brute_force() -> None:
    for seed in range(160 // SHARE):
        table = crowded_varras(Random(seed)).do(select(0))
        expected = oracle.cells(table.record, 0, 6, False)
        assert table.offered("DEST") == expected, f"seed {seed}"


def test_mac_b23_reach_of_the_squad_equals_brute_force() -> None:
    for seed in range(48 // SHARE):
        table = crowded_squad(Random(seed)).do(select(1))
        expected = {slot: oracle.cells(table.record, slot, 6, False) for slot in range(1, 6)}
        assert in_hand(table) == expected, f"seed {seed}"
        assert table.offered("DEST") == set().union(*expected.values())


def test_mac_b26_reach_when_crossing_equals_brute_force() -> None:
    for seed in range(48 // SHARE):
        rng = Random(seed)
        table = crowded_squad(rng).do(select(1))
        if CROSS not in table.env.legal_actions():
            continue
        dice = [rng.randint(1, 6), rng.randint(1, 6)]
        table.do(CROSS, dice=dice)
        expected = {slot: oracle.cells(table.record, slot, max(dice), True) for slot in range(1, 6)}
        assert in_hand(table) == expected, f"seed {seed}"
        assert table.offered("DEST") == set().union(*expected.values())


def plans_agree(table: Table, rng: Random, where: str) -> None:
    """March a few ways, each followed by a few edits, and compare every plan and every choice with the oracle."""
    starts = {slot: cell for slot in range(1, 6) if (cell := table.at(slot))}
    may = in_hand(table)
    before = table.env.save_state()
    for o in rng.sample(sorted(table.offered("DEST")), 6):
        table.env.load_state(before)
        expected = oracle.march(starts, may, o)
        table.do(dest(*o))
        edited: set[int] = set()
        while table.phase == "MOVE_EDIT":
            assert {slot: table.planned(slot) for slot in starts} == expected, (
                f"{where}, march {o}, edited {edited}"
            )
            choices = {s: oracle.edits(starts, may, expected, s) for s in starts if s not in edited}
            assert table.offered("MODEL") == {slot for slot, found in choices.items() if found}, (
                f"{where}, {o}"
            )
            slot = rng.choice(sorted(table.offered("MODEL")))
            table.do(model(slot))
            assert table.offered("DEST") == {(0, 0)} | choices[slot], f"{where}, march {o}, model {slot}"
            dx, dy = rng.choice(sorted(choices[slot]))
            expected[slot] = (expected[slot][0] + dx, expected[slot][1] + dy)
            assert oracle.components(expected) <= oracle.components(starts)
            edited.add(slot)
            table.do(dest(dx, dy))
            if rng.random() < 0.3 and table.phase == "MOVE_EDIT":
                table.do(PASS)
        assert {slot: table.at(slot) for slot in starts} == expected, f"{where}, march {o}"


@pytest.mark.parametrize("broken", [False, True])
def test_mac_b27_marches_and_edits_equal_brute_force(broken: bool) -> None:
    for seed in range(16 // SHARE):
        rng = Random(1000 * broken + seed)
        table = crowded_squad(rng, broken)
        table.do(select(1))
        plans_agree(table, rng, f"seed {seed}")


def test_mac_b28_edits_of_a_crossing_squad_equal_brute_force() -> None:
    for seed in range(16 // SHARE):
        rng = Random(2000 + seed)
        table = crowded_squad(rng).do(select(1))
        if CROSS in table.env.legal_actions():
            table.do(CROSS, dice=[rng.randint(1, 6), rng.randint(2, 6)])
        plans_agree(table, rng, f"seed {seed}")


# -- templates -----------------------------------------------------------------------------------------------------


def test_mac_b9_flame_table_equals_brute_force(lookup: Any) -> None:
    for i in range(16):
        touched = {
            (dx, dy)
            for dx in range(-18, 19)
            for dy in range(-18, 19)
            if int(lookup["flame"][dx + 18, dy + 18]) >> i & 1
        }
        everywhere = [(dx, dy) for dx in range(-22, 23) for dy in range(-22, 23)]
        assert touched == {o for o in everywhere if oracle.flame_touches((0, 0), i, o)}, f"direction {i}"


def test_mac_b34_flame_directions_equal_brute_force() -> None:
    asked = 0
    for seed in range(80 // SHARE):
        table = crowded_squad(Random(3000 + seed))
        expected = oracle.flame_directions(table.record)
        table.env.feed_dice([1] * 90)  # where there is no direction, the Tyranid turn begins at once
        table.env.step(PASS)
        if table.phase == "FLAME":
            asked += 1
            assert table.offered("DIR") == expected, f"seed {seed}"
        else:
            assert expected == set(), f"seed {seed}"
    assert asked > 10 // SHARE


def test_mac_b10_large_blast_equals_brute_force() -> None:
    for dx in range(-7, 8):
        for dy in range(-7, 8):
            far = dx * dx + dy * dy
            if far <= 6:
                continue  # in contact: it would have detonated before
            table = position(1, varras=(30, 48), mines={27: (30 + dx, 48 + dy)}).do(PASS)
            # Covered: the base (r 1) lies wholly within r 5; touched: the discs meet.
            dice = [2] if far <= (5 - 1) ** 2 else [4, 2] if far <= (5 + 1) ** 2 else []
            table.do(mine(27), dice=[4, 4, *dice])
            assert table.mines() == {}


def test_mac_b22_known_paths_round_one_thing_lead_back_to_the_start_past_it() -> None:
    table: Any = tables()[0]
    rng = np.random.default_rng(22)
    followed = 0
    while followed < 2000:
        square = int(rng.integers(SHADOWS))
        x = int(rng.integers(-WINDOW, WINDOW + 1))
        y = int(rng.integers(-WINDOW, WINDOW + 1))
        cell = int(rng.integers(DESTS))
        if table["last_step"][square, x + WINDOW, y + WINDOW, cell] < 0:
            continue
        at = (int(table["dest_x"][cell]), int(table["dest_y"][cell]))
        cost = 0
        while at != (0, 0):
            here = table["dest_index"][at[0] + REACH, at[1] + REACH]
            d = int(table["last_step"][square, x + WINDOW, y + WINDOW, here])
            assert d >= 0
            at = (at[0] - int(table["step_x"][d]), at[1] - int(table["step_y"][d]))
            off = (x - at[0] + 9, y - at[1] + 9)
            if 0 <= min(off) and max(off) <= 18:
                assert not (int(table["step_blocked"][square, off[0], off[1]]) >> d) & 1
            cost += int(table["step_cost"][d])
        assert cost <= 6 * BUDGET_PER_INCH
        followed += 1
