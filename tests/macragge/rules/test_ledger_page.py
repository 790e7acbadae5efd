"""docs/rules/macragge.md lists every clause of the ledger, and cannot drift from the code and the tests."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLAUSES = {
    *(f"B{k}" for k in (*range(1, 18), *range(20, 38), *range(40, 49), *range(50, 56))),
    *(f"M{m}.{k}" for m, last in enumerate((8, 6, 8, 9, 8, 9), 1) for k in range(1, last + 1)),
    *(f"C{k}" for k in range(1, 13)),
    *("2.1", "2.2", "2.3", "2.4", "3", "4"),
    *(f"E{k:02}" for k in range(1, 35)),
    *(f"P{k:02}" for k in range(1, 21)),
}


@pytest.fixture(scope="module")
def generator() -> Any:
    specification = importlib.util.spec_from_file_location(
        "rules_page", ROOT / "docs" / "rules" / "generate.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def ledger(generator: Any) -> Any:
    return generator.read_ledger("macragge")


def listed(ledger: Any) -> set[str]:
    return {clause for section in ledger["sections"] for clause, _, _ in section["clauses"]}


def test_the_page_is_up_to_date(generator: Any) -> None:
    written = (ROOT / "docs" / "rules" / "macragge.md").read_text("utf-8")
    assert written == generator.page("macragge"), "run python docs/rules/generate.py"


def test_every_function_and_test_exists_and_every_clause_is_tested(generator: Any, ledger: Any) -> None:
    assert list(generator.problems(ledger)) == []


def test_every_clause_is_listed(ledger: Any) -> None:
    assert listed(ledger) == CLAUSES


def test_every_rule_test_is_named_after_a_clause(generator: Any, ledger: Any) -> None:
    unnamed = [test for test in generator.find_tests(ledger).get("", []) if "test_ledger_page" not in test]
    assert unnamed == []


def test_explanations_quote_listed_clauses_only(ledger: Any) -> None:
    files = ("explain.py", "explain_broods.py")
    text = "".join((ROOT / "envs" / "macragge" / file).read_text("utf-8") for file in files)
    quoted = set(re.findall(r'"MAC-([A-Z0-9.]+)"', text))
    assert len(quoted) > 10
    assert quoted <= listed(ledger)


def test_a_drift_is_noticed(generator: Any, ledger: Any) -> None:
    broken = {
        **ledger,
        "sections": [{"title": "x", "clauses": [["B99", "nothing", ["turn.no_such_function"]]]}],
    }
    sentences = list(generator.problems(broken))
    assert any("B99 has no test" in sentence for sentence in sentences)
    assert any("turn.no_such_function" in sentence for sentence in sentences)
    assert any("which is not listed" in sentence for sentence in sentences)
