"""The result of checking an answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from citemark.model.text import Span

Standing = Literal["supported", "unproven", "unsupported", "uncited", "no_such_document", "no_claim"]
"""How well a sentence is supported.

An `uncited` sentence cites nothing, and a `no_such_document` sentence cites only documents that were not given. An
`unsupported` sentence cites documents, but something speaks against it. An `unproven` sentence cites documents too and
nothing speaks against it, but it shares too few words with them to show where they say it. A `no_claim` sentence states
nothing about the matter (a greeting, a question to the user, a heading) and needs no citation.
"""


class SourceText(Protocol):
    """What a check needs to know about a document: its number, and what the model was given of it."""

    @property
    def number(self) -> int:
        """The number by which an answer cites it, from 1; there may be gaps."""
        ...

    @property
    def title(self) -> str:
        """The document's title."""
        ...

    @property
    def text(self) -> str:
        """The document's text; spans of support are ranges of its characters."""
        ...

    @property
    def header(self) -> str:
        """The header row of the table that the text continues, or ""."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What the model is given besides the title and the text."""
        ...


@dataclass(frozen=True, slots=True)
class Support:
    """Where a sentence is supported: the number of a document, a span of its text, and a score in 0..1."""

    document: int
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of an answer; `span` is in the checked text.

    `cited` are the documents it cites, `missing` the numbers without a document, both in the order of first mention.
    `support` is the best place in the documents it cites, or in all documents if it cites none.
    """

    text: str
    span: Span
    cited: tuple[int, ...]
    missing: tuple[int, ...]
    standing: Standing
    support: Support | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Every number it cites, whether or not there is such a document."""
        return (*self.cited, *self.missing)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer after the check.

    `text` no longer cites documents that were not given; `out_of_range` are their numbers, each once, and `removed` is
    how many times such a number was removed. `unsupported_claims` are the numbers, dates and names of the answer that
    occur in no document, as the answer writes them.
    """

    text: str
    sentences: tuple[CheckedSentence, ...]
    out_of_range: tuple[int, ...]
    removed: int
    unsupported_claims: tuple[str, ...]

    @property
    def uncited_sentences(self) -> tuple[CheckedSentence, ...]:
        """The sentences that make a claim and have no support; `standing` says why."""
        return tuple(sentence for sentence in self.sentences if sentence.standing not in {"supported", "no_claim"})

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers of the documents cited anywhere, ascending."""
        return tuple(sorted({number for sentence in self.sentences for number in sentence.cited}))
