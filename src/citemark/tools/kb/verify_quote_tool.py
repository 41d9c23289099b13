"""kb.verify_quote: does this citation still hold, word for word?"""

from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from citemark.model.errors import BudgetExceeded
from citemark.results.shape import Strict
from citemark.results.verdicts import VerifyQuoteOut, render_verification, verification_out
from citemark.services.requests import CitationRef
from citemark.text.hidden import meant_name
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import LAST_CHAR, MAX_QUESTION_CHARS, Moment, Name, Quotation, Within, in_words


def _long(text: str) -> str:
    if len(text) > MAX_QUESTION_CHARS:
        raise PydanticCustomError("length", "must have at most {high} characters", {"high": MAX_QUESTION_CHARS})
    return meant_name(text)


Offset = Annotated[int, Within(0, LAST_CHAR)]
LongText = Annotated[str, AfterValidator(_long)]


class SpanIn(Strict):
    """From a first to a last place."""

    start: Offset
    end: Offset


class AnchorIn(Strict):
    """As in the citation of a result."""

    heading: LongText | None = None
    lines: SpanIn | None = None
    chars: SpanIn | None = None


class CitationIn(Strict):
    """A citation as a result gave it; only source and document_id are needed."""

    source: Name
    document_id: LongText
    doc_type: Name | None = None
    revision_id: Name | None = None
    span: SpanIn | None = None
    baseline_id: Name | None = None
    as_of: Moment | None = None
    anchor: AnchorIn | None = None
    title: LongText | None = None
    url: LongText | None = None
    dated: Name | None = None
    section_id: LongText | None = None
    doc_tag: Name | None = None
    uri: Name | None = None


class VerifyQuoteIn(Strict):
    """Arguments of kb.verify_quote."""

    citation: Annotated[
        CitationIn, in_words("As a result gave it: source, document_id, revision_id, span {start, end} ...")
    ]
    quote: Quotation


async def verify_quote(call: ToolCall, asked: VerifyQuoteIn) -> ToolReply:
    """Look up the quoted words where they were cited."""
    citation = asked.citation
    span = citation.span or (citation.anchor.chars if citation.anchor else None)
    ref = CitationRef(
        source=citation.source,
        document_id=citation.document_id,
        revision_id=citation.revision_id,
        start_char=span.start if span else None,
        end_char=span.end if span else None,
        doc_type=citation.doc_type,
    )
    found = await call.services.quotes.verify(call.caller, ref, asked.quote)
    reply = ToolReply(verification_out(found), render_verification(found))
    if not call.fits(reply):
        raise BudgetExceeded("The citation of the place where the words are now does not fit a result.")
    return reply


VERIFY_QUOTE = Tool(
    name="kb.verify_quote",
    title="Check a quotation",
    description=(
        "Use when you repeat an earlier quotation, or are asked whether it still stands.\n"
        "Do not use when you want to find something: kb.retrieve_evidence.\n"
        "Returns at most one verdict: exact, moved (found_at), changed (found_at, difference) or gone (reason).\n"
        "If you need more, call kb.search.\n"
        "Defaults and caps: quote of 4000 characters."
    ),
    takes=VerifyQuoteIn,
    gives=VerifyQuoteOut,
    handle=verify_quote,
    core=True,
)
