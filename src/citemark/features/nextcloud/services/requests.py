"""Requests to the use cases of accounts."""

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from hashlib import blake2b

from citemark.model.accounts import DOC_TYPES
from citemark.model.scope import Filters, ReadContext


@dataclass(frozen=True, slots=True)
class AccountSearch:
    """A question to the documents of accounts. `limit` is the number of documents per page, one passage of each."""

    query: str
    limit: int = 10
    min_score: float = 0.7
    doc_types: tuple[str, ...] = DOC_TYPES
    modified_after: datetime | None = None
    modified_before: datetime | None = None
    path_prefixes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    date_from: date | None = None
    date_to: date | None = None
    read_context: ReadContext = field(default_factory=ReadContext)
    cursor: str | None = None
    also: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A digest that is equal for the same question and conditions, whatever the page size and the cursor."""
        same = replace(self, limit=0, cursor=None)
        return blake2b(repr(same).encode(), digest_size=16).hexdigest()

    @property
    def filters(self) -> Filters:
        """The conditions of the request as filters on documents."""
        return Filters(
            doc_types=self.doc_types,
            updated_after=self.modified_after,
            updated_before=self.modified_before,
            # Paths are stored relative to the account's root, without the leading slash that many people write.
            path_prefixes=tuple(prefix.lstrip("/") for prefix in self.path_prefixes),
            labels=self.labels,
            dated_from=self.date_from,
            dated_to=self.date_to,
        )
