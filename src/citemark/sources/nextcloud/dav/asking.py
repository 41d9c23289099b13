"""Requests about collections and their resources, whose paths are compared in one spelling."""

from dataclasses import replace

from citemark.sources.nextcloud.dav.hrefs import canonical, origin_of
from citemark.sources.nextcloud.multistatus import DAV, MultistatusEntry
from citemark.sources.nextcloud.webdav import WebDav, WebDavResponse


async def request(dav: WebDav, method: str, href: str, body: bytes, *, depth: int) -> WebDavResponse[MultistatusEntry]:
    """Send a request with an XML body to a path as the server names it, from the root of its host.

    Raises:
        SourceError: as `WebDav.request`; RetriableSourceError also where the server names what is no address.
    """
    return await dav.request(method, f"{origin_of(dav.client.server)}{href}", body, _canonical, {"Depth": str(depth)})


def hrefs_in(response: MultistatusEntry, namespace: str, name: str) -> list[str]:
    """The addresses that a property holds, as paths."""
    return [canonical(each.text.strip()) for each in response.inside(namespace, name) if each.tag == f"{{{DAV}}}href"]


def _canonical(response: MultistatusEntry) -> MultistatusEntry:
    return replace(response, href=canonical(response.href))
