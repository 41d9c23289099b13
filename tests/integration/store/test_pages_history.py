"""What was true when: closed intervals beside the open one, or nothing where no history is kept."""

from itertools import chain

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.index import OTHER, SMALL, Index

from citemark.model.scope import Principal, RequestScope
from citemark.store import pages
from citemark.store.database import Database

ME = Principal("local", "me", frozenset())

_TABLES = ("document", "revision", "chunk", "relationship")
_IDENTITY = {
    "document": "doc_type, native_id",
    "revision": "document_id",
}


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


async def check_intervals(index: Index, source_id: int) -> None:
    for table in _TABLES:
        assert not await index.rows(f"SELECT 1 FROM {table} WHERE valid_from >= valid_to"), table  # type: ignore[arg-type]  # noqa: S608
    for table, identity in _IDENTITY.items():
        lives = f"lag(valid_to) OVER (PARTITION BY {identity} ORDER BY valid_from, valid_to) AS before"
        overlaps = await index.rows(
            f"SELECT 1 FROM (SELECT valid_from, {lives} FROM {table} WHERE source_id = %s) x WHERE before > valid_from",  # type: ignore[arg-type]  # noqa: S608
            source_id,
        )
        assert not overlaps, table
    # A living page has exactly one open revision, and every open chunk belongs to it.
    assert not await index.rows(
        "SELECT d.document_id FROM document d LEFT JOIN revision r ON r.source_id = d.source_id"
        " AND r.document_id = d.document_id AND r.valid_to = 'infinity'"
        " WHERE d.source_id = %s AND d.page_id IS NULL GROUP BY 1, d.valid_to"
        " HAVING count(r.revision_id) <> (d.valid_to = 'infinity')::int",
        source_id,
    )
    assert not await index.rows(
        "SELECT c.chunk_id FROM chunk c JOIN revision r USING (source_id, revision_id)"
        " WHERE c.source_id = %s AND c.valid_to = 'infinity' AND r.valid_to < 'infinity'",
        source_id,
    )


@pytest.mark.requirement("rows-have-validity-intervals")
async def test_an_edit_closes_the_old_state_where_the_new_one_begins(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "# One\nold words\n")
    await index.put(source, "a.md", "# One\nnew words\n")
    revisions = await index.rows("SELECT body, valid_from::text, valid_to::text FROM revision ORDER BY revision_id")
    assert [row[0] for row in revisions] == ["# One\nold words\n", "# One\nnew words\n"]
    assert revisions[0][2] == revisions[1][1]
    chunks = await index.rows("SELECT text, valid_to = 'infinity' FROM chunk ORDER BY chunk_id")
    assert chunks == [("", False), ("# One\nnew words\n", True)]


