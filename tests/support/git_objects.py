"""Objects of git repositories as a stranger could write them: damaged, or with false sizes."""

import hashlib
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path

from dulwich.objects import Commit, ObjectID, ShaFile, Tree, hex_to_sha
from dulwich.pack import write_pack_index_v2
from dulwich.refs import Ref
from dulwich.repo import Repo

FOLDER, FILE, LINK, SUBMODULE = 0o040000, 0o100644, 0o120000, 0o160000


def repository(folder: Path, *objects: ShaFile, **tags: ShaFile) -> Path:
    """Make a repository of loose objects, with tags."""
    folder.mkdir(parents=True, exist_ok=True)
    repo = Repo.init(str(folder)) if not (folder / ".git").exists() else Repo(str(folder))
    for each in (*objects, *tags.values()):
        repo.object_store.add_object(each)
    for name, tagged in tags.items():
        repo.refs[Ref(b"refs/tags/" + name.encode())] = tagged.id
    repo.close()
    return folder


def tree_of(*entries: tuple[bytes, int, ShaFile]) -> Tree:
    """A tree of (name, mode, object)."""
    tree = Tree()
    for name, mode, content in entries:
        tree.add(name, mode, content.id)
    return tree


def commit_of(tree: ShaFile, seconds: int = 1_700_000_000) -> Commit:
    """A commit of a tree."""
    commit = Commit()
    commit.tree, commit.author, commit.committer, commit.message = tree.id, b"a <a@b>", b"a <a@b>", b"m"
    commit.author_time = commit.commit_time = seconds
    commit.author_timezone = commit.commit_timezone = 0
    return commit


def loose_path(folder: Path, name: bytes) -> Path:
    """The file of a loose object."""
    return folder / ".git" / "objects" / name[:2].decode() / name[2:].decode()


def write_loose(folder: Path, content: bytes, *, header: bytes | None = None, name: bytes | None = None) -> bytes:
    """Write a loose object with a header of one's own; its hash, unless a name is given, is what git would give it."""
    raw = (b"blob %d" % len(content) if header is None else header) + b"\0" + content
    hashed = name or hashlib.sha1(raw, usedforsecurity=False).hexdigest().encode()
    path = loose_path(folder, hashed)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(raw))
    return hashed


def write_pack(folder: Path, entries: Sequence[tuple[bytes, bytes]], stem: str = "pack-of-a-test") -> None:
    """Write a pack of entries with the names that they claim."""
    data, index = b"PACK" + struct.pack(">LL", 2, len(entries)), list[tuple[bytes, int, int | None]]()
    for name, entry in entries:
        index.append((hex_to_sha(ObjectID(name)), len(data), zlib.crc32(entry)))
        data += entry
    checksum = hashlib.sha1(data, usedforsecurity=False).digest()
    path = folder / ".git" / "objects" / "pack" / f"{stem}.pack"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data + checksum)
    with path.with_suffix(".idx").open("wb") as file:
        write_pack_index_v2(file, sorted(index), checksum)


def entry_of(kind: int, content: bytes, *, base: bytes = b"", size: int | None = None) -> bytes:
    """An entry of a pack: `base` is the coded distance or hash of what a delta is to, `size` what the header claims."""
    rest = len(content) if size is None else size
    first, rest = kind << 4 | rest & 15, rest >> 4
    return _coded(first, rest) + base + zlib.compress(content)


def delta_of(base_size: int, size: int, *instructions: bytes) -> bytes:
    """Changes to an object of `base_size` bytes that claim to make one of `size` bytes."""
    return _number(base_size) + _number(size) + b"".join(instructions)


def _number(value: int) -> bytes:
    return _coded(value & 127, value >> 7)


def _coded(first: int, rest: int) -> bytes:
    coded = bytes([first | (128 if rest else 0)])
    return coded + _number(rest) if rest else coded
