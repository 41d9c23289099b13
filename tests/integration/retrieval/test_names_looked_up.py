"""Names that no text has are looked for in titles, paths, tags and metadata by words, not document by document."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from psycopg.types.json import Jsonb
from tests.integration.retrieval.world import ME, World

from citemark.model.scope import RequestScope
from citemark.model.sources import AllowedSources
from citemark.store.candidate_search import pattern_of

PIECES = (
    "Pump",
    "pumpe",
    "ML",
    "SA1",
    "ml-sa1",
    "fm_750",
    "Größe",
    "ẞen",
    "東京都",
    "e\u0301clair",
    "éclair",
    "x²",
    "µm",
    "K9",
)
BETWEEN = (" ", "-", "/", ".", "_", "", ", ", " (", "\u2026", "'", "\\", ":*", " | ")
DOCUMENTS = 60

EVERY_DOCUMENT_READ = """
SELECT n.number FROM unnest(%(patterns)s::text[]) WITH ORDINALITY AS n (pattern, number)
WHERE EXISTS (SELECT 1 FROM document d JOIN revision r USING (source_id, document_id)
              WHERE d.page_id IS NULL AND d.valid_to = 'infinity' AND r.valid_to = 'infinity'
                AND concat_ws(' ', d.native_id, r.title, array_to_string(r.tags, ' '),
                              (SELECT string_agg(m.value, ' ') FROM jsonb_each_text(r.metadata) m)) ~* n.pattern)
"""


def words(chance: random.Random, most: int = 4) -> str:
    """Some pieces one after the other, as a path, a title or a form of a name might be written."""
    parts = [f"{chance.choice(PIECES)}{chance.choice(BETWEEN)}" for _ in range(chance.randint(1, most))]
    return "".join(parts).strip() or "x"


async def relabelled(world: World, chance: random.Random) -> AllowedSources:
    """Documents that are called at random, and say random things about themselves."""
    await world.source(
        "docs", {f"{number}.md": "A text of other words." for number in range(DOCUMENTS)}, embedded=False
    )
    async with world.database.transaction() as connection:
        for number in range(DOCUMENTS):
            values = {
                "was": f"{number}.md",
                "path": f"{words(chance)}/{number}",
                "title": words(chance),
                "tags": [words(chance) for _ in range(chance.randint(0, 2))],
                "metadata": Jsonb({"by": words(chance)} if chance.random() < 0.5 else {}),
            }
            await connection.execute(
                "UPDATE revision r SET title = %(title)s, tags = %(tags)s, metadata = %(metadata)s FROM document d"
                " WHERE d.source_id = r.source_id AND d.document_id = r.document_id AND d.native_id = %(was)s",
                values,
            )
            await connection.execute("UPDATE document SET native_id = %(path)s WHERE native_id = %(was)s", values)
    return await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))


@pytest.mark.requirement("questions-read-no-more-beside-more-documents")
async def test_the_names_found_by_words_are_those_that_reading_every_document_finds(world: World) -> None:
    chance = random.Random(41)
    allowed = await relabelled(world, chance)
    names: Mapping[str, Sequence[str]] = {
        str(number): [words(chance, 3) for _ in range(chance.randint(1, 3))] for number in range(400)
    }

    patterns = [pattern_of(forms) for forms in names.values()]
    rows = await world.database.read_sql(EVERY_DOCUMENT_READ, {"patterns": patterns})
    expected: set[str] = {list(names)[row["number"] - 1] for row in rows}
    assert 40 < len(expected) < 360
    assert await world.index.stores.search.written(allowed, names) == expected


@pytest.mark.requirement("questions-read-no-more-beside-more-documents")
async def test_a_name_far_behind_in_a_long_text_is_found(world: World) -> None:
    await world.source("docs", {"a.md": "A text."}, embedded=False)
    async with world.database.transaction() as connection:
        await connection.execute(
            "UPDATE revision SET metadata = jsonb_build_object('log', repeat('nothing ', 30000) || 'zeppelin')"
        )
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    assert await world.index.stores.search.written(allowed, {"Zeppelin": ["zeppelin"], "Balloon": ["balloon"]}) == {
        "Zeppelin"
    }


@pytest.mark.requirement("questions-read-no-more-beside-more-documents")
async def test_a_name_that_nothing_has_is_told_without_reading_the_documents(world: World) -> None:
    await world.source("docs", {f"{number}.md": "A text." for number in range(300)}, embedded=False)
    allowed = await world.index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    async with world.database.transaction() as connection:
        await connection.execute("ANALYZE document, revision")
    parameters = {
        "source_ids": allowed.ids,
        "patterns": [r"\mzeppelin\w{0,2}\M"],
        "forms": ["zeppelin"],
        "numbers": [1],
        "at": "9999-12-31",
    }
    statement = b"EXPLAIN (ANALYZE, FORMAT JSON) " + world.database.queries["names_written"].encode()
    async with world.database.transaction() as connection:
        found = await (await connection.execute(statement, parameters)).fetchone()
    assert found is not None
    read = [
        node for node in nodes(found["QUERY PLAN"][0]["Plan"]) if node.get("Relation Name") in ("document", "revision")
    ]
    assert len(read) >= 4
    assert sum(node["Actual Rows"] + node.get("Rows Removed by Filter", 0) for node in read) < 10


def nodes(plan: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """A plan, and all below it."""
    return [plan, *(node for part in plan.get("Plans", ()) for node in nodes(part))]
