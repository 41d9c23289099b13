"""The files of a repository that are read before any object: looked at first, because an archive may contain anything.

A named pipe in the place of a file never ends, a device is read for what it is, and a configuration of gigabytes fills
the memory. So whatever is going to be opened must be a regular file, not larger than such files are, and belong to the
repository.
"""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

from citemark.model.errors import InvalidArgument

_KIB = 1024
_MIB = 1024 * _KIB
_POINTER_BYTES = 4 * _KIB
"""Of a file that holds a name or a path; a path has 4,096 bytes at most."""

_CONTROL_FILES = {
    "HEAD": _POINTER_BYTES,
    "config": _MIB,
    "config.worktree": _MIB,
    "packed-refs": 64 * _MIB,
    "shallow": 16 * _MIB,
    "info/grafts": _MIB,
    "info/exclude": _MIB,
    "objects/info/alternates": 64 * _KIB,
    "objects/info/packs": _MIB,
}
"""The files that are read, and how large each may be: a million tags take 60 MiB."""

_MOST_REFS = 500_000
_MOST_BORROWED = 16
"""Stores that may be borrowed from, each of which may borrow further ones."""

_SECTION = re.compile(r"\s*\[\s*(?P<name>[\w.-]+)", re.ASCII)
_PATH = re.compile(r"\s*path\s*=\s*\"?(?P<path>[^\"\n]*)", re.ASCII | re.IGNORECASE)


class OddRepository(InvalidArgument):
    """A file of the repository is not what it should be; the message names it."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"The repository is not read: {str(path)!r} {problem}. Clone it again if it came as an archive.",
            file=str(path),
        )


def check_control_files(folder: Path) -> None:
    """Look at the files of the repository around a folder that are read before its objects; opens nothing else.

    Raises:
        OddRepository: one of them is no regular file, is too large, or leads out of the repository.
    """
    dot_git = next((above / ".git" for above in (folder, *folder.parents) if os.path.lexists(above / ".git")), None)
    if dot_git is None:
        return
    control = dot_git
    if not dot_git.is_dir():
        control = _pointed_at(dot_git, "gitdir:")
    shared = control
    if os.path.lexists(control / "commondir"):
        shared = _pointed_at(control / "commondir", "")
    for top in dict.fromkeys((control, shared)):
        for name, most in _CONTROL_FILES.items():
            _check(top / name, most, top)
        for name in ("config", "config.worktree"):
            _check_includes(top / name)
        _check_refs(top)
    for store in _stores(shared / "objects"):
        _check_packs(store)


def regular_file(path: Path) -> int:
    """A descriptor of a regular file, opened without waiting for whoever may write into a pipe of that name.

    Raises:
        OSError: there is no such file, or it is not a regular one.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise OSError(f"{path} is not a regular file")


def _pointed_at(file: Path, prefix: str) -> Path:
    """The folder that a file of one line names."""
    _check(file, _POINTER_BYTES, None)
    words = file.read_bytes().decode("utf-8", "surrogateescape").strip().removeprefix(prefix).strip()
    try:
        return Path(os.path.realpath(file.parent / words))
    except ValueError:
        raise OddRepository(file, "names no folder") from None


def _check(path: Path, most: int, inside: Path | None) -> None:
    """Look at a file, which need not exist; a link must stay inside of `inside`."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return
    except (OSError, ValueError):
        raise OddRepository(path, "cannot be looked at") from None
    if not stat.S_ISREG(found.st_mode):
        raise OddRepository(path, f"is {_kind(found.st_mode)}, not a regular file")
    if found.st_size > most:
        raise OddRepository(path, f"has {found.st_size:,} bytes, and such a file has {most:,} at most")
    if inside is not None and not _is_below(path, inside):
        raise OddRepository(path, "is a link that leads out of the repository")


def _check_includes(config: Path) -> None:
    """Refuse a configuration that includes files from elsewhere."""
    try:
        lines = config.read_bytes().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return
    includes = False
    for line in lines:
        section = _SECTION.match(line)
        if section is not None:
            includes = section["name"].lower() in {"include", "includeif"}
            line = line.partition("]")[2]  # noqa: PLW2901 - a value may follow on the same line
        found = _PATH.match(line) if includes else None
        if found is None:
            continue
        included = Path(os.path.expanduser(found["path"].strip()))  # noqa: PTH111 - as git reads it, ~user too
        if not _is_below(config.parent / included, config.parent):
            raise OddRepository(config, f"includes {str(included)!r}, which is outside of the repository")
        _check(config.parent / included, _MIB, config.parent)


def _check_refs(top: Path) -> None:
    """Look at every file below `refs`: each holds one hash, or the name of another."""
    counted = 0
    for folder, _, files in os.walk(top / "refs"):
        for name in files:
            counted += 1
            path = Path(folder, name)
            if counted > _MOST_REFS:
                raise OddRepository(top / "refs", f"holds more than {_MOST_REFS:,} files")
            if not name.endswith(".lock"):
                _check(path, _POINTER_BYTES, None)


def _stores(objects: Path) -> Iterator[Path]:
    """The folder of the objects, and those that it borrows from."""
    seen: set[Path] = set()
    waiting = [objects]
    while waiting:
        store = Path(os.path.realpath(waiting.pop()))
        if store in seen:
            continue
        seen.add(store)
        if len(seen) > _MOST_BORROWED:
            raise OddRepository(objects, f"borrows objects from more than {_MOST_BORROWED} places")
        yield store
        alternates = store / "info" / "alternates"
        _check(alternates, _CONTROL_FILES["objects/info/alternates"], None)
        if alternates.exists():
            lines = alternates.read_bytes().decode("utf-8", "surrogateescape").split("\n")
            waiting += [store / line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _check_packs(store: Path) -> None:
    """Look at the packs of a store, whatever their size: they are mapped, not read."""
    folder = store / "pack"
    try:
        names = os.listdir(folder)  # noqa: PTH208 - names are enough
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        path = folder / name
        if name.endswith((".idx", ".pack", ".keep", ".bitmap", ".rev", ".mtimes", "midx")) and not path.is_file():
            raise OddRepository(path, "is not a regular file")


def _is_below(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _kind(mode: int) -> str:
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")
