"""A message: who, to whom, when, the words, what was quoted, what was attached."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.mail import extract_mail, extract_saved_page
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted
from citemark.model.unread_parts import in_words

HEAD = (
    "From: =?utf-8?q?J=C3=B6rg?= <j@x.de>\nTo: anna@x.de\nSubject: Water pump\nDate: Mon, 5 Jan 2026 10:00:00 +0100\n"
)


def mail(rest: str | bytes) -> Extracted:
    data = rest if isinstance(rest, bytes) else rest.encode()
    return extract_mail(HEAD.encode() + data, fallback_title="file")


@pytest.mark.requirement("mail-text-is-indexed")
def test_headers_text_and_quotations_are_distinguished() -> None:
    found = mail("\nNine litres.\n\n> When?\n> Soon\nTomorrow.\n")
    assert found.title == "Water pump"
    assert found.body.split("\n\n") == [
        "From: Jörg <j@x.de>\nTo: anna@x.de\nDate: Mon, 5 Jan 2026 10:00:00 +0100\nSubject: Water pump",
        "Nine litres.",
        "> When?\n> Soon",
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


def test_headers_in_plain_utf_8_are_read() -> None:
    message = (
        "From: Jörg =?utf-8?q?M=C3=BCller?= <j@x.de>\nTo: =?utf-8?q?=C3=89va?=\n =?utf-8?b?IEtpc3M=?= <e@x.de>\n"
        "Subject: 日本の水 =?utf-8?q?f=C3=BCr_alle??=\n"
        "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nwords\n--b\n"
        'Content-Type: application/pdf\nContent-Disposition: attachment; filename="Pläne Å.pdf"\n\nxx\n--b--\n'
    )
    found = extract_mail(message.encode(), fallback_title="x")
    assert found.title == "日本の水 für alle?"
    assert found.body.split("\n\n") == [
        "From: Jörg Müller <j@x.de>\nTo: Éva Kiss <e@x.de>\nSubject: 日本の水 für alle?",
        "words",
        "- Attachment: Pläne Å.pdf",
    ]
    assert extract_mail(b"Subject: Gr\xfc\xdfe\n\nwords\n", fallback_title="x").title == "Grüße"


APPLE = """Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain

the words
--a
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/related; boundary=c

--c
Content-Type: text/html

<p>the words</p>
--c
Content-Type: image/png; name=logo.png
Content-Id: <1>

xx
--c--
--b
Content-Type: application/pdf
Content-Disposition: inline; filename=plan.pdf

xx
--b
Content-Type: text/html

<p></p>
--b--
--a--
"""


def test_a_file_beside_the_page_that_is_not_read_is_named() -> None:
    assert mail(APPLE).body.split("\n\n")[1:] == ["the words", "- Attachment: plan.pdf"]


def test_a_message_with_only_html_is_read_as_a_page() -> None:
    found = mail("Content-Type: text/html; charset=utf-8\n\n<h2>News</h2><p>It <b>works</b>.</p><script>x</script>")
    assert found.body.endswith("## News\n\nIt works.")


def test_an_unknown_charset_is_detected_as_for_plain_text() -> None:
    found = mail(
        b"Content-Type: text/plain; charset=x-unknown\nContent-Transfer-Encoding: 8bit\n\nGr\xc3\xbc\xc3\x9fe\n"
    )
    assert found.body.endswith("Grüße")


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
def test_a_mailbox_is_refused_with_what_to_do() -> None:
    one = b"From a@b Mon Jan  5 10:00:00 2026\nFrom: a@b\n\nFrom here on words.\n\n"
    assert extract_mail(one, fallback_title="x").body.endswith("From here on words.")
    with pytest.raises(SkippableSourceError, match=r"mbox\); save them as one \.eml file each"):
        extract_mail(one + one, fallback_title="x")


@pytest.mark.requirement("zip-bombs-and-broken-files-reported")
@pytest.mark.parametrize(
    "kind", ["multipart/encrypted; boundary=b", "application/pkcs7-mime; smime-type=enveloped-data"]
)
def test_an_encrypted_message_says_so(kind: str) -> None:
    with pytest.raises(SkippableSourceError, match="encrypted; save a copy without"):
        mail(f"Content-Type: {kind}\n\nMIIB")


def test_lines_that_flow_are_joined_and_quotations_of_other_depths_parted() -> None:
    found = mail("Content-Type: text/plain; format=flowed\n\nA line \nthat goes on.\n> said \n> she\n>> he\n-- \nme\n")
    assert found.body.split("\n\n")[1:] == ["A line that goes on.", "> said she", ">> he", "--\nme"]


def test_an_empty_plain_part_gives_way_to_the_page_and_later_parts_are_read_too() -> None:
    found = mail(BOTH.replace("the words", "").replace("--b\nContent-Type: application/pdf", "--b\n\na footer\n"
                 "--b\nContent-Type: application/pdf"))  # fmt: skip
    assert found.body.split("\n\n")[1:] == ["the page", "a footer", "- Attachment: Pl\u00e4ne.pdf"]


FORWARDED = """Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html

<p>See below.</p>
--b
Content-Type: message/rfc822

From: eva@x.de
Subject: The seal

