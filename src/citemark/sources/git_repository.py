"""A git repository on this machine: its tags and commits, and the files of one of them in a folder of their own.

Objects are read directly (dulwich): no command of the repository's configuration runs, and neither its work tree nor
its index is touched. Paths in a tree are untrusted input.
"""

import os
import shutil
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from dulwich.errors import NotGitRepository
from dulwich.object_store import iter_tree_contents
from dulwich.objects import Blob, Commit, ObjectID, Tag, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from citemark.model.errors import InvalidArgument

_LEAST_HASH = 7
"""Characters of a commit's hash: fewer are often shared by several objects."""

_HASH = 40
_TAGS = b"refs/tags/"
_MOST_NAMED = 20
_SHOWN = 80  # characters of a name that messages repeat
_LATEST = 253_402_300_799  # the last second of the year 9999, in seconds since 1970

_UNSHALLOW = " The clone is shallow: `git fetch --unshallow --tags` fetches the rest."


@dataclass(frozen=True, slots=True)
class RepositoryCommit:
    """A commit, with the name under which it was requested; `at` is when it was committed (UTC).

    Whoever commits chooses that time freely: one before 1970 or after the year 9999 counts as the nearest in between.
    """

    name: str
    commit_id: str
    at: datetime


@dataclass(frozen=True, slots=True)
class TreeFile:
    """A regular file of a commit: its path below a folder of the repository, and the hash of its content."""

    path: str
    blob_id: str


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


class GitRepository:
    """The repository that a folder lies in."""

    def __init__(self, repo: Repo, prefix: str) -> None:
        self._repo = repo
        self._prefix = prefix

    @classmethod
    @contextmanager
    def around(cls, folder: Path) -> Generator["GitRepository"]:
        """Open the repository whose work tree holds a folder.

        Raises:
            NotInRepository: there is no repository, or it is bare, so that it cannot contain the folder of a source.
        """
        real = Path(os.path.realpath(folder))
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
        """Return the tags of all commits that the clone has, the oldest commit first."""
        found: list[RepositoryCommit] = []
        for ref, sha in self._repo.refs.as_dict(Ref(_TAGS)).items():
            commit = self._peeled(sha)
            if commit is not None:
                found.append(_named(ref.removeprefix(_TAGS).decode("utf-8", "replace"), commit))
        return sorted(found, key=lambda each: (each.at, each.name))

    def commit(self, name: str) -> RepositoryCommit:
        """Return the commit of a tag, a branch or a hash.

        Raises:
            UnknownCommit: there is no commit of that name.
            IncompleteClone: a shallow clone lacks it.
        """
        refs = self._repo.refs.as_dict()
        for prefix in (_TAGS, b"refs/heads/", b"refs/remotes/"):
            sha = refs.get(Ref(prefix + name.encode()))
            if sha is not None:
                commit = self._peeled(sha)
                if commit is None:
                    raise self._missing(name)
                return _named(name, commit)
        commit = self._by_hash(name)
        if commit is None:
            raise self._unknown(name)
        return _named(name, commit)

    def files(self, commit: RepositoryCommit) -> list[TreeFile]:
        """Return the regular files of a commit below the folder, without links and nested repositories.

        Raises:
            InvalidArgument: the commit has no such folder.
            IncompleteClone: a shallow clone lacks its files.
        """
        store = self._repo.object_store
        try:
            found = self._repo[ObjectID(commit.commit_id.encode())]
            tree = self._repo[found.tree] if isinstance(found, Commit) else None
            if isinstance(tree, Tree) and self._prefix != ".":
                _, sha = tree.lookup_path(store.__getitem__, self._prefix.encode())
                tree = self._repo[sha]
        except KeyError:
            tree = None
        if tree is None:
            folder = "" if self._prefix == "." else f" no folder {self._prefix!r}, or"
            raise InvalidArgument(f"{commit.name!r} has{folder} no files in this clone.", commit=commit.name)
        if isinstance(tree, Blob):
            return [TreeFile(PurePosixPath(self._prefix).name, tree.id.decode())]
        try:
            entries = [
                (entry.path or b"", entry.mode or 0, entry.sha or b"") for entry in iter_tree_contents(store, tree.id)
            ]
        except KeyError:
            raise self._missing(commit.name) from None
        return [
            TreeFile(path.decode(), sha.decode()) for path, mode, sha in entries if S_ISREG(mode) and _is_plain(path)
        ]

    def content(self, file: TreeFile) -> bytes:
        """Return the bytes of a file.

        Raises:
            IncompleteClone: a shallow or partial clone lacks it.
        """
        try:
            blob = self._repo[ObjectID(file.blob_id.encode())]
        except KeyError:
            raise self._missing(file.path) from None
        return blob.as_raw_string()

    def _peeled(self, sha: ObjectID) -> Commit | None:
        """The commit that a reference resolves to; None if it is missing or does not resolve to a commit."""
        try:
            found = self._repo[sha]
            while isinstance(found, Tag):
                found = self._repo[found.object[1]]
        except KeyError:
            return None
        return found if isinstance(found, Commit) else None

    def _by_hash(self, name: str) -> Commit | None:
        short = name.lower()
        if not _LEAST_HASH <= len(short) <= _HASH or not all(character in "0123456789abcdef" for character in short):
            return None
        store = self._repo.object_store
        shas = [ObjectID(short.encode())] if len(short) == _HASH else list(store.iter_prefix(short.encode()))
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


class CommitFolder:
    """A temporary folder that shows one commit after another; files that two commits share are not written again."""

    def __init__(self, folder: Path, repository: GitRepository) -> None:
        self.folder = folder
        self._repository = repository
        self._present: dict[str, str] = {}

    def show(self, files: Sequence[TreeFile], at: datetime) -> Mapping[str, str]:
        """Make the folder contain exactly these files; those that are written get `at` as their modification time.

        Returns:
            The hash of each file's content by its path.
        """
        blob_ids = {file.path: file.blob_id for file in files}
        for path in [path for path in self._present if path not in blob_ids]:
            self._remove(path)
        for file in files:
            if self._present.get(file.path) != file.blob_id:
                self._write(file, at)
        return blob_ids

    def _write(self, file: TreeFile, at: datetime) -> None:
        target = self.folder.joinpath(*PurePosixPath(file.path).parts)
        if target.is_dir():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.unlink(missing_ok=True)
        target.write_bytes(self._repository.content(file))
        os.utime(target, (at.timestamp(), at.timestamp()))
        self._present[file.path] = file.blob_id

    def _remove(self, path: str) -> None:
        target = self.folder.joinpath(*PurePosixPath(path).parts)
        target.unlink(missing_ok=True)
        del self._present[path]
        for parent in target.parents:
            if parent == self.folder or any(parent.iterdir()):
                return
            parent.rmdir()


def _named(name: str, commit: Commit) -> RepositoryCommit:
    at = datetime.fromtimestamp(min(max(commit.commit_time, 0), _LATEST), UTC)
    return RepositoryCommit(name, commit.id.decode(), at)


def _is_plain(path: bytes) -> bool:
    """Whether a path from a tree stays below its folder on every system."""
    try:
        text = path.decode()
    except UnicodeDecodeError:
        return False
    parts = text.split("/")
    return "\0" not in text and "\\" not in text and not any(part in {"", ".", ".."} for part in parts)
