"""A flood of unknown tokens costs one look-up each in seconds, and keeps nobody waiting who was known before."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from citemark.identity.checked_tokens import CheckedTokens
from citemark.identity.token_claims import TokenRefused
from citemark.model.errors import BackendUnavailable
from citemark.model.scope import Principal

ALICE = Principal.issued("https://issuer.example", "alice", frozenset({"semantic:read"}))


@dataclass
class Stopped:
    """A clock that a test puts on."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Issuer:
    """Knows some tokens, and answers about one after another as a test lets it."""

    valid: set[str] = field(default_factory=lambda: {"alice's"})
    asked: list[str] = field(default_factory=list[str])
    closed: bool = False
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    async def check(self, token: str) -> Principal:
        self.asked.append(token)
        if self.closed and token not in self.valid:
            await self.opened.wait()
        if token not in self.valid:
            raise TokenRefused("the token is not active")
        return ALICE


def checked(issuer: Issuer, seconds: Callable[[], float], *, outside: bool = True) -> CheckedTokens:
    return CheckedTokens(issuer.check, outside=outside, seconds=seconds)


async def refusal_of(tokens: CheckedTokens, token: str) -> str:
    with pytest.raises(TokenRefused) as refused:
        await tokens.principal_of(token)
    return str(refused.value)


@pytest.mark.requirement("refused-tokens-remembered")
@pytest.mark.parametrize("outside", [True, False])
async def test_a_refused_token_is_looked_up_again_after_seconds(outside: bool) -> None:
    issuer, clock = Issuer(), Stopped()
    tokens = checked(issuer, clock, outside=outside)
    assert await refusal_of(tokens, "junk") == await refusal_of(tokens, "junk") == "the token is not active"
    assert issuer.asked == ["junk"]
    issuer.valid.add("junk")
    clock.now += 5
    assert await tokens.principal_of("junk") == ALICE


@pytest.mark.requirement("refused-tokens-remembered")
async def test_one_token_of_many_requests_is_looked_up_once_in_each_place() -> None:
    issuer = Issuer()
    tokens = checked(issuer, Stopped())
    flood = await asyncio.gather(*(tokens.principal_of("junk") for _ in range(60)), return_exceptions=True)
    assert {type(answer) for answer in flood} == {TokenRefused}
    assert len(issuer.asked) <= 4


@pytest.mark.requirement("refused-tokens-remembered")
async def test_a_token_that_was_valid_does_not_wait_for_unknown_ones() -> None:
    issuer = Issuer()
    tokens = checked(issuer, Stopped())
    assert await tokens.principal_of("alice's") == ALICE
    assert tokens.admits("alice's")
    issuer.closed = True
    flood = [asyncio.create_task(tokens.principal_of(f"junk {number}")) for number in range(400)]
    await asyncio.sleep(0)
    assert await tokens.principal_of("alice's") == ALICE
    assert len([token for token in issuer.asked if token.startswith("junk")]) == 4
    issuer.opened.set()
    answers = await asyncio.gather(*flood, return_exceptions=True)
    kinds = [type(answer) for answer in answers]
    assert (kinds.count(TokenRefused), kinds.count(BackendUnavailable)) == (64, 336)


@pytest.mark.requirement("refused-tokens-remembered")
async def test_a_token_that_was_valid_and_is_revoked_is_unknown_again() -> None:
    issuer = Issuer()
    tokens = checked(issuer, Stopped())
    await tokens.principal_of("alice's")
    issuer.valid.clear()
    await refusal_of(tokens, "alice's")
    assert not tokens.admits("alice's")


async def test_tokens_that_are_checked_by_what_they_say_need_no_place() -> None:
    issuer = Issuer(closed=True)
    tokens = checked(issuer, Stopped(), outside=False)
    assert tokens.admits("junk")
    flood = [asyncio.create_task(tokens.principal_of(f"junk {number}")) for number in range(100)]
    await asyncio.sleep(0)
    assert len(issuer.asked) == 100
    issuer.opened.set()
    await asyncio.gather(*flood, return_exceptions=True)
