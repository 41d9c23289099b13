"""State of collections between scans: the state of each resource, its native id and version."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, cast

from citemark.features.nextcloud.source.dav.kinds import CollectionKind
from citemark.features.nextcloud.source.links import name_of
from citemark.model.ids import NativeId, Version
from citemark.sources.contract import ScanState

_MONTHS = 4
"""Months within which the text of what repeats was made: it is made anew each month, if a scan is possible."""


@dataclass(frozen=True, slots=True)
class ResourceState:
    """A resource as it was read last. `doc_type` is "" for what is not a document; `digest` is that of its data."""

    doc_type: str
    native_id: NativeId
    uid: str
    etag: str
    digest: str
    repeats: bool = False
    modified: str = ""

    @property
    def modified_at(self) -> datetime | None:
        """When it was changed, as its data says."""
        return datetime.fromisoformat(self.modified) if self.modified else None


@dataclass(frozen=True, slots=True)
class CollectionSnapshot:
    """A collection at a token: the states of its resources by path."""

    label: str
    token: str
    state: Mapping[str, ResourceState]


@dataclass(frozen=True, slots=True)
class Home:
    """Where the collections are, which there were, and how many scans there have been."""

    href: str
    scans: int = 0
    collections: tuple[str, ...] = field(default_factory=tuple)


class CollectionSnapshots:
    """The scan state of one kind of collection; malformed entries count as missing."""

    def __init__(self, scan_state: ScanState, kind: CollectionKind) -> None:
        self._scan_state = scan_state
        self._name = kind.name

    async def home(self) -> Home | None:
        """Return what the last scan knew of the home; None before the first scan."""
        stored = cast("dict[str, Any]", await self._scan_state.load(f"{self._name}:home") or {})
        try:
            return Home(str(stored["href"]), int(stored["scans"]), tuple(map(str, stored["collections"])))
        except (TypeError, KeyError, ValueError):
            return None

    async def save_home(self, home: Home) -> None:
        """Store the home."""
        await self._scan_state.save(f"{self._name}:home", asdict(home))

    async def snapshot(self, href: str) -> CollectionSnapshot | None:
        """Return a collection as it was listed last."""
        stored = cast("dict[str, Any]", await self._scan_state.load(self._key(href)) or {})
        try:
            state = {str(path): _state_from_row(row) for path, row in cast("dict[str, Any]", stored["held"]).items()}
            return CollectionSnapshot(str(stored["label"]), str(stored["token"]), state)
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    async def save(self, href: str, snapshot: CollectionSnapshot) -> None:
        """Store a collection."""
        rows = {path: list(astuple(state)) for path, state in snapshot.state.items()}
        await self._scan_state.save(self._key(href), {"label": snapshot.label, "token": snapshot.token, "held": rows})

    async def forget(self, href: str) -> None:
        """Delete a collection that no longer exists."""
        await self._scan_state.save(self._key(href), None)

    def _key(self, href: str) -> str:
        return f"{self._name}:{href}"


def _state_from_row(row: list[Any]) -> ResourceState:
    doc_type, native_id, uid, etag, digest, repeats, modified = row
    return ResourceState(
        str(doc_type), NativeId(str(native_id)), str(uid), str(etag), str(digest), bool(repeats), str(modified)
    )


def assign_native_ids(snapshots: Mapping[str, CollectionSnapshot]) -> dict[str, CollectionSnapshot]:
    """Give every document that has none a native id: the UID, and more only where a UID occurs twice.

    Ids given before are kept, so that no document changes its id because another one came to share its UID. A document
    moved to another collection keeps its UID as id, since nothing else has it then.

    Args:
        snapshots: the collections by path.
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


def version_of(state: ResourceState, label: str, now: datetime) -> Version:
    """Return the version of a document: etag and data, the collection's name, and for what repeats the month.

    The data counts because servers hide parts of an event from some readers without changing the etag. The month counts
    because the text of what repeats lists its next dates.

    Args:
        state: of the resource.
        label: display name of its collection.
        now: the current time.
    """
    month = f"{now:%Y-%m}" if state.repeats else ""
    return Version(f"{_hash(state.etag, state.digest)}@{_hash(label, month)[:8]}")


def same_data(state: ResourceState, version: Version) -> bool:
    """Tell whether a version is of the same data, whatever else may have changed."""
    return version.partition("@")[0] == _hash(state.etag, state.digest)


def says_label(state: ResourceState, label: str, version: Version, now: datetime) -> bool:
    """Tell whether a version is of a text that names its collection like this, made within the last months."""
    months = (now - timedelta(days=28 * back) for back in range(_MONTHS + 1))
    return any(version.partition("@")[2] == version_of(state, label, then).partition("@")[2] for then in months)


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]
