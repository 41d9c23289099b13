"""A backup taken while servers answer is restored elsewhere, and answers there with the same ids and citations."""

import json
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.commands import Commands
from tests.acceptance.served import CITEMARK, Served, index, over_http
from tests.support.patience import HANG_SECONDS
from tests.support.postgres import fresh_database, reachable_folder

QUESTIONS = tuple(f"Who opens valve {number}?" for number in range(10))


@pytest.fixture(scope="module")
def place() -> Generator[Path, None, None]:
    folder = reachable_folder()
    docs = folder / "docs"
    docs.mkdir()
    for number in range(20):
        (docs / f"valve-{number}.md").write_text(
            f"# Valve {number}\n\nValve {number} is opened by crew {number * 7}.\n"
        )
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def served(place: Path, commands: Commands) -> Served:
    made = index(place / "data")
    words = ("add", "docs", str(place / "docs"), "--name", "valves")
    commands.run(*words, env=made.environment, timeout=HANG_SECONDS, check=True)
    return made


@pytest.fixture(scope="module")
def backup(place: Path, served: Served, commands: Commands) -> Path:
    """A backup that was made while a server was running."""
    folder = place / "backup"
    with over_http(served):
        answers(commands, served, QUESTIONS[:1])
        done = commands.run("backup", str(folder), env=served.environment, timeout=HANG_SECONDS)
    assert done.returncode == 0, done.stderr
    assert "20 documents from 1 source" in done.stdout
    return folder


def answers(commands: Commands, served: Served, questions: tuple[str, ...] = QUESTIONS) -> list[list[dict[str, Any]]]:
    """What each question is answered with, without the moment it was asked at."""
    found: list[list[dict[str, Any]]] = []
    for question in questions:
        done = commands.run("search", question, "--json", env=served.environment, timeout=HANG_SECONDS, check=True)
        hits = json.loads(done.stdout)["results"]
        assert hits, question
        for hit in hits:
            del hit["citation"]["as_of"]
            del hit["scratch_uri"], hit["passage_id"]  # handles, which are for one conversation
        found.append(hits)
    return found


def refused(commands: Commands, served: Served, folder: Path) -> str:
    done = commands.run("restore", str(folder), env=served.environment, timeout=HANG_SECONDS)
    assert done.returncode == 2, done.stdout
    return done.stderr


@pytest.mark.slow
@pytest.mark.requirement("backup-answers-the-same")
def test_a_restored_backup_answers_ten_questions_with_the_same_hits_ids_and_citations(
    place: Path, served: Served, backup: Path, commands: Commands
) -> None:
    restored = index(place / "restored")
    done = commands.run("restore", str(backup), env=restored.environment, timeout=HANG_SECONDS)
    assert done.returncode == 0, done.stderr
    assert "20 documents from 1 source" in done.stdout
    assert answers(commands, restored) == answers(commands, served)
    assert "holds an index already" in refused(commands, restored, backup)


@pytest.mark.requirement("backup-answers-the-same")
def test_a_dump_of_a_database_is_restored_to_another_one(
    place: Path, served: Served, commands: Commands, server_dsn: str
) -> None:
    old, new = (
        replace(made, env={**made.env, "CITEMARK_DATABASE_URL": fresh_database(server_dsn)})
        for made in (index(place / "first"), index(place / "second"))
    )
    words = ("add", "docs", str(place / "docs"), "--name", "valves")
    commands.run(*words, env=old.environment, timeout=HANG_SECONDS, check=True)
    commands.run("backup", str(place / "dump"), env=old.environment, timeout=HANG_SECONDS, check=True)
    commands.run("restore", str(place / "dump"), env=new.environment, timeout=HANG_SECONDS, check=True)
    assert answers(commands, new, QUESTIONS[:3]) == answers(commands, old, QUESTIONS[:3])
    assert "holds tables already" in refused(commands, new, place / "dump")


@pytest.mark.requirement("damaged-backups-refused")
def test_a_damaged_interrupted_or_newer_backup_is_refused_with_what_is_wrong(
    place: Path, backup: Path, commands: Commands
) -> None:
    target = index(place / "never")
    written = json.loads((backup / "manifest.json").read_text())
    last = (backup / "base.tar").stat().st_size - 1
    for change, message in damages(written, last):
        copy = place / "damaged"
        shutil.copytree(backup, copy)
        change(copy)
        assert message in refused(commands, target, copy)
        shutil.rmtree(copy)
    assert not (place / "never").exists()


