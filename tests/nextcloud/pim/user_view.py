"""One user's view of all calendars or all address books, including those that other apps derive."""

from collections.abc import Iterator, Sequence

from tests.nextcloud.pim.controls import Collections
from tests.nextcloud.pim.derived_collections import Source
from tests.nextcloud.pim.model import Seen


class Pim:
    """The collections that people made, and those that apps make."""

    def __init__(self, collections: Collections, derived: Sequence[Source]) -> None:
        self.collections = collections
        self.derived = derived

    def visible(self, user: str) -> Iterator[Seen]:
        yield from self.collections.visible(user)
        for source in self.derived:
            yield from source(user)

    def seen(self, user: str, uri: str) -> Seen | None:
        return next((one for one in self.visible(user) if one.uri == uri), None)
