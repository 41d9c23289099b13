"""PDF to text with spans: a section per page, named by the outline.

PDFium is not safe to call from two threads at once: callers give each process one file at a time.
"""

from collections import Counter
from collections.abc import Sequence

from citemark.extraction.building import Builder
from citemark.extraction.pdf_blocks import blocks_of
from citemark.extraction.pdf_file import PdfFile, broken
from citemark.extraction.pdf_furniture import without_furniture
from citemark.extraction.pdf_hyphens import Hyphens
from citemark.extraction.pdf_lines import Line, lines_of
from citemark.extraction.pdf_outline import outline_paths
from citemark.extraction.pdf_runs import runs_of
from citemark.extraction.titles import pdf_date, sensible_title, tags_of
from citemark.model.text import BlockKind, Extracted

_MOST_PAGES = 20_000
_NOTHING = (
    "The PDF holds no text: its pages are images (a scan). Make its text readable with a program for text recognition, "
    "such as ocrmypdf, and put that file in its place."
)


def extract_pdf(data: bytes, *, fallback_title: str) -> Extracted:
    """The text of a PDF in reading order; each page with text is a section `page-N`.

    Lines are joined to paragraphs and words that they part are healed; headers and footers that most pages repeat are
    left out. The title is that of the file's properties where an author chose it, else `fallback_title`.

    Raises:
        SkippableSourceError: a password or another protection, a broken file, or pages that are images only.
    """
    file = PdfFile(data)
    try:
        return _extract(file, fallback_title)
    finally:
        file.close()


def _extract(file: PdfFile, fallback_title: str) -> Extracted:
    if not file.pages:
        raise broken("it has no pages")
    pages, heights, unreadable = _read(file, min(file.pages, _MOST_PAGES))
    if len(unreadable) == len(pages):
        raise broken("none of its pages can be read")
    size = _usual_size(pages)
    silent = [number for number, lines in enumerate(pages, 1) if not lines and number not in unreadable]
    pages = without_furniture(pages, heights, size)
    hyphens = Hyphens(line.whole.text for lines in pages for line in lines)
    paths = outline_paths(file.outline(), file.pages)
    builder = Builder()
    for number, lines in enumerate(pages, 1):
        name, path = f"Page {number}", paths.get(number - 1, ())
        title = f"{name}: {path[-1]}" if path else name
        builder.section(title, slug=f"page-{number}", path=(*path, name))
        for block in blocks_of(lines, hyphens, size):
            if block.kind is BlockKind.TABLE:
                builder.table(block.rows, header=block.header)
            elif block.kind is BlockKind.LIST_ITEM:
                builder.item(block.text, marker=block.marker)
            else:
                builder.paragraph(block.text, block.kind)
        if builder.full:
            break
    if file.pages > _MOST_PAGES:
        builder.cut(f"Only the first {_MOST_PAGES:,} of {file.pages:,} pages are read.")
    stored = file.properties()
    return builder.finish(
        title=sensible_title(stored.get("Title", "")) or fallback_title,
        nothing=_NOTHING,
        tags=tags_of(stored.get("Keywords", "")),
        metadata={
            "author": stored.get("Author", ""),
            "subject": stored.get("Subject", ""),
            "created": pdf_date(stored.get("CreationDate", "")),
            "modified": pdf_date(stored.get("ModDate", "")),
            "pages": str(file.pages),
            "pages_without_text": _ranges(silent),
            "pages_unreadable": _ranges(unreadable),
        },
    )


def _read(file: PdfFile, count: int) -> tuple[list[list[Line]], list[float], list[int]]:
    """The lines and the height of each page, and the numbers of pages that are broken."""
    pages: list[list[Line]] = []
    heights: list[float] = []
    unreadable: list[int] = []
    for number in range(count):
        with file.characters(number) as characters:
            if characters is None:
                unreadable.append(number + 1)
            pages.append(lines_of(runs_of(characters)) if characters is not None else [])
            heights.append(characters.shown_height if characters is not None else 0.0)
    return pages, heights, unreadable


def _usual_size(pages: Sequence[Sequence[Line]]) -> float:
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
