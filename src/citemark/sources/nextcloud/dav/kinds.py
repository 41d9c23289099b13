"""What differs between calendars and address books, for the code that treats them alike."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from citemark.extraction.sandbox.ipc import ParseItem, ParseTask, extracted_from_json, extracted_to_json
from citemark.extraction.sandbox.pool import BatchReader, ParserPool
from citemark.model.clock import Clock
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Extracted
from citemark.sources.relationships import relationship_from_json, relationship_to_json


@dataclass(frozen=True, slots=True)
class ResourceLocation:
    """Where a resource lies: its own path, that of its collection, and what the collection is called."""

    href: str
    collection: str
    label: str


@dataclass(frozen=True, slots=True)
class ResourceText:
    """A resource as text."""

    extracted: Extracted
    url: str
    relationships: tuple[StatedRelationship, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class CollectionKind:
    """One kind of collection.

    `well_known`, `home` and `resource` are its names in RFC 6764, 4791 and 6352 with the prefixes of `xml`.
    `reading` makes text of the data. `components` maps what begins a component in it to its document type. `skipped`
    decides on a collection's name.
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

    @property
    def doc_types(self) -> frozenset[str]:
        """The document types that such collections hold."""
        return frozenset(self.components.values())


CPU_SECONDS = 3.0
"""For one event or contact. Most take less than a thousandth; the largest that is not cut, about one."""

MEMORY_MIB = 256
"""That one may add to its process; the largest that is not cut adds some 60."""


class ResourceTexts:
    """Makes text of the data of one kind of resource."""

    def __init__(self, parsers: ParserPool, task: ParseTask, server: str, clock: Clock) -> None:
        """Take a task that reads with the arguments of `arguments_of`."""
        self._batches = BatchReader(parsers, task, resource_text_from_json)
        self._server = server
        self._clock = clock

    async def read(self, data: str, native_id: NativeId, location: ResourceLocation) -> ResourceText:
        """The resource as text.

        Raises:
            SkippableSourceError: it is broken, or not safe to read; the message says how.
            RetriableSourceError: no process for parsing could be had.
        """
        now = self._clock().isoformat()
        arguments = {"server": self._server, "now": now, "native_id": native_id, "place": asdict(location)}
        return await self._batches.read(ParseItem(data.encode("utf-8", "replace"), arguments))


def resource_text_to_json(readable: ResourceText) -> dict[str, Any]:
    """A text as the parsing process sends it."""
    return {
        "extracted": extracted_to_json(readable.extracted),
        "url": readable.url,
        "relationships": [relationship_to_json(each) for each in readable.relationships],
        "metadata": dict(readable.metadata),
    }


def resource_text_from_json(given: Mapping[str, Any]) -> ResourceText:
    """The text again.

    Raises:
        ValueError, TypeError, KeyError: the message is not of the form.
    """
    extracted = extracted_from_json(given["extracted"])
    return ResourceText(
        extracted,
        str(given["url"]),
        tuple(relationship_from_json(each, len(extracted.body)) for each in given["relationships"]),
        {str(key): str(value) for key, value in given["metadata"].items()},
    )
