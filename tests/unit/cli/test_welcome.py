"""`citemark` alone in a terminal: three questions, each of which can be skipped."""

import json
import os
import sys
from pathlib import Path

import pytest

from citemark.app.features import first_steps_of
from citemark.app.main import open_index
from citemark.cli.command_context import CommandContext
from citemark.cli.welcome_command import welcome_command


@pytest.mark.requirement("welcome")
def test_a_newcomer_is_asked_three_questions_and_hosts_are_added_if_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    (home / ".cursor").mkdir(parents=True)
    for name in [name for name in os.environ if name.startswith(("CITEMARK_", "XDG_"))]:
        monkeypatch.delenv(name)
    for name, value in {"HOME": str(home), "CITEMARK_DATA_DIR": str(tmp_path / "data"), "PATH": ""}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for answers, added in ((["s", "s", ""], False), (["s", "", "s"], True)):
        given = iter(answers)
        monkeypatch.setattr("builtins.input", lambda given=given: next(given))
        assert welcome_command(CommandContext(open_index), first_steps_of()) == 0
        said = capsys.readouterr().out
        assert [f"{number}. " in said for number in (1, 2, 3)] == [True] * 3
        assert "Three questions to begin with" in said
        assert "3. The address of a Nextcloud?" in said
        assert list(given) == []
        file = home / ".cursor" / "mcp.json"
        assert file.exists() == added
    assert "citemark" in json.loads(file.read_text())["mcpServers"]
    assert not (tmp_path / "data").exists()


@pytest.mark.requirement("welcome")
def test_someone_whom_uvx_gave_the_command_is_told_how_to_type_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CITEMARK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    said: list[str] = []
    for folder in ("venv", "uv/archive-v0/rPfcMXP6"):
        monkeypatch.setattr(sys, "argv", [str(tmp_path / folder / "bin" / "citemark")])
        assert welcome_command(CommandContext(open_index)) == 0
        said.append(capsys.readouterr().out)
    installed, by_uvx = said
    assert "uvx" not in installed
    assert by_uvx.startswith(installed)
    assert by_uvx.removeprefix(installed).startswith("Type `uvx citemark` for `citemark`")
