"""The command line over a Nextcloud account: from the login to a revoked password and back."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, index
from tests.nextcloud.server import Nextcloud
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import reachable_folder

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def folder() -> Generator[Path, None, None]:
    place = reachable_folder()
    yield place
    shutil.rmtree(place, ignore_errors=True)


@pytest.fixture
def environment(folder: Path, dsn: str) -> dict[str, str]:
    home = folder / "home"
    home.mkdir()
    return {**index(folder / "data").environment, "HOME": str(home), "CITEMARK_DATABASE_URL": dsn}


@pytest.fixture
def citemark(commands: Commands, folder: Path, environment: dict[str, str]) -> Run:
    def run(*arguments: str, **extra: str) -> "subprocess.CompletedProcess[str]":
        return commands.run(*arguments, env={**environment, **extra}, cwd=folder)

    return run


def parsed(done: "subprocess.CompletedProcess[str]") -> Any:
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.mark.requirement("history-retention-is-a-setting")
def test_an_account_keeps_history_only_if_told_and_adding_it_again_leaves_that_as_it_is(
    nextcloud: Nextcloud, citemark: Run
) -> None:
    add = ("add", "nextcloud", nextcloud.url, "--user", "alice", "--name", "mine", "--no-sync", "--json")
    password = nextcloud.password("alice")

    def kept(*options: str) -> tuple[bool, int | None]:
        assert citemark(*add, *options, CITEMARK_APP_PASSWORD=password).returncode == 0
        (source,) = parsed(citemark("history", "--json"))["sources"]
        return source["keeps"], source["days"]

    assert kept()[0] is False
    assert kept("--history", "30") == (True, 30)
    assert kept() == (True, 30)
    assert kept("--history", "none")[0] is False
    wrong = parsed(citemark(*add, "--history", "soon", CITEMARK_APP_PASSWORD=password))
    assert "History is kept for" in wrong["error"]["message"]


@pytest.mark.requirement("losing-commands-ask")
def test_adding_an_account_again_with_rules_that_drop_much_needs_consent(nextcloud: Nextcloud, citemark: Run) -> None:
    add = ("add", "nextcloud", nextcloud.url, "--user", "alice", "--name", "mine", "--json", "-q")
    password = nextcloud.password("alice")
    nextcloud.world.notes.add("alice", "Heron", "The heron project replaces the nightly export.", "Work")
    for number in range(9):
        nextcloud.world.files.put("alice", f"/{number}.md", f"The file with the number {number}.")

    def documents() -> int:
        return parsed(citemark("status", "--json"))["sources"][0]["documents"]

    tried = parsed(citemark(*add, "--dry-run", CITEMARK_APP_PASSWORD=password))
    assert (tried["sources"]["mine"]["listed"], tried["dry_run"]) == (10, True)
    assert parsed(citemark("sources", "--json"))["sources"] == []
    own = nextcloud.world.accounts.people["alice"].password
    assert citemark(*add, "--dry-run", CITEMARK_APP_PASSWORD=own).returncode == 0
    assert len(nextcloud.log.matching("DELETE .*/apppassword")) == 1, "of the one that the server issued for it"
    assert citemark(*add, CITEMARK_APP_PASSWORD=password).returncode == 0
    before = documents()
    tried = parsed(citemark(*add, "--exclude", "[1-5].md", "--dry-run", CITEMARK_APP_PASSWORD=password))
    assert (tried["sources"]["mine"]["gone"], tried["sources"]["mine"]["left_out"]["files"]) == (5, 5)
    for rules in (("--exclude", "*"), ("--apps", "notes")):
        refused = citemark(*add, *rules, CITEMARK_APP_PASSWORD=password)
        assert refused.returncode == 2, refused.stdout
        assert "Nothing was changed: --yes does it" in parsed(refused)["error"]["message"]
        assert parsed(citemark("sources", "--json"))["sources"][0]["config"].get(rules[0].strip("-")) is None
    citemark("sync", "mine", "-q")
    assert documents() == before
    assert citemark(*add, "--include", "**", CITEMARK_APP_PASSWORD=password).returncode == 0, "this drops nothing"
    assert citemark(*add, "--exclude", "*", "--yes", CITEMARK_APP_PASSWORD=password).returncode == 0


@pytest.mark.requirement("scripts-give-user-and-app-password")
@pytest.mark.requirement("wrong-password-stops-at-once")
@pytest.mark.requirement("first-401-stops-a-credential", "terminal-prints-document-addresses")
@pytest.mark.requirement("status-tells-refused-password", "empty-result-says-reason-and-advice")
def test_a_script_adds_an_account_that_stops_when_its_password_is_revoked_until_it_is_renewed(
    nextcloud: Nextcloud, citemark: Run
) -> None:
    nextcloud.world.notes.add("alice", "Heron", "The heron project replaces the nightly export.", "Work")
    add = ("add", "nextcloud", nextcloud.url, "--user", "alice", "--apps", "notes", "--json")

    wrong = citemark(*add, "--app-password", "wrong")
    assert wrong.returncode == 2
    assert "tried once" in parsed(wrong)["error"]["message"]
    assert [seen.status for seen in nextcloud.log.matching("GET /ocs")] == [401]

    added = parsed(citemark(*add, CITEMARK_APP_PASSWORD=nextcloud.password("alice")))
    name = added["added"]
    assert name.startswith("alice@127.0.0.1:")
    assert added["documents"] == 1

    nextcloud.world.accounts.revoke("alice")
    nextcloud.log.clear()
    hidden = citemark("search", "heron project nightly export", "--json")
    assert hidden.returncode == 3
    assert parsed(hidden)["empty_reason"] == "password_refused"
    assert "nightly export" not in hidden.stdout
    for command in (("status",), ("search", "heron"), ("evidence", "heron"), ("ask", "heron")):
        assert f"`citemark login {name}`" in citemark(*command).stdout, command
    stopped = citemark("sync", "--json")
    assert stopped.returncode == 1
    assert f"citemark login {name}" in parsed(stopped)["sources"][name]["reason"]
    # The first refusal, and one try each for whoever asks for the status and for a sync.
    assert [seen.status for seen in nextcloud.log.seen] == [401, 401, 401]

    bob = citemark("login", name, "--user", "bob", "--app-password", nextcloud.password("bob"), "--json")
    assert bob.returncode == 2
    assert "'bob'" in parsed(bob)["error"]["message"]
    secret = nextcloud.world.accounts.issue("alice", "renewed")
    renewed = parsed(citemark(*add, "--no-sync", CITEMARK_APP_PASSWORD=secret))
    assert renewed["added"] == name
    found = citemark("search", "heron project nightly export", "--json").stdout
    assert "nightly export" in found
    assert "/index.php/apps/notes/note/" in found
    for command in ("search", "evidence", "ask"):
        assert f"{nextcloud.url}/index.php/apps/notes/note/" in citemark(command, "heron project nightly export").stdout


@pytest.mark.requirement("app-passwords-encrypted-at-rest")
def test_a_person_logs_in_by_the_printed_link(nextcloud: Nextcloud, environment: dict[str, str], folder: Path) -> None:
    command = [CITEMARK, "add", "nextcloud", nextcloud.url, "--name", "mine", "--no-sync", "--json"]
    with subprocess.Popen(
        command, env=environment, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stderr is not None
        link = next(found[0] for line in running.stderr if (found := re.search(r"http://\S+/login/v2/flow/\S+", line)))
        secret = nextcloud.world.login.grant("alice", link)
        out, err = running.communicate(timeout=HANG_SECONDS)
    assert running.returncode == 0, err
    assert json.loads(out) == {"added": "mine"}
    assert secret not in out + err
    password = nextcloud.world.accounts.people["alice"].app_passwords[secret]
    assert password.name.startswith("Citemark ")
    assert os.uname().nodename in password.name


@pytest.mark.requirement("removed-account-revokes-password")
def test_a_removed_account_takes_its_app_password_with_it(nextcloud: Nextcloud, citemark: Run) -> None:
    add = ("add", "nextcloud", nextcloud.url, "--user", "alice", "--apps", "notes", "--name", "mine", "--json")
    secret = nextcloud.world.accounts.issue("alice", "for Citemark")
    other = nextcloud.world.accounts.issue("alice", "for something else")
    citemark(*add, "--no-sync", "--app-password", secret)
    removed = citemark("remove", "mine", "--json")
    assert removed.returncode == 0, removed.stderr
    assert parsed(removed) == {"removed": "mine", "password_revoked": True, "reason": ""}
    left = nextcloud.world.accounts.people["alice"].app_passwords
    assert secret not in left
    assert other in left


@pytest.mark.requirement("removed-account-revokes-password")
def test_an_account_is_removed_though_its_password_cannot_be_revoked(nextcloud: Nextcloud, citemark: Run) -> None:
    add = ("add", "nextcloud", nextcloud.url, "--user", "alice", "--apps", "notes", "--name", "mine", "--json")
    citemark(*add, "--no-sync", "--app-password", nextcloud.world.accounts.issue("alice", "for Citemark"))
    nextcloud.world.accounts.revoke("alice")
    removed = citemark("remove", "mine")
    assert removed.returncode == 0, removed.stderr
    assert "could not be revoked: The server did not accept it any more." in removed.stdout
    assert parsed(citemark("sources", "--json"))["sources"] == []
