"""What scanners remember, and sealed credentials."""

from datetime import UTC, datetime
from random import Random

import pytest
from tests.support.index import Index

from citemark.features.nextcloud.store.accounts import AccountStore
from citemark.model.ids import SourceId
from citemark.store.database import Database

NOON = datetime(2026, 11, 25, 12, tzinfo=UTC)


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def test_a_cache_keeps_json_by_source_and_key(index: Index) -> None:
    one, two = await index.source("one"), await index.source("two")
    memory = index.stores.scan_state(one.source_id)
    value = {"token": "a\x00b", "etags": ["ä", None, 3]}
    await memory.save("calendar:/work/", value)
    await memory.save("notes", [1])
    await memory.save("notes", [2])
    assert await memory.load("calendar:/work/") == value
    assert await memory.load("notes") == [2]
    assert await index.stores.scan_state(two.source_id).load("notes") is None


async def test_a_long_cache_entry_is_read_back_in_full(index: Index) -> None:
    memory = index.stores.scan_state((await index.source()).source_id)
    value = [f"entry {number}" for number in range(20_000)]
    await memory.save("files", value)
    assert await memory.load("files") == value


async def test_a_cache_takes_keys_of_any_length(index: Index) -> None:
    memory = index.stores.scan_state((await index.source()).source_id)
    long = "calendars:/" + Random(1).randbytes(2_500).hex()
    for key in (long, long + "/", "calendars:/"):
        await memory.save(key, len(key))
    assert [await memory.load(key) for key in (long, long + "/", "calendars:/")] == [5_011, 5_012, 11]


async def test_nothing_is_kept_for_an_account_that_was_switched_off(index: Index) -> None:
    source = await index.source(keep_history=False)
    memory = index.stores.scan_state(source.source_id)
    await memory.save("notes", [1])
    await index.stores.of(AccountStore, index.stores.sources).switch_off(source, None)
    await memory.save("notes", [2])
    await memory.save("boards", [3])
    assert [await memory.load(key) for key in ("notes", "boards")] == [None, None]
    await index.stores.of(AccountStore, index.stores.sources).switch(source, {"sync": True})
    await memory.save("notes", [4])
    assert await memory.load("notes") == [4]


async def test_verdicts_of_a_removed_source_are_not_cached(index: Index) -> None:
    source = await index.source()
    memory = index.stores.scan_state(source.source_id)
    await memory.save("notes", [1])
    await index.stores.secrets.keep(source.source_id, b"sealed")
    await index.stores.sources.remove(source.source_id)
    await memory.save("notes", [2])
    assert await memory.load("notes") is None
    assert await index.stores.secrets.of(source.source_id) is None


async def test_a_refused_password_affects_only_its_generation_of_credentials(index: Index) -> None:
    source_id, secrets = (await index.source()).source_id, index.stores.secrets
    assert await secrets.of(SourceId(99)) is None
    await secrets.keep(source_id, b"first")
    first = await secrets.of(source_id)
    assert first is not None
    assert (first.content, first.refused) == (b"first", None)
    await secrets.refuse(source_id, first.generation, "revoked", NOON)
    refused = await secrets.of(source_id)
    assert refused is not None
    assert refused.refused == "revoked"
    await secrets.keep(source_id, b"second")
    await secrets.refuse(source_id, first.generation, "revoked, says one who came late", NOON)
    second = await secrets.of(source_id)
    assert second is not None
    assert (second.content, second.refused) == (b"second", None)
