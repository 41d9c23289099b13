"""The names that count in each source, as this process knows them."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from citemark.features.graph.mentions.known_names import KnownNames
from citemark.features.graph.mentions.mention_edges import mention_edges
from citemark.features.graph.store.mentions import KnownNameRow, MentionStore, NameScope
from citemark.model.documents import StatedRelationship
from citemark.model.graph import KnownName
from citemark.model.ids import SourceId
from citemark.model.text import Extracted

_KEPT = 8
"""Dictionaries that are cached: sources with the same readers share one, and few such groups are read at a time."""


class SourceNames(NamedTuple):
    """The names that count in a source, complete up to `scope.number`; `numbers` has the newest number of each name."""

    scope: NameScope
    names: KnownNames
    numbers: Mapping[str, int]

    @property
    def number(self) -> int:
        """The number up to which the names are complete."""
        return self.scope.number

    def edges_of(self, text: Extracted) -> Iterator[StatedRelationship]:
        """The mentions of these names in a text."""
        return mention_edges(text.title, text.body, text.sections, self.names)


class NameDictionary:
    """Reads names when they are first needed, and again when a caller knows that there are newer ones."""

    def __init__(self, mentions: MentionStore) -> None:
        self._mentions = mentions
        self._scopes: dict[SourceId, NameScope] = {}
        self._kept: OrderedDict[tuple[int, ...], SourceNames] = OrderedDict()
        self._reading = asyncio.Lock()

    async def of(self, source_id: SourceId) -> SourceNames:
        """The names that count in a source; the newest ones may be missing."""
        scope = self._scopes.get(source_id)
        kept = None if scope is None else self._kept.get(scope.name_sources)
        return await self.newest(source_id) if kept is None else kept

    async def newest(self, source_id: SourceId) -> SourceNames:
        """The names that count in a source, as they are now."""
        async with self._reading:
            scope = self._scopes[source_id] = await self._mentions.scope(source_id)
            kept = self._kept.get(scope.name_sources)
            if kept is None or kept.scope.number < scope.number:
                rows = await self._mentions.names(scope.name_sources)
                kept = await asyncio.to_thread(_dictionary, scope, rows)
            self._kept[scope.name_sources] = kept
            self._kept.move_to_end(scope.name_sources)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return kept


def _dictionary(scope: NameScope, rows: Sequence[KnownNameRow]) -> SourceNames:
    known: dict[str, KnownName] = {}
    numbers: dict[str, int] = {}
    for row in rows:
        before = known.get(row.name)
        forms, source_ids = frozenset(row.forms), frozenset({row.source_id})
        if before is not None:
            forms, source_ids = forms | before.forms, source_ids | before.source_ids
        known[row.name] = KnownName(row.name, forms, source_ids)
        numbers[row.name] = max(row.number, numbers.get(row.name, 0))
    return SourceNames(scope, KnownNames(known.values()), numbers)
