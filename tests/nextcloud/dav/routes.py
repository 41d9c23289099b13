"""Everything below `/remote.php/dav`: which part answers which path."""

from collections.abc import Callable

from tests.nextcloud import xml
from tests.nextcloud.exchange import Answer, Ask
from tests.nextcloud.files.routes import href, serve_files
from tests.nextcloud.files.search import search
from tests.nextcloud.files.shelf import Files
from tests.nextcloud.files.tags import serve_tags
from tests.nextcloud.files.trashbin import serve_trash

Part = Callable[[Ask], Answer]


class Dav:
    """The parts of the DAV server by the first word of their paths."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.parts: dict[str, Part] = {
            "files": lambda ask: serve_files(files, ask),
            "trashbin": lambda ask: serve_trash(files, ask),
            "systemtags": lambda ask: serve_tags(files, ask),
            "systemtags-relations": lambda ask: serve_tags(files, ask),
        }

    def serve(self, ask: Ask) -> Answer:
        words = ask.words[2:]
        if not words and ask.method == "SEARCH":
            return search(self.files, ask, href)
        if not words and ask.method == "SEARCH":
            return search(self.files, ask, href)
        part = self.parts.get(words[0] if words else "")
        if part is None:
            return xml.error(404, "NotFound", f"File not found: {words[0] if words else ''} in 'root'")
        return part(ask)
