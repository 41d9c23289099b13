"""Whatever stands in the place of a repository's files, it is looked at before it is opened, and named if it is odd."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from dulwich.objects import Blob
from tests.support.git_objects import FILE, commit_of, repository, tree_of

from citemark.sources.docs.ignore_files import IgnoreRules, PatternFiles
from citemark.sources.git_control_files import OddRepository, check_control_files, regular_file
from citemark.sources.git_objects import DamagedObject
from citemark.sources.git_repository import GitRepository

pytestmark = pytest.mark.requirement("git-files-looked-at")

TEXT = Blob.from_string(b"# Text\n")


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A work tree with one commit, in a folder of its own."""
    tree = tree_of((b"page.md", FILE, TEXT))
    commit = commit_of(tree)
    return repository(tmp_path / "work", TEXT, tree, commit, v1=commit)


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


ODD: dict[str, Callable[[Path], None]] = {
    "a pipe": os.mkfifo,
    "a huge file": huge,
    "a device": device,
    "a folder": os.mkdir,
}
FILES = (
    "HEAD",
    "config",
    "packed-refs",
    "shallow",
    "commondir",
    "objects/info/alternates",
    "refs/tags/v2",
    "info/exclude",
)
CASES = [(name, odd) for name in FILES for odd in ODD if (odd, name[:5]) != ("a folder", "refs/")]
"""A reference may be a folder of references."""


@pytest.mark.parametrize(("name", "odd"), CASES)
def test_a_file_that_is_none_is_refused_by_its_name(work: Path, name: str, odd: str) -> None:
    path = work / ".git" / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.unlink(missing_ok=True)
    ODD[odd](path)
    with pytest.raises(OddRepository, match=path.name), GitRepository.around(work):
        pass


@pytest.mark.parametrize("name", ["pack-1.idx", "pack-1.pack", "multi-pack-index.midx"])
def test_a_pack_that_is_a_pipe_is_refused(work: Path, name: str) -> None:
    (work / ".git" / "objects" / "pack").mkdir(exist_ok=True)
    os.mkfifo(work / ".git" / "objects" / "pack" / name)
    with pytest.raises(OddRepository, match=name):
        check_control_files(work)


def test_a_pointer_that_is_a_pipe_neither_stops_a_scan_nor_a_command(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    (tmp_path / "page.md").touch()
    assert IgnoreRules(str(tmp_path), PatternFiles()).ignored("page.md", is_folder=False) is None
    with pytest.raises(OddRepository, match=r"\.git"):
        check_control_files(tmp_path)


def test_an_object_that_is_a_pipe_is_damaged(work: Path) -> None:
    path = work / ".git" / "objects" / TEXT.id[:2].decode() / TEXT.id[2:].decode()
    path.unlink()
    os.mkfifo(path)
    with GitRepository.around(work) as repo:
        (file,) = repo.files(repo.commit("v1"))
        with pytest.raises(DamagedObject):
            repo.content(file, 100)


@pytest.mark.parametrize(
    "included",
    ["[include]\n\tpath = {outside}\n", '[includeIf "gitdir:/"]\npath = {outside}', "[Include] path = ../../outside"],
)
def test_an_include_from_elsewhere_is_refused_by_its_name(work: Path, tmp_path: Path, included: str) -> None:
    outside = tmp_path / "outside"
    outside.write_text("[core]\n")
    with (work / ".git" / "config").open("a") as config:
        config.write(included.format(outside=outside))
    with pytest.raises(OddRepository, match="outside"):
        check_control_files(work)


def test_an_include_that_is_a_pipe_is_refused(work: Path) -> None:
    os.mkfifo(work / ".git" / "more")
    with (work / ".git" / "config").open("a") as config:
        config.write('[include]\n\tpath = "more"\n')
    with pytest.raises(OddRepository, match="named pipe"):
        check_control_files(work)


def test_stores_that_borrow_from_ever_more_stores_are_refused(work: Path, tmp_path: Path) -> None:
    for number in range(20):
        info = tmp_path / str(number) / "info"
        info.mkdir(parents=True)
        (info / "alternates").write_text(f"{tmp_path / str(number + 1)}\n")
    (work / ".git" / "objects" / "info").mkdir(exist_ok=True)
    (work / ".git" / "objects" / "info" / "alternates").write_text(f"# borrowed\n{tmp_path / '0'}\n")
    with pytest.raises(OddRepository, match="borrows"):
        check_control_files(work)


def test_a_link_out_of_the_repository_is_refused(work: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("x")
    (work / ".git" / "packed-refs").symlink_to(tmp_path / "secret")
    with pytest.raises(OddRepository, match="leads out"):
        check_control_files(work)


def test_repositories_of_people_are_read(work: Path, tmp_path: Path) -> None:
    (work / "docs").mkdir()
    (work / ".git" / "more").write_text("[user]\n")
    with (work / ".git" / "config").open("a") as config:
        config.write("[include]\n\tpath = more\n[user]\n\tpath = /etc/passwd\n")
    with GitRepository.around(work / "docs") as repo:
        assert [tag.name for tag in repo.tags()] == ["v1"]
    linked = tmp_path / "linked"
    (work / ".git" / "worktrees" / "linked").mkdir(parents=True)
    (work / ".git" / "worktrees" / "linked" / "commondir").write_text("../..\n")
    (work / ".git" / "worktrees" / "linked" / "HEAD").write_text("ref: refs/heads/master\n")
    linked.mkdir()
    (linked / ".git").write_text(f"gitdir: {work}/.git/worktrees/linked\n")
    check_control_files(linked)
    check_control_files(tmp_path)


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing"):
        with pytest.raises(OSError, match=r"pipe|regular|missing"):
            regular_file(path)
