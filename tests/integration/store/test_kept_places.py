"""An edge that a page goes on stating is one row, and is read in every state with where it was stated then."""

import random
from dataclasses import replace
from datetime import UTC, datetime

import psycopg
import pytest
from tests.support.index import Index
from tests.support.pages import page_of

from citemark.features.graph.store.graph import GraphStore
from citemark.model.documents import StatedRelationship
from citemark.model.graph import DEFINES, LINKS_TO, NAMED, Entity, EntityKind
from citemark.model.ids import NativeId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Lines, Span
from citemark.model.walks import Edge, NeighbourFilter, NodeName
from citemark.store.database import Database
from citemark.store.history import HistoryStore

pytestmark = pytest.mark.both_forms

NAMES = ["a.md", "b.md", "c.md"]
HEADS = ["One", "Two", "Three", "Four"]
EVERYTHING = NeighbourFilter(leaving=(), arriving=(), per_node=50)

Seen = tuple[tuple[Edge, Lines], ...]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


@pytest.fixture
def graph(database: Database) -> GraphStore:
    return GraphStore(database)


def stated(body: str, links: list[str]) -> tuple[StatedRelationship, ...]:
    """What a page of this text states: its name, what its headings define, and links where they stand in the text."""
    named = StatedRelationship(NAMED, None, None, None, Span(0, 0), to_entity=Entity(EntityKind.TERM, "page"))
    found = [named]
    for at, head in sorted((body.find(f"# {head}\n"), head) for head in HEADS):
        if at >= 0:
            term = Entity(EntityKind.TERM, head.lower())
            span = Span(at, at + len(head) + 2)
            found.append(StatedRelationship(DEFINES, head.lower(), None, None, span, to_entity=term))
    for target in links:
        at = body.index(f"[{target}]")
        found.append(StatedRelationship(LINKS_TO, None, NativeId(target), None, Span(at, at + len(target) + 2)))
    return tuple(found)


async def put(index: Index, source: Source, name: str, body: str, links: list[str]) -> None:
    await index.put_page(source, page_of(source.source_id, name, body, relationships=stated(body, links)))


async def edited(index: Index, source: Source, name: str, chance: random.Random) -> None:
    """Write a page anew: some sections of a few, with lines before, so that most edges stay and all move."""
    links = chance.sample(NAMES, chance.randrange(3))
    heads = [head for head in HEADS if chance.random() < 0.8]
    if chance.random() < 0.2:
        chance.shuffle(heads)
    body = "line\n" * chance.randrange(4) + "".join(f"[{target}]\n" for target in links)
    body += "".join(f"# {head}\n{'x ' * chance.randrange(9)}\n" for head in heads)
    await put(index, source, name, body, links)


async def allowed_of(index: Index) -> AllowedSources:
    return await index.stores.sources.allowed(Principal.local(), RequestScope())


async def seen(graph: GraphStore, allowed: AllowedSources, source: Source) -> list[Seen]:
    """The edges around every page, section and term, in order, each with its lines."""
    names = [NodeName(source.source_id, "docs_page", name) for name in NAMES]
    names += [NodeName(source.source_id, "section", f"{name}#{head.lower()}") for name in NAMES for head in HEADS]
    names += [NodeName(0, "term", term) for term in ("page", *map(str.lower, HEADS))]
    nodes = await graph.nodes(allowed, names)
    found: list[Seen] = []
    for name in names:
        if name in nodes:
            hop = await graph.neighbours(allowed, [nodes[name]], EVERYTHING)
            edges = [step.edge for step in hop.steps]
            _, lines = await graph.shown(allowed, [], list(dict.fromkeys(edges)))
            found.append(tuple((edge, lines[edge]) for edge in edges))
    return found


