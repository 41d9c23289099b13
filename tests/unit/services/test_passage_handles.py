"""Passages and quotes over stores in memory: handles, scopes, budgets."""

import asyncio
from contextlib import closing

import pytest
from tests.support.in_memory_services import ME, NOW, SOMEBODY, InMemoryWorld, Told
from tests.support.in_memory_stores import InMemoryStores
from tests.support.memory_source import MemorySource
from tests.support.virtual_time import virtual_loop

from citemark.evidence.budget import QuoteLimits, count_tokens
from citemark.model.documents import Fetched, Verdict
from citemark.model.errors import BackendUnavailable, InvalidArgument, UnknownPassage
from citemark.model.ids import NativeId, RevisionId, SessionId, SourceId
from citemark.model.scope import RequestScope, ResolvedContext
from citemark.model.text import Span
from citemark.services.requests import Caller

TEXTS = {
    "valves.md": "The valve opens at four bar. It closes at two bar. Grease it every year.",
    "pumps.md": "The pump runs at night. Its valve is made of brass.",
}
HERE = RequestScope()


async def handle_of(world: InMemoryWorld, query: str = "valve opens") -> str:
    return (await world.find(query)).hits[0].passage_id


async def test_a_passage_is_read_up_to_its_budget_and_on_from_there() -> None:
    world = InMemoryWorld(TEXTS)
    handle = await handle_of(world)
    first = await world.passages.read(ME, handle, start_char=0, max_tokens=8, bullets=False, scope=HERE)
    assert first.truncated
    assert count_tokens(first.text) <= 8
    assert first.onward is not None
    rest = await world.passages.read(
        ME, first.onward.passage_id, start_char=first.onward.start_char, max_tokens=800, bullets=False, scope=HERE
    )
    assert (first.text + rest.text).split() == TEXTS["valves.md"].split()


async def test_a_handle_opens_for_its_caller_alone() -> None:
    world = InMemoryWorld(TEXTS)
    with pytest.raises(UnknownPassage):
        await world.passages.open(SOMEBODY, [await handle_of(world)], HERE)


@pytest.mark.parametrize(("verdict", "error"), [(Verdict.GONE, UnknownPassage), (Verdict.UNKNOWN, BackendUnavailable)])
async def test_a_passage_opens_only_while_its_source_vouches(verdict: Verdict, error: type[Exception]) -> None:
    world = InMemoryWorld(TEXTS)
    handle = await handle_of(world)
    world.told.verdicts["valves.md"] = verdict
    with pytest.raises(error):
        await world.passages.open(ME, [handle], HERE)


async def test_quotes_are_verbatim_within_their_limits_and_cited() -> None:
    evidence = await InMemoryWorld(TEXTS).quote("when does the valve open", max_quotes=2, max_quote_tokens=12)
    assert 0 < len(evidence.quotes) <= 2
    for quote in evidence.quotes:
        assert quote.quote in TEXTS[quote.section_id]
        assert count_tokens(quote.quote) <= 12
        assert quote.citation.document_id == quote.section_id


async def test_quotes_of_given_passages_come_from_these_alone() -> None:
    world = InMemoryWorld(TEXTS)
    handle = await handle_of(world)
    evidence = await world.evidence.extract(ME, "valve", [handle, handle], QuoteLimits(), scope=HERE)
    assert {quote.section_id for quote in evidence.quotes} == {"valves.md"}


async def test_the_address_of_a_passage_is_of_one_session() -> None:
    world = InMemoryWorld(TEXTS)
    handle = await handle_of(world)
    assert (await world.passages.text(ME, "s_me", handle)).text == TEXTS["valves.md"]
    with pytest.raises(UnknownPassage):
        await world.passages.text(ME, "s_other", handle)
    with pytest.raises(UnknownPassage):
        await world.passages.text(Caller(ME.principal, SessionId("s_other")), "s_other", handle)


async def test_a_passage_whose_revision_is_kept_no_more_is_not_expanded() -> None:
    class Forgetful(InMemoryStores):
        async def body(self, source_id: SourceId, revision_id: RevisionId) -> str | None:
            return None

    world = InMemoryWorld(TEXTS, stores=Forgetful(active=None))
    handle = await handle_of(world)
    with pytest.raises(UnknownPassage):
        await world.passages.expand(ME, handle, before_tokens=5, after_tokens=5, bullets=False, scope=HERE)


async def test_text_around_a_passage_that_its_source_has_changed_is_not_shown() -> None:
    class Longer(InMemoryStores):
        async def body(self, source_id: SourceId, revision_id: RevisionId) -> str | None:
            return f"{await super().body(source_id, revision_id)} After it the pump stops."

    class Rewritten(Told):
        async def fetch(self, *_: object) -> Fetched | None:
            return await MemorySource({"valves.md": f"{TEXTS['valves.md']} Behind it."}).fetch(
                "", NativeId("valves.md")
            )

    async def expanded() -> str:
        return (
            await world.passages.expand(ME, handle, before_tokens=50, after_tokens=50, bullets=False, scope=HERE)
        ).text

    world = InMemoryWorld(TEXTS, stores=Longer(active=None))
    handle = await handle_of(world)
    assert await expanded() == f"{TEXTS['valves.md']} After it the pump stops."
    world.told = Rewritten()
    world.told.verdicts["valves.md"] = Verdict.CHANGED
    assert await expanded() == TEXTS["valves.md"]


async def test_what_a_passage_goes_on_in_is_cited_whole_since_nothing_in_it_was_asked_for() -> None:
    world = InMemoryWorld(TEXTS)
    (offered,) = await world.handles.offer(ME, [(world.chunks["valves.md"], Span(0, 0))], ResolvedContext(as_of=NOW))
    ref = await world.passages.cited(ME.principal, offered)
    assert (ref.document_id, ref.start_char, ref.end_char) == ("valves.md", 0, len(TEXTS["valves.md"]))


async def test_a_character_beyond_a_passage_is_refused_and_not_read_from_what_follows() -> None:
    world = InMemoryWorld(TEXTS)
    handle, beyond = await handle_of(world), len(TEXTS["valves.md"]) + 1
    with pytest.raises(InvalidArgument, match="outside"):
        await world.passages.read(ME, handle, start_char=beyond, max_tokens=80, bullets=False, scope=HERE)


@pytest.mark.requirement("handle-reads-say-verdict-age")
def test_what_is_read_by_handle_says_how_old_a_verdict_from_memory_is() -> None:
    async def asked() -> None:
        world = InMemoryWorld(TEXTS, memory=60.0)
        world.told.remote = True
        handle = await handle_of(world)
        await asyncio.sleep(3.5)
        read = await world.passages.read(ME, handle, start_char=0, max_tokens=800, bullets=False, scope=HERE)
        wider = await world.passages.expand(ME, handle, before_tokens=5, after_tokens=5, bullets=False, scope=HERE)
        quoted = await world.evidence.extract(ME, "valve", [handle], QuoteLimits(), scope=HERE)
        for meta in (read.meta, wider.meta, quoted.meta):
            assert "up to 4 seconds old" in " ".join(meta.notes)

    with closing(virtual_loop()) as loop:
        loop.run_until_complete(asked())


async def test_what_is_read_by_handle_and_was_checked_just_now_says_nothing_of_ages() -> None:
    world = InMemoryWorld(TEXTS)
    world.told.remote = True
    handle = await handle_of(world)
    read = await world.passages.read(ME, handle, start_char=0, max_tokens=800, bullets=False, scope=HERE)
    assert read.meta.notes == ()
