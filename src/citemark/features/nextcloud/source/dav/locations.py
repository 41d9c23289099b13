"""Where each document is, shared by the scanner, processor and verifier of an app."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace

from citemark.features.nextcloud.source.dav.kinds import CollectionKind, ResourceLocation
from citemark.features.nextcloud.source.dav.snapshots import CollectionSnapshot, CollectionSnapshots, ResourceState
from citemark.model.ids import NativeId

_YOUNG = 1.0
"""Seconds for which a loaded scan state is not loaded again, however many documents are looked for."""


@dataclass(frozen=True, slots=True)
class LocatedResource:
    """A document's location, and its resource as it was read last."""

    location: ResourceLocation
    state: ResourceState


class ResourceLocations:
    """Locations by document, loaded when first needed and when a document has moved: another process may scan."""

    def __init__(self, snapshots: CollectionSnapshots, kind: CollectionKind) -> None:
        self._snapshots = snapshots
        self._kind = kind
        self._by_id: dict[tuple[str, NativeId], LocatedResource] = {}
        self._loaded_at: float | None = None
        self._listed = False
        self._loading = asyncio.Lock()

    @property
    def listed(self) -> bool:
        """False until a scan has been stored; until then nothing can be said of documents that are not found."""
        return self._listed

    def update_from_scan(self, snapshots: Mapping[str, CollectionSnapshot]) -> None:
        """Replace the locations by what a scan has just seen."""
        self._by_id = {
            (state.doc_type, state.native_id): LocatedResource(
                ResourceLocation(path, collection, snapshot.label), state
            )
            for collection, snapshot in snapshots.items()
            for path, state in snapshot.state.items()
            if state.doc_type
        }
        self._loaded_at = asyncio.get_running_loop().time()
        self._listed = True

    async def find(self, doc_type: str, native_id: NativeId) -> LocatedResource | None:
        """Return where a document is; None if the last scan did not list it."""
        found = self._by_id.get((doc_type, native_id))
        if found is None:
            await self.reload(asyncio.get_running_loop().time() - _YOUNG)
            found = self._by_id.get((doc_type, native_id))
        return found

    async def reload(self, since: float) -> None:
        """Load the scan state again, unless that has been done since a time of the event loop."""
        async with self._loading:
            now = asyncio.get_running_loop().time()
            if self._loaded_at is not None and self._loaded_at > since:
                return
            home = await self._snapshots.home()
            self._loaded_at = now
            if home is None:
                return
            loaded = {href: await self._snapshots.snapshot(href) for href in home.collections}
            self.update_from_scan({href: snapshot for href, snapshot in loaded.items() if snapshot is not None})

    def relabel(self, collection: str, label: str) -> None:
        """Note the name that a collection has now, which the next scan stores."""
        self._by_id = {
            key: replace(found, location=replace(found.location, label=label))
            if found.location.collection == collection and found.location.label != label
            else found
            for key, found in self._by_id.items()
        }

    async def update(self, found: LocatedResource, state: ResourceState) -> None:
        """Store that a resource differs from the last scan though its etag is the same.

        A resource that has another etag by now is left to the next scan. The stored state is changed rather than ours,
        because another process may have scanned since it was loaded.
        """
        self._by_id[state.doc_type, state.native_id] = replace(found, state=state)
        snapshot = await self._snapshots.snapshot(found.location.collection)
        before = None if snapshot is None else snapshot.state.get(found.location.href)
        if snapshot is None or before is None or before.etag != state.etag or before == state:
            return
        changed = replace(snapshot, state={**snapshot.state, found.location.href: state})
        await self._snapshots.save(found.location.collection, changed)
