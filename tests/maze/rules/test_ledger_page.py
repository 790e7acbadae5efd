"""docs/rules/maze.md lists every clause of the ledger, and cannot drift from the code and the tests."""

from __future__ import annotations

import re

from ledger_page import ROOT, LedgerPage


class TestPage(LedgerPage):
    game = "maze"
    clauses = frozenset(
        {
            *(str(k) for k in range(1, 170)),
            *(f"E{k:02}" for k in range(1, 49)),
            *(f"P{k:02}" for k in range(1, 16)),
        }
    )
    fewest_quoted = 31

    def quoted(self) -> set[str]:
        text = (ROOT / "envs" / "maze" / "explain.py").read_text("utf-8")
        return set(re.findall(r'"MAZE-(\d+)"', text))
