"""Writes the rules ledgers from their data and the tests: ``python docs/rules/generate.py``.

``docs/rules/<game>.toml`` says what each clause means and which functions apply it; its tests are found by their names.
``--check`` writes nothing and fails if a page is out of date; a test of each game does the same.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RULES = Path(__file__).resolve().parent
ROOT = RULES.parent.parent
NOTICE = (
    "<!-- Written by docs/rules/generate.py from {name}.toml and the tests: edit those, and run it again. -->"
)


def read_ledger(name: str) -> dict[str, Any]:
    """Return the data of a game's ledger.

    Args:
        name: The game (``"macragge"``).
    """
    with (RULES / f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def clause_of(test: str, prefix: str) -> str:
    """Return the clause that a test is named after, or "" if it is named after none.

    Args:
        test: Name of a test function: ``test_<prefix>_<clause>_<words>``, ``test_e01_<words>`` or ``test_p03_<words>``
            (edge cases, probabilities).
        prefix: The ledger's prefix (``"MAC"``).
    """
    found = re.match(
        rf"test_(?:{prefix.lower()}_(m\d+_\d+|[a-z]\d+|\d_\d|\d{{1,3}})|([ep]\d\d))_[a-z0-9]", test
    )
    if not found:
        return ""
    return (found[1] or found[2]).upper().replace("_", ".")


def named_clauses(docstring: str, prefix: str) -> list[str]:
    """Return the further clauses that a test's docstring names (``"MAZE-12, MAZE-61."``)."""
    return re.findall(rf"\b{prefix}-([A-Z]?\d+(?:\.\d+)?)\b", docstring)


def find_tests(ledger: dict[str, Any]) -> dict[str, list[str]]:
    """Return the tests of each clause as ``file.py::name``, and under "" those named after no clause.

    A test is one of the clause that its name begins with, and of those that its docstring names.
    """
    tests: dict[str, list[str]] = {}
    for path in sorted((ROOT / ledger["tests"]).glob("test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                clauses = [clause_of(node.name, ledger["prefix"])]
                clauses += named_clauses(ast.get_docstring(node) or "", ledger["prefix"])
                for clause in dict.fromkeys(clauses):
                    tests.setdefault(clause, []).append(f"{path.name}::{node.name}")
    return tests


def problems(ledger: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with a ledger: functions that do not exist, clauses without tests, tests without clause."""
    tests = find_tests(ledger)
    seen = set()
    for section in ledger["sections"]:
        for clause, _, functions in section["clauses"]:
            if clause in seen:
                yield f"clause {clause} is listed twice"
            seen.add(clause)
            if clause not in tests:
                yield f"clause {clause} has no test: name one test_{ledger['prefix'].lower()}_{clause.lower()}_..."
            for function in functions:
                module, _, attribute = function.rpartition(".")
                found = getattr(importlib.import_module(f"{ledger['package']}.{module}"), attribute, None)
                if not callable(found):
                    yield f"clause {clause} names {function}, which {ledger['package']} does not have"
    for clause, names in tests.items():
        if clause and clause not in seen:
            yield f"{names[0]} is named after clause {clause}, which is not listed"


def page(name: str) -> str:
    """Return the text of a game's page.

    Args:
        name: The game (``"macragge"``).
    """
    ledger = read_ledger(name)
    tests = find_tests(ledger)
    lines = [
        NOTICE.format(name=name),
        "",
        f"# Rules ledger: {ledger['title']}",
        "",
        ledger["introduction"].strip(),
        "",
    ]
    for section in ledger["sections"]:
        applied = any(functions for _, _, functions in section["clauses"])
        columns = ["clause", "says", *(["functions"] if applied else []), "tests"]
        lines += [f"## {section['title']}", "", row(columns), row(["---"] * len(columns))]
        for clause, says, functions in section["clauses"]:
            label = clause if clause[0] in "EP" else f"{ledger['prefix']}-{clause}"
            cells = [label, says.replace("|", "\\|")]
            if applied:
                cells.append("<br>".join(f"`{function}`" for function in functions))
            cells.append("<br>".join(link(ledger, test) for test in tests.get(clause, ())))
            lines.append(row(cells))
        lines.append("")
    return "\n".join(lines)


def row(cells: list[str]) -> str:
    """Return a line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def link(ledger: dict[str, Any], test: str) -> str:
    """Return a test as a link to its file."""
    file, _, name = test.partition("::")
    return f"[`{name}`](../../{ledger['tests']}/{file})"


def main() -> int:
    """Write the pages, or with ``--check`` say which are wrong."""
    parser = argparse.ArgumentParser(description="Write the rules ledgers.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of date")
    check = parser.parse_args().check
    failed = False
    for path in sorted(RULES.glob("*.toml")):
        wrong = list(problems(read_ledger(path.stem)))
        text, target = page(path.stem), path.with_suffix(".md")
        if check and (not target.exists() or target.read_text("utf-8") != text):
            wrong.append(f"docs/rules/{target.name} is out of date: run python docs/rules/generate.py")
        elif not check:
            target.write_text(text, "utf-8")
        failed = failed or bool(wrong)
        for sentence in wrong:
            print(f"{path.stem}: {sentence}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