Damage = Callable[[Path], object]


def damages(written: dict[str, Any], last: int) -> Iterator[tuple[Damage, str]]:
    """Ways to spoil a backup, each with a part of what is said of it."""

    def flip(folder: Path) -> None:
        with (folder / "base.tar").open("r+b") as file:
            file.seek(last)
            file.write(b"x")

    def gone(name: str) -> Damage:
        return lambda folder: (folder / name).unlink()

    def holds(name: str, text: str) -> Damage:
        return lambda folder: (folder / name).write_text(text)

    def manifest(**fields: object) -> Damage:
        return holds("manifest.json", json.dumps({**written, **fields}))

    yield gone("base.tar"), "base.tar is missing"
    yield holds("pg_wal.tar", "short"), "pg_wal.tar has 5 of"
    yield flip, "base.tar has been changed"
    yield gone("manifest.json"), "is not a complete backup: manifest.json is missing"
    yield holds("manifest.json", "{"), "manifest.json cannot be read"
    yield manifest(files={}), "manifest.json cannot be read"
    yield manifest(files={"../../secret": {"size": 1, "sha256": ""}}), "manifest.json cannot be read"
    yield manifest(format=2, citemark="9.9.9"), "made by Citemark 9.9.9"
    yield manifest(schema=9999, citemark="9.9.9"), "its schema is 9999"


@pytest.mark.requirement("damaged-backups-refused")
def test_a_backup_that_is_killed_leaves_no_backup_and_the_next_one_replaces_what_it_left(
    place: Path, served: Served, commands: Commands
) -> None:
    folder, unfinished = place / "killed", place / "killed.unfinished"
    process = subprocess.Popen([CITEMARK, "backup", str(folder)], env=served.environment, stderr=subprocess.DEVNULL)
    while not unfinished.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait(HANG_SECONDS)
    assert not folder.exists()
    assert unfinished.exists()
    assert "is not a complete backup" in refused(commands, index(place / "never"), unfinished)
    commands.run("backup", str(folder), env=served.environment, timeout=HANG_SECONDS, check=True)
    assert not unfinished.exists()
    assert (folder / "manifest.json").exists()


@pytest.mark.requirement("keys-apart-from-backups")
def test_keys_are_never_in_a_backup_and_are_copied_to_another_folder_when_asked(
    place: Path, served: Served, commands: Commands
) -> None:
    for name in ("secret.key", "http.token"):
        (place / "data" / name).write_text(f"{name} of this index")
        (place / "data" / name).chmod(0o600)
    inside = commands.run("backup", str(place / "b"), "--keys", str(place / "b/keys"), env=served.environment)
    assert "must not lie in the backup" in inside.stderr
    words = ("backup", str(place / "with-keys"), "--keys", str(place / "keys"))
    commands.run(*words, env=served.environment, timeout=HANG_SECONDS, check=True)
    held = b"".join(file.read_bytes() for file in (place / "with-keys").iterdir())
    assert b"of this index" not in held
    other = index(place / "other")
    words = ("restore", str(place / "with-keys"), "--keys", str(place / "keys"))
    commands.run(*words, env=other.environment, timeout=HANG_SECONDS, check=True)
    for name in ("secret.key", "http.token"):
        assert (place / "other" / name).read_text() == f"{name} of this index"
        assert (place / "other" / name).stat().st_mode & 0o077 == 0


@pytest.mark.requirement("damaged-backups-refused")
def test_nothing_is_written_over(place: Path, served: Served, backup: Path, commands: Commands) -> None:
    before = {file.name: file.stat().st_mtime_ns for file in backup.iterdir()}
    again = commands.run("backup", str(backup), env=served.environment, timeout=HANG_SECONDS)
    assert "There is something at" in again.stderr
    assert {file.name: file.stat().st_mtime_ns for file in backup.iterdir()} == before
    nothing = commands.run("backup", str(place / "none"), env=index(place / "empty").environment)
    assert "There is no index in" in nothing.stderr
    assert not (place / "none").exists()
