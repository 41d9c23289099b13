"""Everything below `/remote.php/dav`: which part answers which path."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from lxml import etree
from tests.nextcloud import xml
from tests.nextcloud.dav.principals import serve_root
from tests.nextcloud.files.controls import Files
from tests.nextcloud.files.routes import href
from tests.nextcloud.files.search import search
from tests.nextcloud.messages import ServerRequest, ServerResponse

Part = Callable[[ServerRequest], ServerResponse]


@dataclass(frozen=True, slots=True)
class Dav:
    """The parts of the DAV server by the first word of their paths."""

    files: Files
    parts: Mapping[str, Part]

    def serve(self, ask: ServerRequest) -> ServerResponse:
        try:
            return self._serve(ask)
        except etree.XMLSyntaxError as wrong:
            return xml.error(400, "BadRequest", str(wrong))

    def _serve(self, ask: ServerRequest) -> ServerResponse:
        words = ask.words[2:]
        if not words:
            return search(self.files, ask, href) if ask.method == "SEARCH" else serve_root(ask)
        part = self.parts.get(words[0])
        if part is None:
            return xml.error(404, "NotFound", f"File not found: {words[0]} in 'root'")
        return part(ask)
