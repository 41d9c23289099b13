"""The graph tools: how things are related, across all sources."""

from citemark.features.graph.results.affected import ImpactOut
from citemark.features.graph.results.graph_nodes import DescribeOut, NodesOut, PathsOut
from citemark.features.graph.tools.describe_tool import DescribeIn, describe
from citemark.features.graph.tools.impact_tool import ImpactIn, impact
from citemark.features.graph.tools.neighbourhood_app import NEIGHBOURHOOD_APP
from citemark.features.graph.tools.node_tools import (
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
from citemark.features.graph.tools.paths_tool import PathsIn, paths
from citemark.features.graph.walks.expansion import MOST_HOPS
from citemark.tools.description_parts import IN_SCHEMA, NEXT_PAGE
from citemark.tools.registry import Tool

_AFTER = "Use when kb.search has given its top 1-3 hits and you want"
_WITHOUT = (
    "Do not use when there is no graph (BACKEND_UNAVAILABLE): kb.search. Read no text before 3 passages or fewer.\n"
)
_NODES = "Returns at most page_size nodes, edges cited.\n"

GRAPH_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="graph.expand",
        title="What is related",
        description=(f"{_AFTER} what they relate to.\n{_WITHOUT}{_NODES}{NEXT_PAGE}{IN_SCHEMA}"),
        takes=ExpandIn,
        gives=NodesOut,
        handle=expand,
        core=True,
        app=NEIGHBOURHOOD_APP,
    ),
    Tool(
        name="graph.paths",
        title="How they connect",
        description=(
            f"{_AFTER} how they are connected with others.\n"
            f"{_WITHOUT}Returns at most max_paths paths, shortest first, cited.\n{NEXT_PAGE}{IN_SCHEMA}"
        ),
        takes=PathsIn,
        gives=PathsOut,
        handle=paths,
        core=True,
    ),
    Tool(
        name="graph.impact",
        title="What a change touches",
        description=(
            f"{_AFTER} what depends on one, and what mentions that.\n"
            f"{_WITHOUT}Returns at most what fits: dependents, then mentions, with cited edges.\n"
            f"If you need more, call graph.expand.\nDefaults and caps: {MOST_HOPS} hops."
        ),
        takes=ImpactIn,
        gives=ImpactOut,
        handle=impact,
        core=True,
    ),
    Tool(
        name="graph.parents",
        title="What contains it",
        description=(f"{_AFTER} what contains them.\n{_WITHOUT}{_NODES}{NEXT_PAGE}{IN_SCHEMA}"),
        takes=ContainmentIn,
        gives=NodesOut,
        handle=parents,
        app=NEIGHBOURHOOD_APP,
    ),
    Tool(
        name="graph.children",
        title="What it contains",
        description=(f"{_AFTER} what they contain.\n{_WITHOUT}{_NODES}{NEXT_PAGE}{IN_SCHEMA}"),
        takes=ContainmentIn,
        gives=NodesOut,
        handle=children,
        app=NEIGHBOURHOOD_APP,
    ),
    Tool(
        name="graph.entities_for_sections",
        title="What they name",
        description=(f"{_AFTER} the terms, people and elements in them.\n{_WITHOUT}{_NODES}{NEXT_PAGE}{IN_SCHEMA}"),
        takes=EntitiesIn,
        gives=NodesOut,
        handle=entities_for_sections,
        app=NEIGHBOURHOOD_APP,
    ),
    Tool(
        name="graph.sections_for_entities",
        title="Where they are named",
        description=(
            f"{_AFTER} sections that speak of an entity or element.\n{_WITHOUT}{_NODES}{NEXT_PAGE}{IN_SCHEMA}"
        ),
        takes=SectionsIn,
        gives=NodesOut,
        handle=sections_for_entities,
        app=NEIGHBOURHOOD_APP,
    ),
    Tool(
        name="graph.describe",
        title="What the graph holds",
        description=(
            f"{_AFTER} what kinds of nodes and edges exist.\n"
            f"{_WITHOUT}Returns at most a number for each.\n"
            "If you need more, call graph.expand.\nDefaults and caps: none."
        ),
        takes=DescribeIn,
        gives=DescribeOut,
        handle=describe,
    ),
)
"""In the order in which a model should consider them."""
