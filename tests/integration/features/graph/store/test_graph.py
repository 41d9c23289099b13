"""Nodes and edges as the store reads them: from both ends, in any state, inside the sources allowed, and in bounds."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from psycopg import AsyncClientCursor
from tests.support.index import Index
from tests.support.pages import page_of

from citemark.features.graph.store.graph import GraphStore
from citemark.model.documents import DocumentKey, StatedRelationship
from citemark.model.graph import DEFINES, IN_FOLDER, LINKS_TO, MENTIONS, NAMED, Entity, EntityKind
from citemark.model.ids import NativeId
from citemark.model.pages import Page
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import AllowedSources, Source
from citemark.model.text import Span
from citemark.model.walks import Hop, NeighbourFilter, Node, NodeName
from citemark.store.database import Database


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


@pytest.fixture
def graph(database: Database) -> GraphStore:
    return GraphStore(database)


def link(target: str, kind: str = LINKS_TO, section: str | None = None) -> StatedRelationship:
    return StatedRelationship(kind, section, NativeId(target), None, Span(2, 5))


def term(name: str, kind: str = NAMED, section: str | None = None) -> StatedRelationship:
    return StatedRelationship(kind, section, None, None, Span(0, 1), to_entity=Entity(EntityKind.TERM, name))


def folder(name: str) -> StatedRelationship:
    return StatedRelationship(IN_FOLDER, None, NativeId(name), None, Span(0, 1), metadata={"doc_type": "folder"})


async def put(
    index: Index, source: Source, native_id: str, *stated: StatedRelationship, body: str = "# One\nx\n"
) -> None:
    await index.put_page(source, page_of(source.source_id, native_id, body, relationships=stated))


async def allowed_of(index: Index) -> AllowedSources:
    return await index.stores.sources.allowed(Principal.local(), RequestScope())


async def node_of(index: Index, graph: GraphStore, source: Source, name: str, kind: str = "docs_page") -> Node:
    wanted = NodeName(0 if kind == "term" else source.source_id, kind, name)
    return (await graph.nodes(await allowed_of(index), [wanted]))[wanted]


async def around(index: Index, graph: GraphStore, *nodes: Node, **wanted: object) -> set[tuple[str, str, str]]:
    hop = await graph.neighbours(await allowed_of(index), nodes, NeighbourFilter(**wanted))  # type: ignore[arg-type]
    return spelled(hop)


def spelled(hop: Hop) -> set[tuple[str, str, str]]:
    return {(step.edge.start.name, step.edge.type, step.edge.end.name) for step in hop.steps}


async def test_an_edge_is_read_from_both_of_its_ends_with_where_it_was_stated(index: Index, graph: GraphStore) -> None:
    docs = await index.source()
    await put(index, docs, "a.md", link("b.md", section="one"), folder("guides"))
    await put(index, docs, "b.md", link("gone.md"))
    section = await node_of(index, graph, docs, "a.md#one", "section")
    page = await node_of(index, graph, docs, "b.md")
    assert await around(index, graph, section) == {
        ("a.md#one", "links_to", "b.md"),
        ("a.md", "contains", "a.md#one"),
    }
    assert await around(index, graph, page) == {("a.md#one", "links_to", "b.md"), ("b.md", "contains", "b.md#one")}
    hop = await graph.neighbours(await allowed_of(index), [page], NeighbourFilter(leaving=None))
    ((_, edge, other),) = hop.steps
    revision = await index.value(
        "SELECT revision_id FROM revision JOIN document USING (document_id) WHERE native_id = 'a.md'"
    )
    assert (edge.revision_id, edge.start_char, edge.end_char) == (revision, 2, 5)
    assert other == section
    assert other.page_id == (await node_of(index, graph, docs, "a.md")).document_id
    guides = await node_of(index, graph, docs, "guides", "folder")
    assert await around(index, graph, guides) == {("a.md", "in_folder", "guides")}


async def test_types_and_directions_choose_edges_before_their_number_does(index: Index, graph: GraphStore) -> None:
    docs = await index.source()
    await put(index, docs, "a.md", *(term(f"word {n}", MENTIONS) for n in range(20)), link("b.md"), body="x\n")
    await put(index, docs, "b.md", *(term(f"word {n}", DEFINES) for n in range(20)), body="x\n")
    page = await node_of(index, graph, docs, "a.md")
    assert await around(index, graph, page, leaving=(LINKS_TO,), per_node=1) == {("a.md", "links_to", "b.md")}
    assert await around(index, graph, page, leaving=None) == set()
    hop = await graph.neighbours(await allowed_of(index), [page], NeighbourFilter(per_node=6))
    assert ("a.md", "links_to", "b.md") in spelled(hop), "the strongest come first"
    assert len(hop.steps) == 6
    assert hop.cut == {page}


async def test_a_node_with_more_edges_than_are_read_is_cut_though_some_lead_nowhere(
    index: Index, graph: GraphStore
) -> None:
    docs = await index.source()
    await put(index, docs, "a.md", link("gone.md"), link("b.md"), link("c.md"), body="x\n")
    for name in ("b.md", "c.md"):
        await put(index, docs, name, body="x\n")
    page = await node_of(index, graph, docs, "a.md")

    async def read(per_node: int) -> tuple[set[str], bool]:
        hop = await graph.neighbours(await allowed_of(index), [page], NeighbourFilter(per_node=per_node))
        return {step.other.name for step in hop.steps}, page in hop.cut

    assert await read(4) == ({"b.md", "c.md"}, False)
    assert await read(2) == ({"b.md"}, True)
    assert await read(1) == (set(), True)


@pytest.mark.requirement("page-graph-many-neighbours")
async def test_a_group_of_edges_is_read_in_parts_to_its_end_and_each_edge_once(index: Index, graph: GraphStore) -> None:
    names = [f"p{number}.md" for number in range(7)]
    sources = [await index.source(), await index.source("other")]
    for source in sources:
        for name in names:
            await put(index, source, name, term("valve", MENTIONS), link("a.md"), link("gone.md"), body="x\n")
    docs = sources[0]
    await put(index, docs, "a.md", term("valve"), *(link(name) for name in (*names, "gone.md")), body="x\n")
    page, allowed = await node_of(index, graph, docs, "a.md"), await allowed_of(index)

    async def read(wanted: NeighbourFilter, size: int = 3) -> tuple[list[str], set[int], list[int]]:
        parts = [await graph.part_of_group(allowed, page, wanted, start, size) for start in range(0, 18, size)]
        steps = [step for part in parts for step in part.steps]
        assert len(steps) == len({step.edge for step in steps})
        return sorted(step.other.name for step in steps), {part.total for part in parts}, [len(p.steps) for p in parts]

    assert await read(NeighbourFilter((LINKS_TO,), None, 100)) == (names, {8}, [3, 3, 1, 0, 0, 0])
    assert await read(NeighbourFilter(None, (LINKS_TO,), 100)) == (names, {7}, [3, 3, 1, 0, 0, 0])
    mentioned = await read(NeighbourFilter(None, (MENTIONS,), 100))
    assert mentioned == (sorted([*names, *names]), {14}, [3, 3, 3, 3, 2, 0])
    assert (await read(NeighbourFilter(None, (MENTIONS,), 5)))[1] == {5}, "no more are counted than may be"


async def test_sections_are_found_below_pages_and_sections_at_any_depth(index: Index, graph: GraphStore) -> None:
    docs = await index.source()
    page = nested(page_of(docs.source_id, "a.md", "# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F\n"))
    await index.put_page(docs, page)
    await put(index, docs, "b.md", folder("all"))
    nodes = [
        await node_of(index, graph, docs, name, kind)
        for name, kind in (("a.md#c", "section"), ("a.md", "docs_page"), ("all", "folder"), ("b.md", "docs_page"))
    ]

    async def below(*some: Node, limit: int = 9) -> list[str]:
        return [node.name for node in await graph.sections_below(await allowed_of(index), some, limit)]

    assert await below(nodes[0]) == ["a.md#c", "a.md#d", "a.md#e", "a.md#f"]
    assert await below(nodes[1]) == [f"a.md#{slug}" for slug in "abcdef"]
    assert await below(*nodes) == [f"a.md#{slug}" for slug in "cdefab"] + ["b.md#one"]
    assert await below(*nodes, limit=5) == [f"a.md#{slug}" for slug in "cdefa"]
    assert await below(nodes[2]) == []


def nested(page: Page) -> Page:
    """The page with each section inside the one before it."""
    slugs = [None, *(entry.section.slug for entry in page.sections)]
    sections = [
        replace(entry, section=replace(entry.section, parent=parent))
        for entry, parent in zip(page.sections, slugs, strict=False)
    ]
    return replace(page, sections=tuple(sections))


async def test_a_mention_leads_to_the_documents_with_that_name_in_any_source(index: Index, graph: GraphStore) -> None:
    docs, model = await index.source(), await index.source("model")
    await put(index, model, "el-1", term("crm system"), body="x\n")
    mentioned = [term(name, MENTIONS, "one") for name in ("crm system", "ledger", "nobody")]
    await put(index, docs, "a.md", *mentioned)
    await put(index, docs, "b.md", term("ledger", DEFINES, "one"))
    section = await node_of(index, graph, docs, "a.md#one", "section")
    element = await node_of(index, graph, model, "el-1")
    assert await around(index, graph, section) == {
        ("a.md", "contains", "a.md#one"),
        ("a.md#one", "mentions", "el-1"),
        ("a.md#one", "mentions", "ledger"),
    }, "nothing is called nobody any more"
    assert await around(index, graph, element) == {("a.md#one", "mentions", "el-1")}
    name = await node_of(index, graph, docs, "crm system", "term")
    assert await around(index, graph, name) == {
        ("a.md#one", "mentions", "crm system"),
        ("el-1", "named", "crm system"),
    }


async def test_an_edge_counts_only_where_both_of_its_ends_are_allowed(index: Index, graph: GraphStore) -> None:
    docs, secret = await index.source(), await index.source("secret")
    await put(index, secret, "el-1", term("crm system"), folder("x"), body="x\n")
    await put(index, secret, "el-2", term("crm system", MENTIONS), body="x\n")
    await put(index, docs, "a.md", term("crm system", MENTIONS), term("a page"), body="x\n")
    page = await node_of(index, graph, docs, "a.md")
    everything = await allowed_of(index)
    mine = everything.among({docs.source_id})
    name = NodeName(0, "term", "crm system")
    assert spelled(await graph.neighbours(mine, [page], NeighbourFilter())) == set(), "for me nothing bears the name"
    assert spelled(await graph.neighbours(mine, [Node(*name)], NeighbourFilter())) == set()
    theirs = await node_of(index, graph, secret, "el-1")
    assert spelled(await graph.neighbours(mine, [theirs], NeighbourFilter())) == set()
    wanted = [name, NodeName(secret.source_id, "docs_page", "el-1"), NodeName(secret.source_id, "folder", "x")]
    assert await graph.nodes(mine, wanted) == {}
    assert set(await graph.nodes(everything, wanted)) == set(wanted)
    assert await graph.near_entities(mine, "term", ["crm"], 9) == []
    assert await graph.near_entities(everything, "term", ["crm"], 9) == [name]
    assert await graph.counts(mine) == ({"docs_page": 1, "term": 1}, {"named": 1})


@pytest.mark.parametrize("bears", [NAMED, DEFINES])
async def test_a_mention_counts_as_soon_as_something_allowed_bears_the_name(
    index: Index, graph: GraphStore, bears: str
) -> None:
    docs, secret = await index.source(), await index.source("secret")
    await put(index, secret, "el-1", term("crm system"), body="x\n")
    await put(index, docs, "a.md", term("crm system", MENTIONS), body="x\n")
    before = await index.value("SELECT clock_timestamp()")
    await put(index, docs, "b.md", term("crm system", bears), body="x\n")
    mine = (await allowed_of(index)).among({docs.source_id})
    page = await node_of(index, graph, docs, "a.md")
    leads_to = "b.md" if bears == NAMED else "crm system"
    assert spelled(await graph.neighbours(mine, [page], NeighbourFilter())) == {("a.md", "mentions", leads_to)}
    name = NodeName(0, "term", "crm system")
    assert spelled(await graph.neighbours(mine, [Node(*name)], NeighbourFilter())) == {
        ("a.md", "mentions", "crm system"),
        ("b.md", bears, "crm system"),
    }
    assert set(await graph.nodes(mine, [name])) == {name}
    assert (await graph.counts(mine))[1] == {bears: 1, "mentions": 1}
    then = replace(mine, read_at=before)
    assert spelled(await graph.neighbours(then, [page, Node(*name)], NeighbourFilter())) == set()
    assert (await graph.counts(then))[1] == {}


async def test_sections_of_one_name_belong_each_to_its_own_page(index: Index, graph: GraphStore) -> None:
    docs = await index.source()
    stated = (link("5#one"), term("card", DEFINES, "one"))
    card = page_of(docs.source_id, "5", "# One\nx\n## Two\ny\n", relationships=stated)
    await index.put_page(docs, replace(card, key=DocumentKey(docs.source_id, "card", NativeId("5"))))
    await put(index, docs, "5", link("5#one"), term("file", DEFINES, "one"))
    allowed = await allowed_of(index)
    for doc_type, term_of_it in (("card", "card"), ("docs_page", "file")):
        page = await node_of(index, graph, docs, "5", doc_type)
        hop = await graph.neighbours(allowed, [page], NeighbourFilter())
        assert {step.other.page_id for step in hop.steps} == {page.document_id}
        wanted = NodeName(docs.source_id, "section", "5#one", page.document_id)
        (section,) = (await graph.nodes(allowed, [wanted])).values()
        assert section.page_id == page.document_id
        around_it = await graph.neighbours(allowed, [section], NeighbourFilter())
        assert ("5#one", "defines", term_of_it) in spelled(around_it)
        assert {step.other.page_id for step in around_it.steps} == {0, page.document_id}
    newest = await node_of(index, graph, docs, "5#one", "section")
    assert newest.page_id == (await node_of(index, graph, docs, "5")).document_id, "the one that came last"


async def test_a_past_state_has_the_edges_that_it_had(index: Index, graph: GraphStore) -> None:
    docs = await index.source()
    await put(index, docs, "a.md", link("b.md"), term("first", MENTIONS), body="old\n")
    await put(index, docs, "b.md", term("first"), body="x\n")
    page = await node_of(index, graph, docs, "a.md")
    before = await index.value("SELECT clock_timestamp()")
    await put(index, docs, "a.md", link("c.md"), body="new\n")
    await put(index, docs, "c.md", body="x\n")
    await index.drop(docs, "b.md")
    assert await around(index, graph, page) == {("a.md", "links_to", "c.md")}
    then = replace(await allowed_of(index), read_at=before)
    assert spelled(await graph.neighbours(then, [page], NeighbourFilter())) == {
        ("a.md", "links_to", "b.md"),
        ("a.md", "mentions", "b.md"),
    }
    gone, come = (NodeName(docs.source_id, "docs_page", name) for name in ("b.md", "c.md"))
    assert set(await graph.nodes(then, [gone, come])) == {gone}
    assert set(await graph.nodes(await allowed_of(index), [gone, come])) == {come}
    never = replace(then, read_at=datetime(2000, 1, 1, tzinfo=UTC))
    assert spelled(await graph.neighbours(never, [page], NeighbourFilter())) == set()


@pytest.mark.slow
async def test_a_node_with_a_hundred_thousand_neighbours_costs_no_more_than_its_share(
    index: Index, graph: GraphStore
) -> None:
    docs = await index.source()
    await put(index, docs, "a.md", folder("all"), body="x\n")
    await index.rows(_MANY_PAGES)
    everything = await node_of(index, graph, docs, "all", "folder")
    hop = await graph.neighbours(await allowed_of(index), [everything], NeighbourFilter(per_node=50))
    assert len(hop.steps) == 50
    assert hop.cut == {everything}
    again = await graph.neighbours(await allowed_of(index), [everything], NeighbourFilter(per_node=50))
    assert again == hop, "the same are taken each time"
    assert most_rows(await plan_of(index, graph, everything)) <= 50 * 4
    group = NeighbourFilter(None, (IN_FOLDER,), 200_000)
    last = await graph.part_of_group(await allowed_of(index), everything, group, 99_900, 200)
    assert (len(last.steps), last.total) == (101, 100_001)


_MANY_PAGES = """
WITH d AS (INSERT INTO document (source_id, doc_type, native_id, valid_from)
           SELECT s.source_id, 'docs_page', 'x' || g, '2026-01-01' FROM source s, generate_series(1, 100000) g
           RETURNING source_id, document_id, valid_from)
