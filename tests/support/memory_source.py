"""A source in memory that honours `sources/contract.py`, and can be told to fail."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from dataclasses import dataclass, field

from tests.support.pages import digest

from citemark.model.documents import DocumentRef, Fetched, Listed, Problem, ScanEnd, Verdict
from citemark.model.ids import NativeId, Version
from citemark.model.text import Block, BlockKind, Extracted, Span
from citemark.sources.contract import Connector, Verdicts

DOC_TYPE = "docs_page"


def _set() -> asyncio.Event:
    event = asyncio.Event()
    event.set()
    return event


def _one_paragraph(native_id: str, body: str) -> Extracted:
    return Extracted(title=native_id, body=body, blocks=(Block(BlockKind.PARAGRAPH, Span(0, len(body))),))


@dataclass
class MemorySource:
    """Texts by native id. `verdicts` overrule what the texts say; `trouble` is called before anything is answered.

    `waits` is for how many seconds it thinks about each document, but for those that are `prompt`. Documents are
    fetched once `open_` is set, and those of `held` once their own event is. `sizes` are listed. `read` tells the
    structure of a text. Every scan reports `problems`. `listed_for` are the readers that a document is listed for, and
    `reader_versions` those of the release that reads it.
    """

    texts: dict[str, str] = field(default_factory=dict[str, str])
    verdicts: dict[str, Verdict] = field(default_factory=dict[str, Verdict])
    problems: dict[str, str] = field(default_factory=dict[str, str])
    complete: bool = True
    trouble: Callable[[str], None] = lambda _: None
    waits: float = 0.0
    prompt: Collection[str] = ()
    remote: bool = False
    overloaded: bool = False
    asked: list[tuple[DocumentRef, ...]] = field(default_factory=list[tuple[DocumentRef, ...]])
    fetched: list[str] = field(default_factory=list[str])
    open_: asyncio.Event = field(default_factory=_set)
    held: dict[str, asyncio.Event] = field(default_factory=dict[str, asyncio.Event])
    sizes: dict[str, int] = field(default_factory=dict[str, int])
    read: Callable[[str, str], Extracted] = _one_paragraph
    listed_for: Callable[[str], tuple[str, ...]] = lambda _: ()
    reader_versions: dict[str, int] = field(default_factory=dict[str, int])

    def connector(self) -> Connector:
        return Connector(
            self,
            self,
            self,
            remote=self.remote,
            overloaded=lambda: self.overloaded,
            reader_versions=dict(self.reader_versions),
        )

    def version(self, native_id: str) -> Version:
        return Version(digest(self.texts[native_id]).hex()[:12])

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        self.trouble("scan")
        for native_id in sorted(self.texts):
            readers = self.listed_for(native_id)
            size = self.sizes.get(native_id, 0)
            yield Listed(DOC_TYPE, NativeId(native_id), self.version(native_id), readers=readers, size=size)
        for native_id, message in self.problems.items():
            yield Problem(NativeId(native_id), message)
        yield ScanEnd(complete=self.complete, reason="" if self.complete else "told to be incomplete")

    async def fetch(self, doc_type: str, native_id: NativeId) -> Fetched | None:
        await self.open_.wait()
        self.fetched.append(native_id)
        if native_id in self.held:
            await self.held[native_id].wait()
        self.trouble(native_id)
        body = self.texts.get(native_id)
        if body is None:
            return None
        extracted = self.read(native_id, body)
        return Fetched(doc_type, native_id, self.version(native_id), None, None, extracted)

    async def verify(self, refs: Sequence[DocumentRef]) -> Verdicts:
        self.asked.append(tuple(refs))
        self.trouble("verify")
        for ref in refs:
            if self.waits and ref.native_id not in self.prompt:
                await asyncio.sleep(self.waits)
            yield ref, self._verdict(ref)

    def _verdict(self, ref: DocumentRef) -> Verdict:
        if ref.native_id in self.verdicts:
            return self.verdicts[ref.native_id]
        if ref.native_id not in self.texts:
            return Verdict.GONE
        return Verdict.OK if self.version(ref.native_id) == ref.version else Verdict.CHANGED
