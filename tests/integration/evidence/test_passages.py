"""Handles of passages: rows that live half an hour, for their caller alone, authorised again at each use."""

import asyncio
import gc
import re
from datetime import UTC, datetime, timedelta

import pytest
from tests.integration.retrieval.world import CALLER, World

from citemark.embedding.minilm import MiniLM
from citemark.evidence.budget import QuoteLimits
from citemark.model.documents import Verdict
from citemark.model.errors import BackendUnavailable, ScopeViolation, UnknownPassage
from citemark.model.ids import PassageId, SessionId
from citemark.model.passages import Passage
from citemark.model.scope import READ, Principal, RequestScope
from citemark.services.requests import Caller
from citemark.store.database import Database

TEXT = "# Valves\nThe inlet valve opens at 4 bar. It closes again below 2 bar, and never earlier.\n"
HERE = RequestScope()


async def read(world: World, passage_id: str, caller: Caller = CALLER) -> str:
    excerpt = await world.services.passages.read(
        caller, passage_id, start_char=0, max_tokens=800, bullets=False, scope=HERE
    )
    return excerpt.text


async def offered(world: World) -> PassageId:
    """The handle of the one page that there is."""
    return (await world.page("when does the inlet valve open")).hits[0].passage_id


async def refused(world: World, passage_id: str, caller: Caller = CALLER) -> list[str]:
    """What every way to read a handle says, the handle itself left out."""
    services, limits = world.services, QuoteLimits()
    ways = (
        services.passages.read(caller, passage_id, start_char=0, max_tokens=9, bullets=False, scope=HERE),
        services.passages.expand(caller, passage_id, before_tokens=9, after_tokens=9, bullets=False, scope=HERE),
        services.evidence.extract(caller, "valve", [passage_id], limits, scope=HERE),
        services.passages.text(caller, caller.session_id, passage_id),
    )
    said: list[str] = []
    for way in ways:
        with pytest.raises(UnknownPassage) as caught:
            await way
        said.append(f"{caught.value.code} {caught.value.message}".replace(passage_id, "?"))
    return said


@pytest.mark.requirement("passages-are-shared-rows", "handles-are-random-and-short", "passage-cache-is-bounded")
async def test_a_passage_is_a_row_that_any_process_reads_for_its_caller(database: Database, world: World) -> None:
    await world.source("docs", {"a.md": TEXT})
    handles = {await offered(world) for _ in range(12)}
    assert len(handles) == 12
    assert all(re.fullmatch(r"p_[A-Za-z0-9_-]{10}", handle, re.ASCII) for handle in handles)
    other = World(database, world.model, world.memory)
    assert {await read(other, handle) for handle in handles} == {TEXT}
    gc.collect()
    assert [kept for kept in gc.get_objects() if isinstance(kept, Passage)] == []


@pytest.mark.requirement(
    "handles-expire-after-30-minutes", "foreign-handle-looks-nonexistent", "tools-kb-unknown-passage"
)
async def test_expired_foreign_and_unknown_handles_are_refused_with_the_same_message(
    database: Database, model: MiniLM
) -> None:
    now = datetime.now(UTC)
    world = World(database, model, clock=lambda: now)
    await world.source("docs", {"a.md": TEXT})
    handle = await offered(world)
    unknown = await refused(world, "A" * 22)
    assert all("INVALID_ARGUMENT" in words and "search again" in words for words in unknown)
    somebody = Caller(Principal("local", "somebody", frozenset({READ})), CALLER.session_id)
    elsewhere = Caller(CALLER.principal, SessionId("s_other"))
    for caller in (somebody, elsewhere):
        assert await refused(world, handle, caller) == unknown
    now += timedelta(minutes=29, seconds=59)
    assert "4 bar" in await read(world, handle)
    now += timedelta(seconds=1)
    assert await refused(world, handle) == unknown


