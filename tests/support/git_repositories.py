"""Git repositories for tests: commits and tags of a folder, made without a git command."""

from pathlib import Path

from dulwich import porcelain
from dulwich.objects import Commit
from dulwich.repo import Repo

_WHO = b"Tess Ter <tess@example.org>"


class TestRepository:
    """A repository whose work tree is a folder; each commit takes all files that are there."""

    __test__ = False

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._repo = Repo.init(str(folder))
        self._time = 1_700_000_000

    def commit(self, files: dict[str, str | bytes | None], tag: str | None = None, *, annotated: bool = False) -> str:
        """Write files (None removes one), commit everything, and tag the commit; its hash."""
        for name, content in files.items():
            path = self.folder / name
            if content is None:
                path.unlink()
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        porcelain.add(self._repo, [str(self.folder / name) for name, content in files.items() if content is not None])
        gone = [str(self.folder / name) for name, content in files.items() if content is None]
        if gone:
            porcelain.remove(self._repo, gone)
        self._time += 60
        sha = porcelain.commit(
            self._repo, b"change", author=_WHO, committer=_WHO, commit_timestamp=self._time, author_timestamp=self._time
        )
        if tag is not None:
            porcelain.tag_create(self._repo, tag, annotated=annotated, author=_WHO, message=b"release")
        return sha.decode()

    def state(self) -> dict[str, tuple[int, bytes]]:
        """Every file of the work tree and of the repository, with its time of change and content."""
        files = [path for path in self.folder.rglob("*") if path.is_file()]
        return {str(path): (path.stat().st_mtime_ns, path.read_bytes()) for path in files}

    def cut_off(self) -> None:
        """Make it look like a shallow clone: only the newest commit is there."""
        newest = self._repo[self._repo.head()]
        assert isinstance(newest, Commit)
        self._repo.update_shallow({newest.id}, None)
        for parent in newest.parents:
            hexed = parent.decode()
            (self.folder / ".git" / "objects" / hexed[:2] / hexed[2:]).unlink()
