"""Messages for unknown ids and types: the same whether they do not exist or belong to another person."""

import re
from collections.abc import Sequence

from citemark.features.graph.services.open_graph import OpenGraph
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.scope import RequestScope
from citemark.services.empty import nothing_to_walk
from citemark.services.scoping import Scoping, nearest

_WORD = re.compile(r"\w{3,}")
_MOST_WORDS = 4
_LOOKED_AT = 500
"""The number of nodes from which the nearest are chosen."""

_SUGGESTED = 5
_SHOWN = 120
"""The most characters of an id that a message shows."""


async def no_graph(scoping: Scoping, opened: OpenGraph, scope: RequestScope) -> BackendUnavailable:
    """The error for a scope without any node: it gives the reason that a search in the scope gives."""
    nothing = nothing_to_walk(documents=opened.allowed.chunks > 0)
    why = await scoping.explain_absence(opened.allowed, nothing, scope=scope)
    return BackendUnavailable(
        f"No graph is built for this scope, for the reason that kb_search gives too: {why.text}",
        empty_reason=why.reason,
    )


async def unknown_nodes(opened: OpenGraph, node_ids: Sequence[str]) -> InvalidArgument:
    """The error for ids that none of the caller's nodes has."""
    first = node_ids[0]
    near = await _near(opened, first)
    hint = f" Near it: {', '.join(near)}." if near else ""
    return InvalidArgument(
        f"There is no node {first[:_SHOWN]!r}{opened.allowed.reading.so_far}.{hint} "
        "Ids are source:kind:name as the graph tools return them, or a passage_id of a search.",
        unknown=[each[:_SHOWN] for each in node_ids[:_SUGGESTED]],
        nearest=near,
    )


async def _near(opened: OpenGraph, node_id: str) -> list[str]:
    """Ids of the caller's nodes that resemble an id that does not exist."""
    graph = opened.readers.graph
    kind = node_id[1:].partition(":")[0] if node_id.startswith(":") else ""
    words = sorted(set(_WORD.findall(node_id.rpartition(":")[2].lower())), key=len, reverse=True)[:_MOST_WORDS]
    if not words:
        return []
    if kind:
        # Only names that documents on this machine use are suggested: no remote source is asked about others here.
        ids = {source.source_id for source in opened.allowed.sources if not opened.readers.access.is_remote(source)}
        names = await graph.near_entities(opened.allowed.among(ids), kind, words, _LOOKED_AT)
        return nearest(node_id, [f":{name.kind}:{name.name}" for name in names], _SUGGESTED)
    nodes = await graph.near_documents(opened.allowed, words, _LOOKED_AT)
    nodes_by_id = {opened.id_of(node): node for node in nodes}
    chosen = [nodes_by_id[each] for each in nearest(node_id, nodes_by_id, 2 * _SUGGESTED) if each in nodes_by_id]
    shown = await opened.vouch(chosen)
    return [opened.id_of(node) for node in chosen if node in shown][:_SUGGESTED]


async def kinds_named(opened: OpenGraph, wanted: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Kinds of nodes in their proper spelling, whatever the letter case of the request.

    Raises:
        InvalidArgument: a kind does not exist, in general or among what the caller may see; the existing are listed.
    """
    spellings = {name.lower(): name for name in known}
    if any(kind.lower() not in spellings for kind in wanted):
        existing, _ = await opened.readers.graph.counts(opened.allowed)
        spellings |= {name.lower(): name for name in existing}
        unknown = [kind for kind in wanted if kind.lower() not in spellings]
        if unknown:
            there = ", ".join(sorted(existing))
            raise InvalidArgument(
                f"/kinds: there are no nodes of kind {unknown[0][:_SHOWN]!r}. There are: {there}.",
                unknown=[kind[:_SHOWN] for kind in unknown[:_SUGGESTED]],
                known=sorted(existing),
            )
    return tuple(dict.fromkeys(spellings[kind.lower()] for kind in wanted))


async def types_named(opened: OpenGraph, wanted: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    """Types of edges in their proper spelling, whatever the letter case of the request.

    Raises:
        InvalidArgument: a type does not exist, in general or among what the caller may see; the nearest are listed.
    """
    spellings = {name.lower(): name for name in known}
    if any(type_.lower() not in spellings for type_ in wanted):
        _, edges = await opened.readers.graph.counts(opened.allowed)
        visible_types = sorted(edges)
        spellings |= {name.lower(): name for name in visible_types}
        unknown = [type_ for type_ in wanted if type_.lower() not in spellings]
        if unknown:
            near = nearest(unknown[0], visible_types, _SUGGESTED)
            hint = f"Near it: {', '.join(near)}." if near else f"There are: {', '.join(visible_types) or 'none'}."
            raise InvalidArgument(
                f"/rel_types: there is no type of edges {unknown[0][:_SHOWN]!r}. {hint}",
                unknown=[type_[:_SHOWN] for type_ in unknown[:_SUGGESTED]],
                nearest=near,
            )
    return tuple(dict.fromkeys(spellings[type_.lower()] for type_ in wanted))
