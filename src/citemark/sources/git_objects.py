"""The objects of a git repository, read within limits: what an object inflates to is looked up before it is inflated.

Whoever made a repository that was cloned chose every byte of it: kilobytes can claim to be gigabytes, or be damaged.
"""

import hashlib
import os
import struct
import zlib
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from dulwich.errors import ApplyDeltaError, FileFormatException
from dulwich.object_store import BaseObjectStore, DiskObjectStore
from dulwich.objects import ObjectID, RawObjectID, ShaFile, hex_to_sha, sha_to_hex
from dulwich.pack import OFS_DELTA, REF_DELTA, Pack, PackFileDisappeared, UnresolvedDeltas

from citemark.model.errors import InvalidArgument
from citemark.sources.git_control_files import regular_file

_NAMES = {1: b"commit", 2: b"tree", 3: b"blob", 4: b"tag"}
_KINDS = {name: kind for kind, name in _NAMES.items()}
_SHORT = 10  # characters of a hash that messages show
_SHA1 = 40  # digits; of SHA-256, the other hash that names objects, there are 64

_BLOCK = 64 * 1024
_LONGEST_HEADER = 64
"""Bytes before the content of a loose object: its type and a number, about twenty in all."""

_ENTRY = 4_096
"""Bytes of a pack that are read for an entry's sizes; zlib has written the first bytes of a delta after 600 at most."""

_DELTA_SIZES = 20  # bytes at the beginning of a delta: two numbers of up to 63 bits, seven in a byte
_LARGEST_BASE = 256 * 1024 * 1024
"""Bytes of an object that others are stored as changes to, and of all changes on the way to one. git stores no changes
to files of more than 512 MiB, and resolving one takes up to four times its size in memory."""

_LONGEST_CHAIN = 4_095
"""Changes to changes; git makes no longer chains (`pack.depth`)."""


class MissingObject(Exception):
    """The repository does not have the object."""


class LargeObject(Exception):
    """The object has more bytes than were to be read: `size`, or what it is stored as a change to has as many."""

    def __init__(self, size: int) -> None:
        super().__init__(f"{size:,} bytes")
        self.size = size


class DamagedObject(InvalidArgument):
    """An object is not what its name stands for, or cannot be read at all."""

    def __init__(self, object_id: bytes) -> None:
        name = object_id[:_SHORT].decode("ascii", "backslashreplace")
        super().__init__(
            f"The object {name} of the git repository is damaged or cannot be read; `git fsck` lists what is damaged.",
            object=name,
        )


class GitObjects:
    """The objects of a repository, and of those that it borrows objects from."""

    def __init__(self, store: DiskObjectStore) -> None:
        self._store = store

    def read(self, object_id: bytes, most: int) -> ShaFile:
        """Read an object.

        Args:
            object_id: its hash, in hexadecimal digits.
            most: bytes of its content; if it has more, nothing is inflated.

        Raises:
            MissingObject: the repository does not have it.
            LargeObject: it has more than `most` bytes.
            DamagedObject: its content is not what its hash stands for.
        """
        try:
            return self._checked(object_id, most)
        except _DAMAGE:
            pass
        # Not from there: the error would hold the memory of the pack, which then cannot be closed.
        raise DamagedObject(object_id)

    def beginning_with(self, digits: bytes) -> list[ObjectID]:
        """The hashes of objects that begin with these digits.

        Raises:
            DamagedObject: a pack of the repository cannot be read.
        """
        try:
            return list(self._store.iter_prefix(ObjectID(digits)))
        except _DAMAGE:
            pass
        raise DamagedObject(digits)  # as above

    @cached_property
    def _stores(self) -> list[DiskObjectStore]:
        """The repository's own store and those that it borrows from, which may borrow from each other."""
        found: dict[str, DiskObjectStore] = {}
        waiting: list[BaseObjectStore] = [self._store]
        while waiting:
            store = waiting.pop(0)
            if isinstance(store, DiskObjectStore) and (path := os.path.realpath(store.path)) not in found:
                found[path] = store
                waiting += store.alternates
        return list(found.values())

    def _checked(self, object_id: bytes, most: int) -> ShaFile:
        # Both raise ValueError unless it is a hash; without this check it could be the path of another file.
        name = sha_to_hex(hex_to_sha(ObjectID(object_id)))
        kind, content = self._raw(name, most)
        digest = hashlib.sha1(usedforsecurity=False) if len(name) == _SHA1 else hashlib.sha256()
        digest.update(b"%s %d\0" % (_NAMES[kind], len(content)))
        digest.update(content)
        if digest.hexdigest().encode() != name:
            raise DamagedObject(name)
        return ShaFile.from_raw_string(kind, content, name, object_format=self._store.object_format)

    def _raw(self, name: ObjectID, most: int) -> tuple[int, bytes]:
        for store in self._stores:
            for pack in store.packs:
                try:
                    found = _packed(pack, name, most)
                except PackFileDisappeared:
                    pack.close()
                    continue  # `git gc` replaced it while it was looked at; its objects are in a new one
                if found is not None:
                    return found
            try:
                descriptor = regular_file(Path(store.path) / name[:2].decode() / name[2:].decode())
            except FileNotFoundError:
                continue
            with os.fdopen(descriptor, "rb") as file:
                return _loose(file, most)
        raise MissingObject


