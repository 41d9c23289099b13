"""Data folders of all kinds: private, long, foreign, full, broken."""

import os
import pwd
import shutil
import stat
import subprocess
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from tests.integration.store.embedded_support import IS_ROOT, User, copy_of, server_pid, unprivileged
from tests.support.groups import groups

from citemark.app.open_index import open_app
from citemark.app.tool_groups_file import ToolGroupsFile
from citemark.folders import default_data_dir
from citemark.http_token import http_token
from citemark.model.errors import BackendUnavailable, ConfigurationError
from citemark.settings import Settings
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.binaries import Binaries, find_binaries, reachable
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.server_account import initdb_account, server_account
from citemark.store.migrate import migrate
from citemark.tools.index_contents import IndexContents

NewUser = Callable[..., User]
as_root = pytest.mark.skipif(not IS_ROOT, reason="only root lends the server another account")


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.requirement("embedded-server-takes-scram-only")
@pytest.mark.requirement("socket-folder-is-the-owners-alone")
def test_only_the_password_opens_it_and_no_network_does(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    dsn = server.acquire()
    layout = DataFolder(data_dir)
    assert mode_of(layout.password) == 0o600
    assert mode_of(layout.log) == 0o600
    assert mode_of(layout.cluster) == 0o700
    assert mode_of(layout.run) == 0o700
    for wrong in ("", "citemark"):
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(dsn, password=wrong, passfile=os.devnull)
    with psycopg.connect(dsn) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        assert connection.execute("SHOW data_checksums").fetchone() == ("on",)
        databases = connection.execute("SELECT datname FROM pg_database ORDER BY 1").fetchall()
        assert databases == [("citemark",), ("postgres",), ("template0",), ("template1",)]
        connection.execute("CREATE EXTENSION vector")
    server.release()
    assert str(conninfo_to_dict(dsn)["password"]) not in layout.log.read_text()


def test_the_environment_of_the_caller_changes_nothing(data_dir: Path, new_user: NewUser) -> None:
    strange = {
        "PGHOST": "10.255.255.1",
        "PGPORT": "1",
        "PGUSER": "x",
        "PGDATA": "/nowhere",
        "LC_ALL": "xx_XX",
        "TZ": "x",
    }
    user = new_user(data_dir, environment=strange)
    with psycopg.connect(user.ask("acquire")["dsn"]) as connection:
        assert connection.execute("SHOW timezone").fetchone() == ("UTC",)
    pid = user.ask("acquire")["pid"]
    assert b"10.255.255.1" not in Path(f"/proc/{pid}/environ").read_bytes()
    assert user.ask("release")["pid"] is None


def test_a_path_too_long_for_a_socket_gets_a_short_private_folder(made_data_dir: Path, empty_dir: Path) -> None:
    parent = empty_dir / ("long" * 25)
    parent.mkdir(mode=0o711)
    server = EmbeddedPostgres(copy_of(made_data_dir, parent / "data"))
    with psycopg.connect(server.acquire()) as connection:
        folder = Path(connection.info.host)
        assert len(os.fsencode(folder)) < 80
        assert mode_of(folder) == 0o700
        assert folder.stat().st_uid == server_account(DataFolder(parent / "data")).uid
    server.release()
    # Somebody may have opened it meanwhile: then it is not used again.
    folder.chmod(0o777)
    with psycopg.connect(server.acquire()) as connection:
        other = Path(connection.info.host)
        assert other != folder
    server.release()
    shutil.rmtree(folder)
    shutil.rmtree(other)


def test_a_path_with_a_comma_and_a_quote_works(made_data_dir: Path, empty_dir: Path) -> None:
    server = EmbeddedPostgres(copy_of(made_data_dir, empty_dir / 'a, b\'s "c" é'))
    with psycopg.connect(server.acquire()) as connection:
        folder = Path(connection.info.host)
    server.release()
    shutil.rmtree(folder)


@pytest.mark.requirement("forbidden-data-folder-gets-clear-error")
def test_a_folder_without_permission_is_named_with_the_way_out(empty_dir: Path, new_user: NewUser) -> None:
    closed = empty_dir / "closed"
    closed.mkdir(mode=0o500)
    answer = new_user(closed / "data", as_nobody=True).ask("acquire")
    assert answer["error"] == "ConfigurationError"
    assert "CITEMARK_DATA_DIR" in answer["message"]
    assert str(closed) in answer["message"]


@pytest.mark.requirement("newer-index-named")
async def test_an_older_program_names_a_newer_index_and_leaves_no_server_behind_whoever_runs_it(data_dir: Path) -> None:
    server = EmbeddedPostgres(data_dir)
    dsn = server.acquire()
    migrate(dsn)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("INSERT INTO schema_version (version, name) VALUES (9000, 'from the future')")
    server.release()
    with pytest.raises(ConfigurationError, match="newer version of Citemark: its schema is 9000"):
        async with open_app(Settings(data_dir=data_dir)):
            pass
    assert not server.status().running


def test_a_file_in_place_of_the_folder_is_a_clear_error(empty_dir: Path) -> None:
    (empty_dir / "data").write_text("not a folder")
    with pytest.raises(ConfigurationError, match="cannot be the data folder"):
        EmbeddedPostgres(empty_dir / "data").acquire()


def test_a_user_who_is_not_root_keeps_everything_to_themselves(empty_dir: Path, new_user: NewUser) -> None:
    data_dir = empty_dir / "data"
    data_dir.mkdir(mode=0o700)
    if IS_ROOT:
        os.chown(data_dir, unprivileged()["user"], unprivileged()["group"])
    user = new_user(data_dir, as_nobody=True)
    assert user.ask("acquire")["pid"] is not None
    assert mode_of(data_dir) == 0o700
    assert mode_of(data_dir / "postgres") == 0o700
    server = EmbeddedPostgres(data_dir)
    if IS_ROOT:  # root comes to the same server, and both leave it usable for each other
        server.acquire()
        server.release()
    assert user.ask("release")["pid"] is None
    if IS_ROOT:
        server.acquire()
        server.release()
        assert user.ask("acquire")["pid"] is not None
        assert user.ask("release")["pid"] is None


@as_root
@pytest.mark.requirement("root-runs-under-another-number", "root-parses-under-other-accounts")
def test_for_root_the_server_runs_under_an_existing_account_without_other_files(data_dir: Path) -> None:
    accounts = Path("/etc/passwd").read_text()
    server = EmbeddedPostgres(data_dir)
    server.acquire()
    process = Path(f"/proc/{server_pid(data_dir)}/status").read_text()
    account = server_account(DataFolder(data_dir))
    assert account.uid not in {0, unprivileged()["user"]}
    assert f"Uid:\t{account.uid}\t{account.uid}" in process
    assert f"Gid:\t{account.gid}\t{account.gid}" in process
    groups = next(line for line in process.splitlines() if line.startswith("Groups:"))
    assert groups.split()[1:] in ([], [str(account.gid)])
    server.release()
    assert Path("/etc/passwd").read_text() == accounts


@as_root
@pytest.mark.requirement("root-parses-under-other-accounts")
def test_a_cluster_without_an_owner_is_taken_over_with_its_files_and_no_others(data_dir: Path, empty_dir: Path) -> None:
    layout, nobody = DataFolder(data_dir), unprivileged()
    for place in (layout.cluster, *layout.cluster.rglob("*")):
        os.chown(place, nobody["user"], nobody["group"], follow_symlinks=False)
    foreign = empty_dir / "foreign"
    foreign.write_text("of root")
    (layout.cluster / "hard").hardlink_to(foreign)
    (layout.cluster / "soft").symlink_to(foreign)
    server = EmbeddedPostgres(data_dir)
    with psycopg.connect(server.acquire()) as connection:
        connection.execute("SELECT 1")
    account = server_account(layout)
    assert {path.lstat().st_uid for path in (layout.cluster / "base").rglob("*")} == {account.uid}
    assert foreign.stat().st_uid == 0
    server.release()


@as_root
@pytest.mark.requirement("root-parses-under-other-accounts")
def test_an_account_called_citemark_is_taken_where_there_is_one(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = pwd.getpwnam("daemon")

    def named(_: str) -> pwd.struct_passwd:
        return daemon

    monkeypatch.setattr(pwd, "getpwnam", named)
    assert server_account(DataFolder(data_dir)).uid == daemon.pw_uid


@pytest.mark.requirement("root-parses-under-other-accounts")
def test_all_files_in_the_data_folder_are_readable_only_by_its_owner(empty_dir: Path) -> None:
    data_dir = empty_dir / "data"
    before = os.umask(0)
    try:
        server = EmbeddedPostgres(data_dir)
        with psycopg.connect(server.acquire()) as connection:
            connection.execute("CREATE TABLE t (id int)")
        http_token(data_dir)
        assert ToolGroupsFile(Settings(data_dir=data_dir)).keep(IndexContents(groups(nextcloud=True)))
        open_to_others = [
            path
            for path in (data_dir, *data_dir.rglob("*"))
            if not any(part.startswith("pgbin-") for part in path.parts)
            and path.lstat().st_mode & (0o067 if path.is_dir() else 0o177)
            and not stat.S_ISSOCK(path.lstat().st_mode)
        ]
        server.release()
    finally:
        os.umask(before)
    assert open_to_others == []


@as_root
@pytest.mark.requirement("no-modes-changed-outside-data-folder")
def test_root_opens_its_own_data_folder_and_no_other(made_data_dir: Path, empty_dir: Path) -> None:
    parent = empty_dir / "parent"
    parent.mkdir(mode=0o700)
    server = EmbeddedPostgres(copy_of(made_data_dir, parent / "data"))
    with pytest.raises(ConfigurationError, match="CITEMARK_DATA_DIR"):
        server.acquire()
    assert mode_of(parent) == 0o700
    parent.chmod(0o711)
    (parent / "data").chmod(0o700)
    server.acquire()
    assert mode_of(parent) == 0o711
    server.release()


@as_root
def test_programs_that_the_account_cannot_reach_are_copied_into_the_data_folder(empty_dir: Path) -> None:
    installed = find_binaries()
    closed = empty_dir / "closed"
    closed.mkdir(mode=0o700)
    package = installed.root.parent
    for part in (installed.root, package.with_name(f"{package.name}.libs")):
        shutil.copytree(part, closed / part.relative_to(package.parent), symlinks=True)
    hidden = Binaries(closed / package.name / installed.root.name, installed.major)
    home = empty_dir / "home"
    home.mkdir(mode=0o711)
    account = initdb_account(server_account(DataFolder(home)))
    copied = reachable(hidden, account, home)
    shutil.rmtree(closed)
    assert copied.root.is_relative_to(home)
    for program in (copied.initdb, copied.postgres):
        told = account.run([str(program), "--version"])
        assert told.returncode == 0, told.stdout
    made = home / "cluster"
    made.mkdir(mode=0o700)
    os.chown(made, account.uid, account.gid)
    told = account.run([str(copied.initdb), "-D", str(made), "-U", "x", "--no-sync", "--no-instructions"])
    assert told.returncode == 0, told.stdout
    assert reachable(copied, account, home) == copied


def fill(file: Path) -> None:
    """Write until the disk is full."""
    with file.open("wb", buffering=0) as out, suppress(OSError):
        while True:
            out.write(bytes(2**20))


@as_root
@pytest.mark.requirement("full-disk-loses-nothing")
def test_a_full_disk_is_named_and_nothing_is_lost(empty_dir: Path) -> None:
    disk = empty_dir / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m,mode=711", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this container may not mount a small disk")
    try:
        server = EmbeddedPostgres(disk / "data")
        with pytest.raises(BackendUnavailable, match="full"):
            server.acquire()
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        with psycopg.connect(server.acquire()) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 'committed' AS word")
        server.release()
        filler = disk / "filler"
        fill(filler)
        with pytest.raises(BackendUnavailable, match="full"):
            server.acquire()
        filler.unlink()
        with psycopg.connect(server.acquire()) as connection:
            assert connection.execute("SELECT word FROM kept").fetchall() == [("committed",)]
        server.release()
    finally:
        # Lazily: a server counts as gone some microseconds before the system has put away its working folder.
        subprocess.run(["umount", "--lazy", str(disk)], check=True)


def test_a_cluster_of_another_version_is_refused_with_the_reason(data_dir: Path) -> None:
    (DataFolder(data_dir).cluster / "PG_VERSION").write_text("12\n")
    with pytest.raises(ConfigurationError, match="PostgreSQL 12"):
        EmbeddedPostgres(data_dir).acquire()


def test_a_folder_that_holds_something_else_is_not_touched(data_dir: Path) -> None:
    version = DataFolder(data_dir).cluster / "PG_VERSION"
    version.unlink()
    with pytest.raises(ConfigurationError, match="PG_VERSION"):
        EmbeddedPostgres(data_dir).acquire()
    assert (DataFolder(data_dir).cluster / "base").is_dir()


def test_a_lost_or_wrong_password_file_is_named(data_dir: Path) -> None:
    password = DataFolder(data_dir).password
    right = password.read_text()
    password.write_text("wrong\n")
    server = EmbeddedPostgres(data_dir)
    with pytest.raises(ConfigurationError, match="password"):
        server.acquire()
    password.unlink()
    with pytest.raises(ConfigurationError, match="password"):
        server.acquire()
    password.write_text(right)
    server.acquire()
    server.release()


def test_a_server_that_gives_up_shows_its_last_words(data_dir: Path) -> None:
    shutil.rmtree(DataFolder(data_dir).cluster / "pg_wal")
    with pytest.raises(BackendUnavailable, match="pg_wal") as caught:
        EmbeddedPostgres(data_dir).acquire()
    assert any("pg_wal" in line for line in caught.value.details["log"])


def test_a_log_that_is_too_large_is_rotated(data_dir: Path) -> None:
    log = DataFolder(data_dir).log
    log.write_bytes(b"x" * 5 * 2**20)
    server = EmbeddedPostgres(data_dir)
    server.acquire()
    assert log.stat().st_size < 2**20
    server.release()


def test_the_status_changes_nothing_on_an_empty_folder(empty_dir: Path) -> None:
    status = EmbeddedPostgres(empty_dir / "data").status()
    assert not status.running
    assert status.major is None
    assert status.data_bytes == 0
    assert not (empty_dir / "data").exists()


@pytest.mark.requirement("default-data-folder-of-root-reachable")
def test_the_default_folder_is_one_that_the_server_can_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert default_data_dir() == Path("/var/lib/citemark")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", "/home/ada")
    monkeypatch.setenv("XDG_DATA_HOME", "relative/is/ignored")
    assert default_data_dir() == Path("/home/ada/.local/share/citemark")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_data_dir() == Path("/data/citemark")
    monkeypatch.setattr("sys.platform", "darwin")
    assert default_data_dir() == Path("/home/ada/Library/Application Support/citemark")
