"""Runs a PostgreSQL and ends it when no process of Citemark is left: `python -I -S server_watcher.py` (its own file).

Whoever is killed cannot stop the server. This process is its parent and looks every few seconds whether anybody still
holds the lock of its users; if nobody does, it has the server stopped as the last user would stop it. If it is killed
itself, the kernel tells the server to shut down (Linux), and a user that is left starts another one. It is a file of
its own, with few imports, because it lives as long as the server.
"""

import ctypes
import fcntl
import json
import os
import select
import signal
import subprocess
import sys
from typing import Any

_LOOKS = 2
"""Looks in a row without a user after which the server is stopped."""

_MOST_LOOKS = 6
"""The same where another program is connected, for which the server was not stopped."""

_STOP_SECONDS = 60.0
_PR_SET_PDEATHSIG = 1
_NOT_STARTED = 127


def main(order: dict[str, Any]) -> None:
    """Start the server, and wait for its end.

    Args:
        order: `seconds` between two looks; `command`, `environment`, `uid` and `gid` of the server (`uid` None to keep
            one's own); `inherits`, the descriptors that are for it alone; `users_lock`; `stop`, the command that stops
            it unless it is used.
    """
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    signal.set_wakeup_fd(tell)
    server = _start(order)
    for descriptor in (*order["inherits"], 1, 2):
        os.close(descriptor)
    unused, enough = 0, _LOOKS
    while os.waitpid(server, os.WNOHANG) == (0, 0):
        if select.select([told], [], [], order["seconds"])[0]:
            os.read(told, 64)
            continue
        if not os.path.exists(order["users_lock"]):  # noqa: PTH110 - as few imports as possible
            os.kill(server, signal.SIGINT)  # the data folder was removed
            continue
        unused = unused + 1 if _is_unused(order["users_lock"]) else 0
        if unused >= enough:
            unused, enough = 0, _MOST_LOOKS
            _stop(order["stop"])


def _start(order: dict[str, Any]) -> int:
    """Start the server as its account; it is told to shut down when this process dies."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGQUIT):  # a shell has the latter ignored
            signal.signal(number, signal.SIG_DFL)
        if order["uid"] is not None:
            os.setgroups([])
            os.setgid(order["gid"])
            os.setuid(order["uid"])
        if sys.platform.startswith("linux"):  # after the account has changed, or the kernel forgets it
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGINT)
        if os.getppid() == parent:
            os.execve(order["command"][0], order["command"], order["environment"])  # noqa: S606 - without a shell
    finally:
        os._exit(_NOT_STARTED)


def _is_unused(users_lock: str) -> bool:
    try:
        descriptor = os.open(users_lock, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(descriptor)


def _stop(command: list[str]) -> None:
    nothing = subprocess.DEVNULL
    try:
        subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, timeout=_STOP_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):  # it is tried again
        return


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
