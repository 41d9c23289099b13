"""Local files: paths confined to a root folder, versions of files, and file systems that do not report changes."""

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

from citemark.model.ids import NativeId, Version

PAGE = "page"


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


class OutsideRoot(OSError):
    """The path is not below the root, or a link leads out of it."""


def version_of(info: os.stat_result) -> Version:
    """Return a token that changes whenever the file may have changed.

    It includes the time of the last status change (ctime): when a file is overwritten with one of equal size and its
    modification time is restored (unzip, cp -p, reproducible builds), nothing else differs. The price is that a file
    is read again after chmod.
    """
    return Version(f"{info.st_mtime_ns:x}.{info.st_ctime_ns:x}.{info.st_size:x}")


def modified_at(info: os.stat_result) -> datetime | None:
    """When the file was last changed; None for a time that no calendar has, which a broken archive may leave behind."""
    try:
        return datetime.fromtimestamp(info.st_mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def real_path(real_root: str, native_id: NativeId) -> str:
    """Resolve a native id to the real path of its file.

    Args:
        real_root: the root folder, all links resolved.
        native_id: a path relative to it, parts separated by slashes.

    Raises:
        OutsideRoot: the id is not a plain relative path, or a link leads out of the root.
        OSError: the file does not exist, or links form a circle.
    """
    real = os.path.realpath(Path(real_root, *_parts(native_id)), strict=True)
    if not is_inside(real_root, real):
        raise OutsideRoot(f"{native_id!r} leads out of the folder")
    return real


class RealPaths:
    """The real paths of files that are checked together: each folder on the way to them is resolved once."""

    def __init__(self, real_root: str) -> None:
        self._root = real_root
        self._folders = {"": real_root}

    def of(self, native_id: NativeId) -> tuple[str, os.stat_result]:
        """The real path of a file, which `real_path` gives too, and the status of what is there.

        Raises:
            OutsideRoot, OSError: as `real_path` does.
        """
        *_, name = _parts(native_id)
        folder = native_id.rpartition("/")[0]
        if folder not in self._folders:
            self._folders[folder] = real_path(self._root, NativeId(folder))
        real = os.path.join(self._folders[folder], name)  # noqa: PTH118 - a page of a result has dozens; Path takes longer
        info = os.lstat(real)
        if stat.S_ISLNK(info.st_mode):
            real = real_path(self._root, native_id)
            info = os.lstat(real)
        return real, info


def _parts(native_id: NativeId) -> list[str]:
    parts = native_id.split("/")
    if not _is_name(native_id) or any(part in {"", ".", ".."} for part in parts):
        raise OutsideRoot(f"{native_id!r} is not a path inside the folder")
    return parts


def is_inside(real_root: str, real: str) -> bool:
    """Tell whether a resolved path is the resolved root or lies below it."""
    return real == real_root or real.startswith(real_root.rstrip(os.sep) + os.sep)


def open_inside(real_root: str, real: str) -> int:
    """Open a resolved path folder by folder, so that a link created since it was resolved is not followed.

    Returns:
        A file descriptor for reading, to be closed by the caller.

    Raises:
        OSError: a part has become a link (ELOOP, ENOTDIR), is missing or may not be read.
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
    """Tell whether it is a regular file rather than a folder, pipe, socket or device."""
    return stat.S_ISREG(info.st_mode)


def silent_type(path: str, table: Path = _MOUNTS) -> str | None:
    """Return the type of the file system that holds a real path if it does not report changes made by other machines.

    Args:
        path: absolute, links resolved.
        table: a file in the format of Linux's /proc/self/mountinfo, see proc_pid_mountinfo(5).

    Returns:
        The type, such as "nfs4"; None for a file system that reports changes, and on systems without such a table.
    """
    try:
        lines = table.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    longest, found = -1, None
    for line in lines:
        mount, _, rest = line.partition(" - ")
        fields = mount.split()
        if len(fields) < _LEAST_FIELDS or not rest:
            continue
        point = _unescaped(fields[4])
        # Of two mounts on one mount point, the later hides the earlier.
        if (path == point or path.startswith(point.rstrip(os.sep) + os.sep)) and len(point) >= longest:
            longest, found = len(point), rest.split()[0]
    return found if found in _SILENT else None


def _unescaped(field: str) -> str:
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, letter)
    return field
