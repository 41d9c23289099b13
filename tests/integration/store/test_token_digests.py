"""Tokens that the index gives out, over a real database."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.index import Index

from citemark.model.errors import InvalidArgument
from citemark.model.scope import READ, WRITE
from citemark.services.people.access_tokens import AccessTokens
from citemark.store.database import Database
from citemark.store.token_digests import AccessTokenStore


@dataclass
class Stopped:
    now: datetime = datetime(2026, 1, 31, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.mark.requirement("static-tokens-kept-as-digests")
async def test_a_token_names_its_principal_until_it_is_revoked(database: Database) -> None:
    tokens = AccessTokens(AccessTokenStore(database), Stopped())
    token, made = await tokens.create("alice", (READ, "semantic.write"))
    other, _ = await tokens.create("alice")
    found = await tokens.principal_of(token)
    assert found is not None
    assert (found.subject, found.scopes) == ("token alice", {READ, WRITE})
    assert await tokens.revoke(made.token_id) == [made.token_id]
    assert await tokens.principal_of(token) is None
    again = await tokens.principal_of(other)
    assert again is not None
    assert (again.key, again.scopes) == (found.key, {READ})
    await tokens.revoke("alice")
    assert await tokens.principal_of(other) is None
    with pytest.raises(InvalidArgument):
        await tokens.revoke("alice")
    assert [each.state(tokens.now()) for each in await tokens.all()] == ["revoked", "revoked"]


@pytest.mark.requirement("static-tokens-kept-as-digests")
async def test_a_token_expires(database: Database) -> None:
    clock = Stopped()
    tokens = AccessTokens(AccessTokenStore(database), clock)
    token, _ = await tokens.create("bob", days=2)
    clock.now += timedelta(days=2, seconds=-1)
    assert await tokens.principal_of(token) is not None
    clock.now += timedelta(seconds=1)
    assert await tokens.principal_of(token) is None
    assert [each.state(clock.now) for each in await tokens.all()] == ["expired"]


@pytest.mark.requirement("static-tokens-kept-as-digests")
async def test_the_database_holds_no_token(database: Database) -> None:
    tokens = AccessTokens(AccessTokenStore(database), Stopped())
    token, _ = await tokens.create("alice")
    rows = await Index(database).rows("SELECT t::text FROM access_token t")
    secret = token.removeprefix("citemark_")
    assert rows
    assert not [row for row in rows if secret in row[0] or secret.encode().hex() in row[0]]


@pytest.mark.parametrize("token", ["citemark_", "citemark_x", "citemark_" + "a" * 43, "\0", "citemark_\ud800"])
async def test_a_token_that_was_never_issued_is_rejected(database: Database, token: str) -> None:
    assert await AccessTokens(AccessTokenStore(database), Stopped()).principal_of(token) is None


@pytest.mark.parametrize(
    ("name", "scopes"),
    [("", (READ,)), ("a b", (READ,)), ("-x", (READ,)), ("a" * 65, (READ,)), ("alice", ("notes:read",)), ("alice", ())],
)
async def test_a_malformed_name_or_scope_is_refused(database: Database, name: str, scopes: tuple[str, ...]) -> None:
    with pytest.raises(InvalidArgument):
        await AccessTokens(AccessTokenStore(database), Stopped()).create(name, scopes)
