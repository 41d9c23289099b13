"""Kills of the leader under load: how long until questions are answered again, and what is wrong a minute later."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

import httpx2
from tests.cluster.checks import Handles, baselines, baselines_changed, doubled, every_last_version, wrongly_told
from tests.cluster.installation import Installation, Server
from tests.cluster.load import Documents, Load, Seen, ask
from tests.cluster.nodes import Cluster

_SETTLED = 60.0  # seconds after which an index has to be whole again
_WRITING = 35.0  # seconds of these during which documents still change
_PAUSE = 0.2  # seconds between two attempts to be answered
_CLIENTS, _EVERY, _CHANGE_EVERY = 8, 2.0, 0.5


@dataclass(frozen=True, slots=True)
class Failover:
    """One kill of a leader.

    Attributes:
        back: seconds until each server answered again, which writes to the primary.
        indexed: seconds until a change made after the kill was told by an answer.
        errors: what callers were told meanwhile, and how often.
        later: what callers were told as an error after that.
        wrong: whatever was lost, stale, doubled or otherwise wrong a minute later.
        told: what holders of old handles were told.
    """

    back: float
    indexed: float
    errors: Counter[str]
    later: Counter[str]
    wrong: list[str]
    told: list[str]

    def __str__(self) -> str:
        found = "; ".join(self.wrong) or "nothing wrong"
        return f"back after {self.back:.1f} s, a change found after {self.indexed:.1f} s, {found}"


@dataclass(slots=True)
class Failovers:
    """All of them, and what was asked meanwhile."""

    each: list[Failover] = field(default_factory=list[Failover])
    questions: int = 0
    incomplete: int = 0
    missed: list[str] = field(default_factory=list[str])

    @property
    def seconds(self) -> tuple[float, float]:
        """Until questions were answered again: the median and the longest."""
        back = [one.back for one in self.each]
        return median(back), max(back)


async def failovers(
    cluster: Cluster,
    installation: Installation,
    documents: Documents,
    enough: Callable[[int], bool],
    say: Callable[[str], None],
) -> Failovers:
    """Kill leaders until it is `enough`, which is asked before each with their number."""
    load = Load(documents, installation.servers, _CLIENTS, _EVERY, _CHANGE_EVERY)
    load.writing.set()
    asking = asyncio.create_task(load.run())
    done = Failovers()
    try:
        await asyncio.sleep(5)
        while not enough(len(done.each)):
            done.each.append(await _failover(cluster, installation, load, len(done.each)))
            one = done.each[-1]
            say(f"failover {len(done.each)}: {one}")
    finally:
        asking.cancel()
        await asyncio.wait([asking])
    done.questions, done.incomplete, done.missed = len(load.seen.calls), load.seen.incomplete, load.seen.missed
    return done


async def _failover(cluster: Cluster, installation: Installation, load: Load, number: int) -> Failover:
    first = installation.servers[0]
    await asyncio.to_thread(installation.command, "baseline", "create", f"before-{number}")
    before = await asyncio.to_thread(baselines, cluster.direct)
    handles = await Handles.of(first)
    victim = await asyncio.to_thread(cluster.leader)
    killed, began = time.time(), time.monotonic()
    await asyncio.to_thread(cluster.kill, victim)
    changed = load.documents.change()
    version = load.documents.versions[changed]
    async with httpx2.AsyncClient() as client:
        for server in installation.servers:
            await _until_answered(client, server, changed, load)
        back = time.monotonic() - began
        answered = time.time()
        await asyncio.to_thread(cluster.start_node, victim)
        told = await handles.told(first)
        indexed = await _told(client, installation, load, changed, version)
    indexed -= began
    await asyncio.sleep(max(0.0, _WRITING - (time.monotonic() - began - back)))
    load.writing.clear()
    await asyncio.sleep(max(0.0, _SETTLED - (time.monotonic() - began - back)))
    wrong = wrongly_told(told)
    wrong += await every_last_version(installation.servers, load.documents, load.seen)
    wrong += await asyncio.to_thread(doubled, cluster.direct)
    wrong += await asyncio.to_thread(baselines_changed, cluster.direct, before)
    wrong += load.seen.wrong
    load.seen.wrong.clear()
    load.writing.set()
    await asyncio.to_thread(cluster.wait_whole)
    errors, later = load.seen.errors(killed - 5, answered), load.seen.errors(answered)
    return Failover(back, indexed, errors, later, wrong, told)


async def _until_answered(client: httpx2.AsyncClient, server: Server, name: str, load: Load) -> None:
    """Ask until a question is answered without an error."""
    while True:
        alone = Seen(known=load.seen.known, revisions=load.seen.revisions, wrong=load.seen.wrong)
        await ask(client, server, name, alone)
        load.seen.calls += alone.calls
        if not alone.errors():
            return
        await asyncio.sleep(_PAUSE)


async def _told(client: httpx2.AsyncClient, installation: Installation, load: Load, name: str, version: int) -> float:
    """When an answer told a version of a document, or `_SETTLED` seconds from now if none did."""
    deadline = time.monotonic() + _SETTLED
    while time.monotonic() < deadline:
        if (await ask(client, installation.servers[0], name, load.seen) or 0) >= version:
            break
        await asyncio.sleep(_PAUSE)
    return time.monotonic()
