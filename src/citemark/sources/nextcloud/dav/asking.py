"""Requests of WebDAV over an account's client."""

from http import HTTPStatus

from citemark.model.errors import RetriableSourceError
from citemark.sources.nextcloud.dav.hrefs import origin_of
from citemark.sources.nextcloud.dav.xml import Multistatus, read_multistatus
from citemark.sources.nextcloud.http import Client, Reply

_XML = "application/xml; charset=utf-8"


async def ask(client: Client, method: str, href: str, body: bytes, *, depth: int) -> Reply:
    """Send a request with an XML body to a path as the server names it, from the root of its host."""
    headers = {"Content-Type": _XML, "Depth": str(depth)}
    return await client.send(method, f"{origin_of(client.server)}{href}", headers=headers, content=body)


def multistatus(reply: Reply, what: str) -> Multistatus:
    """The answer of a request that has to succeed.

    Raises:
        RetriableSourceError: it did not; `what` says what was asked for.
    """
    if reply.status != HTTPStatus.MULTI_STATUS:
        raise RetriableSourceError(f"The server answered {reply.status} when asked for {what}.")
    return read_multistatus(reply.body)
