"""Words that people read as the same have one spelling; figures whose place or shape is their meaning keep it."""

import pytest

from citemark.text.spelling import bare, one_spelling


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AB\u20111234\u2010X", "AB-1234-X"),
        ("AB\u20131234", "AB-1234"),
        ("AB\u22121234\u2012X", "AB-1234-X"),
        ("Schiff\u00adfahrt", "Schifffahrt"),
        ("zero\u200bwidth\u2060joined\ufeff", "zerowidthjoined"),
        ("Bu\u0308ro", "Büro"),
        ("\uff11\uff12\uff13", "123"),
        ("\u0663\u06f4\u096b", "345"),
        ("\ufb01le", "file"),
        ("הַמַּשְׁאֵבָה", "המשאבה"),
        ("בית\u05beספר", "בית-ספר"),  # noqa: RUF001 - letters look alike
        ("النَّافِذَةُ", "النافذة"),
        ("المفتـــاح", "المفتاح"),
        ("کلید", "كليد"),
        ("أحمد إلى آخر", "احمد الي اخر"),
        ("مسؤول", "مسوول"),
        ("\ufefb", "\u0644\u0627"),
    ],
)
def test_two_spellings_of_one_word_are_one(one: str, other: str) -> None:
    assert one_spelling(one) == one_spelling(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10⁶", "106"),
        ("15¹", "151"),
        ("CO₂", "CO2"),
        ("3½", "31/2"),
        ("3½", "312"),
        ("5②", "52"),
        ("㎡", "m2"),
        ("xⁿ", "xn"),
    ],
)
def test_a_figure_with_a_place_or_a_frame_is_never_a_plain_one(one: str, other: str) -> None:
    assert one_spelling(one) != one_spelling(other)


def test_a_dash_between_words_with_spaces_stays_a_dash() -> None:
    assert one_spelling("a \u2013 b") == "a \u2013 b"


def test_the_bare_form_keeps_the_letters_that_were_typed() -> None:
    assert bare("کلید הַמַּשְׁאֵבָה AB\u20111 10⁶ Bu\u0308ro") == "کلید המשאבה AB-1 10⁶ Büro"
