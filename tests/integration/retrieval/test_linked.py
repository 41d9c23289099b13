"""Chunks one step along the graph, as PostgreSQL finds them."""

import random
from dataclasses import replace
from datetime import datetime

import pytest
from tests.integration.retrieval.world import ME, World
from tests.unit.tools.clients import connected, text_of

from citemark.features.graph.store.graph import GraphStore
from citemark.features.graph.store.mentions import MentionStore
from citemark.model.documents import StatedRelationship
from citemark.model.graph import IN_FOLDER, LINKS_TO, MENTIONS, NAMED, REFERENCES, Entity, EntityKind
from citemark.model.ids import NativeId
from citemark.model.scope import RequestScope
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.model.walks import NeighbourFilter, Node
from citemark.store.candidate_search import END_OF_TIME, NOT_FOLLOWED
from citemark.store.history import HistoryStore

pytestmark = pytest.mark.requirement("linked-chunks-found-both-ways")

BODY = "above\n\n# One\nfirst\n\n# Two\nsecond\n"
TERM = Entity(EntityKind.TERM, "claim handling")


def to_page(native_id: str, section: str | None = None, **fields: str) -> StatedRelationship:
    return StatedRelationship(LINKS_TO, section, NativeId(native_id), None, Span(0, 1), metadata=fields)


def to_term(kind: str, section: str | None = None) -> StatedRelationship:
    return StatedRelationship(kind, section, None, None, Span(0, 1), to_entity=TERM)


async def chunk_of(world: World, native_id: str, slug: str = "") -> int:
    """The chunk of a section, or the first of a page."""
    place = f"{native_id}#{slug}" if slug else native_id
    return await world.index.value(
        "SELECT c.chunk_id FROM chunk c JOIN document d USING (source_id, document_id)"
        " WHERE d.native_id = %s AND c.valid_to = 'infinity' ORDER BY c.ordinal LIMIT 1",
        place,
    )


async def linked(
    world: World, native_id: str, slug: str = "", *, most: int = 16, at: datetime | None = None
) -> set[str]:
    """The sections and pages of the chunks that are linked to one."""
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    allowed = replace(allowed, read_at=at)
    found = await world.index.stores.search.linked(allowed, [await chunk_of(world, native_id, slug)], most)
    texts = await world.index.stores.search.read(allowed, [each.chunk_id for each in found])
    return {f"{'->' if each.outgoing else '<-'} {texts[each.chunk_id].section_native_id}" for each in found}


@pytest.fixture
async def docs(world: World) -> Source:
    return await world.source("docs", {"goal.md": BODY, "other.md": BODY})


async def put(world: World, source: Source, native_id: str, *stated: StatedRelationship, body: str = BODY) -> None:
    await world.index.put(source, native_id, body, relationships=stated)


async def test_a_section_reaches_the_page_that_it_links_to_and_that_page_the_section(
    world: World, docs: Source
) -> None:
    await put(world, docs, "start.md", to_page("goal.md#anywhere", "one"))
    assert await linked(world, "start.md", "one") == {"-> goal.md", "-> goal.md#one"}
    assert await linked(world, "start.md", "two") == set()
    assert await linked(world, "goal.md") == {"<- start.md#one"}


@pytest.mark.requirement("links-across-sources-are-found")
async def test_a_mention_reaches_the_document_with_that_name_in_another_source(world: World, docs: Source) -> None:
    models = await world.source("models", {})
    await put(world, models, "element-1", to_term(NAMED), body="an element")
    await put(world, docs, "text.md", to_term(MENTIONS, "two"))
    assert await linked(world, "text.md", "two") == {"-> element-1"}
    assert await linked(world, "element-1") == {"<- text.md#two"}
    await world.index.rows("DELETE FROM source_grant WHERE source_id = %s", models.source_id)
    assert await linked(world, "text.md", "two") == set()


