"""Mentions are recorded with the page that makes them, and by a pass where a name became known later."""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from tests.support.index import Index
from tests.support.indexing_loop import IndexingLoop
from tests.support.pages import page_of
from tests.support.patience import HANG_SECONDS

from citemark.extraction.markdown.document import extract_markdown
from citemark.features.graph.store.mentions import MentionStore, NameScope
from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.documents import StatedRelationship
from citemark.model.graph import DEFINES, NAMED, Entity, EntityKind
from citemark.model.sources import NewSource
from citemark.model.text import Extracted, Span
from citemark.store.database import Database
from citemark.store.pages import OutdatedNames

LIVING = (
    "SELECT d.native_id, x.to_name FROM relationship x JOIN document d"
    " ON d.source_id = x.source_id AND d.document_id = x.from_document_id"
    " WHERE x.type = 'mentions' AND x.valid_to = 'infinity' ORDER BY 1, 2"
)
QUOTED = (
    "SELECT d.native_id, substr(r.body, x.start_char + 1, x.end_char - x.start_char) FROM relationship x"
    " JOIN document d ON d.source_id = x.source_id AND d.document_id = x.from_document_id"
    " JOIN revision r ON r.source_id = x.source_id AND r.revision_id = x.revision_id"
    " WHERE x.type = 'mentions' AND x.valid_to = 'infinity' ORDER BY 1"
)
CLAIMS = "# Claims\nWe use the pump control for it.\n\n## Payment\nPump Control again, and pump control.\n"
PUMP = "# Pump control\nThe pump control itself.\n"


def read(native_id: str, body: str) -> Extracted:
    return extract_markdown(body, fallback_title=native_id)


@pytest.fixture
async def loop(database: Database) -> AsyncGenerator[IndexingLoop, None]:
    with ThreadPoolExecutor(1) as threads:
        made = IndexingLoop(database, threads)
        made.memory.read = read
        made.memory.texts = {"claims.md": CLAIMS, "pump.md": PUMP}
        yield made


async def mentions(loop: IndexingLoop) -> list[tuple[str, str]]:
    return [(row[0], row[1]) for row in await loop.index.rows(LIVING)]


@pytest.mark.requirement("mentions-reach-earlier-pages")
async def test_names_of_the_first_load_are_linked_once_a_section_and_cite_their_place(loop: IndexingLoop) -> None:
    await loop.sync()
    assert await mentions(loop) == [("claims.md#claims", "pump control"), ("claims.md#claims/payment", "pump control")]
    assert [row[1] for row in await loop.index.rows(QUOTED)] == ["pump control", "Pump Control"]


async def test_a_page_that_is_read_later_has_its_mentions_in_its_own_transaction(loop: IndexingLoop) -> None:
    await loop.sync()
    loop.memory.texts["later.md"] = "# Later\nThe pump control once more.\n"
    await loop.sync()
    assert ("later.md#later", "pump control") in await mentions(loop)
    recorded = await loop.index.rows(
        "SELECT count(*) FROM relationship x JOIN revision r USING (source_id, revision_id)"
        " WHERE x.type = 'mentions' AND r.title = 'Later' AND x.valid_from = r.valid_from"
    )
    assert recorded == [(1,)]


@pytest.mark.requirement("mentions-reach-earlier-pages")
async def test_a_new_name_reaches_pages_that_were_read_before_it(loop: IndexingLoop) -> None:
    await loop.sync()
    loop.memory.texts["again.md"] = "# Again control\nNothing.\n\n## For it\nThis names a thing.\n"
    await loop.sync()
    assert ("claims.md#claims", "for it") in await mentions(loop)


async def test_a_mention_found_later_holds_from_then_until_its_page_changes(loop: IndexingLoop) -> None:
    await loop.sync()
    loop.memory.texts["claims.md"] = "# Claims\nNo more of it.\n"
    await loop.sync()
    assert await mentions(loop) == []
    kept = "SELECT count(*) FROM relationship WHERE type = 'mentions' AND valid_from < valid_to"
    assert await loop.index.value(kept) == 2
    later = (
        "SELECT bool_and(x.valid_from > r.valid_from) FROM relationship x"
        " JOIN revision r USING (source_id, revision_id) WHERE x.type = 'mentions'"
    )
    assert await loop.index.value(later)


async def test_nothing_is_written_again_where_nothing_is_new(loop: IndexingLoop) -> None:
    await loop.sync()
    before = await loop.index.rows("SELECT m::text FROM mention_state m")
    assert await loop.later_edges.step([loop.source.source_id] if loop.source else [], now=True) is False
    assert await loop.index.rows("SELECT m::text FROM mention_state m") == before


async def test_names_that_no_document_has_any_more_are_forgotten(loop: IndexingLoop) -> None:
    await loop.sync()
    del loop.memory.texts["pump.md"]
    await loop.sync()
    assert await loop.index.rows("SELECT name FROM known_name ORDER BY 1") == [("claims",), ("payment",)]


