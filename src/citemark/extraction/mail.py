"""Converts e-mail files to text with spans: who wrote to whom and when, the text, quotations and attachment names."""

import re
from collections.abc import Iterator
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import parsedate_to_datetime
from typing import cast

from citemark.extraction.builder import Builder, inline
from citemark.extraction.decoding import decode_as
from citemark.extraction.html.document import extract_html, html_text, read_html
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

_MARKS = re.compile(r"(?:>[ \t]?)+")

_ENCODED_WORD = r"=\?[^?\s]+\?[bq]\?[^\r\n]*?\?="

_ENCODED_WORDS = re.compile(rf"{_ENCODED_WORD}(?:\s*+{_ENCODED_WORD})*", re.IGNORECASE)

_SIGNATURE = "-- "

_HEADERS = ("From", "To", "Cc", "Date", "Subject")

_MBOX = b"From "

_NEXT_OF_MANY = re.compile(rb"\n\r?\nFrom \S+ [^\n]*\d\d:\d\d[^\n]*\n[\w-]+:")

_NOTHING = "The message holds no text."

_LOCKED = "The message is encrypted; save a copy without encryption from the mail program that can read it."

_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})

_DEEPEST = 8
"""Most nested forwarded messages that are read."""


_LONGEST_HEADER = 2_000
"""Most characters of a header; a list of hundreds of recipients is cut."""


