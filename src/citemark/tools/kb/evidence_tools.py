"""kb.retrieve_evidence and kb.extract_evidence: only the words that answer a question, each with its citation."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from citemark.evidence.budget import MOST_BYTES, USUAL_BYTES, EvidenceLimits, QuoteLimits
from citemark.model.errors import BudgetExceeded
from citemark.results.found_quotes import (
    EvidenceOut,
    FoundEvidenceOut,
    extracted_evidence,
    found_evidence,
    render_evidence,
)
from citemark.results.shape import Strict
from citemark.services.requests import SearchRequest
from citemark.tools.description_parts import IN_SCHEMA
from citemark.tools.kb.quotes_app import QUOTES_APP
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import (
    Also,
    FilteredBy,
    FiltersIn,
    Name,
    Question,
    ReadAt,
    ReadContextIn,
    Scope,
    ScopeIn,
    UpToTwenty,
    Within,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from citemark.services.responses import Evidence


_MOST_QUOTES = 12
_MOST_TOKENS = 200
"""800 bytes: the length up to which a passage is quoted whole."""

MaxQuotes = Annotated[int, Within(1, _MOST_QUOTES)]
QuoteTokens = Annotated[int, Within(1, _MOST_TOKENS)]
ContextTokens = Annotated[int, Within(0, _MOST_TOKENS)]
QuoteBytes = Annotated[int, Within(200, 8_000)]


class RetrieveEvidenceIn(Strict):
    """Arguments of kb.retrieve_evidence."""

    question: Question
    also: Also = ()
    top_k: UpToTwenty = 5
    scope: Scope = Field(default_factory=ScopeIn)
    filters: FilteredBy = Field(default_factory=FiltersIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)
    max_bytes: QuoteBytes = USUAL_BYTES
    # Accepted but not listed: their defaults are their caps.
    max_quotes: SkipJsonSchema[MaxQuotes] = _MOST_QUOTES
    max_quote_tokens: SkipJsonSchema[QuoteTokens] = _MOST_TOKENS
    include_context_tokens: SkipJsonSchema[ContextTokens] = _MOST_TOKENS


class ExtractEvidenceIn(Strict):
    """Arguments of kb.extract_evidence."""

    question: Question
    also: Also = ()
    passage_ids: Annotated[tuple[Name, ...], Field(min_length=1, max_length=20)]
    max_quotes: MaxQuotes = 6
    max_quote_tokens: QuoteTokens = 80
    include_context_tokens: ContextTokens = 20
    scope: Scope = Field(default_factory=ScopeIn)
    read_context: ReadAt = Field(default_factory=ReadContextIn)


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
    return ToolReply(found_evidence(evidence, kept), _text(evidence, kept))


def _extracted(evidence: "Evidence", kept: int) -> ToolReply:
    return ToolReply(extracted_evidence(evidence, kept), _text(evidence, kept))


def _text(evidence: "Evidence", kept: int) -> str:
    return render_evidence(evidence.quotes[:kept], evidence.meta, cut=kept < len(evidence.quotes))


RETRIEVE_EVIDENCE = Tool(
    name="kb.retrieve_evidence",
    title="Find evidence",
    description=(
        "Use when you have a question that the documents may answer: call first.\n"
        "Do not use when the user wants to browse (kb.search), or you hold passage_ids (kb.extract_evidence).\n"
        "Returns at most max_bytes of verbatim quotes with citations, best first. In also give two or three other "
        "phrasings: words, and languages, that the documents may use; a sentence that would answer. A guessed value "
        "may stand there, never in your answer.\n"
        "If you need more, or nothing answers, ask with other terms in also, or read on: kb.read_excerpt.\n"
        f"Defaults and caps: max_bytes {USUAL_BYTES}, or {MOST_BYTES} where several answer (given: filled; max 8000)."
    ),
    takes=RetrieveEvidenceIn,
    gives=FoundEvidenceOut,
    handle=retrieve_evidence,
    core=True,
    app=QUOTES_APP,
)

EXTRACT_EVIDENCE = Tool(
    name="kb.extract_evidence",
    title="Quote passages",
    description=(
        "Use when you hold passage_ids and want only their sentences that answer.\n"
        "Do not use when you hold none: kb.retrieve_evidence.\n"
        "Returns at most max_quotes verbatim quotes with citations.\n"
        "If you need more, call kb.read_excerpt.\n"
        f"{IN_SCHEMA}"
    ),
    takes=ExtractEvidenceIn,
    gives=EvidenceOut,
    handle=extract_evidence,
    app=QUOTES_APP,
)
