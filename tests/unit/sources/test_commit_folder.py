"""The folder in which the files of commits appear, one commit after the other."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from dulwich.objects import Blob, ShaFile
from tests.support.git_objects import FILE, commit_of, repository, tree_of, write_loose

from citemark.sources.commit_folder import CommitFolder, TooManyBytes, UnwritableFile
from citemark.sources.git_repository import GitRepository
from citemark.sources.git_trees import TreeFile

pytestmark = pytest.mark.requirement("unreadable-moments-refused-clearly")

AT = datetime(2024, 5, 6, tzinfo=UTC)
ONE, TWO = Blob.from_string(b"# One\n"), Blob.from_string(b"# Two\n")


@contextmanager
def laid_out(tmp_path: Path, *objects: ShaFile, most: int = 1_000) -> Generator[CommitFolder]:
    work, folder = repository(tmp_path / "work", *objects), tmp_path / "laid-out"
    folder.mkdir()
    with GitRepository.around(work) as opened:
        yield CommitFolder(folder, opened, most)


def file(path: str, blob: ShaFile) -> TreeFile:
    return TreeFile(path, blob.id.decode())


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")
    }


def test_each_commit_replaces_the_one_before_even_a_file_by_a_folder(tmp_path: Path) -> None:
    with laid_out(tmp_path, ONE, TWO) as folder:
        for files in (
            {"a.md": ONE, "b/c.md": TWO, "b/d/e.md": ONE},
            {"a.md": TWO, "b": ONE},
            {"a.md/x.md": ONE},
            {},
        ):
            shown = folder.show([file(path, blob) for path, blob in files.items()], AT)
            assert shown == {path: blob.id.decode() for path, blob in files.items()}
            written = {path: text for path, text in contents(folder.folder).items() if text}
            assert written == {path: blob.data for path, blob in files.items()}
        assert contents(folder.folder) == {}


def test_a_file_beyond_the_limit_has_its_size_and_takes_up_no_space(tmp_path: Path) -> None:
    zeros = b"\0" * 50_000_000
    with laid_out(tmp_path, ONE) as folder:
        name = write_loose(tmp_path / "work", zeros)
        claimed = write_loose(tmp_path / "work", b"", header=b"blob 1" + b"0" * 30)
        files = [TreeFile("large.md", name.decode()), TreeFile("vast.md", claimed.decode()), file("small.md", ONE)]
        folder.show(files, AT)
        large, vast = (folder.folder / path for path in ("large.md", "vast.md"))
        assert (large.stat().st_size, vast.stat().st_size) == (50_000_000, 2**40)
        assert large.stat().st_blocks * 512 < 100_000
        assert large.stat().st_mtime == AT.timestamp()
        assert (folder.folder / "small.md").read_bytes() == ONE.data
        folder.show([file("large.md", ONE)], AT)
        assert contents(folder.folder) == {"large.md": ONE.data}


def test_a_path_too_long_for_the_file_system_is_left_out(tmp_path: Path) -> None:
    deep = tmp_path / ("n" * 200) / ("n" * 200)
    deep.mkdir(parents=True)
    with GitRepository.around(repository(tmp_path / "work", ONE)) as opened:
        folder = CommitFolder(deep, opened, 1_000)
        long = "/".join(["m" * 250] * 16)
        assert folder.show([file(long, ONE), file("a.md", ONE)], AT) == {"a.md": ONE.id.decode()}
        assert folder.show([file("b.md", ONE)], AT) == {"b.md": ONE.id.decode()}


def test_a_file_that_cannot_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    with laid_out(tmp_path, ONE) as folder:
        folder.show([file("a", ONE)], AT)
        with pytest.raises(UnwritableFile, match=r"'a/b' of the commit cannot be written to .*: (File exists|Not a)"):
            folder.show([file("a", ONE), file("a/b", ONE)], AT)


def test_files_that_are_too_large_together_are_refused_before_they_are_written(tmp_path: Path) -> None:
    work, laid = repository(tmp_path / "work", ONE, TWO), tmp_path / "laid-out"
    laid.mkdir()
    with GitRepository.around(work) as opened:
        folder = CommitFolder(laid, opened, 1_000, most_together=2 * len(ONE.data))
        folder.show([file("a.md", ONE), file("b.md", ONE)], AT)
        folder.show([file("b.md", TWO), file("c.md", ONE)], AT)
        with pytest.raises(TooManyBytes, match="more than 12 bytes together"):
            folder.show([file(name, TWO) for name in ("b.md", "c.md", "d.md")], AT)
        assert sorted(contents(laid)) == ["b.md", "c.md"]


def test_paths_of_a_tree_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    inner = tree_of((b"evil.md", FILE, ONE))
    tree = tree_of((b"..", 0o040000, inner), (b"good.md", FILE, ONE))
    commit = commit_of(tree)
    with laid_out(tmp_path, ONE, inner, tree, commit) as folder, GitRepository.around(tmp_path / "work") as opened:
        files = opened.files(opened.commit(commit.id.decode()))
        folder.show(files, AT)
        assert contents(folder.folder) == {"good.md": ONE.data}
    assert not (tmp_path / "evil.md").exists()
