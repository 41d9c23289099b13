"""Raised and lowered figures: how they are written, and that no reading of them makes another number."""

import pytest

from citemark.text.raised import lowered, placed_words, raised, with_characters


@pytest.mark.parametrize(
    ("text", "before", "written"),
    [
        ("6", "0", "⁶"),
        ("\u22124", "0", "⁻⁴"),
        (" 12 ", "r", " ¹² "),
        ("1,2", "5", "^(1,2)"),
        ("max", "x", "^(max)"),
        ("st", "1", "st"),
        ("o", "2", "\u00ba"),
        ("TM", "k", "\u2122"),
        ("*", "d", "*"),
        ("[1]", "5", "[1]"),
        ("small print " * 9, ".", "small print " * 9),
    ],
)
def test_figures_and_signs_have_raised_characters_and_other_texts_are_bracketed(
    text: str, before: str, written: str
) -> None:
    assert raised(text, before) == written


def test_lowered_figures_have_characters_and_words_are_bracketed() -> None:
    assert (lowered("2"), lowered("10"), lowered("max")) == ("₂", "₁₀", "_(max)")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("10<sup>6</sup> l", "10⁶ l"),
        ('10<sup class="a"><b>&minus;6</b></sup>', "10⁻⁶"),
        ("10^6, 10^{-4}, 10^(3)", "10⁶, 10⁻⁴, 10³"),
        ("x^2^ and H~2~O", "x² and H₂O"),
        ("15<sup>[1](#note)</sup>", "15¹"),
        ("1<sup>st</sup>, the n<sup>th</sup>", "1st, the nth"),
        ("a ^1.2 [^1] ~~5~~ a^b foo_2 HEAD^ 2^10x", "a ^1.2 [^1] ~~5~~ a^b foo_2 HEAD^ 2^10x"),
    ],
)
def test_every_notation_of_a_raised_figure_becomes_its_character_and_nothing_else_does(text: str, shown: str) -> None:
    assert with_characters(text) == shown


@pytest.mark.parametrize(
    ("word", "spelt_out", "typed"),
    [
        ("10⁶", "10up6", ""),
        ("CO₂", "COdown2", "CO2"),
        ("C₆H₁₂O₆", "Cdown6Hdown12Odown6", "C6H12O6"),
        ("SO₄²⁻", "SOdown4up2minus", ""),
        ("m³", "mup3", "m3"),
        ("bar¹", "barup1", ""),
        ("x₁2", "xdown12", ""),
        ("15₁", "15down1", ""),
    ],
)
def test_a_word_is_typed_with_plain_figures_only_where_none_joins_a_number(
    word: str, spelt_out: str, typed: str
) -> None:
    (found,) = placed_words(f"a {word} b")
    assert (found.text, found.spelt_out, found.typed) == (word, spelt_out, typed)
