"""What is remembered of collections between scans: a cache of the server's listings, and nothing that is not there."""

from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from datetime import datetime
from typing import Any, cast

from citemark.model.ids import NativeId
from citemark.sources.contract import ScanMemory
from citemark.sources.nextcloud.dav.kinds import Kind


@dataclass(frozen=True, slots=True)
class Held:
    """A resource as it was read last. `doc_type` is "" for what is no document; `digest` is that of its data."""

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
class Mirror:
    """A collection at a token: its resources by path."""

    label: str
    token: str
    held: Mapping[str, Held]


@dataclass(frozen=True, slots=True)
class Home:
    """Where the collections are, which there were, and how many scans there have been."""

    href: str
    scans: int = 0
    collections: tuple[str, ...] = field(default_factory=tuple)


class Mirrors:
    """The memory of one kind of collection; what cannot be read from it is as if it were not there."""

    def __init__(self, memory: ScanMemory, kind: Kind) -> None:
        self._memory = memory
        self._name = kind.name

    async def home(self) -> Home | None:
        """What the last scan knew of the home; None before the first."""
        stored = cast("dict[str, Any]", await self._memory.load(f"{self._name}:home") or {})
        try:
            return Home(str(stored["href"]), int(stored["scans"]), tuple(map(str, stored["collections"])))
        except (TypeError, KeyError, ValueError):
            return None

    async def save_home(self, home: Home) -> None:
        """Remember it."""
        await self._memory.save(f"{self._name}:home", asdict(home))

    async def mirror(self, href: str) -> Mirror | None:
        """A collection as it was listed last."""
        stored = cast("dict[str, Any]", await self._memory.load(self._key(href)) or {})
        try:
            held = {str(path): _held(row) for path, row in cast("dict[str, Any]", stored["held"]).items()}
            return Mirror(str(stored["label"]), str(stored["token"]), held)
        except (TypeError, KeyError, ValueError, AttributeError):
            return None

    async def save(self, href: str, mirror: Mirror) -> None:
        """Remember a collection."""
        rows = {path: list(astuple(held)) for path, held in mirror.held.items()}
        await self._memory.save(self._key(href), {"label": mirror.label, "token": mirror.token, "held": rows})

    async def forget(self, href: str) -> None:
        """A collection is there no more."""
        await self._memory.save(self._key(href), None)

    def _key(self, href: str) -> str:
        return f"{self._name}:{href}"


def _held(row: list[Any]) -> Held:
    doc_type, native_id, uid, etag, digest, repeats, modified = row
    return Held(str(doc_type), NativeId(str(native_id)), str(uid), str(etag), str(digest), bool(repeats), str(modified))
