"""Which parsing processes the process of the tests has started."""

import os
from contextlib import suppress
from pathlib import Path


def parsing_processes() -> set[int]:
    """The numbers of the parsing processes that this process has started and that still run."""
    return parsers_of(os.getpid()) if _has_children() else set()


def parsers_of(parent: int) -> set[int]:
    """The processes in which a process has files parsed: each is told whose it is."""
    return {int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit() and _parses(place, parent)}


def _has_children() -> bool:
    """Cheaper than a look at every process of the system, which most tests are spared by it."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _parses(process: Path, parent: int) -> bool:
    """Whether a process parses for `parent`; one that has ended and waits to be reaped has no command line."""
    with suppress(OSError):
        words = (process / "cmdline").read_bytes().split(b"\0")
        return b"citemark.extraction.sandbox.child" in words and str(parent).encode() in words
    return False