@pytest.mark.both_forms
@pytest.mark.requirement("docs-source-keeps-history")
async def test_history_keeps_the_text_and_the_vector_of_a_removed_page(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    await index.put(source, "a.md", "# One\nold words\n")
    await index.embed(target)
    await index.drop(source, "a.md")
    assert await index.value("SELECT count(*) FROM chunk WHERE valid_to < 'infinity'") == 1
    assert await index.value("SELECT count(*) FROM embedding_1") == 0
    assert await index.value("SELECT count(*) FROM embedding_1_past") == 1


@pytest.mark.both_forms
async def test_without_history_nothing_of_a_replaced_or_removed_page_is_left(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source(keep_history=False)
    for body in ("# One\nold\n# Two\nother\n", "# One\nnew\n", "# Three\nnewest\n"):
        await index.put(source, "a.md", body)
        await index.embed(target)
    assert await index.rows("SELECT body FROM revision") == [("# Three\nnewest\n",)]
    assert await index.value("SELECT count(*) FROM chunk") == 1
    assert await index.value("SELECT count(*) FROM document") == 2
    assert await index.value("SELECT count(*) FROM embedding_1_past") == 0
    await index.drop(source, "a.md")
    for table in ("document", "revision", "section", "chunk", "relationship", "chunk_terms", "embedding_1", "item"):
        assert await index.rows(f"SELECT * FROM {table}") == [], table  # type: ignore[arg-type]  # noqa: S608


async def test_recorded_time_never_runs_backwards_for_a_page(index: Index) -> None:
    source = await index.source()
    await index.put(source, "a.md", "first")
    # As a machine whose clock was an hour fast would have left it.
    for table in ("document", "revision", "chunk"):
        await index.rows(f"UPDATE {table} SET valid_from = valid_from + interval '1 hour'")  # type: ignore[arg-type]  # noqa: S608
    await index.put(source, "a.md", "second")
    await index.drop(source, "a.md")
    await index.put(source, "a.md", "third")
    await check_intervals(index, source.source_id)
    bodies = await index.rows("SELECT body FROM revision ORDER BY valid_from")
    assert bodies == [("first",), ("second",), ("third",)]


@pytest.mark.both_forms
@pytest.mark.requirement("rows-have-validity-intervals")
@settings(max_examples=12)
@given(data=st.data())
async def test_any_sequence_of_edits_leaves_sound_intervals(index: Index, data: st.DataObject) -> None:
    count = await index.value("SELECT count(*) FROM source")
    source = await index.source(f"s{count}")
    for _ in range(data.draw(st.integers(2, 6))):
        name = data.draw(st.sampled_from(["a.md", "b.md"]))
        if data.draw(st.booleans()):
            heads = data.draw(st.lists(st.sampled_from(["One", "Two"]), max_size=3))
            await index.put(source, name, "".join(f"# {head}\n{data.draw(st.sampled_from('xyz'))}\n" for head in heads))
        elif await index.stores.documents.find(source.source_id, name):
            await index.drop(source, name)
    await check_intervals(index, source.source_id)


LETTERS = "a\u00e4\U0001f600 \u0301b"
"""Characters of one to four bytes: spans count characters."""


@pytest.mark.requirement("past-texts-in-bodies")
async def test_texts_of_superseded_chunks_are_read_from_the_body_of_their_revision(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    bodies = [f"{LETTERS} {number}\n# One\n{LETTERS}old words {number}\n# Two\nsame {LETTERS}\n" for number in range(3)]
    await index.put(source, "a.md", bodies[0])
    # A chunk whose text is not in the body, as a row of a table below the names of its columns.
    await index.rows("UPDATE chunk SET text = 'Name | Size' || text WHERE ordinal = 2")
    await index.put(source, "a.md", bodies[1])
    monkeypatch.setattr(pages, "_LONGEST_BODY", len(bodies[1].encode()) - 1)
    await index.put(source, "a.md", bodies[2])
    monkeypatch.undo()
    await index.drop(source, "a.md")
    kept = await index.rows("SELECT text FROM chunk ORDER BY chunk_id")
    assert [bool(text) for (text,) in kept] == [False, False, True] + 3 * [True] + 3 * [False]
    expected = [_parts(body) for body in bodies]
    expected[0][2] = "Name | Size" + expected[0][2]
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    ids = [row[0] for row in await index.rows("SELECT chunk_id FROM chunk ORDER BY chunk_id")]
    chunks = await index.stores.search.read(allowed, ids)
    texts = list(chain.from_iterable(expected))
    assert [chunks[number].text for number in ids] == texts
    assert [chunks[number].size_bytes for number in ids] == [len(text.encode()) for text in texts]
    tasks = await index.stores.vectors.claim(target.set_id, "v", limit=100, lease=60)
    assert {task.chunk_id: task.text for task in tasks} == {number: chunks[number].text for number in ids}
    other = await index.stores.vectors.ensure(OTHER)
    waiting = await index.stores.vectors.claim(other.set_id, "v", limit=100, lease=60)
    assert {task.text for task in waiting} == {chunk.text for chunk in chunks.values()}


def _parts(body: str) -> list[str]:
    first, second = body.index("# One"), body.index("# Two")
    return [body[:first], body[first:second], body[second:]]


@pytest.mark.requirement("past-texts-in-bodies")
async def test_texts_of_superseded_chunks_stay_beside_a_server_that_looks_for_them_there(
    index: Index, dsn: str
) -> None:
    source = await index.source()
    async with await psycopg.AsyncConnection.connect(dsn, application_name="citemark"):
        await index.put(source, "a.md", "# One\nold words\n")
        await index.put(source, "a.md", "# One\nnew words\n")
    assert await index.rows("SELECT text FROM chunk ORDER BY chunk_id") == [
        ("# One\nold words\n",),
        ("# One\nnew words\n",),
    ]
