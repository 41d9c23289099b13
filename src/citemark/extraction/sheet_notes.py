"""What people added to the sheets of a workbook besides cells: comments, text boxes, titles of charts, headers."""

import html
import posixpath
import re
from collections.abc import Iterator, Mapping
from zipfile import ZipFile

from citemark.extraction.builder import Builder
from citemark.extraction.office import Node, attribute, children, name_of, parse_xml
from citemark.extraction.office_runs import words_in

_HEADERS = re.compile(rb"<(?:\w+:)?(?:odd|even|first)(Header|Footer)(?:\s[^<>]*)?(?<!/)>(.*?)</", re.DOTALL)
_CODE = re.compile(r'&(?:"[^"]*"|[A-Z]|\d+|K[0-9A-F]{6})')
"""A code in a header: a font, a size, a place, or a field such as the number of the page."""

_THREADED = "[Threaded comment]"
"""Begins the note that older programs are shown in place of a conversation."""

_PICTURES = frozenset({"pic"})


class SheetNotes:
    """Reads the parts that belong to a sheet; people are named once for the whole workbook."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._names = frozenset(archive.namelist())
        self._people: Mapping[str, str] = {
            attribute(person, "id"): attribute(person, "displayName")
            for name in sorted(self._names)
            if name.startswith("xl/persons/") and name.endswith(".xml")
            for person in children(self._root(name), "person")
        }

    def write(self, builder: Builder, sheet: str) -> None:
        """Add what belongs to the sheet that is stored under a name in the archive."""
        threads = [line for part in self._related(sheet, "threadedComment") for line in self._conversation(part)]
        notes = [line for part in self._related(sheet, "comments") for line in self._comments(part)]
        for line in dict.fromkeys([*threads, *notes, *self._headers(sheet)]):
            builder.paragraph(line)
        for drawing in self._related(sheet, "drawing"):
            root = self._root(drawing)
            for text in _paragraphs(root):
                builder.paragraph(text)
            builder.leave_out("image without text", sum(name_of(node) in _PICTURES for node in root.iter()))
            for chart in self._related(drawing, "chart"):
                builder.leave_out("chart")
                for text in _paragraphs(self._root(chart)):
                    builder.paragraph(f"Chart: {text}")
        builder.leave_out("embedded object", len(self._related(sheet, "oleObject", "package")))

    def _conversation(self, part: str) -> Iterator[str]:
        for comment in children(self._root(part), "threadedComment"):
            text = words_in(comment)
            author = self._people.get(attribute(comment, "personId"), "")
            yield _line(attribute(comment, "ref"), author, text)

    def _comments(self, part: str) -> Iterator[str]:
        root = self._root(part)
        authors = [str(node.text or "") for group in children(root, "authors") for node in children(group, "author")]
        for comment in (node for group in children(root, "commentList") for node in children(group, "comment")):
            number = attribute(comment, "authorId")
            author = authors[int(number)] if number.isdigit() and int(number) < len(authors) else ""
            text = words_in(comment)
            if text and not text.startswith(_THREADED):
                yield _line(attribute(comment, "ref"), author, text.removeprefix(f"{author}:").strip())

    def _headers(self, sheet: str) -> Iterator[str]:
        for kind, written in _HEADERS.findall(self._archive.read(sheet)) if sheet in self._names else ():
            text = " ".join(_CODE.sub(" ", html.unescape(written.decode("utf-8", "replace"))).split())
            if any(map(str.isalpha, text)):
                yield f"{kind.decode()}: {text}"

    def _related(self, part: str, *kinds: str) -> list[str]:
        """The names of the parts to which a part refers as one of some kinds."""
        folder, name = posixpath.split(part)
        rels = f"{folder}/_rels/{name}.rels"
        found = children(self._root(rels), "Relationship") if rels in self._names else ()
        targets = (
            posixpath.normpath(posixpath.join(folder, target)).lstrip("/")
            if not (target := attribute(each, "Target")).startswith("/")
            else target.lstrip("/")
            for each in found
            if attribute(each, "Type").rpartition("/")[2] in kinds and attribute(each, "TargetMode") != "External"
        )
        return [target for target in targets if target in self._names]

    def _root(self, name: str) -> Node:
        return parse_xml(self._archive.read(name))


def _line(cell: str, author: str, text: str) -> str:
    return f"Comment on {cell} by {author}: {text}" if author else f"Comment on {cell}: {text}"


def _paragraphs(root: Node) -> Iterator[str]:
    """The texts of shapes and titles, one for each paragraph."""
    for node in root.iter():
        if name_of(node) == "p":
            text = words_in(node)
            if text:
                yield text