@pytest.mark.requirement("passage-text-reread-at-each-use")
async def test_the_text_of_a_passage_is_read_from_the_store_each_time(world: World) -> None:
    await world.source("docs", {"a.md": TEXT})
    handle = await offered(world)
    assert "4 bar" in await read(world, handle)
    await world.index.rows("UPDATE chunk SET text = replace(text, '4 bar', '9 bar')")
    assert "9 bar" in await read(world, handle)


@pytest.mark.requirement("passage-authorised-at-each-use")
async def test_a_passage_whose_document_is_gone_is_unknown(world: World) -> None:
    source = await world.source("docs", {"a.md": TEXT})
    handle = await offered(world)
    del world.memory[source.source_id].texts["a.md"]
    assert len(await refused(world, handle)) == 4


@pytest.mark.requirement("passage-authorised-at-each-use")
async def test_a_passage_that_its_source_does_not_vouch_for_is_withheld(world: World) -> None:
    source = await world.source("docs", {"a.md": TEXT})
    handle = await offered(world)
    memory = world.memory[source.source_id]
    memory.verdicts["a.md"] = Verdict.UNKNOWN
    with pytest.raises(BackendUnavailable, match="search again"):
        await read(world, handle)
    del memory.verdicts["a.md"]
    memory.texts["a.md"] = "# Valves\nConfidential from now on.\n"
    with pytest.raises(BackendUnavailable, match="changed"):
        await read(world, handle)
    memory.texts["a.md"] = TEXT
    assert "4 bar" in await read(world, handle)


@pytest.mark.requirement("passage-authorised-at-each-use", "scope-enforced-on-scratch-reads", "revoked-handle-unknown")
async def test_withdrawing_a_grant_or_changing_the_scope_closes_every_way_to_read(
    database: Database, model: MiniLM
) -> None:
    world = World(database, model, defaults=RequestScope("default", environment="prod"))
    source = await world.source("docs", {"a.md": TEXT}, environment="prod")
    await world.source("tests", {}, environment="test")
    handle = await offered(world)
    assert "4 bar" in (await world.services.passages.text(CALLER, CALLER.session_id, handle)).text
    with pytest.raises(ScopeViolation):
        await world.services.passages.read(
            CALLER, handle, start_char=0, max_tokens=9, bullets=False, scope=RequestScope(environment="test")
        )
    await world.index.rows("UPDATE source SET environment = 'test' WHERE source_id = %s", source.source_id)
    with pytest.raises(ScopeViolation):
        await world.services.passages.text(CALLER, CALLER.session_id, handle)
    await world.index.rows("UPDATE source SET environment = 'prod' WHERE source_id = %s", source.source_id)
    await world.index.rows("DELETE FROM source_grant")
    assert await refused(world, handle) == await refused(world, PassageId("A" * 22))


@pytest.mark.requirement("lost-passage-table-is-harmless")
async def test_losing_the_table_of_passages_only_makes_handles_unknown(world: World) -> None:
    await world.source("docs", {"a.md": TEXT})
    handle = await offered(world)
    kept = await world.index.rows("SELECT relname, relpersistence::text FROM pg_class WHERE relname = 'passage'")
    assert kept == [("passage", "u")]
    # What recovery does to an unlogged table after a crash.
    await world.index.rows("TRUNCATE passage")
    assert len(await refused(world, handle)) == 4
    assert "4 bar" in await read(world, await offered(world))


@pytest.mark.requirement("concurrent-calls-keep-passages-whole")
async def test_many_calls_at_once_keep_every_handle_with_its_text(world: World) -> None:
    texts = {f"{n}.md": f"# Valve {n}\nValve number {n} opens at {n + 100} bar.\n" for n in range(8)}
    await world.source("docs", texts)

    async def visit(number: int) -> None:
        page = await world.page(f"valve number {number} opens", top_k=8, page_size=8)
        for hit in page.hits:
            assert await read(world, hit.passage_id) == texts[hit.section_id.partition("#")[0]]

    await asyncio.gather(*(visit(number) for number in range(8)))
    assert await world.index.value("SELECT count(*) FROM passage") == 64
