"""The same questions at two servers over the cluster, and at one server on one PostgreSQL, in turns."""

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import psycopg
from tests.cluster.installation import Installation
from tests.cluster.load import Call, Documents, Load, Seen
from tests.cluster.nodes import Cluster
from tests.cluster.processes import Running

from citemark.store.embedded import EmbeddedPostgres
from citemark.store.embedded.data_folder import DataFolder

CLIENTS = 32
_EVERY = 8.0  # seconds from one question of a client to its next
_CHANGE_EVERY = 5.0
_WARM_UP = 12.0  # seconds of questions that are not counted: each client asks its first
_ROUNDS = 3
_READ = "SELECT tup_returned FROM pg_stat_database WHERE datname = 'citemark'"

Parts = Mapping[str, Sequence[psutil.Process]]


@dataclass(slots=True)
class Processor:
    """Processor seconds of each part of a side, over so many seconds."""

    taken: dict[str, float] = field(default_factory=lambda: defaultdict[str, float](float))
    over: float = 0.0

    def share(self, part: str) -> float:
        """The share of a core that a part keeps busy."""
        return self.taken[part] / self.over


@dataclass(slots=True)
class Side:
    """What one of both took for its questions.

    Attributes:
        load: its clients, and who writes.
        parts: the processes that do the work, by what they are.
        counted: the questions that count.
        busy: while these were asked.
        idle: while documents changed as often and nobody asked.
        replicas: the share of rows that replicas read.
    """

    load: Load
    parts: Parts
    counted: list[Call] = field(default_factory=list[Call])
    busy: Processor = field(default_factory=Processor)
    idle: Processor = field(default_factory=Processor)
    replicas: float = 0.0

    @property
    def seen(self) -> Seen:
        """All that its clients were told."""
        return self.load.seen

    def per_question(self) -> dict[str, float]:
        """Processor seconds of a question, by part: what is taken without questions, too, is not among it."""
        each = self.busy.over / len(self.counted)
        return {part: (self.busy.share(part) - self.idle.share(part)) * each for part in self.parts}

    def within(self, share: float) -> float:
        """Seconds within which that share of the answers came."""
        seconds = sorted(call.seconds for call in self.counted)
        return seconds[int(share * len(seconds))]

    async def round(self, seconds: float) -> None:
        """Ask for so long, then be without questions for half as long."""
        self.load.writing.set()
        asking = asyncio.create_task(self.load.run())
        await asyncio.sleep(_WARM_UP)
        first = len(self.seen.calls)
        await self._measured(self.busy, seconds)
        self.counted += self.seen.calls[first:]
        asking.cancel()
        await asyncio.wait([asking])
        writing = asyncio.create_task(self.load.write())
        await self._measured(self.idle, seconds / 2)
        self.load.writing.clear()
        writing.cancel()
        await asyncio.wait([writing])

    async def _measured(self, processor: Processor, seconds: float) -> None:
        before = {part: _processor(processes) for part, processes in self.parts.items()}
        began = time.monotonic()
        await asyncio.sleep(seconds)
        processor.over += time.monotonic() - began
        for part, processes in self.parts.items():
            processor.taken[part] += _processor(processes) - before[part]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both sides, after the same number of rounds."""

    one: Side
    cluster: Side

    def errors(self) -> Counter[str]:
        """What callers were told as an error, on both sides."""
        return self.one.seen.errors() + self.cluster.seen.errors()


async def compared(
    running: Running, cluster: Cluster, installation: Installation, documents: Documents, seconds: float
) -> Comparison:
    """Ask both sides for so long in all; `installation` is one over the cluster, which has the documents."""
    server = EmbeddedPostgres(running.folder / "one")
    dsn = await asyncio.to_thread(server.acquire)
    try:
        alone = Installation(running, "one", {"database_url": dsn})
        copied = Documents(running.folder / "one-docs", len(documents.versions))
        await asyncio.to_thread(alone.start, copied.folder, each=1)
        one = Side(
            Load(copied, alone.servers, CLIENTS, _EVERY, _CHANGE_EVERY),
            {"servers": alone.server_processes(), "PostgreSQL": [_embedded(running.folder / "one")]},
        )
        many = Side(
            Load(documents, installation.servers, CLIENTS, _EVERY, _CHANGE_EVERY),
            {
                "servers": installation.server_processes(),
                "PostgreSQL": cluster.postgres_processes(),
                "PgBouncer": [running.process("pgbouncer")],
                "Patroni and etcd": [
                    running.process(name) for name in ("etcd", *(node.name for node in cluster.nodes))
                ],
            },
        )
        before = await asyncio.to_thread(_rows_read, cluster)
        for _ in range(_ROUNDS):
            for side in (one, many):
                await side.round((seconds / _ROUNDS / 2 - _WARM_UP) / 1.5)
        after = await asyncio.to_thread(_rows_read, cluster)
        read = {name: after[name] - before[name] for name in after}
        leader = (await asyncio.to_thread(cluster.leader)).name
        many.replicas = 1 - read[leader] / sum(read.values())
        await asyncio.to_thread(alone.end)
    finally:
        await asyncio.to_thread(server.release)
    return Comparison(one, many)


def _embedded(data_dir: Path) -> psutil.Process:
    """The postmaster of the embedded server."""
    (pid,) = (DataFolder(data_dir.resolve()).cluster / "postmaster.pid").read_text().split()[:1]
    return psutil.Process(int(pid))


def _processor(processes: Sequence[psutil.Process]) -> float:
    """Processor seconds of processes, of those that they started, and of those of them that have ended."""
    total = 0.0
    for process in processes:
        for each in (process, *process.children(recursive=True)):
            try:
                total += sum(each.cpu_times()[:4])
            except psutil.NoSuchProcess:
                continue
    return total


def _rows_read(cluster: Cluster) -> dict[str, float]:
    """Rows that each node has read so far."""
    found: dict[str, float] = {}
    for node in cluster.nodes:
        with psycopg.connect(cluster.at(node)) as connection:
            ((read,),) = connection.execute(_READ).fetchall()
            found[node.name] = float(read)
    return found
