"""AllowedSources and filters cut the candidates before the best are chosen."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.integration.retrieval.world import World

from citemark.model.scope import READ, Filters, Principal, RequestScope

SENTENCE = "The quick brown fox jumps over the lazy dog, and nobody minds."
FOREIGN = Principal("theirs", "owner", frozenset({READ}))
GUEST = Principal("local", "guest", frozenset({READ}))
HERE = RequestScope(project_id="default")


@pytest.mark.requirement("tools-scope-or-and")
@pytest.mark.requirement("filters-stand-in-candidate-sql", "scope-keys-enforced-in-queries")
@pytest.mark.parametrize(
    ("fields", "scope", "found"),
    [
        ({"environment": "prod"}, RequestScope("default", environment="prod"), True),
        ({"environment": "prod"}, RequestScope("default", environment="test"), False),
        ({"tags": ("api", "v2")}, RequestScope("default", doc_tags=("v2", "v3")), True),
        ({"tags": ("api",)}, RequestScope("default", doc_tags=("v2", "v3")), False),
        ({"repository": "a"}, RequestScope("default", repositories=("b", "a")), True),
        ({"repository": "a"}, RequestScope("default", repositories=("b",)), False),
        ({"project_id": "default"}, HERE, True),
        ({"project_id": "other"}, HERE, False),
        ({"tenant": "theirs"}, HERE, False),
        ({"environment": "prod", "tags": ("api",)}, RequestScope("default", "prod", ("web",)), False),
        ({}, HERE, True),
    ],
)
async def test_a_source_answers_only_inside_the_scope(
    world: World, fields: dict[str, Any], scope: RequestScope, *, found: bool
) -> None:
    await world.source("docs", {"a.md": SENTENCE}, **fields)
    assert await world.found("quick brown fox", scope=scope) == (["a.md"] if found else [])


@pytest.mark.both_forms
async def test_a_tenant_sees_only_its_own_sources(world: World) -> None:
    await world.source("docs", {"mine.md": SENTENCE})
    await world.source("docs", {"theirs.md": SENTENCE}, tenant="theirs")
    assert await world.found("quick brown fox") == ["mine.md"]
    assert await world.found("quick brown fox", principal=FOREIGN) == ["theirs.md"]


async def test_a_source_granted_to_one_person_is_hidden_from_others(world: World) -> None:
    source = await world.source("docs", {"a.md": SENTENCE})
    await world.index.rows("UPDATE source_grant SET grantee = 'user:owner'")
    assert await world.found("quick brown fox") == ["a.md"]
    assert await world.found("quick brown fox", principal=GUEST) == []
    await world.index.rows("DELETE FROM source_grant WHERE source_id = %s", source.source_id)
    assert await world.found("quick brown fox") == []


@pytest.mark.both_forms
@pytest.mark.requirement(
    "filters-stand-in-candidate-sql", "narrow-filter-still-fills-page", "path-prefix-really-filters"
)
async def test_a_narrow_filter_fills_its_page_from_pages_that_rank_low(world: World) -> None:
    better = {f"other/{n:03}.md": f"The quick brown fox number {n}." for n in range(130)}
    wanted = {f"wanted/{n}.md": f"Somewhere a fox was mentioned, {n} times in a long text." for n in range(6)}
    await world.source("docs", {**better, **wanted})
    found = await world.found("quick brown fox", filters=Filters(path_prefixes=("wanted/",)), depth=6)
    assert sorted(found) == sorted(wanted)


@pytest.mark.requirement("tools-scope-or-and")
@pytest.mark.requirement("tools-kb-every-value")
async def test_every_value_of_a_filter_counts_and_every_key_must_hold(world: World) -> None:
    one = await world.source("one", {"a.md": SENTENCE}, tags=("x",))
    await world.source("two", {"b.md": SENTENCE + " Two."}, tags=("y",))
    await world.source("three", {"c.md": SENTENCE + " Three."})
    assert sorted(await world.found("fox", filters=Filters(doc_tags=("x", "y")))) == ["a.md", "b.md"]
    assert await world.found("fox", filters=Filters(doc_tags=("three",))) == ["c.md"]
    assert await world.found("fox", filters=Filters(doc_tags=("x", "y"), path_prefixes=("b", "z"))) == ["b.md"]
    assert await world.found("fox", filters=Filters(doc_types=("note",))) == []
    assert one.doc_tag == "x"


@pytest.mark.requirement("updated-after-really-filters")
async def test_updated_after_goes_by_the_documents_own_time(world: World) -> None:
    await world.source("docs", {"old.md": SENTENCE, "new.md": SENTENCE + " New."})
    now = datetime.now(UTC)
    for name, age in (("old.md", 30), ("new.md", 1)):
        await world.index.rows(
            "UPDATE revision r SET modified_at = %s FROM document d"
            " WHERE d.document_id = r.document_id AND d.native_id = %s",
            now - timedelta(days=age),
            name,
        )
    week = now - timedelta(days=7)
    assert await world.found("fox", filters=Filters(updated_after=week)) == ["new.md"]
    assert await world.found("fox", filters=Filters(updated_before=week)) == ["old.md"]


async def test_a_metadata_filter_takes_any_of_its_values_and_all_of_its_keys(world: World) -> None:
    await world.source("docs", {"a.md": SENTENCE, "b.md": SENTENCE + " Two.", "c.md": SENTENCE + " Three."})
    for name, metadata in (("a.md", '{"Labels": "red\\nblue", "State": "open"}'), ("b.md", '{"Labels": "blue green"}')):
        await world.index.rows(
            "UPDATE revision r SET metadata = %s FROM document d"
            " WHERE d.document_id = r.document_id AND d.native_id = %s",
            metadata,
            name,
        )

    async def found(*wanted: tuple[str, tuple[str, ...]]) -> list[str]:
        return sorted(await world.found("fox", filters=Filters(metadata=wanted)))

    assert await found(("Labels", ("blue",))) == ["a.md"]
    assert await found(("Labels", ("red", "blue green"))) == ["a.md", "b.md"]
    assert await found(("Labels", ("red", "blue green")), ("State", ("open",))) == ["a.md"]
    assert await found(("State", ("closed",))) == []


async def test_a_path_is_the_one_in_the_metadata_where_the_native_id_is_a_number(world: World) -> None:
    await world.source("docs", {"17": SENTENCE, "18": SENTENCE + " Two."})
    await world.index.rows(
        "UPDATE revision r SET metadata = %s FROM document d"
        " WHERE d.document_id = r.document_id AND d.native_id = '17'",
        '{"Path": "/Projects/Heron/plan.md"}',
    )
    assert await world.found("fox", filters=Filters(path_prefixes=("/Projects/",))) == ["17"]


@pytest.mark.both_forms
@pytest.mark.requirement("term-statistics-never-mix-sources")
async def test_statistics_of_a_hidden_source_change_no_score(world: World) -> None:
    await world.source("docs", {"a.md": SENTENCE, "b.md": "Other words."})
    before = await world.rank("fox", principal=GUEST)
    await world.source("secret", {f"{n}.md": f"fox {n}" for n in range(20)}, tenant="theirs")
    after = await world.rank("fox", principal=GUEST)
    assert [(candidate.chunk_id, candidate.score) for candidate in before.candidates] == [
        (candidate.chunk_id, candidate.score) for candidate in after.candidates
    ]
