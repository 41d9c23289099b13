"""Decodes bytes to text: as UTF-8 where they are that, else by what the file declares, else by what its words show."""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
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
    r"utf-?8|utf-?(?:16|32)(?:-?[lb]e)?|(?:iso[-_]?)?8859[-_]?\d{1,2}(?:-[ie])?|iso-?2022-(?:jp(?:-\d)?|kr)|"
    r"latin-?\d{1,2}|(?:windows|cp)-?\d{3,4}|koi8-?[rtu]|gbk|gb-?2312|gb-?18030|hz|big5(?:-?hkscs)?|johab|"
    r"(?:x-)?s(?:hift)?[_-]?jis(?:_2004|x0213)?|euc[-_]?(?:jp|kr|cn|jis[-_]2004|jisx0213)|ks_c_5601-1987|kz-?1048|"
    r"mac(?:[-_]?roman|intosh|[-_]?cyrillic|[-_]?greek|[-_]?latin2|[-_]?turkish|[-_]?iceland)|tis-?620|ptcp154|"
    r"(?:us-?)?ascii",
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

_CODE_PAGE = re.compile(r"(?:x-)?(?:ibm|cp|dos|oem|ms|windows)[-_]?0*(\d{3,4})")
"""What programs write before the number of a code page; Python only knows "cp"."""

_DEFAULTS = frozenset({"iso8859-1", "cp1252", "ascii"})
"""What programs declare without looking at the text."""

_SEVEN_BIT = ("iso2022", "hz", "utf-7")
"""Encodings whose bytes are ASCII, and so are valid UTF-8 as well."""

_OF_MAIL = frozenset({"utf-7", "unicode-1-1-utf-7", "x-unicode-2-0-utf-7"})
"""Names of an encoding that only messages may choose; browsers refuse it."""

_WIDE_SHARE = 0.2
"""The share of NUL bytes from which a text without a byte order mark may be UTF-16; in Latin letters it is a half."""

_MOSTLY_WIDE = 0.4
_SPACE = re.compile("[ \n\u3000-\u3002]")
"""What texts have between words or sentences; with nearly every second byte NUL, even a single word is UTF-16."""

_ONE_SCRIPT = 0.9
"""The share of letters that have one script in a text which is taken for UTF-16."""

_EAST_ASIAN = frozenset({"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HANGUL", "IDEOGRAPHIC", "FULLWIDTH"})

_FEW_DAMAGED = 0.02
"""The share of characters that may be damaged in a text whose encoding is declared or detected."""

_SAMPLE = 64 * 1024
"""Bytes that are examined to detect an encoding: more text makes it no surer."""

_ODD_SHARE = 0.1
"""The share of characters beyond ASCII up to which they may look out of place in a text that is taken for Western."""

_WORD = re.compile(r"[^\W\d_]+")
_BLOCK_IN_WORD = re.compile("[^\\W\\d_][\u2580-\u259f](?=[^\\W\\d_])")
_FEW_BEYOND = 8
"""Most characters beyond ASCII in a text that is too short for a detector."""

_USUAL = re.compile(
    "(?<=[a-zA-Z\u00df-\u00ff])[\u00e4\u00f6\u00fc\u00df\u00e9\u00e8\u00ea\u00e0\u00e7\u00f1\u00e1\u00ed\u00f3"
    "\u00fa\u00e2\u00ee\u00f4\u00fb\u00e5\u00e6\u00f8\u2019]"
    "|[\u00c4\u00d6\u00dc\u00c9\u00c5\u00c6\u00d8\u00e4\u00f6\u00fc\u00e9\u00e5\u00e6\u00f8](?=[a-z])"
    "|[\u2026\u2013\u20ac\u201e\u201c\u201d\u00a7\u00b0\u00a9](?![a-zA-Z])"
)
"""The usual letters of Western languages inside or at the beginning of words, and signs at the end of words."""

_SIGNS = r"\xa1-\xb4\xb6\xb8-\xbf\xd7\xf7\u0192\u02c6\u02dc\u2020-\u2022\u2030\u2039\u203a\u20ac\u2122"
_OUT_OF_PLACE = re.compile(rf"[^\W\d_][{_SIGNS}](?=[^\W\d_])|[a-z\xdf-\xf6\xf8-\xff][\xc0-\xd6\xd8-\xde]")
"""A symbol between two letters, or a capital letter beyond ASCII after a small one: signs of a wrong encoding."""

