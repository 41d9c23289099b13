"""Names and places in a file system that no careful person makes: pipes, devices, circles, holes, odd names."""

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Self

_WORDS = b"# Odd place\n\nThe words of an odd place.\n"

NAMES: tuple[bytes, ...] = (
    b"new\nline.md", b"tab\tin.md", b"bell\x07.md", b"\x1b[31mred.md", b"return\r.md", b"not-utf-8-\xff\xfe.md",
    "\u202egpj.md".encode(), "\ufeffmark.md".encode(), "e\u0301 and \u00e9.md".encode(), "🏴\u200d☠.md".encode(),
    b" lead.md", b"trail .md", b"-rf.md", b"*.md", b"%2e%2e.md", b"a'b\"c`d.md", b"semi;colon&.md", b"back\\slash.md",
    b"[brackets](x).md", b"#hash?query.md", b"x" * 252 + b".md", b"..md", b"CON.md", b"{0}.md", b"%s%n.md",
)  # fmt: skip


def _socket(path: Path) -> None:
    """A socket; its address would be too long for a bind from elsewhere."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def _device(path: Path) -> None:
    """A device where that is allowed, else a link to one."""
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        path.symlink_to("/dev/zero")


def _sparse(size: int) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with path.open("wb") as file:
            file.truncate(size)

    return make


def _closed(path: Path) -> None:
    path.write_bytes(_WORDS)
    path.chmod(0)


def _deep(path: Path) -> None:
    """A file below a hundred folders."""
    folder = path.with_suffix("")
    for level in range(100):
        folder /= f"l{level}"
    folder.mkdir(parents=True)
    (folder / "deep.md").write_bytes(_WORDS)


PLACES: dict[str, Callable[[Path], None]] = {
    "pipe.md": os.mkfifo,
    "socket.md": _socket,
    "device.md": _device,
    "link-to-device.md": lambda path: path.symlink_to("/dev/zero"),
    "link-to-nothing.md": lambda path: path.symlink_to("nothing.md"),
    "link-to-itself.md": lambda path: path.symlink_to(path.name),
    "link-out.md": lambda path: path.symlink_to("/etc/passwd"),
    "link-to-memory.md": lambda path: path.symlink_to("/proc/self/mem"),
    "link-above": lambda path: path.symlink_to(".."),
    "link-to-root": lambda path: path.symlink_to("/"),
    "hole.md": _sparse(2**40),
    "small-hole.md": _sparse(10 * 2**20),
    "closed.md": _closed,
    "deep-folders.md": _deep,
}
"""By name of the entry below the folder; what each makes of it."""

UNLISTED: frozenset[str | bytes] = frozenset({"deep-folders.md", b"..md"})
"""Entries that stand for what lies elsewhere, and those that are hidden by their names."""


class Restless:
    """Files that grow, shrink, vanish and come back while somebody reads the folder."""

    names = ("growing.md", "vanishing.md", "changing.md")

    def __init__(self, folder: Path) -> None:
        self._growing, self._vanishing, self._changing = (folder / name for name in self.names)
        self._over = Event()
        self._thread = Thread(target=self._work)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        turn = 0
        while not self._over.wait(0.02):
            turn += 1
            with self._growing.open("ab") as file:
                file.write(b"one more line\n")
            with suppress(FileNotFoundError):
                self._vanishing.unlink() if turn % 2 else self._vanishing.write_bytes(_WORDS)
            self._changing.write_bytes(_WORDS * (turn % 50))


def place(folder: Path, name: str | bytes) -> None:
    """Write one of the names or places into the folder."""
    if isinstance(name, bytes):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_bytes(_WORDS)
    else:
        PLACES[name](folder / name)
