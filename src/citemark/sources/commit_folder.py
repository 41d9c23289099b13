"""The files of a commit in a temporary folder, where they are read like those of any folder."""

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Protocol

from citemark.model.errors import InvalidArgument
from citemark.sources.git_objects import LargeObject
from citemark.sources.git_trees import TreeFile

MOST_TOGETHER = 16 * 1024**3
"""Bytes of a commit's files together. Each may be small in the repository, or even the same one, and what is written of
them must not fill the disk; folders of documents have a few GiB."""

_LARGEST_SHOWN = 2**40
"""Bytes up to which a file that is too large is shown with its size: file systems differ in what they can show."""


class FileContents(Protocol):
    """Gives the bytes of a commit's files."""

    def content(self, file: TreeFile, most: int) -> bytes:
        """The bytes of a file.

        Raises:
            LargeObject: it has more than `most` bytes.
            IncompleteClone, DamagedObject: it cannot be read.
        """
        ...


class TooManyBytes(InvalidArgument):
    """The files of a commit are too large together; `most` is how many bytes are written."""

    def __init__(self, most: int) -> None:
        super().__init__(f"The files of the commit have more than {most:,} bytes together, more than are read.")


class UnwritableFile(InvalidArgument):
    """A file of a commit cannot be written to the temporary folder."""

    def __init__(self, path: str, folder: Path, reason: str) -> None:
        super().__init__(f"{path!r} of the commit cannot be written to {str(folder)!r}: {reason}.", path=path)


class CommitFolder:
    """A temporary folder that shows one commit after another; files that two commits share are not written again.

    Args:
        folder: an empty folder.
        repository: where the files are from.
        most: bytes of a file; one that has more is shown with its size, but no content is read or takes up space.
        most_together: bytes of the content of all files of a commit.
    """

    def __init__(self, folder: Path, repository: FileContents, most: int, most_together: int = MOST_TOGETHER) -> None:
        self.folder = folder
        self._repository = repository
        self._most = most
        self._most_together = most_together
        self._present: dict[str, str] = {}
        self._sizes: dict[str, int] = {}
        self._bytes = 0

    def show(self, files: Sequence[TreeFile], at: datetime) -> Mapping[str, str]:
        """Make the folder contain these files; those that are written get `at` as their modification time.

        A file whose path is too long for the folder's file system is left out.

        Returns:
            The hash of each file's content by its path.

        Raises:
            IncompleteClone: a shallow or partial clone lacks a file.
            DamagedObject: a file is damaged.
            TooManyBytes: they are too large together.
            UnwritableFile: the disk is full, for instance.
        """
        blob_ids = {file.path: file.blob_id for file in files}
        for path in [path for path in self._present if path not in blob_ids]:
            self._remove(path)
        for file in files:
            if self._present.get(file.path) != file.blob_id:
                self._write(file, at)
        return {path: blob_id for path, blob_id in blob_ids.items() if path in self._present}

    def _write(self, file: TreeFile, at: datetime) -> None:
        self._forget(file.path)
        content, size = self._content(file)
        if self._bytes + len(content) > self._most_together:
            raise TooManyBytes(self._most_together)
        target = self._target(file.path)
        try:
            if target.is_dir():
                shutil.rmtree(target)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)
            target.write_bytes(content)
            if size > len(content):
                os.truncate(target, size)  # a hole, which takes up no space
            os.utime(target, (at.timestamp(), at.timestamp()))
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return
            raise UnwritableFile(file.path, self.folder, error.strerror or str(error)) from error
        self._present[file.path] = file.blob_id
        self._sizes[file.path] = len(content)
        self._bytes += len(content)

    def _content(self, file: TreeFile) -> tuple[bytes, int]:
        """The bytes to write of a file, and how many it has; none of one that is too large."""
        try:
            content = self._repository.content(file, self._most)
        except LargeObject as large:
            return b"", min(large.size, _LARGEST_SHOWN)
        return content, len(content)

    def _remove(self, path: str) -> None:
        self._forget(path)
        target = self._target(path)
        target.unlink(missing_ok=True)
        for parent in target.parents:
            if parent == self.folder or any(parent.iterdir()):
                return
            parent.rmdir()

    def _forget(self, path: str) -> None:
        self._present.pop(path, None)
        self._bytes -= self._sizes.pop(path, 0)

    def _target(self, path: str) -> Path:
        return self.folder.joinpath(*PurePosixPath(path).parts)