_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ue000-\uf8ff\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that no text holds, or that have a meaning in one font only."""

_UNKNOWN = (
    "The encoding of the file cannot be told: it is not UTF-8, and in no other encoding do its bytes read as words. "
    "Save it as UTF-8."
)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """The text of some bytes. `read_as` says in words what they were read as; "" for plain UTF-8."""

    text: str
    read_as: str = ""


def decode(data: bytes) -> str:
    """The text of a file that declares no encoding; see `decoded`.

    Raises:
        SkippableSourceError: the file is binary, or its encoding cannot be told.
    """
    return decoded(data).text


def decode_as(data: bytes, charset: str) -> str:
    """The text of bytes that came with the name of their encoding; see `decoded`.

    Raises:
        SkippableSourceError: the bytes are binary, or their encoding cannot be told.
    """
    return decoded(data, charset).text


def decoded(data: bytes, charset: str = "", *, in_mail: bool = False) -> DecodedText:
    """Decode bytes by the first of these that fits.

    1. Their byte order mark. 2. UTF-8. 3. The encoding that they declare. 4. UTF-8 with a few damaged bytes, which
    alone become U+FFFD. 5. UTF-16 without a mark. 6. What a detector finds. 7. Windows-1252, if that reads like words.

    A stray NUL becomes U+FFFD (no database stores NUL in text), so every other character keeps its position.

    Args:
        data: the bytes.
        charset: the name that came with them, which is often wrong; unknown names are ignored.
        in_mail: also accept UTF-7, which messages may use and pages may not.

    Raises:
        SkippableSourceError: the bytes are binary, or their encoding cannot be told.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = _without_nul(data[len(mark) :].decode(encoding, "replace"))
            return DecodedText(text, "" if encoding == "utf-8" else encoding.upper())
    declared = _codec(charset, in_mail=in_mail)
    if declared.startswith(_SEVEN_BIT) and data.isascii():
        text = _strictly(data, declared)
        if text is not None:
            return _read_as(text, declared)
    controls = len(data) - len(data.translate(None, _CONTROLS))
    is_text = controls <= max(_FEW_CONTROLS, len(data) * _CONTROL_SHARE)
    if not is_text or data.count(0) >= _WIDE_SHARE * len(data) > 0 or declared.startswith("utf-16"):
        wide = _wide(data)
        if wide is not None:
            return wide
    if not is_text:
        raise SkippableSourceError(
            f"The file is binary, not text: {controls} of its {len(data)} bytes are control codes."
        )
    plain = _strictly(data, "utf-8")
    if plain is not None:
        return DecodedText(_without_nul(plain))
    found = _declared(data, declared) or _damaged_utf_8(data) or _wide(data) or _detected(data, declared)
    if found is None:
        raise SkippableSourceError(_UNKNOWN)
    return DecodedText(_without_nul(found.text), found.read_as)


def _codec(charset: str, *, in_mail: bool) -> str:
    """The codec for a declared name; "" for UTF-8, which needs none, and for names that no file may choose."""
    name = charset.strip(" \t\"'").lower()
    if name in _OF_MAIL:
        return "utf-7" if in_mail else ""
    page = _CODE_PAGE.fullmatch(name)
    label = _LABELS.get(name) or (f"cp{page[1]}" if page is not None else name)
    label = _LABELS.get(label, label)
    if not _TEXT_ENCODINGS.fullmatch(label):
        return ""
    try:
        found = codecs.lookup(label).name
    except LookupError:
        return ""
    return "" if found == "utf-8" else found


def _declared(data: bytes, codec: str) -> DecodedText | None:
    """The text in the declared encoding, if all bytes have a meaning in it; ISO 8859-1 is read as Windows-1252."""
    if not codec:
        return None
    if codec in _DEFAULTS:
        damaged = _damaged_utf_8(data)
        if damaged is not None:
            return damaged
        codec = "cp1252"
    text = _strictly(data, codec)
    return None if text is None else _read_as(text, codec)


