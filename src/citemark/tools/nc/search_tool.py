"""nc_semantic_search: the documents of a Nextcloud that answer a question, with an excerpt of each."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from citemark.model.accounts import DOC_TYPES
from citemark.model.errors import BudgetExceeded
from citemark.model.stated_dates import When
from citemark.services.accounts.requests import AccountSearch
from citemark.text.escaping import marked, one_line
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import (
    AccountDocType,
    Also,
    DateFrom,
    DateTo,
    HiddenReadContext,
    Moment,
    Name,
    Question,
    ReadContextIn,
    Within,
)
from citemark.tools.schemas_out import (
    MAX_TITLE_CHARS,
    CitationOut,
    ResponseMetaOut,
    TotalIs,
    cited,
    meta_fields,
    nothing,
    rounded,
    short,
    with_remarks,
)

if TYPE_CHECKING:
    from citemark.services.accounts.responses import AccountHit, AccountHits

_MOST = 50
"""Maximum documents on one page; with the shortest excerpts they stay below the byte cap."""

_EXCERPTS = (500, 250, 100)
"""Lengths in characters for the excerpts; the first one with which all documents fit is used."""

_MAX_VALUE_CHARS = 200
"""Maximum characters of one metadata value; lists of attendees and labels can be long."""


class NcSearchIn(Strict):
    """Arguments of nc_semantic_search."""

    query: Annotated[Question, Field(description="A question or words.")]
    also: Also = ()
    limit: Annotated[int, Within(1, _MOST)] = 10
    cursor: Annotated[Name | None, Field(description="next_cursor of the page before.")] = None
    score_threshold: Annotated[float, Within(0, 1)] = 0.7
    doc_types: list[AccountDocType] = Field(default_factory=list[AccountDocType])
    modified_after: Moment | None = None
    modified_before: Moment | None = None
    path_prefixes: Annotated[list[Name], Field(description="Files and notes whose path begins so: Projects/.")] = Field(
        default_factory=list[Name]
    )
    labels: Annotated[list[Name], Field(description="Any of these labels or tags.")] = Field(default_factory=list[Name])
    date_from: DateFrom = None
    date_to: DateTo = None
    read_context: HiddenReadContext = Field(default_factory=ReadContextIn)

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


class DocumentOut(Strict):
    """One document."""

    id: str
    doc_type: str
    title: str
    category: str
    excerpt: str
    score: float
    url: str | None
    metadata: dict[str, str]
    citation: CitationOut
    passage_id: str
    when: When | None = None
    date: str | None = None


class NcSearchOut(ResponseMetaOut):
    """Result of nc_semantic_search."""

    query: str
    results: list[DocumentOut]
    total_found: int
    total_is: TotalIs
    search_method: Literal["semantic"]
    success: Literal[True]
    confidence: float | None = None


async def search(call: ToolCall, asked: NcSearchIn) -> ToolReply:
    """Return all hits, with shorter excerpts if needed; if they still do not fit, fewer hits and a cursor to more."""
    request = asked.request()
    while True:
        found = await call.services.account_search.find(call.caller, request)
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
    results = [_document(hit, chars) for hit in found.hits]
    out = NcSearchOut(
        query=query,
        results=results,
        total_found=found.total,
        total_is=found.meta.total_is,
        search_method="semantic",
        success=True,
        confidence=rounded(found.meta.confidence),
        **meta_fields(found.meta, cut=cut),
    )
    return ToolReply(out, _text(found, results, cut=cut))


def _document(hit: "AccountHit", chars: int) -> DocumentOut:
    metadata = {
        key: short(value, _MAX_VALUE_CHARS) for key, value in hit.metadata.items() if key != "category" and value
    }
    return DocumentOut(
        id=hit.native_id,
        doc_type=hit.doc_type,
        title=short(hit.title, MAX_TITLE_CHARS),
        category=hit.metadata.get("category", ""),
        excerpt=hit.excerpt(chars),
        score=round(hit.score, 4),
        url=hit.citation.url,
        metadata=metadata,
        citation=cited(hit.citation),
        passage_id=hit.passage_id,
        when=hit.occasion and hit.occasion.when,
        date=hit.occasion and hit.occasion.stated,
    )


def _text(found: "AccountHits", results: list[DocumentOut], *, cut: bool) -> str:
    lines: list[str] = []
    for number, out in enumerate(results, start=1):
        lines += [f"[{number}] {one_line(out.title)} ({out.doc_type}){_in_time(out)}"]
        lines += [one_line(f"{key}: {', '.join(value.splitlines())}") for key, value in out.metadata.items()]
        place = f"{out.citation.source}: {out.doc_type} {out.id}" + (f", {out.url}" if out.url else "")
        lines += [*marked(out.excerpt), f"({one_line(place)}; {out.passage_id})", ""]
    if not results:
        lines.append(nothing(found.meta))
    return with_remarks(lines, found.meta, cut=cut).rstrip()


def _in_time(out: DocumentOut) -> str:
    return f", {out.when}: {out.date}" if out.when else ""


SEMANTIC_SEARCH = Tool(
    name="nc_semantic_search",
    title="Search Nextcloud",
    description=(
        "Use when you want the notes, events, tasks, cards, files or contacts of the user's Nextcloud that speak of "
        "something.\n"
        "Do not use when you look for documentation or an architecture model.\n"
        "Returns at most limit documents with an excerpt, metadata and a citation each, all checked at the server "
        "just now, or seconds ago if a note says so; never whole texts.\n"
        "If you need more, ask with the cursor, a lower score_threshold or a higher limit. With a passage_id, "
        "kb.read_excerpt reads on.\n"
        "Defaults and caps: limit 10 (max 50), score_threshold 0.7 (max 1)."
    ),
    takes=NcSearchIn,
    gives=NcSearchOut,
    handle=search,
)
