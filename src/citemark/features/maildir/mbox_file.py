"""Mbox files: where each mail begins and ends, and what identifies it.

Nothing in an mbox names a mail, and its position changes when an earlier one is deleted. So a mail is identified by a
hash of what it says. Lines that mail programs rewrite (flags, lengths, numbers) do not count, or a mail that was read
would be another one. A mail never changes; what a program appends is read from where the last known mail begins.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from typing import BinaryIO

from citemark.features.maildir.headers import MOST_HEAD_BYTES, MailHeaders, headers_of

_STEP = 1024 * 1024
"""Bytes that are read and searched at a time."""

_LONGEST_LINE = 1024
"""Most bytes of the line before each mail and of the beginning of its first header."""

_OVERLAP = 2 * _LONGEST_LINE
"""Bytes that are searched again with the next piece, because what they begin may end there."""

_BEGINNING = rb"From [^\n]{0,400}\d\d:\d\d[^\n]{0,400}\n(?:[\w-]+:|>From )"
_FIRST = re.compile(_BEGINNING)
_NEXT = re.compile(rb"\n\r?\n(?=" + _BEGINNING + rb")")
"""A line of a text that begins with "From " begins no mail: a blank line, a time of day and a header belong to it."""

_LAST_LINES = re.compile(rb"\n(\r?\n)\Z")
"""The blank line behind the last mail, which belongs to the file."""

_SEPARATOR = b"From "
_QUOTED_SEPARATOR = re.compile(rb"^>(>*From )", re.MULTILINE)
_HEAD = re.compile(rb"\r?\n\r?\n")
_REWRITTEN = re.compile(
    rb"^(?:status|x-status|x-keywords|x-uid|x-imap|x-imapbase|x-mozilla-[\w-]+|content-length|lines):"
    rb"[^\n]*(?:\n[ \t][^\n]*)*\n?",
    re.IGNORECASE | re.MULTILINE,
)
_ID_BYTES = 12


@dataclass(frozen=True, slots=True)
class MboxMail:
    """A mail in an mbox: its bytes from `start` to `end`, without the line before them.

    `name` tells it from all others in the file: the hash of what it says, with a number behind it for further copies.
    """

    name: str
    start: int
    end: int
    headers: MailHeaders


def is_mbox(head: bytes) -> bool:
    """Whether a file that begins so is an mbox."""
    return _FIRST.match(head) is not None


def mails_of(file: BinaryIO, known: tuple[MboxMail, ...] = (), *, most_bytes: int) -> tuple[MboxMail, ...]:
    """The mails in an mbox, in order.

    Args:
        file: the mbox.
        known: mails of an earlier reading, if the file has only grown since; the last of them may have grown too.
        most_bytes: of a larger mail, only so many bytes and its size identify it.
    """
    kept = known[:-1] if known and _begin_where_they_did(file, known) else ()
    mails = list(kept)
    copies: dict[str, int] = {}
    for mail in kept:
        plain = mail.name.partition("~")[0]
        copies[plain] = copies.get(plain, 0) + 1
    for start, end in _spans(file, known[-1].start if kept else 0):
        name, headers = _identity(file, start, end, most_bytes)
        copies[name] = number = copies.get(name, 0) + 1
        mails.append(MboxMail(name if number == 1 else f"{name}~{number}", start, end, headers))
    return tuple(mails)


def content_of(file: BinaryIO, mail: MboxMail, *, most_bytes: int) -> bytes | None:
    """The mail as its sender wrote it; None if something else stands there now, as after the file was rewritten."""
    if _identity(file, mail.start, mail.end, most_bytes)[0] != mail.name.partition("~")[0]:
        return None
    return _QUOTED_SEPARATOR.sub(rb"\1", _read(file, mail.start, mail.end))


def _begin_where_they_did(file: BinaryIO, known: tuple[MboxMail, ...]) -> bool:
    """Whether the mails before the last one still stand between the same lines."""
    return all(_read(file, mail.start - 1, mail.start) == b"\n" for mail in known) and all(
        _read(file, mail.end, mail.end + 2 + len(_SEPARATOR)).lstrip(b"\r\n").startswith(_SEPARATOR)
        for mail in known[:-1]
    )


def _spans(file: BinaryIO, begin: int) -> Iterator[tuple[int, int]]:
    """Where each mail begins and ends, from the mail that begins at `begin`, or from the file's beginning."""
    size = os.fstat(file.fileno()).st_size
    start: int | None = begin or None
    place, buffer = begin, b""
    if start is None and _FIRST.match(_read(file, 0, _LONGEST_LINE)) is not None:
        start = _after_line(file, 0)
    while place < size:
        piece = _read(file, place, min(size, place + _STEP))
        if not piece:
            break
        origin = place - len(buffer)
        buffer += piece
        place += len(piece)
        last = place >= size
        searched = 0
        for found in _NEXT.finditer(buffer):
            if not last and found.end() > len(buffer) - _LONGEST_LINE:
                break
            separator = origin + found.end()
            if start is not None and separator > start:
                yield start, origin + found.start() + 1
            start = _after_line(file, separator)
            searched = found.end()
        buffer = buffer[max(searched, len(buffer) - _OVERLAP) :]
    if start is not None and start <= size:
        ending = _LAST_LINES.search(_read(file, max(start, size - 4), size))
        yield start, size - (0 if ending is None else len(ending[1]))


def _after_line(file: BinaryIO, place: int) -> int:
    line = _read(file, place, place + _LONGEST_LINE)
    return place + line.find(b"\n") + 1


def _identity(file: BinaryIO, start: int, end: int, most_bytes: int) -> tuple[str, MailHeaders]:
    data = _read(file, start, min(end, start + most_bytes))
    split = _HEAD.search(data)
    head = data if split is None else data[: split.end()]
    state = blake2b(_REWRITTEN.sub(b"", head), digest_size=_ID_BYTES)
    state.update(data[len(head) :].rstrip(b"\r\n"))
    if end - start > most_bytes:
        state.update(str(end - start).encode())
    return state.hexdigest(), headers_of(data[:MOST_HEAD_BYTES])


def _read(file: BinaryIO, start: int, end: int) -> bytes:
    return os.pread(file.fileno(), max(0, end - start), start)
