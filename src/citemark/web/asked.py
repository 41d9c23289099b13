"""What a view gets: who asks, for what, and the index."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from starlette.datastructures import ImmutableMultiDict

from citemark.model.errors import InvalidArgument
from citemark.services.requests import MAX_PHRASING_CHARS, MAX_PHRASINGS, Caller, wrong_with
from citemark.web.begun_work import Work

if TYPE_CHECKING:  # a server lists its tools before it loads what answers them
    from citemark.services.app_context import AppContext
    from citemark.services.bundle import Services


class PageIndex(Protocol):
    """An index that opens while the server already runs; each method waits until it is open."""

    async def services(self) -> "Services":
        """Provides the services that answer questions."""
        ...

    async def app(self) -> "AppContext":
        """Provides what only the owner may do."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: the values of its address or form, who sent it, and the index.

    `is_owner`: whether it comes from the person at this machine, who may see paths and change sources. `part` is the
    block of the page that is asked for; None for all of it. `work` is what pages began and still runs.
    `is_here`: whether the browser reaches the server by a name of this machine for itself. `wrote` is told what a model
    has written so far; None if the browser does not read along.
    """

    values: ImmutableMultiDict[str, str]
    caller: Caller
    is_owner: bool
    index: PageIndex
    part: str | None = None
    work: Work = field(default_factory=Work)
    is_here: bool = False
    wrote: Callable[[str], None] | None = None

    def text(self, name: str) -> str:
        """The value of a field without the space around it, "" if it is not given."""
        return self.values.get(name, "").strip()

    def whole(self, name: str) -> int | None:
        """The number in a field, or None if it is not given or no number."""
        given = self.text(name)
        return int(given) if given.isascii() and given.isdecimal() and len(given) < _LONGEST_NUMBER else None

    def question(self) -> str:
        """The question, "" if none is asked yet.

        Raises:
            InvalidArgument: it cannot be searched for.
        """
        question = self.text("q")
        if question and (wrong := wrong_with(question)):
            raise InvalidArgument(f"The question {wrong}.")
        return question

    def phrasings(self) -> tuple[str, ...]:
        """The further phrasings, which are the lines of a field.

        Raises:
            InvalidArgument: one is too long, or there are too many.
        """
        lines = tuple(line.strip() for line in self.text("also").splitlines() if line.strip())
        for line in lines:
            if wrong := wrong_with(line, MAX_PHRASING_CHARS):
                raise InvalidArgument(f"A further phrasing {wrong}.")
        if len(lines) > MAX_PHRASINGS:
            raise InvalidArgument(f"There are {len(lines)} further phrasings; at most {MAX_PHRASINGS} are taken.")
        return lines

    def fields(self, *names: str) -> Mapping[str, str]:
        """The values of some fields as they are shown again in a form."""
        return {name: self.text(name) for name in names}


_LONGEST_NUMBER = 19
"""Digits: a bigint of the database has no more."""
