"""search: hits of a question as ids, titles and addresses."""

from dataclasses import replace

from citemark.model.errors import BudgetExceeded
from citemark.results.connector_shapes import ConnectorSearchOut, connector_search_out
from citemark.results.shape import Strict
from citemark.services.empty import Arguments
from citemark.services.requests import SearchRequest
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Question

_HITS = 10
"""A program fetches what it finds: more hits than for a model that reads previews, fewer than it would have to skip."""


class ConnectorSearchIn(Strict):
    """Arguments of search."""

    query: Question


async def connector_search(call: ToolCall, asked: ConnectorSearchIn) -> ToolReply:
    """Return the best hits of a question, fewer if so many do not fit a result."""
    request = SearchRequest(
        query=asked.query,
        top_k=_HITS,
        page_size=_HITS,
        min_score=call.settings.min_score,
        arguments=Arguments(also=""),
    )
    page = await call.services.search.find(call.caller, request)
    for most in range(len(page.hits), -1, -1):
        out = connector_search_out(replace(page, hits=page.hits[:most]), call.settings.http_resource)
        reply = ToolReply.as_json(out)
        if call.fits(reply) and (most or not page.hits):
            return reply
    raise BudgetExceeded("Not even one hit fits a result; its document's names are too long.")


CONNECTOR_SEARCH = Tool(
    name="search",
    title="Search",
    description=(
        "Use when a connector or deep research looks for documents on a question.\n"
        "Do not use when other tools are at hand. kb.retrieve_evidence returns the words that answer.\n"
        f"Returns at most {_HITS} hits, each with id, title and url; notes say why there are none, or what may lack.\n"
        "If you need more, ask again in the documents' own words.\n"
        "Defaults and caps: none to set. An id is a citation, and stays valid."
    ),
    takes=ConnectorSearchIn,
    gives=ConnectorSearchOut,
    handle=connector_search,
    on_demand=True,
)
