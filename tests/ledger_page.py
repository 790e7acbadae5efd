"""What holds of every game's page of rules, docs/rules/<game>.md: each game's test says which clauses there are."""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]


def listed(ledger: Any) -> set[str]:
    """Return the clauses of a ledger."""
    return {clause for section in ledger["sections"] for clause, _, _ in section["clauses"]}


class LedgerPage(ABC):
    """Tests of a page that lists every clause, and cannot drift from the code and the tests."""

    game: str
    clauses: frozenset[str]
    fewest_quoted: int
    """Explanations quote at least so many different clauses."""

    @abstractmethod
    def quoted(self) -> set[str]:
        """Return the clauses that explanations quote."""

    @pytest.fixture
    def generator(self) -> Any:
        specification = importlib.util.spec_from_file_location(
            "rules_page", ROOT / "docs" / "rules" / "generate.py"
        )
        assert specification is not None
        assert specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module

    @pytest.fixture
    def ledger(self, generator: Any) -> Any:
        return generator.read_ledger(self.game)

    def test_the_page_is_up_to_date(self, generator: Any) -> None:
        written = (ROOT / "docs" / "rules" / f"{self.game}.md").read_text("utf-8")
        assert written == generator.page(self.game), "run python docs/rules/generate.py"

    def test_every_function_and_test_exists_and_every_clause_is_tested(
        self, generator: Any, ledger: Any
    ) -> None:
        assert list(generator.problems(ledger)) == []

    def test_every_clause_is_listed(self, ledger: Any) -> None:
        assert listed(ledger) == self.clauses

    def test_every_rule_test_is_named_after_a_clause(self, generator: Any, ledger: Any) -> None:
        unnamed = [
            test for test in generator.find_tests(ledger).get("", []) if "test_ledger_page" not in test
        ]
        assert unnamed == []

    def test_explanations_quote_listed_clauses_only(self, ledger: Any) -> None:
        quoted = self.quoted()
        assert len(quoted) >= self.fewest_quoted
        assert quoted <= listed(ledger)

    def test_a_drift_is_noticed(self, generator: Any, ledger: Any) -> None:
        broken = {
            **ledger,
            "sections": [{"title": "x", "clauses": [["B99", "nothing", ["turn.no_such_function"]]]}],
        }
        sentences = list(generator.problems(broken))
        assert any("B99 has no test" in sentence for sentence in sentences)
        assert any("turn.no_such_function" in sentence for sentence in sentences)
        assert any("which is not listed" in sentence for sentence in sentences)