async def test_names_of_a_document_deleted_without_history_are_forgotten(loop: IndexingLoop) -> None:
    loop.source = await loop.index.source(keep_history=False)
    await loop.sync()
    names = "SELECT name FROM known_name ORDER BY 1"
    assert await loop.index.rows(names) == [("claims",), ("payment",), ("pump control",)]
    del loop.memory.texts["pump.md"]
    await loop.sync()
    assert await loop.index.rows(names) == [("claims",), ("payment",)]
    before = await loop.index.rows("SELECT m::text FROM mention_state m")
    assert await loop.later_edges.step([loop.source.source_id], now=True) is False
    assert await loop.index.rows("SELECT m::text FROM mention_state m") == before, "once is enough"


async def test_names_read_before_an_account_was_switched_off_are_not_stored_after_it(database: Database) -> None:
    index = Index(database)
    source = await index.source(keep_history=False)
    mentions = index.stores.of(MentionStore)
    await mentions.claim(source.source_id, "m")
    await index.stores.of(AccountStore, index.stores.sources).switch_off(source, None)
    await mentions.note(source.source_id, {"pump control": ["Pump control"]}, await index.stores.horizon.now())
    assert await index.rows("SELECT name FROM known_name") == []


@pytest.mark.requirement("mentions-follow-the-rules")
async def test_a_plain_word_that_more_than_one_page_in_a_hundred_uses_is_too_common(loop: IndexingLoop) -> None:
    loop.memory.texts = {f"{n}.md": f"# Page number {n}\nNothing of it.\n" for n in range(198)}
    loop.memory.texts["customer.md"] = "# Customer\nIt pays. Also see Broker.\n"
    loop.memory.texts["broker.md"] = "# Broker\nThe Customer pays a Broker.\n"
    for n in range(3):
        loop.memory.texts[f"{n}.md"] = f"# Page number {n}\nHere the Broker asks.\n"
    await loop.sync()
    common = "SELECT x.to_name FROM common_name c JOIN relationship x USING (source_id, to_key) GROUP BY 1"
    assert await loop.index.rows(common) == [("broker",)]
    assert {name for _, name in await mentions(loop)} == {"broker", "customer"}


