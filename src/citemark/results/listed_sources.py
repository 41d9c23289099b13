"""The sources, what is in them, and how far each one is indexed."""

from typing import TYPE_CHECKING, Literal

from citemark.model.citation import iso
from citemark.results.common_parts import IsoTime, ResponseMetaOut, count, meta_fields, with_remarks
from citemark.results.shape import Strict
from citemark.services.empty import EmptyReason
from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.services.empty import AskedSource
    from citemark.services.responses import ResponseMeta


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


def sources_out(sources: "Sequence[AskedSource]", meta: "ResponseMeta", most_tags: int | None = None) -> ListSourcesOut:
    """Sources as a result, each with at most `most_tags` of its tags."""
    return ListSourcesOut(sources=[_source(source, most_tags) for source in sources], **meta_fields(meta))


def sources_text(out: ListSourcesOut, meta: "ResponseMeta") -> str:
    """Sources as text, one on each line, or why there are none."""
    lines = [_line(source) for source in out.sources]
    if not lines and meta.empty is not None:
        lines = [meta.empty.text]
    return with_remarks(lines, meta)


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
