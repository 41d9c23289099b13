"""Finds the mailboxes below a folder: Maildirs, and mbox files as Thunderbird, mutt and mail servers keep them."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from citemark.features.maildir.mbox_file import is_mbox

MAILS_IN = ("new", "cur")
"""The folders of a Maildir that hold mails. One that is read moves from the first to the second, so they are listed in
this order, in which a mail on its way is seen at least once."""

_SNIFFED = 2048
_DEEPEST = 32
_MOST_FOLDERS = 20_000
"""Folders that are looked into: archives of a whole company have some thousands."""

LOCKS = (".lock", ".lck")
"""The ends of the names of files that say that a program is writing an mbox."""


@dataclass(slots=True)
class FoundBoxes:
    """The mailboxes below a root, by their paths below it ("" for the root itself), and what was not looked into."""

    maildirs: list[str] = field(default_factory=list[str])
    mboxes: list[str] = field(default_factory=list[str])
    folders: list[str] = field(default_factory=list[str])
    unread: list[str] = field(default_factory=list[str])


def find_boxes(root: str) -> FoundBoxes:
    """Look for mailboxes at a path and below it; links are not followed.

    Raises:
        OSError: the root is missing or cannot be read.
    """
    found = FoundBoxes()
    info = os.stat(root)  # noqa: PTH116 - a root that is a link is followed
    if stat.S_ISREG(info.st_mode):
        if info.st_size == 0 or _is_mbox(root):
            found.mboxes.append("")
        return found
    os.scandir(root).close()
    for path, names in _folders(root, found):
        below = _below(root, path)
        found.folders.append(below)
        if set(MAILS_IN) <= names.keys():
            found.maildirs.append(below)
        for name, is_file in sorted(names.items()):
            if is_file and not name.endswith(LOCKS) and _is_mbox(os.path.join(path, name)):  # noqa: PTH118 - of strings
                found.mboxes.append(f"{below}/{name}".lstrip("/"))
    return found


def _folders(root: str, found: FoundBoxes) -> Iterator[tuple[str, dict[str, bool]]]:
    """Yield each folder with the names in it and whether they are files; those of Maildirs with mails are left out."""
    waiting = [(root, 0)]
    while waiting:
        path, level = waiting.pop()
        try:
            with os.scandir(path) as entries:
                names = {
                    entry.name: entry.is_file(follow_symlinks=False) for entry in entries if not entry.is_symlink()
                }
        except OSError as error:
            found.unread.append(f"{_below(root, path) or path}: {error.strerror}")
            continue
        if len(found.folders) >= _MOST_FOLDERS:
            found.unread.append(f"more than {_MOST_FOLDERS:,} folders")
            return
        yield path, names
        is_maildir = set(MAILS_IN) <= names.keys()
        inner = [name for name, is_file in names.items() if not is_file]
        inner = [name for name in inner if not (is_maildir and name in {*MAILS_IN, "tmp"})]
        if inner and level >= _DEEPEST:
            found.unread.append(f"{_below(root, path)}: nested more than {_DEEPEST} folders deep")
            continue
        waiting += [(os.path.join(path, name), level + 1) for name in sorted(inner, reverse=True)]  # noqa: PTH118


def _below(root: str, path: str) -> str:
    return "" if path == root else Path(path).relative_to(root).as_posix()


def _is_mbox(path: str) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as file:
        return stat.S_ISREG(os.fstat(descriptor).st_mode) and is_mbox(file.read(_SNIFFED))
