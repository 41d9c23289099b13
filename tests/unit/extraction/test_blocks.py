import pytest
from hypothesis import given
from tests.support.markdown import assert_sound, pages

from citemark.extraction.markdown.document import extract_markdown
from citemark.model.text import BlockKind


def blocks(body: str) -> list[tuple[str, str]]:
    extracted = extract_markdown(body, fallback_title="f")
    assert_sound(extracted)
    return [(str(block.kind), block.span.of(body)) for block in extracted.blocks]


def kinds(body: str) -> list[str]:
    return [kind for kind, _ in blocks(body)]


@pytest.mark.requirement("line-and-character-spans-exact")
@given(pages())
def test_blocks_are_in_order_and_hold_all_that_is_visible(body: str) -> None:
    assert_sound(extract_markdown(body, fallback_title="f"))


def test_a_page_is_split_into_its_blocks() -> None:
    assert blocks(
        "# T\ntext\nmore\n\n- a\n  b\n- c\n\n> q\n\n```x\n# no\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |\n\n***\n"
    ) == [
        ("heading", "# T"),
        ("paragraph", "text\nmore"),
        ("list_item", "- a\n  b"),
        ("list_item", "- c"),
        ("quote", "> q"),
        ("code", "```x\n# no\n```"),
        ("table", "| a | b |\n|--|--|\n| 1 | 2 |"),
        ("markup", "***"),
    ]


def test_a_table_names_its_header() -> None:
    extracted = extract_markdown("| a |\r\n|---|\r\n| 1 |\r\n", fallback_title="f")
    assert extracted.blocks[0].head == "| a |\r\n|---|"


@pytest.mark.parametrize(
    "body",
    [
        "```\n# a\n```",
        "~~~~\n~~~\n# a\n~~~~",
        "````md\n```\n# a\n```\n````",
        "```\n# a",
        "- x\n\n  ```\n  # a\n  ```",
        "1. ```\n   # a\n   ```",
        "> ```\n> # a\n> ```",
        "    # a",
        "\t# a",
        "<!--\n\n# a\n-->",
        "<pre>\n\n# a\n</pre>",
        "<script>\n\n# a\n\n</script>",
        "{/*\n\n# a\n*/}",
        "- x\n  # a",
        "#a",
        "####### a",
        "\\# a",
        "a\n    # b",
    ],
)
def test_text_that_looks_like_a_heading_inside_a_block_is_not_a_heading(body: str) -> None:
    assert "heading" not in kinds(body)


@pytest.mark.parametrize(
    "body", ["# a", "   # a #", "a\n===", "a\nb\n---", "# ", "text\n## a", "- x\n\n# a", "> q\n# a"]
)
def test_headings_are_found_at_the_top_level(body: str) -> None:
    assert kinds(body).count("heading") == 1


def test_a_fence_in_a_list_ends_with_the_list() -> None:
    assert kinds("- a\n\n  ```\n  open\n\n# after") == ["list_item", "code", "heading"]


@pytest.mark.parametrize(
    "item",
    ["-\ta\n\n\t[b](c)", "1.\ta\n\n    [b](c)", "10)\ta\n\n    [b](c)", "- -\ta\n\n\t[b](c)", "  *\ta\n\n\t[b](c)"],
)
def test_a_tab_after_a_marker_reaches_to_the_next_stop(item: str) -> None:
    extracted = extract_markdown(item, fallback_title="f")
    assert [block.kind for block in extracted.blocks] == [BlockKind.LIST_ITEM] * 2
    assert [link.target for link in extracted.links] == ["c"]


def test_a_paragraph_below_the_text_of_an_item_that_follows_two_tabs_is_code() -> None:
    assert kinds("-\t\ta\n\n      b\n") == ["list_item", "code"]


@pytest.mark.requirement("mdx-and-plain-text-are-read")
def test_markdown_inside_components_is_read_however_deep_it_is_indented() -> None:
    step = "        Do this.\n\n        ## Then\n\n        ```js\n        # no\n        ```\n"
    body = f'<Steps>\n    <Step title="First">\n{step}    </Step>\n</Steps>'
    assert blocks(body) == [
        ("markup", "<Steps>"),
        ("markup", '<Step title="First">'),
        ("paragraph", "Do this."),
        ("heading", "## Then"),
        ("code", "        ```js\n        # no\n        ```"),
        ("markup", "</Step>"),
        ("markup", "</Steps>"),
    ]


@pytest.mark.parametrize("key", ["<Enter>", "Press\n<Enter>", "<Enter> confirms,\n<Escape> does not."])
def test_a_key_in_angle_brackets_does_not_make_a_page_mdx(key: str) -> None:
    assert kinds(f"{key}\n\n    # no heading\n")[-1] == "code"


@pytest.mark.requirement("mdx-and-plain-text-are-read")
@pytest.mark.parametrize(
    "tag", ["<Card />", "<Card>text</Card>", "</Card>", "<Ui.Card\n  open\n/>", "<Card\n>\n\n</Card>"]
)
def test_a_component_makes_a_page_mdx(tag: str) -> None:
    assert kinds(f"{tag}\n\n    # A heading\n")[-1] == "heading"


@pytest.mark.requirement("mdx-and-plain-text-are-read")
@pytest.mark.parametrize(
    "tag",
    [
        '<Card\n  title="a > b"\n  icon={<Icon name="x" />}\n  onClick={() => go(">")}\n>',
        "<Tree.Folder\n  open\n/>",
        "<details\n  open>",
        "<>",
    ],
)
def test_a_tag_over_several_lines_is_one_block(tag: str) -> None:
    assert blocks(f"{tag}\n# Below") == [("markup", tag), ("heading", "# Below")]


def test_a_tag_never_closed_ends_at_the_blank_line() -> None:
    assert kinds('<Card title="open\n\n# Below\n') == ["markup", "heading"]


def test_an_inline_tag_begins_a_paragraph() -> None:
    assert kinds("<b>bold</b> text\n<https://a.example> too") == ["paragraph"]


def test_module_lines_are_markup_and_prose_that_begins_like_them_is_not() -> None:
    assert kinds('import { A } from "b"\n\nexport const C = 1;\n\nimport duties apply.\n') == [
        "markup",
        "markup",
        "paragraph",
    ]


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "]",
        "*",
        ">",
        "<",
        "`",
        "- ",
        "1. ",
        "> ",
        "- a\n",
        "|a\n|-\n",
        "# a\n",
        "[a](",
        "![",
        '<div "\n',
        "<a b\n",
        "<Card\n",
        "{/*\n",
        "<!--\n",
        "```\n",
        "a|b\n",
        "\r",
        "[[a]]",
        '<a href="',
        "**a",
        "[a]: b\n",
        "\t",
        "{",
        "https://",
        "import" + " " * 50_000 + ".",
    ],
)
@pytest.mark.timeout(20)
def test_hostile_repetition_is_read_in_linear_time(piece: str) -> None:
    # A quadratic step over 100 KB takes longer than the test may.
    assert_sound(extract_markdown(piece * (100_000 // len(piece)), fallback_title="f"))


def test_a_page_of_more_blocks_than_any_page_has_ends_in_one_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("citemark.extraction.markdown.blocks._MOST_BLOCKS", 2_000)  # 200,000 take two seconds
    extracted = extract_markdown("a\n\n" * 2_010, fallback_title="f")
    assert_sound(extracted)
    assert len(extracted.blocks) == 2_001
    assert extracted.blocks[-1].kind is BlockKind.PARAGRAPH