@pytest.mark.parametrize(("said", "linked_by_it"), [({"plain": "true"}, False), ({}, True)])
async def test_a_plain_word_that_too_many_pages_use_links_nothing(
    world: World, docs: Source, said: dict[str, str], *, linked_by_it: bool
) -> None:
    await put(world, docs, "bearer.md", to_term(NAMED), body="a page")
    mention = StatedRelationship(MENTIONS, "two", None, None, Span(0, 1), to_entity=TERM, metadata=said)
    await put(world, docs, "text.md", mention)
    await world.index.rows(
        "INSERT INTO common_name (source_id, to_key) VALUES (%s, node_key(0, 'term', 'claim handling'))", docs.source_id
    )
    assert bool(await linked(world, "text.md", "two")) is linked_by_it
    assert bool(await linked(world, "bearer.md")) is linked_by_it


@pytest.mark.requirement("historic-question-gives-same-bytes")
async def test_a_word_that_becomes_common_or_rare_later_changes_no_earlier_state(world: World, docs: Source) -> None:
    mentions = world.index.stores.of(MentionStore)
    moments: list[datetime] = []
    await put(world, docs, "bearer.md", to_term(NAMED), body="a page")
    mention = StatedRelationship(MENTIONS, "two", None, None, Span(0, 1), to_entity=TERM, metadata={"plain": "true"})
    await put(world, docs, "text.md", mention)
    for share in (1.0, 0.0, 1.0, 0.0):
        await mentions.claim(docs.source_id, "linker")
        await mentions.end(docs.source_id, "linker", common_share=share, pause=0)
        moments.append(await world.index.stores.horizon.now())
    for at, there in zip([*moments, None], (True, False, True, False, False), strict=True):
        by_search, by_walk = await followed(world, at)
        assert (bool(by_search), bool(by_walk)) == (there, there), at
    await put(world, docs, "text.md", mention, body=BODY + "more\n")
    assert await world.index.value("SELECT count(*) FROM common_name") == 2
    await world.index.stores.of(HistoryStore).purge(docs.source_id, await world.index.stores.horizon.now())
    assert await world.index.value("SELECT count(*) FROM common_name") == 1


async def test_no_more_edges_of_a_hub_are_followed_than_requested(world: World, docs: Source) -> None:
    for number in range(30):
        await put(world, docs, f"{number:02}.md", to_page("goal.md"), body="see the goal")
    assert await linked(world, "goal.md", most=5) == {f"<- {number:02}.md" for number in range(5)}


async def test_past_links_are_found_in_the_state_of_that_moment(world: World, docs: Source) -> None:
    await put(world, docs, "start.md", to_page("goal.md"))
    then = await world.index.value("SELECT clock_timestamp()")
    old = await chunk_of(world, "start.md")
    await put(world, docs, "start.md", to_page("other.md"), body=BODY + "more\n")
    assert await linked(world, "start.md") == {"-> other.md", "-> other.md#one"}
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    found = await world.index.stores.search.linked(replace(allowed, read_at=then), [old], 16)
    texts = await world.index.stores.search.read(allowed, [each.chunk_id for each in found])
    assert {each.section_native_id for each in texts.values()} == {"goal.md", "goal.md#one"}
    assert await linked(world, "goal.md", at=then) == {"<- start.md", "<- start.md#one"}


async def test_a_deleted_document_cannot_be_reached_any_more(world: World, docs: Source) -> None:
    await put(world, docs, "start.md", to_page("goal.md"))
    await world.index.drop(docs, "goal.md")
    assert await linked(world, "start.md") == set()


async def test_a_page_that_links_to_itself_reaches_nothing(world: World, docs: Source) -> None:
    await put(world, docs, "self.md", to_page("self.md"), body="only me")
    assert await linked(world, "self.md") == set()


TERMS = [f"term {number}" for number in range(4)]
PAGES = [f"{number}.md" for number in range(8)]


