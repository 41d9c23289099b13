"""The page on the architecture draws the packages that are there, on the floors that import-linter holds."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def drawn() -> list[set[str]]:
    """The packages of each line of the first drawing, from the top."""
    match = re.search(r"^```text\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert match is not None
    lines = [re.split(r"\s{3,}", line.strip())[0] for line in match[1].splitlines()]
    return [set(re.split(r"\s*[:|]\s*", line)) for line in lines]


def packages() -> set[str]:
    return {path.parent.name for path in (ROOT / "src" / "citemark").glob("*/__init__.py")}


def layers() -> list[set[str]]:
    """The packages of each layer of import-linter's contract, without single modules."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (found,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    named = [{part.strip().removeprefix("citemark.") for part in re.split(r"[:|]", line)} for line in found]
    return [here for layer in named if (here := layer & packages())]


def test_every_package_is_drawn_once() -> None:
    assert sorted(name for floor in drawn() for name in floor) == sorted(packages())


def test_the_floors_are_those_that_imports_obey() -> None:
    assert drawn() == layers()


def test_every_package_has_a_row_that_says_what_it_holds() -> None:
    rows = "\n".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", rows)) == packages()


def test_links_of_the_pages_for_contributors_lead_somewhere() -> None:
    pages = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "docs/architecture.md", "docs/glossary.md")]
    lost = [
        f"{page.name}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert lost == []


def test_the_glossary_holds_few_words() -> None:
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text("utf-8").splitlines() if line.startswith("| ")]
    assert len(rows) - 1 <= 15
