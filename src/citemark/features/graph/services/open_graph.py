"""The graph that one call reads: its allowed sources and state, which nodes may be shown, and how they are shown."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from citemark.evidence.readable import as_read
from citemark.features.graph.services.responses import EdgeCard, NodeCard
from citemark.features.graph.store.graph import GraphStore
from citemark.model.candidates import StoredChunk
from citemark.model.citation import Anchor, Citation, address_of
from citemark.model.scope import ResolvedContext
from citemark.model.sources import AllowedSources
from citemark.model.text import Lines, Span
from citemark.model.walks import Edge, Node, NodeName, NodeRow
from citemark.retrieval.access import Access, Policy
from citemark.retrieval.pipeline import Pipeline
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import age_notes
from citemark.retrieval.verification import AccessCheck
from citemark.retrieval.waiting_time import Deadline
from citemark.services.handles import Handles
from citemark.services.requests import Caller

_SNIPPET_CHARS = 280
"""As long as the preview of a search hit."""


@dataclass(frozen=True, slots=True)
class GraphReaders:
    """Everything needed to read the graph: stores, search, access checks and handles."""

    graph: GraphStore
    search: SearchIndex
    pipeline: Pipeline
    access: AccessCheck
    handles: Handles


@dataclass(slots=True)
class OpenGraph:
    """One call's view of the graph.

    `allowed` are the sources as a walk reads them: without a moment at HEAD, but as of the first page's moment on later
    pages of a list, and `context_notes` what is to be said of that state. `verdicts` are those of the pages checked so
    far; all checks share the `deadline`.
    """

    readers: GraphReaders
    caller: Caller
    allowed: AllowedSources
    context: ResolvedContext
    deadline: Deadline
    context_notes: tuple[str, ...] = ()
    verdicts: dict[tuple[int, int], Access] = field(default_factory=dict[tuple[int, int], Access])
    _rows: dict[Node, NodeRow] = field(default_factory=dict[Node, NodeRow])
    _lines: dict[Edge, Lines] = field(default_factory=dict[Edge, Lines])

    def as_of(self, at: datetime) -> "OpenGraph":
        """The same graph as the first page of a list read it: HEAD moves on, but the list does not."""
        if not self.context.head:
            return self
        return replace(self, allowed=replace(self.allowed, read_at=at), context=replace(self.context, as_of=at))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a result says of the state that was read, and of how documents were checked."""
        return (*self.context_notes, *age_notes(self.deadline.remembered))

    @property
    def withheld(self) -> int:
        """The number of documents that their source could not confirm in time."""
        return sum(verdict is Access.WITHHELD for verdict in self.verdicts.values())

    def id_of(self, node: Node) -> str:
        """The id of a node in requests and responses."""
        source = self.allowed.source(node.source_id)
        return f"{source.name if source else ''}:{node.kind}:{node.name}"

    def name_of(self, node_id: str) -> NodeName | None:
        """The name in a node id; None if it is malformed or names a source that is not allowed."""
        if node_id.startswith(":"):
            kind, _, name = node_id[1:].partition(":")
            return NodeName(0, kind, name) if kind and name else None
        for source in self.allowed.sources:
            for source_name in (source.name, *source.former_names):
                kind, _, name = node_id.removeprefix(f"{source_name}:").partition(":")
                if node_id.startswith(f"{source_name}:") and kind and name:
                    return NodeName(source.source_id, kind, name)
        return None

    async def confirm(self, nodes: Sequence[Node]) -> Collection[Node]:
        """Those of some nodes that a walk may cross; documents on other machines must be confirmed by their source.

        For documents on this machine, the allowed sources alone decide who may read them; whether a document still
        exists is checked only for what is shown (`vouch`).
        """
        remote = {source.source_id for source in self.allowed.sources if self.readers.access.is_remote(source)}
        to_check = [node for node in nodes if node.source_id in remote]
        # Of a page with many sections, one is enough to ask about.
        pages = {(node.source_id, node.page_id): node for node in to_check if node.is_document}
        return await self._shown(nodes, to_check, list(pages.values()))

    async def vouch(self, nodes: Iterable[Node]) -> Collection[Node]:
        """Those of the given nodes that may be shown, because their source still has them."""
        distinct = list(dict.fromkeys(nodes))
        await self.rows(distinct)  # of all of them at once, since what is shown needs more than one of a page
        return await self._shown(distinct, distinct, distinct)

    async def nodes(self, names: Sequence[NodeName]) -> Mapping[NodeName, Node]:
        """The nodes that exist under these names, by name; what is known of them is read with them."""
        nodes, cards = await self.readers.graph.nodes_and_cards(self.allowed, names)
        self._rows.update(cards)
        return nodes

    async def rows(self, nodes: Iterable[Node]) -> Mapping[Node, NodeRow]:
        """What is known of those nodes that are documents; each is read once in a call."""
        rows, _ = await self.read(nodes, ())
        return rows

    async def read(
        self, nodes: Iterable[Node], edges: Iterable[Edge]
    ) -> tuple[Mapping[Node, NodeRow], Mapping[Edge, Lines]]:
        """What is known of those nodes that are documents, and the lines in which edges are stated.

        The lines are of those edges whose statement is still available. Each node and edge is read once in a call, and
        all that are new together.
        """
        new = [node for node in dict.fromkeys(nodes) if node.is_document and node not in self._rows]
        new_edges = [edge for edge in dict.fromkeys(edges) if edge not in self._lines]
        if new or new_edges:
            rows, lines = await self.readers.graph.shown(self.allowed, new, new_edges)
            self._rows.update(rows)
            self._lines.update(lines)
        return self._rows, self._lines

    async def _shown(self, nodes: Sequence[Node], to_check: Sequence[Node], asked: Sequence[Node]) -> Collection[Node]:
        """Those of some nodes that may be shown; `asked` has one or more of each page among those to check."""
        unknown = [node for node in asked if node.is_document and (node.source_id, node.page_id) not in self.verdicts]
        if unknown:
            rows = await self.rows(unknown)
            refs = {
                (node.source_id, int(node.page_id)): (node.source_id, rows[node].ref)
                for node in unknown
                if node in rows
            }
            access = self.readers.access
            principal = self.caller.principal
            policy = Policy.INDEXED if self.context.head else Policy.PAST
            answers = await access.ask(principal, self.allowed, refs.values(), policy, self.deadline)
            for node in unknown:
                page = (node.source_id, int(node.page_id))
                self.verdicts[page] = answers.get(refs[page], Access.WITHHELD) if page in refs else Access.DROPPED
        checked = set(to_check)
        return {
            node
            for node in nodes
            if node not in checked or not node.is_document or self.verdicts[node.source_id, node.page_id].shown
        }

    async def cards(
        self, nodes: Sequence[Node], rows: Mapping[Node, NodeRow], hops: Mapping[Node, int], *, snippets: bool
    ) -> list[NodeCard]:
        """The cards of nodes; with `snippets`, each has the beginning of its text if that may be shown."""
        texts = await self._texts([rows[node] for node in nodes if node in rows]) if snippets else {}
        cards: list[NodeCard] = []
        for node in nodes:
            row = rows.get(node)
            card = NodeCard(
                node, self.id_of(node), node.name if row is None else row.full_title, hops=hops.get(node, 0)
            )
            if row is not None:
                snippet, passage_id = texts.get(row.chunk_id or 0, ("", ""))
                card = replace(card, element_type=row.element_type, snippet=snippet, passage_id=passage_id)
            cards.append(card)
        return cards

    def edges(self, edges: Sequence[Edge], rows: Mapping[Node, NodeRow], lines: Mapping[Edge, Lines]) -> list[EdgeCard]:
        """The cards of edges; an edge whose statement is no longer available is left out."""
        return [
            EdgeCard(
                edge, self.id_of(edge.start), self.id_of(edge.end), self._cite(edge, rows[edge.start], lines[edge])
            )
            for edge in edges
            if edge.start in rows and edge in lines
        ]

    def _cite(self, edge: Edge, row: NodeRow, lines: Lines) -> Citation:
        """The citation of where an edge is stated."""
        source = self.allowed.source(edge.source_id)
        span = Span(edge.start_char, max(edge.start_char, edge.end_char))
        return Citation(
            source=source.name if source else "",
            doc_type=edge.start.kind,
            document_id=edge.start.name,
            revision_id=str(edge.revision_id),
            baseline_id=self.context.baseline_id,
            as_of=self.context.as_of,
            anchor=Anchor(heading=row.slug, lines=lines, chars=span),
            span=span,
            title=row.full_title,
            url=address_of(row.url, row.ref.native_id, row.slug),
        )

    async def _texts(self, rows: Sequence[NodeRow]) -> dict[int, tuple[str, str]]:
        """A snippet and a handle of each chunk whose source confirms its text, by chunk id."""
        chunk_ids = [row.chunk_id for row in rows if row.chunk_id is not None]
        chunks = await self.readers.search.read(self.allowed, chunk_ids)
        allowed = self.allowed if not self.context.head else replace(self.allowed, read_at=None)
        access = await self.readers.pipeline.access(self.caller.principal, allowed, list(chunks.values()))
        shown = [chunk for chunk in chunks.values() if access[chunk.chunk_id].shown]
        handles = await self.readers.handles.offer(self.caller, [(chunk, Span(0, 0)) for chunk in shown], self.context)
        return {chunk.chunk_id: (_snippet(chunk), str(handle)) for chunk, handle in zip(shown, handles, strict=True)}


def _snippet(chunk: StoredChunk) -> str:
    text = " ".join(as_read(chunk.text).split())
    return text if len(text) <= _SNIPPET_CHARS else text[: _SNIPPET_CHARS - 1].rstrip() + "…"
