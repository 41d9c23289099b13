"""Converts electronic books (EPUB 2 and 3) to text with spans: the chapters in the order in which they are read."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from posixpath import normpath
from types import MappingProxyType
from urllib.parse import quote, unquote, urlsplit
from zipfile import ZipFile

from lxml import etree
from selectolax.lexbor import LexborHTMLParser, LexborNode

from citemark.extraction.builder import Builder, RunsOrText, inline, sensible_title, tags_of
from citemark.extraction.html.blocks import PageReader
from citemark.extraction.html.document import html_text
from citemark.extraction.html.looks import style_by_class
from citemark.extraction.html.omissions import count_left_out
from citemark.extraction.html.trimming import trimmed
from citemark.extraction.markdown.headings import slugify
from citemark.extraction.office import Node, attribute, children, name_of, parse_xml
from citemark.extraction.zips import open_zip, read_entry
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted, Link, Section

_NOTHING = (
    "The book holds no text. If its pages are pictures, make their text readable with a program for text recognition."
)
_DAMAGED = "The book is damaged: {}. Get it again, or convert it with a program for electronic books."
_PROTECTED = (
    "The book is protected against copying ({}), so that only the program it was bought for can open it. Get a copy "
    "without protection, or leave the file out of the source."
)
_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PROTECTIONS = (
    ("META-INF/license.lcpl", "Readium LCP"),
    ("META-INF/sinf.xml", "Apple FairPlay"),
    ("META-INF/rights.xml", "Adobe ADEPT"),
)
"""The files that a kind of protection adds to a book, and its name."""

_OBFUSCATED = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Ways in which fonts alone are encrypted."""

_BOOK = "http://book.invalid/"
"""The address that the pages of a book have while it is read, so that links between them are whole."""

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_WITHOUT_WORDS = ["script", "style", "template", "noscript", "svg", "head"]
_VOID = frozenset(
    {*("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")}
)
_EMPTY = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*?)?)\s*/>")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_MOST_ENTRIES = 10_000
"""Entries of a table of contents that are read; one that names each verse of a bible has more, and no use here."""

_DEEPEST = 6
_LONGEST_VALUE = 2_000
"""Most characters of a property; descriptions on the back of a book are no part of its text."""

