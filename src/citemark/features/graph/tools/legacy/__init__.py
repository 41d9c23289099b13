"""Tools under the names of an older server, for users who migrate from it; off by default, on the same services."""

from citemark.features.graph.tools.legacy.graph_tools import (
    ChildrenIn,
    DescribeIn,
    EntitiesIn,
    ExpandIn,
    NodesOut,
    ParentsIn,
    PathsBetweenIn,
    PathsOut,
    SectionsIn,
    describe_nodes,
    expand_neighbors,
    get_entities_for_sections,
    get_paths_between,
    get_sections_for_entities,
    list_children,
    list_parents,
)
from citemark.features.graph.tools.legacy.section_tools import (
    SearchSectionsIn,
    SearchSectionsOut,
    SectionTextIn,
    SectionTextOut,
    get_section_text,
    search_sections,
)
from citemark.tools.registry import Tool

_ONWARD = "call again with next_cursor as cursor."
_FEWER = "ask for fewer ids."


def _description(use: str, instead: str, returns: str, caps: str, more: str = _ONWARD) -> str:
    return (
        f"Use when a program still calls this older name: {use}\n"
        f"Do not use when no program depends on this name. {instead} does the same.\n"
        f"Returns at most {returns}; unknown ids are listed.\n"
        f"If you need more, {more}\n"
        f"Defaults and caps: {caps}"
    )


LEGACY_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="search_sections",
        title="Search sections (older name)",
        description=_description(
            "finds sections.", "kb.search", "one page of hits without text", "top_k 20, page_size 25."
        ),
        takes=SearchSectionsIn,
        gives=SearchSectionsOut,
        handle=search_sections,
        on_demand=True,
    ),
    Tool(
        name="get_section_text",
        title="Read sections (older name)",
        description=_description(
            "reads sections whole.",
            "kb.read_excerpt, or better kb.retrieve_evidence,",
            "the texts that fit, each cut at max_bytes_per",
            "max_bytes_per 8192 (max 32768).",
            _FEWER,
        ),
        takes=SectionTextIn,
        gives=SectionTextOut,
        handle=get_section_text,
        on_demand=True,
    ),
    Tool(
        name="describe_nodes",
        title="Describe nodes (older name)",
        description=_description("tells what nodes are.", "graph.expand", "the nodes", "20 ids at most.", _FEWER),
        takes=DescribeIn,
        gives=NodesOut,
        handle=describe_nodes,
        on_demand=True,
    ),
    Tool(
        name="expand_neighbors",
        title="Neighbours (older name)",
        description=_description(
            "tells what nodes are related to.",
            "graph.expand",
            "page_size nodes and the edges to them",
            "direction both, max_hops 1 (max 3), page_size 25 (max 100).",
        ),
        takes=ExpandIn,
        gives=NodesOut,
        handle=expand_neighbors,
        on_demand=True,
    ),
    Tool(
        name="get_paths_between",
        title="Paths (older name)",
        description=_description(
            "tells how nodes are connected.",
            "graph.paths",
            "max_paths paths",
            "max_hops 3 (max 5), max_paths 10 (max 50).",
        ),
        takes=PathsBetweenIn,
        gives=PathsOut,
        handle=get_paths_between,
        on_demand=True,
    ),
    Tool(
        name="list_children",
        title="Children (older name)",
        description=_description("lists what a node contains.", "graph.children", "page_size nodes", "page_size 50."),
        takes=ChildrenIn,
        gives=NodesOut,
        handle=list_children,
        on_demand=True,
    ),
    Tool(
        name="list_parents",
        title="Parents (older name)",
        description=_description(
            "lists what contains sections.", "graph.parents", "100 nodes", "20 ids at most.", _FEWER
        ),
        takes=ParentsIn,
        gives=NodesOut,
        handle=list_parents,
        on_demand=True,
    ),
    Tool(
        name="get_entities_for_sections",
        title="Entities of sections (older name)",
        description=_description(
            "tells what sections speak of.",
            "graph.entities_for_sections",
            "100 nodes",
            "max_per_section 20 (max 100).",
            _FEWER,
        ),
        takes=EntitiesIn,
        gives=NodesOut,
        handle=get_entities_for_sections,
        on_demand=True,
    ),
    Tool(
        name="get_sections_for_entities",
        title="Sections of entities (older name)",
        description=_description(
            "tells which sections speak of entities.",
            "graph.sections_for_entities",
            "100 nodes",
            "max_per 20 (max 100).",
            _FEWER,
        ),
        takes=SectionsIn,
        gives=NodesOut,
        handle=get_sections_for_entities,
        on_demand=True,
    ),
)
"""The nine tools of KB 3.1, with their names, parameters and defaults."""
