"""Bytes to text, without guessing more than a reader of the file would."""

import codecs

from citemark.model.errors import SkippableSourceError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\r\f\v\b\x1b")
_FEW_CONTROLS = 4
_CONTROL_SHARE = 0.01


def decode(data: bytes) -> str:
    """The text of a file: by its byte order mark, else UTF-8, else Windows-1252.

    A stray NUL becomes U+FFFD (no database stores NUL in text), so every other character keeps its place.

    Raises:
        SkippableSourceError: more control bytes than any text has; the file is binary.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _without_nul(data[len(mark) :].decode(encoding, "replace"))
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > max(_FEW_CONTROLS, len(data) * _CONTROL_SHARE):
        raise SkippableSourceError(
            f"The file is binary, not text: {controls} of its {len(data)} bytes are control codes."
        )
    try:
        return _without_nul(data.decode("utf-8"))
    except UnicodeDecodeError:
        return _without_nul(_western(data))


def _western(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd") if "\0" in text else text
