"""What was left out of a file, in words."""

import pytest

from citemark.model.unread_parts import UnreadPart, added_up, in_words, notice_of


@pytest.mark.requirement("what-is-left-out-is-listed")
def test_parts_of_one_kind_are_added_up_and_said_in_the_plural() -> None:
    parts = [
        UnreadPart("image without text"),
        UnreadPart("hidden row", 3),
        UnreadPart("image without text"),
        UnreadPart("x", 0),
    ]
    assert added_up(parts) == (UnreadPart("image without text", 2), UnreadPart("hidden row", 3))
    assert in_words(parts) == "2 images without text, 3 hidden rows"


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("calendar entry", "2 calendar entries"),
        ("list of choices", "2 lists of choices"),
        ("output of a code cell", "2 outputs of a code cell"),
        ("part for browsers without scripts", "2 parts for browsers without scripts"),
        ("attachment without text", "2 attachments without text"),
        ("hidden text", "2 hidden texts"),
    ],
)
def test_every_kind_has_a_plural(kind: str, words: str) -> None:
    assert UnreadPart(kind, 2).words == words


def test_a_document_that_was_read_whole_has_no_notice() -> None:
    assert notice_of({"author": "Ada"}) == ""
    assert notice_of({"read_as": "UTF-16", "left_out": "1 chart"}) == (
        "It is not plain UTF-8; it is read as UTF-16. Not read: 1 chart."
    )
    assert notice_of({"truncated": "true"}) == "The text goes on: only a part of it is read."
