"""Opens untrusted zip files, but only once it is known how large they inflate."""

import zlib
from copy import copy
from io import BytesIO
from pathlib import PurePosixPath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from citemark.model.errors import SkippableSourceError

MOST_INFLATED_BYTES = 256 * 1024 * 1024
"""Most bytes of all entries together when inflated: a third of the memory that a parser has by default."""

MOST_ENTRIES = 10_000
"""Most entries of an archive; a document with a thousand images has two or three thousand."""

MOST_RATIO = 250
"""Highest ratio of inflated to stored bytes; deflate reaches a thousand, documents stay below a hundred."""

_RATIO_FROM = 16 * 1024 * 1024
"""Inflated bytes up to which the ratio is not checked: a small sheet of equal rows is as dense as a bomb."""

_DEEPEST = 32
"""Most nested folders in the path of an entry."""

_NO_ARCHIVE = "File is not a zip file"
_LONGEST_REASON = 100
"""Most characters of a reason that is passed on; longer ones quote the bytes of the archive."""

_STEP = 256 * 1024
"""Bytes that are inflated and discarded in one step."""

_ENTRY = b"PK\x01\x02"
_COMPOUND = bytes.fromhex("d0cf11e0a1b11ae1")
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_ENCRYPTED_FLAG = 0x1
_DAMAGE = (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError, RuntimeError)
"""The errors that zipfile raises for a damaged archive, depending on where it notices the damage."""


def open_zip(data: bytes, damaged: list[str] | None = None) -> ZipFile:
    """Open an archive after inflating every entry once, to check that it is complete and as large as it declares.

    Entries are stored or deflated, so a reader never inflates more than the declared size, which was checked. With a
    list for them, the names of entries that are damaged are added to it instead of refusing the file.

    Raises:
        SkippableSourceError: it is not a zip file, is damaged or encrypted, or inflates to more than any document.
    """
    if data.startswith(_COMPOUND):
        raise SkippableSourceError(_compound_message(data))
    if data.count(_ENTRY) > MOST_ENTRIES:
        raise SkippableSourceError(f"The zip file holds more than the {MOST_ENTRIES:,} entries that are read.")
    try:
        archive = ZipFile(BytesIO(data))
        entries = archive.infolist()
        for entry in entries:
            _check_entry(entry)
        _check_sizes(entries, len(data))
        for entry in entries:
            try:
                _inflate(archive, entry)
            except _DAMAGE:
                if damaged is None:
                    raise
                damaged.append(entry.filename)
    except _DAMAGE as error:
        raise _damaged(error) from error
    return archive


def read_entry(archive: ZipFile, name: str) -> bytes:
    """The content of a damaged entry as far as it can be inflated; b"" if it cannot be read at all."""
    entry = copy(archive.getinfo(name))
    del entry.CRC  # otherwise what was read before the end is discarded with it
    parts: list[bytes] = []
    try:
        with archive.open(entry) as stream:
            while piece := stream.read(_STEP):
                parts.append(piece)
    except _DAMAGE:
        pass
    return b"".join(parts)


def _damaged(error: Exception) -> SkippableSourceError:
    """The error for a damaged archive; the messages of zipfile's own errors may quote kilobytes of it."""
    reason = " ".join(str(error).split())
    if reason == _NO_ARCHIVE:
        reason = "files of this kind are zip archives inside, and this is not one, or its end is missing"
    elif not reason or len(reason) > _LONGEST_REASON or not reason.isprintable():
        reason = "its directory does not match its content"
    return SkippableSourceError(
        f"The file is damaged: {reason}. Open it in the program that wrote it and save it again, or get it again."
    )


def _check_entry(entry: ZipInfo) -> None:
    name = entry.orig_filename
    if entry.flag_bits & _ENCRYPTED_FLAG:
        raise SkippableSourceError("The file is encrypted; save it without a password to have it indexed.")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise SkippableSourceError(f"The zip entry {name!r} is packed by a method that documents do not use.")
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if len(parts) > _DEEPEST or ".." in parts or name.startswith(("/", "\\")) or "\0" in name or name[1:2] == ":":
        raise SkippableSourceError(f"The zip entry {name[:100]!r} has a path that no document has.")


def _check_sizes(entries: list[ZipInfo], size: int) -> None:
    """Check the sizes that the directory declares; entries with shared bytes count each time they are named."""
    total = sum(entry.file_size for entry in entries)
    if total > MOST_INFLATED_BYTES:
        raise SkippableSourceError(
            f"The zip file inflates to {total:,} bytes, more than the {MOST_INFLATED_BYTES:,} that are read."
        )
    if total > max(_RATIO_FROM, size * MOST_RATIO):
        raise SkippableSourceError(
            f"The zip file inflates to {total // size} times its size, more than {MOST_RATIO} times: a zip bomb."
        )


def _inflate(archive: ZipFile, entry: ZipInfo) -> None:
    """Read an entry to its end in small steps; its checksum fails if it contains more than it declares."""
    with archive.open(entry) as stream:
        left = entry.file_size
        while piece := stream.read(_STEP):
            left -= len(piece)
    if left:
        raise BadZipFile(f"{entry.filename!r} is not as large as it says")


def _compound_message(data: bytes) -> str:
    if _ENCRYPTED_PACKAGE in data:
        return "The file is encrypted; save it without a password to have it indexed."
    return "The file has the binary format of Office before 2007; save it as docx, xlsx or pptx to have it indexed."
