"""Python may call compiled functions that are entries only: without its wrapper, a kernel would crash the process."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("envs", "agents", "training", "scripts", "docs", "tests")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def functions(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, set[str]]]:
    """Yield every function with the names of its decorators."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node, {one.id for one in node.decorator_list if isinstance(one, ast.Name)}


@cache
def kernels() -> dict[str, str]:
    """Return module and name (``"broodmind.envs.core.log.emit"``) of every kernel that is no entry."""
    found: dict[str, str] = {}
    for path in FILES:
        module = ".".join(("broodmind", *path.relative_to(ROOT).with_suffix("").parts))
        for function, decorators in functions(ast.parse(path.read_text(encoding="utf-8"))):
            if "kernel" in decorators:
                found[f"{module}.{function.name}"] = function.name
    return found


def meanings(tree: ast.AST, module: str) -> dict[str, str]:
    """Return what the imported names of a module, and its own functions, are in full."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = f"{module}.{node.name}"
    return names


def called(node: ast.Call, names: dict[str, str]) -> str:
    """Return the full name of what a call calls, as far as it can be told."""
    if isinstance(node.func, ast.Name):
        return names.get(node.func.id, "")
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        return f"{names.get(node.func.value.id, '')}.{node.func.attr}"
    return ""


def calls_from_python(path: Path, known: dict[str, str]) -> Iterator[str]:
    """Yield a line per call of a kernel by a function that is not compiled itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = meanings(tree, ".".join(("broodmind", *path.relative_to(ROOT).with_suffix("").parts)))
    for function, decorators in functions(tree):
        if decorators & {"kernel", "entry", "template"}:
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and called(node, names) in known:
                yield f"{path.relative_to(ROOT)}:{node.lineno} {function.name} calls {called(node, names)}"


def test_there_are_kernels_to_look_for() -> None:
    assert "broodmind.envs.core.log.emit" in kernels()


@pytest.mark.parametrize("folder", FOLDERS)
def test_python_calls_entries_only(folder: str) -> None:
    known = kernels()
    found = [
        line
        for path in FILES
        if path.is_relative_to(ROOT / folder)
        for line in calls_from_python(path, known)
    ]
    assert not found, "decorate these with @entry, or let tests use inspect.unwrap:\n" + "\n".join(found)
