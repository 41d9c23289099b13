"""Nobody waits for ever to be told whether their token is known."""

import asyncio
from typing import Any

import pytest

from citemark.app.authentication import Authentication
from citemark.model.errors import BackendUnavailable
from citemark.model.static_token import TOKEN_PREFIX


@pytest.mark.requirement("i12-5-principals")
async def test_a_token_that_cannot_be_looked_up_in_time_leaves_no_request_waiting() -> None:
    async def never() -> Any:
        await asyncio.Event().wait()

    with pytest.raises(BackendUnavailable):
        await Authentication(never, None, seconds=0.01).principal_of(f"{TOKEN_PREFIX}x")
