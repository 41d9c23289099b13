"""The page on the architecture draws the packages that are there, on the floors that import-linter holds."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from citemark.app.features import FEATURES

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


def contracts(kind: str) -> list[dict[str, Any]]:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [contract for contract in found if contract["type"] == kind]


def layers() -> list[set[str]]:
    """The names of each layer of import-linter's contract."""
    (found,) = (contract for contract in contracts("layers") if contract["containers"] == ["citemark"])
    assert found["exhaustive"] is True
    return [{part.strip() for part in re.split(r"[:|]", line)} for line in found["layers"]]


def layers_of_packages() -> list[set[str]]:
    """The packages of each layer, without single modules."""
    return [here for layer in layers() if (here := layer & packages())]


def test_every_package_is_drawn_once() -> None:
    assert sorted(name for floor in drawn() for name in floor) == sorted(packages())


def test_the_drawn_layers_are_those_that_imports_obey() -> None:
    assert drawn() == layers_of_packages()


def test_every_package_has_a_row_that_says_what_it_holds() -> None:
    rows = "\n".join(line.split("|")[1] for line in PAGE.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", rows)) == packages()


def test_the_page_names_every_module_that_stands_alone() -> None:
    alone = {name for layer in layers() for name in layer} - packages()
    (said,) = re.findall(r"^The single modules.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert set(re.findall(r"`(\w+)`", said)) - packages() == alone


def test_imports_go_in_circles_nowhere() -> None:
    (found,) = contracts("acyclic_siblings")
    assert (found["ancestors"], "skip_descendants" in found, "ignore_imports" in found) == (["citemark"], False, False)


@pytest.mark.requirement("features-are-contributions")
def test_every_feature_is_protected_from_imports_and_listed_once() -> None:
    protected = {name for contract in contracts("protected") for name in contract["protected_modules"]}
    declared = {path.parent.name for path in (ROOT / "src" / "citemark" / "features").glob("*/declaration.py")}
    # A feature in a folder of its own needs no line of its own there; those with modules elsewhere list them.
    assert "citemark.features.*" in protected
    assert len(FEATURES) == len(declared)
    assert len({feature.name for feature in FEATURES}) == len(FEATURES)


@pytest.mark.requirement("no-import-of-a-feature")
def test_only_the_list_of_features_and_a_feature_itself_import_it() -> None:
    for contract in contracts("protected"):
        assert "ignore_imports" not in contract, contract["name"]
        others = set(contract["allowed_importers"]) - set(contract["protected_modules"])
        assert others == {"citemark.app.features"}, contract["name"]


@pytest.mark.requirement("a-source-needs-two-files-outside-its-folder")
def test_the_list_of_features_is_the_only_code_outside_its_folder_that_knows_a_kind_of_source() -> None:
    naming = [
        path.relative_to(ROOT).as_posix()
        for path in (*(ROOT / "src").rglob("*.py"), ROOT / "pyproject.toml")
        if "features/maildir/" not in path.as_posix()
        and re.search(r"features\.maildir|[\"']maildir[\"']", path.read_text("utf-8"))
    ]
    assert naming == ["src/citemark/app/features.py"]


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
