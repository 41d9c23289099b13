"""Native ids for the resources of several collections: the UID, and more only where one repeats."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from citemark.model.ids import NativeId
from citemark.sources.nextcloud.dav.hrefs import name_of
from citemark.sources.nextcloud.dav.mirrors import Held, Mirror


def named(mirrors: Mapping[str, Mirror]) -> dict[str, Mirror]:
    """The collections, by path, with a native id for every document that has none yet.

    Ids given before stay, so that no document changes its name because another came to share its UID; a document
    moved to another collection keeps its UID as id, since nobody else holds it then.
    """
    taken: set[tuple[str, NativeId]] = set()
    kept: set[str] = set()
    for mirror in mirrors.values():
        for path, held in mirror.held.items():
            key = (held.doc_type, held.native_id)
            if held.native_id and key not in taken:
                taken.add(key)
                kept.add(path)
    done: dict[str, Mirror] = {}
    for collection, mirror in sorted(mirrors.items()):
        entries: dict[str, Held] = {}
        for path, held in sorted(mirror.held.items()):
            if held.doc_type and path not in kept:
                chosen = next(
                    each for each in _candidates(collection, path, held) if (held.doc_type, each) not in taken
                )
                taken.add((held.doc_type, chosen))
                entries[path] = replace(held, native_id=chosen)
            else:
                entries[path] = held
        done[collection] = replace(mirror, held=entries)
    return done


def _candidates(collection: str, path: str, held: Held) -> Iterator[NativeId]:
    if held.uid:
        yield NativeId(held.uid)
        yield NativeId(f"{name_of(collection)}/{held.uid}")
    yield NativeId(f"{name_of(collection)}/{name_of(path)}")
    number = 2
    while True:
        yield NativeId(f"{name_of(collection)}/{name_of(path)}~{number}")
        number += 1
