"""The graph tools: how things are related, across all sources."""

from citemark.results.graph_nodes import DescribeOut, NodesOut, PathsOut
from citemark.tools.graph.describe_tool import DescribeIn, describe
from citemark.tools.graph.node_tools import (
    ContainmentIn,
    EntitiesIn,
    ExpandIn,
    SectionsIn,
    children,
    entities_for_sections,
    expand,
    parents,
    sections_for_entities,
)
from citemark.tools.graph.paths_tool import PathsIn, paths
from citemark.tools.registry import Tool

_AFTER = "Use when kb.search has given its top 1-3 hits and you want"
_WITHOUT = (
    "Do not use when there is no graph (BACKEND_UNAVAILABLE): kb.search, kb.retrieve_evidence. "
    "Fetch no text before you have 3 passages or fewer.\n"
)
_NODES = "Returns at most page_size nodes and the cited edges to them; no text without include_snippet.\n"
_MORE = "If you need more, call again with next_cursor as cursor.\n"
_PAGES = "page_size 25 (max 100), 200 nodes in all."

GRAPH_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="graph.expand",
        title="What is related",
        description=(
            f"{_AFTER} what they are related to, in any source: links, mentions, model relationships, containment.\n"
            f"{_WITHOUT}{_NODES}{_MORE}"
            f"Defaults and caps: all rel_types, direction both, max_hops 1 (max 3), {_PAGES}"
        ),
        takes=ExpandIn,
        gives=NodesOut,
        handle=expand,
    ),
    Tool(
        name="graph.paths",
        title="How things are connected",
        description=(
            f"{_AFTER} to know how some of them are connected with others.\n"
            f"{_WITHOUT}"
            "Returns at most max_paths paths, shortest first, with their nodes and cited edges; partial when work was "
            f"cut.\n{_MORE}"
            "Defaults and caps: max_hops 3 (max 5), max_paths 10 (max 50), page_size 25 (max 100)."
        ),
        takes=PathsIn,
        gives=PathsOut,
        handle=paths,
    ),
    Tool(
        name="graph.parents",
        title="What contains it",
        description=(
            f"{_AFTER} the pages, folders or wholes that contain them.\n"
            f"{_WITHOUT}{_NODES}{_MORE}Defaults and caps: max_hops 1 (max 3), {_PAGES}"
        ),
        takes=ContainmentIn,
        gives=NodesOut,
        handle=parents,
    ),
    Tool(
        name="graph.children",
        title="What it contains",
        description=(
            f"{_AFTER} the sections, pages or parts that they contain.\n"
            f"{_WITHOUT}{_NODES}{_MORE}Defaults and caps: max_hops 1 (max 3), {_PAGES}"
        ),
        takes=ContainmentIn,
        gives=NodesOut,
        handle=children,
    ),
    Tool(
        name="graph.entities_for_sections",
        title="What sections speak of",
        description=(
            f"{_AFTER} the terms, names in code, people, addresses and elements that they speak of.\n"
            f"{_WITHOUT}{_NODES}{_MORE}Defaults and caps: max_per_section 20 (max 100), {_PAGES}"
        ),
        takes=EntitiesIn,
        gives=NodesOut,
        handle=entities_for_sections,
    ),
    Tool(
        name="graph.sections_for_entities",
        title="Where entities are spoken of",
        description=(
            f"{_AFTER} the sections that speak of an entity, element or page.\n"
            f"{_WITHOUT}{_NODES}{_MORE}Defaults and caps: max_per_entity 20 (max 100), {_PAGES}"
        ),
        takes=SectionsIn,
        gives=NodesOut,
        handle=sections_for_entities,
    ),
    Tool(
        name="graph.describe",
        title="What the graph holds",
        description=(
            f"{_AFTER} the kinds of nodes and types of edges that there are.\n"
            f"{_WITHOUT}"
            "Returns at most a number for each.\n"
            "If you need more, call graph.expand.\n"
            "Defaults and caps: none."
        ),
        takes=DescribeIn,
        gives=DescribeOut,
        handle=describe,
    ),
)
"""In the order in which a model should consider them."""
