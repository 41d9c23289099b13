"""Converts e-mail files to text with spans: who wrote to whom and when, the text, quotations and invitations.

What is attached comes out as files, which are read like any other.
"""

import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Any

from citemark.extraction.attachments import DEEPEST, MOST_ATTACHMENTS, Attachment, attachment_to_json
from citemark.extraction.builder import Builder, TextRun, inline
from citemark.extraction.calendar.document import write_entries
from citemark.extraction.decoding import decode_as, decoded
from citemark.extraction.html.document import extract_html, html_text, read_html
from citemark.extraction.mail_parts import is_damaged, mend_parts, messages_in, nested, payload_of
from citemark.extraction.sandbox.ipc import extracted_to_json
from citemark.extraction.text_recognition import PICTURES
from citemark.model.documents import suffix_of
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted

_MARKS = re.compile(r"(?:>[ \t]?)+")

_ENCODED_WORD = r"=\?[^?\s]+\?[bq]\?[^\r\n]*?\?="

_ENCODED_WORDS = re.compile(rf"{_ENCODED_WORD}(?:\s*+{_ENCODED_WORD})*", re.IGNORECASE)

_SIGNATURE = "-- "

_HEADERS = ("From", "To", "Cc", "Bcc", "Reply-To", "Date", "Subject")

_MBOX = b"From "

_NEXT_OF_MANY = re.compile(rb"\n\r?\nFrom \S+ [^\n]*\d\d:\d\d[^\n]*\n[\w-]+:")

_NOTHING = "The message holds no text."

_LOCKED = "The message is encrypted; save a copy without encryption from the mail program that can read it."

_SEALED_SIGNATURE = (
    "The message is signed in a way that packs its text into the signature (S/MIME); save a copy of it from the mail "
    "program as plain text or HTML."
)

_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})

_MESSAGES = frozenset({"message/rfc822", "message/global", "message/news"})

_NOT_SHOWN_AS_TEXT = frozenset({"text/calendar", "text/rtf", "text/richtext+rtf"})
"""Parts of the type text whose bytes are not what a mail program shows."""

_ENRICHED = frozenset({"text/enriched", "text/richtext"})

_UNREADABLE = "part that cannot be read"

_CALENDAR = "text/calendar"

_WITHOUT_TEXT = MappingProxyType({"image": "image without text", "audio": "sound", "video": "video"})
"""What parts of these types count as."""

_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
"""Parts that say who wrote the message; programs do not show them."""

_REMARK_SHARE = 2
"""How many times as many words a page must have for the plain text beside it to be a remark in its place."""

_TAGS = re.compile(r"<[^<>]*>")

_DEEPEST = 8
"""Most nested forwarded messages that are read."""


_LONGEST_HEADER = 2_000
"""Most characters of a header; a list of hundreds of recipients is cut."""


@dataclass(frozen=True, slots=True)
class Mail:
    """A message's own text, and the files that are attached to it or to the messages that it forwards."""

    text: Extracted
    attachments: tuple[Attachment, ...] = ()


def read_mail(data: bytes, *, title: str, pictures: bool = False) -> Iterator[dict[str, Any]]:
    """Yield the text of a message, then its attachments one by one; parsing processes run this.

    Raises:
        SkippableSourceError: as `open_mail`.
    """
    mail = open_mail(data, fallback_title=title, pictures=pictures)
    yield extracted_to_json(mail.text)
    for attachment in mail.attachments:
        yield attachment_to_json(attachment)


