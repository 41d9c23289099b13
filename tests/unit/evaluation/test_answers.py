import pytest

from citemark.evaluation.golden import plain, stands_in


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("- Maximum 100 items per response", "Servers return:\n\n- Maximum 100\n  items per response\n- More"),
        ("2. [HTTP with Server-Sent Events](#http-with-sse) (SSE)", "stdio and HTTP with Server-Sent Events (SSE)"),
        ("1. Added support for JSON-RPC **[batching]", "Added support for JSON-RPC **[batching](https://a.b/c)** now"),
        ("| Endpoint  | /register    | Used |", "| Endpoint | /register | Used |"),
        ("servers **MUST**, then", "servers MUST, then"),
        ("`max_connections` is 10", "**max_connections** is 10"),
        ("the limit", "> the\n> limit"),
        ("Use <code>npx</code> here", "Use npx here"),
    ],
)
def test_markup_and_line_breaks_do_not_hide_an_answer(answer: str, quote: str) -> None:
    assert stands_in(answer, ["something else", quote])


@pytest.mark.parametrize(
    ("answer", "quote"),
    [
        ("4 weeks", "after 14 weeks"),
        ("Maximum 100", "Maximum 1000"),
        ("two members", "two Members"),
        ("4 weeks", "4 whole weeks"),
        ("**", "anything"),
    ],
)
def test_text_without_the_expected_words_is_not_an_answer(answer: str, quote: str) -> None:
    assert not stands_in(answer, [quote])


def test_an_expected_answer_split_over_two_quotes_does_not_count() -> None:
    assert not stands_in("first half second half", ["first half", "second half"])


def test_plain_text_keeps_every_word_in_order() -> None:
    assert plain("# Title\n\n1. **one** [two](x)\n| --- | --- |\n| three | `four` |") == "Title one two three four"
