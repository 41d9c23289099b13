"""Paths under a root that nothing leads out of, and the version of what lies there."""

import os
import stat
from pathlib import Path

from citemark.model.ids import NativeId, Version

PAGE = "page"


class OutsideRoot(OSError):
    """The path is none under the root, or a link leads out of it."""


def version_of(info: os.stat_result) -> Version:
    """A token that differs once the file may have changed.

    The time of the last status change is part of it: a file overwritten with equal size and its old modification time
    put back (unzip, cp -p, reproducible builds) shows nowhere else. It costs a re-read after chmod, no more.
    """
    return Version(f"{info.st_mtime_ns:x}.{info.st_ctime_ns:x}.{info.st_size:x}")


def real_path(real_root: str, native_id: NativeId) -> str:
    """The file of a native id with every link resolved.

    Raises:
        OutsideRoot: the id is no plain relative path, or a link leads out of the root.
        OSError: nothing is there, or links run in a circle.
    """
    parts = native_id.split("/")
    if not _is_name(native_id) or any(part in {"", ".", ".."} for part in parts):
        raise OutsideRoot(f"{native_id!r} is no path inside the folder")
    real = os.path.realpath(Path(real_root, *parts), strict=True)
    if not is_inside(real_root, real):
        raise OutsideRoot(f"{native_id!r} leads out of the folder")
    return real


def is_inside(real_root: str, real: str) -> bool:
    """Whether a resolved path is the resolved root or lies below it."""
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


def open_inside(real_root: str, real: str) -> int:
    """A file descriptor of a resolved path, opened step by step so that no link put there since is followed.

    Raises:
        OSError: a step has become a link (ELOOP, ENOTDIR), is missing or may not be read.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    folder = os.open(real_root, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
    try:
        *folders, name = Path(real).relative_to(real_root).parts
        for step in folders:
            below = os.open(step, flags | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = below
        return os.open(name, flags | os.O_NONBLOCK, dir_fd=folder)
    finally:
        os.close(folder)


def _is_name(text: str) -> bool:
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def is_file(info: os.stat_result) -> bool:
    """True for a regular file, not for a folder, pipe, socket or device."""
    return stat.S_ISREG(info.st_mode)
