"""Nobody waits for ever to be told whether their token is known."""

import asyncio
import socket
from typing import Any

import pytest

from citemark.app.authentication import Authentication
from citemark.identity.introspection import IntrospectedTokens, IntrospectionRules
from citemark.model.errors import BackendUnavailable
from citemark.model.static_token import TOKEN_PREFIX


async def never() -> Any:
    await asyncio.Event().wait()


@pytest.mark.requirement("use-is-bounded-per-person")
async def test_a_token_that_cannot_be_looked_up_in_time_leaves_no_request_waiting() -> None:
    with pytest.raises(BackendUnavailable):
        await Authentication(never, None, seconds=0.01).principal_of(f"{TOKEN_PREFIX}x")


@pytest.mark.requirement("use-is-bounded-per-person")
async def test_a_token_that_its_issuer_cannot_check_in_time_leaves_no_request_waiting() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        issued = IntrospectedTokens(IntrospectionRules(url, "citemark", "secret", url, "https://citemark.example/mcp"))
        try:
            asked = [Authentication(never, issued, seconds=0.05).principal_of(f"opaque {n}") for n in range(20)]
            answers = await asyncio.gather(*asked, return_exceptions=True)
        finally:
            await issued.close()
    assert {type(answer) for answer in answers} == {BackendUnavailable}
    assert {str(answer) for answer in answers} == {"The token could not be looked up in time; try again later."}
