import pytest

from citemark.extraction.markdown.document import extract_markdown


def links(body: str) -> list[tuple[str, str, str]]:
    found = extract_markdown(body, fallback_title="f").links
    return [(link.span.of(body), link.text, link.target) for link in found]


@pytest.mark.requirement("links-and-containment-are-relationships")
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a [b *c*](./d.md#e) f", ("[b *c*](./d.md#e)", "b *c*", "./d.md#e")),
        ('[b](<d e.md> "title")', ('[b](<d e.md> "title")', "b", "d e.md")),
        ("[b](x_(y).md)", ("[b](x_(y).md)", "b", "x_(y).md")),
        ("[![alt](img.png)](page.md)", ("[![alt](img.png)](page.md)", "![alt](img.png)", "page.md")),
        ("[a [b] c](d.md)", ("[a [b] c](d.md)", "a [b] c", "d.md")),
        ("[text][Ref]\n\n[ref]: ../x.md 'title'", ("[text][Ref]", "text", "../x.md")),
        ("[ref][]\n\n[ref]: x.md", ("[ref][]", "ref", "x.md")),
        ("[ref]\n\n[ref]: x.md", ("[ref]", "ref", "x.md")),
        ("<https://a.example/b>", ("<https://a.example/b>", "", "https://a.example/b")),
        ("see https://a.example/b_(c). Next", ("https://a.example/b_(c)", "", "https://a.example/b_(c)")),
        ('<Card title="T" href="/docs/x">', ('href="/docs/x"', "", "/docs/x")),
        ("| [a](b.md) |\n|---|", ("[a](b.md)", "a", "b.md")),
    ],
)
def test_every_way_to_write_a_link_is_read(body: str, expected: tuple[str, str, str]) -> None:
    assert links(body) == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "![image](a.png)",
        "`[a](b.md)`",
        "``x ` [a](b.md)``",
        "```\n[a](b.md)\n```",
        "\\[a](b.md)",
        "[a] (b.md)",
        "[a]",
        "[]",
    ],
)
def test_images_code_and_escapes_are_no_links(body: str) -> None:
    assert links(body) == []


def test_an_unmatched_backtick_hides_no_link() -> None:
    assert [target for _, _, target in links("a ` b [c](d.md)")] == ["d.md"]


def test_links_come_in_the_order_of_the_page_with_their_places() -> None:
    body = "[a](1)\r\n\r\n- [b](2) `[x](y)` [c](3)\r\n"
    assert [target for _, _, target in links(body)] == ["1", "2", "3"]
