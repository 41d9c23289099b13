"""The text of a result reads well alone and says nothing twice."""

from datetime import UTC, datetime

import pytest

from citemark.evidence.budget import Usage
from citemark.model.citation import Anchor, Citation
from citemark.model.ids import PassageId, SessionId
from citemark.model.scope import ResolvedContext
from citemark.model.text import Lines, Span
from citemark.services.responses import Quote, ResponseMeta
from citemark.tools.kb.evidence_tools import render_evidence

NOW = datetime(2026, 1, 31, 12, tzinfo=UTC)
META = ResponseMeta(SessionId("s"), ResolvedContext(as_of=NOW), False, "none", None, 0, Usage(0, 0))


def quote(words: str, passage: str, lines: Lines | None, doc_type: str = "section", title: str = "") -> Quote:
    span = Span(10, 20)
    citation = Citation(
        "handbook", doc_type, f"{passage}.md", "7", None, NOW, Anchor(None, lines, span), span, title, None
    )
    return Quote(words, PassageId(passage), f"{passage}.md", "", 0.5, citation)


def text(*quotes: Quote) -> str:
    return render_evidence(quotes, META, cut=False)


def test_quotes_of_one_passage_share_its_citation_and_keep_their_numbers() -> None:
    shown = text(
        quote("Prime it.", "pump", Lines(4, 6)),
        quote("Oil it.", "gear", Lines(1, 1)),
        quote("Rinse it.", "pump", Lines(9, 9)),
    )
    assert shown.split("\n\n")[:2] == [
        "[1] > Prime it.\n[3] > Rinse it.\n(handbook: pump.md, lines 4-6, 9, revision 7; passage_id pump)",
        "[2] > Oil it.\n(handbook: gear.md, line 1, revision 7; passage_id gear)",
    ]


@pytest.mark.requirement("i9-7-once")
def test_a_later_passage_of_a_document_points_to_the_first() -> None:
    one, two = quote("Prime it.", "pump.md#prime", Lines(4, 6)), quote("Oil it.", "pump.md#care/oil", Lines(9, 9))
    shown = text(one, two, quote("Stop.", "gear", Lines(1, 1)))
    assert "(document of [1] #care/oil.md, line 9; passage_id pump.md#care/oil)" in shown
    assert shown.count("revision 7") == 2


def test_where_lines_mean_nothing_characters_are_named() -> None:
    assert "(handbook: scan.md, characters 10-20, revision 7; passage_id scan)" in text(quote("Oil it.", "scan", None))


def test_a_document_with_a_meaningless_id_is_named_by_its_title() -> None:
    shown = text(quote("It serves Portal.", "1793", Lines(2, 2), "element", "Call\ncenter"))
    assert '(handbook: 1793.md "Call center", line 2, revision 7; passage_id 1793)' in shown
    assert '"' not in text(quote("Oil it.", "gear", Lines(1, 1), title="Gears")).split("\n")[1]
