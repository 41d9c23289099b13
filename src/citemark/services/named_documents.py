"""Documents that people call by names of their own, such as the elements of a model: a port.

The feature whose sources have such documents fills it, and whoever takes an id or a name asks it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from citemark.services.bundle import ServiceKey

if TYPE_CHECKING:  # declarations of features name the key before anything of this is loaded
    from citemark.model.scope import ReadContext, RequestScope
    from citemark.services.requests import Caller


@dataclass(frozen=True, slots=True)
class NamedDocument:
    """The identity of a document: the name of its source, its type, and its id there."""

    source: str
    doc_type: str
    native_id: str


class NamedDocuments(Protocol):
    """Knows such names."""

    async def named(
        self, caller: "Caller", name: str, source: str | None, scope: "RequestScope", read_context: "ReadContext"
    ) -> NamedDocument:
        """The document that the caller means by its name or its id, in one source if that is given.

        Raises:
            InvalidArgument: nothing has this name, or several things do; the message lists the nearest ones.
            ScopeViolation, BackendUnavailable.
        """
        ...


NAMED_DOCUMENTS: ServiceKey[NamedDocuments] = ServiceKey("documents with names")
