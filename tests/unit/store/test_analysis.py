"""Identifiers are indexed whole and in their parts, at a cost that grows with the text and not with its square."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.store.analysis import lexical, split_identifiers


@pytest.mark.parametrize(
    ("identifier", "parts"),
    [
        ("max_connections", ["max", "connections", "maxconnections"]),
        ("OrderService", ["Order", "Service"]),
        ("ERR-1042", ["ERR", "1042", "ERR1042"]),
        ("HTTPServer", ["HTTP", "Server"]),
        ("a.b::c", ["a", "b", "c", "abc"]),
        ("plain", []),
        ("C++", []),
    ],
)
def test_an_identifier_gives_its_parts_and_its_joined_form(identifier: str, parts: list[str]) -> None:
    assert split_identifiers(identifier).split() == parts


def test_every_camel_case_word_inside_a_compound_is_split_too() -> None:
    assert {"file", "Hash", "user", "Name"} <= set(split_identifiers("fileHash/userName").split())


@given(st.text(max_size=200))
def test_the_text_itself_stands_first_and_unchanged(text: str) -> None:
    assert lexical(text).startswith(text)


@pytest.mark.parametrize("piece", ["acgt", "ACGT", "a1b2", "aBcD", "a_b."])
def test_a_line_of_a_hundred_thousand_characters_without_a_blank_is_no_trap(piece: str) -> None:
    started = time.process_time()
    lexical(piece * 25_000)
    assert time.process_time() - started < 2  # a quadratic pattern takes ten minutes
