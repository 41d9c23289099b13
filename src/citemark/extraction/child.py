"""A process that parses files, one after the other: `python -m citemark.extraction.child`.

It holds nothing worth taking. It ends when its parent closes the pipe or dies, when a file wants more memory than it
may have, and when a file takes much longer than its parent should have waited.
"""

import contextlib
import ctypes
import json
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

from citemark.extraction.exchange import LENGTH_BYTES, extracted_to_json, packed
from citemark.extraction.formats import format_named
from citemark.model.errors import SkippableSourceError

_PR_SET_PDEATHSIG = 1
_NICE = 5
_CLOSE = 0.75
_OVERTIME = 5.0


def main() -> None:
    """Serve until the pipe closes. Arguments: MiB of memory, the parent's process id, seconds for a file."""
    memory, parent, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    _leave_signals_to_the_parent()
    _die_with(parent)
    _limit(memory * 1024 * 1024)
    source, sink = _claim()
    while (asked := _asked(source)) is not None:
        _alarm(seconds + _OVERTIME)
        answer = packed(_answer(*asked))
        _alarm(0)
        sink.write(answer)
        sink.flush()


def _answer(head: dict[str, Any], data: bytes) -> dict[str, Any]:
    try:
        read = format_named(head["format"]).load()
        return {"extracted": extracted_to_json(read(data, fallback_title=head["title"]))}
    except SkippableSourceError as error:
        return {"error": error.message}
    except MemoryError:
        return {"memory": True}
    except Exception as error:  # noqa: BLE001 - parsers meet files that nobody wrote on purpose; one must stop nothing
        # Libraries have names of their own for an allocation that failed.
        if _starved():
            return {"memory": True}
        return {"error": f"The file cannot be read: {type(error).__name__} in the parser of {head['format']} files."}


def _starved() -> bool:
    """Whether this process has come close to the memory it may have, as far as the system tells."""
    status = Path("/proc/self/status")
    if not status.exists():
        return False
    import resource  # noqa: PLC0415 - not on every platform

    peak = re.search(r"VmPeak:\s+(\d+) kB", status.read_text("ascii", "replace"))
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return peak is not None and limit > 0 and int(peak[1]) * 1024 > _CLOSE * limit


def _asked(source: BinaryIO) -> tuple[dict[str, Any], bytes] | None:
    length = source.read(LENGTH_BYTES)
    if len(length) < LENGTH_BYTES:
        return None
    head: dict[str, Any] = json.loads(source.read(int.from_bytes(length, "big")))
    return head, source.read(head["bytes"])


def _claim() -> tuple[BinaryIO, BinaryIO]:
    """The pipes, which no parser can write to by accident: its standard streams lead nowhere."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    return source, sink


def _leave_signals_to_the_parent() -> None:
    """Ctrl-C and the end of a service reach the whole group: a file must not seem to have crashed its parser then."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _alarm(seconds: float) -> None:
    """Have the kernel end this process then, should no parent be left to do it; 0 for never."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _die_with(parent: int) -> None:
    """Let the kernel end this process with its parent, where it can (Linux)."""
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(0)


def _limit(memory: int) -> None:
    """Take no more memory than allowed, and stand behind searches for the processor."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every platform

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    with contextlib.suppress(OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.nice(_NICE)


if __name__ == "__main__":
    main()
