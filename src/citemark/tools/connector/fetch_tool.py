"""fetch: the document that an id cites, or as much of it as a result holds, and the ids of the rest."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from citemark.evidence.budget import BYTES_PER_TOKEN, bytes_len
from citemark.model.errors import BudgetExceeded
from citemark.results.connector_shapes import FetchOut, fetch_out
from citemark.results.shape import Strict
from citemark.services.printed_citations import ref_of
from citemark.services.requests import MAX_QUESTION_CHARS
from citemark.text.hidden import meant_name
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply

_MOST_TOKENS = 2000
"""8 KB of a document: most pages are whole, and both channels together stay far below the cap of a result."""


def _id(text: str) -> str:
    if len(text) > MAX_QUESTION_CHARS:
        raise PydanticCustomError("length", "must have at most {high} characters", {"high": MAX_QUESTION_CHARS})
    return meant_name(text)


class FetchIn(Strict):
    """Arguments of fetch."""

    id: Annotated[str, AfterValidator(_id), Field(description="Of a hit of search, or next_id to read on.")]


async def fetch(call: ToolCall, asked: FetchIn) -> ToolReply:
    """Return the whole document if it fits, or else what follows from the cited place on."""
    from citemark.evidence.excerpt import read  # noqa: PLC0415 - the lists of a server show no document

    reopening = call.services.reopening
    document = await reopening.document(call.caller, await ref_of(reopening, call.caller, asked.id))
    whole = bytes_len(document.body) <= _MOST_TOKENS * BYTES_PER_TOKEN
    start, tokens = 0 if whole else document.citation.span.start, _MOST_TOKENS
    while tokens:
        cut = read(document.body, start, tokens)
        reply = ToolReply.as_json(fetch_out(asked.id, document, cut, call.settings.http_resource))
        if call.fits(reply):
            return reply
        start, tokens = document.citation.span.start, tokens // 2
    raise BudgetExceeded("Not even a short part of this document fits a result.")


FETCH = Tool(
    name="fetch",
    title="Read a document",
    description=(
        "Use when search returned an id, and its document is to be read.\n"
        "Do not use when you have a passage_id. kb.read_excerpt reads it.\n"
        "Returns at most 8 KB of text: the document, or from the cited place on, as it was at the cited revision, with "
        "url and metadata.\n"
        "If you need more, call again with metadata.next_id.\n"
        "Defaults and caps: none to set. The citation of what was read is metadata.citation."
    ),
    takes=FetchIn,
    gives=FetchOut,
    handle=fetch,
    on_demand=True,
)
