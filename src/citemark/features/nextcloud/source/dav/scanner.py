"""Lists the documents of all collections of a kind."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from citemark.extraction.content_lines import summarize
from citemark.features.nextcloud.source.dav.api import Resource, fetch_all
from citemark.features.nextcloud.source.dav.discovery import Collection, find_home, list_collections
from citemark.features.nextcloud.source.dav.kinds import CollectionKind
from citemark.features.nextcloud.source.dav.listing import Listing, list_resources
from citemark.features.nextcloud.source.dav.locations import ResourceLocations
from citemark.features.nextcloud.source.dav.snapshots import (
    CollectionSnapshot,
    CollectionSnapshots,
    Home,
    ResourceState,
    assign_native_ids,
    version_of,
)
from citemark.features.nextcloud.source.prefetch_cache import PrefetchCache
from citemark.features.nextcloud.source.scan_limits import ScanLimitReached
from citemark.features.nextcloud.source.webdav import WebDav
from citemark.model.clock import Clock
from citemark.model.documents import Listed, Problem, ScanEnd
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.ids import NativeId

WHOLE_EVERY = 24
"""Scans between full comparisons of paths, two hours at the default interval: they cost a request per collection and do
not rely on tokens. Counted rather than timed, so that a jump of the clock neither skips nor repeats one.
"""


class DavScanner:
    """Lists with one request if nothing changed; otherwise one or two per changed collection, and the changed data."""

    def __init__(
        self,
        dav: WebDav,
        kind: CollectionKind,
        snapshots: CollectionSnapshots,
        locations: ResourceLocations,
        prefetched: PrefetchCache[Resource],
        clock: Clock,
    ) -> None:
        self._dav = dav
        self._kind = kind
        self._snapshots = snapshots
        self._locations = locations
        self._prefetched = prefetched
        self._clock = clock

    async def scan(self) -> AsyncIterator[Listed | Problem | ScanEnd]:
        """Yield every document; a collection that fails keeps what it had and makes the listing incomplete.

        Raises:
            FatalSourceError: there are no such collections for this account.
            RetriableSourceError: the home cannot be listed now.
        """
        before = await self._snapshots.home()
        home, collections = await self._collections(before)
        whole = home.scans % WHOLE_EVERY == 0
        self._prefetched.discard_expired()
        found: dict[str, CollectionSnapshot] = {}
        known: dict[str, CollectionSnapshot] = {}
        reasons: list[str] = []
        left = self._dav.limits.documents
        for collection in collections:
            snapshot = await self._snapshots.snapshot(collection.href)
            if snapshot is not None:
                known[collection.href] = found[collection.href] = snapshot
            problems: list[Problem] = []
            try:
                if left <= 0:
                    raise ScanLimitReached(
                        f"There are more than {self._dav.limits.documents:,} before it", "MAX_DOCUMENTS"
                    )
                found[collection.href] = await self._read(collection, snapshot, problems, whole=whole)
                left -= len(found[collection.href].state)
            except (RetriableSourceError, SkippableSourceError) as error:
                reasons.append(f"{collection.label}: {error.message}")
                problems.append(Problem(NativeId(collection.href), error.message))
            for problem in problems:
                yield problem
        found = assign_native_ids(found)
        await self._remember(before, home, found, known)
        self._locations.update_from_scan(found)
        now = self._clock()
        for snapshot in found.values():
            for state in snapshot.state.values():
                if state.doc_type:
                    version = version_of(state, snapshot.label, now)
                    yield Listed(state.doc_type, state.native_id, version, state.modified_at, (self._kind.name,))
        yield ScanEnd(complete=not reasons, reason="; ".join(reasons))

    async def _collections(self, before: Home | None) -> tuple[Home, list[Collection]]:
        """Return the home, searched for again if it has moved, and its collections."""
        home = before or Home(await find_home(self._dav, self._kind))
        listed = await list_collections(self._dav, self._kind, home.href)
        if listed is None and before is not None:
            home = Home(await find_home(self._dav, self._kind))
            listed = await list_collections(self._dav, self._kind, home.href)
        if listed is None:
            raise RetriableSourceError(f"The server does not list the {self._kind.what} at {home.href}.")
        if len(listed) > self._dav.limits.folders:
            raise ScanLimitReached(f"There are more than {self._dav.limits.folders:,} {self._kind.what}", "MAX_FOLDERS")
        return home, list(listed)

    async def _read(
        self, collection: Collection, snapshot: CollectionSnapshot | None, problems: list[Problem], *, whole: bool
    ) -> CollectionSnapshot:
        """Return a collection as it is now; only resources with another etag are requested."""
        state: Mapping[str, ResourceState] = snapshot.state if snapshot is not None else {}
        known = None
        if snapshot is not None:
            known = Listing({path: each.etag for path, each in state.items()}, snapshot.token)
        listing = await list_resources(self._dav, collection, known, whole=whole)
        entries = {path: state[path] for path, etag in listing.etags.items() if _same(state.get(path), etag)}
        for path, each in entries.items():
            self._prefetched.discard_stale(path, each.etag)
        wanted = sorted(listing.etags.keys() - entries.keys())
        async for resource in fetch_all(self._dav, self._kind, collection.href, wanted):
            entries[resource.href] = resource_state(
                resource.data, resource.etag or listing.etags[resource.href], self._kind, state.get(resource.href)
            )
            if resource.too_large:
                problems.append(Problem(NativeId(resource.href), resource.too_large))
            else:
                self._prefetched.put(resource.href, entries[resource.href].etag, resource)
        return CollectionSnapshot(collection.label, listing.token, entries)

    async def _remember(
        self,
        before: Home | None,
        home: Home,
        found: Mapping[str, CollectionSnapshot],
        known: Mapping[str, CollectionSnapshot],
    ) -> None:
        for href, snapshot in found.items():
            if snapshot != known.get(href):
                await self._snapshots.save(href, snapshot)
        for href in before.collections if before is not None else ():
            if href not in found:
                await self._snapshots.forget(href)
        await self._snapshots.save_home(replace(home, scans=home.scans + 1, collections=tuple(found)))


def resource_state(data: str, etag: str, kind: CollectionKind, before: ResourceState | None) -> ResourceState:
    """Make the state to remember of a resource; its native id is kept while UID and type are the same."""
    seen = summarize(data, kind.components)
    same = before is not None and (before.doc_type, before.uid) == (seen.doc_type, seen.uid)
    return ResourceState(
        doc_type=seen.doc_type,
        native_id=before.native_id if same and before is not None else NativeId(""),
        uid=seen.uid,
        etag=etag,
        digest=seen.digest,
        repeats=seen.repeats,
        modified=seen.modified_at.isoformat() if seen.modified_at is not None else "",
    )


def _same(state: ResourceState | None, etag: str) -> bool:
    return state is not None and bool(etag) and state.etag == etag
