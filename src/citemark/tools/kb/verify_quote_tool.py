"""kb.verify_quote: does this citation still hold, word for word?"""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from citemark.model.errors import BudgetExceeded
from citemark.results.shape import Strict
from citemark.results.verdicts import VerifyQuoteOut, render_verification, verification_out
from citemark.services.requests import CitationRef
from citemark.text.hidden import meant_name
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import MAX_QUESTION_CHARS, Moment, Name, Quotation, Within


def _long(text: str) -> str:
    if len(text) > MAX_QUESTION_CHARS:
        raise PydanticCustomError("length", "must have at most {high} characters", {"high": MAX_QUESTION_CHARS})
    return meant_name(text)


Offset = Annotated[int, Within(0, 2**31 - 1)]
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
    """A citation as a result gave it; only source and document_id are needed. What is not used is not listed."""

    source: Name
    document_id: LongText
    doc_type: Name | None = None
    revision_id: Name | None = None
    span: SpanIn | None = None
    baseline_id: SkipJsonSchema[Name | None] = None
    as_of: SkipJsonSchema[Moment | None] = None
    anchor: SkipJsonSchema[AnchorIn | None] = None
    title: SkipJsonSchema[LongText | None] = None
    url: SkipJsonSchema[LongText | None] = None
    dated: SkipJsonSchema[Name | None] = None
    section_id: SkipJsonSchema[LongText | None] = None
    doc_tag: SkipJsonSchema[Name | None] = None
    uri: SkipJsonSchema[Name | None] = None


class VerifyQuoteIn(Strict):
    """Arguments of kb.verify_quote."""

    citation: Annotated[CitationIn, Field(description="The citation of a hit, excerpt or quote, whole.")]
    quote: Annotated[Quotation, Field(description="The words as you quoted them.")]


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
        "Use when you are about to repeat a quotation from earlier, or a user asks whether it still stands.\n"
        "Do not use when you want to find something: call kb.retrieve_evidence.\n"
        "Returns at most one verdict: exact (as cited), moved (the same words elsewhere: found_at), changed (similar "
        "words: found_at; difference) or gone (reason; found_at: where they stood); cited_revision "
        "says whether the cited revision is present.\n"
        "If you need more, call kb.search for the document's present text.\n"
        "Defaults and caps: quote at most 4000 characters."
    ),
    takes=VerifyQuoteIn,
    gives=VerifyQuoteOut,
    handle=verify_quote,
)
