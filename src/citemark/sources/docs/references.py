"""Links of a page as relationships: to pages of the same tree, to sections, or to addresses outside."""

import posixpath
import re
from bisect import bisect_right
from pathlib import Path
from urllib.parse import unquote

from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Link
from citemark.sources.docs.places import inside

LINKS_TO = "links_to"
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_ENDINGS = ("", ".md", ".mdx", ".markdown", ".txt", "/index.md", "/index.mdx", "/README.md")


class References:
    """Resolves the links of one tree's pages."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def of(self, native_id: str, extracted: Extracted) -> tuple[StatedRelationship, ...]:
        """What a page's links state; one that leads nowhere keeps its path and works once that is there."""
        starts = [section.span.start for section in extracted.sections]
        found: list[StatedRelationship] = []
        for link in extracted.links:
            place = bisect_right(starts, link.span.start) - 1
            section = extracted.sections[place].slug if place >= 0 else None
            if _SCHEME.match(link.target):
                found.append(StatedRelationship(LINKS_TO, section, None, link.target, link.span))
                continue
            target = self._resolve(native_id, link, extracted)
            if target is not None:
                found.append(StatedRelationship(LINKS_TO, section, NativeId(target), None, link.span))
        return tuple(found)

    def _resolve(self, native_id: str, link: Link, extracted: Extracted) -> str | None:
        path, _, anchor = link.target.partition("#")
        path, anchor = unquote(path.partition("?")[0]), unquote(anchor)
        if not path:
            return f"{native_id}#{_slug(extracted, anchor)}" if anchor else None
        page = self._page(native_id, path)
        if page is None:
            return None
        return f"{page}#{anchor}" if anchor else page

    def _page(self, native_id: str, path: str) -> str | None:
        base = "" if path.startswith("/") else posixpath.dirname(native_id)
        plain = posixpath.normpath(posixpath.join(base, path.lstrip("/")))
        if plain.startswith("..") or "\0" in plain:
            return None
        for ending in _ENDINGS:
            real = inside(self._root, plain + ending)
            if real is not None and real.is_file():
                return plain + ending
        return plain


def _slug(extracted: Extracted, anchor: str) -> str:
    """The section's whole slug for an anchor that names its last part only."""
    for section in extracted.sections:
        if section.slug == anchor or section.slug.rpartition("/")[2] == anchor:
            return section.slug
    return anchor
