"""Evidence of an answer over stores in memory: reopened in a later round."""

import asyncio
from collections.abc import Mapping
from contextlib import closing
from typing import Any, cast

import pytest
from tests.support.in_memory_services import ME, InMemoryWorld, Scopes
from tests.support.kinds import KINDS
from tests.support.virtual_time import virtual_loop

from citemark.model.scope import RequestScope
from citemark.services.answer_evidence import EvidenceCollector
from citemark.services.answer_requests import AnswerRequest
from citemark.services.scoping import Scoping


class NoDetails:
    """Knows no details of any document, as where no account is connected."""

    async def metadata(self, *_: object) -> Mapping[Any, Any]:
        return {}


@pytest.mark.requirement("handle-reads-say-verdict-age")
def test_evidence_that_is_reopened_says_how_old_a_verdict_from_memory_is() -> None:
    async def asked() -> None:
        world = InMemoryWorld({"valves.md": "The valve opens at four bar."}, memory=60.0)
        world.told.remote = True

        async def no_language() -> tuple[str, ...]:
            return ()

        collector = EvidenceCollector(
            pipeline=world.pipeline,
            sources=world.stores,
            search=world.stores,
            documents=cast("Any", NoDetails()),
            scoping=Scoping(RequestScope("default"), cast("Any", Scopes()), no_language, KINDS),
        )
        request = AnswerRequest("when does the valve open", limit=3, min_score=0.0)
        found = await collector.find(ME, request)
        assert found.documents
        assert "old" not in " ".join(found.meta.notes)
        await asyncio.sleep(3.5)
        reopened = await collector.reopen(ME, request, found.state())
        assert [each.title for each in reopened.documents] == [each.title for each in found.documents]
        assert "up to 4 seconds old" in " ".join(reopened.meta.notes)

    with closing(virtual_loop()) as loop:
        loop.run_until_complete(asked())