def _damaged_utf_8(data: bytes) -> DecodedText | None:
    """The text of a file in UTF-8 some of whose characters were cut or overwritten.

    Hardly any other text contains sequences that are valid in UTF-8, so there must be more of these than of others.
    """
    text = data.decode("utf-8", "surrogateescape")
    broken = sum("\udc80" <= character <= "\udcff" for character in text)
    valid = sum(character > "\x7f" for character in text) - broken
    replaced = data.decode("utf-8", "replace")
    damaged = replaced.count("\ufffd") - text.count("\ufffd")
    if not valid or damaged > max(1, valid // 2):
        return None
    noun = "character" if damaged == 1 else "characters"
    return DecodedText(replaced, f"UTF-8 with {damaged} damaged {noun}")


def _wide(data: bytes) -> DecodedText | None:
    """The text of UTF-16 without a byte order mark: words of one script, spaces, and no character that texts lack."""
    readings: list[tuple[int, str, str]] = []
    for codec in ("utf-16-le", "utf-16-be"):
        text = _strictly(data, codec)
        spaced = text is not None and (_SPACE.search(text) is not None or data.count(0) >= _MOSTLY_WIDE * len(data))
        if text and spaced and not _NO_TEXT.search(text) and _is_one_script(text[:_SAMPLE]):
            readings.append((sum(map(str.isascii, text)), text, codec))
    # Swapped bytes make other characters, hardly ever ASCII.
    _, text, codec = max(readings, default=(0, "", ""))
    return _read_as(text, codec) if text else None


def _is_one_script(text: str) -> bool:
    """Whether nearly all letters are ASCII or of one script: bytes that are not UTF-16 lead to many scripts as such."""
    scripts = Counter(_script(letter) for letter in text if letter.isalpha())
    ascii_letters = scripts.pop("", 0)
    most = max(scripts.values(), default=0)
    return ascii_letters + most > 0 and ascii_letters + most >= _ONE_SCRIPT * (ascii_letters + scripts.total())


def _script(letter: str) -> str:
    """The script of a letter by the first word of its name; "" for ASCII. The scripts of East Asia count as one."""
    if letter.isascii():
        return ""
    script = unicodedata.name(letter, "UNKNOWN").partition(" ")[0]
    return "CJK" if script in _EAST_ASIAN else script


def _detected(data: bytes, declared: str) -> DecodedText | None:
    """The text in the declared encoding with some damage, in the detected one, or as Western text if it reads so."""
    if declared and declared not in _DEFAULTS:
        text = data.decode(declared, "replace")
        if text.count("\ufffd") <= max(1, _FEW_DAMAGED * len(text)):
            return _read_as(text, declared)
    western = data.decode("cp1252", "replace")
    if _is_short_western(western):
        return _read_as(western, "cp1252")
    codec = _codec(_guess(data), in_mail=False)
    if codec and codec not in _DEFAULTS:
        text = data.decode(codec, "replace")
        if text.count("\ufffd") <= _FEW_DAMAGED * len(text) and not _mixes_scripts(text):
            return _read_as(text, codec)
    return _read_as(western, "cp1252") if _reads_as_western(western) else None


def _guess(data: bytes) -> str:
    """The name of the encoding that the detector thinks likeliest; "" if it has none."""
    import chardet  # noqa: PLC0415 - its tables take a tenth of a second to load, and most texts are UTF-8

    return chardet.detect(data[:_SAMPLE])["encoding"] or ""


def _mixes_scripts(text: str) -> bool:
    """Whether a word holds Latin and other letters, or blocks, which tells that the encoding is wrong."""
    return _BLOCK_IN_WORD.search(text) is not None or any(
        any(letter < "\u0250" for letter in word) and any("\u0370" <= letter < "\u0590" for letter in word)
        for word in _WORD.findall(text)
        if not word.isascii()
    )


def _is_short_western(text: str) -> bool:
    """Whether the few characters beyond ASCII are the commonest ones of Western languages, beside other letters.

    Such a text is too short for a detector, which compares how often letters follow one another.
    """
    beyond = sum(character > "\x7f" for character in text)
    return beyond <= _FEW_BEYOND and beyond == len(_USUAL.findall(text))


def _reads_as_western(text: str) -> bool:
    """Whether a text looks like one of a Western language: letters inside words, signs between them."""
    beyond = sum(character > "\x7f" for character in text)
    foreign = sum(len(word) for word in _WORD.findall(text) if len(word) > 2 and not any(map(str.isascii, word)))  # noqa: PLR2004
    odd = len(_OUT_OF_PLACE.findall(text)) + text.count("\ufffd") + foreign
    return odd <= max(1, _ODD_SHARE * beyond) and odd < beyond


def _strictly(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeError:
        return None


def _read_as(text: str, codec: str) -> DecodedText:
    return DecodedText(text, _SHOWN.get(codec, codec.upper()))


_SHOWN: Mapping[str, str] = MappingProxyType(
    {f"cp{number}": f"Windows-{number}" for number in range(1250, 1259)}
    | {f"iso8859-{part}": f"ISO 8859-{part}" for part in range(1, 17)}
    | {"cp932": "Shift_JIS", "gb18030": "GB 18030", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}
)
"""Codecs by the names that people know."""


def _without_nul(text: str) -> str:
    return text.replace("\0", "\ufffd") if "\0" in text else text