It leaks.
--b--
"""


def test_a_message_that_was_forwarded_whole_is_a_section_of_its_own() -> None:
    found = mail(FORWARDED)
    assert found.body.split("\n\n")[1:] == ["See below.", "From: eva@x.de\nSubject: The seal", "It leaks."]
    assert [(s.slug, s.title) for s in found.sections] == [("forwarded", "Forwarded: The seal")]


@pytest.mark.parametrize(
    "head",
    [
        b"From: \xe9va <e@x>\nDate: yesterday\nSubject: =?utf-8?b?!!!?= =?no-such?q?x=E9?=\n",
        b"From: @@@,,;:<<>>\nSubject: x\nDate: Mon, 99 Foo 2026\nTo: undisclosed-recipients:;\n",
        b"Subject: x\nContent-Type: text/plain; charset*=utf-8''%ff\n",
        b"Subject: x\nContent-Transfer-Encoding: base64\n",
        b"Subject: x\nContent-Type: multipart/mixed\n",
    ],
)
def test_broken_headers_break_nothing(head: bytes) -> None:
    found = extract_mail(head + b"\nwords, words\n", fallback_title="x")
    assert found.title
    assert found.blocks


def test_a_page_saved_as_one_file_is_read_as_the_page_it_is() -> None:
    saved = (
        b"From: <Blink>\nSubject: Setup\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n--b\n"
        b"Content-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
        b"<title>Setup</title><h1>Setup</h1><p>Caf=C3=A9 =\nopen.</p>\n--b\nContent-Type: image/png\n\nxx\n--b--\n"
    )
    found = extract_saved_page(saved, fallback_title="x")
    assert (found.title, found.body) == ("Setup", "# Setup\n\nCaf\u00e9 open.")
    with pytest.raises(SkippableSourceError, match="no web page"):
        extract_saved_page(b"MIME-Version: 1.0\n\nwords", fallback_title="x")


def test_data_that_is_not_a_mail_is_refused() -> None:
    with pytest.raises(SkippableSourceError, match="not an e-mail message"):
        extract_mail(b"just some words\n", fallback_title="x")


@given(st.binary(max_size=300))
def test_no_bytes_break_the_reader(data: bytes) -> None:
    try:
        found = mail(data)
    except SkippableSourceError:
        return
    assert all(block.span.end <= len(found.body) for block in found.blocks)


TWO_PARTS = "--b\nContent-Type: text/plain\n\nThe kiln is vermilion.\n--b\nContent-Type: {}\n\n{}\n--b--\n"


def mixed(kind: str, content: str, *, boundary: str = "; boundary=b") -> Extracted:
    head = f"MIME-Version: 1.0\nContent-Type: multipart/mixed{boundary}\n\n"
    return mail(head + TWO_PARTS.format(kind, content))


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    ("kind", "content", "said", "lost"),
    [
        ("text/plain; charset=utf-8", "\x00\x01\x02\x03\x04\x05\x06", "", "1 part that cannot be read"),
        ("text/plain\nContent-Transfer-Encoding: base64", "VGVhbCBnbGF6Z!!", "Teal glaz", "1 damaged part"),
        ("text/plain\nContent-Transfer-Encoding: x-odd", "Teal glaze", "Teal glaze", ""),
        ("text/plain; charset=x-klingon", "Teal glaze", "Teal glaze", ""),
        ("text/html", "<p>Teal <b>glaze<table><tr><td>x", "Teal glaze", ""),
        ("text/enriched", "<bold>Teal</bold> glaze", "Teal glaze", ""),
        ("text/calendar", "BEGIN:VCALENDAR\nno", "", "1 invitation that cannot be read"),
    ],
)
def test_a_bad_part_of_a_message_costs_that_part(kind: str, content: str, said: str, lost: str) -> None:
    found = mixed(kind, content)
    assert "The kiln is vermilion." in found.body
    assert said in found.body
    assert in_words(found.left_out) == lost


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize("boundary", ["", "; boundary=zzz", '; boundary=""'])
def test_the_parts_of_a_message_are_found_if_it_names_a_wrong_boundary(boundary: str) -> None:
    found = mixed("text/plain", "Teal glaze", boundary=boundary)
    assert found.body.endswith("The kiln is vermilion.\n\nTeal glaze")


def test_a_message_of_many_parts_without_any_is_its_text() -> None:
    assert mail("Content-Type: multipart/mixed; boundary=b\n\nThe kiln is vermilion.\n").body.endswith("vermilion.")


@pytest.mark.requirement("one-bad-detail")
def test_a_forwarded_message_that_is_packed_is_read() -> None:
    packed = base64.b64encode(b"From: Eve <eve@x.de>\nSubject: Inner\n\nInner says teal\n").decode()
    found = mixed("message/rfc822\nContent-Transfer-Encoding: base64", packed)
    assert "Inner says teal" in found.body
    assert found.sections[-1].title == "Forwarded: Inner"


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_a_report_on_a_delivery_and_a_part_that_is_elsewhere_are_read() -> None:
    report = (
        "Reporting-MTA: dns; mx.x.de\n\nFinal-Recipient: rfc822; zed@x.de\nDiagnostic-Code: smtp; 550 no teal box\n"
    )
    assert "Diagnostic-Code: smtp; 550 no teal box" in mixed("message/delivery-status", report).body
    place = 'message/external-body; access-type=URL; URL="https://x.de/teal"'
    assert "Stored elsewhere: https://x.de/teal" in mixed(place, "Content-Type: text/plain\n\n").body


def test_a_message_in_its_own_signature_is_not_called_encrypted() -> None:
    with pytest.raises(SkippableSourceError, match="packs its text into the signature"):
        mail("Content-Type: application/pkcs7-mime; smime-type=signed-data\n\nx\n")
