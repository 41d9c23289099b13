"""What patterns name although a rule leaves it out."""

import pytest

from citemark.sources.docs.named_exceptions import NamedExceptions


@pytest.mark.requirement("exceptions-by-name")
@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("build/", True),
        ("/web/build/", True),
        ("web/build/report.md", True),
        ("**/build/**", True),
        ("web/*/build/", False),
        ("web\\/build/", True),
        ("/build/", False),
        ("**", False),
        ("*.md", False),
        ("web/**", False),
        ("web/b*/", False),
        ("!build/", False),
    ],
)
def test_a_folder_is_named_by_a_pattern_that_spells_its_name(pattern: str, named: bool) -> None:
    assert (NamedExceptions((pattern.replace("\\/", "/"),)).in_folder("web/build") is not None) is named


@pytest.mark.requirement("exceptions-by-name")
def test_only_what_is_named_in_a_folder_comes_in() -> None:
    lifted = NamedExceptions(("node_modules/mine/*.md",)).in_folder("node_modules")
    assert lifted is not None
    assert lifted.reaches("node_modules/mine")
    assert not lifted.reaches("node_modules/other")
    assert lifted.covers("node_modules/mine/a.md", of_read_type=True)
    assert not lifted.covers("node_modules/mine/a.js", of_read_type=False)
    assert not lifted.covers("node_modules/other/a.md", of_read_type=True)


def test_a_folder_pattern_takes_its_documents_and_not_files_of_other_types() -> None:
    lifted = NamedExceptions(("build/",)).in_folder("build")
    assert lifted is not None
    assert lifted.reaches("build/deep/er")
    assert lifted.covers("build/deep/er/a.md", of_read_type=True)
    assert not lifted.covers("build/a.bin", of_read_type=False)


@pytest.mark.requirement("exceptions-by-name")
@pytest.mark.parametrize(
    ("pattern", "ignored_by", "named"),
    [
        ("router.md", "", True),
        ("/notes/router.md", "", True),
        ("**/router.md", "*.md", True),
        ("*.md", "", False),
        ("*.log", "*.log", True),
        ("notes/", "", False),
        (r"notes/router\.md", "", True),
    ],
)
def test_a_file_is_named_by_its_name_or_by_the_pattern_that_ignores_it(
    pattern: str, ignored_by: str, named: bool
) -> None:
    assert NamedExceptions((pattern,)).names_file("notes/router.md", ignored_by) is named
