"""Converts PDF files to text with spans: a section per page, named after the outline.

PDFium must not be called from two threads at the same time: callers give each process one file at a time.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from citemark.extraction.builder import Builder, sensible_title, tags_of
from citemark.extraction.own_dates import own_dates
from citemark.extraction.pdf.blocks import Hyphens, PdfBlock, blocks_of
from citemark.extraction.pdf.lines import PdfLine, lines_of, runs_of
from citemark.extraction.pdf.page_marks import PageMark, lines_of_marks
from citemark.extraction.pdf.pdfium import Characters, OutlineEntry, PdfFile, broken_pdf
from citemark.extraction.pdf.recognised_page import RecognisedPage
from citemark.extraction.symbol_fonts import NO_CHARACTER
from citemark.model.recognised import READ_BY_OCR, RecognisedPart, in_title, recognised_text
from citemark.model.text import BlockKind, Extracted

_PDF_DATE = re.compile(r"(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)(\d\d))?)?)?")
_LONGEST_TITLE = 200
"""Most characters of an outline entry."""

_EDGE_LINES = 3
"""How many lines at the top and at the bottom of a page may be headers or footers."""


_EDGE = 0.13
"""Share of the page's height, nearly 4 cm on A4: headers and footers are within these margins."""


_LEAST_PAGES = 3
"""Fewest pages that must repeat a header or footer; equal lines on two pages may be text."""


_SHARE = 0.4
"""Share of pages that must repeat it: left and right pages differ, and the first page of a chapter often lacks it."""


_LARGE = 1.15
"""Times the size of the text: larger lines are titles (`blocks` uses the same limit)."""


_DIGITS = re.compile(r"\d+")

_ROMAN = re.compile(r"[ivxlc]{1,7}")

_COUNTS = re.compile(r"\W*#(?:\W{1,3}#)?\W*")

_OUTER_NUMBER = re.compile(r"^\W{0,3}(\d{1,5})\b|\b(\d{1,5})\W{0,3}$")

_MOST_PAGES = 20_000
"""Most pages that are read; with a thousand characters each, they fill the longest body that is built."""


_NOTHING = (
    "The PDF holds no text on its pages. If they are images (a scan), make their text readable with a program for text "
    "recognition, such as ocrmypdf, and put that file in its place."
)


UNRECOGNISED = "page not recognised"
"""What a page is counted as that text recognition did not read or gave up: whether it shows text is not known."""


def extract_pdf(data: bytes, *, fallback_title: str) -> Extracted:
    """Extract the text of a PDF in reading order; each page with text is a section `page-N`.

    Lines are joined into paragraphs, words that they divide are joined again, and headers and footers that most pages
    repeat are left out. Below the text of a page are the values of its form fields ("label: value"), text that was
    typed onto it, and comments. The title is that of the file's properties if an author chose it, else
    `fallback_title`.

    Raises:
        SkippableSourceError: the file has a password or another protection, is broken, or has only images as pages.
    """
    file = PdfFile(data)
    try:
        return document_of(file, pages_of(file), fallback_title)
    finally:
        file.close()


def document_of(file: PdfFile, read: "Sequence[PageContent | None]", fallback_title: str) -> Extracted:
    """The document that its pages make, as `pages_of` read them.

    Raises:
        SkippableSourceError: no page can be read, or none has text.
    """
    unreadable = [number for number, page in enumerate(read, 1) if page is None]
    if len(unreadable) == len(read):
        raise broken_pdf("none of its pages can be read")
    found = [page or PageContent() for page in read]
    size = usual_size([page.lines for page in found])
    without = [n for n, page in enumerate(found, 1) if not page.lines and not page.marks and n not in unreadable]
    empty = [n for n in without if not found[n - 1].unrecognised]
    pages = without_furniture([page.lines for page in found], [page.height for page in found], size)
    hyphens = Hyphens(line.whole.text for lines in pages for line in lines)
    paths = outline_paths(file.outline(), file.pages)
    builder = Builder()
    for number, lines in enumerate(pages, 1):
        name, path = found[number - 1].named(number), paths.get(number - 1, ())
        title = f"{name}: {path[-1]}" if path else name
        builder.section(title, slug=slug_of(number), path=(*path, name))
        write_blocks(builder, blocks_of(lines, hyphens, size), found[number - 1].marks)
        if builder.full:
            break
    if file.pages > _MOST_PAGES:
        builder.cut(f"Only the first {_MOST_PAGES:,} of {file.pages:,} pages are read.")
    _count_left_out(builder, file, found, empty=len(empty), unreadable=len(unreadable))
    properties = file.properties()
    document = builder.finish(
        title=sensible_title(properties.get("Title", "")) or fallback_title,
        nothing=_NOTHING,
        tags=tags_of(properties.get("Keywords", "")),
        metadata={
            "author": properties.get("Author", ""),
            "subject": properties.get("Subject", ""),
            **own_dates(pdf_date(properties.get("CreationDate", "")), pdf_date(properties.get("ModDate", ""))),
            "pages": str(file.pages),
            "pages_without_text": _ranges(empty),
            "pages_unreadable": _ranges(unreadable),
        },
    )
    return with_parts_by_ocr(document, {slug_of(n): page.confidence for n, page in enumerate(found, 1)})


