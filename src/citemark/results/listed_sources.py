"""The sources, what is in them, and how far each one is indexed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from citemark.model.citation import iso
from citemark.results.common_parts import IsoTime, ResponseMetaOut, count, meta_fields, with_remarks
from citemark.results.shape import Strict
from citemark.services.empty import EmptyReason
from citemark.text.escaping import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from citemark.services.empty import AskedSource
    from citemark.services.graph_counts import GraphCounts
    from citemark.services.listed_baselines import ShownBaseline
    from citemark.services.responses import ResponseMeta


class ListedSourceOut(Strict):
    """One source. `waiting` are documents still to be read, `state` says whether all of it can be searched.

    `about` is what the owner of the index wrote about it, if anything.
    """

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
    about: str | None = None


class GraphCountsOut(Strict):
    """Numbers of nodes by their kinds, and of edges by their types."""

    nodes: dict[str, int]
    edges: dict[str, int]


class NamedStateOut(Strict):
    """A baseline: a past state with a name, of these sources."""

    name: str
    as_of: IsoTime
    sources: list[str]


class ListSourcesOut(ResponseMetaOut):
    """Result of kb.list_sources; the first page also says what the graph holds and which states have names."""

    sources: list[ListedSourceOut]
    graph: GraphCountsOut | None = None
    baselines: list[NamedStateOut] = Field(default_factory=list[NamedStateOut])


@dataclass(frozen=True, slots=True)
class BesideSources:
    """What is told beside the sources: the size of their graph, if there is any, and the latest named states.

    `older` counts the named states that are left out.
    """

    graph: "GraphCounts | None" = None
    baselines: "Sequence[ShownBaseline]" = ()
    older: int = 0


def sources_out(
    sources: "Sequence[AskedSource]",
    meta: "ResponseMeta",
    most_tags: int | None = None,
    beside: BesideSources | None = None,
) -> ListSourcesOut:
    """Sources as a result, each with at most `most_tags` of its tags."""
    told: dict[str, Any] = {}
    if beside is not None and beside.graph is not None:
        told["graph"] = GraphCountsOut(nodes=dict(beside.graph.nodes), edges=dict(beside.graph.edges))
    if beside is not None and beside.baselines:
        told["baselines"] = [_baseline(each) for each in beside.baselines]
    return ListSourcesOut(sources=[_source(source, most_tags) for source in sources], **told, **meta_fields(meta))


def sources_text(out: ListSourcesOut, meta: "ResponseMeta") -> str:
    """Sources as text, one on each line, or why there are none."""
    lines = [line for source in out.sources for line in _lines(source)]
    if not lines and meta.empty is not None:
        lines = [meta.empty.text]
    if out.graph is not None:
        lines += [f"Graph: {_counted(out.graph.nodes)}; edges: {_counted(out.graph.edges)}"]
    lines += [
        one_line(f"Baseline {each.name}: as of {each.as_of}, of {', '.join(each.sources)}") for each in out.baselines
    ]
    return with_remarks(lines, meta)


def _counted(numbers: dict[str, int]) -> str:
    return one_line(", ".join(f"{number} {name}" for name, number in sorted(numbers.items())) or "none")


def _baseline(shown: "ShownBaseline") -> NamedStateOut:
    sources = [of.source.name for of in shown.sources]
    return NamedStateOut(name=shown.baseline.name, as_of=iso(shown.as_of), sources=sources)


def _source(asked: "AskedSource", most_tags: int | None) -> ListedSourceOut:
    source, state = asked.source, asked.state
    labels = source.labels.first(most_tags).data()
    if not labels["about"]:
        del labels["about"]
    return ListedSourceOut(
        name=source.name,
        kind=source.kind,
        state=asked.obstacle or "ready",
        **labels,
        languages=dict(state.languages),
        documents=state.documents,
        waiting=state.texts_waiting,
        problems=state.problems,
        last_complete_scan=None if state.last_complete_scan is None else iso(state.last_complete_scan),
    )


def _lines(source: ListedSourceOut) -> list[str]:
    """A source on a line, and what its owner says of it on another."""
    return [_line(source), *([one_line(f"  the owner of this index says: {source.about}")] if source.about else [])]


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
