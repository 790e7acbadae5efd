"""docs/rules/overkill.md lists every clause of the ledger, and cannot drift from the code and the tests."""

from __future__ import annotations

import re

from ledger_page import ROOT, LedgerPage

from broodmind.envs.overkill import explain


class TestPage(LedgerPage):
    game = "overkill"
    clauses = frozenset(
        {
            *(
                f"{chapter}{k:02}"
                for chapter, last in zip("GBMLAD", (18, 9, 12, 6, 17, 18), strict=True)
                for k in range(1, last + 1)
            ),
            "K01",
            *(
                f"M{m}.{k}"
                for m, last in enumerate((4, 3, 7, 4, 6, 4, 4, 3, 6), 1)
                for k in range(1, last + 1)
            ),
            *(f"C{k:02}" for k in range(1, 9)),
            *(f"E{k:02}" for k in range(1, 64)),
            *(f"P{k:02}" for k in range(1, 21)),
        }
    )
    fewest_quoted = 21

    def quoted(self) -> set[str]:
        text = (ROOT / "envs" / "overkill" / "explain.py").read_text("utf-8")
        return (
            {clause for clause, _ in (*explain.CLAUSES.values(), *explain.ABILITY_CLAUSES.values())}
            | set(re.findall(r'return "([A-Z][0-9.]+)", ', text))
            | set(re.findall(r'"OVK-([A-Z0-9.]+)"', text))
        )
