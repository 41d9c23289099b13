"""Starts and stops the server. The caller holds the start lock throughout."""

import os
import signal
import stat
import time
from pathlib import Path

import psycopg

from citemark.model.errors import CitemarkError, ConfigurationError
from citemark.store.embedded.binaries import find_binaries, reachable
from citemark.store.embedded.cluster import access_rules, cluster_major, create_cluster, read_password, server_settings
from citemark.store.embedded.data_folder import DataFolder, give_tree, write_whole
from citemark.store.embedded.diagnostics import open_log, read_tail, server_failed
from citemark.store.embedded.postmaster import FileLock, PidFile, is_server_of, read_pid_file, send, server_processes
from citemark.store.embedded.server_account import ServerAccount
from citemark.store.embedded.server_connection import (
    create_database,
    others_connected,
    server_conninfo,
    socket_file,
    socket_folder,
)

_PAUSE = 0.01  # seconds between two checks of a starting server
_TRANSIENT = "57P"  # prefix of the SQLSTATEs of a server that starts, stops or crashed: a retry may work
_ORPHAN_SECONDS = 1.0  # seconds in which the children of a killed server should notice its end


class Lifecycle:
    """One attempt to start, find or stop the server of a data folder."""

    def __init__(self, layout: DataFolder, account: ServerAccount) -> None:
        self._layout = layout
        self._account = account
        self._log_start = 0
        self._last_error = ""

    def bring_up(self, deadline: float) -> str:
        """Make the server run and its database exist by `deadline` (monotonic seconds); returns the conninfo.

        Raises:
            ConfigurationError: the folder or the cluster in it cannot be used.
            BackendUnavailable: the server gave up, or takes too long.
        """
        started = False
        lost_since: float | None = None
        while True:
            running = self._running()
            with FileLock(self._layout.server_lock) as lock:
                if running is None and lock.try_exclusive():
                    if started:
                        raise self._failed("PostgreSQL stopped while starting")
                    self._start(lock)
                    started = True
            if running is None:
                # The lock is held by a server too young for its pid file, by initdb, or by children of a dead server.
                lost_since = lost_since or time.monotonic()
                if not started and time.monotonic() - lost_since > _ORPHAN_SECONDS:
                    self._end_orphans(hard=time.monotonic() - lost_since > 3 * _ORPHAN_SECONDS)
            elif running.status == "ready" and (dsn := self._open(running)) is not None:
                return dsn
            if time.monotonic() >= deadline:
                raise self._failed("PostgreSQL is running but takes no connection yet; it may still be recovering")
            time.sleep(_PAUSE)

    def stop_unless_used(self, deadline: float) -> None:
        """Stop the server (fast: open transactions end) unless a client is connected; wait for its end.

        Raises:
            psycopg.Error: the server does not answer, so its users are unknown.
        """
        running = self._running()
        if running is None or running.sockets is None or running.port is None:
            return
        if others_connected(running.sockets, running.port, read_password(self._layout)):
            return
        self._stop(running, deadline)

    def _running(self) -> PidFile | None:
        pid_file = read_pid_file(self._layout.cluster)
        return pid_file if pid_file is not None and is_server_of(pid_file.pid, self._layout.cluster) else None

    def _start(self, lock: FileLock) -> None:
        """Launch the server, which inherits the held `lock`; no process of an earlier one is alive."""
        layout = self._layout
        self._check_reach()
        major = cluster_major(layout)
        binaries = reachable(find_binaries(major), self._account, layout.home)
        if major is None:
            create_cluster(layout, self._account, binaries, lock)
        read_password(layout)
        # The process that it names is dead or another program, which PostgreSQL would mistake for a server.
        (layout.cluster / "postmaster.pid").unlink(missing_ok=True)
        self._take_over()
        sockets = socket_folder(layout, self._account)
        owner = {"uid": self._account.uid, "gid": self._account.gid}
        write_whole(layout.access, access_rules(), **owner)
        settings = server_settings(cluster=layout.cluster, access=layout.access, sockets=sockets)
        write_whole(layout.config, settings, **owner)
        log = open_log(layout)
        self._log_start = os.fstat(log).st_size
        try:
            command = [str(binaries.postgres), "-D", str(layout.cluster), "-c", f"config_file={layout.config}"]
            self._account.spawn(command, layout=layout, output=log, keep=(lock.fd,))
        finally:
            os.close(log)

    def _check_reach(self) -> None:
        """Make sure that the server's account can reach the folder; only the data folder itself is opened up for it."""
        data_dir, home = self._layout.data_dir, self._layout.home
        if not self._account.switched or home.stat().st_uid == self._account.uid:
            return
        self._let_pass(home)
        if not self._account.can(("-x", home)):
            self._let_pass(data_dir)
        if not self._account.can(("-x", home)):
            raise ConfigurationError(
                f"PostgreSQL does not run as root, and its account (uid {self._account.uid}) cannot pass the folders "
                f"above {data_dir}; set CITEMARK_DATA_DIR to a folder it can reach, such as /var/lib/citemark.",
                data_dir=str(data_dir),
            )

    def _let_pass(self, folder: Path) -> None:
        """Let the server's account, and no other, pass through a folder."""
        status = folder.stat()
        mode = stat.S_IMODE(status.st_mode) & ~0o077 | 0o010
        if (status.st_gid, stat.S_IMODE(status.st_mode)) != (self._account.gid, mode):
            os.chown(folder, -1, self._account.gid)
            folder.chmod(mode)

    def _take_over(self) -> None:
        """Give the server's account a cluster of another account: that of an earlier version, or of another owner."""
        if not self._account.switched:
            return
        old_uid = self._layout.cluster.stat().st_uid
        if old_uid not in (0, self._account.uid):
            give_tree(self._layout.cluster, before=(old_uid,), uid=self._account.uid, gid=self._account.gid)

    def _open(self, running: PidFile) -> str | None:
        """The conninfo of a server that says it is ready, or None if it does not answer (yet)."""
        if running.sockets is None or running.port is None:
            return None
        password = read_password(self._layout)
        try:
            create_database(running.sockets, running.port, password)
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise ConfigurationError(
                    f"The password in {self._layout.password} is not that of the database; restore the file, "
                    "or set CITEMARK_DATA_DIR to an empty folder and index again.",
                    data_dir=str(self._layout.data_dir),
                ) from None
            if error.sqlstate is not None and not error.sqlstate.startswith(_TRANSIENT):
                raise self._refused(error) from None
            self._last_error = str(error)
            if not socket_file(running.sockets).exists():
                # Without its socket it can never be reached again: let it end, and start a new one.
                send(running.pid, signal.SIGINT)
            return None
        except psycopg.Error as error:
            raise self._refused(error) from None
        return server_conninfo(running.sockets, running.port, password)

    def _stop(self, running: PidFile, deadline: float) -> None:
        send(running.pid, signal.SIGINT)
        while time.monotonic() < deadline:
            with FileLock(self._layout.server_lock) as lock:
                if self._running() is None and lock.try_exclusive():
                    return
            time.sleep(_PAUSE)

    def _end_orphans(self, *, hard: bool) -> None:
        """End the processes that a killed server left: a statement that is still running would block the restart."""
        for pid in server_processes(self._layout.cluster):
            send(pid, signal.SIGKILL if hard else signal.SIGQUIT)

    def _refused(self, error: psycopg.Error) -> CitemarkError:
        return server_failed("PostgreSQL could not create the database", self._layout.data_dir, str(error))

    def _failed(self, what: str) -> CitemarkError:
        return server_failed(what, self._layout.data_dir, read_tail(self._layout, self._log_start) + self._last_error)
