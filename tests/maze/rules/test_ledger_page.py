"""docs/rules/maze.md lists every clause of the ledger, and cannot drift from the code and the tests."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
CLAUSES = {
    *(str(k) for k in range(1, 170)),
    *(f"E{k:02}" for k in range(1, 49)),
    *(f"P{k:02}" for k in range(1, 16)),
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
    return generator.read_ledger("maze")


def listed(ledger: Any) -> set[str]:
    return {clause for section in ledger["sections"] for clause, _, _ in section["clauses"]}


def test_the_page_is_up_to_date(generator: Any) -> None:
    written = (ROOT / "docs" / "rules" / "maze.md").read_text("utf-8")
    assert written == generator.page("maze"), "run python docs/rules/generate.py"


def test_every_function_and_test_exists_and_every_clause_is_tested(generator: Any, ledger: Any) -> None:
    assert list(generator.problems(ledger)) == []


def test_every_clause_is_listed(ledger: Any) -> None:
    assert listed(ledger) == CLAUSES


def test_every_rule_test_is_named_after_a_clause(generator: Any, ledger: Any) -> None:
    unnamed = [test for test in generator.find_tests(ledger).get("", []) if "test_ledger_page" not in test]
    assert unnamed == []


def test_explanations_quote_listed_clauses_only(ledger: Any) -> None:
    text = (ROOT / "envs" / "maze" / "explain.py").read_text("utf-8")
    quoted = set(re.findall(r'"MAZE-(\d+)"', text))
    assert len(quoted) > 30
    assert quoted <= listed(ledger)
