"""Repositories that hold no work tree, commits in which a folder was not there, and damage of every kind."""

from pathlib import Path

import pytest
from dulwich.objects import Blob, ShaFile, Tag, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo
from tests.support.git_objects import (
    FILE,
    FOLDER,
    LINK,
    SUBMODULE,
    commit_of,
    loose_path,
    repository,
    tree_of,
    write_loose,
)

from citemark.sources.commit_folder import CommitFolder
from citemark.sources.git_objects import DamagedObject, LargeObject
from citemark.sources.git_repository import (
    GitRepository,
    IncompleteClone,
    NoSuchFolder,
    NotInRepository,
    UnknownCommit,
    UnreadableRepository,
)
from citemark.sources.git_trees import TreeFile

pytestmark = pytest.mark.requirement("unreadable-moments-refused-clearly")

TEXT = Blob.from_string(b"# Text\n")
DOCS = tree_of((b"page.md", FILE, TEXT))
TREE = tree_of((b"docs", FOLDER, DOCS))


def tag_of(target: ShaFile) -> Tag:
    tag = Tag()
    tag.object, tag.name, tag.message = (type(target), target.id), b"v1", b"m"
    tag.tagger, tag.tag_time, tag.tag_timezone = b"a <a@b>", 1_700_000_000, 0
    return tag


def damage(folder: Path, found: ShaFile, content: bytes = b"damaged") -> None:
    path = loose_path(folder, found.id)
    path.chmod(0o600)
    path.write_bytes(content)


def contents(opened: GitRepository, name: str) -> list[bytes]:
    return [opened.content(file, 1_000) for file in opened.files(opened.commit(name))]


def paths(folder: Path, name: str) -> list[str]:
    with GitRepository.around(folder) as opened:
        return [file.path for file in opened.files(opened.commit(name))]


@pytest.mark.requirement("failures-have-typed-classes")
def test_a_bare_repository_is_refused_with_what_to_add_instead(tmp_path: Path) -> None:
    bare = tmp_path / "project.git"
    bare.mkdir()
    Repo.init_bare(str(bare)).close()
    with (
        pytest.raises(NotInRepository, match=r"is a bare repository: .* Add a checkout"),
        GitRepository.around(bare),
    ):
        pass


@pytest.mark.parametrize("seconds", [10**18, -(10**18), 253_402_300_800])
def test_a_commit_time_that_no_calendar_has_does_not_keep_other_tags_out(tmp_path: Path, seconds: int) -> None:
    usual, odd = commit_of(DOCS), commit_of(DOCS, seconds)
    work, laid_out = repository(tmp_path / "work", TEXT, DOCS, usual=usual, odd=odd), tmp_path / "laid-out"
    laid_out.mkdir()
    with GitRepository.around(work) as opened:
        assert [tag.name for tag in opened.tags()] == (["usual", "odd"] if seconds > 0 else ["odd", "usual"])
        named = opened.commit("odd")
        CommitFolder(laid_out, opened, 1_000).show(opened.files(named), named.at)
    assert (laid_out / "page.md").read_bytes() == TEXT.data


@pytest.mark.parametrize("mode", [FILE, LINK, SUBMODULE, None])
@pytest.mark.parametrize("folder", ["docs", "docs/inner"])
def test_a_folder_that_was_something_else_at_the_commit_is_not_there(
    tmp_path: Path, mode: int | None, folder: str
) -> None:
    tree = tree_of() if mode is None else tree_of((b"docs", mode, TEXT))
    work = repository(tmp_path / "work", TEXT, tree, v1=commit_of(tree))
    (work / folder).mkdir(parents=True)
    with pytest.raises(NoSuchFolder, match=f"'v1' has no folder '{folder}'"):
        paths(work / folder, "v1")


def test_only_the_files_that_a_source_takes_are_listed(tmp_path: Path) -> None:
    docs = tree_of((b"page.md", FILE, TEXT), (b"logo.png", FILE, TEXT))
    tree = tree_of((b"docs", FOLDER, docs), (b"README.md", FILE, TEXT))
    work = repository(tmp_path / "work", TEXT, docs, tree, v1=commit_of(tree))
    (work / "docs").mkdir()
    with GitRepository.around(work / "docs") as opened:
        assert [file.path for file in opened.files(opened.commit("v1"), lambda path: path.endswith(".md"))] == [
            "page.md"
        ]


def test_what_a_clone_lacks_is_not_taken_as_a_folder_that_was_not_there(tmp_path: Path) -> None:
    commit = commit_of(TREE)
    work = repository(tmp_path / "work", TEXT, DOCS, TREE, v1=commit)
    (work / "docs").mkdir()
    for lacked in (TEXT, DOCS, TREE):
        loose_path(work, lacked.id).unlink()
        with GitRepository.around(work / "docs") as opened, pytest.raises(IncompleteClone):
            contents(opened, "v1")
    loose_path(work, commit.id).unlink()
    with GitRepository.around(work) as opened:
        assert opened.tags() == []
        with pytest.raises(IncompleteClone):
            opened.commit("v1")


