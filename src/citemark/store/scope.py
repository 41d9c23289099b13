"""The state of allowed sources, and which scope values exist in them, to explain empty results and misspellings."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from citemark.model.accounts import refusal
from citemark.model.completeness import Reading
from citemark.model.document_counts import DocumentCounts, Facet
from citemark.model.documents import PATH_KEY
from citemark.model.ids import SourceId
from citemark.model.refused_logins import RefusedLogin
from citemark.model.scope import Filters, LimitKind, Principal, RequestScope, ScopeLimit
from citemark.model.sources import AllowedSources
from citemark.model.status import SourceState
from citemark.store.candidate_search import filter_params
from citemark.store.database import Database, int_array
from citemark.store.sources import SourceStore, grantees_of

_WORD = re.compile(r"[^\W\d_]+")

_MOST_SPELLINGS = 32
"""Most upper and lower case spellings of one capability that are looked up."""

_MOST_VALUES = 5000
"""Most values among which the nearest are chosen: comparing that many takes a fifth of a second."""

_MOST_COUNTED = 200
"""Most values of a facet that are counted; nobody reads a longer list to choose from it."""


class ScopeStore:
    """Describes the allowed sources."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def states(self, allowed: AllowedSources, *, contents: bool = True) -> dict[SourceId, SourceState]:
        """How far each of the allowed sources has come, and what keeps it from being read.

        Without `contents`, it has no documents, no languages and no vectors that wait: to count them takes the longer,
        the more documents there are.
        """
        rows = await self._database.fetch("source_states", {"source_ids": allowed.ids, "contents": contents})
        return {
            SourceId(row["source_id"]): SourceState(
                documents=row["documents"],
                languages=dict(sorted(row["languages"].items(), key=lambda entry: (-entry[1], entry[0]))),
                texts_waiting=row["texts_waiting"],
                vectors_waiting=row["vectors_waiting"],
                problems=row["problems"],
                scanning=row["scanning"],
                last_complete_scan=row["last_complete_at"],
                scan_error=row["reason"],
                refused="" if row["refused"] is None else refusal(RefusedLogin(row["refused"], row["retry_at"])),
            )
            for row in rows
        }

    async def reading(self, principal: Principal, scope: RequestScope) -> Reading:
        """How far the sources within a scope have been read."""
        return (await SourceStore(self._database).allowed(principal, scope)).reading

    async def known(
        self, principal: Principal, scope: RequestScope, doc_types: Sequence[str], limits: Sequence[ScopeLimit]
    ) -> dict[ScopeLimit, tuple[str, ...]]:
        """How the caller's own sources and documents spell each value; empty for a value that none of them has.

        Args:
            principal: the caller.
            scope: its project, kind and source select the sources; the rest of it is ignored.
            doc_types: the types of the documents to look at; all if empty.
            limits: the values to look up.
        """
        rows = await self._database.fetch(
            "limits_known",
            {
                **_readable(principal, scope, doc_types),
                "kinds": [limit.kind for limit in limits],
                "values": [limit.value for limit in limits],
                "spellings": _MOST_SPELLINGS,
            },
        )
        return {ScopeLimit(row["kind"], row["value"]): tuple(row["spelled"]) for row in rows}

    async def there(
        self, principal: Principal, scope: RequestScope, doc_types: Sequence[str], kinds: Collection[LimitKind]
    ) -> dict[LimitKind, list[str]]:
        """The values of some kinds that the caller's own sources and documents have; for path prefixes, the folders."""
        rows = await self._database.fetch(
            "limits_there",
            {**_readable(principal, scope, doc_types), "kinds": sorted(kinds), "most": _MOST_VALUES},
        )
        values: dict[LimitKind, list[str]] = {kind: [] for kind in kinds}
        for row in rows:
            values[row["kind"]].append(row["value"])
        return values

    async def counts(self, allowed: AllowedSources, scope: RequestScope, filters: Filters) -> DocumentCounts:
        """How many documents of the allowed sources there are by each facet, in the state that is read.

        Args:
            allowed: what the caller may read, not yet limited to a source or a tag.
            scope: which of them the call is limited to: its source and tags.
            filters: the types, languages, labels, paths and time of change that it is limited to; the rest is ignored.
        """
        of_source = [each for each in allowed.sources if scope.source in {None, each.name, *each.former_names}]
        of_tag = [
            each
            for each in allowed.sources
            if not scope.doc_tags or not set(scope.doc_tags).isdisjoint(each.labels.tags)
        ]
        params = {
            **filter_params(allowed, filters),
            "of_source": int_array(each.source_id for each in of_source),
            "of_tag": int_array(each.source_id for each in of_tag),
            "most": _MOST_COUNTED,
        }
        counted: dict[Facet, dict[str, int]] = {}
        for row in await self._database.fetch("documents_counted", params):
            counted.setdefault(row["facet"], {})[row["value"]] = row["documents"]
        return DocumentCounts(counted)

    async def stop_words(self, text: str) -> Mapping[str, int]:
        """How many words of a text are stop words, by language; languages without a list are left out."""
        words = _WORD.findall(text.lower())
        rows = await self._database.fetch("stop_words", {"words": words})
        return {row["language"]: row["words"] for row in rows}


def _readable(principal: Principal, scope: RequestScope, doc_types: Sequence[str]) -> dict[str, Any]:
    return {
        "tenant": principal.tenant,
        "grantees": grantees_of(principal),
        **scope.data(),
        "doc_types": list(doc_types),
        "path_key": PATH_KEY,
    }
