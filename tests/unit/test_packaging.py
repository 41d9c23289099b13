"""What package indexes and installers are told about the four packages."""

import re
import tomllib
from importlib import util
from pathlib import Path
from typing import Any

import pytest

from citemark import __version__

ROOT = Path(__file__).resolve().parents[2]
OPTIONAL = ("citemark-crossencoder", "citemark-multilingual")
PROJECTS = (ROOT, *(ROOT / "packages" / name for name in ("citemark-minilm", *OPTIONAL)))


def settings_of(project: Path) -> dict[str, Any]:
    return tomllib.loads((project / "pyproject.toml").read_text())


@pytest.mark.requirement("wheel-metadata")
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_each_package_says_where_it_is_from_and_what_it_runs_on(project: Path) -> None:
    metadata = settings_of(project)["project"]
    classifiers = metadata["classifiers"]
    versions = [name.rpartition(" ")[2] for name in classifiers if ":: Python ::" in name]
    assert versions == ["3.11", "3.12", "3.13", "3.14"]
    assert any(name.startswith("Operating System ::") for name in classifiers)
    assert metadata["urls"]["Repository"] == settings_of(ROOT)["project"]["urls"]["Repository"]


@pytest.mark.requirement("version-from-one-place")
def test_the_version_is_written_once() -> None:
    settings = settings_of(ROOT)
    assert "version" not in settings["project"]
    assert "version" in settings["project"]["dynamic"]
    assert settings["tool"]["hatch"]["version"]["path"] == "src/citemark/__init__.py"
    written = f'"{__version__}"'
    assert [p for p in (ROOT / "src").rglob("*.py") if written in p.read_text()] == [ROOT / "src/citemark/__init__.py"]


@pytest.mark.requirement("wheel-metadata")
def test_a_readme_for_package_indexes_leads_to_the_repository() -> None:
    spec = util.spec_from_file_location("absolute_links", ROOT / "packages" / "absolute_links.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    text = module.with_absolute_links("[a](docs/a.md#b) [c](https://c.example) [d](#d)", "https://host.example/r")
    assert text == "[a](https://host.example/r/blob/main/docs/a.md#b) [c](https://c.example) [d](#d)"


@pytest.mark.requirement("readme-first-lines")
def test_the_readme_begins_with_a_line_for_uvx_and_one_for_pip() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert re.search(r"<!-- mcp-name: io\.github\.[\w.-]+/citemark -->", text)
    (first, *_) = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    commands = [line.partition("#")[0].strip() for line in first.splitlines()]
    assert commands == ["uvx citemark demo", "pip install citemark"]
    assert text.index("uvx citemark demo") < text.index("make demo")
