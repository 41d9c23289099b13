import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.decoding import decode
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


@pytest.mark.requirement("i2-bad-nul")
def test_a_stray_nul_becomes_a_replacement_and_moves_nothing() -> None:
    assert decode(b"one\0two") == "one\ufffdtwo"


@pytest.mark.requirement("i2-bad-binary")
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
