"""Trees whose names, depth and number a stranger chose."""

import pytest
from dulwich.objects import Blob, Tree
from tests.support.git_objects import FILE, FOLDER, LINK, SUBMODULE, tree_of

from citemark.sources.git_trees import TooManyFiles, files_in

pytestmark = pytest.mark.requirement("unreadable-moments-refused-clearly")

BLOB = Blob.from_string(b"# Text\n")


def paths_in(tree: Tree, *others: Tree, most_entries: int = 1_000, most_files: int = 1_000) -> list[str]:
    trees = {each.id: each for each in others}
    found = files_in(
        tree,
        lambda sha: trees[sha],  # pyright: ignore[reportArgumentType]
        lambda path: path.endswith(".md"),
        "v1",
        most_entries=most_entries,
        most_files=most_files,
    )
    return [file.path for file in found]


def test_only_regular_files_with_usable_paths_are_listed() -> None:
    inner = tree_of((b"b.md", FILE, BLOB), (b"c.txt", FILE, BLOB))
    tree = tree_of(
        (b"a.md", FILE, BLOB),
        (b"folder", FOLDER, inner),
        (b"..", FOLDER, inner),
        (b".", FOLDER, inner),
        (b"x/y.md", FILE, BLOB),
        (b"back\\slash.md", FILE, BLOB),
        (b"not-utf8-\xff.md", FILE, BLOB),
        (b"link.md", LINK, BLOB),
        (b"module.md", SUBMODULE, BLOB),
        (b"n" * 252 + b".md", FILE, BLOB),
        (b"n" * 253 + b".md", FILE, BLOB),
    )
    assert paths_in(tree, inner) == ["a.md", "folder/b.md", "n" * 252 + ".md"]


def test_what_is_nested_too_deep_or_has_a_long_path_is_left_out() -> None:
    for name, levels in ((b"f", 128), (b"n" * 100, 10)):
        tree = tree_of((b"a.md", FILE, BLOB))
        trees = [tree]
        for _ in range(levels + 3):
            trees.append(tree_of((b"a.md", FILE, BLOB), (name, FOLDER, trees[-1])))
        paths = paths_in(trees[-1], *trees)
        assert len(paths) == levels + 1
        assert max(map(len, paths)) <= 1_024


def test_trees_that_contain_one_another_again_and_again_are_refused() -> None:
    trees = [tree_of((b"a.md", FILE, BLOB))]
    for _ in range(10):
        trees.append(tree_of(*[(b"%d" % number, FOLDER, trees[-1]) for number in range(10)]))
    with pytest.raises(TooManyFiles, match=r"'v1' has more than 100 files there.*a smaller folder"):
        paths_in(trees[-1], *trees, most_files=100, most_entries=100_000)
    empty = [tree_of()]
    for _ in range(10):
        empty.append(tree_of(*[(b"%d" % number, FOLDER, empty[-1]) for number in range(10)]))
    with pytest.raises(TooManyFiles, match="more than 1,000 files"):
        paths_in(empty[-1], *empty)


def test_files_that_are_not_taken_are_not_counted() -> None:
    tree = tree_of(*[(b"%d.txt" % number, FILE, BLOB) for number in range(50)], (b"a.md", FILE, BLOB))
    assert paths_in(tree, most_files=1) == ["a.md"]
