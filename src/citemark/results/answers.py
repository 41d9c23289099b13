"""Answers: the text with its check, and the documents behind it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from citemark.model.stated_dates import When
from citemark.results.common_parts import (
    MAX_TITLE_CHARS,
    CitationOut,
    ResponseMetaOut,
    TotalIs,
    cited,
    count,
    document_of,
    meta_fields,
    short,
    with_remarks,
)
from citemark.results.shape import Strict
from citemark.text.escaping import marked, one_line

if TYPE_CHECKING:
    from citemark.answering.numbered_documents import Document
    from citemark.services.answer_requests import Answered
    from citemark.services.responses import ResponseMeta


_MAX_SAID_CHARS = 300
"""Maximum characters of a sentence, claim or metadata value that is repeated beside the answer."""


_MAX_CLAIMS = 50
"""Maximum number of unsupported claims listed; an answer has at most 2000 tokens, so more would be repetition."""


EXCERPT_CHARS = 280
"""The same length as the preview of a search hit: two lines."""


class AnswerSourceOut(Strict):
    """A document of the answer; `number` is what the answer cites."""

    number: int
    id: str
    doc_type: str
    title: str
    category: str | None
    excerpt: str
    score: float
    url: str | None
    metadata: dict[str, str]
    citation: CitationOut
    when: When | None = None
    date: str | None = None


class CitedOut(Strict):
    """A document that the answer cites; `sources` holds its citation."""

    number: int
    title: str


class SupportOut(Strict):
    """Characters of a document's passage."""

    document: int
    start: int
    end: int
    score: float


class SentenceOut(Strict):
    """One sentence of the answer (as characters of it), what it cites and whether that supports it."""

    start: int
    end: int
    standing: Literal["supported", "unproven", "unsupported", "uncited", "no_such_document", "no_claim"]
    citations: list[int]
    support: SupportOut | None


class AnswerOut(ResponseMetaOut):
    """An answer; `not_available` gives the reason of each way of writing one that was tried and failed."""

    query: str
    generated_answer: str
    sources: list[AnswerSourceOut]
    total_found: int
    total_is: TotalIs
    search_method: Literal[
        "semantic_sampling", "semantic_provider", "semantic_extractive", "semantic_sampling_fallback"
    ]
    generated_by: Literal["client_sampling", "provider", "extractive", "none"]
    model_used: str | None
    stop_reason: str | None
    success: bool
    citations: list[CitedOut]
    sentences: list[SentenceOut]
    uncited_sentences: list[str]
    unsupported_claims: list[str]
    removed_citations: int
    answered: bool = True
    confidence: float | None = None
    not_available: dict[str, str] | None = None


def answer_out(
    answered: "Answered", words: str, *, kept: int | None = None, chars: int = EXCERPT_CHARS
) -> tuple[AnswerOut, str]:
    """An answer as a result, and as text.

    Args:
        answered: the answer and its documents.
        words: its text, or what takes its place (`words_of`).
        kept: how many documents it names, all if None; those that it cites come first.
        chars: the longest excerpt of a document.
    """
    checked = answered.checked
    cited_numbers = frozenset(checked.cited) if checked else frozenset[int]()
    documents = _cited_first(answered.documents, cited_numbers, kept)
    cut = len(documents) < len(answered.documents)
    out = AnswerOut(
        query=answered.question,
        generated_answer=words,
        sources=[_source(document, answered.question, chars) for document in documents],
        total_found=answered.total_found,
        total_is=answered.meta.total_is,
        search_method=answered.method,
        generated_by=answered.way or "none",
        model_used=None if answered.model is None else short(answered.model, _MAX_SAID_CHARS),
        stop_reason=None if answered.stop_reason is None else short(answered.stop_reason, _MAX_SAID_CHARS),
        success=True,
        citations=[_cited(document) for document in documents if document.number in cited_numbers],
        sentences=_sentences(answered),
        uncited_sentences=[short(sentence.text, _MAX_SAID_CHARS) for sentence in checked.uncited_sentences]
        if checked
        else [],
        unsupported_claims=[short(claim, _MAX_SAID_CHARS) for claim in checked.unsupported_claims[:_MAX_CLAIMS]]
        if checked
        else [],
        removed_citations=checked.removed if checked else 0,
        answered=bool(answered.documents) and not answered.meta.says_absent and checked is not None,
        confidence=rounded_confidence(answered.confidence),
        **_failed(answered),
        **meta_fields(answered.meta, cut=cut),
    )
    return out, _text(answered, out, documents, cut=cut)


def sources_of(documents: "Iterable[Document]", question: str) -> list[AnswerSourceOut]:
    """Documents with what they say, as they appear beside an answer."""
    return [_source(document, question, EXCERPT_CHARS) for document in documents]


def rounded_confidence(confidence: float | None) -> float | None:
    """A confidence as it appears beside an answer."""
    return None if confidence is None else round(confidence, 4)


