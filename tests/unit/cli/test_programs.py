"""How the programs of a person are started."""

from pathlib import Path

import pytest

from citemark.cli.programs import desktop_command, editor_command
from citemark.model.errors import InvalidArgument


def programs(folder: Path, *names: str) -> str:
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return str(folder)


@pytest.mark.requirement("open-in-the-editor")
@pytest.mark.parametrize(
    ("editor", "arguments"),
    [
        *((name, ["+7", "/a b.md"]) for name in ("vi", "vim", "nvim", "nano", "emacs", "gedit")),
        *((name, ["--goto", "/a b.md:7"]) for name in ("code", "codium")),
        *((name, ["/a b.md:7"]) for name in ("subl", "zed", "helix", "hx")),
        ("kate", ["--line", "7", "/a b.md"]),
        ("other", ["/a b.md"]),
    ],
)
def test_an_editor_is_given_the_line_as_it_takes_it(tmp_path: Path, editor: str, arguments: list[str]) -> None:
    environment = {"PATH": programs(tmp_path, editor), "EDITOR": f"{editor} --wait"}
    assert editor_command(environment, Path("/a b.md"), 7) == [editor, "--wait", *arguments]
    assert editor_command(environment, Path("/a b.md"), None) == [editor, "--wait", "/a b.md"]


@pytest.mark.requirement("open-in-the-editor")
def test_visual_comes_before_editor_and_whole_paths_are_known(tmp_path: Path) -> None:
    vi = f"{programs(tmp_path, 'vi')}/vi"
    environment = {"PATH": "", "VISUAL": vi, "EDITOR": "other"}
    assert editor_command(environment, Path("/a.md"), 2) == [vi, "+2", "/a.md"]


@pytest.mark.requirement("open-in-the-editor")
@pytest.mark.parametrize(
    ("environment", "said"),
    [({}, "set one"), ({"EDITOR": "gone", "PATH": ""}, "no program on PATH"), ({"EDITOR": "a 'b"}, "quotation mark")],
)
def test_an_editor_that_cannot_be_started_is_named(environment: dict[str, str], said: str) -> None:
    with pytest.raises(InvalidArgument, match=said):
        editor_command(environment, Path("/a.md"), 2)


@pytest.mark.requirement("open-on-the-desktop")
def test_the_opener_of_the_desktop_is_started_if_there_is_one(tmp_path: Path) -> None:
    path = programs(tmp_path, "open", "xdg-open")
    assert desktop_command({"PATH": path}, "/a.md", "linux") == ["xdg-open", "/a.md"]
    assert desktop_command({"PATH": path}, "/a.md", "darwin") == ["open", "/a.md"]
    with pytest.raises(InvalidArgument, match=r"no xdg-open on PATH; open it yourself: /a\.md"):
        desktop_command({"PATH": ""}, "/a.md", "linux")
