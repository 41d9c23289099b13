"""What a source does not vouch for in time is not shown."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.memory import Memory
from tests.unit.retrieval.material import stored

from citemark.model.candidates import StoredChunk
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import ConfigurationError, FatalSourceError, SkippableSourceError
from citemark.model.ids import SourceId
from citemark.model.principal import Principal
from citemark.model.sources import Fence, Source
from citemark.retrieval.verification import Access, AccessCheck
from citemark.sources.contract import Connector
from citemark.sources.waiting import awaited
from citemark.store.ledger import Ledger

ME = Principal.local()
OTHER = Principal("local", "somebody", frozenset())


class Rechecks:
    """Stands in for the ledger: remembers which documents were queued."""

    def __init__(self) -> None:
        self.queued: list[str] = []

    async def mark_stale(self, source_id: SourceId, ref: DocumentRef, version: str | None) -> None:
        self.queued.append(ref.native_id)


class World:
    """Sources 1, 2, ... in memory, and a check over them."""

    def __init__(self, *sources: Memory, memory: float = 30.0, deadline: float = 0.3) -> None:
        self.sources = sources
        self.ledger = Rechecks()
        self.fence = Fence(
            tuple(Source(SourceId(number), "local", f"s{number}", "memory") for number in range(1, len(sources) + 1)),
            10,
            100,
        )
        self.access = AccessCheck(self.connector, cast("Ledger", self.ledger), deadline=deadline, memory=memory)

    def connector(self, source: Source) -> Connector:
        return self.sources[source.source_id - 1].connector()

    async def check(self, *chunks: StoredChunk, principal: Principal = ME) -> dict[int, Access]:
        return dict(await self.access.check(principal, self.fence, chunks))

    def chunk(self, chunk_id: int, native_id: str, text: str = "some words", source_id: int = 1) -> StoredChunk:
        texts = self.sources[source_id - 1]
        version = texts.version(native_id) if native_id in texts.texts else "gone"
        return stored(chunk_id, text, native_id, version, source_id)


@pytest.mark.parametrize(
    ("verdict", "access"),
    [
        (Verdict.OK, Access.SHOWN),
        (Verdict.GONE, Access.DROPPED),
        (Verdict.UNKNOWN, Access.WITHHELD),
    ],
)
@pytest.mark.requirement("N6-unknown")
async def test_the_verdict_decides(verdict: Verdict, access: Access) -> None:
    world = World(Memory({"a": "some words"}, {"a": verdict}))
    assert await world.check(world.chunk(1, "a")) == {1: access}


@pytest.mark.requirement("N6-changed")
async def test_a_changed_document_shows_only_what_still_stands_there_word_for_word() -> None:
    source = Memory({"a": "first words. second words."})
    world = World(source)
    kept, lost = world.chunk(1, "a", "first words."), world.chunk(2, "a", "second words.")
    source.texts["a"] = "first words. other words."
    assert await world.check(kept, lost) == {1: Access.STANDS, 2: Access.WITHHELD}
    assert world.ledger.queued == ["a"]


@pytest.mark.requirement("N6-changed")
async def test_a_passage_of_a_changed_document_is_withheld_when_a_heading_over_it_is_not_there_any_more() -> None:
    source = Memory({"a": "some words"})
    world = World(source)
    chunk = replace(world.chunk(1, "a"), heading_path=("The takeover",))
    assert await world.check(chunk) == {1: Access.SHOWN}
    source.verdicts["a"] = Verdict.CHANGED
    world.access = AccessCheck(world.connector, cast("Ledger", world.ledger), deadline=1, memory=0)
    assert await world.check(chunk) == {1: Access.WITHHELD}


@pytest.mark.requirement("N6-concurrent")
async def test_one_type_of_documents_that_is_not_vouched_for_in_time_withholds_no_other() -> None:
    class Slow(Memory):
        async def verify(self, refs: Sequence[DocumentRef]) -> Mapping[DocumentRef, Verdict]:
            if any(ref.doc_type == "file" for ref in refs):
                await asyncio.sleep(60)
            return await super().verify(refs)

    world = World(Slow({"a": "x", "b": "y"}), deadline=0.2)
    file = replace(world.chunk(1, "a"), doc_type="file")
    assert await world.check(file, world.chunk(2, "b")) == {1: Access.WITHHELD, 2: Access.SHOWN}


@pytest.mark.requirement("N6-changed")
async def test_a_document_that_vanishes_while_it_is_re_read_is_dropped() -> None:
    world = World(Memory({}, {"a": Verdict.CHANGED}))
    assert await world.check(stored(1, native_id="a")) == {1: Access.DROPPED}


@pytest.mark.requirement("N6-fail-closed")
@pytest.mark.parametrize("error", [FatalSourceError("no"), OSError("no"), KeyError("malformed"), TypeError("a bug")])
async def test_a_source_that_fails_withholds_its_own_documents_and_no_others(error: Exception) -> None:
    def fail(_: str) -> None:
        raise error

    world = World(Memory({"a": "x"}, trouble=fail), Memory({"b": "y"}))
    assert await world.check(world.chunk(1, "a"), world.chunk(2, "b", source_id=2)) == {
        1: Access.WITHHELD,
        2: Access.SHOWN,
    }


@pytest.mark.requirement("N6-fail-closed")
async def test_a_source_that_this_version_cannot_open_withholds_its_own_documents() -> None:
    world = World(Memory({"a": "x"}))

    def refuse(_: Source) -> Connector:
        raise ConfigurationError("unknown kind")

    world.access = AccessCheck(refuse, cast("Ledger", world.ledger), deadline=1, memory=0)
    assert await world.check(world.chunk(1, "a")) == {1: Access.WITHHELD}


@pytest.mark.requirement("N6-fail-closed")
async def test_a_changed_document_that_cannot_be_read_withholds_only_itself() -> None:
    def fail(what: str) -> None:
        if what == "bad":
            raise SkippableSourceError("a binary now")

    source = Memory({"bad": "x", "good": "y"}, {"bad": Verdict.CHANGED}, trouble=fail)
    world = World(source)
    assert await world.check(world.chunk(1, "bad"), world.chunk(2, "good")) == {1: Access.WITHHELD, 2: Access.SHOWN}


async def test_a_document_that_is_re_read_is_asked_for_as_one_that_a_person_waits_for() -> None:
    seen: list[tuple[str, bool]] = []
    source = Memory({"a": "x"}, {"a": Verdict.CHANGED}, trouble=lambda what: seen.append((what, awaited())))
    world = World(source)
    await world.check(world.chunk(1, "a"))
    assert ("a", True) in seen
    assert not awaited()


@pytest.mark.requirement("N6-fail-closed", "N6-concurrent")
async def test_sources_that_do_not_answer_cost_one_deadline_together() -> None:
    world = World(Memory({"a": "x"}, waits=60), Memory({"b": "y"}, waits=60), Memory({"c": "z"}), deadline=0.2)
    started = asyncio.get_running_loop().time()
    found = await world.check(*(world.chunk(n, name, source_id=n) for n, name in enumerate("abc", start=1)))
    assert found == {1: Access.WITHHELD, 2: Access.WITHHELD, 3: Access.SHOWN}
    assert asyncio.get_running_loop().time() - started < 2


@pytest.mark.requirement("N6-concurrent")
async def test_a_document_is_asked_about_once_however_many_chunks_it_has() -> None:
    source = Memory({"a": "x", "b": "y"})
    world = World(source)
    await world.check(world.chunk(1, "a"), world.chunk(2, "a"), world.chunk(3, "b"))
    assert [[ref.native_id for ref in refs] for refs in source.asked] == [["a", "b"]]


async def test_what_was_vouched_for_is_remembered_for_one_asker_only() -> None:
    source = Memory({"a": "x"})
    world = World(source)
    chunk = world.chunk(1, "a")
    await world.check(chunk)
    source.verdicts["a"] = Verdict.GONE
    assert await world.check(chunk) == {1: Access.SHOWN}
    assert await world.check(chunk, principal=OTHER) == {1: Access.DROPPED}


async def test_without_a_memory_every_check_asks_the_source() -> None:
    source = Memory({"a": "x"})
    world = World(source, memory=0)
    await world.check(world.chunk(1, "a"))
    source.verdicts["a"] = Verdict.GONE
    assert await world.check(world.chunk(1, "a")) == {1: Access.DROPPED}


async def test_a_refusal_is_never_remembered() -> None:
    source = Memory({"a": "x"}, {"a": Verdict.UNKNOWN})
    world = World(source)
    assert await world.check(world.chunk(1, "a")) == {1: Access.WITHHELD}
    source.verdicts.clear()
    assert await world.check(world.chunk(1, "a")) == {1: Access.SHOWN}


async def test_a_chunk_of_a_source_outside_the_fence_is_withheld() -> None:
    world = World(Memory({"a": "x"}))
    assert await world.check(stored(1, source_id=99)) == {1: Access.WITHHELD}


@pytest.mark.requirement("N6-fail-closed")
@given(verdicts=st.lists(st.sampled_from(Verdict), min_size=1, max_size=8), forget=st.sets(st.integers(0, 7)))
async def test_only_a_document_that_is_vouched_for_is_shown(verdicts: list[Verdict], forget: set[int]) -> None:
    source = Memory({str(n): "changed text" for n in range(len(verdicts))})
    source.verdicts.update({str(n): verdict for n, verdict in enumerate(verdicts)})
    world = World(source)

    async def forgetful(refs: list[DocumentRef]) -> dict[DocumentRef, Verdict]:
        return {ref: source.verdicts[ref.native_id] for ref in refs if int(ref.native_id) not in forget}

    source.verify = forgetful  # type: ignore[method-assign,assignment]
    found = await world.check(*(world.chunk(n, str(n), "indexed text") for n in range(len(verdicts))))
    for number, verdict in enumerate(verdicts):
        assert (found[number] is Access.SHOWN) == (verdict is Verdict.OK and number not in forget)
