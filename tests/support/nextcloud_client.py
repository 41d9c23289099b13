"""The real client of an account of the double, with credentials in memory."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.nextcloud.server import Nextcloud

from citemark.features.nextcloud.source.client import AccountClient, Credential
from citemark.features.nextcloud.source.http_transport import HttpTransport
from citemark.features.nextcloud.source.rate_limiter import RateLimiter
from citemark.model.errors import FatalSourceError


class FixedCredentials:
    """Credentials of one account that last as long as this object."""

    def __init__(self, login: str, password: str) -> None:
        self.credential = Credential(login, password, 1)
        self.refused = False

    async def current(self) -> Credential:
        if self.refused:
            raise FatalSourceError("refused before")
        return self.credential

    async def refuse(self, credential: Credential) -> None:
        self.refused = self.refused or credential == self.credential

    async def tried(self, credential: Credential, *, accepted: bool) -> None:
        raise AssertionError("it never gives a refused credential for a try")

    def renew(self, password: str) -> None:
        """Another password takes the place of the one before."""
        self.credential = Credential(self.credential.login, password, self.credential.generation + 1)
        self.refused = False


@asynccontextmanager
async def client_of(
    nextcloud: Nextcloud,
    user: str = "alice",
    *,
    credentials: FixedCredentials | None = None,
    parallel: int = 6,
    rate: float = 1000,
) -> AsyncGenerator[AccountClient, None]:
    """The client of an account."""
    held = credentials or FixedCredentials(user, nextcloud.password(user))
    client = AccountClient(
        HttpTransport(nextcloud.url), held, RateLimiter(parallel=parallel, rate=rate), login=user, user=user
    )
    try:
        yield client
    finally:
        await client.close()
