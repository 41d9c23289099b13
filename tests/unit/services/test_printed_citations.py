"""Citations as ids: each stands for one place, whatever its names are."""

from datetime import UTC, datetime

import pytest

from citemark.model.citation import Anchor, Citation
from citemark.model.text import Lines, Span
from citemark.services.printed_citations import id_of, ref_of, refs_in
from citemark.services.reopening import ReopenService
from citemark.services.requests import Caller, CitationRef

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)


class Knows(ReopenService):
    """Knows the documents that it is made with."""

    def __init__(self, *known: tuple[str, str]) -> None:
        self._known = known

    async def known(self, caller: Caller, ref: CitationRef) -> CitationRef | None:
        return ref if (ref.source, ref.document_id) in self._known else None


SOME = Lines(3, 9)


def citation(source: str, document: str, *, lines: Lines | None = SOME) -> Citation:
    span = Span(10, 90)
    return Citation(source, "docs_page", document, "12", None, NOW, Anchor("port", lines, span), span, "T", None)


@pytest.mark.requirement("search-ids-are-durable-citations")
def test_an_id_reads_as_a_citation_is_printed() -> None:
    assert (
        id_of(citation("docs", "guide.md#port"))
        == "docs: guide.md#port, lines 3-9, revision 12, as of 2026-01-31T12:00:00Z"
    )
    assert id_of(citation("docs", "guide.md", lines=None)).startswith("docs: guide.md, characters 10-90, revision 12")


@pytest.mark.requirement("search-ids-are-durable-citations")
@pytest.mark.parametrize("lines", [Lines(3, 9), Lines(4, 4), None])
async def test_an_id_is_read_back_as_what_it_was_made_of(lines: Lines | None) -> None:
    names = ("docs", "a: b", "guide, lines 1-2", 'say "hi"', "x\ny", "{", "ünï (c)", "citemark open", "a\u202eb")
    for source in names:
        for document in (*names, "guides/a b.md#one/two~2", "p; p_0123456789"):
            made = citation(source, document, lines=lines)
            found = await ref_of(Knows((source, document)), Caller.local(), id_of(made))
            assert (found.source, found.document_id, found.revision_id) == (source, document, "12")
            here = (found.lines is not None and found.lines == lines) or (found.start_char, found.end_char) == (10, 90)
            assert here, id_of(made)


async def test_what_nothing_is_known_of_is_the_likeliest_reading() -> None:
    printed = "docs: guide.md#port, line 3, revision 12"
    assert await ref_of(Knows(), Caller.local(), printed) == next(refs_in(printed))
