"""A page's readable part, with its structure; nothing of its furniture."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citemark.extraction.html.document import extract_html
from citemark.model.errors import SkippableSourceError
from citemark.model.text import BlockKind, Extracted
from citemark.model.unread_parts import in_words


def page(body: str, head: str = "<title>Setup guide</title>", attributes: str = "") -> Extracted:
    return extract_html(f"<!doctype html><html {attributes}><head>{head}</head><body>{body}</body></html>".encode(),
                        fallback_title="file")  # fmt: skip


@pytest.mark.requirement("html-is-indexed-with-spans")
def test_the_main_part_is_read_and_navigation_is_not() -> None:
    found = page(
        "<header>Acme</header><nav>Home</nav><main><h1>Setup</h1><p>Turn it on.</p><script>track()</script>"
        "<p hidden>draft</p><p style='display:none'>secret</p><div role=navigation>next</div></main>"
        "<footer>imprint</footer>"
    )
    assert found.body == "# Setup\n\nTurn it on."


def test_a_page_without_a_main_part_loses_navigation_header_and_footer_only() -> None:
    assert page("<header>Acme</header><nav>Home</nav><div><p>Words.</p></div><footer>f</footer>").body == "Words."


@pytest.mark.requirement("html-is-indexed-with-spans", "citations-open-in-every-format")
def test_headings_open_sections_named_by_the_addresses_of_the_page() -> None:
    found = page(
        "<h1 id=top>Setup</h1><p>a</p>"
        "<section id=conf><h2>Configuration<a class=headerlink href='#conf'>¶</a></h2><p>b</p></section>"
        "<h2><span id='old.name'></span>Limits</h2><p>c</p>"
    )
    assert [(s.slug, s.title) for s in found.sections] == [
        ("top", "Setup"), ("top/conf", "Configuration"), ("top/old.name", "Limits"),
    ]  # fmt: skip
    assert found.sections[1].span.of(found.body).strip().endswith("b")
    assert [s.slug for s in page("<h2>Copy me<button id=copy>x</button></h2>").sections] == ["copy-me"]


def test_lists_keep_their_order_and_depth() -> None:
    found = page(
        "<ul><li>one<ul><li>inner <b>bold</b></li></ul></li><li><p>two</p></li></ul><ol start=3><li>x<li value=7>y</ol>"
    )
    assert found.body.splitlines() == ["- one", "  - inner bold", "- two", "3. x", "7. y"]


def test_an_item_keeps_the_paragraphs_and_listings_inside_it_apart() -> None:
    found = page("<ol><li><p>Run</p><div class=highlight><pre>go\n  on</pre></div><p>and wait.</p><li>Done</ol>")
    assert found.body == "1. Run\n\n```\ngo\n  on\n```\n\nand wait.\n\n2. Done"


def test_definitions_keep_the_structure_of_what_they_say() -> None:
    found = page(
        "<dl><dt>start(<em>n</em>)</dt><dd><p>Starts.</p><pre>start(1)</pre><ul><li>n: how many</ul></dd></dl>"
    )
    assert found.body == "start(n)\n\nStarts.\n\n```\nstart(1)\n```\n\n- n: how many"


def test_quotations_are_quotations_whatever_is_inside_them() -> None:
    found = page("<blockquote>Plain <p>and more</p><ul><li>item</ul><footer>Anna</footer></blockquote><p>Mine.</p>")
    kinds = [(block.kind, block.span.of(found.body)) for block in found.blocks]
    assert kinds == [
        (BlockKind.QUOTE, "Plain"), (BlockKind.QUOTE, "and more"), (BlockKind.LIST_ITEM, "- item"),
        (BlockKind.QUOTE, "Anna"), (BlockKind.PARAGRAPH, "Mine."),
    ]  # fmt: skip


def test_line_breaks_of_the_file_are_blanks_and_those_of_the_page_are_kept() -> None:
    assert page("<p>one\n   two<br>three\n- four</p>").body == "one two\nthree - four"


def test_code_keeps_its_lines_and_names_its_language() -> None:
    found = page("<pre><code class='language-py'>if x:\n    go()\n</code></pre>")
    assert found.body == "```py\nif x:\n    go()\n```"
    assert found.blocks[0].kind is BlockKind.CODE


def test_numbers_of_lines_beside_a_listing_are_left_out() -> None:
    listing = "<table class=highlighttable><tr><td><pre>1\n2</pre></td><td><pre>a = 1<br>b = 2</pre></td></tr></table>"
    assert page(listing).body == "```\na = 1\nb = 2\n```"
    assert page("<pre><span class=lineno>1 </span>a = 1</pre>").body == "```\na = 1\n```"


def test_cells_that_span_columns_and_rows_leave_every_row_readable_alone() -> None:
    found = page(
        "<table><caption>Limits</caption><tr><th>Part<th>Min<th>Max<tr><td rowspan=2>seal<td>1<td>2<tr>"
        "<td colspan=2>none</table>"
    )
    assert found.body == "Limits\n\n| Part | Min | Max |\n| --- | --- | --- |\n| seal | 1 | 2 |\n| seal | none |  |"


def test_a_cell_that_spans_rows_and_columns_keeps_the_columns_below_it() -> None:
    found = page(
        "<table><tr><th>Part<th>Kind<th>Min<tr><td rowspan=2 colspan=2>seal<td>1<tr><td>2"
        "<tr><td>bolt<td>M6<td>3</table>"
    )
    assert found.body == (
        "| Part | Kind | Min |\n| --- | --- | --- |\n| seal |  | 1 |\n| seal |  | 2 |\n| bolt | M6 | 3 |"
    )


def test_a_page_inside_a_form_is_read_without_the_forms_controls() -> None:
    found = page(
        "<form><p>Words.</p><label>Name <input value=x></label><select><option>a</select><button>Go</button></form>"
    )
    assert found.body == "Words.\n\nName"


def test_notes_beside_the_text_are_read_and_sidebars_of_the_site_are_not() -> None:
    assert page("<aside>Latest</aside><main><p>Do.</p><aside>Careful!</aside></main>").body == "Do.\n\nCareful!"


def test_a_nearly_empty_main_element_does_not_hide_the_words() -> None:
    assert page("<main>Skip</main><div><p>" + "All the words stand here. " * 9 + "</p></div>").body.startswith("Skip")


def test_several_articles_are_all_part_of_the_page() -> None:
    assert page("<article>First post</article><article>Second post</article>").body == "First post\n\nSecond post"


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Setup - Handbook", "Setup"),
        ("Handbook | Setup", "Setup"),
        ("Setup of pumps - Handbook", "Setup of pumps - Handbook"),
        ("Untitled", "Setup"),
        ("", "Setup"),
    ],
)
def test_the_title_is_the_pages_and_not_the_sites(said: str, title: str) -> None:
    assert page("<h1>Setup</h1><p>x</p>", f"<title>{said}</title>").title == title


def test_a_data_table_has_rows_and_a_header_to_repeat() -> None:
    found = page("<table><tr><th>Key<th>Value<tr><td>port<td>8080 | 1</table>")
    assert found.body == "| Key | Value |\n| --- | --- |\n| port | 8080 \\| 1 |"
    assert found.blocks[0].head == "| Key | Value |\n| --- | --- |"


def test_a_table_that_lays_out_a_page_is_read_through() -> None:
    assert page("<table><tr><td><h2>A</h2><p>one</p></td></tr></table>").body == "## A\n\none"


def test_links_are_placed_at_their_words() -> None:
    found = page("<p>See <a href='run.html#x'>how to <b>run</b> it</a> now.</p>")
    assert [(link.span.of(found.body), link.target) for link in found.links] == [("how to run it", "run.html#x")]


def test_links_of_scripts_lead_nowhere_and_a_base_makes_the_others_whole() -> None:
    found = page(
        "<p><a href='javascript:go()'>run</a> <a href='b.html'>next</a> <a href='#x'>below</a></p>",
        "<base href='https://a.example/docs/'>",
    )
    assert [link.target for link in found.links] == ["https://a.example/docs/b.html", "#x"]


def test_the_metadata_of_a_page_are_kept() -> None:
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
        ("<meta charset=punycode><p>café".encode(), "café"),
        ("<meta charset=iso-8859-1><p>café".encode(), "café"),
        ("<meta charset=utf-8><p>café".encode("cp1252"), "café"),
        ("<meta charset=gb2312><p>\u9555".encode("gb18030"), "\u9555"),
    ],
)
def test_characters_are_read_as_the_page_says(data: bytes, said: str) -> None:
    assert extract_html(data, fallback_title="x").body == said


@pytest.mark.parametrize("data", [b"", b"<html><body><script>render()</script></body></html>", b"<p>  </p>"])
def test_a_page_without_text_says_so(data: bytes) -> None:
    with pytest.raises(SkippableSourceError, match=r"no text\. If a browser shows some"):
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


@pytest.mark.requirement("raised-figures-stay-apart")
def test_raised_and_lowered_figures_are_as_a_reader_of_the_page_sees_them(shared_data: Path) -> None:
    data = (shared_data / "faults" / "04" / "sup.html").read_bytes()
    body = extract_html(data, fallback_title="f").body
    assert "The tank holds 10⁶ litres at 5 m³/h² and CO₂ below 3 × 10⁻⁴. Rate 2¹⁰." in body  # noqa: RUF001 - letters look alike
    assert "value 15¹ bar" in body


@pytest.mark.requirement("raised-figures-stay-apart")
@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ('10<span style="vertical-align: super">6</span> l', "10⁶ l"),
        ('H<i style="font-size:60%;vertical-align:sub">2</i>O', "H₂O"),
        ('10<span class="up">6</span> l', "10⁶ l"),
        ('10<span style="vertical-align:0.5em">6</span> l', "10⁶ l"),
        ('icon <b style="vertical-align:-2px">6</b>', "icon 6"),
        ('15<sup><a href="#fn1">1</a></sup> bar', "15[1] bar"),
        ("the 1<sup>st</sup> of V<sub>max</sub>", "the 1st of V_(max)"),
        ("<math><msup><mn>10</mn><mn>6</mn></msup></math> l", "10⁶ l"),
        ("<math><msub><mi>x</mi><mn>1</mn></msub><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "x₁1/2"),
        ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>", "(a+b)/2"),
    ],
)
def test_the_place_of_a_figure_is_kept_however_the_page_says_it(markup: str, text: str) -> None:
    head = "<title>t</title><style>p .x{color:red} .up, td.y { vertical-align: super; }</style>"
    assert page(f"<p>{markup}</p>", head).body == text
    assert (
        f"| {text} |"
        in page(f"<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td>{markup}</td></tr></table>", head).body
    )


@pytest.mark.requirement("struck-words-are-marked")
@pytest.mark.parametrize(
    "markup",
    [
        "Pay <del>500</del> 300",
        "Pay <s>500</s> 300",
        "Pay <strike>500</strike> 300",
        'Pay <span style="text-decoration: line-through red">500</span> 300',
        'Pay <span class="gone">500</span> 300',
    ],
)
def test_struck_words_are_marked(markup: str) -> None:
    head = "<title>t</title><style>.gone{text-decoration-line:line-through}</style>"
    assert page(f"<p>{markup}</p>", head).body == "Pay ~~500~~ 300"


def test_what_is_struck_and_raised_in_a_listing_is_marked_too() -> None:
    assert page("<pre>10<sup>6</sup> <del>old</del></pre>").body == "```\n10⁶ ~~old~~\n```"


@pytest.mark.requirement("boxes-say-their-state")
def test_a_checked_box_differs_from_an_empty_one() -> None:
    body = page(
        "<ul><li><input type=checkbox checked>valve closed<li><input type=checkbox>pump off</ul>"
        "<table><tr><th>a</th><th>b</th></tr><tr><td>x</td><td><input type=checkbox checked></td></tr></table>"
    ).body
    assert "- ☑ valve closed\n- ☐ pump off" in body
    assert "| x | ☑ |" in body


def test_a_box_that_belongs_to_the_site_is_no_text() -> None:
    assert page("<input type=checkbox id=menu><p>Text</p><input type=checkbox hidden>").body == "Text"


@pytest.mark.requirement("empty-notes-are-found")
def test_a_page_that_says_nothing_but_its_title_is_its_title_unless_a_script_fills_it() -> None:
    page = "<html><head><title>Opening hours</title></head><body><img src='hours.png'>{}</body></html>"
    assert extract_html(page.format("").encode(), fallback_title="f").body == "# Opening hours"
    with pytest.raises(SkippableSourceError):
        extract_html(page.format("<script>fill()</script>").encode(), fallback_title="f")


def test_lists_count_in_letters_and_numerals_and_backwards() -> None:
    said = "<ol type=a><li>x<li>y</ol><ol type=I start=4><li>z</ol><ol reversed><li>two<li>one</ol>"
    assert page(said).body.split("\n") == ["a. x", "b. y", "IV. z", "2. two", "1. one"]


def test_quotation_marks_and_boxes_that_only_browsers_draw_are_written() -> None:
    box = "<span role=checkbox aria-checked=true>Fired</span><label><input type=radio>Glazed</label>"
    assert (
        page(f"<p>He said <q>teal</q>.</p><p>{box}</p>").body
        == "He said \u201cteal\u201d.\n\n\u2611 Fired \u2610 Glazed"
    )


@pytest.mark.requirement("one-bad-detail")
@pytest.mark.parametrize(
    "broken",
    [
        "<p>Teal <b>glaze",
        "<table><tr><td colspan=x>Teal glaze</td><td rowspan=-1>b</td></tr><tr><td>1<td>2</table>",
        "<p>Teal &#0; glaze &#xFFFFFFF; &bogus;</p>",
        "<a href='http://[bad'>Teal</a> glaze",
        "<p>Teal glaze</p><!-- never closed",
        "<p>Teal glaze</p><p>cut <a href='htt",
        "<ol start=x><li value=y>Teal glaze</ol>",
        "<math><mfrac></mfrac><msup></msup></math><p>Teal glaze</p>",
    ],
)
def test_a_bad_detail_of_a_page_costs_that_detail(broken: str) -> None:
    found = page(f"<p>The kiln is vermilion.</p>{broken}").body
    assert "The kiln is vermilion." in found
    assert {"Teal", "glaze"} <= set(re.findall(r"\w+", found))


def test_sections_of_characters_in_xhtml_are_text() -> None:
    data = b"<?xml version='1.0'?><html><body><p><![CDATA[5 < 6 & teal]]></p></body></html>"
    assert extract_html(data, fallback_title="t").body == "5 < 6 & teal"


@pytest.mark.requirement("hidden-parts-are-read-or-named")
def test_a_single_hidden_word_is_counted_and_the_name_of_an_icon_is_not() -> None:
    found = page("<p>x</p><div hidden>vermilion</div><i aria-hidden=true>arrow_forward</i>")
    assert in_words(found.left_out) == "1 hidden part"
