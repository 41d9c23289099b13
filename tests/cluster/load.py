"""Documents that change and clients that ask about them, so that whatever is lost, stale or doubled shows in an answer.

Each document states a number that grows with each of its versions. Whoever has been told a number may not be told a
smaller one later, whichever server and replica answers.
"""

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
from tests.cluster.installation import Server, text_of

_FIRST = 10_000  # the port of version 0
_STATED = re.compile(r"The (\w+) service listens on port (\d+)")
_ONSETS, _VOWELS = "bdfgklmnprstvz", "aeiou"


class Documents:
    """A folder of documents, each about a service of its own, and the version that each is in."""

    def __init__(self, folder: Path, number: int) -> None:
        chance = random.Random(number)
        names: set[str] = set()
        while len(names) < number:
            names.add("".join(chance.choice(_ONSETS) + chance.choice(_VOWELS) for _ in range(4)))
        self.folder = folder
        self.versions = dict.fromkeys(sorted(names), 0)
        self._chance = chance
        folder.mkdir()
        for name in self.versions:
            self._write(name)

    def change(self) -> str:
        """Write one document anew; returns its name."""
        name = self._chance.choice(list(self.versions))
        self.versions[name] += 1
        self._write(name)
        return name

    def _write(self, name: str) -> None:
        port = _FIRST + self.versions[name]
        text = f"# {name.title()}\n\nThe {name} service listens on port {port}. It is kept by the team {name[:4]}.\n"
        fresh = self.folder / f".{name}.new"
        fresh.write_text(text)
        fresh.rename(self.folder / f"{name}.md")


@dataclass(frozen=True, slots=True)
class Call:
    """One question: when it was asked, how many seconds it took, and what was wrong ("" for nothing)."""

    at: float
    seconds: float
    error: str


@dataclass(slots=True)
class Seen:
    """What clients were told.

    Attributes:
        calls: every question.
        incomplete: how many answers lacked the document and said that something changed, waits or is withheld.
        missed: those that lacked it and did not say so.
        wrong: answers that no cluster may give, each in a line.
        revisions: the document and the version that each revision id was told for.
        known: the newest version of each document that an answer told.
    """

    calls: list[Call] = field(default_factory=list[Call])
    incomplete: int = 0
    missed: list[str] = field(default_factory=list[str])
    wrong: list[str] = field(default_factory=list[str])
    revisions: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    known: Counter[str] = field(default_factory=Counter[str])

    def errors(self, after: float = 0.0, before: float = float("inf")) -> Counter[str]:
        """What was wrong with calls that began between two moments, and how often."""
        return Counter(call.error for call in self.calls if call.error and after <= call.at < before)

    def seconds(self) -> list[float]:
        """How long the answers took, sorted."""
        return sorted(call.seconds for call in self.calls if not call.error)


async def ask(client: httpx2.AsyncClient, server: Server, name: str, seen: Seen) -> int | None:
    """Ask for the port of a service; the version that the answer is of, None without such an answer."""
    least = seen.known[name]
    at, began = time.time(), time.perf_counter()
    result = await server.call(client, "kb_search", query=f"On which port does the {name} service listen?", top_k=5)
    error = text_of(result) if result.get("isError") else ""
    seen.calls.append(Call(at, time.perf_counter() - began, error))
    if error:
        return None
    content = result["structuredContent"]
    told = [each for hit in content["results"] for each in _stated(hit) if each[0] == name]
    if not told and content.get("incomplete"):
        seen.incomplete += 1
        return None
    if not told:
        seen.missed.append(f"{name} by {server.name} as of {content['read_context']['as_of']}")
        return None
    if len(told) > 1:
        seen.wrong.append(f"doubled: {name}, told {told} by {server.name}")
        return None
    ((_, version, revision),) = told
    if version < least:
        seen.wrong.append(f"stale: {name} in version {version} after {least}, by {server.name}")
    if seen.revisions.setdefault(revision, (name, version)) != (name, version):
        seen.wrong.append(f"revision {revision} is {(name, version)} and was {seen.revisions[revision]}")
    seen.known[name] = max(seen.known[name], version)
    return version


def _stated(hit: dict[str, Any]) -> list[tuple[str, int, str]]:
    """Each service in a hit, with its version and the id of the revision."""
    found = _STATED.findall(hit["preview"])
    return [(name, int(port) - _FIRST, hit["citation"]["revision_id"]) for name, port in found]


@dataclass(frozen=True, slots=True)
class Load:
    """Clients at servers, and somebody who writes."""

    documents: Documents
    servers: Sequence[Server]
    clients: int
    every: float
    """Seconds from one question of a client to its next."""

    change_every: float
    """Seconds from one change of a document to the next."""

    seen: Seen = field(default_factory=Seen)
    writing: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Ask and write, until it is cancelled; it is written only while `writing` is set."""
        async with (
            asyncio.TaskGroup() as group,
            httpx2.AsyncClient(limits=httpx2.Limits(max_connections=200)) as client,
        ):
            group.create_task(self.write())
            await asyncio.gather(*(self._ask(client, number) for number in range(self.clients)))

    async def write(self) -> None:
        """Only write."""
        while True:
            await self.writing.wait()
            self.documents.change()
            await asyncio.sleep(self.change_every)

    async def _ask(self, client: httpx2.AsyncClient, number: int) -> None:
        chance = random.Random(number)
        names = list(self.documents.versions)
        due = time.monotonic() + self.every * number / self.clients
        while True:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            due += self.every
            await ask(client, self.servers[number % len(self.servers)], chance.choice(names), self.seen)
