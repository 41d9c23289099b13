"""What the graph contributes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.feature import Core, Feature
from citemark.features.graph.services.keys import EXPLORATION, IMPACT, READERS, SECTION_TEXTS
from citemark.services.graph_counts import GRAPH_COUNTS
from citemark.services.named_documents import NAMED_DOCUMENTS
from citemark.tools.families import ToolFamily

if TYPE_CHECKING:
    from citemark.cli.command_tree import CommandTree
    from citemark.features.graph.services.exploration import GraphService
    from citemark.features.graph.services.impact import ImpactService
    from citemark.features.graph.services.open_graph import GraphReaders
    from citemark.features.graph.services.section_texts import SectionTextService
    from citemark.indexing.page_edges import EdgeDrawing
    from citemark.model.sources import AllowedSources
    from citemark.settings import Settings
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.prompts import FilledPrompt
    from citemark.tools.registry import Tool
    from citemark.web.added_page import AddedPage


def _readers(core: Core) -> "GraphReaders":
    from citemark.features.graph.services.open_graph import GraphReaders
    from citemark.features.graph.store.graph import GraphStore

    stores = core.stores
    return GraphReaders(stores.of(GraphStore), stores.search, core.pipeline, core.access, core.handles)


def _exploration(core: Core) -> "GraphService":
    from citemark.features.graph.services.exploration import GraphService

    readers, passages, types = core.services.get(READERS), core.services.passages, core.kinds.edge_types
    return GraphService(readers, core.stores.sources, core.pipeline.contexts, core.scoping, passages, types)


def _impact(core: Core) -> "ImpactService":
    from citemark.features.graph.services.impact import ImpactService

    services = core.services
    return ImpactService(services.get(EXPLORATION), services.get(READERS), lambda: services.get(NAMED_DOCUMENTS))


def _section_texts(core: Core) -> "SectionTextService":
    from citemark.features.graph.services.section_texts import SectionTextService

    return SectionTextService(core.services.get(EXPLORATION), core.stores.documents, core.access)


def _page_edges(core: Core, worker: str) -> "EdgeDrawing":
    from citemark.features.graph.mentions.mention_linker import mentions_over
    from citemark.features.graph.store.mentions import MentionStore

    stores = core.stores
    return mentions_over(stores.of(MentionStore), stores.horizon, worker, on=core.settings.mentions)


async def _has_documents(core: Core, allowed: "AllowedSources") -> bool:
    from citemark.features.graph.store.graph import GraphStore

    return await core.stores.of(GraphStore).exists(allowed)


def _tools(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.features.graph.tools import GRAPH_TOOLS

    return GRAPH_TOOLS


def _legacy(_: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.features.graph.tools.legacy import LEGACY_TOOLS

    return LEGACY_TOOLS


def _with_legacy(settings: "Settings") -> bool:
    return settings.legacy_tools or not settings.kb_v2_enabled


def _prompts() -> "Sequence[FilledPrompt]":
    from citemark.features.graph.tools.impact_prompt import IMPACT_OF_CHANGE

    return (IMPACT_OF_CHANGE,)


def _commands(tree: "CommandTree") -> None:
    from citemark.features.graph.commands.graph_options import GRAPH as GROUP
    from citemark.features.graph.commands.impact_options import impact

    tree.root.add_typer(GROUP, name="graph")
    tree.root.command()(impact)


def _pages() -> "tuple[AddedPage, ...]":
    from citemark.features.graph.graph_page import graph, graph_of_document, impact, paths
    from citemark.web.added_page import AddedPage

    around = AddedPage(graph, "Graph", link="In the graph", of_document=graph_of_document)
    return (around, AddedPage(paths), AddedPage(impact))


GRAPH = Feature(
    "graph",
    services={
        READERS: _readers,
        EXPLORATION: _exploration,
        GRAPH_COUNTS: lambda core: core.services.get(EXPLORATION),
        IMPACT: _impact,
        SECTION_TEXTS: _section_texts,
    },
    page_edges=_page_edges,
    holds={"graph": _has_documents},
    tools=(ToolFamily(_tools, frozenset({"graph"}), prompts=_prompts), ToolFamily(_legacy, offered=_with_legacy)),
    commands=_commands,
    pages=_pages,
)