_PROPERTIES: Mapping[str, str] = MappingProxyType(
    {"creator": "author", "publisher": "publisher", "date": "date", "identifier": "identifier"}
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a table of contents: its title, and how deep it is, from 1 on."""

    title: str
    level: int


@dataclass(slots=True)
class _Package:
    """What a book says about itself: properties, and its pages by their paths in the archive, in reading order."""

    properties: Mapping[str, tuple[str, ...]]
    spine: list[str]
    contents: Mapping[str, _Entry]
    pictures: int = 0
    missing: int = 0


@dataclass(slots=True)
class _Chapter:
    """Where a page became sections: the number of the first, and how many there are."""

    first: int
    count: int = field(default=0)


def extract_epub(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a book: a section for each chapter, below it its headings.

    The order is that in which the book is read. A chapter lies as deep as the table of contents says and is called by
    its own heading, else by its entry there. Links between chapters lead to the sections that they became.

    Raises:
        SkippableSourceError: the book is protected against copying, is damaged, has no text, or is a zip bomb.
    """
    damaged: list[str] = []
    with open_zip(data, damaged) as archive:
        names = frozenset(archive.namelist())
        package = _package(archive, names)
        _refuse_protected(archive, names, package)
        builder = _BookBuilder()
        chapters: dict[str, _Chapter] = {}
        for number, path in enumerate(package.spine, 1):
            if builder.full:
                break
            page = read_entry(archive, path) if path in damaged else archive.read(path)
            builder.leave_out("damaged chapter", int(path in damaged))
            chapters[path] = chapter = _Chapter(builder.sections)
            _read_chapter(builder, page, package.contents.get(path), path, number)
            chapter.count = builder.sections - chapter.first
    builder.leave_out("page that is only a picture", package.pictures)
    builder.leave_out("missing chapter", package.missing)
    first = {name: values[0] for name, values in package.properties.items()}
    metadata = {ours: ", ".join(package.properties.get(theirs, ())) for theirs, ours in _PROPERTIES.items()}
    extracted = builder.finish(
        title=sensible_title(first.get("title", "")) or fallback_title,
        nothing=_NOTHING,
        tags=tags_of(",".join(package.properties.get("subject", ()))),
        metadata=metadata,
        language=first.get("language") or None,
    )
    return replace(extracted, links=tuple(_resolved(extracted, chapters)))


class _BookBuilder(Builder):
    """A builder in which the headings of each page lie below its place in the table of contents."""

    def __init__(self) -> None:
        super().__init__()
        self._top = 1
        self._shift: int | None = None

    @property
    def sections(self) -> int:
        """How many sections have begun."""
        return len(self._headings)

    def chapter(self, title: str, slug: str, level: int) -> None:
        """Begin a page; its first heading, if nothing comes before it, takes the place of its title."""
        self._top, self._shift = level, None
        self.section(title, slug=slug, level=level)

    def heading(self, content: RunsOrText, level: int, *, title: str = "", slug: str = "") -> None:
        """Open a section as deep below the chapter as its page has it."""
        if self._shift is None:
            self._top += self._pending is None
            self._shift = self._top - level
        super().heading(content, max(self._top, level + self._shift), title=title, slug=slug)


def _read_chapter(builder: _BookBuilder, page: bytes, entry: _Entry | None, path: str, number: int) -> None:
    try:
        text = html_text(page).text
    except SkippableSourceError:
        builder.leave_out("damaged chapter")
        return
    tree = _parsed(text, builder)
    name = slugify(PurePosixPath(path).stem)
    builder.chapter(entry.title if entry is not None else f"Part {number}", name, entry.level if entry else 1)
    body = tree.body
    if body is None:
        return
    style_by_class(tree)
    count_left_out(body, builder)
    tree.strip_tags(_WITHOUT_WORDS, recursive=True)
    PageReader(builder, base=f"{_BOOK}{quote(path)}").read(body, is_content=True)


def _parsed(text: str, builder: Builder) -> LexborHTMLParser:
    """Parse a page of XHTML as HTML, in which an element such as `<title/>` would have no end."""
    text = _CDATA.sub(lambda found: found[1].replace("&", "&amp;").replace("<", "&lt;"), text)
    text = _EMPTY.sub(
        lambda found: found[0] if found[1].lower() in _VOID else f"<{found[1]}{found[2]}></{found[1]}>", text
    )
    page = trimmed(text)
    builder.leave_out("tag of an element too deep in others", page.elements)
    builder.leave_out("attribute beyond the first 128 of a tag", page.attributes)
    return LexborHTMLParser(page.text)


def _package(archive: ZipFile, names: frozenset[str]) -> _Package:
    """What the package document of a book says.

    Raises:
        SkippableSourceError: there is none, or it names no pages.
    """
    path = _package_path(archive, names)
    root = _xml(archive, path, names)
    if root is None:
        raise SkippableSourceError(_DAMAGED.format("it does not say in which order its pages are read"))
    items = {attribute(item, "id"): item for part in children(root, "manifest") for item in children(part, "item")}
    spine = next(children(root, "spine"), None)
    read = [items.get(attribute(each, "idref")) for each in children(spine, "itemref")]
    package = _Package(_properties(root), [], _contents(archive, names, path, items, attribute(spine, "toc")))
    for item in read:
        place = _beside(path, attribute(item, "href"))
        kind = attribute(item, "media-type")
        if place not in names:
            package.missing += 1
        elif kind in _PAGES or PurePosixPath(place).suffix.lower() in {".xhtml", ".html", ".htm"}:
            package.spine += [] if place in package.spine else [place]
        else:
            package.pictures += 1
    if not read:
        raise SkippableSourceError(_DAMAGED.format("it names no pages"))
    return package


def _package_path(archive: ZipFile, names: frozenset[str]) -> str:
    container = _xml(archive, _CONTAINER, names)
    paths = [] if container is None else [attribute(node, "full-path") for node in container.iter("{*}rootfile")]
    found = next((path for path in paths if path in names), None)
    return found or next((name for name in sorted(names) if name.lower().endswith(".opf")), "")


def _properties(root: Node) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for metadata in children(root, "metadata"):
        for node in metadata.iter("{*}*"):
            text = inline(str(node.text or "")).text[:_LONGEST_VALUE]
            if text:
                found[name_of(node)] = (*found.get(name_of(node), ()), text)
    return found


def _contents(
    archive: ZipFile, names: frozenset[str], package: str, items: Mapping[str, Node], ncx: str
) -> Mapping[str, _Entry]:
    """The first entry for each page, from the navigation page of EPUB 3, else from the file that EPUB 2 has."""
    nav = next((item for item in items.values() if "nav" in attribute(item, "properties").split()), None)
    place = _beside(package, attribute(nav, "href"))
    entries = list(_of_nav(archive, place, names))
    if not entries:
        kinds = {attribute(item, "media-type"): item for item in items.values()}
        place = _beside(package, attribute(items.get(ncx, kinds.get("application/x-dtbncx+xml")), "href"))
        entries = list(_of_ncx(_xml(archive, place, names)))
    found: dict[str, _Entry] = {}
    for target, entry in entries[:_MOST_ENTRIES]:
        if entry.title:
            found.setdefault(_beside(place, target), entry)
    return found


def _of_nav(archive: ZipFile, path: str, names: frozenset[str]) -> Iterator[tuple[str, _Entry]]:
    if path not in names:
        return
    try:
        tree = _parsed(html_text(read_entry(archive, path)).text, Builder())
    except SkippableSourceError:
        return
    listed = tree.css("nav")
    table = next((nav for nav in listed if "toc" in (nav.attributes.get("epub:type") or "").split()), None)
    for link in (table or (listed[0] if listed else tree.body or tree)).css("li a[href]"):
        yield link.attributes.get("href") or "", _Entry(inline(link.text()).text, min(_DEEPEST, _depth(link)))


def _depth(link: LexborNode) -> int:
    depth, above = 0, link.parent
    while above is not None and above.tag != "nav":
        depth += above.tag == "li"
        above = above.parent
    return max(1, depth)


def _of_ncx(root: Node | None) -> Iterator[tuple[str, _Entry]]:
    waiting = [(point, 1) for part in children(root, "navMap") for point in children(part, "navPoint")][::-1]
    while waiting:
        point, level = waiting.pop()
        words = "".join(
            str(node.text or "") for label in children(point, "navLabel") for node in children(label, "text")
        )
        yield attribute(next(children(point, "content"), None), "src"), _Entry(inline(words).text, level)
        inner = [(each, min(_DEEPEST, level + 1)) for each in children(point, "navPoint")]
        waiting += inner[::-1]


def _refuse_protected(archive: ZipFile, names: frozenset[str], package: _Package) -> None:
    """Refuse a book whose pages are encrypted.

    Raises:
        SkippableSourceError: they are; the message names the protection.
    """
    root = _xml(archive, _ENCRYPTION, names)
    for data in () if root is None else root.iter("{*}EncryptedData"):
        method = attribute(next(data.iter("{*}EncryptionMethod"), None), "Algorithm")
        places = {unquote(attribute(each, "URI")).lstrip("/") for each in data.iter("{*}CipherReference")}
        if method not in _OBFUSCATED and not places.isdisjoint(package.spine):
            kind = next((kind for file, kind in _PROTECTIONS if file in names), "DRM")
            raise SkippableSourceError(_PROTECTED.format(kind))


def _xml(archive: ZipFile, path: str, names: frozenset[str]) -> Node | None:
    if path not in names:
        return None
    try:
        return parse_xml(read_entry(archive, path))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _beside(path: str, target: str) -> str:
    """The path in the archive that a file of the book refers to; "" for none."""
    try:
        place = unquote(urlsplit(target).path)
    except ValueError:
        return ""
    return normpath(PurePosixPath(path).parent.joinpath(place).as_posix()) if place else ""


def _resolved(extracted: Extracted, chapters: Mapping[str, _Chapter]) -> Iterator[Link]:
    """The links of a book, those between its pages as links to sections; one that leads to no section is left out."""
    starts = [section.span.start for section in extracted.sections]
    around = {number: chapter for chapter in chapters.values() for number in _numbers(chapter)}
    for link in extracted.links:
        inside = link.target.removeprefix(_BOOK)
        if link.target.startswith("#"):
            chapter, place = around.get(bisect_right(starts, link.span.start) - 1), link.target[1:]
        elif inside != link.target:
            path, _, place = inside.partition("#")
            chapter = chapters.get(unquote(path))
        else:
            yield link
            continue
        section = None if chapter is None else _section(extracted.sections, chapter, unquote(place))
        if section is not None:
            yield replace(link, target=f"#{section.slug}")


def _numbers(chapter: _Chapter) -> range:
    return range(chapter.first, chapter.first + chapter.count)


def _section(sections: tuple[Section, ...], chapter: _Chapter, place: str) -> Section | None:
    """The section of a chapter that a fragment names, else the first."""
    inside = sections[chapter.first : chapter.first + chapter.count]
    named = (each for each in inside if place and each.slug.rpartition("/")[2] == place)
    return next(named, inside[0] if inside else None)
