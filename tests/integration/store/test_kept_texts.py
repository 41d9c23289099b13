"""Superseded texts that are kept beside their successors are read as they were, whatever is purged around them."""

import random
from datetime import UTC, datetime
from itertools import pairwise

import psycopg
import pytest
from tests.support.index import SMALL, Index

from citemark.model.baselines import BaselineSource
from citemark.model.ids import NativeId, RevisionId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source
from citemark.store.database import Database
from citemark.store.history import HistoryStore
from citemark.store.kept_texts import KeptText

pytestmark = pytest.mark.both_forms

ME = Principal("local", "me", frozenset())
WORDS = ["boiler", "house", "steam", "läuft", "über", "\U0001d4b3", "nine", "bars", "of", "pressure", "nobody", "looks"]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


def bodies(count: int, seed: int = 5) -> list[str]:
    """Texts of five sections, each of which has one section that the one before has not."""
    chance = random.Random(seed)

    def section(number: int) -> str:
        return f"# Part {number}\n{' '.join(chance.choices(WORDS, k=80))}.\n"

    parts = [section(number) for number in range(5)]
    texts: list[str] = []
    for number in range(count):
        parts[number % 5] = section(number % 5)
        texts.append("".join(parts))
    return texts


async def written(index: Index, source: Source, texts: list[str], name: str = "a.md") -> list[datetime]:
    """Write a page anew with each text; a moment within the life of each."""
    moments: list[datetime] = []
    for text in texts:
        await index.put(source, name, text)
        moments.append(await index.stores.horizon.now())
    return moments


async def stored(index: Index) -> list[tuple[int, int | None, int]]:
    """The revisions, what each is kept beside, and the characters that it takes."""
    return await index.rows(
        "SELECT revision_id, body_from, length(body) + coalesce(length(body_rest), 0) FROM revision ORDER BY valid_from"
    )


async def read(index: Index, source: Source) -> list[str | None]:
    """The texts of all revisions, as they are read."""
    rows = await index.rows("SELECT revision_id FROM revision ORDER BY valid_from")
    return [await index.stores.search.body(source.source_id, RevisionId(row[0])) for row in rows]


@pytest.mark.requirement("past-text-beside-successor")
async def test_texts_take_what_changed_and_every_reader_gets_them_as_they_were(index: Index) -> None:
    source = await index.source()
    texts = bodies(30)
    moments = await written(index, source, texts)
    rows = await stored(index)
    assert [row[1] for row in rows if row[1] is not None] == [
        after[0] for row, after in pairwise(rows) if row[1] is not None
    ]
    beside = [row[2] for row in rows if row[1] is not None]
    assert len(beside) == 27, "one in thirteen stays whole, beside the newest"
    assert max(beside) < max(map(len, texts)) / 3
    assert await read(index, source) == texts
    # What is expanded and cited: the chunks of the past, each from the text of its revision.
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    for at, text in zip(moments, texts, strict=True):
        ids = await index.rows(
            "SELECT c.chunk_id FROM chunk c JOIN revision r USING (source_id, revision_id)"
            " WHERE r.valid_from <= %s AND r.valid_to > %s ORDER BY c.ordinal",
            at,
            at,
        )
        chunks = await index.stores.search.read(allowed, [row[0] for row in ids])
        assert "".join(chunks[row[0]].text for row in ids) == text
    for row, text in zip(rows, texts, strict=True):
        document = await index.stores.documents.at_revision(source.source_id, NativeId("a.md"), str(row[0]))
        assert document is not None
        assert document.document.body == text


