"""Reads scanned pages of PDF files, and pictures, in the processes with limits: a message for each page that was read.

The time that a file may take counts for each page, since each message begins it anew. A refusal is a message too: an
error after so much memory was used would count as a lack of it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any

from citemark.extraction.builder import Builder
from citemark.extraction.ocr.pictures import MOST_PIXELS, pictures_of
from citemark.extraction.ocr.tesseract_engine import Tesseract
from citemark.extraction.pdf.blocks import Hyphens, blocks_of
from citemark.extraction.pdf.document import (
    UNRECOGNISED,
    PageContent,
    document_of,
    pages_of,
    slug_of,
    usual_size,
    with_parts_by_ocr,
    write_blocks,
)
from citemark.extraction.pdf.pdfium import PdfFile
from citemark.extraction.pdf.recognised_page import RecognisedPage
from citemark.extraction.sandbox.ipc import extracted_to_json
from citemark.model.errors import RetriableSourceError, SkippableSourceError
from citemark.model.text import Extracted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_NOTHING = "The picture shows no text that can be read. Leave it out of the source, or turn it upright."
_FAILED = (
    "Text recognition failed on the picture. Give it more memory (CITEMARK_PARSE_MEMORY_MIB), or leave the picture out."
)
_MOST_RECOGNISED = 200
"""Pages of a file that are recognised: each takes seconds, in one of the two processes that read all files."""

_NOTHING_SO_FAR = (
    f"The first {_MOST_RECOGNISED} pages of the picture show no text that can be read, and no more are recognised. "
    "Save the others as a file of their own."
)

_Messages = Callable[..., Iterator[dict[str, Any]]]
_Recognise = Callable[["NDArray[np.uint8]"], RecognisedPage]


def _with_refusals(read: _Messages) -> _Messages:
    """A reader whose refusal of a file, or lack of what recognises text, is its last message."""

    @wraps(read)
    def told(data: bytes, *, title: str, recognition: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        try:
            yield from read(data, title=title, recognition=recognition)
        except SkippableSourceError as error:
            yield {"refused": error.message}
        except RetriableSourceError as error:
            yield {"unavailable": error.message}

    return told


@_with_refusals
def read_scanned_pdf(data: bytes, *, title: str, recognition: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a message for each page that was recognised, and the document as the last part.

    `recognition`: the arguments of a `TextRecognition`.

    Raises:
        SkippableSourceError: the file cannot be read, or has no text even so.
        RetriableSourceError: a page is to be recognised, and what does so has to be mended first.
    """
    file = PdfFile(data)
    try:
        pages = pages_of(file)
        scanned = [number for number, page in enumerate(pages) if page is not None and not page.lines]
        recognise = _recogniser(recognition) if scanned else None
        for number in scanned[:_MOST_RECOGNISED]:
            page, picture = pages[number] or PageContent(), file.picture(number, MOST_PIXELS)
            pages[number] = (
                replace(page, unrecognised=True)
                if picture is None or recognise is None
                else _recognised(page, picture, recognise)
            )
            yield {"page": number}
        for number in scanned[_MOST_RECOGNISED:]:
            pages[number] = replace(pages[number] or PageContent(), unrecognised=True)
        yield extracted_to_json(document_of(file, pages, title))
    finally:
        file.close()


@_with_refusals
def read_picture(data: bytes, *, title: str, recognition: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a message for each page of a picture, of which a fax has several, and the document as the last part.

    `recognition`: the arguments of a `TextRecognition`.

    Raises:
        SkippableSourceError: it is no picture, too large, or has no text.
        RetriableSourceError: what recognises text has to be mended first.
    """
    recognise = _recogniser(recognition)
    pages: list[PageContent] = []
    for picture in pictures_of(data, _MOST_RECOGNISED):
        if picture is None:
            pages.append(PageContent(unrecognised=True))
            continue
        pages.append(_recognised(PageContent(height=float(picture.shape[0])), picture, recognise))
        yield {"page": len(pages)}
    yield extracted_to_json(document_of_pictures(pages, title))


def document_of_pictures(pages: Sequence[PageContent], title: str) -> Extracted:
    """The document of a picture's pages, which counts those that were not recognised.

    Raises:
        SkippableSourceError: none of them has text.
    """
    size = usual_size([page.lines for page in pages])
    hyphens = Hyphens(line.whole.text for page in pages for line in page.lines)
    builder = Builder()
    for number, page in enumerate(pages, 1):
        builder.section(page.named(number), slug=slug_of(number))
        write_blocks(builder, blocks_of(page.lines, hyphens, size))
    builder.leave_out(UNRECOGNISED, sum(page.unrecognised for page in pages))
    document = builder.finish(title=title, nothing=_why_nothing(pages))
    confidences = {slug_of(number): page.confidence for number, page in enumerate(pages, 1)}
    return with_parts_by_ocr(document, confidences)


def _why_nothing(pages: Sequence[PageContent]) -> str:
    """What to tell of pages without any text."""
    if any(page.unrecognised for page in pages[:_MOST_RECOGNISED]):
        return _FAILED
    return _NOTHING if len(pages) <= _MOST_RECOGNISED else _NOTHING_SO_FAR


def _recogniser(recognition: Mapping[str, Any]) -> _Recognise:
    """What recognises the text of a page: the program that is named, or the packages of the extra."""
    program: str | None = recognition["program"]
    if program is not None:
        return Tesseract(program, recognition["languages"], recognition["seconds"]).recognise
    from citemark.extraction.ocr.rapidocr_engine import recognise  # noqa: PLC0415 - loaded where it is used

    return recognise


def _recognised(page: PageContent, picture: "NDArray[np.uint8]", recognise: _Recognise) -> PageContent:
    """A page with the text of its picture; what breaks the engine costs the text of that page and no other."""
    try:
        return page.with_recognised(recognise(picture))
    except Exception:  # noqa: BLE001 - it is counted as a page that was not recognised
        return replace(page, unrecognised=True)
