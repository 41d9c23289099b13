"""Bytes that came with the name of their encoding."""

import pytest

from citemark.extraction.decoding import decode_as
from citemark.model.errors import SkippableSourceError


@pytest.mark.parametrize(
    ("data", "charset", "said"),
    [
        ("Привет".encode("koi8-r"), "KOI8-R", "Привет"),
        ("café".encode(), "iso-8859-1", "café"),
        ("café".encode("latin-1"), "utf-8", "café"),
        ("naïve €".encode("iso8859-15"), "iso-8859-15", "naïve €"),
        ("日本".encode("shift_jis"), '"Shift_JIS"', "日本"),
        ("\ufeffcafé".encode("utf-16"), "utf-8", "\ufeffcafé"),
        (b"caf\xe9 and more", "x-nobody-knows", "café and more"),
        ("中文".encode("gb18030") + b"\xff", "gbk", "中文\ufffd"),
        ("中文".encode("gbk"), "x-gbk", "中文"),
        ("①日本".encode("cp932"), "windows-31j", "①日本"),
        ("①日本".encode("cp932"), "MS932", "①日本"),
        ("日本".encode("euc-jp"), "x-euc-jp", "日本"),
        ("Привет".encode("cp1251"), "x-cp1251", "Привет"),
        ("ไทย".encode("cp874"), "windows-874", "ไทย"),
        ("한국".encode("cp949"), "windows-949", "한국"),
        ("שלום".encode("iso8859-8"), "iso-8859-8-i", "שלום"),
        ("γεια".encode("iso8859-7"), "greek", "γεια"),
        ("Čapek".encode("iso8859-2"), "l2", "Čapek"),
    ],
)
def test_the_file_name_is_trusted_as_far_as_the_bytes_confirm_it(data: bytes, charset: str, said: str) -> None:
    assert decode_as(data, charset) == said


@pytest.mark.parametrize("charset", ["zlib", "hex", "punycode", "idna", "unicode_escape", "utf-7", "rot13", "../x"])
def test_codecs_that_unpack_or_escape_are_never_chosen_by_a_file(charset: str) -> None:
    assert decode_as(b"+AGE- \\x41", charset) == "+AGE- \\x41"


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SkippableSourceError, match="binary"):
        decode_as(b"\0\1\2\3\4\5" * 20, "utf-8")
