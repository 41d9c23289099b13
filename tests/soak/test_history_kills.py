"""Documents are written, states named and history purged by processes that are killed at random, as PostgreSQL is.

Whatever was answered about a moment is answered so again, or refused because a purge made a hole in that state; the
state of a baseline always answers.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from random import Random
from typing import TypeAlias

import pytest
from tests.integration.retrieval.world import World

import citemark
from citemark.embedding.minilm import MiniLM
from citemark.model.baselines import BaselineSource
from citemark.model.errors import BackendUnavailable, InvalidArgument
from citemark.model.scope import ReadContext
from citemark.model.sources import NewSource, Source
from citemark.store.database import Database
from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.data_folder import DataFolder
from citemark.store.embedded.postmaster import is_server_of, read_pid_file, send, server_processes
from citemark.store.history import HistoryStore
from citemark.store.migrate import migrate

pytestmark = pytest.mark.slow

LONG = bool(os.environ.get("CITEMARK_SOAK"))
KILLS = 250 if LONG else 4
_KINDS = ("indexer", "postmaster", "keeper", "backend")
_MOMENTS_BETWEEN = 3
_ASKED_AGAIN = 10
"""Answers that are checked after each kill; at the end all of them are."""

_MOST_SECONDS = 0.5
_SOURCE = "docs"
_ROOT = Path(__file__).resolve().parents[2]
_PROGRAM = Path(__file__).with_name("history_writer.py")
_QUESTIONS = ("how far is the boiler from the harbour", "where does the violin stand", "ledger valve rope")

Answer: TypeAlias = list[tuple[object, ...]]
Told: TypeAlias = tuple[datetime, str]


class Writers:
    """An indexer and a keeper over one data folder; whoever was killed is started again."""

    def __init__(self, data_dir: Path, moments: Path, chance: Random) -> None:
        self.killed = Counter[str]()
        self._data_dir, self._moments, self._chance = data_dir, moments, chance
        self._output = data_dir.parent / "output"
        self._running = {kind: self._start(kind) for kind in ("indexer", "keeper")}

    def _start(self, kind: str) -> "subprocess.Popen[bytes]":
        path = os.pathsep.join((str(_ROOT), str(Path(citemark.__file__).parents[1])))
        arguments = [str(self._data_dir), _SOURCE, str(self._chance.random()), kind, str(self._moments)]
        with self._output.open("ab") as out:
            return subprocess.Popen(
                [sys.executable, "-B", str(_PROGRAM), *arguments], env=os.environ | {"PYTHONPATH": path}, stderr=out
            )

    def kill(self, kind: str) -> None:
        """Kill a process of a kind, if there is one."""
        cluster = DataFolder(self._data_dir).cluster
        if kind in self._running:
            process = self._running[kind]
            assert process.poll() is None, f"the {kind} ended by itself: {self.said()}"
            process.kill()
            process.wait()
            self._running[kind] = self._start(kind)
        elif kind == "backend":
            found = server_processes(cluster)
            if not found:
                return
            send(self._chance.choice(found), signal.SIGKILL)
        else:
            first = read_pid_file(cluster)
            if first is None or not is_server_of(first.pid, cluster):
                return
            send(first.pid, signal.SIGKILL)
        self.killed[kind] += 1

    def end(self) -> None:
        for process in self._running.values():
            process.kill()
            process.wait()

    def said(self) -> str:
        return self._output.read_text("utf-8", "replace")[-3_000:]


@dataclass
class Memory:
    """What was answered about each moment, by words alone, and with vectors where all of the state had one."""

    world: World
    source: Source
    moments: Path
    by_words: dict[Told, Answer] = field(default_factory=dict[Told, Answer])
    with_vectors: dict[Told, Answer] = field(default_factory=dict[Told, Answer])
    refused: set[datetime] = field(default_factory=set[datetime])
    named: int = 0

    async def ask(self, question: str, context: ReadContext, *, words_only: bool) -> Answer:
        ranking = await self.world.rank(question, read_context=context, words_only=words_only, depth=20, min_score=0.0)
        found = [(each.chunk_id, each.score, each.why) for each in ranking.candidates]
        chunks = await self.world.index.stores.search.read(ranking.allowed, [chunk_id for chunk_id, *_ in found])
        if any(chunk_id not in chunks for chunk_id, *_ in found):
            raise InvalidArgument("It was purged since it was ranked.")  # a page of the product is refused then too
        return [(*each, chunks[each[0]].revision_id, chunks[each[0]].text) for each in found]

    async def record(self) -> bool:
        """Ask of the newest moment, once it is past; False where nothing can be said of it."""
        horizon = self.world.index.stores.horizon
        moment = await horizon.now()
        while await horizon.now() <= moment:
            pass  # a writer holds it
        complete = not await self._waiting(moment)
        context = ReadContext(as_of=moment)
        for question in _QUESTIONS:
            try:
                said = await self.ask(question, context, words_only=True)
                told = await self.ask(question, context, words_only=False)
            except InvalidArgument:
                return False  # nothing had been recorded, or a purge was as quick as that
            self.by_words[moment, question] = said
            if complete:
                self.with_vectors[moment, question] = told
        with self.moments.open("a") as out:
            out.write(f"{moment.isoformat()}\n")
        return True

    async def check(self, some: Random | None = None) -> None:
        """Ask again, all or some, by moment and by the baselines of that moment."""
        for (moment, question), said in _chosen(self.by_words, some):
            await self._check(moment, question, said, words_only=True)
        for (moment, question), said in _chosen(self.with_vectors, some):
            # What the crash of a server lost of vectors is computed again.
            if not await self._waiting(moment):
                await self._check(moment, question, said, words_only=False)

    async def purge_all_but_one(self) -> None:
        """Take away all that was superseded but for what baselines hold, of which there is one at least."""
        stores, source_id = self.world.index.stores, self.source.source_id
        moments = sorted({moment for moment, _ in self.by_words})
        (kept,) = await stores.of(HistoryStore).kept([source_id])
        whole = [moment for moment in moments if kept.since is None or kept.since <= moment]
        with suppress(InvalidArgument):  # that one has a name already
            at = whole[0]
            await stores.baselines.create("local", f"b {at.isoformat()}", at, at, [BaselineSource(source_id)])
        await stores.of(HistoryStore).purge(source_id, moments[-1])

    async def _check(self, moment: datetime, question: str, said: Answer, *, words_only: bool) -> None:
        again = None
        with suppress(InvalidArgument):
            again = await self.ask(question, ReadContext(as_of=moment), words_only=words_only)
        if again is None:
            (kept,) = await self.world.index.stores.of(HistoryStore).kept([self.source.source_id])
            assert kept.since is not None, "refused without a purge"
            assert kept.since > moment, "refused without a hole"
            self.refused.add(moment)
        else:
            assert again == said, (moment, question, words_only)
        name = f"b {moment.isoformat()}"
        if await self.world.index.stores.baselines.named("local", name):
            self.named += 1
            again = await self.ask(question, ReadContext(baseline_id=name), words_only=words_only)
            assert again == said, (name, question, words_only)

    async def _waiting(self, moment: datetime) -> int:
        """How many chunks of a state wait for their vector."""
        return await self.world.index.value(
            "SELECT count(*) FROM vector_task t JOIN chunk c USING (source_id, chunk_id)"
            " WHERE c.valid_from <= %s AND c.valid_to > %s",
            moment,
            moment,
        )


def _chosen(told: Mapping[Told, Answer], some: Random | None) -> list[tuple[Told, Answer]]:
    every = list(told.items())
    return every if some is None else some.sample(every, min(_ASKED_AGAIN, len(every)))


@pytest.fixture
async def memory(folder: Path, model: MiniLM) -> AsyncGenerator[Memory]:
    server = EmbeddedPostgres(folder / "data")
    dsn = await asyncio.to_thread(server.acquire)
    await asyncio.to_thread(migrate, dsn)
    database = Database(dsn, pool_size=4, recover=server.ensure)
    await database.open()
    world = World(database, model)
    await world.index.stores.vectors.ensure(model.identity)
    source = await world.index.stores.sources.add(NewSource(name=_SOURCE, kind="memory", config={}))
    moments = folder / "moments"
    moments.touch()
    yield Memory(world, source, moments)
    await database.close()
    await asyncio.to_thread(server.release)


@pytest.fixture(scope="module")
def model() -> MiniLM:
    return MiniLM()


@pytest.mark.requirement("history-holds-under-load-and-kills")
@pytest.mark.timeout(3600 if LONG else 600)
async def test_an_answer_about_a_moment_is_repeated_or_refused_whichever_process_is_killed(
    folder: Path, memory: Memory
) -> None:
    chance = Random(15)
    writers = Writers(folder / "data", memory.moments, chance)
    try:
        for number in range(KILLS):
            taken = 0
            while taken < _MOMENTS_BETWEEN:
                await asyncio.sleep(chance.random() * _MOST_SECONDS)  # the moment of the kill is what is sampled
                try:
                    taken += await memory.record()
                except BackendUnavailable:
                    continue  # the kill of the step before
            writers.kill(_KINDS[number % len(_KINDS)])
            await memory.world.database.revive()
            await memory.check(chance)
    finally:
        writers.end()
    await memory.world.index.embed(await memory.world.index.stores.vectors.ensure(memory.world.model.identity))
    await memory.world.index.stores.segments.flush()
    await memory.check()
    await memory.purge_all_but_one()
    await memory.check()
    assert any(memory.by_words.values()), writers.said()
    assert any(memory.with_vectors.values()), writers.said()
    assert memory.named, writers.said()
    assert memory.refused, writers.said()
    print(f"{dict(writers.killed)}, {len(memory.by_words)} answers, {len(memory.refused)} moments refused")  # noqa: T201
