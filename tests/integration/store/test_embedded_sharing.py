"""Several processes share one embedded server."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest
from tests.integration.store.embedded_support import User, server_is_gone, server_pid, until
from tests.support.patience import HANG_SECONDS

from citemark.model.errors import BackendUnavailable
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.cluster import MAX_CONNECTIONS
from citemark.store.embedded.data_folder import DataFolder, locked_folder

NewUser = Callable[..., User]


@pytest.mark.requirement("start-lock-lies-in-data-folder")
@pytest.mark.requirement("processes-share-the-embedded-server")
def test_processes_that_race_on_an_empty_folder_create_and_start_one_server(empty_dir: Path, new_user: NewUser) -> None:
    data_dir = empty_dir / "data"
    users = [new_user(data_dir) for _ in range(3)]
    for user in users:
        user.send("acquire")
    answers = [user.answer() for user in users]
    assert [answer for answer in answers if "dsn" not in answer] == []
    assert len({(answer["dsn"], answer["pid"]) for answer in answers}) == 1
    assert DataFolder(data_dir).log.read_text().count("starting PostgreSQL") == 1


@pytest.mark.requirement("start-lock-lies-in-data-folder")
def test_a_folder_that_another_process_is_making_is_waited_for_and_not_made_again(
    empty_dir: Path, new_user: NewUser
) -> None:
    data_dir = empty_dir / "data"
    data_dir.mkdir(mode=0o700)
    home = DataFolder(data_dir).home
    with locked_folder(data_dir):
        user = new_user(data_dir)
        user.send("acquire")
        until(lambda: home.exists() or _is_waited_for(data_dir), "it waits for the folder, or makes its own")
        assert not home.exists()
    assert "dsn" in user.answer()


def _is_waited_for(folder: Path) -> bool:
    """Whether a process waits for a lock on the folder: proc(5) marks it with an arrow."""
    waiting = [line for line in Path("/proc/locks").read_text().splitlines() if "->" in line]
    return any(f":{folder.stat().st_ino} " in line for line in waiting)


@pytest.mark.requirement("left-over-server-is-adopted")
@pytest.mark.requirement("killed-client-leaves-others-working")
def test_a_server_whose_starting_process_was_killed_is_taken_over(data_dir: Path, new_user: NewUser) -> None:
    first = new_user(data_dir)
    pid = first.ask("acquire")["pid"]
    first.kill()
    second = new_user(data_dir)
    assert second.ask("acquire")["pid"] == pid


@pytest.mark.requirement("last-process-stops-the-server")
def test_the_server_is_stopped_by_its_last_user_and_not_before(data_dir: Path, new_user: NewUser) -> None:
    first, second = new_user(data_dir), new_user(data_dir)
    first.ask("acquire")
    second.ask("acquire")
    assert first.ask("release")["pid"] is not None
    assert second.ask("release")["pid"] is None
    assert server_is_gone(data_dir)


@pytest.mark.requirement("killed-client-leaves-others-working")
def test_a_killed_process_does_not_count_as_a_user(data_dir: Path, new_user: NewUser) -> None:
    killed, last = new_user(data_dir), new_user(data_dir)
    killed.ask("acquire")
    last.ask("acquire")
    killed.kill()
    assert last.ask("release")["pid"] is None


def test_a_connection_of_another_program_keeps_the_server(data_dir: Path, new_user: NewUser) -> None:
    user = new_user(data_dir)
    dsn = user.ask("acquire")["dsn"]
    with psycopg.connect(dsn, autocommit=True) as connection:
        assert user.ask("release")["pid"] is not None
        assert connection.execute("SELECT 1").fetchone() == (1,)
    user.ask("acquire")
    assert user.ask("release")["pid"] is None


def test_a_server_with_every_connection_taken_is_reported_as_busy_and_not_as_starting(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir, start_timeout=5.0)
    dsn = server.acquire()
    pid = server_pid(data_dir)
    with ExitStack() as taken:
        for _ in range(MAX_CONNECTIONS):
            taken.enter_context(psycopg.connect(dsn, autocommit=True))
        for ask in (EmbeddedPostgres(data_dir, start_timeout=5.0).acquire, server.ensure):
            with pytest.raises(BackendUnavailable, match=f"running, but all of its {MAX_CONNECTIONS} connections"):
                ask()
        assert server.status().running
        assert not server.healthy
        server.release()
        assert server_pid(data_dir) == pid
    again = EmbeddedPostgres(data_dir)
    again.acquire()
    again.release()
    assert server_is_gone(data_dir)


def test_starting_and_stopping_at_the_same_time_ends_with_a_server_for_who_stays(
    data_dir: Path, new_user: NewUser
) -> None:
    leaving, coming = new_user(data_dir), new_user(data_dir)
    for _ in range(5):
        leaving.ask("acquire")
        leaving.send("release")
        coming.send("acquire")
        leaving.answer()
        dsn = coming.answer()["dsn"]
        with psycopg.connect(dsn) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert coming.ask("release")["pid"] is None


def test_threads_of_one_process_share_one_acquisition(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(server.acquire())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
    server.release()
    assert server_is_gone(data_dir)


def test_a_released_server_is_not_restarted_by_a_late_caller(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    server.acquire()
    server.release()
    server.release()
    with pytest.raises(BackendUnavailable, match="closed"):
        server.ensure()
    assert server_is_gone(data_dir)


def test_the_pipes_and_the_session_of_the_starter_are_not_kept(data_dir: Path, new_user: NewUser) -> None:
    user = new_user(data_dir)
    pid = user.ask("acquire")["pid"]
    assert user.process.stdin
    assert user.process.stdout
    user.process.stdin.close()
    assert user.process.stdout.read() == ""  # the end of the pipe, while the server runs on
    user.process.wait(HANG_SECONDS)
    assert not server_is_gone(data_dir)
    session = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[3]
    assert session != Path("/proc/self/stat").read_text().rpartition(")")[2].split()[3]


def test_a_running_server_is_reached_at_once(data_dir: Path, new_user: NewUser) -> None:
    new_user(data_dir).ask("acquire")
    log = DataFolder(data_dir).log.read_bytes()
    pid = server_pid(data_dir)
    server = EmbeddedPostgres(data_dir, start_timeout=0.0)  # no time at all to start one
    server.acquire()
    assert server.healthy
    assert server_pid(data_dir) == pid
    assert DataFolder(data_dir).log.read_bytes() == log
