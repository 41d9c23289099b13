"""Renamed files: a page that ended and one that began with equal or nearly equal text.

Of several processes over one index one may read the page under its new name and another end the old one. So each looks
for renames after its own work, among all that came and went since they were settled last: who commits last sees both
halves. They are settled where nothing of the source waits or is missed.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from citemark.model.ids import SourceId
from citemark.model.pages import NEAR_EQUAL, RenameCandidate, likeness
from citemark.store.page_renames import RenameStore
from citemark.store.sources import HorizonStore


@dataclass(frozen=True, slots=True)
class RenameRound:
    """The number of renames recorded, and whether no more can come of what the source listed."""

    found: int
    settled: bool


class RenameDetector:
    """Records which pages took over from which."""

    def __init__(self, renames: RenameStore, horizon: HorizonStore) -> None:
        self._renames = renames
        self._horizon = horizon

    async def follow(self, source_id: SourceId, *, changed: bool = True) -> RenameRound:
        """Record the relation `succeeds` for pages that took over from one that ended.

        Equal text wins over similar text, and each page is used once. Without a change since the last call nothing is
        compared before the source is settled.
        """
        # In this order: what is not seen now was recorded after `until`, or is seen to wait.
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
    """Remembers for which sources renames may still have to be found, and settles them."""

    def __init__(self, detector: RenameDetector) -> None:
        self._detector = detector
        self._changed: dict[SourceId, bool] = {}
        self._known: set[SourceId] = set()

    def note_present(self, sources: Collection[SourceId], all_sources: Collection[SourceId]) -> None:
        """`sources` are about to be read; of those seen for the first time, another process may have died over one."""
        self._changed |= dict.fromkeys(set(sources) - self._known, True)
        self._known = self._known & set(all_sources) | set(sources)

    def note_changed(self, sources: Iterable[SourceId]) -> None:
        """Documents of these sources were read or removed."""
        self._changed |= dict.fromkeys(sources, True)

    async def settle(self, sources: Collection[SourceId]) -> None:
        """Find out what became of pages that ended, for these sources as far as they are not settled yet.

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
