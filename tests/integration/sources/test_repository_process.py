"""A git repository is read by a process of its own, which may take only so much time and memory."""

import os
from pathlib import Path

import pytest
from tests.support.git_repositories import TestRepository

from citemark.extraction.sandbox.process import Limits
from citemark.model.errors import InvalidArgument
from citemark.sources.git_objects import LargeObject
from citemark.sources.git_repository import GitRepository, NoSuchFolder, NotInRepository, UnknownCommit
from citemark.sources.repository_process import HeavyRepository, RepositoryProcess

BIG = 200 * 2**20
"""Bytes of a file that takes up next to nothing in the repository."""


def a_repository(folder: Path) -> TestRepository:
    repo = TestRepository(folder)
    repo.commit({"docs/größe.md": "# Größe\n", "other.md": "# Other\n"}, "v1")
    repo.commit({"docs/more.md": "# More\n"}, "v2", annotated=True)
    return repo


def test_a_process_reads_from_a_repository_what_is_in_it(tmp_path: Path) -> None:
    folder = a_repository(tmp_path / "project").folder / "docs"
    with RepositoryProcess.around(folder, Limits()) as read, GitRepository.around(folder) as here:
        assert read.tags() == here.tags()
        commit = read.commit("v2")
        assert commit == here.commit("v2")
        files = read.files(commit, lambda path: path != "more.md")
        assert [file.path for file in files] == ["größe.md"]
        assert read.content(files[0], 100) == "# Größe\n".encode()
        with pytest.raises(LargeObject):
            read.content(files[0], 3)


def test_what_cannot_be_read_is_told_as_if_no_process_had_been_between(tmp_path: Path) -> None:
    repo = a_repository(tmp_path / "project")
    empty = repo.folder / "empty"
    empty.mkdir()
    with RepositoryProcess.around(empty, Limits()) as read:
        with pytest.raises(UnknownCommit, match="Tags, nearest first: v1") as unknown:
            read.commit("v11")
        assert "v1" in unknown.value.details["near"]
        with pytest.raises(NoSuchFolder, match="'v1' has no folder 'empty'"):
            read.files(read.commit("v1"), lambda _: True)
    with pytest.raises(NotInRepository, match="not in a git repository"), RepositoryProcess.around(tmp_path, Limits()):
        pass


@pytest.mark.requirement("git-read-in-child")
def test_a_repository_that_takes_too_much_memory_or_time_ends_its_reader_and_nothing_else(tmp_path: Path) -> None:
    repo = TestRepository(tmp_path / "project")
    repo.commit({"docs/big.md": bytes(BIG)}, "v1")
    with RepositoryProcess.around(repo.folder / "docs", Limits(memory_mib=96)) as read:
        (file,) = read.files(read.commit("v1"), lambda _: True)
        with pytest.raises(HeavyRepository, match="more than the 96 MiB of memory"):
            read.content(file, 2 * BIG)
    with (
        pytest.raises(HeavyRepository, match=r"more than the 0\.01 seconds that it may"),
        RepositoryProcess.around(repo.folder / "docs", Limits(seconds=0.01)),
    ):
        pass


@pytest.mark.parametrize("stopped", [False, True])
def test_no_reader_is_left_when_its_repository_is_closed(tmp_path: Path, *, stopped: bool) -> None:
    folder = a_repository(tmp_path / "project").folder
    before = children()
    with RepositoryProcess.around(folder, Limits()) as read:
        (child,) = children() - before
        if stopped:
            os.kill(child, 9)
            with pytest.raises(InvalidArgument, match="its reader crashed"):
                read.tags()
    assert children() == before


def children() -> set[int]:
    """The processes that this one has started and that are not gone."""
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()}
