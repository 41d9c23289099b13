"""A process that has loaded `citemark` and forks one for each command: `python preloaded.py SOCKET`.

A command so started is a process like any other, with arguments, environment, folder and streams of its own; only its
modules are there already, which is most of what a short command costs.
"""

import atexit
import functools
import gc
import importlib
import json
import os
import pkgutil
import socket
import sys
import threading
import traceback
from typing import Any

import citemark
from citemark.app.main import main
from citemark.indexing import language_detector

MOST_BYTES = 1 << 18
"""Of a message: arguments and environment of a command."""

_LOADED = ("app", "cli", "features.nextcloud", "services", "sources", "tools")
"""The packages that commands use; those that start threads when they are loaded are loaded by nothing in them."""


def serve(channel: socket.socket) -> dict[str, Any]:
    """Fork for every command until the other side is closed; returns in each fork, with what it is to do."""
    while True:
        told, streams, _, _ = socket.recv_fds(channel, MOST_BYTES, 3)
        if not told:
            raise SystemExit(0)
        pid = os.fork()
        if pid == 0:
            channel.close()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
                os.close(stream)
            found: dict[str, Any] = json.loads(told)
            return found
        for stream in streams:
            os.close(stream)
        channel.send(str(pid).encode())
        channel.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def load() -> None:
    """Import what commands use, and load the classifier of languages, which every command that reads texts needs."""
    for name in _LOADED:
        package = importlib.import_module(f"{citemark.__name__}.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    classifier = functools.cache(getattr(language_detector, "_loaded"))  # noqa: B009 - it has no public name
    classifier()
    setattr(language_detector, "_loaded", classifier)  # noqa: B010 - likewise
    gc.freeze()  # no fork looks through, and so copies, what all of them share


def become(command: dict[str, Any]) -> None:
    """Take on what a fresh process would have been given."""
    os.environ.clear()
    os.environ.update(command["environment"])
    os.chdir(command["folder"])
    sys.argv = command["words"]
    encoding = os.environ.get("PYTHONIOENCODING") or sys.stdout.encoding
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        errors = getattr(sys, name).errors
        setattr(sys, name, open(number, "w" if number else "r", encoding=encoding, errors=errors))  # noqa: PTH123, SIM115 - a stream's number


def ended() -> int:
    """Run the command; its exit code."""
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - what an interpreter does at last
        traceback.print_exc()
        return 1
    return 0


def end(code: int) -> None:
    """What an interpreter does at its end, but for taking apart every module: that would copy what forks share."""
    for last in (getattr(threading, "_shutdown"), getattr(atexit, "_run_exitfuncs")):  # noqa: B009 - neither has a public name
        last()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    load()
    become(serve(socket.socket(fileno=int(sys.argv[1]))))
    end(ended())
