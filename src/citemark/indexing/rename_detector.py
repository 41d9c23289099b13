"""Renamed files: a page that ended and one that began with equal or nearly equal text.

If several processes share an index, one may read the page under its new name while another ends the old one. So each
looks for renames after its own work, among all pages that came and went since renames were last settled: the process
that commits last sees both halves. Renames are settled once no document of the source is waiting or missing.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from citemark.model.ids import SourceId
from citemark.model.pages import NEAR_EQUAL, RenameCandidate, likeness
from citemark.store.page_renames import RenameStore
from citemark.store.sources import HorizonStore


@dataclass(frozen=True, slots=True)
class RenameRound:
    """The number of renames recorded, and whether no more can result from what the source listed."""

    found: int
    settled: bool


class RenameDetector:
    """Records which pages took over from which."""

    def __init__(self, renames: RenameStore, horizon: HorizonStore) -> None:
        self._renames = renames
        self._horizon = horizon

    async def follow(self, source_id: SourceId, *, changed: bool = True) -> RenameRound:
        """Record the relation `succeeds` for pages that took over from one that ended.

        Equal text wins over similar text, and each page is used once. If nothing has changed since the last call,
        nothing is compared until the source is settled.
        """
        # The order matters: what is not seen below was recorded after `until`, or is seen to be waiting.
        until = await self._horizon.now()
        settled = await self._renames.settled(source_id)
        found = 0
        if changed or settled:
            # The store offers the best pairs first and only some at a time: a whole folder may have moved.
            while step := await self._step(source_id):
                found += step
        if settled:
            await self._renames.settle(source_id, until)
        return RenameRound(found, settled)

    async def _step(self, source_id: SourceId) -> int:
        used: set[int] = set()
        found = 0
        pairs = await self._renames.candidates(source_id)
        ranked = [(_sameness(pair), pair) for pair in pairs]
        for same, pair in sorted(ranked, key=lambda entry: (-entry[0], entry[1].old_native_id, entry[1].new_native_id)):
            if same < NEAR_EQUAL or pair.old_id in used or pair.new_id in used:
                continue
            used |= {pair.old_id, pair.new_id}
            found += await self._renames.succeed(source_id, pair)
        return found


def _sameness(pair: RenameCandidate) -> float:
    return 1.0 if pair.old_body == pair.new_body else likeness(pair.old_body, pair.new_body)


class PendingRenames:
    """Remembers the sources that may still have renames to be found, and settles them."""

    def __init__(self, detector: RenameDetector) -> None:
        self._detector = detector
        self._changed: dict[SourceId, bool] = {}
        self._known: set[SourceId] = set()

    def note_present(self, sources: Collection[SourceId], all_sources: Collection[SourceId]) -> None:
        """Note that `sources` are about to be read; another process may have died over one that is seen first now."""
        self._changed |= dict.fromkeys(set(sources) - self._known, True)
        self._known = self._known & set(all_sources) | set(sources)

    def note_changed(self, sources: Iterable[SourceId]) -> None:
        """Note that documents of these sources were read or removed."""
        self._changed |= dict.fromkeys(sources, True)

    async def settle(self, sources: Collection[SourceId]) -> None:
        """Find out what became of pages that ended, for those of these sources that are not settled yet.

        Raises:
            BackendUnavailable: the database is lost.
        """
        for source_id, changed in list(self._changed.items()):
            if source_id not in sources:
                continue
            if (await self._detector.follow(source_id, changed=changed)).settled:
                del self._changed[source_id]
            else:
                self._changed[source_id] = False
