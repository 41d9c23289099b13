"""The page of an app in a host: one file, whose policy names what is inside it and nothing else."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from citemark.model.text import Span
from citemark.web.host_app_page import host_app_fragment, host_app_page


@pytest.mark.requirement("page-in-hosts")
def test_the_policy_of_an_app_names_its_one_script_and_style_and_permits_nothing_else() -> None:
    page = host_app_page("Quotes")
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert found is not None
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    named = [f"'sha256-{b64encode(sha256(each.encode()).digest()).decode()}'" for each in (script, style)]
    assert found[1].replace("&#39;", "'").split("; ") == [
        "default-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        f"script-src {named[0]}",
        f"style-src {named[1]}",
    ]
    assert not re.search(r"(?:src|href)=|@import|url\(", page)


def test_a_document_is_shown_with_what_was_cited_marked_and_without_scripts() -> None:
    shown = {
        "source": "docs",
        "path": "gate.md",
        "dated": "",
        "url": "",
        "revision": "7",
        "superseded": True,
        "cited": "docs: gate.md, line 1",
        "text": "The gate <img src=x onerror='alert(1)'> closes at night.",
        "marked": Span(0, 8),
        "part": Span(0, 56),
        "of": 900,
    }
    html = host_app_fragment("document", shown)
    assert '<mark id="cited">The gate</mark>' in html
    assert "onerror" not in html
    assert "This is revision 7" in html
    assert "characters 0 to 56 of 900" in html
