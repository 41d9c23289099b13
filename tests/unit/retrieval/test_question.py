"""Hits as they come: versions of one passage stand as one hit, and pages keep to their places."""

from dataclasses import replace

import pytest
from tests.support.chunks import stored
from tests.unit.retrieval.material import candidate

from citemark.model.ids import DocumentId, RevisionId, SourceId
from citemark.model.sources import Source
from citemark.model.text import Span
from citemark.retrieval.question import HitCollapser, VerifiedHit

PASSAGE = "The valve opens at once when the pump starts, as the boiler asks for it."
OTHER = "A handle of 12 bytes is closed at night."


def hit(number: int, page: int, path: str, text: str) -> VerifiedHit:
    chunk = replace(stored(number, text, path), page_id=DocumentId(page), revision_id=RevisionId(number))
    return VerifiedHit(candidate(number, page), chunk, Source(SourceId(1), "local", "docs", "memory"))


@pytest.mark.requirement("newest-dated-version-first")
@pytest.mark.parametrize(("max_per_doc", "first"), [(1, 1), (2, 3)])
def test_a_newer_version_replaces_an_older_one_only_where_its_page_has_room(max_per_doc: int, first: int) -> None:
    collapser = HitCollapser(max_per_doc=max_per_doc)
    assert collapser.add(hit(1, 1, "spec/2024-11-05/valve.md", PASSAGE))
    assert collapser.add(hit(2, 2, "spec/2025-06-18/valve.md", OTHER))
    assert not collapser.add(hit(3, 2, "spec/2025-06-18/valve.md", PASSAGE))
    shown = collapser.hits[0]
    assert shown.chunk.chunk_id == first
    assert {shown.chunk.chunk_id, *(chunk.chunk_id for chunk in shown.also_in)} == {1, 3}
    assert collapser.hits[1].chunk.chunk_id == 2


def test_a_table_stands_beside_a_hit_that_lists_only_one_of_its_rows() -> None:
    table = "| Option | Default |\n|---|---|\n| timeout | 30 |\n| retries | 5 |"
    row = Span(table.index("| timeout"), table.index("| retries") - 1)

    def row_of(number: int, page: int, path: str) -> VerifiedHit:
        entry = hit(number, page, path, row.of(table))
        return replace(entry, chunk=replace(entry.chunk, span=row, revision_id=RevisionId(page)))

    whole = hit(3, 2, "mail.md", table)
    whole = replace(whole, chunk=replace(whole.chunk, span=Span(0, len(table)), revision_id=RevisionId(2)))
    collapser = HitCollapser(max_per_doc=2)
    assert collapser.add(row_of(1, 1, "http.md"))
    assert not collapser.add(row_of(2, 2, "mail.md"))
    assert collapser.add(whole)
    assert [entry.chunk.native_id for entry in collapser.hits] == ["http.md", "mail.md"]
