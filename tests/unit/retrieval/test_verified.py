"""What may be told of a page that has changed since it was indexed."""

import pytest

from citemark.model.documents import Verdict
from citemark.model.text import Extracted, Section, Span
from citemark.retrieval.access import Policy, Verified


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


@pytest.mark.requirement("verdicts-mean-what-a-table-says")
def test_a_verdict_means_what_the_table_of_the_policy_says_and_withholds_what_it_does_not_name() -> None:
    columns = (Policy.PASSAGES, Policy.INDEXED, Policy.PAST)
    found = {
        verdict: [
            *(policy.access(verdict, remote=True).value for policy in columns),
            *(policy.access(verdict, remote=False).value for policy in columns),
        ]
        for verdict in Verdict
    }
    assert found == {
        Verdict.OK: ["shown", "shown", "shown", "shown", "shown", "shown"],
        Verdict.CHANGED: ["withheld", "withheld", "withheld", "withheld", "shown", "withheld"],
        Verdict.REDUCED: ["withheld"] * 6,
        Verdict.GONE: ["dropped"] * 6,
        Verdict.EXCLUDED: ["dropped", "dropped", "withheld", "dropped", "dropped", "withheld"],
        Verdict.UNKNOWN: ["withheld"] * 6,
    }
