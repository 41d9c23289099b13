"""Errors that tell the user what to do about the data folder or the server, and the server's log behind them."""

import errno
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from citemark.model.errors import BackendUnavailable, CitemarkError, ConfigurationError, DiskFull
from citemark.store.embedded.data_folder import DataFolder, open_own

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_MISPLACED = frozenset({errno.ENOTDIR, errno.EEXIST, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL})
_LEAST_FREE = 32 * 2**20  # bytes, roughly what a new cluster needs
_TAIL_LINES = 15  # of the log, in details["log"]: enough for a failed start
_TAIL_BYTES = 8192  # enough to hold that many lines
_LOG_LIMIT = 4 * 2**20  # bytes; one older log is kept beside it


@contextmanager
def explain_os_errors(data_dir: Path) -> Generator[None, None, None]:
    """Turn an OSError about the data folder into an error of `model.errors`.

    Raises:
        ConfigurationError: the folder may not be used as it is.
        BackendUnavailable: the disk is full, or the system failed in another way.
    """
    try:
        yield
    except OSError as error:
        raise _explained(error, data_dir) from error


def _explained(error: OSError, data_dir: Path) -> CitemarkError:
    where = error.filename or data_dir
    if error.errno in _FULL:
        return disk_is_full(data_dir)
    if error.errno in _FORBIDDEN:
        return ConfigurationError(
            f"The data folder {data_dir} cannot be used by uid {os.geteuid()} ({error.strerror}: {where}); "
            "change its owner or set CITEMARK_DATA_DIR to a folder that this user can write.",
            data_dir=str(data_dir),
        )
    if error.errno in _MISPLACED:
        return ConfigurationError(
            f"{data_dir} cannot be the data folder ({error.strerror}: {where}); set CITEMARK_DATA_DIR to another one.",
            data_dir=str(data_dir),
        )
    return BackendUnavailable(f"The data folder {data_dir} failed: {error}.", data_dir=str(data_dir))


def disk_is_full(data_dir: Path) -> DiskFull:
    """The error for a full disk, with the number of bytes that are left."""
    free = free_bytes(data_dir)
    return DiskFull(
        f"The disk of {data_dir} is full ({(free or 0) / 2**20:.0f} MiB free); free some space and try again. "
        "Nothing is lost.",
        data_dir=str(data_dir),
        free_bytes=free,
    )


def free_bytes(folder: Path) -> int | None:
    """The bytes that this user may still write to a folder, or None if that cannot be determined."""
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def server_failed(what: str, data_dir: Path, output: str) -> CitemarkError:
    """The error for a server or tool that gave up, with its last lines in `details["log"]`."""
    lines = [line for line in output.splitlines() if line.strip()][-_TAIL_LINES:]
    free = free_bytes(data_dir)
    if "No space left on device" in output or "Disk quota exceeded" in output or (free or _LEAST_FREE) < _LEAST_FREE:
        error: CitemarkError = disk_is_full(data_dir)
    else:
        fatal_line = next(
            (line for line in reversed(lines) if "FATAL" in line or "PANIC" in line or "error:" in line), ""
        )
        error = BackendUnavailable(
            f"{what} (data folder {data_dir}). {fatal_line or (lines[-1] if lines else '')}".rstrip()
        )
    error.details.update(data_dir=str(data_dir), log=lines)
    return error


def open_log(layout: DataFolder) -> int:
    """Open the log for appending; a large one is renamed first (the caller knows that no server writes to it)."""
    if _size(layout) > _LOG_LIMIT:
        layout.log.replace(layout.log.with_name(f"{layout.log.name}.1"))
    return open_own(layout.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def bound_log(layout: DataFolder) -> None:
    """Empty a log that grew too large under a running server, which appends and so continues at its new end."""
    if _size(layout) > _LOG_LIMIT:
        with suppress(OSError):
            os.truncate(layout.log, 0)


def read_tail(layout: DataFolder, start: int = 0) -> str:
    """The end of the log, from byte `start` at the earliest and a few KiB at most; empty if there is no log."""
    try:
        with layout.log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(min(start, size), size - _TAIL_BYTES, 0))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _size(layout: DataFolder) -> int:
    try:
        return layout.log.stat().st_size
    except OSError:
        return 0
