"""Which pages are compared when files were renamed."""

from datetime import UTC, datetime

import pytest
from tests.support.operations import operations

from citemark.indexing.rename_detector import PagesBySize, equal_pages
from citemark.model.ids import DocumentId, NativeId, RevisionId
from citemark.model.pages import UnpairedPage, likeness, line_counts_of

WHEN = datetime(2026, 1, 31, 12, tzinfo=UTC)


def folder(name: str, files: int, *, size: int = 100, digests: int = 10**6) -> list[UnpairedPage]:
    """The files of a folder, with so many different texts."""
    return [
        UnpairedPage(
            DocumentId(n),
            NativeId(f"{name}/{n:05}.md"),
            "docs_page",
            RevisionId(n),
            size,
            f"text {n % digests}",
            WHEN,
            early=False,
            late=False,
        )
        for n in range(files)
    ]


def test_a_folder_of_ten_thousand_files_that_moved_is_paired_without_comparing_each_with_each() -> None:
    pairs = equal_pages(folder("old", 10_000), folder("new", 10_000))
    assert [(old.native_id[3:], new.native_id[3:]) for old, new in pairs] == [
        (f"/{n:05}.md", f"/{n:05}.md") for n in range(10_000)
    ]
    few, many = (operations(lambda n=n: equal_pages(folder("old", n), folder("new", n))) for n in (1_000, 10_000))
    assert many < 11 * few
    assert len(equal_pages(folder("old", 5_000, digests=1), folder("new", 4_000, digests=1))) == 4_000


def test_a_page_is_compared_with_few_of_about_its_size() -> None:
    old, *_ = folder("old", 1, size=1_000)
    longer = [page for n in range(2_000) for page in folder(f"{n}", 1, size=n)]
    there = PagesBySize(longer)
    assert [page.size for page in there.like(old)] == list(range(990, 1_010))
    there.remove(longer[1_000])
    assert 1_000 not in [page.size for page in there.like(old)]
    assert PagesBySize(folder("new", 10, size=499)).like(old) == []
    assert len(PagesBySize(folder("new", 10, size=2_000)).like(old)) == 10


@pytest.mark.parametrize("lines", [2_000, 20_000])
def test_texts_whose_lines_recur_are_compared_in_one_pass(lines: int) -> None:
    texts = ["\n".join("the same" if n % 2 else f"{word} {n}" for n in range(lines)) for word in ("old", "new")]
    old, new = (line_counts_of(text) for text in texts)
    assert likeness(old, new) == 0.5
    assert operations(lambda: likeness(old, new)) < 3 * lines
