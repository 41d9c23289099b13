"""Two states that are compared: which ones, of which sources, and where a list of the differences continues."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from citemark.model.changes import ChangeKey
from citemark.model.errors import InvalidArgument, UnknownCursor
from citemark.model.ids import SourceId
from citemark.model.scope import Filters, ReadContext, ResolvedContext
from citemark.model.sources import AllowedSources
from citemark.retrieval.ports import SourceReader
from citemark.retrieval.read_contexts import ReadContexts
from citemark.services.asked_states import selected
from citemark.services.handles import Handles
from citemark.services.requests import Caller, DiffRequest
from citemark.services.responses import NotShown, ResponseMeta
from citemark.services.scoping import Scoping

_SHOWN = 80
"""The most characters of a path that a note shows."""


@dataclass(frozen=True, slots=True)
class DiffPlace:
    """Where a list continues: the moments that its first page read, and the last row that was examined."""

    moments: tuple[datetime, datetime] | None = None
    kind: int = 0
    key: ChangeKey | None = None


@dataclass(frozen=True, slots=True)
class StatePair:
    """Both states of the sources that have both; `notes` name the sources that do not."""

    before: ResolvedContext
    after: ResolvedContext
    allowed: AllowedSources
    path_prefixes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def moments(self) -> tuple[datetime, datetime]:
        """The recorded moments that are compared."""
        return self.before.moment, self.after.moment

    def read_at(self, context: ResolvedContext) -> AllowedSources:
        """The sources in one of the two states: they are asked about what they said then, not what they say now."""
        return replace(self.allowed, read_at=context.moment)

    def meta(self, caller: Caller, withheld: int, total: int) -> ResponseMeta:
        """The metadata of a response; `total` counts all differences."""
        notes = self.notes
        reading = self.allowed.reading
        so_far = reading.withholding(withheld).so_far
        if self.before.moment == self.after.moment:
            notes = (*notes, "both are the same state")
        elif not total and self.path_prefixes:
            prefixes = " or ".join(repr(prefix[:_SHOWN]) for prefix in self.path_prefixes)
            notes = (*notes, f"no document whose path begins with {prefixes} differs between the two states{so_far}")
        elif not total:
            notes = (*notes, f"nothing differs between the two states{so_far}")
        return ResponseMeta.of(caller, self.after, reading=reading, not_shown=NotShown(withheld), notes=notes)


class StatePairs:
    """Opens pairs of states, and stores where their lists continue."""

    def __init__(self, sources: SourceReader, contexts: ReadContexts, scoping: Scoping, handles: Handles) -> None:
        self._sources = sources
        self._contexts = contexts
        self._scoping = scoping
        self._handles = handles

    async def open(self, caller: Caller, request: DiffRequest) -> tuple[StatePair, DiffPlace]:
        """The states of a request, and where its list continues.

        Raises:
            UnknownCursor: the cursor is malformed, expired, or of another caller or question.
            InvalidArgument: a state cannot be read, or no source has both.
            ScopeViolation: the scope names another project.
        """
        place = await self._place(caller, request)
        one, other = selected(request.before), selected(request.after)
        past = next((each for each in (one, other) if each != ReadContext()), ReadContext())
        filters = Filters(path_prefixes=request.path_prefixes)
        scope, filters = await self._scoping.settle(caller.principal, request.scope, filters, past)
        allowed = await self._sources.allowed(caller.principal, scope)
        before, after = await self._contexts.open(one, allowed), await self._contexts.open(other, allowed)
        both = {int(number) for number in before.allowed.ids} & {int(number) for number in after.allowed.ids}
        if allowed.sources and not both:
            raise InvalidArgument(
                f"No source has both states: {request.before[:80]} is of {_names(before.allowed)}, "
                f"{request.after[:80]} of {_names(after.allowed)}."
            )
        pair = StatePair(
            before=_as_first(before.context, place, 0),
            after=_as_first(after.context, place, 1),
            allowed=replace(allowed.among(both), read_at=None),
            path_prefixes=filters.path_prefixes,
            notes=tuple(dict.fromkeys((*before.notes, *after.notes))),
        )
        return pair, place

    async def cursor(self, caller: Caller, request: DiffRequest, pair: StatePair, kind: int, key: ChangeKey) -> str:
        """The cursor that continues a list after a row."""
        moments = [moment.isoformat() for moment in pair.moments]
        state = {"before": moments[0], "after": moments[1], "kind": kind, "key": json.dumps(list(key))}
        return await self._handles.keep_place(caller, request.digest, SourceId(key[0]), state)

    async def _place(self, caller: Caller, request: DiffRequest) -> DiffPlace:
        if request.cursor is None:
            return DiffPlace()
        state = await self._handles.place(caller, request.digest, request.cursor)
        try:
            moments = (datetime.fromisoformat(state["before"]), datetime.fromisoformat(state["after"]))
            source_id, native_id, doc_type = json.loads(state["key"])
            return DiffPlace(moments, int(state["kind"]), (int(source_id), str(native_id), str(doc_type)))
        except (KeyError, TypeError, ValueError):
            raise UnknownCursor from None


def _as_first(context: ResolvedContext, place: DiffPlace, which: int) -> ResolvedContext:
    """A state as the first page of a list read it: HEAD moves on, but the list does not."""
    if place.moments is None or not context.head:
        return context
    return replace(context, as_of=place.moments[which])


def _names(allowed: AllowedSources) -> str:
    names: Sequence[str] = [source.name for source in allowed.sources]
    return ", ".join(names[:20]) or "none"
