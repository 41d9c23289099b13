"""What differs between calendars and address books, for the code that treats them alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from citemark.extraction.sandbox.ipc import ParseTask
from citemark.model.documents import StatedRelationship
from citemark.model.text import Extracted


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
