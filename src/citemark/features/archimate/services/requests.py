"""Requests about architecture models."""

from dataclasses import dataclass, field

from citemark.model.scope import ReadContext, RequestScope

Metadata = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class QueryScope:
    """Which models a call reads (all of them, or the one whose source has this name), and which state of them."""

    model: str | None = None
    scope: RequestScope = field(default_factory=RequestScope)
    read_context: ReadContext = field(default_factory=ReadContext)


@dataclass(frozen=True, slots=True)
class ElementSearch:
    """A search for elements by meaning, or by names and words. `metadata` are filters as in `model.scope.Filters`.

    Without a query (""), it lists the elements that meet the filters.
    """

    query_scope: QueryScope
    query: str
    top_k: int = 10
    page_size: int = 10
    min_score: float = 0.5
    metadata: Metadata = ()
    by_words: bool = False
    cursor: str | None = None
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A question whose context is packed into `max_tokens`."""

    query_scope: QueryScope
    query: str
    max_tokens: int = 4000
    relationships: bool = True
    min_score: float = 0.5
    metadata: Metadata = ()
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartList:
    """A list of elements or views by name; `doc_type` says which of the two."""

    query_scope: QueryScope
    doc_type: str
    metadata: Metadata = ()
    page_size: int = 25
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class PartRef:
    """One element or view, by id or name; `source` says which model, if several use the same one."""

    query_scope: QueryScope
    doc_type: str
    wanted: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class LinkList:
    """A list of relationships, of one element or of all."""

    query_scope: QueryScope
    element: str | None = None
    source: str | None = None
    types: tuple[str, ...] = ()
    outgoing: bool = True
    incoming: bool = True
    page_size: int = 25
    cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ViewRequest:
    """A request for one view with what it shows, or a page of that."""

    ref: PartRef
    page_size: int = 100
    cursor: str | None = None
