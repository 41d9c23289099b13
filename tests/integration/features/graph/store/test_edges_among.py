"""Edges among known nodes, and paths that are found by them: the same as by reading every edge, for every caller."""

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.support.index import Index
from tests.support.pages import page_of

from citemark.features.graph.store.graph import GraphStore
from citemark.features.graph.walks.paths import PathSearch, find_paths
from citemark.model.documents import StatedRelationship
from citemark.model.graph import DEFINES, IN_FOLDER, LINKS_TO, MENTIONS, NAMED, Entity, EntityKind
from citemark.model.ids import NativeId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import AllowedSources
from citemark.model.text import Span
from citemark.model.walks import Hop, NeighbourFilter, Node, NodeName, Step
from citemark.store.database import Database

_EVERYTHING = NeighbourFilter(per_node=500)
_PAGES = 8
_TERMS = 5


def drawn(chance: random.Random) -> list[StatedRelationship]:
    """What one page states: links, terms that it is called, defines or mentions, and perhaps a folder."""
    section = chance.choice((None, "one"))
    stated = [
        StatedRelationship(LINKS_TO, section, NativeId(f"p{chance.randrange(_PAGES)}.md{part}"), None, Span(0, 1))
        for part in chance.choices(("", "", "#one"), k=chance.randrange(3))
    ]
    for kind, most in ((NAMED, 2), (DEFINES, 2), (MENTIONS, 4)):
        for name in chance.sample(range(_TERMS), chance.randrange(most)):
            term = Entity(EntityKind.TERM, f"term {name}")
            at = None if kind == NAMED else section
            stated.append(StatedRelationship(kind, at, None, None, Span(0, 1), to_entity=term))
    if chance.random() < 0.3:
        folder = {"doc_type": "folder"}
        stated.append(StatedRelationship(IN_FOLDER, None, NativeId("all"), None, Span(0, 1), metadata=folder))
    return stated


async def drawn_index(database: Database, chance: random.Random) -> tuple[Index, AllowedSources]:
    """Two sources whose pages state what chance has them state."""
    index = Index(database)
    for name in ("docs", "notes"):
        source = await index.source(name)
        for number in range(_PAGES):
            page = page_of(source.source_id, f"p{number}.md", "# One\nx\n", relationships=tuple(drawn(chance)))
            await index.put_page(source, page)
    return index, await index.stores.sources.allowed(Principal.local(), RequestScope())


async def every_step(graph: GraphStore, allowed: AllowedSources) -> dict[Node, list[Step]]:
    """All nodes that the allowed sources have, and all edges of each, read by itself."""
    names = [
        *(
            NodeName(source.source_id, kind, f"p{number}.md{part}")
            for source in allowed.sources
            for number in range(_PAGES)
            for kind, part in (("docs_page", ""), ("section", "#one"))
        ),
        *(NodeName(source.source_id, "folder", "all") for source in allowed.sources),
        *(NodeName(0, "term", f"term {number}") for number in range(_TERMS)),
    ]
    nodes = (await graph.nodes(allowed, names)).values()
    return {node: list((await graph.neighbours(allowed, [node], _EVERYTHING)).steps) for node in nodes}


def ways(steps: dict[Node, list[Step]], start: Node, end: Node, hops: int) -> set[tuple[Node, ...]]:
    """Every path of at most so many hops, by trying everything."""
    found: set[tuple[Node, ...]] = set()
    open_ways: list[tuple[Node, ...]] = [(start,)]
    while open_ways:
        way = open_ways.pop()
        if way[-1] == end:
            found.add(way)
        elif len(way) <= hops:
            open_ways += ((*way, step.other) for step in steps.get(way[-1], ()) if step.other not in way)
    return found


class ReadsEverything:
    """A graph whose edges are all read, whichever are wanted, as `find_paths` read it before."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph

    async def neighbours(self, allowed: AllowedSources, nodes: Sequence[Node], wanted: NeighbourFilter) -> Hop:
        return await self._graph.neighbours(allowed, nodes, replace(wanted, among=None))


async def anyone(nodes: Sequence[Node]) -> Sequence[Node]:
    return nodes


@pytest.mark.parametrize("seed", range(4))
async def test_edges_among_known_nodes_are_those_of_all_edges_that_lead_to_them(database: Database, seed: int) -> None:
    chance = random.Random(seed)
    _, everything = await drawn_index(database, chance)
    graph = GraphStore(database)
    for allowed in (everything, everything.among({everything.sources[0].source_id})):
        steps = await every_step(graph, allowed)
        nodes = list(steps)
        for _ in range(6):
            asked, known = chance.sample(nodes, 6), tuple(chance.sample(nodes, 8))
            found = await graph.neighbours(allowed, asked, NeighbourFilter(per_node=500, among=known))
            expected = [step for node in asked for step in steps[node] if step.other in known]
            assert sorted(found.steps) == sorted(expected)
            assert not found.cut
        none = await graph.neighbours(allowed, nodes, NeighbourFilter(per_node=500, among=()))
        assert none.steps == ()


@pytest.mark.parametrize("seed", range(4))
async def test_paths_are_those_that_reading_every_edge_finds_within_what_the_caller_may_see(
    database: Database, seed: int
) -> None:
    chance = random.Random(100 + seed)
    _, everything = await drawn_index(database, chance)
    graph = GraphStore(database)
    seen = 0
    for allowed in (everything, everything.among({everything.sources[1].source_id})):
        steps = await every_step(graph, allowed)
        for hops in (1, 2, 3, 4):
            search = PathSearch(max_hops=hops, max_paths=100_000)
            start, end = chance.sample([node for node in steps if node.is_document], 2)
            found = await find_paths(graph, allowed, [start], [end], search, anyone)
            assert {path.nodes for path in found.paths} == ways(steps, start, end, hops)
            seen += len(found.paths)
            starts, ends = chance.sample(list(steps), 3), chance.sample(list(steps), 2)
            found = await find_paths(graph, allowed, starts, ends, search, anyone)
            assert found == await find_paths(ReadsEverything(graph), allowed, starts, ends, search, anyone)
    assert seen, "some of the nodes are connected"


async def test_a_node_with_more_edges_than_are_read_shows_those_that_join_it_with_known_nodes(
    database: Database,
) -> None:
    index, graph = Index(database), GraphStore(database)
    docs = await index.source()
    links = [StatedRelationship(LINKS_TO, None, NativeId(f"p{n}.md"), None, Span(0, 1)) for n in range(60)]
    await index.put_page(docs, page_of(docs.source_id, "hub.md", "x\n", relationships=tuple(links)))
    for number in range(60):
        await index.put_page(docs, page_of(docs.source_id, f"p{number}.md", "x\n"))
    allowed = await index.stores.sources.allowed(Principal.local(), RequestScope())
    names = [NodeName(docs.source_id, "docs_page", name) for name in ("hub.md", "p59.md")]
    found = await graph.nodes(allowed, names)
    hub, last = (found[name] for name in names)
    few = NeighbourFilter(per_node=2)
    assert last not in {step.other for step in (await graph.neighbours(allowed, [hub], few)).steps}
    hop = await graph.neighbours(allowed, [hub], NeighbourFilter(per_node=2, among=(last,)))
    assert [step.other for step in hop.steps] == [last]
    assert not hop.cut, "nothing that was asked for is left out"
