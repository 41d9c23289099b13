"""The use cases of architecture models. Every face calls these."""

from citemark.evidence.architecture.cursors import Cursors
from citemark.evidence.architecture.listing import ModelListing
from citemark.evidence.architecture.packing import ContextPacking
from citemark.evidence.architecture.reading import Rooms
from citemark.evidence.architecture.searching import ElementSearching
from citemark.evidence.handles import Handles


class ArchitectureDesk:
    """Answers callers over the models of one index.

    `searching` finds elements, `packing` makes context of them, `listing` says what the model states.
    """

    def __init__(self, rooms: Rooms, handles: Handles) -> None:
        self.searching = ElementSearching(rooms, handles)
        self.packing = ContextPacking(rooms)
        self.listing = ModelListing(rooms, Cursors(handles))
