"""What `make dist` and `make dist-try` decide, without building or installing anything."""

import json
import os
import re
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from tests.dist import bill, bundle, checks, mcp_bundle_host, mcpb, packages, trials
from tests.dist.pythons import Interpreter, newest_of_each, supported

from citemark import __version__

ROOT = Path(__file__).resolve().parents[2]
_FILES = checks.expected("1.2.3")


def release(folder: Path, **changed: bytes | None) -> Path:
    """A folder with all files of a release, some with other bytes or missing."""
    folder.mkdir()
    for name in _FILES:
        content = changed.get(name, name.encode())
        if content is not None:
            (folder / name).write_bytes(content)
    return folder


def wheel(folder: Path, contents: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(folder / "made-1-py3-none-any.whl", "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return folder / "made-1-py3-none-any.whl"


def found(version: str, path: str, **more: str) -> dict[str, Any]:
    """An interpreter as uv lists it."""
    parts = dict(zip(("major", "minor", "patch"), map(int, version.split(".")), strict=True))
    return {"version_parts": parts, "path": path, "implementation": "cpython", "variant": "default", **more}


@pytest.mark.requirement("wheels-are-reproducible")
def test_a_file_that_differs_is_missing_or_is_too_many_is_named(tmp_path: Path) -> None:
    first = release(tmp_path / "first")
    assert checks.differences(first, release(tmp_path / "same"), "1.2.3") == []
    other = release(tmp_path / "other", **{_FILES[0]: b"other", _FILES[1]: None})
    (other / "more.txt").touch()
    problems = checks.differences(first, other, "1.2.3")
    assert [name for name in (_FILES[0], _FILES[1], "more.txt") if name in " ".join(problems)] == [
        _FILES[0],
        _FILES[1],
        "more.txt",
    ]
    assert len(problems) == 3


@pytest.mark.requirement("wheels-are-reproducible")
def test_a_release_is_what_the_workflow_publishes() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
    assert {name for name in _FILES if not name.endswith((".whl", ".tar.gz"))} == set(
        re.findall(r"dist/(citemark\S*\.(?:mcpb|json))", workflow)
    )
    for package in packages.PACKAGES:
        text = (ROOT / package.folder / "pyproject.toml").read_text("utf-8")
        assert f'name = "{package.name}"' in text


@pytest.mark.requirement("wheels-are-reproducible")
def test_a_bundle_has_the_same_bytes_whenever_its_files_were_written(tmp_path: Path) -> None:
    made: list[bytes] = []
    for name, time in (("a", 1_000_000_000), ("b", 1_700_000_000)):
        folder = tmp_path / name / "packages" / "citemark-bundle" / "server"
        folder.mkdir(parents=True)
        for file in (folder / "main.py", folder.parent / "manifest.json")[:: 1 if name == "a" else -1]:
            file.write_text('{"manifest_version": "0.4", "server": {"type": "uv"}}')
            os.utime(file, (time, time))
        bundle.pack(tmp_path / name, tmp_path / name)
        made.append(b"".join((tmp_path / name / each).read_bytes() for each in bundle.NAMES))
    assert made[0] == made[1]
    for each, version, kind in ((bundle.NAME, "0.4", "uv"), (bundle.OLDER, "0.3", "python")):
        with zipfile.ZipFile(tmp_path / "a" / each) as archive:
            assert archive.namelist() == ["manifest.json", "server/main.py"]
            assert json.loads(archive.read("manifest.json")) == {"manifest_version": version, "server": {"type": kind}}


@pytest.mark.requirement("wheels-are-checked")
def test_equal_files_in_a_wheel_are_named_but_for_the_icon(tmp_path: Path) -> None:
    icon = {"citemark/tools/icon.svg": "<svg/>", "citemark/web/static/icon.svg": "<svg/>"}
    assert checks.duplicates(wheel(tmp_path, {**icon, "a/__init__.py": "", "b/__init__.py": ""})) == []
    (problem,) = checks.duplicates(wheel(tmp_path, {**icon, "a.txt": "words", "b.txt": "words"}))
    assert "a.txt, b.txt" in problem
    (problem,) = checks.duplicates(wheel(tmp_path, {**icon, "third.svg": "<svg/>"}))
    assert "third.svg" in problem


@pytest.mark.requirement("wheels-are-checked")
def test_a_bill_that_names_a_folder_of_its_machine_is_refused(tmp_path: Path) -> None:
    (tmp_path / bill.NAME).write_text("{}")
    assert checks.contents(tmp_path) == []
    (tmp_path / bill.NAME).write_text(json.dumps({"url": f"file://{ROOT}"}))
    assert checks.contents(tmp_path)


@pytest.mark.requirement("wheels-are-checked")
def test_every_file_of_a_release_is_checked_by_a_tool_that_is_pinned(tmp_path: Path) -> None:
    commands = list(checks.tools(release(tmp_path / "made")))
    pinned = (ROOT / "requirements" / "dist.txt").read_text("utf-8")
    assert [name for name, *_ in commands if not re.search(rf"^{name}(-bin)?==", pinned, re.MULTILINE)] == []
    twine, contents = commands[0], commands[1]
    packed = {name for name in _FILES if name.endswith((".whl", ".tar.gz"))}
    assert twine[1:3] == ["check", "--strict"]
    assert {Path(word).name for word in twine} >= packed
    assert {Path(word).name for word in contents} >= {name for name in packed if name.endswith(".whl")}
    for word in (word for command in commands for word in command if word.endswith((".json", ".yml"))):
        assert (ROOT / word).is_file(), word


@pytest.mark.requirement("installs-are-tried")
def test_the_newest_usual_python_of_each_supported_version_is_tried() -> None:
    listed = [
        found("3.12.1", "/a"),
        found("3.12.9", "/b"),
        found("3.12.10", "/free", variant="freethreaded"),
        found("3.11.7", "/c"),
        found("3.11.9", "/pypy", implementation="pypy"),
        found("3.10.2", "/old"),
    ]
    expected = [Interpreter("3.11", Path("/c")), Interpreter("3.12", Path("/b"))]
    assert newest_of_each(listed, ("3.11", "3.12", "3.13")) == expected
    assert supported() == ("3.11", "3.12", "3.13", "3.14")


@pytest.mark.requirement("installs-are-tried")
def test_only_a_first_answer_with_its_quote_and_citation_counts() -> None:
    quote = {"quote": "for twelve to eighteen hours.", "citation": {"document_id": "sourdough.md#resting"}}
    trials.cited_answer(json.dumps({"answers": [{"quotes": [quote]}]}))
    elsewhere = {**quote, "citation": {"document_id": "ovens.md"}}
    for quotes in ([], [{**quote, "quote": "for a while"}], [elsewhere]):
        with pytest.raises(trials.TrialFailed):
            trials.cited_answer(json.dumps({"answers": [{"quotes": quotes}]}))


@pytest.mark.requirement("installs-are-tried")
def test_the_documents_name_each_way_that_is_tried() -> None:
    said = " ".join(f"{(ROOT / page).read_text('utf-8')}" for page in ("docs/releasing.md", "README.md"))
    assert [way for way in trials.WAYS if not re.search(rf"\b{way}", said)] == []


@pytest.mark.requirement("bundle-by-its-own-tool")
def test_files_that_another_tool_packs_otherwise_are_named(tmp_path: Path) -> None:
    for name, files in (("ours", {"a": "1", "b": "2"}), ("theirs", {"a": "1", "b": "3", "c": "4"})):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)
    assert mcpb.otherwise(tmp_path / "ours", tmp_path / "ours") == []
    assert mcpb.otherwise(tmp_path / "ours", tmp_path / "theirs") == ["b", "c"]


_SERVER = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        tools = [{"name": "kb_search"}] if asked["method"] == "tools/list" else []
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": tools}}), flush=True)
"""


@pytest.mark.requirement("installs-are-tried")
@pytest.mark.parametrize(("server", "tools"), [(_SERVER, ["kb_search"]), ("", [])], ids=["answers", "ends at once"])
def test_a_bundle_is_started_as_its_manifest_says(tmp_path: Path, server: str, tools: list[str]) -> None:
    program = {"command": sys.executable, "args": ["-c", server, "${__dirname}"], "env": {"A": "${user_config.a}"}}
    (tmp_path / "manifest.json").write_text(json.dumps({"server": {"mcp_config": program}}))
    command, environment = mcp_bundle_host.command_of(tmp_path)
    assert (command[-1], environment) == (str(tmp_path), {"A": ""})

    def start(command: Sequence[str], more: Mapping[str, str]) -> "Popen[str]":
        environment = {**os.environ, **more}
        return Popen(command, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True, env=environment, start_new_session=True)

    assert mcp_bundle_host.tools_of(tmp_path, start) == tools


@pytest.mark.requirement("wheels-are-reproducible")
def test_the_version_of_a_release_is_that_of_the_package() -> None:
    wheels = [package.files(__version__)[0] for package in packages.PACKAGES]
    assert wheels[0] == f"citemark-{__version__}-py3-none-any.whl"
    assert all(re.fullmatch(r"citemark\w*-[\d.]+-py3-none-any\.whl", name) for name in wheels)
