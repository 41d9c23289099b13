"""Requests of WebDAV over an account's client, and their answers read within limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Generic, TypeVar

from citemark.extraction.sandbox.pool import ParserPool
from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.http import Client, Reply, asked
from citemark.sources.nextcloud.limits import ScanLimits
from citemark.sources.nextcloud.multistatus import Multistatus, Response, read_answer

_XML = "application/xml; charset=utf-8"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """An answer: its status, and what was made of a multistatus; None for an answer that is none."""

    status: int
    content: Multistatus[T] | None

    def expected(self, what: str) -> Multistatus[T]:
        """The content of an answer that has to be a multistatus.

        Raises:
            RetriableSourceError: it is none; `what` says what was asked for.
        """
        if self.content is None:
            raise RetriableSourceError(f"The server answered {self.status} when asked for {what}.")
        return self.content


class WebDav:
    """One account's WebDAV."""

    def __init__(self, client: Client, parsers: ParserPool, limits: ScanLimits) -> None:
        self.client = client
        self.limits = limits
        self._parsers = parsers

    async def ask(
        self,
        method: str,
        path: str,
        content: bytes,
        use: Callable[[Response], T | None],
        headers: Mapping[str, str] | None = None,
    ) -> Answer[T]:
        """What `use` makes of the resources in the answer to a request with an XML body.

        Raises:
            MalformedAnswer: the answer says that it is a multistatus, and is none.
            SkippableSourceError: it is more than is read.
            RetriableSourceError, FatalSourceError: as for any request.
        """

        async def read(reply: Reply) -> Answer[T]:
            if reply.status != HTTPStatus.MULTI_STATUS:
                return Answer(reply.status, None)
            found = await read_answer(reply.body, self._parsers, most=self.limits.entries, use=use)
            return Answer(reply.status, found)

        sent = {"Content-Type": _XML, **(headers or {})}
        return await asked(
            self.client, read, method, path, most_bytes=self.limits.answer_bytes, headers=sent, content=content
        )