@pytest.mark.requirement("edges-are-kept-once")
@pytest.mark.parametrize("most", [2, 16])
async def test_every_state_has_the_edges_of_then_in_their_order_at_their_places(
    index: Index, dsn: str, graph: GraphStore, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("citemark.store.pages._MOST_PLACES", most)
    source, chance = await index.source(), random.Random(most)
    states: list[tuple[datetime, list[Seen]]] = []

    async def edit(times: int) -> None:
        for _ in range(times):
            name = chance.choice(NAMES)
            if chance.random() < 0.1:
                await index.drop(source, name)
            else:
                await edited(index, source, name, chance)
            states.append((await index.stores.horizon.now(), await seen(graph, await allowed_of(index), source)))

    await edit(20)
    async with await psycopg.AsyncConnection.connect(dsn, application_name="citemark 38"):
        await edit(4)
    await edit(8)
    allowed = await allowed_of(index)
    for at, state in states:
        assert await seen(graph, replace(allowed, read_at=at), source) == state
    longest = await index.value("SELECT max(cardinality(moved_at)) FROM relationship")
    assert longest == 2 if most == 2 else 2 < longest <= 16
    at, state = states[-9]
    await index.stores.of(HistoryStore).purge(source.source_id, at)
    assert await seen(graph, replace(allowed, read_at=at), source) == state


@pytest.mark.requirement("edges-are-kept-once")
async def test_an_edge_that_is_stated_again_takes_no_row_of_its_own(index: Index, graph: GraphStore) -> None:
    source = await index.source()
    for number in range(10):
        await put(index, source, "a.md", f"{'line ' * number}\n[b.md]\n# One\n{number}\n# Two\nx\n", ["b.md"])
    rows = await index.rows("SELECT type, cardinality(moved_at) FROM relationship ORDER BY relationship_id")
    assert rows == [("named", 9), ("defines", 9), ("defines", 9), ("links_to", 9), ("contains", 9), ("contains", 9)]


@pytest.mark.requirement("edges-are-kept-once")
async def test_each_revision_has_its_own_edges_beside_a_server_that_reads_their_places_there(
    index: Index, dsn: str
) -> None:
    source = await index.source()
    async with await psycopg.AsyncConnection.connect(dsn, application_name="citemark 38"):
        for number in range(3):
            await put(index, source, "a.md", f"# One\n{number}\n", [])
    rows = await index.rows("SELECT count(*) AS edges, count(moved_at) AS moved FROM relationship GROUP BY revision_id")
    assert rows == [(3, 0)] * 3


@pytest.mark.requirement("edges-are-kept-once")
async def test_edges_of_a_type_stand_in_the_order_in_which_the_page_states_them(index: Index) -> None:
    source = await index.source()
    for heads in (["One", "Two", "Four"], ["One", "Two", "Three", "Four"], ["Four", "One"], ["Four", "Two", "One"]):
        await put(index, source, "a.md", "".join(f"# {head}\nx\n" for head in heads), [])
        for kind in ("contains", "defines"):
            rows = await index.rows(
                "SELECT coalesce(to_name, to_native_id) FROM relationship WHERE valid_to = 'infinity' AND type = %s"
                " ORDER BY relationship_id",
                kind,
            )
            assert [row[0].removeprefix("a.md#") for row in rows] == [head.lower() for head in heads]
    # Two links with one target are two edges, of which each keeps its own place.
    twice = "[b.md] and [b.md]\n"
    link = StatedRelationship(LINKS_TO, None, NativeId("b.md"), None, Span(0, 6))
    for body in (twice, f"\n{twice}", twice):
        first = body.index("[")
        spans = Span(first, first + 6), Span(first + 11, first + 17)
        both = tuple(replace(link, span=span) for span in spans)
        await index.put_page(source, page_of(source.source_id, "c.md", body, relationships=both))
        rows = await index.rows(
            "SELECT start_char FROM relationship WHERE valid_to = 'infinity' AND type = 'links_to'"
            " ORDER BY relationship_id"
        )
        assert rows == [(first,), (first + 11,)]
    assert await index.value("SELECT count(*) FROM relationship WHERE type = 'links_to'") == 2


@pytest.mark.requirement("edges-are-kept-once")
async def test_edges_of_models_and_of_sources_without_history_remember_no_places(index: Index) -> None:
    models, plain = await index.source("models"), await index.source("plain", keep_history=False)
    for number in range(3):
        body = f"# One\n{number}\n"
        (named, defines) = stated(body, [])
        of_model = replace(defines, native_id="r1")
        await index.put_page(models, page_of(models.source_id, "a", body, relationships=(of_model,)))
        await index.put_page(plain, page_of(plain.source_id, "a", body, relationships=(named, defines)))
    rows = (
        "SELECT count(*) AS edges, count(moved_at) AS moved FROM relationship WHERE source_id = %s AND type = 'defines'"
    )
    assert await index.rows(rows, models.source_id) == [(3, 0)]
    assert await index.rows(rows, plain.source_id) == [(1, 0)]
    await index.stores.of(HistoryStore).purge(models.source_id, datetime.now(UTC))
    assert await index.rows(rows, models.source_id) == [(1, 0)]
