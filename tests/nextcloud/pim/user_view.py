"""One user's view of all calendars or all address books, mirrors included."""

from collections.abc import Iterator, Sequence

from tests.nextcloud.pim.controls import Collections
from tests.nextcloud.pim.derived_collections import Source
from tests.nextcloud.pim.model import Seen


class Pim:
    """The collections that people made, and those that apps make."""

    def __init__(self, shelf: Collections, mirrors: Sequence[Source]) -> None:
        self.shelf = shelf
        self.mirrors = mirrors

    def visible(self, user: str) -> Iterator[Seen]:
        yield from self.shelf.visible(user)
        for source in self.mirrors:
            yield from source(user)

    def seen(self, user: str, uri: str) -> Seen | None:
        return next((one for one in self.visible(user) if one.uri == uri), None)
