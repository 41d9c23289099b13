"""Fonts whose letters are pictures: which character a code means in them (Symbol, Wingdings, Webdings)."""

import re
from collections.abc import Iterator
from types import MappingProxyType

NO_CHARACTER = "\ufffd"
"""Written for a picture that has no character, so that nothing is dropped unseen."""

# ruff: noqa: RUF001 - the characters look like others, and are meant
_SYMBOL = (
    (0x20, " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"),
    (0x60, "‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"),
    (0xA0, "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"),
    (0xE0, "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪�〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"),
)
_WINGDINGS = (
    (0x20, " ✏✂✁👓🕭🕮🕯☎✆🖂🖃📪📫📬📭📁📂📄🗏🗐🗄⌛🖮🖰🖲🖳🖴💾🖬✇✍✎✌👌👍👎☜☞☝"),
    (0x48, "☟✋☺😐☹💣☠🏳🏱✈☼💧❄🕆✞🕈✠✡☪☯ॐ☸♈♉♊♋♌♍♎♏♐♑♒♓🙰&●🔾■□"),
    (0x70, "🞐❑❒⬧⧫◆❖⬥⌧⮹⌘🏵🏶❝❞"),
    (0x80, "⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿🙢🙠🙡🙣🙞🙜🙝🙟·•▪⚪🞆🞈◉◎🔿▪"),
    (0xA8, "☐🟂✦★✶✴✹✵⯐⌖⟡⌑⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗"),
    (0xD0, "🙖🙐🙑🙒🙓⌫⌦⮘➢⮙⮛⮈⮊⮉⮋←→↑↓↖↗↙↘←→↑↓↖↗↙↘⇦⇨⇧⇩⬄⇳⬁⬀⬃"),
    (0xF8, "⬂🢬🢭✗✓☒☑"),
)
_WINGDINGS_2 = ((0x4F, "✗✓☒☑☒☒"), (0xA3, "☐"))
_WEBDINGS = ((0x61, "✓"), (0x63, "☐"), (0x69, "ℹ"), (0x72, "✗"))
_ANY = ((0xA7, "▪"), (0xB7, "•"), (0xD8, "➢"), (0xFC, "✓"))
"""What programs write most often; of an unknown font, other codes are not guessed."""


def _table(rows: tuple[tuple[int, str], ...]) -> Iterator[tuple[int, str]]:
    for start, characters in rows:
        yield from enumerate(characters, start)


_FONTS = MappingProxyType(
    {
        "symbol": dict(_table(_SYMBOL)),
        "wingdings": dict(_table(_WINGDINGS)),
        "wingdings 2": dict(_table(_WINGDINGS_2)),
        "webdings": dict(_table(_WEBDINGS)),
    }
)
_OF_ANY_FONT = MappingProxyType(dict(_table(_ANY)))

_PRIVATE = range(0xE000, 0xF900)
_IS_PRIVATE = re.compile("[\ue000-\uf8ff]")
_OF_FONTS = range(0xF000, 0xF100)
"""Where office programs move the codes of such a font."""


def symbol(code: str, font: str) -> str:
    """The character of a code in hexadecimal digits."""
    try:
        return with_symbols(chr(int(code, 16)), font)
    except (ValueError, OverflowError):
        return NO_CHARACTER


def with_symbols(text: str, font: str) -> str:
    """`text` in a font of this name, with pictures as the characters that they show, or U+FFFD."""
    table = _FONTS.get(_name(font)) if font else None
    if table is None:
        if text.isascii() or _IS_PRIVATE.search(text) is None:
            return text
        return "".join(_character(ord(character), _OF_ANY_FONT) for character in text)
    return "".join(_in_font(ord(character), table) for character in text)


def _name(font: str) -> str:
    """The name of a font without the mark of an embedded part ("ABCDEF+Wingdings-Regular")."""
    name = font.rpartition("+")[2].casefold().replace("-regular", "").replace("mt", "")
    return {"wingdings2": "wingdings 2", "symbolps": "symbol"}.get(name, name)


def _character(code: int, table: dict[int, str] | MappingProxyType[int, str]) -> str:
    if code in _OF_FONTS:
        return table.get(code - _OF_FONTS.start, NO_CHARACTER)
    return NO_CHARACTER if code in _PRIVATE else chr(code)


def _in_font(code: int, table: dict[int, str]) -> str:
    if code in _PRIVATE:
        return _character(code, table)
    return table.get(code, NO_CHARACTER) if chr(code).isprintable() and code < 0x100 and code != 0x20 else chr(code)  # noqa: PLR2004 - one byte
