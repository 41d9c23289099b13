"""A browser returns to the page that it asked for, and to no other site."""

import pytest

from citemark.web.return_address import HOME, return_address

NAMES = frozenset({"search", "document"})


@pytest.mark.requirement("page-sign-in-elsewhere")
def test_only_pages_of_ours_are_returned_to() -> None:
    for given in ("/search", "/search?q=pump&at=a%2Fb", "/document?source=a&document=b//c.md"):
        assert return_address(given, NAMES) == given
    assert return_address("/document?", NAMES) == "/document"
    for given in (
        "",
        "search",
        "https://evil.example/search",
        "//evil.example/search",
        "///evil.example/search",
        "/\\evil.example/search",
        "/search/../../evil",
        "/search.json?q=pump",
        "/sign_out",
        "/search#x",
        "/search?q=\r\nset-cookie:a=b",
        "\t//evil.example",
        "/search\u2028",
        "javascript:alert(1)",
        "//[search",
        "/search?q=" + "x" * 1500,
    ):
        assert return_address(given, NAMES) in {HOME, "/search"}, given
