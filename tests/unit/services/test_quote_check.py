"""A quotation is looked for beside other calls."""

import asyncio
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME, InMemoryWorld, Told
from tests.support.kinds import KINDS

from citemark.model.candidates import StoredDocument
from citemark.model.documents import Fetched, Verdict
from citemark.model.ids import NativeId, RevisionId, Version
from citemark.model.scope import RequestScope
from citemark.model.text import Extracted, Span
from citemark.retrieval.verification import AccessCheck
from citemark.services.quote_check import QuoteCheckService
from citemark.services.requests import CitationRef
from citemark.services.scoping import Scoping
from citemark.sources.contract import Connector
from citemark.store.documents import DocumentStore
from citemark.store.scope import ScopeStore

LONG = "The valve opens at once. " * 2_000


class Documents:
    """Holds one document."""

    async def cited(self, *_: object) -> str:
        return "known"

    async def latest(self, *_: object) -> StoredDocument:
        page = NativeId("valves.md")
        return StoredDocument(
            "docs_page",
            page,
            "docs_page",
            page,
            RevisionId(1),
            Version("1"),
            "Valves",
            None,
            None,
            LONG,
            Span(0, len(LONG)),
        )

    async def metadata(self, *_: object) -> dict[object, object]:
        return {}


class Changed(Told):
    """A source whose document has changed."""

    async def fetch(self, *_: object) -> Fetched | None:
        return Fetched(
            "docs_page", NativeId("valves.md"), Version("2"), None, None, Extracted("Valves", f"{LONG}It is red.", ())
        )


class Waiting(ThreadPoolExecutor):
    """One thread that begins to work when it is told to; `given` counts what it was given to do."""

    def __init__(self) -> None:
        super().__init__(1)
        self.begin = threading.Event()
        super().submit(self.begin.wait)
        self.given = 0

    def submit(self, *work: Any, **fields: Any) -> Future[Any]:
        self.given += 1
        return super().submit(*work, **fields)


def service(told: Told) -> QuoteCheckService:
    world = InMemoryWorld()
    source = cast("Any", told)
    access = AccessCheck(lambda _: Connector(source, source, source), world.stores, deadline=1.0, memory=0.0)
    scoping = Scoping(RequestScope("default"), cast("ScopeStore", None), cast("Any", None), KINDS)
    return QuoteCheckService(world.pipeline, world.stores, cast("DocumentStore", Documents()), access, scoping)


@pytest.mark.parametrize(
    ("told", "quote", "holds", "searches"),
    [
        (Told(), "The pump closes by night.", "gone", 1),
        (Changed(), "The valve opens at once.", "exact", 2),
    ],
)
async def test_other_calls_are_answered_while_a_long_document_is_searched(
    told: Told, quote: str, holds: str, searches: int
) -> None:
    if isinstance(told, Changed):
        told.verdicts["valves.md"] = Verdict.CHANGED
    threads = Waiting()
    asyncio.get_running_loop().set_default_executor(threads)
    checking = asyncio.create_task(service(told).verify(ME, CitationRef("docs", "valves.md"), quote))
    others = [await InMemoryWorld({"pumps.md": "pump"}).ranked("pump") for _ in range(20)]
    given, done = threads.given, checking.done()
    threads.begin.set()
    found = await checking
    assert others == [["pumps.md"]] * 20
    assert (given, done) == (1, False)
    assert (found.holds, threads.given) == (holds, searches)
