"""What a feature adds to the pages: views of its own, changes, and links from documents to them."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from citemark.web.asked import Asked
from citemark.web.begun_work import Work
from citemark.web.rendering import Page

View = Callable[[Asked], Awaitable[Page]]
"""Makes the page that is shown at its name."""

Change = Callable[[Asked, Work], Awaitable[str]]
"""What only the owner may do, at its name; it returns the address to go to next."""

DocumentLink = Callable[[str, str, str], str]
"""The address of a page about a document, from its source, its type and its id."""


@dataclass(frozen=True, slots=True)
class ContributedPage:
    """A page of a feature.

    Attributes:
        view: what makes it.
        title: the word for it in the menu; "" if other pages lead to it.
        link: the words of the link that leads from a document to it; "" if none does.
        of_document: where that link leads.
        changes: what the owner does there.
    """

    view: View
    title: str = ""
    link: str = ""
    of_document: DocumentLink = lambda _source, _kind, _document: ""
    changes: Sequence[Change] = ()
