"""Which paths the ignore files of a work tree leave out; the cases were compared with git."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.developer_folder import write

from citemark.sources.docs.ignore_files import IgnoreRules, PatternFiles

TREE: tuple[str, ...] = ("a/b/x.md", "a/x.md", "b/x.md", "b/y.log", "docs/x.md", "x.md", "y.log")

CASES: Mapping[str, tuple[Mapping[str, str], set[str]]] = {
    "a name": ({".gitignore": "x.md"}, {"b/y.log", "y.log"}),
    "anchored": ({".gitignore": "/x.md\n/b/"}, {"a/b/x.md", "a/x.md", "docs/x.md", "y.log"}),
    "only one folder": ({".gitignore": "/*\n!/docs"}, {"docs/x.md"}),
    "inside of a folder": (
        {".gitignore": "a/**\n!a/x.md"},
        {"a/x.md", "b/x.md", "b/y.log", "docs/x.md", "x.md", "y.log"},
    ),
    "nothing returns from an ignored folder": (
        {".gitignore": "a/\n!a/x.md"},
        {"b/x.md", "b/y.log", "docs/x.md", "x.md", "y.log"},
    ),
    "a nested file decides": (
        {".gitignore": "*.md", "a/.gitignore": "!*.md", "a/b/.gitignore": "x.md"},
        {"a/x.md", "b/y.log", "y.log"},
    ),
    "a negated folder keeps none of its files": (
        {".gitignore": "!a/**\n*.md", "a/.gitignore": "a/b\n![ab]"},
        {"b/y.log", "y.log"},
    ),
    "inside of every folder of a name": (
        {".gitignore": "**/b/**\n!x.md"},
        {each for each in TREE if each != "b/y.log"},
    ),
    ".ignore before .gitignore": ({".gitignore": "x.md", ".ignore": "!/x.md\ny.log"}, {"x.md"}),
    "beside the repository": (
        {".git/info/exclude": "x.md", ".gitignore": "!/docs/x.md"},
        {"docs/x.md", "b/y.log", "y.log"},
    ),
    "lines of Windows, comments and a mark": ({".gitignore": "\ufeff# all\r\nx.md\r\n"}, {"b/y.log", "y.log"}),
    "a line that is no pattern": ({".gitignore": "x.md\n!\n"}, {"b/y.log", "y.log"}),
}


def kept(root: Path, start: Path | None = None, files: PatternFiles | None = None) -> set[str]:
    """The files of the tree that are not ignored, as a walk from `start` finds them."""
    top = start or root
    rules = IgnoreRules(str(top.resolve()), files or PatternFiles())
    found: set[str] = set()

    def walk(folder: Path, below: str) -> None:
        for entry in sorted(folder.iterdir()):
            path = f"{below}/{entry.name}" if below else entry.name
            if entry.name.startswith(".") or rules.ignored(path, is_folder=entry.is_dir()):
                continue
            if entry.is_dir():
                walk(entry, path)
            else:
                found.add(path)

    walk(top, "")
    return found


def tree(root: Path, files: Mapping[str, str]) -> Path:
    for path in TREE:
        write(root, path, "text")
    (root / ".git").mkdir()
    for path, text in files.items():
        write(root, path, text)
    return root


@pytest.mark.requirement("gitignore-obeyed")
@pytest.mark.parametrize("case", CASES)
def test_paths_are_ignored_as_git_ignores_them(tmp_path: Path, case: str) -> None:
    files, left = CASES[case]
    assert kept(tree(tmp_path, files)) == left


@pytest.mark.requirement("gitignore-obeyed")
def test_nothing_is_ignored_outside_of_a_work_tree(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "x.md", ".ignore": "x.md"})
    (tmp_path / ".git").rmdir()
    assert kept(tmp_path) == set(TREE)


def test_patterns_above_the_folder_of_a_source_count(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "/a/b/"})
    assert kept(tmp_path, tmp_path / "a") == {"x.md"}


def test_a_folder_that_a_person_names_is_read_although_it_is_ignored_itself(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "/a\n", "a/.gitignore": "b/"})
    assert kept(tmp_path, tmp_path / "a") == {"x.md"}


def test_a_repository_within_a_repository_has_its_own_rules(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "x.md", "b/.gitignore": "y.log"})
    (tmp_path / "b" / ".git").write_text("gitdir: ../.git/modules/b\n")
    write(tmp_path, ".git/modules/b/info/exclude", "z.md")
    write(tmp_path, "b/z.md", "text")
    assert kept(tmp_path) == {"b/x.md", "y.log"}


@pytest.mark.requirement("gitignore-obeyed")
def test_a_changed_file_of_patterns_is_read_again(tmp_path: Path) -> None:
    files = PatternFiles()
    tree(tmp_path, {".gitignore": "x.md"})
    assert "x.md" not in kept(tmp_path, files=files)
    (tmp_path / ".gitignore").write_text("other.md\n")
    assert "x.md" in kept(tmp_path, files=files)
