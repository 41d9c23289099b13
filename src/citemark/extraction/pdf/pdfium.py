"""A typed interface to PDFium: the only module that imports pypdfium2, which has no types.

PDFium must not be called from two threads at the same time: callers give each process one file at a time.
"""

import ctypes
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from math import hypot
from typing import Any, cast

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citemark.model.errors import SkippableSourceError

Bounds = tuple[float, float, float, float]
"""Left, bottom, right and top in points; y runs upwards."""

_api: Any = pdfium_c
_MOST_ENTRIES = 20_000
_DEEPEST = 8
"""Most entries and greatest depth of an outline that are read; malformed ones have cycles."""

_LONGEST_NAME = 200
"""Most bytes of a font's name."""

_LOCKED = "The PDF is protected by a password. Save a copy without the password, or leave the file out of the source."
_FOREIGN_LOCK = (
    "The PDF is protected in a way that cannot be read, as with a certificate or rights management. "
    "Save a copy without the protection, or leave the file out of the source."
)
_BROKEN = "The PDF is broken: {reason}. Open it in a PDF program and save it again, or get it again."


def broken_pdf(reason: str) -> SkippableSourceError:
    """The error for a file that is not a readable document; `reason` follows a colon."""
    return SkippableSourceError(_BROKEN.format(reason=reason))


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """A bookmark: its title, its depth, and the zero-based page that it leads to."""

    title: str
    level: int
    page: int | None


class PdfFile:
    """An open document, which the caller must close.

    Raises:
        SkippableSourceError: the file has a password or another protection, or is not a PDF.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._document: Any = pdfium.PdfDocument(data)
        except pdfium.PdfiumError as error:
            raise _refusal(cast("Any", error).err_code) from error
        self.pages: int = len(self._document)

    def close(self) -> None:
        """Free the memory that PDFium holds."""
        self._document.close()

    def properties(self) -> Mapping[str, str]:
        """Title, Author, Subject, Keywords, CreationDate and ModDate as stored."""
        stored: dict[str, str] = self._document.get_metadata_dict()
        return {key: value.replace("\x00", "").strip() for key, value in stored.items()}

    def outline(self) -> Iterator[OutlineEntry]:
        """The first 20,000 bookmarks, in order."""
        for entry in islice(self._document.get_toc(max_depth=_DEEPEST), _MOST_ENTRIES):
            target = entry.get_dest()
            title = " ".join(str(entry.get_title()).replace("\x00", " ").split())
            yield OutlineEntry(title, entry.level, target.get_index() if target is not None else None)

    @contextmanager
    def characters(self, number: int) -> Generator["Characters | None", None, None]:
        """The characters of a zero-based page, or None if the page is broken."""
        try:
            page = self._document[number]
        except pdfium.PdfiumError:
            yield None
            return
        try:
            textpage = page.get_textpage()
        except pdfium.PdfiumError:
            page.close()
            yield None
            return
        try:
            yield Characters(page, textpage)
        finally:
            textpage.close()
            page.close()


class Characters:
    """A page's characters in the order of the file; boxes are as the page is shown, with its rotation undone.

    Every method is a foreign call, unlike `text`: call one only where it matters.
    """

    def __init__(self, page: Any, textpage: Any) -> None:
        self._raw = textpage.raw
        self._rotation: int = page.get_rotation()
        left, bottom, right, top = cast("Bounds", page.get_cropbox())
        self._origin = (left, bottom)
        self._width, self._height = right - left, top - bottom
        self._rect = _api.FS_RECTF()
        self._matrix = _api.FS_MATRIX()
        self.shown_height: float = page.get_height()
        count: int = textpage.count_chars()
        text: str = textpage.get_text_range(0, count, errors="replace") if count > 0 else ""
        if len(text) != count:
            unicode_of = _api.FPDFText_GetUnicode
            text = "".join(chr(unicode_of(self._raw, index)) for index in range(count))
        self.text = text

    def box(self, index: int) -> Bounds | None:
        """The box of a character, with the room that its font keeps above and below, or None if it has no position."""
        if not _api.FPDFText_GetLooseCharBox(self._raw, index, ctypes.byref(self._rect)):
            return None
        left, right = self._rect.left - self._origin[0], self._rect.right - self._origin[0]
        bottom, top = self._rect.bottom - self._origin[1], self._rect.top - self._origin[1]
        match self._rotation:
            case 90:
                return bottom, self._width - right, top, self._width - left
            case 180:
                return self._width - right, self._height - top, self._width - left, self._height - bottom
            case 270:
                return self._height - top, left, self._height - bottom, right
            case _:
                return left, bottom, right, top

    def is_generated(self, index: int) -> bool:
        """True for white space that is not in the file but follows from the positions of its neighbours."""
        return _api.FPDFText_IsGenerated(self._raw, index) == 1

    def is_one_piece(self, start: int, end: int) -> bool:
        """True if the file writes a range of characters at once, in one font and size."""
        return _api.FPDFText_CountRects(self._raw, start, end - start) == 1

    def origin(self, index: int) -> tuple[float, float]:
        """Where the left end of a character stands on its line, in points of the page as it is stored."""
        x, y = ctypes.c_double(), ctypes.c_double()
        found = _api.FPDFText_GetCharOrigin(self._raw, index, ctypes.byref(x), ctypes.byref(y))
        return (x.value, y.value) if found else (0.0, 0.0)

    def direction(self, index: int) -> tuple[float, float]:
        """Where the line of a character leads on the page as it is stored, as a vector of length 1."""
        if not _api.FPDFText_GetMatrix(self._raw, index, ctypes.byref(self._matrix)):
            return 1.0, 0.0
        length = hypot(self._matrix.a, self._matrix.b)
        return (self._matrix.a / length, self._matrix.b / length) if length else (1.0, 0.0)

    def font(self, index: int) -> str:
        """The name of a character's font, "" if it has none."""
        room = ctypes.create_string_buffer(_LONGEST_NAME)
        flags = ctypes.c_int()
        length = _api.FPDFText_GetFontInfo(self._raw, index, room, _LONGEST_NAME, ctypes.byref(flags))
        return room.value.decode("utf-8", "replace") if 0 < length <= _LONGEST_NAME else ""

    def size(self, index: int) -> float:
        """The size of a character's font as a reader sees it, in points, or 0 if it is unknown."""
        if not _api.FPDFText_GetMatrix(self._raw, index, ctypes.byref(self._matrix)):
            return 0.0
        scale = (self._matrix.c**2 + self._matrix.d**2) ** 0.5
        return round(_api.FPDFText_GetFontSize(self._raw, index) * scale, 1)


def _refusal(code: int) -> SkippableSourceError:
    match code:
        case pdfium_c.FPDF_ERR_PASSWORD:
            return SkippableSourceError(_LOCKED)
        case pdfium_c.FPDF_ERR_SECURITY:
            return SkippableSourceError(_FOREIGN_LOCK)
        case _:
            return broken_pdf("its table of objects cannot be read")
