"""search_sections and get_section_text: the hits of kb.search, and whole texts, under the names of an older server."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from citemark.evidence.budget import bytes_len, count_tokens, prefix_chars
from citemark.features.graph.services.keys import SECTION_TEXTS
from citemark.features.graph.tools.legacy.shapes import LegacyOut, frame
from citemark.features.graph.tools.schemas import Ids
from citemark.model.errors import BudgetExceeded
from citemark.model.scope import RequestScope
from citemark.results.common_parts import MAX_TITLE_CHARS, CitationOut, cited, nothing, short, with_remarks
from citemark.results.shape import Strict
from citemark.services.empty import Arguments, nothing_known
from citemark.services.requests import SearchRequest
from citemark.text.escaping import marked, one_line
from citemark.tools.registry import ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import FilteredBy, FiltersIn, Name, Question, Within

if TYPE_CHECKING:
    from citemark.features.graph.services.section_texts import SectionText
    from citemark.services.responses import SearchHit

_MOST_HITS = 20
"""The same maximum as for kb.search, whose pipeline is used."""

_LEAST_BYTES = 256


class SearchSectionsIn(Strict):
    """Arguments of search_sections."""

    query: Question
    top_k: Annotated[int, Within(1, _MOST_HITS)] = 20
    filters: FilteredBy = Field(default_factory=FiltersIn)
    cursor: Name | None = None
    page_size: Annotated[int, Within(1, 100)] = 25
    session_id: Name | None = None


class SectionHitOut(Strict):
    """One section that was found."""

    section_id: str
    title: str
    tokens: int
    doc_tag: str
    score: float
    rank: int
    source: str
    fusion_method: str
    passage_id: str
    citation: CitationOut


class SearchSectionsOut(LegacyOut):
    """Result of search_sections."""

    results: list[SectionHitOut]


class SectionTextIn(Strict):
    """Arguments of get_section_text."""

    section_ids: Ids
    max_bytes_per: Annotated[int, Within(1, 32768)] = 8192
    session_id: Name | None = None


class SectionTextRowOut(Strict):
    """The text of one section, or its beginning."""

    section_id: str
    title: str
    text: str
    tokens: int
    truncated: bool
    citation: CitationOut


class SectionTextOut(LegacyOut):
    """Result of get_section_text."""

    results: list[SectionTextRowOut]


async def search_sections(call: ToolCall, asked: SearchSectionsIn) -> ToolReply:
    """Return a page of hits without their texts; where it is too large for a result, a page of fewer hits."""
    size = min(asked.page_size, asked.top_k)
    while True:
        request = SearchRequest(
            query=asked.query,
            top_k=asked.top_k,
            page_size=size,
            cursor=asked.cursor,
            filters=asked.filters.value(),
            min_score=call.settings.min_score,
            arguments=Arguments(also=""),
        )
        page = await call.services.search.find(call.caller, request)
        cut = size < min(asked.page_size, asked.top_k)
        rows = [_hit(hit) for hit in page.hits]
        lines = [
            f"{row.rank}. {one_line(row.title)} ({row.tokens} tokens, score {row.score}) section_id "
            f"{one_line(row.section_id)}, passage_id {row.passage_id}"
            for row in rows
        ]
        text = with_remarks([*(lines or [nothing(page.meta)])], page.meta, cut=cut)
        reply = ToolReply(SearchSectionsOut(results=rows, **frame(page.meta, cut=cut)), text)
        if call.fits(reply):
            return reply
        if size == 1:
            raise BudgetExceeded("Not even one hit fits a result; its document's names are too long.")
        size = max(1, len(page.hits) // 2)


def _hit(hit: "SearchHit") -> SectionHitOut:
    citation = hit.citation
    return SectionHitOut(
        section_id=f"{citation.source}:{citation.doc_type}:{citation.document_id}",
        title=short(hit.title, MAX_TITLE_CHARS),
        tokens=count_tokens(hit.text),
        doc_tag=hit.doc_tag,
        score=round(hit.score, 4),
        rank=hit.rank,
        source=hit.origin,
        fusion_method="calibrated",
        passage_id=hit.passage_id,
        citation=cited(citation),
    )


async def get_section_text(call: ToolCall, asked: SectionTextIn) -> ToolReply:
    """Return the texts of sections, all cut at the same length until they fit a result."""
    found = await call.services.get(SECTION_TEXTS).read(call.caller, asked.section_ids)
    meta = (
        found.meta
        if found.texts
        else await call.services.catalog.explained(call.caller, RequestScope(), found.meta, nothing_known())
    )
    most = asked.max_bytes_per
    while True:
        rows = [_row(text, most) for text in found.texts]
        cut = any(row.truncated for row in rows)
        lines: list[str] = []
        for row in rows:
            lines += ["", f"{one_line(row.title)} (section_id {one_line(row.section_id)})", *marked(row.text)]
        lines += [f"Not found: {one_line(unknown[:MAX_TITLE_CHARS])}" for unknown in found.unknown]
        lines += [] if rows else [nothing(meta)]
        text = with_remarks(lines, meta, cut=cut)
        unknown = tuple(short(section_id, MAX_TITLE_CHARS) for section_id in found.unknown)
        reply = ToolReply(SectionTextOut(results=rows, **frame(meta, unknown, cut=cut)), text)
        if call.fits(reply):
            return reply
        if most <= _LEAST_BYTES:
            raise BudgetExceeded("So many sections do not fit a result; ask for fewer.")
        most = max(_LEAST_BYTES, most // 2)


def _row(text: "SectionText", most: int) -> SectionTextRowOut:
    truncated = bytes_len(text.text) > most
    shown_text = text.text[: prefix_chars(text.text, most)] if truncated else text.text
    return SectionTextRowOut(
        section_id=text.node_id,
        title=short(text.title, MAX_TITLE_CHARS),
        text=shown_text,
        tokens=count_tokens(shown_text),
        truncated=truncated,
        citation=cited(text.citation),
    )