def extract_mail(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a message without that of its attachments; see `open_mail`."""
    return open_mail(data, fallback_title=fallback_title).text


def open_mail(data: bytes, *, fallback_title: str, pictures: bool = False) -> Mail:
    """Extract the text of a message: its headers as one paragraph, its body, invitations, and names of attachments.

    The body is its plain text, or its HTML if there is no plain text, or only a remark in its place. Text quoted from
    earlier messages becomes quotations; a message that was forwarded as a whole is a section of its own. The title is
    the subject, else `fallback_title`. With `pictures`, those that are attached, not shown in the text, are attachments
    to read; else they are counted.

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
        signed = str(message.get_param("smime-type", "")).lower() == "signed-data"
        raise SkippableSourceError(_SEALED_SIGNATURE if signed else _LOCKED)
    headers = _headers(message)
    writer = _Writer(pictures=pictures)
    writer.write(message, headers, 0)
    text = writer.builder.finish(
        title=headers["Subject"] or fallback_title,
        nothing=_NOTHING,
        metadata={"from": headers["From"], "to": headers["To"], "date": _moment(headers["Date"])},
        read_as=", ".join(dict.fromkeys(filter(None, writer.read_as))),
    )
    return Mail(text, tuple(writer.attachments))


def extract_saved_page(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a web page that a browser saved with all its parts as one file (MHTML).

    Raises:
        SkippableSourceError: the file contains no page, or one without text.
    """
    for part in _parsed(data).walk():
        if part.get_content_type() in {"text/html", "application/xhtml+xml"}:
            charset = _charset(part)
            return extract_html(payload_of(part), fallback_title=fallback_title, charset=charset)
    raise SkippableSourceError("The file holds no web page; save it from the browser again, as HTML or PDF.")


def _parsed(data: bytes) -> "Message[str, str]":
    try:
        message = BytesParser(policy=compat32).parsebytes(data)
    except (MessageError, ValueError, LookupError, AttributeError, TypeError) as error:
        raise SkippableSourceError(f"The message cannot be read: {error}.") from error
    for part in message.walk():
        _decode_raw_headers(part)
        mend_parts(part)
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


class _Writer:
    """Writes a message and those that it forwards, and collects what is attached to them."""

    def __init__(self, *, pictures: bool) -> None:
        self.builder = Builder()
        self._pictures = pictures
        self.attachments: list[Attachment] = []
        self.read_as: list[str] = []
        self._invitations: list[bytes] = []

    def write(self, message: "Message[str, str]", headers: dict[str, str], depth: int) -> None:
        """Write the headers and the parts of a message; `depth` is 0 for the one that is not forwarded."""
        self.builder.paragraph("\n".join(f"{name}: {value}" for name, value in headers.items() if value))
        parts = list(_parts(message))
        texts = [part for part in parts if _is_text(part) and not _is_attached(part)]
        invitations = [part for part in parts if part.get_content_type() == _CALENDAR and not _is_attached(part)]
        messages = [part for part in parts if part.get_content_maintype() == "message"]
        for part in texts:
            self._text(part)
        for part in parts:
            if part not in texts and part not in invitations and part not in messages:
                self._attached(part, depth)
        for part in invitations:
            self._invitation(part, depth)
        for part in messages:
            if part.get_content_type() in _MESSAGES:
                for forwarded in messages_in(part):
                    self._forwarded(forwarded, depth)
            else:
                self._report(part)

    def _text(self, part: "Message[str, str]") -> None:
        is_page = part.get_content_type() == "text/html"
        try:
            read = html_text if is_page else decoded
            found = read(self._payload(part), _charset(part), in_mail=True)
        except SkippableSourceError:
            self.builder.leave_out(_UNREADABLE)
            return
        self.read_as.append(found.read_as)
        if is_page:
            read_html(found.text, self.builder)
        else:
            text = _TAGS.sub("", found.text) if part.get_content_type() in _ENRICHED else found.text
            write_plain(self.builder, text, flowed=_is_flowed(part))

    def _payload(self, part: "Message[str, str]") -> bytes:
        """The bytes of a part; one that is damaged is counted."""
        if is_damaged(part):
            self.builder.leave_out("damaged part")
        return payload_of(part)

    def _report(self, part: "Message[str, str]") -> None:
        """Write the fields of a report on a delivery, or of a part that says where its content is."""
        for block in nested(part):
            fields = "\n".join(f"{name}: {_decoded(value)}" for name, value in block.items())
            self.builder.paragraph(fields)
            self._text(block)
        place = str(part.get_param("url", "") or part.get_param("name", ""))
        self.builder.paragraph([TextRun("Stored elsewhere: "), TextRun(place, place)] if place else "")
        if not nested(part):
            self._text(part)

    def _attached(self, part: "Message[str, str]", depth: int) -> None:
        name = inline(_decoded(part.get_filename())).text
        shown_in_text = part.get_content_maintype() == "image" and part.get("Content-ID") and not _is_attached(part)
        if (name or _is_attached(part)) and not shown_in_text:
            self.builder.item(f"Attachment: {name or 'without a name'}")
        data = self._payload(part)
        read_as_picture = self._pictures and not shown_in_text and suffix_of(name) in PICTURES
        if part.get_content_maintype() in _WITHOUT_TEXT and not read_as_picture:
            self.builder.leave_out(_WITHOUT_TEXT[part.get_content_maintype()])
        elif part.get_content_type() in _SIGNATURES or data.strip() in self._invitations or not data:
            return
        elif depth >= DEEPEST or len(self.attachments) >= MOST_ATTACHMENTS:
            self.builder.leave_out("attachment beyond the limits")
        else:
            self.attachments.append(Attachment(name or _name_for(part), data))

    def _invitation(self, part: "Message[str, str]", depth: int) -> None:
        data = payload_of(part)
        if data.strip() in self._invitations:
            return
        self._invitations.append(data.strip())
        self.attachments = [each for each in self.attachments if each.data.strip() not in self._invitations]
        try:
            written = write_entries(self.builder, decoded(data, _charset(part)).text, level=depth + 1)
        except SkippableSourceError:
            written = 0
        if not written:
            self.builder.leave_out("invitation that cannot be read")

    def _forwarded(self, message: "Message[str, str]", depth: int) -> None:
        if depth >= _DEEPEST:
            self.builder.leave_out("forwarded message")
            return
        headers = _headers(message)
        title = f"Forwarded: {headers['Subject'] or 'a message'}"
        self.builder.section(title, slug="forwarded", level=depth + 1)
        self.write(message, headers, depth + 1)


def _name_for(part: "Message[str, str]") -> str:
    """A name for a file without one, with the suffix that its type usually has."""
    return f"attachment{mimetypes.guess_extension(part.get_content_type()) or ''}"


def _parts(message: "Message[str, str]") -> Iterator["Message[str, str]"]:
    """The parts to read or name, in order; of several alternatives, the one with the plainest text."""
    if message.get_content_maintype() == "message" or not message.is_multipart():
        yield message
        return
    parts = nested(message)
    others: list[Message[str, str]] = []
    if message.get_content_subtype() == "alternative":
        said = [part for part in parts if part.get_content_type() != _CALENDAR]
        ranked = sorted(said, key=lambda part: (not _has_content(part), part.get_content_type() != "text/plain"))
        if len(ranked) > 1 and _is_remark(ranked[0], ranked[1]):
            ranked[:2] = ranked[1::-1]
        others = ranked[1:]
        parts = [*ranked[:1], *(part for part in parts if part.get_content_type() == _CALENDAR)]
    for part in parts:
        yield from _parts(part)
    for part in others:
        yield from _attached_to(part)


def _is_remark(plain: "Message[str, str]", other: "Message[str, str]") -> bool:
    """Whether a plain text only stands for the page beside it, of which it has less than half the words."""
    page = next((part for part in other.walk() if part.get_content_type() == "text/html"), None)
    if plain.get_content_type() != "text/plain" or page is None:
        return False
    builder = Builder()
    try:
        said = decoded(payload_of(plain), _charset(plain), in_mail=True).text
        most = _REMARK_SHARE * len(said.split())
        written = html_text(payload_of(page), _charset(page), in_mail=True).text
        if len(written.split()) + written.count("<") <= most or len(_TAGS.sub(" ", written).split()) <= most:
            return False  # nor has what is shown of it
        read_html(written, builder)
        return len(builder.finish(title="", nothing="").body.split()) > most
    except SkippableSourceError:
        return False


def _attached_to(alternative: "Message[str, str]") -> Iterator["Message[str, str]"]:
    """The files beside the text of an alternative that is not read, and the pictures of its page, which are counted."""
    for part in nested(alternative):
        if part.get_content_maintype() == "message" or not part.is_multipart():
            if not _is_text(part) or _is_attached(part):
                yield part
        else:
            yield from _attached_to(part)


def _has_content(part: "Message[str, str]") -> bool:
    return part.is_multipart() or (_is_text(part) and bool(payload_of(part).strip()))


def _is_text(part: "Message[str, str]") -> bool:
    return part.get_content_type() in {"text/plain", "text/html"} or (
        part.get_content_maintype() == "text"
        and part.get_content_type() not in _NOT_SHOWN_AS_TEXT
        and not part.get_filename()
    )


def _is_attached(part: "Message[str, str]") -> bool:
    return part.get_content_disposition() == "attachment"


def _is_flowed(part: "Message[str, str]") -> bool:
    return str(part.get_param("format", "")).lower() == "flowed"


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
