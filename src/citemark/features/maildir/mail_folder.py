"""A folder of mailboxes as its scanner, processor and verifier share it.

All methods block, and one that lists holds a lock; callers run them in threads.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from citemark.features.maildir.headers import MOST_HEAD_BYTES, MailHeaders, headers_of
from citemark.features.maildir.mailboxes import MAILS_IN, find_boxes
from citemark.features.maildir.mails import Contents, Mail, native_id_of, split_id
from citemark.features.maildir.mbox_file import MboxMail, content_of, mails_of
from citemark.model.errors import FatalSourceError, RetriableSourceError
from citemark.model.ids import NativeId
from citemark.sources.file_system import OutsideRoot, is_file, modified_at, open_inside, real_path, version_of

_FLAGS = re.compile(r"[:;!]2,[A-Za-z,]*$")
"""What mail programs put behind a file's name and change: flags. Some file systems do not take the colon."""

_TRIES = 3
"""How often a folder that changes while it is listed is listed before it is left to the next scan."""

_RETRY = 1.0
"""Seconds after which a mailbox that was being written is read again."""

SETTLED = "1"
"""The state of every mail in an mbox: its name says what it holds, so it cannot change."""

_EFFECTIVE = os.access in os.supports_effective_ids

_MOST_MAILS = 1_000_000
"""Mails of one source: some hundred MiB of what is remembered of each. People have a tenth in all their years."""


@dataclass(frozen=True, slots=True)
class _Mbox:
    """An mbox as it was read: the file's identity and state then, and its mails by their names, in order."""

    inode: tuple[int, int]
    state: str
    size: int
    mails: Mapping[str, MboxMail]


@dataclass(slots=True)
class _Listing:
    """What was found so far; `reasons` say why something is not."""

    reasons: list[str]
    mails: dict[NativeId, Mail] = field(default_factory=dict[NativeId, Mail])
    misnamed: list[str] = field(default_factory=list[str])


class Unsettled(Exception):
    """A mailbox is being changed, so that it cannot be listed now."""


