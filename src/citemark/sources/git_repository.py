"""A git repository on this machine: its tags and commits, and the files of one of them.

Objects are read directly (dulwich): no command of the repository's configuration runs, and neither its work tree nor
its index is touched. Everything in them is untrusted input.
"""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path

from dulwich.errors import FileFormatException, NotGitRepository, RefFormatError
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tag, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from citemark.model.errors import InvalidArgument
from citemark.sources.git_control_files import check_control_files
from citemark.sources.git_objects import DamagedObject, GitObjects, LargeObject, MissingObject
from citemark.sources.git_trees import MOST_FILES, TreeFile, files_in, is_folder

_LEAST_HASH = 7
"""Characters of a commit's hash: fewer are often shared by several objects."""

_HASH = 40
_TAGS = b"refs/tags/"
_MOST_NAMED = 20
_SHOWN = 80  # characters of a name that messages repeat
_LATEST = 253_402_300_799  # the last second of the year 9999, in seconds since 1970

_MOST_BYTES = 32 * 1024 * 1024
"""Bytes of a commit, tag or tree: a folder of a million files. In memory it takes ten times that."""

_MOST_PEELED = 100  # tags of tags; most tags are of commits

_UNSHALLOW = " The clone is shallow: `git fetch --unshallow --tags` fetches the rest."


@dataclass(frozen=True, slots=True)
class RepositoryCommit:
    """A commit, with the name under which it was requested; `at` is when it was committed (UTC).

    Whoever commits chooses that time freely: one before 1970 or after the year 9999 counts as the nearest in between.
    """

    name: str
    commit_id: str
    at: datetime


class NotInRepository(InvalidArgument):
    """A folder is not in a repository with a work tree; `bare` is the repository found around it that has none."""

    def __init__(self, folder: Path, bare: Path | None = None) -> None:
        message = f"{str(folder)!r} is not in a git repository."
        if bare is not None:
            message = (
                f"{str(bare)!r} is a bare repository: it has no work tree that holds {str(folder)!r}. Add a "
                "checkout of it as the source."
            )
        super().__init__(message, folder=str(folder))


class UnknownCommit(InvalidArgument):
    """No tag, branch or commit has this name; `near` lists similar tags; `shallow`: the clone is cut off."""

    def __init__(self, name: str, near: Sequence[str], *, shallow: bool) -> None:
        known = f"Tags, nearest first: {', '.join(near)}." if near else "It has no tags."
        super().__init__(
            f"The repository has no tag or commit {name[:_SHOWN]!r}. {known}{_UNSHALLOW if shallow else ''}",
            tag=name[:_SHOWN],
            near=list(near),
        )


class IncompleteClone(InvalidArgument):
    """The clone does not have all objects of a tag or file; `shallow` tells whether it is a shallow clone."""

    def __init__(self, name: str, *, shallow: bool) -> None:
        super().__init__(
            f"The repository does not have all of {name[:_SHOWN]!r}.{_UNSHALLOW if shallow else ''}",
            name=name[:_SHOWN],
        )


class NoSuchFolder(InvalidArgument):
    """A commit has no such folder; at its path there is nothing, a file, a link or a submodule."""

    def __init__(self, name: str, folder: str) -> None:
        super().__init__(f"{name[:_SHOWN]!r} has no folder {folder!r}.", commit=name[:_SHOWN])


class UnreadableRepository(InvalidArgument):
    """The list of the repository's tags and branches cannot be read."""

    def __init__(self) -> None:
        super().__init__("The tags of the git repository cannot be read; `git fsck` lists what is damaged.")


