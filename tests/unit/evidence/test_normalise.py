import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.evidence.material import texts

from citemark.evidence.scoring import fold, question_tokens, tokenise, tokens_among


@pytest.mark.requirement("question-lowercased-and-split", "short-question-words-are-dropped")
def test_short_words_are_dropped_and_the_rest_lowered() -> None:
    assert question_tokens("How do I set max_connections to 10 in OrderService?") == {
        "how",
        "set",
        "max",
        "connections",
        "orderservice",
    }


@pytest.mark.requirement("short-words-alone-are-kept")
def test_all_words_are_kept_when_every_one_is_short() -> None:
    assert question_tokens("AI") == {"ai"}
    assert question_tokens("Is S3 ok?") == {"is", "s3", "ok"}


def test_a_question_of_punctuation_has_no_tokens() -> None:
    assert question_tokens("?! ...") == frozenset()


@pytest.mark.requirement("bigrams-for-scripts-without-spaces")
def test_scripts_without_spaces_give_character_pairs() -> None:
    assert question_tokens("検索は速い") == {"検索", "索は", "は速", "速い"}
    assert "ไท" in question_tokens("ไทยแลนด์")


def test_a_mixed_word_gives_its_latin_part_and_its_pairs() -> None:
    assert question_tokens("MCPサーバ") == {"mcp", "サー", "ーバ"}


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    assert fold("Café") == fold("CAFE\u0301")
    assert question_tokens("STRASSE") == question_tokens("straße")


def test_vowel_signs_do_not_break_a_word() -> None:
    assert [token.text for token in tokenise("हिन्दी भाषा")] == [fold("हिन्दी"), fold("भाषा")]


def test_words_around_a_dense_script_are_tokens_of_their_own() -> None:
    assert [token.text for token in tokenise("v検索2 速度beta")] == ["v", "検索", "2", "速度", "beta"]


@given(texts)
def test_the_positions_of_tokens_are_correct(text: str) -> None:
    starts = [token.start for token in tokenise(text)]
    assert starts == sorted(starts)
    assert all(fold(text[token.start : token.end]) == token.text for token in tokenise(text))


@given(texts, texts)
def test_searching_for_some_tokens_finds_the_same_as_tokenizing(text: str, other: str) -> None:
    wanted = frozenset(token.text for token in tokenise(text[::2] + other))
    assert tokens_among(text, wanted) == [token for token in tokenise(text) if token.text in wanted]


@given(st.text(st.characters(max_codepoint=0x27BF)))
def test_the_fast_path_for_latin_text_gives_the_same_result(text: str) -> None:
    wanted = frozenset(token.text for token in tokenise(text))
    assert tokens_among(text, wanted) == list(tokenise(text))