@pytest.mark.requirement("past-text-beside-successor")
async def test_what_waits_for_a_vector_is_embedded_from_the_text_of_then(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    texts = bodies(4)
    await written(index, source, texts)
    tasks = await index.stores.vectors.claim(target.set_id, "v", limit=100, lease=60)
    assert {task.text for task in tasks} == {f"# {part}" for text in texts for part in text.split("# ")[1:]}


@pytest.mark.requirement("past-text-beside-successor")
@pytest.mark.parametrize("held", [[0], [3, 4, 9], [11], [12, 13, 20]])
async def test_a_purge_leaves_what_a_baseline_holds_whole_and_nothing_of_what_it_takes(
    index: Index, held: list[int]
) -> None:
    source = await index.source()
    texts = [text.replace("# Part 2\n", f"# Part 2\nsecret{number} ") for number, text in enumerate(bodies(25))]
    moments = await written(index, source, texts)
    for number in held:
        at = moments[number]
        await index.stores.baselines.create("local", f"b{number}", at, at, [BaselineSource(source.source_id)])
    await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC))
    assert await read(index, source) == [*(texts[number] for number in held), texts[-1]]
    kept = "\n".join(str(row) for row in await index.rows("SELECT r::text FROM revision r"))
    for number in set(range(24)) - set(held):
        assert f"secret{number} " not in kept
    for number in held:
        assert await index.stores.baselines.delete("local", f"b{number}")
    await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC))
    assert await read(index, source) == [texts[-1]]


@pytest.mark.requirement("past-text-beside-successor")
async def test_a_purge_in_many_steps_leaves_every_text_that_stays(index: Index) -> None:
    source = await index.source()
    texts = bodies(40)
    moments = await written(index, source, texts)
    history = index.stores.of(HistoryStore)
    for number in (5, 6, 17, 30):
        await history.purge(source.source_id, moments[number])
        assert await read(index, source) == texts[number:]
    assert await index.value("SELECT count(*) FROM revision WHERE body_from IS NOT NULL") > 0


@pytest.mark.requirement("past-text-beside-successor")
async def test_a_text_that_another_is_kept_beside_cannot_be_taken_away(index: Index) -> None:
    source = await index.source()
    await written(index, source, bodies(3))
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        await index.rows("DELETE FROM revision WHERE revision_id IN (SELECT max(body_from) - 1 FROM revision)")
    # With its page, its source, or where a source stops keeping any, all of them go.
    await index.rows("UPDATE source SET keep_history = false")
    await written(index, source, bodies(1, seed=8))
    assert await index.value("SELECT count(*) FROM revision") == 1
    await index.rows("UPDATE source SET keep_history = true")
    await written(index, source, bodies(3))
    await index.rows("DELETE FROM source")
    assert await index.value("SELECT count(*) FROM revision") == 0


@pytest.mark.requirement("past-text-beside-successor")
@pytest.mark.parametrize("name", ["citemark", "citemark 34", "citemark 37"])
async def test_texts_stay_whole_beside_a_server_that_does_not_know_the_form(index: Index, dsn: str, name: str) -> None:
    source = await index.source()
    texts = bodies(6)
    async with await psycopg.AsyncConnection.connect(dsn, application_name=name):
        await written(index, source, texts[:3])
        assert await index.rows("SELECT body FROM revision ORDER BY valid_from") == [(text,) for text in texts[:3]]
    async with await psycopg.AsyncConnection.connect(dsn, application_name="citemark 99999999999999999999"):
        await written(index, source, texts[3:])
    assert await index.value("SELECT count(*) FROM revision WHERE body_from IS NOT NULL") == 3
    assert await read(index, source) == texts


async def test_a_text_that_does_not_join_as_it_was_stays_whole(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(other: str, _: str) -> KeptText:
        return KeptText([0, len(other), 0], "")

    monkeypatch.setattr("citemark.store.pages.kept_beside", wrong)
    source = await index.source()
    texts = bodies(3)
    await written(index, source, texts)
    assert await index.value("SELECT count(*) FROM revision WHERE body_from IS NOT NULL") == 0
    assert await read(index, source) == texts


async def test_a_page_that_comes_back_has_texts_of_its_own(index: Index) -> None:
    source = await index.source()
    texts = bodies(6)
    await written(index, source, texts[:3])
    await index.drop(source, "a.md")
    await written(index, source, texts[3:])
    assert [row[1] is None for row in await stored(index)] == [False, False, True, False, False, True]
    assert await read(index, source) == texts
