"""What architecture models contribute."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from citemark.evaluation.found_elements import ELEMENT_QUESTIONS
from citemark.feature import Core, Feature
from citemark.features.archimate.services.keys import ELEMENT_SEARCH, MODEL_CONTEXT, MODEL_DIFF, MODEL_LISTING, READER
from citemark.results.compared_models import COMPARED_MODELS
from citemark.services.bundle import STATE_PAIRS
from citemark.services.named_documents import NAMED_DOCUMENTS
from citemark.tools.families import PAST, ToolFamily, always

if TYPE_CHECKING:
    from citemark.cli.command_tree import CommandTree
    from citemark.features.archimate.asked_elements import AskedElements
    from citemark.features.archimate.compared_pages import ComparedPages
    from citemark.features.archimate.named_elements import NamedElements
    from citemark.features.archimate.services.context import ModelContextService
    from citemark.features.archimate.services.model_diff import ModelDiffService
    from citemark.features.archimate.services.model_queries import ModelListingService
    from citemark.features.archimate.services.search import ElementSearchService
    from citemark.features.archimate.services.visible_models import ModelReader
    from citemark.grpc_api.methods import Contract
    from citemark.sources.kinds import SourceKind
    from citemark.tools.index_contents import ToolGroups
    from citemark.tools.registry import Tool
    from citemark.web.added_page import AddedPage


def _kinds() -> "Sequence[SourceKind]":
    from citemark.features.archimate.source.kind import ARCHIMATE_KIND

    return (ARCHIMATE_KIND,)


def _reader(core: Core) -> "ModelReader":
    from citemark.features.archimate.services.visible_models import ModelReader
    from citemark.features.archimate.store import ArchitectureStore

    stores = core.stores
    return ModelReader(core.pipeline, stores.sources, stores.search, stores.of(ArchitectureStore), core.scoping)


def _element_search(core: Core) -> "ElementSearchService":
    from citemark.features.archimate.services.search import ElementSearchService

    return ElementSearchService(core.services.get(READER), core.handles)


def _model_context(core: Core) -> "ModelContextService":
    from citemark.features.archimate.services.context import ModelContextService

    return ModelContextService(core.services.get(READER))


def _model_listing(core: Core) -> "ModelListingService":
    from citemark.features.archimate.services.model_queries import Cursors, ModelListingService

    return ModelListingService(core.services.get(READER), Cursors(core.handles))


def _model_diff(core: Core) -> "ModelDiffService":
    from citemark.features.archimate.services.model_diff import ModelDiffService
    from citemark.store.changes import ChangeStore

    pairs = core.services.get(STATE_PAIRS)
    return ModelDiffService(pairs, core.stores.of(ChangeStore), core.services.get(READER))


def _compared_models(core: Core) -> "ComparedPages":
    from citemark.features.archimate.compared_pages import ComparedPages

    return ComparedPages(core.services.get(MODEL_DIFF))


def _element_questions(core: Core) -> "AskedElements":
    from citemark.features.archimate.asked_elements import AskedElements

    return AskedElements(core.services.get(ELEMENT_SEARCH))


def _named_elements(core: Core) -> "NamedElements":
    from citemark.features.archimate.named_elements import NamedElements

    return NamedElements(core.services.get(MODEL_LISTING))


def _tools(groups: "ToolGroups") -> "tuple[Tool, ...]":
    from citemark.features.archimate.tools import architecture_tools
    from citemark.model.architecture import DEFAULT_CAPABILITY

    return architecture_tools(groups.capabilities or (DEFAULT_CAPABILITY,), past=PAST in groups.names)


def _commands(tree: "CommandTree") -> None:
    from citemark.features.archimate.commands.model_options import add_archimate, element, view

    tree.add.command("archimate")(add_archimate)
    tree.root.command()(element)
    tree.root.command()(view)


def _pages() -> "tuple[AddedPage, ...]":
    from citemark.features.archimate.view_page import address_of_view, view
    from citemark.web.added_page import AddedPage

    return (AddedPage(view, link="As a picture", of_document=address_of_view),)


def _grpc() -> "Contract":
    from citemark.features.archimate.grpc_methods import ARCHITECTURE_METHODS

    return ARCHITECTURE_METHODS


ARCHIMATE = Feature(
    "archimate",
    kinds=_kinds,
    services={
        READER: _reader,
        ELEMENT_SEARCH: _element_search,
        MODEL_CONTEXT: _model_context,
        MODEL_LISTING: _model_listing,
        MODEL_DIFF: _model_diff,
        COMPARED_MODELS: _compared_models,
        ELEMENT_QUESTIONS: _element_questions,
        NAMED_DOCUMENTS: _named_elements,
    },
    tools=(ToolFamily(_tools, frozenset({"architecture"}), always),),
    commands=_commands,
    pages=_pages,
    grpc=_grpc,
)
