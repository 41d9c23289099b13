"""nc_semantic_search: the documents of a Nextcloud that answer a question, with an excerpt of each."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.features.nextcloud.results.account_hits import NcSearchOut, account_hits_out, account_hits_text
from citemark.features.nextcloud.services.keys import ACCOUNT_SEARCH
from citemark.features.nextcloud.services.requests import AccountSearch
from citemark.model.accounts import DOC_TYPES
from citemark.model.errors import BudgetExceeded
from citemark.results.shape import Strict
from citemark.tools.description_parts import IN_SCHEMA
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import (
    AccountDocType,
    Also,
    DateFrom,
    DateTo,
    Moment,
    Name,
    Question,
    ReadAt,
    ReadContextIn,
    Within,
)

if TYPE_CHECKING:
    from citemark.features.nextcloud.services.responses import AccountHits

_MOST = 50
"""Maximum documents on one page; with the shortest excerpts they stay below the byte cap."""

_EXCERPTS = (500, 250, 100)
"""Lengths in characters for the excerpts; the first one with which all documents fit is used."""


class NcSearchIn(Strict):
    """Arguments of nc_semantic_search."""

    query: Question
    also: Also = ()
    limit: Annotated[int, Within(1, _MOST)] = 10
    cursor: Name | None = None
    score_threshold: Annotated[float, Within(0, 1)] = 0.7
    doc_types: list[AccountDocType] = Field(default_factory=list[AccountDocType])
    modified_after: Moment | None = None
    modified_before: Moment | None = None
    path_prefixes: Annotated[list[Name], Field(description="Projects/")] = Field(default_factory=list[Name])
    labels: list[Name] = Field(default_factory=list[Name])
    date_from: DateFrom = None
    date_to: DateTo = None
    read_context: ReadAt = Field(default_factory=ReadContextIn)

    def request(self) -> AccountSearch:
        """Convert to the type that the services take."""
        return AccountSearch(
            query=self.query,
            also=self.also,
            limit=self.limit,
            min_score=self.score_threshold,
            doc_types=tuple(self.doc_types) or DOC_TYPES,
            modified_after=self.modified_after,
            modified_before=self.modified_before,
            path_prefixes=tuple(self.path_prefixes),
            labels=tuple(self.labels),
            date_from=self.date_from,
            date_to=self.date_to,
            read_context=self.read_context.value(),
            cursor=self.cursor,
        )


async def search(call: ToolCall, asked: NcSearchIn) -> ToolReply:
    """Return all hits, with shorter excerpts if needed; if they still do not fit, fewer hits and a cursor to more."""
    request = asked.request()
    while True:
        found = await call.services.get(ACCOUNT_SEARCH).find(call.caller, request)
        cut = request.limit < asked.limit
        for chars in _EXCERPTS:
            reply = _reply(asked.query, found, chars, cut=cut)
            if call.fits(reply):
                return reply
        fewer = (replace(found, hits=found.hits[:kept]) for kept in range(len(found.hits) - 1, 0, -1))
        fitting = next((page for page in fewer if call.fits(_reply(asked.query, page, _EXCERPTS[-1], cut=True))), None)
        if fitting is None:
            raise BudgetExceeded("Not even one document fits a result; its names are too long.")
        request = replace(request, limit=len(fitting.hits))


def _reply(query: str, found: "AccountHits", chars: int, *, cut: bool) -> ToolReply:
    out = account_hits_out(query, found, chars, cut=cut)
    return ToolReply(out, account_hits_text(out, found.meta, cut=cut))


SEMANTIC_SEARCH = Tool(
    name="nc_semantic_search",
    title="Search Nextcloud",
    description=(
        "Use when you want notes, events, tasks, cards, files or contacts of the user's Nextcloud.\n"
        "Do not use when you look for documentation or an architecture model.\n"
        "Returns at most limit documents, each with an excerpt and a citation, checked at the server just now (a note "
        "says if seconds ago).\n"
        "If you need more, pass next_cursor or a lower score_threshold; kb.read_excerpt reads on.\n"
        f"{IN_SCHEMA}"
    ),
    takes=NcSearchIn,
    gives=NcSearchOut,
    handle=search,
    core=True,
)
