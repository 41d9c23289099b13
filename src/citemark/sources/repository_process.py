"""A git repository as read by a process with limits on time and memory; see `git_child`."""

import json
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import Event, Timer
from typing import Any, BinaryIO, cast

from citemark.extraction.sandbox.ipc import LENGTH_BYTES, MOST_REPLY_BYTES, packed
from citemark.extraction.sandbox.process import Limits, child_environment
from citemark.model.errors import InvalidArgument
from citemark.sources.git_control_files import OddRepository
from citemark.sources.git_objects import DamagedObject, LargeObject
from citemark.sources.git_repository import (
    IncompleteClone,
    NoSuchFolder,
    NotInRepository,
    RepositoryCommit,
    UnknownCommit,
    UnreadableRepository,
)
from citemark.sources.git_trees import MOST_FILES, TooManyFiles, TreeFile

_ERRORS: Mapping[str, type[InvalidArgument]] = {
    kind.__name__: kind
    for kind in (
        DamagedObject, IncompleteClone, NoSuchFolder, NotInRepository, OddRepository, TooManyFiles, UnknownCommit,
        UnreadableRepository,
    )
}  # fmt: skip


class HeavyRepository(InvalidArgument):
    """Reading a repository took more time or memory than it may, or broke the process that read it."""

    def __init__(self, folder: Path, problem: str) -> None:
        super().__init__(f"The git repository around {str(folder)!r} cannot be read: {problem}", folder=str(folder))


class RepositoryProcess:
    """The repository that a folder lies in. Its methods wait for the process; one thread uses it at a time."""

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path, limits: Limits) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("the process has no pipes")
        self._process = process
        self._folder = folder
        self._limits = limits
        self._sink = cast("BinaryIO", process.stdin)
        self._source = cast("BinaryIO", process.stdout)

    @classmethod
    @contextmanager
    def around(cls, folder: Path, limits: Limits) -> Generator["RepositoryProcess"]:
        """Open the repository whose work tree holds a folder, in a process that ends with the block.

        Raises:
            NotInRepository, OddRepository: as of `GitRepository.around`.
            HeavyRepository: opening it takes too long or too much memory.
        """
        command = [sys.executable, "-P", "-m", "citemark.sources.git_child"]
        process = subprocess.Popen(
            [*command, str(limits.memory_mib), str(limits.seconds), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment(),
        )
        with process:
            try:
                opened = cls(process, folder, limits)
                list(opened._messages())
                yield opened
            finally:
                process.kill()

    def tags(self) -> list[RepositoryCommit]:
        """Return the tags of all commits that the clone has undamaged, the oldest commit first.

        Raises:
            UnreadableRepository: the list of tags is damaged.
            HeavyRepository: it takes too long or too much memory.
        """
        return [_commit(row) for row in self._rows({"ask": "tags"})]

    def commit(self, name: str) -> RepositoryCommit:
        """Return the commit of a tag, a branch or a hash.

        Raises:
            UnknownCommit, IncompleteClone, DamagedObject, UnreadableRepository: as of `GitRepository.commit`.
            HeavyRepository: it takes too long or too much memory.
        """
        (row,) = self._rows({"ask": "commit", "name": name})
        return _commit(row)

    def files(self, commit: RepositoryCommit, takes: Callable[[str], bool]) -> list[TreeFile]:
        """Return the regular files of a commit below the folder that `takes` accepts.

        Raises:
            NoSuchFolder, IncompleteClone, DamagedObject, TooManyFiles: as of `GitRepository.files`.
            HeavyRepository: it takes too long or too much memory.
        """
        asked = {"ask": "files", "commit": [commit.name, commit.commit_id, commit.at.isoformat()]}
        found: list[TreeFile] = []
        for path, blob_id in self._rows(asked):
            if takes(str(path)):
                found.append(TreeFile(str(path), str(blob_id)))
            if len(found) > MOST_FILES:
                raise TooManyFiles(commit.name, MOST_FILES)
        return found

    def content(self, file: TreeFile, most: int) -> bytes:
        """Return the bytes of a file.

        Raises:
            LargeObject, IncompleteClone, DamagedObject: as of `GitRepository.content`.
            HeavyRepository: it takes too long or too much memory.
        """
        content = b""
        for message in self._asked({"ask": "content", "file": [file.path, file.blob_id], "most": most}):
            content = self._bytes(min(int(message["bytes"]), most))
        return content

    def _rows(self, request: Mapping[str, Any]) -> Iterator[Any]:
        for message in self._asked(request):
            yield from message["rows"]

    def _asked(self, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        try:
            self._sink.write(packed(request))
            self._sink.flush()
        except OSError:
            with suppress(OSError):
                self._sink.close()
            raise HeavyRepository(self._folder, self._too_large()) from None
        yield from self._messages()

    def _messages(self) -> Iterator[Mapping[str, Any]]:
        """The messages of an answer but its last one, which may be an error."""
        while True:
            length = int.from_bytes(self._bytes(LENGTH_BYTES), "big")
            if length > MOST_REPLY_BYTES:
                raise HeavyRepository(self._folder, "its reader broke.")
            message: Mapping[str, Any] = json.loads(self._bytes(length))
            if "end" in message:
                self._raise(message)
                return
            yield message

    def _raise(self, end: Mapping[str, Any]) -> None:
        name = end.get("error")
        if name is None:
            return
        if name == LargeObject.__name__:
            raise LargeObject(int(end["size"]))
        kind = _ERRORS.get(str(name))
        if kind is None:
            raise HeavyRepository(self._folder, self._too_large())
        error = kind.__new__(kind)  # its message is made already
        InvalidArgument.__init__(error, str(end["message"]), **end["details"])
        raise error

    def _bytes(self, count: int) -> bytes:
        """Read from the process, which is killed if it lets us wait for too long."""
        late = Event()

        def give_up() -> None:
            late.set()
            self._process.kill()

        timer = Timer(self._limits.seconds, give_up)
        timer.start()
        try:
            found = self._source.read(count)
        finally:
            timer.cancel()
        if len(found) == count:
            return found
        if late.is_set():
            seconds = f"{self._limits.seconds:g}"
            raise HeavyRepository(
                self._folder, f"it takes more than the {seconds} seconds that it may (CITEMARK_PARSE_SECONDS)."
            )
        raise HeavyRepository(self._folder, self._too_large())

    def _too_large(self) -> str:
        return (
            f"its reader crashed, or needs more than the {self._limits.memory_mib} MiB of memory that it may take "
            "(CITEMARK_PARSE_MEMORY_MIB)."
        )


def _commit(row: Any) -> RepositoryCommit:
    name, commit_id, at = row
    return RepositoryCommit(str(name), str(commit_id), datetime.fromisoformat(str(at)))
