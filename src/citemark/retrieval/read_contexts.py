"""Which state a call reads: HEAD, a moment or a baseline, limited to the sources that can be read in that state."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from citemark.model.baselines import Baseline, HistoryRange
from citemark.model.citation import iso
from citemark.model.errors import InvalidArgument
from citemark.model.scope import ReadContext, ResolvedContext
from citemark.model.sources import AllowedSources, Source
from citemark.retrieval.ports import Baselines, ReadHorizon

_MOST_SHOWN = 80
_MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class OpenedState:
    """A state to read: its name, the sources that have it, and notes about those that do not."""

    context: ResolvedContext
    allowed: AllowedSources
    notes: tuple[str, ...] = ()


class ReadContexts:
    """Resolves the read contexts of calls."""

    def __init__(self, horizon: ReadHorizon, baselines: Baselines) -> None:
        self._horizon = horizon
        self._baselines = baselines

    async def head(self) -> ResolvedContext:
        """HEAD, as of the newest moment whose state can no longer change."""
        return ResolvedContext(as_of=await self._horizon.now())

    async def open(self, wanted: ReadContext, allowed: AllowedSources, horizon: datetime | None = None) -> OpenedState:
        """The requested state, limited to the sources that have it; `horizon` is that of before, if it was asked for.

        Raises:
            InvalidArgument: both keys are given, there is no such baseline, or none of the sources can be read as
                of that moment.
        """
        if wanted.baseline_id is not None and wanted.as_of is not None:
            raise InvalidArgument("read_context takes at most one of baseline_id and as_of.")
        if wanted.baseline_id is not None:
            return await self._baseline(wanted.baseline_id, allowed)
        horizon = horizon or await self._horizon.now()
        if wanted.as_of is None:
            return OpenedState(ResolvedContext(as_of=horizon), allowed)
        if wanted.as_of >= horizon:
            return OpenedState(ResolvedContext(as_of=horizon), allowed, _ahead(wanted.as_of, horizon))
        return await self._moment(wanted.as_of, allowed)

    async def _baseline(self, name: str, allowed: AllowedSources) -> OpenedState:
        tenants = {source.tenant for source in allowed.sources}
        found = None
        for tenant in tenants:
            found = found or await self._baselines.named(tenant, name)
        covered = allowed.among({source.source_id for source in found.sources}) if found else None
        if found is None or covered is None or not covered.sources:
            raise await self._unknown(name, allowed, tenants)
        left_out = [source.name for source in allowed.sources if source not in covered.sources]
        notes = (f"not in baseline {name}, so left out: {_list(left_out)}",) if left_out else ()
        context = ResolvedContext(found.made_at if found.of_repository else found.at, name, found.at)
        return OpenedState(context, replace(covered, read_at=found.at), notes)

    async def _unknown(self, name: str, allowed: AllowedSources, tenants: set[str]) -> InvalidArgument:
        """The error for a baseline that the allowed sources do not have; its message lists those that exist."""
        ids = {source.source_id for source in allowed.sources}
        there: list[Baseline] = []
        for tenant in tenants:
            there += await self._baselines.all_baselines(tenant)
        names = [each.name for each in there if ids & {source.source_id for source in each.sources}]
        known = f"there are {_list(names)}" if names else "there are none: `citemark baseline create NAME` creates one"
        shown = name[:_MOST_SHOWN]
        return InvalidArgument(f"There is no baseline {shown!r} of these sources; {known}.", baseline_id=shown)

    async def _moment(self, moment: datetime, allowed: AllowedSources) -> OpenedState:
        ranges = {each.source_id: each for each in await self._baselines.history_ranges(allowed.ids, moment)}
        read = {source_id for source_id, each in ranges.items() if _readable(each, moment)}
        lacking = [source for source in allowed.sources if source.source_id in ranges and source.source_id not in read]
        left_out = [_why_not(source, ranges[source.source_id]) for source in lacking]
        begins = [each.begins for each in ranges.values() if each.begins is not None]
        began = [each.begins for each in ranges.values() if each.source_id in read and each.begins is not None]
        if allowed.sources and min(began, default=datetime.max.replace(tzinfo=UTC)) > moment:
            if left_out:
                raise InvalidArgument(
                    f"None of these sources can be read as of {iso(moment)}: {'; '.join(left_out[:_MOST_NAMED])}.",
                    as_of=iso(moment),
                )
            first = f"; the first document was recorded at {iso(min(begins))}" if begins else ""
            raise InvalidArgument(f"Nothing had been recorded yet as of {iso(moment)}{first}.", as_of=iso(moment))
        notes = tuple(f"left out: {why}" for why in left_out[:_MOST_NAMED])
        if len(left_out) > _MOST_NAMED:
            notes = (*notes, f"left out as well: {len(left_out) - _MOST_NAMED} more sources")
        there = replace(allowed.among(read), read_at=moment)
        return OpenedState(ResolvedContext(moment, read_at=moment), there, notes)


def _ahead(wanted: datetime, horizon: datetime) -> tuple[str, ...]:
    """A note about a moment in the future; there is none for up to a second, which is nobody's mistake."""
    ahead = (wanted - horizon).total_seconds() > 1
    return (f"{iso(wanted)} is in the future: read as of {iso(horizon)}",) if ahead else ()


def _readable(known: HistoryRange, moment: datetime) -> bool:
    """Whether a source can be read as it was: nothing of the state was removed, or replaced without being recorded."""
    return (known.since is None or known.since <= moment) and (known.keeps or not known.changed)


def _why_not(source: Source, known: HistoryRange) -> str:
    if not known.keeps:
        return f"{source.name} keeps no history and has changed since"
    since = "" if known.since is None else iso(known.since)
    return f"the history of {source.name} begins at {since}"


def _list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more