class GitRepository:
    """The repository that a folder lies in."""

    def __init__(self, repo: Repo, prefix: str) -> None:
        self._repo = repo
        self._prefix = prefix
        self._objects = GitObjects(repo.object_store)

    @classmethod
    @contextmanager
    def around(cls, folder: Path) -> Generator["GitRepository"]:
        """Open the repository whose work tree holds a folder.

        Raises:
            NotInRepository: there is no repository, or it is bare, so that it cannot contain the folder of a source.
            OddRepository: a file of the repository is none that may be read.
        """
        real = Path(os.path.realpath(folder))
        check_control_files(real)
        try:
            repo = Repo.discover(real)
        except NotGitRepository:
            raise NotInRepository(folder) from None
        try:
            root = Path(os.path.realpath(os.fsdecode(repo.path)))
            if repo.bare or not real.is_relative_to(root):
                raise NotInRepository(folder, root)
            yield cls(repo, real.relative_to(root).as_posix())
        finally:
            repo.close()

    def tags(self) -> list[RepositoryCommit]:
        """Return the tags of all commits that the clone has undamaged, the oldest commit first.

        Raises:
            UnreadableRepository: the list of tags is damaged.
        """
        found: list[RepositoryCommit] = []
        for ref, sha in self._refs().items():
            if not ref.startswith(_TAGS):
                continue
            try:
                commit = self._peeled(sha)
            except DamagedObject:
                continue
            if commit is not None:
                found.append(_named(ref.removeprefix(_TAGS).decode("utf-8", "replace"), commit))
        return sorted(found, key=lambda each: (each.at, each.name))

    def commit(self, name: str) -> RepositoryCommit:
        """Return the commit of a tag, a branch or a hash.

        Raises:
            UnknownCommit: there is no commit of that name.
            IncompleteClone: a shallow clone lacks it.
            DamagedObject: it is damaged, or the tag is.
            UnreadableRepository: the list of tags is damaged.
        """
        refs = self._refs()
        for prefix in (_TAGS, b"refs/heads/", b"refs/remotes/"):
            sha = refs.get(Ref(prefix + os.fsencode(name)))
            if sha is not None:
                commit = self._peeled(sha)
                if commit is None:
                    raise self._missing(name)
                return _named(name, commit)
        commit = self._by_hash(name)
        if commit is None:
            raise self._unknown(name)
        return _named(name, commit)

    def files(
        self, commit: RepositoryCommit, takes: Callable[[str], bool] = lambda _: True, *, most: int = MOST_FILES
    ) -> list[TreeFile]:
        """Return the regular files of a commit below the folder.

        Left out are links, nested repositories, paths that would lead out of the folder or that no file system holds,
        and what is nested more than 128 levels deep.

        Args:
            commit: of this repository.
            takes: whether to return the file at a path below the folder.
            most: files that are returned.

        Raises:
            NoSuchFolder: the commit has no such folder.
            IncompleteClone: a shallow or partial clone lacks its files.
            DamagedObject: a folder of it is damaged.
            TooManyFiles: it has more files than are read.
        """
        try:
            return list(files_in(self._folder(commit), self._tree, takes, commit.name, most_files=most))
        except MissingObject:
            raise self._missing(commit.name) from None

    def content(self, file: TreeFile, most: int) -> bytes:
        """Return the bytes of a file.

        Raises:
            LargeObject: it has more than `most` bytes.
            IncompleteClone: a shallow or partial clone lacks it.
            DamagedObject: it is damaged.
        """
        try:
            blob = self._objects.read(file.blob_id.encode(), most)
        except MissingObject:
            raise self._missing(file.path) from None
        if not isinstance(blob, Blob):
            raise DamagedObject(blob.id)
        return blob.as_raw_string()

    def _folder(self, commit: RepositoryCommit) -> Tree:
        found = self._read(commit.commit_id.encode())
        if not isinstance(found, Commit):
            raise DamagedObject(commit.commit_id.encode())
        tree = self._tree(found.tree)
        for part in () if self._prefix == "." else self._prefix.split("/"):
            entry = next((each for each in tree.items() if each.path == os.fsencode(part)), None)
            if entry is None or not is_folder(entry):
                raise NoSuchFolder(commit.name, self._prefix)
            tree = self._tree(entry.sha)
        return tree

    def _tree(self, sha: bytes) -> Tree:
        found = self._read(sha)
        if not isinstance(found, Tree):
            raise DamagedObject(sha)
        return found

    def _read(self, sha: bytes) -> ShaFile:
        try:
            return self._objects.read(sha, _MOST_BYTES)
        except LargeObject:
            raise DamagedObject(sha) from None

    def _refs(self) -> dict[Ref, ObjectID]:
        try:
            return self._repo.refs.as_dict()
        except (FileFormatException, RefFormatError, OSError, ValueError) as error:
            raise UnreadableRepository from error

    def _peeled(self, sha: bytes) -> Commit | None:
        """The commit that a reference resolves to; None if it is missing or does not resolve to a commit.

        Raises:
            DamagedObject: it is damaged, or a tag on the way is.
        """
        try:
            found = self._objects.read(sha, _MOST_BYTES)
            for _ in range(_MOST_PEELED):
                if not isinstance(found, Tag):
                    break
                found = self._objects.read(found.object[1], _MOST_BYTES)
        except (MissingObject, LargeObject):
            return None
        if not isinstance(found, Commit):
            return None
        if found.commit_time is None:  # dulwich reads commits that lack lines
            raise DamagedObject(found.id)
        return found

    def _by_hash(self, name: str) -> Commit | None:
        short = name.lower()
        if not _LEAST_HASH <= len(short) <= _HASH or not all(character in "0123456789abcdef" for character in short):
            return None
        shas = [short.encode()] if len(short) == _HASH else self._objects.beginning_with(short.encode())
        commits = [commit for commit in map(self._peeled, shas) if commit is not None]
        return commits[0] if len(commits) == 1 else None

    def _unknown(self, name: str) -> UnknownCommit:
        near = get_close_matches(name, [tag.name for tag in self.tags()], _MOST_NAMED, 0)
        return UnknownCommit(name, near, shallow=self._shallow)

    def _missing(self, name: str) -> IncompleteClone:
        return IncompleteClone(name, shallow=self._shallow)

    @property
    def _shallow(self) -> bool:
        return bool(self._repo.get_shallow())


def _named(name: str, commit: Commit) -> RepositoryCommit:
    at = datetime.fromtimestamp(min(max(commit.commit_time, 0), _LATEST), UTC)
    return RepositoryCommit(name, commit.id.decode(), at)
