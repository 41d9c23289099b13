"""Two leased queues: nobody gets the same work twice, and nothing is tried for ever."""

import asyncio
import os
import socket
import sys
from contextlib import AsyncExitStack

import pytest
from tests.support.index import DOC_TYPE, SMALL, Index, vector_of
from tests.support.patience import HANG_SECONDS

from citemark.model.documents import DocumentRef, Listed
from citemark.model.ids import NativeId, Version
from citemark.model.ledger import Claim, Want
from citemark.store.database import Database
from citemark.store.leases import Leases, worker_name


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def fail(index: Index, claim: Claim, *, delay: float = 0, counted: bool = True) -> bool:
    return await index.stores.ledger.failed(
        claim, index.worker, error="cannot be read", park=False, delay=delay, counted=counted
    )


@pytest.mark.requirement("sync-queue-is-durable", "servers-share-one-database")
async def test_workers_that_claim_at_once_get_different_documents(index: Index) -> None:
    source = await index.source()
    for n in range(40):
        await index.want(source.source_id, f"{n:02}.md", "1")
    got = await asyncio.gather(*(index.claim(source.source_id, worker=f"w{n}", limit=7) for n in range(6)))
    names = [claim.native_id for claims in got for claim in claims]
    assert len(names) == len(set(names))
    assert all(len(claims) <= 7 for claims in got)
    while len(names) < 40:
        more = await index.claim(source.source_id, worker=f"later {len(names)}", limit=7)
        assert more
        names += [claim.native_id for claim in more]
    assert len(set(names)) == 40


@pytest.mark.requirement("large-documents-are-read-last")
async def test_large_documents_of_all_sources_are_claimed_by_size_after_everything_that_changed(index: Index) -> None:
    ledger = index.stores.ledger
    both = [(await index.source(name)).source_id for name in ("first", "second")]

    async def listed(place: int, version: str, **sizes: int) -> None:
        wants = [Want(Listed(DOC_TYPE, NativeId(name), Version(version), size=size)) for name, size in sizes.items()]
        await ledger.record(both[place], wants)

    async def claimed(limit: int = 100) -> list[tuple[str, bool]]:
        claims = await ledger.claim(both, index.worker, limit=limit, lease=60)
        for claim in claims:
            await index.stores.pages.remove(claim, index.worker)
        return sorted((claim.native_id, claim.late) for claim in claims)

    await listed(0, "1", a_log=5 * 2**20, larger=9 * 2**20, note=2**20 - 1)
    await listed(1, "1", page=200)
    assert await claimed() == [("note", False), ("page", False)]
    await listed(1, "2", page=300)
    assert await claimed() == [("page", False)]
    assert await claimed(1) == [("a_log", True)]
    assert await claimed() == [("larger", True)]


