"""Identifiers are indexed whole and in their parts, at a cost that grows with the text and not with its square."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.operations import operations

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


@given(st.text(st.characters(max_codepoint=127, exclude_characters="^~_<"), max_size=200))
def test_the_text_itself_comes_first_and_unchanged(text: str) -> None:
    assert lexical(text).startswith(text)


@pytest.mark.requirement("exact-identifiers-always-findable")
@pytest.mark.parametrize(
    ("text", "word"), [("C++ is not C", "Cplusplus"), ("in C# or Java", "Csharp"), ("(F#)", "Fsharp"), ("C+", "Cplus")]
)
def test_a_letter_with_a_symbol_such_as_c_plus_plus_is_a_name(text: str, word: str) -> None:
    assert word in lexical(text).split()
    assert word not in lexical("C is older; # is a heading; a + b; C++x").split()


@pytest.mark.requirement("cjk-found-by-bigrams")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("数据库备份", "数据 据库 库备 备份"),
        ("猫", "猫"),
        (
            "PostgreSQLの設定max_connections",
            "PostgreSQL の設 設定 max_connections Postgre SQL max connections maxconnections",
        ),
        ("데이터베이스를", "데이 이터 터베 베이 이스 스를"),
        ("第3章", "第 3 章"),
        ("ﾃﾞｰﾀ", "デー ータ"),
    ],
)
def test_a_script_without_spaces_is_indexed_as_pairs_of_characters(text: str, words: str) -> None:
    assert lexical(text).split() == words.split()


@pytest.mark.parametrize(
    ("written", "also"),
    [
        ("Ha\u0308user", "Häuser"),
        ("e\ufb03cient", "efficient"),
        ("Daten\u00adbank", "Datenbank"),
        ("\uff21\uff22\uff23", "ABC"),
    ],
)
def test_characters_that_look_alike_are_treated_alike(written: str, also: str) -> None:
    assert lexical(written) == lexical(also)


@given(st.text(max_size=200), st.sampled_from(["数据库", "max_connections", "Größe"]))
def test_any_part_of_a_text_finds_itself(text: str, word: str) -> None:
    assert set(lexical(word).split()) <= set(lexical(f"{text} {word} {text}").split())


@pytest.mark.parametrize("piece", ["acgt", "ACGT", "a1b2", "aBcD", "a_b."])
def test_a_line_of_a_hundred_thousand_characters_without_a_blank_is_handled(piece: str) -> None:
    lexical(piece * 25_000)  # a quadratic pattern takes ten minutes, longer than a test may
    short = operations(lambda: lexical(piece * 5_000))
    assert operations(lambda: lexical(piece * 25_000)) < 5.5 * short + 1_000


def words(text: str) -> set[str]:
    return set(lexical(text).split())


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    "written", ["10⁶ litres", "10^6 litres", "10<sup>6</sup> litres", "10^{6} litres", "10^6^ litres"]
)
def test_a_power_is_one_word_in_every_notation_and_no_other_number(written: str) -> None:
    assert "10up6" in words(written)
    assert not {"106", "6"} & words(written)
    assert "10up6" not in words("106 litres")


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("15¹ bar", "151"),
        ("3½ turns", "312"),
        ("3½ turns", "31"),
        ("5② steps", "52"),
        ("log₂8", "log28"),
        ("5⒈", "51."),
        ("5㏠", "51"),
    ],
)
def test_a_mark_a_fraction_and_a_framed_figure_never_join_a_number(text: str, never: str) -> None:
    assert never not in words(text)


def test_the_number_before_a_note_and_a_formula_as_typed_are_found() -> None:
    assert "15" in words("15¹ bar")
    assert {"CO2", "COdown2"} <= words("CO₂ rises")
    assert {"m3"} <= words("5 m³") & words("5 ㎥")
    assert "m2" not in words("the value of sum²")


@pytest.mark.requirement("names-compare-as-read")
def test_an_article_behind_a_conjunction_is_found_without_it() -> None:
    assert "\u0627\u0644\u0643\u062a\u0627\u0628" in words("\u0648\u0627\u0644\u0643\u062a\u0627\u0628 on the table")


def test_a_long_run_of_raised_figures_costs_time_by_its_length() -> None:
    assert operations(lambda: lexical("⁶" * 20_000)) < 12 * operations(lambda: lexical("⁶" * 2_000))
