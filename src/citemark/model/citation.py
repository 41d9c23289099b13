"""A durable citation: enough to find the quoted words again later, and the address that opens them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import quote

from citemark.model.text import Lines, Span

_DAY = len("2026-01-31")
_PAGE = re.compile(r"page-(\d+)")
_REPEATED = re.compile(r"~\d+$")
_WEB_PAGES = frozenset({".html", ".htm", ".xhtml"})

CitedRevision = Literal["known", "superseded", "unknown"]
"""What became of a cited revision: it is at HEAD, another replaced it, or the document does not have it (any more)."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where in the document, in up to three ways: heading slug, lines (1-based, inclusive), characters (half-open)."""

    heading: str | None = None
    lines: Lines | None = None
    chars: Span | None = None

    def as_dict(self) -> dict[str, str | dict[str, int]]:
        """The JSON form, without the parts that are unknown."""
        fields: dict[str, str | dict[str, int]] = {}
        if self.heading:
            fields["heading"] = self.heading
        if self.lines:
            fields["lines"] = {"start": self.lines.start, "end": self.lines.end}
        if self.chars:
            fields["chars"] = {"start": self.chars.start, "end": self.chars.end}
        return fields


@dataclass(frozen=True, slots=True)
class Citation:
    """What was quoted, from which state of which document.

    `span` counts characters of the revision's body. `baseline_id` is None when HEAD was read; `as_of` is always the
    resolved time (UTC). `dated` is the date that the document states for itself, or "" if it states none.
    """

    source: str
    doc_type: str
    document_id: str
    revision_id: str
    baseline_id: str | None
    as_of: datetime
    anchor: Anchor
    span: Span
    title: str
    url: str | None
    dated: str = ""

    def as_dict(self) -> Mapping[str, object]:
        """The JSON form, with every field named."""
        return {
            "source": self.source,
            "doc_type": self.doc_type,
            "document_id": self.document_id,
            "revision_id": self.revision_id,
            "baseline_id": self.baseline_id,
            "as_of": iso(self.as_of),
            "anchor": self.anchor.as_dict(),
            "span": {"start": self.span.start, "end": self.span.end},
            "title": self.title,
            "url": self.url,
            **({"dated": self.dated} if self.dated else {}),
        }

    @property
    def day(self) -> str:
        """The day in `dated`, without a time."""
        return self.dated[:_DAY]


def iso(moment: datetime) -> str:
    """The moment in UTC, in ISO 8601 with "Z"; microseconds appear only if there are any."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def address_of(url: str | None, native_id: str, slug: str | None) -> str | None:
    """The address of a section of the page `native_id`, which `url` opens; `url` itself if nothing can be added.

    A PDF opens at its page (RFC 8118), a web page at the heading's id, which is the last part of the slug. For other
    formats, no viewer is known to understand more than the address.
    """
    if not url or not slug or "#" in url:
        return url
    last = slug.rpartition("/")[2]
    suffix = PurePosixPath(native_id).suffix.lower()
    if suffix == ".pdf" and (page := _PAGE.fullmatch(last)) is not None:
        return f"{url}#page={page[1]}"
    if suffix in _WEB_PAGES and not _REPEATED.search(last):
        return f"{url}#{quote(last, safe='!$&()*+,;=:@.-_~')}"
    return url
