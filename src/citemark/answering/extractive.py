"""An answer made only of quotations: always possible, the same each time, and saying nothing that no document says."""

import re
from collections.abc import Sequence

from citemark.answering.answer_sentences import QUOTATION
from citemark.answering.citations import Mention, mentions
from citemark.answering.document_packing import pack, shown
from citemark.answering.numbered_documents import Document
from citemark.evidence.budget import BYTES_PER_TOKEN, EvidenceLimits, bytes_len
from citemark.evidence.cutting import Filled
from citemark.evidence.filling import Near, PassageText, fill_by_words
from citemark.evidence.readable import readable
from citemark.model.accounts import DATED
from citemark.model.architecture import ELEMENT, VIEW
from citemark.text.versions import PassageWords

EXCERPT_TOKENS = 500
"""About a screen: three or four passages of a few sentences."""

_OF_MODELS = frozenset({ELEMENT, VIEW})
_RULE = re.compile(r"[^|]*[^|\s][^|]*")
"""A cell of a header row; the dashes below it make it a table for a reader and for the check."""

_MARKS = 32
"""Bytes for the marks of a quotation and its citation."""


def extractive_answer(
    phrasings: Sequence[str],
    documents: Sequence[Document],
    *,
    near: Near | None = None,
    most_tokens: int = EXCERPT_TOKENS,
) -> str | None:
    """The passages that answer best, quoted word for word, each with its document's number; None if there is none.

    Args:
        phrasings: the phrasings of the question, with the question itself first.
        documents: the documents, best first.
        near: rates spans that share no word with the question; it may block.
        most_tokens: the limit for the answer, including marks and citations.
    """
    passages = [
        PassageText(text, document.header, _relevances(document), (document.citation.source, document.native_id))
        for document, text in zip(documents, _without_repeats(documents), strict=True)
    ]
    room = most = most_tokens * BYTES_PER_TOKEN
    while room > 0:
        filled = fill_by_words(phrasings, passages, EvidenceLimits(room, fills=False), near)
        answer = "\n\n".join(
            _quotation(phrasings[0], documents[quote.passage], quote) for quote in _in_document_order(filled, documents)
        )
        over = bytes_len(answer) - most
        if over <= 0:
            return answer or None
        room -= max(over, _MARKS)
    return None


def _relevances(document: Document) -> tuple[float, ...]:
    """How relevant a document is; what has a date is in the order that a question of time asks for instead."""
    return () if document.doc_type in DATED or document.relevance is None else (document.relevance,)


def _without_repeats(documents: Sequence[Document]) -> list[str]:
    """The texts of the documents, with "" for a document that says the same as an earlier one."""
    earlier: list[PassageWords] = []
    texts: list[str] = []
    for document in documents:
        source = (document.citation.source, document.doc_type)
        words = PassageWords(source, document.native_id, f"{document.header}\n{document.text}")
        repeated = any(other.repeats(words) for other in earlier)
        texts.append("" if repeated else document.text)
        earlier.append(words)
    return texts


def own_citations(answer: str) -> list[Mention]:
    """The citations that close the quotations of an extractive answer; any others are words of the documents."""
    ends = {len(answer[: quotation.end()].rstrip()) for quotation in QUOTATION.finditer(answer)}
    return [mention for mention in mentions(answer) if mention.span.end in ends]


def _in_document_order(filled: Sequence[Filled], documents: Sequence[Document]) -> list[Filled]:
    """The quotes document by document, those of each document in its own order, so that steps stay in sequence."""
    names = list(dict.fromkeys(documents[quote.passage].native_id for quote in filled))

    def position(quote: Filled) -> tuple[int, int]:
        document = documents[quote.passage]
        return names.index(document.native_id), document.citation.span.start

    return sorted(filled, key=position)


def _quotation(question: str, document: Document, quote: Filled) -> str:
    header = f"{quote.header}\n{_RULE.sub('---', quote.header)}" if quote.header else ""
    words = readable(quote.shown, header, "end" if quote.cut else None)
    if document.doc_type in _OF_MODELS:
        words = _part_text(question, document, quote.size) or words
    return _quoted(words, document.number)


def _part_text(question: str, document: Document, most_bytes: int) -> str:
    """As much of the text of an element or view as fits; its first line names what all other lines describe."""
    head, _, rest = document.text.strip().partition("\n")
    room = most_bytes - bytes_len(head) - 1
    if room < 0:
        return ""
    return "\n".join(filter(None, [head, shown(rest, pack(question, rest, room))]))


def _quoted(words: str, number: int) -> str:
    """A block quotation with the citation after its last words, or on a line of its own after code and tables."""
    lines = words.strip().splitlines()
    last = lines[-1].rstrip()
    joint = "\n> " if last.endswith(("```", "~~~", "|")) else " "
    return "\n".join(f"> {line}".rstrip() for line in lines) + f"{joint}[{number}]"
