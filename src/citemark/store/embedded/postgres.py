"""The embedded server as a process uses it: acquire, ensure, release."""

import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from citemark.model.errors import BackendUnavailable, CitemarkError, ConfigurationError
from citemark.store.embedded.cluster import cluster_major, data_bytes, read_password
from citemark.store.embedded.data_folder import DataFolder, locked_folder, make_folder
from citemark.store.embedded.diagnostics import bound_log, explain_os_errors
from citemark.store.embedded.lifecycle import Lifecycle
from citemark.store.embedded.postmaster import FileLock, exclusive_lock, is_server_of, read_pid_file
from citemark.store.embedded.server_account import server_account
from citemark.store.embedded.server_connection import AllConnectionsTaken, server_conninfo, server_version

_STOP_TIMEOUT = 30.0  # seconds; a fast shutdown writes a checkpoint of up to 512 MB of buffers
_PAUSE = 0.05  # seconds between two attempts to take a lock


@dataclass(frozen=True, slots=True)
class EmbeddedStatus:
    """The server of one data folder; `major` is None before its first start, `version` while it does not answer."""

    data_dir: Path
    running: bool
    pid: int | None
    version: str | None
    major: int | None
    socket_dir: Path | None
    port: int | None
    data_bytes: int
    log: Path


class EmbeddedPostgres:
    """One process's use of the server of a data folder. Safe to call from several threads.

    Any number of processes may use the same folder: the first starts the server, the last one stops it, and any
    of them restarts it when it finds it dead.
    """

    def __init__(self, data_dir: Path, *, start_timeout: float = 60.0) -> None:
        self._layout = DataFolder(data_dir.expanduser().resolve())
        self._timeout = start_timeout
        self._users: FileLock | None = None
        self._mutex = threading.Lock()

    def acquire(self) -> str:
        """Become a user of the server, which is created, started or found running; safe to repeat.

        Returns:
            The conninfo of the database `citemark`, password included.

        Raises:
            ConfigurationError: the data folder cannot be used by this user, or by this version.
            BackendUnavailable: the server did not come up in time (`details["log"]` has its last lines), or all of its
                connections are taken.
        """
        with self._mutex, explain_os_errors(self._layout.data_dir):
            if self._users is not None:
                return self._reach()
            self._prepare_folders()
            bound_log(self._layout)
            users = FileLock(self._layout.users_lock)
            try:
                users.wait_shared(self._deadline())
                dsn = self._reach()
            except BaseException:
                users.close()
                raise
            self._users = users
            return dsn

    def ensure(self) -> str:
        """Bring the server back if it is gone (to be called after a lost connection); returns its conninfo.

        Raises:
            BackendUnavailable: it does not come back, has no connection left, or this object is not acquired.
            ConfigurationError: as for `acquire`.
        """
        with self._mutex, explain_os_errors(self._layout.data_dir):
            if self._users is None:
                raise BackendUnavailable("The database is closed in this process.")
            return self._reach()

    def release(self) -> None:
        """Stop being a user. The last user stops the server unless another client is connected to it; never raises."""
        with self._mutex:
            users, self._users = self._users, None
            if users is None:
                return
            try:
                with suppress(CitemarkError, OSError, psycopg.Error):
                    self._stop_if_last(users)
            finally:
                users.close()

    def stop_unused(self) -> None:
        """Stop the server for a user that was killed, if no other user is left; waits for the last one to go."""
        if not self._layout.users_lock.exists():
            return
        deadline = time.monotonic() + _STOP_TIMEOUT
        with suppress(CitemarkError, OSError, psycopg.Error), FileLock(self._layout.users_lock) as users:
            while time.monotonic() < deadline and not users.try_exclusive():
                time.sleep(_PAUSE)
            self._stop_if_last(users)

    @property
    def healthy(self) -> bool:
        """Whether the server takes a connection now."""
        return self._version() is not None

    def status(self) -> EmbeddedStatus:
        """The state of the server, acquired or not; changes nothing.

        Raises:
            ConfigurationError: this user may not look into the data folder.
        """
        with explain_os_errors(self._layout.data_dir):
            pid_file = read_pid_file(self._layout.cluster)
            running = pid_file is not None and is_server_of(pid_file.pid, self._layout.cluster)
            server = pid_file if running else None
            return EmbeddedStatus(
                data_dir=self._layout.data_dir,
                running=running,
                pid=server.pid if server else None,
                version=self._version() if running else None,
                major=cluster_major(self._layout),
                socket_dir=server.sockets if server else None,
                port=server.port if server else None,
                data_bytes=data_bytes(self._layout),
                log=self._layout.log,
            )

    def _deadline(self) -> float:
        return time.monotonic() + self._timeout

    def _prepare_folders(self) -> None:
        layout = self._layout
        if not layout.data_dir.is_dir():
            layout.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not layout.home.is_dir():
            # Another process may be making it; once it is there, the server's account is let in, which must stay so.
            with locked_folder(layout.data_dir):
                if not layout.home.is_dir():
                    owner = layout.data_dir.stat()
                    make_folder(layout.home, uid=owner.st_uid, gid=owner.st_gid, mode=0o700)

    def _reach(self) -> str:
        """Return the conninfo of the server, which is brought up under the lock unless it already answers."""
        dsn = self._conninfo()
        if dsn is not None and server_version(dsn) is not None:
            return dsn
        deadline = self._deadline()
        with exclusive_lock(self._layout.start_lock, deadline):
            return Lifecycle(self._layout, server_account(self._layout)).bring_up(deadline)

    def _conninfo(self) -> str | None:
        pid_file = read_pid_file(self._layout.cluster)
        if pid_file is None or pid_file.sockets is None or pid_file.port is None:
            return None
        return server_conninfo(pid_file.sockets, pid_file.port, read_password(self._layout))

    def _version(self) -> str | None:
        try:
            dsn = self._conninfo()
        except (OSError, ConfigurationError):
            return None
        try:
            return server_version(dsn) if dsn is not None else None
        except AllConnectionsTaken:
            return None

    def _stop_if_last(self, users: FileLock) -> None:
        deadline = time.monotonic() + _STOP_TIMEOUT
        with exclusive_lock(self._layout.start_lock, deadline):
            if not users.try_exclusive():
                users.close()
                return
            Lifecycle(self._layout, server_account(self._layout)).stop_unless_used(deadline)
            users.close()
