"""Repositories that hold no work tree, and trees whose paths a stranger chose."""

from pathlib import Path

import pytest
from dulwich.objects import Blob, Commit, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

from citemark.sources.git_repository import CommitFolder, GitRepository, NotInRepository


@pytest.mark.requirement("i10-bad-input", "i13-5-failures")
def test_a_bare_repository_is_refused_with_what_to_add_instead(tmp_path: Path) -> None:
    bare = tmp_path / "project.git"
    bare.mkdir()
    Repo.init_bare(str(bare)).close()
    with (
        pytest.raises(NotInRepository, match=r"is a bare repository: .* Add a checkout"),
        GitRepository.around(bare),
    ):
        pass


def test_paths_of_a_tree_never_lead_out_of_the_folder(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    repo = Repo.init(str(work))
    blob = Blob.from_string(b"# Text\n")
    inner, tree = Tree(), Tree()
    inner.add(b"evil.md", 0o100644, blob.id)
    for name, mode, sha in (
        (b"..", 0o040000, inner.id),
        (b"good.md", 0o100644, blob.id),
        (b"back\\slash.md", 0o100644, blob.id),
        (b"link.md", 0o120000, blob.id),
        (b"not-utf8-\xff.md", 0o100644, blob.id),
    ):
        tree.add(name, mode, sha)
    commit = _commit(tree, 1_700_000_000)
    for made in (blob, inner, tree, commit):
        repo.object_store.add_object(made)
    repo.close()
    laid_out = tmp_path / "laid-out"
    laid_out.mkdir()
    with GitRepository.around(work) as repository:
        named = repository.commit(commit.id.decode())
        files = repository.files(named)
        CommitFolder(laid_out, repository).show(files, named.at)
    assert [file.path for file in files] == ["good.md"]
    assert [path.name for path in laid_out.iterdir()] == ["good.md"]
    assert not (tmp_path / "evil.md").exists()


@pytest.mark.parametrize("seconds", [10**18, -(10**18), 253_402_300_800])
def test_a_commit_time_that_no_calendar_has_does_not_keep_other_tags_out(tmp_path: Path, seconds: int) -> None:
    work, laid_out = tmp_path / "work", tmp_path / "laid-out"
    work.mkdir()
    laid_out.mkdir()
    repo = Repo.init(str(work))
    blob, tree = Blob.from_string(b"# Text\n"), Tree()
    tree.add(b"page.md", 0o100644, blob.id)
    usual, odd = _commit(tree, 1_700_000_000), _commit(tree, seconds)
    for made in (blob, tree, usual, odd):
        repo.object_store.add_object(made)
    repo.refs[Ref(b"refs/tags/usual")] = usual.id
    repo.refs[Ref(b"refs/tags/odd")] = odd.id
    repo.close()
    with GitRepository.around(work) as repository:
        assert [tag.name for tag in repository.tags()] == (["usual", "odd"] if seconds > 0 else ["odd", "usual"])
        named = repository.commit("odd")
        CommitFolder(laid_out, repository).show(repository.files(named), named.at)
    assert (laid_out / "page.md").read_bytes() == b"# Text\n"


def _commit(tree: Tree, seconds: int) -> Commit:
    commit = Commit()
    commit.tree, commit.author, commit.committer, commit.message = tree.id, b"a <a@b>", b"a <a@b>", b"m"
    commit.author_time = commit.commit_time = seconds
    commit.author_timezone = commit.commit_timezone = 0
    return commit