@pytest.mark.parametrize("content", [b"damaged", b"", TEXT.as_legacy_object()])
@pytest.mark.parametrize("part", ["tag", "commit", "tree", "docs", "text"])
def test_damage_is_named_and_keeps_no_other_tag_out(tmp_path: Path, part: str, content: bytes) -> None:
    text, other = Blob.from_string(b"# Other\n"), commit_of(DOCS, 1_600_000_000)
    docs = tree_of((b"page.md", FILE, text))
    tree = tree_of((b"docs", FOLDER, docs))
    commit = commit_of(tree)
    tag = tag_of(commit)
    objects = {"tag": tag, "commit": commit, "tree": tree, "docs": docs, "text": text}
    work = repository(tmp_path / "work", TEXT, DOCS, *objects.values(), v1=tag, v0=other)
    (work / "docs").mkdir()
    damage(work, objects[part], content)
    with GitRepository.around(work / "docs") as opened:
        assert [each.name for each in opened.tags()] == (["v0"] if part in {"tag", "commit"} else ["v0", "v1"])
        with pytest.raises(DamagedObject, match="git fsck"):
            contents(opened, "v1")


def test_a_tree_that_is_cut_off_is_damage_even_if_its_hash_is_right(tmp_path: Path) -> None:
    work = repository(tmp_path / "work", TEXT)
    name = write_loose(work, DOCS.as_raw_string()[:-3], header=b"tree %d" % (len(DOCS.as_raw_string()) - 3))
    commit = commit_of(DOCS)
    commit.tree = name
    with pytest.raises(DamagedObject):
        paths(repository(work, v1=commit), "v1")


def test_an_object_of_another_kind_than_it_should_be_is_damage(tmp_path: Path) -> None:
    commits = {"v1": commit_of(TEXT), "v2": commit_of(tree_of((b"docs", FOLDER, TEXT)))}
    work = repository(tmp_path / "work", TEXT, DOCS, tree_of((b"docs", FOLDER, TEXT)), **commits)
    (work / "docs").mkdir()
    for name in commits:
        with pytest.raises(DamagedObject):
            paths(work / "docs", name)
    with GitRepository.around(work) as opened:
        with pytest.raises(DamagedObject):
            opened.content(TreeFile("page.md", DOCS.id.decode()), 1_000)
        with pytest.raises(LargeObject):
            opened.content(TreeFile("page.md", TEXT.id.decode()), 3)


def test_a_commit_that_lacks_its_time_or_tree_is_damage(tmp_path: Path) -> None:
    work = repository(tmp_path / "work", TEXT, DOCS)
    name = write_loose(work, b"tree %s\n\nm" % DOCS.id, header=b"commit %d" % (len(DOCS.id) + 8))
    with GitRepository.around(work) as opened, pytest.raises(DamagedObject):
        opened.commit(name.decode())


def test_a_tree_larger_than_any_folder_is_not_read(tmp_path: Path) -> None:
    work = repository(tmp_path / "work")
    name = write_loose(work, b"\0" * 40_000_000, header=b"tree 40000000")
    commit = commit_of(Tree())
    commit.tree = name
    with pytest.raises(DamagedObject):
        paths(repository(work, v1=commit), "v1")


def test_tags_of_what_is_no_commit_and_tags_of_tags_without_end_are_left_out(tmp_path: Path) -> None:
    commit = commit_of(DOCS)
    tags = [tag_of(commit)]
    while len(tags) < 150:
        tags.append(tag_of(tags[-1]))
    work = repository(
        tmp_path / "work", TEXT, DOCS, commit, *tags, near=tags[50], far=tags[-1], page=TEXT, listing=tag_of(DOCS)
    )
    with GitRepository.around(work) as opened:
        assert [each.name for each in opened.tags()] == ["near"]


def test_a_list_of_tags_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    work = repository(tmp_path / "work", TEXT, DOCS, v1=commit_of(DOCS))
    (work / ".git" / "packed-refs").write_bytes(b"no list of tags\n")
    with GitRepository.around(work) as opened:
        with pytest.raises(UnreadableRepository, match="git fsck"):
            opened.tags()
        with pytest.raises(UnreadableRepository, match="git fsck"):
            opened.commit("v1")


def test_a_tag_whose_file_holds_no_hash_is_left_out(tmp_path: Path) -> None:
    work = repository(tmp_path / "work", TEXT, DOCS, v1=commit_of(DOCS))
    (work / ".git" / "refs" / "tags" / "v2").write_bytes(b"../../../../etc/passwd\n")
    with GitRepository.around(work) as opened:
        assert [each.name for each in opened.tags()] == ["v1"]


def test_a_name_that_is_no_text_is_unknown(tmp_path: Path) -> None:
    work = repository(tmp_path / "work", TEXT, DOCS, v1=commit_of(DOCS))
    with GitRepository.around(work) as opened, pytest.raises(UnknownCommit, match="nearest first: v1"):
        opened.commit("v\udcff")


def test_a_branch_of_a_repository_is_a_commit_too(tmp_path: Path) -> None:
    commit = commit_of(DOCS)
    work = repository(tmp_path / "work", TEXT, DOCS, commit)
    repo = Repo(str(work))
    repo.refs[Ref(b"refs/heads/next")] = commit.id
    repo.close()
    assert paths(work, "next") == ["page.md"]
