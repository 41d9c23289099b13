"""A question to permitted, ranked passages: the whole way, with the real model."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.integration.retrieval.world import CALLER, World

from citemark.model.documents import Verdict
from citemark.model.errors import InvalidArgument, UnknownCursor
from citemark.model.ids import SessionId
from citemark.model.scope import READ, Principal, ReadContext
from citemark.retrieval.pipeline import NO_VECTORS
from citemark.services.requests import Caller, SearchRequest
from citemark.services.responses import SearchHit, SearchPage

TOPICS = [
    "cats",
    "ships",
    "bread",
    "stars",
    "violins",
    "glaciers",
    "engines",
    "gardens",
    "coins",
    "maps",
    "bees",
    "silk",
]
TEXTS = {f"{topic}.md": f"# About {topic}\nEverything worth knowing about {topic} is here.\n" for topic in TOPICS}


def names(page: SearchPage) -> list[str]:
    return [hit.section_id.partition("#")[0] for hit in page.hits]


def shown(hit: SearchHit) -> tuple[object, ...]:
    """All of a hit but its handle and the time of the question."""
    return (hit.rank, hit.section_id, hit.score, hit.why, hit.preview, hit.text, hit.citation.span, hit.also_in)


@pytest.mark.both_forms
@pytest.mark.requirement("paraphrase-is-found")
async def test_a_paraphrase_without_a_common_word_is_found(world: World) -> None:
    await world.source("docs", {"pets.md": "Kittens sleep most of the day.", **TEXTS})
    ranking = await world.rank("feline slumber habits")
    assert (await world.found("feline slumber habits"))[0] == "pets.md"
    assert ranking.candidates[0].why.origin == "vector"


@pytest.mark.both_forms
@pytest.mark.requirement(
    "rank-fusion-chooses-200-candidates",
    "calibrated-relevance-orders-candidates",
    "score-lies-between-zero-and-one",
    "order-and-score-agree",
)
async def test_both_scores_are_known_of_every_candidate_and_order_and_score_agree(world: World) -> None:
    await world.source("docs", TEXTS)
    candidates = (await world.rank("everything about bees", max_per_doc=5)).candidates
    assert len(candidates) == len(TEXTS)
    assert all(candidate.why.cosine is not None and candidate.why.bm25 > 0 for candidate in candidates)
    scores = [candidate.score for candidate in candidates]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert all(candidate.why.bm25 <= candidate.why.bm25_upper_bound for candidate in candidates)


@pytest.mark.requirement("text-searchable-before-vectors", "chunk-without-vector-scored-by-words")
async def test_a_chunk_without_a_vector_is_found_by_its_words_and_scored(world: World) -> None:
    source = await world.source("docs", TEXTS)
    await world.write(source, {"new.md": "The flux capacitor needs plutonium."}, embedded=False)
    candidate = (await world.rank("flux capacitor plutonium")).candidates[0]
    assert (candidate.why.cosine, candidate.why.origin) == (None, "bm25")
    assert candidate.score > 0.5


async def test_without_any_vector_set_words_alone_rank_and_the_answer_says_so(world: World) -> None:
    source = await world.source("docs", TEXTS)
    await world.index.rows("UPDATE embedding_set SET state = 'retired'")
    ranking = await world.rank("bees")
    assert ranking.notes == (NO_VECTORS,)
    assert len(ranking.candidates) == 1
    assert source in ranking.allowed.sources


@pytest.mark.requirement("same-state-gives-same-order")
async def test_the_same_question_gives_the_same_order_and_text(world: World) -> None:
    await world.source("docs", TEXTS)
    first, second = [await world.page("gardens and bees", top_k=10, page_size=10) for _ in range(2)]
    assert [shown(hit) for hit in first.hits] == [shown(hit) for hit in second.hits]


@pytest.mark.requirement("repeated-passages-are-one-hit")
async def test_a_passage_in_two_versions_of_a_page_is_one_hit_with_also_in(world: World) -> None:
    same = "# Lifecycle\nThe client sends initialize and waits for the answer.\n"
    await world.source("docs", {"v1.md": same, "v2.md": same, **TEXTS})
    page = await world.page("initialize lifecycle client")
    assert names(page)[0] in {"v1.md", "v2.md"}
    assert {names(page)[0], page.hits[0].also_in[0].partition("#")[0]} == {"v1.md", "v2.md"}


@pytest.mark.both_forms
@pytest.mark.requirement("cursor-never-mixes-states", "tools-kb-visit-once")
async def test_paging_visits_each_hit_once_while_the_index_moves(world: World) -> None:
    source = await world.source("docs", TEXTS)
    whole = names(await world.page("everything about", top_k=12, page_size=12))
    seen: list[str] = []
    cursor = None
    while True:
        page = await world.page("everything about", top_k=12, page_size=3, cursor=cursor)
        seen += names(page)
        cursor = page.meta.next_cursor
        if cursor is None:
            break
        await world.write(source, {f"new{len(seen)}.md": "Everything about everything is here, everything."})
    assert seen == whole
    assert sorted(seen) == sorted(TEXTS)


@pytest.mark.requirement("cursor-bound-to-person-and-query", "bad-cursor-is-invalid-argument")
async def test_a_cursor_of_another_question_or_caller_is_refused(world: World) -> None:
    await world.source("docs", TEXTS)
    cursor = (await world.page("everything about", top_k=9, page_size=3)).meta.next_cursor
    other = Caller(Principal("local", "somebody", frozenset({READ})), SessionId("s_test"))
    same = SearchRequest("everything about", top_k=9, page_size=3, min_score=0.0, cursor=cursor)
    for caller, request in (
        (CALLER, replace(same, query="everything else")),
        (CALLER, replace(same, top_k=10)),
        (CALLER, replace(same, cursor="nonsense")),
        (CALLER, replace(same, cursor=f"{cursor}0")),
        (other, same),
    ):
        with pytest.raises(UnknownCursor):
            await world.services.search.find(caller, request)
    assert len((await world.services.search.find(CALLER, same)).hits) == 3


@pytest.mark.requirement("bad-cursor-is-invalid-argument")
async def test_an_expired_cursor_is_refused(world: World) -> None:
    await world.source("docs", TEXTS)
    cursor = (await world.page("everything about", top_k=9, page_size=3)).meta.next_cursor
    await world.index.rows("UPDATE ranked_hit SET expires_at = %s", datetime.now(UTC) - timedelta(seconds=1))
    with pytest.raises(UnknownCursor):
        await world.page("everything about", top_k=9, page_size=3, cursor=cursor)


async def test_a_hit_whose_document_is_gone_is_dropped_and_the_page_refilled(world: World) -> None:
    source = await world.source("docs", TEXTS)
    before = names(await world.page("everything about"))
    del world.memory[source.source_id].texts[before[1]]
    page = await world.page("everything about")
    assert len(page.hits) == 5
    assert before[1] not in names(page)
    assert page.meta.withheld_unverified == 0
    assert [claim.native_id for claim in await world.index.claim(source.source_id)] == [before[1]]


@pytest.mark.requirement("unverifiable-hit-withheld-and-counted")
async def test_a_hit_that_cannot_be_verified_is_withheld_and_counted(world: World) -> None:
    source = await world.source("docs", TEXTS)
    before = names(await world.page("everything about"))
    world.memory[source.source_id].verdicts[before[0]] = Verdict.UNKNOWN
    page = await world.page("everything about")
    assert before[0] not in names(page)
    assert page.meta.withheld_unverified == 1
    assert len(page.hits) == 5


@pytest.mark.requirement("changed-hit-reread-or-withheld")
async def test_the_old_text_of_a_changed_document_is_not_shown(world: World) -> None:
    source = await world.source("docs", TEXTS)
    world.memory[source.source_id].texts["bees.md"] = "# About bees\nConfidential now.\n"
    page = await world.page("everything about bees", top_k=12, page_size=12)
    assert "bees.md" not in names(page)
    assert page.meta.withheld_unverified == 1


@pytest.mark.requirement("failed-verification-shows-nothing")
@pytest.mark.requirement("documents-read-meanwhile")
@pytest.mark.parametrize("moment", ["nearest", "read"])
async def test_an_answer_has_a_document_that_is_read_again_meanwhile_or_says_that_something_changed(
    world: World, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    source = await world.source("docs", {"a.md": "The gateway listens on port 4711.", "b.md": "Cats sleep all day."})
    search = world.index.stores.search
    usual = getattr(search, moment)

    async def after_a_change(*arguments: Any) -> Any:
        if world.memory[source.source_id].texts["a.md"].endswith("4711."):
            await world.write(source, {"a.md": "The gateway listens on port 8080."}, embedded=False)
        return await usual(*arguments)

    monkeypatch.setattr(search, moment, after_a_change)
    page = await world.page("On which port does the gateway listen?")
    told = [hit.preview for hit in page.hits]
    assert any("8080" in preview for preview in told) or page.meta.reading.withheld
    assert not any("4711" in preview for preview in told)


async def test_a_source_that_is_down_shows_nothing_and_hides_no_other(world: World) -> None:
    def down(_: str) -> None:
        raise OSError("gone")

    broken = await world.source("broken", TEXTS)
    await world.source("sound", {"other.md": "Everything about something else."})
    world.memory[broken.source_id].trouble = down
    page = await world.page("everything about")
    assert names(page) == ["other.md"]
    assert page.meta.withheld_unverified == len(TEXTS)


@pytest.mark.requirement("max-per-doc-counts-pages")
async def test_max_per_doc_counts_pages_not_sections(world: World) -> None:
    sections = "".join(f"# Part {n}\nAll about the violin, part {n}.\n" for n in range(6))
    await world.source("docs", {"long.md": sections, **TEXTS})
    assert (await world.found("violin part")).count("long.md") == 1
    assert (await world.found("violin part", max_per_doc=3)).count("long.md") == 3


@pytest.mark.requirement("read-context-takes-one-kind", "responses-repeat-resolved-read-context")
async def test_a_question_resolves_what_it_reads_and_never_past_the_horizon(world: World) -> None:
    await world.source("docs", TEXTS)
    ranking = await world.rank("bees")
    assert ranking.read_context.as_of <= datetime.now(UTC)
    assert ranking.read_context.baseline_id is None
    for context in (ReadContext("b", datetime.now(UTC)), ReadContext(baseline_id="b")):
        with pytest.raises(InvalidArgument):
            await world.rank("bees", read_context=context)


@pytest.mark.parametrize("query", ["NUL \x00 in it", "half a pair \ud800"])
async def test_a_question_that_is_not_text_is_refused_before_anything_reads_it(world: World, query: str) -> None:
    await world.source("docs", TEXTS)
    for question, also in ((query, ()), ("bees", (query,))):
        with pytest.raises(InvalidArgument, match="must be text"):
            await world.rank(question, also=also)


async def test_nothing_is_found_where_nothing_may_be_read(world: World) -> None:
    ranking = await world.rank("anything")
    assert (ranking.candidates, ranking.allowed.sources) == ((), ())
