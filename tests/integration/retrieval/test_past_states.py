"""Questions about the past: the same hits, order, scores and texts as then, whatever came afterwards."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.integration.retrieval.world import CALLER, World
from tests.support.index import DOC_TYPE, page_of
from tests.support.slow_tests import quick_first

from citemark.model.documents import Verdict
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.ids import ChunkId, Version
from citemark.model.scope import Filters, ReadContext, RequestScope
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.question import Question, Ranking
from citemark.services.responses import SearchPage
from citemark.store.history import HistoryStore

_TOPICS = ("boiler", "violin", "harbour", "Quarkus", "max_connections", "orchard", "ledger", "glacier")
_SAYINGS = (
    "The {a} must be checked every {n} days by whoever looks after the {b}.",
    "Nobody has seen a {a} near the {b} since {n} people left.",
    "# {a}\nHow the {a} works with the {b} in {n} steps.\n# Limits\nAt most {n} at once.",
    "- first {a}\n- second {b}\n- {n} more",
)
_QUESTIONS: Sequence[dict[str, Any]] = (
    {"query": "how often is the boiler checked"},
    {"query": "Quarkus limits", "also": ("how many at once", "steps of the violin")},
    {"query": "max_connections", "max_per_doc": 3},
    {"query": "who left the harbour", "filters": Filters(path_prefixes=("a/",))},
    {"query": "Zanzibar in the orchard"},
)


def saying(chance: random.Random) -> str:
    one, other = chance.sample(_TOPICS, 2)
    return chance.choice(_SAYINGS).format(a=one, b=other, n=chance.randint(2, 99))


def answer(page: SearchPage) -> list[tuple[object, ...]]:
    """All that a page says of its hits."""
    return [
        (
            hit.citation.document_id,
            hit.citation.revision_id,
            hit.citation.span,
            hit.score,
            hit.why,
            hit.text,
            hit.also_in,
        )
        for hit in page.hits
    ]


async def ask(world: World, question: dict[str, Any], **more: Any) -> SearchPage:
    return await world.page(top_k=20, page_size=20, **question, **more)


async def now(world: World) -> datetime:
    return await world.index.stores.horizon.now()


async def drop(world: World, source: Source, name: str) -> None:
    world.memory[source.source_id].texts.pop(name)
    await world.index.drop(source, name)


@pytest.mark.requirement(
    "past-question-answers-as-then",
    "resolved-time-reads-same-state",
    "historic-question-gives-same-bytes",
    "history-uses-exact-search",
)
@pytest.mark.parametrize("seed", quick_first(*range(4)))
async def test_a_question_about_a_moment_is_answered_the_same_after_later_changes(world: World, seed: int) -> None:
    chance = random.Random(seed)
    sources = [await world.source(name, {"a/always.md": "The harbour is always there."}) for name in ("docs", "more")]
    told: list[tuple[datetime, dict[str, Any], list[tuple[object, ...]]]] = []
    for _ in range(10):
        for _ in range(chance.randint(1, 4)):
            source = chance.choice(sources)
            name = f"{chance.choice('ab')}/{chance.randint(0, 4)}.md"
            if name in world.memory[source.source_id].texts and chance.random() < 0.3:
                await drop(world, source, name)
            else:
                await world.write(source, {name: saying(chance)}, language=chance.choice(["english", "german"]))
        await world.index.stores.segments.flush()
        for question in _QUESTIONS:
            page = await ask(world, question)
            told.append((page.meta.read_context.as_of, question, answer(page)))
    assert sum(bool(said) for *_, said in told) > 20
    for moment, question, said in told:
        page = await ask(world, question, read_context=ReadContext(as_of=moment))
        assert answer(page) == said, (moment, question)
        assert page.meta.read_context.as_of == moment
        assert all(hit.citation.as_of == moment for hit in page.hits)


@pytest.mark.requirement("past-question-answers-as-then")
async def test_the_tenth_question_of_a_moment_is_answered_as_if_it_were_the_first(world: World) -> None:
    chance = random.Random(5)
    source = await world.source("docs", {f"{chance.choice('ab')}/{n}.md": saying(chance) for n in range(150)})
    moment = await now(world)
    await world.write(source, {name: saying(chance) for name in list(world.memory[source.source_id].texts)[::2]})
    # Each of these moments has a memory of its own, and the state is the same.
    firsts = [
        answer(await ask(world, question, read_context=ReadContext(as_of=moment - number * timedelta(microseconds=1))))
        for number, question in enumerate(_QUESTIONS, start=1)
    ]
    assert all(firsts)
    for _ in range(2):
        for question, first in zip(_QUESTIONS, firsts, strict=True):
            assert answer(await ask(world, question, read_context=ReadContext(as_of=moment))) == first, question


@pytest.mark.both_forms
async def test_words_that_wait_for_a_segment_and_lists_that_were_merged_count_alike(world: World) -> None:
    source = await world.source("docs", {f"{n}.md": f"The boiler number {n} is checked." for n in range(12)})
    moment = await now(world)
    before = answer(await ask(world, {"query": "boiler checked"}, read_context=ReadContext(as_of=moment)))
    assert len(before) == 12
    for n in range(12):
        await world.index.put(source, f"{n}.md", f"Something else {n}")  # nothing is flushed
    assert answer(await ask(world, {"query": "boiler checked"}, read_context=ReadContext(as_of=moment))) == before
    for n in range(12):
        await world.write(source, {f"{n}.md": f"Again something else {n}"})
    assert answer(await ask(world, {"query": "boiler checked"}, read_context=ReadContext(as_of=moment))) == before


async def test_a_vector_that_comes_after_its_text_was_replaced_belongs_to_the_past(world: World) -> None:
    source = await world.source("docs", {"a.md": "The boiler is checked each spring."}, embedded=False)
    moment = await now(world)
    await world.index.put(source, "a.md", "Nothing about it any more.")
    target = await world.index.stores.vectors.ensure(world.model.identity)
    await world.index.embed(target, lambda texts: world.model.embed_documents(texts).tolist())
    page = await ask(world, {"query": "heating inspection"}, read_context=ReadContext(as_of=moment))
    assert [hit.text for hit in page.hits] == ["The boiler is checked each spring."]
    assert page.hits[0].why.cosine is not None


@pytest.mark.requirement("unreadable-moments-refused-clearly")
async def test_a_moment_before_the_first_revision_is_refused_with_the_first(world: World) -> None:
    await world.source("docs", {"a.md": "The boiler."})
    with pytest.raises(InvalidArgument, match=r"Nothing had been recorded yet .* first document was recorded at"):
        await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=datetime(2001, 1, 1, tzinfo=UTC)))


@pytest.mark.requirement("unreadable-moments-refused-clearly", "responses-repeat-resolved-read-context")
async def test_a_future_moment_reads_the_present_and_says_so(world: World) -> None:
    await world.source("docs", {"a.md": "The boiler."})
    ahead = datetime.now(UTC) + timedelta(days=2)
    page = await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=ahead))
    assert len(page.hits) == 1
    assert any("is in the future" in note for note in page.meta.notes)
    assert page.meta.read_context.as_of < ahead


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_a_source_that_keeps_no_history_is_left_out_of_a_past_that_it_has_changed_since(world: World) -> None:
    kept = await world.source("kept", {"a.md": "The old boiler."})
    forgetful = await world.source("forgetful", {"b.md": "The other boiler."}, keep_history=False)
    moment = await now(world)
    page = await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    assert {hit.citation.source for hit in page.hits} == {"kept", "forgetful"}, "nothing has changed yet"
    await world.write(forgetful, {"b.md": "A new boiler."})
    await world.write(kept, {"a.md": "A newer boiler."})
    page = await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    assert [hit.text for hit in page.hits] == ["The old boiler."]
    assert "left out: forgetful keeps no history and has changed since" in page.meta.notes


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_a_source_without_history_that_has_lost_a_page_since_is_left_out(world: World) -> None:
    await world.source("kept", {"a.md": "The old boiler."})
    forgetful = await world.source("forgetful", {"b.md": "The other boiler.", "c.md": "A third."}, keep_history=False)
    moment = await now(world)
    await drop(world, forgetful, "b.md")
    page = await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    assert [hit.text for hit in page.hits] == ["The old boiler."]
    assert "left out: forgetful keeps no history and has changed since" in page.meta.notes
    later = await now(world)
    page = await ask(world, {"query": "third boiler"}, read_context=ReadContext(as_of=later))
    assert {hit.citation.source for hit in page.hits} == {"kept", "forgetful"}, "nothing has changed since"


@pytest.mark.requirement("purge-leaves-no-moment-with-holes")
async def test_a_moment_is_refused_if_a_page_deleted_since_then_was_purged(world: World) -> None:
    source = await world.source("docs", {"a.md": "The old boiler.", "b.md": "The violin."})
    moment = await now(world)
    await drop(world, source, "a.md")
    later = await now(world)
    assert await world.index.stores.of(HistoryStore).purge(source.source_id, later) == 1
    with pytest.raises(InvalidArgument, match="the history of docs begins at"):
        await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    page = await ask(world, {"query": "violin"}, read_context=ReadContext(as_of=later))
    assert [hit.text for hit in page.hits] == ["The violin."]


@pytest.mark.requirement("historic-question-gives-same-bytes")
async def test_a_file_touched_later_passes_no_filter_of_an_earlier_moment(world: World) -> None:
    source = await world.source("docs", {"a.md": "The old boiler."})
    page = page_of(source.source_id, "a.md", "The old boiler.")
    days = [datetime(2020, 1, day, tzinfo=UTC) for day in range(1, 5)]
    moments: list[datetime] = []
    for number, day in enumerate(days):
        touched = replace(page, version=Version(f"touched {number}"), modified_at=day)
        assert (await world.index.put_page(source, touched)).unchanged
        assert (await world.index.put_page(source, replace(touched, version=Version(f"again {number}")))).unchanged
        moments.append(await now(world))
    assert await world.index.value("SELECT count(*) FROM revision") == 1
    for moment, day in zip([*moments, None], [*days, days[-1]], strict=True):
        context = ReadContext(as_of=moment)
        for filters, hits in (
            (Filters(updated_after=day - timedelta(hours=1), updated_before=day + timedelta(hours=1)), 1),
            (Filters(updated_after=day + timedelta(hours=1)), 0),
        ):
            found = await ask(world, {"query": "boiler"}, filters=filters, read_context=context)
            assert [hit.last_modified for hit in found.hits] == [day] * hits


async def test_of_a_file_that_is_touched_again_and_again_the_last_hundred_dates_are_kept(world: World) -> None:
    source = await world.source("docs", {"a.md": "The old boiler."})
    page = page_of(source.source_id, "a.md", "The old boiler.")
    for number in range(104):
        day = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=number)
        await world.index.put_page(source, replace(page, version=Version(f"{number}"), modified_at=day))
    ((times, dates),) = await world.index.rows("SELECT touched_at, dates_before FROM revision")
    assert times == sorted(times)
    assert dates == [datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=number) for number in range(3, 103)]


@pytest.mark.both_forms
async def test_a_state_that_is_read_again_after_a_deletion_is_searched_by_its_own_vectors(world: World) -> None:
    # Whoever asks for the moment is refused it now; a question that was let in before reads what is left.
    texts = {f"{n}.md": saying(random.Random(n)) for n in range(20)}
    source = await world.source("forgetful", texts, keep_history=False)
    moment = await now(world)
    past, (entry,) = world.index.stores.past, await world.index.stores.vectors.sets()
    allowed = await world.index.stores.sources.allowed(CALLER.principal, RequestScope("default"))
    vectors = world.model.embed_queries(["who looks after the boiler"]).tolist()

    async def nearest(at: datetime) -> list[int]:
        search, then = await past.open(allowed, at)
        (hits,) = await search.dense(entry.set_id, vectors, then, 5, pages=None, exact=True)
        return list(hits.chunk_ids)

    before = [await nearest(moment) for _ in range(4)]
    assert before == [before[0]] * 4
    chunks = await world.index.stores.search.read(allowed, before[0])
    gone = chunks[ChunkId(before[0][0])].native_id
    await drop(world, source, gone)
    for number in range(1, 10):  # more than are remembered
        await nearest(moment - timedelta(microseconds=number))
    left = await nearest(moment)
    assert len(left) == 5
    kept = [number for number in before[0] if chunks[ChunkId(number)].native_id != gone]
    assert left[: len(kept)] == kept


@pytest.mark.requirement("history-retention-is-a-setting")
async def test_each_page_of_an_answer_about_the_past_says_what_is_left_out(world: World) -> None:
    await world.source("kept", {"a.md": "The old boiler.", "b.md": "Another old boiler."})
    forgetful = await world.source("forgetful", {"b.md": "The other boiler."}, keep_history=False)
    asked: dict[str, Any] = {"read_context": ReadContext(as_of=await now(world)), "top_k": 2, "page_size": 1}
    await world.write(forgetful, {"b.md": "A new boiler."})
    first = await world.page("boiler", **asked)
    second = await world.page("boiler", cursor=first.meta.next_cursor, **asked)
    assert [len(page.hits) for page in (first, second)] == [1, 1]
    for page in (first, second):
        assert "left out: forgetful keeps no history and has changed since" in page.meta.notes


@pytest.mark.requirement("permission-of-now-in-any-state")
@pytest.mark.parametrize(
    ("remote", "verdict", "shown"),
    [
        (False, Verdict.OK, 1),
        (False, Verdict.CHANGED, 1),
        (False, Verdict.GONE, 1),
        (False, Verdict.EXCLUDED, 0),
        (False, Verdict.UNKNOWN, 0),
        (True, Verdict.OK, 1),
        (True, Verdict.CHANGED, 1),
        (True, Verdict.GONE, 0),
        (True, Verdict.UNKNOWN, 0),
    ],
)
async def test_the_past_is_shown_to_whoever_may_open_the_document_now(
    world: World, remote: bool, verdict: Verdict, shown: int
) -> None:
    source = await world.source("docs", {"a.md": "The old boiler."})
    moment = await now(world)
    await world.write(source, {"a.md": "Something else."})
    world.memory[source.source_id].remote = remote
    world.memory[source.source_id].verdicts["a.md"] = verdict
    page = await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    assert len(page.hits) == shown
    assert page.meta.withheld_unverified == (verdict is Verdict.UNKNOWN)


async def test_reading_the_past_queues_no_document_for_another_look(world: World) -> None:
    source = await world.source("docs", {"a.md": "The old boiler."})
    moment = await now(world)
    await world.write(source, {"a.md": "Something else."})
    await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    wanted = await world.index.rows("SELECT wanted_version = indexed_version FROM item WHERE doc_type = %s", DOC_TYPE)
    assert wanted in ([], [(True,)]) or all(row[0] is not False for row in wanted)


@pytest.mark.requirement("passage-read-on-in-its-state")
async def test_a_passage_of_the_past_is_read_on_in_its_state(world: World) -> None:
    source = await world.source("docs", {"a.md": "# Boiler\nThe old boiler.\n# More\nMore of the old one."})
    moment = await now(world)
    await world.write(source, {"a.md": "# Boiler\nThe new boiler."})
    page = await ask(world, {"query": "old boiler"}, read_context=ReadContext(as_of=moment))
    first = page.hits[0]
    passages = world.services.passages
    scope = world.scoping.project
    cut = await passages.read(CALLER, first.passage_id, start_char=0, max_tokens=5, bullets=False, scope=scope)
    assert "boiler" in cut.text.lower()
    assert cut.citation.as_of == moment == cut.meta.read_context.as_of
    assert cut.onward is not None
    onward = await passages.read(
        CALLER, cut.onward.passage_id, start_char=cut.onward.start_char, max_tokens=300, bullets=False, scope=scope
    )
    assert "old boiler" in cut.text + onward.text
    assert "More of the old one." in onward.text
    assert onward.citation.as_of == moment
    with pytest.raises(InvalidArgument, match="read in the state that it was found in"):
        await passages.read(
            CALLER,
            first.passage_id,
            start_char=0,
            max_tokens=300,
            bullets=False,
            scope=scope,
            read_context=ReadContext(as_of=moment - timedelta(seconds=1)),
        )


@pytest.mark.requirement("purge-leaves-no-moment-with-holes")
async def test_a_source_that_loses_the_state_while_it_is_read_ends_the_question_instead_of_missing_silently(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.source("kept", {"a.md": "The old boiler."})
    forgetful = await world.source("forgetful", {"b.md": "The other boiler."}, keep_history=False)
    moment = await now(world)
    opened = world.pipeline.past.open

    async def open_and_lose(allowed: AllowedSources, at: datetime) -> tuple[SearchIndex, AllowedSources]:
        found = await opened(allowed, at)
        await world.write(forgetful, {"b.md": "Nothing about it."})
        return found

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(world.pipeline.past, "open", open_and_lose)
        with pytest.raises(BackendUnavailable, match="changed while it was read; ask again"):
            await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    page = await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    assert [hit.text for hit in page.hits] == ["The old boiler."]
    assert "left out: forgetful keeps no history and has changed since" in page.meta.notes


@pytest.mark.requirement("purge-leaves-no-moment-with-holes")
async def test_a_purge_between_the_ranking_and_its_page_ends_the_query_too(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = await world.source("docs", {"a.md": "The old boiler."})
    moment = await now(world)
    await world.write(source, {"a.md": "Nothing about it."})
    rank = world.pipeline.rank

    async def rank_and_purge(question: Question) -> Ranking:
        ranking = await rank(question)
        await world.index.stores.of(HistoryStore).purge(source.source_id, await now(world))
        return ranking

    monkeypatch.setattr(world.pipeline, "rank", rank_and_purge)
    with pytest.raises(BackendUnavailable, match="changed while it was read; ask again"):
        await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
    with pytest.raises(InvalidArgument, match="the history of docs begins at"):
        await ask(world, {"query": "boiler"}, read_context=ReadContext(as_of=moment))
