"""What an install executes is pinned by hash, and says under which licences it comes."""

import json
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from tests.interop.environments import BY_HASH, BY_LOCK
from tests.support import third_party

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8").replace("\\\n", " ")


def rule_of(target: str) -> str:
    found = re.search(rf"^{re.escape(target)}:.*\n(?:\t.*\n)+", MAKEFILE, re.MULTILINE)
    assert found is not None, target
    return found[0]


def installing_lines() -> list[str]:
    """What installs or builds in the Makefile; a trial installs what was made a line before."""
    lines = [line for line in MAKEFILE.split("\n") if re.search(r"\bpip (?:install|wheel)\b", line)]
    return [line for line in lines if "-trial" not in line]


def names_in(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[ ]", requirement)[0].lower() for requirement in requirements}


@pytest.mark.requirement("install-pinned")
def test_nothing_is_installed_or_built_that_is_not_pinned_by_hash() -> None:
    lines = installing_lines()
    assert len(lines) >= 7
    for line in lines:
        by_hash = "--require-hashes" in line
        made_here = "--no-deps" in line and ("$(WHEELS)/*.whl" in line or "--no-build-isolation" in line)
        assert by_hash or made_here, line
        assert "--only-binary :all:" in line or "--no-build-isolation" in line or "$(WHEELS)/*.whl" in line, line


@pytest.mark.requirement("install-pinned")
def test_everything_that_builds_is_among_what_is_pinned() -> None:
    pins = (ROOT / "requirements" / "build.txt").read_text("utf-8")
    pinned = {name.lower() for name in re.findall(r"^([\w.-]+)==", pins, re.MULTILINE)}
    assert {"uv", "pip", "setuptools", "hatchling", "editables"} <= pinned
    models = ("citemark-minilm", "citemark-crossencoder", "citemark-multilingual")
    for project in (ROOT, *(ROOT / "packages" / name for name in models)):
        system = tomllib.loads((project / "pyproject.toml").read_text("utf-8"))["build-system"]
        assert names_in(system["requires"]) <= pinned, project
    entries = re.split(r"\n(?=\S)", pins.strip())
    assert all("--hash=sha256:" in entry for entry in entries)


@pytest.mark.requirement("install-pinned")
def test_what_publishes_a_release_is_pinned_by_hash() -> None:
    steps = [
        line
        for workflow in (ROOT / ".github" / "workflows").glob("*.yml")
        for line in workflow.read_text("utf-8").splitlines()
        if re.search(r"\b(?:pip install|pipx|uvx|uv tool|npm (?:install|ci)|npx)\b", line)
    ]
    assert steps
    for line in steps:
        assert "--require-hashes" in line, line
        assert "--only-binary :all:" in line, line


@pytest.mark.requirement("install-pinned")
def test_the_clients_of_other_makers_are_installed_by_hash() -> None:
    assert "--require-hashes" in BY_HASH
    for wanted in sorted((ROOT / "tests" / "interop" / "requirements").glob("*.in")):
        pins = wanted.with_suffix(".txt").read_text("utf-8")
        assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=\S)", pins.strip())), wanted.name
        lines = [line for line in wanted.read_text("utf-8").splitlines() if line and not line.startswith("#")]
        named = {name.split("[")[0] for name in names_in(lines)}
        assert named <= set(re.findall(r"^([\w.-]+)==", pins, re.MULTILINE)), wanted.name


@pytest.mark.requirement("install-pinned")
@pytest.mark.parametrize("folder", ["interop", "node"])
def test_what_runs_under_node_is_installed_by_the_hashes_of_its_lock_file(folder: str) -> None:
    assert BY_LOCK == ("ci", "--ignore-scripts")
    assert " ci --ignore-scripts " in rule_of("$(NODE)/.installed")
    wanted = json.loads((ROOT / "tests" / folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = json.loads((ROOT / "tests" / folder / "package-lock.json").read_text("utf-8"))["packages"]
    assert locked.pop("")["dependencies"] == wanted
    assert wanted.keys() <= {name.removeprefix("node_modules/") for name in locked}
    assert all(package["integrity"].startswith("sha512-") for package in locked.values())


@pytest.mark.requirement("licences-listed")
def test_the_list_of_licences_is_that_of_what_is_installed() -> None:
    listed = third_party.PAGE.read_text("utf-8")
    assert listed == third_party.page(), "make licences writes it"
    notice = (ROOT / "NOTICE").read_text("utf-8")
    for name in ("psycopg", "recurring-ical-events"):
        assert re.search(rf"^\| {name} \|.*LGPL", listed, re.MULTILINE)
        assert name in notice


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.mark.requirement("licences-listed")
def test_the_wheel_contains_the_notice_and_the_list(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as contents:
        names = {name.rpartition("/licenses/")[2] for name in contents.namelist() if "/licenses/" in name}
    assert names == {"LICENSE", "NOTICE", "THIRD_PARTY.md"}


@pytest.mark.requirement("offline-install")
def test_a_folder_of_wheels_is_installed_without_a_network(wheel: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--find-links", str(wheel.parent)]
    subprocess.run([*command, "--no-deps", "--target", str(tmp_path / "there"), "citemark"], check=True)
    shown = "import citemark; print(citemark.__version__, citemark.__file__)"
    found = subprocess.run([sys.executable, "-P", "-c", shown], env={"PYTHONPATH": str(tmp_path / "there")},
                           check=True, capture_output=True, text=True)  # fmt: skip
    assert str(tmp_path / "there") in found.stdout


@pytest.mark.requirement("offline-install")
def test_the_documented_way_without_a_network_is_the_one_that_make_tries() -> None:
    page = (ROOT / "docs" / "getting-started.md").read_text("utf-8")
    assert "make offline" in page
    assert "pip install --no-index --find-links" in page
    assert "pip install --quiet --disable-pip-version-check --no-index --find-links" in rule_of("offline")
