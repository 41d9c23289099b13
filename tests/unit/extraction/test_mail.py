"""A message: who, to whom, when, the words, what was quoted, what was attached."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.mail import extract_mail
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

HEAD = (
    "From: =?utf-8?q?J=C3=B6rg?= <j@x.de>\nTo: anna@x.de\nSubject: Water pump\nDate: Mon, 5 Jan 2026 10:00:00 +0100\n"
)


def mail(rest: str | bytes) -> Extracted:
    data = rest if isinstance(rest, bytes) else rest.encode()
    return extract_mail(HEAD.encode() + data, fallback_title="file")


@pytest.mark.requirement("i3-1-mail")
def test_headers_words_and_quotations_are_told_apart() -> None:
    found = mail("\nNine litres.\n\n> When?\n> Soon\nTomorrow.\n")
    assert found.title == "Water pump"
    assert found.body.split("\n\n") == [
        "From: Jörg <j@x.de>\nTo: anna@x.de\nDate: Mon, 05 Jan 2026 10:00:00 +0100\nSubject: Water pump",
        "Nine litres.",
        "When?\nSoon",
        "Tomorrow.",
    ]
    assert [block.kind for block in found.blocks][2] is BlockKind.QUOTE
    assert found.metadata["from"] == "Jörg <j@x.de>"


BOTH = """MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/html

<p>the page</p>
--c
Content-Type: text/plain

the words
--c--
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename="=?utf-8?q?Pl=C3=A4ne=2Epdf?="

xx
--b--
"""


def test_plain_text_is_preferred_and_attachments_are_named() -> None:
    assert mail(BOTH).body.split("\n\n")[1:] == ["the words", "- Attachment: Pläne.pdf"]


def test_a_message_of_html_alone_is_read_as_a_page() -> None:
    found = mail("Content-Type: text/html; charset=utf-8\n\n<h2>News</h2><p>It <b>works</b>.</p><script>x</script>")
    assert found.body.endswith("## News\n\nIt works.")


def test_a_charset_that_nobody_knows_is_read_as_text_is() -> None:
    found = mail(
        b"Content-Type: text/plain; charset=x-unknown\nContent-Transfer-Encoding: 8bit\n\nGr\xc3\xbc\xc3\x9fe\n"
    )
    assert found.body.endswith("Grüße")


def test_a_mailbox_is_refused_with_what_to_do() -> None:
    with pytest.raises(SkippableSourceError, match=r"mbox\); save them as one \.eml file each"):
        extract_mail(b"From a@b Mon Jan  5\nFrom: a@b\n\nx", fallback_title="x")


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(SkippableSourceError, match="no e-mail message"):
        extract_mail(b"just some words\n", fallback_title="x")


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        found = mail(data)
    except SkippableSourceError:
        return
    assert all(block.span.end <= len(found.body) for block in found.blocks)
