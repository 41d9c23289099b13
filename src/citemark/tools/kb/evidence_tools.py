"""kb.retrieve_evidence and kb.extract_evidence: only the words that answer a question, each with its citation."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from citemark.evidence.budget import EvidenceLimits, QuoteLimits
from citemark.evidence.filling import MOST_BYTES, USUAL_BYTES
from citemark.evidence.readable import readable
from citemark.model.citation import iso
from citemark.model.errors import BudgetExceeded
from citemark.model.stated_dates import When
from citemark.services.requests import SearchRequest
from citemark.text.citation_line import is_opaque, name_of
from citemark.text.escaping import MARK, marked, one_line
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import (
    Also,
    FiltersArgument,
    FiltersIn,
    HiddenReadContext,
    Name,
    Question,
    ReadContextIn,
    ScopeIn,
    UpToTwenty,
    Within,
)
from citemark.tools.schemas_out import (
    MAX_TITLE_CHARS,
    QuoteCitationOut,
    ReadContextOut,
    ResponseMetaOut,
    meta_fields,
    nothing,
    place_beside,
    place_of,
    quote_cited,
    rounded,
    scratch_uri,
    short,
    with_remarks,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from citemark.services.responses import Evidence, Quote, ResponseMeta


QuestionIn = Annotated[Question, Field(description="The question in full.")]
_MOST_QUOTES = 12
_LONGEST_SIDE = 60
_MOST_TOKENS = 200
"""800 bytes: the length up to which a passage is quoted whole."""

MaxQuotes = Annotated[int, Within(1, _MOST_QUOTES)]
QuoteTokens = Annotated[int, Within(1, _MOST_TOKENS)]
ContextTokens = Annotated[int, Within(0, _MOST_TOKENS), Field(description="Tokens kept around a quote.")]
QuoteBytes = Annotated[int, Within(200, 8_000), Field(description="Of quoted text.")]


class RetrieveEvidenceIn(Strict):
    """Arguments of kb.retrieve_evidence."""

    question: QuestionIn
    also: Also = ()
    top_k: UpToTwenty = 5
    scope: ScopeIn = Field(default_factory=ScopeIn)
    filters: FiltersArgument = Field(default_factory=FiltersIn)
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)
    max_bytes: QuoteBytes = USUAL_BYTES
    # The defaults limit little beyond max_bytes. Numbers, not null: some clients have a model fill in every argument.
    max_quotes: MaxQuotes = _MOST_QUOTES
    max_quote_tokens: QuoteTokens = _MOST_TOKENS
    include_context_tokens: ContextTokens = _MOST_TOKENS


class ExtractEvidenceIn(Strict):
    """Arguments of kb.extract_evidence."""

    question: QuestionIn
    also: Also = ()
    passage_ids: Annotated[tuple[Name, ...], Field(min_length=1, max_length=20)]
    max_quotes: MaxQuotes = 6
    max_quote_tokens: QuoteTokens = 80
    include_context_tokens: ContextTokens = 20
    scope: ScopeIn = Field(default_factory=ScopeIn)
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)


class FoundQuoteOut(Strict):
    """A verbatim quote of a document; its citation alone names the document.

    `header` is the header row of a table that the quote continues, or what introduces its list; `more` counts items
    left out. `side`: which of the things compared it is about. `cut`: it begins or ends inside a sentence. `word_share`
    is the share of a phrasing's words in it. `confidence` is the result's; quotes from given passages, for which none
    is known, have the founding document's measure (KB 4.6.1), which is the share of words.
    """

    quote: str
    header: str | None = None
    side: str | None = None
    more: int | None = None
    cut: Literal["start", "end", "both"] | None = None
    passage_id: str
    word_share: float
    confidence: float
    citation: QuoteCitationOut
    when: When | None = None
    date: str | None = None


class FoundEvidenceOut(ResponseMetaOut):
    """Result of kb.retrieve_evidence. It has no pages, and what is null is left out."""

    next_cursor: str | None = None
    quotes: list[FoundQuoteOut]
    confidence: float | None = None


class QuoteOut(FoundQuoteOut):
    """The same, with what else the founding documents want beside a quote."""

    section_id: str
    title: str
    uri: str


class EvidenceOut(ResponseMetaOut):
    """Result of kb.extract_evidence."""

    quotes: list[QuoteOut]


async def retrieve_evidence(call: ToolCall, asked: RetrieveEvidenceIn) -> ToolReply:
    """Search for passages, then quote from them."""
    request = SearchRequest(
        query=asked.question,
        also=asked.also,
        top_k=asked.top_k,
        page_size=asked.top_k,
        scope=asked.scope.value(),
        filters=asked.filters.value(),
        read_context=asked.read_context.value(),
        min_score=call.settings.min_score,
    )
    # At its maximum, a limit asks for no less than what is quoted without it.
    tokens = asked.max_quote_tokens if asked.max_quote_tokens < _MOST_TOKENS else None
    context = asked.include_context_tokens if asked.include_context_tokens < _MOST_TOKENS else None
    given = asked.max_bytes if "max_bytes" in asked.model_fields_set else None
    limits = EvidenceLimits(given, asked.max_quotes, tokens, context)
    evidence = await call.services.evidence.retrieve(call.caller, request, limits)
    return _fitting(call, evidence, _found)


def evidence_reply(evidence: "Evidence") -> ToolReply:
    """The reply of kb.retrieve_evidence with all quotes."""
    return _found(evidence, len(evidence.quotes))


async def extract_evidence(call: ToolCall, asked: ExtractEvidenceIn) -> ToolReply:
    """Quote from passages whose ids the caller already has."""
    evidence = await call.services.evidence.extract(
        call.caller,
        asked.question,
        asked.passage_ids,
        QuoteLimits(asked.max_quotes, asked.max_quote_tokens, asked.include_context_tokens),
        also=asked.also,
        scope=asked.scope.value(),
        read_context=asked.read_context.value(),
    )
    return _fitting(call, evidence, _extracted)


def _fitting(call: ToolCall, evidence: "Evidence", reply_of: "Callable[[Evidence, int], ToolReply]") -> ToolReply:
    """A reply with as many of the best quotes as fit.

    Raises:
        BudgetExceeded: there are quotes, but not even the first one fits.
    """
    for kept in range(len(evidence.quotes), -1, -1):
        if not kept and evidence.quotes:
            break
        reply = reply_of(evidence, kept)
        if call.fits(reply):
            return reply
    raise BudgetExceeded("Not even one quote fits a result; ask with a smaller max_quote_tokens.")


def _found(evidence: "Evidence", kept: int) -> ToolReply:
    rows = [FoundQuoteOut(**_fields(quote, evidence.confidence)) for quote in evidence.quotes[:kept]]
    cut = kept < len(evidence.quotes)
    fields = meta_fields(evidence.meta, cut=cut)
    del fields["next_cursor"]
    if evidence.meta.read_context.baseline_id is None:
        fields["read_context"] = ReadContextOut(as_of=iso(evidence.meta.read_context.as_of))
    out = FoundEvidenceOut(quotes=rows, confidence=rounded(evidence.confidence), **fields)
    return ToolReply(out, render_evidence(evidence.quotes[:kept], evidence.meta, cut=cut))


def _extracted(evidence: "Evidence", kept: int) -> ToolReply:
    rows = [
        QuoteOut(
            **_fields(quote, None),
            section_id=quote.section_id,
            title=short(quote.title, MAX_TITLE_CHARS),
            uri=scratch_uri(evidence.meta.session_id, quote.passage_id),
        )
        for quote in evidence.quotes[:kept]
    ]
    cut = kept < len(evidence.quotes)
    out = EvidenceOut(quotes=rows, **meta_fields(evidence.meta, cut=cut))
    return ToolReply(out, render_evidence(evidence.quotes[:kept], evidence.meta, cut=cut))


def _fields(quote: "Quote", confidence: float | None) -> dict[str, Any]:
    named = {"header": quote.header, "side": quote.side, "more": quote.more}
    optional: dict[str, Any] = {name: value for name, value in named.items() if value}
    if quote.cut is not None:
        optional["cut"] = quote.cut
    if quote.occasion is not None:
        optional |= {"when": quote.occasion.when, "date": quote.occasion.stated}
    return {
        "quote": quote.quote,
        "passage_id": quote.passage_id,
        "word_share": round(quote.word_share, 2),
        "confidence": round(quote.word_share if confidence is None else confidence, 2),
        "citation": quote_cited(quote.citation),
        **optional,
    }


def render_evidence(quotes: Sequence["Quote"], meta: "ResponseMeta", *, cut: bool) -> str:
    """Numbered quotes as text, grouped by passage; each group ends with one citation of its quotes and the passage id.

    The citation of a further passage of a document refers to the first quote of that document.
    """
    if not quotes:
        return with_remarks([nothing(meta)], meta, cut=cut)
    passages: dict[str, list[tuple[int, Quote]]] = {}
    for number, quote in enumerate(quotes, start=1):
        passages.setdefault(quote.passage_id, []).append((number, quote))
    lines: list[str] = []
    first_numbers: dict[tuple[str, str, str], int] = {}
    for passage_id, found in passages.items():
        for number, quote in found:
            begin, *rest = marked(readable(quote.quote, quote.header, quote.cut)) or [MARK]
            lines += [f"[{number}{_side_of(quote)}] {begin}", *rest]
            if quote.more:
                lines.append(f"(and {quote.more} more)")
        citations = [quote.citation for _, quote in found]
        first, number = citations[0], found[0][0]
        earliest = first_numbers.setdefault(
            (first.source, first.document_id.partition("#")[0], first.revision_id), number
        )
        heading = _heading_beside(found[0][1])
        page = first.document_id.partition("#")[0]
        named = name_of(first) if is_opaque(first) else f"{one_line(page)}{heading}"
        place = (
            place_of(citations, passage_id, named, found[0][1].occasion)
            if earliest == number
            else place_beside(citations, passage_id, earliest, heading)
        )
        lines += [place, ""]
    return with_remarks([*lines[:-1]], meta, cut=cut).rstrip()


def _heading_beside(quote: "Quote") -> str:
    """The last heading above a quote as it stands behind the document; "" if the quote begins with that heading.

    The headings above it are in the structured content. Ids that mean nothing to a reader stay whole.
    """
    path = quote.citation.document_id.partition("#")[2]
    if is_opaque(quote.citation):
        return f"#{one_line(path)}" if path else ""
    last = path.rpartition("/")[2]
    begin = quote.quote.partition("\n")[0]
    return f"#{one_line(last)}" if _letters(last) != _letters(begin) and last else ""


def _letters(heading: str) -> str:
    """What a heading and its anchor have in common: letters and digits."""
    return "".join(sign for sign in heading.casefold() if sign.isalnum())


def _side_of(quote: "Quote") -> str:
    """Which of the things compared a quote is about, behind its number."""
    return f", of {short(quote.side, _LONGEST_SIDE)}" if quote.side else ""


RETRIEVE_EVIDENCE = Tool(
    name="kb.retrieve_evidence",
    title="Find evidence for a question",
    description=(
        "Use when you have a question that the documents may answer: call first.\n"
        "Do not use when the user wants to browse (kb.search), or when you hold passage_ids (kb.extract_evidence).\n"
        "Returns at most max_bytes of verbatim quotes with citations, the best first; fewer where those answer.\n"
        "In also give two or three other phrasings: words, and languages, that the documents may use; the sentence "
        "that would answer. A guessed value may stand in a phrasing, never in your answer.\n"
        "If you need more, or nothing answers, ask again with other terms in also; kb.read_excerpt and "
        "kb.expand_excerpt read on at the passage_id of a quote.\n"
        f"Defaults and caps: max_bytes {USUAL_BYTES}, or {MOST_BYTES} where several answer (given: filled; max 8000), "
        "top_k 5 documents (max 20), max_quotes 12 (max 12), "
        "max_quote_tokens 200 (max 200), include_context_tokens 200 (max 200)."
    ),
    takes=RetrieveEvidenceIn,
    gives=FoundEvidenceOut,
    handle=retrieve_evidence,
)

EXTRACT_EVIDENCE = Tool(
    name="kb.extract_evidence",
    title="Quote from known passages",
    description=(
        "Use when you hold passage_ids of kb.search and want only the sentences in them that answer a question.\n"
        "Do not use when you hold none: call kb.retrieve_evidence.\n"
        "Returns at most max_quotes verbatim quotes with citations, best first.\n"
        "If you need more, call kb.read_excerpt or kb.expand_excerpt.\n"
        "Defaults and caps: passage_ids 1 to 20, max_quotes 6 (max 12), max_quote_tokens 80 (max 200), "
        "include_context_tokens 20 (max 200)."
    ),
    takes=ExtractEvidenceIn,
    gives=EvidenceOut,
    handle=extract_evidence,
)
