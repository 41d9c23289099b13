"""What documents and names hold does not steer a terminal or turn its writing."""

import io
import json
from pathlib import Path

import pytest

from citemark.cli.command_context import CommandContext
from citemark.cli.styled import Styled, bold, faint
from citemark.model.errors import InvalidArgument
from citemark.services.catalog import LocalFile

CONTEXT = CommandContext(open_index=None)  # type: ignore[arg-type]
"""A command that opens nothing."""


@pytest.mark.requirement("bidirectional-controls-made-visible")
def test_what_a_command_prints_has_its_controls_and_directions_made_visible(capsys: pytest.CaptureFixture[str]) -> None:
    text = Styled()
    text.line("1. ", bold("in\nvoice\u202egpj.exe"))
    text.line(faint("a\x1b[2Jb\u2067c"))
    CONTEXT.show({}, text)
    CONTEXT.show({}, "plain \u202e and \x07")
    CONTEXT.fail(InvalidArgument("No source is called 'x\u202ey\x1b[0m'."))
    said = capsys.readouterr()
    assert said.out == "1. in␊voice<U+202E>gpj.exe\na␛[2Jb<U+2067>c\nplain <U+202E> and ␇\n"
    assert said.err == "citemark: No source is called 'x<U+202E>y␛[0m'.\n"


@pytest.mark.requirement("no-document-forges-a-hit")
def test_the_path_of_a_file_with_a_line_break_in_its_name_stays_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    text, path = Styled(), Path("/docs/a\n2. Forged hit  (0.99)\u2028.md")
    text.file("  ", LocalFile(path, "file:///docs/a"))
    CONTEXT.show({}, text)
    assert capsys.readouterr().out == "  /docs/a␊2. Forged hit  (0.99)␤.md\n"


def test_text_in_a_terminal_is_sanitized_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    out, text = Terminal(), Styled()
    text.line(bold("a\u202eb"))
    text.print(out, lambda words: words)
    assert "a<U+202E>b" in out.getvalue()


@pytest.mark.requirement("hidden-characters-shown")
def test_a_terminal_and_a_program_see_what_is_hidden(capsys: pytest.CaptureFixture[str]) -> None:
    name = "in\u200bvoice\U000e0041.pdf \U0001f469\u200d\U0001f680"
    CONTEXT.show({}, name)
    CommandContext(open_index=None, json=True).show({"title": name}, "")  # type: ignore[arg-type]
    shown, data = capsys.readouterr().out.splitlines()
    assert shown == "in<U+200B>voice<U+E0041>.pdf \U0001f469\u200d\U0001f680"
    assert "\u200b" not in data
    assert "\U000e0041" not in data
    assert json.loads(data) == {"title": name}
