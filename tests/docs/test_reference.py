"""The generated pages say what the code says, and the hand-written ones name what exists."""

from __future__ import annotations

import importlib.util
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from broodmind.envs.core.observation import ObservationLayout
from broodmind.scripts.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "checkpoints" / "README.md"]
)
WRITTEN = ("environments.md", "observation.md", "actions.md")


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(generate: ModuleType) -> dict[str, str]:
    return dict(generate.pages(generate.built_in_games()))


@pytest.mark.parametrize("name", WRITTEN)
def test_the_reference_is_up_to_date(pages: dict[str, str], name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == pages[name], f"docs/{name} is out of date: run python docs/generate.py"


def test_every_page_is_checked(pages: dict[str, str]) -> None:
    assert set(pages) == set(WRITTEN)


def test_a_changed_feature_changes_the_page(
    generate: ModuleType, pages: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    games = generate.built_in_games()
    first, *others = games[0].observation.blocks
    (name, _), *features = first.features
    changed = ObservationLayout([replace(first, features=((name, "another meaning"), *features)), *others])
    monkeypatch.setattr(type(games[0]), "observation", changed)
    assert "another meaning" in generate.pages(games)["observation.md"]
    assert generate.pages(games)["observation.md"] != pages["observation.md"]


def test_an_environment_without_notes_is_refused(
    generate: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = generate.built_in_games()[0]
    added = replace(game.missions[0], id=f"{game.name}/new-mission-v0")
    monkeypatch.setattr(type(game), "missions", (*game.missions, added))
    with pytest.raises(ValueError, match="new-mission-v0"):
        generate.read_notes(game)


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)\s]+)\)", text) + re.findall(r"""(?:src|href)=["']([^"']+)["']""", text)
    for target in targets:
        path, _, _ = target.partition("#")
        if path and "://" not in path:
            assert (page.parent / path).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_in_the_pages_exist(page: Path) -> None:
    """Every ``broodmind COMMAND --option`` of a page names a sub-command and options that it has."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    runner = CliRunner()
    for command, rest in re.findall(r"(?:^|[\s`/])broodmind ([a-z]+)\b([^\n`]*)", "\n".join(code(text))):
        found = runner.invoke(app, [command, "--help"], env={"COLUMNS": "300", "TERM": "dumb"})
        assert found.exit_code == 0, f"{page.name}: no command broodmind {command}"
        for option in re.findall(r"(?<=\s)--[a-z][a-z-]*", rest.split("#")[0]):
            assert option in found.output, f"{page.name}: broodmind {command} has no {option}"


README_EXAMPLES = re.findall(
    r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize("number", range(len(README_EXAMPLES)))
def test_the_examples_of_the_readme_run(number: int) -> None:
    exec(compile(README_EXAMPLES[number], f"README.md, example {number + 1}", "exec"), {})


def test_the_api_fits_in_thirty_lines() -> None:
    assert len([line for line in README_EXAMPLES[0].splitlines() if line.strip()]) <= 30


def code(text: str) -> list[str]:
    """Return the code of a page: fenced and indented blocks, and what stands in backticks."""
    fenced = re.findall(r"^```[a-z]*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^```[a-z]*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [*fenced, *re.findall(r"^ {4}.*$", rest, re.MULTILINE), *re.findall(r"`([^`\n]+)`", rest)]
