"""Where a list goes on: kept in the database under a handle, bound to its caller and its question."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from typing import Any

from citemark.evidence.architecture.requests import ElementSearch, LinkList, PartList, ViewRequest
from citemark.evidence.handles import Handles
from citemark.evidence.requests import Caller
from citemark.model.errors import UnknownCursor
from citemark.model.ids import SourceId

Listing = ElementSearch | PartList | LinkList | ViewRequest


def digest_of(request: Listing) -> str:
    """Equal for the same question; the size of its pages does not matter."""
    asked = repr(replace(request, cursor=None, page_size=0))
    return blake2b(asked.encode(), digest_size=16, person=b"model-list").hexdigest()


class Cursors:
    """Mints and reads the cursors of lists that are read from the model anew, as it was at their first page."""

    def __init__(self, handles: Handles) -> None:
        self._handles = handles

    async def keep(self, caller: Caller, request: Listing, at: datetime, after: Sequence[str | int]) -> str:
        """A cursor of what follows the key `after`, whose last part is a source, in the state of `at`."""
        state = {"at": at.isoformat(), "after": json.dumps(list(after))}
        return await self._handles.keep_place(caller, digest_of(request), SourceId(int(after[-1])), state)

    async def find(self, caller: Caller, request: Listing) -> tuple[datetime | None, Any]:
        """The moment and the key that the request's cursor stands for; neither without one.

        Raises:
            UnknownCursor: it is malformed, expired, or of another caller or question.
        """
        if request.cursor is None:
            return None, None
        state = await self._handles.place(caller, digest_of(request), request.cursor)
        try:
            return datetime.fromisoformat(state["at"]), tuple(json.loads(state["after"]))
        except (KeyError, TypeError, ValueError):
            raise UnknownCursor from None
