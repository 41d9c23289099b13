"""The headers of a mail that put it into a thread and into time, read from its first bytes without parsing it."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MOST_HEAD_BYTES = 128 * 1024
"""How much of a mail is searched for its headers; relays add some kilobytes, and servers refuse more than this."""

_MOST_REFERENCES = 50
"""Most ancestors of a mail that are looked for, the nearest ones; mail programs shorten longer lists themselves."""

_END = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(
    rb"^(message-id|in-reply-to|references|date):([^\n]*(?:\n[ \t][^\n]*)*)", re.IGNORECASE | re.MULTILINE
)
_ID = re.compile(rb"<([^<>\s]{1,250})>")


@dataclass(frozen=True, slots=True)
class MailHeaders:
    """What a mail says about its place among others.

    Attributes:
        message_id: without its brackets; "" if it has none.
        ancestors: the ids of the mails that it follows, the one that it answers first.
        date: when its sender says that it was written; None if that is no date.
    """

    message_id: str = ""
    ancestors: tuple[str, ...] = ()
    date: datetime | None = None


def headers_of(head: bytes) -> MailHeaders:
    """Read the headers from the beginning of a mail; of a header that is repeated, the first counts."""
    end = _END.search(head)
    fields: dict[bytes, bytes] = {}
    for name, value in _FIELD.findall(head if end is None else head[: end.end()]):
        fields.setdefault(name.lower(), value)
    own = _ids(fields.get(b"message-id", b""))
    answered = _ids(fields.get(b"in-reply-to", b""))
    followed = reversed(_ids(fields.get(b"references", b"")))
    ancestors = tuple(dict.fromkeys((*answered[:1], *followed)))[:_MOST_REFERENCES]
    return MailHeaders(own[0] if own else "", ancestors, _date(fields.get(b"date", b"")))


def _ids(value: bytes) -> list[str]:
    return [found.decode("utf-8", "replace") for found in _ID.findall(value)]


def _date(value: bytes) -> datetime | None:
    try:
        date = parsedate_to_datetime(value.decode("ascii", "replace").strip()[:100])
        return (date if date.tzinfo is not None else date.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
