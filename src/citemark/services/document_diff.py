"""Which documents differ between two states, what they said before and what they say after."""

import asyncio
from dataclasses import dataclass

from citemark.evidence.changed_places import ChangedPlace, changed_places
from citemark.model.changes import ChangeCounts, ChangedDocument, ChangeKind, StateOfDocument
from citemark.model.citation import Anchor, Citation
from citemark.model.documents import DocumentRef
from citemark.model.scope import ResolvedContext
from citemark.model.sources import Source
from citemark.model.text import Span, lines_of
from citemark.retrieval.access import Access, Policy
from citemark.retrieval.ports import SearchIndex
from citemark.retrieval.verification import AccessCheck
from citemark.services.requests import Caller, DiffRequest
from citemark.services.responses import ResponseMeta
from citemark.services.state_pairs import StatePair, StatePairs
from citemark.store.changes import ChangeStore


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """A document that differs, with the first places where its text does.

    `before` and `after` cite it whole, each at its revision; None if it did not exist.
    """

    row: ChangedDocument
    before: Citation | None
    after: Citation | None
    places: tuple[ChangedPlace, ...] = ()
    more_places: int = 0

    @property
    def change(self) -> ChangeKind:
        """Whether it was added, removed, changed or renamed."""
        return self.row.change


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """A page of documents that differ; `last` is the row that was examined last, if more follow."""

    pair: StatePair
    changes: tuple[DocumentChange, ...]
    counts: ChangeCounts
    last: ChangedDocument | None
    meta: ResponseMeta


class DocumentDiffService:
    """Compares the documents of two states; what is shown was confirmed by its source."""

    def __init__(self, pairs: StatePairs, changes: ChangeStore, search: SearchIndex, access: AccessCheck) -> None:
        self._pairs = pairs
        self._changes = changes
        self._search = search
        self._access = access

    async def documents(self, caller: Caller, request: DiffRequest) -> DocumentChanges:
        """A page of documents that differ, by source and id.

        Raises:
            UnknownCursor, InvalidArgument, ScopeViolation, BackendUnavailable.
        """
        pair, place = await self._pairs.open(caller, request)
        size = request.page_size
        rows, counts = await self._changes.documents(
            pair.allowed.ids, pair.moments, limit=size + 1, after=place.key, path_prefixes=pair.path_prefixes
        )
        last = rows[size - 1] if len(rows) > size else None
        refs = {row.key: [(int(row.source_id), _ref(row, state)) for state in row.states] for row in rows[:size]}
        all_refs = [ref for each in refs.values() for ref in each]
        allowed = pair.read_at(pair.after)
        access = await self._access.ask(caller.principal, allowed, all_refs, Policy.PAST)
        shown: list[DocumentChange] = []
        withheld = 0
        for row in rows[:size]:
            verdicts = {access.get(ref, Access.WITHHELD) for ref in refs[row.key]}
            source = pair.allowed.source(row.source_id)
            if source is not None and all(verdict.shown for verdict in verdicts):
                shown.append(await self._change(row, source, pair))
            withheld += Access.WITHHELD in verdicts
        return DocumentChanges(pair, tuple(shown), counts, last, pair.meta(caller, withheld, counts.total))

    async def cursor(self, caller: Caller, request: DiffRequest, page: DocumentChanges, kept: int) -> str | None:
        """The cursor after the first `kept` entries of a page; None at the end."""
        row = page.last if kept == len(page.changes) else page.changes[kept - 1].row
        return None if row is None else await self._pairs.cursor(caller, request, page.pair, 0, row.key)

    async def _change(self, row: ChangedDocument, source: Source, pair: StatePair) -> DocumentChange:
        old, new = await self._body(row, row.before), await self._body(row, row.after)
        before = _cited(row, row.before, old, source, pair.before)
        after = _cited(row, row.after, new, source, pair.after)
        if row.before is None or row.after is None:
            return DocumentChange(row, before, after)
        places, more = await asyncio.to_thread(changed_places, old, new)
        return DocumentChange(row, before, after, places, more)

    async def _body(self, row: ChangedDocument, state: StateOfDocument | None) -> str:
        """The text of a state; empty if there is none or a purge has just removed it."""
        return "" if state is None else await self._search.body(row.source_id, state.revision_id) or ""


def _ref(row: ChangedDocument, state: StateOfDocument) -> DocumentRef:
    return DocumentRef(row.doc_type, state.native_id, state.version)


def _cited(
    row: ChangedDocument, state: StateOfDocument | None, body: str, source: Source, context: ResolvedContext
) -> Citation | None:
    if state is None:
        return None
    whole = Span(0, len(body))
    return Citation(
        source=source.name,
        doc_type=row.doc_type,
        document_id=state.native_id,
        revision_id=str(state.revision_id),
        baseline_id=context.baseline_id,
        as_of=context.as_of,
        anchor=Anchor(lines=lines_of(body.removesuffix("\n"), whole), chars=whole),
        span=whole,
        title=state.title,
        url=state.url,
    )