async def test_a_page_built_with_fewer_names_than_its_source_knows_is_not_written(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    stores = index.stores
    await stores.of(MentionStore).claim(source.source_id, "m")
    await stores.of(MentionStore).begin(source.source_id, "m", NameScope((source.source_id,), 7))
    page = page_of(source.source_id, "a.md", "# A\nx\n")
    with pytest.raises(OutdatedNames):
        await index.put_page(source, replace(page, names_number=6))
    await index.put_page(source, replace(page, names_number=7))


async def test_a_pass_waits_for_pages_that_are_being_written(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    mentions = index.stores.of(MentionStore)
    await mentions.claim(source.source_id, "m")
    async with database.transaction() as connection:
        await connection.execute(database.queries["page_begin"], {"source_id": source.source_id})
        begun = asyncio.create_task(mentions.begin(source.source_id, "m", NameScope((source.source_id,), 1)))
        await asyncio.wait([begun], timeout=0.3)
        assert not begun.done()
    state = await begun
    assert state is not None
    assert state.wanted == 1


async def test_an_interrupted_linking_pass_is_continued_by_another_process(loop: IndexingLoop) -> None:
    await loop.sync()
    assert loop.source is not None
    number = loop.source.source_id
    await loop.index.rows(
        "UPDATE mention_state SET linked = 0, leased_by = 'dead', lease_until = now() - interval '1s'"
    )
    await loop.index.rows("DELETE FROM relationship WHERE type = 'mentions'")
    while await loop.later_edges.step([number], now=True):
        pass
    assert len(await mentions(loop)) == 2


@pytest.mark.parametrize(("wanted", "sources", "anew"), [(0, None, False), (-1, None, True), (0, list[int](), True)])
async def test_an_interrupted_linking_pass_continues_where_it_stopped_unless_the_names_changed(
    loop: IndexingLoop, wanted: int, sources: list[int] | None, anew: bool
) -> None:
    await loop.sync()
    assert loop.source is not None
    await loop.index.rows(
        "UPDATE mention_state m SET linked = 0, wanted = m.wanted + %s, leased_by = NULL,"
        " reached = (SELECT max(r.revision_id) FROM revision r), name_sources = coalesce(%s::int[], m.name_sources)",
        wanted,
        sources,
    )
    await loop.index.rows("DELETE FROM relationship WHERE type = 'mentions'")
    while await loop.later_edges.step([loop.source.source_id], now=True):
        pass
    assert bool(await mentions(loop)) is anew
    assert await loop.index.value("SELECT linked = wanted AND linked > 0 FROM mention_state")


async def test_a_page_that_is_read_while_a_pass_begins_is_read_again_with_the_names_of_that_pass(
    database: Database,
) -> None:
    with ThreadPoolExecutor(1) as threads:
        one = IndexingLoop(database, threads)
        one.memory.read = read
        one.memory.texts = {"claims.md": CLAIMS, "pump.md": PUMP}
        await one.sync()
        other = IndexingLoop(database, threads, "q", beside=one)
        one.memory.texts["valve.md"] = "# Valve rating\nNothing.\n"
        await other.sync()
        one.memory.texts["late.md"] = "# Late\nThe valve rating counts.\n"
        await one.sync()
        assert ("late.md#late", "valve rating") in await mentions(one)
        pages = "SELECT x.valid_from = r.valid_from FROM relationship x JOIN revision r USING (source_id, revision_id)"
        assert await one.index.rows(pages + " WHERE x.type = 'mentions' AND r.title = 'Late'") == [(True,)]


async def test_one_process_at_a_time_links_a_source(loop: IndexingLoop) -> None:
    source = await loop.index.source()
    loop.source = source
    store = loop.index.stores.of(MentionStore)
    assert await store.claim(source.source_id, "one")
    assert not await store.claim(source.source_id, "two")
    await store.release("one")
    assert await store.claim(source.source_id, "two")


async def test_a_source_that_is_being_removed_is_waited_for_and_not_linked(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    async with database.transaction() as connection:
        await connection.execute("DELETE FROM source WHERE source_id = %s", (source.source_id,))
        claiming = asyncio.create_task(index.stores.of(MentionStore).claim(source.source_id, "m"))
        async with asyncio.timeout(HANG_SECONDS):
            while not await index.value("SELECT count(*) FROM pg_locks WHERE NOT granted"):
                pass
    assert not await claiming


async def test_names_count_where_both_sources_have_a_reader(database: Database) -> None:
    index = Index(database)
    sources = [await index.source(name) for name in ("public", "mine", "yours")]
    await index.rows("DELETE FROM source_grant")
    for source, grantee in [(0, "me"), (0, "you"), (1, "me"), (2, "you")]:
        await index.rows("INSERT INTO source_grant VALUES (%s, %s, 'test')", sources[source].source_id, grantee)
    scopes = [(await index.stores.of(MentionStore).scope(source.source_id)).name_sources for source in sources]
    public, mine, yours = (source.source_id for source in sources)
    assert scopes == [(public, mine, yours), (public, mine), (public, yours)]


async def test_names_that_everyone_may_read_count_in_every_source_and_no_others_count_in_theirs(
    database: Database,
) -> None:
    index = Index(database)
    handbook, mine = await index.source("handbook"), await index.source("mine")
    other = await index.stores.sources.add(NewSource("other", "memory", {}, tenant="other"), grantee="me")
    await index.rows("DELETE FROM source_grant")
    for source, grantee in [(handbook, "everyone"), (mine, "me"), (other, "me")]:
        await index.rows("INSERT INTO source_grant VALUES (%s, %s, 'test')", source.source_id, grantee)
    mentions = index.stores.of(MentionStore)
    assert (await mentions.scope(handbook.source_id)).name_sources == (handbook.source_id,)
    assert (await mentions.scope(mine.source_id)).name_sources == (handbook.source_id, mine.source_id)
    assert (await mentions.scope(other.source_id)).name_sources == (other.source_id,)
    for source in (handbook, mine):
        await mentions.claim(source.source_id, "m")
        await mentions.begin(source.source_id, "m", NameScope((source.source_id,), 0))
        await mentions.end(source.source_id, "m", common_share=0.01, pause=0)
    assert [due.source_id for due in await mentions.due([handbook.source_id, mine.source_id], now=True)] == [
        mine.source_id
    ]


async def test_ten_thousand_headings_of_one_page_are_all_noted(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    headings = [named(f"heading of number {n}") for n in range(10_000)]
    await index.put_page(source, page_of(source.source_id, "a.md", "# A\nx\n", relationships=(*headings, named("a"))))
    borne = await index.stores.of(MentionStore).borne(source.source_id, 25)
    assert len(borne) == 10_001


async def test_a_heading_that_many_pages_have_is_not_a_name(database: Database) -> None:
    index = Index(database)
    source = await index.source()
    for n in range(4):
        page = page_of(source.source_id, f"{n}.md", "# A\nx\n", relationships=(named("leadership", DEFINES),))
        await index.put_page(source, page)
    assert await index.stores.of(MentionStore).borne(source.source_id, 3) == []


async def test_switched_off_nothing_is_linked_and_switched_on_again_everything_is(database: Database) -> None:
    with ThreadPoolExecutor(1) as threads:
        off = IndexingLoop(database, threads, mentions=False)
        off.memory.read = read
        off.memory.texts = {"claims.md": CLAIMS, "pump.md": PUMP}
        await off.sync()
        assert await mentions(off) == []
        on = IndexingLoop(database, threads, "q", beside=off)
        await on.sync()
        assert len(await mentions(on)) == 2


def named(name: str, kind: str = NAMED) -> StatedRelationship:
    return StatedRelationship(kind, None, None, None, Span(0, 1), to_entity=Entity(EntityKind.TERM, name))
