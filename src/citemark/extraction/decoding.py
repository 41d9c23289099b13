"""Decodes bytes to text, with no more guessing than a person who opens the file would do."""

import codecs
import re

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
"""The number and the share of control bytes up to which a file counts as text: logs and old files have a few."""

_TEXT_ENCODINGS = re.compile(
    r"utf-?8|utf-?16(?:-?[lb]e)?|(?:iso[-_]?)?8859-?\d{1,2}(?:-[ie])?|iso-?2022-(?:jp|kr)|latin-?\d{1,2}|"
    r"(?:windows|cp)-?\d{3,4}|koi8-?[rtu]|gbk|gb-?2312|gb-?18030|hz|big5(?:-?hkscs)?|(?:x-)?s(?:hift)?[_-]?jis|"
    r"euc-?(?:jp|kr|cn)|ks_c_5601-1987|mac(?:-?roman|intosh|-?cyrillic)|tis-?620|(?:us-?)?ascii",
    re.IGNORECASE,
)
"""Names of encodings that a file may choose: Python also has codecs that decompress, and one that is quadratic."""

_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "x-sjis": "cp932", "shift_jis": "cp932", "shift-jis": "cp932",
          "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "tis-620": "cp874"}  # fmt: skip
"""The wider encoding that files use under each of these names."""

_DEFAULTS = frozenset({"iso8859-1", "cp1252", "ascii"})


def decode(data: bytes) -> str:
    """Decode a file by its byte order mark, else as UTF-8, else as Windows-1252.

    A stray NUL becomes U+FFFD (no database stores NUL in text), so every other character keeps its position.

    Raises:
        SkippableSourceError: the file is binary: it has more control bytes than any text.
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


def decode_as(data: bytes, charset: str) -> str:
    """Decode bytes that came with the name of their encoding, which is often wrong.

    A byte order mark takes precedence over the name; valid UTF-8 takes precedence over the names that programs give by
    default. An unknown name is ignored; what a known encoding cannot decode becomes U+FFFD.

    Raises:
        SkippableSourceError: the bytes are binary, and the name is unknown, UTF-8 or a default one.
    """
    name = charset.strip(" \t\"'").lower()
    if not _TEXT_ENCODINGS.fullmatch(name) or any(data.startswith(mark) for mark, _ in _MARKS):
        return decode(data)
    try:
        encoding = codecs.lookup(_WIDER.get(name, name)).name
    except LookupError:
        return decode(data)
    if encoding == "utf-8" or encoding in _DEFAULTS:
        return decode(data)
    return _without_nul(data.decode(encoding, "replace"))


def _western(data: bytes) -> str:
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd") if "\0" in text else text
