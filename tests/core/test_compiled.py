"""Kernels and entry points: who can call what, and that callers of both get the same numbers."""

import subprocess
import sys

import numpy as np
import pytest

from broodmind.envs.core import compiled
from broodmind.envs.core.borrowing import borrowed, scratch
from broodmind.envs.core.compiled import INTERPRETED, cache_folder, entry, kernel, sources_hash


@kernel
def _below(x):
    return x * 3


@kernel
def _between(x):
    return _below(x) + _below(2)


_new_table = scratch((2, 3), np.int16)


@kernel
def _last_of_table(values, x):
    table = _new_table()
    for row in range(2):
        for column in range(3):
            table[row, column] = values[0] + x * (3 * row + column)
    return table[1][2] + table.shape[0] * table[1].shape[0]


@entry
def _sum_of_tables(values):
    values = borrowed(values)
    total = 0
    for x in range(values.shape[0]):
        total += _last_of_table(values[x:], x)
    return total


@entry
def _triple(x):
    return _below(x)


@entry
def _sum_up(values):
    total = 0
    for i in range(values.shape[0]):
        total += _between(values[i]) + _triple(values[i])
    return total


def test_an_entry_point_links_all_kernels_below_it():
    assert _sum_up(np.array([1, 2, 3], np.int64)) == 3 * 6 + 3 * 6 + 3 * 6
    assert _triple(5) == 15


def test_borrowed_arrays_and_scratch_hold_the_numbers_of_ordinary_ones():
    values = np.arange(10, 15)
    assert _sum_of_tables(values) == sum(10 + x + 5 * x + 2 * 3 for x in range(5))
    assert sys.getrefcount(values) == 2  # nobody holds it any more


@pytest.mark.skipif(INTERPRETED, reason="kernels are plain functions when interpreted")
def test_a_kernel_has_no_machine_code_of_its_own():
    _sum_up(np.array([1], np.int64))
    (overload,) = _between.overloads.values()  # type: ignore[attr-defined]
    assert overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name) == 0


def test_an_edit_in_one_game_leaves_the_others_compiled(tmp_path, monkeypatch):
    for folder in ("core", "one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "dice.py").write_text("")
    (tmp_path / "one" / "describe.py").write_text("")
    monkeypatch.setattr(compiled, "ENVS", tmp_path)

    def hashes():
        sources_hash.cache_clear()
        return sources_hash("one"), sources_hash("two"), sources_hash()

    first = hashes()
    (tmp_path / "one" / "describe.py").write_text("# words")
    assert hashes() == first
    (tmp_path / "one" / "dice.py").write_text("# a rule")
    second = hashes()
    assert second[0] != first[0]
    assert second[1:] == first[1:]
    (tmp_path / "core" / "dice.py").write_text("# dice")
    assert all(new != old for new, old in zip(hashes(), second, strict=True))
    monkeypatch.undo()
    sources_hash.cache_clear()
    assert cache_folder("macragge") != cache_folder()


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_other_peoples_kernels_compile_as_numba_compiles_them():
    program = (
        "import broodmind, numba\n"
        "from broodmind.envs.core.dice import philox\n"
        "philox(1, 2, 3)\n"
        "f = numba.njit(lambda x: x + 1)\n"
        "assert f(1) == 2 and f(1.5) == 2.5\n"
        "from numba.core.codegen import JITCodeLibrary\n"
        "assert {type(c.library) for c in f.overloads.values()} == {JITCodeLibrary}\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
