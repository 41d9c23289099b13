"""What a page is made by, and a page that a feature adds to those of the core."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeAlias

from citemark.web.asked import Asked
from citemark.web.rendering import Page

View: TypeAlias = Callable[[Asked], Awaitable[Page]]
"""Shown at its name, and as JSON at its name with `.json`."""


@dataclass(frozen=True, slots=True)
class AddedPage:
    """A page that is listed beside the search.

    Attributes:
        view: makes it; its template has the same name.
        heading: the word under which every page links to it.
        asks_model: whether it may wait for a model, which people share more sparingly than the rest.
    """

    view: View
    heading: str
    asks_model: bool = False

    @property
    def name(self) -> str:
        """The name of its view."""
        return self.view.__name__
