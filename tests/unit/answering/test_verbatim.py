"""What a document says word for word."""

import pytest

from citemark.answering.verbatim import SourceWords, on_one_line


@pytest.mark.requirement("unsupported-sentences-are-marked")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The pressure is 15 bar.", "The pressure is 15 bar."),
        ("The pressure is 15 bar.", "15 bar."),
        ("The pressure is 15 bar.", "The pressure is 15 bar"),
        ("The pressure\nis 15 bar. It rises.", "The pressure is 15 bar."),
        ("- Loans last\n  three weeks.\n- Fees are due.", "Loans last three weeks."),
        ("It is 25 bar, and never 15 bar. It is 15 bar.", "It is 15 bar."),
        ("Do not use acid. Use vinegar.", "Use vinegar."),
        ("Do not use acid.\n\n## Cleaning\n\nUse vinegar.", "Use vinegar."),
        ("You may use vinegar, but not acid.", "You may use vinegar"),
        ("Use vinegar. Do not use acid.", "Use vinegar."),
        ("(Use vinegar.)", "Use vinegar."),
        ("It costs $5.", "5."),
    ],
)
def test_whole_sentences_and_clauses_are_stated(text: str, words: str) -> None:
    source = SourceWords(text)
    assert source.state(words)
    assert source.contain(words)


@pytest.mark.requirement("unsupported-sentences-are-marked")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The pressure is 15 bar.", "5 bar."),
        ("The pressure is 1.5 bar.", "5 bar."),
        ("Der Druck ist 1,5 bar.", "5 bar."),
        ("It holds 10 500 litres.", "500 litres."),
        ("The range is 1\u20135 bar.", "5 bar."),
        ("It is -5 degrees.", "5 degrees."),
        ("See part B7 now.", "7 now."),
        ("The pressure is 1.5 bar.", "The pressure is 1."),
        ("The pressure is 1.5 bar.", "The pressure is 1"),
        ("The pressure is 15 bar.", "The pressure is 1"),
        ("The rooms are dry.", "The room"),
        ("Unused doors stay open.", "used doors stay open."),
        ("Serve non-alcoholic drinks.", "alcoholic drinks."),
        ("Use acid-free paper.", "Use acid"),
        ("Edit the file main.conf now.", "Edit the file main."),
        ("Do not use vinegar.", "use vinegar."),
        ("Never ever use vinegar.", "use vinegar."),
        ("Verwenden Sie Essig nicht.", "Verwenden Sie Essig"),
        ("They don't use vinegar.", "use vinegar."),
        ("not 5 bar, " * 30 + "it is 5 bar.", "5 bar"),
    ],
)
def test_a_part_of_a_word_or_number_and_what_is_denied_are_only_contained(text: str, words: str) -> None:
    source = SourceWords(text)
    assert not source.state(words)
    assert source.contain(words)


def test_other_words_are_not_stated() -> None:
    assert not SourceWords("Use vinegar.").state("Use acid.")
    assert not SourceWords("").state("Use acid.")


def test_a_quotation_is_compared_without_its_marks() -> None:
    assert on_one_line("> Use\n>  vinegar > acid.") == "Use vinegar > acid."
