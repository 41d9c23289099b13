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


_MOUNTS = Path("/proc/self/mountinfo")
_SILENT = frozenset(
    {
        *("9p", "afs", "ceph", "cifs", "drvfs", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "prl_fs", "smb3"),
        *("smbfs", "vboxsf", "virtiofs", "vmhgfs"),
        *(
            "fuse.glusterfs",
            "fuse.grpcfuse",
            "fuse.osxfs",
            "fuse.rclone",
            "fuse.s3fs",
            "fuse.sshfs",
            "fuse.vmhgfs-fuse",
        ),
    }
)
_LEAST_FIELDS = 5


def silent_type(path: str, table: Path = _MOUNTS) -> str | None:
    """The type of the file system under a real path when another machine may change it unheard, else None.

    `table` has the form of Linux's /proc/self/mountinfo (proc_pid_mountinfo(5)); without one nothing is known.
    """
    try:
        lines = table.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    best, found = -1, None
    for line in lines:
        mount, _, rest = line.partition(" - ")
        fields = mount.split()
        if len(fields) < _LEAST_FIELDS or not rest:
            continue
        point = _unescaped(fields[4])
        # Of two mounts on one point the later lies on top.
        if (path == point or path.startswith(point.rstrip(os.sep) + os.sep)) and len(point) >= best:
            best, found = len(point), rest.split()[0]
    return found if found in _SILENT else None


def _unescaped(field: str) -> str:
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, letter)
    return field
