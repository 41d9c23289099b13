import pytest

from citemark.extraction.symbol_fonts import symbol, with_symbols


@pytest.mark.parametrize(
    ("code", "font", "shown"),
    [
        ("F0FE", "Wingdings", "☑"),
        ("F0A8", "Wingdings", "☐"),
        ("F0FC", "Wingdings", "✓"),
        ("F0E0", "Wingdings", "→"),
        ("F052", "Wingdings 2", "☑"),
        ("F0A3", "Wingdings 2", "☐"),
        ("F06D", "Symbol", "μ"),
        ("F0B3", "Symbol", "≥"),
        ("62", "Symbol", "β"),
        ("F0B7", "", "•"),
        ("00B0", "Arial", "°"),
        ("F041", "Corporate Icons", "\ufffd"),
        ("no code", "Symbol", "\ufffd"),
    ],
)
def test_a_picture_of_a_font_is_a_character_or_seen_to_have_none(code: str, font: str, shown: str) -> None:
    assert symbol(code, font) == shown


def test_the_font_of_a_subset_is_known_by_its_name() -> None:
    assert with_symbols("\uf0fc \uf0fe", "ABCDEF+Wingdings-Regular") == "✓ ☑"


def test_text_in_other_fonts_stays_as_it_is() -> None:
    assert with_symbols("plain \u00e4 \u2192", "Arial") == "plain \u00e4 \u2192"
