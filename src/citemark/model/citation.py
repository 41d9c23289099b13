"""A durable citation: enough to find the quoted words again later, and the address that opens them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Literal
from urllib.parse import quote

from citemark.model.accounts import DOC_TYPES
from citemark.model.architecture import ELEMENT, VIEW
from citemark.model.escaping import one_line
from citemark.model.text import Lines, Span

_OPAQUE = frozenset({*DOC_TYPES, ELEMENT, VIEW})
_MOST_TITLE = 120
"""The most characters of a title in a citation, so that it stays on one line."""

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

    @property
    def opaque(self) -> bool:
        """Whether the document's id means nothing to a reader."""
        return self.doc_type in _OPAQUE

    @property
    def named(self) -> str:
        """The document's id, followed by its title where the id means nothing to a reader (models, accounts)."""
        if not self.opaque or not self.title:
            return one_line(self.document_id)
        title = one_line(" ".join(self.title.split()))
        short = title if len(title) <= _MOST_TITLE else title[: _MOST_TITLE - 1].rstrip() + "…"
        return f'{one_line(self.document_id)} "{short}"'

    def render(self, *, named: bool = False) -> str:
        """The citation as one line for people, accurate to the second.

        `named` adds the title, for places that do not show it otherwise.
        """
        document = self.named if named else one_line(self.document_id)
        if self.anchor.heading and "#" not in document:
            document += f"#{one_line(self.anchor.heading)}"
        parts = [f"{one_line(self.source)}: {document}", self._where(), f"revision {self.revision_id}"]
        if self.dated:
            parts.append(f"dated {self.day}")
        if self.baseline_id:
            parts.append(f"baseline {one_line(self.baseline_id)}")
        parts.append(f"as of {iso(self.as_of.replace(microsecond=0))}")
        return ", ".join(parts)

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

    def _where(self) -> str:
        lines = self.anchor.lines
        if lines is None:
            return f"characters {self.span.start}-{self.span.end}"
        return f"line {lines.start}" if lines.start == lines.end else f"lines {lines.start}-{lines.end}"


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
