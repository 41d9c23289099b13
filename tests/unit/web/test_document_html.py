"""Documents as HTML: what was cited is marked wherever it stands, and nothing in them runs."""

import re

import pytest

from citemark.model.text import Span
from citemark.web.document_html import CITED, document_html

TEXT = """---
title: Pumps
---
# The **pump**

It opens at [4 bar](limits.md). See `code | here`.

| part | pressure |
|------|----------|
| valve | 4 bar |
| seal | 2 bar |

1. Close it.
2. Open it.

```sh
pump --start
```

> A quotation
> of two lines.

Title below
===========
"""


def marked(html: str) -> str:
    """The words that are highlighted, without their tags."""
    return "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.DOTALL))


def cited(words: str, text: str = TEXT, name: str = "pump.md") -> str:
    start = text.index(words)
    return document_html(text, name, Span(start, start + len(words))).html


@pytest.mark.requirement("read-at-cited-span")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("# The **pump**", "The pump"),
        ("It opens at [4 bar](limits.md).", "It opens at 4 bar."),
        ("| valve | 4 bar |", "valve4 bar"),
        ("| part | pressure |\n|------|----------|\n| valve | 4 bar |\n", "partpressurevalve4 bar"),
        ("1. Close it.\n2. Open it.", "Close it.Open it."),
        ("pump --start", "pump --start"),
        ("```sh\npump --start\n```\n", "pump --start"),
        ("> A quotation\n> of two lines.", "A quotation\nof two lines."),
        ("Title below\n===========\n", "Title below"),
        ("title: Pumps", "title: Pumps"),
        ("It opens at", "It opens at"),
    ],
)
def test_cited_words_are_marked_in_every_kind_of_block(words: str, shown: str) -> None:
    html = cited(words)
    assert marked(html) == shown
    assert html.count(f'id="{CITED}"') == 1


@pytest.mark.requirement("read-at-cited-span")
def test_marks_leave_the_blocks_around_them_as_they_are() -> None:
    without = document_html(TEXT, "pump.md").html
    for words in ("# The **pump**", "| valve | 4 bar |", "1. Close it.\n2. Open it.", "```sh\npump --start\n```"):
        assert re.sub(r"</?mark[^>]*>", "", cited(words)) == without


def test_a_mark_in_a_place_that_is_not_shown_has_the_text_shown_as_it_is_written() -> None:
    html = cited("limits.md")
    assert html.startswith("<pre>")
    assert marked(html) == "limits.md"


def test_text_that_is_no_markdown_is_shown_as_it_is_written() -> None:
    html = cited("def *f*", "# no heading\ndef *f*(a): <b>\r\n", "a.py")
    assert html == '<pre># no heading\n<mark id="cited">def *f*</mark>(a): &lt;b&gt;\n</pre>'


@pytest.mark.requirement("hostile-content-runs-nothing")
@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "[a](javascript:alert(1))",
        "<a href='javascript:alert(1)' onclick='alert(1)'>a</a>",
        "<a href='data:text/html,<script>alert(1)</script>'>a</a>",
        "<svg onload=alert(1)><script>alert(1)</script></svg>",
        "<img src=x onerror=alert(1)>",
        "![a](https://elsewhere.example/track.png)",
        "<style>body{display:none}</style><link rel=stylesheet href=//elsewhere.example/x.css>",
        "<iframe src=//elsewhere.example></iframe><form action=//elsewhere.example><input name=token></form>",
        "<p style='position:fixed' id=main class=x hx-get=/sources data-hx-get=/sources>a</p>",
        "<a href='//elsewhere.example/'>a</a> <base href=//elsewhere.example>",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "```\n</pre><script>alert(1)</script>\n```",
    ],
)
def test_nothing_in_a_document_runs_loads_or_leads_to_a_script(hostile: str) -> None:
    for text in (hostile, f"# {hostile}\n\ntext", f"---\na: {hostile}\n---\n"):
        html = document_html(text, "a.md", Span(0, len(text))).html
        tags = re.findall(r"<(/?\w+)([^>]*)>", html)
        kept = {"a", "mark", "pre", "p", "h3", "h4", "code", "em", "table", "div", "tbody", "tr", "td"}
        assert {tag.strip("/") for tag, _ in tags} <= kept, html
        for tag, attributes in tags:
            names = set(re.findall(r"([\w-]+)=", attributes))
            assert names <= {"a": {"href", "rel"}, "div": {"class", "tabindex", "role", "aria-label"}}.get(
                tag, {"id"}
            ), html
            assert "javascript" not in attributes
            assert "elsewhere" not in attributes or 'href="https://' in attributes


def test_characters_that_turn_the_writing_are_shown_by_number() -> None:
    assert "U+202E" in document_html("a \u202e b", "a.md").html


def test_headings_make_an_outline_that_leads_to_them() -> None:
    shown = document_html("# One *a*\n\n## Two & three\n\ntext\n\n### Four\n", "a.md")
    assert [(each.level, each.title) for each in shown.outline] == [(1, "One a"), (2, "Two & three"), (3, "Four")]
    assert all(f'id="{each.anchor}"' in shown.html for each in shown.outline)


def test_relative_links_lead_where_the_page_says_and_others_nowhere() -> None:
    html = document_html("[a](b.md) [c](#d) [e](https://f.example/)", "a.md", link={"b.md": "/document?b"}.get).html
    assert re.findall(r'href="([^"]*)"', html) == ["/document?b", "https://f.example/"]


def test_characters_that_mark_spans_are_nothing_special_in_a_document() -> None:
    html = document_html("a \U00010100 b \U00010101 c", "a.md", Span(0, 1)).html
    assert marked(html) == "a"
    assert "\ufffd" in html
