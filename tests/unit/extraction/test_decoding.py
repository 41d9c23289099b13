import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.decoding import decode, decoded
from citemark.model.errors import SkippableSourceError

TEXT = "Grüße, 世界 and € 5\r\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + TEXT.encode("utf-32-le"),
        codecs.BOM_UTF32_BE + TEXT.encode("utf-32-be"),
    ],
)
def test_unicode_is_read_by_its_mark_and_as_utf_8_without_one(data: bytes) -> None:
    assert decode(data) == TEXT


def test_text_that_is_not_utf_8_is_read_as_western_text() -> None:
    assert decode("Grüße … 5 €".encode("cp1252")) == "Grüße … 5 €"


def test_bytes_that_windows_leaves_undefined_become_replacements() -> None:
    assert decode(b"caf\xe9 \x81") == "café \ufffd"


@pytest.mark.requirement("nul-and-surrogates-break-nothing")
def test_a_stray_nul_becomes_a_replacement_and_moves_nothing() -> None:
    assert decode(b"one\0two") == "one\ufffdtwo"


@pytest.mark.requirement("binary-named-md-is-skipped")
@pytest.mark.parametrize(
    "data",
    [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 8, b"\0" * 100, b"\x7fELF\x02\x01\x01" + b"\0\1\2\3" * 50],
)
def test_a_binary_is_refused_with_the_reason(data: bytes) -> None:
    with pytest.raises(SkippableSourceError, match="binary"):
        decode(data)


def test_a_long_text_with_escape_sequences_is_no_binary() -> None:
    assert decode(b"\x1b[31mred\x1b[0m\n" * 100).count("red") == 100


@given(st.binary(max_size=300))
def test_any_bytes_are_a_storable_text_or_refused(data: bytes) -> None:
    try:
        text = decode(data)
    except SkippableSourceError:
        return
    assert "\0" not in text
    text.encode()


WORDS = {
    "Die Prüfung der Förderbänder fällt nächste Woche aus.": ("cp1252", "cp850", "mac-roman"),
    "Le château est fermé à l\u2019été, déjà vérifié par l'élève \u201cZoé\u201d \u2013 5 €": ("cp1252",),
    "Příliš žluťoučký kůň úpěl ďábelské ódy. Schůzka je ve čtvrtek v šest hodin.": ("cp1250", "iso8859-2"),
    "Привет, мир. Встреча состоится в четверг в шесть часов вечера.": ("cp1251", "koi8-r", "cp866", "utf-16-le"),
    "Καλημέρα κόσμε, συνάντηση την Πέμπτη στις έξι το απόγευμα.": ("cp1253", "utf-16-be"),
    "会議は木曜日の午後六時に行われます。よろしくお願いします。": ("cp932", "euc-jp", "utf-16-le", "utf-16-be"),
    "회의는 목요일 오후 여섯 시에 열립니다. 감사합니다.": ("cp949", "utf-16-le"),
    "会议将于星期四下午六点举行。请准时参加。": ("gb18030", "utf-16-be"),
    "Just a few plain words.": ("utf-16-le", "utf-16-be"),
}


@pytest.mark.requirement("encodings-by-what-fits")
@pytest.mark.parametrize(("words", "codec"), [(words, codec) for words, codecs in WORDS.items() for codec in codecs])
def test_bytes_without_a_declaration_are_read_as_their_words_show(words: str, codec: str) -> None:
    found = decoded(words.encode(codec))
    assert found.text == words
    assert found.read_as


@pytest.mark.requirement("encodings-by-what-fits")
def test_plain_utf_8_is_not_worth_a_word_and_a_marked_utf_16_is() -> None:
    assert decoded(TEXT.encode()).read_as == decoded(codecs.BOM_UTF8 + TEXT.encode()).read_as == ""
    assert decoded(codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le")).read_as == "UTF-16-LE"


@pytest.mark.requirement("encodings-by-what-fits")
def test_bytes_that_make_words_in_no_encoding_are_a_problem() -> None:
    data = bytes(number * 37 % 95 + 161 if number % 3 else 65 + number % 26 for number in range(400))
    with pytest.raises(SkippableSourceError, match="Save it as UTF-8"):
        decode(data)
