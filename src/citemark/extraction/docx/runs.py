"""Turns the runs of a Word paragraph into runs of text: resolves links, notes and fields, leaves out deletions."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from citemark.extraction.docx.looks import box_of, look_of
from citemark.extraction.office import Node, attribute, child, children, is_on, name_of
from citemark.extraction.office_math import math_runs
from citemark.extraction.symbol_fonts import symbol, with_symbols
from citemark.extraction.text_runs import PLAIN, Look, TextRun

_LINK_FIELD = re.compile(r"\s*HYPERLINK\s+\"([^\"]+)\"")
_INLINE_TRANSPARENT = frozenset({"ins", "moveTo", "smartTag", "customXml", "sdtContent", "dir", "bdo", "rubyBase"})
_LEFT_OUT = frozenset({"del", "moveFrom", "pPr", "rPr", "instrText", "delText", "rt", "rubyPr", "sdtPr"})


@dataclass(slots=True)
class Paragraph:
    """The text of a paragraph, and what belongs to it.

    `notes` are the kinds and ids of its notes, `boxes` the text boxes anchored in it, `comments` the ids of comments on
    it, `left_out` the kinds of what is in it and has no words.
    """

    pieces: list[TextRun] = field(default_factory=list[TextRun])
    notes: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    boxes: list[Node] = field(default_factory=list[Node])
    comments: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _Field:
    """A field that is being read: first its instruction, then the text that it shows."""

    instruction: str = ""
    target: str = ""
    shows: bool = False


class ParagraphReader:
    """Reads paragraphs in order; notes are numbered in the order in which they appear."""

    def __init__(self, targets: Mapping[str, str], looks: Mapping[str, Look] | None = None) -> None:
        self._targets = targets
        self._looks = looks or {}
        self._paragraph_look = PLAIN
        self._numbers: dict[tuple[str, str], int] = {}
        self._fields: list[_Field] = []
        self._paragraph = Paragraph()

    def read(self, paragraph: Node) -> Paragraph:
        """The text of a paragraph as it reads with all changes accepted; hidden text is left out."""
        self._fields = []
        self._paragraph = Paragraph()
        self._paragraph_look = self._looks.get(attribute(child(paragraph, "pPr", "pStyle"), "val"), PLAIN)
        self._inside(paragraph, "")
        return self._paragraph

    def number_of(self, note: tuple[str, str]) -> int:
        """The number of a note; a note that has not appeared before gets the next one."""
        return self._numbers.setdefault(note, len(self._numbers) + 1)

    def _inside(self, node: Node, target: str) -> None:
        for part in children(node):
            match name_of(part):
                case "r":
                    self._run(part, target)
                case "hyperlink":
                    self._inside(part, self._targets.get(attribute(part, "id"), "") or target)
                case "fldSimple":
                    self._inside(part, _target_of(attribute(part, "instr")) or target)
                case "sdt":
                    self._control(part, target)
                case "oMath" | "oMathPara":
                    self._equation(part, target)
                case "AlternateContent":
                    self._alternate(part, target)
                case name if name in _INLINE_TRANSPARENT:
                    self._inside(part, target)
                case _:
                    pass

    def _control(self, control: Node, target: str) -> None:
        """Read a content control: its box, or else its content."""
        box, content = box_of(control), child(control, "sdtContent")
        if box is not None:
            self._add_text(box, target)
        elif content is not None:
            self._inside(content, target)

    def _equation(self, equation: Node, target: str) -> None:
        for run in math_runs(equation):
            self._add_text(run.text, target, run.look)

    def _run(self, run: Node, target: str) -> None:
        if is_on(run, "rPr", "vanish"):
            has_words = any(str(part.text or "").strip() for part in children(run, "t"))
            self._paragraph.left_out += ["hidden text"] * has_words
        else:
            self._parts(run, target)

    def _parts(self, run: Node, target: str) -> None:
        properties = child(run, "rPr")
        look = look_of(properties, self._looks, self._paragraph_look)
        font = attribute(child(properties, "rFonts"), "ascii") if properties is not None else ""
        for part in children(run):
            text = _text_of(part)
            if text is not None:
                self._add_text(with_symbols(text, font), target, look)
                continue
            match name_of(part):
                case "footnoteReference" | "endnoteReference" as name:
                    note = (name.removesuffix("Reference"), attribute(part, "id"))
                    self._paragraph.notes.append(note)
                    self._add_text(f"[^{self.number_of(note)}]", "")
                case "fldChar":
                    self._field(part)
                case "instrText" if self._fields and not self._fields[-1].shows:
                    self._fields[-1].instruction += str(part.text or "")
                case "commentReference":
                    self._paragraph.comments.append(attribute(part, "id"))
                case "drawing" | "pict" | "object":
                    self._drawing(part)
                case "AlternateContent":
                    self._alternate(part, target)
                case "ruby":
                    self._inside(part, target)
                case _:
                    pass

    def _drawing(self, node: Node) -> None:
        """Keep the text boxes of a drawing, write what a picture shows if its author said so, and count the rest."""
        boxes = list(_boxes(node))
        self._paragraph.boxes.extend(boxes)
        shown = described(node)
        if shown:
            self._add_text(f" [Image: {shown}] ", "")
        self._paragraph.left_out.extend(kind for kind in kinds_in(node) if not (shown and kind == IMAGE) and not boxes)

    def _alternate(self, node: Node, target: str) -> None:
        """Read one of several renderings of the same content: the newest, which readers prefer."""
        chosen = child(node, "Choice")
        chosen = chosen if chosen is not None else child(node, "Fallback")
        if chosen is not None:
            self._run(chosen, target)

    def _field(self, mark: Node) -> None:
        kind, box = attribute(mark, "fldCharType"), box_of(mark)
        if box is not None:
            self._add_text(box, "")
        if kind == "begin":
            self._fields.append(_Field())
        elif kind == "separate" and self._fields:
            self._fields[-1].target = _target_of(self._fields[-1].instruction)
            self._fields[-1].shows = True
        elif kind == "end" and self._fields:
            self._fields.pop()

    def _add_text(self, text: str, target: str, look: Look = PLAIN) -> None:
        target = target or next((open_field.target for open_field in reversed(self._fields) if open_field.target), "")
        self._paragraph.pieces.append(TextRun(text, target, look))


def _text_of(part: Node) -> str | None:
    """The text of a part of a run, or None for a part whose children have to be read."""
    match name_of(part):
        case "t":
            return str(part.text or "")
        case "br" | "cr":
            return " " if attribute(part, "type") in {"page", "column"} else "\n"
        case "tab" | "ptab":
            return " "
        case "noBreakHyphen":
            return "-"
        case "sym":
            return symbol(attribute(part, "char"), attribute(part, "font"))
        case _:
            return None


IMAGE = "image without text"

_KINDS = {"pic": IMAGE, "imagedata": IMAGE, "chart": "chart", "relIds": "diagram", "OLEObject": "embedded object"}
"""What elements of a drawing stand for."""

_BY_A_PROGRAM = re.compile(r"automatically generated|automatisch generiert", re.IGNORECASE)
_LEAST_WORDS = 2
"""Fewest words of a description: programs put the name of the file there."""


def described(node: Node) -> str:
    """What a picture shows, as its author described it; "" if nobody did."""
    for part in node.iter():
        if name_of(part) in {"docPr", "cNvPr"}:
            words = " ".join((attribute(part, "descr") or "").split())
            if len(words.split()) >= _LEAST_WORDS and not _BY_A_PROGRAM.search(words):
                return words
    return ""


def kinds_in(node: Node) -> list[str]:
    """The kinds of what a drawing holds besides text; an object is counted once, not with the picture of it."""
    kinds = {_KINDS[name] for part in node.iter() if (name := name_of(part)) in _KINDS}
    return sorted(kinds - {IMAGE} or kinds)


def _boxes(node: Node) -> Iterator[Node]:
    """The contents of text boxes; those inside another one belong to it."""
    for part in children(node):
        name = name_of(part)
        if name == "txbxContent":
            yield part
        elif name == "AlternateContent":
            yield from _boxes(next(children(part, "Choice", "Fallback"), part))
        elif name not in _LEFT_OUT:
            yield from _boxes(part)


def _target_of(instruction: str) -> str:
    match = _LINK_FIELD.match(instruction)
    return match[1] if match is not None else ""
