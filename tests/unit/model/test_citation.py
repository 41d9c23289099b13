from datetime import UTC, datetime, timedelta, timezone

import pytest

from citemark.model.citation import Anchor, Citation, iso
from citemark.model.text import Lines, Span, lines_of
from citemark.text.citation_line import line_of


def cited(document_id: str = "community/sdk-tiers.mdx", lines: Lines | None = Lines(40, 52)) -> Citation:  # noqa: B008
    return Citation(
        source="docs",
        doc_type="section",
        document_id=document_id,
        revision_id="123",
        baseline_id=None,
        as_of=datetime(2026, 11, 20, 12, 0, 0, 123456, tzinfo=UTC),
        anchor=Anchor(heading="tier-relegation", lines=lines),
        span=Span(10, 20),
        title="SDK tiers",
        url=None,
    )


def test_a_citation_reads_as_one_line() -> None:
    expected = "docs: community/sdk-tiers.mdx#tier-relegation, lines 40-52, revision 123, as of 2026-11-20T12:00:00Z"
    assert line_of(cited()) == expected
    assert line_of(cited("community/sdk-tiers.mdx#tier-relegation")) == expected


def test_without_lines_the_characters_are_named() -> None:
    assert "characters 10-20" in line_of(cited(lines=None))
    assert "line 4," in line_of(cited(lines=Lines(4, 4)))


@pytest.mark.requirement("durable-citation-names-its-place")
def test_every_field_is_in_the_json_form() -> None:
    assert cited().as_dict() == {
        "source": "docs",
        "doc_type": "section",
        "document_id": "community/sdk-tiers.mdx",
        "revision_id": "123",
        "baseline_id": None,
        "as_of": "2026-11-20T12:00:00.123456Z",
        "anchor": {"heading": "tier-relegation", "lines": {"start": 40, "end": 52}},
        "span": {"start": 10, "end": 20},
        "title": "SDK tiers",
        "url": None,
    }


@pytest.mark.requirement("anchors-are-slug-lines-characters")
def test_lines_are_counted_from_one_and_include_the_last() -> None:
    body = "one\ntwo\nthree\n"
    assert lines_of(body, Span(0, 3)) == Lines(1, 1)
    assert lines_of(body, Span(0, 4)) == Lines(1, 1)
    assert lines_of(body, Span(2, 9)) == Lines(1, 3)
    assert lines_of(body, Span(4, 4)) == Lines(2, 2)


def test_times_are_shown_in_utc() -> None:
    assert iso(datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=1)))) == "2026-01-01T00:00:00Z"
