"""Differences between calendars and address books, and how their resources become texts in the parsing process."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask, extracted_from_json, extracted_to_json
from citemark.extraction.sandbox.pool import BatchReader, ParserPool
from citemark.model.clock import Clock
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.stated_dates import DayRange, StatedDates
from citemark.model.text import Extracted
from citemark.sources.relationships import relationship_from_json, relationship_to_json

CPU_SECONDS = 3.0
"""For one event or contact. Most take less than a millisecond; the largest that is not cut takes about a second."""

MEMORY_MIB = 256
"""MiB that one resource may add to its parsing process; the largest that is not cut adds about 60."""


@dataclass(frozen=True, slots=True)
class ResourceLocation:
    """Where a resource is: its path, that of its collection, and the collection's display name."""

    href: str
    collection: str
    label: str


@dataclass(frozen=True, slots=True)
class ResourceText:
    """The text of a resource, its address in the web interface, and what else is known about it, as in `Fetched`."""

    extracted: Extracted
    url: str
    relationships: tuple[StatedRelationship, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    dates: StatedDates | None = None
    days: tuple[DayRange, ...] = ()
    labels: tuple[str, ...] = ()


def _whole(_data: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class CollectionKind:
    """One kind of collection.

    Attributes:
        name: of the app.
        what: plural name for messages.
        well_known: path of RFC 6764.
        home: prefix and name of the property that names the home collection.
        resource: resource type of a collection, with prefix.
        report: multiget report, with prefix.
        data: prefix and name of the property with a resource's data.
        reading: task that turns the data into text.
        components: document types by the component that makes a resource one.
        skipped: decides by name which collections are left out.
        reduced: tells from a resource's data whether the server hides part of it from this reader.
    """

    name: str
    what: str
    well_known: str
    home: tuple[str, str]
    resource: str
    report: str
    data: tuple[str, str]
    reading: ParseTask
    components: Mapping[str, str]
    skipped: Callable[[str], bool]
    reduced: Callable[[str], bool] = _whole

    @property
    def doc_types(self) -> frozenset[str]:
        """The document types in such collections."""
        return frozenset(self.components.values())


class ResourceTexts:
    """Turns the data of one kind of resource into text, many at a time."""

    def __init__(self, parsers: ParserPool, task: ParseTask, server: str, clock: Clock) -> None:
        """Take a task whose function accepts `server`, `now`, `native_id` and `location`."""
        self._batches = BatchReader(parsers, task, resource_text_from_json)
        self._server = server
        self._clock = clock

    async def read(self, data: str, native_id: NativeId, location: ResourceLocation) -> ResourceText:
        """Turn a resource into text.

        Raises:
            SkippableSourceError: it is damaged, or not safe to parse; the message says how.
            RetriableSourceError: no parsing process is available.
        """
        now = self._clock().isoformat()
        arguments = {"server": self._server, "now": now, "native_id": native_id, "location": asdict(location)}
        return await self._batches.read(ParseItem(data.encode("utf-8", "replace"), arguments))


def resource_text_to_json(readable: ResourceText) -> dict[str, Any]:
    """Turn a text into JSON values, as the parsing process sends it."""
    return {
        "extracted": extracted_to_json(readable.extracted),
        "url": readable.url,
        "relationships": [relationship_to_json(each) for each in readable.relationships],
        "metadata": dict(readable.metadata),
        "dates": None if readable.dates is None else asdict(readable.dates),
        "days": [[_day_to_json(each.first), _day_to_json(each.last)] for each in readable.days],
        "labels": list(readable.labels),
    }


def _day_to_json(day: date | None) -> str | None:
    return None if day is None else day.isoformat()


def _day_from_json(written: str | None) -> date | None:
    return None if written is None else date.fromisoformat(written)


def resource_text_from_json(message: Mapping[str, Any]) -> ResourceText:
    """Read a text back.

    Raises:
        ValueError, TypeError, KeyError: the message is malformed.
    """
    extracted = extracted_from_json(message["extracted"])
    return ResourceText(
        extracted,
        str(message["url"]),
        tuple(relationship_from_json(each, len(extracted.body)) for each in message["relationships"]),
        {str(key): str(value) for key, value in message["metadata"].items()},
        None if message["dates"] is None else StatedDates(**message["dates"]),
        tuple(DayRange(_day_from_json(first), _day_from_json(last)) for first, last in message["days"]),
        tuple(map(str, message["labels"])),
    )
