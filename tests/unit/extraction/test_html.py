"""A page's readable part, with its structure; nothing of its furniture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.html import extract_html
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted


def page(body: str, head: str = "<title>Setup guide</title>", attributes: str = "") -> Extracted:
    return extract_html(f"<!doctype html><html {attributes}><head>{head}</head><body>{body}</body></html>".encode(),
                        fallback_title="file")  # fmt: skip


@pytest.mark.requirement("i3-1-html")
def test_the_main_part_is_read_and_the_furniture_is_not() -> None:
    found = page(
        "<header>Acme</header><nav>Home</nav><main><h1>Setup</h1><p>Turn it on.</p><script>track()</script>"
        "<p hidden>draft</p><p style='display:none'>secret</p><div role=navigation>next</div></main>"
        "<footer>imprint</footer>"
    )
    assert found.body == "# Setup\n\nTurn it on."


def test_a_page_without_a_main_part_loses_navigation_header_and_footer_only() -> None:
    assert page("<header>Acme</header><nav>Home</nav><div><p>Words.</p></div><footer>f</footer>").body == "Words."


@pytest.mark.requirement("i3-1-html", "i3-1-anchors")
def test_headings_open_sections_named_by_the_addresses_of_the_page() -> None:
    found = page(
        "<h1 id=top>Setup</h1><p>a</p>"
        "<section id=conf><h2>Configuration<a class=headerlink href='#conf'>¶</a></h2><p>b</p></section>"
        "<h2><span id='old.name'></span>Limits</h2><p>c</p>"
    )
    assert [(s.slug, s.title) for s in found.sections] == [
        ("top", "Setup"), ("top/conf", "Configuration"), ("top/oldname", "Limits"),
    ]  # fmt: skip
    assert found.sections[1].span.of(found.body).strip().endswith("b")


def test_lists_keep_their_order_and_depth() -> None:
    found = page(
        "<ul><li>one<ul><li>inner <b>bold</b></li></ul></li><li><p>two</p></li></ul><ol start=3><li>x<li>y</ol>"
    )
    assert found.body.split("\n\n") == ["- one\n  - inner bold\n- two", "3. x\n4. y"] or found.body.splitlines() == [
        "- one", "  - inner bold", "- two", "3. x", "4. y",
    ]  # fmt: skip


def test_code_keeps_its_lines() -> None:
    found = page("<pre><code>if x:\n    go()\n</code></pre>")
    assert found.body == "```\nif x:\n    go()\n```"
    assert found.blocks[0].kind is BlockKind.CODE


def test_a_data_table_has_rows_and_a_header_to_repeat() -> None:
    found = page("<table><tr><th>Key<th>Value<tr><td>port<td>8080 | 1</table>")
    assert found.body == "| Key | Value |\n| --- | --- |\n| port | 8080 \\| 1 |"
    assert found.blocks[0].head == "| Key | Value |\n| --- | --- |"


def test_a_table_that_lays_out_a_page_is_read_through() -> None:
    assert page("<table><tr><td><h2>A</h2><p>one</p></td></tr></table>").body == "## A\n\none"


def test_links_stand_where_their_words_stand() -> None:
    found = page("<p>See <a href='run.html#x'>how to <b>run</b> it</a> now.</p>")
    assert [(link.span.of(found.body), link.target) for link in found.links] == [("how to run it", "run.html#x")]


def test_what_the_page_says_of_itself_is_kept() -> None:
    head = (
        "<title>Setup guide</title><meta name=description content='How to'><meta name=keywords content='a, b'>"
        "<meta property='article:published_time' content='2026-01-05T10:00Z'>"
    )
    found = page("<p>x</p>", head)
    assert (found.title, found.tags) == ("Setup guide", ("a", "b"))
    assert found.metadata == {"description": "How to", "date": "2026-01-05"}
    assert (found.language, page("<p>x</p>", attributes="lang='pt-BR'").language) == (None, "pt-BR")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("<meta charset=windows-1251><p>Привет".encode("cp1251"), "Привет"),
        (
            "<meta http-equiv=Content-Type content='text/html; charset=iso-8859-1'><p>caf\u00e9 \u201e".encode(
                "cp1252"
            ),
            "café „",
        ),
        ("<p>café".encode("utf-16"), "café"),
        ("<?xml version='1.0' encoding='shift_jis'?><p>日本".encode("shift_jis"), "日本"),
        ("<meta charset=no-such><p>café".encode(), "café"),
    ],
)
def test_characters_are_read_as_the_page_says(data: bytes, said: str) -> None:
    assert extract_html(data, fallback_title="x").body == said


@pytest.mark.parametrize("data", [b"", b"<html><body><script>render()</script></body></html>", b"<p>  </p>"])
def test_a_page_without_text_says_so(data: bytes) -> None:
    with pytest.raises(SkippableSourceError, match="no text; it may be filled in by scripts"):
        extract_html(data, fallback_title="x")


def test_ten_thousand_nested_elements_are_read() -> None:
    assert "deep" in page("<div>" * 10_000 + "deep").body


TAGS = ("<p> </p> <ul> <li> </li> </ul> <table> <tr> <td> <th> </table> <h2> </h2> <pre> </pre> <a@href=x> </a> word | "
        "<blockquote> <b> <!--@c@--> &amp;").replace(" ", "\n").replace("@", " ").split("\n")  # fmt: skip


@given(st.lists(st.sampled_from([*TAGS, "\n"]), max_size=40))
def test_spans_of_any_tag_soup_are_in_order_and_inside_the_body(parts: list[str]) -> None:
    try:
        found = page("".join(parts))
    except SkippableSourceError:
        return
    ends = [0, *(block.span.end for block in found.blocks)]
    assert all(block.span.start >= end for block, end in zip(found.blocks, ends, strict=False))
    assert ends[-1] <= len(found.body)
    assert all(link.span.end <= len(found.body) for link in found.links)