class MailFolder:
    """The mailboxes below a path."""

    def __init__(self, path: Path, max_file_bytes: int) -> None:
        self.path = path
        self.max_file_bytes = max_file_bytes
        self._listing = Lock()
        self._reading_mbox = Lock()
        self._contents: Contents | None = None
        self._headers: dict[tuple[NativeId, str], MailHeaders] = {}
        self._mboxes: dict[str, _Mbox] = {}

    def contents(self) -> Contents:
        """What the last listing found; lists now if there was none.

        Raises:
            FatalSourceError: as `listed`.
        """
        return self._contents or self.listed()

    def listed(self) -> Contents:
        """List all mailboxes; of mails that are known, nothing is read.

        Raises:
            FatalSourceError: the path is missing, cannot be read, or holds no mailbox.
        """
        with self._listing:
            root = self.real_root()
            try:
                found = find_boxes(root)
            except OSError as error:
                raise _unreadable(self.path, error) from None
            if not found.maildirs and not found.mboxes and not found.unread:
                raise FatalSourceError(f"{str(self.path)!r} holds neither a Maildir nor an mbox file.")
            listing = _Listing(list(found.unread))
            for box in found.maildirs:
                self._add(listing, box, lambda box=box: self._in_maildir(root, box))
            for box in found.mboxes:
                self._add(listing, box, lambda box=box: self._in_mbox(root, box))
            if len(listing.mails) >= _MOST_MAILS:
                listing.reasons.append(f"only {_MOST_MAILS:,} mails are read; add the mailboxes one by one")
            mails = dict(sorted(listing.mails.items()))
            self._headers = {(mail.native_id, mail.state): mail.headers for mail in mails.values() if not mail.place}
            self._contents = Contents(
                mails=mails,
                by_message_id=_by_message_id(mails.values()),
                unsettled="; ".join(listing.reasons),
                misnamed=tuple(listing.misnamed),
                folders=_watched(root, found.folders, found.maildirs),
            )
            return self._contents

    def _add(self, listing: "_Listing", box: str, mails: Callable[[], Iterator[Mail]]) -> None:
        name = box or self.path.name
        try:
            for mail in mails():
                if not _is_writable(mail.native_id):
                    listing.misnamed.append(ascii(mail.native_id))
                elif len(listing.mails) < _MOST_MAILS:
                    listing.mails[mail.native_id] = mail
        except Unsettled:
            listing.reasons.append(f"{name} is being changed")
        except OSError as error:
            listing.reasons.append(f"{name} cannot be read: {error.strerror}")

    @property
    def watched(self) -> tuple[str, ...]:
        """The folders in which mails or mailboxes may appear, as the last listing found them."""
        return () if self._contents is None else self._contents.folders

    def real_root(self) -> str:
        """The path with its links resolved."""
        return os.path.realpath(self.path)

    def require(self) -> None:
        """Check that the path is there.

        Raises:
            FatalSourceError: it is not, which says nothing about the mails in it.
        """
        try:
            os.stat(self.real_root())  # noqa: PTH116 - of a string
        except OSError as error:
            raise _unreadable(self.path, error) from None

    def content(self, native_id: NativeId) -> tuple[Mail, bytes] | None:
        """A mail and its bytes as they are now; None if there is none.

        Raises:
            FatalSourceError: as `listed`.
            RetriableSourceError: it is being written.
            OSError: it cannot be read.
        """
        mail = self.contents().mails.get(native_id)
        if mail is None and not self._is_there(native_id):
            return None
        mail = mail or self.listed().mails.get(native_id)
        if mail is None:
            return None
        if mail.place is None:
            return self._file(mail)
        data = self._from_mbox(mail)
        if data is None:  # the file was rewritten since it was listed
            mail = self.listed().mails.get(native_id)
            data = None if mail is None else self._from_mbox(mail)
        return None if mail is None or data is None else (mail, data)

    def state(self, native_id: NativeId) -> str | None:
        """What `Mail.state` of a mail is now; None if there is no such mail.

        Raises:
            OutsideRoot: its mailbox leads out of the folder.
            OSError: it cannot be looked at.
            Unsettled: its mailbox is being written.
        """
        root = self.real_root()
        info = os.stat(root)  # noqa: PTH116 - an unmounted drive raises
        box, name = split_id(native_id)
        place = root if not box else real_path(root, NativeId(box))
        if stat.S_ISREG((info if not box else os.stat(place)).st_mode):  # noqa: PTH116 - of strings
            return self._state_in_mbox(root, box, name)
        file = self._located(place, box, name)
        if file is None:
            return None
        path = f"{place}/{file}"
        if not os.access(path, os.R_OK, effective_ids=_EFFECTIVE):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return _state(os.lstat(path))

    def _is_there(self, native_id: NativeId) -> bool:
        try:
            return self.state(native_id) is not None
        except (OutsideRoot, FileNotFoundError, NotADirectoryError):
            return False

    def _in_maildir(self, root: str, box: str) -> Iterator[Mail]:
        folder = _path(root, box)
        for _ in range(_TRIES):
            before = _states(folder)
            found = dict(self._files(folder, box))
            if _states(folder) == before:
                return iter(found.values())
        raise Unsettled

    def _files(self, folder: str, box: str) -> Iterator[tuple[str, Mail]]:
        for part in MAILS_IN:
            with os.scandir(f"{folder}/{part}") as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    try:
                        info = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # it was moved; the folder's time has changed, too
                        continue
                    if is_file(info):
                        name = _FLAGS.sub("", entry.name)
                        yield name, self._mail(folder, box, name, f"{part}/{entry.name}", info)

    def _mail(self, folder: str, box: str, name: str, file: str, info: os.stat_result) -> Mail:
        state = _state(info)
        known = self._headers.get((native_id_of(box, name), state))
        headers = known if known is not None else _headers_in(f"{folder}/{file}")
        return Mail(box, name, state, info.st_size, headers, headers.date or modified_at(info), file)

    def _in_mbox(self, root: str, box: str) -> Iterator[Mail]:
        for each in self._mbox(root, box).mails.values():
            yield Mail(box, each.name, SETTLED, each.end - each.start, each.headers, each.headers.date, place=each)

    def _mbox(self, root: str, box: str) -> _Mbox:
        """Read an mbox again if it has changed; from where it has grown if that is all.

        Raises:
            Unsettled: a program is writing it.
        """
        path = _path(root, box)
        with self._reading_mbox, _opened(root, path) as file:
            before = os.fstat(file.fileno())
            read = self._mboxes.get(box)
            if read is not None and read.state == version_of(before):
                return read
            grown = read is not None and read.inode == _inode(before) and read.size < before.st_size
            known = tuple(read.mails.values()) if read is not None and grown else ()
            mails = mails_of(file, known, most_bytes=self.max_file_bytes)
            after = os.fstat(file.fileno())
            if version_of(before) != version_of(after) or os.path.lexists(f"{path}.lock"):
                raise Unsettled
            read = _Mbox(_inode(after), version_of(after), after.st_size, {each.name: each for each in mails})
            self._mboxes[box] = read
            return read

    def _state_in_mbox(self, root: str, box: str, name: str) -> str | None:
        """The state of a mail in an mbox, which is looked at: a file that has grown is not read again as a whole."""
        place = self._mbox(root, box).mails.get(name)
        if place is None:
            return None
        with _opened(root, _path(root, box)) as file:
            if content_of(file, place, most_bytes=self.max_file_bytes) is not None:
                return SETTLED
        self._mboxes.pop(box, None)
        return SETTLED if name in self._mbox(root, box).mails else None

    def _from_mbox(self, mail: Mail) -> bytes | None:
        root = self.real_root()
        if mail.place is None:
            return None
        with _opened(root, _path(root, mail.box)) as file:
            return content_of(file, mail.place, most_bytes=self.max_file_bytes)

    def _file(self, mail: Mail) -> tuple[Mail, bytes] | None:
        root = self.real_root()
        place = real_path(root, NativeId(mail.box)) if mail.box else root
        file = self._located(place, mail.box, mail.name)
        if file is None:
            return None
        with _opened(root, f"{place}/{file}") as opened:
            before = os.fstat(opened.fileno())
            data = opened.read(self.max_file_bytes + 1)
            after = os.fstat(opened.fileno())
        if _state(before) != _state(after):
            raise RetriableSourceError("The mail is being written.", retry_after=_RETRY)
        headers = headers_of(data[:MOST_HEAD_BYTES])
        date = headers.date or modified_at(after)
        return Mail(mail.box, mail.name, _state(after), len(data), headers, date, file), data

    def _located(self, place: str, box: str, name: str) -> str | None:
        """The file of a mail below its Maildir, whatever flags it has now."""
        known = None if self._contents is None else self._contents.mails.get(native_id_of(box, name))
        if known is not None and os.path.lexists(f"{place}/{known.file}"):
            return known.file
        for part in MAILS_IN:
            with os.scandir(f"{place}/{part}") as entries:
                for entry in entries:
                    if entry.name.startswith(name) and _FLAGS.sub("", entry.name) == name:
                        return f"{part}/{entry.name}"
        return None


