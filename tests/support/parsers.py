"""Which parsing processes the process of the tests has started."""

import os
from contextlib import suppress
from pathlib import Path


def parsing_processes() -> set[int]:
    """The numbers of the parsing processes that this process has started and that still run.

    Asked before and after every test, so only children are looked at: all processes of the system take five
    milliseconds.
    """
    return {number for number in _children() if _parses(Path(f"/proc/{number}"), os.getpid())}


def parsers_of(parent: int) -> set[int]:
    """The processes in which a process has files parsed: each is told whose it is."""
    return {int(place.name) for place in Path("/proc").iterdir() if place.name.isdigit() and _parses(place, parent)}


def _children() -> set[int]:
    """The processes that a thread of this one has started."""
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread that has ended
            found.update(map(int, (thread / "children").read_text().split()))
    return found


def _parses(process: Path, parent: int) -> bool:
    """Whether a process parses for `parent`; one that has ended and waits to be reaped has no command line."""
    with suppress(OSError):
        words = (process / "cmdline").read_bytes().split(b"\0")
        return b"citemark.extraction.sandbox.child" in words and str(parent).encode() in words
    return False
