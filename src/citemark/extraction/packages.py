"""Reads office files (zip archives of XML parts); a part that is damaged costs that part and not the file.

A file is first read as it is. If its library refuses it, or an entry of the archive is damaged, its parts are mended:
parts that are not XML are read as far as they go, what cannot be read is left out together with the references to it,
and what a format knows to be of no use to it is removed. The strict variant of the office formats is renamed to the
usual one, which is all that differs in what is read of it.
"""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from posixpath import dirname, join, normpath
from typing import TypeVar
from zipfile import ZIP_STORED, ZipFile

from lxml import etree

from citemark.extraction.builder import Builder
from citemark.extraction.office import RAISED_BY_PARSERS, BrokenFile, Node, attribute, children, name_of, parse_xml
from citemark.extraction.zips import open_zip, read_entry
from citemark.model.errors import SkippableSourceError
from citemark.model.text import Extracted
from citemark.model.unread_parts import UnreadPart, added_up

_STRICT = b"http://purl.oclc.org/ooxml/"

_RENAMED: tuple[tuple[bytes, bytes], ...] = tuple(
    (_STRICT + strict, b"http://schemas.openxmlformats.org/" + usual)
    for strict, usual in (
        (b"officeDocument/extendedProperties", b"officeDocument/2006/extended-properties"),
        (b"officeDocument/customProperties", b"officeDocument/2006/custom-properties"),
        (b"officeDocument/relationships/extendedProperties", b"officeDocument/2006/relationships/extended-properties"),
        (b"officeDocument/relationships/customProperties", b"officeDocument/2006/relationships/custom-properties"),
        (b"officeDocument/", b"officeDocument/2006/"),
        (b"spreadsheetml/", b"spreadsheetml/2006/"),
        (b"wordprocessingml/", b"wordprocessingml/2006/"),
        (b"presentationml/", b"presentationml/2006/"),
        (b"drawingml/", b"drawingml/2006/"),
        (b"schemaLibrary/", b"schemaLibrary/2006/"),
    )
)
"""The namespaces and kinds of relationship of the strict variant, and their usual names."""

_XML_SUFFIXES = (".xml", ".rels")

_WITH_TEXT = frozenset(
    {"header", "footer", "footnotes", "endnotes", "comments", "notesSlide", "chart", "diagramData", "image"}
)
"""Kinds of relationship to parts whose text or picture belongs to the document; slides and sheets are counted apart."""

MendPart = Callable[[str, Node], int]
"""`mend(name, root)` removes what makes a part unreadable, and returns how many details of the text it removed."""


@dataclass(slots=True)
class _Mending:
    """The parts of a file by name, and what is lost of it."""

    parts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    lost: list[UnreadPart] = field(default_factory=list[UnreadPart])


ReadPackage = Callable[[bytes, bool], Extracted]
"""`read(data, mended)`: raises BrokenFile for what it cannot read; once the file is mended, only if nothing is left."""


def read_package(data: bytes, read: ReadPackage, mend: MendPart, *, prune: bool = True) -> Extracted:
    """Read an office file, mended if it cannot be read as it is; what is lost is counted in what was left out.

    Args:
        data: the file.
        read: reads a file.
        mend: mends a part that is XML.
        prune: remove references to parts that are missing, for a library that does not expect them.

    Raises:
        SkippableSourceError: the file has a password, an old format or no text, is broken beyond mending, or is a zip
            bomb.
    """
    damaged: list[str] = []
    with open_zip(data, damaged) as archive:
        strict = _is_strict(archive, damaged)
        if not damaged and not strict:
            try:
                return read(data, False)
            except BrokenFile as error:
                broken = error
        else:
            broken = None
        mending = _mended(archive, damaged, mend, prune=prune)
    try:
        extracted = read(_packed(mending.parts), True)
    except SkippableSourceError as error:
        raise broken or error from None
    return replace(extracted, left_out=added_up([*extracted.left_out, *mending.lost]))


def _is_strict(archive: ZipFile, damaged: list[str]) -> bool:
    """Whether the relationships of a package are those of the strict variant."""
    top = "_rels/.rels"
    return top in archive.namelist() and top not in damaged and _STRICT in archive.read(top)


