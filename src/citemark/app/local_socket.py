"""The Unix socket at which `serve --http` answers `citemark bridge`: whoever finds the index finds its server."""

import os
import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import structlog

from citemark.folders import socket_file
from citemark.tools.bridge.local_http import connected

_BACKLOG = 512
_MODE = 0o600

_log = structlog.get_logger(__name__)


@contextmanager
def local_socket(folder: Path) -> Generator[socket.socket | None]:
    """A listening socket in the folder of an index, removed afterwards.

    None if another server answers there, or where there can be no socket: a path may be too long for the system.
    """
    path = socket_file(folder)
    opened = None if _is_answered(path) else _listening(path)
    own = None if opened is None else _identity(path)
    try:
        yield opened
    finally:
        if opened is not None:
            opened.close()
            if _identity(path) == own:  # another server may have taken the place
                path.unlink(missing_ok=True)


def _is_answered(path: Path) -> bool:
    try:
        connected(path).close()
    except OSError:
        return False
    return True


def _listening(path: Path) -> socket.socket | None:
    """A socket that takes the place of one that a server left behind when it was killed."""
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    opened = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        fresh.unlink(missing_ok=True)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        opened.bind(str(fresh))
        fresh.chmod(_MODE)  # nobody can connect before `listen`
        opened.listen(_BACKLOG)
        fresh.replace(path)
    except OSError as error:
        opened.close()
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        _log.info("bridge_socket_unavailable", reason=str(error), action="listen")
        return None
    return opened


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
