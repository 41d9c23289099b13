"""The server's log: appended to, bounded in size, shown when the server fails."""

import os
from contextlib import suppress

from citemark.store.embedded.files import open_own
from citemark.store.embedded.layout import Layout

_LIMIT = 4 * 2**20  # bytes; one older log is kept beside
_TAIL_BYTES = 8192


def open_log(layout: Layout) -> int:
    """A descriptor to append to; a large log is put aside first (the caller knows that no server writes to it)."""
    if _size(layout) > _LIMIT:
        layout.log.replace(layout.log.with_name(f"{layout.log.name}.1"))
    return open_own(layout.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)


def bound_log(layout: Layout) -> None:
    """Empty a log that grew too large under a running server, which appends and so goes on at its new end."""
    if _size(layout) > _LIMIT:
        with suppress(OSError):
            os.truncate(layout.log, 0)


def read_tail(layout: Layout, start: int = 0) -> str:
    """The end of the log, from byte `start` at the earliest and a few KiB at most; empty where there is none."""
    try:
        with layout.log.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(min(start, size), size - _TAIL_BYTES, 0))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""


def _size(layout: Layout) -> int:
    try:
        return layout.log.stat().st_size
    except OSError:
        return 0
