"""What may be told of a page that has changed since it was indexed."""

from citemark.model.documents import Verdict
from citemark.model.text import Extracted, Section, Span
from citemark.retrieval.access import Verified


def test_a_title_may_be_shown_while_the_page_or_its_section_still_has_it() -> None:
    section = Section("setup/linux", "Linux", ("Setup", "Linux"), 2, Span(0, 5), "setup")
    now = Verified(Verdict.CHANGED, Extracted("Guide", "hello", (), (section,)))
    assert now.has("Guide", None)
    assert now.has("Linux", "setup/linux")
    assert not now.has("Handbook", None)
    assert not now.has("Unix", "setup/linux")
    assert not now.has("Linux", "setup-guide/linux")
    unnamed = Section("part", "", ("",), 2, Span(0, 5), None)
    assert Verified(Verdict.CHANGED, Extracted("Guide", "hello", (), (unnamed,))).has("Guide", "part")
    assert now.confirms("hello", "Guide", None)
    assert not now.confirms("hello", "Handbook", None)
    assert not now.confirms("bye", "Guide", None)
    assert Verified(Verdict.OK).has("anything", None)
    assert not Verified(Verdict.UNKNOWN).has("anything", None)