def write_blocks(builder: Builder, blocks: Iterable[PdfBlock], marks: Sequence[PageMark] = ()) -> None:
    """Add the blocks of a page, and its form fields and annotations below them."""
    for block in blocks:
        if block.kind is BlockKind.TABLE:
            builder.table(block.rows, header=block.header)
        elif block.kind is BlockKind.LIST_ITEM:
            builder.item(block.text, marker=block.marker)
        else:
            builder.paragraph(block.text, block.kind)
    for line in lines_of_marks(marks):
        builder.paragraph(line)


def _count_left_out(
    builder: Builder, file: PdfFile, pages: Sequence["PageContent"], *, empty: int, unreadable: int
) -> None:
    """Count what is not read; attached files are named as well, below the last page."""
    files = file.attached_files()
    for name in files:
        builder.item(f"Attached file: {name}")
    builder.leave_out("page without text", empty)
    builder.leave_out(UNRECOGNISED, sum(page.unrecognised for page in pages))
    builder.leave_out("unreadable page", unreadable)
    builder.leave_out("attached file", len(files))
    builder.leave_out("image without text", sum(page.pictures for page in pages if page.lines or page.marks))


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page holds.

    Attributes:
        lines: its text.
        height: of the page, in points.
        marks: its form fields and annotations.
        pictures: how many there are that are larger than a logo.
        confidence: in the letters of its lines, if they were recognised in a picture of it; None for text of the file.
        unrecognised: whether text was to be recognised in a picture of it, and was not.
    """

    lines: tuple[PdfLine, ...] = ()
    height: float = 0.0
    marks: tuple[PageMark, ...] = ()
    pictures: int = 0
    confidence: float | None = None
    unrecognised: bool = False

    def with_recognised(self, page: RecognisedPage) -> "PageContent":
        """The page with the text that was recognised in a picture of it, if there is any."""
        if not page.runs:
            return self
        runs = page.as_high_as(self.height).runs
        return replace(self, lines=tuple(lines_of(runs)), pictures=0, confidence=page.confidence)

    def named(self, number: int) -> str:
        """What its section is called: its number, and how it was read if that was by text recognition."""
        return f"Page {number}" if self.confidence is None else f"Page {number} ({in_title(self.confidence)})"


def slug_of(number: int) -> str:
    """The slug of the section of a page."""
    return f"page-{number}"


def with_parts_by_ocr(document: Extracted, confidences: Mapping[str, float | None]) -> Extracted:
    """A document whose metadata says which of its sections, by their slugs, were recognised in pictures."""
    parts = [
        RecognisedPart(section.span, confidence)
        for section in document.sections
        if (confidence := confidences.get(section.slug)) is not None
    ]
    return replace(document, metadata={**document.metadata, READ_BY_OCR: recognised_text(parts)}) if parts else document


def pages_of(file: PdfFile) -> list[PageContent | None]:
    """The content of each page, or None for a page that is broken.

    Raises:
        SkippableSourceError: the file has no pages.
    """
    if not file.pages:
        raise broken_pdf("it has no pages")
    pages: list[PageContent | None] = []
    for number in range(min(file.pages, _MOST_PAGES)):
        with file.characters(number) as characters:
            pages.append(_content_of(characters) if characters is not None else None)
    return pages


def _content_of(characters: Characters) -> PageContent:
    lines = lines_of(runs_of(characters))
    return PageContent(
        () if _is_unreadable(lines) else tuple(lines),
        characters.shown_height,
        tuple(characters.marks()),
        characters.pictures(),
    )


def _is_unreadable(lines: Sequence[PdfLine]) -> bool:
    """True for a page whose fonts do not say which characters they show: it must be recognised like a scan."""
    text = "".join(line.whole.text for line in lines)
    return NO_CHARACTER in text and not any(map(str.isalnum, text))


def usual_size(pages: Sequence[Sequence[PdfLine]]) -> float:
    """The font size that most characters have, in points."""
    sizes: Counter[float] = Counter()
    for lines in pages:
        for line in lines:
            sizes[round(line.whole.size * 2) / 2] += len(line.whole.text)
    return max(sizes, key=lambda size: sizes[size]) if sizes else 0.0


def _ranges(numbers: Sequence[int]) -> str:
    """Page numbers as people write them: "2, 5-7"."""
    found: list[list[int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in found)


def pdf_date(stored: str) -> str:
    """A PDF date in ISO 8601 format, as far as it goes and without its zone, or "" if it is not a date."""
    match = _PDF_DATE.match(stored)
    parts = match.groups() if match else ()
    day, time = "-".join(part for part in parts[:3] if part), ":".join(part for part in parts[3:] if part)
    return f"{day}T{time}" if time else day


def outline_paths(entries: Iterable[OutlineEntry], pages: int) -> dict[int, tuple[str, ...]]:
    """Map zero-based pages to the headings above them, outermost first; pages before the first entry have none.

    A page's own heading is the first one that begins on it, else the last that began before it.
    """
    begins = _begins(entries, pages)
    paths: dict[int, tuple[str, ...]] = {}
    current: tuple[str, ...] = ()
    for page in range(pages if begins else 0):
        here = begins.get(page)
        if here or current:
            paths[page] = here[0] if here else current
        current = here[-1] if here else current
    return paths


def _begins(entries: Iterable[OutlineEntry], pages: int) -> dict[int, list[tuple[str, ...]]]:
    """The paths of the entries that lead to each page, in the order of the outline."""
    begins: dict[int, list[tuple[str, ...]]] = {}
    above: list[str] = []
    for entry in entries:
        del above[entry.level :]
        above.extend([""] * (entry.level - len(above)))
        above.append(entry.title[:_LONGEST_TITLE])
        if entry.title and entry.page is not None and 0 <= entry.page < pages:
            begins.setdefault(entry.page, []).append(tuple(part for part in above if part))
    return begins


def without_furniture(pages: Sequence[Sequence[PdfLine]], heights: Sequence[float], size: float) -> list[list[PdfLine]]:
    """Remove the lines that at least two fifths of the pages (and at least three) repeat near their top or bottom.

    All numbers count as equal, so that page numbers are removed; a line of numbers only must look like a page number.
    The outermost line is removed, whatever it says, if it begins or ends with a number that counts the pages. Lines
    larger than the text are titles, however often they appear.

    Args:
        pages: The lines of each page.
        heights: The height of each page, in points.
        size: The size of the running text.
    """
    at_edges = [
        _edges(number, lines, height, size) for number, (lines, height) in enumerate(zip(pages, heights, strict=True))
    ]
    repeats = Counter(key for edges in at_edges for key in {key for keys in edges.values() for key in keys})
    least = max(_LEAST_PAGES, _SHARE * sum(bool(lines) for lines in pages))
    return [
        [line for number, line in enumerate(lines) if all(repeats[key] < least for key in edges.get(number, ()))]
        for lines, edges in zip(pages, at_edges, strict=True)
    ]


def _edges(page: int, lines: Sequence[PdfLine], height: float, size: float) -> dict[int, set[str]]:
    """The lines that may be headers or footers: their index, and the marks by which other pages repeat them."""
    by_height = sorted(range(len(lines)), key=lambda number: -lines[number].whole.top)
    found: dict[int, set[str]] = {}
    for edge, numbers in (("top", by_height[:_EDGE_LINES]), ("bottom", by_height[: -_EDGE_LINES - 1 : -1])):
        for rank, number in enumerate(numbers):
            line = lines[number].whole
            outside = line.bottom > height * (1 - _EDGE) if edge == "top" else line.top < height * _EDGE
            if not outside or line.size > _LARGE * size:
                continue
            marks = found.setdefault(number, set())
            text = _DIGITS.sub("#", " ".join(line.text.casefold().split()))
            text = "#" if _ROMAN.fullmatch(text) else text
            if _COUNTS.fullmatch(text) or any(map(str.isalpha, text)):
                marks.add(f"{edge} {text}")
            if rank == 0:
                pairs = _OUTER_NUMBER.findall(line.text)
                marks.update(f"counts from {int(one or other) - page}" for one, other in pairs)
    return found