@pytest.mark.requirement("leases-of-dead-workers-age-out")
async def test_a_dead_workers_lease_ages_out(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    assert len(await index.stores.ledger.claim([source.source_id], "dead", limit=1, lease=0.05)) == 1
    assert await index.claim(source.source_id) == []
    async with asyncio.timeout(HANG_SECONDS):
        while not await index.claim(source.source_id):
            pass


@pytest.mark.requirement("heartbeats-wait-for-nobody")
async def test_leases_are_kept_while_every_connection_is_busy_and_a_document_is_being_written(index: Index) -> None:
    source = await index.source()
    for name in ("a.md", "b.md"):
        await index.want(source.source_id, name, "1")
    await index.stores.ledger.claim([source.source_id], "mine", limit=2, lease=5)
    assert await index.stores.ledger.claim_scan(source.source_id, "mine", 5) is not None
    await index.stores.watches.hold([source.source_id], "mine", 5)
    async with AsyncExitStack() as busy:
        connections = [await busy.enter_async_context(index.database.transaction()) for _ in range(4)]
        writer = connections[0]
        # What the page's transaction holds, and what the removal of a source holds.
        await writer.execute("UPDATE item SET error = NULL WHERE native_id = 'a.md'")
        await writer.execute("UPDATE scan SET reason = ''")
        async with asyncio.timeout(HANG_SECONDS):
            await index.stores.ledger.renew("mine", 500)
            assert await index.stores.ledger.renew_scan(source.source_id, "mine", 500)
            held = await index.stores.watches.hold([source.source_id], "mine", 500)
        assert held.sources == {source.source_id}
    left = dict(await index.rows("SELECT native_id, extract(epoch FROM lease_until - clock_timestamp()) FROM item"))
    assert left["b.md"] > 100
    assert left["a.md"] < 100


async def test_a_source_whose_row_is_being_written_is_not_reported_as_followed_by_another(index: Index) -> None:
    source = await index.source()
    watches = index.stores.watches
    async with index.database.transaction() as writer:
        await writer.execute("UPDATE scan SET reason = ''")
        async with asyncio.timeout(HANG_SECONDS):
            held = await watches.hold([source.source_id], "mine", 500)
        assert (held.sources, held.others) == (set(), set())
    held = await watches.hold([source.source_id], "mine", 500)
    assert (held.sources, held.others) == ({source.source_id}, set())
    held = await watches.hold([source.source_id], "other@elsewhere/1", 500)
    assert (held.sources, held.others) == (set(), {source.source_id})


@pytest.mark.requirement("leases-of-dead-workers-age-out")
@pytest.mark.parametrize("namespace", ["", ":another"], ids=["of an earlier version", "named"])
async def test_a_worker_of_another_pid_namespace_with_the_same_host_name_is_not_taken_for_dead(
    index: Index, namespace: str
) -> None:
    source = await index.source()
    for name in ("a.md", "b.md"):
        await index.want(source.source_id, name, "1")
    ended = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await ended.wait()
    here = worker_name("1").replace(str(os.getpid()), str(ended.pid), 1)
    elsewhere = f"{ended.pid}@{socket.gethostname()}{namespace}/1"
    (theirs,) = await index.claim(source.source_id, worker=elsewhere, limit=1)
    (freed,) = await index.claim(source.source_id, worker=here, limit=1)
    watches = index.stores.watches
    assert (await watches.hold([source.source_id], elsewhere, 500)).sources == {source.source_id}

    assert await Leases(index.database).release_dead() == 1
    assert (await watches.hold([source.source_id], "mine", 500)).others == {source.source_id}
    assert [claim.native_id for claim in await index.claim(source.source_id)] == [freed.native_id]
    assert await index.claim(source.source_id, worker=elsewhere) == [theirs]


@pytest.mark.requirement("crash-loses-and-repeats-nothing")
async def test_a_worker_that_lost_its_connection_gets_its_own_work_back_at_once(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    first = await index.claim(source.source_id)
    assert await index.claim(source.source_id) == first


@pytest.mark.requirement("failing-version-is-parked-and-shown")
async def test_a_failing_version_backs_off_and_is_parked_after_five_tries(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    for attempt in range(5):
        (claim,) = await index.claim(source.source_id)
        assert claim.tries == attempt
        assert await fail(index, claim) == (attempt == 4)
    assert await index.claim(source.source_id) == []
    backlog = await index.stores.ledger.backlog([source.source_id])
    assert (backlog.waiting, backlog.parked) == (0, 1)
    assert await index.value("SELECT error FROM item") == "cannot be read"


async def test_a_failed_document_waits_for_its_delay(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    (claim,) = await index.claim(source.source_id)
    await fail(index, claim, delay=600)
    assert await index.claim(source.source_id) == []
    assert (await index.stores.ledger.backlog([source.source_id])).waiting == 1


@pytest.mark.requirement("failing-version-is-parked-and-shown")
async def test_a_new_version_is_tried_again(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    for _ in range(5):
        (claim,) = await index.claim(source.source_id)
        await fail(index, claim)
    await index.want(source.source_id, "a.md", "2")
    assert [(claim.wanted, claim.tries) for claim in await index.claim(source.source_id)] == [("2", 0)]


async def test_an_outage_of_a_source_does_not_count_as_a_failed_attempt_of_its_documents(index: Index) -> None:
    source = await index.source()
    await index.want(source.source_id, "a.md", "1")
    for _ in range(7):
        (claim,) = await index.claim(source.source_id)
        assert not await fail(index, claim, counted=False)


async def test_reading_a_stale_document_queues_it_once_and_unparks_nothing(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "text")
    ref = DocumentRef(DOC_TYPE, NativeId("a.md"), Version("1"))
    await index.stores.ledger.mark_stale(source.source_id, ref, "recheck")
    for _ in range(5):
        (claim,) = await index.claim(source.source_id)
        await fail(index, claim)
    await index.stores.ledger.mark_stale(source.source_id, ref, "recheck")
    assert await index.claim(source.source_id) == []


@pytest.mark.requirement("servers-share-one-database")
async def test_vector_tasks_are_claimed_by_one_worker_each(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    for n in range(5):
        await index.put(source, f"{n}.md", "".join(f"# H{m}\n{n} {m}\n" for m in range(6)))
    got = await asyncio.gather(
        *(index.stores.vectors.claim(target.set_id, f"w{n}", limit=8, lease=60) for n in range(5))
    )
    ids = [task.chunk_id for tasks in got for task in tasks]
    assert len(ids) == len(set(ids))
    assert all(len(tasks) <= 8 for tasks in got)


async def test_a_vector_is_accepted_only_for_an_existing_chunk_from_the_holder_of_its_lease(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    await index.put(source, "a.md", "# Old\nold text\n")
    await index.put(source, "b.md", "# Kept\nkept text\n")
    tasks = await index.stores.vectors.claim(target.set_id, "slow", limit=10, lease=60)
    vectors = [vector_of(task.text) for task in tasks]
    await index.put(source, "a.md", "# New\nnew text\n")
    assert await index.stores.vectors.settle(target.set_id, "thief", tasks, vectors) == {}
    assert await index.stores.vectors.settle(target.set_id, "slow", tasks, vectors) == {source.source_id: 1}
    assert await index.rows("SELECT c.text FROM embedding_1 JOIN chunk c USING (chunk_id)") == [
        ("# Kept\nkept text\n",)
    ]


@pytest.mark.requirement("unchanged-chunk-not-embedded-again")
async def test_waiting_chunks_of_equal_text_are_settled_together_within_a_tenant(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    mine, theirs = await index.source(), await index.source(tenant="theirs")
    for name in ("a.md", "b.md"):
        await index.put(mine, name, "# Same\ntext\n", title="same")
    await index.put(theirs, "a.md", "# Same\ntext\n", title="same")
    (task,) = await index.stores.vectors.claim(target.set_id, "v", limit=1, lease=60)
    written = await index.stores.vectors.settle(target.set_id, "v", [task], [vector_of(task.text)])
    assert written == {mine.source_id: 2}
    assert (await index.stores.vectors.backlog(target.set_id)).waiting == 1


@pytest.mark.requirement("unchanged-chunk-not-embedded-again")
async def test_a_text_that_a_worker_embeds_is_embedded_by_no_other_and_settled_with_it(index: Index) -> None:
    vectors = index.stores.vectors
    target = await vectors.ensure(SMALL)
    mine, theirs = await index.source(), await index.source(tenant="theirs")
    for name in ("a.md", "b.md", "c.md"):
        await index.put(mine, name, "# Same\ntext\n", title="same")
    await index.put(theirs, "a.md", "# Same\ntext\n", title="same")
    await index.put(mine, "d.md", "# Other\nanother text\n", title="other")
    got = await asyncio.gather(*(vectors.claim(target.set_id, f"w{n}", limit=1, lease=60) for n in range(6)))
    claimed = [(task.source_id, task.digest) for tasks in got for task in tasks]
    assert len(claimed) == len(set(claimed)) == 3, "one of each text of a tenant"
    assert (await vectors.backlog(target.set_id)).waiting == 5
    for number, tasks in enumerate(got):
        await vectors.settle(target.set_id, f"w{number}", tasks, [vector_of(task.text) for task in tasks])
    assert (await vectors.backlog(target.set_id)).waiting == 0


@pytest.mark.parametrize("end", ["given back", "refused", "expired"])
async def test_a_text_whose_worker_gave_it_up_is_free_for_the_next(index: Index, end: str) -> None:
    vectors = index.stores.vectors
    target = await vectors.ensure(SMALL)
    source = await index.source()
    for name in ("a.md", "b.md"):
        await index.put(source, name, "# Same\ntext\n", title="same")
    lease = 0.05 if end == "expired" else 60
    (task,) = await vectors.claim(target.set_id, "first", limit=1, lease=lease)
    match end:
        case "given back":
            await vectors.release("first")
        case "refused":
            await vectors.park(target.set_id, "first", [task], ["too long"])
        case _:
            pass
    async with asyncio.timeout(HANG_SECONDS):
        while not await vectors.claim(target.set_id, "second", limit=1, lease=60):
            assert end == "expired"


async def test_chunks_whose_text_lost_its_vector_keep_waiting(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    for name in ("a.md", "b.md"):
        await index.put(source, name, "# Same\ntext\n", title="same")
    first, second = await index.stores.vectors.claim(target.set_id, "v", limit=2, lease=60)
    copy = index.database.queries.for_set("twins_settle", target.set_id)
    async with index.database.transaction() as connection:
        ids = {"source_ids": [source.source_id], "chunk_ids": [first.chunk_id]}
        twins = {"twin_source_ids": [source.source_id], "twin_chunk_ids": [second.chunk_id]}
        assert await (await connection.execute(copy, {**ids, **twins})).fetchall() == []
    assert (await index.stores.vectors.backlog(target.set_id)).waiting == 2


async def test_a_chunk_that_never_gets_a_vector_is_given_up_after_five_tries(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    await index.put(await index.source(), "a.md", "# One\ntext\n")
    for number in range(5):  # each worker dies and lets its lease expire
        assert len(await index.stores.vectors.claim(target.set_id, f"v{number}", limit=9, lease=-1)) == 1
    assert await index.stores.vectors.claim(target.set_id, "v", limit=9, lease=60) == []
    backlog = await index.stores.vectors.backlog(target.set_id)
    assert (backlog.waiting, backlog.parked) == (0, 1)
    (status,) = await index.stores.status.sources("local", target.set_id)
    assert (status.chunks, status.vectors, status.vectors_waiting) == (1, 0, 0)


@pytest.mark.requirement("status-shows-counts-rate-and-rest")
async def test_status_counts_texts_and_vectors_apart(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    await index.put(source, "a.md", "# One\ntext\n# Two\nmore\n")
    await index.want(source.source_id, "b.md", "1")
    (before,) = await index.stores.status.sources("local", target.set_id)
    assert (before.documents, before.chunks, before.vectors) == (1, 2, 0)
    assert (before.texts_waiting, before.vectors_waiting, before.seconds_left) == (1, 2, None)
    await index.embed(target)
    await index.stores.pages.record_work(source.source_id, "vector", 2)
    (after,) = await index.stores.status.sources("local", target.set_id)
    assert (after.vectors, after.vectors_waiting, after.seconds_left) == (2, 0, 0)
    assert after.vectors_per_second > 0


async def test_a_clean_stop_returns_tasks_untried(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    await index.put(source, "a.md", "# One\ntext\n")
    await index.want(source.source_id, "b.md", "1")
    for _ in range(7):
        assert len(await index.stores.vectors.claim(target.set_id, "v", limit=9, lease=60)) == 1
        await index.stores.vectors.release("v")
        assert len(await index.claim(source.source_id)) == 1
        await index.stores.ledger.release(index.worker)


@pytest.mark.requirement("servers-share-one-database")
async def test_one_process_scans_a_source_at_a_time(index: Index) -> None:
    source = await index.source()
    ledger = index.stores.ledger
    assert await ledger.claim_scan(source.source_id, "one", 60) == 0
    assert await ledger.claim_scan(source.source_id, "two", 60) is None
    await ledger.release_scans("one")
    assert await index.value("SELECT wanted FROM scan")
    assert await ledger.claim_scan(source.source_id, "two", 60) == 0
    assert not await ledger.renew_scan(source.source_id, "one", 60)
