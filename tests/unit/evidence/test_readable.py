"""A quote as a reader sees it: fences closed, a header above rows, a mark where it is cut, no tags."""

import pytest

from citemark.evidence.readable import Unpadded, readable, without_markup
from citemark.model.text import Span


@pytest.mark.requirement("quotes-end-with-a-sentence")
def test_a_cut_sentence_has_a_mark_on_the_side_where_it_is_cut() -> None:
    assert readable("the valve opens", cut="start") == "[…] the valve opens"
    assert readable("The valve", cut="end") == "The valve […]"
    assert readable("valve", cut="both") == "[…] valve […]"
    assert readable("The valve opens.") == "The valve opens."


@pytest.mark.requirement("quoted-code-fences-are-closed")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("Text.\n```py\na = 1", "Text.\n```py\na = 1\n```"),
        ("a = 1\n```\n\nText.", "```\na = 1\n```\n\nText."),
        ("```py\na = 1\n```", "```py\na = 1\n```"),
        ("~~~~\na = 1", "~~~~\na = 1\n~~~~"),
        ("No code.", "No code."),
    ],
)
def test_code_fences_that_a_quote_opens_or_closes_are_complete(words: str, expected: str) -> None:
    assert readable(words) == expected


@pytest.mark.requirement("table-rows-bring-their-header")
def test_rows_are_shown_below_the_header_of_their_table() -> None:
    assert readable("| V1 | 1 bar |", "| valve | opens at |") == "| valve | opens at |\n| V1 | 1 bar |"


def shown(text: str) -> str:
    return Unpadded(text).show(Span(0, len(text)))


@pytest.mark.requirement("text-shown-without-markup")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('See the <a href="/x">guide</a> for&nbsp;more.', "See the guide for\u00a0more."),
        (
            "Tokens expire <strong>after an hour</strong> &amp; are renewed.",
            "Tokens expire after an hour & are renewed.",
        ),
        ("<Note>\nKeep the key.\n</Note>\n\nThen start.", "Keep the key.\n\nThen start."),
        ("- one <em>item</em>\n- another", "- one item\n- another"),
        ("## Use of <kbd>Ctrl</kbd>", "## Use of Ctrl"),
        ('<Card title="Start here" icon="play">', "Start here"),
        ('<a id="x" class="tsd-kind-property" title="a > b">size</a> of it', "size of it"),
        ('<span\n  class="tsd-kind-property"\n  onClick={() => go("x")}\n>size</span> of it', "size of it"),
        (
            '| name | <code class="x">size</code> |\n|---|---|\n| a<br/>b | <my-tag data-x="1">c</my-tag> |',
            "| name | size |\n|---|---|\n| a b | c |",
        ),
        ('lass="tsd-kind-property" id="y">size of it', "size of it"),
        ('The size of <div class="tsd-kind-property" id="', "The size of "),
        ("Shown.<!-- a remark\n\nover lines -->{/* and another */} Shown too.", "Shown. Shown too."),
        ("The pump holds. %%ask Ann%% It runs. ^pump-1", "The pump holds.  It runs. "),
    ],
)
def test_tags_are_left_out_and_entities_are_decoded(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.requirement("text-shown-without-markup")
@pytest.mark.parametrize(
    "text",
    [
        "Write to <ada@example.org> or to List<String>.",
        "The tag `<a href>` and the entity `&amp;` are code here.",
        "```html\n<a href='x'>&amp;</a>\n```",
        "Where a < b and c > d, and R&D; is no entity.",
        "The area is 10 ^6 and the volume is x ^n",
        "The area in square metres is 10 ^6\nThe volume is larger.",
        "A type such as Map<K, V> or Box<T extends Shape> is not markup.",
        "A rate of 50%% is written so.",
        "<aside>",
    ],
)
def test_plain_text_is_shown_unchanged(text: str) -> None:
    assert shown(text) == text


@pytest.mark.requirement("text-shown-without-markup")
def test_a_part_of_a_text_is_shown_in_the_same_way() -> None:
    text = "| a   |  b |\n|-----|----|\n| 1   |  2 |\n\nSee <b>this</b>."
    start = text.index("See")
    assert Unpadded(text).show(Span(start, len(text))) == "See this."
    assert Unpadded(text).show(Span(0, start - 2)) == "| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.mark.requirement("raised-figures-stay-apart", "struck-words-are-marked", "boxes-say-their-state")
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Holds 10<sup>6</sup> litres.", "Holds 10⁶ litres."),
        ("CO<sub>2</sub> and V<sub><i>max</i></sub>", "CO₂ and V_(max)"),
        ("cut off 10<sup>6", "cut off 10^6"),
        ("Pay <del>500</del> 300", "Pay ~~500~~ 300"),
        ("<input type='checkbox' checked> closed, <input type='checkbox'> off", "☑ closed, ☐ off"),
        ("`10<sup>6</sup>`", "`10<sup>6</sup>`"),
        ("| a | b |\n|---|---|\n| 10<sup>6</sup> | x |", "| a | b |\n| 10⁶ | x |"),
    ],
)
def test_a_tag_that_changes_the_meaning_is_not_left_out(text: str, shown: str) -> None:
    assert without_markup(text) == shown


@pytest.mark.requirement("comments-are-not-quoted")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The pump holds 7 bar. ^hall-3", "The pump holds 7 bar. "),
        ("- The pump holds %%or held%% 7 bar ^a1b2c3\n- Another", "- The pump holds  7 bar \n- Another"),
        ("Shown.\n\n%%\nnot shown\n\nnor this\n%%\n\nShown too.", "Shown.\n\nShown too."),
    ],
)
def test_comments_and_names_of_blocks_are_not_shown(text: str, expected: str) -> None:
    assert shown(text) == expected
