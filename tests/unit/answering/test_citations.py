"""Citations in every form that models write; those of no document are taken out."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.answering.citations import mentions, without_missing


@pytest.mark.requirement("every-citation-is-resolved")
@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is so [2].", [(2,)]),
        ("It is so [2][3].", [(2,), (3,)]),
        ("It is so [1, 3].", [(1, 3)]),
        ("It is so [1-3].", [(1, 2, 3)]),
        ("It is so [1\u20133, 5].", [(1, 2, 3, 5)]),
        ("It is so [Document 4].", [(4,)]),
        ("It is so [Document 1, Document 2].", [(1, 2)]),
        ("It is so [Documents 1 and 3].", [(1, 3)]),
        ("It is so (Document 4).", [(4,)]),
        ("It is so (see Documents 1, 2 and 4).", [(1, 2, 4)]),
        ("As Document 4 says, it is so.", [(4,)]),
        ("Documents 2 and 4 point it out.", [(2, 4)]),
        ("Documents 1, 2, and 3 say so.", [(1, 2, 3)]),
        ("Documents 1 to 3 say so.", [(1, 2, 3)]),
        ("Documents 1 and 2, 5 servers were lost.", [(1, 2)]),
        ("Laut Dokument 2 und Dokument 3 ist es so.", [(2,), (3,)]),
        ("Die Dokumente 1 bis 3 sagen es.", [(1, 2, 3)]),
        ("It is so [^2] and [1](https://example.org/a).", [(2,), (1,)]),
        ("It is so \u30103\u2020source\u3011.", [(3,)]),
        ("According to document 2, it is so.", [(2,)]),
        ("It is so [2, 2].", [(2,)]),
        ("It is so [0].", [(0,)]),
    ],
)
def test_every_form_of_a_citation_is_read(text: str, numbers: list[tuple[int, ...]]) -> None:
    assert [mention.numbers for mention in mentions(text)] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "Use `items[1]` for the second.",
        "```\nrow[2]\n```",
        "It was in the report of [2024].",
        "We document 3 cases here.",
        "Section 3 (2) applies.",
        "Version [1.2] is out.",
        "The [first] of them.",
    ],
)
def test_text_that_only_looks_like_a_citation_is_not_one(text: str) -> None:
    assert mentions(text) == []


@pytest.mark.requirement("citations-of-no-document-removed")
@pytest.mark.parametrize(
    ("text", "clean", "removed"),
    [
        ("A [1]. B [9].", "A [1]. B.", 1),
        ("A [1][9].", "A [1].", 1),
        ("A [1, 9, 2].", "A [1, 2].", 1),
        ("A [1], [9].", "A [1].", 1),
        ("A [9], [1].", "A [1].", 1),
        ("A. [9] B. [8][2]", "A. B. [2]", 2),
        ("[9] says A.", "says A.", 1),
        ("A (Document 9). B [Documents 1 and 9].", "A. B [Document 1].", 2),
        ("As Documents 1, 2 and 9 say, A.", "As Documents 1 and 2 say, A.", 1),
        ("Laut den Dokumenten 1 und 9 A.", "Laut den Dokument 1 A.", 1),
        ("It stands in Document 9.", "It stands in […].", 1),
        ("A [1-4].", "A [1, 2].", 2),
        ("A [0].", "A.", 1),
        ("[9] says A. ", "says A. ", 1),
        ("A [1] [9] ", "A [1] ", 1),
        ("`a[9]` stays.", "`a[9]` stays.", 0),
    ],
)
def test_a_citation_of_no_document_is_taken_out_and_counted(text: str, clean: str, removed: int) -> None:
    found = without_missing(text, mentions(text), frozenset({1, 2}))
    assert (found.text, found.removed) == (clean, removed)


_PROSE = st.sampled_from(
    ["It is so", "done.", "\n- item", " `x[1]` ", ", ", ". ", " and ", "Document", "[", "]", "(", "9"]
)
_FORMS = st.sampled_from(["[{}]", "[Document {}]", "(Document {})", "[Documents {}]", " Documents {} "])


def _cite(form: str, numbers: list[int]) -> str:
    return form.format(", ".join(map(str, numbers)))


_CITATION = st.builds(_cite, _FORMS, st.lists(st.integers(0, 12), min_size=1, max_size=3))


def _join(parts: list[str]) -> str:
    return "".join(parts)


@given(st.lists(st.one_of(_PROSE, _CITATION, st.text(max_size=8)), max_size=12).map(_join), st.sets(st.integers(1, 6)))
def test_cleaning_keeps_every_good_citation_and_counts_the_others(text: str, known: set[int]) -> None:
    found = mentions(text)
    documents = frozenset(known)
    cleaned = without_missing(text, found, documents)
    left = [number for mention in mentions(cleaned.text) for number in mention.numbers]
    kept = [number for mention in found for number in mention.numbers if number in documents]
    assert set(kept) <= set(left)
    assert cleaned.removed == sum(len(mention.numbers) for mention in found) - len(kept)
    if not cleaned.removed:
        assert cleaned.text == text
    for before, after in pairwise(found):
        assert before.span.end <= after.span.start
