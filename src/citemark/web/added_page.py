"""What a page is made by, and a page that a feature adds to those of the core."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from citemark.web.asked import Asked
from citemark.web.begun_work import Work
from citemark.web.rendering import Page

View: TypeAlias = Callable[[Asked], Awaitable[Page]]
"""Shown at its name, and as JSON at its name with `.json`."""

Change: TypeAlias = Callable[[Asked, Work], Awaitable[str]]
"""What only the owner may do, at its name; it returns the address to go to next."""

DocumentLink: TypeAlias = Callable[[str, str, str], str]
"""The address of a page about a document, from its source, its type and its id; "" if there is none about it."""


@dataclass(frozen=True, slots=True)
class AddedPage:
    """A page of a feature.

    Attributes:
        view: makes it; its template has the same name.
        heading: the word under which every page links to it; "" if only some pages lead to it.
        asks_model: whether it may wait for a model, which people share more sparingly than the rest.
        link: the words of the link that leads from a document to it; "" if none does.
        of_document: where that link leads.
        changes: what the owner does there.
        for_owner: whether only the owner of the index is shown the link to it.
        adds: the words under which the page of the sources links to it for their owner; "" if it does not.
    """

    view: View
    heading: str = ""
    asks_model: bool = False
    link: str = ""
    of_document: DocumentLink = lambda _source, _kind, _document: ""
    changes: Sequence[Change] = ()
    adds: str = ""
    for_owner: bool = False

    @property
    def name(self) -> str:
        """The name of its view."""
        return self.view.__name__
