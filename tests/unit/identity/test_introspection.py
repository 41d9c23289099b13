"""What an authorization server answers about an opaque token, from a real web server."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.unit.identity.test_key_sets import Published, Stopped, serving

from citemark.identity.introspection import IntrospectedTokens, IntrospectionRules
from citemark.identity.token_claims import LEEWAY, TokenRefused

RESOURCE = "https://citemark.example/mcp"
NOW = 1_800_000_000.0


@pytest.fixture
def published() -> Published:
    return Published()


@pytest.fixture
async def reader(published: Published) -> AsyncGenerator[tuple[IntrospectedTokens, Stopped]]:
    clock = Stopped(NOW)
    async with serving(published) as url:
        made = IntrospectedTokens(IntrospectionRules(f"{url}/ask", "citemark", "secret", url, RESOURCE), clock)
        yield made, clock
        await made.close()


def says(published: Published, **claims: Any) -> None:
    published.answers["/ask"] = {"active": True, "aud": RESOURCE, "sub": "alice", "scope": "semantic:read", **claims}


@pytest.mark.requirement("introspection-past-exp-refused")
@pytest.mark.parametrize(
    "claims",
    [
        {"exp": NOW - LEEWAY - 1},
        {"exp": 0},
        {"exp": "tomorrow"},
        {"exp": True},
        {"nbf": NOW + LEEWAY + 1},
        {"nbf": "x"},
    ],
)
async def test_a_time_that_is_past_or_no_time_is_not_believed(
    published: Published, reader: tuple[IntrospectedTokens, Stopped], claims: dict[str, Any]
) -> None:
    tokens, _ = reader
    says(published, **claims)
    with pytest.raises(TokenRefused):
        await tokens.principal_of("opaque")


@pytest.mark.requirement("introspection-past-exp-refused")
async def test_a_remembered_answer_ends_with_the_token(
    published: Published, reader: tuple[IntrospectedTokens, Stopped]
) -> None:
    tokens, clock = reader
    says(published, exp=NOW + 1, nbf=NOW)
    assert (await tokens.principal_of("opaque")).scopes == {"semantic:read"}
    clock.now += 1 + LEEWAY
    with pytest.raises(TokenRefused):
        await tokens.principal_of("opaque")
    assert published.asked == ["/ask"]


async def test_a_token_without_an_end_is_believed_as_long_as_it_is_active(
    published: Published, reader: tuple[IntrospectedTokens, Stopped]
) -> None:
    tokens, _ = reader
    says(published)
    assert (await tokens.principal_of("opaque")).scopes == {"semantic:read"}
    says(published, active=False)
    with pytest.raises(TokenRefused):
        await tokens.principal_of("another")
