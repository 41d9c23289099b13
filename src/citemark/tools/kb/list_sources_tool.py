"""kb.list_sources: the sources, what is in them, and how far each one is indexed."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from citemark.model.citation import iso
from citemark.services.empty import EmptyReason
from citemark.text.escaping import one_line
from citemark.tools.registry import Tool, ToolCall
from citemark.tools.reply import ToolReply
from citemark.tools.schema import Strict
from citemark.tools.schemas_in import Name
from citemark.tools.schemas_out import IsoTime, ResponseMetaOut, count, meta_fields, with_remarks

if TYPE_CHECKING:
    from citemark.services.empty import AskedSource
    from citemark.services.responses import SourceList

_MOST = 100
"""Maximum number of sources on one page."""

_MOST_TAGS = 20
"""Maximum number of tags of a source that does not fit with all of them."""


class ListSourcesIn(Strict):
    """Arguments of kb.list_sources."""

    cursor: Annotated[Name | None, Field(description="next_cursor of the page before.")] = None


class ListedSourceOut(Strict):
    """One source. `waiting` are documents still to be read, `state` says whether all of it can be searched."""

    name: str
    kind: str
    state: Literal["ready"] | EmptyReason
    project_id: str | None
    environment: str | None
    repository: str | None
    tags: list[str]
    languages: dict[str, int]
    documents: int
    waiting: int
    problems: int
    last_complete_scan: IsoTime | None


class ListSourcesOut(ResponseMetaOut):
    """Result of kb.list_sources."""

    sources: list[ListedSourceOut]


async def list_sources(call: ToolCall, asked: ListSourcesIn) -> ToolReply:
    """Return a page of sources, ordered by name, as many as fit."""
    found = await call.services.catalog.list_sources(call.caller, asked.cursor)
    kept = min(len(found.sources), _MOST)
    reply = _reply(found, kept)
    while kept > 1 and not call.fits(reply):
        kept -= max(1, kept // 4)
        reply = _reply(found, kept)
    return reply if call.fits(reply) else _reply(found, kept, _MOST_TAGS)


def _reply(found: "SourceList", kept: int, most_tags: int | None = None) -> ToolReply:
    sources = [_source(source, most_tags) for source in found.sources[:kept]]
    meta = found.meta
    if most_tags is not None:
        note = f"only the first {most_tags} tags are listed"
        meta = replace(meta, partial=True, limit_reason="byte_cap", notes=(*meta.notes, note))
    if kept < len(found.sources):
        reason = "page_size" if kept == _MOST else "byte_cap"
        meta = replace(meta, partial=True, limit_reason=reason, next_cursor=sources[-1].name)
    lines = [_line(source) for source in sources]
    if not lines and meta.empty is not None:
        lines = [meta.empty.text]
    return ToolReply(ListSourcesOut(sources=sources, **meta_fields(meta)), with_remarks(lines, meta))


def _source(asked: "AskedSource", most_tags: int | None) -> ListedSourceOut:
    source, state = asked.source, asked.state
    return ListedSourceOut(
        name=source.name,
        kind=source.kind,
        state=asked.obstacle or "ready",
        project_id=source.project_id,
        environment=source.environment,
        repository=source.repository,
        tags=list(source.tags[:most_tags]),
        languages=dict(state.languages),
        documents=state.documents,
        waiting=state.texts_waiting,
        problems=state.problems,
        last_complete_scan=None if state.last_complete_scan is None else iso(state.last_complete_scan),
    )


def _line(source: ListedSourceOut) -> str:
    languages = ", ".join(f"{number} {language.capitalize()}" for language, number in source.languages.items())
    parts = [count(source.documents, "document") + (f" ({languages})" if languages else "")]
    parts += [source.state.replace("_", " ")] if source.state != "ready" else []
    parts += [f"{source.waiting} waiting"] if source.waiting else []
    parts += [count(source.problems, "problem")] if source.problems else []
    labels = {"project": source.project_id, "environment": source.environment, "repository": source.repository}
    parts += [f"{key} {value}" for key, value in labels.items() if value]
    parts += [f"tags {', '.join(source.tags)}"] if source.tags else []
    scan = f"last complete scan {source.last_complete_scan}" if source.last_complete_scan else "no complete scan yet"
    return one_line(f"- {source.name} ({source.kind}): {'; '.join([*parts, scan])}")


LIST_SOURCES = Tool(
    name="kb.list_sources",
    title="List the sources",
    description=(
        "Use when you want to know what can be searched: sources, their languages, tags and environments, and how far "
        "each is indexed.\n"
        "Do not use when you have a question: kb.retrieve_evidence asks all sources at once.\n"
        "Returns at most 100 sources by name, with counts and the last complete scan.\n"
        "If you need more, call this tool again with next_cursor as cursor.\n"
        "Defaults and caps: 100 a page, result at most 48 KiB."
    ),
    takes=ListSourcesIn,
    gives=ListSourcesOut,
    handle=list_sources,
)
