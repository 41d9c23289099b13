"""A typed interface to PDFium: the only module that imports pypdfium2, which has no types.

PDFium must not be called from two threads at the same time: callers give each process one file at a time.
"""

import ctypes
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from math import hypot
from typing import TYPE_CHECKING, Any, cast

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from citemark.extraction.pdf.page_marks import MarkKind, PageMark
from citemark.model.errors import SkippableSourceError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Bounds = tuple[float, float, float, float]
"""Left, bottom, right and top in points; y runs upwards."""

_api: Any = pdfium_c
_MOST_ENTRIES = 20_000
_DEEPEST = 8
"""Most entries and greatest depth of an outline that are read; malformed ones have cycles."""

_LONGEST_NAME = 200
"""Most bytes of a font's name."""

_MOST_MARKS = 10_000
"""Most annotations, pictures or attached files of a page or document that are looked at."""

_LEAST_PICTURE = 0.03
"""Share of the page, a square of 4 cm on A4: smaller pictures are logos and ornaments."""

_LONGEST_MARK = 200_000
"""Most bytes of an annotation's text."""

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
        with suppress(pdfium.PdfiumError):
            self._document.init_forms()
        self._form: Any = self._document.formenv

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

    def attached_files(self) -> list[str]:
        """The names of the files that are attached to the document."""
        count = min(self._document.count_attachments(), _MOST_MARKS)
        return [str(self._document.get_attachment(index).get_name()).replace("\0", "") for index in range(count)]

    def picture(self, number: int, most_pixels: int) -> "NDArray[np.uint8] | None":
        """A zero-based page as rows of grey pixels, the longer side `most_pixels`; None if it cannot be drawn."""
        try:
            page = self._document[number]
        except pdfium.PdfiumError:
            return None
        try:
            drawn = page.render(scale=most_pixels / max(page.get_size()), grayscale=True)
            return cast("NDArray[np.uint8]", drawn.to_numpy().copy())
        except (pdfium.PdfiumError, ZeroDivisionError):
            return None
        finally:
            page.close()

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
            yield Characters(page, textpage, self._form.raw if self._form is not None else None)
        finally:
            textpage.close()
            page.close()


class _Marks:
    """Reads the annotations of a page, with the form that fields belong to, if the document has one."""

    def __init__(self, page: Any, form: Any) -> None:
        self._page = page
        self._form = form

    def all(self) -> Iterator[PageMark]:
        for index in range(min(_api.FPDFPage_GetAnnotCount(self._page), _MOST_MARKS)):
            annotation = _api.FPDFPage_GetAnnot(self._page, index)
            if not annotation:
                continue
            try:
                mark = self._mark(annotation, _api.FPDFAnnot_GetSubtype(annotation))
            finally:
                _api.FPDFPage_CloseAnnot(annotation)
            if mark is not None and mark.text:
                yield mark

    def _mark(self, annotation: Any, subtype: int) -> PageMark | None:
        if _api.FPDFAnnot_GetFlags(annotation) & _api.FPDF_ANNOT_FLAG_HIDDEN:
            return None
        words, top = self._string(annotation, b"Contents"), _top(annotation)
        if subtype == _api.FPDF_ANNOT_WIDGET:
            return self._field(annotation, top)
        if subtype == _api.FPDF_ANNOT_FREETEXT:
            return PageMark(MarkKind.TYPED, "", words, top=top)
        if subtype == _api.FPDF_ANNOT_FILEATTACHMENT:
            return PageMark(MarkKind.FILE, "", words or "without a description", top=top)
        if subtype in {_api.FPDF_ANNOT_POPUP, _api.FPDF_ANNOT_LINK}:
            return None
        return PageMark(MarkKind.COMMENT, self._string(annotation, b"T"), words, top=top)

    def _field(self, annotation: Any, top: float) -> PageMark | None:
        if self._form is None:
            return None
        kind = _api.FPDFAnnot_GetFormFieldType(self._form, annotation)
        name = self._of_form(_api.FPDFAnnot_GetFormFieldAlternateName, annotation)
        name = name or self._of_form(_api.FPDFAnnot_GetFormFieldName, annotation)
        value = self._of_form(_api.FPDFAnnot_GetFormFieldValue, annotation)
        if kind == _api.FPDF_FORMFIELD_CHECKBOX:
            ticked = bool(_api.FPDFAnnot_IsChecked(self._form, annotation))
            return PageMark(MarkKind.FIELD, name, "yes" if ticked else "no", is_box=True, top=top)
        if kind == _api.FPDF_FORMFIELD_RADIOBUTTON:
            chosen = _api.FPDFAnnot_IsChecked(self._form, annotation)
            return PageMark(MarkKind.FIELD, name, value, top=top) if chosen else None
        if kind in {_api.FPDF_FORMFIELD_PUSHBUTTON, _api.FPDF_FORMFIELD_SIGNATURE}:
            return None
        return PageMark(MarkKind.FIELD, name, value, top=top)

    def _string(self, annotation: Any, key: bytes) -> str:
        return _wide(lambda buffer, size: _api.FPDFAnnot_GetStringValue(annotation, key, buffer, size))

    def _of_form(self, function: Any, annotation: Any) -> str:
        return _wide(lambda buffer, size: function(self._form, annotation, buffer, size))


def _wide(call: Callable[[Any, int], int]) -> str:
    """A text that PDFium writes as UTF-16 into a buffer of the size that it asks for."""
    size = min(call(None, 0), _LONGEST_MARK)
    if size <= 2:  # noqa: PLR2004 - the two bytes that end the text
        return ""
    buffer = ctypes.create_string_buffer(size)
    call(ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), size)
    return buffer.raw[:size].decode("utf-16-le", "replace").rstrip("\0").strip()


def _top(annotation: Any) -> float:
    rect = _api.FS_RECTF()
    return float(rect.top) if _api.FPDFAnnot_GetRect(annotation, ctypes.byref(rect)) else 0.0


def _area(shape: Any) -> float:
    left, bottom, right, top = cast("Bounds", shape.get_bounds())
    return abs((right - left) * (top - bottom))


class Characters:
    """A page's characters in the order of the file; boxes are as the page is shown, with its rotation undone.

    Every method is a foreign call, unlike `text`: call one only where it matters.
    """

    def __init__(self, page: Any, textpage: Any, form: Any) -> None:
        self._page = page
        self._form = form
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

    def marks(self) -> list[PageMark]:
        """The form fields and annotations of the page, in the order of the file."""
        return list(_Marks(self._page.raw, self._form).all())

    def pictures(self) -> int:
        """How many pictures the page shows that are larger than a logo or an ornament."""
        least = _LEAST_PICTURE * abs(self._width * self._height)
        found = islice(self._page.get_objects(filter=[pdfium_c.FPDF_PAGEOBJ_IMAGE]), _MOST_MARKS)
        return sum(_area(picture) >= least for picture in found)

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