_DAMAGE = (
    FileFormatException,
    ApplyDeltaError,
    UnresolvedDeltas,
    struct.error,
    zlib.error,
    AssertionError,  # dulwich asserts what it expects of packs and their indexes
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
    OSError,
)
"""What reading a damaged object raises, in dulwich and here."""


def _loose(file: BinaryIO, most: int) -> tuple[int, bytes]:
    """The type and content of an object that is a file of its own."""
    inflating = zlib.decompressobj()
    header, end, start = inflating.decompress(file.read(_BLOCK), _LONGEST_HEADER).partition(b"\0")
    if not end:
        raise ValueError("no header")
    kind, digits = header.split(b" ")
    size = int(digits)
    if size > most:
        raise LargeObject(size)
    content = bytearray(start)
    while not inflating.eof and len(content) <= size:
        block = inflating.unconsumed_tail or file.read(_BLOCK)
        if not block:
            break
        content += inflating.decompress(block, size + 1 - len(content))
    if len(content) != size or not inflating.eof:
        raise ValueError("more or less than the header says")
    return _KINDS[kind], bytes(content)


def _packed(pack: Pack, name: ObjectID, most: int) -> tuple[int, bytes] | None:
    """The type and content of an object in a pack; None if the pack does not hold it."""
    if name not in pack:
        return None
    offset, changes = pack.index.object_offset(name), 0
    with Path(pack.data.path).open("rb") as file:
        for step in range(_LONGEST_CHAIN + 1):
            entry = _Entry(file, offset, len(name) // 2)
            if entry.size > (most if step == 0 else max(most, _LARGEST_BASE)):
                raise LargeObject(entry.size)
            if entry.base is None:
                # dulwich inflates no entry to more than its header declares; its first versions (1.2.0) did.
                return pack.get_raw(name)
            changes += entry.stored
            if changes > max(most, _LARGEST_BASE):
                raise LargeObject(changes)
            offset = entry.base if isinstance(entry.base, int) else pack.index.object_offset(entry.base)
    raise ValueError("too many changes to changes")


class _Entry:
    """The beginning of an entry of a pack.

    Attributes:
        size: bytes of the object.
        stored: bytes of what is inflated for it: the object or, with a base, the changes to that.
        base: what the changes are to: the offset of another entry, or a hash; None if it is the object itself.
    """

    def __init__(self, file: BinaryIO, offset: int, hash_bytes: int) -> None:
        file.seek(offset)
        data = file.read(_ENTRY)
        kind = (data[0] >> 4) & 7
        self.stored, at = _number(data, 0, first_bits=4)
        self.base: int | ObjectID | None = None
        if kind == OFS_DELTA:
            back, at = _distance(data, at)
            self.base = offset - back
        elif kind == REF_DELTA:
            self.base = sha_to_hex(RawObjectID(data[at : at + hash_bytes]))
            at += hash_bytes
        self.size = self.stored
        if self.base is not None:
            sizes = zlib.decompressobj().decompress(data[at:], _DELTA_SIZES)
            _, at = _number(sizes, 0)
            self.size, _ = _number(sizes, at)


def _number(data: bytes, at: int, first_bits: int = 7) -> tuple[int, int]:
    """A number of a pack, the low bits first, and where it ends; its first byte has `first_bits` of it."""
    number, shift = data[at] & ((1 << first_bits) - 1), first_bits
    while data[at] & 0x80:
        at += 1
        number |= (data[at] & 0x7F) << shift
        shift += 7
    return number, at + 1


def _distance(data: bytes, at: int) -> tuple[int, int]:
    """How far before an entry its base begins, the high bits first, and where that number ends."""
    number = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        number = ((number + 1) << 7) | (data[at] & 0x7F)
    return number, at + 1
