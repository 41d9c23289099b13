"""Writes small real PDF files: text at places, outlines, metadata, a password, a scan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 595, 842


@dataclass(frozen=True, slots=True)
class Text:
    """Words whose baseline begins at `x`, `y` points from the lower left corner of the page.

    Latin text is set in Helvetica; anything else in a font of its own, each letter half an em wide, whose characters
    the file maps to Unicode. `backwards` stores the letters in the order of the eye, as files in Hebrew do.
    """

    x: float
    y: float
    words: str
    size: float = 10
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Launcher:
    """A line of the outline: its title, the zero-based page it leads to and how deep it stands from zero on."""

    title: str
    page: int
    depth: int = 0


def lines(*words: str, x: float = 72, top: float = 760, size: float = 10, leading: float = 12) -> list[Text]:
    """Lines below each other."""
    return [Text(x, top - number * leading, line, size) for number, line in enumerate(words)]


def pdf(
    *pages: Sequence[Text],
    outline: Sequence[Launcher] = (),
    info: Mapping[str, str] | None = None,
    locked: bool = False,
    rotate: int = 0,
) -> bytes:
    """The bytes of a file with these pages; a `locked` one opens with no password."""
    objects: dict[int, bytes] = {1: b"<< /Type /Catalog /Pages 2 0 R /Outlines 3 0 R >>"}
    foreign = [text.words for page in pages for text in page if not _is_latin(text)]
    letters = sorted(set("".join(foreign)))
    objects[4] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    objects |= _foreign_font(letters)
    first = 20
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(pages)))
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    for number, page in enumerate(pages):
        content = b"\n".join(_shown(text, letters) for text in page)
        at = first + 2 * number
        objects[at] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Rotate {rotate} "
            f"/Resources << /Font << /F1 4 0 R /F2 5 0 R >> >> /Contents {at + 1} 0 R >>"
        ).encode()
        objects[at + 1] = _stream(content)
    objects |= _outline(outline, first, first + 2 * len(pages))
    trailer = b"/Root 1 0 R"
    objects[9] = b"<< " + b" ".join(f"/{k} ".encode() + _string(v) for k, v in (info or {}).items()) + b" >>"
    trailer += b" /Info 9 0 R"
    if locked:
        objects[10] = b"<< /Filter /Standard /V 1 /R 2 /O <" + b"11" * 32 + b"> /U <" + b"22" * 32 + b"> /P -44 >>"
        trailer += b" /Encrypt 10 0 R /ID [<00> <00>]"
    return _file(objects, trailer)


def _is_latin(text: Text) -> bool:
    return all(letter.encode("cp1252", "ignore") for letter in text.words)


def _shown(text: Text, letters: Sequence[str]) -> bytes:
    if _is_latin(text):
        shown = text.words.encode("cp1252").replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        return f"BT /F1 {text.size} Tf {text.x} {text.y} Td (".encode() + shown + b") Tj ET"
    codes = "".join(f"{letters.index(c) + 1:04x}" for c in _stored(text))
    return f"BT /F2 {text.size} Tf {text.x} {text.y} Td <{codes}> Tj ET".encode()


def _stored(text: Text) -> str:
    return text.words[::-1] if text.backwards else text.words


def _foreign_font(letters: Sequence[str]) -> dict[int, bytes]:
    known = [" ", *letters]
    pairs = "\n".join(f"<{code:04x}> <{c.encode('utf-16-be').hex()}>" for code, c in enumerate(known))
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(known)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )
    return {
        5: b"<< /Type /Font /Subtype /Type0 /BaseFont /Own /Encoding /Identity-H /DescendantFonts [6 0 R] "
        b"/ToUnicode 7 0 R >>",
        6: b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Own /DW 500 /FontDescriptor 8 0 R "
        b"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        7: _stream(cmap.encode()),
        8: b"<< /Type /FontDescriptor /FontName /Own /Flags 4 /FontBBox [0 -200 1000 800] /ItalicAngle 0 "
        b"/Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 >>",
    }


def _outline(entries: Sequence[Launcher], first_page: int, first: int) -> dict[int, bytes]:
    """The outline's objects; entry number n is object `first + n`."""
    above = [-1] * len(entries)
    for number, entry in enumerate(entries):
        earlier = [n for n in range(number) if entries[n].depth < entry.depth]
        above[number] = earlier[-1] if earlier else -1
    objects = {3: f"<< /Type /Outlines {_children(above, -1, first)} >>".encode()}
    for number, entry in enumerate(entries):
        siblings = [n for n, parent in enumerate(above) if parent == above[number]]
        place = siblings.index(number)
        parent = 3 if above[number] < 0 else first + above[number]
        more = f"/Next {first + siblings[place + 1]} 0 R" if place + 1 < len(siblings) else ""
        objects[first + number] = (
            b"<< /Title "
            + _string(entry.title)
            + f" /Parent {parent} 0 R /Dest [{first_page + 2 * entry.page} 0 R /Fit] {more} ".encode()
            + f"{_children(above, number, first)} >>".encode()
        )
    return objects


def _children(above: Sequence[int], parent: int, first: int) -> str:
    found = [first + number for number, one in enumerate(above) if one == parent]
    return f"/First {found[0]} 0 R /Last {found[-1]} 0 R /Count {len(found)}" if found else ""


def _string(text: str) -> bytes:
    return b"<" + (b"\xfe\xff" + text.encode("utf-16-be")).hex().encode() + b">"


def _stream(content: bytes) -> bytes:
    return f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"


def _file(objects: Mapping[int, bytes], trailer: bytes) -> bytes:
    data = b"%PDF-1.7\n"
    places: dict[int, int] = {}
    for number in sorted(objects):
        places[number] = len(data)
        data += f"{number} 0 obj\n".encode() + objects[number] + b"\nendobj\n"
    size = max(objects) + 1
    table = b"".join(
        f"{places[number]:010d} 00000 n \n".encode() if number in places else b"0000000000 65535 f \n"
        for number in range(size)
    )
    start = len(data)
    return (
        data
        + f"xref\n0 {size}\n".encode()
        + table
        + f"trailer\n<< /Size {size} ".encode()
        + trailer
        + f" >>\nstartxref\n{start}\n%%EOF\n".encode()
    )
