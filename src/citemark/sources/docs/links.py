"""Resolves the links of a page: to pages and sections of the same folder, or to addresses outside."""

import posixpath
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import unquote

from citemark.extraction.markdown.headings import plain, slugify
from citemark.extraction.markdown.link_scanner import is_wiki_link, wiki_words
from citemark.extraction.org import org_ids
from citemark.model.documents import StatedRelationship
from citemark.model.ids import NativeId
from citemark.model.text import Extracted, Section
from citemark.sources.note_names import NOTE_SUFFIXES, names_attachment
from citemark.sources.relationships import LinkTarget, stated_links

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ADDRESS = re.compile(r"(?:https?|mailto|obsidian):", re.IGNORECASE)
_ID = "id:"
_KEPT_SCHEMES = ("http:", "https:", "mailto:")
_SUFFIXES = ("", ".md", ".mdx", ".markdown", ".html", "/index.md", "/index.mdx", "/README.md", "/index.html")
_REPEAT = re.compile(r"~\d+$")
_PAGE_SUFFIXES = frozenset({".md", ".mdx", ".markdown", ".html", ".htm"})
_PAGES = frozenset({"", ".html", ".htm"})


@dataclass(frozen=True, slots=True)
class FolderTree:
    """The content of a folder by relative path: what is a file, what is a folder, and what the source indexes."""

    is_file: Callable[[str], bool]
    is_folder: Callable[[str], bool] = lambda _: False
    takes: Callable[[str], bool] = lambda _: True
    note: Callable[[str, str], str | None] = lambda _name, _page: None
    """Finds the document that a wikilink means by a name, given the page that states the link."""
    place_of_id: Callable[[str], str | None] = lambda _id: None
    """Finds the document, and the place in it, that has an id."""


def relationships_of(native_id: NativeId, extracted: Extracted, tree: FolderTree) -> tuple[StatedRelationship, ...]:
    """Return one `links_to` per target and section, at its first occurrence.

    A page that does not exist is stated as written, so that the broken link can be shown. Files and folders that are
    not documents count as outside the source, like addresses.
    """
    anchors = _anchors(extracted.sections)

    def resolve(target: str) -> LinkTarget:
        if is_wiki_link(target):
            return LinkTarget(_noted(native_id, wiki_words(target), anchors, tree, extracted.body))
        return LinkTarget(*_resolve(native_id, target, anchors, tree))

    return stated_links(extracted, resolve)


def _noted(native_id: str, words: str, anchors: Mapping[str, str], tree: FolderTree, body: str) -> str | None:
    """The document and place that a wikilink means; None for files that are not documents, and for places that are."""
    name, _, place = words.partition("#")
    name = name.strip().removeprefix("file:")
    if _ADDRESS.match(name):
        return None
    if name.startswith(_ID):
        found = tree.place_of_id(name.removeprefix(_ID)) or name
        return None if found == native_id else found
    place = place.rpartition("#")[2].strip()
    if name.startswith((".", "/")):
        folder = "" if name[0] == "/" else posixpath.dirname(native_id)
        name = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
    page = native_id if not name else tree.note(name, native_id)
    if page is None:
        if tree.is_file(name) or names_attachment(name):
            return None
        page = name if name.lower().endswith(NOTE_SUFFIXES) else f"{name}.md"
    if place.startswith("^"):
        own = page == native_id and re.search(rf"{re.escape(place)}[ \t]*$", body, re.MULTILINE) is not None
        return None if own else f"{page}#{place}"
    anchor = slugify(plain(place)) if place else ""
    if page == native_id:
        if anchor and anchor not in anchors and native_id.lower().endswith(".org"):
            anchor = org_ids(body, "CUSTOM_ID").get(place.casefold(), anchor)
        return f"{native_id}#{anchors.get(anchor, anchor)}" if anchor else None
    return f"{page}#{anchor}" if anchor else page


def _resolve(native_id: str, target: str, anchors: dict[str, str], tree: FolderTree) -> tuple[str | None, str | None]:
    """Return (native id, None), (None, address), or (None, None) if the target refers to nothing."""
    if target.startswith("//"):
        return None, f"https:{target}"
    if _SCHEME.match(target):
        return None, target if target.lower().startswith(_KEPT_SCHEMES) else None
    path, _, anchor = target.partition("#")
    path = unquote(path.partition("?")[0])
    anchor = unquote(anchor)
    if not path:
        return (f"{native_id}#{anchors.get(anchor, anchor)}", None) if anchor else (None, None)
    page = _page(native_id, path, tree)
    if page is None or not _is_document(page, tree):
        return None, target
    if page == native_id:
        anchor = anchors.get(anchor, anchor)
    return f"{page}#{anchor}" if anchor else page, None


def _is_document(path: str, tree: FolderTree) -> bool:
    """Tell whether the source has a document there, or would have one if the link were not broken."""
    if tree.is_file(path):
        return tree.takes(path)
    if tree.is_folder(path):
        return False
    return tree.takes(path) or PurePosixPath(path).suffix.lower() in _PAGES


def _page(native_id: str, path: str, tree: FolderTree) -> str | None:
    """Find the page for a path. A rooted path may start at any folder above the page (a site inside a repository)."""
    folder = posixpath.dirname(native_id)
    if path.startswith("/"):
        above = folder.split("/") if folder else []
        bases = ["/".join(above[:count]) for count in range(len(above) + 1)]
    else:
        bases = [folder]
    written = [posixpath.normpath(posixpath.join(base, path.strip("/"))) for base in bases]
    inside = [candidate for candidate in written if candidate != ".." and not candidate.startswith("../")]
    for candidate in inside:
        for spelled in _spellings(candidate):
            if (there := _as_there(spelled, tree)) is not None:
                return there
    return inside[0] if inside else None


def _as_there(path: str, tree: FolderTree) -> str | None:
    """The path of a file as the folder spells it: letters may be composed in the one and decomposed in the other."""
    if tree.is_file(path):
        return path
    if path.isascii():
        return None
    *folders, name = path.split("/")
    above = ""
    for folder in folders:
        above = next((f"{each}/" for each in _composed(above, folder) if tree.is_folder(each)), f"{above}{folder}/")
    return next((each for each in _composed(above, name) if tree.is_file(each)), None)


def _composed(above: str, part: str) -> list[str]:
    """A part of a path below `above` as written, composed and decomposed."""
    return [f"{above}{form}" for form in (part, *(unicodedata.normalize(name, part) for name in ("NFC", "NFD")))]


def _spellings(path: str) -> list[str]:
    written = PurePosixPath(path).suffix.lower()
    stem = path[: -len(written)] if written in _PAGE_SUFFIXES else path
    names = [path, *(stem + suffix for suffix in _SUFFIXES[1:])]
    if path == ".":
        names = ["index.md", "index.mdx", "README.md", "index.html"]
    return names


def _anchors(sections: Sequence[Section]) -> dict[str, str]:
    """Map the anchors that renderers give to headings ("usage", then "usage-1") to section slugs."""
    seen: Counter[str] = Counter()
    anchors: dict[str, str] = {}
    for section in sections:
        base = _REPEAT.sub("", section.slug.rpartition("/")[2])
        anchors.setdefault(base if not seen[base] else f"{base}-{seen[base]}", section.slug)
        seen[base] += 1
    return anchors
