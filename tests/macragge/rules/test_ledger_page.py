"""docs/rules/macragge.md lists every clause of the ledger, and cannot drift from the code and the tests."""

from __future__ import annotations

import re

from ledger_page import ROOT, LedgerPage


class TestPage(LedgerPage):
    game = "macragge"
    clauses = frozenset(
        {
            *(f"B{k}" for k in (*range(1, 18), *range(20, 38), *range(40, 49), *range(50, 56))),
            *(f"M{m}.{k}" for m, last in enumerate((8, 6, 8, 9, 8, 9), 1) for k in range(1, last + 1)),
            *(f"C{k}" for k in range(1, 13)),
            *("2.1", "2.2", "2.3", "2.4", "3", "4"),
            *(f"E{k:02}" for k in range(1, 35)),
            *(f"P{k:02}" for k in range(1, 21)),
        }
    )
    fewest_quoted = 11

    def quoted(self) -> set[str]:
        files = ("explain.py", "explain_broods.py")
        text = "".join((ROOT / "envs" / "macragge" / file).read_text("utf-8") for file in files)
        return set(re.findall(r'"MAC-([A-Z0-9.]+)"', text))