def words_of(answered: "Answered", nothing: str) -> str:
    """The text of the answer, or the fixed text if there are only documents, or nothing was found."""
    if answered.checked is not None:
        return answered.checked.text
    if not answered.documents:
        return nothing_text(answered.meta, nothing)
    found = f"Found {answered.total_found} relevant documents. Please review the sources below."
    if not answered.failures:
        return found
    return f"[Sampling unavailable: {answered.failures[0].sampling_reason}]\n\n{found}"


def nothing_text(meta: "ResponseMeta", fixed: str) -> str:
    """The answer if no document was found: the fixed text, unless something kept documents from being found."""
    if meta.empty is None or meta.empty.reason == "nothing_answers":
        return fixed
    return meta.empty.text


def _failed(answered: "Answered") -> dict[str, Any]:
    """The field with the ways of writing an answer that failed; none if all worked that were tried."""
    failures = {failure.way: failure.reason for failure in answered.failures}
    return {"not_available": failures} if failures else {}


def _cited_first(
    documents: "tuple[Document, ...]", cited_numbers: frozenset[int], kept: int | None
) -> "list[Document]":
    """`kept` of the documents in the order of their numbers; those that the answer cites are chosen first."""
    chosen = sorted(documents, key=lambda document: (document.number not in cited_numbers, document.number))[:kept]
    return sorted(chosen, key=lambda document: document.number)


def _source(document: "Document", question: str, chars: int) -> AnswerSourceOut:
    from citemark.evidence.preview import preview  # noqa: PLC0415 - listing the tools takes no text apart

    return AnswerSourceOut(
        number=document.number,
        id=document.native_id,
        doc_type=document.doc_type,
        title=short(document.title, MAX_TITLE_CHARS),
        category=document.category,
        excerpt=short(preview(document.found_by or question, document.text, chars, header=document.header), chars),
        score=round(document.score, 4),
        url=document.url,
        metadata={name: short(value, _MAX_SAID_CHARS) for name, value in document.metadata.items()},
        citation=cited(document.citation),
        when=document.occasion and document.occasion.when,
        date=document.occasion and document.occasion.stated,
    )


def _cited(document: "Document") -> CitedOut:
    return CitedOut(
        number=document.number,
        title=short(document.title, MAX_TITLE_CHARS),
    )


def _sentences(answered: "Answered") -> list[SentenceOut]:
    if answered.checked is None:
        return []
    return [
        SentenceOut(
            start=sentence.span.start,
            end=sentence.span.end,
            standing=sentence.standing,
            citations=list(sentence.cited),
            support=None
            if sentence.support is None
            else SupportOut(
                document=sentence.support.document,
                start=sentence.support.span.start,
                end=sentence.support.span.end,
                score=round(sentence.support.score, 4),
            ),
        )
        for sentence in answered.checked.sentences
    ]


def _text(answered: "Answered", out: AnswerOut, documents: "list[Document]", *, cut: bool) -> str:
    """The answer as text: its words, the doubts about them, and the documents with their citations."""
    checked = answered.checked is not None
    answer_lines = marked(out.generated_answer) if checked else [out.generated_answer]
    lines = [*answer_lines, *_doubts(out), *([""] if documents else [])]
    empty = answered.meta.empty
    if empty is not None and empty.text != out.generated_answer:
        lines += [empty.text]
    for source, document in zip(out.sources, documents, strict=True):
        when = f", {source.when}: {source.date}" if source.when else ""
        lines.append(f"[{source.number}] {one_line(source.title)} ({document_of([document.citation])}){when}")
        lines += [] if checked else marked(source.excerpt)
    lines += _how(answered, out)
    return with_remarks(lines, answered.meta, cut=cut)


def _doubts(out: AnswerOut) -> list[str]:
    lines: list[str] = []
    if out.uncited_sentences:
        lines.append(f"{count(len(out.uncited_sentences), 'sentence')} above without support in the sources:")
        lines += [f"- {one_line(sentence)}" for sentence in out.uncited_sentences]
    if out.unsupported_claims:
        lines.append("In no source: " + "; ".join(map(one_line, out.unsupported_claims)))
    if out.removed_citations:
        lines.append(f"{count(out.removed_citations, 'citation')} of documents that do not exist removed.")
    return ["", *lines] if lines else []


def _how(answered: "Answered", out: AnswerOut) -> list[str]:
    origins: dict[str, Any] = {
        "client_sampling": f"Written by the client's model ({one_line(out.model_used or '')}).",
        "provider": f"Written by the configured model ({one_line(out.model_used or '')}).",
        "extractive": "Quoted from the documents; no model wrote this.",
    }
    lines = [origins[answered.way]] if answered.way else []
    failures = [f"{failure.way}: {failure.reason}" for failure in answered.failures if failure.way != "extractive"]
    lines += ["Not available: " + ", ".join(failures) + "."] if failures else []
    return ["", *lines] if lines else []
