r"""Turns the commands of TeX that stand for letters into those letters: `M{\"u}ller` is Müller."""

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

_ACCENTS: Mapping[str, str] = MappingProxyType(
    {
        '"': "\u0308",
        "'": "\u0301",
        "`": "\u0300",
        "^": "\u0302",
        "~": "\u0303",
        "=": "\u0304",
        ".": "\u0307",
        "u": "\u0306",
        "v": "\u030c",
        "H": "\u030b",
        "c": "\u0327",
        "k": "\u0328",
        "r": "\u030a",
        "d": "\u0323",
        "b": "\u0331",
    }
)
"""Combining characters by the name of the command that puts them on a letter."""

_LETTERS: Mapping[str, str] = MappingProxyType(
    {
        "ss": "ß",
        "ae": "æ",
        "AE": "Æ",
        "oe": "œ",
        "OE": "Œ",
        "o": "ø",
        "O": "Ø",
        "aa": "å",
        "AA": "Å",
        "l": "ł",
        "L": "Ł",
        "i": "i",
        "j": "j",
        "dh": "ð",
        "DH": "Ð",
        "th": "þ",
        "TH": "Þ",
        "dj": "đ",
        "DJ": "Đ",
        "S": "§",
        "P": "¶",
        "textendash": "\u2013",
        "textemdash": "\u2014",
        "textquoteright": "\u2019",
        "ldots": "…",
        "dots": "…",
        "textdegree": "°",
        "copyright": "©",
        "textregistered": "®",
        "pounds": "£",
        "euro": "€",
        "texteuro": "€",
        "TeX": "TeX",
        "LaTeX": "LaTeX",
        "BibTeX": "BibTeX",
    }
)
"""What commands without a letter of their own stand for."""

_SIGN = re.compile(r"""\\(["'`^~=.])\s*(?:\{\s*\\?([A-Za-z])\s*\}|\\?([A-Za-z]))""")
_NAMED = re.compile(r"\\([uvHckrdb])(?:\s*\{\s*\\?([A-Za-z])\s*\}|\s+\\?([A-Za-z]))")
_COMMAND = re.compile(r"\\([A-Za-z]+)(?:\{\}|[ \t]*)")
_ESCAPED = re.compile(r"\\([&%$#_{}\- ])")
_KEPT = "\ue000"
_DASHES = re.compile(r"(?<!-)(---?)(?!-)")


def plain_text(written: str) -> str:
    """The letters that a text in TeX stands for, without its braces; of unknown commands only the texts are kept."""
    if "\\" in written:
        written = _SIGN.sub(lambda found: _accented(found[2] or found[3], found[1]), written)
        written = _NAMED.sub(lambda found: _accented(found[2] or found[3], found[1]), written)
        written = _ESCAPED.sub(lambda found: "" if found[1] == "-" else _kept(found[1]), written)
        written = _COMMAND.sub(lambda found: _LETTERS.get(found[1], ""), written)
    bare = (
        written.replace("{", "").replace("}", "").replace("~", " ").replace(_KEPT + "(", "{").replace(_KEPT + ")", "}")
    )
    return _DASHES.sub(lambda found: "\u2013" if found[1] == "--" else "\u2014", bare)


def _kept(mark: str) -> str:
    """A brace that is a character of the text is put aside until the others are gone."""
    return {"{": _KEPT + "(", "}": _KEPT + ")"}.get(mark, mark)


def _accented(letter: str, accent: str) -> str:
    return unicodedata.normalize("NFC", letter + _ACCENTS[accent])
