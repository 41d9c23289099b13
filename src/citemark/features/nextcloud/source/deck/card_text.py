"""The text of a card: facts, description, attachments and comments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from citemark.extraction.english_names import DAYS, MONTHS
from citemark.extraction.markdown.blocks import read_blocks
from citemark.extraction.markdown.document import extract_markdown
from citemark.features.nextcloud.source.deck.api import Comment
from citemark.features.nextcloud.source.deck.boards import CardPosition
from citemark.features.nextcloud.source.deck.cards import AttachedFile, Card
from citemark.model.stated_dates import CLOSED_STATES, StatedDates
from citemark.model.text import BlockKind, Extracted, LineIndex
from citemark.model.unread_parts import UnreadPart, added_up

_PROBE = "end of the text"
"""Text appended to Markdown to see in which kind of block it ends up."""

_RAW_HTML = re.compile(r"<(?:(pre|script|style|textarea)\b|(!--)|(\?)|(!\[CDATA\[)|(!))", re.IGNORECASE)
"""Beginnings of raw HTML that ends only with an end of its own, not with a blank line (CommonMark 0.31, 4.6)."""

_RAW_ENDS = ("-->", "?>", "]]>", ">")
"""The ends of those that are not tags, in the order of the groups."""

_FENCE = re.compile(r"`{3,}|~{3,}")
_NAMELESS = "Card without a title"


def card_text(
    card: Card, position: CardPosition, comments: Sequence[Comment], attached: Sequence[AttachedFile]
) -> Extracted:
    """Write a card as Markdown. What people wrote is kept as written, and cannot affect what follows it."""
    title = card.title or _NAMELESS
    parts = [f"# {title}", "\n".join(f"- {line}" for line in _facts(card, position))]
    if card.description.strip():
        parts.append(closed(card.description.strip("\r\n")))
    if attached:
        parts += ["## Attachments", "\n".join(f"- {file.name}" for file in attached if file.name)]
    if comments:
        parts.append("## Comments")
        parts += [_quoted(comment) for comment in comments]
    extracted = extract_markdown("\n\n".join(part for part in parts if part) + "\n", fallback_title=title)
    lost = added_up([UnreadPart("property that cannot be read", card.unread)])
    return replace(extracted, title=title, tags=card.labels, metadata={}, language=None, left_out=lost)


def card_metadata(card: Card, position: CardPosition) -> Mapping[str, str]:
    """Return the metadata shown beside a hit and used by filters; several values are separated by line breaks."""
    known = {
        "Board": position.board,
        "Stack": position.stack,
        "Labels": "\n".join(card.labels),
        "Due": card.due.isoformat() if card.due else "",
        "State": "\n".join(_states(card, position)),
        "Assigned": "\n".join(person.name for person in card.assigned),
    }
    return {key: value for key, value in known.items() if value}


def card_dates(card: Card, position: CardPosition) -> StatedDates | None:
    """Return when a card is due; None if nothing says so."""
    if card.due is None:
        return None
    return StatedDates(due=card.due.isoformat(), open=CLOSED_STATES.isdisjoint(_states(card, position)))


def closed(markdown: str) -> str:
    """Close whatever the text leaves open: a code fence or raw HTML would swallow everything after it."""
    probed = f"{markdown}\n\n{_PROBE}\n"
    blocks = read_blocks(probed, LineIndex(probed), 0)
    last = blocks[-1]
    if last.span.start >= len(markdown):
        return markdown
    if last.kind is BlockKind.CODE and (fence := _FENCE.search(last.span.of(probed))):
        return f"{markdown}\n{fence[0]}"
    if raw := _RAW_HTML.match(last.span.of(probed).lstrip()):
        tag = raw[1]
        return f"{markdown}\n{f'</{tag}>' if tag else _RAW_ENDS[(raw.lastindex or 0) - 2]}"
    return markdown


def _facts(card: Card, position: CardPosition) -> Iterator[str]:
    yield f"Board: {position.board}" + (" (archived)" if position.board_archived else "")
    if position.stack:
        yield f"Stack: {position.stack}"
    if card.labels:
        yield f"Labels: {', '.join(card.labels)}"
    if card.due:
        yield f"Due: {_in_words(card.due)}"
    if card.done:
        yield f"Done: {_in_words(card.done)}"
    for name, written in card.odd.items():
        yield f'{name}: "{written}" (as it is written)'
    if card.archived:
        yield "Archived"
    if card.assigned:
        yield f"Assigned to: {', '.join(person.name for person in card.assigned)}"


def _states(card: Card, position: CardPosition) -> Iterator[str]:
    yield "done" if card.done else "open"
    if card.archived or position.board_archived:
        yield "archived"


def _in_words(time: datetime) -> str:
    return f"{DAYS[time.weekday()]}, {time.day} {MONTHS[time.month - 1]} {time:%Y, %H:%M} UTC"


def _quoted(comment: Comment) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in comment.message.splitlines())
    return f"{comment.author}, {comment.at}:\n\n{quoted}"
