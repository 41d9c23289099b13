"""Paragraphs of an OpenDocument file to pieces of text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from citemark.extraction.inline import Piece
from citemark.extraction.xml_nodes import Node, attribute, child, children, name_of

_LEFT_OUT = frozenset(
    {"annotation", "annotation-end", "tracked-changes", "bookmark", "bookmark-start", "change-start", "change-end"}
    | {"script", "ruby-text", "soft-page-break", "note-citation", "sequence-decls", "event-listeners", "desc", "title"}
)
_MOST_BLANKS = 1_000


@dataclass(slots=True)
class OdfParagraph:
    """What a paragraph says; `notes` are the notes in it, `boxes` the text boxes anchored in it."""

    pieces: list[Piece] = field(default_factory=list[Piece])
    notes: list[tuple[int, Node]] = field(default_factory=list[tuple[int, Node]])
    boxes: list[Node] = field(default_factory=list[Node])


class OdfInline:
    """Reads paragraphs in order; notes are numbered as they are met."""

    def __init__(self) -> None:
        self._notes = 0

    def read(self, paragraph: Node) -> OdfParagraph:
        """The text of a paragraph; comments are left out."""
        found = OdfParagraph()
        self._inside(paragraph, "", found)
        return found

    def _inside(self, node: Node, target: str, found: OdfParagraph) -> None:
        found.pieces.append(Piece(_flat(node.text), target))
        for part in node:
            self._part(part, target, found)
            found.pieces.append(Piece(_flat(part.tail), target))

    def _part(self, part: Node, target: str, found: OdfParagraph) -> None:
        match name_of(part):
            case "s":
                blanks = attribute(part, "c")
                found.pieces.append(Piece(" " * min(int(blanks) if blanks.isdigit() else 1, _MOST_BLANKS), target))
            case "tab":
                found.pieces.append(Piece(" ", target))
            case "line-break":
                found.pieces.append(Piece("\n", target))
            case "a":
                address = attribute(part, "href")
                self._inside(part, "" if address.startswith("#") else address, found)
            case "note":
                self._notes += 1
                found.notes.append((self._notes, part))
                found.pieces.append(Piece(f"[^{self._notes}]"))
            case "frame" | "custom-shape" | "rect" | "g":
                found.boxes.append(part)
            case name if name and name not in _LEFT_OUT:
                self._inside(part, target, found)
            case _:
                pass


def body_of(note: Node) -> Iterator[Node]:
    """The paragraphs of a note."""
    yield from children(child(note, "note-body"), "p", "h")


def _flat(text: str | None) -> str:
    """Text with the line breaks of the XML as blanks, which is all that they mean."""
    return " ".join(text.split("\n")) if text else ""