INSERT INTO relationship (source_id, page_id, from_document_id, type, to_native_id, to_kind, to_key,
                          valid_from, valid_to)
SELECT source_id, document_id, document_id, 'in_folder', 'all', 'folder', node_key(source_id, 'folder', 'all'),
       valid_from + g * interval '1 day',
       CASE g WHEN 3 THEN timestamptz 'infinity' ELSE valid_from + (g + 1) * interval '1 day' END
FROM d, generate_series(0, 3) g
"""


async def plan_of(index: Index, graph: GraphStore, node: Node) -> dict[str, object]:
    """How the server goes about the neighbours of a node with the plan that it keeps."""
    seen: list[dict[str, object]] = []
    database = index.database

    class Explaining(Database):
        def __init__(self) -> None:
            self.queries = database.queries

        async def read_sql(  # type: ignore[override]
            self, statement: str, params: object = None, *, planned_once: bool, on_replicas: bool = False
        ) -> list[dict[str, object]]:
            assert planned_once
            assert on_replicas
            names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", statement)))
            numbered = re.sub(r"%\((\w+)\)s", lambda match: f"${names.index(match[1]) + 1}", statement)
            given = ", ".join(f"%({name})s" for name in names)
            async with database.transaction() as connection:
                await connection.execute("SET LOCAL plan_cache_mode = force_generic_plan")
                await connection.execute(f"PREPARE walk AS {numbered}".encode())
                cursor = AsyncClientCursor(connection)
                await cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE walk ({given})".encode(), params)  # type: ignore[arg-type]
                row = await cursor.fetchone()
                await connection.execute("DEALLOCATE walk")
            assert row is not None
            seen.append(row["QUERY PLAN"][0]["Plan"])
            return []

    await GraphStore(Explaining()).neighbours(await allowed_of(index), [node], NeighbourFilter(per_node=50))
    return seen[0]


def most_rows(plan: dict[str, object]) -> float:
    """The most rows that any part of a plan has read."""
    inner: Iterable[dict[str, object]] = plan.get("Plans", ())  # type: ignore[assignment]
    own = float(plan["Actual Rows"]) + float(plan.get("Rows Removed by Filter", 0))  # type: ignore[arg-type]
    return max([own, *(most_rows(each) for each in inner)])
