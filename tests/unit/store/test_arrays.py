"""Arrays as PostgreSQL reads them; that it reads back what was written is tested where there is a server."""

from citemark.store.database import bytea_array, int_array, text_array


def test_line_numbers_are_in_braces() -> None:
    assert int_array([3, -1, 2**40]) == "{3,-1,1099511627776}"
    assert int_array([]) == "{}"


def test_texts_are_quoted_and_what_is_none_is_null() -> None:
    assert text_array(["a", None, 'say "no"', "C:\\x", "NULL", "", "{,}"]) == (
        r'{"a",NULL,"say \"no\"","C:\\x","NULL","","{,}"}'
    )


def test_bytes_are_written_in_hexadecimal() -> None:
    assert bytea_array([b"", b"\x00\xff"]) == r'{"\\x","\\x00ff"}'