def _mended(archive: ZipFile, damaged: list[str], mend: MendPart, *, prune: bool) -> _Mending:
    mending = _Mending()
    for name in archive.namelist():
        content = read_entry(archive, name) if name in damaged else archive.read(name)
        if name.lower().endswith(_XML_SUFFIXES):
            _mend_xml(mending, name, content, mend)
        elif name in damaged:
            mending.lost.append(UnreadPart("damaged part"))
        else:
            mending.parts[name] = content
    stored = frozenset(archive.namelist())
    for name in [name for name in mending.parts if prune and name.endswith(".rels")]:
        mending.parts[name], missing = _with_targets(mending.parts, name, stored)
        mending.lost += [UnreadPart("missing part")] * missing
    return mending


def _mend_xml(mending: _Mending, name: str, content: bytes, mend: MendPart) -> None:
    for strict, usual in _RENAMED if _STRICT in content else ():
        content = content.replace(strict, usual)
    try:
        root = parse_xml(content)
    except etree.XMLSyntaxError:
        root = _as_far_as_it_goes(content)
        mending.lost.append(UnreadPart("damaged part"))
    if root is None or root.getroottree().docinfo.internalDTD is not None:  # no office program declares entities
        return
    if removed := mend(name, root):
        mending.lost.append(UnreadPart("unreadable detail", removed))
    mending.parts[name] = etree.tostring(root, xml_declaration=True, encoding="UTF-8")


def _as_far_as_it_goes(content: bytes) -> Node | None:
    """The root of XML that has faults; what stands where it cannot be read is lost. None if nothing can be read."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root: Node = etree.fromstring(content, parser)
        if root is None or ":" in name_of(root).partition("}")[0] or not len(root):
            return None
        if root.getroottree().docinfo.internalDTD is not None:
            return None
        etree.strip_elements(root, etree.Entity, with_tail=False)
        _declare(root)
        return parse_xml(etree.tostring(root))
    except (etree.XMLSyntaxError, ValueError):
        return None


def _declare(root: Node) -> None:
    """Remove elements and attributes whose prefix is not declared; recovery leaves it in their names."""
    for node in list(root.iter()):
        for name in list(node.attrib):
            if ":" in name and not name.startswith("{"):
                del node.attrib[name]
        if isinstance(node.tag, str) and ":" in node.tag and not node.tag.startswith("{") and node is not root:
            node.getparent().remove(node)


def _with_targets(parts: Mapping[str, bytes], name: str, stored: Container[str]) -> tuple[bytes, int]:
    """Relationships without those to parts that are missing, which no library expects.

    With them comes how many of those parts belong to the text and are not even `stored`; damaged ones are counted.
    """
    root = parse_xml(parts[name])
    missing = 0
    folder = dirname(dirname(name))
    for relation in list(children(root)):
        target = attribute(relation, "Target")
        place = normpath(join(folder, target)).lstrip("/") if not target.startswith("/") else target.lstrip("/")
        external = attribute(relation, "TargetMode") == "External"
        if not attribute(relation, "Id") or not (external or place in parts or target.startswith("#")):
            root.remove(relation)
            missing += place not in stored and attribute(relation, "Type").rpartition("/")[2] in _WITH_TEXT
    return etree.tostring(root, xml_declaration=True, encoding="UTF-8"), missing


def _packed(parts: Mapping[str, bytes]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def mend_properties(_name: str, root: Node) -> int:
    """Leave of a file's properties those that are texts; the reader passes over what else it does not understand."""
    if name_of(root) == "coreProperties":
        kept(root, "title", "creator", "subject", "keywords")
    return 0


def kept(node: Node, *names: str) -> None:
    """Remove all children of a node but those with one of these local names."""
    for part in list(node):
        if name_of(part) not in names:
            node.remove(part)


T = TypeVar("T")


def until_it_breaks(builder: Builder, parts: Iterable[T], kind: str) -> Iterator[T]:
    """The parts before the first that cannot be read; the rest is counted as one part of this kind."""
    try:
        yield from parts
    except RAISED_BY_PARSERS:
        builder.leave_out(kind)


@contextmanager
def costing(builder: Builder, kind: str, *, when: bool) -> Generator[None, None, None]:
    """Count what the block adds as a part of this kind that cannot be read, if its library fails; only `when` asked."""
    try:
        yield
    except Exception:  # libraries have errors of their own without a common base
        if not when:
            raise
        builder.leave_out(kind)
