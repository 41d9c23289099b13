"""What the command line shows in a terminal, and what is left of it in a pipe."""

import contextlib
import json
import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, ROOT, index
from tests.support.patience import HANG_SECONDS

Run = Callable[..., "subprocess.CompletedProcess[str]"]
QUESTION = "Which descaler may be used?"
ANSWER = ROOT / "examples" / "handbook" / "kitchen.md"


@pytest.fixture
def environment(indexed_folder: Path) -> dict[str, str]:
    return index(indexed_folder).environment


@pytest.fixture
def citemark(commands: Commands, environment: dict[str, str]) -> Run:
    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return commands.run(*arguments, env=environment)

    return run


def parsed(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def in_a_terminal(environment: dict[str, str], *arguments: str) -> str:
    """What a command writes to a terminal."""
    outer, inner = pty.openpty()
    with subprocess.Popen([CITEMARK, *arguments], env=environment, stdin=inner, stdout=inner) as process:
        os.close(inner)
        written = b""
        with contextlib.suppress(OSError):  # the end of a terminal is an error
            while chunk := os.read(outer, 65536):
                written += chunk
    os.close(outer)
    assert process.returncode == 0
    return written.decode()


@pytest.mark.requirement("command-line-conveniences", "local-callers-get-file-links")
@pytest.mark.parametrize("command", ["search", "evidence", "ask"])
def test_results_are_bold_and_linked_in_a_terminal_and_the_same_words_elsewhere(
    environment: dict[str, str], citemark: Run, command: str
) -> None:
    asked = (command, QUESTION)
    terminal = in_a_terminal({**environment, "TERM": "xterm-256color"}, *asked)
    assert "\x1b[1m" in terminal
    assert re.search(rf"\x1b]8;[^;]*;{re.escape(ANSWER.as_uri())}\x1b\\.*{re.escape(str(ANSWER))}", terminal)
    plain = citemark(*asked).stdout
    assert f"{ANSWER}\n" in plain
    assert "\x1b" not in plain
    words = re.sub(r"\x1b]8;[^\x1b]*\x1b\\|\x1b\[[0-9;]*m", "", terminal).replace("\r\n", "\n")
    clock = r"as of [0-9T:-]{19}Z"
    assert re.search(clock, plain), "no time to the second"
    assert re.sub(clock, "", words) == re.sub(clock, "", plain)
    quiet = in_a_terminal({**environment, "TERM": "xterm-256color", "NO_COLOR": "1"}, *asked)
    assert "\x1b" not in quiet


@pytest.mark.requirement("local-callers-get-file-links")
def test_programs_get_path_and_link_beside_the_citation_and_never_in_it(citemark: Run) -> None:
    hits = parsed(citemark("search", QUESTION, "--json"))["results"]
    quotes = parsed(citemark("evidence", QUESTION, "--json"))["quotes"]
    sources = parsed(citemark("ask", QUESTION, "--json"))["sources"]
    for found in (hits[0], quotes[0], sources[0]):
        assert found["file"] == {"path": str(ANSWER), "link": ANSWER.as_uri()}
        assert str(ROOT) not in json.dumps(found["citation"])


@pytest.mark.requirement("command-line-conveniences")
@pytest.mark.parametrize("further", [(), ("--also", "port of the server")])
def test_scores_have_two_digits_and_nothing_is_named_that_has_no_value(citemark: Run, further: tuple[str, ...]) -> None:
    shown = citemark("search", QUESTION, "--why", *further).stdout
    figures = re.findall(r"\d+\.\d+", re.sub(r"\[handbook: .*", "", shown))
    assert len(figures) > 3
    assert all(len(figure.partition(".")[2].lstrip("0")) <= 2 for figure in figures), shown
    assert not re.search(r"\w \(|None", shown.partition("why: ")[2].partition("\n")[0]), shown


@pytest.mark.requirement("command-line-conveniences")
@pytest.mark.parametrize("terminal", [True, False])
def test_serve_says_in_a_terminal_what_it_waits_for(environment: dict[str, str], *, terminal: bool) -> None:
    outer, inner = pty.openpty()
    given = inner if terminal else subprocess.PIPE
    pipe = subprocess.PIPE
    with subprocess.Popen([CITEMARK, "serve"], env=environment, stdin=given, stdout=pipe, stderr=pipe) as process:
        os.close(inner)
        assert process.stderr is not None
        if terminal:
            assert b"waits for a host" in process.stderr.readline()
            os.write(outer, b"\x04")  # Ctrl-D
        assert b"waits for" not in process.communicate(timeout=HANG_SECONDS)[1]
    os.close(outer)


@pytest.mark.requirement("open-in-the-editor")
def test_a_printed_citation_opens_in_the_editor_at_its_line(
    commands: Commands, environment: dict[str, str], citemark: Run, tmp_path: Path
) -> None:
    editor = tmp_path / "nano"
    editor.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/given"\nexit 7\n', "utf-8")
    editor.chmod(0o755)
    (hit, *_) = parsed(citemark("search", QUESTION, "--json"))["results"]
    (printed, *_) = re.findall(r"\[(.+, revision .+)\]", citemark("search", QUESTION).stdout)
    done = commands.run("open", printed, "--editor", env={**environment, "VISUAL": "", "EDITOR": str(editor)})
    assert done.returncode == 7, done
    line = hit["citation"]["anchor"]["lines"]["start"]
    assert (tmp_path / "given").read_text().splitlines() == [f"+{line}", hit["file"]["path"]]


@pytest.mark.requirement("open-what-was-printed")
@pytest.mark.parametrize("command", ["search", "evidence", "ask"])
def test_the_line_of_a_citation_that_a_command_printed_can_be_opened(citemark: Run, command: str) -> None:
    printed = citemark(command, QUESTION).stdout
    lines = [line for line in printed.splitlines() if ", revision " in line]
    opened = citemark("open", lines[0])
    assert opened.returncode == 0, (lines[0], opened.stderr)
    assert "citric acid" in opened.stdout
