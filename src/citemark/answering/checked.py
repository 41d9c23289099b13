"""What a check of an answer finds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from citemark.model.text import Span

Standing = Literal["supported", "unproven", "unsupported", "uncited", "no_such_document", "no_claim"]
"""How a sentence stands.

`uncited` cites nothing, `no_such_document` only documents that were not given. `unsupported` cites documents, and
something speaks against it; `unproven` too, and nothing does, but it shares too few words with them to show where they
say it. `no_claim` states nothing about the matter (a greeting, a question back, a heading) and needs no citation.
"""


class SourceText(Protocol):
    """What a check needs to know of a document: what the model was given of it, under its number."""

    @property
    def number(self) -> int:
        """What an answer cites it by, from 1; there may be gaps."""
        ...

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def text(self) -> str:
        """Its text, which spans of support count characters of."""
        ...

    @property
    def metadata(self) -> Mapping[str, str]:
        """What is told beside the text."""
        ...


@dataclass(frozen=True, slots=True)
class Support:
    """Where a sentence finds its support: a span of characters of that document's text, and a score in 0..1."""

    document: int
    span: Span
    score: float


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """One sentence of an answer; `span` is in the checked text.

    `cited` are the documents it cites, `missing` the numbers without a document; both in the order of first mention.
    `support` is the best place in the documents cited, or, for a sentence that cites none, in all of them.
    """

    text: str
    span: Span
    cited: tuple[int, ...]
    missing: tuple[int, ...]
    standing: Standing
    support: Support | None

    @property
    def numbers(self) -> tuple[int, ...]:
        """Every number cited, given or not."""
        return (*self.cited, *self.missing)


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer after the check.

    `text` has no citation of a document that was not given; `out_of_range` are their numbers, each once, and `removed`
    is how often one was taken out. `unsupported_claims` are numbers, dates and names of the answer that stand in no
    document, as the answer writes them.
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
        """The documents cited anywhere, ascending."""
        return tuple(sorted({number for sentence in self.sentences for number in sentence.cited}))
