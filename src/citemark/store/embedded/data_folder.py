"""The data folder of the embedded server: its layout, and files with the right owner, never through a symbolic link."""

import fcntl
import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from citemark.folders import database_home, users_lock
from citemark.model.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class DataFolder:
    """Paths of one data folder.

    The owner of the data folder owns all of it except `cluster` and `run`, which belong to the account of the server.
    """

    data_dir: Path

    @property
    def home(self) -> Path:
        """The folder for everything that concerns PostgreSQL."""
        return database_home(self.data_dir)

    @property
    def cluster(self) -> Path:
        """PostgreSQL's own data directory."""
        return self.home / "cluster"

    @property
    def unfinished_cluster(self) -> Path:
        """A cluster that initdb has not finished; worthless."""
        return self.home / "cluster.new"

    @property
    def run(self) -> Path:
        """The folder of the socket, if its path is short enough."""
        return self.home / "run"

    @property
    def config(self) -> Path:
        """The settings, rewritten at each start."""
        return self.home / "postgresql.conf"

    @property
    def access(self) -> Path:
        """The rules on who may log in, rewritten at each start."""
        return self.home / "pg_hba.conf"

    @property
    def password(self) -> Path:
        """The password of the one role."""
        return self.home / "password"

    @property
    def log(self) -> Path:
        """The server's log."""
        return self.home / "server.log"

    @property
    def start_lock(self) -> Path:
        """Held exclusively while a process creates, starts or stops the server."""
        return self.home / "start.lock"

    @property
    def users_lock(self) -> Path:
        """Held in shared mode by each process that uses the server."""
        return users_lock(self.data_dir)

    @property
    def server_lock(self) -> Path:
        """Inherited and held by the server and all its children: if it is free, none of them is alive."""
        return self.home / "server.lock"


def open_own(path: Path, flags: int, mode: int = 0o600) -> int:
    """Open a file that belongs to the owner of its folder, even if root is the first to open it."""
    fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    if os.geteuid() == 0 and flags & os.O_CREAT:
        folder = path.parent.stat()
        os.fchown(fd, folder.st_uid, folder.st_gid)
    return fd


def write_whole(path: Path, text: str, *, uid: int = -1, gid: int = -1) -> None:
    """Write `text` to `path`, for its owner only, so that a reader or a crash sees either the old file or the new one.

    The owner is that of the folder unless root names another.
    """
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    fd = open_own(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
    with os.fdopen(fd, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        if os.geteuid() == 0:
            os.fchown(file.fileno(), uid, gid)
        os.fsync(file.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames in `folder` survive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextmanager
def locked_folder(folder: Path) -> Generator[None]:
    """Hold a folder against other processes that lock it; without a lock where the file system has none for folders."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def make_folder(path: Path, *, uid: int, gid: int, mode: int) -> None:
    """Make sure that `path` is a real folder that belongs to `uid` and `gid` with exactly `mode`.

    Raises:
        ConfigurationError: there is something else at `path`.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise ConfigurationError(f"{path} must be a folder, not a link; remove it or set another CITEMARK_DATA_DIR.")
    if os.geteuid() == 0 and (status.st_uid, status.st_gid) != (uid, gid):
        os.chown(path, uid, gid, follow_symlinks=False)
    if stat.S_IMODE(status.st_mode) != mode:
        path.chmod(mode)


def make_private(path: Path) -> None:
    """Make sure that `path` is a real folder that only its owner can enter; it belongs to the owner of its parent."""
    owner = path.parent.stat()
    make_folder(path, uid=owner.st_uid, gid=owner.st_gid, mode=0o700)


def give_tree(folder: Path, *, before: tuple[int, ...], uid: int, gid: int) -> None:
    """Transfer a folder with everything in it from one account to another, which only root can do.

    Whatever does not belong to one of `before` is left alone, and no link is followed: the old account may have put
    links there to files that are not its own.
    """
    for _, folders, files, fd in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            _give(name, fd, before, uid, gid)
    _give(str(folder), None, before, uid, gid)


def _give(name: str, fd: int | None, before: tuple[int, ...], uid: int, gid: int) -> None:
    status = os.stat(name, dir_fd=fd, follow_symlinks=False)
    if status.st_uid in before and (status.st_nlink == 1 or stat.S_ISDIR(status.st_mode)):
        os.chown(name, uid, gid, dir_fd=fd, follow_symlinks=False)
