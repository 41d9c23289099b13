"""Links pages to names that became known after the pages were read.

When a page is read, its mentions of the names known by then are written in its own transaction. The names that its
headings define become known here, after everything that was waiting has been read; then a pass goes through the other
pages. Each source has one pass at a time over all processes, and a pass continues where a dead one stopped (ADR 40).
"""

import asyncio
from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from time import monotonic

import structlog

from citemark.features.graph.mentions.mention_edges import mention_edges
from citemark.features.graph.mentions.name_dictionary import NameDictionary, SourceNames
from citemark.features.graph.mentions.name_rules import MOST_BEARERS, names_something
from citemark.features.graph.store.mentions import LinkedPage, LinkingLost, LinkingState, MentionStore
from citemark.indexing.page_edges import EdgeDrawing
from citemark.model.documents import StatedRelationship
from citemark.model.graph import name_of
from citemark.model.ids import SourceId
from citemark.store.sources import HorizonStore

_COMMON_SHARE = 0.01
"""A share of the pages of a source: a plain word that more of them use links nothing (TOOLS)."""

_BATCH = 32
"""Pages per transaction: they are locked for some milliseconds while their mentions are written."""

_STEP_SECONDS = 1.0
"""After this time a step gives way to pages that have started to wait for reading in the meantime."""

_LOOK_SECONDS = 30.0
"""Time between two checks for new names, which other processes may have noted."""

_PAUSE_SECONDS = 300.0
"""Time between two passes over a source: each pass reads every page."""

_PAUSE_SHARE = 20.0
"""A pass waits this many times the duration of the last one, so that passes take a twentieth of the time at most."""

_log = structlog.get_logger(__name__)


class MentionLinker:
    """This process's share of the passes, one step at a time."""

    def __init__(self, mentions: MentionStore, horizon: HorizonStore, dictionary: NameDictionary, worker: str) -> None:
        self._mentions = mentions
        self._horizon = horizon
        self._dictionary = dictionary
        self._worker = worker
        self._look_at = 0.0
        self._began: dict[SourceId, float] = {}

    async def step(self, source_ids: Collection[SourceId], *, now: bool = False) -> bool:
        """Note new names and link pages for about a second; returns whether there is more to do right away.

        Args:
            source_ids: the sources to check; documents of a source that are waiting to be read come first.
            now: do not wait until the next pass is due.
        """
        going_on = [source_id for source_id in self._began if source_id in source_ids]
        if not going_on and not now and monotonic() < self._look_at:
            return False
        if going_on:
            return await self._link(going_on[0])
        self._look_at = monotonic() + _LOOK_SECONDS
        for due in await self._mentions.due(source_ids, now=now):
            if await self._mentions.claim(due.source_id, self._worker):
                if due.changed:
                    await self._note_names(due.source_id)
                self._began[due.source_id] = monotonic()
                self._look_at = 0.0  # there may be more sources
                return await self._link(due.source_id, begin=True) or True
        return False

    async def release(self) -> None:
        """Give back the passes that this process has claimed."""
        self._began.clear()
        await self._mentions.release(self._worker)

    async def _note_names(self, source_id: SourceId) -> None:
        until = await self._horizon.now()
        borne = await self._mentions.borne(source_id, MOST_BEARERS)
        names = {name: sorted({name_of(title) for title in titles}) for name, titles in borne if names_something(name)}
        await self._mentions.note(source_id, names, until)

    async def _link(self, source_id: SourceId, *, begin: bool = False) -> bool:
        """Link some pages of a source; returns False if its pass is over or now belongs to another process."""
        state = await self._mentions.state(source_id, self._worker)
        known = await (self._dictionary.newest(source_id) if begin else self._dictionary.of(source_id))
        if begin and state is not None and not _goes_on(state, known):
            state = await self._mentions.begin(source_id, self._worker, known.scope)
        if state is None or known.scope.number < state.wanted:
            return self._give_up(source_id)
        newer = _newer(known, state.linked)
        until = monotonic() + _STEP_SECONDS
        try:
            while newer is None or newer:
                pages = await self._mentions.pages(source_id, state, _BATCH)
                if not pages:
                    break
                found = await asyncio.to_thread(_mentions_of, pages, known, newer)
                state = state._replace(reached=pages[-1].revision_id)
                await self._mentions.write(source_id, self._worker, found, state.reached)
                if monotonic() > until:
                    return True
        except LinkingLost:
            return self._give_up(source_id)
        took = monotonic() - self._began.pop(source_id)
        pause = max(_PAUSE_SECONDS, _PAUSE_SHARE * took)
        await self._mentions.end(source_id, self._worker, common_share=_COMMON_SHARE, pause=pause)
        return False

    def _give_up(self, source_id: SourceId) -> bool:
        self._began.pop(source_id, None)
        _log.info("linking_lost", source_id=source_id, action="mentions")
        return False


class MentionsOff:
    """Links nothing, and makes sure that a later linker looks at every page written in the meantime."""

    def __init__(self, mentions: MentionStore) -> None:
        self._mentions = mentions
        self._noted = False

    async def step(self, source_ids: Collection[SourceId], *, now: bool = False) -> bool:
        """Note once that mentions are off."""
        _ = source_ids, now
        if not self._noted:
            await self._mentions.forget()
            self._noted = True
        return False

    async def release(self) -> None:
        """Do nothing, because nothing has been claimed."""


def mentions_over(mentions: MentionStore, horizon: HorizonStore, worker: str, *, on: bool = True) -> EdgeDrawing:
    """How one process links texts to what they mention; if that is not `on`, it makes sure that it can be made up."""
    if not on:
        return EdgeDrawing(None, MentionsOff(mentions))
    dictionary = NameDictionary(mentions)
    return EdgeDrawing(dictionary, MentionLinker(mentions, horizon, dictionary, worker))


def _goes_on(state: LinkingState, known: SourceNames) -> bool:
    """Whether a pass for exactly these names was interrupted."""
    return state.reached > 0 and state.wanted == known.scope.number and state.name_sources == known.scope.name_sources


def _newer(known: SourceNames, linked: int) -> AbstractSet[str] | None:
    """The names that the pages have not been linked to yet, or None for all names."""
    return {name for name, number in known.numbers.items() if number > linked} if linked else None


def _mentions_of(
    pages: Sequence[LinkedPage], known: SourceNames, newer: AbstractSet[str] | None
) -> list[tuple[LinkedPage, Sequence[StatedRelationship]]]:
    """The mentions of the newer names in each page that has any."""
    found = [(page, list(mention_edges(page.title, page.body, page.sections, known.names, newer))) for page in pages]
    return [(page, mentions) for page, mentions in found if mentions]
