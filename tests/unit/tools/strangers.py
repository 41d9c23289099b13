"""Results of every tool whose texts, titles, names and values a stranger has chosen."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import cast

from tests.support.answering_services import put_answers
from tests.unit.answering.papers import document
from tests.unit.tools.double import NOW, DoubleServices

from citemark.answering.checking import check
from citemark.evidence.budget import Usage
from citemark.evidence.changed_places import ChangedPlace, PlaceSide
from citemark.features.archimate.compared_pages import ComparedPages
from citemark.features.archimate.services.keys import ELEMENT_SEARCH, MODEL_CONTEXT, MODEL_LISTING
from citemark.features.archimate.services.model_diff import ElementChange, LinkChange, ModelChanges, ModelDiffService
from citemark.features.archimate.services.responses import (
    Context,
    ElementHit,
    ElementPage,
    HitPage,
    LinkCard,
    LinkPage,
    Packed,
    PartCard,
    PartPage,
    ViewPage,
)
from citemark.features.archimate.tools import ARCHITECTURE_TOOLS, BASELINE_TOOLS
from citemark.features.graph.services.impact import Dependent, Impact, ImpactMention
from citemark.features.graph.services.keys import EXPLORATION, IMPACT
from citemark.features.graph.services.responses import EdgeCard, GraphSummary, NodeCard, NodePage, PathCard, PathPage
from citemark.features.graph.tools import GRAPH_TOOLS
from citemark.features.nextcloud.services.keys import ACCOUNT_SEARCH
from citemark.features.nextcloud.services.responses import AccountHit, AccountHits
from citemark.features.nextcloud.tools import NC_TOOLS
from citemark.model.architecture import StoredEnd, StoredLink, StoredPart
from citemark.model.baselines import Baseline, BaselineSource
from citemark.model.changes import ChangeCounts, ChangedDocument, ChangedLink, StateOfDocument
from citemark.model.citation import Anchor, Citation
from citemark.model.ids import ChunkId, DocumentId, NativeId, PassageId, RevisionId, SourceId, Version
from citemark.model.layouts import Layout
from citemark.model.scope import ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Lines, Span
from citemark.model.walks import Edge, Node
from citemark.results.compared_models import COMPARED_MODELS
from citemark.services.answer_requests import Answered
from citemark.services.answers import AnswerService
from citemark.services.bundle import LISTED_BASELINES
from citemark.services.document_diff import DocumentChange, DocumentChanges
from citemark.services.history_keys import DOCUMENT_DIFF
from citemark.services.listed_baselines import BaselinePage, ShownBaseline, SourceOfBaseline
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.services.state_pairs import StatePair
from citemark.settings import Settings
from citemark.tools.answer_tools import KB_ANSWER, NC_ANSWER
from citemark.tools.kb import KB_TOOLS
from citemark.tools.kb.diff_tool import DIFF
from citemark.tools.registry import Tool, ToolCall

TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        *(*KB_TOOLS, DIFF, KB_ANSWER, *NC_TOOLS, NC_ANSWER),
        *(*ARCHITECTURE_TOOLS, *BASELINE_TOOLS, *GRAPH_TOOLS),
    )
}
SETTINGS = Settings()
"""Made once: to read the environment costs more than most calls."""


@dataclass(frozen=True)
class Stranger:
    """What somebody may have written into a document, and into the names around it."""

    text: str
    name: str

    def citation(self) -> Citation:
        span = Span(0, len(self.text))
        return Citation(self.name, "note", self.name, "7", None, NOW, Anchor(self.name), span, self.name, self.name)

    def part(self) -> StoredPart:
        said = {"element_type": self.name, "layer": self.name}
        return StoredPart(SourceId(1), ChunkId(1), RevisionId(1), NativeId(self.name), self.name, said)

    def card(self) -> PartCard:
        return PartCard(self.part(), self.citation())

    def link(self) -> LinkCard:
        ends = StoredEnd(NativeId(self.name), self.name, self.name), StoredEnd(NativeId(self.name))
        said = {"name": self.name, "access": self.name}
        return LinkCard(
            StoredLink(SourceId(1), NativeId(self.name), self.name, *ends, said, Span(0, 1)), self.citation()
        )

    def meta(self) -> ResponseMeta:
        notes = (f"The source {self.name} was asked.",)
        return ResponseMeta(Caller.local().session_id, ResolvedContext(NOW), False, "none", None, 0, Usage(0, 0), notes)


class _Models:
    """The use cases of models, each with one answer."""

    def __init__(self, stranger: Stranger) -> None:
        self._it = stranger

    async def page(self, *_: object) -> HitPage:
        it = self._it
        hit = ElementHit(it.part(), it.citation(), PassageId("p" * 22), 0.9, it.text, it.text, (it.name,))
        return HitPage((hit, replace(hit, by_name=True)), (1, 2), 0, (), False, it.meta())

    async def parts(self, *_: object) -> PartPage:
        return PartPage((self._it.card(), self._it.card()), 2, None, self._it.meta())

    async def links(self, *_: object) -> LinkPage:
        return LinkPage((self._it.link(), self._it.link()), None, self._it.meta(), self._it.card())

    async def element(self, *_: object, relationships: bool) -> ElementPage:
        it, _shown = self._it, relationships
        return ElementPage(it.card(), it.text, (it.link(),), False, (it.card(),), it.meta())

    async def view(self, *_: object) -> ViewPage:
        it = self._it
        return ViewPage(it.card(), it.text, Layout((), ()), (it.card(),), (it.link(),), (1, 2), 2, 2, it.meta())

    async def pack(self, *_: object) -> Context:
        it = self._it
        piece = Packed(it.part(), it.citation(), 0.9, it.text, 1)
        return Context((piece, piece), 0, it.meta(), counted_all=True)

    async def cursor(self, *_: object) -> None:
        return None


class _Accounts:
    """The use cases of accounts, with two hits."""

    def __init__(self, stranger: Stranger) -> None:
        self._it = stranger

    async def find(self, *_: object) -> AccountHits:
        it = self._it
        said = {"Location": it.text, "category": it.name}
        hit = AccountHit(NativeId(it.name), "note", it.name, it.text, (), 0.9, said, it.citation(), PassageId("A" * 22))
        return AccountHits((hit, hit), it.meta(), 2)


class _Past:
    """The use cases of the past, each with one of every change."""

    def __init__(self, stranger: Stranger) -> None:
        self._it = stranger
        state = ResolvedContext(NOW, stranger.name, NOW)
        self._pair = StatePair(state, state, AllowedSources((), 0, 0))
        side = PlaceSide(stranger.text, Span(0, len(stranger.text)), Lines(1, 1))
        self._places = (ChangedPlace(side, side),)

    def _row(self) -> ChangedDocument:
        it = self._it
        state = StateOfDocument(RevisionId(7), NativeId(it.name), Version("1"), it.name, it.name)
        return ChangedDocument(SourceId(1), "note", NativeId(it.name), "changed", state, state)

    async def documents(self, *_: object) -> DocumentChanges:
        it = self._it
        change = DocumentChange(self._row(), it.citation(), it.citation(), self._places, 1)
        return DocumentChanges(self._pair, (change,), ChangeCounts(changed=1), None, it.meta())

    async def models(self, *_: object) -> ModelChanges:
        it = self._it
        element = ElementChange(self._row(), it.card(), it.card(), self._places, 1)
        link = LinkChange(ChangedLink(SourceId(1), NativeId(it.name), "changed"), it.link(), it.link())
        counts = ChangeCounts(changed=1)
        return ModelChanges(self._pair, (element,), (link,), counts, counts, None, it.meta())

    async def page(self, *_: object) -> BaselinePage:
        it = self._it
        source = SourceOfBaseline(Source(SourceId(1), "local", it.name, "archimate"), None)
        baseline = Baseline(it.name, NOW, NOW, (BaselineSource(SourceId(1)),))
        return BaselinePage((ShownBaseline(baseline, (source,)),), it.meta())

    async def cursor(self, *_: object) -> None:
        return None


class _Graph:
    """The use cases of the graph, with one edge between two nodes."""

    def __init__(self, stranger: Stranger) -> None:
        self._it = stranger
        nodes = [Node(1, stranger.name, f"{stranger.name}{number}", DocumentId(number)) for number in (1, 2)]
        self._nodes = tuple(
            NodeCard(node, f"{stranger.name}:{node.name}", stranger.name, stranger.name, hops, stranger.text, "p" * 22)
            for hops, node in enumerate(nodes)
        )
        edge = Edge(stranger.name, nodes[0], nodes[1], 1, 1, 1, 7, 0, 1, stranger.name)
        self._edge = EdgeCard(edge, self._nodes[0].node_id, self._nodes[1].node_id, stranger.citation())

    async def nodes(self, *_: object) -> NodePage:
        return NodePage(self._nodes, (self._edge,), (0, 1), None, 2, self._it.meta(), SourceId(1))

    async def paths(self, *_: object) -> PathPage:
        nodes = {card.node: card for card in self._nodes}
        return PathPage((PathCard(tuple(nodes), (self._edge,)),), nodes, (0,), None, 1, self._it.meta(), SourceId(1))

    async def of(self, *_: object) -> Impact:
        changed, other = self._nodes
        dependent, mention = Dependent(other, (self._edge,)), ImpactMention(other, self._edge, changed)
        return Impact(changed, (dependent,), (mention,), self._it.meta())

    async def describe(self, *_: object) -> GraphSummary:
        name = self._it.name
        return GraphSummary((name,), {name: 1}, {name: 1}, self._it.meta())

    async def cursor(self, *_: object) -> None:
        return None


class _StrangersServices(DoubleServices):
    """Every use case, with a stranger's words in each answer."""

    def __init__(self, stranger: Stranger) -> None:
        super().__init__(
            (stranger.text, stranger.text),
            stranger.name,
            stranger.name,
            others={
                **dict.fromkeys((ELEMENT_SEARCH, MODEL_CONTEXT, MODEL_LISTING), _Models(stranger)),
                **dict.fromkeys((DOCUMENT_DIFF, LISTED_BASELINES), _Past(stranger)),
                COMPARED_MODELS: ComparedPages(cast("ModelDiffService", _Past(stranger))),
                ACCOUNT_SEARCH: _Accounts(stranger),
                **dict.fromkeys((EXPLORATION, IMPACT), _Graph(stranger)),
            },
        )


class _Answers:
    """Answers with a stranger's words, checked or not."""

    def __init__(self, stranger: Stranger, *, checked: bool) -> None:
        self._it, self._checked = stranger, checked

    async def answer(self, *_: object) -> Answered:
        it = self._it
        documents = tuple(
            replace(document(number, it.text, title=it.name), citation=it.citation()) for number in (1, 2)
        )
        said = check(f"{it.text}\n\nPumps are blue.", documents, ()) if self._checked else None
        way = "extractive" if self._checked else None
        return Answered("Which?", documents, it.meta(), way, said, model=it.name)


@asynccontextmanager
async def calls(stranger: Stranger, *, checked: bool = True) -> AsyncGenerator[ToolCall]:
    """A call whose use cases answer with a stranger's words."""
    services = _StrangersServices(stranger)
    answers = cast("AnswerService", _Answers(stranger, checked=checked))
    put_answers(services, answers)
    yield ToolCall(services, Caller.local(), SETTINGS, lambda _: True)
