"""What chunks of several states have in common is kept once, and each state is found as it was when it was HEAD."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from tests.support.index import OTHER, SMALL, Index, vector_of

from citemark.model.baselines import BaselineSource
from citemark.model.candidates import NO_HITS, MissingScores, StoredChunk
from citemark.model.ids import EmbeddingSetId
from citemark.model.scope import Principal, RequestScope
from citemark.model.sources import Source
from citemark.retrieval.question_words import plan_sparse
from citemark.store.database import Database
from citemark.store.history import HistoryStore
from citemark.store.stores import Stores

pytestmark = pytest.mark.both_forms

ME = Principal("local", "me", frozenset())
QUESTIONS = ["boiler", "house steam", "boiler w1 w2", "steam w3"]
WORDS = ["boiler", "house", "steam", *(f"w{number}" for number in range(8))]
NAMES = ["a.md", "b.md", "c.md"]


@pytest.fixture
def index(database: Database) -> Index:
    return Index(database)


@dataclass(frozen=True, slots=True)
class State:
    """What a moment had: its texts, how often each, and for each question what words find, with the scores."""

    texts: list[str]
    found: list[list[tuple[float, str]]]


async def head(index: Index) -> State:
    stores = Stores.over(index.database, timedelta(minutes=30))
    allowed = await stores.sources.allowed(ME, RequestScope(project_id="default"))
    rows = await index.rows("SELECT chunk_id, text FROM chunk WHERE valid_to = 'infinity'")
    texts: Mapping[int, str] = dict(rows)
    found: list[list[tuple[float, str]]] = []
    for question in QUESTIONS:
        plan = plan_sparse((await stores.search.terms(allowed, [question])).phrasings[0], allowed)
        hits = NO_HITS if plan is None else (await stores.search.sparse([plan], 1000, None))[0]
        found.append(sorted((round(score, 6), texts[number]) for number, score in hits.pairs() if number in texts))
    return State(sorted(texts.values()), found)


async def then(stores: Stores, at: datetime, set_id: EmbeddingSetId) -> State:
    """The same of a moment; that its vectors are those of its texts is checked besides."""
    allowed = await stores.sources.allowed(ME, RequestScope(project_id="default"))
    search, past = await stores.past.open(allowed, at)
    chunks: Mapping[int, StoredChunk] = {}
    question = vector_of("a question")
    for _ in range(4):  # from the third on, of vectors that are kept
        (near,) = await search.dense(set_id, [question], past, 1000, pages=None, exact=True)
        chunks = await stores.search.read(past, near.chunk_ids)
        for number, cosine in near.pairs():
            chunk = chunks[number]
            expected = sum(map(float.__mul__, question, vector_of(f"{chunk.context}\n{chunk.text}")))
            assert cosine == pytest.approx(expected, abs=0.01)
    texts = {number: chunk.text for number, chunk in chunks.items()}
    found: list[list[tuple[float, str]]] = []
    for text in QUESTIONS:
        plan = plan_sparse((await search.terms(past, [text])).phrasings[0], past)
        hits = NO_HITS if plan is None else (await search.sparse([plan], 1000, None))[0]
        found.append(sorted((round(score, 6), texts[number]) for number, score in hits.pairs()))
    return State(sorted(texts.values()), found)


def body(chance: random.Random) -> str:
    """Some of a few sections, so that most stay from one revision to the next, some come back and some stand twice."""
    sections = [f"# {word}\n{word} {' '.join(WORDS[:number])}\n" for number, word in enumerate(WORDS)]
    return "".join(chance.choices(sections, k=4))


async def edited(index: Index, source: Source, chance: random.Random, times: int) -> list[tuple[datetime, State]]:
    """Edit at random; moments with what was HEAD then."""
    states: list[tuple[datetime, State]] = []
    (set_id,) = await index.set_ids()
    target = next(each for each in await index.stores.vectors.sets() if each.set_id == set_id)
    for number in range(times):
        name = chance.choice(NAMES)
        if chance.random() < 0.15:
            await index.drop(source, name)
        else:
            await index.put(source, name, body(chance))
        if number % 2:
            await index.embed(target)
            await index.stores.segments.flush()
            states.append((await index.stores.horizon.now(), await head(index)))
    return states


@pytest.mark.requirement("past-contents-once")
@pytest.mark.parametrize("beside_earlier", [False, True])
async def test_every_state_is_found_as_it_was_at_head(index: Index, dsn: str, *, beside_earlier: bool) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source, chance = await index.source(), random.Random(7)
    kept = index.stores  # states that it read before chunks of them were superseded are asked again later
    states = await edited(index, source, chance, 8)
    for at, _ in states:
        await then(kept, at, target.set_id)
    if beside_earlier:
        async with await psycopg.AsyncConnection.connect(dsn, application_name="citemark"):
            states += await edited(index, source, chance, 8)
    states += await edited(index, source, chance, 8)
    for stores in (kept, Stores.over(index.database, timedelta(minutes=30))):
        for at, state in states:
            assert await then(stores, at, target.set_id) == state
    past = await index.value("SELECT count(*) FROM chunk WHERE valid_to < 'infinity'")
    for table in ("chunk_terms_past", "embedding_1_past"):
        rows = await index.value(f"SELECT count(*) FROM {table}")  # type: ignore[arg-type]  # noqa: S608
        assert rows < past
    # A baseline in the middle holds what it needs, whoever else had it, and the rest goes.
    at, state = states[len(states) // 2]
    await index.stores.baselines.create("local", "release", at, at, [BaselineSource(source.source_id)])
    await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC))
    await index.stores.segments.drop_purged([source.source_id])
    await index.stores.segments.flush()
    fresh = Stores.over(index.database, timedelta(minutes=30))
    assert await then(fresh, at, target.set_id) == state
    assert await then(kept, at, target.set_id) == state
    assert await index.stores.baselines.delete("local", "release")
    await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC))
    for table in ("chunk_terms_past", "embedding_1_past", "chunk_delta_past"):
        assert await index.value(f"SELECT count(*) FROM {table}") == 0, table  # type: ignore[arg-type]  # noqa: S608


@pytest.mark.requirement("past-contents-once")
async def test_an_unchanged_section_is_kept_once_however_often_its_page_is_written(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    for number in range(6):
        await index.put(source, "a.md", f"# One\nrevision {number}\n# Two\nthe same\n# Two\nthe same\n")
        await index.embed(target)
        await index.stores.segments.flush()
    # Five times the first section, and the second and third once.
    for table in ("chunk_terms_past", "embedding_1_past"):
        assert await index.value(f"SELECT count(*) FROM {table}") == 7  # type: ignore[arg-type]  # noqa: S608
    assert await index.value("SELECT sum(chunks) FROM segment WHERE past") == 7


@pytest.mark.requirement("past-contents-once")
async def test_a_page_that_goes_without_history_leaves_no_words(index: Index) -> None:
    source = await index.source()
    for number in range(3):
        await index.put(source, "a.md", f"# One\nrevision {number}\n# Two\nsame\n")
        await index.put(source, "b.md", f"# One\nrevision {number}\n# Two\nsame\n")
    await index.rows("UPDATE source SET keep_history = false")
    await index.put(source, "a.md", "# One\nlast\n")
    await index.drop(source, "b.md")
    assert await index.value("SELECT count(*) FROM chunk_terms_past") == 0


@dataclass(frozen=True, slots=True)
class Called:
    """What a chunk is called, its text, and the hash of that."""

    context: str
    text: str
    text_hash: bytes


async def read(index: Index) -> dict[int, Called]:
    """The chunks of every revision as they are read one by one."""
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    rows = await index.rows("SELECT chunk_id FROM chunk")
    found = await index.stores.search.read(allowed, [row[0] for row in rows])
    return {number: Called(chunk.context, chunk.text, chunk.text_hash) for number, chunk in found.items()}


async def rewritten(index: Index, source: Source, numbers: range) -> tuple[dict[int, Called], list[datetime]]:
    """Write a page anew some times; its chunks as they are read while at HEAD, and a moment of each revision."""
    at_head: dict[int, Called] = {}
    moments: list[datetime] = []
    for number in numbers:
        await index.put(source, "a.md", f"# One\nrevision {number}\n# Two\nthe same\n# Two\nthe same\n")
        moments.append(await index.stores.horizon.now())
        known = await read(index)
        at_head |= {row[0]: known[row[0]] for row in await index.rows("SELECT chunk_id FROM chunk WHERE text <> ''")}
    return at_head, moments


@pytest.mark.requirement("past-names-once")
async def test_what_chunks_are_called_is_kept_with_their_words_and_read_as_it_was(index: Index) -> None:
    target = await index.stores.vectors.ensure(SMALL)
    source = await index.source()
    at_head, moments = await rewritten(index, source, range(6))
    assert len(at_head) == 18
    assert await index.value("SELECT count(*) FROM chunk WHERE context = '' AND text_hash = ''") == 15
    assert await read(index) == at_head
    allowed = await index.stores.sources.allowed(ME, RequestScope(project_id="default"))
    for at in moments:
        rows = await index.rows(
            "SELECT c.chunk_id FROM chunk c JOIN revision r USING (source_id, revision_id)"
            " WHERE r.valid_from <= %s AND r.valid_to > %s",
            at,
            at,
        )
        ids = [row[0] for row in rows]
        search, past = await index.stores.past.open(allowed, at)
        for missing in (
            MissingScores(None, (), (), (), ()),
            MissingScores(target.set_id, [vector_of("a question")], [None], ids, []),
        ):
            found = await search.complete(past, ids, missing)
            told = dict(zip(found.chunk_ids, map(bytes, found.text_hashes), strict=True))
            assert told == {number: at_head[number].text_hash for number in ids}
    # All of them still wait for a vector, which is made of what they are called too.
    expected = {(called.context, called.text) for called in at_head.values()}
    tasks = await index.stores.vectors.claim(target.set_id, "v", limit=100, lease=60)
    assert {(task.context, task.text) for task in tasks} == expected
    # A second set begins with every chunk in its queue, and counts what each will take.
    await index.stores.vectors.ensure(OTHER)
    sizes = "SELECT chunk_id, size FROM vector_task WHERE embedding_set_id <> %s"
    assert dict(await index.rows(sizes, target.set_id)) == {
        number: len(called.context) + len(called.text) for number, called in at_head.items()
    }


@pytest.mark.requirement("past-names-once")
@pytest.mark.parametrize("name", ["citemark", "citemark 42"])
async def test_each_chunk_keeps_its_name_beside_a_server_that_reads_it_there(index: Index, dsn: str, name: str) -> None:
    source = await index.source()
    async with await psycopg.AsyncConnection.connect(dsn, application_name=name):
        at_head, _ = await rewritten(index, source, range(3))
        assert await index.value("SELECT count(*) FROM chunk WHERE context = '' OR text_hash = ''") == 0
    more, _ = await rewritten(index, source, range(3, 6))
    assert await index.value("SELECT count(*) FROM chunk WHERE text_hash = ''") > 0
    assert await read(index) == at_head | more


@pytest.mark.requirement("past-names-once")
async def test_a_chunk_keeps_its_name_where_words_were_kept_without_one(index: Index) -> None:
    source = await index.source()
    at_head, _ = await rewritten(index, source, range(2))
    # As a version before schema 43 left them.
    await index.rows(
        "UPDATE chunk c SET context = t.context, text_hash = t.text_hash FROM chunk_terms_past t"
        " WHERE t.source_id = c.source_id AND t.chunk_id = c.content_key AND c.text_hash = ''"
    )
    await index.rows("UPDATE chunk_terms_past SET context = NULL, text_hash = NULL")
    more, _ = await rewritten(index, source, range(2, 5))
    # Three times the first section, which is new each time; the others have had their words there since the first edit.
    assert await index.value("SELECT count(*) FROM chunk WHERE text_hash = ''") == 3
    assert await read(index) == at_head | more


@pytest.mark.requirement("past-names-once")
async def test_what_a_baseline_holds_keeps_its_names_through_a_purge(index: Index) -> None:
    source = await index.source()
    at_head, moments = await rewritten(index, source, range(6))
    await index.stores.baselines.create("local", "b", moments[2], moments[2], [BaselineSource(source.source_id)])
    await index.stores.of(HistoryStore).purge(source.source_id, datetime.now(UTC))
    left = await read(index)
    assert len(left) == 6
    assert left == {number: at_head[number] for number in left}