def extract_mail(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a message: its headers as one paragraph, its body and the names of its attachments.

    The body is its plain text, or its HTML if there is no plain text. Text quoted from earlier messages becomes
    quotations; a message that was forwarded as a whole is a section of its own. The title is the subject, else
    `fallback_title`.

    Raises:
        SkippableSourceError: the file is a mailbox of many messages, not a message, encrypted, or has no text.
    """
    if data.startswith(_MBOX) and _NEXT_OF_MANY.search(data) is not None:
        raise SkippableSourceError("The file is a mailbox of many messages (mbox); save them as one .eml file each.")
    message = _parsed(data)
    if not any(message.get(name) for name in _HEADERS):
        raise SkippableSourceError(
            "The file is not an e-mail message: it has none of the headers that every message has."
        )
    if message.get_content_type() in {"multipart/encrypted", *_SEALED}:
        raise SkippableSourceError(_LOCKED)
    headers = _headers(message)
    builder = Builder()
    _write(builder, message, headers, 0)
    return builder.finish(
        title=headers["Subject"] or fallback_title,
        nothing=_NOTHING,
        metadata={"from": headers["From"], "to": headers["To"], "date": _moment(headers["Date"])},
    )


def extract_saved_page(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a web page that a browser saved with all its parts as one file (MHTML).

    Raises:
        SkippableSourceError: the file contains no page, or one without text.
    """
    for part in _parsed(data).walk():
        if part.get_content_type() in {"text/html", "application/xhtml+xml"}:
            charset = _charset(part)
            return extract_html(_payload(part), fallback_title=fallback_title, charset=charset)
    raise SkippableSourceError("The file holds no web page; save it from the browser again, as HTML or PDF.")


def _parsed(data: bytes) -> "Message[str, str]":
    try:
        message = BytesParser(policy=compat32).parsebytes(data)
    except (MessageError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise SkippableSourceError(f"The message cannot be read: {error}.") from error
    for part in message.walk():
        _decode_raw_headers(part)
    return message


def _decode_raw_headers(message: "Message[str, str]") -> None:
    """Decode headers that are not ASCII, as many programs write them; the parser only escapes their bytes."""
    headers = list(message.raw_items())
    if all(value.isascii() for _, value in headers):
        return
    for name, _ in headers:
        del message[name]
    for name, value in headers:
        message.set_raw(name, _word(value.encode("ascii", "surrogateescape"), ""))


def _write(builder: Builder, message: "Message[str, str]", headers: dict[str, str], depth: int) -> None:
    builder.paragraph("\n".join(f"{name}: {value}" for name, value in headers.items() if value))
    parts = list(_parts(message))
    text_parts = [part for part in parts if _is_text(part) and not _is_attached(part)]
    for part in text_parts:
        if part.get_content_type() == "text/html":
            read_html(html_text(_payload(part), _charset(part)), builder)
        else:
            write_plain(builder, decode_as(_payload(part), _charset(part)), flowed=_is_flowed(part))
    for part in parts:
        if part not in text_parts and part.get_content_type() != "message/rfc822":
            name = inline(_decoded(part.get_filename())).text
            if name or _is_attached(part):
                builder.item(f"Attachment: {name or 'without a name'}")
    for part in parts:
        if part.get_content_type() == "message/rfc822" and depth < _DEEPEST:
            for forwarded in _nested(part):
                _write_forwarded(builder, forwarded, depth)


def _write_forwarded(builder: Builder, message: "Message[str, str]", depth: int) -> None:
    headers = _headers(message)
    builder.section(f"Forwarded: {headers['Subject'] or 'a message'}", slug="forwarded", level=depth + 1)
    _write(builder, message, headers, depth + 1)


def _parts(message: "Message[str, str]") -> Iterator["Message[str, str]"]:
    """The parts to read or name, in order; of several alternatives, the one with the plainest text."""
    if message.get_content_type() == "message/rfc822" or not message.is_multipart():
        yield message
        return
    parts = _nested(message)
    others: list[Message[str, str]] = []
    if message.get_content_subtype() == "alternative":
        ranked = sorted(parts, key=lambda part: (not _has_content(part), part.get_content_type() != "text/plain"))
        parts, others = ranked[:1], ranked[1:]
    for part in parts:
        yield from _parts(part)
    for part in others:
        yield from _attached_to(part)


def _attached_to(alternative: "Message[str, str]") -> Iterator["Message[str, str]"]:
    """The files beside the text of an alternative that is not read; the pictures of a page are part of that page."""
    for part in _nested(alternative) if alternative.get_content_subtype() != "related" else ():
        if part.get_content_type() == "message/rfc822" or not part.is_multipart():
            if not _is_text(part) or _is_attached(part):
                yield part
        else:
            yield from _attached_to(part)


def _nested(message: "Message[str, str]") -> list["Message[str, str]"]:
    """The parts directly below a message; none if a malformed message only claims to have some."""
    found: object = message.get_payload()
    return cast("list[Message[str, str]]", found) if isinstance(found, list) else []


def _has_content(part: "Message[str, str]") -> bool:
    return part.is_multipart() or (_is_text(part) and bool(_payload(part).strip()))


def _is_text(part: "Message[str, str]") -> bool:
    return part.get_content_type() in {"text/plain", "text/html"}


def _is_attached(part: "Message[str, str]") -> bool:
    return part.get_content_disposition() == "attachment"


def _is_flowed(part: "Message[str, str]") -> bool:
    return str(part.get_param("format", "")).lower() == "flowed"


def _payload(part: "Message[str, str]") -> bytes:
    found = part.get_payload(decode=True)
    return found if isinstance(found, bytes) else b""


def _charset(part: "Message[str, str]") -> str:
    charset = part.get_param("charset", "")
    return str(charset[2] if isinstance(charset, tuple) else charset)


def _headers(message: "Message[str, str]") -> dict[str, str]:
    return {name: inline(_decoded(message.get(name))).text[:_LONGEST_HEADER] for name in _HEADERS}


def _decoded(header: object) -> str:
    """A header with its encoded words decoded; a malformed header stays as it is."""
    return _ENCODED_WORDS.sub(lambda words: _decoded_words(words[0]), str(header or ""))


def _decoded_words(words: str) -> str:
    try:
        parts = decode_header(words)
    except (MessageError, ValueError, LookupError):
        return words
    return "".join(part if isinstance(part, str) else _word(part, charset or "") for part, charset in parts)


def _word(data: bytes, charset: str) -> str:
    try:
        return decode_as(data, charset)
    except SkippableSourceError:
        return data.decode("latin-1")


def _moment(date: str) -> str:
    """The Date header as ISO 8601; unchanged if it is malformed."""
    try:
        return parsedate_to_datetime(date).isoformat() if date else ""
    except (ValueError, TypeError, IndexError, OverflowError):
        return date


def write_plain(builder: Builder, text: str, *, flowed: bool) -> None:
    """Add a text: blank lines separate paragraphs, and quoted lines are quotations that keep their marks.

    With `flowed`, a line that ends in a space continues in the next one (RFC 3676).
    """
    for depth, lines in _runs(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")):
        marks = f"{'>' * depth} " if depth else ""
        paragraph = "\n".join(f"{marks}{line}" for line in (_joined(lines) if flowed else lines))
        builder.paragraph(paragraph, BlockKind.QUOTE if depth else BlockKind.PARAGRAPH)


def _runs(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Runs of consecutive lines that are not blank and have one quotation depth, 0 for none, without their marks."""
    run: list[str] = []
    depth = 0
    for line in lines:
        marks = _MARKS.match(line)
        words = line[marks.end() :] if marks is not None else line
        line_depth = marks[0].count(">") if marks is not None else 0
        if run and (line_depth != depth or not words.strip()):
            yield depth, run
            run = []
        depth = line_depth
        if words.strip():
            run.append(words)
    if run:
        yield depth, run


def _joined(lines: list[str]) -> list[str]:
    found: list[str] = []
    continues = False
    for line in lines:
        if continues:
            found[-1] += line
        else:
            found.append(line)
        continues = line.endswith(" ") and line != _SIGNATURE
    return found
