"""Everything below `/remote.php/dav`: which part answers which path."""

from collections.abc import Callable

from tests.nextcloud import xml
from tests.nextcloud.exchange import Answer, Ask

Part = Callable[[Ask], Answer]


class Dav:
    """The parts of the DAV server by the first word of their paths."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}

    def serve(self, ask: Ask) -> Answer:
        words = ask.words[2:]
        part = self.parts.get(words[0] if words else "")
        if part is None:
            return xml.error(404, "NotFound", f"File not found: {words[0] if words else ''} in 'root'")
        return part(ask)
