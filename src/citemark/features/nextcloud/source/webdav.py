"""WebDAV requests of an account, and their responses parsed within limits."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Generic, TypeVar

from citemark.extraction.sandbox.pool import ParserPool
from citemark.features.nextcloud.source.client import Client, request_large
from citemark.features.nextcloud.source.links import canonical, origin_of
from citemark.features.nextcloud.source.multistatus import DAV, Multistatus, MultistatusEntry, read_answer
from citemark.features.nextcloud.source.scan_limits import ScanLimits
from citemark.model.errors import RetriableSourceError
from citemark.remote.connections import HttpRequest, HttpResponse

_XML = "application/xml; charset=utf-8"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WebDavResponse(Generic[T]):
    """The status of a response, and its processed multistatus; None if it is not a multistatus."""

    status: int
    content: Multistatus[T] | None

    def require_multistatus(self, what: str) -> Multistatus[T]:
        """Return the content of a response that has to be a multistatus.

        Args:
            what: what was requested, for the message.

        Raises:
            RetriableSourceError: it is not a multistatus.
        """
        if self.content is None:
            raise RetriableSourceError(f"The server answered {self.status} when asked for {what}.")
        return self.content


class WebDav:
    """WebDAV as one account."""

    def __init__(self, client: Client, parsers: ParserPool, limits: ScanLimits) -> None:
        self.client = client
        self.limits = limits
        self._parsers = parsers

    async def request(
        self,
        method: str,
        path: str,
        content: bytes,
        use: Callable[[MultistatusEntry], T | None],
        headers: Mapping[str, str] | None = None,
    ) -> WebDavResponse[T]:
        """Send a request with an XML body and process the entries of the response.

        Args:
            method: of WebDAV.
            path: below the server's address.
            content: the XML.
            use: processes one entry; entries for which it returns None are left out.
            headers: besides the content type.

        Raises:
            MalformedMultistatus: the response claims to be a multistatus and is not.
            SkippableSourceError: it is more than is read.
            RetriableSourceError, FatalSourceError: as for any request.
        """

        async def read(reply: HttpResponse) -> WebDavResponse[T]:
            if reply.status != HTTPStatus.MULTI_STATUS:
                return WebDavResponse(reply.status, None)
            found = await read_answer(reply.body, self._parsers, most=self.limits.entries, use=use)
            return WebDavResponse(reply.status, found)

        sent = {"Content-Type": _XML, **(headers or {})}
        request = HttpRequest(method, path, sent, content=content, most_bytes=self.limits.answer_bytes)
        return await request_large(self.client, request, read)


async def request(dav: WebDav, method: str, href: str, body: bytes, *, depth: int) -> WebDavResponse[MultistatusEntry]:
    """Send a request with an XML body to a path as the server names it, from the root of its host.

    Raises:
        SourceError: as `WebDav.request`; RetriableSourceError also if an address in the response is malformed.
    """
    return await dav.request(method, f"{origin_of(dav.client.server)}{href}", body, _canonical, {"Depth": str(depth)})


def hrefs_in(response: MultistatusEntry, namespace: str, name: str) -> list[str]:
    """The addresses that a property holds, as paths."""
    return [canonical(each.text.strip()) for each in response.inside(namespace, name) if each.tag == f"{{{DAV}}}href"]


def _canonical(response: MultistatusEntry) -> MultistatusEntry:
    return replace(response, href=canonical(response.href))