def _by_message_id(mails: Iterable[Mail]) -> dict[str, list[NativeId]]:
    found: dict[str, list[NativeId]] = {}
    for mail in mails:
        if mail.headers.message_id:
            found.setdefault(mail.headers.message_id, []).append(mail.native_id)
    return found


def _watched(root: str, folders: list[str], maildirs: list[str]) -> tuple[str, ...]:
    """All folders, and those of Maildirs that hold mails; the folder of an mbox that is the root itself."""
    if not folders:
        return (str(Path(root).parent),)
    mails_in = [f"{box}/{part}".lstrip("/") for box in maildirs for part in MAILS_IN]
    return tuple(sorted(_path(root, below) for below in (*folders, *mails_in)))


def _path(root: str, below: str) -> str:
    return f"{root.rstrip('/')}/{below}" if below else root


def _states(folder: str) -> list[tuple[int, int]]:
    return [(info.st_mtime_ns, info.st_ino) for info in (os.stat(f"{folder}/{part}") for part in MAILS_IN)]  # noqa: PTH116


def _state(info: os.stat_result) -> str:
    """A token for the bytes of a file in a Maildir. A change of flags, which is a change of name, does not alter it."""
    return f"{info.st_mtime_ns:x}.{info.st_ino:x}.{info.st_size:x}.{info.st_mode & 0o777:o}"


def _inode(info: os.stat_result) -> tuple[int, int]:
    return info.st_dev, info.st_ino


def _headers_in(path: str) -> MailHeaders:
    """The headers of a file; none if it cannot be read, which is told when it is fetched."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as file:
            return headers_of(file.read(MOST_HEAD_BYTES))
    except OSError:
        return MailHeaders()


def _opened(root: str, path: str) -> BinaryIO:
    """Open a file for reading, without following a link out of the root."""
    if path == root:
        return os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb")
    return os.fdopen(open_inside(root, path), "rb")


def _is_writable(native_id: str) -> bool:
    """Whether an id is text; names of files are bytes, and a file's name may be no UTF-8."""
    try:
        native_id.encode()
    except UnicodeEncodeError:
        return False
    return True


def _unreadable(path: Path, error: OSError) -> FatalSourceError:
    return FatalSourceError(
        f"{str(path)!r} cannot be read: {error.strerror}. Bring it back, or remove the source.", path=str(path)
    )
