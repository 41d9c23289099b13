"""What a source does not vouch for in time is not shown."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.chunks import stored
from tests.support.memory_source import MemorySource
from tests.support.virtual_time import virtual_loop

from citemark.model.candidates import StoredChunk
from citemark.model.documents import DocumentRef, Verdict
from citemark.model.errors import BackendUnavailable, ConfigurationError, FatalSourceError, SkippableSourceError
from citemark.model.ids import NativeId, SourceId, Version
from citemark.model.scope import Principal
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.access import Access, Policy
from citemark.retrieval.question import age_notes
from citemark.retrieval.verification import AccessCheck
from citemark.sources.contract import Connector, Verdicts, foreground_waiting
from citemark.store.ledger import Ledger

ME = Principal.local()
OTHER = Principal("local", "somebody", frozenset())


class Rechecks:
    """Stands in for the ledger: remembers which documents were queued."""

    def __init__(self) -> None:
        self.queued: list[str] = []
        self.noted = asyncio.Event()

    async def mark_stale(self, source_id: SourceId, ref: DocumentRef, version: str | None) -> None:
        self.queued.append(ref.native_id)
        self.noted.set()


class Unreachable(Rechecks):
    """A ledger whose database is away."""

    async def mark_stale(self, source_id: SourceId, ref: DocumentRef, version: str | None) -> None:
        raise BackendUnavailable("The database is away.")


class World:
    """Sources 1, 2, ... in memory, and a check over them."""

    def __init__(self, *sources: MemorySource, memory: float = 30.0, deadline: float = 0.3) -> None:
        self.sources = sources
        self.ledger = Rechecks()
        self.allowed = AllowedSources(
            tuple(Source(SourceId(number), "local", f"s{number}", "memory") for number in range(1, len(sources) + 1)),
            10,
            100,
        )
        self.access = AccessCheck(self.connector, cast("Ledger", self.ledger), deadline=deadline, memory=memory)

    def connector(self, source: Source) -> Connector:
        return self.sources[source.source_id - 1].connector()

    async def check(self, *chunks: StoredChunk, principal: Principal = ME) -> dict[int, Access]:
        return dict(await self.access.check(principal, self.allowed, chunks))

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
@pytest.mark.requirement("unverifiable-hit-withheld-and-counted")
async def test_the_verdict_decides_whether_a_hit_is_shown(verdict: Verdict, access: Access) -> None:
    world = World(MemorySource({"a": "some words"}, {"a": verdict}))
    assert await world.check(world.chunk(1, "a")) == {1: access}


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_a_changed_document_shows_only_what_it_still_contains_word_for_word() -> None:
    source = MemorySource({"a": "first words. second words."})
    world = World(source)
    kept, lost = world.chunk(1, "a", "first words."), world.chunk(2, "a", "second words.")
    source.texts["a"] = "first words. other words."
    assert await world.check(kept, lost) == {1: Access.STANDS, 2: Access.WITHHELD}
    assert world.ledger.queued == ["a"]


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_a_passage_of_a_changed_document_is_withheld_when_a_heading_over_it_is_not_there_any_more() -> None:
    source = MemorySource({"a": "some words"})
    world = World(source)
    chunk = replace(world.chunk(1, "a"), heading_path=("The takeover",))
    assert await world.check(chunk) == {1: Access.SHOWN}
    source.verdicts["a"] = Verdict.CHANGED
    world.access = AccessCheck(world.connector, cast("Ledger", world.ledger), deadline=1, memory=0)
    assert await world.check(chunk) == {1: Access.WITHHELD}


@pytest.mark.requirement("verification-once-per-document")
async def test_one_type_of_documents_that_is_not_vouched_for_in_time_withholds_no_other() -> None:
    world = World(MemorySource({"a": "x", "b": "y"}, waits=60, prompt={"b"}), deadline=0.2)
    file = replace(world.chunk(1, "a"), doc_type="file")
    assert await world.check(file, world.chunk(2, "b")) == {1: Access.WITHHELD, 2: Access.SHOWN}


@pytest.mark.requirement("each-confirmed-document-counts", "confirmed-documents-count-one-by-one")
async def test_verdicts_that_came_in_time_count_and_are_cached_when_others_are_late() -> None:
    source = MemorySource({"a": "x", "b": "y"}, waits=60, prompt={"a"}, remote=True, overloaded=True)
    world = World(source, deadline=0.2)
    chunks = [world.chunk(1, "a"), world.chunk(2, "b")]
    assert await world.check(*chunks) == {1: Access.SHOWN, 2: Access.WITHHELD}
    assert await world.check(*chunks) == {1: Access.SHOWN, 2: Access.WITHHELD}
    assert [[ref.native_id for ref in refs] for refs in source.asked] == [["a", "b"]], "it is being asked"


@pytest.mark.requirement("each-confirmed-document-counts", "confirmed-documents-count-one-by-one")
async def test_verdicts_given_before_the_source_fails_count() -> None:
    class Failing(MemorySource):
        async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
            yield refs[0], Verdict.OK
            raise TypeError("a bug")

    world = World(Failing({"a": "x", "b": "y"}))
    assert await world.check(world.chunk(1, "a"), world.chunk(2, "b")) == {1: Access.SHOWN, 2: Access.WITHHELD}


@pytest.mark.requirement("repeated-question-shows-more", "late-verdicts-serve-the-next-question")
async def test_repeating_a_question_to_a_slow_source_shows_more_each_time_until_all_is_shown() -> None:
    class Slow(MemorySource):
        async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
            self.asked.append(tuple(refs))
            for start in range(0, len(refs), 10):
                for ref in refs[start : start + 10]:
                    yield ref, Verdict.OK
                await asyncio.sleep(0.15)

    source = Slow({f"{number:02}": "x" for number in range(41)}, remote=True, overloaded=True)
    world = World(source, deadline=0.1)
    chunks = [world.chunk(number, f"{number:02}") for number in range(41)]
    shown = [list((await world.check(*chunks)).values()).count(Access.SHOWN)]
    while shown[-1] < 41:
        shown.append(list((await world.check(*chunks)).values()).count(Access.SHOWN))
    assert shown[0] == 10
    assert shown == sorted(shown)
    assert len(source.asked) == 1, "what is being asked is not asked again"


@pytest.mark.requirement("late-verdicts-serve-the-next-question")
async def test_verdicts_that_arrive_after_the_deadline_count_for_the_next_question_of_the_same_caller() -> None:
    source = MemorySource({"a": "x", "b": "y"}, {"b": Verdict.GONE}, waits=0.1, remote=True)
    world = World(source, deadline=0.01)
    chunks = [world.chunk(1, "a"), world.chunk(2, "b")]
    assert await world.check(*chunks) == {1: Access.WITHHELD, 2: Access.WITHHELD}
    await world.ledger.noted.wait()
    source.waits = 60
    assert (await world.check(*chunks))[1] is Access.SHOWN
    assert await world.check(chunks[0], principal=OTHER) == {1: Access.WITHHELD}
    world.access.stop()


async def test_rounds_that_go_on_end_when_the_check_is_stopped() -> None:
    world = World(MemorySource({"a": "x"}, waits=60, remote=True), deadline=0.01)
    assert await world.check(world.chunk(1, "a")) == {1: Access.WITHHELD}
    before = {task for task in asyncio.all_tasks() if not task.done()}
    world.access.stop()
    await asyncio.wait(before - {asyncio.current_task()})
    assert {task for task in asyncio.all_tasks() if not task.done()} == {asyncio.current_task()}


async def test_without_a_memory_nothing_goes_on_after_the_deadline() -> None:
    source = MemorySource({"a": "x"}, waits=60, remote=True)
    world = World(source, deadline=0.01, memory=0)
    for _ in range(2):
        assert await world.check(world.chunk(1, "a")) == {1: Access.WITHHELD}
    assert len(source.asked) == 2


@pytest.mark.requirement("confirmed-documents-count-one-by-one")
async def test_sources_are_asked_about_the_best_hits_first() -> None:
    source = MemorySource({"a": "x", "b": "y", "c": "z"})
    world = World(source)
    await world.check(world.chunk(1, "c"), world.chunk(2, "a"), world.chunk(3, "b"))
    assert [ref.native_id for ref in source.asked[0]] == ["c", "a", "b"]


@pytest.mark.requirement("deadline-and-parallelism-adapt")
@pytest.mark.parametrize(("overloaded", "prolonged"), [(False, True), (True, False)])
async def test_a_source_that_answers_gets_more_time_unless_it_sent_retry_after(
    *, overloaded: bool, prolonged: bool
) -> None:
    world = World(MemorySource({"a": "x"}, overloaded=overloaded))
    deadline = world.access.deadline()
    await world.access.check(ME, world.allowed, [world.chunk(1, "a")], deadline=deadline)
    assert (deadline.of((1, "docs_page")) > deadline.usual) is prolonged


@pytest.mark.requirement("deadline-and-parallelism-adapt")
async def test_an_uncertain_verdict_does_not_extend_the_deadline() -> None:
    world = World(MemorySource({"a": "x"}, {"a": Verdict.UNKNOWN}))
    deadline = world.access.deadline()
    await world.access.check(ME, world.allowed, [world.chunk(1, "a")], deadline=deadline)
    assert deadline.of((1, "docs_page")) == deadline.usual


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_a_document_that_vanishes_while_it_is_re_read_is_dropped() -> None:
    world = World(MemorySource({}, {"a": Verdict.CHANGED}))
    assert await world.check(stored(1, native_id="a")) == {1: Access.DROPPED}


@pytest.mark.requirement("failed-verification-shows-nothing")
@pytest.mark.parametrize("error", [FatalSourceError("no"), OSError("no"), KeyError("malformed"), TypeError("a bug")])
async def test_a_source_that_fails_withholds_its_own_documents_and_no_others(error: Exception) -> None:
    def fail(_: str) -> None:
        raise error

    world = World(MemorySource({"a": "x"}, trouble=fail), MemorySource({"b": "y"}))
    assert await world.check(world.chunk(1, "a"), world.chunk(2, "b", source_id=2)) == {
        1: Access.WITHHELD,
        2: Access.SHOWN,
    }


@pytest.mark.requirement("failed-verification-shows-nothing")
async def test_a_source_that_this_version_cannot_open_withholds_its_own_documents() -> None:
    world = World(MemorySource({"a": "x"}))

    def refuse(_: Source) -> Connector:
        raise ConfigurationError("unknown kind")

    world.access = AccessCheck(refuse, cast("Ledger", world.ledger), deadline=1, memory=0)
    assert await world.check(world.chunk(1, "a")) == {1: Access.WITHHELD}
    assert world.access.notes(world.allowed, world.access.deadline()) == ()


@pytest.mark.requirement("failed-verification-shows-nothing")
async def test_a_changed_document_that_cannot_be_read_withholds_only_itself() -> None:
    def fail(what: str) -> None:
        if what == "bad":
            raise SkippableSourceError("a binary now")

    source = MemorySource({"bad": "x", "good": "y"}, {"bad": Verdict.CHANGED}, trouble=fail)
    world = World(source)
    assert await world.check(world.chunk(1, "bad"), world.chunk(2, "good")) == {1: Access.WITHHELD, 2: Access.SHOWN}


async def test_re_reading_a_document_has_the_priority_of_a_waiting_person() -> None:
    seen: list[tuple[str, bool]] = []
    source = MemorySource(
        {"a": "x"}, {"a": Verdict.CHANGED}, trouble=lambda what: seen.append((what, foreground_waiting()))
    )
    world = World(source)
    await world.check(world.chunk(1, "a"))
    assert ("a", True) in seen
    assert not foreground_waiting()


@pytest.mark.requirement("failed-verification-shows-nothing", "verification-once-per-document")
async def test_sources_that_do_not_answer_cost_one_deadline_together() -> None:
    world = World(
        MemorySource({"a": "x"}, waits=60), MemorySource({"b": "y"}, waits=60), MemorySource({"c": "z"}), deadline=0.2
    )
    started = asyncio.get_running_loop().time()
    found = await world.check(*(world.chunk(n, name, source_id=n) for n, name in enumerate("abc", start=1)))
    assert found == {1: Access.WITHHELD, 2: Access.WITHHELD, 3: Access.SHOWN}
    assert asyncio.get_running_loop().time() - started < 2


@pytest.mark.requirement("verification-once-per-document")
async def test_a_document_is_asked_about_once_however_many_chunks_it_has() -> None:
    source = MemorySource({"a": "x", "b": "y"})
    world = World(source)
    await world.check(world.chunk(1, "a"), world.chunk(2, "a"), world.chunk(3, "b"))
    assert [[ref.native_id for ref in refs] for refs in source.asked] == [["a", "b"]]


async def test_a_confirmation_is_cached_for_one_caller_only() -> None:
    source = MemorySource({"a": "x"}, remote=True)
    world = World(source)
    chunk = world.chunk(1, "a")
    await world.check(chunk)
    source.verdicts["a"] = Verdict.UNKNOWN
    assert await world.check(chunk) == {1: Access.SHOWN}
    assert await world.check(chunk, principal=OTHER) == {1: Access.WITHHELD}


@pytest.mark.requirement("deleted-file-unreadable-by-handle")
@pytest.mark.parametrize(("verdict", "access"), [(Verdict.GONE, Access.DROPPED), (Verdict.CHANGED, Access.STANDS)])
async def test_verdicts_on_a_document_found_changed_or_gone_are_not_cached(verdict: Verdict, access: Access) -> None:
    source = MemorySource({"a": "x", "b": "y"}, remote=True)
    world = World(source)
    chunk, other = world.chunk(1, "a", "x"), world.chunk(2, "b")
    await world.check(chunk, other)
    source.verdicts["a"] = verdict
    await world.check(chunk, principal=OTHER)
    asked = len(source.asked)
    titled = replace(chunk, title="a")
    assert await world.check(titled, other) == {1: access, 2: Access.SHOWN}
    assert [ref.native_id for refs in source.asked[asked:] for ref in refs] == ["a"]


@pytest.mark.requirement("deleted-file-unreadable-by-handle")
async def test_verdicts_of_a_local_source_are_not_cached() -> None:
    source = MemorySource({"a": "x"}, remote=False)
    world = World(source)
    assert await world.check(world.chunk(1, "a")) == {1: Access.SHOWN}
    source.verdicts["a"] = Verdict.GONE
    assert await world.check(world.chunk(1, "a")) == {1: Access.DROPPED}


@pytest.mark.requirement("deleted-file-unreadable-by-handle")
async def test_a_passage_that_the_index_knows_to_be_superseded_is_asked_about_whatever_is_remembered() -> None:
    source = MemorySource({"a": "x"}, remote=True)
    world = World(source)
    chunk = world.chunk(1, "a")
    await world.check(chunk)
    source.verdicts["a"] = Verdict.GONE
    assert await world.check(chunk) == {1: Access.SHOWN}
    assert await world.check(replace(chunk, head=False)) == {1: Access.DROPPED}


async def test_without_a_memory_every_check_asks_the_source() -> None:
    source = MemorySource({"a": "x"}, remote=True)
    world = World(source, memory=0)
    await world.check(world.chunk(1, "a"))
    source.verdicts["a"] = Verdict.GONE
    assert await world.check(world.chunk(1, "a")) == {1: Access.DROPPED}


async def test_a_denial_is_never_cached() -> None:
    source = MemorySource({"a": "x"}, {"a": Verdict.UNKNOWN})
    world = World(source)
    assert await world.check(world.chunk(1, "a")) == {1: Access.WITHHELD}
    source.verdicts.clear()
    assert await world.check(world.chunk(1, "a")) == {1: Access.SHOWN}


async def test_a_chunk_of_a_source_outside_the_allowed_ones_is_withheld() -> None:
    world = World(MemorySource({"a": "x"}))
    assert await world.check(stored(1, source_id=99)) == {1: Access.WITHHELD}


@pytest.mark.requirement("failed-verification-shows-nothing")
@given(verdicts=st.lists(st.sampled_from(Verdict), min_size=1, max_size=8), forget=st.sets(st.integers(0, 7)))
async def test_only_a_document_that_is_vouched_for_is_shown(verdicts: list[Verdict], forget: set[int]) -> None:
    source = MemorySource({str(n): "changed text" for n in range(len(verdicts))})
    source.verdicts.update({str(n): verdict for n, verdict in enumerate(verdicts)})
    world = World(source)

    async def forgetful(refs: list[DocumentRef]) -> Verdicts:
        for ref in refs:
            if int(ref.native_id) not in forget:
                yield ref, source.verdicts[ref.native_id]

    source.verify = forgetful  # type: ignore[method-assign,assignment]
    found = await world.check(*(world.chunk(n, str(n), "indexed text") for n in range(len(verdicts))))
    for number, verdict in enumerate(verdicts):
        assert (found[number] is Access.SHOWN) == (verdict is Verdict.OK and number not in forget)


@pytest.mark.requirement("failed-verification-shows-nothing")
async def test_a_document_is_dropped_even_if_it_cannot_be_queued_for_reading() -> None:
    source = MemorySource({}, {"a": Verdict.GONE})
    world = World(source)
    access = AccessCheck(world.connector, cast("Ledger", Unreachable()), deadline=0.3, memory=30.0)
    assert dict(await access.check(ME, world.allowed, [stored(1, native_id="a")])) == {1: Access.DROPPED}


async def test_a_document_that_only_changed_may_be_shown_as_it_was_and_is_not_queued() -> None:
    world = World(MemorySource({"a": "x"}, {"a": Verdict.CHANGED, "b": Verdict.GONE}))
    refs = [DocumentRef("docs_page", NativeId(name), Version("1")) for name in ("a", "b")]
    permitted = await world.access.ask(ME, world.allowed, [(1, ref) for ref in refs], Policy.PAST)
    assert permitted[1, refs[0]] is Access.SHOWN
    assert world.ledger.queued == []


@pytest.mark.requirement("unopenable-never-shown-in-any-past")
async def test_past_texts_of_a_document_that_is_shown_only_in_part_now_are_dropped() -> None:
    source = MemorySource({"a": "busy"}, {"a": Verdict.REDUCED}, remote=True)
    world = World(source)
    ref = DocumentRef("docs_page", NativeId("a"), Version("1"))
    assert await world.access.ask(ME, world.allowed, [(1, ref)], Policy.PAST) == {(1, ref): Access.DROPPED}
    assert await world.access.ask(ME, world.allowed, [(1, ref)], Policy.INDEXED, world.access.deadline()) == {
        (1, ref): Access.WITHHELD
    }
    shown = await world.access.check(ME, world.allowed, [stored(1, native_id="a")])
    assert dict(shown) == {1: Access.WITHHELD}
    assert source.fetched == ["a"], "it was read again, and what is left of it lacks the text"


@pytest.mark.parametrize(
    ("verdict", "here", "elsewhere"),
    [
        (Verdict.OK, Access.SHOWN, Access.SHOWN),
        (Verdict.CHANGED, Access.SHOWN, Access.WITHHELD),
        (Verdict.GONE, Access.DROPPED, Access.DROPPED),
        (Verdict.EXCLUDED, Access.DROPPED, Access.DROPPED),
        (Verdict.UNKNOWN, Access.WITHHELD, Access.WITHHELD),
    ],
)
async def test_indexed_text_of_a_changed_document_is_shown_only_if_it_is_local(
    verdict: Verdict, here: Access, elsewhere: Access
) -> None:
    world = World(MemorySource({}, {"a": verdict}), MemorySource({}, {"a": verdict}, remote=True))
    ref = DocumentRef("docs_page", NativeId("a"), Version("1"))
    found = await world.access.ask(
        ME, world.allowed, [(1, ref), (2, ref), (3, ref)], Policy.INDEXED, world.access.deadline()
    )
    assert found == {(1, ref): here, (2, ref): elsewhere}


async def test_a_document_confirmed_a_moment_ago_is_not_verified_again() -> None:
    source = MemorySource({}, {"a": Verdict.OK}, remote=True)
    world = World(source)
    ref = DocumentRef("docs_page", NativeId("a"), Version("1"))
    for _ in range(2):
        found = await world.access.ask(ME, world.allowed, [(1, ref)], Policy.INDEXED, world.access.deadline())
        assert found == {(1, ref): Access.SHOWN}
    assert len(source.asked) == 1


@pytest.mark.requirement("remembered-verdicts-say-their-age")
def test_the_age_of_the_oldest_verdict_from_memory_counts_for_the_page() -> None:
    async def asked() -> None:
        world = World(MemorySource({"a": "some words", "b": "some words"}, remote=True))
        first, both = world.access.deadline(), world.access.deadline()
        chunks = [world.chunk(1, "a"), world.chunk(2, "b")]
        await world.access.check(ME, world.allowed, chunks[:1], deadline=first)
        assert age_notes(first.remembered) == ()
        await asyncio.sleep(3.5)
        await world.access.check(ME, world.allowed, chunks, deadline=both)
        (note,) = age_notes(both.remembered)
        assert "up to 4 seconds old" in note
        named = world.access.deadline()
        await asyncio.sleep(1)
        refs = [DocumentRef(chunk.doc_type, chunk.native_id, chunk.version) for chunk in chunks]
        await world.access.ask(ME, world.allowed, [(1, ref) for ref in refs], Policy.INDEXED, named)
        assert "up to 5 seconds old" in age_notes(named.remembered)[0]

    with closing(virtual_loop()) as loop:
        loop.run_until_complete(asked())


@pytest.mark.requirement("deadline-follows-source-median")
def test_a_page_that_waited_in_vain_says_how_long_and_what_slow_sources_are_given_at_most() -> None:
    async def asked() -> None:
        world = World(MemorySource({"a": "some words"}, waits=20, remote=True), deadline=2.0)
        deadline = world.access.deadline()
        await world.access.check(ME, world.allowed, [world.chunk(1, "a")], deadline=deadline)
        (note,) = world.access.notes(world.allowed, deadline)
        assert "given 2.0 s to confirm access (at most 10 s if they are slow)" in note
        prompt = World(MemorySource({"a": "some words"}, remote=True), deadline=2.0)
        deadline = prompt.access.deadline()
        await prompt.access.check(ME, prompt.allowed, [prompt.chunk(1, "a")], deadline=deadline)
        assert prompt.access.notes(prompt.allowed, deadline) == ()

    with closing(virtual_loop()) as loop:
        loop.run_until_complete(asked())


def test_a_source_that_cannot_be_opened_counts_as_remote() -> None:
    def broken(_: Source) -> Connector:
        raise ConfigurationError("There is no such kind.")

    source = Source(SourceId(1), "local", "s1", "memory")
    assert AccessCheck(broken, cast("Ledger", Rechecks()), deadline=0.3, memory=30.0).is_remote(source)
    assert not World(MemorySource({})).access.is_remote(source)


async def test_a_single_look_at_a_slow_server_makes_the_next_question_wait_longer() -> None:
    source = MemorySource({"a": "some words"}, remote=True, waits=30.0)
    world = World(source, deadline=0.05)
    before = world.access.deadline()
    ref = DocumentRef("docs_page", NativeId("a"), source.version("a"))
    assert (await world.access.look(world.allowed.sources[0], ref)).verdict is Verdict.UNKNOWN
    asked = (1, "docs_page")
    after = world.access.deadline()
    assert after.of(asked) - after.clock() > 1.5 * (before.of(asked) - before.clock())
