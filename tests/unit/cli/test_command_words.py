"""What the command line says before any index is opened: version, help, completion, wrong use."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.support.patience import HANG_SECONDS

from citemark import __version__
from citemark.app.main import main

CITEMARK = str(Path(sys.executable).with_name("citemark"))
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def citemark(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process."""

    def run(*arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        words = [CITEMARK, *arguments]
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", words)
            patch.setitem(sys.modules, "__main__", ModuleType("__main__"))  # as the installed command, not pytest
            for name, value in {"HOME": "/nonexistent", **extra}.items():
                patch.setenv(name, value)
            with pytest.raises(SystemExit) as ended:
                main()
        code = ended.value.code
        assert code is None or isinstance(code, int)
        return subprocess.CompletedProcess(words, code or 0, *capsys.readouterr())

    return run


@pytest.mark.requirement("command-line-conveniences")
def test_the_version_is_an_option_too() -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    done = subprocess.run(
        [CITEMARK, "--version"], env=environment, capture_output=True, text=True, check=False, timeout=HANG_SECONDS
    )
    assert (done.returncode, done.stdout) == (0, f"{__version__}\n")


@pytest.mark.requirement("command-line-conveniences")
@pytest.mark.parametrize("command", [(), ("search",), ("add", "docs"), ("serve",)])
def test_a_short_h_helps_everywhere(citemark: Run, command: tuple[str, ...]) -> None:
    short, long = citemark(*command, "-h"), citemark(*command, "--help")
    assert short.returncode == 0
    assert short.stdout == long.stdout
    assert short.stdout.startswith("Usage: citemark")


@pytest.mark.requirement("command-line-conveniences")
def test_a_shell_completes_commands(citemark: Run) -> None:
    # Which shell runs the tests is not looked at: below make it may be one that has no completion.
    script = citemark("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (script.returncode, "_CITEMARK_COMPLETE=complete_bash" in script.stdout) == (0, True), script.stderr
    words = {"_CITEMARK_COMPLETE": "complete_bash", "COMP_WORDS": "citemark s", "COMP_CWORD": "1"}
    assert {"search", "serve", "status", "sync"} <= set(citemark(**words).stdout.split())


@pytest.mark.requirement("wrong-usage-prints-json-too")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("search", "--json"), "query"),
        (("search", "x", "--top-k", "99", "--json"), "--top-k"),
        (("search", "x", "--json", "--no-such-option"), "--no-such-option"),
        (("no-such-command", "--json"), "no-such-command"),
        (("add", "docs", "--json"), "path"),
        (("view", "a", "b", "--json"), "--svg"),
        (("source", "set", "notes", "--about", "x" * 301, "--json"), "at most 300 characters"),
    ],
)
def test_wrong_use_is_json_where_json_was_asked_for(citemark: Run, arguments: tuple[str, ...], says: str) -> None:
    done = citemark(*arguments)
    assert (done.returncode, done.stderr) == (2, "")
    error = json.loads(done.stdout)["error"]
    assert error["code"] == "INVALID_ARGUMENT"
    assert says in error["message"].lower()
    people = citemark(*(word for word in arguments if word != "--json"))
    assert (people.returncode, people.stdout) == (2, "")
    assert says in people.stderr.lower()


@pytest.mark.requirement("first-ten-commands")
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("list",), "citemark sources"),
        (("index", "notes"), "citemark add ./notes`"),
        (("index", "docs"), "citemark add ./docs`"),
        (("index", "nowhere"), "citemark add FOLDER`"),
        (("index", "notes", "--fast"), "citemark add FOLDER`"),
        (("find", "the", "keys"), 'citemark search "the keys"`'),
        (("find", 'the "keys"'), 'citemark search "QUESTION"`'),
        (("rm", "notes"), "citemark remove notes`"),
        (("add", "nowhere"), "nothing at nowhere"),
        (("add", "nextcluod"), "Did you mean 'nextcloud'"),
        (("update",), "citemark sync"),
        (("Where are the keys?",), 'citemark evidence "Where are the keys?"'),
        (("why",), "No such command"),
        (("notes",), "citemark add notes"),
        (("https://cloud.example.org",), "citemark add https://cloud.example.org"),
        (("add", "docs"), "citemark add ./docs"),
        (("add", "./nowhere"), "nothing at ./nowhere"),
        (("add", "notes", "docs"), "citemark add notes`, then `citemark add docs"),
        (("config",), "citemark source set NAME"),
        (("settings", "colour"), "citemark source set NAME"),
        (("install", "claude"), "claude-desktop, claude-code"),
    ],
)
def test_words_of_other_programs_are_answered_with_the_right_ones(
    citemark: Run, words: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    (tmp_path / "docs").mkdir()
    done = citemark(*words)
    assert done.returncode == 2
    assert says in " ".join(done.stderr.split())
    assert "Invalid value" not in done.stderr


@pytest.mark.requirement("welcome", "first-ten-commands")
def test_the_command_alone_says_what_it_is_and_three_commands(citemark: Run, tmp_path: Path) -> None:
    done = citemark(CITEMARK_DATA_DIR=str(tmp_path / "none"))
    assert done.returncode == 0
    assert [line.split()[1] for line in done.stdout.splitlines() if line.startswith("  citemark")] == [
        "add", "evidence", "install",
    ]  # fmt: skip
    assert not (tmp_path / "none").exists()
    assert citemark("help").stdout == citemark("--help").stdout


@pytest.mark.requirement("first-ten-commands")
def test_help_says_what_one_command_takes(citemark: Run) -> None:
    assert citemark("help", "search").stdout == citemark("search", "--help").stdout
    assert citemark("help", "source", "set").stdout == citemark("source", "set", "--help").stdout
    assert citemark("help", "search", "words").stdout == citemark("search", "--help").stdout
    assert "citemark remove NAME" in citemark("help", "delete").stderr


@pytest.mark.requirement("words-for-people")
def test_the_list_of_commands_begins_with_the_first_steps_and_cuts_no_sentence_off(citemark: Run) -> None:
    said = citemark("--help").stdout.partition("Commands:")[2]
    assert "..." not in said
    assert [line.split()[0] for line in said.splitlines() if line[2:3].isalpha()][:4] == [
        "demo", "add", "sources", "search",
    ]  # fmt: skip
    assert "bundled" in said
