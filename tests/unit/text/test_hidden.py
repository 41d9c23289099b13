"""What nobody sees is shown, what a script or an emoji needs is kept, and names can be handed back as shown.

`IGNORABLE` is the list of Default_Ignorable_Code_Point in DerivedCoreProperties.txt of the Unicode Character Database
(https://www.unicode.org/Public/UCD/latest/ucd/DerivedCoreProperties.txt), which counts 4,174 of them; Python's
unicodedata does not have the property.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.text.escaping import marked, one_line, visible
from citemark.text.hidden import (
    hidden_as_json_escapes,
    hidden_in,
    holds_hidden,
    meant_name,
    revealed,
    revealed_name,
    shown_as_it_is,
    with_directions_revealed,
)

RANGES = (
    "00AD 034F 061C 115F..1160 17B4..17B5 180B..180D 180E 180F 200B..200F 202A..202E 2060..2064 2065 2066..206F 3164 "
    "FE00..FE0F FEFF FFA0 FFF0..FFF8 1BCA0..1BCA3 1D173..1D17A E0000 E0001 E0002..E001F E0020..E007F E0080..E00FF "
    "E0100..E01EF E01F0..E0FFF"
)
IGNORABLE = [
    code
    for first, _, last in (entry.partition("..") for entry in RANGES.split())
    for code in range(int(first, 16), int(last or first, 16) + 1)
]


@pytest.mark.requirement("hidden-characters-shown")
def test_each_default_ignorable_code_point_is_shown_by_its_number_in_every_form_of_text() -> None:
    assert len(IGNORABLE) == 4174
    for code in IGNORABLE:
        text, number = f"pay {chr(code)}100", f"<U+{code:04X}>"
        assert revealed(text) == f"pay {number}100"
        assert one_line(text) == visible(text) == with_directions_revealed(text) == f"pay {number}100"
        assert marked(text) == [f"> pay {number}100"]
        assert holds_hidden(text)
        assert hidden_as_json_escapes(json.dumps(text, ensure_ascii=False)).isascii()


@pytest.mark.requirement("hidden-characters-shown")
def test_between_latin_letters_only_a_soft_hyphen_is_left_out_and_all_others_are_shown() -> None:
    for code in IGNORABLE:
        expected = "Donaudampf" if code == 0xAD else f"Donau<U+{code:04X}>dampf"
        assert revealed(f"Donau{chr(code)}dampf") == expected
    assert not holds_hidden("Donau\u00addampf")


KEPT = {
    "a woman astronaut": "\U0001f469\u200d\U0001f680",
    "one with a tone of skin": "\U0001f469\U0001f3fd\u200d\U0001f680",
    "a heart on fire": "\u2764\ufe0f\u200d\U0001f525",
    "a rainbow flag": "\U0001f3f3\ufe0f\u200d\U0001f308",
    "a man detective": "\U0001f575\U0001f3fd\ufe0f\u200d\u2642\ufe0f",
    "a keycap": "1\ufe0f\u20e3",
    "a sign as text": "\u00a9\ufe0e",
    "the flag of Scotland": "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "an Arabic abbreviation": "\u0647\u200d ",
    "Sinhala": "\u0d9a\u0dca\u200d\u0dc2",
    "Malayalam, at the end of a word": "\u0d28\u0d4d\u200d",
    "Devanagari without a ligature": "\u0915\u094d\u200c\u0937",
    "Mongolian": "\u182d\u180b\u182e\u180e\u1820",
    "a mark of direction behind Hebrew": "\u05d0\u05d1\u200f!",
    "an old Korean syllable": "\u115f\u1161\u11a8",
}


@pytest.mark.requirement("hidden-characters-shown")
@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_a_script_or_an_emoji_needs_is_kept(text: str) -> None:
    assert revealed(f"x {text} y") == f"x {text} y"
    assert not holds_hidden(text)


SMUGGLED = {
    "tags behind a flag that has none": "\U0001f3f4\U000e0069\U000e0067\U000e006e\U000e007f",
    "a second selector": "\U0001f600\ufe0f\ufe0f",
    "selectors beyond those of emoji": "\U0001f600\U000e0101",
    "a selector behind a letter": "a\ufe0f",
    "a digit's selector without a keycap": "1\ufe0f ",
    "a joiner to nothing": "\U0001f469\u200d ",
    "a joiner between Latin letters": "a\u200db",
    "two joiners in Persian": "\u0645\u200c\u200c\u062e",
    "a mark of direction in Latin": "a\u200fb",
    "two marks of direction in Hebrew": "\u05d0\u200f\u200e\u05d1",
    "an override in Hebrew": "\u05d0\u202e\u05d1",
    "two soft hyphens in a word": "a\u00ad\u00adb",
    "an annotation": "a\ufff9b\ufffac\ufffb",
    "a syllable of fillers": "\u115f\u1160",
}


@pytest.mark.requirement("hidden-characters-shown")
@pytest.mark.parametrize("text", SMUGGLED.values(), ids=SMUGGLED)
def test_what_only_looks_needed_is_shown(text: str) -> None:
    assert holds_hidden(text)
    assert "<U+" in revealed(text)


@given(st.text(st.sampled_from("a<U+200B>\u00ad\u200b\u200d\U000e0041\U0001f469\u0645\ufe0f")))
def test_a_name_is_found_by_what_is_shown_of_it(name: str) -> None:
    assert meant_name(revealed_name(name)) == name


@given(st.text(st.sampled_from("a \u00ad\u200b\u200c\u200d\u200f\U000e0041\U0001f469\u0645\u05d0\ufe0f\u20e31")))
def test_what_is_shown_has_nothing_left_to_show(text: str) -> None:
    assert revealed(revealed(text)) == revealed(text)
    assert not holds_hidden(revealed(text))


@given(st.text(st.sampled_from('a<U+200B>"\\\n\u00e9\u00ad\u200b\u200d\U000e0041\U0001f469')))
def test_what_is_said_to_be_shown_as_it_is_needs_no_look_at_its_parts(text: str) -> None:
    if shown_as_it_is(json.dumps({"id": text}, ensure_ascii=False)):
        assert (revealed(text), revealed_name(text)) == (text, text)
    assert shown_as_it_is("plain \u00e9 \U0001f469")
    assert not shown_as_it_is("a\u00adb")


def test_a_number_of_a_visible_character_means_nothing() -> None:
    assert meant_name("<U+0041> <U+FFFFFF> <U+200B>") == "<U+0041> <U+FFFFFF> \u200b"


def test_hidden_characters_are_found_where_they_are() -> None:
    assert [(hidden.at, hidden.shown) for hidden in hidden_in("\u200ba\u00adb")] == [(0, "<U+200B>"), (2, "")]
