"""Values that a call is limited to, one by one, as they are looked up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from citemark.model.scope import Filters, RequestScope

LimitKind = Literal["environment", "repository", "source_tag", "document_tag", "label", "path_prefix", "capability"]

CAPABILITY = "capability"
"""The metadatum of elements of a model whose values people spell in any case."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One value of one kind that a caller named."""

    kind: LimitKind
    value: str


def limits_of(scope: RequestScope, filters: Filters) -> Iterator[Limit]:
    """Every value that some source or document must have for the call to find anything by it."""
    if scope.environment is not None:
        yield Limit("environment", scope.environment)
    yield from (Limit("source_tag", value) for value in scope.doc_tags)
    yield from (Limit("repository", value) for value in scope.repositories)
    yield from (Limit("document_tag", value) for value in filters.doc_tags)
    yield from (Limit("label", value) for value in filters.labels)
    yield from (Limit("path_prefix", value) for value in filters.path_prefixes if value)
    for key, values in filters.metadata:
        if key == CAPABILITY:
            yield from (Limit("capability", value) for value in values)
