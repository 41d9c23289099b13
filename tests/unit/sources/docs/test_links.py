from typing import Literal
from unicodedata import normalize

import pytest

from citemark.extraction.markdown.document import extract_markdown
from citemark.extraction.org import extract_org
from citemark.model.ids import NativeId
from citemark.sources.docs.links import FolderTree, relationships_of

FOLDERS = {"a", "a/sub", "a/pictures"}
PAGES = {
    "a/page.md",
    "a/other.md",
    "a/sub/index.mdx",
    "b.md",
    "index.md",
    "a/with space.md",
    "a/README.md",
    "a/logo.png",
}
TREE = FolderTree(PAGES.__contains__, FOLDERS.__contains__, lambda path: path.endswith((".md", ".mdx")))


def target(link: str, native_id: str = "a/page.md", heads: str = "") -> tuple[str | None, str | None] | None:
    extracted = extract_markdown(f"{heads}\n[x](<{link}>)\n", fallback_title="f")
    stated = relationships_of(NativeId(native_id), extracted, TREE)
    return (stated[0].to_native_id, stated[0].to_url) if stated else None


@pytest.mark.requirement("links-and-containment-are-relationships")
@pytest.mark.parametrize(
    ("link", "page"),
    [
        ("other.md", "a/other.md"),
        ("./other", "a/other.md"),
        ("other.html", "a/other.md"),
        ("../b.mdx", "b.md"),
        ("sub/", "a/sub/index.mdx"),
        ("sub#part", "a/sub/index.mdx#part"),
        ("../b.md?x=1#y", "b.md#y"),
        ("..", "index.md"),
        (".", "a/README.md"),
        ("/b", "b.md"),
        ("/other", "a/other.md"),
        ("/a/other", "a/other.md"),
        ("with%20space.md", "a/with space.md"),
        ("missing.md#x", "a/missing.md#x"),
        ("/missing", "missing"),
        ("#nowhere", "a/page.md#nowhere"),
    ],
)
def test_a_link_inside_the_folder_names_a_page(link: str, page: str) -> None:
    assert target(link) == (page, None)


@pytest.mark.parametrize(
    ("link", "url"),
    [
        ("https://a.example/x#y", "https://a.example/x#y"),
        ("//a.example/x", "https://a.example/x"),
        ("mailto:a@b.example", "mailto:a@b.example"),
        ("../../outside.md", "../../outside.md"),
        ("logo.png", "logo.png"),
        ("missing.png", "missing.png"),
        ("pictures/", "pictures/"),
    ],
)
def test_a_link_out_of_the_folder_keeps_its_address(link: str, url: str) -> None:
    assert target(link) == (None, url)


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "#", ""])
def test_a_link_without_a_target_states_no_relationship(link: str) -> None:
    assert target(link) is None


@pytest.mark.requirement("page-and-section-ids-are-paths")
def test_an_anchor_on_the_same_page_becomes_the_sections_path() -> None:
    heads = "# Top\n## Use\n# Next\n## Use\n## Use\n"
    assert target("#top", heads=heads) == ("a/page.md#top", None)
    assert target("#use", heads=heads) == ("a/page.md#top/use", None)
    assert target("#use-1", heads=heads) == ("a/page.md#next/use", None)
    assert target("page.md#use-2", heads=heads) == ("a/page.md#next/use~2", None)


def test_a_target_is_stated_once_for_each_section_that_names_it() -> None:
    body = "[x](b)\n[y](b)\n\n# A\n[z](b) [w](b#c)\n"
    stated = relationships_of(
        NativeId("page.md"), extract_markdown(body, fallback_title="f"), FolderTree({"b.md"}.__contains__)
    )
    assert [(link.from_section, link.to_native_id, link.span.of(body)) for link in stated] == [
        (None, "b.md", "[x](b)"),
        ("a", "b.md", "[z](b)"),
        ("a", "b.md#c", "[w](b#c)"),
    ]


@pytest.mark.requirement("names-compare-as-read")
@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize(
    "link", ["B\u00fcro/Schl\u00fcssel.md", "Bu\u0308ro/Schl\u00fcssel", "B%C3%BCro/Schl%C3%BCssel.md#a"]
)
def test_a_path_with_composed_letters_reaches_a_file_with_decomposed_ones(
    link: str, form: Literal["NFC", "NFD"]
) -> None:
    page = normalize(form, "a/B\u00fcro/Schl\u00fcssel.md")
    folder = page.rpartition("/")[0]
    tree = FolderTree({page}.__contains__, {"a", folder}.__contains__)
    extracted = extract_markdown(f"[x](<{link}>)\n", fallback_title="f")
    (stated,) = relationships_of(NativeId("a/page.md"), extracted, tree)
    assert stated.to_native_id in {page, f"{page}#a"}


@pytest.mark.requirement("boards-and-org-are-read", "wikilinks-are-edges")
def test_links_by_id_of_org_files_lead_to_the_file_or_heading_that_has_the_id() -> None:
    body = (
        "[[id:one]] [[id:two][words]] [[id:gone]] [[#own-id]]\n\n* A place\n:PROPERTIES:\n:CUSTOM_ID: own-id\n:END:\n"
    )
    places = {"one": "b.org", "two": "b.org#two-words"}
    tree = FolderTree(PAGES.__contains__, FOLDERS.__contains__, place_of_id=places.get)
    stated = relationships_of(NativeId("a.org"), extract_org(body, fallback_title="f"), tree)
    assert [each.to_native_id for each in stated] == ["b.org", "b.org#two-words", "id:gone", "a.org#a-place"]
