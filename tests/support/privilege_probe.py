"""A task for a parsing process that tells what such a process could do."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path


def probe_privileges(data: bytes) -> Iterator[dict[str, object]]:
    """What the process is, and whether it can read and write what `data` names, a path, and reach a port there."""
    path, port = data.decode().split("|")
    yield {
        "uid": [os.getuid(), os.geteuid()],
        "groups": os.getgroups(),
        "reads": _attempt(lambda: Path(path).read_bytes()),
        "writes": _attempt(lambda: Path(path).write_bytes(b"x")),
        "lists": _attempt(lambda: list(Path(path).parent.iterdir())),
        "becomes_root": _attempt(lambda: os.setuid(0)),
        "connects": _attempt(lambda: socket.create_connection(("127.0.0.1", int(port)), timeout=5).close()),
    }


def _attempt(action: object) -> bool:
    try:
        action()  # type: ignore[operator]
    except OSError:
        return False
    return True
