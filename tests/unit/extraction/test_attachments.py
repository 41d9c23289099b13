"""Attachments as sections of their mail."""

from dataclasses import replace
from email.message import EmailMessage

import pytest
from tests.support.extracted_checks import assert_consistent

from citemark.extraction.attachments import (
    MOST_ATTACHMENTS,
    Attachment,
    ReadAttachment,
    attachment_from_json,
    attachment_to_json,
    with_attachments,
)
from citemark.extraction.dispatch import read_file
from citemark.extraction.mail import open_mail
from citemark.extraction.sandbox.pool import ParserPool
from citemark.extraction.text_files import extract_plain
from citemark.model.recognised import READ_BY_OCR, recognised_in
from citemark.model.unread_parts import in_words

pytestmark = pytest.mark.requirement("attachments-are-sections")


def mail(subject: str = "Plans") -> EmailMessage:
    """A mail with a few words."""
    made = EmailMessage()
    made["From"], made["Subject"] = "ada@example.org", subject
    made.set_content("See the files.\n")
    return made


async def test_an_attachment_is_a_section_below_which_its_own_sections_are(parsers: ParserPool) -> None:
    made = mail()
    made.add_attachment("# Pump\n\nThe pump.\n\n## Valve\n\nThe valve.\n", subtype="markdown", filename="my notes.md")
    made.add_attachment(b"%PDF-1.7 junk", maintype="application", subtype="pdf", filename="bad.pdf")
    made.add_attachment("1;2\n3;4\n", subtype="csv", filename="t.csv")
    found = await read_file("plans.eml", bytes(made), parsers)
    assert_consistent(found)
    assert set(found.readers) == {"mail", "html", "icalendar", "markdown", "pdf", "table"}
    assert [(section.slug, section.parent) for section in found.sections] == [
        ("my-notes.md", None),
        ("my-notes.md/pump", "my-notes.md"),
        ("my-notes.md/pump/valve", "my-notes.md/pump"),
        ("t.csv", None),
    ]
    valve = found.sections[2]
    assert valve.span.of(found.body) == "## Valve\n\nThe valve."
    assert valve.heading_path == ("Attachment: my notes.md", "Pump", "Valve")
    assert "[The attachment 'bad.pdf' is not read: The PDF is broken" in found.body
    assert in_words(found.left_out) == "1 attachment without text"
    inner, outer = mail("Inner"), mail("Outer")
    inner.add_attachment("deep", filename="deep.txt")
    outer.add_attachment(bytes(inner), maintype="application", subtype="octet-stream", filename="inner.eml")
    outermost = mail("Outermost")
    outermost.add_attachment(bytes(outer), maintype="application", subtype="octet-stream", filename="outer.eml")
    read = await read_file("outer.eml", bytes(outer), parsers)
    assert "inner.eml/deep.txt" in {section.slug for section in read.sections}
    read = await read_file("outermost.eml", bytes(outermost), parsers)
    assert in_words(read.left_out) == "1 attachment without text"


def test_attachments_beyond_the_limit_are_counted() -> None:
    made = mail()
    for number in range(MOST_ATTACHMENTS + 2):
        made.add_attachment("words", filename=f"{number}.txt")
    found = open_mail(bytes(made), fallback_title="x")
    assert len(found.attachments) == MOST_ATTACHMENTS
    assert in_words(found.text.left_out) == "2 attachments beyond the limits"


def test_attachments_of_one_name_are_told_apart() -> None:
    text = open_mail(bytes(mail()), fallback_title="x").text
    one = ReadAttachment("a b.txt", extract_plain("one", fallback_title="a"))
    found = with_attachments(text, [one, one])
    assert [section.slug for section in found.sections] == ["a-b.txt", "a-b.txt~2"]
    assert found.body.endswith("# Attachment: a b.txt\n\none\n\n# Attachment: a b.txt\n\none")


def test_the_bytes_of_an_attachment_come_out_of_the_process_unchanged() -> None:
    attachment = Attachment("x.bin", bytes(range(256)))
    assert attachment_from_json(attachment_to_json(attachment)) == attachment


@pytest.mark.requirement("scans-are-marked")
def test_what_was_recognised_in_attachments_is_marked_where_it_stands_in_the_mail() -> None:
    text = open_mail(bytes(mail()), fallback_title="x").text
    scan = replace(extract_plain("Pump two.\n", fallback_title="scan"), metadata={READ_BY_OCR: "0-9 0.91"})
    found = with_attachments(text, [ReadAttachment("one.png", scan), ReadAttachment("two.png", scan)])
    assert_consistent(found)
    parts = recognised_in(found.metadata)
    assert [(part.span.of(found.body), part.confidence) for part in parts] == [("Pump two.", 0.91)] * 2
    assert READ_BY_OCR not in with_attachments(text, []).metadata


@pytest.mark.requirement("scans-are-marked")
def test_attached_pictures_are_handed_out_only_where_they_are_read() -> None:
    made = mail()
    made.add_attachment(b"picture", maintype="image", subtype="png", filename="scan.png")
    made.add_attachment(b"picture", maintype="image", subtype="svg+xml", filename="logo.svg")
    made.add_attachment(b"sound", maintype="audio", subtype="mpeg", filename="call.mp3")
    assert open_mail(bytes(made), fallback_title="x").attachments == ()
    assert [each.name for each in open_mail(bytes(made), fallback_title="x", pictures=True).attachments] == ["scan.png"]
