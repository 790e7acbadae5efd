"""docs/rules/macragge.md lists every clause of missions 1 and 2, and cannot drift from the code and the tests."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLAUSES = {
    *(f"B{k}" for k in (*range(1, 18), *range(20, 32), *range(34, 38), *range(50, 54))),
    *(f"M1.{k}" for k in range(1, 9)),
    *(f"M2.{k}" for k in range(1, 7)),
    *("C6", "C7", "2.1", "2.2", "2.3", "3", "4"),
    *(f"E{k:02}" for k in range(1, 15)),
    *("P03", "P04", "P05", "P13", "P18"),
} - {"B18", "B19"}


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


def test_every_clause_of_missions_1_and_2_is_listed(ledger: Any) -> None:
    assert listed(ledger) == CLAUSES


def test_every_rule_test_is_named_after_a_clause(generator: Any, ledger: Any) -> None:
    unnamed = [test for test in generator.find_tests(ledger).get("", []) if "test_ledger_page" not in test]
    assert unnamed == []


def test_explanations_quote_listed_clauses_only(ledger: Any) -> None:
    text = (ROOT / "envs" / "macragge" / "explain.py").read_text("utf-8")
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