def drawn(chance: random.Random, own: str) -> list[StatedRelationship]:
    """Edges of each kind from the page `own` and its sections; it mentions the name of another page, never its own."""
    found: list[StatedRelationship] = []
    number = PAGES.index(own)
    for _ in range(6):
        section, term, target = chance.choice([None, "one", "two"]), chance.choice(TERMS), chance.choice(PAGES)
        stated = {
            LINKS_TO: to_page(chance.choice([target, f"{target}#two", f"{target}#gone"]), section),
            "Serving": replace(to_page(target, section), type="Serving"),
            IN_FOLDER: replace(to_page("guides", section, doc_type="folder"), type=IN_FOLDER),
            REFERENCES: StatedRelationship(REFERENCES, section, None, "https://example.org/", Span(0, 1)),
            MENTIONS: StatedRelationship(
                MENTIONS,
                section,
                None,
                None,
                Span(0, 1),
                to_entity=Entity(EntityKind.TERM, term),
                metadata=chance.choice([{}, {"plain": "true"}]),
            ),
        }
        type_ = chance.choice([*stated, MENTIONS])
        if type_ != MENTIONS or term != TERMS[number % len(TERMS)]:
            found.append(stated[type_])
    return [*found, replace(to_term(NAMED), to_entity=Entity(EntityKind.TERM, TERMS[number % len(TERMS)]))]


async def followed(world: World, at: datetime | None) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """Pages reached from each document: by a search, and by a walk over the edges that a search follows."""
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    allowed = replace(allowed, read_at=at)
    rows = await world.index.rows(
        "SELECT min(c.chunk_id), d.source_id, d.doc_type, d.native_id, d.document_id,"
        " coalesce(d.page_id, d.document_id) FROM chunk c JOIN document d USING (source_id, document_id)"
        " WHERE c.valid_from <= %s AND c.valid_to > %s GROUP BY d.source_id, d.document_id",
        at or END_OF_TIME,
        at or END_OF_TIME,
    )
    documents = {chunk_id: Node(*node) for chunk_id, *node in rows}
    found = await world.index.stores.search.linked(allowed, list(documents), 100)
    graph = GraphStore(world.database)
    hop = await graph.neighbours(allowed, list(documents.values()), NeighbourFilter(per_node=100))
    walked = {
        (int(step.node.document_id), int(step.other.page_id))
        for step in hop.steps
        if step.edge.type not in NOT_FOLLOWED and step.other.is_document and step.other != step.node
    }
    return {(int(documents[each.from_id].document_id), each.page_id) for each in found}, walked


@pytest.mark.parametrize("seed", range(3))
async def test_a_search_follows_the_edges_that_a_walk_shows_whatever_the_graph(world: World, seed: int) -> None:
    chance = random.Random(seed)
    sources = [await world.source("docs", {}), await world.source("models", {})]
    homes = {page: chance.choice(sources) for page in PAGES}
    for page in PAGES:
        await put(world, homes[page], page, *drawn(chance, page))
    for source in sources:
        await world.index.rows(
            "INSERT INTO common_name (source_id, to_key) VALUES (%s, node_key(0, 'term', %s))",
            source.source_id,
            chance.choice(TERMS),
        )
    then = await world.index.value("SELECT clock_timestamp()")
    before, walked_before = await followed(world, None)
    assert before == walked_before
    assert before
    for page in chance.sample(PAGES, 4):
        await put(world, homes[page], page, *drawn(chance, page), body=BODY + "more\n")
    after, walked_after = await followed(world, None)
    assert after == walked_after
    past, walked_past = await followed(world, then)
    assert past == walked_past == before


@pytest.mark.requirement("tools-kb-debug-path", "hybrid-local-expands-over-the-graph")
async def test_a_model_sees_over_which_edge_a_passage_came_forward(world: World) -> None:
    source = await world.source("docs", {})
    texts = {"pump.md": "The pump needs oil.", "valve.md": "Honey for breakfast."}
    stated = {"pump.md": (to_page("valve.md"),), "valve.md": ()}
    for native_id, body in texts.items():
        world.memory[source.source_id].texts[native_id] = body
        await put(world, source, native_id, *stated[native_id], body=body)
    await world.write(source, {})
    async with connected(world.services) as client:
        options = {"min_score": 0, "include_debug": True, "mode": "hybrid_local"}
        result = await client.call_tool("kb_search", {"query": "which pump needs oil", "options": options})
    rows = {row["section_id"]: row for row in result.structured_content["results"]}
    assert rows["valve.md"]["why"]["graph_path"] == ["pump.md -links_to-> this"]
    assert rows["pump.md"]["why"]["graph_path"] == ["this -links_to-> valve.md"]
    assert "linked: pump.md -links_to-> this" in text_of(result)
    assert "linked: this -links_to-> valve.md" in text_of(result)
