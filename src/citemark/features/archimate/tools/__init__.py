"""The architecture tools: one group for all architecture models."""

from collections.abc import Sequence
from dataclasses import replace

from citemark.features.archimate.results.element_hits import SearchElementsOut, SemanticSearchOut
from citemark.features.archimate.results.model_context import GetContextOut
from citemark.features.archimate.results.model_listings import (
    GetElementOut,
    GetViewOut,
    ListElementsOut,
    ListRelationshipsOut,
)
from citemark.features.archimate.tools.baseline_tools import BASELINE_TOOLS
from citemark.features.archimate.tools.context_tool import GetContextIn, get_context
from citemark.features.archimate.tools.element_tools import (
    GetElementIn,
    ListElementsIn,
    ListRelationshipsIn,
    get_element,
    list_elements,
    list_relationships,
)
from citemark.features.archimate.tools.search_tools import (
    SearchElementsIn,
    SemanticSearchIn,
    search_elements,
    semantic_search,
)
from citemark.features.archimate.tools.view_tool import GetViewIn, get_view
from citemark.tools.description_parts import IN_SCHEMA, NEXT_PAGE
from citemark.tools.registry import Tool

ARCHITECTURE_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="architecture.semanticSearch",
        title="Search the architecture",
        description=(
            "Use when you look for elements of a model by meaning, or for all that meet filters (no query).\n"
            "Do not use when you know the name (architecture.getElement) or want text to answer from "
            "(architecture.getContext).\n"
            "Returns at most top_k elements, each with the chunk that matched and its citation.\n"
            f"{NEXT_PAGE}"
            f"{IN_SCHEMA}"
        ),
        takes=SemanticSearchIn,
        gives=SemanticSearchOut,
        handle=semantic_search,
        core=True,
    ),
    Tool(
        name="architecture.getContext",
        title="Context from the architecture",
        description=(
            "Use when you are to answer a question about a model: the text to answer from.\n"
            "Do not use when you want a list of elements (architecture.semanticSearch).\n"
            "Returns at most max_tokens of whole chunks, best first, with their sources.\n"
            "If you need more, ask with a larger max_tokens.\n"
            f"{IN_SCHEMA}"
        ),
        takes=GetContextIn,
        gives=GetContextOut,
        handle=get_context,
        core=True,
    ),
    Tool(
        name="architecture.getElement",
        title="One element",
        description=(
            "Use when you know an element by id or name and want all that is said of it.\n"
            "Do not use when you look for elements by meaning (architecture.semanticSearch).\n"
            "Returns at most one element: its text, 100 relationships, 50 views that show it.\n"
            "If you need more, call architecture.listRelationships.\n"
            f"{IN_SCHEMA}"
        ),
        takes=GetElementIn,
        gives=GetElementOut,
        handle=get_element,
        core=True,
    ),
    Tool(
        name="architecture.listRelationships",
        title="List relationships",
        description=(
            "Use when you want what an element relates to, or all relationships of a type.\n"
            "Do not use when prose will do: architecture.getElement.\n"
            "Returns at most page_size relationships with both ends, cited.\n"
            f"{NEXT_PAGE}"
            f"{IN_SCHEMA}"
        ),
        takes=ListRelationshipsIn,
        gives=ListRelationshipsOut,
        handle=list_relationships,
    ),
    Tool(
        name="architecture.searchElements",
        title="Find elements by name or words",
        description=(
            "Use when you know an element's name in part, or words of its text.\n"
            "Do not use when you ask by meaning (architecture.semanticSearch).\n"
            "Returns at most page_size elements: closest names first, then texts.\n"
            f"{NEXT_PAGE}"
            f"{IN_SCHEMA}"
        ),
        takes=SearchElementsIn,
        gives=SearchElementsOut,
        handle=search_elements,
    ),
    Tool(
        name="architecture.listElements",
        title="List elements",
        description=(
            "Use when you want every element of a layer, type or capability.\n"
            "Do not use when a question picks some (architecture.semanticSearch).\n"
            "Returns at most page_size elements by name, and how many there are.\n"
            f"{NEXT_PAGE}"
            f"{IN_SCHEMA}"
        ),
        takes=ListElementsIn,
        gives=ListElementsOut,
        handle=list_elements,
    ),
    Tool(
        name="architecture.getView",
        title="One view, or all",
        description=(
            "Use when you want what a view (diagram) shows, or which views there are.\n"
            "Do not use when you ask about elements themselves (architecture.semanticSearch).\n"
            "Returns at most page_size of its elements, then its relationships; without view, the views.\n"
            f"{NEXT_PAGE}"
            f"{IN_SCHEMA}"
        ),
        takes=GetViewIn,
        gives=GetViewOut,
        handle=get_view,
        core=True,
    ),
)
"""In the order in which a model should consider them."""


def architecture_tools(capabilities: Sequence[str], *, past: bool = False) -> tuple[Tool, ...]:
    """The group of tools, for models with these capabilities (one per model); with a `past`, states can be compared.

    If there is only one model, the tools can also be called by names formed from its capability, as 535 gives them
    (docs/founding/model-reads.md).
    """
    tools = (*ARCHITECTURE_TOOLS, *BASELINE_TOOLS) if past else ARCHITECTURE_TOOLS
    if len(capabilities) != 1:
        return tools if capabilities else ()
    return tuple(replace(tool, former_name=tool.name.replace("architecture", capabilities[0], 1)) for tool in tools)


__all__ = ["ARCHITECTURE_TOOLS", "BASELINE_TOOLS", "architecture_tools"]
