"""Attachments of messages: how they come out of the parsing process, and how their texts join that of the message.

Each attachment is a section of its message, named after the file: `mail.eml#report.pdf` reads, cites and verifies it,
and its own sections lie below that one.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from citemark.extraction.builder import MOST_CHARACTERS, inline
from citemark.model.recognised import READ_BY_OCR, RecognisedPart, recognised_in, recognised_text
from citemark.model.text import Block, BlockKind, Extracted, Link, Section, Span
from citemark.model.unread_parts import UnreadPart, added_up

MOST_ATTACHMENTS = 50
"""Attachments of one message, those of forwarded messages included; mail programs send hardly more."""

DEEPEST = 2
"""Messages inside of each other whose attachments are read: the message itself, and one that is attached to it."""

_NOT_IN_A_SLUG = re.compile(r"[\s/#~%]+")
_LONGEST_NAME = 100
_GAP = "\n\n"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a message: its name, "" if it has none, and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class ReadAttachment:
    """An attachment and its text, or the reason why it has none and the names of the readers that gave it up."""

    name: str
    found: Extracted | str
    given_up_by: tuple[str, ...] = ()


def attachment_to_json(attachment: Attachment) -> dict[str, Any]:
    """Convert an attachment to JSON."""
    return {"attachment": attachment.name, "data": b64encode(attachment.data).decode("ascii")}


def attachment_from_json(given: Mapping[str, Any]) -> Attachment:
    """Restore an attachment from its JSON.

    Raises:
        ValueError, KeyError: the message is malformed.
    """
    return Attachment(str(given["attachment"]), b64decode(str(given["data"]), validate=True))


def with_attachments(mail: Extracted, attachments: Sequence[ReadAttachment]) -> Extracted:
    """Add the texts of attachments to a message, each below a heading with its name; what has no text is counted."""
    joined = _Joined(mail)
    for each in attachments:
        joined.readers += each.given_up_by if isinstance(each.found, str) else each.found.readers
        if isinstance(each.found, str):
            joined.name_unread(each.name, each.found)
        elif joined.length + len(each.found.body) > MOST_CHARACTERS:
            joined.left_out.append(UnreadPart("attachment too long to read"))
        else:
            joined.add(each.name, each.found)
    return joined.finish()


class _Joined:
    """The message so far; what is added is moved to where it begins."""

    def __init__(self, mail: Extracted) -> None:
        self._mail = mail
        self._parts = [mail.body.rstrip()]
        self.length = len(self._parts[0])
        self._blocks: list[Block] = list(mail.blocks)
        self._sections: list[Section] = list(mail.sections)
        self._links: list[Link] = list(mail.links)
        self._slugs = {section.slug for section in mail.sections}
        self.left_out = list(mail.left_out)
        self.readers = list(mail.readers)
        self._by_ocr: list[RecognisedPart] = []

    def add(self, name: str, found: Extracted) -> None:
        title = f"Attachment: {inline(name).text[:_LONGEST_NAME] or 'without a name'}"
        slug = self._free_slug(_NOT_IN_A_SLUG.sub("-", name).strip("-")[:_LONGEST_NAME] or "attachment")
        start = self._put(f"# {title}")
        self._blocks.append(Block(BlockKind.HEADING, Span(start, self.length)))
        by = self._put(found.body.rstrip())
        self._blocks += [replace(block, span=_moved(block.span, by)) for block in found.blocks]
        self._links += [replace(link, span=_moved(link.span, by)) for link in found.links]
        before = found.body[: found.sections[0].span.start] if found.sections else found.body
        end = by + len(before.rstrip()) if before.strip() else start + len(f"# {title}")
        self._sections.append(Section(slug, title, (title,), 1, Span(start, end), None))
        for section in found.sections:
            self._sections.append(
                Section(
                    slug=f"{slug}/{section.slug}",
                    title=section.title,
                    heading_path=(title, *section.heading_path),
                    level=section.level + 1,
                    span=_moved(section.span, by),
                    parent=f"{slug}/{section.parent}" if section.parent else slug,
                )
            )
        self.left_out += found.left_out
        parts = recognised_in(found.metadata)
        self._by_ocr += [replace(part, span=_moved(part.span, by)) for part in parts]

    def name_unread(self, name: str, reason: str) -> None:
        """Say in the text that an attachment is not read, and why."""
        start = self._put(f"[The attachment {inline(name).text[:_LONGEST_NAME]!r} is not read: {inline(reason).text}]")
        self._blocks.append(Block(BlockKind.PARAGRAPH, Span(start, self.length)))
        self.left_out.append(UnreadPart("attachment without text"))

    def finish(self) -> Extracted:
        by_ocr = {READ_BY_OCR: recognised_text(self._by_ocr)} if self._by_ocr else {}
        return replace(
            self._mail,
            metadata={**self._mail.metadata, **by_ocr},
            body="".join(self._parts),
            blocks=tuple(self._blocks),
            sections=tuple(self._sections),
            links=tuple(self._links),
            left_out=added_up(self.left_out),
            readers=tuple(dict.fromkeys(self.readers)),
        )

    def _put(self, text: str) -> int:
        """Add a text below a blank line, and return where it begins."""
        gap = _GAP if self.length else ""
        self._parts += [gap, text]
        start = self.length + len(gap)
        self.length = start + len(text)
        return start

    def _free_slug(self, slug: str) -> str:
        free, number = slug, 1
        while free in self._slugs:
            number += 1
            free = f"{slug}~{number}"
        self._slugs.add(free)
        return free


def _moved(span: Span, by: int) -> Span:
    return Span(span.start + by, span.end + by)
