"""Files and folders inside the data folder, given to their right owner and never through a symbolic link."""

import os
import stat
from pathlib import Path

from citemark.model.errors import ConfigurationError


def open_own(path: Path, flags: int, mode: int = 0o600) -> int:
    """Open a file that belongs to the owner of its folder, also when root opens it first."""
    fd = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, mode)
    if os.geteuid() == 0 and flags & os.O_CREAT:
        folder = path.parent.stat()
        os.fchown(fd, folder.st_uid, folder.st_gid)
    return fd


def write_whole(path: Path, text: str, *, uid: int = -1, gid: int = -1) -> None:
    """Put `text` at `path`, for its owner alone, so that a reader, or a crash, sees the old file or the new one.

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
    """Make renames in `folder` outlive a power cut."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def make_folder(path: Path, *, uid: int, gid: int, mode: int) -> None:
    """Have a real folder at `path` that belongs to `uid` with exactly `mode`.

    Raises:
        ConfigurationError: something else is in its place.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise ConfigurationError(f"{path} must be a folder, not a link; remove it or set another CITEMARK_DATA_DIR.")
    if os.geteuid() == 0 and (found.st_uid, found.st_gid) != (uid, gid):
        os.chown(path, uid, gid, follow_symlinks=False)
    if stat.S_IMODE(found.st_mode) != mode:
        path.chmod(mode)


def give_tree(folder: Path, *, before: tuple[int, ...], uid: int, gid: int) -> None:
    """Give a folder with all in it from one account to another; only root can.

    What does not belong to one of `before` is left alone, and no link is followed: the old account may have put links
    there to files that are not its own.
    """
    for _, folders, files, fd in os.fwalk(folder, follow_symlinks=False):
        for name in (*folders, *files):
            _give(name, fd, before, uid, gid)
    _give(str(folder), None, before, uid, gid)


def _give(name: str, fd: int | None, before: tuple[int, ...], uid: int, gid: int) -> None:
    found = os.stat(name, dir_fd=fd, follow_symlinks=False)
    if found.st_uid in before and (found.st_nlink == 1 or stat.S_ISDIR(found.st_mode)):
        os.chown(name, uid, gid, dir_fd=fd, follow_symlinks=False)
