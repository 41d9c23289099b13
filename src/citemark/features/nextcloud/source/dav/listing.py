"""Lists a collection: by the changes since a token where they can be trusted, otherwise completely."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from citemark.features.nextcloud.source.dav.api import propfind, sync_collection
from citemark.features.nextcloud.source.dav.discovery import Collection
from citemark.features.nextcloud.source.links import name_of
from citemark.features.nextcloud.source.multistatus import DAV, Multistatus, MultistatusEntry
from citemark.features.nextcloud.source.scan_limits import ScanLimitReached
from citemark.features.nextcloud.source.webdav import WebDav, request

_NUMBER = re.compile(r"(?:^|[/:])(\d{1,18})$")
_FOLDER = f"{{{DAV}}}collection"


@dataclass(frozen=True, slots=True)
class Listing:
    """The etags of all resources of a collection by path, and the token of that state ("" if the server has none)."""

    etags: Mapping[str, str]
    token: str


@dataclass(slots=True)
class _Changes:
    token: str
    changed: dict[str, str] = field(default_factory=dict[str, str])
    gone: set[str] = field(default_factory=set[str])


async def list_resources(dav: WebDav, collection: Collection, known: Listing | None, *, whole: bool) -> Listing:
    """List the resources of a collection.

    A report of changes is trusted only if it accounts for every step from token to token: a sharee is not notified of
    an event that turned private, and a server restored from a backup counts from a lower number.

    Args:
        dav: of the account.
        collection: as its home lists it.
        known: the listing of the last scan.
        whole: compare all paths even if the token is unchanged.

    Raises:
        RetriableSourceError: the server did not list it.
        SkippableSourceError: it lists more than is read.
    """
    if known is not None and not whole:
        if _unchanged(collection, known):
            return known
        if known.token and collection.token and not _counts_down(known.token, collection.token):
            changes = await _changes(dav, collection, known.token)
            if changes is not None and _accounts_for_all(known.token, changes):
                left = {href: etag for href, etag in known.etags.items() if href not in changes.gone}
                return Listing({**left, **changes.changed}, changes.token)
    return Listing(await _list_all(dav, collection), collection.token or collection.ctag)


def _unchanged(collection: Collection, known: Listing) -> bool:
    now = collection.token or collection.ctag
    return bool(now) and now == known.token


async def _list_all(dav: WebDav, collection: Collection) -> dict[str, str]:
    """List all paths and etags. The token read before is kept, so changes made during the listing come up again."""
    reply = await request(dav, "PROPFIND", collection.href, propfind("d:getetag", "d:resourcetype"), depth=1)
    found = reply.require_multistatus(f"the content of {collection.label!r}").responses
    return {
        each.href: each.text(DAV, "getetag")
        for each in found
        if each.status == HTTPStatus.OK
        and each.href.rstrip("/") != collection.href.rstrip("/")
        and _FOLDER not in each.kinds(DAV, "resourcetype")
        and name_of(each.href)
    }


async def _changes(dav: WebDav, collection: Collection, token: str) -> _Changes | None:
    """Request the changes since a token; None if the server cannot report them (invalid token, no such report).

    Raises:
        RetriableSourceError: the answer is not a multistatus.
        ScanLimitReached: it has more parts or resources than are read.
    """
    changes = _Changes(token)
    for _ in range(dav.limits.pages):
        reply = await request(dav, "REPORT", collection.href, sync_collection(changes.token), depth=0)
        answer = reply.content
        if answer is None or not answer.token:
            return None
        more = _gather(changes, collection, answer)
        if len(changes.changed) + len(changes.gone) > dav.limits.documents:
            what = f"The report of changes in {collection.label!r} names more than {dav.limits.documents:,} resources"
            raise ScanLimitReached(what, "MAX_DOCUMENTS")
        stuck = more and answer.token == changes.token
        changes.token = answer.token
        if not more:
            return changes
        if stuck:
            return None
    # A report may be given in parts (RFC 6578, 3.6); a server that never comes to its end is not followed.
    what = f"The report of changes in {collection.label!r} has more than {dav.limits.pages:,} parts"
    raise ScanLimitReached(what, "MAX_PAGES")


def _gather(changes: _Changes, collection: Collection, answer: Multistatus[MultistatusEntry]) -> bool:
    """Add one part of a report; True if the server says that more follows."""
    more = False
    for each in answer.responses:
        if each.href.rstrip("/") == collection.href.rstrip("/"):
            more = more or each.status == HTTPStatus.INSUFFICIENT_STORAGE
        elif each.status == HTTPStatus.NOT_FOUND:
            changes.gone.add(each.href)
            changes.changed.pop(each.href, None)
        elif each.status == HTTPStatus.OK:
            changes.changed[each.href] = each.text(DAV, "getetag")
            changes.gone.discard(each.href)
    return more


def _counts_down(before: str, now: str) -> bool:
    """Tell whether a token is a lower number than before."""
    old, new = _number(before), _number(now)
    return old is not None and new is not None and new < old


def _accounts_for_all(before: str, changes: _Changes) -> bool:
    """Tell whether there are as many changes as the token counts; for tokens that are not numbers, whether any."""
    reported = len(changes.changed) + len(changes.gone)
    old, new = _number(before), _number(changes.token)
    if old is None or new is None:
        return reported > 0 or changes.token == before
    return 0 <= new - old <= reported


def _number(token: str) -> int | None:
    found = _NUMBER.search(token)
    return int(found[1]) if found else None
