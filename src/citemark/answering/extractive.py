"""An answer made of quotations only: always possible, the same each time, nothing said that no document says."""

from collections.abc import Sequence

from citemark.answering.answer_sentences import QUOTATION
from citemark.answering.citations import Mention, mentions
from citemark.answering.document_packing import pack, shown
from citemark.answering.numbered_documents import Document
from citemark.embedding.contract import Embedder
from citemark.evidence.budget import QuoteLimits
from citemark.evidence.quotes import choose_quotes
from citemark.evidence.scoring import RERANKED, ScoredSpan, rank_all, rerank
from citemark.evidence.tokens import BYTES_PER_TOKEN, bytes_len, count_tokens
from citemark.model.architecture import ELEMENT, VIEW

LIMITS = QuoteLimits(max_quotes=8, max_quote_tokens=120, include_context_tokens=60)
"""More and longer quotes than evidence has: an answer is read by itself."""

USUAL_TOKENS = 500

_OF_MODELS = frozenset({ELEMENT, VIEW})
_MARKS = 32
"""Bytes for the marks of a quotation and its citation."""


def extractive_answer(
    question: str,
    documents: Sequence[Document],
    *,
    embedder: Embedder | None = None,
    most_tokens: int = USUAL_TOKENS,
) -> str | None:
    """The passages that answer best, quoted word for word, each with its document's number; None when nothing can be.

    Blocking: with an `embedder` the embedding of the best spans helps to order them.
    """
    texts = [document.text for document in documents]
    ranked = rank_all(question, texts)
    if not ranked:
        return None
    known = [document.relevance for document in documents if document.relevance is not None]
    ranked = rerank(ranked, _cosines(question, texts, ranked, embedder), known if len(known) == len(texts) else None)
    lines: list[str] = []
    told: set[int] = set()
    for quote in choose_quotes(ranked, texts, LIMITS):
        document = documents[quote.passage]
        words = quote.text
        if document.doc_type in _OF_MODELS:
            if document.number in told:
                continue
            told.add(document.number)
            room = min(most_tokens, LIMITS.max_quote_tokens) * BYTES_PER_TOKEN - _MARKS
            words = _said_of(question, document, room) or words
        line = _quoted(words, document.number)
        if count_tokens("\n\n".join([*lines, line])) <= most_tokens:
            lines.append(line)
    return "\n\n".join(lines) or None


def own_citations(answer: str) -> list[Mention]:
    """The citations that close the quotations of an extractive answer; others are words of the documents."""
    ends = {len(answer[: quotation.end()].rstrip()) for quotation in QUOTATION.finditer(answer)}
    return [mention for mention in mentions(answer) if mention.span.end in ends]


def _cosines(
    question: str, texts: Sequence[str], ranked: Sequence[ScoredSpan], embedder: Embedder | None
) -> list[float] | None:
    if embedder is None:
        return None
    asked = embedder.embed_query(question)
    head = [scored.piece.span.of(texts[scored.passage]) for scored in ranked[:RERANKED]]
    return [float(value) for value in embedder.embed_documents(head) @ asked]


def _said_of(question: str, document: Document, most_bytes: int) -> str:
    """The text of an element or view, as much of it as fits; its first line says of what all others tell."""
    head, _, rest = document.text.strip().partition("\n")
    room = most_bytes - bytes_len(head) - 1
    if room < 0:
        return ""
    return "\n".join(filter(None, [head, shown(rest, pack(question, rest, room))]))


def _quoted(words: str, number: int) -> str:
    """A block quotation with the citation behind its last words, on a line of its own behind code and tables."""
    lines = words.strip().splitlines()
    last = lines[-1].rstrip()
    joint = "\n> " if last.endswith(("```", "~~~", "|")) else " "
    return "\n".join(f"> {line}".rstrip() for line in lines) + f"{joint}[{number}]"
