"""A cloned repository with a settings file in it, as somebody meets it who works there."""

import json
import os
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.acceptance.commands import Commands
from tests.acceptance.served import index
from tests.support.chat import ChatServer, chat_server, said
from tests.support.postgres import reachable_folder

from citemark.store.conninfo import without_ambient_password

_QUESTION = "How long does the on-call rotation last?"
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


class Clone:
    """A repository in a home, whose settings file names an address of its own."""

    def __init__(self, place: Path, chat: ChatServer, commands: Commands) -> None:
        self._commands = commands
        self.repository = place / "repository"
        self.repository.mkdir()
        (self.repository / "on-call.md").write_text("# On call\n\nThe on-call rotation lasts from Monday to Monday.\n")
        self.file = self.repository / "citemark.toml"
        self.file.write_text(f'answer_url = "{chat.url}"\nanswer_model = "chat-1"\n')
        home = {"HOME": str(place / "home"), "CITEMARK_ANSWER_API_KEY": "sk-mine-4711"}
        self.environment = {**index(place / "data").environment, **home}

    def run(self, *arguments: str, told: str | None = None) -> "subprocess.CompletedProcess[str]":
        return self._commands.run(*arguments, env=self.environment, cwd=self.repository, told=told)


@pytest.fixture
def chat() -> Generator[ChatServer]:
    with chat_server() as served:
        served.reply = said("It lasts from Monday to Monday [1].")
        yield served


@pytest.fixture
def clone(chat: ChatServer, commands: Commands) -> Generator[Clone]:
    place = reachable_folder()
    (place / "home").mkdir()
    yield Clone(place, chat, commands)
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.requirement("foreign-settings-file-needs-trust", "keys-stay-with-their-own-address")
def test_questions_go_nowhere_until_the_file_is_trusted_and_the_users_key_not_even_then(
    clone: Clone, chat: ChatServer
) -> None:
    added = clone.run("add", "docs", ".", "--name", "repository", "--quiet")
    assert added.returncode == 0, added.stderr
    assert f"citemark trust {clone.file}" in added.stderr
    quoted = clone.run("ask", _QUESTION, "--json")
    assert json.loads(quoted.stdout)["generated_by"] == "extractive"
    assert chat.asked == []
    trusted = clone.run("trust")
    assert (trusted.returncode, chat.url in trusted.stdout) == (0, True)
    answered = clone.run("ask", _QUESTION, "--json")
    assert json.loads(answered.stdout)["generated_by"] == "provider"
    assert "answer_api_key is not used" in answered.stderr
    assert "authorization" not in chat.headers[0]
    assert "read" in clone.run("trust", "--list").stdout
    assert clone.run("trust", "--remove").returncode == 0
    assert json.loads(clone.run("ask", _QUESTION, "--json").stdout)["generated_by"] == "extractive"
    named = clone.run("--config", "citemark.toml", "ask", _QUESTION, "--json")
    assert json.loads(named.stdout)["generated_by"] == "provider"
    assert chat.headers[1]["authorization"] == "Bearer sk-mine-4711"


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_a_server_that_a_host_starts_there_serves_without_the_file_and_logs_why(clone: Clone) -> None:
    clone.file.write_text("min_score = [")
    served = clone.run("serve", told=json.dumps(_INITIALIZE) + "\n")
    assert json.loads(served.stdout.splitlines()[0])["result"]["serverInfo"]["name"]
    assert f"citemark trust {clone.file}" in served.stderr
    assert "settings_not_used" in served.stderr


@pytest.mark.requirement("foreign-settings-file-needs-trust")
def test_installing_from_there_does_not_name_the_file_to_the_host(clone: Clone) -> None:
    (Path(clone.environment["HOME"]) / ".cursor").mkdir()
    done = clone.run("install", "cursor", "--yes", "--json")
    assert "CITEMARK_CONFIG" not in json.loads(done.stdout)["entry"]["env"]


@pytest.mark.requirement("keys-stay-with-their-own-address")
def test_a_password_of_the_environment_reaches_no_database_of_a_trusted_file(
    server_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not os.environ.get("CITEMARK_TEST_DSN"):
        given = conninfo_to_dict(server_dsn)
        monkeypatch.setenv("PGPASSWORD", str(given.pop("password")))
        without = " ".join(f"{name}={value}" for name, value in given.items())
        psycopg.connect(without).close()
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(without_ambient_password(without))
