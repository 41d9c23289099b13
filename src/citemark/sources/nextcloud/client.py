"""One account's client: its credential, its share of the server's patience, and second tries."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus

import stamina

from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.credential import Credential, Credentials
from citemark.sources.nextcloud.http import MOST_BYTES, Reply
from citemark.sources.nextcloud.judging import InMaintenance, checked
from citemark.sources.nextcloud.lanes import Heard, Lanes
from citemark.sources.nextcloud.limits import TooManyRequests, spend_request
from citemark.sources.nextcloud.wire import Elsewhere, Untrusted, Wire
from citemark.sources.waiting import awaited

_REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH"})
_FINAL = (InMaintenance, Untrusted, Elsewhere, TooManyRequests)
_ATTEMPTS = 3
_LONGEST_WAIT = 5.0
_ALL_TRIES = 30.0


class AccountClient:
    """Asks one server as one account. After a first 401 it asks nothing more until the credential is renewed."""

    def __init__(self, wire: Wire, credentials: Credentials, lanes: Lanes, *, login: str, user: str) -> None:
        self.server = wire.server
        self.login = login
        self.user = user
        self._wire = wire
        self._credentials = credentials
        self._lanes = lanes
        self._proven: int | None = None
        self._proving = asyncio.Lock()
        self.large = asyncio.Lock()
        self._asking = 0
        self._retired = False

    async def close(self) -> None:
        """Close the connections."""
        await self._wire.close()

    async def retire(self) -> None:
        """Keep no connections from now on: another client took over.

        Whoever still works with this one finishes; its connections last no longer than its requests.
        """
        self._retired = True
        await self._close_unused()

    @property
    def connected(self) -> bool:
        """Whether it keeps connections."""
        return self._wire.connected

    async def _close_unused(self) -> None:
        if self._retired and not self._asking:
            await self._wire.close()

    async def send(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        params: Mapping[str, str] | None = None,
        content: bytes | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> Reply:
        """One answer that an app has to judge; what only reads is tried again where that may help.

        Raises:
            FatalSourceError: the credential is not accepted (any more).
            RetriableSourceError: no usable answer, for now.
            AnswerTooLarge: the answer is larger than `most_bytes`.
        """

        async def once() -> Reply:
            spend_request()
            return await self._once(method, path, headers or {}, params, content, most_bytes)

        if method not in _REPEATABLE:
            return await once()
        trying = stamina.AsyncRetryingCaller(
            attempts=2 if awaited() else _ATTEMPTS, timeout=_ALL_TRIES, wait_initial=0.1, wait_max=2.0, wait_jitter=0.2
        )

        def again(error: Exception) -> bool | float:
            if isinstance(error, RetriableSourceError):
                error.details.setdefault("origin", self.server)
            return _again(error)

        return await trying(again, once)

    async def _once(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str],
        params: Mapping[str, str] | None,
        content: bytes | None,
        most_bytes: int,
    ) -> Reply:
        async def ask(credential: Credential, heard: Heard) -> Reply:
            sent = {**headers, "Authorization": credential.header}
            self._asking += 1
            try:
                reply = await self._wire.send(
                    method, path, headers=sent, params=params, content=content, most_bytes=most_bytes
                )
            finally:
                self._asking -= 1
                await self._close_unused()
            heard(reply.status)
            if reply.status == HTTPStatus.UNAUTHORIZED:
                await self._credentials.refuse(credential)
                await self._credentials.current()  # which says how to renew it
                raise RetriableSourceError(f"The password of {credential.login!r} was renewed a moment ago.")
            checked(reply, method)
            self._proven = credential.generation
            return reply

        if (await self._credentials.current()).generation != self._proven:
            # A wrong password is tried once, however many documents wait: failures slow the whole address down.
            async with self._proving:
                credential = await self._credentials.current()
                if credential.generation != self._proven:
                    async with self._lanes.lane() as heard:
                        return await ask(credential, heard)
        async with self._lanes.lane() as heard:
            return await ask(await self._credentials.current(), heard)


def _again(error: Exception) -> bool | float:
    if not isinstance(error, RetriableSourceError) or isinstance(error, _FINAL):
        return False
    if error.retry_after is None:
        return True
    # A longer rest is for the queue to keep, which holds no lane and no lease meanwhile.
    return error.retry_after if error.retry_after <= _LONGEST_WAIT else False
