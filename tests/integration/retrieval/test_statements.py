"""How many statements a question sends to the database, and what is kept from one question to the next."""

import pytest
from tests.integration.retrieval.world import ME, World
from tests.support.statements import counted

from citemark.model.scope import Principal, RequestScope

TEXTS = {f"{number}.md": f"The boiler of house {number} needs steam at {number} bar." for number in range(12)}
QUESTION = "boiler steam house"


@pytest.fixture
async def filled(world: World) -> World:
    await world.source("docs", TEXTS)
    return world


@pytest.mark.requirement("warm-question-few-statements")
@pytest.mark.parametrize("also", [(), ("valve pressure", "steam of a furnace")])
async def test_a_warm_question_reads_no_list_and_no_words_and_sends_four_statements(
    filled: World, also: tuple[str, ...]
) -> None:
    first = await filled.rank(QUESTION, also=also)
    with counted(filled.database) as statements:
        again = await filled.rank(QUESTION, also=also)
    assert again.candidates == first.candidates
    assert first.candidates
    assert dict(statements) == dict.fromkeys(
        ("allowed_sources", "read_horizon", "query_terms", "candidates_nearest"), 1
    )


async def test_a_word_that_is_new_costs_one_statement_for_its_lists(filled: World) -> None:
    await filled.rank(QUESTION)
    with counted(filled.database) as statements:
        await filled.rank(f"{QUESTION} needs")
    assert statements["segment_lists"] == 1
    assert not statements["chunk_terms_read"]


async def test_what_changed_is_found_as_it_is_now_from_kept_lists(filled: World) -> None:
    assert await filled.found(QUESTION, max_per_doc=1, depth=20)
    allowed = await filled.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    docs = allowed.sources[0]
    await filled.write(docs, {"3.md": "Nothing of that.", "new.md": "boiler boiler steam house"})
    with counted(filled.database) as statements:
        found = await filled.found(QUESTION, max_per_doc=1, depth=20, min_score=0.0)
    assert found[0] == "new.md"
    assert {*found} >= {f"{number}.md" for number in range(12) if number != 3}
    assert statements["chunk_terms_read"] == 0
    by_words = await filled.by_words(QUESTION)
    chunks = await filled.index.stores.search.read(allowed, by_words.chunk_ids)
    assert "3.md" not in {chunk.native_id for chunk in chunks.values()}
    assert all(chunk.head for chunk in chunks.values())


async def test_lists_that_are_kept_show_nothing_to_those_who_may_not_read_the_source(filled: World) -> None:
    assert await filled.found(QUESTION)
    stranger = Principal("local", "somebody", frozenset())
    await filled.index.rows("DELETE FROM source_grant")
    assert not (await filled.rank(QUESTION, principal=stranger)).candidates
    assert not (await filled.rank(QUESTION)).candidates


async def test_a_chunk_that_no_segment_has_yet_gets_its_score_from_its_words(filled: World) -> None:
    allowed = await filled.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    await filled.rank(QUESTION)
    docs = allowed.sources[0]
    target = await filled.index.stores.vectors.ensure(filled.model.identity)
    filled.memory[docs.source_id].texts["late.md"] = "Steam for the boiler house."
    await filled.index.put(docs, "late.md", "Steam for the boiler house.")
    await filled.index.embed(target, lambda texts: filled.model.embed_documents(texts).tolist())
    ranking = await filled.rank(QUESTION, min_score=0.0, depth=20)
    chunks = await filled.index.stores.search.read(allowed, [each.chunk_id for each in ranking.candidates])
    scores = {str(chunks[each.chunk_id].native_id): each.why.bm25 for each in ranking.candidates}
    assert scores["late.md"] >= max(scores.values())


async def test_lists_are_read_again_once_the_database_was_lost(filled: World) -> None:
    await filled.rank(QUESTION)
    await filled.database.revive()
    with counted(filled.database) as statements:
        assert (await filled.rank(QUESTION)).candidates
    assert statements["segment_lists"] == 1
