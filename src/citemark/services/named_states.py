"""Baselines: named states of some sources, which a purge leaves alone."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from citemark.model.baselines import GIT_PREFIX, Baseline, BaselineSource, HistoryRange
from citemark.model.citation import iso
from citemark.model.clock import Clock
from citemark.model.errors import InvalidArgument
from citemark.model.ids import SourceId
from citemark.model.scope import Principal
from citemark.model.sources import Source
from citemark.retrieval.ports import ReadHorizon, SourceReader
from citemark.services.asked_states import HEAD, moment_of
from citemark.services.listed_baselines import ShownBaseline, shown_as
from citemark.services.scoping import Scoping
from citemark.store.baselines import BaselineStore

MAX_NAME = 100
"""The most characters of a name, which is part of every citation of its state."""


def checked_name(name: str) -> str:
    """A name that a person may give.

    Raises:
        InvalidArgument: it is too long, could be read as a moment or as HEAD, or is that of a commit.
    """
    name = name.strip()
    if not 0 < len(name) <= MAX_NAME or not name.isprintable():
        raise InvalidArgument(f"The name of a baseline has 1 to {MAX_NAME} printable characters.")
    if name.startswith(GIT_PREFIX):
        raise InvalidArgument(f"{name!r} would be the name of a commit of a repository, which has a state of its own.")
    if name.upper() == HEAD or moment_of(name) is not None:
        raise InvalidArgument(f"{name!r} would be read as a moment; give the baseline a name in words.")
    return name


class BaselineService:
    """Makes, shows and deletes baselines."""

    def __init__(
        self, store: BaselineStore, sources: SourceReader, horizon: ReadHorizon, scoping: Scoping, clock: Clock
    ) -> None:
        self._store = store
        self._sources = sources
        self._horizon = horizon
        self._scoping = scoping
        self._clock = clock

    async def create(self, name: str, source_names: Sequence[str] = (), as_of: datetime | None = None) -> ShownBaseline:
        """Give a state of this machine's sources a name: the present one, or that of a moment.

        Sources that keep no history are left out, because nothing would preserve their state.

        Raises:
            InvalidArgument: the name is not allowed, there is no such source, none of them keeps history, or the moment
                is in the future, before anything was recorded, or in a part of the history that was purged.
        """
        name = checked_name(name)
        tenant = Principal.local().tenant
        chosen = _chosen(await self._sources.all(tenant), source_names)
        now = await self._horizon.now()
        if as_of is not None and as_of > now:
            raise InvalidArgument(
                f"{iso(as_of)} is in the future; the newest state is that of {iso(now)}.", as_of=iso(as_of)
            )
        at = as_of or now
        ranges = {each.source_id: each for each in await self._store.history_ranges([s.source_id for s in chosen], at)}
        kept = [source for source in chosen if ranges[source.source_id].keeps]
        if not kept:
            raise InvalidArgument(
                "None of these sources keeps history, so nothing would hold the state: "
                "`citemark history keep SOURCE baselines` makes one keep what baselines name."
            )
        if as_of is not None:
            _check_states(kept, ranges, as_of)
        recorded = [BaselineSource(source.source_id) for source in kept]
        baseline = await self._store.create(tenant, name, at, self._clock(), recorded)
        left_out = ", ".join(source.name for source in chosen if source not in kept)
        return await self._shown(baseline, kept, (f"keeps no history, so left out: {left_out}",) if left_out else ())

    async def show(self, name: str) -> ShownBaseline:
        """One baseline of this machine, with the sizes of its sources.

        Raises:
            InvalidArgument: there is no such baseline; the message lists the existing ones.
        """
        tenant = Principal.local().tenant
        baseline = await self._store.named(tenant, name)
        if baseline is None:
            raise await self._unknown(tenant, name)
        return await self._shown(baseline, await self._sources.all(tenant), ())

    async def delete(self, name: str) -> None:
        """Forget a baseline; the next purge removes what it alone preserved.

        Raises:
            InvalidArgument: there is no such baseline.
        """
        tenant = Principal.local().tenant
        if not await self._store.delete(tenant, name):
            raise await self._unknown(tenant, name)

    async def _shown(self, baseline: Baseline, sources: Sequence[Source], notes: tuple[str, ...]) -> ShownBaseline:
        sizes = await self._store.sizes(baseline)
        return shown_as(baseline, sources, sizes, notes)

    async def _unknown(self, tenant: str, name: str) -> InvalidArgument:
        names = [each.name for each in await self._store.all_baselines(tenant)]
        known = f"there are {', '.join(names)}" if names else "there are none"
        return InvalidArgument(f"There is no baseline {name[:MAX_NAME]!r}; {known}.", baseline_id=name[:MAX_NAME])


def _chosen(sources: Sequence[Source], names: Sequence[str]) -> list[Source]:
    """The sources with these names, or all sources if no names are given.

    Raises:
        InvalidArgument: there is no source with one of the names, or no source at all.
    """
    by_name = {source.name: source for source in sources}
    unknown = [name for name in names if name not in by_name]
    if unknown or not by_name:
        known = ", ".join(sorted(by_name)) or "none; `citemark add FOLDER` adds one"
        problem = f"There is no source {unknown[0]!r}; " if unknown else ""
        raise InvalidArgument(f"{problem}Sources: {known}.", sources=sorted(by_name))
    return [by_name[name] for name in dict.fromkeys(names)] if names else sorted(by_name.values(), key=lambda s: s.name)


def _check_states(sources: Sequence[Source], ranges: Mapping[SourceId, HistoryRange], at: datetime) -> None:
    """Make sure that the history of each source is complete at a moment.

    Raises:
        InvalidArgument: that of one source begins later, or no source had been read by then.
    """
    for source in sources:
        since = ranges[source.source_id].since
        if since is not None and since > at:
            raise InvalidArgument(
                f"The history of {source.name} begins at {iso(since)}: what it said at {iso(at)} is not kept.",
                as_of=iso(at),
            )
    begins = [ranges[source.source_id].begins for source in sources]
    if not any(begin is not None and begin <= at for begin in begins):
        raise InvalidArgument(f"Nothing had been recorded yet as of {iso(at)}.", as_of=iso(at))
