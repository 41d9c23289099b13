"""Decodes bytes to text, with no more guessing than a person who opens the file would do."""

import codecs
import re
from collections.abc import Mapping
from types import MappingProxyType

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

_LABELS: Mapping[str, str] = MappingProxyType({label: codec for codec, labels in {
    "cp866": "866 csibm866 ibm866",
    "iso8859-2": "csisolatin2 iso-ir-101 iso88592 iso_8859-2:1987 l2",
    "iso8859-3": "csisolatin3 iso-ir-109 iso88593 iso_8859-3:1988 l3",
    "iso8859-4": "csisolatin4 iso-ir-110 iso88594 iso_8859-4:1988 l4",
    "iso8859-5": "csisolatincyrillic cyrillic iso-ir-144 iso88595 iso_8859-5:1988",
    "iso8859-6": "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i "
                 "iso-ir-127 iso88596 iso_8859-6:1987",
    "iso8859-7": "csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso88597 iso_8859-7:1987 sun_eu_greek",
    "iso8859-8": "csiso88598e csiso88598i csisolatinhebrew hebrew iso-8859-8-e iso-8859-8-i iso-ir-138 iso88598 "
                 "iso_8859-8:1988 logical visual",
    "iso8859-10": "csisolatin6 iso-ir-157 iso885910 l6",
    "iso8859-13": "iso885913",
    "iso8859-14": "iso885914",
    "iso8859-15": "csisolatin9 iso885915 l9",
    "koi8-r": "cskoi8r koi koi8 koi8_r",
    "mac-roman": "csmacintosh mac x-mac-roman",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp874": "dos-874 iso885911 tis-620 windows-874",
    "cp1250": "x-cp1250",
    "cp1251": "x-cp1251",
    "cp1253": "x-cp1253",
    "cp1254": "csisolatin5 iso-ir-148 iso88599 iso_8859-9:1989 l5 x-cp1254",
    "cp1255": "x-cp1255",
    "cp1256": "x-cp1256",
    "cp1257": "x-cp1257",
    "cp1258": "x-cp1258",
    "gb18030": "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk",
    "hz": "hz-gb-2312",
    "big5": "cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso2022-jp": "csiso2022jp",
    "iso2022-kr": "csiso2022kr",
    "cp932": "csshiftjis ms932 ms_kanji shift-jis shift_jis windows-31j x-sjis",
    "cp949": "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 "
             "windows-949",
}.items() for label in labels.split()})  # fmt: skip
"""Labels of the Encoding Standard (WHATWG) that Python does not know, or for which files use a wider encoding."""

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
    label = _LABELS.get(name, name)
    if not _TEXT_ENCODINGS.fullmatch(label) or any(data.startswith(mark) for mark, _ in _MARKS):
        return decode(data)
    try:
        encoding = codecs.lookup(label).name
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
