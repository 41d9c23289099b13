"""The embedded server survives kills, crashes and what they leave behind."""

import os
import signal
import subprocess
from collections.abc import Callable, Generator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.integration.store.embedded_support import User, server_pid, unprivileged, until

from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import server_processes
from citemark.store.embedded.server_connection import socket_file

NewUser = Callable[..., User]


@pytest.fixture
def server(data_dir: Path) -> Generator[EmbeddedPostgres, None, None]:
    server = EmbeddedPostgres(data_dir)
    with psycopg.connect(server.acquire()) as connection:
        connection.execute("CREATE TABLE kept (word text)")
        connection.execute("INSERT INTO kept VALUES ('committed')")
    yield server
    server.release()


def words(dsn: str) -> list[tuple[str]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute("SELECT word FROM kept").fetchall()


@pytest.mark.requirement("sixty-seconds-for-crash-recovery")
@pytest.mark.requirement("killed-postgresql-is-survived")
def test_a_killed_server_comes_back_with_what_was_committed(server: EmbeddedPostgres, data_dir: Path) -> None:
    old = server_pid(data_dir)
    os.kill(old, signal.SIGKILL)
    until(lambda: not server.healthy, "the server is dead")
    assert words(server.ensure()) == [("committed",)]
    assert server_pid(data_dir) != old


def test_two_processes_that_notice_the_kill_restart_it_once(
    server: EmbeddedPostgres, data_dir: Path, new_user: NewUser
) -> None:
    other = new_user(data_dir)
    other.ask("acquire")
    starts = DataFolder(data_dir).log.read_text().count("starting PostgreSQL")
    os.kill(server_pid(data_dir), signal.SIGKILL)
    until(lambda: not server.healthy, "the server is dead")
    other.send("ensure")
    dsn = server.ensure()
    assert other.answer()["dsn"] == dsn
    assert DataFolder(data_dir).log.read_text().count("starting PostgreSQL") == starts + 1


def test_a_busy_child_of_a_killed_server_does_not_block_the_restart(server: EmbeddedPostgres, data_dir: Path) -> None:
    loop = "DO $$ BEGIN LOOP END LOOP; END $$"  # never looks whether its server still lives
    with closing(psycopg.connect(server.ensure(), autocommit=True)) as connection:
        busy = connection.info.backend_pid
        connection.pgconn.send_query(loop.encode())
        with closing(psycopg.connect(server.ensure(), autocommit=True)) as watching:
            question = "SELECT state FROM pg_stat_activity WHERE pid = %s"
            until(lambda: watching.execute(question, (busy,)).fetchone() == ("active",), "the loop runs")
            os.kill(server_pid(data_dir), signal.SIGKILL)
        until(lambda: not server.healthy, "the server is dead")
        assert words(server.ensure()) == [("committed",)]
        assert busy not in server_processes(DataFolder(data_dir).cluster)


def test_a_killed_backend_costs_no_more_than_a_retry(server: EmbeddedPostgres, data_dir: Path) -> None:
    def answers() -> bool:
        try:
            return words(server.ensure()) == [("committed",)]
        except psycopg.OperationalError:
            return False  # the server has just noticed, and ends its other connections as well

    old = server_pid(data_dir)
    with psycopg.connect(server.ensure()) as connection:
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT pg_sleep(30)")
    until(answers, "the server answers again")
    assert server_pid(data_dir) == old


@pytest.mark.requirement("liveness-found-by-connecting")
def test_a_pid_file_that_names_another_program_is_not_believed(data_dir: Path) -> None:
    other = subprocess.Popen(["/bin/sleep", "600"], cwd="/", **unprivileged())
    try:
        cluster = DataFolder(data_dir).cluster
        (cluster / "postmaster.pid").write_text(
            f"{other.pid}\n{cluster}\n1700000000\n5432\n{DataFolder(data_dir).run}\n\n  1 2\nready   \n"
        )
        server = EmbeddedPostgres(data_dir)
        assert not server.status().running
        server.acquire()
        assert server_pid(data_dir) != other.pid
        server.release()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize("rubbish", ["", "0\n", "-1\n", "no number\n", "999999999\n"])
def test_a_broken_pid_file_does_not_prevent_the_start(data_dir: Path, rubbish: str) -> None:
    (DataFolder(data_dir).cluster / "postmaster.pid").write_text(rubbish)
    server = EmbeddedPostgres(data_dir)
    server.acquire()
    assert server.healthy
    server.release()


def test_a_cluster_that_initdb_never_finished_is_created_again(empty_dir: Path, new_user: NewUser) -> None:
    data_dir = empty_dir / "data"
    layout = DataFolder(data_dir)
    killed = new_user(data_dir)
    killed.send("acquire")
    until((layout.unfinished_cluster / "PG_VERSION").exists, "initdb has begun")
    killed.kill()
    assert not layout.cluster.exists()
    server = EmbeddedPostgres(data_dir)
    with psycopg.connect(server.acquire()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert not layout.unfinished_cluster.exists()
    assert not list(layout.home.glob("*.initdb"))
    server.release()


def test_a_database_that_a_killed_process_did_not_create_is_created(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    dsn = server.acquire()
    with psycopg.connect(dsn, dbname="postgres", autocommit=True) as connection:
        connection.execute("DROP DATABASE citemark")
    with psycopg.connect(server.ensure()) as connection:
        assert connection.info.dbname == "citemark"
    server.release()


def test_a_server_whose_socket_was_swept_away_is_replaced(server: EmbeddedPostgres, data_dir: Path) -> None:
    old = server_pid(data_dir)
    socket_file(DataFolder(data_dir).run).unlink()
    assert words(server.ensure()) == [("committed",)]
    assert server_pid(data_dir) != old
