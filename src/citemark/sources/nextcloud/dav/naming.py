"""Native ids for the resources of several collections: the UID, and more only where one repeats."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from citemark.model.ids import NativeId
from citemark.sources.nextcloud.dav.hrefs import name_of
from citemark.sources.nextcloud.dav.snapshots import CollectionSnapshot, ResourceState


def assign_native_ids(snapshots: Mapping[str, CollectionSnapshot]) -> dict[str, CollectionSnapshot]:
    """The collections, by path, with a native id for every document that has none yet.

    Ids given before stay, so that no document changes its name because another came to share its UID; a document
    moved to another collection keeps its UID as id, since nobody else holds it then.
    """
    taken: set[tuple[str, NativeId]] = set()
    kept: set[str] = set()
    for snapshot in snapshots.values():
        for path, state in snapshot.state.items():
            key = (state.doc_type, state.native_id)
            if state.native_id and key not in taken:
                taken.add(key)
                kept.add(path)
    done: dict[str, CollectionSnapshot] = {}
    for collection, snapshot in sorted(snapshots.items()):
        entries: dict[str, ResourceState] = {}
        for path, state in sorted(snapshot.state.items()):
            if state.doc_type and path not in kept:
                chosen = next(
                    each for each in _candidates(collection, path, state) if (state.doc_type, each) not in taken
                )
                taken.add((state.doc_type, chosen))
                entries[path] = replace(state, native_id=chosen)
            else:
                entries[path] = state
        done[collection] = replace(snapshot, state=entries)
    return done


def _candidates(collection: str, path: str, state: ResourceState) -> Iterator[NativeId]:
    if state.uid:
        yield NativeId(state.uid)
        yield NativeId(f"{name_of(collection)}/{state.uid}")
    yield NativeId(f"{name_of(collection)}/{name_of(path)}")
    number = 2
    while True:
        yield NativeId(f"{name_of(collection)}/{name_of(path)}~{number}")
        number += 1
