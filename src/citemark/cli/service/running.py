"""The processes that use an index: found by the file that each of them holds open."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from citemark.folders import users_lock

_STAYING = (("serve", "--http"), ("sync", "--watch"), ("sync", "-w"), ("work",))
"""The words of commands that run until somebody ends them, and that no host has started."""


@dataclass(frozen=True, slots=True)
class Running:
    """A process on an index: its id, and the words after `citemark`."""

    pid: int
    words: tuple[str, ...]

    @property
    def stays(self) -> bool:
        """Whether it runs until somebody ends it, rather than until its host or its work ends."""
        return any(set(words) <= set(self.words) for words in _STAYING)

    @property
    def text(self) -> str:
        """How a person knows it."""
        return f"citemark {' '.join(self.words)} (process {self.pid})"


def running_on(folder: Path) -> list[Running]:
    """The processes of this user, apart from this one, that use the index in a folder."""
    lock = os.path.realpath(users_lock(folder))
    if not users_lock(folder).exists():
        return []
    return [
        Running(process.pid, _words(process))
        for process in psutil.process_iter()
        if process.pid != os.getpid() and _holds(process, lock)
    ]


def _holds(process: psutil.Process, lock: str) -> bool:
    try:
        return any(file.path == lock for file in process.open_files())
    except psutil.Error:
        return False


def _words(process: psutil.Process) -> tuple[str, ...]:
    """What follows the name of the command; all words of a process that is started in another way."""
    try:
        words: Sequence[str] = process.cmdline()
    except psutil.Error:
        return ()
    names = [index for index, word in enumerate(words) if Path(word).name in {"citemark", "citemark.exe"}]
    return tuple(words[names[0] + 1 :]) if names else tuple(words)
