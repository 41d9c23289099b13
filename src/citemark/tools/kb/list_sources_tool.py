"""kb.list_sources: the sources, what is in them, and how far each one is indexed."""

from dataclasses import replace
from typing import TYPE_CHECKING

from citemark.results.listed_sources import BesideSources, ListSourcesOut, sources_out, sources_text
from citemark.results.shape import Strict
from citemark.services.bundle import LISTED_BASELINES
from citemark.services.graph_counts import GRAPH_COUNTS
from citemark.tools.description_parts import NEXT_PAGE
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schemas_in import Name

if TYPE_CHECKING:
    from citemark.services.responses import SourceList

_MOST = 100
"""Maximum number of sources on one page."""

_MOST_TAGS = 20
"""Maximum number of tags of a source that does not fit with all of them."""


_MOST_BASELINES = 20
"""The latest are named; `citemark baseline list` has all."""


class ListSourcesIn(Strict):
    """Arguments of kb.list_sources."""

    cursor: Name | None = None


async def list_sources(call: ToolCall, asked: ListSourcesIn) -> ToolReply:
    """Return a page of sources, ordered by name, as many as fit."""
    found = await call.services.catalog.list_sources(call.caller, asked.cursor)
    beside = None if asked.cursor else await _beside(call)
    kept = min(len(found.sources), _MOST)
    reply = _reply(found, kept, beside)
    while kept > 1 and not call.fits(reply):
        kept -= max(1, kept // 4)
        reply = _reply(found, kept, beside)
    return reply if call.fits(reply) else _reply(found, kept, beside, _MOST_TAGS)


async def _beside(call: ToolCall) -> BesideSources:
    """What the graph holds, and the latest baselines, the newest first."""
    counted = call.services.optional(GRAPH_COUNTS)
    graph = None if counted is None else await counted.counts(call.caller)
    baselines = await call.services.get(LISTED_BASELINES).list(call.caller)
    latest = baselines[: -_MOST_BASELINES - 1 : -1]
    return BesideSources(graph if graph and graph.nodes else None, latest, len(baselines) - len(latest))


def _reply(found: "SourceList", kept: int, beside: BesideSources | None, most_tags: int | None = None) -> ToolReply:
    meta = found.meta
    if beside is not None and beside.older:
        meta = replace(meta, notes=(*meta.notes, f"{beside.older} older baselines are not listed"))
    if most_tags is not None:
        note = f"only the first {most_tags} tags are listed"
        meta = replace(meta, partial=True, limit_reason="byte_cap", notes=(*meta.notes, note))
    if kept < len(found.sources):
        reason = "page_size" if kept == _MOST else "byte_cap"
        meta = replace(meta, partial=True, limit_reason=reason, next_cursor=found.sources[kept - 1].source.name)
    out = sources_out(found.sources[:kept], meta, most_tags, beside)
    return ToolReply(out, sources_text(out, meta))


LIST_SOURCES = Tool(
    name="kb.list_sources",
    title="List the sources",
    description=(
        "Use when you want to know what can be searched, and how far it is indexed.\n"
        "Do not use when you have a question: kb.retrieve_evidence asks all sources.\n"
        "Returns at most 100 sources: languages, tags, counts, the last scan; the graph; 20 baselines.\n"
        f"{NEXT_PAGE}"
        "Defaults and caps: 100 a page."
    ),
    takes=ListSourcesIn,
    gives=ListSourcesOut,
    handle=list_sources,
    core=True,
)
