"""The baselines that a caller may name: those of sources that they may read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from citemark.model.baselines import Baseline
from citemark.model.completeness import ALL_READ
from citemark.model.errors import UnknownCursor
from citemark.model.ids import SourceId
from citemark.model.scope import RequestScope, ResolvedContext
from citemark.model.sources import Source
from citemark.retrieval.ports import ReadHorizon, SourceReader
from citemark.services.requests import Caller
from citemark.services.responses import ResponseMeta
from citemark.services.scoping import Scoping
from citemark.store.baselines import BaselineStore


@dataclass(frozen=True, slots=True)
class SourceOfBaseline:
    """A source of a baseline that the caller may read.

    `documents` counts the documents of the source in the baseline, and `superseded` those of their revisions that are
    kept only for the past. Both are None in a list of baselines, which does not count them.
    """

    source: Source
    commit_id: str | None
    documents: int | None = None
    superseded: int | None = None


@dataclass(frozen=True, slots=True)
class ShownBaseline:
    """A baseline as a caller may see it; `notes` name what was left out when it was made."""

    baseline: Baseline
    sources: tuple[SourceOfBaseline, ...]
    notes: tuple[str, ...] = ()

    @property
    def as_of(self) -> datetime:
        """The moment that answers about the baseline give."""
        return self.baseline.made_at if self.baseline.of_repository else self.baseline.at


@dataclass(frozen=True, slots=True)
class BaselinePage:
    """Baselines after a cursor, and the metadata of the response."""

    baselines: tuple[ShownBaseline, ...]
    meta: ResponseMeta


class ListedBaselines:
    """Lists the named states that a `read_context` of a caller may name."""

    def __init__(self, store: BaselineStore, sources: SourceReader, horizon: ReadHorizon, scoping: Scoping) -> None:
        self._store = store
        self._sources = sources
        self._horizon = horizon
        self._scoping = scoping

    async def list(self, caller: Caller, kind: str | None = None) -> list[ShownBaseline]:
        """The baselines of any source that the caller may read, the oldest first; each with those sources only."""
        scope = RequestScope(self._scoping.project.project_id, kind=kind)
        allowed = await self._sources.allowed(caller.principal, scope)
        found = await self._store.all_baselines(caller.principal.tenant)
        shown = [shown_as(baseline, allowed.sources) for baseline in found]
        return [each for each in shown if each.sources]

    async def page(self, caller: Caller, kind: str, cursor: str | None = None) -> BaselinePage:
        """Like `list`, for sources of one kind, and only those after the baseline that a cursor names.

        Raises:
            UnknownCursor: no baseline has that name.
        """
        shown = await self.list(caller, kind)
        names = [each.baseline.name for each in shown]
        if cursor is not None and cursor not in names:
            raise UnknownCursor
        remaining = shown if cursor is None else shown[names.index(cursor) + 1 :]
        context = ResolvedContext(as_of=await self._horizon.now())
        return BaselinePage(tuple(remaining), ResponseMeta.of(caller, context, reading=ALL_READ))


def shown_as(
    baseline: Baseline,
    sources: Sequence[Source],
    sizes: Mapping[SourceId, tuple[int, int]] | None = None,
    notes: tuple[str, ...] = (),
) -> ShownBaseline:
    """A baseline as shown to a caller: with those of its sources that are among `sources`."""
    by_id = {source.source_id: source for source in sources}
    unknown = (None, None) if sizes is None else (0, 0)
    shown = [
        SourceOfBaseline(by_id[each.source_id], each.commit_id, *(sizes or {}).get(each.source_id, unknown))
        for each in baseline.sources
        if each.source_id in by_id
    ]
    return ShownBaseline(baseline, tuple(shown), notes)
