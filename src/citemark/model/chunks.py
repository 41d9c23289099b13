"""The indexed unit: a span of a document plus the context that makes it readable alone."""

from dataclasses import dataclass

from citemark.model.text import Span


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a document's body, 1-based and inclusive."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk before it has an id.

    `text` is exactly the body's characters at `span`; `context` is what is said around them (page title, heading path,
    a repeated table header) and is no quotation. `section` is the slug of the section, None above the first heading.
    """

    ordinal: int
    section: str | None
    span: Span
    lines: Lines
    text: str
    context: str

    @property
    def embedded_text(self) -> str:
        """What the embedding model reads."""
        return f"{self.context}\n{self.text}" if self.context else self.text
