"""Every example of README and docs does what the page says: commands run, files load, programs talk to a server."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from tests.acceptance.commands import Commands
from tests.acceptance.documented import Example, examples
from tests.acceptance.served import CITEMARK, ROOT, index, over_http
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

from citemark.app.features import FEATURES
from citemark.evaluation.golden import load_golden
from citemark.features.docs.declaration import DOCS
from citemark.settings import Settings

_PLACES = ("notes", "work/handbook", "handbuch")
_LASTING = ("serve --http", "serve --grpc", "sync --watch", "citemark work", "citemark web")
"""Commands that go on until somebody ends them."""

_NEEDS_MORE = (
    " service ",
    " stop",
    " uninstall",
    "archimate",
    "nextcloud",
    " ask ",
    "login",
    "element",
    "view",
    "impact",
    *(f" add {kind.name} " for feature in FEATURES for kind in feature.kinds() if feature is not DOCS),
)
"""What needs a source that this walk does not have; tests of their own run these."""

_HANDBOOK = (
    "# On call\n\n## Rotation\n\nThe on-call rotation lasts from Monday 10:00 to Monday 10:00.\n\n"
    "## Keys\n\nKeys are rotated by `rotate-keys` every ninety days.\n"
)

COMMANDS = list(
    dict.fromkeys(
        (example.page, command)
        for example in examples("sh")
        for command in example.commands
        if command.startswith("citemark ")
    )
)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a shell: a home with the folders that the examples name, and an index of their own."""

    home: Path
    data: Path
    commands: Commands

    @property
    def environment(self) -> dict[str, str]:
        return {**index(self.data).environment, "HOME": str(self.home)}

    def words(self, command: str) -> list[str]:
        expanded = command.replace("~/", f"{self.home}/")
        return [CITEMARK, *shlex.split(expanded)[1:]]

    def run(self, command: str) -> "subprocess.CompletedProcess[str]":
        """The command as written, its output where the example sends it."""
        line, _, target = command.partition(" > ")
        done = self.commands.run(*self.words(line)[1:], env=self.environment, cwd=self.home, timeout=HANG_SECONDS)
        if target:
            (self.home / target.strip()).write_text(done.stdout, encoding="utf-8")
        return done


@pytest.fixture(scope="module")
def person(commands: Commands) -> Generator[Person]:
    place = reachable_folder()
    home = place / "home"
    for name in _PLACES:
        (home / name / "handbook").mkdir(parents=True)
        (home / name / "on-call.md").write_text(_HANDBOOK, encoding="utf-8")
        (home / name / "handbook" / "on-call.md").write_text(_HANDBOOK, encoding="utf-8")
    for name in ("my-questions.yaml", "my-phrasings.yaml"):
        (file,) = (example for example in examples("yaml") if example.text.startswith(f"# {name}"))
        (home / name).write_text(file.text, encoding="utf-8")
    for folder in (".config/Claude", ".cursor"):
        (home / folder).mkdir(parents=True)
    somebody = Person(home, place / "data", commands)
    # A server that stays keeps each command from starting PostgreSQL anew.
    quiet = {**somebody.environment, "CITEMARK_INDEX_IN_SERVER": "false"}
    with subprocess.Popen([CITEMARK, "serve"], env=quiet, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as server:
        yield somebody
        assert server.stdin is not None
        server.stdin.close()
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.requirement("documentation-exists-and-its-examples-run")
def test_every_command_of_the_documentation_runs_as_written(person: Person) -> None:
    ran: list[str] = []
    for page, command in COMMANDS:
        if any(word in command for word in (*_LASTING, *_NEEDS_MORE)):
            continue
        if command.startswith("citemark add "):
            # Several pages add the same folder; each time by another name.
            command += f" --name s{len(ran)} --overlapping"  # noqa: PLW2901
        if command.startswith("citemark install "):
            # Nobody sits at a terminal here who could be asked.
            command += " --yes"  # noqa: PLW2901
        for said in ("sync", "source set", "source grant", "source grants", "source revoke"):
            command = command.replace(f"{said} handbook", f"{said} s0")  # noqa: PLW2901
        if "source set" in command and "--name" in command:
            command = command.replace("--name manual", "--name s0")  # noqa: PLW2901
        command = command.replace("source set manual", "source set s0")  # noqa: PLW2901
        done = person.run(command)
        assert done.returncode == 0, f"{page}: {command}: {done.stdout}\n{done.stderr}"
        ran.append(command)
    assert {words.split()[1] for words in ran} >= {
        "add", "doctor", "eval", "evidence", "install", "search", "status", "sync",
    }  # fmt: skip
    evidence = person.run('citemark evidence "How long is the on-call rotation?"').stdout
    assert "Monday 10:00" in evidence
    assert "on-call.md" in evidence


@pytest.mark.requirement("documentation-exists-and-its-examples-run")
@pytest.mark.parametrize("command", sorted({command for _, command in COMMANDS if any(w in command for w in _LASTING)}))
def test_every_long_running_command_starts_and_stops_on_request(person: Person, command: str) -> None:
    name = "http" if "--http" in command else "watched"
    person.run(f"citemark add docs ~/notes --name {name} --overlapping")
    words = person.words(re.sub(r"--port \d+", "--port 0", command))
    if "--grpc" in words:  # on a port that is free here, and without the files of a certificate
        words = [*words[: words.index("--grpc") + 1], "--grpc-address", "127.0.0.1:0"]
    if "--http" in words and "--port" not in words:
        words += ["--port", "0"]
    if words[1] == "web":
        words += ["--port", "0", "--no-browser"]
    process = subprocess.Popen(
        words, env=person.environment, cwd=person.home, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        assert "http://" in said or "gRPC" in said or "follow" in said or "listed" in said or "watch" in said, said
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=HANG_SECONDS)
    assert process.returncode in (0, 130)


@pytest.mark.requirement("documentation-exists-and-its-examples-run")
@pytest.mark.parametrize("example", examples("toml"), ids=lambda example: example.page)
def test_every_settings_file_of_the_documentation_is_accepted(example: Example) -> None:
    assert Settings(**tomllib.loads(example.text))


@pytest.mark.requirement("documentation-exists-and-its-examples-run")
@pytest.mark.parametrize("example", [*examples("json"), *examples("yaml")], ids=lambda example: example.page)
def test_every_data_example_of_the_documentation_can_be_read(example: Example, tmp_path: Path) -> None:
    if example.language == "json":
        assert json.loads(example.text)
    elif example.text.startswith("# my-questions"):
        (tmp_path / "golden.yaml").write_text(example.text, encoding="utf-8")
        assert load_golden(tmp_path / "golden.yaml")
    else:
        assert yaml.safe_load(example.text)


@pytest.mark.requirement("documentation-exists-and-its-examples-run")
@pytest.mark.parametrize("example", examples("python"), ids=lambda example: example.page)
def test_every_program_of_the_documentation_talks_to_a_server(example: Example, indexed_folder: Path) -> None:
    with over_http(index(indexed_folder)) as server:
        body = example.text.replace("http://127.0.0.1:8765/mcp", server.url)
        lines = "".join(f"    {line}\n" for line in body.splitlines())
        text = f"import asyncio\nasync def main():\n{lines}asyncio.run(main())\n"
        done = subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, check=False, cwd=ROOT, timeout=HANG_SECONDS,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "CITEMARK_DATA_DIR": str(indexed_folder)},
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
