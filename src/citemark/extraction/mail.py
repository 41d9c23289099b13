"""E-mail files to text with spans: who wrote to whom and when, the words, what was quoted, what was attached."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import default

from citemark.extraction.building import Builder
from citemark.extraction.decoding import decode
from citemark.extraction.html import read_html
from citemark.extraction.inline import inline
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_MBOX = b"From "
_PARAGRAPHS = re.compile(r"\n[ \t]*\n")
_QUOTED = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
_NOTHING = "The message holds no text."


def extract_mail(data: bytes, *, fallback_title: str) -> Extracted:
    """The text of a message: its headers as one paragraph, its words, the names of its attachments.

    The words are those of its plain text, or of its HTML when there is no plain text. What was quoted of earlier
    messages stands as quotations. The title is the subject, else `fallback_title`.

    Raises:
        SkippableSourceError: it is a mailbox of many messages, no message at all, or holds no text.
    """
    if data.startswith(_MBOX):
        raise SkippableSourceError("The file is a mailbox of many messages (mbox); save them as one .eml file each.")
    message = BytesParser(policy=default).parsebytes(data)
    if not any(message.get(name) for name in _SHOWN):
        raise SkippableSourceError("The file is no e-mail message: it has none of the headers that every message has.")
    headers = {name: _header(message, name) for name in _SHOWN}
    builder = Builder()
    builder.paragraph("\n".join(f"{name}: {said}" for name, said in headers.items() if said))
    _write_body(builder, message)
    for name in _attachments(message):
        builder.item(f"Attachment: {name}")
    return builder.finish(
        title=headers["Subject"] or fallback_title,
        nothing=_NOTHING,
        metadata={"from": headers["From"], "to": headers["To"], "date": headers["Date"]},
    )


def _header(message: EmailMessage, name: str) -> str:
    try:
        said = str(message.get(name, ""))
    except (ValueError, IndexError, AttributeError, LookupError, TypeError):
        # The standard library's header parser stumbles over some malformed addresses and dates.
        said = next((str(value) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    return inline(said).text


def _write_body(builder: Builder, message: EmailMessage) -> None:
    part = _part(message, "plain")
    if part is not None:
        _write_plain(builder, _text(part))
        return
    part = _part(message, "html")
    if part is not None:
        read_html(_text(part), builder)


def _part(message: EmailMessage, subtype: str) -> EmailMessage | None:
    for part in message.walk():
        if part.get_content_type() == f"text/{subtype}" and part.get_content_disposition() != "attachment":
            return part
    return None


def _text(part: EmailMessage) -> str:
    """The part's characters; a charset that nobody knows is read as any text is."""
    try:
        return str(part.get_content())
    except (LookupError, ValueError, KeyError):
        payload = part.get_payload(decode=True)
        return decode(payload) if isinstance(payload, bytes) else ""


def _write_plain(builder: Builder, text: str) -> None:
    for paragraph in _PARAGRAPHS.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        for quoted, lines in _runs(paragraph.splitlines()):
            said = "\n".join(lines)
            if quoted:
                builder.paragraph(_QUOTED.sub("", said), BlockKind.QUOTE)
            else:
                builder.paragraph(said)


def _runs(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Lines that follow each other, those quoted apart from those written now."""
    run: list[str] = []
    quoted = False
    for line in lines:
        now = line.startswith(">")
        if run and now is not quoted:
            yield quoted, run
            run = []
        quoted = now
        run.append(line)
    if run:
        yield quoted, run


def _attachments(message: EmailMessage) -> Iterator[str]:
    for part in message.walk():
        if part.is_multipart() or (
            part.get_content_maintype() == "text" and part.get_content_disposition() != "attachment"
        ):
            continue
        name = part.get_filename()
        if name or part.get_content_disposition() == "attachment":
            yield inline(name or "without a name").text or "without a name"
